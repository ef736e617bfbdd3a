"""The coefficients of an analysis, from the original and from a release.

Predictors of a release are where their records lie on average, or the shares of their categories;
so is what they predict. For a linear model this leaves coefficients unbiased if values lie evenly
within labels (Berkson's case). Standard errors are the usual ones and take the release as exact.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Flags, Floats
from incrowd.hierarchy.labels import DAY
from incrowd.table.column import Kind
from incrowd.utility.column import OriginalColumn
from incrowd.utility.comparison import Coefficient, Regression
from incrowd.utility.formula import Formula
from incrowd.utility.pairs import Feature
from incrowd.withholding import LEAST

MOST_RECORDS = 200_000
"""Records that a regression is fitted to; drawn if there are more."""
_NORMAL = 1.959964
"""Half of a 95 % interval, in standard errors."""
_ROUNDS = 60
_CLOSE = 1e-9
_FAR = 40.0
"""A logistic coefficient beyond this, over the whole range of a column, has no finite estimate."""

_Some: TypeAlias = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class _Design:
    """What a table says for a formula: complete records only."""

    x: Floats
    """Shape (records, 1 + terms); the first column is 1."""
    y: Floats


@dataclass(frozen=True, eq=False)
class _FittedModel:
    """The estimate of each term and its standard error, infinite where records do not tell it."""

    estimate: Floats
    error: Floats

    def coefficient(self, place: int, unit: float) -> tuple[float, float] | None:
        """An estimate and its error in this unit; None if the records do not tell it."""
        if not np.isfinite(self.error[place]):
            return None
        return float(self.estimate[place]) * unit, float(self.error[place]) * unit


def task_of(column: OriginalColumn) -> str | None:
    """Say which regression predicts a column: logistic, linear or, if no regression does, None."""
    if len(column.domain) == 2:
        return "logistic"
    return "linear" if column.ordered and len(column.domain) > 2 else None


def fit_regression(
    formula: Formula,
    columns: Mapping[str, OriginalColumn],
    tables: tuple[Mapping[str, Feature], Mapping[str, Feature]],
    seed: int,
) -> Regression | None:
    """Fit the formula to both tables; None if the target or the original allows no regression."""
    target = columns[formula.target]
    task = task_of(target)
    if task is None:
        return None
    terms = [term for name in formula.terms for term in _term_names(columns[name])]
    fits, sizes = [], []
    for features in tables:
        design = _design_of(formula, columns, features, seed)
        sizes.append(len(design.y))
        fits.append(_fit_linear(design) if task == "linear" else _fit_logistic(design))
    if fits[0] is None:
        return None
    units = np.concatenate([_scale_lengths(columns[name]) for name in formula.terms])
    whole = _scale_length(target) if task == "linear" else 1.0
    return Regression(
        formula=str(formula),
        task="linear" if task == "linear" else "logistic",
        coefficients=tuple(_coefficients(terms, fits, whole / units)),
        records=(sizes[0], sizes[1]),
    )


def _coefficients(
    terms: Sequence[str], fits: Sequence[_FittedModel | None], units: Floats
) -> list[Coefficient]:
    """The coefficients that the original determines, in the units of their columns."""
    coefficients = []
    for place, (term, unit) in enumerate(zip(terms, units.tolist(), strict=True), start=1):
        before, after = (None if fit is None else fit.coefficient(place, unit) for fit in fits)
        if before is None:
            continue
        release, error = (None, None) if after is None else after
        common = None if after is None else interval_overlap(before, after)
        coefficients.append(
            Coefficient(
                term=term,
                original=before[0],
                standard_error=before[1],
                release=release,
                release_error=error,
                overlap=common,
            )
        )
    return coefficients


def interval_overlap(one: tuple[float, float], other: tuple[float, float]) -> float:
    """The overlap of two 95 % intervals, as a mean share of both (Karr et al., 2006).

    Each is (estimate, standard error). Below 0 if they are apart; 1 or 0 if one is a point.
    """
    ends = [(value - _NORMAL * error, value + _NORMAL * error) for value, error in (one, other)]
    common = min(high for _, high in ends) - max(low for low, _ in ends)
    lengths = [high - low for low, high in ends]
    if min(lengths) <= 0:
        return 1.0 if common >= 0 else 0.0
    return sum(common / length for length in lengths) / 2


# Terms


def _category_terms(column: OriginalColumn) -> tuple[list[str], list[list[int]]]:
    """Return (names, cells of each) of a column's categories beside the most frequent one.

    A category is called by its place in the order of how common they are, never by its value. Rare
    ones are put together at the end.
    """
    cells = column.coarse_cells
    held = cells.counts(column.counts.astype(np.float64))
    reference = 1 + int(np.argmax(held[1:]))
    names, groups, rare = [], [], []
    for place, cell in enumerate(1 + np.argsort(-held[1:], kind="stable"), start=1):
        codes = np.flatnonzero(cells.of == cell)
        if cell == reference:
            continue
        if held[cell] < LEAST or len(codes) != 1:
            rare.append(int(cell))
            continue
        names.append(f"{column.name} = value {place}")
        groups.append([int(cell)])
    if rare:
        names.append(f"{column.name} = other values")
        groups.append(rare)
    return names, groups


def _term_names(column: OriginalColumn) -> list[str]:
    """The names of a column's terms: its own, or one for each category beside the first."""
    return [column.name] if column.ordered else _category_terms(column)[0]


