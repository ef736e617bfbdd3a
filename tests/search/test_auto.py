from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arx_tables
from incrowd.errors import InfeasibleError, LimitError
from incrowd.loss import AverageClass, Gcp, Precision
from incrowd.models import KAnonymity, LDiversity, TCloseness
from incrowd.search import auto
from incrowd.search.auto import Auto
from incrowd.search.lattice.exhaustive import Exhaustive
from incrowd.search.mondrian import Mondrian
from incrowd.watch import Watch
from strategies import problem_of, tables

MODELS = [(KAnonymity(2),), (KAnonymity(2), LDiversity("s0", 2, kind="distinct"))]


def loss_of(search, problem):
    try:
        found = search.run(problem, Watch())
    except InfeasibleError:
        return None
    return problem.loss.of(problem.outcome(found.recoding))


@settings(max_examples=60, deadline=None)
@given(
    tables(max_records=16, units=True),
    st.sampled_from(MODELS),
    st.sampled_from([Gcp(), Precision(), AverageClass()]),
    st.sampled_from([0.0, 0.3]),
)
def test_it_loses_as_little_as_the_best_of_all_searches(table, models, loss, suppression):
    problem = problem_of(table, models, loss, suppression)
    searches = [Mondrian(), Exhaustive(), Mondrian(relaxed=True)]
    losses = [found for search in searches if (found := loss_of(search, problem)) is not None]
    mine = loss_of(Auto(), problem)
    assert (mine is None) == (not losses)
    if losses:
        assert mine <= min(losses) + 1e-9


def small():
    quasi = [[1, 1, 2, 2, 3, 3, 1, 2]]
    return problem_of(([_flat(3)], quasi, [[1] * 8], None), [KAnonymity(2)], Gcp())


def test_it_says_which_search_and_why():
    found = Auto().run(small(), Watch())
    assert found.search in {"crowd", "lattice"}
    assert "crowd" in found.why
    assert "gcp 0.0000" in found.why


def test_a_lattice_too_large_for_the_effort_is_left_out(monkeypatch):
    monkeypatch.setattr(auto, "_VECTOR", 1e9)
    found = Auto().run(small(), Watch())
    assert found.search == "crowd"
    assert "takes more than this effort" in found.why


class Slow(Watch):
    """A watch for which every look takes an hour."""

    hours = 0

    @property
    def elapsed(self):
        Slow.hours += 1
        return 3600.0 * Slow.hours


@pytest.mark.parametrize("models", [(KAnonymity(3),), (LDiversity("s0", 2), KAnonymity(2))])
def test_the_clock_has_no_part_in_the_answer(models):
    rng = np.random.default_rng(4)
    codes = [rng.integers(1, 9, 200).tolist() for _ in range(3)]
    table = ([_flat(8)] * 3, codes, [rng.integers(1, 4, 200).tolist()], None)
    problem = problem_of(table, models, Gcp())
    one, other = (Auto().run(problem, watch) for watch in (Watch(), Slow()))
    assert one.why == other.why
    assert (one.recoding.pieces.class_of == other.recoding.pieces.class_of).all()


def test_where_cutting_cannot_help_records_of_too_common_values_are_left_out():
    table = ([_flat(8)], [[1, 2, 3, 4, 5, 6, 7, 8]], [[1, 1, 1, 1, 1, 1, 2, 2]], None)
    models = [LDiversity("s0", 2, kind="frequency"), KAnonymity(2)]
    problem = problem_of(table, models, Gcp(), 0.5)
    found = Auto().run(problem, Watch())
    assert found.search in {"crowd", "diversify"}
    outcome = problem.outcome(found.recoding)
    assert problem.satisfied_by(outcome.classes).all()
    assert outcome.suppressed == 4


def test_where_nothing_local_helps_the_lattice_suppresses():
    table = ([_flat(2)], [[1] * 6 + [2] * 3], [[1] * 6 + [1, 2, 3]], None)
    models = [TCloseness("s0", 0.3)]
    problem = problem_of(table, models, Gcp(), 0.7)
    shares = replace(problem.sensitive[0], whole=np.array([0, 1, 1, 1]))
    found = Auto().run(replace(problem, sensitive=(shares,)), Watch())
    assert found.search == "lattice"
    assert "crowd 1.0000" in found.why


def test_no_time_no_answer():
    with pytest.raises(LimitError):
        Auto().run(small(), Watch(limit=0.0))


def test_what_cannot_be_is_refused():
    with pytest.raises(InfeasibleError):
        Auto().run(replace(small(), models=(KAnonymity(9),)), Watch())


def _flat(n):
    from incrowd.hierarchy.hierarchy import Hierarchy
    from incrowd.table.column import Domain, Kind

    texts = np.array([f"v{i}" for i in range(n)], dtype=object)
    maps = np.array([np.arange(n + 1), np.ones(n + 1)], dtype=np.int32)
    return Hierarchy(Domain(Kind.TEXT, texts), maps, (texts, np.array(["*"], dtype=object)))


@pytest.mark.slow
@pytest.mark.skipif(not arx_tables.FOLDER.exists(), reason=arx_tables.ABSENT)
def test_adult_is_recoded_locally_because_no_levels_lose_less():
    problem = arx_tables.problem("adult", [KAnonymity(5)], Gcp(), 0.05)
    found = Auto(effort=0.1).run(problem, Watch())
    assert found.search == "crowd"
    assert "full-domain generalization loses no less" in found.why
