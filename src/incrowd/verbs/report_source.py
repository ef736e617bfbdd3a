"""The tables of a report, opened once: the release, its original, and the world if there is one."""

import shlex
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from incrowd.arrays import Counts
from incrowd.engines.base import Engine
from incrowd.engines.memory import MemoryEngine
from incrowd.errors import InputError, count_of, sentence
from incrowd.io.hierarchies import builders_of
from incrowd.io.reading import Opened, file_of, is_path, open_table, path_of
from incrowd.io.worlds import WorldNames, world_of
from incrowd.policy.policy import Column, Policy
from incrowd.release.certificate import Certificate
from incrowd.release.check import check_rows
from incrowd.release.claims import Backing
from incrowd.release.load import LoadedTable, WorldReference, load
from incrowd.release.original import Original
from incrowd.release.parts import part_release_of
from incrowd.release.release import Release
from incrowd.release.released import ReleasedRows
from incrowd.release.rows import leaving_names
from incrowd.requests.report import ReportRequest
from incrowd.table.column import Role
from incrowd.verbs.check import (
    certificate_of,
    certified_policy,
    keys_of,
    release_to_check,
    spreads_of,
)
from incrowd.verbs.report_risk import ClassedTable
from incrowd.verify.crowds import NumberedCells, number_cells
from incrowd.verify.verdict import Check

_PYTHON = "incrowd.check(frame, policy, certificate)"


@dataclass(frozen=True, eq=False, kw_only=True)
class ReportSource:
    """What a report is made from: a release, its policy, and what is given beside it."""

    asked: ReportRequest
    """What the report is asked of, with its policy read."""
    policy: Policy
    engine: Engine
    check: Check
    """What was counted again, or what the run that made the release has proved."""
    counted: Literal["file", "run", "certificate"]
    name: str
    command: str
    table: LoadedTable | None = None
    sampled: bool = False
    """Whether the original is so large that only a sample of its rows was coded."""
    certificate: Certificate | None = None
    release: Release | None = None
    """The outcome of the run that made the release; None if only its rows are given."""
    world: WorldReference | None = None
    absent: dict[str, str] = field(default_factory=dict)
    """Filled while the facts are gathered: what is missing, by section."""
    _cells: dict[str, tuple[NumberedCells, Counts]] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        """Without values."""
        return f"ReportSource({self.rows!r})"

    @cached_property
    def rows(self) -> ReleasedRows:
        """The rows of the release, read by the policy; counted once."""
        return ReleasedRows.of(self.engine, self.policy, self.certificate, text=self.engine.text)

    def cells(self, name: str) -> tuple[NumberedCells, Counts]:
        """The numbered cells of a column of the release, and how many records have each."""
        if name not in self._cells:
            rows = self.rows.counts((name,))
            self._cells[name] = number_cells(rows.cells[name]), rows.records
        return self._cells[name]

    @property
    def original_name(self) -> str | None:
        """The name of the original's file, or what it is; None without an original."""
        return None if self.table is None else _name_of_source(self.asked.original)

    @cached_property
    def before(self) -> ClassedTable | None:
        """The classes of the original; None if there is none, or it is too large to count."""
        if self.table is None or self.sampled:
            return None
        return ClassedTable.of_original(self.table)

    @cached_property
    def after(self) -> ClassedTable | None:
        """The classes of the release; None if it has no records, or lacks a quasi-identifier."""
        lacking = [name for name in self.policy.quasi if name not in self.rows.names]
        if lacking or not self.rows.records:
            return None
        return ClassedTable.of_release(self.rows, self.policy, self.table)


def source_of(asked: ReportRequest, lent: ExitStack) -> ReportSource:
    """Make the source of a report; `lent` closes the release and its original."""
    if isinstance(asked.source, Release):
        return _source_of_run(asked.source, asked, lent)
    return _source_of_table(asked, lent)


