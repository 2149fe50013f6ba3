"""The queries that measure a silent default: which rows take it, and the model as if all of them did.

They are the model's own SQL, rewritten in its syntax tree and put into DuckDB's dialect; `blast` runs them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from contracts.auditing.mappings import Mapped
from contracts.auditing.origins import Part, Table
from contracts.scopes import tables

KEPT = ("from_", "joins", "laterals", "where")


@dataclass(frozen=True)
class Probe:
    """SQL of DuckDB; `reason` says why there is none."""

    counts: str = ""  # one row: rows, rows that take the default
    values: str = ""  # the values that take it, with their numbers of rows, most rows first
    model: str = ""  # the query of the model
    all_default: str = ""  # the same, where every row takes the default
    tables: tuple[Table, ...] = ()  # what must be there to run them
    reason: str = ""


def probe(statement: exp.Expr, part: Part, found: Mapped) -> Probe:
    """The queries for one mapping of a statement."""
    root = query_of(statement)
    if root is None:
        return Probe(reason=f"it is in a statement ({statement.key.upper()}) that is not run")
    select = part.query
    if not isinstance(select, exp.Select) or part.outer:
        return Probe(reason="it depends on rows of an outer query")
    node = found.node
    while node.parent is not None and node.parent is not select:
        node = node.parent
    if node.arg_key != "expressions":
        return Probe(reason="it is in a condition, so it decides which rows there are")
    counts, values = (rows_of(select, root) for _ in range(2))
    lands = exp.Filter(this=exp.Count(this=exp.Star()), expression=exp.Where(this=found.lands.copy()))
    counts.set("expressions", [exp.Count(this=exp.Star()), lands])
    values.set("expressions", [exp.alias_(found.tested.copy(), "value"), exp.Count(this=exp.Star())])
    values = values.where(found.lands.copy(), copy=False).group_by("1", copy=False)
    values = values.order_by("2 desc", "1", copy=False).limit(7, copy=False)
    made = whole(statement)
    changed = replaced(root, found.node, found.default)
    return replace(made, counts=duckdb(counts), values=duckdb(values), all_default=duckdb(changed))


def whole(statement: exp.Expr) -> Probe:
    """The query of a model alone."""
    root = query_of(statement)
    if root is None:
        return Probe(reason=f"it is no query but {statement.key.upper()}")
    names = {tuple(part.name for part in table.parts) for table in tables(statement)}
    return Probe(model=duckdb(root), tables=tuple(sorted(names)))


def duckdb(query: exp.Expr) -> str:
    return query.sql(dialect="duckdb", comments=False)


def query_of(statement: exp.Expr) -> exp.Query | None:
    """The query of a statement: itself, or what a CREATE or INSERT selects."""
    inner = statement.args.get("expression") if isinstance(statement, exp.Create | exp.Insert) else statement
    if isinstance(inner, exp.Subquery):
        inner = inner.this
    return inner if isinstance(inner, exp.Query) and not isinstance(inner, exp.Table) else None


def rows_of(select: exp.Select, root: exp.Query) -> exp.Select:
    """A query over the same rows: FROM, joins and WHERE, with the CTEs that it sees."""
    made = exp.Select(**{key: copied(select.args.get(key)) for key in KEPT if select.args.get(key)})
    ctes: list[exp.CTE] = []
    recursive = False
    child: exp.Expr = select
    while True:
        if isinstance(child, exp.Query) and (clause := child.args.get("with_")) is not None:
            ctes = [one.copy() for one in clause.expressions] + ctes
            recursive |= bool(clause.args.get("recursive"))
        if isinstance(child, exp.CTE) and isinstance(child.parent, exp.With) and child.parent.parent is not None:
            earlier = child.parent.expressions[: child.index]
            ctes = [one.copy() for one in earlier] + ctes
            recursive |= bool(child.parent.args.get("recursive"))
            child = child.parent.parent
            if child is root:
                break
            child = child.parent if child.parent is not None else root
            continue
        if child is root or child.parent is None:
            break
        child = child.parent
    if ctes:
        made.set("with_", exp.With(expressions=ctes, recursive=recursive))
    return made


def copied(value: object) -> object:
    if isinstance(value, list):
        return [copied(one) for one in value]
    return value.copy() if isinstance(value, exp.Expr) else value


def replaced(root: exp.Query, node: exp.Expr, default: exp.Expr) -> exp.Expr:
    """A copy of a query in which one node has become its default."""
    place = next(i for i, each in enumerate(root.walk()) if each is node)
    copy = root.copy()
    target = next(each for i, each in enumerate(copy.walk()) if i == place)
    target.replace(default.copy())
    return copy
