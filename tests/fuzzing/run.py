"""Every property with many examples, each time new ones: `make fuzz`, or EXAMPLES=5000 python tests/fuzzing/run.py.

    python tests/fuzzing/run.py [PYTEST ARGUMENT...]

Each file runs in a process of its own, as many at a time as there are processors. Prints a table: property, examples,
seconds, faults; where there are faults, what pytest says of them comes first. Exit 0: no fault; 1: some; 2: a file did
not run to its end.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FOUND = HERE / "test_fuzz_found.py"  # single cases, which `make test` runs
FILES = [*sorted({*HERE.glob("test_*.py")} - {FOUND}), HERE.parent / "test_two_readings.py"]
MANY = "500"


def run(file: Path, arguments: Sequence[str]) -> tuple[list[dict[str, Any]], int, str]:
    """What each property of the file gave, pytest's exit status, and what it said."""
    with tempfile.TemporaryDirectory() as folder:
        tally = Path(folder, "tally.jsonl")
        environment = {"EXAMPLES": MANY, **os.environ, "FUZZ_TALLY": str(tally), "COLUMNS": "100"}
        path = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
        command = [sys.executable, "-m", "pytest", "-n", "0", "-p", "tally", "-p", "no:cacheprovider", str(file)]
        done = subprocess.run(
            [*command, f"--basetemp={folder}/pytest", *arguments],
            cwd=ROOT,
            env={**environment, "PYTHONPATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        lines = tally.read_text(encoding="utf-8").splitlines() if tally.exists() else []
        return [json.loads(line) for line in lines], done.returncode, done.stdout.decode("utf-8", "replace")


def main(arguments: Sequence[str]) -> int:
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        done = list(pool.map(lambda file: run(file, arguments), FILES))
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    for _, status, said in done:
        if status not in (0, 5):  # 5: the arguments chose none of this file
            print(said)
    rows = [row for rows, _, _ in done for row in rows]
    print(f"{'property':<88} {'examples':>8} {'seconds':>8} {'faults':>6}")
    for row in rows:
        name = f"{row['file'].removeprefix('test_')}: {row['property'].removeprefix('test_').replace('_', ' ')}"
        print(f"{name[:88]:<88} {row['examples']:>8,} {row['seconds']:>8.1f} {row['faults']:>6}")
    examples, seconds, faults = (sum(row[key] for row in rows) for key in ("examples", "seconds", "faults"))
    print(f"{f'{len(rows)} properties':<88} {examples:>8,} {seconds:>8.1f} {faults:>6}")
    if any(status not in (0, 1, 5) for _, status, _ in done):
        return 2
    return 1 if faults or any(status == 1 for _, status, _ in done) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
