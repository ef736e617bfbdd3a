"""Columns that show quantiles: what is asked for, and one column put into buckets.

Its cells are looked up and counted as they pass. Then buckets that hold too few records are joined,
and the rows that leave are counted again by Polars alone.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

import numpy as np
import polars as pl

from incrowd.arrays import Codes, Counts, Floats
from incrowd.errors import (
    InfeasibleError,
    InputError,
    NotMetError,
    PolicyError,
    count_of,
    other_rows_error,
)
from incrowd.kernels import one_dimensional
from incrowd.population.quantile_cells import Scaled, cells_of_buckets, kind_of_cells, scale_cells
from incrowd.population.quantiles import (
    DELTA,
    EPSILON,
    BucketDivision,
    Bucketed,
    BucketedColumn,
    BucketErrors,
    RankPromise,
    Show,
    divide_evenly,
    join_small,
    least_sample_count,
    rank_error,
    sample_size,
)
from incrowd.table.column import Kind
from incrowd.table.fold import in_threads, threads
from incrowd.table.names import choose_columns, unique_names

_SMALLEST_K = 2
_FEW_ROWS = 2**16
"""Below this many cells one thread is faster."""
_PARTS = 64
"""Counts of so many frames are added up at a time."""
_TOGETHER = (
    "each column is k-anonymous by itself, but several columns together may still single people "
    "out: check with incrowd risk, or let incrowd plan say how coarse they must be"
)
_KEPT = "the kept columns leave with their exact values"
_ORDER = "the records keep their order, which may tell who is who"


@dataclass(frozen=True)
class QuantileOptions:
    """Which columns show quantiles, and how coarse they are. Checked before anything is read."""

    columns: tuple[str, ...]
    k: int | None = None
    """Records that show the same at least; either this or `buckets`."""
    buckets: int | None = None
    epsilon: float | None = None
    """Divide by a sample whose ranks are off by at most this share of the records."""
    delta: float | None = None
    """How likely a rank may be off further."""
    show: Show = "median"
    keep: tuple[str, ...] = ()
    """Columns that leave as they are."""
    seed: int | None = None
    keep_order: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", unique_names(self.columns))
        object.__setattr__(self, "keep", unique_names(self.keep))
        if (self.k is None) == (self.buckets is None):
            raise PolicyError(
                "give either k or the number of buckets, and not both",
                remedy="k says how many records show the same, buckets how many there are",
            )
        if self.k is not None and self.k < _SMALLEST_K:
            raise PolicyError("k must be at least 2", remedy="one record alone does not hide")
        if self.buckets is not None and self.buckets < 1:
            raise PolicyError("there must be at least one bucket", remedy="give 1 or more")
        if self.show not in {"median", "range"}:
            raise PolicyError(f"buckets cannot show {self.show!r}", remedy="choose median or range")
        if self.seed is not None and self.seed < 0:
            raise PolicyError("the seed must be 0 or more", remedy="give a whole number")
        both = set(self.columns) & set(self.keep)
        if both:
            raise PolicyError(
                f"the column {min(both)!r} cannot both show buckets and be kept as it is",
                remedy="name it once",
            )
        if self.epsilon == 0 or self.delta == 0:
            raise PolicyError("epsilon and delta must be between 0 and 1")
        sample_size(self.epsilon or EPSILON, self.delta or DELTA)

    @property
    def least(self) -> int:
        """The fewest records that may show the same."""
        return _SMALLEST_K if self.k is None else self.k

    @property
    def chance(self) -> float:
        """The highest probability that a rank is off by more than epsilon."""
        return DELTA if self.delta is None else self.delta

    @property
    def sample(self) -> int:
        """The number of records to draw."""
        return sample_size(EPSILON if self.epsilon is None else self.epsilon, self.chance)

    def leaving_columns(self, names: Sequence[str]) -> tuple[str, ...]:
        """The columns of the table that leave, in its order; `PolicyError` if it lacks one."""
        wanted = set(choose_columns(names, self.columns))
        if self.keep:
            wanted.update(choose_columns(names, self.keep))
        return tuple(name for name in names if name in wanted)

    def least_per_bucket(self, records: int, sample: int) -> int:
        """The fewest values of a sample that a bucket should hold; 1 if buckets are asked for."""
        if self.buckets is not None:
            return 1
        return least_sample_count(self.least, records, sample, self.chance)

    def refuse_small(self, records: int) -> None:
        """Refuse a table without records: `InputError`; with fewer than k: `InfeasibleError`."""
        if not records:
            raise InputError("the table has no records", remedy="give at least one")
        if records < self.least:
            raise InfeasibleError(
                f"the table has {count_of(records, 'record')}, fewer than k = {self.least:,}",
                remedy="ask for a smaller k, or give more records",
            )

    def rank_promise(self, records: int, sample: int, cuts: int) -> RankPromise:
        """What a sample of this size promises about ranks, for so many cuts of all columns."""
        if sample >= records:
            return RankPromise(exact=True, sample=records)
        epsilon = EPSILON if self.epsilon is None else self.epsilon
        off = rank_error(sample, self.chance, cuts)
        return RankPromise(
            exact=False, sample=sample, epsilon=epsilon, delta=self.chance, simultaneous=off
        )

    def notes(self, bucketed: Bucketed) -> Iterator[str]:
        """Yield sentences on what to know before such columns are published."""
        if self.epsilon is not None and bucketed.promise.exact:
            yield (
                f"this epsilon needs {self.sample:,} records and the table has "
                f"{bucketed.records:,}: all were looked at, so the quantiles are exact"
            )
        for column in bucketed.columns:
            if column.emptied:
                yield (
                    f"{column.name}: {count_of(column.missing, 'missing value')} would stand out; "
                    f"left empty as well: {count_of(column.emptied, 'cell')}"
                )
            if column.missing == bucketed.records:
                yield f"{column.name}: the column has no values, all its cells are empty"
        if len(bucketed.columns) + len(bucketed.kept) > 1:
            yield _TOGETHER
        if bucketed.kept:
            yield _KEPT
        if self.keep_order:
            yield _ORDER


@dataclass(eq=False)
class Bucketing:
    """A column, how it is divided, and what was counted of it so far."""

    name: str
    kind: Kind
    division: BucketDivision
    some: pl.Series
    """No cell or one cell of the column, for its type."""
    errors: BucketErrors = field(init=False)
    unfit: int = 0
    """Cells that are neither missing nor of the column's kind."""
    first_unfit: int = 0
    """The row of the first of them, from 1."""
    infinite: bool = False
    """Whether that one is infinite."""

    def __post_init__(self) -> None:
        self.errors = BucketErrors.without_records(self.division)

    @classmethod
    def by_sample(cls, cells: pl.Series, number: int | None, least: int) -> "Bucketing":
        """Divide by sampled `cells`, as `divide_evenly` does; errors as in `kind_of_cells`."""
        kind = kind_of_cells(cells, cells.name)
        division = divide_evenly(_drop_missing(scale_cells(cells, kind).values), number, least)
        return cls(cells.name, kind, division, cells[:0])

    @classmethod
    def of_whole(
        cls, cells: pl.Series, places: Counts | None, number: int | None, least: int
    ) -> tuple["Bucketing", Codes]:
        """Divide like `by_sample`, by cells at `places` or all; return each cell's bucket, too."""
        kind = kind_of_cells(cells if places is None else cells[places], cells.name)
        scaled = scale_cells(cells, kind)
        values = scaled.values if places is None else scaled.values[places]
        made = cls(cells.name, kind, divide_evenly(_drop_missing(values), number, least), cells[:0])
        return made, made._look_up_in_threads(scaled, 0)

    def look_up(self, cells: pl.Series, start: int) -> Codes:
        """Return the bucket of each cell, and count them in `errors`; `start` records came before.

        Bucket 0 is for missing values and for those of another kind, which are noted as unfit.
        """
        scaled = scale_cells(cells, self.kind)
        self._note_unfit(scaled, start)
        codes = np.empty(len(scaled.values), dtype=np.int32)
        self._look_up_task(scaled.values, codes, self.errors)()
        return codes

    def _look_up_in_threads(self, scaled: Scaled, start: int) -> Codes:
        """The codes that `look_up` returns, computed in several threads if there are many rows."""
        self._note_unfit(scaled, start)
        values = scaled.values
        codes = np.empty(len(values), dtype=np.int32)
        tasks, parts = [], []
        number = threads() if len(values) > _FEW_ROWS else 1
        bounds = np.linspace(0, len(values), number + 1).astype(np.int64)
        for low, high in pairwise(bounds.tolist()):
            part = BucketErrors.without_records(self.division)
            tasks.append(self._look_up_task(values[low:high], codes[low:high], part))
            parts.append(part)
        in_threads(tasks)
        for part in parts:
            self.errors.add(part)
        return codes

    def _look_up_task(
        self, values: Floats, codes: Codes, errors: BucketErrors
    ) -> Callable[[], None]:
        """A task that fills `codes` with the buckets of these values and adds them to `errors`."""
        sums = (errors.sizes, errors.sums, errors.squares)
        return partial(
            one_dimensional.assign_buckets, values, self.division.cuts, errors.centres, codes, *sums
        )

    def _note_unfit(self, scaled: Scaled, start: int) -> None:
        """Count cells of another kind and remember the row of the first one, from 1."""
        if scaled.unfit is None:
            return
        if not self.unfit:
            self.first_unfit = start + int(scaled.unfit.argmax()) + 1
            self.infinite = scaled.infinite
        self.unfit += int(scaled.unfit.sum())

    def cells(self, shown: "ShownBuckets", show: Show) -> pl.Series:
        """The cell that each code of the column shows, that of missing values first."""
        return cells_of_buckets(shown.division, self.kind, show, self.some).gather(
            pl.Series(shown.code_of)
        )

    def refuse_unfit(self) -> None:
        """Refuse a column with values of another kind: `InputError`."""
        if not self.unfit:
            return
        kind = self.kind.value
        what = count_of(self.unfit, f"value that is not a {kind}", f"values that are not a {kind}")
        if self.infinite:
            what = count_of(self.unfit, "infinite value")
        raise InputError(
            f"the column {self.name!r} has {what} (first in row {self.first_unfit:,})",
            remedy="correct them, or leave them empty",
        )


