"""What `rows` may be: every kind of table, opened as one.

A contract speaks of columns, not of libraries. `open_source` takes a pandas, polars or Arrow table, an ibis table of
any back end, a DuckDB relation, or the path (or glob) of CSV, Parquet or JSON files, and gives back a `Source`: its
column names, and for each column an ibis expression of its values *as the contract types them*. Nothing is sniffed:
in a CSV file the contract says what is a number, so leading zeros survive and 'NA' stays Namibia.

Data that cannot be read raises `DataError`: it is neither kept nor broken.
"""

import atexit
import functools
import os
import re
import shutil
import tempfile
import uuid
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import duckdb
import ibis
import ibis.expr.types as ir
from ibis.backends.sql.datatypes import DuckDBType
from ibis.expr.datatypes import DataType, unknown

from clause import engines
from contracts import quoting
from contracts.errors import DataError

Type = Literal["string", "integer", "number", "boolean", "date", "timestamp"]

# How each type is written in a text file. Dates and times are ISO 8601, the form that means the same everywhere.
WRITTEN = {
    "integer": r"^[+-]?[0-9]+$",
    "number": r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$",
    "boolean": r"^([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])$",
    "date": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
    "timestamp": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ]([01][0-9]|2[0-3]):[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?"
    r" ?(Z|z|[+-][0-9]{2}(:?[0-9]{2})?)?$",
}
ZONE = r"(Z|z|[+-][0-9]{2}(:?[0-9]{2})?)$"
PARSED = {
    "string": "string",
    "integer": "decimal(38, 0)",
    "number": "float64",
    "boolean": "boolean",
    "date": "date",
    "timestamp": "timestamp('UTC')",
}
REWRITTEN = "contract-rows-"  # how the folder of a rewritten copy of a file begins
VIEW = "rows_a95c1be75d9e4f6f"  # stands in compiled SQL for the view that DuckDB makes of the rows while it runs it
COMPILED: dict[tuple[Hashable, Hashable], str] = {}


