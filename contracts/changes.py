"""What a change is, how much it weighs, and the words for it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from contracts.document import as_plain
from contracts.errors import brief
from contracts.values import short

Kind = Literal["structural", "semantic"]
Bump = Literal["patch", "minor", "major"]
BUMPS: tuple[Bump, ...] = ("patch", "minor", "major")
COUNTS = "%‰&@#<>≤≥≠+"  # signs that are no mere punctuation
MINUS = "-\u2212"


@dataclass(frozen=True)
class Change:
    """One difference between two versions: where it is, what was, what is, and what it asks for."""

    field: str | None  # None: the table as a whole
    rule: str
    old: Any
    new: Any
    kind: Kind
    bump: Bump
    message: str
    consumers: tuple[str, ...] = ()  # the teams that hold the old promise

    @property
    def breaking(self) -> bool:
        """Whether it needs a major bump."""
        return self.bump == "major"

    def __str__(self) -> str:
        return brief(self.message)

    def to_dict(self) -> dict[str, Any]:
        """The change as JSON has it."""
        return {
            "field": self.field,
            "rule": self.rule,
            "old": as_plain(self.old),
            "new": as_plain(self.new),
            "kind": self.kind,
            "bump": self.bump,
            "breaking": self.breaking,
            "consumers": list(self.consumers),
            "message": str(self),
        }


def needed(changes: Iterable[Change]) -> Bump | None:
    """The bump that all changes together ask for; None if there are none."""
    return max((change.bump for change in changes), key=BUMPS.index, default=None)


def given(old: str, new: str) -> Bump | None:
    """The bump from one version to another; None where it is no step up."""
    before, after = numbers(old), numbers(new)
    if after <= before:
        return None
    return "major" if after[0] > before[0] else "minor" if after[1] > before[1] else "patch"


def numbers(version: str) -> tuple[int, ...]:
    """The three numbers of a version, for versions to be compared: 1.10.0 comes after 1.9.0."""
    return tuple(map(int, version.split(".")))


# ---- words: what is only another spelling -----------------------------------------------------------------------


def wording(text: str) -> str:
    """The text without blanks, case and punctuation; signs that make another number or amount of one stay."""
    text = unicodedata.normalize("NFKC", text).casefold()
    kept = []
    for i, c in enumerate(text):
        before, next_ = text[i - 1 : i], text[i + 1 : i + 2]
        in_number = before.isdigit() and next_.isdigit() and c in ".,:/"
        negative = c in MINUS and next_.isdigit() and not before.isalnum()
        if c in COUNTS or in_number or negative or not (unicodedata.category(c)[0] in "PZC" or c in "=|~^`"):
            kept.append(c)
    return "".join(kept)


def unit_wording(unit: str) -> str:
    """The unit without blanks and dashes, and without case where a word is no symbol: EUR_cents, but mW is not MW."""

    def lower(word: re.Match[str]) -> str:
        plain = word[0].islower() or word[0].isupper() or word[0].istitle()
        return word[0].lower() if plain and len(word[0]) > 2 else word[0]

    spelled = re.sub(r"[^\W\d_]+", lower, unit)
    return re.sub(r"[\s_.]+|-(?!\d)", "", spelled)


def shown(value: Any) -> str:
    """A value in a message."""
    value = as_plain(value)
    if isinstance(value, list):
        return listed(value)
    return "unsaid" if value is None else short(str(value))


def listed(values: Iterable[Any] | None) -> str:
    """The values of an enum, or how many there are."""
    words = [short(shown(value)) for value in values or ()]
    return f"[{', '.join(words[:8])}{f', … {len(words) - 8} more' if len(words) > 8 else ''}]"
