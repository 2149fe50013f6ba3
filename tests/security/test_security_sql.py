"""SQL in names, values and patterns stays text, over every engine and in every export."""

import ast
import json
import re
import sqlite3
from pathlib import Path

import duckdb
import ibis
import polars
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
import sqlglot
import yaml
from attacks import NASTY, SQLITE, agreement, save, shows

import contracts
import validate
from clause import running
from contracts.interop import export, import_file
from contracts.plan import plan

SQL = "x'\"`; drop table canary; -- \\' */ rows % {} :a $1"


def injected() -> tuple[contracts.Contract, pa.Table]:
    """A contract and a table full of SQL: one row keeps it, one breaks each clause."""
    fields = [
        {"name": f"e{SQL}", "type": "string", "enum": [SQL]},
        {"name": f"p{SQL}", "type": "string", "pattern": f"[x]|{re.escape(SQL)}"},
        {"name": f"u{SQL}", "type": "string", "unique": True},
        {"name": "select", "type": "integer", "max": 5},
    ]
    rows = {f"e{SQL}": [SQL, SQL + "'"], f"p{SQL}": [SQL, SQL + '"'], f"u{SQL}": [SQL, SQL], "select": [1, 9]}
    return contracts.from_mapping({"version": "1.0.0", "owner": "o", "dataset": SQL, "fields": fields}), pa.table(rows)


@SQLITE
@pytest.mark.parametrize("engine", ["rows", "arrow", "parquet", "csv", "jsonl", "polars", "duckdb", "sqlite"])
def test_sql_in_names_values_and_patterns_stays_text(tmp_path, engine):
    agreed, table = injected()
    connection = None
    if engine in ("duckdb", "sqlite"):
        connection = getattr(ibis, engine).connect()
        connection.create_table("canary", pa.table({"a": [1]}))
        connection.create_table(SQL, table)
    path = str(tmp_path / f"t.{engine}")
    if engine == "parquet":
        pq.write_table(table, path)
    elif engine == "csv":
        duckdb.from_arrow(table).to_csv(path)
    elif engine == "jsonl":
        Path(path).write_text("\n".join(map(json.dumps, table.to_pylist())), encoding="utf-8")
    given = {
        "rows": lambda: table.to_pylist(),
        "arrow": lambda: table,
        "polars": lambda: polars.from_arrow(table),
    }.get(engine, lambda: connection.table(SQL) if connection else path)()
    found = validate.report(given, agreed)
    assert {(one.rule, one.failing) for one in found.violations} >= {("enum", 1), ("unique", 2), ("range", 1)}
    assert ("pattern", 1) in {(one.rule, one.failing) for one in found.violations} or found.not_checked
    if connection:
        assert connection.table("canary").count().execute() == 1


def canary(engine: str):
    """A database with a table that must outlive what is run beside it."""
    connection = duckdb.connect() if engine == "duckdb" else sqlite3.connect(":memory:")
    connection.execute("create table canary (a integer)")
    return connection


@pytest.mark.parametrize("engine", ["duckdb", "sqlite"])
@pytest.mark.parametrize("text", [NASTY, SQL])
def test_exported_tables_run_no_statement_of_a_contract(engine, text):
    made = export(contracts.from_mapping(agreement(text)), "sql", dialect=engine).text
    connection = canary(engine)
    connection.execute(made) if engine == "duckdb" else connection.executescript(made)
    assert connection.execute("select count(*) from canary").fetchone() == (0,)
    statements = duckdb.extract_statements(made) if engine == "duckdb" else []
    assert {str(one.type) for one in statements} <= {f"StatementType.{kind}" for kind in ("CREATE", "ALTER")}


def test_an_exported_domain_shows_every_character():
    field = {"name": "x", "type": "string", "enum": ["a\u202eb\n'"], "pattern": "\u3164|."}
    agreed = contracts.from_mapping({"version": "1.0.0", "owner": "o", "fields": [field]})
    for dialect in ("duckdb", "postgres", "sqlite"):
        assert shows(export(agreed, "sql", dialect=dialect).text)
    connection = canary("duckdb")
    connection.execute(export(agreed, "sql").text.replace("\u3164", ""))
    with pytest.raises(duckdb.ConstraintException):
        connection.execute("insert into dataset values ('ab')")


