"""Names and texts as SQL writes them, whatever is in them."""

from __future__ import annotations


def identifier(name: str) -> str:
    """A name in double quotes, as in DuckDB, PostgreSQL and SQLite."""
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """A text in single quotes."""
    return "'" + value.replace("'", "''") + "'"
