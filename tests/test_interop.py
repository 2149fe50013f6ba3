"""contracts/interop.py and forms/: to other tools and back, on the command line and in Python.

`make interop` runs the tools themselves; here their own schemas, and the engines that are installed anyway, judge.
"""

# ruff: noqa: E501, a table of cases reads best with one case a line

from __future__ import annotations

import copy
import csv
import importlib.resources
import itertools
import json
import os
import re
import sqlite3
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import duckdb
import jsonschema
import pytest
import re2
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from test_document import mappings

import contracts
import seed
from contracts import ContractError, from_mapping, load, parse
from contracts.__main__ import main
from contracts.document import concerns
from contracts.forms import ddl, regex
from contracts.interop import FROM, TO, Imported, export, import_file
from validate import report

OURS = sorted([*(seed.ROOT / "contracts").glob("*.yaml"), *(seed.ROOT / "contracts" / "history").glob("*.yaml")])
CITIES = seed.ROOT.parent / "shared" / "real" / "cities"
LISTINGS = seed.ROOT / "contracts" / "listings.yaml"
BOTH_WAYS = ("odcs", "dbt", "jsonschema", "avro")
EXAMPLES = int(os.environ.get("EXAMPLES", "25"))
some = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
many = settings(max_examples=4 * EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))


def contract(*fields: dict[str, Any], **more: Any) -> contracts.Contract:
    return from_mapping({"dataset": "t", "version": "1.0.0", "owner": "us", "fields": list(fields), **more})


def import_text(text: str, form: str, folder: Path, named: str | None = None) -> Imported:
    path = folder / f"file.{form}"
    path.write_text(text, encoding="utf-8", newline="")
    return import_file(path, form, named)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("interop")


@pytest.fixture(scope="module")
def rows() -> dict[str, list[dict[str, Any]]]:
    """The listings before the release, and after it."""
    found = {}
    with seed.build() as shop:
        for name in ("listings_before", "listings"):
            answer = shop.sql(f"select * from shop.{name} order by listing_id")
            found[name] = [dict(zip(answer.columns, row, strict=True)) for row in answer.fetchall()]
    return {"before": found["listings_before"], "after": found["listings"]}


# ---- there and back -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", BOTH_WAYS)
@pytest.mark.parametrize("path", OURS, ids=lambda path: path.stem)
def test_our_contracts_come_back_as_they_went(path: Path, form: str, folder: Path) -> None:
    found = import_text(export(load(path), form).text, form, folder)
    assert parse(found.text) == load(path)
    assert found.left_out == () and "review" not in found.text


@pytest.mark.parametrize("form", BOTH_WAYS)
def test_any_contract_comes_back_as_it_went(form: str, folder: Path) -> None:
    @some
    @given(mappings())
    def check(data: dict[str, Any]) -> None:
        agreed = from_mapping(data)
        found = import_text(export(agreed, form).text, form, folder)
        assert parse(found.text) == agreed
        assert all(says.startswith("lint will say") for says in found.left_out)
        assert bool(found.left_out) == bool(concerns(agreed))

    check()


def test_a_field_that_is_named_as_its_table_is_not_the_one_that_tells_the_age(folder: Path) -> None:
    agreed = contract({"name": "t", "type": "date"}, freshness={"max_lag": "90s"}, evolution={"additive": "forbidden"})
    said = "additive: forbidden is in customProperties, and no rule of the standard's checks it"
    assert export(agreed, "odcs").left_out == (said,)
    for form in BOTH_WAYS:
        assert parse(import_text(export(agreed, form).text, form, folder).text) == agreed


def test_a_zone_that_nobody_named_is_not_made_up_on_the_way_back(folder: Path) -> None:
    agreed = contract({"name": "at", "type": "timestamp"}, freshness={"max_lag": "2d", "field": "at"})
    for form in BOTH_WAYS:
        found = import_text(export(agreed, form).text, form, folder)
        assert parse(found.text) == agreed
        assert len(found.left_out) == 1 and "add timezone: UTC" in found.left_out[0]


@pytest.mark.parametrize("to", TO)
def test_every_form_of_any_contract_is_text_that_utf8_holds(to: str) -> None:
    @some
    @given(mappings(), st.sampled_from(ddl.DIALECTS))
    def check(data: dict[str, Any], dialect: str) -> None:
        agreed = from_mapping(data)
        try:
            found = export(agreed, to, dialect=dialect, enums=True, previous=agreed)
        except ValueError as error:
            assert to == "sql" and "can be a column" in str(error)
            return
        assert found.text.encode("utf-8").endswith(b"\n")
        assert all(says.strip() for says in found.left_out)

    check()


# ---- ODCS ---------------------------------------------------------------------------------------------------------


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


