"""Releases checked: everything counted anew, from the release and what is given beside it."""

import os
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from typing import Any

from incrowd.engines.base import Engine
from incrowd.engines.fetch import stored_release
from incrowd.errors import IncrowdError, PolicyError
from incrowd.io import files
from incrowd.io.atomic import is_pending
from incrowd.io.hierarchies import builders_of, resolve
from incrowd.io.reading import AnyPath, Opened, enough_memory, file_of, open_table, tuple_of
from incrowd.io.worlds import WorldNames, world_of
from incrowd.policy.coding import code_columns
from incrowd.policy.policy import Policy
from incrowd.release.certificate import Certificate, Digest, KeyFiles, public_fingerprint
from incrowd.release.certificate import new_keys as make
from incrowd.release.check import CheckedRelease, check_rows
from incrowd.release.claims import Backing
from incrowd.release.load import WorldReference, code_by_hierarchy, load
from incrowd.release.original import Original
from incrowd.release.policy_record import restore_flat_policy, restore_policy
from incrowd.requests.check import CheckRequest
from incrowd.requests.request import verb
from incrowd.table.column import Role
from incrowd.table.encode import columns_without_codes
from incrowd.verify.verdict import Check
from incrowd.verify.verify import Reference
from incrowd.watch import Watch


def new_keys(path: AnyPath) -> KeyFiles:
    """Write a new private key to this file, and its public key beside it with `.pub` added.

    Neither replaces a file that is there.
    """
    private, public = os.fspath(path), f"{os.fspath(path)}.pub"
    secret, shown = make()
    files.refuse_existing_paths(private, public)
    files.write_new(private, secret, mode=0o600)
    files.write_new(public, shown, mode=0o644)
    return KeyFiles(private, public, public_fingerprint(shown))


@verb(CheckRequest)
def check(asked: CheckRequest) -> Check:
    """Check whether a release satisfies its policy: count its rows anew.

    The release is a frame, the path of a file or a table elsewhere, where it is counted (see
    `incrowd.api`). Of its certificate nothing is believed that rows can show. Without a policy that
    of the certificate is taken; `PolicyError` if there is neither. Trusted keys are public keys as
    PEM, or the paths of their files. Models such as k-map are counted in the `world` that they are
    about: see `anonymize`. With the `original` all losses that labels show are recounted, too.
    """
    folder = files.folder_of_policy(asked.policy, asked.folder)
    lent = asked.policy is None
    tell = (asked.watch or Watch()).tell
    with enough_memory(), ExitStack() as held:
        tell("reading the release", 0.0)
        certificate = certificate_of(asked.certificate)
        policy = (
            certified_policy(certificate, asked.original) if lent else files.policy_of(asked.policy)
        )
        given = asked.source, asked.reading, policy.columns, policy.names(Role.KEEP), asked.watch
        release = held.enter_context(open_table(*given))
        engine = release.engine
        names = WorldNames(asked.world_id, asked.rename, folder)
        against = world_of(engine, asked.world, policy, names)
        backing = Backing(
            certificate,
            lent=lent,
            trusted=keys_of(asked.trusted_keys),
            against=against,
            trees={} if lent else spreads_of(engine, policy, folder),
            original=_load_original(asked, policy, folder, against, held),
        )
        tell("fingerprinting the release", 0.0)
        checked = release_to_check(asked.source, release, certificate)
        tell("counting every class of the release", 0.0)
        return check_rows(checked, policy, backing)


def certificate_of(given: Certificate | AnyPath | None) -> Certificate | None:
    """Return the certificate, read from its file if a path is given; None if none is."""
    if given is None or isinstance(given, Certificate):
        return given
    return Certificate.from_json(files.read_document(given))


def release_to_check(source: Any, table: Opened, certificate: Certificate | None) -> CheckedRelease:
    """The release with its digest: of its cells if certified so or not a file, else of the file."""
    engine = table.engine
    release = stored_release(engine, None if certificate is None else certificate.digest.of)
    file = file_of(source)
    if file is None or (certificate is not None and certificate.digest.of == "frame"):
        of, sha256 = release.digest()
        digest = Digest(of=of, sha256=sha256)
    else:
        digest = Digest(of="file", sha256=files.sha256(file))
    return CheckedRelease(
        release,
        digest,
        text=engine.text,
        sealed=columns_without_codes(engine.sealed),
        torn=file is not None and is_pending(file),
    )


def keys_of(given: Sequence[AnyPath | bytes]) -> tuple[bytes, ...]:
    """Return public keys, read from their files where they are paths."""
    return tuple(
        key if isinstance(key, bytes) else files.read_document(key) for key in tuple_of(given)
    )


def spreads_of(engine: Engine, policy: Policy, folder: AnyPath) -> dict[str, Reference]:
    """Records by value, and levels, of each sensitive column whose model needs a hierarchy.

    A column without a usable hierarchy is left out: the judge refuses to measure its distances.
    """
    names = {name for model in policy.models if model.needs_hierarchy for name in model.columns}
    found = {}
    for name in sorted(names.intersection(engine.names)):
        with suppress(IncrowdError):
            found[name] = _spread_of_column(engine, policy, name, folder)
    return found


def _spread_of_column(engine: Engine, policy: Policy, name: str, folder: AnyPath) -> Reference:
    """Records by value, and levels, of a sensitive column; `PolicyError` without a hierarchy."""
    given, kind = policy.columns[name].hierarchy, policy.columns[name].kind
    if given is None:
        raise PolicyError(f"{name!r} has no hierarchy")
    column = code_columns(engine, policy, [name])[name]
    aligned, hierarchy = code_by_hierarchy(engine, column, resolve(given, folder, kind))
    rows = engine.counts([name], [aligned])
    cells = policy.marks.with_nulls(rows.cells, text=engine.text)
    return Reference.read(rows.with_cells(cells), name, len(aligned.domain), hierarchy.maps)


def _load_original(
    asked: CheckRequest,
    policy: Policy,
    folder: AnyPath,
    against: WorldReference | None,
    held: ExitStack,
) -> Original | None:
    """Load the original by the policy of the release; None without one. `held` closes its engine.

    Columns that leave unchanged are read as written. If a world is given (`against`), hierarchies
    cover its values, too.
    """
    if asked.original is None:
        return None
    given = asked.original, asked.original_reading, policy.columns, policy.names(Role.KEEP)
    engine = held.enter_context(open_table(*given)).engine
    return Original(load(engine, policy, builders_of(policy, folder), against))


def certified_policy(certificate: Certificate | None, original: Any) -> Policy:
    """The certificate's policy; `PolicyError` without one, or if an original lacks hierarchies."""
    if certificate is None:
        raise PolicyError("there is nothing to check against", remedy="give a policy")
    if original is None:
        return restore_flat_policy(certificate.policy)
    found = restore_policy(certificate.policy)
    if found is None:
        raise PolicyError(
            "losses are recounted by the hierarchies of the policy, and the certificate only names "
            "some of them",
            remedy="give the policy, too",
        )
    return found
