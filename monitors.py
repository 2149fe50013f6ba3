"""Shape has no weather: what a table looks like day by day, and which day looks wrong.

Revenue has weather. In the nine days of the incident GMV left its band on six; on three it looked fine, and so may any
slow week look broken. The *shape* of the same orders broke on the first day and stayed broken: one multiplier where
there had been three, and a blended markdown of exactly 20.00% where it had been between 9.99% and 10.31%.

    daily_metrics(orders) -> a Day per day        judge(days) -> a Verdict per day and monitor

Baselines. The day under test is never in its own, and a day that alerted enters none that comes later. A plain trailing
median heals itself: on 27 August 8 of its 14 days are at 20%, so it takes 20% for normal and falls silent. Shape needs
14 earlier days and the GMV band 18; until then a day is *not judged*, which is not the same as fine. So an alert lasts
until somebody looks. Where the change turns out to be right, start the history over: `--since` the day of the change.

An honest page. A shape metric is weatherless only where the mix is stable, and real data often is not. Take New York's
yellow taxis by month, with a year as the window: on the share of card payments the one-point rule fires in 20 of 24
months, though no code changed its meaning; people pay as they like. But split by vendor, the share of rides with an
`extra` of 2.50 or more sets the alarm off once, on vendor 1 in February 2019, when its `extra` began to include the
congestion surcharge, and never on vendor 2. So before you trust a threshold, ask `backtest` how often it would have
cried wolf on days that you know were quiet.
"""

if __name__ == "__main__":
    from contracts.ending import begin

    begin()

import io
import math
import os
import statistics
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from fractions import Fraction
from typing import Any, NamedTuple

import contracts
from clause import daybook
from clause.daybook import Day, Verdict, add_to_store, by_monitor, calendar, compare, in_order, read_store
from clause.plots import plot, save
from contracts.ending import cannot, command, of_output
from contracts.errors import brief, json_text, printable

__all__ = ["Day", "Rules", "Spec", "Verdict", "add_to_store", "backtest", "calendar", "compare", "daily_metrics"]
__all__ += ["judge", "onsets", "plot", "read_store"]


# --- what a day looks like ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Spec:
    """Which column is which; None where the table has no such column. The defaults are the shop's orders."""

    day: str = "day"  # a date, or a time: the day it falls on, in UTC where it has a time zone
    amount: str = "charged_cents"
    list_amount: str | None = "price_cents"
    branch: str | None = "item_condition"
    known: tuple[str, ...] = ("A", "B", "C")  # the values that the CASE names; every other one is in its ELSE branch
    goods: str | None = "category"
    loaded_at: str | None = None  # when the row was loaded, for freshness; in UTC where it names no time zone
    split_by: str | None = None  # judge each value of this column by itself


def daily_metrics(orders: object, spec: Spec = Spec()) -> list[Day]:
    """A Day per day that has rows, in order. `orders` is any kind of table, or its path. See `measuring`."""
    from clause.measuring import measure

    columns = {name: column for name, column in vars(spec).items() if name != "known" and column is not None}
    return in_order(measure(orders, columns, spec.known))


# --- which day looks wrong ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rules:
    """The thresholds. Check each on your own quiet days with `backtest` before you trust it."""

    window: int = 14  # days of history that the shape monitors need, and look back on
    points: float = 1.0  # blended: percentage points off the median
    psi: float = 0.1  # mix: 0.1 is "moderate", 0.25 "significant", by convention in credit scoring (Siddiqi 2006)
    holds: int = 3  # holds: days on one value
    reference: int = 18  # gmv: days that a band needs
    min_rows: int | None = None  # volume, per day
    max_rows: int | None = None
    max_lag: timedelta | None = None  # freshness, per day
    unit: str = "EUR_cents"  # of the amounts, for messages

    def __post_init__(self) -> None:
        if min(self.window, self.holds, self.reference) < 1 or not 0 <= self.points < math.inf:
            here = f"window {self.window}, holds {self.holds}, reference {self.reference}, points {self.points:g}"
            raise ValueError(f"a window is at least one day, and a threshold 0 or more; correct {here}")

    def promised(self, contract: "contracts.Contract") -> "Rules":
        """These rules with the volume and the freshness that a contract promises."""
        volume, freshness = contract.volume, contract.freshness
        rules = replace(self, max_lag=freshness.max_lag) if freshness else self
        return replace(rules, min_rows=volume.min_rows, max_rows=volume.max_rows) if volume else rules


@dataclass
class Past:
    """The days before the one under test."""

    seen: list[Day] = field(default_factory=list)  # the last that had orders
    shape: list[Day] = field(default_factory=list)  # the last that are fit for a baseline of shape, at most a window
    revenue: list[Day] = field(default_factory=list)  # all that are fit for the band


