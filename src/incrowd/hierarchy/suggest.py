"""A hierarchy chosen from the values of a column, with the reason."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass as plain
from typing import Literal, TypeAlias

import numpy as np

from incrowd.arrays import Counts
from incrowd.errors import counted
from incrowd.hierarchy.dates import Dates
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.hierarchy.intervals import Intervals
from incrowd.hierarchy.prefix import Prefix
from incrowd.hierarchy.regions import Regions, is_country
from incrowd.hierarchy.rounding import NumberGrid, nice_width
from incrowd.hierarchy.tree import Flat
from incrowd.table.column import Domain, Kind
from incrowd.values import STRICT, dataclass

Suggestible: TypeAlias = Dates | Flat | Intervals | Prefix | Regions

FEW = 20
"""Up to this many categories are few."""

_SAMPLE = 5_000
_MOSTLY = 0.9
_DIAGNOSIS = re.compile(r"([A-Z][0-9][0-9A-Z]|[0-9]{3}|E[0-9]{3})(\.[0-9A-Z]{1,4})?")
_NUMBER_OR_DATE = re.compile(r"[+-]?\d[\d.]*,\d+|\d{1,4}([-/.])\d{1,2}\1\d{1,4}")
"""Numbers with a decimal comma and dates that can be read in two ways: masked they mean nothing."""
_POSTAL = re.compile(r"zip|postal|postcode|post_code|plz", re.IGNORECASE)
_LAND = re.compile(r"country|nation|citizen|birth_?place|origin", re.IGNORECASE)


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


def suggest(domain: Domain, column: str) -> Suggestion:
    """A hierarchy for a column, by the kind and the look of its values.

    >>> suggest(Domain(Kind.NUMBER, np.arange(17, 91)), "age").reason
    '74 numbers: intervals of width 5 and wider'
    """
    if len(domain) <= 2:
        values = counted(len(domain), "value")
        return Suggestion(Flat(), f"{values}: nothing between them and suppression")
    if domain.kind is Kind.DATE:
        return Suggestion(Dates(), f"{len(domain)} dates: months, quarters, years and longer")
    if domain.kind is Kind.NUMBER:
        return _numbers(domain, column)
    return _texts(_sample(domain), len(domain), column)


def _numbers(domain: Domain, column: str) -> Suggestion:
    values, n = domain.values, len(domain)
    if values.dtype.kind == "i" and _POSTAL.search(column):
        return Suggestion(Prefix(), f"{n} numbers named like postal codes: masked from the right")
    if values.dtype.kind == "i" and n <= 5:
        return Suggestion(Flat(), f"{n} whole numbers: few enough to show or suppress")
    width = nice_width(values)
    if values.dtype.kind == "i":
        width = max(width, 2.0)
    cells = NumberGrid(0.0, width).cells(values)
    crowded = int(np.unique(cells, return_counts=True)[1].max()) if n else 0
    if crowded > max(n // 2, FEW):
        return Suggestion(
            Intervals(quantiles=16),
            f"{n} numbers, most of them in a small part of their range: quantiles",
        )
    reason = f"{n} numbers: intervals of width {width:g} and wider"
    return Suggestion(Intervals(width=width), reason)


def _texts(sample: Sequence[str], n: int, column: str) -> Suggestion:
    digits = _share(text.isdigit() for text in sample)
    lengths = {len(text) for text in sample}
    if digits == 1 and len(lengths) == 1 and max(lengths) >= 3:
        return Suggestion(Prefix(), f"{n} codes of {max(lengths)} digits: masked from the right")
    if _are_countries(sample, column):
        return Suggestion(Regions(), f"{n} values, mostly countries: regions of the world")
    dotted = any("." in text for text in sample)
    if _share(bool(_DIAGNOSIS.fullmatch(text.upper())) for text in sample) >= _MOSTLY:
        spec = Prefix(separator=".") if dotted else Prefix()
        return Suggestion(spec, f"{n} codes like those of diagnoses: shortened from the right")
    if n <= FEW:
        return Suggestion(Flat(), f"{n} categories: few enough to show or suppress")
    return _many_texts(sample, n)


def _many_texts(sample: Sequence[str], n: int) -> Suggestion:
    """Masking helps codes; of numbers and dates it would leave digits that mean nothing."""
    if _share(bool(_NUMBER_OR_DATE.fullmatch(text)) for text in sample) >= _MOSTLY:
        return Suggestion(Flat(), f"{n} numbers or dates in a form that is read as text")
    short = max(map(len, sample)) <= 12
    if short and _share(_is_code(text) for text in sample) >= _MOSTLY:
        return Suggestion(Prefix(), f"{n} values that look like codes: masked from the right")
    return Suggestion(Flat(), f"{n} texts without a common form: a tree of them would serve better")


def _are_countries(sample: Sequence[str], column: str) -> bool:
    """Two letters alone could be anything, such as states: then the column's name must help."""
    if _share(is_country(text) for text in sample) < _MOSTLY:
        return False
    return any(len(text) > 3 for text in sample) or bool(_LAND.search(column))


def _is_code(text: str) -> bool:
    """Digits in it and no space."""
    return any(c.isdigit() for c in text) and not any(c.isspace() for c in text)


def _share(flags: Iterable[bool]) -> float:
    found = list(flags)
    return sum(found) / len(found) if found else 0.0


def _sample(domain: Domain) -> list[str]:
    """Evenly spaced values, no more than needed to tell what they are."""
    step = max(1, len(domain) // _SAMPLE)
    chosen: list[str] = domain.values[::step].tolist()
    return chosen
