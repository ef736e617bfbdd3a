"""Every loss against its slow twin, on full-domain and on local recodings."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.loss
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
    Volume,
    WeightedMaxNcp,
    figures,
)
from incrowd.recoding import Pieces, Spans
from incrowd.search.lattice.full_domain import levels_recoding, node_classes
from strategies import problem_of, tables

CELLS = {
    Gcp(): naive.loss.ncp,
    Granularity(): naive.loss.granularity,
    Precision(): naive.loss.precision,
    Entropy(): naive.loss.entropy,
}


@st.composite
def outcomes(draw):
    """A table with column weights and an outcome of it: (table, weights, levels, outcome)."""
    table = draw(tables())
    problem = problem_of(table, [], None)
    weights = [draw(st.sampled_from([0.5, 1.0, 3.0])) for _ in problem.columns]
    columns = tuple(replace(c, weight=w) for c, w in zip(problem.columns, weights, strict=True))
    problem = replace(problem, columns=columns)
    if draw(st.booleans()):
        levels = [draw(st.integers(0, c.hierarchy.height)) for c in columns]
        class_of, number = node_classes(problem, levels)
        kept = np.array(draw(st.lists(st.booleans(), min_size=number, max_size=number)))
        recoding = levels_recoding(problem, levels, class_of, kept)
    else:
        levels, recoding = None, _random_spans(draw, problem)
    return table, weights, levels, recoding.pieces, problem.outcome(recoding)


def _random_spans(draw, problem):
    rows = problem.tally.rows
    names = draw(st.lists(st.integers(-1, 2), min_size=rows, max_size=rows))
    place = {name: i for i, name in enumerate(sorted(set(names) - {-1}))}
    class_of = np.array([place.get(name, -1) for name in names], dtype=np.int32)
    return Spans(Pieces(np.arange(rows, dtype=np.int32), problem.tally.counts, class_of))


def _class_of_records(table, pieces):
    row_of = problem_of(table, [], None).tally.row_of
    return pieces.class_of[row_of].tolist()


@pytest.mark.parametrize("loss", CELLS, ids=lambda loss: loss.name)
@settings(deadline=None, max_examples=60)
@given(outcomes())
def test_mean_of_cells(loss, drawn):
    (trees, quasi, _, _), weights, levels, pieces, outcome = drawn
    class_of = _class_of_records(drawn[0], pieces)
    columns = list(map(naive.loss.Column, trees, quasi, weights))
    slow = naive.loss.cell_mean(CELLS[loss], columns, class_of, levels)
    assert loss.of(outcome) == pytest.approx(slow)
    assert -1e-12 <= loss.of(outcome) <= 1 + 1e-12


@settings(deadline=None)
@given(outcomes())
def test_losses_of_classes(drawn):
    (trees, quasi, values, _), weights, levels, pieces, outcome = drawn
    class_of = _class_of_records(drawn[0], pieces)
    columns = list(map(naive.loss.Column, trees, quasi, weights))
    extents = naive.loss.extents(columns, class_of, levels) or [1.0]
    assert Il1().of(outcome) == pytest.approx(sum(extents) / len(extents))
    assert IlInf().of(outcome) == pytest.approx(max(extents))
    slow = naive.loss.weighted_max_ncp(columns, class_of, levels)
    assert WeightedMaxNcp().of(outcome) == pytest.approx(slow)
    assert Volume().of(outcome) == pytest.approx(naive.loss.volume(columns, class_of, levels))
    assert Discernibility().of(outcome) == naive.loss.discernibility(class_of)
    assert AverageClass().of(outcome) == pytest.approx(naive.loss.average_class(class_of))
    assert Classification("s0").of(outcome) == pytest.approx(
        naive.loss.classification(class_of, values[0])
    )


@settings(deadline=None, max_examples=20)
@given(outcomes())
def test_figures_hold_every_loss_as_a_report_shows_it(drawn):
    outcome = drawn[-1]
    found = figures(outcome, Classification("s0"))
    assert list(found) == [
        "gcp",
        "granularity",
        "precision",
        "discernibility",
        "average_class",
        "il1",
        "ilinf",
        "entropy",
        "classification",
    ]
    assert found["precision"] == pytest.approx(1 - Precision().of(outcome))
    assert found["gcp"] == Gcp().of(outcome)
    assert "classification" not in figures(outcome)


@settings(deadline=None, max_examples=20)
@given(outcomes())
def test_entropy_needs_the_rows(drawn):
    bare = replace(drawn[-1], tally=None, class_of=None)
    assert "entropy" not in figures(bare)
    if bare.records:
        with pytest.raises(ValueError, match="rows behind its classes"):
            Entropy().of(bare)
