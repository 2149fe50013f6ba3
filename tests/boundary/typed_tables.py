"""The schemas, the tables and the one decorated function that the tests of boundary.py share."""

from typing import Annotated

import ibis
import pyarrow as pa
import pytest

import seed
from boundary import Check, DataFrame, Schema, StructuralError, ValidationPhase, contract, unit


class Listings(Schema, contract="listings.yaml"):
    item_condition: Annotated[str, Check.isin("A", "B", "C")]
    brand: str
    price_cents: Annotated[int, unit("EUR_cents")]


class Prices(Schema):
    listing_id: int
    price: float


class Point(Schema):
    x: int
    y: str | None


@contract
def price(listings: DataFrame[Listings]) -> DataFrame[Prices]:
    """What a buyer pays."""
    return listings.select("listing_id", price=listings.price_cents / 100)


def shop(stage):
    return ibis.memtable(pa.Table.from_pylist(seed.listings(stage)))


def points(xs, ys):
    return ibis.memtable(pa.table({"x": xs, "y": ys}))


UNBOUND = ibis.table({"x": "int64", "y": "string"}, name="nowhere")


def schema(name="T", extra=None, **columns):
    """A schema made of annotations."""
    return type(name, (Schema,), {"__annotations__": columns}, **({"extra": extra} if extra else {}))


GOOD, BAD = points([1], ["a"]), ibis.memtable(pa.table({"z": [1]}))
PointFrame = DataFrame[Point]


def crash(column):
    raise ZeroDivisionError("oh")


def stops(call, *args, phase=ValidationPhase.CONTRACT_INPUT, **kwargs):
    with pytest.raises(StructuralError) as caught:
        call(*args, **kwargs)
    assert caught.value.phase is phase
    return caught.value
