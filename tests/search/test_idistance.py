"""Rows by the nearest centre and the distance from it."""

import itertools
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from incrowd.loss import Gcp
from incrowd.models import KAnonymity
from incrowd.search.literature import idistance
from incrowd.search.literature.idistance import idistance_line
from strategies import problem_of, tables

points = st.lists(st.lists(st.integers(0, 4), min_size=2, max_size=2), min_size=1, max_size=12)


@given(points, points)
def test_the_nearest_centre_is_found(here, centres):
    here, centres = np.array(here, dtype=np.float64), np.array(centres, dtype=np.float64)
    near, apart = idistance._nearest_centres(here, centres)
    distances = np.sqrt(((here[:, None] - centres[None]) ** 2).sum(axis=2))
    assert (near == distances.argmin(axis=1)).all()
    assert np.allclose(apart, distances.min(axis=1))


@given(tables(max_records=20), st.integers(1, 6), st.integers(0, 3))
def test_clusters_come_one_after_the_other_each_from_its_centre_outwards(table, centres, seed):
    problem = replace(problem_of(table, [KAnonymity(2)], Gcp()), seed=seed)
    order, keys = idistance_line(problem, centres, 0.5)
    assert sorted(order.tolist()) == list(range(problem.tally.rows))
    assert (np.diff(keys) >= 0).all()
    assert keys.max() < centres
    rows = [tuple(codes) for codes in problem.tally.quasi[:, order].T.tolist()]
    runs = 1 + sum(one != two for one, two in itertools.pairwise(rows))
    assert runs == len(set(rows))
    again = idistance_line(problem, centres, 0.5)[0]
    assert again.tolist() == order.tolist()


def test_the_draw_follows_the_seed():
    from worked import tree

    many = tree([(i, "*") for i in range(200)], ordered=True)
    codes = np.random.default_rng(1).integers(1, 201, (2, 300)).tolist()
    problem = problem_of(([many, many], codes, [[1] * 300], None), [KAnonymity(2)], Gcp())
    first, second = (
        idistance_line(replace(problem, seed=seed), 8, 0.1)[0].tolist() for seed in (1, 2)
    )
    assert first != second
