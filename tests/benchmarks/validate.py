"""What validate() costs, as ratios against a reference in the same run: `make bench`.

    python tests/benchmarks/validate.py [--rows N] [--memory-rows N N ...]

Each pair is run in turn, reference and ours, and the median of the ratios is what counts: machines drift, ratios do
less so. Peak memory is that of a fresh process.
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

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

sys.path[0] = str(Path(__file__).resolve().parents[2])  # this folder would give `import validate` this very file

import contracts  # noqa: E402
import seed  # noqa: E402
from validate import validate  # noqa: E402

PAIRS = 7
LISTINGS = contracts.load(seed.ROOT / "contracts" / "listings.yaml")

# The same checks as contracts/listings.yaml, as a person would write them, on a file.
BARE = """
select
    count(*),
    {unique}
    count(listing_id), count(item_condition), count(price_cents), count(category), count(brand), count(size),
    count(seller_id), count(seller_city), count(photos), count(weight_g), count(listed_at), count(synced_at),
    count(*) filter (where item_condition not in ('A', 'B', 'C')),
    count(*) filter (where price_cents < 100 or price_cents > 100000),
    count(*) filter (
        where category not in ('tops', 'jeans', 'knitwear', 'shoes', 'dresses', 'bags', 'jackets', 'coats')
    ),
    count(*) filter (where size not in ('XS', 'S', 'M', 'L', 'XL')),
    count(*) filter (where seller_id < 1),
    count(*) filter (where photos < 1 or photos > 20),
    count(*) filter (where weight_g < 1 or weight_g > 30000),
    max(synced_at)
from read_parquet('{path}')
"""


def without_unique(contract: contracts.Contract) -> contracts.Contract:
    fields = tuple(clause.model_copy(update={"unique": False}) for clause in contract.fields)
    return contract.model_copy(update={"fields": fields, "volume": None})


def write(path: Path, rows: int, condition: str = "item_condition") -> None:
    """The shop's listings over and over, each with an id of its own."""
    with seed.build() as shop:
        shop.execute("set preserve_insertion_order = false")
        shop.execute(
            f"copy (select * replace (listing_id + 8000 * copies.n as listing_id, {condition} as item_condition)"
            f" from shop.listings_before, range({rows // 8000}) as copies(n)) to '{path}' (format parquet)"
        )


def seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def compare(name: str, ours: Callable[[], object], reference: Callable[[], object], target: str) -> None:
    """Run both in turn and print the medians and the median ratio."""
    ours(), reference()
    pairs = [(seconds(ours), seconds(reference)) for _ in range(PAIRS)]
    mine, other = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratio = statistics.median(a / b for a, b in pairs)
    print(f"{name:<52} {mine:8.3f} s {other:8.3f} s   x {ratio:5.2f}   {target}", flush=True)


def peak_memory(code: str) -> int:
    """Peak memory of a fresh Python process that runs the code, in MiB (Linux only; 0 elsewhere)."""
    if sys.platform != "linux":
        return 0
    # Not getrusage: on Linux a new process inherits the peak of the one that started it.
    tail = "\nprint(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    done = subprocess.run([sys.executable, "-c", code + tail], capture_output=True, text=True, check=True)
    return int(done.stdout) // 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--memory-rows", type=int, nargs="*", default=[1_000_000, 10_000_000])
    options = parser.parse_args()
    print(f"Python {platform.python_version()}, DuckDB {duckdb.__version__}, {platform.machine()}\n")
    with tempfile.TemporaryDirectory() as folder:
        large, recoded = Path(folder, "listings.parquet"), Path(folder, "recoded.parquet")
        write(large, options.rows)
        write(recoded, options.rows, "lower(item_condition)")
        plain, whole = without_unique(LISTINGS), LISTINGS.model_copy(update={"volume": None})
        warm = duckdb.connect()

        def bare(path: Path, unique: str = "") -> Callable[[], object]:
            return lambda: warm.execute(BARE.format(path=path, unique=unique)).to_arrow_table()

        print(f"{'':<52} {'ours':>10} {'reference':>10}   ratio     target")
        rows = f"{options.rows:,} rows"
        compare(f"{rows}, all clauses but unique / bare query", lambda: validate(large, plain), bare(large), "1.05")
        unique = bare(large, "count(distinct listing_id),")
        compare(f"{rows}, all clauses / bare query", lambda: validate(large, whole), unique, "1.10")
        passing = lambda: validate(large, plain)  # noqa: E731
        compare(f"{rows}, every row failing / none", lambda: validate(recoded, plain), passing, "one query more")
        table = pa.Table.from_pylist(seed.listings("after"))
        compare("8,000 rows in Arrow, warm / one empty query", lambda: validate(table, LISTINGS),
                lambda: warm.execute("select 1").fetchall(), "under 0.015 s")  # fmt: skip
        after = Path(folder, "listings_after.parquet")
        pq.write_table(table, after)
        gate = [sys.executable, str(seed.ROOT / "validate.py"), str(LISTINGS.source), str(after)]
        imports = [sys.executable, "-c", "import ibis, duckdb"]
        compare("the incident, cold process / importing ibis, duckdb",
                lambda: subprocess.run(gate, capture_output=True),
                lambda: subprocess.run(imports), "at most 0.25 s more")  # fmt: skip
        print("\npeak memory of a fresh process, all clauses but unique")
        for count in options.memory_rows:
            path = Path(folder, f"{count}.parquet")
            write(path, count)
            code = (
                "import contracts, sys; from validate import validate; from pathlib import Path\n"
                f"c = contracts.load({str(LISTINGS.source)!r})\n"
                "fields = tuple(f.model_copy(update={'unique': False}) for f in c.fields)\n"
                f"validate(Path({str(path)!r}), c.model_copy(update={{'fields': fields}}))"
            )
            print(f"{count:>12,} rows   {peak_memory(code):,} MiB", flush=True)
            path.unlink()


if __name__ == "__main__":
    main()
