"""Lodha and Thomas, Section 3: Examples 5 to 8, Section 3.2, and Theorems 1 to 4 by simulation.

Where the paper is wrong or silent is told in its page of the documentation: Example 7 means
Example 6 where it says Example 9; Example 8's two digits are 100 values, and 75 are allowed.
"""

import math

import numpy as np
import pytest

from incrowd.hierarchy import Prefix
from incrowd.identify.distinct_values import threshold, unique_share
from incrowd.population import beta_needed, classes_allowed, k_supported
from incrowd.population.bounds import missing_probability
from incrowd.population.budget import budget, unrounded_budget
from incrowd.table.column import Domain, Kind
from incrowd.verbs.plan import plan_sizes

USA = 3 * 10**8
PERSON = {"gender": 2, "birth_date": 60 * 365, "zip": 10**5}
HUNDRED = {"population": USA, "k": 100, "beta": 0.1}


def said(plan):
    return {action.column: action.rung.says for action in plan.actions}


def test_example_5():
    codes = Domain(Kind.TEXT, np.array(["02138", "02139"], dtype=object))
    hierarchy = Prefix().build(codes, "zip")
    assert hierarchy.labels[1].tolist() == ["0213*"]
    assert hierarchy.decode_all(["0213*"])[0].tolist() == [1, 2]


def test_example_6():
    chernoff = classes_allowed(USA, 100, 0.1, bound="chernoff")
    assert USA / chernoff == pytest.approx(122.8, abs=0.05)
    # The paper rounds to n/125: fewer classes than its own bound allows, and than exist.
    assert 2_400_000 <= chernoff < classes_allowed(USA, 100, 0.1)
    assert 4 * 10**9 / 2_400_000 < 1700
    # Half-years of birth and four digits.
    assert 2 * 120 * 10**4 == 2_400_000
    assert beta_needed(USA, 2_400_000, 100, bound="chernoff") < 0.1
    assert k_supported(USA, 2_400_000, 0.1, bound="chernoff") >= 100


def test_example_7_by_the_papers_own_number_of_classes():
    before = unrounded_budget([1e9] * 3, 2.4e6, [1, 1, 1])
    assert before == pytest.approx([133.9] * 3, abs=0.1)
    assert budget(list(PERSON.values()), 2_400_000) == (2, 1095, 1095)


@pytest.mark.parametrize("bound", ["exact", "chernoff"])
def test_example_7_through_a_plan(bound):
    found = plan_sizes(PERSON, **HUNDRED, bound=bound)

    assert found.actions[0].allowed == 2
    for action in found.actions[1:]:
        assert 1_095 <= action.allowed < 1_200
    assert said(found) == {
        "gender": "as it is",
        "birth_date": "to the month",
        "zip": "first three digits",
    }
    assert found.classes == 2 * 720 * 1000
    assert found.k_expected > 100


def test_example_8_through_a_plan():
    table = {"gender": 2, "age": 100, "zip": 10**5}
    asked = {"population": USA, "k": 20_000, "beta": 0.1}
    # Gender and age are left as they are: age matters more than the ZIP code.
    found = plan_sizes(table, **asked, weights={"age": 2})
    kept = {action.column: action.allowed for action in found.actions}

    assert kept["gender"] == 2
    assert kept["age"] == 100
    # The paper leaves its small c out here: 75 without it.
    assert USA // (20_000 * 2 * 100) == 75
    assert kept["zip"] == 74
    # "First two digits" are 100 values, not 75: with them k is 14,843 only.
    assert said(found)["zip"] == "first digit"
    assert k_supported(USA, 2 * 100 * 100, 0.1) < 15_000
    # With age in steps of two years, two digits do.
    even = plan_sizes(table, **asked)
    assert said(even) == {
        "gender": "as it is",
        "age": "intervals of width 2",
        "zip": "first two digits",
    }
    assert even.k_expected >= 20_000


