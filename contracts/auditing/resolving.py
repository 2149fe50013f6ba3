"""Whose column it is in the end: from the file that names it, through other files' models, to a contract.

Known(contracts, files).columns(facts, origins) -> the columns, and whether their values are changed on the way
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from dataclasses import dataclass

from contracts.auditing.facts import Facts
from contracts.auditing.origins import NOWHERE, Origins, Relation, Source, Table
from contracts.document import Contract, Field
from contracts.scopes import is_named


@dataclass(frozen=True)
class Column:
    """A column of a table outside of the audited SQL."""

    table: str  # the contract's dataset, or the table as the SQL names it; several with "or" where it does not say
    name: str
    contract: Contract | None = dataclasses.field(default=None, compare=False)
    field: Field | None = dataclasses.field(default=None, compare=False)


@dataclass(frozen=True)
class Found:
    """Where the values of a column come from, all of it."""

    columns: tuple[Column, ...] = ()
    made: bool = False  # some are made in the audited SQL
    fold: str = ""  # what is done to the values on the way, as "lower"; "?" where nobody can tell

    def __or__(self, other: Found) -> Found:
        columns = tuple(dict.fromkeys(self.columns + other.columns))
        return Found(columns, self.made or other.made, self.fold + other.fold)

    @property
    def enum(self) -> tuple[Column, ...]:
        """The columns, if the contracts enumerate all values that can come."""
        listed = all(one.field is not None and one.field.enum for one in self.columns)
        return self.columns if listed and not self.made else ()


class Known:
    """The contracts and what all files say."""

    def __init__(self, contracts: list[Contract], files: list[Facts]) -> None:
        self.contracts, self.files = contracts, files
        self.found: dict[tuple[str, Origins], Found] = {}
        self.models: dict[str, list[tuple[Facts, Relation]]] = defaultdict(list)
        for facts in files:
            for name, relation in facts.models.items():
                self.models[name].append((facts, relation))
        self.holders: dict[str, set[Table]] = {}  # column -> the tables that have it, as far as all SQL together tells
        for member in sorted((one for facts in files for one in facts.reads), key=len):
            tables, name = {table for table, _ in member if table != NOWHERE}, member[0][1]
            if len(member) == 1:
                self.holders.setdefault(name, set()).update(tables)
            elif not (known := self.holders.setdefault(name, tables)) & tables or len(known) > 1:
                self.holders[name] = known & tables or known | tables

    def contract(self, table: Table) -> Contract | None:
        """The contract of a table."""
        return next((one for one in self.contracts if is_named(table, one.dataset)), None)

    def model(self, facts: Facts, table: Table) -> tuple[Facts, Relation] | None:
        """The file that makes a table, and what it hands out; a file of the same team or project goes before others."""
        if facts.project and len(table) > 1:
            return None  # in a dbt project, a model is named by ref alone
        if table in facts.created and table[-1] in facts.models:
            return facts, facts.models[table[-1]]
        is_own = bool(facts.project)  # it names itself as {{ this }}; elsewhere it reads another table of its name
        found = [one for one in self.models.get(table[-1], ()) if is_own or one[0] is not facts]
        near = [one for one in found if (one[0].team, one[0].project) == (facts.team, facts.project)]
        found = near or found
        return found[0] if len(found) == 1 else None

    def is_built_on(self, facts: Facts, table: Table, contract: Contract) -> bool:
        """Whether a model of the project has the contract's name and itself reads the table of that name."""
        model = self.model(facts, table) if facts.project else None
        return model is not None and any(len(one) > 1 and self.contract(one) is contract for one, _ in model[0].tables)

    def columns(self, facts: Facts, origins: Origins) -> Found:
        """The columns that these origins of a file are, once each model between is followed."""
        key = (facts.file, origins)
        if key not in self.found:
            self.found[key] = self.all_of(facts, origins, frozenset())
        return self.found[key]

    def all_of(self, facts: Facts, origins: Origins, seen: frozenset[Source]) -> Found:
        """What all members of these origins are; `seen` are the columns on the way here, against circles."""
        result = Found()
        for member in origins:
            if member and member[0][0] == NOWHERE:
                result |= Found(fold=member[0][1] if len(origins) == 2 else "?")  # of several columns, only of some
            elif not member:
                result |= Found(made=True)
            else:
                result |= self.one_of(facts, member, seen)
        return result

    def one_of(self, facts: Facts, member: tuple[Source, ...], seen: frozenset[Source]) -> Found:
        """The one of several sources that has such a column; all of them where nobody knows."""
        sure, maybe = Found(), []
        for table, name in member:
            contract = self.contract(table)
            if contract is not None and self.is_built_on(facts, table, contract):
                contract = None  # the contract is the source's, and the model of its name makes another table of it
            if contract is not None:
                field = next((one for one in contract.fields if one.name.casefold() == name), None)
                if field is not None or len(member) == 1:
                    sure |= Found((Column(contract.dataset, field.name if field else name, contract, field),))
            elif (model := self.model(facts, table)) is None or (table, name) in seen:
                maybe.append(".".join(table))
            elif (origins := model[1].origins(name)) is not None:
                found = self.all_of(model[0], origins, seen | {(table, name)})
                if name in model[1].columns or any(one.field for one in found.columns):
                    sure |= found
                else:
                    maybe += [one.table for one in found.columns if not one.contract]
        if sure != Found():
            return sure
        if not maybe:
            return Found(made=True)
        likely = [one for one in maybe if tuple(one.split(".")) in self.holders.get(member[0][1], ())]
        maybe = likely or maybe
        return Found((Column(" or ".join(sorted(set(maybe))), member[0][1]),))
