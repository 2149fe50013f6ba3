"""contracts/audit.py: the clauses that nobody wrote, on the shop, on a labelled corpus, and on what no one should write."""

# ruff: noqa: E501, SQL reads best on one line

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as Sarif

import seed
from contracts.__main__ import main
from contracts.audit import RULES as QUESTIONS_ASKED
from contracts.audit import audit, team_of
from contracts.auditing.facts import Facts
from contracts.auditing.findings import QUESTIONS, RULES, Audit
from contracts.auditing.resolving import Known
from contracts.auditing.rules import Judge
from contracts.auditing.sqlfiles import facts
from contracts.auditing.stubs import Untemplated
from contracts.auditing.templating import Templates
from contracts.auditing.workers import Worker, in_workers
from contracts.document import Contract, load

CORPUS = Path(__file__).parent / "audit" / "corpus.yaml"
CONSUMERS, CONTRACTS = seed.ROOT / "contracts" / "consumers", seed.ROOT / "contracts"
PRICE = (CONSUMERS / "pricing-service" / "fct_price.sql").as_posix()
NOTHING, FOUND, NOT_AUDITED = 0, 1, 2
ITEMS = """version: 1.0.0
owner: shop
consumers: [pricing, finance]
fields:
  - {name: item_id, type: integer, unique: true}
  - {name: grade, type: string, enum: [A, B, C]}
  - {name: kind, type: string}
  - {name: price_cents, type: integer, unit: EUR_cents}
"""
SILENT = "select case grade when 'A' then 1.0 when 'B' then 0.9 when 'C' then 0.8 else 0.8 end as m from items\n"


