"""Files that are replaced as a whole or not at all."""

import hashlib
import json
import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from incrowd.engines.folders import sha256
from incrowd.errors import InputError, raise_alone
from incrowd.io.faults import system_boundary
from incrowd.io.uninterrupted import delay_interrupts

try:
    import fcntl
except ImportError:  # a system without file locks: nothing is known of other processes there
    fcntl = None  # type: ignore[assignment]


INTENT = ".intent"
"""How the names of files (intents) end that say what a run was about to rename (see `_place`)."""


@contextmanager
def replace_at_end(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A block with a new file beside the target, which it replaces if the block ends well.

    If anything goes wrong, an interrupt too, the new file is removed and the target stays as it
    was. What a killed process left beside this target is removed first. `InputError` if the target
    is a folder or a special file, or cannot be written.
    """
    target = target_of(path)
    with (
        new_file_beside(target) as made,
        system_boundary(target),
        name_target_in_errors(made, path),
    ):
        yield made
        set_mode_and_sync(made, target)
        made.replace(target)
        sync(target.parent)


@contextmanager
def name_target_in_errors(made: Path, path: str | os.PathLike[str]) -> Iterator[None]:
    """A block whose `InputError` names the target (`path`), not the file `made` beside it."""
    try:
        yield
    except InputError as error:
        if made.name not in error.message:
            raise
        message = error.message.replace(str(made), os.fspath(path)).replace(made.name, str(path))
        found = InputError(message, remedy=error.remedy)
    else:
        return
    raise_alone(found)


def target_of(path: str | os.PathLike[str]) -> Path:
    """The file that a path leads to, or will; `InputError` for a folder or a special file."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise InputError(f"{str(path)!r} is a folder", remedy="name a file in it")
    if target.exists() and not target.is_file():
        raise InputError(f"{str(path)!r} is not a regular file", remedy="name another target")
    return target


def folder_of(path: str | os.PathLike[str]) -> Path:
    """The folder that a path will lead to; `InputError` if anything is there: it would be lost."""
    target = Path(os.path.realpath(path))
    if os.path.lexists(target):
        raise InputError(f"{str(path)!r} exists already", remedy="name another folder")
    return target


@contextmanager
def new_file_beside(target: Path, *, parts: bool = False) -> Iterator[Path]:
    """A block with a new file, or folder (`parts`), beside the target, locked until its end.

    If it is not renamed meanwhile it is removed then. What dead processes left there goes first.
    """
    with system_boundary(target), lock_folder(target.parent):
        remove_leftovers(target)
        handle, name = _make_beside(target, "".join(target.suffixes[-2:]), parts=parts)
        _lock(handle)
    made = Path(name)
    _UNPLACED.add(made)
    if fcntl is None:
        os.close(handle)  # where there are no locks, an open file cannot be renamed either
    try:
        yield made
    finally:
        with suppress(OSError):
            _remove(made)
        _UNPLACED.discard(made)
        if fcntl is not None:
            os.close(handle)


_UNPLACED: set[Path] = set()


def remove_unplaced() -> None:
    """Remove the files that have not taken their places: the process is about to end."""
    for made in list(_UNPLACED):
        with suppress(OSError):
            _remove(made)


def _make_beside(target: Path, endings: str, *, parts: bool) -> tuple[int, str]:
    """Make a file, or folder (`parts`), beside the target; return its open handle and its path."""
    if not parts:
        return tempfile.mkstemp(endings, prefix_of(target), target.parent)
    name = tempfile.mkdtemp(endings, prefix_of(target), target.parent)
    return os.open(name, os.O_RDONLY), name


def _remove(made: Path) -> None:
    """Remove a file, or a folder with all its files, if it is there."""
    if made.is_dir() and not made.is_symlink():
        shutil.rmtree(made)
    else:
        made.unlink(missing_ok=True)


def prefix_of(target: Path) -> str:
    """How the names of all files begin that are made beside this target."""
    return f".incrowd-{hashlib.sha256(os.fsencode(target.name)).hexdigest()[:12]}-"


def remove_leftovers(target: Path) -> None:
    """Remove what dead processes left beside the target, but intents; its folder must be locked.

    Nothing is removed where there are no file locks: nobody knows which processes are dead.
    """
    for left in target.parent.glob(f"{prefix_of(target)}*"):
        if left.name.endswith(INTENT) or fcntl is None:
            continue
        with suppress(OSError):
            handle = os.open(left, os.O_RDONLY if left.is_dir() else os.O_RDWR)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _remove(left)
            finally:
                os.close(handle)


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """A block in which no other run makes or places files in this folder, if it can be locked."""
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
    """Lock a file or folder, waiting for others if `wait`; do nothing if it cannot be locked."""
    if fcntl is not None:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


def set_mode_and_sync(made: Path, target: Path) -> None:
    """Give `made` the target's permissions, usual ones to a folder or a new target; sync it."""
    if target.exists() and not made.is_dir():
        made.chmod(stat.S_IMODE(target.stat().st_mode))
    else:
        for file in made.iterdir() if made.is_dir() else ():
            set_mode_and_sync(file, target)
        usual = os.umask(0)
        os.umask(usual)
        made.chmod((0o777 if made.is_dir() else 0o666) & ~usual)
    sync(made)


def sync(path: Path) -> None:
    """Wait until this file or folder is stored on the disk; on Windows folders are not synced."""
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0)
    if path.is_dir() and os.name == "nt":
        return
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


