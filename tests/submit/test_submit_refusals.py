"""Where git or the remote stands in the way: one sentence, nothing changed, nothing overwritten."""

import shutil
import subprocess

import pytest
from students_desk import BRANCH, OWN, WORD, git, someone_elses

from exercises import git as git_
from exercises import place

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
    told = refused("--draft", commands=2)
    assert "git does not know who commits" in told and "run python -m exercises submit --draft again\n" in told
    assert told.splitlines()[1:] == ['    git config user.name "YOUR NAME"', "    git config user.email YOUR@ADDRESS"]
    monkeypatch.setenv("GIT_AUTHOR_EMAIL", "a@example")
    assert "git does not know who commits" in refused(commands=2)  # half of it
    desk("config", "user.email", "student@example")
    desk("config", "--unset", "user.name")
    assert "git does not know who commits" in refused(commands=2)  # the name of the account is none


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
