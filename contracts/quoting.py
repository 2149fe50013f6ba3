"""Names and texts as SQL writes them, whatever is in them."""

from __future__ import annotations

import itertools

from contracts.errors import UNSEEN


def identifier(name: str) -> str:
    """A name in double quotes, as in DuckDB, PostgreSQL and SQLite."""
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """A text in single quotes."""
    return "'" + value.replace("'", "''") + "'"


def visible(value: str, chr: str = "chr") -> str:
    """A text as an expression for a reviewer to see: a character that does not show stands there by its number."""
    parts: list[str] = []
    for shows, piece in itertools.groupby(value, lambda c: c.isprintable() and not UNSEEN.match(c)):
        one = "".join(piece)
        parts += [text(one)] if shows else [f"{chr}({ord(c)})" for c in one]
    return " || ".join(parts).join("()") if len(parts) > 1 else "".join(parts) or text("")
