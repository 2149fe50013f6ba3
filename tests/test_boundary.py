"""The contract at a function's signature: what a schema says, what cast and parse find, what @contract enforces."""

# ruff: noqa: UP006, UP007, UP045  # every way to write an annotation is a case here
import asyncio
import copy
import datetime as dt
import functools
import importlib.util
import inspect
import pickle
import sys
import threading
import typing
from collections.abc import Callable, Iterator
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Literal, NamedTuple, Optional, TypeVar, Union

import duckdb
import ibis
import ibis.expr.datatypes as types
import ibis.expr.types as ir
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import contracts
import seed
from boundary import (
    Check,
    CheckExecutionError,
    CoercionError,
    ConstraintError,
    DataFrame,
    Nullable,
    Schema,
    StructuralError,
    ValidationError,
    ValidationPhase,
    contract,
    meaning,
    schema_from,
    unit,
)
from contracts import ContractError
from contracts.interop import to_python

# ibis 12 asks pandas 3 for an option that goes away, whenever it makes a pandas frame.
pytestmark = pytest.mark.filterwarnings("ignore:The 'future.infer_string'")


class Listings(Schema, contract="listings.yaml"):
    item_condition: Annotated[str, Check.isin("A", "B", "C")]
    brand: str
    price_cents: Annotated[int, unit("EUR_cents")]


class Prices(Schema):
    listing_id: int
    price: float


class Point(Schema):
    x: int
    y: str | None


@contract
def price(listings: DataFrame[Listings]) -> DataFrame[Prices]:
    """What a buyer pays."""
    return listings.select("listing_id", price=listings.price_cents / 100)


def shop(stage):
    return ibis.memtable(pa.Table.from_pylist(seed.listings(stage)))


def points(xs, ys):
    return ibis.memtable(pa.table({"x": xs, "y": ys}))


UNBOUND = ibis.table({"x": "int64", "y": "string"}, name="nowhere")


def schema(name="T", extra=None, **columns):
    """A schema made of annotations."""
    return type(name, (Schema,), {"__annotations__": columns}, **({"extra": extra} if extra else {}))


# --- the incident, at the other boundary --------------------------------------------------------------------------


def test_structure_breaks():
    with pytest.raises(StructuralError) as caught:
        price(shop("at_release"))
    error = caught.value
    assert (error.phase, error.function, error.parameter) == (ValidationPhase.CONTRACT_INPUT, "price", "listings")
    assert [(v.rule, v.field) for v in error.violations] == [("missing", "brand")]
    assert str(error) == (
        "price(listings=…): Listings, contract listings 1.4.0 of team-marketplace-backend, read by data-platform,"
        " pricing-service, finance-reporting: brand: the column is missing; did 'brand_name' take its place?"
    )


def test_semantics_lie():
    assert price(shop("after")).count().execute() == 8_000  # every price is wrong, and nobody says so


def test_with_validate_the_recoded_rows_are_stopped():
    strict = contract(validate=True)(inspect.unwrap(price))
    assert strict(shop("before")).count().execute() == 8_000
    with pytest.raises(ConstraintError) as caught:
        strict(shop("after"))
    (violation,) = caught.value.violations
    assert violation.values == (("good", 3_680), ("fair", 2_240), ("excellent", 2_080))
    assert (violation.failing, violation.checked, violation.rule) == (8_000, 8_000, "enum")
    assert caught.value.phase is ValidationPhase.CONTRACT_INPUT
    for part in ("price(listings=…)", "1.4.0", "team-marketplace-backend", "pricing-service", "good (3,680 rows)"):
        assert part in str(caught.value)


def test_by_hand_without_any_decorator():
    def by_hand(listings: DataFrame[Listings]) -> DataFrame[Prices]:
        return Prices.cast(listings.select("listing_id", price=listings.price_cents / 100))

    assert isinstance(by_hand(Listings.cast(shop("before"))), DataFrame[Prices])


# --- a table that carries its schema ------------------------------------------------------------------------------


def test_a_typed_table_is_an_ibis_table_and_its_methods_give_plain_ones():
    table = Point.cast(points([1, 2], ["a", "b"]))
    assert isinstance(table, ir.Table) and isinstance(table, DataFrame) and isinstance(table, DataFrame[Point])
    assert not isinstance(table, DataFrame[Prices])
    for made in (table.filter(table.x > 1), table.mutate(z=1), table.select("x"), table.limit(1), table.view()):
        assert type(made) is ir.Table
    assert type(table.join(table.view(), "x").select("x")) is ir.Table
    assert table.execute().to_dict("list") == {"x": [1, 2], "y": ["a", "b"]}
    assert DataFrame[Point] is DataFrame[Point]
    assert ibis.union(table, table).count().execute() == 4


def test_a_typed_table_copies_and_pickles():
    table = Point.cast(UNBOUND)
    for again in (copy.copy(table), copy.deepcopy(table), pickle.loads(pickle.dumps(table))):
        assert type(again) is DataFrame[Point] and again.equals(table)


def test_a_schema_is_no_table():
    with pytest.raises(TypeError, match=r"Point.cast\(table\)"):
        Point()


# --- cast -------------------------------------------------------------------------------------------------------------


def test_cast_runs_no_query():
    assert Point.cast(UNBOUND).schema() == UNBOUND.schema()


def test_cast_puts_columns_in_order():
    turned = ibis.table({"y": "string", "x": "int64"}, name="nowhere")
    assert Point.cast(turned).columns == ("x", "y")
    assert Point.cast(points([1], ["a"])[["y", "x"]]).execute().values.tolist() == [[1, "a"]]
    bound = Listings.cast(shop("before"))  # those of the class first, the others as they come
    assert bound.columns[:4] == ("item_condition", "brand", "price_cents", "listing_id")
    assert Listings.cast(bound).op() is bound.op()


def test_cast_names_everything_at_once():
    wrong = ibis.table({"x": "string", "z": "int64", "w": "date"}, name="nowhere")
    with pytest.raises(StructuralError) as caught:
        Point.cast(wrong)
    found = [(v.rule, v.field) for v in caught.value.violations]
    assert found == [("type", "x"), ("missing", "y"), ("additive", "z"), ("additive", "w")]
    assert "x: the column is string, expected int64" in str(caught.value)
    assert caught.value.phase is ValidationPhase.CAST and caught.value.function is None
    for _ in range(2):  # what was refused is refused again
        with pytest.raises(StructuralError):
            Point.cast(wrong)


