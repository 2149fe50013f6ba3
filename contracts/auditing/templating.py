"""dbt's Jinja, rendered without dbt: what SQL a model is, and where each character of it stands in the file.

    Templates(dialect, project).rendered(source, model) -> [Rendered(sql, offsets)]

`ref`, `source`, `var`, `config` and the like are stubs; what a template asks of the warehouse or of another package
becomes the identifier `jinja_value`. The project's own macros are run. Nothing of this machine is within reach: the
environment is Jinja's sandbox, without a loader, without the process's environment variables. A loop that never ends
is cut by who waits for the file (`workers`).

The position of each piece of text between the tags is kept to the character; what an expression or a macro writes
stands where its `{{` does. A file that asks `is_incremental()` is rendered both ways.
"""

from __future__ import annotations

import bisect
import copy
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
import jinja2.ext
import jinja2.nodes
import jinja2.parser
import jinja2.sandbox
import yaml
from jinja2.exceptions import SecurityError
from sqlglot import exp

from contracts.auditing.origins import OPAQUE

OPEN, CLOSE = "\U000f5a01", "\U000f5a02"  # around an offset, in what is rendered; private, so in no one's SQL
MARK = re.compile(f"{OPEN}([0-9]+){CLOSE}")
MOST = 5_000_000  # characters of a rendered file, and of a repeated text
MOST_MACROS = 1_000_000  # bytes of a file of macros
TAGS = re.compile(r"\{\{|\{%|\{#")


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


@dataclass(frozen=True)
class Rendered:
    """SQL, and for pieces of it in order: where each begins, where that is in the file, and whether it goes along."""

    sql: str
    starts: tuple[int, ...] = (0,)
    sources: tuple[int, ...] = (0,)
    exact: tuple[bool, ...] = (True,)

    def offset(self, place: int) -> int:
        """Where in the file a character of the SQL stands."""
        piece = max(0, bisect.bisect_right(self.starts, place) - 1)
        return self.sources[piece] + (place - self.starts[piece] if self.exact[piece] else 0)


# ---- what a template may ask ----------------------------------------------------------------------------------------


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
        if sizes and numbers and sizes[0] * numbers[0] > MOST:
            raise SecurityError(f"a text is repeated to more than {MOST:,} characters")
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


def environment(dialect: str, variables: dict[str, Any]) -> Environment:
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
        return Relation(relation(dialect, schema, table))

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


# ---- rendering ------------------------------------------------------------------------------------------------------


def is_template(source: str) -> bool:
    """Whether there are Jinja's tags in a file."""
    return TAGS.search(source) is not None


class Templates:
    """Renders the files of one project, or of none."""

    def __init__(self, dialect: str, project: Path | None) -> None:
        self.dialect = dialect
        settings = settings_of(project) if project is not None else {}
        self.made = environment(dialect, variables_of(settings))
        if project is not None:
            add_macros(self.made, project, settings)

    def rendered(self, source: str, model: str) -> list[Rendered]:
        """The SQL of a file, once, or twice where it depends on is_incremental(). Raises Untemplated."""
        if not is_template(source):
            return [Rendered(source)]
        if OPEN in source or CLOSE in source:
            raise Untemplated("it holds a character for private use (U+F5A01), which the audit needs itself")
        found: list[Rendered] = []
        for incremental in (True, False) if "is_incremental" in source else (False,):
            names = {
                "this": Relation(relation(self.dialect, model)),
                "is_incremental": (lambda: True) if incremental else (lambda: False),
                "should_full_refresh": (lambda: False) if incremental else (lambda: True),
            }
            self.made.globals.update(names)
            each = with_offsets(guarded(lambda: self.made.from_string(marked(self.made, source)).render()))
            if each not in found:
                found.append(each)
        return found


