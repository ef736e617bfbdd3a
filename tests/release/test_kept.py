"""Columns that leave as they are: who is alone for whoever knows them is told, and limited."""

import json

import numpy as np
import polars as pl
import pytest

import incrowd
from incrowd import pipeline
from incrowd.errors import NotMetError, PolicyError
from incrowd.models import KAnonymity
from incrowd.policy.policy import Column, Policy
from incrowd.release.certificate import Certificate

N = 600
PAPER = "r.csv.certificate.json"


@pytest.fixture(scope="module")
def frame():
    draw = np.random.default_rng(5)
    house = draw.integers(1, 7, N)
    return pl.DataFrame(
        {
            "person": np.arange(N) // 2,
            "age": draw.integers(18, 80, N),
            "region": draw.choice(["north", "south", "east"], N),
            "weight": 100 / house,
            "sum": draw.lognormal(8, 1, N).round(2),
            "band": draw.choice(["low", "high"], N, p=[0.85, 0.15]),
            "rare": np.where(draw.random(N) < 0.045, "yes", "no"),
            "scarce": np.where(draw.random(N) < 0.045, "yes", "no"),
            "year": np.full(N, 2024),
            "illness": draw.choice(["flu", "gout", "asthma"], N),
        }
    )


def policy(frame, columns=None, **more):
    roles = dict.fromkeys(frame.columns, Column(role="drop"))
    roles |= {"age": Column(role="quasi"), "region": Column(role="quasi")}
    roles |= {"illness": Column(role="sensitive"), **(columns or {})}
    given = {"models": (KAnonymity(5),), "search": "mondrian"} | more
    return Policy(columns=roles, **given)


def kept(*names, accepted=()):
    return {
        name: Column(role="keep", alone="accept" if name in accepted else "refuse")
        for name in names
    }


def alone_in(release, names):
    """The share of rows that are the only ones with what they show and hold."""
    rows = release.frame.group_by("age", "region", *names).len()
    return rows.filter(pl.col("len") == 1).height / release.records


@pytest.mark.parametrize("role", ["keep", "weight"])
def test_a_weight_that_tells_the_household_is_refused(frame, role):
    with pytest.raises(NotMetError) as caught:
        incrowd.anonymize(frame, policy(frame, {"weight": Column(role=role)}), seed=1)
    assert "of the people are alone for whoever also knows weight; the policy allows 5 %" in str(
        caught.value
    )
    for remedy in ("'weight' role = \"drop\"", 'alone = "accept"', "--accept-alone weight"):
        assert remedy in caught.value.remedy


def test_an_accepted_column_leaves_and_its_share_is_told_first(frame):
    asked = policy(frame, {"weight": Column(role="weight", alone="accept"), **kept("year")})
    release = incrowd.anonymize(frame, asked, seed=1)
    share = alone_in(release, ["weight"])
    assert share > 0.3
    assert release.alone.columns == {"weight": pytest.approx(share, abs=1e-4), "year": 0.0}
    assert release.alone.unaccepted == 0.0
    certificate = json.loads(release.certificate.to_json())
    assert certificate["alone"]["together"] == release.alone.together
    assert certificate["alone"]["limit"] == 0.05
    found = incrowd.check(release.frame, None, release.certificate)
    assert found.ok
    assert found.alone == release.alone
    assert "alone" in found.recounted


def test_columns_that_are_few_on_their_own_are_too_many_together(frame):
    names = ("rare", "scarce")
    with pytest.raises(NotMetError, match="whoever also knows rare and scarce") as caught:
        incrowd.anonymize(frame, policy(frame, kept(*names)), seed=1)
    assert incrowd.anonymize(frame, policy(frame, kept("rare")), seed=1).alone.ok
    blamed = caught.value.remedy.rsplit(" ", 1)[1].split(",")
    release = incrowd.anonymize(frame, policy(frame, kept(*names, accepted=blamed)), seed=1)
    assert release.alone.unaccepted <= 0.05 < release.alone.together


def test_what_values_alone_tell_is_refused_before_the_search(frame, monkeypatch):
    monkeypatch.setattr(pipeline, "search", lambda *_: pytest.fail("it searched"))
    with pytest.raises(NotMetError, match="whoever also knows sum"):
        incrowd.anonymize(frame, policy(frame, kept("sum", "year")))


def test_the_policy_says_how_many_may_be_alone(frame):
    asked = policy(frame, kept("band"))
    with pytest.raises(NotMetError):
        incrowd.anonymize(frame, asked, seed=1)
    more = Policy.loads(policy(frame, kept("band"), max_alone=0.4).dumps())
    release = incrowd.anonymize(frame, more, seed=1)
    assert release.certificate.alone.limit == 0.4
    assert incrowd.check(release.frame, more, release.certificate).ok
    found = incrowd.check(release.frame, asked, release.certificate)
    assert not found.ok
    assert "the policy allows 5 %" in found.notes[0]


