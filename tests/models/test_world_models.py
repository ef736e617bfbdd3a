"""k-map and delta-presence: what they ask of classes that were held against a world."""

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

import incrowd
from incrowd.errors import PolicyError
from incrowd.models import AnyModel, DeltaPresence, KMap
from incrowd.models.model import counts_world_people
from incrowd.partition.classes import Classes
from incrowd.policy.policy import Column, Policy
from incrowd.verify.crowds import crowds_of
from incrowd.verify.judges import Evidence, judge

sizes = st.lists(st.tuples(st.integers(1, 9), st.integers(0, 40)), min_size=1, max_size=6)


def classes_of(pairs):
    people = np.array([people for people, _ in pairs], dtype=np.int64)
    return Classes(people, people, {}, np.array([there for _, there in pairs], dtype=np.int64))


def evidence_of(pairs):
    rows = np.repeat(np.arange(len(pairs)), [people for people, _ in pairs]).astype(np.int64)
    there = np.array([there for _, there in pairs], dtype=np.int64)
    return Evidence(crowds_of([rows + 1], None, anything=False), {}, there)


@settings(max_examples=80)
@given(sizes, st.integers(2, 9))
def test_k_map_counts_the_people_of_the_world(pairs, k):
    model, classes = KMap(k), classes_of(pairs)
    assert model.satisfied_by(classes).tolist() == [there >= k for _, there in pairs]
    assert model.achieved_by(classes) == min(there for _, there in pairs)
    assert judge(model, evidence_of(pairs)) == (
        model.achieved_by(classes),
        bool(model.satisfied_by(classes).all()),
    )


@settings(max_examples=80)
@given(
    sizes,
    st.fractions(min_value=Fraction(1, 12), max_value=Fraction(11, 12), max_denominator=12),
)
def test_delta_presence_compares_the_table_with_the_world(pairs, delta):
    model, classes = DeltaPresence(float(delta)), classes_of(pairs)
    shares = [Fraction(people, there) if there else Fraction(1) for people, there in pairs]
    assert model.satisfied_by(classes).tolist() == [share <= delta for share in shares]
    assert model.achieved_by(classes) == pytest.approx(float(min(max(shares), 1)))
    reached, met = judge(model, evidence_of(pairs))
    assert reached == pytest.approx(model.achieved_by(classes))
    assert met == bool(model.satisfied_by(classes).all())


def test_classes_that_overlap_make_delta_presence_lose_its_union():
    """Two classes of the same ten people: each holds a fifth of them, together they hold two."""
    one, both = classes_of([(2, 10)]), classes_of([(4, 10)])
    assert DeltaPresence(0.2).satisfied_by(one).all()
    assert not DeltaPresence(0.2).satisfied_by(both).any()
    assert not DeltaPresence(0.2).monotone
    assert KMap(5).monotone
    assert KMap(5).absorbing


@pytest.mark.parametrize("model", [KMap(3), DeltaPresence(0.5)])
def test_without_a_world_nothing_is_said(model):
    alone = Classes(np.array([4]), np.array([4]), {})
    for ask in (model.satisfied_by, model.achieved_by, model.possible):
        with pytest.raises(PolicyError, match="there is none here") as caught:
            ask(alone)
        assert "--world" in caught.value.remedy
    assert counts_world_people(model)
    assert TypeAdapter(AnyModel).validate_python({"name": model.name, **_settings(model)}) == model


def _settings(model):
    return {"k": model.k} if isinstance(model, KMap) else {"delta": model.delta}


def test_a_class_that_nobody_fits_contradicts_the_world():
    nobody = classes_of([(3, 0)])
    assert not KMap(2).satisfied_by(nobody).any()
    assert not DeltaPresence(0.9).satisfied_by(nobody).any()
    assert DeltaPresence(0.9).achieved_by(nobody) == 1.0


def test_no_class_is_no_weakest_class():
    none = classes_of([])
    assert KMap(2).achieved_by(none) == float("inf")
    assert DeltaPresence(0.5).achieved_by(none) == 0.0


@pytest.mark.parametrize("wrong", [{"delta": 0}, {"delta": 1}, {"delta": 2}])
def test_wrong_settings_are_refused_when_written(wrong):
    with pytest.raises(PolicyError):
        DeltaPresence(**wrong)
    with pytest.raises(PolicyError):
        KMap(1)


@pytest.mark.parametrize("show", ["representatives", "permutation"])
@pytest.mark.parametrize("model", [KMap(3), DeltaPresence(0.5)])
def test_cells_that_stand_for_nobody_in_particular_are_refused(show, model):
    columns = {"age": Column(role="quasi"), "ill": Column(role="sensitive")}
    with pytest.raises(PolicyError, match=model.name):
        Policy(columns=columns, models=(model,), show=show)


def test_what_several_classes_say_of_one_individual_is_added_up():
    """Each class alone leaves even odds; whoever fits both is surely in one of them."""
    policy = Policy(columns={"age": Column(role="quasi")}, models=(DeltaPresence(0.5),))
    world = pl.DataFrame({"age": [1, 2, 3]})
    apart = incrowd.check(pl.DataFrame({"age": ["[1, 2]"]}), policy, world=world)
    assert (apart.models[0].reached, apart.models[0].ok) == (0.5, True)
    over = incrowd.check(pl.DataFrame({"age": ["[1, 2]", "[2, 3]"]}), policy, world=world)
    assert (over.models[0].reached, over.models[0].ok) == (1.0, False)
