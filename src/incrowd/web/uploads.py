"""Files that the browser hands over: into the session's private folder, and deleted with it."""

import asyncio
import errno
import os
import re
import shutil
import tempfile
import unicodedata
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from incrowd.engines.private_folders import PREFIX
from incrowd.errors import InputError, sentence
from incrowd.web.guard import Message, Receive, Send

MOST = 2 * 10**9
"""Bytes of a file that a browser may hand over."""
PATH = "/uploads"
PURPOSES = ("table", "release", "certificate", "key", "original", "policy")
"""What a file can be for: a table to work on, or what a check needs."""
PURPOSE = "ui-"
"""Part of the names of folders for what is handed over."""
PRIVATE = f"{PREFIX}{PURPOSE}"
"""How the private folders of sessions begin."""

_FOLDER = "uploads"
_BLOCK = 2**20
_SPARE = 2**24
"""Bytes that stay free on the disk."""
_LONGEST = 150
"""Bytes of a name: a release, its certificate and its report are named after it."""
_STRANGE = re.compile(r"[^\w .()+=@,-]")
_BESIDE = {".json": "certificate", ".toml": "policy", ".pub": "key", ".pem": "key"}
"""What may come along with a release, by its ending."""
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class UploadError(InputError):
    """A file that is not taken, with the status of the answer."""

    def __init__(self, message: str, *, remedy: str, status: int) -> None:
        super().__init__(message, remedy=remedy)
        self.status = status


class _BrokenOffError(Exception):
    """The browser went away."""


class Uploads:
    """The files that were handed over: at most one for each purpose, in the `private()` folder.

    Each has at most `most` bytes.
    """

    def __init__(self, private: Callable[[], Path], *, most: int = MOST) -> None:
        self._private = private
        self.most = most
        self.files: dict[str, Path] = {}

    def make_place(self, name: str) -> Path:
        """Make a folder of its own for a file, only for this user; return the file's path in it."""
        folder = self._private() / _FOLDER
        folder.mkdir(mode=0o700, exist_ok=True)
        return Path(tempfile.mkdtemp(dir=folder)) / safe_name(name)

    def put(self, purpose: str, path: Path) -> None:
        """Keep a file for its purpose; delete the one that it replaces."""
        self.forget(purpose)
        self.files[purpose] = path

    def take(self, purpose: str) -> Path | None:
        """Return the file of a purpose, None without one; from now on the caller must delete it."""
        return self.files.pop(purpose, None)

    def forget(self, purpose: str) -> None:
        """Delete the file of a purpose, if there is one."""
        if (path := self.take(purpose)) is not None:
            delete(path)


