"""A release and its certificate take their places together.

Two files cannot be renamed at once. So both are written beside their places first; then a small
file (the intent) says that they are about to be placed; then the release and after it the
certificate is renamed; then the intent goes. A process that is killed leaves one of these states:

- no intent: the old pair is there, and files that the next run removes;
- an intent, and the new release still beside its place: the old pair is there; the next run removes
  what was left;
- an intent, and the new release in its place: the next run puts the certificate into its own.

In the last state only does a certificate stand beside a release that is not its own. Its digest
says so to whoever checks it, and `pending` says why.
"""

import hashlib
import json
import os
import secrets
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import current_thread, main_thread
from types import FrameType
from typing import Any

from incrowd.io.atomic import (
    INTENT,
    alone,
    beside,
    named,
    named_as,
    prefix_of,
    settle,
    sweep,
    sync,
    target_of,
)

AnyPath = str | os.PathLike[str]


@contextmanager
def replacing_both(release: AnyPath, certificate: AnyPath) -> Iterator[tuple[Path, Path]]:
    """New files beside two targets that take their places together when the block ends well.

    An interrupt that comes while they are placed waits until both are there.
    """
    first, second = target_of(release), target_of(certificate)
    with beside(first) as new, beside(second) as new_certificate:
        with named_as(new, release), named_as(new_certificate, certificate):
            yield new, new_certificate
        with named(second):
            settle(new_certificate, second)
        with named(first):
            settle(new, first)
            with uninterrupted(), alone(first.parent):
                _place((new, first), (new_certificate, second))


def heal(release: AnyPath, certificate: AnyPath) -> None:
    """Complete or take back what killed runs left half done at these targets."""
    for left in (Path(os.path.realpath(path)) for path in (release, certificate)):
        with suppress(OSError), alone(left.parent):
            for intent in _intents(left):
                _settle_intent(intent, left)
            sweep(left)


def pending(release: AnyPath) -> bool:
    """Whether a run was killed while it replaced this release and its certificate."""
    return bool(_intents(Path(os.path.realpath(release))))


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Delay requests to stop (SIGINT, SIGTERM) until the block has ended.

    Only the main thread receives them.
    """
    if current_thread() is not main_thread():
        yield
        return
    came: list[int] = []

    def remember(number: int, _frame: FrameType | None) -> None:
        came.append(number)

    before = {number: signal.signal(number, remember) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
    if came:
        signal.raise_signal(came[0])


def _place(release: tuple[Path, Path], certificate: tuple[Path, Path]) -> None:
    """Rename both, with an intent on the disk meanwhile. The release's folder must be locked."""
    (new, first), (new_certificate, second) = release, certificate
    intent = _intent(new, first, new_certificate, second)
    old = _kept(first)
    new.replace(first)
    try:
        sync(first.parent)
        new_certificate.replace(second)
    except OSError:
        if old is not None:
            old.replace(first)
            intent.unlink()
        raise
    sync(second.parent)
    intent.unlink()
    if old is not None:
        old.unlink()


def _kept(target: Path) -> Path | None:
    """Another name for the file that is replaced, where the file system has such."""
    old = target.with_name(f"{prefix_of(target)}{secrets.token_hex(8)}")
    try:
        os.link(target, old)
    except OSError:
        return None
    return old


def _intent(new: Path, first: Path, new_certificate: Path, second: Path) -> Path:
    intended = {
        "release": new.name,
        "sha256": _sha256(new),
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
    return sorted(target.parent.glob(f"{prefix_of(target)}*{INTENT}"))


def _settle_intent(intent: Path, target: Path) -> None:
    """Complete what an intent says if its release is in place, else take it back."""
    intended = _read(intent, target)
    if intended is not None:
        new, place = intent.with_name(intended["release"]), Path(intended["place"])
        new_certificate = place.with_name(intended["certificate"])
        placed = not new.exists() and target.is_file() and _sha256(target) == intended["sha256"]
        if placed and new_certificate.is_file():
            new_certificate.replace(place)
            sync(place.parent)
        for left in (new, new_certificate):
            left.unlink(missing_ok=True)
    intent.unlink(missing_ok=True)


def _read(intent: Path, target: Path) -> dict[str, str] | None:
    """What an intent says; None if it is not of this user, or names files that are not ours."""
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


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
