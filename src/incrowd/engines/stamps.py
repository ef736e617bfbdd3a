"""Whether a file was written to while it was read."""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from incrowd.errors import NotMetError


@dataclass(frozen=True)
class Stamp:
    """Facts of the system about a file, which change when anybody writes to it.

    Times can be set back, but not the time of that change, which is part of the stamp too. A file
    that is written twice within one tick of the system's clock may go unnoticed.
    """

    path: Path
    facts: tuple[int, ...]
    """Device, inode, size and times; empty if there is no file."""

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> "Stamp":
        """The stamp of a file as it is now; without facts if it is not there."""
        facts: tuple[int, ...] = ()
        with suppress(OSError):
            found = Path(path).stat()
            when = (found.st_mtime_ns, found.st_ctime_ns)
            facts = (found.st_dev, found.st_ino, found.st_size, *when)
        return cls(Path(path), facts)

    @property
    def is_changed(self) -> bool:
        """Whether the file was written to since the stamp was made, or is gone."""
        return Stamp.of(self.path) != self

    def refuse_changed(self) -> None:
        """Raise `NotMetError` if the file changed since the stamp was made."""
        if self.is_changed:
            raise NotMetError(
                "the file changed while it was read, so its rows are not those that should leave",
                remedy="make sure that nothing changes it meanwhile",
            )
