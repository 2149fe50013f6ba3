"""What a silent default would cost, measured: the model's own SQL, run by DuckDB on the data that is given.

    measured(findings, judge, known, data, amount=..., where=...) -> the findings, each silent default with its figures

How many rows take the default today; and what the amount would be if every row did, over the rows of the model, and
over those of each other table that shares a unique column with it. Two files for one contract are two states of it,
earlier and today: then the figures say what has changed. Only queries are run, without access to files or network.
"""

from __future__ import annotations

import glob
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb

from contracts.auditing.facts import Facts, first_line
from contracts.auditing.findings import Finding
from contracts.auditing.mappings import Mapping as Default
from contracts.auditing.origins import OPAQUE
from contracts.auditing.probes import Probe
from contracts.auditing.resolving import Column, Known
from contracts.auditing.rules import Judge, clause_to_paste, listed, shown
from contracts.errors import DataError, printable
from contracts.quoting import identifier, text
from contracts.scopes import is_named
from contracts.splicing import flow
from contracts.values import nearest, short

SECONDS = 60.0  # for one query
MOST_VALUES, MOST_SAID = 20, 200
UNKNOWN = "a part of its SQL comes from Jinja that is not here, as a macro of another package"
READERS = {
    **dict.fromkeys([".parquet", ".pq"], "read_parquet"),
    **dict.fromkeys([".csv", ".tsv", ".gz"], "read_csv"),
    **dict.fromkeys([".json", ".jsonl", ".ndjson"], "read_json"),
}


class NotMeasured(Exception):
    """Why there is no figure: one sentence."""


@dataclass(frozen=True)
class Total:
    """The sum of the amount over some rows: as the model is, and if every row took the default."""

    over: str  # "the model", or another table
    key: str
    rows: int
    as_is: Any
    all_default: Any


@dataclass(frozen=True)
class State:
    """The figures of one default, with the data of one day."""

    rows: int
    default: int
    values: tuple[tuple[Any, int], ...]
    totals: tuple[Total, ...]
    note: str = ""


def measured(
    findings: list[Finding],
    judge: Judge,
    known: Known,
    data: Mapping[str, Sequence[str]],
    *,
    amount: str | None,
    where: Mapping[str, str],
) -> list[Finding]:
    """The findings with their figures. Raises DataError where the data cannot be read."""
    tables = {".".join(table) for facts in known.files for table, _ in facts.tables}
    datasets = [one.dataset for one in known.contracts]
    named = {name: dataset_of(name, datasets) for name in (*data, *where)}
    where = {named[name]: condition for name, condition in where.items()}
    of_each: dict[str, list[str]] = {}
    for name, files in data.items():
        of_each.setdefault(named[name], []).extend(files)
    data = of_each
    for name in data:
        if name not in datasets and not any(is_named(table.split("."), name) for table in tables):
            near = nearest(name, datasets) or nearest(name, sorted(tables))
            hint = f"did you mean {near}?" if near else f"the contracts are {listed(datasets) or 'not given'}"
            raise DataError(printable(f"--data {name}=…: there is no such contract, nor a table of that name; {hint}"))
    if strange := [name for name in where if name not in data]:
        raise DataError(printable(f"--where {strange[0]}=…: no data of that name is given; give it with --data"))
    states = [{name: files[0] for name, files in data.items()}, {name: files[-1] for name, files in data.items()}]
    if states[0] == states[1]:
        del states[0]
    houses = [Warehouse(known, state, where) for state in states]
    figures: dict[Finding, Finding] = {}
    for finding, facts, mapping, column in judge.measurable:
        figures[finding] = with_figures(finding, facts, mapping, column, houses, amount)
    for finding, (column, literals) in judge.unwritten.items():
        figures[finding] = with_values(finding, column, literals, houses[-1])
    return [figures.get(finding, finding) for finding in findings]


def dataset_of(name: str, datasets: Sequence[str]) -> str:
    """The dataset of the contract that --data or --where names, in full or by its end; else the name itself."""
    found = [one for one in datasets if one == name or is_named(name.casefold().split("."), one)]
    if name in found or not found:
        return name
    if len(found) > 1:
        raise DataError(printable(f"{name}=…: may be {listed(found)}; name the one that you mean in full"))
    return found[0]


