"""A frame or a path goes into every verb, and both give the same answer."""

from pathlib import Path

import polars as pl
import pytest

import incrowd
from patients import patients

QUASI = ["age", "zip", "sex"]


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("patients.csv").write_text(patients())
    return pl.read_csv("patients.csv", schema_overrides={"zip": pl.String})


def policy(**more):
    names = [*QUASI, "diagnosis"]
    return incrowd.quick(names, quasi=QUASI, sensitive="diagnosis", k=3, search="mondrian", **more)


VERBS = {
    "risk": lambda source: incrowd.risk(source, quasi=QUASI).k,
    "draft": lambda source: incrowd.draft(source).policy.quasi,
    "safe_harbor": lambda source: incrowd.safe_harbor(source, today=2026).met,
    "discover": lambda source: incrowd.discover(source).found,
    "groups": lambda source: incrowd.groups(source, 2).sets,
    "judge_sets": lambda source: incrowd.judge_sets(QUASI, source, population=1e6).sets,
    "plan": lambda source: incrowd.plan(source, "sex", population=1e6, k=5, beta=0.1).classes,
    "mask": lambda source: incrowd.mask(source, ratio=0.3).published,
    "quantiles": lambda source: incrowd.quantiles(source, columns="age", k=5).smallest,
    "attack": lambda source: incrowd.attack(source, knows=["sex"], sensitive=["diagnosis"]).ok,
    "check": lambda source: incrowd.check(source, policy()).models,
    "report": lambda source: incrowd.report(source, policy=policy(), original=source).facts.risk,
    "compare": lambda source: (
        incrowd.compare(source, source, quasi=QUASI, models=False).releases[0].losses
    ),
    "frontier": lambda source: (
        incrowd.frontier(
            source, policy().model_copy(update={"search": incrowd.search.Accuracy()}), bounds=[1.0]
        ).points
    ),
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("kind", [str, Path])
def test_a_path_gives_what_its_frame_gives(table, verb, kind):
    assert VERBS[verb](kind("patients.csv")) == VERBS[verb](table)


def test_with_a_target_rows_go_to_a_file(table):
    for made in (
        incrowd.anonymize("patients.csv", policy(), "release.csv", seed=1),
        incrowd.mask("patients.csv", "published.csv", ratio=0.3, seed=1),
        incrowd.quantiles("patients.csv", "buckets.csv", columns="age", k=5, seed=1),
    ):
        assert made is not None
    frame = incrowd.anonymize(table, policy(), seed=1).frame
    assert pl.read_csv("release.csv", infer_schema=False).equals(frame.cast(pl.String))
    assert Path("release.csv.certificate.json").exists()
    assert incrowd.check("release.csv", policy(), "release.csv.certificate.json").ok
    assert pl.read_csv("published.csv").height == pl.read_csv("buckets.csv").height == 40
