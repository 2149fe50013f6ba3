"""Exercise 1: the figures, from small rows that anybody can add up by hand, then from the shop's orders."""

# ruff: noqa: E501  # a slip and its sentence share a line
from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from decimal import Decimal
from fractions import Fraction
from statistics import mean, median, median_high, median_low, pstdev, stdev
from typing import Any

import seed
from exercises.checks import shop
from exercises.checks.numbers import Case, Slip, as_number, expect
from exercises.checks.student import Answer, Workbook, shown

FILE = "ex1_figures.py"
RELEASE = seed.RELEASE_DAY
RIGHT_PERCENT = {"A": 100, "B": 90, "C": 80, "excellent": 100, "good": 90, "fair": 80}

Order = dict[str, Any]
Gmv = dict[date, int]


def order(day: int, condition: str, price: int, charged: int) -> Order:
    return {"day": date(2026, 8, day), "item_condition": condition, "price_cents": price, "charged_cents": charged}


ONE_OF_EACH = [
    order(18, "A", 5000, 5000), order(18, "B", 1050, 945), order(18, "C", 1550, 1240),
    order(19, "excellent", 5050, 4040), order(20, "good", 1150, 920), order(20, "fair", 2000, 1600),
]  # fmt: skip
ANOTHER = [
    order(17, "B", 3350, 3015), order(21, "good", 3350, 2680), order(22, "good", 650, 520), order(22, "good", 650, 520),
]  # fmt: skip


# --- what is right, and what known slips give -------------------------------------------------------------------------


def daily_gmv(orders: Sequence[Order]) -> Gmv:
    gmv: Gmv = {}
    for row in orders:
        gmv[row["day"]] = gmv.get(row["day"], 0) + row["charged_cents"]
    return gmv


