"""The matrix of a drill, mutations down and guards across: as text, as JSON, as a figure."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa

from clause.charging import Costs
from clause.daybook import counted, day
from clause.proposing import Proposal
from contracts.arguments import Parser
from contracts.ending import place
from contracts.errors import printable

GUARDS = {  # guard -> its heading
    "contract": "contract",
    "boundary": "boundary",
    "boundary_validate": "validate=True",
    "readers": "readers' SQL",
    "shape": "shape",
    "shape_calibrated": "calibrated",
    "gmv": "GMV",
}
IN_THE_BUILD = ("contract", "boundary", "boundary_validate", "readers")  # before any order is charged


@dataclass(frozen=True)
class Notice:
    """One guard that raised something: by which clause, file or monitor, and on which day."""

    guard: str
    by: str
    day: date | None
    message: str
    days: int = 1  # on how many days, of a monitor


@dataclass(frozen=True)
class Row:
    """One mutation: who noticed it, when, and what it cost in EUR. The figures are None where nobody is charged."""

    name: str
    axis: str
    models: str
    column: str | None = None
    harmless: bool = False
    why_not: str = ""  # why the mutation does not apply
    changes: bool = False  # whether a consumer gets something else
    notices: tuple[Notice, ...] = ()
    not_judged: tuple[str, ...] = ()  # guards that could not judge it, and stay silent
    first_day: date | None = None
    cost_eur: float | None = None
    until_noticed_eur: float | None = None
    under_charged_eur: float | None = None
    over_charged_eur: float | None = None
    example: str = ""  # what became of what
    proposal: Proposal | None = None  # the clause that would have caught it, where the contract did not
    tighter: Proposal | None = None  # the clause of the contract that would have, were it tighter: nobody adds that

    @property
    def title(self) -> str:
        return self.name + (f" [{printable(self.column)}]" if self.column else "")

    @property
    def applies(self) -> bool:
        return not self.why_not

    @property
    def counts(self) -> bool:
        """Whether it counts in the score: it applies, is no control, and changes what a consumer computes."""
        return self.applies and not self.harmless and self.changes

    @property
    def noticed_by(self) -> list[str]:
        """The guards, in the order of the matrix."""
        return [guard for guard in GUARDS if any(notice.guard == guard for notice in self.notices)]

    @property
    def caught(self) -> bool:
        """Whether the contract noticed it."""
        return "contract" in self.noticed_by

    def first(self, guard: str) -> list[Notice]:
        """The notices of a guard on its first day."""
        mine = [notice for notice in self.notices if notice.guard == guard]
        return [notice for notice in mine if notice.day == min((each.day for each in mine if each.day), default=None)]

    def to_dict(self) -> dict[str, Any]:
        """The row as JSON has it."""
        mine = ["name", "axis", "column", "models", "harmless", "applies", "why_not", "changes", "noticed_by"]
        money = ("cost_eur", "until_noticed_eur", "under_charged_eur", "over_charged_eur")
        said = [vars(notice) | {"day": iso(notice.day)} for notice in self.notices]
        found = {name: getattr(self, name) for name in mine}
        found |= {"not_judged": list(self.not_judged), "first_day": iso(self.first_day)}
        return found | {name: getattr(self, name) for name in money} | {"notices": said}

    def with_costs(self, costs: Costs) -> Row:
        """The row with what the mutation cost by day: in all, and until the first notice."""
        under, over = (sum(cost[i] for cost in costs.values()) for i in (0, 1))
        paid = [sum(cost) for day, cost in costs.items() if self.first_day is None or day <= self.first_day]
        until = 0.0 if set(IN_THE_BUILD).intersection(self.noticed_by) else sum(paid)
        return replace(
            self,
            cost_eur=round(under + over, 2),
            until_noticed_eur=round(until, 2),
            under_charged_eur=round(under, 2),
            over_charged_eur=round(over, 2),
        )


@dataclass(frozen=True)
class Result:
    """All that a drill found. `matrix` has a row for each mutation, in the order of `mutations.py`."""

    dataset: str
    version: str
    rows: int
    matrix: tuple[Row, ...]
    not_judged: Mapping[str, str]  # guard -> why it could not judge anything: which is not the same as fine
    since: date | None = None  # the day from which the mutations are in
    days: tuple[date, ...] = ()  # those that they are in
    thresholds: Mapping[str, Any] = field(default_factory=dict)  # what the quiet days allow the calibrated shape

    @property
    def counted(self) -> list[Row]:
        return [row for row in self.matrix if row.counts]

    @property
    def survivors(self) -> list[Row]:
        """The mutations that change what a consumer computes, and that the contract lets pass."""
        return [row for row in self.counted if not row.caught]

    @property
    def mutation_score(self) -> float | None:
        """Caught by the contract, of those that change what a consumer computes; None where none does."""
        return round(1 - len(self.survivors) / len(self.counted), 4) if self.counted else None

    @property
    def false_alarms(self) -> list[Row]:
        """The harmless controls that raised anything."""
        return [row for row in self.matrix if row.harmless and row.notices]

    @property
    def proposals(self) -> list[Proposal]:
        """The clauses that would have caught survivors, each once."""
        return list(dict.fromkeys(row.proposal for row in self.survivors if row.proposal))

    def to_dict(self) -> dict[str, Any]:
        """The result as `--format json` prints it."""
        return {
            "dataset": self.dataset,
            "version": self.version,
            "rows": self.rows,
            "since": iso(self.since),
            "mutations": [row.to_dict() for row in self.matrix],
            "mutation_score": self.mutation_score,
            "caught": len(self.counted) - len(self.survivors),
            "counted": len(self.counted),
            "survivors": [
                {"name": row.name, "column": row.column, "noticed_by": row.noticed_by, "clause": proposed(row)}
                for row in self.survivors
            ],
            "false_alarms": [
                {"name": row.name, "column": row.column, "noticed_by": row.noticed_by} for row in self.false_alarms
            ],
            "not_judged": dict(self.not_judged),
            "thresholds": dict(self.thresholds),
        }

    def __str__(self) -> str:
        return as_text(self)


def example(
    before: pa.Table, after: pa.Table, column: str | None, telling: Callable[[Any], bool] = lambda value: True
) -> str:
    """What became of what, in a few words: of a column the first telling value that came, else the number of rows."""
    if before.num_rows != after.num_rows:
        return f"{after.num_rows:,} rows in the place of {before.num_rows:,}"
    if column not in after.column_names:
        return ""
    with suppress(ValueError, OverflowError):  # a time that Python does not have
        for was, now in zip(before[column], after[column], strict=True):
            is_new = was.as_py() != now.as_py() and now.as_py() == now.as_py()  # not from NaN to NaN
            if is_new and telling(now.as_py()):
                return f"{shown(was.as_py())} written as {shown(now.as_py())}"
    return ""


def shown(value: Any) -> str:
    """A value in a message: short, texts in quotes."""
    text = "NULL" if value is None else repr(value) if isinstance(value, str) else str(value)
    return printable(text if len(text) <= 40 else f"{text[:39]}…")


def iso(when: date | None) -> str | None:
    return when.isoformat() if when else None


def proposed(row: Row) -> dict[str, Any] | None:
    return row.proposal.to_dict() if row.proposal else None


# --- as text ---------------------------------------------------------------------------------------------------------


def as_text(result: Result) -> str:
    """The matrix, the score, what survived and the clause that would catch it, false alarms, what was not judged."""
    columns = heads(result)
    table = [["mutation", "axis", *columns.values()]]
    table += [[row.title, row.axis, *cells(row, result)] for row in result.matrix if row.applies]
    widths = [max(len(line[i]) for line in table) for i in range(len(table[0]))]
    days = f"; mutated from {result.days[0]} on, {counted(len(result.days), 'day')}" if result.days else ""
    lines = [f"The drill on {printable(result.dataset)} {result.version}, {counted(result.rows, 'row')}{days}", ""]
    is_money = [column in ("cost", "until") for column in ("", "", *columns)]
    for line in table:
        padded = zip(line, widths, is_money, strict=True)
        lines.append("  ".join(cell.rjust(n) if right else cell.ljust(n) for cell, n, right in padded).rstrip())
    return "\n".join([*lines, "", *legend(result), *verdict(result)])


def legend(result: Result) -> Iterator[str]:
    """What the words in the matrix mean."""
    yield "each column is a guard, and a word in it what noticed; `.` is silence, ? not judged, +1 one more of its kind"
    if "cost" in heads(result):
        yield "EUR: what orders are charged too little and too much, added up; until noticed: before a guard has spoken"


def heads(result: Result) -> dict[str, str]:
    """The columns that the matrix has: the guards that can judge this table, and the cost if anything is charged."""
    found = {guard: name for guard, name in GUARDS.items() if guard not in result.not_judged}
    is_charged = any(row.cost_eur is not None for row in result.matrix)
    return found | ({"cost": "EUR", "until": "until noticed"} if is_charged else {})


def cells(row: Row, result: Result) -> list[str]:
    """What each guard did: "." nothing, "?" it could not judge; of several clauses the first, and how many more."""
    said = {"cost": euros(row.cost_eur), "until": until(row)}
    return [said.get(column) or cell(row, column, result) for column in heads(result)]


def cell(row: Row, guard: str, result: Result) -> str:
    """What one guard did, in a word: the clause or the monitor, and the day."""
    said = row.first(guard)
    if not said:
        return "?" if guard in row.not_judged else "."
    if guard == "readers":
        return counted(len(said), "error")
    if guard.startswith("boundary"):
        return "stops"
    by = "" if guard == "gmv" else said[0].by.split(":")[0] + (f" +{len(said) - 1}" if len(said) > 1 else "")
    return by if guard == "contract" else f"{by} {nth(said[0].day, result)}".strip()


def nth(when: date | None, result: Result) -> str:
    """A day by its number, counted from the one on which the mutation came in."""
    return f"day {result.days.index(when) + 1}" if when in result.days else str(when)


def until(row: Row) -> str:
    """What it cost until the first notice, in EUR; never, where nobody gave one."""
    return "-" if row.harmless else euros(row.until_noticed_eur) if row.notices or row.cost_eur is None else "never"


def euros(amount: float | None) -> str:
    return "-" if amount is None else f"{amount:,.2f}"


def verdict(result: Result) -> Iterator[str]:
    """The sentences under the matrix."""
    caught, of = len(result.counted) - len(result.survivors), len(result.counted)
    score = "-" if result.mutation_score is None else f"{result.mutation_score:.0%}"
    yield f"mutation score {score}: the contract catches {caught} of {of} that change what a consumer computes"
    for proposal in result.proposals:
        mine = [row for row in result.survivors if row.proposal == proposal]
        yield f"no {proposal.what}: {mine[0].example or mine[0].name} passes; write {proposal.says}"
        yield from (f"  survivor: {seen(row)}" for row in mine)
    for row in result.survivors:
        if one := row.tighter:
            yield f"wide {one.what}: {row.example or row.name} passes; {one.says} would catch it, if that is meant"
            yield f"  survivor: {seen(row)}"
    if rest := [row for row in result.survivors if not row.proposal and not row.tighter]:
        yield "no further clause, and no tighter bound, would catch these:"
        yield from (f"  survivor: {seen(row)}: {row.example or 'it'} passes" for row in rest)
    alarms = ", ".join(f"{row.title} ({', '.join(row.noticed_by)})" for row in result.false_alarms)
    controls = sum(row.harmless and row.applies for row in result.matrix)
    yield f"false alarms: {alarms or 'none'}, of {counted(controls, 'harmless control')}"
    if result.thresholds:
        had = result.thresholds
        yield (
            f"calibrated: shape with the thresholds that {counted(had['judged'], 'quiet day')} allow,"
            f" {had['points']:g} point{'s' * (had['points'] != 1)} for the markdown and PSI {had['psi']:g} for the mix"
        )
    if same := [row.title for row in result.matrix if row.applies and not row.harmless and not row.changes]:
        yield f"not counted, as no consumer gets anything else: {', '.join(same)}"
    for row in result.matrix:
        if not row.applies:
            yield f"not applicable: {row.title}: {printable(row.why_not)}"
    for why in dict.fromkeys(result.not_judged.values()):
        them = [GUARDS.get(guard, printable(guard)) for guard, reason in result.not_judged.items() if reason == why]
        yield f"not judged: {', '.join(them)}: {printable(why)}"


def seen(row: Row) -> str:
    others = [name for guard, name in GUARDS.items() if guard in row.noticed_by]
    return f"{row.title}, seen by {', '.join(others) or 'nobody'}"


# --- asked for on the command line -----------------------------------------------------------------------------------


def read_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The arguments of `drill.py`."""
    parser = Parser(
        prog="python drill.py",
        description="Break the data on purpose and see who notices. Exit status: 0 no mutation that matters survives"
        " the contract and there is no false alarm, 1 one does or there is, 2 could not drill.",
        epilog="Columns of the matrix: contract, the clauses; boundary, a function with @contract, which looks at names"
        " and types; validate=True, the same with @contract(validate=True), which looks at every value; readers' SQL,"
        " that of the consumers, where it stops; shape, calibrated and GMV, the monitors (MANUAL.md).",
    )
    add = parser.add_argument
    add(
        "contract",
        nargs="?",
        metavar="CONTRACT",
        type=place,
        help="the contract, a YAML file (default: that of the shop's listings)",
    )
    add(
        "data",
        nargs="?",
        metavar="DATA",
        type=place,
        help="CSV, Parquet or JSON files, a path or a glob (default: the shop)",
    )
    add(
        "--consumers",
        type=path,
        metavar="DIR",
        help="the consumers' SQL, DIR/<team>/*.sql (default: beside the contract)",
    )
    add("--every-column", action="store_true", help="try each mutation on every column that it fits, not on one")
    for name, what in (
        ("day", "of the day, for the monitors"),
        ("amount", "of the amount, for the monitors"),
        ("list-amount", "of the list amount"),
        ("branch", "that the price rule branches on"),
    ):
        add(f"--{name}", metavar="COLUMN", help=f"column {what}")
    add("--since", type=day, metavar="DAY", help="the day from which the data is mutated (default: the last third)")
    add("--format", choices=("text", "json"), default="text", help="how to say it (default: text)")
    add("--plot", metavar="FILE", type=place, help="draw the matrix (.png, .svg, .pdf)")
    add("--write", type=path, metavar="FILE", help="write a copy of CONTRACT with the clauses that are missing")
    given = parser.parse_args(arguments)
    if (given.day is None) != (given.amount is None):
        parser.error("the monitors need both --day and --amount; give the other one too")
    if given.day is None and (given.list_amount or given.branch or given.since):
        parser.error("--list-amount, --branch and --since are for the monitors, which need --day and --amount too")
    if given.data is None and (given.day or given.consumers):
        parser.error("--day, --amount and --consumers are about DATA; give it, or leave them out for the shop")
    return given


def path(text: str) -> Path:
    return Path(place(text))
