"""Whatever the search counts wrongly, no release says more than its rows show.

One routine of the search's side is broken at a time, so that the search is content with classes
that do not keep the policy. Verification must refuse what it proposes.
"""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import incrowd
from incrowd import problem as problems
from incrowd.engines import memory
from incrowd.errors import NotMetError
from incrowd.linkage import index
from incrowd.linkage.candidates import CandidateCounter
from incrowd.models import AlphaK, DeltaPresence, KAnonymity, KMap, LDiversity, TCloseness
from incrowd.policy import compile as compiling
from incrowd.search import mondrian, repair
from incrowd.search.lattice import full_domain
from incrowd.search.world import partition
from incrowd.table.column import Missing


def table(records=120, seed=4):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": rng.integers(18, 80, records),
            "zip": [f"{z:05}" for z in rng.integers(10_000, 10_400, records)],
            "ill": rng.choice(["flu", "hiv", "gout", "cold"], records, p=[0.6, 0.2, 0.1, 0.1]),
            "who": rng.integers(0, records // 2, records).astype(str),
        }
    )


def policy(*models, unit=False, search="crowd", **more):
    columns = {
        "age": incrowd.Column(role="quasi"),
        "zip": incrowd.Column(role="quasi", hierarchy="prefix"),
        "ill": incrowd.Column(role="sensitive"),
        "who": incrowd.Column(role="unit" if unit else "drop"),
    }
    return incrowd.Policy(columns=columns, models=models, search={"name": search}, **more)


def all_content(monkeypatch):
    """The problem takes every class for a good one."""

    def yes(_, classes):
        return np.ones(len(classes), dtype=np.bool_)

    monkeypatch.setattr(problems.Problem, "satisfied_by", yes)
    for model in (KAnonymity, LDiversity, TCloseness, AlphaK, KMap, DeltaPresence):
        monkeypatch.setattr(model, "satisfied_by", yes)


def more_people(monkeypatch):
    """A fold that counts everybody five times."""
    honest = memory.fold

    def folded(*given):
        tally = honest(*given)
        return replace(tally, people=tally.people * 5)

    monkeypatch.setattr(memory, "fold", folded)


def larger_classes(monkeypatch):
    """Classes that say to have five times their people."""
    honest = full_domain.classes_of

    def counted(*given, **more):
        classes = honest(*given, **more)
        return replace(classes, people=classes.people * 5)

    for module in (full_domain, mondrian, repair):
        monkeypatch.setattr(module, "classes_of", counted)


def larger_world(monkeypatch):
    """An index that finds everybody of the world three times, and classes of a third of them."""
    smaller = lambda k: KAnonymity(max(k // 3, 2))  # noqa: E731  it lies in place of the model
    monkeypatch.setattr(partition, "KAnonymity", smaller)
    for kind in (index.LayerLookup, index.BoxTree):
        honest = kind.counts
        monkeypatch.setattr(kind, "counts", lambda self, honest=honest: honest(self) * 3)


def larger_world_where_nobody_is_sure(monkeypatch):
    """The same, and classes that overlap are said to tell nothing."""
    larger_world(monkeypatch)
    monkeypatch.setattr(CandidateCounter, "largest_presence_chance", lambda *_: 0.0)


def flat_whole(monkeypatch):
    """Every value is said to be as frequent in the table as any other."""
    honest = compiling.ColumnHolders.count_people_each
    monkeypatch.setattr(
        compiling.ColumnHolders, "count_people_each", lambda self: np.ones_like(honest(self))
    )


TWICE = (KAnonymity(2), LDiversity("ill", 2))


@pytest.mark.parametrize(
    ("sabotage", "asked"),
    [
        (all_content, policy(KAnonymity(5), search="mondrian")),
        (all_content, policy(KAnonymity(5), LDiversity("ill", 2), search="mondrian")),
        (all_content, policy(KAnonymity(2), TCloseness("ill", 0.2), search="mondrian")),
        (all_content, policy(KAnonymity(2), AlphaK("ill", 0.5, 2), search="mondrian")),
        (all_content, policy(KAnonymity(5), search="mondrian", unit=True)),
        (all_content, policy(*TWICE, search="mondrian", missing="matches-anything")),
        (more_people, policy(KAnonymity(5), search="lattice")),
        (larger_classes, policy(*TWICE, AlphaK("ill", 0.5, 9), search="mondrian")),
        (flat_whole, policy(KAnonymity(2), TCloseness("ill", 0.4), search="mondrian")),
    ],
)
def test_a_search_that_counts_wrongly_releases_nothing(monkeypatch, sabotage, asked):
    rows = table()
    if asked.missing is Missing.MATCHES_ANYTHING:
        rows = rows.with_columns(pl.when(pl.col("age") > 30).then(pl.col("age")).alias("age"))
    incrowd.anonymize(rows, asked, seed=1)
    sabotage(monkeypatch)
    with pytest.raises(NotMetError):
        incrowd.anonymize(rows, asked, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sabotage", "model"),
    [(larger_world, KMap(12)), (larger_world_where_nobody_is_sure, DeltaPresence(0.15))],
)
def test_a_search_that_counts_a_world_wrongly_releases_nothing(monkeypatch, sabotage, model):
    world = table(800).select("age", "zip")
    rows = table(800)[::10]
    asked = policy(model, search="world")
    incrowd.anonymize(rows, asked, seed=1, world=world)
    sabotage(monkeypatch)
    with pytest.raises(NotMetError):
        incrowd.anonymize(rows, asked, seed=1, world=world)
