"""Values that mean that there is none: -8 (does not apply), 99 (unknown), 9999-12-31, "refused".

They are found by what a file says that they mean, by their word, or by their place: outside the
bulk of the values, repeated, and at the edge of a number of digits.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from incrowd.arrays import Counts, Values
from incrowd.pii.profile import ColumnProfile
from incrowd.pii.words import phrase_set, word_set
from incrowd.table.column import Domain, Kind, count_below
from incrowd.table.names import words_of

WORDS = phrase_set("""
unknown|unk|not known|refused|refusal|refuses|declined|no answer|not answered|no response|na|n a|nan
null|none given|not applicable|does not apply|inapplicable|not in universe|not stated|not specified
unspecified|not available|not reported|missing|dont know|don t know|do not know|dk|dk na|no data
unobtainable|not asked|not ascertained|keine angabe|k a|weiss nicht|unbekannt|trifft nicht zu
inconnu|ne sait pas|sans reponse|non precise|refus|no sabe|no contesta|n s|n c|ns nc|desconocido
no consta|no aplica|ignorado|nao sabe|nao informado|sem informacao|nao se aplica|no procede
""")
"""What people write in place of a value, without accents and signs."""
SIGNS = frozenset(("?", "-", "--", ".", "..", "#", "#N/A", "N/A"))
"""Signs that stand for no value."""

_DATES = word_set(
    "9999-12-31 9999-01-01 2999-12-31 2099-12-31 1900-01-01 1900-12-31 1899-12-30 1899-12-31 "
    "1800-01-01 1753-01-01 0001-01-01 1970-01-01"
)
_FEW = 15
_AGAIN = 3
_GAP = 0.15
_FAR = 5 * 365.25
_ALIKE = 0.8
_SPIKE = 20
_RARE = 4_000
_MOST = 6
"""More different values than this are no marks of missing ones."""


@dataclass(frozen=True)
class Sentinel:
    """A value that seems to mean that there is none."""

    value: str
    """As a policy lists it."""
    records: int
    why: str


def sentinels(profile: ColumnProfile) -> tuple[Sentinel, ...]:
    """Find values that seem to mean that there is none; nothing if values were not counted."""
    if not len(profile.domain) or profile.counts is None or profile.sealed:
        return ()
    if profile.value_labels and (told := _sentinels_by_label(profile)):
        return tuple(told)
    if profile.kind is Kind.TEXT:
        return tuple(_sentinels_of_texts(profile))
    if profile.kind is Kind.DATE:
        return tuple(_sentinels_of_dates(profile))
    return tuple(_sentinels_of_numbers(profile))


def means_missing(text: str) -> bool:
    """Whether a text says that there is no value.

    >>> means_missing("Don't know"), means_missing("Refused"), means_missing("none")
    (True, True, False)
    """
    return text.strip() in SIGNS or " ".join(words_of(text)) in WORDS


def _make_sentinels(profile: ColumnProfile, places: Sequence[int], why: str) -> list[Sentinel]:
    """Make sentinels of the values at these places of the domain."""
    counts, kind = profile.counts, profile.kind
    assert counts is not None  # noqa: S101  checked before
    labels = Domain(kind, profile.domain.values[list(places)]).labels.tolist() if places else []
    found = zip(labels, places, strict=True)
    return [Sentinel(str(label), int(counts[i]), why) for label, i in found]


def _sentinels_by_label(profile: ColumnProfile) -> list[Sentinel]:
    """Find values that mean missing by the labels that the file gives them."""
    said = {value for value, text in profile.value_labels.items() if _says_missing(text)}
    places = [i for i, label in enumerate(profile.domain.labels.tolist()) if label in said]
    return _make_sentinels(profile, places, "the file's value labels say so")


def _says_missing(text: str) -> bool:
    """Whether a value label is, or begins with, words that mean missing."""
    plain = " ".join(words_of(text))
    return plain in WORDS or any(len(w) > 4 and plain.startswith(w) for w in WORDS)


def _sentinels_of_texts(profile: ColumnProfile) -> list[Sentinel]:
    """Find words and signs unless all are such, or high marks of digits; none over 50,000 texts."""
    labels = profile.domain.labels.tolist()
    if len(labels) > 50_000:
        return []
    places = [i for i, label in enumerate(labels) if means_missing(label)]
    if places and len(places) < len(labels):
        return _make_sentinels(profile, places, "by its words")
    lengths = {len(label) for label in labels}
    if len(lengths) == 1 and all(label.isdigit() for label in labels) and max(lengths) > 1:
        return _make_sentinels(
            profile, _places_of_high_marks(np.array(labels).astype(np.int64), profile), _APART
        )
    return []


_APART = "apart from all others, at the edge of a number of digits"


def _sentinels_of_numbers(profile: ColumnProfile) -> list[Sentinel]:
    """Find up to six marks below zero, where no other value is, and six that stand apart above."""
    values = profile.domain.values
    below = [i for i in range(min(_MOST + 1, len(values))) if values[i] < 0]
    found: list[Sentinel] = []
    alone = 0 < len(below) <= _MOST and len(values) > len(below) and values[len(below)] >= 0
    if alone and all(_is_negative_mark(values[i]) for i in below):
        found += _make_sentinels(profile, below, "below zero, where no other value is")
    return found + _make_sentinels(profile, _places_of_high_marks(values, profile), _APART)


def _is_negative_mark(value: float) -> bool:
    """Whether a negative number is a usual mark: -1 to -9, -66, -77, -88, -96 to -99, -999."""
    size = abs(float(value))
    return size.is_integer() and (size <= 9 or _has_mark_digits(int(size)))


def _has_mark_digits(number: int) -> bool:
    """Whether a number is one high digit, once or repeated, or among the last of its length."""
    text = str(number)
    if len(text) == 1:
        return number >= 7
    repeated = len(set(text)) == 1 and text[0] in "6789"
    return repeated or (text[:-1] == "9" * (len(text) - 1) and text[-1] in "6789")


def _places_of_high_marks(values: Values, profile: ColumnProfile) -> list[int]:
    """The places of up to six high marks, such as 98 and 99, that stand apart from others."""
    counts = profile.counts
    assert counts is not None  # noqa: S101  checked before
    top = len(values)
    while top and len(values) - top < _MOST and _may_be_high_mark(values[top - 1]):
        top -= 1
    while top < len(values) and not _stands_apart(values, counts, top):
        top += 1
    return list(range(top, len(values)))


def _may_be_high_mark(value: float) -> bool:
    """Whether a number may be a mark by its digits, as 99, 888, 99.9 or 999.99."""
    if value <= 0:
        return False
    if not float(value).is_integer():
        text = repr(float(value)).replace(".", "")
        return set(text) == {"9"} and value > 9
    return _has_mark_digits(int(value))


def _stands_apart(values: Values, counts: Counts, top: int) -> bool:
    """Whether values from place `top` on are as far above others, or as common, as marks."""
    first = count_below(values, 0)
    rest = values[first:top]
    if len(rest) < 2 or top >= len(values):
        return False
    gap, span = float(values[top] - rest[-1]), float(rest[-1] - rest[0])
    if not str(int(values[-1])).startswith("9") and len(rest) > _FEW:
        return False
    if len(str(int(rest[-1]))) > len(str(int(values[top]))):
        return False
    usual = float(np.median(counts[max(top - 10, 0) : top]))
    if len(rest) <= _FEW and values[top] < 100:
        near = gap > 2 or counts[top:].sum() >= _ALIKE * counts[top - 1]
        return gap >= 2 and near and gap * 2 > span / max(len(rest) - 1, 1)
    if top == len(values) - 1 and counts[top] >= _SPIKE * max(usual, counts.sum() / _RARE):
        return True
    often = counts[top:].max() >= max(_AGAIN, 2 * usual) or gap > span
    return gap >= max(3.0, _GAP * span) and bool(often) and bool(counts[top:].max() >= _AGAIN)


def _sentinels_of_dates(profile: ColumnProfile) -> list[Sentinel]:
    """Find the first or last day if it is written for no day, and far away or far too common."""
    counts = profile.counts
    assert counts is not None  # noqa: S101  checked before
    days = profile.domain.values.astype("datetime64[D]")
    places = [i for i, day in enumerate(days[[0, -1]].astype(str)) if day in _DATES]
    ends = [0 if i == 0 else len(days) - 1 for i in places]
    far = [i for i in dict.fromkeys(ends) if len(days) > 2 and _is_far(days, i)]
    usual = float(np.median(counts))
    common = [i for i in dict.fromkeys(ends) if counts[i] >= max(10, 20 * usual)]
    return _make_sentinels(profile, sorted({*far, *common}), "a day that is written for no day")


def _is_far(days: Values, place: int) -> bool:
    """Whether the first or last day, at this place, is over five years from its neighbour."""
    other = days[1] if place == 0 else days[-2]
    return bool(abs((days[place] - other).astype(np.int64)) > _FAR)
