"""Who is left out before a search begins."""

from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.errors import InfeasibleError
from incrowd.loss import Gcp
from incrowd.models import AlphaK, KAnonymity, LDiversity, TCloseness
from incrowd.search import Crowd, Diversify, Mondrian, TreeSearch, left_out
from incrowd.search.left_out import even_counts, staying_part
from incrowd.search.refusals import as_one_class, raise_if_infeasible
from incrowd.watch import Watch
from strategies import problem_of, tables

MODELS = [
    (LDiversity("s0", 2), KAnonymity(2)),
    (LDiversity("s0", 1.7, "entropy"),),
    (LDiversity("s0", 2, "recursive", 1.0),),
    (AlphaK("s0", 0.4, 3),),
    (TCloseness("s0", 0.2), LDiversity("s0", 2)),
]


@given(st.lists(st.integers(0, 5), min_size=1, max_size=4), st.integers(0, 12))
def test_levelled_counts_are_the_most_even(counts, total):
    total = min(total, sum(counts))
    kept = even_counts(np.array(counts), total)
    assert kept.sum() == total
    assert (kept <= counts).all()
    ways = combinations_with_replacement(range(len(counts)), total)
    parts = [[way.count(v) for v in range(len(counts))] for way in ways]
    fitting = [p for p in parts if all(x <= c for x, c in zip(p, counts, strict=True))]
    assert (kept**2).sum() == min(sum(x * x for x in p) for p in fitting)


@settings(max_examples=150, deadline=None)
@given(tables(max_records=10, max_columns=2), st.sampled_from(MODELS), st.booleans())
def test_what_stays_satisfies_the_models_and_no_more_is_left_out_than_may_be(table, models, small):
    problem = problem_of(table, models, Gcp(), 0.5)
    with pytest.MonkeyPatch.context() as patch:
        if not small:
            patch.setattr(left_out, "_FEW", 0)
        stay = staying_part(problem)
    if stay is None:
        return
    thin = stay.problem
    assert problem.satisfied_by(as_one_class(thin)).all()
    out = problem.tally.records - thin.tally.records
    assert out + thin.suppressible == problem.suppressible
    pieces = stay.pieces_of_whole(_alone(thin))
    assert (np.bincount(pieces.row, pieces.count) == problem.tally.counts).all()
    assert int(pieces.count[pieces.class_of < 0].sum()) == out


def _alone(problem):
    from incrowd.recoding import Pieces

    rows = np.arange(problem.tally.rows, dtype=np.int32)
    return Pieces(rows, problem.tally.counts, np.zeros_like(rows))


@settings(max_examples=150, deadline=None)
@given(
    tables(max_records=14, max_columns=1),
    st.sampled_from(MODELS[:-1]),
    st.sampled_from([0.2, 0.5, 0.8]),
)
def test_for_one_model_large_tables_leave_out_no_more_than_must_be(table, models, suppression):
    """What is not proved to be impossible is found, without looking at all parts."""
    problem = problem_of(table, models, Gcp(), suppression)
    try:
        raise_if_infeasible(problem)
    except InfeasibleError:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(left_out, "_FEW", 0)
        assert staying_part(problem) is not None


@pytest.mark.parametrize("search", [Crowd(), Mondrian(), TreeSearch(), Diversify()])
def test_a_large_table_with_a_common_value_is_released(search):
    rng = np.random.default_rng(5)
    values = np.where(rng.random(400) < 0.7, 1, rng.integers(2, 5, 400)).tolist()
    table = ([_scale(40)], [rng.integers(1, 41, 400).tolist()], [values], None)
    problem = problem_of(table, [KAnonymity(3), LDiversity("s0", 2)], Gcp(), 0.6)
    outcome = problem.outcome(search.run(problem, Watch()).recoding)
    assert problem.satisfied_by(outcome.classes).all()
    assert 0 < outcome.suppressed <= problem.suppressible
    assert len(outcome.classes) > 5


def _scale(leaves):
    from incrowd.hierarchy.hierarchy import Hierarchy
    from incrowd.table.column import Domain, Kind

    texts = np.array([str(i) for i in range(leaves)], dtype=object)
    maps = np.array([np.arange(leaves + 1), np.ones(leaves + 1)], dtype=np.int32)
    domain = Domain(Kind.NUMBER, np.arange(leaves))
    return Hierarchy(domain, maps, (texts, np.array(["*"], dtype=object)), ordered=True)
