"""The ratios of sets of columns, counted exactly.

Motwani-Xu Section 1.1 defines the distinct and the separation ratio. `ratios` counts one set from
the rows in one go. Many sets are counted by splitting classes: one more column splits classes and
never joins them, so the classes of a set follow from those of a smaller one.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice, pairwise
from math import comb, prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Codes, Counts
from incrowd.identify.labelled import RecordGroups, empty_figures, ratios_of_figures
from incrowd.identify.records import Ratios, Records
from incrowd.kernels.identify import distinct as distinct_kernels
from incrowd.kernels.identify import stripped as partition_kernels
from incrowd.table.fold import fold, in_threads, threads
from incrowd.watch import Watch

SetRatios: TypeAlias = tuple[tuple[int, ...], Ratios]
Keys: TypeAlias = NDArray[np.uint64]

_TOGETHER = 64
"""Sets that one task measures, about."""
_FEW_ROWS = 2**16
"""Below this many rows (times candidates) one thread is faster."""
_KEY_BITS = 63
"""Widest row number."""
_DENSE_BITS = 17
"""Row numbers up to this width have a cell each."""
_PART_BITS, _MOST_PARTS_BITS = 13, 11
"""Rows of a part that fits a cache, and most parts, as powers of two."""


def ratios_of_all(records: Records) -> Ratios:
    """Ratios of all columns together: no set reaches more, as ratios only grow with columns."""
    return ratios(records, range(records.width))


def count_duplicates(records: Records) -> int:
    """How many records equal an earlier one in all columns; a table with any has no key."""
    return records.total - ratios_of_all(records).classes


def fold_records(records: Records) -> Records:
    """The distinct rows, each with the number of records of all rows equal to it."""
    tally = fold(list(records.codes), [])
    if records.total == records.rows or tally.row_of is None:
        return Records(records.names, tally.quasi, tally.counts)
    counts = np.zeros(tally.rows, dtype=np.int64)
    np.add.at(counts, tally.row_of, records.counts)
    return Records(records.names, tally.quasi, counts)


def all_ratios(
    records: Records, max_size: int | None = None, watch: Watch | None = None
) -> Iterator[tuple[tuple[int, ...], Ratios]]:
    """Yield each set of 1 or more columns (ascending) and its ratios, unordered, while in time."""
    watch = watch or Watch()
    limit = records.width if max_size is None else max_size
    tasks = _subset_tasks(records, limit, watch) if limit > 0 else iter([])
    every = _number_of_sets(records.width, limit)
    done = 0
    while batch := list(islice(tasks, 4 * threads())):
        for sets in in_threads(batch):
            yield from sets
            done += len(sets)
        watch.tell("column sets measured", done / every)


def _subset_tasks(
    records: Records, limit: int, watch: Watch
) -> Iterator[Callable[[], list[SetRatios]]]:
    """Yield tasks that together count all sets of at most `limit` columns, until time is up.

    First come the sets with the widest column. That column is then left out, rows that are equal
    without it are folded (they are neighbours), and the widest of the others follows, and so on.
    """
    order = np.argsort(-records.domains, kind="stable")
    table = fold_records(_reorder_columns(records, order[::-1]))
    table = _reorder_columns(table, np.arange(records.width)[::-1])
    for j in range(records.width):
        if watch.expired:
            return
        branch = _SetsWithFirst(table, tuple(order[j:].tolist()), limit, watch)
        groups = RecordGroups.whole(table).split(table, 0)
        yield partial(branch.renumber_set, (0,), groups.ratios)
        yield from branch.larger_set_tasks((0,), groups)
        table = _drop_first_column(table)


def _reorder_columns(records: Records, order: NDArray[np.intp]) -> Records:
    """The records with their columns in this order."""
    names = tuple(records.names[j] for j in order)
    return Records(names, np.ascontiguousarray(records.codes[order]), records.counts)


def _drop_first_column(records: Records) -> Records:
    """The records without their first column; neighbours that are then equal become one row."""
    codes = records.codes[1:]
    new = np.ones(records.rows, dtype=np.bool_)
    new[1:] = (codes[:, 1:] != codes[:, :-1]).any(axis=0)
    first = np.flatnonzero(new)
    counts = np.add.reduceat(records.counts, first) if len(first) else records.counts
    return Records(records.names[1:], np.ascontiguousarray(codes[:, first]), counts)


@dataclass(frozen=True)
class _SetsWithFirst:
    """The sets that begin with the first column of a table."""

    table: Records
    columns: tuple[int, ...]
    """What the columns of the table are called outside."""
    limit: int
    watch: Watch

    def renumber_set(self, chosen: tuple[int, ...], found: Ratios) -> list[SetRatios]:
        """List one set and its ratios, its columns numbered as in the caller's table."""
        return [(tuple(sorted(self.columns[j] for j in chosen)), found)]

    def larger_set_tasks(
        self, chosen: tuple[int, ...], groups: RecordGroups
    ) -> Iterator[Callable[[], list[SetRatios]]]:
        """Yield tasks that count all larger sets that add later columns to the chosen ones.

        Each counts one set, or about `_TOGETHER` that extend one; none come after time is up.
        """
        if _number_of_sets(self.table.width - chosen[-1] - 1, self.limit - len(chosen)) < _TOGETHER:
            yield partial(self.count_larger, chosen, groups)
            return
        for column in range(chosen[-1] + 1, self.table.width):
            if self.watch.expired:
                return
            split = groups.split(self.table, column)
            yield partial(self.renumber_set, (*chosen, column), split.ratios)
            yield from self.larger_set_tasks((*chosen, column), split)

    def count_larger(self, chosen: tuple[int, ...], groups: RecordGroups) -> list[SetRatios]:
        """Count all sets that add later columns to the chosen ones; fewer if time is up."""
        found: list[SetRatios] = []
        if len(chosen) == self.limit:
            return found
        for column in range(chosen[-1] + 1, self.table.width):
            if self.watch.expired:
                return found
            more = (*chosen, column)
            if len(more) == self.limit or column == self.table.width - 1:
                found += self.renumber_set(more, groups.ratios_with(self.table, column))
                continue
            split = groups.split(self.table, column)
            found += self.renumber_set(more, split.ratios)
            found += self.count_larger(more, split)
        return found


