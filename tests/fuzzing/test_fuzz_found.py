"""What the properties found, each fault as a case of its own."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from fractions import Fraction
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import contracts
from boundary import DataFrame, Schema, StructuralError, contract
from clause import verdicts
from contracts import ContractError, DataError
from contracts.auditing.sqlfiles import facts
from contracts.changes import needed
from contracts.evolution import diff
from contracts.plan import plan
from validate import quarantine, report, validate

UTC = dt.UTC
DAY = dt.date(2026, 9, 15)


def agreement(*fields: dict[str, Any], **more: Any) -> contracts.Contract:
    """A contract with those fields; `a` is text where a field says no more."""
    made = [{"name": "a", "type": "string"} | field for field in fields or ({},)]
    return contracts.from_mapping({"version": "1.0.0", "owner": "us", "fields": made} | more)


# ---- the loader ------------------------------------------------------------------------------------------------------


def test_a_time_zone_of_a_thousand_folders_is_none():
    with pytest.raises(ContractError, match="is no known time zone"):
        agreement({"type": "timestamp"}, freshness={"max_lag": "1h", "field": "a", "timezone": "a/" * 500 + "a"})


def test_a_pattern_is_short_because_long_ones_take_gigabytes():
    assert agreement({"pattern": "a" * 1000})
    with pytest.raises(ContractError, match="1,001 characters"):
        agreement({"pattern": "a" * 1001})


# ---- tables ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", [b"a", 1, None, ("a", 1), 0.5])
def test_a_key_of_a_row_that_is_no_text_is_a_column_by_its_text(key):
    rows = [{"a": "x", key: 1}]
    assert report(rows, agreement()).additive_columns == (str(key),)
    assert validate([{key: 1}], agreement())[0].rule == "missing"
    assert quarantine([{key: 1}], agreement())[1][0]["broken_clauses"] == ["a: missing"]
    assert not validate([{key: "x"}], agreement({"name": str(key)}))
    assert validate([{key: 1}], agreement({"name": str(key)}))[0].rule == "type"


EXACT = 2**53 + 1  # no float of 64 bits


@pytest.mark.parametrize(
    ("values", "column", "clauses", "verdict"),
    [
        ([Decimal(EXACT)], pa.array([Decimal(EXACT)], pa.decimal128(38, 0)), {"min": EXACT}, "kept"),
        ([Decimal(EXACT)], pa.array([Decimal(EXACT)], pa.decimal128(38, 0)), {"enum": [EXACT]}, "kept"),
        ([float(EXACT)], pa.array([float(EXACT)]), {"enum": [EXACT]}, "kept"),
        ([EXACT], pa.array([EXACT]), {"max": 2.0**53}, "kept"),
        ([EXACT], pa.array([EXACT]), {"enum": [1e-07, 2.0**53]}, "kept"),
        ([2**63 - 1], pa.array([2**63 - 1]), {"min": 2.0**63}, "kept"),
        ([2**64 - 1], pa.array([2**64 - 1], pa.uint64()), {"max": 2.0**64}, "kept"),
        ([np.float32(0.1)], pa.array([0.1], pa.float32()), {"max": 0.1}, "broken"),
        ([np.float32(0.7)], pa.array([0.7], pa.float32()), {"min": 0.7}, "broken"),
        ([np.float16(1)], pa.array([1.0], pa.float16()), {"max": 1e9}, "kept"),
        ([10**400], None, {"max": 1e308}, "broken"),
        ([Fraction(1, 3)], None, {"min": 1 / 3}, "kept"),
    ],
)
def test_a_number_is_compared_as_a_float_of_64_bits_in_every_reading(values, column, clauses, verdict):
    agreed = agreement({"type": "number"} | clauses)
    rows = [{"a": value} for value in values]
    assert report(rows, agreed).verdict == verdict
    if column is not None:
        table = pa.table({"a": column})
        assert report(table, agreed).verdict == verdict
        assert len(quarantine(table, agreed)[1]) == len(quarantine(rows, agreed)[1]) == (verdict == "broken")


@pytest.mark.parametrize("type", ["integer", "number", "string", "date", "timestamp"])
@pytest.mark.parametrize("column", [pd.period_range("2020", "2021", freq="Y"), pd.interval_range(0, 2)])
def test_a_column_of_periods_or_intervals_is_of_no_type_though_it_is_stored_as_numbers(type, column):
    frame = pd.DataFrame({"a": column})
    agreed = agreement({"type": type, "unique": True})
    for rows in (frame, pa.Table.from_pandas(frame), frame.to_dict("records")):
        assert [(one.rule, one.failing) for one in validate(rows, agreed)] == [("type", 2)]


def test_a_run_end_encoded_column_is_read_whatever_is_asked_of_it():
    column = pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], pa.int32()), pa.array([1, 9]))
    table, agreed = pa.table({"a": column}), agreement({"type": "integer", "max": 5, "unique": True})
    assert [(one.rule, one.failing) for one in validate(table, agreed)] == [("range", 1), ("unique", 2)]


def test_values_of_two_types_of_one_name_are_told_together():
    Other = type("int", (), {"__repr__": lambda self: "other"})
    for values in (
        [False, np.True_],
        [np.False_, True],
        [1, Other()],
        [dt.datetime(2026, 8, 19), dt.datetime.now(UTC)],
    ):
        [found] = validate([{"a": value} for value in values], agreement())
        assert (found.rule, found.failing, found.distinct_values) == ("type", 2, 2)
    assert validate([{"a": True}, {"a": np.True_}], agreement())[0].values == ((True, 2),)


def test_what_polars_panics_at_cannot_be_read(capfd):
    beyond = pl.Series([2**62]).cast(pl.Datetime("ms"))  # polars keeps it, and panics when it is to be a Python value
    frame = pl.DataFrame({"a": beyond, "b": pl.Series([object()], dtype=pl.Object)})
    agreed = agreement({"type": "timestamp"}, {"name": "b", "type": "string"})
    for ask in (report, quarantine):
        with pytest.raises(DataError, match="polars"):
            ask(frame, agreed)

    class Table(Schema):
        b: str

    with pytest.raises(StructuralError, match="cannot be read as a table"):
        Table.parse(frame)


def test_a_subclass_of_a_frame_is_a_frame():
    class Frame(pd.DataFrame):
        _constructor = property(lambda self: Frame)

    Frame.__module__ = "elsewhere"
    agreed = agreement({"type": "integer", "max": 1})
    assert report(Frame({"a": [1, 2]}), agreed).violations == report(pd.DataFrame({"a": [1, 2]}), agreed).violations
    assert [len(part) for part in quarantine(Frame({"a": [1, 2]}), agreed)] == [1, 1]

    class Table(Schema):
        a: int

    assert Table.parse(Frame({"a": [1]})).count().to_pyarrow().as_py() == 1


def test_a_float_column_that_has_gaps_of_its_own_holds_no_integers():
    column = pd.array([1.0, 0.2, None], dtype=pd.ArrowDtype(pa.float64()))
    assert validate(pd.DataFrame({"a": column}), agreement({"type": "integer"}))[0].failing == 2


def test_a_parquet_file_whose_footer_miscounts_its_rows_is_no_verdict(tmp_path):
    path, agreed = tmp_path / "rows.parquet", agreement({"enum": ["A", "B"]})
    pq.write_table(pa.table({"a": ["A", "B", None, "Z"] * 50}), path, compression="none")
    whole = path.read_bytes()
    assert report(path, agreed).verdict == "broken"
    counts = [i for i in range(len(whole)) if whole[i : i + 2] == b"\x90\x03"]  # 200, as Thrift writes it
    for place in counts:
        for byte in (0, 1, 4, 6):
            path.write_bytes(whole[:place] + bytes([byte]) + whole[place + 1 :])
            try:
                assert report(path, agreed).verdict == "broken"
            except DataError as error:
                assert str(error).startswith(str(path))


LONG = "x" * 70_000


@pytest.mark.parametrize(
    ("rows", "agreed"),
    [
        ([{"a": "B", LONG: 1}], agreement({}, evolution={"additive": "forbidden"})),
        ([{LONG: "B"}], agreement({})),
        ([{LONG.upper(): "B"}], agreement({"name": LONG})),
        ([{LONG: "B"}], agreement({"name": LONG, "enum": ["A"]})),
        ([{LONG: None}], agreement({"name": LONG, "type": "date"}, freshness={"field": LONG, "max_lag": "1d"})),
        ([{"a": 0}], agreement({"type": "integer", "min": 1, "unit": LONG})),
        ([{"a": "B"}], agreement({"enum": ["A"]}, consumers=[LONG])),
        ([{"a": "B"}], agreement({"enum": ["A"]}, consumers=[f"team-{i}" for i in range(5000)])),
        ([], agreement({}, dataset=LONG, volume={"min_rows": 1})),
    ],
)
def test_no_name_makes_a_sentence_that_fills_a_screen(rows, agreed):
    found = report(rows, agreed, as_of=dt.datetime(2026, 8, 19, tzinfo=UTC))
    assert found.violations or found.not_checked
    said = [*(one.message for one in found.violations), *(one.reason for one in found.not_checked)]
    assert max(map(len, said)) <= 2000
    assert {len(line) <= 2000 for line in verdicts.text(found, agreed).splitlines()} == {True}
    for violation in found.violations:  # who is affected stands at the end, and the end stays
        assert violation.message.endswith(("the contract names no consumers", "x", "team-4999"))


@pytest.mark.parametrize("path", ["x" * 300, "x/" * 3000, "no\0thing", "s3:/" * 300])
def test_a_path_that_no_system_takes_is_no_file(path):
    with pytest.raises(ContractError, match="cannot read the file"):
        contracts.load(path)
    with pytest.raises(DataError, match="check the path"):
        report(path, agreement())


def test_two_columns_of_a_long_name_are_said_in_short():
    with pytest.raises(DataError, match="x…x") as error:
        report(pd.DataFrame([[1, 2]], columns=[LONG, LONG]), agreement())
    assert len(str(error.value)) < 2000


def test_a_change_of_a_long_name_is_said_in_short():
    old, new = agreement({"name": LONG, "unit": LONG}), agreement({"name": LONG, "unit": "EUR"})
    assert [len(str(change)) < 2000 for change in diff(old, new)] == [True]


def test_two_keys_of_one_text_are_two_columns_of_one_name():
    for ask in (report, quarantine):
        with pytest.raises(DataError, match="two columns of the name '1'"):
            ask([{1: "x", "1": "y"}], agreement())


def test_times_within_a_day_of_the_first_and_last_year():
    first = dt.datetime.min.replace(tzinfo=dt.timezone(dt.timedelta(hours=2)))
    last = dt.datetime.max.replace(tzinfo=dt.timezone(dt.timedelta(hours=-2)))
    found = validate([{"a": first}, {"a": last}], agreement())
    assert found[0].rule == "type" and found[0].failing == 2
    bounded = agreement(
        {"type": "timestamp", "max": dt.datetime.max.replace(tzinfo=UTC)},
        freshness={"max_lag": "1h", "field": "a", "timezone": "Europe/Berlin"},
    )
    for rows in (
        [{"a": dt.datetime(2026, 8, 19)}],
        pa.table({"a": [dt.datetime(2026, 8, 19)]}),
        pd.DataFrame({"a": [dt.datetime(2026, 8, 19)]}),
    ):
        assert not validate(rows, bounded)
        assert len(quarantine(rows, bounded)[0]) == 1


HUGE = [10**400, 10**5000, -(10**5000), Decimal("Infinity"), Decimal("1e999999"), Decimal("-1e400")]


@pytest.mark.parametrize("place", range(len(HUGE)))  # pytest would write the value
def test_numbers_too_large_to_be_written(place):
    value = HUGE[place]
    found = validate([{"a": value}, {"a": "x"}], agreement())
    assert found[0].failing == 1 and len(found[0].message) < 200
    assert validate([{"a": value}], agreement({"type": "number", "min": 0, "max": 1}))[0].rule == "range"


@pytest.mark.parametrize("thing", [pd.Series([1]), pd.Index([1]), pl.Series([1])], ids=["Series", "Index", "polars"])
def test_a_column_alone_is_no_table(thing):
    for ask in (report, quarantine):
        with pytest.raises(TypeError, match="mapping"):
            ask(thing, agreement())


def test_what_arrow_cannot_filter_is_said():
    encoded = pa.RunEndEncodedArray.from_arrays(pa.array([2], pa.int32()), pa.array(["x"]))
    with pytest.raises(DataError, match="the Arrow table"):
        quarantine(pa.table({"a": pa.array(["x", None]), "b": encoded}), agreement({"required": True}))


@pytest.mark.parametrize("names", [[("a", 1), ("b", 2)], [1, 2], ["a", None]], ids=["levels", "numbers", "none"])
def test_names_of_pandas_columns_that_are_no_text(names):
    frame = pd.DataFrame([["x", 1.0], ["y", None]])
    frame.columns = pd.MultiIndex.from_tuples(names) if isinstance(names[0], tuple) else names
    text, integer = map(str, frame.columns)
    found = agreement({"name": text}, {"name": integer, "type": "integer"})
    assert not validate(frame, found)
    accepted, quarantined = quarantine(frame, found)
    assert (len(accepted), len(quarantined)) == (2, 0)
    assert str(accepted.dtypes.iloc[1]) == "Int64"
    strict = agreement({"name": text, "enum": ["x"]}, {"name": integer, "type": "integer"})
    accepted, quarantined = quarantine(frame, strict)
    assert len(accepted) == 1 and quarantined.iloc[0, 2] == [f"{text}: enum"]


def test_na_beside_values_of_several_types():
    frame = pd.DataFrame({"a": pd.array([None, 1.0], "Float64"), "b": pd.Series([1, "x"], dtype=object)})
    found = validate(frame, agreement({"type": "integer"}, {"name": "b", "type": "string"}))
    assert [each.rule for each in found] == ["type"] and found[0].field == "b"


class Shy:
    def __repr__(self):
        raise RuntimeError("not to be shown")


def test_a_duration_of_numpy_is_no_integer():
    for kind in ("integer", "number"):
        for value in (np.timedelta64(1, "D"), np.timedelta64(1, "ns")):
            assert validate([{"a": value}], agreement({"type": kind, "unique": True}))[0].rule == "type"


@pytest.mark.parametrize(
    "value", [Shy(), Fraction(10**400), pd.Timestamp.min, pd.Timestamp.max], ids=["shy", "huge", "first", "last"]
)
def test_values_at_the_end_of_what_can_be_shown_or_compared(value):
    found = validate([{"a": value}, {"a": value}], agreement())
    assert found[0].rule == "type" and found[0].failing == 2 and len(found[0].message) < 200
    timed = agreement(
        {"type": "timestamp", "max": dt.datetime(2000, 1, 1)}, freshness={"max_lag": "1h", "timezone": "Asia/Tokyo"}
    )
    assert bool(validate([{"a": value}], timed)) == (value != pd.Timestamp.min)


def test_a_lazy_frame_of_a_type_that_arrow_has_not():
    frame = pl.LazyFrame({"a": ["x", "y"], "b": pl.Series([1, 2], dtype=pl.Int128)})
    found = agreement({"enum": ["x"]}, {"name": "b", "type": "integer"})
    assert [(each.rule, each.failing) for each in validate(frame, found)] == [("enum", 1)]
    assert [len(each) for each in quarantine(frame, found)] == [1, 1]


def test_rows_that_come_late_and_do_not_come(tmp_path):
    """A lazy frame and a stream of batches fail when they are read, not when they are given."""

    def batches():
        yield pa.record_batch({"a": ["x"]})
        raise pa.ArrowInvalid("the stream broke")

    for ask in (report, quarantine):
        for rows in (
            pl.scan_csv(tmp_path / "missing.csv"),
            pl.LazyFrame({"a": ["x"]}).select("no_such_column"),
            pa.RecordBatchReader.from_batches(pa.schema([("a", pa.string())]), batches()),
        ):
            with pytest.raises(DataError, match="cannot be read"):
                ask(rows, agreement())


def test_a_type_of_duckdb_that_ibis_does_not_have():
    rows = duckdb.sql("select row(1, 2) as a")
    assert validate(rows, agreement())[0].rule == "type"
    assert len(quarantine(rows, agreement())[1].fetchall()) == 1


# ---- the audit -------------------------------------------------------------------------------------------------------


def test_what_does_not_parse_is_quoted_on_one_line(tmp_path):
    path = tmp_path / "q.sql"
    path.write_text("sized ')\n\n sized '  as (\n select 1)", encoding="utf-8")
    assert [len(problem.splitlines()) for problem in facts(str(path), "q.sql", None, "duckdb").problems] == [1]


# ---- signatures ------------------------------------------------------------------------------------------------------


class Point(Schema):
    x: int


QUOTED = """
from __future__ import annotations
from boundary import contract
@contract
def f(a: "DataFrame[Point]") -> "'DataFrame[Point]'":
    return a
