"""The budget of Section 3.1: both ends, whole numbers, and how near it comes to the best."""

import itertools
import math
import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.probabilistic as naive
from incrowd.errors import PolicyError
from incrowd.population.budget import budget, distortion, unrounded_budget

SIZES = st.lists(st.integers(1, 12), min_size=1, max_size=4)
WEIGHTS = st.sampled_from([0.01, 0.5, 1.0, 1.0, 2.0, 7.0])


@st.composite
def requests(draw):
    sizes = draw(SIZES)
    return sizes, draw(st.integers(1, 200)), [draw(WEIGHTS) for _ in sizes]


@settings(max_examples=100)
@given(requests())
def test_it_keeps_its_limits_and_leaves_nothing_that_a_column_could_use(request):
    sizes, allowed, weights = request
    kept = budget(sizes, allowed, weights)

    assert all(1 <= d <= size for d, size in zip(kept, sizes, strict=True))
    assert math.prod(kept) <= allowed
    for d, size in zip(kept, sizes, strict=True):
        assert d == size or math.prod(kept) // d * (d + 1) > allowed


@settings(max_examples=60)
@given(requests())
def test_it_is_near_the_best_whole_numbers(request):
    sizes, allowed, weights = request
    best = min(distortion(kept, weights) for kept in naive.budgets(sizes, allowed))
    found = distortion(budget(sizes, allowed, weights), weights)

    assert best - 1e-12 <= found <= best * 1.05


def test_it_is_the_best_for_three_columns():
    for allowed in range(1, 217):
        weights = [1.0, 1 + allowed % 3, 0.5]
        best = min(distortion(kept, weights) for kept in naive.budgets([6, 12, 9], allowed))

        assert distortion(budget([6, 12, 9], allowed, weights), weights) <= best + 1e-12


@settings(max_examples=100)
@given(requests())
def test_the_numbers_that_need_not_be_whole_are_the_naive_twins(request):
    sizes, allowed, weights = request
    expected = naive.shares(sizes, allowed, weights)

    assert unrounded_budget(sizes, allowed, weights) == pytest.approx(expected, rel=1e-6)


def test_equation_1_without_limits():
    found = unrounded_budget([1e9] * 3, 48_000, [1, 2, 3])
    d = (48_000 / 6) ** (1 / 3)
    assert found == pytest.approx([d, 2 * d, 3 * d])


def test_both_ends_are_kept_at_once():
    # The first has few values, the last hardly matters: 30 are left for the two between.
    assert budget([2, 100, 100, 100], 1_800, [1, 1, 1, 1e-6]) == (2, 30, 30, 1)


def test_what_fits_is_left_as_it_is():
    assert budget([2, 3, 4], 24) == (2, 3, 4)
    assert budget([2, 3, 4], 10**12, [5, 1, 1e-3]) == (2, 3, 4)


def test_one_class_leaves_nothing():
    assert budget([5, 6, 7], 1) == (1, 1, 1)


def test_equal_weights_share_what_rounding_leaves():
    assert budget([10**6] * 2, 1_000_000) == (1000, 1000)
    assert sorted(budget([10**6] * 2, 1001 * 1000)) == [1000, 1001]


def test_a_product_that_only_rounding_reaches_is_too_large():
    kept = budget([10**7] * 2, 10**12 - 1)
    # 10^12 - 1 is 999,999 times 1,000,001; its root is a million but for rounding.
    assert sorted(kept) == [999_999, 1_000_001]


def test_many_columns_are_quick_and_within_the_product():
    kept = budget([10**5] * 60, 10**10, [1 + i % 7 for i in range(60)])
    assert math.prod(kept) <= 10**10 < math.prod(kept) * 2


def test_hundreds_of_columns_are_quick():
    started = time.process_time()
    for fixed in range(0, 300, 30):
        kept = budget([1] * fixed + [5] * (300 - fixed), 3_000_000)
        assert math.prod(kept) <= 3_000_000 < math.prod(kept) * 2
    assert time.process_time() - started < 5


@pytest.mark.parametrize("weight", [0, -1, math.inf, math.nan])
def test_weights_must_be_above_0(weight):
    with pytest.raises(PolicyError, match="weight of a column must be above 0"):
        budget([2, 3], 5, [1, weight])


def test_other_requests_that_make_no_sense():
    with pytest.raises(PolicyError, match="1 weights for 2 columns"):
        budget([2, 3], 5, [1])
    with pytest.raises(PolicyError, match="number of values"):
        budget([2, 0], 5)
    with pytest.raises(PolicyError, match="number of classes"):
        budget([2, 3], 0)


@pytest.mark.parametrize("seed", range(0, 300, 50))
def test_of_few_values_the_best_whole_numbers_are_found(seed):
    for draw in range(seed, seed + 50):
        rng = random.Random(draw)
        sizes = [rng.randint(1, 9) for _ in range(3)]
        allowed = rng.randint(1, 200)
        weights = [rng.choice([1.0, 0.2, 3.0]) for _ in range(3)]
        every = itertools.product(*(range(1, size + 1) for size in sizes))
        able = [kept for kept in every if math.prod(kept) <= allowed]
        found = budget(sizes, allowed, weights)
        assert found in able
        lost = [sum(w / d for w, d in zip(weights, kept, strict=True)) for kept in (found, *able)]
        assert lost[0] == pytest.approx(min(lost))
