"""@contract on any signature: refused at once with a TypeError of its own, or the function as it was, but held.

A signature is written as Python source, so that every kind of parameter, annotation and function comes up, in text or
not. What a function does without the decorator is what it must do with it, on right data; one wrong table stops it.
"""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

import ibis
import pyarrow as pa
import pytest
from budget import fuzzed
from hypothesis import example, given
from hypothesis import strategies as st

from boundary import DataFrame, Schema, StructuralError, ValidationError, contract

HEAD = """
import typing, functools, inspect
from typing import Annotated, Any, Optional, Union, TypeVar, Generic, Iterator, AsyncIterator, Literal, Callable
from collections.abc import Sequence, Mapping, Iterable, Generator
import ibis, ibis.expr.types as ir
T = TypeVar("T")
"""


class Point(Schema):
    x: int


GOOD = ibis.memtable(pa.table({"x": [1, 2]}))
OTHER = ibis.memtable(pa.table({"x": [3]}))
BAD = ibis.memtable(pa.table({"y": ["a"]}))

# annotation -> what makes a right argument of a table, or None where the annotation speaks of no table
HELD: dict[str, Any] = {
    "DataFrame[Point]": lambda t: t,
    "'DataFrame[Point]'": lambda t: t,
    "DataFrame['Point']": lambda t: t,
    "Annotated[DataFrame[Point], 'note']": lambda t: t,
    "DataFrame[Point] | None": lambda t: t,
    "Optional[DataFrame[Point]]": lambda t: t,
    "Union[DataFrame[Point], None, int]": lambda t: t,
    "'Optional[DataFrame[Point]]'": lambda t: t,
    "Annotated[DataFrame[Point] | None, 1]": lambda t: t,
    "list[DataFrame[Point]]": lambda t: [t, t],
    "list['DataFrame[Point]']": lambda t: [t],
    "tuple[int, DataFrame[Point]]": lambda t: (1, t),
    "tuple[DataFrame[Point], ...]": lambda t: (t, t, t),
    "dict[str, DataFrame[Point]]": lambda t: {"a": t},
    "Mapping[str, list[DataFrame[Point]]]": lambda t: {"a": [t]},
    "Sequence[DataFrame[Point] | None]": lambda t: [None, t],
    "typing.List[typing.Tuple[DataFrame[Point], ...]]": lambda t: [(t,)],
}
FREE = [
    "", "int", "'int'", "Any", "object", "ir.Table", "T", "'Nowhere'", "list", "None", "Literal['a']",
    "Callable[[int], int]", "3",
]  # fmt: skip
FREE += [
    "'not python at all ('", "dict[str, int]", "tuple[()]", "'nowhere.x[int]'", "type[int]", "typing.Self", "...",
    "lambda: 1",
]  # fmt: skip
REFUSED = [
    "DataFrame", "Point", "DataFrame[int]", "DataFrame[T]", "DataFrame['Nowhere']", "set[DataFrame[Point]]",
    "'DataFrame[Nowhere]'",
]  # fmt: skip
REFUSED += [
    "DataFrame[Point] | DataFrame[Later]", "DataFrame[Point] | ir.Table", "DataFrame[Point | Later]",
    "Callable[[DataFrame[Point]], int]",
]  # fmt: skip
REFUSED += [
    "DataFrame[Point] | Any", "type[DataFrame[Point]]", "dict[DataFrame[Point], int]", "'DataFrame['", "DataFrame['']",
    "DataFrame['1/0']",
]  # fmt: skip
REFUSED += [
    "DataFrame['Point.x.y']", "DataFrame[None]", "DataFrame[...]", "list[Point]", 'DataFrame["\'Point\'"]',
    "DataFrame['x =']",
]  # fmt: skip


class Later(Schema):
    y: str


@st.composite
def signatures(draw: Any) -> tuple[str, list[tuple[str, str, str]], str, str]:
    """The source of a function `f` that gives back its arguments, its parameters, its result and its kind."""
    kinds = draw(st.lists(st.sampled_from(["positional", "plain", "keyword"]), max_size=4))
    kinds.sort(key=["positional", "plain", "keyword"].index)
    has_args, has_kwargs = draw(st.booleans()), draw(st.booleans())
    annotations = st.sampled_from(
        [*HELD, *HELD, *FREE] if draw(st.integers(0, 3)) else [*HELD, *FREE, *REFUSED, *REFUSED]
    )
    parameters: list[tuple[str, str, str]] = []
    written: list[str] = []
    defaults = draw(st.booleans())
    for i, kind in enumerate(kinds):
        if kind != "positional" and i and kinds[i - 1] == "positional":
            written.append("/")
        if kind == "keyword" and (i == 0 or kinds[i - 1] != "keyword"):
            written.append("*rest: DataFrame[Point]" if has_args else "*")
            if has_args:
                parameters.append(("rest", "args", "DataFrame[Point]"))
        annotation = draw(annotations)
        default = " = SENTINEL" if defaults and annotation in FREE else ""
        if kind == "keyword" or not default:
            defaults = defaults and bool(default)
        written.append(f"p{i}" + (f": {annotation}" if annotation else "") + (default if kind == "keyword" else ""))
        parameters.append((f"p{i}", kind, annotation))
    if kinds and kinds[-1] == "positional":
        written.append("/")
    if has_args and "keyword" not in kinds:
        written.append("*rest: DataFrame[Point]")
        parameters.append(("rest", "args", "DataFrame[Point]"))
    if has_kwargs:
        written.append("**more: DataFrame[Point]")
        parameters.append(("more", "kwargs", "DataFrame[Point]"))
    how = draw(
        st.sampled_from(
            ["def", "def", "async", "generator", "async generator", "method", "class", "static", "lambda", "callable"]
        )
    )
    result = draw(st.sampled_from(["", "", "DataFrame[Point]", "'DataFrame[Point] | None'", "int", "None"]))
    if how in ("generator", "async generator"):
        result = draw(st.sampled_from(["", f"{'Async' * (how != 'generator')}Iterator[DataFrame[Point]]"]))
    arrow = f" -> {result}" if result else ""
    names = ", ".join(name for name, _, _ in parameters)
    gives = f"given.append(({names}{',' if names else ''})); "
    body = {"generator": "yield OTHER; yield OTHER", "async generator": "yield OTHER; yield OTHER"}.get(
        how, "return OTHER"
    )
    if result in ("None", "int"):
        body = "return 3"
    inner = f"({', '.join(written)}){arrow}: {gives}{body}"
    own = ", ".join(["self", *written] if written[:1] != ["/"] else ["self", *written[1:]])
    source = {
        "async": f"async def f{inner}",
        "async generator": f"async def f{inner}",
        "method": f"class C:\n    @contract\n    def f({own}){arrow}: {gives}{body}\nf = C().f",
        "class": f"class C:\n    @contract\n    @classmethod\n    def f({own}){arrow}: {gives}{body}\nf = C.f",
        "static": f"class C:\n    @contract\n    @staticmethod\n    def f{inner}\nf = C.f",
        "callable": f"class C:\n    def __call__({own}){arrow}: {gives}{body}\nf = C()",
        "lambda": f"def f{inner}\nf = (lambda g: functools.wraps(g)(lambda *a, **k: g(*a, **k)))(f)",
    }.get(how, f"def f{inner}")
    future = "from __future__ import annotations\n" if draw(st.integers(0, 3)) == 0 else ""
    source = future + HEAD + source
    return source, parameters, result, how


