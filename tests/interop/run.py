"""The other tools' verdict on the lesson's contract: `make interop`.

The contract is exported, and each tool judges the rows before the release and after it; then the same for `parts.yaml`,
which has a clause of every kind, and rows that break each. A tool has to name every field that we name, but for those
whose clause its export says it cannot express. The rows travel as Parquet, since DuckDB's versions differ between the
tools; the listings' times are moved to now, so that freshness is judged as well.

Each tool runs in an environment of its own under data/interop/, pinned by the files beside this one, and asks nothing
of the network but its packages.

Exit 0: every verdict is ours, or the export says why not; 1: one is not; 2: a tool could not be run.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "engines")]

import duckdb  # noqa: E402
import pyarrow as pa  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402
import servers  # noqa: E402

import contracts  # noqa: E402
import seed  # noqa: E402
from contracts import quoting  # noqa: E402
from contracts.forms import ddl  # noqa: E402
from contracts.interop import export  # noqa: E402
from validate import report  # noqa: E402

HERE, HOME = Path(__file__).resolve().parent, ROOT / "data" / "interop"
QUIET = {  # nobody phones home, and no tool looks for a newer version of itself
    "DO_NOT_TRACK": "1",
    "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
    "DBT_VERSION_CHECK": "false",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "NO_COLOR": "1",
    "COLUMNS": "200",
}
CLAUSES = {"range": ("min", "max"), "null_rate": ("max_null_rate",)}  # behind a rule; others have its name


class NotRun(Exception):
    """A tool that is not here, or that fails before it judges: why."""


@dataclass(frozen=True)
class Stage:
    """Rows, and the contract that they are held to."""

    name: str
    agreed: contracts.Contract
    parquet: Path


@dataclass(frozen=True)
class Tool:
    """One tool, and the form that it reads. judge: what it says is wrong with the rows, "" where nothing is."""

    name: str
    judge: Callable[[Stage, str, Path], str]
    to: str
    options: dict[str, Any] = field(default_factory=dict)


# ---- the rows and the contracts -------------------------------------------------------------------------------------


def stages(folder: Path) -> list[Stage]:
    """The listings before and after, the newest copied ten minutes ago; and the parts, kept and broken."""
    agreed, found = contracts.load(ROOT / "contracts" / "listings.yaml"), []
    with seed.build() as shop:
        for name, table in (("before", "listings_before"), ("after", "listings")):
            newest = shop.sql(f"select max(synced_at) from shop.{table}").fetchall()[0][0]
            moved = datetime.now(UTC) - timedelta(minutes=10) - newest
            moved_too = ", ".join(f"{column} + $moved as {column}" for column in ("listed_at", "synced_at"))
            rows = shop.execute(f"select * replace ({moved_too}) from shop.{table}", {"moved": moved}).to_arrow_table()
            found.append(Stage(f"listings {name}", agreed, folder / f"{name}.parquet"))
            pq.write_table(rows, found[-1].parquet)
    agreed = contracts.load(HERE / "parts.yaml")
    for name, rows in (("kept", good_parts()), ("broken", good_parts() + broken_parts())):
        found.append(Stage(f"parts {name}", agreed, folder / f"parts-{name}.parquet"))
        pq.write_table(pa.Table.from_pylist(rows), found[-1].parquet)
    return found


def good_parts() -> list[dict[str, Any]]:
    grades = ["A", "it's", "NA", "{{ x }}", 'a "b" \\c', None]
    return [
        {
            "id": i + 1,
            "code": ["012", "X", None][i % 3],
            "grade": grade,
            "made": date(2026, 1, 1 + i),
            "seen": datetime(2026, 8, 19, 14, i),
            "sound": [True, None][i % 2],
            "share": [0.1, 0.5, 1.0][i % 3],
            "amount": [0.0, 1000.5, None][i % 3],
            "Odd Name": "x",
            "often": [None, "a", "b", "c", "d", "e"][i],
        }
        for i, grade in enumerate(grades)
    ]


def broken_parts() -> list[dict[str, Any]]:
    """A row for each clause but one, which breaks that clause alone; together they hold too many NULLs in `often`."""
    wrong = {
        "id": 1,
        "code": "0123",
        "grade": "B",
        "made": date(2025, 12, 31),
        "seen": datetime(2027, 1, 1, 0, 0, 1),
        "sound": False,
        "share": 0.2,
        "amount": -0.01,
        "Odd Name": None,
    }
    row = good_parts()[0]
    return [{**row, "id": 100 + i, name: value} for i, (name, value) in enumerate(wrong.items())]


def ours(stage: Stage) -> dict[str, set[str]]:
    """The fields that these rows break, each with the clauses."""
    found = report(str(stage.parquet), stage.agreed, as_of=datetime.now(UTC))
    assert not found.not_checked, found.not_checked
    broken: dict[str, set[str]] = {}
    for violation in found.violations:
        names = CLAUSES.get(violation.rule, (violation.rule,))
        broken.setdefault(violation.field or violation.rule, set()).update(names)
    return broken


def expected(broken: dict[str, set[str]], left_out: tuple[str, ...]) -> set[str]:
    """The fields that a tool has to name: all but those whose clause its export says it cannot express."""
    return {
        name
        for name, clauses in broken.items()
        if not any(says.startswith(f"{name}: ") and any(clause in says for clause in clauses) for says in left_out)
    }


# ---- environments ---------------------------------------------------------------------------------------------------


def environment(name: str) -> Path:
    """The folder of a tool's programs, installed on the first run and whenever its pinned file changes."""
    pinned = HERE / f"{name}.txt"
    mark = hashlib.sha256(pinned.read_bytes() + sys.version.encode()).hexdigest()[:12]
    folder = HOME / f"{name}-{mark}"
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    if (folder / "ready").exists():
        return programs
    for old in HOME.glob(f"{name}-*"):
        shutil.rmtree(old, ignore_errors=True)
    started = time.monotonic()
    call([sys.executable, "-m", "venv", folder], HOME)
    python = programs / "python"
    uv = shutil.which("uv") or shutil.which("uv", path=str(Path(sys.executable).parent))
    if uv:
        call([uv, "pip", "install", "--quiet", "--python", python, "-r", pinned], HOME)
    else:
        call([python, "-m", "pip", "install", "--quiet", "-r", pinned], HOME)
    (folder / "ready").touch()
    print(f"installed {name} in {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
    return programs


def call(command: list[Any], folder: Path, good: tuple[int, ...] = (0,)) -> subprocess.CompletedProcess[str]:
    """Run a program to its end; NotRun where there is none, or it ends with another status than a good one."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        done = subprocess.run(
            [str(part) for part in command],
            cwd=folder,
            env=os.environ | QUIET,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=600,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotRun(f"{Path(str(command[0])).name}: {error}") from None
    if done.returncode not in good:
        said = (done.stderr.strip() or done.stdout.strip() or "nothing").splitlines()[-1][:200]
        raise NotRun(f"{Path(str(command[0])).name} ended with {done.returncode}: {said}")
    return done


# ---- the judges -----------------------------------------------------------------------------------------------------


def datacontract(stage: Stage, text: str, folder: Path) -> str:
    """`datacontract lint` has to take the export for right, and then `datacontract test` judges the rows."""
    contract, answer = folder / "contract.odcs.yaml", folder / "answer.json"
    server = {"server": "local", "type": "local", "format": "parquet", "path": str(stage.parquet)}
    contract.write_text(f"{text}servers: {json.dumps([server])}\n", encoding="utf-8")
    program = environment("datacontract") / "datacontract"
    call([program, "lint", contract], folder)
    call([program, "test", contract, "--output", answer, "--output-format", "json"], folder, (0, 1))
    checks = json.loads(answer.read_text(encoding="utf-8"))["checks"]
    odd = {str(check["reason"]) for check in checks if check["result"] not in ("passed", "failed")}
    if not checks or any("types in parquet files" not in reason for reason in odd):
        raise NotRun(f"datacontract test could not check all: {odd}")
    return ", ".join(f"{check['field']}: {check['reason']}" for check in checks if check["result"] == "failed")


def dbt(stage: Stage, text: str, folder: Path) -> str:
    """`dbt build` runs the tests of the source, and `dbt source freshness` looks at its age, where it has one."""
    (folder / "models").mkdir()
    (folder / "dbt_project.yml").write_text("{name: lesson, version: '1.0', profile: lesson}\n", encoding="utf-8")
    output = {"type": "duckdb", "path": str(folder / "lesson.duckdb"), "threads": 1}
    profile = {"lesson": {"target": "dev", "outputs": {"dev": output}}}
    (folder / "profiles.yml").write_text(json.dumps(profile), encoding="utf-8")
    (folder / "models" / "schema.yml").write_text(text, encoding="utf-8")
    programs = environment("dbt")
    call([programs / "python", HERE / "load_rows.py", output["path"], stage.parquet, stage.agreed.dataset], folder)
    base = [programs / "dbt", "--no-version-check", "--no-send-anonymous-usage-stats"]
    call([*base, "build", "--profiles-dir", folder], folder, (0, 1))
    results = json.loads((folder / "target" / "run_results.json").read_text(encoding="utf-8"))["results"]
    tests = {one["unique_id"]: one["status"] for one in results}
    if not tests or set(tests.values()) - {"pass", "fail"}:
        raise NotRun(f"dbt build could not run all tests: {tests}")
    said = [name for name, status in tests.items() if status == "fail"]
    if (
        stage.agreed.freshness
        and call([*base, "source", "freshness", "--profiles-dir", folder], folder, (0, 1)).returncode
    ):
        said.append("freshness")
    return ", ".join(said)


def by_script(script: str) -> Callable[[Stage, str, Path], str]:
    """A library, asked by a script that runs in its environment and prints what is wrong."""

    def judge(stage: Stage, text: str, folder: Path) -> str:
        schema = folder / "schema.json"
        schema.write_text(text, encoding="utf-8")
        python = environment("formats") / "python"
        return call([python, HERE / script, schema, stage.parquet], folder).stdout.strip()

    return judge


def inserts(stage: Stage, dialect: str) -> Iterator[str]:
    """A statement for each row, so that each is refused or not by itself."""
    names = [field.name for field in stage.agreed.fields]
    head = (
        f"INSERT INTO {quoting.identifier(stage.agreed.dataset)} ({', '.join(map(quoting.identifier, names))}) VALUES"
    )
    for row in pq.read_table(stage.parquet, columns=names).to_pylist():
        yield f"{head} ({', '.join(written(row[name], dialect) for name in names)});"


def written(value: Any, dialect: str) -> str:
    """A value as a statement has it."""
    if value is None:
        return "NULL"
    if isinstance(value, datetime) and value.tzinfo:
        value = value.astimezone(UTC).replace(tzinfo=None)
    if dialect == "sqlite" and isinstance(value, date):
        return quoting.text(value.isoformat(" ") if isinstance(value, datetime) else value.isoformat())
    return str(ddl.value_of(value, dialect))


def in_duckdb(stage: Stage, text: str, folder: Path) -> str:
    with duckdb.connect() as connection:
        connection.execute(text)
        return refused(connection.execute, inserts(stage, "duckdb"), duckdb.ConstraintException)


def in_sqlite(stage: Stage, text: str, folder: Path) -> str:
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(text)
        return refused(database.execute, inserts(stage, "sqlite"), sqlite3.IntegrityError)


def refused(run: Callable[[str], object], statements: Iterator[str], kind: type[Exception]) -> str:
    """What the database says of the rows that it does not take."""
    said = set()
    for statement in statements:
        try:
            run(statement)
        except kind as error:
            said.add(str(error))
    return ", ".join(said)


def in_postgres(stage: Stage, text: str, folder: Path) -> str:
    """A server of its own, as `make engines` starts it."""
    (folder / "table.sql").write_text(text, encoding="utf-8")
    (folder / "rows.sql").write_text("\n".join(inserts(stage, "postgres")), encoding="utf-8")
    try:
        with servers.postgres() as port:
            client = [servers.postgres_programs() / "psql", "-h", "127.0.0.1", "-p", port, "-U", "lesson"]
            client += ["-d", "postgres", "-q", "-X"]
            call([*client, "-v", "ON_ERROR_STOP=1", "-f", folder / "table.sql"], folder)
            said = call([*client, "-f", folder / "rows.sql"], folder).stderr
    except servers.NotInstalled as error:
        raise NotRun(str(error)) from error
    wrong = {line.partition("ERROR:")[2].strip() for line in said.splitlines() if "ERROR:" in line}
    if any("violates" not in says for says in wrong):
        raise NotRun(f"PostgreSQL: {wrong}")
    return ", ".join(wrong)


TOOLS = [
    Tool("datacontract-cli", datacontract, "odcs"),
    Tool("dbt", dbt, "dbt"),
    Tool("fastavro", by_script("write_avro.py"), "avro"),
    Tool("fastavro, real enums", by_script("write_avro.py"), "avro", {"enums": True}),
    Tool("jsonschema", by_script("check_json.py"), "jsonschema"),
    Tool("DuckDB", in_duckdb, "sql"),
    Tool("SQLite", in_sqlite, "sql", {"dialect": "sqlite"}),
    Tool("PostgreSQL", in_postgres, "sql", {"dialect": "postgres"}),
]


# ---- the table ------------------------------------------------------------------------------------------------------


def main() -> int:
    started = time.monotonic()
    HOME.mkdir(parents=True, exist_ok=True)
    status = 0
    with tempfile.TemporaryDirectory(prefix="interop-") as name:
        rows = stages(Path(name))
        print(line("tool", [stage.name for stage in rows], "the same as ours"))
        print(line("ours", [verdict(ours(stage)) for stage in rows], ""))
        for number, tool in enumerate(TOOLS):
            try:
                judged = []
                for i, stage in enumerate(rows):
                    folder = Path(name, f"{number}-{i}")
                    folder.mkdir()
                    exported = export(stage.agreed, tool.to, **tool.options)
                    judged.append((tool.judge(stage, exported.text, folder), ours(stage), exported.left_out))
            except NotRun as error:
                print(line(tool.name, ["-"] * len(rows), f"NOT RUN: {error}"))
                status = 2
                continue
            reasons, wrong = [], []
            for says, broken, left_out in judged:
                due = expected(broken, left_out)
                if verdict(says) != verdict(due) or any(not names(says, field) for field in due):
                    wrong.append(f"it had to name {', '.join(sorted(due)) or 'nothing'}, and said {says or 'nothing'}")
                reasons += [name for name in broken if name not in due]
            why = f"all but {', '.join(dict.fromkeys(reasons))}, as the export says" if reasons else "yes"
            print(line(tool.name, [verdict(says) for says, _, _ in judged], f"NO: {wrong}" if wrong else why))
            status = max(status, int(bool(wrong)))
    print(f"{time.monotonic() - started:.0f} s")
    return status


def names(says: str, field: str) -> bool:
    """Whether a tool names the field, in whose messages a blank may have become something else."""
    return re.sub(r"\W", "_", field) in re.sub(r"\W", "_", says)


def verdict(says: object) -> str:
    return "broken" if says else "kept"


def line(tool: str, verdicts: list[str], same: str) -> str:
    sys.stdout.flush()
    return "  ".join([f"{tool:<20}", *(f"{says:<15}" for says in verdicts), same])


if __name__ == "__main__":
    sys.exit(main())
