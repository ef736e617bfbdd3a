"""Losses from what a release shows: its labels, the table and its hierarchies, nothing of a search.

A cell is charged for what its label says to a reader: `ends_of_label` reads the ends of a label,
the rest follows from the definitions in `docs/losses`. What labels do not tell is not here: how
many bits a cell loses (entropy) depends on who stands behind it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.hierarchy.decoding import Decoded
from incrowd.hierarchy.labels import ends_of, parse_date, parse_number, read_quarter, read_set
from incrowd.table.column import Domain, Kind
from incrowd.verify.crowds import Crowds, NumberedCells, records_per_code
from incrowd.verify.label_tree import LabelTree


@dataclass(frozen=True, eq=False)
class LossColumn:
    """A quasi-identifying column: what the release shows, and what the table holds."""

    hierarchy: LabelTree
    cells: NumberedCells
    """The labels of the release."""
    held: Codes
    """The leaves that the records of the table hold, 0 for missing."""
    weight: float = 1.0
    lowest: int = 0
    """The lowest level that may be shown."""

    def __repr__(self) -> str:
        """Without values."""
        return f"LossColumn({self.cells!r})"

    @cached_property
    def texts(self) -> list[str]:
        """The labels."""
        texts: list[str] = self.cells.labels.to_list()
        return texts

    @cached_property
    def decoded(self) -> Decoded:
        """The leaves of the labels."""
        return self.hierarchy.decode_all(self.texts)

    @property
    def top(self) -> str:
        """What a suppressed cell shows."""
        return str(self.hierarchy.labels[-1][0])

    @cached_property
    def leaf_counts(self) -> Floats:
        """How many leaves each label may stand for."""
        return self.decoded.sizes.astype(np.float64)


OF_SIZES = ("discernibility", "average_class")
"""The losses that the sizes of classes tell."""


def losses_of_sizes(sizes: Counts, records: int) -> dict[str, float]:
    """Compute the losses that sizes of classes tell; `records` are those of the table."""
    left_out = records - int(sizes.sum())
    squares = sum(size * size for size in sizes.tolist())
    figures = float(squares + left_out * records), float(sizes.sum()) / len(sizes)
    return dict(zip(OF_SIZES, figures, strict=True))


def losses_of_labels(
    columns: Sequence[LossColumn], crowds: Crowds, records: int
) -> dict[str, float]:
    """Compute every loss that labels tell, by name; `records` are those of the table.

    `precision` is not among them if a label has several levels.
    """
    found = losses_of_sizes(crowds.sizes, records)
    held = crowds.records, records
    penalty = [_ncp(column) for column in columns]
    found["gcp"] = _mean_cost(columns, penalty, *held)
    found["granularity"] = _mean_cost(columns, [_granularity(column) for column in columns], *held)
    levels = [_level_costs(column) for column in columns]
    told = [level for level in levels if level is not None]
    if len(told) == len(levels):
        found["precision"] = 1.0 - _mean_cost(columns, told, *held)
    return found | _losses_of_classes(columns, penalty, crowds, records)


def _losses_of_classes(
    columns: Sequence[LossColumn], penalty: Sequence[Floats], crowds: Crowds, records: int
) -> dict[str, float]:
    """Compute the losses of whole classes by name; `penalty` is the NCP of each column's labels."""
    _, first = np.unique(crowds.class_of, return_index=True)
    extents, volumes = np.zeros(len(first)), np.ones(len(first))
    for weight, column, cost in zip(_weights(columns), columns, penalty, strict=True):
        shown = cost[column.cells.codes[first]]
        extents += weight * shown
        one_value = 1 / max(len(column.hierarchy.leaves), 1)
        volumes *= np.maximum(shown, one_value) ** column.weight
    left_out = records - int(crowds.sizes.sum())
    worst = max(float((extents * crowds.sizes).max()), float(left_out))
    filled = math.fsum((volumes * crowds.sizes).tolist()) + left_out
    return {
        "il1": math.fsum(extents.tolist()) / len(extents),
        "ilinf": float(extents.max()),
        "weighted_max_ncp": worst / records,
        "volume": filled / records,
    }


def _weights(columns: Sequence[LossColumn]) -> list[float]:
    """The weights of the columns, scaled to a sum of 1."""
    total = math.fsum(column.weight for column in columns)
    return [column.weight / total for column in columns]


def _mean_cost(
    columns: Sequence[LossColumn], costs: Sequence[Floats], released: Counts, records: int
) -> float:
    """The weighted mean cost of records, `released` by row and `costs` by label; 1 if left out."""
    paid = [
        weight
        * math.fsum((records_per_code(column.cells.codes, released, len(cost)) * cost).tolist())
        for weight, column, cost in zip(_weights(columns), columns, costs, strict=True)
    ]
    return (math.fsum(paid) + (records - int(released.sum()))) / records


def _label_costs(column: LossColumn, shares: Sequence[float] | Floats) -> Floats:
    """The cost of missing cells, which is 0, then of each label: its share, 1 if suppressed."""
    cost = np.concatenate([[0.0], np.asarray(shares, dtype=np.float64)])
    for place, text in enumerate(column.texts, start=1):
        if text == column.top:
            cost[place] = 1.0
    return cost


