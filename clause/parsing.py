"""`S.parse`: safe casts, then every value held to its clauses, by the engine of `validate` and in one query.

A cast is safe where nothing is lost: text that is written as its type is, and any value that comes back the same when
it is cast back. What does not is NULL here, and so a violation of "type", with its value and count.
"""

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import ibis.expr.datatypes as dt
import ibis.expr.types as ir

from clause import engines, matching, tables
from clause.columns import Check
from clause.judging import Violation, broken, judge, quoted, shown
from clause.reading import Reading, zone_of
from clause.schemas import NOTHING, Schema, as_table, failure, misfits, wrong
from clause.sources import WRITTEN, ZONE, Source, is_plain, open_relation, open_source
from contracts import Contract, DataError
from contracts.errors import (
    CheckExecutionError,
    CoercionError,
    ConstraintError,
    StructuralError,
    ValidationError,
    ValidationPhase,
)

PARSE = ValidationPhase.PARSE
ONE_AT_A_TIME = threading.RLock()  # a connection of ibis to DuckDB hangs where two threads use it at once


def parsed(schema: type[Schema], value: Any) -> ir.Table:
    """The table with each column as the schema wants it, after all its values were checked."""
    table = as_table(value, schema, PARSE)
    actual = table.schema()
    faults = list(misfits(schema, actual, types_too=False))
    judged_by = schema._fields
    targets: dict[str, dt.DataType] = {}
    for name, column in schema._columns.items():
        if name in actual and not column.fits(actual[name]):
            target = targets[name] = column.target(actual[name], zone_of(judged_by or NOTHING))
            if not is_castable(actual[name], target):
                says = f"the column is {actual[name]}, which cannot become {column.dtype}"
                faults.append(broken(judged_by, "type", name, says, 0, 0))  # type: ignore[arg-type]
    if faults:
        raise failure(StructuralError, schema, PARSE, faults)
    if judged_by is not None:
        with ONE_AT_A_TIME:
            check(schema, judged_by, table, targets)
    casts = {name: safe(table[name], target) for name, target in targets.items()}
    if casts:
        table = table.mutate(**casts)
    order = (*schema._columns, *(name for name in actual.names if name not in schema._columns))
    return table if order == tuple(table.columns) else table.select(*order)


def check(schema: type[Schema], judged_by: Contract, table: ir.Table, targets: Mapping[str, dt.DataType]) -> None:
    """Count who breaks which clause, and raise what there is to say of it."""
    checks = {name: own for name, column in schema._columns.items() if (own := tuple(column.split()[1]))}
    try:
        source = opened(table, schema, targets, checks)
    except Exception as error:
        raise unreadable(schema, error) from error
    trial(schema, source)
    try:
        reading = tables.read_table(source, judged_by)
    except DataError as error:
        raise culprit(schema, judged_by, source, error) from error
    if unread := [name for name in schema._columns if name not in reading.tallies]:  # DuckDB takes Price for price
        says = "cannot be checked: the engine does not tell it from another column; rename one of them"
        raise wrong(CheckExecutionError, schema, PARSE, [f"{quoted(name)} {says}" for name in unread])
    violations = list(found(schema, judged_by, reading, checks))
    if not violations and reading.unchecked:
        sentences = [f"{name}: the {rule} cannot be checked: {why}" for (name, rule), why in reading.unchecked.items()]
        raise wrong(CheckExecutionError, schema, PARSE, sentences)
    if violations:
        kind = CoercionError if any(violation.rule == "type" for violation in violations) else ConstraintError
        raise failure(kind, schema, PARSE, violations)


