"""Figures of a population by one model: their parts by definition, and how they hang together."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.risk
from incrowd.exposure import measure
from incrowd.exposure.estimates import estimates, most_people
from incrowd.exposure.mixture import LARGE, STEP, SizeCounts, draw_curves
from incrowd.exposure.people import ClassKinds, PeopleBehind, _mean_inverse_power
from incrowd.exposure.possible import BINS, Populations, possible_ranges
from incrowd.table.fold import fold

SIZES = st.lists(st.integers(1, 9), min_size=1, max_size=40)
FIGURES = ("unique", "unique_people", "average", "by_class", "above", "highest")
MORE = ("likeliest", "likely_above", "match")


def kinds_of(sizes, drawn):
    held = np.asarray(sizes, dtype=np.int64)
    return ClassKinds.of(held, held, held, np.full(len(held), drawn))


def estimated(sizes, population, threshold=0.2):
    drawn = sum(sizes) / population
    return estimates(kinds_of(sizes, drawn), drawn, threshold)


@pytest.mark.parametrize("f", [1, 2, 7, 100])
@pytest.mark.parametrize("r", [0.0, 1e-5, 0.3, 2.0, 40.0, 900.0])
def test_means_of_inverses(f, r):
    terms = range(int(r + 12 * math.sqrt(r) + 40))
    for power in (1, 2):
        slow = sum(naive.risk.poisson(k, r) / (f + k) ** power for k in terms)
        fast = _mean_inverse_power(np.array([float(f)]), np.array([r]), power)[0]
        assert fast == pytest.approx(slow, rel=1e-5)


@settings(deadline=None, max_examples=10)
@given(SIZES, st.floats(0.02, 0.9))
def test_the_likelihood_is_that_of_each_class(sizes, drawn):
    sizes = [*sizes, 2]
    found, counts = np.unique(sizes, return_counts=True)
    counts = counts - 0.5 * (found == 2)
    sample = SizeCounts.of(found.astype(float), counts, drawn)
    rng = np.random.default_rng(len(sizes))
    curve, other = rng.normal(size=(2, len(sample.grid.center)))
    cells = len(sample.grid.center)
    means = sample.grid.mu.reshape(-1)
    nodes = np.tile(sample.grid.share, cells)

    def slow(log_density):
        density = np.repeat(np.exp(log_density), len(sample.grid.share)) * nodes
        return naive.risk.mixture_likelihood(sizes, means.tolist(), density.tolist(), most=250)

    fast = sample.log_likelihood(curve) - sample.log_likelihood(other)
    assert fast == pytest.approx(slow(curve) - slow(other), rel=1e-4, abs=1e-4)


def test_the_slope_is_that_of_the_likelihood():
    found, counts = np.unique([1] * 30 + [2] * 8 + [5, 5, 200], return_counts=True)
    sample = SizeCounts.of(found.astype(float), counts.astype(float), 0.1)
    curve = np.random.default_rng(1).normal(size=len(sample.grid.center))
    slope, information = sample.slope_and_information(curve)
    for cell in range(len(curve)):
        step = np.zeros(len(curve))
        step[cell] = 1e-5
        ahead, back = sample.log_likelihood(curve + step), sample.log_likelihood(curve - step)
        assert slope[cell] == pytest.approx((ahead - back) / 2e-5, abs=1e-4)
    assert np.linalg.eigvalsh(information).min() > -1e-9


@settings(deadline=None, max_examples=6)
@given(SIZES, st.floats(0.2, 0.9), st.integers(1, 12))
def test_people_behind_a_class_follow_bayes_rule(sizes, drawn, most):
    kinds = kinds_of(sizes, drawn)
    found = PeopleBehind.of(kinds, drawn)
    at = int(np.argmax(found.curves.probability))
    grid = found.curves.grid
    means = grid.mu.reshape(-1).tolist()
    density = (found.curves.density[at][:, np.newaxis] * grid.share).reshape(-1).tolist()
    chance = found.chance_of_at_most(most)[at]
    for kind, f in enumerate(kinds.sizes.astype(int).tolist()):
        slow = naive.risk.behind(f, drawn, means, density)
        risk = sum(c / people for people, c in slow.items())
        square = sum(c / people**2 for people, c in slow.items())
        assert found.risk[at, kind] == pytest.approx(risk, rel=1e-5)
        assert found.spread[at, kind] == pytest.approx(square - risk**2, abs=1e-5)
        below = sum(c for people, c in slow.items() if people <= most)
        assert chance[kind] == pytest.approx(below, abs=1e-6)


def test_curves_are_shares_and_their_probabilities_sum_to_one():
    found = draw_curves(np.array([1.0, 2.0, 300.0]), np.array([50.0, 9.0, 2.0]), 0.03)
    assert found.density.sum(axis=1) == pytest.approx(1)
    assert found.probability.sum() == pytest.approx(1)
    assert np.diff(found.grid.center) == pytest.approx(STEP)


@pytest.mark.slow
@settings(deadline=None, max_examples=12)
@given(SIZES, st.floats(1.0, 3000.0), st.sampled_from([0.0, 0.05, 0.2, 1 / 3, 0.5, 1.0]))
def test_figures_hang_together(sizes, times, threshold):
    population = math.ceil(sum(sizes) * times)
    found = estimated(sizes, population, threshold)
    for name in (*FIGURES, *MORE):
        figure = getattr(found, name)
        if figure is not None:
            assert 0 <= figure.low <= figure.value <= figure.high <= 1 + 1e-9, name
            if figure.possible is not None:
                assert figure.possible[0] <= figure.low <= figure.high <= figure.possible[1], name
    assert found.unique.value <= found.average.value + 1e-12
    assert found.unique.value <= sizes.count(1) / sum(sizes) + 1e-12
    assert found.average.value <= len(sizes) / sum(sizes) + 1e-9
    assert found.likeliest.value <= found.highest.value + 1e-6
    assert found.average.value <= found.highest.value + 1e-6


@settings(deadline=None)
@given(SIZES, st.sampled_from([0.0, 0.05, 0.2, 1 / 3, 0.5, 1.0]))
def test_a_table_that_is_the_population_is_counted(sizes, threshold):
    found = estimated(sizes, sum(sizes), threshold)
    true = naive.risk.population_figures(sizes, sizes, threshold)
    for name, value in true.items():
        figure = getattr(found, name)
        assert (figure.value, *figure.interval) == pytest.approx((value,) * 3), name


@pytest.mark.slow
@settings(deadline=None, max_examples=8)
@given(SIZES)
def test_nearly_the_population_is_nearly_counted(sizes):
    """One person of a thousand is not in the table."""
    sizes = sizes * 400
    population = sum(sizes) + max(sum(sizes) // 1000, 1)
    found = estimated(sizes, population)
    true = naive.risk.population_figures(sizes, sizes, 0.2)
    for name in ("unique", "average", "above"):
        assert getattr(found, name).value == pytest.approx(true[name], abs=0.02), name


@pytest.mark.slow
@settings(deadline=None, max_examples=8)
@given(SIZES)
def test_a_far_larger_population_is_a_lower_risk(sizes):
    near, far = (estimated(sizes, sum(sizes) * times) for times in (3, 3_000_000))
    assert far.average.value < near.average.value
    assert far.unique.value <= near.unique.value
    assert far.average.low < 0.01
    assert far.by_class.low < 0.001


@pytest.mark.parametrize(
    ("threshold", "people"), [(1.0, 0), (0.5, 1), (0.2, 4), (0.19, 5), (1 / 3, 2), (0.1, 9)]
)
def test_most_people_of_a_class_above_the_threshold(threshold, people):
    assert most_people(threshold) == people


@pytest.mark.parametrize("people", [1, 2, 5, 40, 59, 60, 75, 200])
@pytest.mark.parametrize("drawn", [0.03, 0.4])
def test_what_a_class_shows(people, drawn):
    found = Populations.for_table(50.0, drawn)
    at = np.flatnonzero(found.sizes == people)
    ends = [*BINS[1:], 10**9]
    for kind, (first, after) in enumerate(zip(BINS, ends, strict=True)):
        if len(at):
            slow = naive.risk.shown(people, first, after, drawn)
            assert found.shown[kind, at[0]] == pytest.approx(slow, abs=1e-9)


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.tuples(st.integers(1, 60), st.integers(1, 400)), min_size=1, max_size=6),
    st.sampled_from([0.02, 0.1, 0.3, 0.7]),
    st.integers(0, 10**6),
)
def test_what_is_possible_holds_the_truth_whatever_the_population(classes, drawn, seed):
    """Populations of any class sizes: all equal, two kinds, one large class and uniques."""
    rng = np.random.default_rng(seed)
    everyone = np.concatenate([np.full(number, size) for size, number in classes])
    held = np.bincount(
        np.sort(rng.permutation(np.repeat(np.arange(len(everyone)), everyone)))[
            rng.random(int(everyone.sum())) < drawn
        ],
        minlength=len(everyone),
    )
    if held.sum() < 5:
        return
    sizes, counts = np.unique(held[held > 0], return_counts=True)
    ends = possible_ranges(sizes.astype(float), counts.astype(float), drawn, 4)
    if ends is None:
        return
    true = naive.risk.population_figures(held.tolist(), everyone.tolist(), 0.2)
    for name, (low, high) in ends.items():
        assert low - 1e-9 <= true[name] <= high + 1e-9, name


def test_large_classes_do_not_hide_small_ones():
    """Four large classes and some people who are alone: the latter are found at risk."""
    found = estimated([5_000, 4_000, 3_000, 1_000, *[1] * 200], 132_000)
    assert found.highest.value > 0.9
    assert found.unique.high > 0.002


def test_large_classes_alone_are_safe():
    found = estimated([5_000, 4_000, 3_000, 1_000], 130_000)
    assert found.highest.value < 0.001
    assert found.average.value == pytest.approx(4 / 130_000, rel=0.05)
    assert (found.unique.value, found.above.value, found.match) == (0, 0, None)


def test_classes_of_one_more_than_large_are_no_step():
    """Where the closed form takes over, the answer goes on."""
    last = estimated([LARGE] * 300, LARGE * 3_000).average.value
    after = estimated([LARGE + 1] * 300, (LARGE + 1) * 3_000).average.value
    assert after == pytest.approx(last, rel=0.06)


@pytest.mark.slow
def test_a_report_does_not_contradict_itself():
    """All figures of a table are from one model, and each is inside its interval."""
    rng = np.random.default_rng(9)
    codes = rng.zipf(1.5, 5_000).clip(max=50_000).astype(np.int32)
    risk = measure(fold([codes], ()), (), population=500_000)
    assert risk.uniqueness.estimate <= risk.marketer.average == risk.individual.average
    assert risk.marketer.average <= risk.journalist.average
    assert risk.journalist.max >= risk.individual.max
    assert risk.uniqueness.estimate <= risk.journalist.above_threshold


def test_crowds_that_overlap_sum_the_weights_of_what_k_counts():
    """A missing value matches anything: the lightest crowd, not the lightest class."""
    codes = [np.array([1, 1, 2, 0], dtype=np.int32), np.array([1, 1, 1, 1], dtype=np.int32)]
    weights = np.array([10.0, 20.0, 5.0, 1.0])
    risk = measure(fold(codes, (), None, weights), ())
    found = {reading.value: figures for reading, figures in risk.missing.items()}
    assert (found["own-value"].k, found["own-value"].population) == (1, 1.0)
    assert (found["matches-anything"].k, found["matches-anything"].population) == (2, 6.0)
    assert (found["suppress"].k, found["suppress"].population) == (1, 5.0)


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=14), st.data()
)
def test_weights_of_crowds_are_those_of_compatible_records(rows, data):
    some = st.floats(0.5, 90.0)
    weights = data.draw(st.lists(some, min_size=len(rows), max_size=len(rows)))
    columns = [np.array(column, dtype=np.int32) for column in zip(*rows, strict=True)]
    risk = measure(fold(columns, (), None, np.array(weights)), ())

    def together(one, other):
        return all(a == b or not a or not b for a, b in zip(one, other, strict=True))

    slow = [
        sum(w for w, other in zip(weights, rows, strict=True) if together(r, other)) for r in rows
    ]
    found = {reading.value: figures for reading, figures in risk.missing.items()}
    assert found["matches-anything"].population == pytest.approx(min(slow))