AnyPath = str | os.PathLike[str]


@contextmanager
def replace_both_at_end(
    release: AnyPath, certificate: AnyPath, *, parts: bool = False
) -> Iterator[tuple[Path, Path]]:
    """A block with new files beside two targets that replace them together if it ends well.

    `InputError` if a target is a folder or a special file. An interrupt that comes while they are
    placed waits until both are there. A release in `parts` is a new folder; nothing may be in its
    place.
    """
    first = folder_of(release) if parts else target_of(release)
    second = target_of(certificate)
    with new_file_beside(first, parts=parts) as new, new_file_beside(second) as new_certificate:
        with (
            name_target_in_errors(new, release),
            name_target_in_errors(new_certificate, certificate),
        ):
            yield new, new_certificate
        with system_boundary(second):
            set_mode_and_sync(new_certificate, second)
        with system_boundary(first):
            set_mode_and_sync(new, first)
            with delay_interrupts(), lock_folder(first.parent):
                _place((new, first), (new_certificate, second))


@contextmanager
def replace_with_last_step(
    path: AnyPath,
) -> Iterator[tuple[Path, Callable[[Callable[[], None]], None]]]:
    """A block with a new file beside the target and a function that puts it in its place.

    The function takes a last step and calls it once the file is in its place; if the step fails,
    the target is again what it was before. An interrupt that comes meanwhile waits for both.
    """
    target = target_of(path)

    def place(last: Callable[[], None]) -> None:
        with ExitStack() as placing:
            placing.enter_context(delay_interrupts())
            with system_boundary(target):
                placing.enter_context(lock_folder(target.parent))
                set_mode_and_sync(made, target)
                placing.enter_context(_swap_in(made, target))
            last()

    with new_file_beside(target) as made, name_target_in_errors(made, path):
        yield made, place


@contextmanager
def _swap_in(made: Path, target: Path) -> Iterator[None]:
    """A block with a new file in the target's place; if the block fails, the old one is put back.

    The folder must be locked: another run would remove the old file, which is kept beside it.
    """
    old, placed = _keep_old(target), False
    try:
        made.replace(target)
        placed = True
        sync(target.parent)
        yield
    except BaseException:
        with suppress(OSError):
            if placed:
                _remove(target) if old is None else old.replace(target)
            elif old is not None:
                old.unlink()
        raise
    with suppress(OSError):
        if old is not None:
            old.unlink()


def finish_killed_runs(release: AnyPath, certificate: AnyPath) -> None:
    """Complete or undo, where possible, what killed runs left half done at these two targets."""
    for left in (Path(os.path.realpath(path)) for path in (release, certificate)):
        with suppress(OSError), lock_folder(left.parent):
            for intent in _intents(left):
                _settle_intent(intent, left)
            remove_leftovers(left)