@pytest.mark.parametrize("text", [NASTY, SQL])
def test_the_sql_of_a_plan_is_one_select(tmp_path, monkeypatch, text):
    monkeypatch.chdir(tmp_path)
    field = {"name": f"f{text}", "type": "string", "enum": [f"A{text}"]}
    one = {"dataset": text.replace(".", "").strip(), "version": "1.0.0", "owner": "o", "fields": [field]}
    save("a.yaml", one)
    save("b.yaml", one | {"version": "2.0.0", "fields": [field | {"enum": [f"B{text}"]}]})
    made = plan("a.yaml", "b.yaml").sql
    assert [str(one.type) for one in duckdb.extract_statements(made)] == ["StatementType.SELECT"]
    assert len(sqlglot.parse(made, read="duckdb")) == 1


def test_dbt_gets_nothing_that_would_end_its_quotes(tmp_path):
    fields = [
        {"name": 'a" or 1=1 --', "type": "string", "enum": ["x"], "required": True, "unique": True},
        {"name": "b", "type": "string", "enum": {"\\'); drop table canary; --": "m"}},
        {"name": "c", "type": "string", "enum": ["it's {{ 7*7 }}"]},
    ]
    agreed = contracts.from_mapping({"dataset": 'x"; --', "version": "1.0.0", "owner": "o", "fields": fields})
    made = export(agreed, "dbt")
    source = yaml.safe_load(made.text)["sources"][0]["tables"][0]
    unsafe, escaped, plain = source["columns"]
    assert "data_tests" not in unsafe and "data_tests" not in escaped and "identifier" not in source
    (test,) = plain["data_tests"]
    assert test["accepted_values"]["arguments"]["values"] == ["it''s {{ '{' }}{ 7*7 }}"]
    assert sum("quote" in said or "backslash" in said for said in made.left_out) == 5
    (tmp_path / "s.yml").write_text(made.text, encoding="utf-8")
    assert contracts.parse(import_file(str(tmp_path / "s.yml"), "dbt").text) == agreed  # nothing is lost for it


@pytest.mark.parametrize("text", [NASTY, SQL, '"""\\', "): pass\nimport os\nos.system('touch pwned')  #"])
def test_an_exported_class_is_only_a_class(text):
    tree = ast.parse(export(contracts.from_mapping(agreement(text)), "python").text)
    assert [type(node) for node in tree.body] == [*[ast.ImportFrom] * (len(tree.body) - 1), ast.ClassDef]
    called = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    assert called <= {"Check.isin", "Check.ge", "Check.pattern", "meaning", "unit"}


CONSUMERS = {
    "copy": "copy (select 1) to 'pwned.csv'",
    "two": "select * from t; copy (select 1) to 'pwned.csv'",
    "paren": "select * from t) ; copy (select 1) to 'pwned.csv'; select * from (select 1",
    "comment": "select * from t --\n); copy (select 1) to 'pwned.csv' --",
    "text": "select *, (select content from read_text('secret.csv')) as c from t",
    "file": "select * from t, 'secret.csv'",
    "glob": "select * from t, glob('*')",
    "address": "select * from t, read_csv('https://a.invalid/x.csv')",
    "python": "select * from t, sql",
    "query": "select * from t, query('copy (select 1) to ''pwned.csv''')",
    "attach": "attach 'pwned.db'",
}


def test_the_sql_of_consumers_reaches_no_file_and_no_variable(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("secret.csv").write_text("x\nTOP SECRET\n", encoding="utf-8")
    Path("team").mkdir()
    for name, sql in CONSUMERS.items():
        Path("team", f"{name}.sql").write_text(sql, encoding="utf-8")
    Path("team", "good.sql").write_text("select * from t", encoding="utf-8")
    found = running.Consumers(tmp_path, "t", pa.table({"a": [1]}))
    assert {*found.not_run} == {f"team/{name}.sql" for name in CONSUMERS} and [one.name for one in found.models] == [
        "good"
    ]
    assert not [path for path in tmp_path.iterdir() if "pwned" in path.name]
