"""How many individuals of a world the cells of classes may stand for, as searches count them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from incrowd.arrays import MISSING, Codes, Counts, Flags, Floats
from incrowd.errors import InputError
from incrowd.hierarchy.decoding import Run
from incrowd.hierarchy.pools import labels_of_sets
from incrowd.linkage.atoms import AtomSets, atom_sets_of, drop_idle
from incrowd.linkage.index import make_index
from incrowd.linkage.links import persons_of
from incrowd.linkage.matching import Matcher, Matching, matching_of_runs
from incrowd.linkage.world import World
from incrowd.partition.classes import number_columns
from incrowd.recoding.column import QuasiColumn
from incrowd.recoding.outcome import Outcome
from incrowd.recoding.spans import ValueSets
from incrowd.table.column import CodedColumn, Domain, Missing


@dataclass(frozen=True, eq=False, repr=False)
class DecodedColumn:
    """What the labels of one column stand for in the world; each label is decoded once."""

    place: int
    """The index of the column among those of the problem."""
    column: QuasiColumn
    domain: Domain
    missing: Missing
    unknown: bool
    """Whether the world has missing values here."""
    _number: dict[str | None, int] = field(default_factory=dict)
    _runs: list[list[Run]] = field(default_factory=list)

    def labels(self, cells: tuple[Codes, Codes, Codes], *, spans: bool) -> list[str | None]:
        """The labels that cells with these bounds and levels show; None for a missing value."""
        column = self.column
        return list(column.hierarchy.show(*cells, spans, lowest=column.lowest, grid=column.grid))

    def match_labels(self, labels: Sequence[str | None]) -> tuple[Matching, Codes]:
        """Match the labels that occur; return the matching and each label's place in it."""
        self._decode_labels([label for label in dict.fromkeys(labels) if label not in self._number])
        number = np.array([self._number[label] for label in labels], dtype=np.int32)
        held, of = np.unique(number, return_inverse=True)
        runs = [self._runs[label] for label in held.tolist()]
        return matching_of_runs(runs, self.matcher.place), of.astype(np.int32)

    @cached_property
    def matcher(self) -> Matcher:
        """Matches labels with the values of the world in this column."""
        return Matcher(self.domain, self.column.hierarchy)

    def _decode_labels(self, fresh: list[str | None]) -> None:
        """Decode labels that are new, and keep what they stand for."""
        if not fresh:
            return
        labels = [None, *(label for label in fresh if label is not None)]
        pools = self.column.pools
        found = self.matcher.match(labels, None if pools is None else pools.names)
        if self.missing is Missing.MATCHES_ANYTHING:
            found = found.open_to_missing(unknown=self.unknown)
        for i, label in enumerate(labels):
            if label not in self._number:
                self._number[label] = len(self._runs)
                self._runs.append(found.runs(i))


@dataclass(frozen=True, eq=False, repr=False)
class _PresenceChances:
    """The chance of presence that classes give: an entry per class and individual whom it fits."""

    of: Codes
    person: Codes
    share: Floats
    """The chance that this individual is in the table, as far as the class tells."""


