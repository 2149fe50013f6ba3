"""Questions 3, 5 and 6: columns that nobody asked for, units that nobody wrote down, and who reads what."""

from __future__ import annotations

from collections.abc import Iterator

from contracts.auditing.facts import Facts
from contracts.auditing.findings import Finding
from contracts.auditing.mappings import is_name_of_one
from contracts.auditing.origins import Table
from contracts.auditing.resolving import Column
from contracts.auditing.rules import Judge, file_of, listed, place_of
from contracts.auditing.units import Scale, contradiction, guess, is_share
from contracts.document import Contract
from contracts.splicing import flow

# ---- 3: stars ----


def stars(judge: Judge) -> Iterator[Finding]:
    """One finding for each star over another team's table that a contract covers."""
    for facts in judge.known.files:
        for star in facts.stars:
            for table in star.tables:
                contract = judge.known.contract(table)
                if contract is None or is_own(judge, facts, table, contract):
                    continue
                says = f"{star.sql} takes every column of {contract.dataset}, which {contract.owner} owns"
                names = listed((field.name for field in contract.fields if not field.deprecated), 8)
                instead = f"name the columns that are used; the contract has {names}"
                column = Column(contract.dataset, "", contract)
                if finding := judge.found("star-across-boundary", facts, star.place, column, says, instead):
                    yield finding


def is_own(judge: Judge, facts: Facts, table: Table, contract: Contract) -> bool:
    """Whether the table is the team's own: it owns it, or its own SQL makes it."""
    if facts.team is not None and is_team(facts.team, contract.owner):
        return True
    model = judge.known.model(facts, table)
    return model is not None and (model[0].team, model[0].project) == (facts.team, facts.project)


def is_team(name: str, other: str) -> bool:
    """Whether two names are the same team: team-shop is shop."""
    return name.casefold().removeprefix("team-") == other.casefold().removeprefix("team-")


# ---- 5: units ----


def scaled(judge: Judge) -> Iterator[tuple[Facts, Scale, Column]]:
    """Every change of units of a contract's number: where it is, what it does, and to which column."""
    for facts in judge.known.files:
        for scale in facts.scales:
            found = judge.known.columns(facts, scale.origins)
            column = found.columns[0] if len(found.columns) == 1 and not found.made else None
            if column is not None and column.field is not None and column.field.type in ("integer", "number"):
                yield facts, scale, column


def unwritten_units(judge: Judge) -> Iterator[Finding]:
    """One finding for each field, where the first SQL converts it."""
    seen: set[Column] = set()
    for facts, scale, column in sorted(scaled(judge), key=lambda each: (each[0].file, each[1].place)):
        field = column.field
        if field is None or field.unit or field.unique or field.enum or is_name_of_one(field.name) or column in seen:
            continue
        if is_share(scale):
            continue
        says = f"{scale.sql} converts {column.name} of {column.table}, whose unit is written nowhere"
        unit = guess(scale)
        instead = f"write in {place_of(column)}: unit: {'…  # which one?' if unit == 'which?' else flow(unit)}"
        if finding := judge.found("unwritten-unit", facts, scale.place, column, says, instead):
            seen.add(column)
            yield finding


def contradicted_units(judge: Judge) -> Iterator[Finding]:
    """One finding for each change of units that the field's own unit speaks against."""
    for facts, scale, column in scaled(judge):
        unit = column.field.unit if column.field is not None else None
        wrong = contradiction(unit, scale) if unit else None
        if unit and wrong:
            what = f"as {scale.name}" if scale.name else f"as a time in {scale.epoch}"
            says = f"{scale.sql} {what} contradicts the unit of {column.name} of {column.table}: {wrong}"
            instead = "correct the factor or the name; if the unit of the contract is wrong, tell its owner"
            if finding := judge.found("unwritten-unit", facts, scale.place, column, says, instead):
                yield finding


# ---- 6: consumers and fields ----


