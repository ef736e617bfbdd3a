"""The sets of known columns that are played, and how far that has come."""

from math import comb
from threading import Lock

from incrowd.watch import Watch


class Sets:
    """All sets of at most `largest` of the known columns, besides the set of all of them.

    >>> Sets(8, 2).every
    37
    """

    def __init__(self, width: int, largest: int, watch: Watch | None = None) -> None:
        self.largest = min(largest, width)
        self.every = 1 + sum(comb(width, size) for size in range(1, min(largest, width - 1) + 1))
        """How many there are."""
        self.played = 1
        """How many have been played; the set of all columns always is."""
        self._watch = watch or Watch()
        self._lock = Lock()

    @property
    def expired(self) -> bool:
        """Whether the time is up: the sets not yet played are left out."""
        return self._watch.expired

    @property
    def left_out(self) -> int:
        """How many were not played."""
        return self.every - self.played

    def done(self, number: int = 1) -> None:
        """Some more were played, perhaps side by side with others."""
        with self._lock:
            self.played += number
        self._watch.tell("sets of known columns", min(self.played / self.every, 1.0))
