"""What a table is made of, for the drill: the profile of each column, and its role.

A role names the columns that fit it, the likeliest first: those that are known to matter, then in the order of the
contract, whose authors begin with what matters. It is a function, whose docstring says what is missing where none fits.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset  # which DuckDB reads Arrow by: a Ctrl-C while it imports it by itself crashes

from clause.sources import connect
from contracts import Contract, Field

MOST_CODES = 50  # different values that a column of codes may have


@dataclass(frozen=True)
class Profile:
    """What is known of a column's values. `common`: the most frequent, at most 51, most frequent first."""

    rows: int
    present: int
    distinct: int
    low: Any
    high: Any
    shortest: int | None  # of texts, in characters
    longest: int | None
    digits: bool  # whether every text is made of digits alone
    zeros: bool  # whether such a text begins with 0
    common: tuple[Any, ...]


@dataclass(frozen=True)
class Table:
    """Rows, with the contract that says what the columns are.

    first: columns that are known to matter. whole: the table that these rows are a part of, which tells the values.
    read: columns that the SQL of consumers names, in small letters; none where nobody knows.
    """

    rows: pa.Table
    contract: Contract
    first: tuple[str, ...] = ()
    whole: pa.Table | None = None
    read: frozenset[str] = frozenset()

    def with_rows(self, rows: pa.Table) -> Table:
        return replace(self, rows=rows)

    def put(self, column: str, sql: str) -> pa.Table:
        """The rows with another column in its place: an SQL expression over x, its value, and n, the row's number."""
        values = queried(self.rows, column, f"select {sql} as y from cells order by n")["y"]
        at = self.rows.column_names.index(column)
        return self.rows.set_column(at, column, values)

    def recode(self, column: str, words: dict[Any, Any]) -> pa.Table:
        """The rows with these values of the column written as those."""
        values = self.rows[column]
        found = pc.index_in(values, value_set=pa.array(list(words), values.type))
        written = pa.chunked_array([pa.array(list(words.values()), values.type).take(found.combine_chunks())])
        return self.rows.set_column(
            self.rows.column_names.index(column), column, pc.if_else(found.is_valid(), written, values)
        )

    @functools.cached_property
    def fields(self) -> list[Field]:
        """The fields whose columns are here, those that are known to matter first, then in the contract's order."""
        there = [field for field in self.contract.fields if field.name in self.rows.column_names]
        return sorted(there, key=lambda field: field.name not in self.first)

    def matters(self, name: str) -> bool:
        """Whether somebody would feel it if the column broke: it is read, known to matter, or tells how fresh it is."""
        fresh = self.contract.freshness.field if self.contract.freshness else None
        return name.casefold() in self.read or name in (*self.first, fresh)

    @functools.cached_property
    def profiles(self) -> dict[str, Profile]:
        rows = self.rows if self.whole is None else self.whole
        return {field.name: profile(rows, field.name) for field in self.fields}


def queried(rows: pa.Table, column: str, sql: str) -> pa.Table:
    """The answer to a query over `cells`, which has the column as x and the row's number as n: no name to quote."""
    numbers = pa.arange(0, rows.num_rows)
    with connect() as connection:
        connection.register("cells", pa.table({"x": rows[column], "n": numbers}))
        return connection.execute(sql).to_arrow_table()


def profile(rows: pa.Table, column: str) -> Profile:
    """The profile of a column; of numbers the finite ones count, of times those that Python has too."""
    kind = rows[column].type
    kept = "x is not null" + (" and isfinite(x)" if pa.types.is_floating(kind) else "")
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        kept = "extract(year from x) between 1 and 9999"
    text = "x::varchar"
    said = queried(
        rows,
        column,
        f"""select count(*) as rows, count(x) as present, count(distinct x) filter ({kept}) as "distinct",
            min(x) filter ({kept}) as low, max(x) filter ({kept}) as high,
            min(length({text})) as shortest, max(length({text})) as longest,
            coalesce(bool_and(regexp_full_match({text}, '[0-9]+')), false) as digits,
            coalesce(bool_or(regexp_full_match({text}, '0[0-9]+')), false) as zeros from cells""",
    ).to_pylist()[0]
    common = queried(
        rows, column, f"select x from cells where {kept} group by x order by count(*) desc, x limit {MOST_CODES + 1}"
    )
    return Profile(**said, common=tuple(common["x"].to_pylist()))


