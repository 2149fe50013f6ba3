"""The first reading: rows as mappings, checked in plain Python.

`read_rows` counts, field by field and clause by clause, how many rows break what the contract promises. The second
reading, `tables.read_table`, asks a database the same questions; a property test holds the two to the same answers.

What counts as what:
- Missing is None, NaN, NaT or a key that the row lacks. It is `required`'s and `max_null_rate`'s business alone;
  '' is a string, and so is 'None'.
- True is not an integer, '1' is not 1, 1.0 is not an integer, a datetime is not a date.
- enum, range, pattern and unique speak of the values that are there and of the right type.
- A `number` is compared as a 64-bit float, an `integer` exactly; a naive timestamp is read in the contract's time zone.
"""

import dataclasses
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache
from numbers import Integral, Real
from typing import Any
from zoneinfo import ZoneInfo

from contracts.document import Contract, Field
from contracts.errors import DataError, printable

Row = Mapping[str, Any]
Rule = str
SHOWN = 10  # offending values that a violation names, at most

IS_TYPE: dict[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, Integral) and not is_boolean(value) and not is_duration(value),
    "number": lambda value: isinstance(value, Real | Decimal) and not is_boolean(value) and not is_duration(value),
    "boolean": lambda value: is_boolean(value),
    "date": lambda value: isinstance(value, date) and not isinstance(value, datetime),
    "timestamp": lambda value: isinstance(value, datetime),
}


@dataclass(frozen=True)
class Offenders:
    """The rows that break one clause: how many, how many different values, and the most frequent with their counts."""

    failing: int
    distinct: int
    values: tuple[tuple[Any, int], ...]


@dataclass
class Tally:
    """What one field's column holds: values that are there, values of the right type, and who breaks which clause."""

    present: int
    typed: int
    broken: dict[Rule, Offenders] = dataclasses.field(default_factory=dict)


@dataclass
class Reading:
    """All that is counted of a table. `newest` is the latest value of the freshness field, `naive` if without zone."""

    rows: int
    columns: tuple[str, ...]
    tallies: dict[str, Tally] = dataclasses.field(default_factory=dict)
    newest: date | None = None
    naive: bool = False
    unchecked: dict[tuple[str, Rule], str] = dataclasses.field(default_factory=dict)  # (field, rule): why
    mistyped: frozenset[str] = frozenset()  # columns whose stored type is wrong whatever they hold; a row has no such


def mappings(rows: Iterable[Any]) -> list[Row]:
    """The rows as a list, after making sure that each is a mapping."""
    rows = list(rows)
    for i, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            raise TypeError(f"row {i} is {described(row)}: each row must be a mapping of column name to value")
    return rows


def keys_of(rows: Iterable[Row]) -> dict[str, Any]:
    """The columns of the rows, by name: the keys as text, as in a frame. DataError where two are of one name."""
    keys = dict.fromkeys(key for row in rows for key in row)
    names: dict[str, Any] = {}
    for key in keys:
        if (name := str(key)) in names:
            says = f"the rows have two columns of the name {name!r}"
            raise DataError(f"{says}: a contract speaks of one; rename the other")
        names[name] = key
    return names


def read_rows(rows: list[Row], contract: Contract) -> Reading:
    """Count what the contract asks about rows."""
    keys = keys_of(rows)
    reading = Reading(len(rows), tuple(keys))
    for field in contract.fields:
        if field.name in keys:
            values = [row.get(keys[field.name]) for row in rows]
            reading.tallies[field.name] = tally(field, values, zone_of(contract))
    aged = contract.field(contract.freshness.field or "") if contract.freshness else None
    if aged and aged.name in keys:
        is_time = IS_TYPE[aged.type]
        times: list[Any] = [v for v in (row.get(keys[aged.name]) for row in rows) if not is_missing(v) and is_time(v)]
        reading.naive = any(isinstance(time, datetime) and time.tzinfo is None for time in times)
        reading.newest = max(times, key=lambda time: instant(time, zone_of(contract)), default=None)
    return reading


def tally(field: Field, values: list[Any], zone: str) -> Tally:
    """Count who breaks which clause of one field."""
    present = [value for value in values if not is_missing(value)]
    typed = [value for value in present if IS_TYPE[field.type](value)]
    counted = Tally(len(present), len(typed))
    breaks = {"type": [(kind(value), value) for value in present if not IS_TYPE[field.type](value)]}
    for rule, fails in tests(field, zone).items():
        breaks[rule] = [value for value in typed if fails(value)]
    if field.unique:
        repeated = repeats(typed)
        breaks["unique"] = [value for value in typed if value in repeated]
    counted.broken = {rule: offenders(rule, offending) for rule, offending in breaks.items() if offending}
    return counted


