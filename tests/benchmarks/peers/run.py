"""The peers, side by side in one run: `make bench`, after our own benchmarks.

    python tests/benchmarks/peers/run.py [--rows N] [--pairs N] [--memory-rows N] [--only TOOL...] [--parts PART...]

Each tool runs in an environment of its own under data/bench-envs/, pinned by the files beside this one, and judges the
same tables by the same contract; which verdicts it gives is part of the result. In each round all run in turn, each
as a process of its own, and each round begins with another. What counts are the medians, and the medians of the
ratios within a round. A tool that cannot be installed, crashes or gives another verdict stands in the table as such.

The tables go into tests/benchmarks/README.md, each between its marks; with --only they are printed alone. Nothing
needs the network once the packages are there.

Exit 0: all was measured; 2: something was not, and the tables say what and why.
"""

from __future__ import annotations

import argparse
import datetime as dt
import os
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from processes import HERE, ROOT, Measured, NotRun, environment, measure, version
from rounds import OURS, PROCESS, QUERY, Rounds, check, compared, cpu, peak, shown, table, wall, warm

README = HERE.parent / "README.md"
ALL_CLAUSES = 15  # that the broken table breaks
PARTS = ("validation", "boundary", "start", "audit", "memory")
SQLFLUFF_FILES = 20  # it takes seconds a file


@dataclass(frozen=True)
class Tool:
    """One tool, and how this folder asks it. environment "" is the repository's own."""

    name: str
    script: str
    environment: str = ""
    kind: str = ""
    packages: tuple[str, ...] = ()

    @property
    def programs(self) -> Path:
        return environment(self.environment) if self.environment else Path(sys.executable).parent

    def command(self, stem: Path, *more: str) -> list[Any]:
        python = self.programs / "python" if self.environment else sys.executable
        return [python, HERE / self.script, stem, "--kind", self.kind, *more]


TOOLS = [
    Tool(OURS, "by_us.py", packages=("duckdb", "ibis-framework")),
    Tool(QUERY, "by_query.py", packages=("duckdb",)),
    Tool("soda", "by_soda.py", "soda", packages=("soda-core", "duckdb")),
    Tool("datacontract-cli", "by_datacontract.py", "datacontract", packages=("datacontract-cli", "duckdb")),
    Tool("Great Expectations", "by_great_expectations.py", "great_expectations",
         packages=("great_expectations", "pandas")),
    Tool("pandera, pandas", "by_pandera.py", "pandera", "pandas", ("pandera", "pandas")),
    Tool("pandera, polars", "by_pandera.py", "pandera", "polars", ("pandera", "polars")),
]  # fmt: skip
BOUNDARY = [
    Tool(OURS, "at_the_boundary.py", "boundary", "ours", ("duckdb", "ibis-framework")),
    Tool(QUERY, "at_the_boundary.py", "boundary", "query", ("duckdb",)),
    Tool("tacit", "at_the_boundary.py", "boundary", "tacit", ("tacit", "ibis-framework", "duckdb")),
    Tool("pandera, ibis", "at_the_boundary.py", "boundary", "pandera, ibis", ("pandera", "ibis-framework", "duckdb")),
    Tool("pandera, pandas", "at_the_boundary.py", "boundary", "pandera, pandas", ("pandera", "pandas")),
]

# ---- the parts ------------------------------------------------------------------------------------------------------


@dataclass
class Bench:
    """What was chosen, where the files are, and what could not be measured."""

    rows: int
    memory_rows: int
    pairs: int
    files: int
    only: list[str]
    folder: Path
    missing: list[str]

    def chosen(self, tools: list[Tool]) -> list[Tool]:
        return [tool for tool in tools if not self.only or tool.name in (*self.only, OURS, QUERY)]

    def installed(self, tools: list[Tool], rounds: Rounds) -> list[Tool]:
        """The tools whose environments are there, before anything is measured; of the others, why not."""
        there = []
        for tool in tools:
            try:
                tool.programs  # noqa: B018  # made on the first look
                there.append(tool)
            except NotRun as error:
                rounds.why[tool.name] = str(error)
        return there

    def data(self, *sizes: int) -> None:
        measure([sys.executable, HERE / "rows.py", self.folder, *sizes], limit=3_600)

    def stem(self, name: str) -> Path:
        return self.folder / name

    def note(self, rounds: Rounds) -> None:
        self.missing += [f"{name}: {why}" for name, why in rounds.why.items()]


