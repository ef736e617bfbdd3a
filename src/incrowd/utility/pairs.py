"""How strongly two columns go together: correlation, correlation ratio and Cramér's V."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import sqrt

import numpy as np

from incrowd.arrays import Codes, Flags, Floats
from incrowd.utility.column import OriginalColumn
from incrowd.utility.comparison import Measure
from incrowd.utility.counts import two_way_counts
from incrowd.utility.released import CellShares, ReleasedColumn, shares_of_original

MOST_PAIRS = 300
"""Pairs of columns that are compared; the most associated ones if there are more."""
_RANKED_ON = 2_000
"""Records of the original by which pairs are ranked."""
_TINY = 1e-15


@dataclass(frozen=True, eq=False)
class Feature:
    """A column of either table, ready to be put next to another one."""

    spread: CellShares
    ordered: bool
    place: Floats
    """Per label: where a record lies on average; NaN for missing and for categories."""
    variance: Floats
    label: Codes
    """The label of each record."""

    def __repr__(self) -> str:
        """Without values."""
        return f"Feature({self.spread!r})"

    @classmethod
    def of_original(cls, column: OriginalColumn) -> "Feature":
        """Make the feature of a column of the original: every value is known."""
        place = np.append(np.nan, column.scale)
        return cls(
            shares_of_original(column),
            column.ordered,
            place,
            np.zeros(len(place)),
            column.coded.codes,
        )

    @classmethod
    def of_release(cls, column: ReleasedColumn) -> "Feature":
        """Make the feature of a column of a release: labels are spread evenly over their values."""
        ordered = column.original.ordered
        return cls(column.spread, ordered, column.mean, column.variance, column.codes)

    @cached_property
    def values(self) -> Floats:
        """Where each record lies on average."""
        return self.place[self.label]

    @cached_property
    def variances(self) -> Floats:
        """The variance that the spread of each record's label adds."""
        return self.variance[self.label]

    @cached_property
    def known(self) -> Flags:
        """Which records have a value."""
        return np.asarray(self.spread.pattern != 0)


def measure_of(one: OriginalColumn, other: OriginalColumn) -> Measure:
    """Say how the association of two columns is measured: by how many of them are ordered."""
    match one.ordered + other.ordered:
        case 2:
            return "correlation"
        case 1:
            return "correlation_ratio"
        case _:
            return "cramers_v"


def association(one: Feature, other: Feature) -> float | None:
    """The association of two columns, 0..1 or -1..1; None if constant, or no record has both."""
    if one.ordered and other.ordered:
        return correlation(one, other)
    if one.ordered or other.ordered:
        number, category = (one, other) if one.ordered else (other, one)
        return correlation_ratio(category, number)
    return cramers_v(two_way_counts(one.spread, other.spread)[1:, 1:])


def correlation(one: Feature, other: Feature) -> float | None:
    """Pearson's correlation, labels' variance added; None if constant, or no record has both."""
    both = one.known & other.known
    if not both.any():
        return None
    x, y = one.values[both], other.values[both]
    x, y = x - x.mean(), y - y.mean()
    spread = [float(v @ v) + float(f.variances[both].sum()) for v, f in ((x, one), (y, other))]
    if min(spread) <= _TINY * len(x):
        return None
    return float(x @ y) / sqrt(spread[0] * spread[1])


def correlation_ratio(category: Feature, number: Feature) -> float | None:
    """The root of a number's share of variance that a category tells; None as for `association`."""
    both = category.known & number.known
    if not both.any():
        return None
    pattern, values = category.spread.pattern[both], number.values[both]
    size, shares = len(category.spread.shares), category.spread.shares[:, 1:]
    mean = float(values.mean())
    held = np.bincount(pattern, minlength=size) @ shares
    sums = np.bincount(pattern, values - mean, size) @ shares
    whole = float(((values - mean) ** 2).sum() + number.variances[both].sum())
    if whole <= _TINY * len(values) or np.count_nonzero(held > _TINY) < 2:
        return None
    between = float((sums[held > _TINY] ** 2 / held[held > _TINY]).sum())
    return sqrt(min(max(between / whole, 0.0), 1.0))


def cramers_v(table: Floats) -> float | None:
    """Cramér's V of a table of counts, 0..1; None if one side has a single value."""
    table = table[table.sum(axis=1) > _TINY][:, table.sum(axis=0) > _TINY]
    if min(table.shape) < 2:
        return None
    whole = float(table.sum())
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / whole
    chi = float(((table - expected) ** 2 / expected).sum())
    return sqrt(min(max(chi / (whole * (min(table.shape) - 1)), 0.0), 1.0))


def choose_pairs(columns: Sequence[OriginalColumn]) -> list[tuple[int, int]]:
    """Choose pairs of columns, by place: all, or the most associated by Cramér's V in a sample."""
    every = list(combinations(range(len(columns)), 2))
    if len(every) <= MOST_PAIRS:
        return every
    records = len(columns[0].coded.codes)
    some = np.unique(np.linspace(0, records - 1, min(records, _RANKED_ON)).astype(np.int64))
    hot = [np.eye(c.coarse_cells.number)[c.coarse_cells.of[c.coded.codes[some]]] for c in columns]
    edges = np.append(0, np.cumsum([h.shape[1] for h in hot]))
    together = np.concatenate(hot, axis=1)
    counts = together.T @ together
    strength = [
        cramers_v(counts[edges[a] + 1 : edges[a + 1], edges[b] + 1 : edges[b + 1]]) or 0.0
        for a, b in every
    ]
    best = np.argsort(-np.array(strength), kind="stable")[:MOST_PAIRS]
    return [every[i] for i in sorted(best.tolist())]
