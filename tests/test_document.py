"""contracts/document.py: what loads, what does not, and what is said about it, with line and column."""

# ruff: noqa: E501, a table of cases reads best with one case a line

from __future__ import annotations

import copy
import datetime as dt
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import jsonschema  # type: ignore[import-untyped,unused-ignore]
import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

import contracts
from contracts import Contract, ContractError, DataError, Field, from_mapping, load, parse
from contracts.__main__ import main
from contracts.document import Evolution, Freshness, Volume, lint, to_mapping
from contracts.errors import Fault

LESSON = """\
version: 1.4.0
owner: team-marketplace-backend
consumers: [data-platform, pricing-service, finance-reporting]
freshness: {max_lag: 1h}
volume: {min_rows: 6500, max_rows: 9500}
fields:
  - name: item_condition
    type: string
    enum: [A, B, C]
    meaning: >
      Grader's condition band, assigned at intake.
      A = as new · B = light wear · C = visible wear.
    required: true
  - name: price_cents
    type: integer
    unit: EUR_cents
evolution: {additive: allowed, breaking: expand_and_contract, notice: 14d}
"""
HEAD = "version: 1.0.0\nowner: team\n"  # two lines, so that a field's first line is the fourth


def faults(text: str | bytes) -> tuple[Fault, ...]:
    """All faults of a text that must not load."""
    with pytest.raises(ContractError) as caught:
        parse(text)
    return caught.value.faults


def field(clauses: str) -> str:
    """A contract of one field, whose clauses (in flow form) begin at line 4, column 6."""
    return f"{HEAD}fields:\n  - {{{clauses}}}\n"


DATED = field("name: a, type: date")  # four lines


# ---- what loads --------------------------------------------------------------------------------------------


def test_the_lesson_loads_verbatim(tmp_path: Path) -> None:
    path = tmp_path / "listings-1.4.0.yaml"
    path.write_text(LESSON, encoding="utf-8")
    contract = load(path)
    assert (contract.dataset, contract.version, contract.owner) == ("listings", "1.4.0", "team-marketplace-backend")
    assert contract.consumers == ("data-platform", "pricing-service", "finance-reporting")
    assert contract.freshness == Freshness(max_lag=dt.timedelta(hours=1))
    assert contract.volume == Volume(min_rows=6500, max_rows=9500)
    assert contract.evolution == Evolution(breaking="expand_and_contract", notice=dt.timedelta(days=14))
    meaning = "Grader's condition band, assigned at intake. A = as new · B = light wear · C = visible wear."
    condition = Field(name="item_condition", type="string", enum=("A", "B", "C"), meaning=meaning, required=True)
    price = Field(name="price_cents", type="integer", unit="EUR_cents", required=False)
    assert contract.fields == (condition, price)
    assert (contract.field("price_cents"), contract.field("Price_Cents")) == (price, None)  # names are exact

    # A gate's annotation needs the line of a clause.
    assert contract.source == path
    assert contract.line("item_condition", "enum") == 9
    assert contract.line("item_condition", "name") == 7
    assert contract.line("price_cents", "enum") == 14  # no such clause: the field
    assert contract.line(None, "volume") == 5
    assert contract.line("nobody", "enum") == 1  # no such field: the file

    # Where it was written is no part of it.
    bare = parse(LESSON, source="dataset.yaml")
    assert bare == parse(LESSON) and hash(bare) == hash(parse(LESSON)) and to_mapping(bare) == to_mapping(parse(LESSON))
    assert parse(LESSON).source is None and parse(LESSON).line(None, "volume") is None


def test_the_dataset_is_the_file_s_stem_without_the_version() -> None:
    stems = {"listings.yaml": "listings", "listings-1.3.0.yaml": "listings", "a-1.3.yaml": "a-1.3", "x": "x"}
    assert {name: parse(LESSON, source=name).dataset for name in stems} == stems
    assert parse("dataset: other\n" + LESSON, source="listings.yaml").dataset == "other"
    assert parse(LESSON).dataset == "dataset"


def test_every_type_has_values_of_its_own_python_type() -> None:
    contract = parse(
        HEAD
        + dedent("""\
        fields:
          - {name: s, type: string, enum: ['', 'NO', "A\\0", 017a]}
          - {name: i, type: integer, enum: [1, -2], min: -2, max: 10}
          - {name: n, type: number, enum: [0, 0.5, 1.0e+3], max_null_rate: 0.01}
          - {name: b, type: boolean, enum: [true, False]}
          - {name: d, type: date, min: 2026-08-19, max: '9999-12-31'}
          - {name: t, type: timestamp, min: 2026-08-19, max: 2026-08-19 12:30:00}
          - {name: z, type: timestamp, min: '2026-08-19T12:30:00+02:00', unique: true}
          - {name: m, type: string, enum: {A: ' as new ', B: light wear}, pattern: '[AB]'}
        """)
    )
    values = {f.name: f.enum for f in contract.fields}
    assert values["s"] == ("", "NO", "A\0", "017a")
    assert values["i"] == (1, -2) and all(type(v) is int for v in values["i"])
    assert [(v, type(v)) for v in values["n"] or ()] == [(0, int), (0.5, float), (1000.0, float)]
    assert values["b"] == (True, False)
    d, t, z, m = contract.fields[4:]
    assert (d.min, d.max) == (dt.date(2026, 8, 19), dt.date(9999, 12, 31)) and type(d.min) is dt.date
    assert (t.min, t.max) == (dt.datetime(2026, 8, 19), dt.datetime(2026, 8, 19, 12, 30))
    assert z.min == dt.datetime(2026, 8, 19, 10, 30, tzinfo=dt.UTC)
    assert m.enum == ("A", "B") and m.meanings == (("A", "as new"), ("B", "light wear"))


