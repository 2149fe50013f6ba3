"""The gate: `python validate.py CONTRACT DATA`, its exit status and its five ways to say the verdict."""

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as Sarif

import contracts
import drill
import seed
import validate
from clause import verdicts
from contracts.__main__ import main as contracts_command

KEPT, BROKEN, COULD_NOT_CHECK = 0, 1, 2
FORMATS = list(verdicts.FORMATS)
# Names and values that would end a line, a tag or a command, or speak to the terminal.
HOSTILE = "v\r\n\x1b[2J\x07%0A::error::<script>&\"'\x00]]>,:é👍\u202e"
LISTINGS = str(seed.ROOT / "contracts/listings.yaml")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with a contract, data that keeps it and data that breaks it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.yaml").write_text(
        "version: 1.0.0\nowner: us\nconsumers: [a]\nfields:\n- name: x\n  type: string\n  enum: [A]\n", encoding="utf-8"
    )
    (tmp_path / "kept.csv").write_text("x\nA\n", encoding="utf-8")
    (tmp_path / "broken.csv").write_text("x,extra\nA,1\nQ,2\n", encoding="utf-8")
    return tmp_path


def hostile(folder):
    """A contract and rows in which whatever can hold text holds hostile text."""
    fields = [{"name": HOSTILE, "type": "string", "enum": [HOSTILE + "A"]}, {"name": "gone" + HOSTILE, "type": "date"}]
    head = {"version": "1.0.0", "owner": HOSTILE, "consumers": [HOSTILE], "dataset": HOSTILE}
    clauses = head | {"freshness": {"max_lag": "1h", "field": "gone" + HOSTILE}, "fields": fields}
    (folder / "h.yaml").write_text(yaml.safe_dump(clauses, sort_keys=False), encoding="utf-8")
    (folder / "h.jsonl").write_text(json.dumps({HOSTILE: HOSTILE, "more" + HOSTILE: 1}), encoding="utf-8")
    return "h.yaml", "h.jsonl"


def gate(*arguments, **environment):
    """Run the gate in a process of its own: exit status, standard output, standard error."""
    command = [sys.executable, str(seed.ROOT / "validate.py"), *map(str, arguments)]
    done = subprocess.run(command, env=os.environ | environment, capture_output=True)
    return done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8")


def said(capsys, *arguments):
    """Run the gate in this process: exit status and standard output."""
    return validate.main([*map(str, arguments)]), capsys.readouterr().out


# --- exit status -----------------------------------------------------------------------------------------------------


def test_exit_0_where_every_clause_is_kept(here):
    assert gate("t.yaml", "kept.csv") == (KEPT, "KEPT (t 1.0.0, 1 row, 3 clauses checked)\n", "")


def test_exit_1_where_a_clause_is_broken_and_the_verdict_is_the_last_line(here):
    status, out, err = gate("t.yaml", "broken.csv")
    assert (status, err) == (BROKEN, "")
    assert out.splitlines() == [
        "broken       enum       x: 1 of 2 rows are outside the allowed [A]: Q (1 row); affects a",
        "allowed      additive   extra: in the table, not in the contract, which allows that",
        "BROKEN: 1 violation (t 1.0.0, 2 rows, 3 clauses checked)",
    ]


def test_exit_2_where_nothing_was_checked(here, capsys):
    (here / "empty.jsonl").write_text("", encoding="utf-8")
    status, out = said(capsys, "t.yaml", "empty.jsonl")
    assert status == COULD_NOT_CHECK
    assert out.splitlines()[-1] == "COULD NOT CHECK: no clause could be checked (t 1.0.0, 0 rows, 0 clauses checked)"


