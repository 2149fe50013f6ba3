"""A student's clone of a small lesson, the bare repository behind it, and the state of both."""

import os
import subprocess

from exercises import place
from exercises.checker import Outcome
from exercises.manifest import EXERCISES

BRANCH = place.BRANCH
WORD = "hunter22"  # put into place by the tests: written out, a file of theirs could not be handed in
OWN = place.own_names()
ALL_DONE = [Outcome(exercise.number, True, "") for exercise in EXERCISES]
HALF_DONE = [Outcome(exercise.number, exercise.number < 4, "") for exercise in EXERCISES]


def alone(folder):
    """git's environment as on a fresh machine: nobody's settings, nobody's name."""
    return {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "HOME": str(folder),
        "USERPROFILE": str(folder),
    }


class Desk:
    """A student's clone of a small lesson, in a path with a blank and an umlaut, and the bare repository behind it."""

    def __init__(self, folder):
        self.remote, self.root = folder / "origin.git", folder / "meine Übung"

    def set_up(self):
        git(self.remote.parent, "init", "--quiet", "--template=", "--bare", "-b", "main", str(self.remote))
        git(self.remote.parent, "init", "--quiet", "--template=", "-b", "main", str(self.root))
        self("remote", "add", "origin", str(self.remote))
        self("config", "user.name", "A Student")
        self("config", "user.email", "student@example")
        self.write("exercises/manifest.py", "# the lesson\n")
        self.write("README.md", "# The lesson\n")
        self.write("lesson.py", "# the lesson\n")
        self.commit("The lesson", ".")
        self("push", "--quiet", "origin", "main")
        for name in OWN:
            self.write(name, f"# solved: {name}\n")

    def __call__(self, *arguments):
        return git(self.root, *arguments)

    def write(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text, encoding="utf-8", newline="")

    def commit(self, subject, *names):
        self("add", "-f", *names)
        self("commit", "--quiet", "-m", subject)

    def at_origin(self, name=BRANCH):
        """The commit of a branch at the remote, '' where there is none."""
        return git(self.remote, "for-each-ref", "--format=%(objectname)", f"refs/heads/{name}")

    def files_at_origin(self, *since):
        return git(self.remote, "diff", "--name-only", *since, BRANCH).splitlines()


def git(folder, *arguments):
    done = subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, encoding="utf-8")
    return done.stdout.rstrip("\n")


def state(desk):
    """All that handing in could disturb: every branch and tag on both sides, HEAD, the index, the other files."""
    head = (desk.root / ".git/HEAD").read_text() if (desk.root / ".git/HEAD").exists() else ""
    index = desk.root / ".git/index"
    if not head:
        return None
    return head, desk("show-ref") if desk("branch") else "", git(desk.remote, "for-each-ref"), index.read_bytes()


def someone_elses(desk, tmp_path):
    """Another clone that has handed in on the same branch."""
    other = tmp_path / "other"
    git(tmp_path, "clone", "--quiet", str(desk.remote), str(other))
    git(other, "switch", "--quiet", "-c", BRANCH)
    who = ("-c", "user.name=x", "-c", "user.email=x@example")
    git(other, *who, "commit", "--quiet", "--allow-empty", "-m", "Somebody else's work")
    git(other, "push", "--quiet", "origin", BRANCH)
