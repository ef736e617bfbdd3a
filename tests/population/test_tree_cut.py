import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.one_dimensional as naive
from incrowd.errors import PolicyError
from incrowd.population import tree_cut
from incrowd.population.tree_cut import CutTrees, best_cut
from strategies import hierarchies


@st.composite
def trees(draw):
    """Levels, records per code, and costs that never fall as the level rises."""
    maps = draw(hierarchies(max_leaves=7)).maps
    if draw(st.booleans()) and len(maps) > 2:
        maps = maps[:-1]
    size = maps.shape[1]
    records = draw(st.lists(st.integers(0, 5), min_size=size, max_size=size))
    steps = st.lists(st.integers(0, 4), min_size=size, max_size=size)
    costs = np.cumsum([draw(steps) for _ in maps], axis=0).astype(float)
    return maps, np.array(records), costs


@settings(deadline=None, max_examples=100)
@given(trees(), st.integers(1, 8))
def test_no_cut_costs_less(tree, most):
    maps, records, costs = tree
    least = naive.least_cut(maps.tolist(), records.tolist(), costs.tolist(), most)
    found = best_cut(maps, records, costs, most)
    top = len({node for node, r in zip(maps[-1][1:], records[1:], strict=True) if r})
    if least is None:
        assert found.nodes == top > most
        assert found.cost == naive.least_cut(maps.tolist(), records.tolist(), costs.tolist(), top)
        return
    assert found.nodes <= max(most, top)
    assert found.cost == least


@settings(deadline=None, max_examples=60)
@given(trees(), st.integers(1, 8))
def test_a_cut_covers_every_leaf_once(tree, most):
    maps, records, costs = tree
    level = best_cut(maps, records, costs, most).level
    for code in range(1, maps.shape[1]):
        under = maps[level[code]] == maps[level[code], code]
        under[0] = False
        assert (level[under] == level[code]).all()
    assert level[0] == 0


@settings(deadline=None, max_examples=40)
@given(trees(), st.integers(1, 8), st.integers(1, 8))
def test_one_tree_answers_for_fewer_nodes_too(tree, most, fewer):
    maps, records, costs = tree
    whole = CutTrees.of(maps, records, costs, max(most, fewer))
    alone = best_cut(maps, records, costs, min(most, fewer))
    assert whole.cut(min(most, fewer)).cost == alone.cost


def test_a_cut_is_better_than_a_level():
    # Four regions of four; nearly everybody lives in the first.
    maps = np.array([range(17), [0, *np.repeat([1, 2, 3, 4], 4)], [1] * 17], dtype=np.int32)
    records = np.array([0, *[100] * 4, *[1] * 12])
    costs = np.array([[0.0] * 17, [0.25] * 17, [1.0] * 17])
    found = best_cut(maps, records, costs, 7)
    assert found.level.tolist() == [0, *[0] * 4, *[1] * 12]
    assert (found.nodes, found.cost) == (7, 3.0)
    assert best_cut(maps, records, costs, 6).level[1:].tolist() == [1] * 16


def test_enough_nodes_change_nothing():
    maps = np.array([[0, 1, 2], [1, 1, 1]], dtype=np.int32)
    costs = np.array([[0.0] * 3, [1.0] * 3])
    assert best_cut(maps, np.array([3, 1, 1]), costs, 2).level.tolist() == [0, 0, 0]
    assert best_cut(maps, np.array([3, 1, 0]), costs, 1).level.tolist() == [0, 0, 0]
    assert best_cut(maps, np.array([3, 0, 0]), costs, 1).nodes == 0


def test_large_trees_are_looked_at_with_fewer_nodes(monkeypatch):
    monkeypatch.setattr(tree_cut, "_WORK", 64)
    maps = np.array([range(33), [0, *np.repeat(range(1, 17), 2)], [1] * 33], dtype=np.int32)
    costs = np.array([[0.0] * 33, [0.25] * 33, [1.0] * 33])
    tree = CutTrees.of(maps, np.ones(33, dtype=np.int64), costs, 20)
    assert tree.most == 2
    assert tree.cut(20).nodes <= 20


def test_a_cut_has_a_node():
    maps = np.array([[0, 1], [1, 1]], dtype=np.int32)
    with pytest.raises(PolicyError, match="at least one node"):
        best_cut(maps, np.array([0, 1]), np.zeros((2, 2)), 0)


@pytest.mark.slow
def test_thirty_thousand_leaves():
    leaves = 30_000
    codes = np.arange(leaves + 1)
    maps = np.array([codes, *((codes + s - 1) // s for s in (10, 100, 1000)), codes * 0 + 1])
    records = np.random.default_rng(3).zipf(1.5, leaves + 1) % 500
    costs = np.array([[h / 4] * (leaves + 1) for h in range(5)])
    found = best_cut(maps.astype(np.int32), records, costs, 1095)
    assert found.nodes <= 1095
    assert found.cost < 2 / 4 * records[1:].sum()