@dataclass(frozen=True)
class Source:
    """Rows of any kind as one table. `columns` are the names as the data has them, in their order."""

    origin: str
    columns: tuple[str, ...]
    table: ir.Table
    names: Mapping[str, str]  # column -> its name in `table`
    written: Literal["typed", "csv", "json"] = "typed"
    relation: Any = None  # the DuckDB relation that `table` stands for; None where `table` is one of ibis's own
    integers: frozenset[str] = frozenset()  # columns that hold integers though their stored type does not say so
    # Columns of a type that no contract has are text in `table`; here is the name there of the column as it was.
    opaque: Mapping[str, str] = field(default_factory=dict)
    untyped: frozenset[str] = frozenset()  # columns without a type of their own
    texts: Mapping[str, str] = field(default_factory=dict)  # JSON: column -> the column of its strings, unquoted
    parsed: Mapping[str, tuple[Type, str]] = field(default_factory=dict)  # column -> type and name of its values
    unchanged: Callable[[], None] = lambda: None  # raises DataError where the files that were opened are others

    def stored(self, column: str) -> ir.Value:
        """The column as it is stored, NULL where a value is missing (NULL, NaN)."""
        values = self.table[self.names[column]]
        return engines.present(values) if is_plain(values.type()) else engines.as_text(values)

    def value(self, column: str, type: Type) -> ir.Value:
        """The column's values of that contract type; NULL where a value is missing or of another type."""
        if self.parsed.get(column, (None, ""))[0] == type:
            return self.table[self.parsed[column][1]]
        values = self.table[self.names[column]]
        if self.written != "typed":
            return self.read(column, values, type)
        if not self.can_hold(column, type):
            return ibis.null(PARSED[type])
        if type == "integer" and values.type().is_floating():
            whole = engines.try_cast(values, "int64")  # NULL beyond its range
            return (whole.cast("float64") == values).ifelse(whole, ibis.null("int64"))
        return self.stored(column)

    def can_hold(self, column: str, type: Type) -> bool:
        """Whether the stored type of the column is (a kind of) that contract type. Text files can hold all."""
        if self.written != "typed":
            return True
        dtype = self.table[self.names[column]].type()
        holds = {
            "string": dtype.is_string() and column not in self.opaque,
            "integer": dtype.is_integer() or column in self.integers,
            "number": dtype.is_numeric() and not dtype.is_boolean(),
            "boolean": dtype.is_boolean(),
            "date": dtype.is_date(),
            "timestamp": dtype.is_timestamp(),
        }
        return holds[type] and not self.is_untyped(column)

    def is_untyped(self, column: str) -> bool:
        """Whether the column has no type, since it never held a value: nothing can be said against it."""
        return column in self.untyped or self.table[self.names[column]].type().is_null()

    def checks(self, column: str) -> Iterable[tuple[str, ir.BooleanValue]]:
        """Checks that no contract can say, of a schema in Python: for each, which rows fail it."""
        return ()

    def parse(self, types: Mapping[str, Type]) -> "Source":
        """This source with the cells of text files read once, however often their values are asked for."""
        if self.written == "typed":
            return self
        parsed = {name: (type, f"v{i}") for i, (name, type) in enumerate(types.items()) if name in self.names}
        table = self.table.mutate(**{inner: self.value(name, type) for name, (type, inner) in parsed.items()})
        return replace(self, table=table, parsed=parsed)

    def read(self, column: str, text: ir.Value, type: Type) -> ir.Value:
        """The values of a text file, read by the contract's type."""
        if self.written == "json" and type in ("string", "date", "timestamp"):
            text = text.startswith('"').ifelse(self.table[self.texts[column]], None)
        if type == "string":
            return text
        typed = text.re_search(WRITTEN[type]).ifelse(text, None)
        if type == "boolean":
            return typed.lower() == "true"
        if type == "integer":  # by way of 64 bits, where they suffice: thirty times as fast
            return ibis.coalesce(typed.try_cast("int64").cast(PARSED[type]), typed.try_cast(PARSED[type]))
        return engines.try_cast(typed, PARSED[type])

    def is_naive(self, column: str) -> ir.Value | bool:
        """Whether a timestamp names no time zone, so that nobody can tell its age; for all rows, or row by row."""
        values = self.table[self.names[column]]
        if self.written != "typed":
            return ~self.read(column, values, "string").re_search(ZONE)
        return values.type().is_timestamp() and values.type().timezone is None

    def run(self, query: ir.Table | Callable[[], ir.Table], key: Hashable = None) -> list[dict[str, Any]]:
        """The rows of a query over `table`, as Python values.

        A query that is asked again and again is given as a function and a key, and is compiled once for each form of
        table: for a small table that is most of the time.
        """
        try:
            found = self.fetch(query, key)
        except Exception as error:
            if isinstance(error.__cause__, KeyboardInterrupt):  # as DuckDB reports Ctrl-C
                raise KeyboardInterrupt from error
            self.unchanged()
            raise unreadable(self.origin, error) from error
        self.unchanged()
        return found

    def fetch(self, query: ir.Table | Callable[[], ir.Table], key: Hashable) -> list[dict[str, Any]]:
        if self.relation is None:
            return engines.fetch(query if isinstance(query, ir.Table) else query())
        if isinstance(query, ir.Table):
            return self.run_duckdb(ibis.to_sql(query, dialect="duckdb"))
        if (self.form, key) not in COMPILED:
            if len(COMPILED) >= 256:
                COMPILED.clear()
            COMPILED[self.form, key] = ibis.to_sql(query(), dialect="duckdb")
        return self.run_duckdb(COMPILED[self.form, key])

    @property
    def form(self) -> Hashable:
        """All that a query's SQL depends on."""
        mappings = tuple(tuple(mapping.items()) for mapping in (self.names, self.opaque, self.texts, self.parsed))
        types = tuple(self.table.schema().items())
        return self.columns, self.written, types, mappings, self.integers, self.untyped

    def relate(self, query: ir.Table) -> duckdb.DuckDBPyRelation:
        """A query as a DuckDB relation, read when it is used; the temporary view that it reads stays until then."""
        view = f"rows_{uuid.uuid4().hex}"
        try:
            return self.relation.query(view, str(ibis.to_sql(query, dialect="duckdb")).replace(VIEW, view))
        except duckdb.Error as error:
            raise unreadable(self.origin, error) from error

    def run_duckdb(self, sql: str) -> list[dict[str, Any]]:
        """Run a query on the relation's own connection, and leave nothing behind there but after Ctrl-C.

        Then a thread of DuckDB may still wait to read from Python, and the next query here would wait for that thread
        without letting Python go on: for ever.
        """
        view = f"rows_{uuid.uuid4().hex}"
        try:
            found = self.relation.query(view, sql.replace(VIEW, view))
            rows = [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]
        except Exception as error:
            if not isinstance(error.__cause__, KeyboardInterrupt):  # as DuckDB reports Ctrl-C
                self.relation.query(view, f"drop view if exists {view}")
            raise
        self.relation.query(view, f"drop view if exists {view}")
        return rows


def is_plain(dtype: DataType) -> bool:
    """Whether values of this type can be grouped, compared and shown as they are, on every engine."""
    return (
        (dtype.is_primitive() or dtype.is_string() or dtype.is_decimal() or dtype.is_null() or dtype.is_timestamp())
        or dtype.is_date()
        or dtype.is_time()
    )


def unreadable(origin: str, error: Exception) -> DataError:
    """What the reader says, in a line, with the line of the file where it names one."""
    from clause import files  # here, because it stands on this module

    text = engines.reason(error)
    file = re.search(r'^  file = (.+)$|file "([^"]+)"', text, re.MULTILINE)
    path = (file[1] or file[2]) if file and REWRITTEN not in file[0] else origin
    line = None
    if found := re.search(r"CSV Error on Line: (\d+)", text):
        line = files.line_of_record(path, int(found[1]))
    elif "Malformed JSON" in text:
        line = files.line_of_fault(path)
    said = re.sub(r"^([\w ]+ Error: )?(Malformed JSON.*?(line|value) \d+: )?", "", text)
    said = re.sub(r"CSV Error on Line: \d+\n(Original Line: (?s:.*?)\n(?=Expected |Value |Maximum ))?", "", said)
    why = (said.strip() or type(error).__name__).splitlines()[0][:300].rstrip(". ")
    why += files.question(path, line, why)
    return DataError(f"{path}{f', line {line}' * bool(line)}: cannot be read: {why}", path=path, line=line)


