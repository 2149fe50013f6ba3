"""Quarantine: the rows that keep every row-level clause, and those that do not, each with the clauses it breaks.

Row-level clauses are type, required, enum, range, pattern and unique. A table whose structure is broken (a column is
missing, or there is one that the contract forbids) is quarantined whole. Accepted and quarantined together are the
input, row for row; both are of the kind that came in.
"""

import fnmatch
import functools
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import ibis
import ibis.expr.operations as ops
import ibis.expr.types as ir
import pyarrow as pa
import pyarrow.compute

from clause import engines, reading, tables
from clause.files import kind_of, listed, literal, paths_of, watch
from clause.frames import collected, is_integer_like, records, whole
from clause.reading import Row, is_missing, repeats, zone_of
from clause.sources import MixedTypes, Source, connect, open_source, unreadable
from contracts import Contract, DataError, quoting
from contracts.writing import all_or_none

REASONS = "broken_clauses"
# What a spreadsheet takes for a formula (OWASP's list for CSV injection, and the wide signs), and the numbers among it.
FORMULA = "^\\s*[=+\\-@\uff0b\uff0d\uff1d\uff20]|^[\\t\\r\\n]"
NUMBER = r"^\s*[+-][0-9 .,()/-]*([eE][+-]?[0-9]+)?\s*$"
Reasons = dict[int, list[str]]  # row number -> the clauses it breaks, as "field: rule"


def structural(columns: tuple[str, ...], contract: Contract) -> list[str]:
    """The clauses that the table breaks by its columns alone."""
    named = [field.name for field in contract.fields]
    extra = [] if contract.evolution.additive == "allowed" else [name for name in columns if name not in named]
    missing = [f"{name}: missing" for name in named if name not in columns]
    return missing + [f"{name}: additive" for name in extra if name != REASONS]


# --- rows as mappings ------------------------------------------------------------------------------------------------


def reasons_of_rows(rows: list[Row], contract: Contract) -> Reasons:
    """The clauses that each row breaks, in plain Python."""
    keys = reading.keys_of(rows)
    whole = structural(tuple(keys), contract)
    reasons: Reasons = {i: list(whole) for i in range(len(rows))}
    for field in contract.fields:
        if field.name not in keys:
            continue
        is_typed, fails = reading.IS_TYPE[field.type], reading.tests(field, zone_of(contract))
        values = [row.get(keys[field.name]) for row in rows]
        typed = [not is_missing(value) and is_typed(value) for value in values]
        repeated = repeats(v for v, is_right in zip(values, typed, strict=True) if is_right) if field.unique else set()
        for i, (value, is_right) in enumerate(zip(values, typed, strict=True)):
            if is_missing(value):
                broken = ["required"] if field.required else []
            elif not is_right:
                broken = ["type"]
            else:
                broken = [rule for rule, fail in fails.items() if fail(value)]
                broken += ["unique"] if field.unique and value in repeated else []
            reasons[i] += [f"{field.name}: {rule}" for rule in broken]
    return {i: broken for i, broken in reasons.items() if broken}


def split_rows(rows: list[Row], contract: Contract) -> tuple[list[Row], list[Row]]:
    """Rows as mappings, as two lists of them."""
    reasons = reasons_of_rows(rows, contract)
    accepted = [row for i, row in enumerate(rows) if i not in reasons]
    return accepted, [{**row, REASONS: reasons[i]} for i, row in enumerate(rows) if i in reasons]


# --- tables ----------------------------------------------------------------------------------------------------------


