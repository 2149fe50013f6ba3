"""Beside tacit, whose idea boundary.py carries.

The examples of its page about contracts, in code of our own, have the same outcome with ours, but for the differences
that a table lists. The live comparison runs where tacit is installed (Python 3.12 and later).
"""

from typing import Annotated, Union

import ibis
import ibis.expr.types as ir
import pyarrow as pa
import pytest

import boundary

# ibis 12 asks pandas 3 for an option that goes away, whenever it makes a pandas frame.
pytestmark = pytest.mark.filterwarnings("ignore:The 'future.infer_string'")


class Examples:
    """What that library's page about contracts shows, one method each, written for either library."""

    def __init__(self, library):
        self.module = library
        annotated = Annotated[float, library.Check.ge(0)]
        self.Raw = type("Raw", (library.Schema,), {"__annotations__": {"size": annotated, "name": str}})
        self.Made = type("Made", (self.Raw,), {"__annotations__": {"double": float}})
        self.Whole = type("Whole", (library.Schema,), {"__annotations__": {"size": int}})

    def run(self, table=None, validate=False, returns=None, body=None, gives=None):
        """One decorated function, called with a table."""
        frame = self.module.DataFrame

        def doubled(raw, factor=2):
            return raw.mutate(double=raw.size * factor)

        function = body or doubled
        function.__annotations__ = {"raw": frame[self.Raw]}
        if returns is None:
            function.__annotations__["return"] = gives or frame[self.Made]
        options = {"validate": validate} | ({"returns": returns} if returns else {})
        held = self.module.contract(**options)(function)
        made = held(self.table() if table is None else table)
        if hasattr(made, "to_pyarrow"):
            made.to_pyarrow()
        return made

    def table(self, **changed):
        return ibis.memtable(pa.table({"size": [1.5, 2.0], "name": ["a", "b"]} | changed))

    def by_hand(self):
        raw = self.Raw.cast(self.table())
        return self.Made.cast(raw.mutate(double=raw.size * 2.0))

    def by_hand_wrong(self):
        return self.Made.cast(self.table())

    def methods_give_plain_tables(self):
        assert type(self.Raw.cast(self.table()).filter(ibis._.size > 1)) is ir.Table

    def decorated(self):
        assert isinstance(self.run(), self.module.DataFrame)

    def wrong_in(self):
        return self.run(self.table()[["name"]])

    def too_many_in(self):
        return self.run(self.table(more=[1, 2]))

    def wrong_type_in(self):
        return self.run(self.table(size=["x", "y"]))

    def wrong_out(self):
        return self.run(body=lambda raw: raw)

    def other_parameters_pass(self):
        held = self.module.contract(self.with_factor())
        return held(self.table(), factor=3.0)

    def with_factor(self):
        def f(raw, factor):
            return raw.mutate(double=raw.size * factor)

        frame = self.module.DataFrame
        f.__annotations__ = {"raw": frame[self.Raw], "factor": float, "return": frame[self.Made]}
        return f

    def structure_alone_by_default(self):
        return self.run(self.table(size=[-1.0, 1.0]))

    def validate(self):
        return self.run(validate=True)

    def validate_casts(self):
        return self.run(self.table(size=[1, 2]), validate=True)

    def validate_finds_values(self):
        return self.run(self.table(size=[-1.0, 1.0]), validate=True)

    def validate_finds_null(self):
        return self.run(self.table(name=["a", None]), validate=True)

    def validate_finds_text(self):
        return self.run(self.table(size=["x", "1"]), validate=True)

    def returns(self):
        assert isinstance(self.run(returns=self.Made), self.module.DataFrame)

    def returns_wrong(self):
        return self.run(returns=self.Made, body=lambda raw: raw)

    def inside_nobody_looks(self):
        return self.run(body=lambda raw: raw.mutate(name=ibis.literal("wrong"), double=ibis.literal(0.0)))

    def nothing_to_enforce(self):
        return self.module.contract(lambda x: x)

    # what ours does otherwise, on purpose

    def text_with_a_fraction_as_int(self):
        return self.Whole.parse(ibis.memtable(pa.table({"size": ["5.7"]}))).to_pyarrow()

    def not_null_columns(self):
        return self.Whole.cast(ibis.table({"size": "!int64"}, name="nowhere"))

    def no_table_at_all(self):
        return self.run("rows.csv")

    def optional(self):
        return self.run(gives=self.module.DataFrame[self.Made] | None, body=lambda raw: None)

    def in_a_tuple(self):
        return self.run(gives=tuple[self.module.DataFrame[self.Made], int], body=lambda raw: (raw, 1))

    def a_union_of_schemas(self):
        either = Union[self.module.DataFrame[self.Made], self.module.DataFrame[self.Whole]]  # noqa: UP007
        return self.run(gives=either, body=lambda raw: raw)


CLASSES = {  # example: what ours does, and what tacit 0.3 does where that is something else
    "by_hand": "passes",
    "by_hand_wrong": "StructuralError",
    "methods_give_plain_tables": "passes",
    "decorated": "passes",
    "wrong_in": "StructuralError",
    "too_many_in": "StructuralError",
    "wrong_type_in": "StructuralError",
    "wrong_out": "StructuralError",
    "other_parameters_pass": "passes",
    "structure_alone_by_default": "passes",
    "validate": "passes",
    "validate_casts": "passes",
    "validate_finds_values": "ConstraintError",
    "validate_finds_null": "ConstraintError",
    "validate_finds_text": "CoercionError",
    "returns": "passes",
    "returns_wrong": "StructuralError",
    "inside_nobody_looks": "passes",
    "nothing_to_enforce": "TypeError",
    "text_with_a_fraction_as_int": ("CoercionError", "passes"),  # it becomes 6 there
    "not_null_columns": ("passes", "StructuralError"),
    "no_table_at_all": ("StructuralError", "TypeError"),  # ours is a TypeError too
    "in_a_tuple": ("StructuralError", "passes"),  # not enforced there
    "a_union_of_schemas": ("TypeError", "passes"),  # ours refuses it when it decorates
    "optional": "passes",
}


def outcome(library, example):
    try:
        getattr(Examples(library), example)()
    except Exception as error:
        return type(error).__name__
    return "passes"


@pytest.mark.parametrize("example", CLASSES)
def test_the_examples_of_tacit(example):
    ours = CLASSES[example] if isinstance(CLASSES[example], str) else CLASSES[example][0]
    assert outcome(boundary, example) == ours


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("example", CLASSES)
def test_the_examples_of_tacit_in_tacit(example):
    tacit = pytest.importorskip("tacit", reason="tacit needs Python 3.12, and an environment of its own")
    theirs = CLASSES[example] if isinstance(CLASSES[example], str) else CLASSES[example][1]
    assert outcome(tacit, example) == theirs
