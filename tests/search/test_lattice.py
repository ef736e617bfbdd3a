from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arx_tables
from incrowd.errors import InfeasibleError, LimitError
from incrowd.hierarchy.hierarchy import Hierarchy
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
from incrowd.models.model import Model
from incrowd.search.lattice import branches, frontier, judging
from incrowd.search.lattice import judging as rollup
from incrowd.search.lattice import lattice as best_first
from incrowd.search.lattice.exhaustive import Exhaustive
from incrowd.search.lattice.frontier import NodeState
from incrowd.search.lattice.full_domain import judge_node, recoding_of
from incrowd.search.lattice.lattice import Lattice
from incrowd.table.column import Domain, Kind, Missing
from incrowd.watch import Watch
from strategies import problem_of, tables

THOROUGH = pytest.mark.thorough
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
    (KAnonymity(2), LDiversity("s0", 2, kind="distinct")),
    (LDiversity("s0", 2, kind="distinct"),),
    (LDiversity("s0", 1.5, kind="entropy"),),
    (LDiversity("s0", 2, kind="recursive", c=2.0),),
    (KAnonymity(2), TCloseness("s0", 0.4)),
    (TCloseness("s0", 0.3, distance="ordered"), AlphaK("s0", 0.6, 2)),
    (TCloseness("s0", 0.3, distance="ordered"),),
    (KAnonymity(2), TCloseness("s0", 0.3, distance="hierarchical")),
    (AlphaK("s0", 0.6, 2),),
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
    problem = problem_of(table, draw(st.sampled_from(models)), draw(st.sampled_from(losses)), share)
    tree = np.array([[0, 1, 2, 3, 4], [0, 1, 1, 2, 2], [1, 1, 1, 1, 1]], dtype=np.int32)
    sensitive = tuple(replace(column, maps=tree) for column in problem.sensitive)
    return replace(problem, sensitive=sensitive)


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
        assert not own or problem.satisfied_by(kept.classes).all()
        assert fast.recoding.levels == slow.recoding.levels
        check_record(problem, fast)
        check_record(problem, slow)
    return slow, fast


def check_record(problem, found):
    """What is on record of every node is what counting it from the rows says."""
    record = found.explored
    assert record.optimum == found.recoding.levels
    assert record.left_out == 0
    assert len(record) == found.facts["examined"]
    for i, levels in enumerate(record.levels.tolist()):
        node = judge_node(problem, levels)
        assert record.k[i] == node.smallest_class
        assert record.suppressed[i] in {-1, node.failing}
        recoding = recoding_of(problem, node)
        if record.state[i] == NodeState.RELEASABLE:
            loss = problem.loss.of(problem.outcome(recoding))
            assert record.loss[i] == pytest.approx(loss, abs=1e-12)
        else:
            assert np.isnan(record.loss[i])
            assert recoding is None or record.state[i] == NodeState.COSTLY


def test_ranges_know_how_many_nodes_are_open():
    """Progress is the share of nodes that are ruled out; ranges were counted as nodes before."""
    open_nodes = branches.Branches((0, 0), (3, 4), None)
    assert open_nodes.count_open(1.0) == 4 * 5
    open_nodes.doom((1, 4))  # and the 2 * 5 nodes at or below it
    _, node = open_nodes.lowest_open(1.0)
    assert node == (2, 0)
    assert open_nodes.count_open(1.0) == 2 * 5
    open_nodes.close_ties_after(1.0, node)
    assert open_nodes.count_open(1.0) == 0


@settings(max_examples=100, deadline=None)
@given(problems())
def test_it_finds_what_looking_at_every_node_finds(problem):
    agree(problem)


@pytest.mark.slow
@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
@settings(max_examples=24, deadline=None)
@given(st.data(), st.sampled_from([Missing.OWN_VALUE, Missing.MATCHES_ANYTHING]))
def test_every_loss_with_all_models(loss, data, missing):
    problem = data.draw(problems(losses=[loss]))
    agree(replace(problem, missing=missing))


