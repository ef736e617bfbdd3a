"""Whom columns that leave unchanged single out: compared with a slow twin on random rows."""

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.alone
from evidence import counted
from incrowd.table.column import Missing
from incrowd.verify.alone import AloneLimit, count_alone, measure_alone
from incrowd.verify.verify import see_release
from incrowd.withholding import round_up_share

QUASI, KEPT = ("a", "b"), ("u", "v", "w")


@st.composite
def releases(draw):
    rows = draw(st.integers(1, 14))
    cell = st.sampled_from(["x", "y", None])
    cells = {name: draw(st.lists(cell, min_size=rows, max_size=rows)) for name in (*QUASI, *KEPT)}
    unit = draw(st.none() | st.lists(st.integers(1, 4), min_size=rows, max_size=rows))
    return pl.DataFrame(cells, schema=dict.fromkeys(cells, pl.String)), unit


def seen(frame, unit, missing=Missing.OWN_VALUE):
    policy = SimpleNamespace(quasi=QUASI, missing=missing)
    return see_release(
        counted(frame, None if unit is None else np.array(unit, dtype=np.int32)), policy
    )


def cells(frame, names):
    return list(frame.select(names).iter_rows())


@settings(max_examples=150, deadline=None)
@given(releases(), st.sampled_from(list(Missing)[:2]))
def test_people_are_counted_as_the_twin_counts_them(release, missing):
    frame, unit = release
    sets = [(), ("u",), ("v", "w"), KEPT]
    found = count_alone([seen(frame, unit, missing)], sets)
    whose = list(range(frame.height)) if unit is None else unit
    anything = missing is Missing.MATCHES_ANYTHING
    assert found.people == len(set(whose))
    for names in sets:
        kept = cells(frame, names) if names else [()] * frame.height
        expected = naive.alone.alone(cells(frame, QUASI), kept, whose, anything)
        assert found.alone[names] == len(expected)


@settings(max_examples=50, deadline=None)
@given(releases())
def test_blocks_of_whole_classes_add_up(release):
    frame, _ = release
    parts = [part for _, part in frame.group_by(QUASI)]
    sets = [("u",), KEPT]
    whole = count_alone([seen(frame, None)], sets)
    assert count_alone([seen(part, None) for part in parts], sets) == whole


@settings(max_examples=100, deadline=None)
@given(releases(), st.sampled_from([0.0, 0.4, 0.7]), st.sets(st.sampled_from(KEPT)))
def test_what_is_blamed_is_enough(release, limit, accepted):
    frame, unit = release

    def blocks():
        return [seen(frame, unit)]

    asked = AloneLimit(limit, frozenset(accepted))
    found = measure_alone(blocks, KEPT, asked)
    assert found.ok == (found.unaccepted <= limit) == (not found.excess)
    assert not set(found.excess) & accepted
    assert max(found.columns.values()) <= found.together
    more = AloneLimit(limit, frozenset(accepted) | frozenset(found.excess))
    assert measure_alone(blocks, KEPT, more).ok
    gone = [name for name in KEPT if name not in found.excess]
    assert measure_alone(blocks, gone, asked).ok


def test_a_column_that_cannot_be_compared_singles_out_everybody():
    frame = pl.DataFrame({"a": ["x"] * 4, "b": ["y"] * 4, "u": ["z"] * 4})
    found = measure_alone(lambda: [seen(frame, None)], ("u", "list"), AloneLimit(0.05), ("list",))
    assert (found.columns, found.together, found.excess) == (
        {"u": 0.0, "list": 1.0},
        1.0,
        ("list",),
    )
    accepted = AloneLimit(0.05, frozenset({"list"}))
    assert measure_alone(lambda: [seen(frame, None)], ("u", "list"), accepted, ("list",)).ok


@given(st.integers(0, 400), st.integers(1, 400))
def test_shares_are_told_rounded_up(alone, people):
    alone = min(alone, people)
    assert round_up_share(alone, people) == naive.alone.told(alone, people)


@pytest.mark.parametrize(("alone", "people", "told"), [(1, 60, 0.0834), (5, 100, 0.05), (7, 7, 1)])
def test_few_people_count_as_five(alone, people, told):
    assert round_up_share(alone, people) == told
