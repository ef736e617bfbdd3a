"""Numbers to intervals: fixed width, listed cuts, quantiles, top and bottom coding."""

from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from incrowd.arrays import Codes, Counts, Values
from incrowd.errors import InputError
from incrowd.hierarchy.aligned import CellConditions, choose_cells
from incrowd.hierarchy.hierarchy import Hierarchy, Level, number_runs, stack, texts
from incrowd.hierarchy.labels import Number, number_text, parse_number, write_interval, write_span
from incrowd.hierarchy.rounding import NumberGrid, nice_width
from incrowd.table.column import Domain, Kind, count_below
from incrowd.values import STRICT, dataclass

Positive = Annotated[float, Field(gt=0)]
Cuts = tuple[float, ...]

MOST_LEVELS = 8
"""Widths grow by themselves at most this often."""
_CELLS_PER_QUANTILE = 4
"""Round cells per quantile, about: among their ends the border is chosen."""


@dataclass(frozen=True, config=STRICT, kw_only=True)
class Intervals:
    """Numbers to half-open intervals `[20, 30)` that grow from level to level.

    Give one of `width`, `widths`, `cuts` and `quantiles`; without any of them (and without `bottom`
    and `top`) a round width is chosen from the range of the values.

    >>> import numpy as np
    >>> ages = Domain(Kind.NUMBER, np.arange(20, 40))
    >>> [len(labels) for labels in Intervals(width=5).build(ages, "age").labels]
    [20, 4, 2, 1]
    """

    width: Positive | None = None
    """Width of the narrowest intervals; the next levels are `factor` times wider each."""
    widths: Annotated[tuple[Positive, ...], Field(min_length=1)] | None = None
    """Width of each level, each a multiple of the one before."""
    factor: Annotated[int, Field(ge=2)] = 2
    levels: Annotated[int, Field(ge=1)] | None = None
    """How many levels of intervals; by default until one interval holds all, at most 8."""
    origin: float = 0.0
    """Where an interval begins."""
    cuts: tuple[Cuts, ...] | Cuts | None = None
    """Where intervals begin: one list, or one per level, each a part of the one before."""
    quantiles: Annotated[int, Field(ge=2)] | None = None
    """Number of intervals that hold equally many records (values, if records are not counted).
    Equal values stay together, and intervals begin at round numbers; every level has half as many
    intervals as the one below.
    """
    bottom: float | None = None
    """Smaller values are pooled from level 1 on."""
    top: float | None = None
    """This and larger values are pooled from level 1 on."""
    name: Literal["intervals"] = "intervals"

    def __post_init__(self) -> None:
        """Refuse requests that contradict themselves."""
        ways = [self.width, self.widths, self.cuts, self.quantiles]
        if sum(way is not None for way in ways) > 1:
            raise ValueError("more than one of width, widths, cuts and quantiles; give one")
        if self.levels is not None and (self.widths is not None or self.cuts is not None):
            raise ValueError("widths and cuts list the levels themselves; leave out levels")
        if self.bottom is not None and self.top is not None and self.bottom >= self.top:
            raise ValueError("bottom must lie below top; give a smaller bottom or a larger top")
        widths = [Decimal(repr(width)) for width in self.widths or ()]
        if any(b % a or b <= a for a, b in pairwise(widths)):
            raise ValueError("each width must be a multiple of the one before; as in 5, 10, 20")
        lists = self._cut_lists()
        if self.cuts is not None and not (lists and all(lists)):
            raise ValueError("a level has no cut; give each level at least one")
        if any(list(cuts) != sorted(set(cuts)) for cuts in lists):
            raise ValueError("cuts must rise; sort them and list each once")
        if any(not set(b) <= set(a) for a, b in pairwise(lists)):
            raise ValueError("a level has cuts that the level below lacks; leave them out")

    def build(self, domain: Domain, column: str, counts: Counts | None = None) -> Hierarchy:
        """The hierarchy of a column; `InputError` if it holds anything but finite numbers.

        `counts` are the records per value; without them `quantiles` counts values.
        """
        if len(domain) and domain.kind is not Kind.NUMBER:
            raise InputError(
                f"column {column!r} holds {domain.kind.value}s, and intervals need numbers",
                remedy="give it another hierarchy, or list the texts that mean missing",
            )
        values = domain.values
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            infinite = int((~np.isfinite(values)).sum())
            raise InputError(f"column {column!r} has {infinite} infinite values")
        levels = self._levels(values, counts) if len(domain) else []
        chosen = self.widths is not None or self.cuts is not None
        pooled = self._has_pools and self.quantiles is None
        return stack(domain, levels, column=column, ordered=True, prune=not (chosen or pooled))

    def _levels(self, values: Values, counts: Counts | None) -> list[Level]:
        """The levels from cuts, quantiles, pools alone, or widths, as the request says."""
        if self.cuts is not None:
            return [self._cut_level(values, cuts) for cuts in self._cut_lists()]
        if self.quantiles is not None:
            cuts = _quantile_cuts(values, counts, self.quantiles)
            halved = [cuts[2**i - 1 :: 2**i] for i in range(len(cuts).bit_length())]
            return [self._cut_level(values, some) for some in halved[: self.levels]]
        if self.width is None and self.widths is None and self._has_pools:
            return [self._pool_level(values)]
        return self._grid_levels(values)

    @property
    def _has_pools(self) -> bool:
        """Whether values below `bottom` or from `top` on are pooled."""
        return self.bottom is not None or self.top is not None

    def _cut_lists(self) -> list[Cuts]:
        """The cuts of each level, also if only one list was given."""
        lists = [cuts for cuts in self.cuts or () if isinstance(cuts, tuple)]
        return lists or [self.cuts] * bool(self.cuts)  # type: ignore[list-item]  # no list of lists

    def _cut_level(self, values: Values, cuts: Sequence[Number]) -> Level:
        """One level of intervals between these cuts and inside `bottom` and `top`."""
        low, high = self.bottom, self.top
        inner = [c for c in cuts if (low is None or c > low) and (high is None or c < high)]
        ends = [*([low] if low is not None else []), *inner, *([high] if high is not None else [])]
        start = np.array([count_below(values, end) for end in ends], dtype=np.int64)
        bounds: list[Number | None] = [None, *ends, None]
        cell = np.searchsorted(start, np.arange(len(values)), side="right")
        return Level.of(cell, lambda c: write_interval(bounds[c], bounds[c + 1]))

    def _zones(self, values: Values) -> Codes:
        """0 for values pooled at the bottom, 1 between, 2 for those pooled at the top."""
        zone = np.ones(len(values), dtype=np.int32)
        if self.bottom is not None:
            zone[: count_below(values, self.bottom)] = 0
        if self.top is not None:
            zone[count_below(values, self.top) :] = 2
        return zone

    def _pool_level(self, values: Values) -> Level:
        """The level with top and bottom coding only: values between stay as they are."""
        zone = self._zones(values)
        nodes, first = number_runs(np.where(zone == 1, np.arange(len(values)) + 3, zone))
        own = Domain(Kind.NUMBER, values[first]).labels
        labels = [self._zone_label(z, text) for z, text in zip(zone[first], own, strict=True)]
        return Level(nodes, texts(labels))

    def _zone_label(self, zone: int, between: str) -> str:
        """The label of a pooled zone (0 or 2); for zone 1 the label `between`."""
        if zone == 0:
            return write_interval(None, self.bottom)
        return write_interval(self.top, None) if zone == 2 else between

    def _grid_levels(self, values: Values) -> list[Level]:
        """The levels of equal widths, each a multiple of the one below."""
        width = self.widths[0] if self.widths is not None else self.width
        grid = NumberGrid(self.origin, nice_width(values) if width is None else width)
        zone = self._zones(values)
        between: Values = values[zone == 1]
        cells = grid.cells(between)
        levels = []
        for times in self._multiples(cells):
            keys = np.zeros(len(values), dtype=cells.dtype)
            keys[zone == 1] = cells // times
            levels.append(self._grid_level(grid, times, keys, zone))
        return levels

    def _multiples(self, cells: Values) -> list[int]:
        """How many cells of the grid one interval of each level holds."""
        if self.widths is not None:
            first = Decimal(repr(self.widths[0]))
            return [int(Decimal(repr(width)) / first) for width in self.widths]
        limit = MOST_LEVELS if self.levels is None else self.levels
        return _multiples_that_merge(cells, self.factor, limit, last=0 if self._has_pools else 2)

    def _grid_level(self, grid: NumberGrid, times: int, keys: Values, zone: Codes) -> Level:
        """One level of intervals of `times` cells, `keys` by value, clipped at pooled zones."""
        nodes, first = number_runs(keys)
        breaks = np.concatenate([[0], np.cumsum(np.diff(zone) != 0)]) if len(zone) else zone
        nodes, first = number_runs(nodes + breaks)
        labels = []
        for z, cell in zip(zone[first].tolist(), keys[first].tolist(), strict=True):
            low, high = grid.bound(cell * times), grid.bound((cell + 1) * times)
            low = low if self.bottom is None else max(low, self.bottom)
            high = high if self.top is None else min(high, self.top)
            span = write_span(number_text(low), number_text(low))
            labels.append(self._zone_label(z, write_interval(low, high) if low < high else span))
        return Level(nodes, texts(labels))


