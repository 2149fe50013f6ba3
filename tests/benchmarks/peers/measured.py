"""What every script here has in common: it judges a table once or several times, and prints what it found as JSON.

    python by_SOMEBODY.py STEM [--times N] [--kind KIND]

STEM.parquet is the table, STEM.json the contract as plain values (STEM.yaml, STEM.odcs.yaml as files for those who
read them). The answer is the last line: the clauses found broken with the rows that break each (0 where the clause is
about the whole table, or where the tool does not count), the clauses that the tool cannot express, and the seconds of
wall clock and of CPU of each check, imports and set-up left out.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Broken = dict[str, int]  # such as {"item_condition enum": 8000, "volume": 0}
Check = Callable[[], Broken]
RULES = ("required", "unique", "enum", "range", "pattern", "null_rate")


class Table:
    """A table and its contract."""

    def __init__(self, stem: str, kind: str) -> None:
        self.stem, self.kind = Path(stem).resolve(), kind
        self.parquet = self.beside("parquet")
        self.contract: dict[str, Any] = json.loads(self.beside("json").read_text(encoding="utf-8"))
        self.fields: list[dict[str, Any]] = self.contract["fields"]
        self.volume: tuple[int, int] = tuple(self.contract["volume"])
        self.freshness: tuple[str, int] = tuple(self.contract["freshness"])  # a field, and seconds
        self.cannot: list[str] = []

    def beside(self, ending: str) -> Path:
        return self.stem.with_name(f"{self.stem.name}.{ending}")


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("stem")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--kind", default="")
    return parser.parse_args()


def run(prepare: Callable[[Table], Check]) -> None:
    chosen = options()
    table = Table(chosen.stem, chosen.kind)
    check = prepare(table)
    walls, cpus, broken = [], [], {}
    for _ in range(chosen.times):
        wall, cpu = time.perf_counter(), time.process_time()
        broken = check()
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    say(broken=broken, cannot=table.cannot, wall=walls, cpu=cpus)


def say(**answer: Any) -> None:
    """The answer, on the last line."""
    print("\n" + json.dumps(answer), flush=True)