def broken_clauses(source: Source, contract: Contract, as_list: bool = True) -> ir.Value:
    """The clauses that each row breaks, as an expression over the table: a list, or text as "a: type; b: enum"."""

    engine = engines.engine_of(source.table)

    def text(reason: str) -> ir.Value:
        return engines.text_literal(reason, engine)

    for name, why in tables.unsearchable(source, contract).items():
        raise DataError(f"{source.origin}, column {name!r}: cannot be split by its pattern: {why}; use DuckDB for it")
    reasons = [text(reason) for reason in structural(source.columns, contract)]
    for field in contract.fields:
        if field.name not in source.columns:
            continue
        stored = source.stored(field.name)
        broken: list[tuple[str, ir.BooleanValue]] = []
        if field.required:
            broken.append(("required", stored.isnull()))
        if not source.can_hold(field.name, field.type):
            broken.append(("type", stored.notnull()))
        else:
            values = source.value(field.name, field.type)
            if source.written != "typed" or field.name in source.integers:
                broken.append(("type", stored.notnull() & values.isnull()))
            broken += tables.tests(source, contract, field)
            if field.unique:
                # Not a window: that would hold every row, and lose their order.
                counted = source.table.select(value=values).group_by("value").aggregate(rows=lambda t: t.count())
                broken.append(("unique", values.isin(counted.filter(counted.rows > 1).value)))
        for rule, fails in broken:
            reason = text(f"{field.name}: {rule}")
            reasons.append(fails.fill_null(False).ifelse(reason, ibis.null("string")))
    if not as_list:
        parts = [ibis.literal("; ") + reason for reason in reasons]
        joined = functools.reduce(lambda one, other: one + other.fill_null(""), parts, ibis.literal(""))
        return joined.substr(2)
    # Led by a NULL: DuckDB's SQL for an array that begins with a query would be another one.
    return engines.compact(ibis.array([ibis.null("string"), *reasons]))


def split_table(table: ir.Table, contract: Contract) -> tuple[ir.Table, ir.Table]:
    """An ibis table, as two that its engine computes when they are used; the list is text where it has no lists."""
    as_list = table.get_backend().has_operation(ops.ArrayFilter)
    source = open_source(table)
    table, broken = source.table, broken_clauses(source, contract, as_list)
    return table.filter(broken.length() == 0), table.mutate(**{REASONS: broken}).filter(
        lambda t: t[REASONS].length() > 0
    )


def split_relation(rows: object, contract: Contract, *, as_written: bool = False) -> tuple[Any, Any]:
    """A DuckDB relation or files, as two relations: read when they are used, and never held in memory whole.

    The accepted cells of text files get the contract's types, unless they are wanted as written.
    """
    source = open_source(rows, timezone=zone_of(contract))
    source = source.parse({field.name: field.type for field in contract.fields})
    judged = source.table.mutate(**{REASONS: broken_clauses(source, contract)})
    is_broken = judged[REASONS].length() > 0
    if not source.columns:
        raise DataError(f"{source.origin}: has no columns, so there are no cells to put in quarantine", source.origin)
    cells = {**source.names, **source.opaque, **({} if as_written else source.texts)}
    stored = {name: source.table[cells[name]] for name in source.columns}
    typed, wide = dict(stored), list[str]()
    if source.written != "typed" and not as_written:
        fields = [field for field in contract.fields if field.name in stored]
        values = {field.name: (field.type, source.value(field.name, field.type)) for field in fields}
        wide = beyond_int64(source, [name for name, (type, _) in values.items() if type == "integer"])
        narrow = [name for name, (type, _) in values.items() if type == "integer" and name not in wide]
        typed |= {name: value.cast("int64") if name in narrow else value for name, (_, value) in values.items()}
    accepted = source.relate(judged.filter(~is_broken).select(**typed))
    if wide:
        names = (quoting.identifier(name) for name in wide)
        accepted = accepted.project(f"* replace ({', '.join(f'{name}::hugeint as {name}' for name in names)})")
    return (
        accepted,
        source.relate(judged.filter(is_broken).select(**{**stored, REASONS: judged[REASONS]})),
    )


def beyond_int64(source: Source, names: list[str]) -> list[str]:
    """The columns of text files with an integer that 64 bits do not hold."""
    values = {name: source.value(name, "integer") for name in names}
    asked = {
        f"wide {i}": (value.try_cast("int64").isnull() & value.notnull()).any()
        for i, value in enumerate(values.values())
    }
    found = source.run(source.table.aggregate(**asked))[0] if asked else {}
    return [name for i, name in enumerate(values) if found[f"wide {i}"]]


