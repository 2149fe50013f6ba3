-- finance-reporting · dashboard "Seller payouts": what sellers would be paid if the whole stock sold, by brand and city.

select
    listings.brand,
    listings.seller_city,
    sum(prices.charged_cents) / 100 as payout_eur
from shop.listings as listings
inner join shop.fct_price as prices on prices.listing_id = listings.listing_id
group by listings.brand, listings.seller_city
order by listings.brand, listings.seller_city