def _source_of_run(release: Release, asked: ReportRequest, lent: ExitStack) -> ReportSource:
    """Make the source from what a run has made and proved: nothing is checked again."""
    policy, certificate = release.policy, release.certificate
    engine = lent.enter_context(open_table(release.frame)).engine
    if isinstance(engine, MemoryEngine):
        engine = MemoryEngine(release.frame, text=certificate.blank)
    world = _world_of_request(engine, policy, asked)
    table, sampled = _load_original(policy, asked, world, lent)
    proved = Check(
        ok=all(model.ok for model in release.models),
        models=release.models,
        digest=certificate.digest.sha256,
        digest_ok=True,
        notes=tuple(map(sentence, release.notes)),
        alone=release.alone,
    )
    return ReportSource(
        asked=asked,
        policy=policy,
        engine=engine,
        check=proved,
        counted="run",
        name=asked.name or "the release",
        command=asked.command or _PYTHON,
        table=table,
        sampled=sampled,
        certificate=certificate,
        release=release,
        world=world,
    )


def _source_of_table(asked: ReportRequest, lent: ExitStack) -> ReportSource:
    """Make the source from a release that is given, and check it first."""
    certificate = certificate_of(asked.certificate)
    policy = asked.policy or certified_policy(certificate, asked.original)
    unchanged = policy.names(Role.KEEP)
    given = asked.source, asked.reading, policy.columns, unchanged, asked.watch
    there = lent.enter_context(open_table(*given))
    world = _world_of_request(there.engine, policy, asked)
    table, sampled = _load_original(policy, asked, world, lent)
    backing = Backing(
        certificate,
        lent=asked.policy is None,
        trusted=keys_of(asked.trusted_keys),
        against=world,
        trees={} if asked.policy is None else spreads_of(there.engine, policy, asked.folder),
        original=None if table is None or sampled else Original(table),
    )
    check = check_rows(release_to_check(asked.source, there, certificate), policy, backing)
    return ReportSource(
        asked=asked,
        policy=policy,
        engine=there.engine,
        check=check,
        counted="file" if check.counted else "certificate",
        name=asked.name or _name_of_source(asked.source),
        command=asked.command or _how_to_check(asked),
        table=table,
        sampled=sampled,
        certificate=certificate,
        world=world,
    )


def _load_original(
    policy: Policy, asked: ReportRequest, world: WorldReference | None, lent: ExitStack
) -> tuple[LoadedTable | None, bool]:
    """The original loaded by the policy, None without one; and whether it is only a sample."""
    if asked.original is None:
        return None, False
    given = asked.original, asked.original_reading, policy.columns, policy.names(Role.KEEP)
    there = lent.enter_context(open_table(*given))
    fitted = _policy_for_original(policy, there)
    parts = part_release_of(there.engine, fitted)
    sampler = None if parts is None else parts.sampler
    builders = builders_of(fitted, asked.folder)
    return load(there.engine, fitted, builders, world, sampler), parts is not None


def _policy_for_original(policy: Policy, there: Opened) -> Policy:
    """The policy for the columns that the original has; `InputError` if it lacks one that leaves.

    Columns that do not leave, and the class column, may be absent; columns that the policy does not
    name are dropped.
    """
    names = there.engine.names
    needed = leaving_names(policy, policy.columns)
    if lacking := [name for name in needed if name not in names and name != policy.class_column]:
        raise InputError(
            f"the original lacks {count_of(len(lacking), 'column')} of the release: "
            f"{', '.join(lacking)}",
            remedy="give the table that the release was made from, with the names of its columns",
        )
    known = {name: column for name, column in policy.columns.items() if name in names}
    more = {name: Column(role=Role.DROP) for name in names if name not in known}
    if len(known) == len(policy.columns) and not more:
        return policy
    return policy.model_copy(update={"columns": known | more})


def _world_of_request(
    engine: Engine, policy: Policy, asked: ReportRequest
) -> WorldReference | None:
    """Read the world in the columns of the policy; None without one."""
    called = WorldNames(asked.world_id, asked.rename, asked.folder)
    return world_of(engine, asked.world, policy, called)


def _name_of_source(source: Any) -> str:
    """The name of a table: its file without the folder, or what it is."""
    if (file := file_of(source)) is not None:
        return Path(file).name
    return "the table" if path_of(source) is None else "standard input"


def _how_to_check(asked: ReportRequest) -> str:
    """The shell command that checks the release again; a Python call if it was not given by path.

    Files are named without folders, because the report leaves; any policy is called policy.toml.
    """
    if (path := path_of(asked.source)) is None:
        return _PYTHON
    words = ["incrowd", "check", Path(path).name]
    if is_path(asked.certificate):
        words += ["--certificate", Path(asked.certificate).name]
    elif asked.policy is not None:
        words += ["--policy", "policy.toml"]
    return shlex.join(words)
