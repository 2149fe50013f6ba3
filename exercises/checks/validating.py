"""Exercise 2: validate(rows, contract) on small rows, each case for one idea, after the contract (writing.py).

A slip is a known wrong idea of what counts as what. Where the student's answer is that of a slip, its sentence is shown.
"""

# ruff: noqa: E501  # a slip and its sentence share a line
from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from typing import Any

from exercises.checks.contracting import Promises
from exercises.checks.numbers import as_number
from exercises.checks.slips import likeliest
from exercises.checks.student import Answer, Workbook, shown
from exercises.checks.writing import check_contract

CONTRACT, FILE = "ex2_listings.yaml", "ex2_validate.py"
RULES = ("missing", "required", "type", "enum")

Row = dict[str, Any]
Findings = dict[tuple[str, str], int]  # (rule, field): how many rows break it


def check(book: Workbook) -> None:
    """Raises Wrong at the first thing that is not right."""
    check_contract(Promises(book, CONTRACT))
    answer = book.module(FILE)
    if answer.gaps:
        check_helpers(answer)
    answer.no_gaps()
    answers: list[Findings | None] = []
    for at, case in enumerate(CASES):
        found, right = ask(answer, case), findings(case.rows, case.fields)
        answers.append(found)
        if found == right:
            continue
        for later in CASES[at + 1 :]:  # what else it gives may tell the ideas apart
            answers.append(answer.unheard(partial(ask, answer, later)))
        raise answer.wrong(
            "validate", slip(answers, at, right), called=case.called, expected=worded(right), got=worded(found)
        )


def check_helpers(answer: Answer) -> None:
    """While there are gaps, the helpers that are written are looked at already."""
    for name, arguments, right in HELPERS:
        if name not in answer.gaps and answer.node(name):
            got = answer.ask(name, *arguments)
            if bool(got) is not right:
                called = f"{name}({', '.join(map(shown, arguments))})"
                why = f"{name}: the head of the file says what counts as what."
                raise answer.wrong(name, why, called=called, expected=str(right), got=shown(got))


HELPERS = (
    ("is_missing", (None,), True),
    ("is_missing", (math.nan,), True),
    ("is_missing", ("",), False),
    ("is_missing", (0,), False),
    ("is_missing", (False,), False),
    ("has_type", ("A", "string"), True),
    ("has_type", (1, "string"), False),
    ("has_type", (1, "integer"), True),
    ("has_type", (True, "integer"), False),
    ("has_type", ("1", "integer"), False),
    ("has_type", (1.0, "integer"), False),
    ("has_type", (1, "number"), True),
    ("has_type", (1.5, "number"), True),
    ("has_type", (True, "number"), False),
    ("has_type", (True, "boolean"), True),
    ("has_type", (0, "boolean"), False),
)


# --- validate ---------------------------------------------------------------------------------------------------------


def is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def has_type(value: Any, type_name: str) -> bool:
    if isinstance(value, bool):
        return type_name == "boolean"
    return isinstance(value, {"string": str, "integer": int, "number": Real, "boolean": bool}[type_name])


@dataclass(frozen=True)
class Idea:
    """What counts as what: the right idea, or a slip that differs from it in one thing."""

    missing: Callable[[Any], bool] = is_missing
    typed: Callable[[Any, str], bool] = has_type
    allows: Callable[[Any, Any], bool] = lambda value, enum: value in list(enum)
    checks_enum_of: Callable[[Any, bool, bool], bool] = lambda value, there, typed: there and typed
    columns: Callable[[list[Row]], set[str]] = lambda rows: {name for row in rows for name in row}
    failing: Callable[[list[Any]], int] = len
    also_required: bool = False  # a missing column is reported as required, too
    missing_where_optional: bool = True
    required_always: bool = False
    type_of_missing: bool = False  # None counts as of the wrong type
    rows_seen: Callable[[list[Row]], list[Row]] = lambda rows: rows
    first_alone: bool = False


