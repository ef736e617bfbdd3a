"""`incrowd anonymize --gap`: how much less any other release could lose."""

import pytest

from patients import QUICK


@pytest.mark.parametrize("method", ["crowd", "mondrian", "lattice"])
def test_a_proved_bound_is_below_what_was_found(incrowd, table, method):
    flags = ("--method", method, "--gap", "prove", "--json")
    said = incrowd("anonymize", table(), *QUICK, *flags)
    assert said.code == 0, said.err
    document = said.document
    gap = document["gap"]
    assert gap["proved"]
    assert gap["sampled"] is None
    assert 0 < gap["bound"] <= gap["found"] == pytest.approx(document["loss"]["gcp"])
    assert gap["gap"] == pytest.approx(gap["found"] - gap["bound"])


def test_an_estimate_says_that_it_is_one(incrowd, table):
    said = incrowd("anonymize", table(), *QUICK, "--gap", "estimate")
    assert said.code == 0, said.err
    text = " ".join(said.out.split())
    assert "estimated from a sample of 1,000 records, confidence 95 %" in text
    assert "proved" not in text


def test_a_proof_says_that_it_is_one(incrowd, table):
    said = incrowd("anonymize", table(), *QUICK, "--gap", "prove")
    text = " ".join(said.out.split())
    assert "in every class loses less than" in text
    assert "(proved)" in text


def test_it_is_not_there_unless_it_is_asked_for(incrowd, table):
    assert "gap" not in incrowd("anonymize", table(), *QUICK, "--json").document


@pytest.mark.parametrize("more", [("maybe",), ("prove", "--loss", "entropy")])
def test_what_has_no_bound_is_refused(refused, table, more):
    said = refused(2, "anonymize", table(), *QUICK, "--gap", *more)
    assert "gap" in said.err
