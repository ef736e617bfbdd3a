"""Model tests and coefficients equal what scikit-learn and the textbook formulas give."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeCV
from sklearn.preprocessing import StandardScaler

from incrowd import compare
from incrowd.utility.formula import parse_formula
from incrowd.utility.models import split_records
from incrowd.utility.regression import interval_overlap

N = 600


def table(seed=3, n=N):
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 60, n)
    sex = rng.choice(["f", "m"], n)
    pay = 100.0 + 3 * age + 20 * (sex == "m") + rng.normal(0, 25, n)
    chance = 1 / (1 + np.exp(-(age - 40) / 8))
    ill = np.where(rng.random(n) < chance, "yes", "no")
    return pl.DataFrame({"age": age, "sex": sex, "pay": pay.round(2), "ill": ill})


def coarse(frame):
    """Ages in tens, some sexes suppressed."""
    low = pl.col("age") // 10 * 10
    sex = pl.when(pl.int_range(pl.len()) % 5 == 0).then(pl.lit("*")).otherwise("sex")
    label = pl.format("[{}, {}]", low, low + 9).alias("age")
    return frame.with_columns(label, sex.alias("sex"))


def middle(frame, original):
    """Predictors by hand: the mean of the ages in a span, the share of m."""
    known = np.arange(original["age"].min(), original["age"].max() + 1)
    ages = [
        known[(known >= int(a)) & (known <= int(b))].mean()
        for a, b in frame["age"].str.strip_chars("[]").str.split(", ")
    ]
    share = {"m": 1.0, "f": 0.0, "*": 0.5}
    return np.array(ages), np.array([share[s] for s in frame["sex"]])


def test_linear_coefficients_are_those_of_least_squares():
    original = table()
    release = coarse(original)
    found = compare(original, release, formula="pay ~ age + sex", models=False)
    fit = found.releases[0].regression
    assert fit.task == "linear"
    assert fit.records == (N, N)
    # The most frequent sex is the reference.
    reference = original["sex"].value_counts(sort=True)["sex"][0]
    sign = 1.0 if reference == "f" else -1.0
    exact = np.stack([original["age"], original["sex"] == "m"], axis=1).astype(float)
    for x, of in ((exact, "original"), (np.stack(middle(release, original), axis=1), "release")):
        model = LinearRegression().fit(x, original["pay"])
        expected = [model.coef_[0], sign * model.coef_[1]]
        shown = [getattr(one, of) for one in fit.coefficients]
        assert shown == pytest.approx(expected, rel=1e-6)
        design = np.column_stack([np.ones(N), x])
        rest = original["pay"].to_numpy() - model.predict(x)
        errors = np.sqrt(np.diag(np.linalg.inv(design.T @ design)) * (rest @ rest) / (N - 3))
        told = [
            one.standard_error if of == "original" else one.release_error
            for one in fit.coefficients
        ]
        assert told == pytest.approx(errors[1:], rel=1e-6)


def test_logistic_coefficients_are_those_of_maximum_likelihood():
    original = table()
    release = coarse(original)
    found = compare(original, release, formula="ill ~ age", models=False)
    fit = found.releases[0].regression
    assert fit.task == "logistic"
    ages = {"original": original["age"].to_numpy(), "release": middle(release, original)[0]}
    for of, x in ages.items():
        model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000)
        scaled = (x[:, None] - 40) / 10
        model.fit(scaled, original["ill"] == "yes")
        (one,) = fit.coefficients
        assert getattr(one, of) == pytest.approx(model.coef_[0, 0] / 10, rel=1e-4)
        chance = model.predict_proba(scaled)[:, 1]
        design = np.column_stack([np.ones(N), x])
        hessian = design.T @ (design * (chance * (1 - chance))[:, None])
        error = np.sqrt(np.linalg.inv(hessian)[1, 1])
        told = one.standard_error if of == "original" else one.release_error
        assert told == pytest.approx(error, rel=1e-3)


def test_overlap_of_intervals():
    assert interval_overlap((1.0, 0.5), (1.0, 0.5)) == pytest.approx(1.0)
    assert interval_overlap((0.0, 1.0), (0.0, 2.0)) == pytest.approx((1 + 0.5) / 2)
    assert interval_overlap((0.0, 0.1), (9.0, 0.1)) < 0


@pytest.mark.parametrize(("target", "score"), [("ill", "accuracy"), ("pay", "r2")])
def test_models_score_what_scikit_learn_scores(target, score):
    original = table()
    release = coarse(original)
    (test,) = compare(original, release, target=target, seed=5).releases[0].models
    learned, tested = split_records(N, 5)
    others = [name for name in ("age", "sex", "pay", "ill") if name != target]
    exact = by_hand(original, original, others)
    y = original[target].to_numpy()
    if target == "pay":
        y = (y - y.min()) / (y.max() - y.min())
    penalties = (1.0, 10.0, 100.0, 1_000.0, 10_000.0)
    model = LogisticRegression(max_iter=100, tol=1e-3) if target == "ill" else RidgeCV(penalties)
    scale = StandardScaler().fit(exact[learned])  # of the original, for the release, too
    exact = scale.transform(exact)
    model.fit(exact[learned], y[learned])
    assert test.score == score
    assert test.original == pytest.approx(model.score(exact[tested], y[tested]), abs=1e-9)
    assert (test.trained_on, test.tested_on) == (N, len(tested))
    if target == "pay":
        shown = scale.transform(by_hand(release, original, others))
        model.fit(shown, y)
        assert test.release == pytest.approx(model.score(exact[tested], y[tested]), abs=1e-9)
        mean = y[learned].mean()
        rest = ((y[tested] - mean) ** 2).sum() / ((y[tested] - y[tested].mean()) ** 2).sum()
        assert test.baseline == pytest.approx(1 - rest)
    else:
        usual = pd.Series(y[learned]).mode()[0]
        assert test.baseline == pytest.approx(float((y[tested] == usual).mean()))


def by_hand(frame, original, names):
    """The predictors of a table, as a data scientist would write them."""
    parts = []
    for name in names:
        if name == "age":
            low, high = original["age"].min(), original["age"].max()
            ages = (
                middle(frame, original)[0]
                if frame["age"].dtype == pl.String
                else frame["age"].to_numpy()
            )
            parts += [(ages - low) / (high - low), np.zeros(len(ages))]
        elif name == "pay":
            pay = frame["pay"].to_numpy()
            parts += [(pay - pay.min()) / (pay.max() - pay.min()), np.zeros(len(pay))]
        else:
            first, second = sorted(set(original[name]))
            share = frame[name].replace_strict({first: 0.0, second: 1.0, "*": 0.5}).to_numpy()
            parts += [np.zeros(len(share)), 1 - share, share]
    return np.stack(parts, axis=1)


def test_the_tested_records_are_not_learned_from():
    learned, tested = split_records(1_000, 1)
    assert not set(learned) & set(tested)
    assert len(tested) == 300
    assert split_records(1_000, 1)[1].tolist() == tested.tolist()


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("a~b", ("a", "b")),
        (" income ~ age+ `years of school` ", ("income", "age", "years of school")),
        ("`a~b`~`c+d`", ("a~b", "c+d")),
    ],
)
def test_formulas_are_read_and_written(text, columns):
    found = parse_formula(text)
    assert found.columns == columns
    assert parse_formula(str(found)) == found


def test_noise_is_not_learned_from_labels_of_many_categories():
    """A target that follows from nothing is predicted as by its mean, from either table."""
    draw = np.random.default_rng(0)
    code = draw.integers(1_000, 2_000, 3_000)
    original = pl.DataFrame({"code": code.astype(str), "pay": draw.lognormal(10, 0.5, 3_000)})
    groups = pl.col("code").str.slice(0, 2) + "**"
    found = compare(original, original.with_columns(groups), target="pay", seed=5)
    (test,) = found.releases[0].models
    assert abs(test.original) < 0.05
    assert abs(test.release) < 0.05
