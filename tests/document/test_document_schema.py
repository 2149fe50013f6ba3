"""The schema for editors is the model's own, and refuses what an editor can see."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped,unused-ignore]
import pytest
import yaml
from any_contract import mappings
from documents import WRONG
from hypothesis import given, settings

import contracts
from contracts import Contract, from_mapping
from contracts.document import to_mapping

SCHEMA = json.loads(Path(contracts.__file__).with_name("contract.schema.json").read_text(encoding="utf-8"))
WRITE = (
    'python -c "import json, contracts; print(json.dumps(contracts.Contract.model_json_schema(), indent=2))" '
    "> contracts/contract.schema.json"
)


def test_the_committed_schema_is_the_model_s() -> None:
    assert Contract.model_json_schema() == SCHEMA, f"run: {WRITE}"
    assert "http" not in json.dumps(SCHEMA)


def test_every_key_of_the_schema_is_described() -> None:
    for part in (SCHEMA, *SCHEMA["$defs"].values()):
        assert part["additionalProperties"] is False
        assert all("description" in key or "$ref" in key for key in part["properties"].values())


@settings(max_examples=60, deadline=None)
@given(mappings())
def test_what_loads_is_valid_under_the_schema(data: dict[str, Any]) -> None:
    jsonschema.validate(json.loads(json.dumps(to_mapping(from_mapping(data)))), SCHEMA)


@pytest.mark.parametrize("name", ["unknown key", "unknown type", "duration in words", "no fields at all", "empty enum"])
def test_the_schema_refuses_what_an_editor_can_see(name: str) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(yaml.safe_load(WRONG[name][0]), SCHEMA)
