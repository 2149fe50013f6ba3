"""`make faults`: the long ones. Prints a table a fault; exit status 1 where one is not withstood.

python tests/faults/run.py [--times N] [NAME...]      kills, interrupts, crowd, full, all without a name
"""

import argparse
import importlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import interrupts
import kills
import scene as scenes


def writers(scene: scenes.Scene) -> list[kills.Writer]:
    """Every command that writes files, on the scene. The modules are those of its folder, imported here once."""
    folder = scene.folder
    sys.path.insert(0, str(folder))
    os.chdir(folder)
    seed, validate, monitors, drill = map(importlib.import_module, ("seed", "validate", "monitors", "drill"))
    contracts, submit, exercises, _ = map(
        importlib.import_module,
        ("contracts.__main__", "exercises.submit", "exercises.__main__", "clause.quarantining"),
    )
    for name in ("clause.sources", "clause.tables", "clause.files", "clause.measuring", "contracts.plan", "ibis"):
        importlib.import_module(name)
    assert Path(seed.__file__).parent == folder, "another folder's modules were imported"
    wanted = {name: arguments[1:] for name, arguments in scenes.commands().items()}
    found = []

    def written(
        name: str, job: Callable[[], int], paths: list[str], before: Callable[[], object], good: tuple[int, ...]
    ):
        """A writer whose old state is what `before` makes and whose new one is what the job makes, byte for byte."""
        at = [folder / path for path in paths]

        def contents() -> tuple[bytes | None, ...]:
            return tuple(path.read_bytes() if path.is_file() else None for path in at)

        before()
        old = contents()
        status, _ = kills.once(kills.Writer(name, before, job, lambda: "", list), folder / "tmp" / "said")
        said = (folder / "tmp" / "said").read_text(errors="replace")
        assert status in good, f"{name} ends with {status}: {said}"
        new = contents()

        def state() -> str:
            now = contents()
            if now in (old, new):
                return "old" if now == old else "new"
            there = [i for i, each in enumerate(now) if each is not None]
            if all(now[i] == old[i] for i in there) or all(now[i] == new[i] for i in there):
                return "missing"
            return f"mixed: {[path.name for path in at if path.exists()]}"

        return kills.Writer(name, before, job, state, scene.halves, good)

    def again(source: str, target: str) -> None:
        shutil.copyfile(folder / source, folder / target)

    # seed: two runs differ in no row, so the old state is another database, and the new one is told by its figures
    def seed_state() -> str:
        if seed.SHOP.read_bytes() == b"old":
            return "old"
        try:
            with seed.attach(seed.SHOP, "read_only") as shop:
                (rows,) = shop.execute("select count(*) from shop.orders").fetchone()
                return "new" if rows == 6983 else f"{rows} rows"
        except Exception as error:
            return f"no database: {error}"

    def seed_before() -> None:
        seed.SHOP.parent.mkdir(exist_ok=True)
        seed.SHOP.write_bytes(b"old")

    def forked_state(state: Callable[[], str]) -> Callable[[], str]:
        """The state as another process sees it: DuckDB's threads would not outlive a fork of this one."""

        def look() -> str:
            answer = folder / "tmp" / "state"
            kills.wait(kills.child(lambda: answer.write_text(state()) * 0, folder / "tmp" / "looked"))
            return answer.read_text()

        return look

    found.append(kills.Writer("seed", seed_before, seed.main, forked_state(seed_state), scene.halves))

    scene.put("earlier.csv", scenes.rows("ABCQ", 900))

    def quarantine_before() -> None:
        for name in ("accepted", "quarantined"):
            scene.put(f"q/{name}.csv", "old\n")

    gate = lambda: validate.main(wanted["quarantine"])  # noqa: E731
    files = ["q/accepted.csv", "q/quarantined.csv"]
    found.append(written("quarantine, first time", gate, files, lambda: shutil.rmtree("q", True), (1,)))
    found.append(written("quarantine, again", gate, files, quarantine_before, (1,)))

    scene.put("store.jsonl", "")
    scene.put("first.csv", scenes.days(1, 15))
    kills.wait(
        kills.child(
            lambda: monitors.main(["first.csv", *scenes.MONITORED, "--store", "earlier.jsonl"]), folder / "tmp" / "x"
        )
    )
    found.append(
        written(
            "monitors' store",
            lambda: monitors.main(wanted["store"]),
            ["store.jsonl"],
            lambda: again("earlier.jsonl", "store.jsonl"),
            (0,),
        )
    )
    kills.wait(kills.child(lambda: contracts.main(wanted["plan"][1:]), folder / "tmp" / "x"))
    planned = [f"planned/{path.name}" for path in (folder / "planned").iterdir()]

    def empty_plan() -> None:
        shutil.rmtree("planned", True)
        Path("planned").mkdir()

    plan = lambda: contracts.main(wanted["plan"][1:])  # noqa: E731
    found.append(
        written("plan, new folder", again_is_fine(plan, planned), planned, lambda: shutil.rmtree("planned", True), (0,))
    )
    found.append(written("plan, folder there", again_is_fine(plan, planned), planned, empty_plan, (0,)))

    stub = "exercises/ex1_figures.py"
    reset = lambda: exercises.main(["reset", "1"])  # noqa: E731
    found.append(written("exercises reset", reset, [stub], lambda: scene.put(stub, "mine = 1\n"), (0,)))
    found.append(
        written(
            "drill --write",
            lambda: drill.main(wanted["drill"]),
            ["drilled.yaml"],
            lambda: scene.put("drilled.yaml", "old\n"),
            (0, 1),
        )
    )
    found.append(submitter(scene, submit))
    return found


