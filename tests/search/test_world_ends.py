"""Labels against a world tell nothing of who is in the table but what their class says."""

from dataclasses import replace
from math import sqrt

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd
import naive.ends
import naive.world
from incrowd.hierarchy import Flat
from incrowd.hierarchy.pools import pools_of
from incrowd.linkage.attained_ends import AttainedEndsCounter
from incrowd.linkage.candidates import CandidateCounter
from incrowd.linkage.world import World
from incrowd.loss import Gcp
from incrowd.models import DeltaPresence, KAnonymity, KMap
from incrowd.recoding import Pieces, Spans
from incrowd.table.column import CodedColumn, Domain, Kind, Missing
from strategies import problem_of, tables

MODELS = [KMap(5), DeltaPresence(0.3), DeltaPresence(0.5)]
NUMBERS = ("income", "age")


def incomes(seed, people=1000):
    """Skewed incomes, nearly all of them different, and the sex."""
    rng = np.random.default_rng(seed)
    income = np.round(rng.lognormal(10.3, 0.8, people)).astype(int)
    return pl.DataFrame({"income": income, "sex": rng.choice(["f", "m"], people)})


def places(seed, people=1000):
    """Ages, ZIP codes and the sex: many people share each value, few all three."""
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": np.clip(rng.normal(45, 18, people), 18, 95).astype(int),
            "zip": [f"02{z:03}" for z in rng.integers(0, 40, people)],
            "sex": rng.choice(["f", "m"], people),
        }
    )


def policy(columns, *models, **more):
    said = incrowd.quick(columns, quasi=columns, k=2)
    return said.model_copy(update={"models": models, **more})


def attacked(world, present, model, **more):
    """How many people are guessed to be in the table, how many are, and how many chance gives."""
    release = incrowd.anonymize(world[present], policy(world.columns, model, **more), world=world)
    people = dict(enumerate(world.to_dicts()))
    numbers = [name for name in world.columns if name in NUMBERS]
    found = naive.ends.guesses(release.frame.to_dicts(), people, numbers)
    right = len(set(found) & set(present))
    return right, list(found.values())


def beyond_chance(right, chances):
    """By how many standard deviations more guesses are right than chance explains."""
    deviation = sqrt(sum(p * (1 - p) for p in chances)) or 1.0
    return (right - sum(chances)) / deviation


def sample(seed, people, share=0.2):
    return sorted(np.random.default_rng(seed).permutation(people)[: int(share * people)].tolist())


def allowed(made, model, chances):
    """What each guess may be worth.

    Where nodes of a tree are shown, cells overlap, and whoever lies at an end is sure to be one of
    the class's own people, fewer than fit it: delta is then what the model allows.
    """
    overlap = made is places and isinstance(model, DeltaPresence)
    return [model.delta] * len(chances) if overlap else chances


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("made", [incomes, places])
def test_whoever_knows_that_ends_are_attained_finds_nobody_by_it(made, model):
    right, chances = attacked(made(0, 600), sample(1, 600), model)
    assert len(chances) > 10
    assert beyond_chance(right, allowed(made, model, chances)) < 3


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_exact_ends_tell_who_is_in_the_table(model):
    right, chances = attacked(incomes(0), sample(1, 1000), model, ends="exact")
    assert right == len(chances) > 10
    assert beyond_chance(right, chances) > 6


@pytest.mark.slow
@pytest.mark.parametrize("model", [KMap(4), DeltaPresence(0.4)])
def test_on_several_worlds_no_more_are_found_than_chance_gives(model):
    total, every = 0, []
    for seed in range(5):
        made = incomes if seed % 2 else places
        right, chances = attacked(made(seed, 300), sample(seed + 50, 300), model)
        total, every = total + right, every + allowed(made, model, chances)
    assert len(every) > 100
    assert beyond_chance(total, every) < 3


@pytest.mark.slow
@pytest.mark.parametrize("made", [incomes, places])
def test_what_somebody_shows_depends_on_the_world_and_not_on_who_else_is_in_the_table(made):
    world = made(3, 250).with_columns(who=pl.arange(250))
    said = policy(world.columns[:-1], KMap(4), order="keep")
    kept = {"who": incrowd.Column(role="keep", alone="accept")}
    said = said.model_copy(update={"columns": {**said.columns, **kept}})
    shown = []
    for seed in (1, 2):
        release = incrowd.anonymize(world[sample(seed, 250, 0.4)], said, world=world.drop("who"))
        assert release.why.startswith("used classes of the world")
        shown.append({row.pop("who"): row for row in release.frame.to_dicts()})
    both = shown[0].keys() & shown[1].keys()
    assert len(both) > 30
    assert all(shown[0][who] == shown[1][who] for who in both)


@pytest.mark.parametrize("model", MODELS)
def test_check_accepts_what_was_made(model):
    world = incomes(5, 300)
    release = incrowd.anonymize(world[:60], policy(world.columns, model), world=world)
    again = incrowd.check(release.frame, release.policy, release.certificate, world=world)
    assert again.ok


@pytest.mark.slow
def test_a_second_model_is_kept_by_larger_classes_of_the_world():
    world = places(2, 300)
    asked = policy(world.columns, KMap(5), KAnonymity(3))
    release = incrowd.anonymize(world[sample(4, 300)], asked, world=world)
    assert [model.ok for model in release.models] == [True, True]
    assert release.loss["gcp"] < 0.6


