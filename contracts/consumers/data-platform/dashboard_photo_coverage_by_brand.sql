-- data-platform · dashboard "Photo coverage": brands whose pieces have too few photos to sell well.

select
    brand,
    avg(photos) as photos_per_listing,
    count(*) filter (where photos < 3) as listings_short_of_photos
from shop.listings
group by brand
order by brand
