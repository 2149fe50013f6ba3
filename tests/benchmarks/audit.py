"""What an audit costs: 1,000 files of 200 lines, as a share of a minute, per file, and in memory.

python tests/benchmarks/audit.py [FILES]

The files are made here: a template of dbt for every other file, CASEs, joins, CTEs. The memory is that of the process
that gathers the facts, which are all that is kept of a file.
"""

import sys
import tempfile
import time
import tracemalloc
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from contracts.audit import audit

LINES = 200
CONTRACT = """version: 1.0.0
owner: shop
consumers: [pricing]
fields:
  - {name: item_id, type: integer, unique: true}
  - {name: grade, type: string, enum: [A, B, C]}
  - {name: price_cents, type: integer, unit: EUR_cents}
"""


def model(number: int) -> str:
    """A model of 200 lines; every other one is a template."""
    source = "{{ source('shop', 'items') }}" if number % 2 else "shop.items"
    lines = ["with items as (", f"    select item_id, grade, price_cents, kind from {source}", ")", ""]
    part = 0
    while len(lines) < LINES - 4:
        part += 1
        lines += [
            f", step_{part} as (" if part > 1 else ", step_1 as (",
            "    select",
            "        item_id,",
            f"        case grade when 'A' then {part} when 'B' then 2 when 'C' then 3 end as factor_{part},",
            f"        sum(price_cents) over (partition by kind order by item_id) / 100 as total_{part},",
            "        -- what is left over",
            "        coalesce(price_cents, 0) + item_id * 2 as sum_of_both",
            "    from items",
            f"    where grade in ('A', 'B') and kind = 'kind {part}' and price_cents between {part} and 10000",
            ")",
        ]
    lines += [
        "",
        f"select a.item_id, a.factor_1, b.total_{part}",
        f"from step_1 as a join step_{part} as b using (item_id)",
    ]
    return "\n".join(lines) + "\n"


def measure(count: int, memory: bool = False) -> tuple[float, float, int]:
    """(seconds, megabytes at the peak, findings) of an audit of that many files; to look at the memory takes time."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "items.yaml").write_text(CONTRACT, encoding="utf-8")
        (root / "pricing").mkdir()
        for number in range(count):
            (root / "pricing" / f"model_{number:04}.sql").write_text(model(number), encoding="utf-8")
        if memory:
            tracemalloc.start()
        start = time.perf_counter()
        found = audit([str(root / "pricing")], contracts=str(root / "items.yaml"))
        seconds = time.perf_counter() - start
        peak = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
    if found.not_audited or found.files != count:
        raise SystemExit(f"not audited: {found.not_audited[:3]}")
    return seconds, peak, len(found.findings)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    some, most = max(1, count // 20), max(1, count // 4)
    few_seconds, _, _ = measure(some)
    seconds, _, findings = measure(count)
    print(f"{count:,} files of {LINES} lines: {seconds / 60:.2f} of a minute, {findings} findings")
    print(f"{1000 * seconds / count:.1f} ms a file; {1000 * few_seconds / some:.1f} ms where there are {some}")
    few, many = measure(some, memory=True)[1], measure(most, memory=True)[1]
    print(f"memory at the peak: {1000 * few / some:.0f} kB a file for {some}, {1000 * many / most:.0f} kB for {most}")


if __name__ == "__main__":
    main()
