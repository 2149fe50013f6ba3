"""How commands end: Ctrl-C also while they import, a closed or full output, an error that nobody expects."""

import ast
import os
import signal
import subprocess
import sys
import time

import pytest
import scene as scenes

from clause.sources import Source
from exercises.git import Git

posix = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell and its signals")
ENTERED = [  # every file that is run as a command; make.py runs before there is anything to import
    *("seed.py", "lesson.py", "validate.py", "monitors.py", "drill.py"),
    *("contracts/__main__.py", "exercises/__main__.py", "workbook/execute.py"),
]


def test_every_command_is_known():
    files = [*scenes.ROOT.glob("*.py"), *scenes.ROOT.glob("[a-z]*/*.py")]
    files = [path for path in files if '\nif __name__ == "__main__"' in path.read_text(encoding="utf-8")]
    files = [path.relative_to(scenes.ROOT).as_posix() for path in files]
    ours = {name for name in files if not name.startswith(("tests/", "exercises/ex", "build/"))}
    assert ours - {"make.py", "exercises/worker.py"} == set(ENTERED)  # the worker is run by the checker


@pytest.mark.parametrize("name", ENTERED)
def test_a_command_begins_before_it_imports_anything(name):
    """Else Ctrl-C during the imports shows a traceback; they take most of a second."""
    body = ast.parse((scenes.ROOT / name).read_text(encoding="utf-8")).body
    first = next(each for each in body[1:] if not (isinstance(each, ast.ImportFrom) and each.module == "__future__"))
    assert ast.unparse(first).replace("'", '"') == (
        'if __name__ == "__main__":\n    from contracts.ending import begin\n    begin()'
    )
    assert "sys.exit(" in ast.unparse(body[-1]) and "command(" in ast.unparse(body[-1])


def test_a_python_without_the_packages_is_told_which_to_use(tmp_path):
    (tmp_path / "pydantic.py").write_text("import a_package_that_is_nowhere")
    for entered in (["validate.py", "a", "b"], ["-m", "contracts", "lint", "a"]):
        done = subprocess.run(
            [sys.executable, *entered],
            cwd=scenes.ROOT,
            env={**os.environ, "PYTHONPATH": str(tmp_path)},
            capture_output=True,
            text=True,
        )
        says = "this Python has no a_package_that_is_nowhere; run it with .venv"
        assert done.returncode == 2 and says in done.stderr and done.stderr.count("\n") == 1


def test_to_begin_imports_nothing_that_takes_time():
    code = "import sys; before = set(sys.modules); import contracts.ending; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], cwd=scenes.ROOT, capture_output=True, text=True)
    assert set(done.stdout.split()) <= {"__future__", "contracts", "contracts.ending", "atexit", "errno", "gc"}


# --- Ctrl-C ----------------------------------------------------------------------------------------------------------


def interrupted(code, times=1):
    """Run the code until it says "ready", send SIGINT that often: exit status, standard error."""
    process = subprocess.Popen(
        [sys.executable, "-S", "-c", "import os, sys, time\nfrom contracts.ending import begin, command\n" + code],
        cwd=scenes.ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    for _ in range(times):
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    return process.returncode, out, err


READY = "print('ready', flush=True); time.sleep(20)"


@posix
@pytest.mark.parametrize(
    "code",
    [
        pytest.param(f"begin(); {READY}", id="while it imports"),
        pytest.param(
            f"begin()\ntry: {READY}\nexcept BaseException: print('swallowed')", id="in an import that swallows"
        ),
        pytest.param(f"begin(); sys.exit(command(lambda: {READY.replace(';', ' or')}))", id="in its work"),
        pytest.param(
            "def run():\n"
            f"    try: {READY}\n"
            "    except BaseException: raise ValueError('another error, as DuckDB makes one of it')\n"
            "begin(); sys.exit(command(run))",
            id="made another error of",
        ),
        pytest.param(
            f"def run():\n    try: {READY}\n    except BaseException: return 0\nbegin(); sys.exit(command(run))",
            id="taken for success",
        ),
        pytest.param(f"begin(); status = command(lambda: 0); {READY}; sys.exit(status)", id="while it ends"),
    ],
)
def test_ctrl_c_is_130_and_silent(code):
    assert interrupted(code) == (130, "", "")


@posix
def test_a_second_ctrl_c_ends_at_once():
    code = f"def run():\n    try: {READY}\n    finally: {READY}\nbegin(); sys.exit(command(run))"
    assert interrupted(code, times=2) == (130, "", "")


@posix
def test_native_code_that_does_not_heed_ctrl_c_is_ended_by_the_system():
    """It holds all of Python, so no thread and no second Ctrl-C would be heard."""
    code = (
        "import contracts.ending, ctypes; contracts.ending.GRACE = 0.1\n"
        f"def run():\n    try: {READY}\n    finally: ctypes.PyDLL(None).sleep(20)\n"
        "begin(); sys.exit(command(run))"
    )
    assert interrupted(code) == (-signal.SIGALRM, "", "")


@posix
def test_a_command_that_waits_for_ctrl_c_has_all_the_time_to_end():
    code = (
        "import contracts.ending; contracts.ending.GRACE = 0.1\n"
        f"def run():\n    try: {READY}\n    except KeyboardInterrupt: sys.exit(1)\n"
        "begin(); status = command(run); time.sleep(0.3); sys.exit(status)"
    )
    assert interrupted(code) == (1, "", "")


@pytest.mark.parametrize("error", [RuntimeError("Query interrupted"), KeyboardInterrupt()])
def test_after_ctrl_c_nothing_more_is_asked_of_duckdb(error):
    """It would wait for a thread of its own that waits for Python, for ever."""
    asked = []

    class Relation:
        def query(self, view, sql):
            asked.append(sql)
            raise error from KeyboardInterrupt()

    with pytest.raises(type(error)):
        Source("rows", (), None, {}, relation=Relation()).run_duckdb("select 1")
    assert asked == ["select 1"]


@posix
def test_where_ctrl_c_is_ignored_it_stays_ignored():
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); begin()\n"
        "def run(): print('ready', flush=True); time.sleep(0.3); print('done'); return 0\n"
        "sys.exit(command(run))"
    )
    assert interrupted(code) == (0, "done\n", "")


