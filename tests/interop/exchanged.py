"""What the tests of interop share: contracts that go out, texts that come in, clauses, and how many examples."""

# ruff: noqa: E501, a table of cases reads best with one case a line

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

import contracts
import seed
from contracts import from_mapping
from contracts.interop import Imported, import_file

OURS = sorted([*(seed.ROOT / "contracts").glob("*.yaml"), *(seed.ROOT / "contracts" / "history").glob("*.yaml")])


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
