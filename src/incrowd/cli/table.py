"""The table that a command is about, read once."""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from incrowd.cli.output import Output
from incrowd.errors import IncrowdError, PolicyError
from incrowd.io import tables
from incrowd.io.files import content
from incrowd.io.policies import read_policy
from incrowd.release.certificate import Certificate
from incrowd.release.written import rewritten
from incrowd.verbs.reading import Reading
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


def held(file: str, reading: Reading, output: Output, named: Iterable[str | None] = ()) -> Held:
    """Read the table, and say what its reader should know; `named` are columns it should have."""
    watch = Watch()
    source = reading.expecting(filter(None, named)).read(file)
    for note in source.notes:
        output.remark(f"note: {note}")
    return Held(source=source, seconds=watch.elapsed)


def named_by(policy: str | None) -> Iterator[str]:
    """The columns that a policy file names; what is wrong with it is told when it is used."""
    if policy is not None:
        with suppress(PolicyError):
            yield from read_policy(policy).columns


def certified(certificate: str | None) -> Iterator[str]:
    """The columns of the policy in a certificate; what is wrong with it is told when it is used."""
    if certificate is not None:
        with suppress(IncrowdError):
            yield from rewritten(Certificate.from_json(content(certificate)).policy).columns
