import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.classes
from incrowd.kernels.histogram import dense_histogram, sparse_histogram
from incrowd.partition.classes import SensitiveColumn, classes_of, join_crowds, number_columns
from incrowd.table.fold import fold
from incrowd.table.tally import Tally
from strategies import problem_of, tables

NAMES = ("s0", "s1")

patient = settings(deadline=None, max_examples=60)
"""The first example compiles kernels."""


def assert_agree(fast, slow):
    nothing = {"records": 0, "people": set(), "values": {}}
    expected = [slow.get(c, nothing) for c in range(len(fast))]
    assert fast.records.tolist() == [found["records"] for found in expected]
    assert fast.people.tolist() == [len(found["people"]) for found in expected]
    assert naive.classes.histograms(fast, NAMES) == [
        {cell: len(people) for cell, people in found["values"].items()} for found in expected
    ]


def people_of(table):
    _, quasi, _, unit = table
    return list(range(len(quasi[0]))) if unit is None else unit


@patient
@given(tables(sensitive=2, units=True), st.data())
def test_classes_agree_with_the_naive_twin(table, data):
    problem = problem_of(table, [], None)
    rows = problem.tally.rows
    class_of = np.array(
        data.draw(st.lists(st.integers(-1, 3), min_size=rows, max_size=rows)), dtype=np.int32
    )
    record_class = class_of[problem.tally.row_of].tolist()

    fast = classes_of(problem.tally, class_of, 4, problem.sensitive)

    assert_agree(fast, naive.classes.classes(record_class, people_of(table), table[2]))


@patient
@given(tables(sensitive=2, units=True, max_columns=4), st.data())
def test_crowds_agree_with_the_naive_twin(table, data):
    """Classes may show the same and still be apart, as a local recoding's can."""
    problem = problem_of(table, [], None)
    tally = problem.tally
    number = 5
    class_of = np.array(
        data.draw(st.lists(st.integers(-1, 4), min_size=tally.rows, max_size=tally.rows)),
        dtype=np.int32,
    )
    d = len(problem.columns)
    cells = st.lists(st.integers(0, 2), min_size=number, max_size=number)
    nodes = np.array([data.draw(cells) for _ in range(d)], dtype=np.int32)
    missing = nodes == 0
    shown = [tuple(int(v) or None for v in nodes[:, c]) for c in range(number)]
    record_class = class_of[tally.row_of].tolist()
    classes = classes_of(tally, class_of, number, problem.sensitive)
    before = (classes.records.copy(), classes.people.copy())

    fast = join_crowds(nodes, missing, classes, tally, class_of)

    slow = naive.classes.crowds(shown, record_class, people_of(table), table[2])
    assert_agree(fast, slow)
    assert (classes.records == before[0]).all()
    assert (classes.people == before[1]).all()


@patient
@given(tables(sensitive=2), st.data())
def test_crowds_without_a_tally_are_the_same_if_every_record_is_a_person(table, data):
    problem = problem_of(table, [], None)
    class_of, number = number_columns(problem.tally.quasi)
    classes = classes_of(problem.tally, class_of, number, problem.sensitive)
    cells = st.lists(st.integers(0, 2), min_size=number, max_size=number)
    nodes = np.array([data.draw(cells), data.draw(cells)], dtype=np.int32)

    plain = join_crowds(nodes, nodes == 0, classes)
    full = join_crowds(nodes, nodes == 0, classes, problem.tally, class_of)

    assert plain.people.tolist() == full.people.tolist() == plain.records.tolist()
    assert naive.classes.histograms(plain, NAMES) == naive.classes.histograms(full, NAMES)


@patient
@given(tables(sensitive=2, units=True), st.data())
def test_taken_classes_are_those_classes(table, data):
    problem = problem_of(table, [], None)
    class_of, number = number_columns(problem.tally.quasi)
    classes = classes_of(problem.tally, class_of, number, problem.sensitive)
    which = data.draw(st.lists(st.integers(0, number - 1), max_size=6))

    taken = classes.take(np.array(which, dtype=np.int32))

    every = naive.classes.histograms(classes, NAMES)
    assert naive.classes.histograms(taken, NAMES) == [every[c] for c in which]
    assert taken.people.tolist() == [int(classes.people[c]) for c in which]


