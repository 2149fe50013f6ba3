"""python -m exercises submit [--draft]: check, show, commit the student's own files, push one branch.

What is committed is the last commit's tree with the student's files and README.md put in, built in an index of its own.
So the branch that is checked out, what is staged and every other file stay as they are; only where the branch handed in
is itself checked out, its index takes the student's files too, as after `git commit FILE...`. The hooks of `git commit`
do not run; `pre-push` does. A push that fails leaves the commit on the local branch, for the next try.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from contracts.arguments import Parser
from contracts.errors import printable, shortened
from exercises.checker import Outcome, outcomes
from exercises.git import AGAIN, Git, Refused, masked
from exercises.manifest import FOLDER
from exercises.place import BRANCH, REF, Place, check_files, look
from exercises.planning import (
    DRAFT,
    HANDED_IN,
    PATIENCE,
    Plan,
    check_along,
    check_contents,
    commits_along,
    make_plan,
    write_tree,
)


def main(
    arguments: Sequence[str],
    *,
    root: Path = FOLDER.parent,
    judge: Callable[[], Sequence[Outcome]] = outcomes,
    suite: Callable[[Path], int] | None = None,
) -> int:
    """The command line: 0 handed in, 1 not finished or not wanted, 2 cannot.

    judge: how the exercises stand; suite: runs the test suite in that folder, and gives its exit status.
    """
    made = Parser(
        prog=AGAIN,
        description=f"Check, commit your files and push {BRANCH} to origin."
        " Exit status: 0 handed in, 1 not finished or not wanted, 2 cannot.",
    )
    made.add_argument("--draft", action="store_true", help="unfinished work too, without the test suite; it says so")
    made.add_argument("--yes", action="store_true", help="do not ask before committing and pushing")
    chosen = made.parse_args(arguments)
    asks = not chosen.yes and somebody_there()
    again = f"{AGAIN} --draft" if chosen.draft else AGAIN
    try:
        return hand_in(Git(root, asks), chosen.draft, asks, judge, suite or run_suite)
    except Refused as refused:
        sys.stdout.flush()
        why = str(refused).replace(f"{AGAIN} again", f"{again} again")
        print(f"submit: {shortened(printable(masked(why)), 1900)}", file=sys.stderr)
        for command in refused.commands:
            print(f"    {command}", file=sys.stderr)
        return refused.status
    except KeyboardInterrupt:
        print(f"\nsubmit: interrupted; run {again} again to go on", file=sys.stderr)
        return 130


def hand_in(
    git: Git, draft: bool, asks: bool, judge: Callable[[], Sequence[Outcome]], suite: Callable[[Path], int]
) -> int:
    """Look, check, show, commit, push. Raises Refused."""
    place = look(git)
    check_files(git.folder)
    found = judge()
    still_open = [outcome for outcome in found if not outcome.done]
    if still_open and not draft:
        first, *others = still_open
        more = f" (nor is {', '.join(str(outcome.number) for outcome in others)})" if others else ""
        raise Refused(
            f"exercise {first.number}, {first.exercise.title}, is not done yet{more}: python -m exercises says what is"
            f" missing; to push unfinished work: {AGAIN} --draft",
            1,
        )
    title = HANDED_IN
    if draft:
        title = f"{DRAFT} ({len(found) - len(still_open)} of {len(found)} exercises done)"
    plan = make_plan(git, place, title, draft)
    if plan is None:
        print(f"{'Pushed' if draft else 'Handed in'} already: origin has {BRANCH} with these files. Nothing to do.")
        return 0
    check_contents(git, place, plan)
    check_along(git, place, plan)
    if not draft:
        print("Exercises done. Running the test suite, which takes a minute or two: python -m pytest -n auto")
        sys.stdout.flush()
        if suite(git.folder):
            raise Refused(
                "the test suite is not green, its output stands above: bring the lesson's own files back to what they"
                f" were (git status lists those that you changed), then run {AGAIN} again",
                1,
            )
        if write_tree(git, place, plan.parents[-1]) != plan.tree:
            raise Refused(f"a file was saved while the checks ran, so they have not seen it: run {AGAIN} again")
    show(git, place, plan)
    if asks and not agreed():
        print("Nothing was committed, nothing was pushed.")
        return 1
    commit = carry_out(git, place, plan)
    if draft:
        missing = ", ".join(str(outcome.number) for outcome in still_open) or "none"
        print(f"\nPushed as a draft: {BRANCH}, {commit[:10]}. Exercises still open: {missing}.")
    else:
        print(f"\nHanded in: {BRANCH}, {commit[:10]}.")
    return 0


def run_suite(root: Path) -> int:
    """Run the lesson's tests, and give their exit status."""
    return subprocess.call(
        [sys.executable, "-m", "pytest", "-n", "auto", "--dist", "loadgroup"], cwd=root, stdin=subprocess.DEVNULL
    )


