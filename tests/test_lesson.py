"""The main job, as a student runs it."""

import re
import subprocess
import sys
import tomllib

import pytest

import lesson
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
    modules = {path.stem for path in seed.ROOT.glob("*.py")} - {"make"}
    inits = [*seed.ROOT.glob("*/__init__.py"), *seed.ROOT.glob("contracts/*/__init__.py")]
    packages = {".".join(path.parent.relative_to(seed.ROOT).parts) for path in inits}
    packages -= {"exercises", "workbook"}  # the student's, not the tool's
    assert (set(project["py-modules"]), set(project["packages"])) == (modules, packages)


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
