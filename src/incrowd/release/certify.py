"""Certify a proved release: its certificate, figures and notes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, Literal

import numpy as np
import polars as pl

from incrowd.engines.base import Staged, Written
from incrowd.errors import counted
from incrowd.exposure import Risk, measure, measure_blocks
from incrowd.loss import figures
from incrowd.loss.ncp import ncp_of_classes
from incrowd.models import MODELS
from incrowd.models.l_diversity import LDiversity
from incrowd.models.model import of_world
from incrowd.policy.policy import Policy
from incrowd.recoding import Outcome
from incrowd.release.assumptions import assumptions, cautions, distinct_shares, sentences
from incrowd.release.certificate import (
    AloneShares,
    Attested,
    Certificate,
    Digest,
    LeftOut,
    Seed,
    Spread,
    digest_of_policy,
    versions,
)
from incrowd.release.load import LoadedTable, RunContext
from incrowd.release.policy_record import redacted
from incrowd.release.proof import Proof, separable
from incrowd.release.released import ReleasedRows, released
from incrowd.search.search import Found
from incrowd.table.column import CodedColumn, Kind
from incrowd.table.counted import CountedRows
from incrowd.table.encode import columns_without_codes
from incrowd.table.fold import fold
from incrowd.table.tally import Tally
from incrowd.verify.alone import Alone
from incrowd.verify.crowds import numbered
from incrowd.verify.losses import OF_SIZES, of_sizes
from incrowd.verify.spellings import alike_notes
from incrowd.verify.verify import Reference
from incrowd.withholding import public_losses, public_words

ROUNDING = 1e-9
"""Tolerance of a sum of shares above its bound."""


@dataclass(frozen=True, eq=False)
class Proved:
    """A proved release: its table, the search's result, the written rows and what they show."""

    table: LoadedTable
    found: Found
    outcome: Outcome
    staged: Staged
    written: Written
    proof: Proof
    context: RunContext

    def column(self, name: str) -> CountedRows:
        """The distinct cells of a column that was written, missing ones null."""
        return released(self.table, self.written).counts((name,))

    def values(self, name: str) -> Iterator[CountedRows]:
        """The same in batches: a column may tell all records apart."""
        rows = released(self.table, self.written)
        return map(rows.clear, self.written.values(name))

    @property
    def order(self) -> Literal["system", "given", "kept"]:
        """Where the order of records comes from."""
        if self.table.policy.order == "keep":
            return "kept"
        return "system" if self.context.seed is None else "given"

    @property
    def seeded(self) -> bool:
        """Whether what was drawn comes from a seed that was given."""
        return self.context.seed is not None


def certify(proved: Proved, losses: Mapping[str, float]) -> Certificate:
    """The certificate of the written release, which loses this much."""
    table, found = proved.table, proved.found
    policy = redacted(table.policy)
    kind, sha256 = proved.written.digest()
    shares = distinct_shares(
        proved.values, table.policy, columns_without_codes(table.engine.sealed)
    )
    records, gone = proved.written.records, _left_out(proved)
    return Certificate(
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        versions=versions(),
        policy=policy,
        policy_sha256=digest_of_policy(policy),
        digest=Digest(of=kind, sha256=sha256),
        models=tuple(Attested(**asdict(verdict)) for verdict in proved.proof.verdicts),
        loss=public_losses(losses, left_out=gone.records, countable=OF_SIZES),
        search=found.search,
        optimal=found.optimal,
        why=public_words(found.why, left_out=gone.records),
        suppressed=gone,
        records_in=table.engine.records,
        records_out=records,
        people=_people(proved),
        classes=proved.proof.classes,
        blank=table.engine.text,
        seed=Seed(search=_search_seed(table), order=proved.order, given=proved.seeded),
        spread={
            name: spread_of(reference, proved.column(name).cells[name])
            for name, reference in proved.proof.spread.items()
        },
        unchanged=shares,
        alone=certified_alone(proved.proof.alone),
        world=None if table.against is None else table.against.opposed,
        assumptions=(
            *assumptions(table.policy, proved.order, seeded=proved.seeded),
            *cautions(shares, records),
        ),
        kinds={name: table.kinds[name] for name in table.reference},
        rows_sha256=proved.written.rows_digest(table.policy.missing_values),
        engine=None if table.engine.name == "memory" else table.engine.name,
    )