def test_people_are_counted_not_records(frame):
    asked = policy(
        frame, {"person": Column(role="unit"), **kept("rare", accepted=["rare"])}, order="keep"
    )
    release = incrowd.anonymize(frame, asked, seed=1)
    rows = release.frame.with_columns(frame["person"])
    held = rows.group_by("age", "region", "rare").agg(pl.col("person").unique())
    single = held.filter(pl.col("person").list.len() == 1)
    expected = single["person"].explode().n_unique() / frame["person"].n_unique()
    assert release.alone.together == pytest.approx(expected, abs=1e-4)
    found = incrowd.check(release.frame, None, release.certificate)
    assert found.ok
    assert "alone" in found.claimed
    assert found.alone == release.alone


def test_sensitive_columns_and_pseudonyms_are_not_joined(frame):
    columns = {"sum": Column(role="sensitive")}
    columns |= {"person": Column(role="identifier", action="pseudonym")}
    release = incrowd.anonymize(frame, policy(frame, columns), key=b"0123456789abcdef", seed=1)
    assert release.alone is None
    assert "alone" not in json.loads(release.certificate.to_json())


def test_only_columns_that_leave_unprotected_are_accepted():
    with pytest.raises(PolicyError, match="need not be accepted"):
        Policy(columns={"a": Column(role="quasi", alone="accept")}, models=(KAnonymity(5),))


def older(certificate):
    """The certificate without what earlier versions did not say."""
    said = json.loads(certificate.to_json())
    del said["alone"]
    said["versions"]["incrowd"] = "0.1.0"
    return Certificate.from_json(json.dumps(said))


def test_certificates_from_before_still_check(frame):
    release = incrowd.anonymize(frame, policy(frame, kept("sum"), max_alone=1.0), seed=1)
    before = older(release.certificate)
    asked = policy(frame, kept("sum"))
    found = incrowd.check(release.frame, asked, before)
    assert found.ok, found.notes
    assert found.alone.together > 0.9
    without = incrowd.check(release.frame, asked)
    assert not without.ok


def test_a_certificate_of_this_version_must_say_it(frame):
    release = incrowd.anonymize(frame, policy(frame, kept("rare")), seed=1)
    said = json.loads(release.certificate.to_json())
    del said["alone"]
    found = incrowd.check(release.frame, None, Certificate.from_json(json.dumps(said)))
    assert not found.ok
    assert "does not say who is alone" in " ".join(found.notes)


@pytest.mark.parametrize("place", ["together", "unaccepted", "limit"])
def test_other_shares_are_found_out(frame, place):
    release = incrowd.anonymize(frame, policy(frame, kept("rare")), seed=1)
    said = json.loads(release.certificate.to_json())
    said["alone"][place] = 0.0 if place != "limit" else 0.5
    found = incrowd.check(release.frame, None, Certificate.from_json(json.dumps(said)))
    assert not found.ok
    assert "alone" in found.notes[0]


def test_every_engine_counts_the_same(frame, tmp_path):
    import duckdb

    asked = policy(frame, kept("band", "rare", "weight", accepted=["band", "weight"]))
    asked = asked.model_copy(update={"search": incrowd.search.Lattice()})
    frame.write_parquet(tmp_path / "t.parquet")
    mine = incrowd.anonymize(frame, asked, seed=1)
    theirs = incrowd.anonymize(duckdb.read_parquet(str(tmp_path / "t.parquet")), asked, seed=1)
    assert theirs.alone == mine.alone
    assert theirs.certificate.alone == mine.certificate.alone


@pytest.mark.slow
def test_the_command_says_it_first(frame, tmp_path, monkeypatch, capfd):
    from incrowd.cli.main import main

    monkeypatch.chdir(tmp_path)
    frame.write_csv("t.csv")
    flags = ["t.csv", "-q", "age,region", "--weight", "weight", "-k", "5", "--method", "mondrian"]

    def run(*command):
        with pytest.raises(SystemExit) as stop:
            main([*command])
        said = capfd.readouterr()
        return stop.value.code, said.out, said.err

    code, _, err = run("anonymize", *flags, "-o", "r.csv")
    assert (code, "--accept-alone weight" in err) == (1, True)
    assert not (tmp_path / "r.csv").exists()
    code, out, _ = run("anonymize", *flags, "--accept-alone", "weight", "-o", "r.csv")
    assert code == 0
    assert "of the people are alone for whoever also knows weight" in out.splitlines()[0]
    code, out, _ = run("check", "r.csv", "--certificate", PAPER)
    assert code == 0
    assert "of the people are alone for whoever also knows weight" in out.splitlines()[0]
    code, out, _ = run("check", "r.csv", "--certificate", PAPER, "--json")
    assert list(json.loads(out))[:2] == ["schema", "alone"]
    assert run("report", "r.csv", "-o", "page.html", "--certificate", PAPER)[0] == 0
    assert "are alone for whoever also knows weight" in (tmp_path / "page.html").read_text()
