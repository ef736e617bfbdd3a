"""Tables at the edge of a promise: one column whose ratio is only just on the wrong side.

Some records have a value of their own, and all others share one. How a sample judges such a column
is then a matter of one number, how many of those drawn are alone (or how many pairs are told
apart), and the chance of each judgement is known exactly.
"""

import math

from scipy.stats import binom, binomtest, hypergeom

from incrowd.identify.records import Measure
from quasi_tables import records_of

SEEDS = 2000
DELTA = 0.01
"""The smaller, the more of a difference the size of a sample makes, measured in deltas."""


def ratio(n, alone, measure):
    """The ratio of the column, with so many of n records alone."""
    if measure is Measure.SEPARATION:
        return (math.comb(alone, 2) + alone * (n - alone)) / math.comb(n, 2)
    return (alone + (measure is Measure.DISTINCT)) / n


def first(n, fits):
    """The least number of records alone that fits, and the column."""
    alone = next(alone for alone in range(n - 1) if fits(alone))
    return alone, records_of([[0] * (n - alone) + list(range(1, alone + 1))])


def last(n, fits):
    """The largest number of records alone that fits, and the column."""
    alone = max(alone for alone in range(n - 1) if fits(alone))
    return alone, records_of([[0] * (n - alone) + list(range(1, alone + 1))])


def below(n, alone, measure, drawn, least):
    """The chance that the ratio among so many drawn is below this.

    The crowd is drawn more than once with near certainty, so it adds one value and no unique one.
    """
    fewest = math.ceil(least * drawn)
    if measure is Measure.SEPARATION:
        return binom.cdf(fewest - 1, drawn, ratio(n, alone, measure))
    return hypergeom.cdf(fewest - 1 - (measure is Measure.DISTINCT), n, alone, drawn)


def kept(broken, chance):
    """A promise was broken no more often than it may be, and as often as chance says."""
    assert broken <= DELTA * SEEDS
    assert chance <= DELTA
    assert binomtest(broken, SEEDS, chance).pvalue > 1e-4


def too_often(broken, chance):
    """A promise was broken so often that a test of it would fail, and as often as chance says."""
    assert binomtest(broken, SEEDS, DELTA, alternative="greater").pvalue < 1e-6
    assert binomtest(broken, SEEDS, chance).pvalue > 1e-4
