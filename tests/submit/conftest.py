"""Fixtures of the tests of handing in: a desk for each test, and a hand-in from it, taken or refused."""

import os
import shutil

import pytest
from students_desk import ALL_DONE, Desk, alone, state

from exercises import submit


@pytest.fixture(autouse=True)
def environment(tmp_path, monkeypatch):
    """git as on a fresh machine, in every test; where there is no git, they are skipped."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    for name, value in alone(tmp_path).items():
        monkeypatch.setenv(name, value)


@pytest.fixture(scope="session")
def first_desk(tmp_path_factory):
    """Set up once, copied for each test."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("first")
        for name, value in alone(folder).items():
            patch.setenv(name, value)
        made = Desk(folder)
        made.set_up()
    return made


@pytest.fixture
def desk(first_desk, tmp_path):
    made = Desk(tmp_path)
    shutil.copytree(first_desk.remote, made.remote)
    shutil.copytree(first_desk.root, made.root)
    made("remote", "set-url", "origin", str(made.remote))
    return made


@pytest.fixture
def hand_in(desk, capsys):
    """Hand in from the desk: exit status, standard output, standard error."""

    def run(*arguments, found=ALL_DONE, suite=lambda root: 0):
        status = submit.main(arguments, root=desk.root, judge=lambda: found, suite=suite)
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        return status, said.out, said.err

    return run


@pytest.fixture
def refused(desk, hand_in):
    """Hand in, which is refused in one sentence, with nothing changed here or at origin. Gives what is said.

    commands: how many follow the sentence, each on its line.
    """

    def run(*arguments, status=2, commands=0, **given):
        before = state(desk)
        found, _, err = hand_in(*arguments, **given)
        assert found == status
        assert err.startswith("submit: ") and err.count("\n") == 1 + commands
        assert state(desk) == before
        return err

    return run
