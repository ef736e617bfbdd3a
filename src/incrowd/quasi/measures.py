"""How well a set of columns tells records apart: exact, by splitting classes column by column.

Motwani-Xu Section 1.1 defines the distinct and the separation ratio. Adding a column splits
classes and never joins them, so that the classes of a set are found from those of a smaller one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.quasi.ratios import Ratios
from incrowd.quasi.records import Records
from incrowd.table.fold import fold, in_threads
from incrowd.watch import Watch

_DENSE = 2**16


@dataclass(frozen=True, eq=False)
class Partition:
    """The classes of rows that a set of columns does not tell apart."""

    class_of: Codes
    """The class of each row."""
    number: int
    """How many classes there are."""
    sizes: Counts
    """Records per class."""

    @classmethod
    def whole(cls, records: Records) -> "Partition":
        """What no column at all tells apart: one class of all records, none if there are none."""
        number = min(records.rows, 1)
        sizes = np.full(number, records.total, dtype=np.int64)
        return cls(np.zeros(records.rows, dtype=np.int32), number, sizes)

    def refined(self, records: Records, column: int) -> "Partition":
        """The classes split by one more column."""
        domain = int(records.domains[column])
        dense = self.number * domain <= max(_DENSE, 4 * records.rows)
        refine = _kernels().refine_dense if dense else _kernels().refine_sorted
        class_of, sizes = refine(
            self.class_of, records.codes[column], records.counts, self.number, domain
        )
        return Partition(class_of, len(sizes), sizes)

    @cached_property
    def ratios(self) -> Ratios:
        """The classes in figures."""
        sizes = self.sizes
        records = int(sizes.sum())
        together = int((sizes * (sizes - 1) // 2).sum())
        return Ratios(
            records=records,
            classes=self.number,
            apart=records * (records - 1) // 2 - together,
            unique=int(np.count_nonzero(sizes == 1)),
            smallest=int(sizes.min(initial=records)),
        )


def ratios(records: Records, columns: Sequence[int]) -> Ratios:
    """What the set of these columns does to the table."""
    partition = Partition.whole(records)
    for column in columns:
        partition = partition.refined(records, column)
    return partition.ratios


def best(records: Records) -> Ratios:
    """What all columns together do: no set reaches more (Motwani-Xu; duplicates count)."""
    return ratios(records, range(records.width))


def duplicates(records: Records) -> int:
    """How many records equal an earlier one in all columns; a table with any has no key."""
    return records.total - best(records).classes


def folded(records: Records) -> Records:
    """Distinct rows, in order, each with the records of all rows equal to it."""
    tally = fold(list(records.codes), [])
    counts = tally.counts
    if records.total != records.rows and tally.row_of is not None:
        counts = np.zeros(tally.rows, dtype=np.int64)
        np.add.at(counts, tally.row_of, records.counts)
    return Records(records.names, tally.quasi, counts)


def added(partition: Partition, records: Records, candidates: Sequence[int]) -> list[Ratios]:
    """What the partition does with each of the candidates added alone: the greedy step.

    Motwani-Xu Section 2.2. No partition is built.
    """
    groups = Groups.of(partition, records)
    return in_threads([partial(groups.joined, records, column) for column in candidates])


def all_ratios(
    records: Records, max_size: int | None = None, watch: Watch | None = None
) -> Iterator[tuple[tuple[int, ...], Ratios]]:
    """Every set of at least one column with its ratios, in no promised order.

    The columns of a set ascend. When the time is up the sets not yet looked at are left out.
    """
    records = folded(records)
    limit = records.width if max_size is None else max_size
    stack: list[tuple[tuple[int, ...], Partition]] = [((), Partition.whole(records))]
    while stack:
        chosen, partition = stack.pop()
        if chosen:
            yield chosen, partition.ratios
        if watch is not None and watch.expired:
            return
        if len(chosen) < limit:
            first = chosen[-1] + 1 if chosen else 0
            stack += [
                ((*chosen, column), partition.refined(records, column))
                for column in range(first, records.width)
            ]


@dataclass(frozen=True, eq=False)
class Groups:
    """The classes of two rows or more, with the figures of those of one row, which stay as they are."""

    rows: Codes
    weights: Counts
    start: Counts
    told: Counts

    @classmethod
    def of(cls, partition, records):
        told = np.array([0, 0, 0, np.iinfo(np.int64).max], dtype=np.int64)
        return cls(*_kernels().groups(partition.class_of, records.counts, partition.number, told), told)

    def joined(self, records, column):
        told = self.told.copy()
        cells = np.full(int(records.domains[column]), -1, dtype=np.int32)
        _kernels().join(self.rows, self.weights, self.start, records.codes[column], cells, told)
        return _ratios(records.total, told)

    def split(self, records, column):
        told = self.told.copy()
        cells = np.full(int(records.domains[column]), -1, dtype=np.int32)
        return Groups(*_kernels().split(self.rows, self.weights, self.start, records.codes[column], cells, told),told)

def _nothing() -> Counts:
    return np.array([0, 0, 0, np.iinfo(np.int64).max], dtype=np.int64)


def _ratios(records: int, told: Counts) -> Ratios:
    classes, together, unique, smallest = told.tolist()
    apart = records * (records - 1) // 2 - together
    return Ratios(records, classes, apart, unique, smallest if classes else 0)


def _kernels() -> Any:
    from incrowd.kernels import partition as kernels  # noqa: PLC0415  numba only when it is needed

    return kernels
