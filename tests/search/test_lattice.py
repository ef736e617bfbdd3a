from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arx_tables
from incrowd.errors import InfeasibleError, LimitError
from incrowd.loss import (
    AverageClass,
    Classification,
    Discernibility,
    Entropy,
    Gcp,
    Granularity,
    Il1,
    IlInf,
    Precision,
)
from incrowd.models import AlphaK, KAnonymity, LDiversity, TCloseness
from incrowd.search import best_first, judging
from incrowd.search.exhaustive import Exhaustive
from incrowd.search.lattice import Lattice
from incrowd.table.roles import Missing
from incrowd.watch import Watch
from strategies import problem_of, tables

SLOW = pytest.mark.slow
LOSSES = [
    AverageClass(),
    Classification(target="s0"),
    Discernibility(),
    Entropy(),
    Gcp(),
    Granularity(),
    Il1(),
    IlInf(),
    Precision(),
]


class Odd:
    """An odd number of records in every class: neither monotone nor absorbing."""

    name = "odd"
    columns = ()
    asked = 1.0
    higher_is_safer = True
    monotone = False
    absorbing = False

    def satisfied(self, classes):
        return classes.records % 2 == 1

    def reached(self, classes):
        return float((classes.records % 2).min())

    def possible(self, whole):
        return 1.0 + 0 * len(whole)


MODELS = [
    (KAnonymity(2),),
    (KAnonymity(3),),
    (KAnonymity(2), LDiversity("s0", 2, kind="frequency")),
    (KAnonymity(2), LDiversity("s0", 2, kind="distinct")),
    (LDiversity("s0", 2, kind="distinct"),),
    (LDiversity("s0", 1.5, kind="entropy"),),
    (LDiversity("s0", 2, kind="recursive", c=2.0),),
    (KAnonymity(2), TCloseness("s0", 0.4)),
    (TCloseness("s0", 0.3, distance="ordered"), AlphaK("s0", 0.6, 2)),
    (Odd(),),
]


def answer(search, problem):
    try:
        found = search.run(problem, Watch())
    except InfeasibleError:
        return None
    return found


def loss_of(problem, found):
    return problem.loss.of(problem.outcome(found.recoding))


@st.composite
def problems(draw, losses=LOSSES, models=MODELS):
    table = draw(tables(units=True))
    share = draw(st.sampled_from([0.0, 0.1, 0.34, 1.0]))
    return problem_of(table, draw(st.sampled_from(models)), draw(st.sampled_from(losses)), share)


def agree(problem):
    slow = answer(Exhaustive(), problem)
    fast = answer(Lattice(), problem)
    assert (slow is None) == (fast is None)
    if fast is not None:
        assert fast.optimal
        assert loss_of(problem, fast) == pytest.approx(loss_of(problem, slow), abs=1e-12)
        kept = problem.outcome(fast.recoding)
        assert kept.suppressed <= problem.suppressible
        own = problem.missing is Missing.OWN_VALUE
        assert not own or problem.satisfied(kept.classes).all()
    return slow, fast


@settings(max_examples=100, deadline=None)
@given(problems())
def test_it_finds_what_looking_at_every_node_finds(problem):
    agree(problem)


@settings(max_examples=60, deadline=None)
@given(problems(losses=[Precision(), Granularity(), AverageClass()], models=MODELS[:2]))
def test_equal_losses_go_to_the_smaller_levels_as_in_the_oracle(problem):
    slow, fast = agree(problem)
    if fast is not None:
        lower = slow.recoding.levels, fast.recoding.levels
        assert sum(lower[1]) <= sum(lower[0])


@settings(max_examples=60, deadline=None)
@given(problems())
def test_a_lattice_too_large_for_memory_is_searched_as_well(problem):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(best_first, "LARGEST_GRID", 0)
        agree(problem)


@settings(max_examples=60, deadline=None)
@given(problems(models=MODELS[:3]))
def test_missing_values_that_match_anything(problem):
    agree(replace(problem, missing=Missing.MATCHES_ANYTHING))


