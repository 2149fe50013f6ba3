"""The verdict on a step between two versions, as text, JSON, GitHub annotations and markdown."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from contracts.changes import Change
from contracts.document import Contract
from contracts.errors import brief, json_text, printable
from contracts.release import Verdict


def text(found: Verdict, new: Contract) -> str:
    """For a terminal: the changes, why not, what to do instead, and the verdict last."""
    wide = max((len(change.rule) for change in found.changes), default=0)
    lines = [f"{change.bump:<5}  {change.kind:<10}  {change.rule:<{wide}}  {change}" for change in found.changes]
    for title, said in (("because", found.reasons), ("not checked", found.not_checked), ("instead", found.instead)):
        lines += [f"{title}: {brief(one)}" for one in said]
    return "\n".join([*lines, str(found)])


def as_json(found: Verdict, new: Contract) -> str:
    return json_text(found.to_dict())


def github(found: Verdict, new: Contract) -> str:
    """Annotations in a pull request: an error for each reason, a warning for what could not be checked, notices."""
    lines = []
    for kind, said in (("error", found.reasons), ("warning", found.not_checked)):
        for one in said:
            field = next((field.name for field in new.fields if one.startswith(f"{field.name}: ")), None)
            lines.append(annotation(kind, new, field, brief(one)))
    for change in found.changes:
        kind = "error" if change.breaking and found.reasons else "notice"
        lines.append(annotation(kind, new, change.field, f"{change.bump}: {change}"))
    return "\n".join([*lines, annotation("notice" if found.status == 0 else "error", new, None, str(found))])


def annotation(kind: str, new: Contract, field: str | None, says: str) -> str:
    """One workflow command; what would end it, or begin another, is escaped."""
    path = printable(Path(new.source).as_posix()) if new.source else ""
    for sign in "%,:":
        path = path.replace(sign, f"%{ord(sign):02X}")
    known = field if field and new.field(field) else None
    place = f"file={path},line={new.line(known, 'name' if known else 'version') or 1}"
    return f"::{kind} {place}::{says.replace('%', '%25')}"


def markdown(found: Verdict, new: Contract) -> str:
    """For a comment in a pull request."""
    lines = [f"### {cell(str(found))}", ""]
    if found.changes:
        lines += ["| bump | kind | rule | change |", "| --- | --- | --- | --- |"]
        lines += [row(change) for change in found.changes]
    for title, said in (("Because", found.reasons), ("Not checked", found.not_checked), ("Instead", found.instead)):
        if said:
            lines += ["", f"**{title}**", "", *(f"- {cell(brief(one))}" for one in said)]
    return "\n".join(lines)


def row(change: Change) -> str:
    """A change as a row of the table in markdown."""
    bump = f"**{change.bump}**" if change.breaking else change.bump
    return f"| {bump} | {change.kind} | {change.rule} | {cell(str(change))} |"


def cell(says: str) -> str:
    """Text that stays text in markdown, where an address alone would be a link, and what dollars enclose a formula."""
    return re.sub(r"[\\`*_{}\[\]<>|#&~!$]|:(?=//)|(?<=www)\.", r"\\\g<0>", says)


FORMATS: dict[str, Callable[[Verdict, Contract], str]] = {
    "text": text,
    "json": as_json,
    "github": github,
    "markdown": markdown,
}