def found(
    schema: type[Schema],
    judged_by: Contract,
    reading: Reading,
    checks: Mapping[str, tuple[Check, ...]],
) -> Iterator[Violation]:
    """The violations, in the order of the columns."""
    by_column: dict[str | None, list[Violation]] = {}
    for violation in judge(reading, judged_by, None, None):
        if isinstance(violation, Violation) and violation.rule != "freshness":
            by_column.setdefault(violation.field, []).append(violation)
    for name in schema._columns:
        tally = reading.tallies[name]
        for violation in by_column.get(name, ()):
            if violation.rule == "type":
                says = f"cannot become {schema._columns[name].dtype} without loss"
                mistyped = tally.broken["type"]
                violation = broken(judged_by, "type", name, says, violation.failing, violation.checked, mistyped)
            yield violation
        for number, each in enumerate(checks.get(name, ())):
            if offenders := tally.broken.get(f"check{number}"):
                says = f"fail the check {quoted(shown(each.name, 'check'))}"
                yield broken(judged_by, "check", name, says, offenders.failing, tally.typed, offenders)


# --- the table as the engine reads it ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Held(Source):
    """A table whose columns are of the types of a schema, or are to be cast to `targets`."""

    targets: Mapping[str, dt.DataType] = field(default_factory=dict)
    own: Mapping[str, tuple[Check, ...]] = field(default_factory=dict)

    def can_hold(self, column: str, type: str) -> bool:
        return True

    def is_untyped(self, column: str) -> bool:
        return False

    def value(self, column: str, type: str) -> ir.Value:
        if column not in self.targets:
            return self.stored(column)
        values = self.typed(column)
        return values if is_plain(values.type()) else values.cast("string")

    def typed(self, column: str) -> ir.Value:
        """The values of a column as its checks see them, in the type that the schema says."""
        values = self.table[self.opaque.get(column, self.names[column])]
        if column in self.targets:
            return safe(values, self.targets[column])
        return self.stored(column) if values.type().is_floating() else values

    def checks(self, column: str) -> Iterator[tuple[str, ir.BooleanValue]]:
        """For each check of the schema's own, which rows fail it."""
        for number, each in enumerate(self.own.get(column, ())):
            yield f"check{number}", ~each.test(self.typed(column))

    @property
    def form(self) -> Any:
        return super().form, tuple(self.targets.items()), tuple(self.own.items())


def opened(
    table: ir.Table, schema: type[Schema], targets: Mapping[str, dt.DataType], checks: Mapping[str, tuple[Check, ...]]
) -> Held:
    """The table as a source; one that DuckDB holds is read as a relation, whose queries are compiled only once."""
    wanted = set(schema._columns)
    backend = table._find_backend(use_default=True)
    if backend.name == "duckdb":
        backend._run_pre_execute_hooks(table)
        relation = backend.con.sql(backend.compile(table))
        source = open_relation("the table", relation, wanted)
    else:
        source = open_source(table, wanted)
    parts = {part.name: getattr(source, part.name) for part in fields(source)}
    parts["integers"] = frozenset(targets)  # ask of these how many values are of their type
    return Held(**parts, targets=targets, own=checks)


# --- casts that lose nothing ------------------------------------------------------------------------------------------


def kind_of(dtype: dt.DataType) -> str:
    if dtype.is_string():
        return "text"
    if dtype.is_numeric() or dtype.is_boolean():
        return "number"
    if dtype.is_date():
        return "date"
    if dtype.is_timestamp():
        return "instant" if dtype.timezone else "timestamp"
    return "array" if dtype.is_array() else str(dtype)


CASTABLE = {
    *(("text", kind) for kind in ("number", "date", "timestamp", "instant")),
    *((kind, "text") for kind in ("number", "date", "timestamp")),
    *(("date", "timestamp"), ("timestamp", "date")),
}


def is_castable(actual: dt.DataType, target: dt.DataType) -> bool:
    """Whether values of one type can become another at all."""
    one, other = kind_of(actual), kind_of(target)
    return actual.is_null() or one == other or (one, other) in CASTABLE


