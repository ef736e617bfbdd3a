"""The values of classes, where cells show sets."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from incrowd.arrays import MISSING, Codes, Counts, Flags
from incrowd.recoding.column import QuasiColumn
from incrowd.table.tally import Tally


@dataclass(frozen=True, eq=False)
class ValueSets:
    """The values of each class in one column, in compressed rows.

    Class c holds the codes `code[start[c]:start[c + 1]]`, ascending, each once.
    """

    start: Counts
    code: Codes

    @property
    def sizes(self) -> Counts:
        """How many values each class holds."""
        return np.diff(self.start)

    @property
    def mixed(self) -> Flags:
        """Which classes hold missing and other values."""
        mixed: Flags = (self.code[self.start[:-1]] == MISSING) & (self.sizes > 1)
        return mixed

    def take(self, which: Codes) -> "ValueSets":
        """The sets of these classes, in this order."""
        sizes = self.sizes[which]
        start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        entry = np.arange(start[-1]) + np.repeat(self.start[which] - start[:-1], sizes)
        return ValueSets(start, self.code[entry])

    @property
    def numbers(self) -> Codes:
        """Equal numbers for classes that show the same: their values, or nothing if mixed."""
        number: dict[bytes, int] = {}
        ends = pairwise(self.start.tolist())
        found = [number.setdefault(self.code[a:b].tobytes(), len(number)) for a, b in ends]
        return np.where(self.mixed, len(number), found).astype(np.int32)


def value_sets(
    tally: Tally, class_of: Codes, columns: tuple[QuasiColumn, ...], buckets: Codes | None = None
) -> dict[int, ValueSets]:
    """The values of each class, or of its bucket, in the columns that show sets."""
    kept = class_of >= 0
    found = {}
    for j, column in enumerate(columns):
        if column.sets:
            group = class_of[kept] if buckets is None else buckets[j][class_of[kept]]
            width = len(column.frequency)
            pairs = np.unique(group.astype(np.int64) * width + tally.quasi[j, kept])
            if column.pools is not None:
                pairs = _pooled(pairs, width, column.pools)
            every = np.arange(int(group.max(initial=-1)) + 2) * width
            start = np.searchsorted(pairs, every).astype(np.int64)
            sets = ValueSets(start, (pairs % width).astype(np.int32))
            found[j] = sets if buckets is None else sets.take(buckets[j])
    return found


def _pooled(pairs: Counts, width: int, pools: Codes) -> Counts:
    """Pairs of a group and a code, with all other codes of the code's pool."""
    members = np.argsort(pools, kind="stable")
    start = np.searchsorted(pools[members], np.arange(int(pools.max()) + 2))
    group, pool = pairs // width, pools[pairs % width]
    size = np.diff(start)[pool]
    entry = np.arange(size.sum()) + np.repeat(start[pool] - np.cumsum(size) + size, size)
    pooled: Counts = np.unique(np.repeat(group, size) * width + members[entry])
    return pooled
