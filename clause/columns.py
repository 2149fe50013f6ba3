"""What a class says of a column: its type, whether it may be NULL, and the checks on its values.

    item_condition: Annotated[str, Check.isin("A", "B", "C")]
    seller_city: str | None
    price_cents: Annotated[int, Check.ge(0), unit("EUR_cents"), meaning("The seller's asking price.")]

`read_column` makes a `Column` of such an annotation. What a contract can say too (enum, min, max, pattern, unique)
becomes a clause of a contract's field and is judged as such; what only Python can say stays a test of its own.
"""

import types
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from numbers import Number
from typing import Annotated, Any, Literal, Union

import ibis.expr.datatypes as dt

from clause import matching
from contracts import Field

PYTHON = {int: "int64", float: "float64", str: "string", bool: "boolean", date: "date", datetime: "timestamp"}
WRITE = "write int, float, str, bool, date, datetime, Decimal, list[int], an ibis type, Literal, or X | None"
WRITTEN = {"string": str, "integer": int, "number": float, "boolean": bool, "date": date, "timestamp": datetime}
PLAIN = {  # the Python values that a contract can name for each of its types
    "integer": int,
    "number": (int, float),
    "string": str,
    "boolean": bool,
    "date": date,
    "timestamp": datetime,
}


# --- what stands in Annotated[...] ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Nullable:
    """Annotated[int, Nullable] and Annotated[int, Nullable()] say the same as int | None."""

    allow: bool = True


@dataclass(frozen=True)
class unit:
    """The unit of the values, as unit("EUR_cents")."""

    name: str


@dataclass(frozen=True)
class meaning:
    """What a value says about the thing it describes."""

    text: str


Test = Callable[[Any], Any]


class Check:
    """A condition on the values of a column: a function from an ibis column to a boolean expression.

        Check(lambda column: column % 2 == 0, "is even")

    NULL neither passes nor fails. `clause` and `value` are what a contract calls the same thing, where it can say it.
    """

    def __init__(self, test: Test, name: str | None = None, *, error: str | None = None) -> None:
        if not callable(test):
            raise TypeError(f"a Check needs a function from a column to a boolean expression, not {test!r}")
        self.test = test
        self.name = error or name or getattr(test, "__name__", repr(test))
        self.kind: object = self.name if self.name != "<lambda>" else test  # what a child's check takes the place of
        self.clause: str | None = None
        self.value: Any = None
        self.meanings: tuple[tuple[Any, str], ...] = ()

    def __repr__(self) -> str:
        return f"Check({self.name})"

    @classmethod
    def _of(cls, kind: str, name: str, test: Test, clause: str | None = None, value: Any = None) -> "Check":
        check = cls(test, name)
        check.kind, check.clause, check.value = kind, clause, value
        return check

    @classmethod
    def isin(cls, *values: Any) -> "Check":
        """One of these values; a mapping gives each its meaning."""
        allowed, meanings = one_list(values)
        check = cls._of("enum", f"is in {allowed!r}", lambda column: column.isin(allowed), "enum", allowed)
        check.meanings = meanings
        return check

    @classmethod
    def notin(cls, *values: Any) -> "Check":
        """None of these values."""
        refused, _ = one_list(values)
        return cls._of("notin", f"is not in {refused!r}", lambda column: column.notin(refused))

    @classmethod
    def eq(cls, value: Any) -> "Check":
        return cls.isin(value)

    @classmethod
    def ne(cls, value: Any) -> "Check":
        return cls.notin(value)

    @classmethod
    def ge(cls, least: Any) -> "Check":
        return cls._of("min", f"is at least {least!r}", lambda column: column >= least, "min", least)

    @classmethod
    def le(cls, greatest: Any) -> "Check":
        return cls._of("max", f"is at most {greatest!r}", lambda column: column <= greatest, "max", greatest)

    @classmethod
    def gt(cls, bound: Any) -> "Check":
        return cls._of("min", f"is above {bound!r}", lambda column: column > bound)

    @classmethod
    def lt(cls, bound: Any) -> "Check":
        return cls._of("max", f"is below {bound!r}", lambda column: column < bound)

    @classmethod
    def between(cls, least: Any, greatest: Any) -> tuple["Check", "Check"]:
        """From `least` to `greatest`, both included."""
        return cls.ge(least), cls.le(greatest)

    @classmethod
    def pattern(cls, expression: str) -> "Check":
        """A regular expression (RE2) for the whole text."""
        says = f"matches {expression!r}"
        return cls._of("pattern", says, lambda column: matching.matches(column, expression), "pattern", expression)

    @classmethod
    def length(cls, least: int = 0, greatest: int | None = None) -> "Check":
        """The number of characters of a text."""
        name = f"has a length of {least} to {'any' if greatest is None else greatest}"
        if greatest is None:
            return cls._of("length", name, lambda column: column.length() >= least)
        return cls._of("length", name, lambda column: column.length().between(least, greatest))

    @classmethod
    def unique(cls) -> "Check":
        """No value comes twice."""
        return cls._of("unique", "is unique", lambda column: column.notnull(), "unique", True)


