"""The answer from a sample, with what it promises for all records.

The promises hold for all 2^m sets of m columns at once, with probability 1 - delta:

- A set that tells every record of the sample from every other one (a key of the sample) has a
  distinct ratio of 1 - epsilon in the table (Motwani-Xu Lemma 6 and errata), so a share of unique
  records of 1 - 2 epsilon (each value held by several records costs at least one distinct value
  for every two of them), and a separation ratio of 1 - epsilon with a far smaller epsilon.
- The separation ratio of any set in the sample is within epsilon of that in the table, with
  epsilon = sqrt(2 ln(2^(m+1) / delta) / k): replacing one of k records changes it by 2/k at most
  (McDiarmid's inequality, for samples without replacement: El-Yaniv and Pechyony 2009).
- A set with a distinct or unique ratio of beta has one of beta' in the sample (Lemma 10).
"""

import math

import numpy as np

from incrowd.discovery.answer import Answer, Asked
from incrowd.errors import PolicyError
from incrowd.quasi.guarantee import Guarantee
from incrowd.quasi.measures import best
from incrowd.quasi.minimal import minimal_sets
from incrowd.quasi.minimum import Minimum, greedy_key, separation_key_of
from incrowd.quasi.ratios import Measure
from incrowd.quasi.records import Records
from incrowd.quasi.sampling import (
    differences,
    distinct_tuples,
    pruning_ratio,
    separation_tuples,
)
from incrowd.watch import Watch

_TINY = 1e-12


def sampled_answer(
    sample: Records, total: int, asked: Asked, watch: Watch, pairs: Records | None = None
) -> Answer:
    """What a uniform sample without replacement of `total` records tells of all of them.

    `pairs` are pairs drawn beside it (rows 2i and 2i + 1), for the smallest separation key.
    """
    unlike = best(sample).classes == sample.total
    if asked.measure is Measure.SEPARATION and asked.ratio < 1:
        return _by_estimate(sample, asked, watch)
    if unlike:
        return _by_keys(sample, total, asked, watch, pairs)
    return _by_border(sample, asked, watch)


def size_for(width: int, total: int, asked: Asked, epsilon: float) -> int:
    """Records to draw for this epsilon."""
    match asked.measure:
        case Measure.SEPARATION if asked.ratio < 1:
            return math.ceil(2 * _logarithm(width + 1, asked.delta) / epsilon**2)
        case Measure.SEPARATION:
            return separation_tuples(width, epsilon, asked.delta)
        case Measure.DISTINCT:
            return distinct_tuples(width, total, epsilon, asked.delta)
        case Measure.UNIQUE:
            return distinct_tuples(width, total, epsilon / 2, asked.delta)


def _by_keys(
    sample: Records, total: int, asked: Asked, watch: Watch, pairs: Records | None
) -> Answer:
    """Keys of the sample, which are nearly keys of the table."""
    epsilon = _reached(sample, total, asked)
    greedy = greedy_key(sample)
    limit = asked.largest(sample.width)
    found = minimal_sets(sample, Measure.DISTINCT, 1.0, max_size=limit, watch=watch)
    partial = watch.expired and not found.complete
    guarantee = Guarantee(
        exact=False,
        epsilon=epsilon,
        delta=asked.delta,
        sample=sample.total,
        searched=f"{sample.total:,} of {total:,} records; {found.guarantee.searched}",
        not_searched=_both(
            "sets that reach the ratio without telling all records of the sample apart",
            found.guarantee.not_searched,
        ),
    )
    columns = min([*found.sets, greedy.columns], key=len)
    minimum, promised = columns, guarantee
    if pairs is not None and pairs.total:
        key = _key_of_pairs(pairs, asked)
        minimum, promised = key.columns, key.guarantee
    promise = (
        f"with probability {1 - asked.delta:g}, each set has a {asked.measure} ratio of at least "
        f"{1 - epsilon:.4g}"
    )
    notes = _too_small(sample, total, asked, epsilon)
    return Answer(found.sets, minimum, promised, guarantee, promise, partial, notes)


