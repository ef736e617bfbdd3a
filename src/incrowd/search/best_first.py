"""Best-first search through a lattice with limits on the loss of nodes."""

from math import inf, prod

from incrowd.arrays import Flags
from incrowd.errors import IncrowdError, LimitError
from incrowd.problem import Problem
from incrowd.search.bounds import limits_of
from incrowd.search.frontier import EPSILON, Frontier, Grid, Heap, rank
from incrowd.search.full_domain import nothing_found, recode
from incrowd.search.judging import Counted, Judge
from incrowd.search.rollup import Node
from incrowd.search.search import Found
from incrowd.table.roles import Missing
from incrowd.watch import Watch

LARGEST_GRID = 5_000_000
"""Lattices with more nodes are never held in memory as a whole."""


class Quest:
    """One search: the open nodes, and the best one so far.

    With a `bar` it looks for losses below that only.
    """

    def __init__(self, problem: Problem, watch: Watch, bar: float = inf) -> None:
        self._problem = problem
        self._watch = watch
        self._judge = Judge(problem)
        self._limits = limits_of(problem, self._judge)
        shape = tuple(column.hierarchy.levels for column in problem.columns)
        bottom = tuple(column.lowest for column in problem.columns)
        self._nodes = prod(top - low for top, low in zip(shape, bottom, strict=True))
        self._top = tuple(levels - 1 for levels in shape)
        kind = Grid if prod(shape) <= LARGEST_GRID else Heap
        self._frontier: Frontier = kind(shape, self._limits.start(), bottom)
        self._anything = problem.missing is Missing.MATCHES_ANYTHING
        self._best = bar
        self._node: Node | None = None
        self._examined = 0
        self._told = 0.0

    def seek(self) -> None:
        """Look at open nodes until none can be better than the best.

        The highest node comes first: it is counted at once and can often be released, if badly.
        """
        if not self._watch.expired:
            self._examine(self._top)
        while not self._watch.expired and (lowest := self._frontier.lowest()):
            limit, node = lowest
            if limit > self._best + EPSILON:
                return
            if self._node and limit > self._best - EPSILON and rank(node) > rank(self._node):
                self._frontier.settle(self._best, self._node)
                continue
            if self._frontier.limit(node) > self._best + EPSILON:
                self._frontier.close(node)
                continue
            self._climb(node)

    def _climb(self, node: Node) -> None:
        """Find where the nodes above this one stop being doomed, dividing a chain of them.

        Higher nodes are cheaper to count and rule out more, so it is divided at two thirds.
        """
        if not self._judge.prunes:
            self._examine(node)
            return
        chain = self._frontier.chain(node, self._best)
        low, high = 0, len(chain)
        while low < high and not self._watch.expired:
            middle = (low + 2 * high) // 3
            open_ = self._frontier.limit(chain[middle]) <= self._best + EPSILON
            if open_ and self._examine(chain[middle]):
                low = middle + 1
            else:
                high = middle

    def _examine(self, node: Node) -> bool:
        """Count a node; whether it and all below are doomed."""
        self._examined += 1
        self._tell()
        if self._anything:
            return self._examine_crowds(node)
        counted = self._judge.count(node)
        if (limit := self._limits.above(counted)) > -inf:
            self._frontier.lift_above(node, limit)
        verdict = self._judge.by_size(counted)
        if self._judge.too_many(counted, verdict.doomed):
            self._frontier.doom(node)
            return True
        lifted: Flags | None = None
        if not self._judge.final:
            self._lift(counted, verdict.doomed)
            if self._frontier.limit(node) > self._best + EPSILON:
                self._frontier.close(node)
                return False
            lifted, verdict = verdict.doomed, self._judge.by_value(counted)
        if self._judge.hopeless(counted, verdict):
            self._frontier.doom(node)
            return True
        self._frontier.hope(node)
        if lifted is None or (verdict.doomed > lifted).any():
            self._lift(counted, verdict.doomed)
        self._frontier.close(node)
        if not self._judge.too_many(counted, ~verdict.kept):
            self._take(node, self._limits.loss(counted, verdict.kept))
        return False

    def _lift(self, counted: Counted, doomed: Flags) -> None:
        parts = self._limits.below(counted, doomed)
        if parts is not None:
            self._frontier.lift_below(counted.node, parts)

    def _examine_crowds(self, node: Node) -> bool:
        recoding = recode(self._problem, node)
        self._frontier.close(node)
        if recoding is not None:
            self._take(node, self._problem.loss.of(self._problem.outcome(recoding)))
        elif self._judge.final and self._problem.absorbing:
            self._frontier.doom(node)
            return True
        return False

    def _take(self, node: Node, loss: float) -> None:
        equal = loss <= self._best + EPSILON and self._node is not None
        if loss < self._best - EPSILON or (equal and rank(node) < rank(self._node or node)):
            self._best, self._node = loss, node

    def _tell(self) -> None:
        if self._watch.elapsed - self._told > 0.2:
            self._told = self._watch.elapsed
            done = 1 - self._frontier.open(self._best) / self._nodes
            self._watch.tell("searching the lattice", done)

    def found(self) -> Found:
        """The best node as a recoding."""
        lowest = self._frontier.lowest()
        recoding = None if self._node is None else recode(self._problem, self._node)
        if recoding is None:
            raise self._nothing(out_of_time=lowest is not None)
        optimal = self.proved
        facts = {
            "nodes": float(self._nodes),
            "examined": float(self._examined),
            "pruned": float(self._nodes - self._examined),
        }
        if not optimal and lowest is not None and lowest[0] > -inf:
            facts["gap"] = self._best - lowest[0]
        return Found(recoding, "lattice", optimal, self._why(optimal=optimal), facts)

    @property
    def proved(self) -> bool:
        """Whether no open node can be better than the best, or than the bar."""
        lowest = self._frontier.lowest()
        return lowest is None or lowest[0] > self._best - EPSILON

    @property
    def beaten(self) -> bool:
        """Whether a node was found, below the bar if there is one."""
        return self._node is not None

    @property
    def looked(self) -> str:
        """How much was looked at, in words."""
        return f"{self._examined:,} of {self._nodes:,} level vectors were counted"

    def _why(self, *, optimal: bool) -> str:
        if optimal:
            return f"the least {self._problem.loss.name} of all level vectors; {self.looked}"
        return f"the least {self._problem.loss.name} found before the time was up; {self.looked}"

    def _nothing(self, *, out_of_time: bool) -> IncrowdError:
        if not out_of_time:
            return nothing_found(self._problem)
        return LimitError(
            f"the time was up after {self._examined:,} of {self._nodes:,} level vectors,"
            " none of which can be released",
            remedy="give it more time, or choose the search 'mondrian'",
        )
