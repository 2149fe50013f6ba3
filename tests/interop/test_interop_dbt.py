"""dbt: what its own tests check of an export, and what a schema.yml becomes."""

# ruff: noqa: E501, a table of cases reads best with one case a line

from __future__ import annotations

from pathlib import Path

import yaml
from exchanged import DBT, contract, import_text

from contracts.interop import export


def test_dbt_has_what_its_own_tests_check() -> None:
    agreed = contract(
        {"name": "a", "type": "string", "enum": ["it's", "{{ x }}", "NO"], "required": True, "unique": True},
        {"name": "n", "type": "integer", "enum": [1, 2**70], "min": 1, "unit": "{{ u }}"},
        {"name": "b", "type": "boolean", "enum": {True: "yes"}},
        {"name": "At", "type": "timestamp"},
        freshness={"max_lag": "90m", "field": "At", "timezone": "UTC"},
    )
    found = export(agreed, "dbt")
    table = yaml.safe_load(found.text)["sources"][0]["tables"][0]
    a, n, b, at = table["columns"]
    assert a["data_tests"][:2] == ["not_null", "unique"]
    assert a["data_tests"][2]["accepted_values"]["arguments"] == {"values": ["it''s", "{{ '{' }}{ x }}", "NO"]}
    many_bits = {"values": [1, str(2**70)], "quote": False}  # an integer at which dbt would stop
    assert n["data_tests"] == [{"accepted_values": {"arguments": many_bits}}]
    assert n["config"]["meta"]["unit"] == "{{ '{' }}{ u }}"  # which dbt renders as it was
    assert b["data_tests"] == [{"accepted_values": {"arguments": {"values": [True], "quote": False}}}]
    assert at["quote"] is True
    assert table["config"]["freshness"] == {"error_after": {"count": 90, "period": "minute"}}
    assert table["config"]["loaded_at_field"] == '"At"'
    assert table["config"]["meta"]["owner"] == "us"
    assert found.left_out == ("n: min is in meta, and none of dbt's own tests checks it",)


def test_what_dbt_says_has_a_defined_answer(folder: Path) -> None:
    found = import_text(DBT, "dbt", folder, "m")
    drafted = yaml.safe_load(found.text)
    assert (drafted["owner"], drafted["volume"]) == ("team-a", {"min_rows": 1, "max_rows": 9})
    assert drafted["fields"] == [
        {"name": "id", "type": "integer", "required": True, "unique": True},
        {"name": "code", "type": "string", "enum": ["NA", "it's"]},
        {"name": "flag", "type": "boolean", "enum": [True, False]},
        {"name": "rank", "type": "integer", "enum": [1, 2]},
        {"name": "share", "type": "number", "max_null_rate": 0.1, "min": 0, "max": 1},
    ]
    assert "review: only a warning there" in found.text
    left = "\n".join(found.left_out)
    for says in ("the constraint check", "id: relationships", "code: null among", "share: not_null: it is asked of some",
                 "tags: array<string> is no single value", "raw: another table", "materialized"):  # fmt: skip
        assert says in left
    raw = import_text(DBT, "dbt", folder, "raw")
    assert yaml.safe_load(raw.text)["freshness"] == {"max_lag": "1d", "field": "at", "timezone": "UTC"}
    assert "review: no zone was said" in raw.text and any("warn_after" in says for says in raw.left_out)
