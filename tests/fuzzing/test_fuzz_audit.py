"""The audit on SQL that is almost SQL: findings, or what could not be read, file by file."""

# ruff: noqa: E501, lists of words read best on long lines

from __future__ import annotations

import json
import pickle
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from agreements import ROOT
from budget import EXAMPLES, FEW, fuzzed, in_time
from hypothesis import example, given
from hypothesis import strategies as st

import contracts
from contracts.audit import RULES, audit
from contracts.auditing.facts import Facts
from contracts.auditing.findings import Audit, NotAudited
from contracts.auditing.reporting import FORMATS
from contracts.auditing.resolving import Known
from contracts.auditing.rules import Judge
from contracts.auditing.sqlfiles import facts
from contracts.readers import readers

CORPUS = yaml.safe_load((ROOT / "tests" / "audit" / "corpus.yaml").read_text(encoding="utf-8"))
AGREED = [contracts.parse(text, source=f"{name}.yaml") for name, text in CORPUS["contracts"].items()]
AGREED += [contracts.load(ROOT / "contracts" / f"{name}.yaml") for name in ("listings", "orders")]
SQL = [re.sub("⟦.*?⟧", "", case["sql"]) for case in CORPUS["cases"]]
SQL += [path.read_text(encoding="utf-8") for path in sorted((ROOT / "contracts" / "consumers").glob("*/*.sql"))]
TOKENS = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}|'[^']*'|\"[^\"]*\"|--[^\n]*|/\*.*?\*/|\w+|\s+|.", re.DOTALL)
PARTS = [re.findall(TOKENS, text) for text in SQL]
WORDS = sorted({token for parts in PARTS for token in parts})
JINJA = [
    "{{ ref('items') }}", "{{ ref('a', 'b') }}", "{{ source('shop', 'items') }}", "{{ config(materialized='table') }}",
    "{% if x %}", "{% endif %}", "{% else %}", "{% for i in range(3) %}", "{% endfor %}", "{{ i }}", "{% set x = 1 %}",
    "{% set x %}", "{% endset %}", "{{ x", "}}", "{%", "%}", "{# x #}", "{#", "{{ var('x') }}", "{{ this }}",
    "{% macro m(a) %}", "{% endmacro %}", "{{ m(1) }}", "{{ adapter.x() }}", "{% raw %}", "{% endraw %}",
    "{{ 'grade' }}", "{% if is_incremental() %}", "{{ undefined.attribute.of.it }}", "{{ 1/0 }}", "{% include 'x' %}",
    "{{ [1,2]|join(',') }}", "{% call m() %}", "{% do x %}", "{{ x }}{{ y }}", "{%- if target.name == 'x' -%}",
    "{{ 10 ** 10 }}",
]  # fmt: skip
STRANGE = [
    ";", ";;", "(", ")", "((", "))", "[", "]", "{", "}", "'", "''", '"', "`", "$$", "$a$", "--", "/*", "*/", "#", "\\",
    "\x00", "\ufeff", "é", "👍", "@x", ":x", "?", "${x}", "%(x)s", "case", "when", "then", "else", "end", "select",
    "from", "where", "union all", "with recursive", "lateral", "pivot", "unpivot", "qualify", "over ()", "merge into",
    "create table t as", "insert into", "update", "delete from", "begin", "declare", "execute immediate", "values",
    "exists", "in ()", "between", "is not distinct from", "ilike", "::", "::date", "@>", "->", "->>", "#>>", "<=>",
    "!=", "<>", "~*", ".*", "*", "* except (a)", "* exclude (a)", "* replace (1 as a)", "1e999", "0x", "1_000", ".5.5",
    "'a' 'b'", "N'x'", "E'\\n'", "x'ff'", "interval '1' day", "date '2026'",
    "-- contracts: allow silent-else because x", "-- contracts: allow", "/* contracts: allow star */", "grade",
    "items", "i.grade", "decode(grade, 'A', 1, 2)", "if(grade='A',1,2)", "coalesce(grade,'x')", "nullif(a,b)",
    "price_cents / 100", "to_timestamp(sent_at)", "case grade when 'Z' then 1 else 2 end",
    "pivot (sum(x) for grade in ('A','B'))", "go", "explain", "show tables", "use x",
]  # fmt: skip
EXTRA = st.sampled_from([*JINJA, *STRANGE]) | st.sampled_from(WORDS)
DIALECTS = [
    "duckdb", "snowflake", "bigquery", "postgres", "spark", "tsql", "oracle", "mysql", "clickhouse", "redshift",
    "trino",
]  # fmt: skip
DIALECTS += ["databricks", "sqlite", "hive", "teradata", "athena", "doris", "exasol", "prql"]
MOST = 10.0  # seconds for one file: half of what ends it in a worker process


