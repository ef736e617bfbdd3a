"""Candidates of a class for an attacker who knows that somebody attains the ends of its labels.

If a class shows the span of its own records, somebody in the table has a value in its first cell,
somebody in its last cell, somebody in each member of its set; and if it shows a node, its records
are from at least two branches. Each of these parts of a class must fit enough people by itself: the
class counts as many as the part that fits fewest.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from incrowd.arrays import MISSING, Codes, Counts, Flags
from incrowd.linkage.candidates import CandidateCounter, DecodedColumn
from incrowd.partition.csr import entries, group_by_owner, offsets
from incrowd.recoding.spans import ValueSets


@dataclass(frozen=True, eq=False)
class _ClassParts:
    """Parts of classes: the class of each part, its cells, and the sets that it shows."""

    of: Codes
    cells: tuple[Codes, Codes, Codes]
    sets: dict[int, ValueSets]
    complement: bool = False
    """Whether to count those who fit the class but not the part."""


class AttainedEndsCounter(CandidateCounter):
    """Counts for each class the individuals of the part that fits fewest."""

    @classmethod
    def of_counter(cls, counter: CandidateCounter) -> "AttainedEndsCounter":
        """A counter of the same world and columns that counts by parts."""
        return cls(counter.world, counter.columns)

    def counts(
        self,
        low: Codes,
        high: Codes,
        level: Codes,
        *,
        spans: bool = True,
        sets: Mapping[int, ValueSets] | None = None,
    ) -> Counts:
        """Count who fits the part of each class that fits fewest; without `spans`, the class."""
        whole = super().counts(low, high, level, spans=spans, sets=sets)
        if not spans:
            return whole
        least = whole.copy()
        for part in self._parts((low, high, level), sets or {}):
            found = super().counts(*part.cells, spans=True, sets=part.sets)
            found = whole[part.of] - found if part.complement else found
            np.minimum.at(least, part.of, found)
        return least

    def _parts(
        self, cells: tuple[Codes, Codes, Codes], sets: Mapping[int, ValueSets]
    ) -> Iterator[_ClassParts]:
        """Yield the parts of all classes, column by column."""
        for one in self.columns:
            if one.place in sets:
                yield _member_parts(one, cells, sets)
            elif one.column.hierarchy.ordered:
                yield from _end_parts(one, cells, sets)
            else:
                yield _branch_parts(one, cells, sets)


def _end_parts(
    one: DecodedColumn, cells: tuple[Codes, Codes, Codes], sets: Mapping[int, ValueSets]
) -> Iterator[_ClassParts]:
    """Yield the first and the last cell of classes with more than one cell in this column."""
    j, finest = one.place, one.column.finest
    low, high = cells[0][j], cells[1][j]
    several: Flags = (low > MISSING) & (finest[low] != finest[high])
    of = np.flatnonzero(several).astype(np.int32)
    for end in (low[of], high[of]):
        part = _copy_classes(of, cells, sets)
        part.cells[0][j], part.cells[1][j] = one.column.widen(end, end)
        part.cells[2][j] = one.column.lowest
        yield part


def _member_parts(
    one: DecodedColumn, cells: tuple[Codes, Codes, Codes], sets: Mapping[int, ValueSets]
) -> _ClassParts:
    """Each member of the sets that classes show in this column, of sets without missing."""
    held = sets[one.place]
    sizes = np.diff(held.start)
    class_of = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    first = held.code[np.minimum(held.start[:-1], max(len(held.code) - 1, 0))]
    plain = first[class_of] > MISSING
    part = _copy_classes(class_of[plain], cells, sets)
    code = held.code[plain]
    part.sets[one.place] = ValueSets(np.arange(len(code) + 1, dtype=np.int64), code, held.pools)
    return part


def _branch_parts(
    one: DecodedColumn, cells: tuple[Codes, Codes, Codes], sets: Mapping[int, ValueSets]
) -> _ClassParts:
    """The branches of the nodes that classes show in this column: somebody is outside each."""
    j, hierarchy = one.place, one.column.hierarchy
    low, level = cells[0][j], cells[2][j]
    parent = np.flatnonzero((low > MISSING) & (level > one.column.lowest)).astype(np.int32)
    of, first, last, below = [parent[:0]], [low[:0]], [low[:0]], [level[:0]]
    for h in np.unique(level[parent]).tolist():
        here = parent[level[parent] == h]
        begin, end = hierarchy.bounds[h - 1]
        above = hierarchy.maps[h][begin[1:]]
        start, order = group_by_owner(above, int(above.max(initial=0)) + 1)
        entry, place = entries(start, hierarchy.maps[h][low[here]])
        branch = order[entry] + 1
        of.append(here[place])
        first.append(begin[branch])
        last.append(end[branch])
        below.append(np.full(len(branch), h - 1, dtype=np.int32))
    part = replace(_copy_classes(np.concatenate(of), cells, sets), complement=True)
    for matrix, ends in zip(part.cells, (first, last, below), strict=True):
        matrix[j] = np.concatenate(ends)
    return part


def _copy_classes(
    of: Codes, cells: tuple[Codes, Codes, Codes], sets: Mapping[int, ValueSets]
) -> _ClassParts:
    """Copy the classes that `of` names, one as often as it is named, with no change to them."""
    low, high, level = (np.array(matrix[:, of]) for matrix in cells)
    shown = {j: _copy_sets(held, of) for j, held in sets.items()}
    return _ClassParts(of, (low, high, level), shown)


def _copy_sets(held: ValueSets, of: Codes) -> ValueSets:
    """The sets of the classes that `of` names, in that order."""
    entry, _ = entries(held.start, of)
    return ValueSets(offsets(np.diff(held.start)[of]), held.code[entry], held.pools)