def write(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8") if isinstance(text, str) else text)
    return folder


def ask(folder: Path, files: dict[str, str | bytes], **more: object) -> Audit:
    """The audit of some files, with the contract of `items`."""
    write(folder, {"contracts/items.yaml": ITEMS} | {f"sql/{name}": text for name, text in files.items()})
    return audit([str(folder / "sql")], contracts=str(folder / "contracts"), **more)  # type: ignore[arg-type]


def places(found: Audit) -> list[str]:
    """Each finding in short: q.sql:1:2 rule."""
    return [f"{Path(one.file).name}:{one.line}:{one.column} {one.rule}" for one in found.findings]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(["audit", *map(str, arguments)])
    said = capsys.readouterr()
    return status, said.out, said.err


@pytest.fixture(autouse=True)
def in_this_process(request, monkeypatch):
    """Most tests read their few files here, which is faster; those that ask for `processes` do as users do."""
    if "processes" not in request.fixturenames:
        monkeypatch.setattr("contracts.audit.in_workers", lambda tasks, *_: ((task, facts(*task)) for task in tasks))


@pytest.fixture
def processes():
    """For tests whose files would take this process with them."""


# ---- the corpus --------------------------------------------------------------------------------------------------------


@dataclass
class Case:
    sql: str
    expected: set[tuple[object, ...]]
    dialect: str
    file: str
    name: str = ""
    found: set[tuple[object, ...]] = field(default_factory=set)


def cases() -> list[Case]:
    """The statements without their marks, and what the marks say."""
    made = []
    for one in yaml.safe_load(CORPUS.read_text(encoding="utf-8"))["cases"]:
        sql, expected = one["sql"], {("unread-field", name) for name in one.get("unread", ())}
        while mark := re.search("⟦(.*?)⟧", sql):
            line, column = sql.count("\n", 0, mark.start()) + 1, mark.start() - sql.rfind("\n", 0, mark.start())
            expected |= {(rule.strip(), line, column) for rule in mark[1].split(",")}
            sql = sql[: mark.start()] + sql[mark.end() :]
        made.append(
            Case(sql, expected, one.get("dialect", "duckdb"), one.get("file", "pricing/q.sql"), one.get("name", ""))
        )
    return made


def judged(case: Case, folder: Path, contracts: list[Contract]) -> None:
    """Audit one statement, in this process."""
    path = write(folder, {case.file: case.sql}) / case.file
    teams = {"shop", "pricing", "finance", "treasury"}
    said = facts(str(path), case.file, team_of(path, folder, teams), case.dialect)
    assert not said.problems, (case.sql, said.problems)
    for one in Judge(Known(contracts, [said]), {}, case.dialect, complete=True, here={str(said.team)}).findings(
        QUESTIONS_ASKED
    ):
        case.found.add((one.rule, one.field) if one.rule == "unread-field" else (one.rule, one.line, one.column))


def test_precision_and_recall_over_the_corpus_are_one(tmp_path, capsys):
    corpus = cases()
    contracts = []
    for name, text in yaml.safe_load(CORPUS.read_text(encoding="utf-8"))["contracts"].items():
        contracts.append(load(write(tmp_path, {f"{name}.yaml": text}) / f"{name}.yaml"))
    for number, case in enumerate(corpus):
        judged(case, tmp_path / str(number), contracts)
    right, wrong, missed = Counter[str](), Counter[str](), Counter[str]()
    for case in corpus:
        right.update(rule for rule, *_ in case.found & case.expected)
        wrong.update(rule for rule, *_ in case.found - case.expected)
        missed.update(rule for rule, *_ in case.expected - case.found)
    with capsys.disabled():
        print(f"\n{len(corpus)} statements, {sum(not case.expected for case in corpus)} of them near-misses")
        for rule in sorted({*right, *wrong, *missed}):
            precision = right[rule] / (right[rule] + wrong[rule]) if right[rule] + wrong[rule] else 1
            recall = right[rule] / (right[rule] + missed[rule]) if right[rule] + missed[rule] else 1
            print(f"  {rule:<22} {right[rule]:>3} right   precision {precision:.2f}   recall {recall:.2f}")
    differing = [(case.name, case.sql, case.expected ^ case.found) for case in corpus if case.expected != case.found]
    assert not differing


def test_the_corpus_has_every_rule_and_dialect():
    corpus = cases()
    rules = {str(rule) for case in corpus for rule, *_ in case.expected}
    assert rules == {rule for _, rules in QUESTIONS for rule in rules}
    assert {"duckdb", "snowflake", "bigquery", "postgres", "spark"} <= {case.dialect for case in corpus}
    assert len(corpus) >= 60 and len([case for case in corpus if not case.expected]) >= 30


# ---- the shop ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shop(tmp_path_factory) -> Path:
    """The listings before and after, and the orders."""
    folder = tmp_path_factory.mktemp("shop")
    with seed.build() as connection:
        for table in ("listings_before", "listings", "orders"):
            connection.execute(f"copy (from shop.{table}) to '{(folder / table).as_posix()}.parquet'")
    return folder


def test_the_clause_that_nobody_wrote(capsys):
    contract = seed.ROOT / "contracts" / "history" / "listings-1.3.0.yaml"
    status, out, _ = run(capsys, str(CONSUMERS), "--contracts", str(contract), "--format", "json")
    first = json.loads(out)["findings"][0]
    assert status == FOUND
    assert (first["rule"], first["file"], first["line"], first["column"]) == ("unwritten-clause", PRICE, 13, 14)
    assert (first["table"], first["field"]) == ("listings", "item_condition")
    assert "enum: [A, B, C]" in first["suggestion"] and "'A', 'B', 'C'" in first["message"]


def test_with_the_clause_the_silent_else_and_the_star_are_left(processes):
    found = audit([str(CONSUMERS)], contracts=str(CONTRACTS))
    assert places(found) == ["fct_price.sql:17:13 silent-else", "stg_listings.sql:3:8 star-across-boundary"]
    assert found.findings[0].file == PRICE and "as 'C' does" in found.findings[0].message
    assert not found.not_audited and found.files == 9


def test_all_listings_are_in_the_else_branch_after_the_release(shop, capsys):
    after = f"listings={shop / 'listings.parquet'}"
    status, out, _ = run(capsys, str(CONSUMERS), "--contracts", str(CONTRACTS), "--data", after)
    assert status == FOUND
    assert "8,000 of 8,000 rows of listings take it today ('good' 3,680, 'fair' 2,240, 'excellent' 2,080)" in out


def with_orders(shop: Path, *listings: str) -> Audit:
    return audit(
        [str(CONSUMERS)],
        contracts=str(CONTRACTS),
        data={"listings": [str(shop / name) for name in listings], "orders": [str(shop / "orders.parquet")]},
        where={"orders": "day >= '2026-08-19'"},
        amount="charged_cents",
    )


def test_what_it_costs_if_every_row_does(shop):
    finding = with_orders(shop, "listings_before.parquet").findings[0]
    radius = finding.blast_radius or {}
    assert (radius["default"], radius["rows"]) == (0, 8000)
    model, orders = radius["totals"]
    assert (orders["over"], orders["rows"], orders["difference"], orders["unit"]) == (
        "orders",
        2285,
        -2928995,
        "EUR_cents",
    )
    assert (model["rows"], model["difference"]) == (8000, -10254720)
    assert "joined with the 2,285 rows of orders on listing_id" in finding.message
    assert "EUR 29,289.95 less than now" in finding.message


def test_what_it_has_cost_between_two_states(shop):
    finding = with_orders(shop, "listings_before.parquet", "listings.parquet").findings[0]
    assert "8,000 of 8,000 rows of listings take it today" in finding.message
    assert "and 0 of 8,000 did before" in finding.message and "EUR 29,289.95 less than before" in finding.message


def test_the_values_that_are_really_there(shop):
    contract = str(seed.ROOT / "contracts" / "history" / "listings-1.3.0.yaml")
    before, after = (
        audit([PRICE], contracts=contract, data={"listings": [str(shop / name)]}).findings[0]
        for name in ("listings_before.parquet", "listings.parquet")
    )
    assert "'B' 3,680, 'C' 2,240, 'A' 2,080" in before.message and before.suggestion.endswith("enum: [B, C, A]")
    assert "but not 'A', 'B', 'C'" in after.message
    assert "enum: [A, B, C]  # SQL names these, the data has [good, fair, excellent]" in after.suggestion


# ---- figures of other models -------------------------------------------------------------------------------------------


def test_a_blast_radius_runs_the_model_with_all_that_it_reads(tmp_path):
    """Another dialect, a model between, a join, DECODE, a grouped result, NULL among the values."""
    (tmp_path / "items.csv").write_text(
        "item_id,grade,kind,price_cents\n1,A,x,100\n2,B,x,200\n3,,y,400\n4,Z,y,800\n", encoding="utf-8"
    )
    files = {
        "pricing/stg_items.sql": 'select i.item_id as id, i.grade as g, i.price_cents from LAKE.shop."items" i',
        "pricing/totals.sql": """with s as (select * from stg_items)
select id % 2 as odd, sum(price_cents * decode(g, 'A', 3, 'B', 2, 'C', 1, 1)) as total from s group by 1""",
    }
    found = ask(tmp_path, files, dialect="snowflake", data={"items": [str(tmp_path / "items.csv")]}, amount="total")
    radius = next(one.blast_radius for one in found.findings if one.rule == "silent-else")
    assert radius is not None
    assert (radius["rows"], radius["default"]) == (4, 2)
    assert radius["values"] == [[None, 1], ["Z", 1]]
    total = radius["totals"][0]
    assert (total["as_is"], total["all_default"]) == (100 * 3 + 200 * 2 + 400 + 800, 1500)


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("select case grade when 'A' then 1 when 'B' then 2 when 'C' then 2 else 2 end as m from items join boxes using (item_id)", "--data boxes=FILE"),
        ("select 1 as m from items where item_id = case grade when 'A' then 1 when 'B' then 2 when 'C' then 2 else 2 end", "in a condition"),
        ("update items set price_cents = case grade when 'A' then 1 when 'B' then 2 when 'C' then 2 else 2 end", "not run"),
        ("select case items.grade when 'A' then 1 when 'B' then 2 when 'C' then 2 else 2 end as m from items, read_text('secret.txt')", "DuckDB says"),
    ],
)  # fmt: skip
def test_what_cannot_be_measured_says_why_and_stays_a_finding(tmp_path, monkeypatch, sql, why):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"items.csv": "item_id,grade,kind,price_cents\n1,A,x,100\n", "secret.txt": "s3cret"})
    found = ask(tmp_path, {"pricing/q.sql": sql}, data={"items": ["items.csv"]})
    message = next(one.message for one in found.findings if one.rule == "silent-else")
    assert why in message and "s3cret" not in message


