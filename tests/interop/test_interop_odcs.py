"""ODCS: exports by the official schema, and what each thing that a file can say becomes."""

from __future__ import annotations

import importlib.resources
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from any_contract import mappings
from exchanged import ANSWERS, LISTINGS, ODCS, OURS, import_text, some
from hypothesis import given

import seed
from contracts import ContractError, from_mapping, load, parse
from contracts.interop import export, import_file
from validate import report

CITIES = seed.ROOT.parent / "shared" / "real" / "cities"


@pytest.fixture(scope="module")
def standard() -> Any:
    """The validator of the official schema of ODCS 3.1."""
    pytest.importorskip("open_data_contract_standard", reason="open-data-contract-standard is not installed")
    text = importlib.resources.files("open_data_contract_standard").joinpath("schema.json").read_text(encoding="utf-8")
    schema = json.loads(text)
    return jsonschema.validators.validator_for(schema)(schema)


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.stem)
def test_odcs_of_our_contracts_is_right_by_the_official_schema(path: Path, standard: Any) -> None:
    document = yaml.safe_load(export(load(path), "odcs").text)
    assert document["apiVersion"] == "v3.1.0"
    assert [error.message for error in standard.iter_errors(document)] == []


def test_odcs_of_any_contract_is_right_by_the_official_schema(standard: Any) -> None:
    @some
    @given(mappings())
    def check(data: dict[str, Any]) -> None:
        document = yaml.safe_load(export(from_mapping(data), "odcs").text)
        assert [error.message for error in standard.iter_errors(document)] == []

    check()


def test_odcs_has_each_clause_where_the_standard_has_it() -> None:
    document = yaml.safe_load(export(load(LISTINGS), "odcs").text)
    table = document["schema"][0]
    columns = {one["name"]: one for one in table["properties"]}
    rule = {"type": "library", "metric": "invalidValues", "mustBe": 0, "arguments": {"validValues": ["A", "B", "C"]}}
    assert columns["item_condition"]["quality"] == [rule]
    assert columns["price_cents"]["logicalTypeOptions"] == {"minimum": 100, "maximum": 100000}
    assert columns["price_cents"]["customProperties"] == [{"property": "unit", "value": "EUR_cents"}]
    assert {"property": "max_null_rate", "value": 0.05} in columns["seller_city"]["customProperties"]
    assert table["quality"] == [{"type": "library", "metric": "rowCount", "mustBeBetween": [6500, 9500]}]
    assert document["slaProperties"] == [
        {"property": "freshness", "value": 1, "unit": "h", "element": "listings.synced_at"}
    ]
    assert document["team"] == {"name": "team-marketplace-backend"}
    own = {one["property"]: one["value"] for one in document["customProperties"]}
    assert own["consumers"] == ["data-platform", "pricing-service", "finance-reporting"]
    assert own["evolution"] == {"additive": "allowed", "breaking": "expand_and_contract", "notice": "14d"}


VERDICTS = [  # contract, data, verdict, rules
    (2, "1", "broken", {"missing"}),
    (2, "2", "kept", set()),
    (2, "2-invalid", "broken", {"range"}),
    (3, "1", "broken", {"missing"}),
    (3, "2", "broken", {"required"}),
]


@pytest.mark.skipif(not CITIES.is_dir(), reason="the real tables are not beside this folder")
@pytest.mark.parametrize(("version", "data", "verdict", "rules"), VERDICTS)
def test_cities(version: int, data: str, verdict: str, rules: set[str]) -> None:
    drafted = import_file(CITIES / f"odcs-datacontract-cities-version-{version}.yaml", "odcs")
    found = report(str(CITIES / f"cities-version-{data}.csv"), parse(drafted.text))
    assert (found.verdict, {one.rule for one in found.violations}) == (verdict, rules)


@pytest.mark.parametrize("case", ANSWERS)
def test_what_odcs_says_has_a_defined_answer(case: str, folder: Path) -> None:
    says, expected, left, reviewed = ANSWERS[case]
    found = import_text(ODCS % f"      - {says}\n      - {{name: z, logicalType: string}}", "odcs", folder)
    drafted = yaml.safe_load(found.text)
    fields = drafted["fields"]
    if expected is None:
        assert [field["name"] for field in fields] == ["z"]
    else:
        assert fields[0] == {"name": "a", "type": "string", **expected}
    assert left in "\n".join(found.left_out)
    assert reviewed in found.text
    assert (drafted["version"], drafted["owner"]) == ("1.1.0", "ada")  # both are guesses, and marked
    assert found.text.count("  # review: ") == 2 + bool(reviewed)
    assert "servers: a contract has no place for it" in found.left_out


def test_odcs_2_2(folder: Path) -> None:
    text = """
apiVersion: v2.2.2
kind: virtualDataset
uuid: 53581432-6c55-4ba2-a65f-72344a91553a
version: 1.1.0
datasetName: sales
stakeholders: [{username: ceo, role: Consumer}, {username: ada, role: Owner}]
dataset:
  - table: tbl
    columns:
      - {column: id, isPrimary: true, logicalType: bigint, physicalType: bigint, isNullable: false}
      - {column: made, logicalType: date, isNullable: true, isUnique: false, description: When it was made.}
    quality: [{code: rowCountCheck, mustBe: 4}, {rule: rowCount, mustBeGreaterThan: 10}]
slaDefaultColumn: tbl.made
slaProperties: [{property: latency, value: 36, unit: hr}, {property: retention, value: 3, unit: y}]
"""
    found = import_text(text, "odcs", folder)
    drafted = yaml.safe_load(found.text)
    assert (drafted["dataset"], drafted["owner"]) == ("tbl", "ada")
    assert drafted["freshness"] == {"max_lag": "36h", "field": "made"}
    assert drafted["volume"] == {"min_rows": 11}
    assert drafted["fields"] == [
        {"name": "id", "type": "integer", "required": True, "unique": True},
        {"name": "made", "type": "date", "meaning": "When it was made."},
    ]
    assert any("retention 3 y" in says for says in found.left_out)


def test_one_table_of_several(folder: Path) -> None:
    text = (
        ODCS % "      - {name: a, logicalType: string}"
    ) + "  - {name: u, properties: [{name: b, logicalType: date}]}\n"
    assert "u: another table; --table u imports it" in import_text(text, "odcs", folder).left_out
    assert parse(import_text(text, "odcs", folder, "u").text).field("b")
    with pytest.raises(ContractError, match="no table 'v'; it has t, u"):
        import_text(text, "odcs", folder, "v")
