"""What changed in a field that both versions have: one function for each clause."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from contracts.changes import Bump, Change, Kind, listed, shown, unit_wording, wording
from contracts.document import Field
from contracts.domains import comparable, enum, family, finite, lets_in, null_rate
from contracts.values import short

WIDER = {("integer", "number"): "fractions", ("date", "timestamp"): "times of day"}


def field_changes(a: Field, b: Field, editorial: bool) -> Iterator[Change]:
    """What changed in one field."""
    name = a.name
    if a.type != b.type:
        yield type_change(a, b)
    yield from (coded := list(enum_changes(a, b, editorial)))
    for rule, clauses in {"range": ("min", "max"), "pattern": ("pattern",)}.items():
        for clause in clauses:
            if family(a) == family(b) and getattr(a, clause) != getattr(b, clause):
                yield limit_change(a, b, rule, clause)
    yield from null_change(a, b)
    if a.unique != b.unique:
        says = f"{name}: values are {'now' if b.unique else 'no longer'} unique"
        advice = "history may not conform" if b.unique else "a join on it may multiply rows"
        bump: Bump = "minor" if b.unique else "major"
        yield Change(name, "unique", a.unique, b.unique, "structural", bump, f"{says}; {advice}")
    if a.unit != b.unit:
        same = a.unit is not None and b.unit is not None and unit_wording(a.unit) == unit_wording(b.unit)
        says = f"{name}: the unit was {a.unit or 'unsaid'} and is {b.unit or 'unsaid'}"
        says += ", in another spelling only" if same else ": every sum and every price computed from it is suspect"
        yield Change(name, "unit", a.unit, b.unit, "semantic", "patch" if same else "major", says)
    recoded = any(change.rule == "re-coded" and change.new == b.enum for change in coded)
    if a.meaning != b.meaning and not recoded:  # a new code needs new words, which is one change
        yield meaning_change(name, "meaning", a.meaning, b.meaning, editorial)
    if a.deprecated != b.deprecated:
        yield deprecation(a, b)


def type_change(a: Field, b: Field) -> Change:
    """Another type: wider, as every old value is one of the new type's, or else breaking."""
    says = f"{a.name}: the type was {a.type} and is {b.type}"
    if met := WIDER.get((a.type, b.type)):
        says = f"{says}, which is wider; an old reader may meet {met}"
        return Change(a.name, "type widened", a.type, b.type, "structural", "minor", says)
    rule = "type narrowed" if (b.type, a.type) in WIDER else "type changed"
    return Change(a.name, rule, a.type, b.type, "structural", "major", f"{says}; readers expect {a.type}")


def enum_changes(a: Field, b: Field, editorial: bool) -> Iterator[Change]:
    """Values that came, went, were replaced, or mean something else."""
    name, before, after = a.name, enum(a), enum(b)
    was, now = listed(a.enum), listed(b.enum)

    def change(rule: str, bump: Bump, says: str, kind: Kind = "structural") -> Change:
        return Change(name, rule, a.enum, b.enum, kind, bump, f"{name}: {says}")

    if a.enum is None and b.enum is None:
        return
    gone, come = [key for key in before if key not in after], [key for key in after if key not in before]
    if b.enum is None:
        loose = family(a) != family(b) or lets_in(b, "enum", a) is not False
        says = f"any value may come where only {was} could"
        says += "; it falls to the ELSE of an old CASE" if loose else ", but the other clauses allow no more than that"
        yield change("enum removed", "major" if loose else "patch", says)
    elif a.enum is None:
        tighter = family(a) != family(b) or lets_in(a, "enum", b) is not False
        says = f"only {now} may come where any value could; history may no longer conform"
        yield change("enum added", "minor" if tighter else "patch", says)
    elif gone and come and replaced(a, b, gone, come):
        says = f"re-coded from {was} to {now}: every value is valid, and an old CASE sends all of them to its ELSE"
        yield change("re-coded", "major", says, "semantic")
    else:
        if come:
            values = finite(b) if family(a) == family(b) else None
            loose = values is None or any((family(b), key[1]) in come for key in enum_of(b, values))
            says = f"{listed(after[key] for key in come)} may come too, beside {was}; an old CASE sends it to its ELSE"
            yield change("enum value added", "major" if loose else "patch", says)
        if gone:
            says = f"{listed(before[key] for key in gone)} may no longer come, only {now}; history no longer conforms"
            yield change("enum value removed", "minor", says)
        if not gone and not come and list(before) != list(after):
            yield change("order", "patch", "the enum's values stand in another order")
    if a.enum is not None and family(a) == family(b):
        yield from value_meanings(a, b, editorial)


def enum_of(field: Field, values: Iterable[Any]) -> dict[Any, Any]:
    """Those values as keys of the field's enum."""
    return enum(field.model_copy(update={"enum": tuple(values)}))


