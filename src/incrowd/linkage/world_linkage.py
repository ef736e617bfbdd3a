"""Who of a world each released row may be, for one set of columns or for very many."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from incrowd.arrays import Codes, Counts, Flags, Floats
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.linkage.attack_data import AttackData, SharedColumn
from incrowd.linkage.concealment import MOST_PAIRS, Concealed, FittingPairs
from incrowd.linkage.fit import ColumnSets, sweep
from incrowd.linkage.links import Linked, link
from incrowd.linkage.world import World
from incrowd.partition.csr import entries, group_by_owner, owners
from incrowd.table.column import CodedColumn, Missing
from incrowd.table.fold import fold


@dataclass(frozen=True, eq=False)
class RowCandidates:
    """Per released row, how many individuals of a world fit it."""

    knows: tuple[str, ...]
    number: Counts
    individuals: int
    """Different individuals in the world."""
    right: Flags | None = None
    """Whether the person whom the row is about is among them; None if that is not known."""
    class_of: Codes | None = None
    """The class of each row: rows of one class look the same. None if all rows differ."""
    listed: float | None = None
    """The share of the rows whose person is in the world; None if that is not known."""
    listed_at_most: bool = False
    """Whether `listed` is the most that it can be."""
    one_each: bool = True
    """Whether every row is about a different person."""
    fixed: bool = False
    """Whether no labels of a column overlap: classes are then cells that people fall into."""

    @property
    def k(self) -> int | None:
        """The fewest individuals that fit a row, of rows that fit somebody; None if none does."""
        fitting = self.number[self.number > 0]
        return int(fitting.min()) if len(fitting) else None

    @property
    def inconsistent(self) -> int:
        """How many rows fit nobody."""
        return int((self.number == 0).sum())

    @cached_property
    def classes(self) -> Codes:
        """The class of each row."""
        each = np.arange(len(self.number), dtype=np.int32)
        return each if self.class_of is None else self.class_of

    @cached_property
    def sizes(self) -> Counts:
        """Rows per class."""
        return np.bincount(self.classes).astype(np.int64)

    @cached_property
    def fitting(self) -> Counts:
        """Per class: how many individuals fit its rows."""
        fitting = np.zeros(len(self.sizes), dtype=np.int64)
        fitting[self.classes] = self.number
        return fitting

    @cached_property
    def most_listed(self) -> Floats:
        """Per class: how many of its people can be in the world at most.

        If every row is about a different person, no more than it has candidates, and in total no
        more than the world has individuals. In total no more than are known to be listed. If that
        leaves a choice, people with the fewest candidates are assumed to be listed: the worst case.
        """
        most: Counts = np.where(self.fitting > 0, self.sizes, 0)
        total = float(len(self.number))
        if self.one_each:
            most, total = np.minimum(most, self.fitting), float(min(self.individuals, total))
        if self.listed is not None:
            total = min(total, self.listed * len(self.number))
        order = np.argsort(self.fitting, kind="stable")
        before = np.cumsum(most[order]) - most[order]
        taken = np.zeros(len(most))
        taken[order] = np.clip(total - before, 0.0, most[order])
        return taken

    @property
    def unlisted(self) -> int:
        """How many released rows, at least, are about people who are not in the world."""
        return len(self.number) - int(self.most_listed.sum() + 1e-9)

    @property
    def chances(self) -> Floats:
        """Per class: the expected number of rows for which a random candidate is the right person.

        Exact if the truth is known; otherwise the most that it can be.
        """
        if self.right is None:
            return self.most_listed / np.maximum(self.fitting, 1)
        chance = np.where(self.right & (self.number > 0), 1 / np.maximum(self.number, 1), 0.0)
        return np.bincount(self.classes, chance, len(self.sizes)).astype(np.float64)


@dataclass(frozen=True, eq=False)
class WorldLinkage:
    """A release and a world: who of the world each released row may be about."""

    release: Mapping[str, CodedColumn]
    world: World
    names: tuple[str, ...]
    """The columns that the attacker may link by."""
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    missing: Missing = Missing.OWN_VALUE
    truth: Codes | None = None
    """The individual of each released row, numbered as in `World.person`; 0 if not in the world."""
    listed: float | None = None
    """The share of the released people who are in the world; None if that is not known."""
    listed_at_most: bool = False
    """Whether `listed` is the most that it can be."""
    one_each: bool = True
    """Whether every released row is about a different person."""

    def __repr__(self) -> str:
        """Show no values."""
        return f"WorldLinkage({', '.join(self.names)}; {self.world!r})"

    @cached_property
    def linked(self) -> Linked:
        """The release linked with the world by all columns."""
        return self.link_by(self.names)

    def candidates(self, names: Sequence[str] | None = None) -> RowCandidates:
        """Count the candidates of each released row by all columns, or by these."""
        on = self.names if names is None else tuple(names)
        linked = self.linked if names is None else self.link_by(on)
        return self._row_candidates(on, linked.candidates)

    def link_by(
        self, names: Sequence[str], release: Mapping[str, CodedColumn] | None = None
    ) -> Linked:
        """Link the release, or other rows with such labels, with the world by these columns."""
        shown = self.release if release is None else release
        return link(shown, self.world, self.hierarchies, on=names, missing=self.missing)

    @cached_property
    def pairs(self) -> FittingPairs | None:
        """Pairs of distinct released rows and whom they fit, by all columns; None if too many."""
        class_of = self.candidates().classes
        _, first, rows = np.unique(class_of, return_index=True, return_counts=True)
        if self.linked.candidates[first].sum() > MOST_PAIRS:
            return None
        start, person = self.linked.candidates_of(first)
        return FittingPairs(owners(start), person.astype(np.int64), rows.astype(np.int64))

    def candidates_after_matching(self, concealed: Concealed) -> RowCandidates | None:
        """The candidates left after matching; None if rows cannot all be different people."""
        if concealed.candidates is None:
            return None
        return replace(self.candidates(), number=concealed.candidates[self.candidates().classes])

    def sweep(self, sets: ColumnSets) -> Iterator[RowCandidates]:
        """Yield the candidates by every set of columns to play, except the set of all of them."""
        person = None if self.world.everybody_once else self.world.person
        data = AttackData.of(self._shared, person=person)
        for fit in sweep(data, sets):
            yield self._row_candidates(fit.names, fit.individuals_of_each[data.shown.row_of])

    @cached_property
    def _shared(self) -> list[SharedColumn]:
        """The columns to link by, each matched with that of the world."""
        return [
            SharedColumn.of(
                self.release[name],
                self.world.columns[name],
                self.hierarchies.get(name),
                self.missing,
            ).merged
            for name in self.names
        ]

    def _row_candidates(self, names: tuple[str, ...], number: Counts) -> RowCandidates:
        """The candidates by these columns, given their number for each released row."""
        class_of = fold([self.release[name].codes for name in names], ()).row_of
        return RowCandidates(
            names,
            number,
            self.world.people,
            self._fits_own_person(names),
            class_of=class_of,
            listed=self._listed,
            listed_at_most=self.truth is None and self.listed_at_most,
            one_each=self.one_each,
            fixed=all(self._has_disjoint_labels[name] for name in names),
        )

    @cached_property
    def _has_disjoint_labels(self) -> dict[str, bool]:
        """By column, whether no value has two labels that stand for it."""
        return {one.name: one.decoding.has_disjoint_labels for one in self._shared}

    @property
    def _listed(self) -> float | None:
        """The share of the released rows whose person is in the world; None if it is not known."""
        if self.truth is None:
            return self.listed
        return float((self.truth > 0).sum()) / max(len(self.truth), 1)

    def _fits_own_person(self, names: Sequence[str]) -> Flags | None:
        """Per released row: whether its own person fits it by these columns; None without truth."""
        if self.truth is None:
            return None
        right = np.zeros(len(self.truth), dtype=np.bool_)
        row, fits = self._true_pairs
        places = [self.names.index(name) for name in names]
        right[row[fits[places].all(axis=0)]] = True
        return right

    @cached_property
    def _true_pairs(self) -> tuple[Counts, Flags]:
        """Pairs of a released row and a world row of its person: the released row, and what fits.

        Flags say which columns fit; they have shape (columns, pairs).
        """
        truth = np.zeros(0, dtype=np.int32) if self.truth is None else self.truth
        person = self.world.person
        start, order = group_by_owner(person, int(person.max(initial=0)) + 1)
        known = np.flatnonzero(truth)
        entry, place = entries(start, truth[known])
        row, there = known[place], order[entry]
        fits = [one.decoding.covers(one.label[row], one.value[there]) for one in self._shared]
        return row, np.array(fits, dtype=np.bool_).reshape(len(self.names), len(row))
