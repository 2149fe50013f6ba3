"""Shape has no weather: the published figures through the monitors, each rule firing and not firing, and any table."""

import csv
import io
import json
import os
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import duckdb
import ibis
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import monitors
import seed
from clause import daybook
from clause.sources import Source
from contracts import from_mapping
from contracts.errors import DataError
from monitors import Day, Rules, Spec, judge

ROOT = Path(monitors.__file__).resolve().parent
TAXI = ROOT.parent / "shared" / "real" / "nyc_taxi" / "monthly_shape_from_full_10k_samples.csv"
PUBLISHED = yaml.safe_load((ROOT / "figures.yaml").read_text(encoding="utf-8"))
FIRST, RELEASE = date(2026, 8, 1), date(2026, 8, 19)
BARE = Spec(list_amount=None, branch=None, goods=None)


@pytest.fixture(scope="module")
def rows():
    return seed.orders()


@pytest.fixture(scope="module")
def days(rows):
    return monitors.daily_metrics(rows)


def august(verdicts, monitor, status="alert"):
    """The days of August 2026 on which a monitor says so."""
    return [one.day.day for one in verdicts if one.monitor == monitor and one.status == status]


def quiet(n=14, **changes):
    """n quiet days of a made-up shop whose markdown and goods vary a little, then what the caller changes."""
    kept = []
    for i in range(n):
        goods = {"coats": 40 + i % 3, "hats": 60 - i % 3}
        mix, values = {"A": 30, "B": 50, "C": 20, "ELSE": 0}, frozenset("ABC")
        day = Day(FIRST + timedelta(i), 100, 9_000 - i % 5, 10_000, 3, mix, values, goods)
        kept.append(replace(day, **changes))
    return kept


def after(history, **changes):
    """The day after those days: like the last one, but for what the caller changes."""
    return replace(history[-1], day=history[-1].day + timedelta(1), **changes)


def statuses(history, *more, rules=None):
    """monitor -> what it says of the last day."""
    verdicts = judge([*history, *more], rules or Rules())
    return {one.monitor: one.status for one in verdicts if one.day == verdicts[-1].day}


# --- the published figures ------------------------------------------------------------------------------------------


def test_revenue_was_ambiguous(days):
    published, found = PUBLISHED["revenue"], monitors.compare(days[:18], days[18:])
    assert [round(edge / 100) for edge in found["band"]] == published["pre_release_band_eur"]
    assert f"{found['median_fall_pct']:.1f}" == published["median_fall_pct"]
    assert f"{found['z']:.2f}" == published["z"]
    assert found["days_inside_band"] == published["post_release_days_inside_band"]


def test_shape_was_unmissable(days):
    published = PUBLISHED["shape"]
    before, after = (sorted(f"{float(day.markdown):.2f}".rjust(5) for day in part) for part in (days[:18], days[18:]))
    assert [before[0].strip(), before[-1]] == published["pre_release_min_max_pct"]
    assert set(after) == {published["post_release_pct"]}
    assert all(day.markdown == 20 for day in days[18:])  # exactly, not nearly
    for name, part in (("pre_release", days[:18]), ("post_release", days[18:])):
        assert {day.multipliers for day in part} == {published["distinct_multipliers"][name]}


def test_the_days_are_those_of_the_shop(days):
    assert [day.orders for day in days] == list(seed.ORDERS_PER_DAY)
    assert (days[0].median_price, days[18].median_price) == (10_000, 10_200)
    assert {day.mix["ELSE"] for day in days[:18]} == {0}
    assert all(day.mix["ELSE"] == day.orders for day in days[18:])


@pytest.mark.parametrize("monitor", ["multipliers", "branches", "blended", "mix"])
def test_shape_fires_on_all_nine_days_and_on_none_of_the_eighteen(days, monitor):
    assert august(judge(days), monitor) == list(range(19, 28))
    assert august(judge(days), monitor, "not judged") == list(range(1, 15))


def test_a_rate_that_holds_is_seen_on_its_third_day(days):
    assert august(judge(days), "holds") == list(range(21, 28))


def test_gmv_is_quiet_on_three_of_the_nine_days(days):
    verdicts = judge(days)
    assert august(verdicts, "gmv") == [20, 21, 24, 25, 26, 27]
    assert august(verdicts, "gmv", "quiet") == [19, 22, 23]
    assert august(verdicts, "gmv", "not judged") == list(range(1, 19))


