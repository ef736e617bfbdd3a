"""The facts of a report, gathered from a release, its policy and what is given beside it."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeVar

import numpy as np

from incrowd.arrays import Counts
from incrowd.documents.report.facts import (
    AlternativeFacts,
    ColumnFact,
    DataFacts,
    ExposureFacts,
    ReportFacts,
    RiskFacts,
)
from incrowd.errors import IncrowdError
from incrowd.hierarchy.labels import TOP
from incrowd.release.assumptions import assumptions
from incrowd.release.certificate import LeftOut, versions, who_signed
from incrowd.release.policy_record import as_text, redact
from incrowd.release.rows import leaving_names
from incrowd.table.column import Role
from incrowd.table.encode import columns_without_codes
from incrowd.verbs.report_alternatives import alternatives_of
from incrowd.verbs.report_played import attack_release, compare_with_original
from incrowd.verbs.report_risk import (
    diversity_facts,
    exposure_facts,
    risk_curve,
    risk_facts,
    size_facts,
)
from incrowd.verbs.report_source import ReportSource
from incrowd.verify.crowds import records_per_code
from incrowd.watch import Watch
from incrowd.withholding import public_bound, public_count

Result = TypeVar("Result")

_MOST_COUNTED = 60
"""In policies of more columns, distinct values of unchanged columns are not counted."""
NO_ORIGINAL = "The original table is not here. Add it with --original FILE to see {}."
_FAILED = {"attacks": "Attacks could not be played", "utility": "The release cannot be compared"}
_UNMADE = (
    "There is no certificate: how the rows were ordered, and whether spans end on exact values of "
    "single people, is not known."
)


def gather_facts(source: ReportSource) -> ReportFacts:
    """Gather everything that a report shows."""
    _note_absent_parts(source)
    before, after, policy = source.before, source.after, source.policy
    classed = after is not None
    signed = None if source.certificate is None else who_signed(source.certificate)
    return ReportFacts(
        verdict=source.check,
        counted=source.counted,
        warnings=tuple(policy.notes()),
        command=source.command,
        data=_data_facts(source),
        risk=_risk_of_release(source),
        exposure=_exposure_of_table(source),
        sizes=size_facts(before, after, policy.smallest_class) if after is not None else None,
        curve=risk_curve(before, after) if after is not None else None,
        diversity=tuple(diversity_facts(policy, before, after)) if after is not None else (),
        attacks=_find_or_note_failure("attacks", attack_release, source) if classed else None,
        columns=tuple(_column_facts(source)),
        utility=_find_or_note_failure("utility", compare_with_original, source)
        if classed
        else None,
        alternatives=_alternative_facts(source),
        limits=tuple(_limit_sentences(source)),
        policy=as_text(redact(policy)),
        certificate=source.certificate,
        signed_by=None if signed is None else signed.fingerprint,
        absent=dict(source.absent),
        made=_made_line(),
    )


def _note_absent_parts(source: ReportSource) -> None:
    """Note in `source.absent` what the report cannot show, by part, and why."""
    absent = source.absent
    if source.table is None:
        absent["exposed"] = NO_ORIGINAL.format(
            "who is exposed in it; these figures are about the release"
        )
        absent["before"] = NO_ORIGINAL.format("classes before and after side by side")
        absent["utility"] = NO_ORIGINAL.format("what the release keeps of it")
        absent["columns"] = NO_ORIGINAL.format("each column before and after")
    elif source.sampled:
        too_large = (
            f"The original has {source.table.engine.records:,} records and was not counted row by "
            "row here. Use incrowd risk on it, or give a sample as --original."
        )
        absent |= {"exposed": too_large, "before": too_large}
    if not source.rows.records:
        empty = "The release has no records, so there is nothing to measure."
        absent |= dict.fromkeys(("exposed", "before", "attacks", "utility"), empty)
    if source.certificate is None:
        absent["certificate"] = (
            "There is no certificate. A release that incrowd makes has one beside it: add "
            "--certificate FILE."
        )
        absent["alternatives"] = (
            "Only the run that made a release knows what else it looked at. Use incrowd anonymize "
            "--report, or add --certificate FILE for its own words."
        )


def _risk_of_release(source: ReportSource) -> RiskFacts | None:
    """The risk of the release, measured by its run or by labels; None if it has no classes."""
    if source.after is None:
        return None
    if source.release is not None:
        return risk_facts(source.release.risk)
    return risk_facts(source.after.measure_risk(source.policy))


def _exposure_of_table(source: ReportSource) -> ExposureFacts | None:
    """Who is exposed in the original, else the release; None without classes or quasi columns."""
    table = source.after if source.before is None else source.before
    if table is None or not source.policy.quasi:
        return None
    figures, watch = table.measure_risk(source.policy), source.asked.watch or Watch()
    original = source.before is not None
    return exposure_facts(table, source.policy, figures, watch, original=original)


def _data_facts(source: ReportSource) -> DataFacts:
    """Names and sizes of the tables; `left_out` is by the original or else by the certificate."""
    policy, certificate, world = source.policy, source.certificate, source.world
    records = source.rows.records
    left_out = None
    if certificate is not None:
        gone = certificate.suppressed
        left_out = LeftOut.of(certificate.records_in, records, gone.for_missing)
    if (table := source.table) is not None:
        left_out = LeftOut.of(table.engine.records, records, table.compiled.left_out_missing)
    return DataFacts(
        release=source.name,
        original=source.original_name,
        records=records,
        left_out=left_out,
        unit=policy.unit,
        missing=policy.missing.value,
        world=None if world is None else (world.world.rows, world.world.people),
    )


def _column_facts(source: ReportSource) -> Iterator[ColumnFact]:
    """Yield the facts of each column of the policy; generalized ones with label figures."""
    leaving = set(leaving_names(source.policy, source.policy.columns))
    before, after = _distinct_before(source), _distinct_after(source, leaving)
    for name, column in source.policy.columns.items():
        fact = ColumnFact(
            name=name,
            role=column.role.value,
            leaves=name in leaving,
            values_before=before.get(name),
            values_after=after.get(name),
            action=column.action,
        )
        generalized = column.role is Role.QUASI and name in source.rows.names
        yield _with_label_figures(fact, source) if generalized else fact


def _distinct_before(source: ReportSource) -> dict[str, int]:
    """Count the distinct values of the original's coded columns; empty without an original."""
    if (table := source.table) is None:
        return {}
    return {
        name: int(np.count_nonzero(table.engine.frequency(column)[1:]))
        for name, (column, _) in {**table.counted, **table.quasi}.items()
    }


