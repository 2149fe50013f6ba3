"""Exercise 6: the form in the README's section "Your upstream table", and the contract that holds its clause.

Nobody but the student knows the table, so what is checked is that the form is filled, that it is not the worked example,
and that form and contract say the same.
"""

# ruff: noqa: E501  # a fact and its sentence share a line
from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import seed
from contracts.document import load
from exercises.checks.contracting import Promises, worded
from exercises.checks.student import Workbook, Wrong, place, shown

FILE = "ex6_upstream.yaml"
SECTION, EXAMPLE, FORM = "Your upstream table", "A worked example", "Your table"
QUESTIONS = (
    "table",
    "owner",
    "consumers",
    "field",
    "clause",
    "true today, as seen in",
    "written nowhere, as looked for in",
)
SENTENCES = QUESTIONS[-2:]  # are answered in words
NYC = ("yellow_tripdata", "extra")  # the worked example's table and field
PLACEHOLDER = re.compile(r"(todo|tbd|tba|fixme|x+|n/?a|none|null|nothing|unknown|\?+|[.…_-]+|<.*>|\[.*\]|foo|bar|baz|test|example|your .*|my[ _](table|team|field|column|unit)|(the |a )?(table|owner|team|field|column|clause|unit|consumers?)([ _]?(name|here))?|lorem ipsum.*|answer)", re.IGNORECASE)  # fmt: skip


@dataclass(frozen=True)
class Entry:
    """One answer of a form, and its line in the README."""

    text: str
    line: int


def check(book: Workbook) -> None:
    """Raises Wrong at the first thing that is not right."""
    form, example = forms(book)
    for question in QUESTIONS:
        check_answer(book, form, example, question)
    if table_name(form["table"].text) == NYC[0] and form["field"].text.lower() == NYC[1]:
        raise at(
            book, form["table"], "This is the worked example's table and field. Take a table that you read yourself."
        )
    lessons = {"listings", "orders", "fct_price"}
    if table_name(form["table"].text) in lessons and re.fullmatch(r"(shop\.)?\w+", form["table"].text):
        raise at(
            book,
            form["table"],
            "This is the lesson's own table, and its clauses are written. Take a table that you read yourself.",
        )
    check_agreement(book, form, Promises(book, FILE))


# --- the form ---------------------------------------------------------------------------------------------------------


def forms(book: Workbook) -> tuple[dict[str, Entry], dict[str, Entry]]:
    """The student's form, and the worked example's (empty where the README has it no more)."""
    lines = book.text(book.readme).splitlines()
    start = heading(lines, SECTION, 0)
    if start is None:
        raise Wrong(
            place(book.readme),
            f'There is no section "{SECTION}" in the README; git checkout README.md brings it back, without what you wrote there.',
        )
    first = heading(lines, FORM, start + 1)
    if first is None:
        raise Wrong(
            place(book.readme, start + 1), f'The section has no heading "{FORM}" any more, under which the form stands.'
        )
    form = table_at(lines, first + 1)
    for question in QUESTIONS:
        if question not in form:
            raise Wrong(
                place(book.readme, first + 1),
                f"The form has no row {shown(question)} any more: | {question} | your answer |.",
            )
    worked = heading(lines, EXAMPLE, start + 1)
    return form, table_at(lines, worked + 1) if worked is not None and worked < first else {}


def heading(lines: list[str], title: str, after: int) -> int | None:
    """The line of a heading, counted from 0; those inside ``` are none."""
    fenced = False
    for number, line in enumerate(lines):
        fenced ^= line.lstrip().startswith("```")
        found = re.fullmatch(r"#{1,6}\s+(.*?)\s*#*\s*", line)
        if number >= after and not fenced and found and found[1].strip("*_ ").lower() == title.lower():
            return number
    return None


def table_at(lines: list[str], start: int) -> dict[str, Entry]:
    """The rows `| question | answer |` up to the next heading; a | in an answer is written \\|."""
    entries: dict[str, Entry] = {}
    for number, line in enumerate(lines[start:], start + 1):
        if re.match(r"#{1,6}\s", line):
            break
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip())]
        if len(cells) >= 3 and line.strip().startswith("|"):
            answer = " | ".join(cells[2:-1] if cells[-1] == "" else cells[2:])
            entries.setdefault(cells[1].strip("*_ ").lower(), Entry(bare(answer), number))
    return entries


def bare(answer: str) -> str:
    """The answer without Markdown's marks around words."""
    answer = re.sub(r"<!--.*?-->", "", answer.replace("\\|", "|"))
    return re.sub(r"[`*]+", "", answer).strip()


def at(book: Workbook, entry: Entry, why: str, **facts: str) -> Wrong:
    """What is wrong with an answer, at its line in the README."""
    return Wrong(f"{place(book.readme, entry.line)}  {FORM}", why, **facts)


def check_answer(book: Workbook, form: dict[str, Entry], example: dict[str, Entry], question: str) -> None:
    """An answer that is one: not empty, no placeholder, not the example's."""
    entry = form[question]
    if not entry.text:
        raise at(book, entry, f"The answer to {shown(question)} is still empty.")
    if PLACEHOLDER.fullmatch(entry.text):
        raise at(book, entry, f"{shown(entry.text)} is a placeholder, not an answer to {shown(question)}.")
    copied = question in example and entry.text.lower() == example[question].text.lower()
    if copied and question in ("clause", *SENTENCES):
        raise at(
            book,
            entry,
            f"The answer to {shown(question)} is the worked example's, word for word. What is it for your table?",
        )
    if question in SENTENCES and len(entry.text.split()) < 3:
        why = (
            "what did you look at, so that you know it is true"
            if question == SENTENCES[0]
            else "which documents did you look through"
        )
        raise at(book, entry, f"Say in a few words {why}?", got=shown(entry.text))


