"""The classes of a set of columns, kept for every beginning of it: one branch of a search tree."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.quasi.records import Records
from incrowd.quasi.shortfall import Budget
from incrowd.table.fold import in_threads

_SMALL = 2**15


@dataclass(frozen=True, eq=False)
class Stripped:
    """Classes of two rows and more: their rows one class after the other, and where each starts."""

    rows: Codes
    starts: Counts

    @property
    def number(self) -> int:
        """Number of classes."""
        return len(self.starts) - 1


@dataclass(frozen=True, eq=False)
class Costs:
    """What each class of a partition costs, and the classes with the dearest first."""

    each: Counts
    order: Codes
    total: int


def _kernels() -> Any:
    from incrowd.kernels import stripped  # noqa: PLC0415  numba only when it is needed

    return stripped


class Branch:
    """The classes of one set of columns after the other, where neighbours share a beginning.

    Going from one set to the next refines only what comes after their common beginning; classes
    of single columns are kept for good.
    """

    def __init__(self, records: Records, budget: Budget) -> None:
        self._codes = records.codes
        self._budget = budget
        self._domains = records.domains
        self._sums = np.zeros((3, int(self._domains.max(initial=1))), dtype=np.int64)
        self._tally = np.zeros(self._sums.shape[1], dtype=np.int32)
        bounds = np.array([0, records.rows] if records.rows > 1 else [0], dtype=np.int64)
        rows = np.arange(records.rows if records.rows > 1 else 0, dtype=np.int32)
        self._whole = Stripped(rows, bounds)
        self._single: dict[int, Stripped] = {}
        self._path: list[int] = []
        self._classes: list[Stripped] = [self._whole]
        self._costs: list[Costs | None] = [None]

    def classes(self, columns: Sequence[int]) -> Stripped:
        """The classes of these columns, refined in this order."""
        same = 0
        while same < min(len(columns), len(self._path)) and columns[same] == self._path[same]:
            same += 1
        del self._path[same:], self._classes[same + 1 :], self._costs[same + 1 :]
        for column in columns[same:]:
            self._classes.append(self._next(column))
            self._costs.append(None)
            self._path.append(column)
        return self._classes[-1]

    def cost(self, columns: Sequence[int]) -> int:
        """What the classes of these columns cost."""
        self.classes(columns)
        return self._weighed().total

    def costs_with(
        self, columns: Sequence[int], more: Sequence[int], *, exact: bool
    ) -> list[tuple[int, int]]:
        """Least and most of what the classes of these columns and each one more cost.

        They are equal if `exact`; otherwise they only tell whether the cost keeps to the budget.
        """
        here = self.classes(columns)
        costs = self._weighed()
        budget = -1 if exact else self._budget.left
        if len(more) == 1 or len(here.rows) < _SMALL:
            return [self._refined_cost(here, costs, column, budget, self._sums) for column in more]
        sums = [np.zeros_like(self._sums) for _ in more]
        work = partial(self._refined_cost, here, costs)
        return in_threads(
            [partial(work, j, budget, zeros) for j, zeros in zip(more, sums, strict=True)]
        )

    def _refined_cost(
        self, here: Stripped, costs: Costs, column: int, budget: int, sums: Counts
    ) -> tuple[int, int]:
        least, most = _kernels().cost_refined(
            here.rows,
            here.starts,
            costs.each,
            costs.order,
            self._codes[column],
            self._budget.weights,
            self._budget.kind,
            budget,
            sums,
        )
        return int(least), int(most)

    def keeps(self, columns: Sequence[int]) -> bool:
        """Whether these columns, at least one, keep to the budget."""
        [(_, most)] = self.costs_with(columns[:-1], columns[-1:], exact=False)
        return most <= self._budget.left

    def _weighed(self) -> Costs:
        found = self._costs[-1]
        if found is None:
            found = self._costs[-1] = self._weigh(self._classes[-1])
        return found

    def _weigh(self, here: Stripped) -> Costs:
        each = np.empty(here.number, dtype=np.int64)
        order = np.empty(here.number, dtype=np.int32)
        budget = self._budget
        _kernels().costs_of(here.rows, here.starts, budget.weights, budget.kind, each)
        _kernels().large_first(each, order)
        return Costs(each, order, int(each.sum()))

    def _next(self, column: int) -> Stripped:
        if self._path:
            return self._refined(self._classes[-1], column)
        if column not in self._single:
            self._single[column] = self._refined(self._whole, column)
        return self._single[column]

    def _refined(self, here: Stripped, column: int) -> Stripped:
        rows = np.empty_like(here.rows)
        bounds = np.empty(len(rows) // 2 + 1, dtype=np.int64)
        refine = _kernels().refine
        number = refine(here.rows, here.starts, self._codes[column], self._tally, rows, bounds)
        bounds = bounds[: number + 1].copy()
        return Stripped(rows[: bounds[-1]].copy(), bounds)
