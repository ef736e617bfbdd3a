from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.datafly
import naive.search
from incrowd.errors import InfeasibleError, LimitError, PolicyError
from incrowd.loss import Gcp
from incrowd.models import KAnonymity, LDiversity
from incrowd.search.literature.datafly import Datafly
from incrowd.watch import Watch
from strategies import problem_of, tables
from worked import problem as worked_problem
from worked import tree

WEIGHTS = st.sampled_from([0.0, 0.25, 0.5, 1.0])


@settings(deadline=None)
@given(tables(), st.integers(2, 4), st.sampled_from([0.0, 0.2, 0.5, 1.0]))
def test_the_core_algorithm_agrees_with_the_naive_twin(table, k, suppression):
    trees, quasi, _, _ = table
    problem = problem_of(table, [KAnonymity(k)], Gcp(), suppression)
    expected = naive.search.datafly(trees, quasi, k, problem.suppressible)
    assert released(Datafly(), problem) == expected


def released(search, problem):
    """Levels and what each record shows, as the twins tell it."""
    try:
        recoding = search.run(problem, Watch()).recoding
    except InfeasibleError:
        return None, None
    codes = problem.tally.quasi[:, problem.tally.row_of]
    shown = naive.search.classes_at(
        [c.hierarchy for c in problem.columns], codes.tolist(), recoding.levels
    )
    kept = recoding.pieces.class_of[problem.tally.row_of] >= 0
    cells = [cell if stays else None for cell, stays in zip(shown, kept.tolist(), strict=True)]
    return list(recoding.levels), cells


@st.composite
def requests(draw):
    """A table with limits of levels, sets and weights, as the twin and as the search take them."""
    table = draw(tables(max_records=10))
    trees, _, _, _ = table
    d = len(trees)
    lowest = [draw(st.integers(0, tree.height - 1)) for tree in trees]
    highest = [draw(st.integers(lo, t.height)) for lo, t in zip(lowest, trees, strict=True)]
    some = st.lists(st.integers(0, d - 1), min_size=1, unique=True)
    sets = draw(st.lists(some, max_size=3))
    likelihood, preference = ([draw(WEIGHTS) for _ in range(d)] for _ in range(2))
    for columns in sets or [range(d)]:
        for weights in (likelihood, preference):
            if not any(weights[j] for j in columns):
                weights[columns[0]] = 1.0
    return table, (lowest, highest), (sets, likelihood, preference, draw(st.booleans()))


def search_of(sets, likelihood, preference, joint):
    return Datafly(
        sets=tuple(tuple(f"q{j}" for j in columns) for columns in sets),
        likelihood={f"q{j}": weight for j, weight in enumerate(likelihood)},
        preference={f"q{j}": weight for j, weight in enumerate(preference) if weight < 1},
        joint=joint,
    )


def limited(problem, lowest, highest):
    columns = tuple(
        replace(column, lowest=lo, highest=hi)
        for column, lo, hi in zip(problem.columns, lowest, highest, strict=True)
    )
    return replace(problem, columns=columns)


@settings(deadline=None, max_examples=150)
@given(requests(), st.integers(2, 3), st.sampled_from([0.0, 0.2, 0.5, 1.0]))
def test_sets_and_weights_agree_with_the_naive_twin(request, k, suppression):
    (table, (lowest, highest), asked) = request
    trees, quasi, _, _ = table
    problem = limited(problem_of(table, [KAnonymity(k)], Gcp(), suppression), lowest, highest)
    twin = naive.datafly.Datafly(
        trees, quasi, k, problem.suppressible, lowest=lowest, highest=highest
    )
    expected = twin.run(*asked) if problem.tally.records >= k else (None, None)
    assert released(search_of(*asked), problem) == expected