def _drop_missing(values: Floats) -> Floats:
    missing = np.isnan(values)
    return values[~missing] if missing.any() else values


@dataclass(frozen=True, eq=False)
class ShownBuckets:
    """The buckets of a column as they are shown, after some were joined or left empty for k."""

    name: str
    division: BucketDivision
    """After buckets were joined."""
    code_of: Codes
    """The code that each code becomes: 0 is empty, b the b-th bucket of the division."""
    sizes: Counts
    """Records that show each code: shape (buckets of the division + 1,)."""
    column: BucketedColumn

    @property
    def changed(self) -> bool:
        """Whether any cell shows something else than at first."""
        return bool((self.code_of != np.arange(len(self.code_of))).any())

    @property
    def class_sizes(self) -> list[int]:
        """The sizes of the groups of records that show the same."""
        return sorted(int(size) for size in self.sizes if size)


def show_all_buckets(bucketing: Bucketing) -> ShownBuckets:
    """Show every bucket as it is, whatever its size."""
    return _show_buckets(bucketing, np.arange(len(bucketing.division)), None)


def enforce_k(bucketing: Bucketing, k: int) -> ShownBuckets:
    """Join buckets below k with a neighbour, and leave one empty if too few cells are empty.

    Empty cells must be k or none, too. If they are fewer, the smallest bucket is left empty with
    them: an empty cell says only that no value is shown. `InfeasibleError` if there is no other
    bucket, or the values are fewer than k; `InputError` if there are values of another kind.
    """
    bucketing.refuse_unfit()
    sizes = bucketing.errors.sizes
    missing, values = int(sizes[0]), int(sizes[1:].sum())
    if 0 < values < k:
        raise InfeasibleError(
            f"the column {bucketing.name!r} has {count_of(values, 'value')}, fewer than k = {k:,}",
            remedy="ask for a smaller k, or leave the column out",
        )
    bucket_of = join_small(sizes[1:], k)
    joined = np.bincount(bucket_of, weights=sizes[1:]).astype(np.int64)
    if not 0 < missing < k:
        return _show_buckets(bucketing, bucket_of, None)
    if len(joined) < 2:
        raise InfeasibleError(
            f"the column {bucketing.name!r} has {count_of(missing, 'missing value')}, fewer than "
            f"k = {k:,}, and no bucket to spare that could be left empty with them",
            remedy="fill them in, ask for a smaller k, or leave the column out",
        )
    return _show_buckets(bucketing, bucket_of, int(joined.argmin()))


