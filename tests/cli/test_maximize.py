"""`anonymize --maximize privacy` and `frontier`: the most privacy for a given loss."""

import json
import sys

import polars as pl
import pytest

from patients import MARK, QUICK, patients

QUASI = ("--quasi", "age,zip,sex")
ILL = ("--sensitive", "diagnosis")
OUT = ("-o", "release.csv")
MOST = ("--maximize", "privacy", "--max-loss", "0.5")


@pytest.fixture
def table(here):
    (here / "patients.csv").write_text(patients())
    return "patients.csv"


@pytest.fixture
def most(incrowd, table):
    """Ask for the most privacy with these further flags: the document and what was remarked."""

    def run(*flags):
        said = incrowd("anonymize", table, *QUASI, *OUT, *MOST, *flags, "--json")
        assert said.code == 0, said.err
        return said.document, said.err

    return run


def test_privacy_means_k_without_a_sensitive_column(most):
    document, remarks = most()
    assert document["search"] == "accuracy"
    assert document["bound_met"] is True
    assert document["max_class_ncp"] <= 0.5
    assert document["privacy"] == {"k": document["k"], "l": None}
    assert document["models"][0]["asked"] == 2
    assert "maximizing k" in remarks
    assert "no model is given: every class holds at least k = 2 people" in remarks


def test_privacy_means_l_with_a_sensitive_column(most):
    document, remarks = most(*ILL)
    assert "maximizing l of the sensitive column 'diagnosis'" in remarks
    (verdict,) = (model for model in document["models"] if model["name"] == "l-diversity")
    assert document["privacy"]["l"] == pytest.approx(verdict["reached"])
    assert "l = " in document["why"]
    assert "may show one value" not in remarks


def test_what_is_said_is_not_guessed(most):
    document, remarks = most(*ILL, "--privacy", "k", "-k", "3")
    assert "privacy means" not in remarks
    assert "no model is asked for" not in remarks
    assert "and k = " in document["why"]
    assert document["privacy"]["k"] >= 3


def test_models_are_floors(most):
    document, _ = most(*ILL, "-k", "4", "-l", "2")
    assert document["privacy"]["k"] >= 4
    assert document["privacy"]["l"] >= 2


@pytest.mark.slow
def test_a_larger_loss_gives_no_less_privacy(most):
    reached = [most("--max-loss", bound)[0]["privacy"]["k"] for bound in ("0.35", "0.6", "1")]
    assert reached == sorted(reached)
    assert reached[-1] == 40


def test_people_read_what_is_reached(incrowd, table):
    said = incrowd("anonymize", table, *QUASI, *ILL, *OUT, *MOST)
    assert said.code == 0, said.err
    flat = " ".join(said.out.split())
    assert "Reached k = " in flat
    assert "within the bound." in flat


def test_limits_of_columns_bound_classes_too(most):
    document, _ = most("--widest", "age=3", "--highest", "zip=1,sex=1")
    assert document["bound_met"] is True
    spans = pl.read_csv("release.csv", infer_schema=False)["age"].unique().to_list()
    ends = [[int(end) for end in span.strip("[]").split(",")] for span in spans]
    assert all(span[-1] - span[0] <= 3 for span in ends)


@pytest.mark.slow
def test_limits_go_with_every_search_and_with_a_policy(incrowd, table):
    flags = ("--widest", "age=5", "--highest", "zip=1", "--json")
    said = incrowd("anonymize", table, *QUICK, *flags)
    assert said.code == 0, said.err
    assert said.document["bound_met"] is True
    assert incrowd("init", table, "-o", "policy.toml").code == 0
    said = incrowd("anonymize", table, "-p", "policy.toml", *OUT, *MOST, "--widest", "age=9")
    assert said.code == 0, said.err
    assert "options change age, search of the policy file" in said.err


def test_every_release_says_what_it_reaches(incrowd, table):
    document = incrowd("anonymize", table, *QUICK, "--json").document
    assert document["bound_met"] is None
    assert 0 < document["max_class_ncp"] <= 1
    assert document["privacy"]["k"] == document["k"]
    assert document["privacy"]["l"] >= 1


