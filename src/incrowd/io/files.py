"""Whole files: their bytes, certificates, keys, and standard output."""

import csv
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, Union

from incrowd.engines import folders
from incrowd.engines.addresses import refuse_remote
from incrowd.errors import InputError, PolicyError
from incrowd.io.faults import system_boundary
from incrowd.loss import queries_workload
from incrowd.policy import codec
from incrowd.policy import policy as policies

if TYPE_CHECKING:
    from incrowd.policy.policy import Policy

LARGEST = 2**28


def read_document(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a document; `InputError` if unreadable, or of more than `LARGEST` bytes."""
    with system_boundary(path, "read"), Path(path).open("rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise InputError(
            f"{str(path)!r} holds more than {LARGEST / 10**6:,.0f} MB", remedy="name another file"
        )
    return data


def sha256(path: str | os.PathLike[str]) -> str:
    """SHA-256 of a file, or of the Parquet files of a folder (see `engines.folders`)."""
    with system_boundary(path, "read"):
        return folders.sha256(path)


def signing_key(path: str | None) -> str | None:
    """The path of the key that signs certificates: this one, else the environment's, else None."""
    return path or os.environ.get("INCROWD_SIGNING_KEY") or None


def pseudonym_key(path: str | None) -> bytes | None:
    """The key of pseudonyms in this file, less its line ends, or in the environment; else None."""
    if path is not None:
        return read_document(path).rstrip(b"\r\n")
    key = os.environ.get("INCROWD_KEY")
    return key.encode() if key else None


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text in UTF-8 to this file, in place of what it held."""
    with system_boundary(path, "written"):
        Path(path).write_text(text, encoding="utf-8")


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write these bytes to this file, in place of what it held."""
    with system_boundary(path, "written"):
        Path(path).write_bytes(data)


def write_new(path: str | os.PathLike[str], data: bytes, mode: int) -> None:
    """Make and sync a file with these bytes and permissions; `InputError` if there is one."""
    with system_boundary(path, "written"):
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())


def refuse_existing_paths(*paths: str | os.PathLike[str]) -> None:
    """Raise `InputError` if something exists at one of these paths, so that nothing is lost."""
    for path in paths:
        if os.path.lexists(path):
            raise InputError(f"{str(path)!r} exists already", remedy="name another file")


def copy_to_stdout(path: str | os.PathLike[str]) -> None:
    """Write the bytes of a file to standard output."""
    with Path(path).open("rb") as file:
        shutil.copyfileobj(file, sys.stdout.buffer)
    sys.stdout.buffer.flush()


def same_file(one: str | os.PathLike[str], other: str | os.PathLike[str]) -> bool:
    """Whether two paths lead to the same file, which need not exist."""
    first, second = Path(one), Path(other)
    if first.exists() and second.exists():
        return first.samefile(second)
    return os.path.realpath(one) == os.path.realpath(other)


def refuse_missing_folder(path: str | os.PathLike[str], what: str) -> None:
    """Refuse a path for `what` that is an address, or in a folder that does not exist."""
    refuse_remote(path, tables=False)
    folder = Path(path).parent
    if not folder.is_dir():
        raise InputError(
            f"the folder {str(folder)!r} for {what} does not exist",
            remedy="create it, or name another file",
        )


def read_workload(path: str | os.PathLike[str]) -> "queries_workload.Workload":
    """The workload of a text file, one query per line; `InputError` if it is not UTF-8."""
    name, text = os.fspath(path), _text_of(path)
    if text is None:
        raise InputError(f"the workload {name!r} is not UTF-8 text", remedy="save it as UTF-8")
    return queries_workload.parse(text, name)


def read_zip_populations(path: str | os.PathLike[str]) -> dict[str, int]:
    """People by the first three digits of their ZIP codes, from a CSV file.

    Each line has three digits and a number of people. A first line without a number is the header;
    further columns are ignored. `InputError` for other lines, and for three digits that come twice.
    """
    name = os.fspath(path)
    try:
        rows = [row for row in csv.reader((_text_of(path) or "").splitlines()) if row]
    except csv.Error:  # it quotes no cell, but says nothing that would help either
        rows = []
    if rows and not _has_area_and_count(rows[0]):
        rows = rows[1:]
    wrong = [number for number, row in enumerate(rows, start=1) if not _has_area_and_count(row)]
    if wrong or not rows:
        counted = f"{len(wrong)} of {len(rows)} lines" if rows else "no line"
        raise InputError(
            f"{name!r} is not a list of people by ZIP area: {counted} "
            + ("cannot be read" if rows else "can be read"),
            remedy="write three digits, a comma and a whole number in each line: 036,13153",
        )
    people = {row[0].strip(): int(row[1]) for row in rows}
    if len(people) < len(rows):
        raise InputError(
            f"{name!r} has several lines for one ZIP area",
            remedy="write the people of each three digits in one line",
        )
    return people


def _text_of(path: str | os.PathLike[str]) -> str | None:
    """The text of a document; None if it is not UTF-8."""
    try:
        return read_document(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def _has_area_and_count(row: list[str]) -> bool:
    """Whether a row starts with a ZIP area (three digits) and then a number of people."""
    if len(row) < 2:
        return False
    area, people = row[0].strip(), row[1].strip()
    return len(area) == 3 and (area + people).isascii() and area.isdigit() and people.isdigit()


def read_policy(path: str | os.PathLike[str]) -> "Policy":
    """The policy of a TOML file; `PolicyError` if it cannot be read or holds faults."""
    name = os.fspath(path)
    try:
        if (text := _text_of(path)) is not None:
            return codec.loads(text, name)
    except InputError as error:
        raise PolicyError(f"the policy {error.message}", remedy=error.remedy) from None
    raise PolicyError(
        f"the policy {name!r} is not UTF-8 text", remedy="name a TOML file, saved as UTF-8"
    )


AnyPolicy: TypeAlias = Union["Policy", str, os.PathLike[str]]


def policy_of(given: AnyPolicy) -> "Policy":
    """The policy itself, read from its file if a path is given; `PolicyError` for anything else."""
    if isinstance(given, str | os.PathLike):
        return read_policy(given)
    if isinstance(given, policies.Policy):
        return given
    raise PolicyError(
        f"a policy cannot be a {type(given).__name__}",
        remedy="give an incrowd.Policy, or the path of a policy file",
    )


def folder_of_policy(
    given: AnyPolicy | None, folder: str | os.PathLike[str]
) -> str | os.PathLike[str]:
    """The folder where a policy's paths start: `folder`, or the policy file's if that is "."."""
    if isinstance(given, str | os.PathLike) and os.fspath(folder) == ".":
        return Path(given).parent
    return folder
