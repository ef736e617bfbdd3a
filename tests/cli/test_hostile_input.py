"""Files made to break a program: each ends in a sentence and the right exit code, soon."""

import gzip
import json
import os
import resource
import signal
import subprocess
import sys
import tomllib
import zlib
from pathlib import Path

import polars as pl
import pytest

from incrowd.cli import main as limits
from incrowd.cli.failures import failure_of
from incrowd.errors import LimitError
from incrowd.policy import toml
from incrowd.policy.codec import loads
from patients import QUICK, patients

USAGE, INPUT, LIMIT, INTERRUPTED = 2, 3, 5, 130

DEEP = {
    "open brackets": "x = " + "[" * 100_000,
    "brackets": "x = " + "[" * 100_000 + "]" * 100_000,
    "tables": "x = " + "{a=" * 100_000,
    "a key": ".".join(["a"] * 50_000) + " = 1",
    "a quoted key": ".".join(['"a"'] * 50_000) + " = 1",
    "a heading": "[" + ".".join(["a"] * 50_000) + "]",
    "a heading of many": "[[" + ".".join(["a"] * 50_000) + "]]",
}


@pytest.mark.parametrize("text", DEEP.values(), ids=list(DEEP))
def test_a_policy_without_a_floor(refused, table, here, text):
    (here / "policy.toml").write_text(f"version = 1\n{text}\n")
    said = refused(USAGE, "anonymize", table(), "--policy", "policy.toml", "-o", "release.csv")
    assert "nested too deeply (line 2)" in said.err


@pytest.mark.parametrize(
    "text",
    [
        "a = [" + "0.5, " * 5_000 + "1.5]",
        'a = "' + "[" * 500 + '"',
        "a = '" + "{" * 500 + "' # " + "[." * 500,
        'a = """' + "[.\n" * 500 + '"""',
        "a = '''" + "[.\n" * 500 + "'''",
        "\n".join(f"[a.b.c{i}]" for i in range(500)),
        "a = " + "[" * toml.DEEPEST + "]" * toml.DEEPEST,
    ],
)
def test_what_only_looks_deep_is_read(text):
    assert tomllib.loads(text)
    assert toml.line_too_deep(text) is None


ODD = ["age\x1b[2J", "a\x00b", "tab\there", "line\nbreak", "x\x7f", "\x85\x9f", "\u2028", '"', "#"]


@pytest.mark.parametrize("name", ODD)
def test_a_policy_with_an_odd_name_can_be_read_again(incrowd, here, name):
    frame = pl.DataFrame({name: list(range(40)), "sex": ["F", "M"] * 20, "zip": ["x", "y"] * 20})
    frame.write_parquet(here / "t.parquet")
    assert incrowd("init", "t.parquet", "-o", "policy.toml").code == 0
    text = (here / "policy.toml").read_text()
    assert name in loads(text).columns
    assert not [letter for letter in text if ord(letter) < 32 and letter != "\n"]
    said = incrowd("anonymize", "t.parquet", "-p", "policy.toml", "-o", "release.parquet")
    assert said.code == 0, said.err
    assert "\x1b" not in said.out + said.err


def test_a_table_too_wide(refused, table):
    names = ",".join(f"c{i}" for i in range(200_000))
    said = refused(INPUT, "risk", table(f"{names}\n{',' * 199_999}\n"), "-q", "c1")
    assert "200,000 columns" in said.err


@pytest.mark.slow
def test_a_header_of_many_letters_is_read_whole(incrowd, table):
    names = [f"column_of_many_letters_{i}" for i in range(6_000)]
    cells = ",".join(["1"] * 6_000)
    text = "\n".join([",".join(names), *[cells] * 4]) + "\n"
    said = incrowd("risk", table(text), "-q", names[-1])
    assert said.code == 0, said.err


def endless(path, packed):
    line = b"30,F\n" * 200_000
    if packed == "gz":
        press = zlib.compressobj(9, zlib.DEFLATED, 31)
        parts = [press.compress(b"age,sex\n"), *(press.compress(line) for _ in range(12))]
        path.write_bytes(b"".join([*parts, press.flush()]))
        return
    frame = pl.DataFrame({"age": [30] * 2_400_000, "sex": ["F"] * 2_400_000})
    frame.write_csv(path, compression="zstd", check_extension=False)


@pytest.mark.parametrize("packed", ["gz", "zst"])
@pytest.mark.parametrize(
    "command", [("risk", "-q", "age"), ("mask", "--ratio", "0.5", "--dry-run")]
)
def test_an_archive_that_grows_without_end(refused, here, monkeypatch, packed, command):
    pytest.importorskip("pyarrow")
    endless(here / f"t.csv.{packed}", packed)
    monkeypatch.setattr("incrowd.io.unpacked._ALWAYS", 10**6)
    more = ("-k", "5", "--dry-run") if command[0] == "quantiles" else ()
    said = refused(LIMIT, command[0], f"t.csv.{packed}", *command[1:], *more)
    assert "unpacks to more than" in said.err
    assert "INCROWD_MAX_UNPACKED" in said.err