def test_what_is_wrong_with_the_file_as_a_whole_is_said_once(here, capsys):
    (here / "semicolons.csv").write_text("listing_id;item_condition\n1;A\n", encoding="utf-8")
    status, out = said(capsys, LISTINGS, "semicolons.csv")
    names = ", ".join(field.name for field in contracts.load(LISTINGS).fields)
    assert status == BROKEN and out.splitlines()[1:] == [
        f"broken       missing    12 clauses ({names}): the column is missing; the only column is"
        " 'listing_id;item_condition', so are the cells separated by commas?;"
        " affects data-platform, pricing-service, finance-reporting",
        "not checked  freshness  synced_at: synced_at holds no time to judge by",
        f"not checked             30 clauses ({names}): the column is missing",
        "allowed      additive   listing_id;item_condition: in the table, not in the contract, which allows that",
        "BROKEN: 13 violations (listings 1.4.0, 1 row, 13 clauses checked)",
    ]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("x;y\n1,5;2\n", "Found: 2; the only column is 'x;y', so are the cells separated by commas?\n"),
        ("x\n1\n2,3\n", "Found: 2\n"),  # a cell too many, in the last line too, is not cut short
        ("x,y\n1,2\n3\n", "Found: 1; was it written to its end?\n"),
        ("x,y\n1\n2,3\n", "Found: 1\n"),
        ("1,,\n2,,\n", "of the name '': a contract speaks of one; rename the other, or is the header line missing?\n"),
    ],
)
def test_what_is_likely_is_asked_where_a_csv_file_cannot_be_read(here, capsys, content, says):
    (here / "d.csv").write_text(content, encoding="utf-8")
    for command in (validate.main, ["t.yaml", "d.csv"]), (contracts_command, ["import", "d.csv", "--from", "table"]):
        assert command[0](command[1]) == COULD_NOT_CHECK
        assert capsys.readouterr().err.endswith(says)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    ("contract", "data", "says"),
    [
        ("t.yaml", "none.csv", "none.csv: there is no such file; expected CSV, Parquet or JSON files"),
        ("t.yaml", "*.parquet", "*.parquet: no file matches the glob"),
        ("t.yaml", "ragged.csv", "ragged.csv, line 3: cannot be read: Expected Number of Columns: 1 Found: 2"),
        ("t.yaml", "\x1b[2J\n.csv", r"\x1b[2J\n.csv: no file matches the glob"),
        ("none.yaml", "kept.csv", "none.yaml:1:1: cannot read the file: No such file or directory"),
        ("bad.yaml", "kept.csv", "bad.yaml:3:26: 'strin' is no type; the types are"),
    ],
)
def test_exit_2_where_the_contract_or_the_data_cannot_be_read(here, capsys, format, contract, data, says):
    (here / "ragged.csv").write_text("x\n1\n2,3\n", encoding="utf-8")
    (here / "bad.yaml").write_text("version: 1.0.0\nowner: us\nfields: [{name: x, type: strin}]\n", encoding="utf-8")
    assert validate.main([contract, data, "--format", format]) == COULD_NOT_CHECK
    out, err = capsys.readouterr()
    assert err.startswith(says) and err.count("\n") == 1
    if format == "text":
        assert out == ""
    elif format == "json":
        assert json.loads(out) == {"verdict": "could not check", "error": err.strip()}
    elif format == "github":
        assert out.startswith("::error title=could not check::") and out.count("\n") == 1
    elif format == "junit":
        assert ElementTree.fromstring(out).find("testsuite/testcase/error").text == err.strip()
    else:
        run = Sarif.model_validate_json(out).runs[0]
        assert not run.invocations[0].executionSuccessful


@pytest.mark.parametrize("data", ["s3://bucket/*.parquet", "gs://bucket/t.csv", "https://h/t.json?key=1"])
def test_exit_2_where_an_address_cannot_be_read_for_want_of_httpfs(here, data):
    """The extension is looked for in DuckDB's folder alone, not in the network."""
    where = {"HOME": str(here), "USERPROFILE": str(here)}  # where DuckDB keeps its extensions
    status, out, err = gate("t.yaml", data, **where)
    assert (status, out) == (COULD_NOT_CHECK, "")
    assert err.startswith(f"{data}: is not on this machine, and DuckDB's extension httpfs, which would read it, is not")
    assert "install httpfs" in err and err.count("\n") == 1


