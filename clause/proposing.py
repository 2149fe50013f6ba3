"""Proposing clauses: what a contract could say more, from the profile of the data that it is about.

    candidates(table, column) -> the clauses that the data keeps, the most telling first
    amended(contract, proposals) -> the contract with them
    written(contract, proposals) -> its file, comments kept, each new clause marked for its author to review

A profile knows what is there, not what is meant, so a proposal is a question: may there be other values?
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pyarrow as pa

from clause.roles import MOST_CODES, Profile, Table
from contracts import Contract, ContractError, Field, splicing
from contracts.document import Freshness, Volume, parse, to_mapping
from contracts.errors import printable
from contracts.release import step
from contracts.splicing import Page, Unspliceable, flow

MARK = "  # proposed by drill.py from the data: review"
BOUNDS = ("min", "max", "enum", "max_null_rate")  # of which a tighter one allows less, whatever the data
HEAD = "# A copy of {name}, with clauses that drill.py proposes from {rows} rows of data: review each.\n"


@dataclass(frozen=True)
class Proposal:
    """One clause more. field: None where it is about the table. value: as the model of a contract holds it."""

    field: str | None
    key: str
    value: Any

    @property
    def what(self) -> str:
        return self.key + (f" on {printable(self.field)}" if self.field else "")

    @property
    def says(self) -> str:
        """The clause as a contract's file has it, short."""
        value = to_mapping(self.value) if isinstance(self.value, Freshness | Volume) else self.value
        text = flow(value)
        text = text if len(text) <= 80 else f"{text[:77]}..."
        return f"{self.key}: {text}"

    def stops(self, value: Any) -> bool:
        """Whether this value breaks the clause; True too where one value alone cannot."""
        with suppress(TypeError):
            match self.key:
                case "min":
                    return bool(value < self.value)
                case "max":
                    return bool(value > self.value)
                case "enum":
                    return value not in self.value
        return True

    def to_dict(self) -> dict[str, Any]:
        value = to_mapping(self.value) if isinstance(self.value, Freshness | Volume) else self.value
        return {"field": self.field, "key": self.key, "value": list(value) if isinstance(value, tuple) else value}


Breaks = Callable[[pa.Table, Contract, pa.Table], bool]  # whether rows break a contract, given the rows before


def missing(
    table: Table, column: str | None, broken: pa.Table, chosen: Sequence[Proposal], breaks: Breaks
) -> Proposal | None:
    """The clause that would have caught these mutated rows, if there is one that goes with those chosen already."""
    taken = {(one.field, one.key): one for one in chosen}
    fresh = [one for one in candidates(table, column) if taken.get((one.field, one.key), one) == one]
    tried = dict.fromkeys([*fresh, *chosen])
    return next((one for one in tried if tells(table, one, broken, chosen, breaks)), None)


def tighter(table: Table, column: str | None, broken: pa.Table, breaks: Breaks) -> Proposal | None:
    """The clause that the contract has, so much tighter that it would have caught these rows, if that is possible."""
    found, contract = list[Proposal](), table.contract
    field = contract.field(column) if column else None
    if field is not None and field.name in table.profiles:
        every = of_values(field, table.profiles[field.name])
        found = [
            Proposal(field.name, key, value)
            for key, value in every
            if key in BOUNDS and getattr(field, key) is not None
        ]
    if contract.volume is not None:
        rows = table.rows.num_rows
        found.append(
            Proposal(None, "volume", Volume(min_rows=max(1, math.floor(0.8 * rows)), max_rows=math.ceil(1.2 * rows)))
        )
    return next((one for one in found if tells(table, one, broken, (), breaks)), None)


def tells(table: Table, proposal: Proposal, broken: pa.Table, beside: Sequence[Proposal], breaks: Breaks) -> bool:
    """Whether this clause alone passes the rows as they were and not as they are now, and goes with the others."""
    about = proposal.field or (proposal.value.field if proposal.key == "freshness" else table.fields[0].name)
    bare = {"fields": (table.contract.field(about),), "freshness": None, "volume": None}
    try:
        amended(table.contract, dict.fromkeys([*beside, proposal]))
        alone = amended(table.contract.model_copy(update=bare), [proposal])
    except ValueError:
        return False
    return not breaks(table.rows, alone, table.rows) and breaks(broken, alone, table.rows)


