"""The contract at a function's signature: schemas as classes, tables that carry them, and @contract.

    class Listings(Schema, contract="listings.yaml"):      # the columns that this code reads, held to the YAML
        item_condition: Annotated[str, Check.isin("A", "B", "C")]
        price_cents: int

    class Prices(Schema):
        price: float

    @contract                                              # structure: names and types; no query
    def price(listings: DataFrame[Listings]) -> DataFrame[Prices]: ...

    @contract(validate=True)                               # values too: one aggregate query for each table
    @contract(returns=Prices)                              # the body may return a plain ibis table

`DataFrame[S]` is an ibis table: every method works, and gives a plain table, since nobody knows yet what that one
keeps. A table becomes a `DataFrame[S]` in two ways only:

    S.cast(table)    looks at names and types, and runs no query
    S.parse(table)   casts what can be cast without loss, and checks every value: NULL, enum, range, pattern, unique,
                     checks of your own; the verdict is that of `validate`, from the same engine

Both put the columns in the order of the class; columns that are allowed beside them follow as they come.

What the decorator does not do. It is a check at the boundary, not a line-by-line audit: what happens inside the
function, nobody sees, unless the result breaks its own schema. Without `validate=True` it sees names and types alone:
a re-coded column passes, because structure breaks and semantics lie. A table is lazy: `parse` checks the rows that
are there now. Tables in a class of your own, in a global or a closure do not cross the signature, and are not checked.
What a type checker sees is which schema a table has, not its columns: `listings.prize_cents` is an error only when
the expression is built.
"""

from __future__ import annotations

import functools
import inspect
import sys
import types
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, ParamSpec, Protocol, TypeVar, overload

import ibis.expr.types as ir

from clause.columns import Check, Nullable, meaning, unit
from clause.reading import described, package_of
from clause.schemas import DataFrame, Schema, frame_of, schema_from
from clause.signatures import Place, Reader, Signature, iterate, named, signature_of
from contracts.errors import (
    CheckExecutionError,
    CoercionError,
    ConstraintError,
    StructuralError,
    ValidationError,
    ValidationPhase,
)

__all__ = [
    "Check",
    "CheckExecutionError",
    "CoercionError",
    "ConstraintError",
    "DataFrame",
    "Nullable",
    "Schema",
    "StructuralError",
    "ValidationError",
    "ValidationPhase",
    "contract",
    "meaning",
    "schema_from",
    "unit",
]

S = TypeVar("S", bound=Schema)
F = TypeVar("F")
P = ParamSpec("P")
OTHER_TABLES = ("pandas", "polars", "pyarrow", "duckdb")


# --- @contract --------------------------------------------------------------------------------------------------------


class Returning(Protocol[S]):  # type: ignore[misc,unused-ignore]  # DataFrame[S] is invariant
    """What contract(returns=S) is to a type checker: the same parameters, and DataFrame[S] for the table."""

    @overload
    def __call__(self, function: Callable[P, ir.Table], /) -> Callable[P, DataFrame[S]]: ...
    @overload
    def __call__(
        self, function: Callable[P, Coroutine[Any, Any, ir.Table]], /
    ) -> Callable[P, Coroutine[Any, Any, DataFrame[S]]]: ...
    @overload
    def __call__(self, function: Callable[P, Iterator[ir.Table]], /) -> Callable[P, Iterator[DataFrame[S]]]: ...


@overload
def contract(function: F, /) -> F: ...
@overload
def contract(*, returns: type[DataFrame[S]], validate: bool = ...) -> Returning[S]: ...
@overload
def contract(*, returns: type[S], validate: bool = ...) -> Returning[S]: ...
@overload
def contract(*, validate: bool = ...) -> Callable[[F], F]: ...