@pytest.mark.parametrize("data", ["data/accepted.csv", "data/*.csv"])
def test_a_quarantine_never_lies_among_its_data(here, capsys, data):
    (here / "data").mkdir()
    (here / "data" / "accepted.csv").write_text("x\nA\nQ\n", encoding="utf-8")
    assert validate.main(["t.yaml", data, "--quarantine", "data"]) == COULD_NOT_CHECK
    assert "is among the data" in capsys.readouterr().err
    assert [path.name for path in (here / "data").iterdir()] == ["accepted.csv"]
    assert (here / "data" / "accepted.csv").read_text(encoding="utf-8") == "x\nA\nQ\n"


def test_every_fault_of_a_contract_is_said_at_once(here, capsys):
    (here / "bad.yaml").write_text(
        "version: 1.0\nfields: [{name: x, type: string, requierd: true}]\n", encoding="utf-8"
    )
    assert validate.main(["bad.yaml", "kept.csv"]) == COULD_NOT_CHECK
    err = capsys.readouterr().err
    assert "a version is three numbers" in err and "the key owner is missing" in err and "did you mean required?" in err


@pytest.mark.parametrize(
    "arguments", [[], ["t.yaml"], ["t.yaml", "kept.csv", "--format", "xml"], ["t.yaml", "kept.csv", "--as-of", "noon"]]
)
def test_exit_2_where_the_command_line_is_wrong(here, capsys, arguments):
    with pytest.raises(SystemExit) as stop:
        validate.main(arguments)
    assert stop.value.code == COULD_NOT_CHECK
    assert "usage: python validate.py" in capsys.readouterr().err


@pytest.mark.parametrize("command", [validate.main, drill.main])
def test_exchanged_arguments_are_asked_about(here, capsys, command):
    assert command(["kept.csv", "t.yaml"]) == COULD_NOT_CHECK
    asked = "kept.csv is no contract, and t.yaml may be one: did CONTRACT and DATA change places?"
    assert capsys.readouterr().err.removeprefix("drill.py: ") == f"{asked} Write the contract first\n"
    for contract, data in [("kept.csv", "broken.csv"), ("none.yaml", "t.yaml")]:
        assert command([contract, data]) == COULD_NOT_CHECK
        assert capsys.readouterr().err.startswith(f"{contract}:1:1: ")


def test_a_crash_is_no_verdict():
    code = "import sys, validate; sys.exit(validate.command(lambda: 1 // 0))"
    done = subprocess.run([sys.executable, "-c", code], cwd=seed.ROOT, capture_output=True, text=True)
    assert done.returncode == COULD_NOT_CHECK
    assert done.stderr.endswith("ZeroDivisionError: integer division or modulo by zero\n")


# --- options ---------------------------------------------------------------------------------------------------------


def listings(folder, stage):
    path = folder / "listings.parquet"
    pq.write_table(pa.Table.from_pylist(seed.listings(stage)), path)
    return path


@pytest.mark.parametrize(
    ("as_of", "status"),
    [
        (["--as-of", "2026-08-18T14:30:00+02:00"], KEPT),
        (["--as-of", "2026-08-18T12:30:00"], KEPT),  # in the zone of the contract, UTC
        (["--as-of", "2026-08-18T20:00:00+02:00"], BROKEN),
        (["--as-of", "2026-08-17T00:00:00+02:00"], BROKEN),  # the rows are of the future
        ([], BROKEN),  # now
    ],
)
def test_as_of_says_when_freshness_is_judged_and_is_now_by_default(tmp_path, capsys, as_of, status):
    assert said(capsys, LISTINGS, listings(tmp_path, "before"), *as_of)[0] == status


def test_loaded_at_says_when_the_table_was_loaded(here, capsys):
    (here / "f.yaml").write_text((here / "t.yaml").read_text() + "freshness: {max_lag: 1h}\n", encoding="utf-8")
    as_of = ["--as-of", "2026-08-18T12:00:00Z"]
    status, out = said(capsys, "f.yaml", "kept.csv", *as_of)
    assert status == KEPT and out.startswith("not checked  freshness ")
    assert said(capsys, "f.yaml", "kept.csv", *as_of, "--loaded-at", "2026-08-18T11:30:00Z")[0] == KEPT
    assert said(capsys, "f.yaml", "kept.csv", *as_of, "--loaded-at", "2026-08-18T10:30:00Z")[0] == BROKEN


