"""Sweeps: classes near each other trade records, region by region, until little is gained.

Each sweep cuts the classes into other regions, as columns count more or less at random. Regions are
worked on side by side and do not know of each other, so the number of threads changes nothing.
"""

from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from incrowd.arrays import Codes, Counts, Flags, Floats
from incrowd.kernels import histogram
from incrowd.kernels.crowd import regions as regions_kernels
from incrowd.kernels.crowd import state
from incrowd.kernels.crowd import sweep as sweep_kernels
from incrowd.search.crowd.points import CrowdPoints
from incrowd.table.fold import in_threads
from incrowd.watch import Watch

if TYPE_CHECKING:
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
    return point[entry], count[entry], np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def joined(several: list["Parts"]) -> "Parts":
    """The classes of all of them, one after the other."""
    sizes = np.concatenate([np.diff(start) for _, _, start in several])
    point, count = (np.concatenate([parts[i] for parts in several]) for i in range(2))
    return point, count, np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
