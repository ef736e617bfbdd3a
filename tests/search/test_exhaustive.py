import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.loss
import naive.search
from incrowd.errors import InfeasibleError, LimitError, PolicyError
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.loss import Discernibility, Gcp
from incrowd.models.k_anonymity import KAnonymity
from incrowd.search.lattice.exhaustive import Exhaustive, lattice_size, nodes_in_order
from incrowd.table.column import Domain, Kind
from incrowd.watch import Watch
from strategies import problem_of, tables


def class_numbers(released):
    place = {cell: i for i, cell in enumerate(sorted(set(released) - {None}))}
    return [place.get(cell, -1) for cell in released]


@settings(max_examples=40, deadline=None)
@given(tables(max_records=8, max_columns=2), st.integers(2, 3), st.sampled_from([0.0, 0.3, 1.0]))
def test_exhaustive_finds_the_least_loss(table, k, suppression):
    trees, quasi, _, _ = table
    for loss, judge in ((Discernibility(), discernibility_of), (Gcp(), gcp_of(trees, quasi))):
        problem = problem_of(table, [KAnonymity(k)], loss, suppression)
        levels, least = naive.search.exhaustive(trees, quasi, k, problem.suppressible, judge)
        if levels is None:
            with pytest.raises(InfeasibleError):
                Exhaustive().run(problem, Watch())
            continue
        found = Exhaustive().run(problem, Watch())
        assert found.optimal
        assert loss.of(problem.outcome(found.recoding)) == pytest.approx(least)
        assert isinstance(loss, Gcp) or found.recoding.levels == levels


def discernibility_of(_, released):
    return naive.loss.discernibility(class_numbers(released))


def gcp_of(trees, quasi):
    def judge(levels, released):
        class_of = class_numbers(released)
        columns = list(map(naive.loss.Column, trees, quasi, [1.0] * len(trees)))
        return naive.loss.cell_mean(naive.loss.ncp, columns, class_of, levels)

    return judge


@settings(deadline=None)
@given(tables())
def test_nodes_come_with_fewest_steps_first_each_once(table):
    problem = problem_of(table, [], Gcp())
    nodes = list(nodes_in_order(problem))
    assert nodes == naive.search.nodes(table[0])
    assert len(set(nodes)) == lattice_size(problem)


@settings(deadline=None)
@given(tables(max_records=3))
def test_large_lattices_are_refused_with_the_search_to_use(table):
    problem = problem_of(table, [], Gcp())
    with pytest.raises(PolicyError, match="lattice"):
        Exhaustive(limit=1).run(problem, Watch())


@settings(deadline=None)
@given(tables(max_records=3))
def test_out_of_time_before_anything_was_found(table):
    problem = problem_of(table, [], Gcp())
    with pytest.raises(LimitError):
        Exhaustive().run(problem, Watch(limit=0.0))


def test_out_of_time_with_something_in_hand_is_not_called_optimal():
    class Short(Watch):
        looks = 0

        @property
        def expired(self):
            self.looks += 1
            return self.looks > 1

    problem = problem_of(_two_values(), [], Gcp())
    found = Exhaustive().run(problem, Short())
    assert not found.optimal
    assert found.facts == {"nodes": 2, "examined": 1}
    assert found.recoding.levels == (0,)


def _two_values():
    labels = (np.array(["a", "b"], dtype=object), np.array(["*"], dtype=object))
    maps = np.array([[0, 1, 2], [1, 1, 1]], dtype=np.int32)
    return [Hierarchy(Domain(Kind.TEXT, labels[0]), maps, labels)], [[1, 2]], [[1, 1]], None
