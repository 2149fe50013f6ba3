"""`make faults`: the long ones. Prints a table a fault; exit status 1 where one is not withstood.

python tests/faults/run.py [--times N] [NAME...]      kills, interrupts, crowd, full, all without a name
"""

import argparse
import importlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

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
            print(
                f"{tally.name:<28}{tally.kills:>6}{tally.old:>6}{tally.new:>6}{tally.halves:>11}   {len(tally.faults)}"
            )
            for fault in sorted(set(tally.faults))[:6]:
                print(f"    {tally.faults.count(fault)} x {fault}", flush=True)
    return faults


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--times", type=int, default=20, help="kills of each command (default: 20)")
    parser.add_argument("--only", default="", help="only the kills of writers with this in their name")
    given = parser.parse_args(arguments)
    if os.name == "nt":
        print("not run: these faults are tried on POSIX systems")
        return 0
    faults = 0
    with tempfile.TemporaryDirectory(prefix="faults-", ignore_cleanup_errors=True) as name:
        if not given.names or "kills" in given.names:
            faults += run_kills(Path(name), given.times, given.only)
    print(f"\n{faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
