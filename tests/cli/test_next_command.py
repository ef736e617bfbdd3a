"""Every answer ends in the next useful command, and that command works."""

import re
import shlex
from pathlib import Path

import pytest

from incrowd.cli import next_command
from patients import QUICK


def after(said):
    """The words of the command that an answer names."""
    (line,) = re.findall(r"^Next: incrowd (.+)$", said.out, re.MULTILINE)
    return shlex.split(line)


@pytest.fixture
def odd(here, table):
    """A table whose file and columns need quotes."""
    name = "my patients; 2024.csv"
    lines = Path(table(age=[str(20 + i % 9) for i in range(40)])).read_text().splitlines()
    head = lines[0].replace("zip", '"zip, home"').replace("sex", "it's sex")
    (here / name).write_text("\n".join([head, *lines[1:]]) + "\n")
    return name


QUASI = ("-q", "age", "-q", '"zip, home"', "-q", "it's sex")


def test_risk_leads_to_a_release_and_that_to_its_check_and_its_attack(incrowd, odd):
    said = incrowd("risk", odd, *QUASI, "-s", "diagnosis")
    for verb in ("anonymize", "check", "attack", "check"):
        words = after(said)
        assert words[0] == verb
        said = incrowd(*words)
        assert said.code == 0, said.err


def test_discover_leads_to_the_risk_of_what_it_found(incrowd, odd):
    words = after(incrowd("discover", odd, "--ratio", "0.4"))
    assert words[:2] == ["risk", odd]
    assert incrowd(*words).code == 0
    words = after(incrowd("discover", odd, "-k", "3"))
    assert incrowd(*words).code == 0


def test_a_draft_leads_to_its_release(incrowd, odd):
    words = after(incrowd("init", odd, "-o", "my policy.toml"))
    assert words == ["anonymize", odd, "--policy", "my policy.toml", "-o", "release.csv"]


def test_a_dry_run_leads_to_the_release(incrowd, table):
    quick = [word for word in QUICK if word not in {"-o", "release.csv"}]
    words = after(incrowd("anonymize", table(), *quick, "--dry-run", "--seed", "3"))
    assert "--dry-run" not in words
    assert incrowd(*words).code == 0
    assert Path("release.csv").read_text() != "the release of yesterday"


def test_a_failed_check_leads_to_another_release(incrowd, table):
    table()
    said = incrowd("check", "patients.csv", "-q", "age,zip", "-k", "9")
    assert said.code == 1
    words = after(said)
    assert words[:2] == ["anonymize", "ORIGINAL"]
    assert incrowd("anonymize", "patients.csv", *words[2:]).code == 0


def test_columns_that_were_written_lead_to_their_risk(incrowd, table):
    table()
    words = after(incrowd("mask", "patients.csv", "--ratio", "0.3", "-o", "m.csv"))
    assert incrowd(*words).code == 0
    words = after(incrowd("quantiles", "patients.csv", "-c", "age", "-k", "5", "-o", "q.csv"))
    assert words == ["risk", "q.csv", "-q", "age"]


@pytest.mark.slow
def test_a_plan_and_a_curve_lead_to_a_release(incrowd, table):
    table()
    flags = ("--columns", "sex", "--population", "1e6", "-k", "5", "--beta", "0.1")
    words = after(incrowd("plan", "patients.csv", *flags))
    assert words[-3:] == ["--apply", "-o", "release.csv"]
    words = after(incrowd("frontier", "patients.csv", "-q", "age,zip"))
    assert incrowd(*words).code == 0


def test_how_the_table_is_read_is_said_again(incrowd, table, here):
    text = Path(table()).read_text().replace(",", ";")
    (here / "patients.csv").write_text(text)
    said = incrowd("risk", "patients.csv", "-q", "age", "--delimiter", ";", "--header")
    words = after(said)
    assert words[2:5] == ["--delimiter", ";", "--header"]
    assert incrowd(*words).code == 0


def test_no_command_shows_a_password_or_steers_a_terminal():
    assert next_command.command("risk", "postgresql://me:secret@host/db?table=t") is None
    assert next_command.command("risk", "a.csv", "-q", "age\x1b[2J") is None
    assert next_command.command("risk", "a.csv", "-q", "\u202egnp.exe") is None


def test_documents_and_silence_name_no_command(incrowd, table):
    table()
    assert "Next:" not in incrowd("risk", "patients.csv", "-q", "age", "--json").out
    assert incrowd("risk", "patients.csv", "-q", "age", "--quiet").out == ""
