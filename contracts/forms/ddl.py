"""To SQL: CREATE TABLE with its checks and comments, for DuckDB, PostgreSQL and SQLite."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any

from contracts.document import Contract, Field, to_mapping
from contracts.errors import printable
from contracts.forms import Exported, clauses, of_the_table, regex
from contracts.quoting import identifier, visible
from contracts.quoting import text as literal
from contracts.splicing import flow

DIALECTS = ("duckdb", "postgres", "sqlite")
TYPES = {
    "duckdb": ("VARCHAR", "BIGINT", "DOUBLE", "BOOLEAN", "DATE", "TIMESTAMP", "TIMESTAMPTZ"),
    "postgres": ("text", "bigint", "double precision", "boolean", "date", "timestamp", "timestamptz"),
    "sqlite": ("TEXT", "INTEGER", "REAL", "INTEGER", "TEXT", "TEXT", "TEXT"),
}
NAMES = ("string", "integer", "number", "boolean", "date", "timestamp", "aware")
DAY = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]"
LONGEST = 63  # bytes of a name in PostgreSQL, which cuts the rest off


def export(contract: Contract, dialect: str = "duckdb") -> Exported:
    """The contract as a table that refuses rows which break it."""
    left: list[str] = []
    kept = list(columns(contract, dialect, left))
    if not kept:
        raise ValueError(f"no field of {contract.dataset} can be a column in {dialect}; choose another dialect")
    table = table_name(contract, dialect, left)
    made = [declared(field, dialect, left) for field in kept]
    says = sentence(contract)
    lines = [f"-- {printable(says)}"]
    if dialect != "sqlite" and "." in table:
        lines.append(f"CREATE SCHEMA IF NOT EXISTS {table.rpartition('.')[0]};" if is_qualified(contract) else "")
    lines += [f"CREATE TABLE {table} ("]
    for i, (field, text) in enumerate(zip(kept, made, strict=True)):
        note = f"  -- {printable(comment(field))}" if dialect == "sqlite" and comment(field) else ""
        lines.append(f"    {text}{',' * (i < len(made) - 1)}{note}")
    lines.append(");")
    if dialect != "sqlite":
        lines.append(f"COMMENT ON TABLE {table} IS {literal(printable(says))};")
        for field in kept:
            if comment(field):
                text = literal(printable(comment(field)))
                lines.append(f"COMMENT ON COLUMN {table}.{identifier(field.name)} IS {text};")
    left += [f"{clause} is about the whole table, and a constraint sees one row" for clause in of_the_table(contract)
             if clause != "additive: forbidden"]  # fmt: skip
    return Exported("\n".join(line for line in lines if line) + "\n", tuple(left))


def sentence(contract: Contract) -> str:
    """What the table is, for its comment."""
    readers = f"; read by {', '.join(contract.consumers)}" if contract.consumers else ""
    own = to_mapping(contract)
    rest = "".join(f"; {key}: {flow(own[key])}" for key in ("freshness", "volume", "evolution") if own.get(key))
    return f"{contract.dataset} {contract.version}, promised by {contract.owner}{readers}{rest}"


def comment(field: Field) -> str:
    """What a constraint does not say: meaning, unit, the meaning of each value, and that the field will go."""
    parts = [field.meaning or "", f"unit: {field.unit}" if field.unit else ""]
    parts += ["; ".join(f"{value} = {says}" for value, says in field.meanings)]
    if field.deprecated:
        instead = f", read {field.deprecated.replaced_by}" if field.deprecated.replaced_by else ""
        parts.append(f"deprecated since {field.deprecated.announced}{instead}")
    return " · ".join(part for part in parts if part)


def columns(contract: Contract, dialect: str, left: list[str]) -> Iterator[Field]:
    """The fields that can be columns; DuckDB and SQLite take Price and price for one, PostgreSQL cuts long names."""
    seen: dict[str, str] = {}
    for field in contract.fields:
        key = field.name if dialect == "postgres" else folded(field.name)
        if "\0" in field.name:
            left.append(f"{field.name}: no column's name holds a NUL; the field is left out")
        elif dialect == "postgres" and len(field.name.encode()) > LONGEST:
            left.append(f"{field.name}: PostgreSQL cuts a name after {LONGEST} bytes; the field is left out")
        elif key in seen:
            left.append(f"{field.name}: {dialect} takes it for the column {seen[key]}; the field is left out")
        else:
            seen[key] = field.name
            yield field


def folded(name: str) -> str:
    """The name as DuckDB and SQLite compare it: ASCII letters in lower case, all others as they are."""
    return "".join(c.lower() if c.isascii() else c for c in name)


def is_qualified(contract: Contract) -> bool:
    """Whether the dataset's name says its schema."""
    parts = contract.dataset.split(".")
    return 1 < len(parts) <= 3 and all(part.strip() and "\0" not in part for part in parts)


