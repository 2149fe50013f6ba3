"""Where SQL branches on the values of a column: every comparison with literals, in CASE, WHERE, JOIN, FILTER, …"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sqlglot import exp

from contracts.auditing.origins import MADE, OPAQUE, Origins, Part, bare, tested
from contracts.quoting import text

Place = tuple[int, int]  # line and column, from 1
Locate = Callable[[exp.Expr], Place]

EQUALS = (exp.EQ, exp.NullSafeEQ)
DIFFERS = (exp.NEQ, exp.NullSafeNEQ)
LIKE = (exp.Like, exp.ILike, exp.SimilarTo, exp.RegexpLike, exp.RegexpILike, exp.StartsWith, exp.Glob)


@dataclass(frozen=True, slots=True)
class Literal:
    """A text or a number that is written in the SQL."""

    value: str
    is_text: bool
    place: Place

    def __str__(self) -> str:
        return text(self.value) if self.is_text else self.value


@dataclass(frozen=True, slots=True)
class Test:
    """A comparison of one column with literals; without literals it is one that nobody can judge."""

    origins: Origins
    column: str
    literals: tuple[Literal, ...]
    fold: str  # what is done to the values before: "", "upper", "lower", "trim", or "?", which nobody can judge
    negated: bool
    clause: str  # WHERE, CASE, JOIN, …
    place: Place
    among: int = 1  # how many literals of the same CASE there are for that column


def literal(node: exp.Expr, place: Locate) -> Literal | None:
    """The literal that a node is, if it is one."""
    node = bare(node)
    inner = bare(node.this) if isinstance(node, exp.Neg | exp.Cast | exp.National | exp.RawString) else node
    if isinstance(inner, str):
        return Literal(inner, True, place(node))
    if not isinstance(inner, exp.Literal) or OPAQUE in inner.this:
        return None
    return Literal(("-" if isinstance(node, exp.Neg) else "") + inner.this, inner.is_string, place(inner))


def listed(node: exp.Expr) -> list[exp.Expr]:
    """The values of an IN, of IN UNNEST([…]), of = ANY (ARRAY[…])."""
    inner = node.args.get("unnest") if isinstance(node, exp.In) else node
    if inner is None:
        return list(node.expressions)
    array = inner.find(exp.Array)
    return [] if array is None else list(array.expressions)


def comparison(node: exp.Expr, place: Locate) -> tuple[exp.Column, str, tuple[Literal, ...], bool] | None:
    """(column, fold, literals, negated) of one comparison; None where it is none with literals alone."""
    if isinstance(node, exp.In):
        side, values, negated = node.this, listed(node), isinstance(node.parent, exp.Not)
    elif isinstance(node, EQUALS + DIFFERS):
        negated = isinstance(node, DIFFERS)
        side, other = node.this, node.expression
        if literal(side, place) is not None:
            side, other = other, side
        values = listed(other) if isinstance(other, exp.Any) else [other]
    else:
        return None
    found = tested(side)
    literals = [literal(value, place) for value in values]
    known = [one for one in literals if one is not None]
    if found is None or not known or len(known) < len(literals):
        return None
    defaults = {each.name for one in side.find_all(exp.Coalesce) for each in one.expressions}
    known = [one for one in known if one.value not in defaults]  # coalesce(a, 'none') = 'none' asks for NULL
    return (*found, tuple(known), negated) if known else None


def tests(part: Part, place: Locate) -> Iterator[Test]:
    """Every comparison of a column with literals."""
    counted: dict[int, Counter[str]] = {}
    for node in part.nodes:
        if isinstance(node, LIKE) and (found := tested(node.this)):
            yield Test(part.origins(found[0]), found[0].name, (), "?", False, clause_of(node), place(found[0]))
        elif is_assignment(node) or (part.pivots and isinstance(node.parent, exp.Pivot)):
            continue
        elif (compared := comparison(node, place)) is not None:
            column, fold, literals, negated = compared
            among = max(1, len(literals), siblings(node, place, counted)[column.sql(comments=False).casefold()])
            clause = clause_of(node)
            yield Test(part.origins(column), column.name, literals, fold, negated, clause, place(column), among)
        elif isinstance(node, exp.Case | exp.DecodeCase) and (found := operand(node)) is not None:
            values = [one for key, _ in branches(node) if (one := literal(key, place)) is not None]
            if values:
                column, fold = found
                form = "CASE" if isinstance(node, exp.Case) else "DECODE"
                origins = part.origins(column)
                yield Test(origins, column.name, tuple(values), fold, False, form, place(column), len(values))
    for pivot, before in part.pivots:
        for one in pivot.args.get("fields") or ():
            if isinstance(one, exp.In) and not pivot.args.get("unpivot") and isinstance(one.this, exp.Column):
                found_literals = [literal(each.unalias(), place) for each in one.expressions]
                known = tuple(each for each in found_literals if each is not None)
                origins = before.origins(one.this.name.casefold()) or MADE
                if known:
                    yield Test(origins, one.this.name, known, "", False, "PIVOT", place(one.this), len(known))


def is_assignment(node: exp.Expr) -> bool:
    """Whether an equals sign sets a value, as in UPDATE … SET a = 'x'."""
    sets = isinstance(node.parent, exp.Update | exp.Set | exp.SetItem | exp.OnConflict)
    return sets and isinstance(node, exp.EQ) and node.arg_key == "expressions"


def siblings(node: exp.Expr, place: Locate, counted: dict[int, Counter[str]]) -> Counter[str]:
    """How many literals a searched CASE compares each column with; `counted` remembers the CASEs seen."""
    branch = node.find_ancestor(exp.If, exp.Query)
    case = branch.parent if isinstance(branch, exp.If) else None
    if not isinstance(case, exp.Case) or case.this is not None:
        return Counter()
    if id(case) not in counted:
        counts = counted[id(case)] = Counter()
        for condition, _ in branches(case):
            if (found := values_of(condition, place)) is not None:
                counts[found[0].sql(comments=False).casefold()] += len(found[2])
    return counted[id(case)]


def clause_of(node: exp.Expr) -> str:
    """The part of the query that a comparison is in."""
    above = node.find_ancestor(
        *(exp.Case, exp.If, exp.Filter, exp.Where, exp.Join, exp.Having, exp.Qualify, exp.Merge, exp.Pivot, exp.Query)
    )
    if isinstance(above, exp.If) and isinstance(above.parent, exp.Case):
        return "CASE"
    return "SELECT" if above is None or isinstance(above, exp.Query) else above.key.upper()


# ---- the branches of a CASE, IF or DECODE ----------------------------------------------------------------------------


def branches(node: exp.Expr) -> list[tuple[exp.Expr, exp.Expr]]:
    """The (key, result) of each WHEN: a condition, or a value of the operand."""
    if isinstance(node, exp.DecodeCase):
        pairs = node.expressions[1:]
        return list(zip(pairs[::2], pairs[1::2], strict=False))
    if isinstance(node, exp.If):
        return [(node.this, node.args["true"])]
    every = [(each.this, each.args["true"]) for each in node.args["ifs"]]
    return every if otherwise(node) is None else every[:-1]


def otherwise(node: exp.Expr) -> exp.Expr | None:
    """The result of a last WHEN TRUE, which is an ELSE in other words."""
    if not isinstance(node, exp.Case) or node.this is not None or node.args.get("default") is not None:
        return None
    last = node.args["ifs"][-1]
    condition = bare(last.this)
    is_true = isinstance(condition, exp.Boolean) and condition.this and len(node.args["ifs"]) > 1
    return last.args["true"] if is_true else None


def operand(node: exp.Expr) -> tuple[exp.Column, str] | None:
    """The column of CASE column WHEN …, or of DECODE(column, …)."""
    if isinstance(node, exp.DecodeCase):
        return tested(node.expressions[0])
    return tested(node.this) if isinstance(node, exp.Case) and node.this is not None else None


def values_of(condition: exp.Expr, place: Locate) -> tuple[exp.Column, str, tuple[Literal, ...]] | None:
    """(column, fold, values) of a condition that is nothing but `column = value`, IN, IS NULL, or several with OR."""
    condition = bare(condition)
    if isinstance(condition, exp.Or):
        sides = [values_of(side, place) for side in (condition.left, condition.right)]
        left, right = sides
        if left is None or right is None or left[1] != right[1] or not is_same(left[0], right[0]):
            return None
        return left[0], left[1], left[2] + right[2]
    if isinstance(condition, exp.Is) and isinstance(condition.expression, exp.Null):
        found = tested(condition.this)
        return None if found is None else (*found, ())
    compared = comparison(condition, place)
    return None if compared is None or compared[3] else compared[:3]


def keys_of(node: exp.Expr, place: Locate) -> tuple[exp.Column, str, list[tuple[Literal, ...]]] | None:
    """(column, fold, the values of each branch) of a CASE, IF or DECODE that looks at one column and nothing else."""
    if isinstance(node, exp.DecodeCase) or (isinstance(node, exp.Case) and node.this is not None):
        found = operand(node)
        keys: list[tuple[Literal, ...]] = []
        for key, _ in branches(node):
            value = literal(key, place)
            if value is None and not isinstance(bare(key), exp.Null):
                return None
            keys.append(() if value is None else (value,))
        return None if found is None else (*found, keys)
    each = [values_of(condition, place) for condition, _ in branches(node)]
    known = [one for one in each if one is not None]
    if not known or len(known) < len(each) or not all(is_same(one[0], known[0][0]) for one in known):
        return None
    folds = {one[1] for one in known}
    return known[0][0], folds.pop() if len(folds) == 1 else "?", [one[2] for one in known]


def is_same(one: exp.Column, other: exp.Column) -> bool:
    return one.sql(comments=False).casefold() == other.sql(comments=False).casefold()
