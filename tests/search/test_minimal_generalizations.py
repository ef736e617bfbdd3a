from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arx_tables
import naive.mingen
import naive.search
from incrowd.errors import InfeasibleError, LimitError, PolicyError
from incrowd.loss import AverageClass, Discernibility, Entropy, Gcp, Granularity, IlInf, Precision
from incrowd.models import AlphaK, KAnonymity, LDiversity, TCloseness
from incrowd.models.model import Model
from incrowd.search import Exhaustive, Lattice, MinGen
from incrowd.search.lattice.full_domain import recode
from incrowd.search.literature.mingen.mingen import (
    minimal_distortions,
    minimal_generalizations,
)
from incrowd.search.refusals import raise_if_infeasible
from incrowd.table.column import Missing
from incrowd.watch import Watch
from strategies import problem_of, tables
from worked import problem, tree


class Odd(Model):
    """An odd number of records in every class: neither monotone nor absorbing."""

    name = "odd"
    threshold = 1.0

    def satisfied_by(self, classes):
        return classes.records % 2 == 1

    def achieved_by(self, classes):
        return float((classes.records % 2).min())

    def possible(self, whole):
        return 1.0 + 0 * len(whole)


MODELS = [
    (KAnonymity(2),),
    (KAnonymity(3),),
    (KAnonymity(2), LDiversity("s0", 2, kind="frequency")),
    (LDiversity("s0", 2, kind="distinct"),),
    (KAnonymity(2), TCloseness("s0", 0.4)),
    (AlphaK("s0", 0.6, 2),),
    (Odd(),),
]
LOSSES = [Precision(), Gcp(), Granularity(), Entropy(), Discernibility(), AverageClass(), IlInf()]


@st.composite
def problems(draw, models=MODELS, losses=LOSSES):
    """A problem with any models and limits of levels."""
    table = draw(tables(max_records=10, units=True))
    share = draw(st.sampled_from([0.0, 0.1, 0.34, 1.0]))
    lowest = draw(st.lists(st.integers(0, 1), min_size=3, max_size=3))
    of = problem_of(
        table, draw(st.sampled_from(models)), draw(st.sampled_from(losses)), share, lowest
    )
    columns = tuple(
        replace(
            column,
            highest=draw(st.sampled_from([None, column.hierarchy.height - 1])),
            weight=draw(st.sampled_from([1.0, 2.5])),
        )
        for column in of.columns
    )
    return replace(of, columns=tuple(columns))


def limited(of):
    """All nodes of a problem within its limits."""
    return naive.mingen.box([c.lowest for c in of.columns], [c.top for c in of.columns])


def losses_of(of):
    """The loss of every node that can be released, none if the table as a whole is refused."""
    try:
        raise_if_infeasible(of)
    except InfeasibleError:
        return {}
    found = ((node, recode(of, node)) for node in limited(of))
    return {node: of.loss.of(of.outcome(r)) for node, r in found if r is not None}


def answer(function, of, *more):
    try:
        return set(function(of, Watch(), *more))
    except InfeasibleError:
        return set()


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(problems(), st.sampled_from([Missing.OWN_VALUE, Missing.MATCHES_ANYTHING]))
def test_it_finds_every_minimal_node_and_no_other(of, missing):
    of = replace(of, missing=missing)
    assert answer(minimal_generalizations, of) == naive.mingen.minimal(losses_of(of))


@settings(max_examples=60, deadline=None)
@given(tables(max_columns=3), st.integers(2, 4), st.sampled_from([0.0, 0.2, 0.5]))
def test_it_agrees_with_looking_at_records_at_every_node(table, k, share):
    trees, quasi, _, _ = table
    of = problem_of(table, [KAnonymity(k)], Precision(), share)
    fine = [
        node
        for node in naive.search.nodes(trees)
        if naive.search.recoded(trees, quasi, node, k, of.suppressible) is not None
    ]
    assert answer(minimal_generalizations, of) == naive.mingen.minimal(fine)


@settings(max_examples=150, deadline=None)
@given(problems(), st.sampled_from(LOSSES))
def test_minimal_distortions_are_the_nodes_of_least_loss_of_all(of, loss):
    losses = losses_of(replace(of, loss=loss))
    expected = naive.mingen.distortions(losses) if losses else set()
    assert answer(minimal_distortions, of, loss) == expected


@settings(max_examples=60, deadline=None)
@given(problems())
def test_theorem_2_a_minimal_distortion_is_a_minimal_generalization(of):
    of = replace(of, suppression=0.0)
    least = answer(minimal_distortions, of)
    assert least <= answer(minimal_generalizations, of)


