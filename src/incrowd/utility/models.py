"""The model test: learn from the release, and from the original, and predict unseen records.

The tested records are drawn from the original before anything is learned, and the model of the
original does not see them. The release was made of all records, tested ones too: its model has
seen them through their labels. Linear models are used because a record of a release says where it
lies on average, which trees take for a value.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from incrowd.arrays import Counts, Floats
from incrowd.utility.column import OriginalColumn
from incrowd.utility.comparison import ModelTest
from incrowd.utility.pairs import Feature

TRAINED_ON, TESTED_ON = 10_000, 5_000
"""Records that models learn from and are tested on at most."""
MOST_FEATURES = 50
"""Columns that a model learns from."""
HELD_OUT = 0.3
"""The share of the original's records that is kept for the test."""
_FEWEST = 20
_PENALTIES = (1.0, 10.0, 100.0, 1_000.0, 10_000.0)
"""Of ridge regression: the one is taken that predicts records best that were left out."""


def has_scikit_learn() -> bool:
    """Whether scikit-learn is installed, without which no model is tested."""
    return find_spec("sklearn") is not None


@dataclass(frozen=True, eq=False)
class Task:
    """What is predicted, and which records of the original are tested."""

    target: OriginalColumn
    columns: tuple[OriginalColumn, ...]
    """What it is predicted from."""
    seed: int

    @property
    def classifies(self) -> bool:
        """Whether a class is predicted, for a category or one of two values, and no number."""
        return not self.target.ordered or len(self.target.domain) == 2

    @property
    def score(self) -> str:
        """What the test measures: accuracy or r2."""
        return "accuracy" if self.classifies else "r2"


def make_task(target: str, columns: Mapping[str, OriginalColumn], seed: int) -> Task | None:
    """Say what to predict a target from; None if it has one value only, or nothing predicts it."""
    others = tuple(column for name, column in columns.items() if name != target)
    if len(columns[target].domain) < 2 or not others:
        return None
    return Task(columns[target], others[:MOST_FEATURES], seed)


def split_records(records: int, seed: int) -> tuple[Counts, Counts]:
    """Draw (records to learn from, records to test on) from the original, without overlap."""
    order = np.random.default_rng([seed, 3]).permutation(records)
    tested = order[: min(TESTED_ON, int(records * HELD_OUT))]
    return order[len(tested) :][:TRAINED_ON], tested


def run_model_test(
    task: Task, original: Mapping[str, Feature], release: Mapping[str, Feature]
) -> ModelTest | None:
    """Learn from both tables, predict held-out records; None for few records, or one value only."""
    learned, tested = split_records(len(task.target.coded.codes), task.seed)
    draw = np.random.default_rng([task.seed, 5])
    records = len(release[task.target.name].label)
    shown = draw.permutation(records)[:TRAINED_ON]
    sets = [
        _learning_data(task, original, learned, None),
        _learning_data(task, release, shown, draw),
        _learning_data(task, original, tested, None),
    ]
    if min(len(y) for _, y in sets) < _FEWEST or any(len(np.unique(y)) < 2 for _, y in sets[:2]):
        return None
    (x, y), (shown_x, shown_y), test = sets
    return ModelTest(
        target=task.target.name,
        task="classification" if task.classifies else "regression",
        model="logistic regression" if task.classifies else "ridge regression",
        score=task.score,
        original=_fit_and_score(task, x, (x, y), test),
        release=_fit_and_score(task, x, (shown_x, shown_y), test),
        baseline=_baseline_score(task, y, test[1]),
        trained_on=len(shown_y),
        tested_on=len(test[1]),
    )


def _learning_data(
    task: Task, features: Mapping[str, Feature], some: Counts, draw: np.random.Generator | None
) -> tuple[Floats, Floats]:
    """Return (predictors, targets) of records with a target, classes by `draw` or likeliest."""
    target = features[task.target.name]
    some = some[target.known[some]]
    parts = [_predictors(features[column.name], some) for column in task.columns]
    if not task.classifies:
        return np.concatenate(parts, axis=1), target.values[some]
    shares = target.spread.shares[target.spread.pattern[some]]
    if draw is None:
        classes = shares.argmax(axis=1)
    else:
        level = draw.random(len(some))[:, None]
        classes = (np.cumsum(shares, axis=1) < level).sum(axis=1)
    return np.concatenate(parts, axis=1), classes.astype(np.float64)


def _predictors(feature: Feature, some: Counts) -> Floats:
    """Per record a number with a flag for missing ones, or the share of each category."""
    if feature.ordered:
        values = feature.values[some]
        return np.stack([np.nan_to_num(values, nan=0.0), np.isnan(values)], axis=1)
    return np.asarray(feature.spread.shares[feature.spread.pattern[some]])


def _fit_and_score(
    task: Task, original: Floats, learned: tuple[Floats, Floats], test: tuple[Floats, Floats]
) -> float:
    """Learn from (predictors, targets), and score the prediction of `test`: accuracy or r2.

    Predictors of a regression are on the scale of `original`, for both tables. Labels that stand
    for many categories vary little: on a scale of their own, what is learned from noise would count
    most. A wrong class is one mistake, however far off it is, so classifiers use their own scale.
    """
    from sklearn.exceptions import ConvergenceWarning  # noqa: PLC0415  an extra
    from sklearn.linear_model import LogisticRegression, RidgeCV  # noqa: PLC0415  the same
    from sklearn.preprocessing import StandardScaler  # noqa: PLC0415  the same

    threads: Any = import_module("threadpoolctl")  # comes with scikit-learn
    scale = StandardScaler().fit(learned[0] if task.classifies else original)
    model = LogisticRegression(max_iter=100, tol=1e-3) if task.classifies else RidgeCV(_PENALTIES)
    with warnings.catch_warnings(), threads.threadpool_limits(1):  # more wait for each other
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(scale.transform(learned[0]), learned[1])
    return float(model.score(scale.transform(test[0]), test[1]))


def _baseline_score(task: Task, learned: Floats, tested: Floats) -> float:
    """The score of always saying the most frequent value that was learned, or the mean."""
    if task.classifies:
        values, counts = np.unique(learned, return_counts=True)
        return float((tested == values[counts.argmax()]).mean())
    whole = float(((tested - tested.mean()) ** 2).sum())
    return 1 - float(((tested - learned.mean()) ** 2).sum()) / whole if whole else 0.0