def under_charged_cents(orders: Sequence[Order], percent: dict[str, int] = RIGHT_PERCENT) -> int:
    return sum(row["price_cents"] * percent[row["item_condition"]] // 100 - row["charged_cents"] for row in orders)


def with_else(orders: Sequence[Order]) -> int:
    """What the CASE itself makes of the new words: the ELSE branch."""
    return under_charged_cents(orders, RIGHT_PERCENT | {"excellent": 80, "good": 80, "fair": 80})


def under_charged_eur(orders: Sequence[Order]) -> Decimal:
    return Decimal(under_charged_cents(orders)) / 100


def from_release(orders: Sequence[Order]) -> list[Order]:
    return [row for row in orders if row["day"] >= RELEASE]


def median_fall_pct(before: Sequence[int], after: Sequence[int]) -> Fraction:
    return 100 * (1 - Fraction(median(after)) / Fraction(median(before)))


def z(before: Sequence[int], after: Sequence[int]) -> float:
    return (median(after) - mean(before)) / stdev(before)


def days_inside_band(before: Sequence[int], after: Sequence[int]) -> int:
    return sum(min(before) <= cents <= max(before) for cents in after)


def unsorted_middle(values: Sequence[int]) -> int:
    return values[len(values) // 2]


def fall(b: float | Fraction, a: float | Fraction) -> Fraction:
    return 100 * (1 - Fraction(a) / Fraction(b))


UNDER_CHARGED: list[Slip] = [
    (under_charged_cents, "These are cents, but EUR belong here: divide by 100, exactly."),
    (lambda rows: -under_charged_eur(rows), "The sign is turned round: under-charged is what should have been charged minus what was."),
    (lambda rows: Decimal(with_else(rows)) / 100, "This takes 80% for right, as the ELSE does: excellent was A (100%), good was B (90%)."),
    (lambda rows: under_charged_cents(rows) // 100, "The cents are gone: // cuts them off. Divide exactly, at the end."),
    (lambda rows: sum((row["price_cents"] * RIGHT_PERCENT[row["item_condition"]] // 100 - row["charged_cents"]) // 100 for row in rows),
     "The cents of each order are cut off: // before the sum loses up to a euro an order. Divide once, at the end."),
    (lambda rows: Decimal(sum(row["price_cents"] - row["charged_cents"] for row in rows)) / 100,
     "This is the whole markdown, list price minus charged: good should still cost 90%, and fair 80%."),
    (lambda rows: Decimal(sum(row["price_cents"] - row["charged_cents"] for row in from_release(rows))) / 100,
     "This is the whole markdown, list price minus charged: good should still cost 90%, and fair 80%."),
    (lambda rows: Decimal(sum(row["price_cents"] * RIGHT_PERCENT[row["item_condition"]] // 100 for row in rows)) / 100,
     "This is what the orders should have cost; what was charged still has to be taken off."),
    (lambda rows: Decimal(sum(row["price_cents"] * RIGHT_PERCENT[row["item_condition"]] - row["charged_cents"] for row in rows)) / 100,
     "RIGHT_PERCENT holds percent: 90 percent of 5000 is 5000 * 90 // 100."),
    (lambda rows: len([row for row in rows if row["item_condition"] in ("excellent", "good")]),
     "This counts orders; the sum of the money is asked for."),
    (lambda rows: Decimal(sum({row["price_cents"] * RIGHT_PERCENT[row["item_condition"]] // 100 - row["charged_cents"] for row in rows})) / 100,
     "Equal amounts are added only once: a set drops repetitions. Sum over the orders, not over distinct amounts."),
]  # fmt: skip

FALL: list[Slip] = [
    (lambda b, a: fall(mean(b), mean(a)), "This is the fall of the mean. One odd day moves a mean; the lesson takes the median."),
    (lambda b, a: -median_fall_pct(b, a), "The sign is turned round: a fall is positive here."),
    (lambda b, a: median_fall_pct(b, a) / 100, "This is a share, 0.159; percent belong here, 15.9."),
    (lambda b, a: -median_fall_pct(b, a) / 100, "This is a share, and its sign is turned round; percent belong here, and a fall is positive."),
    (lambda b, a: 100 - median_fall_pct(b, a), "This is what is left, in percent; by how much it fell is 100 minus that."),
    (lambda b, a: 100 * (Fraction(median(b)) / Fraction(median(a)) - 1), "This divides by the median after; a fall is measured against what was before."),
    (lambda b, a: fall(median_high(b), median_high(a)), "Of an even number of days this takes the upper of the two in the middle; the median is half-way between them."),
    (lambda b, a: fall(median_low(b), median_low(a)), "Of an even number of days this takes the lower of the two in the middle; the median is half-way between them."),
    (lambda b, a: fall(unsorted_middle(b), unsorted_middle(a)), "This takes the day in the middle of the list as it came; a median needs the values in order."),
    (lambda b, a: fall(median(b), mean(a)), "This compares the mean after with the median before; take the median on both sides."),
    (lambda b, a: fall(mean(b), median(a)), "This compares the median after with the mean before; take the median on both sides."),
    (lambda b, a: fall(median(set(b)), median(set(a))), "This is the median of the distinct values; two days with the same GMV are two days."),
    (lambda b, a: median(b) - median(a), "This is the fall in cents; percent of the median before belong here."),
    (lambda b, a: fall(sum(b), sum(a)), "This compares sums, of lists that differ in length; compare the medians."),
]  # fmt: skip

Z: list[Slip] = [
    (lambda b, a: (median(a) - mean(b)) / pstdev(b), "This is the population standard deviation (pstdev, n); the lesson takes that of a sample (stdev, n - 1)."),
    (lambda b, a: (mean(a) - mean(b)) / stdev(b), "This takes the mean of the days after; the lesson takes their median."),
    (lambda b, a: (mean(a) - mean(b)) / pstdev(b), "This takes the mean of the days after, and the population deviation; the lesson takes the median, and stdev."),
    (lambda b, a: (median(a) - median(b)) / stdev(b), "This takes the median of the days before; z is measured from their mean."),
    (lambda b, a: -z(b, a), "The sign is turned round: after minus before."),
    (lambda b, a: (median(a) - mean(b)) / stdev(b) ** 2, "This divides by the variance; z divides by its root, the standard deviation."),
    (lambda b, a: (median(a) - mean(b)) / stdev([*b, *a]), "The deviation is that of all days; those after the release are what is tested, so they do not belong in it."),
    (lambda b, a: (median(a) - mean([*b, *a])) / stdev([*b, *a]), "Mean and deviation are those of all days; those after the release are what is tested, so they do not belong in it."),
    (lambda b, a: (median(a) - mean(b)) / stdev(a), "The deviation is that of the days after; z measures in deviations of the days before."),
    (lambda b, a: (median(a) - mean(b)) / (stdev(b) / len(b) ** 0.5), "This divides by the standard error; z here divides by the deviation of single days."),
    (lambda b, a: median(a) - mean(b), "This is the distance in cents; it still has to be divided by the standard deviation."),
    (lambda b, a: (median(a) - mean(set(b))) / stdev(set(b)), "This looks at the distinct values; two days with the same GMV are two days."),
]  # fmt: skip

INSIDE: list[Slip] = [
    (lambda b, a: sum(min(b) < cents < max(b) for cents in a), "Both ends belong to the band: a day as low as the lowest before is inside (<=)."),
    (lambda b, a: sum(min(b) <= cents < max(b) for cents in a), "The upper end belongs to the band: a day as high as the highest before is inside (<=)."),
    (lambda b, a: sum(min(b) < cents <= max(b) for cents in a), "The lower end belongs to the band: a day as low as the lowest before is inside (<=)."),
    (lambda b, a: len(a) - days_inside_band(b, a), "These are the days outside the band; those inside are asked for."),
    (lambda b, a: len(a), "This counts every day after. Is the band that of all days? It is that of the days before alone."),
    (lambda b, a: len({cents for cents in a if min(b) <= cents <= max(b)}), "Two days with the same GMV are counted once: a set drops repetitions."),
    (lambda b, a: sum(cents >= min(b) for cents in a), "The band has an upper end too: the highest day before."),
    (lambda b, a: sum(cents <= max(b) for cents in a), "The band has a lower end too: the lowest day before."),
    (lambda b, a: sum(b[0] <= cents <= b[-1] for cents in a), "This takes the first and the last day for the band; take the lowest and the highest."),
    (lambda b, a: sum(abs(cents - mean(b)) <= 2 * stdev(b) for cents in a), "This is mean and two deviations; the band here goes from the lowest to the highest day before."),
    (lambda b, a: sum(abs(cents - mean(b)) <= stdev(b) for cents in a), "This is mean and one deviation; the band here goes from the lowest to the highest day before."),
    (lambda b, a: sum(cents in b for cents in a), "This counts the days whose GMV came before exactly; a band is everything from the lowest to the highest."),
    (lambda b, a: sum(cents in range(min(b), max(b)) for cents in a), "The upper end belongs to the band, and range() leaves it out."),
]  # fmt: skip

# (before, after) in cents: an odd and an even number of days, unsorted, repeated, on both ends of the band.
DAYS: list[tuple[list[int], list[int]]] = [
    ([1000, 3000, 2000, 2000, 9000], [1500, 700, 1000, 1500]),
    ([5200, 4000, 4100, 7000, 4000, 6100], [9900, 7000, 4000, 3000, 3500, 5000, 7000]),
    ([2500, 2100, 4000], [1000, 2200, 2300, 4500, 2200]),
]

FIGURES: list[tuple[str, Callable[..., Any], list[Slip], str, str]] = [
    ("median_fall_pct", median_fall_pct, FALL, "0.05", "percent"),
    ("z", z, Z, "0.005", ""),
    ("days_inside_band", days_inside_band, INSIDE, "0", "days"),
]
FLOATS = (
    "1",
    "Nearly, but not to the cent: floats cannot hold most cents (0.1 + 0.2 is not 0.3). Add whole cents, divide once.",
)
TYPED_IN = "The small examples agree, the shop does not. Does the order of the days matter, or their number?"


def check(book: Workbook) -> None:
    """Raises Wrong at the first thing that is not right."""
    answer = book.module(FILE)
    orders = shop.orders()
    gmv = daily_gmv(orders)
    check_daily_gmv(answer, orders)
    cases = [
        Case([rows], under_charged_eur(rows), f"under_charged_eur({name})   {about}")
        for name, rows, about in (
            ("ONE_OF_EACH", ONE_OF_EACH, "rows of exercises/checks/figures.py"),
            ("ANOTHER", ANOTHER, "rows of exercises/checks/figures.py"),
            ("orders", orders, "the shop's 6,983"),
        )
    ]
    expect(answer, "under_charged_eur", cases, UNDER_CHARGED, unit="EUR", almost=FLOATS)
    check_split(answer, gmv)
    split = (
        [cents for day, cents in gmv.items() if day < RELEASE],
        [cents for day, cents in gmv.items() if day >= RELEASE],
    )
    for name, right, slips, within, unit in FIGURES:
        cases = [Case([before, after], short(right(before, after))) for before, after in DAYS]
        of_shop = f"{name}(the shop's 18 days, its 9 days)"
        expect(
            answer,
            name,
            [*cases, Case([*split], short(right(*split)), of_shop, TYPED_IN)],
            slips,
            within=within,
            unit=unit,
        )


def short(number: float | Fraction) -> float | int:
    """The number as a message shows it."""
    return number if isinstance(number, int) else round(float(number), 3)


def check_daily_gmv(answer: Answer, orders: list[Order]) -> None:
    """The whole example of the stub, in case it was edited."""
    for rows, called in ((ONE_OF_EACH, "ONE_OF_EACH"), (orders, "the shop's orders")):
        got, right = answer.ask("daily_gmv", rows, called=f"daily_gmv({called})"), daily_gmv(rows)
        if not isinstance(got, dict) or {day: as_number(cents) for day, cents in got.items()} != right:
            why = "This function was whole in the stub: the sum of charged_cents for each day. python -m exercises reset 1 brings it back."
            raise answer.wrong("daily_gmv", why, called=f"daily_gmv({called})", expected=shown(right), got=shown(got))


def check_split(answer: Answer, gmv: Gmv) -> None:
    """before_and_after, on few days, with another release, and on the shop's days."""
    small = {date(2026, 8, day): cents for day, cents in ((17, 700), (18, 900), (19, 800), (20, 600), (21, 600))}
    later = {date(2026, 9, day): cents for day, cents in ((1, 50), (2, 70), (3, 90))}
    for days, release, name in (
        (small, RELEASE, ""),
        (later, date(2026, 9, 3), ""),
        (gmv, RELEASE, "the shop's 27 days"),
    ):
        right = (
            [cents for day, cents in days.items() if day < release],
            [cents for day, cents in days.items() if day >= release],
        )
        called = f"before_and_after({name or daynames(days)}, {release})"
        got = answer.ask("before_and_after", days, release, called=called)
        facts = {"called": called, "expected": shown(right), "got": shown(got)}
        try:
            before, after = (sorted(part) for part in got)
        except (TypeError, ValueError):
            raise answer.wrong(
                "before_and_after", "Two lists of amounts belong here: the days before, the days after.", **facts
            ) from None
        if (before, after) == tuple(map(sorted, right)):
            continue
        raise answer.wrong("before_and_after", split_slip(days, release, before, after), **facts)


def daynames(days: Gmv) -> str:
    return "{" + ", ".join(f"{day}: {cents}" for day, cents in days.items()) + "}"


def split_slip(days: Gmv, release: date, before: list[Any], after: list[Any]) -> str:
    """What is wrong with two lists that are not the right ones."""
    of_release = days[release]
    right_before, right_after = (
        sorted(c for d, c in days.items() if d < release),
        sorted(c for d, c in days.items() if d >= release),
    )
    if before == sorted([*right_before, of_release]):
        where = " in both lists" if after == right_after else " as a day before"
        return f"The day of the release stands{where}; the day is the grain, so it counts in full, as a day after (day >= release)."
    if before == right_before and sorted([*after, of_release]) == right_after:
        return "The day of the release is in neither list; it counts in full, as a day after (day >= release)."
    if (before, after) == (right_after, right_before):
        return "The two lists are swapped: first the days before, then the days from the release on."
    if (before, after) == (sorted(set(right_before)), sorted(set(right_after))):
        return "Two days with the same GMV have become one: a set drops repetitions."
    if all(isinstance(one, date) for one in (*before, *after)):
        return "These are the days; their GMV in cents is asked for."
    if len(before) + len(after) == 2 * len(days):
        return "Every day is in both lists: is the gap in the condition still open?"
    return "Does it use the release that it is given, and every day's own amount?"