def test_the_limit_of_archives_can_be_raised(incrowd, refused, here, monkeypatch):
    (here / "t.csv.gz").write_bytes(gzip.compress(patients(n=400).encode()))
    monkeypatch.setenv("INCROWD_MAX_UNPACKED", "1000")
    refused(LIMIT, "risk", "t.csv.gz", "-q", "age")
    monkeypatch.setenv("INCROWD_MAX_UNPACKED", "10000000")
    assert incrowd("risk", "t.csv.gz", "-q", "age").code == 0
    monkeypatch.setenv("INCROWD_MAX_UNPACKED", "much")
    refused(USAGE, "risk", "t.csv.gz", "-q", "age")


def test_an_archive_of_a_usual_kind_is_read_whatever_its_size(here, monkeypatch):
    """A hundred times its size is allowed: texts of tables shrink to a tenth."""
    from incrowd.io import tables

    monkeypatch.setattr("incrowd.io.unpacked._ALWAYS", 10)
    text = "age,sex\n" + "".join(f"{i * 7919 % 99991},F\n" for i in range(2_000))
    (here / "t.csv.gz").write_bytes(gzip.compress(text.encode()))
    assert tables.read(here / "t.csv.gz").frame.height == 2_000


def test_too_little_address_space_is_told_before_anything_is_loaded(incrowd, table, monkeypatch):
    monkeypatch.setattr(limits, "_address_space", lambda: 300 * 10**6)
    said = incrowd("anonymize", table(), *QUICK)
    assert said.code == LIMIT
    assert "300 MB" in said.err
    assert incrowd("--help").code == 0


@pytest.mark.slow
@pytest.mark.parametrize("size", [150, 600, 1_500])
def test_a_real_limit_of_address_space(table, size):
    most = size * 10**6
    done = subprocess.run(
        [sys.executable, "-m", "incrowd.cli.main", "anonymize", table(), *QUICK],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most)),
    )
    assert done.returncode == LIMIT, done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        ImportError("libx.so: failed to map segment from shared object"),
        OSError("libllvmlite.so: cannot allocate memory in static TLS block"),
        RuntimeError("can't start new thread"),
    ],
)
def test_memory_that_ran_out_behind_an_error(error):
    assert failure_of(error).exit_code == LimitError.exit_code
    wrapped = ValueError("secret cell")
    wrapped.__cause__ = error
    assert failure_of(wrapped).exit_code == LimitError.exit_code
    assert failure_of(ValueError("secret cell")).exit_code == 70


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("swallowed", [True, False])
def test_an_interrupt_that_a_library_turns_into_its_own_error(
    incrowd, monkeypatch, table, number, swallowed
):
    """Numba and others raise something else when a signal comes while they work."""

    def read(*_args, **_options):
        try:
            os.kill(os.getpid(), number)
            for _ in range(1_000_000):
                pass
        except KeyboardInterrupt:
            error = SystemError("secret cell")
            raise error from (None if swallowed and number == signal.SIGTERM else error.__cause__)

    monkeypatch.setattr("incrowd.io.tables.read", read)
    said = incrowd("risk", table(), "-q", "age")
    assert said.code == INTERRUPTED, said.err
    assert "interrupted; nothing was written" in said.err


FULL = """
import json, resource, signal, sys
from contextlib import redirect_stderr
from io import StringIO
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from incrowd.cli.main import perform
resource.setrlimit(resource.RLIMIT_FSIZE, (1024, resource.RLIM_INFINITY))
for target in sys.argv[1].split(","):
    with redirect_stderr(StringIO()) as said:
        code = perform([*sys.argv[2:], "-o", target])
    print(json.dumps([target, code, said.getvalue()]))
"""


@pytest.mark.slow
def test_a_disk_that_is_full_names_the_target(here, table):
    targets = [f"new.{ending}" for ending in ("csv", "parquet", "arrow", "csv.gz", "csv.zst")]
    table(n=4_000, score=[f"{i * 7919 % 9973}.5" for i in range(4_000)])
    flags = (
        "-q",
        "sex,zip",
        "--keep",
        "score",
        "--accept-alone",
        "score",
        "-k",
        "5",
        "--method",
        "lattice",
    )
    done = subprocess.run(
        [sys.executable, "-c", FULL, ",".join(targets), "anonymize", "patients.csv", *flags],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "NUMBA_CACHE_DIR": ""},
    )
    outcomes = [json.loads(line) for line in done.stdout.splitlines()]
    assert [target for target, _, _ in outcomes] == targets
    for target, code, said in outcomes:
        assert code == INPUT, said
        assert f"{target}' cannot be written: " in said
        assert ".incrowd-" not in said
        assert "help: free some space" in said
    assert not [path for path in here.iterdir() if path.name.startswith((".incrowd", "new."))]


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", [("init",), ("risk", "-q", "age"), ("risk", "-q", "age", "--json")]
)
def test_standard_output_that_is_full(table, command):
    if not Path("/dev/full").exists():
        pytest.skip("there is no full device here")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "incrowd.cli.main", command[0], table(), *command[1:]],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == INPUT, done.stderr
    assert "standard output cannot be written" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