# --- opening -----------------------------------------------------------------------------------------------------


class MixedTypes(DataError):
    """A column of a data frame holds Python values of several types, which no table can; rows of mappings can."""


def open_source(rows: object, wanted: Collection[str] | None = None, *, timezone: str = "UTC") -> Source:
    """Open any kind of table; `wanted` names the columns that will be asked for (all of them without it).

    timezone: where the naive timestamps of text files were written. Raises DataError where the data cannot be read,
    TypeError where `rows` is no kind of table.
    """
    if isinstance(rows, str | Path):
        from clause import files

        return files.open_files(str(rows), wanted, timezone)
    if isinstance(rows, ir.Table):
        if hidden := engines.hidden_name(rows):
            raise DataError(
                f"the ibis table: is named {hidden!r}, as ibis names parts of its own queries, and might be taken for"
                " one; make a view of it with another name"
            )
        try:
            table = engines.zoned(rows)
        except Exception as error:
            raise unreadable("the ibis table", error) from error
        return Source("the ibis table", tuple(rows.columns), table, {name: name for name in rows.columns})
    if isinstance(rows, duckdb.DuckDBPyRelation):
        return open_relation("the DuckDB relation", rows, wanted)
    from clause import frames

    return frames.open_frame(rows, wanted)


def unique_names(origin: str, columns: Sequence[Any], otherwise: str = "") -> tuple[Any, ...]:
    """The column names, after making sure that each names one column. otherwise: what else may be done where not."""
    twice = sorted({name for name in columns if columns.count(name) > 1})
    if twice:
        raise DataError(
            f"{origin} has two columns of the name {twice[0]!r}: a contract speaks of one; rename the other{otherwise}"
        )
    return tuple(columns)


@functools.cache
def parsed_type(type: str) -> DataType:
    """The ibis type that DuckDB's name of a type stands for; `unknown` where ibis has none, as for row(1, 2)."""
    try:
        return DuckDBType.from_string(type)
    except Exception:  # ibis raises many kinds, an AssertionError among them
        return unknown


def open_relation(
    origin: str,
    relation: duckdb.DuckDBPyRelation,
    wanted: Collection[str] | None,
    columns: Sequence[Any] | None = None,
    **extra: Any,
) -> Source:
    """A DuckDB relation; `columns` are the names its columns have in the data, where those differ."""
    columns = unique_names(origin, relation.columns if columns is None else columns)
    integers, opaque, selected, names, types = set(), {}, [], {}, {}
    for i, (name, inner, type) in enumerate(zip(columns, relation.columns, map(str, relation.types), strict=True)):
        if wanted is not None and name not in wanted:
            continue
        expression = duckdb.SQLExpression(quoting.identifier(inner))
        dtype = parsed_type(type)
        if type == "HUGEINT":
            integers.add(name)
        if not is_plain(dtype):
            opaque[name] = f"o{i}"
            selected.append(expression.alias(f"o{i}"))
            types[f"o{i}"] = dtype
            expression, dtype = expression.cast("VARCHAR"), parsed_type("VARCHAR")
        names[name], types[f"c{i}"] = f"c{i}", dtype
        selected.append(expression.alias(f"c{i}"))
    table = ibis.table(types | {"every_row": "boolean"}, name=VIEW)
    try:
        relation = relation.select(*selected, duckdb.SQLExpression("true").alias("every_row"))
    except duckdb.Error as error:
        raise unreadable(origin, error) from error
    extra.setdefault("integers", frozenset(integers))
    return Source(origin, columns, table, names, relation=relation, opaque=opaque, **extra)


@functools.cache
def instance(process: int) -> duckdb.DuckDBPyConnection:
    """One DuckDB for all that this process reads; a forked process needs its own.

    It keeps nothing of a file: the next call may find another file under the same name. It fetches no extension. What
    does not fit in memory goes to a folder that nobody else can read; DuckDB's default is the current one.
    """
    spill = tempfile.mkdtemp(prefix=REWRITTEN)

    def clear() -> None:
        if process == os.getpid():
            shutil.rmtree(spill, ignore_errors=True)

    atexit.register(clear)
    settings: dict[str, Any] = {
        "enable_external_file_cache": False,
        "autoinstall_known_extensions": False,
        "temp_directory": spill,
    }
    return duckdb.connect(config=settings)


def connect(timezone: str = "UTC") -> duckdb.DuckDBPyConnection:
    """A connection of its own to this process's DuckDB; `timezone` is where times without a zone were written."""
    connection = instance(os.getpid()).cursor()
    connection.execute(f"set timezone = {quoting.text(timezone)}")
    return connection
