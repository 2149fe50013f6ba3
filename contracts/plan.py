"""plan(current, wanted): a breaking change in steps that break nobody.

    expand     the new fields beside the old ones, which are marked deprecated; both are filled
    migrate    each consumer moves to the new field, until the notice is over
    contract   the old fields go

Both versions are the author's own file, changed only where they must differ, and both pass `diff`.
"""

from __future__ import annotations

import datetime as dt
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from contracts.changes import Bump, given, needed
from contracts.document import Contract, Deprecated, Field, parse
from contracts.emitting import emit_both
from contracts.errors import ContractError, printable
from contracts.evolution import as_contract, diff, renames
from contracts.readers import Readers
from contracts.release import earliest, step, who_reads
from contracts.splicing import Page, Unspliceable, respelled, written
from contracts.values import VERSION
from contracts.writing import all_or_none, unfinished

TABLE = ("owner", "consumers", "freshness", "volume", "evolution")


@dataclass(frozen=True)
class Drop:
    """A field that will go: what to read instead, from when on it may, and who reads it today."""

    field: Field
    successor: Field | None
    announced: dt.date
    earliest: dt.date
    readers: Readers


@dataclass(frozen=True)
class Plan:
    """The steps from the version in force to what is wanted."""

    current: Contract
    expand: Contract
    contract: Contract | None  # None: nothing has to go
    expand_text: str
    contract_text: str | None
    drops: tuple[Drop, ...]
    sql: str
    left_out: tuple[str, ...]  # what of the wanted version no two steps can bring

    @property
    def files(self) -> dict[str, str]:
        """What `write` writes, by name."""
        found = {}
        if self.expand.version != self.current.version:
            found[f"{self.current.dataset}-{self.expand.version}.yaml"] = self.expand_text
        if self.contract and self.contract_text:
            found[f"{self.current.dataset}-{self.contract.version}.yaml"] = self.contract_text
        if self.sql:
            found[f"{self.current.dataset}-{self.expand.version}.sql"] = self.sql
        return found

    def text(self, files: bool = True) -> str:
        """The plan for a person to follow; with the contracts themselves, if they are not written elsewhere."""
        says = list(self.steps())
        for name, content in self.files.items():
            if files or content is self.sql:
                says += ["", f"{'--' if content is self.sql else '#'} {printable(name)}", content.rstrip("\n")]
        return "\n".join(says)

    def steps(self) -> Iterator[str]:
        """The lines of the plan: expand, migrate field by field, contract, and what is left out."""
        dataset, old, new = printable(self.current.dataset), self.current.version, self.expand.version
        if old == new:
            yield f"EXPAND   {dataset} {old} has it already" if self.drops else f"NOTHING TO DO for {dataset} {old}"
        else:
            yield f"EXPAND   {dataset} {old} → {new}, a {given(old, new)} bump"
        for change in diff(self.current, self.expand):
            yield f"  {change}"
        for drop in self.drops:
            name = printable(drop.field.name)
            instead = printable(f"; read {drop.successor.name} instead" if drop.successor else "")
            yield f"MIGRATE  {name}: announced on {drop.announced}, may go on {drop.earliest}{instead}"
            yield from (f"  {one}" for one in (*drop.readers.readers, *drop.readers.unknown))
            unknown = {one.team for one in drop.readers.unknown}
            for team in drop.readers.teams:
                if team not in unknown and team not in drop.readers.reading:
                    yield printable(f"  {team} does not read it")
        if self.contract:
            names = printable(", ".join(drop.field.name for drop in self.drops))
            day = max(drop.earliest for drop in self.drops)
            yield f"CONTRACT {dataset} {new} → {self.contract.version}, a major bump, on {day} at the earliest"
            yield f"  {names}: removed, once nobody reads {'it' if len(self.drops) == 1 else 'them'}"
        yield from (f"LEFT OUT {printable(one)}" for one in self.left_out)


