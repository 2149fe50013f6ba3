"""Where engines differ, and what the answer is then: the same verdict, or none, and never a wrong one.

ibis writes the SQL of each engine, but it cannot make two engines mean the same: how text is written and sorted, what
NaN and NUL are, which time a time without a zone is, and what a cast does with a value that does not fit.
"""

import functools
import re
import sys
from collections.abc import Iterable, Iterator
from datetime import datetime
from decimal import Decimal
from typing import Any

import ibis
import ibis.expr.datatypes as dt
import ibis.expr.operations as ops
import ibis.expr.types as ir

NO_TRY_CAST = ("postgres", "risingwave")  # ibis gives them a CAST, which stops at the first value that does not fit
NO_NUL = ("postgres", "risingwave")  # text cannot hold the character NUL


def engine_of(values: ir.Value | ir.Table) -> str:
    """The name of the engine that holds these values, such as "pyspark"."""
    if backends := values._find_backends()[0]:
        return str(backends[0].name)
    default = ibis.options.default_backend
    return "duckdb" if default is None else str(default.name)


def fetch(query: ir.Table) -> list[dict[str, Any]]:
    """The rows of a query as Python values.

    ibis would lose some on their way: Spark's year 9999 in pandas, the digits of PostgreSQL's NUMERIC in Arrow.
    """
    backend = query._find_backend(use_default=True)
    if backend.name == "postgres":
        backend._run_pre_execute_hooks(query)
        with backend.con.transaction(), backend.con.cursor() as cursor:
            found = cursor.execute(backend.compile(query)).fetchall()
        return [dict(zip(query.columns, row, strict=True)) for row in found]
    if backend.name == "pyspark":
        backend._run_pre_execute_hooks(query)
        frame = backend.raw_sql(backend.compile(query))
        if hasattr(frame, "toArrow"):  # from Spark 4 on
            return list(frame.toArrow().to_pylist())
    return list(query.to_pyarrow().to_pylist())


def hidden_name(table: ir.Table) -> str | None:
    """The name of a table that ibis's own `WITH t1 AS` could hide: one without a schema before it."""
    named = (op for op in table.op().find(ops.DatabaseTable) if not op.namespace.database)
    return next((str(op.name) for op in named if re.fullmatch(r"t\d+", op.name, re.IGNORECASE)), None)


def reason(error: Exception) -> str:
    """What an engine's error says, in its first line; for a job of Spark that failed, what made it fail."""
    text = str(error).strip()
    causes = re.findall(r"^Caused by: (.+)$", text, re.MULTILINE)
    return str(causes[-1]) if causes and type(error).__module__.startswith("py4j") else text


def ranked(values: ir.Value) -> ir.Value:
    """What to sort by, so that text comes in the order of its characters whatever the database's collation."""
    if values.type().is_string() and engine_of(values) == "postgres":
        return convert_to(values, "UTF8")
    return values


@ibis.udf.scalar.builtin(name="convert_to", signature=(("string", "string"), "binary"))
def convert_to(text, encoding): ...  # type: ignore[no-untyped-def]


def present(values: ir.Value) -> ir.Value:
    """The values, NULL where one is NaN."""
    kind = values.type()
    if kind.is_floating():
        return values.isnan().ifelse(ibis.null(kind), values)
    if kind.is_decimal() and engine_of(values) == "postgres":  # its NUMERIC has a NaN too
        return (values.cast("string") == "NaN").ifelse(None, values)
    return values


UNWRITTEN = {"pyspark": "\0\a\f\v$"}  # what SQL text cannot hold, or not as ibis writes it; Spark puts in a ${variable}


def text_literal(text: str, engine: str) -> ir.Value:
    """A text of the contract in the engine's SQL."""
    parts = re.split(f"([{UNWRITTEN.get(engine, chr(0))}])", text)
    written = (character(ibis.literal(ord(part))) if i % 2 else ibis.literal(part) for i, part in enumerate(parts))
    return functools.reduce(lambda one, other: one + other, written)


@ibis.udf.scalar.builtin(name="chr", signature=(("int32",), "string"))
def character(code): ...  # type: ignore[no-untyped-def]


def time_literal(wall: datetime, engine: str) -> ir.Value:
    """A time without a zone; Spark would make an instant of it, in the zone of the session."""
    if engine == "pyspark":
        return to_timestamp_ntz(ibis.literal(wall.isoformat(sep=" ")))
    return ibis.literal(wall, "timestamp")


def null(kind: dt.DataType, engine: str) -> ir.Value:
    """NULL in that type."""
    if engine == "pyspark" and kind.is_timestamp() and not kind.timezone:
        return to_timestamp_ntz(ibis.null("string"))
    return ibis.null(kind)


@ibis.udf.scalar.builtin(name="to_timestamp_ntz", signature=(("string",), "timestamp"))
def to_timestamp_ntz(text): ...  # type: ignore[no-untyped-def]


def as_text(values: ir.Value) -> ir.Value:
    """Values of a type that no contract has, as text."""
    if values.type().is_binary() and engine_of(values) == "pyspark":  # which would take the bytes for UTF-8
        return hexadecimal(values)
    return values.cast("string")


@ibis.udf.scalar.builtin(name="hex", signature=(("binary",), "string"))
def hexadecimal(values): ...  # type: ignore[no-untyped-def]


def storable(texts: Iterable[Any], engine: str) -> list[Any]:
    """Those of a contract's values that a column of the engine can hold; no row has another one."""
    return [text for text in texts if not (engine in NO_NUL and isinstance(text, str) and "\0" in text)]


