"""Questions 1, 2 and 4: the values that logic branches on, what all others become, and whether the contracts agree."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal, InvalidOperation
from typing import Any

from contracts.auditing.branching import Literal, Test
from contracts.auditing.facts import Facts
from contracts.auditing.findings import Finding
from contracts.auditing.mappings import Mapping
from contracts.auditing.resolving import Column, Found
from contracts.auditing.rules import Judge, clause_to_paste, listed, shown
from contracts.values import nearest

NO_KIND = re.compile(
    r"[-+]?[0-9.,:/ ]*|[0-9]{4}-[0-9]{2}(-[0-9]{2})?([T ].*)?|[0-9]{4}-?[QW][0-9]+|[0-9A-Fa-f-]{32,}|.*(://|@).*"
    r"|[0-9.]+ (days?|hours?|months?)|.{61,}",
    re.DOTALL,
)
CODES = re.compile(
    r"(^|_)(status|state|type|code|kind|class|category|tier|level|grade|condition|reason|mode|stage|cd)$"
)
COUNTS = re.compile(
    r"(^|_)(year|month|moy|dom|dow|day|week|quarter|qoy|qtr|hour|minute|count|cnt|quantity|qty|size|age)$"
)
SYSTEM = ("information_schema", "pg_catalog", "sys", "account_usage", "duckdb_columns", "duckdb_tables")
FOLDED_CASE = ("mysql", "tsql", "fabric", "singlestore", "doris", "starrocks")  # they compare text without case
TRUE, FALSE = ("true", "t", "yes", "y", "on", "1"), ("false", "f", "no", "n", "off", "0")  # as engines read them
FOLDS: dict[str, Callable[[str], str]] = {"upper": str.upper, "lower": str.lower, "trim": str.strip}


# ---- 1: unwritten clauses ----


def unwritten_clauses(judge: Judge) -> Iterator[Finding]:
    """One finding for each column without a domain, where the first SQL branches on it."""
    places: dict[Column, list[tuple[Facts, Test, list[Literal]]]] = defaultdict(list)
    for facts in judge.known.files:
        for test in facts.tests:
            literals = kinds(test)
            found = judge.known.columns(facts, test.origins) if literals else Found()
            for column in () if found.made else found.columns:
                stated = is_domain_stated(column) or any(part in SYSTEM for part in column.table.split("."))
                if not stated and not judge.is_allowed("unwritten-clause", facts.file, *test.place, column):
                    places[column].append((facts, test, literals))
    for column, every in places.items():
        facts, test, _ = min(every, key=lambda each: (each[0].file, each[1].place))
        values = list(dict.fromkeys(value_of(one) for _, _, literals in every for one in literals))
        more, files = len(every) - 1, len({each[0].file for each in every})
        says = f"{column.name} of {column.table} decides what happens ({test.clause}: {listed(map(shown, values))})"
        says += f", here and in {more} more place{'s' * (more > 1)} of {files} file{'s' * (files > 1)}" if more else ""
        says += f", and {who_says_nothing(column)}"
        instead, where = clause_to_paste(column, values), (column.table, column.name)
        finding = Finding("unwritten-clause", facts.file, *test.place, *where, says, instead)
        judge.unwritten[finding] = (column, values)
        yield finding


def is_domain_stated(column: Column) -> bool:
    """Whether a contract says which values there are: an enum, a pattern, bounds, a type that has but a few."""
    field = column.field
    if field is None:
        return False
    bounded = field.min is not None and field.max is not None
    return bool(
        field.enum or field.pattern or field.unique or bounded or field.type in ("boolean", "date", "timestamp")
    )


def enum_of(found: Found) -> list[Any]:
    """All values that can come."""
    return list(dict.fromkeys(value for one in found.enum if one.field for value in one.field.enum or ()))


def kinds(test: Test) -> list[Literal]:
    """The literals of a comparison that tell kinds of things apart, rather than one thing, a day or an amount."""
    name = test.column.casefold()
    if "?" in test.fold or name.endswith(("_id", "uuid", "email", "url")):
        return []
    mapped = test.among >= 3 and test.clause in ("CASE", "DECODE") and not COUNTS.search(name)
    coded = bool(mapped or CODES.search(name)) and not {one.value for one in test.literals} <= {"0", "1"}
    return [one for one in test.literals if (coded if is_number(one) else not NO_KIND.fullmatch(one.value.strip()))]


def is_number(literal: Literal) -> bool:
    """Whether a literal is a number, or a text of digits alone."""
    return not literal.is_text or literal.value.strip().isdigit()


def maps_codes(mapping: Mapping, found: Found) -> bool:
    """Whether the values are codes: no booleans, and no amounts, as 1 and 2 of something and ELSE for more of it."""
    if all(one.field is not None and one.field.type == "boolean" for one in found.columns):
        return False
    if any(one.is_text for one in mapping.literals) or not mapping.literals:
        return True
    name = mapping.column.casefold()
    several = len(mapping.literals) >= 2 and mapping.same_as is not None
    return bool(found.enum or CODES.search(name) or several) and not COUNTS.search(name)


def value_of(literal: Literal) -> Any:
    """The value as a contract has it."""
    if literal.is_text:
        return literal.value
    return int(literal.value) if re.fullmatch(r"-?[0-9]+", literal.value) else float(literal.value)


def who_says_nothing(column: Column) -> str:
    """Why nobody states the values of a column, as the end of a sentence."""
    if column.contract is None:
        return "no contract covers the table" if " or " not in column.table else "no contract states its values"
    version = f"{column.contract.dataset} {column.contract.version}"
    return f"{version} does not state its values" if column.field else f"{version} does not have the field"


# ---- 2: silent defaults ----


def silent_defaults(judge: Judge) -> Iterator[Finding]:
    """One finding for each plain value that all values without a branch of their own become."""
    for facts, mapping in mappings(judge):
        found = judge.known.columns(facts, mapping.origins)
        if not mapping.silent or not found.columns or not maps_codes(mapping, found):
            continue
        is_known = bool(found.enum) and folded(found, mapping.fold) != "?"
        if mapping.filters and (not is_known or left_out(judge, mapping, found)):
            continue
        column = found.columns[0]
        word = {"IF": "the last argument of IF", "DECODE": "the last argument of DECODE"}.get(mapping.form)
        word = word or ("ELSE" if mapping.form == "CASE" else mapping.form)
        name = mapping.column if "?" in mapping.fold else column.name
        says = f"every value of {name} that is not named becomes {mapping.default} ({word})"
        if mapping.same_as is not None:
            says += f", as {mapping.same_as} does, so nothing can tell the two apart"
        elif mapping.form in ("COALESCE", "IS NULL") and not mapping.literals:
            says = f"every {name} that the joined table does not have becomes {mapping.default} ({word})"
        elif mapping.filters:
            says += ", and each promised value is named, so it leaves out only what nobody expected"
        without = {"COALESCE": "leave COALESCE out", "IS NULL": "hand on the joined value alone"}
        instead = without.get(mapping.form, "write NULL instead")
        if mapping.form == "CASE":
            instead = "write ELSE NULL"
        instead += f" and test that the result is not null, or stop with error('unknown {name}')"
        if mapping.aggregated:
            before = f"{name} has no other value"
            if mapping.form in without:
                before = f"the joined table has every {name}"
            instead = f"stop with error('unknown {name}') there, or test before that {before}; NULL is no help, as an "
            instead += "aggregate passes over it"
        if mapping.filters:  # a sum passes over NULL as over 0
            instead = f"take the amount of every row, without {mapping.form}, or stop with error('unknown {name}')"
        if (finding := judge.found("silent-else", facts, mapping.place, column, says, instead)) is not None:
            judge.measurable.append((finding, facts, mapping, column))
            yield finding


def mappings(judge: Judge) -> Iterator[tuple[Facts, Mapping]]:
    """The mappings of all files, each with the facts of its file."""
    for facts in judge.known.files:
        for mapping in facts.mappings:
            yield facts, mapping


# ---- 4: literals and values ----


def unknown_literals(judge: Judge) -> Iterator[Finding]:
    """One finding for each literal that is compared with a column, and that its enum does not know."""
    for facts in judge.known.files:
        for test in facts.tests:
            found = judge.known.columns(facts, test.origins)
            if not found.enum:
                continue
            column, values, fold = found.enum[0], enum_of(found), folded(found, test.fold)
            name, are = f"{column.name} of {column.table}", listed(map(shown, values))
            if fold == "?":
                says = f"what is compared with {name} is not judged: its values are changed before, or it is a pattern"
                judge.cannot_judge("unknown-literal", facts.file, test.place[0], says)
                continue
            strange = [literal for literal in test.literals if not is_among(judge.dialect, literal, values, fold)]
            for literal in strange:
                after = "".join(f" after {name.upper()}" for name in FOLDS if name in fold)
                says = f"{literal} is no value of {name}{after}, which are {are}; so "
                if len(strange) < len(test.literals):  # the others do something
                    says += f"it {'takes nothing out of' if test.negated else 'adds nothing to'} this {test.clause}"
                else:
                    says += f"this comparison in {test.clause} {'is always' if test.negated else 'can never be'} true"
                words = [str(value) for value in values]
                near = nearest(literal.value.strip(), words) or nearest(literal.value.strip().upper(), words)
                instead = f"did you mean {near}? " if near else ""
                instead += "correct the literal, or let the producer add the value to the contract first"
                if finding := judge.found("unknown-literal", facts, literal.place, column, says, instead):
                    yield finding


def folded(found: Found, fold: str) -> str:
    """All that is done to the values before they are compared; "?" where nobody can tell what comes of it."""
    every = found.fold + fold
    return "?" if "?" in every or ("upper" in every and "lower" in every) else every


def unhandled_values(judge: Judge) -> Iterator[Finding]:
    """One finding for each mapping that names some values of an enum and not the others."""
    for facts, mapping in mappings(judge):
        found = judge.known.columns(facts, mapping.origins)
        fold = folded(found, mapping.fold)
        if not found.enum or fold == "?" or len(mapping.literals) < 2:
            continue
        column, left = found.enum[0], left_out(judge, mapping, found)
        if left and mapping.filters > 1:  # a filter says IN; with a branch each, a value may have been forgotten
            says = f"whether {listed(left)} of {column.name} of {column.table} should become {mapping.default} is not"
            says += " judged: a filter or a forgotten branch; write IN if it filters"
            judge.cannot_judge("unhandled-value", facts.file, mapping.place[0], says)
        elif left and not mapping.filters:
            says = (
                f"{listed(left)} {'is a value' if len(left) == 1 else 'are values'} of {column.name} of {column.table}"
            )
            says += f" that no WHEN names; {'it falls' if len(left) == 1 else 'they fall'} to {mapping.default} today"
            instead = f"write a branch for {listed(left)}"
            if finding := judge.found("unhandled-value", facts, mapping.place, column, says, instead):
                yield finding


def left_out(judge: Judge, mapping: Mapping, found: Found) -> list[str]:
    """The promised values that no branch names, as SQL writes them."""
    fold = folded(found, mapping.fold)
    return [shown(value) for value in enum_of(found) if not is_handled(judge, value, mapping, fold)]


def is_handled(judge: Judge, value: Any, mapping: Mapping, fold: str) -> bool:
    """Whether a branch of the mapping takes the value."""
    return any(is_among(judge.dialect, literal, [value], fold) for literal in mapping.literals)


def is_among(dialect: str, literal: Literal, values: Iterable[Any], fold: str) -> bool:
    """Whether a comparison with that literal can be true for one of the values."""
    for value in values:
        if isinstance(value, bool):
            if literal.value.strip().casefold() in (TRUE if value else FALSE):
                return True
            continue
        if isinstance(value, str) or literal.is_text:
            text = str(value)
            for name, function in FOLDS.items():
                text = function(text) if name in fold else text
            if text == literal.value or (dialect in FOLDED_CASE and same_text(text, literal.value)):
                return True
        if (a := number(str(value))) is not None and a == number(literal.value):
            return True
    return False


def same_text(one: str, other: str) -> bool:
    """Whether the two are one where neither case nor blanks at the end count."""
    return one.rstrip().casefold() == other.rstrip().casefold()


def number(text: str) -> Decimal | None:
    try:
        return Decimal(text)
    except InvalidOperation:
        return None
