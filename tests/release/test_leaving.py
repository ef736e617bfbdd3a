"""From a recoding to records: every piece gets its records, and nothing else."""

from collections import Counter

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd
from incrowd.loss import Gcp
from incrowd.policy.compile import Compiled
from incrowd.recoding import Pieces
from incrowd.release.leaving import assigned
from strategies import problem_of, tables


@st.composite
def pieces(draw):
    """A table, and its rows cut into pieces of random classes."""
    table = draw(tables())
    problem = problem_of(table, (), Gcp())
    cut = []
    for row, count in enumerate(problem.tally.counts.tolist()):
        first = draw(st.integers(0, count))
        parts = [(row, part, draw(st.integers(-1, 3))) for part in (first, count - first)]
        cut.extend(part for part in parts if part[1])
    cut = draw(st.permutations(cut))
    row, count, class_of = np.array(cut).T
    made = Pieces(row.astype(np.int32), count.astype(np.int64), class_of.astype(np.int32))
    return problem, made


@settings(max_examples=60, deadline=None)
@given(pieces(), st.integers(0, 5))
def test_every_piece_gets_its_records(cut, seed):
    problem, made = cut
    row_of = problem.tally.row_of
    records = np.arange(len(row_of), dtype=np.int64) * 2 + 1
    compiled = Compiled(problem, records, 0)
    classes = assigned(2 * len(row_of), compiled, made, np.random.default_rng(seed))
    assert (classes[0::2] == -1).all()
    found = Counter(zip(row_of.tolist(), classes[records].tolist(), strict=True))
    asked = Counter()
    for row, count, class_of in zip(made.row, made.count, made.class_of, strict=True):
        asked[int(row), int(class_of)] += int(count)
    assert found == asked


def test_a_value_that_its_cell_hides_is_not_shown_as_it_is():
    """A column of one value that fewer than k hold: its only cell has no end."""
    frame = pl.DataFrame({"a": [7, 7, 7], "d": [None, 20.25, None]})
    policy = incrowd.Policy(
        columns={name: incrowd.Column(role="quasi") for name in "ad"},
        models=(incrowd.KAnonymity(2),),
        search=incrowd.search.Cuts(),
        missing="matches-anything",
        suppression=0.5,
    )
    release = incrowd.anonymize(frame, policy)
    assert "20.25" not in release.frame["d"].cast(pl.String).drop_nulls().to_list()
    assert incrowd.check(release.frame, policy, release.certificate, original=frame).ok
