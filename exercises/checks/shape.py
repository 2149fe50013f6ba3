"""Exercise 4: two measures of a day, then the two monitors on made-up series, each for one idea, then the shop.

A slip is a known wrong way to do it. Where the student's answer is that of a slip, its sentence is shown.
"""

# ruff: noqa: E501  # a slip and its sentence share a line
from __future__ import annotations

import functools
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import Any

from exercises.checks import shop
from exercises.checks.numbers import Case, Slip, expect
from exercises.checks.slips import likeliest
from exercises.checks.student import Answer, Rows, Workbook, shown

FILE = "ex4_shape.py"

Order = dict[str, Any]
Series = dict[date, float]


def check(book: Workbook) -> None:
    """Raises Wrong at the first thing that is not right."""
    answer = book.module(FILE)
    days = shop_days()
    measures: list[tuple[str, Callable[..., Any], list[Slip], str, str]] = [
        ("distinct_multipliers", distinct_multipliers, MULTIPLIERS, "0", ""),
        ("blended_markdown_pct", blended_markdown_pct, BLENDED, "0.0001", "percent"),
    ]
    for name, right, slips, within, unit in measures:
        cases = [
            Case([orders], short(right(orders)), f"{name}(orders)\ncharged / list: {pairs(orders)}") for orders in DAYS
        ]
        cases += [
            Case([orders], short(right(orders)), f"{name}(the shop's orders of {day})") for day, orders in days.items()
        ]
        expect(answer, name, cases, slips, within=within, unit=unit)
    counts: Series = {day: distinct_multipliers(orders) for day, orders in days.items()}
    rates = {day: float(blended_markdown_pct(orders)) for day, orders in days.items()}
    monitors: list[tuple[str, Off, dict[str, Series], list[tuple[Idea, str]], Series]] = [
        ("multiplier_alerts", fewer, COUNTS, FEWER_SLIPS, counts),
        ("blended_alerts", point_off, RATES, POINT_SLIPS, rates),
    ]
    for monitor, off, made_up, ideas, of_shop in monitors:
        check_monitor(answer, monitor, made_up | {"the shop's 27 days": of_shop}, off, ideas)


def pairs(orders: Sequence[Order]) -> str:
    """1800 / 2000, 400 / 500"""
    return ", ".join(f"{order['charged_cents']} / {order['price_cents']}" for order in orders)


def short(number: int | Fraction) -> float | int:
    """The number as a message shows it."""
    return number if isinstance(number, int) else round(float(number), 4)


# --- the measures -----------------------------------------------------------------------------------------------------


@functools.cache
def shop_days() -> dict[date, list[Order]]:
    """The shop's 27 days, each with its orders."""
    days: dict[date, list[Order]] = {}
    for row in shop.orders():
        order: Order = {name: row[name] for name in ("day", "price_cents", "charged_cents")}
        days.setdefault(order["day"], Rows()).append(order)
    return days


def distinct_multipliers(orders: Sequence[Order]) -> int:
    return len({order["charged_cents"] / order["price_cents"] for order in orders})


def blended_markdown_pct(orders: Sequence[Order]) -> Fraction:
    return 100 * (1 - Fraction(total(orders, "charged_cents"), total(orders, "price_cents")))


def total(orders: Sequence[Order], name: str) -> int:
    return sum(order[name] for order in orders)


def ratios(orders: Sequence[Order]) -> list[Fraction]:
    return [Fraction(order["charged_cents"], order["price_cents"]) for order in orders]


def a_day(*pairs: tuple[int, int]) -> list[Order]:
    return [{"day": date(2026, 8, 1), "price_cents": price, "charged_cents": charged} for price, charged in pairs]


DAYS = [
    a_day((1000, 1000), (2000, 1800), (8000, 6400), (500, 450), (4000, 3400), (6400, 5120)),
    a_day((50, 40), (100, 80), (5000, 4000), (700, 560)),
    a_day((1000, 1000), (1000, 800), (1000, 800), (9000, 9000)),
]

