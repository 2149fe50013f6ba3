"""The command line of the audit: its five formats, exit status, and what is asked wrongly."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from audited import FOUND, ITEMS, NOT_AUDITED, NOTHING, SILENT, run, write
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as Sarif

import seed
from contracts.auditing.findings import QUESTIONS, RULES

HOSTILE = "x\u202e%0A::error::<b>|`\x1b[2J"


@pytest.fixture
def strange(tmp_path, monkeypatch) -> Path:
    """A folder in which values and comments hold what would end a line or speak to the terminal."""
    monkeypatch.chdir(tmp_path)
    sql = f"select case kind when '{HOSTILE}' then 1 when 'b' then 2 else 2 end as m from items"
    return write(tmp_path, {"items.yaml": ITEMS, "sql/pricing/q.sql": sql, "sql/pricing/bad,1.sql": "select ("})


def test_json_has_the_agreed_shape(strange, capsys):
    status, out, _ = run(capsys, "sql", "--contracts", ".", "--format", "json")
    found = json.loads(out)
    assert status == NOT_AUDITED
    assert set(found["findings"][0]) == {"rule", "file", "line", "column", "table", "field", "message", "suggestion"}
    assert found["not_audited"] == [{"file": "sql/pricing/bad,1.sql", "reason": found["not_audited"][0]["reason"]}]
    assert [one["question"] for one in found["summary"]["questions"]] == [question for question, _ in QUESTIONS]


def test_text_is_in_the_order_of_the_questions(strange, capsys):
    status, out, _ = run(capsys, "sql", "--contracts", ".")
    lines = out.splitlines()
    assert status == NOT_AUDITED
    assert [line[:2] for line in lines if re.match(r"[1-6]\. ", line)] == ["1.", "2."]
    assert lines[1].startswith("sql/pricing/q.sql:1:13: unwritten-clause: ")
    assert "not audited: sql/pricing/bad,1.sql: line 1: " in out and "NOT AUDITED: 1" in lines[-1]
    assert "\x1b" not in out and "\u202e" not in out


def test_github_annotates_each_line_and_no_value_ends_a_command(strange, capsys):
    _, out, _ = run(capsys, "sql", "--contracts", ".", "--format", "github")
    commands = [line for line in out.splitlines() if line.startswith("::")]
    assert commands[0].startswith("::warning file=sql/pricing/q.sql,line=1,col=13,title=unwritten-clause::")
    assert any(line.startswith("::error file=sql/pricing/bad%2C1.sql,title=not audited::") for line in commands)
    assert not any(line.startswith("::error::") for line in commands) and "%250A" in out


def test_sarif_is_valid(strange, capsys):
    log = Sarif.model_validate_json(run(capsys, "sql", "--contracts", ".", "--format", "sarif")[1])
    result = log.runs[0].results[0]
    region = result.locations[0].physicalLocation.region
    assert (result.ruleId, region.startLine, region.startColumn) == ("unwritten-clause", 1, 13)
    assert {rule.id for rule in log.runs[0].tool.driver.rules} == set(RULES)
    assert log.runs[0].invocations[0].executionSuccessful is False


def test_markdown_is_a_page_with_the_six_questions(strange, capsys):
    _, out, _ = run(capsys, "sql", "--contracts", ".", "--format", "markdown")
    assert re.findall(r"^## (\d)", out, re.MULTILINE) == list("123456")
    rows = [line for line in out.splitlines() if line.startswith("| sql")]
    assert len(rows) == 2 and all(len(re.findall(r"(?<!\\)\|", row)) == 5 for row in rows)
    assert "## Not audited" in out and "\u202e" not in out and "\x1b" not in out


def test_exit_statuses(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(
        write(
            tmp_path,
            {"items.yaml": ITEMS, "ok/pricing/q.sql": "select item_id from items", "bad/pricing/q.sql": SILENT},
        )
    )
    assert run(capsys, "ok", "--contracts", ".")[0] == NOTHING
    assert run(capsys, "bad", "--contracts", ".")[0] == FOUND
    status, out, _ = run(capsys, "bad", "nowhere", "--contracts", ".", "--format", "json")
    assert status == NOT_AUDITED and len(json.loads(out)["findings"]) == 1
    (tmp_path / "empty").mkdir()
    assert run(capsys, "empty")[0] == NOT_AUDITED  # nothing audited is no clean bill


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--contracts", "nowhere"], "there is no nowhere"),
        (["--dialect", "klingon"], "is no SQL dialect"),
        (["--data", "items"], "CONTRACT=FILE"),
        (["--amount", "m"], "give it with --data"),
        (["--data", "itms=items.csv", "--contracts", "."], "did you mean items"),
        (["--data", "items=items.csv", "--contracts", ".", "--where", "itms=1=1"], "--where"),
        (["--data", "items=items.csv", "--contracts", ".", "--where", "items=nonsense ("], "cannot be read"),
    ],
)
def test_what_is_asked_wrongly_is_said_in_one_line(tmp_path, capsys, monkeypatch, arguments, why):
    monkeypatch.chdir(write(tmp_path, {"items.yaml": ITEMS, "q.sql": SILENT, "items.csv": "item_id,grade\n1,A\n"}))
    status, out, err = run(capsys, "q.sql", *arguments)
    assert (status, out) == (2, "") and why in err and err.count("\n") == 1


def test_the_command_from_elsewhere_and_without_what_it_does_not_need(tmp_path):
    """From another folder, with a folder `contracts` of its own, no root module, no clause/, no DuckDB without data."""
    write(tmp_path, {"contracts/items.yaml": ITEMS, "sql/pricing/q.sql": SILENT})
    code = (
        f"import sys; sys.path.insert(0, {str(seed.ROOT)!r}); from contracts.__main__ import main;"
        "status = main(['audit', 'sql', '--contracts', 'contracts']);"
        "print(sorted({'clause', 'validate', 'seed', 'monitors', 'boundary', 'duckdb'} & set(sys.modules)), status)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, encoding="utf-8")
    assert done.stderr == "" and done.stdout.splitlines()[-1] == "[] 1"


@pytest.mark.parametrize(
    ("condition", "says"),
    [
        ("grade in ('A', 'D')", "it adds nothing to this WHERE"),
        ("grade not in ('A', 'D')", "it takes nothing out of this WHERE"),
        ("grade in ('D', 'E')", "this comparison in WHERE can never be true"),
        ("grade not in ('D', 'E')", "this comparison in WHERE is always true"),
        ("(grade = 'D' or grade = 'A')", "this comparison in WHERE can never be true"),
        ("case grade when 'D' then 1 when 'A' then 2 end = 2", "it adds nothing to this CASE"),
    ],
)
def test_an_unknown_literal_in_a_list_says_what_is_so(tmp_path, capsys, condition, says):
    write(tmp_path, {"items.yaml": ITEMS, "sql/pricing/q.sql": f"select item_id from items where {condition}"})
    _, out, _ = run(capsys, str(tmp_path / "sql"), "--contracts", str(tmp_path))
    found = [line for line in out.splitlines() if "unknown-literal: 'D'" in line]
    assert len(found) == 1 and found[0].endswith(f"which are 'A', 'B', 'C'; so {says}")


@pytest.mark.parametrize(
    ("expression", "from_", "says"),
    [
        ("sum(case kind when 'x' then price_cents when 'y' then -price_cents else 0 end)", "items",
         "stop with error('unknown kind') there, or test before that kind has no other value; NULL is no help"),
        ("avg(case grade when 'A' then 3 when 'B' then 2 when 'C' then 1 else 1 end)", "items",
         "stop with error('unknown grade') there, or test before that grade has no other value; NULL is no help"),
        ("case grade when 'A' then 3 when 'B' then 2 when 'C' then 1 else 1 end", "items",
         "write ELSE NULL and test that the result is not null, or stop"),
        ("sum(coalesce(f.factor, 1))", "items left join factors f on f.grade = items.grade",
         "there, or test before that the joined table has every grade; NULL is no help"),
    ],
)  # fmt: skip
def test_what_is_advised_works_in_an_aggregate_which_passes_over_null(tmp_path, capsys, expression, from_, says):
    sql = f"select {expression} as m from {from_}"
    factors = "create table factors as select 'A' as grade, 3 as factor"
    write(tmp_path, {"items.yaml": ITEMS, "sql/pricing/q.sql": sql, "sql/pricing/factors.sql": factors})
    _, out, _ = run(capsys, str(tmp_path / "sql"), "--contracts", str(tmp_path))
    lines = out.splitlines()
    (advice,) = [lines[n + 1] for n, line in enumerate(lines) if " silent-else: " in line]
    assert says in advice and ("ELSE NULL and" in advice) == says.startswith("write")


@pytest.mark.parametrize(
    ("sql", "status", "says"),
    [
        ("case grade when 'A' then price_cents when 'B' then price_cents else 0 end", NOTHING, "whether 'C' of grade"),
        ("case when grade in ('A', 'B') then price_cents else 0 end", NOTHING, ""),
        ("case grade when 'A' then price_cents else 0 end", NOTHING, ""),
        (
            "case when grade in ('A', 'B', 'C') then price_cents else 0 end",
            FOUND,
            "leaves out only what nobody expected",
        ),
    ],
    ids=["a branch each, one value without", "a filter of two", "of one", "of all"],
)
def test_a_sum_of_some_promised_values_is_a_filter_unless_one_may_be_forgotten(tmp_path, capsys, sql, status, says):
    write(tmp_path, {"items.yaml": ITEMS, "sql/pricing/q.sql": f"select sum({sql}) / 100 as eur from items"})
    ended, out, _ = run(capsys, str(tmp_path / "sql"), "--contracts", str(tmp_path))
    assert ended == status and says in out
    assert ("is not judged: a filter or a forgotten branch" in out) == says.startswith("whether")