def plan(
    current: Contract | str | os.PathLike[str] | Mapping[str, Any],
    wanted: Contract | str | os.PathLike[str] | Mapping[str, Any],
    *,
    announce: dt.date | None = None,
    consumers: str | os.PathLike[str] | None = None,
    dialect: str = "duckdb",
    names: Mapping[str, str] | None = None,
    editorial: Iterable[str] = (),
) -> Plan:
    """The expand version and the contract version that lead from `current` to `wanted`.

    announce: the day the consumers are told (today, if left out). consumers: the folder of <team>/*.sql.
    names: what the new field beside an old one is called; else <field>_v2. editorial: as for `diff`.
    Raises ContractError, OSError where the folder cannot be read, ValueError where a name is taken.
    """
    current, wanted = as_contract(current), as_contract(wanted)
    announce, editorial = announce or dt.date.today(), frozenset(editorial)
    changes = diff(current, wanted, editorial=editorial)
    breaking = {c.field: c.rule for c in reversed(changes) if c.breaking and c.field}  # the first of each field
    fields, successors, left_out = expanded(current, wanted, announce, names or {}, breaking)
    if current.evolution.additive == "forbidden" and len(fields) > len(current.fields):
        left_out.append("the new fields: the contract says additive: forbidden, so none can be added")
        fields, successors = list(current.fields), {}
    kept, not_kept = beside_fields(current, wanted, successors, fields)
    left_out += not_kept
    expand = rebuilt(current, {**kept, "fields": fields})
    if bump := needed(diff(current, expand, editorial=editorial)):
        expand = rebuilt(expand, {"version": following(current.version, bump)})
    beside = [(current.field(name), expand.field(new)) for name, new in successors.items() if new]
    contract = None
    if successors and current.evolution.breaking == "forbidden":
        left_out.append(f"the removal of {', '.join(successors)}: the contract says breaking: forbidden")
    elif successors:
        contract, stay = contracted(expand, successors)
        left_out += stay
        successors = {name: each for name, each in successors.items() if contract and not contract.field(name)}
    expand_text = spelled(current, expand, wanted)
    contract_text = (
        None if contract is None else spelled(parse(expand_text, source=current.source), contract, None, expand_text)
    )
    drops = tuple(dropping(expand, successors, consumers, dialect))
    sql = emit_both(current.dataset, [(old, new) for old, new in beside if old and new and not current.field(new.name)])
    return Plan(current, expand, contract, expand_text, contract_text, drops, sql, tuple(left_out))


# ---- the two versions ----------------------------------------------------------------------------------------------


def expanded(
    current: Contract, wanted: Contract, announce: dt.date, names: Mapping[str, str], breaking: Mapping[str, str]
) -> tuple[list[Field], dict[str, str | None], list[str]]:
    """The fields of the expand version, the successor of each that will go, and what cannot be had."""
    renamed = {name: field.name for name, field in renames(current, wanted).items()} | guesses(current, wanted)
    taken = {field.name for field in (*current.fields, *wanted.fields)}
    placed: set[str] = set()
    fields: list[Field] = []
    successors: dict[str, str | None] = {}
    left_out = []
    for name in names:
        if (field := wanted.field(name)) is not None and name not in breaking:
            raise ValueError(f"{name} stays as it is, so no field beside it needs the name {names[name]}; leave it out")
    for field in current.fields:
        new = wanted.field(field.name)
        if new is not None and field.name not in breaking:
            fields.append(new)
        elif new is not None and breaking[field.name] == "deprecation changed":
            left_out.append(f"{field.name}: an announcement cannot be moved to an earlier day")
            fields.append(new.model_copy(update={"deprecated": field.deprecated}))
        elif new is not None:
            name = names.get(field.name) or fresh(field.name, taken)
            if name in taken:
                says = f"the new field beside {field.name} cannot be called {name}: there is one already"
                raise ValueError(f"{says}; choose another name")
            taken.add(name)
            successors[field.name] = name
            announced = max(announce, field.deprecated.announced) if field.deprecated else announce
            mark = Deprecated(announced=announced, replaced_by=name)
            fields += [
                field.model_copy(update={"deprecated": mark}),
                new.model_copy(update={"name": name, "deprecated": None}),
            ]
        elif field.deprecated:
            successors[field.name] = field.deprecated.replaced_by
            fields.append(field)
        else:
            successor = names.get(field.name) or renamed.get(field.name)
            if successor and wanted.field(successor) is None:
                says = f"{field.name} cannot be replaced by {successor}: the wanted version has no such field"
                raise ValueError(f"{says}; name one of its fields")
            successors[field.name] = successor
            mark = Deprecated(announced=announce, replaced_by=successor)
            fields.append(field.model_copy(update={"deprecated": mark}))
            if successor and (added := wanted.field(successor)) and not current.field(successor):
                fields.append(added)
                placed.add(successor)
    for place, field in enumerate(wanted.fields):
        if current.field(field.name) is None and field.name not in placed:
            before = wanted.fields[place - 1].name if place else None
            insert_after(before, field, fields, {*placed, *successors.values()})
    return fields, successors, left_out


