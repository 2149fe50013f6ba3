"""What every rule needs: the facts of all files, the contracts, the allowances, and the words of a finding.

Judge(known, allowances, ...).findings(rules) -> what the rules find and no comment allows, and allowances without use
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from contracts.auditing.allowances import Allowance
from contracts.auditing.facts import Facts
from contracts.auditing.findings import ALLOWANCES, RULES, Finding, NotJudged
from contracts.auditing.mappings import Mapping
from contracts.auditing.resolving import Column, Known
from contracts.document import Contract
from contracts.quoting import text
from contracts.splicing import flow
from contracts.values import nearest, short

RuleLine = tuple[str, str, int]  # rule, file, line
CONTRACTUAL = [rule for rule in RULES if rule not in ("unwritten-clause", "silent-else", *ALLOWANCES)]


class Judge:
    """Asks the rules, and minds the allowances.

    complete: whether everything was audited. here: the teams of which all SQL was given.
    """

    def __init__(
        self, known: Known, allowances: dict[str, list[Allowance]], dialect: str, complete: bool, here: set[str]
    ) -> None:
        self.known, self.allowances, self.dialect, self.complete = known, allowances, dialect, complete
        self.here = here
        self.asked: dict[RuleLine, dict[object, int]] = defaultdict(dict)  # what a rule finds there, and its column
        self.allowed: set[tuple[RuleLine, object]] = set()
        self.doubtful: set[RuleLine] = set()  # where a rule could not judge
        self.not_judged: dict[NotJudged, None] = {}
        self.measurable: list[tuple[Finding, Facts, Mapping, Column]] = []  # the silent defaults, for `blast`
        self.unwritten: dict[Finding, tuple[Column, list[Any]]] = {}  # and the columns whose values --data can tell

    def findings(self, rules: Sequence[Callable[[Judge], Iterator[Finding]]]) -> list[Finding]:
        """What the rules find, in the order of the questions. They are asked twice: first for what could be allowed."""
        for rule in rules:
            for _ in rule(self):
                pass
        unused = list(self.allow())
        self.measurable.clear()
        self.unwritten.clear()
        order = list(RULES)
        found = dict.fromkeys(one for rule in rules for one in rule(self))
        every = sorted(found, key=lambda one: (order.index(one.rule), one.file, one.line, one.column))
        return every + sorted(unused, key=lambda one: (one.file, one.line, one.column))

    def allow(self) -> Iterator[Finding]:
        """Give each allowance one finding: the first on its own line, or else on the next. Without use, it is one."""
        for file, every in self.allowances.items():
            for one in every:
                where = (file, one.line, one.column, None, None)
                lines = [(one.rule, file, line) for line in range(one.line, one.last + 2)]
                own = [here for here in lines[:-1] if here in self.asked] or lines[-1:]
                each = [(here, what) for here in own for what in in_order(self.asked.get(here, {}))]
                found = [key for key in each if key not in self.allowed][:1]
                if one.rule not in RULES:
                    near = nearest(one.rule, list(RULES))
                    instead = f"did you mean {near}?" if near else f"the rules are {', '.join(list(RULES)[:8])}"
                    says = f"there is no rule {short(one.rule)}" if one.rule else "it says no rule"
                    yield Finding("unused-allowance", *where, says, instead)
                elif not one.reason:
                    instead = f"write contracts: allow {one.rule} because … and why"
                    yield Finding(
                        "allowance-without-reason", *where, f"{one.rule} is allowed without a reason", instead
                    )
                elif found:
                    self.allowed.update(found)
                elif self.was_asked(one.rule, file) and not self.doubtful & {*lines, (one.rule, file, 0)}:
                    says = f"nothing {'more ' * bool(each)}on this line or the next one breaks {one.rule}"
                    yield Finding("unused-allowance", *where, says, "take the comment out")

    def was_asked(self, rule: str, file: str) -> bool:
        """Whether all that the file says was read, and the rule had what it needs: a contract of what it reads."""
        facts = next((one for one in self.known.files if one.file == file), None)
        if facts is None:  # a contract
            return True
        if facts.problems or facts.unrendered or facts.macros:
            return False
        if rule not in CONTRACTUAL:
            return True
        if rule == "unlisted-consumer" and facts.team is None:
            return False
        named = any(self.known.contract(table) for table, _ in facts.tables)
        return named or any(
            column.contract for one in facts.reads for column in self.known.columns(facts, frozenset({one})).columns
        )

    def is_allowed(self, rule: str, file: str, line: int, column: int, what: object = None) -> bool:
        """Whether a comment allows what the rule finds there: at a place, or of several places about one thing."""
        key = (rule, file, line), column if what is None else what
        before = self.asked[key[0]].get(key[1], column)
        self.asked[key[0]][key[1]] = min(before, column)
        return key in self.allowed

    def cannot_judge(self, rule: str, file: str, line: int, reason: str) -> None:
        """Note a question that stays open, so that an allowance of that rule there is not called unused."""
        self.not_judged[NotJudged(file, line, reason)] = None
        self.doubtful |= {(rule, file, line)} | ({(rule, file, 0)} if rule == "unread-field" else set())

    def found(
        self, rule: str, facts: Facts, place: tuple[int, int], column: Column, says: str, instead: str
    ) -> Finding | None:
        """The finding, if no comment allows it."""
        if self.is_allowed(rule, facts.file, *place):
            return None
        return Finding(rule, facts.file, *place, column.table, column.name or None, says, instead)


def in_order(found: dict[object, int]) -> list[object]:
    """What is found on a line, from left to right."""
    return sorted(found, key=lambda what: found[what])


# ---- the words of a finding ------------------------------------------------------------------------------------------


def shown(value: Any) -> str:
    """A value as SQL writes it."""
    return text(value) if isinstance(value, str) else "NULL" if value is None else str(value)


def listed(words: Iterable[str], most: int = 12) -> str:
    """Words in a message, however many there are."""
    every = list(words)
    return ", ".join(map(short, every[:most])) + (f" and {len(every) - most} more" if len(every) > most else "")


def clause_to_paste(column: Column, values: list[Any], comment: str = "") -> str:
    """The clause that nobody wrote."""
    enum = f"enum: {flow(values)}"
    if column.field is not None:
        return f"write in {place_of(column)}: {enum}{comment}"
    kind = "string" if any(isinstance(value, str) for value in values) else "integer"
    where = file_of(column.contract) if column.contract else f"a contract for {column.table}"
    return f"write in {where}, under fields: - {{name: {flow(column.name)}, type: {kind}, {enum}}}{comment}"


def place_of(column: Column) -> str:
    """Where a clause of a field is written."""
    line = column.contract.line(column.name, "name") if column.contract else None
    where = file_of(column.contract) if column.contract else column.table
    return f"{where}{f':{line}' if line else ''}, field {column.name}"


def file_of(contract: Contract | None) -> str:
    """The file of a contract; its dataset where it is not from one."""
    source = contract.source if contract else None
    return source.as_posix() if source else (contract.dataset if contract else "")