def versions(tools: Sequence[Tool], rounds: Rounds) -> str:
    said = {tool.name: version(tool.programs, tool.packages) for tool in tools if tool.name not in rounds.why}
    return "Versions: " + "; ".join(f"{name}: {text}" for name, text in said.items()) + "."


def validation(bench: Bench) -> Iterator[str]:
    """The verdicts first, then the large table and the incident."""
    bench.data(8_000, bench.rows)
    large, small = Rounds(), Rounds()
    tools = bench.chosen(TOOLS)
    names = [tool.name for tool in tools]
    verdicts = Rounds()
    there = bench.installed(tools, verdicts)
    yield judged(bench, there, verdicts)
    large.why, small.why = dict(verdicts.why), dict(verdicts.why)

    def job(tool: Tool, name: str, *more: str) -> Callable[[], Measured]:
        broken = {"item_condition enum": 8_000} if name == "incident" else {}
        return lambda: judging(tool.command(bench.stem(name), *more), broken)

    clean = f"clean-{bench.rows}"
    large.run({tool.name: job(tool, clean) for tool in there}, bench.pairs)
    bench.stem(f"{clean}.parquet").unlink()
    yield f"### {bench.rows:,} rows of Parquet\n\n{compared(large, names, {'check': check})}"
    small.run({tool.name: job(tool, "incident") for tool in there}, bench.pairs)
    again = Rounds()
    again.why = dict(small.why)
    again.run({tool.name: job(tool, "incident", "--times", "6") for tool in there}, bench.pairs)
    text = compared(small, names, {"check": check})
    yield f"### The incident: 8,000 listings after the release, a process for each\n\n{text}"
    head = ["tool", "check ms", "÷ ours", "÷ bare query"]
    measured = [tool for tool in tools if tool.name in again.found]
    rows = [
        [tool.name, shown(1000 * again.median(tool.name, warm)), shown(again.ratio(tool.name, OURS, warm)),
         shown(again.ratio(tool.name, QUERY, warm))]
        for tool in measured
    ]  # fmt: skip
    text = f"{table(head, rows)}\n\n{again.not_first({'check': warm})}"
    yield f"### The incident once more in the same process\n\n{text}\n\n{versions(tools, verdicts)}"
    for rounds in (large, small):
        bench.note(rounds)


def judging(command: Sequence[Any], broken: dict[str, int]) -> Measured:
    """A measured verdict; NotRun where it is another one than that, or takes nearly all memory that there is."""
    found = measure(command, most=0.85 * free_memory())
    if found.answer["broken"] != broken:
        raise NotRun(f"another verdict than ours: {found.answer['broken'] or 'kept'}")
    return found


def judged(bench: Bench, tools: list[Tool], rounds: Rounds) -> str:
    """Every tool's verdict on the three tables, beside ours. Who gives another one stays, and stands there as such."""
    answers: dict[str, dict[str, dict[str, Any]]] = {}
    for tool in tools:
        try:
            answers[tool.name] = {
                name: measure(tool.command(bench.stem(name))).answer for name in ("clean-8000", "incident", "broken")
            }
        except NotRun as error:
            rounds.why[tool.name] = str(error)
    ours = answers[OURS]["broken"]["broken"]
    if answers[OURS]["clean-8000"]["broken"] or len(ours) != ALL_CLAUSES:
        raise SystemExit(f"run.py: our own verdicts are not those that the tables were made for: {ours}")
    rows = []
    for tool in bench.chosen(TOOLS):
        if tool.name in rounds.why:
            rows.append([tool.name, f"not measured: {rounds.why[tool.name]}", *[""] * 5])
            continue
        found = {name: answer["broken"] for name, answer in answers[tool.name].items()}
        broken = found["broken"]
        other = [
            f"{name} {count or 'not counted'} (ours {ours[name]})"
            for name, count in broken.items()
            if ours.get(name, count) != count
        ]
        odd = [f"not {name}" for name in ours if name not in broken]
        odd += [f"also {name}" for name in broken if name not in ours]
        rows.append(
            [
                tool.name,
                "broken" if found["clean-8000"] else "kept",
                ", ".join(f"{name}: {count:,}" for name, count in found["incident"].items()) or "kept",
                f"{sum(name in broken for name in ours)} of {len(ours)}{' (' + ', '.join(odd) + ')' if odd else ''}",
                ", ".join(other) or "the same",
                "; ".join(answers[tool.name]["broken"]["cannot"]) or "nothing",
            ]
        )
    head = ["tool", "clean", "the incident", "broken clauses it finds", "rows it counts", "does not check"]
    return f"### All judge the same\n\n{table(head, rows)}"