def again_is_fine(job: Callable[[], int], paths: list[str]) -> Callable[[], int]:
    """`plan` writes over nothing, so a run after one that came to its end is refused; here that counts as done."""

    def run() -> int:
        whole = all(Path(path).exists() for path in paths)
        status = job()
        return 0 if whole and status == 2 else status

    return run


def submitter(scene: scenes.Scene, submit) -> kills.Writer:
    """Handing in: the remote's branch and the local one are where they were, or at a commit with the student's file."""
    origin = scenes.with_git(scene)
    number = iter(range(1, 1_000_000))
    heads = {"before": ""}

    def tip(*where: str) -> str:
        done = subprocess.run(
            ["git", *where, "rev-parse", "--verify", "-q", scenes.BRANCH], capture_output=True, text=True
        )
        return done.stdout.strip()

    def prepare() -> None:
        heads["before"] = tip(f"--git-dir={origin}")
        heads["text"] = f"answer = {next(number)}\n"
        scene.put("exercises/ex1_figures.py", heads["text"])

    def holds(commit: str) -> bool:
        return bool(commit) and scene.git("show", f"{commit}:exercises/ex1_figures.py") + "\n" == heads["text"]

    def state() -> str:
        time.sleep(0.2)  # git goes on for a moment without its parent
        theirs, ours = tip(f"--git-dir={origin}"), tip()
        subprocess.run(["git", "fsck", "--connectivity-only"], capture_output=True, check=True)
        if theirs == heads["before"]:
            return "old"
        return "new" if theirs == ours and holds(theirs) else f"origin {theirs[:8]}, here {ours[:8]}"

    def job() -> int:
        return submit.main(["--draft", "--yes"], root=scene.folder, judge=list)

    def left() -> list[Path]:
        return [*scene.folder.glob(".git/**/*.lock"), *origin.glob("**/*.lock")]

    return kills.Writer("exercises submit", prepare, job, state, left)


def run_kills(folder: Path, times: int, only: str = "") -> int:
    """kill -9."""
    scene = scenes.make(folder / "kills")
    os.environ["TMPDIR"] = str(scene.folder / "tmp")
    said = scene.folder / "tmp" / "said"
    print(f"\n{'kill -9':<32}{'kills':>6}{'old':>6}{'new':>6}{'missing':>9}{'half left':>11}   faults")
    faults = 0
    for writer in writers(scene):
        if only not in writer.name:
            continue
        often = times // 10 if writer.name.startswith("drill") else times  # most of its time it computes
        for tally in (kills.at_random(writer, often, said), kills.at_steps(writer, said)):
            faults += len(tally.faults)
            counts = f"{tally.kills:>6}{tally.old:>6}{tally.new:>6}{tally.missing:>9}{tally.halves:>11}"
            print(f"{tally.name:<32}{counts}   {len(tally.faults)}", flush=True)
            for fault in sorted(set(tally.faults))[:6]:
                print(f"    {tally.faults.count(fault)} x {fault}", flush=True)
    return faults