def with_values(finding: Finding, column: Column, literals: list[Any], house: Warehouse) -> Finding:
    """The finding with the values that are really there, and the clause with all of them."""
    if column.table not in house.data:
        return finding
    name = identifier(column.name)
    try:
        query = f"select {name}, count(*) from {house.data[column.table]} where {name} is not null"
        found = house.rows(f"{query} group by 1 order by 2 desc, 1 limit {MOST_VALUES + 1}")
    except NotMeasured as error:
        return replace(finding, message=f"{finding.message} (the values were not counted: {error})")
    says = ", ".join(f"{short(shown(plain(value)))} {count:,}" for value, count in found[:MOST_VALUES])
    says = f"{finding.message}; the data has {says or 'no value'}{' and more' if len(found) > MOST_VALUES else ''}"
    values = [plain(value) for value, _ in found]
    strange = [value for value in literals if value not in values]
    if len(found) > MOST_VALUES or not found:
        return replace(finding, message=says)
    if not strange:
        return replace(finding, message=says, suggestion=clause_to_paste(column, values))
    says += f", but not {listed(map(shown, strange))}"
    comment = f"  # SQL names these, the data has {flow(values)}: agree which"
    return replace(finding, message=says, suggestion=clause_to_paste(column, literals, comment))


def with_figures(
    finding: Finding, facts: Facts, mapping: Default, column: Column, houses: list[Warehouse], amount: str | None
) -> Finding:
    """The finding with the blast radius of its default."""
    probe = facts.probes.get(mapping, Probe(reason="its SQL is not known"))
    try:
        states = [house.state(facts, probe, amount) for house in houses]
    except NotMeasured as error:
        says = f"{finding.message}; the blast radius was not measured: {error}"
        return replace(finding, message=says, blast_radius={"reason": printable(str(error))})
    today, before = states[-1], states[0] if len(states) > 1 else None
    money = Money(amount or "", houses[-1].known)
    radius: dict[str, Any] = {
        "rows": today.rows,
        "default": today.default,
        "values": [[plain(value), count] for value, count in today.values],
        "amount": amount,
        "totals": [money.total(one) for one in today.totals],
    }
    values = ", ".join(f"{short(shown(plain(value)))} {count:,}" for value, count in today.values[:6])
    says = f"{today.default:,} of {today.rows:,} rows of {column.table} take it today"
    says += f" ({values}{' and more' if len(today.values) > 6 else ''})" if values else ""
    if before is not None:
        says += f", and {before.default:,} of {before.rows:,} did before"
        radius["before"] = {
            "rows": before.rows,
            "default": before.default,
            "totals": [money.total(one) for one in before.totals],
        }
    parts = [finding.message, says, *(money.sentence(one, before) for one in today.totals)]
    if today.note:
        parts.append(today.note)
    return replace(finding, message="; ".join(parts), blast_radius=radius)


# ---- the data -------------------------------------------------------------------------------------------------------


