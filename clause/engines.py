"""Where engines differ, and what the answer is then: the same verdict, or none, and never a wrong one.

ibis writes the SQL of each engine, but it cannot make two engines mean the same. DuckDB's regular expressions are the
contract's own (RE2); Java's, PostgreSQL's and Python's read the same text in other ways, so they get the pattern in a
form in which they agree: sets of characters, groups and repetitions, anchored at both ends. A pattern that has no such
form is not checked there, and the report says so.
"""

import functools
from collections.abc import Iterator
from typing import Any

import ibis
import ibis.expr.datatypes as dt
import ibis.expr.types as ir

from contracts import patterns

NO_TRY_CAST = ("postgres", "risingwave")  # ibis gives them a CAST, which stops at the first value that does not fit
NO_NUL = ("postgres", "risingwave")  # text cannot hold the character NUL
END = {"postgres": r"\Z", "risingwave": r"\Z", "sqlite": r"\Z"}  # the end of the text, where it is not \z
MOST_REPEATS = 100_000  # characters of a pattern in that form


class NotSearchable(Exception):
    """A pattern that the engine would read in another way than the contract does: why."""


def engine_of(values: ir.Value | ir.Table) -> str:
    """The name of the engine that holds these values, such as "pyspark"."""
    if backends := values._find_backends()[0]:
        return str(backends[0].name)
    default = ibis.options.default_backend
    return "duckdb" if default is None else str(default.name)


def fetch(query: ir.Table) -> list[dict[str, Any]]:
    """The rows of a query as Python values. Spark's come as Arrow: by way of pandas it would lose the year 9999."""
    backend = query._find_backend(use_default=True)
    if backend.name == "pyspark":
        backend._run_pre_execute_hooks(query)
        frame = backend.raw_sql(backend.compile(query))
        if hasattr(frame, "toArrow"):  # from Spark 4 on
            rows: list[dict[str, Any]] = frame.toArrow().to_pylist()
            return rows
    return list(query.to_pyarrow().to_pylist())


def ranked(values: ir.Value) -> ir.Value:
    """What to sort by, so that text comes in the order of its characters whatever the database's collation."""
    if values.type().is_string() and engine_of(values) == "postgres":
        return convert_to(values, "UTF8")
    return values


@ibis.udf.scalar.builtin(name="convert_to", signature=(("string", "string"), "binary"))
def convert_to(text, encoding): ...  # type: ignore[no-untyped-def]


def present(values: ir.Value) -> ir.Value:
    """The values, NULL where one is NaN."""
    kind = values.type()
    if kind.is_floating():
        return values.isnan().ifelse(ibis.null(kind), values)
    if kind.is_decimal() and engine_of(values) == "postgres":  # its NUMERIC has a NaN too
        return (values.cast("string") == "NaN").ifelse(ibis.null(kind), values)
    return values


def storable(texts: list[Any], engine: str) -> list[Any]:
    """Those of a contract's values that a column of the engine can hold; no row has another one."""
    return [text for text in texts if not (engine in NO_NUL and isinstance(text, str) and "\0" in text)]


# --- time zones ------------------------------------------------------------------------------------------------------


@ibis.udf.scalar.builtin(name="timezone", signature=(("string", "timestamp('UTC')"), "timestamp"))
def timezone(zone, moment): ...  # type: ignore[no-untyped-def]


@ibis.udf.scalar.builtin(name="convert_timezone", signature=(("string", "timestamp('UTC')"), "timestamp"))
def convert_timezone(zone, moment): ...  # type: ignore[no-untyped-def]


def wall_time(moment: ir.Value) -> ir.Value:
    """An instant as the time in UTC without a zone; a cast would take the zone of the session."""
    if not moment.type().timezone:
        return moment
    match engine_of(moment):
        case "duckdb" | "postgres":
            return timezone("UTC", moment)
        case "pyspark":
            return convert_timezone("UTC", moment)
    return moment


# --- patterns --------------------------------------------------------------------------------------------------------


def matches(text: ir.StringValue, pattern: str) -> ir.BooleanValue:
    """Whether the whole text matches the pattern, which is one of RE2's; NotSearchable where nobody can tell."""
    engine = engine_of(text)
    if engine == "duckdb":
        return text.re_search("^(?:{})$".format(pattern.replace("\0", r"\x00")))
    return text.re_search(rf"\A(?:{neutral(pattern, engine)}){END.get(engine, chr(92) + 'z')}")


@functools.cache
def neutral(pattern: str, engine: str) -> str:
    """The pattern in the form that all engines read alike."""
    try:
        folded = pattern.startswith("(?i)")
        parsed = patterns.parsed(pattern.removeprefix("(?i)"))
        if folded and any(sign in pattern for sign in ("[^", r"\D", r"\W", r"\S")):
            raise patterns.Undecided
        written = text_of(any_case(parsed) if folded else parsed, engine)
    except (patterns.Undecided, RecursionError):
        raise NotSearchable(f"{engine} would read the pattern in another way than RE2 does") from None
    if len(written) > MOST_REPEATS:
        raise NotSearchable(f"the pattern is too long for {engine} once its repetitions are written out")
    return written


