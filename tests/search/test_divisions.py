"""All divisions of a tiny table, against brute force."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.errors import InfeasibleError
from incrowd.loss import Gcp
from incrowd.models import KAnonymity, LDiversity, TCloseness
from incrowd.search.divisions import best_division, is_tiny
from incrowd.search.repair import crowds_are_safe
from incrowd.table.column import Missing
from incrowd.watch import Watch
from strategies import problem_of, tables

MODELS = [
    (LDiversity("s0", 2),),
    (KAnonymity(2), LDiversity("s0", 1.5)),
    (TCloseness("s0", 0.3),),
    (KAnonymity(3),),
]


@settings(max_examples=120, deadline=None)
@given(
    tables(max_records=6, max_columns=2, units=True),
    st.sampled_from(MODELS),
    st.sampled_from([0.0, 0.4]),
    st.sampled_from([Missing.OWN_VALUE, Missing.MATCHES_ANYTHING]),
)
def test_what_it_finds_may_leave(table, models, suppression, missing):
    problem = replace(problem_of(table, models, Gcp(), suppression), missing=missing)
    assert is_tiny(problem)
    try:
        found = best_division(problem, Watch())
    except InfeasibleError:
        return
    outcome = problem.outcome(found.recoding)
    assert crowds_are_safe(problem, outcome)
    assert outcome.suppressed <= problem.suppressible
    assert outcome.records == problem.tally.records


def test_without_time_nothing_is_found():
    table = ([_leaf()], [[1, 1]], [[1, 2]], None)
    problem = problem_of(table, [KAnonymity(2)], Gcp())
    assert best_division(problem, Watch()).recoding.kind == "spans"
    with pytest.raises(InfeasibleError):
        best_division(problem, Watch(limit=0.0))


def _leaf():
    import numpy as np

    from incrowd.hierarchy.hierarchy import Hierarchy
    from incrowd.table.column import Domain, Kind

    texts = np.array(["v"], dtype=object)
    maps = np.array([[0, 1], [1, 1]], dtype=np.int32)
    return Hierarchy(Domain(Kind.TEXT, texts), maps, (texts, np.array(["*"], dtype=object)))
