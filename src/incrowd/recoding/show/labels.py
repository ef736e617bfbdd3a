"""Labels that stand for what a class covers: spans and nodes, or sets of values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from incrowd.hierarchy.pools import labels_of_sets
from incrowd.recoding.column_cells import ByClass, Cell
from incrowd.recoding.outcome import Outcome
from incrowd.recoding.show.transformation import Transformation
from incrowd.table.column import CodedColumn


@dataclass(frozen=True)
class ShowSpans(Transformation):
    """A class shows the span of numbers and dates, and the node over categories."""

    name: ClassVar[str] = "spans"

    def cells(
        self, outcome: Outcome, columns: Mapping[str, CodedColumn], sensitive: Sequence[str]
    ) -> dict[str, Cell]:
        """What the classes show of each quasi-identifying column, by its name."""
        del columns, sensitive
        return {column.name: _column_labels(outcome, j) for j, column in enumerate(outcome.columns)}


@dataclass(frozen=True)
class ShowSets(ShowSpans):
    """The same, with the set of a class's values in place of the node over them."""

    name: ClassVar[str] = "sets"
    sets: ClassVar[bool] = True
    names_values: ClassVar[bool] = True


def _column_labels(outcome: Outcome, j: int) -> ByClass:
    """What the classes show of quasi-identifying column j: their spans, sets or nodes."""
    column = outcome.columns[j]
    hierarchy = column.hierarchy
    if (sets := outcome.sets.get(j)) is not None:
        labels = labels_of_sets(hierarchy, sets.start, sets.code, sets.pools)
        named = sets.members == 1
        if sets.pools is not None:
            named &= sets.pools.level[sets.code[sets.start[:-1]]] == 0
        return ByClass(labels, original=bool(named.all()))
    low, high, level = outcome.low[j], outcome.high[j], outcome.level[j]
    missing = (high == 0) & (level < hierarchy.height)
    labels = hierarchy.show(low, high, level, outcome.spans, lowest=column.lowest, grid=column.grid)
    # A cell of the grid may hide even a single value: it is exact only if its label says the value.
    values = np.concatenate([np.array([None], dtype=object), hierarchy.labels[0]])
    exact = ((level == 0) & (low == high) & (labels == values[low])) | missing
    return ByClass(labels, original=bool(exact.all()))
