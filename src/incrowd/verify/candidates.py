"""The candidates in a world for each class of a release, counted by labels.

An individual may be the subject of a class if one of the individual's rows fits all that the class
shows. Every label becomes a line of bits, one bit per row of the world; what a class shows is their
intersection. The world is gone through in blocks of whole individuals, so that memory is bounded.
Part of the verification: it shares no line with the code that a search counts people of a world
with.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import MISSING, Codes, Counts, Flags, Floats
from incrowd.errors import InputError, NotMetError
from incrowd.hierarchy.labels import TOP, names_in_labels
from incrowd.hierarchy.written_labels import WrittenLabels
from incrowd.table.column import CodedColumn, Domain, Kind, Missing
from incrowd.table.parse import parse
from incrowd.verify.crowds import Crowds, NumberedCells, pack
from incrowd.verify.label_tree import LabelTree

Bits = NDArray[np.uint64]
_FEW = 4
"""Up to this many runs are compared one by one; more use a lookup."""
_NO_LEAF = 2**31 - 1
_NONE: Counts = np.zeros(0, dtype=np.int64)
_LABEL_BYTES = 2**26
_FIT_BYTES = 2**22
"""What the bits of all labels, and of the classes that are looked at together, may take."""


@dataclass(frozen=True, eq=False, repr=False)
class LabelMeaning:
    """The values of the world that each label may stand for.

    Values stand at places 1, 2, … in the order of the hierarchy's leaves, so that most labels are
    one run of places; values that are no leaf come last, missing is place 0.
    """

    place: Codes
    """The place of each code of the world."""
    runs: tuple[Counts, ...]
    """Per label: the first and last place of each of its runs, shape (runs, 2)."""

    def fits(self, label: int, places: Codes) -> Flags:
        """Whether a label may stand for the values at these places, elementwise."""
        runs = self.runs[label]
        if len(runs) > _FEW:
            held: Flags = np.zeros(len(self.place), dtype=np.bool_)
            for low, high in runs.tolist():
                held[low : high + 1] = True
            return held[places]
        fits: Flags = np.zeros(len(places), dtype=np.bool_)
        for low, high in runs.tolist():
            fits |= (places >= low) & (places <= high)
        return fits


def meaning_of(
    labels: Sequence[str | None], domain: Domain, tree: LabelTree | None, *, anything: bool
) -> LabelMeaning:
    """Read which values of a world each label of a column may stand for; label None is missing.

    A missing cell stands for a missing value, the label of the top for everything, missing too.
    With `anything` a missing value matches anything, in the release as in the world.
    """
    reader = _LabelReader(domain, tree, names_in_labels(labels))
    runs = [reader.runs(label) for label in labels]
    if anything:
        everything = np.array([[MISSING, len(domain)]], dtype=np.int64)
        nothing = np.array([[MISSING, MISSING]], dtype=np.int64)
        runs = [
            everything if label is None else np.concatenate([nothing, found])
            for label, found in zip(labels, runs, strict=True)
        ]
    return LabelMeaning(reader.place, tuple(runs))


class _LabelReader:
    """Reads labels as places of one column of a world."""

    def __init__(self, domain: Domain, tree: LabelTree | None, named: frozenset[str]) -> None:
        leaf = np.full(len(domain), _NO_LEAF, dtype=np.int64)
        if tree is not None:
            leaf = _leaf_of_values(domain, tree.leaves)
        order = np.argsort(leaf, kind="stable")
        self.place: Codes = np.zeros(len(domain) + 1, dtype=np.int32)
        self.place[order + 1] = np.arange(1, len(domain) + 1, dtype=np.int32)
        self._tree = tree
        self._named = named
        self._leaf = leaf[order][leaf[order] < _NO_LEAF]
        self._written = WrittenLabels(domain)
        rest = order[len(self._leaf) :]
        self._rest = WrittenLabels(Domain(domain.kind, domain.values[rest]))
        self._tops = {TOP} if tree is None else {TOP, tree.labels[-1][0]}

    def runs(self, label: str | None) -> Counts:
        """The runs of places that a label may stand for; shape (runs, 2)."""
        if label is None:
            return _run_array([(MISSING, MISSING)])
        if label in self._tops:
            return _run_array([(MISSING, len(self.place) - 1)])
        leaves = self._leaves_of(label)
        if self._tree is None:
            return _run_array(self._written.runs(label, self._named))
        if leaves is None:
            written = self._written.runs(label, self._named)
            codes = [np.arange(low, high + 1) for low, high in written]
            return _runs_of_places(np.sort(self.place[np.concatenate([_NONE, *codes])]))
        known = len(self._leaf)
        outside = self._rest.runs(label, self._named) if known + 1 < len(self.place) else []
        return np.concatenate([leaves, _run_array(outside) + known])

    def _leaves_of(self, label: str) -> Counts | None:
        """The runs of places of a label's leaves; None if the hierarchy does not know the label."""
        if self._tree is None:
            return None
        try:
            decoded = self._tree.decode_all([label], self._named)
        except InputError:
            return None
        first = np.searchsorted(self._leaf, decoded.low, side="left") + 1
        last = np.searchsorted(self._leaf, decoded.high, side="right")
        runs = np.stack([first, last], axis=1).astype(np.int64)
        return runs[runs[:, 0] <= runs[:, 1]]


