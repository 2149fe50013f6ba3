"""What a function's annotations ask of its tables, read once, when the function is decorated.

`signature_of` makes of each annotation a `Shape`, a function that holds a value to it: one table, or the tables in a
tuple, list, dict or iterator. What could not be enforced is a TypeError with a sentence, never passed over.
"""

import ast
import builtins
import collections.abc as abc
import inspect
import re
import types
import typing
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, NamedTuple, TypeVar, Union

from contracts.errors import ValidationPhase


class Place(NamedTuple):
    """Where a value crosses the boundary: price(parts[1]=…), or price(…)[1] -> …"""

    function: str
    parameter: str | None  # None: the result
    phase: ValidationPhase
    item: str = ""  # in a container, which one

    def at(self, key: object) -> "Place":
        return self._replace(item=f"{self.item}[{key!r}]"[:80])


Shape = Callable[[Any, Place], Any]  # holds a value to its annotation, and gives it back as that
Table = Callable[[Any, Any, Place], Any]  # (value, schema, place): holds one table to a schema
Wrong = Callable[[str, Any, Place], Exception]  # (what belongs here, value, place): the error


@dataclass(frozen=True)
class Reader:
    """Reads annotations: `frame` is DataFrame, `hold` holds one table to a schema, `wrong` refuses what is none."""

    frame: type
    schema: type
    table: type
    hold: Table
    wrong: Wrong
    names: Mapping[str, Any] = field(default_factory=dict)
    of: str = ""  # which annotation this is, for a message

    def shape(self, annotation: Any) -> Shape | None:
        """What holds a value to this annotation; None where it speaks of no table. TypeError: not enforceable."""
        if isinstance(annotation, str | typing.ForwardRef):
            text = annotation if isinstance(annotation, str) else annotation.__forward_arg__
            annotation = self.resolve(text)
            if annotation is None:
                return None
        origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
        if isinstance(annotation, type) and origin is None and issubclass(annotation, self.frame):
            schema = getattr(annotation, "__schema__", None)
            if schema is None:
                raise self.refusal(f"{self.frame.__name__} names no schema; write {self.frame.__name__}[YourSchema]")
            return lambda value, place: self.hold(value, schema, place)
        if isinstance(annotation, type) and origin is None and issubclass(annotation, self.schema):
            raise self.refusal(
                f"{annotation.__name__} is a schema, not a table; write DataFrame[{annotation.__name__}]"
            )
        if origin is self.frame:
            return self.frame_of(arguments[0])
        if origin is Annotated:
            return self.shape(arguments[0])
        if type(annotation).__name__ == "TypeAliasType":
            return self.shape(annotation.__value__)
        if isinstance(annotation, TypeVar):
            within = [annotation.__bound__, *annotation.__constraints__]
            if any(self.shape(item) for item in within if item is not None):
                raise self.refusal(f"{annotation} stands for several types, and which is known only to a type checker")
            return None
        if origin in (Union, types.UnionType):
            return self.union(arguments)
        if origin in (None, typing.Literal):
            return None
        return self.container(annotation, origin, arguments)

    def frame_of(self, argument: Any) -> Shape | None:
        """DataFrame["Later"], DataFrame[T], DataFrame[A | B]: a schema whose name is resolved, or a refusal."""
        if isinstance(argument, str | typing.ForwardRef):
            text = argument if isinstance(argument, str) else argument.__forward_arg__
            try:
                schema = eval(text, {}, self.names)
            except Exception as error:
                raise self.refusal(f"{text!r}: {error}; define the schema before the function") from None
            if isinstance(schema, str):
                raise self.refusal(f"{text!r} is a text and no Schema; name one")
            return self.shape(self.frame[schema])  # type: ignore[index]
        if isinstance(argument, TypeVar):
            raise self.refusal(f"its schema {argument} is not bound to any class; name the schema")
        if typing.get_origin(argument) in (Union, types.UnionType):
            raise self.refusal("a union of schemas does not say which one holds; name one")
        raise self.refusal(f"{argument!r} is no Schema; name one")

    def union(self, arguments: tuple[Any, ...]) -> Shape | None:
        """X | None, and a table or something that is none."""
        shapes = {i: shape for i, item in enumerate(arguments) if (shape := self.shape(item))}
        if not shapes:
            return None
        if len(shapes) > 1:
            raise self.refusal("a union of two schemas does not say which one holds; write two functions")
        (i, shape), others = next(iter(shapes.items())), []
        for item in arguments[:i] + arguments[i + 1 :]:
            kind = typing.get_origin(item) or item
            if kind is Any or not isinstance(kind, type) or issubclass(self.table, kind):
                raise self.refusal(f"beside {item} anything would pass; leave one of the two out")
            others.append(kind)
        passes = tuple(others)
        return lambda value, place: value if isinstance(value, passes) else shape(value, place)

    def container(self, annotation: Any, origin: Any, arguments: tuple[Any, ...]) -> Shape | None:
        """tuple[A, B], tuple[A, ...], list[A], dict[str, A], and iterators of tables."""
        shapes = [None if item is ... else self.shape(item) for item in self.within(arguments)]
        first = shapes[0] if shapes else None
        if not any(shapes):
            return None
        if origin is tuple and arguments[-1] is not ...:
            return self.items(tuple, lambda items: shapes)
        if origin is tuple:
            return self.items(tuple, lambda items: [first] * len(items))
        if origin is list:
            return self.items(list, lambda items: [first] * len(items))
        if origin is abc.Sequence:
            return self.items((list, tuple), lambda items: [first] * len(items))
        if origin in (dict, abc.Mapping, abc.MutableMapping) and first is None:
            return self.entries(shapes[1])
        if origin in (abc.Iterator, abc.Iterable, abc.Generator) and not any(shapes[1:]):
            return self.iterator(first)
        raise self.refusal(
            f"{str(annotation)[:120]} is no form whose tables can be checked; write a table, or a tuple, list, dict"
            " or iterator of tables"
        )

    def items(self, kind: Any, shapes_for: Callable[[Any], list[Shape | None]]) -> Shape:
        """A tuple or list, of which each item has its shape."""

        def hold(value: Any, place: Place) -> Any:
            if not isinstance(value, kind):
                raise self.wrong("a list" if kind is list else "a tuple", value, place)
            shapes = shapes_for(value)
            if len(shapes) != len(value):
                raise self.wrong(f"a tuple of {len(shapes)}, not of {len(value)},", value, place)
            pairs = enumerate(zip(shapes, value, strict=True))
            held = [shape(item, place.at(i)) if shape else item for i, (shape, item) in pairs]
            if isinstance(value, list):
                return held
            return value._make(held) if hasattr(value, "_make") else tuple(held)  # a named tuple stays one

        return hold

    def entries(self, shape: Any) -> Shape:
        """A dict whose values have that shape."""

        def hold(value: Any, place: Place) -> Any:
            if not isinstance(value, Mapping):
                raise self.wrong("a dict", value, place)
            return {key: shape(item, place.at(key)) for key, item in value.items()}

        return hold

    def iterator(self, shape: Any) -> Shape:
        """An iterator whose items have that shape; each is held to it when it comes."""

        def hold(value: Any, place: Place) -> Any:
            if not isinstance(value, abc.Iterable) or isinstance(value, self.table | str | Mapping):
                raise self.wrong("an iterator of tables", value, place)
            return iterate(iter(value), shape, place)

        return hold

    def within(self, arguments: tuple[Any, ...]) -> Iterator[Any]:
        for item in arguments:
            if isinstance(item, list | tuple):  # Callable[[A], B]
                yield from item
            else:
                yield item

    def resolve(self, text: str) -> Any:
        """What an annotation in quotes means; None where it cannot be resolved and speaks of no table."""
        found: Any = text
        for _ in range(9):  # quotes within quotes: all annotations are text after `from __future__ import annotations`
            if not isinstance(found, str):
                return found
            text = found
            try:
                found = eval(text, {}, self.names)
            except Exception as error:
                if self.speaks_of_tables(text):
                    raise self.refusal(f"{text!r} cannot be resolved ({error}); define or import it first") from None
                return None
        return None  # a name that stands for itself

    def speaks_of_tables(self, text: str) -> bool:
        """Whether an annotation that cannot be resolved has a DataFrame of ours in it."""
        try:
            nodes = list(ast.walk(ast.parse(text.strip(), mode="eval")))
        except SyntaxError:
            return self.frame.__name__ in re.findall(r"\w+", text)  # a bracket that is missing
        for node in nodes:
            if not isinstance(node, ast.Name | ast.Attribute):
                continue
            try:
                found = eval(ast.unparse(node), {}, self.names)
            except Exception:
                found = None
            if isinstance(found, type) and issubclass(found, self.frame):
                return True
        inner = [node.value for node in nodes if isinstance(node, ast.Subscript)]  # imported for checkers alone?
        return any(isinstance(node, ast.Name) and node.id == self.frame.__name__ for node in inner)

    def refusal(self, why: str) -> TypeError:
        return TypeError(f"@contract cannot enforce {self.of}: {why}")