def run_interrupts(folder: Path, times: int) -> int:
    """Ctrl-C at random moments."""
    scene = scenes.make(folder / "interrupts")
    scenes.with_git(scene)
    scene.environment = {"TMPDIR": str(scene.folder / "tmp")}
    print(f"\n{'Ctrl-C':<14}{'tries':>6}{'130':>6}{'had ended':>11}{'not begun':>11}{'half left':>11}   faults")
    signal.signal(signal.SIGINT, signal.default_int_handler)  # who starts this with `&` or nohup has it ignored
    faults = interrupted = 0
    for name, arguments in scenes.commands().items():
        if name == "make":  # it starts the others
            continue
        scene.run(*arguments)
        found = interrupts.look(scene, name, arguments, interrupts.moments(scene, arguments, times))
        early = found.by_signal + found.before_ours
        quiet = found.tries - early - found.ended_before - len(found.faults)
        counts = f"{found.tries:>6}{quiet:>6}{found.ended_before:>11}{early:>11}{found.halves:>11}"
        print(f"{name:<14}{counts}   {len(found.faults)}", flush=True)
        for fault in found.faults:
            print(f"    {fault}", flush=True)
        faults += len(found.faults)
        interrupted += quiet
    if not interrupted:
        print("    no command was interrupted at all")
    return faults + (interrupted == 0)


def run_crowd(folder: Path, times: int) -> int:
    """Fifty at once: on one contract, on one quarantine, on one store."""
    scene = scenes.make(folder / "crowd")
    sys.path.insert(0, str(scene.folder))
    os.chdir(scene.folder)
    validate, monitors = importlib.import_module("validate"), importlib.import_module("monitors")
    for name in ("clause.quarantining", "clause.tables", "clause.files", "clause.measuring"):
        importlib.import_module(name)
    number, faults = 50, []

    def crowd(what: str, job: Callable[[int], int], expected: Callable[[int], int]) -> None:
        began = time.perf_counter()
        said = [scene.folder / "tmp" / f"{what}-{i}" for i in range(number)]
        processes = [kills.child(lambda i=i: job(i), said[i]) for i in range(number)]
        wrong = [i for i, process in enumerate(processes) if kills.wait(process) != expected(i)]
        wrong += [i for i in range(number) if "Traceback" in said[i].read_text(errors="replace")]
        faults.extend(f"{what}: {said[i].read_text(errors='replace')[-200:]}" for i in wrong)
        print(f"{what:<34}{number:>4} at once, {time.perf_counter() - began:5.1f} s, {len(wrong)} wrong", flush=True)

    for i in range(number):
        scene.put(f"rows{i}.csv", scenes.rows("ABCQ" if i % 2 else "ABC", 300 + i))
        scene.put(f"day{i}.csv", scenes.days(1 + i % 28, 1 + i % 28))
    crowd("gates on one contract", lambda i: validate.main(["c.yaml", f"rows{i}.csv"]), lambda i: i % 2)
    crowd(
        "gates on one quarantine",
        lambda i: validate.main(["c.yaml", f"rows{i}.csv", "--quarantine", "q"]),
        lambda i: i % 2,
    )
    accepted, quarantined = (
        len(Path("q", f"{name}.csv").read_text().splitlines()) - 1 for name in ("accepted", "quarantined")
    )
    gate = accepted + quarantined - 300  # each has another number of rows
    right = sum(line.split(",")[1] != "Q" for line in Path(f"rows{gate}.csv").read_text().splitlines()[1:])
    if accepted != right:
        faults.append(f"the two files of the quarantine are of different gates: {accepted} accepted of {300 + gate}")
    crowd(
        "monitors on one store",
        lambda i: monitors.main([f"day{i}.csv", *scenes.MONITORED, "--store", "crowd.jsonl"]) and 0,
        lambda i: 0,
    )
    stored = Path("crowd.jsonl").read_text().count('"orders"')
    if stored != 28:
        faults.append(f"the store has {stored} days, and 28 were put in")
    faults.extend(f"left {path}" for path in scene.halves())
    for fault in faults:
        print(f"    {fault}")
    return len(faults)


USUAL = {"validate": 1, "quarantine": 1, "monitors": 1, "diff": 1, "readers": 1, "audit": 1, "check": 1, "drill": 1}
WRITE = ("seed", "lesson", "quarantine", "store", "plot", "drill", "plan", "reset", "submit")


