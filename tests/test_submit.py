"""Handing in: `python -m exercises submit`, against a bare repository on this machine."""

import os
import shutil
import subprocess
import sys

import pytest

import seed
from exercises import git as git_
from exercises import leaks, place, planning, submit
from exercises.checker import Outcome
from exercises.manifest import EXERCISES, STUBS

BRANCH = place.BRANCH
WORD = "hunter22"  # put into place by the tests: written out, this file could not be handed in
OWN = place.own_names()
ALL_DONE = [Outcome(exercise.number, True, "") for exercise in EXERCISES]
HALF_DONE = [Outcome(exercise.number, exercise.number < 4, "") for exercise in EXERCISES]

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def alone(folder):
    """git's environment as on a fresh machine: nobody's settings, nobody's name."""
    return {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "HOME": str(folder),
        "USERPROFILE": str(folder),
    }


@pytest.fixture(autouse=True)
def environment(tmp_path, monkeypatch):
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    for name, value in alone(tmp_path).items():
        monkeypatch.setenv(name, value)


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


@pytest.fixture(scope="module")
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
    """Hand in, which is refused in one sentence, with nothing changed here or at origin. Gives the sentence."""

    def run(*arguments, status=2, **given):
        before = state(desk)
        found, _, err = hand_in(*arguments, **given)
        assert found == status
        assert err.startswith("submit: ") and err.count("\n") == 1
        assert state(desk) == before
        return err

    return run


def state(desk):
    """All that handing in could disturb: every branch and tag on both sides, HEAD, the index, the other files."""
    head = (desk.root / ".git/HEAD").read_text() if (desk.root / ".git/HEAD").exists() else ""
    index = desk.root / ".git/index"
    if not head:
        return None
    return head, desk("show-ref") if desk("branch") else "", git(desk.remote, "for-each-ref"), index.read_bytes()


# --- handing in -------------------------------------------------------------------------------------------------------


def test_the_branch_is_made_from_the_last_commit_and_holds_the_students_files_alone(desk, hand_in):
    desk.write("notes.txt", "mine\n")
    status, out, err = hand_in()
    assert (status, err) == (0, "")
    assert desk.files_at_origin("main") == sorted(OWN)
    assert git(desk.remote, "show", f"{BRANCH}:exercises/ex4_shape.py") == "# solved: exercises/ex4_shape.py"
    assert git(desk.remote, "log", "-1", "--format=%s|%an|%ae", BRANCH) == (
        "Hand in lesson 08, data contracts|A Student|student@example"
    )
    assert desk("rev-parse", f"{BRANCH}^") == desk("rev-parse", "main")
    assert f"origin, {desk.remote}" in out and "new      exercises/ex1_figures.py" in out
    assert "changed  README.md" in out and "Handed in: " in out


def test_what_is_staged_and_checked_out_stays(desk, hand_in):
    desk.write("lesson.py", "# staged\n")
    desk("add", "lesson.py", "exercises/ex1_figures.py")
    desk.write("lesson.py", "# and not staged\n")
    desk("branch", "other")
    status = desk("status", "--porcelain")
    index = (desk.root / ".git/index").read_bytes()
    assert hand_in()[0] == 0
    assert (desk.root / ".git/index").read_bytes() == index
    assert desk("status", "--porcelain") == status
    assert desk("branch").split() == [BRANCH, "*", "main", "other"]
    assert git(desk.remote, "show", f"{BRANCH}:lesson.py") == "# the lesson"
    assert desk.at_origin("main") == desk("rev-parse", "main") and not desk.at_origin("other")


def test_on_the_branch_itself_it_is_a_plain_commit_of_the_students_files(desk, hand_in):
    desk("switch", "--quiet", "-c", BRANCH)
    desk.write("lesson.py", "# staged\n")
    desk("add", "lesson.py")
    desk.write("notes.txt", "mine\n")
    assert hand_in()[0] == 0
    assert desk("status", "--porcelain").splitlines() == ["M  lesson.py", "?? notes.txt"]
    assert desk("rev-parse", "HEAD") == desk.at_origin()
    assert desk.files_at_origin("main") == sorted(OWN)


