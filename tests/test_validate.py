"""What `validate`, `report` and `quarantine` promise, for every kind of table that they take."""

import copy
import dataclasses
import datetime as dt
import json
import os
import pickle
import socket
import time
from decimal import Decimal

import duckdb
import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import contracts
import seed
from contracts import DataError
from validate import quarantine, report, validate

TYPED = ["rows", "generator", "pandas", "polars", "arrow", "duckdb", "ibis", "parquet"]
KINDS = [*TYPED, "csv", "jsonl"]
FILES = ["parquet", "csv", "jsonl"]


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


# --- the lesson's exercise: each of the four faults, and the incident ----------------------------------------------


def test_missing_required_field(table):
    [found] = validate(table([{"y": "a"}, {"y": "b"}]), contract(field(required=True), "y: string"))
    assert (found.rule, found.field, found.message) == ("missing", "x", "x: the column is missing; affects a, b")


def test_wrong_type(table):
    assert broken(table(column("a", "b", "a", None)), field("integer")) == [("type", 3, 3, {"a": 2, "b": 1})]


def test_value_outside_enum(table):
    assert broken(table(column("A", "Q", "Z", "Q", None)), field(enum=["A"])) == [("enum", 3, 4, {"Q": 2, "Z": 1})]


def test_null_rate_over_threshold(table):
    assert broken(table(column("A", None, None, "B")), field(max_null_rate=0.25)) == [("null_rate", 2, 4, {})]


def test_null_rate_at_the_threshold_is_kept(table):
    assert broken(table(column("A", None, "A", "B")), field(max_null_rate=0.25)) == []


def test_before_the_release_every_clause_is_kept(table):
    assert validate(table(seed.listings("before")), seed.ROOT / "contracts/listings.yaml") == []


def test_after_the_release_one_violation_says_it_all_in_one_sentence(table):
    [found] = validate(table(seed.listings("after")), seed.ROOT / "contracts/listings.yaml")
    assert found.message == (
        "item_condition: 8,000 of 8,000 rows are outside the allowed [A, B, C]: "
        "good (3,680 rows), fair (2,240 rows), excellent (2,080 rows); "
        "affects data-platform, pricing-service, finance-reporting"
    )
    assert (found.rule, found.failing, found.checked, found.distinct_values) == ("enum", 8000, 8000, 3)


def test_the_contract_before_had_no_such_clause_and_passes_the_re_coded_rows(table):
    assert validate(table(seed.listings("after")), seed.ROOT / "contracts/history/listings-1.3.0.yaml") == []


# --- how things count ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["X", " x", "x ", " X "])
def test_a_name_that_differs_in_case_or_blanks_is_missing_and_the_message_says_so(table, name):
    [found] = validate(table([{name: "a"}]), contract("x: string"))
    assert found.rule == "missing"
    assert f"the table has {name!r}, which differs only in case or blanks" in found.message


@only("rows", "generator", "jsonl")
def test_a_key_that_some_rows_lack_is_null_there(table):
    assert broken(table([{"x": "a"}, {"y": "b"}]), field(required=True)) == [("required", 1, 2, {})]


@only("rows", "jsonl")
def test_a_key_that_every_row_lacks_is_a_missing_column(table):
    assert [v.rule for v in validate(table([{}, {}]), contract("x: string"))] == ["missing"]


def test_columns_that_the_contract_does_not_name_are_listed_and_no_violation(table):
    found = report(table([{"z": 1, "x": "a", "y": None}]), contract("x: string"))
    assert (found.verdict, found.additive_columns) == ("kept", ("z", "y"))


def test_additive_columns_are_a_violation_where_evolution_forbids_them(table):
    [found] = validate(table([{"x": "a", "z": 1}]), contract("x: string", evolution={"additive": "forbidden"}))
    assert (found.rule, found.field) == ("additive", "z")


def test_null_is_the_business_of_required_and_max_null_rate_alone(table):
    clauses = field("integer", min=1, max=1, enum=[1], unique=True)
    assert broken(table(column(1, None, None)), clauses) == []