def test_precision_is_the_loss_unless_another_is_given():
    of = problem([("a",), ("b",)], [tree([("a", "*"), ("b", "*")])], [KAnonymity(2)], Gcp())
    assert minimal_distortions(of, Watch()) == minimal_distortions(of, Watch(), Precision())


def test_a_higher_node_that_suppresses_less_is_the_least_distortion():
    rows = [("a1",), ("a2",), ("a1",), ("a3",), ("a4",)]
    leaf = tree([(f"a{i}", "a", "aa", "aaa", "*") for i in range(1, 5)])
    of = problem(rows, [leaf], [KAnonymity(2)], suppression=0.6)
    assert minimal_generalizations(of, Watch()) == ((0,),)
    assert minimal_distortions(of, Watch()) == ((1,),)


def small(models, **changes):
    rows = [(value,) for value in (1, 2, 3, 4, 5, 9)]
    paths = [(v, f"{v // 2}", f"{v // 4}", "*") for v in range(1, 10)]
    of = problem(rows, [tree(paths, ordered=True)], models)
    return replace(of, columns=(replace(of.columns[0], **changes),))


@pytest.mark.parametrize("changes", [{"highest": 2}, {"widest": 1.0}, {"widest": -1.0}])
def test_limits_that_leave_nothing_name_their_column(changes):
    with pytest.raises(InfeasibleError, match="'c0'"):
        minimal_generalizations(small([KAnonymity(3)], **changes), Watch())


def test_a_lattice_above_the_limit_is_refused_with_the_search_to_use():
    with pytest.raises(PolicyError, match="4 level vectors, more than mingen's limit of 3"):
        minimal_generalizations(small([KAnonymity(2)]), Watch(), 3)


def test_out_of_time():
    with pytest.raises(LimitError, match="0 of 4"):
        minimal_generalizations(small([KAnonymity(2)]), Watch(limit=0.0))


def test_a_hierarchy_of_one_step_and_one_of_no_leaf_but_missing():
    of = problem([("a",), ("a",), ("b",)], [tree([("a", "*"), ("b", "*")])], [KAnonymity(2)])
    assert minimal_generalizations(of, Watch()) == ((1,),)
    single = problem([("a",), ("a",)], [tree([("a", "*")])], [KAnonymity(2)])
    assert minimal_generalizations(single, Watch()) == ((0,),)
    codes = np.zeros((1, 1), dtype=np.int32)
    empty = replace(single, tally=replace(single.tally, quasi=codes))
    assert minimal_generalizations(empty, Watch()) == ((0,),)


@pytest.mark.slow
@pytest.mark.skipif(not arx_tables.FOLDER.exists(), reason=arx_tables.ABSENT)
def test_all_minimal_generalizations_of_adult():
    of = arx_tables.problem("adult", [KAnonymity(5)], Precision(), spelling=arx_tables.ONE_EUROPE)
    found = minimal_generalizations(of, Watch())
    assert len(found) == 27
    for node in found:
        assert recode(of, node) is not None
        for j, level in enumerate(node):
            lower = (*node[:j], level - 1, *node[j + 1 :])
            assert level == 0 or recode(of, lower) is None
    assert len(minimal_distortions(of, Watch())) == 2


@pytest.mark.slow
@pytest.mark.skipif(not arx_tables.FOLDER.exists(), reason=arx_tables.ABSENT)
def test_with_suppression_adult_has_many_more():
    of = arx_tables.problem(
        "adult", [KAnonymity(5)], Precision(), 0.05, spelling=arx_tables.ONE_EUROPE
    )
    assert len(minimal_generalizations(of, Watch())) == 1071


@pytest.mark.parametrize("search", [MinGen(), Exhaustive()], ids=lambda one: one.name)
@settings(max_examples=40, deadline=None)
@given(tables(max_columns=2, max_records=12), st.integers(2, 4), st.sampled_from([0.0, 0.3]))
def test_the_nodes_on_record_are_marked(search, table, k, suppression):
    """Those that a search marks as minimal are those that listing every node finds."""
    of = problem_of(table, [KAnonymity(k)], Gcp(), suppression)
    expected = naive.mingen.minimal(losses_of(of))
    if not expected:
        return
    explored = search.run(of, Watch()).explored
    marked = explored.levels[explored.minimal].tolist()
    assert sorted(map(tuple, marked)) == sorted(expected)


def test_a_search_that_rules_nodes_out_by_their_loss_marks_none():
    found = Lattice().run(small([KAnonymity(2)]), Watch())
    assert found.explored.minimal is None
