"""contracts/evolution.py: what changed, and how much it weighs, held to the rows that it lets in."""

# ruff: noqa: E501, a table of cases reads best with one case a line

from __future__ import annotations

import datetime as dt
import itertools
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from versions import ABC, HISTORY, INT, WORDS, contract

from contracts.evolution import diff
from contracts.patterns import covers, literal


def changes(old: dict[str, Any], new: dict[str, Any], **more: Any) -> list[tuple[str, str, str]]:
    """What diff says of a change in the field `a`: rule, bump and kind of each change."""
    return [(each.rule, each.bump, each.kind) for each in diff(contract(old), contract(new), **more)]


MEANT = {"enum": {"A": "as new", "B": "light wear", "C": "visible wear"}}
MAJOR, MINOR, PATCH = (("major", "structural"), ("minor", "structural"), ("patch", "structural"))
SEMANTIC = ("major", "semantic")


NUM, DAY, TIME = ({"type": kind} for kind in ("number", "date", "timestamp"))


FIELD_ROWS: dict[str, tuple[dict[str, Any], dict[str, Any], list[tuple[str, tuple[str, str]]]]] = {
    "type widened: integer → number": (INT, NUM, [("type widened", MINOR)]),
    "type widened: date → timestamp": (DAY, TIME, [("type widened", MINOR)]),
    "type narrowed: number → integer": (NUM, INT, [("type narrowed", MAJOR)]),
    "type narrowed: timestamp → date": (TIME, DAY, [("type narrowed", MAJOR)]),
    "type changed: string → integer": ({}, INT, [("type changed", MAJOR)]),
    "type changed: integer → boolean": (INT, {"type": "boolean"}, [("type changed", MAJOR)]),
    "type widened, the rest as it was": (INT | {"min": 1, "enum": [1, 2]}, NUM | {"min": 1.0, "enum": [1.0, 2]}, [("type widened", MINOR)]),
    "enum value added": (ABC, {"enum": ["A", "B", "C", "D"]}, [("enum value added", MAJOR)]),
    "enum clause removed": (ABC, {}, [("enum removed", MAJOR)]),
    "enum value removed": (ABC, {"enum": ["A", "B"]}, [("enum value removed", MINOR)]),
    "enum clause added": ({}, ABC, [("enum added", MINOR)]),
    "enum order": (ABC, {"enum": ["C", "B", "A"]}, [("order", PATCH)]),
    "enum replaced": (ABC, WORDS, [("re-coded", SEMANTIC)]),
    "enum replaced, other length": (ABC, {"enum": ["good", "bad"]}, [("re-coded", SEMANTIC)]),
    "enum replaced, other case": (ABC, {"enum": ["a", "b", "c"]}, [("re-coded", SEMANTIC)]),
    "enum mostly renamed": (ABC, {"enum": ["A", "good", "fair"]}, [("re-coded", SEMANTIC)]),
    "enum renamed by its meaning": (MEANT, {"enum": {"A": "as new", "B": "light wear", "worn": "Visible wear"}}, [("re-coded", SEMANTIC)]),
    "enum one added, one removed": (ABC, {"enum": ["A", "B", "D"]}, [("enum value added", MAJOR), ("enum value removed", MINOR)]),
    "enum replaced, with the meaning that tells it": (ABC | {"meaning": "A is best"}, WORDS | {"meaning": "excellent is best"}, [("re-coded", SEMANTIC)]),
    "enum replaced and retyped": (ABC, INT | {"enum": [1, 2, 3]}, [("type changed", MAJOR), ("re-coded", SEMANTIC)]),
    "enum value's meaning changed": (MEANT, {"enum": MEANT["enum"] | {"C": "broken"}}, [("re-coded", SEMANTIC)]),
    "enum value's meaning in other blanks": (MEANT, {"enum": MEANT["enum"] | {"C": "Visible  wear."}}, [("meaning", ("patch", "semantic"))]),
    "enum values' meanings swapped": ({"enum": {"A": "x", "B": "y"}}, {"enum": {"A": "y", "B": "x"}}, [("re-coded", SEMANTIC), ("re-coded", SEMANTIC)]),
    "enum values' meanings written": ({"enum": ["A"]}, {"enum": {"A": "x"}}, [("meaning added", ("minor", "semantic"))]),
    "enum values' meanings taken out": ({"enum": {"A": "x"}}, {"enum": ["A"]}, [("re-coded", SEMANTIC)]),
    "enum removed of a boolean": ({"type": "boolean", "enum": [True, False]}, {"type": "boolean"}, [("enum removed", PATCH)]),
    "enum removed, a range says the same": (INT | {"enum": [1, 2, 3]}, INT | {"min": 1, "max": 3}, [("enum removed", PATCH), ("range", PATCH), ("range", PATCH)]),
    "enum removed, a pattern says the same": (ABC, {"pattern": "[A-C]"}, [("enum removed", PATCH), ("pattern", PATCH)]),
    "enum value added that the pattern forbids": (ABC | {"pattern": "[A-C]"}, {"enum": ["A", "B", "C", "D"], "pattern": "[A-C]"}, [("enum value added", PATCH)]),
    "unit changed": (INT | {"unit": "EUR"}, INT | {"unit": "EUR_cents"}, [("unit", SEMANTIC)]),
    "unit added": (INT, INT | {"unit": "EUR"}, [("unit", SEMANTIC)]),
    "unit removed": (INT | {"unit": "EUR"}, INT, [("unit", SEMANTIC)]),
    "unit in another spelling": (INT | {"unit": "EUR_cents"}, INT | {"unit": "eur cents"}, [("unit", ("patch", "semantic"))]),
    "unit whose case is its size": (INT | {"unit": "mW"}, INT | {"unit": "MW"}, [("unit", SEMANTIC)]),
    "unit whose slash counts": (INT | {"unit": "m/s"}, INT | {"unit": "ms"}, [("unit", SEMANTIC)]),
    "meaning reworded": ({"meaning": "net price"}, {"meaning": "gross price"}, [("meaning", SEMANTIC)]),
    "meaning removed": ({"meaning": "net price"}, {}, [("meaning", SEMANTIC)]),
    "meaning written": ({}, {"meaning": "net price"}, [("meaning added", ("minor", "semantic"))]),
    "meaning, blanks, case and punctuation": ({"meaning": "Net price: in EUR."}, {"meaning": "net  price - in EUR"}, [("meaning", ("patch", "semantic"))]),
    "meaning, another number": ({"meaning": "times 1.5"}, {"meaning": "times 15"}, [("meaning", SEMANTIC)]),
    "meaning, another sign": ({"meaning": "at most -5"}, {"meaning": "at most 5"}, [("meaning", SEMANTIC)]),
    "required true → false": ({"required": True}, {}, [("required", MAJOR)]),
    "required false → true": ({}, {"required": True}, [("required", MINOR)]),
    "null rate raised": ({"max_null_rate": 0.05}, {"max_null_rate": 0.1}, [("null rate", MAJOR)]),
    "null rate no longer limited": ({"max_null_rate": 0.05}, {}, [("null rate", MAJOR)]),
    "null rate lowered": ({"max_null_rate": 0.1}, {"max_null_rate": 0.05}, [("null rate", MINOR)]),
    "null rate limited": ({}, {"max_null_rate": 0.05}, [("null rate", MINOR)]),
    "null rate spelled out": ({}, {"max_null_rate": 1}, [("null rate", PATCH)]),
    "required → some NULL": ({"required": True}, {"max_null_rate": 0.05}, [("required", MAJOR)]),
    "required → no NULL": ({"required": True}, {"max_null_rate": 0}, [("required", PATCH)]),
    "range: min lowered": (INT | {"min": 1}, INT | {"min": 0}, [("range", MAJOR)]),
    "range: min removed": (INT | {"min": 1}, INT, [("range", MAJOR)]),
    "range: max raised": (NUM | {"max": 1.5}, NUM | {"max": 2}, [("range", MAJOR)]),
    "range: max removed": (DAY | {"max": "2026-08-19"}, DAY, [("range", MAJOR)]),
    "range: min raised": (INT | {"min": 0}, INT | {"min": 1}, [("range", MINOR)]),
    "range: max added": (INT, INT | {"max": 9}, [("range", MINOR)]),
    "range: moved": (INT | {"min": 1, "max": 5}, INT | {"min": 3, "max": 9}, [("range", MINOR), ("range", MAJOR)]),
    "range: a date is its midnight": (DAY | {"max": "2026-08-19"}, TIME | {"max": "2026-08-19T00:00:00"}, [("type widened", MINOR), ("range", PATCH)]),
    "range: zones cannot be compared": (TIME | {"min": "2026-08-19T00:00:00"}, TIME | {"min": "2026-08-19T00:00:00+02:00"}, [("range", MAJOR)]),
    "pattern loosened": ({"pattern": "[A-Z]{3}"}, {"pattern": "[A-Z]+"}, [("pattern", MAJOR)]),
    "pattern removed": ({"pattern": "[A-Z]{3}"}, {}, [("pattern", MAJOR)]),
    "pattern tightened": ({"pattern": "[A-Z]+"}, {"pattern": "[A-Z]{3}"}, [("pattern", MINOR)]),
    "pattern added": ({}, {"pattern": "[A-Z]{3}"}, [("pattern", MINOR)]),
    "pattern written otherwise": ({"pattern": "[0-9]+"}, {"pattern": r"\d\d*"}, [("pattern", PATCH)]),
    "pattern another": ({"pattern": "[a-m]+"}, {"pattern": "[k-z]+"}, [("pattern", MAJOR)]),
    "pattern that nobody can compare": ({"pattern": "(?i)a"}, {"pattern": "(?i)b"}, [("pattern", MAJOR)]),
    "unique dropped": ({"unique": True}, {}, [("unique", MAJOR)]),
    "unique added": ({}, {"unique": True}, [("unique", MINOR)]),
    "deprecated": ({}, {"deprecated": {"announced": "2026-09-01"}}, [("deprecated", MINOR)]),
    "deprecation withdrawn": ({"deprecated": {"announced": "2026-09-01"}}, {}, [("deprecation withdrawn", MINOR)]),
    "deprecation moved to an earlier day": ({"deprecated": {"announced": "2026-09-01"}}, {"deprecated": {"announced": "2026-08-01"}}, [("deprecation changed", MAJOR)]),
    "deprecation moved to a later day": ({"deprecated": {"announced": "2026-09-01"}}, {"deprecated": {"announced": "2026-09-02"}}, [("deprecation changed", MINOR)]),
    "several at once": (INT | {"unit": "g", "min": 1}, NUM | {"unit": "kg", "min": 0}, [("type widened", MINOR), ("range", MAJOR), ("unit", SEMANTIC)]),
}  # fmt: skip