def iterate(items: Any, shape: Shape, place: Place) -> Any:
    """A generator that holds each item as it comes, and lets `send`, `throw` and `close` through."""
    number, send = 0, getattr(items, "send", None)
    try:
        item = next(items)
        while True:
            held = shape(item, place.at(number))
            number += 1
            try:
                sent = yield held
            except GeneratorExit:
                raise
            except BaseException as error:
                if not hasattr(items, "throw"):
                    raise
                item = items.throw(error)
            else:
                item = next(items) if sent is None or send is None else send(sent)
    except StopIteration as stop:
        return stop.value
    finally:
        if hasattr(items, "close"):
            items.close()


# --- a function's signature -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Signature:
    """A function's parameters and result, as far as they are tables."""

    bind: Callable[..., inspect.BoundArguments]
    parameters: tuple[tuple[str, Shape, bool, bool], ...]  # name, shape, whether *args, whether **kwargs
    result: Shape | None

    def hold(self, args: Any, kwargs: Any, name: str) -> tuple[Any, Any]:
        """The arguments, each held to its annotation, the defaults too."""
        if not self.parameters:
            return args, kwargs
        try:
            given = self.bind(*args, **kwargs)
        except TypeError:
            return args, kwargs  # the call itself is wrong, and Python says it best
        given.apply_defaults()
        values = given.arguments
        for parameter, shape, is_args, is_kwargs in self.parameters:
            place = Place(name, parameter, ValidationPhase.CONTRACT_INPUT)
            if is_args:
                values[parameter] = tuple(shape(value, place.at(i)) for i, value in enumerate(values[parameter]))
            elif is_kwargs:
                values[parameter] = {key: shape(value, place.at(key)) for key, value in values[parameter].items()}
            else:
                values[parameter] = shape(values[parameter], place)
        return given.args, given.kwargs


