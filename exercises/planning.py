"""What a hand-in commits and pushes: its parents, its tree, and the commits that go along with it."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from exercises.git import AGAIN, Git, Refused
from exercises.leaks import secret_in
from exercises.place import BRANCH, REF, Place

LARGEST_ALONG = 10_000_000  # bytes of a file not the student's: a notebook with its figures may have more than 1 MB
HANDED_IN, DRAFT = "Hand in lesson 08, data contracts", "Draft of lesson 08, data contracts"  # subjects
PATIENCE = 300  # seconds for one talk with the remote, where somebody may have to log in


@dataclass(frozen=True)
class Plan:
    """What will be done. message: of the commit, '' where everything is committed already and only the push is left."""

    tree: str
    parents: tuple[str, ...]
    message: str
    changes: dict[str, str]  # path: new or changed
    origin_empty: bool
    known: str  # the commits of origin's branches that are here too, as rev-list leaves them out


def make_plan(git: Git, place: Place, title: str, draft: bool) -> Plan | None:
    """What is left to do; None where origin has it all. Raises Refused where origin's branch is not ours."""
    heads = remote_heads(git, place)
    above = BRANCH.partition("/")[0]
    if f"refs/heads/{above}" in heads:
        raise Refused(f"origin has a branch {above}, and git cannot have {BRANCH} beside it: rename or delete that one")
    theirs = heads.get(REF, "")
    if theirs and not any(is_ancestor(git, theirs, ours) for ours in (place.tip, place.head) if ours):
        raise Refused(not_ours(git, place, theirs))
    parents = find_parents(git, place)
    tree = write_tree(git, place, parents[-1])
    files = entries(git, tree, place.paths)
    same = bool(theirs) and place.tip in ("", theirs) and files == entries(git, theirs, place.paths)
    if same and (draft or not subject(git, theirs).startswith(DRAFT)):
        return None
    committed = len(parents) == 1 and tree == git("rev-parse", f"{parents[0]}^{{tree}}").strip()
    if committed and subject(git, parents[0]).startswith(DRAFT) == draft:
        title = ""
    before = entries(git, parents[0], place.paths)
    changes = {path: "changed" if path in before else "new" for path in files if files[path] != before.get(path)}
    asked = git("cat-file", "--batch-check", given="".join(f"{commit}\n" for commit in heads.values())).splitlines()
    known = "".join(f"^{line.split()[0]}\n" for line in asked if not line.endswith(" missing"))
    return Plan(tree, parents, title, changes, not heads, known)


def remote_heads(git: Git, place: Place) -> dict[str, str]:
    """The remote's branches and their commits, as they are now, there where the push will go."""
    fetched_from = git.find("remote", "get-url", "origin")
    where = "origin" if place.addresses == (fetched_from,) else place.addresses[0]
    done = git.run("ls-remote", "--heads", "--", where, patience=PATIENCE)
    if done.status:
        raise Refused(
            f"the remote origin ({', '.join(place.addresses)}) does not answer: {done.reason}: try git ls-remote origin"
            f" until it does, then run {AGAIN} again"
        )
    pairs = (line.split("\t", 1) for line in done.text.splitlines() if "\t" in line)
    return {name: commit for commit, name in pairs}


def not_ours(git: Git, place: Place, theirs: str) -> str:
    """Someone else's branch contents, or the student's own from another computer: never overwritten, never built on."""
    tell = f", the last one: {said}" if (said := subject(git, theirs)) else ""
    if place.branch == BRANCH:
        bring = f"git pull --no-rebase origin {BRANCH}"
    elif place.tip:
        bring = f"git switch {BRANCH} and git pull --no-rebase origin {BRANCH}"
    else:
        bring = f"git fetch origin {BRANCH}:{BRANCH}"
    return (
        f"someone else's branch contents: {BRANCH} at origin, {theirs[:10]}, has commits that are not here{tell}; if"
        f" they are yours, bring them here ({bring}) and run {AGAIN} again, else hand in to a repository of your own"
        " (git remote set-url origin ADDRESS)"
    )


def find_parents(git: Git, place: Place) -> tuple[str, ...]:
    """What the commit stands on: the newer of HEAD and the local branch, or both where each has commits of its own.

    The files beside the student's are those of the last one. Raises Refused where that would drop some of the branch's.
    """
    if not place.tip or is_ancestor(git, place.tip, place.head):
        return (place.head,)
    if is_ancestor(git, place.head, place.tip):
        return (place.tip,)
    fork = git.find("merge-base", place.tip, place.head)
    if not fork:
        raise Refused(
            f"your branch {BRANCH} and your branch {place.branch} have no commit in common: git switch {BRANCH}, put"
            f" your files there, and run {AGAIN} again"
        )
    strays = differing(git, fork, place.tip) & differing(git, place.head, place.tip) - set(place.paths)
    if strays:
        raise Refused(
            f"your branch {BRANCH} has changes in {min(strays)} that your branch {place.branch} has not: git merge"
            f" {BRANCH} (or git switch {BRANCH}), and run {AGAIN} again"
        )
    return (place.tip, place.head)


