"""Right code: neither checker says anything."""

from collections.abc import AsyncIterator, Iterator
from typing import Annotated, Literal

import ibis
import ibis.expr.types as ir
from schemas_of_the_test import Listings, Prices, Rounded

from boundary import Check, DataFrame, Nullable, Schema, contract, meaning, schema_from, unit


class Everything(Schema, extra="allow"):
    a: Annotated[int, Check.ge(0), unit("g"), meaning("Weight.")]
    b: str | None
    c: Annotated[float, Nullable]
    d: Literal["A", "B"]
    e: list[int]
    count: int


def by_hand(listings: DataFrame[Listings]) -> DataFrame[Prices]:
    return Prices.cast(listings.mutate(price=listings.price_cents / 100))


@contract
def price(listings: DataFrame[Listings], rate: float = 1.0) -> DataFrame[Prices]:
    return Prices.cast(listings.mutate(price=listings.price_cents * rate))


@contract(validate=True)
def strict(listings: DataFrame[Listings]) -> DataFrame[Prices]:
    return by_hand(listings)


@contract(returns=Prices)
def shorter(listings: DataFrame[Listings], *, rate: float) -> ir.Table:
    return listings.mutate(price=listings.price_cents * rate)


@contract(returns=DataFrame[Prices], validate=True)
def longer(listings: DataFrame[Listings]) -> ir.Table:
    return listings.mutate(price=listings.price_cents)


@contract(returns=Prices)
async def later(listings: DataFrame[Listings]) -> ir.Table:
    return listings.mutate(price=listings.price_cents)


@contract
def parts(listings: DataFrame[Listings]) -> Iterator[DataFrame[Listings]]:
    yield listings


@contract
async def slowly(listings: DataFrame[Listings]) -> AsyncIterator[DataFrame[Listings]]:
    yield listings


class Pricer:
    @contract
    def plain(self, listings: DataFrame[Listings]) -> DataFrame[Prices]:
        return by_hand(listings)

    @classmethod
    @contract
    def of_the_class(cls, listings: DataFrame[Listings]) -> DataFrame[Prices]:
        return by_hand(listings)

    @contract
    @staticmethod
    def alone(listings: DataFrame[Listings]) -> DataFrame[Prices]:
        return by_hand(listings)


def plain_table(table: ir.Table) -> ir.Table:
    return table.limit(3)


def whole_run(raw: ir.Table) -> DataFrame[Prices]:
    listings = Listings.parse(raw)
    plain_table(listings)
    prices: DataFrame[Prices] = shorter(listings, rate=2.0)
    prices = longer(listings=listings)
    prices = price(listings)
    prices = Pricer().plain(listings)
    prices = Pricer.of_the_class(listings)
    prices = Pricer.alone(listings)
    Rounded.cast(prices.mutate(euros=ibis.literal(1)))
    return prices


async def whole_run_later(raw: ir.Table) -> DataFrame[Prices]:
    return await later(Listings.cast(raw))


AnyTable = schema_from({"version": "1.0.0", "owner": "us", "fields": [{"name": "a", "type": "string"}]})
AnyTable.cast(ibis.memtable({"a": ["x"]}))
