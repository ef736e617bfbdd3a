"""The search against a world: it keeps every model, and loses little."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd
import naive.world
from incrowd.errors import InfeasibleError, NotMetError, PolicyError
from incrowd.hierarchy import Flat
from incrowd.linkage.attained_ends import AttainedEndsCounter
from incrowd.linkage.candidates import CandidateCounter
from incrowd.linkage.world import World
from incrowd.loss import Entropy, Gcp
from incrowd.models import DeltaPresence, KAnonymity, KMap, LDiversity
from incrowd.recoding import Pieces, Spans
from incrowd.search import AgainstWorld, Auto, Mondrian, repair
from incrowd.search.world.partition import divide_world
from incrowd.search.world.staged import divide_by_stages
from incrowd.search.world.world import best_levels
from incrowd.table.column import CodedColumn, Domain, Kind, Missing
from incrowd.watch import Watch
from strategies import problem_of, tables

WAYS = [
    divide_by_stages,
    lambda problem, watch: next(divide_world(problem, watch), None),
    lambda problem, watch: best_levels(problem, watch, float("inf")),
]


def with_world(problem, rows, who=None):
    """The problem with a world whose rows are given as codes of the leaves."""
    columns = {
        column.name: CodedColumn(
            column.name, np.array([row[j] for row in rows], np.int32), column.hierarchy.leaves
        )
        for j, column in enumerate(problem.columns)
    }
    world = World(columns, None if who is None else np.array(who, np.int32))
    return replace(problem, world=CandidateCounter.of(world, problem.columns))


@st.composite
def cases(draw, models, *, units=False, present=False):
    """A problem and a world; `present` says that the people of the table are in it."""
    table = draw(tables(max_records=8, max_columns=2, units=units))
    trees, quasi, _, _ = table
    problem = problem_of(table, models, draw(st.sampled_from([Gcp(), Entropy()])))
    strangers = draw(
        st.lists(st.tuples(*(st.integers(0, len(t.leaves)) for t in trees)), max_size=14)
    )
    mine = list(zip(*quasi, strict=True)) if present or draw(st.booleans()) else []
    rows = [*mine, *strangers] or mine or [tuple(codes[0] for codes in quasi)]
    return with_world(problem, rows), rows


def cells_of(problem, recoding):
    """What each class shows in each column, as sets of codes."""
    outcome = problem.outcome(recoding)
    classes = []
    for c in range(outcome.low.shape[1]):
        bounds = (
            (column.hierarchy, *(int(m[j, c]) for m in (outcome.low, outcome.high, outcome.level)))
            for j, column in enumerate(outcome.columns)
        )
        classes.append([naive.world.shown(*bound, outcome.spans) for bound in bounds])
    return classes


def fits(problem, recoding, rows):
    """How many people of the world each class fits, listed."""
    people = list(enumerate(rows))
    shown = cells_of(problem, recoding)
    return [len(naive.world.fitting(cells, people)) for cells in shown]


def covered(problem, recoding):
    """Whether every record's codes are among those that its class shows."""
    outcome = problem.outcome(recoding)
    pieces = recoding.pieces
    for row, c in zip(pieces.row.tolist(), pieces.class_of.tolist(), strict=True):
        for j, column in enumerate(problem.columns):
            ends = (int(m[j, c]) for m in (outcome.low, outcome.high, outcome.level))
            shown = naive.world.shown(column.hierarchy, *ends, outcome.spans)
            if c >= 0 and int(problem.tally.quasi[j, row]) not in shown:
                return False
    return True


@pytest.mark.slow
@settings(max_examples=30)
@given(cases([KMap(3)], present=True))
def test_every_class_fits_k_people_and_what_is_as_good_without_the_world_is_found(case):
    problem, rows = case
    if len(rows) < 3:
        return
    found = AgainstWorld().run(problem, Watch())
    assert min(fits(problem, found.recoding, rows)) >= 3
    assert covered(problem, found.recoding)
    loss = problem.loss.of(problem.outcome(found.recoding))
    alone = replace(problem, models=(KAnonymity(3),), world=None)
    if problem.tally.records >= 3:
        without = Auto().run(alone, Watch()).recoding
        guarded = replace(problem, world=AttainedEndsCounter.of_counter(problem.world))
        if guarded.satisfied_by(guarded.outcome(without).classes).all():
            assert loss <= problem.loss.of(alone.outcome(without)) + 1e-12


