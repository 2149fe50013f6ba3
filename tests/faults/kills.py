"""kill -9 at any moment: a process that has imported all it needs is forked, does its work, and is killed.

Forked, so that no time is spent on imports, in which nothing is written: the kills fall into the work itself, spread
over it evenly (`at_random`), and, aimed, right before and right after each step by which a file takes its place
(`at_steps`). POSIX alone.
"""

import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

STEPS = ("replace", "rename", "fsync", "unlink", "mkdir", "rmdir", "link")  # of os, by which files change their places


@dataclass
class Writer:
    """A command that writes. prepare: make the old state; job: its work; state: "old", "new", "missing", or else."""

    name: str
    prepare: Callable[[], object]
    job: Callable[[], int]
    state: Callable[[], str]
    left: Callable[[], list[Path]]  # temporary files that are there now
    good: tuple[int, ...] = (0,)  # its exit status when it has gone well


def child(job: Callable[[], int], said: Path, kill_at: int = 0) -> int:
    """Fork, and do the job there; the child's id. kill_at: the step, counted from 1, at which it kills itself:
    before the first, after it, before the second, ..."""
    process = os.fork()
    if process:
        return process
    try:
        os.setsid()
        out = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(out, 1)
        os.dup2(out, 2)
        count_steps(kill_at, said.with_suffix(".steps"))
        os._exit(job())
    finally:
        os._exit(99)


def count_steps(kill_at: int, noted: Path) -> None:
    """Note each step in a file of one byte a step; kill this process at that one."""
    notes = os.open(noted, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    taken = 0

    def step() -> None:
        nonlocal taken
        taken += 1
        os.write(notes, b".")
        if taken == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    def counted(original: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **named: object) -> object:
            step()
            found = original(*arguments, **named)
            step()
            return found

        return call

    for name in STEPS:
        setattr(os, name, counted(getattr(os, name)))


def wait(process: int) -> int:
    """The exit status, or minus the signal."""
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def once(writer: Writer, said: Path, kill_at: int = 0) -> tuple[int, float]:
    """Run it to its end: exit status and seconds."""
    began = time.perf_counter()
    status = wait(child(writer.job, said, kill_at))
    return status, time.perf_counter() - began


def after(writer: Writer, said: Path) -> Iterator[str]:
    """What is wrong after a kill: the state, and whether the next run brings the new one and leaves nothing."""
    if (found := writer.state()) not in ("old", "new", "missing"):
        yield f"state {found}"
    status, _ = once(writer, said)
    if status not in writer.good:
        yield f"the next run ended with {status}: {said.read_text(errors='replace').strip()[-200:]}"
    elif (found := writer.state()) != "new":
        yield f"the next run left the state {found}"
    elif left := writer.left():
        yield f"the next run left {left[0].name}"


@dataclass
class Tally:
    """Kills of one writer."""

    name: str
    kills: int = 0
    old: int = 0
    new: int = 0
    missing: int = 0  # of files that belong together some are not there, the others are of one time
    halves: int = 0  # kills after which a temporary folder was there
    faults: tuple[str, ...] = ()

    def add(self, writer: Writer, said: Path) -> None:
        state = writer.state()
        self.kills += 1
        self.old += state == "old"
        self.new += state == "new"
        self.missing += state == "missing"
        self.halves += bool(writer.left())
        self.faults += tuple(after(writer, said))


def at_random(writer: Writer, times: int, said: Path, seed: int = 0) -> Tally:
    """Kill it that often, at moments spread evenly over its life."""
    chance, tally = random.Random(seed), Tally(writer.name)
    writer.prepare()
    lasts = sorted(once(writer, said)[1] for _ in range(3) if writer.prepare() is not False)[1]
    while tally.kills < times:
        writer.prepare()
        process = child(writer.job, said)
        time.sleep(chance.uniform(0, lasts))
        os.kill(process, signal.SIGKILL)
        if wait(process) == -signal.SIGKILL:
            tally.add(writer, said)
        else:
            lasts *= 0.97  # it was faster than before
    return tally


def at_steps(writer: Writer, said: Path) -> Tally:
    """Kill it before and after each step by which a file takes its place."""
    tally = Tally(f"{writer.name}, aimed")
    writer.prepare()
    once(writer, said)
    steps = said.with_suffix(".steps").stat().st_size
    for kill_at in range(1, steps + 1):
        writer.prepare()
        if once(writer, said, kill_at)[0] == -signal.SIGKILL:
            tally.add(writer, said)
    return tally
