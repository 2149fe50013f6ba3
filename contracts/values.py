"""What one key of a contract may hold: a reader for each kind of value, which says what to write instead.

A reader takes what stands in the file, or plain Python data, and gives the value, or raises `wrong(message)`.
A message says what stands there, how YAML reads it, what belongs there, and what to write.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, cast, get_args

import pydantic
from pydantic_core import InitErrorDetails, PydanticCustomError

from contracts.errors import printable

Type = Literal["string", "integer", "number", "boolean", "date", "timestamp"]
Value = str | int | float | bool | dt.date | dt.datetime
Place = tuple[str | int, ...]  # the way from the top to one value, as in ("fields", 0, "enum", 2)
T = TypeVar("T")

TYPES = get_args(Type)
ORDERED = ("integer", "number", "date", "timestamp")  # the types that have a smaller and a larger
OTHER_NAMES = {
    **dict.fromkeys(["str", "text", "varchar", "char"], "string"),
    **dict.fromkeys(["int", "bigint", "smallint", "long"], "integer"),
    **dict.fromkeys(["float", "double", "decimal", "numeric", "real"], "number"),
    **dict.fromkeys(["bool"], "boolean"),
    **dict.fromkeys(["datetime", "timestamptz", "time"], "timestamp"),
}
UNITS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1, "w": 604_800}
DURATION = r"[0-9]{1,9}[smhdw]"
VERSION = r"\.".join([r"(0|[1-9][0-9]{0,8})"] * 3)
DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
CLOCK = r"[0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?"
TIMESTAMP = f"{DATE}([T ]{CLOCK}(Z|[+-]{CLOCK})?)?"
NUMBER = r"[-+]?((0|[1-9][0-9]*)|([0-9]+[.][0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?)"
LONGEST_PATTERN = 1_000  # characters; a megabyte of [\pL\pN] takes RE2 gigabytes
LONGEST_ZONE = 64  # characters; the longest that there is has 32
MOST_TIMES = 5_000  # counted repetitions in a pattern; a hundred times a{1,1000} take RE2 ten seconds
MOST_STEPS = 4_000_000  # of RE2's programs, in all patterns of a contract: about a second
STEPS_OF_A_FAILURE = 200_000  # what RE2 has gone through before it says that a pattern is too large
MOST_FAULTS = 200  # of one list, one mapping, one file: more help nobody, and take time


# ---- the words of a message --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Scalar:
    """A word in the file, without quotes, that YAML does not read as text: NO is False, 1.10 is 1.1."""

    text: str
    value: Any


def plain(value: Any) -> Any:
    """The value as YAML reads it."""
    return value.value if isinstance(value, Scalar) else value


def short(text: str) -> str:
    """The text, but never a message that fills the screen."""
    return text if len(text) <= 60 else text[:57] + "..."


def quoted(text: str) -> str:
    """The text as YAML wants it where it must stay text."""
    return "'" + short(text).replace("'", "''") + "'"


def named(value: Any) -> str:
    """What a value is, in words: the boolean false, the text 'A', a list."""
    match value:
        case None:
            return "null"
        case bool():
            return f"the boolean {str(value).lower()}"
        case int():
            return f"the integer {value}" if abs(value) < 10**38 else "a huge integer"
        case float():
            return f"the number {value}"
        case str():
            return f"the text {quoted(value)}"
        case dt.date():
            return f"the {'timestamp' if isinstance(value, dt.datetime) else 'date'} {short(str(value))}"
        case list() | tuple():
            return "a list"
        case dict():
            return "a mapping"
    return f"a {short(type(value).__name__)}"


def found(value: Any) -> str:
    """How a message begins: what stands there, and what YAML makes of it."""
    if not isinstance(value, Scalar):
        return f"here is {named(value)}"
    return f"{short(value.text)} is read as {named(value.value)}" if value.text else "nothing is written here"


def nearest(word: str, words: Sequence[str]) -> str | None:
    """The word that was probably meant."""
    import difflib  # here, because most contracts have no fault

    return next(iter(difflib.get_close_matches(word, words, 1)), None) if len(word) <= 40 else None


def wrong(message: str, kind: str = "fault") -> PydanticCustomError:
    """A fault, to be raised where it is found; the place follows from where that is."""
    return PydanticCustomError(kind, printable(message))  # type: ignore[arg-type,unused-ignore]


def unknown_key(name: Any, keys: Sequence[str]) -> PydanticCustomError:
    """A fault of a kind of its own, as its place is the key's number: the key itself would lead to its value."""
    word = printable(short(name if isinstance(name, str) else getattr(name, "text", named(name))))
    near = nearest(word.lower(), keys)
    hint = f"did you mean {near}?" if near else f"the keys are {', '.join(keys)}"
    return wrong(f"{word} is no key here; {hint}", "unknown_key")


