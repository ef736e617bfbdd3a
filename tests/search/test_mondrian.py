from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import arx_tables
import naive.mondrian
from incrowd.errors import InfeasibleError, LimitError
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.loss import Gcp
from incrowd.models import AlphaK, KAnonymity, LDiversity, TCloseness
from incrowd.partition.classes import classes_of
from incrowd.recoding import Spans
from incrowd.search.mondrian import CUTS, Mondrian, cut_into_parts, least_size
from incrowd.search.refusals import as_one_class
from incrowd.table.column import Domain, Kind
from incrowd.watch import Watch
from strategies import problem_of, tables

MODELS = [
    (KAnonymity(2),),
    (KAnonymity(4),),
    (KAnonymity(2), LDiversity("s0", 2, kind="distinct")),
    (LDiversity("s0", 1.5, kind="frequency"),),
    (KAnonymity(3), TCloseness("s0", 0.5)),
    (AlphaK("s0", 0.6, 2),),
]


def cut(problem, *, relaxed=False, watch=None, how="balanced"):
    """The parts as they were cut; None if the table as a whole fails."""
    try:
        return cut_into_parts(problem, watch or Watch(), relaxed=relaxed, cut=how)[0]
    except InfeasibleError:
        return None


def items_of(tally, relaxed):
    if not relaxed or tally.has_units:
        return tally, list(range(tally.rows))
    row = np.repeat(np.arange(tally.rows, dtype=np.int32), tally.counts)
    return tally.split(row, np.ones(len(row), dtype=np.int64)), row.tolist()


def slow_parts(problem, relaxed, *, median=False):
    """The naive twin's classes as a sorted list of {row: records}."""
    tally, row = items_of(problem.tally, relaxed)
    records = list(zip(tally.quasi.T.tolist(), tally.counts.tolist(), strict=True))
    columns = [(c.hierarchy, c.weight, c.range) for c in problem.columns]

    by_size = replace(problem, models=tuple(m for m in problem.models if not m.columns))

    def fine(problem, *parts):
        part_of = np.full(tally.rows, -1, dtype=np.int32)
        for number, part in enumerate(parts):
            part_of[part] = number
        classes = classes_of(tally, part_of, len(parts), problem.sensitive)
        return problem.satisfied_by(classes).all()

    def allowed(left, right):
        """A part that fails although its halves may not is cut as long as they are large enough."""
        if fine(problem, left, right):
            return True
        fails = not problem.monotone and not fine(problem, [*left, *right])
        return fails and fine(by_size, left, right)

    rule = {"k": least_size(problem) or 1, "relaxed": relaxed and not tally.has_units}
    found = naive.mondrian.partition(records, columns, allowed, cuts=CUTS, median=median, **rule)
    return sorted(sorted(count_rows(part, row, tally.counts).items()) for part in found)


def count_rows(part, row, counts):
    total = {}
    for i in part:
        total[row[i]] = total.get(row[i], 0) + int(counts[i])
    return total


def fast_parts(pieces):
    total = {}
    for row, count, number in zip(pieces.row, pieces.count, pieces.class_of, strict=True):
        total.setdefault(int(number), {})[int(row)] = int(count)
    return sorted(sorted(part.items()) for part in total.values())


@pytest.mark.parametrize("how", ["balanced", "median"])
@settings(max_examples=100, deadline=None)
@given(tables(max_records=24, units=True), st.sampled_from(MODELS), st.booleans())
def test_it_cuts_as_the_naive_twin_does(how, table, models, relaxed):
    problem = problem_of(table, models, Gcp())
    found = cut(problem, relaxed=relaxed, how=how)
    if found is None:
        assert not problem.satisfied_by(as_one_class(problem)).all()
        return
    assert fast_parts(found) == slow_parts(problem, relaxed, median=how == "median")


@pytest.mark.parametrize(
    ("relaxed", "how", "sizes"),
    [
        (False, "median", [9]),
        (False, "balanced", [3, 6]),
        (True, "median", [2, 3, 4]),
    ],
)
def test_the_literature_cuts_at_the_median_alone(relaxed, how, sizes):
    """The median of 1 1 1 2 2 2 2 2 2 is 2, and nothing lies above it (LeFevre Section 4.1)."""
    problem = problem_of(_numbers([1, 1, 1, 2, 2, 2, 2, 2, 2]), [KAnonymity(2)], Gcp())
    found = cut(problem, relaxed=relaxed, how=how)
    assert sorted(np.bincount(found.class_of, weights=found.count).tolist()) == sizes
    assert Mondrian(relaxed=relaxed, cut=how).run(problem, Watch()).facts["classes"] <= len(sizes)


@pytest.mark.parametrize("how", ["balanced", "median"])
@settings(max_examples=60, deadline=None)
@given(tables(max_records=24, units=True), st.sampled_from(MODELS), st.booleans())
def test_every_class_satisfies_every_model_and_nobody_is_left_out(how, table, models, relaxed):
    problem = problem_of(table, models, Gcp())
    try:
        found = Mondrian(relaxed=relaxed, cut=how).run(problem, Watch())
    except InfeasibleError:
        assert not problem.satisfied_by(as_one_class(problem)).all()
        return
    outcome = problem.outcome(found.recoding)
    assert outcome.suppressed == 0
    assert outcome.classes.records.sum() == problem.tally.records
    assert problem.satisfied_by(outcome.classes).all()