def one_list(values: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[tuple[Any, str], ...]]:
    """isin("A", "B"), isin(["A", "B"]) and isin({"A": "as new", "B": "light wear"}): the values, and their meanings."""
    if len(values) == 1 and isinstance(values[0], Mapping):
        return tuple(values[0]), tuple(values[0].items())
    if len(values) == 1 and isinstance(values[0], Iterable) and not isinstance(values[0], str | bytes):
        values = tuple(values[0])
    if any(value is None for value in values):
        raise TypeError("None is no value of a Check: NULL neither passes nor fails; write X | None to allow it")
    if not values:
        raise TypeError("a Check without any value would let everything or nothing pass; name the values")
    return tuple(values), ()


# --- a column ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Column:
    """What a schema says of one column. `exact`: an ibis type, which stands for itself alone."""

    name: str
    dtype: dt.DataType
    exact: bool = False
    nullable: bool = False
    checks: tuple[Check, ...] = ()
    unit: str | None = None
    meaning: str | None = None
    loose: bool = False  # held to a contract, whose integers and numbers are of any width
    rest: tuple[tuple[str, Any], ...] = ()  # clauses of the contract that no annotation says

    @property
    def type(self) -> str | None:
        """The type as a contract calls it; None where a contract has no such type."""
        dtype = self.dtype
        names = {
            "string": dtype.is_string(),
            "boolean": dtype.is_boolean(),
            "integer": dtype.is_integer(),
            "number": dtype.is_floating() or dtype.is_decimal(),
            "date": dtype.is_date(),
            "timestamp": dtype.is_timestamp(),
        }
        return next((name for name, is_so in names.items() if is_so), None)

    def fits(self, actual: dt.DataType) -> bool:
        """Whether a table's column is of this type: the same in ibis, NOT NULL or not.

        datetime is a timestamp of any zone and precision, Decimal a decimal of any size. In a class that is bound to a
        contract, int, float and Decimal are what the contract calls an integer and a number: of any width.
        """
        if same(actual, self.dtype):
            return True
        if self.exact:
            return False
        if self.dtype.is_timestamp():
            return actual.is_timestamp()
        if self.dtype.is_decimal():
            return actual.is_decimal() or (self.loose and actual.is_numeric() and not actual.is_boolean())
        if self.dtype.is_integer():
            return self.loose and actual.is_integer()
        return self.loose and self.dtype.is_floating() and actual.is_numeric() and not actual.is_boolean()

    def target(self, actual: dt.DataType, zone: str) -> dt.DataType:
        """What values of another type are cast to. `zone`: where times that name none were written."""
        if self.dtype.is_decimal() and self.dtype.precision is None:
            return dt.Decimal(38, 9)
        if self.dtype.is_timestamp() and not self.exact and actual.is_string() and zone == "UTC":
            return dt.Timestamp("UTC")  # so that text may name a zone
        return self.dtype

    def split(self) -> tuple[dict[str, Any], list[Check]]:
        """What a contract can say, as clauses, and the checks that only Python can say."""
        clauses: dict[str, Any] = {}
        tests = []
        for check in self.checks:
            key, value, held = check.clause, check.value, clauses.get(check.clause or "")
            if key is None or not self.can_say(check):
                tests.append(check)
            elif held is None:
                clauses[key] = value
                if check.meanings:
                    clauses["meanings"] = check.meanings
            elif key in ("min", "max") and comparable(held, value):
                clauses[key] = max(held, value) if key == "min" else min(held, value)
            elif held != value and not (key == "enum" and set(held) == set(value)):
                tests.append(check)
        return clauses, tests

    def can_say(self, check: Check) -> bool:
        """Whether a field of a contract can say that check."""
        if check.clause == "unique":
            return True
        if self.type is None or (check.clause == "pattern" and self.type != "string"):
            return False
        if check.clause in ("min", "max") and self.type in ("string", "boolean"):
            return False
        values = check.value if check.clause == "enum" else (check.value,)
        return all(
            isinstance(value, PLAIN[self.type])  # type: ignore[arg-type]
            and isinstance(value, bool) == (self.type == "boolean")
            and isinstance(value, datetime) == (self.type == "timestamp")
            for value in values
        ) and len(set(values)) == len(values)

    def field(self) -> dict[str, Any]:
        """The column as a field of a contract; a type that a contract does not know counts as text."""
        clauses, _ = self.split()
        says = {"name": self.name, "type": self.type or "string", "required": not self.nullable} | clauses
        says |= {"unit": self.unit, "meaning": self.meaning} | dict(self.rest)
        return {key: value for key, value in says.items() if value is not None}


