"""Contracts of one field, columns of a few values, and short forms of what `validate` says of them."""

import datetime as dt

import pandas as pd
import pyarrow as pa
import pytest

from validate import validate

TYPED = ["rows", "generator", "pandas", "polars", "arrow", "duckdb", "ibis", "parquet"]
KINDS = [*TYPED, "csv", "jsonl"]
FILES = ["parquet", "csv", "jsonl"]


def only(*kinds):
    return pytest.mark.parametrize("table", kinds, indirect=True)


def contract(*fields, **clauses):
    """A contract; "x: integer" is short for a field without more clauses."""
    fields = [dict(zip(("name", "type"), f.split(": "), strict=True)) if isinstance(f, str) else f for f in fields]
    return {"version": "1.0.0", "owner": "us", "consumers": ["a", "b"], "dataset": "t", "fields": fields} | clauses


def field(type="string", **clauses):
    return {"name": "x", "type": type, **clauses}


def column(*values):
    return [{"x": value, "n": i} for i, value in enumerate(values)]


def broken(rows, field, **clauses):
    """The one violation of a contract of one field, as (rule, failing, checked, values)."""
    found = validate(rows, contract(field, **clauses))
    return [(v.rule, v.failing, v.checked, dict(v.values)) for v in found]


def unchecked(found):
    return [(clause.rule, clause.field) for clause in found.not_checked]


AS_OF = dt.datetime(2026, 8, 19, 14, 30, tzinfo=dt.UTC)


def at(hour, minute=0, second=0, tzinfo=None):
    return dt.datetime(2026, 8, 19, hour, minute, second, tzinfo=tzinfo)


def file(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def listed(rows):
    """A table of any kind as a list of rows."""
    if isinstance(rows, pd.DataFrame):
        rows = pa.Table.from_pandas(rows, preserve_index=False)
    for name in ("to_arrow_table", "to_pyarrow", "to_arrow"):
        rows = getattr(rows, name)() if hasattr(rows, name) else rows
    return rows if isinstance(rows, list) else rows.to_pylist()


def numbers(rows):
    return sorted(int(row["n"]) for row in rows)


CLAUSES = contract(field(enum=["A", "B"], required=True, unique=True), {"name": "n", "type": "integer", "max": 7})
