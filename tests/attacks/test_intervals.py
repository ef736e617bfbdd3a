"""Confidence intervals of rates: by definition, by coverage and at the ends."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

import naive.attacks as naive
from incrowd.attacks.background import background
from incrowd.attacks.disclosure import AttributeDisclosure, SensitiveTarget
from incrowd.attacks.homogeneity import homogeneity
from incrowd.attacks.inference import inference
from incrowd.attacks.linkage import RowCandidates, linkage
from incrowd.attacks.rates import (
    Moments,
    clopper_pearson_interval,
    clustered_interval,
    wilson_interval,
)
from incrowd.linkage.attack_data import AttackData, SharedColumn
from incrowd.linkage.decoding import LabelDecoding
from incrowd.linkage.fit import Fit


@given(st.integers(1, 500), st.data())
def test_clopper_pearson_is_where_the_tails_are_small(trials, data):
    hits = data.draw(st.integers(0, trials))
    low, high = clopper_pearson_interval(hits, trials)
    assert 0 <= low <= hits / trials <= high <= 1
    if hits:
        assert binom.sf(hits - 1, trials, low) == pytest.approx(0.025, abs=1e-9)
    if hits < trials:
        assert binom.cdf(hits, trials, high) == pytest.approx(0.025, abs=1e-9)


@given(st.integers(1, 500), st.floats(0.001, 0.999))
def test_wilson_solves_its_equation(trials, share):
    """The ends are the rates from which the share is 1.96 standard deviations away."""
    for end in wilson_interval(share * trials, trials):
        if 0 < end < 1:
            away = abs(share - end) / np.sqrt(end * (1 - end) / trials)
            assert away == pytest.approx(1.959964, abs=1e-4)


def test_both_cover_the_rate_about_as_often_as_they_say():
    for rate in (0.05, 0.3, 0.9):
        hits = np.arange(41)
        likely = binom.pmf(hits, 40, rate)
        for interval, least in ((clopper_pearson_interval, 0.95), (wilson_interval, 0.9)):
            ends = np.array([interval(int(hit), 40) for hit in hits])
            inside = (ends[:, 0] <= rate) & (rate <= ends[:, 1])
            assert likely[inside].sum() >= least


def test_nothing_tried_nothing_known():
    assert wilson_interval(0, 0) == clopper_pearson_interval(0, 0) == (0.0, 1.0)
    assert wilson_interval(5, 5)[1] == clopper_pearson_interval(5, 5)[1] == 1.0
    assert wilson_interval(0, 5)[0] == clopper_pearson_interval(0, 5)[0] == 0.0


CLASSES = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=8).filter(
    lambda classes: any(people for people, _ in classes)
)


@given(CLASSES, CLASSES)
def test_sums_over_classes_give_the_variance_of_a_ratio(classes, more):
    """Of one part or of two; if everybody is a class, of people one by one."""
    lines = [np.array(line, dtype=float) for line in zip(*classes, *more, strict=True)]
    people, hits = lines[0], np.minimum(*lines)
    found = Moments.of(hits, people)
    assert found.spread == pytest.approx(naive.ratio_spread(hits, people), abs=1e-9)
    cut = len(classes)
    parts = Moments.of(hits[:cut], people[:cut]) + Moments.of(hits[cut:], people[cut:])
    assert parts.spread == pytest.approx(found.spread, abs=1e-9)
    each = [y / n for y, n in zip(hits, people, strict=True) for _ in range(int(n))]
    alone = found.split_by_person(hits, people)
    assert alone.spread == pytest.approx(naive.ratio_spread(each, [1] * len(each)), abs=1e-9)
    assert alone.spread_by_groups(3).spread == pytest.approx(3 * alone.spread, abs=1e-9)


@given(CLASSES, st.floats(1, 5))
def test_an_interval_over_classes_has_its_rate_inside(classes, together):
    people, hits = (np.array(line, dtype=float) for line in zip(*classes, strict=True))
    found = Moments.of(np.minimum(hits, people), people)
    low, high = clustered_interval(found, together)
    assert 0 <= low <= found.hits / found.people + 1e-12
    assert found.hits / found.people - 1e-12 <= high <= 1


def test_classes_of_one_are_people():
    """Then the interval is about Wilson's, and wider the larger the classes are."""
    hits = np.array([1.0] * 30 + [0.0] * 70)
    widths = []
    for size in (1, 4, 20):
        low, high = clustered_interval(Moments.of(hits * size, np.full(100, size)))
        widths.append(high - low)
        assert (low, high) == pytest.approx(wilson_interval(30, 100), abs=0.01)
    many = clustered_interval(Moments.of(np.array([20.0] * 15 + [0] * 35), np.full(50, 20)))
    assert many[1] - many[0] > widths[0]
    assert clustered_interval(Moments.of(np.zeros(0), np.zeros(0))) == (0.0, 1.0)


