"""What a dbt template may ask, as stubs: `ref`, `source`, `var`, `config` and the like, in Jinja's sandbox.

    environment(dialect, variables, sources) -> Environment

What it asks of the warehouse or of another package becomes the identifier `jinja_value`. Nothing of this machine is
within reach: there is no loader, and the process's environment variables are not read.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator
from typing import Any

import jinja2
import jinja2.ext
import jinja2.nodes
import jinja2.parser
import jinja2.sandbox
from jinja2.exceptions import SecurityError
from sqlglot import exp

from contracts.auditing.origins import OPAQUE

OPEN, CLOSE = "\U000f5a01", "\U000f5a02"  # around an offset, in what is rendered; private, so in no one's SQL
MARK = re.compile(f"{OPEN}([0-9]+){CLOSE}")
MOST_CHARACTERS = 5_000_000  # of a rendered file, and of a repeated text


def union_relations(relations: Any = (), *_: Any, **__: Any) -> str:
    return " union all ".join(f"select * from {one}" for one in relations)


PACKAGED: dict[str, Callable[..., str]] = {  # what macros of dbt_utils write, as far as it matters here
    "star": lambda *_, **__: "*",
    "deduplicate": lambda relation="", *_, **__: f"select * from {relation}",
    "union_relations": union_relations,
    "date_spine": lambda *_, **__: "select 1 as date_day",
    "generate_series": lambda *_, **__: "select 1 as generated_number",
}


class Untemplated(Exception):
    """The template cannot be rendered: one sentence that says why."""


class Unknown(jinja2.Undefined):
    """What nobody here can know: a value of the warehouse, another package's macro. It becomes an identifier."""

    __slots__ = ()

    def _same(self, *arguments: Any, **more: Any) -> Any:
        return type(self)(name=OPAQUE)

    def __getattr__(self, name: str) -> Any:
        if name[:2] == "__":
            raise AttributeError(name)
        if name in PACKAGED:
            return PACKAGED[name]
        return type(self)(name=name)

    def __call__(self, *arguments: Any, **more: Any) -> Any:
        if "caller" in more:  # {% call %} writes what it gets as it is: statement() writes nothing
            return "" if self._undefined_name == "statement" else OPAQUE
        return type(self)(name=self._undefined_name)

    def __str__(self) -> str:
        return OPAQUE

    def __iter__(self) -> Iterator[Any]:
        yield type(self)(name=OPAQUE)

    def __len__(self) -> int:
        return 1

    def __bool__(self) -> bool:
        return False

    __eq__ = object.__eq__
    __ne__ = object.__ne__
    __hash__ = object.__hash__
    __getitem__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __mod__ = __rmod__ = _same
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __neg__ = __pos__ = __pow__ = __rpow__ = _same

    def _no(self, other: Any) -> Any:
        return False

    def _zero(self) -> Any:
        return 0

    __lt__ = __le__ = __gt__ = __ge__ = _no
    __int__ = _zero

    def __float__(self) -> Any:
        return 0.0


class Blocks(jinja2.ext.Extension):
    """dbt's own tags: a snapshot holds a query; a test, a materialization and docs hold none of this file."""

    tags = {"snapshot", "test", "data_test", "materialization", "docs"}  # noqa: RUF012, as jinja2 has it

    def parse(self, parser: jinja2.parser.Parser) -> list[jinja2.nodes.Node]:
        tag = next(parser.stream).value
        while parser.stream.current.type != "block_end":
            next(parser.stream)
        end = {"data_test": "test"}.get(tag, tag)
        body = parser.parse_statements((f"name:end{end}", f"name:end{tag}"), drop_needle=True)
        return body if tag == "snapshot" else []


