"""Trading records where models read values or people have several records.

A class then cannot be judged by its size. In every round each class is paired with one near to it,
the cheapest cut of both together is offered, and the models are asked about all offers at once;
those that save something and satisfy them are taken.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from incrowd.arrays import Codes, Counts, Flags
from incrowd.kernels.crowd import regions as pairs_kernels
from incrowd.kernels.crowd import regions as regions_kernels
from incrowd.partition.classes import classes_of
from incrowd.problem import Problem
from incrowd.search.crowd.crowd import joined, taken
from incrowd.search.crowd.starts import CrowdPoints
from incrowd.watch import Watch

if TYPE_CHECKING:
    from incrowd.kernels.crowd.regions import Offers
    from incrowd.kernels.crowd.state import Parts

ROUNDS = 24
"""Rounds at effort 1."""
_FAVOUR = 1.0
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
