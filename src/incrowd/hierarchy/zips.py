"""ZIP codes of the United States to three digits, small areas as 000 (45 CFR 164.514(b)(2))."""

import csv
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Annotated, Literal

from pydantic import Field

from incrowd.errors import InputError
from incrowd.hierarchy.hierarchy import Builder, Hierarchy, Level, stack, texts
from incrowd.hierarchy.labels import mask_code
from incrowd.table.column import Domain, Kind
from incrowd.values import STRICT, dataclass

LIMIT = 20_000
"""An area must have more people than this for its three digits to be shown."""
POOLED = "000"
"""What stands for every smaller area."""
CENSUS = 2020
"""The census whose counts are taken."""

_CODE = re.compile(r"(\d{5})(?:[- ]?\d{4})?|(\d{1,4})[*xX#]+|(\d{3})")
_WIDTH = 5

Area = Annotated[str, Field(pattern=r"^[0-9]{3}$")]
People = Mapping[Area, Annotated[int, Field(ge=0)]]


@dataclass(frozen=True, config=STRICT, kw_only=True)
class ZipCodes(Builder):
    """ZIP codes to their first three digits; areas of 20,000 people or fewer become 000.

    02138, 021**, 02***, 0****, *. People are those of the census of 2020, summed over the ZIP code
    tabulation areas with the same three digits. What no census counts (prefixes without residents,
    codes of other countries, anything that is no ZIP code) is pooled under 000 too. Whole numbers
    get back the leading zeros that they lost.

    >>> zips = Domain(Kind.TEXT, texts(["02138", "02139", "03601", "05901"]))
    >>> ZipCodes().build(zips, "zip").labels[1].tolist()
    ['000**', '021**']
    """

    steps: Annotated[tuple[Annotated[int, Field(ge=1, le=3)], ...], Field(min_length=1)] = (3, 2, 1)
    """How many digits each level shows, falling, three at most."""
    people: People = Field(default_factory=dict)
    """People by the first three digits, in place of the counts that incrowd has for these areas."""
    name: Literal["zip-codes"] = "zip-codes"

    def __post_init__(self) -> None:
        """Refuse steps that do not fall."""
        if any(a <= b for a, b in pairwise(self.steps)):
            raise ValueError("steps must fall; show fewer digits on each level, as in 3, 2, 1")

    def _build(self, domain: Domain, column: str) -> Hierarchy:
        """The hierarchy of a column, small areas first; `InputError` if no value is a ZIP code."""
        shown = [digits_shown(code) for code in zip_texts(domain)]
        if shown and not any(shown):
            raise InputError(
                f"none of the {len(shown)} values of {column!r} is a ZIP code",
                remedy="use codes of five digits, or another hierarchy",
            )
        areas = [self._shown_area(digits) for digits in shown]
        labels = domain.labels.tolist()
        order = sorted(range(len(labels)), key=lambda i: (areas[i] != POOLED, areas[i], labels[i]))
        leaves = Domain(Kind.TEXT, texts([labels[i] for i in order]))
        levels = [_area_level([areas[i] for i in order], step) for step in self.steps]
        return stack(leaves, levels, column=column, ordered=False, prune=False)

    def _shown_area(self, digits: str | None) -> str:
        """The digits that may be shown: three at most; 000 for a small area, or without a code."""
        if digits is None or (len(digits) >= 3 and not is_populous(digits[:3], self.people)):
            return POOLED
        return digits[:3]


def is_populous(area: str, people: Mapping[str, int] | None = None) -> bool:
    """Whether more than 20,000 people live where ZIP codes begin with these three digits.

    `people` are counts that replace those of the census, area by area.

    >>> is_populous("021"), is_populous("036"), is_populous("999", {"999": 300})
    (True, False, False)
    """
    known = people_by_area()
    return (people or {}).get(area, known.get(area, 0)) > LIMIT


@cache
def people_by_area(census: int = CENSUS) -> Mapping[str, int]:
    """People by the first three digits of their ZIP code, of the census of 2010 or 2020."""
    text = files("incrowd.hierarchy").joinpath("zip3.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    return {row["prefix"]: int(row[f"people_{census}"]) for row in rows}


def zip_texts(domain: Domain) -> list[str]:
    """The values of a column of ZIP codes as texts; whole numbers with their leading zeros.

    Numbers that all have three digits or fewer are taken for the first digits of codes.
    """
    labels = [label.strip() for label in domain.labels.tolist()]
    if domain.kind is not Kind.NUMBER:
        return labels
    longest = max(map(len, labels), default=0)
    width = next((width for width in (3, 5, 9) if longest <= width), longest)
    return [label.zfill(width) for label in labels]


def digits_shown(code: str) -> str | None:
    """The digits of a ZIP code that can be read, five at most; None if it is no ZIP code.

    >>> digits_shown("02138-1234"), digits_shown("021**"), digits_shown("021"), digits_shown("SW1A")
    ('02138', '021', '021', None)
    """
    found = _CODE.fullmatch(code)
    return None if found is None else next(part for part in found.groups() if part)


def _area_level(areas: list[str], step: int) -> Level:
    """One level of areas by their first `step` digits; pooled areas stay as they are."""
    keys = texts([area if area == POOLED else area[:step] for area in areas])
    return Level.of(keys, lambda key: mask_code(key, _WIDTH))
