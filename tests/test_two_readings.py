"""Two readings, one verdict: plain Python over rows and one query over a table find the same violations.

`make fuzz` runs many more examples than `make test` does.
"""

import datetime as dt
import os
from decimal import Decimal

import duckdb
import ibis
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

import contracts
from validate import quarantine, report, validate

EXAMPLES = int(os.environ.get("EXAMPLES", "150"))
nasty = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))

NAMES = [
    'weird ""names""',
    "select",
    "a.b",
    "Price",
    "price",
    " x ",
    "100%",
    "naïve",
    "it's",
    "c0",
    "every_row",
    "é",
    "\n",
]
TEXTS = [
    "A",
    "a",
    "A ",
    " A",
    "",
    "None",
    "NaN",
    "it's",
    '"',
    "100%",
    "a\nb",
    "a\0b",
    "é",
    "é",
    "👍",
    "NO",
    "\\",
    "x" * 70,
]

TYPES = {
    "string": (pa.string(), st.sampled_from(TEXTS) | st.text(st.characters(exclude_categories=["Cs"]), max_size=3)),
    "integer": (pa.int64(), st.sampled_from([0, 1, -1, 2**53 + 1, 2**63 - 1, -(2**63)]) | st.integers(-5, 5)),
    "unsigned": (pa.uint64(), st.sampled_from([0, 1, 2**63, 2**64 - 1])),
    "number": (
        pa.float64(),
        st.sampled_from([0.0, -0.0, 0.1, 1.0, 1e16, 1e-9, float("inf"), float("-inf"), float("nan")]),
    ),
    "decimal": (pa.decimal128(10, 2), st.sampled_from([Decimal("0.10"), Decimal("4.50"), Decimal("1"), Decimal("-2")])),
    "boolean": (pa.bool_(), st.booleans()),
    "date": (pa.date32(), st.sampled_from([dt.date(1, 1, 1), dt.date(9999, 12, 31), dt.date(2026, 8, 19)])),
    "naive": (
        pa.timestamp("us"),
        st.sampled_from([dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31, 23), dt.datetime(2026, 8, 19, 14, 7)]),
    ),
    "aware": (
        pa.timestamp("us", "UTC"),
        st.sampled_from([dt.datetime(2026, 8, 19, 14, 7, tzinfo=dt.UTC), dt.datetime(1970, 1, 1, tzinfo=dt.UTC)]),
    ),
}
CONTRACT_TYPES = ["string", "integer", "number", "boolean", "date", "timestamp"]
OF_TYPE = {
    "string": TYPES["string"][1],
    "integer": TYPES["integer"][1] | st.sampled_from([2**63, 2**70, -(2**70)]),
    "number": st.sampled_from([0, 1, 0.1, 4.5, -2, 1e16, 2**60]),
    "boolean": st.booleans(),
    "date": TYPES["date"][1],
    "timestamp": TYPES["naive"][1] | TYPES["aware"][1],
}
PATTERNS = ["[A-Z]", "A|B", ".*", "", r"\d+", "(a+)+", r"a.b", "(?i)a", "é"]


@st.composite
def fields(draw, name):
    kind = draw(st.sampled_from(CONTRACT_TYPES))
    field = {"name": name, "type": kind}
    if draw(st.booleans()):
        field["enum"] = draw(st.lists(OF_TYPE[kind], min_size=1, max_size=4, unique_by=lambda v: (type(v), v)))
    if kind in ("integer", "number", "date", "timestamp") and draw(st.booleans()):
        field["min"] = draw(OF_TYPE[kind])
    if kind in ("integer", "number", "date", "timestamp") and draw(st.booleans()):
        field["max"] = draw(OF_TYPE[kind])
    if kind == "string" and draw(st.booleans()):
        field["pattern"] = draw(st.sampled_from(PATTERNS))
    field["required"] = draw(st.booleans())
    if not field["required"] and draw(st.booleans()):
        field["max_null_rate"] = draw(st.sampled_from([0, 0.25, 0.5, 1]))
    field["unique"] = draw(st.booleans())
    return field


