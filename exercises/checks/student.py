"""The student's files, opened, run and called; whatever goes wrong there has its sentence.

A check raises `Wrong`: where, what was called, what was expected, what came, and why, in one or two sentences.
"""

from __future__ import annotations

import ast
import importlib.util
import io
import re
import sys
import textwrap
import traceback
import types
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from contracts.errors import printable

LONGEST = 200  # characters of a value that a message shows
UNKNOWN = "That is none of the mistakes that are known here: follow this call through your code by hand, line by line."
GAP = "Here is still a gap: put your code where the ... is."


class Wrong(Exception):
    """What a check found: everything that the student needs to see."""

    def __init__(self, where: str, why: str, *, called: str = "", expected: str = "", got: str = "") -> None:
        super().__init__(where, why, called, expected, got)
        self.where, self.why = where, why
        self.called, self.expected, self.got = called, expected, got

    def __str__(self) -> str:
        facts = [("called", self.called), ("expected", self.expected), ("got", self.got)]
        told = [f"  {name:<9} {text.replace(chr(10), chr(10) + 12 * ' ')}" for name, text in facts if text]
        why = [f"  {line}".rstrip() for line in wrapped(self.why or UNKNOWN)]
        text = "\n".join([self.where, "", *told, *([""] if told else []), *why])
        return "\n".join(map(printable, text.split("\n")))


def wrapped(text: str) -> list[str]:
    """The text in lines of 96 characters; lines that are indented already stay as they are."""
    lines: list[str] = []
    for line in text.splitlines():
        lines += [line] if line.startswith(" ") or not line else textwrap.wrap(line, 96)
    return lines


def shown(value: Any) -> str:
    """A value as a message shows it: short, on one line."""
    try:
        more = isinstance(value, str | bytes | list | tuple) and len(value) > LONGEST
        text = repr(value[:LONGEST] if more else value)
    except Exception as error:
        text = f"a {type(value).__name__}, whose repr raises {type(error).__name__}"
    text = printable(text)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


class Rows(list[dict[str, Any]]):
    """Many rows whose values nobody can change: no list or dict among them."""


def copied(value: Any) -> Any:
    """A copy to hand out, so that nobody's change reaches the next call."""
    if isinstance(value, Rows):
        return [dict(row) for row in value]
    if isinstance(value, dict):
        return {key: copied(item) if isinstance(item, dict | list) else item for key, item in value.items()}
    return [copied(item) for item in value] if isinstance(value, list) else value


class Kept(io.TextIOBase):
    """A text stream that keeps the beginning and counts the rest, so that no endless print fills the memory."""

    def __init__(self, most: int = 4_000) -> None:
        self.most = most
        self.parts: list[str] = []
        self.size = 0

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if self.size < self.most:
            self.parts.append(text[: self.most - self.size])
        self.size += len(text)
        return len(text)

    def forget(self) -> None:
        self.parts, self.size = [], 0

    @property
    def text(self) -> str:
        """What was printed, and how much more."""
        more = self.size - self.most
        return "".join(self.parts) + (f"\n… and {more:,} characters more" if more > 0 else "")


@dataclass
class Workbook:
    """Where the student's files are: exercises/, and the README beside that folder."""

    folder: Path

    @property
    def readme(self) -> Path:
        return self.folder.parent / "README.md"

    def path(self, name: str) -> Path:
        return self.folder / name

    def text(self, path: Path) -> str:
        """A text file's content. Raises Wrong where there is none, or it is not UTF-8."""
        where = place(path)
        try:
            return path.read_bytes().decode("utf-8-sig")
        except FileNotFoundError:
            raise Wrong(where, "The file is not there; python -m exercises puts a fresh one in its place.") from None
        except UnicodeDecodeError as error:
            line = error.object[: error.start].count(b"\n") + 1
            why = f"The file is not UTF-8: byte 0x{error.object[error.start]:02x} in line {line}. Save it as UTF-8."
            raise Wrong(f"{where}:{line}", why) from None
        except OSError as error:
            raise Wrong(where, f"The file cannot be read: {error.strerror or error}.") from None

    def module(self, name: str) -> Answer:
        """The student's Python file, run."""
        path = self.path(name)
        self.text(path)
        return Answer(path)