@settings(deadline=None)
@given(requests(), st.sampled_from([0.0, 0.3]))
def test_the_whole_satisfies_the_models_unless_it_is_not_asked_for(request, suppression):
    table, _, (sets, likelihood, preference, _) = request
    models = [KAnonymity(2), LDiversity("s0", 2)]
    problem = problem_of(table, models, Gcp(), suppression)
    try:
        found = search_of(sets, likelihood, preference, True).run(problem, Watch())
    except InfeasibleError:
        return
    outcome = problem.outcome(found.recoding)
    assert problem.satisfied_by(outcome.classes).all()
    assert outcome.suppressed <= problem.suppressible
    assert not found.caveat


FLAT = tree([("0", "*"), ("1", "*")])
CROSSED = [(a, b, c) for a in "01" for b in "01" for c in "01"]
"""Each pair of columns shows every pair of values twice, all three tell everybody apart."""
PAIRS = (("c0", "c1"), ("c0", "c2"), ("c1", "c2"))


def crossed(k=2):
    return worked_problem(CROSSED, [FLAT] * 3, [KAnonymity(k)])


def test_sets_one_by_one_prove_nothing_about_the_whole():
    of = crossed()
    found = Datafly(sets=PAIRS, joint=False).run(of, Watch())
    assert found.recoding.levels == (0, 0, 0)
    assert not of.satisfied_by(of.outcome(found.recoding).classes).any()
    assert "does not protect" in found.caveat
    assert Datafly(sets=PAIRS).run(of, Watch()).recoding.levels == (1, 0, 0)


@pytest.mark.parametrize(
    ("preference", "levels"),
    [
        ({}, (1, 0, 0)),
        ({"c0": 0.5}, (0, 1, 0)),
        ({"c0": 0.5, "c1": 0.4, "c2": 0.3}, (1, 0, 0)),
        ({"c0": 0, "c1": 0}, (0, 0, 1)),
    ],
)
def test_what_may_be_distorted_more_goes_up_first(preference, levels):
    assert Datafly(preference=preference).run(crossed(), Watch()).recoding.levels == levels


def test_a_column_of_preference_0_goes_up_if_no_other_can():
    of = crossed(4)
    of = replace(of, columns=(*of.columns[:2], replace(of.columns[2], highest=0)))
    search = Datafly(preference={"c0": 0})
    assert search.run(of, Watch()).recoding.levels == (1, 1, 0)


def test_a_column_that_nobody_links_by_is_in_no_set():
    search = Datafly(likelihood={"c0": 0}, joint=False)
    assert search.run(crossed(), Watch()).recoding.levels == (0, 0, 0)
    likely = Datafly(likelihood={"c0": 0.5}, joint=False)
    assert likely.run(crossed(), Watch()).recoding.levels == (0, 1, 0)


def test_the_highest_level_is_kept_and_what_fails_there_is_left_out():
    digits = tree([(digit, "*") for digit in "0123"])
    of = worked_problem([(a,) for a in "00000123"], [digits], [KAnonymity(2)], suppression=0.5)
    of = replace(of, columns=(replace(of.columns[0], highest=0),))
    found = Datafly().run(of, Watch())
    assert found.recoding.levels == (0,)
    assert of.outcome(found.recoding).classes.records.tolist() == [5]


def test_no_class_is_wider_than_allowed():
    steps = tree([(n, f"{(n + 1) // 2}", "*") for n in range(1, 5)], ordered=True)
    of = worked_problem([(n, "0") for n in range(1, 5)], [steps, FLAT], [KAnonymity(3)])
    assert Datafly().run(of, Watch()).recoding.levels == (2, 0)
    narrow = replace(of, columns=(replace(of.columns[0], widest=1.0), of.columns[1]))
    with pytest.raises(InfeasibleError):
        Datafly().run(narrow, Watch())
    pairs = replace(narrow, models=(KAnonymity(2),))
    assert Datafly().run(pairs, Watch()).recoding.levels == (1, 0)