@pytest.mark.parametrize("way", range(len(WAYS)))
@settings(max_examples=30)
@given(case=cases([KMap(3), LDiversity("s0", 2)], units=True))
def test_each_way_finds_what_fits_and_covers(way, case):
    problem, rows = case
    try:
        recoding = WAYS[way](problem, Watch())
    except InfeasibleError:
        return
    if recoding is None:
        return
    pieces = recoding.pieces
    assert (np.bincount(pieces.row, pieces.count) == problem.tally.counts).all()
    assert covered(problem, recoding)
    assert min(fits(problem, recoding, rows)) >= 3


@pytest.mark.slow
@settings(max_examples=20)
@given(cases([DeltaPresence(0.6), LDiversity("s0", 1.5)], units=True))
def test_delta_presence_and_other_models_are_kept(case):
    problem, rows = case
    try:
        found = AgainstWorld().run(problem, Watch())
    except InfeasibleError:
        return
    classes = problem.outcome(found.recoding).classes
    assert problem.satisfied_by(classes).all()
    assert (classes.people <= 0.6 * classes.world + 1e-9).all()
    sure = [0.0] * len(rows)
    for cells, people in zip(cells_of(problem, found.recoding), classes.people, strict=True):
        fitting = naive.world.fitting(cells, list(enumerate(rows)))
        for person in fitting:
            sure[person] += people / len(fitting)
    assert max(sure) <= 0.6 + 1e-9


def population(people, seed=0):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "id": np.arange(people) + 1,
            "age": np.clip(rng.normal(45, 18, people), 18, 95).astype(int),
            "zip": [f"02{z:03}" for z in rng.integers(0, 80, people)],
            "sex": rng.choice(["f", "m"], people),
        }
    )


def policy(model):
    said = incrowd.quick(["age", "zip", "sex"], quasi=["age", "zip", "sex"], k=2)
    return said.model_copy(update={"models": (model,)})


@pytest.mark.thorough
def test_a_sample_of_a_population_loses_far_less():
    world = population(4000)
    table = world.sample(400, seed=1).drop("id")
    without = incrowd.anonymize(table, policy(KAnonymity(5)))
    with_it = incrowd.anonymize(table, policy(KMap(5)), world=world, world_id="id")
    assert with_it.models[0].reached >= 5
    assert with_it.loss["gcp"] < 0.6 * without.loss["gcp"]
    assert with_it.certificate.world.people == 4000
    again = incrowd.check(
        with_it.frame, policy(KMap(5)), with_it.certificate, world=world, world_id="id"
    )
    assert again.ok


@pytest.mark.slow
def test_values_that_only_the_world_has_are_leaves_of_their_own():
    rng = np.random.default_rng(3)
    world = pl.DataFrame(
        {"age": rng.permutation(20_000)[:1500], "sex": rng.choice(["f", "m"], 1500)}
    )
    table = world.sample(150, seed=1)
    said = incrowd.quick(table.columns, quasi=table.columns, k=5)
    without = incrowd.anonymize(table, said)
    against = said.model_copy(update={"models": (KMap(5),)})
    with_it = incrowd.anonymize(table, against, world=world)
    assert with_it.models[0].reached >= 5
    assert with_it.why.startswith("used classes of the world")
    assert with_it.loss["gcp"] < 0.6 * without.loss["gcp"]


@pytest.mark.slow
def test_a_sample_keeps_delta_presence():
    world = population(2000)
    table = world.sample(200, seed=1).drop("id")
    found = incrowd.anonymize(table, policy(DeltaPresence(0.25)), world=world, world_id="id")
    assert found.models[0].reached <= 0.25
    assert not incrowd.check(table, policy(DeltaPresence(0.25)), world=world, world_id="id").ok


