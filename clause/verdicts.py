"""How the gate says its verdict: text for people, JSON, GitHub annotations, JUnit XML and SARIF for machines."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clause.judging import NotChecked, Violation
from clause.reading import instant, zone_of
from contracts import Contract
from contracts.errors import brief, json_text, printable, unlinked

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from validate import Report

MANY = 3  # clauses of which the same is to be said share a line

GREEN, RED, YELLOW, PLAIN = "\033[32m", "\033[31m", "\033[33m", "\033[0m"

RULES = {  # what each rule promises, for readers of SARIF
    "missing": "Every field of the contract has a column.",
    "type": "Every value is of the field's type.",
    "required": "No value is NULL or missing.",
    "null_rate": "At most this share of the values is NULL or missing.",
    "enum": "Every value is one of those the contract lists.",
    "range": "Every value lies between min and max.",
    "pattern": "Every value matches the pattern as a whole.",
    "unique": "No value stands in two rows.",
    "volume": "The number of rows lies between min_rows and max_rows.",
    "freshness": "The newest row is at most max_lag old.",
    "additive": "The table has no column that the contract does not name.",
}
CLAUSES = {  # rule -> the key in the contract file that states it
    "missing": "name",
    "null_rate": "max_null_rate",
    "range": "min",
    "additive": "evolution",
}


def line_of(contract: Contract, found: Violation | NotChecked) -> int | None:
    """The line of the contract file that states the clause; None where the contract is no file."""
    if found.rule in ("volume", "freshness", "additive"):
        return contract.line(None, CLAUSES.get(found.rule, found.rule))
    field = contract.field(found.field or "")
    key = "max" if field and found.rule == "range" and field.min is None else CLAUSES.get(found.rule, found.rule)
    return contract.line(found.field, key)


def text(report: "Report", contract: Contract | None = None, colour: bool = False) -> str:
    """What a person reads: what was found, what was not checked, and the verdict last."""

    def paint(ink: str, words: str) -> str:
        return f"{ink}{words}{PLAIN}" if colour else words

    lines = [f"{paint(RED, 'broken')}       {brief(line)}" for line in together(report.violations)]
    lines += [f"{paint(YELLOW, 'not checked')}  {brief(line)}" for line in together(report.not_checked)]
    if report.additive_columns and not any(found.rule == "additive" for found in report.violations):
        says = f"{', '.join(report.additive_columns)}: in the table, not in the contract, which allows that"
        lines.append(brief(f"allowed      {'additive':<10} {says}"))
    clauses = f"{report.checked} clause{'' if report.checked == 1 else 's'} checked"
    about = f"{brief(report.dataset)} {report.version}, {report.rows:,} row{'' if report.rows == 1 else 's'}, {clauses}"
    verdict = {
        "kept": paint(GREEN, "KEPT"),
        "broken": paint(RED, f"BROKEN: {len(report.violations)} violation{'s' * (len(report.violations) > 1)}"),
        "could not check": paint(YELLOW, "COULD NOT CHECK: no clause could be checked"),
    }[report.verdict]
    return "\n".join([*lines, f"{verdict} ({about})"])


def together(findings: Sequence[Violation | NotChecked]) -> Iterator[str]:
    """A line for each finding, or for all that say the same of many columns."""
    groups: dict[str, list[Violation | NotChecked]] = {}
    for found in findings:
        groups.setdefault(said(found), []).append(found)
    for found in findings:
        says = said(found)
        alike = groups[says]
        if len(alike) < MANY:
            about = f"{found.field}: " if found.field else ""
            yield f"{found.rule:<10} {found.message if isinstance(found, Violation) else about + says}"
        elif found is alike[0]:
            rules = {one.rule for one in alike}
            fields = ", ".join(dict.fromkeys(one.field or "the table" for one in alike))
            yield f"{rules.pop() if len(rules) == 1 else '':<10} {len(alike)} clauses ({fields}): {says}"


def said(found: Violation | NotChecked) -> str:
    """What is said of the field, without its name."""
    if isinstance(found, NotChecked):
        return found.reason
    return found.message.removeprefix(printable(f"{found.field}: ")) if found.field else found.message


def as_json(report: "Report", contract: Contract) -> str:
    return json_text(report.to_dict())


def github(report: "Report", contract: Contract) -> str:
    """Workflow commands: annotations at the clause's line in the contract file, the verdict as plain text."""
    lines = []
    findings: list[Violation | NotChecked] = [*report.violations, *report.not_checked]
    for found in findings:
        level, words = "notice", brief(f"not checked: {getattr(found, 'reason', '')}")
        if isinstance(found, Violation):
            level, words = "error", found.message
        properties = {"file": contract.source and Path(contract.source).as_posix(), "line": line_of(contract, found)}
        properties["title"] = brief(f"{contract.dataset} {contract.version}, {named(found)}")
        given = ",".join(f"{key}={escaped(value, ':,')}" for key, value in properties.items() if value)
        lines.append(f"::{level} {given}::{escaped(words)}")
    return "\n".join([*lines, text(report, contract).splitlines()[-1]])


def escaped(value: object, also: str = "") -> str:
    """As workflow commands want it: percent signs, line ends and separators by their code."""
    return "".join(f"%{ord(c):02X}" if c in "%\r\n" + also else c for c in str(value))


