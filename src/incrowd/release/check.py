"""Checking a release by itself: its rows, its policy and, if there is one, its certificate."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from incrowd.engines.base import Written
from incrowd.errors import NotMetError
from incrowd.hierarchy.labels import TOP
from incrowd.policy.policy import Policy
from incrowd.release.certificate import Certificate, Digest, who_signed
from incrowd.release.claims import ROUNDING, contradictions, recount
from incrowd.release.load import WorldReference
from incrowd.release.original import Original
from incrowd.release.released import ReleasedRows, close, fits, reference_of
from incrowd.release.rows import dropped, leaving_names
from incrowd.table.column import Kind, Missing
from incrowd.verify.crowds import numbered
from incrowd.verify.shown import by_number
from incrowd.verify.spellings import alike_notes, kind_found, own_reference, split_columns
from incrowd.verify.verify import Check, Reference, Seen, Signed, Verdict, look, verify

_UNTOLD = (
    "The release does not tell its classes, so models cannot be counted from it; a certificate of "
    "this very release would attest them."
)
_PERMUTED = (
    "That the sensitive values changed places at random, and only inside their class, cannot be "
    "seen from the release; quasi-identifiers are exact, so no k-anonymity is claimed."
)
_TORN = (
    "A run that was to replace this release and its certificate was killed: the next "
    "`incrowd anonymize` to this file completes it or takes it back."
)


@dataclass(frozen=True, eq=False)
class Checked:
    """The release that is checked."""

    release: Written
    digest: Digest
    text: bool = False
    """Whether the rows come from a text file."""
    sealed: tuple[str, ...] = ()
    """The columns of lists and structures, whose cells are not compared."""
    torn: bool = False
    """Whether a run was killed while it replaced this release and its certificate."""

    def __repr__(self) -> str:
        """Without values."""
        return f"Checked({self.release.records} records)"


@dataclass(frozen=True, eq=False)
class Backing:
    """What a release is checked with, besides its policy."""

    certificate: Certificate | None = None
    lent: bool = False
    """Whether the policy is the certificate's own, as no other was given."""
    trusted: tuple[bytes, ...] = ()
    """Public keys (PEM) whose signatures are trusted; without one nobody's is asked for."""
    against: WorldReference | None = None
    trees: Mapping[str, Reference] = field(default_factory=dict)
    """By sensitive column with a hierarchy: how it is spread in the release, with the levels."""
    original: Original | None = None
    """The table that the release is said to be of."""


def check_rows(checked: Checked, policy: Policy, backing: Backing) -> Check:
    """What these rows show of a policy, everything counted anew."""
    certificate = backing.certificate
    same = _same_rows(checked, policy, certificate)
    digest_ok = _digest_ok(checked, certificate, same)
    signature = None if certificate is None else who_signed(certificate, backing.trusted)
    rows = _read(checked, policy, certificate if digest_ok else None)
    faults = [
        *_columns(rows.names, policy),
        *_unlike(checked, certificate, digest_ok, same),
        *contradictions(policy, certificate),
        *_unsigned(certificate, signature, backing),
    ]
    notes = [_TORN] if checked.torn else []
    notes += _opposed(certificate, backing.against)
    found = _Found(rows.records)
    if not _lacking(rows.names, policy):
        known = certificate if digest_ok else None
        found = replace(_judged(rows, policy, known, backing), sealed=checked.sealed)
    if not found.verdicts:
        faults.append("The models could not be checked.")
    claims = recount(certificate, policy, found, backing) if digest_ok and certificate else None
    faults += () if claims is None else claims.faults
    notes += (*found.notes, *_origin(certificate, signature, backing))
    if claims is not None:
        notes += claims.notes
    return Check(
        ok=not faults and all(verdict.ok for verdict in found.verdicts),
        models=found.verdicts,
        digest=checked.digest.sha256,
        digest_ok=digest_ok,
        notes=(*faults, *notes),
        signature=signature,
        recounted=() if claims is None else claims.recounted,
        claimed=() if claims is None else claims.claimed,
        losses={} if claims is None else claims.losses,
    )


