"""Predictive tagging: what a node that was counted says about those above and below it.

Kohlmayer, Prasser, Eckert, Kemper and Kuhn, "Flash" (PASSAT 2012) divide chains of nodes so; here
for any models. A node that can be released rules out all above it as minimal, whatever the models;
one that fails rules out those below it where the models are such (see `NodeJudge`).
"""

from dataclasses import dataclass
from itertools import product
from math import inf, nan, prod

import numpy as np

from incrowd.arrays import Codes, Flags, Floats
from incrowd.problem import Problem
from incrowd.search.lattice.bounds import limits_of
from incrowd.search.lattice.frontier import (
    NOT_JUDGED,
    Explored,
    NodeState,
    flag_lowest,
    rank,
    sum_parts,
)
from incrowd.search.lattice.full_domain import EPSILON, recode
from incrowd.search.lattice.judging import Node, NodeClasses, NodeJudge
from incrowd.table.column import Missing
from incrowd.watch import Watch

_OPEN, _CLOSED, _ABOVE = range(3)
"""Nothing is known of a node; it was counted or cannot be released; a node below it can be
released, so that it is not minimal."""


@dataclass(frozen=True, eq=False)
class _NodeFacts:
    """What counting a node taught."""

    node: Node
    k: int
    """People in the smallest class."""
    suppressed: int
    """Records in failing classes, or `NOT_JUDGED`."""
    loss: float
    """NaN unless the node can be released."""
    state: NodeState
    hopeless: bool
    """Neither the node nor any below it can be released."""
    bound: float
    """No node at or above has a smaller loss."""


