"""The SQL with which a producer emits a new field beside an old one, and says NULL where nobody has said how.

NULL is loud: the new field's own clauses forbid it, so the gate stops the build. A default would be silent.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator
from typing import Any

from sqlglot.dialects.duckdb import DuckDB

from contracts import quoting
from contracts.changes import wording
from contracts.document import Field
from contracts.domains import enum
from contracts.errors import printable
from contracts.field_changes import enum_changes

SQL_TYPES = {"string": "varchar", "integer": "bigint", "number": "double"}
LOSING = {  # the casts that would round without a word, and the type that holds the whole value
    ("number", "integer"): "double",
    ("string", "integer"): "double",
    ("integer", "boolean"): "bigint",
    ("number", "boolean"): "double",
    ("timestamp", "date"): "timestamp",
    ("string", "date"): "timestamp",
}


def emit_both(dataset: str, pairs: Iterable[tuple[Field, Field]]) -> str:
    """The query that fills each new field beside its old one; "" where there is none."""
    made = [expression(old, new) for old, new in pairs]
    if not made:
        return ""
    table = ".".join(map(identifier, dataset.split(".")))
    columns = "\n".join(f"{sql}{',' * (n < len(made))}{comment}" for n, (sql, comment) in enumerate(made, 1))
    return f"-- Emit both until the old fields go.\nselect\n    *,\n{columns}\nfrom {table}\n"


def expression(old: Field, new: Field) -> tuple[str, str]:
    """How the new field follows from the old one, and a comment; NULL where that is more than a code or a type."""
    column, name = identifier(old.name), identifier(new.name)
    codes = list(mapped(old, new)) if old.enum and new.enum else []
    replaced = any(change.rule == "re-coded" and change.new == new.enum for change in enum_changes(old, new, False))
    if old.unit != new.unit:
        units = printable(f"{old.unit or 'no unit'} to {new.unit or 'no unit'}")
        return f"    null as {name}", f"  -- write the conversion of {printable(old.name)} from {units}"
    # A new code needs new words; without one, other words are another meaning.
    if not replaced and is_reworded(old.meaning, new.meaning):
        return f"    null as {name}", f"  -- write how the new meaning follows from {printable(old.name)}"
    if codes and (list(enum(old)) != list(enum(new)) or any(literal(a) != b for a, b in codes)):
        lines = [f"    case {column}"]
        lines += [f"        when {literal(a)} then {b}" for a, b in codes]
        lines += ["        else null  -- loud: a value that nobody has mapped breaks the contract, not the price"]
        return "\n".join([*lines, f"    end as {name}"]), ""
    return f"    {column if old.type == new.type else cast(column, old, new)} as {name}", ""


def cast(column: str, old: Field, new: Field) -> str:
    """The old value in the new type; NULL where a part of it would be lost."""
    made = f"try_cast({column} as {SQL_TYPES.get(new.type, new.type)})"
    whole = LOSING.get((old.type, new.type))
    return made if whole is None else f"case when try_cast({column} as {whole}) = {made} then {made} end"


def is_reworded(was: str | None, now: str | None) -> bool:
    """Whether two meanings are there, and are not the same."""
    return bool(was and now) and wording(was or "") != wording(now or "")


def mapped(old: Field, new: Field) -> Iterator[tuple[Any, str]]:
    """Each old value and what it becomes: the new value of the same meaning or name, else the one at its place."""
    before, after = enum(old), enum(new)
    says, said = dict(old.meanings), dict(new.meanings)
    by_place = len(before) == len(after) and not before.keys() & after.keys() and not (says and said)
    for place, (key, value) in enumerate(before.items()):
        meaning = says.get(value)
        alike = [] if meaning is None else [new for new, text in said.items() if wording(text) == wording(meaning)]
        if len(alike) == 1:
            yield value, literal(alike[0])
        elif key in after and (meaning is None or not said):
            yield value, literal(after[key])
        elif by_place:
            yield value, f"{literal([*after.values()][place])}  -- by its place in the enum: check it"
        else:
            yield value, "null  -- nobody has said which: write it"


def identifier(name: str) -> str:
    """A name in SQL, quoted where it must be."""
    plain = re.fullmatch("[a-z_][a-z0-9_]*", name) and name.upper() not in DuckDB.Tokenizer.KEYWORDS
    return name if plain else quoting.identifier(name)


def literal(value: Any) -> str:
    """A value in SQL."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, dt.datetime):
        return f"timestamp{'tz' if value.tzinfo else ''} '{value.isoformat()}'"
    if isinstance(value, dt.date):
        return f"date '{value.isoformat()}'"
    return quoting.visible(str(value))
