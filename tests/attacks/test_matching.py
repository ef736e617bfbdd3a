"""Matching: what is left of a row's candidates if every row is a different person."""

import polars as pl
import pytest

import incrowd
from incrowd import KMap
from incrowd.linkage import concealment
from incrowd.policy.policy import Column, Policy

WORLD = pl.DataFrame({"id": ["a", "b", "c"], "age": [21, 22, 23]})
RELEASE = pl.DataFrame({"age": ["[21-22]", "[21-22]", "[21-23]"]})
POLICY = Policy(models=(KMap(2),), columns={"age": Column(role="quasi")})


def played(release=RELEASE, world=WORLD, **options):
    found = incrowd.attack(release, world=world, world_id="id", **options)
    attacks = [one for one in found.attacks if one.kind == "matching"]
    return found, attacks[0] if attacks else None


def test_the_third_row_must_be_the_last_person():
    """Bettini Definition 7 against Definition 4: two candidates each, yet one row is named."""
    found, attack = played()
    assert (found.k_world, found.k_matched) == (2, 1)
    assert attack.figures == {"k": 2, "k_matched": 1, "fewer": 1, "alone": pytest.approx(1 / 3)}
    assert attack.success == pytest.approx((1 / 2 + 1 / 2 + 1) / 3)
    assert "fits 2 people; if every row has a person of its own, 1 person is left" in attack.says
    assert found.as_dict()["k_matched"] == 1
    assert any(line.startswith("matching by age") for line in found.broken)


def test_equal_rows_are_as_many_people():
    """k-anonymity by equal rows is not weakened by matching."""
    people = pl.DataFrame({"id": range(40), "age": [20 + i // 4 for i in range(40)]})
    policy = incrowd.quick(["age"], quasi=["age"], k=4)
    release = incrowd.anonymize(people.select("age"), policy, seed=1)
    found, attack = played(release.frame, people)
    assert found.k_matched >= 4
    assert attack.persons.above == 0


def test_somebody_who_knows_who_is_in_the_table():
    """Of five people the ids name three: with the others gone, each row names its person."""
    world = pl.DataFrame({"id": list("abcde"), "age": [21, 22, 23, 22, 23]})
    table = WORLD.with_columns(pl.Series("id", list("abc")))
    release = pl.DataFrame({"age": ["21", "[21-22]", "[21-23]"]})
    found, attack = played(release, world, original=table)
    assert found.k_matched == 1
    assert attack.figures["k_known"] == 1
    _, attack = played(RELEASE, world, original=table)
    assert attack.figures["k_matched"] == 3
    assert attack.figures["k_known"] == 1


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"original": WORLD.with_columns(pl.Series("id", ["a", "b", "x"]))}, "are on the list"),
        ({"policy": Policy(models=(KMap(2),), columns={
            "age": Column(role="quasi"), "id": Column(role="unit")})}, "several rows"),
        ({"world": WORLD[:2]}, "individualized consistent"),
        ({"truth": pl.DataFrame({"id": ["c", "a", "b"]})}, "individualized consistent"),
    ],
)  # fmt: skip
def test_when_matching_says_nothing(options, why):
    found, attack = played(**options)
    assert attack is None
    assert found.k_matched is None
    assert any("matching were not counted" in note and why in note for note in found.notes)


def test_too_many_pairs_are_not_counted(monkeypatch):
    monkeypatch.setattr(concealment, "MOST_EDGES", 1)
    found, attack = played()
    assert (attack, found.k_matched) == (None, None)
    assert any("too many pairs" in note for note in found.notes)
    assert "too many pairs" in incrowd.check(RELEASE, POLICY, world=WORLD).world.uncounted


def test_a_check_says_both(capsys, tmp_path):
    checked = incrowd.check(RELEASE, POLICY, world=WORLD, world_id="id")
    assert checked.ok
    assert (checked.world.k, checked.world.k_matched, checked.world.uncounted) == (2, 1, "")
    WORLD.write_csv(tmp_path / "world.csv")
    RELEASE.write_csv(tmp_path / "release.csv")
    (tmp_path / "policy.toml").write_text(POLICY.dumps())
    command = ["check", str(tmp_path / "release.csv"), "--policy", str(tmp_path / "policy.toml")]
    command += ["--world", str(tmp_path / "world.csv"), "--world-id", "id"]
    incrowd.cli.main.perform(command)
    shown = " ".join(capsys.readouterr().out.split())
    assert "a row may be as few as 2 people by containment, and 1 after matching" in shown
    assert "Definition 7" in shown


def test_a_check_of_a_world_that_contradicts_the_release():
    checked = incrowd.check(RELEASE, POLICY, world=WORLD[:2], world_id="id")
    assert checked.world.k == 2
    assert checked.world.k_matched is None
    assert "individualized consistent" in checked.world.uncounted
