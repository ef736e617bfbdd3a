"""What tests need from the system, installed if it can be: Java for Spark, a PostgreSQL server."""

import atexit
import fcntl
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from pwd import getpwall

import pytest

JAVA = "openjdk-17-jre-headless"
POSTGRESQL = "postgresql"
SHORT_LIVED = (
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=128m "
    "-XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
)
"""Java compiles at once and lightly, and trusts its classes: sessions of minutes take half."""
AS_PLANNED = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
}
"""Planning a statement anew, or compiling it, takes longer than its answer from a small table.

What Spark does by itself is in `engines/test_spark.py`: a release, what it logs, what fails.
"""


@cache
def java() -> Path:
    """The program `java`."""
    if shutil.which("java") is None:
        _install(JAVA)
    found = shutil.which("java")
    return Path(found) if found else _missing("Java 17", JAVA)


@cache
def postgresql() -> Path:
    """The folder of PostgreSQL's server programs."""
    if not _servers():
        _install(POSTGRESQL)
    found = _servers()
    return found[-1] if found else _missing("PostgreSQL", POSTGRESQL)


def _servers() -> list[Path]:
    return sorted(path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb"))


def _install(package: str) -> None:
    """Install a Debian package if we may; another process of tests may be about to, too."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with (Path(tempfile.gettempdir()) / "incrowd-tests-install.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if subprocess.run(["dpkg", "--status", package], check=False, **quiet).returncode == 0:
            return
        patient = ["apt-get", "-o", "DPkg::Lock::Timeout=600"]
        subprocess.run([*patient, "update"], check=False, **quiet)
        subprocess.run([*patient, "install", "-y", package], check=False, **quiet)


def _missing(what: str, package: str) -> Path:
    """Say loudly that tests do not run; in CI that is a failure."""
    words = f"{what} IS MISSING: these tests DID NOT RUN. Install the Debian package {package}"
    if os.environ.get("CI"):
        pytest.fail(words)
    pytest.skip(words)


@cache
def spark():
    """A small Spark session, one for all tests."""
    os.environ.setdefault("JAVA_HOME", str(java().resolve().parents[1]))
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    folder = Path(tempfile.mkdtemp())
    (folder / "events").mkdir()
    settings = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.extraJavaOptions": SHORT_LIVED,
        "spark.driver.host": "127.0.0.1",
        "spark.eventLog.compress": "false",
        "spark.eventLog.dir": f"file://{folder}/events",
        "spark.eventLog.enabled": "true",
        "spark.sql.session.timeZone": "America/New_York",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": f"file://{folder}/warehouse",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        **AS_PLANNED,
    }
    with warnings.catch_warnings(), _into(folder / "output"):
        warnings.simplefilter("ignore")  # PySpark does not know the newest pandas
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.master("local[2,3]")
        for name, value in settings.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    atexit.register(session.stop)
    return session


def spark_output() -> str:
    """What Spark's Java and its Python workers have printed since the session began."""
    return (_spark_folder() / "output").read_text(errors="replace")


def spark_events() -> str:
    """What Spark has logged of its jobs."""
    session = spark()
    session.range(1).count()  # what it logs before the end of a job is on the disk then
    session.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    files = (path for path in (_spark_folder() / "events").rglob("*") if path.is_file())
    return "".join(path.read_text(errors="replace") for path in files)


def _spark_folder() -> Path:
    return Path(spark().conf.get("spark.eventLog.dir").removeprefix("file://")).parent


@contextmanager
def _into(path):
    """Programs that are started in the block print into a file."""
    kept = [os.dup(number) for number in (1, 2)]
    with path.open("wb") as file:
        for number in (1, 2):
            os.dup2(file.fileno(), number)
    try:
        yield
    finally:
        for number, before in zip((1, 2), kept, strict=True):
            os.dup2(before, number)
            os.close(before)


@dataclass(frozen=True)
class PostgresServer:
    """A server of PostgreSQL of our own, on a free port of this machine."""

    port: int
    folder: Path

    def address(self, database: str = "postgres", user: str = "owner", password: str = "") -> str:
        """Where a client finds it."""
        who = f"{user}:{password}" if password else user
        return f"postgresql://{who}@127.0.0.1:{self.port}/{database}"

    @contextmanager
    def standby(self) -> Iterator["PostgresServer"]:
        """Another server that follows this one, and that nobody can write to."""
        with _folder() as folder:
            source = ("-h", "127.0.0.1", "-p", self.port, "-U", "owner")
            _run(postgresql() / "pg_basebackup", "-D", folder / "data", "-R", "-c", "fast", *source)
            with _started(folder) as made:
                yield made


@contextmanager
def postgresql_server() -> Iterator[PostgresServer]:
    """A new server, which is gone at the end. Durability is off: it holds nothing of worth."""
    with _folder() as folder:
        data = folder / "data"
        _run(postgresql() / "initdb", "-D", data, "-U", "owner", "-A", "trust", "-E", "UTF8")
        with _started(folder) as made:
            yield made


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="incrowd-pg-") as name:
        if _unprivileged():
            shutil.chown(name, _unprivileged())
        yield Path(name)


@contextmanager
def _started(folder: Path) -> Iterator[PostgresServer]:
    """A server of the data in this folder."""
    control, data = postgresql() / "pg_ctl", folder / "data"
    made = PostgresServer(_free_port(), folder)
    options = f"-F -p {made.port} -k {folder} -c listen_addresses=127.0.0.1"
    _run(control, "-D", data, "-l", folder / "log", "-w", "-o", options, "start")
    try:
        yield made
    finally:
        _run(control, "-D", data, "-m", "immediate", "-w", "stop")


def _unprivileged() -> str:
    """Who the server runs as: the server refuses to be root's."""
    if os.geteuid() != 0:
        return ""
    return next(name for name in ("postgres", "nobody") if name in {u.pw_name for u in getpwall()})


def _run(*command: object) -> None:
    words = [str(word) for word in command]
    if user := _unprivileged():
        words = ["runuser", "-u", user, "--", *words]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