def somebody_there() -> bool:
    """Whether there is a terminal with somebody at it. A notebook's `!` has one with nobody: its kernel sets these."""
    kernel = "JPY_PARENT_PID" in os.environ or os.environ.get("GIT_PAGER") == os.environ.get("PAGER") == "cat"
    return not kernel and sys.stdin is not None and sys.stdin.isatty()


def agreed() -> bool:
    """Whether whoever is there says yes."""
    try:
        return input("\nGo ahead? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        print()
        return False


def show(git: Git, place: Place, plan: Plan) -> None:
    """The remote, and exactly what will be done."""
    places = {place.tip: f"its last commit {place.tip[:10]}", place.head: f"{place.branch} at {place.head[:10]}"}
    on = " and ".join(places[parent] for parent in plan.parents)
    print("\nThis will be done:")
    for address in place.addresses:
        print(f"  remote   origin, {printable(masked(address))}")
    print(f"  branch   {BRANCH}, on top of {printable(on)}")
    if plan.message:
        print(f'  commit   "{plan.message}"')
        for path, what in plan.changes.items():
            print(f"             {what:<8} {printable(path)}")
        if not plan.changes:
            print("             no file changes: they are all committed")
    else:
        print("  commit   none: your files are committed already")
    along = commits_along(git, plan)
    print(f"  push     that branch alone, never forced{'; with it go commits that origin has not yet:' * bool(along)}")
    for line in along[:5]:
        print(f"             {printable(line)}")
    if len(along) > 5:
        print(f"             and {len(along) - 5} before these")
    print("Everything else stays as it is: other branches, what is staged, other files.")


def carry_out(git: Git, place: Place, plan: Plan) -> str:
    """Commit and push; the commit that origin then has. Raises Refused."""
    commit = plan.parents[-1]
    if plan.message:
        above = [word for parent in plan.parents for word in ("-p", parent)]
        commit = git("commit-tree", plan.tree, *above, "-F", "-", given=f"{plan.message}\n").strip()
    if commit != place.tip:
        if place.branch == BRANCH:  # first, so that a stop in between leaves files staged, not a commit undone
            own = git("--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", commit, "--", *place.paths)
            git("update-index", "-z", "--index-info", given=own)
            git.run("update-index", "-q", "--refresh")
        done = git.run("update-ref", "-m", "submit", REF, commit, place.tip or "0" * len(commit))
        if done.status:
            raise Refused(f"your branch {BRANCH} could not be moved forward: {done.reason}: run {AGAIN} again")
    print("\nPushing ...", flush=True)
    options = ("--no-follow-tags", "--recurse-submodules=no", "--no-progress")
    done = git.run("push", *options, "origin", f"{commit}:{REF}", patience=PATIENCE)
    if done.status:
        raise Refused(
            f"origin did not take the push: {done.reason}: your work is committed on your branch {BRANCH}; mend what"
            f" stands in the way (rights, a rule, the network, a hook), and run {AGAIN} again"
        )
    return commit
