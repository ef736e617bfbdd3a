"""How many records or pairs to draw for a promise, and drawing them (Motwani-Xu Sections 2-4).

`PolicyError` unless epsilon and delta are between 0 and 1, and beta above 0 and at most 1. Only
`pruning_size`, `log_of_sets` and, for delta, `partial_epsilon` do not check.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Counts
from incrowd.errors import PolicyError
from incrowd.identify.records import Records
from incrowd.kernels.identify import difference_sets
from incrowd.table.fold import find_distinct

Words = NDArray[np.uint64]

_BITS = 64


def separation_pairs(columns: int, epsilon: float, delta: float) -> int:
    """How many pairs to draw for an (epsilon, delta)-separation key (Motwani-Xu Theorem 5).

    With log(2^m / delta) to the base 1 / (1 - epsilon) independent pairs, a set that leaves more
    than epsilon of all pairs together leaves together one of those drawn, for all 2^m sets at once,
    with probability 1 - delta.

    >>> separation_pairs(54, 0.001, 0.01)
    42015
    """
    check_shares(epsilon=epsilon, delta=delta)
    return math.ceil(log_of_sets(columns, delta) / -math.log1p(-epsilon))


def separation_tuples(columns: int, epsilon: float, delta: float) -> int:
    """How many records to draw, without repetition, for an (epsilon, delta)-separation key.

    The order m / sqrt(epsilon) is that of Hildebrant, Le, Ta and Vu (2022); the constant is our own
    (docs/decisions/0007): a set that leaves more than epsilon of all pairs together is a key of
    k drawn records with probability at most 2 (1 + z) exp(-z), z = k sqrt(epsilon). We take the
    least k that makes this at most delta / 2^m.

    >>> separation_tuples(54, 0.001, 0.01)
    1474
    """
    check_shares(epsilon=epsilon, delta=delta)
    aim = log_of_sets(columns, delta) + math.log(2)
    z = aim
    for _ in range(100):
        z = aim + math.log1p(z)
    return math.ceil(z * (1 + 1e-12) / math.sqrt(epsilon))


def distinct_tuples(columns: int, records: int, epsilon: float, delta: float) -> int:
    """How many records to draw, without repetition, for an (epsilon, delta)-distinct key.

    Lemma 6 ends with k^2 where its proof has k (k - 1): one more record than the paper's formula
    makes up for that.

    >>> distinct_tuples(14, 29096, 0.1, 0.01)
    2739
    """
    check_shares(epsilon=epsilon, delta=delta)
    odds = (1 - epsilon) / epsilon
    return math.ceil(math.sqrt(2 * odds * records * log_of_sets(columns, delta))) + 1


def partial_pairs(columns: int, beta: float, epsilon: float, delta: float) -> int:
    """How many pairs to draw for a minimum beta-separation quasi-identifier (Theorem 8)."""
    check_shares(epsilon=epsilon, delta=delta)
    check_ratio(beta)
    return math.ceil(16 / (beta * epsilon**2) * log_of_sets(columns, delta))


def partial_epsilon(columns: int, beta: float, pairs: int, delta: float) -> float:
    """The epsilon that so many pairs allow (Theorem 8); 1 or more if they promise nothing.

    >>> size = partial_pairs(14, 0.9, 0.1, 0.01)
    >>> partial_epsilon(14, 0.9, size, 0.01) <= 0.1 < partial_epsilon(14, 0.9, size - 1, 0.01)
    True
    """
    check_ratio(beta)
    return math.sqrt(16 * log_of_sets(columns, delta) / (beta * pairs)) if pairs else math.inf


def pruning_ratio(columns: int, beta: float, size: int, delta: float) -> float:
    """The ratio beta' that every beta-quasi-identifier reaches in a sample (Lemmas 9 and 10).

    This holds for all 2^m sets at once with probability 1 - delta, for pairs and the separation
    ratio as for records and the distinct ratio. Drawing without repetition does no harm: the tails
    of the hypergeometric distribution lie within the same limits (Hoeffding 1963), and no record is
    drawn twice, which is what the proof of Lemma 10 neglects. `PolicyError`, with the size that
    would do, if the sample allows no positive ratio.
    """
    check_shares(delta=delta)
    check_ratio(beta)
    least = pruning_size(columns, beta, delta)
    if size < least:
        raise PolicyError(
            f"a sample of {size:,} is too small for {columns} columns, a ratio of {beta:g} and "
            f"delta {delta:g}",
            remedy=f"draw at least {least:,}; several times as many give a better answer",
        )
    return (1 - math.sqrt(2 * log_of_sets(columns, delta) / (beta * size))) * beta


def pruning_size(columns: int, beta: float, delta: float) -> int:
    """The least sample for which `pruning_ratio` is positive."""
    return math.floor(2 * log_of_sets(columns, delta) / beta) + 1


def size_for_pruning_share(columns: int, beta: float, share: float, delta: float) -> int:
    """The least sample for which `pruning_ratio` is at least this share (below 1) of beta.

    >>> size = size_for_pruning_share(20, 0.5, 0.9, 0.01)
    >>> pruning_ratio(20, 0.5, size, 0.01) >= 0.45 > pruning_ratio(20, 0.5, size - 1, 0.01)
    True
    """
    size = math.ceil(2 * log_of_sets(columns, delta) / (beta * (1 - share) ** 2))
    while pruning_ratio(columns, beta, size, delta) < share * beta:
        size += 1
    return size


@dataclass(frozen=True, eq=False)
class Differences:
    """Pairs of records by the columns that tell them apart, equal ones counted together."""

    width: int
    words: Words
    """Bit j of a pair is set if column j tells its records apart: shape (words of 64 bits, n)."""
    counts: Counts
    """Pairs of each kind: shape (n,)."""

    @property
    def total(self) -> int:
        """Number of pairs."""
        return int(self.counts.sum())

    @property
    def equal(self) -> int:
        """How many pairs are of records that are equal in all columns."""
        return self.total - self.count_apart(range(self.width))

    def count_apart(self, columns: Sequence[int]) -> int:
        """How many pairs these columns tell apart."""
        mask = _mask(columns, len(self.words))
        return int(self.counts[(self.words & mask[:, np.newaxis]).any(axis=0)].sum())

    def gains(self, columns: Sequence[int]) -> Counts:
        """Per column of the table, the pairs that it tells apart and these columns do not."""
        mask = _mask(columns, len(self.words))
        together = np.logical_not((self.words & mask[:, np.newaxis]).any(axis=0))
        gains = np.zeros(self.width, dtype=np.int64)
        difference_sets.add_gains(self.words, self.counts, together, gains)
        return gains

    def __repr__(self) -> str:
        """Without values."""
        return f"Differences({self.width} columns, {self.total} pairs)"


def sample_rows(records: Records, size: int, rng: np.random.Generator) -> Records:
    """Draw so many records without repetition, each as a row of its own; all if there are fewer."""
    total = records.total
    if size >= total:
        rows = np.repeat(np.arange(records.rows), records.counts)
    else:
        rows = _rows_of_records(records, np.sort(rng.choice(total, size, replace=False)))
    codes = np.ascontiguousarray(records.codes[:, rows])
    return Records(records.names, codes, np.ones(len(rows), dtype=np.int64))


def sample_pairs(records: Records, size: int, rng: np.random.Generator) -> Differences:
    """Draw so many pairs of different records independently; none from fewer than two records."""
    total = records.total
    if total < 2:
        return differences(records, np.empty((2, 0), dtype=np.int64))
    first = rng.integers(total, size=size)
    second = rng.integers(total - 1, size=size)
    second += second >= first
    return differences(
        records, np.stack([_rows_of_records(records, first), _rows_of_records(records, second)])
    )


def differences(records: Records, rows: Counts) -> Differences:
    """The differences of pairs of rows: `rows[0]` are their first rows, `rows[1]` their second."""
    words = np.zeros((max(1, -(-records.width // _BITS)), rows.shape[1]), dtype=np.uint64)
    for j, column in enumerate(records.codes):
        bit = np.uint64(1 << (j % _BITS))
        difference_sets.mark_differing_pairs(column, rows[0], rows[1], bit, words[j // _BITS])
    kinds, counts = _distinct_words(words)
    return Differences(records.width, kinds, counts)


def differences_of(drawn: Records) -> Differences:
    """The differences of drawn records, each a row, in pairs: rows 2i and 2i + 1 are one pair."""
    return differences(drawn, np.arange(drawn.total).reshape(-1, 2).T.copy())


def count_rows_once(records: Records) -> Records:
    """The records with a count of 1 for every row: a folded table without its duplicates."""
    return Records(records.names, records.codes, np.ones(records.rows, dtype=np.int64))


def _distinct_words(words: Words) -> tuple[Words, Counts]:
    """The distinct columns of an array of words, and how often each occurs."""
    place = np.zeros(words.shape[1], dtype=np.int32)
    number = min(1, words.shape[1])
    for line in words:
        found, here = find_distinct(line, 2**_BITS)
        both = place.astype(np.uint64) * np.uint64(max(len(found), 1)) + here.astype(np.uint64)
        pairs, place = find_distinct(both, number * max(len(found), 1) + 1)
        number = len(pairs)
    kinds = np.zeros((len(words), number), dtype=np.uint64)
    kinds[:, place] = words
    return kinds, np.bincount(place, minlength=number).astype(np.int64)


def _mask(columns: Sequence[int], words: int) -> Words:
    """A set of columns as bits, in so many words of 64."""
    mask = [0] * words
    for j in columns:
        mask[j // _BITS] |= 1 << (j % _BITS)
    return np.array(mask, dtype=np.uint64)


def _rows_of_records(records: Records, places: Counts) -> Counts:
    """The row of each of these records: `places` number records from 0, row after row."""
    if records.rows == records.total:
        return places
    return np.searchsorted(np.cumsum(records.counts), places, side="right").astype(np.int64)


def log_of_sets(columns: int, delta: float) -> float:
    """The logarithm ln(2^m / delta) for m columns, which sample sizes are made of."""
    return columns * math.log(2) - math.log(delta)


def check_shares(**shares: float) -> None:
    """Refuse shares that are not between 0 and 1: `PolicyError`."""
    for name, share in shares.items():
        if not 0 < share < 1:
            raise PolicyError(f"{name} must be between 0 and 1, not {share:g}")


def check_ratio(ratio: float) -> None:
    """Refuse a ratio that is not above 0 and at most 1: `PolicyError`."""
    if not 0 < ratio <= 1:
        raise PolicyError(f"the ratio must be above 0 and at most 1, not {ratio:g}")
