"""Parts of a large table, each of which is searched by itself.

Rows that lie near each other are in one part: the column in which rows differ most, by what it
costs to show two of them together, is cut in the middle, and each half again. Cuts are limits of
codes, so that rows with equal codes are always in one part, whoever sorts them in: a kernel here,
or a database. What cells cost depends on the whole table, so that losses of parts add up.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.errors import InfeasibleError
from incrowd.kernels.boxes import BoxCosts
from incrowd.kernels.crowd import regions
from incrowd.kernels.parts import parts_of
from incrowd.problem import Problem
from incrowd.search.layout import boxes_of
from incrowd.search.refusals import each_counts_once, raise_if_infeasible

SAMPLE = 2**17
"""Rows that the cuts are found from."""
_PAIRS = 256
"""Pairs of rows that tell in which column rows differ most."""


@dataclass(frozen=True, eq=False)
class PartTree:
    """Cuts that tell the part of a coded row (see `kernels.parts`)."""

    column: Codes
    limit: Codes
    child: Codes

    @property
    def number(self) -> int:
        """How many parts there are."""
        return int(self.child[0, self.column < 0].max(initial=0)) + 1

    def parts_of(self, codes: Codes) -> Codes:
        """The part of each row; codes have one line per quasi-identifying column."""
        return parts_of(np.ascontiguousarray(codes), self.column, self.limit, self.child)

    def sql_expression(self, codes: Sequence[str], node: int = 0) -> str:
        """The SQL expression of a row's part, below a `node`; `codes` names the columns' codes."""
        if self.column[node] < 0:
            return str(int(self.child[0, node]))
        lower, upper = (self.sql_expression(codes, int(self.child[side, node])) for side in (0, 1))
        told = codes[int(self.column[node])]
        return f"CASE WHEN {told} <= {int(self.limit[node])} THEN {lower} ELSE {upper} END"

    def join_parts(self, group: Counts) -> "PartTree":
        """The tree with its parts renumbered: part p becomes `group[p]`."""
        child = self.child.copy()
        leaf = self.column < 0
        child[0, leaf] = group[child[0, leaf]]
        return replace(self, child=child)


def tree_of(boxes: BoxCosts, codes: Codes, weights: Counts, number: int) -> PartTree:
    """Cut the rows into about `number` parts of equal weight; `codes` has one line per row."""
    nodes: list[list[int]] = []
    leaves = 0
    rng = np.random.default_rng(0)

    def grow(rows: Counts, parts: int) -> int:
        """Add the node of these rows, cut into so many parts, and all below; return its place."""
        nonlocal leaves
        place = len(nodes)
        nodes.append([-1, 0, 0, 0])
        cut = _choose_cut(boxes, codes[rows], weights[rows], rng) if parts > 1 else None
        if cut is None:
            nodes[place][2] = leaves
            leaves += 1
            return place
        column, limit = cut
        lower = codes[rows, column] <= limit
        share = weights[rows[lower]].sum() / weights[rows].sum()
        few = min(max(round(parts * float(share)), 1), parts - 1)
        children = grow(rows[lower], few), grow(rows[~lower], parts - few)
        nodes[place] = [column, limit, *children]
        return place

    grow(np.arange(len(codes)), max(number, 1))
    found = np.array(nodes, dtype=np.int32).T
    return PartTree(found[0].copy(), found[1].copy(), np.ascontiguousarray(found[2:]))


def _choose_cut(
    boxes: BoxCosts, codes: Codes, weights: Counts, rng: np.random.Generator
) -> tuple[int, int] | None:
    """The column to cut and the last code of the lower half; None if all rows are equal."""
    pairs = rng.integers(0, len(codes), (2, _PAIRS)).astype(np.int32)
    apart: Floats = regions.sum_distances(boxes, np.ascontiguousarray(codes), pairs)
    for column in np.argsort(-apart, kind="stable"):
        values, place = np.unique(codes[:, column], return_inverse=True)
        if len(values) < 2:
            continue
        upto = np.cumsum(np.bincount(place, weights=weights))
        middle = int(np.abs(upto[:-1] - upto[-1] / 2).argmin())
        return int(column), int(values[middle])
    return None


def parts_tree(problem: Problem, rows: int) -> PartTree:
    """The cuts that divide a problem's rows into parts of about `rows` rows each."""
    tally = problem.tally
    some = np.arange(tally.rows)
    if tally.rows > SAMPLE:
        some = np.random.default_rng(0).choice(tally.rows, SAMPLE, replace=False)
    codes = np.ascontiguousarray(tally.quasi[:, some].T)
    weights = np.ones(len(some), dtype=np.int64)
    return tree_of(boxes_of(problem), codes, weights, max(tally.rows // rows, 1))


def divide_rows(problem: Problem, rows: int, least: int) -> list[Codes]:
    """Divide the rows into parts of about `rows` each; return the row numbers of each part.

    A part of fewer than `least` records, or one that cannot satisfy the models by itself, is joined
    with the next one, the last with the one before.
    """
    tree = parts_tree(problem, rows)
    part = tree.parts_of(problem.tally.quasi)
    order = np.argsort(part, kind="stable").astype(np.int32)
    ends = np.cumsum(np.bincount(part, minlength=tree.number))
    found: list[Codes] = []
    waiting: list[Codes] = []
    for lo, hi in zip(np.append(0, ends[:-1]), ends, strict=True):
        waiting.append(order[lo:hi])
        here = np.concatenate(waiting)
        if len(here) and may_stand_alone(problem, here, least):
            found.append(here)
            waiting = []
    rest = np.concatenate([order[:0], *waiting])
    if len(rest):
        found = [*found[:-1], np.concatenate([*found[-1:], rest])]
    return [np.sort(rows) for rows in found]


def part_problem(problem: Problem, rows: Codes) -> Problem:
    """The problem of some rows alone; cells cost what they cost in the whole table."""
    return replace(problem, tally=problem.tally.take(rows))


def may_stand_alone(problem: Problem, rows: Codes, least: int) -> bool:
    """Whether rows hold `least` records, and can satisfy every model as far as is known."""
    if problem.tally.counts[rows].sum() < least:
        return False
    if not any(model.columns for model in problem.models):
        return True
    try:
        raise_if_infeasible(part_problem(problem, rows))
    except InfeasibleError:
        return False
    return True


def is_separable(problem: Problem) -> bool:
    """Whether parts may be searched one by one: nobody counts in two, and there is no world."""
    return each_counts_once(problem) and problem.world is None
