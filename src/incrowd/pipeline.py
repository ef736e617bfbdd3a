"""The spine: how a table becomes a release.

    open ─▶ load ─▶ search ─▶ plan the rows ─▶ stage ─▶ write ─▶ prove ─▶ certify ─▶ publish

The engine that holds the rows touches them twice: to count them, and to release them. Everything
between works on counts. The release takes its place, together with its certificate, only after it
was proved from what was written.
"""

from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from incrowd.engines.addresses import refuse_remote
from incrowd.engines.base import Can, Staged
from incrowd.engines.elsewhere import target_of
from incrowd.engines.private_folders import remove_orphans
from incrowd.errors import PolicyError
from incrowd.io import files, tables
from incrowd.io.atomic import finish_killed_runs
from incrowd.io.hierarchies import builders_of
from incrowd.io.kept_parts import keep_parts
from incrowd.io.reading import AnyPath, Opened, enough_memory, is_path, open_table, path_of
from incrowd.io.target import (
    Place,
    certificate_path,
    open_places,
    refuse_no_folder,
    refuse_overwriting,
)
from incrowd.io.worlds import WorldNames, world_of
from incrowd.policy.derived import refuse_derived
from incrowd.policy.policy import Policy
from incrowd.problem import Problem
from incrowd.release import search_again, small_worlds
from incrowd.release.certificate import refuse_unusable_key, sign
from incrowd.release.certify import certify, notes_of
from incrowd.release.facts import Proved, facts_of
from incrowd.release.kept import demand_few_alone, refuse_telling_values
from incrowd.release.load import LoadedTable, RunContext, load, overtime_of
from incrowd.release.parts import PartRelease, StagedRelease, part_release_of, stage_in_parts
from incrowd.release.proof import prove
from incrowd.release.refused import refused_result
from incrowd.release.release import Release, StageTimer
from incrowd.release.released import ReleasedRows
from incrowd.release.rows import check_key, plan_rows, pseudonymous_columns
from incrowd.requests.anonymize import AnonymizeRequest
from incrowd.requests.request import verb
from incrowd.search.compared import drop_compared_models, run_against_release
from incrowd.search.refusals import raise_if_infeasible
from incrowd.search.requirements import raise_if_unprovided
from incrowd.search.search import Found
from incrowd.table.column import Role
from incrowd.verify.verify import demand_models_met, see_release
from incrowd.watch import NestedWatch, Watch

if TYPE_CHECKING:
    from incrowd.search.bound import Gap, LossBound


