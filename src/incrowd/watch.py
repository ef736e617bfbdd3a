"""Time limits, progress and notes. The caller hands them in; nothing else reads a clock."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from incrowd.arrays import Flags

_MOMENT = 0.1
"""Seconds between two looks at a clock while kernels run."""


class _Pause:
    """Time that no limit counts: while kernels are compiled, a search does not run.

    Work on other threads may go on meanwhile; it then gets more time than its limit, not less.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._depth = 0
        self._since = self._before = 0.0

    def __enter__(self) -> None:
        with self._lock:
            if self._depth == 0:
                self._since = time.monotonic()
            self._depth += 1

    def __exit__(self, *failed: object) -> None:
        with self._lock:
            self._depth -= 1
            if self._depth == 0:
                self._before += time.monotonic() - self._since

    @property
    def seconds(self) -> float:
        """The length of all pauses so far, a current one included."""
        with self._lock:
            now = time.monotonic() - self._since if self._depth else 0.0
            return self._before + now


PAUSE = _Pause()
"""`with PAUSE:` stops the clock of every watch."""


def _clock() -> float:
    """Seconds of a clock that stands still during pauses."""
    return time.monotonic() - PAUSE.seconds


class Watch:
    """A time limit, and callbacks for progress and for notes about tables.

    A `limit` (seconds; None: no limit) ends a search with or without an answer. With `answer_first`
    it only ends improvement: a search that has no answer yet goes on until it has one.

    >>> Watch(limit=None).expired
    False
    """

    def __init__(
        self,
        limit: float | None = None,
        tell: Callable[[str, float], None] | None = None,
        *,
        note: Callable[[Iterable[str]], None] | None = None,
        answer_first: bool = False,
    ) -> None:
        self._start = _clock()
        self._limit = limit
        self._tell = tell
        self._note = note
        self._answer_first = answer_first
        self.doing = ""
        """What was last told to be done."""

    @property
    def elapsed(self) -> float:
        """Seconds since the watch was started, without those spent on compiling."""
        return _clock() - self._start

    @property
    def remaining(self) -> float | None:
        """Seconds left, negative once the time is up; None without a limit."""
        return None if self._limit is None else self._limit - self.elapsed

    @property
    def expired(self) -> bool:
        """Whether the time is up, so that an answer is not improved any more."""
        return self._limit is not None and self.elapsed >= self._limit

    @property
    def must_stop(self) -> bool:
        """Whether the time is up also for a search that has no answer yet."""
        return not self._answer_first and self.expired

    def is_over(self, *, answered: bool) -> bool:
        """Whether a search ends now: the time is up and, with `answer_first`, it is `answered`."""
        return self.expired if answered else self.must_stop

    def tell(self, what: str, share: float) -> None:
        """Report progress: `what` is being done, a `share` (0..1) of it is ready."""
        self.doing = what
        if self._tell is not None:
            self._tell(what, share)

    def note(self, notes: Iterable[str]) -> None:
        """Hand notes on a table that was opened to the callback, if there is one."""
        if self._note is not None:
            self._note(notes)

    @contextmanager
    def alarm(self) -> "Iterator[Flags]":
        """Open a block with a flag (an array of one) that is set soon after the time is up.

        Kernels know no clock, and look at the flag. At the end of the block it is set, too, if
        there is a limit.
        """
        import numpy as np  # noqa: PLC0415  commands load what they use

        flag: Flags = np.zeros(1, dtype=np.bool_)
        if self.remaining is None:
            yield flag
            return
        done = threading.Event()
        looking = threading.Thread(target=self._set_when_up, args=(flag, done), daemon=True)
        looking.start()
        try:
            yield flag
        finally:
            done.set()
            looking.join()

    def _set_when_up(self, flag: "Flags", done: threading.Event) -> None:
        """Set the flag once the time is up or `done` is set; runs in a thread."""
        while not (self.expired or done.wait(_MOMENT)):
            pass
        flag[0] = True


class NestedWatch(Watch):
    """A time limit within an outer watch: the earlier of both ends it."""

    def __init__(self, outer: Watch, limit: float | None, *, answer_first: bool = False) -> None:
        super().__init__(limit, outer.tell, note=outer.note, answer_first=answer_first)
        self._outer = outer

    @property
    def expired(self) -> bool:
        """Whether the time of this watch or of the outer one is up."""
        return self._outer.expired or super().expired

    @property
    def must_stop(self) -> bool:
        """Whether either time is up also for a search that has no answer yet."""
        own = not self._answer_first and super().expired
        return own or self._outer.must_stop

    @property
    def remaining(self) -> float | None:
        """Seconds left until the earlier end, negative after it; None if neither has a limit."""
        left = [time for time in (super().remaining, self._outer.remaining) if time is not None]
        return min(left, default=None)


class SilentWatch(NestedWatch):
    """A time limit within an outer watch for work that tells no progress of its own."""

    def tell(self, what: str, share: float) -> None:
        """Do nothing: the progress of this work is not told."""