def test_data_that_cannot_be_read_is_said_in_one_line(tmp_path, capsys):
    write(tmp_path, {"items.yaml": ITEMS, "q.sql": SILENT, "bad.parquet": "no parquet", "x.csv": "a\n1\n"})
    for data, why in (
        ("bad.parquet", "cannot be read as the data"),
        ("x.txt", "data is Parquet, CSV"),
        ("gone.csv", "cannot be read"),
    ):
        status, out, err = run(
            capsys, str(tmp_path / "q.sql"), "--contracts", str(tmp_path), "--data", f"items={tmp_path / data}"
        )
        assert status == 2 and out == "" and why in err and err.count("\n") == 1


# ---- Jinja -------------------------------------------------------------------------------------------------------------


def test_places_are_those_of_the_template(tmp_path):
    sql = """{{ config(materialized='table') }}
{#- a comment over
    two lines -#}
{% set grades = {'A': 1.0, 'B': 0.9, 'C': 0.8} %}
with src as (
    select * from {{ source('shop', 'items') }}
)
select {{ dbt_utils.generate_surrogate_key(['item_id']) }} as k,
    case grade
    {%- for grade, factor in grades.items() %}
        when '{{ grade }}' then {{ factor }}
    {%- endfor %}
        else 0.8 end as m
from src
{% if is_incremental() %}
where kind = 'shoe'
{% else %}
where kind <> 'bag'
{% endif %}
"""
    found = ask(tmp_path, {"dbt_project.yml": "name: x\n", "models/q.sql": sql})
    assert places(found) == [
        "q.sql:16:7 unwritten-clause",
        "q.sql:13:9 silent-else",
        "q.sql:6:12 star-across-boundary",
    ]
    assert "'shoe', 'bag'" in found.findings[0].message  # both answers to is_incremental()


