"""Where the student stands: the repository, the branch, what is under way, and their own files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from exercises.git import AGAIN, Git, Refused
from exercises.manifest import student_files

BRANCH = "de-practice/08-data-contracts"
REF = f"refs/heads/{BRANCH}"
LARGEST = 1_000_000  # bytes of a file of the student's


@dataclass(frozen=True)
class Place:
    """The student's repository. paths: their files, as git names them; branch: the one that is checked out."""

    prefix: str
    paths: tuple[str, ...]
    branch: str
    head: str  # its commit
    tip: str  # the commit of the local branch to hand in, '' where there is none
    addresses: tuple[str, ...]  # where origin's pushes go, with whatever password they hold


UNDER_WAY = {  # a file of git's: what is under way, and how it ends
    "rebase-merge": ("a rebase", "git rebase --continue or git rebase --abort"),
    "rebase-apply": ("a rebase or git am", "git rebase --abort or git am --abort"),
    "MERGE_HEAD": ("a merge", "git commit or git merge --abort"),
    "CHERRY_PICK_HEAD": ("a cherry-pick", "git cherry-pick --continue or git cherry-pick --abort"),
    "REVERT_HEAD": ("a revert", "git revert --continue or git revert --abort"),
    "BISECT_LOG": ("a bisect", "git bisect reset"),
}


def look(git: Git) -> Place:
    """Where git is at. Raises Refused where nothing can be handed in from here. Changes nothing."""
    done = git.run("rev-parse", "--show-prefix")
    if done.status and "not a git repository" in done.reason:
        raise Refused(
            f"{git.folder} is no git repository, so it is a zip download or a copy: clone your repository of the lesson"
            " with git, copy your files of exercises/ and your README.md there, and run again"
        )
    if done.status:
        raise Refused(f"git cannot open the repository in {git.folder}: {done.reason}: mend that, and run again")
    prefix = done.text.rstrip("\r\n")
    signs = git("rev-parse", *(word for name in UNDER_WAY for word in ("--git-path", name))).split("\n")
    for sign, (what, end) in zip(signs, UNDER_WAY.values(), strict=False):
        if (git.folder / sign).exists():
            raise Refused(f"{what} is under way: end it ({end}), and run {AGAIN} again")
    if unmerged := [line.partition("\t")[2] for line in git("ls-files", "-uz").split("\0") if line]:
        raise Refused(f"{unmerged[0]} is unmerged: settle the conflict, git add it, and run {AGAIN} again")
    head = git.find("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    if not head or git.run("cat-file", "-e", "HEAD:./exercises/manifest.py").status:
        raise Refused(
            f"the last commit of the git repository of {git.folder} has no lesson in it, so this is a copy or a zip"
            " download: clone your repository of the lesson with git, copy your files of exercises/ and your README.md"
            " there, and run again"
        )
    checked_out = git.find("symbolic-ref", "--quiet", "HEAD")
    if not checked_out:
        raise Refused(
            "HEAD is detached, no branch is checked out: git switch main, or git switch -c NAME to keep commits made"
            f" here, and run {AGAIN} again"
        )
    for name in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"):
        if git.run("-c", "user.useConfigOnly=true", "var", name).status:
            raise Refused(
                f"git does not know who commits: tell it with these two commands, and run {AGAIN} again",
                commands=('git config user.name "YOUR NAME"', "git config user.email YOUR@ADDRESS"),
            )
    remotes = git("remote").split()
    if "origin" not in remotes:
        only = f", only {', '.join(remotes)}" if remotes else ""
        raise Refused(
            f"there is no remote origin{only}: git remote add origin ADDRESS, the address of a repository of your own,"
            f" and run {AGAIN} again"
        )
    above = BRANCH.partition("/")[0]
    if git.find("for-each-ref", f"refs/heads/{above}", "--format=%(refname)") == f"refs/heads/{above}":
        raise Refused(
            f"you have a branch {above}, and git cannot have {BRANCH} beside it: git branch -m {above} NAME, and run"
            f" {AGAIN} again"
        )
    if checked_out != REF:
        refuse_other_worktree(git)
    return Place(
        prefix=prefix,
        paths=tuple(f"{prefix}{name}" for name in own_names()),
        branch=checked_out.removeprefix("refs/heads/"),
        head=head,
        tip=git.find("rev-parse", "--verify", "--quiet", f"{REF}^{{commit}}"),
        addresses=tuple(git("remote", "get-url", "--push", "--all", "origin").splitlines()),
    )


def own_names() -> list[str]:
    """The student's files, and the README with their form in it."""
    return [*(f"exercises/{path.name}" for path in student_files()), "README.md"]


def refuse_other_worktree(git: Git) -> None:
    """A branch that another worktree has checked out must not move under it."""
    where = ""
    for line in git("worktree", "list", "--porcelain").splitlines():
        if line.startswith("worktree "):
            where = line.removeprefix("worktree ")
        if line == f"branch {REF}":
            raise Refused(f"{BRANCH} is checked out in another worktree, {where}: run {AGAIN} there")


def check_files(folder: Path) -> None:
    """Raises Refused where one of the student's files is none that git could take. Contents are looked at later."""
    for name in own_names():
        file = folder / name
        if file.is_symlink():
            raise Refused(f"{name} is a symbolic link, and git would hand in the link alone: put the file itself there")
        if not file.exists():
            back = f"git checkout {name}" if name == "README.md" else "python -m exercises"
            raise Refused(f"{name} is missing: {back} puts it there")
        if not file.is_file():
            raise Refused(f"{name} is no file: move it away; python -m exercises puts the file there")
        if (size := file.stat().st_size) > LARGEST:
            raise Refused(
                f"{name} has {size:,} bytes, more than {LARGEST:,}: take the data out of it, and run {AGAIN} again"
            )
