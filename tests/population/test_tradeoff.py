"""Privacy against utility (Section 5.2)."""

import math

import numpy as np
import pytest

from incrowd.errors import InputError, PolicyError
from incrowd.population.quantiles import (
    curve,
    expected_error,
    normalized_error,
    privacy,
    utility,
    utility_at,
)


def test_all_points_lie_on_the_curve():
    n = 250_000
    p, u = curve(n, np.array([2.0, 100.0, 10_000.0]))

    assert (1 - p) ** 2 * (1 - u) == pytest.approx([1 / n**2] * 3)
    assert utility_at(float(p[1]), n) == pytest.approx(u[1])
    assert (np.diff(p) > 0).all()
    assert (np.diff(u) < 0).all()


def test_the_ends_of_the_curve():
    assert (privacy(1), utility(1, 1)) == (0.0, 0.0)
    assert utility(100, 100) == 0.0
    assert utility_at(0.0, 10) == pytest.approx(0.99)


def test_even_values_in_equal_buckets_have_an_error_of_one_over_b_squared():
    values = np.arange(12_000, dtype=np.float64)
    for buckets in (2, 10, 100):
        groups = values.reshape(buckets, -1)
        shown = np.broadcast_to(np.median(groups, axis=1, keepdims=True), groups.shape)
        found = normalized_error(values, shown.ravel())

        assert found == pytest.approx(expected_error(buckets), rel=1e-3)


def test_errors_at_the_ends():
    values = np.array([1.0, 2.0, 6.0])
    assert normalized_error(values, values) == 0.0
    assert normalized_error(values, np.full(3, 3.0)) == 1.0
    one = np.full(3, 5.0)
    assert normalized_error(one, one) == 0.0
    assert normalized_error(one, one + 1) == math.inf


def test_requests_that_make_no_sense():
    for wrong in (0.5, math.nan, math.inf):
        with pytest.raises(PolicyError):
            privacy(wrong)
    with pytest.raises(PolicyError, match="more than the 5 rows"):
        utility(6, 5)
    for wrong in (-0.1, 1.0, math.nan):
        with pytest.raises(PolicyError):
            utility_at(wrong, 10)
    with pytest.raises(PolicyError):
        expected_error(0)
    with pytest.raises(InputError, match="cannot be compared"):
        normalized_error(np.array([1.0]), np.array([1.0, 2.0]))
    with pytest.raises(InputError, match="finite"):
        normalized_error(np.array([1.0, math.inf]), np.array([1.0, 2.0]))
