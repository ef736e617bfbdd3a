"""Labels and rows of the world in the coarsest codes that tell labels apart: atoms.

Values of the world that the same labels stand for are one *atom*; values that no label stands for
are atom 0. Labels that stand for the same atoms are one *set*. Rows of the world, or distinct rows
of atoms with their people, are the *points* that an index looks through.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from incrowd.arrays import Codes, Counts, Flags
from incrowd.linkage.matching import Matching
from incrowd.linkage.world import World
from incrowd.partition.csr import Rows, entries, group_by_owner, offsets
from incrowd.table.fold import fold

MOST_LAYERS = 8
"""If the sets of a column need more layers, a tree searches for them instead of a lookup."""
_SAMPLE = 2**15
_REPEATED = 0.25
"""Rows are not folded if at most about this share of them repeats another row."""


@dataclass(frozen=True, eq=False, repr=False)
class AtomSets:
    """The sets of one column: set s has the atoms `low[start[s]:start[s + 1]]` to `high[…]`."""

    atom: Codes
    """The atom of each code of the world."""
    atoms: int
    """The largest atom."""
    of: Codes
    """The set of each label."""
    start: Counts
    low: Codes
    high: Codes

    def __len__(self) -> int:
        """Number of sets."""
        return len(self.start) - 1

    @property
    def empty(self) -> Flags:
        """Per set: whether it stands for no value of the world."""
        return np.asarray(np.diff(self.start) == 0)

    def sum_codes(self, per_code: Counts) -> Counts:
        """Per set: the sum of `per_code` over the codes of the world that it stands for."""
        per_atom = np.bincount(self.atom, weights=per_code, minlength=self.atoms + 1)
        upto = offsets(per_atom.astype(np.int64))
        return np.diff(offsets(upto[self.high + 1] - upto[self.low])[self.start])

    @cached_property
    def layers(self) -> tuple[Codes, ...] | None:
        """Layers of sets that do not overlap; in each, the set of each atom plus 1, or 0.

        None if there are more than `MOST_LAYERS`. Large sets are placed first, so that the levels
        of a hierarchy become layers.
        """
        lengths = offsets(self.high - self.low + 1)
        if lengths[-1] == self.atoms:
            return (self._one_layer,)
        sizes = np.diff(lengths[self.start])
        layers: list[Codes] = []
        for s in np.argsort(-sizes, kind="stable").tolist():
            atoms = self._atoms_of(s)
            free = next((layer for layer in layers if not layer[atoms].any()), None)
            if free is None:
                if len(layers) == MOST_LAYERS:
                    return None
                free = np.zeros(self.atoms + 1, dtype=np.int32)
                layers.append(free)
            free[atoms] = s + 1
        return tuple(layers)

    @property
    def _one_layer(self) -> Codes:
        """The layer of all sets if every atom is in exactly one: the set of each atom plus 1."""
        layer = np.zeros(self.atoms + 1, dtype=np.int32)
        set_of = np.repeat(np.arange(1, len(self) + 1, dtype=np.int32), np.diff(self.start))
        order = np.argsort(self.low)
        layer[1:] = np.repeat(set_of[order], (self.high - self.low + 1)[order])
        return layer

    def layer_of(self, layers: tuple[Codes, ...]) -> Codes:
        """The number, from 0, of the layer in which each set is; 0 for empty sets too."""
        of = np.zeros(len(self), dtype=np.int32)
        for i, layer in enumerate(layers):
            of[layer[layer > 0] - 1] = i
        return of

    def _atoms_of(self, s: int) -> Counts:
        """The atoms of one set, ascending."""
        runs = range(int(self.start[s]), int(self.start[s + 1]))
        parts = [np.arange(self.low[r], self.high[r] + 1) for r in runs]
        return np.concatenate([np.empty(0, dtype=np.int64), *parts])


def atom_sets_of(matching: Matching) -> AtomSets:
    """Compute the atoms and the sets of the labels of one column."""
    size = len(matching.place)
    edges = np.zeros(size + 1, dtype=np.int64)
    np.add.at(edges, matching.low, 1)
    np.add.at(edges, matching.high.astype(np.int64) + 1, -1)
    covered = np.cumsum(edges[:-1]) > 0
    cut = np.zeros(size + 1, dtype=np.bool_)
    cut[matching.low] = True
    cut[matching.high.astype(np.int64) + 1] = True
    atom = np.where(covered, np.cumsum(cut[:-1] & covered), 0).astype(np.int32)
    low, high = atom[matching.low], atom[matching.high]
    number: dict[tuple[bytes, bytes], int] = {}
    of = np.empty(len(matching), dtype=np.int32)
    first: list[int] = []
    for label in range(len(matching)):
        here = slice(int(matching.start[label]), int(matching.start[label + 1]))
        key = (low[here].tobytes(), high[here].tobytes())
        if key not in number:
            number[key] = len(number)
            first.append(label)
        of[label] = number[key]
    shown_first = np.array(first, dtype=np.int64)
    runs, _ = entries(matching.start, shown_first)
    atoms, start = int(atom.max(initial=0)), offsets(np.diff(matching.start)[shown_first])
    return AtomSets(atom[matching.place], atoms, of, start, low[runs], high[runs])


def tuples_of(lines: Sequence[Codes], sets: Sequence[AtomSets]) -> tuple[Codes, Codes]:
    """The tuple of sets of each row or class, and the distinct tuples: shape (d, tuples).

    `lines` are the sets that rows show, one line per column. Tuples with a set that stands for
    nothing are dropped; their rows have tuple -1.
    """
    tally = fold(lines, ())
    return drop_idle(tally.rows_of_records, tally.quasi, sets)


def drop_idle(tuple_of: Codes, tuples: Codes, sets: Sequence[AtomSets]) -> tuple[Codes, Codes]:
    """Drop tuples with a set that stands for nothing; the rows that had one have tuple -1."""
    empty = [one.empty[line] for one, line in zip(sets, tuples, strict=True)]
    idle: Flags = np.logical_or.reduce(empty)
    place_of = np.where(idle, -1, np.cumsum(~idle) - 1).astype(np.int32)
    return place_of[tuple_of], np.ascontiguousarray(tuples[:, ~idle])


@dataclass(frozen=True, eq=False, repr=False)
class WorldPoints:
    """Rows of the world, or distinct rows of atoms, with the people of each."""

    lines: tuple[Codes, ...]
    """Codes per column."""
    atoms: tuple[Codes, ...]
    """Per column: the atom of each code."""
    people: Counts | None
    """People with no other point, per point; None if every point is one individual."""
    shared_point: Codes
    shared_unit: Codes
    """Individuals with several points, listed once per point."""
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
        start, order = group_by_owner(point, self.number)
        return start, person[order]


def rows_as_points(world: World, names: Sequence[str], sets: Sequence[AtomSets]) -> WorldPoints:
    """Make every row of the world a point."""
    lines = tuple(world.columns[name].codes for name in names)
    atoms = tuple(one.atom for one in sets)
    nobody = np.empty(0, dtype=np.int32)
    if world.everybody_once:
        return WorldPoints(lines, atoms, None, nobody, nobody, None)
    shared = np.flatnonzero(~world.alone).astype(np.int32)
    people = world.alone.astype(np.int64)
    return WorldPoints(lines, atoms, people, shared, world.person[shared], None)


def distinct_rows_as_points(
    world: World, names: Sequence[str], sets: Sequence[AtomSets]
) -> WorldPoints:
    """Make each distinct row of atoms a point, or each row if few are equal; none with atom 0."""
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
        return WorldPoints(tuple(lines), atoms, people, shared, person[shared], (rows, person))
    tally = fold(lines, (), None if world.everybody_once else person)
    shared_by = tally.shared_row, tally.shared_unit
    persons = tally.rows_of_records, person
    return WorldPoints(tuple(tally.quasi), atoms, tally.people, *shared_by, persons)


def _mostly_distinct(lines: Sequence[Codes]) -> bool:
    """Whether rows are many and few in a sample are equal, so that folding is hardly worth it."""
    step = max(len(lines[0]) // _SAMPLE, 1)
    sample = [np.ascontiguousarray(line[::step]) for line in lines]
    size = len(sample[0])
    return size >= _SAMPLE and (size - fold(sample, ()).rows) * step < _REPEATED * size
