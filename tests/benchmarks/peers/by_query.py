"""The floor: the contract's clauses as one query, written by hand for this table and this contract alone.

It counts the rows that break each clause. What the tools do besides, it does not: look at types and names, name the
offending values, read a contract.
"""

import duckdb
import measured

QUERY = """
select
    count(*) as volume,
    epoch(now()) - epoch(max(synced_at)) as freshness,
    count(listing_id) - count(distinct listing_id) as "listing_id unique",
    count(*) - count(listing_id) as "listing_id required",
    count(*) - count(item_condition) as "item_condition required",
    count(*) - count(price_cents) as "price_cents required",
    count(*) - count(category) as "category required",
    count(*) - count(brand) as "brand required",
    count(*) - count(seller_id) as "seller_id required",
    count(*) - count(seller_city) as "seller_city null_rate",
    count(*) - count(photos) as "photos required",
    count(*) - count(listed_at) as "listed_at required",
    count(*) - count(synced_at) as "synced_at required",
    count(*) filter (where item_condition not in ('A', 'B', 'C')) as "item_condition enum",
    count(*) filter (where price_cents < 100 or price_cents > 100000) as "price_cents range",
    count(*) filter (
        where category not in ('tops', 'jeans', 'knitwear', 'shoes', 'dresses', 'bags', 'jackets', 'coats')
    ) as "category enum",
    count(*) filter (where not regexp_full_match(brand, '[A-Z][a-z]+')) as "brand pattern",
    count(*) filter (where size not in ('XS', 'S', 'M', 'L', 'XL')) as "size enum",
    count(*) filter (where seller_id < 1) as "seller_id range",
    count(*) filter (where photos < 1 or photos > 20) as "photos range",
    count(*) filter (where weight_g < 1 or weight_g > 30000) as "weight_g range"
from read_parquet('{path}')
"""


def prepare(table: measured.Table) -> measured.Check:
    low, high = table.volume

    def check() -> measured.Broken:
        found = duckdb.connect().execute(QUERY.format(path=table.parquet))
        names = [column[0] for column in found.description]
        counts = dict(zip(names, found.fetchall()[0], strict=True))
        rows, age, nulls = (counts.pop(name) for name in ("volume", "freshness", "seller_city null_rate"))
        broken = {name: count for name, count in counts.items() if count}
        if nulls > 0.05 * rows:
            broken["seller_city null_rate"] = nulls
        if not low <= rows <= high:
            broken["volume"] = 0
        if not 0 <= age <= 86_400:
            broken["freshness"] = 0
        return broken

    return check


if __name__ == "__main__":
    measured.run(prepare)
