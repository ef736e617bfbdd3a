"""Lower limits of the loss of nodes (proved in decision record 0006), and losses of nodes."""

from collections.abc import Sequence
from functools import cached_property, partial

import numpy as np

from incrowd.arrays import Codes, Counts, Flags, Floats
from incrowd.kernels.lattice import nodes as kernels
from incrowd.problem import Problem
from incrowd.recoding import Outcome
from incrowd.search.lattice.full_domain import number_kept
from incrowd.search.lattice.judging import NodeClasses, NodeJudge, row_halves
from incrowd.table.fold import in_threads


class CellLimits:
    """For losses that are a weighted mean of costs of cells.

    A record costs what its cells cost, or 1 if it is suppressed; costs never fall as levels rise.
    Records known to fail at a node, and so at all below it, cost 1 there.
    """

    def __init__(self, problem: Problem, judge: NodeJudge, costs: Sequence[Floats]) -> None:
        self._tally = problem.tally
        self._judge = judge
        weights = np.array([column.weight for column in problem.columns])
        self._weights = weights / weights.sum()
        scaled = self._weights / judge.total
        flat = [
            np.ascontiguousarray(w * cost.T).ravel() for w, cost in zip(scaled, costs, strict=True)
        ]
        self._costs = np.concatenate(flat)
        self._heights = np.array([len(cost) for cost in costs], dtype=np.int64)
        self._offset = np.cumsum([0, *(len(cost) for cost in flat)])[:-1].astype(np.int64)
        self._start = np.cumsum([0, *(cost.shape[1] for cost in costs)]).astype(np.int64)
        self._whole = self._payments(self._records_by_code(None))

    def _records_by_code(self, failing: Flags | None, counted: NodeClasses | None = None) -> Counts:
        """Return records per column and code, flat: those of failing classes, or all if None."""
        tally = self._tally
        if failing is None or counted is None:
            row_of = class_of = np.zeros(tally.rows, dtype=np.int32)
            failing = np.ones(1, dtype=np.bool_)
        else:
            row_of, class_of = counted.table.row_of, counted.class_of
        shares = [(rows, np.zeros(self._start[-1], np.int64)) for rows in row_halves(tally.rows)]
        count = partial(kernels.add_failing_codes, tally.quasi, tally.counts)
        state = row_of, class_of, failing, self._start
        in_threads([partial(count, rows, *state, held) for rows, held in shares])
        total: Counts = np.sum([held for _, held in shares], axis=0)
        return total

    def _payments(self, held: Counts) -> list[Floats]:
        """Return what records, `held` by column and code, pay by column and level, as loss."""
        paid = kernels.costs_by_level(held, self._start, self._costs, self._offset, self._heights)
        return [line[:levels] for line, levels in zip(paid, self._heights.tolist(), strict=True)]

    def starting_limits(self) -> list[Floats]:
        """Return the mean cost by column and level; the sum over a node's levels is its limit."""
        return self._whole

    def limits_below(self, counted: NodeClasses, failing: Flags) -> list[Floats]:
        """Return limits for nodes at or below, where failing records fail too, by column and level.

        The sum of a node's levels is its limit: the mean cost of records, where failing ones cost 1
        each, added to the first column.
        """
        lost = int(counted.sizes.records[failing].sum())
        if lost == 0:
            return [mean[: h + 1] for mean, h in zip(self._whole, counted.node, strict=True)]
        paid = self._payments(self._records_by_code(failing, counted))
        parts = [
            mean[: h + 1] - cost[: h + 1]
            for mean, cost, h in zip(self._whole, paid, counted.node, strict=True)
        ]
        parts[0] += lost / self._judge.total
        return parts

    def loss(self, counted: NodeClasses, kept: Flags) -> float:
        """Return the loss of a node of which only the classes `kept` are released."""
        return float(sum(part[-1] for part in self.limits_below(counted, ~kept)))

    def limit_above(self, counted: NodeClasses) -> float:
        """Return minus infinity: costs of cells are in `starting_limits` already."""
        del counted
        return -np.inf

    def surcharge(self, counted: NodeClasses, failing: Flags) -> float:
        """Return 0: what failing records pay more is in `limits_below`."""
        del counted, failing
        return 0.0


