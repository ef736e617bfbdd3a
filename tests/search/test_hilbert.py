"""The curve goes through every cell once, from neighbour to neighbour."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incrowd.kernels.literature.mappings import WORD
from incrowd.loss import Gcp
from incrowd.models import KAnonymity
from incrowd.search.literature.hilbert import curve_words, hilbert_line
from strategies import problem_of, tables
from worked import tree


def places(cells, bits):
    """The place of each cell on the curve as a whole number of any size."""
    words = curve_words(np.array(cells, dtype=np.int32), bits)
    spare = len(words) * WORD - len(cells[0]) * bits
    total = [0] * len(cells)
    for word in words.tolist():
        total = [(t << WORD) | w for t, w in zip(total, word, strict=True)]
    assert all(t % (1 << spare) == 0 for t in total)
    return [t >> spare for t in total]


@pytest.mark.parametrize(
    ("columns", "bits"),
    [(1, 6), (2, 1), (2, 5), (3, 3), (4, 3), (5, 2), (6, 2), (7, 2), (8, 1), (8, 2)],
)
def test_every_cell_has_a_place_and_neighbours_in_order_are_neighbours(columns, bits):
    cells = np.stack([side.ravel() for side in np.indices((2**bits,) * columns)], axis=1)
    at = places(cells, bits)
    assert sorted(at) == list(range(len(cells)))
    steps = np.abs(np.diff(cells[np.argsort(at)], axis=0)).sum(axis=1)
    assert (steps == 1).all()


def test_one_column_is_in_its_own_order():
    assert places([[i] for i in range(16)], 4) == list(range(16))


@given(st.integers(2, 12), st.integers(8, 31), st.data())
def test_keys_longer_than_a_word_do_not_overflow(columns, bits, data):
    """All bits are there: cells have places of their own, and cubes of cells too."""
    side = st.integers(0, 2**bits - 1)
    cells = data.draw(st.lists(st.lists(side, min_size=columns, max_size=columns), min_size=2))
    fine = places(cells, bits)
    assert all(0 <= at < 2 ** (columns * bits) for at in fine)
    distinct = {tuple(cell) for cell in cells}
    assert len(set(fine)) == len(distinct)
    coarse = places([[c >> 1 for c in cell] for cell in cells], bits - 1)
    assert _cubes_agree(fine, coarse, columns)


def _cubes_agree(fine, coarse, columns):
    """Whether the highest bits of a place tell the cube of two cells a side and nothing else."""
    cubes = [at >> columns for at in fine]
    pairs = set(zip(cubes, coarse, strict=True))
    return len(pairs) == len(set(cubes)) == len(set(coarse))


@given(tables(max_records=20))
def test_equal_rows_stand_together_and_places_ascend(table):
    problem = problem_of(table, [KAnonymity(2)], Gcp())
    order, keys = hilbert_line(problem)
    assert sorted(order.tolist()) == list(range(problem.tally.rows))
    assert (np.diff(keys) >= 0).all()
    assert ((keys >= 0) & (keys < 1)).all()
    rows = [tuple(codes) for codes in problem.tally.quasi[:, order].T.tolist()]
    runs = 1 + sum(one != two for one, two in itertools.pairwise(rows))
    assert runs == len(set(rows))


def test_columns_with_few_values_reach_as_far_as_those_with_many():
    """With raw codes the two-valued column would be one cell wide and come last."""
    many = tree([(i, "*") for i in range(64)], ordered=True)
    few = tree([(i, "*") for i in range(2)], ordered=True)
    table = [many, few], [[1, 2, 1, 2, 64], [1, 1, 2, 2, 1]], [[1] * 5], None
    problem = problem_of(table, [KAnonymity(2)], Gcp())
    order, _ = hilbert_line(problem, bits=6)
    many, few = problem.tally.quasi[:, order]
    halves = few[many < 64].tolist()
    assert halves in ([1, 1, 2, 2], [2, 2, 1, 1])
