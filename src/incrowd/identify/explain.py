"""Why a column identifies: what it adds, which partners it needs, what coarser values change."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from incrowd.arrays import Codes
from incrowd.errors import PolicyError
from incrowd.identify.labelled import RecordGroups
from incrowd.identify.measures import ratios
from incrowd.identify.outcome import Coarser
from incrowd.identify.records import Measure, Ratios, Records
from incrowd.watch import Watch


@dataclass(frozen=True)
class Addition:
    """What one column, or several together, add to others."""

    columns: tuple[int, ...]
    others: tuple[int, ...]
    alone: Ratios
    without: Ratios
    """What the others do without them."""
    together: Ratios


@dataclass(frozen=True)
class Partners:
    """The smallest sets of columns with which a column, or several, reach a ratio."""

    columns: tuple[int, ...]
    sets: tuple[tuple[int, ...], ...]
    """Sets that fall short without them, all of one size; the empty set if they reach the ratio
    alone; no set if none of those tried does."""
    looked_at: int
    """The largest size of which all sets were tried."""
    complete: bool
    """Whether all sets up to `max_size` were tried, or the smallest ones were found."""


def measure_addition(
    records: Records, columns: int | Sequence[int], others: Sequence[int] | None = None
) -> Addition:
    """Measure what columns add to the other columns (to all others unless `others` are named)."""
    own = _as_tuple(columns)
    if others is None:
        others = range(records.width)
    rest = tuple(j for j in others if j not in own)
    groups = RecordGroups.by_columns(records, rest)
    together = groups.split(records, *own)
    return Addition(own, rest, ratios(records, own), groups.ratios, together.ratios)


def find_partners(  # noqa: PLR0913  the last two are options
    records: Records,
    columns: int | Sequence[int],
    measure: Measure,
    ratio: float,
    *,
    max_size: int = 3,
    watch: Watch | None = None,
) -> Partners:
    """Find the smallest sets of other columns that reach the ratio only with these columns.

    Sizes are tried in turn up to `max_size` partners. If time runs out there is no set, because not
    all sets of that size were tried.
    """
    watch = watch or Watch()
    own = _as_tuple(columns)
    start = RecordGroups.by_columns(records, own)
    if start.ratios.ratio(measure) >= ratio:
        return Partners(own, ((),), 0, complete=True)
    others = [j for j in range(records.width) if j not in own]
    largest = min(max_size, len(others))
    for size in range(1, largest + 1):
        reaching: list[tuple[int, ...]] = []
        for base in combinations(others, size - 1):
            if watch.expired:
                return Partners(own, (), size - 1, complete=False)
            reaching += _completions(records, start, base, (measure, ratio), others)
        needed = tuple(one for one in reaching if ratios(records, one).ratio(measure) < ratio)
        if needed:
            return Partners(own, needed, size, complete=True)
    return Partners(own, (), largest, complete=True)


def coarsen_column(
    records: Records, columns: Sequence[int], column: int, maps: Codes
) -> tuple[Coarser, ...]:
    """Measure the ratios of a set with one of its columns at each level (see `Hierarchy.maps`).

    The column's codes must be those of the hierarchy's leaves.
    """
    if column not in columns:
        raise PolicyError("the column to coarsen is not in the set")
    codes = records.codes[column]
    if int(codes.max(initial=0)) >= maps.shape[1]:
        raise PolicyError("the levels do not cover all values of the column")
    others = [j for j in columns if j != column]
    rest = RecordGroups.by_columns(records, others)
    levels = []
    for level, nodes in enumerate(maps):
        shown = np.ascontiguousarray(nodes[codes], dtype=np.int32)
        one = Records((records.names[column],), shown[np.newaxis], records.counts)
        values = int(np.count_nonzero(np.bincount(shown)))
        levels.append(Coarser(level, values, rest.ratios_with(one, 0)))
    return tuple(levels)


def _completions(
    records: Records,
    start: RecordGroups,
    base: tuple[int, ...],
    aim: tuple[Measure, float],
    others: Sequence[int],
) -> list[tuple[int, ...]]:
    """The sets of `base` and one later column that reach the ratio together with `start`.

    `aim` is the measure and the ratio; only columns of `others` above the last one of `base` are
    tried.
    """
    measure, ratio = aim
    groups = start.split(records, *base)
    later = [j for j in others if not base or j > base[-1]]
    return [(*base, j) for j in later if groups.ratios_with(records, j).ratio(measure) >= ratio]


def _as_tuple(columns: int | Sequence[int]) -> tuple[int, ...]:
    """Columns as a tuple: a single number as a tuple of one."""
    return (columns,) if isinstance(columns, int) else tuple(columns)