def test_the_plain_trailing_median_heals_itself_and_the_shipped_one_does_not(days):
    assert august(judge(days, plain=True), "blended") == list(range(19, 27))  # silent on the 27th
    assert august(judge(days, plain=True), "blended", "quiet")[-1] == 27
    assert august(judge(days), "blended")[-1] == 27
    plain = [one for one in judge(days, plain=True) if one.monitor == "blended"][-1]
    shipped = [one for one in judge(days) if one.monitor == "blended"][-1]
    assert (plain.baseline, round(shipped.baseline, 2)) == (20.0, 10.17)  # both medians of the last day


def test_the_quiet_days_cry_no_wolf(days):
    found = {row["monitor"]: row for row in monitors.backtest(days[:18])}
    assert {row["alerts"] for row in found.values()} == {0}
    assert found["blended"]["judged"] == 4
    assert 0.1 < found["blended"]["most_off"] < 0.2  # so one point is a wide threshold here
    assert found["gmv"]["judged"] == 0  # and nothing is claimed where nothing was judged


def swapped(rows, one, other):
    """The orders as they had been, had the release swapped two grades: every value stays legal."""
    grades = {row["listing_id"]: row["item_condition"] for row in seed.listings("before")}
    swap, percent = {one: other, other: one}, {"A": 100, "B": 90, "C": 80}
    for row in rows:
        grade = swap.get(grades[row["listing_id"]], grades[row["listing_id"]])
        charged = row["price_cents"] * percent[grade] // 100
        yield row | {"item_condition": grade, "charged_cents": charged} if row["day"] >= RELEASE else row


def test_two_grades_swapped_are_seen_where_their_shares_differ(rows):
    verdicts = judge(monitors.daily_metrics(swapped(rows, "B", "C")))
    assert august(verdicts, "mix") == august(verdicts, "blended") == list(range(19, 28))


def test_a_and_c_swapped_are_seen_only_with_the_threshold_that_the_backtest_allows(rows):
    days = monitors.daily_metrics(swapped(rows, "A", "C"))
    assert {one.status for one in judge(days)} == {"quiet", "not judged"}  # nobody
    tighter = Rules(points=0.2)  # the quiet days are at most 0.14 off
    assert august(judge(days, tighter), "blended") == list(range(19, 28))


def test_an_alarm_begins_once_for_shape_and_twice_for_revenue(days):
    begins = monitors.onsets(judge(days))
    assert [(one.monitor, one.day.day) for one in begins if one.monitor in ("blended", "gmv")] == [
        ("blended", 19),
        ("gmv", 20),
        ("gmv", 24),
    ]


# --- each rule, firing and not --------------------------------------------------------------------------------------


# (the monitor, what changes on the fifteenth day, what it says)
CASES = [
    ("multipliers", {"multipliers": 2}, "alert"),
    ("multipliers", {"multipliers": 3}, "quiet"),
    ("multipliers", {"multipliers": 4}, "quiet"),  # a drop is the signal, a new discount is not
    ("multipliers", {"multipliers": None}, "not judged"),
    ("branches", {"values": frozenset("abc")}, "alert"),  # a re-coding keeps the count at three
    ("branches", {"values": frozenset("ABCD")}, "alert"),  # a new value
    ("branches", {"values": frozenset("AB")}, "alert"),  # a known one vanishes
    ("branches", {"values": frozenset("ABC")}, "quiet"),
    ("blended", {"gmv": 8_850}, "alert"),  # 11.50% against a median of 10.02%
    ("blended", {"gmv": 8_899}, "quiet"),  # 11.01%
    ("blended", {"gmv": 9_100}, "alert"),  # 9.00%: 1.02 points below
    ("blended", {"list_value": 0}, "not judged"),
    ("mix", {"mix": {"A": 0, "B": 0, "C": 0, "ELSE": 100}}, "alert"),
    ("mix", {"mix": {"A": 30, "B": 20, "C": 50, "ELSE": 0}}, "alert"),  # B and C swapped: every value is legal
    ("mix", {"mix": {"A": 28, "B": 52, "C": 20, "ELSE": 0}}, "quiet"),
    ("mix", {"orders": 10, "mix": {"A": 5, "B": 5, "C": 0, "ELSE": 0}}, "quiet"),  # ten orders prove nothing
]


