"""Releases: made, verified and certified, or checked.

Read and code the table, search, build the rows that leave, verify them, certify them.
"""

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from incrowd.arrays import MISSING
from incrowd.engines.memory import MemoryEngine
from incrowd.errors import PolicyError
from incrowd.hierarchy import AnyHierarchy, Suggested
from incrowd.io import files, tables
from incrowd.io.atomic import replacing
from incrowd.io.files import write_text
from incrowd.io.hierarchies import resolve
from incrowd.policy.policy import Policy
from incrowd.recoding import Levels
from incrowd.release.against import Against
from incrowd.release.certificate import Certificate, Digest, digest_of_bytes, digest_of_frame
from incrowd.release.check import check_rows
from incrowd.release.laps import Laps
from incrowd.release.prepare import Outside, coded, prepare, search
from incrowd.release.prepared import Prepared, attest, extent_of, prove, risk_of
from incrowd.release.release import Release
from incrowd.release.telling import sentences
from incrowd.release.written import rewritten
from incrowd.run.derived import refuse_derived
from incrowd.run.reading import AnyPath, Reading, collected, enough_memory, rows_of
from incrowd.run.worlds import Called, notes_of, world_of_files, world_of_frames
from incrowd.table.roles import Role
from incrowd.verify.cells import typed
from incrowd.verify.verdict import Check
from incrowd.verify.verify import demand
from incrowd.watch import Watch


def anonymize(  # noqa: PLR0913  the table, the request, and what comes from outside
    frame: Any,
    policy: Policy,
    *,
    seed: int | None = None,
    key: bytes | None = None,
    watch: Watch | None = None,
    folder: AnyPath = ".",
    world: Any = None,
    world_id: str | None = None,
    rename: Mapping[str, str] | None = None,
) -> Release:
    """A verified release of a frame of pandas, Polars or PyArrow, in the same kind of frame.

    Records leave in a new order, drawn from the system's randomness or from `seed`. `key` is the
    secret of pseudonyms. Paths of hierarchies are taken from `folder`. The frame is not changed.

    `world` is a frame that somebody may hold, or a list of them: models such as k-map count its
    individuals, told apart by the column `world_id`, which joins several. `rename` says
    what it calls a column of the table.
    """
    laps, outside = Laps(), Outside(seed, key, watch or Watch())
    called = Called(world_id, rename, folder)
    with enough_memory():
        frame = collected(frame)
        source = tables.Source(rows_of(frame), text=False)
        engine = MemoryEngine(frame)
        against = world_of_frames(engine, world, policy, called)
        prepared = _prepared(engine, source, (policy, folder, against), outside, laps)
        return _proved(prepared, laps)


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
    watch: Watch | None = None,
    folder: AnyPath = ".",
    world: AnyPath | Sequence[AnyPath] | None = None,
    world_id: str | None = None,
    rename: Mapping[str, str] | None = None,
) -> Release:
    """A verified release of a file; the target is there at the end only if it was verified.

    The rows are written beside the target, read again and verified; then the certificate (by
    default the target's name with `.certificate.json`) and the target take their places. Target
    "-" is standard output, with a certificate only if its path is given. A dry run writes nothing.
    `world` is a file that somebody may hold, or a list of them: see `anonymize`.
    """
    laps, outside = Laps(), Outside(seed, key, watch or Watch())
    called = Called(world_id, rename, folder)
    paper = certificate or (None if str(target) == "-" else f"{os.fspath(target)}.certificate.json")
    _refuse_overwriting(source, target, paper)
    with enough_memory():
        read = (reading or Reading()).expecting(policy.columns).read(source)
        if not dry_run:
            tables.refuse_nested(read.frame, _as_they_are(policy), target, read)
        engine = MemoryEngine(read.frame, text=read.text)
        against = world_of_files(engine, world, policy, called)
        prepared = _prepared(engine, read, (policy, folder, against), outside, laps)
        if dry_run:
            return _proved(prepared, laps)
        return _written(prepared, read, target, paper, laps)


