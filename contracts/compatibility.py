"""What a schema registry would have said of a change, by Avro's rules, beside what the contract says.

    BACKWARD  the new schema reads the old data       FORWARD  the old schema reads the new data       FULL  both

Two traps. A re-coded string is FULL: to Avro 'excellent' is as good a string as 'A'. And an Avro enum re-coded with a
default is BACKWARD: the new reader turns every old A, B and C into the default, which is the registry's own ELSE 0.80.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contracts import avro
from contracts.changes import Bump, needed, numbers
from contracts.document import Contract, load
from contracts.errors import brief
from contracts.evolution import as_contract, diff

PROMOTED = {  # what a reader takes for its own, beside that itself
    "long": ("int",),
    "float": ("int", "long"),
    "double": ("int", "long", "float"),
    "string": ("bytes",),
    "bytes": ("string",),
}
NAMED = ("record", "enum", "fixed")


@dataclass(frozen=True)
class Compatibility:
    """A registry's verdict on one pair of versions, and the contract's own."""

    old: str
    new: str
    backward: bool
    forward: bool
    reasons: tuple[str, ...]  # why not, each with its direction
    silent: tuple[str, ...]  # values that a default replaces without a word
    needed: Bump | None  # by the contract
    breaking: tuple[str, ...]  # the contract's breaking changes

    @property
    def full(self) -> bool:
        return self.backward and self.forward

    @property
    def level(self) -> str:
        """The strongest level that holds."""
        return "FULL" if self.full else "BACKWARD" if self.backward else "FORWARD" if self.forward else "NONE"

    def to_dict(self) -> dict[str, Any]:
        """The verdict as JSON has it."""
        return {
            "old": self.old,
            "new": self.new,
            "BACKWARD": self.backward,
            "FORWARD": self.forward,
            "FULL": self.full,
            "reasons": list(self.reasons),
            "silent": list(self.silent),
            "contract": {"needed": self.needed, "breaking": list(self.breaking)},
        }


def compatibility(
    old: Contract | str | os.PathLike[str] | Mapping[str, Any],
    new: Contract | str | os.PathLike[str] | Mapping[str, Any],
    *,
    enums: bool = False,
    defaults: Mapping[str, str] | None = None,
) -> Compatibility:
    """What a registry would say of the step, if both contracts were its schemas; `defaults` are those of new enums."""
    old, new = as_contract(old), as_contract(new)
    new = new.model_copy(update={"dataset": old.dataset})  # a registry compares within one subject
    before, after = avro.schema(old, enums=enums), avro.schema(new, enums=enums, defaults=defaults)
    backward, forward = list(obstacles(after, before)), list(obstacles(before, after))
    changes = diff(old, new)
    return Compatibility(
        old.version,
        new.version,
        not backward,
        not forward,
        tuple(f"BACKWARD: {brief(one)}" for one in backward) + tuple(f"FORWARD: {brief(one)}" for one in forward),
        tuple(brief(one) for one in replaced(after, before)),
        needed(changes),
        tuple(str(change) for change in changes if change.breaking),
    )


def released(history: str | os.PathLike[str], new: Contract) -> list[Contract]:
    """Every earlier version of that dataset in a folder, in order: what the transitive levels compare with."""
    folder = Path(history)
    if not folder.is_dir():
        raise OSError(f"{folder} is no folder; give the one that holds the released versions")
    files = sorted(folder.glob("*.y*ml"))
    for path in files:
        if not path.is_file():  # a pipe may never begin
            raise OSError(f"{path} is no regular file; take it out of the folder of the released versions")
    versions = [load(path) for path in files]
    earlier = [
        each for each in versions if each.dataset == new.dataset and numbers(each.version) < numbers(new.version)
    ]
    if not earlier:
        raise OSError(
            f"{folder} holds no version of {new.dataset} before {new.version}, so there is nothing to compare"
        )
    return sorted(earlier, key=lambda each: numbers(each.version))


def levels(found: Sequence[Compatibility]) -> dict[str, bool]:
    """The levels of a registry, for the versions in order: the plain ones look at the last, the transitive at all."""
    last = found[-1]
    return {
        "BACKWARD": last.backward,
        "FORWARD": last.forward,
        "FULL": last.full,
        "BACKWARD_TRANSITIVE": all(one.backward for one in found),
        "FORWARD_TRANSITIVE": all(one.forward for one in found),
        "FULL_TRANSITIVE": all(one.full for one in found),
    }


def table(found: Sequence[Compatibility]) -> str:
    """The verdicts for a terminal."""
    lines = []
    for one in found:
        own = f"{one.needed} bump" if one.needed else "no change"
        lines.append(f"{one.old} → {one.new}  registry: {one.level:<8}  contract: {own}")
        lines += [f"  {reason}" for reason in (*one.reasons, *one.silent)]
        lines += [f"  contract: {says}" for says in one.breaking]
        if one.backward and one.breaking:
            lines.append(f"  The registry lets it through as {one.level}; the contract calls it breaking.")
    if len(found) > 1:
        lines += [f"{level:<20} {'yes' if holds else 'no'}" for level, holds in levels(found).items()]
    return "\n".join(lines)


# ---- Avro's schema resolution --------------------------------------------------------------------------------------


def obstacles(reader: Any, writer: Any, at: str = "") -> Iterator[str]:
    """Why data written with `writer` cannot be read with `reader`; nothing where it can. No recursive schemas."""
    if isinstance(writer, list):  # every branch may come
        for branch in writer:
            yield from obstacles(reader, branch, at)
        return
    if isinstance(reader, list):  # one branch is enough
        if not any(not list(obstacles(branch, writer, at)) for branch in reader):
            yield f"{at or 'the schema'}: no branch of {[kind(branch) for branch in reader]} reads {kind(writer)}"
        return
    read, written = kind(reader), kind(writer)
    if read != written:
        if written not in PROMOTED.get(read, ()):
            yield f"{at or 'the schema'}: {read} does not read {written}"
        return
    if read in NAMED and not same_name(reader, writer):
        yield f"{at or 'the schema'}: the {read} is called {reader['name']}, not {writer['name']}"
    elif read == "fixed" and reader["size"] != writer["size"]:
        yield f"{at}: {reader['size']} bytes are not {writer['size']}"
    elif read == "enum":
        missing = [symbol for symbol in writer["symbols"] if symbol not in reader["symbols"]]
        if missing and reader.get("default") not in reader["symbols"]:
            yield f"{at or 'the schema'}: the enum does not know {', '.join(missing)}, and has no default"
    elif read == "array":
        yield from obstacles(reader["items"], writer["items"], f"{at}[]")
    elif read == "map":
        yield from obstacles(reader["values"], writer["values"], f"{at}{{}}")
    elif read == "record":
        for field, counterpart in counterparts(reader, writer):
            way = f"{at}.{field['name']}".removeprefix(".")
            if counterpart is not None:
                yield from obstacles(field["type"], counterpart["type"], way)
            elif "default" not in field:
                yield f"{way}: the reader needs it, the data lacks it, and there is no default"


def kind(schema: Any) -> str:
    """The type's name; a logical type is its physical one."""
    inner = schema["type"] if isinstance(schema, dict) else schema
    return kind(inner) if isinstance(inner, dict) else str(inner)


