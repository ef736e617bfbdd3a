"""Whole files: their bytes, certificates, keys, and standard output."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from incrowd.errors import InputError
from incrowd.io.atomic import reason, remedy_of


def content(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a file."""
    with _named(path, "read"):
        return Path(path).read_bytes()


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Make a file of this text, in UTF-8."""
    with _named(path, "written"):
        Path(path).write_text(text, encoding="utf-8")


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Make a file of these bytes."""
    with _named(path, "written"):
        Path(path).write_bytes(data)


def write_new(path: str | os.PathLike[str], data: bytes, mode: int) -> None:
    """Make a new file of these bytes, with these permissions from the start."""
    with _named(path, "written"):
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())


def refuse_there(*paths: str | os.PathLike[str]) -> None:
    """Refuse files that exist already, so that they are not lost."""
    for path in paths:
        if os.path.lexists(path):
            raise InputError(f"{str(path)!r} exists already", remedy="name another file")


def send(data: bytes) -> None:
    """Write bytes to standard output."""
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def same_file(one: str | os.PathLike[str], other: str | os.PathLike[str]) -> bool:
    """Whether two paths lead to one file, whether it exists or not."""
    first, second = Path(one), Path(other)
    if first.exists() and second.exists():
        return first.samefile(second)
    return os.path.realpath(one) == os.path.realpath(other)


def refuse_nowhere(path: str | os.PathLike[str], what: str) -> None:
    """Refuse a file whose folder does not exist, before there is anything to write."""
    folder = Path(path).parent
    if not folder.is_dir():
        raise InputError(
            f"the folder {str(folder)!r} for {what} does not exist",
            remedy="create it, or name another file",
        )


@contextmanager
def _named(path: str | os.PathLike[str], done: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        why, help_ = reason(error), remedy_of(error)
    else:
        return
    raise InputError(f"{str(path)!r} cannot be {done}: {why}", remedy=help_)