def tests(field: Field, zone: str) -> dict[Rule, Callable[[Any], bool]]:
    """For each value clause of a field, whether a value of the right type fails it."""
    fails: dict[Rule, Callable[[Any], bool]] = {}

    def compared(value: Any) -> Any:
        return as_float(value) if field.type == "number" else comparable(value, zone)

    if field.enum is not None:
        allowed = {compared(value) for value in field.enum}
        fails["enum"] = lambda value: compared(value) not in allowed
    if field.min is not None or field.max is not None:
        low, high = (None if bound is None else compared(bound) for bound in (field.min, field.max))
        fails["range"] = lambda value: (
            (low is not None and compared(value) < low) or (high is not None and compared(value) > high)
        )
    if field.pattern is not None:
        pattern = field.pattern
        fails["pattern"] = lambda value: not matches(pattern, value)
    return fails


def repeats(values: Iterable[Any]) -> set[Any]:
    """The values that stand in more than one row."""
    return {value for value, rows in Counter(values).items() if rows > 1}


def offenders(rule: Rule, offending: list[Any]) -> Offenders:
    """Count the offending values, most frequent first; ties in the order of the values."""
    counts: Counter[Any] = Counter()
    shown = {}
    for value in offending:
        key = (value[0], identity(value[1])) if rule == "type" else ("", value)
        counts[key] += 1
        shown[key] = value[1] if rule == "type" else value
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0][0], *sortable(item[0][1])))[:SHOWN]
    return Offenders(len(offending), len(counts), tuple((shown[key], rows) for key, rows in ranked))


# --- what a value is -----------------------------------------------------------------------------------------------


def is_missing(value: Any) -> bool:
    """Whether the value is None, NaN, NaT or pandas' NA."""
    if value is None or type(value).__name__ in ("NaTType", "NAType"):
        return True
    if isinstance(value, Decimal):
        return value.is_nan()
    return isinstance(value, Real) and bool(value != value)


def package_of(value: object) -> str:
    """The library of whose tables this is one, or of a class made of it: pandas, polars, pyarrow, ibis or duckdb."""
    modules = (kind.__module__.partition(".")[0].removeprefix("_") for kind in type(value).__mro__)
    return next((name for name in modules if name in ("pandas", "polars", "pyarrow", "ibis", "duckdb")), "")


def described(value: object) -> str:
    """What a value is, in words: "a str", "a pandas DataFrame", which is no DataFrame of ours."""
    words = printable(f"{package_of(value)} {type(value).__name__}".strip())
    return f"{'an' if words[:1] in 'AEIOUaeiou' else 'a'} {words}"


def is_boolean(value: Any) -> bool:
    """Whether the value is Python's or numpy's boolean."""
    return isinstance(value, bool) or type(value).__name__ in ("bool_", "bool")


def is_duration(value: Any) -> bool:
    """numpy calls its durations integers."""
    return type(value).__name__ == "timedelta64"


def kind(value: Any) -> str:
    """The name of a value's type; numpy's boolean is one with Python's."""
    return "boolean" if is_boolean(value) else type(value).__name__


def identity(value: Any) -> Any:
    """What tells two values of one Python type apart, sortable within that type."""
    if is_boolean(value):  # numpy's is no bool
        return bool(value)
    return value if isinstance(value, str | int | float | Decimal | date) else as_text(value)


def as_text(value: Any) -> str:
    """What Python writes for the value, where it can."""
    try:
        return repr(value)
    except Exception:
        return f"<{type(value).__name__}>"


def sortable(value: Any) -> tuple[bool, Any]:
    """The value in an order that naive and aware timestamps share, and other values of types of one name."""
    return isinstance(value, str), instant(value, "UTC") if isinstance(value, datetime) else value


def comparable(value: Any, zone: str) -> Any:
    """The value as clauses compare it."""
    return instant(value, zone) if isinstance(value, datetime) else value


def as_float(value: Any) -> float:
    """A number as clauses compare it: of 64 bits, whatever it was, so that rows and tables agree."""
    try:
        return float(value)
    except OverflowError:  # no table holds 10**400
        return math.inf if value > 0 else -math.inf


def instant(value: date, zone: str) -> datetime:
    """The moment in UTC; a naive time is read in `zone`, a date is its midnight there."""
    if not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    try:
        return (value.replace(tzinfo=ZoneInfo(zone)) if value.tzinfo is None else value).astimezone(UTC)
    except (OverflowError, ValueError):  # within a day of the years 1 and 9999; of pandas' first and last nanosecond
        return value.replace(tzinfo=UTC)


def zone_of(contract: Contract) -> str:
    """Where the contract's naive timestamps were written."""
    return (contract.freshness and contract.freshness.timezone) or "UTC"


@cache
def compiled(pattern: str) -> Any:
    """The pattern over a whole value. RE2 takes linear time whatever the pattern, and is what DuckDB uses itself."""
    import re2  # here, because most contracts have no pattern

    return re2.compile(pattern)


def matches(pattern: str, value: str) -> bool:
    """Whether the whole value matches."""
    try:
        return compiled(pattern).fullmatch(value) is not None
    except UnicodeEncodeError:  # half of a surrogate pair: no text in any file, so no match
        return False
