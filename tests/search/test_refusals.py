"""Refusals: what is called proved is, and what was not found is not called proved."""

import random
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd
from incrowd import AlphaK, Column, KAnonymity, LDiversity, Policy, TCloseness
from incrowd.errors import InfeasibleError
from incrowd.loss import Gcp
from incrowd.search import Auto, Lattice, Mondrian
from incrowd.search.refusals import no_levels_error, nothing_found, raise_if_infeasible
from incrowd.table.column import Missing
from incrowd.watch import Watch
from naive.feasible import Small
from refusals import SEARCHES, Case, answer, verdict
from strategies import problem_of, tables

FULL_DOMAIN = {"lattice", "mingen", "exhaustive", "datafly", "cuts", "mingen-cells"}
"""Those that leave out whole classes only; the others leave out records of common values."""
LOCAL = [search for name, search in SEARCHES.items() if name not in FULL_DOMAIN]


def asked(frame, *models, search, **settings):
    roles = {"q": "quasi", "s": "sensitive", "u": "unit"}
    columns = {name: Column(role=roles[name]) for name in frame.columns}
    policy = Policy(columns=columns, models=models, search=search, **settings)
    return incrowd.anonymize(frame, policy, seed=1)


TOO_COMMON = pl.DataFrame({"q": [1, 2, 3], "s": ["x", "x", "y"]})
TWICE = pl.DataFrame({"q": [1, 1, 9, 9], "s": list("xyxy"), "u": list("abba")})


@pytest.mark.parametrize("search", LOCAL, ids=lambda search: search.name)
def test_records_of_a_value_that_is_too_common_are_left_out(search):
    models = KAnonymity(2), LDiversity("s", 2)
    release = asked(TOO_COMMON, *models, search=search, suppression=0.4)
    assert sorted(release.frame["s"]) == ["x", "y"]


@pytest.mark.parametrize("name", sorted(FULL_DOMAIN - {"mingen-cells"}))
def test_a_search_that_finds_nothing_does_not_call_it_proved(name):
    models = KAnonymity(2), LDiversity("s", 2)
    with pytest.raises(InfeasibleError) as caught:
        asked(TOO_COMMON, *models, search=SEARCHES[name], suppression=0.4)
    assert caught.value.proved is False
    assert "is impossible" not in str(caught.value)


@pytest.mark.parametrize("search", LOCAL, ids=lambda search: search.name)
def test_people_in_several_classes_can_be_diverse_though_the_table_is_not(search):
    release = asked(TWICE, LDiversity("s", 2), search=search)
    assert release.models[0].reached == 2
    assert release.classes == 2


def test_what_must_be_left_out_is_said_at_once():
    """A lattice of a hundred million level vectors, which nobody walks to know it."""
    draw = random.Random(3)
    frame = pl.DataFrame({f"q{j}": [draw.randrange(10**6) for _ in range(500)] for j in range(8)})
    frame = frame.with_columns(s=pl.Series(["x"] * 450 + ["y", "z"] * 25))
    columns = {name: Column(role="quasi") for name in frame.columns if name != "s"}
    columns["s"] = Column(role="sensitive")
    models = KAnonymity(5), LDiversity("s", 2)
    policy = Policy(
        columns=columns, models=models, suppression=0.1, search=Lattice(), time_limit=600
    )
    with pytest.raises(InfeasibleError) as caught:
        incrowd.anonymize(frame, policy)
    assert caught.value.proved is True
    assert "at least 400 records must be left out, but only 50 may be" in caught.value.message
    assert "suppression to 0.8" in caught.value.remedy


def test_people_with_several_records_do_not_hide_a_value_that_nearly_all_hold():
    """Twelve records cannot put nine holders of a value into classes of which it is half."""
    people = [*range(9), 9, 10, 9]
    frame = pl.DataFrame({"q": list(range(12)), "s": ["x"] * 9 + ["y"] * 3, "u": people})
    with pytest.raises(InfeasibleError) as caught:
        asked(frame, LDiversity("s", 2), search=Auto(), suppression=0.2)
    assert caught.value.proved is True
    assert "at least 6 records" in caught.value.message
    assert "the whole table allows" not in caught.value.message


