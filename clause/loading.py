"""Loading a table whole, as its contract types it: what the drill breaks.

A text file has no types, so its cells become values of the contract's types where every one of a column can; a column
with a cell that cannot stays text, and the contract says so of it as it would of the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from clause.reading import zone_of
from clause.roles import Table, queried
from clause.sources import Source, Type, open_source, unreadable
from contracts import Contract, quoting
from contracts.errors import DataError


def load(data: object, contract: Contract, day: str | None = None, amounts: Sequence[str | None] = ()) -> pa.Table:
    """The rows as an Arrow table; `day` and `amounts` may be columns that the contract does not name.

    Raises DataError where the data cannot be read, TypeError for what is no table.
    """
    source = open_source(data, None, timezone=zone_of(contract))
    if not source.columns:
        raise DataError(f"{source.origin}: has no columns, so nothing can be broken; give a table")
    types: dict[str, list[Type]] = {name: ["number"] if name in amounts else [] for name in source.columns}
    types |= {day: ["date", "timestamp"]} if day else {}
    types |= {field.name: [field.type] for field in contract.fields}
    asked: dict[str, Any] = {}
    for i, name in enumerate(source.columns):
        asked[f"stored {i}"] = source.table[source.names[name]]
        if source.written == "json":  # a string without its quotes
            asked[f"stored {i}"] = source.value(name, "string").coalesce(asked[f"stored {i}"])
        if source.written != "typed":
            asked |= {f"{type} {i}": source.value(name, type) for type in types[name]}
            asked |= {f"naive {i}": source.is_naive(name)} if "timestamp" in types[name] else {}
    query = source.table.select(**asked)
    try:
        rows = query.to_pyarrow() if source.relation is None else source.relate(query).to_arrow_table()
    except Exception as error:  # of any engine, as in Source.run
        source.unchanged()
        raise unreadable(source.origin, error) from error
    source.unchanged()
    columns = [column(source, contract, rows, i, types[name]) for i, name in enumerate(source.columns)]
    return pa.table(columns, names=list(source.columns))


def column(source: Source, contract: Contract, rows: pa.Table, i: int, types: Sequence[Type]) -> pa.ChunkedArray:
    """The values of the first type of which there is one for each that is stored."""
    stored = rows[f"stored {i}"]
    if pa.types.is_dictionary(stored.type):  # of pandas' categories, say
        stored = stored.cast(stored.type.value_type)
    whole = [kind for kind in types if f"{kind} {i}" in rows.column_names]
    whole = [kind for kind in whole if rows[f"{kind} {i}"].null_count == stored.null_count]
    if not whole:
        return stored
    values = rows[f"{whole[0]} {i}"]
    if whole[0] == "integer":
        try:
            return values.cast(pa.int64())
        except pa.ArrowInvalid as error:
            says = f"{source.origin}: column {source.columns[i]!r} holds integers of more than 64 bits, which the drill"
            raise DataError(f"{says} cannot change; leave it out of the data and of the contract") from error
    if whole[0] == "timestamp" and pc.any(rows[f"naive {i}"]).as_py():  # one without a zone: a clock on a wall
        zone = quoting.text(zone_of(contract))
        return queried(pa.table({"x": values}), "x", f"select timezone({zone}, x) as y from cells order by n")["y"]
    return values


def split(rows: pa.Table, column: str, since: date) -> tuple[pa.Table, int]:
    """The rows with those before that day first, and how many these are."""
    later = queried(
        rows, column, f"select coalesce(try_cast(x as date) >= date '{since}', false) as y from cells order by n"
    )
    is_later = later["y"]
    before = rows.filter(pc.invert(is_later))
    return pa.concat_tables([before, rows.filter(is_later)]), before.num_rows


def newest(table: Table) -> datetime | None:
    """The newest time of the data itself: freshness is judged then, so that the drill says the same tomorrow."""
    freshness = table.contract.freshness
    if freshness is None or freshness.field not in table.profiles:
        return None
    high = table.profiles[freshness.field].high
    return high if isinstance(high, datetime) else datetime.combine(high, time()) if isinstance(high, date) else None