def at(place: Place, fault: PydanticCustomError) -> InitErrorDetails:
    """A fault further down, at that place, to be raised with others."""
    return InitErrorDetails(type=fault, loc=place, input=None)


# ---- one value ---------------------------------------------------------------------------------------------


def text(value: Any) -> str:
    """Text; a word that YAML reads as something else is an error that says how to quote it."""
    if isinstance(value, Scalar):
        if value.value is None:
            raise wrong(f"{found(value)}, but text belongs here; write it, or take the entry out")
        raise wrong(f"{found(value)}; write {quoted(value.text)}, because text belongs here")
    if not isinstance(value, str):
        raise wrong(f"{found(value)}, but text belongs here; write one text, in quotes")
    if any("\ud800" <= c <= "\udfff" for c in value):
        raise wrong(f"{quoted(value)} holds half a character (a lone surrogate); write the whole one")
    return str.__str__(value)  # ruamel and others have subclasses


def words(value: Any) -> str:
    """Text that says something."""
    if not (said := text(value)).strip():
        raise wrong("here is an empty text, but something must be said; write it, or take the entry out")
    return said


def meaning(value: Any) -> str:
    """What a value means, in words, without the line ends that a folded text has."""
    return words(value).strip()


def flag(value: Any) -> bool:
    """true or false; YAML 1.1 has eight more ways to say it, which other readers take for text."""
    answer = plain(value)
    if not isinstance(answer, bool):
        raise wrong(f"{found(value)}, but a boolean belongs here; write true or false")
    if isinstance(value, Scalar) and value.text.lower() not in ("true", "false"):
        raise wrong(f"{found(value)} here, but as text elsewhere; write {str(answer).lower()}")
    return answer


def number(value: Any) -> int | float:
    """A whole or decimal number, written the way everybody reads it."""
    amount = plain(value)
    if isinstance(amount, bool) or not isinstance(amount, int | float):
        raise wrong(f"{found(value)}, but a number belongs here; write one without quotes")
    if isinstance(amount, float) and not math.isfinite(amount):
        raise wrong(f"{found(value)}, but a finite number belongs here; write one, or take the entry out")
    if isinstance(amount, int) and abs(amount) >= 10**38:
        raise wrong(f"{found(value)}, but a number has at most 38 digits; write a smaller one")
    if isinstance(value, Scalar) and not re.fullmatch(NUMBER, value.text):
        raise wrong(f"{found(value)} by some and otherwise by others; write {amount}")
    return int(amount) if isinstance(amount, int) else float(amount)  # numpy and others have subclasses


def integer(value: Any) -> int:
    """A whole number: no fraction (1.0 is not an integer), no octal, no sixty-based 12:30."""
    whole = number(value)
    if isinstance(whole, float):
        raise wrong(f"{found(value)}, but an integer belongs here; write a whole number")
    return whole


def count(value: Any) -> int:
    """A number of rows."""
    if (rows := integer(value)) < 0:
        raise wrong(f"{rows} is below 0, but a number of rows belongs here; write 0 or more")
    return rows


def date(value: Any) -> dt.date:
    """A day, quoted or not."""
    return moment(value, DATE, dt.date.fromisoformat, "a date belongs here; write it as 2026-08-19")


def timestamp(value: Any) -> dt.datetime:
    """A moment, quoted or not; a date is its midnight."""
    says = "a timestamp belongs here; write it as 2026-08-19T12:30:00"
    return moment(value, TIMESTAMP, dt.datetime.fromisoformat, says)


def moment(value: Any, form: str, read: Callable[[str], T], says: str) -> T:
    """What `read` makes of a date or timestamp, of its text or of Python's own."""
    iso = value.text if isinstance(value, Scalar) and isinstance(value.value, dt.date) else value
    iso = iso.isoformat() if isinstance(iso, dt.date) else iso
    try:
        if isinstance(iso, str) and re.fullmatch(form, iso):  # fromisoformat alone takes 20260819 and more
            return read(iso)
    except ValueError:
        pass  # 2026-02-30
    raise wrong(f"{found(value)}, but {says}")


