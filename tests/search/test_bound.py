from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import arx_tables
import naive.bound
from incrowd.errors import InfeasibleError, LimitError, PolicyError
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.kernels import lower_bound as kernel
from incrowd.loss import Entropy, Gcp, Granularity, Precision
from incrowd.models import AlphaK, KAnonymity, LDiversity, TCloseness
from incrowd.recoding import Anatomized, Pieces, Spans
from incrowd.search import bound, bound_prices
from incrowd.search.auto import Auto
from incrowd.search.bound import LossBound, least_records, lower_bound
from incrowd.search.crowd.crowd import Crowd
from incrowd.search.lattice.lattice import Lattice
from incrowd.search.literature.hilbert import Hilbert
from incrowd.search.mondrian import Mondrian
from incrowd.table.column import Domain, Kind, Missing
from incrowd.watch import Watch
from strategies import problem_of, tables

LOSSES = [Gcp(), Granularity(), Precision()]
SEARCHES = [Crowd(), Mondrian(), Mondrian(relaxed=True), Lattice(), Hilbert(), Auto()]
MODELS = [
    (KAnonymity(2),),
    (KAnonymity(3),),
    (KAnonymity(2), LDiversity("s0", 2, kind="distinct")),
    (LDiversity("s0", 1.5, kind="frequency"),),
    (KAnonymity(3), TCloseness("s0", 0.5)),
    (AlphaK("s0", 0.6, 2),),
]
ROUNDING = 1e-12
CAP = 4.0


def as_one(problem):
    """All records in one class."""
    rows = np.arange(problem.tally.rows, dtype=np.int32)
    return Spans(Pieces(rows, problem.tally.counts, np.zeros_like(rows)))


def records_of(problem):
    rows = problem.tally.quasi.T.tolist()
    return [tuple(row) for row, n in zip(rows, problem.tally.counts, strict=True) for _ in range(n)]


def columns_of(problem):
    weights = np.array([column.weight for column in problem.columns])
    weights = (weights / weights.sum()).tolist()
    return [(c.hierarchy, w, c.range) for c, w in zip(problem.columns, weights, strict=True)]


def weighted(problem, weights):
    pairs = zip(problem.columns, weights, strict=False)
    return replace(problem, columns=tuple(replace(c, weight=w) for c, w in pairs))


def loss_of(problem, recoding):
    return problem.loss.of(problem.outcome(recoding))


def bounded(problem, recoding, **options):
    return lower_bound(problem, Watch(), recoding, **options).loss


WEIGHTS = st.lists(st.sampled_from([1.0, 2.0, 0.3]), min_size=3, max_size=3)


@settings(max_examples=150, deadline=None)
@given(tables(max_records=9), st.integers(1, 4), WEIGHTS, st.data())
def test_the_least_ratio_is_that_of_all_classes(table, size, weights, data):
    problem = weighted(problem_of(table, (KAnonymity(2),), Gcp()), weights)
    space = bound._PricedSpace.of(problem)
    number = len(space.counts)
    worth = np.array(
        data.draw(st.lists(st.sampled_from([0.1, 0.5, 0.7]), min_size=number, max_size=number))
    )
    order = np.argsort(-worth, kind="stable").astype(np.int32)
    points = kernel.PricedPoints(space.codes, space.counts, worth, order)
    every = np.arange(number, dtype=np.int32)
    found, _ = kernel.least_ratios(
        points, space.prices, every, CAP, kernel.BoxRule(size, 10**6, 0.0)
    )
    rows = {
        int(p): tuple(row)
        for p, row in zip(space.point_of, problem.tally.quasi.T.tolist(), strict=True)
    }
    known = [(rows[i], int(space.counts[i])) for i in range(number)]
    for i in range(number):
        theirs = naive.bound.least_ratio(i, known, columns_of(problem), worth, size)
        assert found[i] == pytest.approx(min(theirs, CAP), abs=1e-9)


@settings(max_examples=150, deadline=None)
@given(tables(max_records=8), st.integers(2, 3), WEIGHTS, st.integers(0, 2))
def test_no_division_loses_less(table, k, weights, spare):
    records = len(table[1][0])
    assume(records >= k)
    problem = weighted(problem_of(table, (KAnonymity(k),), Gcp(), (spare + 0.5) / records), weights)
    spare = min(spare, records - k, problem.suppressible)
    least = naive.bound.least_loss(records_of(problem), columns_of(problem), k, spare)
    searches = (Crowd(), Mondrian(relaxed=True))
    starts = [as_one(problem), *(search.run(problem, Watch()).recoding for search in searches)]
    for start in starts:
        assert bounded(problem, start) <= least + ROUNDING