def test_required_counts_nulls_of_all_rows(table):
    assert broken(table(column("a", None, "b")), field(required=True)) == [("required", 1, 3, {})]


@only(*TYPED)
def test_nan_is_missing_everywhere(table):
    nan = float("nan")
    assert broken(table(column(1.5, nan, None)), field("number", required=True)) == [("required", 2, 3, {})]
    assert broken(table(column(1.5, nan, nan)), field("number", min=1, max=2, unique=True, enum=[1.5])) == []


def test_the_empty_string_and_words_for_nothing_are_strings(table):
    assert broken(table(column("", "None", "NULL", "NA", "nan", "null")), field(required=True, unique=True)) == []


LOOK_ALIKES = {  # values that are not of the field's type, though they look as if they were
    "integer": [True, 1.0, "1"],  # a column of floats is not of integers, even if all are whole
    "number": ["1", True],
    "boolean": [1, "true"],
    "string": [1],
    "date": [dt.datetime(2026, 8, 19), "2026-08-19"],
    "timestamp": [dt.date(2026, 8, 19), "2026-08-19T12:00:00"],
}


@only(*TYPED)
@pytest.mark.parametrize(("type", "value"), [(type, value) for type, values in LOOK_ALIKES.items() for value in values])
def test_a_look_alike_is_of_another_type(table, type, value):
    assert [v[:3] for v in broken(table(column(value, value)), field(type))] == [("type", 2, 2)]


@only("arrow", "duckdb", "ibis", "parquet", "polars", "rows")
def test_a_decimal_column_is_a_number_and_no_integer(table):
    rows = column(Decimal(1), Decimal(2))
    assert broken(table(rows), field("number", min=1)) == []
    assert [v.rule for v in validate(table(rows), contract(field("integer")))] == ["type"]


def test_an_integer_is_a_number(table):
    assert broken(table(column(1, 2, 3)), field("number", max=2)) == [("range", 1, 3, {3: 1})]


def test_whole_values_of_a_pandas_float_column_with_gaps_are_integers():
    assert broken(pd.DataFrame({"x": [1.0, None, 100.5]}), field("integer")) == [("type", 1, 2, {100.5: 1})]
    assert broken(pd.DataFrame({"x": [1.0, None, float("inf"), 1e300]}), field("integer", min=0))[0][:3] == (
        "type",
        2,
        3,
    )
    assert broken(pd.DataFrame({"x": [1.0, 2.0]}), field("integer"))[0][:3] == ("type", 2, 2)


def test_text_in_a_message_never_passes_for_a_number_or_a_boolean():
    [found] = validate(column("1", True, "true", 2.0), contract(field("integer")))
    assert "true (1 row), 2.0 (1 row), '1' (1 row), 'true' (1 row)" in found.message


@pytest.mark.parametrize(
    ("clauses", "says"),
    [
        ({"min": 2, "max": 4}, "x: 2 of 5 rows are outside 2 to 4: 1 (1 row), 5 (1 row); affects a, b"),
        ({"min": 2}, "x: 1 of 5 rows are not at least 2: 1 (1 row); affects a, b"),
        ({"max": 4, "unit": "kg"}, "x: 1 of 5 rows are not at most 4 kg: 5 (1 row); affects a, b"),
    ],
)
def test_range_includes_its_bounds(table, clauses, says):
    [found] = validate(table(column(1, 2, 3, 4, 5)), contract(field("integer", **clauses)))
    assert found.message == says


def test_timestamps_with_and_without_a_zone_may_stand_side_by_side():
    assert broken(column(at(1), at(2, tzinfo=dt.UTC)), field("timestamp", min="2026-08-19T03:00:00"))[0][:3] == (
        *("range", 2, 2),
    )


def test_dates_have_a_range(table):
    days = column(dt.date(2026, 8, 18), dt.date(2026, 8, 19), None)
    assert broken(table(days), field("date", min="2026-08-19")) == [("range", 1, 2, {"2026-08-18": 1})]


def test_timestamps_have_a_range(table):
    times = column(dt.datetime(2026, 8, 19, 12), dt.datetime(2026, 8, 19, 13))
    assert broken(table(times), field("timestamp", max="2026-08-19T12:30:00"))[0][:3] == ("range", 1, 2)


