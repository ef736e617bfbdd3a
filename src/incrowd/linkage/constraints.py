"""What is known of a world without its table (Bettini Section 3, Practical considerations)."""

from collections.abc import Sequence
from dataclasses import dataclass as plain
from typing import Annotated

from pydantic import Field

from incrowd.linkage.identify import smallest_crowd
from incrowd.linkage.world import World
from incrowd.values import STRICT, dataclass


@dataclass(frozen=True, config=STRICT)
class AtLeast:
    """A promise about the world: whatever values these columns show, so many people have them.

    >>> AtLeast(("zip", "gender"), 500).covers(["gender"])
    True
    """

    columns: Annotated[tuple[str, ...], Field(min_length=1)]
    people: Annotated[int, Field(ge=1)]

    def covers(self, public: Sequence[str]) -> bool:
        """Whether the promise speaks of all these columns."""
        return set(public) <= set(self.columns)

    def holds(self, world: World) -> bool:
        """Whether a world keeps the promise."""
        return not world.rows or smallest_crowd(world, self.columns) >= self.people


@plain(frozen=True)
class Proof:
    """What promises prove of every table with these public columns (Bettini Theorem 1)."""

    public: tuple[str, ...]
    k: int
    """Every consistent table with these public columns is k-anonymous; 1 proves nothing."""
    by: AtLeast | None
    """The promise that proves it."""
    notes: tuple[str, ...] = ()
    """Why other promises do not help."""

    def proves(self, k: int) -> bool:
        """Whether k-anonymity is proved: nothing needs to be generalized then."""
        return self.k >= k


def proved(public: Sequence[str], constraints: Sequence[AtLeast]) -> Proof:
    """The largest k that promises prove without any table.

    A promise of s people for a set of columns says that it is a proper s'-QI with s' of at least
    s, and so is every set within it (Proposition 2). A table whose public columns are all among
    them is then s-anonymous, if the world is consistent with it (Theorem 1). A promise that leaves
    out a public column proves nothing.
    """
    helpful = [promise for promise in constraints if promise.covers(public)]
    best = max(helpful, key=lambda promise: promise.people, default=None)
    notes = tuple(_why_not(public, promise) for promise in constraints if promise not in helpful)
    return Proof(tuple(public), best.people if best else 1, best, notes)


def _why_not(public: Sequence[str], promise: AtLeast) -> str:
    left = [name for name in public if name not in promise.columns]
    return (
        f"what is promised of {', '.join(promise.columns)} proves nothing here: {', '.join(left)}"
        f" {'is' if len(left) == 1 else 'are'} public too"
    )