def _ncp(column: LossColumn) -> Floats:
    """The share of its column that each label spans, missing first (Ghinita Section 2.1)."""
    if not column.hierarchy.ordered:
        under = column.leaf_counts / max(len(column.hierarchy.leaves), 1)
        return _label_costs(column, np.where(column.leaf_counts == 1, 0.0, under))
    positions = column.hierarchy.leaves.positions
    held = positions[np.unique(column.held[column.held > 0]) - 1]
    first, last = (float(held.min()), float(held.max())) if len(held) else (0.0, 0.0)
    whole = last - first
    if whole <= 0:
        return _label_costs(column, np.zeros(len(column.texts)))
    shares = []
    for place, text in enumerate(column.texts):
        low, high = ends_of_label(column.hierarchy.leaves, text) or _ends_of_leaves(column, place)
        shares.append((min(max(high, first), last) - min(max(low, first), last)) / whole)
    return _label_costs(column, shares)


def _ends_of_leaves(column: LossColumn, place: int) -> tuple[float, float]:
    """Where the smallest and largest leaf of the label at this place of `texts` lie."""
    codes = column.decoded[place]
    positions = column.hierarchy.leaves.positions[codes[codes > 0] - 1]
    return float(positions.min()), float(positions.max())


def _granularity(column: LossColumn) -> Floats:
    """The share of the other leaves that each label may stand for, missing first."""
    others = max(len(column.hierarchy.leaves) - 1, 1)
    return _label_costs(column, (column.leaf_counts - 1) / others)


def _level_costs(column: LossColumn) -> Floats | None:
    """The level of each label over the height, missing first; None if a label has several."""
    height = len(column.hierarchy.maps) - 1
    on: dict[str, set[int]] = {}
    for level, labels in enumerate(column.hierarchy.labels):
        for label in labels.tolist():
            on.setdefault(label, set()).add(level)
    found = []
    for place, text in enumerate(column.texts):
        levels = on.get(text) or {_joining_level(column, place)}
        if len(levels) > 1:
            return None
        found.append(levels.pop() / max(height, 1))
    return _label_costs(column, found)


def _joining_level(column: LossColumn, place: int) -> int:
    """The lowest level that may be shown and at which the leaves of label `place` share a node."""
    codes, maps = column.decoded[place], column.hierarchy.maps
    met = (level for level in range(len(maps)) if len(set(maps[level][codes].tolist())) == 1)
    return max(next(met), column.lowest)


def ends_of_label(leaves: Domain, label: str) -> tuple[float, float] | None:
    """The smallest and the largest value that a label may stand for, on the scale of positions.

    An end that the label excludes is moved to the next whole number, or the next day, if the column
    holds such; one that the label leaves open is infinite. None if the label has no ends, such as
    the name of a group or a set.

    >>> ends_of_label(Domain(Kind.NUMBER, np.arange(20, 60)), "[20, 30)")
    (20.0, 29.0)
    """
    if leaves.kind is Kind.TEXT or read_set(label) is not None:
        return None
    bounds = ends_of(label)
    low = (-math.inf, -math.inf) if bounds.low is None else _ends_of_text(leaves, bounds.low)
    high = (math.inf, math.inf) if bounds.high is None else _ends_of_text(leaves, bounds.high)
    if low is None or high is None:
        return None
    step = _spacing(leaves)
    below = low[0] if bounds.low_inside or bounds.low is None else low[1] + step
    above = high[1] if bounds.high_inside or bounds.high is None else high[0] - step
    return below, above


def _spacing(leaves: Domain) -> float:
    """The space between neighbouring values: 1, or a day; 0.0 for fractions and moments."""
    if leaves.kind is Kind.DATE:
        return 86_400e6 if leaves.values.dtype == np.dtype("datetime64[D]") else 0.0
    return 1.0 if leaves.values.dtype.kind == "i" else 0.0


def _ends_of_text(leaves: Domain, text: str) -> tuple[float, float] | None:
    """The first and last value of what an end names: a number is a point, a month has 31 days.

    An end between two whole numbers begins after it and ends before it. None if it is no value.
    """
    if leaves.kind is Kind.DATE:
        return _date_ends(leaves, text)
    number = parse_number(text)
    if number is None:
        return None
    if _spacing(leaves):
        return float(math.ceil(number)), float(math.floor(number))
    return float(number), float(number)


def _date_ends(leaves: Domain, text: str) -> tuple[float, float] | None:
    """The first and last moment of a day, month, quarter, year or moment; None if it is no date.

    The last is the start of the last day if leaves are days, else the start of the next period.
    """
    start, after = _period(text)
    if start is None or after is None:
        return None
    low, high = (float(end.astype("datetime64[us]").astype(np.int64)) for end in (start, after))
    return low, high - _spacing(leaves) if high > low else high


def _period(text: str) -> tuple[Any, Any]:
    """Return (start, next start) of a day, month, quarter or year; a moment or None twice."""
    quarter = read_quarter(text)
    if quarter is not None:
        start = np.datetime64(quarter.low)
        return start, start + np.timedelta64(3, "M")
    date = parse_date(text)
    if date is None:
        return None, None
    long = np.datetime_data(date.dtype)[0] in {"Y", "M", "D"}
    return date, date + int(long)
