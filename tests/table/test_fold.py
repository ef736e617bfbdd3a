import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd.table.fold as module
import naive.fold
from incrowd.table.fold import find_distinct, fold

LARGE = 2**31 - 2


@st.composite
def codes(draw, top=4, columns=4, records=20):
    n = draw(st.integers(0, records))
    d = draw(st.integers(1, columns))
    entry = st.integers(0, top) | st.sampled_from([0, LARGE])
    column = st.lists(entry, min_size=n, max_size=n)
    return [draw(column) for _ in range(d)], draw(column), draw(column)


def array(column):
    return np.array(column, dtype=np.int32)


def check(tally, expected, quasi):
    rows = list(zip(*tally.quasi.tolist(), *tally.sensitive.tolist(), strict=True))
    assert rows == expected["rows"]
    assert tally.quasi.shape[0] == quasi
    assert tally.row_of.tolist() == expected["row_of"]
    assert tally.counts.tolist() == expected["counts"]
    assert tally.people.tolist() == expected["people"]
    pairs = list(zip(tally.shared_row.tolist(), tally.shared_unit.tolist(), strict=True))
    assert set(pairs) == expected["shared"]
    assert len(pairs) == len(expected["shared"])


@given(codes(), st.booleans())
def test_fold_agrees_with_the_naive_twin(table, units):
    columns, sensitive, unit = table
    tally = fold(
        [array(column) for column in columns],
        [array(sensitive)],
        array(unit) if units else None,
    )

    check(tally, naive.fold.fold([*columns, sensitive], unit if units else None), len(columns))
    assert tally.has_units is units
    for part in (tally.quasi, tally.sensitive, tally.row_of, tally.shared_row, tally.shared_unit):
        assert part.dtype == np.int32
        assert part.flags.c_contiguous


@given(codes(columns=6))
@settings(max_examples=50)
def test_hash_and_small_keys_give_the_same(table):
    columns, sensitive, unit = table
    expected = naive.fold.fold([*columns, sensitive], unit)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_KEY_LIMIT", 2**40)
        patch.setattr(module, "_DENSE", 0)
        patch.setattr(module, "_SMALL", 4)
        patch.setattr(module, "_PART", 2)
        patch.setattr(module, "threads", lambda: 3)
        tally = fold([array(column) for column in columns], [array(sensitive)], array(unit))

    check(tally, expected, len(columns))


@given(codes(), st.randoms(use_true_random=False))
def test_the_order_of_records_does_not_matter(table, random):
    columns, sensitive, unit = table
    order = list(range(len(unit)))
    random.shuffle(order)

    tally = fold([array(c) for c in columns], [array(sensitive)], array(unit))
    other = fold([array(c)[order] for c in columns], [array(sensitive)[order]], array(unit)[order])

    assert (tally.quasi == other.quasi).all()
    assert (tally.counts == other.counts).all()
    assert (tally.people == other.people).all()
    assert (tally.shared_row == other.shared_row).all()


def test_weights_are_summed_per_row():
    tally = fold([array([1, 2, 1])], [], None, np.array([0.5, 2.0, 1.25]))

    assert tally.weights.tolist() == [1.75, 2.0]


def test_no_column_is_one_row_and_no_record_is_none():
    assert fold([], [], array([1, 1, 2])).counts.tolist() == [3]
    assert fold([array([])], []).rows == 0
    assert fold([], []).rows == 0


def test_columns_of_different_length_are_refused():
    with pytest.raises(ValueError, match="length"):
        fold([array([1, 2])], [array([1])])


@given(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 3)))
def test_distinct_is_numpy_unique(keys):
    keys = np.array(keys, dtype=np.uint64)

    values, place = find_distinct(keys, 2**64)

    expected, inverse = np.unique(keys, return_inverse=True)
    assert (values == expected).all()
    assert (place == inverse).all()


def test_a_large_table_in_threads_agrees_with_numpy():
    rng = np.random.default_rng(7)
    columns = [rng.integers(0, top, 200_000).astype(np.int32) for top in (9, 70_000, 3, 90_000)]

    tally = fold(columns, [])

    keys = (columns[0] * 70_000 + columns[1].astype(np.int64)) * 3 + columns[2]
    _, inverse, counts = np.unique(
        keys * 90_000 + columns[3], return_inverse=True, return_counts=True
    )
    assert (tally.row_of == inverse).all()
    assert (tally.counts == counts).all()
    assert (tally.quasi[:, tally.row_of] == np.stack(columns)).all()


def test_one_key_that_fills_a_part_is_fine():
    column = np.concatenate([np.full(150_000, 5), np.arange(50_000) * 40_000]).astype(np.int32)

    tally = fold([column, column[::-1].copy()], [])

    assert tally.counts.max() == 100_000
    assert tally.counts.sum() == 200_000


@given(codes(top=2, columns=3), st.booleans(), st.booleans())
def test_lines_that_were_counted_fold_like_their_records(table, units, in_order):
    """Lines in their order, each once, are a tally already; all others are folded."""
    columns, sensitive, times = table
    times = [1 + number % 3 for number in times]
    lines = list(zip(*columns, sensitive, times, strict=True))
    if in_order:
        lines = sorted({line[:-1]: line for line in lines}.values())
    unit = [i % 3 for i in range(len(lines))]
    counted = [array([line[j] for line in lines]) for j in range(len(columns) + 2)]
    every = np.repeat(np.arange(len(lines)), counted[-1])
    found = fold(
        counted[: len(columns)],
        [counted[-2]],
        array(unit) if units else None,
        counted[-1].astype(np.float64),
        records=counted[-1].astype(np.int64),
    )
    split = [column[every] for column in counted[:-1]]
    wanted = fold(split[:-1], split[-1:], array(unit)[every] if units else None)
    for part in ("quasi", "sensitive", "counts"):
        assert getattr(found, part).tolist() == getattr(wanted, part).tolist()
    assert found.weights.tolist() == wanted.counts.tolist()
    assert found.has_units is units
    assert found.row_of is None
    if not units:
        assert found.people.tolist() == wanted.people.tolist()
