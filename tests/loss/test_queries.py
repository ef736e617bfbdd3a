"""Query precision against its slow twin, which goes through every cell of every class."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.loss
import naive.queries
from incrowd.errors import LimitError, PolicyError
from incrowd.loss import Queries, figures
from incrowd.loss import queries_cubes as cubes
from incrowd.policy.presets import quick
from incrowd.recoding import Anatomized, Pieces, Spans
from incrowd.search.lattice.full_domain import levels_recoding, node_classes
from strategies import problem_of, tables


def drawn_classes(draw, problem):
    rows = problem.tally.rows
    names = draw(st.lists(st.integers(-1, 2), min_size=rows, max_size=rows))
    place = {name: i for i, name in enumerate(sorted(set(names) - {-1}))}
    class_of = np.array([place.get(name, -1) for name in names], dtype=np.int32)
    return Pieces(np.arange(rows, dtype=np.int32), problem.tally.counts, class_of)


@st.composite
def outcomes(draw):
    """A table, its column weights, the levels (None for spans) and an outcome."""
    table = draw(tables(max_records=9))
    problem = problem_of(table, [], None)
    weights = [draw(st.sampled_from([0.5, 1.0, 3.0])) for _ in problem.columns]
    columns = tuple(replace(c, weight=w) for c, w in zip(problem.columns, weights, strict=True))
    problem = replace(problem, columns=columns)
    kind = draw(st.sampled_from(["levels", "spans", "anatomy"]))
    levels = None
    if kind == "levels":
        levels = [draw(st.integers(0, c.hierarchy.height)) for c in columns]
        class_of, number = node_classes(problem, levels)
        kept = np.array(draw(st.lists(st.booleans(), min_size=number, max_size=number)))
        recoding = levels_recoding(problem, levels, class_of, kept)
    else:
        recoding = (Spans if kind == "spans" else Anatomized)(drawn_classes(draw, problem))
    return table, weights, levels, problem.outcome(recoding)


def slow(drawn, rule):
    (trees, quasi, values, _), weights, levels, outcome = drawn
    row_of = problem_of(drawn[0], [], None).tally.row_of
    class_of = outcome.class_of[row_of].tolist()
    columns = list(map(naive.loss.Column, trees, quasi, weights))
    known = range(0 if 0 in values[0] else 1, 5)
    return naive.queries.loss(columns, class_of, values[0], known, (levels, *rule, outcome.exact))


@settings(deadline=None, max_examples=150)
@given(
    outcomes(),
    st.integers(1, 3),
    st.sampled_from(["kl", "relative"]),
    st.sampled_from([0.001, 0.3]),
    st.booleans(),
)
def test_estimates_are_those_of_the_definition(drawn, level, measure, floor, blocks):
    whole = cubes._BLOCK
    cubes._BLOCK = 1 if blocks else whole
    try:
        found = Queries("s0", level, measure, floor).of(drawn[-1])
    finally:
        cubes._BLOCK = whole
    assert found == pytest.approx(slow(drawn, (level, measure, floor)), abs=1e-9)


def with_sets(problem):
    columns = [replace(c, sets=not c.hierarchy.ordered) for c in problem.columns]
    return replace(problem, columns=tuple(columns))


@settings(deadline=None, max_examples=60)
@given(st.data(), tables(max_records=9))
def test_sets_spread_over_their_values_alone(data, table):
    problem = with_sets(problem_of(table, [], None))
    outcome = problem.outcome(Spans(drawn_classes(data.draw, problem)))
    trees, quasi, values, _ = table
    group = data.draw(st.sampled_from(range(len(trees))))
    class_of = outcome.class_of[problem.tally.row_of].tolist()
    columns = [naive.loss.Column(t, q, 1.0) for t, q in zip(trees, quasi, strict=True)]
    cube = {}
    for members in naive.queries.classes(class_of).values():
        held = {quasi[group][i] for i in members}
        if trees[group].ordered:
            held = naive.queries.stands_for(columns[group], sorted(held), None, min(held))
        elif len(held) > 1 and 0 in held:
            held = set(naive.queries.domain(columns[group]))
        for i in members:
            for code in held:
                cube[code, values[0][i]] = cube.get((code, values[0][i]), 0) + 1 / len(held)
    counted = Queries("s0")._counted_column(outcome)
    if outcome.suppressed:
        return
    answer = cubes.Cubes(outcome, counted).answer([group])
    held = sorted(set(zip(values[0], quasi[group], strict=True)))
    assert answer.estimate == pytest.approx([cube[code, value] for value, code in held])


@settings(deadline=None, max_examples=60)
@given(tables(max_records=9), st.integers(1, 3), st.sampled_from(["kl", "relative"]))
def test_nothing_is_lost_where_every_record_is_shown_as_it_is(table, level, measure):
    problem = problem_of(table, [], None)
    class_of, number = node_classes(problem, [0] * len(problem.columns))
    kept = np.ones(number, dtype=np.bool_)
    recoding = levels_recoding(problem, [0] * len(problem.columns), class_of, kept)
    found = Queries("s0", level, measure).of(problem.outcome(recoding))
    assert found == pytest.approx(0, abs=1e-9)


@settings(deadline=None, max_examples=60)
@given(outcomes())
def test_exact_quasi_identifiers_lose_nothing_in_cells(drawn):
    outcome = drawn[-1]
    if outcome.exact and not outcome.suppressed:
        found = figures(outcome)
        for name in ("gcp", "granularity", "entropy", "ilinf"):
            assert found[name] == (1.0 if name == "ilinf" and not len(outcome.classes) else 0.0)
        assert found["precision"] == 1.0


@settings(deadline=None, max_examples=10)
@given(outcomes())
def test_a_column_that_is_not_sensitive_is_refused(drawn):
    with pytest.raises(PolicyError, match="not a sensitive column"):
        Queries("other").of(drawn[-1])


@settings(deadline=None, max_examples=10)
@given(outcomes())
def test_queries_need_the_rows(drawn):
    bare = replace(drawn[-1], tally=None, class_of=None)
    with pytest.raises(ValueError, match="rows behind its classes"):
        Queries("s0").of(bare)


@settings(deadline=None, max_examples=10)
@given(outcomes())
def test_a_cube_that_is_too_large_is_refused_by_name(drawn):
    whole = cubes._LARGEST
    cubes._LARGEST = 0
    try:
        with pytest.raises(LimitError, match="'q0'"):
            Queries("s0", 1).of(drawn[-1])
    finally:
        cubes._LARGEST = whole


def test_quick_flags_name_the_column():
    policy = quick(["a", "s"], quasi=["a"], sensitive=["s"], k=2, loss="queries", target="s")
    assert policy.loss == Queries("s")
