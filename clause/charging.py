"""Charging the shop's orders with what the pricing SQL says now, and what that costs."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

import duckdb
import pyarrow as pa

Costs = Mapping[date, tuple[float, float]]  # day -> EUR under-charged, EUR over-charged

# As `seed.fill` writes the orders. The category is the one that the customer saw.
ORDERS = """
select order_id, day, listing_id, category, price.* exclude (listing_id)
from sold join shop.fct_price as price using (listing_id)
order by order_id
"""
COSTS = """
with paid as (
    select order_id, sum(price.charged_cents) as cents
    from sold join shop.fct_price as price using (listing_id)
    group by order_id
),

off as (
    select day, sold.charged_cents - coalesce(paid.cents, 0) as cents
    from sold left join paid using (order_id)
)

select day, sum(greatest(cents, 0)) as under, sum(greatest(-cents, 0)) as over
from off
group by day
order by day
"""


def charge(connection: duckdb.DuckDBPyConnection, sold: pa.Table) -> tuple[pa.Table, Costs] | None:
    """The orders as they would be charged, and what each day costs; None where there is no price list to charge by.

    sold: the orders as they were to be charged, in cents. Over- and under-charging are told apart order by order.
    """
    connection.register("sold", sold)
    try:
        orders = connection.execute(ORDERS).to_arrow_table()
        days = connection.execute(COSTS).fetchall()
    except duckdb.Error:
        return None
    return orders, {day: (float(under) / 100, float(over) / 100) for day, under, over in days}
