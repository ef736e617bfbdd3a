"""The rows that a cover works on, and what their codes show and cost at each level."""

from typing import TYPE_CHECKING

import numpy as np

from incrowd.arrays import Codes, Counts, Flags, Floats
from incrowd.kernels.boxes import FORBIDDEN, CostCache, Keys
from incrowd.kernels.lattice import level_cover
from incrowd.partition.classes import classes_of, number_columns
from incrowd.problem import Problem
from incrowd.recoding import QuasiColumn
from incrowd.search.lattice.full_domain import node_extents
from incrowd.search.lattice.judging import Node
from incrowd.search.layout import cell_loss
from incrowd.search.mondrian import least_size, sizes_decide

if TYPE_CHECKING:
    from incrowd.kernels.lattice.level_cover import LevelCodes


class CoveredRows:
    """The distinct quasi-identifying rows of a problem, in the order of their codes."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.tables = problem, LevelTables(problem)
        self.row_of, number = number_columns(problem.tally.quasi)
        """The row here of each row of the tally."""
        self.codes: Codes = np.empty((len(problem.columns), number), dtype=np.int32)
        """The codes of each row: shape (d, n)."""
        self.codes[:, self.row_of] = problem.tally.quasi
        self.weights: Counts = np.zeros(number, dtype=np.int64)
        """Records per row."""
        np.add.at(self.weights, self.row_of, problem.tally.counts)
        self.least = least_size(problem) or 1
        """The size below which no class satisfies the models, as far as sizes tell."""
        self.by_size = sizes_decide(problem)
        """Whether the size of a class decides."""

    def satisfied_by(self, class_of: Codes, number: int) -> Flags:
        """Which of these classes of the rows satisfy the models; rows of class -1 are in none."""
        if self.by_size:
            kept = class_of >= 0
            sizes = np.bincount(class_of[kept], self.weights[kept], minlength=number)
            large: Flags = sizes >= self.least
            return large
        classes = classes_of(
            self.problem.tally, class_of[self.row_of], number, self.problem.sensitive
        )
        return self.problem.satisfied_by(classes)


class LevelTables:
    """What each code shows (as a hash) and costs at each level that may be shown, laid flat."""

    def __init__(self, problem: Problem) -> None:
        columns = problem.columns
        depth = max(column.hierarchy.levels for column in columns)
        self.offset: Counts = np.full((len(columns), depth), -1, dtype=np.int64)
        """Where a column's level begins; -1 for levels that may not be shown."""
        self.low: Node = tuple(column.lowest for column in columns)
        self.top: Node = tuple(column.top for column in columns)
        weights = np.array([column.weight for column in columns], dtype=np.float64)
        weights /= weights.sum()
        keys, costs, nodes, size = [], [], [], 0
        for j, column in enumerate(columns):
            paid = np.asarray(cell_loss(problem).cell_costs(column), dtype=np.float64) * weights[j]
            for level in range(column.lowest, column.top + 1):
                self.offset[j, level] = size
                size += len(paid[level])
                keys.append(_shown_hashes(column, j, level))
                costs.append(np.where(_forbidden_codes(column, level), FORBIDDEN, paid[level]))
                nodes.append(column.hierarchy.maps[level])
        self.keys: Keys = np.concatenate(keys)
        self.costs: Floats = np.concatenate(costs)
        self.nodes: Codes = np.concatenate(nodes)

    @property
    def flat(self) -> "LevelCodes":
        """What codes show and cost, as kernels take it."""
        return level_cover.LevelCodes(self.keys, self.costs)

    def totals(self, codes: Codes, weights: Counts) -> Floats:
        """What rows with these codes pay, by column and level."""
        return level_cover.level_totals(codes, weights, self.costs, self.offset)

    def level_starts(self, node: Node) -> Counts:
        """The place in the flat arrays where each column's level of a vector begins."""
        begins: Counts = self.offset[np.arange(len(node)), np.array(node)]
        return begins


def _forbidden_codes(column: QuasiColumn, level: int) -> Flags:
    """Flags of the codes that show a node wider than the policy allows."""
    if not column.hierarchy.ordered or not np.isfinite(column.widest):
        return np.zeros(len(column.hierarchy.maps[level]), dtype=np.bool_)
    wide: Flags = node_extents(column, level) > column.widest
    return wide


def _shown_hashes(column: QuasiColumn, j: int, level: int) -> Keys:
    """A hash of what each code of column j shows: its leaves, or suppressed at the top level."""
    low, high = (bound.astype(np.uint64) for bound in column.hierarchy.bounds[level])
    if level == column.hierarchy.height:
        low[:] = np.uint64(2**32 - 1)
    of_node = _mix_bits(_mix_bits(low + np.uint64((j + 1) << 32)) ^ high)
    keys: Keys = of_node[column.hierarchy.maps[level]]
    return keys


def _mix_bits(values: Keys) -> Keys:
    """Spread numbers over all 64 bits (the finalizer of SplitMix64)."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def empty_cost_cache(rows: int) -> CostCache:
    """Empty work arrays for that many rows (see `kernels.lattice.level_cover.count_released`)."""
    size = max(16, 2 ** (2 * rows - 1).bit_length())
    places = np.zeros(rows, dtype=np.int64)
    slots = np.zeros(size, dtype=np.uint64)
    return CostCache(
        slots, np.zeros(size, dtype=np.int64), places, np.zeros(rows, dtype=np.float64)
    )
