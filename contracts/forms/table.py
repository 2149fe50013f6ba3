"""From a table itself: a draft with the clauses that its values suggest, each marked for its author to review.

A profile knows what is there, not what is meant. The draft is kept by the very table that it was made from.
`clause/` reads and counts; it is imported when it is needed, as contracts stand without it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contracts.document import Contract, as_plain, from_mapping
from contracts.errors import DataError
from contracts.forms import Imported
from contracts.forms.drafting import FIRST, OWNER, Draft
from contracts.forms.taking import unreadable
from contracts.quoting import identifier

if TYPE_CHECKING:
    from clause.roles import Profile, Table
    from clause.sources import Source

SQLITE, DUCKDB = b"SQLite format 3\0", b"DUCK"  # how a database file begins; DuckDB's after eight bytes
TYPES = ("boolean", "integer", "number", "date", "timestamp", "string")
ZONED = "its times have a zone; a contract says timestamp, and names a zone for freshness alone"
MOST_NUMBERS = 10  # different integers that may be codes, and how often each comes
LEAST_ROWS = 20
# A number that names a row, of this table or another: the next one is higher, so it has no bounds.
REFERENCE = re.compile(r"(?i:(^|[^a-z])(id|key|no)\s*$)|[a-z](Id|ID|Key|No)\s*$")
KEYS = {"range": ("min", "max"), "null_rate": ("max_null_rate",)}  # the clauses behind a rule; others have its name


def read(path: str, named: str | None = None) -> Imported:
    """A draft from CSV, Parquet or JSON files, or from a table of a DuckDB or SQLite database.

    Raises DataError where the rows cannot be read, ContractError where there is no such table.
    """
    from clause.loading import load
    from clause.roles import Table
    from clause.sources import open_source

    draft = Draft(path, "a table")
    rows = opened(path, named, draft)
    source = open_source(rows)
    wide: set[str] = set()  # columns of integers that no 64 bits hold, which are counted as text
    types = dict(typed(source, draft, wide))
    if not types:
        raise unreadable(path, "there is no column here that a contract could speak about; give another file")
    draft.version(FIRST)
    draft.review(None, "version", "a first draft")
    draft.owner(None)
    draft.top.setdefault("dataset", re.sub(r"[*?\[\]]", "", Path(path).name.split(".")[0]) or "dataset")
    plain = [{"name": name, "type": "string" if name in wide else type_} for name, type_ in types.items()]
    bare = from_mapping({"version": FIRST, "owner": OWNER, "fields": plain})
    table = Table(load(rows, bare), bare)
    for name, type_ in types.items():
        made = draft.field(name, type_)
        if made is not None:
            for key, value, says in suggested(table, name):
                if name not in wide or key in ("required", "max_null_rate", "unique"):
                    made[key] = value
                    draft.review(name, key, says)
            if not table.profiles[name].present:
                draft.review(name, "type", "every value is NULL, so nobody can tell")
    count = table.rows.num_rows
    if count:
        draft.top["volume"] = {"min_rows": max(1, math.floor(0.8 * count)), "max_rows": math.ceil(1.2 * count)}
        draft.review(None, "volume", f"{count:,} row{'s' * (count != 1)} here")
    times = [name for name, type_ in types.items() if type_ in ("date", "timestamp")]
    if times:
        draft.leave(f"freshness: one look does not tell how often the table is loaded; perhaps by {', '.join(times)}")
    hold(draft, source)
    return draft.imported()


# ---- the rows ------------------------------------------------------------------------------------------------------


def opened(path: str, named: str | None, draft: Draft) -> object:
    """What clause/ opens: the path of files, or a table of a database."""
    head = b""
    if Path(path).is_file():
        with Path(path).open("rb") as file:
            head = file.read(16)
    if head.startswith(SQLITE):
        return from_sqlite(path, named, draft)
    if head[8:12] == DUCKDB:
        return from_duckdb(path, named, draft)
    if named is not None:
        raise unreadable(path, "--table chooses one of a database's tables, and this is no database; leave it out")
    return path


def from_duckdb(path: str, named: str | None, draft: Draft) -> Any:
    """The table of a DuckDB database, as a relation. Raises DataError."""
    import duckdb

    try:
        # A view in it would else read other files, or the network.
        connection = duckdb.connect(path, read_only=True, config={"enable_external_access": False})
        found = connection.execute(
            "select table_schema, table_name from information_schema.tables where table_catalog = current_database()"
            " order by all"
        ).fetchall()
        schema, name = draft.chosen(found, lambda one: in_schema(*one), named, "table")
        draft.name(in_schema(schema, name))
        return connection.sql(f"select * from {identifier(schema)}.{identifier(name)}")
    except duckdb.Error as error:
        says = f"{path}: cannot be read as a DuckDB database ({str(error).splitlines()[0]}); check the file"
        raise DataError(says, path=path) from None


def in_schema(schema: str, name: str) -> str:
    """The name of a table as its dataset's: with its schema, unless that is DuckDB's own."""
    return name if schema == "main" else f"{schema}.{name}"


def from_sqlite(path: str, named: str | None, draft: Draft) -> Any:
    """SQLite types each value, not the column: a column that mixes types is text."""
    import sqlite3

    import pyarrow as pa

    try:
        with closing(sqlite3.connect(f"{Path(path).absolute().as_uri()}?mode=ro", uri=True)) as connection:
            if (fault := connection.execute("pragma quick_check(1)").fetchone()[0]) != "ok":
                raise sqlite3.DatabaseError(fault)
            found = connection.execute("select name from sqlite_master where type in ('table', 'view') order by name")
            names = [str(one[0]) for one in found if not str(one[0]).startswith("sqlite_")]
            name = draft.chosen(names, str, named, "table")
            draft.name(name)
            cursor = connection.execute(f"select * from {identifier(name)}")
            columns = [one[0] for one in cursor.description]
            rows = cursor.fetchall()
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise DataError(f"{path}: cannot be read as an SQLite database ({error}); check the file", path=path) from None
    arrays = []
    for i, column in enumerate(columns):
        values = [row[i] for row in rows]
        kinds = {type(value) for value in values if value is not None}
        if len(kinds) > 1 and kinds != {int, float}:
            draft.leave(f"{column}: it holds values of several types, which are taken as text")
            values = [None if value is None else str(value) for value in values]
        try:
            arrays.append(
                pa.array([float(value) if kinds == {int, float} and value is not None else value for value in values])
            )
        except (pa.ArrowInvalid, OverflowError):
            says = f"{path}: the column {column!r} holds values that no table can; cast it in a view, and name that"
            raise DataError(says, path=path) from None
    return pa.table(arrays, names=columns)


def typed(source: Source, draft: Draft, wide: set[str]) -> Iterator[tuple[str, str]]:
    """Each column with its type: the one that it is stored in, or in a text file the first that all its values have."""
    import ibis

    from clause.judging import unseparated
    from clause.sources import ZONE

    if only := unseparated(source.columns):
        draft.leave(only.removeprefix("; "))
    columns = [name for name in source.columns if name.strip()]
    if len(columns) < len(source.columns):
        draft.leave("a column without a name")
    if source.written == "typed":
        for name in columns:
            fits = [type_ for type_ in TYPES if source.can_hold(name, type_)]  # type: ignore[arg-type]
            dtype = source.table.schema()[source.opaque.get(name, source.names[name])]
            if fits or source.is_untyped(name):
                if fits and dtype.is_decimal() and fits[0] == "number":
                    draft.leave(f"{name}: {dtype}; a contract says number, and not how many digits")
                elif dtype.is_timestamp() and dtype.timezone:
                    draft.leave(f"{name}: {ZONED}")
                yield name, fits[0] if fits else "string"
            elif dtype.is_struct() or dtype.is_array() or dtype.is_map():
                draft.leave(nested(name, not dtype.is_array(), dtype.is_array()))
            else:
                kind = "what it holds" if dtype.is_unknown() else dtype
                draft.leave(f"{name}: {kind} is no type of a contract's")
        return
    asked: dict[str, Any] = {"every row": source.table.count()}
    for i, name in enumerate(columns):
        asked[f"present {i}"] = source.stored(name).count()
        for type_ in TYPES:
            asked[f"{type_} {i}"] = source.value(name, type_).count()  # type: ignore[arg-type]
        whole, text = source.value(name, "integer"), source.value(name, "string")
        asked[f"wide {i}"] = ibis.ifelse((whole >= 2**63 - 1) | (whole <= -(2**63)), 1, 0).sum()
        asked[f"zoned {i}"] = ibis.ifelse(text.re_search(ZONE), 1, 0).sum()
        for kind, begins in (("objects", "{"), ("lists", "[")) if source.written == "json" else ():
            asked[f"{kind} {i}"] = ibis.ifelse(source.stored(name).startswith(begins), 1, 0).sum()
        asked[f"codes {i}"] = ibis.ifelse(text.re_search("^0[0-9]"), 1, 0).sum()
    found = source.run(source.table.aggregate(**asked))[0]
    for i, name in enumerate(columns):
        present = found[f"present {i}"]
        fits = [type_ for type_ in TYPES if found[f"{type_} {i}"] == present > 0]
        if found[f"codes {i}"] and "string" in fits:  # 007 is a code, not a number
            fits = ["string"]
        if found[f"wide {i}"] and fits[:1] == ["integer"]:
            wide.add(name)
        objects, lists = found.get(f"objects {i}") or 0, found.get(f"lists {i}") or 0
        if present and objects + lists == present:
            draft.leave(nested(name, objects > 0, lists > 0))
        elif present and not fits:
            draft.leave(f"{name}: its values are of no one type, so the column is left out")
        else:
            if fits[:1] == ["timestamp"] and found[f"zoned {i}"]:
                draft.leave(f"{name}: {ZONED}")
            yield name, fits[0] if fits else "string"


def nested(name: str, objects: bool, lists: bool) -> str:
    """What is said of a column whose values have parts."""
    what = " and ".join(word for word, there in (("objects", objects), ("lists", lists)) if there)
    return f"{name}: its values are {what}, which a contract has no type for; make columns of their parts"


# ---- what the values suggest ---------------------------------------------------------------------------------------


def suggested(table: Table, name: str) -> Iterator[tuple[str, Any, str]]:
    """(clause, value, what is to be said of it) for one column."""
    from clause.proposing import of_values
    from clause.roles import is_key

    field, known = table.contract.field(name), table.profiles[name]
    assert field is not None
    rows = f"{known.rows:,} row{'s' * (known.rows != 1)}"
    proposed = dict(of_values(field, known))
    if field.type == "integer" and 1 < known.distinct <= min(MOST_NUMBERS, known.present / LEAST_ROWS):
        proposed = {"enum": tuple(sorted(known.common))} | {
            k: v for k, v in proposed.items() if k not in ("min", "max")
        }
    if "enum" in proposed:
        value = [as_plain(one) for one in proposed["enum"]]
        yield "enum", value, f"{len(value)} value{'s' * (len(value) != 1)} in {rows}; may there be others?"
    keyed = is_unique(known) and field.type in ("string", "integer") and (is_key(name) or name == first_key(table))
    grows = keyed or REFERENCE.search(name) or (field.type == "integer" and is_unique(known))
    for key, end in (("min", known.low), ("max", known.high)):
        if key in proposed and not grows:
            yield key, as_plain(proposed[key]), f"{end} here"
    if known.digits and known.zeros and known.shortest == known.longest and "enum" not in proposed:
        yield "pattern", f"[0-9]{{{known.shortest}}}", f"{known.shortest} digits each here, with leading zeros"
    if "required" in proposed and known.rows:
        yield "required", True, f"no NULL in {rows}"
    if "max_null_rate" in proposed:
        yield "max_null_rate", proposed["max_null_rate"], f"{known.rows - known.present:,} NULL in {rows}"
    if keyed:
        yield "unique", True, f"no value twice in {rows}"


def is_unique(known: Profile) -> bool:
    """Whether each row has a value of its own, and there are several."""
    return known.distinct == known.rows > 1


def first_key(table: Table) -> str | None:
    """The first column without a repeated value."""
    found = (field for field in table.fields if field.type in ("string", "integer"))
    return next((field.name for field in found if is_unique(table.profiles[field.name])), None)


def hold(draft: Draft, source: Source) -> None:
    """Take out whatever this very table breaks, as an infinity does a bound."""
    from clause.judging import Violation, judge
    from clause.tables import read_table

    contract: Contract = draft.settled()
    for found in judge(read_table(source, contract), contract, None, None):
        if not isinstance(found, Violation):
            continue
        for made in draft.fields:
            for key in KEYS.get(found.rule, (found.rule,)):
                if made["name"] == found.field and made.pop(key, None) is not None:
                    draft.leave(f"{found.field}: {key}, which the table itself does not keep")
