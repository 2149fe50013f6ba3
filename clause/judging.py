"""The verdict on what was counted: one finding for each clause, in the contract's order, each in one sentence.

Both readings count (`reading.read_rows`, `tables.read_table`); here the counts are held against the promises.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from numbers import Integral, Real
from typing import Any
from zoneinfo import ZoneInfo

from clause.reading import Offenders, Reading, Rule, Tally, as_text, instant, is_boolean, is_duration, zone_of
from contracts import Contract, Field
from contracts.errors import brief, printable

LONGEST = 60  # characters of an offending value that a message shows
LISTED = 12  # allowed values that a message lists


@dataclass(frozen=True)
class Violation:
    """A clause that this data breaks.

    rule: missing, type, required, null_rate, enum, range, pattern, unique, volume, freshness or additive.
    field: the column, None where the clause is about the whole table. failing: rows that break it, of those checked.
    values: offending values with their exact row counts, most frequent first, at most 10, each shortened;
    distinct_values: how many different ones there are in all. consumers: the teams affected.
    """

    rule: Rule
    field: str | None
    failing: int
    checked: int
    message: str
    consumers: tuple[str, ...] = ()
    values: tuple[tuple[Any, int], ...] = ()
    distinct_values: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The violation as JSON has it."""
        return asdict(self) | {
            "consumers": list(self.consumers),
            "values": [{"value": value, "rows": rows} for value, rows in self.values],
        }


@dataclass(frozen=True)
class NotChecked:
    """A clause that could not be checked, and why: neither kept nor broken."""

    rule: Rule
    field: str | None
    reason: str


KEPT = object()


def demand_times(**times: object) -> None:
    """TypeError for what is neither None nor a datetime."""
    for name, time in times.items():
        if time is not None and not (isinstance(time, datetime) and time == time):  # pandas' NaT equals nothing
            raise TypeError(
                f"{name} is {printable(repr(time))}, no datetime: give datetime.now(UTC) or"
                ' datetime.fromisoformat("2026-08-19T15:00:00+02:00")'
            )


def judge(
    reading: Reading, contract: Contract, as_of: datetime | None, loaded_at: datetime | None
) -> Iterator[Violation | NotChecked | object]:
    """One finding per clause, in the contract's order: a Violation, a NotChecked, or KEPT."""
    yield from judge_volume(reading, contract)
    yield from judge_freshness(reading, contract, as_of, loaded_at)
    for field in contract.fields:
        tally = reading.tallies.get(field.name)
        if tally is None:
            yield from judge_missing(reading, contract, field)
        else:
            yield from judge_field(reading, contract, field, tally)
    if contract.evolution.additive == "forbidden" and reading.columns:
        named = {field.name for field in contract.fields}
        additive = [name for name in reading.columns if name not in named]
        for name in additive:
            says = f"column {name!r} is not in the contract, which forbids additive columns"
            yield broken(contract, "additive", name, says, reading.rows, reading.rows)
        if not additive:
            yield KEPT


def judge_volume(reading: Reading, contract: Contract) -> Iterator[Violation | object]:
    volume = contract.volume
    if volume is None or (volume.min_rows is None and volume.max_rows is None):
        return
    low, high = volume.min_rows, volume.max_rows
    if (low is not None and reading.rows < low) or (high is not None and reading.rows > high):
        says = f"the table has {reading.rows:,} rows, expected {between(low, high)}"
        yield broken(contract, "volume", None, says, reading.rows, reading.rows)
    else:
        yield KEPT


def judge_freshness(
    reading: Reading, contract: Contract, as_of: datetime | None, loaded_at: datetime | None
) -> Iterator[Violation | NotChecked | object]:
    freshness = contract.freshness
    if freshness is None:
        return
    zone = zone_of(contract)
    newest: date | None = reading.newest if freshness.field else loaded_at
    if as_of is None:
        yield NotChecked("freshness", freshness.field, "no as_of was given, so nothing can be called old")
    elif freshness.field is None and newest is None:
        yield NotChecked("freshness", None, "the clause names no field and no loaded_at was given")
    elif newest is None:
        yield NotChecked("freshness", freshness.field, brief(f"{freshness.field} holds no time to judge by"))
    elif reading.naive and freshness.field and freshness.timezone is None:
        yield NotChecked(
            "freshness", freshness.field, "some of its times name no zone; add freshness.timezone to the contract"
        )
    else:
        age = instant(as_of, zone) - instant(newest, zone)
        what = f"the newest {freshness.field} is" if freshness.field else "the table was loaded at"
        at = on_the_wall(newest, zone)
        if age < timedelta(0):
            says = f"{what} {at}, {lasting(-age)} in the future of {on_the_wall(as_of, zone)}"
        elif age > freshness.max_lag:
            says = f"{what} {at}, {lasting(age)} old, expected at most {lasting(freshness.max_lag)}"
        else:
            yield KEPT
            return
        yield broken(contract, "freshness", freshness.field, says, reading.rows, reading.rows)