def _number_of_sets(width: int, limit: int) -> int:
    """How many sets of at least one and at most `limit` columns there are."""
    return sum(comb(width, size) for size in range(1, min(width, limit) + 1))


def ratios(records: Records, columns: Sequence[int]) -> Ratios:
    """Ratios of one set of columns, counted without counting its subsets.

    A row becomes a number below the product of the domains. If few numbers are possible, each has a
    cell; else rows go to parts that fit a cache, each with a hash table. If numbers have no room in
    63 bits, classes are split column by column, the widest first: so most rows are soon alone.
    """
    bits = (prod(records.domains[list(columns)].tolist()) - 1).bit_length()
    if bits > _KEY_BITS:
        widest_first = sorted(columns, key=lambda column: -records.domains[column])
        return RecordGroups.by_columns(records, widest_first).ratios
    rows = _RowNumbers.of(records, columns, bits)
    dense = bits <= min(_DENSE_BITS, max(10, records.rows.bit_length()))
    return ratios_of_figures(records.total, _count_by_cell(rows) if dense else _count_by_hash(rows))


@dataclass(frozen=True, eq=False)
class _RowNumbers:
    """Rows as numbers of so many bits (see `kernels.identify.distinct`)."""

    codes: Codes
    digits: Keys
    """The column of each digit, and how many codes it has: shape (2, columns)."""
    weights: Counts
    """Records per row; empty if each row is one."""
    bits: int
    number: int
    """How many rows there are."""

    @classmethod
    def of(cls, records: Records, columns: Sequence[int], bits: int) -> "_RowNumbers":
        """The rows by the codes of these columns, as numbers of `bits` bits."""
        digits = np.array([list(columns), records.domains[list(columns)]], dtype=np.uint64)
        weights = records.counts[: 0 if records.total == records.rows else None]
        return cls(records.codes, digits, weights, bits, records.rows)

    def spread_rule(self, part_bits: int) -> Keys:
        """How kernels spread numbers over 2^`part_bits` parts: shift, mask, bits below a part."""
        half, mask = (self.bits + 1) // 2, 2**self.bits - 1
        return np.array([half, mask, self.bits - part_bits], dtype=np.uint64)

    @property
    def chunks(self) -> list[tuple[int, int]]:
        """Runs of rows, one per thread: the first row, and the end, which is not included."""
        number = threads() if self.number >= _FEW_ROWS else 1
        return list(pairwise(self.number * i // number for i in range(number + 1)))

    def part_sizes(self, weights: Counts, part_bits: int) -> Counts:
        """The weight (rows if unweighted) of each of 2^`part_bits` parts, one line per chunk."""
        sizes = np.zeros((len(self.chunks), 2**part_bits), dtype=np.int64)
        count = partial(
            distinct_kernels.count_part_records,
            self.codes,
            self.digits,
            weights,
            self.spread_rule(part_bits),
        )
        in_threads(
            [partial(count, *chunk, line) for chunk, line in zip(self.chunks, sizes, strict=True)]
        )
        return sizes

    def move_to_parts(self, part_bits: int) -> tuple[Keys, Counts, Counts]:
        """Numbers and weights (none if all 1) of rows, part by part, and the bounds of parts."""
        sizes = self.part_sizes(self.weights[:0], part_bits)
        ends = np.cumsum(sizes.T.ravel())
        free = np.ascontiguousarray((ends - sizes.T.ravel()).reshape(sizes.shape[::-1]).T)
        start = np.concatenate([free[0], ends[-1:]])
        moved, heavy = np.empty(self.number, dtype=np.uint64), np.empty_like(self.weights)
        move = partial(
            distinct_kernels.scatter_rows,
            self.codes,
            self.digits,
            self.weights,
            self.spread_rule(part_bits),
        )
        lines = zip(self.chunks, free.view(np.uint64), strict=True)
        in_threads([partial(move, *chunk, line, moved, heavy) for chunk, line in lines])
        return moved, heavy, start


def _count_by_cell(rows: _RowNumbers) -> Counts:
    """The figures of the classes, counted in one cell for each possible row number."""
    sizes = rows.part_sizes(rows.weights, rows.bits).sum(axis=0)
    sizes = sizes[sizes > 0]
    told = empty_figures()
    partition_kernels.add_figures(sizes, len(sizes), told)
    return told


def _count_by_hash(rows: _RowNumbers) -> Counts:
    """The figures of the classes, counted part by part in hash tables."""
    part_bits = min(_MOST_PARTS_BITS, rows.bits, max(0, rows.number.bit_length() - _PART_BITS))
    moved, heavy, start = rows.move_to_parts(part_bits)
    tell = distinct_kernels.add_part_figures
    width = 2 ** (rows.bits - part_bits)
    shares = [(start[share], empty_figures()) for share in _thread_slices(start)]
    in_threads([partial(tell, moved, heavy, bounds, width, told) for bounds, told in shares])
    figures = np.array([told for _, told in shares], dtype=np.int64)
    return np.append(figures[:, :3].sum(axis=0), figures[:, 3].min())


def _thread_slices(start: Counts) -> list[slice]:
    """Slices of the parts' bounds, one per task, whose parts have about as many rows together."""
    number = 4 * threads() if start[-1] >= _FEW_ROWS else 1
    cuts = np.searchsorted(start, start[-1] * np.arange(number + 1) // number)
    cuts[0], cuts[-1] = 0, len(start) - 1
    return [slice(lo, hi + 1) for lo, hi in pairwise(np.unique(cuts).tolist())]