# --- data frames -----------------------------------------------------------------------------------------------------


def reasons_of_frame(frame: Any, contract: Contract) -> Reasons:
    """The clauses that each row of a pandas, polars or Arrow table breaks."""
    columns = list(map(str, frame.column_names if isinstance(frame, pa.Table) else frame.columns))
    row = "row" + "_" * max(map(len, columns), default=0)  # longer than any column's name, so none has it
    if isinstance(frame, pa.Table):
        numbered = frame.append_column(row, pa.arange(0, len(frame)))
    elif hasattr(frame, "with_row_index"):
        numbered = frame.with_row_index(row)
    else:
        numbered = frame.set_axis(columns, axis=1).assign(**{row: range(len(frame))})  # names of several levels, too
    try:
        source = open_source(numbered, [*(field.name for field in contract.fields), row], timezone=zone_of(contract))
    except MixedTypes:
        return reasons_of_rows(records(frame), contract)
    source = replace(source, columns=tuple(name for name in source.columns if name != row))
    judged = source.table.select(row=source.table[source.names[row]], reasons=broken_clauses(source, contract))
    return {found["row"]: found["reasons"] for found in source.run(judged.filter(judged.reasons.length() > 0))}


def split_arrow(frame: pa.Table, broken: list[bool], reasons: list[list[str]]) -> tuple[pa.Table, pa.Table]:
    mask = pa.array(broken, pa.bool_())
    bare = frame.drop_columns([REASONS]) if REASONS in frame.column_names else frame
    lists = pa.array(reasons, pa.list_(pa.string()))
    try:
        return frame.filter(pa.compute.invert(mask)), bare.filter(mask).append_column(REASONS, lists)
    except pa.ArrowNotImplementedError as error:  # Arrow cannot filter every type that it has
        raise unreadable("the Arrow table", error) from error


def split_polars(frame: Any, broken: list[bool], reasons: list[list[str]]) -> tuple[Any, Any]:
    polars = sys.modules["polars"]
    mask = polars.Series(broken, dtype=polars.Boolean)
    lists = polars.Series(REASONS, reasons, dtype=polars.List(polars.String))
    return frame.filter(~mask), frame.filter(mask).with_columns(lists)


def split_pandas(frame: Any, broken: list[bool], reasons: list[list[str]], contract: Contract) -> tuple[Any, Any]:
    pandas = sys.modules["pandas"]
    mask = pandas.Series(broken, index=frame.index, dtype=bool)
    accepted, quarantined = frame[~mask], frame[mask]
    integers = {field.name for field in contract.fields if field.type == "integer"}
    for i, name in enumerate(map(str, frame.columns)):
        if name in integers and is_integer_like(frame.iloc[:, i]):
            # pandas held these integers as floats because of the gaps; without the gaps they would pass for floats
            accepted = accepted.copy(deep=False)
            accepted.isetitem(i, accepted.iloc[:, i].astype("Int64"))
    quarantined = quarantined.copy(deep=False)
    levels = frame.columns.nlevels
    label: Any = REASONS if levels == 1 else (REASONS, *[""] * (levels - 1))
    quarantined[label] = pandas.Series(reasons, index=quarantined.index, dtype=object)
    return accepted, quarantined


def split(rows: object, contract: Contract) -> tuple[Any, Any]:
    """Accepted and quarantined, of the kind that came in; a path gives two DuckDB relations."""
    if isinstance(rows, ir.Table):
        return split_table(rows, contract)
    library = reading.package_of(rows)
    if library == "polars" and hasattr(rows, "lazy"):
        rows = collected(rows)
    if isinstance(rows, pa.RecordBatchReader | pa.RecordBatch):
        rows = whole(rows)
    if not isinstance(rows, pa.Table) and not (library in ("pandas", "polars") and hasattr(rows, "columns")):
        return split_relation(rows, contract)
    frame: Any = rows
    found = reasons_of_frame(frame, contract)
    broken, reasons = [i in found for i in range(len(frame))], [found[i] for i in sorted(found)]
    if isinstance(rows, pa.Table):
        return split_arrow(frame, broken, reasons)
    if library == "polars":
        return split_polars(frame, broken, reasons)
    return split_pandas(frame, broken, reasons, contract)


