"""A column before and after as a few bars, none of which tells of a few people.

Bins end on round numbers or on the first day of a year or month; categories are shown by name only
if at least `LEAST` records of the original hold them.
"""

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from incrowd.arrays import Codes, Floats
from incrowd.hierarchy.labels import Bounds, number_text, write_bounds, write_dates
from incrowd.table.column import Kind
from incrowd.utility.column import OriginalColumn
from incrowd.utility.comparison import ColumnHistogram
from incrowd.withholding import LEAST

BARS = 12
OTHER, ALL, MISSING_BAR = "other values", "all values", "missing"
_DIGITS = 3
"""Digits of the end of a bin, zeros after them not counted."""
_CORE = (0.05, 0.95)
"""Quantiles of the original between which bins are narrow."""


def histogram(column: OriginalColumn, mass: Floats | None) -> ColumnHistogram:
    """Make bars, none empty in both, of a column and `mass`: records per code, None if unread."""
    labels, bar = _bars(column)
    before = np.bincount(bar, column.counts, len(labels)).astype(np.float64)
    after = np.zeros(len(labels))
    if mass is not None:
        after = np.bincount(bar, mass, len(labels)).astype(np.float64)
    held = [i for i in range(len(labels)) if before[i] > 0 or after[i] > 0]
    return ColumnHistogram(
        labels=tuple(labels[i] for i in held),
        before=_bar_shares(before, held, before),
        after=_bar_shares(after, held, before),
    )


def _bar_shares(counts: Floats, held: Sequence[int], original: Floats) -> tuple[float | None, ...]:
    """The share of each bar in `held`; None where the original has few records or all is empty."""
    whole = float(counts.sum())
    few = (original > 0) & (original < LEAST)
    return tuple(None if few[i] or not whole else round(float(counts[i]) / whole, 6) for i in held)


def _bars(column: OriginalColumn) -> tuple[list[str], Codes]:
    """The labels of all bars, and the bar of each code; missing values come last."""
    make = _bin_bars if column.ordered and len(column.domain) else _category_bars
    labels, bar = make(column)
    return [*labels, MISSING_BAR], np.append(len(labels), bar).astype(np.int32)


def _category_bars(column: OriginalColumn) -> tuple[list[str], Codes]:
    """The labels of the most frequent categories and of all others, and the bar of each value."""
    many = [c for c in column.frequent[: BARS - 1].tolist() if column.counts[c] >= LEAST]
    texts = column.domain.labels
    bar = np.full(len(column.domain), len(many), dtype=np.int32)
    for place, code in enumerate(many):
        bar[code - 1] = place
    return [*(str(texts[code - 1]) for code in many), OTHER], bar


def _bin_bars(column: OriginalColumn) -> tuple[list[str], Codes]:
    """The labels of bins of numbers or dates, and the bin of each value; small bins are joined."""
    places, dates = column.domain.positions, column.domain.kind is Kind.DATE
    ends = _date_edges(column) if dates else _round_edges(column)
    at = np.array([end for end, _ in ends])
    held = np.bincount(np.searchsorted(at, places, side="right"), column.counts[1:], len(at) + 1)
    kept = _ends_to_keep(held.tolist())
    texts: list[str | None] = [None, *(ends[i][1] for i in kept), None]
    bounds = [Bounds(a, b) for a, b in pairwise(texts)]
    labels = [write_dates(b) if dates else write_bounds(b) for b in bounds] if kept else [ALL]
    return labels, np.searchsorted(at[kept], places, side="right").astype(np.int32)


def _ends_to_keep(held: Sequence[float]) -> list[int]:
    """The places of the ends to keep so that bins, of `held` records each, get `LEAST` or none."""
    kept: list[int] = []
    here = 0.0
    for end, count in enumerate(held[:-1]):
        here += count
        if here == 0 or here >= LEAST:
            kept.append(end)
            here = 0.0
    here += held[-1]
    while kept and 0 < here < LEAST:
        last = kept.pop()
        here += sum(held[kept[-1] + 1 if kept else 0 : last + 1])
    return kept


def _core_range(column: OriginalColumn) -> tuple[float, float]:
    """The smallest and the largest value of the core, where most records lie."""
    held = np.cumsum(column.counts[1:])
    at = [int(np.searchsorted(held, share * held[-1])) for share in _CORE]
    places = column.domain.positions
    return float(places[at[0]]), float(places[min(at[1], len(places) - 1)])


def _round_edges(column: OriginalColumn) -> list[tuple[float, str]]:
    """Round numbers across the core and their texts: few digits, and no value of few records."""
    low, high = _core_range(column)
    low, high = (low, high) if high > low else column.ends
    step = round_step((high - low) / (BARS - 2)) if high > low else 1.0
    largest = max(abs(low), abs(high), 1e-300)
    step = max(step, 10.0 ** (math.floor(math.log10(largest)) - _DIGITS + 1))
    if column.domain.values.dtype.kind == "i":
        step = max(step, 1.0)
    first, last = math.ceil(low / step), math.floor(high / step)
    edges = np.array([float(f"{i * step:.12g}") for i in range(first, last + 1)])
    few = column.domain.positions[(column.counts[1:] > 0) & (column.counts[1:] < LEAST)]
    edges = edges[~np.isin(edges, few)][: BARS - 1]
    return [(edge, number_text(edge)) for edge in edges.tolist()]


def round_step(width: float) -> float:
    """The next number from `width` up that is 1, 2 or 5 times a power of ten.

    >>> round_step(7.2), round_step(0.03), round_step(200.0)
    (10.0, 0.05, 200.0)
    """
    power = 10.0 ** math.floor(math.log10(width))
    factor = next(f for f in (1, 2, 5, 10) if f * power >= width * (1 - 1e-9))
    return float(f"{factor * power:.6g}")


def _date_edges(column: OriginalColumn) -> list[tuple[float, str]]:
    """Years or months across the core, in microseconds and as texts."""
    low, high = (np.datetime64(int(end), "us") for end in _core_range(column))
    months = int((high.astype("M8[M]") - low.astype("M8[M]")).astype(int))
    unit, length = ("M", months) if months <= BARS - 2 else ("Y", months // 12)
    step = int(max(round_step(max(length, 1) / (BARS - 2)), 1.0))
    since = int(low.astype(f"M8[{unit}]").astype(int)) // step * step + step
    until = int(high.astype(f"M8[{unit}]").astype(int))
    edges = np.arange(since, until + 1, step)[: BARS - 1].astype(f"M8[{unit}]")
    return [(float(e.astype("M8[us]").astype(np.int64)), str(e)) for e in edges]