@pytest.mark.slow
def test_sets_show_values_of_the_world_whoever_is_in_the_table():
    world = places(3, 250).with_columns(zip=pl.concat_str(pl.lit("z"), "zip"))
    asked = policy(world.columns, KMap(4), show="sets")
    release = incrowd.anonymize(world[sample(1, 250)], asked, world=world)
    labels = [label for name in ("zip", "sex") for label in release.frame[name]]
    assert any(label.startswith("{") for label in labels)
    assert incrowd.check(release.frame, release.policy, release.certificate, world=world).ok


@pytest.mark.slow
def test_missing_values_that_match_anything_do_not_matter_where_there_are_none():
    world = places(3, 200)
    table = world[sample(1, 200)]
    losses = [
        incrowd.anonymize(table, policy(world.columns, model, missing=missing), world=world).loss
        for model in (KMap(4), DeltaPresence(0.5))
        for missing in (Missing.OWN_VALUE, Missing.MATCHES_ANYTHING)
    ]
    assert losses[0] == losses[1]
    assert losses[2] == losses[3]


def test_exact_ends_are_named_in_the_certificate():
    world = incomes(5, 200)
    said = policy(world.columns, KMap(3), ends="exact")
    release = incrowd.anonymize(world[:40], said, world=world)
    assert any("only one person has such a value" in one for one in release.certificate.assumptions)
    assert any("k-map" in one and "at its end" in one for one in release.certificate.assumptions)


@st.composite
def recodings(draw):
    """A problem with a world, and classes that show what their records span."""
    table = draw(tables(max_records=8, max_columns=2))
    trees = table[0]
    problem = problem_of(table, [KMap(2)], Gcp())
    rows = draw(st.lists(st.tuples(*(st.integers(0, len(t.leaves)) for t in trees)), min_size=1))
    columns = {
        column.name: CodedColumn(
            column.name, np.array([row[j] for row in rows], np.int32), column.hierarchy.leaves
        )
        for j, column in enumerate(problem.columns)
    }
    world = CandidateCounter.of(World(columns), problem.columns)
    number = problem.tally.rows
    class_of = draw(st.lists(st.integers(0, 2), min_size=number, max_size=number))
    place = np.unique(class_of, return_inverse=True)[1].astype(np.int32)
    spans = Spans(Pieces(np.arange(number, dtype=np.int32), problem.tally.counts, place))
    return (
        replace(problem, world=AttainedEndsCounter.of_counter(world)),
        spans,
        list(enumerate(rows)),
    )


def fewest(problem, outcome, c, people):
    """The individuals of the part of a class that fits fewest, part by part."""
    cells = [
        naive.world.shown(
            column.hierarchy,
            *(int(m[j, c]) for m in (outcome.low, outcome.high, outcome.level)),
            outcome.spans,
        )
        for j, column in enumerate(problem.columns)
    ]
    parts = [cells]
    for j, column in enumerate(problem.columns):
        low, high, level = (int(m[j, c]) for m in (outcome.low, outcome.high, outcome.level))
        if low == 0 or (low == high if column.hierarchy.ordered else level == 0):
            continue
        if column.hierarchy.ordered:
            inner = [{low}, {high}]
        else:
            nodes = column.hierarchy.maps[level - 1]
            branches = {int(nodes[leaf]) for leaf in range(low, high + 1)}
            inner = [{leaf for leaf in cells[j] if nodes[leaf] != b or not leaf} for b in branches]
        parts += [[*cells[:j], part, *cells[j + 1 :]] for part in inner]
    return min(len(naive.world.fitting(part, people)) for part in parts)


@settings(max_examples=80)
@given(recodings())
def test_a_class_counts_the_people_of_its_part_that_fits_fewest(case):
    problem, spans, people = case
    outcome = problem.outcome(spans)
    counts = outcome.classes.world.tolist()
    assert counts == [fewest(problem, outcome, c, people) for c in range(len(counts))]


@pytest.mark.parametrize(("pools", "counts"), [(False, [1]), (True, [4])])
def test_every_member_of_a_set_counts_by_itself(pools, counts):
    """Five people have a, one b and three c: whoever shows {a, b} names the one."""
    domain = Domain(Kind.TEXT, np.array(["a", "b", "c"], dtype=object))
    table = [Flat().build(domain, "q0")], [[1, 2]], [[1, 1]], None
    problem = problem_of(table, [KMap(2)], Gcp())
    tree, held = problem.columns[0].hierarchy, np.array([0, 5, 1, 3])
    named = pools_of(tree, held, 4, held) if pools else None
    column = replace(problem.columns[0], sets=True, pools=named)
    codes = np.array([1] * 5 + [2] + [3] * 3, np.int32)
    world = World({"q0": CodedColumn("q0", codes, domain)})
    guarded = AttainedEndsCounter.of_counter(CandidateCounter.of(world, [column]))
    problem = replace(problem, columns=(column,), world=guarded)
    rows = np.arange(2, dtype=np.int32)
    spans = Spans(Pieces(rows, problem.tally.counts, np.zeros(2, np.int32)))
    assert problem.outcome(spans).classes.world.tolist() == counts
