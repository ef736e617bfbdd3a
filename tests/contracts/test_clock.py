"""Budgets are counted in steps: without a time limit no answer depends on the clock."""

import random

import pytest

import incrowd
import incrowd.watch
from incrowd.datasets import hospital
from incrowd.models import KAnonymity, LDiversity
from incrowd.policy.policy import Column, Policy
from incrowd.search import Accuracy
from incrowd.search.crowd import crowd

QUASI = ("birth_date", "zip", "sex", "country")


class StillClock:
    """A clock on which everything is over at once."""

    def __call__(self):
        return 0.0


class WildClock:
    """A clock on which any step may have taken an hour, or none."""

    def __init__(self):
        self._random, self._now = random.Random(5), 0.0

    def __call__(self):
        self._now += self._random.choice([0.0, 0.001, 3600.0])
        return self._now


@pytest.fixture(scope="module")
def people():
    return hospital(450, seed=2)


def policy_of(people, models, **more):
    roles = dict.fromkeys(people.columns, Column(role="drop"))
    roles |= {name: Column(role="quasi") for name in QUASI}
    roles["diagnosis"] = Column(role="sensitive")
    return Policy(columns=roles, models=models, time_limit=1e12, **more)


def released(release):
    return release.frame.rows(), release.loss, release.why


def anonymized(people, **more):
    models = more.pop("models", (KAnonymity(4),))
    gap = more.pop("gap", None)
    release = incrowd.anonymize(people, policy_of(people, models, **more), seed=1, gap=gap)
    return (*released(release), release.bound)


WORK = {
    "auto": anonymized,
    "l-diversity": lambda people: anonymized(people, models=(LDiversity("diagnosis", 3),)),
    "lattice": lambda people: anonymized(people, search="lattice", suppression=0.05),
    "bound by sample": lambda people: anonymized(people, gap="estimate"),
    "bound": lambda people: anonymized(people.head(150), gap="prove"),
    "dual": lambda people: anonymized(
        people.head(150), search=Accuracy(max_loss=0.7, privacy="k", method="best")
    ),
    "curve": lambda people: (
        incrowd.frontier(
            people.head(100), policy_of(people, (KAnonymity(2),)), bounds=[0.1, 0.4]
        ).points
    ),
    "keys": lambda people: incrowd.discover(people, ratio=1.0, time_limit=None).sets,
    "masks": lambda people: incrowd.mask(people, ratio=0.5, seed=1, time_limit=None).published,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", WORK)
def test_no_answer_depends_on_the_clock(people, monkeypatch, name):
    found = []
    for clock in (StillClock, WildClock):
        monkeypatch.setattr(incrowd.watch, "_clock", clock())
        found.append(WORK[name](people))
    assert found[0] == found[1]


@pytest.mark.slow
def test_no_part_depends_on_the_clock(people, monkeypatch):
    monkeypatch.setattr(crowd, "LARGE", 200)
    monkeypatch.setattr(crowd, "PART", 200)
    test_no_answer_depends_on_the_clock(people, monkeypatch, "auto")