@settings(max_examples=100, deadline=None)
@given(problems(), st.data())
def test_levels_and_spans_beyond_the_columns_limits_are_never_shown(problem, data):
    columns = tuple(
        replace(
            column,
            lowest=data.draw(st.integers(0, 1)),
            highest=data.draw(st.sampled_from([None, *range(1, column.hierarchy.levels)])),
            widest=data.draw(st.sampled_from([float("inf"), 0.0, 1.0, 2.0])),
        )
        for column in problem.columns
    )
    _, fast = agree(replace(problem, columns=columns))
    if fast is None:
        return
    outcome = problem.outcome(fast.recoding)
    for j, column in enumerate(columns):
        assert column.lowest <= fast.recoding.levels[j] <= column.top
        if column.hierarchy.ordered:
            held = outcome.low[j] > 0
            place = np.concatenate([[0.0], column.hierarchy.leaves.positions])
            spans = place[outcome.high[j]] - place[outcome.low[j]]
            assert (spans[held] <= column.widest).all()


def test_missing_values_alone_keep_to_the_widest_span():
    maps = np.array([[0, 1, 2], [1, 1, 1]], dtype=np.int32)
    labels = np.array(["1", "2"], dtype=object), np.array(["*"], dtype=object)
    tree = Hierarchy(Domain(Kind.NUMBER, np.array([1, 2])), maps, labels, True)
    problem = problem_of(([tree], [[0, 0]], [[1, 1]], None), [KAnonymity(2)], Gcp())
    narrow = replace(problem.columns[0], lowest=1, widest=0.5)
    with pytest.raises(InfeasibleError, match="wider"):
        Lattice().run(replace(problem, columns=(narrow,)), Watch())


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(problems())
def test_a_lattice_too_large_for_memory_is_searched_as_well(problem):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(best_first, "LARGEST_GRID", 0)
        agree(problem)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(problems(models=MODELS[:3]))
def test_missing_values_that_match_anything(problem):
    agree(replace(problem, missing=Missing.MATCHES_ANYTHING))


@settings(max_examples=60, deadline=None)
@given(problems())
def test_with_little_room_for_cuts_and_ranges_it_finds_the_same(problem):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(best_first, "LARGEST_GRID", 0)
        patch.setattr(branches, "_MOST_CUTS", 4)
        patch.setattr(branches, "_MOST_RANGES", 2)
        patch.setattr(branches, "_MOST_HOPES", 2)
        agree(problem)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(problems(losses=[Gcp(), Discernibility()]))
def test_a_large_table_is_counted_in_halves_without_a_trace(problem):
    whole = answer(Lattice(), problem)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rollup, "_LARGE", 2)
        patch.setattr(rollup, "threads", lambda: 2)
        _, halved = agree(problem)
    assert whole is None or whole.explored.levels.tolist() == halved.explored.levels.tolist()


@settings(max_examples=40, deadline=None)
@given(problems(losses=[Gcp(), Discernibility()]))
def test_keys_that_are_too_many_for_an_array_are_hashed(problem):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rollup, "_DENSE", -(10**6))
        agree(problem)


@settings(max_examples=20, deadline=None)
@given(problems(models=MODELS[:3]))
def test_the_record_is_no_longer_than_its_limit_and_holds_the_optimum(problem):
    whole = answer(Lattice(), problem)
    if whole is None:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frontier, "LONGEST", 1)
        short = Lattice().run(problem, Watch()).explored
    assert short.optimum == whole.recoding.levels
    assert len(short) + short.left_out == len(whole.explored)


