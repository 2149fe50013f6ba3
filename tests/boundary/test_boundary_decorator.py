"""What `@contract` holds: each place of a parameter, containers, generators, coroutines, methods."""

# ruff: noqa: UP006, UP045  # every way to write an annotation is a case here
import asyncio
import functools
import inspect
import pickle
import typing
from collections.abc import Iterator
from typing import Annotated, NamedTuple, Optional

import ibis
import ibis.expr.types as ir
import pandas as pd
import pyarrow as pa
import pytest
from typed_tables import BAD, GOOD, UNBOUND, Point, PointFrame, Prices, price, stops

from boundary import DataFrame, ValidationError, ValidationPhase, contract

# ibis 12 asks pandas 3 for an option that goes away, whenever it makes a pandas frame.
pytestmark = pytest.mark.filterwarnings("ignore:The 'future.infer_string'")


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


class Pair(NamedTuple):
    left: int
    right: ir.Table


@pytest.mark.parametrize(
    "annotation, good, bad, item",
    [
        (tuple[DataFrame[Point], DataFrame[Point]], (GOOD, GOOD), (GOOD, BAD), "[1]"),
        (tuple[int, DataFrame[Point]], (1, GOOD), (1, BAD), "[1]"),
        (tuple[int, DataFrame[Point]], Pair(1, GOOD), Pair(1, BAD), "[1]"),
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
    assert type(made(good)) is (PointFrame if isinstance(good, ir.Table) else type(good))
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
    assert (price.__name__, price.__doc__, price.__module__) == ("price", "What a buyer pays.", "typed_tables")
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
    of = {pd.DataFrame: "pandas ", pa.Table: "pyarrow "}.get(type(value), "")  # or it would pass for ours
    assert f"f(a=…): Point: here is a {of}{type(value).__name__}" in str(error)
