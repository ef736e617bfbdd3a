"""A hierarchy chosen from the values of a column, with the reason."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass as plain
from typing import Literal, TypeAlias

import numpy as np

from incrowd.arrays import Counts, Values
from incrowd.errors import count_of
from incrowd.hierarchy.dates import Dates
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.hierarchy.intervals import Intervals
from incrowd.hierarchy.ordered import Ordered
from incrowd.hierarchy.prefix import Prefix
from incrowd.hierarchy.published import CodeList, System, share_of
from incrowd.hierarchy.regions import Regions, is_country
from incrowd.hierarchy.rounding import NumberGrid, nice_width
from incrowd.hierarchy.scales import scale_of
from incrowd.hierarchy.tree import Flat
from incrowd.table.column import Domain, Kind
from incrowd.table.names import words_of
from incrowd.values import STRICT, dataclass

Suggestible: TypeAlias = CodeList | Dates | Flat | Intervals | Ordered | Prefix | Regions
Nature: TypeAlias = Literal["", "code", "amount", "count", "age", "date", "weight", "number"]
"""What somebody who knows the column says that its whole numbers are; empty if nobody does."""

FEW = 20
"""Up to this many categories are few."""

_SAMPLE = 5_000
_MOSTLY = 0.9
_TAIL = 0.02
_DIAGNOSIS = re.compile(r"([A-Z][0-9][0-9A-Z]|[0-9]{3}|E[0-9]{3})(\.[0-9A-Z]{1,4})?")
_TENTH = re.compile(r"[A-TV-Z][0-9][0-9A-Z](\.?[0-9A-Z]{1,4})?")
_NUTS = re.compile(r"(AT|BE|BG|CH|CY|CZ|DE|DK|EE|EL|ES|FI|FR|HR|HU|IE|IT|LT|LU|LV|MT|NL|NO|PL|PT"
                   r"|RO|SE|SI|SK|UK)[0-9A-Z]{1,3}")  # fmt: skip
_OCCUPATION = re.compile(r"\d{2}-\d{4}")
_NUMBER_OR_DATE = re.compile(r"[+-]?\d[\d.]*,\d+|\d{1,4}([-/.])\d{1,2}\1\d{1,4}")
"""Numbers with a decimal comma and dates that can be read in two ways: masked they mean nothing."""
_POSTAL = re.compile(r"zip|postal|postcode|post_code|plz", re.IGNORECASE)
_LAND = re.compile(r"country|nation|citizen|birth_?place|origin|cntry", re.IGNORECASE)
_NAMED: dict[System, frozenset[str]] = {
    "months": frozenset(("month", "months", "mm", "mes", "monat", "mois", "mon")),
    "naics": frozenset(("naics",)),
    "nace": frozenset(("nace",)),
    "us-counties": frozenset(("county", "cnty", "fips", "counties")),
}
"""Words in a name that say which list its numbers are codes of."""
_COORDINATES = frozenset(("lat", "lon", "lng", "latitude", "longitude"))
_PERCENT = frozenset(("pct", "percent", "percentage", "perc", "prozent"))


@plain(frozen=True)
class Suggestion:
    """A hierarchy that fits a column, and why, in one sentence without values."""

    spec: Suggestible
    reason: str


@dataclass(frozen=True, config=STRICT, kw_only=True)
class Suggested:
    """The hierarchy that `suggest` chooses from the data."""

    name: Literal["auto"] = "auto"

    def build(self, domain: Domain, column: str, counts: Counts | None = None) -> Hierarchy:
        """The hierarchy of a column, whatever it holds."""
        return suggest(domain, column).spec.build(domain, column, counts)


def suggest(
    domain: Domain, column: str, nature: Nature = "", counts: Counts | None = None
) -> Suggestion:
    """A hierarchy for a column, by the kind and the look of its values.

    `nature` says what its whole numbers are, if that is known; `counts` are the records per value.

    >>> suggest(Domain(Kind.NUMBER, np.arange(17, 91)), "age").reason
    '74 numbers: intervals of width 5 and wider'
    """
    if len(domain) <= 2:
        values = count_of(len(domain), "value")
        return Suggestion(Flat(), f"{values}: nothing between them and suppression")
    if domain.kind is Kind.DATE:
        return Suggestion(Dates(), f"{len(domain)} dates: months, quarters, years and longer")
    if domain.kind is Kind.NUMBER:
        whole = domain.values.dtype.kind == "i"
        known = _suggest_whole_numbers(domain, column, nature, counts) if whole else None
        return known or _suggest_intervals(domain, column)
    return _suggest_texts(_sample_texts(domain.values), len(domain), column)


# Numbers


def _suggest_whole_numbers(  # noqa: PLR0911  one for each sort of numbers
    domain: Domain, column: str, nature: Nature, counts: Counts | None
) -> Suggestion | None:
    """A hierarchy for codes, few numbers, years or counts; None for other whole numbers."""
    values, n, words = domain.values, len(domain), set(words_of(column))
    if _POSTAL.search(column):
        return Suggestion(Prefix(), f"{n} numbers named like postal codes: masked from the right")
    for system, names in _NAMED.items():
        if words & names and share_of(system, _sample_texts(values)) == 1:
            return Suggestion(CodeList(system), f"{n} codes: the groups of {system}")
    if nature == "code" or (nature == "" and _look_like_codes(values)):
        return _suggest_codes(values, n)
    if n <= 5:
        return Suggestion(Flat(), f"{n} whole numbers: few enough to show or suppress")
    if values[0] >= 1800 and values[-1] <= 2100:
        return Suggestion(Intervals(width=5), f"{n} years: 5 years and longer")
    if nature == "count" and values[0] >= 0:
        return _suggest_counts(values, n, counts)
    return None


def _suggest_codes(values: Values, n: int) -> Suggestion:
    """Masks for n > `FEW` codes of one length, 3 or more; only suppression for other codes."""
    lengths = {len(text) for text in _sample_texts(values)}
    if len(lengths) == 1 and max(lengths) >= 3 and n > FEW and values[0] >= 0:
        return Suggestion(Prefix(), f"{n} codes of {max(lengths)} digits: masked from the right")
    return Suggestion(Flat(), f"{n} codes without an order: shown or suppressed")


def _suggest_counts(values: Values, n: int, counts: Counts | None) -> Suggestion:
    """A hierarchy for n counts: neighbours two by two; the largest, some 2 % of records, as one."""
    top = int(values[-1])
    if counts is not None and counts.sum():
        above = counts[::-1].cumsum()[::-1] / counts.sum()
        top = int(values[max(int(np.searchsorted(-above, -_TAIL)) - 1, 1)])
    top = max(top, 3)
    reason = f"{n} counts: neighbours together, large ones as one group"
    return Suggestion(Intervals(width=2, top=float(top)), reason)


def _look_like_codes(values: Values) -> bool:
    """Whether there are many numbers of one length, with gaps, in clusters of first digits."""
    if len(values) <= FEW or values[0] < 100:
        return False
    low, high = int(values[0]), int(values[-1])
    if len(str(low)) != len(str(high)) or (low >= 1800 and high <= 2100):
        return False
    scale = 10 ** (len(str(low)) - 2)
    heads = len(np.unique(values // scale))
    sparse = len(values) < 0.3 * (high - low + 1)
    return sparse and heads <= min(45, len(values) / 4) and not bool((values % 10 == 0).all())


def _suggest_intervals(domain: Domain, column: str) -> Suggestion:
    """Intervals for numbers: by what their name says they are, or by where most values lie."""
    values, n, words = domain.values, len(domain), set(words_of(column))
    if words & _COORDINATES and abs(float(values[0])) <= 180 and abs(float(values[-1])) <= 180:
        spec = Intervals(width=0.1, factor=10)
        return Suggestion(spec, f"{n} coordinates: a tenth of a degree and wider")
    if words & _PERCENT and values[0] >= 0 and values[-1] <= 100:
        return Suggestion(Intervals(width=10), f"{n} percentages: steps of 10 and wider")
    width = nice_width(values)
    if values.dtype.kind == "i":
        width = max(width, 2.0)
    cells = NumberGrid(0.0, width).cells(values)
    crowded = int(np.unique(cells, return_counts=True)[1].max()) if n else 0
    if crowded > max(n // 2, FEW):
        reason = f"{n} numbers, most of them in a small part of their range: quantiles"
        return Suggestion(Intervals(quantiles=16), reason)
    reason = f"{n} numbers: intervals of width {width:g} and wider"
    return Suggestion(Intervals(width=width), reason)


def _sample_texts(values: Values) -> list[str]:
    """Evenly spaced values as texts, fewer than 10,000: enough to tell what they are."""
    return list(map(str, values[:: max(1, len(values) // _SAMPLE)].tolist()))


# Texts


def _suggest_texts(sample: Sequence[str], n: int, column: str) -> Suggestion:  # noqa: PLR0911  one for each look
    """A hierarchy for n texts, by the look of some of them and the column's name."""
    digits = _flagged_share(text.isdigit() for text in sample)
    lengths = {len(text) for text in sample}
    if _are_countries(sample, column):
        return Suggestion(Regions(), f"{n} values, mostly countries: regions of the world")
    listed = _suggest_code_list(sample, n, column)
    if listed is not None:
        return listed
    if digits == 1 and len(lengths) == 1 and max(lengths) >= 3:
        return Suggestion(Prefix(), f"{n} codes of {max(lengths)} digits: masked from the right")
    if n > FEW and _flagged_share(bool(_NUTS.fullmatch(text)) for text in sample) == 1:
        return Suggestion(Prefix(keep=2), f"{n} codes of European regions: larger regions")
    if _flagged_share(bool(_OCCUPATION.fullmatch(text)) for text in sample) >= _MOSTLY:
        return Suggestion(Prefix(steps=(6, 5, 3)), f"{n} codes of occupations: larger groups")
    if _flagged_share(bool(_DIAGNOSIS.fullmatch(text.upper())) for text in sample) >= _MOSTLY:
        spec = Prefix(separator=".") if any("." in text for text in sample) else Prefix()
        return Suggestion(spec, f"{n} codes like those of diagnoses: shortened from the right")
    scale = scale_of(sample) if n <= FEW else None
    if scale is not None:
        return Suggestion(scale, f"{n} steps of a scale, in their order")
    if n <= FEW:
        return Suggestion(Flat(), f"{n} categories: few enough to show or suppress")
    return _suggest_many_texts(sample, n)


