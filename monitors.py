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

import argparse
import io
import itertools
import json
import math
import os
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from contracts.errors import ContractError, DataError, printable
from sources import Source, open_source

Number = int | Decimal
ELSE, MISSING = "ELSE", "(missing)"


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
    loaded_at: str | None = None  # when the row was loaded, for freshness
    split_by: str | None = None  # judge each value of this column by itself


@dataclass(frozen=True)
class Day:
    """The metrics of one day (or week, or month) of a table, or of one part of it where it is split."""

    day: date | None  # None counts the rows that have no day
    orders: int
    gmv: Number = 0
    list_value: Number = 0
    multipliers: int | None = None  # distinct amount / list amount, to a tenth of a percent as cents are rounded
    mix: Mapping[str, int] = field(default_factory=dict)  # rows per branch, ELSE among them
    values: frozenset[str] = frozenset()  # the branch values themselves, as the data has them
    goods: Mapping[str, int] = field(default_factory=dict)
    median_price: Number | None = None
    loaded_at: datetime | None = None  # of the newest row
    left_out: int = 0  # rows without amount or list amount: they count as orders and in the mixes, nowhere else
    part: str | None = None

    @property
    def markdown(self) -> Fraction | None:
        """The blended markdown in percent, 1 - charged / list: exact. None where nothing has a list amount."""
        return 100 * (1 - Fraction(self.gmv) / Fraction(self.list_value)) if self.list_value > 0 else None


def daily_metrics(orders: object, spec: Spec = Spec()) -> list[Day]:
    """A Day per day that has rows, in order, by one aggregate query. `orders` is any kind of table, or its path."""
    columns = {name: column for name, column in vars(spec).items() if name != "known" and column is not None}
    source = open_source(orders, set(columns.values()))
    for name, column in columns.items():
        if column not in source.columns:
            there = ", ".join(map(repr, source.columns)) or "none"
            raise DataError(f"{source.origin}: no column {column!r} for {name}; name one of its columns: {there}")
    source = on_duckdb(source, columns.values())
    rows = cells(source, columns)
    metrics = {"orders": rows.count(), "left_out": rows.count() - rows.amount.count(), "gmv": rows.amount.sum()}
    if spec.list_amount:
        multiplier = (rows.amount.cast("float64") / rows.list_amount.cast("float64").nullif(0)).round(3)
        metrics["list_value"], metrics["median_price"] = rows.list_amount.sum(), rows.list_amount.median()
        metrics["multipliers"] = multiplier.nunique()
    metrics |= {name: histogram(rows[name]) for name in ("branch", "goods") if name in columns}
    metrics |= {"loaded_at": rows.loaded_at.max()} if spec.loaded_at else {}
    query = rows.group_by(["day", "part"] if spec.split_by else ["day"]).agg(**metrics)
    return in_order(as_day(row, spec) for row in source.run(query))


def on_duckdb(source: Source, columns: Iterable[str]) -> Source:
    """The table as it is, or its columns fetched where they are in a back end that is not DuckDB."""
    if source.relation is not None or source.table.get_backend().name == "duckdb":
        return source
    return open_source(source.table.select(*set(columns)).to_pyarrow())


def cells(source: Source, columns: Mapping[str, str]) -> Any:
    """The columns under the names of the Spec, with values of the type that each needs."""
    import ibis

    @ibis.udf.scalar.builtin(name="timezone", signature=(("string", "timestamp('UTC')"), "timestamp"))
    def timezone(zone, moment): ...  # type: ignore[no-untyped-def]

    def typed(name: str) -> Any:
        column = columns[name]
        moment, number = source.value(column, "timestamp"), source.value(column, "number")
        if name == "day":
            moment = timezone("UTC", moment) if moment.type().timezone else moment
            return ibis.coalesce(source.value(column, "date"), moment.date())
        if name == "loaded_at":
            return moment.cast("timestamp('UTC')")
        if name in ("amount", "list_amount"):
            return number if number.type().is_integer() else number.try_cast("decimal(18, 4)")
        kinds = [source.value(column, kind) for kind in ("string", "integer", "boolean", "date")]
        return ibis.coalesce(*(value.cast("string") for value in (*kinds, number)))

    rows = source.table.select(**{name.replace("split_by", "part"): typed(name) for name in columns})
    if "list_amount" in columns:  # an amount counts only beside its list amount, and the other way round
        both = {"amount": rows.list_amount, "list_amount": rows.amount}
        rows = rows.mutate(**{name: other.notnull().ifelse(rows[name], None) for name, other in both.items()})
    return rows


