"""Two versions to compare: small ones, the released ones of listings, PR #4471; and consumers that have moved on."""

# ruff: noqa: E501, a table of cases reads best with one case a line

from __future__ import annotations

from pathlib import Path
from typing import Any

import seed
from contracts import Contract, load

HISTORY = seed.ROOT / "contracts" / "history"


def contract(field: dict[str, Any] | None = None, **table: Any) -> dict[str, Any]:
    """A contract with the field `a`."""
    fields = [{"name": "id", "type": "integer"}] + ([] if field is None else [{"name": "a", "type": "string"} | field])
    return {"version": "1.0.0", "owner": "us", "consumers": ["one", "two"], "fields": fields} | table


ABC, WORDS = {"enum": ["A", "B", "C"]}, {"enum": ["excellent", "good", "fair"]}


INT = {"type": "integer"}


def listings(version: str) -> Contract:
    return load(HISTORY / f"listings-{version}.yaml")


MIGRATED = {  # the consumers once they have moved on
    "data-platform/stg_listings.sql": "select listing_id, condition_grade, brand from shop.listings",
    "pricing-service/fct_price.sql": "select listing_id, condition_grade from shop.listings",
    "finance-reporting/stock.sql": "select sum(price_cents) from shop.listings",
}


def consumers(folder: Path, sql: dict[str, str]) -> Path:
    for name, text in sql.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def pr_4471() -> str:
    """The contract as the release would have changed it."""
    text = (seed.ROOT / "contracts" / "listings.yaml").read_text(encoding="utf-8")
    for was, now in (
        ("version: 1.4.0", "version: 1.4.1"),
        ("  - name: brand\n", "  - name: brand_name\n"),
        ("enum: [A, B, C]", "enum: [excellent, good, fair]"),
        ("A = as new · B = light wear · C = visible wear", "excellent = as new · good = light wear · fair = visible wear"),
        ("  - name: weight_g\n    type: integer", "  - name: graded_by\n    type: string\n  - name: weight_g\n    type: number"),
    ):  # fmt: skip
        assert text.count(was) == 1
        text = text.replace(was, now)
    return text
