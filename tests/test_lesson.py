"""The main job, as a student runs it."""

import ast
import re
import subprocess
import sys
import tomllib

import pytest

import drill
import lesson
import monitors
import seed


def test_gate_prints_the_three_verdicts_of_the_story(tmp_path):
    command = [sys.executable, str(seed.ROOT / "lesson.py"), "gate"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.findall(r"^exit (\d)$", done.stdout, re.MULTILINE) == ["0", "1", "0"]
    verdicts = re.findall(r"^(KEPT|BROKEN: 1 violation) \(listings (\S+), 8,000 rows", done.stdout, re.MULTILINE)
    assert verdicts == [("KEPT", "1.4.0"), ("BROKEN: 1 violation", "1.4.0"), ("KEPT", "1.3.0")]
    assert "good (3,680 rows), fair (2,240 rows), excellent (2,080 rows)" in done.stdout


def test_everything_at_the_root_is_installed():
    project = tomllib.loads((seed.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    modules = {path.stem for path in seed.ROOT.glob("*.py")} - {"make", "lesson"}  # which only a clone has a use for
    inits = [*seed.ROOT.glob("*/__init__.py"), *seed.ROOT.glob("contracts/*/__init__.py")]
    packages = {".".join(path.parent.relative_to(seed.ROOT).parts) for path in inits}
    packages -= {"exercises", "workbook"}  # the student's, not the tool's
    packages |= {path.parent.name for path in seed.ROOT.glob("typed/*/__init__.pyi")}
    assert (set(project["py-modules"]), set(project["packages"])) == (modules, packages)


def test_installed_without_the_clone_the_shop_writes_nothing_and_says_why(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(seed, "ROOT", tmp_path)
    monkeypatch.setattr(seed, "SHOP", tmp_path / "data" / "shop.duckdb")
    assert seed.main() == 2
    assert "run it in a clone" in capsys.readouterr().err and not list(tmp_path.iterdir())


def test_the_tool_alone_needs_nothing_of_the_lesson():
    project = tomllib.loads((seed.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {"plots", "lesson", "dev"}
    of_extras = {re.match(r"[\w-]+", line)[0] for name in extras for line in project["optional-dependencies"][name]}
    of_tool = {re.match(r"[\w-]+", line)[0].replace("-", "_").lower() for line in project["dependencies"]}
    assert {"jupyterlab", "matplotlib"} <= of_extras and not of_extras & of_tool
    known = of_tool | {"ibis", "re2", "yaml", "pydantic_core"}  # by another name than that of the package
    tool = [seed.ROOT / f"{name}.py" for name in ("boundary", "drill", "monitors", "seed", "validate")]
    for path in [*tool, *(seed.ROOT / "clause").glob("*.py"), *(seed.ROOT / "contracts").rglob("*.py")]:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
        names |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        outside = {name.partition(".")[0] for name in names} - sys.stdlib_module_names
        lazily = {"matplotlib", "IPython"} if path.stem in ("plots", "matrix_figure") else set()
        ours = {"boundary", "clause", "contracts", "drill", "monitors", "seed", "validate", "fcntl", "resource"}
        assert not outside - known - ours - lazily, path


@pytest.mark.parametrize("command", [drill.main, monitors.main])
def test_a_figure_without_matplotlib_is_refused_with_a_cure(monkeypatch, tmp_path, capsys, command):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert command(["--plot", str(tmp_path / "x.png")]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "python -m pip install matplotlib" in err


def test_a_contracts_folder_of_ones_own_does_not_hide_ours(tmp_path):
    (tmp_path / "contracts").mkdir()
    code = "import boundary, monitors, validate; print(validate.contracts.load)"
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)


@pytest.mark.parametrize("script", ["seed.py", "lesson.py"])
def test_a_reader_who_has_seen_enough_causes_no_complaint(script):
    run = subprocess.Popen([sys.executable, str(seed.ROOT / script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    run.stdout.close()
    assert run.stderr.read() == b""
    run.wait()
    run.stderr.close()


@pytest.mark.parametrize(("arguments", "status"), [(["foo"], 2), (["gate", "drill"], 2), (["--help"], 0), (["-h"], 0)])
def test_how_to_call_it_is_said_in_one_sentence(capsys, arguments, status):
    assert lesson.main(arguments) == status
    said = capsys.readouterr()
    text = said.err if status else said.out
    assert "usage: python lesson.py" in text and (said.out + said.err).count("\n") == 1


def test_where_it_may_not_write_it_says_so_in_one_line(monkeypatch, capsys):
    def fail(*_):
        raise OSError(30, "Read-only file system", "data")

    monkeypatch.setattr(lesson, "gate", fail)
    assert lesson.main(["gate"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
