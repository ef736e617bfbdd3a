"""Seconds of warm runs, and the memory that a run takes beyond what was there before."""

import ctypes
import gc
import resource
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from incrowd.problem import Problem
from incrowd.search import Search
from incrowd.search.search import Found
from incrowd.watch import Watch

Made = TypeVar("Made")
LONG = 1.0
"""A run of that many seconds is not repeated."""


def timed(search: Search, problem: Problem, runs: int = 2) -> tuple[float, Found]:
    """The seconds of the best of some runs, one alone if it is long; the kernels are compiled."""
    best, found = once(lambda: search.run(problem, Watch()))
    for _ in range(runs - 1):
        if best > LONG:
            break
        seconds, found = once(lambda: search.run(problem, Watch()))
        best = min(best, seconds)
    return best, found


def once(work: Callable[[], Made]) -> tuple[float, Made]:
    """The seconds of one run, and what it gave."""
    start = time.perf_counter()
    made = work()
    return time.perf_counter() - start, made


def peak(work: Callable[[], Made]) -> tuple[float, Made]:
    """The most bytes that this work holds at a time beyond what was there before; what it gave.

    Kernels take memory that Python does not see, so this watches what the process has. What was
    freed before but not given back to the system is given back first.
    """
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    before, most, done = _resident(), [0], threading.Event()

    def watch() -> None:
        while not done.wait(0.005):
            most[0] = max(most[0], _resident())

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        made = work()
    finally:
        done.set()
        watcher.join()
    return float(max(most[0], _resident()) - before), made


def _resident() -> int:
    """The bytes of the process in memory."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize()