# --- files -----------------------------------------------------------------------------------------------------------


def write(
    pattern: str, contract: Contract, folder: Path, unchanged: Callable[[], None] | None = None
) -> dict[Path, int]:
    """Write the accepted and the quarantined rows of files as two files of the same kind in `folder`; count both.

    Both appear whole or not at all; cells stay as they were written, but for an apostrophe before what a spreadsheet
    would run: people open the quarantined CSV in one, while what is accepted goes on to programs. unchanged: raises
    DataError where the files are not those of which the verdict was. Raises DataError where they cannot be read, or
    the two not be written.
    """
    unchanged = unchanged or watch(pattern)
    accepted, quarantined = split_relation(pattern, contract, as_written=True)
    suffix = {"csv": ".csv", "parquet": ".parquet"}.get(kind_of(pattern) or "", ".jsonl")
    names = [f"{name}{suffix}" for name in ("accepted", "quarantined")]
    inputs = {Path(path).resolve() for path in paths_of(pattern)}
    for target in (folder.resolve() / name for name in names):
        if target in inputs or fnmatch.fnmatch(str(target), str(Path(pattern).absolute())):
            raise DataError(f"{target}: is among the data that {pattern} names; name another folder for the quarantine")
    try:
        with all_or_none(folder, names) as half:
            for name, relation in zip(names, (accepted, quarantined), strict=True):
                save(relation, half / name, tame=relation is quarantined)
            counts = [rows_in(half / name) for name in names]
            unchanged()
    except (OSError, duckdb.Error) as error:
        unchanged()
        why = str(error).splitlines()[0]
        raise DataError(f"{folder}: cannot write the quarantine ({why}); make room or name another folder") from error
    return {folder / name: rows for name, rows in zip(names, counts, strict=True)}


def save(relation: duckdb.DuckDBPyRelation, path: Path, *, tame: bool) -> None:
    """Write the rows in the form that the path's suffix names; the list of reasons is text in CSV, a list elsewhere.

    tame: in CSV, no cell and no name is a formula.
    """
    if path.suffix == ".parquet":
        relation.to_parquet(str(path))
        return
    columns = []
    for name in relation.columns:
        quoted = quoting.identifier(name)
        if path.suffix == ".csv":
            cell = f"array_to_string({quoted}, '; ')" if name == REASONS else quoted
            if tame:
                cell = f"case when {is_formula(cell)} then chr(39) || {cell} else {cell} end"
                quoted = quoting.identifier(f"'{name}") if re.match(FORMULA, name) else quoted
            columns.append(f"{cell} as {quoted}")
        else:
            columns.append(quoted if name == REASONS else f"{quoted}::json as {quoted}")
    form = "format csv, header" if path.suffix == ".csv" else "format json"
    target = quoting.text(str(path))
    relation.query("written", f"copy (select {', '.join(columns)} from written) to {target} ({form})")


def rows_in(path: Path) -> int:
    """How many rows a file has that `save` has written; DuckDB does not say it."""
    if path.suffix == ".parquet":
        counted = connect().sql(f"select count(*) from read_parquet({listed([literal(str(path))])})")
        return int(counted.fetchall()[0][0])
    rows, in_quotes = -1 if path.suffix == ".csv" else 0, False
    with path.open("rb") as file:
        for line in file:
            in_quotes ^= path.suffix == ".csv" and line.count(b'"') % 2 == 1
            rows += not in_quotes
    return rows


def is_formula(cell: str) -> str:
    """The condition in SQL that a spreadsheet would take the text for a formula: `=1`, `@SUM(A1)`, but not `-5`."""
    return f"(regexp_matches({cell}, {quoting.text(FORMULA)}) and not regexp_matches({cell}, {quoting.text(NUMBER)}))"
