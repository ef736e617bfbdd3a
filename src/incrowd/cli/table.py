"""The table that a command is about, read once."""

import os
from dataclasses import dataclass

from incrowd.cli.output import Output
from incrowd.io import tables
from incrowd.run.reading import Reading
from incrowd.watch import Watch


@dataclass(frozen=True, eq=False, kw_only=True)
class Held(Reading):
    """A table that is read already: standard input can be read only once."""

    source: tables.Source
    seconds: float
    """How long reading took."""

    def read(self, path: str | os.PathLike[str]) -> tables.Source:  # noqa: ARG002  it is read
        """The table."""
        return self.source

    @property
    def names(self) -> list[str]:
        """The names of its columns."""
        return self.source.frame.columns


def held(file: str, reading: Reading, output: Output) -> Held:
    """Read the table, and say what its reader should know."""
    watch = Watch()
    source = reading.read(file)
    for note in source.notes:
        output.remark(f"note: {note}")
    return Held(source=source, seconds=watch.elapsed)
