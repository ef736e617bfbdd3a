"""The attack on ends, played against releases that promise something about a world."""

import numpy as np
import polars as pl
import pytest

import incrowd
from incrowd.models import DeltaPresence, KMap
from incrowd.policy.policy import Column, Policy

SHARE = 0.2


def world(seed, people=600):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "id": [f"p{i}" for i in range(people)],
            "income": np.round(np.exp(rng.normal(10, 1, people))).astype(np.int64),
            "sex": rng.integers(0, 2, people).astype(str),
        }
    )


def told(model, ends, seed):
    """The people whom ends tell to be there, how many are, and how many chance would find."""
    everybody = world(seed)
    table = everybody.sample(int(SHARE * len(everybody)), seed=seed)
    columns = {name: Column(role="quasi") for name in ("income", "sex")}
    columns["id"] = Column(role="drop")
    policy = Policy(columns=columns, models=(model,), ends=ends)
    release = incrowd.anonymize(table, policy, seed=seed, world=everybody, world_id="id")
    found = incrowd.attack(
        release.frame, world=everybody, world_id="id", original=table, policy=policy, max_size=1
    )
    (played,) = [one for one in found.attacks if one.kind == "ends"]
    return played


@pytest.mark.slow
@pytest.mark.parametrize("model", [KMap(5), DeltaPresence(0.5)], ids=lambda model: model.name)
def test_ends_of_the_worlds_classes_tell_no_more_than_the_classes(model):
    """Over ten worlds. A class that is shown says that somebody of its people is there.

    Of five people, each there with a chance of a fifth, so many are there if one is.
    """
    right = people = 0.0
    for seed in range(10):
        played = told(model, "aligned", seed)
        right += played.success * played.trials
        people += played.trials
    limit = SHARE / (1 - (1 - SHARE) ** 5) if isinstance(model, KMap) else model.delta
    assert people
    assert right <= limit * people + 3 * np.sqrt(limit * (1 - limit) * people)


@pytest.mark.slow
@pytest.mark.parametrize("model", [KMap(5), DeltaPresence(0.5)], ids=lambda model: model.name)
def test_exact_ends_give_people_away(model):
    played = told(model, "exact", 1)
    assert played.trials > 30
    assert played.success > 0.9