@settings(max_examples=40, deadline=None)
@given(problems())
def test_without_room_for_class_tables_it_finds_the_same(problem):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judging, "_MEMORY", 0)
        agree(problem)


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
@given(problems(models=MODELS[:4]), st.integers(1, 6))
def test_when_time_runs_out_the_best_so_far_is_returned_with_its_gap(problem, asked):
    best = answer(Lattice(), problem)
    if best is None:
        return
    try:
        found = Lattice().run(problem, Countdown(asked))
    except LimitError:
        return
    outcome = problem.outcome(found.recoding)
    assert problem.satisfied(outcome.classes).all()
    assert outcome.suppressed <= problem.suppressible
    unknown = 0.0 if found.optimal else float("inf")
    gap = found.facts.get("gap", unknown)
    assert not (found.optimal and "gap" in found.facts)
    assert loss_of(problem, found) - gap <= loss_of(problem, best) + 1e-9


def test_what_cannot_be_is_refused():
    with pytest.raises(InfeasibleError):
        Lattice().run(problem_of(_two_records(), [KAnonymity(3)], Gcp()), Watch())


def test_no_time_no_answer():
    with pytest.raises(LimitError):
        Lattice().run(problem_of(_two_records(), [KAnonymity(2)], Gcp()), Watch(limit=0.0))


def test_it_says_what_it_did():
    found = Lattice().run(problem_of(_two_records(), [KAnonymity(2)], Gcp()), Watch())
    assert found.facts["nodes"] == found.facts["examined"] + found.facts["pruned"]
    assert found.search == "lattice"
    assert "level vectors" in found.why


def _two_records():
    from incrowd.hierarchy.hierarchy import Hierarchy
    from incrowd.table.column import Domain, Kind

    texts = np.array(["a", "b"], dtype=object)
    maps = np.array([[0, 1, 2], [1, 1, 1]], dtype=np.int32)
    tree = Hierarchy(Domain(Kind.TEXT, texts), maps, (texts, np.array(["*"], dtype=object)))
    return [tree], [[1, 2]], [[1, 1]], None


@pytest.mark.skipif(not arx_tables.FOLDER.exists(), reason=arx_tables.ABSENT)
@pytest.mark.parametrize(
    ("table", "suppression", "loss", "levels", "sizes"),
    [
        ("adult", 0.0, 0.635544, (0, 4, 1, 1, 3, 2, 2, 1, 0), (24, 0)),
        ("adult", 0.05, 0.269635, (0, 3, 0, 0, 2, 1, 1, 2, 0), (397, 1346)),
        pytest.param("cup", 0.0, 0.814933, (5, 2, 1, 1, 1, 4, 4, 4), (20, 0), marks=SLOW),
        pytest.param("cup", 0.05, 0.142869, (4, 3, 0, 0, 0, 1, 2, 1), (1594, 2578), marks=SLOW),
    ],
)
def test_the_optima_that_arx_finds(table, suppression, loss, levels, sizes):
    problem = arx_tables.problem(
        table, [KAnonymity(5)], Granularity(), suppression, spelling=arx_tables.ONE_EUROPE
    )
    found = Lattice().run(problem, Watch())
    outcome = problem.outcome(found.recoding)
    assert found.optimal
    assert problem.loss.of(outcome) == pytest.approx(loss, abs=5e-7)
    assert found.recoding.levels == levels
    assert (len(outcome.classes), outcome.suppressed) == sizes


@pytest.mark.skipif(not arx_tables.FOLDER.exists(), reason=arx_tables.ABSENT)
def test_the_optimum_of_adult_with_the_hierarchy_file_as_it_is():
    problem = arx_tables.problem("adult", [KAnonymity(5)], Granularity(), 0.05)
    outcome = problem.outcome(Lattice().run(problem, Watch()).recoding)
    assert problem.loss.of(outcome) == pytest.approx(0.270532, abs=5e-7)
    assert (len(outcome.classes), outcome.suppressed) == (398, 1383)