def _show_buckets(bucketing: Bucketing, bucket_of: Counts, empty: int | None) -> ShownBuckets:
    """Show buckets joined by `bucket_of`; joined bucket `empty` (from 0), if any, shows nothing."""
    errors = bucketing.errors
    division = bucketing.division.join_buckets(bucket_of)
    after = np.append(0, bucket_of + 1)
    if empty is not None:
        after[after == empty + 1] = 0
    sizes = np.bincount(after, weights=errors.sizes, minlength=len(division) + 1).astype(np.int64)
    shown = np.where(after[1:] == 0, np.nan, division.medians[bucket_of])
    column = BucketedColumn(
        name=bucketing.name,
        kind=bucketing.kind,
        buckets=len(division) - (empty is not None),
        smallest=int(min(sizes[sizes > 0], default=0)),
        merged=len(bucketing.division) - len(division),
        missing=int(errors.sizes[0]),
        emptied=int(sizes[0] - errors.sizes[0]),
        error=errors.normalized_error(shown),
    )
    return ShownBuckets(bucketing.name, division, after.astype(np.int32), sizes, column)


class BucketRecount:
    """How many records show the same in each column, counted by Polars alone."""

    def __init__(self, names: Sequence[str]) -> None:
        self._parts: dict[str, list[pl.DataFrame]] = {name: [] for name in names}

    def add(self, frame: pl.DataFrame) -> None:
        """Count these rows by what they show in each column."""
        for name in self._parts:
            shown = frame[name].alias("shown").to_frame().group_by("shown")
            self.add_counts(name, shown.agg(size=pl.len().cast(pl.Int64)))

    def add_counts(self, name: str, counts: pl.DataFrame) -> None:
        """Add counts of one column: how many rows (`size`) show the same (`shown`)."""
        parts = self._parts[name]
        parts.append(counts)
        if len(parts) > _PARTS:
            parts[:] = [_add_up(parts)]

    def check(self, shown: Sequence[ShownBuckets], records: int, k: int) -> None:
        """Refuse a recount that differs from what should leave; `NotMetError` if one is below k."""
        for column in shown:
            sizes = sorted(_add_up(self._parts[column.name])["size"].to_list())
            if sum(sizes) != records or sizes != column.class_sizes:
                raise other_rows_error()
            if min(sizes) < k:
                raise NotMetError(
                    f"the column {column.name!r} shows something that fewer than {k:,} records "
                    "share"
                )


def _add_up(parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """The counts of all parts together: how many rows (`size`) show the same (`shown`)."""
    return pl.concat(parts, how="vertical_relaxed").group_by("shown").agg(pl.col("size").sum())
