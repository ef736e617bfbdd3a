"""Sets of columns that a sample suggests, counted on all records where these are.

A count is one GROUP BY, however many records there are, so few sets are counted: the candidates of
the sample, and what each of them can do without. Ratios only grow with columns, so a set that
reaches the ratio, and no part of which with one column less does, is minimal.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from incrowd.identify.outcome import ColumnSet
from incrowd.identify.records import Measure, Ratios
from incrowd.watch import Watch

Count: TypeAlias = Callable[[Sequence[str]], Ratios]
"""Counts the classes of a set of columns on all records."""


@dataclass(frozen=True, eq=False)
class CountedSets:
    """Looks for minimal sets that reach a ratio, each count on all records."""

    count: Count
    names: tuple[str, ...]
    """All columns, those that tell most records apart first."""
    measure: Measure
    ratio: float
    watch: Watch
    _known: dict[frozenset[str], Ratios] = field(default_factory=dict, repr=False)

    def ratios(self, columns: Iterable[str]) -> Ratios:
        """The ratios of a set of columns on all records, counted once and kept."""
        key = frozenset(columns)
        if key not in self._known:
            self._known[key] = self.count([name for name in self.names if name in key])
            self.watch.tell(f"column sets counted: {len(self._known):,}", 0.0)
        return self._known[key]

    def reaches(self, columns: Iterable[str]) -> bool:
        """Whether this set of columns reaches the ratio, counted on all records."""
        return self.ratios(columns).ratio(self.measure) >= self.ratio

    def find_minimal(self, candidates: Sequence[Sequence[str]], most: int) -> list[ColumnSet]:
        """Find minimal sets that reach the ratio, each inside one of the first `most` candidates.

        Sets come with the fewest columns first; none if all columns together fall short, fewer if
        time is up. If none of these candidates reaches the ratio, the first is grown until it does.
        """
        if not self.reaches(self.names):
            return []
        some = candidates[:most]
        good = [one for one in some if not self.watch.expired and self.reaches(one)]
        if not good:
            good = [self._grow(some[0] if some else ())]
        shrunk = {frozenset(columns): columns for columns in map(self._shrink, good) if columns}
        sets = [ColumnSet(columns, self.ratios(columns)) for columns in shrunk.values()]
        return sorted(sets, key=lambda one: (len(one.columns), one.columns))

    def _grow(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Add columns to a set, the most telling first, until it reaches the ratio."""
        grown = list(columns)
        for name in self.names:
            if self.reaches(grown):
                break
            if name not in grown:
                grown.append(name)
        return tuple(grown)

    def _shrink(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Leave out columns that a set can do without; return an empty set if time is up before."""
        kept = list(columns)
        for name in reversed([name for name in self.names if name in columns]):
            if self.watch.expired:
                return ()
            rest = [one for one in kept if one != name]
            if rest and self.reaches(rest):
                kept = rest
        return tuple(name for name in self.names if name in kept)