def findings(rows: list[Row], fields: list[Row], idea: Idea = Idea()) -> Findings:
    """What validate finds, by that idea."""
    found: Findings = {}
    rows = idea.rows_seen(rows)
    columns = idea.columns(rows)
    for field in fields:
        name, promised = field["name"], bool(field.get("required")) or idea.required_always
        if rows and name not in columns:
            if promised or idea.missing_where_optional:
                found["missing", name] = len(rows)
            if promised and idea.also_required:
                found["required", name] = len(rows)
            continue
        values = [row.get(name) for row in rows]
        absent = [value for value in values if idea.missing(value)]
        there = values if idea.type_of_missing else [value for value in values if not idea.missing(value)]
        mistyped = [value for value in there if not idea.typed(value, field["type"])]
        asked = [v for v in values if idea.checks_enum_of(v, not idea.missing(v), idea.typed(v, field["type"]))]
        outside = [value for value in asked if "enum" in field and not idea.allows(value, field["enum"])]
        kinds = (("required", absent if promised else []), ("type", mistyped), ("enum", outside))
        found |= {(rule, name): idea.failing(breaking) for rule, breaking in kinds if breaking}
    return dict(list(found.items())[:1]) if idea.first_alone else found


def distinct(values: list[Any]) -> int:
    return len({repr(value) for value in values})


def bare_isinstance(value: Any, type_name: str) -> bool:
    return isinstance(value, {"string": str, "integer": int, "number": Real, "boolean": bool}[type_name])


def lenient(value: Any, type_name: str) -> bool:
    """Whether the value could be converted."""
    try:
        return {"string": str, "integer": int, "number": float, "boolean": bool}[type_name](value) is not None
    except (TypeError, ValueError):
        return False


def in_text(value: Any, enum: Any) -> bool:
    return isinstance(value, str) and value in "".join(map(str, enum))


def in_listed_text(value: Any, enum: Any) -> bool:
    return str(value) in str(list(enum))


