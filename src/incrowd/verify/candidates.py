"""Whom of a world the classes of a release may be about, counted by the labels that they show.

An individual may be the subject of a class if one of the individual's rows fits all that the class
shows. Every label becomes a line of bits, one bit per row of the world; what a class shows is their
intersection. The world is gone through in blocks of whole individuals, so that memory is bounded.
Part of the verification: it shares no line with the code that a search counts people of a world
with.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import MISSING, Codes, Counts, Flags, Floats
from incrowd.errors import NotMetError
from incrowd.table.column import CodedColumn
from incrowd.table.roles import Missing
from incrowd.verify.crowds import Cells, Crowds, pack
from incrowd.verify.meaning import Meaning, Tree, meaning_of

Bits = NDArray[np.uint64]

_LABEL_BYTES = 2**26
_FIT_BYTES = 2**22
"""What the bits of all labels, and of the classes that are looked at together, may take."""


@dataclass(frozen=True, eq=False)
class PublicTable:
    """A world as verification sees it: its values, whose row each is, and what labels stand for."""

    columns: Mapping[str, CodedColumn]
    individual: Codes | None = None
    """The individual of each row, 0 for somebody who has no other; None if every row is one."""
    trees: Mapping[str, Tree] | None = None
    """The hierarchies of columns; labels of other columns are read as they are written."""

    def __repr__(self) -> str:
        """Without values."""
        return f"PublicTable({', '.join(self.columns)})"


@dataclass(frozen=True, eq=False, repr=False)
class _Owners:
    """The rows of a world, sorted by individual: those with one row first."""

    rows: Counts
    start: Counts
    """Where the rows of each individual begin, and at last where they end."""
    single: int
    """Individuals with one row."""

    def of(self, people: slice) -> Counts:
        """Whose row each row of these people is, numbered from 0."""
        lengths = np.diff(self.start[people.start : people.stop + 1])
        return np.repeat(np.arange(len(lengths)), lengths)

    def blocks(self, most: int) -> Iterator[slice]:
        """Individuals, about so many rows at a time; those with one row apart from the others."""
        first, everybody = 0, len(self.start) - 1
        while first < everybody:
            end = int(np.searchsorted(self.start, self.start[first] + most, side="right")) - 1
            end = min(max(end, first + 1), self.single if first < self.single else everybody)
            yield slice(first, end)
            first = end


def _owners(individual: Codes | None, rows: int) -> _Owners:
    person = np.zeros(rows, dtype=np.int64) if individual is None else individual.astype(np.int64)
    nobody = np.flatnonzero(person == MISSING)
    person[nobody] = int(person.max(initial=0)) + 1 + np.arange(len(nobody))
    _, place, count = np.unique(person, return_inverse=True, return_counts=True)
    order = np.lexsort((place, count[place] > 1))
    count = np.concatenate([count[count == 1], count[count > 1]])
    start = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
    return _Owners(order, start, int((count == 1).sum()))


class Candidates:
    """The individuals of a world that each class of a release may be about."""

    def __init__(
        self, quasi: Mapping[str, Cells], crowds: Crowds, world: PublicTable, missing: Missing
    ) -> None:
        names = [name for name in quasi if name in world.columns]
        if not names:
            raise NotMetError("the release and the world share no quasi-identifying column")
        first = np.unique(crowds.class_of, return_index=True)[1]
        shown = np.stack([quasi[name].codes[first] for name in names])
        _, place, self._tuple_of = np.unique(
            pack(list(shown)), return_index=True, return_inverse=True
        )
        anything = missing is Missing.MATCHES_ANYTHING
        self._columns: list[tuple[Meaning, Codes]] = []
        self._tuples: list[Counts] = []
        for name, codes in zip(names, shown[:, place], strict=True):
            used, label_of = np.unique(codes, return_inverse=True)
            texts = [None, *quasi[name].labels.to_list()]
            column = world.columns[name]
            tree = (world.trees or {}).get(name)
            labels = [texts[code] for code in used.tolist()]
            meaning = meaning_of(labels, column.domain, tree, anything=anything)
            self._columns.append((meaning, meaning.place[column.codes]))
            self._tuples.append(label_of)
        self._owners = _owners(world.individual, len(self._columns[0][1]))

    @cached_property
    def counts(self) -> Counts:
        """Per class: how many individuals it may be about."""
        counts = np.zeros(len(self._tuples[0]), dtype=np.int64)
        for people in self._blocks():
            single = people.stop <= self._owners.single
            for chunk, bits in self._fitting(people):
                if single:
                    counts[chunk] += np.bitwise_count(bits).sum(axis=1, dtype=np.int64)
                else:
                    counts[chunk] += np.bincount(self._pairs(bits, people)[0], minlength=len(bits))
        return counts[self._tuple_of]

    def presence(self, people: Counts) -> float:
        """How sure it is at most that an individual is in the release, given people per class.

        Every person of a class is as likely each individual that the class may be about; an
        individual who fits several classes may be in any of them, so what they say is added up.
        """
        shares: Floats = np.zeros(len(self._tuples[0]))
        np.add.at(shares, self._tuple_of, people / np.maximum(self.counts, 1))
        return max((self._surest(shares, block) for block in self._blocks()), default=0.0)

    def _surest(self, shares: Floats, people: slice) -> float:
        sums = np.zeros(people.stop - people.start)
        for chunk, bits in self._fitting(people):
            line, person = self._pairs(bits, people)
            sums += np.bincount(person, shares[chunk][line], minlength=len(sums))
        return float(sums.max(initial=0.0))

    def _blocks(self) -> Iterator[slice]:
        labels = sum(len(meaning.runs) for meaning, _ in self._columns)
        return self._owners.blocks(max(64, 8 * _LABEL_BYTES // labels))

    def _fitting(self, people: slice) -> Iterator[tuple[slice, Bits]]:
        """Some tuples at a time: one line of bits per tuple, a bit for each row of these people."""
        owners = self._owners
        rows = owners.rows[owners.start[people.start] : owners.start[people.stop]]
        lines = [_lines(meaning, places[rows]) for meaning, places in self._columns]
        step = max(1, _FIT_BYTES // max(1, len(rows)))
        for first in range(0, len(self._tuples[0]), step):
            chunk = slice(first, first + step)
            bits = lines[0][self._tuples[0][chunk]]
            for line, label_of in zip(lines[1:], self._tuples[1:], strict=True):
                bits &= line[label_of[chunk]]
            yield chunk, bits

    def _pairs(self, bits: Bits, people: slice) -> tuple[Counts, Counts]:
        """All pairs (line, person) of a tuple and somebody of these people who fits it, each once.

        Only words with a bit in them are looked into: most tuples fit few.
        """
        line, word = np.nonzero(bits)
        found, bit = np.nonzero(np.unpackbits(bits[line, word].view(np.uint8)).reshape(-1, 64))
        line, row = line[found], 64 * word[found] + bit
        person = row if people.stop <= self._owners.single else self._owners.of(people)[row]
        new = np.append(True, (np.diff(line) != 0) | (np.diff(person) != 0))[: len(line)]
        return line[new], person[new]


def _lines(meaning: Meaning, places: Codes) -> Bits:
    """One line of bits per label: the rows at these places that it may stand for."""
    words = -(-len(places) // 64)
    lines = np.zeros((len(meaning.runs), 8 * words), dtype=np.uint8)
    for label in range(len(lines)):
        fits: Flags = meaning.fits(label, places)
        packed = np.packbits(fits)
        lines[label, : len(packed)] = packed
    return lines.view(np.uint64)
