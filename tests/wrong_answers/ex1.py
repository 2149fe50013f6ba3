"""Exercise 1: a right answer, and edits of it. WRONG: (idea, old text, new text, a piece of its own message)."""

# ruff: noqa: E501  # an edit and its message share a line

ANSWER = {
    "ex1_figures.py": """
import statistics
from decimal import Decimal

RIGHT_PERCENT = {"A": 100, "B": 90, "C": 80, "excellent": 100, "good": 90, "fair": 80}


def daily_gmv(orders):
    gmv = {}
    for order in orders:
        gmv[order["day"]] = gmv.get(order["day"], 0) + order["charged_cents"]
    return gmv


def under_charged_eur(orders):
    cents = 0
    for order in orders:
        right_cents = order["price_cents"] * RIGHT_PERCENT[order["item_condition"]] // 100
        cents += right_cents - order["charged_cents"]
    return Decimal(cents) / 100


def before_and_after(gmv, release):
    before = [cents for day, cents in gmv.items() if day < release]
    after = [cents for day, cents in gmv.items() if day >= release]
    return before, after


def median_fall_pct(before, after):
    return 100 * (1 - statistics.median(after) / statistics.median(before))


def z(before, after):
    return (statistics.median(after) - statistics.mean(before)) / statistics.stdev(before)


def days_inside_band(before, after):
    return sum(min(before) <= cents <= max(before) for cents in after)
"""
}

RIGHT_CENTS = 'order["price_cents"] * RIGHT_PERCENT[order["item_condition"]] // 100'
EUR = "return Decimal(cents) / 100"
LOOP = """    cents = 0
    for order in orders:
        right_cents = order["price_cents"] * RIGHT_PERCENT[order["item_condition"]] // 100
        cents += right_cents - order["charged_cents"]
    return Decimal(cents) / 100"""
BEFORE = "before = [cents for day, cents in gmv.items() if day < release]"
AFTER = "after = [cents for day, cents in gmv.items() if day >= release]"
FALL = "return 100 * (1 - statistics.median(after) / statistics.median(before))"
Z = "return (statistics.median(after) - statistics.mean(before)) / statistics.stdev(before)"
INSIDE = "return sum(min(before) <= cents <= max(before) for cents in after)"

RIGHT = [
    ("EUR as text", EUR, "return f'{cents // 100}.{cents % 100:02}'"),
    ("EUR as text with a currency and commas", EUR, "return f'EUR {Decimal(cents) / 100:,.2f}'"),
    ("EUR as a float, from whole cents", EUR, "return cents / 100"),
    ("a percent rounded, as text", FALL, FALL.replace("return ", "return '%.1f %%' % (") + ")"),
    (
        "money by multiplication with a rounded float",
        RIGHT_CENTS,
        'round(order["price_cents"] * RIGHT_PERCENT[order["item_condition"]] / 100)',
    ),
    (
        "days sorted, in tuples",
        "return before, after",
        "return tuple(sorted(before)), tuple(sorted(after, reverse=True))",
    ),
    ("days as a list of two generators", "return before, after", "return [iter(before), (cents for cents in after)]"),
    (
        "the standard deviation by hand",
        Z,
        "m = sum(before) / len(before)\n    return (statistics.median(after) - m) / (sum((x - m) ** 2 for x in before) / (len(before) - 1)) ** 0.5",
    ),
    (
        "numpy's numbers",
        Z,
        "import numpy\n    return (numpy.median(after) - numpy.mean(before)) / numpy.std(before, ddof=1)",
    ),
    (
        "an exact fraction",
        FALL,
        "from fractions import Fraction\n    return 100 - 100 * Fraction(statistics.median(after)) / Fraction(statistics.median(before))",
    ),
]

