import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.one_dimensional as naive
from incrowd.errors import InfeasibleError, InputError, PolicyError
from incrowd.population.one_dimensional import (
    ValueBuckets,
    divide,
    division_cost,
    quantiles,
    rank_difference,
    value_runs,
)

METHODS = ["quantile", "k-median", "k-centre", "cellular"]
methods = pytest.mark.parametrize("method", METHODS)
columns = st.lists(st.integers(0, 12), min_size=1, max_size=11)


@methods
@pytest.mark.parametrize("split", [True, False])
@settings(deadline=None, max_examples=60)
@given(columns, st.integers(1, 5))
def test_no_division_costs_less(method, split, values, k):
    least = naive.least_cost(values, k, method, split=split)
    column = np.array(values)
    if len(values) < k:
        with pytest.raises(InfeasibleError):
            divide(column, k, method, split=split)
        return
    found = divide(column, k, method, split=split)
    assert division_cost(column, found, method) == least
    assert found.sizes.min() >= k


@methods
@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(0, 60), min_size=20, max_size=60), st.integers(1, 6))
def test_it_is_as_good_as_the_program_of_the_paper(method, values, k):
    column = np.array(values)
    found = divide(column, k, method, split=True)
    assert division_cost(column, found, method) == naive.cluster_cost(values, k, method)
    assert found.sizes.max() < 2 * k


@methods
@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(0, 20), min_size=1, max_size=10), st.integers(1, 3), st.integers(0, 8))
def test_buckets_can_be_limited(method, values, k, widest):
    least = naive.least_cost(values, k, method, split=False, widest=widest)
    distinct, counts = np.unique(np.array(values, dtype=float), return_counts=True)
    until = np.searchsorted(distinct, distinct + widest, side="right")
    if least is None:
        with pytest.raises(InfeasibleError):
            value_runs(distinct, counts, k, method, until)
        return
    ends = value_runs(distinct, counts, k, method, until)
    of = np.searchsorted(ends, np.searchsorted(distinct, values), side="right")
    runs = [sorted(v for v, b in zip(values, of, strict=True) if b == n) for n in range(len(ends))]
    each = [naive.bucket_cost(run, method) for run in runs]
    assert (max(each) if method == "k-centre" else sum(each)) == least
    assert min(map(len, runs)) >= k
    assert max(run[-1] - run[0] for run in runs) <= widest


@methods
@settings(deadline=None, max_examples=40)
@given(st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=40), st.integers(1, 3))
def test_equal_values_show_the_same_and_order_is_kept(method, values, k):
    column = np.array(values)
    found = divide(column, k, method)
    shown = found.medians_of(column)
    pairs = set(zip(column.tolist(), shown.tolist(), strict=True))
    assert len(pairs) == len(set(column.tolist()))
    order = np.argsort(column, kind="stable")
    assert (np.diff(found.of[order]) >= 0).all()
    assert set(shown.tolist()) <= set(column.tolist())


@methods
@settings(deadline=None, max_examples=30)
@given(columns, st.randoms(use_true_random=False), st.integers(1, 3))
def test_the_order_of_the_values_is_irrelevant(method, values, random, k):
    values = values * 3
    mixed = random.sample(values, len(values))
    one, two = (divide(np.array(v), k, method) for v in (values, mixed))
    assert dict(zip(values, one.of, strict=True)) == dict(zip(mixed, two.of, strict=True))


@methods
@settings(deadline=None, max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 5)), min_size=1), st.integers(1, 9))
def test_counts_are_copies(method, pairs, k):
    counted = dict(pairs)
    copies = np.repeat(list(counted), list(counted.values()))
    if len(copies) < k:
        return
    distinct = np.array(sorted(counted), dtype=float)
    ends = value_runs(distinct, np.array([counted[int(v)] for v in distinct]), k, method)
    of = np.searchsorted(ends, np.searchsorted(distinct, copies), side="right")
    assert of.tolist() == divide(copies, k, method).of.tolist()


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=40), st.integers(1, 12))
def test_quantiles_by_rank_have_the_sizes_of_definition_9(values, k):
    n = len(values)
    if n < k:
        return
    q, r = divmod(n, k)
    sizes = quantiles(np.array(values), k, split=True).sizes
    assert len(sizes) == q
    assert set(sizes.tolist()) <= {k + r // q, k + -(-r // q)}


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(0, 50), min_size=2, max_size=30, unique=True), st.integers(1, 6))
def test_without_equal_values_both_quantiles_agree(values, k):
    column = np.array(values)
    if len(column) < k:
        return
    kept, parted = quantiles(column, k), quantiles(column, k, split=True)
    differences = [rank_difference(column, found.onto) for found in (kept, parted)]
    assert differences[0] == differences[1]


