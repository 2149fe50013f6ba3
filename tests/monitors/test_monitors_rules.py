"""Each rule, firing and not firing, and days that are not as days should be."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import duckdb
import pytest
from made_up_days import BARE, FIRST, after, quiet, statuses, write

import monitors
from contracts import from_mapping
from contracts.errors import DataError
from monitors import Day, Rules, Spec, judge

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
