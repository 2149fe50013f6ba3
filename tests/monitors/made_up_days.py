"""Days to judge, made up or drawn by hypothesis, and short ways to say what the monitors say of them."""

from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import yaml
from hypothesis import strategies as st

import monitors
from monitors import Day, Rules, Spec, judge

ROOT = Path(monitors.__file__).resolve().parent


PUBLISHED = yaml.safe_load((ROOT / "figures.yaml").read_text(encoding="utf-8"))
FIRST, RELEASE = date(2026, 8, 1), date(2026, 8, 19)
BARE = Spec(list_amount=None, branch=None, goods=None)


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


def write(path, rows):
    pa.csv.write_csv(pa.Table.from_pylist(rows), path)
    return str(path)
