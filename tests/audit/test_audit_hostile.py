"""SQL that no one should write: one bad file never hides the others, and everything comes to an end."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from audited import ITEMS, NOT_AUDITED, SILENT, ask, places, write

from contracts.audit import audit
from contracts.auditing.facts import Facts
from contracts.auditing.workers import Worker, in_workers


def test_one_bad_file_never_hides_the_others(tmp_path, processes):
    deep = 10_000
    files: dict[str, str | bytes] = {
        "pricing/good.sql": SILENT,
        "pricing/deep_brackets.sql": "select " + "(" * deep + "1" + ")" * deep,
        "pricing/deep_case.sql": "select " + "case when a = 'x' then " * deep + "1" + " end" * deep,
        "pricing/deep_query.sql": "select * from " + "(select * from " * deep + "t" + ")" * deep,
        "pricing/large.sql": "-- filler\n" * 2_000_000 + SILENT,
        "pricing/binary.sql": bytes(range(256)) * 8,
        "pricing/latin.sql": "select 'é'".encode("latin-1"),
        "pricing/prose.sql": "Dear all, this is no SQL.",
        "pricing/unfinished.sql": "select 'abc",
        "pricing/half.sql": f"select from where;\n{SILENT};\nselect (",
        "pricing/procedure.sql": "create procedure p() as begin select case a when 'x' then 1 else 2 end; end",
        "pricing/empty.sql": "",
        "pricing/comment.sql": "-- nothing yet\n",
        "pricing/grants.sql": "grant select on items to role r; set x = 1; drop table y;",
        "pricing/utf16.sql": SILENT.encode("utf-16"),
    }
    found = ask(tmp_path, files)
    assert places(found) == [
        f"{name}.sql:{line}:73 silent-else" for name, line in (("good", 1), ("half", 2), ("utf16", 1))
    ]
    reasons: dict[str, str] = {}
    for one in found.not_audited:
        reasons[Path(one.file).stem] = reasons.get(Path(one.file).stem, "") + one.reason
    expected = {
        "deep_brackets": "nested too deeply",
        "deep_case": "nested too deeply",
        "deep_query": "nested too deeply",
        "large": "bytes, and at most 2,000,000 are read",
        "binary": "binary",
        "latin": "not UTF-8",
        "prose": "line 1: it does not parse as duckdb",
        "unfinished": "does not parse",
        "half": "line 1",
        "procedure": "the body of the PROCEDURE",
    }
    assert reasons.keys() == expected.keys()
    assert all(part in reasons[name] for name, part in expected.items()), reasons
    assert "line 4" in reasons["half"] and found.status == NOT_AUDITED


def test_a_template_without_end_is_cut(tmp_path, processes):
    forever = "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}select 1"
    found = ask(tmp_path, {"pricing/a.sql": SILENT, "pricing/b.sql": forever, "pricing/c.sql": SILENT}, seconds=1.5)
    assert places(found) == ["a.sql:1:73 silent-else", "c.sql:1:73 silent-else"]
    assert [Path(one.file).name for one in found.not_audited] == ["b.sql"]
    assert "not done after 1.5 seconds" in found.not_audited[0].reason


def test_a_process_that_dies_takes_one_file_with_it(tmp_path):
    path = write(tmp_path, {"q.sql": SILENT}) / "q.sql"
    worker, task = Worker(60), (str(path), "q.sql", None, "duckdb")
    try:
        assert isinstance(worker.ask(task), Facts)
        assert worker.process is not None
        worker.process.kill()
        worker.process.wait()
        assert "died" in str(worker.ask(task))
        assert isinstance(worker.ask(task), Facts)
    finally:
        worker.stop()


def test_workers_end_with_who_asked_them(tmp_path, monkeypatch):
    path, asked = str(write(tmp_path, {"q.sql": SILENT}) / "q.sql"), []
    started, start = [], Worker.start
    monkeypatch.setattr(Worker, "start", lambda worker: started.append(start(worker)) or started[-1])
    answers = in_workers((asked.append(i) or (path, f"{i}.sql", None, "duckdb") for i in range(10_000)), 2)
    for _ in range(3):
        next(answers)
    time.sleep(0.3)  # in which they would read hundreds, did they not wait for who asks
    answers.close()
    assert started and all(process.poll() is not None for process in started)
    assert len(asked) < 30  # of ten thousand: what was answered, what was waiting, what was in work


@pytest.mark.skipif(not hasattr(os, "symlink") or os.name == "nt", reason="links need rights on Windows")
def test_links_come_to_an_end(tmp_path, processes):
    sql = write(tmp_path, {"sql/pricing/q.sql": SILENT, "other/x.sql": SILENT, "items.yaml": ITEMS}) / "sql"
    (sql / "pricing" / "again").symlink_to(sql, target_is_directory=True)
    (sql / "pricing" / "out").symlink_to(tmp_path / "other", target_is_directory=True)
    (sql / "pricing" / "a.sql").symlink_to("b.sql")
    (sql / "pricing" / "b.sql").symlink_to("a.sql")
    (sql / "pricing" / "same.sql").symlink_to("q.sql")
    found = audit([str(sql)], contracts=str(tmp_path))
    assert places(found) == ["q.sql:1:73 silent-else"]  # once, although there are three ways to it
    missing = {Path(one.file).name for one in found.not_audited}
    assert missing - {"b.sql"} == {"out", "a.sql"}  # of the two links to each other, the second may be told as well
