from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incrowd.kernels.identify.stripped import add_figures, add_split_figures, split_and_add_figures

NONE = np.iinfo(np.int64).max


def figures(sizes):
    sizes = list(sizes)
    together = sum(size * (size - 1) for size in sizes)
    return [len(sizes), together, sizes.count(1), min(sizes, default=NONE)]


def nothing():
    return np.array([0, 0, 0, NONE], dtype=np.int64)


@st.composite
def classes(draw):
    """Rows in classes 0, 1, …, with a code and a weight each."""
    n = draw(st.integers(0, 15))
    raw = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    class_of = np.unique(np.array(raw, dtype=np.int32), return_inverse=True)[1].astype(np.int32)
    codes = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    weights = draw(st.lists(st.integers(1, 3), min_size=n, max_size=n))
    return class_of, np.array(codes, dtype=np.int32), np.array(weights, dtype=np.int64)


def members(keys, weights):
    """Rows and records per key."""
    found = {}
    for i, key in enumerate(keys):
        rows, records = found.get(key, ((), 0))
        found[key] = ((*rows, i), records + int(weights[i]))
    return found


@given(classes())
def test_groups_are_the_classes_of_several_rows(table):
    class_of, codes, weights = table
    rows, bounds = np.arange(len(codes), dtype=np.int32), np.array([0, len(codes)])
    number = int(class_of.max(initial=0)) + 1
    none = nothing(), nothing()
    rows, held, bounds = split_and_add_figures(rows, weights, bounds, class_of, number, *none)
    settled, told, joined = none[0].copy(), none[0].copy(), none[0].copy()

    moved, heavy, start = split_and_add_figures(rows, weights, bounds, codes, 4, settled, told)
    add_split_figures(rows.view(np.uint32), held, bounds, codes.view(np.uint32), 4, joined)

    wanted = members(zip(class_of.tolist(), codes.tolist(), strict=True), weights).values()
    groups = [tuple(moved[lo:hi].tolist()) for lo, hi in pairwise(start)]
    assert sorted(groups) == sorted(rows for rows, _ in wanted if len(rows) > 1)
    assert heavy.tolist() == weights[moved].tolist()
    assert told.tolist() == joined.tolist() == figures(size for _, size in wanted)
    assert settled.tolist() == figures(size for rows, size in wanted if len(rows) == 1)


@pytest.mark.parametrize("sizes", [[], [1], [3, 1, 1], [2, 5]])
def test_figures_of_sizes(sizes):
    told = nothing()

    add_figures(np.array([*sizes, 9], dtype=np.int64), len(sizes), told)

    assert told.tolist() == figures(sizes)
