"""diff(old, new): what changed between two versions of a contract, and how much each change weighs.

One principle decides: a change is breaking when the new contract allows something that the old one promised would
not happen, or changes what a value means. Two exceptions come from the lesson: new fields and widened types are
additive. So

    major   a promise is looser or gone, a name is gone, a value means something else
    minor   a promise is new or tighter, a field is new or announced to go, a type is wider
    patch   nobody has to do anything: owner, consumers, order, wording

A change is semantic where a value's meaning changes (its code, its unit, its definition) and structural otherwise.
`release` judges whether a version number, and the contract's own evolution clause, allow the changes.
"""

from __future__ import annotations

import datetime as dt
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from contracts.changes import Bump, Change, Kind, shown, wording
from contracts.document import Contract, Field, from_mapping, load
from contracts.domains import enum
from contracts.field_changes import field_changes

__all__ = ["Change", "diff"]

STRICTER = ("allowed", "expand_and_contract", "forbidden")


def diff(
    old: Contract | str | os.PathLike[str] | Mapping[str, Any],
    new: Contract | str | os.PathLike[str] | Mapping[str, Any],
    *,
    editorial: Iterable[str] = (),
) -> list[Change]:
    """Every change from old to new, in the order of the fields and then of the table; [] where they say the same.

    A change is breaking (major) when the new contract allows something that the old one promised would not happen,
    or changes what a value means; new fields and widened types are additive (minor). The version number is no change.
    editorial: fields whose meaning was only put into other words, which makes that change a patch.
    """
    old, new, reworded = as_contract(old), as_contract(new), frozenset(editorial)
    renamed = renames(old, new)
    changes: list[Change] = []
    for field in old.fields:
        if successor := new.field(field.name):
            changes += field_changes(field, successor, field.name in reworded)
        else:
            changes.append(removed(field, renamed.get(field.name), only_candidate(field, old, new, renamed)))
    known = {field.name for field in (*old.fields, *renamed.values())}
    changes += [added(field) for field in new.fields if field.name not in known]
    changes += table_changes(old, new)
    return [replace(change, consumers=old.consumers) for change in changes]


def as_contract(contract: Contract | str | os.PathLike[str] | Mapping[str, Any]) -> Contract:
    """The contract, loaded where it is a path or a mapping. Raises ContractError."""
    if isinstance(contract, Contract):
        return contract
    return from_mapping(contract) if isinstance(contract, Mapping) else load(contract)


# ---- fields that come and go ---------------------------------------------------------------------------------


def added(field: Field) -> Change:
    """A new field."""
    says = f"{field.name}: a new {field.type} field, which nobody reads yet"
    return Change(field.name, "field added", None, field, "structural", "minor", says)


def removed(field: Field, successor: Field | None, perhaps: str | None) -> Change:
    """A lost field; what it has probably become is part of the change, what it has perhaps become only a hint."""
    name = successor.name if successor else perhaps
    hint = f", possible rename {field.name} → {name}" if name else ""
    told = f"it was announced on {field.deprecated.announced}" if field.deprecated else "it was never announced"
    says = f"{field.name}: the field is gone{hint}, and {told}; every query that reads it fails"
    rule = "field renamed" if successor else "field removed"
    return Change(field.name, rule, field, successor, "structural", "major", says)


def only_candidate(field: Field, old: Contract, new: Contract, renamed: Mapping[str, Field]) -> str | None:
    """The one new field of that type, where this is the one lost field of it."""
    if field.name in renamed:
        return None
    before, after = ({each.name for each in one.fields if each.type == field.type} for one in (old, new))
    gone = before - {each.name for each in new.fields} - set(renamed)
    come = after - {each.name for each in old.fields} - {each.name for each in renamed.values()}
    return next(iter(come)) if len(gone) == len(come) == 1 else None


def renames(old: Contract, new: Contract) -> dict[str, Field]:
    """The field that each lost one has probably become, each new field once: the most alike first."""
    gone = [field for field in old.fields if not new.field(field.name)]
    come = [field for field in new.fields if not old.field(field.name)]
    pairs = ((score, i, j) for i, a in enumerate(gone) for j, b in enumerate(come) if (score := likeness(a, b)))
    found: dict[str, Field] = {}
    taken: set[int] = set()
    for _, i, j in sorted(pairs, key=lambda pair: (-pair[0], pair[1:])):
        if gone[i].name not in found and j not in taken:
            found[gone[i].name] = come[j]
            taken.add(j)
    return found


