"""Compare a certificate with its release: what the rows show is recounted, the rest is listed."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from incrowd.errors import InputError, boundary
from incrowd.loss import LOSSES
from incrowd.models import AnyModel
from incrowd.models.model import counts_world_people
from incrowd.policy.policy import Policy
from incrowd.release.assumptions import assumptions, cautions, distinct_shares
from incrowd.release.certificate import (
    Attested,
    Certificate,
    Distribution,
    LeftOut,
    sha256_of,
    versions,
)
from incrowd.release.load import WorldReference
from incrowd.release.original import Original, Recounted
from incrowd.release.policy_record import promise_in, redact, restore_flat_policy
from incrowd.release.released import ReleasedRows, compared_columns, fits_distribution
from incrowd.table.column import Missing
from incrowd.verify.alone import Alone
from incrowd.verify.losses import OF_SIZES, losses_of_sizes
from incrowd.verify.verdict import Verdict
from incrowd.verify.verify import Reference, SeenRelease
from incrowd.withholding import public_losses

ROUNDING = 1e-9
"""Tolerance between a figure and its recount."""
_LOSS = "loss."
LAST_DIGIT = 1e-12
"""Relative tolerance of losses: the same numbers summed in another order."""


@dataclass(frozen=True, eq=False)
class Backing:
    """What a release is checked with: certificate, keys, world, original."""

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


@dataclass(frozen=True, eq=False)
class Recount:
    """What the rows of the release show."""

    records: int
    verdicts: tuple[Verdict, ...] = ()
    notes: tuple[str, ...] = ()
    seen: SeenRelease | None = None
    """None if the release does not show its classes."""
    rows: ReleasedRows | None = None
    sealed: tuple[str, ...] = ()
    counted: bool = False
    """Whether every verdict was counted from the rows, not taken from the certificate."""
    alone: Alone | None = None
    """Whom columns that leave unchanged single out."""


@dataclass(frozen=True)
class Claims:
    """The comparison of a certificate with its release."""

    faults: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    recounted: tuple[str, ...] = ()
    """Places in the certificate that were recounted."""
    claimed: tuple[str, ...] = ()
    """Places in the certificate that could not be recounted."""
    losses: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """By loss: the certificate's figure and the recounted one."""


def contradictions(policy: Policy, certificate: Certificate | None) -> Iterator[str]:
    """Yield faults where the certificate contradicts the policy or itself."""
    if certificate is None:
        return
    if promise_of(certificate) != promise_in(redact(policy)):
        yield "The certificate was made for another policy."
    if not all(model.ok for model in certificate.models):
        yield "The certificate itself says that the release does not meet a model."


def promise_of(certificate: Certificate) -> dict[str, Any]:
    """The part of a certificate's policy that a recipient can check; `InputError` if unreadable."""
    with boundary(InputError("the policy in the certificate cannot be read")):
        return promise_in(certificate.policy)


def recount(certificate: Certificate, policy: Policy, found: Recount, backing: Backing) -> Claims:
    """Compare what a certificate says with what its rows, and the original if given, show."""
    original = backing.original
    anew = None
    if original is not None and found.seen is not None and found.rows is not None:
        anew = original.recount(found.seen, found.rows, certificate.world)
    figures = _recounted_figures(certificate, policy, found, anew)
    said = _certified_figures(certificate)
    faults = [
        *_certified_model_faults(certificate, policy, found),
        *_record_faults(certificate, policy, found),
        *_figure_faults(said, figures, certificate.suppressed.records),
        *_spread_faults(certificate, policy, found.rows),
        *(() if anew is None else (*anew.faults, *_other_spread_faults(certificate, policy, anew))),
        *_assumption_faults(certificate),
        *_distinct_faults(certificate, policy, found),
        *_certified_alone_faults(certificate, policy, found),
    ]
    proven = {
        "digest",
        "rows_sha256",
        "policy_sha256",
        *figures,
        *_compared_places(certificate, policy, found, backing),
    }
    if found.seen is not None:
        proven |= {"unchanged"} if policy.unit is not None else {"unchanged", "alone"}
    if anew is not None:
        proven |= {"spread", "kinds"}
    every = [name for name in _entry_places(certificate) if name not in {"signature", "schema"}]
    losses = {
        name.removeprefix(_LOSS): (said[name], value)
        for name, value in figures.items()
        if name.startswith(_LOSS)
    }
    return Claims(
        tuple(faults),
        (*_policy_notes(policy, certificate, backing), *(() if anew is None else anew.notes)),
        tuple(name for name in every if name in proven),
        tuple(name for name in every if name not in proven),
        losses,
    )