def unlisted_consumers(judge: Judge) -> Iterator[Finding]:
    """One finding for each team that reads a table and is not named in its contract, where it first does."""
    seen: set[tuple[str, str]] = set()
    for facts in judge.known.files:
        for table, place in facts.tables:
            contract = judge.known.contract(table)
            if contract is None or facts.team is None or is_own(judge, facts, table, contract):
                continue
            listed_ = any(is_team(facts.team, one) for one in contract.consumers)
            if listed_ or (facts.team, contract.dataset) in seen:
                continue
            says = f"{facts.team} reads {contract.dataset} and is not among its consumers"
            says += f" ({', '.join(contract.consumers) or 'none'}), so {contract.owner} does not ask it"
            consumers = flow([*contract.consumers, facts.team])
            instead = f"write in {file_of(contract)}: consumers: {consumers}"
            column = Column(contract.dataset, "", contract)
            if finding := judge.found("unlisted-consumer", facts, place, column, says, instead):
                seen.add((facts.team, contract.dataset))
                yield finding


def unread_fields(judge: Judge) -> Iterator[Finding]:
    """One finding for each field that no consumer reads; not judged where the SQL of one of them is not here."""
    for contract in judge.known.contracts:
        reading = [facts for facts in judge.known.files if is_reading(judge, facts, contract)]
        if not reading:
            judge.doubtful.add(("unread-field", file_of(contract), 0))
            continue
        heard = [facts.team for facts in reading if facts.team]
        missing = [one for one in contract.consumers if not any(is_team(team, one) for team in judge.here)]
        silent = [one for one in contract.consumers if not any(is_team(team, one) for team in [*heard, *missing])]
        if missing or silent or not contract.consumers or not judge.complete:
            why = [f"the SQL of {', '.join(missing)} is not here"] * bool(missing)
            why += [f"the SQL of {', '.join(silent)} that is here does not read it"] * bool(silent and judge.complete)
            why += ["some SQL was not audited"] * (not judge.complete)
            why = why if contract.consumers else ["the contract names no consumer"]
            says = f"whether a field of {contract.dataset} is unread: {' and '.join(why)}"
            judge.cannot_judge("unread-field", file_of(contract), 1, says)
            continue
        read, words = read_of(judge, contract), {word for facts in judge.known.files for word in facts.words}
        for field in contract.fields:
            used = contract.freshness is not None and contract.freshness.field == field.name
            if field.name.casefold() in read | words or used or field.deprecated:
                continue
            line = contract.line(field.name, "name") or 1
            says = f"nobody among {', '.join(contract.consumers)} reads {field.name}"
            instead = "ask the consumers whether they need it; if not, mark it deprecated and let it go"
            place = (file_of(contract), line, column_of(contract, line))
            if not judge.is_allowed("unread-field", *place):
                yield Finding(
                    "unread-field", *place, contract.dataset, field.name, f"{says} of {contract.dataset}", instead
                )


def is_reading(judge: Judge, facts: Facts, contract: Contract) -> bool:
    """Whether a file names the contract's table."""
    return any(judge.known.contract(table) is contract for table, _ in facts.tables)


def read_of(judge: Judge, contract: Contract) -> set[str]:
    """The fields that somebody reads, or hands on with a star."""
    found: set[str] = set()
    every = {field.name.casefold() for field in contract.fields}
    for facts in judge.known.files:
        for member in facts.reads:
            for column in judge.known.columns(facts, frozenset({member})).columns:
                if column.contract is contract:
                    found.add(column.name.casefold())
        for table, without in facts.whole:
            if judge.known.contract(table) is contract:
                found |= every - without
    return found


def column_of(contract: Contract, line: int) -> int:
    """Where a line of the contract begins."""
    try:
        text = contract.source.read_text(encoding="utf-8-sig").splitlines()[line - 1] if contract.source else ""
    except (OSError, ValueError, IndexError):
        text = ""
    return len(text) - len(text.lstrip()) + 1
