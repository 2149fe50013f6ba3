"""Exercise 5: two contracts and three functions. First the contracts, by the machinery of `contracts`; then the rows.

The old pricing consumer is the CASE of fct_price.sql, and the two versions' readers are held to their own contract.
"""

# ruff: noqa: E501  # a fact and its sentence share a line
from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

import seed
from contracts.document import Contract, load
from contracts.release import earliest, verdict
from exercises.checks import shop
from exercises.checks.contracting import Promises
from exercises.checks.numbers import as_number
from exercises.checks.student import Answer, Workbook, shown
from validate import validate

EXPAND, CONTRACT, FILE = "ex5_expand.yaml", "ex5_contract.yaml", "ex5_migration.py"
GRADES = {"A": "excellent", "B": "good", "C": "fair"}
PERCENT = {"A": 100, "B": 90, "C": 80, "excellent": 100, "good": 90, "fair": 80}

Row = dict[str, Any]


def check(book: Workbook) -> None:
    """Raises Wrong at the first thing that is not right."""
    current = load(seed.ROOT / "contracts" / "listings.yaml")
    expanded = Promises(book, EXPAND)
    check_expand(expanded, current)
    contracted = Promises(book, CONTRACT)
    check_contract(contracted, expanded.contract)
    answer = book.module(FILE)
    check_rows(answer, current, expanded.contract, contracted.contract)
    check_consumer(answer)


# --- the contracts ----------------------------------------------------------------------------------------------------


def check_expand(promises: Promises, current: Contract) -> None:
    """1.5.0 beside 1.4.0: nothing lost, the new field whole, the old one announced."""
    new = promises.contract
    old_field = new.field("item_condition")
    if old_field is None:
        raise promises.wrong(
            "item_condition is gone in the minor version, and every consumer reads it still: expanding adds, it does not rename. The old field goes in 2.0.0.",
            None, "fields", expected="item_condition and condition_grade", got="no item_condition",
        )  # fmt: skip
    why = "The old field keeps its values: to re-code it in place is PR #4471 once more. The new words belong into condition_grade."
    promises.expect(set(old_field.enum or ()), set(GRADES), "enum of item_condition", why, "item_condition", "enum")
    if new.field("condition_grade") is None:
        raise promises.wrong(
            "condition_grade is not there yet: in 1.5.0 both columns are promised, so that each consumer can move when it has time.",
            None,
            "fields",
        )
    check_grade(promises)
    gone = old_field.deprecated
    if gone is None:
        raise promises.wrong(
            "Nobody is told that item_condition will go. Write deprecated: {announced: a date, replaced_by: condition_grade}.",
            "item_condition",
            "name",
        )
    why = "replaced_by tells the consumers where to move."
    promises.expect(
        gone.replaced_by, "condition_grade", "replaced_by of item_condition", why, "item_condition", "deprecated"
    )
    why = (
        "Adding is a minor step: 1.5.0. 2.0.0 would say that something is gone, and nothing is."
        if new.version.startswith("2")
        else "After 1.4.0, a new field makes 1.5.0."
    )
    promises.expect(new.version, "1.5.0", "version", why, None, "version")
    check_step(promises, current, new, dt.date(2026, 9, 1))


def check_contract(promises: Promises, old: Contract) -> None:
    """2.0.0 beside the student's 1.5.0: the old field gone, nothing else."""
    new = promises.contract
    if new.field("item_condition") is not None:
        why = "item_condition is still promised. 2.0.0 is the version in which it goes."
        raise promises.wrong(why, "item_condition", "name", expected="condition_grade alone", got="item_condition too")
    if new.field("condition_grade") is None:
        raise promises.wrong("condition_grade is gone as well: the consumers have moved there.", None, "fields")
    check_grade(promises)
    why = "A field that goes is a major step, whatever was announced: 2.0.0."
    promises.expect(new.version, "2.0.0", "version", why, None, "version")
    told = old.field("item_condition")
    assert told is not None and told.deprecated is not None  # check_expand
    check_step(promises, old, new, earliest(old, told.deprecated.announced))


def check_grade(promises: Promises) -> None:
    """The new field's own promises: the clause that was missing on 19 August, written this time."""
    field = promises.field("condition_grade")
    promises.expect(field.type, "string", "type of condition_grade", "A grade is text.", "condition_grade", "type")
    allowed = set(field.enum) if field.enum is not None else None
    if allowed is None:
        why = "The new field has no enum, so the next re-coding passes as this one did."
    elif allowed & set(GRADES):
        why = "The letters are the old field's values. The new field has the new words alone."
    else:
        why = "These are the three words of the release."
    promises.expect(allowed, set(GRADES.values()), "enum of condition_grade", why, "condition_grade", "enum")
    why = "The old field is never NULL; if the new one may be, whoever moves loses a promise."
    promises.expect(field.required, True, "required of condition_grade", why, "condition_grade", "required")


