"""The dual problem: methods against plain lists and every partition, bounds and floors kept."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import census_tables
import naive.accuracy
from incrowd.errors import InfeasibleError, LimitError, PolicyError
from incrowd.kernels.boxes import box_cost
from incrowd.kernels.literature.accuracy import GroupRule, grow_and_adjust_groups
from incrowd.loss import Gcp
from incrowd.loss.ncp import ncp_of_classes
from incrowd.models import KAnonymity, LDiversity
from incrowd.search import Accuracy
from incrowd.search.layout import boxes_of
from incrowd.search.literature.diversify.diversify import order_of
from incrowd.search.literature.diversify.groups import records_of
from incrowd.watch import Watch
from strategies import problem_of, tables
from worked import tree

METHODS = ("best", "ac", "ipcsd-mondrian", "ipcsd-direct", "optimal")
BOUNDS = [0.0, 0.1, 0.25, 0.4, 0.7, 1.0]
every = pytest.mark.parametrize("method", METHODS)


def cost_of(problem, records):
    """What a group of these records, by their place in the line, costs."""
    flat = boxes_of(replace(problem, loss=Gcp()))
    lines = records.cells[records.row]

    def cost(group):
        return box_cost(flat, lines[group].min(axis=0), lines[group].max(axis=0))

    return cost


def starts(problem):
    sizes = [len(column.frequency) for column in problem.columns]
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def run(search, problem):
    """What the search finds, None if it says that there is nothing."""
    try:
        return search.run(problem, Watch())
    except InfeasibleError:
        return None


def refusal(search, problem):
    """The error if the search says that there is nothing, None if it finds something."""
    try:
        search.run(problem, Watch())
    except InfeasibleError as error:
        return error
    return None


@pytest.mark.slow
@settings(max_examples=200)
@given(tables(max_records=20, max_columns=2), st.sampled_from(BOUNDS), st.booleans())
def test_the_heuristic_is_that_of_the_paper(table, bound, by_value):
    problem = problem_of(table, [KAnonymity(2)], Gcp())
    records = records_of(problem, order_of(problem, "kd-tree"), 0 if by_value else None)
    line = records.items, records.value, records.values
    fast = grow_and_adjust_groups(
        *line, boxes_of(problem), starts(problem), GroupRule(bound, by_value)
    )
    price = cost_of(problem, records)
    values = records.value.tolist()
    points = records.cells[records.row].tolist()
    slow = naive.accuracy.most_private(points, values, bound, price, by_value=by_value)
    groups = [np.flatnonzero(fast == c).tolist() for c in range(int(fast.max()) + 1)]
    assert groups == [sorted(group) for group in slow]
    assert all(price(group) <= bound for group in groups)


@pytest.mark.slow
@every
@pytest.mark.parametrize("privacy", ["k", "l"])
@settings(max_examples=40)
@given(data=st.data())
def test_bounds_and_floors_hold_and_the_facts_are_true(method, privacy, data):
    columns = 1 if method == "optimal" else 2
    table = data.draw(tables(max_records=12, max_columns=columns))
    bound = data.draw(st.sampled_from(BOUNDS))
    models = data.draw(st.sampled_from([(), (KAnonymity(2),), (LDiversity("s0", 1.5),)]))
    suppression = data.draw(st.sampled_from([0.0, 0.4]))
    problem = problem_of(table, models, Gcp(), suppression)
    found = run(Accuracy(max_loss=bound, privacy=privacy, method=method), problem)
    if found is None:
        return
    outcome = problem.outcome(found.recoding)
    assert problem.satisfied_by(outcome.classes).all()
    assert outcome.suppressed <= problem.suppressible
    assert ncp_of_classes(outcome).max() <= bound + 1e-9
    assert found.facts["bound_met"] == 1
    assert found.facts["k"] == outcome.classes.people.min()
    assert found.facts["l"] == pytest.approx(LDiversity("s0", 1).achieved_by(outcome.classes))
    assert found.why


@pytest.mark.parametrize("privacy", ["k", "l"])
@settings(max_examples=120)
@given(data=st.data())
def test_the_best_of_one_column_is_that_of_all_partitions(privacy, data):
    table = data.draw(tables(max_records=7, max_columns=1))
    bound = data.draw(st.sampled_from(BOUNDS))
    least = data.draw(st.integers(1, 2))
    problem = problem_of(table, [KAnonymity(2)] if least == 2 else [], Gcp())
    assume(problem.tally.records >= least)
    records = records_of(problem, order_of(problem, "kd-tree"), 0)
    assume(privacy == "k" or records.values > 1)
    best = naive.accuracy.best(
        records.value.tolist(),
        bound + 1e-9,
        cost_of(problem, records),
        by_value=privacy == "l",
        least=least,
    )
    found = run(Accuracy(max_loss=bound, privacy=privacy, method="optimal"), problem)
    assert (found is None) == (best is None)
    if found is not None:
        assert found.facts[privacy] >= best - Fraction(1, 10**9)
        assert "the highest possible" in found.why


@every
def test_one_value_for_everybody_is_refused(method):
    table = ([tree([("a", "*"), ("b", "*")])], [[1, 1, 2, 2]], [[3, 3, 3, 3]], None)
    problem = problem_of(table, [KAnonymity(2)], Gcp())
    with pytest.raises(InfeasibleError, match="'s0' has only one value"):
        Accuracy(max_loss=1.0, privacy="l", method=method).run(problem, Watch())
    assert run(Accuracy(max_loss=1.0, method=method), problem).facts["l"] == 1


@pytest.mark.slow
@settings(max_examples=25)
@given(tables(max_records=9, max_columns=1), st.sampled_from(BOUNDS), st.sampled_from("kl"))
def test_no_heuristic_beats_the_best_of_one_column(table, bound, privacy):
    problem = problem_of(table, [], Gcp())
    best = run(Accuracy(max_loss=bound, privacy=privacy, method="optimal"), problem)
    for method in METHODS[:4]:
        other = run(Accuracy(max_loss=bound, privacy=privacy, method=method), problem)
        if other is not None:
            assert other.facts[privacy] <= best.facts[privacy] + 1e-9


@pytest.mark.slow
@settings(max_examples=60)
@given(tables(max_records=9, max_columns=1), st.sampled_from(BOUNDS))
def test_with_a_floor_of_l_the_largest_k_is_found_too(table, bound):
    problem = problem_of(table, [LDiversity("s0", 1.5)], Gcp())
    found = run(Accuracy(max_loss=bound, method="optimal"), problem)
    other = run(Accuracy(max_loss=bound), problem)
    assert (found is None) <= (other is None)
    if other is not None:
        assert problem.satisfied_by(problem.outcome(found.recoding).classes).all()
        assert found.facts["k"] >= other.facts["k"]


@pytest.mark.slow
@every
@settings(max_examples=25)
@given(data=st.data())
def test_out_of_reach_names_a_bound_that_works(method, data):
    columns = 1 if method == "optimal" else 2
    table = data.draw(tables(max_records=10, max_columns=columns))
    problem = problem_of(table, [KAnonymity(3)], Gcp())
    assume(problem.tally.records >= 3)
    refused = refusal(Accuracy(max_loss=0.0, method=method), problem)
    assume(refused is not None)
    works = float(refused.remedy.split("max_loss to ")[1].split(",")[0])
    found = Accuracy(max_loss=works, method=method).run(problem, Watch())
    assert found.facts["max_class_ncp"] <= works + 1e-9


def ages(rows, models, **limits):
    """A problem with one column of numbers from 0 to 100, and values."""
    column = tree([(age, "*") for age in range(101)], ordered=True)
    codes, values = [age + 1 for age, _ in rows], [value for _, value in rows]
    problem = problem_of(([column], [codes], [values], None), models, Gcp())
    columns = tuple(replace(c, **limits) for c in problem.columns)
    return replace(problem, columns=columns)


def test_the_limits_of_columns_bound_classes_too():
    rows = [(age, 1) for age in (0, 5, 10, 15, 30, 35, 100)]
    problem = ages(rows[:-1], [KAnonymity(2)], widest=10.0)
    found = Accuracy(max_loss=1.0).run(problem, Watch())
    assert found.facts["k"] == 2
    outcome = problem.outcome(found.recoding)
    assert (outcome.high - outcome.low).max() <= 10
    with pytest.raises(InfeasibleError):
        Accuracy(max_loss=1.0).run(ages(rows, [KAnonymity(2)], widest=10.0), Watch())


def test_records_that_fit_nowhere_may_be_left_out():
    problem = ages([(0, 1), (1, 2), (2, 1), (100, 1)], [KAnonymity(2)])
    problem = replace(problem, suppression=0.25)
    found = Accuracy(max_loss=0.1).run(problem, Watch())
    assert found.facts["k"] == 3
    assert problem.outcome(found.recoding).suppressed == 1


def test_words_say_whether_publishing_makes_sense():
    rows = [(0, 1), (1, 1), (2, 1), (3, 2)]
    assert "do not publish" in Accuracy(privacy="l").run(ages(rows, []), Watch()).why
    rows = [(age, age % 3) for age in range(30)]
    why = Accuracy(max_loss=0.5, privacy="l").run(ages(rows, []), Watch()).why
    assert "with a chance of at most 34 %" in why


def test_people_with_several_records_and_consistent_recoding_are_kept():
    column = tree([(age, "*") for age in range(1, 5)], ordered=True)
    table = [column], [[1, 1, 2, 3, 3, 4]], [[1, 2, 1, 2, 1, 2]], [0, 1, 1, 2, 3, 3]
    problem = problem_of(table, [KAnonymity(2)], Gcp())
    assert problem.tally.has_units
    found = Accuracy(max_loss=0.4).run(problem, Watch())
    assert problem.satisfied_by(problem.outcome(found.recoding).classes).all()
    equal = replace(problem_of((*table[:3], None), [KAnonymity(2)], Gcp()), consistent=True)
    pieces = Accuracy(max_loss=0.4).run(equal, Watch()).recoding.pieces
    shown = set(
        zip(equal.tally.quasi[0][pieces.row].tolist(), pieces.class_of.tolist(), strict=True)
    )
    assert len(shown) == len({code for code, _ in shown})


def test_privacy_of_values_needs_a_sensitive_column():
    problem = ages([(0, 1), (1, 2)], [])
    none = replace(problem.tally, sensitive=problem.tally.sensitive[:0])
    problem = replace(problem, sensitive=(), tally=none)
    with pytest.raises(PolicyError, match="there is none"):
        Accuracy(privacy="l").run(problem, Watch())
    with pytest.raises(PolicyError, match="'job' is not one"):
        Accuracy(privacy="l", column="job").run(ages([(0, 1), (1, 2)], []), Watch())


def test_the_best_needs_one_column():
    column = tree([(1, "*"), (2, "*")], ordered=True)
    table = [column] * 2, [[1, 2], [2, 1]], [[1, 2]], None
    with pytest.raises(PolicyError, match="one quasi-identifying column"):
        Accuracy(method="optimal", privacy="l").run(problem_of(table, [], Gcp()), Watch())
    with pytest.raises(PolicyError, match="one quasi-identifying column"):
        Accuracy(method="optimal").run(problem_of(table, [], Gcp()), Watch())


def test_no_time_is_an_error():
    with pytest.raises(LimitError):
        Accuracy().run(ages([(0, 1), (1, 2)], []), Watch(limit=0.0))


@pytest.mark.parametrize(
    "given", [{"max_loss": -0.1}, {"max_loss": 1.5}, {"privacy": "t"}, {"method": "most"}], ids=str
)
def test_bad_settings_are_refused(given):
    with pytest.raises(PolicyError):
        Accuracy(**given)


@pytest.mark.thorough
@pytest.mark.skipif(not census_tables.FOLDER.exists(), reason=census_tables.ABSENT)
@pytest.mark.parametrize("bound", [0.2, 0.4])
def test_the_heuristic_is_more_private_than_halving(bound):
    problem = census_tables.problem([KAnonymity(2)], Gcp(), 10_000, 3, sensitive=True)
    reached = {}
    for method in METHODS[:4]:
        found = run(Accuracy(max_loss=bound, privacy="l", method=method), problem)
        reached[method] = found.facts["l"] if found else 0.0
    assert reached["best"] >= max(reached.values())
    assert reached["ac"] >= max(reached[method] for method in METHODS[2:4])
