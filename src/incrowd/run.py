"""Composition: everything that can be asked for, from a frame or from a file.

Each function puts parts together and does nothing else: read and code the table, search, build the
rows that leave, verify them, certify them.
"""

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

import narwhals.stable.v2 as nw
import polars as pl

from incrowd.classes import SensitiveColumn
from incrowd.engines.memory import MemoryEngine
from incrowd.errors import InputError, LimitError, PolicyError, boundary
from incrowd.hierarchy import AnyHierarchy, Suggested
from incrowd.io import files, tables
from incrowd.io.atomic import replacing
from incrowd.io.files import write_text
from incrowd.io.hierarchies import resolve
from incrowd.policy.company import in_company
from incrowd.policy.compile import people_per_code
from incrowd.policy.draft import Draft, Sketch
from incrowd.policy.draft import draft as drafted
from incrowd.policy.policy import Policy
from incrowd.recoding import Levels
from incrowd.release.cells import typed
from incrowd.release.certificate import Certificate, Digest, digest_of_bytes, digest_of_frame
from incrowd.release.check import check_rows
from incrowd.release.laps import Laps
from incrowd.release.prepare import Outside, coded, prepare, search
from incrowd.release.prepared import Prepared, attest, prove, risk_of
from incrowd.release.release import Release
from incrowd.release.verdict import Check
from incrowd.release.verify import demand
from incrowd.release.written import rewritten
from incrowd.risk import Risk, measure
from incrowd.table.column import CodedColumn, Kind
from incrowd.table.encode import align, to_polars
from incrowd.table.fold import fold
from incrowd.watch import Watch

AnyPath: TypeAlias = str | os.PathLike[str]


@dataclass(frozen=True)
class Reading:
    """How to read a text file; what is None is found."""

    delimiter: str | None = None
    encoding: str | None = None
    header: bool | None = None

    def read(self, path: AnyPath) -> tables.Source:
        """The table in this file."""
        return tables.read(path, self.delimiter, self.encoding, header=self.header)


def anonymize(  # noqa: PLR0913  the table, the request, and what comes from outside
    frame: Any,
    policy: Policy,
    *,
    seed: int | None = None,
    key: bytes | None = None,
    watch: Watch | None = None,
    folder: AnyPath = ".",
) -> Release:
    """A verified release of a frame of pandas, Polars or PyArrow, in the same kind of frame.

    Records leave in a new order, drawn from the system's randomness or from `seed`. `key` is the
    secret of pseudonyms. Paths of hierarchies are taken from `folder`. The frame is not changed.
    """
    laps, outside = Laps(), Outside(seed, key, watch or Watch())
    with _enough_memory():
        frame = _collected(frame)
        source = tables.Source(_rows(frame), text=False)
        prepared = _prepared(frame, source, policy, folder, outside, laps)
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
) -> Release:
    """A verified release of a file; the target is there at the end only if it was verified.

    The rows are written beside the target, read again and verified; then the certificate (by
    default the target's name with `.certificate.json`) and the target take their places. Target
    "-" is standard output, with a certificate only if its path is given. A dry run writes nothing.
    """
    laps, outside = Laps(), Outside(seed, key, watch or Watch())
    paper = certificate or (None if str(target) == "-" else f"{os.fspath(target)}.certificate.json")
    _refuse_overwriting(source, target, paper)
    with _enough_memory():
        read = (reading or Reading()).read(source)
        prepared = _prepared(read.frame, read, policy, folder, outside, laps)
        if dry_run:
            return _proved(prepared, laps)
        return _written(prepared, read, target, paper, laps)


def check(frame: Any, policy: Policy, certificate: Certificate | None = None) -> Check:
    """What a release shows of its policy, everything counted anew from the release alone."""
    with _enough_memory():
        rows = _rows(frame)
        return check_rows(rows, policy, digest_of_frame(rows), certificate)


def check_file(
    path: AnyPath,
    policy: Policy | None = None,
    certificate: AnyPath | None = None,
    *,
    reading: Reading | None = None,
) -> Check:
    """What a released file shows of its policy, everything counted anew from the file alone.

    Without a policy that of the certificate is taken.
    """
    with _enough_memory():
        paper = None if certificate is None else Certificate.from_json(files.content(certificate))
        if policy is None:
            policy = _certified_policy(paper)
        read = (reading or Reading()).read(path)
        framed = str(path) == "-" or (paper is not None and paper.digest.of == "frame")
        digest = digest_of_frame(read.frame) if framed else digest_of_bytes(files.content(path))
        return check_rows(read.frame, policy, digest, paper, text=read.text)


def risk(  # noqa: PLR0913  the table, its columns by what they are for, and settings
    frame: Any,
    *,
    quasi: Sequence[str],
    sensitive: Sequence[str] = (),
    unit: str | None = None,
    weight: str | None = None,
    hierarchies: Mapping[str, AnyHierarchy] | None = None,
    threshold: float = 0.2,
    missing_values: Sequence[str] = (),
) -> Risk:
    """How easily a person of this table is found by these columns, and what is then learned.

    Values are compared as they are. `unit` says which records belong to one person, `hierarchies`
    are those of sensitive columns (for distances), a record counts as risky above the `threshold`,
    and texts among `missing_values` mean that a value is missing.
    """
    asked = _Asked(quasi, sensitive, unit, weight, hierarchies, threshold, missing_values)
    with _enough_memory():
        return _risk(MemoryEngine(frame), asked)