@dataclass(frozen=True, eq=False)
class _Found:
    """What was seen in the rows."""

    records: int
    verdicts: tuple[Verdict, ...] = ()
    notes: tuple[str, ...] = ()
    seen: Seen | None = None
    """None if the release does not tell its classes."""
    rows: ReleasedRows | None = None
    """The same rows, to count more of them."""
    sealed: tuple[str, ...] = ()
    counted: bool = False
    """Whether the verdicts were counted, all of them, and not taken from the certificate."""


def _same_rows(checked: Checked, policy: Policy, certificate: Certificate | None) -> bool | None:
    """Whether these are the rows that the certificate is of; None if it does not say."""
    if certificate is None or certificate.rows_sha256 is None:
        return None
    found = checked.release.rows_digest(policy.missing_values)
    return None if found is None else certificate.rows_sha256 == found


def _digest_ok(checked: Checked, certificate: Certificate | None, same: bool | None) -> bool | None:
    """Whether the certificate is of this; by the rows where it is of another kind of thing."""
    if certificate is None:
        return None
    if certificate.digest.of == checked.digest.of:
        return certificate.digest == checked.digest
    return same


def _unlike(
    checked: Checked, certificate: Certificate | None, digest_ok: bool | None, same: bool | None
) -> Iterator[str]:
    """Why these rows are not those that the certificate is of."""
    if certificate is None:
        return
    if digest_ok and same is False:
        yield "The certificate contradicts itself: its digest of the rows is of other rows."
    elif digest_ok is None:
        yield (
            f"The certificate is of a {certificate.digest.of}, and a {checked.digest.of} was "
            "checked: whether they hold the same cannot be told. Check what the certificate is of."
        )
    elif not digest_ok and same:
        yield (
            "The rows are those that the certificate is of, but the file is another one: its bytes "
            "were written anew. Check the file that came with the certificate."
        )
    elif not digest_ok:
        yield (
            f"The certificate is of another {certificate.digest.of}, or the release was changed "
            "after it was certified."
        )


def _unsigned(
    certificate: Certificate | None, signature: Signed | None, backing: Backing
) -> Iterator[str]:
    """Why the signature is not what was asked for."""
    if signature is not None and signature.valid is False:
        yield "The signature is not one of this certificate: it was changed after it was signed."
    if not backing.trusted:
        return
    if certificate is None:
        yield "A signature is asked for, and there is no certificate."
    elif signature is None:
        yield "A trusted signature is asked for, and the certificate is unsigned."
    elif not signature.trusted:
        yield "The certificate is signed by a key that is not trusted."


def _origin(
    certificate: Certificate | None, signature: Signed | None, backing: Backing
) -> Iterator[str]:
    """What is known of where the certificate comes from."""
    if certificate is None:
        return
    if signature is None:
        yield "The certificate is unsigned: it proves nothing about its origin."
    elif signature.valid is None:
        yield (
            f"The certificate says that the key {signature.fingerprint} signed it; that was not "
            "verified, as the package cryptography is missing (install incrowd[sign])."
        )
    elif signature.valid and not backing.trusted:
        yield (
            f"The certificate is signed by the key {signature.fingerprint}. Whose key that is was "
            "not asked: anybody can make one (name those you trust with --trusted-key)."
        )
    elif signature.valid and signature.trusted:
        yield f"The certificate is signed by the trusted key {signature.fingerprint}."


def _read(checked: Checked, policy: Policy, known: Certificate | None) -> ReleasedRows:
    """The rows as the policy reads them, and as the certificate says that they were read."""
    names = checked.release.names
    split = split_columns(policy.quasi, names) if policy.split_ends else ()
    blank = checked.text or (known is not None and known.blank)
    tops = dict.fromkeys(split, TOP)
    return ReleasedRows(checked.release, tops, policy.missing_values, blank)


