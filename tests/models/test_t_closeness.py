from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import naive.models
from incrowd.errors import PolicyError
from incrowd.models import TCloseness
from incrowd.models.t_closeness import meaningful_distances
from incrowd.partition.classes import Classes, Histogram, SensitiveColumn
from strategies import hierarchies

patient = settings(deadline=None)
"""The first example compiles kernels."""


def one_class(values, whole, maps=None, ordered=True):
    column = SensitiveColumn("s", np.array(whole), ordered=ordered, maps=maps)
    code = np.flatnonzero(values).astype(np.int32)
    count = np.array(values, dtype=np.int64)[code]
    held = Histogram(column, np.array([0, len(code)]), code, count)
    people = np.array([count.sum()])
    return Classes(people, people, {"s": held})


@st.composite
def pictures(draw):
    """A hierarchy, what a class holds, and what the whole table holds, that class included."""
    tree = draw(hierarchies())
    n = len(tree.leaves) + 1
    counts = st.lists(st.integers(0, 3), min_size=n, max_size=n)
    values = draw(counts.filter(any))
    whole = np.add(values, draw(counts)).tolist()
    return tree.maps, values, whole


@patient
@given(pictures())
def test_every_distance_agrees_with_the_naive_twin(picture):
    maps, values, whole = picture
    classes = one_class(values, whole, maps)
    held, table = dict(enumerate(values)), dict(enumerate(whole))
    expected = {
        "equal": naive.models.equal(held, table),
        "ordered": naive.models.ordered(held, table),
        "hierarchical": naive.models.hierarchical(held, table, maps.tolist()),
    }

    for distance, slow in expected.items():
        assert TCloseness("s", 0.5, distance).achieved_by(classes) == pytest.approx(float(slow))
        at_limit = TCloseness("s", min(1.0, float(slow)), distance)
        assert at_limit.satisfied_by(classes).all()
        assert at_limit.achieved_by(classes) == at_limit.t
        if slow > 0:
            assert not TCloseness("s", float(slow) * 0.999, distance).satisfied_by(classes).any()


@settings(deadline=None, max_examples=40)
@given(pictures())
def test_distances_are_the_earth_movers(picture):
    """By linear programming; `ordered` is above it where shares of missing values differ."""
    maps, values, whole = picture
    classes = one_class(values, whole, maps)
    held, table = dict(enumerate(values)), dict(enumerate(whole))
    known = [v for v in range(1, len(whole)) if whole[v]]
    steps = max(len(known) - 1, 1)

    def between(v, w):
        return float(v != w) if 0 in {v, w} else abs(known.index(v) - known.index(w)) / steps

    def level(v, w):
        meet = next(h for h, nodes in enumerate(maps) if nodes[v] == nodes[w])
        return meet / (len(maps) - 1)

    equal = naive.models.transport(held, table, lambda v, w: v != w)
    ordered = naive.models.transport(held, table, between)
    tree = naive.models.transport(held, table, level)
    assert TCloseness("s", 1).achieved_by(classes) == pytest.approx(equal, abs=1e-6)
    assert TCloseness("s", 1, "hierarchical").achieved_by(classes) == pytest.approx(tree, abs=1e-6)
    found = TCloseness("s", 1, "ordered").achieved_by(classes)
    assert found >= ordered - 1e-6
    if not whole[0]:
        assert found == pytest.approx(ordered, abs=1e-6)


def test_the_salary_example_of_li():
    """Salaries 3k…11k: {3k, 4k, 5k} is 0.375 away, {6k, 8k, 11k} 0.167 (Li Section 4)."""
    whole = [0] + [1] * 9
    far = one_class([0, 1, 1, 1, 0, 0, 0, 0, 0, 0], whole)
    near = one_class([0, 0, 0, 0, 1, 0, 1, 0, 0, 1], whole)

    assert TCloseness("s", 0.1, "ordered").achieved_by(far) == pytest.approx(0.375)
    assert TCloseness("s", 0.1, "ordered").achieved_by(near) == pytest.approx(1 / 6)


def test_many_values_cost_no_more_than_those_a_class_holds():
    whole = np.ones(200_001, dtype=np.int64)
    whole[0] = 0
    classes = one_class([0, *[1] + [0] * 199_999], whole)

    assert TCloseness("s", 0.1, "ordered").achieved_by(classes) == pytest.approx(0.5, abs=1e-5)


def test_a_distance_that_means_nothing_here_is_refused():
    classes = one_class([0, 1, 1], [0, 1, 1], ordered=False)

    with pytest.raises(PolicyError, match="needs a hierarchy of 's'"):
        TCloseness("s", 0.1, "hierarchical").satisfied_by(classes)
    with pytest.raises(PolicyError, match="'s' have no order"):
        TCloseness("s", 0.1, "ordered").satisfied_by(classes)


@pytest.mark.parametrize(
    ("distance", "said"),
    [("ordered", "'s' have no order"), ("hierarchical", "needs a hierarchy of 's'")],
)
def test_searches_are_told_too_that_a_distance_means_nothing(distance, said):
    classes = one_class([0, 1, 1], [0, 1, 1], ordered=False)
    model = TCloseness("s", 0.1, distance)
    with pytest.raises(PolicyError, match=said):
        model.in_numbers({"s": classes.histograms["s"].column})
    with pytest.raises(PolicyError, match=said):
        model.most_kept(classes)


def test_the_distances_that_mean_something_are_listed():
    maps = np.array([[0, 1], [1, 1]], dtype=np.int32)

    assert meaningful_distances(SensitiveColumn("s", np.ones(2))) == ("equal",)
    assert meaningful_distances(SensitiveColumn("s", np.ones(2), True, maps)) == (
        "equal",
        "ordered",
        "hierarchical",
    )


@patient
@given(pictures(), st.sampled_from([0.0, 0.1, 0.25, 0.5]))
def test_no_t_close_part_of_a_class_is_larger_than_the_most_kept(picture, t):
    _, values, whole = picture
    assume(np.prod(np.add(values, 1)) <= 500)
    classes, model = one_class(values, whole), TCloseness("s", t)

    most = int(model.most_kept(classes)[0])

    assert most >= naive.models.most_kept(dict(enumerate(values)), dict(enumerate(whole)), t)
    assert (most == sum(values)) == bool(model.satisfied_by(classes)[0])


def test_the_most_kept_of_a_class_is_what_its_rare_values_allow():
    classes = one_class([0, 10, 1], [0, 50, 50])

    assert TCloseness("s", 0.0).most_kept(classes).tolist() == [2]
    assert TCloseness("s", 0.3).most_kept(classes).tolist() == [5]
    assert TCloseness("s", 0.3, "ordered").most_kept(classes).tolist() == [5]


@patient
@pytest.mark.parametrize("distance", ["equal", "ordered", "hierarchical"])
@given(picture=pictures(), t=st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]))
def test_every_distance_knows_a_limit_of_what_can_be_kept(distance, picture, t):
    maps, values, whole = picture
    assume(np.prod(np.add(values, 1)) <= 200)
    model = TCloseness("s", t, distance)
    parts = [part for part in product(*(range(v + 1) for v in values)) if any(part)]
    close = [sum(part) for part in parts if model.satisfied_by(one_class(part, whole, maps)).all()]

    most = int(model.most_kept(one_class(values, whole, maps))[0])

    assert max(close, default=0) <= most <= sum(values)