SLIPS: list[tuple[Idea, str]] = [
    (Idea(missing=lambda value: not value), "'' and 0 and False are values. `not value` is true for them as well; ask `value is None`, and whether it is NaN."),
    (Idea(missing=lambda value: value is None or value == ""), "'' is a value, a text without characters; it is not missing."),
    (Idea(missing=lambda value: value is None), "NaN is not there either: it is how pandas writes NULL. It is not None, and it equals nothing, not even itself (value != value)."),
    (Idea(missing=lambda value: is_missing(value) or (isinstance(value, str) and value.lower() in ("nan", "none", "null"))), "'None' and 'nan' are texts like any other: look at the value, not at what str() makes of it."),
    (Idea(typed=bare_isinstance), "In Python True is an int: isinstance(True, int) is true. In a table a boolean is no number, so ask for bool first."),
    (Idea(typed=lenient), "The value only could be converted. '1' is text and 1.0 is no integer: ask what it is, not what int() makes of it."),
    (Idea(typed=lambda value, name: has_type(value, name) or (name == "integer" and isinstance(value, float) and value.is_integer())), "1.0 is no integer: the column has turned into floats, which is what the clause is there to notice."),
    (Idea(typed=lambda value, name: has_type(value, name) or (name == "integer" and isinstance(value, str) and value.isdigit())), "'1' is text, not an integer, however it looks."),
    (Idea(typed=lambda value, name: has_type(value, name) and not (name == "number" and isinstance(value, int))), "An integer is a number as well: type number takes int and float."),
    (Idea(typed=lambda value, name: True), "Type is not checked: a value that is there has to be of the field's type."),
    (Idea(typed=lambda value, name: has_type(value, name) if name in ("string", "integer") else True), "Only some types are checked: boolean and number are types of a contract too."),
    (Idea(typed=lambda value, name: has_type(value, name) if name != "boolean" else isinstance(value, bool | int)), "0 and 1 are integers; only True and False are booleans."),
    (Idea(allows=in_text), "This asks whether the value is in a text: '' and 'AB' are in 'ABC'. Ask whether it is one of the list's values."),
    (Idea(allows=in_listed_text), "This asks whether the value is in the text that the list makes, where every piece of it is found. Ask whether it is one of the list's values."),
    (Idea(allows=lambda value, enum: str(value).upper() in {str(one).upper() for one in enum}), "a is not A: the consumers' CASE compares exactly, so the clause does too."),
    (Idea(allows=lambda value, enum: str(value).strip() in {str(one).strip() for one in enum}), "'A ' is not 'A': the consumers' CASE compares exactly, so the clause does too."),
    (Idea(allows=lambda value, enum: str(value)[:1] in {str(one)[:1] for one in enum}), "The whole value has to be in the list, not its first letter."),
    (Idea(allows=lambda value, enum: True), "The enum is not looked at: text of the right type can still be a value that nobody expects. That is the whole incident."),
    (Idea(checks_enum_of=lambda value, there, typed: True), "A value that is not there, or has the wrong type, is counted under enum too. Each value breaks one kind: required, type or enum."),
    (Idea(checks_enum_of=lambda value, there, typed: there), "A value of the wrong type is counted under enum too; it has its own kind already, type."),
    (Idea(checks_enum_of=lambda value, there, typed: typed or not there), "A value that is not there is counted under enum too. NULL is the business of required alone: an enum says what the values are that are there."),
    (Idea(type_of_missing=True), "None is counted as a value of the wrong type. It is no value: it is the business of required alone."),
    (Idea(columns=lambda rows: set(rows[0]) if rows else set()), "This looks at the first row only. A column is missing when no row has it; a row that lacks the key has no value there."),
    (Idea(columns=lambda rows: set.intersection(*(set(row) for row in rows)) if rows else set()), "One row without the key is a value that is not there; the column is missing when no row has it."),
    (Idea(columns=lambda rows: {name for row in rows for name in row if not is_missing(row[name])}), "The column is there, though it holds no value: that is the business of required. Missing is a column that no row has."),
    (Idea(also_required=True), "A missing column is reported twice. That it is missing is all that can be said of it."),
    (Idea(missing_where_optional=False), "A field that is not required may hold NULL, but its column is promised all the same: whoever reads it fails."),
    (Idea(required_always=True), "This field is not required, so NULL is allowed in it."),
    (Idea(failing=distinct), "failing counts rows; this counts distinct values, so a value that comes twice is counted once."),
    (Idea(failing=lambda values: 1), "failing counts rows; is it 1 whatever happens, because the search ends at the first one?"),
    (Idea(missing=lambda value: False, typed=lambda value, name: True, allows=lambda value, enum: True), "Only missing columns are found: the other three kinds, required, type and enum, are still to be written."),
    (Idea(typed=lambda value, name: True, allows=lambda value, enum: True), "Neither type nor enum is looked at: a value that is there can be of the wrong type, or one that nobody expects."),
    (Idea(failing=lambda values: len(values[:1]), rows_seen=lambda rows: rows[:1]), "Only the first row is looked at."),
    (Idea(rows_seen=lambda rows: rows[:1]), "Only the first row is looked at."),
    (Idea(rows_seen=lambda rows: rows[1:]), "The first row is left out."),
    (Idea(rows_seen=lambda rows: list({repr(row): row for row in rows}.values())), "Rows that look alike are counted once: a set or a dict drops repetitions. Count rows."),
    (Idea(first_alone=True), "It stops at the first violation. Everything that is wrong belongs into one answer: go on after it."),
    (Idea(missing=lambda value: False), "None is counted as a value of the wrong type. It is no value: it is the business of required alone."),
]  # fmt: skip


@dataclass(frozen=True)
class Case:
    """Rows, the fields of a contract, and what the case is about."""

    about: str
    fields: list[Row]
    rows: list[Row]

    @property
    def called(self) -> str:
        return f"validate(rows, contract)   {self.about}\nrows      {shown(self.rows)}\ncontract  {shown({'fields': self.fields})}"


GRADE = {"name": "grade", "type": "string", "required": True, "enum": ["A", "B"]}
OPTIONAL = {"name": "grade", "type": "string", "enum": ["A", "B"]}
PAGES = {"name": "pages", "type": "integer", "required": True}
NAN = float("nan")


def column(name: str, *values: Any) -> list[Row]:
    return [{name: value} for value in values]


def called(name: str, type_name: str, **clauses: Any) -> list[Row]:
    return [{"name": name, "type": type_name, **clauses}]