def test_a_frequent_value_has_a_bucket_of_its_own():
    values = np.array([0] * 90 + list(range(1, 11)))
    assert quantiles(values, 5).sizes.tolist() == [90, 5, 5]


def test_the_median_stands_for_its_bucket():
    found = quantiles(np.array([5, 1, 4, 2, 3]), 5)
    assert found.medians_of(np.array([5, 1, 4, 2, 3])).tolist() == [3] * 5
    even = quantiles(np.array([4, 1, 3, 2]), 4)
    assert even.medians_of(np.array([4, 1, 3, 2])).tolist() == [2] * 4


def test_k_centre_looks_at_the_others_too():
    # The far pair decides the largest radius; the other buckets are as small as they can be.
    values = np.array([0, 1, 10, 11, 100, 150])
    assert divide(values, 2, "k-centre").sizes.tolist() == [2, 2, 2]


@methods
def test_dates_and_spans_of_time(method):
    days = np.array([0, 1, 2, 400, 401, 402], dtype="datetime64[D]")
    found = divide(days, 3, method)
    assert found.of.tolist() == [0, 0, 0, 1, 1, 1]
    assert divide(days - days[0], 3, method).of.tolist() == found.of.tolist()
    assert found.medians_of(days).dtype == days.dtype


@methods
def test_the_largest_numbers_do_not_overflow(method):
    values = np.array([-1.7e308, -1.6e308, 1.6e308, 1.7e308])
    assert divide(values, 2, method).of.tolist() == [0, 0, 1, 1]
    whole = np.array([-(2**63), -(2**63) + 9, 2**63 - 9, 2**63 - 1])
    assert divide(whole, 2, method).of.tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("strange", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_are_refused(strange):
    with pytest.raises(InputError, match=r"1 of the 3 values are missing .*place 2"):
        quantiles(np.array([1.0, strange, 2.0]), 1)
    with pytest.raises(InputError):
        divide(np.array([1.0, strange, 2.0]), 1)


def test_what_is_no_column_of_numbers_is_refused():
    with pytest.raises(InputError, match="neither numbers nor dates"):
        quantiles(np.array(["1", "2"], dtype=object), 1)
    with pytest.raises(InputError, match="neither numbers nor dates"):
        quantiles(np.ones((2, 2)), 1)
    with pytest.raises(InputError, match="missing or not finite"):
        quantiles(np.array(["2020-01-01", "NaT"], dtype="datetime64[D]"), 1)
    with pytest.raises(InputError, match="ascend"):
        value_runs(np.array([2.0, 1.0]), np.array([1, 1]), 1)
    with pytest.raises(InputError, match="negative"):
        value_runs(np.array([1.0, 2.0]), np.array([1, -1]), 1)


def test_what_cannot_be_asked_is_refused():
    values = np.arange(5)
    with pytest.raises(InfeasibleError, match="ask for k = 5 at most"):
        quantiles(values, 6)
    with pytest.raises(InfeasibleError, match="no values"):
        quantiles(np.array([], dtype=np.int64), 1)
    with pytest.raises(PolicyError, match="1 or more"):
        quantiles(values, 0)
    with pytest.raises(PolicyError, match="no such method"):
        divide(values, 1, "k-means")


def test_nothing_shows_a_value():
    assert repr(quantiles(np.array([31337, 31338]), 1)) == "Buckets(2 of 2 values)"
    assert len(ValueBuckets(np.zeros(2, dtype=np.int32), np.zeros(1, dtype=np.int64))) == 1


@pytest.mark.thorough
@methods
def test_a_million_values(method):
    values = np.random.default_rng(1).lognormal(10, 1, 1_000_000)
    found = divide(values, 100, method)
    assert found.sizes.min() >= 100
    assert found.sizes.max() < 200
    naive = division_cost(values, quantiles(values, 100, split=True), method)
    assert division_cost(values, found, method) <= naive * (1 + 1e-9)