def _entry_places(certificate: Certificate) -> Iterator[str]:
    """Yield the places of a certificate's entries, such as `loss.gcp`, except empty ones."""
    for name, value in certificate.model_dump(mode="json", by_alias=True).items():
        if name in {"loss", "suppressed"}:
            yield from (f"{name}.{inner}" for inner in value)
        elif value not in (None, {}, []):
            yield name


def _certified_figures(certificate: Certificate) -> dict[str, float]:
    """The figures of a certificate, by place such as `loss.gcp`."""
    names = ("records_in", "records_out", "people", "classes")
    counts: dict[str, float] = {name: getattr(certificate, name) for name in names}
    gone = certificate.suppressed.model_dump().items()
    counts |= {f"suppressed.{name}": value for name, value in gone}
    return counts | {_LOSS + name: value for name, value in certificate.loss.items()}


def _recounted_figures(
    certificate: Certificate, policy: Policy, found: Recount, anew: Recounted | None
) -> dict[str, float]:
    """The certified figures as rows (and the original, in `anew`) show them, by place."""
    figures: dict[str, float] = {"records_out": found.records}
    if policy.unit is None:
        figures["people"] = found.records
    whole, missing = certificate.records_in, certificate.suppressed.for_missing
    if anew is not None:
        whole, missing = anew.records, anew.for_missing
    gone = LeftOut.of(whole, found.records, missing)
    figures["suppressed.share"] = gone.share
    if anew is not None:
        figures |= {"records_in": whole, "suppressed.for_missing": missing}
        figures["suppressed.records"] = gone.records
    if found.seen is not None:
        sizes = found.seen.crowds.sizes
        figures["classes"] = found.seen.crowds.number
        losses = losses_of_sizes(sizes, whole - missing) | (
            {} if anew is None else dict(anew.losses)
        )
        # Two columns of ends do not say whether an end itself lies inside.
        untold = {
            n for n in losses if policy.split_ends and n in LOSSES and LOSSES[n].counts_leaves
        }
        figures |= {_LOSS + name: losses[name] for name in losses if name not in untold}
    said = _certified_figures(certificate)
    return {name: value for name, value in figures.items() if name in said}


def _figure_faults(
    said: Mapping[str, float], figures: Mapping[str, float], left_out: int
) -> Iterator[str]:
    """Yield a fault for each certified figure that is not the recounted one, exact or rounded."""
    losses = {n.removeprefix(_LOSS): v for n, v in figures.items() if n.startswith(_LOSS)}
    told = {
        _LOSS + n: v
        for n, v in public_losses(losses, left_out=left_out, countable=OF_SIZES).items()
    }
    for name, value in figures.items():
        close = partial(math.isclose, said[name], rel_tol=LAST_DIGIT, abs_tol=LAST_DIGIT)
        if not close(value) and not close(told.get(name, value)):
            yield (
                f"The certificate says {name} = {said[name]:.12g}, but the recount gives "
                f"{value:.12g}."
            )


def _certified_model_faults(
    certificate: Certificate, policy: Policy, found: Recount
) -> Iterator[str]:
    """Yield at most one fault: other models, else more privacy, else other values than counted."""
    asked = [(model.name, model.column, model.asked) for model in certificate.models]
    verdicts = found.verdicts
    if verdicts and asked != [(model.name, model.column, model.asked) for model in verdicts]:
        yield "The certificate lists other models than the policy."
        return
    pairs = list(zip(certificate.models, verdicts, policy.models, strict=False))
    if any(_claims_more(*pair) for pair in pairs):
        yield "The certificate claims more privacy than the release achieves."
    elif any(_claims_another_value(*pair) for pair in pairs):
        yield "The certificate claims other values of the models than the release achieves."


def _claims_more(said: Attested, counted: Verdict, model: AnyModel) -> bool:
    """Whether the certificate claims more privacy than was counted."""
    if not model.higher_is_safer:
        return said.reached < counted.reached - ROUNDING
    return said.reached > counted.reached + ROUNDING


def _claims_another_value(said: Attested, counted: Verdict, model: AnyModel) -> bool:
    """Whether the certificate's value differs from the counted one; not for models of a world."""
    near = math.isclose(said.reached, counted.reached, rel_tol=ROUNDING, abs_tol=ROUNDING)
    return not near and not counts_world_people(model)


def _record_faults(certificate: Certificate, policy: Policy, found: Recount) -> Iterator[str]:
    """Yield a fault if the numbers of records contradict each other, the release or the policy."""
    gone, whole = certificate.suppressed, certificate.records_in
    chosen = gone.records - gone.for_missing
    if not (
        found.records == whole - gone.records
        and 0 < certificate.people <= found.records
        and 0 <= chosen <= policy.suppression * whole + ROUNDING
        and gone.for_missing >= 0
        and (not gone.for_missing or policy.missing is Missing.SUPPRESS)
    ):
        yield (
            "The certificate's numbers of records do not match the release and the policy's "
            "suppression limit."
        )


