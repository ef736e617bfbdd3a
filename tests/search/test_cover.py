from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arx_tables
import naive.local
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.kernels.lattice.level_cover import LevelCodes, count_released, fill_keys_and_costs
from incrowd.loss import Discernibility, Gcp, Granularity, Precision
from incrowd.models import AlphaK, KAnonymity, LDiversity, TCloseness
from incrowd.recoding import CellLevels, Pieces
from incrowd.search.refine.cover import _Cover, cover, settle_rows, tighten_levels
from incrowd.search.refine.level_tables import CoveredRows, empty_cost_cache
from incrowd.table.column import Domain, Kind
from incrowd.watch import Watch
from strategies import problem_of, tables

MODELS = [
    (KAnonymity(2),),
    (KAnonymity(4),),
    (KAnonymity(2), LDiversity("s0", 2, kind="distinct")),
    (KAnonymity(3), TCloseness("s0", 0.5)),
    (AlphaK("s0", 0.6, 2),),
]
LOSSES = [Gcp(), Granularity(), Precision(), Discernibility()]


def tree(*levels):
    """A hierarchy of texts from the nodes of its leaves, level by level above the leaves."""
    n = len(levels[0])
    maps = [np.arange(n + 1), *(np.array([0, *nodes]) for nodes in levels), np.ones(n + 1)]
    labels = tuple(
        np.array([f"L{h}N{i}" for i in range(int(nodes.max()))], dtype=object)
        for h, nodes in enumerate(maps)
    )
    leaves = Domain(Kind.TEXT, labels[0])
    return Hierarchy(leaves, np.array(maps, dtype=np.int32), labels)


def column(codes, *levels, k=2, suppression=0.0):
    """A problem with one column."""
    table = [tree(*levels)], [codes], [[1] * len(codes)], None
    return problem_of(table, [KAnonymity(k)], Gcp(), suppression)


def told(problem, class_of, levels):
    """The outcome of a cover."""
    rows = np.arange(problem.tally.rows, dtype=np.int32)
    cells = CellLevels(levels, Pieces(rows, problem.tally.counts, class_of))
    return problem.outcome(cells.merge_alike(problem.tally, problem.columns))


@settings(max_examples=150, deadline=None)
@given(
    tables(max_records=20, units=True),
    st.sampled_from(MODELS),
    st.sampled_from(LOSSES),
    st.lists(st.integers(0, 2), max_size=3),
    st.sampled_from([0.0, 0.2, 1.0]),
)
def test_every_class_satisfies_the_models_and_shows_one_thing(table, models, loss, lowest, share):
    problem = problem_of(table, models, loss, lowest=lowest)
    class_of, levels = cover(problem, Watch(), share)
    assert naive.local.faults(problem, class_of, levels) == []
    rows = CoveredRows(problem)
    per_row = np.empty(len(rows.weights), dtype=np.int32)
    per_row[rows.row_of] = class_of
    assert rows.satisfied_by(per_row, levels.shape[1]).all()
    assert set(class_of[class_of >= 0].tolist()) == set(range(levels.shape[1]))


@settings(max_examples=100, deadline=None)
@given(tables(max_records=20), st.integers(2, 4))
def test_with_k_alone_everybody_has_a_place(table, k):
    problem = problem_of(table, [KAnonymity(k)], Gcp())
    class_of, _ = cover(problem, Watch())
    assert (class_of >= 0).all() == (problem.tally.records >= k)


@settings(max_examples=100, deadline=None)
@given(tables(max_records=16), st.integers(1, 4), st.data())
def test_vectors_are_counted_as_the_naive_twin_does(table, least, data):
    problem = problem_of(table, [KAnonymity(2)], Gcp())
    rows = CoveredRows(problem)
    base, node = (
        tuple(data.draw(st.integers(0, c.hierarchy.height)) for c in problem.columns)
        for _ in range(2)
    )
    tables_ = rows.tables
    flat = LevelCodes(tables_.keys, tables_.costs)
    shown = np.empty(len(rows.weights), dtype=np.uint64), np.empty(len(rows.weights))
    fill_keys_and_costs(rows.codes, flat, tables_.level_starts(base), *shown)
    moved = np.arange(len(base))
    change = np.stack([moved, tables_.level_starts(base), tables_.level_starts(node)], axis=1)
    work = empty_cost_cache(len(rows.weights))
    found = count_released(rows.codes, rows.weights, shown, flat, change, least, work)
    assert found == pytest.approx(naive.local.released(problem, node, least))


def test_each_class_has_the_levels_that_it_needs():
    """Three records of one value, and two each under one branch: nobody goes to the top."""
    problem = column([1, 1, 1, 2, 3, 4, 5], [1, 2, 2, 3, 3], k=2)
    class_of, levels = cover(problem, Watch())
    assert levels[0, class_of].tolist() == [0, 1, 1, 1, 1]
    assert len(set(class_of.tolist())) == 3


