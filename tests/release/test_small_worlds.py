"""Worlds of few people: what somebody concludes who runs the search on every possible table."""

from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd
import naive.world as naive
from incrowd import Column, DeltaPresence, KMap, Policy
from incrowd.errors import InfeasibleError, LimitError, NotMetError
from incrowd.release import small_worlds
from incrowd.release.small_worlds import DrawnTable, FittingKinds, posterior_of
from incrowd.watch import Watch


def policy(model, *names, **more):
    return Policy(models=(model,), columns={n: Column(role="quasi") for n in names}, **more)


def world(people, seed):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {"age": rng.integers(18, 30, people), "sex": rng.choice(["f", "m"], people)}
    )


def shown(table, asked, people):
    """What each record shows, in the order of the table; None if there is no release."""
    kept = asked.model_copy(update={"order": "keep"})
    try:
        release = incrowd.anonymize(table, kept, world=people, seed=1)
    except (InfeasibleError, NotMetError):
        return None
    return [tuple(map(str, row)) for row in release.frame.rows()]


@pytest.mark.slow
@pytest.mark.parametrize("model", [KMap(2), DeltaPresence(0.5)], ids=lambda one: one.name)
def test_what_is_released_keeps_its_promise_against_every_possible_table(model, monkeypatch):
    """By brute force: every subset of the world is released as if worlds were never too small."""
    people, asked = world(7, 3), policy(model, "age", "sex")
    monkeypatch.setattr(small_worlds, "ENOUGH", 0)
    every = [
        (chosen, shown(people[list(chosen)], asked, people)) for chosen in combinations(range(7), 2)
    ]
    monkeypatch.undo()
    released = 0
    for chosen, mine in every[::3]:
        alike = [one for one in every if mine and one[1] and Counter(one[1]) == Counter(mine)]
        safe = mine is not None and naive.keeps_posterior(alike, model)
        made = shown(people[list(chosen)], asked, people)
        assert (made is not None) == safe
        released += safe
    assert released


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 3), min_size=1, max_size=4), st.data())
def test_posteriors_are_those_of_the_twin(people, data):
    """A made-up search: what it shows depends on who is in the table."""
    kinds = [kind for kind, number in enumerate(people) for _ in range(number)]
    size = data.draw(st.integers(1, len(kinds)))
    chosen = data.draw(st.sampled_from(list(combinations(range(len(kinds)), size))))
    modulus = data.draw(st.integers(1, 3))

    def search(rows):
        kind = [kinds[r] for r in rows.tolist()]
        rest = sum(kind) % modulus
        return [(str(rest),) if k != rest else None for k in kind]

    first = np.array([kinds.index(kind) for kind in range(len(people))])
    held = np.bincount([kinds[p] for p in chosen], minlength=len(people))
    drawn = DrawnTable(np.array(people), first, held, np.array(kinds))
    mine = [one for one in search(np.array(chosen)) if one is not None]
    anybody = FittingKinds(np.ones((1, len(people)), dtype=bool), np.array([0]))
    found = posterior_of(drawn, search, (Counter(mine), anybody), Watch())
    every = [(c, search(np.array(c))) for c in combinations(range(len(kinds)), size)]
    alike = [one for one in every if Counter(filter(None, one[1])) == Counter(mine)]
    presence, belonging = naive.posteriors(alike)
    assert (found.tables, found.alike) == (len(every), len(alike))
    assert (found.presence, found.belonging) == (presence, belonging)


def test_a_release_that_tells_too_much_is_refused_with_the_figures():
    people, asked = world(8, 2), policy(DeltaPresence(0.5), "age", "sex")
    with pytest.raises(NotMetError, match=r"of all 28 tables .* presence of a person is 1,"):
        incrowd.anonymize(people.sample(2, seed=1), asked, world=people)
    made = incrowd.anonymize(people.sample(2, seed=0), asked, world=people)
    assert "of all 28 tables that could have been drawn" in made.certificate.why


def refusal(people, table, asked, **more):
    with pytest.raises(InfeasibleError, match="fewer than 40") as caught:
        incrowd.anonymize(table, asked, world=people, **more)
    return caught.value.message


def test_worlds_that_cannot_be_searched_are_refused():
    people = world(39, 1)
    asked = policy(KMap(2), "age", "sex")
    many = refusal(people, people[:12], asked)
    assert "3,910,797,436 tables of 12 people could be drawn from it" in many
    assert "more than the 10,000" in many
    few = people[:12]
    stranger = few[:3].with_columns(age=pl.lit(99))
    assert "people who are not in it" in refusal(few, stranger, asked)
    twice = pl.concat([few[:1]] * 12)
    assert "more people with the same values" in refusal(few, twice, asked)
    assert "lacks the quasi-identifying column 'sex'" in refusal(few.drop("sex"), few[:3], asked)
    ids = pl.concat([few, few]).with_columns(id=pl.Series([*range(12), *range(12)]))
    assert "several rows" in refusal(ids, few[:3], asked, world_id="id")


def test_models_of_columns_that_the_world_lacks():
    people = world(12, 1)
    table = people[:4].with_columns(ill=pl.Series(["a", "b", "a", "b"]))
    columns = {n: Column(role="quasi") for n in ("age", "sex")} | {"ill": Column(role="sensitive")}
    asked = Policy(models=(KMap(2), incrowd.LDiversity("ill", 1.5)), columns=columns)
    assert "uses 'ill', which nobody knows" in refusal(people, table, asked)


def test_a_slow_search_is_refused_with_the_numbers():
    people = world(12, 1)
    asked = policy(KMap(2), "age", "sex", time_limit=1e-9)
    with pytest.raises(LimitError, match=r"of 220 tables .* were looked at in 0 seconds"):
        incrowd.anonymize(people[:3], asked, world=people)


def test_forty_people_are_enough():
    people = world(40, 1)
    release = incrowd.anonymize(people[:12], policy(KMap(2), "age", "sex"), world=people)
    assert "could have been drawn" not in release.certificate.why


def test_a_world_that_no_model_counts_is_not_too_small():
    people = world(12, 1)
    asked = incrowd.quick(["age", "sex"], quasi=["age", "sex"], k=2)
    assert incrowd.anonymize(people[:4], asked, world=people).k >= 2


def test_the_promise_says_how_it_is_counted():
    for model in (KMap(5), DeltaPresence(0.5)):
        assert "counted by containment" in model.promise
        assert "may tell more in small worlds" in model.meaning
    people = world(60, 1)
    asked = policy(KMap(2), "age", "sex")
    release = incrowd.anonymize(people[:12], asked, world=people)
    said = " ".join(release.certificate.assumptions)
    assert "counted by containment" in said
    assert "may tell more in small worlds" in said


@pytest.mark.slow
def test_a_check_says_that_it_cannot_repeat_the_searches():
    people = world(12, 1)
    asked = policy(KMap(2), "age", "sex")
    release = incrowd.anonymize(people[:3], asked, world=people, seed=1)
    checked = incrowd.check(release.frame, asked, release.certificate, world=people)
    assert checked.ok
    assert any("The world has 12 people, fewer than 40" in note for note in checked.notes)


def test_the_posterior_in_words():
    found = small_worlds.Posterior(220, 5, Fraction(1, 2), Fraction(1, 3))
    assert "of all 220 tables" in found.says
    assert "5 give this release" in found.says
