"""Lower limits of the loss of nodes, and the loss of a node that was counted.

See docs/decisions/0006-how-the-lattice-proves-its-optimum.md for why they hold.
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from incrowd.arrays import Flags, Floats
from incrowd.kernels import lattice as kernels
from incrowd.problem import Problem
from incrowd.recoding import Outcome
from incrowd.search.judging import Counted, Judge


class Limits(Protocol):
    """What is known of losses without counting, and what counting a node teaches."""

    def start(self) -> list[Floats] | None:
        """Per column and level: parts of a lower limit that sum up; None if there is none."""

    def loss(self, counted: Counted, kept: Flags) -> float:
        """The loss of a node when only these classes leave."""

    def below(self, counted: Counted, failing: Flags) -> list[Floats] | None:
        """Parts of a limit for the nodes at or below, where the failing records fail as well."""

    def above(self, counted: Counted) -> float:
        """A limit for the nodes at or above."""


class CellLimits:
    """For losses that are a weighted mean of costs of cells.

    A record costs what its cells cost, or 1 if it is suppressed; costs never fall as levels rise.
    Records known to fail at a node, and so at all below it, cost 1 there.
    """

    def __init__(self, problem: Problem, judge: Judge, costs: Sequence[Floats]) -> None:
        self._tally = problem.tally
        self._judge = judge
        weights = np.array([column.weight for column in problem.columns])
        self._weights = weights / weights.sum()
        self._heights = np.array([len(cost) for cost in costs], dtype=np.int64)
        self._offset = np.cumsum([0, *(cost.size for cost in costs)])[:-1].astype(np.int64)
        self._costs = np.concatenate([np.ascontiguousarray(cost.T).ravel() for cost in costs])
        self._whole = [self._mean(cost, j) for j, cost in enumerate(costs)]

    def _mean(self, cost: Floats, j: int) -> Floats:
        frequency = np.bincount(
            self._tally.quasi[j], weights=self._tally.counts, minlength=cost.shape[1]
        )
        mean: Floats = self._weights[j] * (cost @ frequency) / self._judge.total
        return mean

    def start(self) -> list[Floats]:
        """Mean costs of all records."""
        return self._whole

    def below(self, counted: Counted, failing: Flags) -> list[Floats]:
        """Mean costs of those that do not fail, plus 1 for those that do."""
        lost = int(counted.sizes.records[failing].sum())
        if lost == 0:
            return [mean[: h + 1] for mean, h in zip(self._whole, counted.node, strict=True)]
        costs = kernels.failing_costs(
            self._tally.quasi,
            self._tally.counts,
            counted.table.row_of,
            counted.class_of,
            failing,
            self._costs,
            self._offset,
            np.array(counted.node, dtype=np.int64),
            self._heights,
        )
        costs *= self._weights[:, None] / self._judge.total
        parts = [
            mean[: h + 1] - cost[: h + 1]
            for mean, cost, h in zip(self._whole, costs, counted.node, strict=True)
        ]
        parts[0] += lost / self._judge.total
        return parts

    def loss(self, counted: Counted, kept: Flags) -> float:
        """The limit at the node itself is its loss."""
        return float(sum(part[-1] for part in self.below(counted, ~kept)))

    def above(self, counted: Counted) -> float:
        """Nothing new: costs of cells are in `start` already."""
        del counted
        return -np.inf


class OutcomeLimits:
    """For all other losses: computed from what the node shows, limited by the loss's own bound."""

    def __init__(self, problem: Problem, judge: Judge) -> None:
        self._problem = problem
        self._judge = judge

    def start(self) -> None:
        """Nothing is known."""

    def loss(self, counted: Counted, kept: Flags) -> float:
        """The loss of what the node shows."""
        return self._problem.loss.of(self._outcome(counted, kept))

    def below(self, counted: Counted, failing: Flags) -> None:
        """Nothing is known."""

    def above(self, counted: Counted) -> float:
        """The loss's own bound."""
        everything = np.ones(len(counted.sizes), dtype=np.bool_)
        return self._problem.loss.bound(self._outcome(counted, everything))

    def _outcome(self, counted: Counted, kept: Flags) -> Outcome:
        codes = counted.table.tally.quasi[:, counted.first[kept]]
        low, high = np.empty_like(codes), np.empty_like(codes)
        for j, (column, level) in enumerate(zip(self._problem.columns, counted.node, strict=True)):
            node = column.hierarchy.maps[level][codes[j]]
            low[j], high[j] = (ends[node] for ends in column.hierarchy.bounds[level])
        levels = np.repeat(np.array(counted.node, dtype=np.int32)[:, None], codes.shape[1], axis=1)
        lost = int(counted.sizes.records[~kept].sum())
        classes = self._judge.classes(counted)
        if lost:
            classes = classes.take(np.flatnonzero(kept).astype(np.int32))
        return Outcome(self._problem.columns, low, high, levels, classes, lost, spans=False)


def limits_of(problem: Problem, judge: Judge) -> Limits:
    """The limits that the problem's loss allows."""
    costs = [problem.loss.cell_costs(column) for column in problem.columns]
    known = [cost for cost in costs if cost is not None]
    if len(known) == len(costs):
        return CellLimits(problem, judge, known)
    return OutcomeLimits(problem, judge)
