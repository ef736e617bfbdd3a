"""Several sets of columns that somebody may link by: what fails in them, and what is suppressed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from incrowd.arrays import Flags, Floats
from incrowd.partition.classes import classes_of
from incrowd.problem import Problem
from incrowd.recoding import Levels
from incrowd.search.lattice.full_domain import (
    allowed_levels,
    levels_recoding,
    node_classes,
    satisfied_classes,
)


@dataclass(frozen=True, eq=False)
class View:
    """The columns that somebody may link by: those of one set, or all of them."""

    problem: Problem
    """The problem with all columns."""
    columns: tuple[int, ...]
    """The places of the columns that are looked at."""
    weights: Floats
    """How much the number of distinct values of each of them counts."""

    @cached_property
    def alone(self) -> Problem:
        """The problem of these columns alone."""
        chosen, tally = list(self.columns), self.problem.tally
        return replace(
            self.problem,
            tally=replace(tally, quasi=np.ascontiguousarray(tally.quasi[chosen])),
            columns=tuple(self.problem.columns[j] for j in chosen),
        )

    @cached_property
    def _tops(self) -> tuple[int, ...]:
        return tuple(allowed_levels(column)[-1] for column in self.alone.columns)

    def satisfied(self, levels: Sequence[int], among: Flags) -> Flags:
        """Which rows of the tally stand in classes that satisfy the models.

        Only the rows flagged in `among` are released; no other row is flagged in the answer.
        """
        rows = np.flatnonzero(among).astype(np.int32)
        alone, here = self.alone, [levels[j] for j in self.columns]
        if len(rows) < len(among):
            alone = replace(alone, tally=alone.tally.take(rows))
        class_of, number = node_classes(alone, here)
        classes = classes_of(alone.tally, class_of, number, alone.sensitive)
        fine: Flags = np.zeros(len(among), dtype=np.bool_)
        fine[rows] = satisfied_classes(alone, here, class_of, classes)[class_of]
        return fine

    def next_column(self, levels: Sequence[int]) -> int | None:
        """The column with the most distinct values by weight, of those that can go up.

        Of equal ones that with the most distinct values, then the first; None if none can go up.
        """
        found: list[tuple[float, int, int]] = []
        for j, top, weight in zip(self.columns, self._tops, self.weights.tolist(), strict=True):
            if levels[j] < top:
                nodes = self.problem.columns[j].hierarchy.maps[levels[j]]
                distinct = len(np.unique(nodes[self.problem.tally.quasi[j]]))
                found.append((weight * distinct, distinct, -j))
        return -max(found)[2] if found else None


@dataclass(frozen=True, eq=False)
class Views:
    """All sets of columns that must satisfy the models."""

    problem: Problem
    each: tuple[View, ...]
    """In the order in which they are looked at."""
    union: View
    """All columns of all of them."""
    k: int

    def due(self, levels: Sequence[int]) -> View | None:
        """The first view in which too many records fail although a column of it can go up.

        Too many are more than k (Sweeney Figure 8, step 2), or more than may be left out.
        """
        everybody: Flags = np.ones(self.problem.tally.rows, dtype=np.bool_)
        most = min(self.k, self.problem.suppressible)
        for view in self.each:
            failing = self._left_out(view.satisfied(levels, everybody))
            if failing > most and view.next_column(levels) is not None:
                return view
        return None

    def suppressed(self, levels: Sequence[int]) -> Levels | None:
        """Steps 3 and 4: what fails is left out, and if that is fewer than k, the smallest classes.

        None if more than may be left out would be, or everything.
        """
        kept = self._settled(levels, np.ones(self.problem.tally.rows, dtype=np.bool_))
        if 0 < self._left_out(kept) < self.k:
            kept = self._completed(levels, kept)
        if not kept.any() or self._left_out(kept) > self.problem.suppressible:
            return None
        class_of, number = node_classes(self.problem, levels)
        shown: Flags = np.zeros(number, dtype=np.bool_)
        shown[class_of[kept]] = True
        return levels_recoding(self.problem, levels, class_of, shown)

    def _settled(self, levels: Sequence[int], kept: Flags) -> Flags:
        """What stays: leaving out what fails in one view takes from the classes of the others."""
        while True:
            before = kept
            for view in self.each:
                kept = view.satisfied(levels, kept)
            if len(self.each) == 1 or (kept == before).all():
                return kept

    def _completed(self, levels: Sequence[int], kept: Flags) -> Flags:
        """Step 4: whole classes of all columns, the smallest first, until k records are out."""
        here = [levels[j] for j in self.union.columns]
        class_of, number = node_classes(self.union.alone, here)
        sizes = np.bincount(class_of, self.problem.tally.counts, minlength=number)
        for smallest in np.argsort(sizes, kind="stable"):
            if self._left_out(kept) >= self.k:
                break
            if kept[class_of == smallest].any():
                kept = self._settled(levels, kept & (class_of != smallest))
        return kept

    def _left_out(self, kept: Flags) -> int:
        return int(self.problem.tally.counts[~kept].sum())
