"""A command loads what it uses: modules are counted, not seconds, so that no load matters."""

import os
import subprocess
import sys
from contextlib import chdir
from pathlib import Path

import pytest

from incrowd.cli.commands import NAMES
from incrowd.cli.main import perform
from patients import patients

RUN = """
import sys
from incrowd.cli.main import main
try:
    main(sys.argv[1:])
except SystemExit as stop:
    code = stop.code
print(code, *sys.modules, file=sys.stderr)
"""

NEVER = (
    "sklearn",
    "scipy.stats",
    "pandas",
    "pyarrow",
    "duckdb",
    "altair",
    "jinja2",
    "cryptography",
)
"""Libraries that no run of these commands needs."""
READS = (
    *NEVER,
    "rich",
    "tomlkit",
    "incrowd.search.",
    "incrowd.loss.",
    "incrowd.policy.policy",
    "incrowd.release.",
    "incrowd.values",
    "incrowd.hierarchy.union",
    "incrowd.engines.duckdb",
    "incrowd.engines.postgresql",
    "incrowd.engines.spark",
    "incrowd.engines.sql",
    "incrowd.web",
)
"""What a command that only reads a table, and answers in JSON, must not load."""
COMPARES = tuple(one for one in READS if one not in {"incrowd.values", "incrowd.hierarchy.union"})
DRAWS = tuple(one for one in NEVER if one != "jinja2")
MEMORY = (*NEVER, "rich", "incrowd.engines.duckdb", "incrowd.engines.spark", "incrowd.web")
"""What a command that follows a policy, answers in JSON and has a file in memory, must not load."""
CERTIFICATE = ("--certificate", "release.csv.certificate.json")
PLAN = ("--population", "3e8", "-k", "100", "--beta", "0.1")
GROUPS = tuple(one for one in READS if one != "incrowd.values")
Q = ("patients.csv", "-q", "age,zip")
VERBS = {
    "risk": (("risk", *Q, "--json"), 125, READS),
    "discover": (("discover", "patients.csv", "--json"), 125, READS),
    "groups": (("discover", "patients.csv", "-k", "3", "--json"), 125, GROUPS),
    "named sets": (
        ("discover", "patients.csv", "--set", "age,zip", "--population", "3e8", "--json"),
        110,
        READS,
    ),
    "mask": (("mask", "patients.csv", "--ratio", "0.3", "-o", "m.csv", "--json"), 130, READS),
    "quantiles": (
        ("quantiles", "patients.csv", "-c", "age", "-k", "3", "-o", "q.csv", "--json"),
        135,
        READS,
    ),
    "compare": (("compare", "patients.csv", "release.csv", "--json"), 155, COMPARES),
    "anonymize": (
        ("anonymize", *Q, "-s", "diagnosis", "-k", "3", "-o", "out.csv", "--json"),
        325,
        (*MEMORY, "incrowd.verbs."),
    ),
    "frontier": (("frontier", *Q, "--json"), 315, MEMORY),
    "check": (("check", "release.csv", *CERTIFICATE, "--json"), 305, MEMORY),
    "attack": (("attack", "release.csv", "--original", "patients.csv", "--json"), 305, MEMORY),
    "plan": (("plan", "patients.csv", "--columns", "age,zip", *PLAN, "--json"), 315, MEMORY),
    "init": (("init", "patients.csv", "--json"), 275, MEMORY),
    "safe-harbor": (("safe-harbor", "patients.csv", "--today", "2024", "--json"), 275, MEMORY),
    "report": (("report", "release.csv", *CERTIFICATE, "-o", "r.html", "--json"), 400, DRAWS),
}
MAY_FAIL = {"attack", "safe-harbor"}
"""What these find out may be bad news, which is an exit code of its own."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("start")
    (made / "patients.csv").write_text(patients())
    with chdir(made):
        release = (*Q, "-s", "diagnosis", "-k", "3", "-o", "release.csv", "--quiet")
        assert perform(["anonymize", *release]) == 0
    return made


def loaded(folder, *words, program=RUN, codes=("0",)):
    """The modules that a program loads in a fresh process, which ends with one of these codes."""
    source = str(Path(__file__).parents[2] / "src")
    done = subprocess.run(
        [sys.executable, "-c", program, *words],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": source},
    )
    code, *modules = done.stderr.splitlines()[-1].split()
    assert code in codes, done.stderr
    return modules


def ours(modules):
    return [name for name in modules if name.partition(".")[0] == "incrowd"]


def stray(modules, forbidden):
    """The modules that are forbidden: a name with its modules, or all that a name begins."""
    return [
        name
        for name in modules
        if any(
            name == one or name.startswith(one if one.endswith(".") else f"{one}.")
            for one in forbidden
        )
    ]


@pytest.mark.slow
@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_loads_what_it_uses(folder, verb):
    words, most, forbidden = VERBS[verb]
    codes = ("0", "1") if verb in MAY_FAIL else ("0",)
    modules = loaded(folder, *words, codes=codes)
    assert not stray(modules, forbidden)
    assert len(ours(modules)) <= most


@pytest.mark.parametrize("name", NAMES)
def test_help_of_a_command_loads_that_command_alone(folder, name):
    modules = loaded(folder, name, "--help")
    others = {f"incrowd.cli.{one.replace('-', '_')}" for one in NAMES if one != name}
    shared = {"incrowd.cli.frontier", "incrowd.cli.report"}  # anonymize has options of theirs
    assert not others & {*modules} - shared
    assert not stray(modules, (*READS, "numba", "numpy", "polars", "narwhals"))
    assert len(ours(modules)) <= 40


def test_help_loads_commands_only(folder):
    modules = loaded(folder, "--help")
    assert not stray(modules, (*READS, "numba", "numpy", "polars", "narwhals"))
    assert len(ours(modules)) <= 70  # a command and its request each


FRAME = """
import sys
import polars as pl
import incrowd
frame = pl.read_csv("patients.csv")
incrowd.discover(frame)
incrowd.risk(frame, quasi=["age", "zip"])
print(0, *sys.modules, file=sys.stderr)
"""


@pytest.mark.slow
def test_a_frame_without_a_policy_needs_no_checks_of_settings(folder):
    """The command line itself loads pydantic, to read numbers; the library has no need of it."""
    assert not stray(loaded(folder, program=FRAME), (*READS, "typer", "pydantic"))


def test_what_is_forbidden_is_found():
    there = ["rich.table", "richer", "incrowd.search", "incrowd.search.auto", "incrowd.values"]
    assert stray(there, ("rich", "incrowd.search.", "incrowd.values")) == [
        "rich.table",
        "incrowd.search.auto",
        "incrowd.values",
    ]
