"""JSON Schema, Avro and patterns: exports say the same of a value as the contract does."""

# ruff: noqa: E501, a table of cases reads best with one case a line

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import re2
import yaml
from exchanged import CLAUSES, LISTINGS, contract, import_text, many
from hypothesis import example, given
from hypothesis import strategies as st

from contracts import load
from contracts.__main__ import main
from contracts.forms import regex
from contracts.interop import export
from validate import report

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