@settings(max_examples=150, deadline=None)
@given(
    tables(max_records=16, units=True),
    st.sampled_from(MODELS),
    st.sampled_from(LOSSES),
    st.sampled_from(SEARCHES),
    st.lists(st.integers(0, 1), max_size=3),
    st.sampled_from([0.0, 0.3]),
    st.booleans(),
    st.lists(st.booleans(), min_size=3, max_size=3),
)
def test_no_search_loses_less(  # noqa: PLR0917  one draw each
    table, models, loss, search, lowest, suppression, consistent, sets
):
    problem = replace(problem_of(table, models, loss, suppression, lowest), consistent=consistent)
    pairs = zip(problem.columns, sets, strict=False)
    columns = tuple(replace(c, sets=s and not c.hierarchy.ordered) for c, s in pairs)
    problem = replace(problem, columns=columns)
    try:
        found = search.run(problem, Watch())
    except (InfeasibleError, LimitError):
        return
    for start in (found.recoding, as_one(problem)):
        assert bounded(problem, start) <= loss_of(problem, found.recoding) + ROUNDING


@settings(max_examples=60, deadline=None)
@given(tables(max_records=16), st.integers(2, 3), st.integers(1, 3))
def test_bins_only_lower_it(table, k, most):
    problem = problem_of(table, (KAnonymity(k),), Gcp())
    assume(problem.tally.records >= k)
    best = Crowd().run(problem, Watch()).recoding
    for column in problem.columns:
        every, few = (
            bound_prices.ColumnBins.of(column.frequency, number) for number in (256, most)
        )
        exact = bound_prices.run_prices(column, every, Gcp())
        rough = bound_prices.run_prices(column, few, Gcp())
        codes = np.flatnonzero(np.append(True, column.frequency[1:] > 0)).astype(np.int32)
        at, near = every.bin_of(codes), few.bin_of(codes)
        assert (rough[np.ix_(near, near)] <= exact[np.ix_(at, at)] + ROUNDING).all()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bound_prices.ColumnBins.of.__func__, "__defaults__", (most,))
        assert bounded(problem, best) <= loss_of(problem, best) + ROUNDING


@settings(max_examples=60, deadline=None)
@given(tables(max_records=16), st.integers(2, 3))
def test_few_steps_and_no_time_prove_less(table, k):
    problem = problem_of(table, (KAnonymity(k),), Gcp())
    assume(problem.tally.records >= k)
    best = Crowd().run(problem, Watch()).recoding
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bound, "_STEPS", 0)
        assert bounded(problem, best) <= loss_of(problem, best) + ROUNDING
    out_of_time = lower_bound(problem, Watch(limit=0), best)
    assert out_of_time.loss == 0


def test_equal_pairs_cost_nothing_and_four_apart_cost_what_they_must():
    # The best classes are 1 and 2, 5 and 6: each spans a fifth of the column.
    problem = one_column([1, 2, 5, 6])
    best = Crowd().run(problem, Watch()).recoding
    assert loss_of(problem, best) == pytest.approx(0.2)
    assert bounded(problem, best) == pytest.approx(0.2)


def one_column(codes):
    """One ordered column of the values 1 to 6."""
    maps = np.array([np.arange(7), np.ones(7)], dtype=np.int32)
    labels = (np.array([str(i) for i in range(1, 7)], dtype=object), np.array(["*"], dtype=object))
    tree = Hierarchy(Domain(Kind.NUMBER, np.arange(1, 7)), maps, labels, ordered=True)
    return problem_of(([tree], [codes], [[0] * len(codes)], None), (KAnonymity(2),), Gcp())


def test_it_says_nothing_where_it_does_not_hold():
    problem = one_column([1, 2, 5, 6])
    best = Crowd().run(problem, Watch()).recoding
    with pytest.raises(PolicyError, match="no bound of the loss entropy"):
        lower_bound(replace(problem, loss=Entropy()), Watch(), best)
    with pytest.raises(PolicyError, match="exact"):
        lower_bound(problem, Watch(), Anatomized(best.pieces))
    anything = replace(problem, missing=Missing.MATCHES_ANYTHING)
    assert lower_bound(anything, Watch(), best) == LossBound(0.0, pytest.approx(0.2), 1)


@pytest.mark.parametrize(
    ("models", "least"),
    [
        ((KAnonymity(3),), 3),
        ((KAnonymity(2), LDiversity("s0", 4, kind="distinct")), 4),
        ((AlphaK("s0", 0.3, 2),), 4),
        ((TCloseness("s0", 0.5),), 1),
    ],
)
def test_every_class_holds_what_some_model_asks_for(models, least):
    assert least_records(replace(one_column([1, 2, 5, 6]), models=models)) == least


@pytest.mark.slow
@pytest.mark.skipif(not arx_tables.FOLDER.exists(), reason=arx_tables.ABSENT)
def test_an_estimate_is_near_and_the_same_for_a_seed():
    problem = arx_tables.problem("adult", [KAnonymity(10)], Gcp())
    best = Crowd(effort=0).run(problem, Watch()).recoding
    first = lower_bound(problem, Watch(), best, 300)
    assert first == lower_bound(problem, Watch(), best, 300)
    assert not first.proved
    assert 0.04 < first.loss < loss_of(problem, best)
    assert 0 < first.margin < 0.2 * first.loss
