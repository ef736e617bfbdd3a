"""A shuffle that does not fit into memory."""

from collections import Counter
from itertools import permutations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from incrowd.io import passes as order
from incrowd.io.passes import shuffle
from incrowd.io.scratch import scratch_frames


def shuffled(n, size, seed, cells):
    frame = pl.DataFrame({"a": range(n), "b": [str(i) for i in range(n)]})
    frames = (frame[start : start + size] for start in range(0, n, size))
    with scratch_frames() as aside, pytest.MonkeyPatch.context() as patch:
        patch.setattr(order, "CELLS", cells)
        found = list(shuffle(frames, 2 * n, seed, aside))
    assert all(one.columns == ["a", "b"] for one in found)
    rows = [row for one in found for row in one.rows()]
    assert all(str(a) == b for a, b in rows)
    return [a for a, _ in rows]


@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(1, 90), sizes=st.tuples(st.integers(1, 90), st.integers(1, 90)), data=st.data()
)
def test_every_row_leaves_once_in_an_order_that_the_seed_decides(n, sizes, data):
    seed = data.draw(st.integers(0, 2**40))
    one = shuffled(n, sizes[0], seed, data.draw(st.integers(1, 200)))
    other = shuffled(n, sizes[1], seed, data.draw(st.integers(1, 200)))
    assert sorted(one) == list(range(n))
    assert one == other


def test_seeds_differ_and_no_seed_is_a_new_order():
    assert shuffled(60, 7, 1, 16) != shuffled(60, 7, 2, 16)
    assert shuffled(60, 7, None, 16) != shuffled(60, 7, None, 16)


@pytest.mark.slow
def test_all_orders_are_equally_likely():
    found = Counter(tuple(shuffled(4, 3, seed, 2)) for seed in range(1200))
    assert chisquare([found[one] for one in permutations(range(4))]).pvalue > 1e-4
