"""validate, report and quarantine on any table: violations or a documented error, never kept where a value breaks."""

# ruff: noqa: E501, lists of words read best on long lines

from __future__ import annotations

import datetime as dt
import warnings
from decimal import Decimal
from typing import Any

import duckdb
import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from agreements import agreed
from asked import NESTED, SCALARS, arrow_tables, contract_and_columns, held, no_clean_bill, split
from budget import fuzzed
from hypothesis import given, reject
from hypothesis import strategies as st

import contracts
from contracts import Contract, DataError
from validate import quarantine, report, validate

pytestmark = pytest.mark.filterwarnings("ignore")  # of pandas and polars, about what a generator asks of them


# ---- rows as mappings -----------------------------------------------------------------------------------------------


def as_rows(columns: dict[str, list[Any]], rows: int) -> list[dict[str, Any]]:
    return [{name: values[i] for name, values in columns.items()} for i in range(rows)]


@fuzzed(2)
@given(contract_and_columns(NESTED))
def test_rows_as_mappings(case: Any) -> None:
    contract, columns, count = case
    rows = as_rows(columns, count)
    found = held(rows, contract)
    assert found is not None and found.rows == count
    if count:
        no_clean_bill(found, contract, columns)
    split(rows, contract, count)
    accepted, _ = quarantine(rows, contract)
    if accepted:
        left = {(v.field, v.rule) for v in validate(accepted, contract)}
        assert not {(f, r) for f, r in left if r in ("type", "required", "enum", "range", "pattern", "unique")}


@fuzzed()
@given(contract_and_columns(SCALARS), st.randoms(use_true_random=False))
def test_rows_with_gaps_and_strange_keys(case: Any, random: Any) -> None:
    """Keys that are no text, and rows that lack a key: a missing key is a missing value."""
    contract, columns, count = case
    rows: list[dict[Any, Any]] = list(as_rows(columns, count))
    for row in rows:
        for key in list(row):
            if random.random() < 0.3:
                del row[key]
        if random.random() < 0.3:
            row[random.choice([None, 1, ("a", 1), 0.5, b"a", True, "\ud800"])] = 1
    found = held(rows, contract)
    names = {key for row in rows for key in row}
    assert (found is None) == (len({str(name) for name in names}) < len(names))
    split(rows, contract, count)


# ---- pandas ---------------------------------------------------------------------------------------------------------

PANDAS = [
    "object", "Int64", "Float64", "boolean", "string", "category", "datetime64[ns]", "datetime64[ns, UTC]",
    "timedelta64[ns]",
]  # fmt: skip
PANDAS += [
    "float64", "float32", "float16", "int8", "bool", "complex128", "Sparse[float]", "period[D]", "string[pyarrow]",
    "int64[pyarrow]",
]  # fmt: skip


