"""What some buckets per column do to a table: their classes, and which of them may leave."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np

from incrowd.arrays import MISSING, Codes, Counts, Flags
from incrowd.partition.classes import Classes, classes_of, crowds, numbered
from incrowd.population.budget import budget
from incrowd.problem import Problem
from incrowd.recoding import Cuts, Pieces
from incrowd.search.lattice.full_domain import renumbered
from incrowd.search.literature.cuts.columns import ColumnCuts
from incrowd.table.roles import Missing

_LARGEST = 10**300
"""More classes than this are not counted."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """Numbers of buckets, and the recoding that they give if it may be released."""

    numbers: tuple[int, ...]
    recoding: Cuts | None
    failing: int
    """Records in classes that fail a model."""
    loss: float
    """Infinite if it may not be released."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """All numbers of buckets up to those of `most`, judged when they are asked for."""

    problem: Problem
    cuts: tuple[ColumnCuts, ...]
    most: tuple[int, ...]
    """The largest number of buckets of each column."""
    allowed: int
    """The largest product of numbers."""
    _judged: dict[tuple[int, ...], Candidate] = field(default_factory=dict, repr=False)
    _buckets: dict[tuple[int, int], Codes] = field(default_factory=dict, repr=False)

    @property
    def judged(self) -> int:
        """How many were looked at."""
        return len(self._judged)

    def halved(self, times: int) -> Candidate:
        """The best numbers for as many classes as there may be, halved so many times.

        Columns with more buckets lose theirs first; those that weigh more keep more (Section 3.1).
        """
        weights = [column.weight for column in self.problem.columns]
        return self.judge(budget(self.most, max(self.classes >> times, 1), weights))

    @property
    def classes(self) -> int:
        """How many classes there may be at most."""
        return min(prod(self.most), self.allowed, _LARGEST)

    def judge(self, numbers: tuple[int, ...]) -> Candidate:
        """What these numbers of buckets give."""
        if numbers not in self._judged:
            found = [self._cut(j, number) for j, number in enumerate(numbers)]
            self._judged[numbers] = _judge(self.problem, numbers, found)
        return self._judged[numbers]

    def _cut(self, j: int, number: int) -> Codes:
        if (j, number) not in self._buckets:
            self._buckets[j, number] = self.cuts[j].buckets(number)
        return self._buckets[j, number]


def records_of(problem: Problem, j: int) -> Counts:
    """Records per code of a column."""
    size = len(problem.columns[j].hierarchy.leaves) + 1
    counts = np.bincount(problem.tally.quasi[j], problem.tally.counts, minlength=size)
    return counts.astype(np.int64)


def _judge(problem: Problem, numbers: tuple[int, ...], buckets: Sequence[Codes]) -> Candidate:
    quasi = problem.tally.quasi
    shown = np.array([of[codes] for of, codes in zip(buckets, quasi, strict=True)], dtype=np.int32)
    class_of, number = numbered(shown)
    classes = classes_of(problem.tally, class_of, number, problem.sensitive)
    kept = _kept(problem, shown, class_of, classes)
    failing = int(classes.records[~kept].sum())
    if not kept.any() or failing > problem.suppressible:
        return Candidate(numbers, None, failing, float("inf"))
    rows = np.arange(problem.tally.rows, dtype=np.int32)
    pieces = Pieces(rows, problem.tally.counts, renumbered(kept)[class_of])
    recoding = Cuts(tuple(buckets), pieces)
    return Candidate(numbers, recoding, failing, problem.loss.of(problem.outcome(recoding)))


def _kept(problem: Problem, shown: Codes, class_of: Codes, classes: Classes) -> Flags:
    """Which classes may leave.

    If missing values match anything a class is judged by its crowd, all classes that stay and that
    it could be; leaving one out takes it from the crowds of others, so that is repeated.
    """
    if problem.missing is not Missing.MATCHES_ANYTHING:
        return problem.satisfied(classes)
    nodes = np.empty((len(shown), len(classes)), dtype=np.int32)
    nodes[:, class_of] = shown
    kept: Flags = np.ones(len(classes), dtype=np.bool_)
    while kept.any():
        here, rows = nodes[:, kept], renumbered(kept)[class_of]
        rest = classes_of(problem.tally, rows, here.shape[1], problem.sensitive)
        fine = problem.satisfied(crowds(here, here == MISSING, rest, problem.tally, rows))
        if fine.all():
            break
        kept[kept] = fine
    return kept