@pytest.mark.parametrize(("monitor", "change", "status"), CASES)
def test_a_rule_fires_or_does_not(monitor, change, status):
    history = quiet()
    assert statuses(history, after(history, **change))[monitor] == status


def test_one_point_is_not_more_than_one_point():
    history = quiet(gmv=9_000)
    assert statuses(history, after(history, gmv=8_900))["blended"] == "quiet"
    assert statuses(history, after(history, gmv=8_899))["blended"] == "alert"


def test_a_value_that_the_case_knows_is_no_news_though_it_comes_late():
    history = quiet(values=frozenset("AB"))
    assert statuses(history, after(history, values=frozenset("ABC")))["branches"] == "quiet"


def test_a_value_that_was_rare_may_stay_away():
    history = quiet()
    history[3] = replace(history[3], values=frozenset("AB"))
    assert statuses(history, after(history, values=frozenset("AB")))["branches"] == "quiet"


def held(rates, goods=(40, 41, 42)):
    """Quiet days, then days at those rates with that many coats in a hundred goods."""
    history = quiet()
    for rate, coats in zip(rates, goods, strict=True):
        history.append(after(history, gmv=10_000 - rate, goods={"coats": coats, "hats": 100 - coats}))
    return history


def test_a_rate_that_holds_while_the_goods_vary():
    assert statuses(held([1050] * 3))["holds"] == "alert"  # within the point, so only this rule sees it
    assert statuses(held([1050] * 3))["blended"] == "quiet"
    assert statuses(held([1050] * 2, (40, 41)))["holds"] == "quiet"  # not for long enough
    assert statuses(held([1050, 1050, 1051]))["holds"] == "quiet"
    assert statuses(held([1050] * 3, (40, 40, 40)))["holds"] == "quiet"  # the same goods give the same rate
    history = quiet(gmv=9_000)
    assert statuses([*history, after(history)])["holds"] == "quiet"  # a shop with one rate has always held


def test_gmv_leaves_its_band():
    history = quiet(18)
    assert statuses(history, after(history, gmv=8_995))["gmv"] == "alert"
    assert statuses(history, after(history, gmv=8_996))["gmv"] == "quiet"  # the band is inclusive
    assert statuses(history, after(history, gmv=9_001))["gmv"] == "alert"


def test_weather_does_not_spoil_the_baseline_of_shape_but_that_of_the_band():
    history = quiet(18)
    storm = after(history, gmv=4_500, list_value=5_000)
    again = after([storm], gmv=4_500)
    assert statuses(history, storm, again)["gmv"] == "alert"  # it did not become normal
    with_storm = [one for one in judge([*history, storm, again]) if one.monitor == "blended"][-1]
    without = [one for one in judge([*history, again]) if one.monitor == "blended"][-1]
    assert with_storm.baseline != without.baseline


CONTRACT = {"version": "1.0.0", "owner": "shop", "consumers": ["finance"], "fields": [{"name": "day", "type": "date"}]}


def test_volume_and_freshness_of_the_contract():
    loaded = datetime(2026, 8, 2, 0, 30, tzinfo=UTC)
    contract = from_mapping(CONTRACT | {"volume": {"min_rows": 90, "max_rows": 110}, "freshness": {"max_lag": "1h"}})
    rules = Rules().promised(contract)
    day = quiet(1, loaded_at=loaded)[0]
    assert statuses([day], rules=rules)["volume"] == "quiet"
    assert statuses([day], rules=rules)["freshness"] == "quiet"
    assert statuses([replace(day, orders=90)], rules=rules)["volume"] == "quiet"
    assert statuses([replace(day, orders=110)], rules=rules)["volume"] == "quiet"
    assert statuses([replace(day, orders=89)], rules=rules)["volume"] == "alert"
    assert statuses([replace(day, orders=111)], rules=rules)["volume"] == "alert"
    late, early = loaded + timedelta(hours=1), loaded - timedelta(hours=2)
    assert statuses([replace(day, loaded_at=late)], rules=rules)["freshness"] == "alert"  # 01:30
    assert statuses([replace(day, loaded_at=early)], rules=rules)["freshness"] == "alert"  # 22:30, then nothing
    naive = loaded.replace(tzinfo=None)
    assert statuses([replace(day, loaded_at=naive)], rules=rules)["freshness"] == "quiet"  # taken for UTC
    assert statuses([replace(day, loaded_at=None)], rules=rules)["freshness"] == "not judged"
    assert Rules().promised(from_mapping(CONTRACT)) == Rules()


