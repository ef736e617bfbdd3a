"""Minimal sample uniques by their definition, and the published scores of ten records."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.risk
from incrowd.errors import LimitError, PolicyError
from incrowd.exposure.special_uniques import (
    _rows_of_people,
    dis_scores,
    minimal_uniques,
    special_uniques,
)
from strategies import tables
from worked_risk import DIS_SCORES, EXAMPLE, NAMES, SCORES


def by_record(found, quasi, unit=None):
    """Per record the sets found for its row, as sets of columns."""
    table = _rows_of_people(quasi, unit)
    person = range(len(quasi[0])) if unit is None else unit
    rows = list(zip(*quasi, strict=True))
    held = {}
    for row, columns in zip(found.row.tolist(), found.columns.tolist(), strict=True):
        key = tuple(table.codes[:, row].tolist())
        one = frozenset(j for j in range(len(quasi)) if columns >> j & 1)
        held.setdefault((key, int(table.person[row]) if unit is not None else None), []).append(one)
    for sets in held.values():
        assert len(sets) == len(set(sets))
    return [
        set(held.get((row, int(who) if unit is not None else None), ()))
        for row, who in zip(rows, person, strict=True)
    ]


def columns_of(lists):
    return [np.array(column, dtype=np.int32) for column in lists]


@given(tables(sensitive=0, max_columns=4, max_records=12), st.integers(1, 4))
def test_sets_are_minimal_sample_uniques(table, max_size):
    quasi = columns_of(table[1])
    found = minimal_uniques(range(len(quasi)), quasi, None, max_size)
    rows = list(zip(*table[1], strict=True))
    size = min(max_size, len(quasi))
    slow = naive.risk.minimal_uniques(rows, range(len(rows)), size)
    assert by_record(found, quasi) == slow
    told = special_uniques(found, None, 0.2)
    assert told.records == sum(bool(sets) for sets in slow)
    assert told.sets == sum(map(len, slow))
    for one in told.sizes:
        assert one.sets == sum(len(s) == one.size for sets in slow for s in sets)
        assert one.records == sum(min(map(len, s), default=0) == one.size for s in slow)
    scores = [naive.risk.suda_score(sets, len(quasi), size) for sets in slow]
    assert told.highest == max(scores)
    for one in told.columns:
        assert one.sets == sum(one.column in s for sets in slow for s in sets)
        left = sum(any(one.column not in s for s in sets) for sets in slow)
        assert one.records_without == left


@given(tables(sensitive=0, max_columns=3, max_records=10), st.data())
def test_records_of_one_person_do_not_hide_each_other(table, data):
    quasi = columns_of(table[1])
    number = len(quasi[0])
    unit = data.draw(st.lists(st.integers(1, 4), min_size=number, max_size=number))
    found = minimal_uniques(range(len(quasi)), quasi, np.array(unit, dtype=np.int32), 3)
    rows = list(zip(*table[1], strict=True))
    slow = naive.risk.minimal_uniques(rows, unit, min(3, len(quasi)))
    assert by_record(found, quasi, np.array(unit)) == slow
    assert special_uniques(found, None, 0.2).records == sum(map(bool, slow))


def test_a_record_without_a_unit_is_a_person():
    quasi = columns_of([[1, 1, 2]])
    told = special_uniques(
        minimal_uniques("a", quasi, np.array([0, 0, 0], dtype=np.int32)), None, 0.2
    )
    assert (told.records, told.sets) == (1, 1)
    told = special_uniques(
        minimal_uniques("a", quasi, np.array([4, 4, 0], dtype=np.int32)), None, 0.2
    )
    assert told.records == 3


def test_the_published_scores():
    found = minimal_uniques(NAMES, EXAMPLE, None, 3)
    scores = dict(zip(zip(*_shown(), strict=True), found.scores.tolist(), strict=True))
    assert [scores[row] for row in zip(*map(np.ndarray.tolist, EXAMPLE), strict=True)] == list(
        SCORES
    )
    told = special_uniques(found, 0.01, 0.01)
    assert (told.records, told.sets, told.highest) == (4, 9, 12)
    assert [(one.sets, one.records) for one in told.sizes] == [(4, 4), (5, 0), (0, 0)]
    assert told.columns[0].column == "education"
    assert told.columns[0].share == pytest.approx((3 * 6 + 2 * 2) / 34)
    assert told.dis_above_threshold == pytest.approx(1 / 10)


def _shown():
    return _rows_of_people(EXAMPLE, None).codes.tolist()


def test_the_published_dis_scores():
    """They follow from scores of 7/4, 1/2 and 1/4 for sets of one, two and three columns."""
    found = minimal_uniques(NAMES, EXAMPLE, None, 3)
    scores = np.bincount(
        found.row,
        weights=np.array([0, 7 / 4, 1 / 2, 1 / 4])[found.sizes],
        minlength=len(found.records),
    )
    assert (found.uniques, found.pairs) == (4, 6)
    chance = 4 * 0.01 / (4 * 0.01 + 6 * 0.99)
    dis = dis_scores(scores, found.records, (chance, 4), 4)
    expected = sorted(score for score in DIS_SCORES if score)
    assert sorted(dis[dis > 0].round(4).tolist()) == expected


def test_all_are_unique_by_one_column():
    codes = columns_of([range(1, 8), [1] * 7])
    told = special_uniques(minimal_uniques("ab", codes), 0.5, 0.2)
    assert (told.records, told.sets) == (7, 7)
    assert told.dis_highest == 1.0
    assert told.columns[0].records_without == 0


def test_nobody_is_unique():
    told = special_uniques(
        minimal_uniques("ab", columns_of([[1, 1, 2, 2], [3, 3, 3, 3]])), 0.5, 0.2
    )
    assert (told.records, told.sets, told.highest, told.average) == (0, 0, 0, 0)
    assert told.dis_highest is None


def test_a_table_without_records_has_none():
    told = special_uniques(minimal_uniques("a", columns_of([[]])), 0.5, 0.2)
    assert (told.records, told.sets) == (0, 0)


def test_the_whole_population_makes_every_match_right():
    told = special_uniques(minimal_uniques("a", columns_of([[1, 2, 2]])), 1.0, 0.2)
    assert told.dis_highest == 1.0


def test_sizes_and_columns_have_limits():
    with pytest.raises(PolicyError):
        minimal_uniques("a", columns_of([[1, 2]]), None, 0)
    with pytest.raises(LimitError):
        minimal_uniques(range(63), columns_of([[1, 2]] * 63))


@given(tables(sensitive=0, max_columns=4), st.randoms(use_true_random=False))
def test_the_order_of_records_and_columns_does_not_matter(table, random):
    quasi = columns_of(table[1])
    order = list(range(len(quasi[0])))
    random.shuffle(order)
    names = list(range(len(quasi)))
    one = special_uniques(minimal_uniques(names, quasi), 0.1, 0.2)
    turned = [column[order] for column in reversed(quasi)]
    other = special_uniques(minimal_uniques(names[::-1], turned), 0.1, 0.2)
    assert (one.sets, one.records, one.sizes) == (other.sets, other.records, other.sizes)
    assert {c.column: c.sets for c in one.columns} == {c.column: c.sets for c in other.columns}