def _as_they_are(policy: Policy) -> list[str]:
    """The columns whose cells leave unchanged."""
    roles = (Role.KEEP, Role.SENSITIVE, Role.WEIGHT)
    return [name for name, column in policy.columns.items() if column.role in roles]


def check(  # noqa: PLR0913  the release, what it promises, and a world
    frame: Any,
    policy: Policy,
    certificate: Certificate | None = None,
    *,
    world: Any = None,
    world_id: str | None = None,
    rename: Mapping[str, str] | None = None,
    folder: AnyPath = ".",
) -> Check:
    """What a release shows of its policy, everything counted anew from the release alone.

    Models such as k-map are counted in the `world` that they are about: see `anonymize`.
    """
    with enough_memory():
        rows = rows_of(frame)
        called = Called(world_id, rename, folder)
        against = world_of_frames(MemoryEngine(rows), world, policy, called)
        return check_rows(rows, policy, digest_of_frame(rows), certificate, against=against)


def check_file(  # noqa: PLR0913  the release, what it promises, and a world
    path: AnyPath,
    policy: Policy | None = None,
    certificate: AnyPath | None = None,
    *,
    reading: Reading | None = None,
    world: AnyPath | Sequence[AnyPath] | None = None,
    world_id: str | None = None,
    rename: Mapping[str, str] | None = None,
    folder: AnyPath = ".",
) -> Check:
    """What a released file shows of its policy, everything counted anew from the file alone.

    Without a policy that of the certificate is taken. Models such as k-map are counted in the
    `world` that they are about: see `anonymize`.
    """
    with enough_memory():
        paper = None if certificate is None else Certificate.from_json(files.content(certificate))
        if policy is None:
            policy = _certified_policy(paper)
        read = (reading or Reading()).expecting(policy.columns).read(path)
        framed = str(path) == "-" or (paper is not None and paper.digest.of == "frame")
        digest = digest_of_frame(read.frame) if framed else digest_of_bytes(files.content(path))
        engine = MemoryEngine(read.frame, text=read.text)
        against = world_of_files(engine, world, policy, Called(world_id, rename, folder))
        return check_rows(read.frame, policy, digest, paper, text=read.text, against=against)


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


def _proved(prepared: Prepared, laps: Laps) -> Release:
    """The release of a frame, verified as it is."""
    rows = rows_of(prepared.frame)
    return _release(prepared, rows, digest_of_frame(rows), laps)


def _written(
    prepared: Prepared, read: tables.Source, target: AnyPath, paper: AnyPath | None, laps: Laps
) -> Release:
    if str(target) == "-":
        with tempfile.TemporaryDirectory() as folder:
            release, content = _stored(prepared, read, Path(folder) / "release", laps)
            _certify(release, paper)
            files.send(content)
    else:
        with replacing(target) as place:
            release, _ = _stored(prepared, read, place, laps)
            _certify(release, paper)
    laps.end("write")
    return release


def _stored(
    prepared: Prepared, read: tables.Source, place: Path, laps: Laps
) -> tuple[Release, bytes]:
    """The release of rows as they are in a file: written, read again, verified."""
    tables.write(prepared.frame, place, like=read)
    laps.end("write")
    content = files.content(place)
    again = tables.read(place, _delimiter(place, read), "utf-8", header=True)
    rows = typed(again.frame, prepared.frame)
    return _release(prepared, rows, digest_of_bytes(content), laps), content


def _release(prepared: Prepared, rows: pl.DataFrame, digest: Digest, laps: Laps) -> Release:
    seen, verdicts = prove(prepared, rows)
    demand(verdicts, prepared.found.caveat)
    created = datetime.now(UTC).isoformat(timespec="seconds")
    certificate = attest(prepared, seen, verdicts, digest, created)
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
    return tuple(notes)


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


def _certified_policy(paper: Certificate | None) -> Policy:
    if paper is None:
        raise PolicyError("there is nothing to check against", remedy="give a policy")
    return rewritten(paper.policy)
