"""Running the consumers' SQL: what each consumer computes from a table, and which of them stop with an error.

A file holds one SELECT and makes the table of its own name, as dbt has it: `fct_price.sql` makes `fct_price`, and
others may read that. The order follows from who runs once the others have. The SQL runs in a DuckDB of its own, in
memory, without access to files or the network.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import sqlglot

from clause.sources import connect
from contracts import Contract, quoting
from contracts.readers import files, text_of
from contracts.scopes import names_dataset, tables

SECONDS = 20.0  # for one statement
# The sum of the rows' hashes: the same rows in another order give the same, and a row that comes twice counts twice.
FINGERPRINT = "count(*), sum(hash(each)::hugeint), any_value(typeof(each))"
TableName = tuple[str, str, str]  # catalog, schema and table, "" where the SQL names none


@dataclass(frozen=True)
class Model:
    """One file of a consumer, <team>/<name>.sql: the table that it makes, and from what."""

    where: str
    name: str
    sql: str


@dataclass(frozen=True)
class Computed:
    """What a model gave: a fingerprint of its rows as a multiset, or the error with which it stopped."""

    fingerprint: str = ""
    error: str = ""
    late: str = ""  # why nobody knows what it would have given: it, or what it reads, took too long


class Consumers:
    """The models of a folder `<team>/*.sql`, on a table of that name.

    not_run: those whose results nobody can compare, and why. teams: the teams that have SQL at all. named: the columns
    that SQL which reads the table names, in small letters, be they of this table or of one beside it.
    """

    def __init__(self, folder: Path, dataset: str, rows: pa.Table) -> None:
        """Raises OSError where a folder cannot be read."""
        found, unread = list[Model](), dict[str, str]()
        for file in files(folder):
            where = file.relative_to(folder).as_posix()
            try:
                found.append(Model(where, file.stem, text_of(file, folder)))
            except OSError as error:
                unread[where] = error.strerror or str(error)
        self.models, self.not_run = list[Model](), dict[str, str]()
        self.connection = duckdb.connect(config={"threads": 1})  # sums of floats come in one order
        asked, self.named = dict[TableName, None](), frozenset[str]()
        for model in found:
            if of_model := list(asked_for(model, dataset)):
                asked |= dict.fromkeys(of_model)
                self.named |= columns_of(model)
        self.tables = [each for each in asked if self.make_place(each)]
        self.places = list(dict.fromkeys((catalog, schema) for catalog, schema, _ in self.tables))
        path = ",".join(joined(*place) for place in [*self.places, ("", "main")] if any(place))
        self.connection.execute("set timezone = 'UTC'; set enable_external_access = false")
        self.connection.execute(f"set search_path = {quoting.text(path)}")  # for names without a schema
        taken = {name.casefold() for _, _, name in self.tables}
        own = [model for model in found if model.name.casefold() not in taken]
        self.not_run = {model.where: "its name is that of the table itself" for model in found if model not in own}
        if not self.tables:
            self.not_run = {model.where: f"no SQL reads {dataset}" for model in found}
        elif self.put(rows):
            self.order(own)
        else:
            self.not_run = {model.where: "no table of DuckDB has columns of these names and types" for model in found}
        self.not_run |= unread
        self.before = self.run(rows)
        again = self.run(rows)
        self.stable = {name for name, computed in self.before.items() if again.get(name) == computed}
        unstable = self.before.keys() - self.stable - self.not_run.keys()
        self.not_run |= dict.fromkeys(sorted(unstable), "it gives something else each time")
        self.teams = {where.partition("/")[0] for where in [*(model.where for model in found), *unread]}

    def make_place(self, table: TableName) -> bool:
        """Make the catalog and the schema of a table; False for those of DuckDB itself."""
        catalog, schema, _ = table
        try:
            if catalog:
                self.connection.execute(f"attach if not exists ':memory:' as {quoting.identifier(catalog)}")
            if schema:
                self.connection.execute(f"create schema if not exists {joined(catalog, schema)}")
            self.connection.execute(f"create or replace table {joined(*table)} (nothing integer)")
        except duckdb.Error:
            return False
        return True

    def put(self, rows: pa.Table) -> bool:
        """Write the table, wherever it is asked for. False where the names or types of its columns do not allow it."""
        if not distinct(rows.column_names):
            return False
        try:
            self.connection.register("rows_to_put", rows)
            for table in self.tables:
                self.connection.execute(f"create or replace table {joined(*table)} as from rows_to_put")
        except duckdb.Error:  # of a type that DuckDB has not
            return False
        self.connection.unregister("rows_to_put")
        return True

    def order(self, waiting: list[Model]) -> None:
        """Find the order in which the models run; those that never do are told in `not_run`."""
        while waiting:
            errors = {model: self.make(model) for model in waiting}
            self.models += [model for model, error in errors.items() if not error]
            late = [model for model, error in errors.items() if error == too_late()]
            self.not_run |= {model.where: too_late() for model in late}
            waiting = [model for model in waiting if model not in late]
            left = [model for model in waiting if errors[model]]
            if len(left) == len(waiting):
                self.not_run |= {model.where: errors[model] for model in left}
                return
            waiting = left

    def make(self, model: Model) -> str:
        """Make a model's table. "" where that went well, else the error."""
        try:
            statements = duckdb.extract_statements(model.sql)
            if [statement.type for statement in statements] != [duckdb.StatementType.SELECT]:
                return "it is not one SELECT"
            query = statements[0].query.strip().rstrip(";")
            for place in self.places:
                self.execute(f"create or replace table {joined(*place, model.name)} as (\n{query}\n)")
        except duckdb.InterruptException:
            return too_late()
        except duckdb.Error as error:
            return str(error).splitlines()[0]
        return ""

    def execute(self, sql: str) -> duckdb.DuckDBPyConnection:
        """Run one statement. Raises InterruptException where its time is over."""
        timer = threading.Timer(SECONDS, self.connection.interrupt)
        timer.start()
        try:
            return self.connection.execute(sql)
        finally:
            timer.cancel()

    def run(self, rows: pa.Table) -> dict[str, Computed]:
        """What each model gives on these rows. One that stops leaves no table behind, so those that read it stop.

        One that takes too long is not run again: it is told in `not_run`, and what reads it is not judged either.
        """
        if not self.models or not self.put(rows):
            return {}
        found, late = dict[str, Computed](), list[Model]()
        for model in self.models:
            computed = self.compute(model)
            if computed.error and any(reads(model, one.name) for one in late):
                computed = Computed(late=f"it reads {late[-1].name}, which took more than {SECONDS:g} seconds")
            if computed.late:
                late.append(model)
                self.not_run[model.where] = computed.late
            found[model.where] = computed
        self.models = [model for model in self.models if model not in late]
        return found

    def compute(self, model: Model) -> Computed:
        """What one model gives; its table goes where it stops, so that nobody reads that of an earlier run."""
        if error := self.make(model):
            for place in self.places:
                self.connection.execute(f"drop table if exists {joined(*place, model.name)}")
            return Computed(late=error) if error == too_late() else Computed(error=error)
        table = joined(*self.places[0], model.name)
        try:
            return Computed(str(self.execute(f"select {FINGERPRINT} from {table} as each").fetchone()))
        except duckdb.InterruptException:
            return Computed(late=too_late())

    def errors(self, computed: Mapping[str, Computed]) -> Iterator[tuple[str, str]]:
        """The models that stopped, and the error of each."""
        return ((name, found.error) for name, found in computed.items() if found.error)

    def without_sql(self, contract: Contract) -> list[str]:
        """The consumers that the contract names, and of which there is no SQL."""
        return [team for team in contract.consumers if team not in self.teams]

    def tell_all(self, contract: Contract) -> bool:
        """Whether they say what each consumer computes: what nobody could run may read any column."""
        return bool(self.models) and not self.not_run and not self.without_sql(contract)

    def changed(self, computed: Mapping[str, Computed]) -> bool:
        """Whether any of them gives something else than before."""
        return any(
            found.error or (name in self.stable and found != self.before[name])
            for name, found in computed.items()
            if not found.late
        )