def _run_array(runs: Sequence[tuple[int, int]]) -> Counts:
    """Put runs into an array of shape (runs, 2)."""
    return np.array(runs, dtype=np.int64).reshape(-1, 2)


def _runs_of_places(places: Codes) -> Counts:
    """Put ascending places that are neighbours together into runs."""
    if not len(places):
        return _run_array([])
    cut = np.flatnonzero(np.diff(places) > 1)
    ends = places[np.append(0, cut + 1)], places[np.append(cut, -1)]
    return np.stack(ends, axis=1).astype(np.int64)


def _leaf_of_values(domain: Domain, leaves: Domain) -> Counts:
    """The number of the leaf that each value of the world is; `_NO_LEAF` where it is none.

    Values of one kind are equal by value; others by text, or by the number or date it is.
    """
    kinds = {domain.kind, leaves.kind}
    if kinds in ({Kind.NUMBER}, {Kind.DATE}):
        return _look_up_keys(_comparable_values(domain), _comparable_values(leaves))
    found = _look_up_keys(domain.labels.tolist(), leaves.labels.tolist())
    for kind in kinds - {Kind.TEXT}:
        mine, theirs = (_parse_keys(side, kind) for side in (domain, leaves))
        found = np.where(found == _NO_LEAF, _look_up_keys(mine, theirs), found)
    return found


def _comparable_values(domain: Domain) -> list[object]:
    """Values as Python compares them; moments and days on one scale."""
    values = domain.values
    if values.dtype.kind == "M":
        values = values.astype("datetime64[us]").astype(np.int64)
    keys: list[object] = values.tolist()
    return keys


def _parse_keys(domain: Domain, kind: Kind) -> list[object]:
    """Parse labels as this kind and return comparable values; None where a label is none."""
    parsed = parse(domain.labels, kind)
    keys = _comparable_values(Domain(kind, parsed.values))
    return [key if fits else None for key, fits in zip(keys, parsed.fits.tolist(), strict=True)]