@pytest.mark.parametrize(
    "annotation, kind, fits",
    [
        (int, "int64", True),
        (int, "!int64", True),  # NOT NULL
        (int, "int32", False),
        (int, "float64", False),
        (int, "boolean", False),
        (bool, "int64", False),
        (float, "float64", True),
        (float, "int64", False),
        (str, "!string", True),
        (str, "json", False),
        (date, "date", True),
        (date, "timestamp", False),
        (datetime, "timestamp", True),
        (datetime, "timestamp(6)", True),
        (datetime, "timestamp('UTC', 6)", True),
        (datetime, "date", False),
        (Decimal, "decimal(10, 2)", True),
        (Decimal, "float64", False),
        (list[int], "array<int64>", True),
        (list[int], "array<!int64>", True),
        (list[int], "array<string>", False),
        (types.int32, "int32", True),
        (types.int32, "int64", False),
        (types.Decimal(10, 2), "decimal(10, 2)", True),
        (types.Decimal(10, 2), "decimal(10, 3)", False),
        (types.Timestamp("UTC"), "timestamp('UTC')", True),
        (types.Timestamp("UTC"), "timestamp", False),
        (dict[str, int], "map<string, int64>", True),
        (Literal["a", "b"], "string", True),
        (Literal[1, 2], "int64", True),
        (int, "null", False),
    ],
)
def test_which_types_fit(annotation, kind, fits):
    table = ibis.table({"a": kind}, name="nowhere")
    if fits:
        schema(a=annotation).cast(table)
    else:
        with pytest.raises(StructuralError, match="a: the column is"):
            schema(a=annotation).cast(table)


def test_in_a_class_that_is_bound_numbers_are_of_any_width():
    class Orders(Schema, contract="orders.yaml"):
        price_cents: int
        multiplier: float

    Orders.cast(ibis.table({"price_cents": "int32", "multiplier": "decimal(3, 2)"}, name="nowhere"))
    with pytest.raises(StructuralError):
        Orders.cast(ibis.table({"price_cents": "float64", "multiplier": "string"}, name="nowhere"))


def test_extra_columns():
    more = ibis.table({"z": "int64", "y": "string", "x": "int64", "w": "int64"}, name="nowhere")
    with pytest.raises(StructuralError, match=r"z.*allows no others"):
        Point.cast(more)

    class Open(Point, extra="allow"):
        pass

    class Closed(Open, extra="forbid"):
        pass

    assert Open.cast(more).columns == ("x", "y", "z", "w")
    with pytest.raises(StructuralError):
        Closed.cast(more)
    with pytest.raises(TypeError, match="'forbid' or 'allow'"):
        schema(extra="maybe", x=int)


@pytest.mark.parametrize("method", ["cast", "parse"])
@pytest.mark.parametrize("kind", ["pandas", "polars", "lazy", "arrow", "batch", "relation", "ibis"])
def test_kinds_of_tables(method, kind):
    arrow = pa.table({"y": ["a", None], "x": [1, 2]})
    table = {
        "pandas": arrow.to_pandas,
        "polars": lambda: pl.from_arrow(arrow),
        "lazy": lambda: pl.from_arrow(arrow).lazy(),
        "arrow": lambda: arrow,
        "batch": lambda: arrow.to_batches()[0],
        "relation": lambda: duckdb.connect().from_arrow(arrow),
        "ibis": lambda: ibis.memtable(arrow),
    }[kind]()
    assert getattr(Point, method)(table).to_pyarrow().to_pylist() == [{"x": 1, "y": "a"}, {"x": 2, "y": None}]


@pytest.mark.parametrize("method", ["cast", "parse"])
@pytest.mark.parametrize("value", [None, 3, "rows.csv", {"x": [1]}, [{"x": 1}], pd.Series([1]), object()])
def test_what_is_no_table(method, value):
    with pytest.raises(StructuralError, match="not a table") as caught:
        getattr(Point, method)(value)
    assert isinstance(caught.value, TypeError)


# --- parse --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "annotation, values, expected",
    [
        (int, ["5", "+6", "07"], [5, 6, 7]),
        (int, [5.0, 6.0], [5, 6]),
        (int, pa.array([5], pa.int8()), [5]),
        (int, [Decimal("5.00")], [5]),
        (float, [1, 2], [1.0, 2.0]),
        (float, ["1.5", "1e3", ".5"], [1.5, 1000.0, 0.5]),
        (float, [Decimal("0.1")], [0.1]),
        (str, [1, 2], ["1", "2"]),
        (str, [True], ["true"]),
        (str | None, [1.5, float("nan")], ["1.5", None]),
        (str, [date(2026, 8, 19)], ["2026-08-19"]),
        (bool, ["true", "FALSE"], [True, False]),
        (date, ["2026-08-19"], [date(2026, 8, 19)]),
        (date, [datetime(2026, 8, 19)], [date(2026, 8, 19)]),
        (datetime, ["2026-08-19T14:07:00"], [datetime(2026, 8, 19, 14, 7, tzinfo=dt.UTC)]),
        (datetime, ["2026-08-19 14:07:00.5+02:00"], [datetime(2026, 8, 19, 12, 7, 0, 500_000, tzinfo=dt.UTC)]),
        (types.timestamp, ["2026-08-19T14:07"], [datetime(2026, 8, 19, 14, 7)]),
        (datetime, [date(2026, 8, 19)], [datetime(2026, 8, 19)]),
        (Decimal, ["5.7"], [Decimal("5.7")]),
        (types.Decimal(10, 2), ["5.70", "5.7000"], [Decimal("5.70"), Decimal("5.70")]),
        (types.int32, [5], [5]),
        (list[int], pa.array([[1], [2]], pa.list_(pa.int32())), [[1], [2]]),
        (Annotated[int | None, Nullable], pa.nulls(2), [None, None]),
        (int | None, [1.0, float("nan")], [1, None]),
        (list[int], [[], []], [[], []]),
    ],
)
def test_parse_casts_what_loses_nothing(annotation, values, expected):
    found = schema(a=annotation).parse(pa.table({"a": values}))
    assert found.to_pyarrow()["a"].to_pylist() == expected
    assert schema(a=annotation).cast(found).op() is found.op() or annotation is Decimal  # it is of the type now


@pytest.mark.parametrize(
    "annotation, values, lost",
    [
        (int, ["5.7", "6"], "5.7"),
        (int, [5.7, 6.0], 5.7),
        (int, [1e300, 1.0], 1e300),
        (int, ["", "1"], ""),
        (int, ["1 ", "1"], "1 "),
        (int, [True and Decimal("5.5"), Decimal("1.0")], 5.5),
        (int, ["99999999999999999999", "1"], "99999999999999999999"),
        (float, [2**53 + 1, 1], 2**53 + 1),
        (float, ["1,5", "1"], "1,5"),
        (bool, ["yes", "true"], "yes"),
        (types.timestamp, ["2026-08-19T14:07Z", "2026-08-19T14:07"], "2026-08-19T14:07Z"),
        (bool, [2, 1], 2),
        (date, ["2026-02-30", "2026-02-28"], "2026-02-30"),
        (date, ["19.08.2026", "2026-02-28"], "19.08.2026"),
        (date, [datetime(2026, 8, 19, 14, 7), datetime(2026, 8, 19)], "2026-08-19T14:07:00"),
        (types.int8, [300, 3], 300),
        (types.Decimal(10, 2), ["5.123", "5.12"], "5.123"),
        (types.Decimal(4, 2), ["123.45", "5.12"], "123.45"),
        (types.Decimal(10, 2), [5.123, 5.12], 5.123),
    ],
)
def test_parse_never_loses_anything(annotation, values, lost):
    with pytest.raises(CoercionError) as caught:
        schema(a=annotation).parse(pa.table({"a": values}))
    (violation,) = caught.value.violations
    assert (violation.rule, violation.field, violation.failing, violation.checked) == ("type", "a", 1, 2)
    assert violation.values == ((lost, 1),)
    assert f"a: 1 of 2 rows cannot become {schema(a=annotation)._columns['a'].dtype} without loss" in str(caught.value)