@pytest.mark.parametrize(
    ("data", "accepted", "quarantined"),
    [
        ("d.csv", "x,y\nA,007\n", 'x,y,broken_clauses\nQ,"",x: enum\n'),
        ("d.jsonl", '{"x":"A","y":"007"}\n', '{"x":"Q","y":"","broken_clauses":["x: enum"]}\n'),
    ],
)
def test_quarantine_writes_two_files_of_the_same_kind(here, capsys, data, accepted, quarantined):
    texts = {"d.csv": 'x,y\nA,007\nQ,""\n', "d.jsonl": '{"x": "A", "y": "007"}\n{"x": "Q", "y": ""}\n'}
    (here / data).write_text(texts[data], encoding="utf-8")
    assert said(capsys, "t.yaml", data, "--quarantine", "a/b")[0] == BROKEN
    suffix = data[1:]
    assert sorted(os.listdir("a/b")) == [f"accepted{suffix}", f"quarantined{suffix}"]
    assert (here / f"a/b/accepted{suffix}").read_text(encoding="utf-8") == accepted
    assert (here / f"a/b/quarantined{suffix}").read_text(encoding="utf-8") == quarantined


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_a_quarantine_says_how_many_rows_went_where(here, capsys, kind):
    values = ["A"] * 1234 + ['Q"', "two\nlines", "two\r\nlines", "", "'", "=1"]
    rows = {"x": values, "more": ['a "word"\n'] * len(values)}
    path = str(here / f"many.{kind}")
    with duckdb.connect() as connection:
        connection.register("many", pa.table(rows))
        connection.execute(f"copy many to '{path}' (format {kind.removesuffix('l')})")
    assert validate.main(["t.yaml", path, "--quarantine", "q"]) == BROKEN
    accepted, quarantined = (Path("q", f"{name}.{kind}") for name in ("accepted", "quarantined"))
    assert capsys.readouterr().err == f"written: {accepted} (1,234 rows), {quarantined} (6 rows)\n"
    assert validate.main(["t.yaml", "kept.csv", "--quarantine", "q"]) == KEPT
    assert "(1 row), " in (err := capsys.readouterr().err) and "(0 rows)" in err


def test_a_quarantine_is_a_table_that_the_gate_can_read(tmp_path, capsys):
    after, as_of = listings(tmp_path, "after"), ["--as-of", "2026-08-19T15:30:00+02:00"]
    assert said(capsys, LISTINGS, after, *as_of, "--quarantine", tmp_path)[0] == BROKEN
    again = said(capsys, seed.ROOT / "contracts/history/listings-1.3.0.yaml", tmp_path / "quarantined.parquet", *as_of)
    assert again[0] == KEPT and "8,000 rows" in again[1]


def test_a_quarantine_that_cannot_be_written_is_exit_2(here, capsys):
    assert validate.main(["t.yaml", "broken.csv", "--quarantine", "kept.csv"]) == COULD_NOT_CHECK
    assert "cannot write the quarantine" in capsys.readouterr().err
    assert (here / "kept.csv").read_text(encoding="utf-8") == "x\nA\n"


# --- formats ---------------------------------------------------------------------------------------------------------


def test_json_has_these_keys(here, capsys):
    status, out = said(capsys, "t.yaml", "broken.csv", "--format", "json")
    found = json.loads(out)
    keys = ["dataset", "version", "rows", "verdict", "violations", "not_checked", "additive_columns"]
    assert (status, list(found)) == (BROKEN, keys)
    assert [found[key] for key in keys if key != "violations"] == ["t", "1.0.0", 2, "broken", [], ["extra"]]
    [violation] = found["violations"]
    assert violation == validate.validate("broken.csv", "t.yaml")[0].to_dict()


def test_json_says_what_was_not_checked(here, capsys):
    (here / "empty.jsonl").write_text("", encoding="utf-8")
    found = json.loads(said(capsys, "t.yaml", "empty.jsonl", "--format", "json")[1])
    assert found["verdict"] == "could not check"
    assert [set(clause) for clause in found["not_checked"]] == [{"rule", "field", "reason"}] * 3


