"""The function boundary: a function that takes five columns of the listings, guarded by one library (--kind).

    structure   a call with names and types checked alone, on a table (a frame) whose values nobody reads
    values      a call with every value checked: not null, two enums, two ranges

Every library has to let the listings pass, to refuse a renamed column by structure, and the re-coded one by values.
The table is in DuckDB's memory for those that take ibis, a frame for pandas. `query` is the bare query, by hand; it has
no structure to check.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import measured

sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

CONDITIONS = ["A", "B", "C"]
CATEGORIES = ["tops", "jeans", "knitwear", "shoes", "dresses", "bags", "jackets", "coats"]
COLUMNS = ["listing_id", "item_condition", "price_cents", "category", "photos"]
QUERY = """
select
    count(*) - count(listing_id), count(*) - count(item_condition), count(*) - count(price_cents),
    count(*) - count(category), count(*) - count(photos),
    count(*) filter (where item_condition not in ('A', 'B', 'C')),
    count(*) filter (where price_cents not between 100 and 100000),
    count(*) filter (where category not in {categories}),
    count(*) filter (where photos not between 1 and 20)
from {table}
"""
Guarded = Callable[[Any], object]


def typed(library: Any) -> tuple[Guarded, Guarded]:
    """Ours or tacit, which are written alike."""
    Check, DataFrame = library.Check, library.DataFrame

    def one_of(values: list[str]) -> Any:
        return Check.isin(*values) if library.__name__ == "boundary" else Check.isin(values)

    class Listings(library.Schema):  # type: ignore[name-defined, misc]
        listing_id: int
        item_condition: Annotated[str, one_of(CONDITIONS)]
        price_cents: Annotated[int, Check.ge(100), Check.le(100_000)]
        category: Annotated[str, one_of(CATEGORIES)]
        photos: Annotated[int, Check.ge(1), Check.le(20)]

    def same(listings: DataFrame[Listings]) -> object:  # type: ignore[valid-type]
        return listings

    return library.contract(same), library.contract(validate=True)(same)


def pandera(library: Any, frame: Any) -> tuple[Guarded, Guarded]:
    """pandera's check_types; for structure alone, it is told to look at the schema only."""
    from pandera.config import ValidationDepth, config_context

    Field = library.Field

    class Listings(library.DataFrameModel):  # type: ignore[name-defined, misc]
        listing_id: int
        item_condition: str = Field(isin=CONDITIONS)
        price_cents: int = Field(ge=100, le=100_000)
        category: str = Field(isin=CATEGORIES)
        photos: int = Field(ge=1, le=20)

    @library.check_types(lazy=True)
    def same(listings: frame[Listings]) -> object:  # type: ignore[valid-type]
        return listings

    def structure(listings: Any) -> object:
        with config_context(validation_depth=ValidationDepth.SCHEMA_ONLY):
            return same(listings)

    return structure, same


def by_query() -> tuple[Guarded, Guarded]:
    def structure(listings: Any) -> object:
        if list(listings.columns) != COLUMNS:
            raise ValueError(listings.columns)
        return listings

    def values(listings: Any) -> object:
        name = listings.get_name()
        counts = listings.get_backend().con.execute(QUERY.format(table=name, categories=tuple(CATEGORIES))).fetchall()
        if any(counts[0]):
            raise ValueError(counts)
        return listings

    return structure, values


def guarded(kind: str) -> tuple[Guarded, Guarded]:
    """The function, with structure checked alone and with values too."""
    if kind == "ours":
        import boundary as ours

        return typed(ours)
    if kind == "tacit":
        import tacit

        return typed(tacit)
    if kind == "pandera, ibis":
        import pandera.ibis as library

        return pandera(library, library.typing.Table)
    if kind == "pandera, pandas":
        import pandera.pandas as library
        from pandera.typing import DataFrame

        return pandera(library, DataFrame)
    return by_query()


def tables(table: measured.Table) -> Callable[[str, str], Any]:
    """How a file becomes a table: of DuckDB through ibis, or of pandas; photos as 64-bit integers, as int means."""
    if "pandas" in table.kind:
        import pandas as pd

        def read(name: str, stem: str) -> Any:
            frame = pd.read_parquet(table.stem.with_name(f"{stem}.parquet"), columns=COLUMNS)
            return frame.astype({"photos": "int64"})

        return read
    import ibis

    connection = ibis.duckdb.connect()

    def load(name: str, stem: str) -> Any:
        path = table.stem.with_name(f"{stem}.parquet")
        asked = ", ".join("photos::bigint as photos" if column == "photos" else column for column in COLUMNS)
        connection.raw_sql(f"create table {name} as select {asked} from read_parquet('{path}')")
        return connection.table(name)

    return load


def refuses(call: Guarded, table: Any) -> bool:
    try:
        call(table)
    except Exception:
        return True
    return False


def seconds(call: Guarded, table: Any, times: int) -> float:
    """Of one call, the mean of so many after one that warms up."""
    call(table)
    start = time.perf_counter()
    for _ in range(times):
        call(table)
    return (time.perf_counter() - start) / times


def main() -> None:
    chosen = measured.options()
    table = measured.Table(chosen.stem, chosen.kind)
    structure, values = guarded(table.kind)
    read = tables(table)
    small, recoded, large = read("small", "clean-8000"), read("recoded", "incident"), read("large", table.stem.name)
    renamed = read("renamed", "clean-8000")
    if hasattr(renamed, "op"):
        renamed = renamed.rename(condition_grade="item_condition")
    else:
        renamed = renamed.rename(columns={"item_condition": "condition_grade"})
    measured.say(
        passes=not refuses(structure, small) and not refuses(values, small) and not refuses(values, large),
        renamed=refuses(structure, renamed),
        recoded_by_structure=refuses(structure, recoded),
        recoded_by_values=refuses(values, recoded),
        structure=seconds(structure, small, 300),
        values=seconds(values, small, 10),
        many=seconds(values, large, 1),
    )


if __name__ == "__main__":
    main()
