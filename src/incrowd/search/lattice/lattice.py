"""Best-first search through a lattice with limits on the loss of nodes."""

from collections.abc import Iterator
from dataclasses import field
from math import inf, prod
from sys import float_info
from typing import ClassVar, Literal

from incrowd.arrays import Flags
from incrowd.errors import IncrowdError, LimitError
from incrowd.problem import Problem
from incrowd.search.lattice.bounds import limits_of
from incrowd.search.lattice.branches import Branches
from incrowd.search.lattice.descent import Descent, DescentStage
from incrowd.search.lattice.frontier import NOT_JUDGED, NodeGrid, NodeLog, NodeState, rank
from incrowd.search.lattice.full_domain import (
    EPSILON,
    allowed_levels,
    judge_node,
    readable_number,
    recode,
    recoding_of,
)
from incrowd.search.lattice.judging import Node, NodeClasses, NodeJudge
from incrowd.search.refusals import no_levels_error, raise_if_infeasible
from incrowd.search.search import Found, Recodes, Search
from incrowd.table.column import Missing
from incrowd.values import STRICT, dataclass
from incrowd.watch import Watch


@dataclass(frozen=True, config=STRICT)
class Lattice(Search):
    """The levels with the least loss, one per column, proved to be the best.

    >>> Lattice().name
    'lattice'
    """

    name: Literal["lattice"] = field(default="lattice", kw_only=True)
    recoding: ClassVar[Recodes] = "levels"
    offered: ClassVar[str] = "full-domain generalization"

    def run(self, problem: Problem, watch: Watch) -> Found:
        """Look for the levels with the least loss."""
        raise_if_infeasible(problem)
        quest = BestFirst(problem, watch)
        quest.seek()
        return quest.result()


LARGEST_GRID = 1_000_000
"""Lattices with more nodes are never held in memory as a whole."""

_FIRST = 20_000
"""Level vectors that local search looks at, at most, before branch and bound begins."""
_TURN = 2_000
"""The most that it looks at in one of its turns afterwards."""