def test_a_second_time_does_nothing(desk, hand_in):
    hand_in()
    before = state(desk)
    status, out, err = hand_in(suite=lambda root: pytest.fail("the suite runs again"))
    assert (status, out.count("\n"), err) == (0, 1, "")
    assert "Handed in already" in out and state(desk) == before


def test_a_change_goes_on_top_of_the_existing_branch(desk, hand_in):
    hand_in()
    first = desk.at_origin()
    desk.write("exercises/ex4_shape.py", "# better\n")
    status, out, _ = hand_in()
    assert status == 0 and desk("rev-parse", f"{BRANCH}^") == first
    assert desk.files_at_origin(first) == ["exercises/ex4_shape.py"]
    assert "changed  exercises/ex4_shape.py" in out and "ex1_figures" not in out


def test_files_that_are_committed_on_the_branch_already_are_only_pushed(desk, hand_in):
    desk("switch", "--quiet", "-c", BRANCH)
    desk.commit("My own words", *OWN)
    status, out, _ = hand_in()
    assert status == 0 and "none: your files are committed already" in out and "My own words" in out
    assert git(desk.remote, "log", "-1", "--format=%s", BRANCH) == "My own words"


def test_files_that_are_committed_on_main_are_handed_in_from_there(desk, hand_in):
    desk.commit("My own words", *OWN)
    assert hand_in()[0] == 0
    assert desk.at_origin() == desk("rev-parse", "main") != desk.at_origin("main")


def test_a_lesson_that_has_moved_on_is_merged_without_losing_either_side(desk, hand_in):
    hand_in()
    first = desk.at_origin()
    desk.write("lesson.py", "# the lesson, second edition\n")
    desk.commit("Second edition", "lesson.py")
    desk("push", "--quiet", "origin", "main")
    assert "Handed in already" in hand_in()[1]  # the student's files are the same
    desk.write("exercises/ex4_shape.py", "# better\n")
    assert hand_in()[0] == 0
    assert desk("rev-parse", f"{BRANCH}^1", f"{BRANCH}^2").split() == [first, desk("rev-parse", "main")]
    assert desk.files_at_origin("main") == sorted(OWN)
    assert desk.files_at_origin(first) == ["exercises/ex4_shape.py", "lesson.py"]


def test_a_branch_at_origin_that_is_an_older_commit_of_ours_moves_forward(desk, hand_in):
    git(desk.remote, "branch", BRANCH, "main")
    desk.write("lesson.py", "# second edition\n")
    desk.commit("Second edition", "lesson.py")
    assert hand_in()[0] == 0
    assert desk("rev-parse", f"{BRANCH}^") == desk("rev-parse", "main")


def test_from_another_worktree_a_shallow_clone_and_a_subfolder(desk, tmp_path, capsys):
    """Each has its own .git, its own history or its own names for the files."""
    shallow, linked, course = tmp_path / "shallow", tmp_path / "linked", tmp_path / "course"
    git(tmp_path, "clone", "--quiet", "--depth", "1", desk.remote.as_uri(), str(shallow))
    desk("worktree", "add", "--quiet", "--detach", str(linked))
    git(linked, "switch", "--quiet", "-c", "elsewhere")
    git(tmp_path, "clone", "--quiet", str(desk.remote), str(course))
    shutil.copytree(desk.root / "exercises", course / "lessons/08/exercises")
    shutil.copy(desk.root / "README.md", course / "lessons/08")
    git(course, "add", "lessons/08/exercises/manifest.py")
    who = ("-c", "user.name=x", "-c", "user.email=x@example")
    git(course, *who, "commit", "--quiet", "-m", "The course")
    for folder in (shallow, linked, course / "lessons/08"):
        git(desk.remote, "update-ref", "-d", f"refs/heads/{BRANCH}")
        for name in OWN:
            (folder / name).write_text("# solved\n", encoding="utf-8")
        git(folder, "config", "user.name", "A Student")
        git(folder, "config", "user.email", "student@example")
        for answer in ("Handed in: ", "Handed in already: "):
            assert submit.main([], root=folder, judge=lambda: ALL_DONE, suite=lambda root: 0) == 0
            assert answer in capsys.readouterr().out
    handed_in = git(desk.remote, "diff", "--name-only", git(course, "rev-parse", "HEAD"), BRANCH)
    assert handed_in.splitlines() == sorted(f"lessons/08/{name}" for name in OWN)


