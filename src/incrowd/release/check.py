"""Checking a release by itself: its rows, its policy and, if there is one, its certificate."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from incrowd.errors import InputError, NotMetError, boundary
from incrowd.hierarchy.labels import TOP
from incrowd.policy.policy import Policy
from incrowd.release.against import Against
from incrowd.release.certificate import (
    Attested,
    Certificate,
    Digest,
    Spread,
    digest_of_policy,
)
from incrowd.release.leaving import dropped, leaving_names
from incrowd.release.written import promised, written
from incrowd.table.roles import Missing
from incrowd.verify.cells import readable
from incrowd.verify.crowds import numbered
from incrowd.verify.ends import joined, split_columns
from incrowd.verify.permuted import by_number
from incrowd.verify.verdict import Check, Verdict
from incrowd.verify.verify import Reference, look, verify

ROUNDING = 1e-9
"""What figures that were computed twice may differ by."""
_AT_MOST = ("t-closeness", "alpha-k", "delta-presence")
"""Models that ask for a value or less; the others ask for one or more."""
_UNTOLD = (
    "The release does not tell its classes, so models cannot be counted from it; a certificate of "
    "this very release would attest them."
)
_PERMUTED = (
    "That the sensitive values changed places at random, and only inside their class, cannot be "
    "seen from the release; quasi-identifiers are exact, so no k-anonymity is claimed."
)


def check_rows(  # noqa: PLR0913  the release, what it promises, and a world
    rows: pl.DataFrame,
    policy: Policy,
    digest: Digest,
    certificate: Certificate | None = None,
    *,
    text: bool = False,
    against: Against | None = None,
) -> Check:
    """What these rows show of a policy, everything counted anew."""
    if policy.split_ends:
        rows = joined(rows, dict.fromkeys(split_columns(policy.quasi, rows.columns), TOP))
    digest_ok = None
    if certificate is not None and certificate.digest.of == digest.of:
        digest_ok = certificate.digest == digest
    faults = [*_columns(rows, policy), *_contradictions(policy, certificate, digest_ok)]
    notes = [*_remarks(policy, certificate, digest_ok), *_opposed(certificate, against)]
    verdicts: tuple[Verdict, ...] = ()
    if not _lacking(rows, policy):
        known = certificate if digest_ok else None
        blank = text or (known is not None and known.blank)
        seen = readable(rows, policy.missing_values, text=blank)
        verdicts, trusted = _judged(seen, policy, known, against)
        notes += trusted
        faults += () if known is None else _overstated(known, policy, seen, verdicts)
    if not verdicts:
        faults.append("The models could not be checked.")
    ok = not faults and all(verdict.ok for verdict in verdicts)
    return Check(ok, verdicts, digest.sha256, digest_ok, (*faults, *notes))


def _lacking(rows: pl.DataFrame, policy: Policy) -> list[str]:
    return [name for name in leaving_names(policy, policy.columns) if name not in rows.columns]


def _columns(rows: pl.DataFrame, policy: Policy) -> Iterator[str]:
    if lacking := _lacking(rows, policy):
        yield f"The release lacks columns that the policy lets leave: {', '.join(lacking)}."
    gone = set(dropped(policy))
    if stray := [name for name in rows.columns if name in gone]:
        yield f"The release has columns that must not leave: {', '.join(stray)}."
    known = {*policy.columns, policy.class_column}
    if unknown := [name for name in rows.columns if name not in known]:
        yield f"The release has columns that the policy does not name: {', '.join(unknown)}."


def _contradictions(
    policy: Policy, certificate: Certificate | None, digest_ok: bool | None
) -> Iterator[str]:
    """In what the certificate contradicts the release or the policy."""
    if certificate is None:
        return
    if digest_ok is False:
        yield "The certificate is of another release, or the release was changed."
    if _promise(certificate) != promised(written(policy)):
        yield "The certificate is of another policy."
    if not all(model.ok for model in certificate.models):
        yield "The certificate itself says that a model is not met."


def _promise(certificate: Certificate) -> dict[str, Any]:
    with boundary(InputError("the policy in the certificate cannot be read")):
        return promised(certificate.policy)


def _overstated(
    certificate: Certificate, policy: Policy, rows: pl.DataFrame, verdicts: Sequence[Verdict]
) -> Iterator[str]:
    """In what the certificate says more than these rows show."""
    asked = [(model.name, model.column, model.asked) for model in certificate.models]
    if verdicts and asked != [(model.name, model.column, model.asked) for model in verdicts]:
        yield "The certificate attests other models than the policy asks for."
    elif any(map(_better, certificate.models, verdicts)):
        yield "The certificate attests more than the release reaches."
    if not _accounted(certificate, policy, len(rows)):
        yield "The certificate counts other records than the release and its policy allow."
    for name in _close(policy):
        if name not in certificate.spread or not _fits(certificate, rows[name], policy):
            yield f"The certificate does not say how {name} was spread in the table as it was read."


def _accounted(certificate: Certificate, policy: Policy, records: int) -> bool:
    """Whether the records in, out and left out add up, and no more were left out than may be."""
    gone, whole = certificate.suppressed, certificate.records_in
    chosen = gone.records - gone.for_missing
    return (
        certificate.records_out == records == whole - gone.records
        and (certificate.people == records or policy.unit is not None)
        and 0 <= chosen <= policy.suppression * whole + ROUNDING
        and gone.for_missing >= 0
        and (not gone.for_missing or policy.missing is Missing.SUPPRESS)
    )


def _better(said: Attested, counted: Verdict) -> bool:
    """Whether a model is said to be met better than was counted."""
    if counted.name in _AT_MOST:
        return said.reached < counted.reached - ROUNDING
    return said.reached > counted.reached + ROUNDING


def _remarks(
    policy: Policy, certificate: Certificate | None, digest_ok: bool | None
) -> Iterator[str]:
    """What a reader of the check should know."""
    if certificate is None:
        return
    if digest_ok is None:
        yield (
            f"The certificate's digest is of a {certificate.digest.of}, so it could not be "
            "compared with what was checked."
        )
    same = digest_of_policy(written(policy)) == certificate.policy_sha256
    if not same and _promise(certificate) == promised(written(policy)):
        yield (
            "The certificate's policy differs from this one in how the release was found, "
            "not in what it promises."
        )


def _opposed(certificate: Certificate | None, against: Against | None) -> Iterator[str]:
    """Whether the world is that of the certificate."""
    if against is None:
        return
    yield from (f"{note[:1].upper()}{note[1:]}." for note in against.notes)
    said = None if certificate is None else certificate.world
    if said is not None and said.digests != against.digests:
        yield "The certificate was made against another world, or the world was changed since."


def _judged(
    rows: pl.DataFrame, policy: Policy, certificate: Certificate | None, against: Against | None
) -> tuple[tuple[Verdict, ...], list[str]]:
    """The verdicts, and what was taken on trust or stands in their way."""
    if policy.show == "permutation" and policy.class_column is None:
        return _said(policy, certificate)
    reference, notes = _references(rows, policy, certificate)
    try:
        seen = look(rows, policy)
        if policy.class_column is not None:
            seen = replace(seen, crowds=by_number(numbered(rows[policy.class_column]).codes))
            notes.append(_PERMUTED)
        world = None if against is None else against.public
        drawn, told = _drawn(policy, len(rows), certificate)
        notes += told
        verdicts = verify(seen, policy, reference, world, drawn)
    except NotMetError as error:
        return (), [f"{error.message[:1].upper()}{error.message[1:]}."]
    if policy.unit is None:
        return verdicts, notes
    if certificate is None or len(certificate.models) != len(verdicts):
        notes.append(
            "People cannot be counted from the release alone, only its records were; a "
            "certificate of this very release would attest the people."
        )
        return tuple(replace(verdict, ok=False) for verdict in verdicts), notes
    notes.append("The number of people per class is attested by the certificate, not recounted.")
    return tuple(_attested(certificate, i, verdict) for i, verdict in enumerate(verdicts)), notes


def _drawn(
    policy: Policy, records: int, certificate: Certificate | None
) -> tuple[int | None, list[str]]:
    """The people who were drawn, for models of a population, and what was taken on trust.

    Without a certificate as many were left out as may be.
    """
    if not any(model.name == "probabilistic" for model in policy.models):
        return None, []
    if certificate is not None:
        return certificate.records_in, [
            "How many records were read is attested by the certificate."
        ]
    note = (
        "Without its certificate the release cannot tell how many people were drawn: as many are "
        f"taken to be left out as the policy allows ({policy.suppression:g} of the records)"
    )
    unknown = policy.missing is Missing.SUPPRESS
    note += ", besides those with a missing value, who are not counted." if unknown else "."
    return int(records / (1 - policy.suppression)), [note]


def _said(policy: Policy, certificate: Certificate | None) -> tuple[tuple[Verdict, ...], list[str]]:
    """What the certificate says of classes that the release does not tell."""
    if certificate is None or len(certificate.models) != len(policy.models):
        return (), [_UNTOLD]
    asked = [
        Verdict(model.name, model.columns[0], float(model.asked), said.reached, ok=True)
        for model, said in zip(policy.models, certificate.models, strict=True)
    ]
    notes = ["What the models reach is attested by the certificate, not recounted.", _PERMUTED]
    return tuple(_attested(certificate, i, verdict) for i, verdict in enumerate(asked)), notes


def _attested(certificate: Certificate, number: int, counted: Verdict) -> Verdict:
    """What the certificate says of a model; a class never has more people than records."""
    said = certificate.models[number]
    same = (said.name, said.column, said.asked) == (counted.name, counted.column, counted.asked)
    possible = counted.name != "k-anonymity" or said.reached <= counted.reached
    met = said.reached >= said.asked - ROUNDING
    if counted.name in _AT_MOST:
        met = said.reached <= said.asked + ROUNDING
    return replace(counted, reached=said.reached, ok=same and said.ok and met and possible)


def _references(
    rows: pl.DataFrame, policy: Policy, certificate: Certificate | None
) -> tuple[dict[str, Reference], list[str]]:
    found: dict[str, Reference] = {}
    notes = []
    for name in _close(policy):
        known = certificate is not None and name in certificate.spread
        if certificate is not None and known and _fits(certificate, rows[name], policy):
            labels = numbered(rows[name]).labels.to_list()
            found[name] = _reference(certificate.spread[name], labels)
            notes.append(
                f"How {name} was spread in the table as it was read is attested by the certificate."
            )
        else:
            found[name] = _own(rows[name])
            notes.append(
                f"Without its certificate t-closeness of {name} is measured against the release "
                "itself, not against the table as it was read."
            )
    return found, notes


def _own(column: pl.Series) -> Reference:
    """The column's spread in the release itself; in order of number if all its labels are one."""
    cells = numbered(column)
    numbers = cells.labels.cast(pl.Float64, strict=False)
    ordered = numbers.to_numpy() if not numbers.null_count() else np.arange(len(cells.labels))
    rank = np.unique(ordered, return_inverse=True)[1] + 1
    places = np.concatenate([[0], rank]).astype(np.int64)
    people = np.bincount(places[cells.codes], minlength=int(places.max()) + 1)
    return Reference(dict(zip(cells.labels.to_list(), rank.tolist(), strict=True)), people)


