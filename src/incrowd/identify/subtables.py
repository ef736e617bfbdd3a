"""All minimal sets with the help of small samples (Motwani-Xu Section 3).

A key of the table is a key of each part of it (Section 3.1). A set with at least the ratio beta in
the table has, with high probability, at least alpha beta in a sample: of pairs for the separation
ratio (Lemma 9), of records for the distinct ratio (Lemma 10) and, as a unique record stays unique
in every part, for the share of unique records. The minimal sets that reach this in the sample are
the border from which the next larger sample, and in the end the table, is searched.
"""

from dataclasses import dataclass, replace

import numpy as np

from incrowd.identify.branch import CostBranch, Splitter
from incrowd.identify.found import Found
from incrowd.identify.levelwise import Good, Levelwise, Set
from incrowd.identify.question import Question
from incrowd.identify.ratios import Measure
from incrowd.identify.records import Records
from incrowd.identify.sampling import pruning_ratio, pruning_size, sampled_pairs, sampled_rows
from incrowd.identify.shortfall import budget
from incrowd.watch import Watch

_LEAST = 1000
_TIMES = 16
"""A sample is so many times as large as it must be: alpha is then 3/4."""
_STEP = 8
"""Each sample of a series is so many times as large as the one before."""


@dataclass(frozen=True)
class Samples:
    """Which samples a search goes through before the table."""

    sizes: tuple[int, ...]
    delta: float
    """The risk that any of them loses a set; all have an equal share of it."""


def samples_for(records: Records, question: Question) -> Samples:
    """The size asked for, one size that will do, or a series of growing ones.

    Sizes that are not asked for are below half the table: there may be none. One that is asked for
    and as large as the table is the table, which is then searched at once.
    """
    if question.sample is not None:
        whole = question.sample >= _all(records, question)
        return Samples(() if whole else (question.sample,), question.delta)
    first = _LEAST
    if not question.keys:
        first = max(first, _TIMES * pruning_size(records.width, question.ratio, question.delta))
    sizes = [first]
    while question.method == "iterative" and sizes[-1] * _STEP < records.total // 2:
        sizes.append(sizes[-1] * _STEP)
    return Samples(tuple(size for size in sizes if size < records.total // 2), question.delta)


def _all(records: Records, question: Question) -> int:
    """All that could be drawn: pairs of records, or records."""
    if question.measure is Measure.SEPARATION and not question.keys:
        return records.total * (records.total - 1) // 2
    return records.total


def border_of(
    records: Records, question: Question, samples: Samples, rng: np.random.Generator, watch: Watch
) -> list[Set]:
    """The sets from which to search the table, small ones first; single columns without samples.

    If the time is up while a sample is searched, the border is the last complete one.
    """
    border: list[Set] = [(column,) for column in range(records.width)]
    share = replace(question, delta=samples.delta / max(len(samples.sizes), 1))
    for size in samples.sizes:
        found = Found()
        good = _good_in_sample(records, share, size, rng)
        Levelwise(records.width, good, found, watch).run(border, records.width)
        if not found.complete:
            break
        border = list(found.sorted)
    return border


def _good_in(records: Records, measure: Measure, ratio: float) -> Good:
    """Whether a set reaches the ratio in these records."""
    return CostBranch(Splitter(records), budget(records, measure, ratio)).keeps


def _good_in_sample(
    records: Records, question: Question, size: int, rng: np.random.Generator
) -> Good:
    """Whether a set may reach the ratio in the table, by one sample."""
    measure = question.measure
    if question.keys:
        return _good_in(sampled_rows(records, size, rng), measure, 1.0)
    least = pruning_ratio(records.width, question.ratio, size, question.delta)
    if measure is Measure.SEPARATION:
        pairs = sampled_pairs(records, size, rng)
        return lambda columns: pairs.apart(columns) >= least * pairs.total
    return _good_in(sampled_rows(records, size, rng), measure, least)
