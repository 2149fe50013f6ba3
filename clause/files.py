"""CSV, Parquet and JSON files as a `Source`, read strictly: what is no table is an error, never a guess."""

import csv
import functools
import glob
import gzip
import io
import json
import os
import re
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import duckdb

from clause.judging import unseparated
from clause.sources import REWRITTEN, Source, connect, open_relation, unique_names, unreadable
from contracts import Contract, ContractError
from contracts import load as load_contract
from contracts.errors import DataError

CUT = (  # what readers say of a file that ends too early
    "No magic bytes found at end|too small to be a Parquet file|Footer length error|TProtocolException"
    "|unexpected end of data|ended before the end-of-stream marker"
)
UNREADABLE = (OSError, EOFError, zlib.error)  # what reading bytes may raise, out of gzip where they are in there


def contract_of(contract: str | Path, data: str | None) -> Contract:
    """The contract of a command line CONTRACT DATA. ContractError; DataError where the two look as if exchanged."""
    try:
        return load_contract(contract)
    except ContractError:
        if data is None or Path(contract).suffix in (".yaml", ".yml") or Path(data).suffix not in (".yaml", ".yml"):
            raise
        says = f"{contract} is no contract, and {data} may be one: did CONTRACT and DATA change places?"
        raise DataError(f"{says} Write the contract first") from None


def open_files(pattern: str, wanted: Collection[str] | None, timezone: str) -> Source:
    """The files of a path or a glob, as one table; a column that only some of them have is NULL in the others."""
    connection = connect(timezone)
    try:
        paths = remote_paths(connection, pattern) if is_remote(pattern) else paths_of(pattern)
    except OSError as error:  # a name of 300 letters, a folder that is closed to us
        says = (
            f"{pattern}: cannot be looked for: {error.strerror or error}; check the path, and the rights of its folders"
        )
        raise DataError(says, path=pattern) from None
    unchanged = watch(pattern)
    if not paths:
        what = "no file matches the glob" if glob.has_magic(pattern) else "there is no such file"
        raise DataError(f"{pattern}: {what}; expected CSV, Parquet or JSON files, so check the path", path=pattern)
    kinds = set()
    for path in paths:
        if Path(path).is_dir():
            raise DataError(f"{path}: is a folder, not a file; write a glob such as {path}/*.parquet", path=path)
        if not (is_remote(path) or Path(path).is_file()):  # a pipe can be read once, and a link may lead nowhere
            raise DataError(
                f"{path}: is no regular file; copy what it gives to one, which can be read again", path=path
            )
        kinds.add(kind_of(path))
    if None in kinds or len(kinds) > 1:
        found = ", ".join(sorted({Path(path).suffix or "no suffix" for path in paths}))
        raise DataError(
            f"{pattern}: found {found}; expected files of one kind, .csv, .parquet, .json or .jsonl", path=pattern
        )
    try:
        source = {"csv": open_csv, "parquet": open_parquet, "json": open_json}[kinds.pop() or ""](
            pattern, connection, paths, wanted
        )
    except (duckdb.Error, *UNREADABLE) as error:
        unchanged()
        raise unreadable(pattern, error) from error
    return replace(source, unchanged=unchanged)


def watch(pattern: str) -> Callable[[], None]:
    """Look at the files now; what this gives raises DataError where they are others when it is called.

    Others: another file under the name, another size, another time of the last change, a file more or less. What is
    written into a file within one tick of the system's clock, some milliseconds, and leaves its size as it was, is not
    seen.
    """

    def look() -> dict[str, tuple[int, ...]]:
        found = dict[str, tuple[int, ...]]()
        for path in () if is_remote(pattern) else paths_of(pattern):
            with suppress(OSError):
                at = os.stat(path)
                found[path] = (at.st_dev, at.st_ino, at.st_size, at.st_mtime_ns, at.st_ctime_ns)
        return found

    before = look()

    def unchanged() -> None:
        now = look()
        for path in sorted(before.keys() | now.keys()):
            if before.get(path) != now.get(path):
                what = "changed" if path in before and path in now else "put there" if path in now else "taken away"
                raise DataError(
                    f"{path}: was {what} while it was read, so there is no verdict; run again when nobody writes it, or"
                    " on a copy",
                    path=path,
                )

    return unchanged


def paths_of(pattern: str) -> list[str]:
    """The file of that name, or the files that match the glob."""
    return [pattern] if Path(pattern).exists() else sorted(glob.glob(pattern, recursive=True))


