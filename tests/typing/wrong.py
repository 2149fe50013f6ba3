"""Wrong code: a comment ends each line where both checkers must say something."""

import ibis
import ibis.expr.types as ir
from schemas_of_the_test import Listings, Prices, Rounded

from boundary import DataFrame, Schema, contract


@contract
def price(listings: DataFrame[Listings], rate: float = 1.0) -> DataFrame[Prices]:
    return Prices.cast(listings.mutate(price=listings.price_cents * rate))


@contract(returns=Prices)
def shorter(listings: DataFrame[Listings], *, rate: float) -> ir.Table:
    return listings.mutate(price=listings.price_cents * rate)


@contract(returns=Prices)
async def later(listings: DataFrame[Listings]) -> ir.Table:
    return listings.mutate(price=listings.price_cents)


@contract
def forgot_the_cast(listings: DataFrame[Listings]) -> DataFrame[Prices]:
    return listings.mutate(price=listings.price_cents)  # error: a plain table


def returned_the_wrong_schema(listings: DataFrame[Listings]) -> DataFrame[Prices]:
    return listings  # error: of another schema


def raw_table(raw: ir.Table, listings: DataFrame[Listings], prices: DataFrame[Prices]) -> None:
    price(raw)  # error: a raw table
    price(ibis.memtable({"price_cents": [1]}))  # error: a raw table
    price(listings.limit(3))  # error: a method's result is a plain table
    price(prices)  # error: wrong schema passed on
    price(shorter(listings, rate=1.0))  # error: returns= is what the call site sees
    shorter(raw, rate=1.0)  # error: a raw table
    shorter(listings)  # error: rate is missing
    shorter(listings, rate="high")  # error: rate is a float
    shorter(listings, speed=1.0)  # error: no such parameter
    price(listings, rate="high")  # error: rate is a float
    price(listing=listings)  # error: no such parameter
    price()  # error: listings is missing
    answer: DataFrame[Listings] = shorter(listings, rate=1.0)  # error: DataFrame[Prices]
    number: int = price(listings)  # error: no int
    wider: DataFrame[Rounded] = prices  # error: a parent's table is not a child's
    print(answer, number, wider)


def narrower(rounded: DataFrame[Rounded]) -> DataFrame[Prices]:
    return rounded  # error: a child's table has more columns than the parent allows


async def not_awaited(listings: DataFrame[Listings]) -> DataFrame[Prices]:
    return later(listings)  # error: a coroutine


class Odd(Schema, extra="perhaps"):  # error: extra is "forbid" or "allow"
    a: int


def raw_in_containers(raw: ir.Table) -> dict[str, DataFrame[Listings]]:
    return {"raw": raw}  # error: a raw table


class Pricer:
    @contract
    def plain(self, listings: DataFrame[Listings]) -> DataFrame[Prices]:
        return price(listings)


Pricer().plain(Pricer())  # error: no table
DataFrame[int]  # error: int is no schema
contract(returns=int)  # error: int is no schema
