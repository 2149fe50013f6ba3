"""A copy of the lesson in a folder of its own, data for it, and every command that the faults are tried on."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow.parquet as pq

ROOT = Path(__file__).resolve().parents[2]
BRANCH = "de-practice/08-data-contracts"
CONTRACT = """version: 1.0.0
owner: us
consumers: [them]
evolution: {additive: allowed, breaking: expand_and_contract, notice: 14d}
fields:
- {name: id, type: integer, required: true, unique: true}
- {name: grade, type: string, enum: [A, B, C], required: true}
- {name: price, type: number, min: 0}
"""
# What a killed process may leave: our own halves, and the folders that Python's tempfile makes in TMPDIR.
HALF = ".contracts-half-"
SUBMIT = (  # without the checks and the suite, which write nothing
    "import sys; sys.path.insert(0, '.'); from contracts.ending import begin, command; begin();"
    "from pathlib import Path;"
    "from exercises import submit;"
    "sys.exit(command(lambda: submit.main(['--draft', '--yes'], root=Path.cwd(), judge=lambda: [])))"
)


def commands() -> dict[str, list[str]]:
    """Every command of the lesson, on the scene's own data: name -> the arguments of Python."""
    return {
        "seed": ["seed.py"],
        "lesson": ["lesson.py", "gate"],
        "validate": ["validate.py", "c.yaml", "rows.csv"],
        "quarantine": ["validate.py", "c.yaml", "rows.csv", "--quarantine", "q"],
        "monitors": ["monitors.py"],
        "store": ["monitors.py", "days.csv", *MONITORED, "--store", "store.jsonl"],
        "plot": ["monitors.py", "days.csv", *MONITORED, "--plot", "shape.png"],
        "drill": ["drill.py", "c.yaml", "kept.csv", "--write", "drilled.yaml"],
        "lint": ["-m", "contracts", "lint", "c.yaml", "contracts/listings.yaml"],
        "diff": ["-m", "contracts", "diff", "c.yaml", "wanted.yaml"],
        "plan": ["-m", "contracts", "plan", "c.yaml", "wanted.yaml", "--announce", "2026-11-30", "--out", "planned"],
        "readers": ["-m", "contracts", "readers", "contracts/listings.yaml", "item_condition"],
        "compat": ["-m", "contracts", "compat", "c.yaml", "wanted.yaml"],
        "audit": ["-m", "contracts", "audit", "contracts/consumers", "--contracts", "contracts"],
        "export": ["-m", "contracts", "export", "contracts/listings.yaml", "--to", "odcs"],
        "import": ["-m", "contracts", "import", "rows.csv", "--from", "table"],
        "check": ["-m", "exercises"],
        "hint": ["-m", "exercises", "hint", "1"],
        "reset": ["-m", "exercises", "reset", "1"],
        "submit": ["-c", SUBMIT],
        "make": ["make.py", "help"],
    }


MONITORED = ["--day", "day", "--amount", "net", "--list-amount", "gross", "--branch", "grade", "--goods", "none"]


@dataclass
class Done:
    """How a command ended."""

    status: int
    out: str
    err: str

    @property
    def is_traceback(self) -> bool:
        return "Traceback" in self.err or "Exception ignored" in self.err


