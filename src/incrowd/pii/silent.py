"""What values alone give away where the name of a column says nothing.

Lists of facts (family names, cities, areas of ZIP codes), shapes, and several signs together: years
that reach as far back as births do, whole numbers spread as ages are.
"""

import re
from collections.abc import Callable

import numpy as np

from incrowd.hierarchy.zips import digits_shown, is_populous, people_by_area
from incrowd.pii.column_names import THINGS
from incrowd.pii.name_lists import CITIES, FAMILY
from incrowd.pii.names import GIVEN, is_large_place, names_postal_codes
from incrowd.pii.profile import ColumnFinding, ColumnProfile, SafeHarborRules, looks_like
from incrowd.table.column import Kind, count_below
from incrowd.table.names import words_of

_SOME = 5
_MOSTLY = 0.5
_MANY = 0.2
"""The share of texts in a list that is many: from here on a person must look."""
_DISTINCT = 40
_OLDEST = 89
_EVER = 118
_GROWN = 21
_FIRST_BIRTH = 1890
_GENERATIONS = 45
_SURE = 0.995
_ZIPS = 60
_MASKED = re.compile(r"\d{3}[*xX#]{2}")
_AREA = re.compile(r"\d{3}")


def family_names(profile: ColumnProfile) -> ColumnFinding | None:
    """The finding that many values are family names: if most are, the column fails. None if few."""
    share = _share_in_list(profile, FAMILY)
    if share < _MANY:
        return None
    if share >= _MOSTLY:
        return profile.finding(looks_like(share, "family names"))
    return profile.unseen_finding("the values could be family names")


def given_names(profile: ColumnProfile) -> ColumnFinding | None:
    """The finding that many values are common given names: a person must look. None if few are."""
    share = _share_in_list(profile, GIVEN)
    return profile.unseen_finding("the values could be given names") if share >= _MANY else None


def cities(profile: ColumnProfile) -> ColumnFinding | None:
    """The finding that many values are cities: if most are, the column fails. None if not."""
    share = _share_in_list(profile, CITIES)
    if share < _MANY or profile.share(is_large_place) >= _MOSTLY:
        return None
    if share >= _MOSTLY:
        return profile.finding(looks_like(share, "cities"))
    return profile.unseen_finding("the values could be cities")


def _share_in_list(profile: ColumnProfile, known: frozenset[str]) -> float:
    """The share of texts that are in a list; 0.0 for numbers, few texts, or a name for things."""
    if profile.kind is not Kind.TEXT or len(profile.texts) < _SOME or profile.words & THINGS:
        return 0.0
    return profile.share(lambda text: " ".join(words_of(text)) in known)


def small_areas(profile: ColumnProfile, rules: SafeHarborRules) -> ColumnFinding | None:
    """The finding that texts are three digits of ZIP codes; None if not.

    If they are masked, as in `021**`, it fails, but only if some areas have too few people. At bare
    digits, some with a leading zero, a person must look.
    """
    if profile.kind is not Kind.TEXT or names_postal_codes(profile) or len(profile.texts) < _SOME:
        return None
    if profile.share(_MASKED.fullmatch) >= 0.9:
        areas = {digits_shown(text) or "" for text in profile.texts if _MASKED.fullmatch(text)}
        if not all(is_populous(area, rules.people) for area in areas - {"000", ""}):
            return profile.finding("shows ZIP codes of areas with 20,000 people or fewer")
        return None
    zeros = any(text.startswith("0") for text in profile.texts)
    known = {*people_by_area(), *rules.people, "000"}
    if zeros and all(_AREA.fullmatch(text) and text in known for text in profile.texts):
        return profile.unseen_finding("the values could be the first three digits of ZIP codes")
    return None


def numeric_zip_codes(profile: ColumnProfile) -> ColumnFinding | None:
    """The finding that whole numbers could be ZIP codes: a person must look. None if not.

    Of 60 or more numbers of up to five digits nearly all begin as ZIP codes do, lost zeros filled.
    """
    if not profile.is_whole or names_postal_codes(profile) or len(profile.domain) < _ZIPS:
        return None
    low, high = int(profile.domain.values[0]), int(profile.domain.values[-1])
    if low < 501 or high > 99_950 or high < 10_000:
        return None
    areas = people_by_area()
    share = profile.share(lambda text: text.zfill(5)[:3] in areas)
    return profile.unseen_finding("the values could be ZIP codes") if share >= _SURE else None


def possible_ages(profile: ColumnProfile) -> ColumnFinding | None:
    """The finding that numbers could be ages, some above 89: a person must look. None if not."""
    if not profile.is_whole or len(profile.domain) < _DISTINCT:
        return None
    values, records = profile.domain.values, profile.counts
    low, high = int(values[0]), int(values[-1])
    if low < 0 or low > _GROWN or not _OLDEST < high <= _EVER or high == 100:
        return None
    held = np.ones(len(values)) if records is None else records
    old = float(held[count_below(values, _OLDEST, after=True) :].sum() / held.sum())
    if old > 0.1:
        return None
    return profile.unseen_finding(
        "whole numbers as ages are, some above 89; if so, pool them as 90+"
    )


def possible_births(profile: ColumnProfile, rules: SafeHarborRules) -> ColumnFinding | None:
    """The finding that years could be births over 89 years ago: a person must look. Or None."""
    if not profile.is_whole or len(profile.domain) < _DISTINCT:
        return None
    low, high = int(profile.domain.values[0]), int(profile.domain.values[-1])
    years = low >= _FIRST_BIRTH and high <= rules.today and high - low >= _GENERATIONS
    if not years or low >= rules.today - _OLDEST:
        return None
    return profile.unseen_finding("years as those of births are, some of which tell ages over 89")


SILENT: tuple[tuple[str, Callable[[ColumnProfile], ColumnFinding | None]], ...] = (
    ("A", family_names),
    ("A", given_names),
    ("B", cities),
    ("B", numeric_zip_codes),
    ("C", possible_ages),
)
"""What to look for in every column whose name says nothing, by letter."""