def differing(git: Git, old: str, new: str) -> set[str]:
    """The paths that differ between two commits."""
    return set(git("diff-tree", "-r", "-z", "--name-only", "--no-renames", old, new).split("\0")) - {""}


def write_tree(git: Git, place: Place, base: str) -> str:
    """The base's files with the student's put in, as a tree; the index of the repository is not used."""
    with tempfile.TemporaryDirectory() as folder:
        index = os.path.join(folder, "index")
        git("read-tree", base, index=index)
        given = "".join(f"{path.removeprefix(place.prefix)}\0" for path in place.paths)
        git("update-index", "--add", "-z", "--stdin", given=given, index=index)
        return git("write-tree", index=index).strip()


def entries(git: Git, tree: str, paths: Sequence[str]) -> dict[str, str]:
    """Mode and blob of each of those files in a commit or tree; those that are not there are left out."""
    listed = git("--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", tree, "--", *paths)
    return {path: entry for entry, _, path in (line.partition("\t") for line in listed.split("\0")) if path}


def is_ancestor(git: Git, old: str, new: str) -> bool:
    return git.run("merge-base", "--is-ancestor", old, new).status == 0


def subject(git: Git, commit: str) -> str:
    """The first line of a commit's message, '' where the commit is not here."""
    said = git.find("rev-list", "-1", "--encoding=UTF-8", "--format=%s", commit, "--")
    return said.partition("\n")[2].strip()


def check_contents(git: Git, place: Place, plan: Plan) -> None:
    """Raises Refused where a file holds a secret, as it would be committed; the secret itself is not said."""
    paths = {entry.split()[2]: path for path, entry in entries(git, plan.tree, place.paths).items()}
    for blob, raw in contents(git, list(paths)):
        if found := secret_in(paths[blob], raw):
            raise Refused(
                f"{paths[blob]}:{found[0]} holds what looks like {found[1]}: write <secret> in its place (and have it"
                f" changed, if it was real), then run {AGAIN} again"
            )


def unpublished(git: Git, plan: Plan, remotes: tuple[str, ...], *options: str) -> list[str]:
    """rev-list's lines for the commits below the new one that origin's branches and those remotes have not."""
    said = git("rev-list", "--stdin", *options, *plan.parents, "--not", *remotes, given=plan.known)
    return said.removesuffix("\n").split("\n") if said else []


def commits_along(git: Git, plan: Plan) -> list[str]:
    """Each commit that origin gets beside the new one, on one line, newest first; as far as is known here."""
    remotes = () if plan.origin_empty else ("--remotes=origin",)  # what was seen there last, unless all of it is gone
    lines = unpublished(git, plan, remotes, "--encoding=UTF-8", "--format=%h %s")
    return [line for line in lines if not re.fullmatch(r"commit [0-9a-f]{40,64}", line)]


def check_along(git: Git, place: Place, plan: Plan) -> None:
    """Raises Refused where a commit that goes along holds a large file or a secret, though it may be gone since.

    What another remote has is the lesson's. Where the lesson's own first commit is among them (origin is empty), only
    the student's files are looked at.
    """
    whole = bool(unpublished(git, plan, ("--remotes",), "--max-parents=0"))
    named = (line.partition(" ") for line in unpublished(git, plan, ("--remotes",), "--objects"))
    paths = {blob: path for blob, _, path in named if path and (not whole or path in place.paths)}
    sizes = git("cat-file", "--batch-check", given="".join(f"{blob}\n" for blob in paths)).splitlines()
    for blob, kind, *size in (line.split() for line in sizes):
        if kind != "blob":
            del paths[blob]
        elif int(size[0]) > LARGEST_ALONG:
            raise Refused(along_sentence(f"{paths[blob]} with {int(size[0]):,} bytes, more than {LARGEST_ALONG:,},"))
    for blob, raw in contents(git, list(paths)):
        if found := secret_in(paths[blob], raw):
            raise Refused(along_sentence(f"{paths[blob]}, which holds what looks like {found[1]} in line {found[0]},"))


def along_sentence(what: str) -> str:
    """Why a commit of the student's own cannot go along."""
    return (
        f"{what} is in a commit of yours that would be pushed along: make your commits anew without it (git reset"
        f" --soft to the last commit before it, take it out, commit), and run {AGAIN} again"
    )


def contents(git: Git, blobs: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Each blob and what is in it, from git's stream of `BLOB blob SIZE`, a line end, the content, a line end."""
    stream = git.run("cat-file", "--batch", given="".join(f"{blob}\n" for blob in blobs)).raw if blobs else b""
    at = 0
    while at < len(stream):
        end = stream.index(b"\n", at)
        blob, _, size = stream[at:end].split()
        at = end + 1 + int(size)
        yield blob.decode(), stream[end + 1 : at]
        at += 1
