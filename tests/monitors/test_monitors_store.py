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


@pytest.mark.parametrize(
    "entry",
    [
        '"gmv": 1E+999999999',  # which would take all memory as a whole number
        '"gmv": 1E-999999999',
        '"gmv": 1E+40',
        '"gmv": NaN',
        '"gmv": -Infinity',
        '"gmv": null',
        '"gmv": "7"',
        '"gmv": true',
        '"list_value": null',
        '"median_price": NaN',
        '"orders": -5',
        '"orders": 1.5',
        '"orders": null',
        '"left_out": -1',
        '"multipliers": 2.5',
        '"mix": {"A": -1}',
        '"mix": {"A": null}',
        '"mix": ["A"]',
        '"goods": null',
        '"values": "ABC"',
        '"values": [1]',
        '"part": 7',
        '"loaded_at": "today"',
        '"colour": "red"',
    ],
)
def test_a_stored_day_has_numbers_that_a_table_can_have(tmp_path, entry):
    store = tmp_path / "metrics.jsonl"
    store.write_text(f'{{"day": "2026-08-01", "orders": 1, {entry}}}\n', encoding="utf-8")
    with pytest.raises(DataError, match=r"metrics\.jsonl, line 1: is no stored day \("):
        monitors.read_store(store)


def test_a_day_of_refunds_is_a_day(tmp_path):
    store = tmp_path / "metrics.jsonl"
    days = [Day(FIRST, 1, gmv=-5, list_value=-5)]
    assert monitors.add_to_store(store, days) == monitors.read_store(store) == days


@pytest.mark.parametrize("line", [b"[" * 200_000, b"\xff\xfe", '{"day": "2026-08-01"}'.encode("utf-16")])
def test_a_line_that_is_no_text_or_has_no_end_is_named(tmp_path, line):
    store = tmp_path / "metrics.jsonl"
    store.write_bytes(b'{"day": "2026-08-01", "orders": 1}\n' + line)
    with pytest.raises(DataError, match=r"metrics\.jsonl, line 2: is no stored day \(.*take the line out"):
        monitors.read_store(store)


@pytest.mark.skipif(os.name == "nt", reason="has no devices and pipes in its folders")
@pytest.mark.parametrize("place", ["/dev/zero", "/dev/full", "pipe"])
def test_a_store_is_a_regular_file(tmp_path, place):
    path = tmp_path / place
    if place == "pipe":
        os.mkfifo(path)
    elif not path.exists():
        pytest.skip(f"this system has no {place}")
    with pytest.raises(DataError, match="is no regular file, and a store is one; name another path"):
        monitors.add_to_store(path, [Day(FIRST, 1)])


def test_a_store_has_an_end(tmp_path, monkeypatch):
    monkeypatch.setattr(daybook, "MOST_BYTES", 1000)
    store = tmp_path / "metrics.jsonl"
    store.write_text(" " * 1001, encoding="utf-8")
    with pytest.raises(DataError, match="has more than 1,000 bytes"):
        monitors.read_store(store)
