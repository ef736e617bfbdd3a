"""From labels to the leaves of a hierarchy that they may stand for (Bettini's Dec)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from incrowd.arrays import MISSING, Codes, Counts, Flags, Texts
from incrowd.errors import InputError, count_of
from incrowd.hierarchy.labels import (
    Bounds,
    has_others,
    names_in_labels,
    number_text,
    parse_date,
    parse_number,
    read_bounds,
    read_members,
)
from incrowd.table.column import Domain, Kind, count_below

Run = tuple[int, int]
"""First and last leaf code."""


@dataclass(frozen=True, eq=False)
class Decoded:
    """The leaves that many labels may stand for, as runs of codes.

    Label i is distinct label d = `of[i]`, counted from 0. Distinct label d stands for the runs
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
        """Keep the leaves, and by level the labels and the first and last codes of nodes."""
        self._leaves = leaves
        self._labels = labels
        self._bounds = bounds
        self._ordered = ordered
        self._others: dict[frozenset[str], list[Run]] = {}

    @cached_property
    def _code_of_leaf(self) -> dict[str, int]:
        """The code of each value by its label."""
        return {label: code for code, label in enumerate(self._labels[0].tolist(), start=1)}

    @cached_property
    def _runs_of_nodes(self) -> dict[str, list[Run]]:
        """The runs of leaves of each label above the values; the top stands for missing, too."""
        runs: dict[str, list[Run]] = {}
        for labels, (low, high) in zip(self._labels[1:-1], self._bounds[1:-1], strict=True):
            ends = zip(labels.tolist(), low[1:].tolist(), high[1:].tolist(), strict=True)
            for label, first, last in ends:
                runs.setdefault(label, []).append((first, last))
        runs[self._labels[-1][0]] = [(MISSING, len(self._leaves))]
        return runs

    def decode(
        self, labels: Sequence[str | None] | Texts, named: frozenset[str] | None = None
    ) -> Decoded:
        """The leaves of each label; `InputError` counts those that stand for none.

        `named` is what all labels of the column name (default: what these labels name).
        """
        number: dict[str | None, int] = {}
        of = np.array([number.setdefault(label, len(number)) for label in labels], dtype=np.int32)
        unnamed = self._other_leaves(number, named)
        runs = [self._runs(label, unnamed) for label in number]
        self._refuse_unknown_labels(of, runs)
        start = np.concatenate([[0], np.cumsum([len(found) for found in runs])]).astype(np.int64)
        ends = np.array([run for found in runs for run in found], dtype=np.int32).reshape(-1, 2)
        return Decoded(of, start, ends[:, 0].copy(), ends[:, 1].copy())

    def stands_for(self, label: str, run: Run) -> bool:
        """Whether a label stands for the leaves of this run and no others."""
        return self._runs(label, []) == [run]

    def _other_leaves(
        self, labels: Iterable[str | None], named: frozenset[str] | None
    ) -> list[Run]:
        """The runs that `*others*` stands for: leaves under none of the names below the top."""
        if not any(label is not None and has_others(label) for label in labels):
            return []
        names = names_in_labels(labels) if named is None else named
        if names not in self._others:
            below_top = names - {self._labels[-1][0]}
            runs = (run for name in below_top for run in self._runs(name, []))
            self._others = {names: complement(runs, len(self._leaves))}
        return self._others[names]

    def _refuse_unknown_labels(self, of: Codes, runs: list[list[Run]]) -> None:
        """Raise `InputError` if a label stands for nothing; `of` is the label of each row."""
        unknown = np.array([not found for found in runs], dtype=np.bool_)
        if unknown.any():
            first = int(np.argmax(unknown[of])) + 1
            labels = count_of(int(unknown.sum()), "distinct label stands", "distinct labels stand")
            raise InputError(
                f"{labels} for no value of the hierarchy (first at row {first})",
                remedy="decode them with the hierarchy that made them",
            )

    def _runs(self, label: str | None, unnamed: list[Run]) -> list[Run]:
        """The runs of leaves of a label, none if unknown; `unnamed` are those of `*others*`."""
        if label is None:
            return [(MISSING, MISSING)]
        plain = self._plain_span(label) if self._ordered else None
        if plain is not None:
            return [plain]
        found = list(self._runs_of_nodes.get(label, ()))
        if label in self._code_of_leaf:
            found.append((self._code_of_leaf[label], self._code_of_leaf[label]))
        bounds = read_bounds(label) if self._ordered else None
        between = None if bounds is None else self._run_between(bounds)
        if between is not None:
            found.append(between)
        found.extend(self._runs_of_set(label, unnamed))
        if len(found) == 1:
            return found
        return merge_runs(found) if found else self._runs_of_spelling(label)

    def _plain_span(self, label: str) -> Run | None:
        """The leaves of a span such as `[17, 25]`; None for other or ambiguous labels."""
        if label[:1] != "[" or label[-1] != "]" or label[1] == '"':
            return None
        first, _, last = label[1:-1].partition(", ")
        low, high = self._code_of_leaf.get(first), self._code_of_leaf.get(last)
        if low is None or high is None or low > high or ", " in last:
            return None
        known = self._runs_of_nodes
        named = label in self._code_of_leaf or label in known or first in known or last in known
        return None if named else (low, high)

    def _runs_of_set(self, label: str, unnamed: list[Run]) -> list[Run]:
        """The runs of a set's members, `unnamed` for `*others*`; none if a member is unknown."""
        members = read_members(label)
        if members is None:
            return []
        runs = [self._runs_named(value) for value in members.values]
        if not all(runs):
            return []
        return [*(run for found in runs for run in found), *(unnamed if members.others else ())]

    def _runs_named(self, name: str) -> list[Run]:
        """The runs of the nodes and of the value that have this name; none if nothing has."""
        code = self._code_of_leaf.get(name)
        return [*self._runs_of_nodes.get(name, ()), *([] if code is None else [(code, code)])]

    def _run_between(self, bounds: Bounds) -> Run | None:
        """The run of leaves between two bounds, which may be names; None if there is none."""
        if bounds.low_inside and bounds.high_inside:
            low, high = (self._outer_run_named.get(end or "") for end in (bounds.low, bounds.high))
            if low is not None and high is not None:
                return (low[0], high[1]) if low[0] <= high[1] else None
        return locate(self._leaves, bounds)

    @cached_property
    def _outer_run_named(self) -> dict[str, Run]:
        """By name: one run, from the first to the last leaf under all nodes (and leaf) named so."""
        named = {label: (code, code) for label, code in self._code_of_leaf.items()}
        for label, runs in self._runs_of_nodes.items():
            every = [*runs, named[label]] if label in named else runs
            named[label] = (min(low for low, _ in every), max(high for _, high in every))
        return named

    def _runs_of_spelling(self, label: str) -> list[Run]:
        """The run of a value in another spelling than ours, such as `1.0` for 1; no run if none."""
        if self._leaves.kind is Kind.TEXT:
            number = parse_number(label)
            code = None if number is None else self._code_of_leaf.get(number_text(number))
            return [] if code is None else [(code, code)]
        run = locate(self._leaves, Bounds(label, label, low_inside=True, high_inside=True))
        return [] if run is None else [run]


