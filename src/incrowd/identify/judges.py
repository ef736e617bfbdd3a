"""Looks at the table: whether a set of columns is good enough, and what tells that it is not."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from incrowd.identify.branch import Branch, Stripped
from incrowd.identify.records import Records
from incrowd.kernels.identify import difference_sets

Masks = NDArray[np.uint64]

_PAIRS = 256
_FIRST_PAIRS = 128


class Judge(Protocol):
    """Looks at the table whether a set is good enough, and what any good one has if it is not."""

    def first(self) -> Masks:
        """Difference sets to begin with; there may be none."""
        ...

    def look(self, columns: Sequence[int]) -> Masks:
        """No masks if the set is good enough; otherwise difference sets without its columns."""
        ...


class KeyJudge:
    """Difference sets of pairs of rows; `order` is the column of each bit."""

    def __init__(self, records: Records, branch: Branch, order: Sequence[int]) -> None:
        self._codes = records.codes
        self._branch = branch
        self._order = np.array(order, dtype=np.int32)

    def first(self) -> Masks:
        """From pairs that agree in one column, for each column."""
        found = [self._sampled(self._branch.classes([j]), _FIRST_PAIRS) for j in self._order]
        return minimal_masks(np.concatenate(found)) if found else np.empty((0, 2), dtype=np.uint64)

    def look(self, columns: Sequence[int]) -> Masks:
        """From pairs that agree in all columns of the set."""
        return minimal_masks(self._sampled(self._branch.classes(columns), _PAIRS))

    def _sampled(self, classes: Stripped, most: int) -> Masks:
        """From the first two rows of classes spread over all of them."""
        number = min(most, classes.number)
        start = classes.starts[np.arange(number) * classes.number // max(number, 1)]
        masks = np.empty((number, 2), dtype=np.uint64)
        left, right = classes.rows[start], classes.rows[start + 1]
        _masks().differences(left, right, self._codes, self._order, masks)
        return masks


def mask_of(columns: Sequence[int], order: Sequence[int]) -> Masks:
    """A set of columns as one mask."""
    bits = sum(1 << order.index(column) for column in columns)
    return np.array([[bits & (2**64 - 1), bits >> 64]], dtype=np.uint64)


def minimal_masks(masks: Masks) -> Masks:
    """The masks that contain no other one."""
    size = np.bitwise_count(masks).sum(axis=1, dtype=np.int64)
    ordered = np.ascontiguousarray(masks[np.lexsort((masks[:, 0], masks[:, 1], size))])
    return ordered[: _masks().keep_minimal(ordered)]


def _masks() -> Any:

    return difference_sets
