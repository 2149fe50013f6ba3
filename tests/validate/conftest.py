"""The fixture of the tests of validate: one table in each of ten kinds."""

import json

import duckdb
import ibis
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_tables import KINDS


@pytest.fixture(params=KINDS)
def table(request, tmp_path):
    """A function that makes a table of this kind out of rows as mappings; `table.kind` names the kind."""

    def cell(value):
        return "" if value is None else '"' + value.replace('"', '""') + '"' if isinstance(value, str) else str(value)

    def make(rows):
        path, arrow = tmp_path / f"rows.{make.kind}", pa.Table.from_pylist(rows)
        if make.kind == "parquet":
            pq.write_table(arrow, path)
        elif make.kind == "csv":
            lines = [rows[0], *(row.values() for row in rows)]
            path.write_text("\n".join(",".join(map(cell, line)) for line in lines), encoding="utf-8")
        elif make.kind == "jsonl":
            path.write_text("\n".join(json.dumps(row, default=str) for row in rows), encoding="utf-8")
        others = {
            "rows": lambda: rows,
            "generator": lambda: (row for row in rows),
            "pandas": arrow.to_pandas,
            "polars": lambda: pl.from_arrow(arrow),
            "arrow": lambda: arrow,
            "duckdb": lambda: duckdb.connect().from_arrow(arrow),
            "ibis": lambda: ibis.memtable(arrow),
        }
        return others.get(make.kind, lambda: path)()

    make.kind = request.param
    return make