def _multiples_that_merge(cells: Values, factor: int, limit: int, *, last: int) -> list[int]:
    """At most `limit` powers of the factor that merge cells and leave at least `last` nodes each.

    With `last` 0 other values are pooled: the first level counts even if it merges no cells.
    """
    times = 1
    chosen: list[int] = []
    nodes: list[int] = sorted(set(cells.tolist()))
    below = len(cells) + (last == 0)
    while len(chosen) < limit:
        if last <= len(nodes) < below:
            chosen.append(times)
            below = len(nodes)
        if not nodes or {-1, 0}.issuperset(nodes) or len(nodes) == 1:
            break
        times *= factor
        nodes = sorted({node // factor for node in nodes})
    return chosen


def _quantile_cuts(values: Values, counts: Counts | None, number: int) -> list[Number]:
    """The cuts between intervals of about as many records each: at most `number` intervals.

    They begin where round cells of many records do (`hierarchy.aligned`), not on a single record.
    """
    weight: Counts = np.ones(len(values), dtype=np.int64) if counts is None else counts
    upto = np.append(0, np.cumsum(weight))
    flat = stack(Domain(Kind.NUMBER, values), [], column="", ordered=True)
    crowd = max(int(upto[-1]) // (_CELLS_PER_QUANTILE * number), 1)
    grid = choose_cells(flat, np.append(0, weight), CellConditions(crowd))
    while grid is not None and len(grid) == 1 and crowd > 1:
        crowd //= 2
        grid = choose_cells(flat, np.append(0, weight), CellConditions(crowd))
    if grid is None:
        return []
    begins = [cell for cell in range(1, len(grid)) if grid.bounds[cell].low_inside]
    before = upto[grid.first[np.array(begins, dtype=np.int64) + 1] - 1]
    ranks = upto[-1] * np.arange(1, number) / number
    nearest = [int(np.argmin(np.abs(before - rank))) for rank in ranks] if begins else []
    texts_of = [grid.bounds[begins[place]].low for place in sorted(set(nearest))]
    return [cut for text in texts_of if (cut := parse_number(text or "")) is not None]