def test_github_annotations_point_at_the_line_of_the_clause(here, capsys):
    assert said(capsys, "t.yaml", "broken.csv", "--format", "github")[1].splitlines() == [
        "::error file=t.yaml,line=7,title=t 1.0.0%2C x%3A enum"
        "::x: 1 of 2 rows are outside the allowed [A]: Q (1 row); affects a",
        "BROKEN: 1 violation (t 1.0.0, 2 rows, 3 clauses checked)",
    ]


LINES = {  # a clause in line 7 and after, and the line that an annotation has
    "volume: {min_rows: 9}": 7,
    "  required: true": 7,
    "  pattern: Q": 7,
    "- {name: gone, type: string}": 7,
    "- name: y\n  type: integer": 8,
    "- name: n\n  type: integer\n  max: 1": 9,
    "- name: n\n  type: integer\n  min: 9": 9,
}


@pytest.mark.parametrize("clause", LINES)
def test_an_annotation_has_the_line_of_its_clause(here, capsys, clause):
    text = f"version: 1.0.0\nowner: us\ndataset: t\nfields:\n- name: x\n  type: string\n{clause}\n"
    (here / "c.yaml").write_text(text, encoding="utf-8")
    (here / "c.csv").write_text("x,y,n\nA,a,2\n,c,2\n", encoding="utf-8")
    out = said(capsys, "c.yaml", "c.csv", "--format", "github")[1]
    assert out.startswith(f"::error file=c.yaml,line={LINES[clause]},title=t 1.0.0%2C ") and out.count("::error") == 1


def test_junit_counts_its_cases(here, capsys):
    suite = ElementTree.fromstring(said(capsys, "t.yaml", "broken.csv", "--format", "junit")[1]).find("testsuite")
    counts = [suite.get(name) for name in ("name", "tests", "failures", "errors", "skipped")]
    assert counts == ["t 1.0.0", "2", "1", "0", "0"]
    assert [case.get("name") for case in suite.iter("testcase")] == ["2 clauses kept", "x: enum"]
    assert suite.find("testcase/failure").get("message").startswith("x: 1 of 2 rows are outside")


def test_sarif_is_valid_and_points_at_the_line_of_the_clause(here, capsys):
    log = Sarif.model_validate_json(said(capsys, "t.yaml", "broken.csv", "--format", "sarif")[1])
    [result] = log.runs[0].results
    place = result.locations[0].physicalLocation
    assert (result.ruleId, place.artifactLocation.uri, place.region.startLine) == ("enum", "t.yaml", 7)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("clause", ["enum: [A]", "pattern: '[a-z]'", "max: 5", "type: date", "unique: true"])
def test_no_values_shows_none_of_them_in_any_format(here, capsys, format, clause):
    of = {"max": "number", "type": ""}.get(clause.partition(":")[0], "string")
    typed = f"type: {of}, {clause}" if of else clause
    (here / "v.yaml").write_text(f"version: 1.0.0\nowner: us\nfields: [{{name: x, {typed}}}]\n", encoding="utf-8")
    (here / "v.csv").write_text("x\n" + "7654321\n7654321\n7654322\n" * 4, encoding="utf-8")
    status, out = said(capsys, "v.yaml", "v.csv", "--format", format)
    assert status == BROKEN and "7654321" in out
    status, out = said(capsys, "v.yaml", "v.csv", "--format", format, "--no-values")
    assert status == BROKEN and "765432" not in out
    assert "12 of 12 rows" in out
    if format == "json":
        [violation] = json.loads(out)["violations"]
        counts = [violation[key] for key in ("failing", "checked", "values", "distinct_values")]
        assert counts == [12, 12, [], 2]


def test_without_values_the_other_sentences_stay(here, capsys):
    (here / "w.yaml").write_text(
        "version: 1.0.0\nowner: us\nvolume: {min_rows: 9}\nfields:\n- {name: gone, type: date}\n"
        "- {name: x, type: string, required: true}\n",
        encoding="utf-8",
    )
    (here / "w.csv").write_text("x,y\n,1\n", encoding="utf-8")
    shown = said(capsys, "w.yaml", "w.csv", "--format", "json")
    assert shown == said(capsys, "w.yaml", "w.csv", "--format", "json", "--no-values") and shown[0] == BROKEN


