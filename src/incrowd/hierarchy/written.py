"""What a label stands for by the way it is written, where no hierarchy says it (Bettini's Dec).

A value of the world stands for itself, whatever else it looks like. Otherwise `{A, B}` is a set;
`[20, 30)`, `[20-29]`, `20-29`, `<20` and `90+` are intervals; `1965`, `1965-03` and `1965-Q1` are
periods of dates; `0213*` is everything that begins so; `*`, or `*****`, is everything. Where the
world knows years, as numbers, dates stand for the years that they lie in; where it knows days,
moments stand for their days. What other tools write is read too: `[20,30)`, `]20, 30[`, `[90,Inf)`.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from functools import cached_property

import numpy as np

from incrowd.arrays import Codes
from incrowd.hierarchy.labels import (
    TOP,
    Bounds,
    locate,
    number_text,
    parse_date,
    parse_number,
    read_bounds,
    read_set,
)
from incrowd.table.column import Domain, Kind
from incrowd.table.parse import parse

Run = tuple[int, int]
"""First and last code."""

_DASHED = re.compile(r"\[(?P<a>[^\[\],]+?) ?[-–] ?(?P<b>[^\[\],]+?)\]")  # noqa: RUF001  a dash as releases write it
_BARE = re.compile(r"(?P<l>[\[\](])(?P<a>[^\[\](),;]+)[,;] ?(?P<b>[^\[\](),;]+)(?P<r>[\[\])])")
_PLAIN = re.compile(r"(?P<a>\d+(\.\d+)?) ?[-–] ?(?P<b>\d+(\.\d+)?)")  # noqa: RUF001  the same
_FROM_ON = re.compile(r"(?P<a>\d+(\.\d+)?)\+")
_COMPARED = re.compile(r"(?P<sign><=|>=|<|>|≤|≥) ?(?P<a>-?\d+(\.\d+)?|\d{4}(-\d{2}){1,2})")
_QUARTER = re.compile(r"(?P<year>\d{4})-?Q(?P<quarter>[1-4])")
_NAME_LIKE = re.compile(r"\+|[+-]?0\d")
_LAST = chr(0x10FFFF)


def runs_of(codes: Iterable[int]) -> list[Run]:
    """Codes as runs, ascending and apart."""
    runs: list[Run] = []
    for code in sorted(set(codes)):
        if runs and runs[-1][1] == code - 1:
            runs[-1] = (runs[-1][0], code)
        else:
            runs.append((code, code))
    return runs


class Rules:
    """Reads labels as values of one column of the world; made once per column."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._edges: dict[tuple[Kind, str | None, bool, bool], Run | None] = {}

    def runs(self, label: str) -> list[Run]:
        """The codes of the values that a label may stand for; none if it can be no value."""
        exact = self._exact(label)
        if exact:
            return [(exact, exact)]
        if label and not label.strip(TOP):
            return [(1, len(self._domain))] if len(self._domain) else []
        members = read_set(label)
        if members is not None:
            return self._any_of(members)
        return self._period(label) or self._between(label) or self._beginning(label)

    @cached_property
    def _code(self) -> dict[str, int]:
        return {label: code for code, label in enumerate(self._domain.labels.tolist(), start=1)}

    def _exact(self, label: str) -> int:
        """The code of a value, be it spelled in another way: 39.0 for 39; 0 if there is none."""
        if label in self._code:
            return self._code[label]
        number = parse_number(label)
        if number is None:
            return 0
        if self._domain.kind is Kind.NUMBER:
            run = locate(self._domain, Bounds(label, label, high_inside=True))
            return 0 if run is None else run[0]
        return 0 if _NAME_LIKE.match(label) else self._code.get(number_text(number), 0)

    def _any_of(self, members: list[str]) -> list[Run]:
        """The codes of the members of a set, also if no blank is written between them."""
        found = runs_of(filter(None, map(self._exact, members)))
        bare = members[0].split(",") if len(members) == 1 else []
        return found or runs_of(filter(None, map(self._exact, bare)))

    def _period(self, label: str) -> list[Run]:
        """The days or moments of a day, a month, a quarter or a year."""
        quarter = _QUARTER.fullmatch(label)
        if quarter is not None:
            last = 3 * int(quarter["quarter"])
            year = quarter["year"]
            bounds = Bounds(f"{year}-{last - 2:02}", f"{year}-{last:02}", high_inside=True)
        elif parse_date(label) is not None:
            bounds = Bounds(label, label, high_inside=True)
        else:
            return []
        return self._located(bounds, Kind.DATE) or self._years(bounds)

    def _between(self, label: str) -> list[Run]:
        bounds = bounds_in(label)
        if bounds is None:
            return []
        found = self._located(bounds, Kind.NUMBER) or self._located(bounds, Kind.DATE)
        found = found or self._years(bounds)
        if found or self._domain.kind is not Kind.TEXT:
            return found
        ends = [end for end in (bounds.low, bounds.high) if end is not None]
        quantities = all(parse_number(end) is not None for end in ends)
        return [] if quantities else self._in_order(bounds)

    def _located(self, bounds: Bounds, kind: Kind) -> list[Run]:
        """The values between two bounds, texts among them read as numbers or dates."""
        if self._domain.kind not in {kind, Kind.TEXT}:
            return []
        low = self._edge(kind, bounds.low, inside=bounds.low_inside, upper=False)
        high = self._edge(kind, bounds.high, inside=bounds.high_inside, upper=True)
        if low is None or high is None or low[0] > high[1]:
            return []
        if self._domain.kind is kind:
            return [(low[0], high[1])]
        return runs_of(self._scales[kind][1][low[0] - 1 : high[1]].tolist())

    def _years(self, bounds: Bounds) -> list[Run]:
        """The numbers that are years in which there is something between two dates."""
        if self._domain.kind is not Kind.NUMBER:
            return []
        low, high = _year(bounds.low), _year(bounds.high, before=not bounds.high_inside)
        if (low is None, high is None) != (bounds.low is None, bounds.high is None):
            return []
        return self._located(Bounds(low, high, high_inside=True), Kind.NUMBER)

    def _edge(self, kind: Kind, end: str | None, *, inside: bool, upper: bool) -> Run | None:
        """The values on one side of a bound; many labels have the same bounds."""
        key = (kind, end, inside, upper)
        if key not in self._edges:
            scale = self._domain if self._domain.kind is kind else self._scales[kind][0]
            if kind is Kind.DATE and not upper:
                end, inside = _from_day(end, scale, inside=inside)
            bounds = Bounds(None, end, high_inside=inside) if upper else Bounds(end, None, inside)
            self._edges[key] = locate(scale, bounds)
        return self._edges[key]

    @cached_property
    def _scales(self) -> dict[Kind, tuple[Domain, Codes]]:
        """Texts as numbers and as dates, as far as they are: values in their order, and codes."""
        return {kind: self._scale(kind) for kind in (Kind.NUMBER, Kind.DATE)}

    def _scale(self, kind: Kind) -> tuple[Domain, Codes]:
        parsed = parse(self._domain.labels, kind)
        codes = np.flatnonzero(parsed.fits).astype(np.int32)
        codes = codes[np.argsort(parsed.values[codes], kind="stable")]
        return Domain(kind, parsed.values[codes]), codes + np.int32(1)

    @cached_property
    def _sorted(self) -> tuple[list[str], Codes]:
        """The labels by code point, and the code of each."""
        labels = self._domain.labels.tolist()
        order = sorted(range(len(labels)), key=labels.__getitem__)
        return [labels[i] for i in order], np.array(order, dtype=np.int32) + np.int32(1)

    def _slice(self, low: int, high: int) -> list[Run]:
        return runs_of(self._sorted[1][low:high].tolist())

    def _in_order(self, bounds: Bounds) -> list[Run]:
        """Texts between two others by code point."""
        labels, _ = self._sorted
        low = 0
        if bounds.low is not None:
            low = (bisect_left if bounds.low_inside else bisect_right)(labels, bounds.low)
        high = len(labels)
        if bounds.high is not None:
            high = (bisect_right if bounds.high_inside else bisect_left)(labels, bounds.high)
        return self._slice(low, high)

    def _beginning(self, label: str) -> list[Run]:
        """Codes of which the last characters are masked; whole numbers get back their zeros."""
        shown = label.rstrip("*")
        masked = len(label) - len(shown)
        if not masked or "*" in shown:
            return []
        if self._domain.kind is Kind.NUMBER:
            if not shown.isdecimal():
                return []
            low = int(shown) * 10**masked
            return self._located(Bounds(str(low), str(low + 10**masked)), Kind.NUMBER)
        labels, _ = self._sorted
        return self._slice(bisect_left(labels, shown), bisect_right(labels, shown + _LAST))


