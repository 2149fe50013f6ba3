"""What can go wrong before any row is judged: the contract is wrong, or the data cannot be read."""

from __future__ import annotations

from dataclasses import dataclass


def printable(text: str) -> str:
    """The text on one line: whatever would not show, or would move the cursor, is escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


@dataclass(frozen=True)
class Fault:
    """One thing wrong in a contract: where it is, and what to write instead."""

    path: str
    line: int
    column: int
    message: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "message", printable(self.message))

    def __str__(self) -> str:
        return f"{printable(self.path)}:{self.line}:{self.column}: {self.message}"


class ContractError(ValueError):
    """The contract document is wrong, and `faults` says all that is.

    `unreadable`: the file could not be opened, so there was nothing to judge.
    """

    def __init__(self, faults: tuple[Fault, ...], unreadable: bool = False) -> None:
        super().__init__(faults, unreadable)
        self.faults = faults
        self.unreadable = unreadable

    def __str__(self) -> str:
        return "\n".join(map(str, self.faults))


class DataError(Exception):
    """The data could not be read: neither a violation nor a pass."""

    def __init__(self, message: str, path: str | None = None, line: int | None = None) -> None:
        super().__init__(message, path, line)
        self.path = path
        self.line = line

    def __str__(self) -> str:
        return str(self.args[0])