def insert_after(before: str | None, field: Field, fields: list[Field], passed: set[str | None]) -> None:
    """Put a new field behind the one of that name and those of `passed` that follow it; last, where it is not there."""
    index = next((i for i, each in enumerate(fields) if each.name == before), len(fields) - 1)
    while index + 1 < len(fields) and fields[index + 1].name in passed:
        index += 1
    fields.insert(index + 1, field)


def fresh(name: str, taken: set[str]) -> str:
    """A name for the new field beside an old one."""
    stem, _, number = name.rpartition("_v")
    stem, count = (stem, int(number)) if stem and re.fullmatch("[1-9][0-9]{0,3}", number) else (name, 1)
    return next(new for n in range(count + 1, count + 2 + len(taken)) if (new := f"{stem}_v{n}") not in taken)


def guesses(current: Contract, wanted: Contract) -> dict[str, str]:
    """A new field that shares a word with a lost one, where no other does: item_condition, condition_grade."""
    gone = [field.name for field in current.fields if not wanted.field(field.name)]
    come = [field.name for field in wanted.fields if not current.field(field.name)]
    sure = renames(current, wanted)
    gone, come = (
        [each for each in gone if each not in sure],
        [each for each in come if each not in {f.name for f in sure.values()}],
    )

    def words(name: str) -> set[str]:
        return {word for word in re.split(r"[\W_]+", name.casefold()) if len(word) > 3}

    pairs = [(a, b) for a in gone for b in come if words(a) & words(b)]
    return {a: b for a, b in pairs if sum(x == a for x, _ in pairs) == 1 == sum(y == b for _, y in pairs)}


def beside_fields(
    current: Contract, wanted: Contract, successors: Mapping[str, str | None], fields: Iterable[Field]
) -> tuple[dict[str, Any], list[str]]:
    """What the expand version takes of the wanted one beside the fields, and what it cannot take."""
    taken: dict[str, Any] = {}
    timed = {field.name for field in fields if field.type in ("date", "timestamp")}
    left_out = [f"{c}; publish a new table beside this one" for c in diff(current, wanted) if c.rule == "dataset"]
    for name in TABLE:
        value = getattr(wanted, name)
        if name == "freshness" and value:
            same = current.freshness is not None and current.freshness.field == value.field
            successor = None if same else successors.get(value.field)
            if successor:  # what is wanted of the field is now called so
                value = value.model_copy(update={"field": successor})
            if value.field is not None and value.field not in timed:
                left_out.append(f"the freshness: the expand version has no field {value.field} that tells time")
                continue
        breaking = [change for change in diff(current, rebuilt(current, {name: value})) if change.breaking]
        if not breaking:
            taken[name] = value
        for change in breaking:
            follows = change.rule == "freshness field" and successors.get(change.old, "") == change.new
            if not follows:
                left_out.append(f"{change}; keep the promise, or publish a new table beside this one")
    return taken, left_out


