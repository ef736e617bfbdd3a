"""The table of a command: how to read it, and the columns that it should have.

Loads no policy: `incrowd.io.files` and `incrowd.release` are loaded for the path of one.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from incrowd.cli.flags import ReadingFlags
from incrowd.errors import IncrowdError, PolicyError
from incrowd.io import files
from incrowd.io.reading import Reading
from incrowd.release import certificate as certificates
from incrowd.release import policy_record

if TYPE_CHECKING:
    from incrowd.policy.policy import Policy


def reading(flags: ReadingFlags) -> Reading:
    """How to read the table, from the options of a command."""
    return Reading(**vars(flags))


def readings(found: Reading, original: str | None) -> tuple[Reading, Reading | None]:
    """How to read a release, and how to read its original, if that is given.

    How numbers and dates are written is then said of the original: a release has labels.
    """
    if original is None:
        return found, None
    before = Reading(
        memory=found.memory,
        decimal=found.decimal,
        thousands=found.thousands,
        date_formats=found.date_formats,
    )
    return replace(found, decimal=None, thousands=None, date_formats=None), before


def columns_of_policy(path: str | None) -> Iterator[str]:
    """The columns that a policy file names; a wrong policy is refused when it is used."""
    if path is not None:
        with suppress(PolicyError):
            yield from files.read_policy(path).columns


def columns_of_certificate(path: str | None) -> Iterator[str]:
    """The columns of a certificate's policy; a wrong certificate is refused when it is used."""
    if path is not None:
        with suppress(IncrowdError):
            yield from _certified(path).columns


def _certified(path: str) -> "Policy":
    """The policy that a certificate records, with the roles of its columns."""
    record = certificates.Certificate.from_json(files.content(path)).policy
    return policy_record.restored_roles(record)
