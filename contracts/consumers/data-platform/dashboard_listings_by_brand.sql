-- data-platform · dashboard "Listings by brand": how many pieces of each brand are on sale.

select brand, count(*) as listings
from shop.listings
group by brand
order by listings desc, brand