def contracted(expand: Contract, successors: Mapping[str, str | None]) -> tuple[Contract | None, list[str]]:
    """The version without the old fields; one that freshness needs, and that no other can stand in for, stays."""
    freshness, stay = expand.freshness, []
    gone = set(successors)
    if freshness and freshness.field is not None and freshness.field in gone:
        successor = successors[freshness.field]
        told = expand.field(successor) if successor and successor not in gone else None
        if told and told.type in ("date", "timestamp"):
            freshness = freshness.model_copy(update={"field": successor})
        else:
            stay.append(
                f"the removal of {freshness.field}: freshness needs it, and it has no successor that tells time"
            )
            gone.discard(freshness.field)
    fields = []
    for field in expand.fields:
        if field.name in gone:
            continue
        if field.deprecated and field.deprecated.replaced_by in gone:
            successor = successors[field.deprecated.replaced_by]
            successor = None if successor in gone or successor == field.name else successor
            mark = field.deprecated.model_copy(update={"replaced_by": successor})
            field = field.model_copy(update={"deprecated": mark})
        fields.append(field)
    if not gone or not fields:
        return None, stay if fields else [*stay, "the removal of every field: nothing would be promised"]
    version = following(expand.version, "major")
    return rebuilt(expand, {"fields": fields, "freshness": freshness, "version": version}), stay


def following(version: str, bump: Bump) -> str:
    """The next version; ValueError where no contract can have it."""
    if not re.fullmatch(VERSION, following := step(version, bump)):
        raise ValueError(f"after {version} comes {following}, but a number has at most nine digits; lower the version")
    return following


def rebuilt(contract: Contract, update: Mapping[str, Any]) -> Contract:
    """The contract with other parts, and still from the same file."""
    if "fields" in update:
        update = {**update, "fields": tuple(update["fields"])}
    return contract.model_copy(update=dict(update))


# ---- the files -------------------------------------------------------------------------------------------------------


def spelled(before: Contract, after: Contract, wanted: Contract | None, text: str | None = None) -> str:
    """The text of a version: the author's own, changed where it must be; all new where that cannot be."""
    try:
        if text is None:
            text = original(before)
        source = Page(original(wanted)) if wanted is not None and wanted.source else None
        for field in before.fields if source and wanted else ():
            mark = after.field(field.name)
            new = mark.deprecated.replaced_by if mark and mark.deprecated else None
            if source and new and wanted and wanted.field(field.name) and not wanted.field(new):
                source.set(field.name, "name", new)
                source.set(new, "deprecated", None)
        result = respelled(Page(text), before, after, source)
        if parse(result, source=before.source or "dataset.yaml").model_copy(update={"dataset": after.dataset}) == after:
            return result
    except (Unspliceable, yaml.YAMLError, ContractError, StopIteration, ValueError, IndexError, TypeError):
        pass
    return "# Written anew, as the file it comes from cannot be changed in parts.\n" + written(after)


def original(contract: Contract) -> str:
    """The file of a contract, or what it would be."""
    return contract.source.read_bytes().decode("utf-8-sig") if contract.source else written(contract)


def write(found: Plan, folder: Path) -> list[Path]:
    """Write the plan's files, each whole or not at all; raises OSError, and writes none, where one is there already."""
    paths = []
    for name in found.files:
        if not re.fullmatch(r"\w[\w .-]*", name) or Path(name).name != name:
            raise OSError(f"{found.current.dataset!r} is no name for a file, so nothing is written")
        paths.append(folder / name)
    for path in paths:
        if (path.exists() or path.is_symlink()) and not (unfinished(folder) and holds(path, found.files[path.name])):
            raise OSError(f"{path} is there already, so nothing is written; move it, or give another folder")
    if len(paths) == 1:  # which makes no new folder for one file
        folder.mkdir(exist_ok=True)
    with all_or_none(folder, list(found.files)) as half:
        for name, content in found.files.items():
            (half / name).write_bytes(content.encode("utf-8"))
    return paths


def holds(path: Path, content: str) -> bool:
    """Whether a file is what a run that was killed half way has put there."""
    return path.is_file() and not path.is_symlink() and path.read_bytes() == content.encode("utf-8")


# ---- who is still on the old field ----------------------------------------------------------------------------


def dropping(
    expand: Contract, successors: Mapping[str, str | None], consumers: str | os.PathLike[str] | None, dialect: str
) -> Iterator[Drop]:
    """Each field that will go, with its readers."""
    for name, successor in successors.items():
        field = expand.field(name)
        if field and field.deprecated:
            announced = field.deprecated.announced
            readers = who_reads(expand, name, consumers, dialect)
            new = expand.field(successor) if successor else None
            yield Drop(field, new, announced, earliest(expand, announced), readers)
