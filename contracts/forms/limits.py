"""What other forms say of one value, as a contract's clauses: bounds, lengths, patterns, domains, time spans."""

from __future__ import annotations

import datetime as dt
import math
import re
from typing import Any

from contracts.errors import printable
from contracts.forms import regex
from contracts.forms.drafting import Draft
from contracts.forms.taking import Taken, is_null, to_type
from contracts.values import UNITS, Scalar, duration_text, plain, short

Made = dict[str, Any]  # a field in the making
MOST_LENGTH = 1000  # what RE2 repeats


def bounds(draft: Draft, part: Taken, made: Made) -> None:
    """minimum, maximum, and their exclusive kin: a number of their own, or (long ago) a flag beside them."""
    for key, exclusive, ours, step in (
        ("minimum", "exclusiveMinimum", "min", 1),
        ("maximum", "exclusiveMaximum", "max", -1),
    ):
        limit, outside = part.raw(key), part.raw(exclusive)
        if isinstance(plain(outside), bool):
            limit, outside = (None, limit) if plain(outside) else (limit, None)
        if limit is not None and outside is not None:
            draft.leave(f"{made['name']}: {exclusive} {shown(outside)} beside {key}, which is the one that is taken")
        elif outside is not None:
            exclude(draft, made, ours, to_type(outside, made["type"]), step)
        if limit is not None:
            made[ours] = to_type(limit, made["type"])


def exclude(draft: Draft, made: Made, key: str, value: Any, step: int) -> None:
    """A bound that is itself not allowed: the next value where there is one; step: 1 for min, -1 for max."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if made["type"] == "integer" and is_number and (isinstance(value, int) or math.isfinite(value)):
        made[key] = math.floor(value) + 1 if step > 0 else math.ceil(value) - 1
        return
    try:
        if made["type"] == "date":
            made[key] = (dt.date.fromisoformat(str(value)) + dt.timedelta(days=step)).isoformat()
            return
    except (ValueError, OverflowError):
        pass
    made[key] = value
    draft.review(made["name"], key, "the bound itself was not allowed")


def lengths(draft: Draft, part: Taken, made: Made) -> None:
    """minLength and maxLength as a pattern."""
    low, high = part.number("minLength"), part.number("maxLength")
    if low is None and high is None:
        return
    least, most = int(low or 0), None if high is None else int(high)
    if made["type"] != "string" or "pattern" in made or max(least, most or 0) > MOST_LENGTH or least < 0 or most == -1:
        draft.leave(f"{made['name']}: the length, from {least} to {'any' if most is None else most}")
        return
    made["pattern"] = f"(?s:.){{{least},{'' if most is None else most}}}"


def pattern(draft: Draft, made: Made, text: str | None) -> None:
    """A pattern of a dialect that searches."""
    if text is None:
        return
    made["pattern"], is_anchored = regex.from_search(text)
    if not is_anchored:
        draft.review(made["name"], "pattern", "it had no ^ and $, so it may stand anywhere in the value")


def domain(draft: Draft, made: Made, values: list[Any]) -> list[Any]:
    """The allowed values, as the type has them. null is none: whether NULL is allowed is another clause."""
    kept: list[Any] = []
    for value in values:
        if is_null(value):
            draft.leave(f"{made['name']}: null among the allowed values; required and max_null_rate speak of NULL")
            continue
        if made["type"] == "string" and isinstance(value, Scalar) and not isinstance(value.value, str):
            word = short(value.text)
            draft.review(made["name"], "enum", f"{printable(word)} was written without quotes, and is taken as text")
        one = to_type(value, made["type"])
        if isinstance(one, dict | list):
            draft.leave(f"{made['name']}: a value of the enum that is a list or a mapping")
        elif not any(type(one) is type(other) and one == other for other in kept):
            kept.append(one)
    return kept


def span(value: Any, unit: str | None) -> str | None:
    """A time span as a contract writes it, from a number and a unit, or from ISO 8601 as PT36H; None for others."""
    number = to_type(value, "number")
    text = str(getattr(value, "text", value)).strip()
    seconds = 0.0
    if isinstance(number, int | float) and not isinstance(number, bool):
        word = (unit or "d").strip().lower()
        names = {"hr": "h", "hrs": "h", "min": "m", "mins": "m", "sec": "s", "secs": "s", "y": "", "yr": ""}
        letter = names.get(word, word[:1] if word != "months" and not word.startswith("mo") else "")
        seconds = float(number) * UNITS.get(letter, 365 * UNITS["d"] if word in ("y", "yr", "year", "years") else 0)
    elif found := re.fullmatch(
        r"P(?:(\d{1,9})W)?(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?", text
    ):
        seconds = sum(int(part or 0) * UNITS[letter] for part, letter in zip(found.groups(), "wdhms", strict=True))
    elif found := re.fullmatch(r"(\d{1,9}) ?([smhdw])", text):
        seconds = int(found[1]) * UNITS[found[2]]
    if not 1 <= seconds <= 36_525 * UNITS["d"] or seconds != int(seconds):
        return None
    return duration_text(dt.timedelta(seconds=int(seconds)))


def shown(value: Any) -> str:
    """A value in a message, as the file has it."""
    return printable(short(str(getattr(value, "text", value))))
