"""Where SQL gives each value of a column a result of its own, and one result to all others.

    mappings(part, place)   every CASE, IF, DECODE, or COALESCE over a join, that maps the values of one column

A CASE that asks something else is no mapping: ranges, two columns, booleans, a flag (`THEN 1 ELSE 0`), an order of
sorting. What their ELSE means is clear. One amount or nothing (`SUM(CASE … THEN x ELSE 0 END)`) is a filter as long as
it leaves out a promised value; one that names several values is handed on as such, since only a contract knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from sqlglot import exp

from contracts.auditing.branching import EQUALS, Literal, Locate, Place, branches, is_same, keys_of, otherwise
from contracts.auditing.origins import Origins, Part, Relation, bare, is_constant, tested
from contracts.values import short

OPPOSITE = (
    {"true", "false"},
    {"1", "0"},
    {"1", "-1"},
    {"'y'", "'n'"},
    {"'yes'", "'no'"},
    {"'t'", "'f'"},
    {"'true'", "'false'"},
)
SUMS = (exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Count, exp.Median)
NEUTRAL = {"0", "''", "null", "false"}
LOUD = re.compile(r"(^|_)(raise|throw|error|fail|abort|assert)(_|$)", re.IGNORECASE)
SAYS_SO = re.compile(
    r"-1|'\W+'|'\W*(unknown|unmapped|unclassified|undefined|unspecified|unexpected|unrecogni[sz]ed|unhandled|invalid|error"
    r"|missing|none|null|n/?a|tbd|(not|no|without) .*)\W*'|'.*\b(unknown|unmapped|undefined|unclassified)\b.*'",
    re.IGNORECASE,
)
IDENTITY = re.compile(r"(^|_)(ids?|key|sk|pk|fk|uuid|guid|hash|no|nr|number)$")
WHEN = re.compile(r"(^|_)(date|day|month|year|week|at|ts|time)$")


@dataclass(frozen=True, slots=True)
class Mapping:
    """A result for each value of a column, and one for all others."""

    form: str  # CASE, IF, DECODE, COALESCE, or IS NULL where it is that in other words
    origins: Origins
    column: str
    fold: str
    literals: tuple[Literal, ...]
    default: str  # its SQL; NULL if there is none
    silent: bool  # a plain value that does not say that it is a default
    same_as: str | None  # the literal whose result the default is too
    place: Place  # of the default
    filters: int = 0  # in how many branches it names values, where it is one amount or nothing
    aggregated: bool = False  # in an aggregate that passes over NULL


@dataclass(frozen=True)
class Mapped:
    """A mapping with the nodes that `probes` needs."""

    mapping: Mapping
    node: exp.Expr  # what stands for one of its results
    lands: exp.Expr  # whether a row takes the default
    default: exp.Expr
    tested: exp.Expr


def default_of(node: exp.Expr) -> exp.Expr | None:
    """What all other values become."""
    if isinstance(node, exp.DecodeCase):
        return node.expressions[-1] if len(node.expressions) % 2 == 0 else None
    found: exp.Expr | None = node.args.get("false" if isinstance(node, exp.If) else "default")
    return otherwise(node) if found is None else found


def mappings(part: Part, place: Locate, else_place: Locate) -> Iterator[Mapped]:
    """Every place that gives the values of one column their results."""
    for node in part.nodes:
        if isinstance(node, exp.Case | exp.DecodeCase) or (isinstance(node, exp.If) and node.arg_key != "ifs"):
            found = mapping(node, part, place, else_place)
        elif isinstance(node, exp.Coalesce) and node.expressions:
            found = mapping_join(node, node.expressions[-1], [node.this, *node.expressions[:-1]], part, place)
        else:
            continue
        if found is None and (pair := value_or_default(node)) is not None:
            found = mapping_join(node, pair[1], [pair[0]], part, place)
        if found is not None:
            yield found


def mapping(node: exp.Expr, part: Part, place: Locate, else_place: Locate) -> Mapped | None:
    """The mapping that a CASE, IF or DECODE is, if it is one."""
    keys = keys_of(node, place)
    if keys is None or keys[1] == "?" or not any(keys[2]) or is_order_or_repeated(node, part):
        return None
    column, fold, values = keys
    results = [result for _, result in branches(node)]
    default, whole, form = default_of(node), node, {"decodecase": "DECODE", "if": "IF"}.get(node.key, "CASE")
    above = node.parent
    if default is None and isinstance(above, exp.Coalesce) and node.arg_key == "this" and len(above.expressions) == 1:
        default, whole, form = above.expressions[0], above, "COALESCE"
    says = "null" if default is None else canonical(default)
    filters = 0
    if is_filter(node, results, says):
        if says != "0" or is_constant(results[0]) or sum(map(len, values)) < 2:
            return None
        filters = len(values)
    if default is not None and passes_on(default, column):
        return None
    outer = outer_branches(node, column, place)
    values = [key for key, _ in outer] + values
    results = [result for _, result in outer] + results
    equal = None
    silent = default is not None and says != "null" and not is_loud(default) and not SAYS_SO.fullmatch(says)
    if silent and default is not None:
        same = [key for key, result in zip(values, results, strict=True) if canonical(result) == says]
        if same:
            equal = str(same[0][0]) if same[0] else "NULL"
        elif not is_constant(default) and not any(same_shape(default, result) for result in results):
            return None  # a computation, a nested CASE or a parameter: somebody has thought about it
    has_else = form == "CASE" and default is not None and node.args.get("default") is default
    where = else_place(node) if has_else else place(default or node)
    text = "NULL" if default is None else short(default.sql(comments=False))
    literals = tuple(dict.fromkeys(one for key in values for one in key))
    name = column.name if "?" not in fold else short(fold[1:])
    made = Mapping(
        form, part.origins(column), name, fold, literals, text, silent, equal, where, filters, is_summed(whole)
    )
    return Mapped(made, whole, lands(node), default or exp.Null(), column)


def canonical(node: exp.Expr) -> str:
    """The SQL of an expression, with numbers and brackets written one way, in lower case but for its texts."""
    node = bare(node)
    if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal) and not node.this.is_string:
        return f"-{canonical(node.this)}"
    if isinstance(node, exp.Literal):
        if node.is_string:
            return node.sql(comments=False)
        try:
            return format(Decimal(node.this).normalize(), "f")
        except InvalidOperation:
            return str(node.this)
    if isinstance(node, exp.Null | exp.Boolean):
        return node.sql(comments=False).casefold()
    if isinstance(node, exp.Cast) and isinstance(bare(node.this), exp.Literal | exp.Null | exp.Neg):
        return canonical(node.this)
    for one in (copy := node.copy()).find_all(exp.Literal):
        if not one.is_string:
            one.set("this", canonical(one))
    return copy.sql(normalize=True, comments=False).casefold()


def is_filter(node: exp.Expr, results: list[exp.Expr], says: str) -> bool:
    """Whether one result against its absence is what is meant: a flag, a filter in an aggregate, a measure, a pivot."""
    canon = {canonical(result) for result in results}
    aggregated = isinstance(node.find_ancestor(exp.AggFunc, exp.Query), exp.AggFunc)
    if len(canon) > 1:
        return aggregated and says == "null"
    if says == "null" or {one.casefold() for one in (*canon, says)} in OPPOSITE:
        return True
    return says in NEUTRAL and (aggregated or not is_constant(results[0]))


def is_summed(node: exp.Expr) -> bool:
    """Whether an aggregate that passes over NULL takes the results."""
    return isinstance(node.find_ancestor(exp.AggFunc, exp.Query), SUMS)


def is_order_or_repeated(node: exp.Expr, part: Part) -> bool:
    """Whether a CASE only sorts, or stands in GROUP BY as it does in SELECT."""
    above = node.find_ancestor(exp.Order, exp.Group, exp.Query)
    if not isinstance(above, exp.Group):
        return isinstance(above, exp.Order)
    return isinstance(part.query, exp.Select) and any(
        one == node for each in part.query.expressions for one in each.find_all(type(node))
    )


def is_loud(node: exp.Expr) -> bool:
    """Whether a default stops the query: error('…'), or a division by zero that is meant to."""
    for one in node.walk():
        if isinstance(one, exp.Func) and LOUD.search(one.name if isinstance(one, exp.Anonymous) else one.sql_name()):
            return True
        if isinstance(one, exp.Div) and isinstance(one.expression, exp.Literal) and canonical(one.expression) == "0":
            return True
    return isinstance(node, exp.Cast) and isinstance(node.this, exp.Literal) and is_impossible(node)


def is_impossible(cast: exp.Cast) -> bool:
    """Whether a text is cast to a number that it is not, so that the query stops there."""
    if not cast.to.is_type(*exp.DataType.NUMERIC_TYPES) or not cast.this.is_string or isinstance(cast, exp.TryCast):
        return False
    try:
        Decimal(cast.this.this)
    except InvalidOperation:
        return True
    return False


def passes_on(default: exp.Expr, column: exp.Column) -> bool:
    """Whether the default hands on the value itself, as ELSE status does."""
    return any(one.name.casefold() == column.name.casefold() for one in default.find_all(exp.Column))


def same_shape(default: exp.Expr, result: exp.Expr) -> bool:
    """Whether the two are one formula with other numbers, as price * 0.9 and price * 0.8."""
    shapes = []
    for node in (default.copy(), result.copy()):
        numbers = [one for one in node.find_all(exp.Literal) if not one.is_string]
        for one in numbers:
            one.set("this", "0")
        shapes.append(node.sql(normalize=True, comments=False).casefold() if numbers else None)
    return shapes[0] is not None and shapes[0] == shapes[1]


def outer_branches(node: exp.Expr, column: exp.Column, place: Locate) -> list[tuple[tuple[Literal, ...], exp.Expr]]:
    """The (values, result) of each branch of the CASEs over the same column in whose ELSE this one stands."""
    found: list[tuple[tuple[Literal, ...], exp.Expr]] = []
    above: exp.Expr | None = node.parent
    child: exp.Expr = node
    while above is not None and (isinstance(above, exp.Paren) or default_of_is(above, child)):
        if not isinstance(above, exp.Paren):
            keys = keys_of(above, place)
            if keys is None or not is_same(keys[0], column):
                break
            found += zip(keys[2], (result for _, result in branches(above)), strict=True)
        child, above = above, above.parent
    return found


def default_of_is(node: exp.Expr, child: exp.Expr) -> bool:
    return isinstance(node, exp.Case | exp.If | exp.DecodeCase) and default_of(node) is child


def lands(node: exp.Expr) -> exp.Expr:
    """The same CASE, asking whether a row takes its default."""
    copy = node.copy()
    yes, no = exp.true(), exp.false()
    if isinstance(copy, exp.DecodeCase):
        first, *pairs = copy.expressions
        odd = len(pairs) % 2
        keys = pairs[: len(pairs) - odd : 2]
        copy.set("expressions", [first, *(one for key in keys for one in (key, no.copy())), yes])
        return copy
    if isinstance(copy, exp.If):
        copy.set("true", no)
        copy.set("false", yes)
        return copy
    for each in copy.args["ifs"]:
        each.set("true", no.copy())
    if otherwise(node) is None:
        copy.set("default", yes)
    else:
        copy.args["ifs"][-1].set("true", yes)
    return copy


# ---- a mapping that is a table --------------------------------------------------------------------------------------


def value_or_default(node: exp.Expr) -> tuple[exp.Expr, exp.Expr] | None:
    """(value, default) of CASE WHEN value IS NULL THEN default ELSE value END, or of IF so, or of IS NOT NULL."""
    if not isinstance(node, exp.Case | exp.If) or (isinstance(node, exp.Case) and node.this is not None):
        return None
    pairs, rest = branches(node), default_of(node)
    if len(pairs) != 1 or rest is None:
        return None
    condition, result = bare(pairs[0][0]), pairs[0][1]
    if isinstance(condition, exp.Not):
        condition, result, rest = bare(condition.this), rest, result
    is_asked = isinstance(condition, exp.Is) and isinstance(condition.expression, exp.Null)
    columns = [bare(condition.this), unwrapped(rest)] if is_asked else []
    if not columns or not all(isinstance(one, exp.Column) for one in columns):
        return None
    return (rest, result) if is_same(columns[0], columns[1]) else None  # type: ignore[arg-type]


def unwrapped(node: exp.Expr) -> exp.Expr:
    """Without brackets and casts."""
    while isinstance(node, exp.Paren | exp.Cast):
        node = node.this
    return node


def mapping_join(node: exp.Expr, default: exp.Expr, values: list[exp.Expr], part: Part, place: Locate) -> Mapped | None:
    """The default of values of which one is that of a LEFT JOIN that looks up a column: COALESCE(mapped, default)."""
    says = canonical(default)
    if not isinstance(part.query, exp.Select) or any(is_constant(one) for one in values):
        return None
    if not is_constant(default) or says == "null" or is_loud(default) or SAYS_SO.fullmatch(says):
        return None
    keys = [key for one in values if (key := mapped_by(unwrapped(one), says, part)) is not None]
    if not keys:
        return None
    form, text = "COALESCE" if isinstance(node, exp.Coalesce) else "IS NULL", short(default.sql(comments=False))
    made = Mapping(
        form, part.origins(keys[0]), keys[0].name, "", (), text, True, None, place(default), 0, is_summed(node)
    )
    missing: list[exp.Expr] = [exp.Is(this=exp.Paren(this=one.copy()), expression=exp.Null()) for one in values]
    return Mapped(made, node, exp.and_(*missing), default, keys[0])


def mapped_by(value: exp.Expr, says: str, part: Part) -> exp.Column | None:
    """The column that a LEFT JOIN looks up, where the value is one of the joined table."""
    if not isinstance(value, exp.Column):
        return None
    name, table = value.name.casefold(), value.table.casefold()
    for join in part.query.args.get("joins") or ():
        alias = join.alias_or_name.casefold()
        relation = part.sources.get(alias)
        if relation is None or str(join.side).upper() not in ("LEFT", "FULL"):
            continue
        if table != alias and (table or name not in relation.columns):
            continue
        key = looked_up(join, alias, relation)
        if key is None or (not relation.written and (relation.grouped or says in NEUTRAL)):
            return None
        which = is_name_of_one(key.name) or WHEN.search(key.name.casefold()) or key.name.casefold() == name
        return None if which and not relation.written else key
    return None


def looked_up(join: exp.Join, alias: str, relation: Relation) -> exp.Column | None:
    """The column whose value a join looks up, if it looks up one column by equality."""
    if using := join.args.get("using"):
        return exp.column(using[0].copy()) if len(using) == 1 else None
    condition = join.args.get("on")
    if condition is None:
        return None
    keys = []
    for each in condition.flatten() if isinstance(condition, exp.And) else [condition]:
        each = bare(each)
        sides = [tested(each.this), tested(each.expression)] if isinstance(each, EQUALS) else []
        columns = [found[0] for found in sides if found is not None]
        if len(columns) != 2:
            continue
        of_it = [one.table.casefold() == alias or (not one.table and one.name in relation.columns) for one in columns]
        own = [one for one, is_own in zip(columns, of_it, strict=True) if is_own]
        others = [one for one in columns if one not in own]
        if len(own) == 1 and len(others) == 1:
            keys.append(others[0])
    return keys[0] if len(keys) == 1 else None


def is_name_of_one(name: str) -> bool:
    """Whether a column tells which one it is rather than of what kind: an id, a key."""
    return bool(IDENTITY.search(name.casefold())) or name.endswith("Id")
