"""`incrowd report` and `anonymize --report`: one page, exit codes, nothing lost."""

import json

import pytest

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


@pytest.mark.usefixtures("released")
def test_the_command_that_checks_again_works(incrowd):
    said = incrowd("report", "release.csv", *FLAGS, "--json")
    again = incrowd(*said.document["check"].split()[1:])
    assert again.code == 0, again.err


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