def test_a_pattern_is_over_the_whole_value(table):
    found = broken(table(column("AB", "ABx", "xAB", "AB\n", None)), field(pattern="A|AB"))
    assert found == [("pattern", 3, 4, {"ABx": 1, "xAB": 1, "AB\\n": 1})]


def test_unique_counts_every_row_that_shares_its_value(table):
    assert broken(table(column("a", "b", "a", None, None, "c", "a")), field(unique=True)) == [
        ("unique", 3, 5, {"a": 3})  # NULLs share nothing
    ]


@pytest.mark.parametrize(("volume", "expected"), [({"min_rows": 4}, "at least 4"), ({"max_rows": 2}, "at most 2")])
def test_volume_counts_all_rows(table, volume, expected):
    [found] = validate(table(column(1, 2, 3)), contract("x: integer", volume=volume))
    assert found.message == f"t: the table has 3 rows, expected {expected}; affects a, b"
    assert validate(table(column(1, 2, 3)), contract("x: integer", volume={"min_rows": 3, "max_rows": 3})) == []


def test_a_clause_that_cannot_run_does_not_stop_the_others(table):
    other = {"name": "y", "type": "string", "enum": ["A"]}
    found = report(table([{"x": "a", "y": "Q"}]), contract(field("integer", min=1, enum=[1], unique=True), other))
    assert [(v.rule, v.field) for v in found.violations] == [("type", "x"), ("enum", "y")]
    assert unchecked(found) == [("enum", "x"), ("range", "x"), ("unique", "x")]


def test_value_clauses_of_a_column_without_values_are_not_checked(table):
    found = report(table([{"x": None, "y": 1}]), contract(field(enum=["A"])))
    assert (found.violations, unchecked(found)) == ((), [("type", "x"), ("enum", "x")])


NO_ROWS = {
    "pandas": pd.DataFrame({"x": pd.Series(dtype=object)}),
    "polars": pl.DataFrame(schema={"x": pl.String}),
    "arrow": pa.table({"x": pa.array([], pa.string())}),
    "ibis": ibis.memtable(pa.table({"x": pa.array([], pa.string())})),
}


@pytest.mark.parametrize("kind", NO_ROWS)
def test_without_rows_structure_is_checked_volume_decides_and_values_are_not_checked(kind):
    rows = NO_ROWS[kind]
    found = report(rows, contract(field(enum=["A"], required=True), "y: string", volume={"min_rows": 1}))
    assert [v.rule for v in found.violations] == ["volume", "missing"]
    assert unchecked(found) == [("type", "x"), ("required", "x"), ("enum", "x"), ("type", "y")]
    assert report(rows, contract("x: string")).verdict == "kept"


def test_no_rows_as_mappings_have_no_columns_either_so_nothing_is_checked():
    assert report([], contract("x: string")).verdict == "could not check"


# --- freshness -----------------------------------------------------------------------------------------------------

AS_OF = dt.datetime(2026, 8, 19, 14, 30, tzinfo=dt.UTC)


def freshness(rows, as_of=AS_OF, loaded_at=None, **clause):
    """What is said of freshness: None where it is kept, the reason where it is not checked, or the message."""
    fresh = {"max_lag": "1h", "field": "x"} | clause
    fresh = {key: value for key, value in fresh.items() if value}
    found = report(rows, contract("x: timestamp", freshness=fresh), as_of=as_of, loaded_at=loaded_at)
    said = [getattr(f, "message", None) or f.reason for f in (*found.violations, *found.not_checked)]
    return said[0] if said else None


def at(hour, minute=0, second=0, tzinfo=None):
    return dt.datetime(2026, 8, 19, hour, minute, second, tzinfo=tzinfo)