class Environment(jinja2.sandbox.SandboxedEnvironment):
    """Jinja's sandbox as dbt uses it (lists of a template may grow), which refuses what would fill the memory."""

    intercepted_binops = frozenset({"*", "**"})

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        sizes = [len(one) for one in (left, right) if isinstance(one, str | list | tuple)]
        numbers = [one for one in (left, right) if isinstance(one, int)]
        if sizes and numbers and sizes[0] * numbers[0] > MOST_CHARACTERS:
            raise SecurityError(f"a text is repeated to more than {MOST_CHARACTERS:,} characters")
        if operator == "**" and (not isinstance(right, int | float) or abs(right) > 64 or abs(left) > 10**9):
            raise SecurityError("a power is too large")
        return super().call_binop(context, operator, left, right)


def unmarked(value: Any) -> str:
    """Text without the marks of places."""
    return MARK.sub("", str(value))


def relation(dialect: str, *parts: Any) -> str:
    """A table's name in SQL."""
    names = [unmarked(part) for part in parts if part is not None]
    return ".".join(exp.to_identifier(name or OPAQUE).sql(dialect=dialect) for name in names)


class Relation(str):
    """What ref, source and this give: text, with the parts that templates ask for."""

    __slots__ = ()

    @property
    def identifier(self) -> str:
        return self.rsplit(".", 1)[-1]

    name = table = identifier

    @property
    def schema(self) -> str:
        return self.split(".")[-2] if "." in self else OPAQUE

    database = schema

    def include(self, *_: Any, **__: Any) -> Relation:
        return self

    def render(self) -> str:
        return str(self)


def environment(
    dialect: str, variables: dict[str, Any], sources: dict[tuple[str, str], tuple[str, str]]
) -> Environment:
    """The names that dbt gives to a template, as stubs."""
    made = Environment(undefined=Unknown, extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols", Blocks])

    def var(name: str, default: Any = None) -> Any:
        found = variables.get(unmarked(name), default)
        return Unknown(name=OPAQUE) if found is None else copy.deepcopy(found)  # a template may change what it gets

    def env_var(name: str, default: Any = None) -> Any:
        return Unknown(name=OPAQUE) if default is None else default

    def ref(*parts: Any, **_: Any) -> Relation:
        return Relation(relation(dialect, *parts[-1:]))

    def source(schema: Any, table: Any, **_: Any) -> Relation:
        asked = unmarked(schema), unmarked(table)
        return Relation(relation(dialect, *sources.get(asked, asked)))

    def nothing(*_: Any, **__: Any) -> str:
        return ""

    def give_up(message: Any = "") -> Any:
        raise Untemplated(f"its template raises an error: {unmarked(message)[:200]}")

    class Config:
        __call__ = staticmethod(nothing)

        def get(self, name: str, default: Any = None, **_: Any) -> Any:
            return Unknown(name=OPAQUE) if default is None else default

        require = get

    made.globals.update(
        ref=ref,
        source=source,
        var=var,
        env_var=env_var,
        config=Config(),
        execute=False,
        target=Unknown(name="target"),
        model=Unknown(name="model"),
        log=nothing,
        print=nothing,
        exceptions={"raise_compiler_error": give_up, "warn": nothing},
        set=lambda value, default=None: list(dict.fromkeys(value)),
        zip=lambda *lists: [list(each) for each in zip(*lists, strict=False)],
        tojson=lambda value, default=None, **_: str(value),
        fromjson=lambda value, default=None: Unknown(name=OPAQUE),
        fromyaml=lambda value, default=None: Unknown(name=OPAQUE),
        run_query=lambda *_: Unknown(name=OPAQUE),
        run_started_at=Unknown(name="run_started_at"),
        invocation_id=OPAQUE,
        modules=Unknown(name="modules"),
        adapter=Unknown(name="adapter"),
        api=Unknown(name="api"),
    )
    made.globals["return"] = lambda value="": value
    made.filters |= {
        "as_text": str,
        "as_bool": bool,
        "as_native": lambda value: value,
        "as_number": lambda value: value,
    }
    return made
