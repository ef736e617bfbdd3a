"""The distinct-value test and its numbers of values."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import poisson

from incrowd.errors import PolicyError
from incrowd.identify.distinct_values import (
    POPULATIONS,
    CountSource,
    PopulationTest,
    count_values,
    distinct_value_test,
    estimate_values,
    parse_population,
    threshold,
    unique_share,
    values_by_domains,
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


def assess(records, columns, people, *, source=None, domains):
    test = PopulationTest(parse_population(people), 0.5, source, domains)
    return test.test(records, columns)


@given(column_tables(max_rows=20), st.data())
def test_estimates_against_counters(table, data):
    columns, counts = table
    records = records_of(columns, counts)
    chosen = data.draw(st.lists(st.integers(0, len(columns) - 1), unique=True))
    held = Counter()
    for i, count in enumerate(counts):
        held[tuple(columns[j][i] for j in chosen)] += count
    once, twice = (sum(size == k for size in held.values()) for k in (1, 2))
    assert count_values(records, chosen) == len(held)
    if not chosen:
        return
    found = estimate_values(records, chosen)

    if once < 2:
        assert found == len(held)
    elif not twice:
        assert found == math.inf
    else:
        unseen = once * (once - 1) / 2 / (found - len(held))
        assert poisson.sf(twice - 1, unseen) == pytest.approx(0.01)
        assert found > len(held) + once * (once - 1) / (2 * twice)


def test_estimates_of_a_known_number_of_values():
    rng = np.random.default_rng(1)
    records = records_of([rng.integers(0, 5000, 5000).tolist()])

    assert count_values(records, [0]) < 3500
    assert 5000 < estimate_values(records, [0]) < 5000 * 1.3


def test_estimates_grow_without_bound_as_records_become_different():
    rng = np.random.default_rng(2)
    sizes = (10**4, 10**6, 10**8)
    found = [
        estimate_values(records_of([rng.integers(0, size, 4000).tolist()]), [0]) for size in sizes
    ]
    assert all(one >= size for one, size in zip(found, sizes, strict=True))
    assert found[0] < 2 * 10**4
    assert found[2] == math.inf


@pytest.mark.parametrize("source", ["estimated", "observed", None])
def test_a_key_overrules_estimates_and_values_seen(source):
    records = records_of([list(range(50)), [1, 2] * 25])
    asked = None if source is None else CountSource(source)
    key = assess(records, [0], "usa", source=asked, domains={"c1": 2})
    other = assess(records, [1], "usa", source=asked, domains={"c1": 2})

    assert (key.key, key.possible, key.verdict) == (True, True, "possibly an 0.5-quasi-identifier")
    assert (other.key, other.possible) == (False, False)
    assert other.verdict.endswith("an 0.5-quasi-identifier")


@pytest.mark.parametrize("source", ["declared", "estimated", None])
def test_declared_sizes_decide_whatever_the_table_looks_like(source):
    """20,000 birth dates make no more than 20,000 people unique (Theorem 3)."""
    records = records_of([[1, 2, 3, 4], [1, 1, 2, 2]], names=["birth_date", "sex"])
    asked = None if source is None else CountSource(source)
    domains = {"birth_date": 20_000, "sex": 2}
    for columns, distinct in (([0], 20_000), ([0, 1], 40_000)):
        found = assess(records, columns, 3e8, source=asked, domains=domains)
        assert (found.key, found.possible, found.distinct) == (True, False, distinct)
        assert found.share <= distinct / 3e8


def test_an_estimate_is_about_the_columns_that_are_not_declared():
    """All four records differ, but two sexes times 20,000 dates are 40,000 values."""
    records = records_of([[1, 2, 3, 4], [1, 1, 2, 2]], names=["birth_date", "sex"])
    found = assess(records, [0, 1], 3e8, domains={"birth_date": 20_000})
    assert (found.source, found.distinct) == (CountSource.ESTIMATED, 40_000)
    assert not found.possible
    found = assess(records, [0, 1], 3e8, domains={"sex": 2})
    assert (found.distinct, found.possible) == (math.inf, True)


def test_a_verdict_is_no_surer_than_its_number_of_values():
    said = {source: distinct_value_test(5, 10**6, source=source).verdict for source in CountSource}
    assert said[CountSource.DECLARED].startswith("almost certainly not")
    assert said[CountSource.ESTIMATED].startswith("probably not")
    assert said[CountSource.OBSERVED].startswith("not by the values seen")


def test_assess_says_where_the_values_come_from():
    records = records_of([[1, 2, 3, 3], [1, 1, 2, 2]])
    some = {"c0": 5}
    both = {"c0": 5, "c1": 4}

    found = assess(records, [0, 1], 10, domains=both)
    assert (found.source, found.distinct) == (CountSource.DECLARED, 20)
    found = assess(records, [0, 1], 10, domains=some)
    assert found.source is CountSource.ESTIMATED
    assert found.distinct == 5 * estimate_values(records, [1])
    found = assess(records, [0, 1], 10, domains=both, source=CountSource.OBSERVED)
    assert (found.source, found.distinct) == (CountSource.OBSERVED, 3)
    assert assess(records, [0, 1], 10, domains=both, source=CountSource.ESTIMATED).distinct == 20
    with pytest.raises(PolicyError, match="'c1' is not declared"):
        assess(records, [0, 1], "usa", source=CountSource.DECLARED, domains=some)
    with pytest.raises(PolicyError, match="not given"):
        assess(records, [0, 1], "usa", source=CountSource.GIVEN, domains={})


def test_populations_by_name_and_number():
    assert parse_population("USA") == POPULATIONS["usa"]
    assert (
        parse_population("3e8")
        == parse_population(3e8)
        == parse_population("300,000,000")
        == 300_000_000
    )
    assert POPULATIONS["germany"] < POPULATIONS["eu"] < POPULATIONS["world"]
    with pytest.raises(PolicyError, match="did you mean 'germany'"):
        parse_population("germny")
    with pytest.raises(PolicyError, match="one of australia"):
        parse_population("qqqqqq")
    for wrong in (0, -1, math.nan, math.inf, "0", "nan"):
        with pytest.raises(PolicyError, match="whole number of people"):
            parse_population(wrong)


@pytest.mark.parametrize(("distinct", "alpha"), [(-1, 0.5), (math.nan, 0.5), (5, 0), (5, 1.1)])
def test_requests_that_make_no_sense(distinct, alpha):
    with pytest.raises(PolicyError):
        distinct_value_test(distinct, 100, alpha)


def test_columns_without_a_value_are_refused():
    with pytest.raises(PolicyError, match="at least one"):
        values_by_domains([3, 0])


def test_crowds():
    assert distinct_value_test(0, 100).crowd == math.inf
    assert distinct_value_test(10, 100).crowd == 10
    assert distinct_value_test(1000, 100).crowd == 1


@pytest.mark.parametrize("text", ["3e8", "300000000", "300_000_000", "300,000,000", " 3.0E8 "])
def test_a_plain_number_of_people_always_does(text):
    assert (
        parse_population(text)
        == parse_population(3e8)
        == parse_population(300_000_000)
        == 300_000_000
    )


@pytest.mark.parametrize(
    ("domains", "alpha", "source", "unused"),
    [
        ({"sex": 2}, None, None, "domains"),
        ({}, 0.0, None, "alpha"),
        ({}, 0.9, None, "alpha"),
        ({}, None, "", "source"),
        ({}, None, "observed", "source"),
    ],
)
def test_whatever_is_given_without_a_population_is_refused(domains, alpha, source, unused):
    with pytest.raises(PolicyError, match=f"{unused} needs a population"):
        PopulationTest.of(None, domains, alpha, source)


def test_nothing_given_without_a_population_is_no_test():
    assert PopulationTest.of(None, {}, None, None) is None
