"""The audit as text, JSON, GitHub annotations, SARIF, and as a page of markdown for a meeting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from contracts.auditing.findings import ALLOWANCES, QUESTIONS, RULES, Audit, Finding
from contracts.errors import json_text, printable, unlinked
from contracts.formats import cell, escaped


def text(found: Audit) -> str:
    """For a terminal: the findings under their questions, what was not audited, and the sum last."""
    lines: list[str] = []
    for number, (question, rules) in enumerate(QUESTIONS, 1):
        if findings := found.of(*rules):
            lines += [f"{number}. {question}", *(line for one in findings for line in said(one)), ""]
    if findings := found.of(*ALLOWANCES):
        lines += ["Allowances", *(line for one in findings for line in said(one)), ""]
    lines += [f"not audited: {printable(f'{one.file}: {one.reason}')}" for one in found.not_audited]
    lines += [f"not judged: {note}" for note in notes(found)]
    return "\n".join([*lines, total(found)])


def said(one: Finding) -> list[str]:
    """A finding for a terminal: the place and what is wrong, and below it what to write instead."""
    return [printable(f"{place(one)}: {one.rule}: {one.message}"), f"    {one.suggestion}"]


def place(one: Finding) -> str:
    """file:line:column"""
    return f"{one.file}:{one.line}:{one.column}"


def notes(found: Audit) -> list[str]:
    """What was not judged, a line each."""
    return [printable(f"{one.file}:{one.line}: {one.reason}" if one.file else one.reason) for one in found.not_judged]


def total(found: Audit) -> str:
    """The sum, in one line."""
    count = len(found.findings)
    counts = {rule: len(found.of(rule)) for rule in RULES}
    each = ", ".join(f"{number} {rule}" for rule, number in counts.items() if number)
    says = f"{found.files:,} file{'s' * (found.files != 1)} audited: {count or 'no'} finding{'s' * (count != 1)}"
    says += f" ({each})" if each else ""
    missing = len(found.not_audited)
    return says + (f"; NOT AUDITED: {missing} (listed above), so this is not the whole answer" if missing else "")


def as_json(found: Audit) -> str:
    return json_text(found.to_dict(), default=str)


def github(found: Audit) -> str:
    """Annotations in a pull request: a warning for each finding, an error for what was not audited."""
    lines = []
    for one in found.findings:
        where = {"file": one.file, "line": one.line, "col": one.column, "title": one.rule}
        lines.append(command("warning", where, f"{one.message}: {one.suggestion}"))
    for missing in found.not_audited:
        lines.append(command("error", {"file": missing.file, "title": "not audited"}, missing.reason))
    lines += [command("notice", {"title": "not judged"}, note) for note in notes(found)]
    return "\n".join([*lines, total(found)])


def command(kind: str, properties: dict[str, Any], says: str) -> str:
    """One workflow command; what would end it, or begin another, is escaped."""
    given = ",".join(f"{key}={escaped(printable(str(value)), ':,')}" for key, value in properties.items())
    return f"::{kind} {given}::{escaped(printable(says))}"


def sarif(found: Audit) -> str:
    """SARIF 2.1.0: a result for each finding; what was not audited makes the run incomplete."""
    rules = [{"id": rule, "shortDescription": {"text": why}} for rule, why in RULES.items()]
    results = [
        {
            "ruleId": one.rule,
            "level": "warning",
            "message": {"text": unlinked(f"{one.message}. Instead: {one.suggestion}")},
            "locations": [location(one.file, one.line, one.column)],
        }
        for one in found.findings
    ]
    missing = [
        {
            "level": "error",
            "message": {"text": unlinked(printable(f"not audited: {one.reason}"))},
            "locations": [location(one.file, 1, 1)],
        }
        for one in found.not_audited
    ]
    said = [
        *missing,
        *({"level": "note", "message": {"text": unlinked(f"not judged: {note}")}} for note in notes(found)),
    ]
    run = {
        "tool": {"driver": {"name": "contracts audit", "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "results": results,
        "invocations": [{"executionSuccessful": not found.not_audited, "toolExecutionNotifications": said}],
    }
    return json_text({"version": "2.1.0", "runs": [run]})


def location(file: str, line: int, column: int) -> dict[str, Any]:
    """A place as SARIF has it; line and column count from 1."""
    uri = quote(file) if not file.startswith("/") else f"file://{quote(file)}"
    region = {"startLine": max(1, line), "startColumn": max(1, column)}
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}


def markdown(found: Audit) -> str:
    """The page for a meeting: the six questions, each with what the SQL says, and a place for the answer."""
    lines = ["# The clauses that nobody wrote", "", cell(total(found)), ""]
    for number, (question, rules) in enumerate(QUESTIONS, 1):
        findings = found.of(*rules)
        lines += [f"## {number}. {question}", ""]
        lines += table(findings) if findings else ["Nothing found.", ""]
        lines += [] if not findings else ["Answer, owner, date:", ""]
    if findings := found.of(*ALLOWANCES):
        lines += ["## Allowances", "", *table(findings)]
    for title, every in (
        ("Not audited", [printable(f"{one.file}: {one.reason}") for one in found.not_audited]),
        ("Not judged", notes(found)),
    ):
        if every:
            lines += [f"## {title}", "", *(f"- {cell(one)}" for one in every), ""]
    return "\n".join(lines).rstrip()


def table(findings: list[Finding]) -> list[str]:
    """The findings as the lines of a table in markdown."""
    rows = [
        f"| {cell(printable(place(one)))} | {one.rule} | {cell(one.message)} | {cell(one.suggestion)} |"
        for one in findings
    ]
    return ["| where | rule | what | instead |", "| --- | --- | --- | --- |", *rows, ""]


FORMATS: dict[str, Callable[[Audit], str]] = {
    "text": text,
    "json": as_json,
    "github": github,
    "sarif": sarif,
    "markdown": markdown,
}
