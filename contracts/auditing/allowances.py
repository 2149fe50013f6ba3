"""`contracts: allow RULE because REASON` in a comment, on the line of a finding or on the one above, silences it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

COMMENT = re.compile(r"--[^\n]*|//[^\n]*|#[^\n]*|/\*.*?\*/", re.DOTALL)
ALLOW = re.compile(r"contracts:\s*allow\b[ \t]*((?!because\b)[\w-]*)[ \t]*(because\b)?")


@dataclass(frozen=True)
class Allowance:
    """One comment: the rule, the reason (empty if none is given), its first and last line."""

    rule: str
    reason: str
    line: int
    column: int
    last: int


def in_comments(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, comment) of the SQL comments in text that holds nothing else but blanks."""
    for comment in COMMENT.finditer(text):
        if "contracts:" in comment[0]:
            yield comment.start(), comment.end(), comment[0]


def allowance(comment: str, line: int, column: int, last: int) -> Allowance | None:
    """The allowance that a comment is, if it is one."""
    end = len(comment)
    while end and (comment[end - 1] in "*/#}-" or comment[end - 1].isspace()):  # a pattern would try it at every sign
        end -= 1
    for found in ALLOW.finditer(comment):
        if found[2] or found.end() >= end:
            reason = comment[found.end() : end].lstrip(": \t\n\r")
            return Allowance(found[1], " ".join(reason.split()), line, column, last)
    return None
