"""Parts of a table as files of DuckDB, each worked on by a thread."""

import shutil
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Event, Lock
from typing import Protocol

import numpy as np
import polars as pl

from incrowd.engines.base import PartJob
from incrowd.engines.limits import FOLDER, shortage_boundary
from incrowd.engines.sql import parquet_call
from incrowd.errors import InputError, boundary
from incrowd.table.fold import in_threads
from incrowd.watch import Watch


class _CursorDatabase(Protocol):
    """A database that answers queries on any thread."""

    def cursor_rows(self, query: str) -> pl.DataFrame:
        """The answer to a query; any thread may ask, since it uses a connection of its own."""
        ...


@dataclass(frozen=True, eq=False)
class PartWork:
    """Work on parts that are folders of files: what a job makes of each is a file."""

    database: _CursorDatabase
    job: PartJob
    before: Path
    """The folder of the parts: part=0, part=1, …"""
    after: Path
    """The folder for the files that the job makes."""
    _failed: Event = field(default_factory=Event)

    def run(self, watch: Watch) -> list[str]:
        """Work on all parts in threads, until one fails; return the paths of the files, if any."""
        parts = sorted(int(found.name.partition("=")[2]) for found in self.before.glob("part=*"))
        if not parts:
            return []
        files = [str(file) for file in self.before.glob("*/*.parquet")]
        every = f"SELECT count(*) AS n FROM {parquet_call(files)}"
        progress = _PartProgress(len(parts), int(self.database.cursor_rows(every).item()), watch)
        return in_threads(
            [partial(self._make_part_unless_failed, part, progress) for part in parts]
        )

    def _make_part_unless_failed(self, part: int, progress: "_PartProgress") -> str:
        """Work on a part and return the path of its file; "" at once if another part failed."""
        if self._failed.is_set():
            return ""
        with ExitStack() as unless_done:
            unless_done.callback(self._failed.set)
            made = self._make_part(part, progress)
            unless_done.pop_all()
        return str(made)

    def _make_part(self, part: int, progress: "_PartProgress") -> Path:
        """Store what the job makes of a part in a file, and return its path.

        A file that an earlier run made of the same rows is used again. The part's input is removed.
        """
        before = self.before / f"part={part}"
        files = [str(file) for file in before.glob("*.parquet")]
        rows = self.database.cursor_rows(f"SELECT * FROM {parquet_call(files)} ORDER BY row")
        path = self.after / f"{part}-{_hash_of(rows):016x}.parquet"
        if not path.exists():
            with boundary(InputError("a part of the table cannot be searched")):
                made = self.job(part, rows)
            with shortage_boundary("incrowd cannot store a part of the release", FOLDER):
                made.write_parquet(path.with_suffix(".new"))
                path.with_suffix(".new").replace(path)
        shutil.rmtree(before, ignore_errors=True)
        progress.add(len(rows))
        return path


class _PartProgress:
    """Counts finished parts and tells the watch; the share done is that of their records."""

    def __init__(self, parts: int, records: int, watch: Watch) -> None:
        self._parts, self._records, self._watch = parts, max(records, 1), watch
        self._done = self._worked = 0
        self._lock = Lock()

    def add(self, records: int) -> None:
        """Count one more part, of so many records, as done, and tell the progress."""
        with self._lock:
            self._done += 1
            self._worked += records
            share = min(self._worked / self._records, 1.0)
            self._watch.tell(f"part {self._done:,} of {self._parts:,}", share)


def _hash_of(rows: pl.DataFrame) -> int:
    """A 64-bit hash of the rows in their order, which other rows hardly have."""
    hashes = rows.hash_rows(seed=len(rows)).to_numpy()
    return int(np.sum(hashes * np.arange(1, 2 * len(hashes), 2, dtype=np.uint64), dtype=np.uint64))