def _scale_length(column: OriginalColumn) -> float:
    """The length of a column's scale in its own unit, days for dates; 1 if that is 0."""
    low, high = column.ends
    return (high - low) / (DAY if column.domain.kind is Kind.DATE else 1.0) or 1.0


def _scale_lengths(column: OriginalColumn) -> Floats:
    """The length of the scale of each term of a column; 1 for categories."""
    return (
        np.array([_scale_length(column)]) if column.ordered else np.ones(len(_term_names(column)))
    )


def _design_of(
    formula: Formula,
    columns: Mapping[str, OriginalColumn],
    features: Mapping[str, Feature],
    seed: int,
) -> _Design:
    """The design of a formula for one table: its complete records, or a sample if they are many."""
    known = np.logical_and.reduce([features[name].known for name in formula.columns])
    some = np.flatnonzero(known)
    if len(some) > MOST_RECORDS:
        draw = np.random.default_rng([seed, 11])
        some = np.sort(draw.choice(some, MOST_RECORDS, replace=False))
    parts = [np.ones((len(some), 1))]
    parts += [_predictors(columns[name], features[name], some) for name in formula.terms]
    outcome = _outcome_values(columns[formula.target], features, some)
    return _Design(np.concatenate(parts, axis=1), outcome)


def _predictors(column: OriginalColumn, feature: Feature, some: _Some) -> Floats:
    """The terms of one column for these records; shape (records, terms)."""
    if column.ordered:
        return feature.values[some][:, None]
    _, groups = _category_terms(column)
    shares = np.zeros((len(feature.spread.shares), len(groups)))
    for place, cells in enumerate(groups):
        shares[:, place] = feature.spread.shares[:, cells].sum(axis=1)
    return shares[feature.spread.pattern[some]]


def _outcome_values(column: OriginalColumn, features: Mapping[str, Feature], some: _Some) -> Floats:
    """The outcome of these records: the number, or the share of the second of two values."""
    feature = features[column.name]
    if task_of(column) == "linear":
        return feature.values[some]
    return np.asarray(feature.spread.shares[feature.spread.pattern[some], 2])


# Fits


def _gram_inverse(x: Floats) -> tuple[Floats, Flags]:
    """Return (inverse of X'X, flags of the columns of X that the others do not determine)."""
    gram = x.T @ x
    size = np.sqrt(np.maximum(np.diag(gram), 1e-300))
    scaled = gram / np.outer(size, size)
    values, vectors = np.linalg.eigh(scaled)
    flat = values < 1e-10 * max(float(values.max()), 1e-300)
    told = ~(np.abs(vectors[:, flat]) > 1e-6).any(axis=1)
    inverse = vectors[:, ~flat] @ (vectors[:, ~flat] / values[~flat]).T
    return inverse / np.outer(size, size), told


def _fit_linear(design: _Design) -> _FittedModel | None:
    """Fit by least squares, errors infinite where records tell nothing; None if records are few."""
    records, terms = design.x.shape
    if records <= terms:
        return None
    inverse, told = _gram_inverse(design.x)
    estimate = inverse @ (design.x.T @ design.y)
    rest = design.y - design.x @ estimate
    variance = float(rest @ rest) / (records - terms)
    error = np.where(told, np.sqrt(np.maximum(np.diag(inverse), 0.0) * variance), np.inf)
    return _FittedModel(estimate, error)


def _fit_logistic(design: _Design) -> _FittedModel | None:
    """Fit by maximum likelihood with Newton's method; errors are infinite as in `_fit_linear`.

    None if it does not settle, records are few or the outcome does not vary.
    """
    records, terms = design.x.shape
    if records <= terms or not 0 < design.y.mean() < 1:
        return None
    estimate = np.zeros(terms)
    for _ in range(_ROUNDS):
        chance = 1 / (1 + np.exp(-np.clip(design.x @ estimate, -_FAR, _FAR)))
        root = np.sqrt(np.maximum(chance * (1 - chance), 1e-12))
        inverse, told = _gram_inverse(design.x * root[:, None])
        step = inverse @ (design.x.T @ (design.y - chance))
        estimate = estimate + np.clip(step, -5.0, 5.0)
        if float(np.abs(step).max()) < _CLOSE:
            far = np.abs(estimate) > _FAR / 2
            error = np.where(told & ~far, np.sqrt(np.maximum(np.diag(inverse), 0.0)), np.inf)
            return _FittedModel(estimate, error)
    return None
