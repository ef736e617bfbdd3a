"""Spark's logs, which quote cells when a statement fails: silent while incrowd works.

That holds for this process and the Java that it started. Executors on other machines have logs of
their own. Spark's event log tells why a task failed: no statement of ours can fail on account of a
cell, but what computes the data frame can.
"""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from threading import Lock
from typing import Any

_NAMES = ("DataFrameQueryContextLogger", "SQLQueryContextLogger")
"""Python loggers that print the message of every failure, whatever Spark's log level is."""
_FAMILIES = ("py4j", "pyspark")
"""How the names of Python loggers begin that tell all that Java answers, if asked to debug."""
_PATIENCE = 10.0
"""Seconds to wait for tasks of a failed job: they tell its message when they end."""


class _Silence:
    """Silences loggers for all engines at work: the first one changes them, the last undoes it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._working = 0
        self._undo: list[Any] = []

    def begin(self, jvm: Any) -> None:
        """Silence the loggers, unless another engine at work has done so."""
        with self._lock:
            self._working += 1
            if self._working == 1:
                self._undo = [*_silence_python(), *_silence_java(jvm)]

    def end(self) -> None:
        """Undo what `begin` changed, once no engine is at work."""
        with self._lock:
            self._working -= 1
            if not self._working:
                for undo in self._undo:
                    with suppress(Exception):  # a gateway that is gone logs nothing either
                        undo()
                self._undo = []


_SILENCE = _Silence()


@contextmanager
def silence_logs(session: Any) -> Iterator[None]:
    """A block without logs of Spark; a failed one ends when no task runs, or after `_PATIENCE`."""
    _SILENCE.begin(_jvm(session))
    done = False
    try:
        yield
        done = True
    finally:
        if not done:
            _await_tasks(session)
        _SILENCE.end()


def _jvm(session: Any) -> Any:
    """The gateway to the Java of a session."""
    return session.sparkContext._jvm  # noqa: SLF001  there is no other way to its loggers


def _silence_python() -> Iterator[Any]:
    """Disable the loggers of Spark in Python; yield functions that undo this, one per logger."""
    from pyspark.logger import PySparkLogger  # noqa: PLC0415  an extra

    loggers: list[logging.Logger] = [PySparkLogger.getLogger(name) for name in _NAMES]
    known = [name for name in logging.root.manager.loggerDict if name.startswith(_FAMILIES)]
    for logger in [*loggers, *map(logging.getLogger, known)]:
        before = logger.disabled
        logger.disabled = True
        yield partial(setattr, logger, "disabled", before)


def _silence_java(jvm: Any) -> Iterator[Any]:
    """Filter out all that Log4j in Java would log; yield what undoes it, nothing without Log4j."""
    with suppress(Exception):  # another logging library than Spark's own
        log4j = jvm.org.apache.logging.log4j
        context = log4j.LogManager.getContext(False)
        result = log4j.core.Filter.Result
        nothing = log4j.core.filter.ThresholdFilter.createFilter(
            log4j.Level.OFF, result.NEUTRAL, result.DENY
        )
        context.addFilter(nothing)
        yield partial(context.removeFilter, nothing)


def _await_tasks(session: Any) -> None:
    """Wait until no task runs, at most `_PATIENCE` seconds: other jobs may run, too."""
    end = time.monotonic() + _PATIENCE
    with suppress(Exception):
        tracker = session.sparkContext._jsc.sc().statusTracker()  # noqa: SLF001  as above
        while time.monotonic() < end and any(
            info.numRunningTasks() for info in tracker.getExecutorInfos()
        ):
            time.sleep(0.05)
        time.sleep(0.1)