def delete(path: Path) -> None:
    """Delete a file of a private folder, and the folder that it had of its own."""
    if path.parent.parent.name == _FOLDER:
        shutil.rmtree(path.parent, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()


def safe_name(name: str) -> str:
    """The name of a file without folders, and without what a shell or a file system may mind.

    A longer one is cut to `_LONGEST` bytes, and keeps its ending; `file` if nothing is left.

    >>> safe_name("data/pa;tients 2024.csv.gz"), safe_name("../../.bashrc"), safe_name("/")
    ('pa_tients 2024.csv.gz', 'bashrc', 'file')
    """
    plain = unicodedata.normalize("NFC", re.split(r"[/\\]", name)[-1])
    kept = _STRANGE.sub("_", plain).strip(" .-")
    if len(kept.encode()) > _LONGEST:
        ending = "".join(Path(kept).suffixes[-2:])[-10:]
        begun = kept.encode()[: _LONGEST - len(ending.encode())]
        kept = (begun.decode(errors="ignore") + ending).strip(" .-")
    return kept or "file"


def purpose_of(asked: str, name: str) -> str:
    """What a file is for: what was `asked`, or by its ending if it came along with a release.

    >>> purpose_of("release", "a.csv"), purpose_of("release", "a.csv.certificate.json")
    ('release', 'certificate')
    """
    return _BESIDE.get(Path(name).suffix.lower(), asked) if asked == "release" else asked


def without_private(words: str) -> str:
    """The words with paths into private folders shortened to the names of files."""
    start = re.escape(str(Path(tempfile.gettempdir()).resolve() / PRIVATE))
    return re.sub(rf"{start}[^/\\]+[/\\](?:{_FOLDER}[/\\][^/\\]+[/\\])?", "", words)


def size_words(size: int) -> str:
    """A number of bytes in words: in GB from a megabyte on.

    >>> size_words(MOST), size_words(250)
    ('2 GB', '250 bytes')
    """
    return f"{size / 10**9:.3g} GB" if size >= 10**6 else f"{size} bytes"


class Receiver:
    """Answers a POST whose body is a file: written as it comes, and deleted if it breaks off."""

    def __init__(self, uploads: Uploads) -> None:
        self._uploads = uploads

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Take a file and answer with its name, or say why not."""
        if scope["type"] != "http":
            return
        try:
            await _send_answer(send, 200, await self._take(scope, receive))
        except (UploadError, OSError) as error:
            refused = _write_error(error) if isinstance(error, OSError) else error
            await _send_answer(send, refused.status, refusal_words(refused))
        except _BrokenOffError:
            return

    async def _take(self, scope: Any, receive: Receive) -> str:
        """Take a file and return its name; `UploadError` if refused, `OSError` if not written."""
        headers = {
            key.decode("latin-1"): value.decode("latin-1") for key, value in scope["headers"]
        }
        asked = scope["path"].rpartition("/")[2]
        if scope["method"] != "POST" or asked not in PURPOSES:
            raise UploadError("there is nothing here", remedy="go back to the page", status=404)
        length = headers.get("content-length", "0")
        size = int(length) if length.isdecimal() else 0
        if size > self._uploads.most:
            raise too_large_error(self._uploads.most)
        path = self._uploads.make_place(unquote(headers.get("x-file-name", "")))
        try:
            await self._write(path, receive, size)
        except BaseException:  # a cancelled server, too, leaves no half of a file
            delete(path)
            raise
        self._uploads.put(purpose_of(asked, path.name), path)
        return path.name

    async def _write(self, path: Path, receive: Receive, size: int) -> None:
        """Write the body of a request, which says that it has this size.

        `UploadError` if it is larger than allowed, `OSError` if it cannot be written: raised after
        the rest was read, up to twice the allowed size in all.
        """
        most, taken = self._uploads.most, 0
        body = _blocks(receive, 2 * most)
        try:
            _refuse_full(path.parent, size)
            with os.fdopen(os.open(path, _NEW, 0o600), "wb") as file:
                async for block in body:
                    taken += len(block)
                    if taken > most:
                        raise too_large_error(most)
                    await asyncio.to_thread(file.write, block)
        except (UploadError, OSError):
            async for _ in body:  # a browser hears an answer only once it has sent everything
                pass
            raise


def _refuse_full(folder: Path, size: int) -> None:
    """Raise `OSError` if the disk has no room for so many bytes and some to spare."""
    if shutil.disk_usage(folder).free < size + _SPARE:
        raise OSError(errno.ENOSPC, "no space left")


async def _blocks(receive: Receive, most: int) -> AsyncIterator[bytes]:
    """Yield the body of a request, about a megabyte at a time, until it has more than `most` bytes.

    `_BrokenOffError` if the browser goes away.
    """
    held, size, more = bytearray(), 0, True
    while more and size <= most:
        message: Message = await receive()
        if message["type"] == "http.disconnect":
            raise _BrokenOffError
        piece, more = message.get("body", b""), message.get("more_body", False)
        held += piece
        size += len(piece)
        if len(held) >= _BLOCK or not more or size > most:
            yield bytes(held)
            held.clear()


def refusal_words(error: UploadError) -> str:
    """Two sentences: why a file is not taken, and what helps."""
    return f"{sentence(error.message)} {sentence(error.remedy)}"


def too_large_error(most: int) -> UploadError:
    """The error about a file of more than `most` bytes."""
    return UploadError(
        f"the file is larger than {size_words(most)}, and a browser may not hand over more",
        remedy="put it into the folder that the page shows, and choose it there",
        status=413,
    )


def _write_error(error: OSError) -> UploadError:
    """The error, with its status, that tells a browser why its file could not be written."""
    if error.errno in _FULL:
        return UploadError(
            "the disk is full, and nothing of the file was kept",
            remedy="free some space, or set TMPDIR to another disk and start incrowd ui again",
            status=507,
        )
    return UploadError(
        "the file cannot be written to the private folder",
        remedy="start incrowd ui again",
        status=500,
    )


async def _send_answer(send: Send, status: int, text: str) -> None:
    body = text.encode()
    kind = (b"content-type", b"text/plain; charset=utf-8")
    headers = [kind, (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