def test_a_column_that_the_contract_forbids_is_said_once(here, capsys):
    forbids = (here / "t.yaml").read_text() + "evolution: {additive: forbidden}\n"
    (here / "f.yaml").write_text(forbids, encoding="utf-8")
    (here / "f.csv").write_text("x,extra\nA,1\n", encoding="utf-8")
    broken, verdict = said(capsys, "f.yaml", "f.csv")[1].splitlines()
    assert broken.startswith("broken       additive   extra: column 'extra' is not in the contract, which forbids")
    assert verdict.startswith("BROKEN: 1 violation")
    assert json.loads(said(capsys, "f.yaml", "f.csv", "--format", "json")[1])["additive_columns"] == ["extra"]


# --- hostile text and hard circumstances -----------------------------------------------------------------------------


@pytest.mark.parametrize("format", FORMATS)
def test_hostile_names_and_values_stay_text(here, capsys, format):
    status, out = said(capsys, *hostile(here), "--format", format)
    assert status == BROKEN
    assert not set("\x1b\x07\x00\r\u202e") & set(out)
    if format == "github":
        *annotations, _ = out.splitlines()
        assert "%250A" in out and not any("%0A" in line for line in annotations)  # GitHub reads %0A as a line end
    if format in ("text", "github"):
        assert [line.split()[0] for line in out.splitlines()] == {
            "text": ["broken", "broken", "not", "not", "allowed", "BROKEN:"],
            "github": ["::error", "::error", "::notice", "::notice", "BROKEN:"],
        }[format]
    elif format == "json":
        assert json.loads(out)["violations"][0]["field"] == HOSTILE
    elif format == "junit":
        [failure, _] = ElementTree.fromstring(out).iter("failure")
        assert r"\x1b[2J" in failure.text and "<script>" in failure.text
    else:
        Sarif.model_validate_json(out)


@pytest.mark.parametrize("format", ["text", "junit"])
def test_a_terminal_that_knows_only_ascii_gets_a_verdict(here, format):
    (here / "u.csv").write_text("x\né👍\n", encoding="utf-8")
    status, out, err = gate("t.yaml", "u.csv", "--format", format, PYTHONIOENCODING="ascii")
    assert (status, err) == (BROKEN, "")
    assert out.isascii()
    if format == "junit":
        assert "é👍" in ElementTree.fromstring(out).find(".//failure").text


def test_colour_is_for_terminals_alone(here, capsys, monkeypatch):
    assert "\033" not in said(capsys, "t.yaml", "broken.csv")[1]
    monkeypatch.setattr(validate, "has_colour", lambda: True)
    assert "\033[31mBROKEN" in said(capsys, "t.yaml", "broken.csv")[1]


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
@pytest.mark.parametrize(
    ("shell", "status"),
    [
        ("{} t.yaml kept.csv >&-", KEPT),
        ("{} t.yaml broken.csv >&-", BROKEN),
        ("{} t.yaml kept.csv | true; exit ${{PIPESTATUS[0]}}", KEPT),
        ("{} t.yaml broken.csv | true; exit ${{PIPESTATUS[0]}}", BROKEN),
        ("{} t.yaml broken.csv | head -c 1; exit ${{PIPESTATUS[0]}}", BROKEN),
        ("{} t.yaml none.csv 2>&-", COULD_NOT_CHECK),
    ],
)
def test_the_exit_status_holds_where_nobody_reads_the_output(here, shell, status):
    command = shell.format(f"'{sys.executable}' '{seed.ROOT / 'validate.py'}'")
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (status, "")


def test_an_empty_name_as_of_a_variable_that_is_not_set_is_no_folder_to_write_into(capsys):
    with pytest.raises(SystemExit, match="2"):
        validate.main(["c.yaml", "d.csv", "--quarantine", ""])
    assert "argument --quarantine: the name is empty; give one" in capsys.readouterr().err
