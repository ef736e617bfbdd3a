"""Interrupts: the command ends, shows what it knows so far, and leaves nothing half-written."""

import signal
import sys
from _thread import interrupt_main
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Timer, main_thread
from types import FrameType
from typing import Any, Self

from incrowd.cli.output import Output
from incrowd.watch import Watch

_MOMENT = 0.1
"""Seconds until a lost interrupt is sent again."""


class Stoppable(Watch):
    """A watch for Ctrl-C: the first one stops the search, the second one the command."""

    listening = False
    """Whether a first Ctrl-C is for a search to hear."""

    def __init__(self, output: Output, tell: Callable[[str, float], None] | None = None) -> None:
        super().__init__(None, tell)
        self.interrupted = False
        self._output = output
        self._before: Any = None

    @property
    def expired(self) -> bool:
        """Whether the user asked to stop, or the time is up."""
        return self.interrupted or super().expired

    @property
    def must_stop(self) -> bool:
        """Whether the search must stop, as `expired`: nobody waits for another answer."""
        return self.expired

    def __enter__(self) -> Self:
        with suppress(ValueError):  # not in the main thread: the caller handles signals
            self._before = signal.signal(signal.SIGINT, self._stop)
            Stoppable.listening = True
        return self

    def __exit__(self, *failed: object) -> None:
        Stoppable.listening = False
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        """Stop the search at the first Ctrl-C, and the command at the second."""
        if self.interrupted:
            raise KeyboardInterrupt
        self.interrupted = True
        with suppress(RuntimeError):  # it was writing at that moment
            self._output.remark("stopping; press Ctrl-C again to end at once")


@contextmanager
def end_on_sigterm() -> Iterator[None]:
    """While this is open, SIGTERM ends the command like Ctrl-C: nothing is left half-written."""
    try:
        before = signal.signal(signal.SIGTERM, _raise_terminated)
    except ValueError:  # not in the main thread: the caller handles signals
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


class Late(Exception):  # noqa: N818  it is no error, and the parser would swallow an interrupt
    """An interrupt after the release was written."""


@contextmanager
def raise_late_if_placed(path: str | None, *, written: bool) -> Iterator[None]:
    """Raise `Late` for an interrupt in this block if a file is `written` and `path` has changed."""
    before = _file_identity(path) if written else None
    with raise_late_if(lambda: written and _file_identity(path) != before):
        yield


@contextmanager
def raise_late_if(is_there: Callable[[], bool]) -> Iterator[None]:
    """Raise `Late` for an interrupt while this is open, if `is_there` says that the release is."""
    try:
        yield
    except KeyboardInterrupt:
        if not is_there():
            raise
        raise Late from None


def _file_identity(path: str | None) -> tuple[int, int, int] | None:
    """Device, number and time of change of a file, which a new file changes; None without one."""
    try:
        found = Path(path or "").stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns


class Terminated(KeyboardInterrupt):
    """SIGTERM; `times` counts them, as a library may swallow the exception."""

    times = 0


def _raise_terminated(_number: int, _frame: FrameType | None) -> None:
    """Count SIGTERM, and raise `Terminated` for it."""
    Terminated.times += 1
    raise Terminated


@contextmanager
def resend_interrupts() -> Iterator[None]:
    """While this is open, send an interrupt again that Python ignores as it deletes objects.

    Other exceptions that Python ignores are not shown: their messages may hold a cell value.
    """
    before = sys.unraisablehook
    sys.unraisablehook = _resend_interrupt
    try:
        yield
    finally:
        sys.unraisablehook = before


def _resend_interrupt(what: "sys.UnraisableHookArgs") -> None:
    """If an interrupt was ignored, send it again a moment later."""
    if what.exc_type is not None and issubclass(what.exc_type, KeyboardInterrupt):
        again = Timer(_MOMENT, _interrupt_main_thread)
        again.daemon = True
        again.start()


def _interrupt_main_thread() -> None:
    """Send SIGINT to the main thread, where possible also while it waits for the system."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(main_thread().ident or 0, signal.SIGINT)
    else:
        interrupt_main()