@dataclass(frozen=True, eq=False)
class CandidateCounter:
    """Counts the individuals of a world that each class of a problem may be about.

    Only the columns that the world shares with the problem are public (Bettini Section 2): the
    others tell somebody with this world nothing. Cells are decoded from the labels that they show,
    as any reader of the release does.
    """

    world: World
    columns: tuple[DecodedColumn, ...] = field(repr=False)
    exact: bool = False
    """Whether spans may end on the values of people in the table."""

    @classmethod
    def of(
        cls,
        world: World,
        columns: Sequence[QuasiColumn],
        missing: Missing = Missing.OWN_VALUE,
        *,
        exact: bool = False,
    ) -> "CandidateCounter":
        """Make the counter for these columns; `InputError` if the world has none of them."""
        found = []
        for place, column in enumerate(columns):
            there = world.columns.get(column.name)
            if there is not None:
                unknown = bool((there.codes == MISSING).any())
                found.append(DecodedColumn(place, column, there.domain, missing, unknown))
        if not found:
            raise InputError(
                f"the table ({', '.join(column.name for column in columns)}) and the world "
                f"({', '.join(world.names)}) share no quasi-identifying column",
                remedy="say what the world calls them, such as --rename zip=zipcode",
            )
        return cls(world.select([one.column.name for one in found]), tuple(found), exact)

    @property
    def names(self) -> tuple[str, ...]:
        """The public columns: those that the world shares with the problem."""
        return tuple(one.column.name for one in self.columns)

    @property
    def places(self) -> tuple[int, ...]:
        """The indices of the public columns among those of the problem."""
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
        sets: Mapping[int, ValueSets] | None = None,
    ) -> Counts:
        """Count, per class, how many individuals its cells may stand for, each once.

        The matrices are those of an `Outcome`: bounds and levels, shape (d, classes). `spans` says
        that ordered columns show their true span, `sets` which columns show sets of values.
        """
        if not low.shape[1]:
            return np.zeros(0, dtype=np.int64)
        found, lines = self._decode_cells((low, high, level), spans, sets or {})
        tuple_of, tuples = _distinct_tuples(lines, found)
        counts = make_index(self.world, self.names, found, tuples).counts()
        return np.append(counts, 0)[tuple_of]

    def largest_presence_chance(self, outcome: Outcome) -> float:
        """The largest chance that somebody is in the table, summed over classes, even above 1."""
        said = self._presence_chances(outcome)
        return float(np.bincount(said.person, said.share).max(initial=0.0))

    def pairs_above_bound(self, outcome: Outcome, bound: float) -> Codes:
        """Find pairs of classes that together put somebody's presence above the bound.

        For each such individual whom several classes fit, the two that contribute most, each pair
        once: shape (pairs, 2), the largest excess first.
        """
        said = self._presence_chances(outcome)
        sums = np.bincount(said.person, said.share)
        over = np.flatnonzero(sums[said.person] > bound)
        order = over[np.lexsort((-said.share[over], said.person[over]))]
        person = said.person[order]
        first = np.flatnonzero(np.diff(person, prepend=-1))
        first = first[np.diff(np.append(first, len(person))) > 1]
        pairs = np.sort(np.stack([said.of[order[first]], said.of[order[first + 1]]], axis=1))
        turn = np.argsort(-sums[person[first]], kind="stable")
        _, earliest = np.unique(pairs[turn], axis=0, return_index=True)
        return pairs[turn[np.sort(earliest)]]

    def _presence_chances(self, outcome: Outcome) -> "_PresenceChances":
        """The chance of presence that each class gives to each individual whom it fits.

        Classes that show the same count as one, the last of them.
        """
        cells = outcome.low, outcome.high, outcome.level
        found, lines = self._decode_cells(cells, outcome.spans, outcome.sets)
        tuple_of, tuples = _distinct_tuples(lines, found)
        index = make_index(self.world, self.names, found, tuples)
        every = np.arange(tuples.shape[1], dtype=np.int32)
        start, person = persons_of(index, self.world, every)
        fits: Flags = tuple_of >= 0
        held = np.bincount(tuple_of[fits], outcome.classes.people[fits], minlength=len(every))
        first = np.zeros(len(every), dtype=np.int32)
        first[tuple_of[fits]] = np.flatnonzero(fits)
        counts = np.diff(start)
        share = np.repeat(held / np.maximum(counts, 1), counts)
        return _PresenceChances(np.repeat(first, counts), person, share)

    def flag_rows_within(self, low: Codes, high: Codes, level: Codes) -> Flags | None:
        """Flags of world rows that these classes cover; None if different cells overlap."""
        within: Flags = np.zeros(self.world.rows, dtype=np.bool_)
        if not low.shape[1]:
            return within
        found, lines = self._decode_cells((low, high, level), spans=True, sets={})
        layers = [one.layers for one in found]
        if any(layer is None or len(layer) > 1 for layer in layers):
            return None
        here = [
            layer[0][one.atom[self.world.columns[name].codes]]
            for name, one, layer in zip(self.names, found, layers, strict=True)
            if layer is not None
        ]
        place, number = number_columns(np.concatenate([lines + 1, np.stack(here)], axis=1))
        asked: Flags = np.zeros(number, dtype=np.bool_)
        asked[place[: lines.shape[1]]] = True
        return asked[place[lines.shape[1] :]]

    def flag_crowded_rows(self, k: int) -> Flags:
        """Flags of the rows of the world whose values at least k individuals share."""
        world = self.world
        lines = np.stack([world.columns[name].codes for name in self.names])
        place, number = number_columns(lines)
        if world.everybody_once:
            sizes = np.bincount(place, minlength=number)
        else:
            radix = int(world.person.max(initial=0)) + 1
            pairs = np.unique(place.astype(np.int64) * radix + world.person)
            sizes = np.bincount(pairs // radix, minlength=number)
        return sizes[place] >= k

    def _decode_cells(
        self, cells: tuple[Codes, Codes, Codes], spans: bool, sets: Mapping[int, ValueSets]
    ) -> tuple[list[AtomSets], Codes]:
        """Decode cells: return the sets of each public column, and in it the set of each class."""
        shown = []
        for one in self.columns:
            low, high, level = (matrix[one.place] for matrix in cells)
            labels = one.labels((low, high, level), spans=spans)
            if (held := sets.get(one.place)) is not None:
                shape = held.start, held.code, held.pools
                labels = labels_of_sets(one.column.hierarchy, *shape).tolist()
            shown.append(one.match_labels(labels))
        found = [atom_sets_of(matching) for matching, _ in shown]
        lines = [one.of[label] for one, (_, label) in zip(found, shown, strict=True)]
        return found, np.stack(lines)

    def without_rows(self, rows: Flags) -> "CandidateCounter":
        """The counter of the world without these rows."""
        kept = np.flatnonzero(~rows)
        columns = {
            name: CodedColumn(name, column.codes[kept], column.domain)
            for name, column in self.world.columns.items()
        }
        return replace(self, world=World(columns, self.world.person[kept]))

    def __repr__(self) -> str:
        """Show no values."""
        return f"CandidateCounter({', '.join(self.names)}; {self.people} individuals)"


def _distinct_tuples(lines: Codes, sets: Sequence[AtomSets]) -> tuple[Codes, Codes]:
    """As `tuples_of`, but fast for few classes or classes in order: a search asks very often."""
    place, number = number_columns(lines)
    tuples = np.empty((len(lines), number), dtype=np.int32)
    tuples[:, place] = lines
    return drop_idle(place, tuples, sets)