MULTIPLIERS: list[Slip] = [
    (lambda orders: len({order["charged_cents"] for order in orders}), "This counts the different amounts charged. Every price has its own; the ratio charged / list is what the CASE decides."),
    (lambda orders: len({order["price_cents"] for order in orders}), "This counts the different list prices; the ratio charged / list is what the CASE decides."),
    (lambda orders: len({order["price_cents"] - order["charged_cents"] for order in orders}), "This counts the different markdowns in cents. They grow with the price; the ratio charged / list does not."),
    (len, "This counts orders; how many different ratios there are is asked for."),
    (lambda orders: len({round(ratio, 1) for ratio in ratios(orders)}), "The ratios are rounded before they are counted, so 0.85 and 0.8 become one."),
    (lambda orders: len({order["charged_cents"] // order["price_cents"] for order in orders}), "// cuts the ratio off to 0 or 1; divide with /."),
    (lambda orders: len({order["price_cents"] // order["charged_cents"] for order in orders}), "// cuts the ratio off to a whole number; divide with /, charged by list."),
    (lambda orders: len({int(100 * ratio) // 10 for ratio in ratios(orders)}), "The ratios are rounded before they are counted, so 0.85 and 0.8 become one."),
    (lambda orders: len({(order["price_cents"], order["charged_cents"]) for order in orders}), "This counts the different pairs of amounts; what the CASE decides is their ratio."),
    (lambda orders: sum(ratio != 1 for ratio in ratios(orders)), "This counts the orders with a markdown; how many different ratios there are is asked for."),
    (lambda orders: len({ratio for ratio in ratios(orders) if ratio != 1}), "Full price is a multiplier too: 1.00."),
]  # fmt: skip

BLENDED: list[Slip] = [
    (lambda orders: 100 * (1 - statistics.mean(ratios(orders))), "This is the mean of each order's markdown, in which a cheap piece weighs as much as a coat. Blended is all that was charged over all list prices."),
    (lambda orders: 100 * (1 - statistics.median(ratios(orders))), "This is the median of each order's markdown. Blended is all that was charged over all list prices."),
    (lambda orders: 1 - statistics.mean(ratios(orders)), "This is a share, and the mean of each order's own; percent of all list prices belong here."),
    (lambda orders: blended_markdown_pct(orders) / 100, "This is a share, 0.15; percent belong here, 15."),
    (lambda orders: 100 - blended_markdown_pct(orders), "This is what was charged, in percent; the markdown is 100 minus that."),
    (lambda orders: 1 - blended_markdown_pct(orders) / 100, "This is what was charged, as a share; the markdown is 1 minus that, in percent."),
    (lambda orders: -blended_markdown_pct(orders), "The sign is turned round: a markdown is positive."),
    (lambda orders: 100 * (Fraction(total(orders, "price_cents"), total(orders, "charged_cents")) - 1), "This divides by what was charged; a markdown is measured against the list price."),
    (lambda orders: round(blended_markdown_pct(orders)), "This is rounded to whole percent; the monitor looks at a single point, so keep the rest."),
    (lambda orders: int(blended_markdown_pct(orders)), "This is cut off to whole percent; the monitor looks at a single point, so keep the rest."),
    (lambda orders: total(orders, "price_cents") - total(orders, "charged_cents"), "This is the markdown in cents; it still has to be divided by all list prices."),
    (lambda orders: 100 * (1 - total(orders, "charged_cents") // total(orders, "price_cents")), "// cuts the ratio off to 0 or 1; divide with /."),
]  # fmt: skip


# --- the monitors -----------------------------------------------------------------------------------------------------

Off = Callable[[float, list[float]], bool]  # of the day's value and its baseline


def fewer(value: float, baseline: list[float]) -> bool:
    return value < min(baseline)


def point_off(value: float, baseline: list[float]) -> bool:
    return round(abs(value - statistics.median(baseline)), 9) > 1


@dataclass(frozen=True)
class Idea:
    """The rules of a baseline: the right ones, or a slip that differs in one thing."""

    off: Off | None = None  # None: the right one
    window: int | None = 14
    need: int = 14
    with_today: bool = False
    with_alerted: bool = False
    strictly_the_last: bool = False  # the 14 days before, from which those that alerted are taken out
    by_calendar: bool = False  # 14 days of the calendar
    onset_alone: bool = False
    frozen: bool = False  # the first 14 days for ever


def alerts(series: Series, off: Off, idea: Idea = Idea()) -> list[date]:
    """The days that alert, by those rules."""
    off = idea.off or off
    found: list[date] = []
    fit: list[tuple[date, float]] = []
    seen: list[tuple[date, float]] = []
    last_alerted = False
    for day, value in series.items():
        if idea.strictly_the_last:
            base = [v for d, v in seen[-14:] if d not in found] if len(seen) >= 14 else []
            judged = bool(base)
        else:
            days = [(d, v) for d, v in fit if not idea.by_calendar or d >= day - timedelta(days=14)]
            kept = days[: idea.need] if idea.frozen else days[-idea.window :] if idea.window else days
            base, judged = [v for _, v in kept], len(days) >= idea.need
        base += [value] if idea.with_today else []
        alert = judged and bool(base) and off(value, base)
        if alert and not (idea.onset_alone and last_alerted):
            found.append(day)
        if not alert or idea.with_alerted:
            fit.append((day, value))
        seen.append((day, value))
        last_alerted = alert
    return found


def series(*runs: tuple[int, float], step: int = 1) -> Series:
    """Runs of (days, value), from 1 August on, every `step` days."""
    values = [value for days, value in runs for _ in range(days)]
    return {date(2026, 8, 1) + timedelta(days=step * n): value for n, value in enumerate(values)}


COUNTS: dict[str, Series] = {
    "20 days of 3": series((20, 3)),
    "14 days of 3, then a 1": series((14, 3), (1, 1)),
    "14 days of 3, then 16 days of 1": series((14, 3), (16, 1)),
    "14 days of 3, 2 days of 1, 3 days of 3": series((14, 3), (2, 1), (3, 3)),
    "14 days of 3, then 2 days of 4": series((14, 3), (2, 4)),
    "13 days of 3 and one of 2, then 2 days of 2": series((6, 3), (1, 2), (7, 3), (2, 2)),
    "a 1 on the first day, 14 days of 3, then a 2": series((1, 1), (14, 3), (1, 2)),
    "a 1 on the first day, 16 days of 3, then a 2": series((1, 1), (16, 3), (1, 2)),
    "20 days of 3 with a 4 among them, then a 2": series((12, 3), (1, 4), (7, 3), (1, 2)),
    "13 days of 3, then 2 days of 1": series((13, 3), (2, 1)),
    "5 days of 3, a 1, 8 days of 3, then a 2": series((5, 3), (1, 1), (8, 3), (1, 2)),
    "every second day: 14 days of 3, then a 1": series((14, 3), (1, 1), step=2),
    "10 days of 5": series((10, 5)),
    "a 2, 13 days of 3, then a 2": series((1, 2), (13, 3), (1, 2)),
    "14 days of 5, then a 4": series((14, 5), (1, 4)),
    "16 days of 2": series((16, 2)),
    "13 days of 2 and one of 4, then a 3": series((6, 2), (1, 4), (7, 2), (1, 3)),
    "13 days of 3 and one of 4, then a 3": series((6, 3), (1, 4), (7, 3), (1, 3)),
    "11 days of 3, one of 2, 2 of 3, then 2 days of 2": series((11, 3), (1, 2), (2, 3), (2, 2)),
    "14 days of 3, a 1, a 3, a 1": series((14, 3), (1, 1), (1, 3), (1, 1)),
}
RATES: dict[str, Series] = {
    "20 days of 10%": series((20, 10.0)),
    "14 days of 10%, then 20%": series((14, 10.0), (1, 20.0)),
    "14 days of 10%, then 8.5%": series((14, 10.0), (1, 8.5)),
    "14 days of 10%, then 11% exactly": series((14, 10.0), (1, 11.0)),
    "14 days of 10%, then 10.5%": series((14, 10.0), (1, 10.5)),
    "14 days of 10%, then 11.5%": series((14, 10.0), (1, 11.5)),
    "7 days of 10% and 7 of 11%, then 11.6%": series((7, 10.0), (7, 11.0), (1, 11.6)),
    "9 days of 10% and 5 of 12%, then 11.5%": series((9, 10.0), (5, 12.0), (1, 11.5)),
    "9 days of 10% and 5 of 14%, then 10%": series((9, 10.0), (5, 14.0), (1, 10.0)),
    "13 days of 10%, one of 12%, then 8.9%": series((13, 10.0), (1, 12.0), (1, 8.9)),
    "7 days of 12% and 7 of 10%, in turn, then 12.1%": series(*((1, 12.0), (1, 10.0)) * 7, (1, 12.1)),
    "20 days of 10%, 14 days of 10.9%, then 11.8%": series((20, 10.0), (14, 10.9), (1, 11.8)),
    "20 days of 10%, 7 days of 10.9%, then 11.8%": series((20, 10.0), (7, 10.9), (1, 11.8)),
    "one day of 11%, 7 of 10% and 7 of 11%, then 11.6%": series((1, 11.0), (7, 10.0), (7, 11.0), (1, 11.6)),
    "7 days of 10% and 7 of 11%, then 9.4%": series((7, 10.0), (7, 11.0), (1, 9.4)),
    "7 days of 10% and 7 of 11%, then 9.8%": series((7, 10.0), (7, 11.0), (1, 9.8)),
    "7 days of 11% and 7 of 10%, then 11.6%": series((7, 11.0), (7, 10.0), (1, 11.6)),
    "6 days of 10%, 2 of 14%, 6 of 10%, then 10.5%": series((6, 10.0), (2, 14.0), (6, 10.0), (1, 10.5)),
    "14 days of 10%, 20 days of 10.9%, then 11.8%": series((14, 10.0), (20, 10.9), (1, 11.8)),
    "14 days of 30%, then 30.5% and 20%": series((14, 30.0), (1, 30.5), (1, 20.0)),
    "13 days of 10%, then 2 days of 20%": series((13, 10.0), (2, 20.0)),
    "5 days of 10%, one of 20%, 9 days of 10%": series((5, 10.0), (1, 20.0), (9, 10.0)),
    "14 days of 10%, 3 days of 20%, 3 days of 10%": series((14, 10.0), (3, 20.0), (3, 10.0)),
    "14 days of 10%, then 30 days of 20%": series((14, 10.0), (30, 20.0)),
    "every second day: 14 days of 10%, then 20%": series((14, 10.0), (1, 20.0), step=2),
}

EARLY = "The first 14 days cannot be judged: there is no baseline of 14 days yet. Not judged is not an alert."
COMMON: list[tuple[Idea, str]] = [
    (Idea(with_today=True), "The day under test is in its own baseline, and pulls it to itself. Judge first, append afterwards."),
    (Idea(with_alerted=True), "The alarm falls silent by itself: the days that alerted enter the baseline, until they are what is normal. Leave them out of it."),
    (Idea(with_today=True, window=13), "The day under test is in its own baseline, and pulls it to itself. Judge first, append afterwards."),
    (Idea(with_alerted=True, with_today=True), "The day under test is in its own baseline, and so are the days that alerted."),
    (Idea(strictly_the_last=True), "After 14 days of alarm nothing is left in this window, and it falls silent. Look back as far as it takes to find 14 days that did not alert."),
    (Idea(onset_alone=True), "Only the first day of the alarm is reported. The day after is still wrong: it alerts too."),
    (Idea(need=0), EARLY), (Idea(need=1), EARLY), (Idea(need=2), EARLY),
    (Idea(need=13), "One day too early: with 13 days before it a day is not judged yet."),
    (Idea(need=15), "One day too late: the fifteenth day has 14 days before it, so it is judged (>= 14, not > 14)."),
    (Idea(window=None), "The baseline is every day that ever was; it is the last 14, so that it follows a slow, right change."),
    (Idea(window=7), "The baseline is 7 days; it is the last 14."),
    (Idea(window=13), "The baseline is 13 days; it is the last 14. Is a slice one short?"),
    (Idea(window=15, need=14), "The baseline is 15 days; it is the last 14."),
    (Idea(frozen=True), "The baseline is the first 14 days for ever; it is the last 14, so that it follows a slow, right change."),
    (Idea(by_calendar=True), "This asks the calendar for 14 days. A table need not have rows every day: take the last 14 days that the series has."),
    (Idea(window=1), "This compares with the day before alone. One odd day would move it: the baseline is 14 days."),
    (Idea(window=1, need=1), "This compares with the day before alone. One odd day would move it: the baseline is 14 days."),
    (Idea(window=1, need=1, with_alerted=True), "This compares with the day before alone, so the alarm lasts one day: the baseline is 14 days that did not alert."),
    (Idea(window=1, with_alerted=True), "This compares with the day before alone, so the alarm lasts one day: the baseline is 14 days that did not alert."),
]  # fmt: skip
FEWER_SLIPS: list[tuple[Idea, str]] = [
    *COMMON,
    (Idea(off=lambda value, base: value <= min(base)), "As few as on some day before is not fewer: < and not <=."),
    (Idea(off=lambda value, base: value != min(base)), "More multipliers than before is no alert of this monitor: it asks for fewer."),
    (Idea(off=lambda value, base: value > max(base)), "This alerts when there are more; a silent ELSE makes them fewer."),
    (Idea(off=lambda value, base: value > min(base)), "This alerts when there are more; a silent ELSE makes them fewer."),
    (Idea(off=lambda value, base: value < max(base)), "This compares with the day of most; fewer than on any day means fewer than the least."),
    (Idea(off=lambda value, base: value < statistics.median(base)), "This compares with the median; fewer than on any day means fewer than the least, or every lean day is an alert."),
    (Idea(off=lambda value, base: value < statistics.mean(base)), "This compares with the mean; fewer than on any day means fewer than the least, or every lean day is an alert."),
    (Idea(off=lambda value, base: value == 1), "This alerts on a count of 1 alone; three that become two are a lost branch as well."),
    (Idea(off=lambda value, base: value < 3), "3 is the shop's number. Another table has another: take it from the baseline."),
    (Idea(off=lambda value, base: value < 3, need=0), "3 is the shop's number. Another table has another: take it from the baseline."),
    (Idea(off=lambda value, base: value < min(base) - 1), "One fewer is an alert already."),
]  # fmt: skip
POINT_SLIPS: list[tuple[Idea, str]] = [
    *COMMON,
    (Idea(off=lambda value, base: value - statistics.median(base) > 1), "A rate that falls is wrong as well: above or below (abs)."),
    (Idea(off=lambda value, base: statistics.median(base) - value > 1), "This sees only a rate that falls: above or below (abs)."),
    (Idea(off=lambda value, base: abs(value - statistics.median(base)) >= 1), "Exactly one point off is not more than one point: > and not >=."),
    (Idea(off=lambda value, base: abs(value - statistics.mean(base)) > 1), "This is the mean of the baseline. A few odd days move a mean; the median stays."),
    (Idea(off=lambda value, base: abs(value - statistics.median_low(base)) > 1), "Of 14 days this takes the lower of the two in the middle; the median is half-way between them."),
    (Idea(off=lambda value, base: abs(value - statistics.median_high(base)) > 1), "Of 14 days this takes the upper of the two in the middle; the median is half-way between them."),
    (Idea(off=lambda value, base: abs(value - base[len(base) // 2]) > 1), "This takes the day in the middle of the list as it came; a median needs the values in order."),
    (Idea(off=lambda value, base: abs(value / statistics.median(base) - 1) > 0.01), "This is one percent of the rate; one percentage point is asked for: 10% and 11% are one point apart."),
    (Idea(off=lambda value, base: abs(value - statistics.median(base)) > 0.01), "The rates are in percent, so one point is 1, not 0.01."),
    (Idea(off=lambda value, base: abs(value - statistics.median(base)) > 10), "One point is 1; this waits for ten."),
    (Idea(off=lambda value, base: not min(base) <= value <= max(base)), "This is the band of lowest and highest; one point off the median is asked for."),
    (Idea(off=lambda value, base: not min(base) - 1 <= value <= max(base) + 1), "This adds the point to the lowest and highest day; it is measured from the median."),
    (Idea(off=lambda value, base: abs(value - statistics.mean(base)) > 2 * statistics.pstdev(base)), "This is mean and two deviations; one point off the median is asked for."),
    (Idea(off=lambda value, base: value == 20), "20% is the shop's number. Another ELSE has another: compare with the baseline."),
    (Idea(off=lambda value, base: abs(value - 10) > 1), "10% is the shop's number. Another table has another: compare with the baseline."),
]  # fmt: skip


def check_monitor(
    answer: Answer, name: str, given: dict[str, Series], off: Off, slips: Sequence[tuple[Idea, str]]
) -> None:
    """Ask a monitor about every series. Raises Wrong at the first that it does not judge as it should."""
    answers: list[list[date] | None] = []
    every = list(given.values())
    for at, (about, values) in enumerate(given.items()):
        called, right = f"{name}({about})", alerts(values, off)
        got = ask(answer, name, values, called, right)
        answers.append(got)
        if got == right:
            continue
        for later in every[at + 1 :]:  # what else it gives may tell the ideas apart
            answers.append(answer.unheard(functools.partial(ask, answer, name, later, "", right)))
        why = likeliest(slips, lambda idea, case: alerts(every[case], off, idea) == answers[case], len(every), at)
        raise answer.wrong(name, why, called=called, expected=worded(right), got=worded(got))


def ask(answer: Answer, name: str, values: Series, called: str, right: list[date]) -> list[date]:
    """The days that the student's monitor gives, in order."""
    result = answer.ask(name, values, called=called)
    try:
        return sorted({as_day(day) for day in listed(result)})
    except (TypeError, ValueError, AttributeError):
        why = "A list of the days that alert belongs here; [] where none does."
        raise answer.wrong(name, why, called=called, expected=worded(right), got=shown(result)) from None


def listed(result: Any) -> Iterable[Any]:
    """The days, where they come as a list, or as {day: whether it alerts}."""
    if isinstance(result, Mapping):
        return [day for day, alert in result.items() if alert]
    if isinstance(result, str):
        raise TypeError("text is no list of days")
    return list(result)


def as_day(day: Any) -> date:
    """A date, whether it comes as one, as a time, as text, or as an object that has it as `day`."""
    if isinstance(day, datetime):
        return day.date()
    if isinstance(day, date):
        return day
    return (
        date.fromisoformat(day) if isinstance(day, str) else as_day(day["day"] if isinstance(day, Mapping) else day.day)
    )


def worded(days: Sequence[date]) -> str:
    """no day; 2026-08-15; 2026-08-15, 2026-08-16, 2026-08-17 … 2026-08-20 (6 days)"""
    if not days:
        return "no day"
    first = ", ".join(str(day) for day in days[:3])
    return first if len(days) <= 3 else f"{first} … {days[-1]} ({len(days)} days)"
