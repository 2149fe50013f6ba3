"""contracts/emitting.py: in the SQL that emits both fields, no change is lost beside another."""

# ruff: noqa: E501, a table of cases reads best with one case a line

from __future__ import annotations

import datetime as dt
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from contracts.plan import plan

ANNOUNCED = dt.date(2026, 9, 1)


def emitted(old: dict[str, Any], new: dict[str, Any]) -> str:
    """The line, or the CASE, with which plan fills the new field."""
    head = {"dataset": "t", "version": "1.0.0", "owner": "us"}
    sql = plan(head | {"fields": [old]}, head | {"fields": [new]}, announce=ANNOUNCED).sql
    return sql.partition("    *,\n")[2].rpartition("\nfrom ")[0].strip()


CODES, WORDS = {"enum": {1: "as new", 2: "worn"}}, {"enum": {10: "as new", 20: "worn"}}


@pytest.mark.parametrize("name", ["amount", "amount_cents"], ids=["the same name", "another name"])
@pytest.mark.parametrize("units", [("EUR", "EUR_cents"), (None, "EUR_cents"), ("EUR", None)], ids=str)
@pytest.mark.parametrize(
    ("was", "now"),
    [
        ({"type": "number"}, {"type": "integer"}),
        ({"type": "integer"}, {"type": "number"}),
        ({"type": "string"}, {"type": "integer"}),
        ({"type": "integer", **CODES}, {"type": "integer", **WORDS}),
        ({"type": "integer", **CODES}, {"type": "string"}),
        ({"type": "number", "meaning": "the price"}, {"type": "integer", "meaning": "what was paid"}),
        ({"type": "number", "required": True}, {"type": "number"}),
    ],
    ids=str,
)
def test_a_change_of_unit_is_never_lost_beside_another(was: dict[str, Any], now: dict[str, Any], units: tuple[str | None, str | None], name: str) -> None:  # fmt: skip
    before, after = ({"unit": unit} if unit else {} for unit in units)
    says = emitted({"name": "amount"} | was | before, {"name": name} | now | after)
    called = "amount_v2" if name == "amount" else name
    words = " to ".join(unit or "no unit" for unit in units)
    assert says == f"null as {called}  -- write the conversion of amount from {words}"


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ({"type": "number"}, {"type": "integer"}),
        ({"type": "string", "enum": ["A"]}, {"type": "string", "enum": ["A", "B"]}),
        ({"type": "string", "enum": ["A", "B"]}, {"type": "string", "enum": ["A"]}),
    ],
    ids=str,
)
def test_a_change_of_meaning_is_never_lost_beside_another(was: dict[str, Any], now: dict[str, Any]) -> None:
    says = emitted({"name": "a", "meaning": "net"} | was, {"name": "a", "meaning": "gross"} | now)
    assert says == "null as a_v2  -- write how the new meaning follows from a"


def test_a_code_that_means_something_else_is_mapped_by_its_meaning() -> None:
    old = {"name": "a", "type": "string", "enum": {"A": "as new", "B": "worn", "C": "broken"}}
    swapped = emitted(old, old | {"enum": {"A": "broken", "B": "worn", "C": "as new"}})
    assert [line.strip() for line in swapped.splitlines()[1:4]] == ["when 'A' then 'C'", "when 'B' then 'B'", "when 'C' then 'A'"]  # fmt: skip
    lost = emitted(old, old | {"enum": {"A": "for parts", "B": "worn", "C": "broken"}})
    assert "when 'A' then null  -- nobody has said which: write it" in lost and "when 'B' then 'B'" in lost


@pytest.mark.parametrize(
    ("was", "now", "values", "become"),
    [
        ("number", "integer", [2.0, 19.99, None], [2, None, None]),
        ("string", "integer", ["2", "19.99", "x"], [2, None, None]),
        ("integer", "boolean", [0, 1, 2], [False, True, None]),
        ("timestamp", "date", [dt.datetime(2026, 8, 19), dt.datetime(2026, 8, 19, 23)], [dt.date(2026, 8, 19), None]),
        ("string", "date", ["2026-08-19", "2026-08-19 23:00:00"], [dt.date(2026, 8, 19), None]),
    ],
)
def test_what_a_cast_would_round_is_null(was: str, now: str, values: list[Any], become: list[Any]) -> None:
    line = emitted({"name": "a", "type": was}, {"name": "a", "type": now})
    connection = duckdb.connect()
    connection.register("t", pa.table({"a": values}))
    assert [row[0] for row in connection.execute(f"select {line} from t").fetchall()] == become


def test_two_comments_leave_a_query_that_runs() -> None:
    head = {"dataset": "t", "version": "1.0.0", "owner": "us"}
    old, new = ([{"name": name, "type": "integer", "unit": unit} for name in ("a", "b")] for unit in ("g", "kg"))
    made = plan(head | {"fields": old}, head | {"fields": new}, announce=ANNOUNCED)
    connection = duckdb.connect()
    connection.register("t", pa.table({"a": [1], "b": [2]}))
    assert connection.execute(made.sql).fetchall() == [(1, 2, None, None)]


def test_a_new_field_is_filled_though_the_old_one_has_to_stay() -> None:
    old = {"dataset": "t", "version": "1.0.0", "owner": "us", "freshness": {"max_lag": "1h", "field": "at"}}
    wanted = old | {"freshness": {"max_lag": "1h"}, "fields": [{"name": "at", "type": "string"}]}
    made = plan(old | {"fields": [{"name": "at", "type": "date"}]}, wanted, announce=ANNOUNCED)
    assert made.contract is None and "try_cast(at as varchar) as at_v2" in made.sql
