"""Columns that others tell: found where they are functions, and not where they only go together."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incrowd.identify import derived as module
from incrowd.identify.derived import agreement, find_derived
from incrowd.table.encode import encode
from naive import derived as naive


def coded(**columns):
    return [encode(pl.Series(name, values), name) for name, values in columns.items()]


def found(shown, hidden):
    return {
        (one.column, frozenset(one.known)) for one in find_derived(coded(**shown), coded(**hidden))
    }


def people(n, seed=0):
    rng = np.random.default_rng(seed)
    height = rng.normal(170, 10, n).round()
    weight = (rng.normal(70, 12, n) + (height - 170) / 2).round(1)
    birth = rng.integers(-20_000, 0, n).astype("datetime64[D]")
    place = rng.integers(0, 60, n)
    return {
        "height": height,
        "weight": weight,
        "birth": birth,
        "age": (np.datetime64("2024-01-01") - birth).astype(int) // 365,
        "bmi": (weight / (height / 100) ** 2).round(1),
        "zip": [f"{number:05}" for number in place],
        "city": [f"city {number // 4}" for number in place],
        "state": [f"state {number // 20}" for number in place],
        "bill": rng.lognormal(8, 1, n).round(2),
        "ill": rng.choice(["flu", "gout", "asthma"], n),
    }


def some(table, *names):
    return {name: table[name] for name in names}


@pytest.mark.parametrize("n", [150, 1_000, 5_000])
@pytest.mark.parametrize(
    ("shown", "hidden", "told", "known"),
    [
        (["bmi", "ill"], ["height", "weight", "zip"], "bmi", {"height", "weight"}),
        (["age", "ill"], ["birth", "zip"], "age", {"birth"}),
        (["birth", "ill"], ["age", "zip"], "age", {"birth"}),
        (["city", "bill"], ["zip", "age"], "city", {"zip"}),
        (["zip", "bill"], ["state", "age"], "state", {"zip"}),
        (["bmi", "weight"], ["height", "zip"], "height", {"bmi", "weight"}),
    ],
)
def test_functions_are_found_in_both_directions(n, shown, hidden, told, known):
    table = people(n)
    assert (told, frozenset(known)) in found(some(table, *shown), some(table, *hidden))


def test_a_little_noise_hides_no_function():
    table = people(2_000)
    noise = np.random.default_rng(1).normal(0, 0.2, 2_000)
    table["bmi"] = (table["bmi"] + noise).round(1)
    assert found(some(table, "bmi"), some(table, "height", "weight"))
    odd = np.random.default_rng(2).random(2_000) < 0.01
    table["city"] = np.where(odd, "elsewhere", table["city"])
    assert found(some(table, "city"), some(table, "zip"))


def test_a_total_is_told_by_its_parts():
    rng = np.random.default_rng(0)
    parts = {f"part {j}": rng.lognormal(3, 1, 800).round(1) for j in range(4)}
    others = {"age": rng.integers(20, 90, 800)}
    total = {"total": sum(parts.values()).round()}
    assert ("total", frozenset(parts)) in found(total, parts | others)


@pytest.mark.parametrize("constant", [7, 0.1])
def test_a_total_that_is_constant_where_all_parts_are_known_is_told_by_none(constant):
    rng = np.random.default_rng(0)
    table = {name: rng.permutation(150).astype(float) for name in "abd"}
    total = {"c": np.where(np.arange(150) < 20, np.arange(150.0), constant)}
    parts = table | {"a": np.where(np.arange(150) < 20, np.nan, table["a"])}
    assert not found(total, parts)
    assert not found(parts, total)


def test_numbers_that_do_not_vary_fit_nothing():
    varied, same = coded(varied=np.arange(120), same=np.full(120, 0.1))
    assert module.prediction_fit([varied], same, np.arange(120)) == 0
    assert module.prediction_fit([same], varied, np.arange(120)) == 0


def test_unique_records_tell_nothing():
    """Whatever is unique determines everything: that alone is no function."""
    rng = np.random.default_rng(0)
    hidden = {"a": rng.permutation(2_000), "b": rng.permutation(2_000)}
    assert not found({"x": rng.integers(0, 3, 2_000), "y": rng.normal(size=2_000)}, hidden)


def test_copies_of_records_tell_nothing():
    rng = np.random.default_rng(0)
    twice = np.concatenate([np.arange(2_000), np.arange(400)])
    hidden = {"a": rng.integers(0, 900, 2_000)[twice], "b": rng.integers(0, 900, 2_000)[twice]}
    assert not found({"x": rng.integers(0, 30, 2_000)[twice]}, hidden)


@pytest.mark.parametrize("strength", [0.3, 0.7, 0.9, 0.95])
def test_correlation_is_no_function(strength):
    rng = np.random.default_rng(0)
    age = rng.normal(50, 15, 3_000)
    noise = rng.normal(0, 15 * np.sqrt(1 / strength**2 - 1), 3_000)
    assert not found({"pressure": (age + noise).round()}, {"age": age.round()})
    sick = rng.random(3_000) < 0.2 + 0.6 * (age > 50)
    assert not found({"sick": sick.astype(int)}, {"age": age.round()})


@pytest.mark.slow
def test_false_alarms_are_rare():
    """No column is said to follow from others that it has nothing to do with."""
    alarms = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n = int(rng.choice([100, 200, 1_000]))
        sizes = [2, 5, 30, 300, 5_000]
        hidden = {f"q{j}": rng.integers(0, rng.choice(sizes), n) for j in range(4)}
        shown = {f"s{j}": rng.integers(0, rng.choice(sizes), n) for j in range(2)}
        shown |= {"rare": (rng.random(n) < 0.03).astype(int), "cost": rng.lognormal(8, 1, n)}
        alarms += bool(found(shown, hidden))
    assert alarms == 0


@given(
    group=st.lists(st.integers(0, 4), min_size=12, max_size=40),
    seed=st.integers(0, 99),
    noise=st.floats(0, 1),
)
def test_agreement_is_that_of_all_pairs(group, seed, noise):
    rng = np.random.default_rng(seed)
    told = np.where(rng.random(len(group)) < noise, rng.integers(0, 3, len(group)), group)
    codes = np.array(group, dtype=np.int32)
    evidence, module._EVIDENCE = module._EVIDENCE, 0.5
    try:
        mine = agreement(codes, told.astype(np.int32))
    finally:
        module._EVIDENCE = evidence
    if mine is not None:
        assert mine == pytest.approx(naive.agreement(group, told))


@given(n=st.integers(20, 60), size=st.integers(1, 2), seed=st.integers(0, 999))
def test_planes_go_through_neighbours(n, size, seed):
    rng = np.random.default_rng(seed)
    places, heights = rng.random((n, size)), rng.random(n)
    near = np.argsort(((places[:, None] - places[None]) ** 2).sum(axis=2), axis=1)[:, :9]
    mine = module._predict_heights(places, heights, near)
    slow = naive.predicted(places, heights, near)
    assert np.median(np.abs(mine - slow)) < 1e-3
    assert np.mean(np.abs(mine - slow) < 0.02) > 0.9  # the rest lie where a plane is hardly held
