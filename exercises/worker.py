"""The process in which the student's code runs: `python -m exercises.worker SECONDS FOLDER NUMBER...`

It writes one line of JSON per exercise to its standard output. Where an exercise takes longer than SECONDS, it writes
to standard error where the code was, and ends; `checker` goes on with the next exercise in a new process.
"""

from __future__ import annotations

import faulthandler
import importlib
import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from decimal import localcontext
from pathlib import Path
from typing import Any

from exercises.checks.student import Kept, Workbook, Wrong
from exercises.manifest import EXERCISES

MEMORY = 8 << 30  # bytes of address space that the student's code may take, most of which is never used


@contextmanager
def quiet() -> Iterator[Kept]:
    """Keep what the student's code prints; nobody answers its input(), and its folder is where it was."""
    kept, stdin, folder, limit = Kept(), sys.stdin, os.getcwd(), sys.getrecursionlimit()
    try:
        sys.stdin = io.StringIO("")
        with redirect_stdout(kept), redirect_stderr(kept), localcontext():
            yield kept
    finally:
        sys.stdin = stdin
        os.chdir(folder)
        sys.setrecursionlimit(limit)


def judge(number: int, folder: Path) -> dict[str, Any]:
    """Check one exercise in this process: {number, done, message, printed}."""
    exercise = EXERCISES[number - 1]
    check = importlib.import_module(f"exercises.checks.{exercise.name}").check
    message = ""
    with quiet() as kept:
        try:
            check(Workbook(folder))
        except Wrong as wrong:
            message = str(wrong)
    return {"number": number, "done": not message, "message": message, "printed": kept.text}


def main(arguments: list[str]) -> None:
    """Check one exercise after the other; what the student's code writes on either stream is kept out of the answer."""
    seconds, folder, *numbers = arguments
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")  # os.write(1, ...) of the student's goes nowhere
    err = os.fdopen(os.dup(2), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    with suppress(ImportError, ValueError, OSError):  # where the system has such a limit
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    for number in map(int, numbers):
        importlib.import_module(f"exercises.checks.{EXERCISES[number - 1].name}")  # not on the student's time
        faulthandler.dump_traceback_later(float(seconds), exit=True, file=err)
        found = judge(number, Path(folder))
        faulthandler.cancel_dump_traceback_later()
        print(json.dumps(found), file=out, flush=True)
    out.flush()
    os._exit(0)  # whatever threads the student's code has left behind


if __name__ == "__main__":
    main(sys.argv[1:])
