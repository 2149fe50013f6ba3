"""What SQL says: its branches, defaults, stars, units, what it reads and what it hands out.

    Reading(facts, source, rendered, dialect, measure).take() adds what one rendering of a file says to its facts

Nothing here knows a contract. Places are lines and columns of the file as it was written, also where Jinja made the
SQL. One statement that does not parse is a problem of its own; the others are read.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlglot import Dialect, exp
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from contracts.auditing.allowances import Allowance, allowance, in_comments
from contracts.auditing.branching import Place, Test, tests
from contracts.auditing.mappings import Mapping, mappings
from contracts.auditing.origins import MADE, NOWHERE, OPAQUE, Part, Parts, Relation, Source, Table
from contracts.auditing.probes import Probe, probe, whole
from contracts.auditing.templating import Rendered
from contracts.auditing.units import Scale, scales
from contracts.values import short

FAILURES = (SqlglotError, ValueError, AttributeError, TypeError, KeyError, IndexError, AssertionError)

# Statements that sqlglot leaves as text and that hold no query of their own.
HARMLESS = """set reset show use grant revoke vacuum analyze analyse call execute exec comment optimize refresh msck
    pragma attach detach install load checkpoint alter drop cache uncache lock unlock put get list ls remove rm undrop
    describe desc truncate kill begin commit rollback start end abort discard notify listen print go"""
HARMLESS_NEW = "role user warehouse stage extension schema database sequence type domain tag secret server integration"
MACRO = "the SQL that a macro writes here is not audited, since the macro is not in the project"


@dataclass(frozen=True, slots=True)
class Star:
    """A star over tables: `SELECT *`, `t.*`, `* EXCLUDE (…)`."""

    tables: tuple[Table, ...]
    sql: str
    place: Place


@dataclass
class Facts:
    """What one file says."""

    file: str
    team: str | None
    project: str = ""  # the dbt project that it is in
    tests: list[Test] = field(default_factory=list)
    mappings: list[Mapping] = field(default_factory=list)
    stars: list[Star] = field(default_factory=list)
    scales: list[Scale] = field(default_factory=list)
    tables: list[tuple[Table, Place]] = field(default_factory=list)  # that it names
    reads: set[tuple[Source, ...]] = field(default_factory=set)  # columns
    words: set[str] = field(default_factory=set)  # columns of which nobody knows whose they are
    whole: list[tuple[Table, frozenset[str]]] = field(default_factory=list)  # tables that leave, without some columns
    models: dict[str, Relation] = field(default_factory=dict)  # what it defines
    created: set[Table] = field(default_factory=set)  # of these, what a CREATE of its own makes
    queries: dict[str, Probe] = field(default_factory=dict)  # the SQL of what it defines, to run it
    probes: dict[Mapping, Probe] = field(default_factory=dict)
    allowances: list[Allowance] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    unrendered: list[tuple[int, int]] = field(default_factory=list)  # lines of Jinja's branches that nobody has read
    # The macros that it defines and does not call: their lines, and whether they have branches.
    macros: dict[str, tuple[int, bool]] = field(default_factory=dict)
    calls: set[str] = field(default_factory=set)  # of macros


class Reading:
    """One rendering of a file, on its way into the facts."""

    def __init__(self, found: Facts, source: str, rendered: Rendered, dialect: str, measure: bool) -> None:
        self.found, self.source, self.rendered, self.measure = found, source, rendered, measure
        self.dialect = Dialect.get_or_raise(dialect)
        self.dialect_name = dialect
        self.lines = [0, *(i + 1 for i, sign in enumerate(source) if sign == "\n")]
        self.tokens: list[Token] = []
        self.elses: list[int] = []

    # ---- places ----

    def line_and_column(self, offset: int) -> Place:
        """The place of a character of the file, counted from 0 in all."""
        line = bisect.bisect_right(self.lines, offset)
        return line, offset - self.lines[line - 1] + 1

    def place(self, node: exp.Expr) -> Place:
        """Where the first word of a node stands in the file; of what is around it, where it has no place itself."""
        return self.line_and_column(self.rendered.offset(max(0, self.start(node))))

    def start(self, node: exp.Expr) -> int:
        """Where the first word of a node, or of what is around it, stands in the SQL; -1 where nothing tells."""
        around: exp.Expr | None = node
        if (own := node.meta.get("start")) is not None and not node.args.get("expressions"):
            return int(own)  # most are a word alone
        while around is not None:
            starts = [start for part in around.walk() if (start := part.meta.get("start")) is not None]
            if starts:
                return min(starts)
            around = around.parent
        return -1

    def else_place(self, case: exp.Expr) -> Place:
        """Where the ELSE of a CASE stands."""
        default = case.args["default"]
        own = [start for part in default.walk() if (start := part.meta.get("start")) is not None]
        if own:
            found = bisect.bisect_left(self.elses, min(own)) - 1
        else:  # TRUE and NULL have no place
            ends = [end for each in case.args["ifs"] for part in each.walk() if (end := part.meta.get("end"))]
            found = bisect.bisect_left(self.elses, max(ends, default=0))
        if not 0 <= found < len(self.elses):
            return self.place(default)
        return self.line_and_column(self.rendered.offset(self.elses[found]))

    # ---- statements ----

    def take(self) -> None:
        """Add what the file says to its facts."""
        for statement in self.statements():
            try:
                self.statement(statement)
            except RecursionError:
                self.problem(statement, "the statement is nested too deeply")
            except FAILURES as error:
                self.problem(statement, f"its columns cannot be followed ({type(error).__name__})")

    def problem(self, statement: exp.Expr, says: str) -> None:
        self.found.problems.append(f"line {self.place(statement)[0]}: {says}")

    def statements(self) -> Iterator[exp.Expr]:
        """The statements that parse; the others become problems."""
        sql = self.rendered.sql
        try:
            self.tokens = self.dialect.tokenize(sql)
        except FAILURES as error:
            self.found.problems.append(f"it does not parse as {self.dialect_name} ({short(first_line(error))})")
            return
        self.elses = [token.start for token in self.tokens if token.token_type == TokenType.ELSE]
        if "contracts:" in sql:
            self.allowances(sql)
        try:
            parsed = self.dialect.parser().parse(self.tokens, sql)
        except (*FAILURES, RecursionError):
            parsed = []
            if OPAQUE in sql:
                sql = self.without_macros(sql)
            for chunk in chunks(self.tokens):
                parsed += self.parsed(chunk, sql)
        for statement in parsed:
            if statement is not None and self.is_read(statement):
                yield statement

    def without_macros(self, sql: str) -> str:
        """The SQL with a query, or nothing, where a macro that is not here would have written a whole one."""
        for before, token, after in zip([None, *self.tokens], self.tokens, [*self.tokens[1:], None], strict=False):
            if token.text != OPAQUE:
                continue
            begins = before is None or before.token_type in (TokenType.SEMICOLON, TokenType.R_PAREN, TokenType.L_PAREN)
            ends = after is None or after.token_type in (TokenType.SEMICOLON, TokenType.R_PAREN)
            heads = after is not None and after.token_type in (TokenType.SELECT, TokenType.WITH)
            if begins and (ends or heads):  # as long as before, so that all else stays in its place
                made = "" if heads else "select 1"
                sql = sql[: token.start] + made.ljust(len(OPAQUE)) + sql[token.end + 1 :]
                if not heads:
                    line = self.line_and_column(self.rendered.offset(token.start))[0]
                    self.found.problems.append(f"line {line}: {MACRO}")
        self.tokens = self.dialect.tokenize(sql)
        self.elses = [token.start for token in self.tokens if token.token_type == TokenType.ELSE]
        return sql

    def allowances(self, sql: str) -> None:
        """Note the allowances: between two tokens there is nothing but blanks and comments."""
        end = 0
        for start, after in [*((token.start, token.end + 1) for token in self.tokens), (len(sql), 0)]:
            for first, last, comment in in_comments(sql[end:start]):
                place = self.line_and_column(self.rendered.offset(end + first))
                until = self.line_and_column(self.rendered.offset(end + last - 1))[0]
                if (found := allowance(comment, *place, until)) is not None:
                    self.found.allowances.append(found)
            end = after

    def parsed(self, chunk: list[Token], sql: str) -> list[exp.Expr | None]:
        """One statement, where another of the same file does not parse."""
        line = self.line_and_column(self.rendered.offset(chunk[0].start))[0]
        try:
            return list(self.dialect.parser().parse(chunk, sql))
        except RecursionError:
            self.found.problems.append(f"line {line}: the statement is nested too deeply")
        except FAILURES as error:
            details: dict[str, Any] = next(iter(getattr(error, "errors", ())), {})
            near = str(details.get("highlight") or "").strip()
            if near and details.get("line"):  # of the rendered SQL
                start = 0
                for _ in range(int(details["line"]) - 1):
                    start = sql.find("\n", start) + 1
                line = self.line_and_column(self.rendered.offset(start))[0]
            says = f"near {short(near)}" if near else short(first_line(error))
            self.found.problems.append(f"line {line}: it does not parse as {self.dialect_name} ({says})")
        return []

    def is_read(self, statement: exp.Expr) -> bool:
        """Whether a statement is one that can be audited; if it hides a query, that is a problem."""
        if isinstance(statement, exp.Command):
            words = f"{statement.this} {statement.args.get('expression') or ''}".casefold().split()
            known = words and (
                words[0] in HARMLESS.split() or (words[0] == "create" and {*HARMLESS_NEW.split()} & {*words[1:5]})
            )
            if not known:
                self.problem(statement, f"the statement {short(' '.join(words[:6]).upper())} is not understood")
            return False
        if isinstance(statement, exp.Condition | exp.Alias) and not isinstance(statement, exp.Query):
            is_macro = isinstance(statement, exp.Column) and statement.name == OPAQUE
            says = f"the statement {short(statement.sql(comments=False))} is not SQL"
            self.problem(statement, MACRO if is_macro else says)
            return False
        for cte in statement.find_all(exp.CTE):
            if isinstance(cte.this, exp.Column) and cte.this.name == OPAQUE:
                self.problem(cte, MACRO)
        if isinstance(statement, exp.Create) and statement.kind in ("FUNCTION", "PROCEDURE", "TRIGGER", "TASK"):
            body = statement.args.get("expression")
            if body is not None and not isinstance(body, exp.Query | exp.Return | exp.Condition):
                self.problem(statement, f"the body of the {statement.kind} is text, which is not read")
        return True

    def statement(self, statement: exp.Expr) -> None:
        """Add what one statement says to the facts, and what the model that it defines hands out."""
        found, parts = self.found, Parts(statement)
        for part in parts:
            found.tests += tests(part, self.place)
            for one in mappings(part, self.place, self.else_place):
                found.mappings.append(one.mapping)
                if self.measure and one.mapping.silent:
                    found.probes.setdefault(one.mapping, probe(statement, part, one))
            found.scales += scales(part, self.place)
            found.stars += self.stars(part)
            self.reads(part)
        if parts.result is not None:
            found.whole += parts.result.passes
            if isinstance(statement, exp.Create | exp.Query):
                target = statement.find(exp.Table) if isinstance(statement, exp.Create) else None
                name = target.name.casefold() if target is not None else Path(found.file).stem.casefold()
                if target is not None:
                    found.created.add(tuple(part.name.casefold() for part in target.parts))
                found.models[name] = parts.result
                if self.measure:
                    found.queries[name] = whole(statement)

    def stars(self, part: Part) -> Iterator[Star]:
        """The stars that hand out all columns of a table outside of the statement."""
        if not isinstance(part.query, exp.Select) or isinstance(part.query.parent, exp.Exists | exp.In):
            return  # EXISTS (SELECT * …) reads no column
        for each in part.query.expressions:
            star = each.this if isinstance(each, exp.Column) else each
            if isinstance(star, exp.Star):
                table = each.table.casefold() if isinstance(each, exp.Column) else ""
                over = [one for alias, one in part.tables.items() if table in ("", alias)]
                if over:
                    tables = tuple(tuple(name.name.casefold() for name in one.parts) for one in over)
                    yield Star(tables, short(each.sql(comments=False)), self.place(each))

    def reads(self, part: Part) -> None:
        """Note the tables and the columns that a part names."""
        found = self.found
        for table in part.tables.values():
            found.tables.append((tuple(each.name.casefold() for each in table.parts), self.place(table)))
        for node in part.nodes:
            if isinstance(node, exp.Join):
                found.words.update(one.name.casefold() for one in node.args.get("using") or ())
            elif isinstance(node, exp.Star):
                above = node.parent if isinstance(node.parent, exp.Column) else node
                if not isinstance(above.parent, exp.Select | exp.Count):  # to_json(t.*)
                    found.whole += [one for relation in part.sources.values() for one in relation.passes]
            elif isinstance(node, exp.Column):
                name, origins = node.name.casefold(), part.origins(node)
                found.reads.update(member for member in origins if member and member[0][0] != NOWHERE)
                if origins == MADE:
                    found.words.add(name)
                if not node.table and name in part.sources:  # to_json(t)
                    found.whole += part.sources[name].passes


def chunks(tokens: list[Token]) -> Iterator[list[Token]]:
    """The tokens of each statement."""
    chunk: list[Token] = []
    for token in tokens:
        if token.token_type == TokenType.SEMICOLON:
            if chunk:
                yield chunk
            chunk = []
        else:
            chunk.append(token)
    if chunk:
        yield chunk


def first_line(error: BaseException) -> str:
    """The first line of an error, or its name where it says nothing."""
    return (str(error).splitlines() or [type(error).__name__])[0]
