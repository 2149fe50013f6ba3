"""Exercise 1: reproduce the figures.

Your job: fill the gaps, each marked `...`, so that the functions give the figures of the lesson, from the rows.

Given: an order is a dict such as
    {"day": date(2026, 8, 19), "item_condition": "good", "price_cents": 5000, "charged_cents": 4000}
price_cents is the list price, charged_cents what the customer paid, both in whole cents; every price is a multiple
of 50. Up to 18 August item_condition is A, B or C; from the release on it is excellent (was A), good (was B) or
fair (was C), and the pricing CASE, which knows A, B and C only, charges everybody 80%.

Check: `python -m exercises`. It calls these functions with small rows (they stand in exercises/checks/figures.py)
and with the shop's 6,983 orders, so a number that is typed in does not pass.
"""

import statistics
from datetime import date
from decimal import Decimal

RELEASE = date(2026, 8, 19)

# Percent of the list price that a condition should cost.
RIGHT_PERCENT = {"A": 100, "B": 90, "C": 80, "excellent": 100, "good": 90, "fair": 80}


def daily_gmv(orders):
    """GMV of each day, in cents: {day: sum of charged_cents}. A whole example: nothing to do here.

    >>> daily_gmv([{"day": RELEASE, "item_condition": "good", "price_cents": 5000, "charged_cents": 4000}])
    {datetime.date(2026, 8, 19): 4000}
    """
    gmv = {}
    for order in orders:
        gmv[order["day"]] = gmv.get(order["day"], 0) + order["charged_cents"]
    return gmv


def under_charged_eur(orders):
    """How much less was charged than the right grades would have cost: EUR, exact to the cent.

    >>> under_charged_eur([{"day": RELEASE, "item_condition": "good", "price_cents": 5000, "charged_cents": 4000}])
    Decimal('5')
    """
    cents = 0
    for order in orders:
        right_cents = ...  # what this order should have cost, in whole cents
        cents += right_cents - order["charged_cents"]
    return Decimal(cents) / 100


def before_and_after(gmv, release):
    """Two lists of daily GMV in cents: the days before the release, and the days from the release on.

    The day is the grain: the release went out at 14:07, and its day counts in full, as a day after.

    >>> before_and_after({date(2026, 8, 18): 900, RELEASE: 800}, RELEASE)
    ([900], [800])
    """
    before = [cents for day, cents in gmv.items() if ...]
    after = ...
    return before, after


def median_fall_pct(before, after):
    """By how many percent the median of the days after is lower than the median of the days before.

    >>> median_fall_pct([1000, 3000, 2000], [1500])
    25.0
    """
    ...


def z(before, after):
    """(median of the days after - mean of the days before) / sample standard deviation of the days before.

    >>> z([1000, 2000, 3000], [1500])
    -0.5
    """
    ...


def days_inside_band(before, after):
    """How many of the days after lie in the band from the lowest to the highest day before, both included.

    >>> days_inside_band([1000, 3000, 2000], [500, 1000, 2500])
    2
    """
    ...