def risk_file(  # noqa: PLR0913  the same, and how to read the file
    path: AnyPath,
    *,
    quasi: Sequence[str],
    sensitive: Sequence[str] = (),
    unit: str | None = None,
    weight: str | None = None,
    hierarchies: Mapping[str, AnyHierarchy] | None = None,
    threshold: float = 0.2,
    missing_values: Sequence[str] = (),
    reading: Reading | None = None,
) -> Risk:
    """The risk of a table in a file; see `risk`."""
    asked = _Asked(quasi, sensitive, unit, weight, hierarchies, threshold, missing_values)
    with _enough_memory():
        read = (reading or Reading()).read(path)
        return _risk(MemoryEngine(read.frame, text=read.text), asked)


def draft(frame: Any) -> Draft:
    """A first policy for a table, with reasons, to be reviewed."""
    return _draft(MemoryEngine(frame))


def draft_file(path: AnyPath, *, reading: Reading | None = None) -> Draft:
    """A first policy for a table in a file, with reasons, to be reviewed."""
    read = (reading or Reading()).read(path)
    return _draft(MemoryEngine(read.frame, text=read.text))


@dataclass(frozen=True)
class _Asked:
    """What is asked of a table's risk."""

    quasi: Sequence[str]
    sensitive: Sequence[str]
    unit: str | None
    weight: str | None
    hierarchies: Mapping[str, AnyHierarchy] | None
    threshold: float
    missing_values: Sequence[str]

    def __post_init__(self) -> None:
        if not self.quasi:
            raise PolicyError(
                "no column is named by which a person could be found",
                remedy="name columns as quasi, such as --quasi age,zip",
            )
        if not 0 <= self.threshold <= 1:
            raise PolicyError(
                "the threshold of risk must be from 0 to 1",
                remedy="give a share: 0.2 is one in five",
            )


def _prepared(  # noqa: PLR0913, PLR0917  all that a release is made of
    frame: Any,
    source: tables.Source,
    policy: Policy,
    folder: AnyPath,
    outside: Outside,
    laps: Laps,
) -> Prepared:
    engine = MemoryEngine(frame, text=source.text)
    table = coded(engine, source.frame, policy, _builders(policy, folder), text=source.text)
    laps.end("read")
    found = search(table, outside)
    laps.end("search")
    prepared = prepare(table, engine, found, outside)
    laps.end("release")
    return prepared


def _builders(policy: Policy, folder: AnyPath) -> dict[str, AnyHierarchy]:
    """What builds the hierarchy of each column; files are read."""
    given = {name: column.hierarchy for name, column in policy.columns.items()}
    given |= {name: given[name] or Suggested() for name in policy.quasi}
    return {name: resolve(spec, Path(folder)) for name, spec in given.items() if spec is not None}


def _proved(prepared: Prepared, laps: Laps) -> Release:
    """The release of a frame, verified as it is."""
    rows = _rows(prepared.frame)
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
    demand(verdicts)
    created = datetime.now(UTC).isoformat(timespec="seconds")
    certificate = attest(prepared, seen, verdicts, digest, created)
    risk = risk_of(prepared, seen)
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
        seconds=laps.seconds,
        notes=_notes(prepared),
    )


def _notes(prepared: Prepared) -> tuple[str, ...]:
    notes = list(prepared.table.policy.notes())
    if prepared.order == "given":
        notes.append("the order of the records comes from a seed: whoever guesses it can undo it")
    return tuple(notes)


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


def _rows(frame: Any) -> pl.DataFrame:
    """Any frame as one of Polars, for counting."""
    frame = _collected(frame)
    if isinstance(frame, pl.DataFrame):
        return frame
    with boundary(InputError("the frame cannot be read")):
        narrow = nw.from_native(frame, eager_only=True)
        return pl.DataFrame([to_polars(narrow[name]).alias(name) for name in narrow.columns])


def _collected(frame: Any) -> Any:
    """A lazy frame computed once: its rows might come in another order the second time."""
    with boundary(InputError("the frame cannot be computed")):
        return frame.collect() if isinstance(frame, pl.LazyFrame) else frame


def _risk(engine: MemoryEngine, asked: _Asked) -> Risk:
    names = tuple(dict.fromkeys((*asked.quasi, *asked.sensitive)))
    codes = engine.codes(names, missing_values=asked.missing_values)
    unit = None if asked.unit is None else engine.units(asked.unit, asked.missing_values)
    weights = None if asked.weight is None else engine.weights(asked.weight)
    columns, sensitive = [], []
    for name in dict.fromkeys(asked.sensitive):
        column, described = _sensitive(codes[name], (asked.hierarchies or {}).get(name), unit)
        columns.append(column.codes)
        sensitive.append(described)
    quasi = [codes[name].codes for name in dict.fromkeys(asked.quasi)]
    return measure(fold(quasi, columns, unit, weights), sensitive, asked.threshold)


def _sensitive(
    column: CodedColumn, spec: AnyHierarchy | None, unit: Any
) -> tuple[CodedColumn, SensitiveColumn]:
    ordered, maps = column.domain.kind is not Kind.TEXT, None
    if spec is not None:
        hierarchy = resolve(spec, Path()).build(column.domain, column.name)
        column = align(column, hierarchy.leaves)
        ordered, maps = ordered or hierarchy.ordered, hierarchy.maps
    people = people_per_code(column, unit)
    return column, SensitiveColumn(column.name, people, ordered=ordered, maps=maps)


def _draft(engine: MemoryEngine) -> Draft:
    columns = [engine.code(name) for name in engine.names]
    return in_company(drafted([Sketch.of(column) for column in columns]), columns)


@contextmanager
def _enough_memory() -> Iterator[None]:
    try:
        yield
    except MemoryError:
        pass
    else:
        return
    raise LimitError("the table does not fit into memory", remedy="release it in parts")
