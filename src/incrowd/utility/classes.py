"""Risk and losses of a release from its rows alone: class sizes, and what labels span."""

from collections.abc import Sequence
from math import fsum

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.partition.classes import number_columns
from incrowd.utility.comparison import RiskFigures
from incrowd.utility.released import ReleasedColumn


def classes_and_sizes(columns: Sequence[Codes]) -> tuple[Codes, Counts]:
    """The class of each record (0, 1, …), equal records sharing one, and the size of each class."""
    classes, number = number_columns(np.stack(list(columns)))
    return classes, np.bincount(classes, minlength=number)


def risk_figures(columns: Sequence[Codes]) -> RiskFigures:
    """Count the classes of equal records in these columns: how easily a person is found."""
    _, sizes = classes_and_sizes(columns)
    records = int(sizes.sum())
    k = int(sizes.min()) if len(sizes) else 0
    return RiskFigures(
        k=k,
        highest=1 / k if k else 0.0,
        average=len(sizes) / records if records else 0.0,
        uniques=int((sizes == 1).sum()),
        records=records,
    )


def losses_of(
    columns: Sequence[ReleasedColumn], weights: Sequence[float], records: int
) -> dict[str, float]:
    """Compute every loss that labels and class sizes tell, by name, defined as in `incrowd.loss`.

    `records` are those of the original, of which each that is left out costs 1 (in discernibility
    `records`); `weights` are those of the columns. `average_class`, `il1` and `ilinf` need a class.
    """
    classes, sizes = classes_and_sizes([column.codes for column in columns])
    share = np.array(weights) / sum(weights)
    left_out = max(records - int(sizes.sum()), 0)
    spans, left_open = [c.ncp for c in columns], [c.granularity for c in columns]
    losses: dict[str, float] = {}
    losses["gcp"] = (_total_cost(columns, share, spans) + left_out) / max(records, 1)
    losses["granularity"] = (_total_cost(columns, share, left_open) + left_out) / max(records, 1)
    losses["discernibility"] = float((sizes.astype(np.float64) ** 2).sum()) + left_out * records
    if len(sizes):
        first = np.empty(len(sizes), dtype=np.int64)
        first[classes] = np.arange(len(classes))  # any record of a class: all show the same
        extents = sum(w * c.ncp[c.codes[first]] for w, c in zip(share, columns, strict=True))
        losses["average_class"] = float(sizes.mean())
        losses["il1"] = float(np.mean(extents))
        losses["ilinf"] = float(np.max(extents))
    return losses


def _total_cost(columns: Sequence[ReleasedColumn], share: Floats, costs: Sequence[Floats]) -> float:
    """The cost of all released records: per column the cost of each label, weighted by `share`."""
    parts = zip(share.tolist(), columns, costs, strict=True)
    return fsum(weight * float(column.records @ cost) for weight, column, cost in parts)
