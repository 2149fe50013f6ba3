"""Every target of the Makefile, for all systems: `python make.py lesson` is `make lesson`.

Needs nothing but Python 3.11 to 3.13. On the first run, and whenever requirements.lock changes, it makes the virtual
environment .venv beside this file and installs the pinned packages there. Everything else runs inside it, so no
shell has to be activated and the current directory does not matter.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.abspath(__file__))
VENV = os.path.join(ROOT, ".venv")
PYTHON = os.path.join(VENV, *(("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")))
STAMP = os.path.join(VENV, "ready")
INTERRUPTED, NOBODY_READS = 130, 141  # exit statuses after Ctrl-C, and where nobody reads what is printed

LAB = [  # the whole lesson in its file browser, notebook 1 open; in a container, everybody is root
    *("-m", "jupyterlab", f"--ServerApp.root_dir={ROOT}", "--LabApp.default_url=/lab/tree/notebooks/01_incident.ipynb"),
    *("--allow-root", "--LabApp.news_url=None"),
]
TARGETS: dict[str, tuple[str, list[list[str]]]] = {  # name: (what it does, the commands after "python")
    "lesson": ("set up, build the shop, print the incident, the gate and the monitors", [["lesson.py"]]),
    "test": ("set up and run the test suite", [["-m", "pytest", "-n", "auto", "--dist", "loadgroup"]]),
    "lab": ("open the notebooks in JupyterLab", [LAB]),
    "check": ("the first exercise that is not done yet: what is missing, and what to do", [["-m", "exercises"]]),
    "submit": ("hand in: check everything, then push your branch", [["-m", "exercises", "submit"]]),
    "seed": ("build data/shop.duckdb and print every published figure", [["seed.py"]]),
    "monitors": ("the calendar of the 27 days", [["lesson.py", "monitors"]]),
    "gate": ("the gate on 18 August and after the release", [["lesson.py", "gate"]]),
    "lint": (
        "check style, format and types",
        [["-m", "ruff", "check", "."], ["-m", "ruff", "format", "--check", "."], ["-m", "mypy"]],
    ),
    "drill": ("break the shop's listings on purpose and see who notices", [["lesson.py", "drill"]]),
    "notebooks": ("run every notebook and store what it gives", [["-m", "workbook.execute"]]),
    "browser-test": (
        "run every notebook in JupyterLab, and read a contract's page, in a real browser",
        [
            ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", "tests/browser/requirements.txt"],
            ["-m", "pytest", "-rs", "tests/browser/jupyterlab.py", "tests/browser/page.py"],
        ],
    ),
    "engines": ("hold DuckDB, PySpark and PostgreSQL to the same verdicts", [["tests/engines/run.py"]]),
    "interop": ("let other tools judge the exported contract, beside ours", [["tests/interop/run.py"]]),
    "fuzz": ("run every property with many examples, each time new ones", [["tests/fuzzing/run.py"]]),
    "faults": ("kill, crowd and starve the commands, and see that nothing is half done", [["tests/faults/run.py"]]),
    "bench": (
        "measure each part beside bare queries, then beside other tools",
        [
            [f"tests/benchmarks/{name}.py"]
            for name in ("validate", "monitors", "boundary", "drill", "audit", "peers/run")
        ],
    ),
    "setup": ("only make .venv and install the pinned packages", []),
}


def supported(version: tuple[int, ...]) -> bool:
    return (3, 11) <= version[:2] <= (3, 13)


def run(*command: str) -> None:
    """Run a command to its end; stop with its exit status where it fails."""
    # Its own shells find this environment's python first: a terminal in JupyterLab, `!python` in a cell.
    path = os.pathsep.join([os.path.dirname(PYTHON), os.environ.get("PATH", os.defpath)])
    status = None
    with subprocess.Popen(command, cwd=ROOT, env={**places(), **os.environ, "PATH": path}) as child:
        while status is None:
            try:
                status = child.wait()
            except KeyboardInterrupt:  # the command hears Ctrl-C too, and ends in its own way; JupyterLab asks first
                continue
    if status:
        sys.exit(INTERRUPTED if status in (INTERRUPTED, -2) else status if 0 < status < 128 else 1)


def places() -> dict[str, str]:
    """Where Jupyter, IPython, matplotlib and pip keep what is theirs, for a user who has no home folder to write to."""
    if os.access(os.path.expanduser("~"), os.W_OK):
        return {}
    folders = {f"JUPYTER_{name}_DIR": f"jupyter/{name.lower()}" for name in ("CONFIG", "DATA", "RUNTIME")}
    folders |= {"IPYTHONDIR": "ipython", "MPLCONFIGDIR": "matplotlib", "PIP_CACHE_DIR": "pip"}
    for folder in folders.values():
        os.makedirs(os.path.join(ROOT, "data", "home", folder), exist_ok=True)
    return {name: os.path.join(ROOT, "data", "home", folder) for name, folder in folders.items()}


def find_python() -> list[str]:
    """This Python where the lesson supports it, else one beside it on the PATH; stops with a sentence where none is."""
    if supported(sys.version_info[:2]):
        return [sys.executable]
    for minor in (13, 12, 11):
        found = shutil.which(f"python3.{minor}")
        if found:
            return [found]
        launcher = ["py", f"-3.{minor}"]
        if os.name == "nt" and subprocess.call([*launcher, "-c", ""], stderr=subprocess.DEVNULL) == 0:
            return launcher
    sys.exit(
        f"make.py: this is Python {sys.version_info[0]}.{sys.version_info[1]}; the lesson needs 3.11, 3.12 or 3.13:"
        " install one and name it, as in `make lesson PYTHON=python3.12`"
    )


def fingerprint() -> str:
    """What the environment was made for: the pinned packages, in this folder."""
    digest = hashlib.sha256(ROOT.encode("utf-8", "surrogateescape"))
    for name in ("requirements.lock", "pyproject.toml"):
        with open(os.path.join(ROOT, name), "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


def works(*command: str) -> bool:
    try:
        return subprocess.call(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) == 0
    except OSError:
        return False


def make_venv() -> None:
    """Make .venv, with pip in it; stops with a sentence where this Python cannot."""
    python = find_python()
    if works(*python, "-c", "import ensurepip"):
        run(*python, "-m", "venv", "--clear", VENV)
    elif works(*python, "-m", "pip", "--version"):
        run(*python, "-m", "venv", "--clear", "--without-pip", VENV)
        run(*python, "-m", "pip", "--quiet", "--python", PYTHON, "install", "pip")
    else:
        sys.exit(
            "make.py: this Python has no pip: on Debian and Ubuntu, `apt-get install python3-venv`, then try again"
        )


def set_up() -> None:
    """Bring .venv to what requirements.lock has, unless it is there already."""
    wanted = fingerprint()
    if os.path.exists(STAMP) and os.path.exists(PYTHON):
        with open(STAMP) as file:
            if file.read() == wanted:
                return
    print("Setting up .venv from requirements.lock, once; this takes a few minutes.", flush=True)
    if os.path.exists(STAMP) and works(PYTHON, "-m", "pip", "--version"):
        os.remove(STAMP)
    else:
        make_venv()  # anew, since a set-up that was killed may have left half a package
    install = [PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run(*install, "-r", "requirements.lock")
    # "compat" puts this folder on the path; the default way, a folder `contracts` of a user's own would hide ours.
    run(*install, "--no-deps", "--editable", ".", "--config-settings", "editable_mode=compat")
    with open(STAMP, "w") as file:
        file.write(wanted)


def main(arguments: list[str]) -> int:
    if not arguments or any(name not in TARGETS for name in arguments):
        for name in arguments:
            if name not in TARGETS and name not in ("help", "-h", "--help"):
                print(f"make.py: {name!r} is no target; these are:\n", file=sys.stderr)
                break
        print("usage: python make.py TARGET...\n", flush=True)
        for name, (purpose, _) in TARGETS.items():
            print(f"  {name:<13} {purpose}")
        return 0 if arguments in ([], ["help"], ["-h"], ["--help"]) else 2
    set_up()
    for name in arguments:
        for command in TARGETS[name][1]:
            run(PYTHON, *command)
    return 0


def stopped(error: OSError) -> int:
    """The exit status where nobody reads on (`| head`), or the system takes no more, having said why."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # or Python would complain once more when it flushes at exit
    if isinstance(error, BrokenPipeError):
        return NOBODY_READS
    what = f"cannot write the output: {error.strerror}" if error.filename is None else str(error)
    print(f"make.py: {what}; make room or give access, and run again", file=sys.stderr)
    return 2


if __name__ == "__main__":
    try:
        status = main(sys.argv[1:])
        if sys.stdout:  # which may be closed
            sys.stdout.flush()
    except KeyboardInterrupt:
        status = INTERRUPTED
    except OSError as error:
        status = stopped(error)
    sys.exit(status)