def memory(bench: Bench) -> Iterator[str]:
    """One very large table, once: what each needs, and who cannot."""
    bench.data(bench.memory_rows)
    tools = bench.chosen(TOOLS)
    rounds = Rounds()
    name = f"clean-{bench.memory_rows}"
    there = bench.installed(tools, rounds)
    rounds.run({tool.name: lambda tool=tool: judging(tool.command(bench.stem(name)), {}) for tool in there}, 1)
    size = bench.stem(f"{name}.parquet").stat().st_size / 2**20
    bench.stem(f"{name}.parquet").unlink()
    text = compared(rounds, [tool.name for tool in tools], {"check": check})
    yield f"### {bench.memory_rows:,} rows ({size:,.0f} MiB of Parquet), once\n\n{text}"


def free_memory() -> float:
    """MiB; 0, which is no limit, where the system does not say."""
    try:
        text = Path("/proc/meminfo").read_text()
    except OSError:
        return 0.0
    return int(re.search(r"MemAvailable:\s+(\d+)", text)[1]) / 1024  # type: ignore[index]


def boundary(bench: Bench) -> Iterator[str]:
    """The function boundary: structure alone, and every value."""
    bench.data(8_000, bench.rows)
    rounds = Rounds()
    tools = bench.chosen(BOUNDARY)
    there = bench.installed(tools, rounds)
    if there and not version(there[0].programs, ["tacit"]):
        rounds.why["tacit"] = "it needs Python 3.12 or later, and none was found"
    stem = bench.stem(f"clean-{bench.rows}")

    def job(tool: Tool) -> Callable[[], Measured]:
        def asked() -> Measured:
            found = measure(tool.command(stem))
            said = found.answer
            verdict = [said[name] for name in ("passes", "renamed", "recoded_by_structure", "recoded_by_values")]
            if verdict != [True, True, False, True]:
                raise NotRun(f"another verdict: {said}")
            return found

        return asked

    rounds.run({tool.name: job(tool) for tool in there}, bench.pairs)
    stem.with_name(f"{stem.name}.parquet").unlink()
    columns: dict[str, tuple[str, float]] = {
        "structure": ("structure µs", 1e6),
        "values": ("values, 8,000 rows ms", 1e3),
        "many": (f"values, {bench.rows:,} rows s", 1.0),
    }
    said = {name: lambda one, name=name: one.answer[name] for name in columns}
    head = ["guard", *(label for label, _ in columns.values()), "peak MiB", *(f"{name} ÷ ours" for name in columns)]
    head += ["memory ÷ ours", f"{bench.rows:,} rows ÷ bare query"]
    rows = []
    for tool in tools:
        if tool.name in rounds.why:
            rows.append([tool.name, f"not measured: {rounds.why[tool.name]}", *[""] * (len(head) - 2)])
            continue
        row = [tool.name, *(shown(columns[name][1] * rounds.median(tool.name, how)) for name, how in said.items())]
        row += [shown(rounds.median(tool.name, peak))]
        row += [shown(rounds.ratio(tool.name, OURS, how)) for how in (*said.values(), peak)]
        rows.append([*row, shown(rounds.ratio(tool.name, QUERY, said["many"]))])
    text = f"{table(head, rows)}\n\n{rounds.not_first(said | {'memory': peak})}"
    yield f"### A function's boundary\n\n{text}\n\n{versions(tools, rounds)}"
    bench.note(rounds)


