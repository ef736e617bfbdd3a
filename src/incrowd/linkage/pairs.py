"""Pairs that fit where labels overlap: too many to be kept, they are visited part by part."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from incrowd.arrays import Codes
from incrowd.kernels.linkage import overlap as kernels
from incrowd.linkage.stands import Stands
from incrowd.partition.csr import Rows

_PAIRS = 2**22
"""About so many pairs are in a part."""
_WORDS = 2**24
"""Words of the sets of rows that are held at once."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Per class of people the classes of rows that they fit, in parts of classes one after another.

    If all of them are one part, it is kept for the next visit.
    """

    stands: Sequence[Stands]
    """Of each known column."""
    label: Codes
    """What the classes of rows show: shape (columns, classes)."""
    value: Codes
    """What the classes of people hold; those that agree in the first columns stand together."""
    _kept: list[Rows] = field(default_factory=list, repr=False)

    def __iter__(self) -> Iterator[Rows]:
        """The members of classes, a part at a time."""
        if self._kept:
            yield self._kept[0]
            return
        for part in self._parts():
            if len(part[0]) - 1 == self.value.shape[1]:
                self._kept.append(part)
            yield part

    def _parts(self) -> Iterator[Rows]:
        rows, people = self.label.shape[1], self.value.shape[1]
        step = self._step
        if not people:
            yield np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32)
        for begin in range(0, people, step):
            sets, known = self._sets(self.value[:, begin : begin + step])
            first = 0
            while first < known.shape[1]:
                part = _kernels().fitting(sets, rows, known, first, _PAIRS)
                first += len(part[0]) - 1
                yield part

    @property
    def _step(self) -> int:
        """Classes of people whose values have room for their sets at once."""
        step, width = max(int(self.value.shape[1]), 1), self._width
        while step > 1 and width * sum(min(one.values, step) for one in self.stands) > _WORDS:
            step = (step + 1) // 2
        return step

    @property
    def _width(self) -> int:
        """Words of a set of rows."""
        return (int(self.label.shape[1]) + 63) // 64

    def _sets(self, value: Codes) -> tuple[Any, Codes]:
        """The rows that may be of each value that somebody here has, and the sets of everybody."""
        known = np.empty(value.shape, dtype=np.int32)
        ranks = []
        for j, one in enumerate(self.stands):
            held = np.zeros(one.values + 1, dtype=np.int32)
            held[value[j]] = 1
            ranks.append(np.concatenate([[0], np.cumsum(held[:-1])]).astype(np.int32))
            known[j] = ranks[j][value[j]]
        number = [int(rank[-1]) + 1 for rank in ranks]
        offset = np.cumsum([0, *number])
        sets = np.zeros((int(offset[-1]), self._width), dtype=np.uint64)
        for j, (one, rank) in enumerate(zip(self.stands, ranks, strict=True)):
            runs = one.start, one.low, one.high
            _kernels().cover(runs, self.label[j], rank, sets[offset[j] : offset[j + 1]])
        return sets, known + offset[:-1, None].astype(np.int32)


def _kernels() -> Any:

    return kernels