def is_remote(path: str) -> bool:
    """Whether this is an address, for DuckDB's extension httpfs, and no path of this machine."""
    return re.match(r"(https?|s3|gs|gcs|r2)://", path, re.IGNORECASE) is not None


def remote_paths(connection: duckdb.DuckDBPyConnection, pattern: str) -> list[str]:
    """The addresses that a pattern names; only object stores can be asked what is there."""
    try:
        connection.load_extension("httpfs")  # asks nothing of the network
    except duckdb.Error as error:
        install = "python -c \"import duckdb; duckdb.sql('install httpfs')\""
        raise DataError(
            f"{pattern}: is not on this machine, and DuckDB's extension httpfs, which would read it, is not installed;"
            f" run `{install}` once where there is a network, or copy the file here",
            path=pattern,
        ) from error
    if pattern.lower().startswith("http") or not glob.has_magic(pattern):
        return [pattern]
    try:
        found = connection.execute("select file from glob(?) order by file", [pattern]).fetchall()
    except duckdb.Error as error:
        raise unreadable(pattern, error) from error
    return [path for (path,) in found]


def kind_of(path: str) -> str | None:
    """What kind of file this is by its name; None where it is none that can be read."""
    name = urlsplit(path).path if is_remote(path) else path  # an address may go on with ?key=value
    suffix = Path(name.lower().removesuffix(".gz")).suffix
    return {".csv": "csv", ".parquet": "parquet", ".pq": "parquet"}.get(suffix) or (
        "json" if suffix in (".json", ".jsonl", ".ndjson") else None
    )


def opened(path: str) -> Any:
    """A file's bytes, out of gzip where it is in there; a remote one is fetched whole."""
    if is_remote(path):
        connection = connect()
        connection.load_extension("httpfs")
        content = io.BytesIO(connection.execute("select content from read_blob(?)", [path]).fetchall()[0][0])
        return gzip.open(content) if kind_of(path) and urlsplit(path).path.lower().endswith(".gz") else content
    return gzip.open(path) if path.lower().endswith(".gz") else open(path, "rb")


def not_utf8(path: str, line: int) -> DataError:
    """The error for a line that is not UTF-8."""
    return DataError(f"{path}, line {line}: is not UTF-8; save the file as UTF-8", path=path, line=line)


def listed(texts: Iterable[str]) -> str:
    """A list of texts in SQL. (Handed over as Python values they would make DuckDB import pandas, for 0.2 s.)"""
    quoted = (text.replace("'", "''").replace("\0", "' || chr(0) || '") for text in texts)  # SQL text ends at a NUL
    return "[" + ", ".join(f"'{text}'" for text in quoted) + "]"


def literal(path: str) -> str:
    """The path for DuckDB, which would take a bracket or a star in a file's name for a glob, a ~ for one's home."""
    return path if is_remote(path) else glob.escape(f"./{path}" if path.startswith("~") else path)


