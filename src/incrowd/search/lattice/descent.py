"""A good node of a large lattice, quickly: local search from the highest node down.

It proves nothing. Beside branch and bound, which does, it keeps the best loss low, so that more can
be ruled out and what there is when the time is up is good.

To *count* a node is to work out its classes and its loss. A *limit* is a loss that a node cannot go
below.
"""

from collections.abc import Callable, Iterator
from enum import IntEnum
from math import inf

import numpy as np

from incrowd.arrays import Counts, Floats
from incrowd.search.lattice.frontier import rank, steps_down
from incrowd.search.lattice.full_domain import EPSILON
from incrowd.search.lattice.judging import Node

_MOST_KNOWN = 200_000


class DescentStage(IntEnum):
    """What local search does."""

    DOWN = 0
    """It goes down from the highest node."""
    NEAR = 1
    """It tries the nodes that are near."""
    LEAPS = 2
    """It found nothing better near by and leaps away."""


class Descent:
    """Local search: down from the highest node, then single levels, pairs and leaps.

    `loss_of` counts a node, and gives infinity if it cannot be released. The `parts` of a limit are
    by column and level; None if no limits are known. After every node that it counts it yields, so
    that the search can do something else meanwhile.
    """

    def __init__(
        self, loss_of: Callable[[Node], float], low: Node, top: Node, parts: list[Floats] | None
    ) -> None:
        self._loss_of = loss_of
        self._low, self._top = low, top
        self._parts = parts
        self._known: dict[Node, float] = {}
        self._rng = np.random.default_rng(0)
        self.node, self.loss = top, inf

    def steps(self, loss: float) -> Iterator[DescentStage]:
        """Search on for ever from the loss of the highest node; yield the stage after each node."""
        self.loss = self._known[self._top] = loss
        for _ in self._step_down(self._top):
            yield DescentStage.DOWN
        for _ in self._improve():
            yield DescentStage.NEAR
        while True:
            for _ in self._leap_up():
                yield DescentStage.LEAPS
            for _ in self._improve():
                yield DescentStage.LEAPS

    def _look_at(self, node: Node) -> Iterator[None]:
        """Count a node and yield once, unless its loss is known; keep it if it is the best."""
        if node in self._known:
            return
        if len(self._known) >= _MOST_KNOWN:
            self._known = {self.node: self.loss}
        self._known[node] = loss = self._loss_of(node)
        if (loss, rank(node)) < (self.loss - EPSILON, rank(self.node)):
            self.node, self.loss = node, loss
        yield

    def _bare_limit(self, node: Node) -> float:
        """Return a limit of the loss of a node without counting it, -inf if none is known."""
        if self._parts is None:
            return -inf
        return float(sum(part[level] for part, level in zip(self._parts, node, strict=True)))

    def _step_down(self, node: Node) -> Iterator[None]:
        """Go to the best node one step below, again and again, as long as that loses less."""
        here, loss = node, self._known[node]
        while True:
            below = steps_down(here, self._low)
            for step in below:
                yield from self._look_at(step)
            fine = [(self._known.get(step, inf), rank(step), step) for step in below]
            least = min(fine, default=(inf, (0, ()), here))
            if least[0] == inf or least[0] >= loss:
                return
            loss, _, here = least

    def _improve(self) -> Iterator[None]:
        """Change one level, or raise one and lower another, until nothing is better."""
        better = True
        while better:
            here = self.node
            for near in (*self._single_changes(here), *self._paired_changes(here)):
                yield from self._look_at(near)
                if self.node != here:
                    break
            better = self.node != here

    def _single_changes(self, node: Node) -> list[Node]:
        """Return the nodes that differ in one level and may be better, the lowest limit first."""
        change, column, level = self._limit_changes(node)
        room = self.loss - self._bare_limit(node) if self._parts is not None else inf
        order = np.lexsort((level, column, change))
        order = order[change[order] < room - EPSILON]
        return [
            (*node[:j], h, *node[j + 1 :])
            for j, h in zip(column[order].tolist(), level[order].tolist(), strict=True)
        ]

    def _paired_changes(self, node: Node) -> list[Node]:
        """Return nodes with one level raised and one lowered that may be better, dearest first."""
        change, column, level = self._limit_changes(node)
        rises = level > np.array(node)[column]
        up, down = np.flatnonzero(rises), np.flatnonzero(~rises)
        both = change[up][:, None] + change[down]
        room = self.loss - self._bare_limit(node) if self._parts is not None else inf
        fits = (both < room - EPSILON) & (column[up][:, None] != column[down])
        first, second = np.nonzero(fits)
        order = np.argsort(-both[first, second], kind="stable")  # the likeliest to be released
        near = []
        for a, b in zip(up[first[order]].tolist(), down[second[order]].tolist(), strict=True):
            other = list(node)
            other[column[a]], other[column[b]] = int(level[a]), int(level[b])
            near.append(tuple(other))
        return near

    def _limit_changes(self, node: Node) -> tuple[Floats, Counts, Counts]:
        """Return what changes of one level add to the limit (0: unknown), their columns, levels."""
        places = [
            (j, level)
            for j in range(len(node))
            for level in range(self._low[j], self._top[j] + 1)
            if level != node[j]
        ]
        change = [
            self._parts[j][level] - self._parts[j][node[j]] if self._parts is not None else 0.0
            for j, level in places
        ]
        at = np.array(places, dtype=np.int64).reshape(-1, 2)
        return np.array(change, dtype=np.float64), at[:, 0], at[:, 1]

    def _leap_up(self) -> Iterator[None]:
        """Raise two random columns, then lower any unless the loss rises; yield at least once."""
        here = list(self.node)
        columns = self._rng.permutation(len(here)).tolist()
        for j in columns[:2]:
            here[j] = int(self._rng.integers(here[j], self._top[j] + 1))
        node = tuple(here)
        yield from self._look_at(node)
        if self._known.get(node, inf) == inf:
            yield
            return
        lowered = True
        while lowered:
            lowered = False
            for j in columns[::-1]:
                if node[j] > self._low[j]:
                    step = (*node[:j], node[j] - 1, *node[j + 1 :])
                    yield from self._look_at(step)
                    if self._known.get(step, inf) <= self._known.get(node, inf):
                        node, lowered = step, True
        yield
