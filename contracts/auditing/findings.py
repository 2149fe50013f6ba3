"""What an audit finds: the rules in the order of the lesson's six questions, and the result as a whole."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from contracts.errors import brief, masked, printable

QUESTIONS = (
    ("Which values does our logic branch on that nobody has promised?", ("unwritten-clause",)),
    ("What happens to a value that nobody expected?", ("silent-else",)),
    ("Where does a column enter that nobody has asked for?", ("star-across-boundary",)),
    ("Do our branches and the promised values agree?", ("unknown-literal", "unhandled-value")),
    ("Which numbers have a unit that nobody has written down?", ("unwritten-unit",)),
    ("Who reads the table, and which of its promises does nobody need?", ("unlisted-consumer", "unread-field")),
)
ALLOWANCES = ("unused-allowance", "allowance-without-reason")
RULES = {  # each rule, and why it matters
    "unwritten-clause": "Logic branches on values that no contract states, so the producer may change them unseen.",
    "silent-else": "A value that nobody expected becomes a plain result, and nothing downstream can tell.",
    "star-across-boundary": "A star over another team's table takes whatever columns that team adds, drops or renames.",
    "unknown-literal": "The contract does not know the literal, so the branch can never be taken.",
    "unhandled-value": "A value that the contract promises has no branch of its own and takes the default.",
    "unwritten-unit": "SQL converts a number whose unit is written nowhere, or against the unit that is.",
    "unlisted-consumer": "The producer asks the consumers before a change, and does not know of this one.",
    "unread-field": "A promise that nobody needs costs the producer freedom and protects nobody.",
    "unused-allowance": "An allowance that silences nothing hides the next finding of its kind.",
    "allowance-without-reason": "Nobody can judge later whether an allowance without a reason still holds.",
}


@dataclass(frozen=True)
class Finding:
    """One place, what is wrong there, and what to write instead."""

    rule: str
    file: str
    line: int
    column: int
    table: str | None
    field: str | None
    message: str
    suggestion: str
    blast_radius: dict[str, Any] | None = dataclasses.field(default=None, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "message", brief(self.message))
        object.__setattr__(self, "suggestion", printable(self.suggestion))  # whole: it may be a clause to paste

    def to_dict(self) -> dict[str, Any]:
        """The finding as JSON has it; `blast_radius` only where one was measured."""
        return {name: value for name, value in vars(self).items() if name != "blast_radius" or value is not None}


@dataclass(frozen=True)
class NotAudited:
    """A file, or a part of it, that nobody has looked at."""

    file: str
    reason: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "file", masked(self.file))  # it may be an address, with a password


@dataclass(frozen=True)
class NotJudged:
    """A question that the SQL and the contracts leave open; it is no finding."""

    file: str
    line: int
    reason: str


@dataclass
class Audit:
    """The answer: findings in the order of the questions, and of what nothing is known."""

    findings: list[Finding]
    not_audited: list[NotAudited]
    not_judged: list[NotJudged]
    files: int

    @property
    def status(self) -> int:
        """0: nothing found, 1: findings, 2: something was not audited."""
        return 2 if self.not_audited else 1 if self.findings else 0

    def of(self, *rules: str) -> list[Finding]:
        return [one for one in self.findings if one.rule in rules]

    def to_dict(self) -> dict[str, Any]:
        """The answer as JSON has it."""
        return {
            "findings": [one.to_dict() for one in self.findings],
            "not_audited": [vars(one) for one in self.not_audited],
            "not_judged": [vars(one) for one in self.not_judged],
            "summary": {
                "files": self.files,
                "questions": [
                    {"question": question, "findings": len(self.of(*rules))} for question, rules in QUESTIONS
                ],
            },
        }
