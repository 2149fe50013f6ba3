-- finance-reporting · expected shipping cost of each listing: bulky categories go as parcels, the rest as letters.

select
    listing_id,
    category,
    weight_g,
    case
        when category in ('coats', 'jackets', 'shoes', 'bags') then 590
        when category in ('tops', 'jeans', 'knitwear', 'dresses') then 390
    end as shipping_cents
from shop.listings
