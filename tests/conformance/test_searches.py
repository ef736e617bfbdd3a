"""What every search of the union must do, held against the exhaustive oracle."""

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

import incrowd.search
from incrowd import search_names
from incrowd.errors import InfeasibleError
from incrowd.loss import AnyLoss, Discernibility, Gcp, Granularity, Queries
from incrowd.models import AlphaK, KAnonymity, LDiversity, TCloseness
from incrowd.search import AnySearch, Exhaustive
from incrowd.search.lattice.full_domain import flag_satisfied_crowds, shown_nodes
from incrowd.search.search import FROM_TABLE, Recodes
from incrowd.table.column import Missing
from incrowd.watch import Watch
from plugin_values import values as values_of
from strategies import problem_of, tables

SEARCHES = [search() for search in get_args(get_args(AnySearch)[0])]
OPTIMAL = [search for search in SEARCHES if search.name in {"exhaustive", "lattice", "mingen"}]
ORDERLESS = [search for search in SEARCHES if search.name not in {"auto", "world"}]
"""All but those that may divide equal rows, which they do in the order of the tally."""
PROMISING = [search for search in SEARCHES if search.name != "mu-argus"]
"""All but those whose result need not satisfy the models, which verification then refuses."""
LOSSES = values_of(AnyLoss, "s0", [Queries("s0", level=1)])


