"""Contracts of every shape, as plain data for hypothesis."""

from __future__ import annotations

import datetime as dt
from typing import Any

from hypothesis import strategies as st

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5).filter(str.strip)
NUMBER = st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False)
ZONES = st.sampled_from([None, dt.UTC, dt.timezone(dt.timedelta(hours=-5, minutes=-30))])
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "string": st.text(st.characters(exclude_categories=["Cs"]), max_size=4),
    "integer": st.integers(-(10**20), 10**20),
    "number": NUMBER,
    "boolean": st.booleans(),
    "date": st.dates() | st.dates().map(str),
    "timestamp": st.datetimes(timezones=ZONES) | st.datetimes().map(dt.datetime.isoformat),
}
SPANS = st.builds("{}{}".format, st.integers(1, 999), st.sampled_from("smhdw"))


@st.composite
def field_mappings(draw: st.DrawFn, name: str) -> dict[str, Any]:
    kind = draw(st.sampled_from(list(VALUES)))
    made: dict[str, Any] = {"name": name, "type": kind}
    key = from_value if kind in ("date", "timestamp") else lambda value: value
    if draw(st.booleans()):
        values = draw(st.lists(VALUES[kind], min_size=1, max_size=4, unique_by=key))
        made["enum"] = values if draw(st.booleans()) else {value: draw(TEXT) for value in values}
    elif kind in ("integer", "number") and draw(st.booleans()):
        made["min"], made["max"] = sorted(draw(st.tuples(VALUES[kind], VALUES[kind])))
    elif kind in ("date", "timestamp") and draw(st.booleans()):
        made[draw(st.sampled_from(["min", "max"]))] = draw(VALUES[kind])
    if kind == "string" and draw(st.booleans()):
        made["pattern"] = draw(st.sampled_from(["", "^[A-Z]{2}$", r"\d+", "é|\\n"]))
    for clause, strategy in {"meaning": TEXT, "unit": TEXT, "unique": st.booleans()}.items():
        if draw(st.booleans()):
            made[clause] = draw(strategy)
    made |= draw(st.sampled_from([{}, {"required": True}, {"max_null_rate": 0.25}, {"max_null_rate": 0}]))
    return made


def from_value(value: Any) -> Any:
    """A date or timestamp as the contract compares it."""
    moment = dt.datetime.fromisoformat(str(value))
    return moment if moment.tzinfo is None else moment.astimezone(dt.UTC) if 1 < moment.year < 9999 else str(value)


@st.composite
def mappings(draw: st.DrawFn) -> dict[str, Any]:
    names = draw(st.lists(TEXT, min_size=1, max_size=4, unique=True))
    made: dict[str, Any] = {
        "version": ".".join(map(str, draw(st.tuples(*[st.integers(0, 999)] * 3)))),
        "owner": draw(TEXT),
        "fields": [draw(field_mappings(name)) for name in names],
    }
    if len(names) > 1 and draw(st.booleans()):
        made["fields"][0]["deprecated"] = {"announced": draw(st.dates()), "replaced_by": names[1]}
    extras: dict[str, st.SearchStrategy[Any]] = {
        "dataset": TEXT,
        "consumers": st.lists(TEXT, max_size=3, unique=True),
        "freshness": st.fixed_dictionaries({"max_lag": SPANS}, optional={"timezone": st.just("UTC")}),
        "volume": st.fixed_dictionaries({"min_rows": st.integers(0, 9)}, optional={"max_rows": st.integers(9, 99)}),
        "evolution": st.fixed_dictionaries({}, optional={"additive": st.just("forbidden"), "notice": SPANS}),
    }
    return made | {key: draw(strategy) for key, strategy in extras.items() if draw(st.booleans())}