@st.composite
def statements(draw: Any) -> str:
    """SQL of people after some accidents to its words."""
    parts = list(draw(st.sampled_from(PARTS)))
    for _ in range(draw(st.sampled_from([0, 1, 1, 2, 3, 6, 12]))):
        i, j = (draw(st.integers(0, max(0, len(parts) - 1))) for _ in range(2))
        match draw(st.integers(0, 8)):
            case 0:
                del parts[i : i + 1]
            case 1:
                parts[j:j] = parts[i : i + 1]
            case 2 if parts:
                parts[i], parts[j] = parts[j], parts[i]
            case 3:
                parts = parts[: max(1, i)]
            case 4:
                parts[i:i] = draw(st.sampled_from(PARTS))
            case 5:
                parts[i:i] = ["(", *parts[min(i, j) : max(i, j)], ")"]
            case 6:
                parts[i:i] = parts[min(i, j) : max(i, j)]
            case _:
                parts[i:i] = [" ", draw(EXTRA), " "]
    return "".join(parts)[:20_000]


def judged(said: list[Facts], dialect: str) -> Audit:
    """What the audit makes of facts, in this process, and in every form."""
    known = Known(AGREED, said)
    judge = Judge(known, {one.file: one.allowances for one in said}, dialect, complete=True, here={"pricing"})
    missing = [NotAudited(one.file, problem) for one in said for problem in one.problems]
    found = Audit(judge.findings(RULES), missing, judge.not_judged, len(said))
    for name, form in FORMATS.items():
        text = form(found)
        text.encode("utf-8", "backslashreplace")
        if name in ("json", "sarif"):
            json.loads(text)
    return found


@fuzzed(2)
@given(st.lists(statements(), min_size=1, max_size=2), st.sampled_from(["duckdb"] * 6 + DIALECTS), st.booleans())
@example(["sized ')\n\n sized '  as (\n select 1)"], "duckdb", False)
@example(["select {{ 1/0 }} from items"], "duckdb", False)
def test_mutated_sql(tmp_path: Path, texts: list[str], dialect: str, measure: bool) -> None:
    said = []
    for number, text in enumerate(texts):
        path = tmp_path / "pricing" / f"q{number}.sql"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode("utf-8", "replace"))
        with in_time(MOST):
            found = facts(str(path), f"pricing/q{number}.sql", "pricing", dialect, measure)
        assert all(problem.strip() and len(problem.splitlines()) == 1 for problem in found.problems)
        lines = len(re.split(r"\r\n|\r|\n", text))
        said.append(pickle.loads(pickle.dumps(found)))
    with in_time(MOST):
        answer = judged(said, dialect)
    for one in answer.findings:
        assert one.file.endswith(".yaml") or 1 <= one.line <= max(
            lines, max(text.count("\n") + text.count("\r") + 1 for text in texts)
        )


