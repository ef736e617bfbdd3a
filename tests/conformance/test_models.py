"""Every model of the union passes the same suite."""

import dataclasses
import math
from contextlib import suppress
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from incrowd.errors import PolicyError
from incrowd.models import MODELS as MODELS_BY_NAME
from incrowd.models import AlphaK, AnyModel, KAnonymity, KMap, LDiversity, Probabilistic, TCloseness
from incrowd.models.model import TableSize
from incrowd.partition.classes import Classes, Histogram, SensitiveColumn
from plugin_values import values as values_of

patient = settings(deadline=None, max_examples=40)
"""The first example compiles kernels."""

MAPS = np.array([[0, 1, 2, 3, 4], [0, 1, 1, 2, 2], [0, 1, 1, 1, 2], [1, 1, 1, 1, 1]], np.int32)

SPECIAL = [
    KAnonymity(3),
    KMap(7),
    LDiversity("s", 2),
    LDiversity("s", 1.5),
    LDiversity("s", 3, "distinct"),
    LDiversity("s", 2, "entropy"),
    LDiversity("s", 1.7, "entropy"),
    LDiversity("s", 2, "recursive", c=2),
    LDiversity("s", 3, "recursive", c=0.5),
    TCloseness("s", 0.3),
    TCloseness("s", 0.25, "ordered"),
    TCloseness("s", 0.3, "hierarchical"),
    AlphaK("s", 0.5, 2),
    AlphaK("s", 1 / 3, 3),
    Probabilistic(2_000, 4, 0.1),
    Probabilistic(50, 3, 0.4),
]

MODELS = values_of(AnyModel, "s", SPECIAL)
every_model = pytest.mark.parametrize("model", MODELS, ids=repr)

values = st.lists(st.integers(0, 4), min_size=5, max_size=5).filter(any)
holdings = st.lists(values, min_size=1, max_size=4)


def classes_of_holdings(rows, whole=None):
    """Classes whose people each hold one value; `rows[c][v]` hold v in class c.

    The world has two individuals for each of them.
    """
    matrix = np.array(rows, dtype=np.int64).reshape(-1, 5)
    total = matrix.sum(axis=0) if whole is None else np.array(whole)
    column = SensitiveColumn("s", total, ordered=True, maps=MAPS)
    c, code = np.nonzero(matrix)
    start = np.concatenate([[0], np.cumsum(np.bincount(c, minlength=len(matrix)))])
    held = Histogram(column, start.astype(np.int64), code.astype(np.int32), matrix[c, code])
    people = matrix.sum(axis=1)
    return Classes(people, people, {"s": held}, 2 * people)


def safe(model, value):
    return value >= model.threshold if model.higher_is_safer else value <= model.threshold


@every_model
def test_it_is_a_frozen_value_that_a_policy_can_write(model):
    written = TypeAdapter(AnyModel).dump_python(model)

    assert TypeAdapter(AnyModel).validate_python(written) == model
    assert written["name"] == model.name
    with pytest.raises(dataclasses.FrozenInstanceError):
        model.name = "other"


@patient
@every_model
@given(rows=holdings)
def test_what_is_reached_tells_whether_all_classes_satisfy_it(model, rows):
    classes = classes_of_holdings(rows)

    assert bool(model.satisfied_by(classes).all()) == safe(model, model.achieved_by(classes))


@every_model
def test_further_records_of_the_same_people_change_nothing(model):
    """Models count people: a class is not larger because somebody came to hospital twice."""
    once = classes_of_holdings([row for row in product(range(3), repeat=5) if any(row)])
    often = dataclasses.replace(once, records=3 * once.people)

    assert model.satisfied_by(often).tolist() == model.satisfied_by(once).tolist()
    assert model.achieved_by(often) == model.achieved_by(once)
    assert model.possible(often) == model.possible(once)


@patient
@every_model
@given(rows=holdings)
def test_no_release_reaches_more_than_is_possible(model, rows):
    whole = classes_of_holdings([np.sum(rows, axis=0)])
    classes = classes_of_holdings(rows)
    best = model.possible(whole)

    slack = 1e-9 if model.higher_is_safer else -1e-9
    assert (model.achieved_by(classes) <= best + slack) == model.higher_is_safer or math.isclose(
        model.achieved_by(classes), best, abs_tol=1e-9
    )


@patient
@every_model
@given(one=values, other=values, rest=values)
def test_the_union_of_satisfying_classes_satisfies_a_monotone_model(model, one, other, rest):
    whole = np.sum([one, other, rest], axis=0)
    both = np.add(one, other)
    first, second, union = model.satisfied_by(classes_of_holdings([one, other, both], whole))

    if model.monotone and first and second:
        assert union
    if model.absorbing and (first or second):
        assert union


