"""Every figure of a comparison equals what pandas and SciPy say of the written-out records."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd import compare
from naive import utility as naive

NUMBERS = st.integers(0, 12)
WORDS = st.sampled_from("abcde")


@st.composite
def number_labels(draw, known):
    """A label of numbers, and the known values that it stands for."""
    kind = draw(st.sampled_from(["exact", "span", "dash", "open", "top"]))
    low, high = sorted((draw(st.sampled_from(known)), draw(st.sampled_from(known))))
    match kind:
        case "exact":
            return str(low), {low}
        case "span":
            return f"[{low}, {high}]", {v for v in known if low <= v <= high}
        case "dash":
            return f"{low}-{high}", {v for v in known if low <= v <= high}
        case "open":
            return f">= {low}", {v for v in known if v >= low}
        case _:
            return "*", set(known)


@st.composite
def word_labels(draw, known):
    some = draw(st.lists(st.sampled_from(known), min_size=1, max_size=3, unique=True))
    kind = draw(st.sampled_from(["exact", "set", "top"]))
    if kind == "exact" or len(some) == 1:
        return some[0], {some[0]}
    return ("*", set(known)) if kind == "top" else (f"{{{', '.join(sorted(some))}}}", set(some))


@st.composite
def tables(draw):
    """Two columns of numbers and two of words, and a release of other length with labels."""
    n = draw(st.integers(4, 9))
    original = {
        "x": draw(st.lists(NUMBERS, min_size=n, max_size=n)),
        "y": draw(st.lists(NUMBERS, min_size=n, max_size=n)),
        "u": draw(st.lists(WORDS, min_size=n, max_size=n)),
        "v": draw(st.lists(st.one_of(WORDS, st.none()), min_size=n, max_size=n)),
    }
    if all(value is None for value in original["v"]):
        original["v"][0] = "a"
    m = draw(st.integers(2, 8))
    shown, sets = {}, {}
    for name, values in original.items():
        known = sorted({value for value in values if value is not None})
        labels = number_labels(known) if name in "xy" else word_labels(known)
        drawn = draw(st.lists(labels, min_size=m, max_size=m))
        shown[name], sets[name] = [text for text, _ in drawn], [one for _, one in drawn]
    return original, shown, sets


def frames(original, shown):
    return pl.DataFrame(original), pl.DataFrame(shown, schema=dict.fromkeys(shown, pl.String))


def spreads(original, sets):
    """By column: the records of both tables, with the chance of each value."""
    found = {}
    for name, values in original.items():
        weights = naive.widths([v for v in values if v is not None], ordered=name in "xy")
        own = [None if v is None else {v} for v in values]
        found[name] = naive.spread(own, weights), naive.spread(sets[name], weights)
    return found


def close(one, other):
    if one is None or other is None:
        return one is None and other is None
    return math.isclose(one, other, rel_tol=1e-7, abs_tol=1e-7)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(tables())
def test_columns_equal_the_written_out_records(drawn):
    original, shown, sets = drawn
    release = compare(*frames(original, shown), models=False).releases[0]
    both = spreads(original, sets)
    for column in release.columns:
        before, after = (naive.long(side) for side in both[column.name])
        counted = [naive.counts(frame, ["c0"]) for frame in (before, after)]
        assert close(column.total_variation, naive.total_variation(*counted))
        if column.kind == "number":
            values = original[column.name]
            whole = max(values) - min(values)
            expected = naive.earth_mover(before, after, whole) if whole else 0.0
            assert close(column.earth_mover, expected)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(tables())
def test_pairs_equal_the_written_out_records(drawn):
    original, shown, sets = drawn
    release = compare(*frames(original, shown), models=False).releases[0]
    both = spreads(original, sets)
    variations = []
    for pair in release.pairs:
        a, b = pair.columns
        for side, figure in enumerate((pair.before, pair.after)):
            assert close(figure, naive_association(both, a, b, side)), pair
        tables = [naive.counts(naive.long(both[a][s], both[b][s]), ["c0", "c1"]) for s in (0, 1)]
        variations.append(naive.total_variation(*tables))
    assert close(release.two_way, float(np.mean(variations)))


def naive_association(both, a, b, side):
    numbers = (a in "xy") + (b in "xy")
    first, second = (b, a) if numbers == 1 and a in "xy" else (a, b)
    frame = naive.long(both[first][side], both[second][side])
    frame = frame[(frame["c0"] != "missing") & (frame["c1"] != "missing")]
    if not len(frame):
        return None
    measures = {0: naive.cramers_v, 1: naive.correlation_ratio, 2: naive.correlation}
    return measures[numbers](frame)


@settings(max_examples=30, deadline=None)
@given(tables())
def test_divergence_equals_the_written_out_records(drawn):
    original, shown, sets = drawn
    table, release = frames(original, shown)
    names = ["x", "y", "u"]
    found = compare(table, release, quasi=["x", "y"], sensitive="u", models=False).releases[0]
    both = spreads(original, sets)
    before, after = (
        naive.counts(naive.long(*(both[n][s] for n in names)), ["c0", "c1", "c2"]) for s in (0, 1)
    )
    p, q = naive.divergence(before, after)
    # The cube has a cell for missing values in each column, which nobody is in here.
    cells = math.prod(len(set(original[n])) + 1 for n in names)
    q = (q + 0.5 / cells) / (len(original["x"]) + 0.5)
    held = p > 0
    expected = float((p[held] * np.log(p[held] / q[held])).sum())
    assert close(found.queries.kl, max(expected, 0.0))


@settings(max_examples=40, deadline=None)
@given(tables())
def test_noise_equals_the_written_out_records(drawn):
    original, shown, sets = drawn
    release = compare(*frames(original, shown), models=False).releases[0]
    both = spreads(original, sets)
    scale = len(original["x"]) / len(shown["x"])
    for column in release.columns:
        true, estimate = (naive.counts(naive.long(side), ["c0"]) for side in both[column.name])
        chances = naive.long(both[column.name][1])
        chances = chances.assign(w=chances["w"] * (1 - chances["w"]))
        variance = naive.counts(chances, ["c0"]).reindex(true.index, fill_value=0.0)
        estimate = estimate.reindex(true.index, fill_value=0.0)
        off = (true - scale * estimate).abs()
        within = off <= np.maximum(2 * scale * np.sqrt(variance.clip(lower=0)), 0.5) + 1e-9
        assert close(column.within_noise, float(within.mean())), column.name


def test_many_numbers_are_counted_in_cells_of_equally_many_records():
    rng = np.random.default_rng(4)
    before, after = rng.normal(size=3_000), rng.normal(0.2, 1, size=2_000)
    found = compare(pl.DataFrame({"x": before}), pl.DataFrame({"x": after}), models=False)
    ranks = np.argsort(np.argsort(before))
    cell = ((ranks + 0.5) / len(before) * 100).astype(int)
    place = np.abs(after[:, None] - before[None, :]).argmin(axis=1)
    expected = (
        np.abs(
            np.bincount(cell, minlength=100) / 3_000
            - np.bincount(cell[place], minlength=100) / 2_000
        ).sum()
        / 2
    )
    assert found.releases[0].columns[0].total_variation == pytest.approx(expected, abs=1e-9)