@fuzzed(0.5)
@given(
    statements(),
    st.sampled_from(["utf-8-sig", "utf-16", "utf-16-le", "latin-1", "cp037", "utf-32"]),
    st.binary(max_size=5),
)
def test_odd_encodings(tmp_path: Path, text: str, coding: str, more: bytes) -> None:
    path = tmp_path / "q.sql"
    raw = text.encode(coding, "replace")
    path.write_bytes(raw[: len(raw) // 2] + more + raw[len(raw) // 2 :])
    with in_time(MOST):
        found = facts(str(path), "q.sql", None, "duckdb")
    assert all(len(problem.splitlines()) == 1 for problem in found.problems)
    judged([found], "duckdb")


@fuzzed(0.5)
@given(statements(), st.sampled_from(["grade", "item_condition", "no such", "", "select"]), st.sampled_from(DIALECTS))
def test_who_reads_a_field_of_mutated_sql(tmp_path: Path, text: str, field: str, dialect: str) -> None:
    folder = tmp_path / "consumers" / "pricing"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "q.sql").write_bytes(text.encode("utf-8", "replace"))
    with in_time(MOST):
        found = readers(tmp_path / "consumers", "items", field, ("pricing", "finance"), dialect=dialect)
    json.dumps(found.to_dict())
    assert "finance" in {one.team for one in found.unknown}


def heavy() -> dict[str, str]:
    """Files made to cost much: deep, long, wide."""
    case = "case when grade = 'A' then 1 else "
    union = "select grade from items union all "
    ctes = ", ".join(f"c{i} as (select * from c{i - 1} a join c{i - 1} b using (grade))" for i in range(1, 60))
    return {
        "deep parentheses": "select " + "(" * 20_000 + "1" + ")" * 20_000,
        "open parentheses": "select " + "(" * 100_000,
        "deep cases": "select " + case * 400 + "1" + " end" * 400 + " from items",
        "deep queries": "select * from (" * 500 + "select 1" + ")" * 500,
        "deep functions": "select " + "coalesce(grade, " * 900 + "'x'" + ")" * 900 + " from items",
        "a long sum": "select " + " + ".join(["price_cents"] * 8000) + " from items",
        "a long or": "select 1 from items where " + " or ".join(f"grade = 'v{i}'" for i in range(5000)),
        "a long in": "select 1 from items where grade in (" + ", ".join(f"'v{i}'" for i in range(40_000)) + ")",
        "a long case": "select case grade " + " ".join(f"when 'v{i}' then {i}" for i in range(8000)) + " else 0 end from items",
        "a long union": union * 1500 + "select grade from items",
        "many statements": "select 1;" * 30_000,
        "many columns": "select " + ", ".join(f"grade as g{i}" for i in range(8000)) + " from items",
        "tables that double": f"with c0 as (select grade from items), {ctes} select * from c59",
        "a huge text": "select '" + "x" * 1_500_000 + "'",
        "a huge comment": "/*" + "x" * 1_500_000,
        "a huge name": "select " + "x" * 1_500_000,
        "quotes": "'" * 300_001,
        "dollars": "$" * 200_001,
        "line ends": "\n" * 1_900_000,
        "a loop without end": "{% for i in range(10**9) %}{{ i }}{% endfor %}",
        "loops in loops": "{% for a in range(999) %}{% for b in range(999) %}{% for c in range(999) %}x{% endfor %}{% endfor %}{% endfor %}",
        "a text that doubles": "{% set x = 'x' %}" + "{% set x = x ~ x %}" * 60 + "{{ x }}",
        "deep jinja": "{% if a %}" * 500 + "x" + "{% endif %}" * 500,
        "many branches": "select 1 {% if a %}, 2{% else %}, 3{% endif %}" * 200,
        "a macro that calls itself": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        "too large": "select 1 -- " + "x" * 2_100_000,
    }  # fmt: skip


@pytest.mark.skipif(EXAMPLES <= FEW, reason="takes minutes; runs with EXAMPLES set")
def test_no_file_holds_the_audit_up(tmp_path: Path) -> None:
    """Each file is judged, or it is said why not, and one that hangs holds up no other: five seconds for each here."""
    made = heavy()
    for number, text in enumerate(made.values()):
        (tmp_path / f"q{number:02}.sql").write_text(text, encoding="utf-8", newline="")
    found = audit([str(tmp_path)], contracts=str(ROOT / "contracts"), seconds=5)
    assert found.files == len(made)
    assert all(one.reason and len(one.reason) < 1000 and len(one.reason.splitlines()) == 1 for one in found.not_audited)
    for form in FORMATS.values():
        form(found)
    refused = {one.file[-7:-4]: one.reason for one in found.not_audited}
    print(*(f"{name}: {refused.get(f'q{i:02}', 'read')}" for i, name in enumerate(made)), sep="\n", file=sys.stderr)
