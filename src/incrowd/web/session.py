"""A session: a table, the policy for it, and what was changed. It holds no cell of the table."""

import math
import secrets
import time
from pathlib import Path
from typing import Any, TypeAlias

from incrowd.engines.private_folders import PrivateFolder
from incrowd.errors import PolicyError
from incrowd.requests.reading import ReadingOptions
from incrowd.web import jobs, uploads
from incrowd.web.facts import TriedRelease
from incrowd.web.worker import Ticket, Worker

PINNED = 4
"""Points that can be pinned."""
_State: TypeAlias = tuple[str, jobs.WorldFiles]
_KEPT_ENDINGS = (".csv", ".tsv", ".parquet", ".arrow")


class PageSession:
    """What the page is about: a source, the text of a policy file, and perhaps a world."""

    def __init__(self, folder: str | Path = ".", *, worker: Worker | None = None) -> None:
        self.folder = Path(folder).resolve()
        self.worker = worker or Worker()
        self.behind = Worker()
        """Searches in the background; its process starts with the first of them."""
        self.table: jobs.TableFile | None = None
        self.policy = ""
        """TOML; empty until there is a table and a draft."""
        self.seed: int | None = secrets.randbelow(2**53)
        """Of the order of the released rows; whoever holds the table may know it, nobody else."""
        self.target = ""
        self.report: str | None = None
        self.sign: str | None = None
        self.key_file: str | None = None
        self.world = jobs.NO_WORLD
        self.pinned: tuple[TriedRelease, ...] = ()
        self._undo: list[_State] = []
        self._redo: list[_State] = []
        self._private: PrivateFolder | None = None
        self.uploads = uploads.Uploads(lambda: self.private)
        self._visited = -math.inf

    # The table

    @property
    def source(self) -> str | None:
        """The file of the table; None without a table."""
        return None if self.table is None else self.table.source

    @property
    def reading(self) -> ReadingOptions:
        """How the table is read; the defaults without a table."""
        return ReadingOptions() if self.table is None else self.table.reading

    @property
    def is_copy(self) -> bool:
        """Whether the table is a copy in the private folder, which is deleted in the end."""
        folder = None if self._private is None else self.private
        return bool(self.source and folder and Path(self.source).is_relative_to(folder))

    def open(self, path: str | Path | None, reading: ReadingOptions | None = None) -> None:
        """Take another table, or none; policy, world, undo and pins begin anew with it.

        The same file only gets another `reading`. A copy that is left is deleted.
        """
        source = None if path is None else str(Path(path).absolute())
        if source != self.source:
            if self.is_copy:
                uploads.delete(Path(self.require_table().source))
            self.forget_policy()
            self.world = jobs.NO_WORLD
            self.target = "" if source is None else str(self.folder / usual_release_name(source))
            self.report = self.sign = self.key_file = None
        choice = reading or ReadingOptions()
        self.table = None if source is None else jobs.TableFile(source, choice, str(self.folder))

    def forget_policy(self) -> None:
        """Forget the policy, its history and the points that are pinned."""
        self.policy, self.pinned = "", ()
        self._undo, self._redo = [], []

    # The policy

    def change(self, policy: str, world: jobs.WorldFiles | None = None) -> None:
        """Take another policy, or another world (None keeps it), as one step that can be undone.

        Nothing happens if both are as before. Else redo is cleared; the first policy is no step.
        """
        new = policy, self.world if world is None else world
        if new == (self.policy, self.world):
            return
        if self.policy:
            self._undo.append((self.policy, self.world))
        self._redo.clear()
        self.policy, self.world = new

    @property
    def can_undo(self) -> bool:
        """Whether there is a former policy or world."""
        return bool(self._undo)

    @property
    def can_redo(self) -> bool:
        """Whether a change was taken back."""
        return bool(self._redo)

    def undo(self) -> str:
        """Undo the last change, if there is one; return the policy as it is now."""
        return self._take_from(self._undo, self._redo)

    def redo(self) -> str:
        """Redo the change that was undone last, if there is one; return the policy as it is now."""
        return self._take_from(self._redo, self._undo)

    def _take_from(self, there: list[_State], back: list[_State]) -> str:
        """Take the last state from `there`, if any, keep this one in `back`; return the policy."""
        if there:
            back.append((self.policy, self.world))
            self.policy, self.world = there.pop()
        return self.policy

    def pin(self, point: TriedRelease) -> None:
        """Pin a point to compare others with; `PolicyError` if `PINNED` points are pinned."""
        if len(self.pinned) >= PINNED:
            raise PolicyError(f"{PINNED} points are pinned already", remedy="take one off first")
        self.pinned = (*self.pinned, point)

    def unpin(self, number: int) -> None:
        """Remove the pinned point of this number (from 0)."""
        self.pinned = (*self.pinned[:number], *self.pinned[number + 1 :])

    def note_visit(self) -> None:
        """Note that a page was asked for, now."""
        self._visited = time.monotonic()

    @property
    def idle_seconds(self) -> float:
        """Seconds since a page was asked for; infinite if none was yet."""
        return time.monotonic() - self._visited

    # The worker

    def ask(self, job: jobs.Job[Any]) -> Ticket:
        """Hand a job to the worker; end the search in the background, if one is running."""
        self.behind.give_way()
        return self.worker.submit(job)

    def cancel(self) -> None:
        """Cancel what the workers do, and what waits."""
        self.worker.cancel()
        self.behind.cancel()

    # Files of its own

    @property
    def private(self) -> Path:
        """A folder that only this user can read: made when first asked for, deleted at the end."""
        if self._private is None:
            self._private = PrivateFolder(purpose=uploads.PURPOSE)
        return self._private.path.resolve()

    def close(self) -> None:
        """End the workers and delete the private folder."""
        self.worker.close()
        self.behind.close()
        if self._private is not None:
            self._private.remove()
        self._private = None
        self.uploads.files.clear()

    # Requests about the table as it is now

    def require_table(self) -> jobs.TableFile:
        """Return the table; `PolicyError` without one."""
        if self.table is None:
            raise PolicyError("there is no table yet", remedy="open one first")
        return self.table

    def name_release(self, name: str) -> None:
        """Set the release's file in the chosen folder; `PolicyError` if empty or with a folder."""
        plain = name.strip()
        if plain in ("", ".", "..") or any(mark in plain for mark in "/\\\0"):
            usual = usual_release_name(self.source or "table.csv")
            raise PolicyError(
                "this is no name of a file", remedy=f"give a name without folders, such as {usual}"
            )
        self.target = str(self.folder / plain)

    def release_job(self) -> jobs.MakeRelease:
        """The job that makes the release of the table; `PolicyError` without a table."""
        return jobs.MakeRelease(
            table=self.require_table(),
            policy=self.policy,
            target=self.target,
            seed=self.seed,
            report=self.report,
            sign=self.sign,
            key_file=self.key_file,
            world=self.world,
        )


def usual_release_name(source: str) -> str:
    """The usual file name of a release of this table: in its format if that is kept, else CSV.

    >>> usual_release_name("/data/patients.csv.gz"), usual_release_name("wards.parquet")
    ('patients-release.csv', 'wards-release.parquet')
    """
    path = Path(source)
    ending = path.suffix.lower()
    return f"{path.name.partition('.')[0]}-release{ending if ending in _KEPT_ENDINGS else '.csv'}"
