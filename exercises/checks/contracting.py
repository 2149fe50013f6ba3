"""A contract that the student has written: loaded and linted, with what is wrong in it at its line."""

from __future__ import annotations

from collections.abc import Iterable

from contracts.document import Contract, Field, concerns, load
from contracts.errors import ContractError
from exercises.checks.student import Workbook, Wrong, place, shown


def contract_in(book: Workbook, name: str) -> Contract:
    """The contract in the student's file. Raises Wrong where `python -m contracts lint` finds a fault."""
    path = book.path(name)
    text = book.text(path)
    if not any(line.strip() and not line.lstrip().startswith("#") for line in text.splitlines()):
        raise Wrong(place(path), "Nothing is written here yet, comments aside.")
    try:
        contract = load(path)
        faults = concerns(contract)
    except ContractError as error:
        faults = error.faults
    if faults:
        first, more = faults[0], len(faults) - 1
        others = f"\n{more} more: python -m contracts lint exercises/{name}" if more else ""
        end = "" if first.message.endswith("?") else "."
        raise Wrong(place(path, first.line), f"The contract has a fault: {first.message}{end}{others}")
    return contract


class Promises:
    """The promises of a student's contract, asked one by one; each `expect` raises Wrong at the line of the promise."""

    def __init__(self, book: Workbook, name: str) -> None:
        self.path = book.path(name)
        self.contract = contract_in(book, name)

    def expect(
        self, found: object, right: object, what: str, why: str, field: str | None = None, key: str = ""
    ) -> None:
        """Where found is not right: the line, what was expected, what is there, and why it matters."""
        if found != right:
            raise self.wrong(why, field, key, expected=f"{what}: {worded(right)}", got=f"{what}: {worded(found)}")

    def wrong(self, why: str, field: str | None = None, key: str = "", **facts: str) -> Wrong:
        return Wrong(place(self.path, self.contract.line(field, key)), why, **facts)

    def field(self, name: str) -> Field:
        found = self.contract.field(name)
        if found is None:
            near = [f.name for f in self.contract.fields if f.name.casefold() == name.casefold()]
            hint = f" There is {shown(near[0])}, which differs in case." if near else ""
            raise self.wrong(f"The contract says nothing about the column {name}.{hint}", None, "fields")
        return found


def worded(value: object) -> str:
    """A value of a contract as its file would say it."""
    if value is None:
        return "not written"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return value
    if isinstance(value, set | frozenset | tuple | list):
        values: Iterable[object] = sorted(value, key=str) if isinstance(value, set | frozenset) else value
        return f"[{', '.join(map(str, values))}]"
    return shown(value)