def junit(report: "Report", contract: Contract) -> str:
    """A test suite: a case for each clause that is broken or was not checked, and one for all that are kept.

    With every attribute and element that either of the two schemas in use (Jenkins', Ant's) asks for.
    """
    from xml.etree import ElementTree

    kept = report.checked - len(report.violations)
    judged_at = instant(report.as_of or datetime(1970, 1, 1), zone_of(contract))
    suite = ElementTree.Element(
        "testsuite",
        id="0",
        package=brief(report.dataset),
        name=brief(f"{report.dataset} {report.version}"),
        timestamp=judged_at.strftime("%Y-%m-%dT%H:%M:%S"),
        hostname="localhost",
        tests=str(len(report.violations) + len(report.not_checked) + (kept > 0)),
        failures=str(len(report.violations)),
        errors="0",
        skipped=str(len(report.not_checked)),
        time="0",
    )
    ElementTree.SubElement(suite, "properties")

    def case(name: str) -> "Element":
        about = {"classname": brief(report.dataset), "name": brief(name), "time": "0"}
        return ElementTree.SubElement(suite, "testcase", about)

    if kept:
        case(f"{kept} clause{'s' * (kept > 1)} kept")
    for found in report.violations:
        said = brief(found.message)
        failure = ElementTree.SubElement(case(named(found)), "failure", type=found.rule, message=said)
        failure.text = said
    for clause in report.not_checked:
        ElementTree.SubElement(case(named(clause)), "skipped", message=brief(clause.reason))
    return document(suite)


def document(suite: "Element") -> str:
    """The suite as a whole file, in ASCII, so that any console can print it."""
    from xml.etree import ElementTree

    ElementTree.SubElement(suite, "system-out")
    ElementTree.SubElement(suite, "system-err")
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suites, encoding="us-ascii").decode()


def named(found: Violation | NotChecked) -> str:
    """The clause's name: "item_condition: enum", or "volume" for the table as a whole."""
    return f"{found.field}: {found.rule}" if found.field else found.rule


def sarif(report: "Report", contract: Contract) -> str:
    """SARIF 2.1.0: a result for each violation, at the clause's line in the contract file."""
    results = []
    for found in report.violations:
        result: dict[str, Any] = {"ruleId": found.rule, "level": "error", "message": {"text": unlinked(found.message)}}
        if contract.source is not None:
            region = {"startLine": line_of(contract, found) or 1}
            artifact = {"uri": artifact_uri(contract.source)}
            result["locations"] = [{"physicalLocation": {"artifactLocation": artifact, "region": region}}]
        results.append(result)
    rules = [{"id": rule, "shortDescription": {"text": promise}} for rule, promise in RULES.items()]
    notes = [
        {"level": "note", "message": {"text": unlinked(brief(f"not checked: {named(clause)}: {clause.reason}"))}}
        for clause in report.not_checked
    ]
    run: dict[str, Any] = {
        "tool": {"driver": {"name": "validate.py", "rules": rules}},
        "results": results,
        "invocations": [
            {"executionSuccessful": report.verdict != "could not check", "toolExecutionNotifications": notes}
        ],
    }
    return json_text({"version": "2.1.0", "runs": [run]})


def artifact_uri(path: Path) -> str:
    """A path as a URI reference: relative paths stay relative, blanks and the like are escaped."""
    from urllib.parse import quote

    return path.as_uri() if path.is_absolute() else quote(path.as_posix())


FORMATS: dict[str, Callable[..., str]] = {
    "text": text,
    "json": as_json,
    "github": github,
    "junit": junit,
    "sarif": sarif,
}


# --- where nothing could be checked: each form says so in its own way ----------------------------------------------

FAILURES: dict[str, Callable[[str], str]] = {
    "json": lambda why: json_text({"verdict": "could not check", "error": why}),
    "github": lambda why: f"::error title=could not check::{escaped(why)}",
    "junit": lambda why: junit_failure(why),
    "sarif": lambda why: sarif_failure(why),
}


def junit_failure(why: str) -> str:
    """A test suite of one case, which is an error."""
    from xml.etree import ElementTree

    counts = {"tests": "1", "failures": "0", "errors": "1", "skipped": "0", "time": "0"}
    about = {"id": "0", "package": "contract", "name": "contract", "hostname": "localhost"}
    suite = ElementTree.Element("testsuite", about | {"timestamp": "1970-01-01T00:00:00"} | counts)
    ElementTree.SubElement(suite, "properties")
    case = ElementTree.SubElement(suite, "testcase", classname="contract", name="could not check", time="0")
    ElementTree.SubElement(case, "error", type="could not check", message=brief(why)).text = brief(why)
    return document(suite)


def sarif_failure(why: str) -> str:
    """A run that was not successful, and why."""
    notes = [{"level": "error", "message": {"text": unlinked(why)}}]
    invocation = {"executionSuccessful": False, "toolExecutionNotifications": notes}
    run = {"tool": {"driver": {"name": "validate.py"}}, "results": [], "invocations": [invocation]}
    return json_text({"version": "2.1.0", "runs": [run]})