def test_section_3_2_leaves_two_values_to_each_of_25_columns():
    allowed = classes_allowed(USA, 10, 0.1)
    assert unrounded_budget([1e9] * 25, allowed, [1] * 25) == pytest.approx([2] * 25, rel=0.05)
    kept = budget([100] * 25, allowed)
    assert kept.count(2) >= 22
    assert set(kept) <= {1, 2, 3}


def singletons(people, shares, rng, times):
    """The mean share of people alone with their value, and its standard error."""
    found = [np.count_nonzero(rng.multinomial(people, shares) == 1) / people for _ in range(times)]
    return float(np.mean(found)), float(np.std(found)) / math.sqrt(times)


def even(values):
    return np.full(values, 1 / values)


def tight(values, people):
    """What the proof of Theorem 1 calls almost tight: all but one value once, one has the rest."""
    return np.append(np.full(values - 1, 1 / people), 1 - (values - 1) / people)


def skewed(values):
    return (weights := 1 / np.arange(1, values + 1)) / weights.sum()


@pytest.mark.parametrize("values", [200, 1_000, 2_000])
def test_theorem_1(values):
    people, rng = 2_000, np.random.default_rng(1)
    limit = values / math.e / people
    assert unique_share(values, people) == pytest.approx(limit)
    for shares_ in (even(values), tight(values, people), skewed(values)):
        mean, error = singletons(people, shares_, rng, 60)
        assert mean <= limit + 4 * error
    mean, error = singletons(people, tight(values, people), rng, 60)
    assert mean == pytest.approx(limit, abs=4 * error + 2 / people)


@pytest.mark.parametrize("values", [2_000, 6_000, 40_000])
def test_theorem_2(values):
    people, rng = 2_000, np.random.default_rng(2)
    limit = math.exp(-people / values)
    assert unique_share(values, people) == pytest.approx(limit)
    mean, error = singletons(people, skewed(values), rng, 40)
    assert mean <= limit + 4 * error
    mean, error = singletons(people, even(values), rng, 40)
    assert mean == pytest.approx(limit, abs=4 * error + 1 / people)


@pytest.mark.parametrize("alpha", [0.5, 0.75, 0.9])
def test_theorem_3(alpha):
    people, rng = 2_000, np.random.default_rng(3)
    least = threshold(alpha, people)
    assert least == pytest.approx(people / math.log(1 / alpha))
    below, error = singletons(people, even(int(least * 0.9)), rng, 40)
    assert below + 4 * error < alpha
    above, error = singletons(people, even(int(least * 1.1)), rng, 40)
    assert above - 4 * error > alpha


def crowds(people, classes, times, seed):
    """Populations drawn with replacement: people per class, one line per population."""
    return np.random.default_rng(seed).multinomial(people, even(classes), size=times)


@pytest.mark.parametrize(("k", "beta"), [(5, 0.1), (20, 0.1), (50, 0.01)])
def test_theorem_4_for_each_class(k, beta):
    people, times = 20_000, 200
    classes = classes_allowed(people, k, beta)
    assert classes_allowed(people, k, beta, bound="chernoff") < classes
    missed = crowds(people, classes, times, seed=4) < k
    share = missing_probability(1 / classes, people, k, "exact")
    error = math.sqrt(beta / missed.size)

    assert missed.mean() == pytest.approx(share, abs=5 * error)
    assert missed.mean() <= beta + 5 * error
    more = crowds(people, round(classes * 1.2), times, seed=5) < k
    assert more.mean() > beta + 5 * error
    fewer = classes_allowed(people, k, beta, bound="chernoff")
    assert (crowds(people, fewer, times, seed=6) < k).mean() < beta


def test_theorem_4_for_all_classes_together():
    people, k, beta, times = 20_000, 20, 0.1, 2_000
    classes = classes_allowed(people, k, beta, simultaneous=True)
    anybody = (crowds(people, classes, times, seed=7) < k).any(axis=1)

    assert anybody.mean() <= beta + 4 * math.sqrt(beta / times)
    assert anybody.mean() > beta / 2
    each = classes_allowed(people, k, beta)
    assert (crowds(people, each, 50, seed=8) < k).any(axis=1).all()
