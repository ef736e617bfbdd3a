"""The rows that a cover works on, and what their codes show and cost at each level."""

from dataclasses import dataclass
from functools import cached_property
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


@dataclass(eq=False)
class CoveredRows:
    """The distinct quasi-identifying rows of a problem, in the order of their codes."""

    problem: Problem

    @cached_property
    def row_of(self) -> Codes:
        """The row here of each row of the tally."""
        return number_columns(self.problem.tally.quasi)[0]

    @cached_property
    def codes(self) -> Codes:
        """The codes of each row: shape (d, n)."""
        codes = np.empty((len(self.problem.columns), int(self.row_of.max()) + 1), dtype=np.int32)
        codes[:, self.row_of] = self.problem.tally.quasi
        return codes

    @cached_property
    def weights(self) -> Counts:
        """Records per row."""
        weights = np.zeros(self.codes.shape[1], dtype=np.int64)
        np.add.at(weights, self.row_of, self.problem.tally.counts)
        return weights

    @cached_property
    def least(self) -> int:
        """The size below which no class satisfies the models, as far as sizes tell."""
        return least_size(self.problem) or 1

    @cached_property
    def by_size(self) -> bool:
        """Whether the size of a class decides."""
        return sizes_decide(self.problem)

    @cached_property
    def tables(self) -> "LevelTables":
        """The tables of what codes show and cost at each level."""
        return LevelTables(self.problem)

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
    """What each code shows at each level that may be shown, and what it costs there, laid flat."""

    def __init__(self, problem: Problem) -> None:
        """Lay out flat what each code shows, as a hash, and costs, by column and level."""
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
    """A hash of what each code shows: equal for equal runs of leaves below the highest level.

    The highest level has a hash of its own: it suppresses the cell.
    """
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


def hash_table(rows: int) -> CostCache:
    """Empty work arrays for that many rows (see `kernels.lattice.level_cover.count_released`)."""
    size = max(16, 2 ** (2 * rows - 1).bit_length())
    places = np.zeros(rows, dtype=np.int64)
    slots = np.zeros(size, dtype=np.uint64)
    return CostCache(
        slots, np.zeros(size, dtype=np.int64), places, np.zeros(rows, dtype=np.float64)
    )
