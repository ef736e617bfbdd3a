"""Derived columns: functions of other columns, exact or nearly so.

Whoever knows height and weight knows the body mass index. If that leaves as it is, classes of
coarse heights and weights fall apart again, and no count of classes shows it. Two measures find
such columns. Both are 0 for independent columns and 1 for a function:

- *agreement*, of any columns. Of pairs of records with equal known values, the share that also
  agree in the derived value; less the share of all pairs that agree, over what is left to 1
  (kappa).
  Combinations that occur once make no pairs, so that they say nothing.
- *fit*, of numbers and dates. A record's derived value is predicted from all other records, by a
  polynomial in the known columns or by a plane through its nearest neighbours; the better of the
  squared rank correlation of the first and of 1 less the squared error of the second over the
  variance. It needs no equal values, and rounding does not hide a function from it.

Strong correlation is not a function, so both thresholds are near 1.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement
from math import comb
from typing import Any

import numpy as np

from incrowd.arrays import MISSING, Codes, Floats
from incrowd.table.column import CodedColumn, Kind
from incrowd.table.fold import fold

AGREEMENT = 0.95
"""Agreement from which columns count as a function."""
FIT = 0.99
"""Fit from which numbers count as a function."""
RECORDS = 100
"""Fewer records are not searched: chance makes functions."""
_EVIDENCE = 30.0
"""Disagreements expected by chance alone: with fewer, agreement means nothing."""
_VALUES = 10
"""Fewer distinct numbers than this have no neighbours to speak of."""
_NEIGHBOURS = 16
_FITTED = 600
"""Records that a fit looks at."""
_TERMS = 30
"""The most coefficients of a polynomial."""
_PROMISING = 0.5
"""Neighbours are looked at only where a polynomial fits as well as this: they take longer."""
_SIZE = 2
"""The most known columns that are tried together, besides all numbers and dates at once."""
_MANY = 12
"""With more known columns than this, pairs are not searched: there would be too many."""


@dataclass(frozen=True)
class Derived:
    """A column that follows from others."""

    column: str
    known: tuple[str, ...]
    """The columns that it follows from."""
    strength: float
    """How far it is a function of them, 0..1."""


def find_derived(shown: Sequence[CodedColumn], hidden: Sequence[CodedColumn]) -> list[Derived]:
    """Find released columns (`shown`) that follow from hidden ones, or determine them.

    One column is tried, then two, then all numbers at once; the smallest sets are named.
    """
    rows = _rows_to_compare([*shown, *hidden])
    derived: list[Derived] = []
    for known, others in ((hidden, shown), (shown, hidden)):
        for column in others:
            derived += _find_sources(column, known, rows)
    return derived


def _rows_to_compare(columns: Sequence[CodedColumn]) -> Any:
    """The indices of rows to look at: one of equal rows if at least half are distinct, else all.

    Copies of a record agree in everything. Where most records have an equal, values are few, and
    equal records are other people.
    """
    table = np.stack([column.codes for column in columns])
    _, first = np.unique(table, axis=1, return_index=True)
    every = np.arange(table.shape[1])
    return np.sort(first) if len(first) * 2 >= len(every) else every


def _find_sources(
    column: CodedColumn, known: Sequence[CodedColumn], rows: Any
) -> Iterator[Derived]:
    """Find the smallest sets of known columns that determine this one: one, two or many numbers."""
    enough: list[set[str]] = []
    for size in range(1, (_SIZE if len(known) <= _MANY else 1) + 1):
        for some in combinations(known, size):
            names = {one.name for one in some}
            if any(fewer <= names for fewer in enough):
                continue
            strength = _function_strength(column, some, rows)
            if strength is not None:
                enough.append(names)
                yield Derived(column.name, tuple(one.name for one in some), round(strength, 4))
    measured = [one for one in known if _is_measured(one)]
    if not enough and len(measured) > _SIZE and _is_measured(column):
        yield from _find_total(column, measured, rows)


def _find_total(column: CodedColumn, known: Sequence[CodedColumn], rows: Any) -> Iterator[Derived]:
    """Yield a column and what it needs of `known` if all predict it (`FIT`), as parts a total."""
    rows = _complete_rows((column, *known), rows)
    needed = list(known)
    if len(rows) < RECORDS or _polynomial_fit(needed, column, rows) < FIT:
        return
    for one in known:
        fewer = [other for other in needed if other is not one]
        if fewer and _polynomial_fit(fewer, column, rows) >= FIT:
            needed = fewer
    strength = _polynomial_fit(needed, column, rows)
    yield Derived(column.name, tuple(one.name for one in needed), round(strength, 4))


def _is_measured(column: CodedColumn) -> bool:
    """Whether a column has numbers or dates, and enough distinct ones to have neighbours."""
    return column.domain.kind is not Kind.TEXT and len(column.domain) >= _VALUES


def _complete_rows(columns: Sequence[CodedColumn], rows: Any) -> Any:
    """The rows in which none of these columns is missing."""
    return rows[np.all([column.codes[rows] != MISSING for column in columns], axis=0)]


def _function_strength(
    derived: CodedColumn, known: Sequence[CodedColumn], rows: Any
) -> float | None:
    """How far `derived` is a function of the known columns, 0..1.

    None for fewer than `RECORDS` rows with all values, or an agreement and fit below `AGREEMENT`
    and `FIT`; only columns that are all measured have a fit.
    """
    rows = _complete_rows((derived, *known), rows)
    if len(rows) < RECORDS:
        return None
    alike = fold([column.codes[rows] for column in known], ()).rows_of_records
    agreed = agreement(alike, derived.codes[rows])
    if agreed is not None and agreed >= AGREEMENT:
        return agreed
    if not all(map(_is_measured, (derived, *known))):
        return None
    fitted = prediction_fit(known, derived, rows)
    return fitted if fitted >= FIT else None


def agreement(group: Codes, derived: Codes) -> float | None:
    """How far records with equal codes in `group` agree in `derived`, beyond chance: kappa.

    None if chance alone would make too few disagreements within groups to tell.

    >>> same = np.arange(600, dtype=np.int32) % 3
    >>> agreement(same, same), round(agreement(same, same[::-1] // 2), 2)
    (1.0, 1.0)
    """
    records = len(derived)
    cells = np.unique(
        group.astype(np.int64) * (int(derived.max()) + 1) + derived, return_counts=True
    )[1]
    together, values = np.bincount(group), np.bincount(derived)
    chance = _count_pairs(values) / (records * (records - 1) / 2)
    repeated = records - np.count_nonzero(together)
    if repeated * (1 - chance) < _EVIDENCE:
        return None
    return float((_count_pairs(cells) / _count_pairs(together) - chance) / (1 - chance))


def _count_pairs(sizes: Any) -> float:
    """How many pairs lie within groups of these sizes, summed over the groups."""
    large = sizes.astype(np.float64)
    return float((large * (large - 1)).sum()) / 2


def prediction_fit(known: Sequence[CodedColumn], derived: CodedColumn, rows: Any) -> float:
    """How well a number or date is predicted from known ones by other records, 0..1."""
    smooth = _polynomial_fit(known, derived, rows)
    if not _PROMISING <= smooth < FIT:
        return smooth
    some = rows[_sample_places(len(rows))]
    points = np.stack([_mean_ranks(column.codes[some]) for column in known], axis=1)
    heights = _mean_ranks(derived.codes[some])
    error = heights - _predict_heights(points, heights, _nearest_neighbours(points))
    return max(smooth, float(1 - np.mean(error**2) / max(np.var(heights), 1e-12)))


def _polynomial_fit(known: Sequence[CodedColumn], derived: CodedColumn, rows: Any) -> float:
    """The squared rank correlation of a number with what a polynomial of others predicts, 0..1.

    Each prediction leaves its own record out (PRESS). The degree is the highest, to 3, with at most
    `_TERMS` coefficients and ten records for each. The result is 0 if there is none, if all values
    or all predictions are equal, and if predictions fall where values rise: a mean without its own
    record does, so that numbers which tell nothing would seem to tell all.
    """
    some = rows[_sample_places(len(rows))]
    values = np.stack([_standardize(column, some) for column in known], axis=1)
    width = values.shape[1]
    able = [d for d in (3, 2, 1) if comb(width + d, d) <= min(_TERMS, len(some) // 10)]
    if not able:
        return 0.0
    terms = _products_of_columns(values, able[0])
    heights = _standardize(derived, some)
    basis = np.linalg.qr(terms)[0]
    leverage = np.minimum(np.einsum("ij,ij->i", basis, basis), 0.99)
    predicted = basis @ (basis.T @ heights)
    apart = heights - (heights - predicted) / (1 - leverage)
    place = np.unique(apart, return_inverse=True)[1].astype(np.int32)
    predictions, ranks = _mean_ranks(place), _mean_ranks(derived.codes[some])
    if np.ptp(predictions) == 0 or np.ptp(ranks) == 0:
        return 0.0
    return max(0.0, float(np.corrcoef(predictions, ranks)[0, 1])) ** 2


def _standardize(column: CodedColumn, rows: Any) -> Any:
    """Numbers or dates of these rows (none missing), less their mean, in standard deviations."""
    values = column.domain.positions[column.codes[rows] - 1]
    return (values - values.mean()) / max(values.std(), 1e-300)


def _products_of_columns(values: Any, degree: int) -> Any:
    """Products of up to `degree` columns, repeated ones too, first 1: shape (rows, products)."""
    columns = range(values.shape[1])
    some = [c for d in range(degree + 1) for c in combinations_with_replacement(columns, d)]
    return np.stack([values[:, list(one)].prod(axis=1) for one in some], axis=1)


def _nearest_neighbours(points: Any) -> Any:
    """Per point, indices of the nearest, mostly its own among them: shape (points, neighbours)."""
    apart = ((points[:, None, :] - points[None, :, :]) ** 2).sum(axis=2)
    number = min(_NEIGHBOURS, len(points) // 10) + 1
    return np.argpartition(apart, number - 1, axis=1)[:, :number]


def _sample_places(records: int) -> Any:
    """The places of at most `_FITTED` of so many records, ascending, drawn with a fixed seed."""
    if records <= _FITTED:
        return np.arange(records)
    return np.sort(np.random.default_rng(0).choice(records, _FITTED, replace=False))


def _mean_ranks(codes: Codes) -> Floats:
    """Per record, the mean rank of its value among all values, from 0 to 1."""
    counts = np.bincount(codes)
    middle = np.cumsum(counts) - (counts + 1) / 2
    return middle[codes] / max(1, len(codes) - 1)


def _predict_heights(points: Any, heights: Floats, near: Any) -> Any:
    """The height at each point, 0..1, of a least-squares plane through its other neighbours.

    `points` has a line per point, `heights` the known height of each, `near` its neighbours.
    """
    others = near != np.arange(len(near))[:, None]
    away = points[near] - points[:, None, :]
    planes = np.concatenate([np.ones((*near.shape, 1)), away], axis=2) * others[:, :, None]
    ridge = np.diag([1e-9, *[1e-7] * points.shape[1]])
    squares = planes.transpose(0, 2, 1) @ planes + ridge
    sums = planes.transpose(0, 2, 1) @ heights[near][:, :, None]
    return np.clip(np.linalg.solve(squares, sums)[:, 0, 0], 0.0, 1.0)
