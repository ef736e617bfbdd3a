"""Sets of columns that are counted one by one, against all of them."""

from itertools import combinations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incrowd.engines.memory import MemoryEngine
from incrowd.identify.counted_sets import CountedSets
from incrowd.identify.records import Measure, Ratios
from incrowd.watch import Watch

NAMES = ("a", "b", "c", "d")
rows_of = st.lists(st.tuples(*[st.integers(0, 3)] * len(NAMES)), min_size=1, max_size=30)


def counting(rows, measure, ratio, watch=None):
    engine = MemoryEngine(pl.DataFrame(rows, schema=NAMES, orient="row"))

    def count(columns):
        return Ratios.of_sizes(*engine.class_sizes(columns))

    return CountedSets(count, NAMES, measure, ratio, watch or Watch())


@pytest.mark.parametrize("measure", Measure)
@given(rows=rows_of, ratio=st.sampled_from([0.2, 0.5, 0.9, 1.0]), picked=st.data())
def test_what_is_found_reaches_the_ratio_and_is_minimal(measure, rows, ratio, picked):
    sets = counting(rows, measure, ratio)
    every = [one for size in range(1, 5) for one in combinations(NAMES, size)]
    good = [one for one in every if sets.reaches(one)]
    minimal = [one for one in good if not any(set(o) < set(one) for o in good)]
    candidates = picked.draw(st.lists(st.sampled_from(every), max_size=4))
    found = [one.columns for one in sets.find_minimal(candidates, 3)]
    assert set(found) <= set(minimal)
    assert bool(found) == bool(good)
    assert len(found) == len(set(found))
    assert [len(one) for one in found] == sorted(map(len, found))
    for one in candidates[:3]:
        if one in good:
            assert any(set(part) <= set(one) for part in found)


def test_each_set_is_counted_once_and_nothing_after_the_time():
    rows = [(1, 2, 3, 4), (1, 2, 3, 5), (1, 1, 1, 1)]
    calls = []
    sets = counting(rows, Measure.DISTINCT, 1.0)
    counted = CountedSets(
        lambda columns: calls.append(tuple(columns)) or sets.count(columns),
        NAMES,
        Measure.DISTINCT,
        1.0,
        Watch(),
    )
    counted.find_minimal([("d",), ("a", "d")], 5)
    assert len(calls) == len(set(calls))
    late = counting(rows, Measure.DISTINCT, 1.0, Watch(0.0))
    assert late.find_minimal([("d",)], 5) == []