def _lacking(names: Sequence[str], policy: Policy) -> list[str]:
    return [name for name in leaving_names(policy, policy.columns) if name not in names]


def _columns(names: Sequence[str], policy: Policy) -> Iterator[str]:
    if lacking := _lacking(names, policy):
        yield f"The release lacks columns that the policy lets leave: {', '.join(lacking)}."
    gone = set(dropped(policy))
    if stray := [name for name in names if name in gone]:
        yield f"The release has columns that must not leave: {', '.join(stray)}."
    known = {*policy.columns, policy.class_column}
    if unknown := [name for name in names if name not in known]:
        yield f"The release has columns that the policy does not name: {', '.join(unknown)}."


def _opposed(certificate: Certificate | None, against: WorldReference | None) -> Iterator[str]:
    """Whether the world is that of the certificate."""
    if against is None:
        return
    yield from (f"{note[:1].upper()}{note[1:]}." for note in against.notes)
    said = None if certificate is None else certificate.world
    if said is not None and said.digests != against.digests:
        yield "The certificate was made against another world, or the world was changed since."


def _judged(
    rows: ReleasedRows, policy: Policy, certificate: Certificate | None, backing: Backing
) -> _Found:
    """The verdicts, and what was taken on trust or stands in their way."""
    records = rows.records
    if policy.shown.exact and policy.class_column is None:
        return _said(records, policy, certificate)
    reference, notes = _references(rows, policy, certificate, backing.trees)
    notes += _spellings(rows, policy, certificate)
    try:
        seen = _seen(rows, policy)
        if policy.class_column is not None:
            notes.append(_PERMUTED)
        against = backing.against
        world = None if against is None else against.public
        drawn, told = _drawn(policy, records, certificate)
        notes += told
        verdicts = verify(seen, policy, reference, world, drawn)
    except NotMetError as error:
        return _Found(records, notes=(f"{error.message[:1].upper()}{error.message[1:]}.",))
    if policy.unit is None:
        return _Found(records, verdicts, tuple(notes), seen, rows, counted=True)
    if certificate is None or len(certificate.models) != len(verdicts):
        notes.append(
            "People cannot be counted from the release alone, only its records were; a "
            "certificate of this very release would attest the people."
        )
        verdicts = tuple(replace(verdict, ok=False) for verdict in verdicts)
        return _Found(records, verdicts, tuple(notes), seen, rows)
    notes.append("The number of people per class is attested by the certificate, not recounted.")
    verdicts = _all_attested(certificate, policy, verdicts)
    return _Found(records, verdicts, tuple(notes), seen, rows)


def _seen(rows: ReleasedRows, policy: Policy) -> Seen:
    """Who shows the same: in the quasi-identifying columns, or in the column of classes."""
    judged = (name for model in policy.models for name in model.columns)
    columns = dict.fromkeys((*policy.quasi, *judged))
    if policy.class_column is None:
        return look(rows.counts(tuple(columns)), policy)
    held = rows.counts((*columns, policy.class_column))
    crowds = by_number(numbered(held.cells[policy.class_column]).codes, held.records)
    return replace(look(held, policy), crowds=crowds)


def _drawn(
    policy: Policy, records: int, certificate: Certificate | None
) -> tuple[int | None, list[str]]:
    """The people who were drawn, for models of a population, and what was taken on trust.

    Without a certificate as many were left out as may be.
    """
    if not any("population" in model.requires for model in policy.models):
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


def _said(records: int, policy: Policy, certificate: Certificate | None) -> _Found:
    """What the certificate says of classes that the release does not tell."""
    if certificate is None or len(certificate.models) != len(policy.models):
        return _Found(records, notes=(_UNTOLD,))
    asked = [
        Verdict(model.name, model.columns[0], float(model.threshold), said.reached, ok=True)
        for model, said in zip(policy.models, certificate.models, strict=True)
    ]
    notes = ("What the models reach is attested by the certificate, not recounted.", _PERMUTED)
    verdicts = _all_attested(certificate, policy, asked)
    return _Found(records, verdicts, notes)