def distinct(names: Sequence[str]) -> bool:
    """Whether DuckDB, which does not tell capitals from small letters, can hold columns of these names."""
    folded = {name.casefold() for name in names}
    return len(folded) == len(names) and "" not in folded


def differ(before: pa.Table, after: pa.Table, names: Sequence[str]) -> bool:
    """Whether these columns hold other rows than before, in whatever order, or are not the columns that they were."""
    was = before.select(names)
    if not set(names) <= set(after.column_names) or was.schema != after.select(names).schema:
        return True
    return bag(was) != bag(after.select(names))


def bag(rows: pa.Table) -> Any:
    """A fingerprint of the rows as a multiset."""
    with connect() as connection:
        connection.register("bag", rows.rename_columns([f"c{i}" for i in range(rows.num_columns)]))
        return connection.execute(f"select {FINGERPRINT} from bag as each").fetchone()


@functools.cache
def statements(sql: str) -> tuple[sqlglot.exp.Expr, ...]:
    """The statements of a model; none where sqlglot cannot read them."""
    with suppress(sqlglot.errors.SqlglotError, RecursionError):
        return tuple(each for each in sqlglot.parse(sql, read="duckdb") if each)
    return ()


def asked_for(model: Model, dataset: str) -> Iterator[TableName]:
    """The names under which a model asks for the table."""
    for statement in statements(model.sql):
        for table in tables(statement):
            if names_dataset(table, dataset):
                yield table.catalog, table.db, table.name


def columns_of(model: Model) -> frozenset[str]:
    """The names of columns in a model's SQL, in small letters."""
    every = (each for one in statements(model.sql) for each in one.find_all(sqlglot.exp.Column))
    return frozenset(each.name.casefold() for each in every)


def too_late() -> str:
    return f"it took more than {SECONDS:g} seconds, so it was interrupted"


def reads(model: Model, name: str) -> bool:
    """Whether a model's SQL names a table so."""
    return any(table.casefold() == name.casefold() for _, _, table in asked_for(model, name))


def joined(*parts: str) -> str:
    return ".".join(quoting.identifier(part) for part in parts if part)