@pytest.fixture(autouse=True, scope="module")
def hasty_remedies():
    """What `accuracy` proposes instead of a bound that nothing keeps is seen nowhere here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("incrowd.search.literature.accuracy.accuracy._HALVINGS", 1)
        yield


def parameters(searches, *, of_levels=False):
    """One search each; `accuracy` runs others several times, so that `make check` leaves it out.

    It never recodes to levels: where those alone are judged, `make test` leaves it out, too.
    """
    for search in searches:
        mark = pytest.mark.thorough if of_levels else pytest.mark.slow
        yield pytest.param(search, id=search.name, marks=mark if search.name == "accuracy" else ())


every_search = pytest.mark.parametrize("search", list(parameters(SEARCHES)))
every_search_of_levels = pytest.mark.parametrize(
    "search", list(parameters(SEARCHES, of_levels=True))
)


@st.composite
def models(draw):
    """k-anonymity, and perhaps one model more."""
    more = draw(
        st.sampled_from(
            [
                (),
                (LDiversity("s0", 2),),
                (LDiversity("s0", 2, "distinct"),),
                (LDiversity("s0", 1.5, "entropy"),),
                (TCloseness("s0", 0.4),),
                (AlphaK("s0", 0.7, 2),),
            ]
        )
    )
    return (KAnonymity(draw(st.integers(2, 3))), *more)


@st.composite
def problems(draw, *, units=True, losses=LOSSES):
    """A small problem with any models, loss and suppression limit."""
    table = draw(tables(max_records=10, max_columns=2, units=units))
    loss = draw(st.sampled_from(losses))
    suppression = draw(st.sampled_from([0.0, 0.25, 0.6]))
    return problem_of(table, draw(models()), loss, suppression)


def run(search, problem):
    """What the search finds, None if it says that there is nothing."""
    try:
        return search.run(problem, Watch())
    except InfeasibleError:
        return None


def records(recoding):
    """Records per row and class, in any order of pieces."""
    pieces = recoding.pieces
    matrix = np.array([pieces.row, pieces.class_of, pieces.count])
    return sorted(map(tuple, matrix.T.tolist()))


@every_search
def test_a_policy_can_write_it(search):
    adapter = TypeAdapter(AnySearch)
    assert adapter.validate_python({"name": search.name}) == search
    assert type(search).__name__ in incrowd.search.__all__
    with pytest.raises(AttributeError):
        search.name = "other"


def test_searches_are_found_by_name():
    assert {search.name: type(search) for search in SEARCHES} == incrowd.search.SEARCHES
    assert set(search_names.SEARCHES) == set(incrowd.search.SEARCHES)


@every_search
def test_it_says_what_it_provides(search):
    assert search.provides >= FROM_TABLE
    assert search.recoding in get_args(Recodes)
    assert search.losses in {"any", "per-cell"}


@pytest.mark.parametrize("search", list(parameters(PROMISING)))
@settings(deadline=None, max_examples=40)
@given(problems())
def test_what_is_found_satisfies_the_policy(search, problem):
    found = run(search, problem)
    if found is not None:
        assert problem.satisfied_by(problem.outcome(found.recoding).classes).all()


@every_search
@settings(deadline=None, max_examples=40)
@given(problems())
def test_every_record_is_in_one_class_or_left_out_as_far_as_allowed(search, problem):
    found = run(search, problem)
    if found is None:
        return
    outcome = problem.outcome(found.recoding)
    assert len(outcome.classes) > 0
    assert outcome.suppressed <= problem.suppressible
    assert outcome.records == problem.tally.records
    pieces = found.recoding.pieces
    assert (np.bincount(pieces.row, pieces.count) == problem.tally.counts).all()
    numbers = np.unique(pieces.class_of[pieces.class_of >= 0])
    assert numbers.tolist() == list(range(len(outcome.classes)))
    assert found.search
    assert found.why
    assert search.recoding in {"any", found.recoding.kind} or found.recoding.kind == "levels"


@every_search
@settings(deadline=None, max_examples=20)
@given(tables(max_records=3, max_columns=2))
def test_more_people_than_there_are_is_refused_with_a_remedy(search, table):
    problem = problem_of(table, [KAnonymity(4)], Gcp(), 0.5)
    with pytest.raises(InfeasibleError) as caught:
        search.run(problem, Watch())
    assert caught.value.remedy


@every_search_of_levels
@settings(deadline=None, max_examples=30)
@given(problems(units=False))
def test_where_missing_matches_anything_the_crowds_satisfy_the_policy(search, problem):
    problem = replace(problem, missing=Missing.MATCHES_ANYTHING)
    found = run(search, problem)
    if found is not None and found.recoding.kind == "levels":
        class_of = found.recoding.pieces.class_of
        kept = class_of >= 0
        left = replace(problem, tally=problem.tally.take(np.flatnonzero(kept).astype(np.int32)))
        nodes = shown_nodes(left, found.recoding.levels, class_of[kept])
        assert flag_satisfied_crowds(left, nodes, class_of[kept]).all()
        assert problem.outcome(found.recoding).suppressed <= problem.suppressible


@every_search
@settings(deadline=None, max_examples=20)
@given(problems())
def test_two_runs_agree_and_leave_the_problem_alone(search, problem):
    arrays = (problem.tally.quasi, problem.tally.sensitive, problem.tally.counts)
    before = [array.copy() for array in arrays]
    one, two = run(search, problem), run(search, problem)
    assert (one is None) == (two is None)
    if one is not None:
        assert records(one.recoding) == records(two.recoding)
    assert all((a == b).all() for a, b in zip(before, arrays, strict=True))


@pytest.mark.parametrize("search", list(parameters(ORDERLESS)))
@settings(deadline=None, max_examples=30)
@given(problems(units=False), st.randoms(use_true_random=False))
def test_the_order_of_rows_is_irrelevant(search, problem, random):
    order = list(range(problem.tally.rows))
    random.shuffle(order)
    mixed = replace(problem, tally=problem.tally.take(np.array(order, dtype=np.int32)))
    one, two = run(search, problem), run(search, mixed)
    assert (one is None) == (two is None)
    if one is not None:
        straight, turned = problem.outcome(one.recoding), mixed.outcome(two.recoding)
        assert problem.loss.of(straight) == pytest.approx(problem.loss.of(turned))
        assert straight.suppressed == turned.suppressed
        assert sorted(straight.classes.records) == sorted(turned.classes.records)


@every_search_of_levels
@settings(deadline=None, max_examples=40)
@given(problems(losses=[Gcp(), Granularity(), Discernibility()]))
def test_no_full_domain_search_beats_the_oracle(search, problem):
    found, best = run(search, problem), run(Exhaustive(), problem)
    if found is None or found.recoding.kind != "levels":
        return
    assert best is not None
    least = problem.loss.of(problem.outcome(best.recoding))
    assert problem.loss.of(problem.outcome(found.recoding)) >= least - 1e-9


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
@pytest.mark.parametrize("search", OPTIMAL, ids=lambda search: search.name)
@settings(deadline=None, max_examples=25)
@given(st.data())
def test_optimal_searches_reach_the_oracle(search, loss, data):
    problem = data.draw(problems(losses=[loss]))
    missing = data.draw(st.sampled_from([Missing.OWN_VALUE, Missing.MATCHES_ANYTHING]))
    problem = replace(problem, missing=missing)
    found, best = run(search, problem), run(Exhaustive(), problem)
    assert (found is None) == (best is None)
    if found is not None:
        assert found.optimal
        least = loss.of(problem.outcome(best.recoding))
        assert loss.of(problem.outcome(found.recoding)) == pytest.approx(least, abs=1e-9)
