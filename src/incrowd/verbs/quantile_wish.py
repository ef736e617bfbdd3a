"""Which columns are to show quantiles, and of how many, checked before anything is read."""

from collections.abc import Sequence
from dataclasses import dataclass

from incrowd.errors import InfeasibleError, InputError, PolicyError
from incrowd.population.bucketed import Bucketed, RankPromise, Show
from incrowd.population.sampled_quantiles import (
    DELTA,
    EPSILON,
    least_drawn,
    rank_error,
    sample_size,
)
from incrowd.verbs.source import chosen

_FEWEST = 2
_TOGETHER = (
    "each column is k-anonymous by itself; together they may still single people out: see incrowd "
    "risk, and incrowd plan for how coarse columns must be to be published together"
)
_KEPT = "columns that are kept leave with their exact values"
_ORDER = "the order of the records is kept: it may tell who is who"


@dataclass(frozen=True)
class QuantileWish:
    """What is to be shown of which columns."""

    columns: tuple[str, ...]
    k: int | None
    buckets: int | None
    epsilon: float | None
    delta: float | None
    show: Show
    keep: tuple[str, ...]
    seed: int | None
    keep_order: bool

    def __post_init__(self) -> None:
        if (self.k is None) == (self.buckets is None):
            raise PolicyError(
                "either k or the number of buckets says how coarse columns become",
                remedy="give one of them",
            )
        if self.k is not None and self.k < _FEWEST:
            raise PolicyError("k must be at least 2: among fewer nobody hides")
        if self.buckets is not None and self.buckets < 1:
            raise PolicyError("there must be at least one bucket")
        if self.show not in {"median", "range"}:
            raise PolicyError(
                f"buckets cannot show {self.show!r}", remedy="known are median and range"
            )
        if self.seed is not None and self.seed < 0:
            raise PolicyError("a seed must be a whole number from 0")
        both = set(self.columns) & set(self.keep)
        if both:
            raise PolicyError(
                f"the column {min(both)!r} cannot both show buckets and be kept as it is",
                remedy="name it once",
            )
        sample_size(self.epsilon or EPSILON, self.delta or DELTA)
        if self.epsilon == 0 or self.delta == 0:
            raise PolicyError("epsilon and delta must lie between 0 and 1")

    @property
    def least(self) -> int:
        """The fewest records that may show the same."""
        return _FEWEST if self.k is None else self.k

    @property
    def chance(self) -> float:
        """How likely a rank may be off by more than epsilon."""
        return DELTA if self.delta is None else self.delta

    @property
    def sample(self) -> int:
        """How many records are drawn."""
        return sample_size(EPSILON if self.epsilon is None else self.epsilon, self.chance)

    def leaving(self, names: Sequence[str]) -> tuple[str, ...]:
        """The columns that leave, in their order; unknown ones are refused."""
        wanted = {*chosen(names, self.columns), *(chosen(names, self.keep) if self.keep else ())}
        return tuple(name for name in names if name in wanted)

    def drawn_per_bucket(self, records: int, sample: int) -> int:
        """How many values of the sample each bucket should hold at least."""
        if self.buckets is not None:
            return 1
        return least_drawn(self.least, records, sample, self.chance)

    def refuse(self, records: int) -> None:
        """Refuse a table that is too small."""
        if not records:
            raise InputError("the table has no records", remedy="give at least one")
        if records < self.least:
            raise InfeasibleError(
                f"the table has {records:,} records, fewer than {self.least:,}",
                remedy="ask for less, or give more records",
            )

    def promise(self, records: int, sample: int, cuts: int) -> RankPromise:
        """What a sample of this size promises of so many cuts of all columns."""
        if sample >= records:
            return RankPromise(exact=True, sample=records)
        epsilon = EPSILON if self.epsilon is None else self.epsilon
        off = rank_error(sample, self.chance, cuts)
        return RankPromise(
            exact=False, sample=sample, epsilon=epsilon, delta=self.chance, simultaneous=off
        )


def notes_of(wish: QuantileWish, found: Bucketed) -> tuple[str, ...]:
    """What everybody should know who publishes such columns."""
    notes = []
    if wish.epsilon is not None and found.promise.exact:
        notes.append(
            f"a sample for this epsilon has {wish.sample:,} records, the table {found.records:,}: "
            "all were looked at, and the quantiles are exact"
        )
    for column in found.columns:
        if column.emptied:
            notes.append(
                f"{column.name}: {column.missing:,} missing values are too few to hide among, so "
                f"{column.emptied:,} more cells were left empty"
            )
        if column.missing == found.records:
            notes.append(f"{column.name}: there are no values, all cells are empty")
    if len(found.columns) + len(found.kept) > 1:
        notes.append(_TOGETHER)
    if found.kept:
        notes.append(_KEPT)
    if wish.keep_order:
        notes.append(_ORDER)
    return tuple(notes)
