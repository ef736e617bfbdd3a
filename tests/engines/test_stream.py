import math
import tracemalloc
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, chisquare

from incrowd.engines.stream import (
    DistinctRowSample,
    PairReservoir,
    RecordReservoir,
    draw,
    most_distinct_rows,
)
from incrowd.errors import InputError, PolicyError


def reservoir(batches, size, seed=None):
    return draw(batches, [RecordReservoir(size, seed)])[0]


def reservoir_pairs(batches, size, seed=None):
    return draw(batches, [PairReservoir(size, seed)])[0]


DRAWS = [reservoir, reservoir_pairs]


def numbered(n):
    return pl.DataFrame({"number": range(n), "word": [f"w{i % 7}" for i in range(n)]})


def cut(frame, sizes):
    """The frame in batches of these sizes, over and over, after an empty one."""
    yield frame[:0]
    start, turn = 0, 0
    while start < frame.height:
        yield frame[start : start + sizes[turn % len(sizes)]]
        start += sizes[turn % len(sizes)]
        turn += 1


@pytest.mark.parametrize("drawing", DRAWS)
@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(0, 300),
    size=st.integers(1, 40),
    sizes=st.lists(st.integers(1, 120), min_size=1, max_size=5),
    seed=st.integers(0, 2**40),
)
def test_batches_do_not_matter(drawing, n, size, sizes, seed):
    frame = numbered(n)
    whole = drawing([frame], size, seed)
    parts = drawing(cut(frame, sizes), size, seed)
    assert parts.frame.equals(whole.frame)
    assert parts.seen == whole.seen == n


@settings(max_examples=40, deadline=None)
@given(n=st.integers(0, 200), size=st.integers(1, 60), seed=st.integers(0, 2**40))
def test_records_are_drawn_once(n, size, seed):
    drawn = reservoir(cut(numbered(n), [17]), size, seed)
    numbers = drawn.frame["number"].to_list()
    assert len(numbers) == len(set(numbers)) == min(n, size)
    assert set(numbers) <= set(range(n))
    assert drawn.whole == (n <= size)


@settings(max_examples=40, deadline=None)
@given(n=st.integers(0, 50), size=st.integers(1, 60), seed=st.integers(0, 2**40))
def test_the_records_of_a_pair_differ(n, size, seed):
    drawn = reservoir_pairs(cut(numbered(n), [7]), size, seed).frame["number"].to_numpy()
    assert len(drawn) == (2 * size if n > 1 else 0)
    assert (drawn[::2] != drawn[1::2]).all()


def test_every_set_of_records_is_as_likely():
    frame, times = numbered(7), 2_100
    every = dict.fromkeys(combinations(range(7), 3), 0)
    for seed in range(times):
        drawn = RecordReservoir(3, seed)
        slots = np.zeros(3, dtype=np.int64)
        for start in range(0, 7, 2):
            records, places = drawn.draw(start, min(start + 2, 7))
            slots[places] = records
        every[tuple(sorted(slots.tolist()))] += 1
    assert sum(every.values()) == times
    assert chisquare(list(every.values())).pvalue > 1e-4
    assert reservoir([frame], 3, 5).frame.height == 3


