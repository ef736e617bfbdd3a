"""`incrowd report` and `anonymize --report`: one page, exit codes, nothing lost."""

import json
import shlex

import pytest

from incrowd.cli import held_to
from incrowd.cli.options import read_columns
from incrowd.cli.report import _check_command
from incrowd.requests.policy import HeldTo, PolicyOptions
from incrowd.verbs import report as verb
from patients import MARK, QUICK, patients, snapshot

FLAGS = ("-q", "age,zip,sex", "-s", "diagnosis", "-k", "5")


@pytest.fixture
def released(incrowd, here):
    (here / "patients.csv").write_text(patients())
    said = incrowd("anonymize", "patients.csv", *QUICK, "--method", "mondrian", "--seed", "1")
    assert said.code == 0, said.err
    return here


def test_a_page_beside_the_release(incrowd, released):
    said = incrowd("report", "release.csv", "--original", "patients.csv")
    assert said.code == 0, said.err
    page = (released / "report.html").read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert "incrowd check release.csv --certificate release.csv.certificate.json" in page
    assert MARK not in page + said.out + said.err
    assert "keeps its policy" in said.out


@pytest.mark.usefixtures("released")
def test_the_document(incrowd):
    said = incrowd("report", "release.csv", *FLAGS, "-o", "r.html", "--json")
    assert said.code == 0, said.err
    assert said.document["schema"] == "incrowd.report/1"
    assert said.document["report"] == "r.html"
    assert said.document["k"] >= 5
    assert "--quasi age,zip,sex" in said.document["check"]
    assert set(said.document["absent"]) >= {"utility", "certificate"}


def test_the_command_that_checks_again_works(incrowd, released):
    lines = (released / "release.csv").read_text().splitlines()
    head = lines[0].replace("zip", '"zip, home"')
    (released / "named.csv").write_text("\n".join([head, *lines[1:]]) + "\n")
    names = ("-q", "age", "-q", '"zip, home",sex', "-s", "diagnosis")
    trees = ("--hierarchy", "age=intervals:5", "--missing", "matches-anything")
    said = incrowd("report", "named.csv", *names, "-k", "5", *trees, "--header", "--json")
    words = shlex.split(said.document["check"])
    assert words[-1:] == ["--header"]
    again = incrowd(*words[1:], "--json")
    assert again.code == said.code
    assert [one["reached"] for one in again.document["models"]] == [said.document["k"]]


HELD = {
    "k": 1_234_567,
    "l": 2.0,
    "t": 0.1234567,
    "missing": "suppress",
    "quasi": ("age", "name, first", 'a "b"'),
    "sensitive": ("diagnosis",),
    "hierarchy": ("age=intervals:5", "zip=/home/me/zip.csv", "sex=file:/home/me/sex.txt"),
    "hierarchies": "/home/me/trees/",
}


def test_all_that_a_release_is_held_to_is_said_again():
    """In a report, which leaves: files are named without their folders."""
    (parts,) = HeldTo.__metadata__
    assert {*parts.only} == {*HELD}
    words = list(held_to.option_words(PolicyOptions(**HELD)))
    given = {"-k": "1234567", "-l": "2", "-t": "0.1234567", "--missing": "suppress"}
    given |= {"--sensitive": "diagnosis", "--hierarchies": "trees"}
    assert given.items() <= dict(zip(words[::2], words[1::2], strict=True)).items()
    assert read_columns([words[words.index("--quasi") + 1]]) == HELD["quasi"]
    trees = [value for flag, value in zip(words[::2], words[1::2], strict=True) if "=" in value]
    assert trees == ["age=intervals:5", "zip=file:zip.csv", "sex=file:sex.txt"]