# --- roles -----------------------------------------------------------------------------------------------------------

Role = Callable[["Table"], Sequence[str]]


def codes(table: Table) -> list[str]:
    """no column of codes: few different values, each in many rows"""
    found = []
    for field in table.fields:
        known = table.profiles[field.name]
        repeated = field.type == "string" and 2 <= known.distinct <= min(MOST_CODES, known.present / 2)
        if (field.enum or repeated) and field.type in ("string", "integer", "number") and known.present:
            found.append(field.name)
    return found


def words(table: Table) -> list[str]:
    """no column of codes that are text"""
    return [name for name in codes(table) if is_text(table, name)]


def texts(table: Table) -> list[str]:
    """no column of text"""
    named = [field.name for field in table.fields if is_text(table, field.name) and table.profiles[field.name].present]
    return sorted(named, key=lambda name: -table.profiles[name].distinct)


def numerals(table: Table) -> list[str]:
    """no column of text with leading zeros"""
    return [name for name in texts(table) if table.profiles[name].zeros]


def amounts(table: Table) -> list[str]:
    """no column of amounts: numbers that are neither codes nor keys"""
    found = [
        field
        for field in table.fields
        if field.type in ("integer", "number") and not field.enum and not is_key(field.name)
        if is_number(table, field.name) and table.profiles[field.name].distinct
    ]

    def likely(field: Field) -> tuple[bool, ...]:
        known = table.profiles[field.name]
        return field.name not in table.first, not field.unit, field.type == "integer" and known.distinct == known.rows

    return [field.name for field in sorted(found, key=likely)]


def integers(table: Table) -> list[str]:
    """no column of whole amounts"""
    return [name for name in amounts(table) if pa.types.is_integer(table.rows[name].type)]


def narrow(table: Table) -> list[str]:
    """no column of a type that has a wider one"""
    wider = (pa.int8(), pa.int16(), pa.int32(), pa.float32())
    return [field.name for field in table.fields if table.rows[field.name].type in wider]


def booleans(table: Table) -> list[str]:
    """no column of true and false"""
    return [field.name for field in table.fields if pa.types.is_boolean(table.rows[field.name].type)]


def times(table: Table) -> list[str]:
    """no column of dates or timestamps"""
    fresh = table.contract.freshness.field if table.contract.freshness else None
    found = [field.name for field in table.fields if pa.types.is_temporal(table.rows[field.name].type)]
    return sorted((name for name in found if table.profiles[name].present), key=lambda name: name != fresh)


def moments(table: Table) -> list[str]:
    """no column of timestamps"""
    return [name for name in times(table) if pa.types.is_timestamp(table.rows[name].type)]


def groups(table: Table) -> list[str]:
    """no column that groups the rows, as a seller's number does"""
    sizes = {field.name: table.profiles[field.name] for field in table.fields if field.type in ("string", "integer")}
    found = [name for name, known in sizes.items() if 2 <= known.distinct <= known.present / 2]
    return sorted(found, key=lambda name: (not is_key(name), -sizes[name].distinct))


def anything(table: Table) -> list[str]:
    """no column with a value"""
    likely = dict.fromkeys([*codes(table), *amounts(table), *(field.name for field in table.fields)])
    return [name for name in likely if table.profiles[name].present]


def is_key(name: str) -> bool:
    return name.strip().lower().endswith("id")


def is_text(table: Table, name: str) -> bool:
    kind = table.rows[name].type
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def is_number(table: Table, name: str) -> bool:
    kind = table.rows[name].type
    return pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