def safe(values: ir.Value, target: dt.DataType) -> ir.Value:
    """The values in another type, NULL where something would be lost."""
    actual, nothing = values.type(), None
    if actual.is_null() or (actual.is_array() and actual.value_type.is_null()):
        return values.cast(target)
    if actual.is_string():
        return read(values, target)
    if actual.is_floating() and not target.is_floating():
        values = values.isnan().ifelse(nothing, values)
    if target.is_string():
        return values.cast(target)
    there = engines.try_cast(values, target)
    return (engines.try_cast(there, actual) == values).ifelse(there, nothing)


def read(text: ir.Value, target: dt.DataType) -> ir.Value:
    """Text as the values that it writes."""
    if target.is_decimal():
        scale = target.scale or 0
        form = rf"^[+-]?([0-9]+(\.[0-9]{{0,{scale}}}0*)?|\.[0-9]{{1,{max(scale, 1)}}}0*)$"
        return engines.try_cast(matching.matches(text, form).ifelse(text, None), target)
    names = {
        "boolean": target.is_boolean(),
        "integer": target.is_integer(),
        "number": target.is_floating(),
        "date": target.is_date(),
        "timestamp": target.is_timestamp(),
    }
    form = next((WRITTEN[name] for name, is_so in names.items() if is_so), "")
    typed = matching.matches(text, form).ifelse(text, None)
    if target.is_boolean():
        return typed.lower() == "true"
    if target.is_timestamp() and target.timezone == "UTC":  # said, or it would be that of the session
        typed = has_zone(typed).ifelse(typed, typed + "Z")
    elif target.is_timestamp():  # a zone would be lost, or one is missing
        typed = (has_zone(typed) == bool(target.timezone)).ifelse(typed, None)
    return engines.try_cast(typed, target)


def has_zone(text: ir.Value) -> ir.BooleanValue:
    """Whether text that is written as a timestamp ends in a time zone."""
    return matching.matches(text, f"[^\\n]*{ZONE}")


# --- checks that fail themselves --------------------------------------------------------------------------------------


def trial(schema: type[Schema], source: Held) -> None:
    """Make each check of the schema's own once: it has to give a boolean for each row."""
    for name, checks in source.own.items():
        for each in checks:
            try:
                made = each.test(source.typed(name))
            except Exception as error:
                raise failed(schema, name, each, f"raised {type(error).__name__}: {error}", error) from error
            if not isinstance(made, ir.BooleanValue):
                says = f"gave {str(made)[:60]!r}" if not isinstance(made, ir.Expr) else f"gave a {type(made).__name__}"
                raise failed(schema, name, each, f"{says}, not a boolean expression")
            if not made.op().shape.is_columnar():
                raise failed(schema, name, each, "gave one boolean for the whole table, not one for each row")


def failed(
    schema: type[Schema], name: str, check: Check, says: str, original: BaseException | None = None
) -> ValidationError:
    sentence = f"{name}: the check {quoted(shown(check.name, 'check'))} {says[:300]}"
    return wrong(CheckExecutionError, schema, PARSE, [sentence], original=original)


def culprit(schema: type[Schema], judged_by: Contract, source: Held, error: DataError) -> ValidationError:
    """Which check the engine could not run, if it was a check."""
    for name, checks in source.own.items():
        for each in checks:
            alone = replace(source, own={name: (each,)})
            try:
                tables.read_table(replace(source, own={}), judged_by)
            except DataError:
                return unreadable(schema, error)
            try:
                tables.read_table(alone, judged_by)
            except DataError as reason:
                return failed(schema, name, each, f"cannot be run by the engine: {reason}", reason)
    return unreadable(schema, error)


def unreadable(schema: type[Schema], error: Exception) -> ValidationError:
    """The table itself cannot be read: neither right nor wrong."""
    said = str(error).strip().splitlines() or [type(error).__name__]
    if "unbound tables" in said[0]:  # of ibis, which then speaks of its own methods
        said = ["parse has to read rows, and this table has none: it is bound to no database; use cast"]
    return wrong(ValidationError, schema, PARSE, [said[0][:500]], original=error)
