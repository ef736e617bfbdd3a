"""The report on a release that was just written; its command names files without folders."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from incrowd.engines.addresses import address_of
from incrowd.errors import IncrowdError, failure_of
from incrowd.io.reading import Opened
from incrowd.release.release import Release
from incrowd.verbs.report import Report, report
from incrowd.watch import Watch


@dataclass(frozen=True, eq=False)
class WrittenRelease:
    """A release that was just written, and where everything is."""

    release: Release
    file: str
    table: Opened
    """The original, whose path is `file`, opened."""
    paths: Mapping[str, str]
    """Where `release` and `certificate` are; empty if nothing was written."""
    folder: Path
    world: Mapping[str, Any]
    """What an attacker may hold, as keyword arguments of verbs."""

    def report(self, target: str, watch: Watch) -> Report:
        """Write the report; if that fails, raise our own error, which says the release is there."""
        try:
            return self._report(target, watch)
        except Exception as error:  # noqa: BLE001  whatever it is, the release is there
            why = failure_of(error)
            there = f"the release is {'written and ' if self.paths else ''}verified"
            kind = type(error) if isinstance(error, IncrowdError) else IncrowdError
            failed = kind(f"{there}, but the report is not written: {why.error}", remedy=why.remedy)
        raise failed from None

    def _report(self, target: str, watch: Watch) -> Report:
        """Report on the release, read from its file if its rows were never in memory."""
        far = bool(self.paths) and not self.table.in_memory
        return report(
            self.paths["release"] if far else self.release,
            target,
            self.release.policy if far else None,
            self.release.certificate if far else None,
            original=self.file if far else self.table,
            folder=self.folder,
            name=Path(self.paths["release"]).name if self.paths else None,
            command=self._command,
            watch=watch,
            **self.world,
        )

    @property
    def _command(self) -> str:
        """The command that checks the release, of files without their folders."""
        words = ["incrowd", "check", file_name(self.paths.get("release", "RELEASE"))]
        certificate = self.paths.get("certificate")
        words += ["--certificate", file_name(certificate)] if certificate else []
        return shlex.join([*words, *world_words(self.world)])


def file_name(place: str) -> str:
    """A file without its folder; the table of an address without the rest of it.

    >>> file_name("/home/me/study/release.csv"), file_name("-")
    ('release.csv', '-')
    """
    table = address_of(place)
    return Path(place).name if table is None else f"postgresql://…?table={table.name}"


def world_words(world: Mapping[str, Any]) -> list[str]:
    """The options of a command that name a world, as words; files without their folders."""
    words = [word for file in world["world"] or () for word in ("--world", file_name(file))]
    words += ["--world-id", world["world_id"]] if world["world_id"] else []
    pairs = (f"{name}={other}" for name, other in world["rename"].items())
    return words + [word for pair in pairs for word in ("--rename", pair)]
