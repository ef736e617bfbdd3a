"""The file picker: what is in a folder, and never anything outside of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from incrowd.errors import InputError, PolicyError, boundary

TABLES = (
    *(".csv", ".tsv", ".txt", ".gz", ".zst", ".zip"),
    *(".parquet", ".arrow", ".feather", ".ipc"),
    *(".xlsx", ".xls", ".ods", ".sav", ".dta", ".sas7bdat", ".xpt"),
)
MOST = 1000


@dataclass(frozen=True, kw_only=True)
class FolderEntry:
    """A file or a folder in the picker."""

    name: str
    relative: str
    """Its path from the chosen folder."""
    folder: bool
    table: bool = False
    """Whether it may be a table, by its ending."""


def path_within(folder: str | Path, relative: str) -> Path:
    """The path of an entry of a folder; `PolicyError` if it leads outside, by `..` or by a link."""
    root = Path(folder).resolve()
    found = (root / relative).resolve()
    if not found.is_relative_to(root):
        raise PolicyError(
            "this path leads out of the chosen folder",
            remedy="choose a file of this folder, or hand over one from elsewhere",
        )
    return found


def list_folder(folder: str | Path, relative: str = "") -> tuple[FolderEntry, ...]:
    """List a folder below the chosen one: folders first, nothing hidden, at most `MOST` entries.

    `InputError` if it cannot be read, `PolicyError` if it is outside of the chosen folder.
    """
    root, place = Path(folder).resolve(), path_within(folder, relative)
    with boundary(InputError("this folder cannot be read", remedy="choose another one")):
        names = sorted(path.name for path in place.iterdir() if not path.name.startswith("."))
    entries = [one for name in names for one in _entry(root, place / name)]
    return tuple(sorted(entries, key=lambda one: not one.folder)[:MOST])


def _entry(root: Path, path: Path) -> Iterator[FolderEntry]:
    """Yield the entry of a path; nothing if it leads outside or is neither file nor folder."""
    real = path.resolve()
    if not real.is_relative_to(root) or not (real.is_dir() or real.is_file()):
        return
    yield FolderEntry(
        name=path.name,
        relative=path.relative_to(root).as_posix(),
        folder=real.is_dir(),
        table=real.is_file() and path.suffix.lower() in TABLES,
    )
