"""Exercise 2, first half: the contract of shop.listings: what it promises, and what comes of it on the shop's rows."""

# ruff: noqa: E501  # a promise and its sentence share a line
from __future__ import annotations

from exercises.checks import shop
from exercises.checks.contracting import Promises
from validate import report


def check_contract(promises: Promises) -> None:
    """What the contract promises, and what comes of it on the shop's rows."""
    contract = promises.contract
    teams = {"data-platform", "pricing-service", "finance-reporting"}
    why = "The gate tells these teams when a promise is broken; a reader who is not named here is not told."
    promises.expect(set(contract.consumers), teams, "consumers", why, None, "consumers")
    for name, type_name, type_why in (
        ("listing_id", "integer", "The whole example of the stub was right."),
        ("item_condition", "string", "A grade is text."),
        ("brand", "string", "A label is text."),
        (
            "price_cents",
            "integer",
            "Money is in whole cents; a number may have a fraction, and floats cannot hold most cents.",
        ),
    ):
        field = promises.field(name)
        promises.expect(field.type, type_name, f"type of {name}", type_why, name, "type")
        promises.expect(
            field.required,
            True,
            f"required of {name}",
            "NULL is not forbidden as long as nobody says so: without required, a NULL keeps every other clause.",
            name,
            "required",
        )
    condition, price = promises.field("item_condition"), promises.field("price_cents")
    allowed = frozenset(condition.enum or ())
    if condition.enum is None:
        why = "Without an enum any text will do: the release of 19 August keeps this contract, as it kept 1.3.0. The enum is the clause that nobody wrote."
    elif allowed > {"A", "B", "C"}:
        why = "The CASE of the consumers knows A, B and C. An enum that allows the new words as well lets the release through."
    elif {str(value).strip().upper() for value in allowed} == {"A", "B", "C"}:
        why = "The values are compared exactly: a is not A, and a blank belongs to the value."
    else:
        why = "These are the three grades that the consumers' CASE knows."
    promises.expect(
        allowed if condition.enum else None, {"A", "B", "C"}, "enum of item_condition", why, "item_condition", "enum"
    )
    why = (
        "EUR and EUR_cents differ by a factor of 100, and only the unit says which it is."
        if price.unit
        else "Without a unit nobody can tell EUR from cents: the next change of it is as silent as the re-coding."
    )
    promises.expect(price.unit, "EUR_cents", "unit of price_cents", why, "price_cents", "unit")
    kept = report(shop.listings("before"), contract)
    if kept.violations:
        first = kept.violations[0]
        why = f"The rows of 18 August were right, so a contract that they break promises too much: {first.message}."
        raise promises.wrong(
            why,
            first.field,
            first.rule,
            called="validate(the rows of 18 August, your contract)",
            expected="kept",
            got="broken",
        )
