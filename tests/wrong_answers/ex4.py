"""Exercise 4: a right answer, and edits of it. WRONG: (idea, old text, new text, a piece of its own message)."""

# ruff: noqa: E501  # an edit and its message share a line

ANSWER = {
    "ex4_shape.py": """
import statistics


def distinct_multipliers(orders):
    return len({order["charged_cents"] / order["price_cents"] for order in orders})


def blended_markdown_pct(orders):
    charged = sum(order["charged_cents"] for order in orders)
    listed = sum(order["price_cents"] for order in orders)
    return 100 * (1 - charged / listed)


def multiplier_alerts(counts):
    alerts, fit = [], []
    for day, count in counts.items():
        if len(fit) >= 14 and count < min(fit[-14:]):
            alerts.append(day)
        else:
            fit.append(count)
    return alerts


def blended_alerts(rates):
    alerts, normal = [], []
    for day, rate in rates.items():
        if len(normal) >= 14 and abs(rate - statistics.median(normal[-14:])) > 1:
            alerts.append(day)
        else:
            normal.append(rate)
    return alerts
"""
}

REFERENCE = {
    "ex4_shape.py": """
from monitors import Day, daily_metrics, judge


def metrics(orders):
    rows = [order | {"item_condition": "A", "category": "x"} for order in orders]
    return daily_metrics(rows)[0]


def distinct_multipliers(orders):
    return metrics(orders).multipliers


def blended_markdown_pct(orders):
    charged, listed = (sum(order[name] for order in orders) for name in ("charged_cents", "price_cents"))
    return Day(None, len(orders), charged, listed).markdown


def alerts(days, monitor):
    return [one.day for one in judge(days) if one.monitor == monitor and one.status == "alert"]


def multiplier_alerts(counts):
    return alerts([Day(day, 1, 1, multipliers=count) for day, count in counts.items()], "multipliers")


def blended_alerts(rates):
    return alerts([Day(day, 1, round(1000 - 10 * rate), 1000) for day, rate in rates.items()], "blended")
"""
}

RATIO = 'order["charged_cents"] / order["price_cents"]'
BLENDED = "return 100 * (1 - charged / listed)"
FEWER = "count < min(fit[-14:])"
POINT = "abs(rate - statistics.median(normal[-14:])) > 1"
KEEP_COUNT = "        else:\n            fit.append(count)"
KEEP_RATE = "        else:\n            normal.append(rate)"

RIGHT = [
    ("a generator", ANSWER["ex4_shape.py"].split("def blended_alerts")[1], """(rates):
    normal = []
    for day, rate in rates.items():
        if len(normal) > 13 and not -1 <= rate - statistics.median(normal[-14:]) <= 1:
            yield day
        else:
            normal.append(rate)
"""),
    ("a set", "    return alerts\n\n\ndef blended", "    return set(alerts)\n\n\ndef blended"),
    ("{day: whether it alerts}", "    return alerts\n\n\ndef blended", "    return {day: day in alerts for day in counts}\n\n\ndef blended"),
    ("days as text", "    return alerts\n\n\ndef blended", "    return [day.isoformat() for day in alerts]\n\n\ndef blended"),
    ("days as times", "    return alerts\n\n\ndef blended", "    from datetime import datetime\n    return [datetime(day.year, day.month, day.day) for day in alerts]\n\n\ndef blended"),
    ("objects with a day", "    return alerts\n\n\ndef blended", "    from types import SimpleNamespace\n    return [SimpleNamespace(day=day, why='x') for day in alerts]\n\n\ndef blended"),
    ("exact fractions", RATIO, '__import__("fractions").Fraction(order["charged_cents"], order["price_cents"])'),
    ("ratios to a tenth of a percent", RATIO, f"round({RATIO}, 3)"),
    ("a percent as text", BLENDED, "return f'{100 * (1 - charged / listed):.5f}%'"),
    ("a Decimal", BLENDED, "from decimal import Decimal\n    return 100 * (1 - Decimal(charged) / Decimal(listed))"),
    ("list minus charged", BLENDED, "return 100 * (listed - charged) / listed"),
    ("a deque of 14", "alerts, normal = [], []", "from collections import deque\n    alerts, window = [], deque(maxlen=14)\n    class normal(list):\n        pass\n    normal = normal()"),
]  # fmt: skip

