"""The daily metrics of any table: every kind, zones, exact money, and what plain Python counts."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import duckdb
import ibis
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_up_days import BARE, FIRST, METRICS

import monitors
from clause import daybook
from contracts.errors import DataError
from monitors import Rules, Spec, judge


def kinds(rows, folder):
    """The same orders as every kind of table."""
    table = pa.Table.from_pylist(rows)
    pa.parquet.write_table(table, folder / "orders.parquet")
    pa.csv.write_csv(table, folder / "orders.csv")
    for name, part in (("part-1.csv", table.slice(0, 3_000)), ("part-2.csv", table.slice(3_000))):
        pa.csv.write_csv(part, folder / name)
    lines = "".join(json.dumps(row, default=str) + "\n" for row in rows)
    (folder / "orders.jsonl").write_text(lines, encoding="utf-8")
    midnight = table["day"].cast(pa.timestamp("us"))
    with_times = table.set_column(table.column_names.index("day"), "day", midnight)
    yield "generator", (row for row in rows)
    yield "arrow", table
    yield "pandas", table.to_pandas()
    yield "polars", pl.from_arrow(table)
    yield "ibis on polars", ibis.polars.connect({"orders": pl.from_arrow(table)}).table("orders")
    yield "ibis on duckdb", ibis.duckdb.connect().create_table("orders", table)
    yield "relation", duckdb.connect().from_arrow(table)
    yield "timestamps", with_times
    for name in ("orders.parquet", "orders.csv", "part-*.csv", "orders.jsonl"):
        yield name, folder / name


def test_every_kind_of_table_has_the_same_metrics(rows, days, tmp_path):
    for name, table in kinds(rows, tmp_path):
        assert monitors.daily_metrics(table) == days, name


def test_the_day_of_a_time_with_a_zone_is_that_in_utc():
    connection = duckdb.connect()
    connection.execute("set timezone = 'Asia/Kathmandu'")
    late = connection.sql("select timestamptz '2026-08-01 23:30:00+00' as day, 1 as charged_cents")
    assert [day.day for day in monitors.daily_metrics(late, BARE)] == [FIRST]


def test_a_time_without_a_zone_is_in_utc_whatever_the_session():
    connection = duckdb.connect()
    connection.execute("set timezone = 'Asia/Kathmandu'")
    naive = connection.sql("select timestamp '2026-08-01 23:30:00' as day, 1 as charged_cents")
    (day,) = monitors.daily_metrics(naive, replace(BARE, loaded_at="day"))
    assert (day.day, day.loaded_at) == (FIRST, datetime(2026, 8, 1, 23, 30, tzinfo=UTC))


@pytest.mark.filterwarnings(  # what ibis does with SQLite
    "ignore:The 'future.infer_string' option", "ignore:The default date.* adapter", "ignore:unclosed database"
)
def test_any_back_end_has_the_same_metrics(rows, days):
    spec = Spec(amount="charged", list_amount="list", branch="code", known=("x",), goods=None, split_by="vendor")
    odd = pl.DataFrame(
        {
            "day": [FIRST] * 4,
            "charged": [0.1, 0.2, None, float("nan")],
            "list": [0.2, None, 0.4, 1.0],
            "code": ["x", None, "(missing)", "y"],
            "vendor": ["one", None, "one", "one"],
        }
    )
    needed = pl.DataFrame(rows).select("day", "charged_cents", "price_cents", "item_condition", "category")
    for name, backend in (("polars", ibis.polars.connect()), ("sqlite", ibis.sqlite.connect())):
        orders, others = (backend.create_table(n, frame.to_arrow()) for n, frame in (("a", needed), ("b", odd)))
        medians = {day.day: day.median_price for day in days if name != "sqlite"}  # it has no median
        expected = [replace(day, median_price=medians.get(day.day)) for day in days]
        assert monitors.daily_metrics(orders) == expected, name
        assert monitors.daily_metrics(others, spec) == monitors.daily_metrics(odd, spec), name
        backend.disconnect()


def test_large_amounts_are_exact():
    rows = [{"day": FIRST, "charged_cents": 10**17 + i} for i in range(100)]
    assert monitors.daily_metrics(rows, BARE)[0].gmv == 10**19 + 4_950
    assert monitors.daily_metrics(pa.Table.from_pylist(rows), BARE)[0].gmv == 10**19 + 4_950
    huge = duckdb.sql("select date '2026-08-01' as day, 10::hugeint ** 17 + 1 as charged_cents")
    assert monitors.daily_metrics(huge.select("day, charged_cents::hugeint as charged_cents"), BARE)[0].left_out == 0


def test_money_that_is_not_whole_is_exact():
    rows = [{"day": FIRST, "charged_cents": 0.1, "price_cents": 0.2} for _ in range(1_000)]
    (day,) = monitors.daily_metrics(rows, Spec(branch=None, goods=None))
    assert (day.gmv, day.list_value, day.markdown) == (100, 200, 50)


def test_a_table_of_ones_own_with_odd_names_and_a_split():
    rows = [
        {'the "day"': FIRST, "select": 5, "who's": vendor, "branch;": code}
        for vendor, code in [(1, "x"), (1, "y"), (2, None)]
    ]
    spec = Spec('the "day"', "select", None, "branch;", (), None, split_by="who's")
    one, two = monitors.daily_metrics(rows, spec)
    assert (one.part, one.orders, one.gmv, one.mix) == ("1", 2, 10, {"x": 1, "y": 1})
    assert (two.part, two.orders, two.mix) == ("2", 1, {"(missing)": 1})


def test_a_branch_without_a_value_falls_into_else():
    rows = [{"day": FIRST, "charged_cents": 1, "price_cents": 1, "item_condition": c} for c in ("A", None, "good")]
    (day,) = monitors.daily_metrics(rows, Spec(goods=None))
    assert day.mix == {"A": 1, "B": 0, "C": 0, "ELSE": 2}
    assert day.values == {"A", "good", "(missing)"}


def test_a_column_that_is_not_there_is_named(rows):
    with pytest.raises(DataError, match=r"no column 'grade' for branch; name it with --branch COLUMN or none; .*'day'"):
        monitors.daily_metrics(rows[:3], Spec(branch="grade"))


ORDERS = st.lists(
    st.fixed_dictionaries(
        {
            "day": st.none() | st.dates(FIRST, FIRST + timedelta(20)),
            "charged_cents": st.none() | st.integers(-10, 10_000),
            "price_cents": st.none() | st.integers(0, 10_000),
            "item_condition": st.sampled_from(["A", "B", "C", "good", "", None, "(missing)", "ELSE"]),
            "category": st.sampled_from(["coats", "it's", None]),
        }
    ),
    min_size=1,
    max_size=60,
)


def by_hand(rows, spec):
    """daily_metrics in plain Python, for those metrics that plain Python has in a line."""
    found = {}
    for row in rows:
        found.setdefault(row["day"], []).append(row)
    return {
        day: (
            len(mine),
            sum(r["charged_cents"] for r in mine if None not in (r["charged_cents"], r["price_cents"])),
            sum(r["price_cents"] for r in mine if None not in (r["charged_cents"], r["price_cents"])),
            sum(r["item_condition"] not in spec.known for r in mine),
        )
        for day, mine in found.items()
    }


@settings(max_examples=25, deadline=None)
@given(rows=ORDERS, data=st.data())
def test_metrics_are_what_plain_python_counts_in_any_order(rows, data):
    table = pa.Table.from_pylist(
        data.draw(st.permutations(rows)),
        pa.schema(
            {
                "day": pa.date32(),
                "charged_cents": pa.int64(),
                "price_cents": pa.int64(),
                "item_condition": pa.string(),
                "category": pa.string(),
            }
        ),
    )
    found = monitors.daily_metrics(table)
    counted = {day.day: (day.orders, day.gmv, day.list_value, day.mix["ELSE"]) for day in found}
    assert counted == by_hand(rows, Spec())
    assert all(sum(day.mix.values()) == day.orders == sum(day.goods.values()) for day in found)


@settings(max_examples=60, deadline=None)
@given(metrics=METRICS, data=st.data())
def test_verdicts_do_not_depend_on_the_order_of_the_metrics(metrics, data):
    rules = Rules(window=3, reference=4, min_rows=1)
    verdicts = judge(metrics, rules)
    assert judge(data.draw(st.permutations(metrics)), rules) == verdicts
    said = [(one.day, one.part, one.monitor) for one in verdicts]
    assert len(said) == len(set(said))  # each monitor says one thing of each day


@settings(max_examples=60, deadline=None)
@given(metrics=METRICS)
def test_no_verdict_depends_on_a_later_day(metrics):
    rules = Rules(window=3, reference=4)
    kept = [day for day in metrics if day.part == "one"]
    for n in range(len(kept)):
        some = daybook.in_order(kept)[: n + 1]
        shown = {(one.monitor, one.day): one for one in judge(some, rules)}
        whole = {(one.monitor, one.day): one for one in judge(kept, rules)}
        assert {key: whole.get(key) for key in shown} == shown