def histogram(values: Any) -> Any:
    """How many rows hold each value, by DuckDB's aggregate of that name."""
    import ibis

    @ibis.udf.agg.builtin(name="histogram", signature=(("string",), "map<string, int64>"))
    def counts(value): ...  # type: ignore[no-untyped-def]

    return counts(values.fill_null(MISSING))


def as_day(row: Mapping[str, Any], spec: Spec) -> Day:
    """A row of the query as a Day."""
    plain = {name: row[name] for name in ("day", "orders", "left_out", "loaded_at") if name in row}
    plain["multipliers"] = row.get("multipliers") or None
    sums: dict[str, Any] = {
        name: exact(row[name]) for name in ("gmv", "list_value", "median_price") if row.get(name) is not None
    }
    found, goods = (dict(sorted(row.get(name) or ())) for name in ("branch", "goods"))
    mix = {name: found.get(name, 0) for name in spec.known} if found else {}
    rest = {name: n for name, n in found.items() if name not in mix}
    mix |= {ELSE: sum(rest.values())} if mix else rest
    part = (row["part"] if row["part"] is not None else MISSING) if spec.split_by else None
    return Day(**plain, **sums, mix=mix, values=frozenset(found), goods=goods, part=part)


def exact(value: float | Decimal) -> Number:
    """A whole number as int, any other as Decimal."""
    decimal = value if isinstance(value, Decimal) else Decimal(str(value))
    return int(decimal) if decimal == decimal.to_integral_value() else decimal.normalize()


def in_order(days: Iterable[Day]) -> list[Day]:
    """By day and part. Of two Days for the same day and part the later one stands: a run may be repeated."""
    latest = {(day.day, day.part): day for day in days}
    return sorted(latest.values(), key=lambda day: (day.day or date.min, day.part or ""))


# --- the stored table: nobody computes yesterday's metrics again --------------------------------------------------


def read_store(path: str | os.PathLike[str]) -> list[Day]:
    """The Days of a stored table, one JSON object a line; none where the file is not there yet."""
    lines = Path(path).read_text(encoding="utf-8").splitlines() if Path(path).exists() else []
    days = []
    for n, line in enumerate(lines, 1):
        try:
            days.append(from_row(json.loads(line, parse_float=Decimal)))
        except (ValueError, TypeError, AttributeError, ArithmeticError) as error:
            what = f"{path}, line {n}: is no stored day ({error}); take the line out and run that day again"
            raise DataError(what, str(path), n) from error
    return in_order(days)


def add_to_store(path: str | os.PathLike[str], new: Sequence[Day]) -> list[Day]:
    """Add whole days, each in place of an earlier run for that day, and return all. One writer at a time.

    The new file takes the place of the old one in one step: kill this when you like, one of the two is there, whole.
    """
    again = {None, *(day.day for day in new)}  # rows without a day belong to the run that met them
    days = in_order([*(day for day in read_store(path) if day.day not in again), *new])
    target = Path(path).resolve()
    with tempfile.TemporaryDirectory(prefix=".storing-", dir=target.parent) as folder:
        with Path(folder, target.name).open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(json.dumps(as_row(day)) + "\n" for day in days)
            file.flush()
            os.fsync(file.fileno())
        Path(folder, target.name).replace(target)
    return days


def as_row(day: Day) -> dict[str, Any]:
    """A Day as JSON has it. The markdown and the shares are for readers; counts and sums are what is read back."""
    row = {name: as_json(value) for name, value in vars(day).items() if name != "part" or value is not None}
    shares = {branch: round(n / day.orders, 6) for branch, n in day.mix.items() if day.orders}
    return row | {"markdown_pct": None if day.markdown is None else round(float(day.markdown), 6), "shares": shares}


def from_row(row: Mapping[str, Any]) -> Day:
    """The Day of such a row."""
    readers: dict[str, Callable[[Any], Any]] = {
        "day": date.fromisoformat,
        "loaded_at": datetime.fromisoformat,
        "values": frozenset,
    }
    readers |= dict.fromkeys(("gmv", "list_value", "median_price"), exact)
    given = {name: value for name, value in row.items() if name not in ("markdown_pct", "shares")}
    return Day(**{name: readers[name](v) if name in readers and v is not None else v for name, v in given.items()})


