"""Exercise 3: the gate, on small rows and on the shop's. What it prints is read for facts, not for sentences."""

# ruff: noqa: E501  # a case and its sentences share a line
from __future__ import annotations

import json
import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import seed
from exercises.checks import shop
from exercises.checks.student import Answer, Workbook, Wrong, shown

FILE = "ex3_gate.py"
LISTINGS = seed.ROOT / "contracts" / "listings.yaml"
TEAMS = ("data-platform", "pricing-service", "finance-reporting")
SAYS = {0: "kept", 1: "broken", 2: "could not check"}

Row = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """Rows and a contract (a mapping, a path, or None: no such file), the exit status, and what has to be named.

    slips: the sentence for a wrong status. names: (what it is, the text that has to be in the output).
    """

    about: str
    rows: Any
    contract: Any
    status: int
    slips: dict[int, str]
    names: tuple[tuple[str, str], ...] = ()
    counts: dict[str, int] = field(default_factory=dict)

    @property
    def given(self) -> str:
        """The rows and the contract as a message shows them; of the shop, where they come from."""
        if isinstance(self.contract, Path):
            return f"rows      {len(self.rows):,} listings\ncontract  contracts/{self.contract.name}"
        fields = (
            shown({name: self.contract[name] for name in ("consumers", "fields")}) if self.contract else "no such file"
        )
        return f"rows      {shown(self.rows)}\ncontract  {fields}"


def contract(*fields: Row, consumers: tuple[str, ...] = ("data-platform", "search")) -> Row:
    """A contract of books with these fields, as plain data."""
    return {
        "dataset": "books",
        "version": "1.0.0",
        "owner": "shelf",
        "consumers": list(consumers),
        "fields": list(fields),
    }


GRADE = {"name": "grade", "type": "string", "required": True, "enum": ["A", "B"]}
ANY_GRADE = {"name": "grade", "type": "string", "required": True}
SHELF = {"name": "shelf", "type": "string"}
STATE = {"name": "state", "type": "string", "enum": ["open", "shut"]}
ROWS = [{"grade": grade, "state": "open"} for grade in ("A", "good", "good", "fair")]

SWALLOWED = "Nothing was checked, and the build passes: that is the gate which lies. Could not check is exit status 2."
NOT_BROKEN = "Nothing was found broken, because nothing could be looked at. Could not check is exit status 2, so that nobody searches the rows for a violation."


def cases() -> list[Case]:
    """The cases in the order in which they are asked, the shop's last."""
    return [
        Case("every row keeps it", ROWS, contract(ANY_GRADE, STATE), 0, {
            1: "This contract promises nothing about the values of grade, so these rows keep it. The gate knows only what is written. Or is the status turned round?",
            2: "This contract can be checked, and is kept: that is 0.",
        }),
        Case("a re-coded column", ROWS, contract(GRADE), 1, {
            0: "The re-coding gets through: there is a violation, so the build has to fail, with 1. Does the gate look at some columns alone?",
            2: "These rows could be checked, and they break the contract: that is 1.",
        }, (("the column", "grade"), ("the team", "data-platform"), ("the team", "search")), {"good": 2, "fair": 1}),
        Case("two violations", ROWS, contract(SHELF, GRADE), 1, {
            0: "Two promises are broken here, so the build has to fail, with 1.",
            2: "Two promises are broken, and the exit status is 2: is that the number of violations? 2 says 'could not check'; broken is 1, however many, and whatever else could not be checked.",
        }, (("the column", "shelf"), ("the column", "grade")), {"good": 2, "fair": 1}),
        Case("a column that is missing, and nothing else", ROWS, contract(SHELF, ANY_GRADE), 1, {
            0: "A missing column breaks the contract as well; an enum is not the only kind.",
            2: "A missing column is a violation: that is 1.",
        }, (("the column", "shelf"),)),
        Case("a violation that affects nobody, as far as the contract knows", ROWS, contract(GRADE, consumers=()), 1, {
            0: "A promise is broken, whether or not the contract names its readers.",
            2: "A promise is broken; that no consumer is named does not make it uncheckable.",
        }, (("the column", "grade"),)),
        Case("a contract that is not there", ROWS, None, 2, {0: SWALLOWED, 1: NOT_BROKEN}),
        Case("a contract with a fault in it", ROWS, contract({"name": "grade", "type": "text"}), 2, {0: SWALLOWED, 1: NOT_BROKEN}),
        Case("no rows at all", [], contract(GRADE), 2, {0: f"There are no rows, so no clause was checked: found.verdict is 'could not check'. {SWALLOWED}", 1: NOT_BROKEN}),
        Case("rows that are no rows", ["A", "good"], contract(GRADE), 2, {0: SWALLOWED, 1: NOT_BROKEN}),
        Case("the shop on 18 August, before the release", shop.listings("before"), LISTINGS, 0, {
            1: "These rows keep the contract. If freshness is what broke: rows of 18 August are old today, so leave as_of out here.",
            2: "These rows keep the contract: found.verdict is 'kept'. That freshness was not checked is no failure; could not check means that nothing was.",
        }),
        Case("the shop on 19 August, after the release", shop.listings("after"), LISTINGS, 1, {
            0: "The release gets through: found.violations is not empty, so the build has to fail, with 1.",
            2: "These rows could be checked, and they break the contract: that is 1.",
        }, (("the column", "item_condition"), *(("the team", team) for team in TEAMS)), {"good": 3680, "fair": 2240, "excellent": 2080}),
    ]  # fmt: skip