@verb(AnonymizeRequest)
def anonymize(asked: AnonymizeRequest) -> Release:
    """Make a release of a table that keeps its policy, and prove it from the rows that leave.

    The table is a frame (pandas, Polars, PyArrow), a DuckDB relation, a Spark data frame, an Ibis
    table, the path of a file or the address of a table in PostgreSQL
    (`postgresql://user@host/database?table=schema.name`); "-" is standard input. Without a `target`
    the release is a frame of the same kind; that of a table in PostgreSQL is a frame of Polars and
    must fit into memory. With one, the rows are written beside it, read again and verified; then
    the target and its certificate (by default the target's name with `.certificate.json`) take
    their places together. What a killed run left half done there is completed or taken back first.
    Spark writes a folder of Parquet files, which must be new. Target "-" is standard output, with a
    certificate only if its path is given.

    The target of a table in PostgreSQL may be the address of a new table of the same database. It
    is made, counted and verified in one transaction, which ends when the certificate is in its
    place (by default in the current folder, under the name of the table). A table that exists is
    refused.

    Records leave in a new order, drawn from the system's randomness or from `seed`. The source is
    not changed.

    `world` is a table that somebody may hold, or a list of them: models such as k-map count its
    individuals. `resume` keeps the parts that are done in a folder beside the target. `gap` asks
    how much less any other release could lose: `Release.bound` is then a loss that no release goes
    below, from a sample of records ("estimate") or proved ("prove").
    """
    folder = files.folder_of_policy(asked.policy, asked.folder)
    policy = files.policy_of(asked.policy)
    target, dry_run, gap = asked.target, asked.dry_run, asked.gap
    timer = StageTimer()
    signer = _signing_key(asked.sign)
    _refuse_gap(policy, gap)
    for goal in (target, asked.certificate):
        refuse_remote(goal)
    certificate_file = certificate_path(target, asked.certificate)
    refuse_overwriting(path_of(asked.source), target, certificate_file)
    remove_orphans()
    filed = is_path(target) and str(target) != "-"
    if filed and target is not None and certificate_file is not None and not dry_run:
        finish_killed_runs(target, certificate_file)
    watch = asked.watch or Watch()
    keep = keep_parts(target) if asked.resume and not dry_run else nullcontext()
    given = asked.source, asked.reading, policy.columns, policy.names(Role.KEEP), watch
    with keep as kept, enough_memory(), open_table(*given) as found_table:
        context = RunContext(asked.seed, asked.key, watch, kept)
        goal = None if dry_run else target
        context.watch.tell("coding the columns", 0.0)
        new_table = target_of(goal, found_table.engine)
        _refuse_unwritable(found_table, policy, goal)
        names = WorldNames(asked.world_id, asked.rename, folder)
        against = world_of(found_table.engine, asked.world, policy, names)
        parts = part_release_of(found_table.engine, policy) if against is None else None
        _refuse_gap_in_parts(parts, gap)
        sampled = None if parts is None else parts.sampler
        table = load(found_table.engine, policy, builders_of(policy, folder), against, sampled)
        refuse_derived(found_table.engine, policy)
        refuse_telling_values(found_table.engine, policy)
        timer.end("read")
        if parts is None:
            context.watch.tell("searching", 0.0)
            found = search(table, context)
            found = _check_posterior(table, found, context, folder)
            bound = _loss_bound(table, found, context, gap)
            timer.end("search")
            ready = _stage_rows(table, found, context)
            timer.end("release")
        else:
            bound, ready = None, stage_in_parts(table, parts, context)
            timer.end("search")
        folder_made = Can.FOLDER in found_table.engine.can
        with open_places(
            goal, certificate_file, found_table.origin, table=new_table, parts=folder_made
        ) as place:
            proved = _write_and_prove(table, ready, place, context, timer)
            release = _certify_release(proved, signer, timer, bound)
            place.certify(release.certificate.to_json)
            place.publish_with(proved.written.publish)
        timer.end("write")
    return release


def search(table: LoadedTable, context: RunContext) -> Found:
    """Search as the policy asks; refuse at once a missing key and what no release can satisfy."""
    policy, problem = table.policy, table.compiled.problem
    if pseudonymous_columns(policy):
        check_key(context.key)
    raise_if_infeasible(drop_compared_models(problem))
    raise_if_unprovided(policy.models, policy.search)
    if policy.search.draws:
        problem = replace(problem, seed=_search_seed(context))

    def run(problem: Problem, watch: Watch) -> Found:
        found = policy.search.run(problem, watch)
        return replace(found, recoding=policy.shown.recoding(found.recoding))

    watch = context.search_watch(policy)
    found = run_against_release(problem, run, watch)
    return replace(found, overtime=overtime_of(policy, watch))


def _check_posterior(
    table: LoadedTable, found: Found, context: RunContext, folder: AnyPath
) -> Found:
    """Return what was found; `NotMetError` if whoever knows the search concludes too much.

    Nothing is checked without a world, in one of many people, or if no model counts its people.
    Else every table that could have been drawn is searched; those that give this release say what
    can be concluded, and `why` says it, too. `LimitError` if time is up before.
    """
    against, policy = table.against, table.policy
    if against is None or not small_worlds.relies_on_small_world(policy, against.world):
        return found
    quiet = replace(context, seed=context.seed or 0, watch=Watch())
    drawn, staged = small_worlds.drawn_table(table), _stage_rows(table, found, quiet).staged
    looked = see_release(ReleasedRows.of_table(table, staged).counts(policy.quasi), policy)
    shown = search_again.count_shown_rows(staged, policy.quasi)
    kinds = small_worlds.FittingKinds.of(table, looked, drawn)

    def search_and_stage(other: LoadedTable, run: RunContext) -> Staged:
        return _stage_rows(other, search(other, run), run).staged

    repeat = search_again.SearchAgain(table, builders_of(policy, folder), search_and_stage, quiet)
    limited = NestedWatch(context.watch, policy.time_limit)
    seen = small_worlds.posterior_of(drawn, repeat, (shown, kinds), limited)
    small_worlds.demand_posterior(policy, seen)
    return replace(found, why=f"{found.why}; {seen.says}")


