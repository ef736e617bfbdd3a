"""Anatomy: classes of different values, drawn."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.anatomy
from incrowd.errors import InfeasibleError, LimitError, PolicyError
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.kernels.literature.anatomy import bucketize
from incrowd.loss import Gcp
from incrowd.models import AlphaK, LDiversity, TCloseness
from incrowd.search import Anatomy
from incrowd.table.column import Domain, Kind
from incrowd.watch import Watch
from strategies import problem_of, tables


@given(st.lists(st.integers(0, 5), min_size=1, max_size=40), st.integers(1, 5))
def test_every_class_takes_the_largest_buckets(values, l):
    class_of = bucketize(np.array(values, dtype=np.int32), 6, l).tolist()
    left = Counter(values)
    for number, sizes in enumerate(naive.anatomy.sizes(values, l)):
        members = [v for v, c in zip(values, class_of, strict=True) if c == number]
        assert len(set(members)) == len(members) == l
        assert sorted((left[value] for value in members), reverse=True) == sizes
        left -= Counter(members)
    assert max(class_of, default=-1) == len(naive.anatomy.sizes(values, l)) - 1
    assert Counter(v for v, c in zip(values, class_of, strict=True) if c < 0) == left
    assert len(left) < l


@given(st.lists(st.integers(0, 3), min_size=1, max_size=30))
def test_records_of_a_value_are_taken_in_their_order(values):
    class_of = bucketize(np.array(values, dtype=np.int32), 4, 2).tolist()
    for value in set(values):
        classes = [c for v, c in zip(values, class_of, strict=True) if v == value]
        taken = [c for c in classes if c >= 0]
        assert taken == sorted(taken)
        assert classes == taken + [-1] * (len(classes) - len(taken))


def found(problem):
    try:
        return Anatomy().run(problem, Watch())
    except InfeasibleError:
        return None


@settings(max_examples=80)
@given(tables(max_records=14, max_columns=2), st.integers(1, 3))
def test_an_eligible_table_gives_classes_of_different_values(table, l):
    problem = problem_of(table, [LDiversity("s0", l)], Gcp())
    answer = found(problem)
    counts = Counter(table[2][0])
    records = len(table[2][0])
    if max(counts.values()) * l > records:
        assert answer is None
        return
    classes = problem.outcome(answer.recoding).classes
    histogram = classes.histograms["s0"]
    assert (histogram.count == 1).all()
    assert len(classes) == records // l
    assert classes.records.min() >= l
    assert classes.records.sum() == records


@settings(max_examples=60)
@given(
    tables(max_records=12, max_columns=2, sensitive=2),
    st.sampled_from(
        [
            (LDiversity("s0", 1.5), LDiversity("s1", 2)),
            (TCloseness("s0", 0.3),),
            (AlphaK("s1", 0.4, 3),),
            (LDiversity("s0", 2, "recursive", 1.0),),
        ]
    ),
)
def test_other_models_are_satisfied_too(table, models):
    problem = problem_of(table, models, Gcp())
    answer = found(problem)
    if answer is not None:
        assert problem.satisfied_by(problem.outcome(answer.recoding).classes).all()
        assert answer.recoding.kind == "anatomy"


def test_the_seed_draws_the_classes():
    flat = hierarchies_of(40)
    table = [flat], [list(range(1, 41))], [[1, 2, 3, 4] * 10], None
    problem = problem_of(table, [LDiversity("s0", 2)], Gcp())
    one, same, other = (found(replace(problem, seed=seed)).recoding.pieces for seed in (1, 1, 2))
    assert (one.class_of == same.class_of).all()
    assert (one.class_of != other.class_of).any()


def hierarchies_of(n):
    maps = np.array([np.arange(n + 1), np.ones(n + 1)], dtype=np.int32)
    labels = (np.arange(1, n + 1).astype(str).astype(object), np.array(["*"], dtype=object))
    return Hierarchy(Domain(Kind.NUMBER, np.arange(1, n + 1)), maps, labels, ordered=True)


@given(tables(max_records=6, max_columns=1))
def test_a_lowest_level_is_refused(table):
    problem = problem_of(table, [LDiversity("s0", 1)], Gcp())
    columns = tuple(replace(column, lowest=1) for column in problem.columns)
    with pytest.raises(PolicyError, match="lowest level"):
        Anatomy().run(replace(problem, columns=columns), Watch())


@given(tables(max_records=6, max_columns=1))
def test_limits_of_spans_do_not_matter(table):
    problem = problem_of(table, [TCloseness("s0", 0.5)], Gcp())
    columns = tuple(replace(column, highest=0, widest=0.1) for column in problem.columns)
    one, two = found(problem), found(replace(problem, columns=columns))
    assert (one.recoding.pieces.class_of == two.recoding.pieces.class_of).all()


@settings(max_examples=5)
@given(tables(max_records=4, max_columns=1))
def test_without_time_nothing_is_found(table):
    with pytest.raises(LimitError):
        Anatomy().run(problem_of(table, [LDiversity("s0", 1)], Gcp()), Watch(0.0))
