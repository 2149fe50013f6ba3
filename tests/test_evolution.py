"""contracts/evolution.py and release.py: what changed, how much it weighs, and whether it may be released."""

# ruff: noqa: E501, a table of cases reads best with one case a line

from __future__ import annotations

import copy
import datetime as dt
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import seed
from contracts import Contract, from_mapping, load
from contracts.__main__ import main
from contracts.changes import given as bump_of
from contracts.evolution import diff
from contracts.patterns import covers, literal
from contracts.release import verdict

HISTORY = seed.ROOT / "contracts" / "history"
ACCEPTED, REJECTED, COULD_NOT_CHECK = 0, 1, 2
TEAMS = ["data-platform", "pricing-service", "finance-reporting"]


def contract(field: dict[str, Any] | None = None, **table: Any) -> dict[str, Any]:
    """A contract with the field `a`."""
    fields = [{"name": "id", "type": "integer"}] + ([] if field is None else [{"name": "a", "type": "string"} | field])
    return {"version": "1.0.0", "owner": "us", "consumers": ["one", "two"], "fields": fields} | table


def changes(old: dict[str, Any], new: dict[str, Any], **more: Any) -> list[tuple[str, str, str]]:
    """What diff says of a change in the field `a`: rule, bump and kind of each change."""
    return [(each.rule, each.bump, each.kind) for each in diff(contract(old), contract(new), **more)]


ABC, WORDS = {"enum": ["A", "B", "C"]}, {"enum": ["excellent", "good", "fair"]}
MEANT = {"enum": {"A": "as new", "B": "light wear", "C": "visible wear"}}
MAJOR, MINOR, PATCH = (("major", "structural"), ("minor", "structural"), ("patch", "structural"))
SEMANTIC = ("major", "semantic")
INT, NUM, DAY, TIME = ({"type": kind} for kind in ("integer", "number", "date", "timestamp"))

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
    for change in diff(contract({"enum": [hostile], "unit": hostile}), contract({"enum": [hostile * 9], "unit": "y"})):
        assert str(change).isprintable() and json.loads(json.dumps(change.to_dict()))["message"].isprintable()


# ---- the principle, held to rows ----------------------------------------------------------------------------------

VALUES: dict[str, list[Any]] = {
    "string": ["", "A", "B", "C", "AB", "AAA", "a", "1"],
    "integer": [*range(-1, 6), 2000],
    "boolean": [True, False],
    "date": [dt.date(2026, 8, day) for day in range(17, 23)],
}
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
    texts = [""]
    for _ in range(4):
        texts += [text + c for text in texts if len(text) == len(texts[-1]) for c in "ABCa1?"]
    between = [text for text in texts if re.fullmatch(narrow, text) and not re.fullmatch(wide, text)]
    assert covers(wide, narrow) is (not between)


def test_patterns_at_their_edges() -> None:
    assert covers(literal(["A.", "é", "\n"]), "A[.]|é|\\n") is True and covers("A.", literal(["A."])) is True
    assert covers(".*", None) is False and covers(None, "x") is True  # . is no line end
    for unread in ("(?i)a", r"\bA", r"\pL", "[[:alpha:]]", "a{1000}", "x^"):
        assert covers(unread, "a") is None


# ---- whether it may be released -----------------------------------------------------------------------------------------


def listings(version: str) -> Contract:
    return load(HISTORY / f"listings-{version}.yaml")


def step(old: dict[str, Any], new: dict[str, Any], **more: Any) -> tuple[int, tuple[str, ...]]:
    """Exit status and reasons."""
    found = verdict(from_mapping(old), from_mapping(new), **({"as_of": dt.date(2026, 9, 15)} | more))
    return found.status, found.reasons


def test_the_number_must_say_what_the_change_needs() -> None:
    free = {"evolution": {"breaking": "allowed"}}
    old = contract({}, **free)
    for new, needed in ((contract({"required": True}, **free), "minor"), (contract({}, owner="x", **free), "patch"), (contract({"type": "date"}, **free), "major")):  # fmt: skip
        bumps = ["patch", "minor", "major"]
        for version in ("1.0.0", "1.0.1", "1.1.0", "2.0.0", "1.2.7", "3.1.0", "0.9.9"):
            has = bump_of("1.0.0", version)
            good = has is not None and bumps.index(has) >= bumps.index(needed)
            assert step(old, new | {"version": version})[0] == (ACCEPTED if good else REJECTED), (needed, version)
    assert "still 1.0.0" in step(old, contract({"required": True}, **free))[1][0]
    assert "goes down" in step(old, old | {"version": "0.9.0"})[1][0]
    assert step(old, old) == step(old, old | {"version": "1.0.1"}) == (ACCEPTED, ())
    assert bump_of("1.9.0", "1.10.0") == "minor" and bump_of("1.10.0", "1.9.9") is None  # numbers, not text