def test_ignored_files_and_line_ends(desk, hand_in):
    """A .gitignore of the student's does not hold a file back; autocrlf, as on Windows, stores LF."""
    desk.write(".gitignore", "exercises/ex*\n")
    desk("config", "core.autocrlf", "true")
    desk.write("exercises/ex1_figures.py", "a = 1\r\n")
    assert hand_in()[0] == 0
    assert git(desk.remote, "cat-file", "-s", f"{BRANCH}:exercises/ex1_figures.py") == str(len("a = 1\n"))


# --- drafts and unfinished work ---------------------------------------------------------------------------------------


def test_unfinished_work_is_refused_by_its_first_exercise(refused):
    assert "exercise 4, Watch the shape, is not done yet" in refused(found=HALF_DONE, status=1)


def test_a_draft_says_so_and_runs_no_tests(desk, hand_in):
    status, out, _ = hand_in("--draft", found=HALF_DONE, suite=lambda root: pytest.fail("a draft runs no tests"))
    assert status == 0
    assert git(desk.remote, "log", "-1", "--format=%s", BRANCH) == (
        "Draft of lesson 08, data contracts (3 of 6 exercises done)"
    )
    assert "Pushed as a draft" in out and "still open: 4, 5, 6" in out
    assert "Pushed already" in hand_in("--draft", found=HALF_DONE)[1]


def test_a_draft_becomes_a_hand_in_though_no_file_changes(desk, hand_in):
    hand_in("--draft")
    assert "no file changes" in hand_in()[1]
    assert git(desk.remote, "log", "-1", "--format=%s", BRANCH) == planning.HANDED_IN
    assert "Handed in already" in hand_in()[1]
    assert "Pushed already" in hand_in("--draft")[1]  # which does not undo it


def test_a_draft_of_committed_files_says_so_too(desk, hand_in):
    desk("switch", "--quiet", "-c", BRANCH)
    desk.commit("My own words", *OWN)
    assert hand_in("--draft", found=HALF_DONE)[0] == 0
    assert git(desk.remote, "log", "-1", "--format=%s", BRANCH).startswith(planning.DRAFT)


def test_a_suite_that_is_not_green_is_refused(refused):
    assert "the test suite is not green" in refused(suite=lambda root: 1, status=1)


def test_a_file_that_is_saved_during_the_checks_is_refused(desk, refused):
    def suite(root):
        desk.write("exercises/ex4_shape.py", "# saved\n")
        return 0

    assert "was saved while the checks ran" in refused(suite=suite)


# --- where git is at --------------------------------------------------------------------------------------------------


