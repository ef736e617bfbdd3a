"""Ratios of column sets against dictionaries."""

from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.quasi
from incrowd.quasi.measures import (
    Partition,
    added,
    all_ratios,
    best,
    duplicates,
    folded,
    ratios,
)
from incrowd.quasi.records import Records
from incrowd.watch import Watch


def records_of(columns, counts):
    """Records of these columns; a column is a list of codes."""
    names = tuple(f"c{j}" for j in range(len(columns)))
    codes = np.array(columns, dtype=np.int32).reshape(len(columns), len(counts))
    return Records(names, codes, np.array(counts, dtype=np.int64))


@st.composite
def small_tables(draw, max_rows=12, max_columns=4):
    """Columns and counts: also no rows, one row, one column, constants, duplicates."""
    n = draw(st.integers(0, max_rows))
    width = draw(st.integers(1, max_columns))
    tops = draw(st.lists(st.sampled_from([0, 1, 2, 5, 40_000]), min_size=width, max_size=width))
    columns = [draw(st.lists(st.integers(0, top), min_size=n, max_size=n)) for top in tops]
    most = draw(st.sampled_from([1, 3]))
    return columns, draw(st.lists(st.integers(1, most), min_size=n, max_size=n))


@given(small_tables(), st.data())
def test_ratios_are_those_of_dictionaries(table, data):
    columns, counts = table
    chosen = data.draw(st.lists(st.integers(0, len(columns) - 1), unique=True))

    found = ratios(records_of(columns, counts), chosen)

    assert asdict(found) == naive.quasi.ratios(columns, counts, chosen)


@given(small_tables(), st.data())
def test_a_partition_refined_is_that_of_the_larger_set(table, data):
    columns, counts = table
    records = records_of(columns, counts)
    chosen = data.draw(st.lists(st.integers(0, len(columns) - 1), unique=True))
    partition = Partition.whole(records)
    for column in chosen:
        partition = partition.refined(records, column)

    values = list(zip(*[columns[j] for j in chosen], strict=True)) or [()] * len(counts)
    pairs = set(zip(partition.class_of.tolist(), values, strict=True))
    assert len(pairs) == len(set(values)) == partition.number
    assert sorted(partition.sizes) == sorted(naive.quasi.sizes(columns, counts, chosen).values())
    assert asdict(partition.ratios) == naive.quasi.ratios(columns, counts, chosen)

    candidates = range(len(columns))
    assert [asdict(r) for r in added(partition, records, candidates)] == [
        naive.quasi.ratios(columns, counts, {*chosen, column}) for column in candidates
    ]


@given(small_tables(), st.one_of(st.none(), st.integers(0, 5)))
@settings(max_examples=60)
def test_all_ratios_has_every_set_once(table, max_size):
    columns, counts = table

    found = list(all_ratios(records_of(columns, counts), max_size))

    wanted = naive.quasi.subsets(len(columns), max_size)
    assert sorted(chosen for chosen, _ in found) == sorted(wanted)
    for chosen, figures in found:
        assert asdict(figures) == naive.quasi.ratios(columns, counts, chosen)


@given(small_tables())
def test_a_row_of_weight_w_is_w_rows(table):
    columns, counts = table
    records = records_of(columns, counts)
    copies = records_of([np.repeat(column, counts) for column in columns], [1] * sum(counts))
    everything = range(len(columns))

    assert ratios(records, everything) == ratios(copies, everything)
    assert dict(all_ratios(records)) == dict(all_ratios(copies))
    assert best(records) == best(folded(copies))
    assert duplicates(records) == duplicates(copies) == duplicates(folded(copies))


@given(small_tables())
def test_folded_rows_are_distinct_and_keep_the_records(table):
    columns, counts = table

    found = folded(records_of(columns, counts))

    rows = [tuple(row) for row in found.codes.T.tolist()]
    wanted = naive.quasi.sizes(columns, counts, range(len(columns)))
    assert rows == sorted(wanted)
    assert found.counts.tolist() == [wanted[row] for row in rows]
    assert duplicates(found) == sum(counts) - len(wanted)


TABLE_1 = records_of([[1, 2, 3, 1, 3], [1, 1, 1, 2, 2], [1, 1, 2, 3, 1]], [1] * 5)


@pytest.mark.parametrize(
    ("chosen", "distinct", "separation"),
    [((0,), 0.6, 0.8), ((1, 2), 0.8, 0.9), ((0, 2), 1.0, 1.0), ((0, 1), 1.0, 1.0)],
)
def test_motwani_xu_table_1(chosen, distinct, separation):
    found = ratios(TABLE_1, chosen)

    assert found.distinct_ratio == distinct
    assert found.separation_ratio == separation


def test_when_time_is_up_the_rest_is_left_out():
    assert len(list(all_ratios(TABLE_1, watch=Watch(limit=0.0)))) < 7