WRONG = [
    ("the grade is not looked at: ELSE is right", RIGHT_CENTS, 'order["price_cents"] * {"A": 100, "B": 90}.get(order["item_condition"], 80) // 100', "80% for right"),
    ("percent are taken for a share", RIGHT_CENTS, 'order["price_cents"] * RIGHT_PERCENT[order["item_condition"]]', "90 percent of 5000"),
    ("list price for right", RIGHT_CENTS, 'order["price_cents"]', "whole markdown"),
    ("cents", EUR, "return cents", "These are cents"),
    ("// at the end", EUR, "return cents // 100", "The cents are gone"),
    ("int() at the end", EUR, "return int(cents / 100)", "The cents are gone"),
    ("// in each order", "cents += right_cents - order[\"charged_cents\"]\n    return Decimal(cents) / 100", "cents += (right_cents - order[\"charged_cents\"]) // 100\n    return cents", "up to a euro an order"),
    ("floats for money", LOOP, '    return sum(order["price_cents"] / 100 * RIGHT_PERCENT[order["item_condition"]] / 100 - order["charged_cents"] / 100 for order in orders)', "floats cannot hold"),
    ("the sign turned round", "right_cents - order", "-right_cents + order", "sign is turned round"),
    ("charged not taken off", "cents += right_cents - order[\"charged_cents\"]", "cents += right_cents", "taken off"),
    ("counts orders", LOOP, '    return sum(order["item_condition"] in ("excellent", "good") for order in orders)', "counts orders"),
    ("distinct amounts", LOOP, '    return Decimal(sum({order["price_cents"] * RIGHT_PERCENT[order["item_condition"]] // 100 - order["charged_cents"] for order in orders})) / 100', "a set drops repetitions"),
    ("a figure typed in", EUR, 'return Decimal("29289.95")', "expected  11.2"),
    ("a sum cut short by return in the loop", "    return Decimal(cents) / 100", "        return Decimal(cents) / 100", "expected  11.2"),
    ("text that is no number", EUR, "return 'a lot'", "A number belongs here"),
    ("NaN", EUR, "return float('nan')", "NaN"),
    ("a boolean", INSIDE, "return True", "A number belongs here"),
    ("release day before", BEFORE, BEFORE.replace("<", "<="), "counts in full"),
    ("release day before, not after", BEFORE + "\n    " + AFTER, BEFORE.replace("<", "<=") + "\n    " + AFTER.replace(">=", ">"), "as a day before"),
    ("release day in neither", AFTER, AFTER.replace(">=", ">"), "in neither list"),
    ("swapped", "return before, after", "return after, before", "swapped"),
    ("a set of the days", "return before, after", "return set(before), set(after)", "a set drops repetitions"),
    ("the dates", BEFORE + "\n    " + AFTER, BEFORE.replace("[cents", "[day") + "\n    " + AFTER.replace("[cents", "[day"), "These are the days"),
    ("the release typed in", BEFORE + "\n    " + AFTER, (BEFORE + "\n    " + AFTER).replace("release]", "__import__('datetime').date(2026, 8, 19)]"), "the release that it is given"),
    ("every day in both lists", BEFORE + "\n    " + AFTER, "before = after = list(gmv.values())", "Every day is in both lists"),
    ("the whole example was edited", '+ order["charged_cents"]', '+ order["price_cents"]', "was whole in the stub"),
    ("one list", "return before, after", "return before + after", "Two lists"),
    ("the release ignored", BEFORE, BEFORE.replace(" if day < release", ""), "release"),
    ("mean for median", FALL, FALL.replace("median", "mean"), "fall of the mean"),
    ("median after, mean before", FALL, FALL.replace("median(before)", "mean(before)"), "on both sides"),
    ("mean after, median before", FALL, FALL.replace("median(after)", "mean(after)"), "on both sides"),
    ("a share", FALL, FALL.replace("100 * ", ""), "This is a share"),
    ("a negative fall", FALL, FALL.replace("100 *", "-100 *"), "a fall is positive"),
    ("what is left", FALL, "return 100 * statistics.median(after) / statistics.median(before)", "what is left"),
    ("against the median after", FALL, "return 100 * (statistics.median(before) / statistics.median(after) - 1)", "against what was before"),
    ("the upper middle", FALL, FALL.replace("median(", "median_high("), "upper of the two"),
    ("the lower middle", FALL, FALL.replace("median(", "median_low("), "lower of the two"),
    ("the middle of the list as it came", FALL, "return 100 * (1 - after[len(after) // 2] / before[len(before) // 2])", "values in order"),
    ("distinct days", FALL, "return 100 * (1 - statistics.median(set(after)) / statistics.median(set(before)))", "two days with the same GMV"),
    ("cents for percent", FALL, "return statistics.median(before) - statistics.median(after)", "fall in cents"),
    ("sums", FALL, "return 100 * (1 - sum(after) / sum(before))", "compares sums"),
    ("15.9 typed in", FALL, "return 15.9", "expected  37.5"),
    ("sorts what it was given", FALL, "before.sort()\n    " + FALL, "changes what it was given"),
    ("population deviation", Z, Z.replace("stdev", "pstdev"), "population standard deviation"),
    ("mean of the days after", Z, Z.replace("median(after)", "mean(after)"), "takes the mean of the days after"),
    ("median of the days before", Z, Z.replace("mean(before)", "median(before)"), "median of the days before"),
    ("before minus after", Z, Z.replace("return (", "return -("), "after minus before"),
    ("variance", Z, Z.replace("stdev", "variance"), "divides by the variance"),
    ("deviation of all days", Z, Z.replace("stdev(before)", "stdev(before + after)"), "that of all days"),
    ("everything of all days", Z, Z.replace("mean(before)", "mean(before + after)").replace("stdev(before)", "stdev(before + after)"), "those of all days"),
    ("deviation of the days after", Z, Z.replace("stdev(before)", "stdev(after)"), "deviation is that of the days after"),
    ("standard error", Z, Z + " * len(before) ** 0.5", "standard error"),
    ("no deviation", Z, Z.replace(" / statistics.stdev(before)", ""), "still has to be divided"),
    ("distinct days in z", Z, Z.replace("(before)", "(set(before))"), "distinct values"),
    ("open band", INSIDE, INSIDE.replace("<=", "<"), "Both ends belong"),
    ("range() for the band", INSIDE, "return sum(cents in range(min(before), max(before)) for cents in after)", "upper end belongs"),
    ("lower end left out", INSIDE, INSIDE.replace("<= cents", "< cents"), "lower end belongs"),
    ("days outside", INSIDE, "return sum(not min(before) <= cents <= max(before) for cents in after)", "outside the band"),
    ("the band of all days", INSIDE, "return sum(min(before + after) <= cents <= max(before + after) for cents in after)", "every day after"),
    ("distinct days in the band", INSIDE, "return len({cents for cents in after if min(before) <= cents <= max(before)})", "a set drops repetitions"),
    ("no upper end", INSIDE, "return sum(cents >= min(before) for cents in after)", "an upper end too"),
    ("no lower end", INSIDE, "return sum(cents <= max(before) for cents in after)", "a lower end too"),
    ("first and last day for the band", INSIDE, "return sum(before[0] <= cents <= before[-1] for cents in after)", "first and the last"),
    ("two deviations", INSIDE, "return sum(abs(cents - statistics.mean(before)) <= 2 * statistics.stdev(before) for cents in after)", "two deviations"),
    ("exact matches", INSIDE, "return sum(cents in before for cents in after)", "came before exactly"),
]  # fmt: skip