def merge_runs(runs: Iterable[Run]) -> list[Run]:
    """Runs that overlap or touch made one: ascending, with a gap after each."""
    merged: list[Run] = []
    for low, high in sorted(runs):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return merged


def complement(runs: Iterable[Run], size: int) -> list[Run]:
    """The codes from 1 to `size` that lie in none of these runs, as runs.

    >>> complement([(0, 0), (2, 3), (3, 4)], 6)
    [(1, 1), (5, 6)]
    """
    left, next_code = [], 1
    for low, high in sorted(runs):
        if low > next_code:
            left.append((next_code, low - 1))
        next_code = max(next_code, high + 1)
    return [*left, (next_code, size)] if next_code <= size else left


def runs_of(codes: Iterable[int]) -> list[Run]:
    """The codes as runs that are ascending and apart."""
    return merge_runs((code, code) for code in codes)


def locate(leaves: Domain, bounds: Bounds) -> tuple[int, int] | None:
    """First and last code of leaves between bounds; None without any, for texts or unfit bounds."""
    if leaves.kind is Kind.TEXT:
        return None
    low: int | None = 0
    high: int | None = len(leaves)
    if bounds.low is not None:
        low = _count_before(leaves, bounds.low, after=not bounds.low_inside)
    if bounds.high is not None:
        high = _count_before(leaves, bounds.high, after=bounds.high_inside)
    return None if low is None or high is None or high <= low else (low + 1, high)


def _count_before(leaves: Domain, text: str, *, after: bool) -> int | None:
    """How many leaves lie below a bound, or up to it with `after`; None if it is no bound."""
    if leaves.kind is Kind.NUMBER:
        number = parse_number(text)
        return None if number is None else count_below(leaves.values, number, after=after)
    date = parse_date(text)
    if date is None:
        return None
    moments = leaves.values.astype("datetime64[us]")
    step = np.array(int(after), dtype=f"timedelta64[{np.datetime_data(date.dtype)[0]}]")
    return int(np.searchsorted(moments, (date + step).astype("datetime64[us]")))
