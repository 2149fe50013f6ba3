"""Freshness: the age of the newest value or of the load, zones, and when nothing can be called old."""

import datetime as dt

import pandas as pd
import pytest
from small_tables import AS_OF, at, column, contract

from validate import report, validate


def freshness(rows, as_of=AS_OF, loaded_at=None, **clause):
    """What is said of freshness: None where it is kept, the reason where it is not checked, or the message."""
    fresh = {"max_lag": "1h", "field": "x"} | clause
    fresh = {key: value for key, value in fresh.items() if value}
    found = report(rows, contract("x: timestamp", freshness=fresh), as_of=as_of, loaded_at=loaded_at)
    said = [getattr(f, "message", None) or f.reason for f in (*found.violations, *found.not_checked)]
    return said[0] if said else None


@pytest.mark.parametrize(
    ("newest", "zone", "said"),
    [
        (at(13, 30, tzinfo=dt.UTC), None, None),  # exactly max_lag old
        (at(13, 29, 59, tzinfo=dt.UTC), None, "13:29:59+00:00, 1 h 1 s old, expected at most 1 h; affects a, b"),
        (at(14, 30, 1, tzinfo=dt.UTC), None, "14:30:01+00:00, 1 s in the future of 2026-08-19 14:30:00+00:00"),
        (at(16), "Europe/Berlin", None),  # 14:00 UTC
        (at(15), "Europe/Berlin", "15:00:00+02:00, 1 h 30 min old"),  # as the contract's clocks show it
        (at(17), "Europe/Berlin", "17:00:00+02:00, 30 min in the future of 2026-08-19 16:30:00+02:00"),
        (at(12, tzinfo=dt.UTC), "Europe/Berlin", "14:00:00+02:00, 2 h 30 min old"),
        (at(16), "UTC", "1 h 30 min in the future"),
        (at(14), None, "its times name no zone; add freshness.timezone to the contract"),
    ],
)
def test_freshness_is_the_age_of_the_newest_value(table, newest, zone, said):
    found = freshness(table(column(newest - dt.timedelta(days=1), newest, None)), timezone=zone)
    assert (found is None) if said is None else (said in found)


def test_freshness_without_as_of_is_not_checked(table):
    assert freshness(table(column(at(1))), None, timezone="UTC") == "no as_of was given, so nothing can be called old"


def test_freshness_without_a_field_needs_to_know_when_the_table_was_loaded(table):
    assert "no loaded_at was given" in freshness(table(column(at(1))), field=None)
    assert freshness(table(column(at(1))), loaded_at=at(14, tzinfo=dt.UTC), field=None) is None
    old = freshness(table(column(at(1))), loaded_at=at(12, tzinfo=dt.UTC), field=None)
    assert old.startswith("t: the table was loaded at 2026-08-19 12:00:00+00:00, 2 h 30 min old, expected at most 1 h")


def test_naive_arguments_are_in_the_zone_of_the_contract():
    assert freshness(column(at(16)), at(16, 30), timezone="Europe/Berlin") is None


@pytest.mark.parametrize(
    ("newest", "zone"),
    [((9999, 12, 31, 23, 30), "Europe/Berlin"), ((1, 1, 1, 0, 30), "America/New_York")],
)
def test_a_time_that_the_clocks_of_the_zone_cannot_show_is_said_in_utc(newest, zone):
    newest = dt.datetime(*newest, tzinfo=dt.UTC)
    assert f"x: the newest x is {newest}, " in freshness(column(newest), timezone=zone)


def test_freshness_of_a_column_without_times_is_not_checked(table):
    assert freshness(table(column(None))) == "x holds no time to judge by"


@pytest.mark.parametrize("judge", [report, validate])
@pytest.mark.parametrize("name", ["as_of", "loaded_at"])
@pytest.mark.parametrize("time", ["2026-10-30T20:00:00+01:00", dt.date(2026, 10, 30), 0, pd.NaT])
def test_a_time_that_is_no_datetime_is_refused_in_a_sentence(judge, name, time):
    with pytest.raises(TypeError, match=f"{name} is .*, no datetime: give datetime.now"):
        judge(column(at(1)), contract("x: timestamp"), **{name: time})
