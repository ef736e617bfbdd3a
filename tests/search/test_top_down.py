"""Two rows far apart draw the others to them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.orders
from incrowd.kernels.boxes import box_cost
from incrowd.kernels.literature.top_down import flag_second_half
from incrowd.loss import Gcp
from incrowd.models import KAnonymity
from incrowd.search.layout import boxes_of
from incrowd.search.literature.top_down import find_clusters
from strategies import problem_of, tables


@pytest.mark.slow
@settings(max_examples=150)
@given(tables(max_records=20), st.integers(1, 4), st.randoms(use_true_random=False))
def test_halves_are_those_of_the_naive_twin(table, rounds, random):
    problem = problem_of(table, [KAnonymity(2)], Gcp())
    rows = sorted(set(map(tuple, problem.tally.quasi.T.tolist())))
    random.shuffle(rows)
    if len(rows) < 2:
        return
    flat = boxes_of(problem)
    cells = np.array(rows, dtype=np.int32)

    def cost(box):
        return box_cost(flat, np.array(box[0]), np.array(box[1]))

    second = flag_second_half(flat, cells, np.arange(len(rows), dtype=np.int32), rounds)
    left, right = naive.orders.halves(rows, cost, rounds)
    assert np.flatnonzero(~second).tolist() == left
    assert np.flatnonzero(second).tolist() == right


@given(tables(max_records=24), st.integers(2, 4))
def test_clusters_of_several_rows_have_fewer_than_2k_records(table, k):
    problem = problem_of(table, [KAnonymity(k)], Gcp())
    class_of = find_clusters(problem, 3)
    assert sorted(set(class_of.tolist())) == list(range(class_of.max() + 1))
    for c in range(class_of.max() + 1):
        here = class_of == c
        distinct = set(map(tuple, problem.tally.quasi[:, here].T.tolist()))
        assert problem.tally.counts[here].sum() < 2 * k or len(distinct) == 1