@pytest.mark.parametrize(
    ("newest", "zone", "said"),
    [
        (at(13, 30, tzinfo=dt.UTC), None, None),  # exactly max_lag old
        (at(13, 29, 59, tzinfo=dt.UTC), None, "13:29:59+00:00, 1 h 1 s old, expected at most 1 h; affects a, b"),
        (at(14, 30, 1, tzinfo=dt.UTC), None, "14:30:01+00:00, 1 s in the future of 2026-08-19 14:30:00+00:00"),
        (at(16), "Europe/Berlin", None),  # 14:00 UTC
        (at(16), "UTC", "1 h 30 min in the future"),
        (at(14), None, "its times name no zone; add freshness.timezone to the contract"),
    ],
)
def test_freshness_is_the_age_of_the_newest_value(table, newest, zone, said):
    found = freshness(table(column(newest - dt.timedelta(days=1), newest, None)), timezone=zone)
    assert (found is None) if said is None else (said in found)


def test_freshness_without_as_of_is_not_checked(table):
    assert freshness(table(column(at(1))), None, timezone="UTC") == "no as_of was given, so nothing can be called old"


def test_freshness_without_a_field_needs_to_know_when_the_table_was_loaded(table):
    assert "no loaded_at was given" in freshness(table(column(at(1))), field=None)
    assert freshness(table(column(at(1))), loaded_at=at(14, tzinfo=dt.UTC), field=None) is None
    old = freshness(table(column(at(1))), loaded_at=at(12, tzinfo=dt.UTC), field=None)
    assert old.startswith("t: the table was loaded at 2026-08-19 12:00:00+00:00, 2 h 30 min old, expected at most 1 h")


def test_naive_arguments_are_in_the_zone_of_the_contract():
    assert freshness(column(at(16)), at(16, 30), timezone="Europe/Berlin") is None


def test_freshness_of_a_column_without_times_is_not_checked(table):
    assert freshness(table(column(None))) == "x holds no time to judge by"


# --- files: read by the contract's types, never sniffed ---------------------------------------------------------------


