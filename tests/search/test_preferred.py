import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incrowd.errors import InfeasibleError, PolicyError
from incrowd.recoding import QuasiColumn
from incrowd.search.literature.mingen.mingen import Preferred
from worked import tree

HEIGHTS = {"a": 2, "b": 4, "c": 3}


def column(name, height):
    paths = [(leaf, *(["x"] * (height - 1)), "*") for leaf in ("1", "2")]
    return QuasiColumn(name, tree(paths), np.array([0, 1, 1]))


COLUMNS = [column(name, height) for name, height in HEIGHTS.items()]
NODES = [(1, 2, 0), (2, 1, 0), (0, 1, 2), (0, 0, 3)]


@pytest.mark.parametrize(
    ("prefer", "node", "rule"),
    [
        (Preferred(), (0, 0, 3), "the lower first columns decided"),
        (Preferred(order=("c",)), (1, 2, 0), "the lower first columns decided"),
        (Preferred(order=("c", "b")), (2, 1, 0), "the order of columns decided"),
        (Preferred(order=("b", "a", "c")), (0, 0, 3), "the order of columns decided"),
        (Preferred(weights={"c": 9.0}), (1, 2, 0), "the weights decided"),
        (Preferred(weights={"c": 9.0, "a": 0.1}), (2, 1, 0), "the weights decided"),
        (Preferred(at_most={"c": 2, "a": 0}), (0, 1, 2), "the limits of levels decided"),
        (Preferred(at_most={"c": 2}, order=("a",)), (0, 1, 2), "the order of columns decided"),
    ],
)
def test_each_rule_decides_what_those_before_left_open(prefer, node, rule):
    assert prefer.choose(COLUMNS, NODES) == (node, rule)


def test_one_node_needs_no_rule():
    assert Preferred(order=("b",)).choose(COLUMNS, [(2, 2, 2)]) == ((2, 2, 2), "there is only one")


def test_fewer_levels_come_before_lower_columns():
    found = Preferred().choose(COLUMNS, [(0, 0, 3), (1, 1, 0)])
    assert found == ((1, 1, 0), "the fewest levels in all decided")


@given(st.sets(st.tuples(*(st.integers(0, h) for h in HEIGHTS.values())), min_size=1), st.data())
def test_it_takes_one_of_the_nodes_in_whatever_order_they_come(nodes, data):
    order = data.draw(st.lists(st.sampled_from(sorted(HEIGHTS)), unique=True))
    weights = data.draw(st.dictionaries(st.sampled_from(sorted(HEIGHTS)), st.floats(0.1, 9)))
    prefer = Preferred(order=tuple(order), weights=weights)
    turned = data.draw(st.permutations(sorted(nodes)))
    found = prefer.choose(COLUMNS, turned)
    assert found[0] in nodes
    assert found == prefer.choose(COLUMNS, sorted(nodes))


def test_a_limit_that_no_node_keeps_is_an_error_with_the_way_out():
    with pytest.raises(InfeasibleError, match="'c' at or below level 1") as caught:
        Preferred(at_most={"a": 0, "c": 1}).choose(COLUMNS, NODES)
    assert "highest = 1" in caught.value.remedy


@pytest.mark.parametrize(
    "prefer",
    [Preferred(order=("zip",)), Preferred(weights={"zip": 1.0}), Preferred(at_most={"zip": 1})],
)
def test_unknown_columns_are_refused(prefer):
    with pytest.raises(PolicyError, match="'zip'"):
        prefer.choose(COLUMNS, NODES)


@pytest.mark.parametrize(
    "bad", [{"weights": {"a": 0.0}}, {"weights": {"a": -1.0}}, {"at_most": {"a": -1}}, {"sort": 1}]
)
def test_bad_rules_are_refused_when_written(bad):
    with pytest.raises(PolicyError):
        Preferred(**bad)