def test_a_class_shows_the_lowest_level_that_its_rows_share():
    problem = column([1, 1, 2, 2], [1, 1], k=2)
    rows = CoveredRows(problem)
    apart = np.array([0, 1], dtype=np.int32)
    assert tighten_levels(rows, apart, np.array([[2, 1]], dtype=np.int32)).tolist() == [[0, 0]]


def test_a_row_that_is_left_joins_the_class_where_it_costs_least():
    """Leaf 3 is alone; the branch it shares with leaf 4 is cheaper than the top with leaf 1."""
    problem = column([1, 1, 3, 4, 4], [1, 1, 2, 2], k=2)
    rows = CoveredRows(problem)
    levels = np.array([[0, 0]], dtype=np.int32)
    class_of, levels = settle_rows(rows, np.array([0, -1, 1], dtype=np.int32), levels)
    assert class_of.tolist() == [0, 1, 1]
    assert levels.tolist() == [[0, 1]]


def test_no_class_rises_above_the_highest_level_that_may_be_shown():
    problem = column([1, 1, 2, 2, 3], [1, 1, 2], k=2)
    limited = replace(problem, columns=(replace(problem.columns[0], highest=1),))
    assert (cover(problem, Watch())[0] >= 0).all()
    class_of, levels = cover(limited, Watch())
    assert class_of[-1] == -1
    assert levels.max() <= 1


@settings(max_examples=60, deadline=None)
@given(tables(max_records=20), st.sampled_from([0.0, 1.0, 2.0]))
def test_no_class_spans_more_than_it_may(table, widest):
    problem = problem_of(table, [KAnonymity(2)], Gcp())
    columns = tuple(replace(c, widest=widest) for c in problem.columns)
    class_of, levels = cover(replace(problem, columns=columns), Watch())
    for codes, number in zip(problem.tally.quasi.T.tolist(), class_of.tolist(), strict=True):
        if number < 0:
            continue
        for j, c in enumerate(columns):
            tree, level = c.hierarchy, int(levels[j, number])
            node = tree.maps[level][codes[j]]
            low, high = (int(bound[node]) for bound in tree.bounds[level])
            if tree.ordered and low:
                assert high - low <= widest


def test_without_time_the_rest_is_one_class():
    problem = column([1, 1, 2, 2], [1, 2], k=2)
    class_of, levels = cover(problem, Watch(limit=0.0))
    assert class_of.tolist() == [0, 0]
    assert levels.tolist() == [[2]]


def test_a_way_down_ends_when_the_time_is_up(monkeypatch):
    """With many columns a single step down looks at many level vectors."""
    looked = []
    counts = _Cover._records_and_cost

    class Late(Watch):
        """Its time is up once three vectors were counted, but nobody asks in between."""

        @property
        def remaining(self):
            return 3.0 - len(looked)

    monkeypatch.setattr(
        _Cover, "_records_and_cost", lambda *given: looked.append(1) or counts(*given)
    )
    quasi = [[1, 2] * 3] * 50
    of = problem_of(([tree([1, 1])] * 50, quasi, [[1] * 6], None), [KAnonymity(6)], Gcp())
    class_of, levels = cover(of, Late())
    assert class_of.tolist() == [0, 0]
    assert (levels == 1).all()
    assert len(looked) < 50


@settings(max_examples=60, deadline=None)
@given(tables(max_records=20), st.randoms(use_true_random=False))
def test_the_order_of_rows_is_irrelevant(table, random):
    problem = problem_of(table, [KAnonymity(2), LDiversity("s0", 2, kind="distinct")], Gcp())
    order = list(range(problem.tally.rows))
    random.shuffle(order)
    mixed = replace(problem, tally=problem.tally.take(np.array(order, dtype=np.int32)))
    one, two = cover(problem, Watch()), cover(mixed, Watch())
    assert one[0][order].tolist() == two[0].tolist()
    assert one[1].tolist() == two[1].tolist()


@pytest.mark.slow
@pytest.mark.skipif(not arx_tables.FOLDER.exists(), reason=arx_tables.ABSENT)
@pytest.mark.parametrize(
    ("name", "k", "loss"),
    [
        ("adult", 5, 0.0603),
        pytest.param("adult", 10, 0.0872, marks=pytest.mark.thorough),
        ("adult", 50, 0.1648),
        pytest.param("cup", 50, 0.1425, marks=pytest.mark.thorough),
    ],
)
def test_real_tables_are_covered_with_little_loss(name, k, loss):
    problem = arx_tables.problem(name, [KAnonymity(k)], Gcp())
    outcome = told(problem, *cover(problem, Watch()))
    assert outcome.suppressed == 0
    assert problem.satisfied_by(outcome.classes).all()
    assert problem.loss.of(outcome) <= loss
