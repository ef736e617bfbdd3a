"""Unique people of the population: formulas by their definitions, estimates by drawn samples."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import naive.risk
from incrowd.errors import PolicyError
from incrowd.exposure import population_size
from incrowd.exposure.estimates import estimates
from incrowd.exposure.people import ClassKinds
from incrowd.exposure.special_uniques import correct_match_chance
from incrowd.exposure.uniqueness import (
    _harmonic,
    _SampleClasses,
    fit_pitman,
    fit_snb,
    pitman_share,
    snb_share,
    uniqueness,
    zayatz_share,
)

SIZES = st.lists(st.integers(1, 6), min_size=2, max_size=40)


def counted(sizes):
    return np.unique(np.asarray(sizes, dtype=np.int64), return_counts=True)


def told(sizes, classes, population):
    """The uniqueness of a table with so many classes of each size."""
    held, people = np.repeat(sizes, classes), int((sizes * classes).sum())
    share = np.full(len(held), people / population)
    found = estimates(ClassKinds.of(held, held, held, share), people / population, 0.2)
    return uniqueness(sizes, classes, people, population, found)


def drawn(of_person, fraction, rng):
    """The share of unique people of a population, and the sizes of the classes of a sample."""
    sample = rng.choice(of_person, int(len(of_person) * fraction), replace=False)
    held = np.bincount(sample)
    return float((np.bincount(of_person) == 1).sum() / len(of_person)), counted(held[held > 0])


def seated(people, theta, alpha, rng):
    """The class of each person of a population that follows Pitman's sampling formula."""
    table_of, sizes = [0], [1]
    for n in range(1, people):
        if rng.random() < (theta + len(sizes) * alpha) / (theta + n):
            sizes.append(1)
            table_of.append(len(sizes) - 1)
            continue
        table = table_of[int(rng.integers(n))]
        while rng.random() > 1 - alpha / sizes[table]:
            table = table_of[int(rng.integers(n))]
        sizes[table] += 1
        table_of.append(table)
    return np.array(table_of)


@given(SIZES, st.integers(0, 200))
def test_zayatz_is_bayes_rule(sizes, more):
    if 1 not in sizes:
        sizes = [1, *sizes]
    people = sum(sizes)
    assert zayatz_share(*counted(sizes), people + more) == pytest.approx(
        naive.risk.zayatz(sizes, people + more), rel=1e-9
    )


def test_zayatz_of_a_large_population_keeps_its_digits():
    sizes, classes = np.array([1, 2, 40]), np.array([30, 10, 2])
    large = zayatz_share(sizes, classes, 300_000_000)
    listed = [1] * 30 + [2] * 10 + [40] * 2
    assert large == pytest.approx(naive.risk.zayatz(listed, 300_000_000), rel=1e-9)


@given(st.lists(st.integers(1, 5), min_size=3, max_size=25))
def test_pitman_is_the_likeliest(sizes):
    found = fit_pitman(*counted(sizes))
    if found is None:
        return
    theta, alpha = found
    assert 0 <= alpha < 1
    assert theta > -alpha
    best = naive.risk.pitman_likelihood(theta, alpha, sizes)
    for other in (0.0, 0.05, 0.3, 0.6, 0.9, alpha * 0.98, min(alpha * 1.02, 0.99)):
        for shift in (0.02, 0.5, 0.98, 1.02, 2.0, 30.0):
            near = (theta + alpha) * shift - min(alpha, other)
            if near > -other:
                likely = naive.risk.pitman_likelihood(near, other, sizes)
                assert likely <= best + 1e-6 * (1 + abs(best))


@given(st.lists(st.integers(1, 5), min_size=3, max_size=25), st.integers(0, 400))
def test_the_expected_uniques_of_pitman(sizes, more):
    found = fit_pitman(*counted(sizes))
    population = sum(sizes) + more
    share = pitman_share(*counted(sizes), population)
    if found is None:
        assert share is None
    else:
        assert share == pytest.approx(naive.risk.pitman_uniques(*found, population), rel=1e-8)


def test_pitman_far_out_agrees_with_the_product():
    """Nearly all are unique: theta is large, and differences of digammas would lose digits."""
    sizes = np.array([1, 2, 3]), np.array([4000, 40, 1])
    theta, alpha = fit_pitman(*sizes)
    share = pitman_share(*sizes, 100_000)
    assert share == pytest.approx(naive.risk.pitman_uniques(theta, alpha, 100_000), rel=1e-7)


