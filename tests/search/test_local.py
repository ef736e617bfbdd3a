from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import arx_tables
import naive.local
from incrowd.errors import InfeasibleError, LimitError
from incrowd.loss import Discernibility, Entropy, Gcp, Granularity, Precision
from incrowd.models import AlphaK, KAnonymity, LDiversity, TCloseness
from incrowd.partition.classes import classes_of
from incrowd.recoding import CellLevels, Pieces
from incrowd.search import Lattice, LatticeLocal
from incrowd.search.lattice.full_domain import node_classes, number_kept
from incrowd.search.refine.local import check_recoding
from incrowd.search.refine.moves import Moves
from incrowd.table.column import Missing
from incrowd.watch import Watch
from search.test_cover import column, tree
from strategies import problem_of, tables

MODELS = [
    (KAnonymity(2),),
    (KAnonymity(3),),
    (KAnonymity(2), LDiversity("s0", 2, kind="distinct")),
    (KAnonymity(2), TCloseness("s0", 0.5)),
    (AlphaK("s0", 0.6, 2),),
]
LOSSES = [Gcp(), Granularity(), Precision(), Discernibility(), Entropy()]


@st.composite
def problems(draw, *, units=True, losses=LOSSES, models=MODELS):
    table = draw(tables(max_records=16, units=units))
    suppression = draw(st.sampled_from([0.0, 0.3]))
    lowest = draw(st.lists(st.integers(0, 1), max_size=3))
    loss = draw(st.sampled_from(losses))
    return problem_of(table, draw(st.sampled_from(models)), loss, suppression, lowest=lowest)


def run(search, problem, watch=None):
    try:
        return search.run(problem, watch or Watch()).recoding
    except InfeasibleError:
        return None


def loss_of(problem, recoding):
    return problem.loss.of(problem.outcome(recoding))


@settings(max_examples=60, deadline=None)
@given(problems(), st.sampled_from([Missing.OWN_VALUE, Missing.MATCHES_ANYTHING]))
def test_it_never_loses_more_than_the_full_domain_optimum(problem, missing):
    problem = replace(problem, missing=missing)
    found, optimum = run(LatticeLocal(), problem), run(Lattice(), problem)
    if optimum is not None:
        assert found is not None
        assert loss_of(problem, found) <= loss_of(problem, optimum) + 1e-9


@settings(max_examples=80, deadline=None)
@given(problems())
def test_every_class_satisfies_the_models_and_shows_one_thing_of_its_own(problem):
    found = run(LatticeLocal(), problem)
    assume(found is not None)
    outcome = problem.outcome(found)
    assert problem.satisfied_by(outcome.classes).all()
    assert outcome.suppressed <= problem.suppressible
    class_of = found.pieces.class_of
    assert naive.local.faults(problem, class_of, outcome.level) == []
    shown = {
        naive.local.shown(problem.columns, codes, outcome.level[:, number].tolist())
        for codes, number in zip(problem.tally.quasi.T.tolist(), class_of.tolist(), strict=True)
        if number >= 0
    }
    assert len(shown) == len(outcome.classes)


@settings(max_examples=60, deadline=None)
@given(problems())
def test_moves_keep_every_model_and_lower_the_loss(problem):
    start = run(Lattice(), problem)
    assume(start is not None)
    problem = replace(problem, loss=Gcp())
    before = problem.outcome(start)
    moves = Moves(problem, start.pieces.class_of, before.level)
    moves.run(Watch())
    class_of, levels = moves.answer()
    assert naive.local.faults(problem, class_of, levels) == []
    classes = classes_of(problem.tally, class_of, levels.shape[1], problem.sensitive)
    live = np.unique(class_of[class_of >= 0]).astype(np.int32)
    assert problem.satisfied_by(classes.take(live)).all()
    rows = np.arange(problem.tally.rows, dtype=np.int32)
    place = np.full(levels.shape[1] + 1, -1, dtype=np.int32)
    place[live] = np.arange(len(live))
    after = CellLevels(levels[:, live], Pieces(rows, problem.tally.counts, place[class_of]))
    assert loss_of(problem, after) <= problem.loss.of(before) + 1e-9