ODCS = """
apiVersion: v3.0.2
kind: DataContract
id: x
status: active
version: '1.1'
team: [{username: ada, role: Data Owner}]
servers: [{server: dev, type: local}]
schema:
  - name: t
    physicalName: t_1
    properties:
%s
"""
ANSWERS = {  # a property, the field that comes of it (None: none), what is said of it, what is to be reviewed
    "an enum with a quoted NA": (
        "{name: a, logicalType: string, quality: [{metric: invalidValues, mustBe: 0, arguments: {validValues: ['NA', 'NO']}}]}",
        {"enum": ["NA", "NO"]}, "", ""),
    "an enum whose NO lost its quotes": (
        "{name: a, logicalType: string, quality: [{metric: invalidValues, mustBe: 0, arguments: {validValues: [NA, NO]}}]}",
        {"enum": ["NA", "NO"]}, "", "NO was written without quotes"),
    "null among the values": (
        "{name: a, logicalType: string, quality: [{rule: invalidValues, mustBe: 0, validValues: [A, null]}]}",
        {"enum": ["A"]}, "a: null among the allowed values", ""),
    "nothing but null": (
        "{name: a, logicalType: string, quality: [{rule: invalidValues, mustBe: 0, validValues: [null]}]}",
        {}, "a: null among the allowed values", ""),
    "a boolean domain": (
        "{name: a, logicalType: boolean, quality: [{metric: invalidValues, mustBe: 0, arguments: {validValues: ['true']}}]}",
        {"type": "boolean", "enum": [True]}, "", ""),
    "integers as text": (
        "{name: a, logicalType: integer, quality: [{metric: invalidValues, mustBe: 0, arguments: {validValues: ['1', 2, 3.0]}}]}",
        {"type": "integer", "enum": [1, 2, 3]}, "", ""),
    "a value that is none of the type": (
        "{name: a, logicalType: integer, quality: [{metric: invalidValues, mustBe: 0, arguments: {validValues: [1, x]}}]}",
        {"type": "integer", "enum": [1]}, "a: enum:", ""),
    "the enum of 3.2, with meanings": (
        "{name: a, logicalType: string, enum: [{value: A, description: as new}, {value: B, label: worn}]}",
        {"enum": {"A": "as new", "B": "worn"}}, "", ""),
    "an anchored pattern": (
        "{name: a, logicalType: string, logicalTypeOptions: {pattern: '^[A-Z]{2}$'}}", {"pattern": "^[A-Z]{2}$"}, "", ""),
    "a pattern that searches": (
        "{name: a, logicalType: string, logicalTypeOptions: {pattern: '[A-Z]{2}'}}",
        {"pattern": "(?s:.*)(?:[A-Z]{2})(?s:.*)"}, "", "it may stand anywhere"),
    "a pattern that RE2 does not read": (
        "{name: a, logicalType: string, logicalTypeOptions: {pattern: '^(?=a)b$'}}", {}, "does not compile", ""),
    "a pattern of a number": (
        "{name: a, logicalType: integer, logicalTypeOptions: {pattern: '^a$'}}", {"type": "integer"}, "pattern is for string", ""),
    "lengths": (
        "{name: a, logicalType: string, logicalTypeOptions: {minLength: 1, maxLength: 5}}", {"pattern": "(?s:.){1,5}"}, "", ""),
    "bounds that exclude themselves": (
        "{name: a, logicalType: integer, logicalTypeOptions: {exclusiveMinimum: 0, exclusiveMaximum: 10}}",
        {"type": "integer", "min": 1, "max": 9}, "", ""),
    "a number's open bound": (
        "{name: a, logicalType: number, logicalTypeOptions: {exclusiveMinimum: 0}}",
        {"type": "number", "min": 0.0}, "", "the bound itself"),
    "bounds the wrong way round": (
        "{name: a, logicalType: integer, logicalTypeOptions: {minimum: 9, maximum: 1}}",
        {"type": "integer", "min": 9}, "is above max", ""),
    "an object": ("{name: b, logicalType: object, properties: [{name: c, logicalType: string}]}", None, "b: object is no single", ""),
    "an array": ("{name: b, logicalType: array, items: {logicalType: string}}", None, "b: array is no single value", ""),
    "a time of day": ("{name: b, logicalType: time}", None, "b: a contract has no type for a time", ""),
    "a date of 3.0 with a clock": (
        "{name: a, logicalType: date, physicalType: timestamp_ntz}", {"type": "timestamp"}, "", ""),
    "no logical type": ("{name: a, physicalType: 'decimal(10,2)'}", {"type": "number"}, "", ""),
    "no type at all": ("{name: a}", {}, "", "none was said"),
    "a primary key": ("{name: a, logicalType: integer, primaryKey: true}", {"type": "integer", "required": True, "unique": True}, "", ""),
    "few NULLs": (
        "{name: a, logicalType: string, quality: [{metric: nullValues, unit: percent, mustBeLessThan: 5}]}",
        {"max_null_rate": 0.05}, "", "less, not at most"),
    "a rule of 3.0 without a number": (
        "{name: a, logicalType: string, quality: [{type: library, rule: nullCheck}]}", {"required": True}, "", "says no number"),
    "another rule": (
        "{name: a, logicalType: string, quality: [{type: sql, query: select 1, mustBe: 0}]}", {}, "a: sql: a contract has no place", ""),
    "the name in the data": (
        "{name: a, physicalName: a_col, logicalType: string}", {"name": "a_col"}, "", "it is called a there"),
    "two of one name": (
        "{name: a, logicalType: string}\n      - {name: a, logicalType: integer}", {}, "a: a second column", ""),
}  # fmt: skip


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


