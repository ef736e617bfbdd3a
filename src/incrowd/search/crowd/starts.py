"""Where local recoding begins: the cheapest of several ways to make classes in one go."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.errors import InfeasibleError, LimitError
from incrowd.kernels import histogram
from incrowd.kernels.boxes import BoxCosts, cell_cost
from incrowd.kernels.crowd import cut, regions, state
from incrowd.partition.classes import number_columns
from incrowd.problem import Problem
from incrowd.recoding import Pieces
from incrowd.search.layout import boxes_of, lowest_codes, order_by_codes
from incrowd.search.mondrian import cut_into_parts
from incrowd.search.orders.division import partition_in_order
from incrowd.search.orders.tree import kd_order
from incrowd.search.refine.cover import SHARE, cover
from incrowd.table.fold import in_threads
from incrowd.table.tally import Tally
from incrowd.watch import NestedWatch, Watch

if TYPE_CHECKING:
    from incrowd.kernels.crowd.state import ClassPieces, Space


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

    def parts(self, pieces: Pieces) -> "ClassPieces":
        """Return these pieces of rows, none left out, as pieces of points, class after class.

        Classes that hold one and the same point alone are one, if points may be divided.
        """
        size = len(self.weights)
        keys = pieces.class_of.astype(np.int64) * size + self.point_of[pieces.row]
        class_of, point, count = _sum_by_key(keys, pieces.count, size)
        if self.divisible:
            alone = np.bincount(class_of)[class_of] == 1
            first = np.full(size, -1, dtype=np.int64)
            first[point[alone][::-1]] = class_of[alone][::-1]
            class_of = np.where(alone, first[point], class_of)
            class_of, point, count = _sum_by_key(class_of * size + point, count, size)
        start = np.flatnonzero(np.append(True, np.diff(class_of) > 0))
        ends = np.append(start, len(point)).astype(np.int64)
        return state.ClassPieces(point.astype(np.int32), count, ends)

    def pieces(self, parts: "ClassPieces") -> Pieces:
        """Return pieces of points that hold every record of the table as pieces of rows."""
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
        """Return the rows at some points, and for each row the place of its point among these."""
        numbers = np.arange(len(self.weights) + 1)
        start = np.searchsorted(self.point_of[self.order], numbers).astype(np.int64)
        entry, place = histogram.expand_rows(start, point)
        return self.order[entry], place


def points_of(problem: Problem, *, by_size: bool) -> CrowdPoints:
    """Return the points of a table; `by_size` says that only the size of a class decides.

    Rows with equal quasi-identifying codes are a point if equal records must show the same; else,
    `by_size`, rows in equal finest cells are; else each row is one.
    """
    tally = problem.tally
    codes = lowest_codes(problem)
    rank = order_by_codes(problem)
    if problem.consistent:
        point_of = number_columns(tally.quasi)[0]
    elif by_size:
        point_of = number_columns(np.ascontiguousarray(codes.T))[0]
    else:
        point_of = np.empty(tally.rows, dtype=np.int32)
        point_of[rank] = np.arange(tally.rows, dtype=np.int32)
    order = rank[np.argsort(point_of[rank], kind="stable")]
    points = np.empty((int(point_of.max()) + 1, codes.shape[1]), dtype=np.int32)
    points[point_of] = codes
    weights = np.zeros(len(points), dtype=np.int64)
    np.add.at(weights, point_of, tally.counts)
    whole = problem.consistent or tally.has_units
    space = _space_of(points, boxes_of(problem))
    return CrowdPoints(tally, space, weights, point_of, order, not whole)


def _space_of(points: Codes, boxes: BoxCosts) -> "Space":
    """Return the points, dearest column first, without columns that cost nothing; one stays."""
    rng = np.random.default_rng(0)
    pairs = rng.integers(0, len(points), (2, _PAIRS)).astype(np.int32)
    order = np.argsort(-regions.sum_distances(boxes, points, pairs), kind="stable")
    whole = np.stack([points.min(axis=0), points.max(axis=0)]).astype(np.int32)
    paid = np.array([cell_cost(boxes, j, *whole[:, j]) for j in range(points.shape[1])])
    differs = (whole[0] != whole[1]) | (paid > 0)
    order = order[differs[order]] if differs.any() else order[:1]
    turned = boxes._replace(
        start=boxes.start[order],
        width=boxes.width[order],
        limits=np.ascontiguousarray(boxes.limits[order]),
    )
    return state.Space(np.ascontiguousarray(points[:, order]), turned)


def _sum_by_key(keys: Counts, count: Counts, size: int) -> tuple[Counts, Counts, Counts]:
    """Return class, point and records of each distinct key (class * `size` + point), ascending."""
    order = np.argsort(keys, kind="stable").astype(np.int32)
    keys = keys[order]
    first = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])).astype(np.int32)
    count = np.add.reduceat(count[order], first)
    del order
    class_of, point = np.divmod(keys[first], size)
    return class_of, point, count


_SMALL = 2**16
"""Rows up to which Mondrian is one of the starts."""
_FEW = 9
"""With more columns, whose level vectors are many and slow, a cover has fewer and larger steps."""
_COUNTED = 120_000_000
"""Rows that the cover may count in all, level vector by level vector, if columns are few."""
_LEAST_STEPS = 100
"""With fewer level vectors than this a cover is not begun: most rows would be left over."""
_TRIED = 0.1
"""The share of its steps after which a cover must have released as large a share of the table."""
_LARGE = 2**18
"""Rows above which the ways to begin are tried one after the other, to need less memory."""


class StepsWatch(NestedWatch):
    """A watch that also expires once it was asked `most` times, whatever the clock says.

    It expires sooner if the work is slow: once it has begun in earnest, the share that is done must
    not be less than the share of the steps that are used.
    """

    def __init__(self, outer: Watch, most: int) -> None:
        super().__init__(outer, None)
        self._most, self._used, self._done = most, 0, 0.0

    @property
    def slow(self) -> bool:
        """Whether less is done than the steps so far should have done."""
        return self._used > _TRIED * self._most and self._done * self._most < self._used

    @property
    def expired(self) -> bool:
        """Whether steps are used up, the work is slow, or the time is up; asking takes a step."""
        self._used += 1
        return self._used > self._most or self.slow or super().expired

    @property
    def remaining(self) -> float | None:
        """No seconds once it has expired, None without a limit; who asks takes a step, too."""
        return 0.0 if self.expired else super().remaining

    def tell(self, what: str, share: float) -> None:
        """Take note of how much is done, and report it."""
        self._done = share
        super().tell(what, share)


@dataclass(frozen=True, eq=False)
class Start:
    """Classes to begin with."""

    title: str
    parts: "ClassPieces"
    cost: float
    """What all records pay together."""


def make_starts(
    problem: Problem, points: CrowdPoints, k: int, watch: Watch, whole: int = 0
) -> list[Start]:
    """Make classes in several ways and return them, cheapest first.

    The ways are a tree's order, a cover with level vectors, and Mondrian. Classes have at least k
    records, and those that could be cut in two are. What is tried depends on the rows of the
    `whole` table, of which these may be a part.
    """
    whole = max(whole, problem.tally.rows)
    ways: list[tuple[str, Callable[[Problem, Watch], Pieces | None]]] = [
        ("tree", tree_pieces),
        ("cover", partial(cover_pieces, whole=whole)),
    ]
    if whole <= _SMALL:
        ways += [("mondrian", mondrian_pieces), ("strict mondrian", strict_pieces)]
    tasks = [partial(_try_way, (problem, points, k, watch), *way) for way in ways]
    large = problem.tally.rows > _LARGE
    tried = [task() for task in tasks] if large else in_threads(tasks)
    found = [start for start in tried if start is not None]
    return sorted(found, key=lambda start: start.cost)


def _try_way(
    given: tuple[Problem, CrowdPoints, int, Watch],
    title: str,
    way: Callable[[Problem, Watch], Pieces | None],
) -> Start | None:
    """Make classes by `way` and cut those of 2k records or more; None if that gives nothing."""
    problem, points, k, watch = given
    try:
        pieces = way(problem, watch)
    except (InfeasibleError, LimitError):
        return None
    if pieces is None:
        return None
    rule = cut.Rule(k, points.divisible)
    parts = regions.cut_large(points.space, points.parts(pieces), rule, 1)
    return Start(title, parts, float(state.class_costs(points.space, parts).sum()))


def tree_pieces(problem: Problem, watch: Watch) -> Pieces:  # noqa: ARG001  as other starts
    """Return the best division along a tree of cuts, or the codes if one column at most differs."""
    differ = [np.ptp(codes) > 0 for codes in problem.tally.quasi]
    order = kd_order(problem) if sum(differ) > 1 else order_by_codes(problem)
    return partition_in_order(problem, order)


def cover_pieces(problem: Problem, watch: Watch, whole: int = 0) -> Pieces | None:
    """Return the classes of a cover with level vectors; None if it has no place for some rows.

    `whole` is the number of rows of the table that this is a part of. None also if the table is too
    large to begin, or the cover is given up: where nearly all records differ in many columns, level
    vectors release a few of them at a time, and the others would be left over.
    """
    many = max(1.0, len(problem.columns) / _FEW)
    steps = int(_COUNTED / max(problem.tally.rows, whole) / many**3)
    if steps < _LEAST_STEPS:
        return None
    within = StepsWatch(watch, steps)
    class_of, _ = cover(problem, within, SHARE * many**2)
    if within.slow or (class_of < 0).any():
        return None
    rows: Codes = np.arange(problem.tally.rows, dtype=np.int32)
    return Pieces(rows, problem.tally.counts, class_of)


def mondrian_pieces(problem: Problem, watch: Watch) -> Pieces:
    """Return the parts of relaxed Mondrian, or of strict if equal rows must show the same."""
    return _cut_by_mondrian(problem, watch, relaxed=not problem.consistent)


def strict_pieces(problem: Problem, watch: Watch) -> Pieces:
    """Return the parts of strict Mondrian."""
    return _cut_by_mondrian(problem, watch, relaxed=False)


def _cut_by_mondrian(problem: Problem, watch: Watch, *, relaxed: bool) -> Pieces:
    """Return the parts of Mondrian; rows are sorted first, so that their order does not matter."""
    order = order_by_codes(problem)
    tally = problem.tally.take(order)
    if not problem.tally.has_units:
        tally = replace(tally, people=tally.counts)
    pieces, _ = cut_into_parts(replace(problem, tally=tally), watch, relaxed=relaxed)
    return replace(pieces, row=order[pieces.row])
