"""The distinct-value test and its numbers of values."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incrowd.errors import PolicyError
from incrowd.quasi.distinct_values import (
    POPULATIONS,
    Source,
    assess,
    by_domains,
    chao1,
    distinct_value_test,
    gee,
    observed,
    population,
    threshold,
    unique_share,
)
from quasi_tables import column_tables, records_of

people = st.integers(1, 10**10)


@given(people, st.floats(0.01, 0.99))
def test_the_threshold_is_where_the_share_reaches_alpha(n, alpha):
    least = threshold(alpha, n)

    assert unique_share(least, n) == pytest.approx(alpha)
    assert unique_share(least * 0.99, n) < alpha < unique_share(least * 1.01, n)


@given(people, st.floats(0, 1e12))
def test_the_share_grows_with_the_values_and_is_one_curve(n, distinct):
    assert 0 <= unique_share(distinct, n) <= unique_share(distinct * 1.1 + 1, n) <= 1
    assert unique_share(n, n) == pytest.approx(1 / math.e)
    assert unique_share(n + 1e-6, n) == pytest.approx(1 / math.e)


@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=30), st.integers(1, 200))
def test_no_distribution_leaves_more_people_alone(weights, n):
    # Theorems 1 and 2 on the exact expectation; they use (1 - p)^(n-1) = e^(-pn).
    shares = [weight / sum(weights) for weight in weights]
    expected = sum(n * p * math.exp(-n * p) for p in shares) / n

    assert expected <= unique_share(len(shares), n) * (1 + 1e-9)


def test_theorem_3():
    assert threshold(0.5, 3 * 10**8) == pytest.approx(3e8 / math.log(2))
    assert threshold(1.0, 100) == math.inf
    # "If D < 3n it is unlikely that the set forms a 0.75-quasi-identifier" (beside Figure 1).
    assert threshold(0.75, 10**8) > 3 * 10**8


@given(column_tables(max_rows=20), st.data())
def test_estimates_against_counters(table, data):
    columns, counts = table
    records = records_of(columns, counts)
    chosen = data.draw(st.lists(st.integers(0, len(columns) - 1), unique=True))
    held = Counter()
    for i, count in enumerate(counts):
        held[tuple(columns[j][i] for j in chosen)] += count
    once, twice = (sum(size == k for size in held.values()) for k in (1, 2))
    n = sum(counts)

    assert observed(records, chosen) == len(held)
    assert chao1(records, chosen) == len(held) + once * (once - 1) / (2 * (twice + 1))
    assert gee(records, chosen, 100 * n) == pytest.approx(10 * once + len(held) - once)
    assert gee(records, chosen, 1) == len(held)


def test_estimates_of_a_known_number_of_values():
    rng = np.random.default_rng(1)
    records = records_of([rng.integers(0, 5000, 5000).tolist()])

    assert observed(records, [0]) < 3500
    assert chao1(records, [0]) == pytest.approx(5000, rel=0.05)
    assert 5000 / 14 < gee(records, [0], 10**6) < 5000 * 14


def test_assess_says_where_the_values_come_from():
    records = records_of([[1, 2, 3], [1, 1, 2]])

    for source in (Source.OBSERVED, Source.CHAO1, Source.GEE):
        assert assess(records, [0, 1], "usa", source=source).source is source
    found = assess(records, [0, 1], 10, source=Source.DOMAINS, domains=[5, 4])
    assert found.distinct == by_domains([5, 4]) == 20
    with pytest.raises(PolicyError, match="not given"):
        assess(records, [0, 1], "usa", source=Source.DOMAINS)
    with pytest.raises(PolicyError, match="not given"):
        assess(records, [0, 1], "usa", source=Source.DOMAINS, domains=[5])


def test_populations_by_name_and_number():
    assert population("USA") == POPULATIONS["usa"]
    assert population("3e8") == population(3e8) == population("300,000,000") == 300_000_000
    assert POPULATIONS["germany"] < POPULATIONS["eu"] < POPULATIONS["world"]
    with pytest.raises(PolicyError, match="did you mean 'germany'"):
        population("germny")
    with pytest.raises(PolicyError, match="one of australia"):
        population("qqqqqq")
    for wrong in (0, -1, math.nan, math.inf, "0", "nan"):
        with pytest.raises(PolicyError, match="whole number of people"):
            population(wrong)


@pytest.mark.parametrize(
    ("distinct", "alpha"), [(-1, 0.5), (math.nan, 0.5), (math.inf, 0.5), (5, 0), (5, 1.1)]
)
def test_requests_that_make_no_sense(distinct, alpha):
    with pytest.raises(PolicyError):
        distinct_value_test(distinct, 100, alpha)


def test_columns_without_a_value_are_refused():
    with pytest.raises(PolicyError, match="at least one"):
        by_domains([3, 0])


def test_crowds():
    assert distinct_value_test(0, 100).crowd == math.inf
    assert distinct_value_test(10, 100).crowd == 10
    assert distinct_value_test(1000, 100).crowd == 1


@pytest.mark.parametrize("text", ["3e8", "300000000", "300_000_000", "300,000,000", " 3.0E8 "])
def test_a_plain_number_of_people_always_does(text):
    assert population(text) == population(3e8) == population(300_000_000) == 300_000_000