@pytest.mark.parametrize(
    "annotation, values",
    [(int, [[1]]), (int, [date(2026, 8, 19)]), (date, [1]), (list[int], ["[1]"]), (str, [{"a": 1}]), (bool, [[True]])],
)
def test_parse_of_what_cannot_be_cast_at_all(annotation, values):
    with pytest.raises(StructuralError, match="cannot become"):
        schema(a=annotation).parse(pa.table({"a": values}))


class Everything(Schema):
    id: Annotated[int, Check.unique()]
    grade: Literal["A", "B"]
    price: Annotated[float, Check.between(0, 10)]
    code: Annotated[str | None, Check.pattern(r"[A-Z]\d")]
    even: Annotated[int, Check(lambda column: column % 2 == 0, "is even")]
    late: Annotated[date, Check.ge(date(2026, 1, 1))]


def everything(**changed):
    columns = dict(
        id=[1, 2, 3, 4],
        grade=["A", "B", "A", "B"],
        price=[0.0, 10.0, 5.0, 5.0],
        code=["A1", "B2", None, "C3"],
        even=[0, 2, 4, 6],
        late=[date(2026, 1, 1)] * 4,
    )
    return pa.table(columns | changed)


def test_parse_finds_everything_at_once_with_exact_counts():
    Everything.parse(everything())
    table = everything(
        id=[1, 1, 2, None],
        grade=["A", "x", "x", "y"],
        price=[-1.0, 11.0, float("nan"), 5.0],
        code=["a1", "A1x", None, "C3"],
        even=[1, 1, 3, 4],
        late=["2026-01-01", "2025-12-31", "soon", "2026-01-01"],
    )
    with pytest.raises(CoercionError) as caught:  # one value could not be cast
        Everything.parse(table)
    found = {(v.field, v.rule): (v.failing, v.checked, dict(v.values)) for v in caught.value.violations}
    assert found == {
        ("id", "required"): (1, 4, {}),
        ("id", "unique"): (2, 3, {1: 2}),
        ("grade", "enum"): (3, 4, {"x": 2, "y": 1}),
        ("price", "required"): (1, 4, {}),
        ("price", "range"): (2, 3, {-1: 1, 11: 1}),
        ("code", "pattern"): (2, 3, {"a1": 1, "A1x": 1}),
        ("even", "check"): (3, 4, {1: 2, 3: 1}),
        ("late", "type"): (1, 4, {"soon": 1}),
        ("late", "range"): (1, 3, {"2025-12-31": 1}),
    }
    assert "even: 3 of 4 rows fail the check 'is even': 1 (2 rows), 3 (1 row)" in str(caught.value)


def test_parse_asks_once_where_all_is_well_and_twice_where_not(monkeypatch):
    from clause import sources

    asked = []
    run = sources.Source.run_duckdb
    monkeypatch.setattr(sources.Source, "run_duckdb", lambda self, sql: asked.append(sql) or run(self, sql))
    Everything.parse(everything())
    assert len(asked) == 1
    with pytest.raises(ConstraintError):
        Everything.parse(everything(grade=["A", "x", "x", "y"], even=[1, 1, 1, 1]))
    assert len(asked) == 3


def test_values_shown_are_at_most_ten():
    with pytest.raises(ConstraintError) as caught:
        schema(a=Annotated[int, Check.ge(0)]).parse(pa.table({"a": list(range(-1000, 0))}))
    (violation,) = caught.value.violations
    assert (violation.failing, violation.distinct_values, len(violation.values)) == (1000, 1000, 10)
    assert "and 990 other values" in str(caught.value)


def test_empty_tables_and_columns_without_values_pass():
    empty = everything().slice(0, 0)
    assert Everything.parse(empty).count().execute() == 0
    assert Point.parse(points(pa.array([1, 2]), pa.nulls(2))).to_pyarrow()["y"].to_pylist() == [None, None]
    assert Point.parse(points(pa.array([1, 2]), pa.nulls(2, pa.string()))).count().execute() == 2
    with pytest.raises(ConstraintError, match="x: 2 of 2 rows are NULL"):
        Point.parse(points(pa.nulls(2), pa.nulls(2)))


def test_parse_says_structure_first():
    with pytest.raises(StructuralError) as caught:
        Point.parse(pa.table({"y": [[1]], "z": [1]}))
    assert {(v.rule, v.field) for v in caught.value.violations} == {("missing", "x"), ("additive", "z"), ("type", "y")}


def test_parse_of_an_expression_of_any_depth():
    table = shop("before")
    table = table.filter(table.price_cents > 5_000).join(table.group_by("brand").agg(n=table.count()), "brand")
    assert Listings.parse(table).columns[:3] == ("item_condition", "brand", "price_cents")
    connection = ibis.duckdb.connect()
    stored = connection.create_table("points", pa.table({"x": ["1", "2"], "y": ["a", None]}))
    assert Point.parse(stored).x.sum().execute() == 3
    assert not connection.raw_sql("select view_name from duckdb_views() where not internal").fetchall()


def test_parse_on_another_engine():
    connection = ibis.polars.connect({"t": pl.DataFrame({"x": [1, 2], "y": ["a", None]})})
    assert Point.parse(connection.table("t")).count().execute() == 2


def test_text_without_a_zone_is_utc_whatever_the_session():
    connection = ibis.duckdb.connect()
    connection.raw_sql("set timezone = 'Asia/Tokyo'")
    table = connection.create_table("t", pa.table({"a": ["2026-08-19T14:07:00", "2026-08-19T14:07:00+00:00"]}))
    found = schema(a=datetime).parse(table).to_pyarrow()["a"].to_pylist()
    assert found == [datetime(2026, 8, 19, 14, 7, tzinfo=dt.UTC)] * 2


def test_parse_in_many_threads():
    found = []

    def work():
        for _ in range(10):
            found.append(Point.parse(pa.table({"x": ["1"], "y": ["a"]})).columns)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert found == [("x", "y")] * 40


def test_parse_of_a_table_that_cannot_be_read_is_no_pass():
    with pytest.raises(ValidationError) as caught:
        Point.parse(UNBOUND)
    assert type(caught.value) is ValidationError and caught.value.original is not None
    assert "parse has to read rows, and this table has none" in str(caught.value)
    broken = points([1, 2], ["a", "b"]).mutate(x=lambda t: t.y.cast("int64"))
    with pytest.raises(ValidationError):
        Point.parse(broken)


def test_columns_of_types_that_no_contract_has():
    class Odd(Schema):
        tags: Annotated[list[str], Check(lambda column: column.length() > 0, "has tags")]
        pair: dict[str, int] | None

    kinds = pa.schema({"tags": pa.list_(pa.string()), "pair": pa.map_(pa.string(), pa.int64())})
    good = pa.table({"tags": [["a"], ["b", "c"]], "pair": [[("k", 1)], None]}, kinds)
    assert Odd.parse(good).count().execute() == 2
    with pytest.raises(ConstraintError) as caught:
        Odd.parse(pa.table({"tags": [[], None], "pair": [None, None]}, kinds))
    assert [(v.field, v.rule, v.failing) for v in caught.value.violations] == [
        ("tags", "required", 1),
        ("tags", "check", 1),
    ]