# --- form and contract ------------------------------------------------------------------------------------------------


def check_agreement(book: Workbook, form: dict[str, Entry], promises: Promises) -> None:
    """Form and contract name the same table, owner and consumers, and then the same field and clause."""
    contract = promises.contract
    if table_name(contract.dataset) != table_name(form["table"].text):
        why = (
            "Form and contract name different tables."
            if contract.dataset != Path(FILE).stem
            else "The contract does not say which table it is about: write dataset."
        )
        raise promises.wrong(
            why, None, "dataset", expected=f"dataset: {form['table'].text}", got=f"dataset: {contract.dataset}"
        )
    if PLACEHOLDER.fullmatch(contract.owner) or plain(contract.owner) != plain(form["owner"].text):
        raise promises.wrong(
            "Form and contract name different owners.",
            None,
            "owner",
            expected=f"owner: {form['owner'].text}",
            got=f"owner: {contract.owner}",
        )
    asked = {plain(team) for team in re.split(r"[,;]|\band\b", form["consumers"].text) if plain(team)}
    if not contract.consumers:
        raise promises.wrong(
            "The contract names no consumers: who is told when the clause is broken? You read the table, so your team at least.",
            None,
            "consumers",
        )
    if {plain(team) for team in contract.consumers} != asked:
        why = "Form and contract name different consumers."
        raise promises.wrong(
            why,
            None,
            "consumers",
            expected=f"consumers: {form['consumers'].text}",
            got=f"consumers: {worded(contract.consumers)}",
        )
    check_clause(book, form, promises)
    check_not_a_copy(promises)


def check_clause(book: Workbook, form: dict[str, Entry], promises: Promises) -> None:
    """The form's field is one of the contract's, with an enum or a unit, which is the clause that the form names."""
    name = form["field"].text
    field = promises.contract.field(name) or promises.contract.field(name.rpartition(".")[2])
    if field is None:
        raise promises.wrong(
            f"The contract says nothing about the field {shown(name)}, of which the form speaks.", None, "fields"
        )
    if field.enum is None and field.unit is None:
        why = "The clause itself is missing: an enum (the values that may come) or a unit. A type says nothing about what a value means."
        raise promises.wrong(why, field.name, "name")
    clause = form["clause"]
    if field.unit is not None and PLACEHOLDER.fullmatch(field.unit):
        raise promises.wrong(
            f"{shown(field.unit)} is a placeholder, not a unit such as EUR_cents or km.", field.name, "unit"
        )
    if field.enum is not None and (more := listed(clause.text) - {str(value).lower() for value in field.enum}):
        why = f"The clause in the form names {', '.join(map(shown, sorted(more)[:5]))}, which the contract's enum does not allow. Which of the two is right?"
        raise at(book, clause, why, expected=f"enum: {worded(field.enum)}", got=clause.text)
    if holds_unit(field.unit, clause.text) or holds_enum(field.enum, clause.text):
        return
    if field.enum is not None and field.unit is None:
        lacking = [str(value) for value in field.enum if not mentions(clause.text, str(value))]
        why = f"The clause in the form does not name {', '.join(map(shown, lacking[:5]))}, which the contract's enum allows. Which of the two is right?"
    else:
        why = "The clause in the form and the contract's unit are different. Which of the two is right?"
    promised = "; ".join(
        f"{key}: {worded(value)}" for key, value in (("enum", field.enum), ("unit", field.unit)) if value is not None
    )
    raise at(book, clause, why, expected=promised, got=clause.text)


def holds_unit(unit: str | None, clause: str) -> bool:
    """Whether the clause of the form names the unit."""
    return unit is not None and mentions(clause, unit)


def holds_enum(enum: tuple[object, ...] | None, clause: str) -> bool:
    """Whether the clause of the form names every value of the enum."""
    return enum is not None and all(mentions(clause, str(value)) for value in enum)


def listed(clause: str) -> set[str]:
    """The values that the clause lists, in square brackets or after `enum:`, in lower case; none where it is prose."""
    found = re.search(r"\[([^\[\]]*)\]", clause) or re.match(r"\s*enum:(.*)", clause)
    values = [value.strip(" \t`'\".").lower() for value in re.split(r",|\band\b|\bor\b", found[1])] if found else []
    return {value for value in values if value and " " not in value}


def mentions(text: str, value: str) -> bool:
    """Whether the text names the value, as words of their own."""
    return re.search(rf"(?<!\w){re.escape(value.strip().lower())}(?!\w)", text.lower()) is not None


def check_not_a_copy(promises: Promises) -> None:
    """The lesson's own contracts under another name are no clause of the student's."""
    fields = {field.name for field in promises.contract.fields}
    for path in sorted((seed.ROOT / "contracts").glob("*.yaml")):
        if fields == {field.name for field in load(path).fields}:
            raise promises.wrong(
                f"These are the fields of contracts/{path.name}. Write the contract of the table that you read.",
                None,
                "fields",
            )


def table_name(text: str) -> str:
    """The last part of a table's name, in small letters: nyc.yellow_tripdata is yellow_tripdata."""
    return plain(text).rpartition(".")[2]


def plain(text: str) -> str:
    """The text in small letters, with single blanks."""
    return " ".join(text.lower().split())
