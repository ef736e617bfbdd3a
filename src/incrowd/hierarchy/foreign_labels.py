"""Intervals as other tools write them: `20-29`, `[20,30)`, `]20; Inf)`, `90+`, `<=20`.

Attacks, comparisons and `safe-harbor` read them; hierarchies and verification do not.
"""

import re

from incrowd.hierarchy.labels import (
    Bounds,
    Reach,
    bounds_reach,
    node_reach,
    parse_date,
    parse_number,
    read_bounds,
)
from incrowd.table.column import Domain, Kind

_DASHED = re.compile(r"\[(?P<a>[^\[\],]+?) ?[-–] ?(?P<b>[^\[\],]+?)\]")  # noqa: RUF001  a dash as releases write it
_BARE = re.compile(r"(?P<l>[\[\](])(?P<a>[^\[\](),;]+)[,;] ?(?P<b>[^\[\](),;]+)(?P<r>[\[\])])")
_PLAIN = re.compile(r"(?P<a>\d+(\.\d+)?) ?[-–] ?(?P<b>\d+(\.\d+)?)")  # noqa: RUF001  the same
_FROM_ON = re.compile(r"(?P<a>\d+(\.\d+)?)\+")
_COMPARED = re.compile(r"(?P<sign><=|>=|<|>|≤|≥) ?(?P<a>-?\d+(\.\d+)?|\d{4}(-\d{2}){1,2})")


def read_any_bounds(label: str) -> Bounds | None:
    """The bounds of an interval, in our spelling or another tool's; None for another label."""
    found = _read_any_brackets(label) or read_bounds(label)
    if found is not None:
        return found
    dashed = _DASHED.fullmatch(label) or _PLAIN.fullmatch(label)
    if dashed is not None:
        return Bounds(dashed["a"], dashed["b"], high_inside=True)
    above = _FROM_ON.fullmatch(label)
    if above is not None:
        return Bounds(above["a"], None)
    compared = _COMPARED.fullmatch(label)
    if compared is None:
        return None
    inside = compared["sign"] in {"<=", ">=", "≤", "≥"}
    if compared["sign"][0] in "<≤":
        return Bounds(None, compared["a"], high_inside=inside)
    return Bounds(compared["a"], None, low_inside=inside)


def written_reach(label: str, domain: Domain) -> Reach | None:
    """Smallest and largest value of a label in our spelling or another tool's; None if unknown.

    >>> import numpy as np
    >>> written_reach("20-29", Domain(Kind.NUMBER, np.arange(20, 40)))
    (20.0, 29.0)
    """
    found = node_reach(label, domain)
    if found is not None or domain.kind is Kind.TEXT:
        return found
    bounds = read_any_bounds(label)
    return None if bounds is None else bounds_reach(bounds, domain)


def _read_any_brackets(label: str) -> Bounds | None:
    """An interval of numbers or dates such as `[20,30)` or `]20; Inf)`; None if it is none."""
    found = _BARE.fullmatch(label)
    if found is None:
        return None
    low = None if found["a"].lower() in {"-inf", "-∞"} else found["a"]
    high = None if found["b"].lower().removeprefix("+") in {"inf", "∞"} else found["b"]
    ends = [end for end in (low, high) if end is not None]
    if any(parse_number(end) is None and parse_date(end) is None for end in ends):
        return None
    return Bounds(low, high, found["l"] == "[", found["r"] == "]")