def test_messages_are_one_short_line_that_names_the_day_and_what_was_found(days):
    alerts = [one for one in judge(days) if one.status == "alert"]
    assert all(one.message.startswith(f"{one.day}: ") and "\n" not in one.message for one in alerts)
    assert max(len(one.message) for one in alerts) < 220
    many = after(quiet(), values=frozenset(f"new {n}" for n in range(10_000)))
    assert all(len(one.message) < 300 for one in judge([*quiet(), many]))


# --- days that are not as days should be ------------------------------------------------------------------------------


def test_a_single_day_is_not_judged():
    assert set(statuses(quiet(1)).values()) == {"not judged"}


def test_the_fifteenth_day_is_the_first_that_is_judged():
    assert statuses(quiet(14))["blended"] == "not judged"
    assert statuses(quiet(15))["blended"] == "quiet"


def test_a_missing_day_is_said_and_only_volume_judges_it():
    history = quiet(20)
    del history[16]
    verdicts = judge(history, Rules(min_rows=1))
    found = {one.monitor: (one.status, one.message) for one in verdicts if one.day == date(2026, 8, 17)}
    assert found.pop("volume")[0] == "alert"
    assert set(found.values()) == {("not judged", "no orders")}
    assert statuses(history)["blended"] == "quiet"  # and it is in no baseline


def test_a_day_of_zero_orders_is_like_a_missing_one():
    history = quiet(20)
    zero = [*history[:16], Day(history[16].day, 0), *history[17:]]
    missing = [*history[:16], *history[17:]]
    assert judge(zero) == judge(missing)