def test_durations() -> None:
    for text, seconds in {"45s": 45, "30m": 1_800, "1h": 3_600, "14d": 1_209_600, "2w": 1_209_600}.items():
        contract = parse(LESSON.replace("notice: 14d", f"notice: {text}"))
        assert contract.evolution.notice == dt.timedelta(seconds=seconds)


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin"])
def test_zones(zone: str) -> None:
    contract = parse(LESSON.replace("max_lag: 1h", f"max_lag: 1h, timezone: {zone}"))
    assert contract.freshness is not None and contract.freshness.timezone == zone


def test_anchors_aliases_and_merge_keys() -> None:
    contract = parse(
        HEAD
        + "fields:\n"
        + "  - &money {name: price, type: integer, unit: &cents EUR_cents, min: 0}\n"
        + "  - {<<: *money, name: fee, min: 1}\n"
        + "  - {<<: [*money], name: tax, unit: *cents}\n"
    )
    assert [(f.name, f.min) for f in contract.fields] == [("price", 0), ("fee", 1), ("tax", 0)]
    assert {(f.type, f.unit) for f in contract.fields} == {("integer", "EUR_cents")}


def test_bom_and_windows_line_ends() -> None:
    assert parse(b"\xef\xbb\xbf" + LESSON.replace("\n", "\r\n").encode()) == parse(LESSON)
    assert [(f.line, f.column) for f in faults("\ufeffversion: 1.4")][-1] == (1, 10)
    assert faults("\ufeff" + HEAD.replace("\n", "\r\n") + "fields: 1\r\n")[0].line == 3


def test_a_contract_is_frozen_in_depth_hashes_copies_and_pickles() -> None:
    contract = parse(LESSON, source="listings.yaml")
    with pytest.raises(ValueError, match="frozen"):
        contract.fields[0].enum = ("X",)
    assert len({contract, contract.model_copy(), copy.deepcopy(contract), pickle.loads(pickle.dumps(contract))}) == 1
    assert pickle.loads(pickle.dumps(contract)).line("price_cents", "unit") == 16


def test_a_contract_can_be_built_in_python_under_the_same_rules() -> None:
    name = Field(name="n", type="string", enum=("a",), meanings=(("a", "first"),))
    contract = Contract(version="1.0.0", owner="o", fields=(name,))
    assert contract == from_mapping(to_mapping(contract))
    with pytest.raises(ValueError, match="two fields are named"):
        Contract(version="1.0.0", owner="o", fields=(name, name))


# ---- what does not load --------------------------------------------------------------------------------------

TRAPS = {  # as written: as read
    "NO": "the boolean false", "yes": "the boolean true", "on": "the boolean true", "off": "the boolean false",
    "true": "the boolean true", "1": "the integer 1", "1.10": "the number 1.1", "1e3": "the number 1000.0",
    "017": "the integer 15", "0o17": "the integer 15", "0x1F": "the integer 31", "1_000": "the integer 1000",
    "12:30": "the integer 750", ".inf": "the number inf", "2026-08-19": "the date 2026-08-19",
    "2026-08-19 12:30:00": "the timestamp 2026-08-19 12:30:00",
}  # fmt: skip


@pytest.mark.parametrize(("written", "read"), TRAPS.items())
def test_yaml_traps_are_errors_wherever_text_belongs(written: str, read: str) -> None:
    says = f"{written} is read as {read}; write '{written}', because text belongs here"
    for text, place in {
        field(f"name: a, type: string, enum: [{written}]"): (4, 36),
        field(f"name: a, type: string, enum: {{A: {written}}}"): (4, 39),
        field(f"name: a, type: string, enum: {{{written}: of it}}"): (4, 36),
        field(f"type: string, name: {written}"): (4, 26),
        field(f"name: a, type: string, unit: {written}"): (4, 35),
        field(f"name: a, type: string, meaning: {written}"): (4, 38),
        DATED.replace("team", written): (2, 8),
        DATED + f"consumers: [x, {written}]": (5, 16),
        DATED + f"dataset: {written}": (5, 10),
    }.items():
        assert [(f.line, f.column, f.message) for f in faults(text)] == [(*place, says)], text
    # The same in quotes is what was meant.
    quoted = parse(field(f"name: '{written}', type: string, enum: ['{written}']").replace("team", f"'{written}'"))
    assert (quoted.owner, quoted.fields[0].name, quoted.fields[0].enum) == (written, written, (written,))