def _look_up_keys(keys: Sequence[object], known: Sequence[object]) -> Counts:
    """The place of each key among the known ones, from 1; `_NO_LEAF` where it is not known."""
    code: dict[object, int] = {}
    for number, key in enumerate(known, start=1):
        code.setdefault(key, number)
    code.pop(None, None)
    return np.array([code.get(key, _NO_LEAF) for key in keys], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class PublicTable:
    """A world as verification sees it: its values, whose row each is, and what labels stand for."""

    columns: Mapping[str, CodedColumn]
    individual: Codes | None = None
    """The individual of each row, 0 for somebody who has no other; None if every row is one."""
    trees: Mapping[str, LabelTree] | None = None
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

    def person_of_rows(self, people: slice) -> Counts:
        """Whose each row of these people is; the first of them is number 0."""
        lengths = np.diff(self.start[people.start : people.stop + 1])
        return np.repeat(np.arange(len(lengths)), lengths)

    def blocks(self, most: int) -> Iterator[slice]:
        """Yield slices of individuals of about `most` rows; those with one row apart, first."""
        first, everybody = 0, len(self.start) - 1
        while first < everybody:
            end = int(np.searchsorted(self.start, self.start[first] + most, side="right")) - 1
            end = min(max(end, first + 1), self.single if first < self.single else everybody)
            yield slice(first, end)
            first = end


def _sort_by_individual(individual: Codes | None, rows: int) -> _Owners:
    """Sort the rows of a world by individual; a row of individual 0 is one of its own."""
    person = np.zeros(rows, dtype=np.int64) if individual is None else individual.astype(np.int64)
    nobody = np.flatnonzero(person == MISSING)
    person[nobody] = int(person.max(initial=0)) + 1 + np.arange(len(nobody))
    _, place, count = np.unique(person, return_inverse=True, return_counts=True)
    order = np.lexsort((place, count[place] > 1))
    count = np.concatenate([count[count == 1], count[count > 1]])
    start = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
    return _Owners(order, start, int((count == 1).sum()))


class CandidateCounts:
    """Counts the candidates of each class in a world."""

    def __init__(
        self,
        quasi: Mapping[str, NumberedCells],
        crowds: Crowds,
        world: PublicTable,
        missing: Missing,
    ) -> None:
        names = [name for name in quasi if name in world.columns]
        if not names:
            raise NotMetError(
                "the release and the world have no quasi-identifying column in common"
            )
        first = np.unique(crowds.class_of, return_index=True)[1]
        shown = np.stack([quasi[name].codes[first] for name in names])
        _, place, self._tuple_of = np.unique(
            pack(list(shown)), return_index=True, return_inverse=True
        )
        anything = missing is Missing.MATCHES_ANYTHING
        self._columns: list[tuple[LabelMeaning, Codes]] = []
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
        self._owners = _sort_by_individual(world.individual, len(self._columns[0][1]))

    @property
    def counts(self) -> Counts:
        """Candidates per class."""
        return self._counts[self._tuple_of]

    @cached_property
    def _counts(self) -> Counts:
        """Candidates per line; a line is what classes show in the columns of the world."""
        counts = np.zeros(len(self._tuples[0]), dtype=np.int64)
        for people in self._blocks():
            single = people.stop <= self._owners.single
            for chunk, bits in self._flag_fitting(people):
                if single:
                    counts[chunk] += np.bitwise_count(bits).sum(axis=1, dtype=np.int64)
                else:
                    line, _ = self._fitting_pairs(bits, people)
                    counts[chunk] += np.bincount(line, minlength=len(bits))
        return counts

    def list_pairs(self, sizes: Counts, most: int) -> tuple[Counts, Counts, Counts] | None:
        """List pairs of a line and an individual who fits it: (lines, individuals, records).

        A line is what classes show in the columns of the world; the records are those of each line,
        by `sizes`, the records of each class. Individuals are numbered from 0. None if there are
        more than `most` pairs.
        """
        if self._counts.sum() > most:
            return None
        lines, persons = [_NONE], [_NONE]
        for people in self._blocks():
            for chunk, bits in self._flag_fitting(people):
                line, person = self._fitting_pairs(bits, people)
                lines.append(line + chunk.start)
                persons.append(person + people.start)
        records = np.zeros(len(self._counts), dtype=np.int64)
        np.add.at(records, self._tuple_of, sizes)
        return np.concatenate(lines), np.concatenate(persons), records

    def presence(self, people: Counts) -> float:
        """The highest chance that an individual is in the release, not cut at 1.

        `people` are those of each class. Every person of a class is as likely each individual that
        the class may be about; an individual who fits several classes may be in any of them, so
        what they say is added up.
        """
        shares: Floats = np.zeros(len(self._tuples[0]))
        np.add.at(shares, self._tuple_of, people / np.maximum(self.counts, 1))
        return max((self._highest_presence(shares, block) for block in self._blocks()), default=0.0)

    def _highest_presence(self, shares: Floats, people: slice) -> float:
        """The highest sum of `shares` over the lines that one of these people fits."""
        sums = np.zeros(people.stop - people.start)
        for chunk, bits in self._flag_fitting(people):
            line, person = self._fitting_pairs(bits, people)
            sums += np.bincount(person, shares[chunk][line], minlength=len(sums))
        return float(sums.max(initial=0.0))

    def _blocks(self) -> Iterator[slice]:
        """Yield slices of individuals of so few rows that their bits fit into memory."""
        labels = sum(len(meaning.runs) for meaning, _ in self._columns)
        return self._owners.blocks(max(64, 8 * _LABEL_BYTES // labels))

    def _flag_fitting(self, people: slice) -> Iterator[tuple[slice, Bits]]:
        """Yield (slice of lines, a bit per line and row of these people: whether it fits)."""
        owners = self._owners
        rows = owners.rows[owners.start[people.start] : owners.start[people.stop]]
        lines = [_bits_of_labels(meaning, places[rows]) for meaning, places in self._columns]
        step = max(1, _FIT_BYTES // max(1, len(rows)))
        for first in range(0, len(self._tuples[0]), step):
            chunk = slice(first, first + step)
            bits = lines[0][self._tuples[0][chunk]]
            for line, label_of in zip(lines[1:], self._tuples[1:], strict=True):
                bits &= line[label_of[chunk]]
            yield chunk, bits

    def _fitting_pairs(self, bits: Bits, people: slice) -> tuple[Counts, Counts]:
        """List once each pair of a line of `bits` and a person (from 0) of these who fits it."""
        line, word = np.nonzero(bits)  # most lines fit few rows, so most words have no bit
        found, bit = np.nonzero(np.unpackbits(bits[line, word].view(np.uint8)).reshape(-1, 64))
        line, row = line[found], 64 * word[found] + bit
        person = (
            row if people.stop <= self._owners.single else self._owners.person_of_rows(people)[row]
        )
        new = np.append(True, (np.diff(line) != 0) | (np.diff(person) != 0))[: len(line)]
        return line[new], person[new]


def _bits_of_labels(meaning: LabelMeaning, places: Codes) -> Bits:
    """Flag by label, in bits, the rows at these places that it may stand for."""
    words = -(-len(places) // 64)
    lines = np.zeros((len(meaning.runs), 8 * words), dtype=np.uint8)
    for label in range(len(lines)):
        fits: Flags = meaning.fits(label, places)
        packed = np.packbits(fits)
        lines[label, : len(packed)] = packed
    return lines.view(np.uint64)
