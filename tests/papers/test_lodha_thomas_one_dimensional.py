"""The worked examples of Lodha and Thomas, Section 4, and Theorem 5."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.one_dimensional as naive
from incrowd.population.one_dimensional import divide, division_cost, quantiles, rank_difference
from incrowd.population.tree_cut import best_cut

S = np.array([1, 12, 4, 7, 3])
F = {1: 3, 3: 3, 4: 3, 7: 7, 12: 7}
"""The transformation of Example 9."""
ONTO = np.array([S.tolist().index(F[s]) for s in S.tolist()])


def test_example_9():
    # f is a 2-anonymous transformation: nobody is mapped to a value with fewer than 2.
    sizes = [list(F.values()).count(value) for value in set(F.values())]
    assert min(sizes) == 2
    assert tuple(ONTO) in set(naive.transformations(5, 2))


def test_example_10():
    rank = {int(s): sorted(S.tolist()).index(s) + 1 for s in S}
    assert (rank[7], rank[3]) == (4, 2)


def test_example_11():
    assert rank_difference(S, ONTO) == 3
    assert naive.rank_difference(S.tolist(), ONTO.tolist()) == 3


def test_the_quantile_transformation_of_the_examples():
    # Definition 9: n = 5 = 2 * 2 + 1, so two groups of 2 and 3; f of Example 9 is as good.
    found = quantiles(S, 2, split=True)
    assert sorted(found.sizes.tolist()) == [2, 3]
    assert rank_difference(S, found.onto) == 3


@settings(deadline=None, max_examples=12)
@given(st.lists(st.integers(0, 5), min_size=1, max_size=6), st.integers(1, 4))
def test_theorem_5(values, k):
    if len(values) < k:
        return
    every = naive.transformations(len(values), k)
    least = min(naive.rank_difference(values, onto) for onto in every)
    column = np.array(values)
    found = quantiles(column, k, split=True)
    assert rank_difference(column, found.onto) == least
    assert naive.rank_difference(values, found.onto.tolist()) == least


@pytest.mark.parametrize("method", ["k-median", "k-centre", "cellular"])
def test_appendix_b(method):
    # No cluster of the best clustering has 2k points or more.
    rng = np.random.default_rng(4)
    for k in (2, 3, 5):
        points = rng.integers(0, 1000, 60)
        found = divide(points, k, method, split=True)
        assert k <= found.sizes.min() <= found.sizes.max() < 2 * k
        least = naive.cluster_cost(points.tolist(), k, method)
        assert division_cost(points, found, method) == least


def test_section_5_2_the_error_falls_with_the_square_of_the_buckets():
    # "The curve very closely follows 1/b^2", for values that are spread evenly.
    values = np.random.default_rng(7).random(20_000)
    mean = ((values - values.mean()) ** 2).sum()
    for buckets in (5, 10, 20, 50):
        found = quantiles(values, len(values) // buckets)
        error = ((found.medians_of(values) - values) ** 2).sum()
        assert error / mean == pytest.approx(1 / buckets**2, rel=0.1)


@pytest.mark.slow
def test_section_4_2_states_and_counties():
    # Figure 2: a location is shown by its state if 50 values are allowed, by its county if 3000.
    cities = np.arange(1, 12_001)
    maps = np.array(
        [[0, *cities], [0, *(cities + 3) // 4], [0, *(cities + 239) // 240], [1] * 12_001],
        dtype=np.int32,
    )
    records = np.ones(12_001, dtype=np.int64)
    costs = np.array([[0.0] * 12_001, [1 / 3000] * 12_001, [1 / 50] * 12_001, [1.0] * 12_001])
    for allowed, level in ((50, 2), (3000, 1)):
        assert set(best_cut(maps, records, costs, allowed).level[1:].tolist()) == {level}
