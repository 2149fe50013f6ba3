"""Real public tables that really drifted: each case's verdict through the public interface.

The tables lie beside the checkout and are not part of it; without them these tests are skipped.
"""

import pytest
import yaml

import seed
from contracts import DataError
from validate import report

REAL = seed.ROOT.parent / "shared" / "real"
CASES = yaml.safe_load((REAL / "cases.yaml").read_text(encoding="utf-8")) if REAL.exists() else []

pytestmark = pytest.mark.skipif(not CASES, reason="the real tables (shared/real) are not beside this checkout")


@pytest.mark.parametrize("case", CASES, ids=[case["data"].split("/")[-1] for case in CASES])
def test_real_case(case):
    if "MERGE_CONFLICT" in case["data"]:  # not a table: its first line is '<<<<<<< HEAD'
        with pytest.raises(DataError, match=r"MERGE_CONFLICT\.csv, line 2: cannot be read"):
            report(str(REAL / case["data"]), REAL / case["contract"])
        return
    found = report(str(REAL / case["data"]), REAL / case["contract"])
    expected = {(v["rule"], v["field"]): v.get("failing") for v in case["violations"]}
    assert found.rows == case["rows"]
    assert {(v.rule, v.field) for v in found.violations} == set(expected)
    for violation in found.violations:
        failing = expected[violation.rule, violation.field]
        assert failing is None or violation.failing == failing
