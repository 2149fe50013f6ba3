-- pricing-service · dashboard "Price ladder by brand": where each brand's asking prices lie.

select
    brand,
    count(*) as listings,
    min(price_cents) as lowest_cents,
    cast(median(price_cents) as bigint) as median_cents,
    max(price_cents) as highest_cents
from shop.listings
group by brand
order by brand
