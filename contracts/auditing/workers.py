"""Processes that read files, each with a deadline: one that hangs or dies takes one file with it, and is replaced.

    in_workers(tasks, processes) -> (task, what facts(*task) gives, or why it gives nothing), as they come

They are started anew rather than forked, so this works on every system; they get a task and give a result through
pipes, and end with the process that started them.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from contracts.auditing.facts import Facts
from contracts.auditing.sqlfiles import facts

Task = tuple[Any, ...]  # the arguments of `facts`

SECONDS = 20.0  # for one file
MOST_MEMORY = 3 << 30  # bytes of one process, where the system can limit them
MOST_NESTED = 3000  # calls within calls; SQL of that depth is no longer written by people
START = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from contracts.auditing.workers import serve; serve()"


def serve() -> None:
    """What a process does: read tasks, write results, until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started this one says when to end
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    sys.setrecursionlimit(MOST_NESTED)
    tasks, results = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    sys.stdout = sys.stderr  # nobody else may write between the results
    pickle.dump("ready", results)
    results.flush()
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            task = pickle.load(tasks)
            pickle.dump(facts(*task), results)
            results.flush()


class Worker:
    """One such process, started when it is needed."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.process: subprocess.Popen[bytes] | None = None

    def ask(self, task: Task) -> Facts | str:
        """The facts of a file, or why there are none."""
        process = self.process or self.start()
        late = threading.Event()

        def kill() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(self.seconds, kill)
        timer.start()
        try:
            assert process.stdin is not None and process.stdout is not None
            pickle.dump(task, process.stdin)
            process.stdin.flush()
            found: Facts = pickle.load(process.stdout)
            return found
        except (OSError, EOFError, pickle.UnpicklingError):
            self.stop()
            if late.is_set():
                return f"it was not done after {self.seconds:g} seconds, so the audit went on without it"
            return "the process that read it died (it may be nested too deeply, or need too much memory)"
        finally:
            timer.cancel()

    def start(self) -> subprocess.Popen[bytes]:
        """Start the process, and wait until it is ready. Raises OSError where it does not come up."""
        own = str(Path(__file__).resolve().parent.parent)
        path = json.dumps([own, *(entry for entry in sys.path if entry != own)])
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", START, path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert process.stdout is not None
        try:
            pickle.load(process.stdout)
        except EOFError:
            raise OSError(f"cannot start {sys.executable} to read the SQL; see whether it runs by itself") from None
        self.process = process
        return process

    def stop(self) -> None:
        """End the process; the next question starts another."""
        process, self.process = self.process, None
        if process is not None:
            process.kill()
            for stream in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):
                    if stream is not None:
                        stream.close()
            process.wait()


def in_workers(tasks: Iterable[Task], processes: int, seconds: float = SECONDS) -> Iterator[tuple[Task, Facts | str]]:
    """The result of each task, as they come; only a few wait at any time, so memory stays flat."""
    source, lock = iter(tasks), threading.Lock()
    results: queue.Queue[tuple[Task, Facts | str] | BaseException | None] = queue.Queue(maxsize=4 * processes)
    workers = [Worker(seconds) for _ in range(processes)]
    ended = threading.Event()

    def run(worker: Worker) -> None:
        try:
            while not ended.is_set():
                with lock:
                    task = next(source, None)
                if task is None:
                    break
                put((task, worker.ask(task)))
        except BaseException as error:
            put(error)
        finally:
            worker.stop()
            put(None)

    def put(result: tuple[Task, Facts | str] | BaseException | None) -> None:
        while not ended.is_set():
            with contextlib.suppress(queue.Full):
                results.put(result, timeout=0.2)
                return

    threads = [threading.Thread(target=run, args=(worker,), daemon=True) for worker in workers]
    for thread in threads:
        thread.start()
    try:
        running = len(threads)
        while running:
            result = results.get()
            if result is None:
                running -= 1
            elif isinstance(result, BaseException):
                raise result
            else:
                yield result
    finally:
        ended.set()
        for worker in workers:
            if (process := worker.process) is not None:
                process.kill()
        for thread in threads:
            thread.join()
