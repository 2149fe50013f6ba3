"""What checkers see of boundary.py where it is installed: a module that is no package cannot say that it is typed."""

from collections.abc import Callable, Coroutine, Iterator
from typing import Any, ParamSpec, Protocol, TypeVar, overload

import ibis.expr.types as ir

from clause.columns import Check as Check
from clause.columns import Nullable as Nullable
from clause.columns import meaning as meaning
from clause.columns import unit as unit
from clause.schemas import DataFrame as DataFrame
from clause.schemas import Schema as Schema
from clause.schemas import schema_from as schema_from
from contracts.errors import CheckExecutionError as CheckExecutionError
from contracts.errors import CoercionError as CoercionError
from contracts.errors import ConstraintError as ConstraintError
from contracts.errors import StructuralError as StructuralError
from contracts.errors import ValidationError as ValidationError
from contracts.errors import ValidationPhase as ValidationPhase

S = TypeVar("S", bound=Schema)
F = TypeVar("F")
P = ParamSpec("P")

class Returning(Protocol[S]):  # type: ignore[misc,unused-ignore]
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
