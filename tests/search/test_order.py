"""Searches along an order: how good they are where that can be told."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import arx_tables
import census_tables
import naive.orders
from incrowd.errors import InfeasibleError, LimitError
from incrowd.kernels.boxes import FORBIDDEN, box_cost
from incrowd.loss import Gcp, IlInf
from incrowd.models import KAnonymity, LDiversity
from incrowd.search import Hilbert, IDistance, Mondrian, TopDown, TreeSearch
from incrowd.search.layout import boxes_of
from incrowd.watch import Watch
from strategies import hierarchies, problem_of, tables
from worked import tree

SEARCHES = [
    Hilbert(),
    Hilbert(fast=True),
    IDistance(centres=4),
    IDistance(fast=True, centres=4),
    TreeSearch(),
    TopDown(),
]
LOCAL = [*SEARCHES, Mondrian(), Mondrian(relaxed=True)]
each = pytest.mark.parametrize("search", SEARCHES, ids=repr)
local = pytest.mark.parametrize("search", LOCAL, ids=repr)


def loss_of(search, problem):
    return problem.loss.of(problem.outcome(search.run(problem, Watch()).recoding))


@st.composite
def one_column(draw, loss, max_records=8, missing=True):
    """A small problem with one column."""
    table = draw(tables(max_records=max_records, max_columns=1))
    if not missing:
        table = table[0], [[max(code, 1) for code in codes] for codes in table[1]], *table[2:]
    problem = problem_of(table, [KAnonymity(draw(st.integers(2, 3)))], loss)
    assume(problem.tally.records >= problem.models[0].k)
    return problem


def least(problem, candidates, *, largest):
    """The least loss of these groupings of all records, each group large enough."""
    flat, k = boxes_of(problem), problem.models[0].k
    codes = sorted(np.repeat(problem.tally.quasi[0], problem.tally.counts).tolist())

    def cost(group):
        held = [codes[i] for i in group]
        price = box_cost(flat, np.array([min(held)]), np.array([max(held)]))
        return price if largest else price * len(group) / len(codes)

    groupings = candidates(list(range(len(codes))))
    return naive.orders.best(groupings, lambda group: len(group) >= k, cost, largest=largest)


def runs(items):
    return ([range(*run) for run in division] for division in naive.orders.divisions(len(items)))


@pytest.mark.parametrize("search", [Hilbert(), TreeSearch()], ids=repr)
@settings(max_examples=80)
@given(data=st.data())
def test_the_largest_extent_of_one_column_is_the_least_of_all_partitions(search, data):
    problem = data.draw(one_column(IlInf()))
    assert loss_of(search, problem) == pytest.approx(
        least(problem, naive.orders.partitions, largest=True)
    )
    assert search.run(problem, Watch()).optimal


@settings(max_examples=80)
@given(one_column(Gcp(), max_records=10))
def test_the_gcp_of_one_column_is_the_least_of_all_divisions_into_runs(problem):
    assert loss_of(Hilbert(), problem) == pytest.approx(least(problem, runs, largest=False))
    assert not Hilbert().run(problem, Watch()).optimal


@local
@settings(max_examples=40)
@given(data=st.data())
def test_equal_records_show_the_same_if_they_must(search, data):
    problem = problem_of(data.draw(tables(max_records=20)), [KAnonymity(2)], Gcp())
    problem = replace(problem, consistent=True)
    assume(problem.tally.records >= 2)
    pieces = search.run(problem, Watch()).recoding.pieces
    rows = problem.tally.quasi[:, pieces.row].T.tolist()
    shown = set(zip(map(tuple, rows), pieces.class_of.tolist(), strict=True))
    assert len(shown) == len({codes for codes, _ in shown})


@local
@settings(max_examples=60)
@given(data=st.data())
def test_limits_of_columns_are_kept(search, data):
    problem = problem_of(data.draw(tables(max_records=16)), [KAnonymity(2)], Gcp(), 0.5)
    columns = tuple(
        replace(
            c,
            highest=c.hierarchy.height - data.draw(st.integers(0, 1)),
            widest=2.0 if c.hierarchy.ordered else inf,
        )
        for c in problem.columns
    )
    problem = replace(problem, columns=columns)
    try:
        spans = search.run(problem, Watch()).recoding
    except InfeasibleError:
        return
    flat, pieces = boxes_of(problem), spans.pieces
    for c in range(int(pieces.class_of.max()) + 1):
        codes = problem.tally.quasi[:, pieces.row[pieces.class_of == c]]
        assert box_cost(flat, codes.min(axis=1), codes.max(axis=1)) < FORBIDDEN


@local
def test_a_limit_that_cannot_be_kept_is_named(search):
    ages = tree([(i, "*") for i in range(10)], ordered=True)
    problem = problem_of(([ages], [[1, 9]], [[1, 1]], None), [KAnonymity(2)], Gcp())
    problem = replace(problem, columns=(replace(problem.columns[0], widest=3.0),))
    with pytest.raises(InfeasibleError, match="'q0'"):
        search.run(problem, Watch())


@each
def test_no_time_no_answer(search):
    problem = problem_of(([tree([(1, "*")])], [[1, 1]], [[1, 1]], None), [KAnonymity(2)], Gcp())
    with pytest.raises(LimitError):
        search.run(problem, Watch(limit=0.0))


@each
@pytest.mark.parametrize("k", [2, 3, 6, 7])
def test_columns_of_one_value_lose_nothing(search, k):
    same = tree([(1, "*")])
    problem = problem_of(([same, same], [[1] * 7] * 2, [[1] * 7], None), [KAnonymity(k)], Gcp())
    assert loss_of(search, problem) == 0


@each
@settings(max_examples=30)
@given(tree=hierarchies(), k=st.integers(2, 5))
def test_ties_everywhere(search, tree, k):
    """All rows equal but one."""
    codes = [1] * 9 + [len(tree.leaves)]
    problem = problem_of(([tree], [codes], [[1] * 10], None), [KAnonymity(k)], Gcp())
    outcome = problem.outcome(search.run(problem, Watch()).recoding)
    assert outcome.classes.records.min() >= k


@each
@settings(max_examples=30)
@given(table=tables(max_records=20))
def test_weights_of_columns_count(search, table):
    """A column without weight is as good as absent where only one other is."""
    problem = problem_of(table, [KAnonymity(2)], Gcp())
    assume(len(problem.columns) > 1 and problem.tally.records >= 2)
    light = tuple(
        replace(c, weight=1.0 if j == 0 else 1e-12) for j, c in enumerate(problem.columns)
    )
    problem = replace(problem, columns=light)
    assert 0 <= loss_of(search, problem) <= 1


@pytest.mark.skipif(not arx_tables.FOLDER.exists(), reason=arx_tables.ABSENT)
@pytest.mark.parametrize(
    ("search", "k", "loss"),
    [
        (TreeSearch(), 5, 0.0595),
        (TreeSearch(), 10, 0.0956),
        (TreeSearch(), 50, 0.2084),
        (Hilbert(), 5, 0.0835),
        (Hilbert(), 10, 0.1340),
        (Hilbert(), 50, 0.2995),
    ],
)
def test_adult_is_divided_with_little_loss(search, k, loss):
    problem = arx_tables.problem("adult", [KAnonymity(k)], Gcp())
    assert loss_of(search, problem) <= loss


@pytest.mark.slow
@pytest.mark.skipif(not census_tables.FOLDER.exists(), reason=census_tables.ABSENT)
def test_on_the_census_the_order_of_figure_22_is_found():
    """Hilb and iDist lose less than their fast variants, and Hilb less than TopDown."""
    problem = census_tables.problem([KAnonymity(20)], Gcp(), records=30_000)
    hilb, hilb_fast, idist, idist_fast, tree, top_down = (
        loss_of(search, problem)
        for search in (
            Hilbert(),
            Hilbert(fast=True),
            IDistance(),
            IDistance(fast=True),
            TreeSearch(),
            TopDown(),
        )
    )
    assert tree < hilb < hilb_fast < top_down
    assert hilb < idist < idist_fast


@pytest.mark.skipif(not census_tables.FOLDER.exists(), reason=census_tables.ABSENT)
def test_diversity_is_repaired_with_little_loss():
    models = [KAnonymity(5), LDiversity("salary", 4)]
    problem = census_tables.problem(models, Gcp(), records=30_000, sensitive=True)
    assert loss_of(TreeSearch(), problem) < loss_of(Mondrian(), problem)
