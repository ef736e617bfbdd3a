"""A small table as items: records that need not be told apart, with how often they occur."""

from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from incrowd.arrays import SUPPRESSED, Codes, Counts
from incrowd.partition.classes import number_columns
from incrowd.problem import Problem
from incrowd.recoding import Pieces
from incrowd.recoding.recoding import first_rows
from incrowd.search.repair import fold_pieces
from incrowd.table.tally import Tally


@dataclass(frozen=True, eq=False)
class SmallTable:
    """The items that a partition of the table into classes moves around.

    An item is some copies of one record as models and hierarchies see it; where rows may not be
    cut, it is a block of whole rows, once. Items come in the order of their codes.
    """

    item_of: Codes
    """The item of each row of the tally."""
    copies: Counts
    """How many of each item there are, each of which goes to a class of its own choice."""
    weight: Counts
    """Records in one copy of each item."""
    whole: bool
    """Whether items are blocks of whole rows."""

    @classmethod
    def of(cls, problem: Problem) -> "SmallTable":
        """The items of a problem: whole rows with people of several records, or if `consistent`."""
        tally = problem.tally
        whole = tally.has_units or problem.consistent
        read = np.arange(len(tally.sensitive)) if tally.has_units else model_columns(problem)
        read = np.empty(0, dtype=np.int64) if problem.consistent else read
        item_of, number = number_columns(np.vstack([tally.quasi, tally.sensitive[read]]))
        records = np.bincount(item_of, tally.counts, minlength=number).astype(np.int64)
        one = np.ones(number, dtype=np.int64)
        return cls(item_of, one if whole else records, records if whole else one, whole)

    @cached_property
    def parts(self) -> int:
        """How many parts the table has, the empty one and itself included."""
        return prod(int(number) + 1 for number in self.copies)

    @property
    def stride(self) -> Counts:
        """How much one copy of each item adds to the number of a part (see `kernels.subsets`)."""
        radix = np.concatenate([[1], self.copies[:-1] + 1]).astype(np.int64)
        stride: Counts = np.cumprod(radix)
        return stride

    @cached_property
    def first_row(self) -> Codes:
        """A row of the tally of each item."""
        return first_rows(self.item_of)

    def pieces(self, tally: Tally, digits: Codes) -> Pieces:
        """Which records are in which class, or none: `digits[c, i]` copies of item i are in c."""
        if self.whole:
            held = digits.astype(np.bool_)
            class_of = np.where(held.any(axis=0), held.argmax(axis=0), SUPPRESSED)
            rows = np.arange(tally.rows, dtype=np.int32)
            return Pieces(rows, tally.counts, class_of[self.item_of].astype(np.int32))
        out = self.copies - digits.sum(axis=0)
        places = np.append(np.arange(len(digits)), SUPPRESSED)
        amounts = np.vstack([digits, out[None]]).astype(np.int64)
        of_records = np.repeat(np.tile(places, len(self.copies)), amounts.T.ravel())
        order = np.argsort(self.item_of, kind="stable").astype(np.int32)
        rows = np.repeat(order, tally.counts[order])
        ones = np.ones(len(rows), dtype=np.int64)
        return fold_pieces(Pieces(rows, ones, of_records.astype(np.int32)))


def model_columns(problem: Problem) -> Counts:
    """The places of the sensitive columns that the models look at."""
    names = {name for model in problem.models for name in model.columns}
    return np.flatnonzero([column.name in names for column in problem.sensitive])