def test_one_breaking_step_is_rejected_whatever_the_number() -> None:
    for old, new in ((ABC, WORDS), (INT | {"unit": "g"}, INT | {"unit": "kg"}), (ABC, {}), ({"required": True}, {}), ({}, None)):  # fmt: skip
        status, reasons = step(contract(old), contract(new, version="2.0.0"))
        assert status == REJECTED and "a" in reasons[0]
    loose = contract({}, volume={"min_rows": 1}), contract({}, version="2.0.0")
    assert step(*loose)[0] == REJECTED
    # The clause that counts is the old one.
    bypass = contract(WORDS, version="2.0.0", evolution={"breaking": "allowed"})
    assert step(contract(ABC), bypass)[0] == REJECTED
    assert step(contract(ABC, evolution={"breaking": "allowed"}), bypass)[0] == ACCEPTED
    never = contract({"deprecated": {"announced": "2020-01-01"}}, evolution={"breaking": "forbidden"})
    assert step(never, contract(version="2.0.0", evolution={"breaking": "forbidden"}))[0] == REJECTED
    closed = {"evolution": {"additive": "forbidden"}}
    assert step(contract(**closed), contract({}, version="1.1.0", **closed))[0] == REJECTED


def test_the_lesson_s_own_history_is_accepted() -> None:
    assert (HISTORY / "listings-1.4.0.yaml").read_bytes() == (seed.ROOT / "contracts" / "listings.yaml").read_bytes()
    for old, new in (("1.3.0", "1.4.0"), ("1.4.0", "1.5.0")):
        assert verdict(listings(old), listings(new), as_of=dt.date(2026, 9, 1)).status == ACCEPTED


MIGRATED = {  # the consumers once they have moved on
    "data-platform/stg_listings.sql": "select listing_id, condition_grade, brand from shop.listings",
    "pricing-service/fct_price.sql": "select listing_id, condition_grade from shop.listings",
    "finance-reporting/stock.sql": "select sum(price_cents) from shop.listings",
}


def consumers(folder: Path, sql: dict[str, str]) -> Path:
    for name, text in sql.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_a_field_goes_after_the_notice_and_once_nobody_reads_it(tmp_path: Path) -> None:
    moved = consumers(tmp_path / "moved", MIGRATED)

    def go(day: str, folder: Path | None = moved) -> tuple[int, str]:
        found = verdict(listings("1.5.0"), listings("2.0.0"), as_of=dt.date.fromisoformat(day), consumers=folder)
        return found.status, " ".join(found.reasons + found.not_checked)

    assert go("2026-09-15") == go("2027-01-01") == (ACCEPTED, "")
    assert go("2026-09-12")[0] == REJECTED and "3 days left" in go("2026-09-12")[1]
    assert "1 day left" in go("2026-09-14")[1]
    status, says = go("2026-09-15", seed.CONSUMERS)
    assert status == REJECTED and "data-platform, pricing-service still read it" in says

    only_one = consumers(tmp_path / "one", {name: sql for name, sql in MIGRATED.items() if "pricing" in name})
    assert go("2026-09-15", only_one)[0] == COULD_NOT_CHECK and "data-platform" in go("2026-09-15", only_one)[1]
    assert go("2026-09-15", None)[0] == COULD_NOT_CHECK
    broken = consumers(tmp_path / "broken", MIGRATED | {"data-platform/new.sql": "select {{ a }} from"})
    assert go("2026-09-15", broken)[0] == COULD_NOT_CHECK
    unlisted = consumers(tmp_path / "unlisted", MIGRATED | {"growth/new.sql": "select item_condition from listings"})
    assert go("2026-09-15", unlisted)[0] == REJECTED


def test_freshness_follows_a_field_to_its_successor(tmp_path: Path) -> None:
    def with_(stamps: list[dict[str, Any]], field: str, version: str) -> dict[str, Any]:
        return {"version": version, "owner": "us", "fields": stamps, "freshness": {"max_lag": "1h", "field": field}}

    old, new = {"name": "x", "type": "date"}, {"name": "y", "type": "date"}
    marked = old | {"deprecated": {"announced": "2026-01-01", "replaced_by": "y"}}
    assert step(with_([marked, new], "x", "1.1.0"), with_([new], "y", "2.0.0"))[0] == ACCEPTED
    assert step(with_([marked, new], "x", "1.1.0"), with_([marked, new], "y", "2.0.0"))[0] == REJECTED
    other = {"name": "z", "type": "date"}
    assert step(with_([marked, new, other], "x", "1.1.0"), with_([new, other], "z", "2.0.0"))[0] == REJECTED