def start(bench: Bench) -> Iterator[str]:
    """The cold start of every command, and of the peers' commands that do the same."""
    bench.data(8_000)
    old, wanted = bench.stem("old.odcs.yaml"), bench.stem("wanted.yaml")
    listings = (ROOT / "contracts" / "listings.yaml").read_text(encoding="utf-8")
    recoded = "enum: [excellent, good, fair]"
    wanted.write_text(listings.replace("enum: [A, B, C]", recoded), encoding="utf-8")
    odcs = bench.stem("incident.odcs.yaml")
    old.write_text(odcs.read_text(encoding="utf-8").replace("[A, B, C]", "[A, B]"), encoding="utf-8")
    source = bench.stem("source.yaml")
    soda = Tool("soda", "by_soda.py", "soda")
    datacontract = Tool("datacontract-cli", "by_datacontract.py", "datacontract")
    rounds = Rounds()
    there = {tool.name: tool.programs for tool in bench.installed([soda, datacontract], rounds)}
    agreed, parquet = ROOT / "contracts" / "listings.yaml", bench.stem("incident.parquet")
    ours = {
        "contracts --help": (["-m", "contracts", "--help"], 0),
        "contracts lint": (["-m", "contracts", "lint", agreed], 0),
        "contracts diff": (["-m", "contracts", "diff", "contracts/history/listings-1.3.0.yaml", agreed], 0),
        "contracts plan": (["-m", "contracts", "plan", agreed, wanted], 0),
        "contracts readers": (["-m", "contracts", "readers", agreed, "item_condition"], 1),
        "contracts audit": (["-m", "contracts", "audit", "contracts/consumers", "--contracts", "contracts"], 1),
        "contracts export --to odcs": (["-m", "contracts", "export", agreed, "--to", "odcs"], 0),
        "contracts import --from odcs": (["-m", "contracts", "import", odcs, "--from", "odcs"], 0),
        "contracts import --from table": (["-m", "contracts", "import", parquet, "--from", "table"], 0),
        "validate.py --help": (["validate.py", "--help"], 0),
        "validate.py, the incident": (["validate.py", bench.stem("incident.yaml"), parquet], 1),
        "drill.py --help": (["drill.py", "--help"], 0),
        "lesson.py": (["lesson.py"], 0),
        "lesson.py gate": (["lesson.py", "gate"], 0),
        "lesson.py monitors": (["lesson.py", "monitors"], 0),
        "lesson.py drill": (["lesson.py", "drill"], 0),
        "seed.py": (["seed.py"], 0),
        "exercises list": (["-m", "exercises", "list"], (0, 1)),
        "exercises hint 1": (["-m", "exercises", "hint", "1"], 0),
    }
    equal = {
        "datacontract --help": (["datacontract", "--help"], 0, "contracts --help"),
        "soda --help": (["soda", "--help"], 0, "contracts --help"),
        "datacontract lint": (["datacontract", "lint", odcs], 0, "contracts lint"),
        "datacontract breaking": (["datacontract", "breaking", old, odcs], (0, 1), "contracts diff"),
        "datacontract export odcs": (["datacontract", "export", "odcs", odcs], 0, "contracts export --to odcs"),
        "datacontract import parquet": (["datacontract", "import", "parquet", "--source", parquet], 0,
                                        "contracts import --from table"),
        "datacontract test": (["datacontract", "test", odcs], 1, "validate.py, the incident"),
        "soda contract verify": (["soda", "contract", "verify", "-c", bench.stem("soda.yaml"), "-ds", source], 1,
                                 "validate.py, the incident"),
    }  # fmt: skip
    soda_files(bench, there.get("soda"))
    before = set((ROOT / "exercises").iterdir())  # whose commands put a student's own files there, where none are

    def job(command: list[Any], good: int | tuple[int, ...]) -> Callable[[], Measured]:
        return lambda: measure(command, good if isinstance(good, tuple) else (good,))

    jobs = {"python -c pass": job([sys.executable, "-c", "pass"], 0)}
    jobs |= {name: job([sys.executable, *words], good) for name, (words, good) in ours.items()}
    for name, (words, good, _) in equal.items():
        tool = "soda" if words[0] == "soda" else "datacontract-cli"
        if tool in rounds.why:
            rounds.why[name] = rounds.why[tool]
        else:
            jobs[name] = job([there[tool] / words[0], *words[1:]], good)
    rounds.run(jobs, bench.pairs)
    for file in set((ROOT / "exercises").glob("ex[1-6]_*")) - before:
        file.unlink()
    rows, ahead = [], []
    for name in jobs | dict.fromkeys(equal):
        if name in rounds.why:
            rows.append([name, f"not measured: {rounds.why[name]}", *[""] * 5])
            continue
        mine = equal[name][2] if name in equal else name
        row = [name, shown(1000 * rounds.median(name, wall)), shown(1000 * rounds.median(name, cpu))]
        row += [shown(rounds.median(name, peak)), mine if name in equal else ""]
        row += [shown(rounds.ratio(name, mine, wall)) if name in equal else ""]
        rows.append([*row, shown(rounds.ratio(name, "python -c pass", wall))])
        for what, how in PROCESS.items():
            if name in equal and rounds.ratio(name, mine, how) < 1:
                ahead.append(f"{what}: {name} ({rounds.ratio(name, mine, how):.2f} of {mine})")
    head = ["command", "wall ms", "CPU ms", "peak MiB", "its equal", "wall ÷ equal", "wall ÷ python -c pass"]
    says = f"Where we are not first: {'; '.join(ahead)}." if ahead else "We are first wherever a peer has an equal."
    yield f"### Cold start of every command\n\n{table(head, rows)}\n\n{says}"
    bench.note(rounds)