@settings(max_examples=150, deadline=None)
@given(tables(max_records=24, sensitive=0), st.integers(1, 3), st.data())
def test_rows_move_as_in_the_naive_twin(table, k, data):
    """Classes of one level vector that have k records, all others left out, move to another."""
    trees, quasi, _, _ = table
    constant = [[1] * len(quasi[0])]
    problem = problem_of((trees, quasi, constant, None), [KAnonymity(max(k, 2))], Gcp())
    start, node = (
        tuple(data.draw(st.integers(0, tree.height)) for tree in trees) for _ in range(2)
    )
    class_of, number = node_classes(problem, start)
    large = classes_of(problem.tally, class_of, number, problem.sensitive).records >= max(k, 2)
    class_of = number_kept(large)[class_of]
    levels = np.repeat(np.array([start], dtype=np.int32).T, int(large.sum()), axis=1)
    moves = Moves(problem, class_of, levels)
    moves._refresh_classes()
    moves._pull(node)
    codes = problem.tally.quasi.T.tolist()
    after = moves._class_of.tolist()
    slow, decided = naive.local.moves(problem, class_of, levels, node, max(k, 2))
    moved = {
        i: naive.local.shown(problem.columns, codes[i], moves._levels[:, after[i]].tolist())
        for i in decided
        if after[i] != class_of[i]
    }
    assert moved == slow


def test_a_class_that_has_become_empty_takes_no_single_row():
    """The class of leaf 1 has lost its rows; the one record of leaf 1 is not k there."""
    problem = column([1, 2, 2, 2], [1, 1], k=2)
    levels = np.array([[1, 0]], dtype=np.int32)
    moves = Moves(problem, np.array([0, 0], dtype=np.int32), levels[:, :1])
    moves._refresh_classes()
    moves._apply_moves((0,), np.array([0]), np.array([1, -1], dtype=np.int32), 1)
    moves._apply_moves((1,), np.array([0]), np.array([0, -1], dtype=np.int32), 0)
    assert moves._sizes.tolist() == [4, 0]
    moves._pull((0,))
    assert moves._class_of.tolist() == [0, 0]


def test_what_was_suppressed_is_shown_at_higher_levels():
    """One level per column leaves out a quarter; the branch of the two that are left is enough."""
    problem = column([1, 1, 1, 2, 2, 2, 3, 4], [1, 1, 2, 2], k=2, suppression=0.25)
    assert problem.outcome(run(Lattice(), problem)).suppressed == 2
    outcome = problem.outcome(run(LatticeLocal(), problem))
    assert outcome.suppressed == 0
    assert outcome.level.tolist() == [[0, 0, 1]]
    assert problem.loss.of(outcome) == pytest.approx(2 / 8 * 2 / 4)


def test_what_was_shown_too_coarsely_is_shown_at_lower_levels():
    """Two records force everybody to the second level; six can stay as they are."""
    problem = column([1, 1, 2, 2, 2, 2, 3, 4], [1, 1, 2, 2], k=2)
    assert run(Lattice(), problem).levels == (1,)
    outcome = problem.outcome(run(LatticeLocal(), problem))
    assert outcome.level.tolist() == [[0, 0, 1]]


def test_a_class_that_takes_a_remainder_keeps_k():
    """Three of value 1 and one of value 2: to show two of value 1 would leave two of the branch."""
    problem = column([1, 1, 1, 2], [1, 1], k=2)
    outcome = problem.outcome(run(LatticeLocal(), problem))
    assert sorted(outcome.classes.records.tolist()) == [4]
    assert problem.loss.of(outcome) == pytest.approx(1.0)


