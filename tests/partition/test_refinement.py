"""Stripped partitions against classes that are grouped from scratch."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from incrowd.partition.refinement import PartitionRefiner, StrippedPartition


@st.composite
def columns(draw):
    """Up to three columns of codes of the same rows."""
    rows = draw(st.integers(0, 12))
    codes = st.lists(st.integers(0, 3), min_size=rows, max_size=rows)
    return [np.array(draw(codes), dtype=np.int32) for _ in range(draw(st.integers(1, 3)))]


def classes(lines):
    """The rows of each class, by all columns, in the order of their first rows."""
    found = {}
    for row, key in enumerate(zip(*(line.tolist() for line in lines), strict=True)):
        found.setdefault(key, []).append(row)
    return list(found.values())


@given(columns())
def test_refining_gives_the_classes_of_all_columns(lines):
    here = again = StrippedPartition.whole(len(lines[0]))
    refiner = PartitionRefiner(len(lines[0]), 4)
    alone = [] if len(here.rows) else list(range(len(lines[0])))
    for line in lines:
        here, left = here.refine(line, 4)
        again = refiner.refine(again, line)
        alone += left.tolist()
    wanted = classes(lines)
    found = (
        [part.tolist() for part in np.split(here.rows, here.starts[1:-1])] if here.number else []
    )
    assert sorted(found) == sorted(one for one in wanted if len(one) > 1)
    assert sorted(alone) == sorted(one[0] for one in wanted if len(one) == 1)
    assert (again.rows.tolist(), again.starts.tolist()) == (
        here.rows.tolist(),
        here.starts.tolist(),
    )
    assert here.repeated == sum(len(one) - 1 for one in wanted)
