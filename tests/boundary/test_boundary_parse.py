"""What `parse` finds in the rows: conversions without loss, exact counts, and checks of one's own."""

import datetime as dt
import threading
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Literal

import ibis
import ibis.expr.datatypes as types
import polars as pl
import pyarrow as pa
import pytest
from typed_tables import UNBOUND, Listings, Point, crash, points, schema, shop

from boundary import (
    Check,
    CheckExecutionError,
    CoercionError,
    ConstraintError,
    Nullable,
    Schema,
    StructuralError,
    ValidationError,
)

# ibis 12 asks pandas 3 for an option that goes away, whenever it makes a pandas frame.
pytestmark = pytest.mark.filterwarnings("ignore:The 'future.infer_string'")


# --- parse --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "annotation, values, expected",
    [
        (int, ["5", "+6", "07"], [5, 6, 7]),
        (int, [5.0, 6.0], [5, 6]),
        (int, pa.array([5], pa.int8()), [5]),
        (int, [Decimal("5.00")], [5]),
        (float, [1, 2], [1.0, 2.0]),
        (float, ["1.5", "1e3", ".5"], [1.5, 1000.0, 0.5]),
        (float, [Decimal("0.1")], [0.1]),
        (str, [1, 2], ["1", "2"]),
        (str, [True], ["true"]),
        (str | None, [1.5, float("nan")], ["1.5", None]),
        (str, [date(2026, 8, 19)], ["2026-08-19"]),
        (bool, ["true", "FALSE"], [True, False]),
        (date, ["2026-08-19"], [date(2026, 8, 19)]),
        (date, [datetime(2026, 8, 19)], [date(2026, 8, 19)]),
        (datetime, ["2026-08-19T14:07:00"], [datetime(2026, 8, 19, 14, 7, tzinfo=dt.UTC)]),
        (datetime, ["2026-08-19 14:07:00.5+02:00"], [datetime(2026, 8, 19, 12, 7, 0, 500_000, tzinfo=dt.UTC)]),
        (types.timestamp, ["2026-08-19T14:07"], [datetime(2026, 8, 19, 14, 7)]),
        (datetime, [date(2026, 8, 19)], [datetime(2026, 8, 19)]),
        (Decimal, ["5.7"], [Decimal("5.7")]),
        (types.Decimal(10, 2), ["5.70", "5.7000"], [Decimal("5.70"), Decimal("5.70")]),
        (types.int32, [5], [5]),
        (list[int], pa.array([[1], [2]], pa.list_(pa.int32())), [[1], [2]]),
        (Annotated[int | None, Nullable], pa.nulls(2), [None, None]),
        (int | None, [1.0, float("nan")], [1, None]),
        (list[int], [[], []], [[], []]),
    ],
)
def test_parse_casts_what_loses_nothing(annotation, values, expected):
    found = schema(a=annotation).parse(pa.table({"a": values}))
    assert found.to_pyarrow()["a"].to_pylist() == expected
    assert schema(a=annotation).cast(found).op() is found.op() or annotation is Decimal  # it is of the type now


