"""Plain data as YAML that a person reads: a key a line, short lists on one line, comments where they belong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from contracts.errors import printable
from contracts.splicing import flow

Way = tuple[str | int, ...]  # the keys that lead to a value, as in ("fields", 0, "enum")
WIDEST = 100  # characters of a list on one line
SHORT = 60  # of a mapping on one line


def written(mapping: Mapping[str, Any], comments: Mapping[Way, str] | None = None) -> str:
    """The text of a file. comments: what to say behind the line of a value."""
    return "".join(f"{line}\n" for line in lines(mapping, (), comments or {}))


def lines(value: Any, way: Way, comments: Mapping[Way, str]) -> Iterator[str]:
    """The lines of a mapping or of a list, none of them empty."""
    is_mapping = isinstance(value, Mapping)
    for key, item in value.items() if is_mapping else enumerate(value):
        place = (*way, key)
        note = f"  # {printable(comments[place])}" if place in comments else ""
        head = f"{flow(key)}: " if is_mapping else "- "
        if is_flat(item, place, comments):
            yield f"{head}{flow(item)}{note}"
            continue
        inner = lines(item, place, comments)
        if is_mapping:
            yield f"{head.rstrip()}{note}"
        else:
            yield f"- {next(inner)}{note}"
        yield from (f"  {line}" for line in inner)


def is_flat(value: Any, place: Way, comments: Mapping[Way, str]) -> bool:
    """Whether a value stands on its key's line."""
    if not isinstance(value, Mapping | list) or not value:
        return True
    if any(other[: len(place)] == place and other != place for other in comments):
        return False
    items = value.values() if isinstance(value, Mapping) else value
    most = SHORT if isinstance(value, Mapping) else WIDEST
    return not any(isinstance(item, Mapping | list) for item in items) and len(flow(value)) <= most