def replaced(a: Field, b: Field, gone: list[Any], come: list[Any]) -> bool:
    """Whether values were given new names rather than some dropped and others added."""
    meanings = {wording(says) for value, says in a.meanings if (family(a), comparable(value)) in gone}
    if meanings & {wording(says) for value, says in b.meanings if (family(b), comparable(value)) in come}:
        return True
    kept = len(enum(a)) - len(gone)
    return kept == 0 or (len(gone) == len(come) > kept)


def value_meanings(a: Field, b: Field, editorial: bool) -> Iterator[Change]:
    """Values that stayed, but mean something else."""
    before, after = dict(a.meanings), dict(b.meanings)
    for value in a.enum or ():
        was, now = before.get(value), after.get(value)
        if was == now or value not in (b.enum or ()):
            continue
        # Where two values swap their meanings, no author can call it editorial.
        others = {wording(says) for other, says in before.items() if other != value}
        swapped = now is not None and wording(now) in others and wording(now) != wording(was or "")
        yield meaning_change(a.name, "re-coded", was, now, editorial and not swapped, value)


def meaning_change(
    name: str, rule: str, was: str | None, now: str | None, editorial: bool, value: Any = None
) -> Change:
    """Other words for a field or for one value of its enum: another meaning, unless it is said or seen not to be."""
    where = name if value is None else f"{name}, value {value}"
    if was is None:
        says = f"{where}: it is now written that it means '{short(now or '')}'"
        return Change(name, "meaning added", was, now, "semantic", "minor", says)
    if now is not None and wording(was) == wording(now):
        says = f"{where}: the meaning differs in blanks, case or punctuation only"
        return Change(name, "meaning", was, now, "semantic", "patch", says)
    after = "unsaid" if now is None else f"'{short(now)}'"
    says = f"{where}: the meaning was '{short(was)}' and is {after}"
    if editorial and now is not None:
        return Change(name, "meaning", was, now, "semantic", "patch", f"{says}; its author says that is editorial")
    says += "" if now is None else f"; if only the words changed, say --editorial {name}"
    return Change(name, rule, was, now, "semantic", "major", says)


def limit_change(a: Field, b: Field, rule: str, clause: str) -> Change:
    """A min, max or pattern that moved."""
    was, now = getattr(a, clause), getattr(b, clause)
    looser, tighter = lets_in(b, clause, a), lets_in(a, clause, b)
    says = f"{a.name}: {clause} was {shown(was)} and is {shown(now)}"
    if looser is None:
        advice, bump = "nobody can tell whether the old one still holds, so it counts as loosened", "major"
    elif looser:
        advice, bump = "values may come that were promised not to", "major"
    elif tighter is not False:
        advice, bump = "history may not conform", "minor"
    else:
        advice, bump = "the values that may come are the same", "patch"
    return Change(a.name, rule, was, now, "structural", bump, f"{says}; {advice}")  # type: ignore[arg-type]


def null_change(a: Field, b: Field) -> Iterator[Change]:
    """More or less NULL than before, by `required` or by `max_null_rate`."""
    if (a.required, a.max_null_rate) == (b.required, b.max_null_rate):
        return
    was, now = null_rate(a), null_rate(b)
    rule = "required" if a.required != b.required else "null rate"
    old, new = (a.required, b.required) if rule == "required" else (a.max_null_rate, b.max_null_rate)
    bump: Bump = "major" if now > was else "minor" if now < was else "patch"
    advice = {
        "major": "NULL may come where none was promised",
        "minor": "history may not conform",
        "patch": "NULL may come as often as before",
    }
    if rule == "null rate":
        advice["major"] = "NULL may come more often than was promised"
    says = f"{a.name}: at most {was:.4g} of the rows were NULL and at most {now:.4g} are; {advice[bump]}"
    yield Change(a.name, rule, old, new, "structural", bump, says)


def deprecation(a: Field, b: Field) -> Change:
    """A field announced to go, or an announcement that changed."""
    bump: Bump = "minor"
    if b.deprecated is None:
        says, rule = "is no longer announced to go", "deprecation withdrawn"
    elif a.deprecated is None:
        instead = f"; read {b.deprecated.replaced_by} instead" if b.deprecated.replaced_by else ""
        says, rule = f"is deprecated since {b.deprecated.announced}{instead}", "deprecated"
    else:
        rule = "deprecation changed"
        was, now = a.deprecated.announced, b.deprecated.announced
        says = f"was announced to go on {was} in favour of {a.deprecated.replaced_by or 'nothing'}"
        says += f" and is on {now} in favour of {b.deprecated.replaced_by or 'nothing'}"
        if now < was:  # the notice would be over before its time
            bump, says = "major", f"{says}, which shortens the notice"
    return Change(a.name, rule, a.deprecated, b.deprecated, "structural", bump, f"{a.name}: the field {says}")
