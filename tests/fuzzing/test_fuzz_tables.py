"""validate, report and quarantine on any table: violations or a documented error, never kept where a value breaks."""

# ruff: noqa: E501, RUF001, lists of words read best on long lines

from __future__ import annotations

import datetime as dt
import json
import math
import warnings
from decimal import Decimal
from fractions import Fraction
from typing import Any

import duckdb
import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from agreements import NAMES, agreed
from budget import fuzzed
from hypothesis import given, reject
from hypothesis import strategies as st

import contracts
from contracts import Contract, DataError
from validate import Report, quarantine, report, validate

AS_OF = dt.datetime(2026, 8, 19, 14, 30, tzinfo=dt.UTC)
BERLIN = dt.timezone(dt.timedelta(hours=2))
pytestmark = pytest.mark.filterwarnings("ignore")  # of pandas and polars, about what a generator asks of them


# ---- what a table is asked ------------------------------------------------------------------------------------------


class Thing:
    """A value that no table has a type for."""

    def __repr__(self) -> str:
        return "a\nthing"


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([0, 1, -1, 2**31, 2**53 + 1, 2**63, -(2**63) - 1, 2**64, 10**38, 10**60, 10**400]),
    st.sampled_from([0.0, -0.0, 0.5, 1.0, 1e300, 5e-324, math.inf, -math.inf, math.nan]),
    st.sampled_from(
        ["A", "B", "C", "", " ", "NO", "1", "it's", "\0", "é", "\ud800", "x" * 300, "a\nb", "None", "\x1b[2J"]
    ),
    st.sampled_from(
        [
            Decimal("0.10"),
            Decimal("NaN"),
            Decimal("sNaN"),
            Decimal("Infinity"),
            Decimal("1e400"),
            Decimal("1e999999"),
            Decimal("-1e-999999"),
            Decimal(10) ** 39,
        ]
    ),
    st.sampled_from([b"", b"A", b"\xff", bytearray(b"x"), memoryview(b"x")]),
    st.sampled_from(
        [dt.date(2026, 8, 19), dt.date.min, dt.date.max, dt.time(12), dt.timedelta(days=1), dt.timedelta.max]
    ),
    st.sampled_from([dt.datetime(2026, 8, 19, 14), dt.datetime.min, dt.datetime.max]),
    st.sampled_from([dt.datetime.min.replace(tzinfo=BERLIN), dt.datetime.max.replace(tzinfo=dt.UTC), AS_OF]),
    st.sampled_from(
        [pd.NaT, pd.NA, pd.Timestamp("2026-08-19"), pd.Timestamp("2026-08-19", tz="UTC"), pd.Timedelta("1h")]
    ),
    st.sampled_from(
        [np.int8(1), np.uint64(2**64 - 1), np.float32(0.1), np.float16("nan"), np.bool_(True), np.str_("A")]
    ),
    st.sampled_from(
        [np.datetime64("2026-08-19"), np.datetime64("NaT", "s"), np.array([1, 2]), np.array("A"), 1j, Ellipsis]
    ),
    st.sampled_from([Fraction(1, 3), Fraction(10**400), pd.Timestamp.min, pd.Timestamp.max, np.timedelta64(1, "D")]),
    st.builds(Thing),
)
NESTED = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2)
    | st.tuples(inner),
    max_leaves=3,
)  # fmt: skip


@st.composite
def contract_and_columns(draw: Any, values: Any) -> tuple[Contract, dict[str, list[Any]], int]:
    """A contract, and columns of such values under its names and others, all of one length."""
    contract = contracts.from_mapping(draw(agreed()))
    named = [field.name for field in contract.fields]
    names = draw(st.lists(st.sampled_from([*named, *named, *NAMES, "more"]), max_size=5, unique=True))
    rows = draw(st.integers(0, 5))
    return contract, {name: draw(st.lists(values, min_size=rows, max_size=rows)) for name in names}, rows


