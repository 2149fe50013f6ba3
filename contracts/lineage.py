"""Column lineage: which columns of a query are the field, under whatever name, and where that is written.

Each part of a query is a `Relation`: which of the columns that it hands out are the field. `Search` goes through the
scopes of a statement from the inside out, and through the files of a team until none has more to say.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import Scope

from contracts.errors import brief
from contracts.scopes import in_lateral, names_dataset, scopes
from contracts.values import short


@dataclass(frozen=True, order=True)
class Reader:
    """One place that reads the field; line and column count from 1."""

    team: str
    file: str
    line: int
    column: int
    how: str  # "item_condition", "*", "USING", …

    def __str__(self) -> str:
        return brief(f"{self.file}:{self.line}:{self.column}: {self.team} reads it ({self.how})")


@dataclass(frozen=True)
class Relation:
    """What a table, a CTE or a subquery hands out."""

    carriers: frozenset[str] = frozenset()  # the columns that are the field, in lower case
    names: tuple[str, ...] | None = None  # all its columns, in order; None: nobody knows


@dataclass
class Script:
    """One SQL file of a team."""

    team: str
    path: Path
    text: str = ""
    statements: list[exp.Expr] = field(default_factory=list)


class Search:
    """Follows one field through the files of one team, whose models read each other."""

    def __init__(self, dataset: str, field: str) -> None:
        self.dataset, self.field = dataset, field.casefold()
        self.models: dict[str, Relation] = {}
        self.local: dict[str, Relation] = {}  # the CTEs of a statement that is no query, as WITH … INSERT
        self.found: set[Reader] = set()
        self.failed: dict[Path, str] = {}
        self.script = Script("", Path())

    def through(self, scripts: list[Script]) -> set[Reader]:
        """All places; a model may be read by a file that comes before it, so this goes round until nothing is new."""
        for _ in range(len(scripts) + 1):
            before = dict(self.models)
            for self.script in scripts:
                try:
                    for statement in self.script.statements:
                        self.follow(statement)
                except (
                    SqlglotError,
                    RecursionError,
                    ValueError,
                    AttributeError,
                    TypeError,
                    KeyError,
                    IndexError,
                ) as error:
                    self.failed[self.script.path] = f"its columns cannot be followed ({type(error).__name__})"
            if self.models == before:
                break
        return self.found

    def follow(self, statement: exp.Expr) -> None:
        """Note what a statement reads, and what the model that it defines hands out."""
        relations: dict[int, Relation] = {}
        self.local, result = {}, None
        for scope, leaves in scopes(statement):
            relations[id(scope.expression)] = result = self.relation(scope, relations, leaves)
            if isinstance(cte := scope.expression.parent, exp.CTE):
                relations[id(scope.expression)] = self.local[cte.alias.casefold()] = self.renamed(cte, result)
        target = statement.find(exp.Table) if isinstance(statement, exp.Create) else None
        if result is not None:
            name = target.name if isinstance(target, exp.Table) else self.script.path.stem
            if isinstance(statement, exp.Create | exp.Query):
                self.models[name.casefold()] = result
        self.beside_queries(statement)
        self.pivots(statement)

    def base(self, table: exp.Table) -> Relation:
        """What a table in FROM hands out."""
        if not table.args.get("db") and (local := self.local.get(table.name.casefold())):
            return local
        if names_dataset(table, self.dataset):
            return Relation(frozenset({self.field}))
        return self.models.get(table.name.casefold(), Relation())

    def relation(self, scope: Scope, known: dict[int, Relation], leaves: bool) -> Relation:
        """What a scope hands out, once its reads are noted."""
        query = scope.expression
        if isinstance(query, exp.SetOperation):
            return self.union(
                query, [known.get(id(branch.expression), Relation()) for branch in scope.union_scopes or ()]
            )
        sources = self.sources(scope, known)
        chain, inner = [sources], scope
        while inner.parent is not None and (inner.is_subquery or inner.is_udtf or in_lateral(inner)):
            inner = inner.parent
            chain.append(self.sources(inner, known))
        for node in query.walk(prune=lambda node: node is not query and isinstance(node, exp.Query)):
            if isinstance(node, exp.Column):
                self.note_column(node, chain, query)
            elif isinstance(node, exp.Star):
                self.note_star(node, sources)
        if not isinstance(query, exp.Select):
            return next(iter(sources.values()), Relation())
        self.note_joins(query, sources)
        return self.projections(query, sources, leaves)

    def source(self, source: Any, known: dict[int, Relation]) -> Relation:
        """What a name in FROM hands out; within a recursive CTE, its own name is its first branch."""
        return self.base(source) if isinstance(source, exp.Table) else known.get(id(source.expression), Relation())

    def sources(self, scope: Scope, known: dict[int, Relation]) -> dict[str, Relation]:
        """What FROM and the joins of a scope name, by their aliases in lower case."""
        return {
            name.casefold(): self.renamed(node, self.source(source, known))
            for name, (node, source) in scope.selected_sources.items()
        }

    def renamed(self, node: exp.Expr, relation: Relation) -> Relation:
        """What is handed out under new names, as in t as s(x, y) and with c(x, y) as."""
        if isinstance(node, exp.Query) and isinstance(node.parent, exp.Subquery):
            node = node.parent
        alias = node.args.get("alias")
        new = [column.name.casefold() for column in (alias.args.get("columns") or ())] if alias else []
        if not new or not relation.carriers:
            return relation
        if relation.names is None:  # by place alone, so that a lost column moves all others
            self.note(node, "names by place")
            return relation
        every = (*new, *relation.names[len(new) :])
        carriers = {name for name, old in zip(every, relation.names, strict=False) if old in relation.carriers}
        return Relation(frozenset(carriers), every)

    def union(self, query: exp.SetOperation, branches: list[Relation]) -> Relation:
        """A column of a UNION is the field if it is in one of the branches, at that place or by that name."""
        carriers = frozenset().union(*(branch.carriers for branch in branches)) if branches else frozenset()
        selects = [query.left, query.right]
        if len(branches) == 2 and all(isinstance(one, exp.Select) and not one.is_star for one in selects):
            first, second = ([name.casefold() for name in one.named_selects] for one in selects)
            if not query.args.get("by_name"):
                moved = {a for a, b in zip(first, second, strict=False) if b in branches[1].carriers}
                carriers = branches[0].carriers | moved
        return Relation(frozenset(carriers), branches[0].names if branches else None)

    def carrier(self, column: exp.Column, chain: list[dict[str, Relation]]) -> bool:
        """Whether that column is the field."""
        parts = [part.name.casefold() for part in column.parts]
        for sources in chain:
            place = next((i for i, part in enumerate(parts[:-1]) if part in sources), None)
            if place is not None:
                return parts[place + 1] in sources[parts[place]].carriers
            if len(parts) > 1 and not any(parts[0] in relation.carriers for relation in sources.values()):
                continue  # a table of an outer query; a.b of a field a is none
            if any(parts[0] in relation.carriers for relation in sources.values()):
                return True
            if any(relation.names is None or parts[0] in relation.names for relation in sources.values()):
                return False
        return False

    def note_column(self, column: exp.Column, chain: list[dict[str, Relation]], query: exp.Expr) -> None:
        """Note a column that is the field, or that is a whole row with the field in it."""
        in_star = column.arg_key == "except_" or (column.parent is not None and column.parent.arg_key == "rename")
        if isinstance(column.this, exp.Star) or in_star:
            return  # `starred` says it
        selects = query.selects if isinstance(query, exp.Select) else []
        aliases = {each.alias.casefold() for each in selects if each.alias}
        name = column.name.casefold()
        ordered = column.find_ancestor(exp.Order, exp.Window, exp.Query)
        if not column.table and name in aliases and isinstance(ordered, exp.Order) and ordered.parent is query:
            return  # ORDER BY takes the SELECT's own name
        if self.carrier(column, chain):
            self.note(column, column.sql())
        elif not column.table and name not in aliases:
            row = next((sources[name] for sources in chain if name in sources), None)
            known = any(name in (relation.names or ()) for sources in chain for relation in sources.values())
            if row and row.carriers and not known and self.field != name:
                self.note(column, f"the whole row {column.name}")

    def note_star(self, star: exp.Star, sources: dict[str, Relation]) -> None:
        """A star that is no column of the SELECT, as in to_json(t.*), reads all columns at once; a count reads none."""
        outer = star.parent if isinstance(star.parent, exp.Column) else star
        if isinstance(outer.parent, exp.Select | exp.Count | exp.Columns):
            return
        table = outer.table.casefold() if isinstance(outer, exp.Column) else ""
        if any(relation.carriers for alias, relation in sources.items() if table in ("", alias)):
            self.note(star, outer.sql())

    def note_joins(self, query: exp.Select, sources: dict[str, Relation]) -> None:
        """USING names its columns without being a column; NATURAL names none."""
        for join in query.args.get("joins") or ():
            for name in join.args.get("using") or ():
                if any(name.name.casefold() in relation.carriers for relation in sources.values()):
                    self.note(name, "USING")
            if str(join.args.get("method", "")).upper() == "NATURAL":
                holding = [relation for relation in sources.values() if relation.carriers]
                others = [relation for relation in sources.values() if not relation.carriers]
                if len(holding) > 1 or any(
                    holding and (one.names is None or self.field in one.names) for one in others
                ):
                    self.note(join.this, "NATURAL JOIN")

    def projections(self, query: exp.Select, sources: dict[str, Relation], leaves: bool) -> Relation:
        """What a SELECT hands out; a star that lets the field leave is a place too."""
        carriers: set[str] = set()
        all_names: list[str] | None = []
        for each in query.expressions:
            star = each.this if isinstance(each, exp.Column) and isinstance(each.this, exp.Star) else each
            if isinstance(star, exp.Star):
                table = each.table.casefold() if isinstance(each, exp.Column) else ""
                parts = [relation for alias, relation in sources.items() if table in ("", alias)]
                passed = self.starred(star, frozenset().union(*(part.carriers for part in parts)))
                if passed and leaves:
                    self.note(star, each.sql())
                carriers |= passed
                known = [part.names for part in parts]
                all_names = (
                    None if all_names is None or None in known else [*all_names, *(n for k in known if k for n in k)]
                )
                continue
            if found := each.find(exp.Columns):
                if any(relation.carriers for relation in sources.values()):
                    self.note(found, "COLUMNS")
                    carriers.add(self.field)
                all_names = None
                continue
            name, inner = each.alias_or_name.casefold(), each.unalias()
            if isinstance(inner, exp.Column) and self.carrier(inner, [sources]):
                carriers.add(name)
            if all_names is not None:
                all_names.append(name)
        return Relation(frozenset(carriers), None if all_names is None else tuple(all_names))

    def starred(self, star: exp.Star, carriers: frozenset[str]) -> set[str]:
        """The carriers that a star hands out, after EXCLUDE, RENAME and REPLACE."""
        passed = set(carriers)
        for one in star.args.get("except_") or ():
            if one.name.casefold() in passed:
                self.note(one, "EXCLUDE")
                passed.discard(one.name.casefold())
        for one in star.args.get("replace") or ():
            if one.alias.casefold() in passed:
                self.note(one.args["alias"], "REPLACE")
                passed.discard(one.alias.casefold())
        for one in star.args.get("rename") or ():
            if one.this.name.casefold() in passed:
                self.note(one, "RENAME")
                passed.discard(one.this.name.casefold())
                passed.add(one.alias.casefold())
        return passed

    def beside_queries(self, statement: exp.Expr) -> None:
        """UPDATE, DELETE, MERGE, COPY, SUMMARIZE, PIVOT as a statement: what they read outside of their queries."""
        if isinstance(statement, exp.Query | exp.Create | exp.Insert):
            return
        own = [table for table in statement.find_all(exp.Table) if not table.find_ancestor(exp.Query)]
        holding = {table.alias_or_name.casefold(): table for table in own if self.base(table).carriers}
        carriers = frozenset().union(*(self.base(table).carriers for table in holding.values()))
        for column in statement.find_all(exp.Column):
            outside = column.table.casefold() in ("", *holding) and not column.find_ancestor(exp.Query)
            if outside and column.name.casefold() in carriers:
                self.note(column, column.sql())
        if isinstance(statement, exp.Summarize | exp.Copy | exp.Describe):
            for table in holding.values():
                self.note(table, statement.key.upper())

    def pivots(self, statement: exp.Expr) -> None:
        """PIVOT and UNPIVOT name columns outside of every SELECT, and hand on all that they do not name."""
        for pivot in statement.find_all(exp.Pivot):
            table = pivot.this if isinstance(pivot.this, exp.Table) else pivot.parent
            if isinstance(table, exp.Table) and (carriers := self.base(table).carriers):
                for column in pivot.find_all(exp.Column):
                    if column.name.casefold() in carriers:
                        self.note(column, column.sql())
                if table is pivot.this:
                    self.note(table, "PIVOT")

    def note(self, node: exp.Expr, how: str) -> None:
        """Remember a place: where the first word of the node stands in the file."""
        starts = [start for part in node.walk() if (start := part.meta.get("start")) is not None]
        above = node.parent
        while not starts and above is not None:
            starts = [start for part in above.walk() if (start := part.meta.get("start")) is not None]
            above = above.parent
        start, text = min(starts, default=0), self.script.text
        line, column = text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)
        self.found.add(Reader(self.script.team, self.script.path.as_posix(), line, column, short(how)))
