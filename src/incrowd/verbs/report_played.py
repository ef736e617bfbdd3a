"""What a report finds out by trying: attacks on the release, and its comparison with the original.

What leaves with a report is withheld here: see `withholding`.
"""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from functools import partial

from incrowd.attacks import Attack, Attacked
from incrowd.attacks.limits import broken_limits
from incrowd.attacks.play import KINDS
from incrowd.documents.report.facts import AttackFact, AttackFacts
from incrowd.engines.base import Engine
from incrowd.engines.memory import MemoryEngine
from incrowd.errors import sentence
from incrowd.io.reading import Reading, tuple_of
from incrowd.io.worlds import as_attack_table, open_attack_table, with_label_columns
from incrowd.linkage.tables import AttackTables
from incrowd.requests.attack import AttackRequest
from incrowd.requests.compare import CompareRequest
from incrowd.table.encode import columns_without_codes
from incrowd.utility.comparison import ColumnUtility, ReleaseUtility
from incrowd.verbs.attack import knowledge_for, limits_of, models_of, named_columns, play_attacks
from incrowd.verbs.compare import Side, compare_tables
from incrowd.verbs.report_source import ReportSource
from incrowd.verify.losses import OF_SIZES
from incrowd.withholding import public_loss, public_losses, public_share

ATTACKED = 200_000
"""With more records, attackers know only the release, not the original."""
COMPARED = 100_000
"""Of larger tables, samples of so many records are compared."""
MODELLED = 100_000
"""With more records, no models are trained on the release to see what it can still teach."""


def attack_release(source: ReportSource) -> AttackFacts:
    """Play the usual attackers, who know the quasi-identifiers of people of original and world.

    The original is left out if it is sampled, or the release has more than `ATTACKED` records.
    """
    given, engine = source.asked, source.engine
    asked = AttackRequest(
        engine,
        policy=source.policy,
        world_id=given.world_id if given.world is not None else None,
        rename=given.rename,
        folder=given.folder,
        watch=given.watch,
    )
    with ExitStack() as stack:
        tables = _open_tables(source, asked, stack)
        found = play_attacks(tables, asked, every_world=bool(tables.worlds))
    if source.table is not None and not tables.others:
        note = (
            f"with {engine.records:,} records attacks are played on the released rows alone here; "
            "for attackers who know the original run incrowd attack --original"
        )
        found = replace(found, notes=(*found.notes, note))
    return AttackFacts(
        attacks=tuple(_attack_fact(one, found, asked) for one in found.attacks),
        broken=len(found.broken),
        notes=tuple(map(sentence, found.notes)),
    )


def _open_tables(source: ReportSource, asked: AttackRequest, stack: ExitStack) -> AttackTables:
    """The release, its original unless that is left out, and the world, which `stack` closes."""
    engine, table = source.engine, source.table
    release, others = as_attack_table("release", engine), {}
    if table is not None and not source.sampled and engine.records <= ATTACKED:
        others["original"] = as_attack_table("original", table.engine)
    beside = Reading(expected=(*named_columns(asked), *release.names))
    given = tuple_of(source.asked.world)
    worlds = tuple(open_attack_table("world", one, stack, beside) for one in given)
    known = [name for one in (*others.values(), *worlds) for name in one.names]
    release = with_label_columns(release, (*source.policy.quasi, *known))
    return AttackTables(release, others, knowledge_for(asked), worlds)


def _attack_fact(one: Attack, found: Attacked, asked: AttackRequest) -> AttackFact:
    """The figures of an attack; None for those withheld, as fewer than 5 people are behind them."""
    low, high = one.interval
    few = not one.trials or public_share(one.success, one.trials) is None
    return AttackFact(
        kind=one.kind,
        scenario=KINDS[one.kind],
        column=one.column,
        knows=one.knows,
        success=None if few else one.success,
        low=None if few else low,
        high=high if one.trials else None,
        baseline=one.baseline,
        gain=None if few else one.gain,
        trials=one.trials,
        bound=one.bound,
        breaks=_breaks_limit(one, found, asked),
    )


def _breaks_limit(one: Attack, found: Attacked, asked: AttackRequest) -> bool:
    """Whether this attack by itself breaks a limit."""
    world = found.k_with_release if one.kind == "linkage" else None
    return any(broken_limits([one], world, models_of(asked), limits_of(asked)))


def compare_with_original(source: ReportSource) -> ReleaseUtility | None:
    """Compare the release, as it leaves, with its original; None without one.

    Of tables of more than `COMPARED` records samples are compared; the losses are then those of the
    certificate (none without one), and the risk is None.
    """
    table, certificate = source.table, source.certificate
    if table is None:
        return None
    release = Side(source.name, _sample_if_large(source.engine))
    before = Side(source.original_name or "", _sample_if_large(table.engine))
    asked = CompareRequest(
        before,
        [release],
        policy=table.policy,
        folder=source.asked.folder,
        models=source.engine.records <= MODELLED,
        watch=source.asked.watch,
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
    if table.engine.records <= COMPARED:
        return utility
    losses = {} if certificate is None else certificate.loss
    said = f"Compared are samples of {COMPARED:,} records of each table."
    return replace(utility, losses=losses, risk=None, notes=(said, *utility.notes))


def _public_column(column: ColumnUtility, public: Callable[[float], float]) -> ColumnUtility:
    """The column with its figures as `public` makes them: nothing of the records left out shows.

    Labels without an end are spread up to the values of these records.
    """
    ncp, moved = column.ncp, column.total_variation
    after = (None if share is None else public(share) for share in column.histogram.after)
    return replace(
        column,
        ncp=None if ncp is None else public(ncp),
        total_variation=None if moved is None else public(moved),
        histogram=replace(column.histogram, after=tuple(after)),
    )


def _sample_if_large(engine: Engine) -> Engine:
    """The table; of more than `COMPARED` records so many, in memory, without nested columns."""
    if engine.records <= COMPARED:
        return engine
    names = [name for name in engine.names if name not in columns_without_codes(engine.sealed)]
    return MemoryEngine(engine.sample(names, COMPARED), text=engine.text)
