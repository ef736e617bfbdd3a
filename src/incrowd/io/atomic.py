"""Files that are replaced as a whole or not at all."""

import errno
import hashlib
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from incrowd.errors import InputError

try:
    import fcntl
except ImportError:  # a system without file locks: nothing is known of other processes there
    fcntl = None  # type: ignore[assignment]

INTENT = ".intent"
"""How the names of files end that say what a run was about to do (see `pair`)."""


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A new file beside the target that takes its place when the block ends well.

    Its name starts with a dot and ends like the target's. Whatever goes wrong in the block, an
    interruption too, it is removed and the target stays as it was. What a killed process left
    beside this target is removed first.
    """
    target = target_of(path)
    with beside(target) as made, named(target), named_as(made, path):
        yield made
        settle(made, target)
        made.replace(target)
        sync(target.parent)


def reason(error: BaseException) -> str:
    """The system's message, without the names of files."""
    number = number_of(error)
    return os.strerror(number) if number else "the system refused it"


def number_of(error: BaseException) -> int:
    """The system's number of an error, also where a library only quotes it; 0 if there is none."""
    quoted = re.search(r"os error (\d+)", str(error))
    return getattr(error, "errno", None) or (int(quoted[1]) if quoted else 0)


def remedy_of(error: BaseException) -> str:
    """What helps against an error of the system."""
    if number_of(error) in _ROOM:
        return "free some space, or name another file"
    return "check the name and your permissions"


_ROOM = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}


@contextmanager
def named_as(made: Path, path: str | os.PathLike[str]) -> Iterator[None]:
    """Name the target, not the file beside it, in errors about either."""
    try:
        yield
    except InputError as error:
        if made.name not in error.message:
            raise
        message = error.message.replace(str(made), os.fspath(path)).replace(made.name, str(path))
        found = InputError(message, remedy=error.remedy)
    else:
        return
    try:
        raise found from None
    finally:
        found.__context__ = None


def target_of(path: str | os.PathLike[str]) -> Path:
    """The file that a path leads to, or will; refuses what cannot be replaced."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise InputError(f"{str(path)!r} is a folder", remedy="name a file in it")
    if target.exists() and not target.is_file():
        raise InputError(f"{str(path)!r} is not a regular file", remedy="name another target")
    return target


@contextmanager
def beside(target: Path) -> Iterator[Path]:
    """A new empty file beside the target, locked while this process lives, removed at the end."""
    endings = "".join(target.suffixes[-2:])
    with named(target), alone(target.parent):
        sweep(target)
        handle, name = tempfile.mkstemp(endings, prefix_of(target), target.parent)
        _lock(handle)
    made = Path(name)
    if fcntl is None:
        os.close(handle)  # where there are no locks, an open file cannot be renamed either
    try:
        yield made
    finally:
        with suppress(OSError):
            made.unlink(missing_ok=True)
        if fcntl is not None:
            os.close(handle)


def prefix_of(target: Path) -> str:
    """How the names of files begin that are made beside a target."""
    return f".incrowd-{hashlib.sha256(os.fsencode(target.name)).hexdigest()[:12]}-"


def sweep(target: Path) -> None:
    """Remove what dead processes left beside the target. The folder must be locked (`alone`).

    A living process holds a lock on its file. Where there are no locks, nothing is removed.
    """
    for left in target.parent.glob(f"{prefix_of(target)}*"):
        if left.name.endswith(INTENT) or fcntl is None:
            continue
        with suppress(OSError):
            handle = os.open(left, os.O_RDWR)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                left.unlink()
            finally:
                os.close(handle)


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Lock a folder, where the system can: no other run makes or places files in it meanwhile."""
    if fcntl is None:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        _lock(handle, wait=True)
        yield
    finally:
        os.close(handle)


def _lock(handle: int, *, wait: bool = False) -> None:
    """Lock a file or a folder; some network drives cannot, and then it is not locked."""
    if fcntl is not None:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


@contextmanager
def named(target: Path) -> Iterator[None]:
    """Errors of the system name the target."""
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


def settle(made: Path, target: Path) -> None:
    """Give the file the permissions of the one it replaces, or the usual ones, and store it."""
    if target.exists():
        made.chmod(stat.S_IMODE(target.stat().st_mode))
    else:
        usual = os.umask(0)
        os.umask(usual)
        made.chmod(0o666 & ~usual)
    sync(made)


def sync(path: Path) -> None:
    """Wait until the system has stored it on the disk."""
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0)
    if path.is_dir() and os.name == "nt":
        return
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
