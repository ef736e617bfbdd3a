"""Points of the plane: what is known best about each, bounds, and points that cover each other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incrowd.web import edits, points
from incrowd.web.facts import ClassFacts, TriedRelease, WhatIf
from incrowd.web.pages import drawings
from incrowd.web.pages.drawings import Spot

POLICY = """\
version = 1
search = "crowd"
suppression = 0.0

[[models]]
name = "k-anonymity"
k = {k}

[columns.age]
role = "quasi"
"""


def answer(loss, *, quick=False, allowed=True):
    classes = ClassFacts(k=5, classes=9, highest=0.2, average=0.1, uniques=0)
    return WhatIf(
        before=classes,
        after=classes,
        suppressed=0,
        why_refused=None if allowed else "no record is left",
        loss_name="gcp",
        loss=loss,
        by_column={},
        quick=quick,
        how="",
        seconds=0.0,
    )


def point(k, loss, *, search="crowd", suppression=0.0, **known):
    name = f"{search} {k} {suppression}"
    found = None if loss is None else answer(loss, **known)
    text = POLICY.format(k=k)
    return TriedRelease(
        name=name, search=search, policy=text, answer=found, k=k, suppression=suppression
    )


losses = st.one_of(st.none(), st.floats(0, 1))
tried = st.lists(
    st.builds(
        point,
        st.sampled_from([2, 3, 5, 10]),
        losses,
        search=st.sampled_from(["crowd", "lattice"]),
        suppression=st.sampled_from([0.0, 0.05]),
        allowed=st.booleans(),
    ),
    max_size=12,
    unique_by=lambda one: one.name,
)


@given(tried)
def test_no_point_is_dearer_than_a_stricter_one_of_the_same_search(found):
    best = points.with_best_releases(found)
    assert [one.name for one in best] == [one.name for one in found]
    for one in best:
        for other in found:
            stricter = other.k >= one.k and other.suppression <= one.suppression
            usable = other.answer is not None and other.answer.allowed
            if stricter and usable and other.search == one.search:
                assert one.answer is not None
                assert one.answer.loss <= other.answer.loss


@given(tried)
def test_what_is_shown_of_a_point_is_a_release_that_somebody_found(found):
    by_name = {one.name: one for one in found}
    for one in points.with_best_releases(found):
        own = by_name[one.like or one.name]
        assert one.answer is own.answer
        assert one.policy == own.policy  # using the point makes just this release


def test_a_longer_search_takes_the_place_of_a_bound():
    stopped = point(2, 0.29, quick=True)
    longer = {stopped.policy: answer(0.15)}
    (found,) = points.with_longer_answers([stopped], longer)
    assert (found.answer.loss, found.answer.quick) == (0.15, False)


def test_points_that_cover_each_other_are_found_together():
    spots = [Spot(str(n), risk, 0.2, 0) for n, risk in enumerate([0.5, 0.5, 0.501, 0.1])]
    assert drawings.spots_covering(spots, 0) == [0, 1, 2]
    assert drawings.spots_covering(spots, 3) == [3]


def test_a_bound_is_drawn_otherwise_than_a_loss():
    spots = [Spot("a", 0.5, 0.2, 0), Spot("b", 0.2, 0.3, 0, bound=True)]
    assert drawings.plane_svg(spots).count("stroke-dasharray") == 1


@pytest.mark.parametrize(
    ("changed", "same"),
    [
        (POLICY.format(k=9), True),
        (POLICY.format(k=5).replace("crowd", "lattice").replace("0.0", "0.05"), True),
        (POLICY.format(k=5).replace("quasi", "keep"), False),
    ],
)
def test_points_belong_to_a_policy_but_for_their_k_search_and_limit(changed, same):
    shared = edits.shared_settings(POLICY.format(k=5))
    assert (edits.shared_settings(changed) == shared) is same
