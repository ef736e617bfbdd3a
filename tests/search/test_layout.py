"""The flat costs that kernels use are those of the loss, for every run of codes."""

from dataclasses import replace
from math import inf
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incrowd.errors import NotMetError
from incrowd.kernels.boxes import FORBIDDEN, box_cost, cell_cost
from incrowd.loss import Gcp, Granularity, Precision
from incrowd.models import KAnonymity
from incrowd.recoding import Pieces, Spans
from incrowd.recoding.show.labels import ShowSpans
from incrowd.search import layout as boxes
from incrowd.search.layout import boxes_of
from incrowd.verify.crowds import number_cells
from incrowd.verify.shown import demand_within
from strategies import problem_of, tables


@pytest.mark.parametrize(
    ("loss", "largest"), [(Gcp(), 2**18), (Granularity(), 2**18), (Precision(), 2**18), (Gcp(), 0)]
)
@given(data=st.data())
def test_the_cost_of_a_class_is_what_the_loss_says(loss, largest, data):
    lowest = data.draw(st.lists(st.integers(0, 1), max_size=3))
    problem = problem_of(data.draw(tables()), [KAnonymity(2)], loss, lowest=lowest)
    rows = problem.tally.rows
    class_of = np.array(data.draw(st.lists(st.integers(0, 2), min_size=rows, max_size=rows)))
    class_of = np.unique(class_of, return_inverse=True)[1].astype(np.int32)
    pieces = Pieces(np.arange(rows, dtype=np.int32), problem.tally.counts, class_of)
    outcome = problem.outcome(Spans(pieces))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(boxes, "_LARGEST_TABLE", largest)
        flat = boxes_of(problem)
    total = 0.0
    for c in range(len(outcome.classes)):
        codes = problem.tally.quasi[:, class_of == c]
        cost = box_cost(flat, codes.min(axis=1), codes.max(axis=1))
        total += cost * outcome.classes.records[c]
    assert total / outcome.records == pytest.approx(loss.of(outcome))
    assert cell_cost(flat, 0, 0, 0) < FORBIDDEN


@pytest.mark.parametrize("largest", [2**18, 0])
@given(data=st.data())
def test_what_is_forbidden_is_what_verification_would_refuse(largest, data):
    problem = problem_of(data.draw(tables()), [KAnonymity(2)], Gcp())
    columns = []
    for column in problem.columns:
        widest = data.draw(st.sampled_from([0.5, 1.0, 2.0, inf]))
        columns.append(
            replace(
                column,
                highest=data.draw(st.integers(0, column.hierarchy.height) | st.none()),
                widest=widest if column.hierarchy.ordered else inf,
            )
        )
    problem = replace(problem, columns=tuple(columns))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(boxes, "_LARGEST_TABLE", largest)
        flat = boxes_of(problem)
    rows = problem.tally.rows
    pieces = Pieces(np.arange(rows, dtype=np.int32), problem.tally.counts, np.zeros(rows, np.int32))
    outcome = problem.outcome(Spans(pieces))
    for j, column in enumerate(problem.columns):
        codes = problem.tally.quasi[j]
        cost = cell_cost(flat, j, int(codes.min()), int(codes.max()))
        limits = SimpleNamespace(
            highest=column.highest, widest=None if column.widest == inf else column.widest
        )
        label = ShowSpans().cells(outcome, {}, ())[column.name].labels[0]
        cells = number_cells(pl.Series([label], dtype=pl.String))
        if cost >= FORBIDDEN:
            with pytest.raises(NotMetError):
                demand_within(column.hierarchy, column.name, cells, limits)
        else:
            demand_within(column.hierarchy, column.name, cells, limits)


@given(data=st.data())
def test_a_set_costs_at_most_what_all_values_between_its_ends_cost(data):
    problem = problem_of(data.draw(tables()), [KAnonymity(2)], Gcp())
    columns = tuple(replace(c, sets=not c.hierarchy.ordered) for c in problem.columns)
    problem = replace(problem, columns=columns)
    flat = boxes_of(problem)
    rows = problem.tally.rows
    pieces = Pieces(np.arange(rows, dtype=np.int32), problem.tally.counts, np.zeros(rows, np.int32))
    paid = Gcp().totals(problem.outcome(Spans(pieces))) / problem.tally.records
    for j, column in enumerate(columns):
        codes = problem.tally.quasi[j]
        low, high = int(codes.min()), int(codes.max())
        cost = cell_cost(flat, j, low, high) * len(columns)
        full = len(np.unique(codes)) == high - low + 1
        assert (
            cost == pytest.approx(paid[j]) if full or not column.sets else cost >= paid[j] - 1e-12
        )
