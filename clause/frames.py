"""Data frames, and rows as mappings, as a `Source`: pandas, polars and Arrow tables."""

import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

import duckdb
import pyarrow as pa

from clause.reading import described, mappings, package_of
from clause.sources import MixedTypes, Source, connect, open_relation, unique_names, unreadable


def open_frame(rows: object, wanted: Collection[str] | None) -> Source:
    """Open a pandas, polars or Arrow table, or rows as mappings; TypeError where `rows` is none of them."""
    library = package_of(rows)
    if library == "pandas" and hasattr(rows, "columns"):
        return open_pandas(rows, wanted)
    if library == "polars" and hasattr(rows, "lazy"):
        return open_polars(collected(rows), wanted)
    if isinstance(rows, pa.Table | pa.RecordBatch | pa.RecordBatchReader):
        return open_arrow("the Arrow table", whole(rows), wanted)
    if isinstance(rows, Iterable) and not isinstance(rows, Mapping | bytes) and library != "pandas":
        return open_mappings(rows, wanted)
    raise TypeError(
        f"rows is {described(rows)}: give a list of mappings, a pandas, polars or Arrow table, an ibis table,"
        " a DuckDB relation, or the path of CSV, Parquet or JSON files"
    )


def collected(frame: Any) -> Any:
    """A polars frame, lazy or not, with its rows. Raises DataError where they cannot be had."""
    return of_polars(lambda: frame.lazy().collect())


def of_polars(compute: Callable[[], Any]) -> Any:
    """What polars computes. Raises DataError where it cannot, or where the file that it scans cannot be read."""
    try:
        return compute()
    except Exception as error:
        raise unreadable("the polars table", error) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # as of a time beyond its calendar; to Python it is no Exception
            raise
        raise unreadable("the polars table", RuntimeError(f"polars panics: {error}")) from error


def whole(rows: pa.Table | pa.RecordBatch | pa.RecordBatchReader) -> pa.Table:
    """Any of Arrow's tables as one that can be read twice. Raises DataError where its rows cannot be had."""
    if isinstance(rows, pa.RecordBatchReader):
        try:
            return rows.read_all()
        except (pa.ArrowException, OSError) as error:
            raise unreadable("the Arrow table", error) from error
    return pa.Table.from_batches([rows]) if isinstance(rows, pa.RecordBatch) else rows


def open_arrow(origin: str, table: pa.Table, wanted: Collection[str] | None) -> Source:
    """An Arrow table. Raises DataError where two of its columns have one name."""
    columns = unique_names(origin, table.column_names)
    kept = {name: table[name] for name in columns if wanted is None or name in wanted}
    return open_arrays(origin, columns, kept, table.num_rows)


def open_polars(frame: Any, wanted: Collection[str] | None) -> Source:
    """A polars frame. Raises MixedTypes where a column is of a type that Arrow has not."""
    for name, dtype in frame.schema.items():
        if str(dtype) in ("Object", "Int128", "UInt128") and (wanted is None or name in wanted):
            raise MixedTypes(f"the polars table, column {name!r}: no Arrow table holds the type {dtype}; convert it")
    kept = [name for name in frame.columns if wanted is None or name in wanted]
    source = open_arrow("the polars table", of_polars(lambda: frame.select(kept).to_arrow()), None)
    return (
        replace(source, columns=tuple(frame.columns)) if kept else open_arrays("", tuple(frame.columns), {}, len(frame))
    )


def open_pandas(frame: Any, wanted: Collection[str] | None) -> Source:
    """A pandas frame. A float column with missing values may hold integers: pandas had no other way to keep them."""
    columns = unique_names("the pandas table", [str(name) for name in frame.columns])
    kept = {name: frame.iloc[:, i] for i, name in enumerate(columns) if wanted is None or name in wanted}
    integers = frozenset(name for name, series in kept.items() if is_integer_like(series))
    arrays = {name: arrow_array(name, series) for name, series in kept.items()}
    return open_arrays("the pandas table", columns, arrays, len(frame), integers=integers)


