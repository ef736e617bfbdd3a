"""The risk of each person given sampling weights, and the attackers who do not know the sample."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.risk
from incrowd.exposure import measure
from incrowd.exposure.people import mean_risks
from incrowd.table.fold import fold
from worked_risk import EXAMPLE, RISKS, WEIGHTS


@given(st.integers(1, 60), st.floats(0.01, 1.0))
def test_the_risk_is_the_mean_of_one_over_the_people(f, p):
    exact = naive.risk.mean_of_inverse(f, p)
    assert mean_risks(np.array([f]), np.array([p]))[0] == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("p", [1e-12, 1e-6, 0.01, 0.3, 0.4999999, 0.5, 0.9, 1 - 1e-12, 1.0])
def test_closed_forms_of_small_classes(p):
    q = 1 - p
    found = mean_risks(np.array([1, 2, 3]), np.array([p, p, p]))
    if q < 1e-9:
        assert found == pytest.approx([1, 1 / 2, 1 / 3])
        return
    two = p / q**2 * (q + p * np.log(p))
    three = p / (2 * q**3) * (q * (3 * q - 2) - 2 * p**2 * np.log(p))
    assert found == pytest.approx([-p / q * np.log(p), two, three], rel=1e-6)


@given(st.integers(1, 10**7), st.floats(1e-9, 1.0))
def test_a_risk_lies_between_that_of_the_fewest_and_the_mean_number(f, p):
    found = float(mean_risks(np.array([f]), np.array([p]))[0])
    assert p / f * (1 - 1e-9) <= found <= 1 / f * (1 + 1e-9)


def test_the_published_example():
    """Ten records of the practice guide on disclosure control, Table 4.1, and their mean risk."""
    risk = measure(fold(EXAMPLE, (), None, WEIGHTS), ())
    assert risk.individual.negative_binomial == pytest.approx(0.01582, abs=5e-6)
    sizes, weights = zip(*RISKS, strict=True)
    listed = mean_risks(np.array(sizes), np.array(sizes) / np.array(weights)).round(4).tolist()
    assert listed == list(RISKS.values())


@given(
    st.lists(st.tuples(st.integers(1, 9), st.floats(1.0, 50.0)), min_size=1, max_size=12),
    st.sampled_from([0.05, 0.2, 0.5]),
)
@settings(deadline=None, max_examples=30)
def test_figures_with_weights_lie_between_those_of_the_table_and_nothing(classes, threshold):
    sizes = [size for size, _ in classes]
    codes = np.repeat(np.arange(1, len(classes) + 1), sizes)
    weights = np.repeat([weight for _, weight in classes], sizes)
    risk = measure(fold([codes.astype(np.int32)], (), None, weights), (), threshold)
    assert risk.journalist.source == risk.model.source == "weights"
    assert risk.model.population == pytest.approx(weights.sum())
    assert 0 < risk.marketer.average <= risk.prosecutor.average + 1e-9
    assert risk.journalist.above_threshold <= risk.prosecutor.above_threshold + 1e-9
    assert risk.individual.average == risk.marketer.average
    assert risk.individual.max <= risk.journalist.max + 1e-6
    assert risk.population == pytest.approx(min(s * w for s, w in classes))


def test_weights_of_one_are_the_table():
    codes = np.array([1, 1, 2, 3], dtype=np.int32)
    risk = measure(fold([codes], (), None, np.ones(4)), ())
    assert risk.model.name == "counted"
    assert risk.marketer.average == risk.prosecutor.average
    assert risk.journalist.max == risk.prosecutor.max


@pytest.mark.slow
def test_heavier_weights_are_lower_risks():
    """The same table twice, each record standing for ten times as many people."""
    rng = np.random.default_rng(2)
    codes = rng.zipf(1.6, 2_000).clip(max=10_000).astype(np.int32)
    light = measure(fold([codes], (), None, np.full(2_000, 5.0)), ())
    heavy = measure(fold([codes], (), None, np.full(2_000, 50.0)), ())
    assert heavy.marketer.average < light.marketer.average
    assert heavy.journalist.above_threshold < light.journalist.above_threshold


@pytest.mark.slow
def test_equal_weights_are_a_population():
    rng = np.random.default_rng(2)
    codes = rng.zipf(1.6, 2_000).clip(max=10_000).astype(np.int32)
    weighed = measure(fold([codes], (), None, np.full(2_000, 5.0)), ())
    known = measure(fold([codes], ()), (), population=10_000)
    assert weighed.journalist.average == pytest.approx(known.journalist.average)
    assert weighed.individual.average == pytest.approx(known.individual.average)


def test_weights_are_scaled_to_a_population_that_is_known_too():
    codes = np.arange(1, 101, dtype=np.int32) // 2 + 1
    weights = np.full(100, 3.0)
    both = measure(fold([codes], (), None, weights), (), population=1_000)
    known = measure(fold([codes], ()), (), population=1_000)
    assert both.model.population == 1_000
    assert both.marketer.average == pytest.approx(known.marketer.average)
    assert both.uniqueness.estimate <= both.marketer.average


def test_without_a_population_the_table_is_it():
    risk = measure(fold([np.array([1, 1, 2, 3], dtype=np.int32)], ()), ())
    assert risk.journalist.source == "table"
    assert risk.journalist.max == risk.prosecutor.max
    assert risk.journalist.average == risk.marketer.average == risk.prosecutor.average == 3 / 4
    assert risk.journalist.above_threshold == risk.prosecutor.above_threshold
    assert (risk.uniqueness, risk.individual) == (None, None)


def test_weights_below_1_are_the_highest_risk_and_counted():
    weights = np.array([0.0, 0.5, 10.0])
    tally = fold([np.array([1, 2, 3], dtype=np.int32)], (), None, weights)
    risk = measure(tally, ())
    assert risk.individual.light == 2
    assert risk.journalist.max == 1.0
    assert risk.individual.max == pytest.approx(1.0)


def test_people_of_several_records_are_weighed_once():
    """One person of three records that stands for four people."""
    codes, unit = np.array([1, 1, 1], dtype=np.int32), np.array([5, 5, 5], dtype=np.int32)
    risk = measure(fold([codes], (), unit, np.array([4.0, 4.0, 4.0])), ())
    alone = measure(fold([codes[:1]], (), None, np.array([4.0])), ())
    assert risk.model.population == pytest.approx(4)
    assert risk.journalist.max == pytest.approx(alone.journalist.max)
    by_weight = mean_risks(np.array([1]), np.array([0.25]))[0]
    assert risk.individual.negative_binomial == pytest.approx(by_weight)


def test_people_in_several_classes_are_in_several_of_the_population():
    codes = np.array([1, 2, 3, 4], dtype=np.int32)
    unit = np.array([1, 1, 2, 2], dtype=np.int32)
    found = measure(fold([codes], (), unit), (), population=2).uniqueness
    assert (found.population, found.estimate, found.estimator) == (2, 1.0, "counted")


def test_a_table_without_records_has_no_risk():
    nothing = fold([np.empty(0, dtype=np.int32)], (), None, np.empty(0))
    risk = measure(nothing, (), population=100)
    assert (risk.journalist.max, risk.marketer.average, risk.individual.max) == (0, 0, 0)
    assert risk.uniqueness.estimate == 0


@pytest.mark.parametrize("f", [19, 20, 21])
@pytest.mark.parametrize("p", [0.3, 0.5])
def test_where_two_ways_to_compute_it_meet(f, p):
    exact = naive.risk.mean_of_inverse(f, p)
    assert mean_risks(np.array([f]), np.array([p]))[0] == pytest.approx(exact, rel=1e-9)