def certified_alone(alone: Alone | None) -> AloneShares | None:
    """The entry of a certificate on columns that leave unchanged."""
    if alone is None:
        return None
    return AloneShares(
        columns=dict(alone.columns),
        together=alone.together,
        unaccepted=alone.unaccepted,
        limit=alone.limit,
    )


def risk_of(proved: Proved) -> Risk:
    """The risk of the rows that leave.

    After a permutation equal rows say nothing about sensitive values: then only
    re-identification is measured.
    """
    table, policy = proved.table, proved.table.policy
    names = () if policy.shown.exact else policy.sensitive
    held = [table.counted[name][0] for name in names]
    sensitive = [column for column in table.compiled.problem.sensitive if column.name in names]
    if separable(table) and policy.weight is None:
        rows = released(table, proved.staged)
        blocks = proved.staged.blocks(rows.stored(policy.quasi), held, rows.plain)
        tallies = (_tally(rows, block, policy.quasi, names) for block in blocks)
        found = measure_blocks(tallies, sensitive, missing=policy.missing)
        if found is not None:
            return found
    rows = released(table, proved.written)
    lines = proved.staged.counts(
        rows.stored(policy.quasi), held, unit=table.unit is not None, weight=policy.weight
    )
    return measure(_tally(rows, lines, policy.quasi, names), sensitive, missing=policy.missing)


def _tally(
    rows: ReleasedRows, lines: CountedRows, quasi: Sequence[str], sensitive: Sequence[str]
) -> Tally:
    """The tally of what a release shows, labels numbered by their text."""
    cells = rows.clear(lines).cells
    shown = [numbered(cells[name]).codes.astype(np.int32) for name in quasi]
    held = [lines.codes[name] for name in sensitive]
    return fold(shown, held, lines.unit, lines.weights, records=lines.records)


@dataclass(frozen=True)
class Extent:
    """Privacy of the weakest class, and the loss of the worst one."""

    privacy: Mapping[str, Any]
    """`k`, people in the smallest class, and `l` of the sensitive column, by column if several."""
    max_class_ncp: float
    """The largest share (NCP) that a class loses, 0..1."""
    bound_met: bool | None
    """Whether every class is within what the policy allows it to lose; None if it allows all."""


def extent_of(proved: Proved, risk: Risk) -> Extent:
    """What the released rows achieve; with exact quasi-identifiers, l of the classes."""
    policy, outcome = proved.table.policy, proved.outcome
    reached: dict[str, float | None]
    if policy.shown.exact:
        reached = {
            name: LDiversity(name, 1).achieved_by(outcome.classes) for name in policy.sensitive
        }
    else:
        reached = {name: risk.sensitive[name].l["frequency"] for name in policy.sensitive}
    l = reached if len(reached) > 1 else next(iter(reached.values()), None)
    largest = float(ncp_of_classes(outcome).max(initial=0.0))
    return Extent({"k": int(risk.k), "l": l}, largest, _bound_met(policy, largest))


def _bound_met(policy: Policy, largest: float) -> bool | None:
    """Whether every class is within max_loss; verification has checked the limits of columns."""
    most = policy.search.largest_class_loss
    limited = any(c.highest is not None or c.widest is not None for c in policy.columns.values())
    if most is None and not limited:
        return None
    return most is None or largest <= most + ROUNDING