def check_step(promises: Promises, old: Contract, new: Contract, day: dt.date) -> None:
    """What `python -m contracts diff` has to say against the step; that no SQL was shown to it is all right."""
    changes = [change for change in verdict(old, new, as_of=day).changes if change.breaking]
    unexpected = [change for change in changes if change.field != "item_condition"]
    if unexpected:
        first = unexpected[0]
        why = f"Another promise is broken on the way: {first.message}. This step is about the grade alone; start from a copy of the version before."
        raise promises.wrong(why, first.field, "name", called=f"contracts diff {old.version} to {new.version}")
    missing = set(old.consumers) - set(new.consumers)
    if missing:
        why = f"{', '.join(sorted(missing))} reads this table as before, and would no longer be told."
        raise promises.wrong(
            why,
            None,
            "consumers",
            expected=f"consumers: {shown(list(old.consumers))}",
            got=f"consumers: {shown(list(new.consumers))}",
        )
    if old.evolution != new.evolution:
        raise promises.wrong(
            "The evolution clause has changed: how this contract may change is a promise as well.", None, "evolution"
        )
    if old.dataset != new.dataset:
        raise promises.wrong(
            "The name of the dataset has changed, and it is the same table: write dataset: listings (without it, a contract is about the table that its file is named after).",
            None,
            "dataset",
            expected=old.dataset,
            got=new.dataset,
        )
    reasons = verdict(old, new, as_of=day).reasons
    if reasons:
        raise promises.wrong(
            f"The step is rejected: {reasons[0]}.",
            None,
            "version",
            called=f"contracts diff {old.version} to {new.version}",
        )


# --- the rows ---------------------------------------------------------------------------------------------------------


def some_listings() -> list[Row]:
    """The first 40 listings of 18 August, with all three grades among them; the contracts' volume is left aside."""
    return shop.listings("before")[:40]


def check_rows(answer: Answer, current: Contract, expanded: Contract, contracted: Contract) -> None:
    """Rows of both versions: the old reader's row, the new reader's row, and nothing lost on the way."""
    small = [
        {"listing_id": n, "item_condition": code, "price_cents": 5000, "new": None} for n, code in enumerate("ABC", 1)
    ]
    for row in (*small, *some_listings()):
        right = row | {"condition_grade": GRADES[row["item_condition"]]}
        got = ask_row(answer, "expand", row)
        compare(answer, "expand", row, right, got)
        narrow = {name: value for name, value in right.items() if name != "item_condition"}
        compare(answer, "contract", right, narrow, ask_row(answer, "contract", right))
    for unknown in ("D", "a", "excellent", None):
        row = {"listing_id": 1, "item_condition": unknown, "price_cents": 5000}
        got = answer.ask("expand", row, raises=True)
        grade = got.get("condition_grade") if isinstance(got, Mapping) else None
        if not isinstance(got, Exception):
            guess = (
                f"makes it {shown(grade)}: the silent ELSE once more" if grade else "goes on as if nothing were wrong"
            )
            if got is None:
                guess = "drops the row: nobody misses it until a total is wrong"
            why = f"Nobody knows what the condition {shown(unknown)} is, and expand {guess}. Raise an error."
            raise answer.wrong("expand", why, called=f"expand({shown(row)})", expected="an error", got=shown(got))
    check_versions(answer, current, expanded, contracted)


def check_versions(answer: Answer, current: Contract, expanded: Contract, contracted: Contract) -> None:
    """The student's rows keep the student's contracts, and those of 1.5.0 the old one as well."""
    wide = [ask_row(answer, "expand", row) for row in some_listings()]
    narrow = [ask_row(answer, "contract", row) for row in wide]
    for name, rows, promised in (
        ("expand", wide, current),
        ("expand", wide, expanded),
        ("contract", narrow, contracted),
    ):
        broken = [one for one in validate(rows, promised) if one.rule != "volume"]
        if broken:
            why = f"The rows that {name} gives break {promised.dataset} {promised.version}: {broken[0].message}."
            raise answer.wrong(
                name, why, called=f"validate(40 rows of {name}, {promised.version})", expected="kept", got="broken"
            )


def ask_row(answer: Answer, name: str, row: Row) -> Row:
    """The row that the student's function makes of a row. Raises Wrong where it is none."""
    got = answer.ask(name, row)
    if not isinstance(got, Mapping):
        raise answer.wrong(
            name, "A row belongs here: a dict, column name to value.", called=f"{name}({shown(row)})", got=shown(got)
        )
    return dict(got)