def soda_files(bench: Bench, programs: Path | None) -> None:
    """The incident as files that soda's own command reads."""
    if programs is not None:
        measure([programs / "python", HERE / "by_soda.py", bench.stem("incident"), "--kind", "files"])
        for ending in ("contract", "source"):
            name = "soda.yaml" if ending == "contract" else "source.yaml"
            shutil.copyfile(bench.stem(f"incident.soda.{ending}.json"), bench.stem(name))


def audit(bench: Bench) -> Iterator[str]:
    """Many files of SQL: ours, sqlglot's bare parsing, and a linter on a few of them."""
    many, few = bench.folder / "many", bench.folder / "few"
    for folder, count in ((many, bench.files), (few, SQLFLUFF_FILES)):
        measure([sys.executable, HERE / "models.py", "write", folder, count])
    fluff = Tool("sqlfluff", "", "sqlfluff", packages=("sqlfluff",))
    rounds = Rounds()
    there = bench.installed([fluff], rounds) if not bench.only or "sqlfluff" in bench.only else []
    ours = [sys.executable, "-m", "contracts", "audit"]
    parses = [sys.executable, HERE / "models.py", "parse"]

    def job(command: list[Any], *good: int) -> Callable[[], Measured]:
        return lambda: measure(command, good, limit=1_800)

    jobs = {
        f"ours, {bench.files:,} files": job([*ours, many / "pricing", "--contracts", many / "items.yaml"], 0, 1),
        f"sqlglot parses, {bench.files:,} files": job([*parses, many / "pricing"], 0),
        f"ours, {SQLFLUFF_FILES} files": job([*ours, few / "pricing", "--contracts", few / "items.yaml"], 0, 1),
    }
    counts = [bench.files, bench.files, SQLFLUFF_FILES]
    if there:
        rules = "structure.else_null,ambiguous.column_count"  # the two nearest to what an audit asks
        lint = [fluff.programs / "sqlfluff", "lint", few / "pricing", "--dialect", "ansi", "--rules", rules]
        jobs[f"sqlfluff, two rules, {SQLFLUFF_FILES} files"] = job(lint, 0, 1)
        counts.append(SQLFLUFF_FILES)
    rounds.run(jobs, bench.pairs)
    rows = []
    for name, count in zip(jobs, counts, strict=True):
        if name in rounds.why:
            rows.append([name, f"not measured: {rounds.why[name]}", *[""] * 5])
            continue
        mine = f"ours, {count:,} files"
        row = [name, *(shown(rounds.median(name, how)) for how in PROCESS.values())]
        row += [shown(1000 * rounds.median(name, wall) / count)]
        rows.append([*row, *(shown(rounds.ratio(name, mine, how)) for how in (wall, cpu))])
    if "sqlfluff" in rounds.why:
        rows.append(["sqlfluff", f"not measured: {rounds.why['sqlfluff']}", *[""] * 5])
    head = ["what", "wall s", "CPU s", "peak MiB", "ms a file", "wall ÷ ours", "CPU ÷ ours"]
    said = versions([fluff] if there else [], rounds).replace("Versions: .", "")
    yield f"### An audit of files of 200 lines\n\n{table(head, rows)}\n\n{said}".rstrip()
    bench.note(rounds)