# ---- dbt ----------------------------------------------------------------------------------------------------------


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


DBT = """
version: 2
models:
  - name: m
    description: ignored
    config: {materialized: table, meta: {owner: team-a}}
    data_tests: [{dbt_expectations.expect_table_row_count_to_be_between: {min_value: 1, max_value: 9}}]
    columns:
      - name: id
        data_type: int64
        constraints: [{type: not_null}, {type: check, expression: id > 0}]
        tests: [unique, {relationships: {to: ref('x'), field: id}}]
      - name: code
        data_type: varchar(2)
        tests: [{accepted_values: {values: ['NA', 'it''''s', null], config: {severity: warn}}}]
      - name: flag
        tests: [{accepted_values: {values: [true, false], quote: false}}]
      - name: rank
        tests: [{accepted_values: {arguments: {values: [1, 2], quote: false}}}]
      - name: share
        data_type: numeric
        tests:
          - dbt_utils.accepted_range: {min_value: 0, max_value: 1}
          - dbt_utils.not_null_proportion: {at_least: 0.9}
          - not_null: {where: "id > 7"}
      - {name: tags, data_type: array<string>}
  - {name: other}
sources:
  - name: shop
    tables:
      - name: raw
        loaded_at_field: at
        freshness: {warn_after: {count: 12, period: hour}, error_after: {count: 1, period: day}}
        columns: [{name: at, data_type: timestamp_ntz}]
"""


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


# ---- JSON Schema and Avro -----------------------------------------------------------------------------------------


def as_json(row: dict[str, Any]) -> Any:
    return json.loads(json.dumps(row, default=lambda value: value.isoformat()))


def test_json_schema_passes_the_rows_before_and_refuses_those_after(rows: dict[str, list[dict[str, Any]]]) -> None:
    schema = json.loads(export(load(LISTINGS), "jsonschema").text)
    validator = jsonschema.Draft202012Validator(schema, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER)
    jsonschema.Draft202012Validator.check_schema(schema)
    for row in rows["before"][:200]:
        validator.validate(as_json(row))
    for row in rows["after"][:200]:
        wrong = {error.json_path for error in validator.iter_errors(as_json(row))}
        assert "$.item_condition" in wrong


VALUES = st.sampled_from(
    [None, "A", "a", "A\n", "AB", "", "٣", "3", 0, 1, 2, 3, 1.5, -1, True, False, "2026-08-19", "2026-08-19\n", "19.8.2026",
     "2026-08-19T12:00:00", "2026-08-19T12:00:00Z", "2026-08-19 12:00:00+02:00", "noon"]
)  # fmt: skip
CLAUSES = st.sampled_from(
    [
        {"type": "string"},
        {"type": "string", "enum": ["A", "3"]},
        {"type": "string", "pattern": r"\d"},
        {"type": "string", "pattern": "^[A-Z]+$|3"},
        {"type": "string", "pattern": "[^A]?", "enum": ["A", ""]},
        {"type": "integer"},
        {"type": "integer", "min": 1, "max": 2},
        {"type": "integer", "enum": [1, 2]},
        {"type": "number", "max": 1.5, "enum": [0.5, 1, 1.5]},
        {"type": "boolean"},
        {"type": "boolean", "enum": [True]},
        {"type": "date"},
        {"type": "timestamp"},
    ]
)


@many
@given(CLAUSES, st.booleans(), VALUES)
@example({"type": "string", "pattern": "[A-Z]"}, False, "A\n")  # $ in Python lets a line end by
@example({"type": "string", "pattern": r"\d"}, False, "٣")  # a digit to Python, not to RE2
@example({"type": "date"}, False, "2026-08-19\n")
@example({"type": "integer", "min": 0}, True, -1)
@example({"type": "integer"}, False, None)
@example({"type": "integer"}, True, None)
def test_json_schema_and_the_contract_say_the_same_of_a_value(clauses: Any, required: bool, value: Any) -> None:
    agreed = contract({"name": "x", "required": required, **clauses})
    schema = json.loads(export(agreed, "jsonschema").text)
    refused = not jsonschema.Draft202012Validator(schema).is_valid({"x": value})
    if value is None:  # a key that is not there is NULL too
        assert refused == (not jsonschema.Draft202012Validator(schema).is_valid({}))
    typed: Any = value
    if clauses["type"] in ("date", "timestamp") and isinstance(value, str):  # text, as a file has it
        from clause.sources import WRITTEN

        refused_by_us = not re.fullmatch(WRITTEN[clauses["type"]], value) or value.endswith("\n")
        assert refused == refused_by_us
        return
    assert refused == bool(report([{"x": typed}], agreed).violations)


