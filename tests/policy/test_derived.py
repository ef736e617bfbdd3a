"""Derived columns: refused with the reason, accepted if asked, drafted as protected."""

import json

import numpy as np
import polars as pl
import pytest

import incrowd
from incrowd.errors import PolicyError
from incrowd.models import KAnonymity
from incrowd.policy.policy import Column, Policy

N = 400


@pytest.fixture
def frame():
    rng = np.random.default_rng(3)
    height = rng.normal(170, 10, N).round()
    weight = (rng.normal(70, 12, N) + (height - 170) / 2).round(1)
    place = rng.integers(0, 12, N)
    return pl.DataFrame(
        {
            "height": height,
            "weight": weight,
            "zip": [f"{number:05}" for number in place],
            "bmi": (weight / (height / 100) ** 2).round(1),
            "city": [f"C{number // 3}" for number in place],
            "illness": rng.choice(["flu", "gout", "asthma"], N),
            "bill": rng.lognormal(8, 1, N).round(2),
        }
    )


def policy(**roles):
    names = ("height", "weight", "zip", "bmi", "city", "illness", "bill")
    columns = {name: Column(role=roles.get(name, "drop")) for name in names}
    return Policy(columns=columns, models=(KAnonymity(5),), time_limit=5)


QUASI = {"height": "quasi", "weight": "quasi", "zip": "quasi"}


@pytest.mark.parametrize("role", ["keep", "sensitive"])
@pytest.mark.parametrize(("name", "known"), [("bmi", "height"), ("city", "zip")])
def test_a_column_that_protected_ones_tell_is_refused(frame, role, name, known):
    with pytest.raises(PolicyError) as caught:
        incrowd.anonymize(frame, policy(**QUASI, **{name: role}))
    said = str(caught.value)
    assert f"'{name}'" in said
    assert f"'{known}'" in said
    assert "accept" in said
    assert 'role = "quasi"' in said


def test_a_column_that_tells_a_protected_one_is_refused(frame):
    with pytest.raises(PolicyError, match="'zip' would leave unchanged, and 'city'"):
        incrowd.anonymize(frame, policy(height="quasi", city="quasi", zip="keep"))


@pytest.mark.slow
def test_what_has_nothing_to_do_with_protected_columns_leaves(frame):
    assert incrowd.anonymize(frame, policy(**QUASI, illness="sensitive", bill="sensitive"), seed=1)


@pytest.mark.slow
def test_a_derived_column_can_be_accepted_and_that_is_noted(frame):
    asked = policy(**QUASI, bmi="keep").model_dump()
    asked["columns"]["bmi"] |= {"derived": "accept", "alone": "accept"}
    release = incrowd.anonymize(frame, Policy.model_validate(asked), seed=1)
    assert any("'bmi' leaves unchanged" in note for note in release.notes)
    assert release.certificate.policy["columns"]["bmi"]["derived"] == "accept"


def test_a_column_that_does_not_leave_need_not_be_accepted():
    with pytest.raises(PolicyError, match="does not leave"):
        Policy(
            columns={"a": Column(role="quasi", derived="accept")},
            models=(KAnonymity(5),),
        )


@pytest.mark.slow
def test_records_of_one_person_are_looked_at_once(frame):
    """A person's records agree in everything: that is no function."""
    many = pl.concat([frame.with_columns(person=pl.int_range(N))] * 3)
    columns = {name: Column(role=role) for name, role in QUASI.items()}
    columns |= {"person": Column(role="unit"), "bill": Column(role="sensitive")}
    columns |= {name: Column(role="drop") for name in ("bmi", "city", "illness")}
    asked = Policy(columns=columns, models=(KAnonymity(5),), time_limit=5)
    assert incrowd.anonymize(many, asked, seed=1)


@pytest.mark.slow
def test_a_draft_protects_derived_columns_and_says_why(frame):
    drafted = incrowd.draft(frame)
    assert drafted.policy.role("bmi").value == "quasi"
    assert "follows from" in drafted.reasons["bmi"]
    assert incrowd.anonymize(frame, drafted.policy, seed=1)


@pytest.mark.slow
def test_a_column_that_tells_records_apart_is_named_in_release_and_certificate(frame):
    release = incrowd.anonymize(
        frame, policy(**QUASI, illness="sensitive", bill="sensitive"), seed=1
    )
    share = release.frame["bill"].n_unique() / N
    assert release.certificate.unchanged == {
        "illness": 3 / N,
        "bill": pytest.approx(share, abs=1e-4),
    }
    named = [note for note in release.notes if "'bill' leaves" in note]
    assert len(named) == 1
    assert "round it" in named[0]
    assert not any("'illness' leaves" in note for note in release.notes)
    assert (
        sum("bill" in line and "distinct" in line for line in release.certificate.assumptions) == 1
    )
    document = json.loads(release.certificate.to_json())
    assert document["unchanged"]["bill"] > 0.9


@pytest.mark.slow
def test_the_command_line_refuses_and_accepts(frame, tmp_path, monkeypatch, capfd):
    from incrowd.cli.main import main

    monkeypatch.chdir(tmp_path)
    frame.write_csv("t.csv")
    flags = ["anonymize", "t.csv", "-q", "height,weight", "--keep", "bmi", "-k", "5", "-o", "r.csv"]
    flags += ["--accept-alone", "bmi"]
    for more, code in (([], 2), (["--accept-derived", "bmi"], 0)):
        with pytest.raises(SystemExit) as stop:
            main([*flags, *more])
        said = capfd.readouterr().err
        assert stop.value.code == code, said
        assert ("--accept-derived bmi" in said) == (code == 2)