class Warehouse:
    """DuckDB with the data of one state, under every name that the SQL uses."""

    def __init__(self, known: Known, data: Mapping[str, str], where: Mapping[str, str]) -> None:
        self.known = known
        self.connection = duckdb.connect(
            ":memory:", config={"memory_limit": "2GB", "autoinstall_known_extensions": False}
        )
        self.data: dict[str, str] = {}  # dataset -> the table that holds it
        self.made: set[tuple[str, ...]] = set()
        self.connection.execute("create schema given")
        for number, (dataset, file) in enumerate(data.items()):
            self.data[dataset] = f"memory.given.data{number}"
            condition = f" where {where[dataset]}" if dataset in where else ""
            try:
                self.connection.execute(
                    f"create table {self.data[dataset]} as from {self.source(dataset, file)}{condition}"
                )
            except duckdb.Error as error:
                says = f"{file}: cannot be read as the data of {dataset} ({first_line(error)}); check the file"
                raise DataError(printable(f"{says}{f' and {condition.strip()}' if condition else ''}"), file) from None
        self.connection.execute("set enable_external_access = false")
        self.connection.execute("set lock_configuration = true")

    def source(self, dataset: str, file: str) -> str:
        """What to select from: a file, or the table of that name in a DuckDB database."""
        path = Path(file)
        for one in [file] if path.exists() else sorted(glob.glob(file, recursive=True)):
            if not Path(one).is_file():  # a pipe may never begin, and a device has no end
                says = f"{one}: is no regular file; copy what it gives to one, which can be read again"
                raise DataError(printable(says), one)
        if path.suffix.lower() not in (".duckdb", ".db"):
            if path.suffix.lower() not in READERS:
                says = f"{file}: data is Parquet, CSV, JSON or a DuckDB database; name such a file"
                raise DataError(printable(says), file)
            return f"{READERS[path.suffix.lower()]}({text(file)})"
        alias = f"file{len(self.data)}"
        self.connection.execute(f"attach {text(file)} as {alias} (read_only)")
        tables = self.connection.execute(
            "select schema_name, table_name from duckdb_tables() where database_name = ?", [alias]
        ).fetchall()
        found = [one for one in tables if is_named([part.casefold() for part in one], dataset)]
        if len(found) != 1:
            raise DataError(printable(f"{file}: has {len(found) or 'no'} table {dataset}; name a file with one"), file)
        return ".".join(map(identifier, (alias, *found[0])))

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """The result of a query. Raises NotMeasured."""
        if OPAQUE in query:
            raise NotMeasured(UNKNOWN)
        try:
            with deadline(self.connection):
                return self.connection.execute(query).fetchall()
        except duckdb.InterruptException:
            raise NotMeasured(f"the query took more than {SECONDS:g} seconds") from None
        except (duckdb.Error, RuntimeError) as error:
            raise NotMeasured(f"DuckDB says {printable(first_line(error))[:MOST_SAID]}") from None

    def provide(self, facts: Facts, tables: Sequence[tuple[str, ...]], seen: tuple[str, ...] = ()) -> set[str]:
        """Make the tables that a query names; gives the datasets among them. Raises NotMeasured."""
        used: set[str] = set()
        for table in tables:
            lower = tuple(part.casefold() for part in table)
            if OPAQUE in lower:
                raise NotMeasured(UNKNOWN)
            name = ".".join(map(identifier, table))
            contract = self.known.contract(lower)
            dataset = contract.dataset if contract else next((one for one in self.data if is_named(lower, one)), None)
            if dataset in self.data:
                used.add(str(dataset))
                select = f"from {self.data[str(dataset)]}"
            else:
                model = self.known.model(facts, lower)
                query = model[0].queries.get(lower[-1]) if model else None
                if model is None or query is None or query.reason or lower[-1] in seen:
                    missing = dataset or ".".join(table)
                    raise NotMeasured(f"it reads {missing}; give its rows with --data {missing}=FILE")
                used |= self.provide(model[0], query.tables, (*seen, lower[-1]))
                select = query.model
            if lower not in self.made:
                self.make_place(table)
                self.rows(f"create view {name} as {select}")
                self.made.add(lower)
        return used

    def make_place(self, table: Sequence[str]) -> None:
        """Make the database and the schema that a table's name needs."""
        if len(table) > 2:
            self.rows(f"attach if not exists ':memory:' as {identifier(table[0])}")
        if len(table) > 1:
            self.rows(f"create schema if not exists {'.'.join(map(identifier, table[:-1]))}")

    def state(self, facts: Facts, probe: Probe, amount: str | None) -> State:
        """The figures of one default. Raises NotMeasured where it cannot even be counted."""
        if probe.reason:
            raise NotMeasured(probe.reason)
        used = self.provide(facts, probe.tables)
        rows, default = self.rows(probe.counts)[0]
        values = tuple((value, count) for value, count in self.rows(probe.values))
        if amount is None:
            return State(rows, default, values, ())
        try:
            return State(rows, default, values, tuple(self.totals(probe, amount, used)))
        except NotMeasured as error:
            return State(rows, default, values, (), f"the amount was not summed: {error}")

    def totals(self, probe: Probe, amount: str, used: set[str]) -> Iterator[Total]:
        """The sums over the model, and over each other table with which it shares a unique column."""
        columns = [name for name, *_ in self.rows(f"describe {probe.model}")]
        column = next((name for name in columns if name.casefold() == amount.casefold()), None)
        if column is None:
            raise NotMeasured(f"the model has no column {amount}; it has {listed(columns)}")
        sums = [self.rows(f"select count(*), sum({identifier(column)}) from ({one})")[0] for one in both_ways(probe)]
        yield Total("the model", "", sums[0][0], sums[0][1], sums[1][1])
        for dataset, table in self.data.items():
            if dataset in used:
                continue
            shared = {name.casefold() for name, *_ in self.rows(f"describe {table}")}
            key = next((one for one in columns if one.casefold() in shared and self.is_unique(probe.model, one)), None)
            if key is None:
                continue
            on = f"m.{identifier(key)} = t.{identifier(key)}"
            total = f"select count(*), sum(m.{identifier(column)}) from {table} as t"
            joined = [self.rows(f"{total} join ({one}) as m on {on}")[0] for one in both_ways(probe)]
            yield Total(dataset, key, joined[0][0], joined[0][1], joined[1][1])

    def is_unique(self, model: str, column: str) -> bool:
        """Whether no value of a column comes twice in the rows of a query, and there is one."""
        name = identifier(column)
        query = f"select count({name}) = count(distinct {name}) and count({name}) > 0 from ({model})"
        return bool(self.rows(query)[0][0])


