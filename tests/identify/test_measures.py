"""Ratios of column sets against dictionaries."""

import gzip
import re
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.quasi
from incrowd.identify.labelled import RecordGroups
from incrowd.identify.measures import (
    all_ratios,
    count_duplicates,
    fold_records,
    ratios,
    ratios_of_all,
)
from incrowd.identify.records import Records
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
def test_groups_that_are_split_are_those_of_the_larger_set(table, data):
    columns, counts = table
    records = records_of(columns, counts)
    chosen = data.draw(st.lists(st.integers(0, len(columns) - 1), unique=True))

    groups = RecordGroups.by_columns(records, chosen)

    assert asdict(groups.ratios) == naive.quasi.ratios(columns, counts, chosen)
    candidates = range(len(columns))
    assert [asdict(groups.ratios_with(records, column)) for column in candidates] == [
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
    assert ratios_of_all(records) == ratios_of_all(fold_records(copies))
    assert (
        count_duplicates(records)
        == count_duplicates(copies)
        == count_duplicates(fold_records(copies))
    )


@given(small_tables())
def test_folded_rows_are_distinct_and_keep_the_records(table):
    columns, counts = table

    found = fold_records(records_of(columns, counts))

    rows = [tuple(row) for row in found.codes.T.tolist()]
    wanted = naive.quasi.sizes(columns, counts, range(len(columns)))
    assert rows == sorted(wanted)
    assert found.counts.tolist() == [wanted[row] for row in rows]
    assert count_duplicates(found) == sum(counts) - len(wanted)


def numpy_ratios(records, columns):
    """The ratios by sorting whole rows."""
    rows, place = np.unique(records.codes[columns], axis=1, return_inverse=True)
    sizes = np.zeros(rows.shape[1], dtype=np.int64)
    np.add.at(sizes, place.ravel(), records.counts)
    total = int(sizes.sum())
    return {
        "records": total,
        "classes": len(sizes),
        "apart": (total * (total - 1) - int((sizes * (sizes - 1)).sum())) // 2,
        "unique": int((sizes == 1).sum()),
        "smallest": int(sizes.min()),
    }


LARGE = {
    "a cell each": (5, 40, 3),
    "few values each often": (300, 2, 100),
    "mostly unique": (1000, 1000, 50),
    "all the same": (1, 1, 1),
    "large numbers": (2**20, 2**20, 2**20),
    "no room in 63 bits": (2**24, 2**24, 2**24),
}


@pytest.mark.slow
@pytest.mark.parametrize("domains", list(LARGE.values()), ids=list(LARGE))
@pytest.mark.parametrize("most", [1, 4])
def test_large_tables_are_counted_in_parts_and_threads(domains, most):
    rng = np.random.default_rng(3)
    n = 70_000
    codes = np.array([rng.integers(0, min(d, 3000), n) for d in domains], dtype=np.int32)
    codes[:, 7] = np.array(domains) - 1
    records = Records(("a", "b", "c"), codes, rng.integers(1, most + 1, n))

    for chosen in ([0, 1, 2], [2, 0], [1]):
        assert asdict(ratios(records, chosen)) == numpy_ratios(records, chosen)


def test_large_tables_have_the_ratios_of_their_sets():
    rng = np.random.default_rng(4)
    codes = np.array([rng.integers(0, d, 5000) for d in (50, 9, 4, 3, 3, 2, 2, 2)], dtype=np.int32)
    records = Records(tuple("abcdefgh"), codes, np.ones(5000, dtype=np.int64))

    found = dict(all_ratios(records))

    assert len(found) == 2**8 - 1
    for chosen in [(0,), (7,), (1, 2), (0, 3, 5), (2, 4, 6, 7), tuple(range(8))]:
        assert asdict(found[chosen]) == numpy_ratios(records, list(chosen))


@given(small_tables(), st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_order_of_rows_and_columns_does_not_matter_and_nothing_is_changed(table, random):
    columns, counts = table
    records = records_of(columns, counts)
    before = records.codes.copy(), records.counts.copy()
    rows, places = list(range(len(counts))), list(range(len(columns)))
    random.shuffle(rows)
    random.shuffle(places)
    other = records_of([[columns[j][i] for i in rows] for j in places], [counts[i] for i in rows])

    found = {tuple(sorted(places[j] for j in chosen)): r for chosen, r in all_ratios(other)}

    assert found == dict(all_ratios(records))
    assert ratios(records, places) == ratios_of_all(other)
    assert (records.codes == before[0]).all()
    assert (records.counts == before[1]).all()


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


def test_progress_reaches_the_end():
    told = []

    list(all_ratios(TABLE_1, watch=Watch(tell=lambda _, share: told.append(share))))

    assert told == sorted(told)
    assert told[-1] == 1.0


ADULT = Path(__file__).parents[2] / ".." / "shared" / "data" / "adult" / "adult.data.gz"


@pytest.mark.slow
@pytest.mark.skipif(not ADULT.exists(), reason="the real Adult table is not beside the project")
def test_distinct_rows_of_adult():
    lines = gzip.decompress(ADULT.read_bytes()).decode().split("\n")
    cells = np.array([line.split(", ") for line in lines if line])
    kept = [j for j in range(15) if j != 2]
    codes = [np.unique(cells[:, j], return_inverse=True)[1] for j in kept]
    records = Records(tuple(map(str, kept)), np.array(codes, np.int32), np.ones(len(cells), int))

    assert ratios_of_all(records).classes == fold_records(records).rows == 29_096
    assert count_duplicates(records) == 32_561 - 29_096


def test_the_example_of_the_documentation_runs():
    page = Path(__file__).parents[2] / "docs" / "models" / "quasi-identifiers.md"
    examples = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)

    assert examples
    for example in examples:
        exec(example, {})


@given(small_tables())
@settings(max_examples=50)
def test_bounds_between_the_measures(table):
    columns, counts = table
    for _, found in all_ratios(records_of(columns, counts)):
        assert found.unique <= found.classes
        assert 2 * found.classes <= found.records + found.unique
        assert found.unique != found.records - 1 or found.records == 1
