"""This repository: `validate.report` on the file."""

import sys
from datetime import UTC, datetime
from pathlib import Path

import measured

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import contracts
from clause import tables  # noqa: F401  # which `report` imports when it meets a file: that is start-up here
from validate import report

WHOLE = ("volume", "freshness")


def prepare(table: measured.Table) -> measured.Check:
    contract = contracts.load(table.beside("yaml"))

    def check() -> measured.Broken:
        found = report(table.parquet, contract, as_of=datetime.now(UTC))
        assert not found.not_checked, found.not_checked
        return {
            each.rule if each.rule in WHOLE else f"{each.field} {each.rule}": 0 if each.rule in WHOLE else each.failing
            for each in found.violations
        }

    return check


if __name__ == "__main__":
    measured.run(prepare)
