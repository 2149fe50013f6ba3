"""Which values a field allows, and whether one field lets in what a clause of another keeps out."""

from __future__ import annotations

import datetime as dt
from typing import Any

from contracts.document import Field
from contracts.patterns import covers, literal

FAMILY = {"integer": "number", "date": "timestamp"}  # whose values compare with whose
MOST_VALUES = 1_000


def family(field: Field) -> str:
    """The type with whose values those of the field compare: number or timestamp for two types each."""
    return FAMILY.get(field.type, field.type)


def comparable(value: Any) -> Any:
    """The value as one of its family: a date is its midnight."""
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        return dt.datetime.combine(value, dt.time())
    return value


def enum(field: Field) -> dict[Any, Any]:
    """The enum's values by what tells them apart: 1 and true are two, 1 and 1.0 are one."""
    return {(family(field), comparable(value)): value for value in field.enum or ()}


def keeps(field: Field, clause: str, value: Any) -> bool:
    """Whether the value keeps that clause of the field."""
    limit = getattr(field, clause)
    if limit is None:
        return True
    if clause == "enum":
        return (family(field), comparable(value)) in enum(field)
    if clause == "pattern":
        import re2  # type: ignore[import-untyped,unused-ignore]  # here, because most contracts have no pattern

        return re2.fullmatch(limit, value) is not None
    least, most = (limit, value) if clause == "min" else (value, limit)
    return bool(comparable(least) <= comparable(most))


def finite(field: Field) -> list[Any] | None:
    """All values that the field allows, if they are few."""
    values: list[Any]
    low, high = field.min, field.max
    if field.enum is not None:
        values = list(field.enum)
    elif field.type == "boolean":
        values = [False, True]
    elif low is None or high is None:
        return None
    elif low == high:
        values = [low]
    elif field.type == "integer" and isinstance(low, int) and isinstance(high, int) and high - low <= MOST_VALUES:
        values = [*range(low, high + 1)]
    elif field.type == "date" and isinstance(low, dt.date) and isinstance(high, dt.date):
        if (days := (high - low).days) > MOST_VALUES:
            return None
        values = [low + dt.timedelta(days=day) for day in range(days + 1)]
    else:
        return None
    return [value for value in values if all(keeps(field, name, value) for name in ("enum", "min", "max", "pattern"))]


def lets_in(wide: Field, clause: str, narrow: Field) -> bool | None:
    """Whether `wide` allows a value that this clause of `narrow` keeps out; None: nobody can tell."""
    if getattr(narrow, clause) is None:
        return False
    try:
        if (values := finite(wide)) is not None:
            return not all(keeps(narrow, clause, value) for value in values)
        if clause == "min":
            return wide.min is None or not keeps(narrow, "min", wide.min)
        if clause == "max":
            return wide.max is None or not keeps(narrow, "max", wide.max)
    except TypeError:  # a timestamp with a zone and one without
        return None
    if clause == "enum" and narrow.type != "string":
        return True
    inside = covers(narrow.pattern if clause == "pattern" else literal(map(str, narrow.enum or ())), wide.pattern)
    return None if inside is None else not inside


def null_rate(field: Field) -> float:
    """The largest share of NULL that the field allows."""
    return 0.0 if field.required else 1.0 if field.max_null_rate is None else field.max_null_rate
