"""The second reading: the same clauses over a whole table, as one aggregate query.

ibis compiles the query for the engine that holds the table, so nothing but counts leaves it. Only where something is
broken does a second query fetch the offending values. Names and values go through ibis as expressions; nothing is
pasted into SQL.
"""

import json
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import ibis
import ibis.expr.types as ir
from ibis.expr.datatypes import DataType

from clause import engines, matching
from clause.reading import SHOWN, Offenders, Reading, Rule, Tally, instant, zone_of
from clause.sources import Source
from contracts.document import Contract, Field

LONGEST = 200  # characters of an offending text that are fetched
WIDEST = Decimal(10**38 - 1)  # the largest number that every engine's DECIMAL holds


def read_table(source: Source, contract: Contract) -> Reading:
    """Count what the contract asks about a table: one query, and a second where something is broken."""
    source = source.parse({field.name: field.type for field in contract.fields})
    fields = {i: field for i, field in enumerate(contract.fields) if field.name in source.columns}
    counts = source.run(lambda: source.table.aggregate(**measures(source, contract, fields)), contract)[0]
    reading = Reading(counts["rows"], source.columns)
    broken: list[tuple[Field, Rule]] = []
    for i, field in fields.items():
        present = counts[f"present_{i}"]
        typed = counts.get(f"typed_{i}", present if source.can_hold(field.name, field.type) else 0)
        reading.tallies[field.name] = Tally(present, typed)
        own = [key.removesuffix(f"_{i}") for key in counts if key.startswith("check") and key.endswith(f"_{i}")]
        failing = {rule: counts.get(f"{rule}_{i}", 0) for rule in ("enum", "range", "pattern", *own)}
        failing["type"] = present - typed
        failing["unique"] = typed - counts.get(f"distinct_{i}", typed)
        broken += [(field, rule) for rule, rows in failing.items() if rows]
    for field, rule, offenders in offending(source, contract, broken):
        reading.tallies[field.name].broken[rule] = offenders
    reading.unchecked = {(name, "pattern"): why for name, why in unsearchable(source, contract).items()}
    newest = counts.get("newest")
    if isinstance(newest, str):  # DuckDB's text for a time that Python does not have, after 9999 or before 1
        newest = datetime.min if newest.endswith("(BC)") or newest.startswith("-") else datetime.max
    reading.newest = newest
    reading.naive = bool(counts.get("naive"))
    reading.mistyped = frozenset(
        field.name
        for field in fields.values()
        if not source.can_hold(field.name, field.type) and not source.is_untyped(field.name)
    )
    return reading


def measures(source: Source, contract: Contract, fields: dict[int, Field]) -> dict[str, ir.Value]:
    """The columns of the one aggregate query, named by the field's place, since a field may have any name."""
    table = source.table
    asked: dict[str, ir.Value] = {"rows": table.count()}
    for i, field in fields.items():
        asked[f"present_{i}"] = source.stored(field.name).count()
        if not source.can_hold(field.name, field.type):
            continue
        values = source.value(field.name, field.type)
        if source.written != "typed" or field.name in source.integers:
            asked[f"typed_{i}"] = values.count()
        for rule, fails in tests(source, contract, field):
            asked[f"{rule}_{i}"] = table.count(where=fails)
        if field.unique:
            asked[f"distinct_{i}"] = values.nunique()
    aged = contract.field(contract.freshness.field or "") if contract.freshness else None
    if aged and aged.name in source.columns and source.can_hold(aged.name, aged.type):
        asked["newest"] = source.value(aged.name, aged.type).max()
        naive = source.is_naive(aged.name)
        asked["naive"] = ibis.literal(naive) if isinstance(naive, bool) else naive.any()
    return asked


def tests(source: Source, contract: Contract, field: Field) -> Iterator[tuple[Rule, ir.BooleanValue]]:
    """For each value clause of a field, which rows hold a value of the right type that fails it."""
    if not source.can_hold(field.name, field.type):
        return
    values = wide_enough(source.value(field.name, field.type), field)
    engine = engines.engine_of(source.table)
    if field.enum is not None:
        allowed = engines.storable(field.enum, engine)
        yield "enum", ~values.isin([literal(value, values.type(), contract, engine) for value in allowed])
    outside = []
    if field.min is not None:
        outside.append(values < literal(field.min, values.type(), contract, engine))
    if field.max is not None:
        outside.append(values > literal(field.max, values.type(), contract, engine))
    if outside:
        yield "range", outside[0] if len(outside) == 1 else outside[0] | outside[1]
    if field.pattern is not None and field.name not in unsearchable(source, contract):
        yield "pattern", ~matching.matches(values, field.pattern)
    yield from source.checks(field.name)


