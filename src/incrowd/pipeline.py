"""Releases: made, verified and certified, or checked.

Read and code the table, search, build the rows that leave, verify them, certify them.
"""

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from incrowd.arrays import MISSING
from incrowd.engines.memory import MemoryEngine
from incrowd.errors import PolicyError
from incrowd.hierarchy import AnyHierarchy, Suggested
from incrowd.io import files, tables
from incrowd.io.atomic import replacing
from incrowd.io.files import write_text
from incrowd.io.hierarchies import resolve
from incrowd.io.pair import heal, replacing_both
from incrowd.policy.policy import Policy
from incrowd.recoding import Levels
from incrowd.release.against import Against
from incrowd.release.certificate import (
    Certificate,
    Digest,
    digest_of_bytes,
    digest_of_frame,
    digest_of_rows,
)
from incrowd.release.laps import Laps
from incrowd.release.prepare import Outside, coded, prepare, search
from incrowd.release.prepared import Prepared, Table, attest, extent_of, prove, risk_of
from incrowd.release.release import Release
from incrowd.release.signing import refuse_no_key, signed
from incrowd.release.telling import sentences
from incrowd.table.column import CodedColumn, Kind
from incrowd.table.roles import Role
from incrowd.verbs.derived import refuse_derived
from incrowd.verbs.reading import AnyPath, Reading, collected, enough_memory, rows_of
from incrowd.verbs.worlds import Called, notes_of, world_of_files, world_of_frames
from incrowd.verify.cells import typed
from incrowd.verify.spellings import alike_notes
from incrowd.verify.verify import demand
from incrowd.watch import Watch


def anonymize(  # noqa: PLR0913  the table, the request, and what comes from outside
    frame: Any,
    policy: Policy,
    *,
    seed: int | None = None,
    key: bytes | None = None,
    sign: AnyPath | bytes | None = None,
    watch: Watch | None = None,
    folder: AnyPath = ".",
    world: Any = None,
    world_id: str | None = None,
    rename: Mapping[str, str] | None = None,
) -> Release:
    """A verified release of a frame of pandas, Polars or PyArrow, in the same kind of frame.

    Records leave in a new order, drawn from the system's randomness or from `seed`. `key` is the
    secret of pseudonyms. `sign` is a private key (PEM, or the path of its file): the certificate is
    signed with it. Paths of hierarchies are taken from `folder`. The frame is not changed.

    `world` is a frame that somebody may hold, or a list of them: models such as k-map count its
    individuals, told apart by the column `world_id`, which joins several. `rename` says
    what it calls a column of the table.
    """
    laps, outside = Laps(), Outside(seed, key, watch or Watch())
    called, signer = Called(world_id, rename, folder), signer_of(sign)
    with enough_memory():
        frame = collected(frame)
        source = tables.Source(rows_of(frame), text=False)
        engine = MemoryEngine(frame)
        against = world_of_frames(engine, world, policy, called)
        prepared = _prepared(engine, source, (policy, folder, against), outside, laps)
        return _proved(prepared, signer, laps)


