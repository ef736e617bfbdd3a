"""Records of a text in a new order: the shuffle of `order`, of bytes instead of frames."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from incrowd.arrays import Counts
from incrowd.io.csv_rewrite import CsvRows, joined
from incrowd.io.scratch import ScratchFile

BYTES = 3 * 2**23
"""Bytes of records that are held at a time."""
_BITS = 64
_MOST_RANGES = 2**16
_PART = 2**14
"""Bytes of a range that should at least be put aside at a time."""

_Keyed: TypeAlias = tuple[CsvRows, np.ndarray]
"""Records and the number that each drew."""


def shuffled_text(
    parts: Iterable[CsvRows], size: int, seed: int | None, aside: ScratchFile
) -> Iterator[Any]:
    """Records in parts, at most so many bytes in all, as bytes: every order is equally likely.

    Records draw the same numbers as in `order.shuffled`, and leave in the same order. Only if they
    are too large to be held are they put aside on the disk, by ranges of their numbers.
    """
    rng = np.random.default_rng(None if seed is None else [seed, 2])
    ranges = min(_MOST_RANGES, 1 << (max(0, size - 1) // BYTES).bit_length())
    keyed = ((rows, rng.bit_generator.random_raw(len(rows))) for rows in parts)
    if ranges == 1:
        held = [_together(list(keyed))]
    for rows, drawn in held if ranges == 1 else _by_ranges(keyed, ranges, aside):
        yield rows.text_in(np.argsort(drawn))


def _by_ranges(keyed: Iterable[_Keyed], ranges: int, aside: ScratchFile) -> Iterator[_Keyed]:
    """The records of each range of numbers, one range after the other."""
    shift = np.uint64(_BITS - (ranges.bit_length() - 1))
    places = [
        _Place.of(rows, drawn, (drawn >> shift).astype(np.uint16), ranges, aside)
        for rows, drawn in _in_groups(keyed, min(BYTES, ranges * _PART))
    ]
    for number in range(ranges):
        yield _got([place.range(number) for place in places], aside)


def _in_groups(keyed: Iterable[_Keyed], least: int) -> Iterator[_Keyed]:
    """The records in parts of at least so many bytes."""
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
    """Where the records of one range are that were put aside together."""

    records: int
    size: int
    text: int
    sizes: int
    numbers: int


@dataclass(frozen=True, eq=False)
class _Place:
    """Where records are that were put aside together, those of one range after the other."""

    text: int
    sizes: int
    numbers: int
    firsts: Counts
    """The first record of each range, and the number of records."""
    starts: Counts
    """The first byte of each range, and the number of bytes."""

    @classmethod
    def of(
        cls, rows: CsvRows, drawn: np.ndarray, which: np.ndarray, ranges: int, aside: ScratchFile
    ) -> "_Place":
        order = np.argsort(which, kind="stable")
        firsts = np.append(0, np.cumsum(np.bincount(which, minlength=ranges)))
        sizes = np.diff(rows.ends, prepend=0)[order]
        starts = np.append(0, np.cumsum(sizes))[firsts]
        text, numbers = rows.text_in(order), drawn[order]
        return cls(aside.put(text), aside.put(sizes), aside.put(numbers), firsts, starts)

    def range(self, number: int) -> _Slice:
        """The part of one range."""
        first, after = self.firsts[number : number + 2].tolist()
        start, stop = self.starts[number : number + 2].tolist()
        more = (self.text + start, self.sizes + 8 * first, self.numbers + 8 * first)
        return _Slice(after - first, stop - start, *more)


def _got(slices: list[_Slice], aside: ScratchFile) -> _Keyed:
    """The records of one range, as they were put aside."""
    number = sum(part.records for part in slices)
    text: Any = np.empty(sum(part.size for part in slices), dtype=np.uint8)
    sizes, drawn = np.empty(number, dtype=np.int64), np.empty(number, dtype=np.uint64)
    record, byte = 0, 0
    for part in slices:
        after = record + part.records
        aside.fill(text[byte : byte + part.size], part.text)
        aside.fill(sizes[record:after], part.sizes)
        aside.fill(drawn[record:after], part.numbers)
        record, byte = after, byte + part.size
    return CsvRows(text, np.cumsum(sizes)), drawn
