"""The stored table: day by day the same as all at once, replaced whole, broken lines named."""

import json
import os
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from made_up_days import FIRST, METRICS

import monitors
from clause import daybook
from contracts.errors import DataError
from monitors import Day, judge


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
