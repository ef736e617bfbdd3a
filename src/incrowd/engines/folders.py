"""Tables in several files: which they are, and the digest of a file or of all of them."""

import hashlib
import os
from glob import glob, has_magic
from itertools import takewhile
from pathlib import Path
from urllib.parse import unquote

from incrowd.errors import InputError

ENDINGS = (".parquet", ".pq")
"""How the names of the files end."""
_NULL = "__HIVE_DEFAULT_PARTITION__"
"""The folder of records whose key is missing."""


def in_parts(path: str | os.PathLike[str]) -> bool:
    """Whether a path names several files: a folder, or a pattern such as `release/*.parquet`."""
    found = Path(path)
    return found.is_dir() or (has_magic(str(path)) and not found.exists())


def parts(path: str | os.PathLike[str]) -> tuple[Path, ...]:
    """The Parquet files of a folder or a pattern, by name; refused if none or others are there.

    Files that Spark and others leave beside them (names that start with `_` or `.`) do not count.
    """
    folder = Path(path)
    found = folder.iterdir() if folder.is_dir() else map(Path, glob(str(path)))  # noqa: PTH207
    listed = [file for one in sorted(found) for file in _files_at(one)]
    if not listed:
        raise InputError("it holds no Parquet file", remedy="name a folder of Parquet files")
    if not all(file.is_file() and file.name.lower().endswith(ENDINGS) for file in listed):
        raise InputError(
            "it holds other things than Parquet files", remedy="name a folder of Parquet files"
        )
    return tuple(listed)


def _files_at(path: Path) -> list[Path]:
    """The files of an entry: itself, those of a folder `day=1`, none of `_SUCCESS` or `.crc`."""
    if path.name.startswith(("_", ".")):
        return []
    if path.is_dir() and "=" in path.name:
        return [file for one in sorted(path.iterdir()) for file in _files_at(one)]
    return [path]


def keys_of(file: Path, path: str | os.PathLike[str]) -> dict[str, str | None]:
    """The columns that a file's folders name, such as `region=north/day=1`, with their values.

    >>> keys_of(Path("people/region=north%20sea/day=1/part.parquet"), "people")
    {'region': 'north sea', 'day': '1'}
    """
    above = list(takewhile(lambda part: not has_magic(part), Path(path).parts))
    folders = file.parent.parts[len(above) :]
    pairs = (folder.partition("=") for folder in folders if "=" in folder)
    found = {unquote(name): unquote(value) for name, _, value in pairs}
    return {name: None if value == _NULL else value for name, value in found.items()}


def sha256(path: str | os.PathLike[str]) -> str:
    """SHA-256 of a file; of several files, that of the sorted list of theirs, a line each."""
    if not in_parts(path):
        return _sha256(Path(path))
    lines = sorted(_sha256(file) for file in parts(path))
    return hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
