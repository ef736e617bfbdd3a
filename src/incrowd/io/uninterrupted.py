"""Moments in which a process must not end: files take their places together."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class _Placing:
    """Tells whether files take their places just now, and how often some have done so."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        """Locked while files take their places: code that ends the process waits for it."""
        self.times = 0


PLACING = _Placing()


@contextmanager
def delay_interrupts() -> Iterator[None]:
    """A block that delays SIGINT and SIGTERM, or drops them if it fails; main thread only."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []

    def remember(number: int, _frame: FrameType | None) -> None:
        came.append(number)

    before = {number: signal.signal(number, remember) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with PLACING.lock:
            yield
            PLACING.times += 1
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
    if came:
        signal.raise_signal(came[0])