SHARE = "return sum(1 - order['charged_cents'] / order['price_cents'] for order in orders) / len(orders) * 100"

WRONG = [
    ("distinct charges", RATIO, 'order["charged_cents"]', "different amounts charged"),
    ("distinct list prices", RATIO, 'order["price_cents"]', "different list prices"),
    ("distinct markdowns in cents", RATIO, 'order["price_cents"] - order["charged_cents"]', "markdowns in cents"),
    ("orders", "len({" + RATIO + " for order in orders})", "len(orders)", "counts orders"),
    ("a list for a set", "len({" + RATIO + " for order in orders})", "len([" + RATIO + " for order in orders])", "counts orders"),
    ("ratios to one digit", RATIO, f"round({RATIO}, 1)", "0.85 and 0.8 become one"),
    ("//", RATIO, 'order["charged_cents"] // order["price_cents"]', "cuts the ratio off"),
    ("pairs", RATIO, '(order["charged_cents"], order["price_cents"])', "pairs of amounts"),
    ("no full price", "for order in orders})", "for order in orders if order['charged_cents'] < order['price_cents']})", "Full price is a multiplier too"),
    ("orders with a markdown", "len({" + RATIO + " for order in orders})", 'sum(order["charged_cents"] < order["price_cents"] for order in orders)', "orders with a markdown"),
    ("3 typed in", "len({" + RATIO + " for order in orders})", "3", "expected  4"),
    ("the mean of the markdowns", BLENDED, SHARE, "as much as a coat"),
    ("the median of the markdowns", BLENDED, "return 100 * statistics.median(1 - order['charged_cents'] / order['price_cents'] for order in orders)", "median of each order's markdown"),
    ("a share", BLENDED, BLENDED.replace("100 * ", ""), "This is a share"),
    ("what was charged", BLENDED, "return 100 * charged / listed", "what was charged, in percent"),
    ("a negative markdown", BLENDED, "return 100 * (charged / listed - 1)", "a markdown is positive"),
    ("against what was charged", BLENDED, "return 100 * (listed / charged - 1)", "against the list price"),
    ("whole percent", BLENDED, "return round(100 * (1 - charged / listed))", "rounded to whole percent"),
    ("cut off to whole percent", BLENDED, "return int(100 * (1 - charged / listed))", "cut off to whole percent"),
    ("cents", BLENDED, "return listed - charged", "markdown in cents"),
    ("today in the minimum", FEWER, "count < min([*fit[-14:], count])", "in its own baseline"),
    ("alerted days in the minimum", KEEP_COUNT, "        fit.append(count)", "falls silent by itself"),
    ("as few", FEWER, FEWER.replace("<", "<="), "< and not <="),
    ("another number", FEWER, FEWER.replace("<", "!="), "it asks for fewer"),
    ("more", FEWER, "count > max(fit[-14:])", "when there are more"),
    ("fewer than the most", FEWER, "count < max(fit[-14:])", "day of most"),
    ("fewer than the median", FEWER, "count < statistics.median(fit[-14:])", "compares with the median"),
    ("fewer than the mean", FEWER, "count < statistics.mean(fit[-14:])", "compares with the mean"),
    ("one alone", FEWER, "count == 1", "a count of 1 alone"),
    ("fewer than 3", FEWER, "count < 3", "3 is the shop's number"),
    ("fewer than yesterday", FEWER, "count < fit[-1]", "the day before alone"),
    ("every day that ever was", FEWER, "count < min(fit)", "every day that ever was"),
    ("13 days", FEWER, "count < min(fit[-13:])", "baseline is 13 days"),
    ("15 days", FEWER, "count < min(fit[-15:])", "baseline is 15 days"),
    ("7 days", FEWER, "count < min(fit[-7:])", "7 days"),
    ("judged from the first day on", "if len(fit) >= 14 and", "if fit and", "cannot be judged"),
    ("judged with 13 days", "if len(fit) >= 14 and", "if len(fit) >= 13 and", "One day too early"),
    ("judged with 15 days", "if len(fit) >= 14 and", "if len(fit) > 14 and", "One day too late"),
    ("the beginning of the alarm alone", "    return alerts\n\n\ndef blended", "    from datetime import timedelta\n    return [day for day in alerts if day - timedelta(days=1) not in alerts]\n\n\ndef blended", "Only the first day"),
    ("today in the median", POINT, "abs(rate - statistics.median([*normal[-14:], rate])) > 1", "in its own baseline"),
    ("today in a window of 14", POINT, "abs(rate - statistics.median([*normal[-13:], rate])) > 1", "in its own baseline"),
    ("a trailing median that heals itself", KEEP_RATE, "        normal.append(rate)", "falls silent by itself"),
    ("alerted days taken out of the last 14", ANSWER["ex4_shape.py"].split("def blended_alerts")[1], """(rates):
    alerts, days = [], list(rates)
    for i, day in enumerate(days[14:], 14):
        base = [rates[d] for d in days[i - 14 : i] if d not in alerts]
        if base and abs(rates[day] - statistics.median(base)) > 1:
            alerts.append(day)
    return alerts
""", "nothing is left in this window"),
    ("mean for median", POINT, POINT.replace("median", "mean"), "mean of the baseline"),
    ("no abs", POINT, "rate - statistics.median(normal[-14:]) > 1", "falls is wrong as well"),
    ("falls alone", POINT, "statistics.median(normal[-14:]) - rate > 1", "only a rate that falls"),
    ("one point exactly", POINT, POINT.replace("> 1", ">= 1"), "> and not >="),
    ("one percent of the rate", POINT, "abs(rate / statistics.median(normal[-14:]) - 1) > 0.01", "one percentage point"),
    ("0.01", POINT, POINT.replace("> 1", "> 0.01"), "one point is 1"),
    ("the upper middle", POINT, POINT.replace("median", "median_high"), "upper of the two"),
    ("the lower middle", POINT, POINT.replace("median", "median_low"), "lower of the two"),
    ("the middle as it came", POINT, "abs(rate - normal[-14:][7]) > 1", "values in order"),
    ("the band", POINT, "not min(normal[-14:]) <= rate <= max(normal[-14:])", "band of lowest and highest"),
    ("every day that ever was, in the median", POINT, POINT.replace("[-14:]", ""), "every day that ever was"),
    ("the first 14 days for ever", POINT, POINT.replace("[-14:]", "[:14]"), "for ever"),
    ("a window of 7", POINT, POINT.replace("-14", "-7"), "baseline is 7 days"),
    ("a window of 15", POINT, POINT.replace("-14", "-15"), "baseline is 15 days"),
    ("a window of 13", POINT, POINT.replace("-14", "-13"), "baseline is 13 days"),
    ("yesterday alone", POINT, "abs(rate - normal[-1]) > 1", "day before alone"),
    ("20 typed in", POINT, "rate == 20", "20% is the shop's number"),
    ("10 typed in", POINT, "abs(rate - 10) > 1", "10% is the shop's number"),
    ("judged early", "if len(normal) >= 14 and", "if normal and", "cannot be judged"),
    ("judged with 13 rates", "if len(normal) >= 14 and", "if len(normal) >= 13 and", "One day too early"),
    ("judged with 15 rates", "if len(normal) >= 14 and", "if len(normal) > 14 and", "One day too late"),
    ("14 days of the calendar", ANSWER["ex4_shape.py"].split("def blended_alerts")[1], """(rates):
    from datetime import timedelta
    alerts = []
    for day, rate in rates.items():
        base = [r for d, r in rates.items() if day - timedelta(days=14) <= d < day and d not in alerts]
        if len(base) >= 14 and abs(rate - statistics.median(base)) > 1:
            alerts.append(day)
    return alerts
""", "asks the calendar"),
    ("the number of alerts", "    return alerts\n\n\ndef blended", "    return len(alerts)\n\n\ndef blended", "A list of the days"),
    ("text", "    return alerts\n\n\ndef blended", "    return str(alerts)\n\n\ndef blended", "A list of the days"),
    ("whether there is one", "    return alerts\n\n\ndef blended", "    return bool(alerts)\n\n\ndef blended", "A list of the days"),
    ("takes days out of what it was given", "alerts, normal = [], []", "alerts, normal = [], []\n    rates.pop(next(iter(rates)))", "changes what it was given"),
]  # fmt: skip
