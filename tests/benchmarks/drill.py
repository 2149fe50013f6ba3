"""What the drill costs, as times and ratios: `make bench`.

    python tests/benchmarks/drill.py [--rows N]

The shop's drill beside what it cannot be cheaper than: each mutation made, and the gate alone run on it. Target: at
least 30 mutations of the shop in under 20 s on two cores. Then a table of N rows (default 200,000) with its contract.
"""

import argparse
import platform
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[2])  # this folder would give `import drill` this very file

import pyarrow as pa  # noqa: E402

import contracts  # noqa: E402
import drill  # noqa: E402
import seed  # noqa: E402
import validate  # noqa: E402
from clause.mutations import MUTATIONS, DoesNotApply  # noqa: E402
from clause.roles import Table  # noqa: E402

RUNS = 3


def median(call: Callable[[], object]) -> float:
    """The median time of a few runs, in seconds, after one that warms up."""
    call()
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def gate_alone(table: Table) -> None:
    """Each mutation, and the gate on it."""
    for mutation in MUTATIONS:
        try:
            rows = mutation.apply(table, mutation.columns(table)[0])
        except DoesNotApply:
            continue
        validate.report(rows, table.contract, as_of=seed.SYNCED["before"])


def say(name: str, ours: float, alone: float, applied: int) -> None:
    print(f"{name:<44} {ours:7.2f} s {alone:7.2f} s   x {ours / alone:5.1f}   {applied} mutations", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    rows = parser.parse_args().rows
    print(f"Python {platform.python_version()}, {platform.system()} {platform.machine()}")
    print(f"{'':<44} {'drill':>9} {'gate':>9}")
    contract = contracts.load(seed.ROOT / "contracts" / "listings.yaml")
    listings = pa.Table.from_pylist(seed.listings("before"))
    applied = sum(row.applies for row in drill.drill(contract).matrix)
    say(
        "the shop",
        median(lambda: drill.drill(contract)),
        median(lambda: gate_alone(Table(listings, contract))),
        applied,
    )
    loose = contract.model_copy(update={"volume": None})
    times = -(-rows // listings.num_rows)
    many = pa.concat_tables([listings] * times).slice(0, rows).combine_chunks()
    many = many.set_column(0, "listing_id", pa.array(range(rows)))
    applied = sum(row.applies for row in drill.drill(loose, many).matrix)
    ours, alone = median(lambda: drill.drill(loose, many)), median(lambda: gate_alone(Table(many, loose)))
    say(f"{rows:,} listings, no orders", ours, alone, applied)


if __name__ == "__main__":
    main()
