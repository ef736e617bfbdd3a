"""A limit that nobody gave never costs the answer; one that somebody gave is kept."""

import numpy as np
import pytest

import incrowd
from incrowd import watch as watching
from incrowd.datasets import hospital
from incrowd.errors import LimitError
from incrowd.models import KAnonymity, LDiversity
from incrowd.policy.policy import Column, Policy
from incrowd.release import load
from incrowd.release.load import overtime_of
from incrowd.search import Accuracy
from incrowd.search.crowd import crowd, trades
from incrowd.search_names import SEARCHES
from incrowd.watch import Watch

K2 = (KAnonymity(2),)
QUASI = ("birth_date", "zip", "sex")
SHOWS = {"anatomy": "permutation"}
NEEDS = {"anatomy": (LDiversity("diagnosis", 2),), "diversify": (LDiversity("diagnosis", 2),)}
SMALL = {"mingen-cells": 9, "exhaustive": 60, "mingen": 60}


def policy_of(people, models=K2, **more):
    roles = dict.fromkeys(people.columns, Column(role="drop"))
    roles |= {name: Column(role="quasi") for name in QUASI}
    roles["diagnosis"] = Column(role="sensitive")
    return Policy(columns=roles, models=models, suppression=0.2, **more)


@pytest.fixture
def no_time(monkeypatch):
    """The time to improve answers is over at once."""
    monkeypatch.setattr(load, "IMPROVING", 0.0)


@pytest.mark.slow
@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.usefixtures("no_time")
def test_every_search_answers_when_the_usual_time_is_over_at_once(name):
    people = hospital(SMALL.get(name, 120), seed=4)
    search = Accuracy(max_loss=0.9, privacy="k") if name == "accuracy" else name
    asked = policy_of(people, NEEDS.get(name, K2), search=search, show=SHOWS.get(name, "spans"))
    try:
        release = incrowd.anonymize(people, asked, seed=1)
    except incrowd.NotMetError:
        assert name == "mu-argus"  # whose answer need not be k-anonymous
        return
    assert release.certificate is not None


@pytest.mark.usefixtures("no_time")
def test_parts_answer_when_the_usual_time_is_over_at_once(monkeypatch):
    monkeypatch.setattr(crowd, "LARGE", 200)
    monkeypatch.setattr(crowd, "PART", 100)
    people = hospital(900, seed=2)
    release = incrowd.anonymize(people, policy_of(people, search="crowd"), seed=1)
    assert "parts" in release.why
    assert len(release.frame) >= 0.8 * 900


@pytest.mark.usefixtures("no_time")
def test_models_of_values_answer_when_the_usual_time_is_over_at_once():
    people = hospital(400, seed=2)
    models = (KAnonymity(3), LDiversity("diagnosis", 2))
    assert incrowd.anonymize(people, policy_of(people, models), seed=1).certificate


@pytest.mark.parametrize("name", ["auto", "crowd", "mondrian", "datafly", "tree", "lattice"])
def test_a_limit_that_was_given_is_kept_without_an_answer(name):
    people = hospital(120, seed=4)
    with pytest.raises(LimitError) as caught:
        incrowd.anonymize(people, policy_of(people, search=name, time_limit=1e-9), seed=1)
    assert "leave it out" in caught.value.remedy or "raise" in caught.value.remedy


def test_parts_share_the_time_that_is_left(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(watching, "_clock", lambda: now[0])
    monkeypatch.setattr(crowd, "threads", lambda: 1)
    parts = crowd.PartsWatch(Watch(100, answer_first=True), 10)
    first = parts.begin_part()
    assert first.remaining == pytest.approx(15)
    now[0] = 15.0
    assert first.expired
    assert not first.must_stop
    assert parts.begin_part().remaining == pytest.approx(1.5 * 85 / 9)


def test_rounds_of_trades_stop_where_they_are(monkeypatch):
    people = hospital(300, seed=2)
    seen = []
    region = trades.Trades._trade_region

    def stopped(self, start, number, slack, stop):
        stop[0] = True  # as an alarm would
        parts, saved = region(self, start, number, slack, stop)
        seen.append(float(saved.sum()))
        return parts, saved

    monkeypatch.setattr(trades.Trades, "_trade_region", stopped)
    asked = policy_of(people, search="crowd", time_limit=600)
    release = incrowd.anonymize(people, asked, seed=1)
    assert seen
    assert not any(seen)
    assert "until the time limit" in release.why


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["run_sweep", "run_trades"])
def test_kernels_stop_between_two_steps(monkeypatch, kernel):
    """A kernel that is stopped at once hands back the classes that it got."""
    module = trades.sweep_kernels if kernel == "run_sweep" else trades.trade_kernels
    called = getattr(module, kernel)
    checked = []

    def stopping(space, parts, *rest):
        now = np.ones(1, dtype=np.bool_)
        (point, count, start), saved = called(space, parts, *rest[:-1], now)
        same = sorted(zip(point.tolist(), count.tolist(), strict=True))
        checked.append(same == sorted(zip(parts[0].tolist(), parts[1].tolist(), strict=True)))
        checked.append(len(start) == len(parts[2]) and not saved[:-1].any())
        return called(space, parts, *rest)

    monkeypatch.setattr(module, kernel, stopping)
    people = hospital(300, seed=2)
    incrowd.anonymize(people, policy_of(people, search="crowd"), seed=1)
    assert checked
    assert all(checked)


def test_a_search_that_takes_longer_than_its_limit_says_which_step_did(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(watching, "_clock", lambda: now[0])
    asked = policy_of(hospital(10, seed=1), time_limit=60)
    watch = Watch(60)
    watch.tell("ordering the rows", 0.0)
    now[0] = 60.9
    assert overtime_of(asked, watch) == ""
    now[0] = 72.0
    assert overtime_of(asked, watch) == (
        "the search took 72 s, longer than its time limit of 60 s: its last step (ordering the "
        "rows) cannot be interrupted"
    )
    assert overtime_of(asked.model_copy(update={"time_limit": None}), watch) == ""
