"""Populations that are generated, samples of them, and whether what is said of them is true."""

from dataclasses import replace

import numpy as np
import pytest

import naive.risk
from incrowd.exposure import measure
from incrowd.exposure.explained import explain_columns, findings
from incrowd.table.fold import fold

PEOPLE = 60_000


def zipf(rng):
    return rng.zipf(1.4, PEOPLE).clip(max=200_000)


def lognormal(rng):
    weights = rng.lognormal(0, 2, 40_000)
    return rng.choice(len(weights), PEOPLE, p=weights / weights.sum())


def geometric(rng):
    return rng.geometric(0.001, PEOPLE)


def columns(rng):
    """Five columns of skewed values."""
    found = np.zeros(PEOPLE, dtype=np.int64)
    for values, skew in ((80, 1.5), (2, 1), (16, 2), (7, 3), (40, 6)):
        found = found * values + (values * rng.random(PEOPLE) ** skew).astype(np.int64)
    return found


def groups(rng):
    """Children who share few values, and grown people who hardly share any."""
    young = rng.integers(0, 150, PEOPLE // 3)
    return np.concatenate([young, 1_000 + rng.zipf(1.2, PEOPLE - len(young)).clip(max=10**6)])


POPULATIONS = (zipf, lognormal, geometric, columns, groups)


def told_and_true(population, fraction, seed):
    rng = np.random.default_rng(seed)
    of_person = np.unique(population(rng), return_inverse=True)[1]
    everyone = np.bincount(of_person)
    sample = rng.choice(of_person, int(len(of_person) * fraction), replace=False)
    risk = measure(fold([(sample + 1).astype(np.int32)], ()), (), population=len(of_person))
    held = np.bincount(sample, minlength=len(everyone))
    return risk, naive.risk.population_figures(held.tolist(), everyone.tolist(), 0.2)


def told(risk):
    """Each figure: estimate, interval, and what is possible at all."""
    unique, marketer, journalist = risk.uniqueness, risk.marketer, risk.journalist
    return {
        "unique": (unique.estimate, unique.interval, unique.possible),
        "average": (marketer.average, marketer.average_interval, marketer.average_possible),
        "above": (
            journalist.above_threshold,
            journalist.above_threshold_interval,
            journalist.above_threshold_possible,
        ),
        "highest": (journalist.max, journalist.max_interval, (0.0, 1.0)),
    }


@pytest.mark.slow
@pytest.mark.parametrize("population", POPULATIONS)
def test_the_truth_is_where_the_report_says(population):
    """In nine of ten figures inside the interval, and never above what is called possible."""
    inside = []
    for fraction in (0.01, 0.05, 0.2):
        risk, true = told_and_true(population, fraction, seed=1)
        for name, (estimate, (low, high), ends) in told(risk).items():
            inside.append(low - 1e-9 <= true[name] <= high + 1e-9)
            assert ends is not None
            assert ends[0] - 1e-9 <= true[name] <= ends[1] + 1e-9, (name, fraction)
            safe = estimate >= true[name] / 2 - 1e-3 or high >= true[name]
            assert safe, (name, fraction, true[name])
    assert np.mean(inside) >= 0.8


@pytest.mark.parametrize("population", [lognormal, columns])
def test_a_share_of_the_table_is_not_a_share_of_the_population(population):
    """One person in a hundred: people who are unique are found at risk, not at most 0.01."""
    risk, true = told_and_true(population, 0.01, seed=2)
    assert true["highest"] == 1.0
    assert risk.journalist.max > 0.9
    assert true["above"] > 0.15
    assert risk.journalist.above_threshold > true["above"] / 2
    assert risk.marketer.average > true["average"] / 2
    assert risk.individual.average == risk.marketer.average
    assert risk.individual.negative_binomial < true["average"] / 2


@pytest.mark.parametrize("by_class", [True, False])
def test_weights_tell_how_thinly_people_were_drawn(by_class):
    """True if a class has one weight; on the safe side if weights differ within classes."""
    rng = np.random.default_rng(6)
    of_person = np.unique(columns(rng), return_inverse=True)[1]
    everyone = np.bincount(of_person)
    drawn = rng.choice([0.02, 0.2], len(everyone if by_class else of_person))
    share = drawn[of_person] if by_class else drawn
    chosen = rng.random(len(of_person)) < share
    sample, weights = of_person[chosen], 1 / share[chosen]
    risk = measure(fold([(sample + 1).astype(np.int32)], (), None, weights), ())
    true = float((1 / everyone[sample]).mean())
    low, high = risk.marketer.average_interval
    assert high >= true
    assert risk.marketer.average > true / 1.2
    if by_class:
        assert low <= true


@pytest.mark.slow
def test_nobody_is_made_rarer_by_leaving_out_a_column():
    """Before and after come from one estimator, and no change raises what it cannot raise."""
    rng = np.random.default_rng(5)
    codes = [
        (1 + values * rng.random(1_500) ** skew).astype(np.int32)
        for values, skew in ((60, 1.3), (2, 1), (12, 2), (30, 5))
    ]
    tally = fold(codes, ())
    risk = measure(tally, (), population=75_000)
    found = explain_columns(["a", "b", "c", "d"], tally, risk, {})
    for change in found.changes:
        assert change.uniqueness <= risk.uniqueness.estimate
        assert change.uniqueness_interval[1] <= risk.uniqueness.interval[1]
        assert change.individual <= risk.individual.average
        low, high = change.individual_interval
        assert low <= change.individual <= high
    by_figure = {one.figure: one for one in findings(replace(risk, explained=found))}
    assert by_figure["uniqueness"].drop.uniqueness < risk.uniqueness.estimate
