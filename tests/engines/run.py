"""The same verdicts on DuckDB, PySpark and PostgreSQL: `make engines`.

Everything runs in an environment of its own under data/engines/, pinned by requirements.txt beside this file; Spark
in local mode, PostgreSQL as a server in a temporary folder. Further arguments go to pytest.

Exit 0: all verdicts are the same; 1: one is not; 2: Java, PostgreSQL or a package is not there.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from servers import NotInstalled, postgres_programs

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
HOME = ROOT / "data" / "engines"
OLDEST_JAVA = 17  # that Spark 4 runs on


def environment() -> Path:
    """The Python of the environment, made on the first run and whenever the pinned file changes."""
    pinned = HERE / "requirements.txt"
    mark = hashlib.sha256(pinned.read_bytes() + sys.version.encode()).hexdigest()[:12]
    folder = HOME / f"venv-{mark}"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if (folder / "ready").exists():
        return python
    HOME.mkdir(parents=True, exist_ok=True)
    for old in HOME.glob("venv-*"):
        shutil.rmtree(old, ignore_errors=True)
    print("Setting up data/engines from tests/engines/requirements.txt, once.", file=sys.stderr, flush=True)
    uv = shutil.which("uv") or shutil.which("uv", path=str(Path(sys.executable).parent))
    install = [uv, "pip", "install", "--python", python] if uv else [python, "-m", "pip", "install"]
    for command in ([sys.executable, "-m", "venv", folder], [*install, "--quiet", "-r", pinned]):
        done = subprocess.run([str(part) for part in command])
        if done.returncode:
            raise NotInstalled(f"the packages of {pinned.name} cannot be installed; see above, then try again")
    (folder / "ready").touch()
    return python


def find_java() -> None:
    """NotInstalled where there is no Java that Spark runs on."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=str(Path(home, "bin"))) if home else shutil.which("java")
    said = subprocess.run([java, "-version"], capture_output=True, text=True).stderr if java else ""
    version = re.search(r'version "(\d+)', said)
    if not version or int(version[1]) < OLDEST_JAVA:
        found = f"found {version[1]}" if version else "found none"
        raise NotInstalled(f"Spark needs Java {OLDEST_JAVA} or later, {found}: apt-get install openjdk-17-jre-headless")


def main(arguments: list[str]) -> int:
    try:
        find_java()
        postgres_programs()
        python = environment()
    except NotInstalled as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 2
    files = [str(HERE / "same_verdicts.py"), str(HERE / "where_they_differ.py")]
    command = [str(python), "-m", "pytest", "-p", "no:cacheprovider", *files, *arguments]
    return min(subprocess.call(command, cwd=ROOT), 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
