"""The clause that nobody wrote: which values, defaults, stars and units SQL relies on without a promise.

    audit(paths, contracts=..., data=..., dialect=...) -> Audit

The story: find the SQL files, read each in a process of its own (`workers`, `sqlfiles`), which gives its facts:
comparisons, defaults, stars, arithmetic, tables (`facts`); follow each column through the models to a contract
(`resolving`); ask the six questions (`rules`); measure with data what a silent default would cost (`blast`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from contracts.auditing.allowances import Allowance, allowance
from contracts.auditing.facts import Facts
from contracts.auditing.findings import Audit, NotAudited, NotJudged
from contracts.auditing.resolving import Known
from contracts.auditing.rules import Judge, file_of
from contracts.auditing.sqlfiles import project_of
from contracts.auditing.table_rules import contradicted_units, stars, unlisted_consumers, unread_fields, unwritten_units
from contracts.auditing.value_rules import silent_defaults, unhandled_values, unknown_literals, unwritten_clauses
from contracts.auditing.workers import SECONDS, in_workers
from contracts.changes import numbers
from contracts.document import Contract, load
from contracts.errors import ContractError
from contracts.readers import leads_out
from contracts.values import short

RULES = (
    *(unwritten_clauses, silent_defaults, stars, unknown_literals, unhandled_values),
    *(unwritten_units, contradicted_units, unlisted_consumers, unread_fields),
)
# Folders of the name of a layer, not of a team.
LAYERS = """models model sql src source sources queries query analyses analysis macros tests test snapshots seeds marts
    mart staging stage intermediate base raw core dashboards reports views ddl dml etl elt jobs scripts migrations db
    database warehouse pipelines transform transforms dags"""
GENERATED = ("target", "dbt_packages", "dbt_modules", "logs")  # of a dbt project: copies, and other people's SQL


def audit(
    paths: Sequence[str],
    *,
    contracts: str | None = None,
    data: Mapping[str, Sequence[str]] | None = None,
    dialect: str = "duckdb",
    amount: str | None = None,
    where: Mapping[str, str] | None = None,
    seconds: float = SECONDS,
    progress: Callable[[int, int], None] | None = None,
) -> Audit:
    """Audit the SQL in files and folders.

    contracts: a folder of contracts, or one contract. data: for a contract's dataset, files with its rows, the state
    to compare with before the present one. amount: a column of the models, to sum. where: for a dataset, which rows.
    Raises DataError and OSError where data cannot be read.
    """
    project_of.cache_clear()  # of an earlier audit in the same process
    missing: list[NotAudited] = []
    agreed = load_all(contracts, missing)
    teams = {team.removeprefix("team-") for one in agreed for team in (one.owner, *one.consumers)}
    files = list(dict.fromkeys(sql_files(paths, missing)))
    tasks = [(str(path), path.as_posix(), team_of(path, root, teams), dialect, bool(data)) for path, root in files]
    found: list[Facts] = []
    for done, (task, result) in enumerate(
        in_workers(tasks, min(os.cpu_count() or 1, 1 + len(tasks) // 25), seconds), 1
    ):
        if isinstance(result, Facts):
            found.append(result)
            missing += [NotAudited(result.file, problem) for problem in result.problems]
        else:
            missing.append(NotAudited(task[1], result))
        if progress is not None:
            progress(done, len(tasks))
    found.sort(key=lambda facts: facts.file)

    known = Known(agreed, found)
    allowances = {facts.file: facts.allowances for facts in found if facts.allowances}
    allowances |= {file_of(one): in_contract(one) for one in agreed}
    here = {folder.removeprefix("team-") for path, root in files for folder in folders_given(path, root)} & teams
    judge = Judge(known, allowances, dialect, complete=not missing, here=here)
    findings = judge.findings(RULES)
    if data:
        from contracts.auditing.blast import measured  # and with it duckdb, which most audits do without

        findings = measured(findings, judge, known, data, amount=amount, where=where or {})
    notes = sorted(judge.not_judged, key=lambda one: (one.file, one.line))
    notes += not_rendered(found)
    if not agreed:
        notes.append(NotJudged("", 0, "without --contracts, only unwritten clauses and silent defaults are looked for"))
    elif any(facts.team is None for facts in found):
        count = sum(facts.team is None for facts in found)
        says = (
            f"no folder tells the team of {count} file{'s' * (count > 1)}, so unlisted consumers are not sought there"
        )
        notes.append(NotJudged("", 0, says))
    return Audit(findings, sorted(set(missing), key=lambda one: (one.file, one.reason)), notes, len(tasks))


def not_rendered(found: list[Facts]) -> Iterator[NotJudged]:
    """What stands in Jinja that no rendering takes, and in macros that nobody calls."""
    called = {(facts.project, name) for facts in found for name in facts.calls}
    for facts in found:
        if facts.unrendered:
            lines = ", ".join(f"{a}" if a == b else f"{a} to {b}" for a, b in facts.unrendered)
            which = "s" if lines != str(facts.unrendered[0][0]) else ""
            verb = "stand" if which else "stands"
            says = f"line{which} {lines} {verb} in Jinja that was not rendered, so nobody has looked there"
            yield NotJudged(facts.file, facts.unrendered[0][0], says)
        for name, (line, has_branches) in facts.macros.items():
            if (facts.project, name) not in called:
                says = f"the macro {short(name)} was not rendered, since no audited file calls it"
                yield NotJudged(facts.file, line, says)
            elif has_branches:
                says = f"of the macro {short(name)} only those branches are audited that its callers take"
                yield NotJudged(facts.file, line, says)


# ---- the contracts --------------------------------------------------------------------------------------------------


def load_all(place: str | None, missing: list[NotAudited]) -> list[Contract]:
    """The contracts of a folder, or one; of several versions the newest. A wrong one is not audited."""
    if place is None:
        return []
    path = Path(place)
    files = [path]
    if path.is_dir():
        there = sorted(one for one in path.iterdir() if one.suffix.lower() in (".yaml", ".yml"))
        files = [one for one in there if one.is_file()]
        missing += [NotAudited(one.as_posix(), "it is no ordinary file") for one in there if one not in files]
        if not there:
            missing.append(NotAudited(path.as_posix(), "there is no contract in it (*.yaml)"))
    newest: dict[str, Contract] = {}
    for file in files:
        try:
            contract = load(file)
        except ContractError as error:
            fault = error.faults[0]
            missing.append(NotAudited(file.as_posix(), f"line {fault.line}: it is no contract: {fault.message}"))
            continue
        before = newest.get(contract.dataset)
        if before is None or numbers(contract.version) > numbers(before.version):
            newest[contract.dataset] = contract
    return list(newest.values())


def in_contract(contract: Contract) -> list[Allowance]:
    """The allowances in a contract's comments."""
    try:
        lines = contract.source.read_text(encoding="utf-8-sig").splitlines() if contract.source else []
    except (OSError, ValueError):
        return []
    found = []
    for line, text in enumerate(lines, 1):
        start = text.find("#")
        if start >= 0 and "contracts:" in text and (one := allowance(text[start:], line, start + 1, line)) is not None:
            found.append(one)
    return found


