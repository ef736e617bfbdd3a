"""`incrowd anonymize --method`: every search can be asked for, and what it cannot do is said."""

from typing import get_args

import pytest
import typer

from incrowd.cli.main import app
from incrowd.search import AnySearch
from incrowd.search_names import SEARCHES
from patients import QUICK, patients

KNOWN = [search.__dataclass_fields__["name"].default for search in get_args(get_args(AnySearch)[0])]


@pytest.fixture
def table(here):
    (here / "patients.csv").write_text(patients())
    return "patients.csv"


def test_the_help_names_every_search():
    assert sorted(SEARCHES) == sorted(KNOWN)
    command = typer.main.get_command(app).commands["anonymize"]
    (option,) = (parameter for parameter in command.params if parameter.name == "method")
    assert all(name in option.help for name in KNOWN)


@pytest.mark.parametrize("method", ["cuts", "datafly", "mu-argus"])
def test_a_method_is_asked_for_by_name(incrowd, table, method):
    said = incrowd("anonymize", table, *QUICK, "--method", method, "--json")
    assert said.code == 0, said.err
    assert said.document["search"] == method


@pytest.mark.parametrize(
    ("typed", "meant"), [("mu-argos", "mu-argus"), ("muargus", "mu-argus"), ("dataflie", "datafly")]
)
def test_a_misspelt_method_gets_the_one_that_was_meant(refused, table, typed, meant):
    said = refused(2, "anonymize", table, *QUICK, "--method", typed)
    assert f"did you mean '{meant}'?" in said.err


@pytest.fixture
def crossed(here):
    """Every triple of the four columns shows each triple of values twice, all four tell apart."""
    bits = [[f"{number:04b}"[place] for number in range(16)] for place in range(4)]
    names = ("age", "zip", "sex", "smoker")
    (here / "crossed.csv").write_text(patients(16, **dict(zip(names, bits, strict=True))))
    quasi = ("--quasi", ",".join(names), "--sensitive", "diagnosis", "-k", "2")
    return "crossed.csv", *quasi, "-o", "release.csv", "--method", "mu-argus"


def test_what_mu_argus_leaves_unsafe_is_refused_and_explained(refused, crossed):
    said = refused(1, "anonymize", *crossed)
    assert "k-anonymity achieves 1, the policy asks for 2; nothing was released" in said.err
    assert "only combinations of 2 and 3 columns" in said.err
    assert 'use search = "lattice"' in said.err


def test_the_verdicts_of_the_models_are_in_the_document(incrowd, crossed):
    said = incrowd("anonymize", *crossed, "-l", "1", "--json")
    assert said.code == 1
    assert said.document["exit_code"] == 1
    assert said.document["models"] == [
        {"name": "k-anonymity", "asked": 2, "reached": 1, "ok": False},
        {"name": "l-diversity", "column": "diagnosis", "asked": 1, "reached": 1, "ok": True},
    ]


def test_what_mu_argus_loses_and_leaves_unsafe_is_shown_on_request(incrowd, crossed, here):
    before = (here / "release.csv").read_text()
    said = incrowd("anonymize", *crossed, "--show-refused", "--json")
    assert said.code == 1
    refused = said.document["refused"]
    assert refused["loss"]["precision"] == 1.0  # nothing is rare, so nothing was changed
    assert refused["failing_records"] == refused["records"] == 16
    assert refused["models"] == [
        {
            "name": "k-anonymity",
            "asked": 2,
            "reached": 1,
            "ok": False,
            "failing_records": 16,
            "failing_classes": 16,
        }
    ]
    said = incrowd("anonymize", *crossed, "--show-refused")
    assert said.code == 1
    assert "16 of 16 records, in 16 of 16 classes, fail a model" in said.out
    assert "precision" in said.out
    assert (here / "release.csv").read_text() == before
    assert not (here / "release.csv.certificate.json").exists()
    assert "refused" not in incrowd("anonymize", *crossed, "--json").document


def test_a_policy_writes_all_settings(incrowd, here, table):
    (here / "policy.toml").write_text(
        """
version = 1

[search]
name = "mu-argus"
identifying = { age = "most", zip = "more", sex = "identifying" }
combinations = "actual"
levels = { age = 2 }
rules = ["zip", "zip"]
share = 0.0

[[models]]
name = "k-anonymity"
k = 5

[columns]
age = { role = "quasi" }
zip = { role = "quasi" }
sex = { role = "quasi" }
diagnosis = { role = "keep" }
"""
    )
    said = incrowd("anonymize", table, "-p", "policy.toml", "-o", "release.csv", "--json")
    assert said.code == 0, said.err
    assert said.document["search"] == "mu-argus"
    assert said.document["k"] >= 5


def test_a_column_that_the_search_of_a_policy_misspells(refused, here, table):
    (here / "policy.toml").write_text(
        """
version = 1
search = { name = "datafly", sets = [["age", "zipp"]] }

[[models]]
name = "k-anonymity"
k = 5

[columns]
age = { role = "quasi" }
zip = { role = "quasi" }
sex = { role = "quasi" }
diagnosis = { role = "keep" }
"""
    )
    said = refused(2, "anonymize", table, "-p", "policy.toml", "-o", "release.csv")
    assert "did you mean 'zip'?" in said.err
