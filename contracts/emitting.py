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
from contracts.errors import printable

SQL_TYPES = {"string": "varchar", "integer": "bigint", "number": "double"}


def emit_both(dataset: str, pairs: Iterable[tuple[Field, Field]]) -> str:
    """The query that fills each new field beside its old one; "" where there is none."""
    made = [expression(old, new) for old, new in pairs]
    if not made:
        return ""
    table = ".".join(map(identifier, dataset.split(".")))
    columns = ",\n".join(made)
    return f"-- Emit both until the old fields go.\nselect\n    *,\n{columns}\nfrom {table}\n"


def expression(old: Field, new: Field) -> str:
    """How the new field follows from the old one."""
    column, name = identifier(old.name), identifier(new.name)
    if old.enum and new.enum and list(old.enum) != list(new.enum):
        lines = [f"    case {column}"]
        lines += [f"        when {literal(a)} then {b}" for a, b in mapped(old, new)]
        lines += ["        else null  -- loud: a value that nobody has mapped breaks the contract, not the price"]
        return "\n".join([*lines, f"    end as {name}"])
    if old.type != new.type:
        kind = SQL_TYPES.get(new.type, new.type)
        return f"    try_cast({column} as {kind}) as {name}"
    if old.unit != new.unit:
        units = printable(f"{old.unit or 'no unit'} to {new.unit or 'no unit'}")
        return f"    null as {name}  -- write the conversion of {column_comment(old)} from {units}"
    if old.meaning and new.meaning and wording(old.meaning) != wording(new.meaning):
        return f"    null as {name}  -- write how the new meaning follows from {column_comment(old)}"
    return f"    {column} as {name}"


def mapped(old: Field, new: Field) -> Iterator[tuple[Any, str]]:
    """Each old value and what it becomes: the new value of the same name or meaning, else the one at its place."""
    before, after = list(old.enum or ()), list(new.enum or ())
    by_meaning = {wording(says): value for value, says in new.meanings}
    meanings = dict(old.meanings)
    by_place = len(before) == len(after) and not set(before) & set(after)
    for place, value in enumerate(before):
        if value in after:
            yield value, literal(value)
        elif value in meanings and wording(meanings[value]) in by_meaning:
            yield value, literal(by_meaning[wording(meanings[value])])
        elif by_place and not (meanings and new.meanings):
            yield value, f"{literal(after[place])}  -- by its place in the enum: check it"
        else:
            yield value, "null  -- nobody has said which: write it"


def identifier(name: str) -> str:
    """A name in SQL, quoted where it must be."""
    plain = re.fullmatch("[a-z_][a-z0-9_]*", name) and name.upper() not in DuckDB.Tokenizer.KEYWORDS
    return name if plain else quoting.identifier(name)


def column_comment(field: Field) -> str:
    """A name in a comment, which must not end the line."""
    return printable(field.name)


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
