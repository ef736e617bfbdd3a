"""How well a set of columns tells records apart: exact, by splitting classes column by column.

Motwani-Xu Section 1.1 defines the distinct and the separation ratio. Adding a column splits
classes and never joins them, so that the classes of a set are found from those of a smaller one.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from math import comb
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Codes, Counts
from incrowd.identify.counting import counted
from incrowd.identify.groups import Groups, no_classes, ratios_of
from incrowd.identify.ratios import Ratios
from incrowd.identify.records import Records
from incrowd.kernels.identify import partition as kernels
from incrowd.table.fold import distinct, fold, in_threads, threads
from incrowd.watch import Watch

Found: TypeAlias = tuple[tuple[int, ...], Ratios]

_SMALL = 2**16
_TOGETHER = 64


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
        codes, domain = records.lines[column]
        keys = self.class_of.astype(np.uint64) * np.uint64(domain) + codes.view(np.uint32)
        found, class_of = distinct(keys, max(self.number, 1) * domain)
        return Partition(class_of, len(found), _sums(class_of, len(found), records))

    @cached_property
    def ratios(self) -> Ratios:
        """The classes in figures."""
        told = no_classes()
        _kernels().tell(self.sizes, self.number, told)
        return ratios_of(int(self.sizes.sum()), told)


def ratios(records: Records, columns: Sequence[int]) -> Ratios:
    """What the set of these columns does to the table, counted from the rows."""
    return counted(records, columns)


def best(records: Records) -> Ratios:
    """What all columns together do: no set reaches more, as ratios only grow with columns."""
    return ratios(records, range(records.width))


def duplicates(records: Records) -> int:
    """How many records equal an earlier one in all columns; a table with any has no key."""
    return records.total - best(records).classes


def folded(records: Records) -> Records:
    """Distinct rows, in order, each with the records of all rows equal to it."""
    tally = fold(list(records.codes), [])
    if records.total == records.rows or tally.row_of is None:
        return Records(records.names, tally.quasi, tally.counts)
    counts = _sums(tally.row_of, tally.rows, records)
    return Records(records.names, tally.quasi, counts)


def _sums(class_of: Codes, number: int, records: Records) -> Counts:
    """Records per class."""
    sums = np.zeros(number, dtype=np.int64)
    np.add.at(sums, class_of, records.counts)
    return sums


def added(partition: Partition, records: Records, candidates: Sequence[int]) -> list[Ratios]:
    """What the partition does with each of the candidates added alone: the greedy step.

    Motwani-Xu Section 2.2. No partition is built.
    """
    groups = Groups.of(records, partition.class_of, partition.number)
    tasks = [partial(groups.joined, records, column) for column in candidates]
    if len(groups.rows) * len(tasks) < _SMALL:
        return [task() for task in tasks]
    return in_threads(tasks)


def all_ratios(
    records: Records, max_size: int | None = None, watch: Watch | None = None
) -> Iterator[tuple[tuple[int, ...], Ratios]]:
    """Every set of at least one column with its ratios, in no promised order.

    The columns of a set ascend. When the time is up the sets not yet looked at are left out.
    """
    watch = watch or Watch()
    limit = records.width if max_size is None else max_size
    tasks = _tasks(records, limit, watch) if limit > 0 else iter([])
    every = _sets(records.width, limit)
    done = 0
    while batch := list(islice(tasks, 4 * threads())):
        for sets in in_threads(batch):
            yield from sets
            done += len(sets)
        watch.tell("column sets measured", done / every)


def _tasks(records: Records, limit: int, watch: Watch) -> Iterator[Callable[[], list[Found]]]:
    """All sets in parts: those with the widest column, then those without it.

    Rows that differ in the columns done only are folded, as their order makes them neighbours.
    """
    order = np.argsort(-records.domains, kind="stable")
    table = folded(_reordered(records, order[::-1]))
    table = _reordered(table, np.arange(records.width)[::-1])
    for j in range(records.width):
        if watch.expired:
            return
        branch = _Branch(table, tuple(order[j:].tolist()), limit, watch)
        groups = Groups.whole(table).split(table, 0)
        yield partial(branch.named, (0,), groups.ratios)
        yield from branch.tasks((0,), groups)
        table = _without_first(table)


def _reordered(records: Records, order: NDArray[np.intp]) -> Records:
    names = tuple(records.names[j] for j in order)
    return Records(names, np.ascontiguousarray(records.codes[order]), records.counts)


def _without_first(records: Records) -> Records:
    """The other columns; neighbours that are then equal are one row."""
    codes = records.codes[1:]
    new = np.ones(records.rows, dtype=np.bool_)
    new[1:] = (codes[:, 1:] != codes[:, :-1]).any(axis=0)
    first = np.flatnonzero(new)
    counts = np.add.reduceat(records.counts, first) if len(first) else records.counts
    return Records(records.names[1:], np.ascontiguousarray(codes[:, first]), counts)


@dataclass(frozen=True)
class _Branch:
    """The sets that begin with the first column of a table."""

    table: Records
    columns: tuple[int, ...]
    """What the columns of the table are called outside."""
    limit: int
    watch: Watch

    def named(self, chosen: tuple[int, ...], found: Ratios) -> list[Found]:
        """One set with its ratios, as the outside calls it."""
        return [(tuple(sorted(self.columns[j] for j in chosen)), found)]

    def tasks(self, chosen: tuple[int, ...], groups: Groups) -> Iterator[Callable[[], list[Found]]]:
        """The larger sets in parts of about as many."""
        if _sets(self.table.width - chosen[-1] - 1, self.limit - len(chosen)) < _TOGETHER:
            yield partial(self.larger, chosen, groups)
            return
        for column in range(chosen[-1] + 1, self.table.width):
            if self.watch.expired:
                return
            split = groups.split(self.table, column)
            yield partial(self.named, (*chosen, column), split.ratios)
            yield from self.tasks((*chosen, column), split)

    def larger(self, chosen: tuple[int, ...], groups: Groups) -> list[Found]:
        """All sets that add later columns to the chosen ones."""
        found: list[Found] = []
        if len(chosen) == self.limit:
            return found
        for column in range(chosen[-1] + 1, self.table.width):
            if self.watch.expired:
                return found
            more = (*chosen, column)
            if len(more) == self.limit or column == self.table.width - 1:
                found += self.named(more, groups.joined(self.table, column))
                continue
            split = groups.split(self.table, column)
            found += self.named(more, split.ratios)
            found += self.larger(more, split)
        return found


def _sets(width: int, limit: int) -> int:
    """How many sets of at least one and at most `limit` columns there are."""
    return sum(comb(width, size) for size in range(1, min(width, limit) + 1))


def _kernels() -> Any:

    return kernels
