"""The tables of a report, opened once: the release, its original, and the world if there is one."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from incrowd.attacks import Attack, Attacked
from incrowd.attacks.limits import broken_limits
from incrowd.documents.report.facts import VerdictFacts
from incrowd.engines.base import Engine
from incrowd.engines.fetch import FetchedColumns
from incrowd.engines.memory import MemoryEngine
from incrowd.errors import InputError, counted
from incrowd.hierarchy.labels import TOP
from incrowd.io.hierarchies import builders_of
from incrowd.io.reading import AnyPath, Opened, Reading, each_of, file_of, is_path, opened, path_of
from incrowd.io.worlds import WorldNames, labelled, table_of, world_of
from incrowd.linkage.tables import AttackTables
from incrowd.linkage.world_tables import AttackTable
from incrowd.policy.policy import Column, Policy
from incrowd.release.certificate import Certificate
from incrowd.release.check import Backing, check_rows
from incrowd.release.load import LoadedTable, WorldReference, load
from incrowd.release.original import Original
from incrowd.release.parts import in_parts
from incrowd.release.release import Release
from incrowd.release.released import ReleasedRows
from incrowd.release.rows import leaving_names
from incrowd.requests.attack import AttackRequest
from incrowd.requests.compare import CompareRequest
from incrowd.table.column import Role
from incrowd.table.encode import columns_without_codes
from incrowd.utility.comparison import ColumnUtility, ReleaseUtility
from incrowd.verbs.attack import columns_of, knowledge_for, limits_of, models_of, play_attacks
from incrowd.verbs.check import certificate_of, certified_policy, checked_of, keys_of, trees_of
from incrowd.verbs.compare import Side, compare_tables
from incrowd.verbs.report_facts import ReportSource, verdict_of_release
from incrowd.verify.losses import OF_SIZES
from incrowd.verify.spellings import split_columns
from incrowd.verify.verdict import Check
from incrowd.watch import Watch
from incrowd.withholding import public_loss, public_losses

ATTACKED = 200_000
"""Up to so many records attackers know the original; beyond, what the release itself shows."""
COMPARED = 100_000
"""Of a larger table samples of so many records are compared."""
MODELLED = 100_000
"""Up to so many records models are trained on the release, to see what it can still teach."""
_PYTHON = "incrowd.check(frame, policy, certificate)"


@dataclass(frozen=True, kw_only=True)
class ReportOptions:
    """What is given beside a release; see `report`."""

    policy: Policy | None = None
    certificate: Certificate | AnyPath | None = None
    original: Any = None
    trusted_keys: Sequence[AnyPath | bytes] = ()
    world: Any = None
    world_id: str | None = None
    rename: Mapping[str, str] | None = None
    folder: AnyPath = "."
    reading: Reading | None = None
    original_reading: Reading | None = None
    show_values: bool = False
    name: str | None = None
    command: str | None = None
    watch: Watch = field(default_factory=Watch)


@dataclass(frozen=True, eq=False)
class _Loaded:
    """The original, coded by the policy."""

    table: LoadedTable
    sampled: bool

    def __repr__(self) -> str:
        """Without values."""
        return f"_Loaded({self.table!r})"


def source_of(source: Any, options: ReportOptions, held: ExitStack) -> ReportSource:
    """What a report is made from; `held` gives back what is opened."""
    if isinstance(source, Release):
        return _of_run(source, options, held)
    return _of_table(source, options, held)


def _of_run(release: Release, options: ReportOptions, held: ExitStack) -> ReportSource:
    """The source of a report on what a run has made and proved: nothing is checked again."""
    policy = release.policy
    engine = _engine_of(release.frame, held, text=release.certificate.blank)
    world = _world(engine, policy, options)
    original = _original(policy, options, world, held)
    verdict = verdict_of_release(release, options.command or _PYTHON)
    name = options.name or "the release"
    given = _Given(policy, engine, name, release.certificate, original, release)
    return _joined(given, verdict, options, world)


def _engine_of(frame: Any, held: ExitStack, *, text: bool) -> Engine:
    there = held.enter_context(opened(frame))
    if isinstance(there.engine, MemoryEngine):
        return MemoryEngine(frame, text=text)
    return there.engine


def _of_table(source: Any, options: ReportOptions, held: ExitStack) -> ReportSource:
    """The source of a report on a release that is checked first."""
    paper = certificate_of(options.certificate)
    policy = options.policy or certified_policy(paper, options.original)
    unchanged = policy.names(Role.KEEP)
    asked = source, options.reading, policy.columns, unchanged, options.watch
    there = held.enter_context(opened(*asked))
    world = _world(there.engine, policy, options)
    original = _original(policy, options, world, held)
    backing = Backing(
        paper,
        lent=options.policy is None,
        trusted=keys_of(options.trusted_keys),
        against=world,
        trees={} if options.policy is None else trees_of(there.engine, policy, options.folder),
        original=None if original is None or original.sampled else Original(original.table),
    )
    found = check_rows(checked_of(source, there, paper), policy, backing)
    verdict = _verdict(found, options.command or _check_command(source, options))
    given = _Given(policy, there.engine, options.name or _name(source), paper, original)
    return _joined(given, verdict, options, world)


def _verdict(found: Check, command: str) -> VerdictFacts:
    return VerdictFacts(
        ok=found.ok,
        models=found.models,
        counted="file" if found.counted else "certificate",
        notes=found.notes,
        recounted=found.recounted,
        claimed=found.claimed,
        digest=found.digest,
        command=command,
        alone=found.alone,
    )


@dataclass(frozen=True, eq=False)
class _Given:
    """A release with its policy, and what came with it."""

    policy: Policy
    engine: Engine
    name: str
    certificate: Certificate | None
    original: _Loaded | None
    release: Release | None = None


def _joined(
    given: _Given, verdict: VerdictFacts, options: ReportOptions, world: WorldReference | None
) -> ReportSource:
    policy, engine, original = given.policy, given.engine, given.original
    table = None if original is None else original.table
    return ReportSource(
        policy=policy,
        rows=_rows(given),
        engine=engine,
        verdict=replace(verdict, warnings=tuple(policy.notes())),
        names=(given.name, None if original is None else _name(options.original)),
        table=table,
        sampled=original is not None and original.sampled,
        certificate=given.certificate,
        release=given.release,
        world=world,
        attack=partial(_attacked, given, options),
        compare=None if original is None else partial(_compared, given, original, options),
        watch=options.watch,
    )


def _rows(given: _Given) -> ReleasedRows:
    """The rows of the release, read by the policy."""
    policy, engine, paper = given.policy, given.engine, given.certificate
    split = split_columns(policy.quasi, engine.names) if policy.split_ends else ()
    blank = engine.text or (paper is not None and paper.blank)
    return ReleasedRows(engine, dict.fromkeys(split, TOP), policy.marks, blank)


# The original


def _original(
    policy: Policy, options: ReportOptions, world: WorldReference | None, held: ExitStack
) -> _Loaded | None:
    if options.original is None:
        return None
    given = options.original, options.original_reading, policy.columns, policy.names(Role.KEEP)
    there = held.enter_context(opened(*given))
    fitted = _fitted(policy, there)
    parts = in_parts(there.engine, fitted)
    sampled = None if parts is None else parts.sampled
    builders = builders_of(fitted, options.folder)
    table = load(there.engine, fitted, builders, world, sampled)
    return _Loaded(table, parts is not None)


def _fitted(policy: Policy, there: Opened) -> Policy:
    """The policy for the columns that the original has.

    Columns that do not leave may be absent from it, and columns that the policy does not name do
    not leave.
    """
    names = there.engine.names
    needed = leaving_names(policy, policy.columns)
    if lacking := [name for name in needed if name not in names and name != policy.class_column]:
        raise InputError(
            f"the original lacks {counted(len(lacking), 'column')} of the release: "
            f"{', '.join(lacking)}",
            remedy="give the table that the release was made from, with the names of its columns",
        )
    known = {name: column for name, column in policy.columns.items() if name in names}
    more = {name: Column(role=Role.DROP) for name in names if name not in known}
    if len(known) == len(policy.columns) and not more:
        return policy
    return policy.model_copy(update={"columns": known | more})


def _world(engine: Engine, policy: Policy, options: ReportOptions) -> WorldReference | None:
    called = WorldNames(options.world_id, options.rename, options.folder)
    return world_of(engine, options.world, policy, called)


# Attacks


def _attacked(given: _Given, options: ReportOptions) -> tuple[Attacked, frozenset[int]]:
    """The usual attackers, and the places of those that break a limit.

    They know the quasi-identifiers of people of the original.
    """
    asked = AttackRequest(
        given.engine,
        policy=given.policy,
        world_id=options.world_id if options.world is not None else None,
        rename=options.rename,
        folder=options.folder,
        watch=options.watch,
    )
    release = AttackTable("release", _columns_of(given.engine), given.engine.text)
    original = given.original
    others = {}
    large = given.engine.records > ATTACKED
    if original is not None and not original.sampled and not large:
        there = original.table.engine
        others["original"] = AttackTable("original", _columns_of(there), there.text)
    beside = Reading(expected=(*columns_of(asked), *release.names))
    worlds = tuple(table_of("world", one, beside) for one in each_of(options.world))
    known = [name for table in (*others.values(), *worlds) for name in table.names]
    release = labelled(release, (*given.policy.quasi, *known))
    tables = AttackTables(release, others, knowledge_for(asked), worlds)
    found = play_attacks(tables, asked, every_world=bool(worlds))
    if original is not None and not others:
        found = replace(found, notes=(*found.notes, _too_many(given.engine.records)))
    breaking = [i for i, one in enumerate(found.attacks) if _breaks(one, found, asked)]
    return found, frozenset(breaking)


def _breaks(one: Attack, found: Attacked, asked: AttackRequest) -> bool:
    """Whether this attack breaks a limit, played alone."""
    world = found.k_with_release if one.kind == "linkage" else None
    return any(broken_limits([one], world, models_of(asked), limits_of(asked)))


def _compared(given: _Given, original: _Loaded, options: ReportOptions) -> ReleaseUtility:
    """What the release keeps of its original."""
    release = Side(given.name, _sampled(given.engine))
    before = Side(_name(options.original), _sampled(original.table.engine))
    asked = CompareRequest(
        before,
        [release],
        policy=original.table.policy,
        folder=options.folder,
        models=given.engine.records <= MODELLED,
        watch=options.watch,
    )
    found = compare_tables(before, [release], asked)
    (utility,) = found.releases
    public = partial(public_loss, left_out=utility.left_out)
    utility = replace(
        utility,
        losses=public_losses(utility.losses, left_out=utility.left_out, countable=OF_SIZES),
        columns=tuple(_public_column(column, public) for column in utility.columns),
        two_way=None if utility.two_way is None else public(utility.two_way),
        notes=(*utility.notes, *found.notes),
    )
    if original.table.engine.records <= COMPARED:
        return utility
    losses = {} if given.certificate is None else given.certificate.loss
    said = f"Compared are samples of {COMPARED:,} records of each table."
    return replace(utility, losses=losses, risk=None, notes=(said, *utility.notes))


def _public_column(column: ColumnUtility, public: Callable[[float], float]) -> ColumnUtility:
    """The column as it leaves: labels without an end are spread up to whoever was left out."""
    ncp, moved = column.ncp, column.total_variation
    after = (None if share is None else public(share) for share in column.histogram.after)
    return replace(
        column,
        ncp=None if ncp is None else public(ncp),
        total_variation=None if moved is None else public(moved),
        histogram=replace(column.histogram, after=tuple(after)),
    )


def _sampled(engine: Engine) -> Engine:
    """The table, or a sample of it in memory if it is large."""
    if engine.records <= COMPARED:
        return engine
    names = [name for name in engine.names if name not in columns_without_codes(engine.sealed)]
    return MemoryEngine(engine.sample(names, COMPARED), text=engine.text)


def _too_many(records: int) -> str:
    return (
        f"with {records:,} records attacks are played on the released rows alone here; for "
        "attackers who know the original run incrowd attack --original"
    )


def _columns_of(engine: Engine) -> Any:
    """A table that codes its columns record by record."""
    return engine if isinstance(engine, MemoryEngine) else FetchedColumns(engine)


# Names and commands


def _name(source: Any) -> str:
    if (file := file_of(source)) is not None:
        return Path(file).name
    return "the table" if path_of(source) is None else "standard input"


def _check_command(source: Any, options: ReportOptions) -> str:
    """The command, or the call, that checks the release again."""
    if (path := path_of(source)) is None:
        return _PYTHON
    words = ["incrowd", "check", Path(path).name]
    if is_path(options.certificate):
        words += ["--certificate", Path(options.certificate).name]  # type: ignore[arg-type]
    elif options.policy is not None:
        words += ["--policy", "policy.toml"]
    return shlex.join(words)
