import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.search
from incrowd.errors import InfeasibleError, LimitError
from incrowd.loss import Gcp
from incrowd.models.k_anonymity import KAnonymity
from incrowd.search.datafly import Datafly, next_column
from incrowd.watch import Watch
from strategies import problem_of, tables


@settings(deadline=None)
@given(tables(), st.integers(2, 4), st.sampled_from([0.0, 0.2, 0.5, 1.0]))
def test_datafly_agrees_with_the_naive_twin(table, k, suppression):
    trees, quasi, _, _ = table
    problem = problem_of(table, [KAnonymity(k)], Gcp(), suppression)
    levels, released = naive.search.datafly(trees, quasi, k, problem.suppressible)
    if levels is None:
        with pytest.raises(InfeasibleError):
            Datafly().run(problem, Watch())
        return
    recoding = Datafly().run(problem, Watch()).recoding
    assert recoding.levels == tuple(levels)
    shown = recoding.pieces.class_of[problem.tally.row_of] >= 0
    assert shown.tolist() == [cell is not None for cell in released]


@settings(deadline=None)
@given(tables(), st.integers(2, 4))
def test_what_is_suppressed_numbers_nothing_or_at_least_k(table, k):
    problem = problem_of(table, [KAnonymity(k)], Gcp(), 1.0)
    if problem.tally.records >= k:
        outcome = problem.outcome(Datafly().run(problem, Watch()).recoding)
        assert outcome.suppressed == 0 or outcome.suppressed >= k


@settings(deadline=None)
@given(tables(), st.integers(2, 4))
def test_without_a_suppression_limit_nothing_is_suppressed(table, k):
    problem = problem_of(table, [KAnonymity(k)], Gcp())
    if problem.tally.records >= k:
        outcome = problem.outcome(Datafly().run(problem, Watch()).recoding)
        assert outcome.suppressed == 0


@settings(deadline=None)
@given(tables(), st.data())
def test_the_next_column_has_most_distinct_values_and_can_go_up(table, data):
    trees, quasi, _, _ = table
    problem = problem_of(table, [], Gcp())
    levels = [data.draw(st.integers(0, tree.height)) for tree in trees]
    shown = list(zip(*naive.search.classes_at(trees, quasi, levels), strict=True))
    distinct = [
        len(set(column)) if level < tree.height else 0
        for column, level, tree in zip(shown, levels, trees, strict=True)
    ]
    assert next_column(problem, levels) == distinct.index(max(distinct))


@settings(deadline=None)
@given(tables(max_records=3))
def test_out_of_time(table):
    with pytest.raises(LimitError):
        Datafly().run(problem_of(table, [], Gcp()), Watch(limit=0.0))
