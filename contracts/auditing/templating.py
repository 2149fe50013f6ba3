"""dbt's Jinja, rendered without dbt: what SQL a model is, and where each character of it stands in the file.

    Templates(dialect, project).rendered(source, model) -> [Rendered(sql, offsets)]

What a template may ask is in `stubs`, what its project says in `projects`; the project's own macros are run. A loop
that never ends is cut by who waits for the file (`workers`).

The position of each piece of text between the tags is kept to the character; what an expression or a macro writes
stands where its `{{` does. A file that asks `is_incremental()` is rendered both ways; so are the branches of `{% if %}`
that this does not take. `untaken` tells the text that no rendering has.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import jinja2
import jinja2.nodes
from jinja2.exceptions import SecurityError

from contracts.auditing.allowances import COMMENT
from contracts.auditing.projects import add_macros, is_template, settings_of, sources_of, variables_of
from contracts.auditing.stubs import (
    CLOSE,
    MARK,
    MOST_CHARACTERS,
    OPEN,
    Environment,
    Relation,
    Untemplated,
    environment,
    relation,
    unmarked,
)

MOST_BRANCHES = 8  # that are rendered besides those that the settings take
JOINTS = {"union", "all", "and", "or", "distinct"}  # between the rounds of a loop that has one


@dataclass(frozen=True)
class Rendered:
    """SQL, and for pieces of it in order: where each begins, where that is in the file, and whether it goes along."""

    sql: str
    starts: tuple[int, ...] = (0,)
    sources: tuple[int, ...] = (0,)
    exact: tuple[bool, ...] = (True,)

    forced: bool = False  # a branch was taken that the project's settings do not take

    def offset(self, place: int) -> int:
        """Where in the file a character of the SQL stands."""
        piece = max(0, bisect.bisect_right(self.starts, place) - 1)
        return self.sources[piece] + (place - self.starts[piece] if self.exact[piece] else 0)


# ---- rendering ------------------------------------------------------------------------------------------------------


class Templates:
    """Renders the files of one project, or of none."""

    def __init__(self, dialect: str, project: Path | None) -> None:
        self.dialect = dialect
        settings = settings_of(project) if project is not None else {}
        self.made = environment(dialect, variables_of(settings), sources_of(project, settings) if project else {})
        if project is not None:
            add_macros(self.made, project, settings)

    def rendered(self, source: str, model: str) -> list[Rendered]:
        """The SQL of a file, once, or twice where it depends on is_incremental(). Raises Untemplated.

        Then come the renderings that take the branches left over, as far as they can be rendered.
        """
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
        if left := untaken(self.made, source, found):
            found += self.taking(source, left)
        return found

    def taking(self, source: str, left: dict[int, str]) -> Iterator[Rendered]:
        """The renderings that take the branches of {% if %} in which that text stands."""
        text = marked(self.made, source)
        macros, _ = macros_of(self.made, source)
        sought = left.keys() - {offset for _, texts, _ in macros.values() for offset in texts}
        for path in ways(self.made.parse(text), sought)[:MOST_BRANCHES]:
            tree = self.made.parse(text)
            every = list(tree.find_all(jinja2.nodes.If))
            for number, says in path:
                every[number].test = jinja2.nodes.Const(says)
            with suppress(Untemplated):  # it stays among what nobody has read
                yield replace(with_offsets(guarded(self.made.from_string(tree).render)), forced=True)


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
    if len(text) > MOST_CHARACTERS:
        raise Untemplated(f"its Jinja writes more than {MOST_CHARACTERS:,} characters")
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


# ---- branches that no rendering takes -------------------------------------------------------------------------------


def untaken(made: Environment, source: str, taken: Iterable[Rendered]) -> dict[int, str]:
    """(offset, text) of each piece of the template that no rendering has, but for blanks, comments and joints."""
    offsets = {one for each in taken for one in each.sources}
    left = {}
    for kind, offset, text in tokens(made, source):
        if kind == "data" and offset not in offsets:
            words = re.findall(r"[^\W\d_]\w*", COMMENT.sub(" ", text).casefold())
            if not {*words} <= JOINTS:
                left[offset] = text
    return left


def ways(tree: jinja2.nodes.Template, left: Collection[int]) -> list[tuple[tuple[int, bool], ...]]:
    """For each branch of {% if %} that holds such text itself: the answers to each condition on the way to it."""
    numbers = {id(node): number for number, node in enumerate(tree.find_all(jinja2.nodes.If))}
    found: list[tuple[tuple[int, bool], ...]] = []

    def visit(node: jinja2.nodes.Node, path: tuple[tuple[int, bool], ...]) -> None:
        if isinstance(node, jinja2.nodes.TemplateData):
            if path and path not in found and any(int(mark) // 2 in left for mark in MARK.findall(node.data)):
                found.append(path)
            return
        if not isinstance(node, jinja2.nodes.If):
            for child in node.iter_child_nodes():
                visit(child, path)
            return
        for one in [node, *node.elif_]:
            for child in one.body:
                visit(child, (*path, (numbers[id(one)], True)))
            path = (*path, (numbers[id(one)], False))
        for child in node.else_:
            visit(child, path)

    visit(tree, ())
    return found


def macros_of(made: Environment, source: str) -> tuple[dict[str, tuple[int, set[int], set[int]]], set[str]]:
    """The macros that a template defines and does not call, with their lines and the offsets of their text, and of what
    stands in branches; and the names of all that is called in it."""
    tree = made.parse(marked(made, source))
    macros = {macro.name: macro for macro in tree.find_all(jinja2.nodes.Macro)}
    inside = {id(one) for macro in macros.values() for one in macro.find_all(jinja2.nodes.Call)}
    used = fresh = called_in(tree, inside)
    while fresh:
        fresh = set[str]().union(*(called_in(macros[name]) for name in fresh & macros.keys())) - used
        used = used | fresh
    unused = {}
    for name, macro in macros.items():
        if name not in used:
            branches = [offsets_of(one) for one in macro.find_all(jinja2.nodes.If)]
            unused[name] = macro.lineno, offsets_of(macro), set[int]().union(*branches)
    return unused, called_in(tree)


def offsets_of(node: jinja2.nodes.Node) -> set[int]:
    """Where the text below a node stands."""
    texts = [text.data for text in node.find_all(jinja2.nodes.TemplateData)]
    return {int(mark) // 2 for text in texts for mark in MARK.findall(text)}


def called_in(node: jinja2.nodes.Node, but: Collection[int] = ()) -> set[str]:
    """The names that are called below a node, without those calls."""
    calls = [one for one in node.find_all(jinja2.nodes.Call) if id(one) not in but]
    return {one.node.name for one in calls if isinstance(one.node, jinja2.nodes.Name)}


def comments(source: str) -> Iterator[tuple[int, str]]:
    """(offset, text) of each Jinja comment."""
    if "{#" not in source:
        return
    made = Environment()
    try:
        yield from [(offset, text) for kind, offset, text in tokens(made, source) if kind == "comment"]
    except jinja2.TemplateSyntaxError:
        return
