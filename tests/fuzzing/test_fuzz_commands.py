"""Every command line on any arguments: exit 0, 1 or 2, an error in a sentence, and never a traceback.

Arguments come from a grammar of the real options, and name files that are good, broken, missing, folders, or nothing.
 What would begin a set-up, wait for ever, or hand in, is not run: `exercises` works on a folder of its own, and
`submit` on a repository without a remote.
"""

# ruff: noqa: E501, RUF001, lists of words read best on long lines

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from agreements import ROOT
from budget import EXAMPLES, FEW, fuzzed
from hypothesis import given
from hypothesis import strategies as st

import drill
import exercises.__main__
import exercises.submit
import lesson
import make
import monitors
import validate
from contracts import __main__ as command_line
from exercises.checker import Outcome

pytestmark = pytest.mark.filterwarnings("ignore")  # matplotlib, of signs that its font lacks

NAMES = [
    "listings.yaml", "1.3.0.yaml", "broken.yaml", "empty", "folder", "missing.yaml", "rows.csv", "rows.parquet",
    "rows.json",
]  # fmt: skip
NAMES += [
    "bad.csv",
    "bad.parquet",
    "q.sql",
    "sql",
    "consumers",
    "*.csv",
    "*",
    "[",
    "x" * 300,
    "folder/",
    "missing/rows.csv",
    "/dev/null",
]
NAMES += [
    "odcs.yaml", "schema.json", "schema.avsc", "shop.duckdb", "listings.yaml/x", "./listings.yaml", "é.yaml",
    "metrics.jsonl",
]  # fmt: skip
ODD = [
    "",
    " ",
    "-",
    "--",
    "---",
    "\n",
    "~",
    "\udcff",
    "a\0b",
    "=",
    "a=b",
    "item_condition",
    "no such",
    "0",
    "-1",
    "1e999",
    "9" * 400,
]
ODD += [
    "2026-08-19", "2026-13-01", "0001-01-01", "9999-12-31", "2026-08-19T15:00:00+02:00", "listings=rows.csv",
    "listings=", "=x",
]  # fmt: skip
ODD += [
    "item_condition=new",
    "brand=A",
    "x" * 5000,
    "main",
    "HEAD",
    "-h",
    "--help",
    "--version",
    "%s",
    "{}",
    "é",
    "'",
    '"',
    ";",
    "\x1b[2J",
]
WORDS = st.one_of(st.sampled_from(NAMES), st.sampled_from(NAMES), st.sampled_from(ODD), st.text(max_size=6))

OPTIONS: dict[str, list[str]] = {
    "lint": [],
    "diff": [
        "--against",
        "--as-of",
        "--editorial",
        "--format",
        "text",
        "json",
        "github",
        "markdown",
        "--consumers",
        "--dialect",
    ],
    "plan": ["--announce", "--name", "--editorial", "--out", "--consumers", "--dialect", "duckdb", "snowflake"],
    "readers": ["--consumers", "--dialect", "--format", "json", "text", "duckdb"],
    "audit": [
        "--contracts",
        "--data",
        "--amount",
        "--where",
        "--dialect",
        "--format",
        "json",
        "sarif",
        "listings=rows.parquet",
    ],
    "compat": ["--history", "--enums", "--default", "--format", "json", "text"],
    "export": [
        "--to",
        "odcs",
        "dbt",
        "avro",
        "jsonschema",
        "sql",
        "python",
        "markdown",
        "html",
        "--enums",
        "--dialect",
        "postgres",
    ],
    "import": ["--from", "odcs", "dbt", "jsonschema", "avro", "table", "--table"],
}
RIGHT: dict[str, list[list[str]]] = {
    "lint": [["listings.yaml"], ["listings.yaml", "1.3.0.yaml"]],
    "diff": [["1.3.0.yaml", "listings.yaml"], ["listings.yaml", "--against", "HEAD"]],
    "plan": [["1.3.0.yaml", "listings.yaml"], ["listings.yaml", "1.3.0.yaml", "--out", "folder"]],
    "readers": [["listings.yaml", "item_condition"], ["listings.yaml", "brand", "--consumers", "consumers"]],
    "audit": [["q.sql"], ["sql", "--contracts", "listings.yaml"]],
    "compat": [["1.3.0.yaml", "listings.yaml"], ["--history", "folder", "listings.yaml"]],
    "export": [
        ["listings.yaml", "--to", form] for form in ("odcs", "dbt", "avro", "sql", "markdown", "html", "python")
    ],
    "import": [
        ["rows.csv", "--from", "table"],
        ["odcs.yaml", "--from", "odcs"],
        ["schema.json", "--from", "jsonschema"],
    ],
}
GATE = [
    "--as-of", "--loaded-at", "--format", "text", "json", "junit", "sarif", "github", "markdown", "--quarantine",
    "folder", "out",
]  # fmt: skip
DRILL = [
    "--consumers", "--every-column", "--day", "--amount", "--list-amount", "--branch", "--since", "--format", "json",
    "--plot", "--write",
]  # fmt: skip
MONITORS = [
    "--day", "--amount", "--list-amount", "--branch", "--known", "--goods", "--split-by", "--window", "--points",
    "--unit",
]  # fmt: skip
MONITORS += [
    "--contract", "--store", "metrics.jsonl", "--since", "--until", "--format", "json", "--plot", "x.png", "none",
]  # fmt: skip


