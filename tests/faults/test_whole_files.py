"""Files are whole: killed at any step, with a full disk, without rights, or with several writers at once."""

import errno
import json
import os
import stat
import subprocess
import sys
import threading
from datetime import date
from pathlib import Path

import pytest
import scene as scenes

import exercises.__main__
import monitors
import seed
import validate
from clause.daybook import Day, add_to_store, read_store
from contracts import writing
from contracts.__main__ import main as contracts_main
from contracts.writing import HALF, all_or_none, whole_or_not_at_all

posix = pytest.mark.skipif(os.name == "nt", reason="Windows kills in another way, and has no locks on folders")
ONE, TWO = ["a"], ["a", "b"]
KILLED = """
import json, os, shutil, signal, sys; from pathlib import Path; sys.path[:0] = [{root!r}, {here!r}]
import kills; from contracts.writing import HALF, all_or_none
folder, names, old, new = Path({folder!r}), {names!r}, {old!r}, {new!r}
def write():
    with all_or_none(folder, names) as half:
        for name, text in zip(names, new): (half / name).write_text(text)
    return 0
def prepare():
    shutil.rmtree(folder, ignore_errors=True)
    if old or len(names) == 1: folder.mkdir()
    for name, text in zip(names, old or ()): (folder / name).write_text(text)
def state():
    return [(folder / name).read_text() if (folder / name).exists() else "" for name in names]
def killed(at=0):
    prepare()
    return kills.once(kills.Writer("", prepare, write, state, list), folder.with_name("said"), at)[0]
assert killed() == 0 and state() == new
seen = []
for at in range(1, folder.with_name("said.steps").stat().st_size + 1):
    assert killed(at) == -signal.SIGKILL
    seen.append(state())
    write()  # the next run
    left = [*folder.glob(HALF + "*"), *folder.parent.glob(HALF + "*")]
    assert state() == new and not left, (at, state(), left)
print(json.dumps(seen))
"""


@pytest.fixture
def folder(tmp_path):
    """A folder that is there, for files and for what is begun beside them."""
    found = tmp_path / "folder"
    found.mkdir()
    return found


def state(folder, names):
    """What each of the files holds, "" where it is not there."""
    return [(folder / name).read_text() if (folder / name).exists() else "" for name in names]


def halves(folder):
    return [*folder.glob(f"{HALF}*"), *folder.parent.glob(f"{HALF}*")]


# --- kill -9 ---------------------------------------------------------------------------------------------------------


@posix
@pytest.mark.parametrize(
    ("names", "old", "between"),
    [
        (ONE, ["old a"], []),
        (ONE, None, []),  # a new file
        (TWO, None, []),  # a new folder with both
        (TWO, ["old a", "old b"], [["old a", ""], ["new a", ""]]),  # the second is missing, never of another time
    ],
)
def test_killed_at_any_step_the_old_or_the_new_is_there(tmp_path, names, old, between):
    given = {"folder": str(tmp_path / "folder"), "names": names, "old": old, "new": [f"new {name}" for name in names]}
    code = KILLED.format(root=str(scenes.ROOT), here=str(scenes.ROOT / "tests" / "faults"), **given)
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    seen, absent = [tuple(state) for state in json.loads(done.stdout)], [""] * len(names)
    first, last = tuple(old or absent), tuple(given["new"])
    assert len(seen) >= 10 and (seen[0], seen[-1]) == (first, last)
    assert set(seen) == {first, last, *map(tuple, between)}


