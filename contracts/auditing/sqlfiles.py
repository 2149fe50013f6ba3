"""One SQL file: it is read, rendered where it is a template, parsed, and what it says becomes `Facts`.

    facts(path, ...) -> Facts, whatever the file is: what cannot be read, rendered or parsed is in `problems`

This is what the worker processes do (`workers`), so that a file that never ends or kills its process ends nothing else.
"""

from __future__ import annotations

import functools
import logging
import re
from pathlib import Path

from contracts.auditing.allowances import allowance
from contracts.auditing.facts import Facts, Reading
from contracts.auditing.projects import is_template
from contracts.auditing.stubs import Untemplated
from contracts.auditing.templating import Rendered, Templates, comments, macros_of, untaken
from contracts.errors import printable

MOST_BYTES = 2_000_000


def facts(path: str, file: str, team: str | None, dialect: str, measure: bool = False) -> Facts:
    """What the file says. `file` is what it is called in findings; `measure` asks for the probes too."""
    found = Facts(file, team)
    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)  # it warns of what it passes over; here that is a problem
    try:
        source = read(Path(path))
        project = project_of(Path(path).parent)
        found.project = str(project) if project is not None else ""
        made = templates(dialect, project)
        pieces = made.rendered(source, Path(path).stem)
        for one in sorted(pieces, key=lambda piece: not piece.forced):  # the last says what a model hands out
            if one.forced:  # it may be SQL of another warehouse
                trial = Facts(file, team)
                Reading(trial, source, one, dialect, False).take()
                if trial.problems:
                    pieces.remove(one)
                    continue
            Reading(found, source, one, dialect, measure).take()
        if is_template(source):
            add_unrendered(found, source, made, pieces)
            add_jinja_allowances(found, source)
    except OSError as error:
        found.problems.append(error.strerror or str(error))
    except UnicodeDecodeError:
        found.problems.append("it is not UTF-8 text")
    except Untemplated as error:
        found.problems.append(str(error))
    except RecursionError:
        found.problems.append("it is nested too deeply")
    except MemoryError:
        found.problems.append("it needs too much memory")
    found.problems = [printable(problem) for problem in found.problems]  # they quote the file
    for name in ("tests", "mappings", "stars", "scales", "tables", "whole", "allowances", "problems", "unrendered"):
        setattr(found, name, list(dict.fromkeys(getattr(found, name))))
    return found


def read(path: Path) -> str:
    """The text of a file. Raises OSError and UnicodeDecodeError."""
    if not path.is_file():
        link = "it is a link that leads nowhere" if path.is_symlink() else "there is no such file"
        raise OSError("it is no ordinary file" if path.exists() else link)
    if (size := path.stat().st_size) > MOST_BYTES:
        raise OSError(f"it has {size:,} bytes, and at most {MOST_BYTES:,} are read; split it")
    raw = path.read_bytes()
    if b"\0" in raw and raw[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        raise OSError("it is binary, not SQL")
    text = raw.decode("utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    return text.replace("\r\n", "\n").replace("\r", "\n")


@functools.lru_cache(maxsize=4096)
def project_of(folder: Path) -> Path | None:
    """The dbt project that a folder is in."""
    try:
        if (folder / "dbt_project.yml").is_file():
            return folder
    except OSError:
        return None
    return None if folder.parent == folder else project_of(folder.parent)


@functools.lru_cache(maxsize=16)
def templates(dialect: str, project: Path | None) -> Templates:
    """The templates of a project, whose settings and macros are read once in each process."""
    return Templates(dialect, project)


def add_unrendered(found: Facts, source: str, made: Templates, pieces: list[Rendered]) -> None:
    """Note what no rendering has: the lines of branches, and macros that the file itself does not call."""
    left = untaken(made.made, source, pieces)
    macros, found.calls = macros_of(made.made, source)
    for name, (line, texts, branching) in macros.items():
        if texts & left.keys():
            found.macros[name] = line, bool(branching & left.keys())
    inside = {offset for _, texts, _ in macros.values() for offset in texts}
    for offset, text in left.items():
        found.words.update(re.findall(r"\w+", text.casefold()))  # nobody knows whether it reads a column so called
        if offset not in inside:
            first = source.count("\n", 0, offset + len(text) - len(text.lstrip())) + 1
            found.unrendered.append((first, source.count("\n", 0, offset + len(text.rstrip())) + 1))


def add_jinja_allowances(found: Facts, source: str) -> None:
    """The allowances in Jinja's comments, of which nothing is rendered."""
    for offset, text in comments(source):
        line = source.count("\n", 0, offset) + 1
        column = offset - source.rfind("\n", 0, offset)
        if (one := allowance(text, line, column, line + text.count("\n"))) is not None:
            found.allowances.append(one)
