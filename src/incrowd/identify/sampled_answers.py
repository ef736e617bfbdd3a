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

Of drawn pairs a small set is made besides: one that tells nearly all pairs apart (Theorem 5), or
(1 - epsilon) beta of them (Theorem 8).
"""

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

from incrowd.errors import InfeasibleError, PolicyError
from incrowd.identify.answers import DiscoverOptions, SetAnswer
from incrowd.identify.measures import ratios_of_all
from incrowd.identify.minimal import MinimalSets, minimal_sets
from incrowd.identify.minimum import (
    Minimum,
    greedy_key,
    partial_separation_of,
    round_down,
    separation_key_of,
)
from incrowd.identify.outcome import Basis, Guarantee
from incrowd.identify.records import Measure, Records
from incrowd.identify.sampling import (
    Differences,
    distinct_tuples,
    log_of_sets,
    partial_epsilon,
    pruning_ratio,
    separation_tuples,
)
from incrowd.watch import Watch

_TINY = 1e-12
_NO_KEY = "records of the sample are equal in all columns, so no set is a key of the table"

DrawnPairs: TypeAlias = Callable[[], Differences]
"""Draws pairs of records, when they are needed."""


def sampled_answer(
    sample: Records,
    total: int,
    options: DiscoverOptions,
    watch: Watch,
    pairs: DrawnPairs | None = None,
) -> SetAnswer:
    """Answer for a table of `total` records from a uniform sample without replacement.

    `pairs` draws pairs of records, for the separation ratio (None for other measures, or without
    pairs); they are the better witnesses of a smallest set, and the only ones of a key where
    records are equal in all columns.
    """
    unlike = ratios_of_all(sample).classes == sample.total
    if options.measure is Measure.SEPARATION and options.least_ratio < 1:
        return _answer_by_estimate(sample, options, watch, pairs)
    if unlike:
        return _answer_by_keys(sample, total, options, watch, pairs)
    if pairs is not None:
        return _answer_by_pairs(pairs(), total, options, sample.names)
    return _answer_by_border(sample, options, watch)


def size_for(width: int, total: int, options: DiscoverOptions, epsilon: float) -> int:
    """How many records to draw so that ratios are off by at most epsilon, in a table of `total`."""
    match options.measure:
        case Measure.SEPARATION if options.least_ratio < 1:
            return math.ceil(2 * log_of_sets(width + 1, options.delta) / epsilon**2)
        case Measure.SEPARATION:
            return separation_tuples(width, epsilon, options.delta)
        case Measure.DISTINCT:
            return distinct_tuples(width, total, epsilon, options.delta)
        case Measure.UNIQUE:
            return distinct_tuples(width, total, epsilon / 2, options.delta)


def _answer_by_keys(
    sample: Records, total: int, options: DiscoverOptions, watch: Watch, pairs: DrawnPairs | None
) -> SetAnswer:
    """Answer with the keys of the sample, which are nearly keys of the table."""
    epsilon = _sample_epsilon(sample, total, options)
    greedy = greedy_key(sample)
    limit = options.largest_size(sample.width)
    keys = minimal_sets(sample, Measure.DISTINCT, 1.0, max_size=limit, watch=watch)
    partial = watch.expired and not keys.complete
    searched = f"{sample.total:,} of {total:,} records; {keys.guarantee.searched}"
    left = "sets that reach the ratio without telling all records of the sample apart"
    left = _join_texts(left, keys.guarantee.not_searched)
    guarantee = Guarantee.of_sample(sample.total, options.delta, searched, left, epsilon)
    minimum, promised = min([*keys.sets, greedy.columns], key=len), guarantee
    if pairs is not None and not (drawn := pairs()).equal:
        key = _key_of_pairs(drawn, options, sample.names)
        minimum, promised = key.columns, key.guarantee
    promise = (
        f"with probability {1 - options.delta:g}, each set has a {options.measure} ratio of at "
        f"least {round_down(1 - epsilon)}"
    )
    notes = _small_sample_notes(sample, total, options, epsilon)
    parts = (keys.sets, minimum, promised, guarantee, promise, partial, notes)
    return SetAnswer(*parts, Basis.AT_LEAST, 1 - epsilon)


def _answer_by_estimate(
    sample: Records, options: DiscoverOptions, watch: Watch, pairs: DrawnPairs | None
) -> SetAnswer:
    """Answer with sets whose separation ratio in the sample reaches the one asked for."""
    width = sample.width
    epsilon = min(1.0, math.sqrt(2 * log_of_sets(width + 1, options.delta) / sample.total))
    minimal = _sets_reaching_ratio(sample, options, options.least_ratio, watch)
    partial = watch.expired and not minimal.complete
    searched = f"{sample.total:,} records; {minimal.guarantee.searched}"
    left = minimal.guarantee.not_searched
    guarantee = Guarantee.of_sample(sample.total, options.delta, searched, left, epsilon)
    promise = _estimate_promise(minimal, options, epsilon)
    minimum, promised = min(minimal.sets, key=len, default=None), guarantee
    by_pairs = None if pairs is None else _partial_separation(pairs(), options, sample.names)
    if by_pairs is not None and (minimum is None or len(by_pairs.columns) <= len(minimum)):
        minimum, promised = by_pairs.columns, by_pairs.guarantee
    notes: tuple[str, ...] = ()
    if options.epsilon is not None and epsilon > options.epsilon:
        notes = (_larger_sample_note(sample.total, size_for(width, 0, options, options.epsilon)),)
    parts = (minimal.sets, minimum, promised, guarantee, promise, partial, notes)
    return SetAnswer(*parts, Basis.AT_LEAST, max(0.0, options.least_ratio - epsilon))


def _estimate_promise(minimal: MinimalSets, options: DiscoverOptions, epsilon: float) -> str:
    """What is promised, in words, if ratios of a sample are off by at most epsilon."""
    sure, above = f"with probability {1 - options.delta:g}", options.least_ratio + epsilon
    if not minimal.sets and minimal.complete:
        if above > 1:
            return "nothing: the sample is too small"
        return f"{sure}, no set of columns has a separation ratio above {_round_up(above)}"
    least = round_down(max(0.0, options.least_ratio - epsilon))
    promise = f"{sure}, each set has a separation ratio of at least {least}"
    return (
        promise
        if above >= 1
        else f"{promise}, and every set of {_round_up(above)} contains one of them"
    )


def _sets_reaching_ratio(
    sample: Records, options: DiscoverOptions, ratio: float, watch: Watch
) -> MinimalSets:
    """Find the minimal sets that reach the ratio in the sample; none if all columns do not."""
    if ratios_of_all(sample).ratio(options.measure) < ratio:
        return MinimalSets((), True, Guarantee(exact=True, searched="all columns together"))
    limit = options.largest_size(sample.width)
    return minimal_sets(sample, options.measure, ratio, max_size=limit, watch=watch)


def _partial_separation(
    pairs: Differences, options: DiscoverOptions, names: Sequence[str]
) -> Minimum | None:
    """Find a set as in Theorem 8; None if pairs are too few, or no set separates enough of them."""
    beta, delta = options.least_ratio, options.delta
    epsilon = partial_epsilon(pairs.width, beta, pairs.total, delta)
    if epsilon >= 1:
        return None
    try:
        return partial_separation_of(pairs, names, beta, epsilon, delta)
    except InfeasibleError:
        return None


def _answer_by_pairs(
    pairs: Differences, total: int, options: DiscoverOptions, names: Sequence[str]
) -> SetAnswer:
    """Answer with a set that tells apart all drawn pairs that can be told apart; there is no key.

    A set that leaves together more than epsilon of all pairs, though all columns tell these apart,
    leaves together one of those drawn, for all 2^m sets at once (Motwani-Xu Theorem 5).
    """
    key = _key_of_pairs(pairs, options, names)
    epsilon = key.guarantee.epsilon or 0.0
    equal = f"{pairs.equal:,} of them equal in all columns"
    searched = f"{pairs.total:,} pairs of {total:,} records, {equal}"
    guarantee = Guarantee.of_sample(
        pairs.total, options.delta, searched, "other sets of columns", epsilon
    )
    promise = (
        f"with probability {1 - options.delta:g}, its separation ratio is at most "
        f"{_round_up(epsilon)} below that of all columns together"
    )
    parts = (key.columns,), key.columns, guarantee, guarantee, promise, False, (_NO_KEY,)
    return SetAnswer(*parts, Basis.RELATIVE)


def _answer_by_border(sample: Records, options: DiscoverOptions, watch: Watch) -> SetAnswer:
    """Answer by a sample with equal records: sets one of which every set with the ratio contains.

    No sets if the ratio is 1 without an epsilon (no set is a key), or if the sample is too small.
    """
    ratio = options.least_ratio if options.least_ratio < 1 else 1 - (options.epsilon or 0.0)
    if ratio == 1:
        certain = Guarantee(exact=True, searched="equal records of the sample")
        return SetAnswer(
            (), None, certain, certain, "no set of columns is a key", False, (_NO_KEY,)
        )
    try:
        least = pruning_ratio(sample.width, ratio, sample.total, options.delta)
    except PolicyError as error:
        nothing = Guarantee.of_sample(sample.total, options.delta, "", "all sets")
        parts = (), None, nothing, nothing, "nothing: the sample is too small", False
        return SetAnswer(*parts, (_NO_KEY, f"{error.message}; {error.remedy}"), Basis.CANDIDATES)
    return _candidate_answer(sample, options, ratio, least, watch)


def _candidate_answer(
    sample: Records, options: DiscoverOptions, ratio: float, least: float, watch: Watch
) -> SetAnswer:
    """Answer with minimal sets for `least` in the sample: a set of `ratio` in all contains one."""
    minimal = _sets_reaching_ratio(sample, options, least, watch)
    sets, partial = minimal.sets, watch.expired and not minimal.complete
    searched = f"{sample.total:,} records; {minimal.guarantee.searched}"
    left = "which ratio the sets reach in the table" if sets else ""
    left = _join_texts(left, minimal.guarantee.not_searched)
    guarantee = Guarantee.of_sample(sample.total, options.delta, searched, left)
    which = f"a {options.measure} ratio of {ratio:g} or more"
    contains = (
        f"every set with {which} contains one of these, which may reach less themselves"
        if sets
        else f"no set of columns has {which}"
    )
    promise = f"with probability {1 - options.delta:g}, {contains}"
    minimum = min(sets, key=len, default=None)
    parts = sets, minimum, guarantee, guarantee, promise, partial, (_NO_KEY,)
    return SetAnswer(*parts, Basis.CANDIDATES)


def _sample_epsilon(sample: Records, total: int, options: DiscoverOptions) -> float:
    """The most a key of this sample lacks to a ratio of 1 in the table, with chance 1 - delta."""
    width, size = sample.width, sample.total
    if options.measure is Measure.SEPARATION:
        z = separation_tuples(width, _TINY, options.delta) * math.sqrt(_TINY)
        return min(1.0, (z / size) ** 2)
    odds = (size - 1) ** 2 / (2 * total * log_of_sets(width, options.delta))
    epsilon = 1 / (1 + odds)
    return min(1.0, 2 * epsilon) if options.measure is Measure.UNIQUE else epsilon


def _small_sample_notes(
    sample: Records, total: int, options: DiscoverOptions, epsilon: float
) -> tuple[str, ...]:
    """A note of how many records would be enough for what was asked; none if these are."""
    wanted = options.epsilon
    if wanted is None and options.least_ratio < 1:
        wanted = 1 - options.least_ratio
    if wanted is None or epsilon <= wanted * (1 + 1e-9):
        return ()
    return (_larger_sample_note(sample.total, size_for(sample.width, total, options, wanted)),)


def _larger_sample_note(size: int, needed: int) -> str:
    """The note that a sample of this size was too small, and how many records are enough."""
    return f"a sample of {size:,} records is too small for this promise; {needed:,} are enough"


def _key_of_pairs(pairs: Differences, options: DiscoverOptions, names: Sequence[str]) -> Minimum:
    """A small set that separates the drawn pairs, with the epsilon that so many pairs promise."""
    epsilon = 1 - math.exp(-log_of_sets(pairs.width, options.delta) / max(pairs.total, 1))
    return separation_key_of(pairs, names, epsilon, options.delta)


def _round_up(share: float) -> str:
    """An upper bound of a share as text, never rounded down.

    >>> _round_up(0.0000001)
    '1e-06'
    """
    return f"{math.ceil(share * 1e6) / 1e6:.6g}"


def _join_texts(one: str, other: str) -> str:
    """Join two texts by a semicolon; an empty one is left out."""
    return "; ".join(text for text in (one, other) if text)
