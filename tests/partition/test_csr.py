"""Compressed rows against lists of lists."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from incrowd.partition.csr import (
    each_by_itself,
    entries,
    group_by_owner,
    offsets,
    offsets_of,
    owners,
)

LISTS = st.lists(st.lists(st.integers(0, 9), max_size=4), max_size=6)


@given(LISTS, st.data())
def test_the_members_of_some_rows(rows, data):
    start = offsets([len(row) for row in rows])
    member = np.array([one for row in rows for one in row], dtype=np.int32)
    some = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=5) if rows else st.just([]))
    entry, place = entries(start, np.array(some, dtype=np.int64))
    assert member[entry].tolist() == [one for row in some for one in rows[row]]
    assert place.tolist() == [i for i, row in enumerate(some) for _ in rows[row]]
    owner = owners(start)
    assert owner.tolist() == [i for i, row in enumerate(rows) for _ in row]
    assert offsets_of(owner, len(rows)).tolist() == start.tolist()


@given(st.lists(st.integers(0, 5), max_size=12))
def test_positions_grouped_by_their_owner(owner):
    start, order = group_by_owner(np.array(owner, dtype=np.int32), 6)
    for row in range(6):
        found = order[start[row] : start[row + 1]].tolist()
        assert found == [i for i, one in enumerate(owner) if one == row]


def test_each_row_is_its_own_member():
    start, member = each_by_itself(3)
    assert (start.tolist(), member.tolist()) == ([0, 1, 2, 3], [0, 1, 2])
