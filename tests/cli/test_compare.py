"""`incrowd compare` and `anonymize --for` on the command line."""

from pathlib import Path

import polars as pl
import pytest

from patients import MARK, QUICK, patients

ASK = (*QUICK, "--accept-derived", "diagnosis", "--method", "mondrian")


@pytest.fixture
def incrowd(incrowd, here):  # noqa: ARG001  the folder to work in
    Path("patients.csv").write_text(patients(200))
    assert incrowd("anonymize", "patients.csv", *ASK).code == 0
    return incrowd


def test_ten_seconds_of_reading(incrowd):
    said = incrowd("compare", "patients.csv", "release.csv", "-q", "age,zip,sex")
    assert said.code == 0, said.err
    lines = said.out.strip().splitlines()
    assert lines[0].startswith("release.csv is close to patients.csv")
    assert lines[-1].startswith("Next: incrowd compare patients.csv release.csv")
    assert lines[-1].endswith("-o comparison.html")
    assert len(lines) < 25
    assert MARK not in said.out


def test_details_are_every_column_pair_and_loss(incrowd):
    short = incrowd("compare", "patients.csv", "release.csv", "-q", "age,zip,sex")
    said = incrowd("compare", "patients.csv", "release.csv", "-q", "age,zip,sex", "--details")
    assert said.code == 0, said.err
    flags = ("-q", "age,zip,sex", "--json")
    (release,) = incrowd("compare", "patients.csv", "release.csv", *flags).document["releases"]
    for column in release["columns"]:
        assert any(line.split()[:1] == [column["name"]] for line in said.out.splitlines())
    for loss in release["losses"]:
        assert loss in said.out
        assert loss == "gcp" or loss not in short.out
    assert len(short.out) < len(said.out)
    assert MARK not in said.out


@pytest.mark.slow
def test_the_document(incrowd):
    flags = ("-q", "age,zip,sex", "-s", "diagnosis", "--for", "sex~age", "--json")
    said = incrowd("compare", "patients.csv", "release.csv", "release.csv", *flags)
    document = said.document
    assert document["schema"] == "incrowd.compare/1"
    assert [one["name"] for one in document["releases"]] == ["release.csv (1)", "release.csv (2)"]
    first, second = ({**one, "name": ""} for one in document["releases"])
    assert first == second
    assert first["risk"]["k"] >= 5
    assert first["regression"]["task"] == "logistic"
    assert {"total_variation", "histogram", "ncp"} <= first["columns"][0].keys()


@pytest.mark.slow
def test_the_page(incrowd):
    said = incrowd("compare", "patients.csv", "release.csv", "-q", "age", "-o", "page.html")
    assert said.code == 0, said.err
    page = Path("page.html").read_text()
    assert page.lower().startswith("<!doctype html>")
    assert "Content-Security-Policy" in page
    assert "http-equiv" in page


def test_refusals(refused):
    refused(2, "compare", "patients.csv", *["patients.csv"] * 9)
    refused(2, "compare", "patients.csv", "patients.csv", "--for", "age")
    refused(2, "compare", "patients.csv", "patients.csv", "-q", "agee")
    refused(2, "compare", "patients.csv", "patients.csv", "-o", "patients.csv")
    refused(3, "compare", "patients.csv", "nowhere.csv")


def test_anonymize_for_an_analysis(incrowd):
    said = incrowd("anonymize", "patients.csv", *ASK, "--for", "diagnosis~age")
    assert said.code == 0, said.err
    assert "the loss of age counts 10 times" in said.err
    assert pl.read_csv("release.csv").height == 200
    said = incrowd("anonymize", "patients.csv", *ASK, "--for", "diagnosis~agee")
    assert said.code == 2
    assert "did you mean 'age'?" in said.err
