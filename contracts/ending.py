"""How every command line of ours begins and ends: quietly on Ctrl-C, and in one sentence where it cannot go on.

    if __name__ == "__main__":
        begin()                     first of all, before the imports, which take most of a second
    ...
    if __name__ == "__main__":
        sys.exit(command(main))

Exit status: what `main` gives; 130 after Ctrl-C, or what the system says of SIGALRM where native code does not heed it
for GRACE seconds; 2 where the disk is full or our own code has crashed (Python's own 1
would mean "broken"). Before `begin` Python itself has begun, for a few hundredths of a second, and what it says of a
Ctrl-C then is not ours; so this imports nothing that takes time.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # the built-in part of signal, which imports enum and more
import atexit
import errno
import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

INTERRUPTED, NOBODY_READS = 130, 141  # as a shell has it of a process that ended by that signal
GRACE = 8.0  # seconds from Ctrl-C in which everything is put in order; git alone may take 3 to remove its lock


def begin() -> None:
    """From here on Ctrl-C ends the process at once: so far it has only imported, so there is nothing to put in order.

    Where standard input, output or error were closed, they lead nowhere: else the next file that is opened, say a
    database, would be number 1, and whoever prints would write into it.
    """
    sys.excepthook = lacking
    while (opened := os.open(os.devnull, os.O_RDWR)) < 3:
        os.set_inheritable(opened, True)
    os.close(opened)
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not where a shell's `&` or nohup ignores it
        signal.signal(signal.SIGINT, leave)


def lacking(kind: type[BaseException], error: BaseException, trace: Any) -> None:
    """What is said of an error that nobody has caught: while the command imports, mostly a Python without packages."""
    if not isinstance(error, ModuleNotFoundError):
        return sys.__excepthook__(kind, error, trace)
    name = os.path.basename(sys.argv[0].removesuffix(f"{os.sep}__main__.py"))
    print(f"{name}: {cannot(error)}", file=sys.stderr, flush=True)
    os._exit(2)


def leave(*_: object) -> NoReturn:
    os._exit(INTERRUPTED)


def command(run: Callable[[], int], name: str = "") -> int:
    """Run a command line to its exit status. name: of the command, before the sentence that says why it stopped."""
    gc.disable()  # one short run, most of it imports, which the collector would go through again and again
    interrupted = False

    def interrupt(*_: object) -> None:
        nonlocal interrupted
        if interrupted:  # Ctrl-C once more: somebody is in a hurry
            leave()
        interrupted = True
        limit(GRACE)
        raise KeyboardInterrupt

    status = 2
    heeded = signal.getsignal(signal.SIGINT) in (leave, signal.default_int_handler)
    if heeded:
        signal.signal(signal.SIGINT, interrupt)
    try:
        try:
            status = run()
        except SystemExit as end:  # of argparse, which has said it all, or of a command that waits for Ctrl-C to end
            status, interrupted = end.code if isinstance(end.code, int) else 2, False
            limit(0)
        sys.stdout.flush()
    except KeyboardInterrupt:
        interrupted = True
    except Exception as error:
        status = 2 if interrupted else stopped(error, name)
    # Whatever library made another error of the Ctrl-C, or swallowed it: it was one.
    if interrupted:
        atexit._run_exitfuncs()  # temporary folders go
        import contextlib

        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        leave()  # not by way of Python's own ending, in which a thread that still computes may crash
    if heeded:  # all is said and put in order; Python's own ending has nothing to tell of a Ctrl-C
        signal.signal(signal.SIGINT, leave)
    return status


def limit(seconds: float) -> None:
    """Let the system end this process after so many seconds, whatever native code does; 0 takes that back.

    A thread of Python's own could not: code that waits for ever may keep all of Python waiting.
    """
    if hasattr(signal, "setitimer"):  # not on Windows
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds)


def stopped(error: Exception, name: str) -> int:
    """The exit status after an error that no command expects, having said why."""
    # Nobody reads on (`| head`) or the disk is full; Python would complain once more when it flushes at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    if isinstance(error, BrokenPipeError):
        return NOBODY_READS
    if isinstance(error, OSError | MemoryError | ModuleNotFoundError):
        print(f"{name}{': ' * bool(name)}{cannot(error)}", file=sys.stderr)
        return 2
    import traceback

    traceback.print_exception(error)  # a fault of our own
    return 2


def place(text: str) -> str:
    """A file or a folder on the command line: "", as of a variable that is not set, would be the current folder."""
    if not text:
        from argparse import ArgumentTypeError

        raise ArgumentTypeError("the name is empty; give one, or is a variable of the shell not set?")
    return text


def of_output(error: OSError) -> bool:
    """Whether the error is of standard output, and of no file: the system says its number, and names none."""
    return error.errno is not None and error.filename is None


def cannot(error: OSError | MemoryError | ModuleNotFoundError) -> str:
    """Why the machine does not let a command go on, and what to do, in a sentence."""
    if isinstance(error, ModuleNotFoundError):
        says = "run it with .venv/bin/python (on Windows .venv\\Scripts\\python), which make.py makes"
        return f"this Python has no {error.name}; {says}" if str(error).startswith("No module") else str(error)
    from contracts.errors import brief, masked

    if isinstance(error, MemoryError):
        return "cannot go on: there is not enough memory; give it more, or less data"
    if of_output(error):
        return f"cannot write the output: {error.strerror or error}; make room, or write it elsewhere, and run again"
    said = masked(str(error))
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"{brief(said)}; make room, or name another place, and run again"
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return f"{brief(said)}; give access, or name another place, and run again"
    return brief(f"{said}; check the path, and run again" if error.filename else said)
