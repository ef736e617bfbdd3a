"""All minimal sets, size after size, each size depth-first with a partition per branch.

A set is looked at only if every set with one column less has failed (Motwani-Xu Section 3.1), and
only as far as needed: classes are split dearest first, until the rest cannot change the verdict.
Pairs of records that a column tells apart and a set does not become fewer as the set grows, so
for the separation ratio the gain of a column over any part of a set bounds its gain over the set:
most failing sets need no look at all.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby

from incrowd.identify.branch import CostBranch
from incrowd.identify.found import Found
from incrowd.identify.ratios import Measure
from incrowd.identify.shortfall import KIND, Budget
from incrowd.watch import Watch

Set = tuple[int, ...]


class DepthFirst:
    """A search by size; `found` has what was found whenever it stops."""

    def __init__(self, branch: CostBranch, budget: Budget, found: Found, watch: Watch) -> None:
        self._branch = branch
        self._budget = budget
        self._found = found
        self._watch = watch
        self._submodular = budget.kind == KIND[Measure.SEPARATION]
        self._cost: dict[Set, int] = {}
        """By one column or two: what their classes cost."""
        self._gain: dict[Set, int] = {}
        """By two columns: what the second adds to the first, and at most to any set with it."""

    def run(self, columns: Sequence[int], most: int) -> None:
        """Search all sets of these columns, with at most so many of them."""
        least: dict[Set, int] = {(): 0}
        candidates: Iterator[Set] = ((column,) for column in columns)
        first = next(candidates, None)
        while first is not None and len(first) <= most:
            least = self._level(chain([first], candidates), least)
            if self._watch.expired:
                return
            self._found.upto = len(first)
            candidates = joined(least, self._watch)
            first = next(candidates, None)
        self._found.complete = first is None and not self._watch.expired

    def _level(self, candidates: Iterable[Set], least: dict[Set, int]) -> dict[Set, int]:
        """The sets of one size that fail, with the least that they cost; good ones are noted."""
        failing: dict[Set, int] = {}
        for start, group in groupby(candidates, key=lambda columns: columns[:-1]):
            if self._watch.expired:
                break
            bounds = {columns: self._bound(columns, least) for columns in group}
            beyond = {c: bound for c, bound in bounds.items() if bound > self._budget.left}
            open_ = [columns for columns in bounds if columns not in beyond]
            beyond.update(self._looked(start, open_))
            failing.update((columns, beyond[columns]) for columns in bounds if columns in beyond)
        return failing

    def _looked(self, start: Set, sets: Sequence[Set]) -> Iterator[tuple[Set, int]]:
        """Those of the sets with the same start that fail, by looking at the table."""
        if not sets:
            return
        exact = self._submodular and len(start) < 2
        look = self._branch.costs if exact else self._branch.verdicts
        costs = look(start, [columns[-1] for columns in sets])
        self._found.looked += len(sets)
        for columns, (least, most) in zip(sets, costs, strict=True):
            if exact:
                self._note_gains(columns, least)
            if most <= self._budget.left:
                self._found.add(columns)
            else:
                yield columns, least

    def _note_gains(self, columns: Set, cost: int) -> None:
        self._cost[columns] = cost
        if len(columns) == 2:
            one, other = columns
            self._gain[one, other] = self._cost[one,] - cost
            self._gain[other, one] = self._cost[other,] - cost

    def _bound(self, columns: Set, least: dict[Set, int]) -> int:
        """A least cost of the set, by what its columns add to each other; 0 if nothing is known."""
        if not self._submodular or len(columns) < 3:
            return 0
        return max(least[rest] - self._most_gain(rest, last) for last, rest in without_one(columns))

    def _most_gain(self, columns: Set, last: int) -> int:
        return min(self._gain[column, last] for column in columns)


def without_one(columns: Set) -> Iterator[tuple[int, Set]]:
    """Each column of a set with the others."""
    for place, column in enumerate(columns):
        yield column, columns[:place] + columns[place + 1 :]


def joined(failing: dict[Set, int], watch: Watch) -> Iterator[Set]:
    """The sets with one column more of which every part with one less has failed.

    The failing sets come in order, neighbours with the same start next to each other, and so do
    the sets made of them. They may be millions: none are made once the time is up.
    """
    for start, group in groupby(failing, key=lambda columns: columns[:-1]):
        if watch.expired:
            return
        last = [columns[-1] for columns in group]
        for place, column in enumerate(last):
            for other in last[place + 1 :]:
                columns = (*start, column, other)
                if all(rest in failing for _, rest in without_one(columns)):
                    yield columns