@pytest.mark.parametrize("row", FIELD_ROWS)
def test_every_row_about_a_field(row: str) -> None:
    old, new, expected = FIELD_ROWS[row]
    assert changes(old, new) == [(rule, *weight) for rule, weight in expected]
    assert changes(old, old) == changes(new, new) == []


FRESH = {"freshness": {"max_lag": "1h"}}
TABLE_ROWS: dict[str, tuple[dict[str, Any], dict[str, Any], str, str]] = {
    "volume loosened below": ({"volume": {"min_rows": 5}}, {"volume": {"min_rows": 4}}, "volume min_rows", "major"),
    "volume loosened above": ({"volume": {"max_rows": 5}}, {"volume": {"max_rows": 6}}, "volume max_rows", "major"),
    "volume no longer limited": ({"volume": {"min_rows": 5}}, {}, "volume min_rows", "major"),
    "volume tightened": ({"volume": {"min_rows": 5}}, {"volume": {"min_rows": 6}}, "volume min_rows", "minor"),
    "volume limited": ({}, {"volume": {"max_rows": 6}}, "volume max_rows", "minor"),
    "volume at least none": ({"volume": {"min_rows": 0}}, {}, "volume min_rows", "patch"),
    "freshness loosened": (FRESH, {"freshness": {"max_lag": "2h"}}, "freshness", "major"),
    "freshness taken out": (FRESH, {}, "freshness", "major"),
    "freshness tightened": (FRESH, {"freshness": {"max_lag": "30m"}}, "freshness", "minor"),
    "freshness written": ({}, FRESH, "freshness", "minor"),
    "notice shortened": ({"evolution": {"notice": "14d"}}, {"evolution": {"notice": "13d"}}, "notice", "major"),
    "notice taken out": ({"evolution": {"notice": "14d"}}, {}, "notice", "major"),
    "notice lengthened": ({"evolution": {"notice": "2w"}}, {"evolution": {"notice": "15d"}}, "notice", "minor"),
    "additive allowed": ({"evolution": {"additive": "forbidden"}}, {}, "evolution additive", "major"),
    "additive forbidden": ({}, {"evolution": {"additive": "forbidden"}}, "evolution additive", "minor"),
    "breaking allowed": ({}, {"evolution": {"breaking": "allowed"}}, "evolution breaking", "major"),
    "breaking forbidden": ({}, {"evolution": {"breaking": "forbidden"}}, "evolution breaking", "minor"),
    "owner": ({}, {"owner": "them"}, "owner", "patch"),
    "consumers": ({}, {"consumers": ["one"]}, "consumers", "patch"),
    "dataset": ({"dataset": "x"}, {"dataset": "y"}, "dataset", "major"),
}  # fmt: skip


