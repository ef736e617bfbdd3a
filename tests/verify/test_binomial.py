"""The binomial tail against sums of exact fractions."""

import math
from fractions import Fraction

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from incrowd.verify.binomial import chance_of_fewer, largest_k, log_chance_of_at_least, lower_share


def tail(k, n, share):
    return sum(math.comb(n, j) * share**j * (1 - share) ** (n - j) for j in range(min(k, n + 1)))


SHARES = st.fractions(0, 1, max_denominator=40)


@settings(max_examples=150)
@given(st.integers(-1, 70), st.integers(1, 60), SHARES)
def test_it_is_the_exact_sum(k, n, share):
    exact = float(tail(max(k, 0), n, share))
    assert chance_of_fewer(k, n, float(share)) == pytest.approx(exact, rel=1e-12, abs=1e-300)


@pytest.mark.parametrize(
    ("k", "n", "share"),
    [
        (3, 400, Fraction(1, 50)),
        (12, 900, Fraction(1, 100)),
        (200, 400, Fraction(1, 2)),
        (390, 400, Fraction(49, 50)),
        (1, 1000, Fraction(1, 1000)),
        (1000, 1000, Fraction(999, 1000)),
        (60, 1500, Fraction(1, 30)),
        (41, 1500, Fraction(1, 30)),
    ],
)
def test_larger_numbers(k, n, share):
    assert chance_of_fewer(k, n, float(share)) == pytest.approx(float(tail(k, n, share)), rel=1e-11)


def test_many_terms_are_summed_in_blocks():
    """A million throws: the sum runs over several blocks, and the middle is a half."""
    n = 4_000_000_000
    assert chance_of_fewer(n // 2, n, 0.5) + chance_of_fewer(n // 2 + 1, n, 0.5) == pytest.approx(
        1, rel=1e-9
    )
    assert chance_of_fewer(10**6, 10**12, 1e-6) == pytest.approx(0.5, abs=1e-3)


@settings(max_examples=60)
@given(st.integers(1, 40), SHARES, st.sampled_from([0.01, 0.1, 0.5, 0.9]))
@example(17, Fraction(1, 2), 0.5)
def test_the_largest_k_is_missed_with_at_most_beta(n, share, beta):
    found = largest_k(n, float(share), beta)
    good = [k for k in range(n + 1) if float(tail(k, n, share)) <= beta]
    assert found == max(good)


@settings(max_examples=60)
@given(st.integers(-1, 40), st.integers(1, 40), SHARES)
def test_the_logarithm_of_the_upper_tail(k, n, share):
    exact = 1 - tail(max(k, 0), n, share)
    assume(exact > 0)
    assert log_chance_of_at_least(k, n, float(share)) == pytest.approx(
        math.log(exact), rel=1e-9, abs=1e-12
    )


@pytest.mark.parametrize("declared", [True, False])
@pytest.mark.parametrize(
    ("size", "people", "columns", "level"),
    [(9, 12, 1, 0.05), (12, 12, 1, 0.05), (5, 40, 2, 0.5), (20, 30, 3, 0.001), (60, 80, 2, 0.1)],
)
def test_the_lowest_share_is_where_the_bound_passes_the_level(
    size, people, columns, level, declared
):
    """Just below it classes would hold so many too rarely, just above it often enough."""

    def rare(share):
        fixed = 0 if declared else min(2 * columns, people)
        ways = 32**columns / share if declared else math.comb(people + fixed, fixed)
        return ways * (1 - tail(size - fixed, people - fixed, share)) <= level

    found = Fraction(lower_share(size, people, columns, level, declared=declared))
    if found == 0:
        assert not declared
        assert size <= 2 * columns
    else:
        assert rare(found * Fraction(999_999, 1_000_000))
        assert not rare(found * Fraction(1_000_001, 1_000_000))


@pytest.mark.parametrize(("size", "nothing"), [(2, True), (3, False), (4, False)])
def test_two_people_per_column_only_say_what_a_class_shows(size, nothing):
    assert (lower_share(size, 50, 1, 0.5, declared=False) == 0) == nothing
