"""No pattern, contract or comment costs unbounded time."""

import ibis
import pyarrow as pa
import pyarrow.csv
import pytest
from attacks import SQLITE, X

import contracts
import validate
from clause import matching
from contracts import patterns
from contracts.auditing import allowances
from contracts.errors import ContractError

ENDLESS = ["(a|aa)+", r"(\w*-?)*", "(a?){30}a{30}", "([a-z]+,?)+", "(x+x+)+y", "(a?b?){40}c", "(.*,){11}P"]
ENDING = ["(a+)+", r"[\w.+-]+@([\w-]+\.)+[a-z]{2,}", r"\d{1,3}(\.\d{1,3}){3}", ".*a.*b.*", "(AB|E[0-9]+)+"]


@SQLITE
@pytest.mark.parametrize("pattern", [*ENDLESS, *ENDING])
@pytest.mark.parametrize("engine", ["rows", "duckdb", "polars", "sqlite"])
def test_no_pattern_takes_for_ever(engine, pattern):
    agreed = contracts.from_mapping(X | {"fields": [{"name": "x", "type": "string", "pattern": pattern}]})
    table = pa.table({"x": [sign * 60 + "!" for sign in ("a", "x", "ab", "a-", "a,")]})
    if engine == "sqlite":  # its patterns are Python's, which tries every way
        connection = ibis.sqlite.connect()
        connection.create_table("t", table)
        found = validate.report(connection.table("t"), agreed)
        assert [one.reason[:28] for one in found.not_checked] == ["sqlite tries every way to ma"] * (pattern in ENDLESS)
        return
    given = {"rows": table.to_pylist, "polars": lambda: __import__("polars").from_arrow(table)}.get(
        engine, lambda: table
    )()
    assert not validate.report(given, agreed).not_checked


@pytest.mark.parametrize("pattern", ["a{1000}{1000}", "((a{30}){30}){30}", "(a{1,1000}){1,1000}"])
def test_a_pattern_that_is_too_large_is_no_pattern(pattern):
    with pytest.raises(ContractError, match="does not compile"):
        contracts.from_mapping(X | {"fields": [{"name": "x", "type": "string", "pattern": pattern}]})


def test_large_patterns_are_undecided_rather_than_compared_for_minutes():
    assert patterns.covers("(.{1,20}){1,20}", "(.{1,20}){1,20}x") is None
    assert patterns.covers("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "[0-9]{8}(-[0-9]{4}){3}-[0-9]{12}") is True
    with pytest.raises(matching.NotSearchable):
        matching.neutral("(" + "|".join(f"a{i}b" for i in range(2000)) + ")*", "sqlite")


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("contracts: allow x because" + " -" * 300_000 + "x", ("x", None)),
        ("-- contracts: allow silent-else because finance: wants it */", ("silent-else", "finance: wants it")),
        ("{# contracts: allow because of it -#}", ("", "of it")),
        ("-- contracts: allow silent-else", ("silent-else", "")),
        ("-- contracts: allow this and that", None),
        ("contracts: allow x y " * 50_000, None),
        ("contracts:" + " " * 300_000 + "x", None),
    ],
    ids=["dashes", "reason", "no rule", "no reason", "none", "many", "blanks"],
)
def test_an_allowance_is_read_in_one_pass(comment, expected):
    found = allowances.allowance(comment, 1, 1, 1)
    if expected is None:
        assert found is None
    elif expected[1] is None:
        assert found is not None and found.rule == "x" and found.reason.endswith("- -x")
    else:
        assert found is not None and (found.rule, found.reason) == expected
