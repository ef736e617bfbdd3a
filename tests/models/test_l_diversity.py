import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.models
from incrowd.errors import PolicyError
from incrowd.models import LDiversity
from incrowd.partition.classes import Classes, Histogram, SensitiveColumn, classes_of
from strategies import problem_of, tables

patient = settings(deadline=None)
"""The first example compiles kernels."""


def one_class(*counts, people=None):
    """A class whose values 1, 2, … are held by so many."""
    whole = np.array([0, *counts])
    code = np.arange(1, len(counts) + 1, dtype=np.int32)
    held = Histogram(
        SensitiveColumn("s", whole), np.array([0, len(counts)]), code, np.array(counts)
    )
    people = np.array([people or sum(counts)])
    return Classes(people, people, {"s": held})


def as_pairs(classes):
    held = classes.histograms["s0"]
    for c in range(len(classes)):
        here = slice(held.start[c], held.start[c + 1])
        yield (
            int(classes.people[c]),
            dict(zip(held.code[here].tolist(), held.count[here].tolist(), strict=True)),
        )


@patient
@given(tables(units=True), st.integers(1, 4), st.integers(1, 4), st.sampled_from([0.5, 1, 2, 3.5]))
def test_every_kind_agrees_with_the_naive_twin(table, number, up, c):
    problem = problem_of(table, [], None)
    class_of = (np.arange(problem.tally.rows) % number).astype(np.int32)
    number = min(number, problem.tally.rows)
    classes = classes_of(problem.tally, class_of, number, problem.sensitive)
    pairs = list(as_pairs(classes))
    l = Fraction(up + 1, 2)
    whole = math.ceil(l)

    frequency = LDiversity("s0", float(l))
    least = [naive.models.frequency(people, values) for people, values in pairs]
    assert frequency.satisfied_by(classes).tolist() == [value >= l for value in least]
    assert frequency.achieved_by(classes) == float(min(least))

    distinct = LDiversity("s0", float(l), "distinct")
    least = [naive.models.distinct(values) for _, values in pairs]
    assert distinct.satisfied_by(classes).tolist() == [value >= l for value in least]
    assert distinct.achieved_by(classes) == min(least)

    entropy = LDiversity("s0", float(l), "entropy")
    least = [naive.models.entropy(values) for _, values in pairs]
    assert entropy.satisfied_by(classes).tolist() == [
        value >= math.log(l) - 1e-9 for value in least
    ]
    assert entropy.achieved_by(classes) == pytest.approx(math.exp(min(least)))

    recursive = LDiversity("s0", whole, "recursive", c=c)
    least = [naive.models.recursive(values, c) for _, values in pairs]
    assert recursive.satisfied_by(classes).tolist() == [value >= whole for value in least]
    assert recursive.achieved_by(classes) == min(least)


@pytest.mark.parametrize(
    ("l", "counts"),
    [(1.1, (10, 1)), (3, (1, 1, 1)), (10 / 3, (3, 3, 3, 1)), (7 / 3, (3, 3, 1)), (2.2, (5, 5, 1))],
)
def test_equality_is_enough_whatever_the_rounding(l, counts):
    classes = one_class(*counts)

    assert LDiversity("s", l).satisfied_by(classes).all()
    assert LDiversity("s", l).achieved_by(classes) == l
    assert not LDiversity("s", l + 0.001).satisfied_by(classes).any()


@pytest.mark.parametrize("l", range(1, 60))
def test_l_equally_common_values_have_entropy_log_l(l):
    classes = one_class(*[7] * l)
    model = LDiversity("s", l, "entropy")

    assert model.satisfied_by(classes).all()
    assert model.achieved_by(classes) == l


def test_the_recursive_example_of_the_definition():
    """f = 4, 3, 2, 1: l = 2 holds with c = 1 (4 < 6), l = 3 with c = 2 (4 < 6), not with 1."""
    classes = one_class(4, 3, 2, 1)

    assert LDiversity("s", 2, "recursive", c=1).achieved_by(classes) == 2
    assert LDiversity("s", 2, "recursive", c=2).achieved_by(classes) == 3
    assert LDiversity("s", 2, "recursive", c=0.3).achieved_by(classes) == 0


def test_strictly_less_is_asked_by_recursive():
    assert not LDiversity("s", 2, "recursive", c=2).satisfied_by(one_class(4, 2)).any()
    assert LDiversity("s", 2, "recursive", c=2.1).satisfied_by(one_class(4, 2)).all()


def test_the_largest_possible_l_is_named():
    """Ghinita's eligibility: 4 of 10 people share a value, so no release is 3-diverse."""
    whole = one_class(4, 3, 2, 1)

    assert LDiversity("s", 3).possible(whole) == 2.5
    assert LDiversity("s", 3, "distinct").possible(whole) == 4


def test_a_person_with_two_values_counts_in_both():
    classes = one_class(3, 3, people=4)

    assert LDiversity("s", 1.5).achieved_by(classes) == pytest.approx(4 / 3)


@pytest.mark.parametrize(
    "settings",
    [
        {"l": 0.5},
        {"l": float("nan")},
        {"l": float("inf")},
        {"l": 2, "c": 1.0},
        {"l": 2, "kind": "recursive"},
        {"l": 2.5, "kind": "recursive", "c": 1},
        {"l": 2, "kind": "recursive", "c": 0},
        {"l": 2, "kind": "exact"},
    ],
)
def test_wrong_settings_are_refused_when_written(settings):
    with pytest.raises(PolicyError):
        LDiversity("s", **settings)


def test_a_column_that_is_not_sensitive_is_an_error_that_names_it():
    with pytest.raises(PolicyError, match="'other', which is not a sensitive column"):
        LDiversity("other", 2).satisfied_by(one_class(1, 1))