def held(rows: Any, contract: Contract) -> Report | None:
    """The report, as everybody may use it; None where the data could not be read, which is said in a line."""
    try:
        found = report(rows() if callable(rows) else rows, contract, as_of=AS_OF)
    except DataError as error:
        assert str(error).strip()
        return None
    said = json.dumps(found.to_dict(), allow_nan=False)
    said.encode("utf-8")
    for violation in found.violations:
        assert len(violation.message.splitlines()) == 1 and len(violation.message) < 5000
        assert violation.message.encode("utf-8") and 0 <= violation.failing <= violation.checked
    assert found.verdict in ("kept", "broken", "could not check")
    return found


def split(rows: Any, contract: Contract, count: int, size: Any = len) -> None:
    """Accepted and quarantined are the input, row for row; what is accepted keeps the row-level clauses."""
    try:
        accepted, quarantined = quarantine(rows() if callable(rows) else rows, contract)
    except DataError as error:
        assert str(error).strip()
        return
    assert size(accepted) + size(quarantined) == count


# ---- an independent word on plain values ----------------------------------------------------------------------------


def surely_breaks(contract: Contract, columns: dict[str, list[Any]]) -> set[tuple[str, str]]:
    """(field, rule) of the clauses that these values break beyond doubt; it knows plain Python values alone."""
    broken = set()
    for field in contract.fields:
        values = columns.get(field.name)
        if values is None:
            broken |= {(field.name, "missing")} if columns else set()
            continue
        there = [
            v for v in values if not (v is None or v is pd.NaT or v is pd.NA or (type(v) is float and math.isnan(v)))
        ]
        plain = [v for v in there if type(v) in (str, int, bool, float)]
        if field.required and any(v is None for v in values):
            broken.add((field.name, "required"))
        kind = {"string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,)}.get(field.type, ())
        if any(type(v) not in kind for v in plain):
            broken.add((field.name, "type"))
        right = [v for v in plain if type(v) in kind]
        if field.type in ("string", "boolean") and field.enum and any(v not in field.enum for v in right):
            broken.add((field.name, "enum"))
        if field.type == "integer" and any(
            (field.min is not None and v < field.min) or (field.max is not None and v > field.max) for v in right
        ):
            broken.add((field.name, "range"))
        if field.type == "string" and field.unique and len(set(right)) < len(right):
            broken.add((field.name, "unique"))
    return broken


def no_clean_bill(found: Report | None, contract: Contract, columns: dict[str, list[Any]]) -> None:
    if found is None:
        return
    told = {(violation.field, violation.rule) for violation in found.violations}
    silent = surely_breaks(contract, columns) - told - {(each.field, each.rule) for each in found.not_checked}
    assert not silent, f"passed over: {silent}"


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

ARROW: list[Any] = [
    *(pa.null(), pa.bool_(), pa.int8(), pa.uint8(), pa.int64(), pa.uint64(), pa.float16(), pa.float32(), pa.float64()),
    *(pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view(), pa.binary(1)),
    *(pa.decimal128(38, 2), pa.decimal128(5, -2), pa.decimal256(76, 10), pa.decimal256(50, 0)),
    *(pa.date32(), pa.date64(), pa.time32("s"), pa.time64("ns"), pa.timestamp("s"), pa.timestamp("ns", "UTC")),
    *(pa.timestamp("us", "Europe/Berlin"), pa.timestamp("us", "+05:30"), pa.duration("us"), pa.month_day_nano_interval()),
    *(pa.dictionary(pa.int8(), pa.string()), pa.dictionary(pa.int32(), pa.int64()), pa.run_end_encoded(pa.int32(), pa.string())),
    *(pa.list_(pa.string()), pa.large_list(pa.int64()), pa.list_(pa.int64(), 2), pa.list_view(pa.int64())),
    *(pa.struct([("a", pa.int64())]), pa.struct([]), pa.map_(pa.string(), pa.int64()), pa.uuid(), pa.json_(), pa.bool8()),
    *(pa.sparse_union([pa.field("a", pa.int64()), pa.field("b", pa.string())]), pa.list_(pa.struct([("é", pa.list_(pa.null()))]))),
]  # fmt: skip
OF_ARROW = {
    "bool": st.booleans(),
    "int": st.integers(0, 100),
    "float": st.sampled_from([0.5, 1.0, math.inf, math.nan, -0.0]),
    "decimal": st.sampled_from([Decimal(1), Decimal("100"), Decimal(0)]),
    "string": st.sampled_from(["A", "B", "", "é", "\0"]),
    "date": st.sampled_from([dt.date(2026, 8, 19), dt.date.min, dt.date.max]),
    "timestamp": st.sampled_from([dt.datetime(2026, 8, 19, 14), dt.datetime(1970, 1, 1)]),
}


def array(draw: Any, kind: Any, rows: int) -> Any:
    """An array of that type with values or NULL in it; only NULL where there are no values for it."""
    text = str(kind)
    values = next((of for word, of in OF_ARROW.items() if text.lstrip("u").startswith(word)), None)
    if text.startswith(("large_string", "string_view", "dictionary<values=string")):
        values = OF_ARROW["string"]
    if pa.types.is_union(kind):
        types = pa.array([i % 2 for i in range(rows)], pa.int8())
        return pa.UnionArray.from_sparse(types, [pa.array([1] * rows, pa.int64()), pa.array(["A"] * rows)])
    if pa.types.is_run_end_encoded(kind):
        ends, inner = ([rows], ["A"]) if rows else ([], [])
        return pa.RunEndEncodedArray.from_arrays(pa.array(ends, pa.int32()), pa.array(inner, pa.string()))
    given = [None if values is None else draw(st.none() | values) for _ in range(rows)]
    try:
        return pa.array(given, kind)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return pa.nulls(rows, kind)


@st.composite
def arrow_tables(draw: Any) -> tuple[Contract, Any, int]:
    contract = contracts.from_mapping(draw(agreed()))
    names = [field.name for field in contract.fields] + draw(st.lists(st.sampled_from(["more", *NAMES]), max_size=2))
    rows = draw(st.integers(0, 4))
    arrays = [array(draw, draw(st.sampled_from(ARROW)), rows) for _ in names]
    return contract, pa.table(arrays, names=names), rows


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


CELLS = [
    "",
    "A",
    "B",
    "1",
    "-1",
    "0.5",
    "1e400",
    "9" * 60,
    "true",
    "TRUE",
    "2026-08-19",
    "2026-02-30",
    "2026-08-19T14:00:00Z",
]
CELLS += [
    "null", "NaN", "inf", '"', '""', '"A"', '"a\nb"', '"a""b"', "a,b", "'", "\\", "é", "\ufeff", "\x00", "\r", "=1+1",
    " ", "\t",
]  # fmt: skip
CELLS += ["x" * 70000, "[1]", "{}", "24:00", "0001-01-01", "9999-12-31T23:59:59.9999999", "1_000", "0x1", "١"]


def nothing_else(path: Any, contract: Contract, folder: Any) -> None:
    """A file is judged, or it is said why not; and so is the command line's quarantine."""
    from clause import quarantining

    held(str(path), contract)
    try:
        accepted, quarantined = quarantine(str(path), contract)
        accepted.fetchall(), quarantined.fetchall()
    except (DataError, duckdb.Error, OverflowError, ValueError):  # the relations are DuckDB's own, and read later
        pass
    try:
        quarantining.write(str(path), contract, folder)
    except DataError as error:
        assert str(error)


@fuzzed(1.5)
@given(agreed(), st.data())
def test_csv_files(tmp_path: Any, mapping: Any, data: Any) -> None:
    contract = contracts.from_mapping(mapping)
    names = [field.name for field in contract.fields]
    header = data.draw(
        st.permutations([*names, *data.draw(st.lists(st.sampled_from(["more", "", *CELLS]), max_size=2))])
    )
    comma = data.draw(st.sampled_from([","] * 8 + [";", "\t", ", "]))
    end = data.draw(st.sampled_from(["\n"] * 5 + ["\r\n", "\r"]))
    written = ['"' + name.replace('"', '""') + '"' if data.draw(st.booleans()) else name for name in header]
    lines = [comma.join(written)]
    for _ in range(data.draw(st.integers(0, 4))):
        width = len(header) + data.draw(st.sampled_from([0] * 10 + [-1, 1]))
        lines.append(comma.join(data.draw(st.sampled_from(CELLS)) for _ in range(width)))
    raw = end.join(lines).encode(
        data.draw(st.sampled_from(["utf-8"] * 10 + ["utf-8-sig", "utf-16", "latin-1"])), "replace"
    )
    if data.draw(st.integers(0, 7)) == 0:
        at = data.draw(st.integers(0, len(raw)))
        raw = raw[:at] + data.draw(st.binary(max_size=4)) + raw[at:]
    path = tmp_path / data.draw(st.sampled_from(["rows.csv", "rows [1].csv", "ROWS.CSV", "it's.csv"]))
    path.write_bytes(raw)
    nothing_else(path, contract, tmp_path / "split")


VALUES = [
    "1",
    "-1",
    "1e400",
    "9" * 60,
    '"A"',
    '"B"',
    "true",
    "null",
    "{}",
    "[]",
    '{"a":1}',
    '"2026-08-19"',
    '"\\ud800"',
    '"\\u0000"',
]
VALUES += [
    "NaN",
    "0.5",
    '"' + "x" * 70000 + '"',
    '"é"',
    "tru",
    "",
    "1 2",
    "[" * 3000,
    '"\\"',
    "01",
    "'A'",
    "-0",
    "1.0",
    "Infinity",
]


@fuzzed(1.5)
@given(agreed(), st.data())
def test_json_files(tmp_path: Any, mapping: Any, data: Any) -> None:
    contract = contracts.from_mapping(mapping)
    names = [json.dumps(field.name) for field in contract.fields] + ['"more"', '"~/"', '"a"', '""', '"\\u0000"', '"A"']
    lines = []
    for _ in range(data.draw(st.integers(0, 4))):
        keys = data.draw(st.lists(st.sampled_from(names), max_size=5))
        line = "{" + ", ".join(f"{key}: {data.draw(st.sampled_from(VALUES))}" for key in keys) + "}"
        lines.append(data.draw(st.sampled_from([line] * 8 + ["[]", "1", "null", "{", line[:-1], "", line + line])))
    text = "\n".join(lines) if data.draw(st.booleans()) else "[" + ",\n".join(lines) + "]"
    raw = text.encode(data.draw(st.sampled_from(["utf-8"] * 8 + ["utf-8-sig", "utf-16", "latin-1"])), "replace")
    path = tmp_path / data.draw(st.sampled_from(["rows.jsonl", "rows.json", "rows.ndjson"]))
    path.write_bytes(raw)
    nothing_else(path, contract, tmp_path / "split")


@fuzzed()
@given(arrow_tables(), st.data())
def test_parquet_files(tmp_path: Any, case: Any, data: Any) -> None:
    contract, table, _ = case
    path = tmp_path / "rows.parquet"
    try:
        pq.write_table(table, path)
    except (pa.ArrowException, OSError, ValueError, NotImplementedError):  # what Parquet has no form for
        reject()
    if data.draw(st.integers(0, 4)) == 0:
        raw = bytearray(path.read_bytes())
        for _ in range(data.draw(st.integers(1, 3))):
            raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
        path.write_bytes(bytes(raw[: data.draw(st.sampled_from([len(raw), len(raw) // 2, len(raw) - 4]))]))
    nothing_else(path, contract, tmp_path / "split")