def on_the_wall(value: date, zone: str) -> str:
    """A time as the clocks of the contract's zone show it."""
    moment = instant(value, zone)
    with suppress(OverflowError, ValueError):  # within a day of the years 1 and 9999 it stays in UTC
        moment = moment.astimezone(ZoneInfo(zone))
    return moment.isoformat(sep=" ", timespec="seconds")


def judge_missing(reading: Reading, contract: Contract, field: Field) -> Iterator[Violation | NotChecked]:
    if not reading.columns and not reading.rows:
        yield NotChecked("missing", field.name, "there are no rows, and so no columns to be seen")
        reason = "there are no rows"
    else:
        near = [name for name in reading.columns if name.strip().casefold() == field.name.strip().casefold()]
        hint = f"; the table has {near[0]!r}, which differs only in case or blanks" if near else ""
        says = f"the column is missing{unseparated(reading.columns) or hint}"
        yield broken(contract, "missing", field.name, says, reading.rows, reading.rows)
        reason = "the column is missing"
    for rule in value_clauses(field):
        yield NotChecked(rule, field.name, reason)


def unseparated(columns: Sequence[str]) -> str:
    """What to ask where the only column has a separator in its name; nothing where there are others, or it has none."""
    if len(columns) != 1 or not any(separator in columns[0] for separator in ";\t|"):
        return ""
    return f"; the only column is {shorten(columns[0])!r}, so are the cells separated by commas?"


def value_clauses(field: Field) -> list[Rule]:
    """The clauses about a field's values, as the contract has them."""
    present = {
        "type": True,
        "required": field.required,
        "null_rate": field.max_null_rate is not None,
        "enum": field.enum is not None,
        "range": field.min is not None or field.max is not None,
        "pattern": field.pattern is not None,
        "unique": field.unique,
    }
    return [rule for rule, is_there in present.items() if is_there]


def judge_field(
    reading: Reading, contract: Contract, field: Field, tally: Tally
) -> Iterator[Violation | NotChecked | object]:
    """The clauses of a field whose column is there."""
    yield KEPT  # "missing"
    missing = reading.rows - tally.present
    for rule in value_clauses(field):
        found = tally.broken.get(rule)
        if reason := reading.unchecked.get((field.name, rule)):
            yield NotChecked(rule, field.name, reason)
        elif found:
            checked = tally.present if rule == "type" else tally.typed
            yield broken(contract, rule, field.name, sentence(field, rule), found.failing, checked, found)
        elif reading.rows == 0:
            if rule == "type" and field.name in reading.mistyped:
                says = f"the column is not of type {field.type}, though it has no rows yet"
                yield broken(contract, rule, field.name, says, 0, 0)
            else:
                yield NotChecked(rule, field.name, "there are no rows")
        elif rule == "required":
            says = "are NULL or missing, but the field is required"
            yield broken(contract, rule, field.name, says, missing, reading.rows) if missing else KEPT
        elif rule == "null_rate":
            rate = missing / reading.rows
            says = f"are NULL or missing, a rate of {rate:.2%}, expected at most {field.max_null_rate:.2%}"
            over = missing > (field.max_null_rate or 0) * reading.rows
            yield broken(contract, rule, field.name, says, missing, reading.rows) if over else KEPT
        elif tally.present == 0:
            yield NotChecked(rule, field.name, "every value is NULL or missing")
        elif tally.typed == 0:
            yield NotChecked(rule, field.name, f"no value is of type {field.type}")
        else:
            yield KEPT


# --- one sentence ----------------------------------------------------------------------------------------------------


def broken(
    contract: Contract,
    rule: Rule,
    name: str | None,
    says: str,
    failing: int,
    checked: int,
    found: Offenders | None = None,
) -> Violation:
    """A violation, whose message names the column, the rows, the values and the teams in one sentence."""
    values = tuple((shown(value, rule), rows) for value, rows in found.values) if found else ()
    parts = [name or contract.dataset, ": "]
    if rule not in ("missing", "volume", "freshness", "additive") and checked:
        parts.append(f"{failing:,} of {checked:,} rows ")
    parts.append(says)
    if found:
        listed = ", ".join(
            f"{quoted(value)} ({rows:,} rows)" if rows != 1 else f"{quoted(value)} (1 row)" for value, rows in values
        )
        more = found.distinct - len(values)
        parts.append(f": {listed}" + (f" and {more:,} other values" if more > 0 else ""))
    teams = ", ".join(contract.consumers)
    parts.append(f"; affects {teams}" if teams else "; the contract names no consumers")
    message, distinct = brief("".join(parts)), found.distinct if found else 0
    return Violation(rule, name, failing, checked, message, contract.consumers, values, distinct)


