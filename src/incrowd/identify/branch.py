"""One branch of a search tree: the classes of a set of columns and of each of its prefixes."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

import numpy as np

from incrowd.arrays import Counts
from incrowd.identify.records import Budget, Records
from incrowd.kernels.identify import stripped
from incrowd.partition.refinement import PartitionRefiner, StrippedPartition
from incrowd.table.fold import in_threads

_SMALL = 2**15
_SPARE = 16
"""Classes may be left out while they cost at most 1 / `_SPARE` of the budget together."""

Stripped = StrippedPartition
Cost = tuple[int, int]
"""Least and most that classes cost."""
Kept = TypeVar("Kept")
"""Classes, with what is kept of each."""


@dataclass(frozen=True, eq=False)
class Costly:
    """Classes with what each costs, by falling powers of 2; cheap ones may have been left out."""

    classes: Stripped
    costs: Counts
    lost: int
    """The most that the classes left out cost."""


class Splitter:
    """Splits classes by the columns of a table."""

    def __init__(self, records: Records) -> None:
        self._codes = records.codes
        self._domains = records.domains
        self._refiner = self._new_refiner()
        self.whole = Stripped.whole(records.rows)

    def split(self, here: Stripped, column: int) -> Stripped:
        """Split the classes by one column."""
        return self._refiner.refine(here, self._codes[column])

    def single_column_classes(self, columns: Sequence[int]) -> list[Stripped]:
        """The classes by each of these columns alone; in threads if there are many rows."""
        if len(self.whole.rows) < _SMALL:
            return [self.split(self.whole, column) for column in columns]
        return in_threads([partial(self._split_in_thread, column) for column in columns])

    def _split_in_thread(self, column: int) -> Stripped:
        """The classes by one column alone, by a refiner of its own: this runs in a thread."""
        return self._new_refiner().refine(self.whole, self._codes[column])

    def _new_refiner(self) -> PartitionRefiner:
        """A refiner for all columns of the table; no two threads may share one."""
        return PartitionRefiner(self._codes.shape[1], int(self._domains.max(initial=1)))

    def cost(self, here: Costly, column: int, budget: Budget, *, exact: bool) -> Cost:
        """The least and most that classes, with those left out, cost once split by a column.

        If `exact`, all are split; else only until it is clear whether they keep to the budget.
        """
        domain = int(self._domains[column])
        least, most = stripped.refined_cost_range(
            here.classes.rows,
            here.classes.starts,
            here.costs,
            here.lost,
            self._codes[column],
            budget.weights,
            budget.kind,
            -1 if exact else max(budget.left, 0),
            np.zeros((3 if len(budget.weights) else 1, domain), dtype=np.int64),
            np.empty(domain, dtype=np.int32),
        )
        return int(least), int(most)


class SharedPath(ABC, Generic[Kept]):
    """The classes of one set of columns after the other, where neighbours share a beginning.

    Going from one set to the next splits only what comes after their common beginning; classes
    of single columns are kept for good.
    """

    def __init__(self, whole: Kept) -> None:
        self._single: dict[int, Kept] = {}
        self._path: list[int] = []
        self._stack = [whole]

    def classes(self, columns: Sequence[int]) -> Kept:
        """The classes by these columns, split in this order; the path is kept for the next call."""
        same = count_shared(columns, self._path)
        del self._path[same:], self._stack[same + 1 :]
        for column in columns[same:]:
            self._stack.append(self._split_on_path(column))
            self._path.append(column)
        return self._stack[-1]

    def _split_on_path(self, column: int) -> Kept:
        """Split the classes at the path's end by one column; those of a single column are kept."""
        if self._path:
            return self._split(self._stack[-1], column)
        if column not in self._single:
            self._single[column] = self._split(self._stack[0], column)
        return self._single[column]

    @abstractmethod
    def _split(self, here: Kept, column: int) -> Kept:
        """The classes split by one more column."""