def test_nothing_is_found_where_the_highest_level_is_too_low():
    of = crossed()
    of = replace(of, columns=tuple(replace(column, highest=0) for column in of.columns))
    with pytest.raises(InfeasibleError, match="highest levels"):
        Datafly().run(of, Watch())


def test_what_one_set_suppresses_is_missing_in_the_classes_of_another():
    # The first is alone in c0; then the second in c1, then the third in c0.
    rows = ["11", "21", "22", "32", "32", "33", "33"]
    digits = tree([(digit, "*") for digit in "123"])
    of = worked_problem(
        [tuple(row) for row in rows], [digits] * 2, [KAnonymity(2)], suppression=3 / 7
    )
    found = Datafly(sets=(("c0",), ("c1",)), joint=False).run(of, Watch())
    assert found.recoding.levels == (0, 0)
    outcome = of.outcome(found.recoding)
    assert outcome.suppressed == 3
    assert outcome.classes.records.tolist() == [2, 2]


@pytest.mark.parametrize(
    ("search", "said"),
    [
        (Datafly(sets=(("c0", "c11"),)), "names 'c11'.*did you mean"),
        (Datafly(likelihood={"zip": 1}), "names 'zip'.*use one of 'c0', 'c1', 'c2'"),
        (Datafly(preference={"c9": 1}), "names 'c9'"),
        (
            Datafly(likelihood={"c0": 0, "c1": 0, "c2": 0}),
            "weights of datafly sum to 0: the likelihood",
        ),
        (
            Datafly(preference={"c0": 0, "c1": 0, "c2": 0}),
            "weights of datafly sum to 0: the preference",
        ),
        (Datafly(sets=PAIRS, likelihood={"c0": 0, "c1": 0}), "weights of datafly sum to 0"),
    ],
)
def test_columns_and_weights_that_make_no_sense_are_refused(search, said):
    with pytest.raises(PolicyError, match=said):
        search.run(crossed(), Watch())


@pytest.mark.parametrize(
    "values", [{"likelihood": {"a": 1.5}}, {"preference": {"a": -0.1}}, {"sets": ((),)}]
)
def test_weights_are_shares_and_sets_hold_something(values):
    with pytest.raises(PolicyError):
        Datafly(**values)


@settings(deadline=None)
@given(tables(), st.integers(2, 4))
def test_what_is_suppressed_numbers_nothing_or_at_least_k(table, k):
    problem = problem_of(table, [KAnonymity(k)], Gcp(), 1.0)
    if problem.tally.records >= k:
        outcome = problem.outcome(Datafly().run(problem, Watch()).recoding)
        assert outcome.suppressed == 0 or outcome.suppressed >= k


@settings(deadline=None)
@given(tables(), st.integers(2, 4))
def test_without_a_suppression_limit_nothing_is_suppressed(table, k):
    problem = problem_of(table, [KAnonymity(k)], Gcp())
    if problem.tally.records >= k:
        outcome = problem.outcome(Datafly().run(problem, Watch()).recoding)
        assert outcome.suppressed == 0


@settings(deadline=None)
@given(tables(), st.data())
def test_the_next_column_has_most_distinct_values_and_can_go_up(table, data):
    trees, quasi, _, _ = table
    problem = problem_of(table, [], Gcp())
    levels = [data.draw(st.integers(0, tree.height)) for tree in trees]
    shown = np.array(naive.search.classes_at(trees, quasi, levels))
    distinct = [
        len(set(shown[:, j])) if level < tree.height else 0
        for j, (level, tree) in enumerate(zip(levels, trees, strict=True))
    ]
    first = distinct.index(max(distinct)) if any(distinct) else None
    assert Datafly()._views(problem).union.next_column(levels) == first


@settings(deadline=None)
@given(tables(max_records=3))
def test_out_of_time(table):
    with pytest.raises(LimitError):
        Datafly().run(problem_of(table, [], Gcp()), Watch(limit=0.0))
