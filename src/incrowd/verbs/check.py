"""Releases checked: everything counted anew, from the release and what is given beside it."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from incrowd.engines.base import Engine
from incrowd.engines.memory_release import MemoryWritten
from incrowd.errors import IncrowdError, PolicyError
from incrowd.io import files
from incrowd.io.atomic import pending
from incrowd.io.hierarchies import builders_of, resolve
from incrowd.io.reading import (
    AnyPath,
    Opened,
    Reading,
    each_of,
    enough_memory,
    is_path,
    opened,
    rows_of,
)
from incrowd.io.worlds import WorldNames, world_of
from incrowd.policy.policy import Policy
from incrowd.release.certificate import (
    Certificate,
    KeyFiles,
    digest_of_bytes,
    digest_of_frame,
    public_fingerprint,
)
from incrowd.release.certificate import new_keys as make
from incrowd.release.check import Backing, Checked, check_rows
from incrowd.release.load import load, with_hierarchy
from incrowd.release.original import Original
from incrowd.release.policy_record import restored, restored_roles
from incrowd.table.cells import readable
from incrowd.table.encode import uncoded
from incrowd.verify.verify import Check, Reference


def new_keys(path: AnyPath) -> KeyFiles:
    """A new private key in this file, the public one beside it with `.pub` behind its name.

    Neither replaces a file that is there.
    """
    private, public = os.fspath(path), f"{os.fspath(path)}.pub"
    secret, shown = make()
    files.refuse_there(private, public)
    files.write_new(private, secret, mode=0o600)
    files.write_new(public, shown, mode=0o644)
    return KeyFiles(private, public, public_fingerprint(shown))


def check(  # noqa: PLR0913  the release, what it promises, and what it is held against
    source: Any,
    policy: Policy | None = None,
    certificate: Certificate | AnyPath | None = None,
    *,
    original: Any = None,
    trusted_keys: Sequence[AnyPath | bytes] = (),
    reading: Reading | None = None,
    world: Any = None,
    world_id: str | None = None,
    rename: Mapping[str, str] | None = None,
    folder: AnyPath = ".",
) -> Check:
    """Check what a release shows of its policy: everything is counted anew from the release alone.

    `source` is a frame or the path of a file. Without a policy that of the certificate is taken.
    `original` is the table that the release was made of: with it losses are recounted, too. With
    `trusted_keys` (public keys as PEM, or the paths of their files) the certificate must be signed
    by one of them. Models such as k-map are counted in the `world` that they are about: see
    `anonymize`.
    """
    with enough_memory():
        paper = _certificate(certificate)
        asked = _certified_policy(paper, original) if policy is None else policy
        release = opened(source, reading, asked.columns)
        engine = release.engine
        backing = Backing(
            paper,
            lent=policy is None,
            trusted=_keys(trusted_keys),
            against=world_of(engine, world, asked, WorldNames(world_id, rename, folder)),
            trees={} if policy is None else _trees(engine, asked, folder),
            original=_original(original, asked, folder),
        )
        return check_rows(_checked(source, release, paper), asked, backing)


def _certificate(given: Certificate | AnyPath | None) -> Certificate | None:
    if given is None or isinstance(given, Certificate):
        return given
    return Certificate.from_json(files.content(given))


def _checked(source: Any, opened_: Opened, paper: Certificate | None) -> Checked:
    engine = opened_.engine
    rows = rows_of(source) if opened_.like.frame.is_empty() else opened_.like.frame
    kept = is_path(source) and str(source) != "-"
    framed = not kept or (paper is not None and paper.digest.of == "frame")
    digest = digest_of_frame(rows) if framed else digest_of_bytes(files.content(source))
    return Checked(
        MemoryWritten(rows, rows),
        digest,
        text=engine.text,
        sealed=uncoded(engine.sealed),
        torn=kept and pending(source),
    )


def _keys(given: Sequence[AnyPath | bytes]) -> tuple[bytes, ...]:
    return tuple(key if isinstance(key, bytes) else files.content(key) for key in each_of(given))


def _trees(engine: Engine, policy: Policy, folder: AnyPath) -> dict[str, Reference]:
    """How sensitive columns with a hierarchy are spread in the release, with its levels.

    Without a tree at hand the distances cannot be measured; the judge then says so.
    """
    asked = (model for model in policy.models if model.needs_hierarchy)
    names = {name for model in asked for name in model.columns if name in engine.names}
    found = {}
    for name in sorted(names):
        try:
            found[name] = _tree(engine, policy, name, folder)
        except IncrowdError:
            continue
    return found


def _tree(engine: Engine, policy: Policy, name: str, folder: AnyPath) -> Reference:
    given = policy.columns[name].hierarchy
    if given is None:
        raise PolicyError(f"{name!r} has no hierarchy")
    kinds = {name: kind} if (kind := policy.columns[name].kind) is not None else {}
    column = engine.codes([name], kinds, policy.missing_values)[name]
    aligned, hierarchy = with_hierarchy(engine, column, resolve(given, Path(folder)))
    rows = engine.counts([name], [aligned])
    cells = readable(rows.cells, policy.missing_values, text=engine.text)
    return Reference.read(rows.with_cells(cells), name, len(aligned.domain), hierarchy.maps)


def _original(source: Any, policy: Policy, folder: AnyPath) -> Original | None:
    if source is None:
        return None
    return Original(load(opened(source).engine, policy, builders_of(policy, folder)))


def _certified_policy(paper: Certificate | None, original: Any) -> Policy:
    """The policy of the certificate; with an original its hierarchies are needed, too."""
    if paper is None:
        raise PolicyError("there is nothing to check against", remedy="give a policy")
    if original is None:
        return restored_roles(paper.policy)
    found = restored(paper.policy)
    if found is None:
        raise PolicyError(
            "losses are recounted by the hierarchies of the policy, and the certificate only names "
            "some of them",
            remedy="give the policy, too",
        )
    return found