def _close(policy: Policy) -> tuple[str, ...]:
    """The columns that must be spread in each class as in the whole table."""
    names = (model.columns[0] for model in policy.models if model.name == "t-closeness")
    return tuple(dict.fromkeys(names))


def _fits(certificate: Certificate, column: pl.Series, policy: Policy) -> bool:
    """Whether the column can come from a table in which it was spread as the certificate says."""
    spread = certificate.spread[column.name]
    cells, places, people = numbered(column), np.array([0, *spread.places]), len(spread.people)
    if len(places) != len(cells.labels) + 1 or ((places < 0) | (places >= people)).any():
        return False
    if not sum(spread.people) or min(spread.people) < 0 or not _is_hierarchy(spread):
        return False
    held = np.bincount(places[cells.codes], minlength=people)
    whole = sum(spread.people) == certificate.records_in and bool((held <= spread.people).all())
    return whole or policy.unit is not None


def _is_hierarchy(spread: Spread) -> bool:
    """Whether the maps of a spread, if any, are levels from the values themselves to one node."""
    if spread.maps is None:
        return True
    values = len(spread.people)
    if len(spread.maps) < 2 or any(len(level) != values for level in spread.maps):
        return False
    nested = all(
        len(set(zip(lower, upper, strict=True))) == len(set(lower))
        for lower, upper in pairwise(spread.maps)
    )
    return nested and spread.maps[0] == tuple(range(values)) and set(spread.maps[-1]) == {1}


def _reference(spread: Spread, labels: list[str]) -> Reference:
    maps = None if spread.maps is None else np.array(spread.maps, dtype=np.int32)
    place = dict(zip(labels, spread.places, strict=True))
    return Reference(place, np.array(spread.people, dtype=np.int64), maps)
