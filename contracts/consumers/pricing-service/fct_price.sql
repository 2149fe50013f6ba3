-- pricing-service · what each listing costs today, in whole cents.
-- The list price is the seller's asking price; the grade decides the markdown.

with listings as (
    select listing_id, item_condition, price_cents from shop.listings
),

graded as (
    select
        listing_id,
        item_condition,
        price_cents,
        case item_condition
            when 'A' then 1.00
            when 'B' then 0.90
            when 'C' then 0.80
            else 0.80  -- should not happen
        end as multiplier
    from listings
)

select
    listing_id,
    item_condition,
    price_cents,
    multiplier,
    cast(price_cents * multiplier as bigint) as charged_cents
from graded
