"""Exercise 3: fail the build.

Your job: write gate(rows, contract). It judges the rows, prints what is wrong, and returns an exit status:
    0   kept
    1   broken: it prints, for every violation, the column, the offending values with their counts, and the teams
        affected (the contract's consumers)
    2   could not check: the contract is wrong or not there, the rows are no rows, or nothing could be checked

Given: rows, a list of dicts; contract, the path of a YAML file. `report(rows, contract)` of the lesson's validate.py
(imported below) does the judging; read the docstring at its top, and Report and Violation.

    >>> gate(seed.listings("after"), "contracts/listings.yaml")
    item_condition: 8,000 of 8,000 rows are outside the allowed [A, B, C]: good (3,680 rows), ...
    1

Try:    .venv/bin/python exercises/ex3_gate.py (Windows: .venv/Scripts/python), then `echo $?` (PowerShell:
        $LASTEXITCODE, cmd: echo %ERRORLEVEL%)
Check:  python -m exercises. Its cases stand in exercises/checks/gating.py; how you say it is up to you.
"""

import sys

import seed
from contracts import ContractError, DataError
from validate import report


def gate(rows, contract):
    found = report(rows, contract)
    ...


if __name__ == "__main__":
    status = gate(seed.listings("after"), seed.ROOT / "contracts" / "listings.yaml")
    sys.exit(2 if status is None else status)  # None would be 0 to a shell, which means kept
