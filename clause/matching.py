"""Patterns on engines whose regular expressions are not the contract's own.

Those of DuckDB are: RE2. Java's, PostgreSQL's and Python's read the same text in other ways, so they get the pattern
in a form in which they agree: sets of characters, groups and repetitions, anchored at both ends. A pattern that has no
such form is not checked there, and the report says so. Nor is one that an engine which tries every way might never end.
"""

import functools
import itertools
from collections import Counter
from collections.abc import Mapping

import ibis
import ibis.expr.types as ir

from clause.engines import NO_NUL, engine_of
from contracts import patterns

END = {"postgres": r"\Z", "risingwave": r"\Z", "sqlite": r"\Z"}  # the end of the text, where it is not \z
LONGEST = 100_000  # characters of a pattern in that form
LINEAR = ("bigquery", "clickhouse", "datafusion", "polars", "postgres", "risingwave")  # engines that try no way twice
MOST_STEPS = 500_000  # from one set of characters to the next
MOST_CHOICES, LOOP = 10, 4  # that multiply in one that does; a choice that comes again and again counts for LOOP


class NotSearchable(Exception):
    """A pattern that the engine would read in another way than the contract does: why."""


def matches(text: ir.StringValue, pattern: str) -> ir.BooleanValue:
    """Whether the whole text matches the pattern, which is one of RE2's; NotSearchable where nobody can tell."""
    engine = engine_of(text)
    if engine == "duckdb":
        return regexp_full_match(text, pattern.replace("\0", r"\x00"))
    return text.re_search(rf"\A(?:{neutral(pattern, engine)}){END.get(engine, chr(92) + 'z')}")


@ibis.udf.scalar.builtin(signature=(("string", "string"), "boolean"))
def regexp_full_match(text, pattern):  # type: ignore[no-untyped-def]
    """DuckDB's own, which it asks once for each value that a Parquet file keeps once; a search it asks for each row."""


@functools.cache
def neutral(pattern: str, engine: str) -> str:
    """The pattern in the form that all engines read alike."""
    try:
        folded = pattern.startswith("(?i)")
        parsed = patterns.parsed(pattern.removeprefix("(?i)"))
        if folded and any(sign in pattern for sign in ("[^", r"\D", r"\W", r"\S")):
            raise patterns.Undecided
        whole = any_case(parsed) if folded else parsed
        written = text_of(whole, engine)
        has_many = engine not in LINEAR and Ways(whole).are_many()
    except (patterns.Undecided, RecursionError):
        raise NotSearchable(f"{engine} would read the pattern in another way than RE2 does") from None
    if len(written) > LONGEST:
        raise NotSearchable(f"the pattern is too long for {engine} once its repetitions are written out")
    if has_many:
        raise NotSearchable(f"{engine} tries every way to match, and this pattern's repetitions give it too many")
    return written


class Ways:
    """In how many ways a text can be on its way through an expression: where it may go on in two, with one character.

    Each set of characters is a place (Glushkov's automaton); `next` counts the ways from one to each of the others.
    """

    def __init__(self, whole: patterns.Expression) -> None:
        self.sets: list[patterns.Ranges] = []
        self.next: dict[int, Counter[int]] = {}
        self.steps = 0
        self.loops: list[range] = []  # the places of each repetition of more than one set
        _, first, _ = self.walk(whole)
        self.next[-1] = first

    def walk(self, a: patterns.Expression) -> tuple[int, Counter[int], Counter[int]]:
        """The ways to match nothing, and those in which a match begins and ends at each place."""
        match a[0]:
            case "set":
                self.sets.append(a[1])
                place = len(self.sets) - 1
                self.next[place] = Counter()
                return 0, Counter((place,)), Counter((place,))
            case "cat":
                (nothing, first, last), (none, begin, end) = self.walk(a[1]), self.walk(a[2])
                self.join(last, begin)
                return nothing * none, first + times(begin, nothing), end + times(last, none)
            case "alt":
                parts = [self.walk(part) for part in a[1]]
                firsts, lasts = Counter[int](), Counter[int]()
                for _, first, last in parts:
                    firsts.update(first)
                    lasts.update(last)
                return min(2, sum(one[0] for one in parts)), firsts, lasts
            case "star":
                start, once = len(self.sets), repeated(a)
                nothing, first, last = self.walk(once)
                self.join(last, first)
                if once[0] != "set":
                    self.loops.append(range(start, len(self.sets)))
                return min(2, 1 + nothing), first, last
        return 1, Counter(), Counter()

    def join(self, last: Counter[int], first: Counter[int]) -> None:
        self.steps += len(last) * len(first)
        if self.steps > MOST_STEPS:
            raise patterns.Undecided
        for place, ways in last.items():
            self.next[place].update(times(first, ways))

    def are_many(self) -> bool:
        """Whether they double with each round of a loop, or grow faster than the square of the text's length."""
        choices = 0
        for place, ways in self.next.items():
            around = [loop for loop in self.loops if place in loop]
            if any(self.is_choice({one: n for one, n in ways.items() if one in loop}) for loop in around):
                return True  # a choice in each round of a loop
            if self.is_choice(ways):
                choices += LOOP if around or place in ways else 1
        return choices > MOST_CHOICES

    def is_choice(self, ways: Mapping[int, int]) -> bool:
        if max(ways.values(), default=0) > 1:
            return True
        ends = sorted(stretch for one in ways for stretch in set(merged(self.sets[one])))
        return any(low <= high for (_, high), (low, _) in itertools.pairwise(ends))


def times(ways: Counter[int], n: int) -> Counter[int]:
    return Counter({place: min(2, count * n) for place, count in ways.items() if n})


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
            once = repeated(a)
            return text_of(once, engine) + "*" if once[0] == "set" else f"(?:{text_of(once, engine)})*"
        case "empty":
            return ""
    raise patterns.Undecided  # nothing at all


def repeated(a: patterns.Expression) -> patterns.Expression:
    """What a star repeats; (a+)* is a*, which an engine that backtracks does not try in every way."""
    once: patterns.Expression = a[1]
    return once[1] if once[0] == "cat" and once[2] == patterns.star(once[1]) else once


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
    if point < 32 or point == 127:
        return f"\\u{point:04x}"
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