def table_name(contract: Contract, dialect: str, left: list[str]) -> str:
    """The table's name, with its schema where the dataset names one; SQLite has none."""
    name = contract.dataset.replace("\0", "")
    if name != contract.dataset:
        left.append("dataset: no table's name holds a NUL; it is taken out")
    if dialect == "postgres" and any(len(part.encode()) > LONGEST for part in name.split(".")):
        left.append(f"dataset: PostgreSQL cuts a name after {LONGEST} bytes")
    if dialect == "sqlite" or not is_qualified(contract):
        return identifier(name or "dataset")
    return ".".join(map(identifier, name.split(".")[-2:]))


def declared(field: Field, dialect: str, left: list[str]) -> str:
    """One column: its type, and a constraint for each clause."""
    name = identifier(field.name)
    is_aware = any(
        isinstance(value, dt.datetime) and value.tzinfo for value in (*(field.enum or ()), field.min, field.max)
    )
    kind = TYPES[dialect][NAMES.index("aware" if is_aware else field.type)]
    parts = [f"{name} {kind}"] + ["NOT NULL"] * field.required + ["UNIQUE"] * field.unique
    if dialect == "sqlite":
        parts.append(f"CHECK ({typed(name, field)})")
    for clause in clauses(field):
        if clause == "max_null_rate":
            left.append(f"{field.name}: {clause} is about all rows, and a constraint sees one")
        elif clause == "pattern":
            test = matched(name, str(field.pattern), dialect)
            if test is None:
                why = "SQLite has no regular expressions" if dialect == "sqlite" else "the pattern has no form there"
                left.append(f"{field.name}: pattern is left out: {why}")
            else:
                parts.append(f"CHECK ({test})")
        elif clause in ("min", "max", "enum"):
            test = compared(name, field, clause, dialect)
            if test is None:
                left.append(f"{field.name}: {clause} is left out: a value of it cannot be written in {dialect}")
            else:
                parts.append(f"CHECK ({test})")
    return " ".join(parts)


def typed(name: str, field: Field) -> str:
    """SQLite stores any value in any column, so a check says the type."""
    stored = f"typeof({name})"
    test = {
        "string": f"{stored} = 'text'",
        "integer": f"{stored} = 'integer'",
        "number": f"{stored} IN ('real', 'integer')",
        "boolean": f"{stored} = 'integer' AND {name} IN (0, 1)",
        "date": f"{stored} = 'text' AND date({name}) IS {name}",
        "timestamp": f"{stored} = 'text' AND {name} GLOB '{DAY}[T ]*' AND datetime({name}) IS NOT NULL",
    }[field.type]
    return f"{name} IS NULL OR ({test})"


def compared(name: str, field: Field, clause: str, dialect: str) -> str | None:
    """An enum or a bound as a condition; None where the dialect has no such value."""
    given: Any = getattr(field, clause)
    values = [value_of(value, dialect) for value in (given if clause == "enum" else (given,))]
    if None in values:
        return None
    left = f"julianday({name})" if dialect == "sqlite" and field.type == "timestamp" else name
    if clause == "enum":
        return f"{left} IN ({', '.join(map(str, values))})"
    return f"{left} {'>=' if clause == 'min' else '<='} {values[0]}"


def value_of(value: Any, dialect: str) -> str | None:
    """A value as the dialect writes it."""
    if isinstance(value, bool):
        return str(int(value)) if dialect == "sqlite" else str(value).upper()
    if isinstance(value, dt.datetime):
        text = literal(value.isoformat(" "))
        if dialect == "sqlite":
            return f"julianday({text})"
        return f"TIMESTAMPTZ {text}" if value.tzinfo else f"TIMESTAMP {text}"
    if isinstance(value, dt.date):
        return literal(value.isoformat()) if dialect == "sqlite" else f"DATE {literal(value.isoformat())}"
    if isinstance(value, str):
        return None if "\0" in value else visible(value, "char" if dialect == "sqlite" else "chr")
    if isinstance(value, float) and dialect == "postgres":
        return f"{literal(repr(value))}::float8"
    return repr(float(value)) if isinstance(value, float) else str(value)


def matched(name: str, pattern: str, dialect: str) -> str | None:
    """A pattern over the whole value as a condition; None where the dialect has no such."""
    if dialect == "duckdb":
        return None if "\0" in pattern else f"regexp_full_match({name}, {visible(pattern)})"
    common = regex.portable(pattern) if dialect == "postgres" else None
    return None if common is None else f"{name} ~ {visible(f'^{common}$')}"