def test_a_plan_that_was_killed_half_way_is_brought_to_its_end(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    scenes.Scene(tmp_path).put("c.yaml", scenes.CONTRACT)
    (tmp_path / "wanted.yaml").write_text(
        scenes.CONTRACT.replace("[A, B, C]", "[good, fair, poor]").replace("1.0.0", "2.0.0")
    )
    plan = ["plan", "c.yaml", "wanted.yaml", "--announce", "2026-11-30", "--out", "planned"]
    assert contracts_main(plan) == 0
    whole = {path.name: path.read_bytes() for path in Path("planned").iterdir()}
    gone = sorted(whole)[-1]
    Path("planned", gone).unlink()
    assert contracts_main(plan) == 2  # as if a person had put the others there
    Path("planned", f"{HALF}x").mkdir()
    assert contracts_main(plan) == 0
    assert {path.name: path.read_bytes() for path in Path("planned").iterdir()} == whole
    Path("planned", f"{HALF}x").mkdir()
    Path("planned", gone).write_text("a person's own")
    assert contracts_main(plan) == 2
    assert Path("planned", gone).read_text() == "a person's own"
    capsys.readouterr()


# --- several writers -------------------------------------------------------------------------------------------------


def at_once(jobs):
    threads = [threading.Thread(target=job) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@posix
def test_of_many_writers_each_leaves_files_that_belong_together(folder):
    def writer(number):
        def write():
            with all_or_none(folder, TWO) as half:
                for name in TWO:
                    (half / name).write_text(str(number))

        return write

    for _ in range(3):
        at_once(writer(number) for number in range(8))
        assert len(set(state(folder, TWO))) == 1 and "" not in state(folder, TWO)
    assert not halves(folder)


@posix
def test_of_many_writers_of_a_store_none_loses_a_day(tmp_path):
    store, first = tmp_path / "store.jsonl", date(2026, 11, 1)
    all_days = [Day(first.replace(day=n), n) for n in range(1, 13)]
    at_once((lambda day=day: add_to_store(store, [day])) for day in all_days)
    assert read_store(store) == all_days


@posix
def test_who_waits_for_a_turn_too_long_says_so(folder):
    says = "Another process has been writing there"
    with writing.locked(folder), pytest.raises(TimeoutError, match=says), writing.locked(folder, patience=0.05):
        pass


# --- links, rights, devices ------------------------------------------------------------------------------------------


@posix
def test_a_file_keeps_its_rights_and_a_link_its_place(folder):
    (folder / "a").write_text("old")
    (folder / "a").chmod(0o600)
    (folder / "link").symlink_to("a")
    with whole_or_not_at_all(folder / "link") as half:
        half.write_text("new")
    assert (folder / "link").is_symlink() and (folder / "a").read_text() == "new"
    assert stat.S_IMODE((folder / "a").stat().st_mode) == 0o600


@posix
def test_a_device_is_written_as_it_is():
    with whole_or_not_at_all(Path(os.devnull)) as half:
        half.write_text("gone")
    assert not Path(os.devnull).is_file()


def test_a_file_that_may_not_be_written_is_not_replaced(folder, monkeypatch):
    (folder / "a").write_text("old")
    (folder / "a").chmod(0o444)
    monkeypatch.setattr(writing.os, "access", lambda *_: False)  # root may
    with pytest.raises(PermissionError), whole_or_not_at_all(folder / "a") as half:
        half.write_text("new")
    assert (folder / "a").read_text() == "old"
    (folder / "a").chmod(0o644)


# --- a full disk -----------------------------------------------------------------------------------------------------


@pytest.fixture
def old(tmp_path, monkeypatch):
    """A folder with old files of each command, and a disk that is full when a file is to be written to it."""
    monkeypatch.chdir(tmp_path)
    scene = scenes.Scene(tmp_path)
    scene.put("c.yaml", scenes.CONTRACT)
    scene.put("wanted.yaml", scenes.CONTRACT.replace("[A, B, C]", "[good, fair]").replace("1.0.0", "2.0.0"))
    scene.put("rows.csv", scenes.rows("ABCQ", 20))
    scene.put("days.csv", scenes.days())
    for name in ("shop.duckdb", "q/accepted.csv", "q/quarantined.csv", "shape.png", "exercises/ex1_figures.py"):
        scene.put(name, "old\n")
    scene.put("store.jsonl", json.dumps({"day": "2026-10-31", "orders": 1}) + "\n")
    monkeypatch.setattr(seed, "SHOP", tmp_path / "shop.duckdb")
    monkeypatch.setattr(exercises.__main__, "FOLDER", tmp_path / "exercises")

    def full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(writing.os, "fsync", full)
    return tmp_path


def files(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "run",
    [
        pytest.param(lambda: seed.main(), id="seed"),
        pytest.param(lambda: validate.main(["c.yaml", "rows.csv", "--quarantine", "q"]), id="quarantine"),
        pytest.param(lambda: validate.main(["c.yaml", "rows.csv", "--quarantine", "new"]), id="quarantine, new"),
        pytest.param(lambda: monitors.main(["days.csv", *scenes.MONITORED, "--store", "store.jsonl"]), id="store"),
        pytest.param(lambda: contracts_main(["plan", "c.yaml", "wanted.yaml", "--out", "planned"]), id="plan"),
        pytest.param(lambda: exercises.__main__.main(["reset", "1"]), id="reset"),
    ],
)
def test_where_the_disk_is_full_it_is_one_sentence_and_the_old_files_stay(old, capsys, run):
    before = files(old)
    assert run() == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "No space left on device" in said
    assert files(old) == before and not list(old.rglob(f"{HALF}*"))


# --- a store is of one table -----------------------------------------------------------------------------------------


def test_a_store_refuses_the_days_of_another_table(old, monkeypatch, capsys):
    monkeypatch.undo()
    os.chdir(old)
    run = ["days.csv", *scenes.MONITORED, "--store", "new.jsonl"]
    assert monitors.main(run) == 0
    before = (old / "new.jsonl").read_bytes()
    assert monitors.main(run) == 0  # the same again
    assert (old / "new.jsonl").read_bytes() == before
    capsys.readouterr()
    other = ["gross" if word == "net" else word for word in run]
    assert monitors.main(other) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "new.jsonl: holds metrics of another table, with amount net, and here it is gross; give each" in said
    assert (old / "new.jsonl").read_bytes() == before


def test_a_store_that_does_not_say_its_table_is_taken_and_says_it_from_then_on(tmp_path):
    store = tmp_path / "store.jsonl"
    add_to_store(store, [Day(date(2026, 11, 1), 1)])
    assert "made_of" not in store.read_text()
    add_to_store(store, [Day(date(2026, 11, 2), 2)], {"amount": "net"})
    assert [day.orders for day in read_store(store)] == [1, 2]
    with pytest.raises(validate.contracts.DataError, match="another table"):
        add_to_store(store, [Day(date(2026, 11, 3), 3)], {"amount": "gross"})