def test_json_schema_of_others(folder: Path) -> None:
    schema = {
        "type": "array",
        "items": {"$ref": "#/$defs/row"},
        "$defs": {
            "row": {
                "title": "people",
                "type": "object",
                "required": ["id", "grade"],
                "additionalProperties": False,
                "properties": {
                    "id": {"type": "integer", "exclusiveMinimum": 0},
                    "grade": {"anyOf": [{"enum": ["A", "B"]}, {"type": "null"}]},
                    "born": {"type": ["string", "null"], "format": "date"},
                    "seen": {"type": "string", "format": "date-time"},
                    "mail": {"type": "string", "format": "email", "minLength": 3},
                    "kind": {"const": "x"},
                    "loop": {"$ref": "#/$defs/loop"},
                    "tags": {"type": "array", "items": {"type": "string"}},
                    "any": True,
                },
            },
            "loop": {"$ref": "#/$defs/loop"},
        },
    }
    found = import_text(json.dumps(schema), "jsonschema", folder)
    drafted = yaml.safe_load(found.text)
    assert (drafted["dataset"], drafted["evolution"]) == ("people", {"additive": "forbidden"})
    assert drafted["fields"] == [
        {"name": "id", "type": "integer", "required": True, "min": 1},
        {"name": "grade", "type": "string", "enum": ["A", "B"]},
        {"name": "born", "type": "date"},
        {"name": "seen", "type": "timestamp"},
        {"name": "mail", "type": "string", "pattern": "(?s:.){3,}"},
        {"name": "kind", "type": "string", "enum": ["x"]},
    ]
    left = "\n".join(found.left_out)
    for says in (
        "loop: it is no single value",
        "tags: it is no single value",
        "any: it is no single value",
        "mail.format",
    ):
        assert says in left


def test_avro_says_that_a_string_carries_no_domain_and_warns_of_defaults(capsys: pytest.CaptureFixture[str]) -> None:
    plain, real = export(load(LISTINGS), "avro"), export(load(LISTINGS), "avro", enums=True)
    types = [{one["name"]: one["type"] for one in json.loads(each.text)["fields"]} for each in (plain, real)]
    assert types[0]["item_condition"] == "string"
    assert types[1]["item_condition"] == {"type": "enum", "name": "item_condition_enum", "symbols": ["A", "B", "C"]}
    assert any("item_condition: the enum is the property domain" in says for says in plain.left_out)
    assert not any("item_condition" in says for says in real.left_out)
    assert plain.warnings == () and any(
        says.startswith("item_condition: leave this enum without") for says in real.warnings
    )
    assert main(["export", str(LISTINGS), "--to", "avro", "--enums"]) == 0
    assert "warning: item_condition" in capsys.readouterr().err


def test_avro_names_stay_apart_and_are_right_by_the_avro_package() -> None:
    import avro.schema as official  # the package; contracts.avro is ours

    agreed = contract(
        {"name": "a b", "type": "string", "enum": ["A"]}, {"name": "a_20_b", "type": "date"}, {"name": "t", "type": "number"},
        dataset="a_20_b_enum",
    )  # fmt: skip
    text = export(agreed, "avro", enums=True).text
    names = [one["name"] for one in json.loads(text)["fields"]]
    assert len(set(names)) == 3
    official.parse(text)


def test_avro_of_others(folder: Path) -> None:
    schema = {
        "type": "record",
        "name": "r",
        "namespace": "n",
        "fields": [
            {"name": "grade", "type": {"type": "enum", "name": "Grade", "symbols": ["A", "B"], "default": "B"}},
            {"name": "again", "type": ["null", "Grade"], "default": None},
            {"name": "amount", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9}},
            {"name": "made", "type": ["null", {"type": "long", "logicalType": "local-timestamp-micros"}]},
            {"name": "raw", "type": "bytes"},
            {"name": "either", "type": ["int", "string"]},
            {"name": "tags", "type": {"type": "array", "items": "string"}},
        ],
    }
    found = import_text(json.dumps(schema), "avro", folder)
    assert yaml.safe_load(found.text)["fields"] == [
        {"name": "grade", "type": "string", "enum": ["A", "B"], "required": True},
        {"name": "again", "type": "string", "enum": ["A", "B"]},
        {"name": "amount", "type": "number", "required": True},
        {"name": "made", "type": "timestamp"},
    ]
    left = "\n".join(found.left_out)
    for says in ("grade: the enum's default", "raw is no single", "either is no single", "tags is no single"):
        assert says in left


# ---- patterns -----------------------------------------------------------------------------------------------------

PATTERNS = [r"\d+", "[A-Z]{2}", "a|b", "^a$|b", "(?i)a", "(?s:.)", ".", r"\w\W", r"[\d_-]*", r"\x41", r"\.", "[^a]", "(a|b)+c",
            "a*?", "[]a]", r"[\]^-]", "", r"\pL", "[[:alpha:]]", r"\bA", "(?P<n>a)b", "x{2,3}", r"\Qa.b\E", "a/b", "é", r"[\n]",
            "{", "a{", "a$b", r"\x{1F600}", "^(?:a)$", "(?:^a|b)", r"\s"]  # fmt: skip
SIGNS = "aAbBcx_.-/ \n\r\t09٣é^]{$|😀\x0b\x85"
SUBJECTS = ["", "aab", "abc", "xxx", "aXb", "a.b", *SIGNS, *map("".join, itertools.product(SIGNS, repeat=2))]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_portable_pattern_is_the_same_to_python(pattern: str) -> None:
    common, back = regex.portable(pattern), regex.from_search(regex.whole(pattern))
    assert back[1]
    ours, again = (re2.compile(f"^(?:{text})$") for text in (pattern, back[0]))
    for subject in SUBJECTS:
        expected = ours.search(subject) is not None
        assert (again.search(subject) is not None) == expected
        if common is not None:
            assert (re.search(f"^{common}$(?!\n)", subject) is not None) == expected, (common, subject)