def test_no_git(desk, hand_in, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert hand_in()[::2] == (2, "submit: git is not installed, or not on the PATH: install it, and run again\n")


def test_no_repository(desk, refused, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(desk.root.parent))
    shutil.move(desk.root / ".git", desk.root.parent / "git")
    assert "is no git repository, so it is a zip download or a copy" in refused()


def test_a_repository_around_a_zip_download(desk, refused):
    """Somebody's whole home is a repository, or they said `git init`."""
    desk("rm", "--quiet", "--cached", "exercises/manifest.py")
    desk("commit", "--quiet", "-m", "No lesson here")
    assert "has no lesson in it, so this is a copy or a zip download" in refused()
    shutil.move(desk.root / ".git", desk.root.parent / "git")
    desk("init", "--quiet")
    assert "has no lesson in it" in refused_without_state(desk)


def refused_without_state(desk):
    with pytest.raises(git_.Refused) as caught:
        place.look(git_.Git(desk.root, asks=False))
    return str(caught.value)


def test_no_remote(desk, refused):
    desk("remote", "rename", "origin", "upstream")
    assert "there is no remote origin, only upstream: git remote add origin ADDRESS" in refused()
    desk("remote", "remove", "upstream")
    assert "there is no remote origin: " in refused()


def test_a_detached_head(desk, refused):
    desk("checkout", "--quiet", "--detach")
    assert "HEAD is detached" in refused()


@pytest.mark.parametrize(
    ("command", "what"),
    [("rebase", "a rebase"), ("merge", "a merge"), ("cherry-pick", "a cherry-pick"), ("revert", "a revert")],
)
def test_something_is_under_way(desk, refused, command, what):
    desk.commit("My own words", *OWN)
    desk("switch", "--quiet", "-c", "other")
    desk.write("lesson.py", "# theirs\n")
    desk.commit("Theirs", "lesson.py")
    desk("switch", "--quiet", "main")
    desk.write("lesson.py", "# ours\n")
    desk.commit("Ours", "lesson.py")
    with pytest.raises(subprocess.CalledProcessError):
        desk(command, "other")
    assert f"{what} is under way: end it (git " in refused()


def test_a_bisect_is_under_way(desk, refused):
    desk("bisect", "start")
    assert "a bisect is under way: end it (git bisect reset)" in refused()


def test_unmerged_paths_that_no_merge_has_left(desk, refused):
    desk.write("lesson.py", "# kept\n")
    desk("stash", "--quiet", "--", "lesson.py")
    desk.write("lesson.py", "# another\n")
    desk.commit("Another", "lesson.py")
    with pytest.raises(subprocess.CalledProcessError):
        desk("stash", "pop")
    assert "lesson.py is unmerged" in refused()


def test_no_name(desk, refused, monkeypatch):
    desk("config", "--unset", "user.email")
    assert "git does not know who commits" in refused()
    monkeypatch.setenv("GIT_AUTHOR_EMAIL", "a@example")
    assert "git does not know who commits" in refused()  # half of it
    desk("config", "user.email", "student@example")
    desk("config", "--unset", "user.name")
    assert "git does not know who commits" in refused()  # the name of the account is none


def test_the_branch_is_checked_out_in_another_worktree(desk, refused, tmp_path):
    desk("worktree", "add", "--quiet", "-b", BRANCH, str(tmp_path / "there"))
    assert "is checked out in another worktree" in refused()


def test_a_branch_whose_name_is_in_the_way(desk, refused):
    desk("branch", "de-practice")
    assert "you have a branch de-practice, and git cannot have" in refused()
    desk("push", "--quiet", "origin", "de-practice")
    desk("branch", "-D", "de-practice")
    assert "origin has a branch de-practice, and git cannot have" in refused()


# --- the remote -------------------------------------------------------------------------------------------------------


def someone_elses(desk, tmp_path):
    """Another clone that has handed in on the same branch."""
    other = tmp_path / "other"
    git(tmp_path, "clone", "--quiet", str(desk.remote), str(other))
    git(other, "switch", "--quiet", "-c", BRANCH)
    who = ("-c", "user.name=x", "-c", "user.email=x@example")
    git(other, *who, "commit", "--quiet", "--allow-empty", "-m", "Somebody else's work")
    git(other, "push", "--quiet", "origin", BRANCH)


def test_someone_elses_branch_contents(desk, refused, tmp_path):
    someone_elses(desk, tmp_path)
    assert f"git fetch origin {BRANCH}:{BRANCH}" in (said := refused())
    assert "someone else's branch contents: " in said
    desk("fetch", "--quiet")
    assert "the last one: Somebody else's work" in refused()  # which is here now, and still not ours
    desk("branch", BRANCH)
    assert f"git switch {BRANCH} and git pull" in refused()


def test_contents_that_the_student_takes_as_their_own(desk, hand_in, tmp_path):
    """A second computer: the refusal's own command is the way on."""
    someone_elses(desk, tmp_path)
    theirs = desk.at_origin()
    desk("fetch", "--quiet", "origin", f"{BRANCH}:{BRANCH}")
    assert hand_in()[0] == 0
    assert desk("rev-parse", f"{BRANCH}^") == theirs


def test_a_local_branch_with_other_files_is_not_merged_away(desk, refused):
    desk("switch", "--quiet", "-c", BRANCH)
    desk.write("notes.txt", "mine\n")
    desk.commit("Notes", "notes.txt")
    desk("switch", "--quiet", "main")
    desk.write("lesson.py", "# second edition\n")
    desk.commit("Second edition", "lesson.py")
    assert "has changes in notes.txt that your branch main has not" in refused()


def test_a_remote_that_does_not_answer(desk, refused, tmp_path):
    desk("remote", "set-url", "origin", str(tmp_path / "no-such.git"))
    assert "does not answer: fatal: " in refused()


def test_passwords_in_the_address_are_not_shown(desk, refused, monkeypatch):
    monkeypatch.setenv("no_proxy", "*")
    desk("remote", "set-url", "origin", f"http://me:{WORD}@127.0.0.1:1/lesson.git")  # nobody listens there
    said = refused()
    assert WORD not in said and "http://***@127.0.0.1:1/lesson.git" in said
    web = (
        f"https://{WORD}@h/x",
        f"https://u:{WORD}@h:443/x",
        f"https://u:{WORD}/a@h/x",
        f"https://h/x?token={WORD}",
    )
    for address in (*web, f"ssh://u:{WORD}@h/x"):
        assert WORD not in git_.masked(f"unable to access '{address}': no"), address
    for address in ("git@h:x/y.git", "ssh://git@h:22/x", "https://h:443/x@y", "/a b/x@y", "C:\\a@b"):
        assert git_.masked(address) == address


def test_a_push_that_the_remote_rejects_leaves_the_commit_here(desk, hand_in):
    hook = desk.remote / "hooks/pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'this branch is protected'\nexit 1\n")
    hook.chmod(0o755)
    main = desk.at_origin("main")
    status, _, err = hand_in()
    assert status == 2 and "this branch is protected" in err and "pre-receive hook declined" in err
    assert err.count("\n") == 1 and f"committed on your branch {BRANCH}" in err
    assert not desk.at_origin() and desk.at_origin("main") == main
    commit = desk("rev-parse", BRANCH)
    hook.unlink()
    assert "none: your files are committed already" in hand_in()[1]  # the next try pushes what is there
    assert desk.at_origin() == commit


