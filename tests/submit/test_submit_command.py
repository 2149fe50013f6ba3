"""At the command line: who is asked, wrong usage, and the lesson's own exercises as a draft."""

import os
import shutil
import subprocess
import sys

import pytest
from students_desk import BRANCH, OWN, git

import seed
from exercises import submit
from exercises.manifest import STUBS


@pytest.mark.parametrize(("answer", "status"), [("y\n", 0), ("\n", 1), ("", 1)])
def test_at_a_terminal_it_asks(desk, hand_in, monkeypatch, answer, status):
    said = iter(answer.splitlines())

    def answered(prompt):
        return next(said, None) if answer else end_of_file()

    monkeypatch.setattr(submit, "somebody_there", lambda: True)
    monkeypatch.setattr("builtins.input", answered)
    assert hand_in()[0] == status
    assert bool(desk.at_origin()) == (status == 0) == bool(desk("branch", "--list", BRANCH))


def end_of_file():
    raise EOFError


def test_yes_asks_nothing(desk, hand_in, monkeypatch):
    monkeypatch.setattr(submit, "somebody_there", lambda: True)
    monkeypatch.setattr("builtins.input", lambda prompt: pytest.fail("it asks"))
    assert hand_in("--yes")[0] == 0


def test_a_notebook_cell_is_a_terminal_with_nobody_at_it(monkeypatch):
    monkeypatch.setattr(sys, "stdin", type("Terminal", (), {"isatty": lambda self: True})())
    for name in ("JPY_PARENT_PID", "GIT_PAGER", "PAGER"):
        monkeypatch.delenv(name, raising=False)
    assert submit.somebody_there()
    monkeypatch.setenv("JPY_PARENT_PID", "1")
    assert not submit.somebody_there()
    monkeypatch.delenv("JPY_PARENT_PID")
    monkeypatch.setenv("GIT_PAGER", "cat")
    monkeypatch.setenv("PAGER", "cat")
    assert not submit.somebody_there()


def test_wrong_usage_is_2(capsys):
    with pytest.raises(SystemExit, match="2"):
        submit.main(["--dratf"])
    assert "unrecognized arguments: --dratf" in capsys.readouterr().err


def test_from_the_command_line(desk):
    """The lesson's own exercises in a repository of the student's; nothing is solved, so it is a draft."""
    left_out = shutil.ignore_patterns("ex[1-6]_*", "__pycache__")
    shutil.copytree(seed.ROOT / "exercises", desk.root / "exercises", dirs_exist_ok=True, ignore=left_out)
    desk.commit("The exercises", "exercises/checks", "exercises/worker.py")
    shutil.copytree(STUBS, desk.root / "exercises/stubs", dirs_exist_ok=True)
    for name in OWN[:-1]:
        shutil.copy(STUBS.parent / name.replace("exercises", "stubs"), desk.root / name)
    status, _, err = command_line(desk)
    assert status == 1 and err.startswith("submit: exercise 1, Reproduce the figures, is not done yet")
    status, out, err = command_line(desk, "--draft")
    assert (status, err) == (0, "") and "Pushed as a draft" in out
    assert "(0 of 6 exercises done)" in git(desk.remote, "log", "-1", "--format=%s", BRANCH)
    assert desk.files_at_origin(desk("rev-parse", "main")) == sorted(OWN)


def command_line(desk, *arguments):
    done = subprocess.run(
        [sys.executable, "-m", "exercises", "submit", *arguments],
        cwd=desk.root,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(desk.root), str(seed.ROOT)])},
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