def same(one: dt.DataType, other: dt.DataType) -> bool:
    """The same type, whether NULL is allowed or not."""
    return one == other or str(one).replace("!", "") == str(other).replace("!", "")


def comparable(one: Any, other: Any) -> bool:
    try:
        return isinstance(one < other, bool)
    except TypeError:  # of two timestamps one names a zone
        return False


# --- reading an annotation --------------------------------------------------------------------------------------------


def read_column(name: str, annotation: Any) -> Column:
    """The column that an annotation describes; TypeError where it describes none."""
    nullable = False
    metadata: list[Any] = []
    while True:
        origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
        if origin is Annotated:
            annotation, metadata = arguments[0], [*arguments[1:], *metadata]
        elif origin in (Union, types.UnionType) and type(None) in arguments and len(arguments) == 2:
            nullable = True
            annotation = next(argument for argument in arguments if argument is not type(None))
        elif hasattr(annotation, "__value__") and type(annotation).__name__ == "TypeAliasType":
            annotation = annotation.__value__
        else:
            break
    checks: list[Check] = []
    if origin is Literal:
        values = tuple(value for value in arguments if value is not None)
        nullable |= None in arguments
        kinds = {type(value) for value in values}
        if len(kinds) != 1 or not kinds <= {str, int, bool}:
            raise TypeError(f"{name}: the values of {annotation} are not of one type of str, int or bool")
        annotation, checks = kinds.pop(), [Check.isin(values)]
    elif isinstance(annotation, type) and issubclass(annotation, Enum):
        values = tuple(item.value for item in annotation)
        annotation, checks = type(values[0]) if values else object, [Check.isin(values)]
    column = Column(name, *type_of(name, annotation))
    for item in flat(metadata):
        if item is Nullable or isinstance(item, Nullable):
            nullable = item is Nullable or item.allow
        elif isinstance(item, Check):
            checks.append(item)
        elif item == Check.unique:
            checks.append(Check.unique())
        elif isinstance(item, unit):
            column = replace(column, unit=item.name)
        elif isinstance(item, meaning):
            column = replace(column, meaning=item.text)
        elif callable(item) and getattr(item, "__self__", None) is Check:
            raise TypeError(f"{name}: Check.{item.__name__} needs its values in parentheses")
    for check in checks:
        if check.clause == "pattern" and column.type != "string":
            raise TypeError(f"{name}: a pattern is for str columns, but this is {column.dtype}")
    return replace(column, nullable=nullable, checks=tuple(checks))


