"""How far a label reaches: the smallest and the largest value that it may stand for.

Whole numbers and whole days end on the last one inside, so `[20, 30)` reaches from 20 to 29 where a
column holds whole numbers and to 30 where it does not. Places are those of `Domain.positions`.
"""

import re
from math import ceil, floor, inf

import numpy as np

from incrowd.hierarchy.labels import Bounds, parse_date, parse_number, read_bounds
from incrowd.table.column import Domain, Kind

DAY = 86_400 * 1e6
"""Microseconds: moments lie on this scale."""

_QUARTER = re.compile(r"([0-9]{4})-Q([1-4])")

LASTING = {"Y", "M", "D"}
"""Units of time that last, unlike a moment."""

Reach = tuple[float, float]


def step_of(domain: Domain) -> float:
    """How far apart neighbouring values of a column are at least; 0 if there is no such step."""
    if domain.kind is Kind.DATE:
        return DAY if domain.values.dtype == np.dtype("datetime64[D]") else 0.0
    return 1.0 if domain.values.dtype.kind == "i" else 0.0


def reach_of(label: str, domain: Domain) -> Reach | None:
    """From where to where a label reaches on the column's scale; None if it does not say.

    >>> ages = Domain(Kind.NUMBER, np.arange(20, 40))
    >>> reach_of("[20, 30)", ages), reach_of("37", ages), reach_of("≥ 90", ages)
    ((20.0, 29.0), (37.0, 37.0), (90.0, inf))
    """
    if domain.kind is Kind.TEXT:
        return None
    bounds = read_bounds(label) or Bounds(label, label, high_inside=True)
    read = _date if domain.kind is Kind.DATE else _number
    low: float | None = -inf
    high: float | None = inf
    if bounds.low is not None:
        low = read(bounds.low, domain, bounds.low_inside, first=True)
    if bounds.high is not None:
        high = read(bounds.high, domain, bounds.high_inside, first=False)
    return None if low is None or high is None or low > high else (low, high)


def node_reach(label: str, domain: Domain) -> Reach | None:
    """From where to where the label of a node reaches: quarters, too, which bounds cannot name.

    >>> births = Domain(Kind.DATE, np.array(["1965-03-01", "1967-12-24"], dtype="datetime64[D]"))
    >>> node_reach("1965-Q1", births) == reach_of("[1965-01, 1965-03]", births)
    True
    """
    quarter = _QUARTER.fullmatch(label)
    if quarter is None or domain.kind is not Kind.DATE:
        return reach_of(label, domain)
    first = 3 * int(quarter[2]) - 2
    return reach_of(f"[{quarter[1]}-{first:02d}, {quarter[1]}-{first + 2:02d}]", domain)


def _number(text: str, domain: Domain, inside: bool, *, first: bool) -> float | None:
    number = parse_number(text)
    if number is None:
        return None
    if not step_of(domain):
        return float(number)
    if first:
        return float(ceil(number) if inside else floor(number) + 1)
    return float(floor(number) if inside else ceil(number) - 1)


def _date(text: str, domain: Domain, inside: bool, *, first: bool) -> float | None:
    """A day, a month or a year as a bound lies on one side as a whole; a moment is a point."""
    date = parse_date(text)
    if date is None:
        return None
    if inside != first and np.datetime_data(date.dtype)[0] in LASTING:
        date = date + 1
    place = float(date.astype("datetime64[us]").astype(np.int64))
    return place if first else place - step_of(domain)
