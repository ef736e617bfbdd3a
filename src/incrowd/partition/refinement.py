"""Stripped partitions: classes of two rows or more, refined by one column after the other.

A row alone in its class stays alone whatever columns follow, so it leaves the partition: the more
columns, the fewer rows are left to look at (Huhtala et al., *TANE*, 1999).
"""

from dataclasses import dataclass

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.kernels import refinement

_NOBODY = np.empty(0, dtype=np.int32)


@dataclass(frozen=True, eq=False)
class StrippedPartition:
    """Classes of two rows or more: their rows one class after the other, and where each starts."""

    rows: Codes
    starts: Counts
    """One entry more than there are classes."""

    @classmethod
    def whole(cls, rows: int) -> "StrippedPartition":
        """All rows in one class; none if there are fewer than two rows."""
        held = rows if rows > 1 else 0
        starts = np.array([0, held] if held else [0], dtype=np.int64)
        return cls(np.arange(held, dtype=np.int32), starts)

    @property
    def number(self) -> int:
        """Number of classes."""
        return len(self.starts) - 1

    @property
    def repeated(self) -> int:
        """How many rows are not the first of their class; 0 if the columns are a key."""
        return len(self.rows) - self.number

    def refine(self, column: Codes, domain: int) -> "tuple[StrippedPartition, Codes]":
        """The classes split by a column with codes below `domain`, and the rows then alone.

        >>> part, alone = StrippedPartition.whole(5).refine(np.array([1, 0, 1, 2, 1], np.int32), 3)
        >>> part.rows.tolist(), part.starts.tolist(), alone.tolist()
        ([0, 2, 4], [0, 3], [1, 3])
        """
        rows, starts, alone = refinement.split_classes(self.rows, self.starts, column, domain)
        return StrippedPartition(rows, starts), alone


class PartitionRefiner:
    """Refines partitions of the same rows again and again; its buffers are used by one thread."""

    def __init__(self, rows: int, domain: int) -> None:
        self._tally = np.zeros(domain, dtype=np.int32)
        self._seen = np.empty(rows, dtype=np.int32)

    def refine(self, here: StrippedPartition, column: Codes) -> StrippedPartition:
        """The classes split by a column with codes below the refiner's domain; rows alone leave."""
        rows = np.empty_like(here.rows)
        bounds = np.empty(len(rows) // 2 + 1, dtype=np.int64)
        number, _ = refinement.refine_classes(
            here.rows, here.starts, column, self._tally, self._seen, rows, bounds, _NOBODY
        )
        starts = bounds[: number + 1].copy()
        return StrippedPartition(rows[: starts[-1]].copy(), starts)