def _distinct_after(source: ReportSource, leaving: set[str]) -> dict[str, int]:
    """Count distinct values or labels by column; of unchanged ones only if the policy has few."""
    policy = source.policy
    asked = [*policy.quasi, *policy.sensitive]
    if len(policy.columns) <= _MOST_COUNTED:
        asked += [name for name in leaving if name not in asked]
    sealed = columns_without_codes(source.engine.sealed)
    there = [name for name in asked if name in source.rows.names and name not in sealed]
    return {name: len(source.cells(name)[0].labels) for name in there}


def _with_label_figures(column: ColumnFact, source: ReportSource) -> ColumnFact:
    """The facts of a quasi-identifying column, with figures on its labels in the release."""
    cells, records = source.cells(column.name)
    labels: list[str] = cells.labels.to_list()
    held = records_per_code(cells.codes, records, len(labels) + 1)[1:]
    hierarchy = None if source.table is None else source.table.quasi[column.name][1]
    tops = {TOP} if hierarchy is None else {TOP, str(hierarchy.labels[-1][0])}
    nothing = int(sum(held[i] for i, label in enumerate(labels) if label in tops))
    levels = None if source.release is None else source.release.levels
    return replace(
        column,
        level=None if levels is None else levels.get(column.name),
        highest=None if hierarchy is None else int(hierarchy.height),
        labels=len(labels),
        exact=_exact_share(source, column.name, labels, held),
        suppressed=public_count(nothing),
    )


def _exact_share(source: ReportSource, name: str, labels: list[str], held: Counts) -> float | None:
    """The share of the cells with a label that show one value; `held` counts the cells of each.

    None without an original or a label, if the policy leaves cells exact, or for unreadable labels.
    """
    if source.table is None or not len(held) or source.policy.shown.exact:
        return None
    try:
        sizes = source.table.quasi[name][1].decode_all(labels).sizes
    except IncrowdError:
        return None
    return float(held[sizes == 1].sum() / max(int(held.sum()), 1))


def _find_or_note_failure(
    part: str, find: Callable[[ReportSource], Result], source: ReportSource
) -> Result | None:
    """Return what `find` finds for a part of the report; if it fails, note why and return None."""
    try:
        return find(source)
    except IncrowdError as error:
        source.absent[part] = f"{_FAILED[part]}: {error.message.rstrip('.')}."
        return None


def _alternative_facts(source: ReportSource) -> AlternativeFacts | None:
    """What the search looked at, with the certificate's losses; None without a certificate."""
    certificate, release, policy = source.certificate, source.release, source.policy
    if certificate is None:
        return None
    left_out = certificate.suppressed.records
    explored = None if release is None else release.explored
    bound = None if release is None else release.bound
    figure = certificate.loss.get(policy.loss.name)
    return AlternativeFacts(
        search=certificate.search,
        why=certificate.why,
        optimal=certificate.optimal,
        loss_name=policy.loss.name,
        loss=None if figure is None else policy.loss.loss_of_figure(figure),
        looked=()
        if explored is None
        else tuple(alternatives_of(explored, policy.smallest_class, left_out)),
        bound=None if bound is None else public_bound(bound.loss, left_out=left_out),
        proved=bound is not None and bound.proved,
    )


def _limit_sentences(source: ReportSource) -> Iterator[str]:
    """Yield the certificate's assumptions; else the policy's, and what is then not known."""
    if source.certificate is not None:
        yield from source.certificate.assumptions
        return
    yield from (
        said
        for said in assumptions(source.policy, "kept", seeded=False)
        if not said.startswith("The order of records")
    )
    yield _UNMADE


def _made_line() -> str:
    """The line that says by which version of incrowd the report is made, and when (UTC)."""
    when = datetime.now(UTC).isoformat(timespec="minutes").replace("+00:00", " UTC")
    return f"Made by incrowd {versions()['incrowd']}, {when.replace('T', ' ')}."
