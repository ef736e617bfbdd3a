"""Sets name nothing that fewer than k people hold, whatever the search and the table."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd
import naive.pools as naive
from incrowd.hierarchy import Flat, Tree
from incrowd.hierarchy.hierarchy import texts
from incrowd.hierarchy.labels import has_others, names_in_labels
from incrowd.models import DeltaPresence, KAnonymity, KMap
from incrowd.policy.policy import Column, Policy
from incrowd.search_names import SEARCHES
from incrowd.table.column import Domain, Kind

TOWNS = 60
PATHS = {f"t{i}": [f"r{i % 9}", f"s{i % 3}"] for i in range(1, TOWNS + 1)}
TREE = {"name": "tree", "rows": tuple((leaf, *path, "*") for leaf, path in PATHS.items())}
K5 = (KAnonymity(5),)
SHOWING_SETS = ("crowd", "mondrian", "tree", "hilbert", "idistance", "top-down", "cuts")


def people(seed, number=150):
    """Towns by Zipf's law, many of one person only, and what else is known of them."""
    rng = np.random.default_rng(seed)
    towns = np.minimum(rng.zipf(1.4, number), TOWNS)
    job = rng.choice(["clerk", "nurse", "cook", None], number, p=[0.5, 0.3, 0.15, 0.05])
    return pl.DataFrame(
        {"town": [f"t{t}" for t in towns], "job": job.tolist(), "age": rng.integers(20, 60, number)}
    )


def policy(search="crowd", *, tree=True, models=K5, **more):
    columns = {name: Column(role="quasi") for name in ("town", "job", "age")}
    columns["town"] = Column(role="quasi", hierarchy=TREE if tree else "flat")
    return Policy(columns=columns, models=models, show="sets", search=search, **more)


def labels(release, name="town"):
    return release.frame[name].cast(pl.String).unique().drop_nulls().sort().to_list()


def few(release, frame, k=5):
    """The names of sets and cells that fewer than k people of the table hold."""
    held = dict(frame["town"].value_counts().iter_rows())
    under = {name: 0 for path in PATHS.values() for name in path}
    for leaf, path in PATHS.items():
        for node in path:
            under[node] += held.get(leaf, 0)
    return [name for name in names_in_labels(labels(release)) if (held | under).get(name, 0) < k]


def test_the_searches_named_here_are_known():
    assert set(SHOWING_SETS) <= set(SEARCHES)


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from(SHOWING_SETS),
    st.booleans(),
    st.sampled_from([0.0, 0.1]),
    st.sampled_from(["own-value", "matches-anything", "suppress"]),
)
def test_no_rare_value_is_named_and_labels_stand_for_what_a_slow_reader_says(
    seed, search, tree, suppression, missing
):
    frame = people(seed)
    asked = policy(search, tree=tree, suppression=suppression, missing=missing, order="keep")
    release = incrowd.anonymize(frame, asked, seed=1)
    assert few(release, frame) == []
    paths = PATHS if tree else dict.fromkeys(frame["town"].unique(maintain_order=True), ())
    stands = naive.stands_for(labels(release), paths)
    checked = incrowd.check(release.frame, asked, release.certificate, original=frame)
    assert checked.ok
    assert release.loss["gcp"] == pytest.approx(checked.losses["gcp"][1])
    hierarchy = hierarchy_of(frame, tree)
    decoded = hierarchy.decode_all(labels(release))
    names = hierarchy.leaves.labels
    for i, label in enumerate(labels(release)):
        assert {names[code - 1] for code in decoded[i] if code} == stands[label]


def hierarchy_of(frame, tree):
    domain = Domain(Kind.TEXT, texts(sorted(frame["town"].unique().to_list())))
    return (Tree(TREE["rows"]) if tree else Flat()).build(domain, "town")


@pytest.mark.parametrize("search", SHOWING_SETS)
def test_no_search_names_a_value_of_few(search):
    frame = people(7)
    for tree in (True, False):
        release = incrowd.anonymize(frame, policy(search, tree=tree), seed=1)
        assert few(release, frame) == []


@pytest.mark.parametrize("seed", range(4))
def test_nobody_of_a_world_is_named_by_a_value_that_they_alone_hold(seed):
    world = people(seed, 400)
    frame = world[:130]
    alone = {town for town, held in world["town"].value_counts().iter_rows() if held == 1}
    assert alone & set(frame["town"])
    release = incrowd.anonymize(frame, policy(tree=False), seed=1)
    assert not names_in_labels(labels(release)) & alone
    exact = incrowd.anonymize(frame, policy(tree=False, ends="exact"), seed=1)
    assert names_in_labels(labels(exact)) & alone
    told = [
        attack.figures["told"]
        for made in (release, exact)
        for attack in incrowd.attack(made.frame, world=world, knows="town").attacks
        if attack.kind == "ends"
    ]
    assert told[0] == 0 < told[1]


@pytest.mark.slow
@pytest.mark.parametrize("model", [KMap(6), DeltaPresence(0.4)])
@pytest.mark.parametrize("tree", [True, False])
def test_against_a_world_only_what_people_of_the_world_hold_is_named(model, tree):
    world = people(3, 400).with_columns(job=pl.lit("clerk"))
    frame = world[:120]
    asked = policy("auto", tree=tree, models=(model,))
    release = incrowd.anonymize(frame, asked, world=world, seed=1)
    assert few(release, world, 2) == []
    checked = incrowd.check(release.frame, asked, release.certificate, world=world)
    assert checked.ok


def test_people_with_several_records_count_once():
    frame = people(5).with_columns(who=pl.int_range(150) // 3)
    asked = policy()
    columns = {**asked.columns, "who": Column(role="unit")}
    asked = asked.model_copy(update={"columns": columns})
    release = incrowd.anonymize(frame, asked, seed=1)
    held = dict(frame.group_by("town").agg(pl.col("who").n_unique()).iter_rows())
    names = names_in_labels(labels(release)) & set(PATHS)
    assert all(held[name] >= 5 for name in names)


def test_a_value_that_looks_like_the_rest_is_told_from_it():
    odd = ["*others*", "{*others*}", "a, *others*"]
    frame = pl.DataFrame({"town": [*odd * 30, *(f"t{i}" for i in range(20))]})
    columns = {"town": Column(role="quasi", hierarchy="flat")}
    asked = Policy(columns=columns, models=(KAnonymity(20),), show="sets")
    release = incrowd.anonymize(frame, asked, seed=1)
    assert incrowd.check(release.frame, asked, release.certificate, original=frame).ok
    assert names_in_labels(labels(release)) <= set(odd)
    assert any(has_others(label) for label in labels(release))
