-- data-platform · staging: the producer's table as it comes, for every model downstream.

select * from shop.listings