def duration(value: Any) -> dt.timedelta:
    """A time span: a whole number and one unit."""
    if isinstance(value, dt.timedelta) and value.total_seconds() >= 1 and not value.microseconds:
        value = duration_text(value)
    if not isinstance(value, str) or not re.fullmatch(DURATION, value):
        raise wrong(f"{found(value)}, but a duration belongs here; write a whole number with s, m, h, d or w, as 14d")
    if not 1 <= (seconds := int(value[:-1]) * UNITS[value[-1]]) <= 36_525 * UNITS["d"]:
        raise wrong(f"{found(value)}, but a duration is at least 1s and at most 100 years; write one in between")
    return dt.timedelta(seconds=seconds)


def duration_text(span: dt.timedelta) -> str:
    """A duration in its largest unit; days rather than weeks, as contracts speak of 14d."""
    seconds = round(span.total_seconds())
    return next(f"{seconds // UNITS[unit]}{unit}" for unit in "dhms" if seconds % UNITS[unit] == 0)


def zone(value: Any) -> str:
    """The name of a time zone."""
    from zoneinfo import ZoneInfo  # here, because most contracts name no zone

    name = words(value)
    try:
        if len(name) > LONGEST_ZONE:  # 300 folders are too many for the package that has the zones
            raise ValueError
        if name != "UTC":  # known even where the system has no zones
            ZoneInfo(name)
    except (LookupError, ValueError, OSError):
        raise wrong(f"{quoted(name)} is no known time zone; write one such as UTC or Europe/Berlin") from None
    return name


def version(value: Any) -> str:
    """Three numbers."""
    if isinstance(plain(value), float):
        raise wrong(f"{found(value)}, but a version is three numbers; write it as 1.4.0")
    if not re.fullmatch(VERSION, numbers := text(value)):
        raise wrong(f"{found(value)}, but a version is three numbers; write it as 1.4.0, without leading zeros")
    return numbers


def type_name(value: Any) -> str:
    """One of the six types."""
    if (name := text(value)) in TYPES:
        return name
    near = OTHER_NAMES.get(name.lower()) or nearest(name.lower(), TYPES)
    hint = f"did you mean {near}?" if near else "write one of those"
    raise wrong(f"{quoted(name)} is no type; the types are {', '.join(TYPES)}; {hint}")


READ: dict[str, Callable[[Any], Any]] = dict(
    zip(TYPES, (text, integer, number, flag, date, timestamp), strict=True),
)


# ---- a list -------------------------------------------------------------------------------------------------


def every(items: Iterable[Any], read: Callable[[Any], T], twice: Callable[[T], str] | None = None) -> tuple[T, ...]:
    """What `read` makes of each item, none `twice` if that has a message; the faults of all are raised together."""
    made, faults, seen = [], [], set()
    for place, item in enumerate(items):
        try:
            one = read(item)
            if twice and one in seen:
                raise wrong(twice(one))
            seen.add(one)
            made.append(one)
        except PydanticCustomError as fault:
            faults.append(at((place,), fault))
        if len(faults) >= MOST_FAULTS:
            break
    if faults:
        raise pydantic.ValidationError.from_exception_data("items", faults)
    return tuple(made)


def teams(value: Any) -> tuple[str, ...]:
    """The consumers, each named once."""
    if not isinstance(value, list | tuple):
        raise wrong(f"{found(value)}, but a list of teams belongs here; write it as [team-a, team-b]")
    return every(value, words, lambda team: f"{quoted(team)} is named twice; keep one")


def some_fields(value: Any) -> Any:
    """A list of fields with something in it."""
    if not isinstance(value, list | tuple):
        raise wrong(f"{found(value)}, but a list of fields belongs here; begin each with '- name:'")
    if not value:
        raise wrong("there are no fields, so nothing is promised; write at least one: [{name: id, type: string}]")
    return value


# ---- a clause that depends on the ones before it (info.data) -------------------------------------------------


def enum(value: Any, info: pydantic.ValidationInfo) -> tuple[Value, ...]:
    """The allowed values, each of the field's type, none twice, never null."""
    if not isinstance(value, list | tuple | dict):
        raise wrong(f"{found(value)}, but an enum is a list, or a mapping value: meaning; write [A, B]")
    if not value:
        raise wrong("the enum is empty, so no value could ever pass; name the values, or take the enum out")
    # Where the type is wrong already, nobody knows what to read: each value counts as good, and as another.
    read: Callable[[Any], Any] = READ.get(info.data.get("type", ""), lambda _: object())

    def allowed(item: Any) -> Any:
        if plain(item) is None:
            raise wrong("null is no value of an enum; take it out: required and max_null_rate speak of NULL")
        return read(item)

    return every(value, allowed, lambda again: f"{named(again)} is in the enum twice; keep one")


