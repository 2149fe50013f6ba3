"""A file that changes while it is read gives no verdict: never kept, never broken, and nothing goes to quarantine."""

import io
import os
import shutil

import pyarrow.parquet as pq
import pytest
import scene as scenes

import validate
from clause import quarantining
from clause.loading import load
from clause.sources import Source
from contracts import DataError

SUFFIXES = ["csv", "parquet", "jsonl"]


def table(text, suffix):
    """The bytes of these rows in a file of that kind."""
    if suffix == "csv":
        return text.encode()
    if suffix == "jsonl":
        return scenes.as_json_lines(text).encode()
    import pyarrow.csv

    out = io.BytesIO()
    pq.write_table(pyarrow.csv.read_csv(io.BytesIO(text.encode())), out)
    return out.getvalue()


@pytest.fixture(params=SUFFIXES)
def path(request, tmp_path):
    """Rows that keep their contract, beside it."""
    scenes.Scene(tmp_path).put("c.yaml", scenes.CONTRACT)
    found = tmp_path / f"rows.{request.param}"
    found.write_bytes(table(scenes.rows("ABC", 300), request.param))
    return found


def grow(path):
    with path.open("ab") as file:
        file.write(table(scenes.rows("Q", 1), path.suffix[1:]))


def replace(path):
    other = path.with_name("other")
    other.write_bytes(table(scenes.rows("ABC", 300).replace("A", "Q", 1), path.suffix[1:]))
    shutil.copystat(path, other)
    os.replace(other, path)


CHANGES = {
    "grows": grow,
    "shrinks": lambda path: os.truncate(path, path.stat().st_size // 2),
    "is emptied": lambda path: os.truncate(path, 0),
    "is replaced": replace,
    "is written anew": lambda path: path.write_bytes(path.read_bytes()),
    "is removed": lambda path: path.unlink(),
}


def changing(monkeypatch, change, path, first=True):
    """Change the file once: before the rows are counted, or right after it, before the verdict."""
    counted, fetch = [], Source.fetch

    def fetched(*arguments):
        if counted:
            return fetch(*arguments)
        counted.append(True)
        if first:
            change(path)
        found = fetch(*arguments)
        if not first:
            change(path)
        return found

    monkeypatch.setattr(Source, "fetch", fetched)


@pytest.mark.parametrize("first", [True, False], ids=["before it is counted", "after"])
@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_changes_gives_no_verdict(path, monkeypatch, capsys, change, first):
    changing(monkeypatch, CHANGES[change], path, first)
    assert validate.main([str(path.with_name("c.yaml")), str(path)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "while it was read, so there is no verdict; run again" in said


@pytest.mark.parametrize("change", ["grows", "is replaced"])
def test_nothing_goes_to_quarantine_of_a_file_that_changes(path, monkeypatch, capsys, change):
    """Neither while it is written, nor between the verdict and the writing."""
    save = quarantining.save
    monkeypatch.setattr(quarantining, "save", lambda *given, **how: (save(*given, **how), CHANGES[change](path)))
    folder = path.with_name("q")
    assert validate.main([str(path.with_name("c.yaml")), str(path), "--quarantine", str(folder)]) == 2
    assert "while it was read" in capsys.readouterr().err and not folder.exists()


def test_a_file_that_changes_after_the_verdict_is_not_quarantined_by_it(path, monkeypatch, capsys):
    write = quarantining.write
    monkeypatch.setattr(quarantining, "write", lambda *given: (replace(path), write(*given))[1])
    folder = path.with_name("q")
    assert validate.main([str(path.with_name("c.yaml")), str(path), "--quarantine", str(folder)]) == 2
    assert "while it was read" in capsys.readouterr().err and not folder.exists()


def test_a_file_more_is_a_change_of_a_glob(tmp_path, monkeypatch):
    scene = scenes.Scene(tmp_path)
    scene.put("a.csv", scenes.rows("ABC", 30))
    changing(monkeypatch, lambda path: scene.put("b.csv", scenes.rows("Q", 30)), None)
    with pytest.raises(DataError, match=r"b\.csv: was put there while it was read"):
        validate.validate(str(tmp_path / "*.csv"), validate.contracts.load(scene.put("c.yaml", scenes.CONTRACT)))


def test_rows_that_are_loaded_whole_come_from_one_state(path, monkeypatch):
    """For the drill, and for a contract that is drafted from a table."""
    contract = validate.contracts.load(path.with_name("c.yaml"))
    relate = Source.relate
    monkeypatch.setattr(Source, "relate", lambda *given: (relate(*given), grow(path))[0])
    with pytest.raises(DataError, match="was changed while it was read"):
        load(str(path), contract)


def test_a_file_that_stays_is_read_as_ever(path):
    assert validate.main([str(path.with_name("c.yaml")), str(path)]) == 0


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such pipes")
def test_a_pipe_is_no_file_that_can_be_read_twice(tmp_path):
    os.mkfifo(tmp_path / "rows.csv")
    contract = scenes.Scene(tmp_path).put("c.yaml", scenes.CONTRACT)
    with pytest.raises(DataError, match=r"rows\.csv: is no regular file"):
        validate.validate(str(tmp_path / "rows.csv"), str(contract))
