"""A clock that is wrong by decades, and time zones that are none: a verdict that says so, and no crash."""

import os
import subprocess
import sys
import time
from datetime import UTC, datetime

import pytest
import scene as scenes

import validate
from contracts import writing

FRESH = scenes.CONTRACT + "- {name: at, type: timestamp}\nfreshness: {max_lag: 1h, field: at, timezone: UTC}\n"


def at(monkeypatch, *when):
    """Let the gate's clock stand there."""

    class Clock(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime(*when, tzinfo=UTC).astimezone(tz)

    monkeypatch.setattr(validate, "datetime", Clock)


@pytest.mark.parametrize(
    ("when", "says"),
    [
        ((1970, 1, 1), "20787 d 12 h in the future of 1970-01-01 00:00:00+00:00"),
        ((2106, 2, 7, 6, 28, 16), "28922 d 18 h old"),  # one second after 32 bits
        ((2026, 11, 30, 12, 30), None),
    ],
)
def test_freshness_by_a_clock_that_is_wrong_is_broken_and_says_by_how_much(tmp_path, capsys, monkeypatch, when, says):
    scene = scenes.Scene(tmp_path)
    data = scene.put("t.csv", "id,grade,price,at\n1,A,1,2026-11-30T12:00:00Z\n")
    at(monkeypatch, *when)
    status = validate.main([str(scene.put("c.yaml", FRESH)), str(data)])
    out = capsys.readouterr().out
    assert (status, "freshness" in out) == ((1, True) if says else (0, False))
    assert (says or "KEPT") in out


@pytest.mark.skipif(os.name == "nt", reason="Windows has no locks on folders")
def test_what_a_killed_process_left_is_removed_though_the_clock_went_back(tmp_path, monkeypatch):
    left = tmp_path / f"{writing.HALF}x"
    left.mkdir()
    monkeypatch.setattr(time, "time", lambda: 0.0)
    with writing.whole_or_not_at_all(tmp_path / "a") as half:
        half.write_text("new")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_time_zone_that_is_none_changes_no_verdict(tmp_path):
    scene = scenes.Scene(tmp_path)
    data = scene.put("t.csv", "id,grade,price,at\n1,A,1,2026-11-30T12:00:00\n")  # naive: in the contract's zone
    given = [str(scene.put("c.yaml", FRESH)), str(data), "--as-of", "2026-11-30T12:59:00+00:00"]
    command = [sys.executable, str(scenes.ROOT / "validate.py"), *given]
    done = subprocess.run(command, env=os.environ | {"TZ": ":nonsense"}, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