# ---- PR #4471 as a contract diff -------------------------------------------------------------------------------------


def pr_4471() -> str:
    """The contract as the release would have changed it."""
    text = (seed.ROOT / "contracts" / "listings.yaml").read_text(encoding="utf-8")
    for was, now in (
        ("version: 1.4.0", "version: 1.4.1"),
        ("  - name: brand\n", "  - name: brand_name\n"),
        ("enum: [A, B, C]", "enum: [excellent, good, fair]"),
        ("A = as new · B = light wear · C = visible wear", "excellent = as new · good = light wear · fair = visible wear"),
        ("  - name: weight_g\n    type: integer", "  - name: graded_by\n    type: string\n  - name: weight_g\n    type: number"),
    ):  # fmt: skip
        assert text.count(was) == 1
        text = text.replace(was, now)
    return text


def test_pr_4471_is_rejected_with_its_four_changes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new = tmp_path / "listings.yaml"
    new.write_text(pr_4471(), encoding="utf-8")
    arguments = ["diff", str(seed.ROOT / "contracts" / "listings.yaml"), str(new), "--as-of", "2026-08-19"]
    assert main([*arguments, "--format", "json"]) == REJECTED
    said = json.loads(capsys.readouterr().out)
    assert {each["field"]: (each["rule"], each["bump"], each["kind"]) for each in said["changes"]} == {
        "brand": ("field renamed", "major", "structural"),
        "item_condition": ("re-coded", "major", "semantic"),
        "graded_by": ("field added", "minor", "structural"),
        "weight_g": ("type widened", "minor", "structural"),
    }
    assert len(said["changes"]) == 4 and sum(each["breaking"] for each in said["changes"]) == 2
    assert said["consumers"] == TEAMS and said["needed"] == "major" and said["given"] == "patch"

    for version in ("1.4.1", "1.5.0", "2.0.0"):
        new.write_text(pr_4471().replace("version: 1.4.1", f"version: {version}"), encoding="utf-8")
        for form in ("text", "github", "markdown"):
            assert main([*arguments, "--format", form]) == REJECTED
            out = capsys.readouterr().out
            plain = out.replace("\\", "")
            assert all(word in plain for word in [*TEAMS, "brand → brand_name", "4 changes, 2 breaking"])
            if form != "github":
                assert "instead" in plain.lower() and "beside" in plain and "deprecated" in plain
    lines = out.splitlines()
    assert lines[0].startswith("### REJECTED") and "| --- | --- | --- | --- |" in lines


# ---- the command ------------------------------------------------------------------------------------------------------


