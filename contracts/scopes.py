"""The parts of an SQL statement: which tables it names, which queries it holds, and whose rows leave it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp
from sqlglot.optimizer.scope import Scope, traverse_scope


def names_dataset(table: exp.Table, dataset: str) -> bool:
    """Whether a table's name is the dataset's: listings is shop.listings and catalog.shop.listings too."""
    return is_named([part.name.casefold() for part in table.parts], dataset)


def is_named(parts: Sequence[str], dataset: str) -> bool:
    """The same for the parts of a name in lower case."""
    own = dataset.casefold().split(".")
    length = min(len(parts), len(own))
    return bool(length) and list(parts[-length:]) == own[-length:]


def tables(statement: exp.Expr) -> Iterator[exp.Table]:
    """The tables that a statement names, without its own CTEs."""
    local = {cte.alias.casefold() for cte in statement.find_all(exp.CTE)}
    for table in statement.find_all(exp.Table):
        if isinstance(table.this, exp.Identifier) and (table.args.get("db") or table.name.casefold() not in local):
            yield table


def queries(statement: exp.Expr) -> Iterator[exp.Query]:
    """The outermost queries of a statement: itself, what a CREATE or INSERT selects, subqueries of an UPDATE."""
    if isinstance(statement, exp.Query) and not isinstance(statement, exp.Table):
        yield statement
        return
    for child in sorted(statement.iter_expressions(), key=lambda child: not isinstance(child, exp.With)):
        yield from queries(child)


def scopes(statement: exp.Expr) -> Iterator[tuple[Scope, bool]]:
    """Every scope of a statement, inner ones first, and whether its rows leave the statement."""
    for query in queries(statement):
        all_scopes = traverse_scope(query)
        outer = {id(scope) for scope in leaving(all_scopes[-1])} if all_scopes else set()
        inner = isinstance(query.parent, exp.CTE) or statement.find(exp.Update, exp.Delete, exp.Merge) is not None
        for scope in all_scopes:
            yield scope, not inner and id(scope) in outer


def leaving(scope: Scope) -> Iterator[Scope]:
    """The scopes whose rows are the result of this one: itself, or the branches of a UNION."""
    yield scope
    for branch in scope.union_scopes or ():
        yield from leaving(branch)
    if isinstance(scope.expression, exp.Subquery):
        for inner in scope.derived_table_scopes + scope.subquery_scopes:
            yield from leaving(inner)


def in_lateral(scope: Scope) -> bool:
    """Whether the scope sees the tables before it in FROM."""
    return scope.expression.find_ancestor(exp.Lateral) is not None