class TaggedLattice:
    """A lattice from `low` to `high`, all open at first, and what is known of its nodes."""

    def __init__(self, problem: Problem, low: Node, high: Node) -> None:
        self._problem = problem
        self._judge = NodeJudge(problem)
        self._limits = limits_of(problem, self._judge)
        self._anything = problem.missing is Missing.MATCHES_ANYTHING
        self._low, self._high = low, high
        self._shape = tuple(top - bottom + 1 for bottom, top in zip(low, high, strict=True))
        self._tags = np.full(self._shape, _OPEN, dtype=np.int8)
        self._least = self._start_bounds()
        self._facts: dict[Node, _NodeFacts] = {}
        self._last_told_at = 0.0
        self.size = prod(self._shape)

    def _start_bounds(self) -> Floats:
        """A lower bound of the loss of every node, minus infinity where none is known."""
        parts = self._limits.starting_limits()
        if parts is None:
            return np.full(self._shape, -inf)
        return sum_parts(parts, self._low, self._high)

    @property
    def examined(self) -> int:
        """How many nodes were counted."""
        return len(self._facts)

    def climb(self, watch: Watch) -> bool:
        """Find all minimal nodes; False if the time was up before."""
        steps = [range(low, high + 1) for low, high in zip(self._low, self._high, strict=True)]
        for node in sorted(product(*steps), key=rank):
            while self._tag_of(node) == _OPEN:
                if self._is_over(watch):
                    return False
                self._tell(watch, "looking for minimal generalizations")
                chain = self._chain_upwards(node) if self._judge.prunes else [node]
                self._divide_chain(chain, watch)
        return True

    def _is_over(self, watch: Watch) -> bool:
        """Whether to stop: time is up, and there is a node unless the time limit is hard."""
        return watch.expired and watch.is_over(answered=bool(self._releasable))

    def _tag_of(self, node: Node) -> int:
        """The tag of a node: open, closed, or above a releasable one."""
        return int(self._tags[self._place_of(node)])

    def _place_of(self, node: Node) -> Node:
        """The place of a node in the arrays: its levels less the lowest ones."""
        return tuple(level - low for level, low in zip(node, self._low, strict=True))

    def _chain_upwards(self, node: Node) -> list[Node]:
        """Open nodes from this one up, a step apart: the column lowest for its height rises."""
        chain = [node]
        while True:
            steps = [step for step in self._steps_up(chain[-1]) if self._tag_of(step[1]) == _OPEN]
            if not steps:
                return chain
            chain.append(min(steps)[1])

    def _steps_up(self, node: Node) -> list[tuple[float, Node]]:
        """The nodes one step above, each in a pair after its raised level over the highest one."""
        return [
            ((level + 1) / high, (*node[:j], level + 1, *node[j + 1 :]))
            for j, (level, high) in enumerate(zip(node, self._high, strict=True))
            if level < high
        ]

    def _divide_chain(self, chain: list[Node], watch: Watch) -> None:
        """Examine nodes until it is known where a chain becomes releasable, or the time is up."""
        low, high = 0, len(chain)
        while low < high and not self._is_over(watch):
            middle = (low + 2 * high) // 3  # higher nodes are cheaper to count
            if self._tag_of(chain[middle]) != _OPEN:
                low = middle + 1
                continue
            if self._examine(chain[middle]).state is NodeState.RELEASABLE:
                high = middle
            else:
                low = middle + 1

    def _examine(self, node: Node) -> _NodeFacts:
        """Count and judge a node, remember what was found, and tag it and nodes above or below."""
        look = self._count_crowds(node) if self._anything else self._count(node)
        self._facts[node] = look
        place = self._place_of(node)
        above = tuple(slice(level, None) for level in place)
        below = tuple(slice(0, level + 1) for level in place)
        np.maximum(self._least[above], look.bound, out=self._least[above])
        if look.state is NodeState.RELEASABLE:
            self._tags[above] = _ABOVE
        elif look.hopeless:
            self._tags[below] = _CLOSED
        self._tags[place] = _CLOSED
        return look

    def _count(self, node: Node) -> _NodeFacts:
        """Count and judge a node where missing values match nothing else."""
        judge = self._judge
        counted = judge.count(node)
        verdict = judge.judge_by_size(counted)
        if judge.leaves_out_too_much(counted, verdict.doomed):
            known = judge.sizes_decide
            failing = judge.count_records(counted, ~verdict.kept) if known else NOT_JUDGED
            return self._facts_of(counted, failing, nan, NodeState.FAILING, hopeless=True)
        if not judge.sizes_decide:
            verdict = judge.judge_by_value(counted)
        failing = judge.count_records(counted, ~verdict.kept)
        if judge.leaves_out_too_much(counted, ~verdict.kept):
            hopeless = judge.is_hopeless(counted, verdict)
            return self._facts_of(counted, failing, nan, NodeState.FAILING, hopeless=hopeless)
        loss = self._limits.loss(counted, verdict.kept)
        return self._facts_of(counted, failing, loss, NodeState.RELEASABLE, hopeless=False)

    def _count_crowds(self, node: Node) -> _NodeFacts:
        """Count and judge a node where missing values match anything."""
        counted = self._judge.count(node)
        recoding = recode(self._problem, node)
        if recoding is None:
            hopeless = self._judge.sizes_decide and self._problem.absorbing
            return self._facts_of(counted, NOT_JUDGED, nan, NodeState.FAILING, hopeless=hopeless)
        outcome = self._problem.outcome(recoding)
        loss = self._problem.loss.of(outcome)
        return self._facts_of(
            counted, outcome.suppressed, loss, NodeState.RELEASABLE, hopeless=False
        )

    def _facts_of(
        self,
        counted: NodeClasses,
        suppressed: int,
        loss: float,
        state: NodeState,
        *,
        hopeless: bool,
    ) -> _NodeFacts:
        """What is known of a counted node (see the fields of `_NodeFacts`)."""
        k, bound = int(counted.sizes.people.min()), self._limits.limit_above(counted)
        return _NodeFacts(counted.node, k, suppressed, loss, state, hopeless, bound)

    @property
    def minimal(self) -> tuple[Node, ...]:
        """Nodes that can be released, while no node known to be releasable is below them."""
        return _lowest([look.node for look in self._releasable])

    @property
    def _releasable(self) -> list[_NodeFacts]:
        """What is known of the counted nodes that can be released."""
        return [look for look in self._facts.values() if look.state is NodeState.RELEASABLE]

    @property
    def best(self) -> float:
        """The least loss of the nodes that were counted and can be released."""
        return min((look.loss for look in self._releasable), default=inf)

    @property
    def distortions(self) -> tuple[Node, ...]:
        """The counted nodes of least loss, without those above another of them."""
        best = self.best
        return _lowest([look.node for look in self._releasable if look.loss <= best + EPSILON])

    def compare(self, watch: Watch) -> bool:
        """Look for nodes above minimal ones that lose less; False if the time was up before."""
        limits = np.where(self._tags == _ABOVE, self._least, inf).reshape(-1)
        for node in self._facts:
            limits[np.ravel_multi_index(self._place_of(node), self._shape)] = inf
        best = inf
        while not watch.expired:
            if self.best < best:
                best = self.best
                limits = self._narrow(limits, best)
            at = int(limits.argmin())
            if limits[at] == inf or limits[at] > best + EPSILON:
                return True
            place = np.unravel_index(at, self._shape)
            node = tuple(int(p) + low for p, low in zip(place, self._low, strict=True))
            self._tell(watch, "comparing generalizations")
            self._examine(node)
            limits[at] = inf
            limits = self._narrow(limits, best)
        return False

    def _narrow(self, limits: Floats, best: float) -> Floats:
        """The limits raised to the bounds; above the best nodes infinite if not below `best`."""
        lifted: Floats = np.maximum(limits, self._least.reshape(-1))
        no_better: Flags = np.zeros(self._shape, dtype=np.bool_)
        for node in self.distortions:
            no_better[tuple(slice(level, None) for level in self._place_of(node))] = True
        lifted[no_better.reshape(-1) & (lifted >= best - EPSILON)] = inf
        return lifted

    def _tell(self, watch: Watch, what: str) -> None:
        """Tell the watch what is done and the share of known nodes, five times a second at most."""
        if watch.elapsed - self._last_told_at > 0.2:
            self._last_told_at = watch.elapsed
            watch.tell(what, float(np.count_nonzero(self._tags)) / self.size)

    def as_explored(self, taken: Node, *, climbed: bool) -> Explored:
        """The nodes that were counted, and the one that was taken; `climbed`: to the end."""
        looks = list(self._facts.values())
        levels: Codes = np.array([look.node for look in looks], dtype=np.int32)
        return Explored(
            columns=tuple(column.name for column in self._problem.columns),
            levels=levels.reshape(len(looks), len(self._shape)),
            k=np.array([look.k for look in looks], dtype=np.int64),
            suppressed=np.array([look.suppressed for look in looks], dtype=np.int64),
            loss=np.array([look.loss for look in looks], dtype=np.float64),
            state=np.array([look.state for look in looks], dtype=np.int32),
            best=list(self._facts).index(taken),
            lattice=self.size,
            finds_minimal=climbed,
        )


def _lowest(nodes: list[Node]) -> tuple[Node, ...]:
    """The nodes that are above no other of them, fewest levels first."""
    ordered = sorted(nodes, key=rank)
    if not ordered:
        return ()
    minimal = flag_lowest(np.array(ordered, dtype=np.int32)).tolist()
    return tuple(node for node, least in zip(ordered, minimal, strict=True) if least)