def test_several_sensitive_columns_each_have_their_l(incrowd, table, here):
    ward = [f"ward {i % 3}" for i in range(40)]
    (here / "patients.csv").write_text(patients(ward=ward))
    flags = ("--sensitive", "ward", "-l", "2", "--json")
    document = incrowd("anonymize", table, *QUICK, *flags).document
    assert set(document["privacy"]["l"]) == {"diagnosis", "ward"}
    assert min(document["privacy"]["l"].values()) >= 2
    flags = ("--sensitive", "ward", "-l", "2", "--details")
    text = " ".join(incrowd("anonymize", table, *QUICK, *flags).out.split())
    assert " of diagnosis, frequency l = " in text
    assert "l-diversity (frequency) of" in text
    assert ", l = " not in text


@pytest.mark.parametrize(
    ("code", "flags", "hint"),
    [
        (2, ("--max-loss", "0.3", "-k", "2"), "add --maximize privacy"),
        (2, ("--privacy", "k", "-k", "2"), "add --maximize privacy"),
        (2, ("--maximize", "privacy"), "--max-loss 0.3"),
        (2, ("--maximize", "loss", "--max-loss", "0.3"), "--maximize privacy"),
        (2, ("--maximize", "privacy", "--max-loss", "1.5"), "from 0 to 1"),
        (2, ("--maximize", "privacy", "--max-loss", "-0.1"), "from 0 to 1"),
        (2, ("--maximize", "privacy", "--max-loss", "nan"), "from 0 to 1"),
        (2, (*MOST, "--privacy", "m"), "--privacy k or --privacy l"),
        (2, (*MOST, "--privacy", "l"), "name one with --sensitive"),
        (2, (*MOST, "--method", "mondrian"), "leave out --method"),
        (2, (*MOST, "--widest", "age"), "COLUMN=NUMBER"),
        (2, (*MOST, "--widest", "age=old"), "must be a number"),
        (2, (*MOST, "--widest", "age=0"), "above 0"),
        (2, (*MOST, "--widest", "agee=3"), "did you mean 'age'?"),
        (2, (*MOST, "--highest", "zip=1.5"), "whole number"),
        (2, (*MOST, "--highest", "diagnosis=1", *ILL), "only quasi-identifying columns"),
        (4, ("--maximize", "privacy", "--max-loss", "0", "-k", "3"), "raise max_loss to 0."),
        (4, (*MOST, *ILL, "-l", "9"), "ask for at most 5"),
    ],
)
def test_bad_wishes_are_refused(refused, table, code, flags, hint):
    said = refused(code, "anonymize", table, *QUASI, *OUT, *flags)
    assert hint in said.err


@pytest.mark.slow
def test_the_least_loss_that_is_named_works(refused, incrowd, table):
    flags = ("anonymize", table, *QUASI, *OUT, "-k", "6", "--maximize", "privacy", "--max-loss")
    said = refused(4, *flags, "0.01")
    least = said.err.split("raise max_loss to ")[1].split(",")[0]
    assert incrowd(*flags, least).code == 0


@pytest.mark.parametrize(
    ("flags", "hint"),
    [
        (("-l", "0.5"), "l must be at least 1"),
        (("-l", "0"), "l must be at least 1"),
        (("-l", "-3"), "l must be at least 1"),
        (("-l", "1"), "holds for every table"),
        (("-t", "1"), "holds for every table"),
        (("-l", "1", "-t", "1"), "holds for every table"),
    ],
)
def test_models_that_ask_for_nothing_are_refused(refused, table, flags, hint):
    assert hint in refused(2, "anonymize", table, *QUASI, *ILL, *OUT, *flags).err


def test_one_value_for_everybody_is_refused(refused, here):
    (here / "one.csv").write_text(patients(diagnosis=[MARK] * 40))
    request = ("anonymize", "one.csv", *QUASI, *ILL, *OUT)
    assert "only one value" in refused(4, *request, *MOST).err
    assert "only one value" in refused(4, *request, "-l", "2").err
    assert "remove the model" in refused(4, *request, "-l", "2").err


def test_missing_sensitive_values_are_a_value_and_that_is_said(incrowd, here):
    gaps = ["" if i % 4 else f"{MARK}{i % 5}" for i in range(40)]
    (here / "gaps.csv").write_text(patients(diagnosis=gaps))
    said = incrowd("anonymize", "gaps.csv", *QUICK, "--json")
    note = "the sensitive column 'diagnosis' has missing values"
    assert note in said.err
    assert any(note in one for one in said.document["notes"])
    said = incrowd("anonymize", "gaps.csv", *QUICK, "-l", "3")
    assert said.code == 4
    assert "allows 1.333" in said.err


