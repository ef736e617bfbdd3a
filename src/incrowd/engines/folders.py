"""Tables in several files: which they are, and the digest of a file or of all of them."""

import hashlib
import os
from collections.abc import Iterator
from glob import glob, has_magic
from itertools import takewhile
from pathlib import Path
from urllib.parse import unquote

from incrowd.errors import InputError

ENDINGS = (".parquet", ".pq")
_NULL = "__HIVE_DEFAULT_PARTITION__"
"""The folder of records whose key is missing."""


def names_several_files(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a folder, or a pattern such as `release/*.parquet` and no existing file."""
    found = Path(path)
    return found.is_dir() or (has_magic(str(path)) and not found.exists())


def parquet_files(path: str | os.PathLike[str]) -> tuple[Path, ...]:
    """The Parquet files of a folder or a pattern, by name; `InputError` if none, or others too.

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
    """The path, or the files in it if its name is like `day=1`; none if it is like `_SUCCESS`."""
    if path.name.startswith(("_", ".")):
        return []
    if path.is_dir() and "=" in path.name:
        return [file for one in sorted(path.iterdir()) for file in _files_at(one)]
    return [path]


def folder_keys(file: Path, path: str | os.PathLike[str]) -> dict[str, str | None]:
    """The values in the names of a file's folders, such as `region=north/day=1`, by column.

    The value is None where the folder stands for missing values. `path` is what the user named.

    >>> folder_keys(Path("people/region=north%20sea/day=1/part.parquet"), "people")
    {'region': 'north sea', 'day': '1'}
    """
    found = {unquote(name): unquote(value) for name, value in _key_folders(file, path)}
    return {name: None if value == _NULL else value for name, value in found.items()}


def written_keys(file: Path, path: str | os.PathLike[str]) -> dict[str, str]:
    """How a file's folders write the name of each of its `folder_keys`, by column.

    >>> written_keys(Path("people/birth%20place=north/part.parquet"), "people")
    {'birth place': 'birth%20place'}
    """
    return {unquote(name): name for name, _ in _key_folders(file, path)}


def _key_folders(file: Path, path: str | os.PathLike[str]) -> Iterator[tuple[str, str]]:
    """Yield the two sides of `=` in the names of a file's folders below what `path` names."""
    above = list(takewhile(lambda part: not has_magic(part), Path(path).parts))
    for folder in file.parent.parts[len(above) :]:
        name, equals, value = folder.partition("=")
        if equals:
            yield name, value


def sha256(path: str | os.PathLike[str]) -> str:
    """SHA-256 of a file; of several files, that of their sorted digests, one on each line."""
    if not names_several_files(path):
        return _sha256(Path(path))
    lines = sorted(_sha256(file) for file in parquet_files(path))
    return hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
