"""The worked examples of Motwani and Xu: Table 1, Section 1.1 and Section 2.2."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.quasi
from incrowd.identify.labelled import RecordGroups
from incrowd.identify.measures import ratios
from incrowd.identify.minimum import exact_minimum, greedy_key
from incrowd.identify.records import Measure
from incrowd.identify.withholding import WithholdRequest, withhold
from quasi_tables import ABSENT, ADULT, adult, coded, records_of

TABLE_1 = coded(
    [
        ("20", "Female", "CA"),
        ("30", "Female", "CA"),
        ("40", "Female", "TX"),
        ("20", "Male", "NY"),
        ("40", "Male", "CA"),
    ],
    ("age", "sex", "state"),
)


def mask(records, measure, ratio, *, rng=None, **options):
    return withhold(records, WithholdRequest(ratio=ratio, measure=measure, **options), rng=rng)


def of(*names):
    return ratios(TABLE_1, TABLE_1.places(names))


def named(columns):
    return {TABLE_1.names[j] for j in columns}


@pytest.mark.parametrize(
    ("names", "distinct", "separation"),
    [(["age"], 0.6, 0.8), (["sex", "state"], 0.8, 0.9), (["age", "state"], 1.0, 1.0)],
)
def test_ratios_of_table_1(names, distinct, separation):
    assert of(*names).distinct_ratio == distinct
    assert of(*names).separation_ratio == separation


def test_pairs_of_table_1():
    # Section 2.2: age separates 8 pairs, sex 6, state 7.
    groups = RecordGroups.whole(TABLE_1)

    assert [groups.ratios_with(TABLE_1, column).apart for column in range(3)] == [8, 6, 7]


def test_minimum_keys_of_table_1():
    found = exact_minimum(TABLE_1)

    assert named(found.columns) in ({"age", "state"}, {"age", "sex"})
    assert len(greedy_key(TABLE_1).columns) == 2
    columns, counts = TABLE_1.codes.tolist(), [1] * 5
    assert naive.quasi.minimal(columns, counts, "distinct", 1.0) == [(0, 1), (0, 2)]


@pytest.mark.parametrize("method", ["greedy", "exact"])
def test_masking_of_table_1(method):
    distinct = mask(TABLE_1, Measure.DISTINCT, 0.8, method=method)
    separation = mask(TABLE_1, Measure.SEPARATION, 0.8, method=method)

    # The ratio of the first is 0.8 exactly: it may be published, as in the paper.
    assert named(distinct.published) == {"sex", "state"}
    assert distinct.ratios.distinct_ratio == 0.8
    assert len(separation.published) == 1


def test_a_set_of_ratio_exactly_beta_is_not_masked_by_a_sample():
    # Sampled algorithms stay strictly below a lower ratio, so here nothing but constants is left.
    table = records_of([list(range(2)) * 500, [1] * 1000])
    rng = np.random.default_rng(1)

    found = mask(table, Measure.SEPARATION, 0.5, method="sampled", sample=500, rng=rng)

    assert found.published == (1,)


def test_half_distinct_tables_of_a_hundred():
    pairs = records_of([[i // 2 for i in range(100)]])
    crowd = records_of([[*range(49), *[99] * 51]])

    assert ratios(pairs, [0]).distinct_ratio == ratios(crowd, [0]).distinct_ratio == 0.5
    assert ratios(pairs, [0]).apart == math.comb(100, 2) - 50
    assert ratios(pairs, [0]).separation_ratio == pytest.approx(0.99, abs=0.001)
    assert ratios(crowd, [0]).separation_ratio == pytest.approx(0.75, abs=0.01)


@given(st.lists(st.integers(1, 12), min_size=1, max_size=12))
def test_the_range_of_separation_for_a_distinct_ratio(sizes):
    column = [i for i, size in enumerate(sizes) for _ in range(size)]
    found = ratios(records_of([column]), [0])
    n = len(column)
    if n == 1:
        return
    alpha = Fraction(found.classes, n)
    separation = Fraction(found.apart, math.comb(n, 2))

    # The paper's 2 alpha - alpha^2 and 1 - 2 (1 - alpha) / n take n^2 / 2 for n (n - 1) / 2 pairs.
    crowd = n - found.classes + 1
    assert separation >= 1 - Fraction(math.comb(crowd, 2), math.comb(n, 2))
    assert separation <= 1 - 2 * (1 - alpha) / (n - 1)


@pytest.mark.parametrize("alpha", [Fraction(1, 2), Fraction(3, 4), Fraction(1, 4)])
def test_both_ends_of_that_range_are_reached(alpha):
    n = 1200
    classes = int(alpha * n)
    crowd = [*range(classes - 1), *[n] * (n - classes + 1)]
    even = [i % classes for i in range(n)]

    low, high = (ratios(records_of([one]), [0]).separation_ratio for one in (crowd, even))

    assert low == pytest.approx(float(2 * alpha - alpha**2), abs=2 / n)
    if alpha >= Fraction(1, 2):
        assert high == pytest.approx(float(1 - 2 * (1 - alpha) / n), abs=1e-5)


@pytest.mark.skipif(not ADULT.exists(), reason=ABSENT)
def test_table_2_and_3_adult():
    assert len(mask(adult(), Measure.DISTINCT, 0.5).published) == 12
    assert len(mask(adult(), Measure.SEPARATION, 0.8).published) == 5
