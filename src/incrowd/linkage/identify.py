"""Which public columns name small groups of people: k-quasi-identifiers (Bettini Section 4)."""

from collections.abc import Sequence
from dataclasses import dataclass as plain
from functools import cached_property
from typing import Annotated

import numpy as np
from pydantic import Field

from incrowd.arrays import MISSING, Counts
from incrowd.errors import InputError, PolicyError
from incrowd.identify.hitting_sets import MOST_COLUMNS, HittingSets, Masks, mask_of
from incrowd.identify.measures import ratios
from incrowd.identify.oracles import SearchState
from incrowd.identify.records import Records
from incrowd.linkage.world import World
from incrowd.partition.classes import classes_of, number_columns
from incrowd.table.fold import fold
from incrowd.table.tally import Tally
from incrowd.values import STRICT, dataclass
from incrowd.watch import Watch


@dataclass(frozen=True, config=STRICT)
class AtLeast:
    """A promise about the world: each combination of values in these columns has so many people.

    >>> AtLeast(("zip", "gender"), 500).covers(["gender"])
    True
    """

    columns: Annotated[tuple[str, ...], Field(min_length=1)]
    people: Annotated[int, Field(ge=1)]

    def covers(self, public: Sequence[str]) -> bool:
        """Whether the promise is about all of these columns."""
        return set(public) <= set(self.columns)


@plain(frozen=True)
class PromiseProof:
    """What promises prove about every table with these public columns (Bettini Theorem 1)."""

    public: tuple[str, ...]
    k: int
    """Every consistent table with these public columns is k-anonymous; 1 proves nothing."""
    by: AtLeast | None
    """The promise that proves it."""
    notes: tuple[str, ...] = ()
    """Why other promises do not help."""


def prove_by_promises(public: Sequence[str], constraints: Sequence[AtLeast]) -> PromiseProof:
    """The largest k that promises prove without any table, and which promise proves it.

    A promise of s people for a set of columns says that the set is a proper s'-QI with s' >= s,
    and so is every subset of it (Proposition 2). A table whose public columns are all among them is
    then s-anonymous, if the world is consistent with it (Theorem 1). A promise that leaves out a
    public column proves nothing.
    """
    helpful = [promise for promise in constraints if promise.covers(public)]
    best = max(helpful, key=lambda promise: promise.people, default=None)
    notes = tuple(
        _why_not_helpful(public, promise) for promise in constraints if promise not in helpful
    )
    return PromiseProof(tuple(public), best.people if best else 1, best, notes)


def _why_not_helpful(public: Sequence[str], promise: AtLeast) -> str:
    """Why a promise proves nothing here, in words: which public columns it leaves out."""
    left = [name for name in public if name not in promise.columns]
    return (
        f"the promise about {', '.join(promise.columns)} proves nothing here: {', '.join(left)}"
        f" {'is' if len(left) == 1 else 'are'} public too"
    )


def refuse_broken_promise(promise: AtLeast, world: World) -> None:
    """Raise `InputError` if values in all columns of a world are shared by fewer than promised."""
    sizes = crowd_sizes(world)
    few = sizes[sizes < promise.people]
    if len(few):
        raise InputError(
            f"the world breaks the promise of {promise.people:,} people: {len(few):,} of "
            f"{len(sizes):,} combinations of {', '.join(world.names)} have fewer, the smallest "
            f"{int(few.min()):,}",
            remedy="promise no more than the smallest has, or leave the promise out",
        )


def crowd_sizes(world: World) -> Counts:
    """Individuals per combination of values that occurs; rows with a missing value are ignored."""
    lines = [column.codes for column in world.columns.values()]
    whole = np.logical_and.reduce([line != MISSING for line in lines])
    pairs = fold([*(line[whole] for line in lines), world.person[whole]], ()).quasi
    return fold(list(pairs[:-1]), ()).counts


@plain(frozen=True)
class KQis:
    """Minimal sets of public columns that narrow somebody down to at most k people."""

    k: int
    sets: tuple[tuple[str, ...], ...]
    """The smallest sets first."""
    smallest: tuple[int, ...]
    """Per set: the fewest people who share their values in it."""
    complete: bool
    """Whether these are all; otherwise only those up to a size or found in time."""
    looked: int
    """How many sets were counted in the world."""


