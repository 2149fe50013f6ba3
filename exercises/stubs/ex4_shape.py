"""Exercise 4: watch the shape of each day.

Your job: write two measures of a day, and the two monitors that look at them day after day.

Given: an order is a dict such as {"day": date(2026, 8, 19), "price_cents": 5000, "charged_cents": 4000}; the list
price is never 0. A series is a dict {day: number} in the order of the days.

Both monitors return a list of the days that alert, and both follow these rules:
    - The baseline of a day is the last 14 days before it that did not alert themselves. The day itself is never in it.
    - While there are fewer than 14 such days, the day is not judged: no alert, and it counts as a day without one.

Check: `python -m exercises`. Its series stand in exercises/checks/shape.py; the shop's 27 days come last.
"""


def by_day(orders):
    """{day: the orders of that day}. A whole example: nothing to do here."""
    days = {}
    for order in orders:
        days.setdefault(order["day"], []).append(order)
    return days


def distinct_multipliers(orders):
    """How many different charged / list ratios there are among these orders of one day.

    >>> distinct_multipliers([{"price_cents": 50, "charged_cents": 40}, {"price_cents": 100, "charged_cents": 80}])
    1
    """
    ...


def blended_markdown_pct(orders):
    """100 * (1 - all that was charged / all list prices) of these orders of one day, in percent.

    >>> blended_markdown_pct([{"price_cents": 300, "charged_cents": 240}, {"price_cents": 100, "charged_cents": 100}])
    15.0
    """
    ...


def multiplier_alerts(counts):
    """The days with fewer distinct multipliers than any day of their baseline has.

    counts: {day: number of distinct multipliers}
    """
    ...


def blended_alerts(rates):
    """The days whose rate is more than 1 percentage point above or below the median of their baseline.

    rates: {day: blended markdown in percent}
    """
    ...


if __name__ == "__main__":
    import seed

    days = by_day(seed.orders())
    print(multiplier_alerts({day: distinct_multipliers(orders) for day, orders in days.items()}))
    print(blended_alerts({day: blended_markdown_pct(orders) for day, orders in days.items()}))
