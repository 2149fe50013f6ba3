"""Ctrl-C at random moments of every command, the first imports among them: exit 130, nothing said but a sentence."""

import random
import shutil
import signal
import time
from dataclasses import dataclass, field

import scene as scenes

ENDING = 1.0  # seconds: who ends by itself so soon after the signal was at its end when it came


@dataclass
class Interrupted:
    """How a command took it, over some tries."""

    name: str
    tries: int = 0
    ended_before: int = 0  # it was done already
    by_signal: int = 0  # Python had not begun yet, or was at its end: the system ended it
    before_ours: int = 0  # Python itself was starting, and told it with a traceback of its own
    halves: int = 0  # left a temporary folder, which the next run removes
    faults: list[str] = field(default_factory=list)


def look(scene: scenes.Scene, name: str, arguments: list[str], moments: list[float]) -> Interrupted:
    """Interrupt a command at those moments, in seconds after its start."""
    found = Interrupted(name)
    for after in moments:
        shutil.rmtree(scene.folder / "planned", ignore_errors=True)
        began = time.perf_counter()
        done = scene.killed(*arguments, after=after, by=signal.SIGINT)
        went_on = time.perf_counter() - began - after
        found.tries += 1
        if done.status == -signal.SIGINT and not done.is_traceback:
            found.by_signal += 1
        elif done.is_traceback and is_pythons_own(done.err):
            found.before_ours += 1
        elif done.is_traceback:
            found.faults.append(f"{after:.3f} s: a traceback: {done.err.strip().splitlines()[-1][:100]}")
        elif done.status in (0, 1, 2) and went_on < ENDING:
            found.ended_before += 1
        elif done.status != 130:
            found.faults.append(f"{after:.3f} s: exit {done.status}: {done.err.strip()[:200]}")
        elif done.err.count("\n") > 2:
            found.faults.append(f"{after:.3f} s: it says {done.err.strip()[:200]}")
        if left := scene.halves():
            found.halves += 1
            shutil.rmtree(left[0])
    return found


def is_pythons_own(said: str) -> bool:
    """Whether the traceback is of Python's own start, up to the first lines of the command, which call `begin`."""
    files = [line for line in said.splitlines() if line.lstrip().startswith("File ")]
    first = ("<frozen", "sitecustomize", "__init__.py", "ending.py")
    return "<frozen site>" in said or all(
        any(name in line for name in first) or line.endswith("in <module>") for line in files
    )


def moments(scene: scenes.Scene, arguments: list[str], times: int, seed: int = 0) -> list[float]:
    """Spread over the command's life, half of them over its first part, when it imports."""
    shutil.rmtree(scene.folder / "planned", ignore_errors=True)
    began = time.perf_counter()
    scene.run(*arguments)
    lasts = time.perf_counter() - began
    chance = random.Random(seed)
    early = [chance.uniform(0, min(0.5, lasts)) for _ in range(times // 2)]
    return early + [chance.uniform(0, lasts) for _ in range(times - len(early))]
