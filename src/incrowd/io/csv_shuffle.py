"""Records of a text in a new order: the shuffle of `verbs.order`, of bytes instead of frames."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from incrowd.arrays import Counts
from incrowd.io.csv_rewrite import CsvRows, joined
from incrowd.io.scratch import ScratchFile

BYTES = 3 * 2**23
"""Bytes of records that are kept in memory at a time."""
_BITS = 64
_MOST_RANGES = 2**16
_PART = 2**14
"""Bytes of a range that are stored at a time, at least."""

_Keyed: TypeAlias = tuple[CsvRows, np.ndarray]
"""Records, and the random number of each: shape (records,)."""


def shuffled_text(
    parts: Iterable[CsvRows], size: int, seed: int | None, scratch: ScratchFile
) -> Iterator[Any]:
    """The bytes of all records in a random order; `size` is the most bytes that they have in all.

    Records draw the same numbers as in `order.shuffled`, and leave in the same order. They are
    stored on disk, by ranges of their numbers, only if they do not fit into memory.
    """
    rng = np.random.default_rng(None if seed is None else [seed, 2])
    ranges = min(_MOST_RANGES, 1 << (max(0, size - 1) // BYTES).bit_length())
    keyed = ((rows, rng.bit_generator.random_raw(len(rows))) for rows in parts)
    if ranges == 1:
        held = [_together(list(keyed))]
    for rows, drawn in held if ranges == 1 else _by_ranges(keyed, ranges, scratch):
        yield rows.text_in(np.argsort(drawn))


def _by_ranges(keyed: Iterable[_Keyed], ranges: int, scratch: ScratchFile) -> Iterator[_Keyed]:
    """The records of each range of numbers, range by range."""
    shift = np.uint64(_BITS - (ranges.bit_length() - 1))
    places = [
        _Place.of(rows, drawn, (drawn >> shift).astype(np.uint16), ranges, scratch)
        for rows, drawn in _in_groups(keyed, min(BYTES, ranges * _PART))
    ]
    for number in range(ranges):
        yield _got([place.range(number) for place in places], scratch)


def _in_groups(keyed: Iterable[_Keyed], least: int) -> Iterator[_Keyed]:
    """The records in parts of at least `least` bytes."""
    held: list[_Keyed] = []
    for one in keyed:
        held.append(one)
        if sum(len(rows.text) for rows, _ in held) >= least:
            yield _together(held)
            held.clear()
    if held:
        yield _together(held)


def _together(held: list[_Keyed]) -> _Keyed:
    return joined([rows for rows, _ in held]), np.concatenate([drawn for _, drawn in held])


@dataclass(frozen=True, eq=False)
class _Slice:
    """Where the records of one range are in the scratch file, of those stored together."""

    records: int
    size: int
    text: int
    sizes: int
    numbers: int


@dataclass(frozen=True, eq=False)
class _Place:
    """Where records are in the scratch file that were stored together, range by range."""

    text: int
    sizes: int
    numbers: int
    firsts: Counts
    """The first record of each range, then the number of records: shape (ranges + 1,)."""
    starts: Counts
    """The first byte of each range, then the number of bytes: shape (ranges + 1,)."""

    @classmethod
    def of(
        cls, rows: CsvRows, drawn: np.ndarray, which: np.ndarray, ranges: int, scratch: ScratchFile
    ) -> "_Place":
        order = np.argsort(which, kind="stable")
        firsts = np.append(0, np.cumsum(np.bincount(which, minlength=ranges)))
        sizes = np.diff(rows.ends, prepend=0)[order]
        starts = np.append(0, np.cumsum(sizes))[firsts]
        text, numbers = rows.text_in(order), drawn[order]
        return cls(scratch.put(text), scratch.put(sizes), scratch.put(numbers), firsts, starts)

    def range(self, number: int) -> _Slice:
        """The part of one range."""
        first, after = self.firsts[number : number + 2].tolist()
        start, stop = self.starts[number : number + 2].tolist()
        more = (self.text + start, self.sizes + 8 * first, self.numbers + 8 * first)
        return _Slice(after - first, stop - start, *more)


def _got(slices: list[_Slice], scratch: ScratchFile) -> _Keyed:
    """The records of one range, read from the scratch file."""
    number = sum(part.records for part in slices)
    text: Any = np.empty(sum(part.size for part in slices), dtype=np.uint8)
    sizes, drawn = np.empty(number, dtype=np.int64), np.empty(number, dtype=np.uint64)
    record, byte = 0, 0
    for part in slices:
        after = record + part.records
        scratch.fill(text[byte : byte + part.size], part.text)
        scratch.fill(sizes[record:after], part.sizes)
        scratch.fill(drawn[record:after], part.numbers)
        record, byte = after, byte + part.size
    return CsvRows(text, np.cumsum(sizes)), drawn