def same_name(reader: Any, writer: Any) -> bool:
    """Names match without their namespaces, or by one of the reader's aliases."""
    written = str(writer["name"]).rpartition(".")[2]
    names = [reader["name"], *reader.get("aliases", [])]
    return written in [str(name).rpartition(".")[2] for name in names]


def counterparts(reader: Any, writer: Any) -> Iterator[tuple[Any, Any]]:
    """Each field of the reader with the writer's field that it reads, by its name or by an alias."""
    fields = {field["name"]: field for field in writer["fields"]}
    for field in reader["fields"]:
        names = [field["name"], *field.get("aliases", [])]
        yield field, next((fields[name] for name in names if name in fields), None)


def replaced(reader: Any, writer: Any) -> Iterator[str]:
    """Enum values that the reader's default replaces without a word."""
    for field, counterpart in counterparts(reader, writer):
        ours, theirs = enum_of(field["type"]), enum_of(counterpart["type"]) if counterpart else None
        if ours and theirs:
            unknown = [symbol for symbol in theirs["symbols"] if symbol not in ours["symbols"]]
            if unknown and ours.get("default") in ours["symbols"]:
                default = ours["default"]
                yield f"{field['name']}: every {', '.join(unknown)} is read as {default}: the registry's own ELSE"


def enum_of(schema: Any) -> Any:
    """The enum in a schema, or in the union that allows NULL beside it."""
    branches = schema if isinstance(schema, list) else [schema]
    return next((branch for branch in branches if isinstance(branch, dict) and branch["type"] == "enum"), None)
