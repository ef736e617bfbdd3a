"""What the values of a column look like; of the values themselves nothing is told."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from incrowd.table.column import Domain, Kind
from incrowd.table.roles import Role

_LOOKED_AT = 2000
_MOST = 0.8
_LONG = 40


@dataclass(frozen=True)
class Shape:
    """A form that values of one sort have."""

    name: str
    role: Role
    pattern: re.Pattern[str]
    sure: bool = True
    least: int = 1
    """The number of distinct values below which the form may be chance."""
    advice: str = ""
    """What would make more of such values than text."""


def _shape(  # noqa: PLR0913  one per field
    name: str, role: Role, pattern: str, *, sure: bool = True, least: int = 1, advice: str = ""
) -> Shape:
    return Shape(name, role, re.compile(pattern, re.IGNORECASE), sure, least, advice)


SHAPES = (
    _shape("e-mail addresses", Role.IDENTIFIER, r"[^@\s]+@[^@\s]+\.[a-z]{2,}"),
    _shape("UUIDs", Role.IDENTIFIER, r"\{?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\}?"),
    _shape("social security numbers", Role.IDENTIFIER, r"\d{3}-\d{2}-\d{4}"),
    _shape("IP addresses", Role.IDENTIFIER, r"\d{1,3}(?:\.\d{1,3}){3}|(?:[0-9a-f]{0,4}:){3,7}\S*"),
    _shape("web addresses", Role.IDENTIFIER, r"(?:https?://|www\.)\S+"),
    _shape("IBANs", Role.IDENTIFIER, r"[a-z]{2}\d{2}(?: ?[0-9a-z]{4}){3,7}(?: ?[0-9a-z]{1,3})?"),
    _shape("card numbers", Role.IDENTIFIER, r"\d{4}([ -])\d{4}\1\d{4}\1\d{4}"),
    _shape(
        "telephone numbers",
        Role.IDENTIFIER,
        r"(?:\+\d{1,3}[ .-]?)?(?:\(\d{2,5}\)[ .-]?)\d{3,4}[ .-]?\d{3,5}"
        r"|\+\d[\d .()-]{7,16}\d|\d{3}[ .-]\d{3}[ .-]\d{4}",
    ),
    _shape(
        "dates",
        Role.QUASI,
        r"\d{1,4}[-./]\d{1,2}[-./]\d{1,4}(?:[ T].*)?",
        sure=False,
        advice="read as text, as they are not written like 2024-12-31; so they become no months "
        "or years",
    ),
    _shape(
        "numbers with a decimal comma",
        Role.QUASI,
        r"[+-]?\d[\d.]*,\d+",
        sure=False,
        advice="read as text; with a decimal point they would become intervals",
    ),
    _shape("postal codes", Role.QUASI, r"\d{5}(?:-\d{4})?", sure=False, least=10),
    _shape(
        "postal codes",
        Role.QUASI,
        r"[a-z]{1,2}\d[a-z\d]? ?\d[a-z]{2}|[a-z]\d[a-z] ?\d[a-z]\d",
        sure=False,
        least=5,
    ),
    _shape(
        "ICD codes", Role.SENSITIVE, r"[a-tv-z]\d[\da-z](?:\.[\da-z]{1,4})?", sure=False, least=5
    ),
    _shape("sums of money", Role.SENSITIVE, r"[$€£¥] ?-?[\d.,]+|-?[\d.,]+ ?[$€£¥]", sure=False),
)


def shape_of(domain: Domain) -> tuple[Shape, float] | None:
    """The form that most distinct values of a text column have, and their share."""
    if domain.kind is not Kind.TEXT or not len(domain):
        return None
    values = looked_at(domain)
    for shape in SHAPES:
        share = _share(shape.pattern.fullmatch(value) is not None for value in values)
        if share >= _MOST and len(domain) >= shape.least:
            return shape, share
    return None


def is_prose(domain: Domain) -> bool:
    """Whether a text column holds sentences rather than categories."""
    if domain.kind is not Kind.TEXT or not len(domain):
        return False
    values = looked_at(domain)
    return sum(map(len, values)) / len(values) > _LONG


def looked_at(domain: Domain) -> list[str]:
    """At most a few thousand of the values, evenly spaced, without blanks around them."""
    places = np.linspace(0, len(domain) - 1, min(len(domain), _LOOKED_AT)).astype(np.int64)
    return [str(value).strip() for value in domain.values[places]]


def _share(flags: Iterable[bool]) -> float:
    found = list(flags)
    return sum(found) / len(found)