class Finding(NamedTuple):
    """What a monitor finds in a day. off, limits: as in a Verdict."""

    alert: bool
    value: Any
    baseline: Any
    message: str
    off: float | None = None
    limits: tuple[float, float] | None = None


# A monitor is a function of the day, the past and the rules. It finds something, or says why it cannot judge.
Monitor = Callable[[Day, Past, Rules], Finding | str]


def multipliers(day: Day, past: Past, rules: Rules) -> Finding | str:
    """Fewer distinct multipliers than on any day of the baseline."""
    before = [other.multipliers for other in past.shape if other.multipliers]
    if not (found := day.multipliers) or not before:
        return "no multipliers"
    text = f"distinct multipliers: {found}, at least {min(before)} on each of the {len(before)} days before"
    return Finding(found < min(before), found, min(before), f"{text}; ask who changed the price rule or what it reads")


def branches(day: Day, past: Past, rules: Rules) -> Finding | str:
    """A value that is new to the baseline and to the CASE, or the end of one that came every day. Sets, not counts."""
    usual = frozenset().union(*(other.values for other in past.shape))
    new = day.values.difference(usual, *(other.mix for other in past.shape))
    gone = frozenset.intersection(*(other.values for other in past.shape)) - day.values
    changes = " and ".join(f"{what} {daybook.listed(them)}" for what, them in (("new", new), ("gone", gone)) if them)
    text = f"{changes}; the {len(past.shape)} days before have {daybook.listed(usual)}; ask the producer what they mean"
    return Finding(bool(changes), sorted(day.values), sorted(usual), text)


def blended(day: Day, past: Past, rules: Rules) -> Finding | str:
    """The blended markdown is further off the median of the baseline than the threshold."""
    before = [rate for other in past.shape if (rate := other.markdown) is not None]
    if (rate := day.markdown) is None or not before:
        return "no list value"
    median = statistics.median(before)
    off, middle = abs(rate - median), float(median)
    text = f"blended markdown {float(rate):.2f}%, more than {rules.points:g} point{'s' * (rules.points != 1)} off the"
    text += f" {middle:.2f}% that is the median of the {len(before)} days before"
    text += "; ask who changed the price rule or what it reads"
    alert, limits = off > Fraction(str(rules.points)), (middle - rules.points, middle + rules.points)
    return Finding(alert, round(float(rate), 4), round(middle, 4), text, float(off), limits)


def mix(day: Day, past: Past, rules: Rules) -> Finding | str:
    """The branch mix moved: its population stability index is over the threshold, and over what chance gives.

    Without a change PSI is about (1/n + 1/m) times a chi-square of one degree less than there are branches (Yurdakul
    and Naranjo 2020): over 0.1 by chance alone where a day has few orders. So it has to pass that 99.9% point as well.
    A branch without rows counts as half a row, since the logarithm of none is infinite.
    """
    before = sum((Counter(other.mix) for other in past.shape), Counter[str]())
    n, m = sum(day.mix.values()), before.total()
    if not n or not m:
        return "no branches"
    shares = {name: (day.mix.get(name, 0) / n, before[name] / m) for name in sorted({*before, *day.mix})}
    filled = [(max(now, 0.5 / n), max(then, 0.5 / m)) for now, then in shares.values() if now or then]
    psi = sum((now - then) * math.log(now / then) for now, then in filled)
    free = max(len(filled) - 1, 1)
    chance = (1 / n + 1 / m) * free * (1 - 2 / (9 * free) + 3.09 * math.sqrt(2 / (9 * free))) ** 3  # Wilson-Hilferty
    threshold = max(rules.psi, chance)
    most, (now, then) = max(shares.items(), key=lambda share: abs(share[1][0] - share[1][1]))
    text = f"branch {printable(repr(most))} has {now:.0%} of the rows, {then:.0%} in the days before (PSI {psi:.3f},"
    text += f" threshold {threshold:.3f}); ask the producer what the values mean now"
    return Finding(psi > threshold, round(psi, 4), round(threshold, 4), text, psi)


def holds(day: Day, past: Past, rules: Rules) -> Finding | str:
    """The blended markdown sits on one value for days while the mix of goods varies, and it did not do so before."""
    held = [*past.seen, day][-rules.holds :]
    now, before = [other.two_digits for other in held], [other.two_digits for other in past.shape]
    if None in now or len(held) < rules.holds:
        return "no list value" if None in now else f"needs {rules.holds} days"
    goods = {tuple((good, Fraction(n, other.orders)) for good, n in sorted(other.goods.items())) for other in held}
    alert = len(set(now)) == 1 and len(goods) > 1 and len(set(before)) > 1
    text = f"blended markdown {now[-1]}% for {rules.holds} days though the mix of goods varies; the {len(before)} days"
    text += f" before have {len(set(before))} different rates; ask which rate took the place of the others"
    return Finding(alert, now[-1], before, text)