@pytest.mark.parametrize(
    "annotation, values, lost",
    [
        (int, ["5.7", "6"], "5.7"),
        (int, [5.7, 6.0], 5.7),
        (int, [1e300, 1.0], 1e300),
        (int, ["", "1"], ""),
        (int, ["1 ", "1"], "1 "),
        (int, [Decimal("5.5"), Decimal("1.0")], 5.5),
        (int, ["99999999999999999999", "1"], "99999999999999999999"),
        (float, [2**53 + 1, 1], 2**53 + 1),
        (float, ["1,5", "1"], "1,5"),
        (bool, ["yes", "true"], "yes"),
        (types.timestamp, ["2026-08-19T14:07Z", "2026-08-19T14:07"], "2026-08-19T14:07Z"),
        (bool, [2, 1], 2),
        (date, ["2026-02-30", "2026-02-28"], "2026-02-30"),
        (date, ["19.08.2026", "2026-02-28"], "19.08.2026"),
        (date, [datetime(2026, 8, 19, 14, 7), datetime(2026, 8, 19)], "2026-08-19T14:07:00"),
        (types.int8, [300, 3], 300),
        (types.Decimal(10, 2), ["5.123", "5.12"], "5.123"),
        (types.Decimal(4, 2), ["123.45", "5.12"], "123.45"),
        (types.Decimal(10, 2), [5.123, 5.12], 5.123),
    ],
)
def test_parse_never_loses_anything(annotation, values, lost):
    with pytest.raises(CoercionError) as caught:
        schema(a=annotation).parse(pa.table({"a": values}))
    (violation,) = caught.value.violations
    assert (violation.rule, violation.field, violation.failing, violation.checked) == ("type", "a", 1, 2)
    assert violation.values == ((lost, 1),)
    assert f"a: 1 of 2 rows cannot become {schema(a=annotation)._columns['a'].dtype} without loss" in str(caught.value)


@pytest.mark.parametrize(
    "annotation, values",
    [(int, [[1]]), (int, [date(2026, 8, 19)]), (date, [1]), (list[int], ["[1]"]), (str, [{"a": 1}]), (bool, [[True]])],
)
def test_parse_of_what_cannot_be_cast_at_all(annotation, values):
    with pytest.raises(StructuralError, match="cannot become"):
        schema(a=annotation).parse(pa.table({"a": values}))


class Everything(Schema):
    id: Annotated[int, Check.unique()]
    grade: Literal["A", "B"]
    price: Annotated[float, Check.between(0, 10)]
    code: Annotated[str | None, Check.pattern(r"[A-Z]\d")]
    even: Annotated[int, Check(lambda column: column % 2 == 0, "is even")]
    late: Annotated[date, Check.ge(date(2026, 1, 1))]


def everything(**changed):
    columns = dict(
        id=[1, 2, 3, 4],
        grade=["A", "B", "A", "B"],
        price=[0.0, 10.0, 5.0, 5.0],
        code=["A1", "B2", None, "C3"],
        even=[0, 2, 4, 6],
        late=[date(2026, 1, 1)] * 4,
    )
    return pa.table(columns | changed)


def test_parse_finds_everything_at_once_with_exact_counts():
    Everything.parse(everything())
    table = everything(
        id=[1, 1, 2, None],
        grade=["A", "x", "x", "y"],
        price=[-1.0, 11.0, float("nan"), 5.0],
        code=["a1", "A1x", None, "C3"],
        even=[1, 1, 3, 4],
        late=["2026-01-01", "2025-12-31", "soon", "2026-01-01"],
    )
    with pytest.raises(CoercionError) as caught:  # one value could not be cast
        Everything.parse(table)
    found = {(v.field, v.rule): (v.failing, v.checked, dict(v.values)) for v in caught.value.violations}
    assert found == {
        ("id", "required"): (1, 4, {}),
        ("id", "unique"): (2, 3, {1: 2}),
        ("grade", "enum"): (3, 4, {"x": 2, "y": 1}),
        ("price", "required"): (1, 4, {}),
        ("price", "range"): (2, 3, {-1: 1, 11: 1}),
        ("code", "pattern"): (2, 3, {"a1": 1, "A1x": 1}),
        ("even", "check"): (3, 4, {1: 2, 3: 1}),
        ("late", "type"): (1, 4, {"soon": 1}),
        ("late", "range"): (1, 3, {"2025-12-31": 1}),
    }
    assert "even: 3 of 4 rows fail the check 'is even': 1 (2 rows), 3 (1 row)" in str(caught.value)