# ---- the page -------------------------------------------------------------------------------------------------------


def machine() -> str:
    """Date, processor, memory, system, Python, and how busy the machine was; no name of a host."""
    processor = platform.processor() or platform.machine()
    total = ""
    if sys.platform == "linux":
        names = re.findall(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
        processor = names[0] if names else processor
        kilobytes = int(re.search(r"MemTotal:\s+(\d+)", Path("/proc/meminfo").read_text())[1])  # type: ignore[index]
        total = f", {kilobytes / 2**20:.0f} GiB"
    busy = f"; load before the run {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    today = dt.datetime.now(dt.UTC).date().isoformat()
    system = f"{platform.system()} {platform.release().split('-')[0]} {platform.machine()}"
    return f"{today}; {processor}, {os.cpu_count()} cores{total}; {system}; Python {platform.python_version()}{busy}"


def place(part: str) -> tuple[str, str]:
    """The page before a part's table, and after it."""
    begin, end = f"<!-- {part}: written by run.py -->", f"<!-- end of {part} -->"
    before, found, rest = README.read_text(encoding="utf-8").partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise SystemExit(f"run.py: {README.name} has no place for {part}: put '{begin}' and '{end}' where it goes")
    return before + begin, end + after


def put(part: str, text: str) -> None:
    """The text of a part, between its marks on the page."""
    before, after = place(part)
    README.write_text(f"{before}\n\n{text}\n\n{after}", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000, metavar="N", help="rows of the large table")
    parser.add_argument("--memory-rows", type=int, default=100_000_000, metavar="N", help="rows of the very large one")
    parser.add_argument("--files", type=int, default=1_000, metavar="N", help="files of the audit")
    parser.add_argument("--pairs", type=int, default=5, metavar="N", help="rounds")
    names = sorted({tool.name for tool in (*TOOLS, *BOUNDARY)} - {OURS, QUERY} | {"sqlfluff"})
    only = f"ours, the bare query and these alone, printed and not written: {', '.join(names)}"
    parser.add_argument("--only", nargs="+", default=[], choices=names, metavar="TOOL", help=only)
    parser.add_argument("--parts", nargs="+", default=PARTS, choices=PARTS, help="these parts alone")
    parser.add_argument("--print", action="store_true", help="print the tables, and leave the page as it is")
    chosen = parser.parse_args()
    if min(chosen.rows, chosen.memory_rows) < 8_000 or chosen.pairs < 1:
        parser.error(
            "a table has at least 8,000 rows, which are the shop's listings once, and there is at least 1 round"
        )
    for part in chosen.parts:
        place(part)
    head, missing = machine(), []
    data = ROOT / "data"
    data.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=data) as name:
        for part in chosen.parts:
            bench = Bench(
                chosen.rows, chosen.memory_rows, chosen.pairs, chosen.files, chosen.only, Path(name, part), missing
            )
            bench.folder.mkdir()
            rounds = "once" if part == "memory" else f"median of {chosen.pairs}"
            parts = [f"{head}; {rounds}.", *RUN[part](bench)]
            text = "\n\n".join(parts)
            print(f"{text}\n", flush=True)
            if not chosen.only and not chosen.print:
                put(part, text)
            shutil.rmtree(bench.folder)
    for why in dict.fromkeys(missing):
        print(f"not measured: {why}", file=sys.stderr)
    return 2 if missing else 0


RUN: dict[str, Callable[[Bench], Iterator[str]]] = {
    "validation": validation,
    "boundary": boundary,
    "start": start,
    "audit": audit,
    "memory": memory,
}

if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
