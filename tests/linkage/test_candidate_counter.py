"""Counting whom classes fit, against the listed leaves of their cells and against `link`."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.world
from incrowd.errors import InputError
from incrowd.hierarchy import Intervals
from incrowd.linkage.candidates import CandidateCounter
from incrowd.linkage.links import link
from incrowd.linkage.world import World
from incrowd.loss import Gcp
from incrowd.models import KAnonymity
from incrowd.partition.classes import number_columns
from incrowd.recoding import Levels, Pieces, QuasiColumn, Spans
from incrowd.search.lattice.full_domain import node_classes
from incrowd.table.column import CodedColumn, Domain, Kind, Missing
from strategies import problem_of, tables


@st.composite
def cases(draw, *, sets=False):
    """A problem, a world over the same leaves, whose rows they are, and classes of the rows."""
    table = draw(tables(max_records=10, max_columns=3, sensitive=0))
    trees = table[0]
    rows = draw(
        st.lists(
            st.tuples(*(st.integers(0, len(tree.leaves)) for tree in trees)),
            min_size=1,
            max_size=12,
        )
    )
    who = draw(st.lists(st.integers(1, 6), min_size=len(rows), max_size=len(rows)) | st.none())
    problem = _problem(table, sets=sets)
    number = problem.tally.rows
    class_of = draw(st.lists(st.integers(0, 3), min_size=number, max_size=number))
    return problem, rows, who, np.unique(class_of, return_inverse=True)[1].astype(np.int32)


def _problem(table, *, sets):
    trees, quasi, _, unit = table
    problem = problem_of((trees, quasi, [[0] * len(quasi[0])], unit), [KAnonymity(2)], Gcp())
    columns = (replace(c, sets=sets and not c.hierarchy.ordered) for c in problem.columns)
    return replace(problem, columns=tuple(columns))


def world_of(problem, rows, who):
    columns = {
        column.name: CodedColumn(
            column.name, np.array([row[j] for row in rows], np.int32), column.hierarchy.leaves
        )
        for j, column in enumerate(problem.columns)
    }
    return World(columns, None if who is None else np.array(who, np.int32))


def pieces_of(problem, class_of):
    rows = np.arange(problem.tally.rows, dtype=np.int32)
    return Pieces(rows, problem.tally.counts, class_of)


def expected(outcome, rows, who):
    """The sizes of the listed crowds."""
    people = list(zip(who or range(len(rows)), rows, strict=True))
    sizes = []
    for c in range(outcome.low.shape[1]):
        cells = [_cell(outcome, j, c, column.hierarchy) for j, column in enumerate(outcome.columns)]
        sizes.append(len(naive.world.fitting(cells, people)))
    return sizes


def _cell(outcome, j, c, tree):
    held = outcome.sets.get(j)
    if held is not None:
        values = set(held.code[held.start[c] : held.start[c + 1]].tolist())
        return set(range(len(tree.leaves) + 1)) if 0 in values and len(values) > 1 else values
    bounds = (int(matrix[j, c]) for matrix in (outcome.low, outcome.high, outcome.level))
    return naive.world.shown(tree, *bounds, outcome.spans)


@settings(max_examples=80)
@given(cases())
def test_spans_fit_those_whom_their_leaves_fit(case):
    problem, rows, who, class_of = case
    outcome = problem.outcome(Spans(pieces_of(problem, class_of)))
    counted = CandidateCounter.of(world_of(problem, rows, who), problem.columns)
    counts = counted.counts(outcome.low, outcome.high, outcome.level)
    assert counts.tolist() == expected(outcome, rows, who)


@settings(max_examples=40)
@given(cases(sets=True))
def test_sets_fit_those_whom_their_values_fit(case):
    problem, rows, who, class_of = case
    outcome = problem.outcome(Spans(pieces_of(problem, class_of)))
    counted = CandidateCounter.of(world_of(problem, rows, who), problem.columns)
    cells = outcome.low, outcome.high, outcome.level
    assert counted.counts(*cells, sets=outcome.sets).tolist() == expected(outcome, rows, who)


@settings(max_examples=40)
@given(cases(), st.data())
def test_levels_fit_those_whom_their_nodes_fit_and_problems_say_so(case, data):
    problem, rows, who, _ = case
    heights = [column.hierarchy.height for column in problem.columns]
    levels = tuple(data.draw(st.integers(0, height)) for height in heights)
    class_of, _ = node_classes(problem, levels)
    world = CandidateCounter.of(world_of(problem, rows, who), problem.columns)
    outcome = replace(problem, world=world).outcome(Levels(levels, pieces_of(problem, class_of)))
    assert outcome.classes.world.tolist() == expected(outcome, rows, who)
    every = np.arange(len(outcome.classes), dtype=np.int32)[::-1]
    assert outcome.classes.take(every).world.tolist() == outcome.classes.world[::-1].tolist()


@settings(max_examples=60)
@given(cases(), st.sampled_from([Missing.OWN_VALUE, Missing.MATCHES_ANYTHING]))
def test_it_finds_what_whoever_links_the_labels_finds(case, missing):
    problem, rows, who, class_of = case
    world = world_of(problem, rows, who)
    outcome = problem.outcome(Spans(pieces_of(problem, class_of)))
    counted = CandidateCounter.of(world, problem.columns, missing)
    released = {}
    trees = {column.name: column.hierarchy for column in problem.columns}
    for j, column in enumerate(problem.columns):
        cells = outcome.low[j], outcome.high[j], outcome.level[j]
        shown = column.hierarchy.show(*cells, spans=True).tolist()
        labels = sorted({label for label in shown if label is not None})
        codes = [0 if label is None else labels.index(label) + 1 for label in shown]
        domain = Domain(Kind.TEXT, np.array(labels, dtype=object))
        released[column.name] = CodedColumn(column.name, np.array(codes, np.int32), domain)
    found = link(released, world, trees, missing=missing)
    counts = counted.counts(outcome.low, outcome.high, outcome.level)
    assert counts.tolist() == found.candidates.tolist()


@settings(max_examples=60)
@given(cases())
def test_rows_within_exact_classes_and_the_rest(case):
    problem, rows, who, _ = case
    class_of, _ = number_columns(problem.tally.quasi)
    outcome = problem.outcome(Spans(pieces_of(problem, class_of)))
    counted = CandidateCounter.of(world_of(problem, rows, who), problem.columns)
    some = np.arange(0, outcome.low.shape[1], 2)
    cells = [matrix[:, some] for matrix in (outcome.low, outcome.high, outcome.level)]
    within = counted.flag_rows_within(*cells)
    known = {tuple(line) for line in problem.tally.quasi.T.tolist()}
    assert known >= {tuple(line) for line in outcome.low.T.tolist()}
    listed = {tuple(outcome.low[:, c].tolist()) for c in some}
    assert within.tolist() == [row in listed for row in rows]
    rest = counted.without_rows(within)
    left = [row for row in rows if row not in listed]
    people = None if who is None else [w for w, row in zip(who, rows, strict=True) if row in left]
    assert rest.counts(outcome.low, outcome.high, outcome.level).tolist() == expected(
        outcome, left, people
    )


def test_overlapping_cells_do_not_say_who_is_within():
    domain = Domain(Kind.NUMBER, np.arange(1, 5))
    tree = Intervals(width=2).build(domain, "age")
    column = QuasiColumn("age", tree, np.ones(5, np.int64))
    world = World({"age": CodedColumn("age", np.arange(1, 5, dtype=np.int32), domain)})
    counted = CandidateCounter.of(world, [column])
    ends = np.array([[1, 2]], np.int32), np.array([[2, 3]], np.int32), np.array([[1, 2]], np.int32)
    assert counted.flag_rows_within(*ends) is None
    assert counted.counts(*ends).tolist() == [2, 2]
    nothing = tuple(end[:, :0] for end in ends)
    assert counted.counts(*nothing).tolist() == []
    assert not counted.flag_rows_within(*nothing).any()


def test_values_outside_the_hierarchy_are_read_as_labels_are_written():
    table = Domain(Kind.NUMBER, np.array([20, 30]))
    world_ages = Domain(Kind.NUMBER, np.array([20, 25, 30, 45]))
    tree = Intervals(width=50).build(table, "age")
    column = QuasiColumn("age", tree, np.ones(3, np.int64))
    ages = CodedColumn("age", np.arange(1, 5, dtype=np.int32), world_ages)
    counted = CandidateCounter.of(World({"age": ages}), [column])
    cells = np.array([[1, 1]], np.int32), np.array([[2, 1]], np.int32), np.array([[1, 0]], np.int32)
    assert counted.counts(*cells).tolist() == [3, 1]
    assert counted.counts(*cells, spans=False).tolist() == [4, 1]
    assert counted.outside == {"age": 2}
    assert "20" not in repr(counted)


def test_a_world_without_a_shared_column_is_refused():
    domain = Domain(Kind.TEXT, np.array(["a"], dtype=object))
    world = World({"zip": CodedColumn("zip", np.ones(2, np.int32), domain)})
    with pytest.raises(InputError, match="share no quasi-identifying column"):
        CandidateCounter.of(world, [])