CASES = [
    Case("rows that keep every promise", [GRADE, PAGES], [{"grade": "A", "pages": 1}, {"grade": "B", "pages": 0}]),
    Case("a value outside the enum", [GRADE], column("grade", "A", "good", "B", "good", "fair")),
    Case("a column that no row has", [PAGES], column("grade", "A", "B")),
    Case("a column that no row has, of a field that may be NULL", [OPTIONAL], column("pages", 1, 2)),
    Case("None, where the field is required", [GRADE], column("grade", "A", None, None)),
    Case("None, where it is not", [OPTIONAL], column("grade", "A", None)),
    Case("NaN", called("price", "number", required=True), column("price", 1.5, NAN, 2)),
    Case("NaN in a column of text, from a frame", [GRADE], column("grade", "A", NAN)),
    Case("a row that lacks the key", [PAGES], [{"grade": "A"}, {"grade": "B", "pages": 1}]),
    Case("a row that lacks the key, and is not the first", [PAGES], [{"grade": "A", "pages": 1}, {"grade": "B"}]),
    Case("nothing but None in a column", [PAGES], column("pages", None, None)),
    Case("0, where the field is required", [PAGES], column("pages", 0, 1)),
    Case("'', where the field is required", called("title", "string", required=True), column("title", "", "x")),
    Case("False, where the field is required", called("sold", "boolean", required=True), column("sold", False, True)),
    Case("the texts 'None' and 'nan'", called("title", "string", required=True), column("title", "None", "nan", "null")),
    Case("text where an integer belongs", [PAGES], column("pages", 1, "1", "many", "many")),
    Case("a float where an integer belongs", [PAGES], column("pages", 1, 1.0, 2.5)),
    Case("True where an integer belongs", [PAGES], column("pages", 1, True)),
    Case("True where a number belongs", called("price", "number"), column("price", 1.5, True)),
    Case("an integer where a number belongs", called("price", "number"), column("price", 1, 2.5, "2.5")),
    Case("integers where a boolean belongs", called("sold", "boolean"), column("sold", True, 1, 0, "true")),
    Case("an integer where text belongs", called("title", "string"), column("title", "x", 7, 7)),
    Case("the wrong type in a field with an enum", [GRADE], column("grade", "A", 7)),
    Case("a list in a field with an enum", [GRADE], column("grade", "A", ["A"])),
    Case("an enum of integers", called("stars", "integer", enum=[1, 2, 3]), column("stars", 1, 5, 5, "1")),
    Case("'' and 'AB' beside an enum of A and B", [GRADE], column("grade", "", "AB")),
    Case("a piece of an enum's value", called("grade", "string", enum=["good", "fair"]), column("grade", "good", "goo", ", ")),
    Case("another case", [GRADE], column("grade", "A", "a")),
    Case("a blank at the end", [GRADE], column("grade", "A", "A ")),
    Case("an enum with the meaning of each value, as YAML may have it", called("grade", "string", enum={"A": "as new", "B": "worn"}), column("grade", "A", "as new")),
    Case("required: false", called("grade", "string", required=False), column("grade", None, "x")),
    Case("a column that the contract does not name", [GRADE], [{"grade": "A", "new": None}]),
    Case("three kinds at once", [GRADE, PAGES], [{"grade": "good"}, {"grade": None}, {"grade": 7}]),
    Case("a violation in each of two fields", [PAGES, GRADE], [{"grade": "good", "pages": None}, {"grade": "A", "pages": "x"}]),
    Case("other names altogether", [{"name": "state", "type": "string", "required": True, "enum": ["open", "shut"]}], column("state", "open", "ajar", None)),
    Case("the same value in rows that differ", [GRADE], [{"grade": "good", "pages": n} for n in (1, 1, 2)]),
    Case("no rows at all", [GRADE, PAGES], []),
]  # fmt: skip


def ask(answer: Answer, case: Case) -> Findings:
    """What the student's validate finds; Wrong where that is no list of violations, or the values are not right."""
    got = answer.ask("validate", case.rows, {"fields": case.fields}, called=case.called)
    if isinstance(got, Mapping | str | bytes) or not isinstance(got, Iterable):
        why = "A list of violations belongs here; [] where every promise is kept."
        raise answer.wrong("validate", why, called=case.called, got=shown(got))
    violations = [read(answer, violation, case) for violation in list(got)]
    found = {(rule, field): failing for rule, field, failing, _ in violations}
    right = findings(case.rows, case.fields)
    if len(found) < len(violations):
        twice = next(v[:2] for v in violations if [w[:2] for w in violations].count(v[:2]) > 1)
        why = f"The violation {twice[0]} of {twice[1]} comes more than once: one for each promise that is broken, and `failing` says how many rows."
        raise answer.wrong("validate", why, called=case.called, expected=worded(right), got=worded(found))
    if found == right:
        for rule, field, _, values in violations:
            if rule == "enum":
                check_values(answer, case, field, values)
    return found


