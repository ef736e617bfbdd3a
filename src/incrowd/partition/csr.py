"""Compressed rows: members of one owner after the other, and where each owner's begin and end."""

from collections.abc import Iterable, Iterator
from typing import TypeAlias

import numpy as np

from incrowd.arrays import Codes, Counts, Flags
from incrowd.errors import LimitError

Rows: TypeAlias = tuple[Counts, Codes]
"""Where the members of each owner begin, and the members."""

Members: TypeAlias = Rows | Iterable[Rows]
"""The members of owners, all at once, or in parts of owners one after another."""

_MOST = 2**27
"""Members that are held at once."""


def found_in(keys: Counts, wanted: Counts) -> tuple[Counts, Flags]:
    """The place of each wanted key among ascending ones, and whether it is there."""
    if not len(keys):
        return np.zeros(len(wanted), dtype=np.int64), np.zeros(len(wanted), dtype=np.bool_)
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return place, keys[place] == wanted


def bounds(owner: Counts, number: int) -> Counts:
    """Where the members of each owner begin and end; owners ascend."""
    return np.searchsorted(owner, np.arange(number + 1)).astype(np.int64)


def owners(start: Counts) -> Counts:
    """The owner of each member."""
    return np.repeat(np.arange(len(start) - 1), np.diff(start))


def spread(start: Counts, rows: Codes | Counts) -> tuple[Counts, Counts]:
    """The members of these rows one after the other, and the place of each one's row in `rows`."""
    lengths = start[rows + 1] - start[rows]
    total = int(lengths.sum())
    enough_room(total)
    place = np.repeat(np.arange(len(rows)), lengths)
    entry = np.arange(total) + np.repeat(start[rows] - (np.cumsum(lengths) - lengths), lengths)
    return entry, place


def parts(members: Members) -> Iterator[Rows]:
    """The members of owners part by part."""
    if isinstance(members, tuple):
        yield members
    else:
        yield from members


def joined(members: Members) -> Rows:
    """The members of owners all at once, if there is room for them."""
    lengths, all_of, total = [np.zeros(1, dtype=np.int64)], [np.zeros(0, dtype=np.int32)], 0
    for start, member in parts(members):
        total += len(member)
        enough_room(total)
        lengths.append(np.diff(start))
        all_of.append(member)
    return np.cumsum(np.concatenate(lengths)), np.concatenate(all_of)


def runs(low: Codes, high: Codes) -> Counts:
    """The numbers from each low to its high, one run after the other."""
    lengths = (high - low + 1).astype(np.int64)
    enough_room(int(lengths.sum()))
    first = np.repeat(low - (np.cumsum(lengths) - lengths), lengths)
    found: Counts = np.arange(len(first)) + first
    return found


def enough_room(members: int) -> None:
    """Refuse what would not fit: labels that overlap can fit very many people each."""
    if members > _MOST:
        raise LimitError(
            f"the released labels overlap too much: {members:,} pairs of labels and people",
            remedy="name fewer columns that the attacker knows",
        )
