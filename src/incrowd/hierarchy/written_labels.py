"""Labels read as they are written, without a hierarchy; a value always stands for itself."""

import re
from bisect import bisect_left, bisect_right
from functools import cached_property

import numpy as np

from incrowd.arrays import Codes
from incrowd.hierarchy.decoding import Run, complement, locate, merge_runs, runs_of
from incrowd.hierarchy.foreign_labels import read_any_bounds
from incrowd.hierarchy.labels import (
    TOP,
    Bounds,
    number_text,
    parse_date,
    parse_number,
    read_masked,
    read_members,
    read_quarter,
)
from incrowd.table.column import Domain, Kind
from incrowd.table.parse import parse

_NAME_LIKE = re.compile(r"\+|[+-]?0\d")
_LAST = chr(0x10FFFF)


class WrittenLabels:
    """Reads labels as values of one column, by the way they are written; made once per column.

    Where the column holds years, as numbers, dates stand for the years that they lie in; where it
    holds days, moments stand for their days.
    """

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._unnamed: dict[frozenset[str], list[Run]] = {}
        self._edges: dict[tuple[Kind, str | None, bool, bool], Run | None] = {}

    def runs(self, label: str, named: frozenset[str] = frozenset()) -> list[Run]:
        """The codes that a label may stand for, as runs, if any; `*others*` for all not `named`."""
        exact = self._code_of_value(label)
        if exact:
            return [(exact, exact)]
        if label and not label.strip(TOP):
            return [(1, len(self._domain))] if len(self._domain) else []
        members = read_members(label)
        if members is not None:
            found = self._runs_of_members(list(members.values))
            return merge_runs([*found, *self._unnamed_runs(named)]) if members.others else found
        return self._coarse_runs(label)

    def _coarse_runs(self, label: str) -> list[Run]:
        """The codes that a period, an interval or a mask stands for; empty for other labels."""
        return self._period_runs(label) or self._interval_runs(label) or self._masked_runs(label)

    @cached_property
    def _code_of_label(self) -> dict[str, int]:
        """The code of each value by its label."""
        return {label: code for code, label in enumerate(self._domain.labels.tolist(), start=1)}

    def _code_of_value(self, label: str) -> int:
        """The code of a value, also if spelled in another way (39.0 for 39); 0 if unknown."""
        if label in self._code_of_label:
            return self._code_of_label[label]
        number = parse_number(label)
        if number is None:
            return 0
        if self._domain.kind is Kind.NUMBER:
            run = locate(self._domain, Bounds(label, label, high_inside=True))
            return 0 if run is None else run[0]
        return 0 if _NAME_LIKE.match(label) else self._code_of_label.get(number_text(number), 0)

    def _unnamed_runs(self, named: frozenset[str]) -> list[Run]:
        """The codes that none of these names (values, nodes, periods) stands for, as runs."""
        if named not in self._unnamed:
            runs = (run for name in named for run in self._runs_of_members([name]))
            self._unnamed = {named: complement(runs, len(self._domain))}
        return self._unnamed[named]

    def _runs_of_members(self, members: list[str]) -> list[Run]:
        """The codes of the members of a set, also if no blank is written between them."""
        found = merge_runs([run for member in members for run in self._member_runs(member)])
        bare = members[0].split(",") if len(members) == 1 else []
        return found or runs_of(filter(None, map(self._code_of_value, bare)))

    def _member_runs(self, name: str) -> list[Run]:
        """The codes of a value, or of a node whose name says what it stands for."""
        exact = self._code_of_value(name)
        return [(exact, exact)] if exact else self._coarse_runs(name)

    def _period_runs(self, label: str) -> list[Run]:
        """The codes of days or moments in a day, month, quarter or year; empty for others."""
        bounds = read_quarter(label, dash=False)
        if bounds is None and parse_date(label) is not None:
            bounds = Bounds(label, label, high_inside=True)
        if bounds is None:
            return []
        return self._runs_between(bounds, Kind.DATE) or self._year_runs(bounds)

    def _interval_runs(self, label: str) -> list[Run]:
        """The codes of values in an interval: numbers, dates, years or, by code point, texts."""
        bounds = read_any_bounds(label)
        if bounds is None:
            return []
        found = self._runs_between(bounds, Kind.NUMBER) or self._runs_between(bounds, Kind.DATE)
        found = found or self._year_runs(bounds)
        if found or self._domain.kind is not Kind.TEXT:
            return found
        ends = [end for end in (bounds.low, bounds.high) if end is not None]
        quantities = all(parse_number(end) is not None for end in ends)
        return [] if quantities else self._text_runs(bounds)

    def _runs_between(self, bounds: Bounds, kind: Kind) -> list[Run]:
        """The codes of the values between two bounds, texts being read as numbers or dates."""
        if self._domain.kind not in {kind, Kind.TEXT}:
            return []
        low = self._side_of_bound(kind, bounds.low, inside=bounds.low_inside, upper=False)
        high = self._side_of_bound(kind, bounds.high, inside=bounds.high_inside, upper=True)
        if low is None or high is None or low[0] > high[1]:
            return []
        if self._domain.kind is kind:
            return [(low[0], high[1])]
        return runs_of(self._scales[kind][1][low[0] - 1 : high[1]].tolist())

    def _year_runs(self, bounds: Bounds) -> list[Run]:
        """The codes of numbers that, read as years, have a day between these dates."""
        if self._domain.kind is not Kind.NUMBER:
            return []
        low, high = _year_of(bounds.low), _year_of(bounds.high, before=not bounds.high_inside)
        if (low is None, high is None) != (bounds.low is None, bounds.high is None):
            return []
        return self._runs_between(Bounds(low, high, high_inside=True), Kind.NUMBER)

    def _side_of_bound(
        self, kind: Kind, end: str | None, *, inside: bool, upper: bool
    ) -> Run | None:
        """The run on the scale of `kind` above a lower or below an `upper` bound; None if none."""
        key = (kind, end, inside, upper)
        if key not in self._edges:
            scale = self._domain if self._domain.kind is kind else self._scales[kind][0]
            if kind is Kind.DATE and not upper:
                end, inside = _round_to_day(end, scale, inside=inside)
            bounds = Bounds(None, end, high_inside=inside) if upper else Bounds(end, None, inside)
            self._edges[key] = locate(scale, bounds)
        return self._edges[key]

    @cached_property
    def _scales(self) -> dict[Kind, tuple[Domain, Codes]]:
        """The texts as numbers and as dates, as far as they are: a sorted domain, and codes."""
        return {kind: self._build_scale(kind) for kind in (Kind.NUMBER, Kind.DATE)}

    def _build_scale(self, kind: Kind) -> tuple[Domain, Codes]:
        """Texts that are numbers or dates as a sorted domain, and their codes."""
        parsed = parse(self._domain.labels, kind)
        codes = np.flatnonzero(parsed.fits).astype(np.int32)
        codes = codes[np.argsort(parsed.values[codes], kind="stable")]
        return Domain(kind, parsed.values[codes]), codes + np.int32(1)

    @cached_property
    def _texts_in_order(self) -> tuple[list[str], Codes]:
        """The texts of the values by code point, and the code of each."""
        labels = self._domain.labels.tolist()
        order = sorted(range(len(labels)), key=labels.__getitem__)
        return [labels[i] for i in order], np.array(order, dtype=np.int32) + np.int32(1)

    def _runs_of_texts(self, low: int, high: int) -> list[Run]:
        """The codes of the texts in order from place `low` up to but not `high`, as runs."""
        return runs_of(self._texts_in_order[1][low:high].tolist())

    def _text_runs(self, bounds: Bounds) -> list[Run]:
        """The codes of the texts between two bounds, by code point."""
        labels, _ = self._texts_in_order
        low = 0
        if bounds.low is not None:
            low = (bisect_left if bounds.low_inside else bisect_right)(labels, bounds.low)
        high = len(labels)
        if bounds.high is not None:
            high = (bisect_right if bounds.high_inside else bisect_left)(labels, bounds.high)
        return self._runs_of_texts(low, high)

    def _masked_runs(self, label: str) -> list[Run]:
        """The codes of values that begin as a masked label does; empty if nothing is masked."""
        found = read_masked(label)
        if found is None:
            return []
        shown, hidden = found
        if self._domain.kind is Kind.NUMBER:
            if not shown.isdecimal():
                return []
            low = int(shown) * 10**hidden
            return self._runs_between(Bounds(str(low), str(low + 10**hidden)), Kind.NUMBER)
        labels, _ = self._texts_in_order
        return self._runs_of_texts(bisect_left(labels, shown), bisect_right(labels, shown + _LAST))


def _year_of(end: str | None, *, before: bool = False) -> str | None:
    """The year of a date with a month (`before`: of the moment before it); None for others."""
    date = None if end is None else parse_date(end)
    unit = "Y" if date is None else np.datetime_data(date.dtype)[0]
    if date is None or unit == "Y":
        return None
    step = np.array(int(before), dtype=f"timedelta64[{unit}]")
    return str((date - step).astype("datetime64[Y]"))


def _round_to_day(end: str | None, scale: Domain, *, inside: bool) -> tuple[str | None, bool]:
    """A lower bound and whether it is inside; a moment becomes its day if only days are known."""
    date = None if end is None else parse_date(end)
    if date is None or scale.values.dtype != np.dtype("datetime64[D]"):
        return end, inside
    if np.datetime_data(date.dtype)[0] in {"Y", "M", "D"}:
        return end, inside
    return str(date.astype("datetime64[D]")), True
