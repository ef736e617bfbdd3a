"""What is known of a world without its table (Bettini Section 3, Practical considerations)."""

from collections.abc import Sequence
from dataclasses import dataclass as plain
from typing import Annotated

import numpy as np
from pydantic import Field

from incrowd.arrays import MISSING, Counts
from incrowd.errors import InputError
from incrowd.linkage.world import World
from incrowd.table.fold import fold
from incrowd.values import STRICT, dataclass


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
class Proof:
    """What promises prove about every table with these public columns (Bettini Theorem 1)."""

    public: tuple[str, ...]
    k: int
    """Every consistent table with these public columns is k-anonymous; 1 proves nothing."""
    by: AtLeast | None
    """The promise that proves it."""
    notes: tuple[str, ...] = ()
    """Why other promises do not help."""


def proved(public: Sequence[str], constraints: Sequence[AtLeast]) -> Proof:
    """The largest k that promises prove without any table.

    A promise of s people for a set of columns says that the set is a proper s'-QI with s' >= s,
    and so is every subset of it (Proposition 2). A table whose public columns are all among them is
    then s-anonymous, if the world is consistent with it (Theorem 1). A promise that leaves out a
    public column proves nothing.
    """
    helpful = [promise for promise in constraints if promise.covers(public)]
    best = max(helpful, key=lambda promise: promise.people, default=None)
    notes = tuple(_why_not(public, promise) for promise in constraints if promise not in helpful)
    return Proof(tuple(public), best.people if best else 1, best, notes)


def _why_not(public: Sequence[str], promise: AtLeast) -> str:
    left = [name for name in public if name not in promise.columns]
    return (
        f"the promise about {', '.join(promise.columns)} proves nothing here: {', '.join(left)}"
        f" {'is' if len(left) == 1 else 'are'} public too"
    )


def refuse_broken(promise: AtLeast, world: World) -> None:
    """Refuse a promise that a world breaks: nothing follows from what is false.

    The world has those of the promise's columns that it knows: people who share many values share
    some of them.
    """
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
    """How many individuals share each combination of values; rows with a missing value are out."""
    lines = [column.codes for column in world.columns.values()]
    whole = np.logical_and.reduce([line != MISSING for line in lines])
    pairs = fold([*(line[whole] for line in lines), world.person[whole]], ()).quasi
    return fold(list(pairs[:-1]), ()).counts
