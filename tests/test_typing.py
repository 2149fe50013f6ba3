"""What mypy and pyright say of right and wrong code, line by line: each checker, on each line that says `# error`.

ibis ships no types that mypy can read, so mypy gets a stub that says that a table is a class (tests/typing/stubs);
pyright reads ibis itself. What no checker sees is tested too: a column's name in an expression.
"""

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import boundary

HERE = Path(__file__).parent / "typing"
FILES = ["right.py", "wrong.py", "unseen.py"]


def expected(name):
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return {number for number, line in enumerate(lines, 1) if "# error" in line}


@pytest.fixture(scope="module")
def mypy():
    """The lines that mypy complains about, by file; what it knows of ibis and others it keeps from run to run."""
    pytest.importorskip("mypy")
    cache = HERE.parents[1] / ".mypy_cache" / "typing"
    command = [sys.executable, "-m", "mypy", "--config-file", str(HERE / "mypy.ini"), "--cache-dir", str(cache)]
    done = subprocess.run([*command, *FILES], cwd=HERE, capture_output=True, text=True, timeout=300)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found = re.findall(r"^([^:\n]+):(\d+): error", done.stdout, re.MULTILINE)
    return lines_by_file(found), done.stdout


@pytest.fixture(scope="module")
def pyright():
    """The lines that pyright complains about, by file."""
    pytest.importorskip("pyright")
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable]
    command += [str(HERE / name) for name in FILES]
    environment = os.environ | {"PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=300, env=environment, cwd=HERE.parents[1]
        )
        answer = json.loads(done.stdout)
    except (json.JSONDecodeError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"pyright cannot run here (it fetches a part of itself when it first runs): {error}")
    found = [
        (Path(each["file"]).name, each["range"]["start"]["line"] + 1)
        for each in answer["generalDiagnostics"]
        if each["severity"] == "error"
    ]
    return lines_by_file(found), done.stdout


def lines_by_file(found):
    lines = {}
    for file, line in found:
        lines.setdefault(Path(file).name, set()).add(int(line))
    return lines


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(
    "checker", [pytest.param(each, marks=pytest.mark.xdist_group(each)) for each in ("mypy", "pyright")]
)
def test_checkers_see_what_is_wrong_and_nothing_else(checker, name, request):
    lines, output = request.getfixturevalue(checker)
    assert lines.get(name, set()) == expected(name), output


def test_the_files_hold_what_they_promise():
    assert not expected("right.py") and not expected("unseen.py")
    assert len(expected("wrong.py")) >= 20


def test_where_boundary_is_installed_checkers_see_the_same_as_in_a_clone():
    """No single module can say that it is typed, so the wheel has a stub of boundary.py beside it."""
    root = HERE.parents[1]
    module, stub = (
        ast.parse((root / name).read_text(encoding="utf-8"))
        for name in ("boundary.py", "typed/boundary-stubs/__init__.pyi")
    )

    def told(tree):
        """The public names, and the signatures that are written for checkers."""
        names = {each.asname for node in tree.body if isinstance(node, ast.ImportFrom) for each in node.names}
        names |= {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        overloads = [ast.unparse(node) for node in ast.walk(tree) if is_overload(node)]
        return names, sorted(overloads)

    def is_overload(node):
        return isinstance(node, ast.FunctionDef) and [ast.unparse(each) for each in node.decorator_list] == ["overload"]

    assert set(boundary.__all__) <= told(stub)[0]
    assert told(stub)[1] == told(module)[1] != []