@st.composite
def lines(draw: Any, right: list[list[str]], options: list[str]) -> list[str]:
    """Arguments that are right, after some of them were lost, doubled, moved, or became others."""
    made = list(draw(st.sampled_from(right)))
    for _ in range(draw(st.sampled_from([0, 1, 1, 2, 3, 6]))):
        i, j = (draw(st.integers(0, len(made))) for _ in range(2))
        match draw(st.integers(0, 5)):
            case 0:
                del made[i : i + 1]
            case 1:
                made[j:j] = made[i : i + 1]
            case 2:
                made[i : i + 1] = [draw(WORDS)]
            case 3:
                made[i:i] = [draw(WORDS)]
            case _:
                made[i:i] = [draw(st.sampled_from(options or ["-"])), *draw(st.lists(WORDS, max_size=1))]
    return made


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with files of every kind, to which relative names lead."""
    folder = tmp_path_factory.mktemp("place")
    for name in ("folder", "sql", "consumers/pricing-service"):
        (folder / name).mkdir(parents=True)
    contracts = ROOT / "contracts"
    listings = (contracts / "listings.yaml").read_bytes()
    sql = (contracts / "consumers" / "pricing-service" / "fct_price.sql").read_bytes()
    rows = pd.DataFrame(
        {"listing_id": [1, 2, 2], "item_condition": ["A", "new", None], "price_cents": [100, 1, 5], "x": [0.5, 1, 2]}
    )
    rows.to_csv(folder / "rows.csv", index=False)
    rows.to_parquet(folder / "rows.parquet")
    rows.to_json(folder / "rows.json", orient="records", lines=True)
    for name, raw in {
        "listings.yaml": listings,
        "é.yaml": listings,
        "1.3.0.yaml": (contracts / "history" / "listings-1.3.0.yaml").read_bytes(),
        "folder/listings-1.3.0.yaml": (contracts / "history" / "listings-1.3.0.yaml").read_bytes(),
        "broken.yaml": b"version: 1\nfields: [\n",
        "empty": b"",
        "bad.csv": b"a,b\n1\n\xff,2,3\n",
        "bad.parquet": b"PAR1xxxxPAR1",
        "q.sql": sql,
        "sql/q.sql": sql,
        "sql/bad.sql": b"select from where (((",
        "consumers/pricing-service/q.sql": sql,
        "schema.json": b'{"properties": {"a": {"type": "string", "enum": ["A"]}}}',
        "schema.avsc": b'{"type": "record", "name": "t", "fields": [{"name": "a", "type": "string"}]}',
        "odcs.yaml": b"apiVersion: v3.0.0\nkind: DataContract\nid: x\nversion: 1.0.0\nschema: [{name: t, properties: [{name: a}]}]\n",
    }.items():
        (folder / name).write_bytes(raw)
    return folder


def told(
    main: Callable[[list[str]], Any], arguments: list[str], coding: str = "utf-8", most: int = 1
) -> tuple[Any, str, str]:
    """Run a command line as a terminal would; (status, what it said, what it complained of), as they have to be."""
    before = sys.stdout, sys.stderr, sys.stdin
    out, error = io.BytesIO(), io.BytesIO()
    sys.stdout = io.TextIOWrapper(out, coding, write_through=True)
    sys.stderr = io.TextIOWrapper(error, coding, errors="backslashreplace", write_through=True)
    sys.stdin = io.StringIO()
    try:
        try:
            status = main(arguments)
        except SystemExit as left:  # argparse
            status = left.code
        sys.stdout.flush()
        said, complaint = out.getvalue().decode("utf-8", "replace"), error.getvalue().decode("utf-8", "replace")
    finally:
        sys.stdout, sys.stderr, sys.stdin = before
    assert status in (0, 1, 2), status
    assert "Traceback" not in said + complaint
    assert status != 2 or said or complaint
    own = [line for line in complaint.splitlines() if line.strip()]
    if status == 2 and own and not own[0].startswith("usage:"):
        faults = [line for line in own if not line.startswith(("not in ", "warning: ", "left out: "))]
        assert len(faults) <= most or all(":" in line for line in faults), complaint
        assert max(map(len, own)) < 2_500, complaint[:300]
    return status, said, complaint


CODING = st.sampled_from(["utf-8"] * 4 + ["ascii", "cp1252"])


@fuzzed(3)
@given(
    st.sampled_from([one for one in OPTIONS if one != "audit"]).flatmap(
        lambda c: st.tuples(st.just(c), lines(RIGHT[c], OPTIONS[c]))
    ),
    CODING,
)
def test_contracts(place: Path, case: Any, coding: str) -> None:
    command, arguments = case
    with chdir(place):
        is_many = command == "diff" and any(one.startswith("--ag") for one in arguments)  # a sentence a file
    told(command_line.main, [command, *arguments], coding, len(arguments) if is_many else 1)


@fuzzed(0.2)
@given(lines(RIGHT["audit"], OPTIONS["audit"]))
def test_contracts_audit(place: Path, arguments: list[str]) -> None:
    with chdir(place):
        told(command_line.main, ["audit", *arguments])


@fuzzed()
@given(st.lists(WORDS | st.sampled_from(list(OPTIONS)), max_size=4))
def test_contracts_without_a_command(place: Path, arguments: list[str]) -> None:
    with chdir(place):
        told(command_line.main, arguments if "audit" not in arguments else [])


@fuzzed(2)
@given(lines([["listings.yaml", f"rows.{kind}"] for kind in ("csv", "parquet", "json")], GATE), CODING)
def test_validate(place: Path, arguments: list[str], coding: str) -> None:
    with chdir(place):
        told(validate.main, arguments, coding)


@fuzzed(0.5)
@given(lines([["rows.csv", "--day", "x", "--amount", "price_cents"], ["rows.parquet"]], MONITORS).filter(bool), CODING)
def test_monitors(place: Path, arguments: list[str], coding: str) -> None:
    with chdir(place):
        told(monitors.main, arguments, coding)


@fuzzed(0.2)
@given(lines([["listings.yaml", "rows.csv"], ["1.3.0.yaml", "rows.parquet"]], DRILL), CODING)
def test_drill(place: Path, arguments: list[str], coding: str) -> None:
    named = [one for one in arguments if not one.startswith("-")]
    if len(named) < 2 or named[0] == "":
        arguments = ["missing.yaml", "rows.csv", *arguments]  # not the shop, which takes seconds
    with chdir(place):
        told(drill.main, arguments, coding)


@fuzzed()
@given(st.lists(WORDS | st.sampled_from(["gate", "monitors", "drill", "-h"]), min_size=1, max_size=3))
def test_lesson(place: Path, arguments: list[str]) -> None:
    if arguments in (["gate"], ["monitors"], ["drill"]):
        arguments = ["gate", *arguments]
    with chdir(place):
        status, _, _ = told(lesson.main, arguments)
        assert status == (0 if arguments in (["-h"], ["--help"]) else 2)


@fuzzed()
@given(st.lists(st.sampled_from([*make.TARGETS, "help", *ODD, *NAMES]), max_size=4))
def test_make(arguments: list[str]) -> None:
    if arguments and set(arguments) <= set(make.TARGETS):
        arguments = [*arguments, "no such target"]
    status, said, _ = told(make.main, arguments)
    assert status == (0 if arguments in ([], ["help"], ["-h"], ["--help"]) else 2) and "usage" in said


NUMBERS = st.sampled_from(
    ["check", "hint", "list", "watch", "reset", "1", "6", "0", "7", "-1", "1.0", "--format", "json", "text", "١"]
)


@fuzzed()
@given(
    lines([["check", "1"], ["hint", "2"], ["list"], ["reset", "3"], ["watch"], []], ["--format", "json", "1"])
    | st.lists(NUMBERS, max_size=3)
)
def test_exercises(place: Path, arguments: list[str]) -> None:
    folder = place / "exercises"
    folder.mkdir(exist_ok=True)
    open_ones = [Outcome(number, number % 2 == 0, "" if number % 2 == 0 else "line 3: do it") for number in range(1, 7)]

    def enough(_: float) -> None:
        raise KeyboardInterrupt

    def outcomes(numbers: Any = range(1, 7)) -> list[Outcome]:
        return [open_ones[number - 1] for number in numbers]

    if arguments[:1] == ["submit"]:
        return
    with pytest.MonkeyPatch.context() as patched, chdir(place):
        patched.setattr(exercises.__main__, "FOLDER", folder)
        patched.setattr(exercises.__main__, "outcomes", outcomes)
        patched.setattr(exercises.__main__, "copy_stubs", lambda: [])
        patched.setattr(exercises.__main__.time, "sleep", enough)
        told(exercises.__main__.main, arguments)


@fuzzed(0.2)
@given(lines([["--draft"], ["--draft", "--yes"], []], ["--draft", "--yes", "--dr", "--force"]))
def test_submit_where_there_is_no_remote(place: Path, arguments: list[str]) -> None:
    folder = place / "repository"
    if not folder.exists():
        folder.mkdir()
        subprocess.run(["git", "init", "--quiet", "--initial-branch=main", str(folder)], check=True)

    def main(given: list[str]) -> int:
        return exercises.submit.main(given, root=folder, judge=lambda: [], suite=lambda _: 0)

    status, _, _ = told(main, arguments)
    assert status == 2 or {"-h", "--help"} & set(arguments)


@fuzzed(0.05 if EXAMPLES > FEW else 0.17)
@given(
    st.sampled_from(
        [
            ["-m", "contracts", "lint", "listings.yaml"],
            ["-m", "contracts", "export", "listings.yaml", "--to", "odcs"],
            [str(ROOT / "validate.py"), "listings.yaml", "rows.csv"],
            [str(ROOT / "lesson.py"), "no such part"],
            [str(ROOT / "make.py"), "no such target"],
            [str(ROOT / "monitors.py"), "rows.csv"],
        ]
    ),
    st.lists(WORDS.filter(lambda word: "\0" not in word and word.isascii()), max_size=2),
    st.sampled_from(["utf-8", "ascii"]),
)
def test_as_a_process(place: Path, command: list[str], more: list[str], coding: str) -> None:
    """A few as the shell runs them, with the interpreter's own way of ending."""
    environment = {**os.environ, "PYTHONIOENCODING": coding, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, *command, *more],
        cwd=place,
        env=environment,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode in (0, 1, 2), done.returncode
    assert b"Traceback" not in done.stdout + done.stderr, done.stderr.decode("utf-8", "replace")