PEOPLE = 20_000


def population(seed):
    """People of sixty ages and thirty places, with an illness that follows the age a little."""
    rng = np.random.default_rng(seed)
    age, place = rng.integers(0, 60, PEOPLE), rng.integers(0, 30, PEOPLE)
    old, flu = rng.random(PEOPLE) < age / 80, rng.random(PEOPLE) < 0.75
    rare = np.where(old, 3, rng.integers(1, 3, PEOPLE))
    return np.array([age, place, np.where(flu, 0, rare)], dtype=np.int32)


def cells(table):
    """The first and last values that rows show: cells of a grid that is the same for all tables."""
    width = np.array([10, 5])[:, None]
    low = table[:2] // width * width
    return low, low + width - 1


def neighbours(table):
    """The same of classes of six neighbours that every table makes anew: their labels overlap."""
    strip = np.empty(table.shape[1], dtype=int)
    strip[np.argsort(table[0], kind="stable")] = np.arange(table.shape[1]) // 48
    order = np.lexsort((table[1], strip))
    low, high = (np.empty((2, table.shape[1]), dtype=np.int32) for _ in range(2))
    for rows in np.array_split(order, len(order) // 6):
        low[:, rows] = table[:2, rows].min(axis=1, keepdims=True)
        high[:, rows] = table[:2, rows].max(axis=1, keepdims=True)
    return low, high


def column(name, low, high, people):
    """A released column of spans beside the values of people."""
    spans, label = np.unique(np.stack([low, high]), axis=1, return_inverse=True)
    start = np.arange(spans.shape[1] + 1, dtype=np.int64)
    stands = LabelDecoding(start, *(end.astype(np.int32) for end in spans), 60)
    return SharedColumn(name, label.ravel().astype(np.int32), people, stands)


def attacks(table, recoding, everybody):
    """Attacks on a recoding of a table by people who know it, and by a list of everybody."""
    low, high = recoding(table)
    values = np.arange(4, dtype=np.int32)
    known, listed = (
        [column(f"q{j}", low[j], high[j], people[j]).merged for j in range(2)]
        for people in (table, everybody)
    )
    secret = SharedColumn("ill", table[2], table[2], LabelDecoding(np.arange(5), values, values, 4))
    fit = Fit.of_all(AttackData.of(known, [secret]))
    held = AttributeDisclosure.of(fit, SensitiveTarget.all_of(fit.data)[0])
    yield from (inference(held), homogeneity(held), background(held, 1))
    world = Fit.of_all(AttackData.of(listed))
    number = world.people_of_each[world.data.shown.row_of]
    class_of = world.data.shown.row_of
    fixed = all(one.decoding.has_disjoint_labels for one in listed)
    yield linkage(
        RowCandidates(("q0", "q1"), number, PEOPLE, class_of=class_of, listed=1.0, fixed=fixed)
    )


@pytest.mark.slow
@pytest.mark.parametrize("recoding", [cells, neighbours])
def test_95_percent_of_intervals_hold_the_rate_of_further_samples(recoding):
    """200 tables drawn of one population: the mean of their rates lies in 95 % of the intervals.

    At least 91 % of 200 draws do if that is so (4 times in 5,000 not), and no interval is on the
    average twice as wide as the rates are spread.
    """
    everybody, rng = population(3), np.random.default_rng(9)
    seen = {}
    for _ in range(200):
        table = everybody[:, rng.choice(PEOPLE, 300, replace=False)]
        for one in attacks(table, recoding, everybody):
            seen.setdefault(one.kind, []).append((one.success, *one.interval))
    for kind, rates in seen.items():
        rate, low, high = np.array(rates).T
        held = np.mean((low <= rate.mean()) & (rate.mean() <= high))
        assert held >= 0.91, kind
        assert np.mean(high - low) / 2 <= 2 * 1.96 * rate.std(), kind