def arguments(parameters: list[tuple[str, str, str]], wrong: str | None = None) -> tuple[list[Any], dict[str, Any]]:
    """Arguments that are right, but for the parameter named `wrong`."""
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for name, kind, annotation in parameters:
        table = BAD if name == wrong else GOOD
        if kind == "args":
            args += [GOOD, table]
            continue
        value = HELD[annotation](table) if annotation in HELD else "whatever"
        if kind == "kwargs":
            kwargs |= {"m": GOOD, "n": table}
        elif kind == "keyword":
            kwargs[name] = value
        else:
            args.append(value)
    return args, kwargs


def ran(function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """What it gives, whatever kind of function it is."""
    found = function(*args, **kwargs)
    if inspect.iscoroutine(found):
        return asyncio.run(found)
    if inspect.isasyncgen(found):

        async def every() -> list[Any]:
            return [each async for each in found]

        return asyncio.run(every())
    return list(found) if inspect.isgenerator(found) else found


def same(one: Any, other: Any) -> bool:
    """Equal, where a table is equal to one of the same rows."""
    if isinstance(one, ibis.Table):
        return isinstance(other, ibis.Table) and one.columns == other.columns
    if isinstance(one, list | tuple):
        return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return one == other or one is other


@fuzzed(3)
@given(signatures(), st.booleans())
@example(
    (
        HEAD + "def f(p0: DataFrame['']): given.append((p0,)); return OTHER",
        [("p0", "plain", "DataFrame['']")],
        "",
        "def",
    ),
    False,
)
def test_any_signature(case: Any, validate: bool) -> None:
    source, parameters, result, how = case
    given: list[Any] = []
    names: dict[str, Any] = {
        "given": given,
        "OTHER": OTHER,
        "SENTINEL": "default",
        "DataFrame": DataFrame,
        "Point": Point,
    }
    names |= {"Later": Later, "contract": lambda function: function, "__name__": "signatures"}
    try:
        exec(compile(source, "signature.py", "exec"), names)
    except TypeError as error:  # an annotation that Python itself does not take
        assert not isinstance(error, ValidationError)
        return
    plain = names["f"]
    held_names = {**names, "contract": contract(validate=validate)}
    speaks = any(kind in ("args", "kwargs") or annotation in HELD for _, kind, annotation in parameters)
    try:
        exec(compile(source, "signature.py", "exec"), held_names)
        held = held_names["f"] if how in ("method", "class", "static") else contract(validate=validate)(held_names["f"])
    except TypeError as error:
        assert str(error).startswith("@contract") and len(str(error).splitlines()) == 1
        refused = any(annotation in REFUSED for _, _, annotation in parameters)
        assert refused or not (speaks or "DataFrame" in result)
        return
    assert not any(annotation in REFUSED for _, _, annotation in parameters), "what cannot be held was accepted"
    args, kwargs = arguments(parameters)
    expected = ran(plain, args, kwargs)
    got = ran(held, args, kwargs)
    assert same(expected, got) and same(given[0], given[1])
    if how != "callable":
        assert inspect.iscoroutinefunction(held) == inspect.iscoroutinefunction(plain)
        assert inspect.isgeneratorfunction(held) == inspect.isgeneratorfunction(plain)
        assert held.__name__ == plain.__name__ and str(inspect.signature(held)) == str(inspect.signature(plain))
    for name, kind, annotation in parameters:
        if kind in ("args", "kwargs") or annotation in HELD:
            wrong, wrongly = arguments(parameters, name)
            with pytest.raises(StructuralError) as caught:
                ran(held, wrong, wrongly)
            assert caught.value.parameter == name
    with pytest.raises(TypeError) as refusal:  # a wrong call stays Python's own, unless **more takes everything
        ran(held, args, {**kwargs, "no_such_parameter": 1})
    assert isinstance(refusal.value, StructuralError) == any(kind == "kwargs" for _, kind, _ in parameters)
