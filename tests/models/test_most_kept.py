"""The most people of a class that can stay, against all of its parts."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.models
from incrowd.models import AlphaK, LDiversity
from incrowd.partition.classes import Classes, Histogram, SensitiveColumn

LEVELS = [Fraction(1), Fraction(3, 2), Fraction(2), Fraction(5, 2), Fraction(3)]


def satisfies(model, held):
    """Whether so many people of each value satisfy a model."""
    people = sum(held)
    values = {v: n for v, n in enumerate(held) if n}
    if isinstance(model, AlphaK):
        share = Fraction(model.alpha).limit_denominator(100)
        return people >= model.k and max(held) <= share * people
    l = Fraction(model.l).limit_denominator(100)
    if model.kind == "frequency":
        return naive.models.frequency(people, values) >= l
    if model.kind == "distinct":
        return len(values) >= l
    if model.kind == "entropy":
        return naive.models.entropy(values) >= math.log(model.l) - 1e-9
    return naive.models.recursive(values, Fraction(model.c).limit_denominator(100)) >= l


def most(model, counts):
    parts = product(*(range(count + 1) for count in counts))
    return max((sum(p) for p in parts if any(p) and satisfies(model, p)), default=0)


def classes_of(several):
    start = np.cumsum([0, *map(len, several)])
    code = np.concatenate([np.arange(1, len(one) + 1) for one in several]).astype(np.int32)
    column = SensitiveColumn("s", np.array([0, 1, 1, 1, 1]))
    held = Histogram(column, start, code, np.concatenate(several).astype(np.int64))
    people = np.array([sum(one) for one in several])
    return Classes(people, people, {"s": held})


models = st.one_of(
    st.sampled_from(LEVELS).map(lambda l: LDiversity("s", float(l))),
    st.integers(1, 4).map(lambda l: LDiversity("s", l, "distinct")),
    st.sampled_from([1.0, 1.3, 1.9, 2.0, 2.7, 3.0]).map(lambda l: LDiversity("s", l, "entropy")),
    st.tuples(st.integers(1, 3), st.sampled_from([0.5, 1.0, 1.5, 3.0])).map(
        lambda pair: LDiversity("s", pair[0], "recursive", pair[1])
    ),
    st.tuples(st.sampled_from([0.25, 0.4, 0.5, 0.75]), st.integers(2, 5)).map(
        lambda pair: AlphaK("s", *pair)
    ),
)
counts = st.lists(st.integers(1, 6), min_size=1, max_size=4)


@settings(max_examples=300, deadline=None)
@given(models, st.lists(counts, min_size=1, max_size=3))
def test_no_part_that_satisfies_the_model_is_larger(model, several):
    kept = model.most_kept(classes_of(several)).tolist()
    assert kept == [most(model, one) for one in several]


@settings(max_examples=200, deadline=None)
@given(models, counts)
def test_whatever_satisfies_it_holds_as_many_values(model, held):
    if satisfies(model, held):
        assert len(held) >= model.distinct_values()