def both_ways(probe: Probe) -> tuple[str, str]:
    """The query of the model as it is, and where every row takes the default."""
    return probe.model, probe.all_default


@contextmanager
def deadline(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Interrupt what runs on the connection once its time is over."""
    timer = threading.Timer(SECONDS, connection.interrupt)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def plain(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value if isinstance(value, str | int | float | bool | None) else str(value)


# ---- amounts --------------------------------------------------------------------------------------------------------


class Money:
    """Says amounts of a column, in the unit that a contract gives it."""

    def __init__(self, column: str, known: Known) -> None:
        self.column = column
        fields = [field for contract in known.contracts for field in contract.fields]
        self.unit = (
            next((one.unit for one in fields if one.unit and one.name.casefold() == column.casefold()), None) or ""
        )

    def said(self, value: Any) -> str:
        """An amount as people read it: cents as hundredths of their currency."""
        number = Decimal(str(value or 0))
        if self.unit.casefold().endswith("_cents"):
            return f"{self.unit[:-6]} {number / 100:,.2f}"
        return f"{number:,.2f} {self.unit}".rstrip() if number % 1 else f"{number:,.0f} {self.unit}".rstrip()

    def total(self, one: Total) -> dict[str, Any]:
        """A sum as JSON has it, in the unit of the column."""
        difference = Decimal(str(one.all_default or 0)) - Decimal(str(one.as_is or 0))
        return {
            "over": one.over,
            "rows": one.rows,
            "as_is": plain(one.as_is),
            "all_default": plain(one.all_default),
            "difference": plain(difference),
            "unit": self.unit or None,
        }

    def sentence(self, one: Total, before: State | None) -> str:
        """What the amount would be, or how it has changed."""
        where = f" over its {one.rows:,} rows"
        if one.key:
            where = f" joined with the {one.rows:,} rows of {one.over} on {one.key}"
        then = next((each for each in before.totals if each.over == one.over), None) if before else None
        if then is not None:
            return f"{self.column}{where} is {self.changed(one.as_is, then.as_is, 'before')}"
        return f"if every row did, {self.column}{where} would be {self.changed(one.all_default, one.as_is, 'now')}"

    def changed(self, value: Any, other: Any, when: str) -> str:
        """An amount, and by how much it is more or less than the other."""
        difference = Decimal(str(value or 0)) - Decimal(str(other or 0))
        if not difference:
            return f"{self.said(value)}, as {when}"
        word = "less" if difference < 0 else "more"
        return f"{self.said(value)}, which is {self.said(abs(difference))} {word} than {when}"
