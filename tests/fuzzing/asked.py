"""What the properties of tables share: values, contracts, Arrow tables, what is asked of each, a second opinion."""

# ruff: noqa: E501, lists of words read best on long lines

from __future__ import annotations

import datetime as dt
import json
import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from agreements import NAMES, agreed
from hypothesis import strategies as st

import contracts
from contracts import Contract, DataError
from validate import Report, quarantine, report

AS_OF = dt.datetime(2026, 8, 19, 14, 30, tzinfo=dt.UTC)
BERLIN = dt.timezone(dt.timedelta(hours=2))

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


# ---- Arrow -----------------------------------------------------------------------------------------------------------

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
