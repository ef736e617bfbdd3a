"""Whether a file is still the one that was read before."""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from incrowd.errors import NotMetError


@dataclass(frozen=True)
class Stamp:
    """What the system tells of a file, and tells differently once anybody wrote to it.

    Times can be set back, but not the one at which they were set back, which is of the stamp too.
    A file that is written to twice within one tick of the system's clock can be mistaken.
    """

    path: Path
    told: tuple[int, ...]
    """Nothing of a file that is not there."""

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> "Stamp":
        """The stamp of a file as it is now."""
        told: tuple[int, ...] = ()
        with suppress(OSError):
            found = Path(path).stat()
            when = (found.st_mtime_ns, found.st_ctime_ns)
            told = (found.st_dev, found.st_ino, found.st_size, *when)
        return cls(Path(path), told)

    def demand(self) -> None:
        """Refuse a file that is another now."""
        if Stamp.of(self.path) != self:
            raise NotMetError(
                "the file changed while it was read, so its rows are not those that should leave",
                remedy="make sure that nothing changes it meanwhile",
            )
