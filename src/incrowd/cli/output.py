"""Results go to standard output; notes, progress and errors go to standard error."""

import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Self, TextIO

from incrowd.documents import json
from incrowd.documents.words import printable_text
from incrowd.errors import InputError
from incrowd.kernels import compile as compile_kernels
from incrowd.kernels import warm as warm_kernels
from incrowd.requests.kinds import SWITCH, WRITING, Flags, Parts
from incrowd.watch import Watch

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.progress import Progress, TaskID

COMPILING = "Compiling what this command needs; later runs find it ready"
NOTES = 4
"""Lines that notes take at most without --details."""
PATIENCE = 2.0
"""Seconds until a progress bar appears."""


@dataclass(frozen=True)
class Output:
    """How a command answers: text for people, one JSON document, or errors only."""

    details: Annotated[bool, SWITCH, WRITING] = False
    """Show all figures and notes, not only those to decide by."""
    as_json: Annotated[bool, SWITCH, WRITING, Flags("--json")] = False
    """Write one JSON document to standard output, everything else to standard error."""
    quiet: Annotated[bool, SWITCH, WRITING] = False
    """Show nothing but errors."""

    def show_result(
        self,
        document: Callable[[], Mapping[str, Any]],
        text: Callable[[], "RenderableType"],
        then: Callable[[], str | None] = lambda: None,
    ) -> None:
        """Make and show the `document` with --json, else, unless quiet, `text` and next command."""
        if self.as_json:
            self.write_document(document())
        elif not self.quiet:
            show(text())
            if (command := then()) is not None:
                write(sys.stdout, f"\nNext: {printable_text(command)}\n")

    def write_document(self, document: Mapping[str, Any]) -> None:
        """Write the one JSON document to standard output."""
        write(sys.stdout, json.dumps(document) + "\n")

    def remark(self, text: str) -> None:
        """Show a remark to people, on standard error, unless they asked for quiet."""
        if not self.quiet:
            write(sys.stderr, printable_text(text) + "\n")

    def show_notes(self, notes: Iterable[object]) -> None:
        """Show notes as remarks; without `details` in `NOTES` lines, the last counts the rest."""
        every = list(notes)
        shown = every if self.details or len(every) <= NOTES else every[: NOTES - 1]
        for note in shown:
            self.remark(f"note: {note}")
        if len(shown) < len(every):
            self.remark(f"note: {len(every) - len(shown)} more notes: --details shows them")


Terse = Annotated[Output, Parts(Output, without=("details",))]
"""How a command answers that has no details."""


def show(text: "RenderableType") -> None:
    """Show a text or table on standard output; in color on a terminal, unless NO_COLOR is set."""
    from rich.console import Console  # noqa: PLC0415  not for --help

    console = Console(file=sys.stdout, markup=False, highlight=False, emoji=False)
    with _guard_stream(sys.stdout), console.capture() as capture:
        console.print(text)
    write(sys.stdout, capture.get())


def write(stream: TextIO, text: str) -> None:
    """Write a text to a standard stream; a closed pipe is no error, a full disk an `InputError`."""
    with _guard_stream(stream):
        stream.write(text)
        stream.flush()


@contextmanager
def _guard_stream(stream: TextIO) -> Iterator[None]:
    """Drop what is written to a closed pipe; `InputError` if the stream cannot be written."""
    try:
        yield
    except BrokenPipeError:
        _discard_stream(stream)
    except OSError as error:
        name = "standard output" if stream is sys.stdout else "standard error"
        _discard_stream(stream)
        why = os.strerror(error.errno or 0)
        raise InputError(f"{name} cannot be written: {why}", remedy="free some space") from None


