"""Who still reads a column? From the consumers' own SQL: through CTEs, subqueries, aliases, joins, stars and views.

    readers(folder, dataset, field) -> every place in the folder's <team>/**/*.sql that reads the field

sqlglot parses; nothing is searched by text. `lineage` follows the field: a place is reported where a column that is
the field is named, and where a star hands it out. A team whose SQL is missing, does not parse, or never names the
table is unknown: it may read the field elsewhere.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from contracts.errors import brief
from contracts.lineage import Reader, Script, Search
from contracts.scopes import names_dataset, scopes, tables
from contracts.values import short

MOST_BYTES = 20_000_000


@dataclass(frozen=True, order=True)
class Unknown:
    """A team, or one of its files, of which nobody can say whether it reads the field."""

    team: str
    file: str | None
    reason: str

    def __str__(self) -> str:
        return brief(f"{self.file or self.team}: unknown whether {self.team} reads it: {self.reason}")


@dataclass(frozen=True)
class Readers:
    """The answer: who reads the field, of whom nobody knows, and which teams were looked at."""

    dataset: str
    field: str
    readers: tuple[Reader, ...]
    unknown: tuple[Unknown, ...]
    teams: tuple[str, ...]

    @property
    def reading(self) -> tuple[str, ...]:
        return tuple(sorted({reader.team for reader in self.readers}))

    def to_dict(self) -> dict[str, Any]:
        """The answer as JSON has it."""
        return {
            "dataset": self.dataset,
            "field": self.field,
            "readers": [vars(reader) for reader in self.readers],
            "unknown": [vars(unknown) for unknown in self.unknown],
            "teams": list(self.teams),
        }


def readers(
    folder: str | os.PathLike[str],
    dataset: str,
    field: str,
    teams: Iterable[str] = (),
    *,
    dialect: str = "duckdb",
) -> Readers:
    """Every place in folder/<team>/**/*.sql that reads the field of the dataset; `teams` must have SQL there."""
    unknown: list[Unknown] = []
    scripts = [script for path in files(Path(folder)) if (script := parsed(Path(folder), path, dialect, unknown))]
    found: set[Reader] = set()
    heard: set[str] = set()  # teams whose SQL names the table
    for team in sorted({script.team for script in scripts}):
        own = [script for script in scripts if script.team == team]
        search = Search(dataset, field)
        found |= search.through(own)
        unknown += [Unknown(team, path.as_posix(), reason) for path, reason in search.failed.items()]
        if any(names_dataset(table, dataset) for script in own for each in script.statements for table in tables(each)):
            heard.add(team)
    for team in sorted(set(teams) - heard):
        if any(one.team == team for one in unknown):
            continue  # its file is named already
        count = sum(script.team == team for script in scripts)
        reason = f"none of its {count} files names {dataset}" if count else "there is no SQL of it"
        unknown.append(Unknown(team, None, reason))
    every = sorted({*teams, *(script.team for script in scripts), *(one.team for one in unknown)})
    return Readers(dataset, field, tuple(sorted(found)), tuple(sorted(unknown, key=str)), tuple(every))


def files(folder: Path) -> Iterator[Path]:
    """The SQL files below a folder, in order; links to folders are not followed, so that there is an end."""
    if not folder.is_dir():
        raise OSError(f"{folder} is no folder; give the one that holds <team>/*.sql")

    def fail(error: OSError) -> None:
        raise error

    for place, folders, names in os.walk(folder, onerror=fail):
        folders.sort()
        yield from (Path(place, name) for name in sorted(names) if name.lower().endswith(".sql"))


def leads_out(path: Path, folder: Path) -> bool:
    """Whether a file of the folder is a link to one elsewhere, whose text is nobody's business here."""
    return path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def text_of(path: Path, folder: Path) -> str:
    """The SQL of a file in the folder. Raises OSError that says why it is not read."""
    if leads_out(path, folder):
        raise OSError("it is a link to a file elsewhere")
    if not path.is_file():
        raise OSError("it is no ordinary file")
    if path.stat().st_size > MOST_BYTES:
        raise OSError(f"it has more than {MOST_BYTES:,} bytes")
    try:
        return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise OSError("it is not UTF-8") from None


def parsed(folder: Path, path: Path, dialect: str, unknown: list[Unknown]) -> Script | None:
    """The statements of a file; None, and one `unknown` more, where they cannot be read."""
    inside = path.relative_to(folder).parts
    team = inside[0] if len(inside) > 1 else "(no team)"
    script = Script(team, path)
    log = logging.getLogger("sqlglot")
    level = log.level
    log.setLevel(logging.CRITICAL)  # it warns of what it passes over; here that is `unknown`
    try:
        script.text = text_of(path, folder)
        script.statements = [each for each in sqlglot.parse(script.text, read=dialect) if each is not None]
        for each in script.statements:
            for _ in scopes(each):
                pass
            is_none = isinstance(each, exp.Condition | exp.Alias) and not isinstance(each, exp.Query)
            if is_none or each.find(exp.Command):
                raise SqlglotError(f"the statement {short(each.sql())} is not understood")
    except OSError as error:
        reason = error.strerror or str(error)
    except RecursionError:
        reason = "it is nested too deeply"
    except (SqlglotError, ValueError, AttributeError, TypeError, KeyError, IndexError) as error:
        first = getattr(error, "errors", None)
        where = f"line {first[0]['line']}: " if first and first[0].get("line") else ""
        says = first[0].get("description") if first else str(error).splitlines()[0] if str(error) else "it fails"
        reason = f"it does not parse as {dialect} ({where}{short(str(says))})"
    else:
        if script.statements:
            return script
        return None  # nothing but comments
    finally:
        log.setLevel(level)
    unknown.append(Unknown(team, path.as_posix(), reason))
    return None