# ---- the SQL files --------------------------------------------------------------------------------------------------


def sql_files(paths: Sequence[str], missing: list[NotAudited]) -> Iterator[tuple[Path, Path]]:
    """(file, the path that was given) of each SQL file, once; links to folders are not followed, so there is an end."""
    seen: set[str] = set()
    for given in map(Path, paths):
        count = 0
        for path in [given] if not given.is_dir() else below(given, missing):
            count += 1
            real = os.path.realpath(path)
            if real not in seen:
                seen.add(real)
                yield path, given
        if not count:
            missing.append(NotAudited(given.as_posix(), "there is no .sql file in it; give a folder that has some"))


def below(folder: Path, missing: list[NotAudited]) -> Iterator[Path]:
    """The SQL files below a folder, in order."""

    def fail(error: OSError) -> None:
        missing.append(NotAudited(Path(error.filename or folder).as_posix(), error.strerror or str(error)))

    top = os.path.realpath(folder)
    for place, folders, names in os.walk(folder, onerror=fail):
        generated = GENERATED if "dbt_project.yml" in names else ()
        folders[:] = sorted(one for one in folders if one not in (".git", ".venv", "node_modules", *generated))
        for one in folders:
            link = os.path.join(place, one)
            if os.path.islink(link) and not Path(os.path.realpath(link)).is_relative_to(top):
                missing.append(
                    NotAudited(Path(link).as_posix(), "it is a link to another folder; give that one itself")
                )
        for path in (Path(place, name) for name in sorted(names) if name.lower().endswith(".sql")):
            if leads_out(path, folder):
                missing.append(NotAudited(path.as_posix(), "it is a link to a file elsewhere; give that one itself"))
            else:
                yield path


def folders_given(path: Path, given: Path) -> list[str]:
    """The folders that were given with all that is in them: that of PATH itself, and those below it."""
    return [] if path == given else [given.resolve().name, *path.relative_to(given).parts[:-1]]


def team_of(path: Path, given: Path, teams: set[str]) -> str | None:
    """The team whose SQL a file is: the folder of a known team, else the first one below what was given."""
    folders = path.absolute().parts[:-1]
    known = next((one for one in reversed(folders) if one.removeprefix("team-") in teams), None)
    if known is not None:
        return known
    inside = path.relative_to(given).parts if path != given else ()
    if len(inside) < 2 or inside[0].casefold() in LAYERS.split() or project_of(path.absolute().parent) is not None:
        return None
    return inside[0]
