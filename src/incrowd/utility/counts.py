"""Counts by two and three columns, records spread over the cells of their labels."""

import numpy as np
from scipy import sparse

from incrowd.arrays import Codes, Counts, Floats
from incrowd.utility.released import CellShares

_DENSE = 2**22
"""Pairs of patterns that are counted in one array."""
_FEW = 2**17
"""Pairs of patterns that are all listed, whether records have them or not."""


def two_way_counts(one: CellShares, other: CellShares) -> Floats:
    """Count the records in each pair of cells; shape (cells, cells)."""
    return one.shares.T @ (_count_patterns(one, other) @ other.shares)


def two_way_counts_and_variances(one: CellShares, other: CellShares) -> tuple[Floats, Floats]:
    """Return (counts, variances) of records per pair of cells: a chance p adds p and p (1 - p)."""
    held = _count_patterns(one, other)
    counts: Floats = one.shares.T @ (held @ other.shares)
    square: Floats = (one.shares**2).T @ (held @ other.shares**2)
    return counts, np.maximum(counts - square, 0.0)


def one_way_counts_and_variances(column: CellShares) -> tuple[Floats, Floats]:
    """Return (counts, variances) of the records in each cell of one column."""
    held = np.bincount(column.pattern, minlength=len(column.shares))
    counts = held @ column.shares
    return counts, np.maximum(counts - held @ column.shares**2, 0.0)


def three_way_counts(one: CellShares, two: CellShares, three: CellShares) -> Floats:
    """Count the records in each triple of cells; shape (cells, cells, cells)."""
    if len(one.shares) * len(two.shares) * len(three.shares) <= _DENSE:
        return _three_way_dense(one, two, three)
    if len(one.shares) < len(two.shares):  # the larger one is summed first
        return three_way_counts(two, one, three).transpose(1, 0, 2)
    width = len(three.shares)
    keys = two.pattern.astype(np.int64) * width + three.pattern
    pairs, place = np.arange(len(two.shares) * width), keys
    if len(pairs) > _FEW:
        pairs, place = np.unique(keys, return_inverse=True)
    held = _count_matrix(place, one.pattern, (len(pairs), len(one.shares)))
    first = held @ one.shares
    second, third = np.divmod(pairs, width)
    found = np.zeros((one.cells, two.cells, width))
    for pattern in np.unique(third):
        here = third == pattern
        found[:, :, pattern] = first[here].T @ two.shares[second[here]]
    return found @ three.shares


def _three_way_dense(one: CellShares, two: CellShares, three: CellShares) -> Floats:
    """Count as `three_way_counts` does, by an array of all triples of patterns."""
    shape = len(one.shares), len(two.shares), len(three.shares)
    keys = (one.pattern.astype(np.int64) * shape[1] + two.pattern) * shape[2] + three.pattern
    held = np.bincount(keys, minlength=shape[0] * shape[1] * shape[2]).reshape(shape)
    first = np.tensordot(one.shares.T, held.astype(np.float64), 1)
    second = np.tensordot(first, two.shares, axes=(1, 0))
    return np.tensordot(second, three.shares, axes=(1, 0))


def _count_patterns(one: CellShares, other: CellShares) -> "Floats | sparse.csr_matrix":
    """Count records by pairs of patterns; as a sparse matrix if there are many pairs."""
    shape = len(one.shares), len(other.shares)
    if shape[0] * shape[1] <= _DENSE:
        keys = one.pattern.astype(np.int64) * shape[1] + other.pattern
        return np.bincount(keys, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)
    return _count_matrix(one.pattern, other.pattern, shape)


def _count_matrix(one: Codes | Counts, other: Codes, shape: tuple[int, int]) -> "sparse.csr_matrix":
    """A sparse matrix of this shape that counts each pair of entries of `one` and `other`."""
    ones = np.ones(len(one))
    return sparse.csr_matrix((ones, (one, other)), shape=shape)