@patient
@given(
    st.integers(1, 60).flatmap(
        lambda n: st.tuples(
            st.lists(st.integers(-1, 6), min_size=n, max_size=n),
            st.lists(st.integers(0, 40), min_size=n, max_size=n),
            st.lists(st.integers(0, 3), min_size=n, max_size=n),
        )
    )
)
def test_dense_and_sparse_histograms_agree(rows):
    class_of, codes = (np.array(column, dtype=np.int32) for column in rows[:2])
    people = np.array(rows[2], dtype=np.int64)

    dense = dense_histogram(class_of, codes, people, 7, 41)
    sparse = sparse_histogram(class_of, codes, people, 7, 41)

    for one, other in zip(dense, sparse, strict=True):
        assert one.tolist() == other.tolist()


@patient
@given(
    st.integers(0, 3).flatmap(
        lambda d: st.lists(st.lists(st.integers(0, 2), min_size=d, max_size=d), max_size=12)
    )
)
def test_numbers_follow_the_order_of_the_distinct_columns(columns):
    d = len(columns[0]) if columns else 1
    matrix = np.array(columns, dtype=np.int32).reshape(len(columns), d).T
    distinct = sorted({tuple(column) for column in columns})

    place, number = number_columns(matrix)

    assert number == len(distinct)
    assert [distinct[i] for i in place] == [tuple(column) for column in columns]


@pytest.mark.parametrize("number", [0, 2])
def test_an_empty_tally_has_empty_classes(number):
    nothing = np.empty(0, dtype=np.int32)
    none = np.empty(0, dtype=np.int64)
    empty = np.empty((1, 0), dtype=np.int32)
    tally = Tally(empty, empty, none, none, nothing, nothing)
    column = SensitiveColumn("s", np.zeros(3, dtype=np.int64))

    classes = classes_of(tally, nothing, number, [column])
    joined = join_crowds(
        np.ones((1, number), dtype=np.int32), np.zeros((1, number), dtype=np.bool_), classes
    )

    assert classes.records.tolist() == joined.people.tolist() == [0] * number
    assert joined.histograms["s"].start.tolist() == [0] * (number + 1)


@pytest.mark.parametrize("units", [None, 3000])
@pytest.mark.parametrize("number", [7, 90, 4000])
def test_larger_classes_agree_with_sorting(number, units):
    rng = np.random.default_rng(number)
    n, domain = 12_000, 900
    codes = (domain * rng.random(n) ** 2).astype(np.int32)
    unit = None if units is None else rng.integers(1, units, n).astype(np.int32)
    tally = fold([rng.integers(0, 300, n).astype(np.int32)], [codes], unit)
    class_of = rng.integers(-1, number, tally.rows).astype(np.int32)
    column = SensitiveColumn("s", np.bincount(codes, minlength=domain))

    classes = classes_of(tally, class_of, number, [column])

    held = classes.histograms["s"]
    slow = naive.classes.sorted_histogram(tally, class_of, number, domain, tally.sensitive[0])
    for fast, expected in zip((held.start, held.code, held.count), slow, strict=True):
        assert fast.tolist() == expected.tolist()
    people = naive.classes.sorted_people(tally, class_of, number)
    assert classes.people.tolist() == people.tolist()


def test_crowds_of_distinct_full_rows_are_the_classes():
    tally = fold([np.array([1, 2, 2], dtype=np.int32)], ())
    class_of, number = number_columns(tally.quasi)
    classes = classes_of(tally, class_of, number, ())

    assert join_crowds(tally.quasi, tally.quasi == 0, classes) is classes


@pytest.mark.parametrize("gaps", [0.1, 0.5])
@pytest.mark.parametrize("units", [None, 90])
def test_crowds_of_many_patterns_agree_with_the_naive_twin(gaps, units):
    rng = np.random.default_rng(7)
    n = 200
    quasi = [(rng.integers(1, 4, n) * (rng.random(n) > gaps)).astype(np.int32) for _ in range(4)]
    values = [rng.integers(0, 5, n).astype(np.int32) for _ in NAMES]
    unit = None if units is None else rng.integers(1, units, n).astype(np.int32)
    tally = fold(quasi, values, unit)
    class_of, number = number_columns(tally.quasi)
    columns = [SensitiveColumn(name, np.bincount(v)) for name, v in zip(NAMES, values, strict=True)]
    classes = classes_of(tally, class_of, number, columns)
    nodes = np.empty((4, number), dtype=np.int32)
    nodes[:, class_of] = tally.quasi

    fast = join_crowds(nodes, nodes == 0, classes, tally, class_of)

    shown = [tuple(int(v) or None for v in nodes[:, c]) for c in range(number)]
    people = list(range(n)) if unit is None else unit.tolist()
    record_class = class_of[tally.row_of].tolist()
    lists = [v.tolist() for v in values]
    assert_agree(fast, naive.classes.crowds(shown, record_class, people, lists))
