"""Probabilistic anonymity as a model: its twin, its judge, and what it asks of one table."""

from fractions import Fraction
from math import isclose
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

import naive.probabilistic as naive
from incrowd.classes import Classes
from incrowd.errors import NotMetError, PolicyError
from incrowd.models import AnyModel, Probabilistic
from incrowd.probabilistic.bounds import missing_probability
from incrowd.table.roles import Missing
from incrowd.verify.binomial import fewer_than, largest_k
from incrowd.verify.verify import demand, look, verify

SIZES = st.lists(st.integers(1, 12), min_size=1, max_size=6)
BETAS = st.sampled_from([Fraction(1, 50), Fraction(1, 10), Fraction(2, 5)])


def classes_of(sizes):
    people = np.array(sizes, dtype=np.int64)
    return Classes(people, people, {})


def judged(sizes, model, missing=Missing.OWN_VALUE):
    cells = [f"c{i}" for i, size in enumerate(sizes) for _ in range(size)]
    policy = SimpleNamespace(quasi=("a",), models=(model,), missing=missing)
    return verify(look(pl.DataFrame({"a": cells}), policy), policy)[0]


@settings(max_examples=60)
@given(SIZES, st.integers(2, 8), st.integers(0, 60), BETAS)
def test_model_and_judge_agree_with_the_naive_twin(sizes, k, more, beta):
    n = sum(sizes) + k + more
    shares = [Fraction(size, sum(sizes)) for size in sizes]
    for share in set(shares):
        assume(not isclose(naive.fewer(k, n, share), beta, rel_tol=1e-8))
    model = Probabilistic(n, k, float(beta))
    verdict = judged(sizes, model)

    assert model.satisfied(classes_of(sizes)).tolist() == naive.satisfied(sizes, n, k, beta)
    assert verdict.ok == all(naive.satisfied(sizes, n, k, beta))
    assert model.reached(classes_of(sizes)) == verdict.reached
    assert (verdict.name, verdict.asked) == ("probabilistic", k)


@settings(max_examples=80)
@given(st.integers(1, 10**11), st.floats(-12, 0), st.floats(-5, 5))
def test_the_judges_tail_is_the_searchs_though_they_share_no_code(n, power, away):
    share = 10**power
    mean = n * share
    k = int(min(max(mean + away * (mean * (1 - share)) ** 0.5, 1), n))
    expected = missing_probability(share, n, k, "exact")

    assert fewer_than(k, n, share) == pytest.approx(expected, rel=1e-9, abs=1e-14)


def test_the_judges_largest_k_is_where_beta_is_passed():
    k = largest_k(3 * 10**8, 1e-5, 0.1)
    assert fewer_than(k, 3 * 10**8, 1e-5) <= 0.1 < fewer_than(k + 1, 3 * 10**8, 1e-5)
    assert (largest_k(10, 1.0, 0.1), largest_k(10, 0.0, 0.1), fewer_than(11, 10, 0.5)) == (10, 0, 1)


def test_a_release_of_more_people_than_the_population_is_no_sample_of_it():
    verdict = judged([30, 30], Probabilistic(50, 2, 0.1))
    assert (verdict.reached, verdict.ok) == (0.0, False)
    with pytest.raises(NotMetError, match="probabilistic asks for 2"):
        demand([verdict])


def test_people_with_several_rows_count_once():
    rows = pl.DataFrame({"a": ["x"] * 4 + ["y"] * 4})
    model = Probabilistic(1_000, 300, 0.1)
    policy = SimpleNamespace(quasi=("a",), models=(model,), missing=Missing.OWN_VALUE)
    everybody = verify(look(rows, policy), policy)[0]
    one_person = verify(look(rows, policy, np.array([1, 1, 1, 1, 0, 0, 0, 0])), policy)[0]

    assert everybody.ok
    assert not one_person.ok
    assert one_person.reached == largest_k(1_000, 1 / 5, 0.1)


def test_what_it_asks_of_one_table_holds_for_any_of_its_classes():
    model = Probabilistic(10**6, 300, 0.1)
    told = model.among(5_000)
    sizes = [1, 2, 3, 4994]

    assert told.k == model.least(5_000) == 2
    assert told.satisfied(classes_of(sizes)).tolist() == model.satisfied(classes_of(sizes)).tolist()
    assert told.satisfied(classes_of([1, 2])).tolist() == [False, True]
    assert (told.name, told.columns, told.higher_is_safer) == (model.name, (), True)
    assert (told.asked, told.population, told.beta) == (300, model.population, model.beta)
    assert told.monotone
    assert told.absorbing
    assert told.reached(classes_of([3, 2])) == model.reached(classes_of([4998, 2])) >= 300
    assert told.reached(classes_of([])) == float("inf")
    assert told.possible(classes_of([5_000])) == model.population


def test_a_table_of_more_people_than_the_population_is_refused():
    with pytest.raises(PolicyError, match=r"1,001 people.*sample of 1,000"):
        Probabilistic(1_000, 5, 0.1).among(1_001)


def test_nobody_in_a_class_supports_nothing():
    model = Probabilistic(1_000, 5, 0.1)
    assert model.reached(classes_of([0, 3])) == 0.0
    assert model.satisfied(classes_of([0])).tolist() == [False]
    assert model.possible(classes_of([7])) == 1_000.0


def test_it_is_written_with_whole_numbers_in_any_form():
    written = {"name": "probabilistic", "population": 3e8, "k": 100, "beta": 0.1}
    assert TypeAdapter(AnyModel).validate_python(written) == Probabilistic(3 * 10**8, 100, 0.1)


@pytest.mark.parametrize(
    "wrong",
    [
        {"population": 1},
        {"population": 10.5},
        {"population": 10**13},
        {"k": 1},
        {"k": 1_001},
        {"beta": 0},
        {"beta": 1},
        {"beta": float("nan")},
    ],
)
def test_wrong_settings_are_refused_when_written(wrong):
    with pytest.raises(ValidationError):
        Probabilistic(**{"population": 1_000, "k": 5, "beta": 0.1, **wrong})
