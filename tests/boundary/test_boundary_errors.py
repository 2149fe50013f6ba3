"""The incident at a function's signature, and what every error says, keeps and leaves out."""

import copy
import datetime as dt
import inspect
import pickle
from typing import Annotated

import ibis
import pyarrow as pa
import pytest
from typed_tables import BAD, GOOD, Listings, Point, Prices, crash, points, price, schema, shop, stops

import contracts
from boundary import (
    Check,
    CheckExecutionError,
    CoercionError,
    ConstraintError,
    DataFrame,
    Schema,
    StructuralError,
    ValidationError,
    ValidationPhase,
    contract,
    schema_from,
)

# ibis 12 asks pandas 3 for an option that goes away, whenever it makes a pandas frame.
pytestmark = pytest.mark.filterwarnings("ignore:The 'future.infer_string'")


# --- the incident, at the other boundary --------------------------------------------------------------------------


def test_structure_breaks():
    with pytest.raises(StructuralError) as caught:
        price(shop("at_release"))
    error = caught.value
    assert (error.phase, error.function, error.parameter) == (ValidationPhase.CONTRACT_INPUT, "price", "listings")
    assert [(v.rule, v.field) for v in error.violations] == [("missing", "brand")]
    assert str(error) == (
        "price(listings=…): Listings, contract listings 1.4.0 of team-marketplace-backend, read by data-platform,"
        " pricing-service, finance-reporting: brand: the column is missing; did 'brand_name' take its place?"
    )


def test_semantics_lie():
    assert price(shop("after")).count().execute() == 8_000  # every price is wrong, and nobody says so


def test_with_validate_the_recoded_rows_are_stopped():
    strict = contract(validate=True)(inspect.unwrap(price))
    assert strict(shop("before")).count().execute() == 8_000
    with pytest.raises(ConstraintError) as caught:
        strict(shop("after"))
    (violation,) = caught.value.violations
    assert violation.values == (("good", 3_680), ("fair", 2_240), ("excellent", 2_080))
    assert (violation.failing, violation.checked, violation.rule) == (8_000, 8_000, "enum")
    assert caught.value.phase is ValidationPhase.CONTRACT_INPUT
    for part in ("price(listings=…)", "1.4.0", "team-marketplace-backend", "pricing-service", "good (3,680 rows)"):
        assert part in str(caught.value)


def test_by_hand_without_any_decorator():
    def by_hand(listings: DataFrame[Listings]) -> DataFrame[Prices]:
        return Prices.cast(listings.select("listing_id", price=listings.price_cents / 100))

    assert isinstance(by_hand(Listings.cast(shop("before"))), DataFrame[Prices])


# --- errors -------------------------------------------------------------------------------------------------------


def failures():
    """One error of each kind."""
    local = schema(a=Annotated[int, Check.ge(0)])
    for kind, table in ((Point, GOOD[["x"]]), (Point, points(["5.7"], ["a"])), (local, pa.table({"a": [-1]}))):
        with pytest.raises(ValidationError) as caught:
            kind.parse(table)
        yield caught.value
    with pytest.raises(ValidationError) as caught:
        schema(a=Annotated[int, Check(crash)]).parse(pa.table({"a": [1]}))
    yield caught.value
    yield stops(price, BAD)
    yield stops(price, 3)


def test_errors_pickle_and_copy():
    for error in failures():
        for again in (copy.copy(error), copy.deepcopy(error), pickle.loads(pickle.dumps(error))):
            assert type(again) is type(error) and str(again) == str(error)
            for name in ("phase", "detail", "function", "parameter", "violations"):
                assert getattr(again, name) == getattr(error, name)
            assert type(again.original) is type(error.original)
        assert copy.copy(error).schema is error.schema
    assert [type(error) for error in failures()] == [
        StructuralError,
        CoercionError,
        ConstraintError,
        CheckExecutionError,
        StructuralError,
        StructuralError,
    ]


def test_an_original_that_does_not_pickle():
    error = ValidationError("x", schema=Point, phase=ValidationPhase.PARSE, original=OSError(lambda: 1))
    assert "OSError" in str(pickle.loads(pickle.dumps(error)).original)


def test_messages_stay_short_whatever_fails():
    wide = schema("W" * 500, **{f"column_{i}_{'x' * 300}": Annotated[int, Check.ge(0)] for i in range(20)})
    names = list(wide._columns)
    for table in (
        pa.table({"z": [1]}),
        pa.table({name: ["y" * 1000] for name in names}),
        pa.table({name: list(range(-500, 0)) for name in names}),
    ):
        with pytest.raises(ValidationError) as caught:
            wide.parse(table)
        assert 50 < len(str(caught.value)) < 2_000
        assert len(caught.value.violations) >= 20
        assert "more" in str(caught.value)
    with pytest.raises(ValidationError) as caught:
        schema(a=Annotated[int, Check(crash, "n" * 9_000)]).parse(pa.table({"a": [1]}))
    assert len(str(caught.value)) < 2_000

    def long(**tables: DataFrame[wide]): ...

    long.__qualname__ = "f" * 5_000
    assert len(str(stops(contract(long), **{"k" * 5_000: BAD}))) < 2_000


def test_an_error_names_its_schema_and_nothing_twice():
    error = stops(contract(lambda_with_name()), BAD)
    assert str(error).count("Point") == 1


def lambda_with_name():
    def f(a: DataFrame[Point]): ...

    return f


def test_a_naive_timestamp_is_compared_in_the_zone_of_the_contract():
    agreed = contracts.from_mapping(
        {
            "version": "1.0.0",
            "owner": "us",
            "freshness": {"max_lag": "1h", "field": "at", "timezone": "Europe/Berlin"},
            "fields": [{"name": "at", "type": "timestamp", "required": True, "min": "2026-08-19T14:00:00"}],
        }
    )
    kind = schema_from(agreed)
    kind.parse(pa.table({"at": [dt.datetime(2026, 8, 19, 12, 0, tzinfo=dt.UTC)]}))
    with pytest.raises(ConstraintError):
        kind.parse(pa.table({"at": [dt.datetime(2026, 8, 19, 11, 59, tzinfo=dt.UTC)]}))


def test_columns_that_the_engine_does_not_tell_apart_are_an_error_and_no_crash():
    class Prices(Schema):
        Price: int
        price: int

    with pytest.raises(CheckExecutionError, match="does not tell it from another column"):
        Prices.parse(ibis.memtable(pa.table({"Price": [1], "price": [2]})))