def flat(items: Iterable[Any]) -> Iterable[Any]:
    """The items, with those of Check.between, which are two, in its place."""
    for item in items:
        yield from item if isinstance(item, tuple) else (item,)


def type_of(name: str, annotation: Any) -> tuple[dt.DataType, bool]:
    """The ibis type of an annotation, and whether it is meant exactly."""
    if isinstance(annotation, dt.DataType):
        return annotation.copy(nullable=True), True
    try:
        if annotation in PYTHON:
            return dt.dtype(PYTHON[annotation]), False
        if annotation is Decimal:
            return dt.Decimal(), False
        if annotation in (Any, object, list, dict, tuple, set) or not annotation:
            raise TypeError
        if isinstance(annotation, type) and issubclass(annotation, str | Number):  # of numpy and others
            raise TypeError
        return dt.dtype(annotation), True
    except Exception:
        raise TypeError(f"{name}: {annotation!r} is no type of a column; {WRITE}") from None


def refine(parent: Column, child: Column) -> Column:
    """A column that a child declares again: its own type and NULL, and the parent's checks that it does not replace."""
    own = {check.kind for check in child.checks}
    kept = tuple(check for check in parent.checks if check.kind not in own)
    rest = tuple((key, value) for key, value in parent.rest if key != "max_null_rate" or child.nullable)
    unit, meaning = child.unit or parent.unit, child.meaning or parent.meaning
    return replace(child, checks=kept + child.checks, unit=unit, meaning=meaning, rest=rest, loose=parent.loose)


# --- a column and a field of a contract -------------------------------------------------------------------------------


def checks_of(field: Field) -> tuple[Check, ...]:
    """The clauses of a field about its values, as checks."""
    enum = () if field.enum is None else (Check.isin(dict(field.meanings) if field.meanings else field.enum),)
    least = () if field.min is None else (Check.ge(field.min),)
    greatest = () if field.max is None else (Check.le(field.max),)
    pattern = () if field.pattern is None else (Check.pattern(field.pattern),)
    return (*enum, *least, *greatest, *pattern, *((Check.unique(),) if field.unique else ()))


def bound(column: Column, field: Field) -> Column:
    """The column with all that the contract says of it."""
    rest = tuple((key, value) for key, value in field if key in ("max_null_rate", "deprecated") and value is not None)
    return replace(
        column,
        checks=checks_of(field) + column.checks,
        unit=field.unit,
        meaning=field.meaning,
        loose=True,
        rest=rest,
    )


def column_of(field: Field) -> Column:
    """The column that a field of a contract describes."""
    return bound(Column(field.name, *type_of(field.name, WRITTEN[field.type]), nullable=not field.required), field)


def disagreements(column: Column, field: Field) -> Iterable[tuple[str, str]]:
    """Where class and contract say different things of a column: the clause, and a sentence."""
    if column.type != field.type:
        yield "type", f"the class says {column.dtype}, the contract {field.type}"
    if column.nullable == field.required:
        python = WRITTEN[field.type].__name__
        if column.nullable:
            says = f"the class says it may be NULL, the contract required: true; write {python}, without | None, or"
            yield "required", f"{says} take required out of the contract"
        else:
            says = f"the class says never NULL, the contract required: false; write {python} | None, or"
            yield "required", f"{says} required: true in the contract"
    enums = [check.value for check in column.checks if check.clause == "enum"]
    for enum in enums:
        if field.enum is None or set(enum) != set(field.enum):
            promised = list(field.enum) if field.enum is not None else "no enum"
            yield "enum", f"the class allows {list(enum)}, the contract {promised}"
    if column.unit is not None and column.unit != field.unit:
        yield "unit", f"the class says {column.unit}, the contract {field.unit or 'no unit'}"
