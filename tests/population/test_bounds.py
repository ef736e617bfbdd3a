"""The bounds of Theorem 4 and their inverses: against fractions, and against each other."""

import math
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import naive.probabilistic as naive
from incrowd.errors import LimitError, PolicyError
from incrowd.population import (
    beta_needed,
    classes_allowed,
    k_of_shares,
    k_supported,
    population_needed,
)
from incrowd.population.bounds import LARGEST, missing_probability, population_of_share

BOUNDS = st.sampled_from(["exact", "chernoff"])
BETAS = st.sampled_from([Fraction(1, 100), Fraction(1, 10), Fraction(1, 3), Fraction(9, 10)])
SMALL = st.integers(2, 40)
LARGE = st.one_of(st.integers(100, 10**10), st.sampled_from([3 * 10**8, 10**10]))
few = settings(max_examples=60)


@few
@given(SMALL, st.data(), BETAS, BOUNDS, st.booleans())
def test_the_number_of_classes_is_the_naive_twins(n, data, beta, bound, simultaneous):
    k = data.draw(st.integers(1, n))
    missed = naive.fewer if bound == "exact" else naive.chernoff
    # A probability within rounding of beta may fall on either side.
    for d in range(1, n + 1):
        limit = beta / d if simultaneous else beta
        assume(not math.isclose(missed(k, n, Fraction(1, d)), limit, rel_tol=1e-8))
    expected = naive.classes_allowed(n, k, beta, missed, simultaneous=simultaneous)

    found = classes_allowed(n, k, float(beta), bound=bound, simultaneous=simultaneous)
    assert found == expected


@few
@given(SMALL, st.fractions(Fraction(1, 50), 1), st.integers(1, 40))
def test_the_tail_is_the_sum_of_its_terms(n, share, k):
    found = missing_probability(float(share), n, k, "exact")

    assert found == pytest.approx(float(naive.fewer(k, n, share)), abs=1e-12)


def test_a_tie_is_kept():
    # One of two equally likely classes holds both of two people with probability 1/4.
    assert missing_probability(0.5, 2, 1, "exact") == pytest.approx(0.25)
    assert classes_allowed(2, 1, 0.25) == 2
    assert classes_allowed(2, 1, 0.2499) == 1
    assert k_supported(2, 2, 0.25) == 1


@few
@given(LARGE, st.integers(2, 10**5), BETAS, BOUNDS, st.booleans())
def test_one_class_more_is_one_too_many(n, k, beta, bound, simultaneous):
    assume(k <= n // 3)
    how = {"bound": bound, "simultaneous": simultaneous}
    beta = float(beta)
    d = classes_allowed(n, k, beta, **how)

    assert k_supported(n, d, beta, **how) >= k
    assert beta_needed(n, d, k, **how) <= beta * (1 + 1e-6)
    assert population_needed(d, k, beta, **how) <= n
    if d < n:
        assert k_supported(n, d + 1, beta, **how) < k
        assert beta_needed(n, d + 1, k, **how) > beta * (1 - 1e-6)
        assert population_needed(d + 1, k, beta, **how) > n


@few
@given(LARGE, st.integers(2, 10**4), BETAS)
def test_exact_allows_no_fewer_classes_than_chernoff_and_simultaneous_no_more(n, k, beta):
    assume(k <= n)
    exact = classes_allowed(n, k, float(beta))

    assert classes_allowed(n, k, float(beta), bound="chernoff") <= exact
    assert classes_allowed(n, k, float(beta), simultaneous=True) <= exact


@few
@given(LARGE, st.integers(2, 10**5), BETAS)
def test_chernoff_is_the_formula_of_the_proof(n, k, beta):
    assume(k <= n // 3)
    x = -math.log(beta) / (k - 1)
    formula = n / (k - 1) * (1 + x - math.sqrt(x * x + 2 * x))

    found = classes_allowed(n, k, float(beta), bound="chernoff")
    assert found == pytest.approx(max(1, formula), rel=1e-11, abs=1.0)


@few
@given(st.lists(st.integers(1, 30), min_size=1, max_size=6), st.integers(2, 40), BETAS)
def test_real_shares_support_what_the_smallest_does(sizes, n, beta):
    shares = [Fraction(size, sum(sizes)) for size in sizes]
    for k in range(1, n + 1):
        assume(not math.isclose(naive.fewer(k, n, min(shares)), beta, rel_tol=1e-8))

    found = k_of_shares([float(share) for share in shares], n, float(beta))
    assert found == naive.k_of_share(n, min(shares), beta)


def test_equal_shares_support_what_as_many_classes_do():
    for simultaneous in (False, True):
        one = k_of_shares([0.01] * 100, 10**6, 0.1, simultaneous=simultaneous)
        assert one == k_supported(10**6, 100, 0.1, simultaneous=simultaneous)


def test_a_population_of_a_share_that_no_class_has_alone():
    n = population_of_share(0.3, 5, 0.1)
    assert missing_probability(0.3, n, 5, "exact") <= 0.1
    assert missing_probability(0.3, n - 1, 5, "exact") > 0.1


def test_one_class_holds_everybody():
    assert classes_allowed(100, 100, 0.001) == 1
    assert classes_allowed(100, 100, 0.001, bound="chernoff") == 1
    assert k_supported(100, 1, 0.001) == 100
    assert beta_needed(100, 1, 100) == 0.0


def test_more_classes_than_people_support_nothing():
    assert k_supported(1000, 10**18, 0.1) == 0
    assert beta_needed(1000, 10**18, 5) == 1.0
    assert beta_needed(1000, 900, 5, simultaneous=True) == 1.0


def test_whole_numbers_may_be_written_as_floats():
    assert classes_allowed(3e8, 1e2, 0.1) == classes_allowed(300_000_000, 100, 0.1)


@pytest.mark.parametrize(
    ("n", "k", "beta", "said"),
    [
        (0, 1, 0.1, "the population must be a whole number"),
        (10.5, 1, 0.1, "the population must be a whole number"),
        (math.nan, 1, 0.1, "the population must be a whole number"),
        (math.inf, 1, 0.1, "the population must be a whole number"),
        (10 * LARGEST, 5, 0.1, "at most"),
        (100, 0, 0.1, "k must be a whole number"),
        (100, 2.5, 0.1, "k must be a whole number"),
        (100, 101, 0.1, "k = 101 is more than the population of 100"),
        (100, 5, 0, "beta must be above 0 and below 1"),
        (100, 5, 1, "beta must be above 0 and below 1"),
        (100, 5, -0.1, "beta must be above 0 and below 1"),
        (100, 5, math.nan, "beta must be above 0 and below 1"),
    ],
)
def test_requests_that_make_no_sense(n, k, beta, said):
    with pytest.raises(PolicyError, match=said):
        classes_allowed(n, k, beta)


def test_other_requests_that_make_no_sense():
    with pytest.raises(PolicyError, match="no such bound"):
        classes_allowed(100, 5, 0.1, bound="normal")
    with pytest.raises(PolicyError, match="number of classes"):
        k_supported(100, 0, 0.1)
    with pytest.raises(PolicyError, match="at least one class"):
        k_of_shares([], 100, 0.1)
    for wrong in ([0.0, 0.5], [1.5], [-0.1], [math.nan]):
        with pytest.raises(PolicyError, match="share of a class"):
            k_of_shares(wrong, 100, 0.1)
    with pytest.raises(LimitError, match="that many classes"):
        population_needed(10**16, 5, 0.1)
    for wrong in (0, 1.1, math.nan):
        with pytest.raises(PolicyError, match="share of a class"):
            population_of_share(wrong, 5, 0.1)