def text_of(a: patterns.Expression, engine: str) -> str:
    """An expression of `contracts.patterns` as the text of a regular expression."""
    match a[0]:
        case "set":
            return set_of(a[1], engine)
        case "cat":
            first, rest = a[1], a[2]
            if rest == patterns.star(first):
                return text_of(first, engine) + "+" if first[0] == "set" else f"(?:{text_of(first, engine)})+"
            return grouped(first, engine) + grouped(rest, engine)
        case "alt":
            written = sorted(text_of(part, engine) for part in a[1] if part != patterns.EMPTY)
            joined = "|".join(written)
            return f"(?:{joined})?" if patterns.EMPTY in a[1] else joined
        case "star":
            return text_of(a[1], engine) + "*" if a[1][0] == "set" else f"(?:{text_of(a[1], engine)})*"
        case "empty":
            return ""
    raise patterns.Undecided  # nothing at all


def grouped(a: patterns.Expression, engine: str) -> str:
    return f"(?:{text_of(a, engine)})" if a[0] == "alt" and patterns.EMPTY not in a[1] else text_of(a, engine)


def set_of(ranges: patterns.Ranges, engine: str) -> str:
    """A set of characters in brackets, each written as itself: `\\d`, `\\x` and `.` mean different things elsewhere."""
    rest = patterns.inverted(ranges)
    negated = sum(high - low for low, high in rest) < sum(high - low for low, high in ranges)
    if not rest:
        return r"(?:\n|[^\n])"
    parts = []
    for low, high in rest if negated else merged(ranges):
        if low == 0:
            if engine not in NO_NUL:
                raise patterns.Undecided
            low = 1
        for start, end in ((low, min(high, 0xD7FF)), (max(low, 0xE000), high)):  # half a pair is no character
            if start <= end:
                parts.append(sign(start) if start == end else f"{sign(start)}-{sign(end)}")
    if not parts:
        raise patterns.Undecided
    return f"[{'^' if negated else ''}{''.join(parts)}]"


def merged(ranges: patterns.Ranges) -> patterns.Ranges:
    """The same set, sorted and without overlaps."""
    return patterns.inverted(patterns.inverted(ranges))


def sign(point: int) -> str:
    character = chr(point)
    return "\\" + character if character in "\\]^[-&~|#" else character


def any_case(a: patterns.Expression) -> patterns.Expression:
    """The expression with each set widened to both cases, as (?i) does."""
    match a[0]:
        case "set":
            points = {other for low, high in a[1] for point in range(low, high + 1) for other in cases_of(point)}
            return ("set", merged((*a[1], *((point, point) for point in points))))
        case "cat":
            return patterns.cat(any_case(a[1]), any_case(a[2]))
        case "alt":
            return patterns.alt(any_case(part) for part in a[1])
        case "star":
            return patterns.star(any_case(a[1]))
    return a


def cases_of(point: int) -> frozenset[int]:
    """The characters that differ from this one in case alone, itself among them."""
    return orbits().get(simple(chr(point)), frozenset((point,)))


def simple(character: str) -> str:
    """The character without its case, where that is one character (Unicode's simple case folding)."""
    folded = character.casefold()
    return folded if len(folded) == 1 else lowered if len(lowered := character.lower()) == 1 else character


@functools.cache
def orbits() -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for point in range(0x1F000):  # no letter beyond has a case
        found.setdefault(simple(chr(point)), set()).add(point)
    return {one: frozenset(points) for one, points in found.items() if len(points) > 1}


# --- casts -----------------------------------------------------------------------------------------------------------

DAY = (
    r"^([0-9]{3}[1-9]|[0-9]{2}[1-9]0|[0-9][1-9]00|[1-9]000)-"
    r"((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-9]))"
)
LEAP = r"^([0-9]{2}(0[48]|[2468][048]|[13579][26])|(0[48]|[2468][048]|[13579][26])00)"
CLOCK = r"([T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]+)?)? ?(Z|z|[+-](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$"


def try_cast(values: ir.Value, target: dt.DataType | str) -> ir.Value:
    """The values in another type, NULL where one does not fit; text has to be in the form of its type."""
    target = ibis.dtype(target)
    if engine_of(values) not in NO_TRY_CAST:
        return values.try_cast(target)
    fits = functools.reduce(lambda one, other: one & other, conditions(values, target), ibis.literal(True))
    return fits.ifelse(values, ibis.null(values.type())).cast(target)


def conditions(values: Any, target: dt.DataType) -> Iterator[ir.BooleanValue]:
    """What has to be so for a CAST in PostgreSQL not to fail."""
    kind = values.type()
    if kind.is_string() and (target.is_date() or target.is_timestamp()):
        yield values.re_search(DAY + CLOCK)
        yield (values.substr(4, 6) != "-02-29") | values.re_search(LEAP)
    elif kind.is_string() and target.is_numeric():
        # One digit after the other, since a number in between would have to fit as well.
        yield values.length() < 300
        yield ~values.re_search(r"[eE][+-]?[0-9]*[1-9][0-9]{2}")
        digits = values.re_replace(r"^[+-]?0*|[.eE].*$", "")
        if target.is_integer():
            yield digits.length() <= 19
            number = (digits.length() <= 19).ifelse(values, None).cast("decimal(38, 0)")
            yield number.between(target.bounds.lower, target.bounds.upper)
        elif target.is_decimal():
            yield digits.length() <= (target.precision or 38) - (target.scale or 0)
    elif kind.is_numeric() and not kind.is_boolean() and target.is_integer():
        low, high = target.bounds.lower, target.bounds.upper
        # As floats the bounds are powers of two, of which the upper one is already too much.
        yield (values >= low) & (values < float(high + 1) if kind.is_floating() else values <= high)
    elif kind.is_numeric() and target.is_decimal():
        most = 10.0 ** ((target.precision or 38) - (target.scale or 0))
        yield (values.cast("float64").abs() < most) if kind.is_floating() else values.abs() < int(most)
