"""May this version of a contract be released? The changes, its number, and the old version's evolution clause.

    verdict(old, new, as_of=...) -> Verdict, whose status is 0 accepted, 1 rejected, 2 could not check

With `breaking: expand_and_contract` no breaking change is allowed in one step, whatever the number says, but one: the
removal of a field that the old version marks deprecated, whose notice is over, and that no consumer's SQL reads.
"""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from contracts.changes import BUMPS, Bump, Change, given, needed, numbers
from contracts.document import Contract
from contracts.errors import brief
from contracts.evolution import diff, is_named

if TYPE_CHECKING:  # it parses SQL, and most steps let no field go
    from contracts.readers import Readers

REMOVED = ("field removed", "field renamed")
LOOSENED = {"range", "pattern", "required", "null rate", "unique", "enum value added", "enum removed"}
BESIDE = "or publish a new table beside this one"
TABLE = {  # what to do about a breaking change of the table as a whole
    "dataset": f"keep the name, {BESIDE}",
    "freshness field": f"keep the field that tells its age, {BESIDE}",
    "freshness timezone": f"keep the time zone, {BESIDE}",
    "notice": "keep the notice, which the consumers rely on",
    "evolution additive": "keep the evolution clause, which the consumers rely on",
    "evolution breaking": "keep the evolution clause, which the consumers rely on",
}


@dataclass(frozen=True)
class Verdict:
    """All that is to be said of a step from one version to the next."""

    dataset: str
    old: str | None  # None: there was no contract before
    new: str
    changes: tuple[Change, ...]
    needed: Bump | None
    given: Bump | None  # None: the number did not go up
    reasons: tuple[str, ...]  # why it is rejected
    not_checked: tuple[str, ...]
    instead: tuple[str, ...]  # what to do about it

    @property
    def verdict(self) -> str:
        return "rejected" if self.reasons else "could not check" if self.not_checked else "accepted"

    @property
    def status(self) -> int:
        return {"accepted": 0, "rejected": 1, "could not check": 2}[self.verdict]

    @property
    def consumers(self) -> tuple[str, ...]:
        """The teams that a breaking change affects."""
        return tuple(dict.fromkeys(team for change in self.changes if change.breaking for team in change.consumers))

    def __str__(self) -> str:
        """The verdict in one sentence."""
        if self.old is None:
            is_new = f"{self.dataset} {self.new} is new: its file is not in the revision, so it breaks nobody"
            return brief(f"{self.verdict.upper()}: {is_new}; if the file has moved, compare the two files instead")
        breaking = sum(change.breaking for change in self.changes)
        count = f"{len(self.changes)} change{'s' * (len(self.changes) != 1)}, {breaking} breaking"
        affects = f"; affects {', '.join(self.consumers)}" if self.consumers else ""
        step = f"{self.dataset} {self.old} → {self.new}"
        bump = f"needs {self.needed or 'no'} bump, has {self.given or 'none'}"
        return brief(f"{self.verdict.upper()}: {step}, {count}, {bump}{affects}")

    def to_dict(self) -> dict[str, Any]:
        """The verdict as JSON has it."""
        return {
            "dataset": self.dataset,
            "old": self.old,
            "new": self.new,
            "verdict": self.verdict,
            "needed": self.needed,
            "given": self.given,
            "changes": [change.to_dict() for change in self.changes],
            "consumers": list(self.consumers),
            "reasons": [brief(reason) for reason in self.reasons],
            "not_checked": [brief(reason) for reason in self.not_checked],
            "instead": [brief(advice) for advice in self.instead],
        }


def verdict(
    old: Contract,
    new: Contract,
    *,
    as_of: dt.date,
    editorial: Iterable[str] = (),
    consumers: str | os.PathLike[str] | None = None,
    dialect: str = "duckdb",
) -> Verdict:
    """Judge the step from old to new on the day `as_of`; `consumers` is the folder of <team>/*.sql.

    Raises OSError where that folder cannot be read.
    """
    if consumers is not None and not os.path.isdir(
        consumers
    ):  # told also where no field goes, and nobody would read it
        raise OSError(f"{consumers} is no folder; give the one that holds <team>/*.sql")
    reworded = frozenset(editorial)
    changes = diff(old, new, editorial=reworded)
    reasons = list(number_reasons(old.version, new.version, changes))
    not_checked: list[str] = []
    gone = [field for field in old.fields if not new.field(field.name)]
    allowed: set[str] = set()  # removals that are all right
    for field in gone:
        if old.evolution.breaking != "expand_and_contract":
            break
        if (wait := waiting(old, field.name, as_of)) is not None:
            reasons.append(wait)
        if field.deprecated is None:
            continue
        answer = who_reads(old, field.name, consumers, dialect)
        if answer.readers:
            first = answer.readers[0]
            more = f" and {len(answer.readers) - 1} more places" if len(answer.readers) > 1 else ""
            reading = f"{', '.join(answer.reading)} still read{'s' * (len(answer.reading) == 1)} it"
            reasons.append(f"{field.name}: {reading}: {first.file}:{first.line}:{first.column}{more}")
        elif answer.unknown:
            not_checked += [f"{field.name}: {unknown}" for unknown in answer.unknown]
        allowed.add(field.name)  # its reasons are given
    for change in changes:
        if change.rule not in REMOVED or old.evolution.breaking != "expand_and_contract":
            reasons += clause_reasons(old, change, allowed)
    instead = tuple(dict.fromkeys(advice(old, changes, reasons, allowed)))
    return Verdict(
        new.dataset if is_named(new) else old.dataset,
        old.version,
        new.version,
        tuple(changes),
        needed(changes),
        given(old.version, new.version),
        tuple(reasons),
        tuple(not_checked),
        instead,
    )


