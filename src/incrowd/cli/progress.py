"""Progress on a terminal, for anything that takes longer than a person likes to wait."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Self

from incrowd.cli.output import Output
from incrowd.kernels import compile as compile_kernels

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

COMPILING = "compiling for this machine, once; the next run starts at once"
PATIENCE = 2.0
"""Seconds after which a person wants to see that something happens."""


class ProgressBar:
    """A bar on standard error that appears after `PATIENCE` seconds, on a terminal only.

    Its `tell` is what a `Watch` calls.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._wanted = not quiet and sys.stderr.isatty()
        self._lock = threading.Lock()
        self._timer = threading.Timer(PATIENCE, self._appear)
        self._timer.daemon = True
        self._told = ("working", 0.0)
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._closed = False

    def __enter__(self) -> Self:
        if self._wanted:
            self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._timer.cancel()
        with self._lock:
            self._closed = True
            if self._bar is not None:
                self._bar.stop()

    def tell(self, what: str, share: float) -> None:
        """`what` is being done, and `share` (0..1) of it is."""
        with self._lock:
            self._told = (what, share)
            if self._bar is not None and self._task is not None:
                self._bar.update(self._task, description=what, completed=share)

    def say(self, said: Output, text: str) -> None:
        """A remark, above the bar if there is one."""
        with self._lock:
            if self._bar is None:
                said.remark(text)
            elif not said.quiet:
                self._bar.console.print(text, markup=False, highlight=False)

    def _appear(self) -> None:
        from rich.console import Console  # noqa: PLC0415  seldom seen
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415  seldom seen

        with self._lock:
            if self._closed:
                return
            self._bar = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                TimeElapsedColumn(),
                console=Console(file=sys.stderr),
                transient=True,
            )
            what, share = self._told
            self._task = self._bar.add_task(what, total=1.0)
            self._bar.update(self._task, completed=share)
            self._bar.start()


@contextmanager
def waiting(said: Output) -> Iterator[ProgressBar]:
    """A progress bar for work that may take long, and a word if it takes longer this once."""
    with (
        ProgressBar(quiet=said.quiet) as bar,
        compile_kernels.when_compiling(lambda: bar.say(said, COMPILING)),
    ):
        yield bar
