"""The one place where files are written: each appears whole or not at all, whenever the process is killed.

What is written goes into a folder of its own beside the target, to the disk, and only then takes the target's place,
in one step of the file system. A process that was killed leaves that folder; the next one to write there removes it.
On Linux and macOS writers in one folder take turns, by a lock that ends with its process.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

HALF = ".contracts-half-"  # how the folders begin in which files are written
ABANDONED = 3600.0  # seconds after which nobody is still writing, where a lock cannot tell
PATIENCE = 300.0  # seconds to wait for whoever is writing in a folder


@contextmanager
def whole_or_not_at_all(path: Path) -> Iterator[Path]:
    """Where to write a file that takes the place of `path` once it is whole; killed before, the old one stays.

    The folder has to be there. A link leads to the file that is replaced; a device or a pipe is written as it is. The
    body may read the old file, since no other writer comes in between, but must not write another one of the same
    folder by this function: it would wait for itself. Raises OSError.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file() and not target.is_dir():
        yield path
        return
    with all_or_none(target.parent, [target.name]) as half:
        yield half / target.name


@contextmanager
def all_or_none(folder: Path, names: Sequence[str]) -> Iterator[Path]:
    """Where to write files that belong together: in `folder` all of them appear, or none.

    A folder that is new comes with them in one step. In a folder that is there, they take their places one after the
    other, the last of the old ones gone before the first of the new: killed between, files are missing, never mixed.
    Raises OSError.
    """
    folder = folder.absolute()
    with turn(folder, len(names) > 1) as beside, room(folder, names, beside) as home:
        half = Path(home, "new")
        half.mkdir()
        try:
            yield half
            for name in names:
                to_disk(half / name)
        except OSError as error:
            if error.errno is not None and error.filename is None:  # a full disk says so without the name of the file
                raise OSError(error.errno, os.strerror(error.errno), str(folder / names[0])) from error
            raise
        for name in names:
            if not (folder / name).is_symlink():  # what it leads to is not what is replaced
                with suppress(OSError):
                    shutil.copymode(folder / name, half / name)
        if beside == folder:
            put(half, folder, names)
        else:
            half.rename(folder)
        to_disk(beside)


def room(folder: Path, names: Sequence[str], beside: Path) -> tempfile.TemporaryDirectory[str]:
    """A folder to begin the files in, if their places may be written; asked in one's turn, when nobody moves them."""
    for path in (folder / name for name in names):
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "Is a folder, and a file is to be written", str(path))
        if not os.access(path, os.W_OK) and path.exists():
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    return tempfile.TemporaryDirectory(prefix=HALF, dir=beside, ignore_cleanup_errors=True)


def put(half: Path, folder: Path, names: Sequence[str]) -> None:
    for name in names[:0:-1]:
        (folder / name).unlink(missing_ok=True)
    for name in names:
        os.replace(half / name, folder / name)


def unfinished(folder: Path) -> bool:
    """Whether a process was killed while it wrote here, or is writing."""
    return any(left for place in (folder, folder.absolute().parent) for left in place.glob(f"{HALF}*"))


def to_disk(path: Path) -> None:
    """Wait until a file, or what a folder lists, is on the disk, as far as the system can say."""
    if path.is_dir():
        with suppress(OSError):  # not on Windows, nor on every file system, nor where it cannot be read
            sync(path, os.O_RDONLY)
    else:
        sync(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)


def sync(path: Path, mode: int) -> None:
    handle = os.open(path, mode)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sweep(folder: Path, age: float) -> None:
    """Remove what killed processes have left, if it is as many seconds old; 0 is all of it, whatever the clock says."""
    for left in folder.glob(f"{HALF}*"):
        with suppress(OSError):
            found = left.lstat()
            if stat.S_ISDIR(found.st_mode) and (not age or found.st_mtime <= time.time() - age):
                shutil.rmtree(left, ignore_errors=True)


@contextmanager
def turn(folder: Path, together: bool) -> Iterator[Path]:
    """Wait for one's turn to write in a folder; gives the folder to begin in, its parent where it will come as one."""
    if together and folder.exists():  # which the one that made it may have begun beside it
        with suppress(OSError), locked(folder.parent, patience=0) as alone:
            sweep(folder.parent, 0 if alone else ABANDONED)
    while True:
        is_new = together and not folder.exists()
        beside = folder.parent if is_new else folder
        if together:
            beside.mkdir(parents=True, exist_ok=True)
        with locked(beside) as alone:
            if is_new and folder.exists():  # somebody was faster
                continue
            sweep(beside, 0 if alone else ABANDONED)
            yield beside
            return


@contextmanager
def locked(folder: Path, patience: float = PATIENCE) -> Iterator[bool]:
    """Be the only one of us who writes in a folder; gives whether that could be had. Raises OSError after so many s."""
    if sys.platform == "win32":  # it has no locks on folders
        yield False
        return
    import fcntl

    try:
        handle = os.open(folder, os.O_RDONLY)
    except PermissionError:  # a folder may be written though it cannot be read
        yield False
        return
    try:
        end = time.monotonic() + patience
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > end:
                    says = f"Another process has been writing there for {patience:g} seconds; wait for it, or end it"
                    raise TimeoutError(errno.ETIMEDOUT, says, str(folder)) from None
                time.sleep(0.02)
            except OSError:  # this file system has no locks
                yield False
                return
        yield True
    finally:
        os.close(handle)