def test_most_patterns_are_portable_and_the_others_are_said() -> None:
    lost = [pattern for pattern in PATTERNS if regex.portable(pattern) is None]
    assert lost == ["(?i)a", r"\pL", "[[:alpha:]]", r"\bA", r"\Qa.b\E", "a$b", "(?:^a|b)"]
    assert regex.portable(".") == r"[^\n]"  # to ECMA-262, . is no carriage return either
    odd = contract({"name": "x", "type": "string", "pattern": "(?i)a"})
    for form in ("odcs", "jsonschema"):
        assert any(says.startswith("x: the pattern is RE2's") for says in export(odd, form).left_out)
    assert export(odd, "sql").left_out == () and export(odd, "sql", dialect="postgres").left_out
    plain = contract({"name": "x", "type": "string", "pattern": "[A-Z]"})
    assert export(plain, "sql", dialect="sqlite").left_out == (
        "x: pattern is left out: SQLite has no regular expressions",
    )


# ---- SQL ----------------------------------------------------------------------------------------------------------


def inserted(connection: Any, agreed: contracts.Contract, rows: list[dict[str, Any]]) -> None:
    names = [field.name for field in agreed.fields]
    marks = ", ".join("?" * len(names))
    values = [[row[name] for name in names] for row in rows]
    if isinstance(connection, sqlite3.Connection):
        values = [[str(value) if hasattr(value, "isoformat") else value for value in row] for row in values]
    columns = ", ".join(map(ddl.identifier, names))
    connection.executemany(f"insert into {ddl.identifier(agreed.dataset)} ({columns}) values ({marks})", values)


def test_the_recoded_rows_are_refused_by_duckdb(rows: dict[str, list[dict[str, Any]]]) -> None:
    agreed = load(LISTINGS)
    with duckdb.connect() as connection:
        connection.execute(export(agreed, "sql").text)
        inserted(connection, agreed, rows["before"][:300])
        for row in rows["after"][300:310]:
            with pytest.raises(duckdb.ConstraintException, match="CHECK constraint"):
                inserted(connection, agreed, [{**rows["before"][310], "item_condition": row["item_condition"]}])
        said = connection.execute("select comment from duckdb_columns() where column_name = 'price_cents'").fetchone()
        assert said and "unit: EUR_cents" in said[0]


def test_the_recoded_rows_are_refused_by_sqlite(rows: dict[str, list[dict[str, Any]]]) -> None:
    agreed = load(LISTINGS)
    connection = sqlite3.connect(":memory:")
    connection.executescript(export(agreed, "sql", dialect="sqlite").text)
    inserted(connection, agreed, rows["before"])
    for row in rows["after"][:10]:
        with pytest.raises(sqlite3.IntegrityError, match="CHECK constraint failed"):
            inserted(
                connection, agreed, [{**rows["before"][0], "listing_id": 9999, "item_condition": row["item_condition"]}]
            )
    for name, value in {
        "photos": "many",
        "listed_at": "yesterday",
        "price_cents": 99,
        "listing_id": 1,
        "brand": None,
    }.items():
        with pytest.raises(sqlite3.IntegrityError):
            inserted(connection, agreed, [{**rows["before"][0], "listing_id": 9999, name: value}])
    connection.close()


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_the_ddl_of_any_contract_runs(dialect: str) -> None:
    @some
    @given(mappings())
    def check(data: dict[str, Any]) -> None:
        agreed = from_mapping(data)
        try:
            text = export(agreed, "sql", dialect=dialect).text
        except ValueError:
            assert all("\0" in field.name for field in agreed.fields)
            return
        if dialect == "duckdb":
            with duckdb.connect() as connection:
                connection.execute(text)
        else:
            database = sqlite3.connect(":memory:")
            database.executescript(text)
            database.close()

    check()


TYPED = {  # values that the type of a column holds as they are, so that no engine converts them
    "string": [None, "A", "a", "A\n", "AB", "", "3"],
    "integer": [None, 0, 1, 2, 3, -1],
    "number": [None, 0.5, 1.0, 1.5, 1.75],
    "boolean": [None, True, False],
}
ZERO = [{"type": "integer", "min": 0}, {"type": "integer", "max": 0}, {"type": "number", "min": 0, "max": 1.5}]


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_the_ddl_and_the_contract_say_the_same_of_a_value(dialect: str) -> None:
    @some
    @given(st.data(), CLAUSES | st.sampled_from(ZERO), st.booleans(), st.booleans())
    def check(data: st.DataObject, clauses: Any, required: bool, unique: bool) -> None:
        if clauses["type"] not in TYPED:
            return
        if dialect == "sqlite":
            clauses = {key: value for key, value in clauses.items() if key != "pattern"}
        agreed = contract({"name": "x", "required": required, "unique": unique, **clauses})
        rows = [{"x": data.draw(st.sampled_from(TYPED[clauses["type"]]))} for _ in range(2)]
        database.execute("drop table if exists t")
        run(export(agreed, "sql", dialect=dialect).text)
        refused = False
        for row in rows:
            try:
                inserted(database, agreed, [row])
            except (duckdb.ConstraintException, sqlite3.IntegrityError):
                refused = True
        assert refused == bool(report(rows, agreed).violations)

    database: Any = duckdb.connect() if dialect == "duckdb" else sqlite3.connect(":memory:")
    run = database.execute if dialect == "duckdb" else database.executescript
    check()
    database.close()