def file(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


READ_BY_TYPE = {
    "x\n007\n": field(enum=["007"], required=True),  # leading zeros survive
    "x\nNA\n": field(enum=["NA"], required=True),  # Namibia
    'x\n""\n': field(required=True),  # quoted: a string
    "\ufeffx\n1\n": field("integer"),  # a byte order mark
    "x\r\n1\n2\r\n": field("integer"),  # mixed line ends
    "x\n1": field("integer"),  # no line end at the end
    'x\n"a\n""b"\n': field(enum=['a\n"b']),
    "x\n+1\n-2\n99999999999999999999\n": field("integer"),
    "x\n1\n.5\n1e3\n": field("number"),
    "x\ntrue\nFALSE\n": field("boolean"),
    "x\n2026-08-19 12:00\n2026-08-19T12:00:00.5Z\n": field("timestamp"),
}


@pytest.mark.parametrize("text", READ_BY_TYPE)
def test_csv_is_read_by_the_type_of_the_contract(tmp_path, text):
    assert broken(file(tmp_path, "a.csv", text), READ_BY_TYPE[text]) == []


def test_null_in_csv_is_the_empty_unquoted_field(tmp_path):
    rows = file(tmp_path, "a.csv", 'x,y\n"",1\n,2\n')
    assert broken(rows, field(required=True)) == [("required", 1, 2, {})]


@pytest.mark.parametrize("type", ["integer", "number", "boolean", "date", "timestamp"])
@pytest.mark.parametrize("cell", ["12,5", " 1", "1_000", "NaN", "yes", "19.08.2026", "2026-02-30", "٣"])
def test_what_is_no_value_of_the_type_in_csv_is_a_type_violation(tmp_path, type, cell):
    assert broken(file(tmp_path, "a.csv", f'x\n"{cell}"\n'), field(type)) == [("type", 1, 1, {cell: 1})]


@pytest.mark.parametrize(
    ("value", "type"), [("1", "string"), ('"1"', "integer"), ("true", "integer"), ("1.0", "integer"), ("1", "boolean")]
)
def test_json_has_types_of_its_own(tmp_path, value, type):
    rows = file(tmp_path, "a.jsonl", f'{{"x": {value}}}\n{{"x": null}}\n')
    assert broken(rows, field(type)) == [("type", 1, 1, {json.loads(value): 1})]


def test_json_is_an_array_or_an_object_a_line(tmp_path):
    for text in ('[{"x": "007"},\n {"x": "NA"}]', '{"x": "007"}\n{"x": "NA"}\n', '\ufeff{"x": "NA"}\n'):
        assert broken(file(tmp_path, "a.json", text), field(enum=["007", "NA"], required=True)) == []


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.csv", "x,y\n1,2\n3\n", "a.csv, line 3: cannot be read: Expected Number of Columns: 2 Found: 1"),
        ("a.csv", "x,y\n1,2\n3,4,5\n", "a.csv, line 3: cannot be read: Expected Number of Columns: 2 Found: 3"),
        ("a.csv", "x,y\r\n1,2\n3\r\n", "a.csv, line 3: cannot be read: Expected Number of Columns: 2 Found: 1"),
        ("a.csv", 'x,y\n"a\nb",2\n3\n', "a.csv, line 4: cannot be read: Expected Number of Columns: 2 Found: 1"),
        ("a.csv", 'x,y\n1,2\n"3,4\n5,6\n', "a.csv, line 3: cannot be read: Value with unterminated quote found"),
        ("a.csv", "x,y\n1,2\n3,é\n".encode("latin-1"), "a.csv, line 3: is not UTF-8; save the file as UTF-8"),
        ("a.csv", "x\n1\né\n".encode("latin-1"), "a.csv, line 3: is not UTF-8; save the file as UTF-8"),
        ("a.csv", "x,é\n1,2\n".encode("latin-1"), "a.csv, line 1: is not UTF-8; save the file as UTF-8"),
        ("a.csv", "x,y\n1,2\n".encode("utf-16"), "a.csv, line 1: is not UTF-8; save the file as UTF-8"),
        ("a.csv", "x,x\n1,2\n", "a.csv, line 1: has two columns of the name 'x'"),
        ("a.csv", "", "a.csv, line 1: is empty; expected a line of column names"),
        ("a.csv.gz", b"\x1f\x8b\x08\0", "a.csv.gz, line 1: is no CSV header"),
        ("a.jsonl", '{"x": 1}\n{"x": 2\n{"x": 3}\n', "a.jsonl, line 2: cannot be read: "),
        ("a.jsonl", '{"x": 1}\n[2]\n', "a.jsonl, line 2: is array; expected an object of column and value"),
        ("a.jsonl", '{"x": 1}\n{"x": "é"}\n'.encode("latin-1"), "a.jsonl, line 2: cannot be read: invalid UTF-8"),
        ("a.json", '[\n{"x": 1},\n{"x": b}\n]', "a.json, line 3: cannot be read: "),
        ("a.jsonl", '{"x": 1, "x": 2}\n', "a.jsonl: an object has two columns of the name 'x'"),
        ("a.parquet", b"PAR1 and then nothing that makes sense PAR1", "a.parquet: cannot be read: "),
        ("a.parquet", b"", "a.parquet: cannot be read: "),
        ("a.xlsx", b"", "a.xlsx: found .xlsx; expected files of one kind"),
    ],
)
def test_what_cannot_be_read_is_an_error_that_names_file_and_line(tmp_path, name, content, says):
    with pytest.raises(DataError) as error:
        report(file(tmp_path, name, content), contract("x: string"))
    assert str(error.value).startswith(f"{tmp_path}{os.sep}{says}")
    assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)


def test_a_file_that_ends_in_the_middle_is_an_error(tmp_path):
    whole = file(tmp_path, "whole.parquet", b"")
    pq.write_table(pa.table({"x": list(range(10_000))}), whole)
    with pytest.raises(DataError, match=r"half\.parquet: cannot be read"):
        report(file(tmp_path, "half.parquet", whole.read_bytes()[:5000]), contract("x: integer"))


@pytest.mark.parametrize(
    ("path", "says"),
    [("none.csv", "there is no such file"), ("*.csv", "no file matches the glob"), ("", "is a folder, not a file")],
)
def test_no_file_is_an_error(tmp_path, path, says):
    with pytest.raises(DataError, match=says):
        validate(str(tmp_path / path), contract("x: string"))


