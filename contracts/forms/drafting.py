"""Drafting a contract from what somebody else has written.

A `Draft` collects the clauses; whatever does not make a right contract is taken out again, and said. So a draft always
loads. Each guess in it is marked for review.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pydantic

from contracts.document import Contract, Field, concerns, data_from, parse, to_mapping
from contracts.errors import ContractError, printable
from contracts.forms import Imported
from contracts.forms.taking import Taken, plainly, unreadable
from contracts.forms.yaml_blocks import Way, written
from contracts.values import VERSION, nearest, short
from contracts.yaml_text import MOST_NODES

REVIEW = "review: "
OWNER, FIRST = "unknown", "0.1.0"
MOST_ROUNDS = 20
MOST_SAID = 200  # sentences about what is left out
T = TypeVar("T")


class Draft:
    """A contract in the making. path: the other file. form: what it is, in words."""

    def __init__(self, path: str, form: str) -> None:
        self.path, self.form = path, form
        self.top: dict[str, Any] = {}
        self.fields: list[dict[str, Any]] = []
        self.reviews: dict[tuple[str | None, str], str] = {}
        self.left: list[str] = []
        self.timezone_is_said = False  # whether the file is one of ours, which says all that there is to say

    def leave(self, says: str) -> None:
        """Something that a contract does not hold."""
        self.left.append(printable(says))

    def review(self, field: str | None, key: str, says: str) -> None:
        """A guess, to be marked where it stands."""
        self.reviews[field, key] = f"{REVIEW}{says}"

    def chosen(self, items: Sequence[T], name: Callable[[T], str], named: str | None, what: str) -> T:
        """The one table of that name, or the first; the others are said. Raises ContractError where there is none."""
        names = [name(item) for item in items]
        if named is not None and named not in names:
            near = nearest(named, names)
            there = f"did you mean {near}?" if near else f"it has {', '.join(names[:12]) or 'none'}"
            raise unreadable(self.path, f"there is no table {named!r}; {there}")
        if not items:
            raise unreadable(
                self.path, f"this is not {self.form}: it has no {what}; give another file, or another --from"
            )
        place = 0 if named is None else names.index(named)
        for i, other in enumerate(names):
            if i != place:
                self.leave(f"{other}: another table; --table {other} imports it")
        return items[place]

    def about(self, own: Taken, dataset: str | None) -> None:
        """What stands there about the table as a whole, under our names."""
        self.name(own.text("dataset") or dataset)
        self.version(own.text("version"))
        self.owner(own.text("owner"))
        for key in ("consumers", "freshness", "volume", "evolution"):
            if (value := own.raw(key)) is not None:
                self.top[key] = plainly(value)
        self.timezone_is_said = "evolution" in own.data or self.timezone_is_said

    def name(self, text: str | None) -> None:
        """The dataset's name, where there is one."""
        if text:
            self.top["dataset"] = text

    def version(self, text: str | None) -> None:
        """The version, made three numbers where it is fewer or more."""
        if text and re.fullmatch(VERSION, text):
            self.top["version"] = text
            return
        numbers = [str(int(part)) for part in re.findall(r"[0-9]{1,9}", text or "")[:3]]
        self.top["version"] = ".".join([*numbers, "0", "0"][:3]) if numbers else FIRST
        self.review(None, "version", f"was {short(text)}, and a version is three numbers" if text else "none was said")

    def owner(self, text: str | None, guess: str | None = None) -> None:
        """The owner; where none is said a guess, or unknown, marked for review."""
        self.top["owner"] = text or guess or OWNER
        if not text:
            self.review(None, "owner", f"taken from {guess}" if guess else "none was said; name the team that answers")

    def field(self, name: str, type_: str) -> dict[str, Any] | None:
        """A new field; None where there is one of that name."""
        if any(made["name"] == name for made in self.fields):
            self.leave(f"{name}: a second column of that name")
            return None
        made: dict[str, Any] = {"name": name, "type": type_}
        self.fields.append(made)
        return made

    def imported(self) -> Imported:
        """The file, after taking out what makes no right contract. Raises ContractError where nothing is left."""
        self.settle_zone()
        contract = self.settled()
        places = {made["name"]: i for i, made in enumerate(self.fields)}
        comments: dict[Way, str] = {}
        for (field, key), says in self.reviews.items():
            if field is None and key in self.top:
                comments[(key,)] = says
            elif field in places and key in self.fields[places[field]]:
                comments["fields", places[field], key] = says
        keys = [key for key in Contract.model_fields if key in self.top and key != "evolution"]
        order = {key: self.top[key] for key in keys} | {"fields": [in_order(made) for made in self.fields]}
        evolution = to_mapping(contract.evolution)
        order |= {"evolution": evolution} if evolution else {}
        head = f"# Drafted from {self.form}, {Path(self.path).name}. Read it before anybody relies on it.\n"
        text = printable(head.rstrip("\n")) + "\n" + written(order, comments)
        parse(text)
        for fault in concerns(contract):
            self.leave(f"lint will say: {fault.message}")
        left = list(dict.fromkeys(self.left))
        if len(left) > MOST_SAID:
            left[MOST_SAID:] = [f"and {len(left) - MOST_SAID} more"]
        return Imported(text, tuple(left))

    def settle_zone(self) -> None:
        """Times without a zone are UTC's, unless somebody says otherwise."""
        freshness = self.top.get("freshness")
        if not isinstance(freshness, dict) or freshness.get("timezone") or self.timezone_is_said:
            return
        if any(made["name"] == freshness.get("field") and made["type"] == "timestamp" for made in self.fields):
            freshness["timezone"] = "UTC"
            self.review(None, "freshness", "no zone was said for times without one")

    def settled(self) -> Contract:
        """The contract, once what makes no right one is taken out. Raises ContractError where nothing is left."""
        for _ in range(MOST_ROUNDS):
            if not self.fields:
                break
            try:
                data = data_from({**self.top, "fields": self.fields}, [MOST_NODES])
                return Contract.model_validate(data)
            except pydantic.ValidationError as error:
                faults = error.errors(include_url=False, include_input=False)
                for each in sorted(faults, key=lambda one: sortable(one["loc"]), reverse=True):
                    self.take_out(each["loc"], each["msg"])
            except ContractError as error:
                raise unreadable(self.path, error.faults[0].message) from None
        raise unreadable(self.path, "there is no column here that a contract could speak about; give another file")

    def take_out(self, loc: Way, says: str) -> None:
        """Take out what is wrong at that place; another round finds what else is."""
        if loc[:1] == ("fields",) and len(loc) > 1:
            made = self.fields[int(loc[1])]
            key = str(loc[2]) if len(loc) > 2 else "name"
            self.leave(f"{made.get('name')}: {key}: {says}")
            if key in ("name", "type"):
                del self.fields[int(loc[1])]
            elif key == "meanings":
                made["enum"] = list(made["enum"])
            elif key == "enum" and len(loc) > 3 and len(made["enum"]) > 1:
                kept = list(made["enum"].items() if isinstance(made["enum"], dict) else made["enum"])
                del kept[int(loc[3])]
                made["enum"] = dict(kept) if isinstance(made["enum"], dict) else kept
            else:
                made.pop(key, None)
            return
        key = str(loc[0]) if loc else "dataset"
        self.leave(f"{'.'.join(map(str, loc)) or key}: {says}")
        defaults = {"version": FIRST, "owner": OWNER}
        held = self.top.get(key)
        if key in defaults:
            self.top[key] = defaults[key]
            self.review(None, key, "what was said could not be taken")
        elif isinstance(held, dict) and len(loc) > 1 and loc[1] in held and loc[1] != "max_lag":
            del held[loc[1]]
        elif isinstance(held, list) and len(loc) > 1:
            del held[int(loc[1])]
        else:
            self.top.pop(key, None)


def sortable(loc: Way) -> tuple[str, ...]:
    """A place that sorts after those before it, so that taking out the last first moves no other."""
    return tuple(f"{part:09d}" if isinstance(part, int) else part for part in loc)


def in_order(made: dict[str, Any]) -> dict[str, Any]:
    """A field with its clauses in the order of the model, without those that are only the default."""
    return {key: made[key] for key in Field.model_fields if key in made and made[key] is not False}