def likeness(a: Field, b: Field) -> float:
    """How sure one is that b is a under a new name; 0: not at all."""
    if a.type != b.type:
        return 0
    score = 0.0
    if a.enum and b.enum and set(enum(a)) == set(enum(b)):
        score += 4
    if a.meaning and b.meaning and wording(a.meaning) == wording(b.meaning):
        score += 4
    if clauses(a) == clauses(b):
        score += 2
    related = akin(a.name, b.name)
    return score + related if score or not (a.enum or b.enum) else 0


def clauses(field: Field) -> list[Any]:
    """What a field promises, without its name and its end."""
    return [value for name, value in field.__dict__.items() if name not in ("name", "deprecated")]


def akin(a: str, b: str) -> bool:
    """Whether two names share their words: brand and brand_name, weight and weight_g."""
    one, two = (set(re.split(r"[\W_]+", name.casefold())) - {""} for name in (a, b))
    return bool(one and two) and (one <= two or two <= one)


# ---- the table as a whole ---------------------------------------------------------------------------------------


def table_changes(a: Contract, b: Contract) -> Iterator[Change]:
    """What changed beside the fields."""

    def change(rule: str, old: Any, new: Any, bump: Bump, says: str = "", kind: Kind = "structural") -> Change:
        advice = {"major": "less is promised than before", "minor": "history may not conform"}.get(bump, "")
        says = f"{rule} was {shown(old)} and is {shown(new)}" + (f"; {says or advice}" if says or advice else "")
        return Change(None, rule, old, new, kind, bump, f"the table: {says}")

    def limit(rule: str, old: Any, new: Any, looser: bool, tighter: bool) -> Change:
        return change(rule, old, new, "major" if looser else "minor" if tighter else "patch")

    if a.dataset != b.dataset and is_named(a) and is_named(b):
        yield change("dataset", a.dataset, b.dataset, "major", "every query that names the table fails")
    for rule in ("owner", "consumers"):
        if (old := getattr(a, rule)) != (new := getattr(b, rule)):
            yield change(rule, old, new, "patch")
    common = [field.name for field in a.fields if b.field(field.name)]
    if common != [field.name for field in b.fields if a.field(field.name)]:
        yield Change(None, "order", None, None, "structural", "patch", "the table: the fields stand in another order")

    old_lag, new_lag = (c.freshness.max_lag if c.freshness else None for c in (a, b))
    if old_lag != new_lag:
        looser = old_lag is not None and (new_lag is None or new_lag > old_lag)
        yield limit("freshness", old_lag, new_lag, looser, not looser)
    if a.freshness and b.freshness:
        if (old := a.freshness.field) != (new := b.freshness.field):
            yield change("freshness field", old, new, "major", "the age of the table is told by something else")
        if (old := a.freshness.timezone) != (new := b.freshness.timezone):
            says = "a time without a zone means something else" if old else "times without a zone can now be aged"
            yield change("freshness timezone", old, new, "major" if old else "minor", says, "semantic")

    low, high = (c.volume.min_rows or 0 if c.volume else 0 for c in (a, b))
    if (a.volume and a.volume.min_rows) != (b.volume and b.volume.min_rows):
        yield limit("volume min_rows", low, high, high < low, high > low)
    old, new = (c.volume.max_rows if c.volume else None for c in (a, b))
    if old != new:
        looser = old is not None and (new is None or new > old)
        yield limit("volume max_rows", old, new, looser, not looser)

    old, new = a.evolution.notice, b.evolution.notice
    if old != new:
        looser = (new or dt.timedelta()) < (old or dt.timedelta())
        yield change("notice", old, new, "major" if looser else "minor", "" if looser else "consumers get more time")
    for rule in ("additive", "breaking"):
        old, new = getattr(a.evolution, rule), getattr(b.evolution, rule)
        if old != new:
            yield limit(f"evolution {rule}", old, new, STRICTER.index(new) < STRICTER.index(old), True)


def is_named(contract: Contract) -> bool:
    """Whether the contract itself says its dataset; else its file's name did, and files may be called anything."""
    if contract.source is None:
        return "dataset" in contract.model_fields_set
    return (None, "dataset") in contract._lines
