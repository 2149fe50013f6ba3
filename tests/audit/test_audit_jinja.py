"""dbt projects: places in the template, macros, branches that no rendering takes, models through models."""

# ruff: noqa: E501, SQL reads best on one line

from __future__ import annotations

from pathlib import Path

import pytest
from audited import SILENT, ask, places, write
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.auditing.findings import Audit
from contracts.auditing.sqlfiles import facts
from contracts.auditing.stubs import Untemplated
from contracts.auditing.templating import Templates


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