def test_a_glob_is_one_table_and_a_column_that_some_files_lack_is_null_there(tmp_path):
    file(tmp_path, "1.csv", "x,y\na,1\n")
    file(tmp_path, "2.csv", "y,x\n2,b\n")
    file(tmp_path, "3.csv", "y\n3\n")
    assert report(str(tmp_path / "*.csv"), contract("x: string")).rows == 3
    assert broken(str(tmp_path / "*.csv"), field(required=True, enum=["a", "b"])) == [("required", 1, 3, {})]


def test_a_name_with_brackets_is_a_file_rather_than_a_glob(tmp_path):
    assert broken(file(tmp_path, "a [1].csv", "x\n1\n"), field("integer")) == []


TWICE = [
    pd.DataFrame([[1, 2]], columns=["x", "x"]),
    pa.table([[1], [2]], names=["x", "x"]),
    duckdb.connect().sql("select 1 as x, 2 as x"),
]


@pytest.mark.parametrize("rows", TWICE, ids=["pandas", "arrow", "duckdb"])
def test_two_columns_of_one_name_are_an_error(rows):
    with pytest.raises(DataError, match="two columns of the name 'x'"):
        validate(rows, contract("x: integer"))


@pytest.mark.parametrize("rows", [None, 5, b"x", {"x": [1]}, ["x"], pd.Series([1]), pl.Series([1])])
def test_what_is_no_table_is_a_type_error(rows):
    with pytest.raises(TypeError, match="mapping"):
        validate(rows, contract("x: integer"))


# --- the violation and its message ---------------------------------------------------------------------------------


def test_a_violation_is_frozen_pickles_and_has_a_dict_form_for_json(table):
    [found] = validate(table(column("a\n", "b")), contract(field(enum=["A"])))
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.rule = "other"
    assert pickle.loads(pickle.dumps(found)) == found
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False)) == {
        "rule": "enum",
        "field": "x",
        "failing": 2,
        "checked": 2,
        "message": r"x: 2 of 2 rows are outside the allowed [A]: 'a\n' (1 row), b (1 row); affects a, b",
        "consumers": ["a", "b"],
        "values": [{"value": r"a\n", "rows": 1}, {"value": "b", "rows": 1}],
        "distinct_values": 2,
    }


def test_values_of_any_type_go_into_json():
    assert type(validate(column(np.int64(0)), contract(field("integer", min=1)))[0].values[0][0]) is int
    values = [1, True, 1.5, float("inf"), 10**50, (1,), {"a": 1}, b"x", dt.date(2026, 1, 1), object, at(1)]
    [found] = validate(column(*values), contract("x: string"))
    assert (found.failing, found.distinct_values, len(found.values)) == (11, 11, 10)
    json.dumps(found.to_dict(), allow_nan=False)


def test_a_message_stays_short_however_many_rows_fail(table):
    counts = {f"{i:02} " + "long" * 100: 30 - i for i in range(30)}
    rows = column(*(value for value, count in counts.items() for _ in range(count)))
    [found] = validate(table(rows), contract(field(enum=[f"allowed {i}" for i in range(100)])))
    assert (found.failing, found.distinct_values) == (sum(counts.values()), 30)
    assert [count for _, count in found.values] == list(range(30, 20, -1))  # most frequent first, at most 10
    assert all(len(value) == 60 and value.endswith("…") for value, _ in found.values)
    assert "88 more]" in found.message and "and 20 other values; affects a, b" in found.message
    assert len(found.message) < 1300 and "\n" not in found.message


# --- a function of its arguments -----------------------------------------------------------------------------------


def test_validate_reads_no_clock_no_network_and_no_environment(table, monkeypatch):
    rows, listings = seed.listings("after")[:50], contracts.load(seed.ROOT / "contracts/listings.yaml")
    expected = validate(table(rows), listings, as_of=AS_OF)

    def forbidden(*_, **__):
        raise AssertionError("validate looks at something that is no argument of it")

    with monkeypatch.context() as patch:
        patch.setattr(time, "time", forbidden)
        patch.setattr(socket, "socket", forbidden)
        patch.setattr(os, "getenv", forbidden)
        patch.setenv("TZ", "Asia/Kathmandu")
        getattr(time, "tzset", int)()  # Windows has none
        found = validate(table(rows), listings, as_of=AS_OF)
    getattr(time, "tzset", int)()
    assert found == expected