@posix
def test_git_may_remove_its_lock_when_a_hand_in_is_interrupted(tmp_path, monkeypatch):
    """Killed outright it would leave .git/index.lock, and the next hand-in could not go on."""
    lock = tmp_path / "lock"
    (tmp_path / "git").write_text(
        f'#!/bin/sh\ntrap \'rm "{lock}"; exit 1\' TERM\ntouch "{lock}"\nwhile :; do sleep 0.05; done\n'
    )
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")

    def ctrl_c(*_, **__):
        end = time.monotonic() + 60
        while not lock.exists() and time.monotonic() < end:
            time.sleep(0.01)
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess.Popen, "communicate", ctrl_c)
    with pytest.raises(KeyboardInterrupt):
        Git(tmp_path, asks=True).run("update-index")
    assert not lock.exists()


# --- the output ------------------------------------------------------------------------------------------------------

FULL = "cannot write the output: No space left on device; make room, or write it elsewhere, and run again\n"


@posix
@pytest.mark.parametrize(
    ("shell", "status", "err"),
    [
        ("{} lint c.yaml >/dev/full", 2, f"contracts: {FULL}"),
        ("{} lint c.yaml >&-", 0, ""),
        ("{} lint c.yaml >&- 2>&- <&-", 0, ""),
        ("{} lint none.yaml 2>/dev/full | cat; exit ${{PIPESTATUS[0]}}", 2, ""),
        ("{} export c.yaml --to avro >&-", 2, "standard output is closed, so the text would go nowhere; send it to a"),
    ],
)
def test_an_output_that_takes_nothing_is_said_in_a_sentence(tmp_path, shell, status, err):
    if "/dev/full" in shell and not os.path.exists("/dev/full"):
        pytest.skip("this system has no /dev/full")
    scenes.Scene(tmp_path).put("c.yaml", scenes.CONTRACT)
    command = shell.format(f"'{sys.executable}' -m contracts")
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == status
    assert done.stderr.startswith(err) and done.stderr.count("\n") == bool(err)


@posix
def test_a_closed_output_is_no_file_that_is_opened_later(tmp_path):
    """Else a database would be number 1, and whoever prints would write into it."""
    code = (
        "from contracts.ending import begin; begin(); import os\n"
        f"file = open({str(tmp_path / 'data')!r}, 'wb'); os.write(1, b'printed by a library'); file.write(b'rows')"
    )
    command = f"'{sys.executable}' -S -c \"$0\" <&- >&- 2>&-"
    subprocess.run(["bash", "-c", command, code], cwd=scenes.ROOT, check=True)
    assert (tmp_path / "data").read_bytes() == b"rows"


@posix
@pytest.mark.parametrize("arguments", [[], ["nonsense"]])
@pytest.mark.parametrize("output", ["/dev/full", "nobody reads", "closed"])
def test_make_ends_as_the_commands_do_though_it_imports_none_of_ours(tmp_path, output, arguments):
    """It runs before there is anything to import."""
    if output == "/dev/full" and not os.path.exists(output):
        pytest.skip("this system has no /dev/full")
    reading, writing = os.pipe()
    os.close(reading)
    to = f">{output}" if output == "/dev/full" else ">&-" if output == "closed" else f">&{writing}"
    shell = f"exec '{sys.executable}' make.py {' '.join(arguments)} {to}"
    done = subprocess.run(["bash", "-c", shell], cwd=scenes.ROOT, stderr=subprocess.PIPE, text=True, pass_fds=[writing])
    os.close(writing)
    said = done.stderr.removeprefix("make.py: 'nonsense' is no target; these are:\n\n")
    assert (done.returncode, said) == {
        "/dev/full": (
            2,
            "make.py: cannot write the output: No space left on device; make room or give access, and run again\n",
        ),
        "nobody reads": (141, ""),
        "closed": (2 if arguments else 0, ""),
    }[output]
