"""What labels may end on: cells along an ordered column, pools of rare values for sets.

A span that ends on the first and the last value of its class tells that somebody has exactly these.
So spans end where cells do, and each cell holds many people of the table (`hierarchy.aligned`
chooses them). Sets show rare values only together with others.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from incrowd.arrays import Codes, Counts, Floats, Texts
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


def pools_of(maps: Codes, people: Counts, k: int, present: Counts | None = None) -> Codes | None:
    """The pool of each code: every pool that holds anybody holds at least k people.

    `maps` are those of the hierarchy, `people` counts the people of each code; entry 0 is for
    missing values, which stay apart. Rare values are pooled with rare values of the same node, on
    the lowest level where that is enough; the rest joins the smallest pool. None if every value has
    k people. `present` is above 0 for every value that a set may show, also if nobody counts for
    it (default: the values with people).
    """
    pool = np.arange(len(people), dtype=np.int32)
    held = np.flatnonzero((people if present is None else present)[1:]) + 1
    if not len(held) or people[held].min() >= k:
        return None
    for level in range(1, len(maps)):
        sizes = np.bincount(pool, people, minlength=len(people))
        rare = held[sizes[pool[held]] < k]
        _, place = np.unique(maps[level][rare], return_inverse=True)
        first = np.full(len(rare), len(people), dtype=np.int32)
        np.minimum.at(first, place, pool[rare])
        pool[rare] = first[place]
    return _complete(pool, people, held, k)


def _complete(pool: Codes, people: Counts, held: Codes | Counts, k: int) -> Codes:
    """With the one pool that is still too small, if there is one, made part of the next larger."""
    numbers = np.unique(pool[held])
    sizes = np.bincount(pool, people, minlength=len(people))[numbers]
    if len(numbers) > 1 and sizes.min() < k:
        smallest, larger = numbers[np.argsort(sizes, kind="stable")[:2]].tolist()
        pool = np.where(np.isin(pool, [smallest, larger]), min(smallest, larger), pool)
    return pool.astype(np.int32)
