"""Daily metrics of 10 million orders over 3 years, beside the bare DuckDB GROUP BY, in the same warm process.

python tests/benchmarks/monitors.py [ORDERS]

"bare" is the same metrics written by hand as one GROUP BY and fetched; "sums" are its counts and sums alone, to show
what the median, the distinct multipliers and the mixes cost anybody. Ratios are medians over rounds of alternate runs.
"""

import statistics
import sys
import time
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import duckdb

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import monitors  # noqa: E402

ROUNDS, DAYS = 7, 1096
ORDERS = """
create table orders as
select
    date '2024-01-01' + (i * {days} // {orders})::int as day,
    case when slot < 26 then 'A' when slot < 72 then 'B' else 'C' end as item_condition,
    ['tops', 'jeans', 'knitwear', 'shoes', 'dresses', 'bags', 'jackets', 'coats'][1 + cell // 1000] as category,
    (5000 + cell // 1000 * 3000) * (50 + cell % 10 * 15) // 100 as price_cents,
    case when slot < 26 then price_cents when slot < 72 then price_cents * 9 // 10 else price_cents * 8 // 10 end
        as charged_cents
from (select i, i * 277 % 8000 as cell, i * 277 % 8000 // 10 % 100 as slot from range({orders}) as t (i))
"""
SUMS = "select day, count(*), sum(charged_cents), sum(price_cents) from orders group by day"
BARE = """
select
    day, count(*), sum(charged_cents), sum(price_cents), median(price_cents),
    count(distinct round(charged_cents::double / nullif(price_cents::double, 0), 3)),
    histogram(item_condition), histogram(category)
from orders group by day
"""


def seconds(job: Callable[[], object]) -> float:
    start = time.perf_counter()
    job()
    return time.perf_counter() - start


def main() -> None:
    orders = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    connection = duckdb.connect()
    connection.execute(ORDERS.format(orders=orders, days=DAYS))
    stored = monitors.daily_metrics(connection.sql("from orders"))
    assert sum(day.orders for day in stored) == orders
    today = stored[-1].day or date.min
    jobs = {
        "sums": lambda: connection.execute(SUMS).fetchall(),
        "bare": lambda: connection.execute(BARE).fetchall(),
        "daily_metrics": lambda: monitors.daily_metrics(connection.sql("from orders")),
        "judge": lambda: monitors.judge(stored),
        "one new day": lambda: monitors.daily_metrics(
            connection.sql("from orders where day = $day", params={"day": today}),
        ),
    }
    runs: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(ROUNDS):
        for name, job in jobs.items():
            runs[name].append(seconds(job))
    print(f"{orders:,} orders, {len(stored)} days from {today - timedelta(days=DAYS - 1)}, {ROUNDS} rounds")
    for name, took in runs.items():
        ratio = statistics.median(mine / bare for mine, bare in zip(took, runs["bare"], strict=True))
        print(f"{name:<14}{statistics.median(took):>8.3f} s{ratio:>8.2f} x bare")


if __name__ == "__main__":
    main()
