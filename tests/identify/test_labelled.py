from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.identify import labelled
from incrowd.identify.border import GrowthPath
from incrowd.identify.labelled import Cutter
from incrowd.identify.records import Measure, Records, budget

ANY = 2**62


def lacking(rows, counts, columns, measure):
    """What the rows lack, beyond what each lacks alone, in dictionaries."""
    classes = defaultdict(list)
    for row, count in zip(rows, counts, strict=True):
        classes[tuple(row[j] for j in columns)].append(count)
    together = [here for here in classes.values() if len(here) > 1]
    match measure:
        case Measure.DISTINCT:
            return sum(len(here) - 1 for here in together)
        case Measure.UNIQUE:
            return sum(Counter(here)[1] for here in together)
        case Measure.SEPARATION:
            return sum(sum(here) ** 2 - sum(c * c for c in here) for here in together) // 2


@st.composite
def tallies(draw):
    width = draw(st.integers(1, 6))
    row = st.tuples(*[st.integers(0, draw(st.sampled_from([0, 1, 3, 50]))) for _ in range(width)])
    rows = draw(st.lists(row, min_size=1, max_size=30))
    count = st.sampled_from(draw(st.sampled_from([[1], [1, 2, 3], [1, 2**26]])))
    counts = draw(st.lists(count, min_size=len(rows), max_size=len(rows)))
    columns = draw(st.permutations(range(width)))
    return rows, counts, tuple(columns[: draw(st.integers(1, width))])


def cutter_of(rows, counts, measure):
    codes = np.ascontiguousarray(np.array(rows, dtype=np.int32).T)
    names = tuple(f"c{j}" for j in range(len(codes)))
    records = Records(names, codes, np.array(counts, dtype=np.int64))
    return Cutter(records, budget(records, measure, 0.5))


@pytest.mark.parametrize("measure", list(Measure))
@settings(max_examples=150, deadline=None)
@given(table=tallies(), cut=st.integers(0, 6), cells=st.sampled_from([3, 2**62]))
def test_columns_cost_what_their_classes_lack(measure, table, cut, cells):
    rows, counts, columns = table
    cutter = cutter_of(rows, counts, measure)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(labelled, "_LARGEST", cells)
        for _ in range(2):
            here = cutter.split(cutter.whole, columns[:cut])
            assert here.lost == 0
            assert cutter.cost(here, columns[cut:], ANY) == lacking(rows, counts, columns, measure)


@pytest.mark.parametrize("measure", list(Measure))
@settings(max_examples=100, deadline=None)
@given(table=tallies(), spare=st.integers(0, 20))
def test_classes_left_out_cost_no_more_than_is_said(measure, table, spare):
    rows, counts, columns = table
    cutter = cutter_of(rows, counts, measure)
    here = cutter.split(cutter.whole, columns[:1], spare)
    cost = cutter.cost(here, columns[1:], ANY)
    assert 0 <= here.lost <= spare
    assert cost <= lacking(rows, counts, columns, measure) <= cost + here.lost


@pytest.mark.parametrize("measure", list(Measure))
@settings(max_examples=100, deadline=None)
@given(table=tallies(), limit=st.integers(0, 40))
def test_a_set_grows_as_long_as_it_costs_too_much(measure, table, limit):
    rows, counts, columns = table
    order = range(len(rows[0]))
    cost, more = cutter_of(rows, counts, measure).grow(columns, order, limit)
    assert cost == lacking(rows, counts, columns, measure)
    grown = columns
    if cost > limit:
        for j in order:
            if j not in columns and lacking(rows, counts, (*grown, j), measure) > limit:
                grown = (*grown, j)
    assert columns + more == grown


@given(length=st.integers(0, 12), border=st.integers(-1, 12), empty=st.booleans())
def test_a_way_is_halved_until_its_end_is_known(length, border, empty):
    border = max(min(border, length), 0 if empty else -1)
    way = GrowthPath((), tuple(range(length)), 0 if empty else -1, length + 1)
    looks = 0
    while way.is_open:
        way.note(keeps=way.next_steps > border)
        looks += 1
    assert (way.fails, way.keeps) == (border, border + 1)
    assert looks <= 6
