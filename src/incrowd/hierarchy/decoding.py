"""From shown labels back to the leaves they may stand for (Bettini's Dec)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from incrowd.arrays import MISSING, Codes, Counts, Flags, Texts
from incrowd.errors import InputError, counted
from incrowd.hierarchy.labels import (
    Bounds,
    locate,
    number_text,
    parse_number,
    read_bounds,
    read_set,
)
from incrowd.table.column import Domain, Kind

Run = tuple[int, int]
"""First and last leaf code."""


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
        """The leaves of `[17, 25]` by a quick look, as releases have many; None if it is no such.

        Labels that could be read in another way, too, are left to the slow look.
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