def judged(scene: scenes.Scene, title: str, cannot: tuple[str, ...], prefix: tuple[str, ...] = (), **environment: str):
    """Run every command: those that cannot write end with 2 and one sentence, the others as ever."""
    faults = []
    for name, arguments in scenes.commands().items():
        command = [*prefix, sys.executable, *arguments]
        given = os.environ | {"TMPDIR": str(scene.folder / "tmp")} | environment
        done = subprocess.run(
            command, cwd=scene.folder, env=given, stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        wanted = 2 if name in cannot else USUAL.get(name, 0)
        lines = [line for line in done.stderr.splitlines() if "atplotlib" not in line and "mkdir -p" not in line]
        if done.returncode != wanted or "Traceback" in done.stderr or (wanted == 2 and len(lines) != 1):
            faults.append(f"{name}: exit {done.returncode}: {done.stderr.strip()[-200:]}")
    print(f"{title:<60}{len(scenes.commands()):>4} commands, {len(faults)} faults", flush=True)
    for fault in faults:
        print(f"    {fault}")
    return len(faults)


def contents(folder: Path) -> dict[str, bytes]:
    """Every file but what Python and git keep for themselves."""
    kept = (path for path in folder.rglob("*") if path.is_file() and not {"__pycache__", ".git"} & {*path.parts})
    return {str(path): path.read_bytes() for path in kept}


def warmed(scene: scenes.Scene) -> scenes.Scene:
    """Each command has run once, so there are old files; and the plan's are gone, since it writes over none."""
    scenes.with_git(scene)
    for arguments in scenes.commands().values():
        scene.run(*arguments)
    shutil.rmtree(scene.folder / "planned")
    scene.put("exercises/ex1_figures.py", "mine = 1\n")
    return scene


def run_full(folder: Path, times: int) -> int:
    """A disk that is full, folders that may not be written, no home, no folder for temporary files."""
    print()
    faults = 0
    scene = warmed(scenes.make(folder / "nowhere"))
    nowhere = {"HOME": "/nonexistent", "XDG_CACHE_HOME": "/nonexistent", "TMPDIR": "/nonexistent"}
    faults += judged(scene, "no home, no cache, no TMPDIR", (), **nowhere)
    if os.geteuid() == 0 and not shutil.which("setpriv"):
        print("read only: not run, as root may write everywhere and there is no setpriv")
    else:
        scene = warmed(scenes.make(folder / "readonly"))
        without = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search") if os.geteuid() == 0 else ()
        subprocess.run(["chmod", "-R", "a-w", str(scene.folder)], check=True)
        before = contents(scene.folder)
        faults += judged(scene, "nothing may be written", WRITE, without, HOME=str(scene.folder))
        faults += contents(scene.folder) != before
        subprocess.run(["chmod", "-R", "u+w", str(scene.folder)], check=True)
    small = folder / "small"
    small.mkdir()
    mounted = os.geteuid() == 0 and subprocess.call(
        ["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", str(small)], stderr=subprocess.DEVNULL
    )
    if mounted is False or mounted:
        print("a full disk: not run, as only root can mount a small one")
        return faults
    try:
        scene = warmed(scenes.make(small / "scene"))
        before = contents(scene.folder)
        filler = os.open(small / "filler", os.O_WRONLY | os.O_CREAT)
        try:
            while True:
                os.write(filler, bytes(4096))
        except OSError:
            os.close(filler)
        faults += judged(scene, "a full disk", WRITE)
        if contents(scene.folder) != before:
            faults += 1
            print("    an old file is not as it was")
    finally:
        subprocess.call(["umount", "-l", str(small)])
    return faults


RUNS = {"kills": run_kills, "interrupts": run_interrupts, "crowd": run_crowd, "full": run_full}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[*RUNS, []])
    parser.add_argument("--times", type=int, help="kills of each command (default: 10), or interrupts (default: 4)")
    parser.add_argument("--only", default="", help="only the kills of writers with this in their name")
    given = parser.parse_args(arguments)
    if os.name == "nt":
        print("not run: these faults are tried on POSIX systems")
        return 0
    names = given.names or list(RUNS)
    if len(names) > 1:  # each in a process of its own: they import the lesson from different folders
        options = ["--times", str(given.times)] if given.times else []
        return max(subprocess.call([sys.executable, __file__, name, *options]) for name in names)
    with tempfile.TemporaryDirectory(prefix="faults-", ignore_cleanup_errors=True) as name:
        if names == ["kills"]:
            faults = run_kills(Path(name), given.times or 10, given.only)
        else:
            faults = RUNS[names[0]](Path(name), given.times or 4)
        os.chdir(tempfile.gettempdir())
    print(f"{names[0]}: {faults} faults", flush=True)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
