"""Why columns identify: what one adds, whom it needs, and what coarser values would change."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from incrowd.arrays import Codes
from incrowd.errors import PolicyError
from incrowd.quasi.measures import Partition, added, ratios
from incrowd.quasi.ratios import Measure, Ratios
from incrowd.quasi.records import Records
from incrowd.watch import Watch


@dataclass(frozen=True)
class Adds:
    """What a column adds to others."""

    column: int
    others: tuple[int, ...]
    alone: Ratios
    without: Ratios
    """What the others do without it."""
    together: Ratios


@dataclass(frozen=True)
class Partners:
    """The smallest sets of columns with which a column reaches a ratio."""

    column: int
    sets: tuple[tuple[int, ...], ...]
    """Sets that fall short without the column, all of one size; the empty one if it reaches the
    ratio alone. None if no set looked at does."""
    looked_at: int
    """The largest size whose sets were all looked at."""
    complete: bool
    """Whether all sets up to the size asked for were looked at, or the smallest were found."""


@dataclass(frozen=True)
class Coarsened:
    """What a set of columns does when one of them shows coarser values."""

    level: int
    values: int
    """Distinct values of the column at this level."""
    ratios: Ratios


def adds(records: Records, column: int, others: Sequence[int] | None = None) -> Adds:
    """What a column adds to the others, all of them unless named."""
    if others is None:
        others = [j for j in range(records.width) if j != column]
    rest = tuple(j for j in others if j != column)
    partition = Partition.whole(records)
    for j in rest:
        partition = partition.refined(records, j)
    (together,) = added(partition, records, [column])
    return Adds(column, rest, ratios(records, [column]), partition.ratios, together)


def partners(  # noqa: PLR0913  the last two are options
    records: Records,
    column: int,
    measure: Measure,
    ratio: float,
    *,
    max_size: int = 3,
    watch: Watch | None = None,
) -> Partners:
    """The smallest sets of other columns that reach the ratio with this column, not without it.

    Sizes are tried in turn up to `max_size` partners; out of time, what was found in the sizes
    that were finished.
    """
    watch = watch or Watch()
    start = Partition.whole(records).refined(records, column)
    if start.ratios.ratio(measure) >= ratio:
        return Partners(column, ((),), 0, complete=True)
    others = [j for j in range(records.width) if j != column]
    for size in range(1, min(max_size, len(others)) + 1):
        found: list[tuple[int, ...]] = []
        for base in combinations(others, size - 1):
            if watch.expired:
                return Partners(column, (), size - 1, complete=False)
            found += _completed(records, start, base, (measure, ratio), others)
        needed = tuple(one for one in found if ratios(records, one).ratio(measure) < ratio)
        if needed:
            return Partners(column, needed, size, complete=True)
    return Partners(column, (), min(max_size, len(others)), complete=True)


def coarsened(
    records: Records, columns: Sequence[int], column: int, maps: Codes
) -> tuple[Coarsened, ...]:
    """What the set does at each level of one of its columns (see `Hierarchy.maps`).

    The column's codes must be those of the hierarchy's leaves.
    """
    if column not in columns:
        raise PolicyError("the column to coarsen is not one of the set")
    codes = records.codes[column]
    if int(codes.max(initial=0)) >= maps.shape[1]:
        raise PolicyError("the levels do not cover all values of the column")
    rest = Partition.whole(records)
    for j in columns:
        if j != column:
            rest = rest.refined(records, j)
    found = []
    for level, nodes in enumerate(maps):
        shown = np.ascontiguousarray(nodes[codes], dtype=np.int32)
        one = Records((records.names[column],), shown[np.newaxis], records.counts)
        (after,) = added(rest, one, [0])
        found.append(Coarsened(level, len(np.unique(shown)), after))
    return tuple(found)


def _completed(
    records: Records,
    start: Partition,
    base: tuple[int, ...],
    aim: tuple[Measure, float],
    others: Sequence[int],
) -> list[tuple[int, ...]]:
    """The base with each later column that makes it reach the ratio together with the column."""
    measure, ratio = aim
    partition = start
    for j in base:
        partition = partition.refined(records, j)
    later = [j for j in others if not base or j > base[-1]]
    tried = added(partition, records, later)
    return [(*base, j) for j, one in zip(later, tried, strict=True) if one.ratio(measure) >= ratio]