def gmv(day: Day, past: Past, rules: Rules) -> Finding | str:
    """GMV is below the lowest or above the highest of the earlier days. This one has weather."""
    before = [other.gmv for other in past.revenue]
    low, high = min(before), max(before)
    off = max(low - day.gmv, day.gmv - high, 0)
    now, lowest, highest = (daybook.money(amount, rules.unit) for amount in (day.gmv, low, high))
    text = f"GMV {now} outside {lowest} to {highest}, the band of the {len(before)} days before; it may be weather, so"
    value, band = daybook.as_json(day.gmv), [daybook.as_json(low), daybook.as_json(high)]
    return Finding(off > 0, value, band, f"{text} look at the shape of the day", float(off), (band[0], band[1]))


def volume(day: Day, past: Past, rules: Rules) -> Finding | str:
    """The day has fewer or more rows than the contract promises."""
    low, high = rules.min_rows or 0, math.inf if rules.max_rows is None else rules.max_rows
    promise = f"{low:,} or more" if high == math.inf else f"{low:,} to {high:,}"
    text = f"{day.orders:,} rows, promised {promise}; ask the producer whether rows were lost or came twice"
    return Finding(not low <= day.orders <= high, day.orders, [rules.min_rows, rules.max_rows], text)


def freshness(day: Day, past: Past, rules: Rules) -> Finding | str:
    """The newest row was loaded longer before the end of its day, or longer after it, than the contract promises."""
    if day.day is None or day.loaded_at is None or rules.max_lag is None:
        return "no time of loading: name its column with --loaded-at"
    loaded = day.loaded_at.replace(tzinfo=day.loaded_at.tzinfo or UTC)
    lag = loaded - datetime.combine(day.day, time(), UTC) - timedelta(days=1)
    text = f"newest row loaded {abs(lag)} {'before' if lag < timedelta() else 'after'} the day's end in UTC, promised"
    text += f" {rules.max_lag}; ask the producer where the other rows are, or what came late"
    return Finding(
        abs(lag) > rules.max_lag, daybook.as_json(loaded), str(rules.max_lag), text, abs(lag).total_seconds()
    )


def judge(days: Iterable[Day], rules: Rules = Rules(), *, plain: bool = False) -> list[Verdict]:
    """What every monitor says of every day, and of every part by itself where the table is split.

    In a daily table a day that is missing between two others is a day of no orders: of it only volume can speak.
    plain: let alerted days into later baselines, as a plain trailing median does. Only to see why not to.
    """
    days = in_order(days)
    dates, verdicts = daybook.every_day(sorted({day.day for day in days if day.day}))
    verdicts += [daybook.unread(day) for day in days if day.left_out or day.day is None]
    for part in dict.fromkeys(day.part for day in days if day.day):
        mine, past = {day.day: day for day in days if day.part == part and day.day}, Past()
        monitors = carried(mine.values(), rules)
        for day in (mine.get(when) or Day(when, 0, part=part) for when in dates):
            said = [verdict(monitor, day, past, rules) for monitor in monitors]
            verdicts += said
            alerted = set() if plain else {one.monitor for one in said if one.status == "alert"}
            if day.orders > day.left_out:
                past.seen = [*past.seen, day][-rules.holds :]
                if alerted <= {"gmv"}:  # odd weather, but its usual shape
                    past.shape = [*past.shape, day][-rules.window :]
                if not alerted:
                    past.revenue.append(day)
    return sorted(verdicts, key=lambda one: one.day or date.min)


def carried(days: Collection[Day], rules: Rules) -> list[Monitor]:
    """The monitors that these metrics can feed, or that the contract asks for."""
    lists = any(day.list_value for day in days)
    carries: dict[Monitor, bool] = {
        multipliers: any(day.multipliers for day in days),
        branches: any(day.values for day in days),
        blended: lists,
        mix: any(day.mix for day in days),
        holds: lists and any(day.goods for day in days),
        gmv: True,
        volume: rules.min_rows is not None or rules.max_rows is not None,
        freshness: rules.max_lag is not None,
    }
    return [monitor for monitor, carry in carries.items() if carry]