def _spread_faults(
    certificate: Certificate, policy: Policy, rows: ReleasedRows | None
) -> Iterator[str]:
    """Yield a fault for each compared column whose certified distribution is missing or wrong."""
    if rows is None:
        return
    for name in compared_columns(policy):
        there = name in certificate.spread
        if not there or not fits_distribution(certificate, name, rows.counts((name,)), policy):
            yield f"The certificate has no valid distribution of {name}."


def _other_spread_faults(
    certificate: Certificate, policy: Policy, anew: Recounted
) -> Iterator[str]:
    """Yield faults where distributions or types are not those of release and original."""
    said = certificate.spread
    known = {n: _recounted_spread(said[n], policy, n, anew) for n in said if n in anew.spread}
    if dict(said) != known or said.keys() != anew.spread.keys():
        yield (
            "The certificate gives another distribution of sensitive values than the release and "
            "the original have."
        )
    if any(anew.kinds.get(name) != kind for name, kind in certificate.kinds.items()):
        yield "The certificate gives another type of sensitive values than the original has."


def _recounted_spread(
    said: Distribution, policy: Policy, name: str, anew: Recounted
) -> Distribution:
    """The distribution that `said` should be; with a unit its people are not checked."""
    if said.of == "original":
        return anew.whole[name]
    if policy.unit is None:
        return anew.spread[name]
    return anew.spread[name].model_copy(update={"people": said.people})


def _assumption_faults(certificate: Certificate) -> Iterator[str]:
    """Yield a fault if the sentences do not follow from the policy; older ones may differ."""
    if not is_of_this_version(certificate):
        return
    seed, policy = certificate.seed, restore_flat_policy(certificate.policy)
    sentences = (
        *assumptions(policy, seed.order, seeded=seed.given),
        *cautions(certificate.unchanged, certificate.records_out),
    )
    if sentences != certificate.assumptions:
        yield "The certificate's assumptions do not follow from its policy."


def _distinct_faults(certificate: Certificate, policy: Policy, found: Recount) -> Iterator[str]:
    """Yield a fault if unchanged columns have other shares of distinct values than certified."""
    if found.rows is None:
        return
    rows = found.rows
    shares = partial(distinct_shares, lambda name: [rows.counts((name,))], policy, found.sealed)
    if shares() == certificate.unchanged:
        return
    if is_of_this_version(certificate) or shares(spelled=True) != certificate.unchanged:
        yield "Unchanged columns have another share of distinct values than the certificate says."


def _certified_alone_faults(
    certificate: Certificate, policy: Policy, found: Recount
) -> Iterator[str]:
    """Yield a fault if certified shares of people alone or their limit differ; none with a unit."""
    said, alone = certificate.alone, found.alone
    if found.rows is None or policy.unit is not None:
        return
    if said is None:
        if alone is not None and is_of_this_version(certificate):
            yield "The certificate does not say who is alone by columns that leave unchanged."
    elif alone is None or (said.columns, said.together) != (dict(alone.columns), alone.together):
        yield "Other shares of the people are alone in the release than the certificate says."
    elif _is_same_policy(policy, certificate) and (said.unaccepted, said.limit) != (
        alone.unaccepted,
        alone.limit,
    ):
        yield "The certificate's limit of people who are alone is not that of its policy."


def is_of_this_version(certificate: Certificate) -> bool:
    """Whether this version made the certificate, so that it says all that this version says."""
    return certificate.versions.get("incrowd") == versions()["incrowd"]


def _compared_places(
    certificate: Certificate, policy: Policy, found: Recount, backing: Backing
) -> Iterable[str]:
    """Yield the places of compared entries that are not figures."""
    if found.counted:
        yield "models"
    if not backing.lent and _is_same_policy(policy, certificate):
        yield "policy"
    if backing.against is not None and certificate.world is not None:
        yield "world"
    if is_of_this_version(certificate):
        yield "assumptions"


def _is_same_policy(policy: Policy, certificate: Certificate) -> bool:
    """Whether the policy is the certificate's, in every recorded setting."""
    return sha256_of(redact(policy)) == certificate.policy_sha256


def _policy_notes(policy: Policy, certificate: Certificate, backing: Backing) -> Iterator[str]:
    """Yield a note if a given policy differs from the certified one only in how rows are found."""
    promise = promise_of(certificate)
    if backing.lent or _is_same_policy(policy, certificate):
        return
    if promise == promise_in(redact(policy)):
        yield (
            "The certificate's policy differs from yours only in how the release is found "
            "(search, loss, hierarchies, limits); it promises the same."
        )
