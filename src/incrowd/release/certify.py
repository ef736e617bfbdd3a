"""Certify a proved release: its certificate, made from its facts, and notes on it."""

from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime

import polars as pl

from incrowd.errors import count_of
from incrowd.models import MODELS
from incrowd.models.model import counts_world_people
from incrowd.release.assumptions import assumptions, cautions, distinct_shares, telling_notes
from incrowd.release.certificate import (
    AloneShares,
    Attested,
    Certificate,
    Digest,
    Distribution,
    Seed,
    sha256_of,
    versions,
)
from incrowd.release.facts import Proved, ProvedFacts
from incrowd.release.load import LoadedTable
from incrowd.release.policy_record import redact
from incrowd.table.column import Kind
from incrowd.table.counted import CountedRows
from incrowd.table.encode import columns_without_codes
from incrowd.verify.crowds import number_cells
from incrowd.verify.losses import OF_SIZES
from incrowd.verify.spellings import alike_notes
from incrowd.verify.verify import Reference
from incrowd.withholding import public_losses, public_words


def certify(proved: Proved, facts: ProvedFacts) -> Certificate:
    """Make the certificate of the written release, of which these facts are known."""
    table, found = proved.table, proved.found
    policy = redact(table.policy)
    kind, sha256 = proved.written.digest()
    rows, gone = proved.rows, facts.left_out
    seed = None if table.policy.search.draws else table.compiled.problem.seed

    def values(name: str) -> Iterator[CountedRows]:
        return map(rows.clear, proved.written.values(name))

    shares = distinct_shares(values, table.policy, columns_without_codes(table.engine.sealed))
    return Certificate(
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        versions=versions(),
        policy=policy,
        policy_sha256=sha256_of(policy),
        digest=Digest(of=kind, sha256=sha256),
        models=tuple(Attested(**asdict(verdict)) for verdict in facts.models),
        loss=public_losses(facts.loss, left_out=gone.records, countable=OF_SIZES),
        search=found.search,
        optimal=found.optimal,
        why=public_words(facts.why, left_out=gone.records),
        suppressed=gone,
        records_in=table.engine.records,
        records_out=facts.records,
        people=facts.people,
        classes=facts.classes,
        blank=table.engine.text,
        seed=Seed(search=seed, order=proved.order, given=proved.seeded),
        spread={
            name: distribution_of(reference, rows.counts((name,)).cells[name])
            for name, reference in proved.proof.spread.items()
        },
        unchanged=shares,
        alone=None if facts.alone is None else AloneShares.of(facts.alone),
        world=None if table.against is None else table.against.certificate_entry,
        assumptions=(
            *assumptions(table.policy, proved.order, seeded=proved.seeded),
            *cautions(shares, facts.records),
        ),
        kinds={name: table.kinds[name] for name in table.reference},
        rows_sha256=proved.written.rows_digest(table.policy.missing_values),
        engine=None if table.engine.name == "memory" else table.engine.name,
    )


def distribution_of(reference: Reference, cells: pl.Series) -> Distribution:
    """The certificate's entry on how a released column (`cells`) is spread, by its `reference`."""
    return Distribution.without_labels(reference.compact(), number_cells(cells), of="release")


def notes_of(proved: Proved, certificate: Certificate) -> Iterator[str]:
    """Yield notes on policy, missing values, telling columns, world, seeds, overtime, spellings."""
    table = proved.table
    yield from table.policy.notes()
    yield from _missing_value_notes(table)
    yield from telling_notes(certificate.unchanged, certificate.records_out)
    yield from _world_notes(table)
    if proved.order == "given":
        yield (
            "you gave a seed for the record order: anyone who guesses it can restore the "
            "original order"
        )
    if "random" in table.policy.shown.needs and proved.seeded:
        yield "you gave a seed for the permutation: anyone who guesses it can undo it"
    if proved.found.overtime:
        yield proved.found.overtime
    yield from _spelling_notes(table)


def _missing_value_notes(table: LoadedTable) -> Iterator[str]:
    """Yield a note on each sensitive column with missing values."""
    for name in table.policy.sensitive:
        if table.engine.frequency(table.counted[name][0])[0]:
            yield (
                f"the sensitive column '{name}' has missing values: missing counts as a value "
                "of its own"
            )


def _world_notes(table: LoadedTable) -> Iterator[str]:
    """Yield notes on the world that the table is compared with; none without one."""
    policy, against, world = table.policy, table.against, table.compiled.problem.world
    if against is None:
        return
    yield from against.notes
    if not any(counts_world_people(model) for model in policy.models):
        yield (
            "no model of the policy uses the world, so it has no effect: add "
            f"{' or '.join(name for name, model in MODELS.items() if counts_world_people(model))}"
        )
    lacking = [name for name in policy.quasi if name not in against.world.names]
    if lacking:
        yield (
            f"the world lacks {', '.join(lacking)}: models of the world ignore these columns, "
            "but somebody with another world may know them"
        )
    for name, outside in (world.outside if world is not None else {}).items():
        yield (
            f"the hierarchy of {name!r} lacks {count_of(outside, 'value')} of the world; they "
            "match only labels with the same text"
        )


def _spelling_notes(table: LoadedTable) -> Iterator[str]:
    """Yield notes on columns with texts that differ only in case, spaces or zeros."""
    sensitive = {name: table.counted[name][0] for name in table.policy.sensitive}
    quasi = {name: column for name, (column, _) in table.quasi.items()}
    for role, columns in (("sensitive", sensitive), ("quasi", quasi)):
        texts = {}
        for name, column in columns.items():
            if column.domain.kind is Kind.TEXT:
                there = table.engine.frequency(column)[1:] > 0  # hierarchies may know more values
                texts[name] = pl.Series(column.domain.labels[there].tolist(), dtype=pl.String)
        yield from alike_notes(texts, role)