def _discard_stream(stream: TextIO) -> None:
    """Send the rest of a stream to nowhere: Python would try to write it again at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


class ProgressBar:
    """A bar on standard error, on a terminal only, that appears after `PATIENCE` seconds.

    Its `tell` is the progress callback of a `Watch`. Where the share of one kind of work grows, the
    bar says how much time is left; where nothing is known of it, how much has passed.
    """

    def __init__(
        self, *, quiet: bool = False, note: Callable[[Iterable[object]], None] | None = None
    ) -> None:
        self._note = note
        self._wanted = not quiet and sys.stderr.isatty()
        self._lock = threading.Lock()
        self._timer = threading.Timer(PATIENCE, self._appear)
        self._timer.daemon = True
        self._latest = ("working", 0.0)
        self._watch = Watch()
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._closed = False

    def __enter__(self) -> Self:
        if self._wanted:
            self._timer.start()
        return self

    @property
    def watch(self) -> Watch:
        """A new watch without a limit, started now: it moves this bar and hands notes to `note`."""
        return Watch(tell=self.tell, note=self._note)

    def __exit__(self, *failed: object) -> None:
        self._timer.cancel()
        with self._lock:
            self._closed = True
            if self._bar is not None:
                self._bar.stop()

    def tell(self, what: str, share: float) -> None:
        """Show progress: `what` is being done, a `share` (0..1) of it is ready."""
        with self._lock:
            before, self._latest = self._latest, (what, share)
            if self._bar is None or self._task is None:
                return
            if _kind_of_work(what) == _kind_of_work(before[0]) and share >= before[1]:
                self._bar.update(self._task, description=what, completed=share, total=1.0)
            else:  # other work: its speed says nothing of this one's
                total = 1.0 if share else None
                self._bar.reset(self._task, description=what, total=total)
                self._bar.update(self._task, completed=share)

    def say(self, output: Output, text: str) -> None:
        """Show a remark, above the bar if there is one."""
        with self._lock:
            if self._bar is None:
                output.remark(text)
            elif not output.quiet:
                self._bar.console.print(text, markup=False, highlight=False)

    def _appear(self) -> None:
        """Show the bar with what was told last, unless the work has ended."""
        from rich.console import Console  # noqa: PLC0415  seldom seen
        from rich.progress import BarColumn, Progress, TextColumn  # noqa: PLC0415  seldom seen

        from incrowd.cli.time_left import TimeLeft  # noqa: PLC0415  loads the above

        with self._lock:
            if self._closed:
                return
            self._bar = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                TimeLeft(lambda: self._watch.elapsed),
                console=Console(file=sys.stderr),
                transient=True,
            )
            what, share = self._latest
            self._task = self._bar.add_task(what, total=1.0 if share else None)
            self._bar.update(self._task, completed=share)
            self._bar.start()


def _kind_of_work(what: str) -> str:
    """What is being done, without figures that change while it goes on.

    >>> _kind_of_work("part 3 of 12"), _kind_of_work("searching: loss 0.168 after 2 s")
    ('part  of ', 'searching: loss . after  s')
    """
    return "".join(letter for letter in what if not letter.isdigit() and letter != ",")


@contextmanager
def show_progress(output: Output, verb: str) -> Iterator[ProgressBar]:
    """Show a progress bar while this is open; if kernels of the verb are compiled, count them."""
    with ProgressBar(quiet=output.quiet or output.as_json, note=output.show_notes) as bar:
        of = 0

        def tell(number: int) -> None:
            nonlocal of
            if number == 1:
                bar.say(output, COMPILING)
            missing = len(warm_kernels.missing_signatures(verb))
            of = of or missing
            bar.tell(*kernel_progress(of - missing, of))

        with compile_kernels.report_compilations(tell), warm_kernels.run_helpers(verb):
            yield bar


def kernel_progress(ready: int, of: int) -> tuple[str, float]:
    """Return the words and the share that a bar shows when `ready` of `of` kernels are compiled."""
    if not of:
        return COMPILING, 0.0
    return f"{COMPILING}: kernel {min(ready + 1, of):,} of {of:,}", ready / of