# --- checks of one's own ------------------------------------------------------------------------------------------


def crash(column):
    raise ZeroDivisionError("oh")


@pytest.mark.parametrize(
    "test, says",
    [
        (crash, "raised ZeroDivisionError: oh"),
        (lambda column: column + 1, "not a boolean expression"),
        (lambda column: True, "not a boolean expression"),
        (lambda column: None, "not a boolean expression"),
        (lambda column: column.max() > 0, "one boolean for the whole table"),
        (lambda column: column.no_such_method(), "raised AttributeError"),
        (lambda column: (column.cast("string") + "x").cast("int64") > 0, "cannot be run by the engine"),
    ],
)
def test_a_check_that_fails_itself_is_never_a_pass(test, says):
    strange = schema(a=Annotated[int, Check(test, "mine")], b=Annotated[int, Check(lambda column: column > 0)])
    with pytest.raises(CheckExecutionError, match=says) as caught:
        strange.parse(pa.table({"a": [1, 2], "b": [1, 2]}))
    assert "a: the check mine" in str(caught.value)
    assert says.startswith("raised") == (type(caught.value.original) in (ZeroDivisionError, AttributeError))


def test_a_check_whose_answer_is_null_does_not_fail():
    assert (
        schema(a=Annotated[int | None, Check(lambda c: c > 0)]).parse(pa.table({"a": [1, None]})).count().execute() == 2
    )
    never = schema(a=Annotated[int, Check(lambda column: (column > 0).nullif(True))])
    assert never.parse(pa.table({"a": [1, 2]})).count().execute() == 2


@pytest.mark.parametrize(
    "check, good, bad",
    [
        (Check.isin([1, 2]), [1, 2], [3]),
        (Check.notin(1, 2), [3], [1]),
        (Check.eq(1), [1], [2]),
        (Check.ne(1), [2], [1]),
        (Check.ge(1), [1], [0]),
        (Check.gt(1), [2], [1]),
        (Check.le(1), [1], [2]),
        (Check.lt(1), [0], [1]),
        (Check.ge(0.5), [1], [0]),
        (Check.between(1, 2), [1, 2], [0]),
        (Check.unique, [1, 2], [1, 1]),
        (Check.unique(), [1, 2], [1, 1]),
        (Check(lambda c: c != 3, error="not three"), [1], [3]),
    ],
)
def test_checks_of_integers(check, good, bad):
    kind = schema(a=Annotated[int, check])
    kind.parse(pa.table({"a": good}))
    with pytest.raises(ConstraintError):
        kind.parse(pa.table({"a": bad}))


def test_checks_of_texts():
    kind = schema(a=Annotated[str, Check.pattern("[a-z]+"), Check.length(1, 3), Check.ge("b")])
    kind.parse(pa.table({"a": ["b", "ccc"]}))
    with pytest.raises(ConstraintError) as caught:
        kind.parse(pa.table({"a": ["a", "dddd", "E", ""]}))
    assert [(v.rule, v.failing) for v in caught.value.violations] == [("pattern", 2), ("check", 2), ("check", 3)]


def test_every_check_of_a_column_counts():
    kind = schema(a=Annotated[int, Check.ge(0), Check.ge(1), Check.isin(1, 7, 9), Check.isin(7)])
    with pytest.raises(ConstraintError) as caught:
        kind.parse(pa.table({"a": [1, 7, 9]}))
    assert {value for v in caught.value.violations for value, _ in v.values} == {1, 9}


# --- what a class may say -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "annotation",
    [
        int | None,
        Optional[int],
        Annotated[int, Nullable],
        Annotated[int, Nullable()],
        Annotated[int | None, "a note"],
        Annotated[Annotated[int, Nullable], Check.ge(0)],
        Optional[Annotated[int, Check.ge(0)]],
        Literal[1, 2, None],
    ],
)
def test_ways_to_say_that_null_is_allowed(annotation):
    schema(a=annotation).parse(pa.table({"a": [1, None]}))


@pytest.mark.parametrize("annotation", [int, Annotated[int, Nullable(False)], Annotated[int, Nullable(allow=False)]])
def test_ways_to_say_that_null_is_not(annotation):
    with pytest.raises(ConstraintError, match="NULL"):
        schema(a=annotation).parse(pa.table({"a": [1, None]}))


@pytest.mark.parametrize(
    "annotation",
    [np.int32, object, Any, list, dict, int | str, "Nowhere", Literal["a", 1], Literal[None], 3, Schema, lambda: 1],
)
def test_what_is_no_column(annotation):
    with pytest.raises(TypeError, match=r"T\.a"):
        schema(a=annotation)


class Grade(StrEnum):
    A = "a"
    B = "b"


def test_an_enum_of_python_is_an_enum():
    schema(a=Grade).parse(pa.table({"a": ["a", "b"]}))
    with pytest.raises(ConstraintError, match=r"outside the allowed \[a, b\]: c"):
        schema(a=Grade).parse(pa.table({"a": ["a", "c"]}))


def test_a_check_says_nothing_about_null():
    with pytest.raises(TypeError, match="None is no value of a Check"):  # in SQL, b IN (a, NULL) is neither
        Check.isin("a", None)


def test_contradictions_are_found_when_the_class_is_created():
    with pytest.raises(ContractError, match=r"T: min 5 is above max 3"):
        schema(a=Annotated[int, Check.ge(5), Check.le(3)])
    with pytest.raises(ContractError, match="does not compile"):
        schema(a=Annotated[str, Check.pattern("(")])
    with pytest.raises(TypeError, match="a pattern is for str"):
        schema(a=Annotated[int, Check.pattern("a")])
    with pytest.raises(TypeError, match="in parentheses"):
        schema(a=Annotated[int, Check.ge])
    with pytest.raises(TypeError, match="a type and no value"):
        type("T", (Schema,), {"__annotations__": {"a": int}, "a": 3})


def test_columns_named_like_methods():
    class Tricky(Schema):
        count: int
        cast: str
        schema: float
        select: int
        parse: int
        _columns: int

    table = pa.table({"count": [1], "cast": ["a"], "schema": [1.0], "select": [2], "parse": [3], "_columns": [4]})
    assert Tricky.parse(Tricky.cast(table)).columns == tuple(table.column_names)
    assert Tricky.cast(table).count().execute() == 1


def test_columns_of_any_name():
    names = ["a b", 'x"y', "select", "naïve", "#", "1"]
    kind = schema(**{name: Annotated[int, Check(lambda c: c > 0, "positive")] for name in names})
    kind.parse(pa.table({name: [1] for name in names}))
    with pytest.raises(ConstraintError) as caught:
        kind.parse(pa.table({name: [0] for name in names}))
    assert [v.field for v in caught.value.violations] == names


