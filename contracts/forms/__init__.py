"""One file for each form that a contract can take: what it writes, what it reads, and what it cannot express.

A clause that describes (unit, meaning, owner) is expressed where the target carries it. A clause that is checked (enum,
min, volume) is expressed where the target's own tool checks it. Whatever else there is, is said: never dropped in
silence.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from contracts.document import Contract, Field, as_plain


@dataclass(frozen=True)
class Exported:
    """A contract in another form. left_out: what that form cannot express, a sentence each. warnings: traps in it."""

    text: str
    left_out: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Imported:
    """A contract's file, drafted from another form. left_out: what a contract cannot hold, a sentence each."""

    text: str
    left_out: tuple[str, ...] = ()


def clauses(field: Field) -> Iterator[str]:
    """The clauses of a field that somebody has to check, by the names that a contract's file gives them."""
    for name in ("required", "unique", "enum", "min", "max", "pattern", "max_null_rate"):
        value = getattr(field, name)
        if value is not None and value is not False:  # a bound of 0 is one
            yield name


def evolution(contract: Contract) -> dict[str, Any]:
    """The whole clause, its defaults too: where it stands, an import knows that the file was one of ours."""
    said = {"additive": contract.evolution.additive, "breaking": contract.evolution.breaking}
    return said | as_plain(contract.evolution)


def of_the_table(contract: Contract) -> Iterator[str]:
    """The clauses about the table as a whole that somebody has to check."""
    if contract.volume is not None:
        yield "volume"
    if contract.freshness is not None:
        yield "freshness"
    if contract.evolution.additive == "forbidden":
        yield "additive: forbidden"