def read(answer: Answer, violation: Any, case: Case) -> tuple[str, str, int, Any]:
    """Rule, field, failing and values of a violation: a dict, or an object with these attributes."""

    def get(name: str) -> Any:
        return violation.get(name) if isinstance(violation, Mapping) else getattr(violation, name, None)

    rule, field, failing = get("rule"), get("field"), as_number(get("failing"))
    rule = str(getattr(rule, "value", rule)).lower()
    if rule not in RULES or not isinstance(field, str) or failing is None:
        why = f"A violation has a rule (one of {', '.join(RULES)}), a field (the column's name) and failing (a number of rows)."
        raise answer.wrong("validate", why, called=case.called, got=shown(violation))
    return rule, field, int(failing) if failing.denominator == 1 else -1, get("values")


def slip(answers: list[Findings | None], at: int, right: Findings) -> str:
    """The sentence of the slip that explains the findings; else of what is too much or too little."""
    found = answers[at] or {}

    def explains(idea: Idea, case: int) -> bool:
        return findings(CASES[case].rows, CASES[case].fields, idea) == answers[case]

    if sentence := likeliest(SLIPS, explains, len(CASES), at):
        return sentence
    if len(right) > 1 and len(found) < len(right) and found.items() <= right.items():
        return "Some violations are missing. Does it stop too early, or does one kind hide another (elif, continue, return)?"
    pairs = [
        (both(a, b), f"Two things at once, it seems. {first}\n{second}")
        for (a, first), (b, second) in itertools.combinations(SLIPS, 2)
    ]
    if sentence := likeliest(pairs, explains, len(CASES), at):
        return sentence
    if found.items() > right.items():
        rule, field = next(key for key in found if key not in right)
        return f"{rule} of {field} is not broken here."
    if set(found) == set(right):
        return "The kinds are right, the numbers of rows are not."
    return ""


def both(one: Idea, other: Idea) -> Idea:
    """Two slips at once."""
    return replace(one, **{key: value for key, value in vars(other).items() if value is not getattr(Idea(), key)})


def check_values(answer: Answer, case: Case, field: str, values: Any) -> None:
    """The offending values of an enum, with their counts."""
    clause = next(one for one in case.fields if one["name"] == field)
    column = [row.get(field) for row in case.rows]
    right = Counter(v for v in column if not is_missing(v) and has_type(v, clause["type"]) and v not in clause["enum"])
    facts = {"called": case.called, "expected": f"values {shown(dict(right))}", "got": f"values {shown(values)}"}
    try:
        found = counted(values)
    except (TypeError, ValueError, AttributeError, KeyError):
        why = "The violation of an enum has values: each offending value with its count, such as {'good': 2}."
        raise answer.wrong("validate", why, **facts) from None
    if found == right:
        return
    if found == Counter(column):
        why = "These are all values of the column; only those outside the enum offend."
    elif set(found) == set(right):
        why = "The values are right, their counts are not: how many rows hold each?"
    else:
        why = "Those are not the values that stand outside the enum."
    raise answer.wrong("validate", why, **facts)


def counted(values: Any) -> dict[Any, int]:
    """Values with their counts: a mapping, pairs, or {"value": ..., "rows": ...} as JSON has them."""
    if isinstance(values, Mapping):
        pairs = list(values.items())
    else:
        pairs = [(one["value"], one["rows"]) if isinstance(one, Mapping) else tuple(one) for one in values]
    return {value: int(rows) for value, rows in pairs}


def worded(found: Findings) -> str:
    """missing of pages (2 rows), enum of grade (1 row)"""
    if not found:
        return "no violation"
    return ", ".join(f"{rule} of {field} ({n} row{'s' * (n != 1)})" for (rule, field), n in found.items())