def test_parse_asks_once_where_all_is_well_and_twice_where_not(monkeypatch):
    from clause import sources

    asked = []
    run = sources.Source.run_duckdb
    monkeypatch.setattr(sources.Source, "run_duckdb", lambda self, sql: asked.append(sql) or run(self, sql))
    Everything.parse(everything())
    assert len(asked) == 1
    with pytest.raises(ConstraintError):
        Everything.parse(everything(grade=["A", "x", "x", "y"], even=[1, 1, 1, 1]))
    assert len(asked) == 3


def test_values_shown_are_at_most_ten():
    with pytest.raises(ConstraintError) as caught:
        schema(a=Annotated[int, Check.ge(0)]).parse(pa.table({"a": list(range(-1000, 0))}))
    (violation,) = caught.value.violations
    assert (violation.failing, violation.distinct_values, len(violation.values)) == (1000, 1000, 10)
    assert "and 990 other values" in str(caught.value)


def test_empty_tables_and_columns_without_values_pass():
    empty = everything().slice(0, 0)
    assert Everything.parse(empty).count().execute() == 0
    assert Point.parse(points(pa.array([1, 2]), pa.nulls(2))).to_pyarrow()["y"].to_pylist() == [None, None]
    assert Point.parse(points(pa.array([1, 2]), pa.nulls(2, pa.string()))).count().execute() == 2
    with pytest.raises(ConstraintError, match="x: 2 of 2 rows are NULL"):
        Point.parse(points(pa.nulls(2), pa.nulls(2)))


def test_parse_says_structure_first():
    with pytest.raises(StructuralError) as caught:
        Point.parse(pa.table({"y": [[1]], "z": [1]}))
    assert {(v.rule, v.field) for v in caught.value.violations} == {("missing", "x"), ("additive", "z"), ("type", "y")}


def test_parse_of_an_expression_of_any_depth():
    table = shop("before")
    table = table.filter(table.price_cents > 5_000).join(table.group_by("brand").agg(n=table.count()), "brand")
    assert Listings.parse(table).columns[:3] == ("item_condition", "brand", "price_cents")
    connection = ibis.duckdb.connect()
    stored = connection.create_table("points", pa.table({"x": ["1", "2"], "y": ["a", None]}))
    assert Point.parse(stored).x.sum().execute() == 3
    assert not connection.raw_sql("select view_name from duckdb_views() where not internal").fetchall()


def test_parse_on_another_engine():
    connection = ibis.polars.connect({"t": pl.DataFrame({"x": [1, 2], "y": ["a", None]})})
    assert Point.parse(connection.table("t")).count().execute() == 2


def test_text_without_a_zone_is_utc_whatever_the_session():
    connection = ibis.duckdb.connect()
    connection.raw_sql("set timezone = 'Asia/Tokyo'")
    table = connection.create_table("t", pa.table({"a": ["2026-08-19T14:07:00", "2026-08-19T14:07:00+00:00"]}))
    found = schema(a=datetime).parse(table).to_pyarrow()["a"].to_pylist()
    assert found == [datetime(2026, 8, 19, 14, 7, tzinfo=dt.UTC)] * 2


def test_parse_in_many_threads():
    found = []

    def work():
        for _ in range(10):
            found.append(Point.parse(pa.table({"x": ["1"], "y": ["a"]})).columns)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert found == [("x", "y")] * 40


def test_parse_of_a_table_that_cannot_be_read_is_no_pass():
    with pytest.raises(ValidationError) as caught:
        Point.parse(UNBOUND)
    assert type(caught.value) is ValidationError and caught.value.original is not None
    assert "parse has to read rows, and this table has none" in str(caught.value)
    broken = points([1, 2], ["a", "b"]).mutate(x=lambda t: t.y.cast("int64"))
    with pytest.raises(ValidationError):
        Point.parse(broken)


