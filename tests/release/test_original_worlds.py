"""Releases made against a world, checked with their original: honest ones are not accused."""

import json

import duckdb
import numpy as np
import polars as pl
import pytest

import incrowd
from incrowd import Column, DeltaPresence, KMap, Policy
from incrowd.hierarchy import Intervals, Prefix
from incrowd.release.certificate import Certificate

MODELS = [KMap(3), DeltaPresence(0.5)]
SHOWN = [
    {},
    {"ends": "exact"},
    {"show": "sets"},
    {"search": "world"},
    {"missing": "suppress"},
]


def world(seed, rows=140):
    rng = np.random.default_rng(seed)
    age = [None if i % 40 == 7 else int(a) for i, a in enumerate(rng.integers(18, 80, rows))]
    return pl.DataFrame(
        {
            "id": [f"p{i}" for i in range(rows)],
            "age": age,
            "zip": [f"{z:03d}" for z in rng.integers(1, 40, rows)],
            "sex": rng.choice(["f", "m"], rows),
        }
    )


def table(people, seed, rows=45):
    rng = np.random.default_rng(seed + 100)
    drawn = people.sample(rows, seed=seed).drop("id")
    return drawn.with_columns(d=pl.Series(rng.choice(list("abc"), rows)))


def policy(model, **more):
    columns = {name: Column(role="quasi") for name in ("age", "zip", "sex")}
    columns |= more.pop("columns", {})
    columns["d"] = Column(role="sensitive")
    return Policy(models=(model,), columns=columns, suppression=0.2, **more)


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS, ids=lambda one: one.name)
@pytest.mark.parametrize("shown", SHOWN, ids=str)
def test_an_honest_release_is_not_accused(model, shown):
    people = world(3)
    asked = policy(model, **shown)
    original = table(people, 3)
    release = incrowd.anonymize(original, asked, world=people, world_id="id", seed=1)
    checked = incrowd.check(
        release.frame, asked, release.certificate, original=original, world=people, world_id="id"
    )
    assert checked.ok, checked.notes
    assert {"gcp", "granularity"} <= set(checked.losses)


TREES = {
    "age": Column(role="quasi", hierarchy=Intervals(width=10, levels=3)),
    "zip": Column(role="quasi", hierarchy=Prefix()),
}


@pytest.mark.parametrize("model", MODELS, ids=lambda one: one.name)
def test_hierarchies_and_renamed_files(model, tmp_path):
    people = world(5)
    original, asked = table(people, 5), policy(model, columns=TREES)
    people.rename({"zip": "zipcode"}).write_csv(tmp_path / "world.csv")
    original.write_csv(tmp_path / "table.csv")
    against = {
        "world": tmp_path / "world.csv",
        "world_id": "id",
        "rename": {"zip": "zipcode"},
    }
    target = tmp_path / "release.csv"
    incrowd.anonymize(tmp_path / "table.csv", asked, target, **against, seed=1)
    paper = tmp_path / "release.csv.certificate.json"
    checked = incrowd.check(target, asked, paper, original=tmp_path / "table.csv", **against)
    assert checked.ok, checked.notes
    assert "gcp" in checked.losses


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS, ids=lambda one: one.name)
def test_a_table_and_a_world_in_duckdb(model):
    people = world(6)
    original, asked = table(people, 6), policy(model)
    with duckdb.connect() as connection:
        there = connection.from_arrow(original.to_arrow())
        release = incrowd.anonymize(there, asked, world=people, world_id="id", seed=1)
        given = {"original": there, "world": people, "world_id": "id"}
        checked = incrowd.check(release.frame, asked, release.certificate, **given)
    assert checked.ok, checked.notes


def made(people, original):
    asked = policy(KMap(3))
    return asked, incrowd.anonymize(original, asked, world=people, world_id="id", seed=1)


def test_a_false_loss_is_still_found():
    people = world(4)
    original = table(people, 4)
    asked, release = made(people, original)
    said = json.loads(release.certificate.to_json())
    said["loss"]["gcp"] *= 0.9
    lie = Certificate.from_json(json.dumps(said))
    given = {"original": original, "world": people, "world_id": "id"}
    checked = incrowd.check(release.frame, asked, lie, **given)
    assert not checked.ok
    assert any("loss.gcp" in note for note in checked.notes)


def test_another_original_is_still_found():
    people = world(4)
    original = table(people, 4)
    asked, release = made(people, original)
    given = {"original": table(people, 9), "world": people, "world_id": "id"}
    assert not incrowd.check(release.frame, asked, release.certificate, **given).ok


def test_with_another_world_losses_are_not_recounted_and_a_note_says_so():
    people = world(4)
    original = table(people, 4)
    asked, release = made(people, original)
    more = pl.concat([people, world(8).with_columns(pl.col("id") + "x")])
    given = {"original": original, "world": more, "world_id": "id"}
    checked = incrowd.check(release.frame, asked, release.certificate, **given)
    assert checked.ok
    assert "gcp" not in checked.losses
    assert any("not the world of the certificate" in note for note in checked.notes)