def place(path: Path, line: int | None = None) -> str:
    """exercises/ex1_figures.py:31"""
    folder = "" if path.name == "README.md" else "exercises/"
    return printable(f"{folder}{path.name}") + (f":{line}" if line else "")


class Answer:
    """A Python file of the student's, run once; `ask` calls its functions."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.module = types.ModuleType(f"exercises.{path.stem}")
        self.module.__file__ = str(path)
        source = path.read_bytes()
        try:
            self.tree = ast.parse(source)
            code = compile(source, str(path), "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:  # a null byte; nested too deeply
            self._cannot_read(error)
        self.gaps = {
            node.name: line
            for node in self.tree.body
            if isinstance(node, ast.FunctionDef) and (line := next((g for part in node.body for g in gaps(part)), None))
        }
        self.source = importlib.util.decode_source(source).splitlines()
        sys.modules[self.module.__name__] = self.module  # dataclasses look themselves up there
        self._guarded(lambda: exec(code, self.module.__dict__), "running the file")

    def _cannot_read(self, error: BaseException) -> NoReturn:
        line = getattr(error, "lineno", None) or 1
        text = (getattr(error, "text", None) or "").strip()
        says = getattr(error, "msg", None) or str(error)
        why = f"Python cannot read the file: {printable(says)}."
        raise Wrong(place(self.path, line), f"{why}\n{'    ' + printable(text) if text else ''}".rstrip())

    # --- where things are ----------------------------------------------------------------------------------------

    def node(self, name: str) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | None:
        kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
        return next((n for n in reversed(self.tree.body) if isinstance(n, kinds) and n.name == name), None)

    def where(self, name: str) -> str:
        """File, line and name of a function."""
        node = self.node(name)
        return f"{place(self.path, node.lineno if node else None)}  {name}"

    def no_gaps(self) -> None:
        """Raises Wrong where a function of the file, asked for or not, has still a gap."""
        for name, line in self.gaps.items():
            why = f"{GAP} If you do not need the function, delete it."
            raise Wrong(f"{place(self.path, line)}  {name}", why)

    def wrong(self, name: str, why: str, **facts: str) -> Wrong:
        return Wrong(self.where(name), why, **facts)

    # --- calling ----------------------------------------------------------------------------------------------------

    def ask(self, name: str, *arguments: Any, called: str = "", exits: bool = False, raises: bool = False) -> Any:
        """What the student's function gives for (copies of) these arguments; what is lazy is read to its end.

        exits: a sys.exit(n) is an answer too, and gives n. raises: an exception is an answer too, and is given back.
        Raises Wrong where there is no such function, it raises, gives nothing, or changes what it was given.
        """
        called = called or f"{name}({', '.join(map(shown, arguments))})"
        function = getattr(self.module, name, None)
        if function is None:
            near = [n.name for n in self.tree.body if isinstance(n, ast.FunctionDef) and n.name.lower() == name.lower()]
            hint = f" There is {near[0]}, which differs in case." if near else ""
            raise Wrong(
                place(self.path),
                f"There is no function {name} in the file; the head of the file says what it should do.{hint}",
            )
        if not callable(function):
            raise self.wrong(name, f"{name} is {shown(function)}, but a function belongs here.")
        if gap := self.gaps.get(name):
            node = self.node(name)
            about = (ast.get_docstring(node) or "").partition("\n")[0] if node else ""
            raise Wrong(f"{place(self.path, gap)}  {name}", f"{GAP}\n{name}: {about}" if about else GAP)
        if isinstance(sys.stdout, Kept):
            sys.stdout.forget()  # so that what is shown is what this call has printed
        given = copied(list(arguments))
        result = self._guarded(lambda: settled(function(*given)), called, name, exits=exits, raises=raises)
        if result is None and not exits and not raises:
            why = f"{name} gives nothing back (None). Is a return missing, or is it in only one branch?"
            raise self.wrong(name, why, called=called, got="None")
        for before, after in zip(arguments, given, strict=True):
            if before is not after and before != after:  # NaN is not equal to itself
                why = f"{name} changes what it was given. The caller still needs it: work on a copy."
                raise self.wrong(name, why, called=called, expected="the argument as it was", got=shown(after))
        return result

    def ask_aloud(self, name: str, *arguments: Any, called: str, raises: bool = False) -> tuple[Any, str]:
        """What the function gives, or the status with which it exits, and what it prints on either stream."""
        if isinstance(sys.stdout, Kept):
            sys.stdout.forget()
        heard = Kept(100_000)
        try:
            with redirect_stdout(heard), redirect_stderr(heard):
                return self.ask(name, *arguments, called=called, exits=True, raises=raises), heard.text
        except Wrong:
            print(heard.text, end="")
            raise

    def unheard(self, run: Callable[[], Any]) -> Any:
        """What one more call gives, without what it prints; None where it goes wrong."""
        with redirect_stdout(Kept()), redirect_stderr(Kept()), suppress(Wrong):
            return run()
        return None

    def _guarded(self, run: Any, called: str, name: str = "", *, exits: bool = False, raises: bool = False) -> Any:
        """Run code of the student's; whatever it raises becomes Wrong."""
        try:
            return run()
        except SystemExit as error:
            if exits:
                return error.code if isinstance(error.code, int) else int(error.code is not None)
            call = f"exit({'' if error.code is None else shown(error.code)})"
            why = (
                f"Your file ends the program here with {call}. Return a value instead; nobody else can go on after it."
            )
            raise Wrong(self._spot(error, name), why, called=called) from None
        except EOFError as error:
            why = "Your file asks for input(), and here nobody answers. Take the values as arguments instead."
            raise Wrong(self._spot(error, name), why, called=called) from None
        except RecursionError as error:
            why = "The function calls itself without end (RecursionError). Is there a case in which it stops?"
            raise Wrong(self._spot(error, name), why, called=called) from None
        except MemoryError as error:
            why = "Your code took all the memory that a check may take. Is there a list that grows without end?"
            raise Wrong(self._spot(error, name), why, called=called) from None
        except ImportError as error:
            why = f"The import does not work: {printable(str(error))}."
            raise Wrong(self._spot(error, name), why, called=called) from None
        except Exception as error:
            if raises:
                return error
            raise Wrong(self._spot(error, name), self._told(error), called=called) from None

    def _frames(self, error: BaseException) -> list[traceback.FrameSummary]:
        """The frames of the student's file alone, at most the last four; a comprehension is part of its function."""
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(self.path)]
        return [frame for frame in frames if not re.fullmatch("<(list|set|dict)comp>|<genexpr>", frame.name)][-4:]

    def _spot(self, error: BaseException, name: str) -> str:
        frames = self._frames(error)
        if not frames:
            return self.where(name) if name else place(self.path)
        inside = frames[-1].name
        return place(self.path, frames[-1].lineno) + (f"  {inside}" if inside != "<module>" else "")

    def _told(self, error: Exception) -> str:
        """The error as Python would show it, with the frames of the student's file alone."""
        lines = []
        for frame in self._frames(error):
            lines.append(f"  {place(self.path, frame.lineno)} in {frame.name}")
            if frame.lineno and frame.lineno <= len(self.source):
                lines.append(f"    {printable(self.source[frame.lineno - 1].strip())}")
        last = printable("".join(traceback.format_exception_only(error)).strip().splitlines()[-1])
        return "\n".join(
            [*lines, f"  {last[:500]}", "", "Your code raised an error, so there is no answer to look at."]
        )


def gaps(node: ast.AST) -> Iterator[int]:
    """The lines of each `...`, other than those of a type such as tuple[int, ...]."""
    if isinstance(node, ast.Constant) and node.value is ...:
        yield node.lineno
    if not isinstance(node, ast.Subscript):
        for child in ast.iter_child_nodes(node):
            yield from gaps(child)


def settled(result: Any) -> Any:
    """The result; what is lazy (a generator, map, filter) as the list of what it gives."""
    return list(result) if isinstance(result, Iterator) else result
