"""Minimal sets as a search finds them, at hand also when the search is cut short."""

from dataclasses import dataclass, field


@dataclass
class Found:
    """Minimal sets found so far, and how far the search has come.

    Every set in it is good enough, and no smaller set within it is: this holds at any time, so
    that a search that ran out of time or was interrupted still has something to tell.
    """

    sets: set[tuple[int, ...]] = field(default_factory=set)
    """Columns in ascending order."""
    looked: int = 0
    """How many sets of columns were looked at in the table."""
    upto: int = 0
    """All minimal sets of at most so many columns are among them."""
    complete: bool = False
    """All minimal sets are among them."""

    def add(self, columns: tuple[int, ...]) -> None:
        """Note a minimal set."""
        self.sets.add(tuple(sorted(columns)))

    @property
    def sorted(self) -> tuple[tuple[int, ...], ...]:
        """The sets, small ones first, then by their columns."""
        return tuple(sorted(self.sets, key=lambda columns: (len(columns), columns)))
