"""The ratios of one set of columns, counted from the rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Codes, Counts
from incrowd.identify.groups import Groups, no_classes, ratios_of
from incrowd.identify.ratios import Ratios
from incrowd.identify.records import Records
from incrowd.kernels.identify import distinct as kernels
from incrowd.kernels.identify import partition
from incrowd.table.fold import in_threads, threads

Keys: TypeAlias = NDArray[np.uint64]

_KEY_BITS = 63
_DENSE_BITS = 17
_PART_BITS = 13
_MOST_PARTS_BITS = 11
_SMALL = 2**16


def counted(records: Records, columns: Sequence[int]) -> Ratios:
    """What the set of these columns does, in one go, whatever smaller sets do.

    A row is a number below the product of the domains. If these are few, each has a cell; else they
    go to parts that fit a cache, each with a hash table. If the number has no room in 63 bits,
    classes are split column by column.
    """
    bits = (prod(records.domains[list(columns)].tolist()) - 1).bit_length()
    if bits > _KEY_BITS:
        return _split(records, columns)
    rows = _Rows.of(records, columns, bits)
    dense = bits <= min(_DENSE_BITS, max(10, records.rows.bit_length()))
    return ratios_of(records.total, _dense(rows) if dense else _hashed(rows))


def _split(records: Records, columns: Sequence[int]) -> Ratios:
    """Widest columns first: the fewer rows are left in classes of several, the better."""
    groups = Groups.whole(records)
    for column in sorted(columns, key=lambda column: -records.domains[column]):
        groups = groups.split(records, column)
    return groups.ratios


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows as numbers of so many bits (see `kernels.distinct`)."""

    codes: Codes
    digits: Keys
    weights: Counts
    """Records per row; empty if each row is one."""
    bits: int
    number: int

    @classmethod
    def of(cls, records: Records, columns: Sequence[int], bits: int) -> "_Rows":
        digits = np.array([list(columns), records.domains[list(columns)]], dtype=np.uint64)
        weights = records.counts[: 0 if records.total == records.rows else None]
        return cls(records.codes, digits, weights, bits, records.rows)

    def spread(self, part_bits: int) -> Keys:
        """How numbers are spread over parts."""
        half, mask = (self.bits + 1) // 2, 2**self.bits - 1
        return np.array([half, mask, self.bits - part_bits], dtype=np.uint64)

    @property
    def chunks(self) -> list[tuple[int, int]]:
        """Runs of rows, one per thread."""
        number = threads() if self.number >= _SMALL else 1
        return list(pairwise(self.number * i // number for i in range(number + 1)))

    def parts(self, weights: Counts, part_bits: int) -> Counts:
        """The weight of each part, or its rows without weights: a line per chunk."""
        sizes = np.zeros((len(self.chunks), 2**part_bits), dtype=np.int64)
        count = partial(
            _kernels().count_parts, self.codes, self.digits, weights, self.spread(part_bits)
        )
        in_threads(
            [partial(count, *chunk, line) for chunk, line in zip(self.chunks, sizes, strict=True)]
        )
        return sizes

    def partitioned(self, part_bits: int) -> tuple[Keys, Counts, Counts]:
        """The numbers and weights of all rows part by part, and the parts' bounds."""
        sizes = self.parts(self.weights[:0], part_bits)
        ends = np.cumsum(sizes.T.ravel())
        free = np.ascontiguousarray((ends - sizes.T.ravel()).reshape(sizes.shape[::-1]).T)
        start = np.concatenate([free[0], ends[-1:]])
        moved, heavy = np.empty(self.number, dtype=np.uint64), np.empty_like(self.weights)
        move = partial(
            _kernels().scatter, self.codes, self.digits, self.weights, self.spread(part_bits)
        )
        lines = zip(self.chunks, free.view(np.uint64), strict=True)
        in_threads([partial(move, *chunk, line, moved, heavy) for chunk, line in lines])
        return moved, heavy, start


def _dense(rows: _Rows) -> Counts:

    sizes = rows.parts(rows.weights, rows.bits).sum(axis=0)
    sizes = sizes[sizes > 0]
    told = no_classes()
    partition.tell(sizes, len(sizes), told)
    return told


def _hashed(rows: _Rows) -> Counts:
    part_bits = min(_MOST_PARTS_BITS, rows.bits, max(0, rows.number.bit_length() - _PART_BITS))
    moved, heavy, start = rows.partitioned(part_bits)
    tell = _kernels().tell_parts
    width = 2 ** (rows.bits - part_bits)
    shares = [(start[share], no_classes()) for share in _shares(start)]
    in_threads([partial(tell, moved, heavy, bounds, width, told) for bounds, told in shares])
    figures = np.array([told for _, told in shares], dtype=np.int64)
    return np.append(figures[:, :3].sum(axis=0), figures[:, 3].min())


def _shares(start: Counts) -> list[slice]:
    """Runs of parts with about as many rows each: where their bounds are."""
    number = 4 * threads() if start[-1] >= _SMALL else 1
    cuts = np.searchsorted(start, start[-1] * np.arange(number + 1) // number)
    cuts[0], cuts[-1] = 0, len(start) - 1
    return [slice(lo, hi + 1) for lo, hi in pairwise(np.unique(cuts).tolist())]


def _kernels() -> Any:

    return kernels