class BestFirst:
    """One search for a loss below `bar`, which looks at no more than `most` level vectors."""

    def __init__(self, problem: Problem, watch: Watch, bar: float = inf, most: float = inf) -> None:
        self._problem = problem
        self._watch = watch
        self._most = most
        levels = [allowed_levels(column) for column in problem.columns]
        self._low, self._top = tuple(h[0] for h in levels), tuple(h[-1] for h in levels)
        self._nodes = prod(len(allowed) for allowed in levels)
        self._judge = NodeJudge(problem)
        self._limits = limits_of(problem, self._judge)
        self._large = self._nodes > LARGEST_GRID
        start = self._limits.starting_limits()
        self._lacks_limits = start is None
        self._seen: set[Node] = set()
        kind = Branches if self._large else NodeGrid
        self._frontier: Branches | NodeGrid = kind(self._low, self._top, start)
        self._record = NodeLog(tuple(column.name for column in problem.columns), self._nodes)
        self._anything = problem.missing is Missing.MATCHES_ANYTHING
        self._best = bar
        self._node: Node | None = None
        self._loss = inf
        self._examined = 0
        self._floor = -inf
        self._told_at = 0.0
        self._paused = 0

    @property
    def _is_over(self) -> bool:
        """Whether time or level vectors to look at are used up; a bar is a known answer."""
        answered = self._node is not None or self._best < inf
        return self._examined >= self._most or self._watch.is_over(answered=answered)

    def seek(self) -> None:
        """Look at open nodes until none can be better than the best.

        The highest node comes first: it is counted at once and can often be released, if badly. In
        a large lattice local search takes turns with branch and bound.
        """
        if self._is_over:
            return
        self._examine(self._top)
        local = self._large or self._lacks_limits
        descent = self._begin_descent() if local else None
        while not self._is_over and (lowest := self._frontier.lowest_open(self._best)):
            limit, node = lowest
            if self._node and limit > self._best - EPSILON and rank(node) > rank(self._node):
                self._frontier.close_ties_after(self._best, self._node)
                continue
            if self._frontier.limit(node) > self._best + EPSILON:
                self._frontier.close(node)
                continue
            self._climb(node)
            if descent is not None and self._large:
                self._descend(descent)

    def _begin_descent(self) -> Iterator[DescentStage]:
        """Start local search and take its first steps; return the steps that follow.

        It goes down from the highest node. Unless the lattice is large, it also tries nodes near
        the best one, until it would leap. It counts no more than `_FIRST` nodes.
        """
        descent = Descent(self._loss_of, self._low, self._top, self._limits.starting_limits())
        steps = descent.steps(self._loss)
        end = DescentStage.NEAR if self._large else DescentStage.LEAPS
        for tried, stage in enumerate(steps):
            if stage >= end or tried >= _FIRST:
                break
        self._paused = self._examined
        return steps

    def _descend(self, steps: Iterator[DescentStage]) -> None:
        """Take as many local steps as nodes were counted since the last turn, `_TURN` at most."""
        most = min(self._examined - self._paused, _TURN)
        for tried, _ in enumerate(steps, 1):
            if tried >= most or self._is_over:
                break
        self._paused = self._examined

    def _loss_of(self, node: Node) -> float:
        """Return a node's loss; infinite if it fails or was looked at before, or the time is up."""
        if self._is_over or self._frontier.limit(node) == inf:
            return inf
        self._loss = inf
        self._examine(node)
        return self._loss

    def _climb(self, node: Node) -> None:
        """Find where the nodes above this one stop being doomed, by dividing a chain of them.

        Higher nodes are cheaper to count and rule out more, so it is divided at two thirds; in the
        middle if nodes also rule out those above them. If none rules out those below, only this
        node is examined.
        """
        if not self._judge.prunes:
            self._examine(node)
            return
        chain = self._frontier.chain_upwards(node, self._best)
        low, high = 0, len(chain)
        self._floor = -inf
        while low < high and not self._is_over:
            middle = (low + high) // 2 if self._lacks_limits else (low + 2 * high) // 3
            if self._examine_in_chain(chain[middle]):
                low = middle + 1
            else:
                high = middle
        if low and isinstance(self._frontier, Branches):
            self._raise_doomed(chain[low - 1], self._frontier)

    def _examine_in_chain(self, node: Node) -> bool:
        """Examine a node of a chain if that helps; return whether to go on above it.

        It goes on above if the node is doomed and the nodes above are not known to be too costly.
        Once they are, a lower node may have only costly ones above, too: it is examined, even if
        its own limit is too high, and rules out more.
        """
        costly = self._floor > self._best + EPSILON
        open_ = self._frontier.limit(node) <= self._best + EPSILON
        if not open_ and (not costly or node in self._seen):
            return False
        return self._examine(node) and self._floor <= self._best + EPSILON

    def _raise_doomed(self, node: Node, branches: Branches) -> None:
        """Raise a doomed node while it stays so, cheapest columns first: it rules out more then."""
        for j in branches.cheapest_columns(node):
            level = self._top[j]
            while level > node[j] and not self._is_over:
                raised = (*node[:j], level, *node[j + 1 :])
                if not branches.is_hopeful(raised) and (
                    branches.is_doomed(raised) or self._examine(raised)
                ):
                    node = raised
                else:
                    level = (node[j] + level) // 2

    def _examine(self, node: Node) -> bool:
        """Count a node and note what follows; return whether it and all below are doomed."""
        self._examined += 1
        if self._lacks_limits:
            self._seen.add(node)
        self._tell_progress()
        if self._anything:
            return self._examine_crowds(node)
        judge = self._judge
        counted = judge.count(node)
        k = int(counted.sizes.people.min())
        self._floor = self._limits.limit_above(counted)
        if self._floor > -inf:
            self._frontier.lift_above(node, self._floor)
        verdict = judge.judge_by_size(counted)
        if judge.leaves_out_too_much(counted, verdict.doomed):
            known = judge.sizes_decide
            lost = judge.count_records(counted, verdict.doomed) if known else NOT_JUDGED
            return self._mark_doomed(node, k, lost)
        lifted: Flags | None = None
        if not judge.sizes_decide:
            self._lift_limits(counted, verdict.doomed)
            if self._frontier.limit(node) > self._best + EPSILON and not self._large:
                self._frontier.close(node)
                self._record.add_other(node, k, NodeState.COSTLY)
                return False
            lifted, verdict = verdict.doomed, judge.judge_by_value(counted)
        suppressed = judge.count_records(counted, ~verdict.kept)
        if judge.is_hopeless(counted, verdict):
            return self._mark_doomed(node, k, suppressed)
        self._frontier.mark_hopeful(node)
        if lifted is None or (verdict.doomed > lifted).any():
            self._lift_limits(counted, verdict.doomed)
        self._frontier.close(node)
        if judge.may_leave_out(suppressed):
            self._note_releasable(node, k, suppressed, self._limits.loss(counted, verdict.kept))
        else:
            self._record.add_other(node, k, NodeState.FAILING, suppressed)
        return False

    def _mark_doomed(self, node: Node, k: int, suppressed: int) -> bool:
        """Close a node and all below it, and write it down; always True."""
        self._frontier.doom(node)
        self._record.add_other(node, k, NodeState.FAILING, suppressed)
        return True

    def _lift_limits(self, counted: NodeClasses, doomed: Flags) -> None:
        """Raise the limits at and below a node by what its doomed classes cost."""
        parts = self._limits.limits_below(counted, doomed)
        if parts is not None:
            self._frontier.lift_below(counted.node, parts)
        elif (more := self._limits.surcharge(counted, doomed)) > 0:
            self._frontier.add_surcharge(counted.node, more)

    def _examine_crowds(self, node: Node) -> bool:
        """Do what `_examine` does where missing values match anything, and limits do not hold."""
        self._frontier.close(node)
        found = judge_node(self._problem, node)
        recoding = recoding_of(self._problem, found)
        if recoding is not None:
            loss = self._problem.loss.of(self._problem.outcome(recoding))
            self._note_releasable(node, found.smallest_class, found.failing, loss)
            return False
        if self._judge.sizes_decide and self._problem.absorbing:
            return self._mark_doomed(node, found.smallest_class, found.failing)
        self._record.add_other(node, found.smallest_class, NodeState.FAILING, found.failing)
        return False

    def _note_releasable(self, node: Node, k: int, suppressed: int, loss: float) -> None:
        """Write down a node that can be released; take it as the best if it is."""
        self._loss = loss
        equal = loss <= self._best + EPSILON and self._node is not None
        better = loss < self._best - EPSILON or (equal and rank(node) < rank(self._node or node))
        self._record.add_releasable(node, k, suppressed, loss, best=better)
        if better:
            self._best, self._node = loss, node

    def _tell_progress(self) -> None:
        """Tell the watch what share of the nodes is ruled out, five times a second at most."""
        if self._watch.elapsed - self._told_at > 0.2:
            self._told_at = self._watch.elapsed
            done = 1 - self._frontier.count_open(self._best) / self._nodes
            self._watch.tell("searching the lattice", done)

    def result(self) -> Found:
        """Return the best node; without one `LimitError` if cut short, else `InfeasibleError`."""
        recoding = None if self._node is None else recode(self._problem, self._node)
        if self._node is None or recoding is None:
            raise self._nothing_found_error(out_of_time=self._frontier.bound < inf)
        optimal = self.proved
        facts = {
            "nodes": _as_float(self._nodes),
            "examined": float(self._examined),
            "pruned": _as_float(self._nodes - self._examined),
        }
        if not optimal and self._frontier.bound > -inf:
            facts["bound"] = self._frontier.bound
            facts["gap"] = self._best - self._frontier.bound
        why = self._result_in_words(optimal=optimal)
        explored = self._record.as_explored(self._node)
        return Found(recoding, "lattice", optimal, why, facts, explored)

    @property
    def proved(self) -> bool:
        """Whether no open node can be better than the best, or than the bar."""
        return self._frontier.bound > self._best - EPSILON

    @property
    def has_found(self) -> bool:
        """Whether a node was found, below the bar if there is one."""
        return self._node is not None

    @property
    def examined_in_words(self) -> str:
        """How much was looked at, in words."""
        return f"{self._examined:,} of {readable_number(self._nodes)} level vectors examined"

    def _result_in_words(self, *, optimal: bool) -> str:
        """Say what the best node is, and how far from the optimum it may be."""
        looked = self.examined_in_words
        if optimal:
            return f"lowest {self._problem.loss.name} loss of all level vectors; {looked}"
        why = f"lowest {self._problem.loss.name} loss found within the time limit"
        if self._frontier.bound > -inf:
            gap = self._best - self._frontier.bound
            why += f", at most {gap:.4g} above the optimum (lower bound {self._frontier.bound:.4g})"
        return f"{why}; {looked}"

    def _nothing_found_error(self, *, out_of_time: bool) -> IncrowdError:
        """Return the error for a search without a solution: no time is left, or there is none."""
        if not out_of_time:
            return no_levels_error(self._problem)
        return LimitError(
            f"the time limit ended after {self._examined:,} of {readable_number(self._nodes)} "
            "level vectors; none of them satisfies the policy",
            remedy='raise the time limit, or use search = "mondrian"',
        )


def _as_float(nodes: int) -> float:
    """Return a number of nodes as a float; one too large for that becomes the largest float."""
    return float(min(nodes, float_info.max))