def compact(array: ir.ArrayValue) -> ir.Value:
    """The array without its NULLs; Spark allows no query, such as that for `unique`, inside its own FILTER."""
    if engine_of(array) == "pyspark":
        return array_compact(array)
    return array.filter(lambda item: item.notnull())


@ibis.udf.scalar.builtin(name="array_compact", signature=(("array<string>",), "array<string>"))
def array_compact(array): ...  # type: ignore[no-untyped-def]


# --- time zones ------------------------------------------------------------------------------------------------------


def zoned(table: ir.Table) -> ir.Table:
    """The table with types that tell Spark's TIMESTAMP, an instant, from TIMESTAMP_NTZ: ibis has one name for both.

    Spark looks at its catalogue for that, and runs nothing.
    """
    if engine_of(table) != "pyspark" or not any(kind.is_timestamp() for kind in table.schema().types):
        return table
    backend = table._find_backend()
    backend._run_pre_execute_hooks(table)
    stored = backend.raw_sql(backend.compile(table)).schema.fields
    instants = [name for name, field in zip(table.columns, stored, strict=True) if is_instant(field.dataType)]
    return table.mutate(**{name: table[name].cast("timestamp('UTC')") for name in instants}) if instants else table


def is_instant(spark_type: Any) -> bool:
    return bool(spark_type.typeName() == "timestamp")


@ibis.udf.scalar.builtin(name="timezone", signature=(("string", "timestamp('UTC')"), "timestamp"))
def timezone(zone, moment): ...  # type: ignore[no-untyped-def]


@ibis.udf.scalar.builtin(name="convert_timezone", signature=(("string", "timestamp('UTC')"), "timestamp"))
def convert_timezone(zone, moment): ...  # type: ignore[no-untyped-def]


def wall_time(moment: ir.Value, engine: str) -> ir.Value:
    """An instant as the time in UTC without a zone; a cast would take the zone of the session."""
    if not moment.type().timezone:
        return moment
    match engine:
        case "duckdb" | "postgres":
            return timezone("UTC", moment)
        case "pyspark":
            return convert_timezone("UTC", moment)
    return moment


# --- casts -----------------------------------------------------------------------------------------------------------

DAY = (
    r"^([0-9]{3}[1-9]|[0-9]{2}[1-9]0|[0-9][1-9]00|[1-9]000)-"
    r"((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-9]))"
)
LEAP = r"^([0-9]{2}(0[48]|[2468][048]|[13579][26])|(0[48]|[2468][048]|[13579][26])00)"
CLOCK = r"([T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]+)?)? ?(Z|z|[+-](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$"
NO_SECONDS = r"^([^:]+:[0-9]{2})( ?[Zz+-].*)$"


def try_cast(values: ir.Value, target: dt.DataType | str) -> ir.Value:
    """The values in another type, NULL where one does not fit; text has to be in the form of its type."""
    target = ibis.dtype(target)
    engine = engine_of(values)
    if engine in ("duckdb", "pyspark") and values.type().is_string() and target.is_timestamp():
        # They read no zone after 14:07, only after 14:07:00, and no z or blank before the zone.
        one, two = ("$1", "$2") if engine == "pyspark" else (r"\1", r"\2")
        longer = values.re_replace(NO_SECONDS, f"{one}:00{two}").re_replace(" ?[Zz]$", "Z")
        longer = longer.re_replace(" ([+-][0-9:]+)$", one)
        return ibis.coalesce(values.try_cast(target), longer.try_cast(target))
    if engine not in NO_TRY_CAST:
        return values.try_cast(target)
    fits = functools.reduce(lambda one, other: one & other, conditions(values, target), ibis.literal(True))
    return fits.ifelse(values, ibis.null(values.type())).cast(target)


def conditions(values: Any, target: dt.DataType) -> Iterator[ir.BooleanValue]:
    """What has to be so for a CAST in PostgreSQL not to fail."""
    kind = values.type()
    if kind.is_string() and (target.is_date() or target.is_timestamp()):
        yield values.re_search(DAY + CLOCK)
        yield (values.substr(4, 6) != "-02-29") | values.re_search(LEAP)
    elif kind.is_string() and target.is_numeric():
        # NUMERIC without a precision holds 131,072 digits, so what is this short fits in there.
        short = (values.length() < 2000) & ~values.re_search(r"[eE][+-]?0*[1-9][0-9]{4}")
        yield short
        size = short.ifelse(values, ibis.null("string")).cast("decimal").abs()
        if target.is_floating():
            yield (size == 0) | size.between(Decimal("5e-324"), Decimal(sys.float_info.max))
        else:
            yield size < Decimal(least_beyond(target))
    elif kind.is_numeric() and not kind.is_boolean() and target.is_integer():
        low, high = target.bounds.lower, target.bounds.upper
        # As floats the bounds are powers of two, of which the upper one is already too much.
        yield (values >= low) & (values < float(high + 1) if kind.is_floating() else values <= high)
    elif kind.is_numeric() and target.is_decimal():
        most = least_beyond(target)
        yield (values.abs() < float(most)) if kind.is_floating() else values.abs() < Decimal(most)


def least_beyond(target: Any) -> int:
    """The least positive number that is too large for an integer or decimal type."""
    if target.is_integer():
        return int(target.bounds.upper) + 1
    return int(10 ** ((target.precision or 38) - (target.scale or 0)))
