"""Looks at the table: whether a set of columns is good enough, and what tells that it is not."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from incrowd.quasi.branch import Branch, CostBranch, Splitter, Stripped
from incrowd.quasi.counting import counted
from incrowd.quasi.question import Question
from incrowd.quasi.records import Records
from incrowd.quasi.sampling import sampled_rows
from incrowd.quasi.shortfall import Budget, budget

Masks = NDArray[np.uint64]

_PAIRS = 256
_FIRST_PAIRS = 512
_SHARE = 16
"""A guess looks at one record of so many."""
_MARGIN = 1.1
"""A guessed set fails by at least this factor, so that it probably does in the table, too."""


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


class RatioJudge:
    """The columns outside failing sets; `order` is the column of each bit, the best first."""

    def __init__(self, branch: CostBranch, budget: Budget, order: Sequence[int]) -> None:
        self._branch = branch
        self._budget = budget
        self._order = order

    def first(self) -> Masks:
        """None: failing sets come from looking."""
        return np.empty((0, 2), dtype=np.uint64)

    def look(self, columns: Sequence[int]) -> Masks:
        """The columns outside a failing set that cannot grow, if this one fails."""
        left = self.outside(columns)
        return self.first() if left is None else mask_of(left, self._order)

    def outside(self, columns: Sequence[int]) -> list[int] | None:
        """The columns outside; None if the set does not fail."""
        if columns and self._branch.keeps(columns):
            return None
        grown, left = list(columns), list[int]()
        for column in self._order:
            if column not in columns:
                [(least, _)] = self._branch.costs(grown, [column], exact=False)
                (grown if least > self._budget.left else left).append(column)
        return left


class GuessJudge:
    """Guesses failing sets of the separation ratio from some records, and counts them in all.

    Where the guess is wrong, or the set seems good enough, all records are looked at as always.
    """

    def __init__(
        self, records: Records, question: Question, judge: RatioJudge, order: Sequence[int]
    ) -> None:
        self._records = records
        self._question = question
        self._judge = judge
        self._order = order
        few = sampled_rows(records, records.total // _SHARE, np.random.default_rng(0))
        ratio = 1 - (1 - question.ratio) * _MARGIN
        strict = budget(few, question.measure, ratio)
        self._guess = RatioJudge(CostBranch(Splitter(few), strict), strict, order)

    def first(self) -> Masks:
        """None: failing sets come from looking."""
        return self._judge.first()

    def look(self, columns: Sequence[int]) -> Masks:
        """The columns outside a failing set, if this one fails."""
        left = self._guess.outside(columns)
        if left is not None and not self._good([j for j in self._order if j not in left]):
            return mask_of(left, self._order)
        return self._judge.look(columns)

    def _good(self, columns: Sequence[int]) -> bool:
        ratios = counted(self._records, columns)
        return ratios.ratio(self._question.measure) >= self._question.ratio


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
    from incrowd.kernels import difference_sets  # noqa: PLC0415  numba only when it is needed

    return difference_sets