def test_a_bound_of_0_and_a_rate_of_0_are_clauses_too() -> None:
    agreed = contract(
        {"name": "x", "type": "integer", "min": 0, "max": 0}, {"name": "y", "type": "date", "max_null_rate": 0}
    )
    assert 'CHECK ("x" >= 0) CHECK ("x" <= 0)' in export(agreed, "sql").text
    left = export(agreed, "dbt").left_out
    assert [says.split(" is ")[0] for says in left] == ["x: min", "x: max", "y: max_null_rate"]


# ---- the page -----------------------------------------------------------------------------------------------------

EVIL = "<script>alert(1)</script>"
HOSTILE = {
    "dataset": "t|`x`", "version": "2.0.0", "owner": f"{EVIL} & co", "consumers": ["a\nb", "[x](javascript:alert(1))"],
    "fields": [
        {"name": "a|b", "type": "string", "enum": {EVIL: "`code` | *bold*", "": "nothing", "\u202ex": "turned"}, "meaning": "x\n# y"},
        {"name": "<b>", "type": "number", "min": 1, "unit": "<i>"},
    ],
}  # fmt: skip


class Page(HTMLParser):
    """What a browser would see: tags in order, attributes, text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_html_page_is_one_file_that_is_read_aloud_and_runs_nothing() -> None:
    page = Page(export(from_mapping(HOSTILE), "html").text)
    assert "script" not in page.tags and "b" not in page.tags and "i" not in page.tags and "img" not in page.tags
    assert EVIL in page.text and "turned" in page.text and "\u202e" not in page.text
    assert ("html", {"lang": "en"}) in page.attributes
    assert any(tag == "meta" and attrs.get("name") == "viewport" for tag, attrs in page.attributes)
    assert [tag for tag in page.tags if re.fullmatch("h[1-6]", tag)] == ["h1", "h2", "h2", "h2"]
    assert page.tags.count("caption") == page.tags.count("table") == 2
    assert all(attrs.get("scope") in ("col", "row") for tag, attrs in page.attributes if tag == "th")
    assert not any("src" in attrs or "href" in attrs for _, attrs in page.attributes)


def test_the_markdown_page_keeps_every_text_in_its_cell() -> None:
    text = export(from_mapping(HOSTILE), "markdown").text
    lines = text.splitlines()
    assert [line for line in lines if line.startswith("#")] == [
        "# t\\|\\`x\\` 2.0.0", "## Fields", "## Values of a\\|b", "## What has changed"
    ]  # fmt: skip
    for line in lines:
        if line.startswith("|"):
            assert len(re.findall(r"(?<!\\)\|", line)) in (3, 4)
    assert "<script>" not in text and r"\<script\>" in text and r"\[x\]\(" not in text and r"\[x\]" in text


def test_the_page_says_meanings_and_changes(tmp_path: Path) -> None:
    page = export(load(seed.ROOT / "contracts" / "orders.yaml"), "markdown").text
    assert "| 0.9 | light wear |" in page and "No earlier version is known here." in page
    history = seed.ROOT / "contracts" / "history"
    changed = export(load(history / "listings-2.0.0.yaml"), "html").text
    assert "since 1.5.0" in changed and "field removed" in changed
    asked = export(load(LISTINGS), "markdown", previous=load(history / "listings-1.5.0.yaml")).text
    assert "since 1.5.0" in asked
    (tmp_path / "history").mkdir()
    (tmp_path / "history" / "t-0.9.0.yaml").write_text("version: 1", encoding="utf-8")
    (tmp_path / "t.yaml").write_text("{version: 1.0.0, owner: us, fields: [{name: a, type: string}]}", encoding="utf-8")
    found = export(load(tmp_path / "t.yaml"), "html")
    assert len(found.left_out) == 1 and "t-0.9.0.yaml" in found.left_out[0]


# ---- a table ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One table in every kind of file: codes with leading zeros, a key, a domain, NULLs, an infinity, a list."""
    folder = tmp_path_factory.mktemp("tables")
    found = {kind: folder / f"parts.{kind}" for kind in ("csv", "parquet", "json", "duckdb", "sqlite")}
    with duckdb.connect(str(found["duckdb"])) as connection:
        connection.execute(
            """
            create table parts as select i as part_id, printf('%03d', i % 40) as code, ['A', 'B', 'NA'][1 + i % 3] as grade,
                case when i % 10 = 0 then null else i * 1.5 end as weight, i % 2 = 0 as ok, date '2026-08-01' + i::int as made,
                timestamp '2026-08-01 12:00:00' + interval (i) hour as seen, 1 + i % 4 as "vendor id", null::int as nothing
            from range(100) t(i)
            """
        )
        for kind in ("csv", "parquet", "json"):
            connection.execute(f"copy parts to '{found[kind].as_posix()}'")
        values = connection.execute(
            "select part_id, code, grade, weight, ok, made::text, seen::text from parts"
        ).fetchall()
    database = sqlite3.connect(found["sqlite"])
    database.execute("create table parts (part_id, code, grade, weight, ok, made, seen)")
    database.executemany(
        "insert into parts values (?, ?, ?, ?, ?, ?, ?)",
        [[*row[:3], row[3] and float(row[3]), *row[4:]] for row in values],
    )
    database.commit()
    database.close()
    return found