@contract
def g(n) -> "Iterator[DataFrame[Point]]":
    for _ in range(n):
        yield BAD
"""


def test_quotes_within_quotes_are_enforced():
    """After `from __future__ import annotations`, a quoted annotation is a text of a text."""
    import collections.abc as abc

    import ibis

    bad = ibis.memtable(pa.table({"y": [1]}))
    names: dict[str, Any] = {"__name__": "quoted", "DataFrame": DataFrame, "Point": Point, "BAD": bad}
    exec(compile(QUOTED, "quoted.py", "exec"), names | {"Iterator": abc.Iterator}, names)
    for call in (lambda: names["f"](bad), lambda: list(names["g"](1))):
        with pytest.raises(StructuralError):
            call()


@pytest.mark.parametrize(
    "annotation", ["DataFrame['']", "DataFrame['1/0']", "DataFrame['Point.x.y']", "'DataFrame[Point'"]
)
def test_a_schema_that_cannot_be_found_is_refused_in_one_way(annotation):
    def f(a): ...

    f.__annotations__ = {"a": eval(annotation)}
    with pytest.raises(TypeError, match=r"^@contract cannot enforce the parameter 'a' of f: "):
        contract(f)


# ---- evolution -------------------------------------------------------------------------------------------------------

WAS = {"deprecated": {"announced": dt.date(2026, 8, 1), "replaced_by": "b"}, "required": True}
NOW = {"deprecated": {"announced": dt.date(2026, 7, 1), "replaced_by": "b"}}


def test_a_field_that_changes_its_promise_and_its_announcement_gets_a_new_field_beside_it():
    """The announcement alone was seen, and the looser promise went into the expand step as a break."""
    old, new = (agreement(field, {"name": "b"}) for field in (WAS, NOW))
    made = plan(old, new, announce=DAY)
    assert needed(diff(old, made.expand)) == "minor"
    assert made.expand.field("a_v2") and made.expand.field("a").required


def test_a_field_announced_for_later_is_not_announced_for_earlier():
    old = agreement({"deprecated": {"announced": dt.date(2027, 1, 1)}})
    made = plan(old, agreement({"type": "integer"}), announce=DAY)
    assert needed(diff(old, made.expand)) == "minor"
    assert made.expand.field("a").deprecated.announced == dt.date(2027, 1, 1)


def test_where_no_field_may_come_freshness_names_none_of_them():
    old = agreement(evolution={"additive": "forbidden"})
    new = agreement(
        {},
        {"name": "t", "type": "timestamp"},
        freshness={"max_lag": "1h", "field": "t"},
        evolution={"additive": "forbidden"},
    )
    made = plan(old, new, announce=DAY)
    assert contracts.parse(made.expand_text).freshness is None
    assert any("no field t that tells time" in each for each in made.left_out)


def test_after_the_last_version_there_is_none():
    with pytest.raises(ValueError, match="at most nine digits"):
        plan(agreement(version="999999999.0.0"), agreement({"type": "integer"}), announce=DAY)
