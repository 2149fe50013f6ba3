"""Check all exercises: the student's code runs in a process of its own, which may hang, end or crash.

outcomes() -> list[Outcome], one for each exercise, in order
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from contracts.writing import whole_or_not_at_all
from exercises.checks.student import Wrong
from exercises.manifest import EXERCISES, FOLDER, STUBS, Exercise

ALL = tuple(exercise.number for exercise in EXERCISES)
LIMIT = 5.0  # seconds that one exercise may take


@dataclass(frozen=True)
class Outcome:
    """How one exercise stands. message: what to mend, '' where it is done; printed: what the student's code printed."""

    number: int
    done: bool
    message: str
    printed: str = ""

    @property
    def exercise(self) -> Exercise:
        return EXERCISES[self.number - 1]


def copy_stubs() -> list[str]:
    """Put a stub where a file of the student's is missing; the names of those. Raises OSError where it cannot."""
    fresh = []
    for name in (name for exercise in EXERCISES for name in exercise.files):
        if not (FOLDER / name).exists():
            with whole_or_not_at_all(FOLDER / name) as half:
                shutil.copyfile(STUBS / name, half)
            fresh.append(name)
    return fresh


def outcomes(
    numbers: Sequence[int] = ALL,
    *,
    folder: Path = FOLDER,
    limit: float = LIMIT,
) -> list[Outcome]:
    """How the exercises stand. It writes nothing, so a file that is not there yet is said to be missing.

    All run in one process; where one of them hangs or ends it, the rest run in another.
    """
    found: list[Outcome] = []
    while len(found) < len(numbers):
        rest = numbers[len(found) :]
        lines, stopped_at = run(rest, folder, limit)
        found += [Outcome(**json.loads(line)) for line in lines]
        if len(lines) < len(rest) and (not lines or "Timeout" in stopped_at):  # else the one before may have spoilt it
            number = rest[len(lines)]
            found.append(Outcome(number, False, str(stopped(EXERCISES[number - 1], stopped_at, limit))))
    return found


def run(numbers: Sequence[int], folder: Path, limit: float) -> tuple[list[str], str]:
    """The worker's lines for the exercises that it brought to an end, and what it said when it did not."""
    command = [sys.executable, "-B", "-m", "exercises.worker", str(limit), str(folder), *map(str, numbers)]
    process = subprocess.Popen(
        command,
        cwd=FOLDER.parent,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="backslashreplace",
    )
    with process:
        try:
            # Beyond its own limit: where the student's code has switched that off, or holds the interpreter.
            out, err = process.communicate(timeout=(limit + 5) * len(numbers))
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            err += "Timeout"
        except BaseException:
            process.kill()
            raise
    return [line for line in out.splitlines() if line.startswith("{")], err


def stopped(exercise: Exercise, said: str, limit: float) -> Wrong:
    """What to say of an exercise that did not come to its end."""
    scripts = [name for name in exercise.files if name.endswith(".py")] or list(exercise.files)
    frame = re.search(rf'{re.escape(scripts[0])}", line (\d+) in (\S+)', said)
    where = f"exercises/{scripts[0]}" + (f":{frame[1]}  {frame[2]}" if frame else "")
    if "Timeout" in said:
        why = f"Your code was still running here after {limit:g} seconds, so it was stopped. Is there a loop that does"
        return Wrong(where, f"{why} not end? A while needs something in its body that makes its condition false.")
    if "Traceback" in said:  # of ours: the student's own are caught
        return Wrong(where, f"The checker itself failed; please report it:\n  {said.strip().splitlines()[-1]}")
    return Wrong(where, "Your code ended the whole program (os._exit, or a crash), so nobody could look at its answer.")
