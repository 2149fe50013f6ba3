"""Rounds of measured processes, the medians and ratios over them, and the tables that show these."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable, Sequence

from processes import Measured, NotRun

OURS, QUERY = "ours", "bare query"


class Rounds:
    """What each tool took in each round, by name; and why some could not be measured."""

    def __init__(self) -> None:
        self.found: dict[str, list[Measured]] = {}
        self.why: dict[str, str] = {}

    def run(self, jobs: dict[str, Callable[[], Measured]], rounds: int) -> None:
        """All jobs in turn, in each round from another one on; who fails once is not asked again."""
        names = list(jobs)
        for i in range(rounds):
            for name in names[i % len(names) :] + names[: i % len(names)]:
                if name in self.why:
                    continue
                try:
                    self.found.setdefault(name, []).append(jobs[name]())
                except NotRun as error:
                    self.why[name] = str(error)
                    self.found.pop(name, None)
                    print(f"{name}: {error}", file=sys.stderr, flush=True)

    def median(self, name: str, what: Callable[[Measured], float]) -> float:
        return statistics.median(what(one) for one in self.found[name])

    def ratio(self, name: str, to: str, what: Callable[[Measured], float]) -> float:
        """The median of the ratios within a round; NaN where the other was not measured."""
        pairs = list(zip(self.found[name], self.found.get(to, []), strict=False))
        return statistics.median(what(a) / what(b) for a, b in pairs) if pairs else float("nan")

    def not_first(self, measures: dict[str, Callable[[Measured], float]], ours: str = OURS) -> str:
        """A sentence on who needs less than we do, of what; the bare query is the floor, and no tool."""
        if ours not in self.found:
            return ""
        ahead = [
            f"{what}: {name} ({self.ratio(name, ours, how):.2f} of ours)"
            for what, how in measures.items()
            for name in self.found
            if name not in (ours, QUERY) and self.ratio(name, ours, how) < 1
        ]
        return f"Where we are not first: {'; '.join(ahead)}." if ahead else "We are first in every column."


def wall(one: Measured) -> float:
    return one.wall


def cpu(one: Measured) -> float:
    return one.cpu


def peak(one: Measured) -> float:
    return one.peak


def check(one: Measured) -> float:
    """The check alone, first in its process."""
    return one.answer["wall"][0]


def warm(one: Measured) -> float:
    """The check alone, once more in a process that has done it before."""
    return statistics.median(one.answer["wall"][1:])


PROCESS = {"wall": wall, "CPU": cpu, "memory": peak}


def shown(value: float, digits: int = 3) -> str:
    """Three digits that matter, such as 0.0123, 4.57, 1,230."""
    if value != value:
        return "-"
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.{digits}g}" if value < 1 else f"{value:.2f}" if value < 10 else f"{value:.1f}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "/") for cell in line) + " |" for line in lines)


def compared(rounds: Rounds, names: Sequence[str], more: dict[str, Callable[[Measured], float]]) -> str:
    """The table of whole processes, with columns of seconds more, and the line that says where we are not first."""
    head = ["tool", "wall s", "CPU s", "peak MiB", *(f"{name} s" for name in more)]
    measures = PROCESS | more
    head += [f"{name} ÷ ours" for name in measures] + ["wall ÷ bare query"]
    rows = []
    for name in names:
        if name in rounds.why:
            rows.append([name, f"not measured: {rounds.why[name]}", *[""] * (len(head) - 2)])
            continue
        row = [name, *(shown(rounds.median(name, how)) for how in measures.values())]
        row += [shown(rounds.ratio(name, OURS, how)) for how in measures.values()]
        rows.append([*row, shown(rounds.ratio(name, QUERY, wall))])
    return f"{table(head, rows)}\n\n{rounds.not_first(measures)}"
