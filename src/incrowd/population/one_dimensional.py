"""One column made k-anonymous by itself: buckets of neighbouring values (Lodha-Thomas Section 4.1).

A k-anonymous transformation maps every value to one of at least k values (Definition 6). The best
ones put neighbours together, so all that is to be found is where buckets end. What is best:

- `quantile`: the least rank difference (Definition 8; by rank the paper's quantiles, Theorem 5);
- `k-median`: the least sum of distances to the buckets' medians;
- `cellular`: the least sum over the buckets of radius times records;
- `k-centre`: the least largest radius, and of these divisions the one that is best by `cellular`.

The radius is half the way from the first value of a bucket to the last (the paper leaves it open).

Values that are equal stay together unless `split` says that ranks alone decide. A bucket may then
be as large as its value is frequent; by rank no bucket has 2k records or more.
"""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from incrowd.arrays import Codes, Counts, Flags, Floats, Values
from incrowd.errors import InfeasibleError, InputError, PolicyError
from incrowd.kernels import one_dimensional as kernels
from incrowd.kernels import order_dp

Method: TypeAlias = Literal["quantile", "k-median", "k-centre", "cellular"]
"""By what buckets are best."""

_LARGEST = 1e290
"""Sums of values that could grow beyond this are taken of values scaled to 0..1."""


@dataclass(frozen=True, eq=False)
class ValueBuckets:
    """Which bucket (0, 1, … from the least values on) each value is in, and what each shows."""

    of: Codes
    """The bucket of each value, in the order in which the values were given."""
    medians: Counts
    """The place of each bucket's median among the values given; of two the lower."""

    def __len__(self) -> int:
        return len(self.medians)

    def __repr__(self) -> str:
        """Without values."""
        return f"Buckets({len(self)} of {len(self.of)} values)"

    @property
    def sizes(self) -> Counts:
        """How many values are in each bucket."""
        return np.bincount(self.of, minlength=len(self)).astype(np.int64)

    @property
    def onto(self) -> Counts:
        """The place of the value that stands for each value: the transformation itself."""
        return self.medians[self.of]

    def medians_of(self, values: Values) -> Values:
        """What stands for each of the values that were given: its bucket's median."""
        return values[self.onto]


def quantiles(values: Values, k: int, *, split: bool = False) -> ValueBuckets:
    """Buckets with the least rank difference (Definitions 8 and 9), each with k values or more.

    With `split` equal values may be parted, and the buckets are the paper's: n // k of them, as
    equal in size as can be. `InputError` if values are missing, NaN, infinite, or neither numbers
    nor dates; `InfeasibleError` if there are fewer than k; `PolicyError` if k is below 1.

    >>> ages = np.array([31, 18, 44, 18, 29, 52, 18])
    >>> quantiles(ages, 2).medians_of(ages)
    array([29, 18, 44, 18, 29, 44, 18])
    >>> quantiles(ages, 2, split=True).sizes
    array([2, 2, 3])
    """
    if not split:
        return divide(values, k, "quantile")
    order = _ascending_places(values, k)
    number = len(order) // k
    return _buckets_ending_at(
        order, np.arange(1, number + 1, dtype=np.int64) * len(order) // number
    )


def divide(
    values: Values, k: int, method: Method = "k-median", *, split: bool = False
) -> ValueBuckets:
    """Buckets with the least cost of all, each with k values or more (Section 4.1.1, Appendix B).

    `split` and errors are as in `quantiles`; `PolicyError` if there is no such method.

    >>> incomes = np.array([10.0, 11.0, 12.0, 50.0, 51.0, 90.0])
    >>> divide(incomes, 2).sizes
    array([3, 3])
    """
    if method == "quantile" and split:
        return quantiles(values, k, split=True)
    order = _ascending_places(values, k)
    line = values[order]
    fresh: Flags = np.ones(len(line), dtype=np.bool_)
    if not split:
        fresh[1:] = line[1:] != line[:-1]
    starts = np.flatnonzero(fresh)
    counts = np.diff(starts, append=len(line)).astype(np.int64)
    ends = value_runs(_positions(line[starts]), counts, k, method)
    upto = np.append(starts, len(line))[ends]
    return _buckets_ending_at(order, _cut_long_buckets(upto, k) if split else upto)