def _all_attested(
    certificate: Certificate, policy: Policy, verdicts: Sequence[Verdict]
) -> tuple[Verdict, ...]:
    pairs = zip(policy.models, verdicts, strict=True)
    return tuple(_attested(certificate, i, *pair) for i, pair in enumerate(pairs))


def _attested(certificate: Certificate, number: int, model: Any, counted: Verdict) -> Verdict:
    """What the certificate says of a model; a class never has more people than records."""
    said = certificate.models[number]
    same = (said.name, said.column, said.asked) == (counted.name, counted.column, counted.asked)
    people = model.higher_is_safer and not model.columns and not model.requires
    possible = not people or said.reached <= counted.reached
    met = said.reached >= said.asked - ROUNDING
    if not model.higher_is_safer:
        met = said.reached <= said.asked + ROUNDING
    return replace(counted, reached=said.reached, ok=same and said.ok and met and possible)


def _references(
    rows: ReleasedRows,
    policy: Policy,
    certificate: Certificate | None,
    trees: Mapping[str, Reference],
) -> tuple[dict[str, Reference], list[str]]:
    """What sensitive columns are compared with, and in which spellings of a value are one."""
    asked = dict.fromkeys(name for model in policy.models for name in model.columns)
    held = {name: rows.counts((name,)) for name in asked}
    found = {
        name: own_reference(of.cells[name], _kind(of.cells[name], policy, certificate), of.records)
        for name, of in held.items()
    }
    notes = []
    for name in close(policy):
        spread = {} if certificate is None else certificate.spread
        cells = held[name].cells[name]
        if (
            certificate is not None
            and name in spread
            and fits(certificate, name, held[name], policy)
        ):
            found[name] = reference_of(spread[name], numbered(cells).labels.to_list())
            notes.append(
                f"How {name} was spread in the table as it was read is attested by the certificate."
            )
            continue
        notes.append(
            f"{_compared(policy, name)} of {name} is measured against the release itself: how the "
            "column was spread in the table as it was read is not at hand."
        )
        if name in trees:
            found[name] = trees[name]
            notes.append(f"The distances of {name} are those of the hierarchy in the policy.")
    return found, notes


def _compared(policy: Policy, name: str) -> str:
    """The model that compares classes with the whole table in this column."""
    models = (m for m in policy.models if "reference" in m.requires and name in m.columns)
    return next(models).name


def _kind(column: pl.Series, policy: Policy, certificate: Certificate | None) -> Kind:
    """What the values of a sensitive column are: see `spellings`."""
    if certificate is not None and column.name in certificate.kinds:
        return certificate.kinds[column.name]
    asked = policy.columns[column.name].kind
    if asked is not None:
        return asked
    if column.dtype.is_numeric() or isinstance(column.dtype, pl.Duration):
        return Kind.NUMBER
    if isinstance(column.dtype, pl.Date | pl.Datetime):
        return Kind.DATE
    return kind_found(numbered(column).labels)


def _spellings(rows: ReleasedRows, policy: Policy, certificate: Certificate | None) -> list[str]:
    """Values that may be one and count as several."""
    cells = {name: rows.counts((name,)).cells[name] for name in (*policy.sensitive, *policy.quasi)}
    texts = {
        name: numbered(cells[name]).labels
        for name in policy.sensitive
        if _kind(cells[name], policy, certificate) is Kind.TEXT
    }
    notes = alike_notes(texts, "sensitive")
    notes += alike_notes({name: numbered(cells[name]).labels for name in policy.quasi}, "quasi")
    return [f"{note[:1].upper()}{note[1:]}." for note in notes]
