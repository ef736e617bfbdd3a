"""Errors for memory or disk space that runs out while a table is processed."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from incrowd.errors import InputError, LimitError, boundary, raise_alone

_FULL = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}


FOLDER = "set TMPDIR to a folder that you may write to"
"""What to do if a file of ours cannot be written."""
_LARGER = "free some, or set TMPDIR to a larger disk"


@contextmanager
def shortage_boundary(words: str, remedy: str, larger: str = _LARGER) -> Iterator[None]:
    """A block whose errors, which may quote cells, become an `InputError` of these words.

    `LimitError` if memory or disk space (remedy: `larger`) ran out; errors of incrowd pass.
    """
    ran_out = ""
    with boundary(InputError(words, remedy=remedy)):
        try:
            yield
        except Exception as failure:
            ran_out = _exhausted_resource(failure)
            if not ran_out:
                raise
    if ran_out:
        memory = "free some, or set another limit with --memory"
        error = LimitError(
            f"incrowd ran out of {ran_out}, so nothing was released",
            remedy=memory if ran_out == "memory" else larger,
        )
        raise_alone(error)


def _exhausted_resource(failure: Exception) -> str:
    """Which resource ran out, `memory` or `disk space`; empty if it failed for other reasons."""
    said = str(failure)
    full = getattr(failure, "errno", None) in _FULL or "No space left" in said
    if type(failure).__name__ == "OutOfMemoryException":
        return "disk space" if full or "max_temp_directory_size" in said else "memory"
    return "disk space" if full else ""


def resident_bytes() -> int | None:
    """Bytes of memory that this process holds now; None if the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None


def mebibytes(size: float) -> str:
    """A number of bytes as a setting of DuckDB: whole mebibytes, such as `512MiB`."""
    return f"{int(size / 2**20)}MiB"