def _by_estimate(sample: Records, asked: Asked, watch: Watch) -> Answer:
    """Separation ratios, as the sample has them."""
    width = sample.width
    epsilon = min(1.0, math.sqrt(2 * _logarithm(width + 1, asked.delta) / sample.total))
    limit = asked.largest(width)
    found = minimal_sets(sample, asked.measure, asked.ratio, max_size=limit, watch=watch)
    partial = watch.expired and not found.complete
    guarantee = Guarantee(
        exact=False,
        epsilon=epsilon,
        delta=asked.delta,
        sample=sample.total,
        searched=f"{sample.total:,} records; {found.guarantee.searched}",
        not_searched=found.guarantee.not_searched,
    )
    promise = (
        f"with probability {1 - asked.delta:g}, each set has a separation ratio of at least "
        f"{max(0.0, asked.ratio - epsilon):.4g}"
    )
    if asked.ratio + epsilon < 1:
        promise += f", and every set of {asked.ratio + epsilon:.4g} contains one of them"
    minimum = min(found.sets, key=len, default=None)
    notes: tuple[str, ...] = ()
    if asked.epsilon is not None and epsilon > asked.epsilon:
        notes = (_larger(sample.total, size_for(width, 0, asked, asked.epsilon)),)
    return Answer(found.sets, minimum, guarantee, guarantee, promise, partial, notes)


def _by_border(sample: Records, asked: Asked, watch: Watch) -> Answer:
    """What no set that reaches the ratio can do without: the sample holds equal records."""
    note = "the sample holds records that are equal in all columns: no set is a key of the table"
    try:
        least = pruning_ratio(sample.width, asked.ratio, sample.total, asked.delta)
    except PolicyError as error:
        nothing = Guarantee(
            exact=False, delta=asked.delta, sample=sample.total, not_searched="all sets"
        )
        promise = "nothing: the sample is too small"
        notes = (note, f"{error.message}; {error.remedy}")
        return Answer((), None, nothing, nothing, promise, False, notes)
    limit = asked.largest(sample.width)
    found = minimal_sets(sample, asked.measure, least, max_size=limit, watch=watch)
    guarantee = Guarantee(
        exact=False,
        epsilon=None,
        delta=asked.delta,
        sample=sample.total,
        searched=f"{sample.total:,} records; {found.guarantee.searched}",
        not_searched=_both("how far the sets reach in the table", found.guarantee.not_searched),
    )
    promise = (
        f"with probability {1 - asked.delta:g}, every set with a {asked.measure} ratio of "
        f"{asked.ratio:g} or more contains one of these; they themselves may reach less"
    )
    minimum = min(found.sets, key=len, default=None)
    partial = watch.expired and not found.complete
    return Answer(found.sets, minimum, guarantee, guarantee, promise, partial, (note,))


def _reached(sample: Records, total: int, asked: Asked) -> float:
    """The epsilon that keys of this sample keep."""
    width, size = sample.width, sample.total
    if asked.measure is Measure.SEPARATION:
        z = separation_tuples(width, _TINY, asked.delta) * math.sqrt(_TINY)
        return min(1.0, (z / size) ** 2)
    odds = (size - 1) ** 2 / (2 * total * _logarithm(width, asked.delta))
    epsilon = 1 / (1 + odds)
    return min(1.0, 2 * epsilon) if asked.measure is Measure.UNIQUE else epsilon


def _too_small(sample: Records, total: int, asked: Asked, epsilon: float) -> tuple[str, ...]:
    """What would be needed for the ratio, or the epsilon, that was asked for."""
    wanted = asked.epsilon
    if wanted is None and asked.ratio < 1:
        wanted = 1 - asked.ratio
    if wanted is None or epsilon <= wanted * (1 + 1e-9):
        return ()
    return (_larger(sample.total, size_for(sample.width, total, asked, wanted)),)


def _larger(size: int, needed: int) -> str:
    return (
        f"a sample of {size:,} records is too small to promise what was asked for; "
        f"{needed:,} would do"
    )


def _key_of_pairs(pairs: Records, asked: Asked) -> Minimum:
    rows = np.arange(pairs.total).reshape(-1, 2).T.copy()
    epsilon = 1 - math.exp(-_logarithm(pairs.width, asked.delta) / rows.shape[1])
    return separation_key_of(differences(pairs, rows), pairs.names, epsilon, asked.delta)


def _both(one: str, other: str) -> str:
    return "; ".join(text for text in (one, other) if text)


def _logarithm(width: int, delta: float) -> float:
    """ln(2^m / delta)."""
    return width * math.log(2) - math.log(delta)