WRONG: dict[str, tuple[Any, int, int, str]] = {  # name: (text, line, column, words of the message)
    "unknown key": (field("name: a, type: string, requierd: true"), 4, 29, "requierd is no key; did you mean required?"),
    "unknown key at the top": (field("name: a, type: string") + "ownr: x", 5, 1, "ownr; did you mean owner?"),
    "unknown key, nothing near": (field("name: a, type: string, xyz: 1"), 4, 29, "xyz is no key; the keys are name, type"),
    "meanings is no key of the file": (field("name: a, type: string, meanings: []"), 4, 29, "meanings; mean meaning?"),
    "meanings of nothing": (field("name: a, type: string, meanings: "), 4, 29, "meanings; mean meaning?"),
    "meanings of text": (field("name: a, type: string, meanings: [a]"), 4, 29, "meanings; mean meaning?"),
    "a boolean as a key": (field("name: a, type: string, on: 1"), 4, 29, "on is no key here"),
    "a list as a key": (field("name: a, type: string, [x]: 1"), 4, 29, "here is a list; a key is one word"),
    "duplicate key": (field("name: a, type: string, name: b"), 4, 29, "the key name is already on line 4; remove one"),
    "duplicate key at the top": (HEAD + "owner: x\nfields: [{name: a, type: date}]", 3, 1, "owner is already on line 2"),
    "two fields of one name": (HEAD + "fields:\n- {name: a, type: date}\n- {name: a, type: string}", 5, 10, "two fields are named 'a'"),
    "unknown type": (field("name: a, type: strng"), 4, 21, "'strng' is no type; did you mean string?"),
    "a type of SQL": (field("name: a, type: VARCHAR"), 4, 21, "'VARCHAR' is no type; did you mean string?"),
    "a type of nowhere": (field("name: a, type: blob"), 4, 21, "string, integer, number, boolean, date, timestamp; write"),
    "type missing": (field("name: a"), 4, 5, "the key type is missing; for example type: string"),
    "name missing": (field("type: date"), 4, 5, "the key name is missing"),
    "version missing": ("owner: x\nfields: [{name: a, type: date}]", 1, 1, "the key version is missing; version: 1.0.0"),
    "owner missing": ("version: 1.0.0\nfields: [{name: a, type: date}]", 1, 1, "the key owner is missing"),
    "fields missing": (HEAD, 1, 1, "the key fields is missing"),
    "no fields at all": (HEAD + "fields: []", 3, 9, "there are no fields; write at least one"),
    "fields is nothing": (HEAD + "fields:\n", 3, 8, "nothing is written here; a list of fields belongs here"),
    "fields is a mapping": (HEAD + "fields: {a: string}", 3, 9, "here is a mapping; a list of fields belongs here"),
    "a field is text": (HEAD + "fields: [a]", 3, 10, "here is the text 'a'; a mapping belongs here"),
    "the file is a list": ("- a", 1, 1, "here is a list; a mapping belongs here"),
    "version of two numbers": (DATED.replace("1.0.0", "1.4"), 1, 10, "1.4 is read as the number 1.4; 1.4.0"),
    "version 1.10": (DATED.replace("1.0.0", "1.10"), 1, 10, "1.10 is read as the number 1.1"),
    "version in quotes": (DATED.replace("1.0.0", "'1.4'"), 1, 10, "the text '1.4'; three numbers"),
    "version with v": (DATED.replace("1.0.0", "v1.4.0"), 1, 10, "v1.4.0; three numbers"),
    "version with a zero in front": (DATED.replace("1.0.0", "1.04.0"), 1, 10, "leading zeros"),
    "version is a date": (DATED.replace("1.0.0", "2026-08-19"), 1, 10, "read as the date"),
    "owner is a list": (DATED.replace("team", "[a]"), 2, 8, "here is a list; text belongs here"),
    "owner is empty": (DATED.replace("team", "' '"), 2, 8, "empty text; something must be said"),
    "owner is null": (DATED.replace("team", "~"), 2, 8, "~ is read as null; text belongs here"),
    "unit left blank": (field("name: a, type: date, unit: "), 4, 33, "nothing is written here; text belongs here"),
    "consumers is a text": (DATED + "consumers: x", 5, 12, "a list of teams belongs here"),
    "a team twice": (DATED + "consumers: [x, x]", 5, 16, "'x' is named twice"),
    "duration without unit": (DATED + "freshness: {max_lag: 90}", 5, 22, "90; a duration; 14d"),
    "duration in words": (DATED + "evolution: {notice: 3 days}", 5, 21, "'3 days'; a duration"),
    "duration of nothing": (DATED + "freshness: {max_lag: 0h}", 5, 22, "'0h'; at least 1s"),
    "duration without end": (DATED + "freshness: {max_lag: 99999w}", 5, 22, "at most 100 years"),
    "duration is a clock": (DATED + "freshness: {max_lag: 1:30}", 5, 22, "integer 90; a duration"),
    "freshness without max_lag": (DATED + "freshness: {field: a}", 5, 12, "max_lag is missing"),
    "freshness of no field": (DATED + "freshness: {max_lag: 1h, field: b}", 5, 33, "freshness.field names 'b'; a field of this contract"),
    "freshness of a text": (field("name: a, type: string") + "freshness: {max_lag: 1h, field: a}", 5, 33, "'a' is of type string; date or timestamp"),
    "unknown zone": (DATED + "freshness: {max_lag: 1h, timezone: Mars/X}", 5, 36, "'Mars/X' is no known time zone; UTC"),
    "a path as zone": (DATED + "freshness: {max_lag: 1h, timezone: /etc/passwd}", 5, 36, "no known time zone"),
    "min above max": (field("name: a, type: integer, min: 2, max: 1"), 4, 43, "min 2 is above max 1"),
    "min above max, dates": (field("name: a, type: date, min: 2026-02-01, max: '2026-01-01'"), 4, 49, "is above max"),
    "times with and without zone": (field("name: a, type: timestamp, min: 2026-01-01, max: '2026-01-01T00:00:00Z'"), 4, 54, "some of these timestamps have a zone and some have none"),
    "bound of another type": (field("name: a, type: integer, min: 1.5"), 4, 35, "the number 1.5; an integer belongs here"),
    "bound in quotes": (field("name: a, type: integer, min: '1'"), 4, 35, "the text '1'; without quotes"),
    "bound is a date": (field("name: a, type: number, max: 2026-01-01"), 4, 34, "the date 2026-01-01; a number"),
    "bound is a number": (field("name: a, type: date, max: 20260101"), 4, 32, "the integer 20260101; a date belongs here"),
    "bound is no date": (field("name: a, type: date, max: 2026-02-30"), 4, 32, "2026-02-30 looks like a date"),
    "bound is no date, quoted": (field("name: a, type: date, max: '2026-02-30'"), 4, 32, "'2026-02-30'; a date belongs"),
    "bound is infinite": (field("name: a, type: number, max: .inf"), 4, 34, "the number inf; a finite number"),
    "bound is not a number": (field("name: a, type: number, max: .nan"), 4, 34, "the number nan; a finite number"),
    "bound of 400 digits": (field(f"name: a, type: number, max: {'9' * 50}"), 4, 34, "at most 38 digits"),
    "bound left blank": (field("name: a, type: integer, max: "), 4, 35, "nothing is written here; a number"),
    "bound on a string": (field("name: a, type: string, min: 1"), 4, 34, "min; string field; use pattern or enum"),
    "bound on a boolean": (field("name: a, type: boolean, max: 1"), 4, 35, "max; boolean field; use pattern or enum"),
    "octal in an integer field": (field("name: a, type: integer, enum: [017]"), 4, 37, "017 is read as the integer 15; write 15"),
    "sixty-based in an integer field": (field("name: a, type: integer, max: 12:30"), 4, 35, "the integer 750; write 750"),
    "exponent in a number field": (field("name: a, type: number, max: 1e3"), 4, 34, "the number 1000.0; write 1000.0"),
    "enum of numbers on a string": (field("name: a, type: string, enum: [1]"), 4, 36, "the integer 1; write '1'"),
    "enum of text on an integer": (field("name: a, type: integer, enum: [1, A]"), 4, 40, "the text 'A'; a number"),
    "enum of booleans on an integer": (field("name: a, type: integer, enum: [true]"), 4, 37, "the boolean true; a number"),
    "enum of floats on an integer": (field("name: a, type: integer, enum: [1.0]"), 4, 37, "the number 1.0; an integer"),
    "enum of numbers on a boolean": (field("name: a, type: boolean, enum: [1]"), 4, 37, "the integer 1; a boolean"),
    "enum with a list": (field("name: a, type: string, enum: [[A]]"), 4, 36, "here is a list; text belongs here"),
    "null in an enum": (field("name: a, type: string, enum: [A, ~]"), 4, 39, "null is no value of an enum; take it out"),
    "null in a mapping enum": (field("name: a, type: string, enum: {null: x}"), 4, 36, "null is no value of an enum"),
    "value without meaning": (field("name: a, type: string, enum: {A: x, B: }"), 4, 45, "nothing is written here"),
    "empty enum": (field("name: a, type: string, enum: []"), 4, 35, "the enum is empty; take the enum out"),
    "empty mapping enum": (field("name: a, type: string, enum: {}"), 4, 35, "the enum is empty"),
    "enum is a text": (field("name: a, type: string, enum: A"), 4, 35, "the text 'A'; an enum is a list"),
    "enum value twice": (field("name: a, type: string, enum: [A, 'A']"), 4, 39, "the text 'A' is in the enum twice"),
    "number twice": (field("name: a, type: number, enum: [1, 1.0]"), 4, 39, "the number 1.0 is in the enum twice"),
    "date twice": (field("name: a, type: date, enum: [2026-01-01, '2026-01-01']"), 4, 46, "in the enum twice"),
    "key of a mapping enum twice": (field("name: a, type: string, enum: {A: x, A: y}"), 4, 42, "the key A is already on line 4"),
    "enum below min": (field("name: a, type: integer, enum: [1, 5], min: 3"), 4, 49, "the enum allows 1; below min 3"),
    "enum above max": (field("name: a, type: integer, enum: [1, 5], max: 3"), 4, 49, "the enum allows 5; above max 3"),
    "pattern does not compile": (field("name: a, type: string, pattern: '('"), 4, 38, "'(' does not compile; RE2"),
    "pattern with a look-ahead": (field("name: a, type: string, pattern: '(?=a)'"), 4, 38, "does not compile; RE2"),
    "pattern on an integer": (field("name: a, type: integer, pattern: a"), 4, 39, "pattern is for string fields; integer"),
    "required is yes": (field("name: a, type: date, required: yes"), 4, 37, "yes is read as the boolean true; write true"),
    "unique is a text": (field("name: a, type: date, unique: 'true'"), 4, 35, "the text 'true'; write true or false"),
    "required with a null rate": (field("name: a, type: date, max_null_rate: 0.1, required: true"), 4, 42, "required: true allows no NULL; 0.1"),
    "null rate in percent": (field("name: a, type: date, max_null_rate: 5"), 4, 42, "5.0 is no rate; from 0 to 1"),
    "null rate below 0": (field("name: a, type: date, max_null_rate: -0.1"), 4, 42, "-0.1 is no rate"),
    "null rate is a text": (field("name: a, type: date, max_null_rate: 5%"), 4, 42, "the text '5%'; a number"),
    "replaced by nobody": (field("name: a, type: date, deprecated: {announced: 2026-08-19, replaced_by: b}"), 4, 76, "replaced_by names 'b'; another field of this contract"),
    "replaced by itself": (field("name: a, type: date, deprecated: {announced: 2026-08-19, replaced_by: a}"), 4, 76, "replaced_by names 'a'; another field of this contract"),
    "deprecated without a day": (field("name: a, type: date, deprecated: {}"), 4, 39, "the key announced is missing"),
    "deprecated is true": (field("name: a, type: date, deprecated: true"), 4, 39, "the boolean true; a mapping"),
    "min_rows above max_rows": (DATED + "volume: {min_rows: 2, max_rows: 1}", 5, 33, "min_rows 2 is above max_rows 1"),
    "negative rows": (DATED + "volume: {min_rows: -1}", 5, 20, "-1 is below 0; write 0 or more"),
    "half a row": (DATED + "volume: {max_rows: 1.5}", 5, 20, "the number 1.5; an integer"),
    "empty volume": (DATED + "volume: {}", 5, 9, "the volume is empty; write min_rows"),
    "volume is a number": (DATED + "volume: 7", 5, 9, "the integer 7; a mapping belongs here"),
    "evolution of another word": (DATED + "evolution: {breaking: never}", 5, 23, "'never'; expand_and_contract"),
    "evolution is null": (DATED + "evolution:", 5, 11, "nothing is written here; a mapping"),
    "<< of no mapping": (field("name: a, type: date, <<: x"), 4, 31, "the text 'x'; << merges mappings only"),
    "an alias of nothing": (field("name: a, type: *date"), 4, 21, "no &date comes before *date"),
    "a tag of python": (field("name: a, type: !!python/object:os.system date"), 4, 21, "!!python/object:os.system; take it out"),
    "a tag of ours": (field("name: a, type: !ours date"), 4, 21, "the tag !ours"),
    "binary in YAML": (field("name: a, type: !!binary aGk="), 4, 21, "the tag !!binary"),
    "a set": (field("name: a, type: string, enum: !!set {A: x}"), 4, 35, "the tag !!set"),
    "not YAML": (HEAD + "fields: [", 4, 1, "this is not YAML; check indentation"),
    "a tab": (HEAD + "fields:\n\t- a", 4, 1, "this is not YAML; cannot start any token"),
    "empty file": ("", 1, 1, "the file is empty"),
    "only a comment": ("# later\n", 1, 1, "the file is empty"),
    "only ---": ("---\n", 1, 1, "the file is empty"),
    "two documents": (LESSON + "---\n" + LESSON, 18, 1, "a second document; split the file"),
    "a NUL": ("version: 1\nowner: a\0b", 2, 9, "U+0000; binary"),
    "an escape character": ("owner: \x1b[31m", 1, 8, "U+001B"),
    "half a character": ('owner: "\ud800"', 1, 9, "U+D800"),
    "too deep": ("[" * 40, 1, 33, "more than 32 levels"),
    "too long": ("#" * 1_000_001, 1, 1, "more than 1,000,000 bytes"),
    "too many": ("[" + "a," * 200_000 + "]", 1, 100_000, "more than 50,000 values"),
    "contains itself": ("&a [*a]", 1, 5, "*a contains itself"),
    "UTF-16": (LESSON.encode("utf-16"), 1, 1, "the file is UTF-16; save it as UTF-8"),
    "Latin-1": ("a: 1\nowner: Caf\xe9".encode("latin-1"), 2, 11, "0xe9 is not UTF-8; save the file as UTF-8"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_fault_has_its_place_and_says_what_to_write(name: str) -> None:
    text, line, column, says = WRONG[name]
    found = [fault for fault in faults(text) if (fault.line, fault.column) == (line, column)]
    assert found, f"none at {line}:{column}: {faults(text)}"
    for words in says.split("; "):
        assert any(words in fault.message for fault in found), f"{words!r} is not in {found}"
    assert all(len(fault.message) < 300 and fault.message.isprintable() for fault in faults(text))
    assert len(faults(text)) == 1, faults(text)  # one mistake, one fault


def test_everything_wrong_is_reported_at_once_in_the_order_of_the_file() -> None:
    text = dedent("""\
        version: 1.4
        ownr: team
        consumers: [NO, a, a]
        volume: {min_rows: 10, max_rows: 5}
        fields:
          - {name: a, type: strng}
          - {name: a, type: string, enum: [1, ~, on], min: 3}
          - {name: d, type: date, name: d, deprecated: {announced: never, replaced_by: z}, unique: yes}
        evolution: {notice: soon}
        """)
    assert [(fault.line, fault.column) for fault in faults(text)] == [
        (1, 1),  # owner is missing
        (1, 10),  # the version is a float
        (2, 1),  # ownr
        (3, 13),  # NO
        (3, 20),  # a, again
        (4, 34),  # min_rows above max_rows
        (6, 21),  # strng
        (7, 12),  # a second field a
        *((7, column) for column in (36, 39, 42, 52)),  # 1, ~, on, min of a string
        *((8, column) for column in (27, 60, 80, 92)),  # name twice, never, z, yes
        (9, 21),  # soon
    ]


def test_an_alias_bomb_a_chain_of_aliases_and_a_merge_bomb_do_no_harm() -> None:
    bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{b}: &{b} [{', '.join(['*' + a] * 9)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    assert "with aliases written out" in faults(bomb)[0].message
    chain = "- &a0 [x]\n" + "".join(f"- &a{i + 1} [*a{i}]\n" for i in range(200))  # few values, many levels
    assert "with aliases written out" in faults(chain)[0].message
    assert "maximum nesting" in str(faults("[" * 100_000)) or "32 levels" in str(faults("[" * 100_000))
    merge = "- &a {" + ", ".join(f"k{i}: v" for i in range(1000)) + "}\n- {<<: [" + "*a, " * 10_000 + "]}"
    assert "with aliases written out" in faults(merge)[0].message


def test_slow_to_read_is_no_way_to_hang(tmp_path: Path) -> None:
    """Each of these took minutes, or would, with one of the limits taken out."""
    for text in (
        "version: " + "1" * 900_000 + "x",
        "version: " + "1:" * 400_000 + "1",
        field("name: a, type: string, enum: {" + ", ".join(f"{i}: x" for i in range(20_000)) + "}"),
        HEAD + "fields: [" + ", ".join(f"{{requird{i}: x}}" for i in range(15_000)) + "]",
        "{" + ", ".join(f"k{i}: x" for i in range(20_000)) + "}",
    ):
        assert 0 < len(faults(text)) <= 202


def test_of_very_many_faults_the_first_ones_are_told() -> None:
    found = faults(field("name: a, type: string") + "".join(f"x{i}: 1\n" for i in range(500)))
    assert len(found) <= 201 and found[0].message.startswith("x0 is no key here")
    found = faults(HEAD + "fields:\n" + "".join(f"  - {{name: f{i}}}\n" for i in range(500)))
    assert len(found) == 201 and found[-1].message == "there are more faults from here on; correct these first"


def test_control_characters_and_long_values_stay_out_of_messages() -> None:
    (fault,) = faults(field('name: a, type: "\\e[31m\\n' + "x" * 5000 + '"'))
    assert "\\x1b[31m\\n" in fault.message and len(fault.message) < 250
    assert str(Fault("a\nb", 1, 2, "c\rd")) == "a\\nb:1:2: c\\rd"


def test_files_that_cannot_be_read_are_said_to_be_so(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.yaml", tmp_path, Path(f"{tmp_path}/a\0b")):
        with pytest.raises(ContractError, match="cannot read the file") as caught:
            load(path)
        assert caught.value.unreadable and len(caught.value.faults) == 1
    large = tmp_path / "large.yaml"
    with large.open("wb") as file:
        file.truncate(100_000_000)
    with pytest.raises(ContractError, match="more than 1,000,000 bytes"):
        load(large)


@pytest.mark.skipif(os.name == "nt" or not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_a_file_without_permission_is_said_to_be_so(tmp_path: Path) -> None:
    path = tmp_path / "secret.yaml"
    path.write_text(LESSON, encoding="utf-8")
    path.chmod(0)
    with pytest.raises(ContractError, match="Permission denied") as caught:
        load(path)
    assert caught.value.unreadable


# ---- plain data ----------------------------------------------------------------------------------------------


def test_plain_data_says_the_same_with_the_way_to_the_key() -> None:
    data = yaml.safe_load(LESSON)
    assert from_mapping(data) == parse(LESSON)
    data["fields"][0]["enum"] = ["A", None, 3]
    data["fields"][1]["requierd"] = True
    data["volume"] = None
    with pytest.raises(ContractError) as caught:
        from_mapping(data)
    assert sorted(map(str, caught.value.faults)) == [
        "<contract>:0:0: fields[0].enum[1]: null is no value of an enum; take it out: required and max_null_rate "
        "speak of NULL",
        "<contract>:0:0: fields[0].enum[2]: here is the integer 3, but text belongs here; write one text, in quotes",
        "<contract>:0:0: fields[1]: requierd is no key here; did you mean required?",
        "<contract>:0:0: volume: null is read as null, but a mapping belongs here; write it with the keys min_rows, "
        "max_rows",
    ]


def test_data_that_contains_itself_is_a_fault() -> None:
    data: dict[str, Any] = yaml.safe_load(LESSON)
    data["fields"].append(data)
    with pytest.raises(ContractError, match="more than 32 levels"):
        from_mapping(data)


def test_a_mapping_is_written_in_the_order_of_the_lesson_without_defaults() -> None:
    data = to_mapping(parse(LESSON, source="listings.yaml"))
    assert list(data) == ["dataset", "version", "owner", "consumers", "freshness", "volume", "fields", "evolution"]
    assert data["freshness"] == {"max_lag": "1h"} and data["evolution"] == {"notice": "14d"}
    assert data["fields"][1] == {"name": "price_cents", "type": "integer", "unit": "EUR_cents"}
    json.dumps(data)


# Contracts of every shape, as plain data.
TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5).filter(str.strip)
NUMBER = st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False)
ZONES = st.sampled_from([None, dt.UTC, dt.timezone(dt.timedelta(hours=-5, minutes=-30))])
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "string": st.text(st.characters(exclude_categories=["Cs"]), max_size=4),
    "integer": st.integers(-(10**20), 10**20),
    "number": NUMBER,
    "boolean": st.booleans(),
    "date": st.dates() | st.dates().map(str),
    "timestamp": st.datetimes(timezones=ZONES) | st.datetimes().map(dt.datetime.isoformat),
}
SPANS = st.builds("{}{}".format, st.integers(1, 999), st.sampled_from("smhdw"))


@st.composite
def field_mappings(draw: st.DrawFn, name: str) -> dict[str, Any]:
    kind = draw(st.sampled_from(list(VALUES)))
    made: dict[str, Any] = {"name": name, "type": kind}
    key = from_value if kind in ("date", "timestamp") else lambda value: value
    if draw(st.booleans()):
        values = draw(st.lists(VALUES[kind], min_size=1, max_size=4, unique_by=key))
        made["enum"] = values if draw(st.booleans()) else {value: draw(TEXT) for value in values}
    elif kind in ("integer", "number") and draw(st.booleans()):
        made["min"], made["max"] = sorted(draw(st.tuples(VALUES[kind], VALUES[kind])))
    elif kind in ("date", "timestamp") and draw(st.booleans()):
        made[draw(st.sampled_from(["min", "max"]))] = draw(VALUES[kind])
    if kind == "string" and draw(st.booleans()):
        made["pattern"] = draw(st.sampled_from(["", "^[A-Z]{2}$", r"\d+", "é|\\n"]))
    for clause, strategy in {"meaning": TEXT, "unit": TEXT, "unique": st.booleans()}.items():
        if draw(st.booleans()):
            made[clause] = draw(strategy)
    made |= draw(st.sampled_from([{}, {"required": True}, {"max_null_rate": 0.25}, {"max_null_rate": 0}]))
    return made


def from_value(value: Any) -> Any:
    """A date or timestamp as the contract compares it."""
    moment = dt.datetime.fromisoformat(str(value))
    return moment if moment.tzinfo is None else moment.astimezone(dt.UTC) if 1 < moment.year < 9999 else str(value)


@st.composite
def mappings(draw: st.DrawFn) -> dict[str, Any]:
    names = draw(st.lists(TEXT, min_size=1, max_size=4, unique=True))
    made: dict[str, Any] = {
        "version": ".".join(map(str, draw(st.tuples(*[st.integers(0, 999)] * 3)))),
        "owner": draw(TEXT),
        "fields": [draw(field_mappings(name)) for name in names],
    }
    if len(names) > 1 and draw(st.booleans()):
        made["fields"][0]["deprecated"] = {"announced": draw(st.dates()), "replaced_by": names[1]}
    extras: dict[str, st.SearchStrategy[Any]] = {
        "dataset": TEXT,
        "consumers": st.lists(TEXT, max_size=3, unique=True),
        "freshness": st.fixed_dictionaries({"max_lag": SPANS}, optional={"timezone": st.just("UTC")}),
        "volume": st.fixed_dictionaries({"min_rows": st.integers(0, 9)}, optional={"max_rows": st.integers(9, 99)}),
        "evolution": st.fixed_dictionaries({}, optional={"additive": st.just("forbidden"), "notice": SPANS}),
    }
    return made | {key: draw(strategy) for key, strategy in extras.items() if draw(st.booleans())}


@settings(max_examples=150, deadline=None)
@given(mappings())
def test_round_trip(data: dict[str, Any]) -> None:
    contract = from_mapping(data)
    assert from_mapping(to_mapping(contract)) == contract
    assert pickle.loads(pickle.dumps(contract)) == contract
    hash(contract)
    # And through a file, in which every text is quoted.
    text = yaml.safe_dump(to_mapping(contract), default_style="'", allow_unicode=False, sort_keys=False)
    plain = yaml.safe_dump(to_mapping(contract), allow_unicode=False, sort_keys=False)
    assert "!!" in text or parse(text) == contract
    try:
        assert parse(plain) == contract
    except ContractError as error:  # PyYAML leaves these bare, and readers of YAML 1.2 take them for numbers
        assert all("is read as the" in fault.message for fault in error.faults)


KEYS = st.sampled_from(["version", "owner", "fields", "name", "type", "enum", "meanings", "min", "max", "volume"])
OTHER_KEYS = st.none() | st.integers() | st.text(max_size=3)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.binary(max_size=3) | st.dates(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner) | st.dictionaries(OTHER_KEYS, inner, max_size=3),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(PLAIN, mappings(), st.data())
def test_any_data_gives_a_contract_or_a_contract_error(anything: Any, data: dict[str, Any], draws: Any) -> None:
    part: Any = data  # anything at all, somewhere in a good contract
    while isinstance(part, dict | list) and part:
        place = draws.draw(st.sampled_from(list(part) if isinstance(part, dict) else range(len(part))))
        if draws.draw(st.booleans()) or not isinstance(part[place], dict | list):
            part[place] = anything
            break
        part = part[place]
    for mapping in (anything, data):
        try:
            contract = from_mapping(mapping)
        except ContractError as error:
            assert error.faults and str(error).encode()
        else:
            assert from_mapping(to_mapping(contract)) == contract


SIGNS = """[ ] { } &a *a << !! ! ' " ~ NO 017 --- ?"""
TOKENS = [*LESSON.split(), *SIGNS.split(), "\n", "\n  - ", ": ", "\t"]


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=60) | st.text(max_size=60) | st.lists(st.sampled_from(TOKENS)).map(" ".join))
@example(b"\xff\xfe")
@example("!!int x")
@example("!!bool x: !!null y")
@example("? [a]\n: b")
@example("%TAG ! tag:x,2000:\n--- !a b")
@example("%YAML 9.9\n--- a")
@example("=: 1")
def test_any_text_gives_a_contract_or_a_contract_error(text: str | bytes) -> None:
    try:
        parse(text)
    except ContractError as error:
        assert error.faults and str(error).isprintable() | (len(error.faults) > 1)


# ---- the schema for editors ------------------------------------------------------------------------------------

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


# ---- errors and the command ------------------------------------------------------------------------------------


def test_errors_pickle_and_copy() -> None:
    wrong = ContractError((Fault("a.yaml", 1, 2, "x"), Fault("a.yaml", 3, 4, "y")), unreadable=True)
    unread = DataError("cannot read", path="a.csv", line=7)
    for again in (pickle.loads(pickle.dumps(wrong)), copy.copy(wrong), copy.deepcopy(wrong)):
        assert (again.faults, again.unreadable, str(again)) == (wrong.faults, True, "a.yaml:1:2: x\na.yaml:3:4: y")
    for copied in (pickle.loads(pickle.dumps(unread)), copy.copy(unread), copy.deepcopy(unread)):
        assert (str(copied), copied.path, copied.line) == ("cannot read", "a.csv", 7)


def test_lint_minds_naive_timestamps_without_a_zone(tmp_path: Path) -> None:
    path = tmp_path / "orders.yaml"
    text = field("name: at, type: timestamp") + "freshness: {max_lag: 1h, field: at}\n"
    path.write_text(text, encoding="utf-8")
    load(path)  # it loads, but
    (fault,) = lint(path)
    assert (fault.line, "add timezone: UTC" in fault.message) == (5, True)
    path.write_text(text.replace("field: at", "field: at, timezone: Europe/Berlin"), encoding="utf-8")
    assert lint(path) == ()
    path.write_text(text.replace("timestamp", "date"), encoding="utf-8")
    assert lint(path) == ()
    assert lint(tmp_path / "missing.yaml")[0].message.startswith("cannot read the file")


def test_the_lint_command_goes_through_all_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad, missing = (str(tmp_path / name) for name in ("listings.yaml", "bad.yaml", "missing.yaml"))
    Path(good).write_text(LESSON, encoding="utf-8")
    Path(bad).write_text(LESSON.replace("[A, B, C]", "[A, NO]"), encoding="utf-8")
    assert main(["lint", good]) == 0
    assert capsys.readouterr().out == f"ok  {good}  listings 1.4.0, 2 fields\n"
    assert main(["lint", bad, good]) == 1
    first, second = capsys.readouterr().out.splitlines()
    assert first == f"{bad}:9:15: NO is read as the boolean false; write 'NO', because text belongs here"
    assert second.startswith("ok")
    assert main(["lint", missing, bad, good]) == 2
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_the_command_from_outside(tmp_path: Path) -> None:
    path = tmp_path / "listings.yaml"
    path.write_text(LESSON, encoding="utf-8")
    run = [sys.executable, "-m", "contracts"]
    done = subprocess.run([*run, "lint", str(path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.startswith("ok  ")
    assert subprocess.run(run, capture_output=True, check=False).returncode == 2
    if os.name == "posix":  # a reader that leaves at once, as `head` does
        left = subprocess.Popen([*run, "lint", *[str(path)] * 3], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert left.stdout is not None and left.stderr is not None
        left.stdout.close()
        assert (left.stderr.read(), left.wait()) == (b"", 141)
        left.stderr.close()


def test_ctrl_c_ends_quietly(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(_: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("contracts.__main__.load", interrupted)
    assert main(["lint", "x"]) == 130
    assert capsys.readouterr().err == ""


def test_the_errors_alone_import_no_pydantic() -> None:
    code = "import sys, contracts.errors; sys.exit('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    code = "import sys, contracts.document; sys.exit('re2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
