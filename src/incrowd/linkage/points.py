"""Rows of the world as they are looked through: all of them, or distinct ones with their people."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from incrowd.arrays import Codes, Counts, Flags
from incrowd.linkage.sets import Sets
from incrowd.linkage.world import World
from incrowd.table.fold import fold

Rows: TypeAlias = tuple[Counts, Codes]
"""Compressed rows: where each begins, and what they hold."""

_SAMPLE = 2**15
_REPEATED = 0.25
"""Up to this share of repeated rows, about, rows are not folded."""


@dataclass(frozen=True, eq=False, repr=False)
class Points:
    """Rows of the world, or distinct ones, with the people of each."""

    lines: tuple[Codes, ...]
    """Codes per column."""
    atoms: tuple[Codes, ...]
    """Per column: the atom of each code."""
    people: Counts | None
    """People of no other point, per point; None if every point is one individual."""
    shared_point: Codes
    shared_unit: Codes
    """Whoever has several points, once per point."""
    persons: tuple[Codes, Codes] | None
    """The point and the individual of each row; None if point p is row p."""

    @property
    def number(self) -> int:
        """How many points there are."""
        return len(self.lines[0])

    @cached_property
    def individuals(self) -> Rows | None:
        """The individuals of each point; None if point p is row p of the world."""
        if self.persons is None:
            return None
        point, person = self.persons
        order = np.argsort(point, kind="stable")
        sizes = np.bincount(point, minlength=self.number)
        start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        return start, person[order]


def rows_as_points(world: World, names: Sequence[str], sets: Sequence[Sets]) -> Points:
    """Every row of the world is a point."""
    lines = tuple(world.columns[name].codes for name in names)
    atoms = tuple(one.atom for one in sets)
    nobody = np.empty(0, dtype=np.int32)
    if world.everybody_once:
        return Points(lines, atoms, None, nobody, nobody, None)
    shared = np.flatnonzero(~world.alone).astype(np.int32)
    people = world.alone.astype(np.int64)
    return Points(lines, atoms, people, shared, world.person[shared], None)


def folded_points(world: World, names: Sequence[str], sets: Sequence[Sets]) -> Points:
    """Distinct rows of atoms are points; rows that no tuple can be are left out."""
    every = [one.atom[world.columns[name].codes] for name, one in zip(names, sets, strict=True)]
    kept: Flags = np.logical_and.reduce([line > 0 for line in every])
    lines = [line[kept] for line in every]
    person = world.person[kept]
    atoms = tuple(np.arange(one.atoms + 1, dtype=np.int32) for one in sets)
    if _mostly_distinct(lines):
        alone = world.alone[kept]
        shared = np.flatnonzero(~alone).astype(np.int32)
        rows = np.arange(len(person), dtype=np.int32)
        people = alone.astype(np.int64)
        return Points(tuple(lines), atoms, people, shared, person[shared], (rows, person))
    tally = fold(lines, (), None if world.everybody_once else person)
    row_of = np.zeros(0, dtype=np.int32) if tally.row_of is None else tally.row_of
    shared_by = tally.shared_row, tally.shared_unit
    return Points(tuple(tally.quasi), atoms, tally.people, *shared_by, (row_of, person))


def _mostly_distinct(lines: Sequence[Codes]) -> bool:
    """Whether to fold rows is hardly worth it, as a sample of them has almost no equal ones."""
    step = max(len(lines[0]) // _SAMPLE, 1)
    sample = [np.ascontiguousarray(line[::step]) for line in lines]
    size = len(sample[0])
    return size >= _SAMPLE and (size - fold(sample, ()).rows) * step < _REPEATED * size
