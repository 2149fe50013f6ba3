"""validate, report and quarantine on any file: violations or a documented error, and nothing else is read or left."""

# ruff: noqa: RUF001, lists of words read best on long lines

from __future__ import annotations

import json
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from agreements import agreed
from asked import arrow_tables, held
from budget import fuzzed
from hypothesis import given, reject
from hypothesis import strategies as st

import contracts
from contracts import Contract, DataError
from validate import quarantine

pytestmark = pytest.mark.filterwarnings("ignore")  # of pandas and polars, about what a generator asks of them

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
