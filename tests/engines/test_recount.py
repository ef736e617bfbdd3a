"""Counting rows in passes, against counting them by hand."""

from itertools import pairwise

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.quasi
from incrowd.engines.recount import count_ratios, count_ratios_in_passes, refuse_above
from incrowd.errors import NotMetError
from incrowd.identify.records import Measure

CELLS = [
    st.one_of(st.none(), st.integers(0, 3)),
    st.one_of(st.none(), st.sampled_from(["", "a", "b"])),
    st.sampled_from([0.0, -0.0, 1.5, float("inf")]),
]


@settings(max_examples=150, deadline=None)
@given(
    rows=st.lists(st.tuples(*CELLS), min_size=1, max_size=60),
    cuts=st.lists(st.integers(0, 60), max_size=4),
    most=st.integers(1, 70),
)
def test_passes_count_what_hands_count(rows, cuts, most):
    frame = pl.DataFrame(
        rows, schema={"a": pl.Int64, "b": pl.String, "c": pl.Float64}, orient="row"
    )
    places = [0, *sorted(cuts), 60]
    frames = [frame[start:end] for start, end in pairwise(places)]
    columns = [list(column) for column in zip(*rows, strict=True)]
    wanted = naive.quasi.ratios(columns, [1] * len(rows), range(3))

    found = count_ratios_in_passes(lambda: frames, frame.columns, most=most)

    assert vars(found) == wanted
    assert vars(count_ratios(frame)) == wanted


def test_no_more_classes_are_held_than_allowed():
    passes = 0
    frame = pl.DataFrame({"a": range(4000)})

    def frames():
        nonlocal passes
        passes += 1
        return (frame[start : start + 100] for start in range(0, 4000, 100))

    found = count_ratios_in_passes(frames, ["a"], most=1000)
    assert (found.records, found.classes, found.unique) == (4000, 4000, 4000)
    assert 4 <= passes <= 9


def test_a_ratio_above_the_limit_is_refused():
    found = count_ratios(pl.DataFrame({"a": [1, 2, 2, 2]}))
    assert refuse_above(found, Measure.DISTINCT, 0.5) is found
    with pytest.raises(NotMetError, match=r"0\.5, above the limit of 0\.4"):
        refuse_above(found, Measure.DISTINCT, 0.4)