@pytest.mark.parametrize("row", TABLE_ROWS)
def test_every_row_about_the_table(row: str) -> None:
    old, new, rule, bump = TABLE_ROWS[row]
    assert [(each.field, each.rule, each.bump) for each in diff(contract(**old), contract(**new))] == [
        (None, rule, bump)
    ]


def test_freshness_of_another_field_or_zone() -> None:
    def fresh(**more: Any) -> dict[str, Any]:
        stamps = [{"name": name, "type": "timestamp"} for name in "xy"]
        return contract() | {"fields": stamps, "freshness": {"max_lag": "1h"} | more}

    def said(old: dict[str, Any], new: dict[str, Any]) -> list[tuple[str, str, str]]:
        return [(each.rule, each.bump, each.kind) for each in diff(old, new)]

    assert said(fresh(field="x"), fresh(field="y")) == [("freshness field", "major", "structural")]
    assert said(fresh(field="x"), fresh(field="x", timezone="UTC")) == [("freshness timezone", "minor", "semantic")]
    zones = fresh(field="x", timezone="UTC"), fresh(field="x", timezone="Europe/Berlin")
    assert said(*zones) == [("freshness timezone", "major", "semantic")]


def test_fields_that_come_and_go() -> None:
    assert [(c.field, c.rule, c.bump) for c in diff(contract(), contract({}))] == [("a", "field added", "minor")]
    assert [c.bump for c in diff(contract(), contract({"required": True}))] == ["minor"]
    assert [(c.field, c.rule, c.bump) for c in diff(contract({}), contract())] == [("a", "field removed", "major")]
    swapped = contract({}) | {"fields": contract({})["fields"][::-1]}
    assert [(c.rule, c.bump) for c in diff(contract({}), swapped)] == [("order", "patch")]


