"""Where each column of a query comes from, through CTEs, subqueries, stars and UNIONs, as far as one file tells.

`lineage` follows one field of one table; this follows all of them at once, and knows no contract: what a file says
is worked out once, wherever its tables turn out to come from.

    for part in Parts(statement): part.origins(column) -> where the values of that column come from
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from contracts.scopes import in_lateral, scopes

Table = tuple[str, ...]  # the parts of a table's name in lower case: ("shop", "listings")
Source = tuple[Table, str]  # a table and a column of it
Origins = frozenset[tuple[Source, ...]]
"""All that a column may hold. Of a member with several sources it is one, and the SQL does not say which; the member
without any is a value that the SQL makes itself."""

MADE: Origins = frozenset({()})
NOWHERE: Table = ()  # beside the others, (NOWHERE, "lower") says what was done to the values; "?" is anything
PATHS = (exp.JSONExtract, exp.JSONExtractScalar, exp.JSONBExtract, exp.JSONBExtractScalar, exp.Bracket, exp.Dot)
OPAQUE = "jinja_value"  # what a template could not say, and an identifier that SQL can take


@dataclass(frozen=True, slots=True)
class Relation:
    """What a table, a CTE or a subquery hands out."""

    columns: dict[str, Origins] = field(default_factory=dict)  # by name, in order
    passes: tuple[tuple[Table, frozenset[str]], ...] = ()  # tables with all their columns but these
    written: bool = False  # its rows are written in the SQL, as VALUES
    grouped: bool = False  # its rows are aggregates
    opaque: bool = False  # it may have any column, of which nothing is known

    def origins(self, name: str) -> Origins | None:
        """Where that column comes from; None where there is none of that name."""
        if name in self.columns:
            return self.columns[name]
        if found := tuple((table, name) for table, without in self.passes if name not in without):
            return frozenset({found})
        return MADE if self.opaque else None

    def renamed(self, names: list[str]) -> Relation:
        """With new names by place, as in t as s(x, y)."""
        if not names:
            return self
        if self.passes or self.opaque:  # nobody knows which column is where
            return Relation(dict.fromkeys(names, MADE), written=self.written)
        old = list(self.columns.values())
        columns = {name: old[i] if i < len(old) else MADE for i, name in enumerate(names)}
        columns |= dict(list(self.columns.items())[len(names) :])
        return Relation(columns, written=self.written, grouped=self.grouped)


@dataclass
class Part:
    """One query of a statement, or what a statement such as UPDATE does outside of its queries."""

    query: exp.Expr
    sources: dict[str, Relation]  # what FROM and the joins name, by alias
    tables: dict[str, exp.Table]  # those of them that are tables outside of the statement
    outer: list[dict[str, Relation]]  # what a correlated query sees besides
    leaves: bool  # whether its rows are those of the statement
    pivots: list[tuple[exp.Expr, Relation]]  # what is pivoted, and what it was before

    @functools.cached_property
    def nodes(self) -> list[exp.Expr]:
        """Everything in it that is not in a query further down."""
        return list(self.query.walk(prune=lambda node: node is not self.query and isinstance(node, exp.Query)))

    def origins(self, column: exp.Column) -> Origins:
        """Where the values of a column come from."""
        name, parts = column.name.casefold(), [part.name.casefold() for part in column.parts]
        if name == OPAQUE:
            return MADE
        for sources in (self.sources, *self.outer):
            if len(parts) > 1:
                place = next((i for i, part in enumerate(parts[:-1]) if part in sources), None)
                if place is not None:
                    inside = place + 2 < len(parts)  # t.a.b is inside of the column a
                    return MADE if inside else sources[parts[place]].origins(parts[place + 1]) or MADE
                continue
            if sources is self.sources and (alias := self.alias(column)) is not None:
                return alias
            if (found := among(sources.values(), name)) is not None:
                return found
        return MADE

    def alias(self, column: exp.Column) -> Origins | None:
        """Where an alias of the same SELECT comes from, which HAVING, QUALIFY and later columns may name."""
        if not isinstance(self.query, exp.Select) or column.find_ancestor(exp.Alias, exp.Query) is self.query.parent:
            return None
        name = column.name.casefold()
        for each in self.query.expressions:
            if isinstance(each, exp.Alias) and each.alias.casefold() == name:
                inside = [one for one in each.find_all(exp.Column) if one.name.casefold() == name]
                if inside or among((one for one in self.sources.values() if name in one.columns), name) is not None:
                    return None  # the source has that column itself
                return self.value(each.this)
        return None

    def value(self, node: exp.Expr) -> Origins:
        """Where the values of an expression come from, if it is a column, or one in other words."""
        if isinstance(node, exp.Column):
            return self.origins(node)
        if is_text_cast(node):
            return self.value(node.this)
        found = tested(node)
        if found is None or "?" in found[1]:
            return MADE
        return self.origins(found[0]) | {((NOWHERE, found[1] or "?"),)}


def among(relations: Any, name: str) -> Origins | None:
    """Where a column without a table comes from: from the one that surely has it, or from one of those that may."""
    every = list(relations)
    for relation in every:
        if name in relation.columns:
            return relation.columns[name]
    maybe = tuple(source for one in every if not one.opaque for member in one.origins(name) or () for source in member)
    if maybe:
        return frozenset({tuple(dict.fromkeys(maybe))})
    return MADE if any(relation.opaque for relation in every) else None


class Parts:
    """The parts of a statement, inner ones first; then `result` is what the statement itself hands out."""

    def __init__(self, statement: exp.Expr) -> None:
        self.statement = statement
        self.result: Relation | None = None
        self.known: dict[int, Relation] = {}
        self.local: dict[str, Relation] = {}  # the CTEs of a statement that is no query, as WITH … INSERT

    def __iter__(self) -> Iterator[Part]:
        for scope, leaves in scopes(self.statement):
            part = self.part(scope, leaves)
            self.result = self.known[id(scope.expression)] = self.handed_out(part, scope)
            if isinstance(cte := scope.expression.parent, exp.CTE):
                self.known[id(scope.expression)] = self.local[cte.alias.casefold()] = self.result.renamed(names_of(cte))
            yield part
        if not isinstance(self.statement, exp.Query | exp.Create | exp.Insert | exp.Copy):
            tables = {
                table.alias_or_name.casefold(): table
                for table in self.statement.find_all(exp.Table)
                if not table.find_ancestor(exp.Query) and isinstance(table.this, exp.Identifier)
            }
            sources = {name: self.base(one) for name, one in tables.items()}
            for query in self.statement.find_all(exp.Subquery):
                if query.alias and not query.find_ancestor(exp.Query):
                    sources[query.alias.casefold()] = self.known.get(id(query.this), Relation(opaque=True))
            yield Part(self.statement, sources, tables, [], False, [])

    def part(self, scope: Scope, leaves: bool) -> Part:
        """The part that a scope of sqlglot is."""
        outer, inner = [], scope
        while inner.parent is not None and (inner.is_subquery or inner.is_udtf or in_lateral(inner)):
            inner = inner.parent
            outer.append(self.sources(inner, []))
        tables = {
            name.casefold(): source
            for name, (_, source) in scope.selected_sources.items()
            if isinstance(source, exp.Table) and isinstance(source.this, exp.Identifier) and not self.is_local(source)
        }
        pivots: list[tuple[exp.Expr, Relation]] = []
        return Part(scope.expression, self.sources(scope, pivots), tables, outer, leaves, pivots)

    def is_local(self, table: exp.Table) -> bool:
        """Whether a name in FROM is a CTE of a statement that is no query."""
        return not table.args.get("db") and table.name.casefold() in self.local

    def base(self, table: exp.Table) -> Relation:
        """What a table in FROM hands out."""
        if self.is_local(table):
            return self.local[table.name.casefold()]
        if not isinstance(table.this, exp.Identifier) or table.name == OPAQUE:
            return Relation(opaque=True)  # a function
        return Relation(passes=((tuple(part.name.casefold() for part in table.parts), frozenset()),))

    def sources(self, scope: Scope, pivots: list[tuple[exp.Expr, Relation]]) -> dict[str, Relation]:
        """What FROM and the joins name, by alias in lower case; each pivot among them is added to `pivots`."""
        found = {}
        for name, (node, source) in scope.selected_sources.items():
            if isinstance(source, exp.Table):
                relation = self.base(source)
            else:  # a recursive CTE is not known yet where it names itself
                relation = self.known.get(id(source.expression), Relation(opaque=True))
            if isinstance(node, exp.Query) and isinstance(node.parent, exp.Subquery):
                node = node.parent
            relation = relation.renamed(names_of(node))
            for pivot in node.args.get("pivots") or ():
                pivots.append((pivot, relation))
                relation = pivoted(relation, pivot)
            found[name.casefold()] = relation
        return found

    def handed_out(self, part: Part, scope: Scope) -> Relation:
        """What a part hands out: its columns with their origins, and the tables that a star passes on."""
        query = part.query
        if isinstance(query, exp.SetOperation):
            branches = [self.known.get(id(one.expression), Relation(opaque=True)) for one in scope.union_scopes or ()]
            return united(branches, bool(query.args.get("by_name")))
        if isinstance(query, exp.Values):
            rows = query.expressions
            width = len(rows[0].expressions) if rows and isinstance(rows[0], exp.Tuple) else 1
            return Relation({f"col{i}": MADE for i in range(width)}, written=True).renamed(names_of(query))
        if not isinstance(query, exp.Select):
            inner = next(iter(part.sources.values()), None)
            return inner if inner is not None and isinstance(query, exp.Subquery) else Relation(opaque=True)
        columns: dict[str, Origins] = {}
        passes: list[tuple[Table, frozenset[str]]] = []
        opaque = False
        for each in query.expressions:
            star = each.this if isinstance(each, exp.Column) and isinstance(each.this, exp.Star) else each
            if isinstance(star, exp.Star):
                table = each.table.casefold() if isinstance(each, exp.Column) else ""
                for relation in [one for alias, one in part.sources.items() if table in ("", alias)]:
                    starred = after_star(relation, star)
                    columns |= {name: found for name, found in starred.columns.items() if name not in columns}
                    passes += starred.passes
                    opaque |= starred.opaque
            elif each.find(exp.Columns):
                opaque = True
            else:
                columns[each.alias_or_name.casefold()] = part.value(each.unalias())
        written = bool(query.expressions) and not part.sources and all(is_constant(one) for one in query.expressions)
        grouped = "group" in query.args or any(is_aggregate(one) for one in query.expressions)
        written |= len(part.sources) == 1 and all(one.written for one in part.sources.values())
        return Relation(columns, tuple(passes), written, grouped, opaque)


def names_of(node: exp.Expr) -> list[str]:
    """The names of columns that an alias gives: c(x, y)."""
    alias = node.args.get("alias")
    return [column.name.casefold() for column in (alias.args.get("columns") or ())] if alias else []


def united(branches: list[Relation], by_name: bool) -> Relation:
    """A UNION: each column may come from every branch, by place or by name."""
    if not branches:
        return Relation(opaque=True)
    first, *others = branches
    columns: dict[str, Origins] = {}
    for i, (name, found) in enumerate(first.columns.items()):
        for other in others:
            same_place = list(other.columns.values())
            if by_name or first.passes or other.passes or other.opaque:
                found |= other.origins(name) or frozenset()
            elif i < len(same_place):
                found |= same_place[i]
        columns[name] = found
    for other in others if by_name else ():
        columns |= {name: found for name, found in other.columns.items() if name not in columns}
    passes = tuple(dict.fromkeys(each for one in branches for each in one.passes))
    written = all(one.written for one in branches)
    return Relation(columns, passes, written, any(one.grouped for one in branches), any(one.opaque for one in branches))


def after_star(relation: Relation, star: exp.Star) -> Relation:
    """What a star hands out, after EXCLUDE, REPLACE and RENAME."""
    without = {one.name.casefold() for one in star.args.get("except_") or ()}
    made = {one.alias.casefold(): MADE for one in star.args.get("replace") or ()}
    for one in star.args.get("rename") or ():
        old, new = one.this.name.casefold(), one.alias.casefold()
        made[new] = relation.origins(old) or MADE
        without.add(old)
    columns = {name: found for name, found in relation.columns.items() if name not in without} | made
    passes = tuple((table, left | without | set(made)) for table, left in relation.passes)
    return Relation(columns, passes, relation.written, relation.grouped, relation.opaque)


def pivoted(relation: Relation, pivot: exp.Expr) -> Relation:
    """A PIVOT takes columns away and makes new ones."""
    fields = [one for one in pivot.args.get("fields") or () if isinstance(one, exp.In)]
    gone = {one.this.name.casefold() for one in fields}
    made = {one.name.casefold(): MADE for one in pivot.args.get("columns") or ()}
    if pivot.args.get("unpivot"):
        made |= dict.fromkeys([*gone, *(one.alias_or_name.casefold() for one in pivot.expressions)], MADE)
        gone = {column.name.casefold() for one in fields for column in one.expressions}
    columns = {name: found for name, found in relation.columns.items() if name not in gone} | made
    passes = tuple((table, without | gone | set(made)) for table, without in relation.passes)
    return Relation(columns, passes, opaque=relation.opaque)


def bare(node: exp.Expr) -> exp.Expr:
    """Without brackets."""
    while isinstance(node, exp.Paren):
        node = node.this
    return node


def tested(node: exp.Expr) -> tuple[exp.Column, str] | None:
    """The one column that an expression looks at, and what it does to the values; None where there is not one.

    What it does: "upper", "lower", "trim", two of them, or "?", with the path where it looks at a part of a document.
    """
    fold = ""
    while True:
        if isinstance(node, exp.Column):
            return None if isinstance(node.this, exp.Star) else (node, fold)
        if isinstance(node, exp.Paren):
            node = node.this
        elif isinstance(node, exp.Upper | exp.Lower):
            fold = fold if fold not in ("", "trim") else fold + node.key
            node = node.this
        elif isinstance(node, exp.Trim) and node.expression is None:
            fold = fold if "trim" in fold or fold == "?" else "trim" + fold
            node = node.this
        elif is_text_cast(node) or (isinstance(node, exp.Coalesce) and all(map(is_constant, node.expressions))):
            node = node.this
        else:
            columns = {column.sql().casefold(): column for column in node.find_all(exp.Column)}
            inside = isinstance(node, exp.Query | exp.Case | exp.AggFunc | exp.Window | exp.Predicate)
            if len(columns) != 1 or inside or node.find(exp.Query):
                return None
            path = node.sql() if isinstance(node, PATHS) else ""
            return next(iter(columns.values())), f"?{path}"


def is_text_cast(node: exp.Expr) -> bool:
    """Whether a value is only made text, as in status::varchar."""
    return isinstance(node, exp.Cast) and node.to.is_type(*exp.DataType.TEXT_TYPES, exp.DType.USERDEFINED)


def is_constant(node: exp.Expr) -> bool:
    """Whether the value is written in the SQL and depends on no row."""
    return not any(
        isinstance(part, exp.Column | exp.Query | exp.Star | exp.Placeholder | exp.Parameter | exp.AggFunc | exp.Window)
        for part in node.walk()
    )


def is_aggregate(node: exp.Expr) -> bool:
    """Whether the value is made of many rows, and so not that of a window, which keeps each row."""
    return any(not isinstance(one.parent, exp.Window) for one in node.find_all(exp.AggFunc))
