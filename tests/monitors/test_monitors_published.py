"""The published figures through the monitors, the two swaps, and New York's taxis."""

import csv
from datetime import date

import pytest
from made_up_days import PUBLISHED, RELEASE, ROOT, august

import monitors
import seed
from monitors import Day, Rules, judge

TAXI = ROOT.parent / "shared" / "real" / "nyc_taxi" / "monthly_shape_from_full_10k_samples.csv"


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