@pytest.mark.parametrize("clauses", [{"enum": ["A", "B"]}, {"meaning": "The label."}, {"type": "integer", "unit": "g"}, {}])  # fmt: skip
def test_a_possible_rename_is_said(clauses: dict[str, Any]) -> None:
    new = contract() | {"fields": [{"name": "id", "type": "integer"}, {"name": "b", "type": "string"} | clauses]}
    (change,) = diff(contract(clauses), new)
    assert (change.field, change.bump, change.old.name, change.new.name) == ("a", "major", "a", "b")
    assert "possible rename a → b" in str(change)


def test_one_new_field_takes_the_place_of_one(tmp_path: Path) -> None:
    old = contract() | {"fields": [{"name": name, "type": "string"} for name in ("a", "b_label", "c")]}
    new = contract() | {"fields": [{"name": "label_b", "type": "string"}]}
    assert [(c.field, c.rule) for c in diff(old, new)] == [("a", "field removed"), ("b_label", "field renamed"), ("c", "field removed")]  # fmt: skip


def test_what_only_looks_like_a_rename() -> None:
    old, two = contract({"meaning": "The label."}), [{"name": "b", "type": "string"}, {"name": "c", "type": "string"}]
    assert "possible rename a → b" in str(diff(old, contract() | {"fields": two[:1]})[1])  # one candidate: a hint
    assert "possible rename" not in str(diff(old, contract() | {"fields": two})[1])  # two: none
    for clauses in (
        {"type": "integer", "meaning": "The label."},
        {"enum": ["A"], "name": "b"},
        {"meaning": "Another thing."},
    ):
        new = contract() | {"fields": [{"name": "id", "type": "integer"}, {"name": "b", "type": "string"} | clauses]}
        assert sorted(c.rule for c in diff(contract({"meaning": "The label."}), new)) == [
            "field added",
            "field removed",
        ]