def test_inheritance_adds_and_refines():
    class Base(Schema):
        a: Annotated[int, Check.ge(0), Check.le(10), unit("g"), meaning("Weight.")]
        b: str

    class Child(Base):
        a: Annotated[int | None, Check.le(5)]
        c: float

    assert list(Child._columns) == ["a", "b", "c"]
    said = Child.to_contract().field("a")
    assert (said.min, said.max, said.unit, said.meaning, said.required) == (0, 5, "g", "Weight.", False)
    Child.parse(pa.table({"a": [None, 5], "b": ["x", "y"], "c": [1.0, 2.0]}))
    with pytest.raises(ConstraintError) as caught:
        Child.parse(pa.table({"a": [-1, 6], "b": ["x", "y"], "c": [1.0, 2.0]}))
    assert dict(caught.value.violations[0].values) == {-1: 1, 6: 1}
    assert Base.to_contract().field("a").max == 10  # the parent stays as it was

    class Wider(Base):
        a: Annotated[int, Check.le(20)]

    assert (Wider.to_contract().field("a").min, Wider.to_contract().field("a").max) == (0, 20)
    with pytest.raises(StructuralError):
        Base.cast(Child.cast(ibis.table({"a": "int64", "b": "string", "c": "float64"}, name="nowhere")))


def test_a_mixin_and_a_diamond():
    class Id(Schema):
        id: int

    class Named(Schema):
        name: str

    class Both(Named, Id):
        pass

    assert set(Both._columns) == {"id", "name"}


def test_a_child_of_a_bound_class_adds_columns():
    class Priced(Listings):
        price: float

    kinds = {"item_condition": "string", "brand": "string", "price_cents": "int64", "price": "float64", "more": "date"}
    assert Priced.cast(ibis.table(kinds, name="nowhere")).columns[-1] == "more"
    assert Priced.to_contract().dataset == "Priced"
    with pytest.raises(StructuralError, match=r"contract listings 1\.4\.0"):
        Priced.cast(ibis.table({"price": "float64"}, name="nowhere"))


# --- held to a contract -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "columns, clause, says",
    [
        ({"price_cents": str}, "type", "the class says string, the contract integer"),
        ({"price_cents": int | None}, "required", "required: true"),
        ({"size": str}, "required", "required: false"),
        ({"item_condition": Annotated[str, Check.isin("A", "B")]}, "enum", "['A', 'B', 'C']"),
        ({"item_condition": Literal["A", "B", "X"]}, "enum", "['A', 'B', 'X']"),
        ({"brand": Annotated[str, Check.isin("A")]}, "enum", "no enum"),
        ({"price_cents": Annotated[int, unit("USD_cents")]}, "unit", "USD_cents"),
        ({"photos": Annotated[int, unit("pieces")]}, "unit", "no unit"),
        ({"brand_name": str}, "brand_name", "the contract has no field 'brand_name'"),
    ],
)
def test_class_and_contract_must_agree(columns, clause, says):
    with pytest.raises(ContractError) as caught:
        type("Mine", (Schema,), {"__annotations__": columns}, contract="listings.yaml")
    (fault,) = caught.value.faults
    name = next(iter(columns))
    assert fault.path.endswith("listings.yaml") and says in fault.message and clause in fault.message
    assert f"{__file__}:" in fault.message and f"Mine.{name}" in fault.message
    line = (seed.ROOT / "contracts" / "listings.yaml").read_text().splitlines()[fault.line - 1]
    if clause in ("type", "enum", "unit") and "no " not in says:
        assert clause in line


def test_all_disagreements_are_named_at_once():
    with pytest.raises(ContractError) as caught:

        class Mine(Schema, contract="listings.yaml"):
            price_cents: Annotated[str | None, unit("USD")]
            nothing: int

    assert len(caught.value.faults) == 4


def test_of_two_bounds_the_tighter_one_holds():
    class Loose(Schema, contract="listings.yaml"):
        price_cents: Annotated[int, Check.ge(0), Check.le(500)]

    said = Loose.to_contract().field("price_cents")
    assert (said.min, said.max) == (100, 500)
    said = schema(a=Annotated[int, Check.ge(5), Check.ge(0), Check.le(7), Check.le(9)]).to_contract().field("a")
    assert (said.min, said.max) == (5, 7)


def test_what_the_class_does_not_say_the_contract_does():
    class Cheap(Schema, contract="listings.yaml"):
        price_cents: int

    with pytest.raises(ConstraintError, match=r"100 to 100,000 EUR_cents"):
        Cheap.parse(pa.table({"price_cents": [99, 100]}))
    Cheap.parse(pa.table({"price_cents": [100]}))  # volume and freshness are promises about the whole table


def test_a_contract_is_found_beside_the_file_in_contracts_or_absolute_and_never_by_the_current_folder(
    tmp_path, monkeypatch
):
    text = "version: 1.0.0\nowner: us\nfields:\n  - {name: a, type: integer, required: true}\n"
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    (home / "contracts").mkdir(parents=True)
    elsewhere.mkdir()
    (home / "beside.yaml").write_text(text)
    (home / "contracts" / "inside.yaml").write_text(text)
    (elsewhere / "current.yaml").write_text(text)
    monkeypatch.chdir(elsewhere)

    def load(path):
        module = home / "module.py"
        module.write_text(f"from boundary import Schema\nclass T(Schema, contract={str(path)!r}):\n    a: int\n")
        spec = importlib.util.spec_from_file_location("module_of_the_test", module)
        made = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, spec.name, made)
        spec.loader.exec_module(made)
        return made.T

    assert load("beside.yaml").to_contract().owner == "us"
    assert load("inside.yaml").to_contract().owner == "us"
    assert load("contracts/inside.yaml").to_contract().owner == "us"
    assert load((elsewhere / "current.yaml").resolve()).to_contract().owner == "us"
    with pytest.raises(ContractError, match=r"there is none at .*home") as caught:
        load("current.yaml")
    assert caught.value.unreadable


