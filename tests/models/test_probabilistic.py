"""Probabilistic anonymity as a model: its twin, its judge, and what it asks of one table."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

import naive.probabilistic as naive
from evidence import counted
from incrowd.errors import NotMetError, PolicyError
from incrowd.models import AnyModel, Probabilistic
from incrowd.models.model import TableSize
from incrowd.partition.classes import Classes
from incrowd.population.bounds import PopulationSample, missing_probability
from incrowd.table.column import Missing
from incrowd.verify.binomial import chance_of_fewer, largest_k, log_chance_of_at_least, lower_share
from incrowd.verify.verify import demand_models_met, see_release, verify

SIZES = st.lists(st.integers(1, 30), min_size=1, max_size=5)
BETAS = st.sampled_from([Fraction(1, 50), Fraction(1, 10), Fraction(2, 5), Fraction(7, 10)])
LABELS = st.sampled_from(["any", "declared"])
SURE = st.sampled_from([0.5, 0.9, 0.95, 0.999])


def classes_of(sizes):
    people = np.array(sizes, dtype=np.int64)
    return Classes(people, people, {})


def judged(sizes, model, missing=Missing.OWN_VALUE, drawn=None, columns=1):
    cells = [f"c{i}" for i, size in enumerate(sizes) for _ in range(size)]
    names = tuple("abcdefgh"[:columns])
    policy = SimpleNamespace(quasi=names, models=(model,), missing=missing)
    rows = pl.DataFrame(dict.fromkeys(names, cells))
    return verify(see_release(counted(rows), policy), policy, drawn=drawn)[0]


@settings(max_examples=15, deadline=None)
@given(SIZES, st.integers(0, 200), BETAS, SURE, LABELS)
def test_model_and_judge_keep_between_the_naive_twins_steps(sizes, more, beta, sure, labels):
    people, size = sum(sizes), min(sizes)
    n = people + more
    model = Probabilistic(n + 2, 2, float(beta), sure, labels)
    step = Fraction(size, people) / 400
    share = naive.lower_share(size, people, 1, 1 - sure, labels)
    at_least = naive.supports(size, n + 2, beta, share)
    at_most = naive.supports(size, n + 2, beta, share + step)
    verdict = judged(sizes, model)

    assert at_least <= verdict.reached <= at_most
    assert model.achieved_by(classes_of(sizes)) == verdict.reached
    assert verdict.confidence == sure


@settings(max_examples=60)
@given(SIZES, st.integers(2, 40), st.integers(0, 10**6), BETAS, st.tuples(SURE, LABELS))
def test_what_the_search_takes_for_enough_is_what_verification_accepts(sizes, k, more, beta, how):
    model = Probabilistic(sum(sizes) + k + more, k, float(beta), *how)
    verdict = judged(sizes, model)

    assert bool(model.satisfied_by(classes_of(sizes)).all()) == verdict.ok == (verdict.reached >= k)
    assert (verdict.name, verdict.asked) == ("probabilistic", k)


@settings(max_examples=60)
@given(
    st.integers(1, 10**6), st.floats(0, 1), st.integers(1, 12), SURE, st.sampled_from([True, False])
)
def test_both_bounds_of_a_share_agree_though_they_share_no_code(people, part, columns, sure, fixed):
    size = max(1, round(people * part))
    ours = PopulationSample(people, columns, sure, "declared" if fixed else "any").least_share(size)
    theirs = lower_share(size, people, columns, 1 - sure, declared=fixed)

    assert ours == pytest.approx(theirs, rel=1e-6, abs=1e-250)
    assert 0 <= ours < size / people or size == people


@settings(max_examples=60)
@given(st.integers(1, 3_000), st.integers(1, 5), LABELS)
def test_a_class_with_more_people_never_supports_less(size, columns, labels):
    drawn = PopulationSample(3_001, columns, 0.95, labels)
    assert drawn.least_share(size) <= drawn.least_share(size + 1)
    assert drawn.supported_k(size, 10**6, 0.1) <= drawn.supported_k(size + 1, 10**6, 0.1)


@settings(max_examples=60)
@given(st.integers(2, 400), st.integers(1, 4), LABELS)
def test_the_least_people_are_the_first_that_support_k(k, columns, labels):
    drawn = PopulationSample(2_000, columns, 0.95, labels)
    least = drawn.least_size(10**5, k, 0.1)
    assert drawn.supported_k(least, 10**5, 0.1) >= k
    assert least == 1 or drawn.supported_k(least - 1, 10**5, 0.1) < k


@settings(max_examples=80)
@given(st.integers(1, 10**11), st.floats(-12, 0), st.floats(-5, 5))
def test_the_judges_tail_is_the_searchs_though_they_share_no_code(n, power, away):
    share = 10**power
    mean = n * share
    k = int(min(max(mean + away * (mean * (1 - share)) ** 0.5, 1), n))
    expected = missing_probability(share, n, k, "exact")

    assert chance_of_fewer(k, n, share) == pytest.approx(expected, rel=1e-9, abs=1e-14)
    assert np.exp(log_chance_of_at_least(k, n, share)) == pytest.approx(
        1 - expected, rel=1e-9, abs=1e-14
    )


def test_the_judges_largest_k_is_where_beta_is_passed():
    k = largest_k(3 * 10**8, 1e-5, 0.1)
    assert chance_of_fewer(k, 3 * 10**8, 1e-5) <= 0.1 < chance_of_fewer(k + 1, 3 * 10**8, 1e-5)
    assert (largest_k(10, 1.0, 0.1), largest_k(10, 0.0, 0.1), chance_of_fewer(11, 10, 0.5)) == (
        10,
        0,
        1,
    )


@pytest.mark.parametrize("labels", ["any", "declared"])
def test_codes_that_occur_once_stand_for_one_person_however_large_the_population(labels):
    model = Probabilistic(10**6, 100, 0.1, labels=labels)
    verdict = judged([1] * 5_000, model)
    assert (verdict.reached, verdict.ok) == (1.0, False)
    assert not model.satisfied_by(classes_of([1] * 5_000)).any()


def test_a_table_of_the_whole_population_is_counted():
    for labels in ("any", "declared"):
        verdict = judged([30, 12], Probabilistic(42, 12, 0.1, labels=labels))
        assert (verdict.reached, verdict.ok) == (12.0, True)
        assert not judged([31, 11], Probabilistic(42, 12, 0.1, labels=labels)).ok


def test_people_who_were_drawn_and_left_out_make_shares_smaller():
    model = Probabilistic(10**6, 3_000, 0.1)
    alone, of_more = judged([60, 4_940], model), judged([60, 4_940], model, drawn=10_000)
    assert alone.ok
    assert not of_more.ok
    assert of_more.reached < alone.reached
    assert judged([60, 4_940], model, drawn=3).reached == alone.reached


def test_more_columns_let_classes_be_drawn_more_freely():
    reached = [
        judged([60, 4_940], Probabilistic(10**6, 50, 0.1), columns=d).reached for d in (1, 4)
    ]
    assert reached[0] > reached[1]


def test_a_release_of_more_people_than_the_population_is_no_sample_of_it():
    verdict = judged([30, 30], Probabilistic(50, 2, 0.1))
    assert (verdict.reached, verdict.ok) == (0.0, False)
    with pytest.raises(NotMetError, match="probabilistic achieves 0, the policy asks for 2"):
        demand_models_met([verdict])
    assert not judged([30, 10], Probabilistic(50, 2, 0.1), drawn=51).ok


def test_people_with_several_rows_count_once():
    rows = pl.DataFrame({"a": ["x"] * 40 + ["y"] * 40})
    model = Probabilistic(1_000, 100, 0.1)
    policy = SimpleNamespace(quasi=("a",), models=(model,), missing=Missing.OWN_VALUE)
    everybody = verify(see_release(counted(rows), policy), policy)[0]
    units = np.array([1] * 40 + [0] * 40)
    one_person = verify(see_release(counted(rows, units), policy), policy)[0]

    assert everybody.ok
    assert (one_person.reached, one_person.ok) == (1.0, False)


def test_what_it_asks_of_one_table_holds_for_any_of_its_classes():
    model = Probabilistic(10**6, 300, 0.1)
    told = model.bind_to(TableSize(5_000, 1))
    sizes = [1, 20, 30, 4949]

    assert (
        told.smallest_class() == PopulationSample(5_000, 1, 0.95).least_size(10**6, 300, 0.1) == 16
    )
    assert (
        told.satisfied_by(classes_of(sizes)).tolist()
        == model.satisfied_by(classes_of(sizes)).tolist()
    )
    assert told.satisfied_by(classes_of([1, 20])).tolist() == [False, True]
    assert (told.name, told.columns, told.higher_is_safer) == (model.name, (), True)
    assert (told.threshold, told.model) == (300, model)
    assert told.monotone
    assert told.absorbing
    assert (
        told.achieved_by(classes_of([30, 20])) == model.achieved_by(classes_of([4980, 20])) >= 300
    )
    assert told.achieved_by(classes_of([])) == float("inf")
    assert told.possible(classes_of([5_000])) > 0.99 * model.population


def test_a_table_of_more_people_than_the_population_is_refused():
    with pytest.raises(PolicyError, match=r"1,001 people.*sample of 1,000"):
        Probabilistic(1_000, 5, 0.1).bind_to(TableSize(1_001, 1))


def test_nobody_in_a_class_supports_nothing():
    model = Probabilistic(1_000, 5, 0.1)
    assert model.achieved_by(classes_of([0, 3])) == 0.0
    assert model.satisfied_by(classes_of([0])).tolist() == [False]


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
        {"confidence": 0.4},
        {"confidence": 1},
        {"confidence": float("nan")},
        {"labels": "some"},
    ],
)
def test_wrong_settings_are_refused_when_written(wrong):
    with pytest.raises(PolicyError):
        Probabilistic(**{"population": 1_000, "k": 5, "beta": 0.1, **wrong})