@st.composite
def cases(draw):
    """(contract, columns): columns as name -> (Arrow type, values), all of one length, some declared, some not."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
    declared = draw(st.lists(st.sampled_from([*names, "absent"]), min_size=1, max_size=4, unique=True))
    mapping = {"version": "1.0.0", "owner": "us", "consumers": ["you"], "dataset": "t"}
    mapping["fields"] = [draw(fields(name)) for name in declared]
    mapping["volume"] = {"min_rows": draw(st.integers(0, 3))}
    if draw(st.booleans()):
        mapping["evolution"] = {"additive": "forbidden"}
    timed = [field["name"] for field in mapping["fields"] if field["type"] in ("date", "timestamp")]
    if timed and draw(st.booleans()):
        mapping["freshness"] = {"max_lag": "1h", "field": draw(st.sampled_from(timed))}
        if draw(st.booleans()):
            mapping["freshness"]["timezone"] = "Europe/Berlin"
    try:
        contract = contracts.from_mapping(mapping)
    except contracts.ContractError:
        reject()  # what says nothing is not counted as an example
    rows = draw(st.integers(1, 8))
    columns = {}
    for name in names:
        kind, values = TYPES[draw(st.sampled_from(list(TYPES)))]
        columns[name] = (kind, draw(st.lists(values | st.none(), min_size=rows, max_size=rows)))
    return contract, columns


def as_rows(columns):
    return [dict(zip(columns, values, strict=True)) for values in zip(*(v for _, v in columns.values()), strict=True)]


def as_arrow(columns):
    return pa.table({name: pa.array(values, kind) for name, (kind, values) in columns.items()})


AS_OF = dt.datetime(2026, 8, 19, 14, 30, tzinfo=dt.UTC)


def seen(rows, contract):
    found = report(rows, contract, as_of=AS_OF)
    return found.rows, found.violations, found.not_checked, found.additive_columns


@nasty
@given(cases())
def test_plain_python_and_one_query_find_the_same(case):
    contract, columns = case
    assert seen(as_rows(columns), contract) == seen(as_arrow(columns), contract)


@nasty
@given(cases())
def test_quarantine_splits_rows_and_tables_alike(case):
    contract, columns = case
    count = len(next(iter(columns.values()))[1])
    columns["#"] = (pa.int64(), list(range(count)))
    rows = as_rows(columns)
    accepted, quarantined = quarantine(rows, contract)
    assert sorted(row["#"] for row in accepted + quarantined) == list(range(count))
    table_accepted, table_quarantined = quarantine(as_arrow(columns), contract)
    assert table_accepted["#"].to_pylist() == [row["#"] for row in accepted]
    assert table_quarantined["#"].to_pylist() == [row["#"] for row in quarantined]
    assert table_quarantined["broken_clauses"].to_pylist() == [row["broken_clauses"] for row in quarantined]
    row_level = {"type", "required", "enum", "range", "pattern", "unique"}
    for kept in (accepted, table_accepted):
        assert not row_level & {violation.rule for violation in validate(kept, contract) if violation.failing}


@settings(nasty, max_examples=EXAMPLES // 3)
@given(cases())
def test_every_kind_of_table_finds_the_same(tmp_path, case):
    """DuckDB takes two names that differ in case for one, so those are left to the frames."""
    contract, columns = case
    table = as_arrow(columns)
    expected = seen(table, contract)
    assert seen(pl.from_arrow(table), contract) == expected
    if len({name.casefold() for name in columns}) == len(columns):
        parquet = tmp_path / "rows [1].parquet"
        pq.write_table(table, parquet)
        with duckdb.connect() as connection:
            for rows in (connection.from_arrow(table), ibis.memtable(table), parquet):
                assert seen(rows, contract) == expected


@settings(nasty, max_examples=EXAMPLES // 3)
@given(cases())
def test_pandas_finds_the_same_where_it_keeps_the_values(case):
    """As objects: pandas would make floats of integers with gaps, which has a test of its own."""
    contract, columns = case
    frame = pd.DataFrame({name: pd.Series(values, dtype=object) for name, (_, values) in columns.items()})
    rows = report(as_rows(columns), contract)
    assert report(frame, contract) == rows


def test_a_file_that_was_written_again_is_read_again(tmp_path):
    contract = contracts.from_mapping(
        {"version": "1.0.0", "owner": "us", "fields": [{"name": "a", "type": "integer", "enum": [1]}]}
    )
    path = tmp_path / "rows.parquet"
    for value in (1, 2) * 50:
        pq.write_table(pa.table({"a": [value] * 9}), path)
        assert bool(validate(path, contract)) == (value == 2)
