r"""Patterns between dialects: RE2, ECMA-262 (JSON Schema), Python and PostgreSQL read them differently.

    portable(pattern) -> the same pattern in signs that all four read alike, or None where there is no such
    whole(pattern)    -> for a dialect that searches: the pattern anchored, unless it is so already
    from_search(text) -> a contract's pattern, over the whole value, for one that searches

What differs: \d, \w, \s and $ in Python, . in ECMA-262, classes such as [[:alpha:]], flags such as (?i).
"""

from __future__ import annotations

from contracts.patterns import LAST, Ranges, Reader, Undecided, inverted

MOST_REPEATS = 255  # PostgreSQL's limit
ESCAPES = {10: r"\n", 9: r"\t", 13: r"\r", 12: r"\f", 11: r"\v"}


def portable(pattern: str) -> str | None:
    """The pattern for the whole value, without anchors, in the dialects' common language; None where it has no form."""
    translator = Translator(pattern)
    try:
        text = translator.translated(0)
    except (Undecided, RecursionError, ValueError):
        return None
    if translator.at < len(pattern):
        return None
    return f"(?:{text})" if translator.has_choice else text


class Translator(Reader):
    """Reads a pattern of RE2 from left to right, and writes it again."""

    has_choice = False  # at the top

    def translated(self, depth: int, dot: str = r"[^\n]") -> str:
        """What stands between | and |, written again; dot: what . is within the groups that are open."""
        parts = [self.branch(depth, dot)]
        while self.take(r"\|"):
            parts.append(self.branch(depth, dot))
        self.has_choice |= depth == 0 and len(parts) > 1
        return "|".join(parts)

    def branch(self, depth: int, dot: str) -> str:
        """One alternative, written again."""
        made = ""
        if depth == 0:
            self.take(r"\^|\\A")  # the whole value is matched anyway
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            if depth == 0 and self.take(r"(\$|\\z)(?=\||$(?!\n))"):
                break
            made += self.piece(depth, dot) + self.times()
        return made

    def times(self) -> str:
        """How often a piece comes. Lazy or greedy is the same for a whole value."""
        if not (found := self.take(r"([*+?]|\{(\d+)(?:,(\d*))?\})\??")):
            return ""
        sign, least, most = found.groups()
        if max(int(least or 0), int(most or 0)) > MOST_REPEATS or self.take(r"[*+?]|\{\d+(,\d*)?\}"):
            raise Undecided
        return str(sign)

    def piece(self, depth: int, dot: str) -> str:
        """A group, a set of characters, or one character, written again."""
        if found := self.take(r"\((\?:|\?s:|\?P?<\w+>)?(?!\?)"):
            inner = self.translated(depth + 1, r"(?:[^\n]|\n)" if found[1] == "?s:" else dot)
            self.at += 1
            return f"(?:{inner})"
        if self.take(r"\["):
            return one_of(self.characters())
        if self.take(r"\."):
            return dot
        if self.take(r"[$^(]"):
            raise Undecided
        return one_of(self.one())


def one_of(ranges: Ranges) -> str:
    """A set of characters, as every dialect writes it."""
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return sign(ranges[0][0], "^$\\.*+?()[]{}|")
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = merged[-1][0], max(high, merged[-1][1])
        else:
            merged.append((low, high))
    is_rest = merged[-1][1] == LAST
    kept = inverted(tuple(merged)) if is_rest else tuple(merged)
    if not kept:
        return r"(?:[^\n]|\n)"
    inside = "".join(in_set(low) if low == high else f"{in_set(low)}-{in_set(high)}" for low, high in kept)
    return f"[{'^' * is_rest}{inside}]"


def in_set(point: int) -> str:
    """A character between brackets."""
    return sign(point, "\\]^-[")


def sign(point: int, special: str) -> str:
    """One character, with a backslash where it is special."""
    character = chr(point)
    if point == 0 or 0xD800 <= point < 0xE000:
        raise Undecided
    if point in ESCAPES:
        return ESCAPES[point]
    if character in special:
        return f"\\{character}"
    return character if character.isprintable() or point > 0xFFFF else f"\\u{point:04x}"


# ---- anchors ----------------------------------------------------------------------------------------------------


def whole(pattern: str) -> str:
    """The pattern for a dialect that searches."""
    is_wrapped = pattern.startswith("^(?:") and pattern.endswith(")$")
    return pattern if is_anchored(pattern) and not is_wrapped else f"^(?:{pattern})$"


def from_search(text: str) -> tuple[str, bool]:
    """The contract's pattern, and whether it was anchored; what may stand anywhere gets any text around it."""
    for end in (r"$(?!\n)", "$"):
        if text.startswith("^(?:") and text.endswith(f"){end}") and compiles(inner := text[4 : -len(end) - 1]):
            return inner, True
    bare = text.removesuffix(r"(?!\n)")
    if is_anchored(bare):
        return bare, True
    return f"(?s:.*)(?:{text})(?s:.*)", False


def compiles(pattern: str) -> bool:
    """Whether RE2 reads it."""
    import re2  # type: ignore[import-untyped,unused-ignore]  # here, because most contracts have no pattern

    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(pattern, options)
    except (re2.error, UnicodeEncodeError):
        return False
    return True


def is_anchored(pattern: str) -> bool:
    """Whether it begins with ^ and ends with $, and no choice at the top lets a part of it go without."""
    if not (pattern.startswith("^") and pattern.endswith("$")) or len(pattern) < 2:
        return False
    depth, at, in_class = 0, 1, False
    while at < len(pattern) - 1:
        character = pattern[at]
        if character == "\\":
            if pattern[at + 1] == "Q":
                return False
            at += 1
            if at == len(pattern) - 1:
                return False  # \$ is a dollar
        elif in_class:
            in_class = character != "]"
        elif character == "[":
            in_class = True
            at += pattern.startswith("^", at + 1)
            at += pattern.startswith("]", at + 1)
        elif character in "()":
            depth += 1 if character == "(" else -1
        elif character == "|" and depth == 0:
            return False
        at += 1
    return depth == 0 and not in_class