def test_macros_and_variables_of_the_project(tmp_path):
    files = {
        "dbt_project.yml": "name: mine\nvars: {mine: {good: A}, other: 1}\n",
        "macros/m.sql": "{% macro factor(column) %}case {{ column }} when '{{ var('good') }}' then 1 when 'B' then 2 when 'C' then 3 else 3 end{% endmacro %}",
        "models/q.sql": "select item_id,\n  {{ factor('grade') }} as m\nfrom {{ ref('items') }}\n",
        "target/compiled/q.sql": SILENT,  # what dbt has made of it
    }
    assert places(ask(tmp_path, files)) == ["q.sql:2:3 silent-else"]


def test_macros_outside_of_the_project_are_not_read(tmp_path):
    outside = "{% macro secret() %}kind{% endmacro %}"
    files = {"dbt_project.yml": "name: x\nmacro-paths: ['../outside', macros]\n", "models/q.sql": "select {{ secret() }} from {{ ref('items') }} where {{ secret() }} = 'shoe'"}  # fmt: skip
    assert places(ask(write(tmp_path / "a", {"outside/m.sql": outside}), files)) == []
    assert places(ask(tmp_path / "b", files | {"macros/m.sql": outside})) == ["q.sql:1:53 unwritten-clause"]


def test_a_column_is_followed_through_models_to_the_contract(tmp_path):
    files = {
        "dbt_project.yml": "name: x\n",
        "models/stg.sql": "select item_id, grade as g, kind as k from {{ source('shop', 'items') }}",
        "models/mid.sql": "select s.* from {{ ref('stg') }} as s",
        "models/last.sql": "select case g when 'A' then 1 when 'X' then 2 end as m from {{ ref('mid') }} where k = 'shoe'",
    }
    found = ask(tmp_path, files)
    assert places(found) == [
        "last.sql:1:84 unwritten-clause",
        "last.sql:1:36 unknown-literal",
        "last.sql:1:13 unhandled-value",
    ]
    assert {(one.table, one.field) for one in found.findings} == {("items", "grade"), ("items", "kind")}


def test_of_two_models_of_one_name_the_team_s_own_is_read(tmp_path):
    files = {
        "pricing/stg.sql": "select grade as g from items",
        "finance/stg.sql": "select kind as g from items",
        "finance/q.sql": "select 1 as one from stg where g = 'shoe'",
    }
    assert places(ask(tmp_path, files))[0] == "q.sql:1:32 unwritten-clause"


