"""Compressed rows (CSR): the members of one row after the other, and where each row begins.

Row i holds `member[start[i]:start[i + 1]]`: `start` has one entry more than there are rows, begins
with 0 and never falls. All of the package builds and reads such arrays with these functions.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from incrowd.arrays import Codes, Counts, Flags, Floats

Rows: TypeAlias = tuple[Counts, Codes]
"""Where each row begins, and the members."""

WeightedRows: TypeAlias = tuple[Counts, Codes, Floats]
"""Where each row begins, the members, and the weight of each member."""


def offsets(lengths: ArrayLike) -> Counts:
    """Where rows of these lengths begin, and the end of the last.

    >>> offsets([2, 0, 3]).tolist()
    [0, 2, 2, 5]
    """
    lengths = np.asarray(lengths)
    start = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=start[1:])
    return start


def offsets_of(owner: Codes | Counts, number: int) -> Counts:
    """Where each of `number` rows begins, given the row of each member, ascending.

    >>> offsets_of(np.array([0, 0, 2]), 3).tolist()
    [0, 2, 2, 3]
    """
    return np.searchsorted(owner, np.arange(number + 1)).astype(np.int64)


def group_by_owner(owner: Codes | Counts, number: int) -> tuple[Counts, Counts]:
    """Where each of `number` rows begins, and its members: positions in `owner`, ascending.

    >>> [part.tolist() for part in group_by_owner(np.array([2, 0, 2]), 3)]
    [[0, 1, 1, 3], [1, 0, 2]]
    """
    start = offsets(np.bincount(owner, minlength=number))
    return start, np.argsort(owner, kind="stable")


def owners(start: Counts) -> Counts:
    """The row of each member, given where rows begin.

    >>> owners(np.array([0, 2, 2, 3])).tolist()
    [0, 0, 2]
    """
    return np.repeat(np.arange(len(start) - 1), np.diff(start))


def entries(start: Counts, rows: Codes | Counts) -> tuple[Counts, Counts]:
    """The positions of all members of these rows, and for each the place of its row in `rows`.

    >>> [part.tolist() for part in entries(np.array([0, 2, 2, 3]), np.array([2, 0]))]
    [[2, 0, 1], [0, 1, 1]]
    """
    first = start[rows]
    lengths = start[rows + 1] - first
    before = np.cumsum(lengths) - lengths
    place = np.repeat(np.arange(len(rows)), lengths)
    return np.arange(len(place)) + np.repeat(first - before, lengths), place


def each_by_itself(number: int) -> Rows:
    """The compressed rows in which each of `number` rows has one member: itself."""
    every = np.arange(number + 1, dtype=np.int64)
    return every, every[:-1].astype(np.int32)


def ranges(low: Codes, high: Codes) -> Counts:
    """The whole numbers from each low to its high, both included, one range after the other.

    >>> ranges(np.array([3, 7]), np.array([5, 7])).tolist()
    [3, 4, 5, 7]
    """
    lengths = (high - low + 1).astype(np.int64)
    first = np.repeat(low - (np.cumsum(lengths) - lengths), lengths)
    return np.asarray(np.arange(len(first)) + first)


def find_keys(keys: Counts, wanted: Counts) -> tuple[Counts, Flags]:
    """The place of each wanted key among ascending ones (any if absent); flags of those present."""
    if not len(keys):
        return np.zeros(len(wanted), dtype=np.int64), np.zeros(len(wanted), dtype=np.bool_)
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return place, keys[place] == wanted
