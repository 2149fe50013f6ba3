"""The daybook: what is known of each day and what was said of it, kept in a file, shown as a calendar or as JSON.

`monitors` writes it and `plots` draws it. It computes nothing but the comparison of two stretches of days.
"""

import argparse
import itertools
import json
import math
import os
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from contracts.arguments import Parser
from contracts.ending import place
from contracts.errors import DataError, printable
from contracts.writing import whole_or_not_at_all

Number = int | Decimal
ELSE, MISSING = "ELSE", "(missing)"
MADE_OF = "made_of"  # the key of a store's first line
OPTIONAL = ("day", "multipliers", "median_price", "loaded_at", "part")  # what a Day may have none of
MOST_BYTES = 100_000_000  # of a store: some 200,000 days
NOTHING: Mapping[str, str | None] = {}


@dataclass(frozen=True)
class Day:
    """The metrics of one day (or week, or month) of a table, or of one part of it where it is split.

    Amounts are sums in the unit of the table's own, as EUR cents.
    """

    day: date | None  # None counts the rows that have no day
    orders: int  # rows
    gmv: Number = 0
    list_value: Number = 0
    multipliers: int | None = None  # distinct amount / list amount, to a tenth of a percent as cents are rounded
    mix: Mapping[str, int] = field(default_factory=dict)  # rows per branch, ELSE among them
    values: frozenset[str] = frozenset()  # the branch values themselves, as the data has them
    goods: Mapping[str, int] = field(default_factory=dict)  # rows per kind of goods
    median_price: Number | None = None  # of the list amounts
    loaded_at: datetime | None = None  # of the newest row
    left_out: int = 0  # rows without amount or list amount: they count as orders and in the mixes, nowhere else
    part: str | None = None

    @property
    def markdown(self) -> Fraction | None:
        """The blended markdown in percent, 1 - charged / list: exact. None where nothing has a list amount."""
        return 100 * (1 - Fraction(self.gmv) / Fraction(self.list_value)) if self.list_value > 0 else None

    @property
    def two_digits(self) -> str | None:
        """The markdown as people read it."""
        return None if self.markdown is None else f"{float(round(self.markdown, 2)):.2f}"


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
    limits: tuple[float, float] | None = None  # quiet from the one to the other


def in_order(days: Iterable[Day]) -> list[Day]:
    """By day and part. Of two Days for the same day and part the later one stands: a run may be repeated."""
    latest = {(day.day, day.part): day for day in days}
    return sorted(latest.values(), key=lambda day: (day.day or date.min, day.part or ""))


def by_monitor(verdicts: Iterable[Verdict]) -> dict[tuple[str, str | None], list[Verdict]]:
    """The verdicts of each monitor on each part, day by day."""
    found: dict[tuple[str, str | None], list[Verdict]] = {}
    for one in verdicts:
        found.setdefault((one.monitor, one.part), []).append(one)
    return {key: said for key, said in found.items() if key[0] != "rows"}


def exact(value: float | Decimal) -> Number:
    """A whole number as int, any other as Decimal."""
    decimal = value if isinstance(value, Decimal) else Decimal(str(value))
    return int(decimal) if decimal == decimal.to_integral_value() else decimal.normalize()


def every_day(dates: Sequence[date]) -> tuple[list[date], list[Verdict]]:
    """The dates, in a daily table with those between them; a gap of more than a year is told instead."""
    gaps = [(earlier, (later - earlier).days) for earlier, later in itertools.pairwise(dates)]
    if all(gap > 1 for _, gap in gaps):
        return list(dates), []
    filled = [earlier + timedelta(n) for earlier, gap in gaps for n in range(gap if gap <= 366 else 1)]
    told = [
        Verdict(
            day, None, "rows", "not judged", message=f"no rows on the {gap - 1:,} days after {day}: is a date wrong?"
        )
        for day, gap in gaps
        if gap > 366
    ]
    return [*filled, *dates[-1:]], told


def unread(day: Day) -> Verdict:
    """Rows that no monitor could read are not passed over in silence."""
    n, of, what = (day.left_out, f" of {day.orders:,}", "no amount or no list amount")
    if day.day is None:
        n, of, what = day.orders, "", "no day that can be read"
    return Verdict(day.day, day.part, "rows", "not judged", n, message=f"rows with {what}: {n:,}{of}")


# --- kept in a file: nobody computes yesterday's metrics again ----------------------------------------------------


