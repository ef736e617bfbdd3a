"""A target that is replaced as a whole or not at all."""

import errno
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from incrowd.errors import InputError


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A new file beside the target that takes its place when the block ends well.

    Its name starts with a dot and ends like the target's. Whatever goes wrong in the block, an
    interruption too, it is removed and the target stays as it was.
    """
    target = _target(path)
    made = _beside(target)
    try:
        with _named(target), _as(made, path):
            yield made
            _settle(made, target)
            made.replace(target)
            _sync(target.parent)
    finally:
        with suppress(OSError):
            made.unlink(missing_ok=True)


def reason(error: BaseException) -> str:
    """What the system says, without the name of anything."""
    number = number_of(error)
    return os.strerror(number) if number else "the system refused it"


def number_of(error: BaseException) -> int:
    """The system's number of an error, also where a library only quotes it; 0 if there is none."""
    told = re.search(r"os error (\d+)", str(error))
    return getattr(error, "errno", None) or (int(told[1]) if told else 0)


def remedy_of(error: BaseException) -> str:
    """What helps against an error of the system."""
    if number_of(error) in _ROOM:
        return "make room, or name another target"
    return "check its name and that you may use it"


_ROOM = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}


@contextmanager
def _as(made: Path, path: str | os.PathLike[str]) -> Iterator[None]:
    """Name the target, not the file beside it, in what is said of either."""
    try:
        yield
    except InputError as error:
        if made.name not in error.message:
            raise
        said = error.message.replace(str(made), os.fspath(path)).replace(made.name, str(path))
        found = InputError(said, remedy=error.remedy)
    else:
        return
    try:
        raise found from None
    finally:
        found.__context__ = None


def _target(path: str | os.PathLike[str]) -> Path:
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise InputError(f"{str(path)!r} is a folder", remedy="name a file in it")
    if target.exists() and not target.is_file():
        raise InputError(f"{str(path)!r} is not a regular file", remedy="name another target")
    return target


def _beside(target: Path) -> Path:
    endings = "".join(target.suffixes[-2:])
    with _named(target):
        handle, name = tempfile.mkstemp(suffix=endings, prefix=".incrowd-", dir=target.parent)
        os.close(handle)
        return Path(name)


@contextmanager
def _named(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        why, help_ = reason(error), remedy_of(error)
    else:
        return
    found = InputError(f"{str(target)!r} cannot be written: {why}", remedy=help_)
    try:
        raise found from None
    finally:
        found.__context__ = None


def _settle(made: Path, target: Path) -> None:
    """Give the file the permissions of the one it replaces, or the usual ones, and store it."""
    if target.exists():
        made.chmod(stat.S_IMODE(target.stat().st_mode))
    else:
        usual = os.umask(0)
        os.umask(usual)
        made.chmod(0o666 & ~usual)
    _sync(made)


def _sync(path: Path) -> None:
    """Wait until it is on the disk, as far as the system can tell."""
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0)
    if path.is_dir() and os.name == "nt":
        return
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
