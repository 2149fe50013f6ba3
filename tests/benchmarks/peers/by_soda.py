"""soda: `soda contract verify` by its Python interface, on a DuckDB view of the file."""

import json
import logging
from typing import Any

import duckdb
import measured
from soda_core.common.yaml import ContractYamlSource, DataSourceYamlSource
from soda_core.contracts.contract_verification import CheckOutcome, ContractVerificationSession

logging.disable(logging.WARNING)
COUNTS = ("missing_count", "invalid_count", "duplicate_count")


def checks(field: dict[str, Any]) -> list[dict[str, Any]]:
    """The checks of one column; each that counts rows has the clause for its name."""
    name, found = field["name"], []
    if field["required"]:
        found.append({"missing": {"name": f"{name} required"}})
    if field["null_rate"] is not None:
        threshold = {"metric": "percent", "must_be_less_than_or_equal": 100 * field["null_rate"]}
        found.append({"missing": {"name": f"{name} null_rate", "threshold": threshold}})
    if field["unique"]:
        found.append({"duplicate": {"name": f"{name} unique"}})
    if field["enum"]:
        found.append({"invalid": {"name": f"{name} enum", "valid_values": field["enum"]}})
    bounds = {f"valid_{end}": field[end] for end in ("min", "max") if field[end] is not None}
    if bounds:
        found.append({"invalid": {"name": f"{name} range", **bounds}})
    if field["pattern"]:
        form = {"name": "the pattern", "regex": f"^(?:{field['pattern']})$"}
        found.append({"invalid": {"name": f"{name} pattern", "valid_format": form}})
    return found


def prepare(table: measured.Table) -> measured.Check:
    database = table.beside("soda.duckdb")
    database.unlink(missing_ok=True)
    with duckdb.connect(database) as connection:
        connection.execute(f"create view listings as from read_parquet('{table.parquet}')")
    low, high = table.volume
    column, seconds = table.freshness
    contract = {
        "dataset": "shop/main/listings",
        "columns": [
            {"name": field["name"], **({"checks": checks(field)} if checks(field) else {})} for field in table.fields
        ],
        "checks": [
            {"schema": {"name": "schema", "allow_extra_columns": True, "allow_other_column_order": True}},
            {"row_count": {"name": "volume", "threshold": {"must_be_between": {
                "greater_than_or_equal": low, "less_than_or_equal": high}}}},
            {"freshness": {"name": "freshness", "column": column, "threshold": {
                "unit": "hour", "must_be_less_than_or_equal": seconds / 3600}}},
        ],
    }  # fmt: skip
    source = {"type": "duckdb", "name": "shop", "connection": {"database": str(database), "read_only": True}}
    if table.kind == "files":  # that soda's own command reads; JSON is YAML too
        table.beside("soda.contract.json").write_text(json.dumps(contract), encoding="utf-8")
        table.beside("soda.source.json").write_text(json.dumps(source), encoding="utf-8")

    def check() -> measured.Broken:
        session = ContractVerificationSession.execute(
            contract_yaml_sources=[ContractYamlSource.from_str(json.dumps(contract))],
            data_source_yaml_sources=[DataSourceYamlSource.from_str(json.dumps(source))],
        )
        if session.has_errors:
            raise SystemExit(session.get_errors_str())
        broken = {}
        for result in session.contract_verification_results[0].check_results:
            if result.outcome not in (CheckOutcome.PASSED, CheckOutcome.FAILED):
                raise SystemExit(f"{result.check.name}: {result.outcome}")
            if result.outcome == CheckOutcome.FAILED:
                counts = result.diagnostic_metric_values or {}
                rows = next((int(counts[key]) for key in counts if key in COUNTS), 0)
                broken[result.check.name] = rows
        return broken

    return check


if __name__ == "__main__":
    measured.run(prepare)
