"""How far one column of a release is from the original's."""

import numpy as np

from incrowd.arrays import Floats
from incrowd.utility.column import OriginalColumn
from incrowd.utility.comparison import ColumnUtility
from incrowd.utility.counts import one_way_counts_and_variances
from incrowd.utility.histograms import histogram
from incrowd.utility.released import ReleasedColumn, shares_of_original

NOISE = 2.0
"""Standard deviations that count as noise."""


def column_utility(column: ReleasedColumn) -> ColumnUtility:
    """Compute every figure of one column; None where the release says nothing."""
    original, records = column.original, len(column.codes)
    unreadable = column.count_cells(column.unreadable)
    told = records > unreadable
    mass = column.mass if told else None
    return ColumnUtility(
        name=original.name,
        kind=original.kind,
        total_variation=None if mass is None else _column_variation(original, mass),
        earth_mover=None if mass is None else earth_mover_distance(original, mass),
        missing=(int(original.counts[0]), int(column.records[0])),
        suppressed=column.count_cells(column.suppressed),
        unreadable=unreadable,
        ncp=float(column.records @ column.ncp) / records if records else None,
        within_noise=_column_share_within_noise(column) if told else None,
        histogram=histogram(original, mass),
    )


def _column_variation(original: OriginalColumn, mass: Floats) -> float:
    """The total variation of a column's fine cells; `mass` is the release's records per code."""
    cells = original.fine_cells
    return total_variation(cells.counts(original.counts.astype(np.float64)), cells.counts(mass))


def total_variation(before: Floats, after: Floats) -> float:
    """Half the sum of the differences of two distributions' shares, 0..1; neither may be empty."""
    return float(np.abs(before / before.sum() - after / after.sum()).sum() / 2)


def earth_mover_distance(original: OriginalColumn, mass: Floats) -> float | None:
    """How far values move, as a mean share of the range; None for categories or no values."""
    before, after = original.counts[1:], mass[1:]
    if not original.ordered or not before.sum() or not after.sum():
        return None
    gap = np.cumsum(before / before.sum() - after / after.sum())[:-1]
    return float(np.abs(gap) @ np.diff(original.scale))


def _column_share_within_noise(column: ReleasedColumn) -> float:
    """The share of a column's counts, by its coarse cells, that are within the noise."""
    true, _ = one_way_counts_and_variances(shares_of_original(column.original))
    return share_within_noise(true, *one_way_counts_and_variances(column.spread))


def share_within_noise(true: Floats, estimate: Floats, variance: Floats) -> float:
    """The share of counts whose estimate is off by at most `NOISE` deviations or half a record.

    Estimates are scaled to the true total; cells that are empty on both sides do not count.
    """
    scale = float(true.sum()) / max(float(estimate.sum()), 1.0)
    held = (true > 0) | (estimate > 1e-9)
    off = np.abs(true - scale * estimate)[held]
    allowed = np.maximum(NOISE * scale * np.sqrt(variance[held]), 0.5)
    return float((off <= allowed + 1e-9).mean())
