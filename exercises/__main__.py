"""python -m exercises: check the exercises in order, and show the first that is not done."""

from __future__ import annotations

if __name__ == "__main__":
    from contracts.ending import begin

    begin()

import argparse
import json
import os
import shutil
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

from exercises.manifest import EXERCISES, FOLDER, STUBS, Exercise, student_files

# What the checks stand on. A shell's `python` may be another one, even in JupyterLab's terminal: go on with .venv's.
if lacking := [name for name in ("duckdb", "ibis", "pyarrow", "pydantic", "yaml") if find_spec(name) is None]:
    ours = FOLDER.parent / ".venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if ours.exists() and Path(sys.prefix) != FOLDER.parent / ".venv":
        sys.exit(subprocess.call([str(ours), "-m", "exercises", *sys.argv[1:]]))
    sys.exit(f"exercises: this Python has no module {lacking[0]!r}; run `python make.py setup` in the lesson's folder")

from contracts.arguments import Parser
from contracts.ending import command, of_output
from contracts.errors import printable
from contracts.writing import whole_or_not_at_all
from exercises.checker import Outcome, copy_stubs, outcomes
from exercises.submit import main as hand_in


def python() -> str:
    """What to type for this Python: its path, unless its environment is the one that the shell has activated."""
    mine, root = Path(sys.executable), FOLDER.parent
    if root not in mine.parents or os.environ.get("VIRTUAL_ENV") == sys.prefix:
        return "python"
    return str(mine.relative_to(root))


AGAIN = f"{python()} -m exercises"


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line: 0 all done, 1 something is not, 2 wrong usage or a folder that cannot be written."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    given = sys.argv[1:] if arguments is None else list(arguments)
    if given[:1] == ["submit"]:
        return hand_in(given[1:])
    chosen = parser().parse_args(given)
    try:
        return int(chosen.run(chosen))
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        if of_output(error):
            raise
        print(f"exercises: {printable(str(error))}: give write access to exercises/ and run again", file=sys.stderr)
        return 2


def parser() -> argparse.ArgumentParser:
    """The commands; without one, all exercises are checked."""
    made = Parser(
        prog=AGAIN,
        description="Check the exercises in order, and show the first that is not done."
        " Exit status: 0 done, 1 not yet, 2 could not check.",
    )
    made.set_defaults(run=check_all)
    commands = made.add_subparsers(metavar="COMMAND")

    def command(name: str, run: Callable[[argparse.Namespace], int], says: str, number: bool = False) -> None:
        added = commands.add_parser(name, help=says, description=f"{says[0].upper()}{says[1:]}.")
        added.set_defaults(run=run)
        if number:
            added.add_argument("number", metavar="N", type=int, choices=range(1, len(EXERCISES) + 1), help="its number")
        if name == "list":
            added.add_argument(
                "--format", choices=("text", "json"), default="text", help="how to say it (default: text)"
            )

    command("check", check_one, "check one exercise alone", number=True)
    command("hint", hint, "give a hint for one exercise", number=True)
    command("list", listing, "list the exercises: title, files, done or open")
    command("watch", watch, "check again whenever a file is saved, until Ctrl-C")
    command("reset", reset, "begin one exercise again; what is there now is kept as a backup", number=True)
    commands.add_parser("submit", help="hand in: check, commit and push (--draft: unfinished work too)")
    return made


# --- checking ---------------------------------------------------------------------------------------------------------


def check_all(_: argparse.Namespace) -> int:
    """Show the first exercise that is not done, and how far all of them are."""
    for name in copy_stubs():
        print(f"new: exercises/{name}")
    return show(outcomes())


def check_one(chosen: argparse.Namespace) -> int:
    """Show one exercise, done or not."""
    copy_stubs()
    found = outcomes([chosen.number])
    if found[0].done:
        print(f"Exercise {chosen.number}, {found[0].exercise.title}: done.")
        return 0
    tell(found[0], f"{AGAIN} check {chosen.number}")
    return 1


def show(found: Sequence[Outcome]) -> int:
    """The first that is not done, and how many are; 0 where all are, else 1."""
    open_ones = [outcome for outcome in found if not outcome.done]
    if open_ones:
        tell(open_ones[0], AGAIN)
    print(bar(found))
    if not open_ones:
        print(f"\nAll six are done. Hand in with: {AGAIN} submit")
    return 1 if open_ones else 0