def gaps_and_several_rows():
    """24 records of 12 people, some cells missing; 60 people, some with two rows."""
    rng = np.random.default_rng(0)
    born, sex = rng.integers(1950, 1990, 60), rng.choice(["f", "m"], 60)
    again = rng.choice(60, 15, replace=False)
    world = pl.DataFrame(
        {
            "id": np.concatenate([np.arange(60), again]),
            "born": np.concatenate([born, rng.integers(1950, 1990, 15)]),
            "sex": np.concatenate([sex, sex[again]]),
        }
    )
    table = pl.DataFrame({"born": born[:24], "sex": sex[:24], "who": np.arange(24) // 2})
    known = {name: rng.random(24) > 0.15 for name in ("born", "sex")}
    return world, table.with_columns(pl.when(known[name]).then(name).alias(name) for name in known)


@pytest.mark.parametrize("unit", [None, "who"])
@pytest.mark.parametrize("missing", ["own-value", "matches-anything"])
def test_if_all_suppressed_would_keep_delta_presence_a_release_is_found(missing, unit):
    world, table = gaps_and_several_rows()
    table = table if unit else table.drop("who")
    said = incrowd.quick(table.columns, quasi=["born", "sex"], k=2, missing=missing, unit=unit)
    asked = said.model_copy(update={"models": (DeltaPresence(0.6),)})
    assert incrowd.anonymize(table, asked, world=world, world_id="id").models[0].reached <= 0.6


def people_in_several_classes():
    """Four people with two records each, of whom some hold a value in two compatible classes."""
    zips = [None, None, *"131232"]
    table = pl.DataFrame({"zip": zips, "ill": [*"rprrpppr"], "who": [0, 1, 2, 3] * 2})
    said = incrowd.quick(
        table.columns, quasi=["zip"], k=2, sensitive=["ill"], missing="matches-anything", unit="who"
    )
    asked = said.model_copy(update={"models": (KMap(2), LDiversity("ill", 2))})
    return table, asked, pl.DataFrame({"zip": [*"123"] * 20})


def test_classes_that_a_world_hides_are_judged_as_the_crowds_that_gaps_make_of_them():
    table, asked, world = people_in_several_classes()
    release = incrowd.anonymize(table, asked, world=world)
    assert [one.ok for one in release.models] == [True, True]


def test_what_fails_in_a_refused_release_is_counted_with_a_world_and_gaps(monkeypatch):
    def one_by_one(problem, outcome):
        return problem.satisfied_by(outcome.classes)

    table, asked, world = people_in_several_classes()
    monkeypatch.setattr(repair, "flag_safe_classes", one_by_one)
    with pytest.raises(NotMetError, match="1 of 2 models: l-diversity") as told:
        incrowd.anonymize(table, asked, world=world)
    whom, held = told.value.refused.models
    assert (whom.records, whom.classes) == (0, 0)
    assert 0 < held.records < 8


def test_presence_is_judged_by_classes_and_sizes_by_crowds_as_verification_does():
    """One record shows 1, of which the world has two; the other shows nothing and matches it."""
    trees, _, held, _ = _three()
    case = problem_of((trees, [[1, 0]], held, None), [DeltaPresence(0.5), KAnonymity(2)], Gcp())
    case = with_world(case, [(1,)] * 2 + [(0,)] * 2)
    problem = replace(case, missing=Missing.MATCHES_ANYTHING)
    rows = np.arange(2, dtype=np.int32)
    outcome = problem.outcome(Spans(Pieces(rows, problem.tally.counts, rows)))
    assert outcome.classes.world.tolist() == [2, 2]
    assert [flags.tolist() for flags in repair.flags_by_model(problem, outcome)] == [[True] * 2] * 2


@pytest.mark.slow
def test_verification_counts_anew_whatever_the_search_believes(monkeypatch):
    def everybody(self, low, *_, **__):
        return np.full(low.shape[1], self.people)

    monkeypatch.setattr(CandidateCounter, "counts", everybody)
    world = population(500)
    with pytest.raises(NotMetError, match="k-map achieves 1, the policy asks for 5"):
        incrowd.anonymize(world.head(50).drop("id"), policy(KMap(5)), world=world, world_id="id")


@pytest.mark.slow
def test_what_the_world_does_not_know_leaves_as_it_is():
    world = population(2000)
    table = world.sample(200, seed=1).drop("id")
    found = incrowd.anonymize(table, policy(KMap(5)), world=world.drop("sex"), world_id="id")
    assert set(found.frame["sex"]) == {"f", "m"}
    assert any("lacks sex" in note for note in found.notes)


def test_who_would_leave_as_they_are_does_not_hide_the_others():
    """Seven people are like the first record and leave as they are: the second cannot be one."""
    case = problem_of(_three(), [KMap(3)], Gcp())
    problem = with_world(case, [(1,)] * 7 + [(2,)] * 2)
    found = divide_by_stages(problem, Watch())
    assert found.pieces.class_of.tolist() == [0, 0]
    more = with_world(case, [(1,)] * 7 + [(2,)] * 3)
    assert divide_by_stages(more, Watch()).pieces.class_of.tolist() == [0, 1]


@settings(max_examples=60)
@given(cases([KMap(3)], present=True))
def test_whoever_subtracts_those_who_left_as_they_are_still_finds_k_people(case):
    problem, rows = case
    try:
        recoding = divide_by_stages(problem, Watch())
    except InfeasibleError:
        return
    shown = cells_of(problem, recoding)
    exact = [cells for cells in shown if all(len(cell) == 1 for cell in cells)]
    told = {tuple(next(iter(cell)) for cell in cells) for cells in exact}
    others = [(i, row) for i, row in enumerate(rows) if row not in told]
    fitting = [naive.world.fitting(cells, others) for cells in shown if cells not in exact]
    assert all(len(found) >= 3 for found in fitting)


def _three():
    domain = Domain(Kind.TEXT, np.array(["a", "b", "c"], dtype=object))
    return [Flat().build(domain, "q0")], [[1, 2]], [[1, 1]], None


def test_a_search_that_knows_no_world_is_refused_by_name():
    world = population(200)
    asked = policy(KMap(3)).model_copy(update={"search": Mondrian()})
    with pytest.raises(PolicyError, match="'mondrian' does not use the people of a world"):
        incrowd.anonymize(world.head(50).drop("id"), asked, world=world, world_id="id")


def test_a_world_of_too_few_people_is_named():
    problem = with_world(problem_of(_three(), [KMap(4)], Gcp()), [(1,)] * 3)
    with pytest.raises(InfeasibleError, match="the world has 3"):
        AgainstWorld().run(problem, Watch())


def test_people_with_several_rows_count_once():
    problem = with_world(
        problem_of(_three(), [KMap(3)], Gcp()), [(1,)] * 5 + [(2,)], [7, 7, 7, 7, 8, 9]
    )
    found = AgainstWorld().run(problem, Watch())
    assert problem.outcome(found.recoding).classes.world.tolist() == [3]


def test_a_table_that_the_world_contradicts_is_generalized_until_it_does_not():
    problem = with_world(problem_of(_three(), [KMap(2)], Gcp()), [(3,)] * 3)
    found = AgainstWorld().run(problem, Watch())
    assert problem.outcome(found.recoding).classes.world.tolist() == [3]


def test_without_a_world_it_is_auto_and_models_of_a_world_are_refused():
    problem = problem_of(_three(), [KAnonymity(2)], Gcp())
    assert AgainstWorld().run(problem, Watch()).search == Auto().run(problem, Watch()).search
    for search in (AgainstWorld(), Auto()):
        with pytest.raises(PolicyError, match="there is none here"):
            search.run(replace(problem, models=(KMap(2),)), Watch())


def test_a_world_that_no_model_asks_about_changes_nothing():
    problem = problem_of(_three(), [KAnonymity(2)], Gcp())
    assert Auto().run(with_world(problem, [(1,)]), Watch()).recoding.pieces.class_of.max() == 0


def test_janes_of_the_world_hide_the_one_in_the_table():
    """Bettini Section 6, last remark: where the world is known, Jane need not become J*."""
    table = pl.DataFrame({"name": ["Jane", "Jack"]})
    world = pl.DataFrame({"name": ["Jane"] * 4 + ["Jack"] * 3})
    said = incrowd.quick(["name"], quasi=["name"], k=3)
    with pytest.raises(InfeasibleError):
        incrowd.anonymize(table, said)
    release = incrowd.anonymize(table, said.model_copy(update={"models": (KMap(3),)}), world=world)
    assert sorted(release.frame["name"]) == ["Jack", "Jane"]
    assert release.loss["gcp"] == 0.0
    assert release.models[0].reached == 3
