"""What labels may end on: cells along the leaves of a column.

A span that ended on the first and last value of its class would tell that somebody has exactly
these. Its ends are those of cells instead, each of which holds many people of the table
(`hierarchy.aligned` chooses them), so that an end tells of a crowd.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from incrowd.arrays import Codes, Floats, Texts
from incrowd.hierarchy.labels import Bounds, write_bounds


@dataclass(frozen=True, eq=False, repr=False)
class CellGrid:
    """Cells 1, 2, … along the leaves of an ordered column; 0 stands for missing."""

    of: Codes
    """The cell of each code: shape (leaves + 1,)."""
    first: Codes
    """The first leaf that lies in each cell, by cell."""
    last: Codes
    low: Floats
    """The smallest value that each cell may stand for, on the scale of `Domain.positions`."""
    high: Floats
    bounds: tuple[Bounds, ...]
    """How each cell is written, by cell - 1."""
    labels: Texts
    """What a single cell shows, by cell - 1: its bounds, its value or its node."""

    def __len__(self) -> int:
        """Number of cells."""
        return len(self.bounds)

    def show(self, low: Codes, high: Codes, top: str) -> Texts:
        """The labels of everything from the cell of one code to that of another, elementwise."""
        size = len(self) + 1
        pairs, place = np.unique(
            self.of[low].astype(np.int64) * size + self.of[high], return_inverse=True
        )
        texts = np.empty(len(pairs), dtype=object)
        for i, pair in enumerate(pairs.tolist()):
            texts[i] = self._label(pair // size, pair % size, top)
        return texts[place]

    def _label(self, first: int, last: int, top: str) -> str:
        if first == last:
            label: str = self.labels[first - 1]
            return label
        left, right = self.bounds[first - 1], self.bounds[last - 1]
        if left.low is None and right.high is None:
            return top
        return write_bounds(Bounds(left.low, right.high, left.low_inside, right.high_inside))

    def __repr__(self) -> str:
        """Without values."""
        return f"CellGrid({len(self)} cells)"


def grid_of(
    leaves: int,
    run: tuple[Codes, Codes],
    reach: tuple[Floats, Floats],
    bounds: Sequence[Bounds],
    labels: Sequence[str],
) -> CellGrid:
    """The grid of these cells over so many leaves; those between two cells belong to the second."""
    of = np.searchsorted(run[1], np.arange(1, leaves + 1)) + 1
    shown = np.empty(len(labels), dtype=object)
    shown[:] = labels
    return CellGrid(
        np.append(0, np.minimum(of, len(bounds))).astype(np.int32),
        np.append(0, run[0]).astype(np.int32),
        np.append(0, run[1]).astype(np.int32),
        np.append(0.0, reach[0]),
        np.append(0.0, reach[1]),
        tuple(bounds),
        shown,
    )