def test_suppressed_and_missing_and_whole_are_told_apart():
    """A suppressed cell, a missing one and one that shows every leaf are three classes."""
    one = tree([1, 1]), tree([1, 2])
    quasi = [[1, 2, 0, 1, 2, 0], [1, 1, 1, 2, 2, 1]]
    problem = problem_of((one, quasi, [[1] * 6], None), [KAnonymity(2)], Gcp())
    class_of = np.empty(problem.tally.rows, dtype=np.int32)
    for i, (first, second) in enumerate(problem.tally.quasi.T.tolist()):
        class_of[i] = 2 if second == 2 else int(first == 0)
    levels = np.array([[1, 1, 2], [2, 2, 2]], dtype=np.int32)
    assert len(problem.outcome(check_recoding(problem, class_of, levels).recoding).classes) == 3


def test_what_fails_when_it_becomes_one_class_is_not_taken():
    """Two people hold one value here and another there; the halves are diverse, their union not."""
    one, two = tree([1, 1, 1, 1]), tree([1, 1])
    quasi = [[1, 2, 3, 4], [1, 1, 1, 1]]
    table = [one, two], quasi, [[1, 2, 2, 1]], [1, 2, 1, 2]
    problem = problem_of(table, [LDiversity("s0", 2)], Gcp())
    class_of = np.array([0, 0, 1, 1], dtype=np.int32)
    levels = np.array([[1, 1], [0, 0]], dtype=np.int32)
    whole = classes_of(problem.tally, class_of, 2, problem.sensitive)
    joined = classes_of(problem.tally, class_of * 0, 1, problem.sensitive)
    assert problem.satisfied_by(whole).all() > problem.satisfied_by(joined).all()
    assert check_recoding(problem, class_of, levels) is None


def test_no_time_no_answer():
    with pytest.raises(LimitError):
        LatticeLocal().run(column([1, 1, 2], [1, 1]), Watch(limit=0.0))


class Countdown(Watch):
    """A watch that expires after it was asked so many times."""

    def __init__(self, asked):
        super().__init__()
        self.left = asked

    @property
    def expired(self):
        self.left -= 1
        return self.left < 0


@settings(max_examples=100, deadline=None)
@given(problems(), st.integers(0, 30))
def test_whenever_the_time_is_up_the_answer_satisfies_the_policy(problem, asked):
    try:
        found = run(LatticeLocal(), problem, Countdown(asked))
    except LimitError:
        return
    if found is not None:
        outcome = problem.outcome(found)
        assert problem.satisfied_by(outcome.classes).all()
        assert outcome.suppressed <= problem.suppressible


@pytest.mark.thorough
@pytest.mark.skipif(not arx_tables.FOLDER.exists(), reason=arx_tables.ABSENT)
@pytest.mark.parametrize("suppression", [0.0, 0.05])
def test_adult_with_diversity_loses_far_less_than_any_one_vector(suppression):
    models = [KAnonymity(5), LDiversity("occupation", 3, kind="distinct")]
    problem = arx_tables.problem("adult", models, Gcp(), suppression, sensitive=("occupation",))
    found, optimum = run(LatticeLocal(share=0.005), problem), run(Lattice(), problem)
    assert problem.satisfied_by(problem.outcome(found).classes).all()
    assert loss_of(problem, found) <= loss_of(problem, optimum) / 3


@pytest.mark.slow
@pytest.mark.skipif(not arx_tables.FOLDER.exists(), reason=arx_tables.ABSENT)
def test_moves_alone_halve_the_loss_of_adult_and_keep_k():
    problem = arx_tables.problem("adult", [KAnonymity(50)], Gcp())
    start = run(Lattice(), problem)
    outcome = problem.outcome(start)
    moves = Moves(problem, start.pieces.class_of, outcome.level)
    moves.run(Watch())
    answer = check_recoding(problem, *moves.answer())
    assert answer.loss <= 0.34 < problem.loss.of(outcome) / 1.9