class OutcomeLimits:
    """For all other losses: computed from what the node shows, limited by the loss's own bounds."""

    def __init__(self, problem: Problem, judge: NodeJudge) -> None:
        self._problem = problem
        self._judge = judge

    def starting_limits(self) -> None:
        """Return None: nothing is known."""

    def loss(self, counted: NodeClasses, kept: Flags) -> float:
        """Return the loss of what the node shows when only the classes `kept` leave."""
        return self._problem.loss.of(NodeOutcome(self._problem, self._judge, counted, kept))

    def limits_below(self, counted: NodeClasses, failing: Flags) -> None:
        """Return None: nothing is known of single levels."""

    def limit_above(self, counted: NodeClasses) -> float:
        """Return the bound that the loss itself gives for the nodes at or above."""
        everything = np.ones(len(counted.sizes), dtype=np.bool_)
        outcome = NodeOutcome(self._problem, self._judge, counted, everything)
        spare = self._problem.suppressible
        return self._problem.loss.bound(outcome, self._judge.least_class_size, spare)

    def surcharge(self, counted: NodeClasses, failing: Flags) -> float:
        """Return what the loss itself says that failing records add; 0 if none fails."""
        if not failing.any():
            return 0.0
        outcome = NodeOutcome(self._problem, self._judge, counted, failing)
        return self._problem.loss.surcharge(outcome, self._judge.least_class_size)


class NodeOutcome(Outcome):
    """What a node shows when only some of its classes leave; worked out as far as a loss asks."""

    def __init__(
        self, problem: Problem, judge: NodeJudge, counted: NodeClasses, kept: Flags
    ) -> None:
        classes = judge.classes(counted)
        if not kept.all():
            classes = classes.take(np.flatnonzero(kept).astype(np.int32))
        nothing = np.empty((len(problem.columns), 0), dtype=np.int32)
        suppressed = judge.count_records(counted, ~kept)
        super().__init__(
            problem.columns, nothing, nothing, nothing, classes, suppressed, spans=False
        )
        for name in ("low", "high", "level", "class_of"):
            del self.__dict__[name]
        self.__dict__.update(tally=problem.tally, _counted=counted, _kept=kept)

    @cached_property
    def _cells(self) -> tuple[Codes, Codes]:
        """The first and the last leaf of each cell."""
        counted: NodeClasses = self.__dict__["_counted"]
        codes = counted.table.tally.quasi[:, counted.first[self.__dict__["_kept"]]]
        low, high = np.empty_like(codes), np.empty_like(codes)
        for j, (column, level) in enumerate(zip(self.columns, counted.node, strict=True)):
            node = column.hierarchy.maps[level][codes[j]]
            lows, highs = column.hierarchy.bounds[level]
            low[j], high[j] = lows[node], highs[node]
        return low, high

    @cached_property
    def low(self) -> Codes:
        """The first leaf of each cell."""
        return self._cells[0]

    @cached_property
    def high(self) -> Codes:
        """The last leaf of each cell."""
        return self._cells[1]

    @cached_property
    def level(self) -> Codes:
        """The node's levels, for every class."""
        counted: NodeClasses = self.__dict__["_counted"]
        levels = np.array(counted.node, dtype=np.int32)[:, np.newaxis]
        return np.repeat(levels, len(self.classes), axis=1)

    @cached_property
    def class_of(self) -> Codes:
        """The class of each row of the problem's tally."""
        counted: NodeClasses = self.__dict__["_counted"]
        return number_kept(self.__dict__["_kept"])[counted.class_of][counted.table.row_of]


def limits_of(problem: Problem, judge: NodeJudge) -> CellLimits | OutcomeLimits:
    """Return limits by costs of cells if the problem's loss has such, else by outcomes."""
    costs = [problem.loss.cell_costs(column) for column in problem.columns]
    known = [cost for cost in costs if cost is not None]
    if len(known) == len(costs):
        return CellLimits(problem, judge, known)
    return OutcomeLimits(problem, judge)
