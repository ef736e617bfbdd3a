"""Whom of a world each released row may be, for one set of columns or for very many."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from incrowd.arrays import Codes, Counts, Flags
from incrowd.attacks.fit import sweep
from incrowd.attacks.linkage import Candidates
from incrowd.attacks.scene import Scene, Shared
from incrowd.attacks.sets import Sets
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.linkage.links import Linked, link
from incrowd.linkage.world import World
from incrowd.partition.csr import bounds, spread
from incrowd.table.column import CodedColumn
from incrowd.table.fold import fold
from incrowd.table.roles import Missing


@dataclass(frozen=True, eq=False)
class Facing:
    """A release and a world that face each other, and who is behind each released row."""

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
    one_each: bool = True
    """Whether every released row is about another person."""

    def __repr__(self) -> str:
        """Without values."""
        return f"Facing({', '.join(self.names)}; {self.world!r})"

    @cached_property
    def linked(self) -> Linked:
        """The release linked with the world by all columns."""
        return self.by(self.names)

    def candidates(self, names: Sequence[str] | None = None) -> Candidates:
        """Whom each released row may be by all columns, or by these."""
        on = self.names if names is None else tuple(names)
        return self._judged(on, (self.linked if names is None else self.by(on)).candidates)

    def by(self, names: Sequence[str], release: Mapping[str, CodedColumn] | None = None) -> Linked:
        """The release, or other rows with labels like it, linked with the world by some columns."""
        shown = self.release if release is None else release
        return link(shown, self.world, self.hierarchies, on=names, missing=self.missing)

    def sweep(self, sets: Sets) -> Iterator[Candidates]:
        """Whom each released row may be, by every set of columns that is played but that of all."""
        person = None if self.world.everybody_once else self.world.person
        scene = Scene.of(self._shared, person=person)
        for fit in sweep(scene, sets):
            yield self._judged(fit.names, fit.individuals_of_each[scene.shown.row_of])

    @cached_property
    def _shared(self) -> list[Shared]:
        return [
            Shared.of(
                self.release[name],
                self.world.columns[name],
                self.hierarchies.get(name),
                self.missing,
            ).alike
            for name in self.names
        ]

    def _judged(self, names: tuple[str, ...], number: Counts) -> Candidates:
        class_of = fold([self.release[name].codes for name in names], ()).row_of
        return Candidates(
            names,
            number,
            self.world.people,
            self._right(names),
            class_of=class_of,
            listed=self._listed,
            one_each=self.one_each,
            fixed=all(self._apart[name] for name in names),
        )

    @cached_property
    def _apart(self) -> dict[str, bool]:
        """By column, whether no value has two labels that stand for it."""
        return {one.name: one.stands.apart for one in self._shared}

    @property
    def _listed(self) -> float | None:
        """The share of the released rows whose person is in the world, as far as that is known."""
        if self.truth is None:
            return self.listed
        return float((self.truth > 0).sum()) / max(len(self.truth), 1)

    def _right(self, names: Sequence[str]) -> Flags | None:
        """Whether a row of the world of the right individual fits, by these columns."""
        if self.truth is None:
            return None
        right = np.zeros(len(self.truth), dtype=np.bool_)
        row, fits = self._of_truth
        places = [self.names.index(name) for name in names]
        right[row[fits[places].all(axis=0)]] = True
        return right

    @cached_property
    def _of_truth(self) -> tuple[Counts, Flags]:
        """Pairs of a released row and a row of its individual: the row, and per column if it fits.

        The second has shape (columns, pairs).
        """
        truth = np.zeros(0, dtype=np.int32) if self.truth is None else self.truth
        person = self.world.person
        order = np.argsort(person, kind="stable")
        start = bounds(person[order].astype(np.int64), int(person.max(initial=0)) + 1)
        known = np.flatnonzero(truth)
        entry, place = spread(start, truth[known])
        row, there = known[place], order[entry]
        fits = [one.stands.covers(one.label[row], one.value[there]) for one in self._shared]
        return row, np.array(fits, dtype=np.bool_).reshape(len(self.names), len(row))