def contract(function: Any = None, /, *, validate: bool = False, returns: Any = None) -> Any:
    """Hold a function's tables to the schemas in its annotations, on the way in and on the way out.

    validate: check the values too (`parse`), not the structure alone (`cast`). returns: the schema of the result, for
    a body that is annotated to return a plain table. Raises TypeError at once for what cannot be enforced.
    """
    caller = sys._getframe(1)
    if function is None:
        return lambda function: decorated(function, validate, returns, caller)
    return decorated(function, validate, returns, caller)


def decorated(function: Any, validate: bool, returns: Any, caller: types.FrameType | None) -> Any:
    """The function with its signature enforced; it stays what it was, a coroutine, a generator, a class method."""
    if isinstance(function, classmethod | staticmethod):
        return type(function)(decorated(function.__func__, validate, returns, caller))
    if isinstance(function, type) or not callable(function):
        raise TypeError(f"@contract is for functions and methods, not for {function!r}")
    if isinstance(returns, type) and issubclass(returns, Schema):
        returns = frame_of(returns)
    held = functools.partial(enforce, validate=validate)
    signature = signature_of(function, Reader(DataFrame, Schema, ir.Table, held, not_that), returns, caller)
    return wrapped(function, signature, named(function))


def wrapped(function: Any, signature: Signature, name: str) -> Any:
    """A function of the same kind around it (generator, coroutine, both, or neither) that holds what crosses."""
    result, place = signature.result, Place(name, None, ValidationPhase.CONTRACT_OUTPUT)
    wrapper: Any
    if inspect.isasyncgenfunction(function):

        async def wrapper(*args: Any, **kwargs: Any) -> Any:
            args, kwargs = signature.hold(args, kwargs, name)
            items, number = function(*args, **kwargs), 0
            try:
                item = await anext(items)
                while True:
                    item, number = result(item, place.at(number)) if result else item, number + 1
                    try:
                        sent = yield item
                    except GeneratorExit:
                        raise
                    except BaseException as error:
                        item = await items.athrow(error)
                    else:
                        item = await items.asend(sent)
            except StopAsyncIteration:
                return
            finally:
                await items.aclose()

    elif inspect.isgeneratorfunction(function):

        def wrapper(*args: Any, **kwargs: Any) -> Any:
            args, kwargs = signature.hold(args, kwargs, name)
            return (yield from iterate(function(*args, **kwargs), result or passed, place))

    elif inspect.iscoroutinefunction(function):

        async def wrapper(*args: Any, **kwargs: Any) -> Any:
            args, kwargs = signature.hold(args, kwargs, name)
            found = await function(*args, **kwargs)
            return result(found, place) if result else found

    else:

        def wrapper(*args: Any, **kwargs: Any) -> Any:
            args, kwargs = signature.hold(args, kwargs, name)
            found = function(*args, **kwargs)
            return result(found, place) if result else found

    return functools.wraps(function)(wrapper)


def passed(value: Any, place: Place) -> Any:
    """The shape of a result that is no table: it passes as it is."""
    return value


def not_that(expected: str, value: Any, place: Place, schema: Any = DataFrame) -> StructuralError:
    """The error for something that is no table where one belongs."""
    says = f"here is {described(value)}, but {expected} belongs here"
    if schema is not DataFrame and package_of(value) in OTHER_TABLES:
        says = f"{says}; make one with {schema.__name__}.cast(…) or {schema.__name__}.parse(…)"
    error = StructuralError(says, schema=schema, phase=place.phase)
    error.function, error.parameter, error.phase, error.item = place
    return error


def enforce(value: Any, schema: type[Schema], place: Place, *, validate: bool) -> Any:
    """Hold one table to a schema where it crosses a function's signature: the only place that does."""
    if not isinstance(value, ir.Table):
        raise not_that(f"DataFrame[{schema.__name__}]", value, place, schema)
    try:
        return schema.parse(value) if validate else schema.cast(value)
    except ValidationError as error:
        error.function, error.parameter, error.phase, error.item = place
        raise
