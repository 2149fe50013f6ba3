"""The arrows of the house: who may import whom, nothing in a circle, and within functions only for a reason.

`contracts/` stands alone, `clause/` on contracts, the root files on both; `seed` on how a
command ends and a file is written alone.
"""

import ast
import re
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ARROWS: dict[str, set[str]] = {  # a root file or a folder: what of ours it may import, itself aside
    "make": set(),
    "seed": {"contracts"},
    "workbook": {"contracts"},
    "contracts": set(),
    "clause": {"contracts"},
    "validate": {"clause", "contracts"},
    "monitors": {"clause", "contracts"},
    "boundary": {"clause", "contracts"},
    "drill": {"boundary", "clause", "contracts", "monitors", "seed", "validate"},
    "lesson": {"contracts", "drill", "monitors", "seed", "validate"},
    "exercises": {"contracts", "seed", "validate"},
}
AGAINST = {  # the arrows that point the other way: none is there when the module is imported
    ("contracts.forms.table", "clause"): "a draft from a table: clause/ reads and counts it",
    ("monitors", "seed"): "the shop's orders, where the command line names no other data",
    ("clause.verdicts", "validate"): "the name of a type, for type checkers alone",
}
LATE = {  # the modules that import within a function, and why
    "clause.matrix_figure": "matplotlib takes a second, and only a figure needs it",
    "clause.plots": "matplotlib takes a second, and only a figure needs it",
    "workbook.figures": "matplotlib takes a second, and only a figure needs it",
    "clause.reading": "re2, which only a pattern needs",
    "contracts.domains": "re2, which only a pattern needs",
    "contracts.forms.regex": "re2, which only a pattern needs",
    "contracts.values": "re2, zones and the nearest word, which most contracts do not need",
    "clause.schemas": "parsing stands on schemas",
    "clause.frames": "pyarrow's datasets and with them pandas, which only Arrow tables need",
    "clause.sources": "files and frames stand on sources",
    "clause.verdicts": "XML and addresses, which one format needs each",
    "contracts": "pydantic, which the errors alone do not need",
    "contracts.__main__": "each command needs another part, and lint no SQL",
    "contracts.release": "SQL, which only a step that lets a field go needs",
    "contracts.ending": "what only an ending in trouble needs",
    "contracts.writing": "a module that not every system has",
    "contracts.audit": "duckdb, which only an audit with data needs",
    "contracts.forms.page": "jinja2, which only an HTML page needs",
    "contracts.forms.table": "clause/ and the engines, which only a draft from a table needs",
    "contracts.auditing.workers": "a module that not every system has",
    "exercises.worker": "a module that not every system has",
    "lesson": "the drill takes a second to import, and not every lesson runs it",
    "monitors": "ibis and the shop, which judging stored metrics does not need",
    "validate": "rows as mappings need no database; the command line is another program",
}
SOURCES = [*ROOT.glob("*.py"), *(path for part in ARROWS for path in (ROOT / part).rglob("*.py"))]
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path.read_text(encoding="utf-8")
    for path in SOURCES
    if path.parent.name != "stubs" and not re.match("ex[1-6]_", path.name)  # the student's own
}


def imported(node: ast.AST, when: str = "start") -> Iterator[tuple[str, str]]:
    """(when, name) of each import: at the "start", "late" in a function, or for "typing"; `from a import b` is a.b."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from ((when, alias.name) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            yield from ((when, f"{child.module}.{alias.name}") for alias in child.names)
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            yield from (("typing", name) for _, name in imported(child))
        else:
            is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            yield from imported(child, "late" if is_function and when == "start" else when)


IMPORTS = {name: sorted(set(imported(ast.parse(text)))) for name, text in MODULES.items()}


def part_of(name: str) -> str:
    return name.partition(".")[0]


def module_of(name: str) -> str | None:
    """The module of ours that an imported name is, or is a part of."""
    while name and name not in MODULES:
        name = name.rpartition(".")[0]
    return name or None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import clause.tables", [("start", "clause.tables")]),
        ("from clause import tables", [("start", "clause.tables")]),  # a module, by its folder
        ("try:\n    import re2\nexcept ImportError:\n    pass", [("start", "re2")]),
        ("class A:\n    import re2", [("start", "re2")]),
        ("async def f():\n    if True:\n        import re2", [("late", "re2")]),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import re2",
         [("start", "typing.TYPE_CHECKING"), ("typing", "re2")]),
    ],
)  # fmt: skip
def test_every_form_of_import_is_seen(text, found):
    assert list(imported(ast.parse(text))) == found


def test_the_whole_house_is_looked_at():
    assert {part_of(name) for name in MODULES} == set(ARROWS)
    assert {"validate", "clause.tables", "contracts.auditing.rules", "exercises.checks.expanding"} < set(MODULES)


@pytest.mark.parametrize("part", ARROWS)
def test_arrows_point_one_way(part):
    crossing = {
        (name, part_of(other))
        for name, found in IMPORTS.items()
        if part_of(name) == part
        for _, other in found
        if module_of(other) and part_of(other) not in ARROWS[part] | {part}
    }
    assert crossing == {arrow for arrow in AGAINST if part_of(arrow[0]) == part}


@pytest.mark.parametrize("part", ["seed", "workbook"])
def test_the_shop_knows_nothing_of_contracts(part):
    found = {module_of(other) for name, every in IMPORTS.items() if part_of(name) == part for _, other in every}
    assert {name for name in found if name and part_of(name) != part} <= {"contracts.ending", "contracts.writing"}


@pytest.mark.parametrize("arrow", AGAINST, ids=" to ".join)
def test_an_arrow_the_other_way_is_not_there_at_the_start(arrow):
    name, other = arrow
    assert "start" not in {when for when, found in IMPORTS[name] if part_of(found) == other}


def test_nothing_is_imported_in_a_circle():
    at_start = {name: {module_of(other) for when, other in found if when == "start"} for name, found in IMPORTS.items()}
    try:
        list(TopologicalSorter({name: found - {name, None} for name, found in at_start.items()}).static_order())
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_who_imports_within_a_function_has_a_reason():
    late = {name for name, found in IMPORTS.items() if any(when == "late" for when, _ in found)}
    assert late == set(LATE)  # one more needs a reason here; one less, its line taken out


def test_make_needs_python_alone():
    assert {part_of(name) for _, name in IMPORTS["make"]} <= sys.stdlib_module_names


def test_every_module_says_what_it_is_for():
    assert [name for name, text in MODULES.items() if not ast.get_docstring(ast.parse(text))] == []
