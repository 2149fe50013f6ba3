"""Small changes of a right answer, each of which should make it wrong: a comparison, a number, a missing statement."""

import ast
import copy

COMPARISONS = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
OPERATORS = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div,),
    ast.Div: (ast.Mult, ast.FloorDiv),
    ast.FloorDiv: (ast.Mult,),
}
CALLS = {"min": "max", "max": "min", "sum": "max", "len": "bool"}


def changes(node):
    """What can be changed in one node: (what, a function that does it to a copy of the node)."""
    if isinstance(node, ast.Compare):
        for place, operator in enumerate(node.ops):
            for other in COMPARISONS[type(operator)]:
                yield other.__name__, lambda n, place=place, other=other: n.ops.__setitem__(place, other())
    if isinstance(node, ast.BinOp):
        for other in OPERATORS.get(type(node.op), ()):
            yield other.__name__, lambda n, other=other: setattr(n, "op", other())
    if isinstance(node, ast.BoolOp):
        swapped = ast.Or if isinstance(node.op, ast.And) else ast.And
        yield swapped.__name__, lambda n: setattr(n, "op", swapped())
        for place in range(len(node.values)):
            yield f"without part {place}", lambda n, place=place: n.values.pop(place)
    if isinstance(node, ast.Constant) and type(node.value) in (int, str):
        for value in (node.value + 1, node.value - 1) if type(node.value) is int else (node.value + "x",):
            yield repr(value), lambda n, value=value: setattr(n, "value", value)
    if isinstance(node, ast.If):
        for value in (True, False):
            yield f"if {value}", lambda n, value=value: setattr(n, "test", ast.Constant(value))
    if isinstance(node, ast.comprehension) and node.ifs:
        yield "without its if", lambda n: n.ifs.clear()
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLS:
        yield CALLS[node.func.id], lambda n: setattr(n.func, "id", CALLS[n.func.id])
    if isinstance(node, ast.FunctionDef | ast.For | ast.If | ast.Try):
        for part in ("body", "orelse"):
            for place, statement in enumerate(getattr(node, part, [])):
                what = f"without {ast.unparse(statement)}"
                yield what, lambda n, part=part, place=place: getattr(n, part).__setitem__(place, ast.Pass())


def mutants(source):
    """(line, what was changed, the source with that one change) for every change."""
    tree = ast.parse(source)
    for number, node in enumerate(ast.walk(tree)):
        for what, change in changes(node):
            other = copy.deepcopy(tree)
            change(list(ast.walk(other))[number])
            yield getattr(node, "lineno", 0), what, ast.unparse(ast.fix_missing_locations(other))
