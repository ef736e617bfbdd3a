"""`incrowd safe-harbor`: the checklist, its exit code, and a way through it."""

from pathlib import Path

import pytest

from incrowd.datasets import hospital
from patients import MARK, patients

SMALL = "036,25000\n"


@pytest.fixture
def stays(here):
    hospital(200, seed=4).write_csv(here / "stays.csv")
    return "stays.csv"


def test_a_table_that_holds_identifiers_is_told(incrowd, stays):
    said = incrowd("safe-harbor", stays, "--json", "--today", "2026")
    assert said.code == 1
    assert said.document["schema"] == "incrowd.safe-harbor/1"
    assert said.document["met"] is False
    checks = {check["letter"]: check for check in said.document["checks"]}
    assert [column["name"] for column in checks["C"]["columns"]] == ["birth_date", "admission"]
    assert {letter for letter, check in checks.items() if check["status"] == "fail"} == set("ABCGH")
    assert all(column["why"] for check in checks.values() for column in check["columns"])


def test_people_read_a_list(incrowd, stays):
    said = incrowd("safe-harbor", stays)
    assert said.code == 1
    assert "NOT de-identified" in said.out
    assert said.out.count("FAIL") == 5
    assert incrowd("safe-harbor", stays, "--quiet").out == ""


@pytest.mark.slow
def test_from_the_preset_to_a_release_that_passes(incrowd, stays, here):
    said = incrowd("init", stays, "--preset", "hipaa-safe-harbor", "-o", "policy.toml")
    assert said.code == 0, said.err
    assert "zip-codes" in Path("policy.toml").read_text()
    assert incrowd("safe-harbor", stays, "--policy", "policy.toml").code == 0
    made = incrowd("anonymize", stays, "--policy", "policy.toml", "-o", "safe.csv", "--seed", "1")
    assert made.code == 0, made.err
    said = incrowd("safe-harbor", "safe.csv", "--json")
    assert (said.code, said.document["met"]) == (0, True)
    assert "Found nothing" in incrowd("safe-harbor", "safe.csv").out
    assert (here / "safe.csv").exists()


def test_newer_counts_of_people(incrowd, table):
    name = table("zip,sex\n" + "021,f\n036,m\n" * 10)
    assert incrowd("safe-harbor", name).code == 1
    for text in (SMALL, "prefix,people\n" + SMALL, "\ufeff" + SMALL):
        Path("people.csv").write_text(text, encoding="utf-8")
        assert incrowd("safe-harbor", name, "--zip-populations", "people.csv").code == 0


def test_an_area_is_in_one_line(refused, table):
    name = table("zip,sex\n" + "021,f\n036,m\n" * 10)
    Path("people.csv").write_text("036,5\n021,70000\n036,70000\n")
    assert "several lines" in refused(3, "safe-harbor", name, "--zip-populations", "people.csv").err


@pytest.mark.parametrize("text", ["", "36,5\n37,6\n", "036,many\n037,x\n", "036\n", "\xff"])
def test_counts_that_cannot_be_read(refused, table, text):
    name = table("zip,sex\n" + "021,f\n036,m\n" * 10)
    Path("people.csv").write_text(text, encoding="latin-1")
    said = refused(3, "safe-harbor", name, "--zip-populations", "people.csv")
    assert "036,13153" in said.err


@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        (2, ("--today", "26")),
        (2, ("--policy", "nowhere.toml")),
        (3, ("--zip-populations", "nowhere.csv")),
    ],
)
def test_bad_requests(refused, table, code, arguments):
    refused(code, "safe-harbor", table(), *arguments)


def test_a_policy_must_know_every_column(refused, table):
    Path("policy.toml").write_text(
        'version = 1\n[[models]]\nname = "k-anonymity"\nk = 2\n[columns.age]\nrole = "quasi"\n'
    )
    said = refused(2, "safe-harbor", table(), "--policy", "policy.toml")
    assert "[columns.zip]" in said.err


def test_no_cell_is_shown(incrowd, table):
    marked = [f"{MARK}{i}@example.org" for i in range(40)]
    said = incrowd("safe-harbor", table(patients(email=marked, x=marked)), "--json")
    assert said.code == 1
    assert MARK not in said.out + said.err
