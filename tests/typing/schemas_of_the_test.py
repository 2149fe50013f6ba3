"""Schemas that the other files use."""

from typing import Annotated

from boundary import Check, Schema, unit


class Listings(Schema, contract="listings.yaml"):
    item_condition: Annotated[str, Check.isin("A", "B", "C")]
    price_cents: Annotated[int, unit("EUR_cents")]


class Prices(Schema):
    price: float


class Rounded(Prices):
    euros: int
