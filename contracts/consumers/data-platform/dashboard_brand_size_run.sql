-- data-platform · dashboard "Size run": which sizes each brand has on sale.

with sized as (
    select brand, size, count(*) as listings
    from shop.listings
    group by brand, size
)

select
    brand,
    size,
    listings,
    cast(listings as double) / sum(listings) over (partition by brand) as share_of_brand
from sized
order by brand, size