def test_a_hook_of_the_students_that_fails(desk, hand_in):
    hook = desk.root / ".git/hooks/pre-push"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'run the linter first' >&2\nexit 1\n")
    hook.chmod(0o755)
    status, _, err = hand_in()
    assert status == 2 and "origin did not take the push: run the linter first" in err and not desk.at_origin()


def test_a_branch_that_moves_at_origin_meanwhile_is_not_overwritten(desk, hand_in, tmp_path):
    def suite(root):
        someone_elses(desk, tmp_path)
        return 0

    status, _, err = hand_in(suite=suite)
    assert status == 2 and "[rejected]" in err
    assert git(desk.remote, "log", "-1", "--format=%s", BRANCH) == "Somebody else's work"


def test_a_local_branch_that_moves_meanwhile_is_not_overwritten(desk, hand_in):
    """Two at once, say: the second finds the branch that the first has made."""

    def suite(root):
        desk("branch", BRANCH)
        return 0

    status, _, err = hand_in(suite=suite)
    assert status == 2 and f"your branch {BRANCH} could not be moved forward: " in err
    assert desk("rev-parse", BRANCH) == desk("rev-parse", "main") and not desk.at_origin()


def test_git_variables_of_another_repository_do_not_count(desk, hand_in, monkeypatch, tmp_path):
    """Whoever runs it from a hook or an alias has them set."""
    with monkeypatch.context() as patch:
        for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
            patch.setenv(name, str(tmp_path / "elsewhere"))
        patch.setenv("GIT_TRACE", "1")
        assert hand_in()[0] == 0
    assert desk.at_origin()