def as_json(value: Any) -> Any:
    match value:
        case Decimal() | Fraction():
            return float(value)
        case frozenset():
            return sorted(value)
        case datetime() if value.tzinfo:
            return value.astimezone(UTC).isoformat()
        case date():
            return value.isoformat()
    return value


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
    unit: str = "EUR_cents"  # of the amounts, for messages and figures

    def promised(self, contract: Any) -> "Rules":
        """These rules with the volume and the freshness that a contract promises: a Contract, or a mapping like it."""

        def get(of: Any, name: str) -> Any:
            return of.get(name) if isinstance(of, Mapping) else getattr(of, name, None)

        volume, freshness = get(contract, "volume"), get(contract, "freshness")
        least, most = get(volume, "min_rows"), get(volume, "max_rows")
        return replace(self, min_rows=least, max_rows=most, max_lag=get(freshness, "max_lag"))


@dataclass(frozen=True)
class Verdict:
    """What one monitor says of one day: "quiet", "alert" or "not judged"."""

    day: date | None
    part: str | None
    monitor: str
    status: str
    value: Any = None
    baseline: Any = None
    message: str = ""  # of an alert; or why not judged
    off: float | None = None  # how far off the baseline, in the unit of the threshold


@dataclass
class Past:
    """The days before the one under test."""

    seen: list[Day] = field(default_factory=list)  # all that have orders
    shape: list[Day] = field(default_factory=list)  # fit for a baseline of shape
    revenue: list[Day] = field(default_factory=list)  # fit for the band


# A monitor is a function of the day, the past and the rules. It finds (alert?, value, baseline, message, how far off),
# or says why it cannot judge.
Finding = tuple[bool, Any, Any, str, float | None] | str
Monitor = Callable[[Day, Past, Rules], Finding]


def multipliers(day: Day, past: Past, rules: Rules) -> Finding:
    """Fewer distinct multipliers than on any day of the baseline."""
    before = [n for other in past.shape[-rules.window :] if (n := other.multipliers) is not None]
    if (found := day.multipliers) is None or not before:
        return "no multipliers"
    text = f"distinct multipliers: {found}, at least {min(before)} on each of the {len(before)} days before"
    return found < min(before), found, min(before), f"{text}; ask who changed the price rule or a value it reads", None


def branches(day: Day, past: Past, rules: Rules) -> Finding:
    """A value that is new to the baseline and to the CASE, or the end of one that came every day. Sets, not counts."""
    before = past.shape[-rules.window :]
    usual = sorted(frozenset().union(*(other.values for other in before)))
    new = day.values.difference(usual, *(other.mix for other in before))
    gone = frozenset.intersection(*(other.values for other in before)) - day.values
    changes = " and ".join(f"{what} {listed(them)}" for what, them in (("new", new), ("gone", gone)) if them)
    text = f"{changes}; the {len(before)} days before have {listed(usual)}; ask the producer what the values mean now"
    return bool(changes), sorted(day.values), usual, text, None


def blended(day: Day, past: Past, rules: Rules) -> Finding:
    """The blended markdown is further off the median of the baseline than the threshold."""
    before = [rate for other in past.shape[-rules.window :] if (rate := other.markdown) is not None]
    if (rate := day.markdown) is None or not before:
        return "no list value"
    median = statistics.median(before)
    text = f"blended markdown {float(rate):.2f}%, more than {rules.points:g} point off the {float(median):.2f}% that is"
    text += f" the median of the {len(before)} days before; ask who changed the price rule or a value it reads"
    alert = abs(rate - median) > Fraction(str(rules.points))
    return alert, round(float(rate), 4), round(float(median), 4), text, float(abs(rate - median))