def test_columns_of_types_that_no_contract_has():
    class Odd(Schema):
        tags: Annotated[list[str], Check(lambda column: column.length() > 0, "has tags")]
        pair: dict[str, int] | None

    kinds = pa.schema({"tags": pa.list_(pa.string()), "pair": pa.map_(pa.string(), pa.int64())})
    good = pa.table({"tags": [["a"], ["b", "c"]], "pair": [[("k", 1)], None]}, kinds)
    assert Odd.parse(good).count().execute() == 2
    with pytest.raises(ConstraintError) as caught:
        Odd.parse(pa.table({"tags": [[], None], "pair": [None, None]}, kinds))
    assert [(v.field, v.rule, v.failing) for v in caught.value.violations] == [
        ("tags", "required", 1),
        ("tags", "check", 1),
    ]


# --- checks of one's own ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "test, says",
    [
        (crash, "raised ZeroDivisionError: oh"),
        (lambda column: column + 1, "not a boolean expression"),
        (lambda column: True, "not a boolean expression"),
        (lambda column: None, "not a boolean expression"),
        (lambda column: column.max() > 0, "one boolean for the whole table"),
        (lambda column: column.no_such_method(), "raised AttributeError"),
        (lambda column: (column.cast("string") + "x").cast("int64") > 0, "cannot be run by the engine"),
    ],
)
def test_a_check_that_fails_itself_is_never_a_pass(test, says):
    strange = schema(a=Annotated[int, Check(test, "mine")], b=Annotated[int, Check(lambda column: column > 0)])
    with pytest.raises(CheckExecutionError, match=says) as caught:
        strange.parse(pa.table({"a": [1, 2], "b": [1, 2]}))
    assert "a: the check mine" in str(caught.value)
    assert says.startswith("raised") == (type(caught.value.original) in (ZeroDivisionError, AttributeError))


def test_a_check_whose_answer_is_null_does_not_fail():
    assert (
        schema(a=Annotated[int | None, Check(lambda c: c > 0)]).parse(pa.table({"a": [1, None]})).count().execute() == 2
    )
    never = schema(a=Annotated[int, Check(lambda column: (column > 0).nullif(True))])
    assert never.parse(pa.table({"a": [1, 2]})).count().execute() == 2


@pytest.mark.parametrize(
    "check, good, bad",
    [
        (Check.isin([1, 2]), [1, 2], [3]),
        (Check.notin(1, 2), [3], [1]),
        (Check.eq(1), [1], [2]),
        (Check.ne(1), [2], [1]),
        (Check.ge(1), [1], [0]),
        (Check.gt(1), [2], [1]),
        (Check.le(1), [1], [2]),
        (Check.lt(1), [0], [1]),
        (Check.ge(0.5), [1], [0]),
        (Check.between(1, 2), [1, 2], [0]),
        (Check.unique, [1, 2], [1, 1]),
        (Check.unique(), [1, 2], [1, 1]),
        (Check(lambda c: c != 3, error="not three"), [1], [3]),
    ],
)
def test_checks_of_integers(check, good, bad):
    kind = schema(a=Annotated[int, check])
    kind.parse(pa.table({"a": good}))
    with pytest.raises(ConstraintError):
        kind.parse(pa.table({"a": bad}))


def test_checks_of_texts():
    kind = schema(a=Annotated[str, Check.pattern("[a-z]+"), Check.length(1, 3), Check.ge("b")])
    kind.parse(pa.table({"a": ["b", "ccc"]}))
    with pytest.raises(ConstraintError) as caught:
        kind.parse(pa.table({"a": ["a", "dddd", "E", ""]}))
    assert [(v.rule, v.failing) for v in caught.value.violations] == [("pattern", 2), ("check", 2), ("check", 3)]


def test_every_check_of_a_column_counts():
    kind = schema(a=Annotated[int, Check.ge(0), Check.ge(1), Check.isin(1, 7, 9), Check.isin(7)])
    with pytest.raises(ConstraintError) as caught:
        kind.parse(pa.table({"a": [1, 7, 9]}))
    assert {value for v in caught.value.violations for value, _ in v.values} == {1, 9}
