"""All minimal sets from small to large (Motwani-Xu Section 3.1): simple, and slow."""

from collections.abc import Callable, Iterable, Sequence

from incrowd.identify.found import Found
from incrowd.watch import Watch

Set = tuple[int, ...]
Good = Callable[[Sequence[int]], bool]
"""Whether a set of columns is good enough."""


class Levelwise:
    """A search upwards in the lattice of sets; `found` has what was found whenever it stops."""

    def __init__(self, width: int, good: Good, found: Found, watch: Watch) -> None:
        self._width = width
        self._good = good
        self._found = found
        self._watch = watch

    def run(self, border: Iterable[Set], most: int) -> None:
        """Search from sets so small that each minimal set contains one, to sets of so many columns.

        A set that is good enough is minimal, as smaller ones came before; one that is not is tried
        with each other column added.
        """
        waiting: dict[int, set[Set]] = {}
        for columns in border:
            waiting.setdefault(len(columns), set()).add(columns)
        for size in range(min(waiting, default=1), most + 1):
            failed = self._failing(waiting.pop(size, set()))
            if self._watch.expired:
                return
            self._found.upto = size
            further = {more for columns in failed for more in larger(columns, self._width)}
            waiting[size + 1] = waiting.get(size + 1, set()) | further
        rest = (columns for sets in waiting.values() for columns in sets)
        self._found.complete = all(contains_any(columns, self._found.sets) for columns in rest)

    def _failing(self, sets: set[Set]) -> list[Set]:
        """The sets, all of one size, that are not good enough; good ones are noted."""
        failed = []
        for columns in sorted(sets):
            if self._watch.expired:
                break
            if contains_any(columns, self._found.sets):
                continue
            self._found.looked += 1
            if self._good(columns):
                self._found.add(columns)
            else:
                failed.append(columns)
        return failed


def larger(columns: Set, width: int) -> Iterable[Set]:
    """The set with one column more, for each other column."""
    return (tuple(sorted((*columns, column))) for column in range(width) if column not in columns)


def contains_any(columns: Set, sets: Iterable[Set]) -> bool:
    """Whether one of the sets lies in these columns."""
    here = frozenset(columns)
    return any(here.issuperset(inside) for inside in sets)
