"""Compressed rows: entries of one owner after the other, and where each owner's begin and end."""

import numpy as np

from incrowd.arrays import Codes, Counts, Flags, Floats
from incrowd.errors import LimitError
from incrowd.table.fold import Keys, distinct

_MOST = 2**27
"""Entries that are held at once."""


def keys_of(owner: Codes | Counts, code: Codes | Counts, domain: int) -> Keys:
    """Owner times domain plus code: a number of its own for each pair."""
    return (owner.astype(np.int64) * domain + code).astype(np.uint64)


def found_in(keys: Counts, wanted: Counts) -> tuple[Counts, Flags]:
    """The place of each wanted key among ascending ones, and whether it is there."""
    if not len(keys):
        return np.zeros(len(wanted), dtype=np.int64), np.zeros(len(wanted), dtype=np.bool_)
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return place, keys[place] == wanted


def bounds(owner: Counts, number: int) -> Counts:
    """Where the entries of each owner begin and end; owners ascend."""
    return np.searchsorted(owner, np.arange(number + 1)).astype(np.int64)


def spread(start: Counts, rows: Codes | Counts) -> tuple[Counts, Counts]:
    """The entries of these rows one after the other, and the place of each one's row in `rows`."""
    lengths = start[rows + 1] - start[rows]
    total = int(lengths.sum())
    enough_room(total)
    place = np.repeat(np.arange(len(rows)), lengths)
    entry = np.arange(total) + np.repeat(start[rows] - (np.cumsum(lengths) - lengths), lengths)
    return entry, place


def sums(place: Codes, values: Counts, number: int) -> Counts:
    """The sum of the values at each place."""
    found = np.zeros(number, dtype=np.int64)
    np.add.at(found, place, values)
    return found


def grouped(keys: Keys, weights: Floats, domain: int, number: int) -> tuple[Counts, Codes, Floats]:
    """The weights of equal pairs of owner and code (see `keys_of`) summed: start, code, weight."""
    found, where = distinct(keys, max(number, 1) * domain)
    pairs = found.astype(np.int64)
    total: Floats = np.zeros(len(found), dtype=np.float64)
    np.add.at(total, where, weights)
    return bounds(pairs // domain, number), (pairs % domain).astype(np.int32), total


def enough_room(entries: int) -> None:
    """Refuse what would not fit: labels that overlap can fit very many people each."""
    if entries > _MOST:
        raise LimitError(
            f"the released labels overlap too much: {entries:,} pairs of labels and people",
            remedy="name fewer columns that the attacker knows",
        )