def mix(day: Day, past: Past, rules: Rules) -> Finding:
    """The branch mix moved: its population stability index is over the threshold, and over what chance gives.

    Without a change PSI is about (1/n + 1/m) times a chi-square of one degree less than there are branches (Yurdakul
    and Naranjo 2020): over 0.1 by chance alone where a day has few orders. So it has to pass that 99.9% point as well.
    A branch without rows counts as half a row, since the logarithm of none is infinite.
    """
    before = sum((Counter(other.mix) for other in past.shape[-rules.window :]), Counter[str]())
    n, m = sum(day.mix.values()), before.total()
    if not n or not m:
        return "no branches"
    shares = {name: (day.mix.get(name, 0) / n, before[name] / m) for name in sorted({*before, *day.mix})}
    filled = [(max(now, 0.5 / n), max(then, 0.5 / m)) for now, then in shares.values() if now or then]
    psi = sum((now - then) * math.log(now / then) for now, then in filled)
    free = max(len(filled) - 1, 1)
    chance = (1 / n + 1 / m) * free * (1 - 2 / (9 * free) + 3.09 * math.sqrt(2 / (9 * free))) ** 3  # Wilson-Hilferty
    most, (now, then) = max(shares.items(), key=lambda share: abs(share[1][0] - share[1][1]))
    text = f"branch {most!r} has {now:.0%} of the rows, {then:.0%} in the days before (PSI {psi:.3f}, threshold"
    text += f" {max(rules.psi, chance):.3f}); ask the producer what the values mean now"
    return psi > max(rules.psi, chance), round(psi, 4), round(max(rules.psi, chance), 4), text, psi


def holds(day: Day, past: Past, rules: Rules) -> Finding:
    """The blended markdown sits on one value for days while the mix of goods varies, and it did not do so before."""
    held = [*past.seen, day][-rules.holds :]
    now, before = ([two_digits(other) for other in days] for days in (held, past.shape[-rules.window :]))
    if None in now or len(held) < rules.holds:
        return "no list value" if None in now else f"needs {rules.holds} days"
    goods = {tuple((good, Fraction(n, other.orders)) for good, n in sorted(other.goods.items())) for other in held}
    alert = len(set(now)) == 1 and len(goods) > 1 and len(set(before)) > 1
    text = f"blended markdown {now[-1]}% for {rules.holds} days though the mix of goods varies; the {len(before)} days"
    text += f" before have {len(set(before))} different rates; ask which rate took the place of the others"
    return alert, now[-1], before, text, None


def gmv(day: Day, past: Past, rules: Rules) -> Finding:
    """GMV is below the lowest or above the highest of the earlier days. This one has weather."""
    before = [other.gmv for other in past.revenue]
    low, high = min(before), max(before)
    off = max(low - day.gmv, day.gmv - high, 0)
    text = f"GMV {money(day.gmv, rules)} outside {money(low, rules)} to {money(high, rules)}, the band of the"
    text += f" {len(before)} days before; it may be weather, so look at the shape of the day"
    return off > 0, as_json(day.gmv), [as_json(low), as_json(high)], text, float(off)


def volume(day: Day, past: Past, rules: Rules) -> Finding:
    """The day has fewer or more rows than the contract promises."""
    low, high = rules.min_rows or 0, math.inf if rules.max_rows is None else rules.max_rows
    text = f"{day.orders:,} rows, promised {low:,} {'or more' if high == math.inf else f'to {high:,}'}"
    text += "; ask the producer whether rows were lost or came twice"
    return not low <= day.orders <= high, day.orders, [rules.min_rows, rules.max_rows], text, None


def freshness(day: Day, past: Past, rules: Rules) -> Finding:
    """The newest row was loaded longer before the end of its day, or longer after it, than the contract promises."""
    if day.day is None or day.loaded_at is None or rules.max_lag is None:
        return "no time of loading: name its column"
    loaded = day.loaded_at if day.loaded_at.tzinfo else day.loaded_at.replace(tzinfo=UTC)
    lag = loaded - datetime.combine(day.day + timedelta(days=1), time(), UTC)
    text = f"newest row loaded {abs(lag)} {'before' if lag < timedelta() else 'after'} the day's end in UTC, promised"
    text += f" {rules.max_lag}; ask the producer where the other rows are, or what came late"
    return abs(lag) > rules.max_lag, as_json(loaded), str(rules.max_lag), text, abs(lag).total_seconds()


