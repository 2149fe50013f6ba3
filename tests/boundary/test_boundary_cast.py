"""A table that carries its schema, and what `cast` finds in the structure alone, without a query."""

import copy
import pickle
from datetime import date, datetime
from decimal import Decimal
from typing import Literal

import duckdb
import ibis
import ibis.expr.datatypes as types
import ibis.expr.types as ir
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from typed_tables import UNBOUND, Listings, Point, Prices, points, schema, shop

from boundary import DataFrame, Schema, StructuralError, ValidationPhase

# ibis 12 asks pandas 3 for an option that goes away, whenever it makes a pandas frame.
pytestmark = pytest.mark.filterwarnings("ignore:The 'future.infer_string'")


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
