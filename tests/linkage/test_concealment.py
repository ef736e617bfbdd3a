"""Candidates after matching: every row is somebody else's."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.world as naive
from incrowd.linkage import concealment
from incrowd.linkage.concealment import FittingPairs, count_after_matching


def pairs_of(fits, rows):
    """The pairs of lists of people, one for each line."""
    every = [(t, p) for t, people in enumerate(fits) for p in people]
    line, person = np.array(every, dtype=np.int64).reshape(-1, 2).T
    return FittingPairs(line, person, np.array(rows, dtype=np.int64))


def test_the_third_row_must_be_the_last_person():
    """[21-22], [21-22], [21-23] against people aged 21, 22 and 23: two, two and three fit."""
    found = count_after_matching(pairs_of([[0, 1], [0, 1, 2]], [2, 1]))
    assert found.candidates.tolist() == [2, 1]
    assert found.k == 1


def test_a_larger_world_leaves_more_open():
    found = count_after_matching(pairs_of([[0, 1], [0, 1, 2, 3]], [2, 1]))
    assert found.candidates.tolist() == [2, 2]


def test_rows_that_cannot_all_be_different_people():
    assert count_after_matching(pairs_of([[0, 1]], [3])).candidates is None
    assert count_after_matching(pairs_of([[0], []], [1, 1])).candidates is None
    assert count_after_matching(pairs_of([[0, 1]], [3])).k is None


def test_too_many_pairs_are_not_counted(monkeypatch):
    pairs = pairs_of([[0, 1], [0, 1, 2]], [2, 1])
    for limit in ("MOST_PAIRS", "MOST_EDGES"):
        with monkeypatch.context() as patched:
            patched.setattr(concealment, limit, 2)
            assert count_after_matching(pairs) is None


LINES = st.lists(st.sets(st.integers(0, 6), max_size=5), min_size=1, max_size=5)


@settings(max_examples=200, deadline=None)
@given(LINES, st.data())
def test_as_the_twin_finds_it_by_trying_every_matching(fits, data):
    rows = data.draw(st.lists(st.integers(1, 2), min_size=len(fits), max_size=len(fits)))
    found = count_after_matching(pairs_of([sorted(one) for one in fits], rows))
    lines = [t for t, number in enumerate(rows) for _ in range(number)]
    expected = naive.left_after_matching([fits[t] for t in lines])
    if expected is None:
        assert found.candidates is None
        return
    assert [int(found.candidates[t]) for t in lines] == [len(one) for one in expected]


@settings(max_examples=50, deadline=None)
@given(LINES, st.sets(st.integers(0, 6)))
def test_only_those_who_are_in_the_table(fits, inside):
    there = np.array([p in inside for p in range(7)])
    found = count_after_matching(
        pairs_of([sorted(one) for one in fits], [1] * len(fits)).keep_people(there)
    )
    expected = naive.left_after_matching([one & inside for one in fits])
    if expected is None:
        assert found.candidates is None
    else:
        assert found.candidates.tolist() == [len(one) for one in expected]