def guarded(render: Callable[[], str]) -> str:
    """What a template gives, or Untemplated."""
    try:
        return render()
    except Untemplated:
        raise
    except jinja2.TemplateSyntaxError as error:
        raise Untemplated(f"line {error.lineno}: its Jinja does not parse ({error.message})") from None
    except SecurityError as error:
        raise Untemplated(f"its Jinja does what the sandbox forbids ({error})") from None
    except RecursionError:
        raise Untemplated("its Jinja is nested too deeply, or a macro calls itself") from None
    except MemoryError:
        raise Untemplated("its Jinja needs too much memory") from None
    except Exception as error:  # a template may raise anything
        says = (str(error).splitlines() or [""])[0][:200]
        raise Untemplated(f"its Jinja fails ({type(error).__name__}: {unmarked(says)})") from None


def marked(made: Environment, source: str) -> str:
    """The template with the offset of each piece before it, for `with_offsets` to find in what is rendered."""
    pieces, end = [], 0
    for kind, offset, _ in tokens(made, source):
        if kind in ("data", "variable_begin"):
            pieces += [source[end:offset], f"{OPEN}{offset * 2 + (kind == 'data')}{CLOSE}"]
            end = offset
    return "".join(pieces) + source[end:]


def tokens(made: Environment, source: str) -> Iterator[tuple[str, int, str]]:
    """(kind, offset, text) of all that Jinja sees; its own lexer gives no offsets, and drops blanks before {%-."""
    offset = 0
    for _, kind, text in made.lexer.tokeniter(source, None):
        while not source.startswith(text, offset) and offset < len(source):
            offset += 1
        yield kind, offset, text
        offset += len(text)


def with_offsets(text: str) -> Rendered:
    """The SQL without its marks, and what they said."""
    if len(text) > MOST:
        raise Untemplated(f"its Jinja writes more than {MOST:,} characters")
    sql: list[str] = []
    starts, sources, exact, length, end = [0], [0], [False], 0, 0
    for mark in MARK.finditer(text):
        sql.append(text[end : mark.start()])
        length += mark.start() - end
        end = mark.end()
        starts.append(length)
        sources.append(int(mark[1]) // 2)
        exact.append(bool(int(mark[1]) % 2))
    return Rendered("".join([*sql, text[end:]]), tuple(starts), tuple(sources), tuple(exact))


def comments(source: str) -> Iterator[tuple[int, str]]:
    """(offset, text) of each Jinja comment."""
    if "{#" not in source:
        return
    made = Environment()
    try:
        yield from [(offset, text) for kind, offset, text in tokens(made, source) if kind == "comment"]
    except jinja2.TemplateSyntaxError:
        return


# ---- a dbt project --------------------------------------------------------------------------------------------------


def settings_of(project: Path) -> dict[str, Any]:
    """What dbt_project.yml says, or nothing."""
    try:
        said = yaml.safe_load((project / "dbt_project.yml").read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def variables_of(settings: dict[str, Any]) -> dict[str, Any]:
    """Its variables: those for all, and those for the project itself."""
    said = settings.get("vars")
    said = said if isinstance(said, dict) else {}
    own = said.get(settings.get("name"))
    return {str(name): value for name, value in said.items()} | (own if isinstance(own, dict) else {})


def add_macros(made: Environment, project: Path, settings: dict[str, Any]) -> None:
    """Let templates call the project's own macros; one that fails is unknown, as those of other packages are."""
    folders = settings.get("macro-paths")
    for folder in folders if isinstance(folders, list) else ["macros"]:
        if not (project / str(folder)).resolve().is_relative_to(project.resolve()):
            continue
        for place, _, names in os.walk(project / str(folder)):
            for path in (Path(place, name) for name in sorted(names) if name.lower().endswith(".sql")):
                try:
                    if not path.is_file() or path.stat().st_size > MOST_MACROS:
                        continue
                    module = made.from_string(path.read_text(encoding="utf-8-sig")).module
                except Exception:
                    continue
                for name, macro in vars(module).items():
                    if not name.startswith("_") and name not in made.globals:
                        made.globals[name] = macro
