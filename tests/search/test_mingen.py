from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from incrowd.errors import InfeasibleError, LimitError, PolicyError
from incrowd.loss import Discernibility, Gcp, Precision
from incrowd.models import KAnonymity, LDiversity, TCloseness
from incrowd.search import AnySearch
from incrowd.search.lattice.exhaustive import Exhaustive
from incrowd.search.lattice.frontier import NodeState
from incrowd.search.lattice.full_domain import recode
from incrowd.search.literature.mingen.mingen import (
    MinGen,
    Preferred,
    minimal_distortions,
    minimal_generalizations,
)
from incrowd.watch import Watch
from strategies import problem_of, tables
from worked import problem, tree

MODELS = [
    (KAnonymity(2),),
    (KAnonymity(2), LDiversity("s0", 2, kind="distinct")),
    (KAnonymity(2), TCloseness("s0", 0.4)),
]


@st.composite
def problems(draw):
    table = draw(tables(max_records=10, units=True))
    share = draw(st.sampled_from([0.0, 0.2, 0.5]))
    loss = draw(st.sampled_from([Precision(), Gcp(), Discernibility()]))
    return problem_of(table, draw(st.sampled_from(MODELS)), loss, share)


def run(of, prefer=None, watch=None):
    try:
        return MinGen(prefer=prefer or Preferred()).run(of, watch or Watch())
    except InfeasibleError:
        return None


@settings(max_examples=50, deadline=None)
@given(problems(), st.permutations(["q0", "q1", "q2"]))
def test_it_takes_the_preferred_one_of_the_least_losses(of, order):
    names = {column.name for column in of.columns}
    prefer = Preferred(order=tuple(name for name in order if name in names))
    found = run(of, prefer)
    if found is None:
        with pytest.raises(InfeasibleError):
            Exhaustive().run(of, Watch())
        return
    least = minimal_distortions(of, Watch(), of.loss)
    place = [[c.name for c in of.columns].index(name) for name in prefer.order]
    best = min(least, key=lambda node: [node[j] for j in place])
    assert found.optimal
    assert found.recoding.levels == best
    oracle = of.outcome(Exhaustive().run(of, Watch()).recoding)
    assert of.loss.of(of.outcome(found.recoding)) == pytest.approx(of.loss.of(oracle), abs=1e-12)
    assert found.facts["least"] == len(least)
    assert found.facts["minimal"] == len(minimal_generalizations(of, Watch()))


@settings(max_examples=60, deadline=None)
@given(problems())
def test_what_it_explored_is_true_of_every_node(of):
    found = run(of)
    if found is None:
        return
    explored = found.explored
    assert explored.optimum == found.recoding.levels
    assert len(explored) == found.facts["examined"] <= explored.lattice == found.facts["nodes"]
    assert len({tuple(node) for node in explored.levels.tolist()}) == len(explored)
    for i, node in enumerate(explored.levels.tolist()):
        recoding = recode(of, node)
        whole = replace(of, models=(), suppression=0.0)
        assert explored.k[i] == whole.outcome(recode(whole, node)).classes.people.min()
        assert (explored.state[i] == NodeState.RELEASABLE) == (recoding is not None)
        if recoding is None:
            assert np.isnan(explored.loss[i])
            continue
        outcome = of.outcome(recoding)
        assert explored.loss[i] == pytest.approx(of.loss.of(outcome), abs=1e-12)
        assert explored.suppressed[i] == outcome.suppressed


def two_ways(**columns):
    """Either column may go up one level: both lose the same."""
    pair = tree([("1", "*"), ("2", "*")])
    of = problem([("1", "1"), ("1", "2"), ("2", "1"), ("2", "2")], [pair, pair], [KAnonymity(2)])
    changed = (replace(c, **columns.get(c.name, {})) for c in of.columns)
    return replace(of, columns=tuple(changed))


@pytest.mark.parametrize(
    ("prefer", "levels", "rule"),
    [
        (Preferred(), (0, 1), "the lower first columns decided"),
        (Preferred(order=("c1",)), (1, 0), "the order of columns decided"),
        (Preferred(weights={"c1": 2.0}), (1, 0), "the weights decided"),
        (Preferred(at_most={"c1": 0}), (1, 0), "the limits of levels decided"),
    ],
)
def test_it_says_how_many_there_are_and_what_decided(prefer, levels, rule):
    found = run(two_ways(), prefer)
    assert found.recoding.levels == levels
    counted = f"{found.facts['examined']:.0f} of 4 level vectors examined"
    why = f"2 minimal generalizations, 2 level vectors of lowest precision loss: {rule}; {counted}"
    assert found.why == why


@pytest.mark.parametrize(
    ("columns", "levels"),
    [({"c0": {"weight": 2.0}}, (0, 1)), ({"c1": {"weight": 2.0}}, (1, 0))],
)
def test_weights_of_columns_are_part_of_the_loss(columns, levels):
    found = run(two_ways(**columns))
    assert found.recoding.levels == levels
    assert "1 level vector of lowest precision loss: there is only one" in found.why


def test_a_limit_of_a_column_and_a_wish_among_distortions():
    assert run(two_ways(c0={"highest": 0})).recoding.levels == (0, 1)
    with pytest.raises(InfeasibleError, match="highest = 0"):
        MinGen(prefer=Preferred(at_most={"c0": 0, "c1": 0})).run(two_ways(), Watch())
    with pytest.raises(InfeasibleError, match="spans of 'c0', 'c1'"):
        MinGen().run(two_ways(c0={"highest": 0}, c1={"highest": 0}), Watch())


def test_large_lattices_and_unknown_columns_are_refused():
    with pytest.raises(PolicyError, match="lattice"):
        MinGen(limit=3).run(two_ways(), Watch())
    with pytest.raises(PolicyError, match="'zip'"):
        MinGen(prefer=Preferred(order=("zip",))).run(two_ways(), Watch())
    with pytest.raises(PolicyError):
        MinGen(limit=0)


class Countdown(Watch):
    """A watch that expires after it was asked so many times."""

    def __init__(self, asked):
        super().__init__()
        self.left = asked

    @property
    def expired(self):
        self.left -= 1
        return self.left < 0


@settings(max_examples=60, deadline=None)
@given(problems(), st.integers(1, 6))
def test_out_of_time_it_returns_what_it_has(of, asked):
    best = run(of)
    if best is None:
        return
    try:
        found = MinGen().run(of, Countdown(asked))
    except LimitError:
        return
    outcome = of.outcome(found.recoding)
    assert of.satisfied_by(outcome.classes).all()
    assert outcome.suppressed <= of.suppressible
    if found.optimal:
        assert found.recoding.levels == best.recoding.levels
    else:
        assert "the time limit ended" in found.why


def test_no_time_no_answer():
    with pytest.raises(LimitError):
        MinGen().run(two_ways(), Watch(limit=0.0))


def test_a_policy_file_can_write_the_rules():
    rules = {"order": ["zip"], "weights": {"age": 2.0}, "at_most": {"race": 1}}
    made = TypeAdapter(AnySearch).validate_python({"name": "mingen", "prefer": rules})
    prefer = Preferred(order=("zip",), weights={"age": 2.0}, at_most={"race": 1})
    assert made == MinGen(prefer=prefer)