def compare(answer: Answer, name: str, row: Row, right: Row, got: Row) -> None:
    """Where the rows differ, and what that would do to whom."""
    if got == right:
        return
    facts = {"called": f"{name}({shown(row)})", "expected": shown(right), "got": shown(got)}
    lost = [column for column in right if column not in got]
    if name == "expand" and "item_condition" in lost:
        why = "The old column is gone, and every consumer still reads it: that is a rename, which breaks. Expanding keeps both."
    elif name == "expand" and got.get("item_condition") != row["item_condition"]:
        why = "item_condition itself is re-coded: the old CASE would put this row into its ELSE. The old column keeps its values, the new word goes beside it."
    elif "condition_grade" in lost:
        why = "The new column is not there."
    elif lost:
        why = f"{', '.join(lost)} is lost on the way. Everything that was in the row stays in it."
    elif name == "contract" and "item_condition" in got:
        why = "item_condition is still in the row, emptied or not: in 2.0.0 there is no such column."
    elif got.get("condition_grade") != right["condition_grade"]:
        why = grade_slip(row.get("item_condition"), right["condition_grade"], got.get("condition_grade"))
    elif extra := [column for column in got if column not in right]:
        why = f"Nobody asked for {', '.join(map(shown, extra))}."
    else:
        column = next(column for column in right if got[column] != right[column])
        why = f"{column} has changed; this step is about the grade alone."
    raise answer.wrong(name, why, **facts)


def grade_slip(code: Any, right: str, got: Any) -> str:
    """What is wrong with a grade."""
    if str(got).strip().lower() == right:
        return "Values are compared exactly: the case and every blank count."
    why = f"The grade of {code} is {right}."
    if code in GRADES and got == dict(zip(GRADES, sorted(GRADES.values()), strict=True))[code]:
        why += " Sorted by alphabet fair comes before good; what each letter means has to be written down."
    return why


# --- the consumers ----------------------------------------------------------------------------------------------------


def old_consumer(row: Row) -> int:
    """The CASE of pricing-service's fct_price.sql, before it moves: whole cents."""
    return int(row["price_cents"]) * {"A": 100, "B": 90, "C": 80}.get(row["item_condition"], 80) // 100


def check_consumer(answer: Answer) -> None:
    """While both columns are there, the old and the new consumer charge the same; an unknown grade is no price."""
    for row in some_listings():
        wide = ask_row(answer, "expand", row)
        new_row = {name: wide[name] for name in ("listing_id", "condition_grade", "price_cents")}
        right, got = old_consumer(wide), answer.ask("charged_cents", new_row)
        facts = {"called": f"charged_cents({shown(new_row)})", "expected": str(right), "got": shown(got)}
        if as_number(got) == right:
            continue
        raise answer.wrong("charged_cents", price_slip(new_row, got), **facts)
    for unknown in ("B", "mint", "Good", None):
        row = {"listing_id": 1, "condition_grade": unknown, "price_cents": 5000}
        got = answer.ask("charged_cents", row, raises=True)
        if not isinstance(got, Exception):
            why = f"{shown(unknown)} is no grade that anybody promised, and it gets a price: this is the silent ELSE, and the next re-coding costs as much as the last. Raise an error."
            if got is None:
                why = (
                    f"{shown(unknown)} is no grade that anybody promised. None is passed on in silence; raise an error."
                )
            raise answer.wrong(
                "charged_cents", why, called=f"charged_cents({shown(row)})", expected="an error", got=shown(got)
            )


def price_slip(row: Row, got: Any) -> str:
    """What is wrong with a price."""
    number, price, percent = as_number(got), row["price_cents"], PERCENT[row["condition_grade"]]
    if number is None:
        return f"A number of cents belongs here; this is of type {type(got).__name__}."
    if number * 100 == price * percent // 100:
        return "This is EUR; the price is asked for in whole cents."
    if number == price:
        return f"This is the list price; {row['condition_grade']} costs {percent}% of it."
    if number * 100 == price * (100 - percent):
        return f"This is the markdown; what is charged is the rest, {percent}%."
    if number == price * percent:
        return "This still has to be divided by 100: percent of cents."
    if number * 100 == price * 80:
        return f"{row['condition_grade']} gets 80%, as in the ELSE; it costs {percent}%."
    if abs(number * 100 - price * percent) <= 100:
        return "Nearly: floats cannot hold 0.9. Stay with whole numbers: price * 90 // 100."
    return f"{row['condition_grade']} costs {percent}% of the list price."
