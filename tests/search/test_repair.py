"""Failing classes join near ones, limits are kept, and what satisfies the models is left alone."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.errors import InfeasibleError
from incrowd.kernels.boxes import FORBIDDEN, box_cost
from incrowd.loss import Gcp
from incrowd.models import AlphaK, KAnonymity, LDiversity, TCloseness
from incrowd.recoding import Pieces
from incrowd.search import Hilbert, IDistance, Mondrian, TopDown, TreeSearch
from incrowd.search.layout import boxes_of
from incrowd.search.repair import fold_pieces, merge_failing_classes, repair
from incrowd.watch import Watch
from strategies import problem_of, tables
from worked import tree

MODELS = [
    (KAnonymity(3),),
    (KAnonymity(2), LDiversity("s0", 2, kind="distinct")),
    (LDiversity("s0", 1.5, kind="frequency"),),
    (KAnonymity(2), TCloseness("s0", 0.5)),
    (AlphaK("s0", 0.6, 2),),
]


@st.composite
def broken(draw, units=True):
    """A small problem, perhaps with limits, and rows put into classes at random."""
    table = draw(tables(max_records=16, units=units))
    problem = problem_of(
        table, draw(st.sampled_from(MODELS)), Gcp(), draw(st.sampled_from([0, 0.3]))
    )
    columns = []
    for column in problem.columns:
        highest = draw(st.sampled_from([None, None, column.hierarchy.height - 1]))
        widest = draw(st.sampled_from([inf, 2.0])) if column.hierarchy.ordered else inf
        columns.append(replace(column, highest=highest, widest=widest))
    problem = replace(problem, columns=tuple(columns))
    rows = problem.tally.rows
    class_of = draw(st.lists(st.integers(0, 5), min_size=rows, max_size=rows))
    class_of = np.unique(class_of, return_inverse=True)[1].astype(np.int32)
    return problem, Pieces(np.arange(rows, dtype=np.int32), problem.tally.counts, class_of)


def prices(problem, pieces):
    flat = boxes_of(problem)
    found = []
    for c in range(int(pieces.class_of.max()) + 1):
        codes = problem.tally.quasi[:, pieces.row[pieces.class_of == c]]
        found.append(box_cost(flat, codes.min(axis=1), codes.max(axis=1)))
    return np.array(found)


@settings(max_examples=200)
@given(broken())
def test_every_class_satisfies_every_model_and_every_limit(case):
    problem, pieces = case
    try:
        spans = merge_failing_classes(problem, pieces)
    except InfeasibleError:
        return
    outcome = problem.outcome(spans)
    assert problem.satisfied_by(outcome.classes).all()
    assert outcome.suppressed <= problem.suppressible
    assert outcome.records == problem.tally.records
    assert (prices(problem, spans.pieces) < FORBIDDEN).all()
    assert (np.bincount(spans.pieces.row, spans.pieces.count) == problem.tally.counts).all()


@settings(max_examples=100)
@given(broken())
def test_classes_are_joined_whole_and_keep_their_order(case):
    problem, pieces = case
    try:
        after = repair(problem, pieces).class_of
    except InfeasibleError:
        return
    pairs = sorted(set(zip(pieces.class_of.tolist(), after.tolist(), strict=True)))
    whole = np.flatnonzero(prices(problem, pieces) < FORBIDDEN)
    assert sum(old in whole for old, _ in pairs) == len(whole)
    if len(whole) <= pieces.class_of.max():
        return
    firsts = list(dict.fromkeys(new for _, new in pairs if new >= 0))
    assert firsts == list(range(len(firsts)))


@settings(max_examples=60)
@given(broken(units=False))
def test_where_nothing_fails_nothing_changes(case):
    problem, pieces = case
    try:
        once = repair(problem, pieces)
    except InfeasibleError:
        return
    assert (repair(problem, once).class_of == once.class_of).all()


def ages(codes, k, **limits):
    scale = tree([(i, "*") for i in range(20)], ordered=True)
    table = [scale], [codes], [[1] * len(codes)], None
    problem = problem_of(table, [KAnonymity(k)], Gcp(), limits.pop("suppression", 0.0))
    return replace(problem, columns=(replace(problem.columns[0], **limits),))


def alone(problem):
    rows = np.arange(problem.tally.rows, dtype=np.int32)
    return Pieces(rows, problem.tally.counts, rows)


def test_a_failing_class_joins_the_one_that_costs_least():
    problem = ages([1, 1, 4, 6, 6], 2)
    assert repair(problem, alone(problem)).class_of.tolist() == [0, 1, 1]


def test_records_that_no_allowed_class_holds_are_left_out():
    problem = ages([1, 1, 9, 19, 19], 2, widest=4.0, suppression=0.2)
    assert repair(problem, alone(problem)).class_of.tolist() == [0, -1, 1]
    with pytest.raises(InfeasibleError, match="'q0'"):
        repair(replace(problem, suppression=0.1), alone(problem))


def test_a_class_that_is_too_wide_is_taken_apart():
    problem = ages([1, 1, 9, 19, 19], 2, widest=4.0, suppression=0.2)
    wide = replace(alone(problem), class_of=np.array([0, 0, 1], dtype=np.int32))
    assert repair(problem, wide).class_of.tolist() == [0, -1, 1]


def test_what_two_classes_that_are_too_wide_hold_is_put_together_anew():
    problem = ages([1, 2, 18, 19], 2, widest=4.0)
    wide = replace(alone(problem), class_of=np.array([0, 1, 0, 1], dtype=np.int32))
    assert repair(problem, wide).class_of.tolist() == [0, 0, 1, 1]


def test_equal_pieces_of_a_class_that_is_too_wide_stay_together():
    problem = ages([1, 1, 19, 19], 2, widest=4.0)
    row, count = np.array([0, 0, 1], dtype=np.int32), np.array([1, 1, 2], dtype=np.int64)
    wide = Pieces(row, count, np.zeros(3, dtype=np.int32))
    assert repair(problem, wide).class_of.tolist() == [0, 0, 1]


@pytest.mark.parametrize("search", [Hilbert(), IDistance(), TopDown(), TreeSearch(), Mondrian()])
def test_limits_that_can_be_kept_are_kept_by_every_order(search):
    """Five people in each of many towns: nobody need leave their town, or be left out."""
    towns = tree([(f"{b}{i}", b, "*") for b in "abcdefghi" for i in range(3)])
    years = tree([(i, "*") for i in range(40)], ordered=True)
    codes = [1 + i % 27 for i in range(135)], [1 + (i * 17) % 40 for i in range(135)]
    table = [towns, years], list(codes), [[1] * 135], None
    problem = problem_of(table, [KAnonymity(5)], Gcp())
    problem = replace(problem, columns=(replace(problem.columns[0], highest=0), problem.columns[1]))
    outcome = problem.outcome(search.run(problem, Watch()).recoding)
    assert problem.satisfied_by(outcome.classes).all()
    assert outcome.suppressed == 0


def test_limits_do_not_keep_far_classes_apart_that_fit():
    """Its neighbours are other branches; the class of its own branch is far down the order."""
    leaves = [(f"{b}{i}", b, "*") for b in "abcdefghijklmn" for i in range(2)]
    names = tree(leaves)
    codes = [1, *range(3, 29, 2), 2]
    table = [names], [codes + codes[1:-1]], [[1] * (2 * len(codes) - 2)], None
    problem = problem_of(table, [KAnonymity(2)], Gcp())
    problem = replace(problem, columns=(replace(problem.columns[0], highest=1),))
    order = {1: 0, 2: 14, **{code: (code - 1) // 2 for code in range(3, 29, 2)}}
    class_of = np.array([order[c] for c in problem.tally.quasi[0]], dtype=np.int32)
    rows = np.arange(problem.tally.rows, dtype=np.int32)
    found = repair(problem, Pieces(rows, problem.tally.counts, class_of)).class_of
    held = dict(zip(problem.tally.quasi[0].tolist(), found.tolist(), strict=True))
    assert held[1] == held[2] >= 0
    assert len(set(held.values())) == 14


def test_a_table_that_fails_as_a_whole_is_refused():
    problem = ages([1, 2], 3)
    with pytest.raises(InfeasibleError, match="k-anonymity"):
        repair(problem, alone(problem))


def test_pieces_of_one_row_in_one_class_become_one():
    row = np.array([0, 0, 0, 1, 1], dtype=np.int32)
    count = np.array([2, 3, 4, 5, 6], dtype=np.int64)
    pieces = fold_pieces(Pieces(row, count, np.array([1, 0, 1, -1, 0], dtype=np.int32)))
    assert pieces.row.tolist() == [0, 0, 1, 1]
    assert pieces.count.tolist() == [3, 6, 5, 6]
    assert pieces.class_of.tolist() == [0, 1, -1, 0]