def open_arrays(
    origin: str, columns: tuple[str, ...], arrays: Mapping[str, pa.Array | pa.ChunkedArray], rows: int, **extra: Any
) -> Source:
    """Arrow arrays, under names of our own: DuckDB takes `Price` and `price` for one name, a contract does not."""
    held = list(map(plain, arrays.values()))
    untyped = frozenset(name for name, array in arrays.items() if pa.types.is_null(array.type))
    table = pa.table([*held, pa.nulls(rows, pa.bool_())], names=[f"a{i}" for i in range(len(held) + 1)])
    import pyarrow.dataset  # noqa: F401  # here, since it takes a while; a Ctrl-C while DuckDB imports it crashes

    try:
        relation = connect().from_arrow(table)
        source = open_relation(origin, relation, arrays, [*arrays, ("every", "row")], untyped=untyped, **extra)
    except (duckdb.Error, pa.ArrowException) as error:
        raise unreadable(origin, error) from error
    return replace(source, columns=columns)


def plain(array: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """The same values in a type that DuckDB reads whatever is asked of it."""
    if pa.types.is_run_end_encoded(array.type):
        from pyarrow import compute

        return compute.run_end_decode(array)
    if str(array.type).startswith("extension<pandas."):  # its storage would pass for numbers
        return pa.array([{str(array.type): str(value)} for value in array.to_pylist()])
    return array.cast(pa.float32()) if pa.types.is_float16(array.type) else array


def is_integer_like(series: Any) -> bool:
    """Whether this is a float column that pandas may have made of integers, for want of another way to hold gaps."""
    is_float = getattr(series.dtype, "kind", "") == "f" and type(series.dtype).__name__ != "ArrowDtype"  # it has gaps
    return is_float and (len(series) == 0 or bool(series.isna().any()))


def arrow_array(name: str, series: Any) -> pa.Array:
    """A column of a pandas frame as Arrow has it. Raises MixedTypes."""
    pandas = sys.modules["pandas"]
    found = pandas.api.types.infer_dtype(series, skipna=True) if series.dtype == object else ""
    says = f"the pandas table, column {name!r}: holds values of several types ({found or series.dtype})"
    mixed = MixedTypes(f"{says}; convert it to one")
    if found.startswith(("mixed", "unknown", "complex")):
        raise mixed
    try:
        array = pa.Array.from_pandas(series)
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        raise mixed from error
    if str(array.type).startswith("extension<pandas."):  # periods and intervals are no numbers, though stored as such
        raise mixed
    return array


def open_mappings(rows: Iterable[object], wanted: Collection[str] | None) -> Source:
    """Rows as mappings, as a table: a key that a row lacks is NULL there."""
    rows = mappings(rows)
    columns = {name: None for row in rows for name in row}
    table: dict[str, pa.Array] = {}
    for name in columns:
        if wanted is not None and name not in wanted:
            continue
        try:
            table[str(name)] = pa.array([row.get(name) for row in rows], from_pandas=True)
        except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
            says = f"the rows, column {name!r}: holds values of several types ({error}); convert it to one"
            raise MixedTypes(says) from error
    return open_arrays("the rows", tuple(map(str, columns)), table, len(rows))


def records(frame: Any) -> list[Mapping[str, Any]]:
    """A pandas or polars frame as rows."""
    if hasattr(frame, "lazy"):
        return list(of_polars(lambda: collected(frame).to_dicts()))
    columns = unique_names("the pandas table", [str(name) for name in frame.columns])
    values = frame.astype(object)
    for i in range(len(columns)):
        if is_integer_like(frame.iloc[:, i]):
            values.isetitem(i, [int(v) if isinstance(v, float) and v.is_integer() else v for v in frame.iloc[:, i]])
    return [dict(zip(columns, row, strict=True)) for row in values.itertuples(index=False)]