def test_far_records_are_as_likely_as_near_ones():
    drawn = np.concatenate(
        [reservoir([numbered(5_000)], 50, seed).frame["number"].to_numpy() for seed in range(60)]
    )
    assert chisquare(np.bincount(drawn // 500, minlength=10)).pvalue > 1e-4


def test_every_pair_is_as_likely_and_on_its_own():
    pairs = reservoir_pairs(cut(numbered(6), [4]), 30_000, 11).frame["number"].to_numpy()
    low, high = np.minimum(pairs[::2], pairs[1::2]), np.maximum(pairs[::2], pairs[1::2])
    counts = np.bincount(low * 6 + high, minlength=36)
    found = [counts[a * 6 + b] for a, b in combinations(range(6), 2)]
    assert sum(found) == 30_000
    assert chisquare(found).pvalue > 1e-4
    kinds = low * 6 + high
    same = int((kinds[1:] == kinds[:-1]).sum())
    assert 1e-4 < binom.cdf(same, len(kinds) - 1, 1 / 15) < 1 - 1e-4


def test_pairs_of_a_long_table_are_spread():
    pairs = reservoir_pairs(cut(numbered(20_000), [997]), 4_000, 3).frame["number"].to_numpy()
    assert chisquare(np.bincount(pairs // 2_000, minlength=10)).pvalue > 1e-4
    assert abs(np.corrcoef(pairs[::2], pairs[1::2])[0, 1]) < 5 / math.sqrt(4_000)


def test_draws_are_few():
    """Algorithm L draws about k (1 + ln(n / b)) records in batches of b, not n."""
    plan, size, n = RecordReservoir(100, 1), 100, 10**7
    drawn = sum(len(plan.draw(start, start + 1_000)[0]) for start in range(0, n, 1_000))
    expected = size * (1 + math.log(n / 1_000))
    assert 0.8 * expected < drawn < 1.2 * expected


def test_seeds_differ_and_none_is_fresh():
    frame = numbered(1_000)
    one, other = (reservoir([frame], 50, seed).frame for seed in (1, 2))
    assert not one.equals(other)
    assert not reservoir([frame], 50).frame.equals(reservoir([frame], 50).frame)


def test_two_plans_in_one_pass():
    batches = cut(numbered(500), [60])
    both = draw(batches, [RecordReservoir(20, 4), PairReservoir(10, 4)])
    assert both[0].frame.equals(reservoir([numbered(500)], 20, 4).frame)
    assert both[1].frame.equals(reservoir_pairs([numbered(500)], 10, 4).frame)


def test_memory_is_that_of_the_sample():
    def stream():
        for start in range(0, 400_000, 2_000):
            yield pl.DataFrame({"number": range(start, start + 2_000)})

    plan = RecordReservoir(500, 1)
    tracemalloc.start()
    draw(stream(), [plan])
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 2_000_000


def test_batches_of_other_libraries():
    pandas = pytest.importorskip("pandas")
    arrow = pytest.importorskip("pyarrow")
    frame = numbered(90)
    wanted = reservoir([frame], 30, 9).frame
    for make in (lambda part: pandas.DataFrame(part.to_dict(as_series=False)), arrow.table):
        parts = [
            make(part if make is not arrow.table else part.to_dict(as_series=False))
            for part in cut(frame, [40])
        ]
        assert reservoir(parts, 30, 9).frame.equals(wanted)


def test_types_that_differ_between_batches():
    parts = [
        pl.DataFrame({"a": [1, 2], "b": [1, 2]}),
        pl.DataFrame({"b": ["x", None], "a": [2.0, 3.5]}),
    ]
    records = reservoir(parts, 10, 0).records()
    assert records.names == ("a", "b")
    assert [len(set(line.tolist())) for line in records.codes] == [3, 4]


def test_codes_of_a_text_sample_know_missing_values():
    frame = pl.DataFrame({"age": ["1", " ", None, "?", "2", "3"]})
    records = reservoir([frame], 10, 0).records(text=True)
    assert records.codes.tolist() == [[1, 0, 0, 0, 2, 3]]
    assert records.total == 6


def test_what_does_not_fit_is_refused():
    with pytest.raises(InputError, match="batch 2 lacks columns"):
        reservoir([pl.DataFrame({"a": [1]}), pl.DataFrame({"b": [1]})], 3)
    with pytest.raises(InputError, match="no batch"):
        reservoir([], 3)
    with pytest.raises(InputError, match="cannot read a batch"):
        reservoir([[1, 2]], 3)
    with pytest.raises(PolicyError, match="at least one"):
        RecordReservoir(0)
    with pytest.raises(PolicyError, match="at least one"):
        PairReservoir(0)
    with pytest.raises(PolicyError, match="seed"):
        RecordReservoir(1, -1)


def test_samples_show_no_values():
    assert repr(reservoir([numbered(9)], 3, 0)) == "StreamSample(3 of 9 records)"


def distinct(batches, size, seed):
    return draw(batches, [DistinctRowSample(size, seed)])[0]


@settings(max_examples=40, deadline=None)
@given(
    rows=st.lists(st.integers(0, 60), max_size=200),
    size=st.integers(1, 40),
    sizes=st.lists(st.integers(1, 50), min_size=1, max_size=4),
    seed=st.integers(0, 2**40),
)
def test_different_rows_are_drawn_whatever_their_order_number_and_batches(rows, size, sizes, seed):
    known = sorted(set(rows))
    once = distinct([numbered(61)[known]], size, seed)
    often = distinct(cut(numbered(61)[rows], sizes), size, seed)
    numbers = often.frame["number"].to_list()

    assert sorted(numbers) == sorted(once.frame["number"].to_list())
    assert len(set(numbers)) == len(numbers) == min(size, len(known))
    assert often.seen >= len(known)
    if len(known) < size:
        assert often.whole


@pytest.mark.slow
def test_rare_and_frequent_rows_are_as_likely_to_be_drawn():
    frame, times = numbered(20)[[0] * 500 + [1] * 50 + list(range(20))], 1_500
    drawn = np.zeros(20)
    for seed in range(times):
        drawn[distinct([frame], 4, seed).frame["number"].to_numpy()] += 1
    assert chisquare(drawn).pvalue > 0.001


def test_the_number_of_different_rows_is_bounded():
    rng = np.random.default_rng(2)
    for different in (2_000, 50_000):
        frame = numbered(different)
        batches = [frame, frame[rng.integers(0, different, 3 * different)]]
        drawn = distinct(batches, 1_000, 7)
        assert different <= drawn.seen < 1.5 * different
    assert most_distinct_rows(100, 2**64 - 1) > 100


def test_categories_are_compared_by_their_names():
    first = pl.DataFrame({"a": pl.Series(["x", "y"], dtype=pl.Categorical)})
    second = pl.DataFrame({"a": pl.Series(["y", "z"], dtype=pl.Categorical)})
    assert sorted(distinct([first, second], 9, 1).frame["a"].cast(pl.String)) == ["x", "y", "z"]


def test_a_sample_of_different_rows_has_one_at_least():
    with pytest.raises(PolicyError, match="at least one"):
        DistinctRowSample(0)
