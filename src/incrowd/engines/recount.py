"""Classes of equal rows, counted by Polars alone, also in tables larger than memory.

Classes are counted as the rows pass. If there are more than fit into memory, only those are kept
whose hash is in the lower half, and so on; the other parts are counted in further passes. A class
is always in one part, so all figures are exact, however many passes it takes.
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import polars as pl

from incrowd.arrays import Counts
from incrowd.errors import NotMetError
from incrowd.identify.records import Measure, Ratios
from incrowd.watch import Watch

MOST = 2**20
"""Most classes in memory at a time."""
_WAITING = 2**16
"""Counted classes that wait to be added up, at least."""
_BITS = 64

Frames = Callable[[], Iterable[pl.DataFrame]]
"""The rows, from first to last, as often as they are asked for."""


def count_ratios(rows: pl.DataFrame) -> Ratios:
    """The ratios of these rows in memory, from the sizes of classes of equal rows."""
    return count_ratios_in_passes(lambda: [rows], rows.columns, most=max(rows.height, 1))


def count_ratios_in_passes(
    frames: Frames, names: Sequence[str], *, watch: Watch | None = None, most: int | None = None
) -> Ratios:
    """The ratios of rows, `most` (or `MOST`) classes at a time; `frames` gives all in each pass."""
    figures: list[Counts] = []
    part, parts = 0, 1
    while part < parts:
        if watch is not None:
            watch.tell("counting the released rows", part / parts)
        classes = _ClassCounts(names, part, parts, MOST if most is None else most)
        for frame in frames():
            classes.add(frame)
        figures.append(classes.sizes())
        part, parts = classes.part + 1, classes.parts
    return Ratios.of_sizes(*np.unique(np.concatenate(figures), return_counts=True))


def refuse_above(found: Ratios, measure: Measure, limit: float) -> Ratios:
    """Raise `NotMetError` if the ratio of this measure is above the limit; return the ratios."""
    if found.ratio(measure) > limit:
        raise NotMetError(
            f"the kept columns have a {measure} ratio of {found.ratio(measure):.6g}, above the "
            f"limit of {limit:g}",
            remedy="ask for a lower ratio, or use the method greedy",
        )
    return found


class _ClassCounts:
    """Counts classes in part `part`, from 0, of `parts`; halves it while there are over `most`."""

    def __init__(self, names: Sequence[str], part: int, parts: int, most: int) -> None:
        self.part = part
        self.parts = parts
        self._stored = list(names)
        self._names = [str(j) for j in range(len(names))]
        """Names of the columns here: a name such as `^a.*$` would be a pattern."""
        self._size = "#"
        self._most = most
        self._held: pl.DataFrame | None = None
        self._waiting: list[pl.DataFrame] = []

    def add(self, frame: pl.DataFrame) -> None:
        """Count the rows of this frame that belong to the part."""
        columns = zip(self._names, self._stored, strict=True)
        mine = self._rows_of_part(pl.DataFrame([frame[name].alias(here) for here, name in columns]))
        self._waiting.append(
            mine.group_by(self._names).agg(pl.len().cast(pl.Int64).alias(self._size))
        )
        held = 0 if self._held is None else self._held.height
        if sum(one.height for one in self._waiting) > max(held, min(self._most, _WAITING)):
            self._add_up()

    def sizes(self) -> Counts:
        """Number of records of each class of the part: shape (classes,)."""
        self._add_up()
        if self._held is None:
            return np.zeros(0, dtype=np.int64)
        return self._held[self._size].to_numpy()

    def _add_up(self) -> None:
        """Add up the counts; while they are of more than `most` classes, keep the lower half."""
        known = [] if self._held is None else [self._held]
        if not self._waiting:
            return
        together = pl.concat([*known, *self._waiting]).group_by(self._names)
        found = together.agg(pl.col(self._size).sum())
        while found.height > self._most:
            self.part, self.parts = 2 * self.part, 2 * self.parts
            found = self._rows_of_part(found)
        self._held, self._waiting = found, []

    def _rows_of_part(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The rows whose hashes are in the part."""
        if self.parts == 1:
            return frame
        hashes = frame.select(self._names).hash_rows(seed=1).to_numpy()
        bits = self.parts.bit_length() - 1
        mine = (hashes >> np.uint64(_BITS - bits)) == np.uint64(self.part)
        return frame.filter(pl.Series(mine))
