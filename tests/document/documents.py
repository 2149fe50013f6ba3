"""A contract that loads, and the table of all that does not: text, line, column, words of the message."""

# ruff: noqa: E501, a table of cases reads best with one case a line

from __future__ import annotations

from typing import Any

import pytest

from contracts import ContractError, parse
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
