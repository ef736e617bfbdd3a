"""What the spans and sets of a problem's columns may end on."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from incrowd.arrays import Codes, Counts, Flags
from incrowd.errors import PolicyError
from incrowd.hierarchy.aligned import CellConditions, choose_cells
from incrowd.hierarchy.cells import CellGrid
from incrowd.hierarchy.pools import pools_of
from incrowd.models.model import Model
from incrowd.policy.policy import Policy
from incrowd.recoding import QuasiColumn
from incrowd.table.counted import CountedRows

_FEWEST = 2
"""People that an end tells of at least, whatever the models ask for."""


def people_per_cell(models: Sequence[Model]) -> int:
    """The fewest people a cell must hold: as models want people, or else values; 2 at least."""
    sizes = [(model.smallest_class(), model.distinct_values()) for model in models]
    return max(_FEWEST, *(people if people > 1 else values for people, values in sizes), 1)


def world_people_per_cell(models: Sequence[Model]) -> int:
    """The fewest people of a world that a cell must hold, as far as the models say, 2 at least.

    Half of those that a class is to fit (for a share delta, half of 1 / delta): who may look for
    somebody in the world is kept from it by its classes, not by its cells, and with smaller cells
    these lose less.
    """
    sizes = [max(m.smallest_candidate_set(), 1 / m.largest_presence()) for m in models]
    return max(_FEWEST, *(ceil(size / 2 - 1e-9) for size in sizes), 1)


@dataclass(frozen=True, eq=False)
class ColumnHolders:
    """Who holds which value of a column: distinct codes, whose they are, and their records."""

    codes: Codes
    records: Counts
    """Records per entry; a record that belongs to nobody else is a person."""
    unit: Codes | None
    """Whose entry it is, 0 for records that belong to nobody else; None if every record is a
    person. The first entry of a person is that of their first record."""
    size: int
    """Number of codes, missing included."""

    @classmethod
    def of(cls, rows: CountedRows, name: str, size: int) -> "ColumnHolders":
        """The holders of the column of this name in counted rows, which know its `size` codes."""
        if rows.unit is not None:
            return cls(rows.codes[name], rows.records, rows.unit, size)
        held = _records_per_code(rows.codes[name], rows.records, size)
        return cls(np.arange(size, dtype=np.int32), held, None, size)

    def count_people_once(self) -> Counts:
        """Count people per code; whoever has several values counts for the first one only."""
        if self.unit is None:
            return self._records_of(np.ones(len(self.codes), dtype=np.bool_))
        _, first = np.unique(self.unit, return_index=True)
        named = self.codes[first[self.unit[first] > 0]]
        return self._records_of(self.unit == 0) + np.bincount(named, minlength=self.size)

    def count_people_each(self) -> Counts:
        """Count people per code; whoever has several values counts for each."""
        return self._people_per_code(self.codes, self.size)

    def holds_k(self, grid: CellGrid, k: int) -> bool:
        """Whether every cell that anybody is in holds at least k people."""
        held = self._people_per_code(grid.of[self.codes], len(grid) + 1)[1:]
        return bool((held[held > 0] >= k).all())

    def _records_of(self, entries: Flags) -> Counts:
        """Count records per code in the entries that are flagged."""
        return _records_per_code(self.codes[entries], self.records[entries], self.size)

    def _people_per_code(self, codes: Codes, size: int) -> Counts:
        """Count people per code below `size`; `codes` are those of the entries, or their cells."""
        if self.unit is None:
            return _records_per_code(codes, self.records, size)
        some = self.unit > 0
        pairs = np.unique(self.unit[some].astype(np.int64) * size + codes[some]) % size
        alone = _records_per_code(codes[~some], self.records[~some], size)
        return alone + np.bincount(pairs, minlength=size)


def _records_per_code(codes: Codes, records: Counts, size: int) -> Counts:
    """Count records per code 0, 1, …, size - 1."""
    return np.bincount(codes, weights=records, minlength=size).astype(np.int64)


def with_ends(
    column: QuasiColumn,
    policy: Policy,
    holders: ColumnHolders,
    models: Sequence[Model],
    world: Counts | None = None,
) -> QuasiColumn:
    """Give a column the cells that its spans may end on, or the pools of what its sets may name.

    `world` counts the people of a world per code: then cells and pools are made for them, whoever
    of them is in the table; those of the table count only for values that nobody in the world has.
    The column stays as it is if the policy asks for exact ends, which are values of people in the
    class, or if it shows neither spans nor sets. `PolicyError` if its grid would change nothing.
    """
    _refuse_idle_grid(column, policy)
    k, people = people_per_cell(models), holders.count_people_once()
    if world is not None:
        k, people = world_people_per_cell(models), np.where(world > 0, world, people)
    if policy.ends == "exact":
        return column
    present = np.maximum(people, holders.count_people_each())
    if column.sets:
        pools = pools_of(column.hierarchy, people, k, present, column.highest)
        return replace(column, pools=pools)
    if not column.hierarchy.ordered:
        return column
    asked = policy.columns[column.name]
    given = asked.hierarchy is not None and asked.hierarchy.name != "auto"
    ask = CellConditions(k, column.lowest, column.highest, column.widest, asked.grid, given)
    if world is not None:
        return replace(column, grid=choose_cells(column.hierarchy, people, ask, present))
    return replace(column, grid=_cells_of_column(column, holders, ask))


def _cells_of_column(
    column: QuasiColumn, holders: ColumnHolders, ask: CellConditions
) -> CellGrid | None:
    """Choose cells by people per value, people counted once if cells lack k; None if empty."""
    each = holders.count_people_each()
    found = choose_cells(column.hierarchy, each, ask)
    if holders.unit is None or found is None or holders.holds_k(found, ask.k):
        return found
    return choose_cells(column.hierarchy, holders.count_people_once(), ask, each)


def _refuse_idle_grid(column: QuasiColumn, policy: Policy) -> None:
    """Refuse a grid (`PolicyError`) that would change nothing, or that exact ends ignore."""
    asked = policy.columns[column.name]
    if asked.grid is None:
        return
    if policy.ends == "exact":
        raise PolicyError(
            f"{column.name!r} has a grid, and ends = 'exact' lets spans end on any value",
            remedy="leave out one of the two",
        )
    if not column.hierarchy.ordered or column.lowest:
        raise PolicyError(
            f"the grid of {column.name!r} has no effect: a grid is for spans of numbers and dates "
            "without a lowest level",
            remedy="leave out the grid, or the lowest level",
        )