def test_editorial_is_for_wording_alone() -> None:
    old, new = {"meaning": "net price", "unit": "EUR"}, {"meaning": "price before tax", "unit": "USD"}
    assert changes(old, new, editorial=["a"]) == [("unit", *SEMANTIC), ("meaning", "patch", "semantic")]
    swapped = {"enum": {"A": "x", "B": "y"}}, {"enum": {"A": "y", "B": "x"}}
    assert changes(*swapped, editorial=["a"]) == [("re-coded", *SEMANTIC)] * 2
    assert changes({"meaning": "x"}, {}, editorial=["a"]) == [("meaning", *SEMANTIC)]
    assert changes(ABC, WORDS, editorial=["a"]) == [("re-coded", *SEMANTIC)]


def test_a_change_says_everything_in_one_sentence() -> None:
    (change,) = diff(contract(ABC), contract(WORDS))
    assert (change.field, change.old, change.new) == ("a", ("A", "B", "C"), ("excellent", "good", "fair"))
    assert (change.kind, change.bump, change.consumers, change.breaking) == ("semantic", "major", ("one", "two"), True)
    assert all(word in str(change) for word in ("a:", "[A, B, C]", "[excellent, good, fair]", "re-coded"))
    hostile = "x\n::error::\x1b[2J\u202e"
    found = diff(contract({"enum": [hostile], "unit": hostile}), contract({"enum": [hostile * 9], "unit": "y"}))
    assert len(found) == 2
    for change in found:
        assert str(change).isprintable() and json.loads(json.dumps(change.to_dict()))["message"].isprintable()


# ---- the principle, held to rows ----------------------------------------------------------------------------------

VALUES: dict[str, list[Any]] = {
    "string": ["", "A", "B", "C", "AB", "AAA", "a", "1"],
    "integer": [*range(-1, 6), 2000],
    "boolean": [True, False],
    "date": [dt.date(2026, 8, day) for day in range(17, 23)],
}
SHORT_TEXTS = ["".join(signs) for n in range(5) for signs in itertools.product("ABCa1?", repeat=n)]
PATTERNS = ["[AB]", "[A-C]+", "A*", "A|B|C", "..", "[^a]*", "(A|AB)?"]