def _loss_bound(
    table: LoadedTable, found: Found, context: RunContext, gap: "Gap | None"
) -> "LossBound | None":
    """The loss below which no release goes, estimated or proved; None if it is not asked for."""
    if gap is None:
        return None
    from incrowd.search.bound import SAMPLE, lower_bound  # noqa: PLC0415  kernels that few need

    sample = SAMPLE if gap == "estimate" else None
    return lower_bound(table.compiled.problem, context.watch, found.recoding, sample)


def _refuse_gap(policy: Policy, gap: str | None) -> None:
    """Refuse a `gap` that is no known word, or a loss without a bound, before any work is done."""
    if gap is None:
        return
    from incrowd.search.bound import raise_if_no_bound  # noqa: PLC0415  as above

    if gap not in {"estimate", "prove"}:
        raise PolicyError(f"gap is {gap!r}", remedy='write gap="estimate" or gap="prove"')
    exact = policy.shown.exact or policy.search.recoding == "anatomy"
    raise_if_no_bound(policy.loss, exact=exact)


def _refuse_gap_in_parts(parts: PartRelease | None, gap: str | None) -> None:
    """Refuse to bound the loss of a table that is released in parts."""
    if parts is not None and gap is not None:
        raise PolicyError(
            "a table that is released in parts has no bound of its loss",
            remedy="leave out the gap, or read a sample of the table into memory",
        )


def _stage_rows(table: LoadedTable, found: Found, context: RunContext) -> StagedRelease:
    """Make the rows that leave by the recoding that was found, without publishing them."""
    context.watch.tell("making the rows that leave", 0.0)
    outcome = table.compiled.problem.outcome(found.recoding)
    plan = plan_rows(table, found, outcome, context)
    staged = table.engine.stage(plan, np.random.default_rng(context.seed))
    return StagedRelease(found, outcome, plan, staged)


def _write_and_prove(
    table: LoadedTable, ready: StagedRelease, place: Place, context: RunContext, timer: StageTimer
) -> Proved:
    """Write the staged rows, and prove from the written that they may leave (`NotMetError`)."""
    context.watch.tell("writing the release", 0.0)
    written = ready.staged.write(place.file)
    timer.end("write")
    context.watch.tell("verifying the written rows", 0.0)
    proof = prove(table, ready.plan, ready.staged, written)
    proved = Proved(table, ready.found, ready.outcome, ready.staged, written, proof, context)
    demand_models_met(proof.verdicts, ready.found.caveat, lambda: refused_result(proved))
    demand_few_alone(proof.alone)
    return proved


def _certify_release(
    proved: Proved, signer: bytes | None, timer: StageTimer, bound: "LossBound | None"
) -> Release:
    """Make the verified release and its certificate, signed if there is a private key, `signer`."""
    facts = facts_of(proved)
    certificate = certify(proved, facts)
    if signer is not None:
        certificate = sign(certificate, signer)
    timer.end("verify")
    return Release.of_verified(
        facts,
        frame=proved.staged.frame,
        certificate=certificate,
        seconds=timer.seconds,
        notes=tuple(notes_of(proved, certificate)),
        bound=bound,
    )


def _signing_key(sign: AnyPath | bytes | None) -> bytes | None:
    """The private key as it is given, or read from its file; None if none. Refused if unusable."""
    if sign is None:
        return None
    key = sign if isinstance(sign, bytes) else files.read_document(sign)
    refuse_unusable_key(key)
    return key


def _refuse_unwritable(table: Opened, policy: Policy, target: AnyPath | None) -> None:
    """Refuse a target that cannot be written, and columns that it cannot hold as they are."""
    if Can.FOLDER in table.engine.can:
        refuse_no_folder(target)
    if target is not None and is_path(target):
        roles = (Role.KEEP, Role.SENSITIVE, Role.WEIGHT)
        names = [name for role in roles for name in policy.names(role)]
        tables.refuse_nested(table.origin.frame, names, target, table.origin)
        tables.refuse_large(target, table.origin, table.engine.records, len(policy.columns))


def _search_seed(context: RunContext) -> int:
    """The seed of the search: derived from the given one, not the same; random if none is given."""
    entropy = None if context.seed is None else [context.seed, 1]
    return int(np.random.SeedSequence(entropy).generate_state(1, np.uint64)[0])
