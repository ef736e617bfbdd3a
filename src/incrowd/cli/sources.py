"""The table of a command: how to read it, reading it, and the columns that it should have.

Loads no policy: `incrowd.io.files` and `incrowd.release` are loaded for the path of one.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from incrowd.cli.flags import ReadingFlags
from incrowd.cli.output import Output
from incrowd.errors import IncrowdError, PolicyError
from incrowd.io import files, tables
from incrowd.io.large import LargeTable, bytes_of
from incrowd.io.notation import formats_of
from incrowd.io.reading import Reading, is_path, names_only, source_of
from incrowd.release import certificate as certificates
from incrowd.release import policy_record
from incrowd.table.column import Role
from incrowd.watch import Watch

if TYPE_CHECKING:
    from incrowd.policy.policy import Policy


@dataclass(frozen=True, eq=False, kw_only=True)
class ReadTable(Reading):
    """A table that was read before: standard input can be read only once."""

    source: tables.Source
    seconds: float
    """How long reading took."""
    held: LargeTable | None = None
    """The table out of memory, if it is larger."""

    def large(self, path: str | os.PathLike[str]) -> LargeTable | None:  # noqa: ARG002  the same
        """The table out of memory."""
        return self.held

    def read(self, path: str | os.PathLike[str]) -> tables.Source:  # noqa: ARG002  it is read
        """The table."""
        return self.source

    @property
    def names(self) -> list[str]:
        """The names of its columns."""
        return self.source.frame.columns


def reading(flags: ReadingFlags) -> Reading:
    """How to read the table, from the options of a command."""
    found = Reading(
        flags.delimiter,
        flags.encoding,
        flags.header,
        memory=None if flags.memory is None else bytes_of(flags.memory),
        sheet=flags.sheet,
        skip=flags.skip,
        decimal=flags.decimal,
        thousands=flags.thousands,
        date_formats=formats_of(flags.date_format or ()),
    )
    assert found.notation is not None  # noqa: S101  wrong marks are refused here, before any work
    return found


def readings(flags: ReadingFlags, original: str | None) -> tuple[Reading, Reading | None]:
    """How to read a release, and how to read its original, if that is given.

    How numbers and dates are written is then said of the original: a release has labels.
    """
    found = reading(flags)
    if original is None:
        return found, None
    before = Reading(
        memory=found.memory,
        decimal=found.decimal,
        thousands=found.thousands,
        date_formats=found.date_formats,
    )
    return replace(found, decimal=None, thousands=None, date_formats={}), before


def read_table(
    file: str, reading: Reading, output: Output, named: Iterable[str | None] = ()
) -> ReadTable:
    """Read the table and show notes about it; `named` are columns that it should have.

    Of a table in a database only the names are read.
    """
    watch = Watch()
    if not is_path(file):
        return ReadTable(source=names_only(file), seconds=watch.elapsed)
    reading = reading.expecting(filter(None, named))
    held = reading.large(file)
    source = reading.read(file) if held is None else source_of(held)
    output.notes(source.notes)
    return ReadTable(source=source, seconds=watch.elapsed, held=held, memory=reading.memory)


def columns_of_policy(path: str | None) -> Iterator[str]:
    """The columns that a policy file names; a wrong policy is refused when it is used."""
    if path is not None:
        with suppress(PolicyError):
            yield from files.read_policy(path).columns


def kept_by(policy: str | None, certificate: str | None) -> Iterator[str]:
    """The columns that a policy or a certificate releases unchanged, if these can be read."""
    with suppress(IncrowdError):
        if policy is not None:
            yield from files.read_policy(policy).names(Role.KEEP)
        elif certificate is not None:
            yield from _certified(certificate).names(Role.KEEP)


def columns_of_certificate(path: str | None) -> Iterator[str]:
    """The columns of a certificate's policy; a wrong certificate is refused when it is used."""
    if path is not None:
        with suppress(IncrowdError):
            yield from _certified(path).columns


def _certified(path: str) -> "Policy":
    """The policy that a certificate records, with the roles of its columns."""
    record = certificates.Certificate.from_json(files.content(path)).policy
    return policy_record.restored_roles(record)
