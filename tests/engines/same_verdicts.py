"""The same verdicts on DuckDB, PySpark and PostgreSQL, or none, with the reason. `make engines` runs this.

`tests/test_two_readings.py` holds DuckDB to the plain Python reading, with as many examples as one likes; here a fixed
hundred of its examples go to every engine. What an engine cannot hold is written down where the rows are put there.
"""

import datetime as dt
import json
from decimal import Decimal
from typing import Annotated

import pyarrow as pa
import pytest
import yaml
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as hypothesis_seed
from test_two_readings import as_arrow, as_rows, cases, seen

import contracts
import monitors
import seed
from boundary import (
    Check,
    CoercionError,
    ConstraintError,
    DataFrame,
    Schema,
    ValidationError,
    contract,
)
from clause.sources import open_source
from validate import quarantine, report, validate

EXAMPLES = 100
SPLIT = 25  # of them are put in quarantine too
REAL = seed.ROOT.parent / "shared" / "real"
REAL_CASES = yaml.safe_load((REAL / "cases.yaml").read_text(encoding="utf-8")) if REAL.exists() else []
LISTINGS = seed.ROOT / "contracts" / "listings.yaml"
HEAD = {"version": "1.0.0", "owner": "us", "consumers": ["you"], "dataset": "t"}


# --- the shop, and tables that really drifted ------------------------------------------------------------------------


@pytest.mark.parametrize("stage", ["before", "at_release", "after"])
def test_the_shop(engine, stage):
    rows = seed.listings(stage)
    as_of = seed.SYNCED[stage]
    found, expected = (report(t, LISTINGS, as_of=as_of) for t in (engine.load(pa.Table.from_pylist(rows)), rows))
    assert found == expected
    assert json.dumps(found.to_dict()) == json.dumps(expected.to_dict())  # no Decimal where there were integers


def by_contract(path, agreed):
    """A text file as a typed table: a column has the contract's type where every cell can be read as one."""
    source = open_source(str(path))
    source = source.parse({clause.name: clause.type for clause in agreed.fields})
    columns = {}
    for name in source.columns:
        clause = agreed.field(name)
        stored = source.stored(name)
        values = source.value(name, clause.type) if clause else stored
        if clause and clause.type == "integer":
            values = values.cast("int64")
        asked = source.table.aggregate(stored=stored.count(), typed=values.count())
        columns[name] = values if len({*source.run(asked)[0].values()}) == 1 else stored
    numbered = {f"v{i}": values for i, values in enumerate(columns.values())}
    found = source.relate(source.table.select(**numbered)).to_arrow_table()
    return found.rename_columns(list(columns))


@pytest.mark.parametrize(
    "case",
    [case for case in REAL_CASES if "MERGE_CONFLICT" not in case["data"]],  # no table, so no engine holds it
    ids=lambda case: case["data"].split("/")[-1],
)
def test_a_real_case(engine, case):
    agreed = contracts.load(REAL / case["contract"])
    found = report(engine.load(by_contract(REAL / case["data"], agreed)), agreed)
    expected = {(violation["rule"], violation["field"]): violation.get("failing") for violation in case["violations"]}
    assert found.rows == case["rows"]
    assert {(violation.rule, violation.field) for violation in found.violations} == set(expected)
    for violation in found.violations:
        assert expected[violation.rule, violation.field] in (None, violation.failing)
    assert list(found.violations) == validate(by_contract(REAL / case["data"], agreed), agreed)  # the values too


# --- the property test's examples ------------------------------------------------------------------------------------


def example(number):
    """One example of the property test, always the same."""
    found = []

    @hypothesis_seed(number)
    @settings(
        max_examples=5, database=None, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
    )
    @given(cases())
    def collect(case):
        found.append(case)

    collect()
    return found[-1]


@pytest.fixture(scope="session")
def hundred():
    return [example(number) for number in range(EXAMPLES)]


def held(engine, columns):
    """The columns of an example as the engine holds them, again as name -> (type, values)."""
    table = engine.held(as_arrow(columns))
    return {name: (table.field(i).type, table.column(i).to_pylist()) for i, name in enumerate(table.column_names)}


def test_a_hundred_examples(engine, hundred):
    """Every violation with its values and message, and everything that was not checked, as plain Python has it."""
    different, judged = [], 0
    for number, (agreed, columns) in enumerate(hundred):
        if engine.can_hold(columns):
            judged += 1
            columns = held(engine, columns)
            expected, found = seen(as_rows(columns), agreed), seen(engine.load(as_arrow(columns)), agreed)
            if found != expected:
                different.append((number, expected, found))
    assert not different
    assert judged > 0.7 * EXAMPLES


def test_quarantine_of_the_examples(engine, hundred):
    for agreed, columns in hundred[:SPLIT]:
        columns = {**columns, "#": (pa.int64(), list(range(len(next(iter(columns.values()))[1]))))}
        if not engine.can_hold(columns):
            continue
        columns = held(engine, columns)
        accepted, quarantined = quarantine(as_rows(columns), agreed)
        table_accepted, table_quarantined = quarantine(engine.load(as_arrow(columns)), agreed)
        assert sorted(table_accepted["#"].to_pyarrow().to_pylist()) == [row["#"] for row in accepted]
        reasons = table_quarantined.select("#", "broken_clauses").to_pyarrow().to_pylist()
        assert sorted(reasons, key=lambda row: row["#"]) == [
            {"#": row["#"], "broken_clauses": row["broken_clauses"]} for row in quarantined
        ]