def without_values(found: Violation, contract: Contract) -> Violation:
    """The violation without the values themselves, which not everybody may read; how many there are stays."""
    field = contract.field(found.field or "")
    if field is None or not found.values:
        return found
    bare = broken(contract, found.rule, field.name, sentence(field, found.rule), found.failing, found.checked)
    return replace(bare, distinct_values=found.distinct_values)


def sentence(field: Field, rule: Rule) -> str:
    """What the offending rows do, in the middle of the sentence."""
    if rule == "type":
        return f"are not of type {field.type}"
    if rule == "enum":
        values = [shown(value, rule) for value in field.enum or ()]
        all_plain = all(is_plain(value) for value in values if isinstance(value, str))
        allowed = [quoted(value, all_plain) for value in values]  # all of one list in one way
        rest = f", … {len(allowed) - LISTED} more" if len(allowed) > LISTED else ""
        return f"are outside the allowed [{', '.join(allowed[:LISTED])}{rest}]"
    if rule == "range":
        outside = "not" if field.min is None or field.max is None else "outside"
        return f"are {outside} {between(shown(field.min, rule), shown(field.max, rule), field.unit)}"
    if rule == "pattern":
        return f"do not match the pattern {shorten(field.pattern or '')}"
    return "share their value with another row, but the field is unique"


def between(low: Any, high: Any, unit: str | None = None) -> str:
    """A range in words, of which one end may be open."""

    def number(bound: Any) -> str:
        return f"{bound:,}" if isinstance(bound, int | float) else str(bound)

    of = f" {printable(unit)}" if unit else ""
    if low is None or high is None:
        return f"at least {number(low)}{of}" if high is None else f"at most {number(high)}{of}"
    return f"{number(low)} to {number(high)}{of}"


def lasting(span: timedelta) -> str:
    """A duration as people say it, in its two largest units; a part of a second counts as one."""
    seconds = math.ceil(span.total_seconds())
    parts = [
        (seconds // 86400, "d"),
        (seconds % 86400 // 3600, "h"),
        (seconds % 3600 // 60, "min"),
        (seconds % 60, "s"),
    ]
    return " ".join([f"{count} {unit}" for count, unit in parts if count][:2])


def shown(value: Any, rule: Rule) -> Any:
    """A value that JSON can hold and a person can read: short, on one line, instants in UTC."""
    if value is None or is_boolean(value):
        return value if value is None else bool(value)
    if isinstance(value, Real) and not is_duration(value):  # numpy's numbers too
        try:
            value = int(value) if isinstance(value, Integral) else float(value)
        except OverflowError:  # a Fraction beyond every float
            return "a huge number"
    if isinstance(value, Decimal):
        if value.is_finite() and value.adjusted() >= 40:  # digits without number
            return shorten(str(value))
        value = int(value) if value.is_finite() and value == value.to_integral_value() else float(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            return str(value)
        value += 0.0  # -0.0 is 0.0
        return int(value) if value == int(value) and abs(value) < 2**53 and rule != "type" else value
    if isinstance(value, int):
        return value if abs(value) < 10**40 else shorten(str(value)) if abs(value) < 10**4000 else "a huge integer"
    if isinstance(value, datetime):
        return (value if value.tzinfo is None else instant(value, "UTC")).isoformat()
    if isinstance(value, date):
        return value.isoformat()
    return shorten(value if isinstance(value, str) else as_text(value))


def shorten(text: str) -> str:
    """The text on one line, of at most 60 characters."""
    text = printable(text[: 2 * LONGEST])
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def is_plain(text: str) -> bool:
    """Whether the text needs no quotes: it passes for no other value, and its end is plain to see."""
    is_word = text[:1].isalpha() and text.replace("_", "").replace("-", "").isalnum()
    return is_word and text.lower() not in ("true", "false", "null", "none")


def quoted(value: Any, may_be_plain: bool = True) -> str:
    """A value inside a sentence; text in quotes where it is not plain."""
    if isinstance(value, str):
        return value if may_be_plain and is_plain(value) else repr(value).replace("\\\\", "\\")  # `shown` escaped it
    return str(value).lower() if isinstance(value, bool) else str(value)
