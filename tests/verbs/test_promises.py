"""What sampled answers promise holds as often as they say, also where records repeat."""

import numpy as np
import polars as pl
import pytest
from rich.console import Console
from scipy.stats import binom

from incrowd.documents.identify import discovery_text
from incrowd.engines.recount import count_ratios
from incrowd.verbs.discover import discover
from incrowd.verbs.quantiles import quantiles

SEEDS = 60


def said(found):
    console = Console(width=10_000, file=None, record=True, quiet=False)
    with console.capture() as out:
        console.print(discovery_text(found))
    return out.get()


def repeated():
    """500 rows that come 100 times each, and 3,000 that come once and share their `a` by fives."""
    often = pl.DataFrame({"a": np.repeat(np.arange(500), 100), "b": np.repeat(np.arange(500), 100)})
    once = pl.DataFrame({"a": 1_000 + np.arange(3_000) // 5, "b": 1_000 + np.arange(3_000) % 5})
    return pl.concat([often, once])


def broken(frame, true, **options):
    """In how many seeds a set has less than its answer promises; in how many any set was found."""
    times, found = 0, 0
    for seed in range(SEEDS):
        answer = discover(iter([frame]), seed=seed, **options)
        found += bool(answer.sets)
        assert answer.reaches is not None
        times += any(true(one.columns) < answer.reaches for one in answer.sets)
    return times, found


@pytest.mark.slow
def test_promises_without_duplicates_are_about_the_different_rows_of_a_stream():
    frame = repeated().sample(fraction=1, shuffle=True, seed=1)
    different = frame.unique()

    def true(columns):
        return count_ratios(different.select(columns)).separation_ratio

    options = {"measure": "separation", "ratio": 1.0, "sample": 700, "drop_duplicates": True}
    times, found = broken(frame, true, **options)
    assert found == SEEDS
    assert times <= binom.ppf(0.999, SEEDS, 0.01)


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["distinct", "unique", "separation"])
def test_promises_about_streams_hold(measure):
    rng = np.random.default_rng(5)
    frame = pl.DataFrame({"a": np.arange(30_000) // 3, "b": rng.integers(0, 9, 30_000)})
    frame = frame.with_columns(c=pl.int_range(pl.len()) % 3).sample(
        fraction=1, shuffle=True, seed=2
    )

    def true(columns):
        return getattr(count_ratios(frame.select(columns)), f"{measure}_ratio")

    times, found = broken(frame, true, measure=measure, ratio=1.0, sample=800)
    assert found == SEEDS
    assert times <= binom.ppf(0.999, SEEDS, 0.01)


@pytest.mark.slow
def test_keys_of_tables_with_equal_records_are_as_near_as_said():
    rng = np.random.default_rng(6)
    codes = {
        name: rng.integers(0, size, 5_000) for name, size in zip("abcd", (90, 2, 3, 4), strict=True)
    }
    frame = pl.DataFrame(codes)
    best = count_ratios(frame).separation_ratio
    times = 0
    for seed in range(SEEDS):
        answer = discover(frame, measure="separation", epsilon=0.005, seed=seed)
        assert (answer.basis, answer.reaches, answer.found) == ("relative", None, 1)
        assert answer.guarantee.epsilon <= 0.005
        reached = count_ratios(frame.select(answer.sets[0].columns)).separation_ratio
        times += reached < best - answer.guarantee.epsilon
    assert times <= binom.ppf(0.999, SEEDS, 0.01)


def test_a_headline_says_no_more_than_was_shown():
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({"age": rng.integers(0, 90, 4_000), "sex": rng.integers(0, 2, 4_000)})
    for data in (frame, iter([frame])):
        answer = discover(data, measure="separation", ratio=1.0, sample=500, seed=1)
        assert answer.basis == "relative"
        text = said(answer)
        assert "ratio of 1 or more" not in text
        assert "below that of all columns together" in text
        assert "No set is a key" in text


def test_no_key_is_certain_where_records_are_equal():
    frame = pl.DataFrame({"a": [1, 2] * 400, "b": [1, 1, 2, 2] * 200})
    answer = discover(frame, ratio=1.0, sample=100, seed=1)
    assert (answer.found, answer.promise) == (0, "no set of columns is a key")
    assert answer.guarantee.exact


def test_no_set_reaches_what_the_sample_rules_out():
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({"age": rng.integers(0, 90, 20_000), "sex": rng.integers(0, 2, 20_000)})
    answer = discover(frame, epsilon=0.1, seed=1)
    assert (answer.found, answer.basis, answer.minimum) == (0, "candidates", None)
    assert "no set of columns has a distinct ratio of 0.9" in said(answer)


def test_candidates_are_called_candidates():
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({"age": rng.integers(0, 90, 20_000), "sex": rng.integers(0, 2, 20_000)})
    answer = discover(frame, ratio=0.004, sample=9_000, seed=1)
    assert answer.basis == "candidates"
    text = said(answer)
    assert "None is shown to reach a distinct ratio of 0.004" in text
    assert "Smallest candidate: age" in text


def test_what_was_not_searched_is_not_called_smallest():
    frame = pl.DataFrame({"a": range(3_000), "b": range(3_000)})
    answer = discover(frame, sample=1_000, ratio=0.9, seed=1)
    assert answer.basis == "at least"
    assert "Smallest found: a" in said(answer)
    assert "Smallest: a" in said(discover(frame))


def test_a_promise_is_never_rounded_up():
    frame = pl.DataFrame({"a": range(60_000)})
    answer = discover(frame, measure="separation", ratio=1.0, sample=50_000, seed=1)
    assert 0.9999 < answer.reaches < 1
    assert "ratio of at least 1" not in answer.promise
    assert "at least 1 in the table" not in said(answer)


def test_without_duplicates_a_stream_counts_its_different_rows():
    frame = repeated()
    answer = discover(iter([frame]), sample=1_000, drop_duplicates=True, seed=3)
    assert answer.bounded
    assert 3_500 <= answer.records < 5_000
    assert "at most" in said(answer)
    whole = discover(iter([frame]), sample=4_000, drop_duplicates=True, seed=3)
    assert (whole.bounded, whole.records, whole.sampled) == (False, 3_500, False)


@pytest.mark.slow
def test_cuts_of_a_stream_are_off_no_more_than_said():
    rng = np.random.default_rng(8)
    values = pl.Series(np.round(rng.lognormal(0, 2, 20_000) * 1_000), dtype=pl.Int64)
    frame = pl.DataFrame({"income": values.set(pl.Series(rng.random(20_000) < 0.3), None)})
    known = np.sort(frame["income"].drop_nulls().to_numpy())
    one, every, delta = 0, 0, 0.1
    for seed in range(SEEDS):
        options = {"columns": ["income"], "buckets": 10, "epsilon": 0.03, "delta": delta}
        found = quantiles(iter([frame]), show="range", seed=seed, **options)
        starts = found.frame["income"].drop_nulls().unique().to_list()
        cuts = sorted(float(label[1:].split(",")[0]) for label in starts)[1:]
        below = np.searchsorted(known, cuts) / len(frame)
        wanted = np.arange(1, 10) / 10 * len(known) / len(frame)
        assert len(cuts) == 9
        off = np.abs(below - wanted)
        one += off[4] > found.promise.epsilon
        every += off.max() > found.promise.simultaneous
    assert one <= binom.ppf(0.999, SEEDS, delta)
    assert every <= binom.ppf(0.999, SEEDS, delta)
