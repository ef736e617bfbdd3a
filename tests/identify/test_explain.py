"""What a column adds, whom it needs and what coarser values change."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.quasi
from incrowd.errors import PolicyError
from incrowd.identify.explain import coarsen_column, find_partners, measure_addition
from incrowd.identify.measures import ratios
from incrowd.identify.records import Measure
from incrowd.watch import Watch
from quasi_tables import column_tables, records_of
from strategies import hierarchies

measures = st.sampled_from(list(Measure))


def drawn(data, records):
    return data.draw(st.integers(0, records.width - 1))


@given(column_tables(), st.data())
def test_what_a_column_adds(table, data):
    records = records_of(*table)
    column = drawn(data, records)

    alone, without, together = measure_addition(records, column)

    rest = [j for j in range(records.width) if j != column]
    assert alone == ratios(records, [column])
    assert without == ratios(records, rest)
    assert together == ratios(records, [*rest, column])


@given(column_tables(), st.data(), measures, st.sampled_from([0.3, 0.6, 0.9, 1.0]))
def test_partners_are_the_smallest_sets_that_need_the_column(table, data, measure, ratio):
    columns, counts = table
    records = records_of(columns, counts)
    own = drawn(data, records)

    def reaches(chosen):
        return naive.quasi.ratio(columns, counts, chosen, measure) >= ratio

    sets = [
        chosen
        for chosen in [(), *naive.quasi.subsets(len(columns), 3)]
        if own not in chosen and reaches((*chosen, own))
        if not chosen or not reaches(chosen)
    ]
    smallest = [one for one in sets if len(one) == len(sets[0])]

    found, complete = find_partners(records, own, measure, ratio)

    assert sorted(found) == sorted(smallest)
    assert complete


def test_partners_out_of_time():
    records = records_of([[1, 2, 1, 2], [1, 1, 2, 2]])

    found = find_partners(records, 0, Measure.DISTINCT, 1.0, watch=Watch(limit=0.0))

    assert found == ((), False)


@given(hierarchies(), st.data())
def test_levels_against_recoding_by_hand(tree, data):
    n = data.draw(st.integers(1, 12))
    top = len(tree.leaves)
    zip_code = data.draw(st.lists(st.integers(0, top), min_size=n, max_size=n))
    other = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    counts = data.draw(st.lists(st.integers(1, 3), min_size=n, max_size=n))
    records = records_of([other, zip_code], counts)

    found = coarsen_column(records, [0, 1], 1, tree.maps)

    assert [one.level for one in found] == list(range(tree.levels))
    for one in found:
        shown = [int(tree.maps[one.level, code]) for code in zip_code]
        assert one.ratios == ratios(records_of([other, shown], counts), [0, 1])
        assert one.values == len(set(shown))
    unique = [one.ratios.unique_ratio for one in found]
    assert unique == sorted(unique, reverse=True)


def test_only_columns_of_the_set_with_all_their_values_are_coarsened():
    records = records_of([[1, 2], [1, 2]])
    maps = np.array([[0, 1], [1, 1]], dtype=np.int32)

    with pytest.raises(PolicyError, match="not in the set"):
        coarsen_column(records, [0], 1, maps)
    with pytest.raises(PolicyError, match="do not cover"):
        coarsen_column(records, [0, 1], 1, maps)
