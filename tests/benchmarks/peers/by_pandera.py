"""pandera: a schema on a pandas or a polars frame of the file (--kind), all failures gathered (lazy)."""

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import measured

NAMES = {  # what pandera calls a failed check begins so
    "not_nullable": "required",
    "field_uniqueness": "unique",
    "isin": "enum",
    "str_matches": "pattern",
    "in_range": "range",
    "greater_than": "range",
}


def with_pandas(table: measured.Table) -> tuple[Any, Callable[[], Any], dict[str, Any]]:
    """The library, how the file is read, and the checks that need a function of one's own."""
    import pandas as pd
    import pandera.pandas as library

    low, high = table.volume

    def fresh(times: Any) -> bool:
        now = datetime.now(UTC)
        return bool(now - timedelta(seconds=table.freshness[1]) <= times.max() <= now)

    own = {
        "volume": lambda frame: low <= len(frame) <= high,
        "freshness": fresh,
        "null_rate": lambda rate: lambda values: values.isna().mean() <= rate,
    }
    return library, lambda: pd.read_parquet(table.parquet), own


def with_polars(table: measured.Table) -> tuple[Any, Callable[[], Any], dict[str, Any]]:
    """The same for polars, where a check is an expression."""
    import pandera.polars as library
    import polars as pl

    low, high = table.volume

    def fresh(data: Any) -> Any:
        now = datetime.now(UTC)
        oldest = now - timedelta(seconds=table.freshness[1])
        return data.lazyframe.select(pl.col(data.key).max().is_between(oldest, now))

    own = {
        "volume": lambda data: data.lazyframe.select(pl.len().is_between(low, high)),
        "freshness": fresh,
        "null_rate": lambda rate: lambda data: data.lazyframe.select(pl.col(data.key).is_null().mean() <= rate),
    }
    return library, lambda: pl.read_parquet(table.parquet), own


def schema(table: measured.Table, library: Any, own: dict[str, Any]) -> Any:
    """The contract as a schema."""
    columns, Check = {}, library.Check
    for field in table.fields:
        name, asked = field["name"], []
        if field["enum"]:
            asked.append(Check.isin(field["enum"]))
        if field["min"] is not None and field["max"] is not None:
            asked.append(Check.in_range(field["min"], field["max"]))
        elif field["min"] is not None:
            asked.append(Check.ge(field["min"]))
        if field["pattern"]:
            asked.append(Check.str_matches(f"^(?:{field['pattern']})$"))
        if field["null_rate"] is not None:
            asked.append(Check(own["null_rate"](field["null_rate"]), name="null_rate", ignore_na=False))
        if name == table.freshness[0]:
            asked.append(Check(own["freshness"], name="freshness"))
        columns[name] = library.Column(None, asked, nullable=not field["required"], unique=field["unique"])
    return library.DataFrameSchema(columns, checks=[Check(own["volume"], name="volume")])


def prepare(table: measured.Table) -> measured.Check:
    library, read, own = {"pandas": with_pandas, "polars": with_polars}[table.kind](table)
    table.cannot.append("types (a column there has one exact type, and no type is any integer)")
    agreed = schema(table, library, own)

    def check() -> measured.Broken:
        frame, cases = read(), []
        try:
            agreed.validate(frame, lazy=True)
        except library.errors.SchemaErrors as errors:
            found = errors.failure_cases
            cases = list(zip(found["column"].to_list(), found["check"].to_list(), strict=True))
        broken: Counter[str] = Counter()
        for column, name in cases:
            rule = next((ours for theirs, ours in NAMES.items() if name.startswith(theirs)), name)
            whole = rule in ("volume", "freshness", "null_rate")
            broken[f"{column} {rule}" if rule not in ("volume", "freshness") else rule] += 0 if whole else 1
        return broken

    return check


if __name__ == "__main__":
    measured.run(prepare)
