"""Nobody names their way to other files: links, globs, addresses, folders, views."""

import csv
import os
import stat
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from attacks import X, posix, save

import validate
from clause import running, sources
from contracts import __main__ as command
from contracts.auditing import templating
from contracts.errors import DataError
from contracts.interop import import_file


def broken(path: str) -> bool:
    """Whether the file there is read, in which x is not A."""
    return [(one.rule, one.failing) for one in validate.validate(path, X)] == [("enum", 1)]


def write(path: str) -> str:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    if path.endswith(".parquet"):
        with open(path, "wb") as file:  # or pyarrow would take s3: for an address
            pq.write_table(pa.table({"x": ["excellent"]}), file)
    else:
        Path(path).write_text('{"x": "excellent"}\n' if path.endswith("l") else "x\nexcellent\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("folder", ["x=A", "c0=A", "json=A"])
def test_a_folder_says_nothing_about_a_value(tmp_path, monkeypatch, folder, suffix):
    monkeypatch.chdir(tmp_path)
    assert broken(write(f"{folder}/t.{suffix}"))


@posix
@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize(
    "name", ["q'); copy x to 'y", "[ab]*?{c}", "~", "~/t", "s3:", "https:", "file:", "|cat", "$HOME", "a\nb", "--"]
)
def test_the_name_of_a_file_is_a_name(tmp_path, monkeypatch, name, suffix):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    pattern = f"*.{suffix}" if "/" not in name else f"*/*.{suffix}"
    assert broken(write(f"{name}.{suffix}")) and broken(pattern)


def test_a_view_in_a_database_reads_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("secret.txt").write_text("TOP SECRET", encoding="utf-8")
    with duckdb.connect("d.duckdb") as connection:
        connection.execute("create view t as select content from read_text('secret.txt')")
    with pytest.raises(DataError, match="disabled by configuration"):
        import_file("d.duckdb", "table")


@posix
def test_links_that_lead_out_of_a_folder_are_not_read(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("secret.sql").write_text("{% macro m() %}TOP SECRET{% endmacro %} TOP SECRET", encoding="utf-8")
    for folder in ("in/team", "in/macros"):
        Path(folder).mkdir(parents=True)
        Path(folder, "link.sql").symlink_to(tmp_path / "secret.sql")
    save("in/dbt_project.yml", {"name": "p"})
    Path("in/team/calls.sql").write_text("select '{{ m() }}' as x from t", encoding="utf-8")
    save("t.yaml", X | {"consumers": ["team"]})
    for arguments in (["audit", "in"], ["readers", "t.yaml", "x", "--consumers", "in"]):
        assert command.main(arguments) == 2
        out, _ = capsys.readouterr()
        assert "is a link to a file elsewhere" in out and "SECRET" not in out
    templates = templating.Templates("duckdb", Path("in"))
    assert "SECRET" not in templates.rendered("{{ m() }}", "calls")[0].sql
    models = running.Consumers(Path("in"), "t", pa.table({"x": ["A"]})).models
    assert [one.name for one in models] == ["calls"]


LISTINGS = "version: 1.0.0\nowner: us\nfields: [{name: x, type: string, enum: [A]}]\n"


@posix
def test_a_pipe_or_a_device_in_a_folder_is_not_waited_for(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for folder in ("history", "team/pricing", "data"):
        Path(folder).mkdir(parents=True)
    for pipe in ("history/items-0.9.0.yaml", "team/pricing/f.sql", "data/f.csv"):
        os.mkfifo(pipe)
    Path("data/z.csv").symlink_to("/dev/zero")
    Path("team/pricing/elsewhere.sql").symlink_to("/etc/hostname")
    Path("team/pricing/latin.sql").write_bytes(b"select '\xe9' from items")
    Path("items.yaml").write_text(LISTINGS, encoding="utf-8")
    Path("q.sql").write_text("select case when x = 'A' then 1 else 2 end as y from items", encoding="utf-8")

    def said(*arguments: str) -> str:
        assert command.main(list(arguments)) == 2
        told = capsys.readouterr()
        return told.out + told.err

    assert "history/items-0.9.0.yaml is no regular file" in said("compat", "items.yaml", "--history", "history")
    assert "history/items-0.9.0.yaml: it is no ordinary file" in said("audit", "q.sql", "--contracts", "history")
    for name, pattern in (("f", "f"), ("z", "z"), ("f", "*")):
        given = ("--contracts", "items.yaml", "--data", f"items=data/{pattern}.csv")
        assert f"data/{name}.csv: is no regular file; copy what it gives to one" in said("audit", "q.sql", *given)
    here = running.Consumers(Path("team"), "items", pa.table({"x": ["A"]}))
    assert here.not_run == {
        "pricing/elsewhere.sql": "it is a link to a file elsewhere",
        "pricing/f.sql": "it is no ordinary file",
        "pricing/latin.sql": "it is not UTF-8",
    }
    assert here.teams == {"pricing"}


@pytest.mark.parametrize("name", ["../../x", "a/b", "a\\b", "/x", "..", ".x", "C:x", "-rf", "a\0b", "x\u202ey"])
def test_no_name_in_a_contract_leads_out_of_the_folder(tmp_path, monkeypatch, capsys, name):
    monkeypatch.chdir(tmp_path)
    save("a.yaml", X | {"dataset": name})
    save(
        "b.yaml", X | {"dataset": name, "version": "2.0.0", "fields": [{"name": "x", "type": "string", "enum": ["B"]}]}
    )
    assert command.main(["plan", "a.yaml", "b.yaml", "--out", "deep/out"]) == 2
    assert "is no name for a file, so nothing is written" in capsys.readouterr().err
    assert {path.name for path in tmp_path.rglob("*")} == {"a.yaml", "b.yaml"}


@posix
def test_what_is_written_takes_the_place_of_a_link_and_heeds_the_umask(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("t.csv")
    Path("victim").write_text("as it was", encoding="utf-8")
    Path("q").mkdir()
    Path("q/quarantined.csv").symlink_to(tmp_path / "victim")
    before = os.umask(0o077)
    try:
        validate.main([save("c.yaml", X), "t.csv", "--quarantine", "q"])
    finally:
        os.umask(before)
    assert Path("victim").read_text(encoding="utf-8") == "as it was"
    assert {stat.S_IMODE(path.lstat().st_mode) for path in Path("q").iterdir()} == {0o600}


RUN = ["=cmd|' /C calc'!A0", "=1", " =1", "+1+1", "-2+3", "-cmd|x", "@SUM(1)", "\t=1", "\r=2", "\n@x", "＝1"]  # noqa: RUF001
TEXT = ["a=b", "-5", "+49 30 1234", "-1.5e-3", "-", "'=1", "a\n=1", " x"]


def test_no_quarantined_cell_is_a_formula_and_all_else_stays_as_it_was(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f'"{cell}","{cell}"' for cell in [*RUN, *TEXT]]
    Path("t.csv").write_bytes("\r\n".join(["x,=y", *lines, "A,=accepted", ""]).encode())
    validate.main([save("c.yaml", X), "t.csv", "--quarantine", "q"])
    with open("q/quarantined.csv", encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["x", "'=y", "broken_clauses"]
    assert [row[0] for row in rows] == [*(f"'{cell}" for cell in RUN), *TEXT]
    assert [row[1] for row in rows] == [row[0] for row in rows] and {row[2] for row in rows} == {"x: enum"}
    assert Path("q/accepted.csv").read_text() == "x,=y\nA,=accepted\n"  # it goes on to programs, not to people


def test_the_reason_for_a_quarantine_is_no_formula(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("x\nA\n")
    validate.main([save("c.yaml", {**X, "fields": [{"name": "=x", "type": "string"}]}), "t.csv", "--quarantine", "q"])
    assert Path("q/quarantined.csv").read_text() == "x,broken_clauses\nA,'=x: missing\n"


def test_duckdb_spills_into_a_private_folder_and_fetches_no_extension():
    asked = "select name, value from duckdb_settings() where name in ('temp_directory', 'autoinstall_known_extensions')"
    found = dict(sources.connect().execute(asked).fetchall())
    assert found["autoinstall_known_extensions"] == "false"
    assert str(os.getpid()) not in found["temp_directory"] or len(Path(found["temp_directory"]).name) > 20
    if os.name != "nt":
        assert stat.S_IMODE(Path(found["temp_directory"]).stat().st_mode) == 0o700