def value_runs(
    positions: Floats, counts: Counts, k: int, method: Method = "quantile", until: Any = None
) -> Counts:
    """Where the buckets of ascending values end if equal values stay together.

    `counts` are the records of each value; every bucket has k of them or more. Bucket b holds the
    values from the end of the one before up to, not including, place `ends[b]`. `until` limits
    buckets: one that begins at place s ends at `until[s]` at the latest, and `until` never falls.
    `InfeasibleError` if there is no such division; `InputError` if positions do not ascend or are
    not finite, or counts are negative; `PolicyError` for an unknown method, or k below 1.

    >>> value_runs(np.array([1.0, 2.0, 3.0, 9.0]), np.array([5, 1, 2, 4]), 3).tolist()
    [1, 3, 4]
    """
    _check_runs(positions, counts, k, method)
    limits = np.full(len(counts), len(counts)) if until is None else np.asarray(until)
    if method == "k-centre":
        least = _least_radius(positions, counts, k, limits)
        limits, method = np.minimum(limits, _ends_within(positions, 2 * least)), "cellular"
    total, last = _best_prefixes(positions, counts, k, method, limits)
    if not np.isfinite(total[-1]):
        raise _no_buckets_error(k)
    return order_dp.class_ends(last, len(last) - 1).astype(np.int64)


def division_cost(values: Values, buckets: ValueBuckets, method: Method) -> float:
    """The cost of a division into buckets by a method, which `divide` makes small.

    >>> incomes = np.array([10.0, 11.0, 12.0, 50.0, 51.0, 90.0])
    >>> division_cost(incomes, divide(incomes, 2), "k-median")
    42.0
    """
    if method == "quantile":
        return float(rank_difference(values, buckets.onto))
    place = _positions(values)
    if method == "k-median":
        return float(np.abs(place - place[buckets.onto]).sum())
    low = np.full(len(buckets), np.inf)
    high = np.full(len(buckets), -np.inf)
    np.minimum.at(low, buckets.of, place)
    np.maximum.at(high, buckets.of, place)
    radius = (high - low) / 2
    return float(radius.max() if method == "k-centre" else radius @ buckets.sizes)


def rank_difference(values: Values, onto: Counts) -> int:
    """The rank difference of a transformation (Definition 8).

    `onto[i]` is the place of the element that element i is mapped to. Ranks are those of Definition
    7: equal elements have consecutive ones, here in the order of their places.

    >>> rank_difference(np.array([1, 12, 4, 7, 3]), np.array([4, 3, 4, 3, 4]))
    3
    """
    rank = np.empty(len(values), dtype=np.int64)
    rank[np.argsort(values, kind="stable")] = np.arange(len(values))
    return int(np.abs(rank[onto] - rank).sum())


def _ascending_places(values: Values, k: int) -> Counts:
    """Return the places of values, ascending, equal ones as they came; errors as `quantiles`."""
    _check_k(k)
    _check_values(values)
    if len(values) < k:
        raise _too_few_error(len(values), k)
    order = np.argsort(values)
    line = values[order]
    if bool((line[1:] == line[:-1]).any()):
        order = np.argsort(values, kind="stable")
    return order


def _check_k(k: int) -> None:
    """Raise `PolicyError` if k is below 1."""
    if k < 1:
        raise PolicyError("k must be a whole number, 1 or more")


def _check_values(values: Values) -> None:
    """Raise `InputError` unless the values are finite numbers or dates."""
    if values.ndim != 1 or values.dtype.kind not in "iufmM":
        raise InputError(
            "the values of the column are neither numbers nor dates",
            remedy="give one column of numbers or dates",
        )
    strange = ~np.isfinite(values)
    if strange.any():
        raise InputError(
            f"{int(strange.sum()):,} of the {len(values):,} values are missing or not finite "
            f"(first at place {int(np.argmax(strange)) + 1:,})",
            remedy="leave these records out, or replace the values",
        )