def _suggest_code_list(sample: Sequence[str], n: int, column: str) -> Suggestion | None:
    """A published list by the look of n codes and maybe the column's name; None if none fits."""
    words, tenth = set(words_of(column)), all(_TENTH.fullmatch(text.upper()) for text in sample)
    one_letter = len({text[:1].upper() for text in sample}) == 1
    numbered = one_letter and not any("." in text for text in sample)
    spelled = not all(text.isdigit() for text in sample)
    may_be: dict[System, bool] = {
        "icd-10": tenth and n >= 5 and not numbered,
        "us-states": n >= 5 and spelled,
        "weekdays": n > 3,
        "nace": bool(words & _NAMED["nace"]),
        "naics": bool(words & _NAMED["naics"]),
        "us-counties": bool(words & _NAMED["us-counties"]),
        "months": n > 3 and (spelled or bool(words & _NAMED["months"])),
    }
    for system, able in may_be.items():
        if able and share_of(system, sample) >= _MOSTLY:
            return Suggestion(CodeList(system), f"{n} codes: the groups of {system}")
    return None


def _suggest_many_texts(sample: Sequence[str], n: int) -> Suggestion:
    """Masks for many texts (n) that are codes; only suppression for others."""
    if _flagged_share(bool(_NUMBER_OR_DATE.fullmatch(text)) for text in sample) >= _MOSTLY:
        return Suggestion(Flat(), f"{n} numbers or dates in a form that is read as text")
    short = max(map(len, sample)) <= 12
    if short and _flagged_share(_is_code(text) for text in sample) >= _MOSTLY:
        return Suggestion(Prefix(), f"{n} values that look like codes: masked from the right")
    return Suggestion(Flat(), f"{n} texts without a common form: a tree of them would serve better")


def _are_countries(sample: Sequence[str], column: str) -> bool:
    """Whether most texts are countries; if none has over 3 letters, the name must say so, too."""
    if _flagged_share(is_country(text) for text in sample) < _MOSTLY:
        return False
    return any(len(text) > 3 for text in sample) or bool(_LAND.search(column))


def _is_code(text: str) -> bool:
    """Whether a text has a digit and no blank."""
    return any(c.isdigit() for c in text) and not any(c.isspace() for c in text)


def _flagged_share(flags: Iterable[bool]) -> float:
    """The share of the flags that are set, 0 if there are none."""
    found = list(flags)
    return sum(found) / len(found) if found else 0.0