def smallest_crowd(world: World, columns: Sequence[str]) -> int:
    """Count the fewest individuals who share their values in these columns.

    They are a proper s-QI for this s and no other (Bettini Definition 6), and a k-QI for every k
    from s on (Definition 5, Proposition 1). 0 if the world has no rows.
    """
    return WorldCrowds(world.select(columns)).smallest(range(len(set(columns))))


def minimal_k_qis(
    world: World, k: int, *, max_size: int | None = None, watch: Watch | None = None
) -> KQis:
    """Find all minimal k-QIs of a world: those that contain no other.

    They determine all others: whatever contains a k-QI is one (Bettini Proposition 2), and no
    subset of a set that is not one is. The search counts only sets that this does not decide.
    `max_size` limits the columns of a set. `PolicyError` for too many columns, or a k below 1.
    """
    crowds, width = WorldCrowds(world), len(world.names)
    if width > MOST_COLUMNS:
        raise PolicyError(
            f"the world has {width} columns, and at most {MOST_COLUMNS} can be searched",
            remedy="name fewer columns",
        )
    if k < 1:
        raise PolicyError("k must be at least 1", remedy="give 2, for example")
    found = SearchState()
    if not 0 < crowds.smallest(range(width)) <= k:
        return KQis(k, (), (), complete=True, looked=1)
    judge = _KQiOracle(crowds, k)
    most = width if max_size is None else min(max_size, width)
    HittingSets(judge, judge.order, found).run(most, watch or Watch())
    sets = tuple(tuple(world.names[j] for j in columns) for columns in found.sorted)
    smallest = tuple(judge.smallest(columns) for columns in found.sorted)
    return KQis(k, sets, smallest, found.complete, found.looked)


class WorldCrowds:
    """Counts the individuals who share values, for any set of columns."""

    def __init__(self, world: World) -> None:
        self._world = world

    def smallest(self, columns: Sequence[int]) -> int:
        """The fewest individuals who share their values in these columns; 0 if there is nobody."""
        if not self._tally.rows:
            return 0
        if not self._world.everybody_once:
            class_of, number = number_columns(self._tally.quasi[list(columns)])
            return int(classes_of(self._tally, class_of, number, ()).people.min())
        return ratios(self._records, columns).smallest if len(columns) else self._world.people

    @cached_property
    def _tally(self) -> Tally:
        """The world folded by its columns, with its individuals unless each has one row."""
        unit = None if self._world.everybody_once else self._world.person
        return fold([column.codes for column in self._world.columns.values()], (), unit)

    @cached_property
    def _records(self) -> Records:
        """The world's distinct rows as records; only if each individual has one row."""
        return Records(self._world.names, self._tally.quasi, self._tally.counts)


class _KQiOracle:
    """Judges sets for the search; a set that is no k-QI grows until any other column makes it one.

    Every k-QI then has a column outside the grown set.
    """

    def __init__(self, crowds: WorldCrowds, k: int) -> None:
        self._crowds = crowds
        self._k = k
        self._size: dict[frozenset[int], int] = {}
        width = len(crowds._world.names)  # noqa: SLF001  one file
        alone = [self.smallest((j,)) for j in range(width)]
        self.order = sorted(range(width), key=lambda j: -alone[j])

    def first_masks(self) -> Masks:
        """No masks: nothing is known to begin with."""
        return np.empty((0, 2), dtype=np.uint64)

    def missed_masks(self, columns: Sequence[int]) -> Masks:
        """No mask if the set is a k-QI, else one: the columns outside the set grown from it."""
        if columns and self.smallest(columns) <= self._k:
            return self.first_masks()
        failing = list(columns)
        for j in self.order:
            if j not in failing and self.smallest((*failing, j)) > self._k:
                failing.append(j)
        return mask_of([j for j in self.order if j not in failing], self.order)

    def smallest(self, columns: Sequence[int]) -> int:
        """The fewest individuals who share their values in these columns; cached."""
        key = frozenset(columns)
        if key not in self._size:
            self._size[key] = self._crowds.smallest(sorted(key))
        return self._size[key]