def signature_of(
    function: Callable[..., Any], reader: Reader, returns: Any, caller: types.FrameType | None
) -> Signature:
    """What a function's annotations ask; TypeError where they ask nothing, or what cannot be enforced."""
    name = named(function)
    signature = inspect.signature(function)
    inner = inspect.unwrap(function)
    inner = getattr(inner, "func", inner)  # functools.partial
    if not hasattr(inner, "__globals__"):
        inner = type(inner).__call__  # an object that can be called
    reader = replace(reader, names=names_at(caller, inner))
    parameters = []
    for parameter in signature.parameters.values():
        if parameter.annotation is parameter.empty:
            continue
        shape = replace(reader, of=f"the parameter {parameter.name!r} of {name}").shape(parameter.annotation)
        if shape:
            kind = parameter.kind
            parameters.append((parameter.name, shape, kind is kind.VAR_POSITIONAL, kind is kind.VAR_KEYWORD))
    annotation = returns
    if returns is None and signature.return_annotation is not signature.empty:
        annotation = signature.return_annotation
    reader = replace(reader, of=f"the result of {name}")
    is_generator = inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function)
    if returns is None and is_generator and annotation is not None:
        annotation = reader.resolve(annotation) if isinstance(annotation, str) else annotation
        result = yielded(reader, annotation)
    else:
        result = reader.shape(annotation) if annotation is not None else None
    if returns is not None and result is None:
        raise TypeError(f"@contract of {name}: returns={returns!r} is no Schema and no DataFrame of one")
    if not parameters and result is None:
        says = "no annotation to enforce: annotate a parameter or the result as DataFrame[YourSchema], or give returns="
        raise TypeError(f"@contract found in {name} {says}")
    return Signature(signature.bind, tuple(parameters), result)


def yielded(reader: Reader, annotation: Any) -> Shape | None:
    """What a generator function's items are held to."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    forms = (abc.Iterator, abc.Iterable, abc.Generator, abc.AsyncIterator, abc.AsyncIterable, abc.AsyncGenerator)
    if origin not in forms or not arguments:
        return reader.shape(annotation)
    rest = [reader.shape(item) for item in arguments[1:]]
    if any(rest):
        raise reader.refusal("only what a generator yields can be a table; what is sent or returned is not checked")
    return reader.shape(arguments[0])


def named(function: Any) -> str:
    """The function's name as a message says it."""
    name: str = getattr(function, "__qualname__", None) or type(function).__qualname__
    return name.rpartition("<locals>.")[2][:100]


def names_at(frame: types.FrameType | None, function: Any = None) -> Mapping[str, Any]:
    """What names mean where a function or class is defined: its closure, the functions around it, its module."""
    maps: list[dict[str, Any]] = []
    if cells := getattr(function, "__closure__", None):
        filled = {}
        for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
            try:
                filled[name] = cell.cell_contents
            except ValueError:  # not assigned yet
                continue
        maps.append(filled)
    found = frame
    code = None
    while found is not None:
        if code is None or code in found.f_code.co_consts:  # the function or class around the last one
            if found.f_locals is found.f_globals:
                break
            maps.append(dict(found.f_locals))
            code = found.f_code
        found = found.f_back
    module = getattr(function, "__globals__", None) or (frame.f_globals if frame else {})
    return ChainMap(*maps, module, vars(builtins))
