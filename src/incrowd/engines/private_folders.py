"""Private folders for files that hold cells, and what becomes of them after a crash.

A folder holds a file that its process keeps locked. What a killed process left behind is not locked
any more, and the next run removes it. Where there are no locks, nothing is known of other processes
and nothing is removed.
"""

import os
import shutil
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # a system without file locks
    fcntl = None  # type: ignore[assignment]

PREFIX = "incrowd-"
_OWNER = ".owner"
"""The file of a private folder that is locked while its process lives."""


class PrivateFolder:
    """A folder that only this user can read; it is removed when nothing refers to the object.

    Its name holds `purpose`. Folders that ended processes left in the same `parent` go first.
    """

    def __init__(self, parent: Path | None = None, purpose: str = "") -> None:
        remove_orphans(parent)
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX + purpose, dir=parent)).absolute()
        _LIVING.add(self)
        self.remove = weakref.finalize(self, _remove, self.path, _lock_owner(self.path))


_LIVING: "weakref.WeakSet[PrivateFolder]" = weakref.WeakSet()


def remove_private_folders() -> None:
    """Remove the private folders of this process, which is about to end."""
    for folder in list(_LIVING):
        folder.remove()


@contextmanager
def private_folder() -> Iterator[Path]:
    """A private folder for the time of a block."""
    folder = PrivateFolder()
    try:
        yield folder.path
    finally:
        folder.remove()


def remove_orphans(parent: Path | None = None) -> None:
    """Remove private folders that ended processes left, by default in the temporary folder."""
    if fcntl is None:
        return
    for owner in (parent or Path(tempfile.gettempdir())).glob(f"{PREFIX}*/{_OWNER}"):
        with suppress(OSError):
            handle = os.open(owner, os.O_RDWR | os.O_NOFOLLOW)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(owner.parent, ignore_errors=True)
            finally:
                os.close(handle)


def _lock_owner(folder: Path) -> int | None:
    """Lock the owner's file, then give it its name; return its handle, None without file locks."""
    if fcntl is None:
        return None
    unnamed = folder / f"{_OWNER}.new"
    handle = os.open(unnamed, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    with suppress(OSError):  # some network drives cannot lock
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        unnamed.rename(folder / _OWNER)
    return handle


def _remove(folder: Path, handle: int | None) -> None:
    """Remove the folder and all in it, the owner's file last, and close that file's handle."""
    for left in folder.glob("*"):
        if left.is_dir():
            shutil.rmtree(left, ignore_errors=True)
        elif left.name != _OWNER:  # without it nobody could tell that the rest is abandoned
            with suppress(OSError):
                left.unlink()
    shutil.rmtree(folder, ignore_errors=True)
    if handle is not None:
        os.close(handle)
