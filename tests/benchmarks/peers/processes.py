"""Whole processes, measured: wall clock, CPU and peak memory; and the environments that they run in.

CPU is user and system time, children included. Peak memory is that of the largest process (MiB). Both come from the
system when the process has ended (wait4), which Windows does not have; there, wall clock is all. A process that takes
more memory than it may, or longer than it may, is stopped.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
HOME = ROOT / "data" / "bench-envs"
QUIET = {  # nobody phones home, and no tool looks for a newer version of itself
    "DO_NOT_TRACK": "1",
    "SODA_CORE_TELEMETRY_ENABLED": "false",
    "GX_ANALYTICS_ENABLED": "false",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "TQDM_DISABLE": "1",
    "PYTHONWARNINGS": "ignore",
    "NO_COLOR": "1",
    "COLUMNS": "200",
}
LIMIT = 600.0  # seconds that one process may take


class NotRun(Exception):
    """A tool that cannot be installed, that crashes, or that takes too much: why."""


@dataclass(frozen=True)
class Measured:
    """One process. Seconds, MiB; NaN where the system does not say."""

    wall: float
    cpu: float
    peak: float
    out: str

    @property
    def answer(self) -> dict[str, Any]:
        """What a script of this folder said on its last line."""
        return json.loads(self.out.strip().splitlines()[-1])


def environment(name: str) -> Path:
    """The programs of a tool's environment, made on the first run and whenever its pinned file changes.

    It is of this Python, but for `boundary`, which takes a later one where there is one: tacit needs 3.12.
    """
    pinned = HERE / f"{name}.txt"
    python = later_python() if name == "boundary" else sys.executable
    version = subprocess.run([python, "-VV"], capture_output=True, text=True).stdout
    mark = hashlib.sha256(pinned.read_bytes() + version.encode()).hexdigest()[:12]
    folder = HOME / f"{name}-{mark}"
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    if (folder / "ready").exists():
        return programs
    for old in HOME.glob(f"{name}-*"):
        shutil.rmtree(old, ignore_errors=True)
    print(f"installing {name}", file=sys.stderr, flush=True)
    HOME.mkdir(parents=True, exist_ok=True)
    for command in (
        [python, "-m", "venv", folder],
        [programs / "python", "-m", "pip", "install", "--quiet", "-r", pinned],
    ):
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, env=os.environ | QUIET)
        if done.returncode:
            said = (done.stderr.strip() or done.stdout.strip() or "nothing").splitlines()[-1]
            raise NotRun(f"{pinned.name} cannot be installed: {said[:200]}")
    (folder / "ready").touch()
    return programs


def later_python() -> str:
    """A Python of 3.12 or 3.13 that runs: this one, or one on the PATH; this one where there is none."""
    if sys.version_info >= (3, 12):
        return sys.executable
    for each in map(shutil.which, ("python3.13", "python3.12")):
        if each and subprocess.run([each, "-c", "import venv"], capture_output=True).returncode == 0:
            return each
    return sys.executable


def version(programs: Path, packages: Sequence[str]) -> str:
    """Such as "soda-core 4.28.0, duckdb 2.0.1"; what is not installed is left out."""
    code = (
        "import importlib.metadata as m, sys\n"
        "have = {d.metadata['Name'].lower(): d.version for d in m.distributions()}\n"
        "print(', '.join(f'{p} {have[p]}' for p in sys.argv[1:] if p in have))"
    )
    return subprocess.run([programs / "python", "-c", code, *packages], capture_output=True, text=True).stdout.strip()


def measure(command: Sequence[Any], good: Sequence[int] = (0,), most: float = 0.0, limit: float = LIMIT) -> Measured:
    """Run a program to its end, in this repository; NotRun where it ends otherwise, or takes more than `most` MiB."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.perf_counter()
        try:
            process = subprocess.Popen(
                [str(part) for part in command],
                cwd=ROOT,
                env=os.environ | QUIET,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
        except OSError as error:
            raise NotRun(str(error)) from None
        watch = Watch(process, most, limit)
        try:
            status, cpu, peak = wait(process)
        except KeyboardInterrupt:  # which a process of a session of its own does not get
            watch.stop()
            raise
        finally:
            watch.ended.set()
        wall = time.perf_counter() - start
        out.seek(0)
        err.seek(0)
        said, wrong = (file.read().decode("utf-8", "replace") for file in (out, err))
    if watch.why:
        raise NotRun(watch.why)
    if status not in good:
        last = (wrong.strip() or said.strip() or "nothing").splitlines()[-1]
        raise NotRun(f"ended with {status}: {last[:160]}")
    return Measured(wall, cpu, peak, said)


def wait(process: subprocess.Popen[bytes]) -> tuple[int, float, float]:
    """(exit status, CPU seconds, MiB at the peak)."""
    if not hasattr(os, "wait4"):
        return process.wait(), float("nan"), float("nan")
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    unit = 1024 * 1024 if sys.platform == "darwin" else 1024
    return process.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / unit


class Watch(threading.Thread):
    """Stops a process of ours, and what it has started, when it takes too much. `why` says that it did."""

    def __init__(self, process: subprocess.Popen[bytes], most: float, limit: float) -> None:
        super().__init__(daemon=True)
        self.process, self.most, self.limit = process, most, limit
        self.why, self.ended = "", threading.Event()
        self.start()

    def run(self) -> None:
        deadline = time.monotonic() + self.limit
        while not self.ended.wait(0.2):
            if time.monotonic() > deadline:
                self.why = f"stopped after {self.limit:.0f} s"
            elif self.most and self.resident() > self.most:
                self.why = f"stopped when it took more than {self.most / 1024:.0f} GiB"
            if self.why:
                self.stop()
                return

    def resident(self) -> float:
        """MiB of the process now; 0 where /proc does not say."""
        try:
            text = Path(f"/proc/{self.process.pid}/statm").read_text()
        except OSError:
            return 0.0
        return int(text.split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20

    def stop(self) -> None:
        try:
            if hasattr(os, "killpg"):
                os.killpg(self.process.pid, signal.SIGKILL)  # the leader of a session of its own
            else:
                self.process.kill()
        except OSError:
            return
