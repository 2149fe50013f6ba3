"""Great Expectations: a suite of expectations on a pandas frame of the file."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import great_expectations as gx
import great_expectations.expectations as gxe
import measured
import pandas as pd


def expectations(table: measured.Table) -> Iterator[Any]:
    """An expectation for each clause, which it names in its meta."""
    low, high = table.volume
    column, seconds = table.freshness
    now = datetime.now(UTC)
    oldest = now - timedelta(seconds=seconds)
    yield gxe.ExpectTableRowCountToBeBetween(min_value=low, max_value=high, meta={"clause": "volume"})
    yield gxe.ExpectColumnMaxToBeBetween(column=column, min_value=oldest, max_value=now, meta={"clause": "freshness"})
    for field in table.fields:
        name = field["name"]

        def asked(kind: Any, rule: str, name: str = name, **options: Any) -> Any:
            return kind(column=name, meta={"clause": f"{name} {rule}"}, **options)

        yield asked(gxe.ExpectColumnToExist, "missing")
        if field["required"]:
            yield asked(gxe.ExpectColumnValuesToNotBeNull, "required")
        if field["null_rate"] is not None:
            yield asked(gxe.ExpectColumnValuesToNotBeNull, "null_rate", mostly=1 - field["null_rate"])
        if field["unique"]:
            yield asked(gxe.ExpectColumnValuesToBeUnique, "unique")
        if field["enum"]:
            yield asked(gxe.ExpectColumnValuesToBeInSet, "enum", value_set=field["enum"])
        if field["min"] is not None or field["max"] is not None:
            yield asked(gxe.ExpectColumnValuesToBeBetween, "range", min_value=field["min"], max_value=field["max"])
        if field["pattern"]:
            yield asked(gxe.ExpectColumnValuesToMatchRegex, "pattern", regex=f"^(?:{field['pattern']})$")


def prepare(table: measured.Table) -> measured.Check:
    table.cannot.append("types (in pandas an integer column with NULLs is one of floats)")
    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = {"globally": False}
    asset = context.data_sources.add_pandas("shop").add_dataframe_asset("listings")
    whole = asset.add_batch_definition_whole_dataframe("all")

    def check() -> measured.Broken:
        suite = gx.ExpectationSuite("listings", expectations=list(expectations(table)))
        batch = whole.get_batch({"dataframe": pd.read_parquet(table.parquet)})
        broken = {}
        for result in batch.validate(suite).results:
            asked = result.expectation_config
            if result.exception_info.get("raised_exception"):
                raise SystemExit(f"{asked.type}: {result.exception_info}")
            if not result.success:
                broken[asked.meta["clause"]] = result.result.get("unexpected_count", 0)
        return broken

    return check


if __name__ == "__main__":
    measured.run(prepare)