def judge(days: Iterable[Day], rules: Rules = Rules(), *, plain: bool = False) -> list[Verdict]:
    """What every monitor says of every day, and of every part by itself where the table is split.

    In a daily table a day that is missing between two others is a day of no orders: of it only volume can speak.
    plain: let alerted days into later baselines, as a plain trailing median does. Only to see why not to.
    """
    days = in_order(days)
    verdicts = [unread(day) for day in days if day.left_out or day.day is None]
    dates = sorted({day.day for day in days if day.day})
    if any(later - earlier == timedelta(days=1) for earlier, later in itertools.pairwise(dates)):
        dates = [dates[0] + timedelta(days=n) for n in range((dates[-1] - dates[0]).days + 1)]
    for part in dict.fromkeys(day.part for day in days if day.day):
        mine, past = {day.day: day for day in days if day.part == part and day.day}, Past()
        monitors = carried(list(mine.values()), rules)
        for day in (mine.get(when) or Day(when, 0, part=part) for when in dates):
            said = [verdict(monitor, day, past, rules) for monitor in monitors]
            verdicts += said
            alerted = set() if plain else {one.monitor for one in said if one.status == "alert"}
            if day.orders > day.left_out:
                past.seen.append(day)
                past.shape += [day] if alerted <= {"gmv"} else []  # odd weather, but its usual shape
                past.revenue += [day] if not alerted else []
    return sorted(verdicts, key=lambda one: one.day or date.min)