@every_model
def test_it_does_not_claim_less_than_it_keeps(model):
    """A model that is not absorbing has a counterexample; only of a world need one be not monotone.

    A last class holds everybody else, so that shares are those of one table.
    """
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 5, (400, 5))
    rows[::2, :4] = 0
    rows[::2, 4] *= 20
    rows = rows[rows.sum(axis=1) > 0]
    whole = np.full(5, 100)
    pairs = rows[: len(rows) // 2 * 2].reshape(-1, 2, 5)
    people = rows.sum(axis=0)
    first, second, union = (
        model.satisfied_by(classes_of_holdings([*part, people - part.sum(axis=0)], whole))[:-1]
        for part in (pairs[:, 0], pairs[:, 1], pairs.sum(axis=1))
    )

    if model.largest_presence() < 1:
        assert not model.monotone
        return
    assert model.monotone
    assert bool(((first | second) & ~union).any()) != model.absorbing


@patient
@every_model
@given(rows=holdings)
def test_what_it_says_of_classes_that_satisfy_it_is_true(model, rows):
    """Whoever builds on these figures may: no satisfying class contradicts them."""
    whole = np.sum(rows, axis=0)
    classes = classes_of_holdings(rows, whole)
    table = TableSize(int(classes.people.sum()), 1)
    with suppress(PolicyError):  # of more people than the population has it says nothing
        model = model.bind_to(table)
    for c in np.flatnonzero(model.satisfied_by(classes)):
        held = np.array(rows[c])
        assert held.sum() >= model.smallest_class()
        assert classes.world[c] >= model.smallest_candidate_set()
        assert held.sum() <= model.largest_presence() * classes.world[c]
        assert np.count_nonzero(held) >= model.distinct_values() or not model.columns
        for name in model.columns:
            limits = model.share_limits(name)
            assert limits.least <= Fraction(0)
            assert Fraction(int(held.max()), int(held.sum())) <= limits.most
    kept = model.most_kept(classes)
    assert (kept <= classes.people).all()
    assert (kept[model.satisfied_by(classes)] == classes.people[model.satisfied_by(classes)]).all()


@every_model
def test_so_many_different_values_as_it_calls_enough_satisfy_it(model):
    number = model.enough_values()
    if number > 1 and number <= 5:
        several = [[1] * number + [0] * (5 - number)]
        satisfied = model.satisfied_by(classes_of_holdings(several))
        assert satisfied.all() or number < model.smallest_class()


@every_model
def test_shares_decide_if_it_says_so(model):
    if model.shares_decide:
        (column,) = model.columns
        most = model.share_limits(column).most
        rows = np.random.default_rng(3).integers(0, 4, (200, 5))
        rows = rows[rows.sum(axis=1) > 0]
        kept = [Fraction(int(row.max()), int(row.sum())) <= most for row in rows]
        assert model.satisfied_by(classes_of_holdings(rows)).tolist() == kept


@every_model
def test_it_says_what_it_needs_and_promises(model):
    assert MODELS_BY_NAME[model.name] is type(model)
    assert model.requires <= {"population", "reference", "world"}
    assert model.basis in {"counted", "by construction"}
    promise = model.promise.format(column="s", achieved=7)
    assert "7" in promise
    assert ("s" in promise.split()) == bool(model.columns)
    assert all(sentence.endswith(".") for sentence in model.assumptions())


@patient
@every_model
@given(rows=holdings, order=st.randoms(use_true_random=False))
def test_the_order_of_the_classes_does_not_matter(model, rows, order):
    shuffled = rows.copy()
    order.shuffle(shuffled)
    whole = np.sum(rows, axis=0)

    assert model.achieved_by(classes_of_holdings(rows, whole)) == model.achieved_by(
        classes_of_holdings(shuffled, whole)
    )


@every_model
def test_without_a_class_it_is_satisfied_at_its_best(model):
    nothing = classes_of_holdings([], np.zeros(5, dtype=np.int64))

    assert model.satisfied_by(nothing).tolist() == []
    assert model.achieved_by(nothing) == (math.inf if model.higher_is_safer else 0.0)


@patient
@every_model
@given(rows=holdings)
def test_judging_leaves_the_classes_as_they_were(model, rows):
    classes = classes_of_holdings(rows)
    held = classes.histograms["s"]
    before = [array.copy() for array in (classes.people, held.start, held.code, held.count)]
    model.satisfied_by(classes)
    model.achieved_by(classes)

    after = (classes.people, held.start, held.code, held.count)
    assert all((a == b).all() for a, b in zip(before, after, strict=True))
