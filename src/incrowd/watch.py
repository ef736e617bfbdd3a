"""Time limits and progress. The caller hands them in; nothing else reads a clock."""

import threading
import time
from collections.abc import Callable


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
        """How long all pauses were, a current one included."""
        with self._lock:
            now = time.monotonic() - self._since if self._depth else 0.0
            return self._before + now


PAUSE = _Pause()
"""`with PAUSE:` stops the clock of every watch."""


def _clock() -> float:
    """Seconds, less all pauses."""
    return time.monotonic() - PAUSE.seconds


class Watch:
    """A time limit and a progress callback.

    >>> Watch(limit=None).expired
    False
    """

    def __init__(
        self,
        limit: float | None = None,
        tell: Callable[[str, float], None] | None = None,
    ) -> None:
        self._start = _clock()
        self._limit = limit
        self._tell = tell

    @property
    def elapsed(self) -> float:
        """Seconds since the watch was started, without those spent on compiling."""
        return _clock() - self._start

    @property
    def remaining(self) -> float | None:
        """Seconds left; None without a limit."""
        return None if self._limit is None else self._limit - self.elapsed

    @property
    def expired(self) -> bool:
        """Whether the time is up."""
        return self._limit is not None and self.elapsed >= self._limit

    def tell(self, what: str, share: float) -> None:
        """Report progress: `what` is being done, a `share` (0..1) of it is ready."""
        if self._tell is not None:
            self._tell(what, share)


class NestedWatch(Watch):
    """A time limit within an outer watch: the earlier of both ends it."""

    def __init__(self, outer: Watch, limit: float | None) -> None:
        super().__init__(limit, outer.tell)
        self._outer = outer

    @property
    def expired(self) -> bool:
        """Whether the time of one of them is up."""
        return self._outer.expired or super().expired

    @property
    def remaining(self) -> float | None:
        """Seconds left of the shorter one; None without a limit."""
        left = [time for time in (super().remaining, self._outer.remaining) if time is not None]
        return min(left, default=None)