def open_parquet(
    origin: str, connection: duckdb.DuckDBPyConnection, paths: list[str], wanted: Collection[str] | None
) -> Source:
    """Parquet files as one table. Raises DataError where names differ in case alone, or types from file to file."""
    # With hive_partitioning a folder named column=value would say what stands in the column.
    given = [literal(path) for path in paths]
    relation = connection.read_parquet(given, union_by_name=len(paths) > 1, hive_partitioning=False)
    schema = f"parquet_schema({listed(given)})"
    stored = connection.sql(f"select distinct file_name, name, duckdb_type from {schema}").order("all").fetchall()
    if short := miscounted(connection, given):
        raise DataError(f"{short}: the counts of rows in its footer contradict each other; write the file anew", short)
    renamed = sorted(set(relation.columns) - {name for _, name, _ in stored})
    if renamed:  # DuckDB has made `price_1` of a second `price`, or of `Price`
        raise DataError(
            f"{origin} has two columns of one name but for case (read as {renamed[0]!r}); rename one", origin
        )
    kinds: dict[str, tuple[str, str]] = {}
    for path, name, type in stored:
        kind = "an integer" if re.fullmatch(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?", str(type)) else str(type)
        other, before = kinds.setdefault(name, (path, kind))
        if kind != before and name in relation.columns and (wanted is None or name in wanted):
            what = f"column {name!r} is {kind}, but {before} in {other}"
            raise DataError(f"{path}: {what}; check the files one by one, or write them alike", path)
    return open_relation(origin, relation, wanted)


def miscounted(connection: duckdb.DuckDBPyConnection, given: list[str]) -> str | None:
    """A Parquet file whose row groups have other rows than it says: DuckDB reads as many as each group says."""
    groups = f"select distinct file_name, row_group_id, row_group_num_rows from parquet_metadata({listed(given)})"
    rows = Counter[str]()
    for path, _, count in connection.sql(groups).fetchall():
        rows[path] += count
    said = connection.sql(f"select file_name, num_rows from parquet_file_metadata({listed(given)})").fetchall()
    return next((str(path) for path, count in said if count != rows[path]), None)


def open_csv(
    origin: str, connection: duckdb.DuckDBPyConnection, paths: list[str], wanted: Collection[str] | None
) -> Source:
    """CSV files as text, cell by cell: comma, double quotes, a header line, UTF-8; NULL is the empty unquoted cell."""
    headers: dict[tuple[str, ...], list[str]] = {}
    for path in paths:
        headers.setdefault(read_header(path), []).append(path)
    columns = list(dict.fromkeys(name for header in headers for name in header))
    parts = []
    for header, same in headers.items():
        mixed = [path for path in same if has_mixed_line_ends(path)]
        plain = [path for path in same if path not in mixed]
        tables = [scan_csv(connection, [literal(path) for path in plain], len(header))] if plain else []
        tables += [connection.from_arrow(read_mixed_line_ends(connection, path, len(header))) for path in mixed]
        cell = {name: duckdb.ColumnExpression(f"c{i}") for i, name in enumerate(header)}
        null = duckdb.SQLExpression("null::varchar")
        aligned = [cell.get(name, null).alias(f"c{i}") for i, name in enumerate(columns)]
        parts += [table.select(*aligned) for table in tables]
    relation = functools.reduce(lambda one, other: one.union(other), parts)
    return open_relation(origin, relation, wanted, columns, written="csv")


def scan_csv(connection: duckdb.DuckDBPyConnection, paths: list[str], width: int) -> duckdb.DuckDBPyRelation:
    """CSV files with that many columns, read strictly: each cell as text, under the names c0, c1, …"""
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(width))
    # As SQL, for the reason that `listed` gives: connection.read_csv takes Python values.
    return connection.sql(
        f"from read_csv({listed(paths)}, columns = {{{columns}}}, header = true,"
        """ auto_detect = false, delim = ',', quote = '"', escape = '"', nullstr = [''], allow_quoted_nulls = false,"""
        " strict_mode = true, null_padding = false, hive_partitioning = false)"
    )


def has_mixed_line_ends(path: str) -> bool:
    """Whether some lines end in CR LF and others in LF: there DuckDB's strict reader stops, and its lenient one drops
    surplus cells and half-quoted values in silence. DataError where a line is not UTF-8."""
    ends = set()
    with opened(path) as file:
        for number, line in enumerate(file, 1):
            if not line.isascii():
                try:
                    line.decode()
                except UnicodeDecodeError as error:  # DuckDB minds only in columns that are asked for
                    raise not_utf8(path, number) from error
            if line.endswith(b"\n"):
                ends.add(line.endswith(b"\r\n"))
    return len(ends) > 1


def read_mixed_line_ends(connection: duckdb.DuckDBPyConnection, path: str, width: int) -> Any:
    """The cells of such a file, read strictly from a copy in which every line outside quotes ends in LF."""
    with tempfile.TemporaryDirectory(prefix=REWRITTEN) as folder:
        copy = Path(folder, "even.csv")
        with opened(path) as file, copy.open("wb") as even:
            in_quotes = False
            for line in file:
                in_quotes ^= line.count(b'"') % 2 == 1
                even.write(line[:-2] + b"\n" if line.endswith(b"\r\n") and not in_quotes else line)
        try:
            return scan_csv(connection, [str(copy)], width).to_arrow_table()
        except duckdb.Error as error:
            raise unreadable(path, error) from error


def read_header(path: str) -> tuple[str, ...]:
    """The names in the first line of a CSV file."""
    try:
        with opened(path) as raw, io.TextIOWrapper(raw, "utf-8-sig", "surrogateescape", newline="") as file:
            header = next(csv.reader(file, strict=True), None)
            "".join(header or ()).encode()
    except UnicodeError as error:
        raise not_utf8(path, 1) from error
    except (csv.Error, EOFError, gzip.BadGzipFile) as error:
        raise DataError(
            f"{path}, line 1: is no CSV header ({error}); expected column names", path=path, line=1
        ) from error
    if not header:
        raise DataError(f"{path}, line 1: is empty; expected a line of column names", path=path, line=1)
    return unique_names(f"{path}, line 1:", header, ", or is the header line missing?")


