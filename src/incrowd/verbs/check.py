"""Releases checked: everything counted anew, from the release and what is given beside it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from incrowd.engines.memory import MemoryEngine
from incrowd.errors import IncrowdError, PolicyError
from incrowd.io import files, tables
from incrowd.io.hierarchies import resolve
from incrowd.io.pair import pending
from incrowd.pipeline import builders_of
from incrowd.policy.policy import Policy
from incrowd.release.certificate import Certificate, digest_of_bytes, digest_of_frame
from incrowd.release.check import Backing, Checked, check_rows
from incrowd.release.original import Original
from incrowd.release.prepare import coded, with_hierarchy
from incrowd.release.written import restored, rewritten
from incrowd.verbs.reading import AnyPath, Reading, collected, each_of, enough_memory, rows_of
from incrowd.verbs.worlds import Called, world_of_files, world_of_frames
from incrowd.verify.cells import readable
from incrowd.verify.verdict import Check
from incrowd.verify.verify import Reference


def check(  # noqa: PLR0913  the release, what it promises, and what it is held against
    frame: Any,
    policy: Policy,
    certificate: Certificate | None = None,
    *,
    original: Any = None,
    trusted_keys: Sequence[AnyPath | bytes] = (),
    world: Any = None,
    world_id: str | None = None,
    rename: Mapping[str, str] | None = None,
    folder: AnyPath = ".",
) -> Check:
    """What a release shows of its policy, everything counted anew from the release alone.

    `original` is the table that it was made of: with it losses are recounted, too. With
    `trusted_keys` (public keys as PEM, or the paths of their files) the certificate must be signed
    by one of them. Models such as k-map are counted in the `world` that they are about: see
    `anonymize`.
    """
    with enough_memory():
        rows = rows_of(frame)
        engine = MemoryEngine(rows)
        backing = Backing(
            certificate,
            trusted=_keys(trusted_keys),
            against=world_of_frames(engine, world, policy, Called(world_id, rename, folder)),
            trees=_trees(engine, policy, folder),
            original=_of_frame(original, policy, folder),
        )
        return check_rows(Checked(rows, digest_of_frame(rows)), policy, backing)


def check_file(  # noqa: PLR0913  the release, what it promises, and what it is held against
    path: AnyPath,
    policy: Policy | None = None,
    certificate: AnyPath | None = None,
    *,
    original: AnyPath | None = None,
    trusted_keys: Sequence[AnyPath | bytes] = (),
    reading: Reading | None = None,
    world: AnyPath | Sequence[AnyPath] | None = None,
    world_id: str | None = None,
    rename: Mapping[str, str] | None = None,
    folder: AnyPath = ".",
) -> Check:
    """What a released file shows of its policy, everything counted anew from the file alone.

    Without a policy that of the certificate is taken. `original`, `trusted_keys` and `world`: see
    `check`.
    """
    with enough_memory():
        paper = None if certificate is None else Certificate.from_json(files.content(certificate))
        asked = _certified_policy(paper, original) if policy is None else policy
        read = (reading or Reading()).expecting(asked.columns).read(path)
        engine = MemoryEngine(read.frame, text=read.text)
        backing = Backing(
            paper,
            lent=policy is None,
            trusted=_keys(trusted_keys),
            against=world_of_files(engine, world, asked, Called(world_id, rename, folder)),
            trees={} if policy is None else _trees(engine, asked, folder),
            original=_of_file(original, asked, folder),
        )
        return check_rows(_checked(path, read, paper), asked, backing)


def _checked(path: AnyPath, read: tables.Source, paper: Certificate | None) -> Checked:
    framed = str(path) == "-" or (paper is not None and paper.digest.of == "frame")
    digest = digest_of_frame(read.frame) if framed else digest_of_bytes(files.content(path))
    torn = str(path) != "-" and pending(path)
    return Checked(read.frame, digest, text=read.text, torn=torn)


def _keys(given: Sequence[AnyPath | bytes]) -> tuple[bytes, ...]:
    return tuple(key if isinstance(key, bytes) else files.content(key) for key in each_of(given))


def _trees(engine: MemoryEngine, policy: Policy, folder: AnyPath) -> dict[str, Reference]:
    """How sensitive columns with a hierarchy are spread in the release, with its levels.

    Without a tree at hand the distances cannot be measured; the judge then says so.
    """
    asked = (model for model in policy.models if getattr(model, "distance", "") == "hierarchical")
    names = {name for model in asked for name in model.columns if name in engine.names}
    found = {}
    for name in sorted(names):
        try:
            found[name] = _tree(engine, policy, name, folder)
        except IncrowdError:
            continue
    return found


def _tree(engine: MemoryEngine, policy: Policy, name: str, folder: AnyPath) -> Reference:
    given = policy.columns[name].hierarchy
    if given is None:
        raise PolicyError(f"{name!r} has no hierarchy")
    column = engine.code(name, policy.columns[name].kind, policy.missing_values)
    aligned, hierarchy = with_hierarchy(column, resolve(given, Path(folder)))
    rows = engine.series(name).alias(name).to_frame()
    cells = readable(rows, policy.missing_values, text=engine.text)[name]
    return Reference.read(cells, aligned, None, hierarchy.maps)


def _of_frame(frame: Any, policy: Policy, folder: AnyPath) -> Original | None:
    if frame is None:
        return None
    frame = collected(frame)
    return _original(tables.Source(rows_of(frame), text=False), policy, folder)


def _of_file(path: AnyPath | None, policy: Policy, folder: AnyPath) -> Original | None:
    return None if path is None else _original(Reading().read(path), policy, folder)


def _original(source: tables.Source, policy: Policy, folder: AnyPath) -> Original:
    engine = MemoryEngine(source.frame, text=source.text)
    builders = builders_of(policy, folder)
    return Original(coded(engine, source.frame, policy, builders, text=source.text))


def _certified_policy(paper: Certificate | None, original: AnyPath | None) -> Policy:
    """The policy of the certificate; with an original its hierarchies are needed, too."""
    if paper is None:
        raise PolicyError("there is nothing to check against", remedy="give a policy")
    if original is None:
        return rewritten(paper.policy)
    found = restored(paper.policy)
    if found is None:
        raise PolicyError(
            "losses are recounted by the hierarchies of the policy, and the certificate only names "
            "some of them",
            remedy="give the policy, too",
        )
    return found