def test_no_settings_of_the_students_widen_the_push(desk, hand_in):
    """Forced refspecs, tags, every branch: what is pushed is the one branch."""
    desk("config", "remote.origin.push", "+refs/heads/*:refs/heads/*")
    desk("config", "push.followTags", "true")
    desk("config", "push.default", "matching")
    desk("branch", "other")
    desk("tag", "-a", "v1", "-m", "v1")
    assert hand_in()[0] == 0
    refs = git(desk.remote, "for-each-ref", "--format=%(refname:short)").split()
    assert refs == [BRANCH, "main"]


def test_a_locked_index_is_refused_before_anything_is_done(desk, refused):
    desk("switch", "--quiet", "-c", BRANCH)
    (desk.root / ".git/index.lock").touch()
    assert "index.lock" in refused()


# --- what may not go out ----------------------------------------------------------------------------------------------


def test_a_missing_file_a_folder_and_a_link(desk, refused):
    file = desk.root / "exercises/ex3_gate.py"
    file.unlink()
    assert "exercises/ex3_gate.py is missing: python -m exercises puts it there" in refused()
    file.mkdir()
    assert "exercises/ex3_gate.py is no file" in refused()
    file.rmdir()
    try:
        file.symlink_to(desk.root / "lesson.py")
    except OSError:
        pytest.skip("this system makes no links for us")
    assert "exercises/ex3_gate.py is a symbolic link" in refused("--draft")


def test_a_large_file(desk, refused):
    desk.write("exercises/ex1_figures.py", "x = 1\n" * 200_000)
    assert "exercises/ex1_figures.py has 1,200,000 bytes, more than 1,000,000" in refused("--draft")


KEYS = {  # in two halves, so that this file holds none
    "a private key": ["-----BEGIN RSA PRIV", "ATE KEY-----"],
    "an AWS key": ["key: AKIA", "2E0A8F3B244C9986"],
    "a GitHub token": ["ghp", "_0123456789abcdefghijABCDEFGHIJ012345"],
    "a GitLab token": ["glpat", "-0123456789abcdefghij"],
    "a Slack token": ["xoxb", "-0123456789-abcdefghij"],
    "a Google key": ["AIza", "0123456789abcdefghijABCDEFGHIJ01234"],
    "an API key": ["sk-", "0123456789abcdefghijABCDEFGHIJ0123456789"],
    "a signed token": ["eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0NTY3", ".dozjgNryP4J3jVmN"],
    "a password in an address": ["duckdb.connect('postgresql://me:", f"{WORD}@h/db')"],
    "a password": ["db_password = '", f"{WORD}'"],
}


@pytest.mark.parametrize(("kind", "halves"), KEYS.items(), ids=list(KEYS))
def test_every_kind_of_secret(kind, halves):
    assert leaks.secret_in("ex6_upstream.yaml", f"# one\n{''.join(halves)}\n".encode()) == (2, kind)


def test_a_secret_is_named_and_not_said(desk, refused):
    desk.write("exercises/ex6_upstream.yaml", f"# one\npassword: {WORD}\n")
    said = refused("--draft")
    assert "exercises/ex6_upstream.yaml:2 holds what looks like a password: write <secret>" in said and WORD not in said


PASSWORDS = (
    f"password: {WORD}",
    "  db-password: swordfish  # old",
    f"- {{user: me, PASSWORD: {WORD}}}",
    f"API_KEY={WORD}",
    f"pwd: '{WORD}'",
    f"> secret: {WORD}",
)