def _check_runs(positions: Floats, counts: Counts, k: int, method: str) -> None:
    """Raise the error of `value_runs` if it cannot divide what it is given."""
    if method not in get_args(Method):
        some = ", ".join(get_args(Method))
        raise PolicyError(
            "there is no such method of dividing values", remedy=f"choose one of {some}"
        )
    _check_k(k)
    if not np.isfinite(positions).all() or (np.diff(positions) < 0).any():
        raise InputError("the values to divide must be finite and ascending")
    if (counts < 0).any():
        raise InputError("the counts of values must not be negative")
    if len(counts) == 0 or int(counts.sum()) < k:
        raise _too_few_error(int(counts.sum()), k)


def _too_few_error(number: int, k: int) -> InfeasibleError:
    if number == 0:
        return InfeasibleError("there are no values to divide", remedy="give a column with values")
    return InfeasibleError(
        f"the column has {number:,} values, fewer than k = {k:,}",
        remedy=f"ask for k = {number:,} at most",
    )


def _no_buckets_error(k: int) -> InfeasibleError:
    return InfeasibleError(
        f"the limits of the column allow no buckets of {k:,} records or more",
        remedy="ask for a smaller k, or let buckets be wider",
    )


def _positions(values: Values) -> Floats:
    """Values as distances from the least, as floats; on 0..1 where sums could overflow."""
    kind = values.dtype.kind
    place = values.astype(np.int64 if kind in "mM" else values.dtype).astype(np.float64)
    if not len(place):
        return place
    first, last = float(place.min()), float(place.max())
    if (last / 2 - first / 2) * len(place) < _LARGEST:
        return place - first
    return (place / 2 - first / 2) / (last / 2 - first / 2)


def _buckets_ending_at(order: Counts, ends: Counts) -> ValueBuckets:
    """The buckets of values if bucket b ends before entry `ends[b]` of their ascending `order`."""
    begins = np.concatenate([[0], ends[:-1]])
    of = np.empty(len(order), dtype=np.int32)
    of[order] = np.repeat(np.arange(len(ends), dtype=np.int32), ends - begins)
    return ValueBuckets(of, order[(begins + ends - 1) // 2])


def _cut_long_buckets(ends: Counts, k: int) -> Counts:
    """Cut buckets of 2k values or more as often as they hold k, at no cost; return all ends."""
    sizes = np.diff(ends, prepend=0)
    parts = sizes // k
    bucket = np.repeat(np.arange(len(ends)), parts)
    number = np.arange(len(bucket)) - np.repeat(np.cumsum(parts) - parts, parts) + 1
    return np.asarray((ends - sizes)[bucket] + sizes[bucket] * number // parts[bucket])


def _best_prefixes(
    positions: Floats, counts: Counts, k: int, method: Method, until: Counts
) -> tuple[Floats, Codes]:
    """The least cost of the first 0, 1, … values, and where the last bucket of each begins.

    A bucket from value s on ends at `until[s]` at the latest. Costs are infinite where none fits.
    """
    kinds = {
        "quantile": kernels.RANK,
        "k-median": kernels.MEDIAN,
        "cellular": kernels.CELLULAR,
        "k-centre": kernels.CENTRE,
    }
    records = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    moments = np.concatenate([[0.0], np.cumsum(counts * positions)])
    line = np.ascontiguousarray(positions, dtype=np.float64), records, moments
    return kernels.best_runs(line, kinds[method], int(k), until.astype(np.int32))


def _least_radius(positions: Floats, counts: Counts, k: int, until: Counts) -> float:
    """The least radius that the widest bucket can have; `InfeasibleError` without any division."""
    total, _ = _best_prefixes(positions, counts, k, "k-centre", until)
    if not np.isfinite(total[-1]):
        raise _no_buckets_error(k)
    return float(total[-1])


def _ends_within(positions: Floats, extent: float) -> Counts:
    """By first value: before which value a bucket must end to be no wider than `extent`."""
    ends = np.searchsorted(positions, positions + extent, side="right")
    while True:
        wide: Flags = positions[ends - 1] - positions > extent
        if not wide.any():
            return ends
        ends[wide] -= 1
