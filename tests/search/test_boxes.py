"""The flat costs that kernels use are those of the loss, for every run of codes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incrowd.kernels.boxes import FORBIDDEN, box_cost, cell_cost
from incrowd.loss import Gcp, Granularity, Precision
from incrowd.models import KAnonymity
from incrowd.recoding import Pieces, Spans
from incrowd.search import boxes
from incrowd.search.boxes import boxes_of
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
