"""Where results and remarks go: results to standard output, everything else to standard error."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

from incrowd.documents import json
from incrowd.documents.words import printable
from incrowd.errors import InputError

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True)
class Output:
    """How a command speaks: to people, or as one JSON document, or hardly at all."""

    as_json: bool = False
    quiet: bool = False

    def result(
        self, document: Callable[[], Mapping[str, Any]], picture: Callable[[], "RenderableType"]
    ) -> None:
        """Show the result: the document for machines, the picture for people."""
        if self.as_json:
            self.document(document())
        elif not self.quiet:
            show(picture())

    def document(self, document: Mapping[str, Any]) -> None:
        """The one JSON document on standard output."""
        write(sys.stdout, json.dumps(document) + "\n")

    def remark(self, text: str) -> None:
        """A remark for people, on standard error."""
        if not self.quiet:
            write(sys.stderr, printable(text) + "\n")


def show(picture: "RenderableType") -> None:
    """Show a picture on standard output; without color if it is no terminal or NO_COLOR is set."""
    from rich.console import Console  # noqa: PLC0415  not for --help

    console = Console(file=sys.stdout, markup=False, highlight=False, emoji=False)
    with _writing(sys.stdout), console.capture() as capture:
        console.print(picture)
    write(sys.stdout, capture.get())


def write(stream: TextIO, text: str) -> None:
    """Write to a standard stream; if nobody reads it any more, that is no error of ours."""
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
        raise InputError(f"{name} cannot be written: {why}", remedy="make room") from None


def _forget(stream: TextIO) -> None:
    """Let what is still to be written go nowhere: Python would try again at the end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