@pytest.mark.parametrize("line", PASSWORDS)
def test_a_password_as_yaml_has_it(line):
    assert leaks.secret_in("x.yaml", line.encode()) == (1, "a password")
    assert leaks.secret_in("x.yaml", f"\ufeff\n{line}".encode("utf-16")) == (2, "a password")


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("x.py", "def connect(password: SecretStr) -> None:"),
        ("x.py", "    password: Optional[str] = None"),
        ("x.py", "password = os.environ['PASSWORD']"),
        ("x.py", "password = getpass.getpass()"),
        ("x.py", 'url = f"postgresql://{user}:{password}@{host}/db"'),
        ("x.py", "db = 'postgresql://user:password@host/db'"),
        ("x.yaml", "- {name: password, type: string, required: true}"),
        ("x.yaml", "password: <secret>"),
        ("x.yaml", "password: $PASSWORD"),
        ("x.yaml", "password: ${{ secrets.DB }}"),
        ("x.yaml", "key: AKIAIOSFODNN7EXAMPLE"),
        ("x.md", "The password: everybody knows it"),
        ("x.md", "There is no secret: everything"),
        ("x.md", "| `password_hash` | the hash, never the password |"),
    ],
)
def test_what_is_no_secret(name, line):
    assert leaks.secret_in(name, line.encode()) is None


def test_the_lessons_own_files_hold_none():
    """Else a student who has done nothing wrong could not hand in."""
    folders = ("clause", "contracts", "exercises/checks", "exercises/stubs", "notebooks", "tests")
    files = [file for folder in folders for file in (seed.ROOT / folder).rglob("*.*") if file.is_file()]
    for file in (*files, *STUBS.parent.glob("[a-df-z]*.py"), *seed.ROOT.glob("*.py"), seed.ROOT / "README.md"):
        assert leaks.secret_in(file.name, file.read_bytes()) is None, file
        assert file.stat().st_size < planning.LARGEST_ALONG, file


def test_a_secret_in_a_commit_that_would_go_along(desk, refused, hand_in):
    """It is gone from the file, and would be pushed all the same. The names beside it are as odd as git takes them."""
    desk.write(".env", f"DB_PASSWORD={WORD}\n")
    for name in ("a\nb\u2028b \x85c", "a\x85b c", "*", ":(top)x", "folder/a b"):
        desk.write("one", name)
        desk("update-index", "--add", "--cacheinfo", f"100644,{desk('hash-object', '-w', 'one')},{name}")
    desk.commit("Oops \u2028 \x85", ".env")
    desk("rm", "--quiet", ".env")
    desk("commit", "--quiet", "-m", "Gone")
    assert ".env, which holds what looks like a password in line 1, is in a commit of yours" in refused("--draft")
    desk("push", "--quiet", "origin", "main")  # then it is at origin already, and handing in changes nothing about it
    assert hand_in("--draft")[0] == 0


def test_an_origin_that_is_another_repository_by_now(desk, hand_in):
    """After git remote set-url, what was last seen there says nothing: all of history goes along, and it is shown."""
    git(desk.remote, "update-ref", "-d", "refs/heads/main")
    assert desk("rev-parse", "origin/main") and "with it go commits that origin has not yet:" in hand_in()[1]


def test_an_empty_origin_takes_the_whole_lesson(desk, hand_in, refused):
    """The student's files are looked at in all of history, the lesson's are the lesson's business."""
    desk.write(".env", f"DB_PASSWORD={WORD}\n")
    desk.commit("The lesson's own", ".env")
    git(desk.remote, "update-ref", "-d", "refs/heads/main")
    desk("update-ref", "-d", "refs/remotes/origin/main")
    status, out, _ = hand_in()
    assert status == 0 and "The lesson's own\n" in out and "The lesson\n" in out
    git(desk.remote, "update-ref", "-d", f"refs/heads/{BRANCH}")
    desk("branch", "-D", BRANCH)
    desk("update-ref", "-d", f"refs/remotes/origin/{BRANCH}")
    desk.write(OWN[0], f"password = '{WORD}'\n")
    desk.commit("Oops", OWN[0])
    desk.write(OWN[0], "# solved\n")
    assert f"{OWN[0]}, which holds what looks like a password in line 1" in refused()


# --- at the command line ----------------------------------------------------------------------------------------------


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
