"""A release is called close only if nothing in it is off by more than the stated limits."""

from dataclasses import replace
from functools import partial

import polars as pl
import pytest

import incrowd
from incrowd.datasets import hospital
from incrowd.documents.compare import headline, notes_of
from incrowd.utility.comparison import Coefficient, ModelTest, QueryUtility, Regression
from incrowd.utility.verdict import FAR, LIMITS, NEAR, closeness_of

TABLE = hospital(400, seed=3).select("sex", "ward", "stay", "cost")


@pytest.fixture(scope="module")
def same():
    """A comparison of a table with itself."""
    return incrowd.compare(TABLE, TABLE, quasi=["sex"], models=False)


def _with(found, **figures):
    (release,) = found.releases
    return replace(found, releases=(replace(release, **figures),))


def _off(found, name, variation):
    """The same with one column that far off."""
    (release,) = found.releases
    columns = [
        replace(column, total_variation=variation) if column.name == name else column
        for column in release.columns
    ]
    return _with(found, columns=tuple(columns))


def _regression(*overlaps):
    terms = [
        Coefficient(
            term=f"x{n}",
            original=1.0,
            standard_error=0.1,
            release=2.0,
            release_error=0.1,
            overlap=o,
        )
        for n, o in enumerate(overlaps)
    ]
    return Regression(formula="y ~ x", task="linear", coefficients=tuple(terms), records=(9, 9))


MODEL = partial(
    ModelTest, target="ward", task="classification", model="logistic", score="accuracy",
    trained_on=300, tested_on=100,
)  # fmt: skip


def test_a_table_is_close_to_itself(same):
    assert closeness_of(same.releases[0]).closeness == "close"
    assert "is close to" in headline(same)


def test_one_column_that_is_far_off_is_named_first(same):
    found = _off(same, "cost", 0.75)
    assert closeness_of(found.releases[0]).closeness == "far"
    assert headline(found).startswith("release 1 is far from original: cost is off by 75 %")


def test_the_limits_are_exact(same):
    for variation, closeness in ((NEAR, "close"), (NEAR + 1e-6, "between"), (FAR + 1e-6, "far")):
        found = closeness_of(_off(same, "cost", variation).releases[0])
        assert found.closeness == closeness


@pytest.mark.parametrize(
    ("figures", "says"),
    [
        ({"regression": _regression(1.0, 0.0)}, "intervals of a coefficient overlap by 0.00"),
        ({"regression": _regression(None)}, "overlap by 0.00"),
        ({"regression": _regression(0.1, 0.2, 0.9)}, "2 of 3 coefficients are far off"),
        ({"two_way": 0.5}, "two-way counts are off by 50 %"),
        (
            {"queries": QueryUtility(queries=9, median_error=0.4, kl=0.0, cubes=1)},
            "queries are off",
        ),
        ({"models": (MODEL(original=0.9, release=0.6, baseline=0.5),)}, "keeps 25 % of what"),
    ],
)
def test_every_kind_of_figure_can_make_it_far(same, figures, says):
    found = _with(same, **figures)
    assert closeness_of(found.releases[0]).closeness == "far"
    assert says in headline(found)


def test_a_model_that_learns_nothing_anywhere_says_nothing(same):
    useless = MODEL(original=0.5, release=0.2, baseline=0.5)
    assert closeness_of(_with(same, models=(useless,)).releases[0]).closeness == "close"


def test_the_worst_comes_first(same):
    found = _with(_off(same, "cost", 0.25), regression=_regression(0.0))
    findings = closeness_of(found.releases[0]).findings
    assert [one.severity for one in findings] == sorted(
        (f.severity for f in findings), reverse=True
    )
    assert "coefficient" in findings[0].says


def test_the_limits_are_told(same):
    assert LIMITS in list(notes_of(same))


def _policy(**settings):
    columns = {"sex": {"role": "quasi"}, "stay": {"role": "quasi"}, "ward": {"role": "quasi"}}
    models = [{"name": "k-anonymity", "k": 5}]
    return incrowd.Policy.model_validate({"columns": columns, "models": models, **settings})


@pytest.mark.parametrize("missing", ["own-value", "matches-anything", "suppress"])
def test_losses_are_those_of_the_certificate(missing):
    gaps = TABLE.drop("cost").with_columns(
        stay=pl.when(pl.int_range(pl.len()) % 9 == 0).then(None).otherwise("stay")
    )
    policy = _policy(missing=missing)
    made = incrowd.anonymize(gaps, policy, seed=1)
    (shown,) = incrowd.compare(gaps, made.frame, policy=policy, models=False).releases
    assert not shown.losses_at_most
    for name, loss in shown.losses.items():
        assert loss == pytest.approx(made.loss[name]), name


def test_losses_of_labels_with_two_readings_are_said_to_be_at_most():
    gaps = TABLE.drop("cost").with_columns(
        stay=pl.when(pl.int_range(pl.len()) % 9 == 0).then(None).otherwise("stay")
    )
    policy = _policy(split_ends=True)
    made = incrowd.anonymize(gaps, policy, seed=1)
    (shown,) = incrowd.compare(gaps, made.frame, policy=policy, models=False).releases
    exact = shown.losses["gcp"] == pytest.approx(made.loss["gcp"])
    assert exact or shown.losses_at_most
    assert shown.losses["gcp"] >= made.loss["gcp"] - 1e-12


def test_losses_of_labels_that_only_a_hierarchy_explains_are_said_to_be_at_most():
    named = TABLE.select("ward", "stay").with_columns(ward=pl.lit("somewhere"))
    (shown,) = incrowd.compare(TABLE, named, quasi=["ward"], models=False).releases
    assert shown.losses_at_most
    assert shown.losses["gcp"] == pytest.approx(1.0)
