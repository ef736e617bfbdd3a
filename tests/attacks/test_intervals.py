"""Confidence intervals of rates: by definition, by coverage and at the ends."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from incrowd.attacks.intervals import clopper_pearson, wilson


@given(st.integers(1, 500), st.data())
def test_clopper_pearson_is_where_the_tails_are_small(trials, data):
    hits = data.draw(st.integers(0, trials))
    low, high = clopper_pearson(hits, trials)
    assert 0 <= low <= hits / trials <= high <= 1
    if hits:
        assert binom.sf(hits - 1, trials, low) == pytest.approx(0.025, abs=1e-9)
    if hits < trials:
        assert binom.cdf(hits, trials, high) == pytest.approx(0.025, abs=1e-9)


@given(st.integers(1, 500), st.floats(0.001, 0.999))
def test_wilson_solves_its_equation(trials, share):
    """The ends are the rates from which the share is 1.96 standard deviations away."""
    for end in wilson(share * trials, trials):
        if 0 < end < 1:
            away = abs(share - end) / np.sqrt(end * (1 - end) / trials)
            assert away == pytest.approx(1.959964, abs=1e-4)


def test_both_cover_the_rate_about_as_often_as_they_say():
    for rate in (0.05, 0.3, 0.9):
        hits = np.arange(41)
        likely = binom.pmf(hits, 40, rate)
        for interval, least in ((clopper_pearson, 0.95), (wilson, 0.9)):
            ends = np.array([interval(int(hit), 40) for hit in hits])
            inside = (ends[:, 0] <= rate) & (rate <= ends[:, 1])
            assert likely[inside].sum() >= least


def test_nothing_tried_nothing_known():
    assert wilson(0, 0) == clopper_pearson(0, 0) == (0.0, 1.0)
    assert wilson(5, 5)[1] == clopper_pearson(5, 5)[1] == 1.0
    assert wilson(0, 5)[0] == clopper_pearson(0, 5)[0] == 0.0
