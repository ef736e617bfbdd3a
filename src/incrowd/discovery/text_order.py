"""Records of a text in a new order: the shuffle of `order`, of bytes instead of frames."""

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from incrowd.io.rewrite import Rows, joined
from incrowd.io.spool import Spool

BYTES = 2**25
"""Bytes of records that are held at a time."""
_BITS = 64

_Keyed: TypeAlias = tuple[Rows, np.ndarray]
"""Records and the number that each drew."""


def shuffled_text(
    parts: Iterable[Rows], size: int, seed: int | None, aside: Spool
) -> Iterator[Any]:
    """Records in parts, about so many bytes in all, as bytes: every order is equally likely.

    Records draw the same numbers as in `order.shuffled`, and leave in the same order. Only if they
    are too large to be held are they put aside on the disk, by ranges of their numbers.
    """
    rng = np.random.default_rng(None if seed is None else [seed, 2])
    ranges = 1 << (max(0, size - 1) // BYTES).bit_length()
    keyed = ((rows, rng.bit_generator.random_raw(len(rows))) for rows in parts)
    for held in [list(keyed)] if ranges == 1 else _by_ranges(keyed, ranges, aside):
        if held:
            drawn = np.concatenate([numbers for _, numbers in held])
            yield joined([rows for rows, _ in held]).text_in(np.argsort(drawn))


def _by_ranges(keyed: Iterable[_Keyed], ranges: int, aside: Spool) -> Iterator[list[_Keyed]]:
    """The records of each range of numbers, one range after the other."""
    places: list[list[tuple[int, int]]] = [[] for _ in range(ranges)]
    shift = np.uint64(_BITS - (ranges.bit_length() - 1))
    for rows, drawn in keyed:
        which = (drawn >> shift).astype(np.int64)
        order = np.argsort(which, kind="stable")
        sorted_rows, numbers = rows.ordered(order), drawn[order]
        starts = np.searchsorted(which[order], np.arange(ranges + 1))
        for place, start, stop in zip(places, starts[:-1], starts[1:], strict=True):
            if stop > start:
                place.append(_put(sorted_rows.part(start, stop), numbers[start:stop], aside))
    for place in places:
        yield [_got(at, aside) for at in place]


def _put(rows: Rows, numbers: np.ndarray, aside: Spool) -> tuple[int, int]:
    text = aside.put(pl.DataFrame({"text": rows.text}))
    return text, aside.put(pl.DataFrame({"end": rows.ends, "number": numbers}))


def _got(at: tuple[int, int], aside: Spool) -> _Keyed:
    text, rest = aside.get(at[0]), aside.get(at[1])
    ends = rest["end"].to_numpy(writable=True)
    return Rows(text["text"].to_numpy(writable=True), ends), rest["number"].to_numpy()
