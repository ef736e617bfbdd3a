"""What the classes of a local recoding are made of: points in the space of the columns.

Where sizes decide, records with the same codes stand for each other and are one point, whatever
rows of the tally they are in. Where models read values every row is a point of its own. Where equal
rows must show the same, or people have several records, points stay whole.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.kernels import histogram
from incrowd.kernels.crowd import regions
from incrowd.partition.classes import numbered
from incrowd.problem import Problem
from incrowd.recoding import Pieces
from incrowd.search.layout import boxes_of, by_codes, lowest_codes
from incrowd.table.tally import Tally

if TYPE_CHECKING:
    from incrowd.kernels.crowd.state import Parts, Space
    from incrowd.kernels.shapes import Boxes

_PAIRS = 512
"""Pairs of points that tell which columns cost most."""


@dataclass(frozen=True, eq=False)
class CrowdPoints:
    """The points of a table, and the rows of the tally that lie at each of them."""

    tally: Tally
    space: "Space"
    """Codes, one line per point, dearest column first; and what spans cost."""
    weights: Counts
    """Records at each point."""
    point_of: Codes
    """The point of each row of the tally."""
    order: Codes
    """The rows of the tally, point after point."""
    divisible: bool
    """Whether the records of a point may be in several classes."""

    def parts(self, pieces: Pieces) -> "Parts":
        """These pieces of rows as pieces of points, class after class.

        Classes that hold one and the same point alone are one, if points may be divided.
        """
        size = len(self.weights)
        keys = pieces.class_of.astype(np.int64) * size + self.point_of[pieces.row]
        class_of, point, count = _summed(keys, pieces.count, size)
        if self.divisible:
            alone = np.bincount(class_of)[class_of] == 1
            first = np.full(size, -1, dtype=np.int64)
            first[point[alone][::-1]] = class_of[alone][::-1]
            class_of = np.where(alone, first[point], class_of)
            class_of, point, count = _summed(class_of * size + point, count, size)
        start = np.flatnonzero(np.append(True, np.diff(class_of) > 0))
        return point.astype(np.int32), count, np.append(start, len(point)).astype(np.int64)

    def pieces(self, parts: "Parts") -> Pieces:
        """These pieces of points as pieces of rows; class c is the part number c.

        The rows of a point fill its pieces one after the other.
        """
        point, count, start = parts
        by_point = np.argsort(point, kind="stable").astype(np.int32)
        class_of = np.repeat(np.arange(len(start) - 1, dtype=np.int32), np.diff(start))[by_point]
        ends = np.cumsum(count[by_point]), np.cumsum(self.tally.counts[self.order])
        del by_point
        cuts = np.concatenate(ends)
        cuts.sort()
        cuts = cuts[np.append(True, cuts[1:] != cuts[:-1])]
        row = self.order[np.searchsorted(ends[1], cuts)]
        class_of = class_of[np.searchsorted(ends[0], cuts)]
        del ends
        return Pieces(row, np.diff(cuts, prepend=0), class_of)

    def rows(self, point: Codes) -> tuple[Codes, Codes]:
        """The rows at some points, and the place among these of the point of each row."""
        numbers = np.arange(len(self.weights) + 1)
        start = np.searchsorted(self.point_of[self.order], numbers).astype(np.int64)
        entry, place = histogram.expand(start, point)
        return self.order[entry], place


def points_of(problem: Problem, *, by_size: bool) -> CrowdPoints:
    """The points of a table; `by_size` if nothing but the size of a class decides."""
    tally = problem.tally
    codes = lowest_codes(problem)
    rank = by_codes(problem)
    if problem.consistent:
        point_of = numbered(tally.quasi)[0]
    elif by_size:
        point_of = numbered(np.ascontiguousarray(codes.T))[0]
    else:
        point_of = np.empty(tally.rows, dtype=np.int32)
        point_of[rank] = np.arange(tally.rows, dtype=np.int32)
    order = rank[np.argsort(point_of[rank], kind="stable")]
    points = np.empty((int(point_of.max()) + 1, codes.shape[1]), dtype=np.int32)
    points[point_of] = codes
    weights = np.zeros(len(points), dtype=np.int64)
    np.add.at(weights, point_of, tally.counts)
    whole = problem.consistent or tally.has_units
    space = _dearest_first(points, boxes_of(problem))
    return CrowdPoints(tally, space, weights, point_of, order, not whole)


def _dearest_first(points: Codes, boxes: "Boxes") -> "Space":
    """The columns in an order that tells soon how far apart two points are."""
    rng = np.random.default_rng(0)
    pairs = rng.integers(0, len(points), (2, _PAIRS)).astype(np.int32)
    order = np.argsort(-regions.apart(boxes, points, pairs), kind="stable")
    costs, start, width, nodes, limits = boxes
    turned = costs, start[order], width[order], nodes, np.ascontiguousarray(limits[order])
    return np.ascontiguousarray(points[:, order]), turned


def _summed(keys: Counts, count: Counts, size: int) -> tuple[Counts, Counts, Counts]:
    """Class, point and records of each distinct key, ascending."""
    order = np.argsort(keys, kind="stable").astype(np.int32)
    keys = keys[order]
    first = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])).astype(np.int32)
    count = np.add.reduceat(count[order], first)
    del order
    class_of, point = np.divmod(keys[first], size)
    return class_of, point, count
