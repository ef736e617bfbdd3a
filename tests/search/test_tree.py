"""The order of the tree is that of the naive twin."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.orders
from incrowd.kernels.boxes import cell_cost
from incrowd.loss import Gcp
from incrowd.models import KAnonymity
from incrowd.search.layout import boxes_of, lowest_codes, order_by_codes
from incrowd.search.orders import tree as kd
from incrowd.search.orders.tree import kd_order
from strategies import problem_of, tables
from worked import tree


def slow(problem):
    flat = boxes_of(problem)
    codes = lowest_codes(problem).tolist()
    rows = [(codes[row], int(problem.tally.counts[row]), row) for row in order_by_codes(problem)]

    def branch(j, low, high, one, two):
        hierarchy = problem.columns[j].hierarchy
        whole, here = (
            hierarchy.join_level(np.array([a]), np.array([b]))[0]
            for a, b in ((low, high), (one, two))
        )
        same = hierarchy.cover(np.array([whole]), np.array([one]))
        return hierarchy.ordered or same == hierarchy.cover(np.array([here]), np.array([one]))

    return naive.orders.kd_order(rows, lambda j, a, b: cell_cost(flat, j, a, b), branch)


@pytest.mark.slow
@pytest.mark.parametrize("small", [2, 2**13], ids=["in-parts", "at-once"])
@settings(max_examples=150)
@given(table=tables(max_records=24), lowest=st.lists(st.integers(0, 1), max_size=3))
def test_it_is_that_of_the_naive_twin(small, table, lowest):
    problem = problem_of(table, [KAnonymity(2)], Gcp(), lowest=lowest)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kd, "_SMALL", small)
        assert kd_order(problem).tolist() == slow(problem)


@given(st.lists(st.integers(1, 9), min_size=1))
def test_one_ordered_column_is_in_its_own_order(codes):
    ages = tree([(i, "*") for i in range(9)], ordered=True)
    problem = problem_of(([ages], [codes], [[1] * len(codes)], None), [KAnonymity(2)], Gcp())
    assert kd_order(problem).tolist() == list(range(problem.tally.rows))
