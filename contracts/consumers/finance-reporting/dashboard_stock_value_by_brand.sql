-- finance-reporting · dashboard "Stock value": asking prices on sale, by brand, in EUR.

select brand, sum(price_cents) / 100 as stock_eur
from shop.listings
group by brand
order by stock_eur desc, brand