@pytest.mark.parametrize(
    "template",
    [
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ cycler.__init__.__globals__ }}",
        "{{ self.__init__.__globals__ }}",
        "{{ config.__call__.__globals__ }}",
        "{{ ref.__globals__ }}",
        "{{ open('secret.txt').read() }}",
        "{{ env_var('SECRET') }}",
        "{{ modules.os.environ }}",
        "{% include 'secret.txt' %}",
        "{% import 'secret.txt' as s %}{{ s }}",
        "{% extends 'secret.txt' %}",
    ],
)
def test_a_template_sees_nothing_of_this_machine(tmp_path, monkeypatch, template):
    monkeypatch.chdir(write(tmp_path, {"secret.txt": "s3cret"}))
    monkeypatch.setenv("SECRET", "s3cret")
    try:
        sql = Templates("duckdb", None).rendered(template, "q")[0].sql
    except Untemplated as error:
        sql = str(error)
    assert "s3cret" not in sql and "os.environ" not in sql and "<class" not in sql.replace("<class 'sqlglot", "")


@pytest.mark.parametrize(
    "template", ["{{ 'x' * 10 ** 9 }}", "{{ [0] * 10 ** 9 }}", "{{ 9 ** 9999 }}", "{% for i in range(10 ** 9) %}{% endfor %}",
                 "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "{{ exceptions.raise_compiler_error('no') }}", "{% if %}"],
)  # fmt: skip
def test_a_template_that_cannot_be_rendered_says_why(template):
    with pytest.raises(Untemplated, match=r"^(its|line 1: its) "):
        Templates("duckdb", None).rendered(template, "q")


def test_a_macro_of_another_package_hides_its_sql_and_that_is_said(tmp_path):
    files = {
        "dbt_project.yml": "name: x\n",
        "models/all.sql": "{{ elsewhere.everything() }}\n",
        "models/part.sql": "with x as ({{ elsewhere.some() }}) select case grade when 'A' then 1 when 'B' then 2 when 'C' then 3 else 3 end as m from {{ ref('items') }}",
    }
    found = ask(tmp_path, files)
    assert [Path(one.file).name for one in found.not_audited] == ["all.sql", "part.sql"]
    assert all("macro" in one.reason for one in found.not_audited) and len(found.findings) == 1


def untaken(found: Audit) -> list[str]:
    return [f"{Path(one.file).name}:{one.line}: {one.reason}" for one in found.not_judged if one.file.endswith(".sql")]


def test_both_branches_of_an_if_are_looked_at(tmp_path):
    sql = """select item_id from {{ ref('items') }}
{% if target.name == 'prod' %}
where grade = 'E'
{% elif var('web', false) %}
where grade = 'F' {% if execute %} and grade <> 'G' {% endif %}
{% else %}
where grade = 'H'
{% endif %}
"""
    found = ask(tmp_path, {"dbt_project.yml": "name: x\n", "models/q.sql": sql})
    assert places(found) == [f"q.sql:{place} unknown-literal" for place in ("3:15", "5:15", "5:49", "7:15")]
    assert untaken(found) == []


def test_what_no_rendering_takes_is_named_and_never_found_fault_with(tmp_path):
    """SQL of another warehouse, a loop over nothing, a statement that is only run, a block of another kind."""
    sql = """{% call statement('x') %}
select 1 from {{ ref('items') }} where grade = 'E'
{% endcall %}
select item_id from {{ ref('items') }}
{% if target.type == 'other' %}
prewhere (grade = 'E' from from
{% endif %}
{% for i in [] %} where grade = 'F' {% endfor %}
{% for i in [1] %}{% if not loop.last %} union all -- and so on
{% endif %}{% endfor %}
"""
    found = ask(tmp_path, {"dbt_project.yml": "name: x\n", "models/q.sql": sql})
    assert found.findings == [] and found.not_audited == []
    says = "q.sql:2: lines 2, 6, 8 stand in Jinja that was not rendered, so nobody has looked there"
    assert untaken(found) == [says]


def test_a_field_that_only_an_untaken_branch_names_is_not_called_unread(tmp_path):
    sql = "select item_id, kind, grade from items{% for i in [] %} where price_cents > 0{% endfor %}"
    found = ask(tmp_path, {"pricing/q.sql": sql, "finance/q.sql": "select item_id from items"})
    assert places(found) == []


def test_macros_that_nobody_calls_are_named(tmp_path):
    files = {
        "dbt_project.yml": "name: x\n",
        "macros/m.sql": "{% macro inner() %}kind = 'shoe'{% endmacro %}\n{% macro outer() %}where {{ inner() }}{% endmacro %}\n"
        "{% macro never() %}\n  where kind = 'bag'\n{% endmacro %}\n{% macro comma() %}, {% endmacro %}"
        "{% macro both(x) %}{% if x %}, 1 as one{% else %}, 2 as two{% endif %}{% if x %},{% endif %}{% endmacro %}",
        "models/q.sql": "select item_id {{ both(true) }} from {{ ref('items') }} {{ outer() }}",
    }
    assert untaken(ask(tmp_path, files)) == [
        "m.sql:3: the macro never was not rendered, since no audited file calls it",
        "m.sql:6: of the macro both only those branches are audited that its callers take",
    ]


def test_a_call_block_writes_nothing_and_the_rest_is_audited(tmp_path):
    sql = "{% call statement('x') %}select 1{% endcall %}select item_id from {{ ref('items') }} where grade = 'E'"
    found = ask(tmp_path, {"dbt_project.yml": "name: x\n", "models/q.sql": sql})
    assert places(found) == ["q.sql:1:100 unknown-literal"] and not found.not_audited


def test_a_model_that_is_named_as_the_contract_s_table_and_recodes_it(tmp_path):
    """The contract is about the source; what reads the model of that name gets what the model makes of it."""
    files = {
        "dbt_project.yml": "name: x\n",
        "models/items.sql": "select item_id, case grade when 'A' then 'excellent' when 'B' then 'good' when 'C' then 'fair' end as grade from {{ source('shop', 'items') }}",
        "models/q.sql": "select item_id from {{ ref('items') }} where grade = 'excellent'",
    }
    assert places(ask(tmp_path, files)) == []
    files["models/items.sql"] = "select item_id, grade from {{ source('shop', 'items') }}"
    assert places(ask(tmp_path, files)) == ["q.sql:1:54 unknown-literal"]


def test_a_source_is_the_table_that_its_identifier_names(tmp_path):
    files = {
        "dbt_project.yml": "name: x\n",
        "models/sources.yml": "sources:\n  - name: raw\n    schema: shop\n    tables:\n      - {name: raw_items, identifier: items}\n      - name: boxes\n      - 7\n",
        "models/broken.yml": "sources: [",
        "models/odd.yml": "sources:\n  - {name: a, tables: 7}\n  - 8\n  - {tables: [{}]}\n",
        "models/q.sql": "select item_id from {{ source('raw', 'raw_items') }} where grade = 'E'",
        "models/other.sql": "select item_id from {{ source('raw', 'boxes') }} where grade = 'E'",
    }
    assert "q.sql:1:68 unknown-literal" in places(ask(tmp_path, files))
    assert sum("unknown-literal" in one for one in places(ask(tmp_path, files))) == 1


before = st.lists(
    st.sampled_from(["\n", "-- else 0.8\n", "/* else\n 1 */", "{# else #}", "{% set x = 1 %}\n", "  ", "{{ config(a='\n') }}", "{% if true -%}\n{%- endif %}", "\t", "select 'é else' as 🦊;\n", "{% for i in [1, 2] %} {% endfor %}"]),
    max_size=6,
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(before, st.sampled_from(["\n", "\r\n"]))
def test_the_place_is_where_the_word_stands_whatever_stands_before(tmp_path_factory, pieces, newline):
    text = ("".join(pieces) + SILENT).replace("\n", newline)
    path = tmp_path_factory.mktemp("q") / "q.sql"
    path.write_bytes(text.encode("utf-8"))
    said = facts(str(path), "q.sql", None, "duckdb")
    assert said.problems == [] and len(said.mappings) == 1
    line, column = said.mappings[0].place
    assert text.replace("\r\n", "\n").split("\n")[line - 1][column - 1 :].startswith("else 0.8 end")


# ---- allowances --------------------------------------------------------------------------------------------------------

MAPPING = "select\ncase grade when 'A' then 1 when 'B' then 2 when 'C' then 3\n"


@pytest.mark.parametrize(
    ("sql", "left"),
    [
        (MAPPING + "else 3 end as m -- contracts: allow silent-else because C is the floor\nfrom items", []),
        (MAPPING + "-- contracts: allow silent-else because C is the floor\nelse 3 end as m\nfrom items", []),
        (MAPPING + "/* contracts: allow silent-else because\n   C is the floor */\nelse 3 end as m\nfrom items", []),
        (MAPPING + "{# contracts: allow silent-else because C is the floor #}\nelse 3 end as m\nfrom items", []),
        (MAPPING + "{# contracts: allow silent-else because\n two lines -#}\nelse 3 end as m\nfrom items", []),
        (MAPPING + "else 3 end as m -- contracts: allow silent-else\nfrom items", ["3:1 silent", "3:17 allowance-without-reason"]),
        (MAPPING + "else 3 end as m -- contracts: allow silent-else because\nfrom items", ["allowance-without-reason"]),
        (MAPPING + "else 3 end as m -- contracts: allow silent-els because of a slip\nfrom items", ["unused-allowance"]),
        (MAPPING + "else 3 end as m -- contracts: allow unwritten-unit because it is another\nfrom items", ["unused-allowance"]),
        ("-- contracts: allow silent-else because it is too far away\n" + MAPPING + "else 3 end as m from items", ["unused-allowance"]),
        (MAPPING + "else 3 end as m, '-- contracts: allow silent-else because it is a text' as t from items", ["silent-else"]),
        ("select item_id from items -- contracts: allow silent-else because there is none\n", ["unused-allowance"]),
    ],
)  # fmt: skip
def test_allowances(tmp_path, sql, left):
    path = write(tmp_path, {"items.yaml": ITEMS, "pricing/q.sql": sql}) / "pricing"
    found = places(audit([str(path)], contracts=str(tmp_path)))
    if left:
        assert all(any(part in one for one in found) for part in left), found
    else:
        assert found == []


def test_an_allowance_silences_its_own_line_before_the_next(tmp_path):
    one = "case grade when 'A' then 1 when 'B' then 2 when 'C' then 3 else 3 end"
    sql = f"select\n{one} as m, -- contracts: allow silent-else because it is the floor\n{one} as n\nfrom items"
    assert places(ask(tmp_path, {"pricing/q.sql": sql})) == ["q.sql:3:60 silent-else"]


def test_one_allowance_silences_one_finding(tmp_path):
    why = "-- contracts: allow unknown-literal because of old rows"
    sql = f"select item_id from items where grade = 'X' or grade = 'Y' {why}\n"
    assert places(ask(tmp_path, {"pricing/q.sql": sql})) == ["q.sql:1:56 unknown-literal"]
    both = sql.replace(
        why, "/* contracts: allow unknown-literal because a */ /* contracts: allow unknown-literal because b */"
    )
    assert places(ask(tmp_path, {"pricing/q.sql": both})) == []
    third = both.replace("/* contracts", "/* contracts: allow unknown-literal because c */ /* contracts", 1)
    assert places(ask(tmp_path, {"pricing/q.sql": third})) == ["q.sql:1:158 unused-allowance"]
    one_column = "select item_id from items where kind = 'x' or kind = 'y' -- contracts: allow unwritten-clause because of old rows"
    assert places(ask(tmp_path, {"pricing/q.sql": one_column})) == []


@pytest.mark.parametrize(
    ("files", "is_unused"),
    [
        ({"pricing/q.sql": "select * from items -- contracts: allow silent-else because of x"}, True),
        ({"pricing/q.sql": "select item_id from items -- contracts: allow unknown-literal because of x"}, True),
        ({"pricing/q.sql": "select item_id from items;\nselect (; -- contracts: allow silent-else because of x"}, False),
        ({"pricing/q.sql": "select * from boxes -- contracts: allow star-across-boundary because of x"}, False),
        ({"q.sql": "select item_id from items -- contracts: allow unlisted-consumer because of x"}, False),
        ({"pricing/q.sql": "select item_id from items where grade like 'Z%' -- contracts: allow unknown-literal because of x"}, False),
        ({"pricing/q.sql": "select item_id from items {% for i in [] %} where grade = 'Z' {% endfor %} -- contracts: allow unknown-literal because of x"}, False),
    ],
)  # fmt: skip
def test_an_allowance_is_unused_only_where_its_rule_was_asked(tmp_path, files, is_unused):
    assert ("unused-allowance" in {one.rule for one in ask(tmp_path, files).findings}) is is_unused


def test_without_contracts_what_they_would_tell_is_no_unused_allowance(tmp_path):
    text = "select * from items -- contracts: allow star-across-boundary because of x\n"
    path = write(tmp_path, {"pricing/q.sql": text}) / "pricing"
    assert audit([str(path)]).findings == []


def test_a_contract_can_allow_an_unread_field(tmp_path):
    contract = ITEMS.replace("consumers: [pricing, finance]", "consumers: [pricing]")
    reason = "  # contracts: allow unread-field because audits ask for it"
    files = {"items.yaml": contract, "sql/pricing/q.sql": "select item_id, kind, price_cents from items"}
    unread = audit([str(write(tmp_path, files) / "sql")], contracts=str(tmp_path))
    assert places(unread) == ["items.yaml:6:3 unread-field"]
    write(tmp_path, {"items.yaml": contract.replace("[A, B, C]}", "[A, B, C]}" + reason)})
    assert audit([str(tmp_path / "sql")], contracts=str(tmp_path)).status == NOTHING
    for other in ("select item_id from boxes", "select item_id, grade, kind, price_cents from items"):
        write(tmp_path, {"sql/pricing/q.sql": other})  # nobody knows who reads the table; the field is read
        unused = audit([str(tmp_path / "sql")], contracts=str(tmp_path)).of("unused-allowance")
        assert len(unused) == ("grade" in other)


# ---- consumers ---------------------------------------------------------------------------------------------------------


def test_a_team_that_the_contract_does_not_name(tmp_path):
    found = ask(tmp_path, {"growth/a.sql": "select item_id\nfrom shop.items", "growth/b.sql": "select item_id from items", "pricing/c.sql": "select item_id from items", "shop/d.sql": "select * from items"})  # fmt: skip
    assert places(found) == ["a.sql:2:6 unlisted-consumer"]
    assert "consumers: [pricing, finance, growth]" in found.findings[0].suggestion


def test_unread_fields_are_not_judged_where_a_consumer_is_missing_or_not_audited(tmp_path):
    found = ask(tmp_path, {"pricing/q.sql": "select item_id from items"})
    assert found.findings == [] and any("the SQL of finance is not here" in one.reason for one in found.not_judged)
    found = ask(tmp_path, {"finance/q.sql": "select item_id from items", "finance/bad.sql": "select ("})
    assert found.findings == [] and any("was not audited" in one.reason for one in found.not_judged)


def test_a_field_is_unread_only_where_all_sql_of_the_consumer_was_given(tmp_path):
    """A folder that is no team's, one file of the team, a part of its folder: nobody knows what the rest reads."""
    contract = ITEMS.replace("consumers: [pricing, finance]", "consumers: [pricing]")
    sql = "select item_id, grade, kind from items"
    write(tmp_path, {"items.yaml": contract, "sql/q.sql": sql, "sql/pricing/marts/q.sql": sql})
    for path, unread in (("sql/q.sql", 0), ("sql/pricing/marts/q.sql", 0), ("sql/pricing/marts", 0), ("sql/pricing", 1), ("sql", 1)):  # fmt: skip
        found = audit([str(tmp_path / path)], contracts=str(tmp_path))
        assert len(found.of("unread-field")) == unread, path
        assert any("the SQL of pricing is not here" in one.reason for one in found.not_judged) == (not unread)


def test_of_several_versions_the_newest_counts_and_a_wrong_contract_is_not_audited(tmp_path):
    write(tmp_path, {"c/items-1.0.0.yaml": ITEMS, "c/items.yaml": ITEMS.replace("1.0.0", "1.2.0").replace("kind, type: string", "kind, type: string, enum: [shoe]"), "c/bad.yaml": "version: 1\n", "sql/pricing/q.sql": "select item_id from items where kind = 'shoe'"})  # fmt: skip
    found = audit([str(tmp_path / "sql")], contracts=str(tmp_path / "c"))
    assert found.findings == [] and found.status == NOT_AUDITED
    assert [Path(one.file).name for one in found.not_audited] == ["bad.yaml"]


# ---- what nobody should write ------------------------------------------------------------------------------------------


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


def test_workers_end_with_who_asked_them(tmp_path):
    path = str(write(tmp_path, {"q.sql": SILENT}) / "q.sql")
    answers = in_workers(((path, f"{i}.sql", None, "duckdb") for i in range(10_000)), 2)
    for _ in range(3):
        next(answers)
    answers.close()  # all but a few of the ten thousand have never been asked


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
    assert {Path(one.file).name for one in found.not_audited} == {"out", "a.sql"} or {
        Path(one.file).name for one in found.not_audited
    } == {"out", "a.sql", "b.sql"}


# ---- the command -------------------------------------------------------------------------------------------------------

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
