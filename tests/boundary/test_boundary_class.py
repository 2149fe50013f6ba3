"""What a schema's class may say, and what is refused when the class is created."""

# ruff: noqa: UP045  # every way to write an annotation is a case here
from enum import StrEnum
from typing import Annotated, Any, Literal, Optional

import ibis
import numpy as np
import pyarrow as pa
import pytest
from typed_tables import Listings, schema

from boundary import Check, ConstraintError, Nullable, Schema, StructuralError, meaning, unit
from contracts import ContractError

# ibis 12 asks pandas 3 for an option that goes away, whenever it makes a pandas frame.
pytestmark = pytest.mark.filterwarnings("ignore:The 'future.infer_string'")


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