def meanings(value: Any, info: pydantic.ValidationInfo) -> tuple[tuple[Value, str], ...]:
    """The meaning of each value, where the enum is a mapping."""
    pairs = value.items() if isinstance(value, dict) else value
    texts = every((says for _, says in pairs), meaning)
    return tuple(zip(info.data.get("enum") or (), texts, strict=False))


def null_rate(value: Any, info: pydantic.ValidationInfo) -> float:
    """A share of rows, which a required field does not have."""
    rate = float(number(value))
    if not 0 <= rate <= 1:
        raise wrong(f"{rate} is no rate; write a number from 0 to 1 (5 percent is 0.05)")
    if rate > 0 and info.data.get("required"):
        raise wrong(f"required: true allows no NULL, max_null_rate: {rate} allows some; keep one of the two")
    return rate


def bound(value: Any, info: pydantic.ValidationInfo) -> Value:
    """The least or greatest value, which agrees with the other bound and with the enum."""
    type_, name = info.data.get("type"), info.field_name
    if type_ is None:
        return 0  # the type is wrong already, and nobody knows what to read
    if type_ not in ORDERED:
        raise wrong(f"{name} is for {', '.join(ORDERED)}, but this is a {type_} field; use pattern or enum")
    limit = READ[type_](value)
    try:
        if name == "max" and (least := info.data.get("min")) is not None and least > limit:
            raise wrong(f"min {least} is above max {limit}, so no value could ever pass; swap or correct them")
        for item in info.data.get("enum") or ():
            if item < limit if name == "min" else item > limit:
                where = "below min" if name == "min" else "above max"
                raise wrong(f"the enum allows {item}, which is {where} {limit}; correct the one or the other")
    except TypeError:
        raise wrong("some of these timestamps have a zone and some have none; write all with, or all without") from None
    return cast(Value, limit)


@dataclass
class Budget:
    """What the patterns of a contract may cost, and those that are paid for."""

    steps: int = MOST_STEPS
    compiled: set[str] = field(default_factory=set)


def pattern(value: Any, info: pydantic.ValidationInfo) -> str:
    """A regular expression of RE2, the dialect that all engines run in linear time."""
    import re2  # type: ignore[import-untyped,unused-ignore]  # here, because most contracts have no pattern

    expression = text(value)
    if info.data.get("type", "string") != "string":
        raise wrong(f"pattern is for string fields, but this is a {info.data['type']} field; use min, max or enum")
    if (length := len(expression)) > LONGEST_PATTERN:
        raise wrong(f"the pattern has {length:,} characters, but at most {LONGEST_PATTERN:,} belong here; shorten it")
    times = sum(int(most or least) for least, most in re.findall(r"\{([0-9]{1,4})(?:,([0-9]{0,4}))?\}", expression))
    if times > MOST_TIMES:
        says = f"the pattern counts up to {times:,} repetitions, but at most {MOST_TIMES:,} belong here"
        raise wrong(f"{says}; write + or *, or take fewer")
    budget = info.context or Budget()
    if expression in budget.compiled:
        return expression
    if budget.steps <= 0:
        raise wrong("the patterns before this one are too large for another; simplify them")
    options = re2.Options()
    options.log_errors = False
    budget.steps -= times * times // 250  # RE2 takes the longer for each, the more there are
    try:
        budget.steps -= re2.compile(expression, options).programsize
    except re2.error as error:
        budget.steps -= STEPS_OF_A_FAILURE
        why = error.args[0] if error.args else "unknown"
        why = short(why.decode("utf-8", "replace") if isinstance(why, bytes) else str(why))
        raise wrong(f"the pattern {quoted(expression)} does not compile ({why}); correct it (RE2 syntax)") from None
    budget.compiled.add(expression)
    return expression


def option(value: Any, info: pydantic.ValidationInfo) -> str:
    """One of the words that a key of `evolution` allows."""
    choices = ["allowed", "forbidden"] + ["expand_and_contract"] * (info.field_name == "breaking")
    if (word := text(value)) not in choices:
        raise wrong(f"{quoted(word)} is unknown here; write one of {', '.join(choices)}")
    return word