def read_store(path: str | os.PathLike[str]) -> list[Day]:
    """The Days of a stored table, one JSON object a line; none where the file is not there yet."""
    return opened(path)[1]


def opened(path: str | os.PathLike[str]) -> tuple[Mapping[str, str | None], list[Day]]:
    """What a store is made of, as far as it says, and its Days."""
    days, made_of = [], NOTHING
    for n, line in enumerate(lines_of(Path(path)), 1):
        try:
            row = json.loads(line.decode("utf-8"), parse_float=Decimal)
            if n == 1 and row.keys() == {MADE_OF}:
                made_of = dict(row[MADE_OF])
            else:
                days.append(from_row(row))
        except (ValueError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
            why = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else error
            what = f"{path}, line {n}: is no stored day ({why}); take the line out and run that day again"
            raise DataError(what, str(path), n) from error
    return made_of, in_order(days)


def lines_of(path: Path) -> list[bytes]:
    """The lines of a store; none where it is not there yet."""
    if not path.exists():
        return []
    if not path.is_file():  # a device has no end, and a pipe may never begin
        raise DataError(f"{path}: is no regular file, and a store is one; name another path", str(path))
    with path.open("rb") as file:
        raw = file.read(MOST_BYTES + 1)
    if len(raw) > MOST_BYTES:
        what = f"has more than {MOST_BYTES:,} bytes, and a store has at most so many"
        raise DataError(f"{path}: {what}; begin a new one, or give each table a store of its own", str(path))
    return raw.splitlines()


def add_to_store(
    path: str | os.PathLike[str], new: Sequence[Day], made_of: Mapping[str, str | None] = NOTHING
) -> list[Day]:
    """Add whole days, each in place of an earlier run for that day, and return all. Writers take turns.

    made_of: of which table they are, say {"amount": "charged_cents"}; the store's first line keeps it, and DataError is
    raised where it holds another. The new file takes the place of the old one in one step: kill this when you like, one
    of the two is there, whole.
    """
    again = {None, *(day.day for day in new)}  # rows without a day belong to the run that met them
    with whole_or_not_at_all(Path(path)) as half:
        before, stored = opened(path)
        for name, was in before.items():
            if (now := made_of.get(name, was)) != was:
                raise DataError(
                    f"{path}: holds metrics of another table, with {name} {was or 'none'}, and here it is"
                    f" {now or 'none'}; give each table a store of its own",
                    str(path),
                )
        days = in_order([*(day for day in stored if day.day not in again), *new])
        header = [{MADE_OF: {**before, **made_of}}] if before or made_of else []
        with half.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(json.dumps(row) + "\n" for row in [*header, *map(as_row, days)])
    return days


def as_row(day: Day) -> dict[str, Any]:
    """A Day as JSON has it. The markdown and the shares are for readers; counts and sums are what is read back."""
    row = {name: as_json(value) for name, value in vars(day).items() if name != "part" or value is not None}
    shares = {branch: round(n / day.orders, 6) for branch, n in day.mix.items() if day.orders}
    return row | {"markdown_pct": None if day.markdown is None else round(float(day.markdown), 6), "shares": shares}


def from_row(row: Mapping[str, Any]) -> Day:
    """The Day of such a row. Raises ValueError or TypeError where no table has such a day."""
    given = {name: value for name, value in row.items() if name not in ("markdown_pct", "shares")}
    entries: dict[str, Any] = {
        name: None if v is None and name in OPTIONAL else read(name, v) for name, v in given.items()
    }
    return Day(**entries)


def read(name: str, value: Any) -> Any:
    """One entry of a stored day."""
    is_number = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
    match name:
        case "day":
            return date.fromisoformat(value)
        case "loaded_at":
            return datetime.fromisoformat(value)
        case "orders" | "multipliers" | "left_out" if type(value) is int and value >= 0:
            return value
        case "gmv" | "list_value" | "median_price" if is_number and is_sum(Decimal(str(value))):
            return exact(value)
        case "mix" | "goods" if isinstance(value, dict):
            return {part: read("orders", n) for part, n in value.items()}
        case "values" if isinstance(value, list) and all(isinstance(one, str) for one in value):
            return frozenset(value)
        case "part" if isinstance(value, str):
            return value
    found = "null" if value is None else printable(str(value))[:40]
    raise ValueError(f"its {printable(name)[:40]} cannot be {found}")


def is_sum(value: Decimal) -> bool:
    """Whether amounts add up to that number. They may be negative, but 1E+999999999 takes all of time and memory."""
    return value.is_finite() and value.adjusted() < 40 and int(value.as_tuple().exponent) > -400


def as_json(value: Any) -> Any:
    """A value as JSON has it: times in UTC."""
    match value:
        case Decimal():
            return float(value)
        case frozenset():
            return sorted(value)
        case datetime() if value.tzinfo:
            return value.astimezone(UTC).isoformat()
        case date():
            return value.isoformat()
    return value


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


# --- shown as a calendar ------------------------------------------------------------------------------------------


def calendar(days: Sequence[Day], verdicts: Sequence[Verdict], unit: str = "EUR_cents", colour: bool = False) -> str:
    """A line a day, a column a monitor; below, the first alert of each monitor, and what was not judged."""
    signs = {"alert": "ALERT", "quiet": ".", "not judged": "?"}
    found, lines = by_monitor(verdicts), []
    parts = list(dict.fromkeys(part for _, part in found))
    for part in parts:
        columns = {monitor: said for (monitor, of), said in found.items() if of == part}
        widths = [max(len(monitor), len("ALERT")) for monitor in columns]
        heads = "  ".join(f"{monitor:<{width}}" for monitor, width in zip(columns, widths, strict=True)).rstrip()
        lines.append(f"{'day' + whose(part):<14}{'orders':>10}{'GMV':>20}{'markdown':>10}  {heads}")
        metrics = {day.day: day for day in days if day.part == part}
        for row in zip(*columns.values(), strict=True):
            day = metrics.get(row[0].day) or Day(row[0].day, 0)
            rate = f"{day.two_digits}%" if day.two_digits else "-"
            marks = zip(row, widths, strict=True)
            line = "  ".join(f"{signs[one.status]:<{width}}" for one, width in marks).rstrip()
            line = line.replace("ALERT", "\033[1;31mALERT\033[0m") if colour else line
            lines.append(f"{day.day:%Y-%m-%d %a}{day.orders:>10,}{money(day.gmv, unit):>20}{rate:>10}  {line}")
        lines.append("")
    if found:
        lines.append(". quiet, ? not judged, ALERT: look at it")
    for (monitor, part), said in found.items():
        alerts = [one for one in said if one.status == "alert"]
        judged = sum(one.status != "not judged" for one in said)
        first = f"; the first on {alerts[0].message}" if alerts else ""
        counts = f"{counted(len(alerts), 'alert')} on {counted(judged, 'day')} judged"
        lines.append(f"{monitor}{whose(part)}: {counts}{first}")
    lines += filter(None, (revenue(days, verdicts, part, unit) for part in parts))
    if unit.endswith("_cents") and any(day.gmv % 1 for day in days):
        whole = unit.removesuffix("_cents")
        lines.append(f"GMV: the amounts are no whole cents, so is their unit {whole}? write --unit {whole}")
    if any(one.monitor == "blended" and one.status == "alert" for one in verdicts):
        says = "blended: backtest(days) in Python says how far your quiet days are off; --points sets the threshold"
        lines.append(says)
    missed: dict[str, list[Verdict]] = {}
    for one in verdicts:
        if one.status == "not judged":
            missed.setdefault(one.message, []).append(one)
    for why, them in missed.items():
        names = ", ".join(dict.fromkeys(one.monitor + whose(one.part) for one in them))
        dates = sorted({one.day for one in them if one.day})
        when = f" ({counted(len(dates), 'day')}, {dates[0]} to {dates[-1]})" if len(dates) > 1 else ""
        when = f" ({dates[0]})" if len(dates) == 1 else when
        lines.append(f"not judged: {names}: {why}{when}")
    return "\n".join(lines)


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


def revenue(days: Iterable[Day], verdicts: Iterable[Verdict], part: str | None, unit: str) -> str:
    """What GMV alone would have said of the days whose shape broke, in a sentence; "" where there are none."""
    broken = {one.day for one in verdicts if one.part == part and one.status == "alert" and one.monitor != "gmv"}
    mine = [day for day in days if day.part == part and day.day and day.orders]
    before, after = ([day for day in mine if (day.day in broken) is is_broken] for is_broken in (False, True))
    if len(before) < 2 or not after:
        return ""
    said = compare(before, after)
    low, high = (f"{edge / scale(unit):,.0f}" for edge in said["band"])
    text = f"GMV of the {counted(len(after), 'day')} with another alert{whose(part)}: {said['days_inside_band']} inside"
    text += f" the band of the {len(before)} others ({low} to {high}), median {abs(said['median_fall_pct']):.1f}%"
    return f"{text} {'above' if said['median_fall_pct'] < 0 else 'below'} theirs, z {said['z']:.2f}"


def listed(values: Iterable[str]) -> str:
    """Values in a message, however many there are."""
    names = sorted(values)
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return printable(", ".join(map(repr, names[:5]))) + more


def counted(n: int, what: str) -> str:
    """1 day, 2 days"""
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def money(amount: Number, unit: str) -> str:
    """An amount as people read it: "EUR_cents" are hundredths of a EUR."""
    return f"{unit.removesuffix('_cents')} {float(amount) / scale(unit):,.2f}"


def scale(unit: str) -> int:
    """How many of the unit make what people say: 100 EUR_cents are one EUR."""
    return 100 if unit.endswith("_cents") else 1


def whose(part: str | None) -> str:
    """The part of a table in a message, where it is split."""
    return "" if part is None else f" ({printable(part)})"


# --- asked for on the command line --------------------------------------------------------------------------------

COLUMNS = {  # what each argument of the command line names
    "day": "column of the day",
    "amount": "column of the amount",
    "list_amount": "column of the list amount",
    "branch": "column that the price rule branches on",
    "known": "its values that the rule names",
    "goods": "column of the kind of goods",
    "loaded_at": "column of when the row was loaded",
    "split_by": "column of whose values each is judged by itself",
}


def read_arguments(
    arguments: Sequence[str] | None, spec: Mapping[str, Any], rules: Mapping[str, Any]
) -> argparse.Namespace:
    """The arguments; `spec` and `rules` are the defaults, and come back as the arguments have them."""
    parser = Parser(
        prog="python monitors.py",
        description="Say which days of a table look wrong. Exit status: 0 none, 1 some, 2 could not judge; with --store"
        " it is about the days of DATA, and those without rows since the last one stored.",
    )
    add = parser.add_argument
    add(
        "data",
        nargs="?",
        metavar="DATA",
        type=place,
        help="CSV, Parquet or JSON files, a path or a glob (default: the shop's orders)",
    )
    for name, column in spec.items():
        default = ",".join(column) if name == "known" else column or "none"
        option, metavar = f"--{name.replace('_', '-')}", "A,B,C" if name == "known" else "COLUMN"
        what = COLUMNS[name] if name in ("day", "amount", "known") else f"{COLUMNS[name]}, or none"
        add(option, metavar=metavar, default=default, help=f"{what} (default: {default})")
    add(
        "--window",
        type=int,
        metavar="N",
        default=rules["window"],
        help="days of history for shape (default: %(default)s)",
    )
    add(
        "--points",
        type=float,
        metavar="X",
        default=rules["points"],
        help="threshold for the markdown, in percentage points (default: %(default)s)",
    )
    add("--unit", metavar="UNIT", default=rules["unit"], help="unit of the amounts (default: %(default)s)")
    add("--contract", metavar="CONTRACT", type=place, help="contract whose volume and freshness each day must keep")
    add(
        "--store",
        metavar="FILE",
        type=place,
        help="stored metrics of earlier days; the days of DATA are judged by them, told alone, and added",
    )
    add("--since", type=day, metavar="DAY", help="start the history here, after a change that was right")
    add("--until", type=day, metavar="DAY", help="judge up to this day, though it may have no rows; none later")
    add("--format", choices=("text", "json"), default="text", help="how to say it (default: text)")
    add("--plot", metavar="FILE", type=place, help="draw GMV, markdown and mix (.png, .svg, .pdf)")
    given = parser.parse_args(arguments)
    given.spec = {name: getattr(given, name) for name in spec}
    absent = [name for name, column in given.spec.items() if column == "none" and name not in ("day", "amount")]
    given.spec |= dict.fromkeys(absent)
    given.spec["known"] = tuple(given.spec["known"].split(",")) if given.spec["known"] else ()
    given.rules = {name: getattr(given, name) for name in ("window", "points", "unit")}
    return given


def day(text: str) -> date:
    """A day on the command line, such as 2026-08-19."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no day; write it as 2026-08-19") from None
