"""From labels back to the values that they may stand for (Bettini's Dec).

A hierarchy knows its own labels (`Decoder`). Where no hierarchy says it, a label stands for what is
written (`WrittenLabels`): a value of the column stands for itself, whatever else it looks like.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from incrowd.arrays import MISSING, Codes, Counts, Flags, Texts
from incrowd.errors import InputError, counted
from incrowd.hierarchy.labels import (
    TOP,
    Bounds,
    number_text,
    parse_date,
    parse_number,
    read_any_bounds,
    read_bounds,
    read_masked,
    read_quarter,
    read_set,
)
from incrowd.table.column import Domain, Kind, count_below
from incrowd.table.parse import parse

Run = tuple[int, int]
"""First and last leaf code."""

_NAME_LIKE = re.compile(r"\+|[+-]?0\d")
_LAST = chr(0x10FFFF)


@dataclass(frozen=True, eq=False)
class Decoded:
    """The leaves that many labels may stand for, as runs of codes.

    Label i is number `of[i]` of the distinct labels; that one stands for the runs
    `low[start[d]:start[d + 1]]` to `high[…]`, ascending and apart. Missing is the run 0 to 0.
    """

    of: Codes
    start: Counts
    low: Codes
    high: Codes

    def __len__(self) -> int:
        """Number of labels."""
        return len(self.of)

    def __getitem__(self, label: int) -> Codes:
        """The codes of one label, ascending."""
        d = self.of[label]
        here = range(int(self.start[d]), int(self.start[d + 1]))
        runs = [np.arange(self.low[r], self.high[r] + 1, dtype=np.int32) for r in here]
        return np.concatenate(runs)

    @property
    def sizes(self) -> Counts:
        """How many leaves each label may stand for, missing included."""
        total: Counts = np.zeros(len(self.low) + 1, dtype=np.int64)
        np.cumsum(self.high - self.low + 1, out=total[1:])
        sizes: Counts = (total[self.start[1:]] - total[self.start[:-1]])[self.of]
        return sizes

    def covers(self, codes: Codes) -> Flags:
        """Whether label i may stand for `codes[i]`, elementwise."""
        first, last = self.start[self.of], self.start[self.of + 1]
        covered: Flags = np.zeros(len(self.of), dtype=np.bool_)
        for r in range(int((last - first).max(initial=0))):
            run = np.minimum(first + r, last - 1)
            covered |= (self.low[run] <= codes) & (codes <= self.high[run])
        return covered


class Decoder:
    """Finds the leaves of labels; made once per hierarchy, when first needed."""

    def __init__(
        self,
        leaves: Domain,
        labels: tuple[Texts, ...],
        bounds: tuple[tuple[Codes, Codes], ...],
        ordered: bool,
    ) -> None:
        self._leaves = leaves
        self._labels = labels
        self._bounds = bounds
        self._ordered = ordered

    @cached_property
    def _leaf(self) -> dict[str, int]:
        return {label: code for code, label in enumerate(self._labels[0].tolist(), start=1)}

    @cached_property
    def _nodes(self) -> dict[str, list[Run]]:
        runs: dict[str, list[Run]] = {}
        inner = zip(self._labels[1:-1], self._bounds[1:-1], strict=True)
        for labels, (low, high) in inner:
            ends = zip(labels.tolist(), low[1:].tolist(), high[1:].tolist(), strict=True)
            for label, first, last in ends:
                runs.setdefault(label, []).append((first, last))
        runs[self._labels[-1][0]] = [(MISSING, len(self._leaves))]
        return runs

    def decode(self, labels: Sequence[str | None] | Texts) -> Decoded:
        """The leaves of each label; `InputError` counts those that stand for none."""
        number: dict[str | None, int] = {}
        of = np.array([number.setdefault(label, len(number)) for label in labels], dtype=np.int32)
        runs = [self._runs(label) for label in number]
        self._refuse_unknown(of, runs)
        start = np.concatenate([[0], np.cumsum([len(found) for found in runs])]).astype(np.int64)
        ends = np.array([run for found in runs for run in found], dtype=np.int32).reshape(-1, 2)
        return Decoded(of, start, ends[:, 0].copy(), ends[:, 1].copy())

    def stands_for(self, label: str, run: Run) -> bool:
        """Whether a label stands for the leaves of this run and no others."""
        return self._runs(label) == [run]

    def _refuse_unknown(self, of: Codes, runs: list[list[Run]]) -> None:
        unknown = np.array([not found for found in runs], dtype=np.bool_)
        if unknown.any():
            first = int(np.argmax(unknown[of])) + 1
            labels = counted(int(unknown.sum()), "distinct label stands", "distinct labels stand")
            raise InputError(
                f"{labels} for no value of the hierarchy (first at row {first})",
                remedy="decode them with the hierarchy that made them",
            )

    def _runs(self, label: str | None) -> list[Run]:
        if label is None:
            return [(MISSING, MISSING)]
        plain = self._plain_span(label) if self._ordered else None
        if plain is not None:
            return [plain]
        found = list(self._nodes.get(label, ()))
        if label in self._leaf:
            found.append((self._leaf[label], self._leaf[label]))
        bounds = read_bounds(label) if self._ordered else None
        between = None if bounds is None else self._between(bounds)
        if between is not None:
            found.append(between)
        found.extend(self._members(label))
        if len(found) == 1:
            return found
        return _union(found) if found else self._exact(label)

    def _plain_span(self, label: str) -> Run | None:
        """The leaves of a plain span such as `[17, 25]`, looked up quickly; None for other labels.

        A label that could be read in another way, too, is no plain span.
        """
        if label[:1] != "[" or label[-1] != "]" or label[1] == '"':
            return None
        first, _, last = label[1:-1].partition(", ")
        low, high = self._leaf.get(first), self._leaf.get(last)
        if low is None or high is None or low > high or ", " in last:
            return None
        known = self._nodes
        named = label in self._leaf or label in known or first in known or last in known
        return None if named else (low, high)

    def _members(self, label: str) -> list[Run]:
        """The leaves that the label of a set names; none if one of its values is unknown."""
        values = read_set(label)
        if values is None or not all(value in self._leaf for value in values):
            return []
        return [(self._leaf[value], self._leaf[value]) for value in values]

    def _between(self, bounds: Bounds) -> Run | None:
        if bounds.low_inside and bounds.high_inside:
            low, high = self._named.get(bounds.low or ""), self._named.get(bounds.high or "")
            if low is not None and high is not None:
                return (low[0], high[1]) if low[0] <= high[1] else None
        return locate(self._leaves, bounds)

    @cached_property
    def _named(self) -> dict[str, Run]:
        """From the first to the last leaf of the leaf and the nodes of each name."""
        named = {label: (code, code) for label, code in self._leaf.items()}
        for label, runs in self._nodes.items():
            every = [*runs, named[label]] if label in named else runs
            named[label] = (min(low for low, _ in every), max(high for _, high in every))
        return named

    def _exact(self, label: str) -> list[Run]:
        """A value in another spelling than ours: `1.0` for 1."""
        if self._leaves.kind is Kind.TEXT:
            number = parse_number(label)
            code = None if number is None else self._leaf.get(number_text(number))
            return [] if code is None else [(code, code)]
        run = locate(self._leaves, Bounds(label, label, low_inside=True, high_inside=True))
        return [] if run is None else [run]


def _union(runs: list[Run]) -> list[Run]:
    merged: list[Run] = []
    for low, high in sorted(runs):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return merged


def runs_of(codes: Iterable[int]) -> list[Run]:
    """Codes as runs, ascending and apart."""
    runs: list[Run] = []
    for code in sorted(set(codes)):
        if runs and runs[-1][1] == code - 1:
            runs[-1] = (runs[-1][0], code)
        else:
            runs.append((code, code))
    return runs


class WrittenLabels:
    """Reads labels as values of one column, by the way they are written; made once per column.

    Where the column holds years, as numbers, dates stand for the years that they lie in; where it
    holds days, moments stand for their days.
    """

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._edges: dict[tuple[Kind, str | None, bool, bool], Run | None] = {}

    def runs(self, label: str) -> list[Run]:
        """The codes of the values that a label may stand for; empty if it stands for none."""
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
        """The code of a value, also if it is spelled in another way (39.0 for 39); 0 if unknown."""
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
        bounds = read_quarter(label, dash=False)
        if bounds is None and parse_date(label) is not None:
            bounds = Bounds(label, label, high_inside=True)
        if bounds is None:
            return []
        return self._located(bounds, Kind.DATE) or self._years(bounds)

    def _between(self, label: str) -> list[Run]:
        bounds = read_any_bounds(label)
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
        found = read_masked(label)
        if found is None:
            return []
        shown, hidden = found
        if self._domain.kind is Kind.NUMBER:
            if not shown.isdecimal():
                return []
            low = int(shown) * 10**hidden
            return self._located(Bounds(str(low), str(low + 10**hidden)), Kind.NUMBER)
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


def locate(leaves: Domain, bounds: Bounds) -> tuple[int, int] | None:
    """First and last code of the leaves between these bounds, by arithmetic; None if no leaf is."""
    if leaves.kind is Kind.TEXT:
        return None
    low = 0 if bounds.low is None else _before(leaves, bounds.low, after=not bounds.low_inside)
    high = len(leaves)
    if bounds.high is not None:
        found = _before(leaves, bounds.high, after=bounds.high_inside)
        high = -1 if found is None else found
    return None if low is None or high <= low else (low + 1, high)


def _before(leaves: Domain, text: str, *, after: bool) -> int | None:
    """How many leaves lie below the bound, or up to it with `after`; None if it is no bound."""
    if leaves.kind is Kind.NUMBER:
        number = parse_number(text)
        return None if number is None else count_below(leaves.values, number, after=after)
    date = parse_date(text)
    if date is None:
        return None
    moments = leaves.values.astype("datetime64[us]")
    step = np.array(int(after), dtype=f"timedelta64[{np.datetime_data(date.dtype)[0]}]")
    return int(np.searchsorted(moments, (date + step).astype("datetime64[us]")))
