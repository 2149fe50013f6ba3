"""What is handed in, and what stays as it was: files, branches, index, drafts and unfinished work."""

import shutil

import pytest
from students_desk import ALL_DONE, BRANCH, HALF_DONE, OWN, git, state

from exercises import planning, submit

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
