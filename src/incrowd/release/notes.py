"""What a careful reader of a release should know, in sentences."""

from collections.abc import Iterator

import polars as pl

from incrowd.errors import counted
from incrowd.models.model import of_world
from incrowd.release.certificate import Certificate
from incrowd.release.certify import Proved
from incrowd.release.load import LoadedTable
from incrowd.release.telling import sentences
from incrowd.table.column import CodedColumn, Kind
from incrowd.verify.spellings import alike_notes


def notes_of(proved: Proved, certificate: Certificate) -> Iterator[str]:
    """What a release does not say by itself: gaps, columns that tell, seeds, spellings."""
    table = proved.table
    yield from table.policy.notes()
    yield from _gaps(table)
    yield from sentences(certificate.unchanged, certificate.records_out)
    yield from _world(table)
    if proved.order == "given":
        yield "the order of the records comes from a seed: whoever guesses it can undo it"
    if table.policy.show == "permutation" and proved.seeded:
        yield "who shows whose values comes from a seed: whoever guesses it can undo it"
    yield from _spellings(table)


def _gaps(table: LoadedTable) -> Iterator[str]:
    """Sensitive columns with missing values, which models count like any other."""
    for name in table.policy.sensitive:
        if table.engine.frequency(table.counted[name][0])[0]:
            yield (
                f"some records lack a value of the sensitive column '{name}': "
                "missing counts as a value of its own"
            )


def _world(table: LoadedTable) -> Iterator[str]:
    """What you should know about the world that the release was compared with."""
    policy, against, world = table.policy, table.against, table.compiled.problem.world
    if against is None:
        return
    yield from against.notes
    if not any(of_world(model) for model in policy.models):
        yield (
            "no model of the policy uses the world, so it changed nothing: add k-map or "
            "delta-presence"
        )
    lacking = [name for name in policy.quasi if name not in against.world.names]
    if lacking:
        yield (
            f"the world does not have {', '.join(lacking)}: models of the world ignore these "
            "columns, though somebody with another world may know them"
        )
    for name, outside in (world.outside if world is not None else {}).items():
        yield (
            f"the hierarchy of {name!r} lacks {counted(outside, 'value')} of the world; labels are "
            "compared with these as they are written"
        )


def _spellings(table: LoadedTable) -> Iterator[str]:
    """Values that may be one and count as several."""
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