@pytest.mark.parametrize("kind", ["csv", "parquet", "json", "duckdb", "sqlite"])
def test_a_table_is_drafted_and_keeps_its_draft(kind: str, files: dict[str, Path]) -> None:
    found = import_file(files[kind], "table")
    drafted = parse(found.text)
    fields = {field["name"]: field for field in yaml.safe_load(found.text)["fields"]}
    assert drafted.dataset == "parts" and yaml.safe_load(found.text)["volume"] == {"min_rows": 80, "max_rows": 120}
    assert fields["part_id"] == {"name": "part_id", "type": "integer", "required": True, "unique": True}
    assert fields["code"] == {
        "name": "code",
        "type": "string",
        "enum": sorted(f"{i:03d}" for i in range(40)),
        "required": True,
    }
    assert fields["grade"]["enum"] == ["A", "B", "NA"]
    assert fields["weight"] == {"name": "weight", "type": "number", "max_null_rate": 0.1, "min": 1.0, "max": 200.0}
    if kind != "sqlite":  # which has neither booleans nor dates
        assert [fields[name]["type"] for name in ("ok", "made", "seen")] == ["boolean", "date", "timestamp"]
        assert fields["vendor id"]["enum"] == [1, 2, 3, 4]
    clauses = sum(len(field) - 2 for field in fields.values())
    assert found.text.count("# review: ") >= clauses + 3
    if kind in ("csv", "parquet", "json"):
        judged = report(str(files[kind]), drafted)
        assert judged.verdict == "kept" and not judged.violations


def test_a_draft_of_the_shop_is_kept_before_and_broken_after(
    rows: dict[str, list[dict[str, Any]]], tmp_path: Path
) -> None:
    path = tmp_path / "listings.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows["before"][0])
        writer.writeheader()
        writer.writerows(rows["before"][:2000])
    drafted = parse(import_file(path, "table").text)
    assert report(str(path), drafted).verdict == "kept"
    found = report([{**row, "photos": int(row["photos"])} for row in rows["after"][:2000]], drafted)
    assert ("enum", "item_condition") in {(one.rule, one.field) for one in found.violations}


def test_tables_that_are_odd(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "odd.duckdb")) as connection:
        connection.execute(
            "create table odd as select unnest([1.0, 'inf'::double, 'nan'::double]) as x, [1] as list, 1::int as one"
        )
        connection.execute("create schema s; create table s.empty (a int, b varchar)")
    found = import_file(tmp_path / "odd.duckdb", "table", "odd")
    assert [field.name for field in parse(found.text).fields] == ["x", "one"]
    assert any(says.startswith("list: ") for says in found.left_out)
    assert any(says.startswith("x: ") and "does not keep" in says for says in found.left_out)
    empty = import_file(tmp_path / "odd.duckdb", "table", "s.empty")
    assert parse(empty.text).volume is None and "every value is NULL" in empty.text
    (tmp_path / "nameless.csv").write_bytes(b'a,"", \n1,2,3\n')
    nameless = import_file(tmp_path / "nameless.csv", "table")
    assert [field.name for field in parse(nameless.text).fields] == ["a"] and "without a name" in nameless.left_out[0]
    database = sqlite3.connect(tmp_path / "cut.sqlite")
    database.execute("create table t (a)")
    database.execute("insert into t values ('x')")
    database.commit()
    database.close()
    os.truncate(tmp_path / "cut.sqlite", 5000)
    with pytest.raises(contracts.DataError, match="cannot be read as an SQLite database"):
        import_file(tmp_path / "cut.sqlite", "table")
    (tmp_path / "wide.csv").write_text("a,b\n12345678901234567890,x\n12345678901234567891,y\n,z\n")
    wide = import_file(tmp_path / "wide.csv", "table")
    assert yaml.safe_load(wide.text)["fields"][0] == {"name": "a", "type": "integer", "max_null_rate": 0.34}
    assert report(str(tmp_path / "wide.csv"), parse(wide.text)).verdict == "kept"
    (tmp_path / "bad.csv").write_bytes(b"a,b\n1,2,3\n")
    with pytest.raises(contracts.DataError, match="line 2"):
        import_file(tmp_path / "bad.csv", "table")


# ---- hostile files ------------------------------------------------------------------------------------------------

