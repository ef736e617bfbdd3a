"""Trading records where models read values or people have several records.

A class then cannot be judged by its size. In every round each class is paired with one near to it,
the cheapest cut of both together is offered, and the models are asked about all offers at once;
those that save something and satisfy them are taken.
"""

from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from incrowd.arrays import Codes, Counts, Flags, Floats
from incrowd.kernels import histogram
from incrowd.kernels.crowd import regions as pairs_kernels
from incrowd.kernels.crowd import regions as regions_kernels
from incrowd.kernels.crowd import state
from incrowd.kernels.crowd import sweep as sweep_kernels
from incrowd.partition.classes import classes_of
from incrowd.partition.csr import offsets
from incrowd.problem import Problem
from incrowd.search.crowd.starts import CrowdPoints
from incrowd.table.fold import in_threads
from incrowd.watch import Watch

if TYPE_CHECKING:
    from incrowd.kernels.crowd.regions import Offers
    from incrowd.kernels.crowd.state import Parts


REGION = 128
"""The most classes of a region: each looks at all others of its own."""


_FAVOUR = 1.0
"""Columns count more or less by a factor between exp(-this) and exp(this)."""


_PIECES = 100_000
"""Tables of so many pieces get two sweeps, of twice as many one, smaller ones more."""


_LEAST_SWEEPS = 2
"""Sweeps of a table of any size if the first saves much."""


_MUCH = 0.05
"""A sweep that saves more than this share of the cost saves much."""


_LITTLE = 0.002
"""Sweeps end when one saves less than this share of the cost."""


_PLAN = (3, 1)
"""Near classes that share records anew with each class one by one, and two at a time."""


@dataclass(eq=False)
class Sweeps:
    """Classes on their way to a lower cost."""

    points: CrowdPoints
    k: int
    parts: "Parts"
    seed: int
    made: int = 0
    saved: Floats = field(default_factory=lambda: np.zeros(4))
    """What records that moved, classes that dissolved, pairs and triples have saved."""

    def run(self, cost: float, effort: float, watch: Watch) -> None:
        """Sweep as often as the effort allows, while it pays and there is time."""
        sweeps = sweeps_for(len(self.parts[0])) * effort
        most = max(sweeps, _LEAST_SWEEPS * effort)
        while self.made < sweeps and not watch.expired:
            watch.tell("trading records between classes", self.made / sweeps)
            gain = self.sweep(watch, sweeps - self.made)
            self.made += 1
            cost -= gain
            if gain <= _LITTLE * cost:
                break
            if gain > _MUCH * cost:
                sweeps = most

    def sweep(self, watch: Watch, share: float = 1.0) -> float:
        """One sweep over all regions, or over the dearest of them; what it saves."""
        ends = self._arranged()
        start = self.parts[2]
        bounds = list(pairwise([0, *ends.tolist()]))
        dear = self._dearest(ends, share)
        tasks = [
            partial(self._region, start[lo : hi + 1], i, watch if dear[i] else None)
            for i, (lo, hi) in enumerate(bounds)
        ]
        found = in_threads(tasks)
        self.parts = joined([parts for parts, _ in found])
        saved: Floats = np.sum([saving for _, saving in found], axis=0)
        self.saved += saved
        return float(saved.sum())

    def _arranged(self) -> Counts:
        """Put the classes in the order of new regions; where these end."""
        point, _, start = self.parts
        codes, boxes = self.points.space
        rng = np.random.default_rng([self.seed, self.made])
        favour = np.exp(rng.uniform(-_FAVOUR, _FAVOUR, codes.shape[1]))
        one = start[:-1] + rng.integers(0, 2**31, len(start) - 1) % np.diff(start)
        order: Codes = np.arange(len(one), dtype=np.int32)
        ends = regions_kernels.regions(boxes, codes[point[one]], favour, REGION, order)
        self.parts = taken(self.parts, order)
        return ends

    def _dearest(self, ends: Counts, share: float) -> Flags:
        """Which regions are among that share of them whose records pay most."""
        dear = np.ones(len(ends), dtype=np.bool_)
        if share < 1:
            costs = state.class_costs(self.points.space, self.parts)
            paid = np.add.reduceat(costs, np.append(0, ends[:-1]))
            dear[np.argsort(-paid, kind="stable")[ceil(share * len(ends)) :]] = False
        return dear

    def _region(self, start: Counts, number: int, watch: Watch | None) -> tuple["Parts", Floats]:
        """The classes of a region after a sweep; as they are without a watch or time."""
        here = slice(start[0], start[-1])
        parts = self.parts[0][here], self.parts[1][here], start - start[0]
        if watch is None or watch.expired:
            return parts, np.zeros(4)
        rule = self.k, self.points.divisible
        return sweep_kernels.sweep(self.points.space, parts, rule, _PLAN, 1000 * self.made + number)