def test_the_command_s_exit_status(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = HISTORY / "listings-1.5.0.yaml", HISTORY / "listings-2.0.0.yaml"
    moved = str(consumers(tmp_path, MIGRATED))
    assert main(["diff", str(HISTORY / "listings-1.4.0.yaml"), str(old)]) == ACCEPTED
    assert main(["diff", str(old), str(new), "--as-of", "2026-09-15", "--consumers", moved]) == ACCEPTED
    assert main(["diff", str(old), str(new), "--as-of", "2026-09-12", "--consumers", moved]) == REJECTED
    assert "3 days left" in capsys.readouterr().out
    # Without --consumers, the SQL beside the contract counts.
    assert main(["diff", str(old), str(new), "--as-of", "2026-09-15"]) == REJECTED
    assert "stg_listings.sql:3:8" in capsys.readouterr().out
    for wrong in (["nowhere.yaml", str(new)], [str(old)], [str(old), str(new), "--consumers", "nowhere"], [str(old), str(new), "--editorial", "item_conditon"],
                  [str(old), str(new), "--dialect", "klingon"], ["--against", "HEAD"], ["--against", "HEAD", str(old), str(new)]):  # fmt: skip
        assert main(["diff", *wrong]) == COULD_NOT_CHECK, wrong
        said = capsys.readouterr()
        assert said.out == "" and len(said.err.splitlines()) == 1
    with pytest.raises(SystemExit) as stopped:
        main(["diff", str(old), str(new), "--as-of", "yesterday"])
    assert stopped.value.code == COULD_NOT_CHECK


def test_editorial_on_the_command_line_in_either_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = tmp_path / "before.yaml", tmp_path / "after.yaml"
    old.write_text(yaml.safe_dump(contract({"meaning": "net"})), encoding="utf-8")
    new.write_text(yaml.safe_dump(contract({"meaning": "before tax"}, version="1.0.1")), encoding="utf-8")
    assert main(["diff", str(old), str(new)]) == REJECTED
    assert main(["diff", str(old), str(new), "--editorial", "a"]) == ACCEPTED
    assert main(["diff", "--editorial", "a", "id", str(old), str(new)]) == ACCEPTED
    # Two files without a dataset of their own may be called anything.
    assert "dataset" not in capsys.readouterr().out


def test_hostile_words_stay_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evil = "x\r\n::error::\x1b[2J%0A`|<b>\u202e"
    old = contract({}, consumers=[evil]) | {"fields": [{"name": evil, "type": "string", "enum": [evil], "unit": evil}]}
    new = copy.deepcopy(old) | {"version": "2.0.0"}
    new["fields"][0] |= {"enum": [evil + "A"], "unit": "y"}
    for name, mapping in (("a,b:c%.yaml", old), ("new.yaml", new)):
        (tmp_path / name).write_text(yaml.safe_dump(mapping, allow_unicode=False), encoding="utf-8")
    for form in ("text", "json", "github", "markdown"):
        assert main(["diff", str(tmp_path / "a,b:c%.yaml"), str(tmp_path / "new.yaml"), "--format", form]) == REJECTED
        out = capsys.readouterr().out
        assert all(line.isprintable() for line in out.split("\n"))
        if form == "json":
            assert json.loads(out)["verdict"] == "rejected"
        if form == "github":
            assert "%0A" not in out
            assert all(re.match(r"::(error|warning|notice) file=[^,]*,line=\d+::", line) for line in out.splitlines())


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), "-c", "user.name=x", "-c", "user.email=x@y", "-c", "commit.gpgsign=false", *arguments], check=True, capture_output=True)  # fmt: skip


def test_against_a_git_revision_from_any_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    repo, folder = tmp_path / "re po", tmp_path / "re po" / "contracts"
    folder.mkdir(parents=True)
    file = folder / "listings.yaml"
    file.write_bytes((HISTORY / "listings-1.4.0.yaml").read_bytes())
    git(repo, "init", "-b", "main")
    git(repo, "add", ".")
    git(repo, "commit", "-m", "one")
    monkeypatch.chdir(repo)
    assert main(["diff", "--against", "main", "contracts/listings.yaml"]) == ACCEPTED
    file.write_text(pr_4471(), encoding="utf-8")
    for place, path in ((repo, "contracts/listings.yaml"), (folder, "listings.yaml"), (tmp_path, str(file))):
        monkeypatch.chdir(place)
        assert main(["diff", "--against", "main", path]) == REJECTED
    capsys.readouterr()
    (folder / "new.yaml").write_text(pr_4471(), encoding="utf-8")
    monkeypatch.chdir(repo)
    for wrong in (["nope", str(file)], ["--output=x", str(file)], ["", str(file)], ["main:x", str(file)], ["main", str(folder / "new.yaml")], ["main", str(tmp_path / "no" / "x.yaml")]):  # fmt: skip
        assert main(["diff", f"--against={wrong[0]}", wrong[1]]) == COULD_NOT_CHECK, wrong
        said = capsys.readouterr()
        assert said.out == "" and len(said.err.splitlines()) == 1, said
    assert sorted(path.name for path in repo.iterdir()) == [".git", "contracts"]
    file.write_text("version: 1", encoding="utf-8")
    git(repo, "commit", "-am", "broken")
    file.write_text(pr_4471(), encoding="utf-8")
    assert main(["diff", "--against", "HEAD", str(file)]) == COULD_NOT_CHECK
    assert capsys.readouterr().err.startswith("HEAD:")


def test_no_traceback_in_a_process_of_its_own(tmp_path: Path) -> None:
    for arguments in (["diff"], ["nope"], ["diff", str(tmp_path), str(tmp_path)]):  # no system passes on a NUL
        done = subprocess.run([sys.executable, "-m", "contracts", *arguments], cwd=seed.ROOT, capture_output=True, env=os.environ | {"PYTHONIOENCODING": "ascii"})  # fmt: skip
        assert done.returncode == COULD_NOT_CHECK and b"Traceback" not in done.stderr


def test_a_field_is_not_its_own_change() -> None:
    assert diff(HISTORY / "listings-1.5.0.yaml", HISTORY / "listings-1.5.0.yaml") == []