def carried(days: Sequence[Day], rules: Rules) -> list[Monitor]:
    """The monitors that these metrics can feed, or that the contract asks for."""
    lists = any(day.list_value for day in days)
    carries: dict[Monitor, bool] = {
        multipliers: any(day.multipliers is not None for day in days),
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
        found: Finding = "no orders"
    elif len(past.revenue if name == "gmv" else past.shape) < need:
        found = f"needs {need} earlier days without an alert"
    else:
        found = monitor(day, past, rules)
    if isinstance(found, str):
        return Verdict(day.day, day.part, name, "not judged", message=found)
    alert, value, baseline, text, off = found
    text = f"{day.day}{whose(day.part)}: {text}" if alert else ""
    return Verdict(day.day, day.part, name, "alert" if alert else "quiet", value, baseline, text, off)


def unread(day: Day) -> Verdict:
    """Rows that no monitor could read are not passed over in silence."""
    n, what = (day.left_out, "no amount or no list amount") if day.day else (day.orders, "no day")
    return Verdict(day.day, day.part, "rows", "not judged", n, message=f"{n:,} of {day.orders:,} rows have {what}")


def by_monitor(verdicts: Iterable[Verdict]) -> dict[tuple[str, str | None], list[Verdict]]:
    """The verdicts of each monitor on each part, day by day."""
    found: dict[tuple[str, str | None], list[Verdict]] = {}
    for one in verdicts:
        found.setdefault((one.monitor, one.part), []).append(one)
    return {key: said for key, said in found.items() if key[0] != "rows"}


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


def compare(before: Sequence[Day], after: Sequence[Day]) -> dict[str, Any]:
    """GMV of two stretches of days: the band of the first, the fall of the median, and z.

    z is the second median less the first mean, by the SAMPLE standard deviation of the first.
    """
    was, now = [float(day.gmv) for day in before], [float(day.gmv) for day in after]
    median, spread = statistics.median(was), statistics.stdev(was)
    return {
        "band": (min(was), max(was)),
        "median_fall_pct": 100 * (1 - statistics.median(now) / median) if median else math.nan,
        "z": (statistics.median(now) - statistics.fmean(was)) / spread if spread else math.nan,
        "days_inside_band": sum(min(was) <= gmv <= max(was) for gmv in now),
    }


def revenue(days: Iterable[Day], verdicts: Iterable[Verdict], rules: Rules, part: str | None = None) -> str:
    """What GMV alone would have said of the days whose shape broke, in a sentence; "" where there are none."""
    broken = {one.day for one in verdicts if one.part == part and one.status == "alert" and one.monitor != "gmv"}
    mine = [day for day in days if day.part == part and day.day and day.orders]
    before, after = ([day for day in mine if (day.day in broken) is is_broken] for is_broken in (False, True))
    if len(before) < 2 or not after:
        return ""
    said = compare(before, after)
    low, high = (f"{edge / scale(rules):,.0f}" for edge in said["band"])
    text = f"GMV of the {len(after)} days with another alert{whose(part)}: {said['days_inside_band']} inside the band"
    text += f" of the {len(before)} others ({low} to {high}), median {said['median_fall_pct']:.1f}% below theirs"
    return f"{text}, z {said['z']:.2f}"


def two_digits(day: Day) -> str | None:
    return None if day.markdown is None else f"{float(round(day.markdown, 2)):.2f}"


def listed(values: Iterable[str]) -> str:
    names = sorted(values)
    return ", ".join(map(repr, names[:5])) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def money(amount: Number, rules: Rules) -> str:
    """An amount as people read it: "EUR_cents" are hundredths of a EUR."""
    return f"{rules.unit.removesuffix('_cents')} {float(amount) / scale(rules):,.2f}"


def scale(rules: Rules) -> int:
    return 100 if rules.unit.endswith("_cents") else 1


def whose(part: str | None) -> str:
    return "" if part is None else f", {printable(part)}"


# --- to look at ---------------------------------------------------------------------------------------------------


def calendar(days: Sequence[Day], verdicts: Sequence[Verdict], rules: Rules = Rules(), colour: bool = False) -> str:
    """A line a day, a column a monitor; below, the first alert of each monitor, and what was not judged."""
    signs = {"alert": "ALERT", "quiet": ".", "not judged": "?"}
    found, lines = by_monitor(verdicts), []
    for part in dict.fromkeys(part for _, part in found):
        columns = {monitor: said for (monitor, of), said in found.items() if of == part}
        lines.append(f"{'day' + whose(part):<14}{'orders':>10}{'GMV':>20}{'markdown':>10}  {'  '.join(columns)}")
        metrics = {day.day: day for day in days if day.part == part}
        for row in zip(*columns.values(), strict=True):
            day = metrics.get(row[0].day) or Day(row[0].day, 0)
            rate = f"{two_digits(day)}%" if day.markdown is not None else "-"
            line = "  ".join(f"{signs[one.status]:<{len(one.monitor)}}" for one in row).rstrip()
            line = line.replace("ALERT", "\033[1;31mALERT\033[0m") if colour else line
            lines.append(f"{day.day:%Y-%m-%d %a}{day.orders:>10,}{money(day.gmv, rules):>20}{rate:>10}  {line}")
        lines.append("")
    for (monitor, part), said in found.items():
        judged, alerts = (sum(one.status in of for one in said) for of in (("quiet", "alert"), ("alert",)))
        first = next((f"; the first on {one.message}" for one in said if one.message and one.status == "alert"), "")
        lines.append(f"{monitor}{whose(part)}: {alerts} alerts on {judged} days judged{first}")
    lines += filter(None, (revenue(days, verdicts, rules, part) for part in dict.fromkeys(part for _, part in found)))
    missed: dict[str, list[Verdict]] = {}
    for one in verdicts:
        if one.status == "not judged":
            missed.setdefault(one.message, []).append(one)
    for why, them in missed.items():
        names = ", ".join(dict.fromkeys(one.monitor + whose(one.part) for one in them))
        n = len({one.day for one in them})
        lines.append(f"not judged: {names}: {why} (days: {n}{f', from {them[0].day} to {them[-1].day}' * (n > 1)})")
    return "\n".join(lines)


Found = Mapping[tuple[str, str | None], Sequence[Verdict]]
HATCHES = (("#0072B2", ""), ("#E69F00", "//"), ("#F0E442", ".."), ("#56B4E9", "||"), ("#CC79A7", "--"))
MARKS: dict[str, dict[str, Any]] = {  # told apart by form, not by colour alone
    "alert": {"marker": "X", "s": 70, "color": "#D55E00"},
    "quiet": {"marker": "o", "s": 26, "color": "#0072B2"},
    "not judged": {"marker": "o", "s": 26, "facecolor": "white", "edgecolor": "#555555"},
}


def plot(days: Iterable[Day], *panels: str, rules: Rules = Rules(), source: str = "") -> Any:
    """A matplotlib figure of the panels "gmv", "markdown", "mix" (all three without one). Its label is its alt text."""
    import matplotlib.pyplot as plt

    days = in_order(days)
    found = by_monitor(judge(days, rules))
    days = [day for day in days if day.day and day.orders]
    if not days:
        raise ValueError("there is no day with orders to draw; give the metrics of at least one")
    parts, panels = list(dict.fromkeys(day.part for day in days)), panels or tuple(PANELS)
    figure = plt.figure(figsize=(9 * len(parts), 3.6 * len(panels)), layout="constrained")
    axes = figure.subplots(len(panels), len(parts), squeeze=False, sharex="col")
    texts = []
    for (panel, part), ax in zip(itertools.product(panels, parts), axes.flat, strict=True):
        mine = [day for day in days if day.part == part]
        title, text = PANELS[panel](ax, mine, found, rules)
        ax.set_title(title + whose(part), loc="left")
        ax.tick_params(axis="x", rotation=30)
        plt.setp(ax.get_xticklabels(), ha="right")
        ax.spines[["top", "right"]].set_visible(False)
        if ax.get_legend_handles_labels()[0]:
            ax.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
        texts.append(f"{title}{whose(part)}, {mine[0].day} to {mine[-1].day}: {text}.")
    figure.supxlabel(f"Source: {source}" if source else "", fontsize="small", x=0.01, ha="left")
    figure.set_label(" ".join(texts))
    return figure


def marked(ax: Any, days: Sequence[Day], heights: Sequence[float], said: Sequence[Verdict]) -> tuple[Any, str]:
    """A line through the days, each with the mark of its verdict; returns the baselines, and how many alerted."""
    statuses = [{one.day: one.status for one in said}.get(day.day, "not judged") for day in days]
    ax.plot([day.day for day in days], heights, color="#555555", linewidth=1, zorder=2)
    for status, style in MARKS.items():
        at = [i for i, found in enumerate(statuses) if found == status]
        ax.scatter([days[i].day for i in at], [heights[i] for i in at], label=status, zorder=3, **style)
    judged = [one for one in said if one.status != "not judged"]
    return {one.day: one.baseline for one in judged}, f"{statuses.count('alert')} of {len(judged)} judged days alert"


def draw_gmv(ax: Any, days: Sequence[Day], found: Found, rules: Rules) -> tuple[str, str]:
    heights = [float(day.gmv) / scale(rules) for day in days]
    bands, alerts = marked(ax, days, heights, found["gmv", days[0].part])
    low, high = ([band[i] / scale(rules) for band in bands.values()] for i in (0, 1))
    at = [days[0].day, *bands] if bands else []  # drawn from the first day on: it is what the band is made of
    ax.fill_between(at, low[:1] + low, high[:1] + high, color="#56B4E9", alpha=0.3, label="band of those before")
    ax.yaxis.set_major_formatter("{x:,.0f}")
    ax.set_ylabel(rules.unit.removesuffix("_cents"))
    band = f", the last band {low[-1]:,.0f} to {high[-1]:,.0f}" if bands else ""
    return "Daily GMV", f"{min(heights):,.0f} to {max(heights):,.0f}{band}; {alerts}"


def draw_markdown(ax: Any, days: Sequence[Day], found: Found, rules: Rules) -> tuple[str, str]:
    days = [day for day in days if day.markdown is not None]
    heights = [float(day.markdown or 0) for day in days]
    medians, alerts = marked(ax, days, heights, found.get(("blended", days[0].part), ()) if days else ())
    low, high = ([median + sign * rules.points for median in medians.values()] for sign in (-1, 1))
    ax.plot(list(medians), list(medians.values()), "k--", linewidth=1, label=f"median of the {rules.window} before")
    ax.fill_between(list(medians), low, high, color="#56B4E9", alpha=0.3, label=f"median ± {rules.points:g} point")
    ax.set_ylabel("% of list value")
    return "Blended markdown", f"{min(heights):.2f}% to {max(heights):.2f}%; {alerts}" if days else "no list values"


def draw_mix(ax: Any, days: Sequence[Day], found: Found, rules: Rules) -> tuple[str, str]:
    names = sorted({name for day in days for name in day.mix}, key=lambda name: (name == ELSE, name))
    shares = {name: [100 * day.mix.get(name, 0) / (sum(day.mix.values()) or 1) for day in days] for name in names}
    gaps = [(later.day - day.day).days for day, later in itertools.pairwise(days) if day.day and later.day]
    base, width = [0.0] * len(days), 0.9 * min(gaps, default=1)
    for name, (colour, hatch) in zip(names, itertools.cycle(HATCHES), strict=False):
        style = {"color": "#444444", "hatch": "xx"} if name == ELSE else {"color": colour, "hatch": hatch}
        ax.bar([day.day for day in days], shares[name], width, base, edgecolor="white", label=name, **style)
        base = [low + share for low, share in zip(base, shares[name], strict=True)]
    ax.set(ylabel="% of orders", ylim=(0, 100))
    first, last = (", ".join(f"{name} {shares[name][i]:.0f}%" for name in names) for i in (0, -1))
    return "Branch mix", f"{first} on the first day; {last} on the last" if names else "no branches"


PANELS = {"gmv": draw_gmv, "markdown": draw_markdown, "mix": draw_mix}


# --- the command line ---------------------------------------------------------------------------------------------


def as_document(days: Sequence[Day], verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """Metrics, alerts and what was not judged, as `--format json` prints them."""

    def entry(one: Verdict, **more: Any) -> dict[str, Any]:
        part = {} if one.part is None else {"part": one.part}
        return {"day": as_json(one.day), **part, "monitor": one.monitor, **more}

    alerts = [one for one in verdicts if one.status == "alert"]
    return {
        "metrics": [as_row(day) for day in days],
        "alerts": [entry(one, value=one.value, baseline=one.baseline, message=one.message) for one in alerts],
        "not_judged": [entry(one, why=one.message) for one in verdicts if one.status == "not judged"],
    }


def read_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="monitors.py",
        description="Which days of a table look wrong? Exit status: 0 none, 1 some, 2 could not judge.",
    )
    add, day = parser.add_argument, date.fromisoformat
    add("data", nargs="?", help="CSV, Parquet or JSON file, or a glob (default: the shop's orders)")
    for name, column in asdict(Spec()).items():
        default = ",".join(column) if name == "known" else column or "none"
        what = "values that the price rule names, A,B,C" if name == "known" else "column, or none"
        add(f"--{name.replace('_', '-')}", default=default, help=f"{what} (default: {default})")
    add("--window", type=int, default=Rules().window, help="days of history for shape (default: %(default)s)")
    add("--points", type=float, default=Rules().points, help="threshold for the markdown (default: %(default)s)")
    add("--unit", default=Rules().unit, help="unit of the amounts (default: %(default)s)")
    add("--contract", help="contract whose volume and freshness each day must keep")
    add("--store", metavar="FILE", help="stored metrics of earlier days, to which the whole days of DATA are added")
    add("--since", type=day, metavar="DAY", help="start the history here, after a change that was right")
    add("--until", type=day, metavar="DAY", help="judge up to this day, though it may have no rows")
    add("--format", choices=("text", "json"), default="text")
    add("--plot", metavar="FILE", help="draw GMV, markdown and mix (.png, .svg, .pdf)")
    return parser.parse_args(arguments)


def run(given: argparse.Namespace) -> int:
    """Judge the table that the arguments name, print it, and return the exit status."""
    columns = {name: None if (column := getattr(given, name)) == "none" else column for name in vars(Spec())}
    spec = Spec(**columns | {"known": tuple(columns["known"].split(",")) if columns["known"] else ()})
    rules, data = Rules(given.window, given.points, unit=given.unit), given.data
    if given.contract:
        from contracts import load

        rules = rules.promised(load(given.contract))
    if data is None:
        from seed import orders

        data = orders()
    days = daily_metrics(data, spec)
    days = add_to_store(given.store, days) if given.store else days
    days = [day for day in days if not (given.since and day.day and day.day < given.since)]
    if given.until and days and (days[-1].day or date.min) < given.until:
        days.append(Day(given.until, 0, part=days[-1].part))
    verdicts = judge(days, rules)
    if given.plot:
        import matplotlib

        matplotlib.use("Agg")
        plot(days, rules=rules, source=given.data or "orders of the shop, August 2026").savefig(given.plot, dpi=120)
    if given.format == "json":
        print(json.dumps(as_document(days, verdicts), indent=1))
    else:
        colour = sys.stdout is not None and sys.stdout.isatty() and "NO_COLOR" not in os.environ
        print(calendar(days, verdicts, rules, colour))
    statuses = {one.status for one in verdicts}
    if statuses <= {"not judged"}:
        why = f"shape needs {rules.window} earlier days, and there are {len(days)} in all; give it a longer history"
        print(f'monitors.py: nothing was judged: {why}, or see under "not judged"', file=sys.stderr)
        return 2
    return 1 if "alert" in statuses else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, and where that is not possible say why in one sentence."""
    given = read_arguments(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        status = run(given)
        print(end="", flush=True)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # whoever read this has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (DataError, ContractError, OSError, ValueError) as error:
        print(f"monitors.py: {error}", file=sys.stderr)
        return 2
    return status


if __name__ == "__main__":
    sys.exit(main())
