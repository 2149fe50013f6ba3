"""The violation, its message, the report; and that both are functions of their arguments alone."""

import copy
import dataclasses
import datetime as dt
import json
import os
import pickle
import socket
import time

import duckdb
import numpy as np
import pandas as pd
import pytest
from small_tables import AS_OF, CLAUSES, at, column, contract, field

import contracts
import seed
from contracts import DataError
from validate import quarantine, report, validate

# --- the violation and its message ---------------------------------------------------------------------------------


def test_a_violation_is_frozen_pickles_and_has_a_dict_form_for_json(table):
    [found] = validate(table(column("a\n", "b")), contract(field(enum=["A"])))
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.rule = "other"
    assert pickle.loads(pickle.dumps(found)) == found
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False)) == {
        "rule": "enum",
        "field": "x",
        "failing": 2,
        "checked": 2,
        "message": r"x: 2 of 2 rows are outside the allowed [A]: 'a\n' (1 row), b (1 row); affects a, b",
        "consumers": ["a", "b"],
        "values": [{"value": r"a\n", "rows": 1}, {"value": "b", "rows": 1}],
        "distinct_values": 2,
    }


def test_a_report_prints_as_the_gate_does_and_keeps_its_repr(table):
    found = report(table(column("A", "B")), contract(field(enum=["A"])))
    assert str(found).splitlines() == [
        "broken       enum       x: 1 of 2 rows are outside the allowed [A]: B (1 row); affects a, b",
        "allowed      additive   n: in the table, not in the contract, which allows that",
        "BROKEN: 1 violation (t 1.0.0, 2 rows, 3 clauses checked)",
    ]
    assert repr(found).startswith("Report(dataset='t', version='1.0.0', rows=2, violations=(Violation(")


def test_values_of_any_type_go_into_json():
    assert type(validate(column(np.int64(0)), contract(field("integer", min=1)))[0].values[0][0]) is int
    values = [1, True, 1.5, float("inf"), 10**50, (1,), {"a": 1}, b"x", dt.date(2026, 1, 1), object, at(1)]
    [found] = validate(column(*values), contract("x: string"))
    assert (found.failing, found.distinct_values, len(found.values)) == (11, 11, 10)
    json.dumps(found.to_dict(), allow_nan=False)


def test_a_message_stays_short_however_many_rows_fail(table):
    counts = {f"{i:02} " + "long" * 100: 30 - i for i in range(30)}
    rows = column(*(value for value, count in counts.items() for _ in range(count)))
    [found] = validate(table(rows), contract(field(enum=[f"allowed {i}" for i in range(100)])))
    assert (found.failing, found.distinct_values) == (sum(counts.values()), 30)
    assert [count for _, count in found.values] == list(range(30, 20, -1))  # most frequent first, at most 10
    assert all(len(value) == 60 and value.endswith("…") for value, _ in found.values)
    assert "88 more]" in found.message and "and 20 other values; affects a, b" in found.message
    assert len(found.message) < 1300 and "\n" not in found.message


@pytest.mark.parametrize(
    ("enum", "says"),
    [
        (["registered", "in_transit", "hand-over"], "[registered, in_transit, hand-over]: x_y (1 row)"),
        (["registered", "in transit"], "['registered', 'in transit']: x_y (1 row)"),
        (["A", "null"], "['A', 'null']: x_y (1 row)"),
        (["A", "-5"], "['A', '-5']: x_y (1 row)"),
    ],
)
def test_the_words_of_an_enum_are_written_in_one_way(enum, says):
    [found] = validate(column("x_y"), contract(field(enum=enum)))
    assert says in found.message


# --- a function of its arguments -----------------------------------------------------------------------------------


def test_validate_reads_no_clock_no_network_and_no_environment(table, monkeypatch):
    rows, listings = seed.listings("after")[:50], contracts.load(seed.ROOT / "contracts/listings.yaml")
    expected = validate(table(rows), listings, as_of=AS_OF)

    def forbidden(*_, **__):
        raise AssertionError("validate looks at something that is no argument of it")

    with monkeypatch.context() as patch:
        patch.setattr(time, "time", forbidden)
        patch.setattr(socket, "socket", forbidden)
        patch.setattr(os, "getenv", forbidden)
        patch.setenv("TZ", "Asia/Kathmandu")
        getattr(time, "tzset", int)()  # Windows has none
        found = validate(table(rows), listings, as_of=AS_OF)
    getattr(time, "tzset", int)()
    assert found == expected


def test_the_input_is_not_changed():
    rows = column("Q", None)
    frame = pd.DataFrame({"x": [1.0, None]}, index=[7, 7])
    before = copy.deepcopy(rows), frame.copy()
    validate(rows, contract(field(enum=["A"])))
    quarantine(rows, contract(field(enum=["A"])))
    quarantine(frame, contract(field("integer", required=True)))
    assert rows == before[0]
    pd.testing.assert_frame_equal(frame, before[1])


def test_nothing_is_left_behind_in_a_duckdb_connection():
    with duckdb.connect() as connection:
        connection.execute("create table t as select 'Q' as x")
        state = "select view_name from duckdb_views() where not internal union all select current_setting('timezone')"
        before = connection.execute(state).fetchall()
        validate(connection.table("t"), contract(field(enum=["A"])))
        with pytest.raises(DataError, match="Could not convert"):
            validate(connection.sql("select x::int as x from t"), contract("x: integer"))
        assert connection.execute(state).fetchall() == before


def test_a_report_says_what_was_checked():
    found = report(column("A"), CLAUSES)
    assert (found.dataset, found.version, found.rows, found.verdict, found.checked) == ("t", "1.0.0", 1, "kept", 8)
    assert [*found.to_dict()] == [
        "dataset",
        "version",
        "rows",
        "verdict",
        "violations",
        "not_checked",
        "additive_columns",
    ]