@given(st.integers(20, 4000), st.integers(1, 60), st.integers(1, 30), st.floats(0.05, 0.9))
def test_the_slide_negative_binomial_explains_uniques_and_pairs(number, single, double, fraction):
    found = fit_snb(number, single, double, fraction)
    if found is None or found[1] < 0.02 or found[0] > 50:
        return
    uniques, pairs = naive.risk.slide_negative_binomial(number, *found, fraction)
    assert uniques == pytest.approx(single, rel=1e-6)
    assert pairs == pytest.approx(double, rel=1e-6)


@given(st.floats(0.1, 5.0), st.floats(0.05, 0.95), st.floats(0.05, 0.9))
def test_the_slide_negative_binomial_is_found_again(alpha, beta, fraction):
    """Expected counts of a very large table give its parameters back."""
    expected = naive.risk.slide_negative_binomial(1e9, alpha, beta, fraction)
    single, double = map(round, expected)
    found = fit_snb(1e9, single, double, fraction)
    assert found is not None
    assert found[1] ** found[0] == pytest.approx(beta**alpha, rel=0.01)


@pytest.mark.parametrize(("alpha", "theta"), [(0.4, 100.0), (0.7, 20.0)])
@pytest.mark.parametrize("fraction", [0.05, 0.1])
def test_a_population_by_pitman_is_recognized(alpha, theta, fraction):
    rng = np.random.default_rng(7)
    people = seated(20_000, theta, alpha, rng)
    true, sample = drawn(people, fraction, rng)
    assert pitman_share(*sample, len(people)) == pytest.approx(true, rel=0.2)
    found = told(*sample, len(people))
    assert found.interval[0] <= true <= found.interval[1]


@pytest.mark.parametrize("spread", [0.7, 1.0])
def test_ewens_is_the_limit_of_pitman(spread):
    """Where Pitman's likelihood is highest at alpha = 0, that is the answer, not Zayatz'."""
    rng = np.random.default_rng(4)
    weights = rng.lognormal(0, spread, 5_000)
    people = rng.choice(len(weights), 200_000, p=weights / weights.sum())
    true, sample = drawn(people, 0.01, rng)
    theta, alpha = fit_pitman(*sample)
    assert (alpha, theta > 0) == (0.0, True)
    assert true < 0.002
    assert zayatz_share(*sample, len(people)) > 0.1
    assert pitman_share(*sample, len(people)) == pytest.approx(theta / (theta + len(people) - 1))
    assert pitman_share(*sample, len(people)) < 0.03
    found = told(*sample, len(people))
    assert found.interval[0] <= true <= found.interval[1]
    assert found.estimate < 0.1


@pytest.mark.parametrize("fraction", [0.1, 0.2, 0.4, 0.6])
def test_a_population_by_the_slide_negative_binomial_is_recognized(fraction):
    """Its classes being known; their number is itself estimated well only in large samples."""
    rng = np.random.default_rng(3)
    sizes = 1 + rng.negative_binomial(0.8, 0.3, 15_000)
    people = np.repeat(np.arange(len(sizes)), sizes)
    true, (seen, classes) = drawn(people, fraction, rng)
    single, double = (int(classes[seen == size].sum()) for size in (1, 2))
    alpha, beta = fit_snb(15_000, single, double, fraction)
    assert 15_000 * beta**alpha / len(people) == pytest.approx(true, rel=0.15)
    if fraction >= 0.4:
        assert snb_share(seen, classes, len(people)) == pytest.approx(true, rel=0.15)


@pytest.mark.parametrize("spread", [1.0, 2.0, 3.0])
def test_half_of_any_population_tells_enough(spread):
    """Cells of lognormal weight."""
    rng = np.random.default_rng(11)
    weights = rng.lognormal(0, spread, 60_000)
    people = rng.choice(len(weights), 30_000, p=weights / weights.sum())
    true, sample = drawn(people, 0.5, rng)
    found = told(*sample, len(people))
    assert found.estimate == pytest.approx(true, rel=0.15)
    assert found.interval[0] <= true <= found.interval[1]


def test_the_chance_of_a_correct_match():
    rng = np.random.default_rng(5)
    weights = rng.lognormal(0, 2, 20_000)
    people = rng.choice(len(weights), 40_000, p=weights / weights.sum())
    chosen = np.zeros(len(people), dtype=bool)
    chosen[rng.choice(len(people), 8_000, replace=False)] = True
    held = np.bincount(people[chosen], minlength=len(weights))
    everyone = np.bincount(people, minlength=len(weights))
    true = (held == 1).sum() / everyone[held == 1].sum()
    alone, together = int((held == 1).sum()), 2 * int((held == 2).sum())
    assert correct_match_chance(alone, together, 0.2) == pytest.approx(true, rel=0.05)


