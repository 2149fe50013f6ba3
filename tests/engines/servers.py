"""A PostgreSQL server and a Spark session that last as long as the tests."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class NotInstalled(Exception):
    """What is not on this machine, and how to get it."""


def postgres_programs() -> Path:
    """Where the server's programs and psql are: where Debian keeps them, or beside the initdb on the PATH."""
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    found = str(versions[-1]) if versions else shutil.which("initdb")
    if not found:
        raise NotInstalled("PostgreSQL is not there: apt-get install postgresql")
    return Path(found).parent


@contextmanager
def postgres() -> Iterator[int]:
    """The port of a server of its own, in a temporary folder."""
    programs = postgres_programs()
    home = Path(tempfile.mkdtemp(prefix="pg-"))
    as_user: list[Any] = []
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # PostgreSQL refuses to run as root
        shutil.chown(home, "postgres", "postgres")
        as_user = ["runuser", "-u", "postgres", "--"]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def call(program: str, *arguments: Any) -> None:
        command = [*as_user, programs / program, "-D", home / "data", *arguments]
        # Not a pipe: the server would hold its other end open, and this would wait for it.
        subprocess.run([str(part) for part in command], cwd=home, check=True, stdout=subprocess.DEVNULL)

    try:
        call("initdb", "-A", "trust", "-U", "lesson", "-E", "UTF8", "--locale=C", "--no-sync")
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off"
        call("pg_ctl", "-w", "-s", "-l", home / "log", "-o", options, "start")
        try:
            yield port
        finally:
            call("pg_ctl", "-w", "-s", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(home, ignore_errors=True)


@contextmanager
def spark() -> Iterator[Any]:
    """A Spark session on this machine's cores. A cluster's differs in `master` alone."""
    from pyspark.sql import SparkSession

    with tempfile.TemporaryDirectory(prefix="spark-", ignore_cleanup_errors=True) as home:
        session = (
            SparkSession.builder.master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.sql.shuffle.partitions", "2")  # 200 are for clusters
            .config("spark.sql.caseSensitive", "true")  # as names are everywhere else
            .config("spark.sql.warehouse.dir", home)
            .getOrCreate()
        )
        session.sparkContext.setLogLevel("OFF")
        try:
            yield session
        finally:
            session.stop()