JUNK = [None, True, 3, -1, 1e300, 10**50, "", "x", "\0", "{{ x }}", "NO", "é", [], {}, [None], [[]], [{}], {"a": None}, {1: 2}, {"name": ["x"]},
        {"value": {"x": 1}}, "9999999999999d", "2026-02-30", "(", "^(?:$", "x" * 5000]  # fmt: skip
SEEDS = {"odcs": ODCS % "\n".join(f"      - {one[0]}" for one in ANSWERS.values()), "dbt": DBT}


def ways(data: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [way] if way else []
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else []
    for key, value in items:
        found += ways(value, (*way, key))
    return found


@pytest.mark.parametrize("form", BOTH_WAYS)
def test_whatever_stands_in_a_file_is_imported_or_refused_in_a_sentence(form: str, folder: Path) -> None:
    own = export(load(seed.ROOT / "contracts" / "history" / "listings-1.5.0.yaml"), form, enums=True).text
    seeds = [yaml.safe_load(text) for text in (own, SEEDS.get(form, own))]

    junk_of_form = [*JUNK, "\ud800", {"\ud800": "\udfff"}] if form in ("jsonschema", "avro") else JUNK

    @some
    @given(
        st.sampled_from(seeds),
        st.lists(st.tuples(st.integers(0, 10**6), st.sampled_from(junk_of_form)), min_size=1, max_size=4),
    )
    def check(data: Any, changes: list[tuple[int, Any]]) -> None:
        data = copy.deepcopy(data)
        for place, junk in changes:
            places = ways(data)
            if not places:
                break
            *above, last = places[place % len(places)]
            part = data
            for key in above:
                part = part[key]
            part[last] = copy.deepcopy(junk)
        text = json.dumps(data) if form in ("jsonschema", "avro") else yaml.safe_dump(data, allow_unicode=True)
        try:
            found = import_text(text, form, folder)
        except ContractError as error:
            assert error.unreadable and len(str(error).splitlines()) == 1
        else:
            parse(found.text)
            assert all(len(says.splitlines()) == 1 for says in found.left_out)

    check()


BROKEN = {
    "empty": "",
    "not YAML": "a: [",
    "binary": "\x01\x02",
    "a bomb": "a: &a [x, x]\n"
    + "".join(f"{chr(98 + i)}: &{chr(98 + i)} [*{chr(97 + i)}, *{chr(97 + i)}]\n" for i in range(20)),
    "another format": "dataContractSpecification: 1.1.0\nmodels: {}",
    "a list": "[1, 2]",
    "a word": "x",
    "no tables": "{apiVersion: v3.1.0, kind: DataContract, schema: []}",
    "no columns": "{apiVersion: v3.1.0, schema: [{name: t, properties: []}]}",
    "an object of Python's": "!!python/object/apply:os.system [true]",
    "deep": "[" * 200,
}


@pytest.mark.parametrize("form", BOTH_WAYS)
@pytest.mark.parametrize("case", BROKEN)
def test_what_cannot_be_read_is_one_sentence_and_status_2(
    case: str, form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text(BROKEN[case], encoding="utf-8")
    assert main(["import", str(tmp_path / "file"), "--from", form]) == 2
    said = capsys.readouterr()
    assert said.out == "" and len(said.err.splitlines()) == 1 and said.err.startswith(str(tmp_path))


@pytest.mark.parametrize("form", FROM)
def test_no_file_a_folder_and_bytes_are_status_2(form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00bytes")
    for path in (tmp_path / "nobody", tmp_path, tmp_path / "bytes", "nul\0"):
        assert main(["import", str(path), "--from", form]) == 2
        said = capsys.readouterr()
        assert said.out == "" and len(said.err.splitlines()) == 1


# ---- the command line ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("to", TO)
def test_strict_is_status_1_where_something_is_not_said(to: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(LISTINGS), "--to", to]) == 0
    loose = capsys.readouterr()
    strict = main(["export", str(LISTINGS), "--to", to, "--strict"])
    said = capsys.readouterr()
    assert said.out == loose.out and said.err == loose.err
    assert strict == (0 if to in ("odcs", "markdown", "html") else 1) == (1 if said.err else 0)
    assert all(line.startswith(f"not in {to}: ") for line in said.err.splitlines())


def test_what_is_said_moves_no_cursor(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.yaml"
    path.write_text(
        '{version: 1.0.0, owner: us, fields: [{name: "\\e[2Jx", type: string, unique: true, max_null_rate: 0.1}]}'
    )
    for to in ("avro", "dbt", "jsonschema", "sql"):
        assert main(["export", str(path), "--to", to]) == 0
        said = capsys.readouterr()
        assert "\x1b" not in said.err and said.err
        assert "\x1b" not in said.out or to == "sql"  # where it is quoted, as a name must be


def test_import_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(ODCS % "      - {name: a, logicalType: string, classification: secret}", encoding="utf-8")
    assert main(["import", str(path), "--from", "odcs"]) == 0
    said = capsys.readouterr()
    (tmp_path / "drafted.yaml").write_text(said.out, encoding="utf-8")
    assert main(["lint", str(tmp_path / "drafted.yaml")]) == 0
    assert "left out: schema.properties[0].classification (secret): a contract has no place for it" in said.err