def test_the_estimate_is_the_models_and_the_literature_stands_beside_it():
    for population in (200, 2_000):
        found = told(*counted([1] * 50 + [2] * 10 + [9]), population)
        assert found.estimator == "mixture"
        assert found.interval[0] <= found.estimate <= found.interval[1]
        assert found.expected == pytest.approx(found.estimate * population)
        assert found.estimate not in (found.pitman, found.zayatz, found.snb)


def test_an_estimator_without_a_solution_says_nothing_and_the_model_does():
    found = told(*counted([1] * 30), 3_000)
    assert (found.pitman, found.snb, found.estimator) == (None, None, "mixture")
    assert found.interval[1] == 1.0
    assert found.interval[0] < 0.5


def test_what_need_not_be_estimated_is_counted():
    everyone = told(*counted([1, 1, 1, 2]), 5)
    assert (everyone.estimate, everyone.estimator) == (3 / 5, "counted")
    assert everyone.interval == everyone.possible == (3 / 5, 3 / 5)
    assert everyone.expected_interval == (3.0, 3.0)
    nobody = told(*counted([2, 2, 5]), 100)
    assert (nobody.estimate, nobody.estimator, nobody.correct_match) == (0.0, "counted", None)
    assert nobody.interval == (0.0, 0.0)


def test_a_table_without_unique_people_leaves_room_for_some_in_the_population():
    found = told(*counted([2] * 50), 100_000)
    assert found.expected == 0
    assert found.expected_interval[1] == pytest.approx(100_000 * -np.log(0.05) / 100)


@pytest.mark.slow
@settings(deadline=None, max_examples=20)
@given(SIZES, st.integers(0, 100_000))
@example([1, 1, 1], 2)
def test_no_estimate_is_beyond_reason(sizes, more):
    found = told(*counted(sizes), sum(sizes) + more)
    for share in (found.pitman, found.zayatz, found.snb, found.estimate, found.correct_match):
        assert share is None or 0 <= share <= 1
    low, high = found.interval
    assert 0 <= low <= found.estimate <= high <= sizes.count(1) / sum(sizes) + 1e-12


@pytest.mark.parametrize("fraction", [0.0, -0.1, 1.1, float("nan"), float("inf")])
def test_a_fraction_is_above_0_and_at_most_1(fraction):
    with pytest.raises(PolicyError, match="above 0"):
        population_size(10, fraction=fraction)


def test_a_population_holds_its_sample():
    assert population_size(10, 10) == 10
    assert population_size(10) is None
    assert population_size(10, fraction=1.0) == 10
    assert population_size(3, fraction=0.7) == 4
    with pytest.raises(PolicyError, match="but the table already has"):
        population_size(10, 9)
    with pytest.raises(PolicyError, match="but the table already has"):
        population_size(0, 0)
    with pytest.raises(PolicyError, match="both"):
        population_size(10, 20, 0.5)


@pytest.mark.parametrize("x", [0.5, 3.25, 999_999.0, 1e6, 1e6 + 1, 1.2e6])
@pytest.mark.parametrize("terms", [0, 1, 7, 900_000])
def test_harmonic_sums_are_those_of_their_terms(x, terms):
    exact = math.fsum(1 / (x + i) for i in range(terms))
    assert _harmonic(x, terms) == pytest.approx(exact, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize(("theta", "alpha"), [(0.5, 0.3), (7.0, 0.02), (40.0, 0.9)])
def test_slopes_are_those_of_the_likelihood(theta, alpha):
    sample = _SampleClasses(np.array([1, 2, 5]), np.array([30, 12, 4]), 46, 74)
    step = 1e-5
    by_theta = sample.log_likelihood(theta + step, alpha) - sample.log_likelihood(
        theta - step, alpha
    )
    by_alpha = sample.log_likelihood(theta, alpha + step) - sample.log_likelihood(
        theta, alpha - step
    )
    assert sample.slope_in_theta(theta, alpha) == pytest.approx(by_theta / (2 * step), rel=1e-5)
    assert sample.slope_in_alpha(theta, alpha) == pytest.approx(by_alpha / (2 * step), rel=1e-5)


def test_one_class_or_one_person_per_class_tells_no_likeliest():
    assert fit_pitman(np.array([5]), np.array([1])) is None
    assert fit_pitman(np.array([1]), np.array([5])) is None
