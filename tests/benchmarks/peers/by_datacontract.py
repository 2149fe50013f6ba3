"""datacontract-cli: `datacontract test` by its Python interface, on our export to ODCS."""

import logging
from collections import Counter

import measured
from datacontract.data_contract import DataContract

logging.disable(logging.WARNING)
CLAUSES = {
    "field_required": "required",
    "field_unique": "unique",
    "field_invalid_values": "enum",
    "field_minimum": "range",
    "field_maximum": "range",
    "field_regex": "pattern",
    "field_null_values": "null_rate",
}
WHOLE = {"row_count": "volume", "servicelevel_freshness": "freshness"}


def prepare(table: measured.Table) -> measured.Check:
    contract = str(table.beside("odcs.yaml"))
    table.cannot.append("types (it does not look at them in Parquet files)")

    def check() -> measured.Broken:
        broken: Counter[str] = Counter()
        for one in DataContract(data_contract_file=contract).test().checks:
            result = one.result.value
            if result not in ("passed", "failed") and one.type != "field_type":
                raise SystemExit(f"{one.name}: {result}: {one.reason}")
            if result == "failed" and one.type in WHOLE:
                broken[WHOLE[one.type]] += 0
            elif result == "failed":
                broken[f"{one.field} {CLAUSES[one.type]}"] += one.diagnostics["value"]
        return broken

    return check


if __name__ == "__main__":
    measured.run(prepare)
