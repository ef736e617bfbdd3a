"""Results go to standard output; notes, progress and errors go to standard error."""

import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TextIO

from incrowd.documents import json
from incrowd.documents.words import printable
from incrowd.errors import InputError
from incrowd.kernels import compile as compile_kernels

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.progress import Progress, TaskID

COMPILING = "Compiling for this machine (first run only)"
PATIENCE = 2.0
"""Seconds until a progress bar appears."""


@dataclass(frozen=True)
class Output:
    """How a command answers: text for people, one JSON document, or errors only."""

    as_json: bool = False
    quiet: bool = False

    def result(
        self, document: Callable[[], Mapping[str, Any]], text: Callable[[], "RenderableType"]
    ) -> None:
        """Show the result: the document for programs, the text for people."""
        if self.as_json:
            self.document(document())
        elif not self.quiet:
            show(text())

    def document(self, document: Mapping[str, Any]) -> None:
        """The one JSON document on standard output."""
        write(sys.stdout, json.dumps(document) + "\n")

    def remark(self, text: str) -> None:
        """A remark for people, on standard error."""
        if not self.quiet:
            write(sys.stderr, printable(text) + "\n")

    def notes(self, notes: Iterable[object]) -> None:
        """Notes for people, a line each on standard error."""
        for note in notes:
            self.remark(f"note: {note}")


def show(text: "RenderableType") -> None:
    """Show a text on standard output; in color on a terminal, unless NO_COLOR is set."""
    from rich.console import Console  # noqa: PLC0415  not for --help

    console = Console(file=sys.stdout, markup=False, highlight=False, emoji=False)
    with _writing(sys.stdout), console.capture() as capture:
        console.print(text)
    write(sys.stdout, capture.get())


def write(stream: TextIO, text: str) -> None:
    """Write to a standard stream; a closed pipe is no error."""
    with _writing(stream):
        stream.write(text)
        stream.flush()


@contextmanager
def _writing(stream: TextIO) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        _forget(stream)
    except OSError as error:
        name = "standard output" if stream is sys.stdout else "standard error"
        _forget(stream)
        why = os.strerror(error.errno or 0)
        raise InputError(f"{name} cannot be written: {why}", remedy="free some space") from None


def _forget(stream: TextIO) -> None:
    """Send the rest to nowhere: Python would try to write it again at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


class ProgressBar:
    """A bar on standard error, on a terminal only, that appears after `PATIENCE` seconds.

    Its `tell` is the progress callback of a `Watch`.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._wanted = not quiet and sys.stderr.isatty()
        self._lock = threading.Lock()
        self._timer = threading.Timer(PATIENCE, self._appear)
        self._timer.daemon = True
        self._latest = ("working", 0.0)
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
        """Progress callback: `what` is being done, a `share` (0..1) of it is ready."""
        with self._lock:
            self._latest = (what, share)
            if self._bar is not None and self._task is not None:
                self._bar.update(self._task, description=what, completed=share)

    def say(self, output: Output, text: str) -> None:
        """A remark, above the bar if there is one."""
        with self._lock:
            if self._bar is None:
                output.remark(text)
            elif not output.quiet:
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
            what, share = self._latest
            self._task = self._bar.add_task(what, total=1.0)
            self._bar.update(self._task, completed=share)
            self._bar.start()


@contextmanager
def waiting(output: Output) -> Iterator[ProgressBar]:
    """A progress bar for long work, and a remark if kernels are compiled first."""
    with (
        ProgressBar(quiet=output.quiet) as bar,
        compile_kernels.when_compiling(lambda: bar.say(output, COMPILING)),
    ):
        yield bar
