"""Is every text that one pattern allows allowed by another? Decided, not sampled, for RE2's ordinary patterns.

A pattern becomes an expression of sets of characters; the rest of the text after one character is the expression's
derivative (Brzozowski). Two patterns are walked side by side, one character of each kind at a time; a place where
the first may end and the second may not is a counterexample. There are only finitely many places.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

Ranges = tuple[tuple[int, int], ...]  # a set of characters
Expression = tuple[Any, ...]  # ("set", Ranges), ("cat", a, b), ("alt", frozenset), ("star", a), NOTHING or EMPTY

NOTHING: Expression = ("nothing",)  # no text at all
EMPTY: Expression = ("empty",)  # only ''
LAST = 0x10FFFF
MOST_STATES, MOST_COPIES = 2_000, 400
CLASSES: dict[str, Ranges] = {
    "d": ((48, 57),),
    "w": ((48, 57), (65, 90), (95, 95), (97, 122)),
    "s": ((9, 10), (12, 13), (32, 32)),
}
ESCAPES = {"n": 10, "t": 9, "r": 13, "f": 12, "v": 11, "a": 7}


class Undecided(Exception):
    """The pattern uses something that this module does not read, or is too large."""


def covers(wide: str | None, narrow: str | None) -> bool | None:
    """Whether `wide` allows every text that `narrow` allows (None: no pattern, any text); None: cannot tell."""
    try:
        return subset(anything() if narrow is None else parsed(narrow), anything() if wide is None else parsed(wide))
    except (Undecided, RecursionError):
        return None


def literal(texts: Iterable[str]) -> str:
    """The pattern that allows exactly these texts."""
    return "|".join("".join(rf"\x{{{ord(c):x}}}" for c in text) for text in texts)


def anything() -> Expression:
    """Any text."""
    return star(("set", ((0, LAST),)))


# ---- expressions, always in their shortest form ------------------------------------------------------------------


def cat(a: Expression, b: Expression) -> Expression:
    """A text of a, and then one of b."""
    if NOTHING in (a, b):
        return NOTHING
    if a == EMPTY:
        return b
    if b == EMPTY:
        return a
    if may_end(a) and star(a) == (b[1] if b[0] == "cat" else b):
        return b  # a*a* and a?a* are a*
    return ("cat", a[1], cat(a[2], b)) if a[0] == "cat" else ("cat", a, b)


def alt(parts: Iterable[Expression]) -> Expression:
    """A text of any of the parts."""
    flat: set[Expression] = set()
    for part in parts:
        flat |= part[1] if part[0] == "alt" else {part}
    flat.discard(NOTHING)
    if not flat:
        return NOTHING
    return next(iter(flat)) if len(flat) == 1 else ("alt", frozenset(flat))


def star(a: Expression) -> Expression:
    """Texts of a, any number of them."""
    if a[0] == "alt":
        a = alt(a[1] - {EMPTY})  # (a?)* is a*
    return EMPTY if a in (NOTHING, EMPTY) else a if a[0] == "star" else ("star", a)


def may_end(a: Expression) -> bool:
    """Whether '' is one of its texts."""
    match a[0]:
        case "empty" | "star":
            return True
        case "cat":
            return may_end(a[1]) and may_end(a[2])
        case "alt":
            return any(may_end(part) for part in a[1])
    return False


def after(a: Expression, character: int) -> Expression:
    """What may follow once that character has been read."""
    match a[0]:
        case "set":
            return EMPTY if any(low <= character <= high for low, high in a[1]) else NOTHING
        case "cat":
            rest = cat(after(a[1], character), a[2])
            return alt((rest, after(a[2], character))) if may_end(a[1]) else rest
        case "alt":
            return alt(after(part, character) for part in a[1])
        case "star":
            return cat(after(a[1], character), a)
    return NOTHING


def edges(a: Expression) -> set[int]:
    """The first character of every stretch that the expression treats alike."""
    if a[0] == "set":
        return {low for low, _ in a[1]} | {high + 1 for _, high in a[1]}
    parts: Iterable[Expression] = a[1] if a[0] == "alt" else a[1:]
    return set().union(*map(edges, parts))


def subset(a: Expression, b: Expression) -> bool:
    """Whether every text of a is one of b."""
    kinds = sorted(({0} | edges(a) | edges(b)) - {LAST + 1})
    seen, todo = {(a, b)}, [(a, b)]
    while todo:
        a, b = todo.pop()
        if a in (NOTHING, b):
            continue
        if may_end(a) and not may_end(b):
            return False
        for character in kinds:
            if (pair := (after(a, character), after(b, character))) not in seen:
                if len(seen) >= MOST_STATES:
                    raise Undecided
                seen.add(pair)
                todo.append(pair)
    return True


# ---- from a pattern's text ---------------------------------------------------------------------------------------


def parsed(pattern: str) -> Expression:
    """The expression of a pattern for the whole text."""
    reader = Reader(pattern)
    expression = reader.alternatives(0)
    if reader.at < len(pattern):
        raise Undecided
    return expression


class Reader:
    """Reads a pattern from left to right. RE2 has compiled it before, so it is well formed."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.copies = text, 0, 0

    def take(self, form: str) -> re.Match[str] | None:
        """What stands here, if it has that form."""
        if found := re.compile(form).match(self.text, self.at):
            self.at = found.end()
        return found

    def alternatives(self, depth: int) -> Expression:
        """What stands between | and |; depth: how many groups are open."""
        parts = [self.sequence(depth)]
        while self.take(r"\|"):
            parts.append(self.sequence(depth))
        return alt(parts)

    def sequence(self, depth: int) -> Expression:
        """One alternative: its parts, one after the other."""
        whole = EMPTY
        if depth == 0:
            self.take(r"\^|\\A")  # the whole text is matched anyway
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            if depth == 0 and self.take(r"(\$|\\z)(?=\||$(?!\n))"):
                break
            whole = cat(whole, self.repeated(self.atom(depth)))
        return whole

    def repeated(self, one: Expression) -> Expression:
        """A part, as often as *, +, ? or {…} behind it say."""
        while found := self.take(r"([*+?]|\{(\d+)(,(\d*))?\})\??"):
            sign, least, comma, most = found.groups()
            if sign in "*+?":
                one = star(one) if sign == "*" else cat(one, star(one)) if sign == "+" else alt((one, EMPTY))
                continue
            low, high = int(least), int(most) if most else int(least)
            self.copies += max(low, high) * leaves(one)
            if self.copies > MOST_COPIES:
                raise Undecided
            tail = star(one) if comma and not most else EMPTY
            for _ in range(high - low):
                tail = alt((EMPTY, cat(one, tail)))
            for _ in range(low):
                tail = cat(one, tail)
            one = tail
        return one

    def atom(self, depth: int) -> Expression:
        """A group, a set of characters, or one character."""
        if self.take(r"\((\?:|\?P?<\w+>)?(?!\?)"):
            inner = self.alternatives(depth + 1)
            self.at += 1
            return inner
        if self.take(r"\["):
            return ("set", self.characters())
        if self.take(r"\."):
            return ("set", ((0, 9), (11, LAST)))
        if self.take(r"[$^(]"):
            raise Undecided
        return ("set", self.one())

    def characters(self) -> Ranges:
        """The inside of [...]."""
        found: list[tuple[int, int]] = []
        negated, first = bool(self.take(r"\^")), True
        while first or self.text[self.at] != "]":
            first = False
            if self.take(r"\[:"):
                raise Undecided
            part = self.one()
            if self.take(r"-(?!\])"):
                part = ((part[0][0], self.one()[0][0]),)
            found += part
        self.at += 1
        return inverted(tuple(found)) if negated else tuple(sorted(found))

    def one(self) -> Ranges:
        """One character, or one escape."""
        if code := self.take(r"\\x([0-9A-Fa-f]{2}|\{[0-9A-Fa-f]+\})"):
            point = int(code[1].strip("{}"), 16)
        elif name := self.take(r"\\([dws])"):
            return CLASSES[name[1]]
        elif name := self.take(r"\\([DWS])"):
            return inverted(CLASSES[name[1].lower()])
        elif name := self.take(r"\\([ntrfva])"):
            point = ESCAPES[name[1]]
        elif sign := self.take(r"\\([^\w\s])"):
            point = ord(sign[1])
        elif self.text[self.at] == "\\":
            raise Undecided
        else:
            point = ord(self.text[self.at])
            self.at += 1
        return ((point, point),)


def leaves(a: Expression) -> int:
    """How many sets of characters an expression comes to, written out."""
    parts: Iterable[Expression] = a[1] if a[0] == "alt" else a[1:] if a[0] in ("cat", "star") else ()
    return (a[0] == "set") + sum(map(leaves, parts))


def inverted(ranges: Ranges) -> Ranges:
    """All other characters."""
    rest, start = [], 0
    for low, high in sorted(ranges):
        if low > start:
            rest.append((start, low - 1))
        start = max(start, high + 1)
    return (*rest, (start, LAST)) if start <= LAST else tuple(rest)
