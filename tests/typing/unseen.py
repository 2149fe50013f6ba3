"""Wrong code that no checker sees: a column's name is known only when the expression is built."""

from schemas_of_the_test import Listings, Prices

from boundary import DataFrame, contract


@contract
def misspelt(listings: DataFrame[Listings]) -> DataFrame[Prices]:
    return Prices.cast(listings.mutate(price=listings.prize_cents))


@contract(returns=Prices)
def not_there(listings: DataFrame[Listings]) -> DataFrame[Listings]:
    return listings