def is_pending(release: AnyPath) -> bool:
    """Whether a run was killed while it replaced this release and its certificate."""
    return bool(_intents(Path(os.path.realpath(release))))


def _place(release: tuple[Path, Path], certificate: tuple[Path, Path]) -> None:
    """Rename two new files, each paired with its target, under an intent: both or neither.

    The release's folder must be locked. After a crash `finish_killed_runs` reads the intent.
    """
    (new, first), (new_certificate, second) = release, certificate
    intent = _store_intent(new, first, new_certificate, second)
    try:
        with _swap_in(new, first):
            new_certificate.replace(second)
    except BaseException:
        with suppress(OSError):
            _settle_intent(intent, first)
        raise
    sync(second.parent)
    intent.unlink()


def _keep_old(target: Path) -> Path | None:
    """Give the target's file a second name, or copy it; return its path, None without a file."""
    if not target.exists():
        return None
    old = target.with_name(f"{prefix_of(target)}{secrets.token_hex(8)}")
    try:
        os.link(target, old)
    except OSError:
        _copy(target, old)
    return old


def _copy(target: Path, old: Path) -> None:
    """Copy the whole file `target` to `old`, with its permissions; leave no `old` on failure."""
    try:
        old.touch(0o600, exist_ok=False)
        shutil.copyfile(target, old)
        shutil.copystat(target, old)
        sync(old)
    except BaseException:
        old.unlink(missing_ok=True)
        raise


def _store_intent(new: Path, first: Path, new_certificate: Path, second: Path) -> Path:
    """Store beside `first` that `new` becomes it, `new_certificate` `second`; return the path."""
    intended = {
        "release": new.name,
        "sha256": sha256(new),
        "certificate": new_certificate.name,
        "place": str(second),
    }
    handle, name = tempfile.mkstemp(INTENT + ".new", prefix_of(first), first.parent)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(intended, file)
        file.flush()
        os.fsync(file.fileno())
    intent = Path(name.removesuffix(".new"))
    Path(name).replace(intent)
    sync(first.parent)
    return intent


def _intents(target: Path) -> list[Path]:
    """The paths of the intents that are stored for this release, by name."""
    return sorted(target.parent.glob(f"{prefix_of(target)}*{INTENT}"))


def _settle_intent(intent: Path, target: Path) -> None:
    """Finish an intent whose release is in place, else remove its files; then remove the intent."""
    intended = _read_intent(intent, target)
    if intended is not None:
        new, place = intent.with_name(intended["release"]), Path(intended["place"])
        new_certificate = place.with_name(intended["certificate"])
        placed = not new.exists() and target.exists() and _has_digest(target, intended["sha256"])
        if placed and new_certificate.is_file():
            new_certificate.replace(place)
            sync(place.parent)
        for left in (new, new_certificate):
            _remove(left)
    intent.unlink(missing_ok=True)


def _read_intent(intent: Path, target: Path) -> dict[str, str] | None:
    """The stored intent; None if damaged or of other files, `PermissionError` if another user's."""
    if hasattr(os, "geteuid") and intent.lstat().st_uid != os.geteuid():
        raise PermissionError
    try:
        intended: Any = json.loads(intent.read_text(encoding="utf-8"))
        place = Path(intended["place"])
        names = Path(intended["release"]), Path(intended["certificate"])
    except (ValueError, KeyError, TypeError):
        return None
    plain = all(name.name == str(name) for name in names)
    ours = plain and names[1].name.startswith(prefix_of(place)) and place.is_absolute()
    mine = names[0].name.startswith(prefix_of(target))
    return dict(intended) if ours and mine and isinstance(intended.get("sha256"), str) else None


def _has_digest(target: Path, digest: str) -> bool:
    """Whether this file, or folder of Parquet files, has this SHA-256."""
    with suppress(InputError):  # a folder of other things
        return sha256(target) == digest
    return False
