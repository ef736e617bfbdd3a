"""The spine: how a table becomes a release.

    open ─▶ load ─▶ search ─▶ plan the rows ─▶ stage ─▶ write ─▶ prove ─▶ certify ─▶ publish

The engine that holds the rows touches them twice: to count them, and to release them. Everything
between works on counts. The release takes its place, together with its certificate, only after it
was proved from what was written.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from incrowd.io import files, tables
from incrowd.io.atomic import heal
from incrowd.io.hierarchies import builders_of
from incrowd.io.reading import AnyPath, Opened, Reading, enough_memory, is_path, opened
from incrowd.io.target import Place, certificate_path, placing, refuse_overwriting
from incrowd.io.worlds import WorldNames, world_of
from incrowd.policy.derived import refuse_derived
from incrowd.policy.policy import Policy
from incrowd.recoding import Levels
from incrowd.release.certificate import refuse_no_key, signed
from incrowd.release.certify import Proved, certify, extent_of, notes_of, risk_of
from incrowd.release.load import LoadedTable, RunContext, load
from incrowd.release.proof import prove
from incrowd.release.release import Release, StageTimer
from incrowd.release.rows import check_key, plan_rows, pseudonymous
from incrowd.search.refusals import raise_if_infeasible
from incrowd.search.requirements import raise_if_unprovided
from incrowd.search.search import Found
from incrowd.table.column import Role
from incrowd.verify.verify import demand
from incrowd.watch import Watch


def anonymize(  # noqa: PLR0913  the table, the request, and the settings of one run
    source: Any,
    policy: Policy,
    target: AnyPath | None = None,
    *,
    certificate: AnyPath | None = None,
    dry_run: bool = False,
    reading: Reading | None = None,
    seed: int | None = None,
    key: bytes | None = None,
    sign: AnyPath | bytes | None = None,
    watch: Watch | None = None,
    folder: AnyPath = ".",
    world: Any = None,
    world_id: str | None = None,
    rename: Mapping[str, str] | None = None,
) -> Release:
    """Make a release of a table that keeps its policy, and prove it from the rows that leave.

    `source` is a frame (pandas, Polars, PyArrow), a DuckDB relation or the path of a file; "-" is
    standard input. Without a `target` the release is a frame of the same kind. With one, the rows
    are written beside it, read again and verified; then the target and its certificate (by default
    the target's name with `.certificate.json`) take their places together. What a killed run left
    half done there is completed or taken back first. Target "-" is standard output, with a
    certificate only if its path is given. A dry run writes nothing.

    Records leave in a new order, drawn from the system's randomness or from `seed`. `key` is the
    secret key of pseudonyms. `sign` is a private key (PEM, or the path of its file): the
    certificate is signed with it. `reading` says how to read a text file; paths of hierarchies
    start in `folder`. The source is not changed.

    `world` is a table that somebody may hold, or a list of them: models such as k-map count its
    individuals, told apart by the column `world_id`, which joins several. `rename` says what the
    world calls a column of the table.
    """
    timer, context = StageTimer(), RunContext(seed, key, watch or Watch())
    signer = _signer(sign)
    paper = certificate_path(target, certificate)
    refuse_overwriting(source if is_path(source) else None, target, paper)
    if target is not None and str(target) != "-" and paper is not None and not dry_run:
        heal(target, paper)
    with enough_memory():
        found_table = opened(source, reading, policy.columns)
        goal = None if dry_run else target
        _refuse_unwritable(found_table, policy, goal)
        against = world_of(found_table.engine, world, policy, WorldNames(world_id, rename, folder))
        table = load(found_table.engine, policy, builders_of(policy, folder), against)
        refuse_derived(found_table.engine, policy)
        timer.end("read")
        found = search(table, context)
        timer.end("search")
        with placing(goal, paper, found_table.like) as place:
            proved = _proved(table, found, place, context, timer)
            release = _release(proved, signer, timer)
            place.certify(release.certificate.to_json)
        timer.end("write")
    return release


def search(table: LoadedTable, context: RunContext) -> Found:
    """What the policy's search finds; refuses at once what no release could satisfy."""
    policy, problem = table.policy, table.compiled.problem
    if pseudonymous(policy):
        check_key(context.key)
    raise_if_infeasible(problem)
    raise_if_unprovided(policy.models, policy.search)
    if policy.search.draws:
        problem = replace(problem, seed=_search_seed(context))
    found = policy.search.run(problem, context.search_watch(policy))
    return replace(found, recoding=policy.shown.recoding(found.recoding))


def _proved(
    table: LoadedTable, found: Found, place: Place, context: RunContext, timer: StageTimer
) -> Proved:
    """What was found, staged, written and proved from what was written."""
    outcome = table.compiled.problem.outcome(found.recoding)
    plan = plan_rows(table, found, outcome, context)
    staged = table.engine.stage(plan, np.random.default_rng(context.seed))
    timer.end("release")
    written = staged.write(place.file)
    timer.end("write")
    proof = prove(table, plan, staged, written)
    demand(proof.verdicts, found.caveat)
    return Proved(table, found, outcome, staged, written, proof, context)


def _release(proved: Proved, signer: bytes | None, timer: StageTimer) -> Release:
    certificate = certify(proved)
    if signer is not None:
        certificate = signed(certificate, signer)
    risk = risk_of(proved)
    extent = extent_of(proved, risk)
    timer.end("verify")
    recoding, policy = proved.found.recoding, proved.table.policy
    levels = recoding.levels if isinstance(recoding, Levels) else None
    return Release.verified(
        proved.proof.verdicts,
        frame=proved.staged.frame,
        policy=policy,
        recoding=recoding,
        certificate=certificate,
        risk=risk,
        levels=None if levels is None else dict(zip(policy.quasi, levels, strict=True)),
        labels={name: len(cells.labels) for name, cells in proved.proof.seen.quasi.items()},
        privacy=extent.privacy,
        max_class_ncp=extent.max_class_ncp,
        bound_met=extent.bound_met,
        seconds=timer.seconds,
        notes=tuple(notes_of(proved, certificate)),
        explored=proved.found.explored,
    )


def _signer(sign: AnyPath | bytes | None) -> bytes | None:
    """A private key as it is given, or read from its file; refused before any work is done."""
    if sign is None:
        return None
    key = sign if isinstance(sign, bytes) else files.content(sign)
    refuse_no_key(key)
    return key


def _refuse_unwritable(table: Opened, policy: Policy, target: AnyPath | None) -> None:
    """Refuse columns that leave as they are and that the target cannot hold."""
    if target is not None:
        roles = (Role.KEEP, Role.SENSITIVE, Role.WEIGHT)
        names = [name for role in roles for name in policy.names(role)]
        tables.refuse_nested(table.like.frame, names, target, table.like)


def _search_seed(context: RunContext) -> int:
    """For a search that draws: whoever knew its seed could tell something of who was drawn."""
    entropy = None if context.seed is None else [context.seed, 1]
    return int(np.random.SeedSequence(entropy).generate_state(1, np.uint64)[0])