def test_in_a_notebook_the_package_contracts_are_found(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    cell = "class T(Schema, contract='listings.yaml'):\n    brand: str\n"
    names = {"Schema": Schema, "__name__": "__notebook__"}
    exec(compile(cell, "/tmp/ipykernel_1/1.py", "exec"), names)
    assert names["T"].to_contract().version == "1.4.0"


def test_a_contract_that_forbids_other_columns(tmp_path):
    (tmp_path / "t.yaml").write_text(
        "version: 1.0.0\nowner: us\nevolution: {additive: forbidden}\n"
        "fields: [{name: a, type: integer, required: true}, {name: b, type: string}]\n"
    )

    class T(Schema, contract=tmp_path / "t.yaml"):
        a: int

    T.cast(ibis.table({"a": "int64", "b": "string"}, name="nowhere"))
    with pytest.raises(StructuralError):
        T.cast(ibis.table({"a": "int64", "c": "string"}, name="nowhere"))


# --- from and to a contract ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["listings", "orders"])
def test_a_contract_as_a_class_and_back(name, tmp_path):
    agreed = contracts.load(seed.ROOT / "contracts" / f"{name}.yaml")
    assert schema_from(agreed).to_contract() == agreed
    (tmp_path / f"{name}.yaml").write_bytes(agreed.source.read_bytes())
    module = tmp_path / "exported.py"
    module.write_text(to_python(contracts.load(tmp_path / f"{name}.yaml")), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("exported", module)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    assert getattr(made, name.title()).to_contract() == agreed


EXPORTED = """\
# parts 1.2.0 of us, held to the YAML when the class is created.
from datetime import date
from typing import Annotated

from boundary import Check, Schema, meaning, unit


class Parts(Schema, contract="parts.yaml"):
    id: Annotated[int, Check.ge(1), Check.le(9), Check.unique()]
    made: date | None
    grade: Annotated[str | None, Check.isin({"A": "as new", "B": "the \\"rest\\""})]
    code: Annotated[str, Check.pattern("[A-Z]+"), unit("code"), meaning("What it says.")]
    __annotations__["a b"] = Annotated[float | None, Check.isin(0.5, 1.0)]
"""


def test_export_to_python(tmp_path, capsys):
    from contracts.__main__ import main

    (tmp_path / "parts.yaml").write_text(
        """
version: 1.2.0
owner: us
fields:
  - {name: id, type: integer, required: true, min: 1, max: 9, unique: true}
  - {name: made, type: date}
  - {name: grade, type: string, enum: {A: as new, B: the "rest"}}
  - {name: code, type: string, required: true, pattern: '[A-Z]+', unit: code, meaning: What it says.}
  - {name: a b, type: number, enum: [0.5, 1.0]}
"""
    )
    assert main(["export", str(tmp_path / "parts.yaml"), "--to", "python"]) == 0
    assert capsys.readouterr().out == EXPORTED


def test_a_class_as_a_contract_and_back():
    class Plain(Schema):
        a: Annotated[int, Check.ge(0), Check.le(9), unit("g"), meaning("Weight.")]
        b: Annotated[str | None, Check.isin({"A": "as new", "B": "light wear"})]
        c: Annotated[str, Check.pattern("[a-z]+"), Check.unique()]
        d: Annotated[date, Check.ge(date(2026, 1, 1))]
        e: datetime
        f: float | None
        g: bool

    agreed = Plain.to_contract(version="2.0.0", owner="us")
    assert (agreed.dataset, agreed.version, agreed.owner) == ("Plain", "2.0.0", "us")
    assert agreed.evolution.additive == "forbidden"
    assert agreed.field("b").meanings == (("A", "as new"), ("B", "light wear"))
    again = schema_from(agreed)
    assert again.to_contract() == agreed
    assert again.__name__ == "Plain" and again._extra == Plain._extra
    for name, column in Plain._columns.items():
        other = again._columns[name]
        assert (column.dtype, column.nullable, column.field()) == (other.dtype, other.nullable, other.field())


def test_a_subset_as_a_contract():
    agreed = Listings.to_contract()
    assert [field.name for field in agreed.fields] == ["item_condition", "brand", "price_cents"]
    assert agreed.version == "1.4.0" and agreed.freshness is None and agreed.consumers


def test_what_a_contract_cannot_say_is_not_left_out():
    with pytest.raises(TypeError, match=r"array<int64>.*is even"):
        schema(a=list[int], b=Annotated[int, Check(lambda c: c % 2 == 0, "is even")]).to_contract()


# --- @contract ----------------------------------------------------------------------------------------------------

GOOD, BAD = points([1], ["a"]), ibis.memtable(pa.table({"z": [1]}))
PointFrame = DataFrame[Point]


class Pair(NamedTuple):
    left: int
    right: int


def stops(call, *args, phase=ValidationPhase.CONTRACT_INPUT, **kwargs):
    with pytest.raises(StructuralError) as caught:
        call(*args, **kwargs)
    assert caught.value.phase is phase
    return caught.value


def test_every_place_of_a_parameter():
    @contract
    def f(
        a: DataFrame[Point],
        /,
        b: DataFrame[Point],
        *rest: DataFrame[Point],
        k: DataFrame[Point],
        **more: DataFrame[Point],
    ):
        return [type(each) for each in (a, b, *rest, k, *more.values())]

    assert f(GOOD, GOOD, GOOD, GOOD, k=GOOD, m=GOOD, n=GOOD) == [PointFrame] * 7
    assert f(GOOD, b=GOOD, k=GOOD) == [PointFrame] * 3
    for position in range(4):
        args = [GOOD] * 4
        args[position] = BAD
        assert stops(f, *args, k=GOOD).parameter == ["a", "b", "rest", "rest"][position]
    assert stops(f, GOOD, GOOD, k=BAD).parameter == "k"
    error = stops(f, GOOD, GOOD, k=GOOD, m=GOOD, n=BAD)
    assert error.parameter == "more" and "more['n']=…" in str(error)
    with pytest.raises(TypeError, match=r"f\(\) missing 1 required") as caught:  # as Python says it
        f(GOOD, k=GOOD)
    assert not isinstance(caught.value, ValidationError)


def test_defaults_are_checked_too():
    @contract
    def f(x: int = 1, a: DataFrame[Point] = BAD, b: DataFrame[Point] | None = None):
        return b

    assert stops(f).parameter == "a"
    assert f(a=GOOD) is None
    assert type(f(1, GOOD, GOOD)) is PointFrame

    @contract
    def g(a: DataFrame[Point] = None): ...

    assert "here is a NoneType" in str(stops(g))


@pytest.mark.parametrize("annotation", [DataFrame[Point] | None, Optional[DataFrame[Point]], "DataFrame[Point] | None"])
def test_optional(annotation):
    def f(a, b=None): ...

    f.__annotations__ = {"a": annotation, "return": annotation}
    held = contract(f)
    assert held(None) is None and held(GOOD) is None
    stops(held, BAD)


@pytest.mark.parametrize(
    "annotation, good, bad, item",
    [
        (tuple[DataFrame[Point], DataFrame[Point]], (GOOD, GOOD), (GOOD, BAD), "[1]"),
        (tuple[int, DataFrame[Point]], (1, GOOD), (1, BAD), "[1]"),
        (tuple[DataFrame[Point], ...], (GOOD, GOOD, GOOD), (GOOD, GOOD, BAD), "[2]"),
        (tuple[DataFrame[Point], ...], (), [GOOD], ""),
        (tuple[DataFrame[Point], DataFrame[Point]], (GOOD, GOOD), (GOOD,), ""),
        (list[DataFrame[Point]], [GOOD, GOOD], [GOOD, BAD], "[1]"),
        (list[DataFrame[Point]], [], (GOOD,), ""),
        (list[DataFrame[Point]], [GOOD], GOOD, ""),
        (typing.List[DataFrame[Point]], [GOOD], [BAD], "[0]"),
        (dict[str, DataFrame[Point]], {"a": GOOD}, {"a": GOOD, "b": BAD}, "['b']"),
        (dict[str, DataFrame[Point]], {}, [GOOD], ""),
        (dict[str, list[DataFrame[Point]]], {"a": [GOOD]}, {"a": [GOOD, BAD]}, "['a'][1]"),
        (list["DataFrame[Point]"], [GOOD], [BAD], "[0]"),
        (Annotated[DataFrame[Point], "a note"], GOOD, BAD, ""),
        (list[DataFrame[Point] | None], [None, GOOD], [None, BAD], "[1]"),
        (DataFrame[Point] | int, 3, BAD, ""),
        (DataFrame[Point] | int, GOOD, "text", ""),
        (PointFrame, GOOD, BAD, ""),
        ("PointFrame", GOOD, BAD, ""),
    ],
)
def test_containers(annotation, good, bad, item):
    def f(parts): ...

    def g(value):
        return value

    f.__annotations__ = {"parts": annotation}
    g.__annotations__ = {"return": annotation}
    held, made = contract(f), contract(g)
    held(good)
    assert type(made(good)) is type(good) or isinstance(good, ir.Table)
    error = stops(held, bad)
    assert error.parameter == "parts" and f"f(parts{item}=…)" in str(error)
    assert f"g(…){item} -> " in str(stops(made, bad, phase=ValidationPhase.CONTRACT_OUTPUT))


def test_tables_in_containers_become_typed():
    @contract
    def f(parts: dict[str, DataFrame[Point]]) -> tuple[DataFrame[Point], ...]:
        assert {type(part) for part in parts.values()} == {PointFrame}
        return tuple(part.limit(1) for part in parts.values())

    assert [type(part) for part in f({"a": GOOD, "b": GOOD})] == [PointFrame] * 2


def test_generators():
    closed = []

    @contract
    def f(a: DataFrame[Point]) -> Iterator[DataFrame[Point]]:
        try:
            yield a.limit(1)
            yield BAD
        finally:
            closed.append(True)

    assert inspect.isgeneratorfunction(f)
    items = f(GOOD)
    assert type(next(items)) is PointFrame
    assert "f(…)[1] -> Point" in str(stops(next, items, phase=ValidationPhase.CONTRACT_OUTPUT))
    assert closed == [True]
    stops(list, f(BAD))

    @contract
    def talk() -> typing.Generator[DataFrame[Point], int, str]:
        got = []
        while len(got) < 2:
            try:
                got.append((yield GOOD))
            except KeyError:
                got.append("caught")
        return got

    talking = talk()
    next(talking)
    assert type(talking.send(7)) is PointFrame
    with pytest.raises(StopIteration) as done:
        talking.throw(KeyError("x"))
    assert done.value.value == [7, "caught"]


def test_a_parameter_may_be_an_iterator_of_tables():
    @contract
    def f(parts: Iterator[DataFrame[Point]]):
        return [type(part) for part in parts]

    assert f(iter([GOOD, GOOD])) == [PointFrame] * 2
    assert "f(parts[1]=…)" in str(stops(f, iter([GOOD, BAD])))
    stops(f, 3)
    stops(f, GOOD)


def test_async_functions_stay_async():
    @contract
    async def f(a: DataFrame[Point]) -> DataFrame[Point]:
        await asyncio.sleep(0)
        return a.limit(1) if a.op() is GOOD.op() else BAD

    @contract
    async def many(a: DataFrame[Point]) -> typing.AsyncIterator[DataFrame[Point]]:
        yield a
        yield BAD

    assert inspect.iscoroutinefunction(f) and inspect.isasyncgenfunction(many)
    assert type(asyncio.run(f(GOOD))) is PointFrame
    stops(lambda: asyncio.run(f(BAD)))
    stops(lambda: asyncio.run(f(GOOD.limit(3))), phase=ValidationPhase.CONTRACT_OUTPUT)

    async def read():
        return [type(item) async for item in many(GOOD)]

    stops(lambda: asyncio.run(read()), phase=ValidationPhase.CONTRACT_OUTPUT)


def test_methods_in_either_order():
    class Pricer:
        @contract
        def plain(self, a: DataFrame[Point]) -> DataFrame[Point]:
            return a

        @contract
        @classmethod
        def outside(cls, a: DataFrame[Point]) -> DataFrame[Point]:
            assert cls is Pricer
            return a

        @classmethod
        @contract
        def inside(cls, a: DataFrame[Point]) -> DataFrame[Point]:
            return a

        @contract(validate=True)
        @staticmethod
        def alone(a: DataFrame[Point]) -> DataFrame[Point]:
            return a

        @staticmethod
        @contract
        def alone_too(a: DataFrame[Point]) -> DataFrame[Point]:
            return a

    for name in ("plain", "outside", "inside", "alone", "alone_too"):
        method = getattr(Pricer(), name)
        assert type(method(GOOD)) is PointFrame
        error = stops(method, BAD)
        assert error.function == f"Pricer.{name}" and f"Pricer.{name}(a=…)" in str(error)


def test_what_can_be_called_but_is_no_function():
    class Caller:
        def __call__(self, a: DataFrame[Point]) -> DataFrame[Point]:
            return a

    for called in (contract(Caller()), contract(functools.partial(Caller().__call__))):
        assert type(called(GOOD)) is PointFrame
        stops(called, BAD)


def test_the_decorator_keeps_what_the_function_is():
    assert (price.__name__, price.__doc__, price.__module__) == ("price", "What a buyer pays.", __name__)
    assert inspect.signature(price) == inspect.signature(inspect.unwrap(price))
    assert list(inspect.signature(price).parameters) == ["listings"]
    assert pickle.loads(pickle.dumps(price)) is price
    assert inspect.unwrap(price) is not price


def test_returns():
    for returns in (Prices, DataFrame[Prices]):

        @contract(returns=returns)
        def f(a: DataFrame[Point]) -> ir.Table:
            return a.select(price=a.x / 1.0, listing_id="x")

        made = f(GOOD)
        assert type(made) is DataFrame[Prices] and made.columns == ("listing_id", "price")

        @contract(returns=returns, validate=True)
        def g(a: DataFrame[Point]):
            return a

        assert "g(…) -> Prices" in str(stops(g, GOOD, phase=ValidationPhase.CONTRACT_OUTPUT))
        stops(g, BAD)

    @contract(returns=Prices)
    def instead(a: int) -> DataFrame[Point]:
        return ibis.table({"listing_id": "int64", "price": "float64"}, name="nowhere")

    assert type(instead(1)) is DataFrame[Prices]


def test_contract_runs_no_query():
    @contract
    def f(a: DataFrame[Point]) -> DataFrame[Point]:
        return a.filter(a.x > 0)

    f(UNBOUND)


def test_what_is_no_table_passes_untouched():
    marker = object()

    @contract
    def f(a: DataFrame[Point], b: int, c: "pd.NoSuchThing", d: "Nowhere[int]", *, e: object = marker) -> int:  # noqa: F821
        return b, c, d, e

    assert f(GOOD, "not an int", 1, 2) == ("not an int", 1, 2, marker)


@pytest.mark.parametrize("value", ["text", None, pd.DataFrame({"x": [1], "y": ["a"]}), pa.table({"x": [1]}), [GOOD]])
def test_something_else_in_place_of_a_table(value):
    @contract
    def f(a: DataFrame[Point]): ...

    error = stops(f, value)
    assert isinstance(error, TypeError)
    assert f"f(a=…): Point: here is a {type(value).__name__}" in str(error)


T = TypeVar("T", bound=Schema)
D = TypeVar("D", bound=DataFrame[Point])


@pytest.mark.parametrize(
    "annotation, says",
    [
        (int, "no annotation to enforce"),
        (DataFrame, "names no schema"),
        (DataFrame[T], "not bound to any class"),
        (D, "known only to a type checker"),
        (DataFrame[Point] | DataFrame[Prices], "a union of two schemas"),
        (Union[DataFrame[Point], DataFrame[Prices], None], "a union of two schemas"),
        (DataFrame[Point | Prices], "a union of schemas"),
        (DataFrame[Point] | ir.Table, "anything would pass"),
        (Union[DataFrame[Point], Any], "anything would pass"),
        (Point, "is a schema, not a table"),
        (DataFrame[int], "is no Schema"),
        ("DataFrame[Nowhere]", "cannot be resolved"),
        (DataFrame["Nowhere"], "define the schema before"),
        ("list[DataFrame[Nowhere]]", "cannot be resolved"),
        (set[DataFrame[Point]], "no form whose tables can be checked"),
        (Callable[[DataFrame[Point]], int], "no form whose tables can be checked"),
        (type[DataFrame[Point]], "no form whose tables can be checked"),
        (dict[DataFrame[Point], int], "no form whose tables can be checked"),
        (typing.Awaitable[DataFrame[Point]], "no form whose tables can be checked"),
    ],
)
def test_what_cannot_be_enforced_is_refused_at_decoration(annotation, says):
    def f(a): ...

    def g(): ...

    f.__annotations__, g.__annotations__ = {"a": annotation}, {"return": annotation}
    for function, where in ((f, "the parameter 'a' of f"), (g, "the result of g")):
        with pytest.raises(TypeError, match=says) as caught:
            contract(function)
        assert where in str(caught.value) or annotation is int


def test_more_that_is_refused():
    with pytest.raises(TypeError, match="for functions"):

        @contract
        class Thing: ...

    with pytest.raises(TypeError, match="for functions"):
        contract(3)
    for returns in (int, 3, "Nowhere"):
        with pytest.raises(TypeError):
            contract(returns=returns)(lambda: 1)
    with pytest.raises(TypeError, match="no annotation to enforce"):
        contract(validate=True)(lambda x: x)


FUTURE = """
from __future__ import annotations
from typing import TYPE_CHECKING
from boundary import Schema, DataFrame, contract
if TYPE_CHECKING:
    from nowhere import Config
    import pandas as pd

class Outer(Schema):
    x: int
    y: str | None

@contract
def plain(a: DataFrame[Outer], c: Config = None, p: pd.DataFrame = None) -> DataFrame[Outer]:
    return a

def make():
    class Local(Schema):
        x: int
        y: Also | None
    @contract
    def inner(a: DataFrame[Local]) -> DataFrame[Local]:
        return a
    class Holder:
        @contract(validate=True)
        def method(self, a: DataFrame[Local]) -> DataFrame[Local]:
            return a
        @contract
        @staticmethod
        def alone(a: list[DataFrame[Local]]):
            return a
    return inner, Holder().method, lambda a: Holder.alone([a])

Also = str
"""


def test_annotations_that_are_text():
    names: dict[str, Any] = {"__name__": "future_of_the_test"}
    exec(compile(FUTURE, "future.py", "exec"), names)
    for held in (names["plain"], *names["make"]()):
        held(GOOD)
        stops(held, BAD)


def test_a_schema_defined_in_a_function():
    class Local(Schema):
        x: int
        y: str | None

    @contract
    def f(a: "DataFrame[Local]") -> DataFrame["Local"]:
        return a

    assert type(f(GOOD)) is DataFrame[Local]
    stops(f, BAD)


# --- errors -------------------------------------------------------------------------------------------------------


def failures():
    """One error of each kind."""
    local = schema(a=Annotated[int, Check.ge(0)])
    for kind, table in ((Point, GOOD[["x"]]), (Point, points(["5.7"], ["a"])), (local, pa.table({"a": [-1]}))):
        with pytest.raises(ValidationError) as caught:
            kind.parse(table)
        yield caught.value
    with pytest.raises(ValidationError) as caught:
        schema(a=Annotated[int, Check(crash)]).parse(pa.table({"a": [1]}))
    yield caught.value
    yield stops(price, BAD)
    yield stops(price, 3)


def test_errors_pickle_and_copy():
    for error in failures():
        for again in (copy.copy(error), copy.deepcopy(error), pickle.loads(pickle.dumps(error))):
            assert type(again) is type(error) and str(again) == str(error)
            for name in ("phase", "detail", "function", "parameter", "violations"):
                assert getattr(again, name) == getattr(error, name)
            assert type(again.original) is type(error.original)
        assert copy.copy(error).schema is error.schema
    assert [type(error) for error in failures()] == [
        StructuralError,
        CoercionError,
        ConstraintError,
        CheckExecutionError,
        StructuralError,
        StructuralError,
    ]


def test_an_original_that_does_not_pickle():
    error = ValidationError("x", schema=Point, phase=ValidationPhase.PARSE, original=OSError(lambda: 1))
    assert "OSError" in str(pickle.loads(pickle.dumps(error)).original)


def test_messages_stay_short_whatever_fails():
    wide = schema("W" * 500, **{f"column_{i}_{'x' * 300}": Annotated[int, Check.ge(0)] for i in range(60)})
    names = list(wide._columns)
    for table in (
        pa.table({"z": [1]}),
        pa.table({name: ["y" * 1000] for name in names}),
        pa.table({name: list(range(-500, 0)) for name in names}),
    ):
        with pytest.raises(ValidationError) as caught:
            wide.parse(table)
        assert 50 < len(str(caught.value)) < 2_000
        assert len(caught.value.violations) >= 60
        assert "more" in str(caught.value)
    with pytest.raises(ValidationError) as caught:
        schema(a=Annotated[int, Check(crash, "n" * 9_000)]).parse(pa.table({"a": [1]}))
    assert len(str(caught.value)) < 2_000

    def long(**tables: DataFrame[wide]): ...

    long.__qualname__ = "f" * 5_000
    assert len(str(stops(contract(long), **{"k" * 5_000: BAD}))) < 2_000


def test_an_error_names_its_schema_and_nothing_twice():
    error = stops(contract(lambda_with_name()), BAD)
    assert str(error).count("Point") == 1


def lambda_with_name():
    def f(a: DataFrame[Point]): ...

    return f


def test_a_naive_timestamp_is_compared_in_the_zone_of_the_contract():
    agreed = contracts.from_mapping(
        {
            "version": "1.0.0",
            "owner": "us",
            "freshness": {"max_lag": "1h", "field": "at", "timezone": "Europe/Berlin"},
            "fields": [{"name": "at", "type": "timestamp", "required": True, "min": "2026-08-19T14:00:00"}],
        }
    )
    kind = schema_from(agreed)
    kind.parse(pa.table({"at": [dt.datetime(2026, 8, 19, 12, 0, tzinfo=dt.UTC)]}))
    with pytest.raises(ConstraintError):
        kind.parse(pa.table({"at": [dt.datetime(2026, 8, 19, 11, 59, tzinfo=dt.UTC)]}))


def test_columns_that_the_engine_does_not_tell_apart_are_an_error_and_no_crash():
    class Prices(Schema):
        Price: int
        price: int

    with pytest.raises(CheckExecutionError, match="does not tell it from another column"):
        Prices.parse(ibis.memtable(pa.table({"Price": [1], "price": [2]})))
