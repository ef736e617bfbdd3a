"""Ctrl-C during a long search: what is known so far is told, then the command ends."""

import signal
from collections.abc import Callable
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Any, Self

from incrowd.cli.output import Output
from incrowd.watch import Watch


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