def tell(outcome: Outcome, again: str) -> None:
    """One exercise that is not done: what to do, what is wrong, what comes next."""
    exercise = outcome.exercise
    print(f"\nExercise {exercise.number} of {len(EXERCISES)}: {exercise.title}\n{exercise.goal}\n")
    print(outcome.message)
    if outcome.printed.strip():
        print("\n  your code printed:")
        for line in outcome.printed.splitlines()[:20]:
            print(f"  | {printable(line)}")
    print(f"\nThe lesson: {exercise.lesson}")
    print(f"Next: edit, save, and run  {again}\n      a hint:  {AGAIN} hint {exercise.number}\n")


def bar(found: Sequence[Outcome]) -> str:
    """[####----] 3 of 6 done"""
    done = sum(outcome.done for outcome in found)
    marks = "".join(("####" if outcome.done else "----") for outcome in found)
    return f"[{marks}] {done} of {len(found)} done"


# --- the other commands -----------------------------------------------------------------------------------------------


def hint(chosen: argparse.Namespace) -> int:
    """The hint for one exercise."""
    exercise = EXERCISES[chosen.number - 1]
    print(f"Exercise {exercise.number}: {exercise.title}\n")
    print(textwrap.fill(exercise.hint, 100))
    print(f"\nThe lesson: {exercise.lesson}")
    return 0


def listing(chosen: argparse.Namespace) -> int:
    """Every exercise and how it stands; 0 all done, 1 not."""
    copy_stubs()
    found = outcomes()
    if chosen.format == "json":
        print(json.dumps([entry(outcome) for outcome in found], indent=2))
    else:
        for outcome in found:
            exercise = outcome.exercise
            print(f"{exercise.number}  {'done' if outcome.done else 'open'}  {exercise.title}")
            print(f"         {', '.join(f'exercises/{name}' for name in exercise.files)}")
        print(bar(found))
    return 0 if all(outcome.done for outcome in found) else 1


def entry(outcome: Outcome) -> dict[str, object]:
    """An outcome as JSON has it."""
    exercise = outcome.exercise
    return {
        "number": exercise.number,
        "title": exercise.title,
        "files": [f"exercises/{name}" for name in exercise.files],
        "done": outcome.done,
        "message": outcome.message,
    }


def watch(_: argparse.Namespace) -> int:
    """Check now, and again whenever a file of the student's or the README is saved."""
    status, last = 1, None
    try:
        while status:
            if (now := saved()) != last:
                print(f"\n{'-' * 100}")
                status, last = check_all(argparse.Namespace()), saved() if last is None else now
                print("watching: save a file to check again, Ctrl-C to stop" if status else "", flush=True)
            time.sleep(0.3)
    except KeyboardInterrupt:  # which is how to end it
        print()
        raise SystemExit(status) from None
    return status


def saved() -> dict[Path, int]:
    """When each file that the checks read was last written."""
    times = {}
    for path in (*student_files(), FOLDER.parent / "README.md"):
        try:
            times[path] = path.stat().st_mtime_ns
        except OSError:
            times[path] = 0
    return times


def reset(chosen: argparse.Namespace) -> int:
    """Put the stubs of one exercise in place; files that differ from them are kept as numbered backups."""
    exercise: Exercise = EXERCISES[chosen.number - 1]
    for name in exercise.files:
        path, stub = FOLDER / name, STUBS / name
        if path.exists() and path.read_bytes() != stub.read_bytes():
            kept = backup_of(path)
            with whole_or_not_at_all(kept) as half:
                shutil.copy2(path, half)
            print(f"kept: exercises/{kept.name}")
        with whole_or_not_at_all(path) as half:
            shutil.copyfile(stub, half)
        print(f"fresh: exercises/{name}")
    return 0


def backup_of(path: Path) -> Path:
    """A name that is free: ex1_figures.backup-1.py"""
    number = 1
    while (kept := path.with_name(f"{path.stem}.backup-{number}{path.suffix}")).exists():
        number += 1
    return kept


if __name__ == "__main__":
    status = command(main, "exercises")
    for folder in (FOLDER, FOLDER / "checks"):  # what Python keeps of this program itself
        shutil.rmtree(folder / "__pycache__", ignore_errors=True)
    sys.exit(status)