def losses_of(proved: Proved) -> dict[str, float]:
    """All loss figures; classes are those that the rows show."""
    loss = proved.table.policy.loss
    every = figures(proved.outcome, loss)
    return every | of_sizes(proved.proof.sizes, proved.table.compiled.records)


def _search_seed(table: LoadedTable) -> int | None:
    """The seed of the search; None for a search that draws at random."""
    return None if table.policy.search.draws else table.compiled.problem.seed


def _left_out(proved: Proved) -> LeftOut:
    records = proved.table.engine.records
    gone = records - proved.staged.records
    missing = proved.table.compiled.left_out_missing
    return LeftOut(records=gone, share=gone / max(records, 1), for_missing=missing)


def _people(proved: Proved) -> int:
    """People in the release; a record without a unit is one person."""
    if proved.table.unit is None:
        return proved.staged.records
    rows = proved.staged.counts((), unit=True)
    assert rows.unit is not None  # noqa: S101  it was asked for
    return int(rows.records[rows.unit == 0].sum()) + int((rows.unit > 0).sum())


def spread_of(reference: Reference, cells: pl.Series) -> Spread:
    """How the release spreads a column, without values that it does not show."""
    return Spread.without_labels(reference.compact(), numbered(cells), of="release")


def notes_of(proved: Proved, certificate: Certificate) -> Iterator[str]:
    """Notes on a release: missing values, identifying columns, worlds, seeds, spellings."""
    table = proved.table
    yield from table.policy.notes()
    yield from _gaps(table)
    yield from sentences(certificate.unchanged, certificate.records_out)
    yield from _world(table)
    if proved.order == "given":
        yield (
            "you gave a seed for the record order: anyone who guesses it can restore the "
            "original order"
        )
    if "random" in table.policy.shown.needs and proved.seeded:
        yield "you gave a seed for the permutation: anyone who guesses it can undo it"
    if proved.found.overtime:
        yield proved.found.overtime
    yield from _spellings(table)


def _gaps(table: LoadedTable) -> Iterator[str]:
    """Sensitive columns with missing values, which models count like any other."""
    for name in table.policy.sensitive:
        if table.engine.frequency(table.counted[name][0])[0]:
            yield (
                f"the sensitive column '{name}' has missing values: missing counts as a value "
                "of its own"
            )


def _world(table: LoadedTable) -> Iterator[str]:
    """What you should know about the world that the release was compared with."""
    policy, against, world = table.policy, table.against, table.compiled.problem.world
    if against is None:
        return
    yield from against.notes
    if not any(of_world(model) for model in policy.models):
        yield (
            "no model of the policy uses the world, so it has no effect: add "
            f"{' or '.join(name for name, model in MODELS.items() if of_world(model))}"
        )
    lacking = [name for name in policy.quasi if name not in against.world.names]
    if lacking:
        yield (
            f"the world lacks {', '.join(lacking)}: models of the world ignore these columns, "
            "but somebody with another world may know them"
        )
    for name, outside in (world.outside if world is not None else {}).items():
        yield (
            f"the hierarchy of {name!r} lacks {counted(outside, 'value')} of the world; they "
            "match only labels with the same text"
        )


def _spellings(table: LoadedTable) -> Iterator[str]:
    """Notes on values that may be spellings of one value."""
    sensitive = {name: table.counted[name][0] for name in table.policy.sensitive}
    quasi = {name: column for name, (column, _) in table.quasi.items()}
    for role, columns in (("sensitive", sensitive), ("quasi", quasi)):
        texts = {
            name: pl.Series(_held(table, column), dtype=pl.String)
            for name, column in columns.items()
            if column.domain.kind is Kind.TEXT
        }
        yield from alike_notes(texts, role)


def _held(table: LoadedTable, column: CodedColumn) -> list[str]:
    """The texts of a column that the table holds; hierarchies may know more."""
    there = table.engine.frequency(column)[1:] > 0
    held: list[str] = column.domain.labels[there].tolist()
    return held
