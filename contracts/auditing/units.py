"""Units: what arithmetic on a column says about its unit, and whether that agrees with the unit of the contract.

scales(part, place)            every column that SQL multiplies, divides or casts as only a change of units does
contradiction(unit, scale)     what is wrong with it, if the contract says that the field is in that unit
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from sqlglot import exp

from contracts.auditing.branching import Locate, Place
from contracts.auditing.origins import Origins, Part, bare
from contracts.values import short

FACTORS = {*(Fraction(10) ** n for n in range(-12, 13) if n), *map(Fraction, (60, 3600, 86400, 1024, 1024**2, 1024**3))}
FACTORS |= {1 / factor for factor in FACTORS}
TENTHS = {Fraction(10), Fraction(1, 10)}
STEPS = {Fraction(1), *map(Fraction, (24, 7)), Fraction(1, 24), Fraction(1, 7)}  # with any other number it is a rate

MONEY = ("eur", "usd", "gbp", "chf", "sek", "nok", "dkk", "pln", "czk", "cad", "aud", "nzd", "inr", "cny", "brl")
KINDS: dict[str, dict[str, str | int]] = {
    "time": {"ns": "1e-9", "us": "1e-6", "ms": "1e-3", "s": 1, "min": 60, "h": 3600, "d": 86400},
    "mass": {"mg": "1e-3", "g": 1, "kg": 1000, "t": 1_000_000},
    "length": {"mm": "1e-3", "cm": "1e-2", "m": 1, "km": 1000},
    "volume": {"ml": "1e-3", "cl": "1e-2", "l": 1},
    "data": {"b": 1, "kb": 1000, "mb": 10**6, "gb": 10**9, "kib": 1024, "mib": 1024**2, "gib": 1024**3},
    "share": {"percent": "1e-2", "pct": "1e-2", "bps": "1e-4", "ratio": 1},
    "power": {"w": 1, "kw": 1000, "mw": 10**6},
    "energy": {"wh": 1, "kwh": 1000, "mwh": 10**6},
}
SCALES = {  # unit: (what it measures, how much of the base unit)
    name: (kind, Fraction(scale)) for kind, units in KINDS.items() for name, scale in units.items()
}
OTHER_NAMES = {
    **dict.fromkeys(["millis", "msec", "milliseconds"], "ms"),
    **dict.fromkeys(["micros", "microseconds"], "us"),
    **dict.fromkeys(["sec", "secs", "second", "seconds"], "s"),
    **dict.fromkeys(["minute", "minutes", "mins"], "min"),
    **dict.fromkeys(["hour", "hours", "hrs"], "h"),
    **dict.fromkeys(["day", "days"], "d"),
    **dict.fromkeys(["gram", "grams"], "g"),
    **dict.fromkeys(["kilo", "kilos", "kilogram", "kilograms"], "kg"),
    **dict.fromkeys(["bytes", "byte"], "b"),
    **dict.fromkeys(["percentage", "%"], "percent"),
    **dict.fromkeys(["litre", "litres", "liter", "liters"], "l"),
    **dict.fromkeys(["meter", "meters", "metre", "metres"], "m"),
    **dict.fromkeys(["euro", "euros"], "eur"),
    **dict.fromkeys(["dollar", "dollars"], "usd"),
}
EPOCH = {"timestamp_seconds": "s", "timestamp_millis": "ms", "timestamp_micros": "us", "from_unixtime": "s"}


@dataclass(frozen=True, slots=True)
class Scale:
    """A column times a factor, under a name; or read as that many units since 1970."""

    origins: Origins
    column: str
    factor: Fraction
    name: str  # what the result is called, if anything
    epoch: str  # "s", "ms", "us" where it becomes a time
    sql: str
    place: Place


def scales(part: Part, place: Locate) -> Iterator[Scale]:
    """Every arithmetic on one column with the factor of a unit."""
    for node in part.nodes:
        if isinstance(node, exp.Mul | exp.Div) and not isinstance(around(node), exp.Mul | exp.Div):
            column, factor, factors = product(node)
            above = around(node)
            is_unit = bool(factors & FACTORS) and factors <= FACTORS | STEPS and factor != 1
            if column is not None and is_unit and not epoch_of(above):
                name = above.alias if isinstance(above, exp.Alias) else ""
                sql = short(node.sql(comments=False))
                yield Scale(part.origins(column), column.name, factor, name, "", sql, place(column))
        elif epoch := epoch_of(node):
            value = node.expressions[0] if isinstance(node, exp.Anonymous) else node.this
            column, factor, _ = product(value)
            if column is not None:
                sql = short(node.sql(comments=False))
                yield Scale(part.origins(column), column.name, factor, "", epoch, sql, place(column))


def around(node: exp.Expr) -> exp.Expr:
    """What stands around an expression, but for brackets, casts and rounding."""
    above = node.parent
    while isinstance(above, exp.Paren | exp.Cast | exp.Round | exp.Floor | exp.Ceil) and above.this is not None:
        above = above.parent
    return above if above is not None else exp.Null()


def product(node: exp.Expr) -> tuple[exp.Column | None, Fraction, set[Fraction]]:
    """The one column of a product, the factor, and the numbers that it is made of; no column if there are more."""
    node = bare(node)
    if isinstance(node, exp.Literal):
        is_plain = re.fullmatch(r"[0-9]{0,20}([.][0-9]{0,12})?(e[-+]?[0-9]{1,2})?", node.this, re.IGNORECASE)
        number = Fraction(node.this) if is_plain and node.this[-1:] not in ("", ".") else Fraction(0)
        return None, number, {number}
    if isinstance(node, exp.Pow) and all(re.fullmatch("[0-9]{1,2}", one.name) for one in (node.this, node.expression)):
        number = Fraction(node.this.name) ** int(node.expression.name)
        return None, number, {number}
    if isinstance(node, exp.Mul | exp.Div):
        left, a, some = product(node.this)
        right, b, others = product(node.expression)
        under = isinstance(node, exp.Div)
        if not a or not b or (left is not None and right is not None) or (under and right is not None):
            return None, Fraction(0), set()
        one = left if left is not None else right
        return one, a / b if under else a * b, some | ({1 / each for each in others} if under else others)
    if isinstance(node, exp.Column) and not isinstance(node.this, exp.Star):
        return node, Fraction(1), set()
    if isinstance(
        node, exp.Sum | exp.Avg | exp.Max | exp.Min | exp.Cast | exp.Round | exp.Abs | exp.Coalesce | exp.Median
    ):
        return product(node.this)
    return None, Fraction(0), set()


def epoch_of(node: exp.Expr) -> str:
    """The unit in which a function reads a number as a time; empty for others."""
    if isinstance(node, exp.UnixToTime):
        scale = node.args.get("scale")
        return {"0": "s", "3": "ms", "6": "us", "9": "ns"}.get("0" if scale is None else scale.name, "")
    if isinstance(node, exp.UnixToStr | exp.UnixSeconds):
        return "s" if isinstance(node, exp.UnixToStr) else ""
    return EPOCH.get(node.name.casefold(), "") if isinstance(node, exp.Anonymous) and node.expressions else ""


def measured(unit: str) -> tuple[str, Fraction] | None:
    """What a unit measures, and how much of the base unit it is: EUR_cents is ("eur", 1/100)."""
    words = [word for word in re.split(r"[^a-z0-9%]+", unit.casefold()) if word]
    words = [OTHER_NAMES.get(word, word) for word in words]
    money = [word for word in words if word in MONEY]
    if any(word in ("cent", "cents", "ct", "minor", "pence") for word in words):
        return (money[0] if money else "money", Fraction(1, 100))
    if money:
        return (money[0], Fraction(1)) if len(words) == 1 or words[-1] in MONEY else None
    known = [word for word in words if word in SCALES]
    return SCALES[known[-1]] if known and known[-1] == words[-1] else None


def contradiction(unit: str, scale: Scale) -> str | None:
    """What is wrong where a field in that unit is scaled so; None where it agrees, or nobody can tell."""
    declared = measured(unit)
    if declared is None:
        return None
    if scale.epoch:
        target, wanted = scale.epoch, SCALES[scale.epoch]
    else:
        words = scale.name.casefold().split("_")
        target = "_".join(words[-2:]) if words[-1] in ("cent", "cents", "ct") else words[-1]
        found = measured(target) if len(target) > 1 or len(words) > 1 else None
        if found is None or "per" in words or target == "min":  # per_day; and min may be the least
            return None
        wanted = found
    if "money" in (declared[0], wanted[0]) and {declared[0], wanted[0]} <= {*MONEY, "money"}:
        declared = (wanted[0], declared[1])
    if declared[0] != wanted[0]:
        return None
    right = declared[1] / wanted[1]
    if right == scale.factor or (right == 1 and scale.factor in TENTHS):  # a tenth of it is a commission
        return None
    says = "as it is" if right == 1 else f"/ {1 / right}" if right < 1 else f"* {right}"
    return f"from {unit} to {target} it is {says}"


def is_share(scale: Scale) -> bool:
    """Whether a tenth, or ten times as much, is rather a part of the amount or points for it than another unit."""
    return scale.factor in TENTHS and not scale.epoch and measured(scale.name.casefold().split("_")[-1]) is None


def guess(scale: Scale) -> str:
    """The unit that a contract should probably state."""
    if scale.epoch:
        fits = [name for name in ("s", "ms", "us", "ns") if SCALES[name][1] / SCALES[scale.epoch][1] == scale.factor]
        return fits[0] if fits else "which?"
    words = scale.name.casefold().split("_")
    found = measured(words[-1]) if len(words[-1]) > 1 or len(words) > 1 else None
    if found is not None and found[0] in MONEY and scale.factor == Fraction(1, 100):
        return f"{found[0].upper()}_cents"
    if found is not None and found[0] in {kind for kind, _ in SCALES.values()}:
        fits = [name for name, one in SCALES.items() if one == (found[0], found[1] * scale.factor)]
        return fits[0] if fits else "which?"
    own = measured(scale.column.rsplit("_", 1)[-1]) if "_" in scale.column else None
    return scale.column.rsplit("_", 1)[-1] if own is not None else "which?"