def smallest_left_out(problem, models):
    """By brute force: how many records must go so that the others as one class will do."""
    rows = np.repeat(np.arange(problem.tally.rows), problem.tally.counts)
    values = problem.tally.sensitive[0][rows].tolist()
    small = Small([values], values, list(range(len(values))), models)
    everything = (1 << len(values)) - 1
    fits = [part.bit_count() for part in small.kept(len(values), everything) if small.fine(part)]
    return len(values) - max(fits) if fits else None


MODELS = [
    (LDiversity("s0", 2),),
    (LDiversity("s0", 2.5),),
    (LDiversity("s0", 3, "distinct"),),
    (LDiversity("s0", 1.8, "entropy"),),
    (LDiversity("s0", 2, "recursive", 1.0),),
    (LDiversity("s0", 3, "recursive", 2.0),),
    (AlphaK("s0", 0.4, 3),),
    (TCloseness("s0", 0.2),),
    (KAnonymity(4), LDiversity("s0", 2)),
]


@settings(max_examples=150, deadline=None)
@given(
    tables(max_records=7, max_columns=1),
    st.sampled_from(MODELS),
    st.sampled_from([0.0, 0.2, 0.4, 0.7, 1.0]),
)
def test_where_nobody_counts_twice_all_that_is_impossible_is_proved(table, models, suppression):
    problem = problem_of(table, models, Gcp(), suppression)
    least = smallest_left_out(problem, models)
    possible = least is not None and least <= problem.suppressible
    if possible:
        raise_if_infeasible(problem)
        return
    with pytest.raises(InfeasibleError) as caught:
        raise_if_infeasible(problem)
    assert caught.value.proved is True


@settings(max_examples=60, deadline=None)
@given(tables(max_records=6, max_columns=2, units=True), st.sampled_from(MODELS))
def test_a_proof_holds_for_people_with_several_records_too(table, models):
    trees, quasi, (values,), unit = table
    people = list(range(len(values))) if unit is None else unit
    problem = problem_of(table, models, Gcp(), 0.4)
    for missing in (Missing.OWN_VALUE, Missing.MATCHES_ANYTHING):
        try:
            raise_if_infeasible(replace(problem, missing=missing))
        except InfeasibleError:
            small = Small(quasi, values, people, models)
            assert not small.feasible(problem.suppressible, alike=False)
    assert len(trees) == len(quasi)


def test_the_search_that_might_is_named():
    problem = problem_of(([tree(3)], [[1, 2, 3]], [[1, 1, 2]], None), [LDiversity("s0", 2)], Gcp())
    for error in (nothing_found(problem), no_levels_error(problem)):
        assert error.proved is False
        assert "auto" in error.remedy
    assert "auto" not in nothing_found(problem, "auto").remedy


def tree(leaves):
    from incrowd.hierarchy.hierarchy import Hierarchy
    from incrowd.table.column import Domain, Kind

    texts = np.array([f"v{i}" for i in range(leaves)], dtype=object)
    maps = np.array([np.arange(leaves + 1), np.ones(leaves + 1)], dtype=np.int32)
    return Hierarchy(Domain(Kind.TEXT, texts), maps, (texts, np.array(["*"], dtype=object)))


def test_auto_says_only_what_it_compared():
    table = ([tree(3)], [[1, 1, 2, 2, 3, 3, 1, 2]], [[1] * 8], None)
    found = Auto().run(problem_of(table, [KAnonymity(2)], Gcp()), Watch())
    assert "the lowest of those tried" in found.why
    assert "not tried" in found.why


def test_mondrian_cuts_what_fails_as_a_whole():
    table = ([tree(2)], [[1, 1, 2, 2]], [[1, 2, 1, 2]], [1, 2, 2, 1])
    problem = problem_of(table, [LDiversity("s0", 2)], Gcp())
    outcome = problem.outcome(Mondrian().run(problem, Watch()).recoding)
    assert problem.satisfied_by(outcome.classes).all()
    assert len(outcome.classes) == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "cases"),
    [
        *((name, 40) for name in ("auto", "crowd", "mondrian", "lattice")),
        pytest.param("auto", 120, marks=pytest.mark.thorough),
    ],
)
def test_no_proof_is_false_and_no_proposal_unsafe(name, cases):
    """Random policies with units, gaps, suppression and all models, held against brute force."""
    for i in range(cases):
        case = Case(random.Random(f"test/{i}"))
        worth = verdict(answer(case, SEARCHES[name]), case)
        fine = {"released", "infeasible", "other"}
        if name != "auto" or case.divides_rows:
            fine.add("missed")
        assert worth in fine, (i, vars(case))
