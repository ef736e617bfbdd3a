"""Rows that go by, in a new order: a shuffle of tables larger than memory."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import polars as pl

from incrowd.io.scratch import ScratchFrames

CELLS = 2**20
"""Cells that are held at a time."""
_BITS = 64


def shuffled(
    frames: Iterable[pl.DataFrame], cells: int, seed: int | None, aside: ScratchFrames
) -> Iterator[pl.DataFrame]:
    """The rows of frames with about so many cells, every order of them equally likely.

    Each row draws a number, and rows leave in the order of their numbers: by ranges of them, which
    are put aside as the rows go by and are then sorted one by one. Numbers come in the order of the
    rows, so the same seed gives the same order whatever the frames are.
    """
    rng = np.random.default_rng(None if seed is None else [seed, 2])
    ranges = 1 << (max(0, cells - 1) // CELLS).bit_length()
    places: list[list[int]] = [[] for _ in range(ranges)]
    for frame in frames:
        _put_aside(frame, rng.bit_generator.random_raw(frame.height), places, aside)
    for numbers in places:
        if numbers:
            rows = pl.concat([aside.get(number) for number in numbers])
            yield rows.sort(rows.columns[-1], maintain_order=True)[:, :-1]


def _put_aside(
    frame: pl.DataFrame, drawn: np.ndarray, places: Sequence[list[int]], aside: ScratchFrames
) -> None:
    """Put the rows of one frame with their numbers into the ranges these lie in."""
    name = "#" * (1 + max(map(len, frame.columns)))
    rows = frame.with_columns(pl.Series(name, drawn, dtype=pl.UInt64)).sort(
        name, maintain_order=True
    )
    shift = _BITS - (len(places).bit_length() - 1)
    which = (rows[name].to_numpy() // 2 ** (shift - 1) // 2).astype(np.int64)
    starts = np.searchsorted(which, np.arange(len(places) + 1))
    for numbers, start, end in zip(places, starts[:-1], starts[1:], strict=True):
        if end > start:
            numbers.append(aside.put(rows[int(start) : int(end)]))