def test_the_key_that_must_have_signed_is_said_again():
    files = {"source": "/me/r.csv", "certificate": "/me/c.json", "trusted_keys": ("/me/key.pub",)}
    unsaid = {"policy": None, "original": None, "world": None, "world_id": None, "rename": {}}
    said = _check_command(files | unsaid, PolicyOptions())
    assert said == "incrowd check r.csv --certificate c.json --trusted-key key.pub"


def test_a_folder_that_is_this_one_stays_this_one():
    here = PolicyOptions(hierarchies=".")
    assert list(held_to.option_words(here)) == ["--hierarchies", "."]
    assert list(held_to.option_words(PolicyOptions())) == []


def test_a_release_that_fails_has_a_page_and_exit_code_1(incrowd, released):
    said = incrowd("report", "patients.csv", *FLAGS, "-o", "r.html")
    assert said.code == 1
    assert "NOT keep" in said.out
    assert (released / "r.html").exists()


def test_with_the_release(incrowd, here):
    (here / "patients.csv").write_text(patients())
    flags = (*QUICK, "--method", "lattice", "--report", "r.html", "--json")
    said = incrowd("anonymize", "patients.csv", *flags)
    assert said.code == 0, said.err
    assert said.document["report"] == "r.html"
    page = (here / "r.html").read_text()
    assert "Report on release.csv" in page
    assert "incrowd check release.csv --certificate release.csv.certificate.json" in page
    assert MARK not in page


@pytest.mark.parametrize("as_json", [(), ("--json",)])
@pytest.mark.parametrize("error", [RuntimeError(MARK), MemoryError()])
def test_a_report_that_fails_leaves_the_release(incrowd, here, monkeypatch, error, as_json):
    (here / "patients.csv").write_text(patients())
    (here / "r.html").write_text("the report of yesterday")

    def fail(*_, **__):
        raise error

    monkeypatch.setattr(verb, "gather_facts", fail)
    said = incrowd("anonymize", "patients.csv", *QUICK, "--report", "r.html", *as_json)
    assert said.code != 0
    assert "the release is written and verified, but the report is not" in said.err
    assert MARK not in said.out + said.err
    assert (here / "r.html").read_text() == "the report of yesterday"
    assert (here / "release.csv").read_text() != "the release of yesterday"
    assert incrowd("check", "release.csv", *FLAGS).code == 0
    if as_json:
        assert json.loads(said.out)["schema"] == "incrowd.error/1"
    else:
        assert "Wrote and verified" in said.out


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("release.csv", 2),
        ("release.csv.certificate.json", 2),
        ("patients.csv", 2),
        ("-", 2),
        ("nowhere/r.html", 3),
    ],
)
def test_a_place_where_it_cannot_be_is_refused_before_the_release(refused, here, path, code):
    (here / "patients.csv").write_text(patients())
    refused(code, "anonymize", "patients.csv", *QUICK, "--report", path)


def test_requests_that_make_no_sense(incrowd, released):
    before = snapshot(released)
    for code, words in (
        (2, ("--certificate", "release.csv.certificate.json", "-k", "5", "-q", "age")),
        (2, ("-o", "release.csv")),
        (3, ("--original", "nowhere.csv")),
        (3, ("--policy", "nowhere.toml")),
        (3, ("-o", "nowhere/r.html")),
    ):
        said = incrowd("report", "release.csv", *words)
        assert said.code in {code, 2, 3}, said.err
        assert said.code != 0
        assert len(said.errors) == 1
    assert snapshot(released) == before


def test_without_anything_to_hold_it_against(incrowd, here):
    (here / "patients.csv").write_text(patients())
    said = incrowd("report", "patients.csv")
    assert said.code == 2
    assert "--policy" in said.err


def test_a_dry_run_is_reported_too(incrowd, here):
    (here / "patients.csv").write_text(patients())
    said = incrowd("anonymize", "patients.csv", *FLAGS, "--dry-run", "--report", "r.html")
    assert said.code == 0, said.err
    assert (here / "r.html").exists()
    assert (here / "release.csv").read_text() == "the release of yesterday"
