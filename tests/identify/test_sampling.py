"""Sample sizes and samples."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.errors import PolicyError
from incrowd.identify.sampling import (
    count_rows_once,
    differences,
    distinct_tuples,
    partial_pairs,
    pruning_ratio,
    pruning_size,
    sample_pairs,
    sample_rows,
    separation_pairs,
    separation_tuples,
)
from quasi_tables import column_tables, records_of

shares = st.floats(1e-6, 0.5)
widths = st.integers(1, 200)


@given(widths, shares, shares)
def test_pairs_leave_a_bad_set_undetected_no_more_often_than_allowed(m, epsilon, delta):
    k = separation_pairs(m, epsilon, delta)

    assert k * math.log1p(-epsilon) <= math.log(delta) - m * math.log(2) + 1e-6
    assert (k - 1) * math.log1p(-epsilon) > math.log(delta) - m * math.log(2) - 1e-6


@given(widths, shares, shares)
def test_tuples_leave_a_bad_set_undetected_no_more_often_than_allowed(m, epsilon, delta):
    def log_chance(k):
        z = k * math.sqrt(epsilon)
        return math.log(2) + math.log1p(z) - z

    k = separation_tuples(m, epsilon, delta)

    assert log_chance(k) <= math.log(delta) - m * math.log(2) + 1e-6
    assert log_chance(k - 1) > math.log(delta) - m * math.log(2) - 1e-6


def all_alone(sizes, k):
    """The chance that k records drawn without repetition are from classes of their own."""
    ways = [1] + [0] * k
    for size in sizes:
        for i in range(k, 0, -1):
            ways[i] += ways[i - 1] * size
    return ways[k] / math.comb(sum(sizes), k)


@given(st.lists(st.integers(1, 9), min_size=2, max_size=12), st.data())
def test_the_bound_for_tuples_holds_for_any_classes(sizes, data):
    n = sum(sizes)
    k = data.draw(st.integers(1, n))
    together = sum(size * (size - 1) for size in sizes) / (n * (n - 1))
    z = k * math.sqrt(together)

    if z >= 2:
        assert all_alone(sizes, k) <= 2 * (1 + z) * math.exp(-z) * (1 + 1e-9)


@given(st.integers(1, 60), st.integers(1, 6), st.data())
def test_the_bound_for_distinct_ratios_holds_for_any_classes(classes, most, data):
    sizes = data.draw(st.lists(st.integers(1, most), min_size=classes, max_size=classes))
    n, k = sum(sizes), data.draw(st.integers(1, sum(sizes)))
    alpha = classes / n

    bound = math.exp(-(1 / alpha - 1) * k * (k - 1) / (2 * n))

    assert all_alone(sizes, k) <= bound * (1 + 1e-9)


def test_one_tuple_more_than_the_paper_says():
    k = distinct_tuples(10, 100_000, 0.1, 0.01)

    asked = 2 * 9 * 100_000 * math.log(2**10 / 0.01)
    assert (k - 1) ** 2 >= asked
    assert k * (k - 1) >= asked


def test_the_appendix_compares_its_bounds():
    # Motwani-Xu 9.1: for a given set, 10 ln(1/delta) against 1600 ln(1/delta) at alpha = 0.9.
    assert separation_pairs(0, 0.1, 0.01) == math.ceil(math.log(100) / -math.log(0.9))
    assert partial_pairs(0, 1.0, 0.1, 0.01) == math.ceil(1600 * math.log(100))


@given(widths, st.floats(0.01, 1), shares, st.integers(1, 10**7))
def test_pruning_needs_a_sample_of_some_size(m, beta, delta, size):
    if size < pruning_size(m, beta, delta):
        with pytest.raises(PolicyError, match=f"{pruning_size(m, beta, delta):,}"):
            pruning_ratio(m, beta, size, delta)
    else:
        assert 0 <= pruning_ratio(m, beta, size, delta) < beta


@pytest.mark.parametrize(("epsilon", "delta"), [(0, 0.1), (1, 0.1), (0.1, 0), (0.1, 1), (0.1, 2)])
def test_shares_outside_their_range_are_refused(epsilon, delta):
    for size in (separation_pairs, separation_tuples):
        with pytest.raises(PolicyError):
            size(3, epsilon, delta)
    with pytest.raises(PolicyError):
        distinct_tuples(3, 100, epsilon, delta)
    with pytest.raises(PolicyError):
        partial_pairs(3, 0.9, epsilon, delta)


@given(column_tables(), st.integers(0, 40), st.integers(0, 5))
def test_sampled_rows_are_records_of_the_table(table, size, seed):
    columns, counts = table
    records = records_of(columns, counts)

    sample = sample_rows(records, size, np.random.default_rng(seed))

    assert sample.total == sample.rows == min(size, sum(counts))
    held = {}
    for row, count in zip(zip(*columns, strict=True), counts, strict=True):
        held[row] = held.get(row, 0) + count
    for row in zip(*sample.codes.tolist(), strict=True):
        held[row] -= 1
    assert min(held.values()) >= 0


@given(column_tables(min_rows=2), st.integers(0, 30), st.integers(0, 5))
def test_sampled_pairs_are_two_different_records(table, size, seed):
    columns, counts = table
    records = records_of(columns, counts)
    rows = list(zip(*columns, strict=True))
    possible = {
        sum(1 << j for j, (a, b) in enumerate(zip(rows[x], rows[y], strict=True)) if a != b)
        for x in range(len(rows))
        for y in range(x + (counts[x] == 1), len(rows))
    }

    pairs = sample_pairs(records, size, np.random.default_rng(seed))

    assert pairs.total == size
    assert set(pairs.words[0].tolist()) <= possible


def test_every_pair_is_drawn_equally_often():
    records = records_of([[1, 2, 3]], [1, 1, 2])
    pairs = sample_pairs(records, 60_000, np.random.default_rng(1))

    assert pairs.equal / pairs.total == pytest.approx(1 / 6, abs=0.01)


def test_one_record_has_no_pairs():
    assert sample_pairs(records_of([[1], [2]]), 10, np.random.default_rng(1)).total == 0


@settings(max_examples=30)
@given(st.integers(1, 150), st.integers(0, 1000))
def test_differences_of_many_columns(width, seed):
    rng = np.random.default_rng(seed)
    codes = rng.integers(1, 3, (width, 5))
    rows = rng.integers(0, 5, (2, 12))
    chosen = rng.choice(width, min(width, 3), replace=False).tolist()
    sets = [{j for j in range(width) if codes[j, a] != codes[j, b]} for a, b in rows.T.tolist()]

    found = differences(records_of(codes.tolist()), rows)

    assert found.total == 12
    assert found.equal == sum(not one for one in sets)
    assert found.count_apart(chosen) == sum(bool(one & set(chosen)) for one in sets)
    assert found.gains(chosen).tolist() == [
        sum(j in one and not one & set(chosen) for one in sets) for j in range(width)
    ]
    assert len(set(zip(*found.words.tolist(), strict=True))) == len(found.counts)


def test_once_counts_every_row_once():
    assert count_rows_once(records_of([[1, 2]], [3, 4])).total == 2


def test_nothing_shows_values():
    records = records_of([[987_654, 2]], [1, 1])

    assert "987" not in repr(sample_pairs(records, 5, np.random.default_rng(1)))