def first(new: Contract) -> Verdict:
    """The verdict on a contract that nobody had before."""
    return Verdict(new.dataset, None, new.version, (), None, None, (), (), ())


def number_reasons(old: str, new: str, changes: list[Change]) -> Iterator[str]:
    """What is wrong with the version number."""
    bump, has = needed(changes), given(old, new)
    if numbers(new) < numbers(old):
        yield f"the version goes down from {old} to {new}"
    elif bump and has is None:
        yield f"the version is still {old}, but the content is another; {step(old, bump)} is the next"
    elif bump and has and BUMPS.index(has) < BUMPS.index(bump):
        yield f"{old} → {new} is a {has} bump, but these changes need a {bump} one; {step(old, bump)} is the next"


def step(version: str, bump: Bump) -> str:
    """The next version after that bump."""
    major, minor, patch = numbers(version)
    if bump == "major":
        return f"{major + 1}.0.0"
    return f"{major}.{minor + 1}.0" if bump == "minor" else f"{major}.{minor}.{patch + 1}"


def clause_reasons(old: Contract, change: Change, allowed: set[str]) -> Iterator[str]:
    """Where a change breaks the old version's evolution clause."""
    where = change.field or "the table"
    if change.rule == "field added" and old.evolution.additive == "forbidden":
        yield f"{where}: a new field, but the contract says additive: forbidden"
    if not change.breaking or old.evolution.breaking == "allowed" or follows(old, change, allowed):
        return
    if old.evolution.breaking == "forbidden":
        yield f"{where}: a breaking change ({change.rule}); the contract says breaking: forbidden"
    else:
        says = "the contract says expand_and_contract"
        if "breaking" not in old.evolution.model_fields_set:
            says = "breaking: expand_and_contract holds, as the contract does not say otherwise"
        yield f"{where}: a breaking change in one step ({change.rule}); {says}"


def follows(old: Contract, change: Change, allowed: set[str]) -> bool:
    """Whether freshness only moves from a field that may go to its successor."""
    field = old.field(change.old) if change.rule == "freshness field" and change.old in allowed else None
    return bool(field and field.deprecated and field.deprecated.replaced_by == change.new)


def earliest(old: Contract, announced: dt.date) -> dt.date:
    """The first day on which a field announced that day may go."""
    return announced + dt.timedelta(days=min(notice_days(old), (dt.date.max - announced).days))


def notice_days(old: Contract) -> int:
    """How many days before a removal the consumers are told; part of a day is a day."""
    return -(-(old.evolution.notice or dt.timedelta()) // dt.timedelta(days=1))


def waiting(old: Contract, name: str, as_of: dt.date) -> str | None:
    """Why a field may not go yet, by its announcement; None where it may."""
    field = old.field(name)
    if field is None or field.deprecated is None:
        return f"{name}: the field is gone, but {old.version} does not mark it deprecated"
    day = earliest(old, field.deprecated.announced)
    if (left := (day - as_of).days) <= 0:
        return None
    told = f"it was announced on {field.deprecated.announced} and may go on {day}"
    return f"{name}: the notice is not over: {left} day{'s' * (left != 1)} left; {told}"


def who_reads(old: Contract, name: str, consumers: str | os.PathLike[str] | None, dialect: str) -> Readers:
    """The field's readers; every team is unknown where there is no folder of SQL."""
    from contracts.readers import Readers, Unknown, readers

    if consumers is not None:
        return readers(consumers, old.dataset, name, old.consumers, dialect=dialect)
    reason = "no SQL was given; name its folder with --consumers"
    return Readers(old.dataset, name, (), tuple(Unknown(team, None, reason) for team in old.consumers), old.consumers)


def advice(old: Contract, changes: list[Change], reasons: list[str], allowed: set[str]) -> Iterator[str]:
    """What to do instead, once for each field and for each clause of the table."""
    if not reasons or old.evolution.breaking == "allowed":
        return
    breaking = [change for change in changes if change.breaking and not follows(old, change, allowed)]
    for name in dict.fromkeys(change.field for change in breaking):
        each = [change for change in breaking if change.field == name]
        if name is None:
            yield from (f"the table: {table_advice(change)}" for change in each)
        elif name not in allowed:
            yield f"{name}: {field_advice(old, name, each)}"


def table_advice(change: Change) -> str:
    """What to do instead of a breaking change of the table as a whole."""
    return TABLE.get(change.rule, f"keep the promise, {BESIDE} with the looser one")


def field_advice(old: Contract, name: str, breaking: list[Change]) -> str:
    """What to do instead of the breaking changes of one field."""
    field, change, rules = old.field(name), breaking[0], {change.rule for change in breaking}
    days = notice_days(old)
    notice = f" after {days} day{'s' * (days != 1)} of notice," if days else ""
    remove = f"and remove it{notice} once nobody reads it"
    if rules == {"deprecation changed"}:
        return f"announce it on {change.old.announced} as before, or on a later day"
    if old.evolution.breaking == "forbidden":
        return "keep it as it is, or agree with the consumers on a new table, as this contract forbids breaking changes"
    if change.rule == "field renamed":
        says = f"add {change.new.name} beside it, mark {name} deprecated, replaced by {change.new.name}, {remove}"
    elif change.rule == "field removed":
        if field and field.deprecated:
            return "wait until the notice is over and nobody reads it"
        says = f"keep it, mark it deprecated, {remove}"
    elif rules <= LOOSENED:
        says = f"keep the promise, or give the looser one to a new field beside it, mark {name} deprecated, {remove}"
    else:
        says = f"keep it as it is, put the new values in a new field beside it, mark {name} deprecated, {remove}"
    return f"{says}; python -m contracts plan OLD NEW writes both steps"
