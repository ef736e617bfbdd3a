"""One column put into buckets: looked up as its cells go by, counted, and settled afterwards."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

import numpy as np
import polars as pl

from incrowd.arrays import Codes, Counts, Floats
from incrowd.errors import InfeasibleError, InputError, NotMetError
from incrowd.kernels import quantiles
from incrowd.population.bucketed import BucketedColumn
from incrowd.population.quantile_cells import Scaled, kind_of_cells, scaled
from incrowd.population.sampled_quantiles import Division, Spread, divide, join_small
from incrowd.table.column import Kind
from incrowd.table.fold import in_threads, threads

_SMALL = 2**16
_PARTS = 64
"""Counts of so many frames are put together at a time."""


@dataclass(eq=False)
class Bucketing:
    """A column, how it is divided, and what was counted of it so far."""

    name: str
    kind: Kind
    division: Division
    some: pl.Series
    """A cell or none of the column, for its type."""
    spread: Spread = field(init=False)
    unfit: int = 0
    first_unfit: int = 0
    infinite: bool = False

    def __post_init__(self) -> None:
        self.spread = Spread.none(self.division)

    @classmethod
    def by_sample(cls, cells: pl.Series, number: int | None, least: int) -> "Bucketing":
        """Buckets by the cells of a sample."""
        kind = kind_of_cells(cells, cells.name)
        division = divide(_present(scaled(cells, kind).values), number, least)
        return cls(cells.name, kind, division, cells[:0])

    @classmethod
    def of_whole(
        cls, cells: pl.Series, places: Counts | None, number: int | None, least: int
    ) -> tuple["Bucketing", Codes]:
        """Buckets by the cells of these records, or of all, and the bucket of every cell."""
        kind = kind_of_cells(cells if places is None else cells[places], cells.name)
        found = scaled(cells, kind)
        values = found.values if places is None else found.values[places]
        made = cls(cells.name, kind, divide(_present(values), number, least), cells[:0])
        return made, made.see_scaled(found, 0)

    def see(self, cells: pl.Series, start: int) -> Codes:
        """The bucket of each cell, 0 for a missing one, counted; `start` records were before.

        Cells are added up one by one, so that it does not matter which came together.
        """
        found = scaled(cells, self.kind)
        self._note(found, start)
        codes = np.empty(len(found.values), dtype=np.int32)
        self._task(found.values, codes, self.spread)()
        return codes

    def see_scaled(self, found: Scaled, start: int) -> Codes:
        """The same of cells on the scale, several parts of them side by side."""
        self._note(found, start)
        values = found.values
        codes = np.empty(len(values), dtype=np.int32)
        tasks, parts = [], []
        number = threads() if len(values) > _SMALL else 1
        bounds = np.linspace(0, len(values), number + 1).astype(np.int64)
        for low, high in pairwise(bounds.tolist()):
            part = Spread.none(self.division)
            tasks.append(self._task(values[low:high], codes[low:high], part))
            parts.append(part)
        in_threads(tasks)
        for part in parts:
            self.spread.add(part)
        return codes

    def _task(self, values: Floats, codes: Codes, spread: Spread) -> Callable[[], None]:
        """Look values up, and add them to a spread."""
        sums = (spread.sizes, spread.sums, spread.squares)
        return partial(quantiles.look_up, values, self.division.cuts, spread.centres, codes, *sums)

    def _note(self, found: Scaled, start: int) -> None:
        if found.unfit is None:
            return
        if not self.unfit:
            self.first_unfit = start + int(found.unfit.argmax()) + 1
            self.infinite = found.infinite
        self.unfit += int(found.unfit.sum())

    def refuse_unfit(self) -> None:
        """Refuse a column that holds anything but its kind."""
        if not self.unfit:
            return
        what = "infinite values" if self.infinite else f"values that are no {self.kind.value}"
        raise InputError(
            f"the column {self.name!r} holds {self.unfit:,} {what} (first at row"
            f" {self.first_unfit:,})",
            remedy="correct them, or leave them empty",
        )


def _present(values: Floats) -> Floats:
    missing = np.isnan(values)
    return values[~missing] if missing.any() else values


@dataclass(frozen=True, eq=False)
class Settled:
    """What becomes of the buckets of a column so that every cell hides among k."""

    name: str
    division: Division
    """After buckets were joined."""
    code_of: Codes
    """The code that each code becomes: 0 is empty, b the b-th bucket of the division."""
    sizes: Counts
    """Records of each of these codes."""
    column: BucketedColumn

    @property
    def changed(self) -> bool:
        """Whether any cell shows something else than at first."""
        return bool((self.code_of != np.arange(len(self.code_of))).any())

    @property
    def classes(self) -> list[int]:
        """How many records show the same, for all that is shown."""
        return sorted(int(size) for size in self.sizes if size)


def as_found(bucketing: Bucketing) -> Settled:
    """The buckets as they are, before they are counted."""
    return _settled(bucketing, np.arange(len(bucketing.division)), None)


def settle(bucketing: Bucketing, k: int) -> Settled:
    """Join buckets below k with a neighbour; if too few cells are empty, empty one bucket more.

    Cells without a value show that they have none, so they too must be k or none. If they are
    fewer, the smallest bucket is left empty with them: nothing untrue is said, and nobody is alone.
    """
    bucketing.refuse_unfit()
    sizes = bucketing.spread.sizes
    missing, values = int(sizes[0]), int(sizes[1:].sum())
    if 0 < values < k:
        raise InfeasibleError(
            f"the column {bucketing.name!r} has {values:,} values, fewer than {k:,}",
            remedy="ask for less, or leave the column out",
        )
    bucket_of = join_small(sizes[1:], k)
    joined = np.bincount(bucket_of, weights=sizes[1:]).astype(np.int64)
    if not 0 < missing < k:
        return _settled(bucketing, bucket_of, None)
    if len(joined) < 2:
        raise InfeasibleError(
            f"the column {bucketing.name!r} has {missing:,} missing values, fewer than {k:,}, and"
            " no bucket to spare that could be left empty with them",
            remedy="fill them, ask for less, or leave the column out",
        )
    return _settled(bucketing, bucket_of, int(joined.argmin()))


def _settled(bucketing: Bucketing, bucket_of: Counts, empty: int | None) -> Settled:
    spread = bucketing.spread
    division = bucketing.division.joined(bucket_of)
    after = np.append(0, bucket_of + 1)
    if empty is not None:
        after[after == empty + 1] = 0
    sizes = np.bincount(after, weights=spread.sizes, minlength=len(division) + 1).astype(np.int64)
    shown = np.where(after[1:] == 0, np.nan, division.medians[bucket_of])
    column = BucketedColumn(
        name=bucketing.name,
        kind=bucketing.kind,
        buckets=len(division) - (empty is not None),
        smallest=int(min(sizes[sizes > 0], default=0)),
        merged=len(bucketing.division) - len(division),
        missing=int(spread.sizes[0]),
        emptied=int(sizes[0] - spread.sizes[0]),
        error=spread.error(shown),
    )
    return Settled(bucketing.name, division, after.astype(np.int32), sizes, column)


class Recount:
    """How many records show the same in each column, counted by Polars alone."""

    def __init__(self, names: Sequence[str]) -> None:
        self._parts: dict[str, list[pl.DataFrame]] = {name: [] for name in names}

    def add(self, frame: pl.DataFrame) -> None:
        """Count these rows."""
        for name in self._parts:
            counts = frame.select(shown=name).group_by("shown").agg(size=pl.len().cast(pl.Int64))
            self.add_counts(name, counts)

    def add_counts(self, name: str, counts: pl.DataFrame) -> None:
        """Take what was counted of a column: how many rows (`size`) show the same (`shown`)."""
        parts = self._parts[name]
        parts.append(counts)
        if len(parts) > _PARTS:
            parts[:] = [_together(parts)]

    def demand(self, settled: Sequence[Settled], records: int, k: int) -> None:
        """Refuse rows that are not those that were to leave, or that do not hide everybody."""
        for one in settled:
            sizes = sorted(_together(self._parts[one.name])["size"].to_list())
            if sum(sizes) != records or sizes != one.classes:
                raise other_rows()
            if min(sizes) < k:
                raise NotMetError(
                    f"the column {one.name!r} shows something of fewer than {k:,} records"
                )


def other_rows() -> NotMetError:
    """The rows that were counted are others than those that were made."""
    return NotMetError(
        "the rows that were written are not those that were to leave",
        remedy="see that nothing changes the table meanwhile",
    )


def _together(parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    return pl.concat(parts, how="vertical_relaxed").group_by("shown").agg(pl.col("size").sum())