def unsearchable(source: Source, contract: Contract) -> dict[str, str]:
    """The fields whose pattern the engine of this table would read in another way, and why."""
    reasons: dict[str, str] = {}
    if source.relation is not None:  # DuckDB, whose regular expressions are the contract's own
        return reasons
    for field in contract.fields:
        if field.pattern is None or field.name not in source.columns or not source.can_hold(field.name, field.type):
            continue
        try:
            matching.matches(source.value(field.name, field.type), field.pattern)
        except matching.NotSearchable as error:
            reasons[field.name] = str(error)
    return reasons


def wide_enough(values: ir.Value, field: Field) -> ir.Value:
    """The values in a type in which they can be compared with what the contract names."""
    if field.type == "number":
        return values.cast("float64")
    if not values.type().is_integer():
        return values
    constants: list[Any] = [value for value in (*(field.enum or ()), field.min, field.max) if value is not None]
    low = max(values.type().bounds.lower, -(2**63))  # a literal of ibis is of 64 bits with a sign
    fits = all(low <= value < 2**63 for value in constants)
    return values if fits else values.cast("decimal(38, 0)")


def literal(value: Any, dtype: DataType, contract: Contract, engine: str) -> ir.Value:
    """A value of the contract as the column's engine compares it."""
    if isinstance(value, datetime):
        zone = zone_of(contract)
        if dtype.timezone is not None:
            return ibis.literal(instant(value, zone), "timestamp('UTC')")
        return engines.time_literal(wall_time(value, zone), engine)
    if dtype.is_floating():
        return ibis.literal(float(value), "float64")
    if dtype.is_decimal():
        return ibis.literal(max(-WIDEST, min(WIDEST, Decimal(value))), "decimal(38, 0)")
    return engines.text_literal(value, engine) if isinstance(value, str) else ibis.literal(value)


def wall_time(value: datetime, zone: str) -> datetime:
    """The time without a zone that a clock in `zone` shows."""
    try:
        return value if value.tzinfo is None else value.astimezone(ZoneInfo(zone)).replace(tzinfo=None)
    except OverflowError:  # within a day of the years 1 and 9999
        return value.replace(tzinfo=None)


def offending(
    source: Source, contract: Contract, broken: list[tuple[Field, Rule]]
) -> Iterator[tuple[Field, Rule, Offenders]]:
    """The offending values of each broken clause: one query, a column of values for each clause."""
    if not broken:
        return

    def query() -> ir.Table:
        counted = [offenders(source, contract, field, rule) for field, rule in broken]
        engine = engines.engine_of(source.table)
        nulls = {f"v{i}": engines.null(table.value.type(), engine) for i, table in enumerate(counted)}
        parts = []
        for i, table in enumerate(counted):
            top = table.order_by(ibis.desc("rows"), engines.ranked(table.value)).limit(SHOWN)
            value = top.value.substr(0, LONGEST) if top.value.type().is_string() else top.value
            total = table.aggregate(rows=table.rows.sum().cast("int64"), different=table.count())
            which, zero = ibis.literal(i), ibis.literal(0, "int64")
            parts.append(top.select(clause=which, rows=top.rows, different=zero, **{**nulls, f"v{i}": value}))
            parts.append(total.select(clause=which, rows=total.rows, different=total.different, **nulls))
        return ibis.union(*parts, distinct=False)

    found = source.run(query, (contract, tuple((field.name, rule) for field, rule in broken)))
    for i, (field, rule) in enumerate(broken):
        whole, *most = sorted((row for row in found if row["clause"] == i), key=lambda row: -row["different"])
        most.sort(key=lambda row: (-row["rows"], isinstance(row[f"v{i}"], str), row[f"v{i}"]))
        values = tuple((row[f"v{i}"], int(row["rows"])) for row in most)
        if source.written == "json" and rule == "type":
            values = tuple((parsed(text), rows) for text, rows in values)
        yield field, rule, Offenders(int(whole["rows"]), whole["different"], values)


def parsed(text: str) -> Any:
    """A value of a JSON file, of whatever type; an object or an array stays text, and so does what was cut short."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return text if isinstance(value, dict | list) else value


def offenders(source: Source, contract: Contract, field: Field, rule: Rule) -> ir.Table:
    """The values that break one clause, each with its rows."""
    stored = source.stored(field.name)
    if rule == "type":
        values, breaks = stored, stored.notnull()
        if source.can_hold(field.name, field.type):
            breaks &= source.value(field.name, field.type).isnull()
    else:
        values = source.value(field.name, field.type)
        breaks = values.notnull() if rule == "unique" else dict(tests(source, contract, field))[rule]
    counted = source.table.filter(breaks).select(value=values).group_by("value").aggregate(rows=lambda t: t.count())
    return counted.filter(counted.rows > 1) if rule == "unique" else counted
