"""SQL: engines take the DDL, and refuse what the contract refuses."""

from __future__ import annotations

import sqlite3
from typing import Any

import duckdb
import pytest
from any_contract import mappings
from exchanged import CLAUSES, LISTINGS, contract, some
from hypothesis import given
from hypothesis import strategies as st

import contracts
from contracts import from_mapping, load
from contracts.forms import ddl
from contracts.interop import export
from validate import report


def inserted(connection: Any, agreed: contracts.Contract, rows: list[dict[str, Any]]) -> None:
    names = [field.name for field in agreed.fields]
    marks = ", ".join("?" * len(names))
    values = [[row[name] for name in names] for row in rows]
    if isinstance(connection, sqlite3.Connection):
        values = [[str(value) if hasattr(value, "isoformat") else value for value in row] for row in values]
    columns = ", ".join(map(ddl.identifier, names))
    connection.executemany(f"insert into {ddl.identifier(agreed.dataset)} ({columns}) values ({marks})", values)


def test_the_recoded_rows_are_refused_by_duckdb(rows: dict[str, list[dict[str, Any]]]) -> None:
    agreed = load(LISTINGS)
    with duckdb.connect() as connection:
        connection.execute(export(agreed, "sql").text)
        inserted(connection, agreed, rows["before"][:300])
        for row in rows["after"][300:310]:
            with pytest.raises(duckdb.ConstraintException, match="CHECK constraint"):
                inserted(connection, agreed, [{**rows["before"][310], "item_condition": row["item_condition"]}])
        said = connection.execute("select comment from duckdb_columns() where column_name = 'price_cents'").fetchone()
        assert said and "unit: EUR_cents" in said[0]


def test_the_recoded_rows_are_refused_by_sqlite(rows: dict[str, list[dict[str, Any]]]) -> None:
    agreed = load(LISTINGS)
    connection = sqlite3.connect(":memory:")
    connection.executescript(export(agreed, "sql", dialect="sqlite").text)
    inserted(connection, agreed, rows["before"])
    for row in rows["after"][:10]:
        with pytest.raises(sqlite3.IntegrityError, match="CHECK constraint failed"):
            inserted(
                connection, agreed, [{**rows["before"][0], "listing_id": 9999, "item_condition": row["item_condition"]}]
            )
    for name, value in {
        "photos": "many",
        "listed_at": "yesterday",
        "price_cents": 99,
        "listing_id": 1,
        "brand": None,
    }.items():
        with pytest.raises(sqlite3.IntegrityError):
            inserted(connection, agreed, [{**rows["before"][0], "listing_id": 9999, name: value}])
    connection.close()


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_the_ddl_of_any_contract_runs(dialect: str) -> None:
    @some
    @given(mappings())
    def check(data: dict[str, Any]) -> None:
        agreed = from_mapping(data)
        try:
            text = export(agreed, "sql", dialect=dialect).text
        except ValueError:
            assert all("\0" in field.name for field in agreed.fields)
            return
        if dialect == "duckdb":
            with duckdb.connect() as connection:
                connection.execute(text)
        else:
            database = sqlite3.connect(":memory:")
            database.executescript(text)
            database.close()

    check()


TYPED = {  # values that the type of a column holds as they are, so that no engine converts them
    "string": [None, "A", "a", "A\n", "AB", "", "3"],
    "integer": [None, 0, 1, 2, 3, -1],
    "number": [None, 0.5, 1.0, 1.5, 1.75],
    "boolean": [None, True, False],
}
ZERO = [{"type": "integer", "min": 0}, {"type": "integer", "max": 0}, {"type": "number", "min": 0, "max": 1.5}]


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_the_ddl_and_the_contract_say_the_same_of_a_value(dialect: str) -> None:
    @some
    @given(st.data(), CLAUSES | st.sampled_from(ZERO), st.booleans(), st.booleans())
    def check(data: st.DataObject, clauses: Any, required: bool, unique: bool) -> None:
        if clauses["type"] not in TYPED:
            return
        if dialect == "sqlite":
            clauses = {key: value for key, value in clauses.items() if key != "pattern"}
        agreed = contract({"name": "x", "required": required, "unique": unique, **clauses})
        rows = [{"x": data.draw(st.sampled_from(TYPED[clauses["type"]]))} for _ in range(2)]
        database.execute("drop table if exists t")
        run(export(agreed, "sql", dialect=dialect).text)
        refused = False
        for row in rows:
            try:
                inserted(database, agreed, [row])
            except (duckdb.ConstraintException, sqlite3.IntegrityError):
                refused = True
        assert refused == bool(report(rows, agreed).violations)

    database: Any = duckdb.connect() if dialect == "duckdb" else sqlite3.connect(":memory:")
    run = database.execute if dialect == "duckdb" else database.executescript
    check()
    database.close()


def test_a_bound_of_0_and_a_rate_of_0_are_clauses_too() -> None:
    agreed = contract(
        {"name": "x", "type": "integer", "min": 0, "max": 0}, {"name": "y", "type": "date", "max_null_rate": 0}
    )
    assert 'CHECK ("x" >= 0) CHECK ("x" <= 0)' in export(agreed, "sql").text
    left = export(agreed, "dbt").left_out
    assert [says.split(" is ")[0] for says in left] == ["x: min", "x: max", "y: max_null_rate"]