@dataclass
class Scene:
    """The copy in `folder`. environment: what differs from the tests' own."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)

    def start(self, *arguments: str, **more: object) -> "subprocess.Popen[bytes]":
        """A command in a process group of its own, which Ctrl-C then reaches as a whole."""
        environment = {**os.environ, **self.environment}
        environment |= {str(k): str(v) for k, v in dict(more.pop("environment", {})).items()}  # type: ignore[call-overload]
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
        command = [sys.executable, *arguments]
        return subprocess.Popen(command, cwd=self.folder, env=environment, start_new_session=True, **options)  # type: ignore[call-overload]

    def run(self, *arguments: str, **more: object) -> Done:
        return ended(self.start(*arguments, **more))

    def killed(self, *arguments: str, after: float, by: int = signal.SIGKILL, whole_group: bool = True) -> Done:
        """Run a command, and send it a signal after so many seconds, if it has not ended before."""
        process = self.start(*arguments)
        time.sleep(after)
        if process.poll() is None:
            if whole_group:
                os.killpg(process.pid, by)
            else:
                process.send_signal(by)
        return ended(process)

    def put(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def git(self, *arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=self.folder, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def halves(self) -> list[Path]:
        """What killed writers have left."""
        return [path for path in self.folder.rglob(f"{HALF}*") if ".git" not in path.parts]


def ended(process: "subprocess.Popen[bytes]", patience: float = 120) -> Done:
    try:
        out, err = process.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        return Done(-99, (out or b"").decode("utf-8", "replace"), "it hung: it had not ended after two minutes")
    return Done(process.returncode, (out or b"").decode("utf-8", "replace"), (err or b"").decode("utf-8", "replace"))


def rows(grades: str = "ABC", number: int = 2000) -> str:
    """Rows of a table under CONTRACT; every hundredth breaks its enum where a grade is Q."""
    lines = (f"{i},{grades[i % len(grades)]},{i % 97}.50" for i in range(1, number + 1))
    return "id,grade,price\n" + "\n".join(lines) + "\n"


def days(first: int = 1, last: int = 20, grades: str = "ABC") -> str:
    """Orders of some days of November, for the monitors."""
    sold = [f"{grades[i % 3]},{(100, 90, 80)[i % 3]},100" for i in range(60)]
    lines = [f"2026-11-{day:02},{each}" for day in range(first, last + 1) for each in sold]
    return "day,grade,net,gross\n" + "\n".join(lines) + "\n"


def make(folder: Path) -> Scene:
    """Copy the tracked files, and put the data there that the commands read. The folder may not be there yet."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode()
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file() and not name.startswith("tests/"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
    scene = Scene(folder)
    scene.put("c.yaml", CONTRACT)
    scene.put("wanted.yaml", CONTRACT.replace("[A, B, C]", "[good, fair, poor]").replace("1.0.0", "2.0.0"))
    scene.put("rows.csv", rows("ABCQ"))
    scene.put("kept.csv", rows("ABC", 300))
    scene.put("days.csv", days())
    (folder / "tmp").mkdir()
    return scene


def with_git(scene: Scene) -> Path:
    """Make the scene a repository with a bare one as origin, which it returns."""
    origin = scene.folder.with_name(f"{scene.folder.name}-origin.git")
    subprocess.run(["git", "init", "--quiet", "--bare", str(origin)], check=True)
    scene.git("init", "--quiet", "--initial-branch", "main")
    scene.git("config", "user.name", "A Student")
    scene.git("config", "user.email", "student@localhost")
    scene.git("config", "commit.gpgsign", "false")
    for stub in (scene.folder / "exercises" / "stubs").iterdir():
        if stub.is_file():
            shutil.copyfile(stub, scene.folder / "exercises" / stub.name)
    scene.git("add", "contracts", "exercises", "README.md")
    scene.git("commit", "--quiet", "-m", "The lesson")
    scene.git("remote", "add", "origin", str(origin))
    return origin


def to_parquet(path: Path) -> Path:
    """The table of a CSV file as Parquet, beside it."""
    import pyarrow.csv

    target = path.with_suffix(".parquet")
    pq.write_table(pyarrow.csv.read_csv(path), target)
    return target


def as_json_lines(text: str) -> str:
    """A CSV text as an object a line."""
    header, *lines = text.splitlines()
    names = header.split(",")
    found = (dict(zip(names, line.split(","), strict=True)) for line in lines)
    return "".join(json.dumps({**row, "id": int(row["id"]), "price": float(row["price"])}) + "\n" for row in found)