def _year(end: str | None, *, before: bool = False) -> str | None:
    """The year of a date, or of what is just before it; None if it is no date."""
    date = None if end is None else parse_date(end)
    unit = "Y" if date is None else np.datetime_data(date.dtype)[0]
    if date is None or unit == "Y":
        return None
    step = np.array(int(before), dtype=f"timedelta64[{unit}]")
    return str((date - step).astype("datetime64[Y]"))


def _from_day(end: str | None, scale: Domain, *, inside: bool) -> tuple[str | None, bool]:
    """Where what begins at a moment begins if only days are known: on the day of the moment."""
    date = None if end is None else parse_date(end)
    if date is None or scale.values.dtype != np.dtype("datetime64[D]"):
        return end, inside
    if np.datetime_data(date.dtype)[0] in {"Y", "M", "D"}:
        return end, inside
    return str(date.astype("datetime64[D]")), True


def _bare(label: str) -> Bounds | None:
    """An interval of numbers or dates as R, ARX and others write it: `[20,30)`, `]20; Inf)`."""
    found = _BARE.fullmatch(label)
    if found is None:
        return None
    low = None if found["a"].lower() in {"-inf", "-∞"} else found["a"]
    high = None if found["b"].lower().removeprefix("+") in {"inf", "∞"} else found["b"]
    ends = [end for end in (low, high) if end is not None]
    if any(parse_number(end) is None and parse_date(end) is None for end in ends):
        return None
    return Bounds(low, high, found["l"] == "[", found["r"] == "]")


def bounds_in(label: str) -> Bounds | None:
    """What an interval says, in our own spelling or in that of other tools; None if it is none."""
    found = _bare(label) or read_bounds(label)
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