def anonymize_file(  # noqa: PLR0913  files, the request, and what comes from outside
    source: AnyPath,
    policy: Policy,
    target: AnyPath,
    *,
    certificate: AnyPath | None = None,
    dry_run: bool = False,
    reading: Reading | None = None,
    seed: int | None = None,
    key: bytes | None = None,
    sign: AnyPath | bytes | None = None,
    watch: Watch | None = None,
    folder: AnyPath = ".",
    world: AnyPath | Sequence[AnyPath] | None = None,
    world_id: str | None = None,
    rename: Mapping[str, str] | None = None,
) -> Release:
    """A verified release of a file; the target is there at the end only if it was verified.

    The rows are written beside the target, read again and verified; then the target and its
    certificate (by default the target's name with `.certificate.json`) take their places together.
    What a killed run left half done there is completed or taken back first. Target "-" is standard
    output, with a certificate only if its path is given. A dry run writes nothing. `sign` is a
    private key (PEM, or the path of its file): the certificate is signed with it. `world` is a file
    that somebody may hold, or a list of them: see `anonymize`.
    """
    laps, outside = Laps(), Outside(seed, key, watch or Watch())
    called, signer = Called(world_id, rename, folder), signer_of(sign)
    paper = certificate or (None if str(target) == "-" else f"{os.fspath(target)}.certificate.json")
    _refuse_overwriting(source, target, paper)
    if paper is not None and str(target) != "-" and not dry_run:
        heal(target, paper)
    with enough_memory():
        read = (reading or Reading()).expecting(policy.columns).read(source)
        if not dry_run:
            tables.refuse_nested(read.frame, _as_they_are(policy), target, read)
        engine = MemoryEngine(read.frame, text=read.text)
        against = world_of_files(engine, world, policy, called)
        prepared = _prepared(engine, read, (policy, folder, against), outside, laps)
        if dry_run:
            return _proved(prepared, signer, laps)
        return _written(prepared, read, (target, paper), signer, laps)


def signer_of(sign: AnyPath | bytes | None) -> bytes | None:
    """A private key as it is given, or read from its file; refused before any work is done."""
    if sign is None:
        return None
    key = sign if isinstance(sign, bytes) else files.content(sign)
    refuse_no_key(key)
    return key


def _as_they_are(policy: Policy) -> list[str]:
    """The columns whose cells leave unchanged."""
    roles = (Role.KEEP, Role.SENSITIVE, Role.WEIGHT)
    return [name for name, column in policy.columns.items() if column.role in roles]


def _prepared(
    engine: MemoryEngine,
    source: tables.Source,
    request: tuple[Policy, AnyPath, Against | None],
    outside: Outside,
    laps: Laps,
) -> Prepared:
    policy, folder, against = request
    builders = builders_of(policy, folder)
    table = coded(engine, source.frame, policy, builders, text=source.text, against=against)
    refuse_derived(engine, policy)
    laps.end("read")
    found = search(table, outside)
    laps.end("search")
    prepared = prepare(table, engine, found, outside)
    laps.end("release")
    return prepared


def builders_of(policy: Policy, folder: AnyPath) -> dict[str, AnyHierarchy]:
    """What builds the hierarchy of each column; files are read."""
    given = {name: column.hierarchy for name, column in policy.columns.items()}
    given |= {name: given[name] or Suggested() for name in policy.quasi}
    return {name: resolve(spec, Path(folder)) for name, spec in given.items() if spec is not None}


def _proved(prepared: Prepared, signer: bytes | None, laps: Laps) -> Release:
    """The release of a frame, verified as it is."""
    rows = rows_of(prepared.frame)
    digests = digest_of_frame(rows), digest_of_rows(rows, prepared.table.policy.missing_values)
    return _release(prepared, rows, digests, signer, laps)


def _written(
    prepared: Prepared,
    read: tables.Source,
    targets: tuple[AnyPath, AnyPath | None],
    signer: bytes | None,
    laps: Laps,
) -> Release:
    target, paper = targets
    if str(target) == "-" or paper is None:
        with tempfile.TemporaryDirectory() as folder:
            release, content = _stored(prepared, read, Path(folder) / "release", signer, laps)
            files.send(content)
            _certify(release, paper)
    else:
        with replacing_both(target, paper) as (place, beside):
            release, _ = _stored(prepared, read, place, signer, laps)
            write_text(beside, release.certificate.to_json())
    laps.end("write")
    return release


def _stored(
    prepared: Prepared, read: tables.Source, place: Path, signer: bytes | None, laps: Laps
) -> tuple[Release, bytes]:
    """The release of rows as they are in a file: written, read again, verified."""
    tables.write(prepared.frame, place, like=read)
    laps.end("write")
    content = files.content(place)
    again = tables.read(place, _delimiter(place, read), "utf-8", header=True)
    rows = typed(again.frame, prepared.frame)
    unread = prepared.table.policy.missing_values
    digests = digest_of_bytes(content), digest_of_rows(again.frame, unread)
    return _release(prepared, rows, digests, signer, laps), content