@settings(max_examples=40, deadline=None)
@given(tables(max_records=24), st.integers(2, 4))
def test_no_class_can_be_cut_when_it_stops(table, k):
    """Cutting once more what came out changes nothing."""
    problem = problem_of(table, [KAnonymity(k)], Gcp())
    found = cut(problem)
    if found is None:
        return
    class_of = found.class_of
    for number in range(int(class_of.max()) + 1):
        rows = np.flatnonzero(class_of == number).astype(np.int32)
        part = replace(problem, tally=problem.tally.take(rows))
        assert cut(part).class_of.max() == 0


def test_equal_rows_are_divided_only_if_relaxed():
    table = _column([1, 1, 1, 1, 1, 1, 2])
    problem = problem_of(table, [KAnonymity(3)], Gcp())
    assert fast_parts(cut(problem)) == [[(0, 6), (1, 1)]]
    assert fast_parts(cut(problem, relaxed=True)) == [[(0, 2), (1, 1)], [(0, 4)]]


def test_a_missing_value_is_cut_from_the_rest():
    table = _column([0, 0, 1, 1, 2, 2, 3, 3, 3, 3])
    problem = problem_of(table, [KAnonymity(2)], Gcp())
    assert len(fast_parts(cut(problem))) == 4


class Countdown(Watch):
    """A watch that expires after it was asked so many times."""

    def __init__(self, asked):
        super().__init__()
        self.left = asked

    @property
    def expired(self):
        self.left -= 1
        return self.left < 0


def test_when_time_runs_out_what_was_cut_is_returned():
    trees, quasi, _, _ = _column([1, 1, 2, 2, 3, 3, 4, 4])
    table = trees, quasi, [[1, 2] * 4], None
    problem = problem_of(table, [LDiversity("s0", 2, kind="distinct")], Gcp())
    assert len(fast_parts(cut(problem, watch=Countdown(2)))) == 2
    assert "stopped at the time limit" in Mondrian().run(problem, Countdown(2)).why
    assert len(fast_parts(cut(problem))) == 4


def test_no_time_no_answer():
    problem = problem_of(_column([1, 2]), [KAnonymity(2)], Gcp())
    with pytest.raises(LimitError):
        Mondrian().run(problem, Watch(limit=0.0))


def test_what_cannot_be_is_refused():
    problem = problem_of(_column([1, 2]), [KAnonymity(3)], Gcp())
    with pytest.raises(InfeasibleError):
        Mondrian().run(problem, Watch())


def test_two_runs_agree_and_the_table_is_unchanged():
    problem = problem_of(_column([3, 1, 2, 2, 1, 3]), [KAnonymity(2)], Gcp())
    before = problem.tally.quasi.copy()
    first, second = (cut(problem, relaxed=True) for _ in range(2))
    assert fast_parts(first) == fast_parts(second)
    assert (problem.tally.quasi == before).all()


def _numbers(codes):
    """The same with an ordered column."""
    (tree,), *rest = _column(codes)
    numbers = Domain(Kind.NUMBER, np.arange(1, max(codes) + 1))
    return [Hierarchy(numbers, tree.maps, tree.labels, True)], *rest


def _column(codes):
    n = max(codes)
    texts = np.array([f"v{i}" for i in range(n)], dtype=object)
    maps = np.array([np.arange(n + 1), np.ones(n + 1)], dtype=np.int32)
    tree = Hierarchy(Domain(Kind.TEXT, texts), maps, (texts, np.array(["*"], dtype=object)))
    return [tree], [codes], [[1] * len(codes)], None


@pytest.mark.skipif(not arx_tables.FOLDER.exists(), reason=arx_tables.ABSENT)
@pytest.mark.parametrize(("k", "loss"), [(5, 0.0690), (10, 0.1100), (50, 0.2380)])
def test_adult_is_cut_with_little_loss(k, loss):
    problem = arx_tables.problem("adult", [KAnonymity(k)], Gcp())
    outcome = problem.outcome(Mondrian(relaxed=True).run(problem, Watch()).recoding)
    assert problem.loss.of(outcome) <= loss


@pytest.mark.parametrize("relaxed", [False, True])
@given(table=tables(max_records=20))
def test_no_two_classes_show_the_same(relaxed, table):
    problem = problem_of(table, [KAnonymity(2)], Gcp())
    assume(problem.tally.records >= 2)
    outcome = problem.outcome(Mondrian(relaxed=relaxed).run(problem, Watch()).recoding)
    shown = np.vstack([outcome.low, outcome.high, outcome.level]).T.tolist()
    assert len({tuple(cells) for cells in shown}) == len(shown)


def test_parts_that_show_the_same_are_judged_as_one_class():
    """Two people hold one value here and another there; the halves are diverse, their union not."""
    trees = [_column([4])[0][0], _column([2])[0][0]]
    quasi = [[1, 2, 3, 4, 1, 1, 1, 1], [1, 1, 1, 1, 2, 2, 2, 2]]
    values = [[1, 2, 2, 1, 3, 4, 3, 4]]
    people = [1, 2, 1, 2, 3, 4, 5, 6]
    problem = problem_of((trees, quasi, values, people), [LDiversity("s0", 2)], Gcp())
    told = Spans(cut(problem)).merge_alike(problem.tally, problem.columns)
    assert not problem.satisfied_by(problem.outcome(told).classes).all()
    outcome = problem.outcome(Mondrian().run(problem, Watch()).recoding)
    assert problem.satisfied_by(outcome.classes).all()
