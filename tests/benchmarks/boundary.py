"""What the boundary costs, as times and ratios: `make bench`.

    python tests/benchmarks/boundary.py [--rows N] [--failing-rows N]

Pairs are run in turn, reference and ours, and the median ratio is what counts: machines drift, ratios do less so.
"""

import argparse
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

sys.path[0] = str(Path(__file__).resolve().parents[2])  # this folder would give `import boundary` this very file

import duckdb  # noqa: E402
import ibis  # noqa: E402
import pyarrow as pa  # noqa: E402

import seed  # noqa: E402
from boundary import Check, ConstraintError, DataFrame, Schema, contract, unit  # noqa: E402

PAIRS = 7


class Listings(Schema, contract="listings.yaml"):
    item_condition: Annotated[str, Check.isin("A", "B", "C")]
    category: str
    price_cents: Annotated[int, unit("EUR_cents")]
    photos: int
    weight_g: int | None


BARE = """
select count(*), count(item_condition), count(category), count(price_cents), count(photos), count(weight_g),
    count(*) filter (where item_condition not in ('A', 'B', 'C')),
    count(*) filter (
        where category not in ('tops', 'jeans', 'knitwear', 'shoes', 'dresses', 'bags', 'jackets', 'coats')
    ),
    count(*) filter (where price_cents < 100 or price_cents > 100000),
    count(*) filter (where photos < 1 or photos > 20),
    count(*) filter (where weight_g < 1 or weight_g > 30000)
from listings
"""


def microseconds(call: Callable[[], object], times: int = 20_000) -> float:
    """The median of eleven runs of many calls, each."""
    call()
    runs = []
    for _ in range(11):
        start = time.perf_counter()
        for _ in range(times // 11):
            call()
        runs.append((time.perf_counter() - start) / (times // 11))
    return statistics.median(runs) * 1e6


def seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def compare(name: str, ours: Callable[[], object], reference: Callable[[], object], target: str) -> None:
    ours(), reference()
    pairs = [(seconds(ours), seconds(reference)) for _ in range(PAIRS)]
    mine, other = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratio = statistics.median(a / b for a, b in pairs)
    print(f"{name:<58} {mine:8.3f} s {other:8.3f} s   x {ratio:5.2f}   {target}", flush=True)


def say(name: str, found: float, target: str, of: str = "µs") -> None:
    print(f"{name:<58} {found:8.2f} {of}                       {target}", flush=True)


def wide(columns: int) -> tuple[Any, Any, Any]:
    """A schema of so many columns, a table of it, and one whose columns stand in another order."""
    names = [f"c{i}" for i in range(columns)]
    schema = type("Wide", (Schema,), {"__annotations__": dict.fromkeys(names, int)})
    turned = ibis.table(dict.fromkeys(reversed(names), "int64"), name="turned")
    return schema, ibis.table(dict.fromkeys(names, "int64"), name="nowhere"), turned


def structure() -> None:
    for columns in (20, 100):
        schema, table, turned = wide(columns)
        say(f"cast, {columns} columns", microseconds(lambda: schema.cast(table)), "under 10")  # noqa: B023
        say(f"cast, {columns} columns in another order", microseconds(lambda: schema.cast(turned), 2_000), "")  # noqa: B023

        @contract
        def same(table: DataFrame[schema]) -> DataFrame[schema]:  # type: ignore[valid-type]
            return table

        say(f"@contract, in and out, {columns} columns", microseconds(lambda: same(table)), "under 25")  # noqa: B023


def copies(connection: Any, rows: int, condition: str) -> Any:
    """The shop's listings over and over, as an ibis table."""
    connection.raw_sql(
        f"create or replace table listings as select * replace ({condition} as item_condition)"
        f" from once, range({rows // 8000})"
    )
    return connection.table("listings")


def memory(rows: int) -> None:
    """How much `parse` takes over the table that it reads, in a fresh process (Linux only)."""
    if sys.platform != "linux":
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "listings.duckdb")
        connection = ibis.duckdb.connect(path)
        connection.create_table("once", pa.Table.from_pylist(seed.listings("before")))
        copies(connection, rows, "item_condition")
        connection.disconnect()
        code = (
            f"import sys; sys.path[:0] = [{sys.path[0]!r}, {str(Path(__file__).parent)!r}]\n"
            "import importlib.util as u; s = u.spec_from_file_location('bench', {file!r}); m = u.module_from_spec(s)\n"
            "s.loader.exec_module(m); import ibis\n"
            "table = ibis.duckdb.connect({path!r}, read_only=True).table('listings')\n"
            "peak = lambda: int(next(l.split()[1] for l in open('/proc/self/status') if l.startswith('VmHWM')))\n"
            "table.aggregate(**{{c: table[c].count() for c in m.Listings._columns}}).to_pyarrow(); before = peak()\n"
            "m.Listings.parse(table); print((peak() - before) / 1024)"
        ).format(file=__file__, path=str(path))
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        say(f"parse, {rows:,} rows: memory over reading the columns", float(done.stdout), "at most 60", "MiB")


def values(rows: int, failing_rows: int) -> None:
    small = ibis.memtable(pa.Table.from_pylist(seed.listings("before")))
    say("parse, 8,000 rows", microseconds(lambda: Listings.parse(small), 110) / 1000, "under 15", "ms")
    connection = ibis.duckdb.connect()
    connection.create_table("once", pa.Table.from_pylist(seed.listings("before")))
    table = copies(connection, rows, "item_condition")
    bare = lambda: connection.con.execute(BARE).fetchall()  # noqa: E731
    compare(f"parse, {rows:,} rows / bare query", lambda: Listings.parse(table), bare, "1.2")

    def fails() -> None:
        try:
            Listings.parse(recoded)
        except ConstraintError:
            return
        raise AssertionError("every row fails")

    table = copies(connection, failing_rows, "item_condition")
    connection.raw_sql(
        "create or replace view recoded as select * replace (lower(item_condition) as item_condition) from listings"
    )
    connection.create_table("failing", connection.table("recoded"))
    recoded = connection.table("failing")
    passes = lambda: Listings.parse(table)  # noqa: E731
    compare(f"parse, {failing_rows:,} rows, every one failing / passing", fails, passes, "2")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--failing-rows", type=int, default=1_000_000)
    options = parser.parse_args()
    print(f"Python {platform.python_version()}, ibis {ibis.__version__}, DuckDB {duckdb.__version__}\n")
    structure()
    values(options.rows, options.failing_rows)
    memory(options.rows)


if __name__ == "__main__":
    main()
