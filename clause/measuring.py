"""Measuring a table: what `monitors` wants to know of each day, as aggregates by day.

The engine that holds the table computes them, so only counts and sums come here: DuckDB in one statement with its
`histogram`, any other engine of ibis in one for the sums and one for each mix, which on DuckDB would take up to 1.3 as
long. An engine without a median (MySQL, SQLite, BigQuery) gives no median price, which no monitor reads; from one that
lacks anything else the columns are fetched, and measured here.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, date
from typing import Any

import ibis
import ibis.expr.operations as ops
import ibis.expr.types as ir
from ibis.common.exceptions import IbisError

from clause import engines
from clause.daybook import ELSE, MISSING, Day, exact
from clause.sources import Source, Type, open_source
from contracts.errors import DataError

TYPES: dict[str, tuple[Type, ...]] = {  # what a column has to hold, where that is not just anything
    "day": ("date", "timestamp"),
    "amount": ("number",),
    "list_amount": ("number",),
    "loaded_at": ("timestamp",),
}
SUMS_OF_64_BITS = ("duckdb", "pyspark", "postgres")  # as tables of ibis: a sum of integers that needs more stops them


def measure(orders: object, columns: Mapping[str, str], known: Sequence[str]) -> Iterator[Day]:
    """The Days of a table in no particular order; `columns` maps the names of a Spec to those of the table."""
    source = open_source(orders, set(columns.values()))
    for name, column in columns.items():
        if column not in source.columns:
            there = ", ".join(map(repr, source.columns)) or "none"
            option = f"--{name.replace('_', '-')} COLUMN{'' if name in ('day', 'amount') else ' or none'}"
            raise DataError(
                f"{source.origin}: no column {column!r} for {name}; name it with {option}; there is {there}"
            )
        types = TYPES.get(name, ())
        if types and not source.is_untyped(column) and not any(source.can_hold(column, type) for type in types):
            found, needed = source.table[source.names[column]].type(), " or ".join(types)
            raise DataError(
                f"{source.origin}: column {column!r} for {name} holds {found}; convert it to {needed} first"
            )
    columns = {name.replace("split_by", "part"): column for name, column in columns.items()}
    try:
        rows = [row for query in aggregates(source, columns) for row in source.run(query)]
    except DataError as error:
        if not isinstance(error.__cause__, IbisError):
            raise
        fetched = open_source(source.table.select(*set(columns.values())).to_pyarrow())
        rows = [row for query in aggregates(fetched, columns) for row in fetched.run(query)]
    return as_days(rows, known)


def is_duckdb(source: Source) -> bool:
    """Whether DuckDB holds the table."""
    return source.relation is not None or source.table.get_backend().name == "duckdb"


def aggregates(source: Source, columns: Mapping[str, str]) -> list[ir.Table]:
    """The sums of each day, its rows per branch, and its rows per kind of goods."""
    rows = typed(source, columns)
    keys = [key for key in ("day", "part") if key in columns]
    sums = {"orders": rows.count(), "left_out": rows.count() - rows.amount.count(), "gmv": total(source, rows.amount)}
    if "list_amount" in columns:
        multiplier = (rows.amount.cast("float64") / rows.list_amount.cast("float64").nullif(0)).round(3)
        present = None if is_duckdb(source) else multiplier.notnull()  # polars would count NULL as a value
        sums |= {"list_value": total(source, rows.list_amount), "multipliers": multiplier.nunique(where=present)}
        if is_duckdb(source) or source.table.get_backend().has_operation(ops.Median):
            sums["median_price"] = rows.list_amount.median()
    if "loaded_at" in columns:
        sums["loaded_at"] = rows.loaded_at.max()
    mixes = [name for name in ("branch", "goods") if name in columns]
    if is_duckdb(source):
        return [rows.group_by(keys).agg(**sums, **{name: histogram(rows[name]) for name in mixes})]
    counts = {name: rows.group_by([*keys, name]).agg(orders=rows.count()) for name in mixes}
    counted = [counts[name].rename(value=name).mutate(of=ibis.literal(name)) for name in mixes]
    return [rows.group_by(keys).agg(**sums), *counted]


def total(source: Source, amounts: Any) -> Any:
    """The sum of a column, whatever its size."""
    is_narrow = source.relation is None and engines.engine_of(source.table) in SUMS_OF_64_BITS
    return (amounts.cast("decimal(28, 0)") if is_narrow and amounts.type().is_integer() else amounts).sum()


@ibis.udf.agg.builtin(name="histogram", signature=(("string",), "map<string, int64>"))
def histogram(values): ...  # type: ignore[no-untyped-def]


def typed(source: Source, columns: Mapping[str, str]) -> ir.Table:
    """The columns under the names of the Spec, with values of the type that each needs."""

    def cells(name: str, column: str) -> Any:
        number, moment = source.value(column, "number"), source.value(column, "timestamp")
        match name:
            case "day":
                moment = engines.wall_time(moment, engines.engine_of(source.table))
                return source.value(column, "date").coalesce(moment.date())
            case "loaded_at":
                return moment
            case "amount" | "list_amount" if number.type().is_floating():
                return (number.abs() < 10**14).ifelse(number, None).cast("decimal(18, 4)")
            case "amount" | "list_amount":
                return number
        text = source.stored(column).cast("string")
        text = text if source.written == "typed" else source.value(column, "string").coalesce(text)
        return text.fill_null(MISSING)

    rows = source.table.select(**{name: cells(name, column) for name, column in columns.items()})
    if "list_amount" in columns:  # an amount counts only beside its list amount, and the other way round
        both = {"amount": rows.list_amount, "list_amount": rows.amount}
        rows = rows.mutate(**{name: other.notnull().ifelse(rows[name], None) for name, other in both.items()})
    return rows


def as_days(rows: Collection[Mapping[str, Any]], known: Sequence[str]) -> Iterator[Day]:
    """The rows of the queries as Days."""
    counts: defaultdict[tuple[Any, ...], Counter[str]] = defaultdict(Counter)
    for row in rows:
        key = row["day"], row.get("part")
        if "of" in row:
            counts[row["of"], *key][row["value"]] += row["orders"]
        for name in {"branch", "goods"} & {*row}:
            counts[name, *key].update(dict(row[name]))
    for row in [row for row in rows if "of" not in row]:
        day, part, loaded_at = row["day"], row.get("part"), row.get("loaded_at")
        if not isinstance(day, date | None):
            says = f"a row has the day {day}; expected one from 0001-01-01 to 9999-12-31"
            raise DataError(f"{says}; correct it, or leave the row out")
        found, goods = (dict(sorted(counts[of, day, part].items())) for of in ("branch", "goods"))
        mix = {name: found.get(name, 0) for name in known} if found else {}
        rest = {name: n for name, n in found.items() if name not in mix}
        yield Day(
            day,
            row["orders"],
            gmv=exact(row["gmv"] or 0),
            list_value=exact(row.get("list_value") or 0),
            multipliers=row.get("multipliers") or None,
            mix=mix | ({ELSE: sum(rest.values())} if mix else rest),
            values=frozenset(found),
            goods=goods,
            median_price=None if (median := row.get("median_price")) is None else exact(median),
            loaded_at=loaded_at and loaded_at.replace(tzinfo=loaded_at.tzinfo or UTC).astimezone(UTC),
            left_out=row["left_out"],
            part=part,
        )