def series(values: list[Any], kind: str) -> pd.Series:
    """The values in that type, or as they are where they do not fit."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            made = pd.Series(values, dtype=object)
            return made if kind == "object" else made.astype(kind)
        except Exception:
            return (
                pd.Series([None] * len(values), dtype=object)
                if len(values) == 0
                else pd.Series(list(values), dtype=object)
            )


@st.composite
def pandas_frames(draw: Any) -> tuple[Contract, Any, int, dict[str, list[Any]] | None]:
    contract, columns, rows = draw(contract_and_columns(draw(st.sampled_from([SCALARS, NESTED]))))
    plain = draw(st.booleans())
    kinds = {name: "object" if plain else draw(st.sampled_from(PANDAS)) for name in columns}
    frame = pd.DataFrame({name: series(values, kinds[name]) for name, values in columns.items()}, index=range(rows))
    if not plain:
        match draw(st.integers(0, 9)):
            case 0 if rows:
                frame.index = draw(
                    st.sampled_from([[0] * rows, list(reversed(range(rows))), pd.Index(["x"] * rows, name="a")])
                )
            case 1 if len(frame.columns):
                frame.columns = pd.MultiIndex.from_tuples([(name, 1) for name in frame.columns])
            case 2 if len(frame.columns) > 1:
                frame.columns = [frame.columns[0]] * len(frame.columns)
            case 3:
                strange = [None, 1, 0.5, ("a", "b"), pd.NaT, b"a", dt.date.min, True, float("nan"), "row", "a"]
                frame.columns = draw(
                    st.lists(st.sampled_from(strange), min_size=len(frame.columns), max_size=len(frame.columns))
                )
            case 4 if rows:
                frame.index = pd.MultiIndex.from_tuples([(i, i) for i in range(rows)])
            case 5 if len(frame.columns):
                frame = frame.rename(columns={frame.columns[0]: "broken_clauses"})
            case _:
                pass
    return contract, frame, rows, columns if plain else None


@fuzzed(2)
@given(pandas_frames())
def test_pandas_frames(case: Any) -> None:
    contract, frame, count, columns = case
    found = held(frame, contract)
    assert found is None or found.rows == count
    if columns is not None and count:
        no_clean_bill(found, contract, columns)
    split(frame, contract, count)


@fuzzed(0.2)
@given(
    st.sampled_from(
        [pd.Series([1]), pd.Index([1]), pl.Series([1]), pa.array([1]), pa.scalar(1), np.array([[1]]), 5, None, b"x"]
    )
)
def test_what_is_no_table_is_a_type_error(thing: Any) -> None:
    contract = contracts.from_mapping({"version": "1.0.0", "owner": "us", "fields": [{"name": "a", "type": "string"}]})
    for ask in (report, quarantine):
        with pytest.raises(TypeError):
            ask(thing, contract)


# ---- Arrow and polars -----------------------------------------------------------------------------------------------


@fuzzed(2)
@given(arrow_tables(), st.sampled_from(["table", "batches", "reader", "sliced"]))
def test_arrow_tables(case: Any, form: str) -> None:
    contract, table, count = case

    def rows() -> Any:
        if form == "sliced" and len(table):
            return table.slice(1)
        if form == "reader":
            return pa.RecordBatchReader.from_batches(table.schema, table.to_batches())
        return table.to_batches()[0] if form == "batches" and table.to_batches() else table

    count = max(0, count - 1) if form == "sliced" else count
    found = held(rows, contract)
    assert found is None or found.rows == count
    split(rows, contract, count)


POLARS: list[Any] = [
    *(pl.Int8, pl.Int64, pl.UInt64, pl.Int128, pl.Float32, pl.Float64, pl.Boolean, pl.String, pl.Binary, pl.Null, pl.Object),
    *(pl.Date, pl.Time, pl.Duration, pl.Datetime("ms"), pl.Datetime("us", "UTC"), pl.Datetime("ns", "Europe/Berlin")),
    *(pl.Decimal(38, 2), pl.Categorical, pl.Enum(["A", "B"]), pl.List(pl.Int64), pl.Array(pl.String, 2)),
    *(pl.Struct({"a": pl.Int64}), pl.List(pl.Struct({"a": pl.List(pl.Null)}))),
]  # fmt: skip


def is_small(value: Any) -> bool:
    """Whether polars takes it without a panic, which it prints: it does not know NaN, Infinity or 1e400 as a Decimal."""
    return not isinstance(value, Decimal) or (value.is_finite() and abs(value.adjusted()) < 30)


@fuzzed(1.5)
@given(contract_and_columns(SCALARS), st.data())
def test_polars_frames(case: Any, data: Any) -> None:
    contract, columns, count = case
    made = {}
    for name, values in columns.items():
        kind = data.draw(st.sampled_from([None, *POLARS]))
        values = [value if is_small(value) else None for value in values]
        try:
            made[name] = pl.Series(name, values, dtype=kind, strict=False)
        except BaseException:  # what polars itself cannot hold; it panics too
            made[name] = pl.Series(name, [None] * count, dtype=pl.Int64 if kind in (None, pl.Object) else kind)
    frame = pl.DataFrame(list(made.values()))
    count = len(frame)
    lazily = data.draw(st.booleans())
    if lazily and any(kind == pl.Object for kind in frame.dtypes):
        lazily = False
    found = held(frame.lazy() if lazily else frame, contract)
    assert found is None or found.rows == count
    split(frame, contract, count)


# ---- DuckDB, ibis and files -----------------------------------------------------------------------------------------

SQL = [
    "null", "true", "1::tinyint", "255::utinyint", "9223372036854775807", "18446744073709551615::ubigint",
    "1::hugeint", "1::uhugeint", "0.5::float", "'nan'::double", "'infinity'::double", "1.5::decimal(10,2)",
    "1::decimal(38,0)", "'A'", "''", "'a''b'", "chr(0)", "'A'::blob", "'\\xFF'::blob", "date '2026-08-19'",
    "date 'infinity'", "date '-infinity'", "date '290000-01-01'", "time '12:00'", "timestamp '2026-08-19 14:00'",
    "timestamp 'infinity'", "timestamptz '2026-08-19 14:00:00+02'", "timestamptz 'infinity'",
    "timestamp '0001-01-01 (BC)'", "interval 1 month", "[1,2]", "['A',null]", "{'a':1}", "map{'a':1}",
    "'A'::enum('A','B')", "uuid()", "'101'::bit", "union_value(n:=1)", '\'{"a":1}\'::json', "'12:00:00+02'::timetz",
    "array_value(1,2)", "[]", "{'a':[{'b':null}]}", "'x'::varchar", "row(1,2)",
]  # fmt: skip


@fuzzed(1.5)
@given(agreed(), st.data())
def test_duckdb_and_ibis_tables(mapping: Any, data: Any) -> None:
    contract = contracts.from_mapping(mapping)
    names = {name.casefold(): name for name in [field.name for field in contract.fields] + ["more"]}.values()
    count = data.draw(st.integers(0, 3))
    with duckdb.connect() as connection:
        cells = [f'{data.draw(st.sampled_from(SQL))} as "{name.replace(chr(34), chr(34) * 2)}"' for name in names]
        try:
            relation = connection.sql(f"select {', '.join(cells)} from range({count})")
            relation.fetchall()
        except (duckdb.Error, ValueError, OverflowError):  # what Python cannot hold may still be judged
            pass
        form = data.draw(st.sampled_from(["relation", "ibis", "memtable"]))
        rows: Any = relation
        if form == "ibis":
            try:
                connection.execute(f"create table here as {relation.sql_query()}")
            except duckdb.Error:  # no table holds row(1, 2)
                reject()
            try:
                rows = ibis.duckdb.from_connection(connection).table("here")
            except AssertionError:  # ibis has no such type
                reject()
        elif form == "memtable":
            try:
                rows = ibis.memtable(relation.to_arrow_table())
            except Exception:  # ibis does not take it
                reject()
        found = held(rows, contract)
        assert found is None or found.rows == count
        try:
            accepted, quarantined = quarantine(rows, contract)
        except DataError:
            return
        if form == "relation":
            assert accepted.count("*").fetchone()[0] + quarantined.count("*").fetchone()[0] == count