# --- quarantine, the boundary, the monitors --------------------------------------------------------------------------


def test_quarantine_gives_two_tables_of_the_same_engine(engine):
    for stage, counts in (("before", (8000, 0)), ("after", (0, 8000))):
        table = engine.load(pa.Table.from_pylist(seed.listings(stage)))
        both = quarantine(table, LISTINGS)
        assert tuple(part.count().execute() for part in both) == counts
        assert [type(part) for part in both] == [type(table)] * 2
        assert both[0].get_backend() is both[1].get_backend() is engine.ibis


class Listings(Schema, contract=LISTINGS):
    item_condition: Annotated[str, Check.isin("A", "B", "C")]
    price_cents: int


@contract(validate=True)
def passed_on(listings: DataFrame[Listings]) -> DataFrame[Listings]:
    return listings


def test_a_function_stops_the_recoded_column(engine):
    before, after = (Listings.cast(engine.load(pa.Table.from_pylist(seed.listings(s)))) for s in ("before", "after"))
    assert passed_on(before).count().execute() == 8000
    with pytest.raises(ConstraintError, match=r"good \(3,680 rows\), fair \(2,240 rows\), excellent \(2,080 rows\)"):
        passed_on(after)


class Written(Schema):
    whole: int
    real: float
    day: dt.date
    time: dt.datetime
    flag: bool


GOOD = {
    "whole": ["1", "-2", "+3", "9223372036854775807", "007", "0", "0", "0"],
    "real": ["1.5", "1e3", "-.5", "1.", "1e-300", "0", "-0", "1e300"],
    "day": ["2026-08-19", "2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31", *["2026-08-19"] * 3],
    "time": [
        "2026-08-19T14:07:00Z",
        "2026-08-19 14:07",
        "2026-08-19T14:07+02",
        "2026-08-19T14:07:00.123456+0200",
        "2026-08-19T14:07:59-05:30",
        "2026-08-19 14:07 Z",
        "2026-08-19 14:07:00z",
        "2026-08-19 14:07:00 +02:00",
    ],
    "flag": ["true", "False", "TRUE", "fALSE", None, "true", "true", "true"],
}
BAD = {
    "whole": ["9223372036854775808", "1.0", "12\n", "", "99999999999999999999999999999999999999999999"],
    "real": ["x", "1e", "1,5", " 1", "1\n"],
    "day": ["2026-02-29", "2026-02-30", "1900-02-29", "2026-13-01", "2026-8-9"],
    "time": ["2026-08-19T24:00:00Z", "2026-02-30 14:07:00", "19.08.2026", "2026-08-19", "2026-08-19T14:61:00Z"],
    "flag": ["yes", "true\n", "1", "t", ""],
}


def outcome(schema, table):
    try:
        return [tuple(row.values()) for row in schema.parse(table).to_pyarrow().to_pylist()]
    except ValidationError as error:
        return type(error), str(error)


def test_parse_reads_text_alike(engine):
    class Optional(Written):
        flag: bool | None

    good, bad = pa.table(GOOD), pa.table(BAD)
    rows = outcome(Optional, engine.load(good))
    assert rows == outcome(Optional, good)
    assert [row[3].isoformat() for row in rows[5:]] == ["2026-08-19T14:07:00+00:00"] * 2 + ["2026-08-19T12:07:00+00:00"]
    assert rows[1] == (-2, 1000.0, dt.date(2024, 2, 29), dt.datetime(2026, 8, 19, 14, 7, tzinfo=dt.UTC), False)
    kind, said = outcome(Written, engine.load(bad))
    assert (kind, said) == outcome(Written, bad)
    assert kind is CoercionError and said.count("5 of 5 rows cannot become") == 5


def test_parse_casts_numbers_alike(engine):
    class Whole(Schema):
        a: int
        b: int

    floats = [1.0, 2.5, 1e300, float("inf"), 9.3e18, -9.3e18]
    decimals = [Decimal("1.00"), Decimal("1.50"), Decimal("3"), Decimal("-2"), None, Decimal("99999999.99")]
    table = pa.table({"a": floats, "b": pa.array(decimals, pa.decimal128(12, 2))})
    assert outcome(Whole, engine.load(table)) == outcome(Whole, table)
    assert outcome(Whole, engine.load(table.slice(0, 1))) == [(1, 1)]


def test_a_check_of_ones_own(engine):
    class Priced(Schema):
        price: Annotated[int, Check(lambda column: column % 50 == 0, "is a multiple of 50")]

    assert Priced.parse(engine.load(pa.table({"price": [50, 100]}))).count().execute() == 2
    with pytest.raises(ConstraintError, match=r"1 of 2 rows fail the check 'is a multiple of 50': 7 \(1 row\)"):
        Priced.parse(engine.load(pa.table({"price": [50, 7]})))


def test_the_calendar(engine):
    orders = pa.Table.from_pylist(seed.orders())
    days, found = monitors.daily_metrics(orders), monitors.daily_metrics(engine.load(orders))
    assert found == days
    assert monitors.judge(found) == monitors.judge(days)


def test_sums_beyond_64_bits_are_exact(engine):
    table = pa.table({"day": [dt.date(2026, 8, 1)] * 100, "charged_cents": [10**17 + i for i in range(100)]})
    (day,) = monitors.daily_metrics(engine.load(table), monitors.Spec(list_amount=None, branch=None, goods=None))
    assert day.gmv == 10**19 + 4_950
