"""Why a column identifies: what it adds, which partners it needs, what coarser values change."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from incrowd.arrays import Codes
from incrowd.errors import PolicyError
from incrowd.identify.labelled import RecordGroups
from incrowd.identify.measures import ratios
from incrowd.identify.outcome import Coarser
from incrowd.identify.records import Measure, Ratios, Records
from incrowd.watch import Watch


def measure_addition(records: Records, column: int) -> tuple[Ratios, Ratios, Ratios]:
    """The ratios of a column alone, of all others without it, and of all together."""
    without = RecordGroups.by_columns(records, [j for j in range(records.width) if j != column])
    return ratios(records, [column]), without.ratios, without.split(records, column).ratios


def find_partners(  # noqa: PLR0913  the last two are options
    records: Records,
    column: int,
    measure: Measure,
    ratio: float,
    *,
    max_size: int = 3,
    watch: Watch | None = None,
) -> tuple[tuple[tuple[int, ...], ...], bool]:
    """Find the smallest sets of other columns that reach the ratio only with this column.

    Sizes are tried in turn, from the empty set up to `max_size` partners, until one has such sets.
    Return these sets, and whether the search was completed. If time runs out there is no set,
    because not all sets of that size were tried.
    """
    watch = watch or Watch()
    start = RecordGroups.by_columns(records, [column])
    if start.ratios.ratio(measure) >= ratio:
        return ((),), True
    others = [j for j in range(records.width) if j != column]
    for size in range(1, min(max_size, len(others)) + 1):
        reaching: list[tuple[int, ...]] = []
        for base in combinations(others, size - 1):
            if watch.expired:
                return (), False
            reaching += _completions(records, start, base, (measure, ratio), others)
        needed = tuple(one for one in reaching if ratios(records, one).ratio(measure) < ratio)
        if needed:
            return needed, True
    return (), True


def coarsen_column(
    records: Records, columns: Sequence[int], column: int, maps: Codes
) -> tuple[Coarser, ...]:
    """Measure a set's ratios with one column, coded by leaves, at each level (`Hierarchy.maps`).

    `PolicyError` if the column is not in the set, or has codes that the levels do not cover.
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
    """The sets of `base` and one later column that, with those of `start`, reach the `aim`."""
    measure, ratio = aim
    groups = start.split(records, *base)
    later = [j for j in others if not base or j > base[-1]]
    return [(*base, j) for j in later if groups.ratios_with(records, j).ratio(measure) >= ratio]
