"""Judges that stand alone: distances over a tree, and crowds that stand for a population."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.errors import NotMetError
from incrowd.verify import judges
from incrowd.verify.binomial import largest_k, lower_share
from incrowd.verify.crowds import crowds_of
from incrowd.verify.judges import Evidence, Values, judge
from naive import verify as naive

TREES = (
    [[0, 1, 2, 3, 4], [0, 1, 1, 2, 2], [0, 1, 1, 1, 1], [0, 0, 0, 0, 0]],
    [[0, 1, 2, 3, 4], [0, 1, 1, 1, 2], [0, 0, 0, 0, 0]],
    [[0, 1, 2, 3, 4], [0, 0, 0, 0, 0]],
    [[0, 1, 1, 2, 2], [0, 1, 1, 1, 1], [0, 0, 0, 0, 0]],
)
HAIR = Fraction(1, 10_000)


def closeness(t, distance="hierarchical"):
    return SimpleNamespace(
        name="t-closeness", column="s", columns=("s",), threshold=t, t=t, distance=distance
    )


def evidence_of(rows, more, maps, unit=None):
    """(cell, value) per row that leaves; `more` are values of records that are left out."""
    cells, codes = np.array(rows).T
    whole = np.bincount([*codes, *more], minlength=5)
    maps = None if maps is None else np.array(maps, dtype=np.int32)
    crowds = crowds_of([cells + 1], unit, anything=False)
    return Evidence(crowds, {"s": Values(codes, whole, maps)})


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=12),
    st.lists(st.integers(0, 4), max_size=5),
    st.sampled_from(TREES),
    st.sampled_from([1, 5, 9, 10, 2**21]),
)
def test_distances_over_a_tree_at_their_limit(rows, more, tree, block):
    """However many crowds are looked at together."""
    values = [value for _, value in rows]
    whole = naive.spread({v: [*values, *more].count(v) for v in range(5)}, range(5))
    crowds = [[i for i, (other, _) in enumerate(rows) if other == cell] for cell, _ in rows]
    worst = max(
        naive.hierarchical(
            naive.spread(naive.holders(crowd, values, range(len(rows))), range(5)), whole, tree
        )
        for crowd in crowds
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judges, "_LARGEST_BLOCK", block)
        evidence = evidence_of(rows, more, tree)
        for t in (worst, worst - HAIR, worst + HAIR):
            reached, met = judge(closeness(float(t)), evidence)
            assert (reached, met) == (pytest.approx(float(worst), abs=1e-9), t >= worst)


def test_distances_over_a_tree_by_hand():
    """One value only of four: half is carried over the top, a quarter inside its own node."""
    tree = [TREES[1][0], [0, 1, 1, 2, 2], [0, 0, 0, 0, 0]]
    evidence = evidence_of([(0, 1), (0, 1)], [2, 2, 3, 3, 4, 4], tree)
    assert judge(closeness(0.1), evidence) == (pytest.approx(0.25 / 2 + 0.5), False)


def test_without_the_tree_its_distances_are_not_judged():
    with pytest.raises(NotMetError, match="lacks its hierarchy"):
        judge(closeness(0.5), evidence_of([(0, 1), (0, 2)], [], None))


def standing_for(population, k, beta=0.1, confidence=0.9, labels="any"):
    return SimpleNamespace(
        name="probabilistic",
        threshold=k,
        k=k,
        population=population,
        beta=beta,
        confidence=confidence,
        labels=labels,
    )


def crowds_of_sizes(*sizes, drawn=None, columns=1, unit=None):
    cells = np.repeat(np.arange(1, len(sizes) + 1), sizes)
    return Evidence(crowds_of([cells], unit, anything=False), {}, columns=columns, drawn=drawn)


@pytest.mark.parametrize("labels", ["any", "declared"])
@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize("drawn", [None, 400, 1_000])
@pytest.mark.parametrize("beta", [0.02, 0.1, 0.5, 0.7])
def test_a_crowd_stands_for_what_its_lowest_share_supports(labels, columns, drawn, beta):
    """The smallest crowd decides; a beta above a half counts as a half."""
    evidence = crowds_of_sizes(90, 310, drawn=drawn, columns=columns)
    people = max(400, drawn or 0)
    share = lower_share(90, people, columns, 1 - 0.9, declared=labels == "declared")
    k = max(90, largest_k(5_000, share, min(beta, 0.5)))
    for asked, met in ((k, True), (k + 1, False)):
        model = standing_for(5_000, asked, beta, labels=labels)
        assert judge(model, evidence) == (k, met)


def test_the_people_drawn_are_never_fewer_than_those_who_leave():
    model = standing_for(5_000, 2)
    alone = judge(model, crowds_of_sizes(90, 310))
    assert judge(model, crowds_of_sizes(90, 310, drawn=399)) == alone
    assert judge(model, crowds_of_sizes(90, 310, drawn=900))[0] < alone[0]


def test_a_sample_may_be_everybody_but_no_more():
    """30 of 30 are the population: a crowd of 12 stands for 12 at least."""
    for drawn, known in ((None, True), (30, True), (31, False)):
        reached, met = judge(standing_for(30, 12), crowds_of_sizes(12, 18, drawn=drawn))
        assert (reached >= 12, met) == (known, known)
    assert judge(standing_for(29, 12), crowds_of_sizes(12, 18)) == (0, False)
    assert judge(standing_for(30, 13), crowds_of_sizes(12, 18)) == (12, False)


def test_people_with_several_rows_are_drawn_once():
    """40 rows of 20 people, ten in each crowd, are a sample of a population of 20."""
    unit = np.repeat(np.arange(20), 2)
    assert judge(standing_for(20, 10), crowds_of_sizes(20, 20, unit=unit)) == (10, True)
    assert judge(standing_for(19, 10), crowds_of_sizes(20, 20, unit=unit)) == (0, False)


def test_what_nobody_judges_is_refused():
    model = SimpleNamespace(name="strange", threshold=2)
    with pytest.raises(NotMetError, match="cannot verify"):
        judge(model, crowds_of_sizes(2))


@settings(max_examples=50)
@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 8)), min_size=1, max_size=14),
    st.lists(st.integers(0, 8), max_size=8),
)
def test_distances_along_an_order_at_their_limit(rows, more):
    """With values between those of a crowd, before the first of them and after the last."""
    values = [value for _, value in rows]
    whole = [[*values, *more].count(v) for v in range(9)]
    shares = naive.spread(dict(enumerate(whole)), range(9))
    crowds = [[i for i, (other, _) in enumerate(rows) if other == cell] for cell, _ in rows]
    worst = max(
        naive.ordered(
            naive.spread(naive.holders(crowd, values, range(len(rows))), range(9)), shares
        )
        for crowd in crowds
    )
    cells, codes = np.array(rows).T
    crowds = crowds_of([cells + 1], None, anything=False)
    evidence = Evidence(crowds, {"s": Values(codes, np.array(whole))})
    for t in (worst, worst - HAIR, worst + HAIR):
        reached, met = judge(closeness(float(t), "ordered"), evidence)
        assert (reached, met) == (pytest.approx(float(worst), abs=1e-9), t >= worst)


def test_presence_is_no_surer_than_sure():
    """Three people, and one individual whom they may be."""
    evidence = Evidence(crowds_of([np.array([1, 1, 1])], None, anything=False), {}, np.array([1]))
    assert judge(SimpleNamespace(name="delta-presence", threshold=0.5, delta=0.5), evidence) == (
        1,
        False,
    )


def test_presence_is_compared_exactly_however_many_people_there_are():
    """One person in two thousand million too many is one too many."""
    for people, met in ((1_000_000_000, True), (1_000_000_001, False)):
        crowds = SimpleNamespace(people_of_class=np.array([people]))
        evidence = Evidence(crowds, {}, np.array([2_000_000_000]))
        model = SimpleNamespace(name="delta-presence", threshold=0.5, delta=0.5)
        assert judge(model, evidence) == (0.5, met)


def test_a_limit_is_the_fraction_that_was_meant():
    for number, meant in ((0.1, (1, 10)), (1 / 3, (1, 3)), (0.000001, (1, 10**6)), (2.5, (5, 2))):
        assert judges.meant_fraction(number) == Fraction(*meant)


def test_no_distance_along_an_order_is_above_1():
    """Nine of ten in the table are missing, nobody in the crowd: 0.9 and a half more."""
    crowds = crowds_of([np.array([1, 1])], None, anything=False)
    evidence = Evidence(crowds, {"s": Values(np.array([1, 1]), np.array([36, 2, 2]))})
    assert judge(closeness(0.5, "ordered"), evidence) == (1, False)
