"""Individuals of a world that the cells of classes may stand for, as searches ask for them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from incrowd.arrays import MISSING, Codes, Counts, Flags, Floats
from incrowd.errors import InputError
from incrowd.hierarchy.cells import CellGrid
from incrowd.hierarchy.decoding import Run
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.linkage.index import index_of
from incrowd.linkage.links import persons_of
from incrowd.linkage.matching import Matcher, Matching, from_runs
from incrowd.linkage.sets import Sets, sets_of
from incrowd.linkage.world import World
from incrowd.partition.classes import Classes, numbered
from incrowd.table.column import CodedColumn, Domain
from incrowd.table.roles import Missing


class _Column(Protocol):
    """A quasi-identifying column, as a problem has it."""

    @property
    def name(self) -> str: ...
    @property
    def hierarchy(self) -> Hierarchy: ...
    @property
    def lowest(self) -> int: ...
    @property
    def grid(self) -> CellGrid | None: ...
    @property
    def pools(self) -> Codes | None: ...
    @property
    def finest(self) -> Codes: ...
    def widened(self, low: Codes, high: Codes) -> tuple[Codes, Codes]: ...


class ValueSetsLike(Protocol):
    """The values of each class in one column, in compressed rows."""

    @property
    def start(self) -> Counts:
        """Where the values of each class begin."""
        ...

    @property
    def code(self) -> Codes:
        """The values, one class after the other."""
        ...


class _Outcome(Protocol):
    """What a release shows, and who is in its classes."""

    @property
    def low(self) -> Codes: ...
    @property
    def high(self) -> Codes: ...
    @property
    def level(self) -> Codes: ...
    @property
    def spans(self) -> bool: ...
    @property
    def sets(self) -> Mapping[int, ValueSetsLike]: ...
    @property
    def classes(self) -> Classes: ...


@dataclass(frozen=True, eq=False, repr=False)
class Decoded:
    """What the labels of one column stand for in the world; each label is read once."""

    place: int
    """The number of the column among those of the problem."""
    column: _Column
    domain: Domain
    missing: Missing
    unknown: bool
    """Whether the world has missing values here."""
    _number: dict[str | None, int] = field(default_factory=dict)
    _runs: list[list[Run]] = field(default_factory=list)

    def labels(self, cells: tuple[Codes, Codes, Codes], *, spans: bool) -> list[str | None]:
        """What classes show whose cells have these bounds and levels."""
        low, high, level = cells
        column = self.column
        shown = column.hierarchy.show(
            low, high, level, spans, lowest=column.lowest, grid=column.grid
        )
        labels: list[str | None] = shown.tolist()
        return labels

    def matched(self, labels: Sequence[str | None]) -> tuple[Matching, Codes]:
        """What labels stand for, and the number of each among those that occur."""
        self._read([label for label in dict.fromkeys(labels) if label not in self._number])
        number = np.array([self._number[label] for label in labels], dtype=np.int32)
        held, of = np.unique(number, return_inverse=True)
        runs = [self._runs[label] for label in held.tolist()]
        return from_runs(runs, self.matcher.place), of.astype(np.int32)

    @cached_property
    def matcher(self) -> Matcher:
        """What reads labels."""
        return Matcher(self.domain, self.column.hierarchy)

    def _read(self, fresh: list[str | None]) -> None:
        """Remember what these labels stand for."""
        if not fresh:
            return
        labels = [None, *(label for label in fresh if label is not None)]
        found = self.matcher.match(labels)
        if self.missing is Missing.MATCHES_ANYTHING:
            found = found.anything(unknown=self.unknown)
        for i, label in enumerate(labels):
            if label not in self._number:
                here = slice(int(found.start[i]), int(found.start[i + 1]))
                ends = zip(found.low[here].tolist(), found.high[here].tolist(), strict=True)
                self._number[label] = len(self._runs)
                self._runs.append(list(ends))


@dataclass(frozen=True, eq=False, repr=False)
class _Told:
    """What classes say of individuals: one entry for each class and individual that it fits."""

    of: Codes
    """The class."""
    person: Codes
    share: Floats
    """How sure the class makes it that this individual is in the table."""


@dataclass(frozen=True, eq=False)
class Counted:
    """A world held against the classes of a problem: whom each of them may be about.

    Only the columns that the world shares with the problem are public (Bettini Section 2); what a
    class shows in the others says nothing to whoever holds this world. Cells are read by the labels
    that they show, as whoever holds the release reads them.
    """

    world: World
    columns: tuple[Decoded, ...] = field(repr=False)
    exact: bool = False
    """Whether the ends of spans may be the values of people in the table, whoever finds them."""

    @classmethod
    def of(
        cls,
        world: World,
        columns: Sequence[_Column],
        missing: Missing = Missing.OWN_VALUE,
        *,
        exact: bool = False,
    ) -> "Counted":
        """The world as seen with these columns; `InputError` if it has none of them."""
        found = []
        for place, column in enumerate(columns):
            there = world.columns.get(column.name)
            if there is not None:
                unknown = bool((there.codes == MISSING).any())
                found.append(Decoded(place, column, there.domain, missing, unknown))
        if not found:
            raise InputError(
                f"the table ({', '.join(column.name for column in columns)}) and the world "
                f"({', '.join(world.names)}) share no quasi-identifying column",
                remedy="rename the world's columns as the table calls them",
            )
        return cls(world.select([one.column.name for one in found]), tuple(found), exact)

    @property
    def names(self) -> tuple[str, ...]:
        """The public columns: those that the world shares with the problem."""
        return tuple(one.column.name for one in self.columns)

    @property
    def places(self) -> tuple[int, ...]:
        """The numbers of the public columns among those of the problem."""
        return tuple(one.place for one in self.columns)

    @property
    def outside(self) -> dict[str, int]:
        """By column: values of the world that its hierarchy lacks, where there are some."""
        lacking = {one.column.name: one.matcher.outside for one in self.columns}
        return {name: number for name, number in lacking.items() if number}

    @property
    def people(self) -> int:
        """Individuals of the world: what a class that shows nothing may be about."""
        return self.world.people

    def counts(
        self,
        low: Codes,
        high: Codes,
        level: Codes,
        *,
        spans: bool = True,
        sets: Mapping[int, ValueSetsLike] | None = None,
    ) -> Counts:
        """Per class the individuals that its cells may stand for, each once.

        The matrices are those of an `Outcome`: bounds and levels, shape (d, classes). `spans` says
        that ordered columns show their true span, `sets` which columns show sets of values.
        """
        if not low.shape[1]:
            return np.zeros(0, dtype=np.int64)
        found, lines = self._read((low, high, level), spans, sets or {})
        tuple_of, tuples = _distinct(lines, found)
        counts = index_of(self.world, self.names, found, tuples).counts()
        return np.append(counts, 0)[tuple_of]

    def presence(self, outcome: _Outcome) -> float:
        """How sure somebody's presence is at most, whose person each record of a class may be.

        Cells of classes may overlap: whoever they both fit may be in either, so what the classes
        say of an individual is added up.
        """
        told = self._told(outcome)
        return float(np.bincount(told.person, told.share).max(initial=0.0))

    def meetings(self, outcome: _Outcome, bound: float) -> Codes:
        """Pairs of classes that together make somebody's presence surer than the bound.

        For each such individual the two classes that say most of them: shape (pairs, 2), what is
        farthest above the bound first.
        """
        told = self._told(outcome)
        sums = np.bincount(told.person, told.share)
        over = np.flatnonzero(sums[told.person] > bound)
        order = over[np.lexsort((-told.share[over], told.person[over]))]
        person = told.person[order]
        first = np.flatnonzero(np.diff(person, prepend=-1))
        first = first[np.diff(np.append(first, len(person))) > 1]
        pairs = np.sort(np.stack([told.of[order[first]], told.of[order[first + 1]]], axis=1))
        turn = np.argsort(-sums[person[first]], kind="stable")
        _, earliest = np.unique(pairs[turn], axis=0, return_index=True)
        found: Codes = pairs[turn[np.sort(earliest)]]
        return found

    def _told(self, outcome: _Outcome) -> "_Told":
        """What each class says of each individual that it fits; equal classes as one."""
        found, lines = self._read(
            (outcome.low, outcome.high, outcome.level), outcome.spans, outcome.sets
        )
        tuple_of, tuples = _distinct(lines, found)
        index = index_of(self.world, self.names, found, tuples)
        every = np.arange(tuples.shape[1], dtype=np.int32)
        start, person = persons_of(index, self.world, every)
        fits: Flags = tuple_of >= 0
        held = np.bincount(tuple_of[fits], outcome.classes.people[fits], minlength=len(every))
        first = np.zeros(len(every), dtype=np.int32)
        first[tuple_of[fits]] = np.flatnonzero(fits)
        counts = np.diff(start)
        share = np.repeat(held / np.maximum(counts, 1), counts)
        return _Told(np.repeat(first, counts), person, share)

    def rows_within(self, low: Codes, high: Codes, level: Codes) -> Flags | None:
        """Which rows of the world some of these classes may stand for.

        None if cells of one column overlap without being equal: they say nothing of each other
        only where each value has one cell to be in.
        """
        within: Flags = np.zeros(self.world.rows, dtype=np.bool_)
        if not low.shape[1]:
            return within
        found, lines = self._read((low, high, level), spans=True, sets={})
        layers = [one.layers for one in found]
        if any(layer is None or len(layer) > 1 for layer in layers):
            return None
        here = [
            layer[0][one.atom[self.world.columns[name].codes]]
            for name, one, layer in zip(self.names, found, layers, strict=True)
            if layer is not None
        ]
        place, number = numbered(np.concatenate([lines + 1, np.stack(here)], axis=1))
        asked: Flags = np.zeros(number, dtype=np.bool_)
        asked[place[: lines.shape[1]]] = True
        return asked[place[lines.shape[1] :]]

    def crowded(self, k: int) -> Flags:
        """Which rows of the world are like those of at least k individuals."""
        world = self.world
        lines = np.stack([world.columns[name].codes for name in self.names])
        place, number = numbered(lines)
        if world.everybody_once:
            sizes = np.bincount(place, minlength=number)
        else:
            radix = int(world.person.max(initial=0)) + 1
            pairs = np.unique(place.astype(np.int64) * radix + world.person)
            sizes = np.bincount(pairs // radix, minlength=number)
        crowded: Flags = sizes[place] >= k
        return crowded

    def _read(
        self, cells: tuple[Codes, Codes, Codes], spans: bool, sets: Mapping[int, ValueSetsLike]
    ) -> tuple[list[Sets], Codes]:
        """Per public column the sets that cells stand for, and that of each class."""
        shown = []
        for one in self.columns:
            low, high, level = (matrix[one.place] for matrix in cells)
            labels = one.labels((low, high, level), spans=spans)
            if (held := sets.get(one.place)) is not None:
                labels = one.column.hierarchy.show_sets(held.start, held.code).tolist()
            shown.append(one.matched(labels))
        found = [sets_of(matching) for matching, _ in shown]
        lines = [one.of[label] for one, (_, label) in zip(found, shown, strict=True)]
        return found, np.stack(lines)

    def alone(self) -> "Counted":
        """The same for a problem that has the public columns only."""
        columns = (replace(one, place=place) for place, one in enumerate(self.columns))
        return replace(self, columns=tuple(columns))

    def without(self, rows: Flags) -> "Counted":
        """The same without these rows of the world: nobody of them is counted."""
        kept = np.flatnonzero(~rows)
        columns = {
            name: CodedColumn(name, column.codes[kept], column.domain)
            for name, column in self.world.columns.items()
        }
        return replace(self, world=World(columns, self.world.person[kept]))

    def __repr__(self) -> str:
        """Without values."""
        return f"Counted({', '.join(self.names)}; {self.people} individuals)"


def _distinct(lines: Codes, sets: Sequence[Sets]) -> tuple[Codes, Codes]:
    """The distinct tuples of sets, and that of each class; -1 where one stands for nothing."""
    place, number = numbered(lines)
    tuples = np.empty((len(lines), number), dtype=np.int32)
    tuples[:, place] = lines
    idle: Flags = np.logical_or.reduce(
        [one.empty[line] for one, line in zip(sets, tuples, strict=True)]
    )
    place_of = np.where(idle, -1, np.cumsum(~idle) - 1).astype(np.int32)
    return place_of[place], np.ascontiguousarray(tuples[:, ~idle])