def test_the_input_is_not_changed():
    rows = column("Q", None)
    frame = pd.DataFrame({"x": [1.0, None]}, index=[7, 7])
    before = copy.deepcopy(rows), frame.copy()
    validate(rows, contract(field(enum=["A"])))
    quarantine(rows, contract(field(enum=["A"])))
    quarantine(frame, contract(field("integer", required=True)))
    assert rows == before[0]
    pd.testing.assert_frame_equal(frame, before[1])


def test_nothing_is_left_behind_in_a_duckdb_connection():
    with duckdb.connect() as connection:
        connection.execute("create table t as select 'Q' as x")
        state = "select view_name from duckdb_views() where not internal union all select current_setting('timezone')"
        before = connection.execute(state).fetchall()
        validate(connection.table("t"), contract(field(enum=["A"])))
        with pytest.raises(DataError, match="Could not convert"):
            validate(connection.sql("select x::int as x from t"), contract("x: integer"))
        assert connection.execute(state).fetchall() == before


# --- quarantine ----------------------------------------------------------------------------------------------------


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


def test_quarantine_gives_back_the_same_kind_of_table(table):
    rows = table(column("A", "Q"))
    expected = list if table.kind == "generator" else duckdb.DuckDBPyRelation if table.kind in FILES else type(rows)
    assert [type(part) for part in quarantine(rows, CLAUSES)] == [expected, expected]


def test_accepted_and_quarantined_are_the_input_row_for_row(table):
    rows = column("A", "Q", "Q", None, "B", "B", "Q", None, "B")  # with duplicates
    accepted, quarantined = map(listed, quarantine(table(rows), CLAUSES))
    assert accepted == [{"x": "A", "n": 0}]
    assert numbers(quarantined) == [1, 2, 3, 4, 5, 6, 7, 8]
    assert sorted(str(row["x"]) for row in quarantined) == sorted(str(row["x"]) for row in rows[1:])


def test_whole_rows_that_are_alike_are_all_kept(table):
    accepted, quarantined = quarantine(table([{"x": "A"}] * 3 + [{"x": "Q"}] * 2), contract(field(enum=["A"])))
    assert (len(listed(accepted)), len(listed(quarantined))) == (3, 2)


def test_quarantined_rows_carry_the_clauses_that_each_breaks(table):
    _, quarantined = quarantine(table(column("Q", None, "B", "B", *"AQQQQ")), CLAUSES)
    reasons = {int(row["n"]): row["broken_clauses"] for row in listed(quarantined)}
    assert [reasons[i] for i in (0, 1, 2, 8)] == [
        ["x: enum", "x: unique"],
        ["x: required"],
        ["x: unique"],
        ["x: enum", "x: unique", "n: range"],
    ]


def test_accepted_rows_pass_the_row_level_clauses(table):
    accepted, _ = quarantine(table(column("A", "Q", None, "B", "C", "C")), CLAUSES)
    assert validate(accepted, CLAUSES) == []


def test_a_table_whose_structure_is_broken_is_quarantined_whole(table):
    rows = column("A", "B")
    for clauses in (contract("gone: string"), contract("x: string", evolution={"additive": "forbidden"})):
        accepted, quarantined = map(listed, quarantine(table(rows), clauses))
        assert (accepted, numbers(quarantined)) == ([], [0, 1])


def test_values_of_the_wrong_type_are_quarantined(table):
    accepted, quarantined = map(listed, quarantine(table(column("a", "b", None)), contract(field("integer"))))
    assert (numbers(accepted), numbers(quarantined)) == ([2], [0, 1])


