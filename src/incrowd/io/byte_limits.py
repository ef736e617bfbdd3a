"""Limits of the bytes that are read at once, so that a table without an end is refused in time.

A table takes several times the bytes of its file, so a file, a pipe or what an archive unpacks to
may take a quarter of the memory that may be used: what the user says, or what is free.
"""

from pathlib import Path
from typing import Any

from incrowd.errors import LimitError

_SHARE = 0.25
_PIECE = 2**24
_GROUP = Path("/sys/fs/cgroup")
"""Where Linux says how much memory a container may use."""


def free_memory() -> int:
    """Bytes of memory that are free, within this container's limit; 2**62 if not known."""
    try:
        with Path("/proc/meminfo").open(encoding="ascii") as lines:
            known = dict(line.split(":", 1) for line in lines)
        free = int(known["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return 2**62
    return min(free, _free_in_group())


def _free_in_group() -> int:
    """Bytes of memory that are free in this container; 2**62 if no limit is known."""
    try:
        most, used = ((_GROUP / f"memory.{what}").read_text() for what in ("max", "current"))
        return max(int(most) - int(used), 0)
    except (OSError, ValueError):
        return 2**62


def most_bytes_at_once(memory: int | None = None) -> int:
    """The most bytes to read at once: a quarter of this memory, or of what is free if None."""
    return int(_SHARE * (free_memory() if memory is None else memory))


def read_all(stream: Any, memory: int | None = None) -> bytes:
    """All bytes of a stream; `LimitError` if there are more than `most_bytes_at_once(memory)`."""
    most, parts, size = most_bytes_at_once(memory), [], 0
    while part := stream.read(min(_PIECE, most - size + 1)):
        parts.append(part)
        size += len(part)
        if size > most:
            raise too_many_bytes_error(most)
    return b"".join(parts)


def too_many_bytes_error(most: int) -> LimitError:
    """The error, to be raised by the caller, for more bytes than this."""
    return LimitError(
        f"it holds more than {most / 10**6:,.0f} MB, a quarter of the memory that may be used",
        remedy=(
            "store it as a CSV or Parquet file, which is worked on out of memory, or allow more "
            "memory if there is more (--memory)"
        ),
    )