def _release(
    prepared: Prepared,
    rows: pl.DataFrame,
    digests: tuple[Digest, str],
    signer: bytes | None,
    laps: Laps,
) -> Release:
    seen, verdicts = prove(prepared, rows)
    demand(verdicts, prepared.found.caveat)
    created = datetime.now(UTC).isoformat(timespec="seconds")
    certificate = attest(prepared, seen, verdicts, digests, created)
    if signer is not None:
        certificate = signed(certificate, signer)
    risk = risk_of(prepared, seen)
    extent = extent_of(prepared, risk)
    laps.end("verify")
    recoding, policy = prepared.found.recoding, prepared.table.policy
    levels = recoding.levels if isinstance(recoding, Levels) else None
    return Release.verified(
        verdicts,
        frame=prepared.frame,
        policy=policy,
        recoding=recoding,
        certificate=certificate,
        risk=risk,
        levels=None if levels is None else dict(zip(policy.quasi, levels, strict=True)),
        labels={name: len(cells.labels) for name, cells in seen.quasi.items()},
        privacy=extent.privacy,
        max_class_ncp=extent.max_class_ncp,
        bound_met=extent.bound_met,
        seconds=laps.seconds,
        notes=_notes(prepared, certificate),
        explored=prepared.found.explored,
    )


def _notes(prepared: Prepared, certificate: Certificate) -> tuple[str, ...]:
    table = prepared.table
    notes = [*table.policy.notes(), *_gaps(prepared)]
    notes += sentences(certificate.unchanged, certificate.records_out)
    notes += notes_of(table.against, table.policy, table.compiled.problem.world)
    if prepared.order == "given":
        notes.append("the order of the records comes from a seed: whoever guesses it can undo it")
    if prepared.table.policy.show == "permutation" and not prepared.drawn:
        notes.append("who shows whose values comes from a seed: whoever guesses it can undo it")
    return (*notes, *_spellings(table))


def _spellings(table: Table) -> Iterator[str]:
    """Values that may be one and count as several."""
    counted = {name: table.counted[name][0] for name in table.policy.sensitive}
    quasi = {name: column for name, (column, _) in table.quasi.items()}
    for role, columns in (("sensitive", counted), ("quasi", quasi)):
        texts = {
            name: pl.Series(_held(column), dtype=pl.String)
            for name, column in columns.items()
            if column.domain.kind is Kind.TEXT
        }
        yield from alike_notes(texts, role)


def _held(column: CodedColumn) -> list[str]:
    """The texts of a column that the table holds; hierarchies may know more."""
    held: list[str] = column.domain.labels[np.unique(column.codes[column.codes > 0]) - 1].tolist()
    return held


def _gaps(prepared: Prepared) -> Iterator[str]:
    """Sensitive columns with missing values, which models count like any other."""
    for name in prepared.table.policy.sensitive:
        if (prepared.table.counted[name][0].codes == MISSING).any():
            yield (
                f"some records lack a value of the sensitive column '{name}': "
                "missing counts as a value of its own"
            )


def _certify(release: Release, paper: AnyPath | None) -> None:
    if paper is not None:
        with replacing(paper) as place:
            write_text(place, release.certificate.to_json())


def _delimiter(place: Path, read: tables.Source) -> str:
    if place.suffix.lower() == ".tsv" or ".tsv" in [end.lower() for end in place.suffixes[-2:]]:
        return "\t"
    return read.delimiter if read.format == "csv" else ","


def _refuse_overwriting(source: AnyPath, target: AnyPath, paper: AnyPath | None) -> None:
    if str(source) != "-" and str(target) != "-" and files.same_file(source, target):
        raise PolicyError(
            "the release would overwrite the table it is made of", remedy="name another target"
        )
    taken = [path for path in (source, target) if str(path) != "-"]
    if paper is not None and any(files.same_file(paper, path) for path in taken):
        raise PolicyError(
            "the certificate would overwrite a table", remedy="name another file for it"
        )