@st.composite
def fields(draw: st.DrawFn, kind: str) -> dict[str, Any]:
    """A field with any clauses, written as a contract has them."""
    made: dict[str, Any] = {"name": "a", "type": kind}
    values = VALUES[kind]
    if kind != "boolean" and kind != "string":
        bounds = sorted([draw(st.sampled_from(values)), draw(st.sampled_from(values))])
        made |= {name: bound for name, bound in zip(("min", "max"), bounds, strict=True) if draw(st.booleans())}
    if kind == "string" and draw(st.booleans()):
        made["pattern"] = draw(st.sampled_from(PATTERNS))
    if draw(st.booleans()):
        inside = [v for v in values if made.get("min", v) <= v <= made.get("max", v)]
        made["enum"] = draw(st.lists(st.sampled_from(inside), min_size=1, unique=True))
    made |= draw(st.sampled_from([{}, {"required": True}, {"max_null_rate": 0}, {"max_null_rate": 1}]))
    return made


def accepts(field: dict[str, Any], value: Any) -> bool:
    """Whether a row with that value keeps the field's clauses: plain Python, no line of it shared with diff."""
    if value is None:
        return not field.get("required") and field.get("max_null_rate", 1) > 0
    inside = field.get("min", value) <= value <= field.get("max", value)
    listed = "enum" not in field or value in field["enum"]
    return inside and listed and ("pattern" not in field or re.fullmatch(field["pattern"], value) is not None)


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(list(VALUES)).flatmap(lambda kind: st.tuples(st.just(kind), fields(kind), fields(kind))))
def test_breaking_is_what_lets_in_a_row_that_was_promised_not_to_come(case: tuple[str, Any, Any]) -> None:
    kind, old, new = case
    if kind == "integer":
        rows = [*range(-3, 2003)]
    elif kind == "date":
        rows = [dt.date(2026, 8, 1) + dt.timedelta(days=n) for n in range(40)]
    elif kind == "boolean":
        rows = [True, False]
    else:
        rows = [*VALUES["string"], "CC", "BA", "ABA", "AAAA", "aa", "b", "BB", "?", "AC", "A1"]
    let_in = [row for row in [None, *rows] if accepts(new, row) and not accepts(old, row)]
    found = diff(contract() | {"fields": [old]}, contract() | {"fields": [new]})
    structural = [change for change in found if change.breaking and change.kind == "structural"]
    if let_in:
        assert any(change.breaking for change in found), let_in
    else:
        assert structural == []
    assert diff(contract() | {"fields": [old]}, contract() | {"fields": [old]}) == []


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from([*PATTERNS, "A", "[ABa]{1,3}", ".+", r"\w*", "A{2}", "(AB)*", r"[\d]"]),
    st.sampled_from([*PATTERNS, ".*", "A{1,2}", "[aB]", ""]),
)
def test_a_pattern_covers_another_where_no_text_says_otherwise(wide: str, narrow: str) -> None:
    between = [text for text in SHORT_TEXTS if re.fullmatch(narrow, text) and not re.fullmatch(wide, text)]
    assert covers(wide, narrow) is (not between)


def test_patterns_at_their_edges() -> None:
    assert covers(literal(["A.", "é", "\n"]), "A[.]|é|\\n") is True and covers("A.", literal(["A."])) is True
    assert covers(".*", None) is False and covers(None, "x") is True  # . is no line end
    for unread in ("(?i)a", r"\bA", r"\pL", "[[:alpha:]]", "a{1000}", "x^"):
        assert covers(unread, "a") is None


def test_a_field_is_not_its_own_change() -> None:
    assert diff(HISTORY / "listings-1.5.0.yaml", HISTORY / "listings-1.5.0.yaml") == []