def check(book: Workbook) -> None:
    """Raises Wrong at the first case that the gate does not judge as it should."""
    answer = book.module(FILE)
    with tempfile.TemporaryDirectory() as folder:
        for case in cases():
            check_case(answer, case, path_of(case.contract, Path(folder)))


def path_of(given: Any, folder: Path) -> str:
    """The contract's path; a mapping is written first. JSON is YAML."""
    if isinstance(given, Path):
        return str(given)
    path = folder / ("books.yaml" if given else "not-there.yaml")
    if given:
        path.write_text(json.dumps(given), encoding="utf-8")
    return str(path)


def check_case(answer: Answer, case: Case, path: str) -> None:
    """Raises Wrong where the gate gives another status, or does not name what it has to."""
    called = f"gate(rows, contract)   {case.about}\n{case.given}"
    result, printed = answer.ask_aloud("gate", case.rows, path, called=called, raises=case.status == 2)
    try:
        check_status(answer, case, result, called)
        check_named(answer, case, printed, called)
    except Wrong:
        print(printed, end="")  # of this case alone
        raise


def check_status(answer: Answer, case: Case, result: Any, called: str) -> None:
    """Raises Wrong where the exit status is not the right one, with the sentence for the one that came."""
    facts = {"called": called, "expected": f"{case.status} ({SAYS[case.status]})", "got": shown(result)}
    if isinstance(result, Exception):
        kind = facts["got"] = type(result).__name__
        why = f"gate lets {kind} through. An error that nobody catches ends Python with exit status 1, which says 'broken'; could not check is 2."
        raise answer.wrong("gate", why, **facts)
    if result is None:
        why = "gate returns nothing, and sys.exit(None) is exit status 0: the build passes. Return the status in every branch."
        raise answer.wrong("gate", why, **facts)
    if not isinstance(result, int) or result not in SAYS:
        raise answer.wrong("gate", "An exit status belongs here: the integer 0, 1 or 2.", **facts)
    facts["got"] = f"{result} ({SAYS[result]})"
    if result != case.status:
        raise answer.wrong("gate", case.slips.get(int(result), ""), **facts)


def check_named(answer: Answer, case: Case, printed: str, called: str) -> None:
    """Column, values with their counts, and teams have to be in what was printed."""
    got = shown(printed.strip()) if printed.strip() else "nothing"
    for what, text in case.names:
        if text not in printed:
            why = f"The output does not name {what} {text}."
            if what == "the team" and not any(team in printed for team in (*TEAMS, "search")):
                why += " Who is affected stands in the contract, and in every violation (consumers): without it nobody knows whom to call."
            elif what == "the column" and any(other in printed for _, other in case.names):
                why += " Is only the first violation printed? Whoever mends it would come back for the next."
            raise answer.wrong("gate", why, called=called, expected=f"{text} in the output", got=got)
    numbers = {
        int(digits) for digits in re.findall(r"\d+", re.sub(r"(?<=\d)[,._' \u00a0\u202f](?=\d{3}(?!\d))", "", printed))
    }
    for value, rows in case.counts.items():
        expected = f"{value}, {rows:,} rows, in the output"
        if value not in printed:
            why = f"The output does not name the offending value {value}: without the values nobody sees that this is a re-coding."
            raise answer.wrong("gate", why, called=called, expected=expected, got=got)
        if rows not in numbers:
            why = f"The output names {value}, but not how many rows hold it: one odd row and a whole re-coded table call for different answers."
            raise answer.wrong("gate", why, called=called, expected=expected, got=got)
