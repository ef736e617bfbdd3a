"""Checking a release by itself: its rows, its policy and, if there is one, its certificate."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from incrowd.engines.base import Written
from incrowd.errors import NotMetError, count_of, sentence
from incrowd.policy.policy import Policy
from incrowd.release.certificate import Attested, Certificate, Digest, Distribution, who_signed
from incrowd.release.claims import (
    ROUNDING,
    Backing,
    Claims,
    Recount,
    contradictions,
    is_of_this_version,
    recount,
)
from incrowd.release.kept import kept_columns, measure_alone_by_policy, read_certified_alone
from incrowd.release.load import WorldReference
from incrowd.release.released import ReleasedRows, compared_columns, fits_distribution, reference_of
from incrowd.release.rows import dropped_columns, leaving_names
from incrowd.release.small_worlds import ENOUGH
from incrowd.release.world_candidates import world_candidates
from incrowd.table.column import Kind, Missing
from incrowd.verify.alone import Alone
from incrowd.verify.crowds import number_cells
from incrowd.verify.shown import crowds_by_number
from incrowd.verify.spellings import alike_notes, kind_of_labels, own_reference
from incrowd.verify.verdict import Check, Signed, Verdict, WorldCandidates
from incrowd.verify.verify import Reference, SeenRelease, see_release, verify

_UNTOLD = (
    "The models cannot be checked: the release does not show its classes. Check it with its "
    "certificate, which attests them."
)
_PERMUTED = (
    "The release cannot show that sensitive values moved at random and only within their "
    "class. Quasi-identifiers are exact, so no k-anonymity is claimed."
)
_TORN = (
    "A run was killed while it replaced this release and its certificate: the two are of different "
    "runs and do not belong together. Run `incrowd anonymize` to this file again: it completes or "
    "undoes the replacement."
)


@dataclass(frozen=True, eq=False)
class CheckedRelease:
    """The release to check."""

    release: Written
    digest: Digest
    text: bool = False
    """Whether the rows come from a text file."""
    sealed: tuple[str, ...] = ()
    """The columns of lists and structures; their cells are not compared."""
    torn: bool = False
    """Whether a run was killed while it replaced this release and its certificate."""

    def __repr__(self) -> str:
        """Without values."""
        return f"CheckedRelease({self.release.records} records)"


def check_rows(checked: CheckedRelease, policy: Policy, backing: Backing) -> Check:
    """Check a release against its policy and its certificate, if any: count everything again."""
    certificate = backing.certificate
    same = _are_same_rows(checked, policy, certificate)
    digest_ok = _is_same_digest(checked, certificate, same)
    signature = None if certificate is None else who_signed(certificate, backing.trusted)
    known = certificate if digest_ok else None
    rows = ReleasedRows.of(checked.release, policy, known, text=checked.text)
    faults = [
        *_column_name_faults(rows.names, policy),
        *_digest_faults(checked, certificate, digest_ok, same),
        *contradictions(policy, certificate),
        *_signature_faults(certificate, signature, backing),
    ]
    notes = [_TORN] if checked.torn else []
    notes += _world_notes(certificate, backing.against)
    found = Recount(rows.records)
    if not _lacking_columns(rows.names, policy):
        found = replace(_judge_rows(rows, policy, known, backing), sealed=checked.sealed)
    if not found.verdicts:
        faults.append("The models could not be checked.")
    alone = _shares_alone(checked, found, policy, known)
    faults += _excess_alone_faults(alone, known)
    found = replace(found, alone=alone)
    claims = Claims() if known is None else recount(known, policy, found, backing)
    faults += claims.faults
    notes += (*found.notes, *_signature_notes(certificate, signature, backing), *claims.notes)
    return Check(
        ok=not faults and all(verdict.ok for verdict in found.verdicts),
        models=found.verdicts,
        digest=checked.digest.sha256,
        digest_ok=digest_ok,
        notes=(*faults, *notes),
        signature=signature,
        recounted=claims.recounted,
        claimed=claims.claimed,
        losses=claims.losses,
        measures=tuple(model.measure for model in policy.models),
        world=_count_world_candidates(found.seen, policy, backing.against),
        alone=alone,
        counted=found.counted or not found.verdicts,
    )


def _count_world_candidates(
    seen: SeenRelease | None, policy: Policy, against: WorldReference | None
) -> WorldCandidates | None:
    """Count how many people of a world a row may be.

    None without a world, or if the release shows no classes or no coarser cells.
    """
    if seen is None or against is None or not policy.shown.coarsens:
        return None
    return world_candidates(seen, policy, against.public_table)


def _shares_alone(
    checked: CheckedRelease, found: Recount, policy: Policy, certificate: Certificate | None
) -> Alone | None:
    """The shares of people whom kept columns single out; with a unit, those of the certificate.

    None if no column is kept, the rows could not be judged, or the certificate does not say.
    """
    rows = found.rows
    if rows is None:
        return None
    if policy.unit is not None:
        return None if certificate is None else read_certified_alone(certificate, policy)
    columns = (*policy.quasi, *kept_columns(policy))
    return measure_alone_by_policy(lambda: [rows.counts(columns)], policy, checked.sealed)


def _excess_alone_faults(alone: Alone | None, certificate: Certificate | None) -> Iterator[str]:
    """Yield a fault if too many are alone; none if an older certificate says nothing of them."""
    if alone is None or alone.ok:
        return
    if certificate is None or certificate.alone is not None or is_of_this_version(certificate):
        yield f"{alone.refusal}."


def _are_same_rows(
    checked: CheckedRelease, policy: Policy, certificate: Certificate | None
) -> bool | None:
    """Whether the rows match their certified digest; None without a certificate or such digests."""
    if certificate is None or certificate.rows_sha256 is None:
        return None
    found = checked.release.rows_digest(policy.missing_values)
    return None if found is None else certificate.rows_sha256 == found


def _is_same_digest(
    checked: CheckedRelease, certificate: Certificate | None, same_rows: bool | None
) -> bool | None:
    """Whether the certificate belongs to this release; None without one, or if that is unknown."""
    if certificate is None:
        return None
    if certificate.digest.of == checked.digest.of:
        return certificate.digest == checked.digest
    return same_rows  # digests of a frame and of a file cannot be compared


def _digest_faults(
    checked: CheckedRelease,
    certificate: Certificate | None,
    digest_ok: bool | None,
    same: bool | None,
) -> Iterator[str]:
    """Yield faults of digests: `digest_ok` if the file's fits, `same` if the rows' does."""
    if certificate is None:
        return
    if digest_ok and same is False:
        yield "The certificate contradicts itself: its digest of the rows belongs to other rows."
    elif digest_ok is None:
        yield (
            f"The certificate belongs to a {certificate.digest.of}, but you checked a "
            f"{checked.digest.of}: incrowd cannot tell whether both hold the same rows. Check "
            f"the {certificate.digest.of} instead."
        )
    elif not digest_ok and same:
        yield (
            "The rows match the certificate, but the bytes of the file do not: somebody wrote "
            "the file again. Check the file that came with the certificate."
        )
    elif not digest_ok:
        yield (
            f"The certificate belongs to another {certificate.digest.of}, or somebody changed "
            "the release after it was certified."
        )


def _signature_faults(
    certificate: Certificate | None, signature: Signed | None, backing: Backing
) -> Iterator[str]:
    """Yield faults: a signature that is not valid, or none by a trusted key if one is asked for."""
    if signature is not None and signature.valid is False:
        yield (
            "The signature is not valid: the certificate or its signature was changed after "
            "signing."
        )
    if not backing.trusted:
        return
    if certificate is None:
        yield "You asked for a trusted signature, but there is no certificate."
    elif signature is None:
        yield "You asked for a trusted signature, but the certificate is unsigned."
    elif not signature.trusted:
        yield "The signature was not verified with any key that you trust."


def _signature_notes(
    certificate: Certificate | None, signature: Signed | None, backing: Backing
) -> Iterator[str]:
    """Yield a note: unsigned, signature not verified, or who signed; none without a certificate."""
    if certificate is None:
        return
    if signature is None:
        yield "The certificate is unsigned: it does not prove who made it."
    elif signature.valid is None:
        yield (
            f"The certificate says that the key {signature.fingerprint} signed it. This was not "
            "verified: the package cryptography is missing (install incrowd[sign])."
        )
    elif signature.valid and not backing.trusted:
        yield (
            f"The key {signature.fingerprint} signed the certificate. Anybody can make a key: "
            "name the ones you trust with --trusted-key."
        )
    elif signature.valid and signature.trusted:
        yield f"The trusted key {signature.fingerprint} signed the certificate."


def _lacking_columns(names: Sequence[str], policy: Policy) -> list[str]:
    """The columns that must leave by the policy and that are not among `names`."""
    return [name for name in leaving_names(policy, policy.columns) if name not in names]


def _column_name_faults(names: Sequence[str], policy: Policy) -> Iterator[str]:
    """Yield faults: columns that are missing, that the policy drops, or that it does not name."""
    if lacking := _lacking_columns(names, policy):
        yield f"The release lacks columns of the policy: {', '.join(lacking)}."
    gone = set(dropped_columns(policy))
    if stray := [name for name in names if name in gone]:
        yield f"The release has columns that the policy drops: {', '.join(stray)}."
    known = {*policy.columns, policy.class_column}
    if unknown := [name for name in names if name not in known]:
        yield f"The release has columns that the policy does not name: {', '.join(unknown)}."


def _world_notes(certificate: Certificate | None, against: WorldReference | None) -> Iterator[str]:
    """Yield notes on the world: its assumptions, if it is small, if it is not the certified one."""
    if against is None:
        return
    yield from map(sentence, against.notes)
    if against.world.people < ENOUGH:
        yield (
            f"The world has {count_of(against.world.people, 'person', 'people')}, fewer than "
            f"{ENOUGH}: somebody who knows the search may conclude more than was counted here. "
            "incrowd anonymize searches all tables that could be drawn from such a world; a check "
            "cannot repeat that."
        )
    said = None if certificate is None else certificate.world
    if said is not None and said.digests != against.digests:
        yield "The certificate was made with another world, or the world has changed since."


def _judge_rows(
    rows: ReleasedRows, policy: Policy, certificate: Certificate | None, backing: Backing
) -> Recount:
    """Judge the rows by the models, noting what was not counted; no verdicts if that fails.

    With a unit, what models reach is the certificate's; without a certificate no verdict is ok.
    """
    records = rows.records
    if policy.shown.exact and policy.class_column is None:
        return _judge_by_certificate(records, policy, certificate)
    reference, notes = _reference_spreads(rows, policy, certificate, backing.trees)
    notes += _spelling_notes(rows, policy, certificate)
    try:
        seen = _look_at_classes(rows, policy)
        if policy.class_column is not None:
            notes.append(_PERMUTED)
        against = backing.against
        world = None if against is None else against.public_table
        drawn, told = _people_drawn(policy, records, certificate)
        notes += told
        verdicts = verify(seen, policy, reference, world, drawn)
    except NotMetError as error:
        return Recount(records, notes=(sentence(error.message),))
    if policy.unit is None:
        return Recount(records, verdicts, tuple(notes), seen, rows, counted=True)
    if certificate is None or len(certificate.models) != len(verdicts):
        notes.append(
            "The release does not show who its records belong to, so only records were "
            "counted. Check it with its certificate, which attests the number of people."
        )
        verdicts = tuple(replace(verdict, ok=False) for verdict in verdicts)
        return Recount(records, verdicts, tuple(notes), seen, rows)
    notes.append("The number of people per class comes from the certificate; it was not recounted.")
    verdicts = _attested_verdicts(certificate, policy, verdicts)
    return Recount(records, verdicts, tuple(notes), seen, rows)


def _look_at_classes(rows: ReleasedRows, policy: Policy) -> SeenRelease:
    """Find the classes: equal quasi-identifiers, or equal numbers in the class column."""
    columns = dict.fromkeys((*policy.quasi, *policy.judged))
    if policy.class_column is None:
        return see_release(rows.counts(tuple(columns)), policy)
    held = rows.counts((*columns, policy.class_column))
    crowds = crowds_by_number(number_cells(held.cells[policy.class_column]).codes, held.records)
    return replace(see_release(held, policy), crowds=crowds)


def _people_drawn(
    policy: Policy, records: int, certificate: Certificate | None
) -> tuple[int | None, list[str]]:
    """Return (sample size for models of a population, None without such; notes on its origin)."""
    if not any("population" in model.requires for model in policy.models):
        return None, []
    if certificate is not None:
        return certificate.records_in, [
            "The number of original records comes from the certificate, not from a recount."
        ]
    note = (
        "Without a certificate the number of sampled people is unknown: the check assumes that "
        f"the policy's whole suppression limit ({policy.suppression:g} of the records) was left "
        "out"
    )
    unknown = policy.missing is Missing.SUPPRESS
    note += "; records left out for a missing value are not included." if unknown else "."
    return int(records / (1 - policy.suppression)), [note]


def _judge_by_certificate(records: int, policy: Policy, certificate: Certificate | None) -> Recount:
    """Take verdicts from the certificate, as the release shows no classes; none without it."""
    if certificate is None or len(certificate.models) != len(policy.models):
        return Recount(records, notes=(_UNTOLD,))
    asked = [
        Verdict(model.name, model.columns[0], float(model.threshold), said.reached, ok=True)
        for model, said in zip(policy.models, certificate.models, strict=True)
    ]
    notes = (
        "The values that the models achieve come from the certificate; they were not recounted.",
        _PERMUTED,
    )
    return Recount(records, _attested_verdicts(certificate, policy, asked), notes)


def _attested_verdicts(
    certificate: Certificate, policy: Policy, verdicts: Sequence[Verdict]
) -> tuple[Verdict, ...]:
    """Take the verdicts of the certificate; those that the rows contradict are not met."""
    return tuple(map(_attested_verdict, certificate.models, policy.models, verdicts))


def _attested_verdict(said: Attested, model: Any, counted: Verdict) -> Verdict:
    """Take what a model reaches from the certificate: ok if it is enough and rows allow it."""
    same = (said.name, said.column, said.asked) == (counted.name, counted.column, counted.asked)
    people = model.higher_is_safer and not model.columns and not model.requires
    possible = not people or said.reached <= counted.reached  # people are never more than records
    met = said.reached >= said.asked - ROUNDING
    if not model.higher_is_safer:
        met = said.reached <= said.asked + ROUNDING
    return replace(counted, reached=said.reached, ok=same and said.ok and met and possible)


def _reference_spreads(
    rows: ReleasedRows,
    policy: Policy,
    certificate: Certificate | None,
    trees: Mapping[str, Reference],
) -> tuple[dict[str, Reference], list[str]]:
    """Return (reference by judged column, notes): from certificate, else `trees`, else the rows."""
    held = {name: rows.counts((name,)) for name in policy.judged}
    found = {
        name: own_reference(
            of.cells[name], _kind_of_cells(of.cells[name], policy, certificate), of.records
        )
        for name, of in held.items()
    }
    notes: list[str] = []
    for name in compared_columns(policy):
        spread = {} if certificate is None else certificate.spread
        cells = held[name].cells[name]
        if (
            certificate is not None
            and name in spread
            and fits_distribution(certificate, name, held[name], policy)
        ):
            found[name] = reference_of(spread[name], number_cells(cells).labels.to_list())
            notes += _trusted_spread_notes(spread[name], policy, name)
        elif name in trees:
            found[name] = trees[name]
            notes.append(f"Distances between values of {name} come from the policy's hierarchy.")
    return found, notes


def _trusted_spread_notes(spread: Distribution, policy: Policy, name: str) -> Iterator[str]:
    """Yield notes on a distribution: what was taken from the certificate and not recounted."""
    if spread.of == "original":
        yield (
            f"The distribution of {name} in the original table comes from the certificate; it was "
            "not recounted."
        )
        return
    if policy.unit is not None:
        yield f"How many people hold each value of {name} comes from the certificate."
    if any(name in model.columns and model.measures_distances for model in policy.models):
        yield f"Distances between values of {name} come from the certificate."


def _kind_of_cells(column: pl.Series, policy: Policy, certificate: Certificate | None) -> Kind:
    """The type of a sensitive column: by the certificate, else by the policy, else by its cells."""
    if certificate is not None and column.name in certificate.kinds:
        return certificate.kinds[column.name]
    asked = policy.columns[column.name].kind
    if asked is not None:
        return asked
    if column.dtype.is_numeric() or isinstance(column.dtype, pl.Duration):
        return Kind.NUMBER
    if isinstance(column.dtype, pl.Date | pl.Datetime):
        return Kind.DATE
    return kind_of_labels(number_cells(column).labels)


def _spelling_notes(
    rows: ReleasedRows, policy: Policy, certificate: Certificate | None
) -> list[str]:
    """Write notes on columns with texts that differ only in case, spaces or zeros."""
    cells = {name: rows.counts((name,)).cells[name] for name in (*policy.sensitive, *policy.quasi)}
    texts = {
        name: number_cells(cells[name]).labels
        for name in policy.sensitive
        if _kind_of_cells(cells[name], policy, certificate) is Kind.TEXT
    }
    notes = alike_notes(texts, "sensitive")
    notes += alike_notes({name: number_cells(cells[name]).labels for name in policy.quasi}, "quasi")
    return list(map(sentence, notes))
