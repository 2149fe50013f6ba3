"""The notebooks: every stored output is what the code gives today, and nothing is stored that would differ elsewhere.

A notebook that was changed here, by somebody who works in it, is not judged: what counts is what is committed.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
import pytest
import yaml

import seed
from workbook import execute, quiz

NOTEBOOKS = sorted((seed.ROOT / "notebooks").glob("[0-9]*.ipynb"))
NAMES = ["01_incident", "02_contract", "03_monitors", "04_expand_and_contract", "05_function_boundary"]

# Where this runs, and where it writes.
PLACES = "|".join(re.escape(str(path)) for path in (seed.ROOT, Path.home(), Path(tempfile.gettempdir())) if path.name)
STRAY = {  # what no stored output may have, and how it looks
    "a path of one machine": rf"/home/|/Users/|[A-Z]:\\\\|site-packages|{PLACES}",
    "a memory address": r"\b0x[0-9a-f]{6,}",
    "a warning": r"Warning:|DeprecationWarning|\bwarn\(",
    "a DuckDB relation: use .df()": r"[┌│└]",
    "a set, whose order is chance: sort it": r"(?<!\w)\{('[^':{}]*'|\d+)(, ('[^':{}]*'|\d+))*\}",
}


def texts(output: Any) -> str:
    """All that an output says in words."""
    data = {kind: "".join(text) for kind, text in output.get("data", {}).items() if kind != "image/png"}
    data["text/html"] = re.sub(r"data:image/png;base64,[^\"]*", "", data.get("text/html", ""))
    return "\n".join(["".join(output.get("text", "")), *output.get("traceback", ()), *data.values()])


def faults(notebook: Any) -> list[str]:
    """What is wrong with a notebook as it is stored; [] where nothing is."""
    found = []
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    if [cell.execution_count for cell in code] != list(range(1, len(code) + 1)):
        found.append("the code cells were not all run once, from top to bottom")
    if not any(cell.outputs for cell in code):
        found.append("no cell has an output, so a strict run would compare nothing")
    if notebook.metadata != execute.METADATA:
        found.append("its metadata is not that of `make notebooks`")
    if any(cell.metadata != execute.metadata(cell) for cell in notebook.cells):
        found.append("a cell has metadata, such as times, or shows the answer to a prediction")
    if len({cell.id for cell in notebook.cells}) < len(notebook.cells):
        found.append("two cells have one id")
    for cell in code:
        where = f"cell {cell.execution_count}"
        if any("NBVAL_" in line and not re.fullmatch(r"# NBVAL_[A-Z_]+", line) for line in cell.source.splitlines()):
            found.append(f"{where}: a marker of nbval that does not stand alone on its line is ignored")
        if re.search(r"\binput\(", cell.source):
            found.append(f"{where}: input() waits for ever in a strict run")
        if len(cell.source.splitlines()) > 20 or max(map(len, cell.source.splitlines())) > 88:
            found.append(f"{where}: longer than 20 lines or wider than 88 characters")
        for output in cell.outputs:
            if output.output_type == "error" or output.get("name") == "stderr":
                found.append(f"{where}: an error or a warning is stored")
            found += [f"{where}: {what}" for what, looks in STRAY.items() if re.search(looks, texts(output))]
            data = output.get("data", {})
            if "image/png" in data and not re.match(r'<img alt="[^"]{40,}"', "".join(data.get("text/html", ""))):
                found.append(f"{where}: a figure without alt text: show it with clause.plots.show")
    return found


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def path(request: pytest.FixtureRequest) -> Path:
    changed = subprocess.run(
        ["git", "diff", "--quiet", "HEAD", "--", request.param], cwd=seed.ROOT, capture_output=True
    )
    if changed.returncode == 1:
        pytest.skip(f"{request.param.name} was changed here; what is committed counts: git diff --stat")
    return Path(request.param)


def test_all_five_are_there() -> None:
    assert [path.stem for path in NOTEBOOKS] == NAMES


def test_what_is_stored_is_fit_to_be_stored(path: Path) -> None:
    assert faults(nbformat.read(path, as_version=4)) == []


def test_every_output_is_what_the_code_gives(path: Path, tmp_path: Path) -> None:
    """nbval in strict mode: each cell is run and each stored output compared, pictures by their alt text."""
    sanitize = tmp_path / "sanitize.cfg"
    sanitize.write_text('[pictures]\nregex: data:image/png;base64,[^"]*\nreplace: PICTURE\n', encoding="utf-8")
    options = ["--nbval", "--nbval-current-env", f"--nbval-sanitize-with={sanitize}", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", "-p", "no:xdist", *options, "--rootdir", str(path.parent), str(path)]
    ran = subprocess.run(command, cwd=path.parent, capture_output=True, text=True, encoding="utf-8")
    assert ran.returncode == 0, ran.stdout[-4000:]
    code = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    assert f"{len(code)} passed" in ran.stdout  # so that none was passed over


def test_how_each_one_is_built(path: Path) -> None:
    """Questions and objectives, closed-book questions, a prediction before the run, one figure or more, key points."""
    notebook = nbformat.read(path, as_version=4)
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    for heading in ("**Questions.**", "**Objectives.**", "## Before you start", "## Key points", "**Now you.**"):
        assert prose.count(heading) == 1, heading
    number = path.stem[:2]
    asked = re.findall(r'ask\("(\d\d\.\d)"\)', "\n".join(code))
    assert asked == [name for name in quiz.QUESTIONS if name.startswith(number)] and 2 <= len(asked) <= 3
    predictions = [i for i, source in enumerate(code) if source.startswith("prediction = None  # ")]
    assert len(predictions) >= 2
    assert all("compare(prediction" in code[i + 1] for i in predictions)
    assert sum("show(" in source for source in code) >= 1
    # 15 to 20 minutes: 200 words a minute, 6 seconds a line of code, a minute a question, half a one a prediction;
    # the outputs come on top.
    lines = sum(len(source.splitlines()) for source in code)
    minutes = len(prose.split()) / 200 + lines / 10 + len(asked) + len(predictions) / 2
    assert 12 <= minutes <= 20, f"{minutes:.0f} minutes"


def test_no_figure_of_the_prose_is_typed_in(path: Path) -> None:
    """Every number with a thousands separator or decimals stands in some output, or in the code that made it."""
    cited = {"2.50"}  # of the taxis, with its source beside it
    notebook = nbformat.read(path, as_version=4)
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    shown = [cell.source for cell in code] + [texts(output) for cell in code for output in cell.outputs]
    known = {float(each.replace(",", "")) for each in re.findall(r"\d[\d,]*(?:\.\d+)?", "\n".join(shown))}
    said = set(re.findall(r"(?<![\w.:#-])(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+)(?![\w:]|\.\d)", prose)) - cited
    assert said or path.stem[:2] in ("02", "05")  # these two publish none
    assert [each for each in sorted(said) if float(each.replace(",", "")) not in known] == []


# ---- the lint itself: each fault is seen -----------------------------------------------------------------------------


def with_output(text: str) -> Any:
    def change(notebook: Any) -> None:
        cell = next(cell for cell in notebook.cells if cell.cell_type == "code" and cell.outputs)
        cell.outputs = [nbformat.v4.new_output("stream", text=text)]

    return change


def first_code(notebook: Any) -> Any:
    return next(cell for cell in notebook.cells if cell.cell_type == "code")


def figure(notebook: Any) -> Any:
    outputs = (output for cell in notebook.cells for output in cell.get("outputs", ()))
    return next(output for output in outputs if "image/png" in output.get("data", {}))


FAULTS = {
    "stripped": (lambda n: [cell.update(outputs=[]) for cell in n.cells if cell.cell_type == "code"], "no cell has"),
    "not run": (lambda n: first_code(n).update(execution_count=None), "not all run"),
    "run out of order": (lambda n: first_code(n).update(execution_count=9), "not all run"),
    "a marker in a sentence": (lambda n: first_code(n).update(source="1  # NBVAL_SKIP"), "marker of nbval"),
    "asks the user": (lambda n: first_code(n).update(source="input('?')"), "input()"),
    "too wide": (lambda n: first_code(n).update(source="x" * 89), "wider than 88"),
    "another kernel": (lambda n: n.metadata.kernelspec.update(name="conda"), "metadata"),
    "its version of Python": (lambda n: n.metadata.language_info.update(version="3.11.1"), "metadata"),
    "times": (lambda n: first_code(n).metadata.update(execution={"iopub": "12:00"}), "metadata, such as times"),
    "the answer to a prediction": (lambda n: [cell.metadata.pop("jupyter", 0) for cell in n.cells], "shows the answer"),
    "a path": (with_output("/home/user/lesson/data"), "path of one machine"),
    "an address": (with_output("<object at 0x7f3a5c1d2e80>"), "memory address"),
    "a warning": (with_output("x.py:1: DeprecationWarning: old"), "a warning"),
    "a relation": (with_output("┌───┐\n│ 1 │"), "DuckDB relation"),
    "a set of strings": (with_output("{'A', 'B'}"), "a set"),
    "a set of one": (with_output("found {3}"), "a set"),
    "no alt text": (lambda n: figure(n).data.update({"text/html": '<img src="x">'}), "without alt text"),
    "no html at all": (lambda n: figure(n).data.pop("text/html"), "without alt text"),
}


@pytest.mark.parametrize("change, says", FAULTS.values(), ids=FAULTS)
def test_the_lint_sees(change: Any, says: str) -> None:
    text = subprocess.run(
        ["git", "show", f"HEAD:notebooks/{NAMES[0]}.ipynb"], cwd=seed.ROOT, capture_output=True, encoding="utf-8"
    ).stdout
    notebook = nbformat.reads(text or NOTEBOOKS[0].read_text(encoding="utf-8"), as_version=4)
    assert faults(notebook) == []
    change(notebook)
    assert [fault for fault in faults(notebook) if says in fault]


def test_a_dictionary_is_no_set() -> None:
    notebook = nbformat.read(NOTEBOOKS[0], as_version=4)
    with_output("{'A': 1} {} {'male': 168, 'x': 3} {a}")(notebook)
    assert not [fault for fault in faults(notebook) if "a set" in fault]


# ---- questions and predictions ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", quiz.QUESTIONS)
def test_each_question_has_one_right_answer_and_names_each_misconception(name: str) -> None:
    question = quiz.QUESTIONS[name]
    assert len([choice for choice in question["choices"] if "right" in choice]) == 1
    assert len(question["choices"]) >= 3 and question["ask"].endswith("?")
    for choice in question["choices"]:
        assert {"says", "right"} == set(choice) or {"says", "misconception"} == set(choice)
        assert all(isinstance(text, str) and text for text in choice.values())


def test_the_named_misconceptions_are_asked_about() -> None:
    said = yaml.safe_dump(quiz.QUESTIONS, width=10_000).lower()
    for misconception in (
        "else raises",
        "a type check catches a re-coding",
        "green jobs mean right data",
        "a 16% dip is proof",
        "expand means rename",
    ):
        assert misconception in said


def test_ask_says_what_an_answer_is_worth(capsys: pytest.CaptureFixture[str]) -> None:
    def said(*answer: Any) -> str:
        quiz.ask("01.1", *answer)
        return " ".join(capsys.readouterr().out.split())

    assert "What does the query do?" in said() and 'ask("01.1", "?")' in said()
    assert said("c").startswith("Right. ELSE takes every value")
    assert said(" C ") == said("c")
    assert said("a").startswith('Not so. The misconception is "ELSE raises".')
    quiz.ask("1.1")
    assert "There is no question '1.1'; there are 01.1, 01.2" in capsys.readouterr().out
    for odd in ("z", "", 3, "ab"):
        assert "is none of the choices; answer with one of a, b, c" in said(odd)


def test_compare_says_whether_a_prediction_holds(capsys: pytest.CaptureFixture[str]) -> None:
    for prediction, found in (
        (6, 6),
        ("6", 6),
        (0.80, "0.8"),
        (" Kept", "kept"),
        ("6, 0", "6 and 0"),
        ("30,000", 30000),
    ):
        quiz.compare(prediction, found)
        assert "as you predicted" in capsys.readouterr().out
    quiz.compare(3, 6)
    assert "you predicted 3" in capsys.readouterr().out
    quiz.compare(None, 6)
    assert "No prediction was made" in capsys.readouterr().out


# ---- make notebooks --------------------------------------------------------------------------------------------------


def test_a_second_run_stores_the_same_bytes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = "from clause.plots import show\nimport matplotlib.pyplot as plt\nfigure = plt.figure()\n"
    cells = [
        nbformat.v4.new_markdown_cell("# A"),
        nbformat.v4.new_code_cell("print(1)\nprint(2)"),
        nbformat.v4.new_code_cell(source + "figure.set_label('nothing at all, and that in words')\nshow(figure)"),
    ]
    file = tmp_path / "07_a.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), file)
    assert execute.main([str(file)]) == 0
    first = file.read_bytes()
    assert execute.main([str(file)]) == 0
    assert file.read_bytes() == first
    notebook = nbformat.read(file, as_version=4)
    assert [cell.id for cell in notebook.cells] == ["07-01", "07-02", "07-03"]
    assert notebook.cells[1].outputs[0].text == "1\n2\n" and not figure(notebook).get("execution_count")

    notebook.cells[1].source = "1 / 0"
    nbformat.write(notebook, file)
    broken = file.read_bytes()
    assert execute.main([str(file)]) == 1
    assert file.read_bytes() == broken and [left.name for left in tmp_path.iterdir()] == ["07_a.ipynb"]
    assert "ZeroDivisionError" in capsys.readouterr().err