@only(*FILES)
def test_cells_that_are_quarantined_are_as_readable_as_they_were(table):
    _, quarantined = quarantine(table([{"x": "Q", "y": "extra"}]), contract(field(enum=["A"])))
    assert listed(quarantined) == [{"x": "Q", "y": "extra", "broken_clauses": ["x: enum"]}]


def test_quarantine_of_files_is_read_in_pieces(tmp_path):
    rows = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"n": range(300_000), "x": ["A", "Q", "B"] * 100_000}), rows, row_group_size=50_000)
    accepted, quarantined = quarantine(rows, contract(field(enum=["A", "B"])))
    assert len(accepted.fetchmany(10)) == 10  # a relation, which nobody has computed whole
    assert (accepted.count("*").fetchone(), quarantined.count("*").fetchone()) == ((200_000,), (100_000,))


def test_a_report_says_what_was_checked():
    found = report(column("A"), CLAUSES)
    assert (found.dataset, found.version, found.rows, found.verdict, found.checked) == ("t", "1.0.0", 1, "kept", 8)
    assert [*found.to_dict()] == [
        "dataset",
        "version",
        "rows",
        "verdict",
        "violations",
        "not_checked",
        "additive_columns",
    ]


@pytest.mark.parametrize("dtype", [pl.Object, pl.Int128], ids=str)
def test_polars_types_that_arrow_has_not(dtype):
    contract = contracts.from_mapping(
        {"version": "1.0.0", "owner": "us", "fields": [{"name": "n", "type": "integer", "max": 2}]}
    )
    frame = pl.DataFrame({"n": pl.Series([1, 2, 3], dtype=dtype)})
    assert [(v.rule, v.failing) for v in validate(frame, contract)] == [("range", 1)]
    accepted, quarantined = quarantine(frame, contract)
    assert (len(accepted), len(quarantined)) == (2, 1)


@pytest.mark.filterwarnings(  # what ibis does with SQLite
    "ignore:The 'future.infer_string' option", "ignore:The default date.* adapter", "ignore:unclosed database"
)
@pytest.mark.parametrize("backend", ["polars", "sqlite"])
def test_an_ibis_table_of_another_back_end(backend):
    contract = seed.ROOT / "contracts" / "listings.yaml"
    connection = getattr(ibis, backend).connect()
    for stage in ("before", "after"):
        rows = seed.listings(stage)
        table = connection.create_table(f"listings_{stage}", pa.Table.from_pylist(rows))
        assert validate(table, contract) == validate(rows, contract)
        accepted, quarantined = quarantine(table, contract)
        assert accepted.count().execute() == (8000 if stage == "before" else 0)
        assert quarantined.count().execute() == (0 if stage == "before" else 8000)
    connection.disconnect()


def test_files_of_a_glob_that_differ_in_type_are_an_error_that_names_one(tmp_path):
    contract = {"version": "1.0.0", "owner": "us", "fields": [{"name": "n", "type": "number"}]}
    pq.write_table(pa.table({"n": [1.0, 2.0]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"n": ["x"]}), tmp_path / "b.parquet")
    with pytest.raises(DataError, match=r"b\.parquet: column 'n' is VARCHAR, but DOUBLE in .*a\.parquet"):
        validate(str(tmp_path / "*.parquet"), contract)
    pq.write_table(pa.table({"n": pa.array([1], pa.int32())}), tmp_path / "c.parquet")
    pq.write_table(pa.table({"n": pa.array([1], pa.int64())}), tmp_path / "d.parquet")
    assert validate(str(tmp_path / "[cd].parquet"), contract) == []


def test_json_too_deep_to_read_is_an_error(tmp_path):
    (tmp_path / "deep.json").write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(DataError, match=r"deep\.json"):
        validate(str(tmp_path / "deep.json"), seed.ROOT / "contracts" / "listings.yaml")


def test_a_semicolon_file_is_told_about_its_commas(tmp_path):
    (tmp_path / "t.csv").write_text("a;b\n1;2\n", encoding="utf-8")
    contract = {"version": "1.0.0", "owner": "us", "fields": [{"name": "a", "type": "integer"}]}
    assert "are the cells separated by commas?" in validate(str(tmp_path / "t.csv"), contract)[0].message
