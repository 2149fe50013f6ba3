"""A command loads what it needs: which heavy libraries each command leaves alone, whatever its start takes in time."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
HEAVY = {"duckdb", "ibis", "jinja2", "matplotlib", "numpy", "pandas", "polars", "pyarrow", "sqlglot", "sqlite3"}
LISTINGS, OLD = "contracts/listings.yaml", "contracts/history/listings-1.3.0.yaml"

COMMANDS = {  # what each may load
    "contracts --help": (["-m", "contracts", "--help"], set()),
    "contracts lint": (["-m", "contracts", "lint", LISTINGS], set()),
    "contracts diff, no field goes": (["-m", "contracts", "diff", OLD, LISTINGS], set()),
    "contracts export to odcs": (["-m", "contracts", "export", LISTINGS, "--to", "odcs"], set()),
    "contracts export to a page": (["-m", "contracts", "export", LISTINGS, "--to", "html"], {"jinja2"}),
    "contracts readers": (["-m", "contracts", "readers", LISTINGS, "item_condition"], {"sqlglot"}),
    "contracts audit": (["-m", "contracts", "audit", "contracts/consumers"], {"sqlglot", "jinja2"}),
    "validate.py --help": (["validate.py", "--help"], set()),
    "validate.py on a CSV file": (["validate.py", LISTINGS, "{rows}"], {"duckdb", "ibis", "sqlglot"}),
    "exercises --help": (["-m", "exercises", "--help"], set()),
}


def loaded(*command: str) -> set[str]:
    """The modules that a command imports, its child processes' too, as Python itself reports them."""
    done = subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env={**os.environ, "PYTHONPROFILEIMPORTTIME": "1"},
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode in (0, 1), done.stderr[-500:]
    return set(re.findall(r"^import time:.*\| +([\w.]+)$", done.stderr, re.MULTILINE))


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_leaves_alone_what_it_does_not_need(name, tmp_path):
    command, needs = COMMANDS[name]
    rows = tmp_path / "rows.csv"
    rows.write_text("item_condition\nA\n", encoding="utf-8")
    modules = loaded(*(word.replace("{rows}", str(rows)) for word in command))
    assert {module.partition(".")[0] for module in modules} & HEAVY == needs  # so it needs all that it may load
