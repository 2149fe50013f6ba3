"""A contract as it stands in a git revision."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from pathlib import Path

from contracts.document import Contract, parse
from contracts.errors import ContractError
from contracts.values import short


class NoRevision(OSError):
    """git is missing, or knows no such revision."""


def load_at(revision: str, path: str | os.PathLike[str]) -> Contract | None:
    """The contract that the file held in that revision; None where there was no such file.

    Raises NoRevision, or ContractError.
    """
    folder, name = Path(path).absolute().parent, Path(path).name
    if not revision or revision.startswith("-") or "\0" in revision + str(path):
        raise NoRevision(f"{revision!r} is no git revision; name a branch, a tag or a commit, as --against main")
    if not folder.is_dir():
        raise NoRevision(f"{folder} is no folder; give the path of a contract")
    commit = git(folder, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    if commit is None:
        if git(folder, "rev-parse", "--show-toplevel") is None:
            raise NoRevision(f"{folder} is in no git repository, so there is no revision to compare with")
        raise NoRevision(f"git knows no revision {revision!r}; name a branch, a tag or a commit (fetched, in CI)")
    sha = commit.decode().strip()
    if git(folder, "ls-tree", "--name-only", sha, f"./{name}") == b"":
        return None
    raw = git(folder, "show", f"{sha}:./{name}")
    if raw is None:
        raise NoRevision(f"git cannot read {path} in the revision {revision!r}; fetch the whole of it, and run again")
    try:
        return parse(raw, source=path)
    except ContractError as error:
        faults = tuple(replace(fault, path=f"{revision}:{fault.path}") for fault in error.faults)
        raise ContractError(faults) from None


def git(folder: Path, *arguments: str) -> bytes | None:
    """What git says in that folder; None where it fails."""
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=60
        )
    except FileNotFoundError:
        raise NoRevision("git is not installed; compare two files instead") from None
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise NoRevision(f"git cannot be run: {short(str(error))}; compare two files instead") from None
    return done.stdout if done.returncode == 0 else None