def candidates(table: Table, column: str | None) -> Iterator[Proposal]:
    """Clauses about the column, and then about the table, that the contract has not and the data keeps."""
    contract = table.contract
    field = contract.field(column) if column else None
    if field is not None and field.name in table.profiles:
        for key, value in of_values(field, table.profiles[field.name]):
            if getattr(field, key) is None or getattr(field, key) is False:
                yield Proposal(field.name, key, value)
        if contract.freshness is None and is_loading_time(table, field.name):
            yield Proposal(None, "freshness", Freshness(max_lag=timedelta(days=1), field=field.name, timezone="UTC"))
    for other in table.fields:
        known = table.profiles[other.name]
        if other.type in ("string", "integer") and known.distinct == known.rows > 1 and not other.unique:
            yield Proposal(other.name, "unique", True)
            break
    rows, volume = table.rows.num_rows, contract.volume
    low, high = (volume.min_rows, volume.max_rows) if volume else (None, None)
    if low is None or high is None:
        least = max(1, math.floor(0.8 * rows)) if low is None else low
        most = max(least, math.ceil(1.2 * rows)) if high is None else high
        yield Proposal(None, "volume", Volume(min_rows=least, max_rows=most))


def is_loading_time(table: Table, column: str) -> bool:
    """Whether a time may tell how fresh the rows are: its newest value is no date to come, and no old one."""
    high = table.profiles[column].high
    if not pa.types.is_temporal(table.rows[column].type) or not isinstance(high, date):
        return False
    newest = high.date() if isinstance(high, datetime) else high
    return today() - timedelta(days=365) <= newest <= today()


def today() -> date:
    return datetime.now(UTC).date()


def of_values(field: Field, known: Profile) -> Iterator[tuple[str, Any]]:
    """Clauses about one column's values."""
    numeric = field.type in ("integer", "number") and known.distinct
    if field.type == "string" and 0 < known.distinct <= min(MOST_CODES, known.present / 2):
        yield "enum", tuple(sorted(known.common))
    if field.type == "string" and known.present and not field.enum:
        shortest, longest = known.shortest or 0, known.longest or 0
        if longest <= 1000:  # more than RE2 repeats
            length = f"{{{shortest}}}" if shortest == longest else f"{{{shortest},{longest}}}"
            yield "pattern", f"[0-9]{length}" if known.digits else f"(?s:.){length}"
        yield "pattern", r"\S|\S(?s:.*)\S"
    if numeric and not field.enum:
        yield "max", rounded(known.high, math.ceil)
        yield "min", rounded(known.low, math.floor)
    if known.present == known.rows:
        if not field.max_null_rate:
            yield "required", True
    elif not field.required and known.present:
        yield "max_null_rate", math.ceil(100 * (1 - known.present / known.rows)) / 100


def rounded(value: Any, towards: Any) -> int | float:
    """A bound with one digit, away from the values: 448,000 gives at most 500,000."""
    number = float(value)
    if number == 0 or not math.isfinite(number):
        return 0
    unit = 10.0 ** math.floor(math.log10(abs(number)))
    bound = towards(number / unit) * unit
    if isinstance(value, int):
        return int(towards(round(bound)))
    return float(f"{bound:.12g}")


def amended(contract: Contract, proposals: Iterable[Proposal]) -> Contract:
    """The contract with these clauses. Raises ContractError where they do not go together."""
    for proposal in proposals:
        if proposal.field is None:
            contract = contract.model_copy(update={proposal.key: proposal.value})
            continue
        fields = [
            Field.model_validate({**dict(field), proposal.key: proposal.value})
            if field.name == proposal.field
            else field
            for field in contract.fields
        ]
        contract = contract.model_copy(update={"fields": tuple(fields)})
    return contract


def written(contract: Contract, proposals: list[Proposal], rows: int, name: str) -> str:
    """The file of the contract with these clauses: as its author wrote it, each new line marked, a minor version on.

    name: that of the new file, without its suffix; where it would make another dataset, the file says its dataset.
    """
    wanted = amended(contract, proposals)
    wanted = wanted.model_copy(update={"version": step(contract.version, "minor")})
    source = contract.source.read_bytes().decode("utf-8-sig") if contract.source else splicing.written(contract)
    before = f"{contract.source.name}" if contract.source else contract.dataset
    try:
        page = Page(source)
        text = splicing.respelled(page, contract, wanted)
        if parse(text, source=f"{name}.yaml").dataset != contract.dataset:
            page.set(None, "dataset", contract.dataset)
            text = page.text
    except Unspliceable:
        source, text = "", splicing.written(wanted)
    head = HEAD.format(name=printable(before), rows=f"{rows:,}").replace("\n", "\r\n" if "\r\n" in source else "\n")
    for found in (head + marked(source, text), head + text, head + splicing.written(wanted)):
        try:
            if parse(found, source=f"{name}.yaml") == wanted:
                return found
        except ContractError:
            pass
    raise ContractError(())  # not reached: the last is the model's own spelling


def marked(source: str, text: str) -> str:
    """The text, with a mark at the end of each line that the source has not."""
    lines = text.splitlines(keepends=True)
    old, new = source.splitlines(), text.splitlines()  # a line is the author's own, however it ends
    for kind, _, _, start, end in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        for i in range(start, end) if kind in ("insert", "replace") else ():
            if not re.match(r"\s*(version|dataset):", new[i]):
                lines[i] = f"{new[i]}{MARK}{lines[i][len(new[i]) :]}"
    return "".join(lines)