def test_limits_that_leave_no_level_are_named():
    problem = problem_of(_two_records(), [KAnonymity(2)], Gcp())
    (column,) = problem.columns
    (tree,) = _two_records()[0]
    nobody = replace(column, lowest=1, highest=0)
    with pytest.raises(InfeasibleError, match="'q0' may show no level below 1 and none above 0"):
        Lattice().run(replace(problem, columns=(nobody,)), Watch())
    numbers = replace(tree, leaves=Domain(Kind.NUMBER, np.array([1, 5])), ordered=True)
    narrow = replace(column, hierarchy=numbers, lowest=1, widest=3.0)
    with pytest.raises(InfeasibleError, match="wider than `widest`") as caught:
        Lattice().run(replace(problem, columns=(narrow,)), Watch())
    assert "lower lowest to 0" in caught.value.remedy
    with pytest.raises(InfeasibleError, match="no full-domain generalization satisfies") as caught:
        Lattice().run(replace(problem, columns=(replace(narrow, lowest=0),)), Watch())
    assert "wider spans of 'q0'" in caught.value.remedy


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
@given(problems(models=MODELS[:4]), st.integers(1, 12), st.sampled_from([0, 10**6]))
def test_when_time_runs_out_the_best_so_far_is_returned_with_its_gap(problem, asked, largest):
    best = answer(Lattice(), problem)
    if best is None:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(best_first, "LARGEST_GRID", largest)
        try:
            found = Lattice().run(problem, Countdown(asked))
        except LimitError:
            return
    outcome = problem.outcome(found.recoding)
    assert problem.satisfied_by(outcome.classes).all()
    assert outcome.suppressed <= problem.suppressible
    unknown = 0.0 if found.optimal else float("inf")
    gap = found.facts.get("gap", unknown)
    assert not (found.optimal and "gap" in found.facts)
    assert loss_of(problem, found) - gap <= loss_of(problem, best) + 1e-9
    if "gap" in found.facts:
        assert found.facts["bound"] == pytest.approx(loss_of(problem, found) - gap)
        assert "above the optimum" in found.why


def test_what_cannot_be_is_refused():
    with pytest.raises(InfeasibleError):
        Lattice().run(problem_of(_two_records(), [KAnonymity(3)], Gcp()), Watch())


def test_no_time_no_answer():
    with pytest.raises(LimitError):
        Lattice().run(problem_of(_two_records(), [KAnonymity(2)], Gcp()), Watch(limit=0.0))


def test_more_nodes_than_a_float_can_say():
    (tree,), (codes,), values, unit = _two_records()
    wide = problem_of(([tree] * 1_100, [codes] * 1_100, values, unit), [KAnonymity(2)], Gcp())
    found = Lattice().run(wide, Countdown(3))
    assert found.recoding.levels == (1,) * 1_100
    assert np.isfinite(list(found.facts.values())).all()
    assert "of more than 10^331 level vectors" in found.why


def test_it_says_what_it_did():
    found = Lattice().run(problem_of(_two_records(), [KAnonymity(2)], Gcp()), Watch())
    assert found.facts["nodes"] == found.facts["examined"] + found.facts["pruned"]
    assert found.search == "lattice"
    assert "level vectors" in found.why


def _two_records():
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
        pytest.param("cup", 0.0, 0.814933, (5, 2, 1, 1, 1, 4, 4, 4), (20, 0), marks=THOROUGH),
        pytest.param("cup", 0.05, 0.142869, (4, 3, 0, 0, 0, 1, 2, 1), (1594, 2578), marks=THOROUGH),
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


@pytest.mark.slow
@pytest.mark.skipif(not arx_tables.FOLDER.exists(), reason=arx_tables.ABSENT)
def test_the_optimum_of_adult_with_the_hierarchy_file_as_it_is():
    problem = arx_tables.problem("adult", [KAnonymity(5)], Granularity(), 0.05)
    outcome = problem.outcome(Lattice().run(problem, Watch()).recoding)
    assert problem.loss.of(outcome) == pytest.approx(0.270532, abs=5e-7)
    assert (len(outcome.classes), outcome.suppressed) == (398, 1383)
