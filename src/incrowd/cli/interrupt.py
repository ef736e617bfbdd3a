"""Interrupts: what is known so far is told, nothing is left half-written, the command ends."""

import signal
import sys
from _thread import interrupt_main
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Timer, main_thread
from types import FrameType, TracebackType
from typing import Any, Self

from incrowd.cli.output import Output
from incrowd.watch import Watch

_MOMENT = 0.1
"""Seconds after which an interrupt comes again that was lost."""


class Stoppable(Watch):
    """A watch that Ctrl-C stops: the first time the search, the second time the command."""

    def __init__(self, said: Output, tell: Callable[[str, float], None] | None = None) -> None:
        super().__init__(None, tell)
        self.interrupted = False
        self._said = said
        self._before: Any = None

    @property
    def expired(self) -> bool:
        """Whether somebody asked to stop."""
        return self.interrupted or super().expired

    def __enter__(self) -> Self:
        with suppress(ValueError):  # not in the main thread: somebody else decides
            self._before = signal.signal(signal.SIGINT, self._stop)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        if self.interrupted:
            raise KeyboardInterrupt
        self.interrupted = True
        with suppress(RuntimeError):  # it was just writing
            self._said.remark("stopping; Ctrl-C again ends at once")


@contextmanager
def terminable() -> Iterator[None]:
    """A polite request to stop (SIGTERM) is met like Ctrl-C: by leaving nothing half-written."""
    try:
        before = signal.signal(signal.SIGTERM, _terminate)
    except ValueError:  # not in the main thread: somebody else decides
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


class Late(Exception):  # noqa: N818  it is no error, and the parser would swallow an interrupt
    """An interrupt that came after the release had taken its place."""


@contextmanager
def placing(path: str | None, *, written: bool) -> Iterator[None]:
    """An interrupt says whether it came before or after the file at this path was replaced."""
    before = _identity(path) if written else None
    try:
        yield
    except KeyboardInterrupt:
        if not written or _identity(path) == before:
            raise
        raise Late from None


@contextmanager
def placed(*, written: bool) -> Iterator[None]:
    """An interrupt in here comes after what is written was written."""
    try:
        yield
    except KeyboardInterrupt:
        if not written:
            raise
        raise Late from None


def _identity(path: str | None) -> tuple[int, int, int] | None:
    """What tells a file from the one that replaces it."""
    try:
        found = Path(path or "").stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns


class Terminated(KeyboardInterrupt):
    """SIGTERM came; how often is counted, since a library may swallow the exception itself."""

    times = 0


def _terminate(_number: int, _frame: FrameType | None) -> None:
    Terminated.times += 1
    raise Terminated


@contextmanager
def heard() -> Iterator[None]:
    """An interrupt is not lost where Python ignores exceptions, as in what tidies up objects.

    It comes again a moment later. Nothing is told of other exceptions there: their messages may
    quote a cell.
    """
    before = sys.unraisablehook
    sys.unraisablehook = _ignored
    try:
        yield
    finally:
        sys.unraisablehook = before


def _ignored(what: "sys.UnraisableHookArgs") -> None:
    if what.exc_type is not None and issubclass(what.exc_type, KeyboardInterrupt):
        again = Timer(_MOMENT, _interrupt)
        again.daemon = True
        again.start()


def _interrupt() -> None:
    """Interrupt the main thread, also while it waits for the system, where that can be done."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(main_thread().ident or 0, signal.SIGINT)
    else:
        interrupt_main()
