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
from collections.abc import Callable, Sequence
from typing import TypeAlias

from incrowd.errors import PolicyError
from incrowd.identify.answers import Answer, Asked
from incrowd.identify.measures import best
from incrowd.identify.minimal import minimal_sets
from incrowd.identify.minimum import Minimum, greedy_key, separation_key_of
from incrowd.identify.outcome import Basis, Guarantee
from incrowd.identify.ratios import Measure
from incrowd.identify.records import Records
from incrowd.identify.sampling import Differences, distinct_tuples, pruning_ratio, separation_tuples
from incrowd.watch import Watch

_TINY = 1e-12
_NO_KEY = "the sample holds records that are equal in all columns: no set is a key of the table"

DrawnPairs: TypeAlias = Callable[[], Differences]
"""Draws pairs of records, when they are needed."""


def sampled_answer(
    sample: Records, total: int, asked: Asked, watch: Watch, pairs: DrawnPairs | None = None
) -> Answer:
    """What a uniform sample without replacement of `total` records tells of all of them.

    `pairs` draws pairs of records, for separation keys; they are the better witnesses of a smallest
    key, and the only ones where records are equal in all columns.
    """
    unlike = best(sample).classes == sample.total
    if asked.measure is Measure.SEPARATION and asked.ratio < 1:
        return _by_estimate(sample, asked, watch)
    if unlike:
        return _by_keys(sample, total, asked, watch, pairs)
    if pairs is not None:
        return _by_pairs(pairs(), total, asked, sample.names)
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
    sample: Records, total: int, asked: Asked, watch: Watch, pairs: DrawnPairs | None
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
    if pairs is not None and not (drawn := pairs()).equal:
        key = _key_of_pairs(drawn, asked, sample.names)
        minimum, promised = key.columns, key.guarantee
    promise = (
        f"with probability {1 - asked.delta:g}, each set has a {asked.measure} ratio of at least "
        f"{_down(1 - epsilon)}"
    )
    notes = _too_small(sample, total, asked, epsilon)
    parts = (found.sets, minimum, promised, guarantee, promise, partial, notes)
    return Answer(*parts, Basis.AT_LEAST, 1 - epsilon)


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
        f"{_down(max(0.0, asked.ratio - epsilon))}"
    )
    if asked.ratio + epsilon < 1:
        promise += f", and every set of {_up(asked.ratio + epsilon)} contains one of them"
    minimum = min(found.sets, key=len, default=None)
    notes: tuple[str, ...] = ()
    if asked.epsilon is not None and epsilon > asked.epsilon:
        notes = (_larger(sample.total, size_for(width, 0, asked, asked.epsilon)),)
    parts = (found.sets, minimum, guarantee, guarantee, promise, partial, notes)
    return Answer(*parts, Basis.AT_LEAST, max(0.0, asked.ratio - epsilon))


def _by_pairs(pairs: Differences, total: int, asked: Asked, names: Sequence[str]) -> Answer:
    """A set that tells apart all drawn pairs that can be told apart: the table has no key.

    A set that leaves together more than epsilon of all pairs, though all columns tell these apart,
    leaves together one of those drawn, for all 2^m sets at once (Motwani-Xu Theorem 5).
    """
    key = _key_of_pairs(pairs, asked, names)
    epsilon = key.guarantee.epsilon or 0.0
    guarantee = Guarantee(
        exact=False,
        epsilon=epsilon,
        delta=asked.delta,
        sample=pairs.total,
        searched=f"{pairs.total:,} pairs of {total:,} records, {pairs.equal:,} of them equal in "
        "all columns",
        not_searched="other sets of columns",
    )
    promise = (
        f"with probability {1 - asked.delta:g}, its separation ratio is at most {_up(epsilon)} "
        "below that of all columns together"
    )
    parts = (key.columns,), key.columns, guarantee, guarantee, promise, False, (_NO_KEY,)
    return Answer(*parts, Basis.RELATIVE)


def _by_border(sample: Records, asked: Asked, watch: Watch) -> Answer:
    """What no set that reaches the ratio can do without: the sample holds equal records."""
    ratio = asked.ratio if asked.ratio < 1 else 1 - (asked.epsilon or 0.0)
    if ratio == 1:
        certain = Guarantee(exact=True, searched="equal records of the sample")
        return Answer((), None, certain, certain, "no set of columns is a key", False, (_NO_KEY,))
    try:
        least = pruning_ratio(sample.width, ratio, sample.total, asked.delta)
    except PolicyError as error:
        nothing = Guarantee(
            exact=False, delta=asked.delta, sample=sample.total, not_searched="all sets"
        )
        parts = (), None, nothing, nothing, "nothing: the sample is too small", False
        return Answer(*parts, (_NO_KEY, f"{error.message}; {error.remedy}"), Basis.CANDIDATES)
    return _candidates(sample, asked, ratio, least, watch)


def _candidates(sample: Records, asked: Asked, ratio: float, least: float, watch: Watch) -> Answer:
    """The minimal sets that reach `least` in the sample: none of `ratio` does without them."""
    sets: tuple[tuple[int, ...], ...] = ()
    searched, missed, partial = "all columns together", "", False
    if best(sample).ratio(asked.measure) >= least:
        limit = asked.largest(sample.width)
        found = minimal_sets(sample, asked.measure, least, max_size=limit, watch=watch)
        sets, partial = found.sets, watch.expired and not found.complete
        searched, missed = found.guarantee.searched, found.guarantee.not_searched
    guarantee = Guarantee(
        exact=False,
        epsilon=None,
        delta=asked.delta,
        sample=sample.total,
        searched=f"{sample.total:,} records; {searched}",
        not_searched=_both("how far the sets reach in the table" if sets else "", missed),
    )
    which = f"a {asked.measure} ratio of {ratio:g} or more"
    contains = (
        f"every set with {which} contains one of these; they themselves may reach less"
        if sets
        else f"no set of columns has {which}"
    )
    promise = f"with probability {1 - asked.delta:g}, {contains}"
    minimum = min(sets, key=len, default=None)
    parts = sets, minimum, guarantee, guarantee, promise, partial, (_NO_KEY,)
    return Answer(*parts, Basis.CANDIDATES)


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


def _key_of_pairs(pairs: Differences, asked: Asked, names: Sequence[str]) -> Minimum:
    epsilon = 1 - math.exp(-_logarithm(pairs.width, asked.delta) / max(pairs.total, 1))
    return separation_key_of(pairs, names, epsilon, asked.delta)


def _down(share: float) -> str:
    """A ratio that is promised at least, never rounded up.

    >>> _down(0.9999997), _up(0.0000001)
    ('0.999999', '1e-06')
    """
    return f"{math.floor(share * 1e6) / 1e6:.6g}"


def _up(share: float) -> str:
    """What a ratio is off by at most, never rounded down."""
    return f"{math.ceil(share * 1e6) / 1e6:.6g}"


def _both(one: str, other: str) -> str:
    return "; ".join(text for text in (one, other) if text)


def _logarithm(width: int, delta: float) -> float:
    """ln(2^m / delta)."""
    return width * math.log(2) - math.log(delta)