@pytest.mark.slow
def test_the_frontier_is_a_table_or_a_document_and_no_release(incrowd, table, here):
    before = (here / "release.csv").read_bytes()
    said = incrowd("frontier", table, *QUASI, *ILL)
    assert said.code == 0, said.err
    assert "a class loses at most" in said.out
    document = incrowd("frontier", table, *QUASI, *ILL, "--json").document
    assert document["schema"] == "incrowd.frontier/1"
    assert document["privacy"] == "l"
    assert all(set(one) == {"max_loss", "k", "l", "loss", "classes"} for one in document["points"])
    reached = [point["l"] for point in document["points"]]
    assert reached == sorted(set(reached))
    assert (here / "release.csv").read_bytes() == before
    assert sorted(path.name for path in here.iterdir()) == ["patients.csv", "release.csv"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["csv", "json", "svg", "png", "html"])
def test_a_curve_is_written_as_its_name_says(incrowd, table, here, kind):
    if kind in {"svg", "png", "html"}:
        pytest.importorskip("altair")
    (here / "patients.csv").write_text(patients(16))
    said = incrowd("frontier", table, *QUASI, "-o", f"curve.{kind}", "--json")
    assert said.code == 0, said.err
    assert said.document["written"] == f"curve.{kind}"
    content = (here / f"curve.{kind}").read_bytes()
    begins = {"csv": b"max_", "json": b"{", "svg": b"<svg", "png": b"\x89PNG", "html": b"<!DOCTYPE"}
    assert content.startswith(begins[kind])
    if kind == "json":
        assert json.loads(content)["points"] == said.document["points"]
    if kind == "csv":
        assert len(content.splitlines()) == len(said.document["points"]) + 1


@pytest.mark.parametrize(
    ("code", "flags"),
    [
        (2, ("curve.txt", "--frontier")),
        (2, ("patients.csv", "--frontier")),
        (3, ("nowhere/curve.csv", "--frontier")),
        (2, ("curve.csv", *OUT, "-k", "2")),
        (2, (*OUT, "--frontier")),
        (2, ("--explore", "seen.csv", "--frontier")),
        (2, ("--max-loss", "0.3", "--frontier")),
        (2, ("--privacy", "l", "--frontier")),
        (4, ("-k", "41", "--frontier")),
    ],
)
def test_bad_curves_are_refused_in_the_former_spelling(refused, table, code, flags):
    refused(code, "anonymize", table, *QUASI, *flags)


@pytest.mark.parametrize(
    ("code", "flags"),
    [
        (2, ("-o", "curve.txt")),
        (2, ("-o", "patients.csv")),
        (3, ("-o", "nowhere/curve.csv")),
        (2, ("--max-loss", "0.3")),
        (2, ("--privacy", "l")),
        (2, ("--world", "patients.csv")),
        (2, ("-l", "0.5", *ILL)),
        (4, ("-k", "41")),
    ],
)
def test_bad_curves_are_refused(refused, table, code, flags):
    refused(code, "frontier", table, *QUASI, *flags)


@pytest.mark.slow
def test_the_former_spelling_of_the_frontier_says_the_new_one(incrowd, table, here):
    (here / "patients.csv").write_text(patients(16))
    now = incrowd("frontier", table, *QUASI, "-o", "curve.csv", "--json")
    said = incrowd("anonymize", table, *QUASI, "--frontier", "former.csv", "--json")
    assert said.code == 0
    assert "is now: incrowd frontier FILE -o CURVE" in said.err
    assert said.document | {"written": ""} == now.document | {"written": ""}
    assert (here / "former.csv").read_bytes() == (here / "curve.csv").read_bytes()
    quiet = incrowd("anonymize", table, *QUASI, "--frontier", "--quiet")
    assert quiet.err == quiet.out == ""


def test_a_picture_that_cannot_be_drawn_is_refused(refused, table, monkeypatch):
    monkeypatch.setitem(sys.modules, "altair", None)
    said = refused(3, "frontier", table, *QUASI, "-o", "curve.svg")
    assert "incrowd[charts]" in said.err
