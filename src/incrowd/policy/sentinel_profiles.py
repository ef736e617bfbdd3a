"""A column profile without the values that mean that there is none."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from incrowd.pii.profile import ColumnProfile
from incrowd.pii.sentinels import Sentinel
from incrowd.table.column import Domain, Kind
from incrowd.table.parse import kind_of, parse


def without_sentinels(
    profile: ColumnProfile, found: Sequence[Sentinel], *, text: bool
) -> ColumnProfile:
    """The profile without these marks, which count as missing.

    If the other values come from texts (`text`) and are numbers or dates, they become such.
    """
    if not found or profile.counts is None:
        return profile
    gone = {one.value for one in found}
    kept = np.array([label not in gone for label in profile.domain.labels.tolist()], dtype=np.bool_)
    domain, counts = Domain(profile.kind, profile.domain.values[kept]), profile.counts[kept]
    missing = profile.missing + int(profile.counts[~kept].sum())
    if text and profile.kind is Kind.TEXT and (kind := kind_of(domain.labels)) is not Kind.TEXT:
        parsed = parse(domain.labels, kind)
        values, place = np.unique(parsed.values, return_inverse=True)
        domain = Domain(kind, values)
        counts = np.bincount(place.ravel(), weights=counts, minlength=len(values)).astype(np.int64)
    largest = max(missing, int(counts.max(initial=0)))
    return replace(profile, domain=domain, counts=counts, missing=missing, largest=largest)
