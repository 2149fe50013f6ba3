"""git for the hand-in: run without a shell, in English, and why it failed on one line."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from contracts.errors import masked as masked
from contracts.errors import shortened

AGAIN = "python -m exercises submit"


class Refused(Exception):
    """Why nothing is handed in, in one sentence, and commands to copy that mend it.

    status: 1 the work is not finished, 2 it cannot be handed in.
    """

    def __init__(self, sentence: str, status: int = 2, commands: tuple[str, ...] = ()) -> None:
        super().__init__(sentence)
        self.status = status
        self.commands = commands


@dataclass(frozen=True)
class Done:
    """What a git command gave."""

    status: int
    raw: bytes
    reason: str  # of a failure, on one line

    @property
    def text(self) -> str:
        return self.raw.decode("utf-8", "surrogateescape")


class Git:
    """git in one folder: no shell, in English, and it asks for a password only where somebody is there."""

    def __init__(self, folder: Path, asks: bool) -> None:
        self.folder = folder
        # Whoever runs this from a hook or an alias of git has these set, for another folder or index.
        ours = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"}
        kept = {name: value for name, value in os.environ.items() if name not in ours and name[:9] != "GIT_TRACE"}
        self.environment = kept | {"LC_ALL": "C"}
        if not asks:
            self.environment["GIT_TERMINAL_PROMPT"] = "0"
            if not {"GIT_SSH", "GIT_SSH_COMMAND"} & kept.keys() and self.run("config", "core.sshCommand").status:
                self.environment["GIT_SSH_COMMAND"] = "ssh -o BatchMode=yes"

    def run(self, *arguments: str, given: str | None = None, index: str = "", patience: float | None = None) -> Done:
        """Run git to its end. Output goes to files: a pipe could be held open by whatever git has started."""
        environment = self.environment | ({"GIT_INDEX_FILE": index} if index else {})
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            try:
                process = subprocess.Popen(
                    ["git", *arguments],
                    cwd=self.folder,
                    env=environment,
                    stdin=subprocess.DEVNULL if given is None else subprocess.PIPE,
                    stdout=out,
                    stderr=err,
                )
            except FileNotFoundError:
                raise Refused("git is not installed, or not on the PATH: install it, and run again") from None
            except OSError as error:
                raise Refused(f"git cannot be run: {error}: mend that, and run again") from None
            with process:
                try:
                    process.communicate(given.encode("utf-8", "surrogateescape") if given else None, timeout=patience)
                except subprocess.TimeoutExpired:
                    end(process)
                    return Done(1, b"", f"no answer within {patience:g} seconds")
                except BaseException:
                    end(process)
                    raise
            out.seek(0)
            err.seek(0)
            return Done(process.returncode, out.read(), reason(err.read().decode("utf-8", "replace")))

    def __call__(self, *arguments: str, given: str | None = None, index: str = "") -> str:
        """What git says; raises Refused where it fails."""
        done = self.run(*arguments, given=given, index=index)
        if done.status:
            raise Refused(f"git {arguments[0]} failed: {done.reason}: mend that, and run {AGAIN} again")
        return done.text

    def find(self, *arguments: str) -> str:
        """What git says, on one line; '' where it fails."""
        done = self.run(*arguments)
        return "" if done.status else done.text.rstrip("\r\n")


def end(process: subprocess.Popen[bytes]) -> None:
    """End git: first so that it removes its lock files, which would be in the way of the next run."""
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(3)
    process.kill()


def reason(said: str) -> str:
    """Why git failed: its first line, and the first that is marked as the error."""
    lines = [line.strip() for line in said.splitlines()]
    noise = re.compile(r"(hint|warning)\b|To |(remote: *)?$|error: failed to push some refs|Please make sure", re.I)
    telling = [line for line in lines if not noise.match(line)] or [line for line in lines if line]
    marked = [line for line in telling if re.search(r"(fatal|error): |! \[", line)]
    return shortened("; ".join(dict.fromkeys([*telling[:1], *marked[:1]])) or "no reason given", 500)
