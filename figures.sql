-- Every figure that the lesson publishes, computed from the rows of the shop. One row; a column named
-- "section.figure" stands beside the same key in figures.yaml. Amounts are whole cents until the last step.

with release as (
    select min(day) as day from shop.orders where item_condition not in ('A', 'B', 'C')
),

days as (
    select
        orders.day,
        orders.day >= any_value(release.day) as is_post,
        sum(charged_cents) as gmv,
        1 - sum(charged_cents) / sum(price_cents) as markdown,
        count(distinct multiplier) as multipliers
    from shop.orders as orders, release
    group by orders.day
),

before as (
    select
        count(*) as days,
        min(gmv) as lowest,
        max(gmv) as highest,
        median(gmv) as median,
        avg(gmv) as mean,
        stddev_samp(gmv) as deviation,
        min(markdown) as lowest_markdown,
        max(markdown) as highest_markdown,
        max(multipliers) as multipliers
    from days
    where not is_post
),

after as (
    select
        count(*) as days,
        median(gmv) as median,
        count(*) filter (where gmv between lowest and highest) as days_inside_band,
        string_agg(distinct format('{:.2f}', 100 * markdown), ' and ') as markdown_pct,
        max(days.multipliers) as multipliers
    from days, before
    where is_post
),

-- What the nine days' orders would have paid: the same CASE over the grades as they stood on 18 August.
incident as (
    select
        count(*) as orders,
        sum(intended.charged_cents) as intended,
        sum(intended.charged_cents - orders.charged_cents) as under_charged
    from shop.orders as orders
    inner join release on orders.day >= release.day
    inner join shop.fct_price_before as intended on orders.listing_id = intended.listing_id
),

grades as (
    select
        count(*) as rows,
        count(*) filter (where item_condition = 'A') as a,
        count(*) filter (where item_condition = 'B') as b,
        count(*) filter (where item_condition = 'C') as c,
        max(multiplier) filter (where item_condition = 'A') as times_a,
        max(multiplier) filter (where item_condition = 'B') as times_b,
        max(multiplier) filter (where item_condition = 'C') as times_c
    from shop.fct_price_before
),

otherwise as (
    select count(*) as rows, max(multiplier) as times
    from shop.fct_price
    where item_condition not in ('A', 'B', 'C')
)

select
    (select min(day) from shop.orders) as "days.first",
    release.day as "days.release",
    (select max(day) from shop.orders) as "days.last",
    before.days as "days.pre_release",
    after.days as "days.post_release",
    grades.rows as "listings.rows",
    grades.a as "listings.A",
    grades.b as "listings.B",
    grades.c as "listings.C",
    grades.times_a::text as "multiplier.A",
    grades.times_b::text as "multiplier.B",
    grades.times_c::text as "multiplier.C",
    otherwise.times::text as "multiplier.ELSE",
    incident.orders as "incident.orders",
    (under_charged / 100)::decimal(12, 2)::text as "incident.under_charged_eur",
    format('{:.2f}', 100 * under_charged / intended) as "incident.share_of_intended_gmv_pct",
    format('{:.2f}', under_charged / incident.orders / 100) as "incident.under_charged_per_order_eur",
    otherwise.rows as "incident.listings_in_else_branch",
    [round(lowest / 100)::int, round(highest / 100)::int] as "revenue.pre_release_band_eur",
    format('{:.1f}', 100 * (1 - after.median / before.median)) as "revenue.median_fall_pct",
    format('{:.2f}', (after.median - mean) / deviation) as "revenue.z",
    after.days_inside_band as "revenue.post_release_days_inside_band",
    [format('{:.2f}', 100 * lowest_markdown), format('{:.2f}', 100 * highest_markdown)]
        as "shape.pre_release_min_max_pct",
    after.markdown_pct as "shape.post_release_pct",
    {'pre_release': before.multipliers, 'post_release': after.multipliers} as "shape.distinct_multipliers"
from release, before, after, incident, grades, otherwise