def open_json(
    origin: str, connection: duckdb.DuckDBPyConnection, paths: list[str], wanted: Collection[str] | None
) -> Source:
    """JSON files, one array of objects or an object a line; each value as its JSON text, JSON's null as NULL."""
    for path in paths:
        if path.lower().endswith(".gz"):  # DuckDB passes over a wrong checksum
            with opened(path) as file:
                while file.read(1 << 20):
                    pass
    read = f"read_json_objects({listed(map(literal, paths))}, hive_partitioning=false)"
    objects = connection.sql(f"select json from {read}")
    shapes = objects.aggregate("json_type(json) as type, json_keys(json) as keys", "json_type(json), json_keys(json)")
    columns: dict[str, None] = {}
    for type, keys in shapes.order("keys").fetchall():
        if type != "OBJECT":
            path, line = next(((path, line) for path in paths if (line := line_of_fault(path))), (origin, None))
            where = f"{path}{f', line {line}' if line else ''}"
            raise DataError(f"{where}: is {type.lower()}; expected an object of column and value", path, line)
        columns |= dict.fromkeys(unique_names(f"{origin}: an object", keys))
    kept = [name for name in columns if wanted is None or name in wanted]
    if not kept:
        return replace(open_relation(origin, objects, ()), columns=tuple(columns))
    pointers = listed("/" + name.replace("~", "~0").replace("/", "~1") for name in kept)
    # Each object is parsed once, for all its keys.
    parsed = objects.project(f"json_extract(json, {pointers}) as json, json_extract_string(json, {pointers}) as text")
    cells = [f"nullif(json[{i}]::varchar, 'null') as j{i}, text[{i}] as t{i}" for i in range(1, len(kept) + 1)]
    relation = parsed.project(", ".join(cells))
    inner = [(name, part) for name in kept for part in ("json", "text")]
    source = open_relation(origin, relation, None, inner, written="json")
    given: Mapping[Any, str] = source.names
    names, texts = ({name: given[name, part] for name in kept} for part in ("json", "text"))
    return replace(source, columns=tuple(columns), names=names, texts=texts)


# --- where a file is broken: DuckDB says which record of CSV, and where it noticed in JSON ---------------------------


def question(path: str, line: int | None, why: str) -> str:
    """What to ask of a file that cannot be read, where there is a likely answer; nothing where there is none."""
    is_cut = bool(re.search(CUT, why))
    cells = re.match(r"Expected Number of Columns: (\d+) Found: (\d+)", why)
    with suppress(DataError, *UNREADABLE):
        if cells and cells[1] == "1" and (asked := unseparated(read_header(path))):
            return asked
        if (cells and int(cells[2]) < int(cells[1])) or "unterminated quote" in why:
            with opened(path) as file:
                is_cut = sum(1 for _ in file) == line  # in its last line
    return "; was it written to its end?" * is_cut


def line_of_record(path: str, record: int) -> int:
    """The line on which a record of a CSV file begins, which is later than its number after cells of several lines."""
    try:
        with opened(path) as raw, io.TextIOWrapper(raw, "utf-8", "replace", newline="") as file:
            reader = csv.reader(file)
            for _ in zip(range(record - 1), reader, strict=False):
                pass
            return reader.line_num + 1
    except (*UNREADABLE, csv.Error):
        return record


def line_of_fault(path: str) -> int | None:
    """The first line of a JSON file that is no object; in a file of one array, the line where it stops making sense."""
    try:
        with opened(path) as file:
            number = next((number for number, line in enumerate(file, 1) if not is_row(line)), None)
            if number != 1 or re.search(r"\.(jsonl|ndjson)(\.gz)?$", path, re.IGNORECASE):
                return number
            file.seek(0)
            text = file.read()
            try:
                json.loads(text)
            except RecursionError:
                return None
            except json.JSONDecodeError as error:
                return error.lineno
            except UnicodeDecodeError as error:
                return int(text.count(b"\n", 0, error.start)) + 1
    except UNREADABLE:
        pass
    return None


def is_row(line: bytes) -> bool:
    """Whether a line of a JSON file is an object, or blank."""
    try:
        return not line.strip() or isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False
