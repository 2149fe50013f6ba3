"""Each clause, kept and broken, for every kind of table: what counts, and what is not checked."""

import datetime as dt
from decimal import Decimal

import ibis
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from small_tables import TYPED, at, broken, column, contract, field, only, unchecked

import seed
from validate import report, validate

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