def verdict(monitor: Monitor, day: Day, past: Past, rules: Rules) -> Verdict:
    """What the monitor says of the day, if it can say anything."""
    name = monitor.__name__
    need = {"gmv": rules.reference, "volume": 0, "freshness": 0}.get(name, rules.window)
    if not day.orders and name != "volume":
        found: Finding | str = "no orders"
    elif len(past.revenue if name == "gmv" else past.shape) < need:
        found = f"needs {need} earlier days without an alert"
    else:
        found = monitor(day, past, rules)
    if isinstance(found, str):
        return Verdict(day.day, day.part, name, "not judged", message=found)
    status = "alert" if found.alert else "quiet"
    message = f"{day.day}{daybook.whose(day.part)}: {found.message}" if found.alert else ""
    return Verdict(day.day, day.part, name, status, found.value, found.baseline, message, found.off, found.limits)


def onsets(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """The alerts with which an alarm begins: the monitor did not alert on that part the time before."""
    pairs = [pair for said in by_monitor(verdicts).values() for pair in zip([None, *said], said, strict=False)]
    return [one for last, one in pairs if one.status == "alert" and (last is None or last.status != "alert")]


def backtest(days: Iterable[Day], rules: Rules = Rules()) -> list[dict[str, Any]]:
    """How often each monitor would have cried wolf, had nothing been wrong on these days.

    `most_off` is the furthest that it was off its baseline: a threshold above that would have been silent.
    """
    return [
        {
            "monitor": monitor,
            "part": part,
            "judged": sum(one.status != "not judged" for one in said),
            "alerts": sum(one.status == "alert" for one in said),
            "most_off": max((one.off for one in said if one.off is not None), default=None),
        }
        for (monitor, part), said in by_monitor(judge(days, rules)).items()
    ]


# --- the command line ---------------------------------------------------------------------------------------------


def run(given: Any) -> int:
    """Judge the table that the arguments name, print it, and return the exit status."""
    import seed

    rules = Rules(**given.rules)
    promised = contracts.load(given.contract) if given.contract else None
    rules = rules.promised(promised) if promised else rules
    days = brought = daily_metrics(given.data or seed.orders(), Spec(**given.spec))
    if given.store:
        table = {name: column for name, column in given.spec.items() if name != "known"}  # which a price rule changes
        days = add_to_store(given.store, days, table | ({"dataset": promised.dataset} if promised else {}))
    first, last = given.since or date.min, given.until or date.max
    days = [day for day in days if day.day is None or first <= day.day <= last]
    if given.until and days and (days[-1].day or date.min) < given.until:
        days.append(Day(given.until, 0, part=days[-1].part))
    verdicts = judge(days, rules)
    if given.plot:
        os.environ.setdefault("MPLBACKEND", "Agg")  # a file needs no screen
        source = given.data or "orders of the shop, August 2026"
        save(plot(days, verdicts, unit=rules.unit, source=source), given.plot)
    dates = {day.day for day in days if day.day}
    if given.store:
        days, verdicts = news(days, verdicts, {day.day for day in brought})
    colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    document = json_text(daybook.as_document(days, verdicts), indent=1) if given.format == "json" else ""
    print(document or calendar(days, verdicts, rules.unit, colour), flush=True)
    statuses = {one.status for one in verdicts}
    if statuses <= {"not judged"}:
        why = f"shape needs {rules.window} earlier days, and the history has {len(dates)}"
        if not any(day.day for day in brought):
            column = printable(repr(given.spec["day"]))
            why = f"no day can be read in the column {column}; name that of the day with --day COLUMN"
        elif not days:
            why = "no day of DATA lies between --since and --until"
        print(f"monitors.py: nothing was judged: {why if brought else 'there are no rows'}", file=sys.stderr)
        return 2
    return 1 if "alert" in statuses else 0


def news(
    days: Sequence[Day], verdicts: Sequence[Verdict], brought: Collection[date | None]
) -> tuple[list[Day], list[Verdict]]:
    """Those of the days that were brought, and of the empty ones since the last that was stored: the others are old."""
    stored = max((day.day for day in days if day.day and day.orders and day.day not in brought), default=date.min)

    def is_new(one: Day | Verdict) -> bool:
        is_gap = isinstance(one, Verdict) and one.monitor == "rows" and one.value is None and one.day == stored
        return one.day in brought or is_gap or (one.day is not None and one.day > stored)

    return [day for day in days if is_new(day)], [one for one in verdicts if is_new(one)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, and where that is not possible say why in one sentence."""
    given = daybook.read_arguments(arguments, vars(Spec()), vars(Rules()))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        return run(given)
    except (contracts.DataError, contracts.ContractError, ModuleNotFoundError, OSError, ValueError) as error:
        if isinstance(error, OSError) and of_output(error):
            raise
        said = cannot(error) if isinstance(error, OSError | ModuleNotFoundError) else str(error)
        said = said if isinstance(error, contracts.ContractError) else brief(said)  # its lines are its faults
        print(f"monitors.py: {said}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(command(main, "monitors.py"))
