"""Annotations that `@contract` refuses when it decorates, and those that are text."""

# ruff: noqa: UP007  # every way to write an annotation is a case here
import typing
from collections.abc import Callable
from typing import Any, TypeVar, Union

import ibis.expr.types as ir
import pytest
from typed_tables import BAD, GOOD, Point, Prices, stops

from boundary import DataFrame, Schema, contract

# ibis 12 asks pandas 3 for an option that goes away, whenever it makes a pandas frame.
pytestmark = pytest.mark.filterwarnings("ignore:The 'future.infer_string'")


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