def sweeps_for(pieces: int) -> float:
    """How many sweeps a table of so many pieces gets at effort 1: time grows with it gently.

    >>> [sweeps_for(pieces) for pieces in (19_000, 100_000, 160_000, 1_000_000)]
    [6.0, 2.0, 1.25, 1.0]
    """
    if pieces <= _PIECES:
        return float(max(2, ceil(_PIECES / pieces)))
    return max(1.0, 2 * _PIECES / pieces)


def taken(parts: "Parts", classes: Codes) -> "Parts":
    """These classes, in this order."""
    point, count, start = parts
    entry, _ = histogram.expand(start, classes)
    sizes = np.diff(start)[classes]
    return point[entry], count[entry], offsets(sizes)


def joined(several: list["Parts"]) -> "Parts":
    """The classes of all of them, one after the other."""
    sizes = np.concatenate([np.diff(start) for _, _, start in several])
    point, count = (np.concatenate([parts[i] for parts in several]) for i in range(2))
    return point, count, offsets(sizes)


ROUNDS = 24
"""Rounds at effort 1."""


_TINY = 1e-9


@dataclass(eq=False)
class Trades:
    """Classes that satisfy every model, on their way to a lower cost."""

    problem: Problem
    points: CrowdPoints
    least: int
    """Fewer records are never a class."""
    parts: "Parts"
    made: int = 0
    taken: int = 0

    def run(self, effort: float, watch: Watch) -> None:
        """Trade as often as the effort allows, while there is time."""
        rounds = max(1, round(ROUNDS * effort))
        while self.made < rounds and len(self.parts[2]) > 2 and not watch.expired:
            watch.tell("trading records between classes", self.made / rounds)
            self._round()
            self.made += 1

    def _round(self) -> None:

        order = self._paired()
        pairs = taken(self.parts, order[: len(order) // 2 * 2])
        rest = taken(self.parts, order[len(order) // 2 * 2 :])
        sizes = np.add.reduceat(pairs[1], pairs[2][:-1]).reshape(-1, 2)
        least = np.maximum(self.least, sizes.min(axis=1) // 2)
        made = pairs_kernels.offers(
            self.points.space, pairs, least, self.points.divisible, self.made
        )
        good = self._good(made)
        self.taken += int(good.sum())
        kept = _both(np.flatnonzero(~good))
        new = taken((made[0], made[1], made[2]), _both(np.flatnonzero(good)))
        self.parts = joined([taken(pairs, kept), new, rest])

    def _paired(self) -> Codes:
        """The classes in an order in which near ones follow each other."""
        point, _, start = self.parts
        codes, boxes = self.points.space
        rng = np.random.default_rng([self.problem.seed, self.made])
        favour = np.exp(rng.uniform(-_FAVOUR, _FAVOUR, codes.shape[1]))
        one = start[:-1] + rng.integers(0, 2**31, len(start) - 1) % np.diff(start)
        order: Codes = np.arange(len(one), dtype=np.int32)
        regions_kernels.regions(boxes, codes[point[one]], favour, 1, order)
        return np.roll(order, self.made % 2)

    def _good(self, made: "Offers") -> Flags:
        """Which offers save something, with both classes satisfying every model."""
        saves = made[3] > _TINY
        which = np.flatnonzero(saves)
        trial = taken((made[0], made[1], made[2]), _both(which))
        saves[which] = satisfied(self.problem, self.points, trial).reshape(-1, 2).all(axis=1)
        return saves


def _both(pairs: Counts) -> Codes:
    """The two classes of each of these pairs."""
    classes: Codes = (2 * pairs[:, np.newaxis] + np.array([0, 1])).ravel().astype(np.int32)
    return classes


def satisfied(problem: Problem, points: CrowdPoints, parts: "Parts") -> Flags:
    """Which of these classes satisfy every model; points may be a few of all."""
    point, count, start = parts
    number = len(start) - 1
    class_of = np.repeat(np.arange(number, dtype=np.int32), np.diff(start))
    rows, of_piece = points.rows(point)
    counts = count[of_piece] if points.divisible else problem.tally.counts[rows]
    cut = problem.tally.split(rows, counts)
    return problem.satisfied(classes_of(cut, class_of[of_piece], number, problem.sensitive))
