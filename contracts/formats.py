"""The verdict on a step between two versions, or why there is none, as text, JSON, GitHub annotations and markdown."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from contracts.changes import Change
from contracts.document import Contract
from contracts.errors import brief, json_text, printable, unlinked
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
    known = field if field and new.field(field) else None
    place = f"file={escaped(path, ',:')},line={new.line(known, 'name' if known else 'version') or 1}"
    return f"::{kind} {place}::{escaped(says)}"


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


def escaped(says: str, also: str = "") -> str:
    """Text in a workflow command: percent signs, line ends, and the signs of `also`, by their code."""
    return "".join(f"%{ord(c):02X}" if c in "%\r\n" + also else c for c in says)


def together(form: str, said: list[str]) -> str:
    """The verdicts on several contracts as one text, and in JSON as one list."""
    if form == "json" and len(said) > 1:
        return f"[{', '.join(said)}]"
    return ("\n" if form == "github" else "\n\n").join(said)


FORMATS: dict[str, Callable[[Verdict, Contract], str]] = {
    "text": text,
    "json": as_json,
    "github": github,
    "markdown": markdown,
}


# --- where a command could not check: each form says so in its own way ---------------------------------------------


def sarif_failure(why: str) -> str:
    """A run that was not successful, and why."""
    notes = [{"level": "error", "message": {"text": unlinked(why)}}]
    invocation = {"executionSuccessful": False, "toolExecutionNotifications": notes}
    run = {"tool": {"driver": {"name": "contracts audit"}}, "results": [], "invocations": [invocation]}
    return json_text({"version": "2.1.0", "runs": [run]})


FAILURES: dict[str, Callable[[str], str]] = {
    "json": lambda why: json_text({"verdict": "could not check", "error": why}),
    "github": lambda why: f"::error title=could not check::{escaped(why)}",
    "markdown": lambda why: "\n".join(["### COULD NOT CHECK", "", *(f"- {cell(line)}" for line in why.splitlines())]),
    "sarif": sarif_failure,
}