def test_months_have_no_gaps_to_fill():
    months = [replace(day, day=date(2025 + i // 12, i % 12 + 1, 1)) for i, day in enumerate(quiet(16))]
    assert len({one.day for one in judge(months)}) == 16


def test_of_two_metrics_for_one_day_the_later_stands(days):
    wrong = replace(days[3], gmv=1)
    assert judge([wrong, *days]) == judge(days)
    assert judge([*days, days[3]]) == judge(days)


def test_rows_without_a_day_or_an_amount_are_told():
    day = date(2026, 8, 1)
    rows = [
        {"day": day, "charged_cents": 90, "price_cents": 100},
        {"day": day, "charged_cents": None, "price_cents": 100},
        {"day": day, "charged_cents": 7, "price_cents": None},
        {"day": None, "charged_cents": 1, "price_cents": 1},
    ]
    undated, found = monitors.daily_metrics(rows, Spec(branch=None, goods=None))
    assert (undated.day, undated.orders) == (None, 1)
    assert (found.orders, found.left_out, found.gmv, found.list_value, found.markdown) == (3, 2, 90, 100, 10)
    told = [(one.day, one.message) for one in judge([undated, found]) if one.monitor == "rows"]
    assert told == [
        (None, "rows with no day that can be read: 1"),
        (day, "rows with no amount or no list amount: 2 of 3"),
    ]


def test_amounts_that_nobody_can_read_are_never_quiet(tmp_path):
    rows = [{"day": FIRST + timedelta(i), "charged_cents": "12,50", "price_cents": "9"} for i in range(30)]
    spec = Spec(branch=None, goods=None)
    found = judge(monitors.daily_metrics(write(tmp_path / "odd.csv", rows), spec))
    assert {one.status for one in found} == {"not judged"}
    with pytest.raises(DataError, match="column 'charged_cents' for amount holds string; convert it to number first"):
        monitors.daily_metrics(rows, spec)


def test_days_that_are_text_are_read_in_a_text_file_only(tmp_path):
    rows = [{"day": "2026-08-01", "charged_cents": 1}, {"day": "2026-08-01T23:59:59-01:00", "charged_cents": 1}]
    days = monitors.daily_metrics(write(tmp_path / "texts.csv", rows), BARE)
    assert [day.day for day in days] == [FIRST, FIRST + timedelta(1)]  # the day in UTC
    with pytest.raises(DataError, match="column 'day' for day holds string; convert it to date or timestamp first"):
        monitors.daily_metrics(rows, BARE)


def test_a_column_that_never_held_a_value():
    rows = [{"day": FIRST, "charged_cents": None, "price_cents": None, "item_condition": None}]
    (day,) = monitors.daily_metrics(rows, Spec(goods=None))
    assert (day.orders, day.left_out, day.markdown, day.values) == (1, 1, None, {"(missing)"})


def test_a_day_that_python_does_not_know():
    with pytest.raises(DataError, match="a row has the day 20000-01-01; expected one from 0001-01-01 to 9999-12-31"):
        monitors.daily_metrics(duckdb.sql("select date '20000-01-01' as day, 1 as charged_cents"), BARE)


def test_one_wrong_date_does_not_make_a_million_days():
    verdicts = judge([*quiet(20), Day(date(1, 1, 1), 1), Day(date(9999, 12, 31), 1)], Rules(max_lag=timedelta(1)))
    assert len({one.day for one in verdicts}) == 22
    told = [one.message for one in verdicts if one.monitor == "rows"]
    assert told[1] == "no rows on the 2,912,210 days after 2026-08-20: is a date wrong?"


@pytest.mark.parametrize("wrong", [{"window": 0}, {"holds": 0}, {"reference": -1}, {"points": float("nan")}])
def test_rules_that_no_monitor_could_follow(wrong):
    with pytest.raises(ValueError, match="a window is at least one day, and a threshold 0 or more"):
        Rules(**wrong)


def test_no_days_no_verdicts():
    assert judge([]) == []


def test_list_amounts_of_zero_and_negative_charges():
    rows = [{"day": FIRST, "charged_cents": c, "price_cents": p} for c, p in [(0, 0), (90, 100), (-90, 100)]]
    (day,) = monitors.daily_metrics(rows, Spec(branch=None, goods=None))
    assert (day.multipliers, day.gmv, day.list_value) == (2, 0, 200)  # 0/0 is no multiplier


def test_a_multiplier_survives_the_rounding_to_cents():
    rows = [{"day": FIRST, "charged_cents": (p * 9 + 5) // 10, "price_cents": p} for p in range(1_001, 3_000, 7)]
    assert monitors.daily_metrics(rows, Spec(branch=None, goods=None))[0].multipliers == 1


# --- any table ------------------------------------------------------------------------------------------------------


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
    with pytest.raises(DataError, match="no column 'grade' for branch; name one of its columns: 'order_id', 'day'"):
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


METRICS = st.lists(
    st.builds(
        Day,
        day=st.dates(FIRST, FIRST + timedelta(30)),
        orders=st.integers(0, 5),
        gmv=st.integers(0, 500),
        list_value=st.integers(0, 500),
        multipliers=st.none() | st.integers(1, 3),
        mix=st.fixed_dictionaries({"A": st.integers(0, 9), "ELSE": st.integers(0, 9)}),
        values=st.frozensets(st.sampled_from("ABC")),
        goods=st.fixed_dictionaries({"coats": st.integers(0, 3)}),
        left_out=st.integers(0, 1),
        part=st.sampled_from(["one", "two"]),
    ),
    max_size=40,
    unique_by=lambda day: (day.day, day.part),
)


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
        assert all(whole[key] == one for key, one in shown.items() if key in whole)


# --- New York's taxis: a column that changed its meaning for one vendor only -----------------------------------------


@pytest.fixture(scope="module")
def taxi():
    if not TAXI.exists():
        pytest.skip("the real tables are not beside this checkout")
    with TAXI.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def share(row, column, part=None):
    """A month whose "markdown" is that share of its rides: the rule is the same for any blended rate."""
    month = date.fromisoformat(f"{row['source_month']}-01")
    return Day(month, 10_000, gmv=10_000 - round(float(row[column]) * 10_000), list_value=10_000, part=part)


def test_split_by_vendor_the_alarm_begins_on_vendor_1_in_february_2019_only(taxi):
    months = [share(row, f"extra_share_ge_2_5_v{n}", f"vendor {n}") for row in taxi for n in (1, 2)]
    verdicts = judge(months, Rules(window=12))
    begins = [(one.part, str(one.day)) for one in monitors.onsets(verdicts) if one.monitor == "blended"]
    assert begins == [("vendor 1", "2019-02-01")]
    alerts = {one.part for one in verdicts if one.status == "alert" and one.monitor == "blended"}
    assert alerts == {"vendor 1"}
    assert len([one for one in verdicts if one.monitor == "blended" and one.status != "not judged"]) == 2 * 24


def test_the_honest_page_a_mix_that_is_not_stable_cries_wolf(taxi):
    months = [share(row | {"card": int(row["payment_1"]) / 10_000}, "card") for row in taxi]
    row = next(row for row in monitors.backtest(months, Rules(window=12)) if row["monitor"] == "blended")
    assert (row["alerts"], row["judged"]) == (20, 24)
    assert "20 of 24\nmonths" in monitors.__doc__


# --- the stored table -----------------------------------------------------------------------------------------------


def test_day_by_day_is_the_same_as_all_at_once(rows, days, tmp_path):
    store = tmp_path / "metrics.jsonl"
    for day in days:
        today = [row for row in rows if row["day"] == day.day]
        stored = monitors.add_to_store(store, monitors.daily_metrics(today))
    assert stored == monitors.read_store(store) == days
    assert judge(stored) == judge(days)


def test_a_day_may_be_run_again(days, tmp_path):
    store = tmp_path / "metrics.jsonl"
    monitors.add_to_store(store, days)
    once = store.read_bytes()
    monitors.add_to_store(store, days[5:7])
    assert store.read_bytes() == once
    monitors.add_to_store(store, [replace(days[5], orders=1)])
    assert [day.orders for day in monitors.read_store(store)][4:7] == [days[4].orders, 1, days[6].orders]
    assert [path.name for path in tmp_path.iterdir()] == ["metrics.jsonl"]


def test_a_run_replaces_the_whole_day_with_all_its_parts(tmp_path):
    store = tmp_path / "metrics.jsonl"
    one, two = (Day(FIRST, 5, part=part) for part in ("one", "two"))
    monitors.add_to_store(store, [Day(None, 3, part="one"), one, two])
    assert monitors.add_to_store(store, [one]) == [one]


@settings(max_examples=40, deadline=None)
@given(metrics=METRICS)
def test_what_is_stored_is_what_is_read(metrics):
    for day in metrics:
        day = replace(day, gmv=daybook.exact(day.gmv / 8), loaded_at=datetime(2026, 8, 1, 3, tzinfo=UTC))
        assert daybook.from_row(json.loads(json.dumps(daybook.as_row(day)))) == day


def test_a_run_that_is_killed_leaves_the_old_table(days, tmp_path, monkeypatch):
    store = tmp_path / "metrics.jsonl"
    monitors.add_to_store(store, days[:3])

    def killed(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", killed)
    with pytest.raises(KeyboardInterrupt):
        monitors.add_to_store(store, days[3:])
    assert monitors.read_store(store) == days[:3]
    assert [path.name for path in tmp_path.iterdir()] == ["metrics.jsonl"]


@pytest.mark.parametrize("line", ["{", "[]", "7", '{"day": "yesterday", "orders": 1}', '{"day": "2026-08-01"}'])
def test_a_broken_line_is_named(days, tmp_path, line):
    store = tmp_path / "metrics.jsonl"
    monitors.add_to_store(store, days[:1])
    store.write_text(store.read_text(encoding="utf-8") + line + "\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"metrics\.jsonl, line 2: is no stored day"):
        monitors.read_store(store)


# --- the figures ------------------------------------------------------------------------------------------------------


@pytest.fixture
def plot():
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    yield lambda days, *panels, **more: monitors.plot(days, judge(days), *panels, **more)
    plt.close("all")


@pytest.mark.parametrize(
    ("panel", "title", "unit"),
    [
        ("gmv", "Daily GMV", "EUR"),
        ("markdown", "Blended markdown", "% of list value"),
        ("mix", "Branch mix", "% of orders"),
    ],
)
def test_a_figure_has_title_unit_source_and_alt_text(plot, days, panel, title, unit):
    figure = plot(days, panel, source="seed.py")
    (ax,) = figure.axes
    assert (ax.get_title(loc="left"), ax.get_ylabel()) == (title, unit)
    assert figure.get_supxlabel() == "Source: seed.py"
    assert figure.get_label().startswith(f"{title}, 2026-08-01 to 2026-08-27: ")


def test_the_figures_draw_what_was_computed(plot, days):
    gmv, markdown, mix = plot(days).axes
    assert list(gmv.lines[0].get_ydata()) == [day.gmv / 100 for day in days]
    assert list(markdown.lines[0].get_ydata()) == [float(day.markdown) for day in days]
    assert len(markdown.collections[0].get_offsets()) == 9  # the alerts, marked by form
    low, high = (f(y for _, y in gmv.collections[-1].get_paths()[0].vertices) for f in (min, max))
    assert (round(low), round(high)) == tuple(PUBLISHED["revenue"]["pre_release_band_eur"])
    hatches = [bars.patches[0].get_hatch() for bars in mix.containers]
    assert len(set(hatches)) == len(hatches) == 4  # told apart without colour
    assert [bar.get_height() for bar in mix.containers[-1]] == [0] * 18 + [100] * 9


def test_the_median_that_heals_itself_can_be_seen(plot, days):
    (ax,) = monitors.plot(days, judge(days, plain=True), "markdown").axes
    assert ax.lines[1].get_ydata()[-1] == 20  # the dashed line has come up to the alarm
    (ax,) = plot(days, "markdown").axes
    assert round(ax.lines[1].get_ydata()[-1], 2) == 10.17


def test_a_split_table_has_a_column_for_each_part(plot, rows):
    parts = monitors.daily_metrics(rows, Spec(split_by="category"))
    assert len(plot(parts).axes) == 3 * 8


def test_figures_of_little_data(plot):
    plot([Day(FIRST, 1, 5)])
    plot(quiet(3, list_value=0, mix={}, values=frozenset()))
    with pytest.raises(ValueError, match="no day with orders to draw"):
        plot([])


# --- the command line ----------------------------------------------------------------------------------------------


def test_the_calendar(capsys):
    assert monitors.main([]) == 1
    printed = capsys.readouterr().out
    lines = printed.splitlines()
    assert lines[0].split()[4:] == ["multipliers", "branches", "blended", "mix", "holds", "gmv"]
    assert len([line for line in lines if line.startswith("2026-08-")]) == 27
    assert lines[19].split()[-6:] == ["ALERT"] * 4 + [".", "."]
    assert lines[27].split()[-6:] == ["ALERT"] * 6
    assert "gmv: 6 alerts on 9 days judged" in printed
    assert (
        "GMV of the 9 days with another alert: 3 inside the band of the 18 others (27,186 to 36,784),"
        " median 15.9% below theirs, z -2.18\n"
    ) in printed
    assert "gmv: needs 18 earlier days without an alert (18 days, 2026-08-01 to 2026-08-18)" in printed
    assert printed.isascii() and "\033" not in printed


def test_json(capsys):
    assert monitors.main(["--format", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert list(document) == ["metrics", "alerts", "not_judged"]
    assert len(document["metrics"]) == 27
    assert {tuple(alert) for alert in document["alerts"]} == {("day", "monitor", "value", "baseline", "message")}
    assert document["not_judged"][0] == {
        "day": "2026-08-01",
        "monitor": "multipliers",
        "why": "needs 14 earlier days without an alert",
    }


def write(path, rows):
    pa.csv.write_csv(pa.Table.from_pylist(rows), path)
    return str(path)


def test_exit_status_0_quiet_2_nothing_judged(rows, tmp_path, capsys):
    assert monitors.main([write(tmp_path / "quiet.csv", [row for row in rows if row["day"] < RELEASE])]) == 0
    assert monitors.main([write(tmp_path / "one.csv", rows[:271])]) == 2
    said = "monitors.py: nothing was judged: shape needs 14 earlier days, and the history has 1\n"
    assert capsys.readouterr().err == said
    empty = tmp_path / "empty.csv"
    empty.write_text("day,charged_cents,price_cents,item_condition,category\n", encoding="utf-8")
    assert monitors.main([str(empty)]) == 2
    assert capsys.readouterr().err == "monitors.py: nothing was judged: there are no rows\n"


def test_a_day_is_written_as_iso_8601(capsys):
    with pytest.raises(SystemExit, match="2"):
        monitors.main(["--since", "yesterday"])
    assert "'yesterday' is no day; write it as 2026-08-19" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere.csv"], "nowhere.csv: there is no such file"),
        (["--branch", "grade"], "no column 'grade' for branch"),
        (["--day", "none"], "no column 'none' for day"),  # every table needs one
        (["--window", "0"], "a window is at least one day"),
        (["--plot", "no/such/folder/a.png"], "No such file or directory"),
        (["--plot", "figure.foo"], "Format 'foo' is not supported"),
        (["--store", "no/such/folder/a.jsonl"], "No such file or directory"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(arguments, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert monitors.main(arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith("monitors.py: ") and error.count("\n") == 1
    assert said in error or os.name == "nt"


def test_one_new_day_a_store_and_a_contract(rows, tmp_path, capsys):
    store, contract = str(tmp_path / "metrics.jsonl"), tmp_path / "orders.yaml"
    contract.write_text(
        "version: 1.0.0\nowner: shop\nconsumers: [finance]\nvolume: {min_rows: 235}\n"
        "fields:\n  - {name: day, type: date}\n",
        encoding="utf-8",
    )
    before = write(tmp_path / "before.csv", [row for row in rows if row["day"].day < 27])
    assert monitors.main([before, "--store", store]) == 1
    today = write(tmp_path / "today.csv", [row for row in rows if row["day"].day == 27])
    capsys.readouterr()
    assert monitors.main([today, "--store", store, "--contract", str(contract), "--format", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert len(document["metrics"]) == 27
    volume = [alert for alert in document["alerts"] if alert["monitor"] == "volume"]
    assert [(alert["day"], alert["value"]) for alert in volume] == [("2026-08-11", 230), ("2026-08-27", 234)]


def test_since_starts_the_history_over(capsys):
    assert monitors.main(["--since", "2026-08-19"]) == 2  # nine days are no history yet
    assert len(capsys.readouterr().out.splitlines()) < 20


def test_until_shows_the_days_that_never_came(rows, tmp_path, capsys):
    quiet = write(tmp_path / "quiet.csv", [row for row in rows if row["day"] < RELEASE])
    assert monitors.main([quiet, "--until", "2026-08-20", "--contract", str(ROOT / "contracts" / "orders.yaml")]) == 1
    assert "volume: 2 alerts on 20 days judged; the first on 2026-08-19: 0 rows" in capsys.readouterr().out


def test_split_on_the_command_line(capsys):
    assert monitors.main(["--split-by", "category", "--format", "json"]) == 1
    alerts = json.loads(capsys.readouterr().out)["alerts"]
    assert list(alerts[0]) == ["day", "part", "monitor", "value", "baseline", "message"]
    assert {alert["part"] for alert in alerts if alert["monitor"] == "blended"} == set(seed.TYPICAL_EUR)


def test_plot_writes_the_file(tmp_path, capsys):
    assert monitors.main(["--plot", str(tmp_path / "shape.png")]) == 1
    assert (tmp_path / "shape.png").read_bytes().startswith(b"\x89PNG")


def test_colour_only_on_a_terminal(days, monkeypatch):
    assert "\033[1;31mALERT\033[0m" in monitors.calendar(days, judge(days), colour=True)
    assert "\033" not in monitors.calendar(days, judge(days))


def test_interrupted(monkeypatch, capsys):
    def interrupt_the_query(*_):  # as DuckDB reports it
        raise RuntimeError("Query interrupted") from KeyboardInterrupt()

    monkeypatch.setattr(Source, "run_duckdb", interrupt_the_query)
    assert monitors.main([]) == 130
    assert capsys.readouterr().err == ""


@pytest.mark.skipif(os.name == "nt", reason="closes a pipe as POSIX shells do")
def test_a_reader_who_has_seen_enough_causes_no_traceback():
    running = subprocess.Popen(
        [sys.executable, str(ROOT / "monitors.py")], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    running.stdout.close()
    assert running.stderr.read() == b""
    running.stderr.close()
    assert running.wait() == 1


def test_plots_alone_import_matplotlib():
    code = "import sys, monitors, seed; monitors.daily_metrics(seed.orders()); print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_values_that_a_console_cannot_show_are_escaped(rows, tmp_path, monkeypatch):
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", out)
    named = [row | {"item_condition": "größe\n🧥"} if row["day"] >= RELEASE else row for row in rows]
    assert monitors.main([write(tmp_path / "odd.csv", named)]) == 1
    assert out.buffer.getvalue().isascii()