def count_shared(one: Sequence[int], other: Sequence[int]) -> int:
    """How many columns two sequences have in common at their beginning."""
    same = 0
    while same < min(len(one), len(other)) and one[same] == other[same]:
        same += 1
    return same


class Branch(SharedPath[Stripped]):
    """The classes of one set of columns after the other; those of single columns are made first."""

    def __init__(self, splitter: Splitter, columns: Sequence[int]) -> None:
        super().__init__(splitter.whole)
        self._splitter = splitter
        self._single.update(zip(columns, splitter.single_column_classes(columns), strict=True))

    def _split(self, here: Stripped, column: int) -> Stripped:
        """The classes split by one more column."""
        return self._splitter.split(here, column)


class CostBranch(SharedPath[Costly]):
    """What one set of columns after the other costs, where neighbours share a beginning.

    Dear classes come first. Those that cost little are left out, as most rows are in such
    classes; only where they could change a verdict is the set looked at again with all of them.
    `spare` is what they may cost together; None takes 1 / `_SPARE` of the budget.
    """

    def __init__(self, splitter: Splitter, budget: Budget, spare: int | None = None) -> None:
        self._splitter = splitter
        self._budget = budget
        self._spare = max(budget.left, 0) // _SPARE if spare is None else spare
        self._whole = CostBranch(splitter, budget, 0) if self._spare else self
        super().__init__(self._keep_costly(splitter.whole, 0))

    def exact_costs(self, columns: Sequence[int], more: Sequence[int]) -> list[Cost]:
        """The exact cost of these columns with each of `more` added alone, as least and most."""
        if self._spare:
            return self._whole.exact_costs(columns, more)
        return self._costs_with_each(columns, more, exact=True)

    def cost_bounds(self, columns: Sequence[int], more: Sequence[int]) -> list[Cost]:
        """The least and most that these columns cost with each of `more` added alone.

        They are near enough to tell whether the set keeps to the budget.
        """
        costs = self._costs_with_each(columns, more, exact=False)
        doubtful = [
            column
            for column, (least, most) in zip(more, costs, strict=True)
            if least <= self._budget.left < most
        ]
        if not doubtful:
            return costs
        sure = dict(zip(doubtful, self._whole.cost_bounds(columns, doubtful), strict=True))
        return [sure.get(column, cost) for column, cost in zip(more, costs, strict=True)]

    def keeps_to_budget(self, columns: Sequence[int]) -> bool:
        """Whether these columns, at least one, cost no more than the budget."""
        [(_, most)] = self.cost_bounds(columns[:-1], columns[-1:])
        return most <= self._budget.left

    def _costs_with_each(
        self, columns: Sequence[int], more: Sequence[int], *, exact: bool
    ) -> list[Cost]:
        """The least and the most that these columns cost with each one of `more` added alone."""
        here = self.classes(columns)
        work = partial(self._splitter.cost, here, budget=self._budget, exact=exact)
        if len(more) == 1 or len(here.classes.rows) < _SMALL:
            return [work(column) for column in more]
        return in_threads([partial(work, column) for column in more])

    def _split(self, here: Costly, column: int) -> Costly:
        """The classes split by one more column, cheap ones left out."""
        return self._keep_costly(self._splitter.split(here.classes, column), here.lost)

    def _keep_costly(self, here: Stripped, lost: int) -> Costly:
        """Classes, dear first; those left out, now and before (`lost`), cost at most `_spare`."""
        costs, order = np.empty(here.number, dtype=np.int64), np.empty(here.number, dtype=np.int32)
        budget = self._budget
        stripped.fill_class_costs(here.rows, here.starts, budget.weights, budget.kind, costs)
        stripped.order_dearest_first(costs, order)
        rows, starts = np.empty_like(here.rows), np.empty_like(here.starts)
        number, less = stripped.keep_dear_classes(
            here.rows, here.starts, costs, order, self._spare - lost, rows, starts
        )
        starts = starts[: number + 1].copy()
        kept = Stripped(rows[: starts[-1]].copy(), starts)
        return Costly(kept, costs[:number].copy(), lost + int(less))
