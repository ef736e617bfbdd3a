"""Datafly: generalize the column with most distinct values until few outliers are left.

Sweeney Section 4.1. Figure 8 is the core algorithm: one quasi-identifier, no weights. The system
that it was taken from has several quasi-identifiers and two weights per column: the paper tells
what they mean and leaves out what they do. What they do here is said where they are declared.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass as plain
from dataclasses import field, replace
from functools import cached_property
from typing import Annotated, ClassVar, Literal, TypeAlias

import numpy as np
from pydantic import Field

from incrowd.arrays import Flags, Floats
from incrowd.errors import InfeasibleError, PolicyError, count_of
from incrowd.partition.classes import classes_of
from incrowd.problem import Problem
from incrowd.recoding import Levels
from incrowd.search.lattice.full_domain import (
    allowed_levels,
    flag_satisfied_classes,
    levels_recoding,
    node_classes,
)
from incrowd.search.refusals import raise_if_infeasible, raise_if_out_of_time
from incrowd.search.search import Found, Recodes, Search, column_places
from incrowd.values import STRICT, dataclass
from incrowd.watch import Watch

Weight: TypeAlias = Annotated[float, Field(ge=0, le=1)]
Names: TypeAlias = Annotated[tuple[str, ...], Field(min_length=1)]

_ONE_BY_ONE = (
    "datafly made each set of columns satisfy the models on its own, which does not protect "
    'all columns together: remove joint = false, or use search = "lattice"'
)


@plain(frozen=True, eq=False)
class LinkingView:
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
        """The highest level that each column of the view may show."""
        return tuple(allowed_levels(column)[-1] for column in self.alone.columns)

    def satisfied_by(self, levels: Sequence[int], among: Flags) -> Flags:
        """Which rows stand in satisfying classes if only those flagged in `among` are released."""
        rows = np.flatnonzero(among).astype(np.int32)
        alone, here = self.alone, [levels[j] for j in self.columns]
        if len(rows) < len(among):
            alone = replace(alone, tally=alone.tally.take(rows))
        class_of, number = node_classes(alone, here)
        classes = classes_of(alone.tally, class_of, number, alone.sensitive)
        fine: Flags = np.zeros(len(among), dtype=np.bool_)
        fine[rows] = flag_satisfied_classes(alone, here, class_of, classes)[class_of]
        return fine

    def next_column(self, levels: Sequence[int]) -> int | None:
        """The column with most distinct values by weight that can go up; None if none can."""
        found: list[tuple[float, int, int]] = []
        for j, top, weight in zip(self.columns, self._tops, self.weights.tolist(), strict=True):
            if levels[j] < top:
                nodes = self.problem.columns[j].hierarchy.maps[levels[j]]
                distinct = len(np.unique(nodes[self.problem.tally.quasi[j]]))
                found.append((weight * distinct, distinct, -j))
        return -max(found)[2] if found else None


@plain(frozen=True, eq=False)
class Views:
    """All sets of columns that must satisfy the models."""

    problem: Problem
    each: tuple[LinkingView, ...]
    """In the order in which they are looked at."""
    union: LinkingView
    """All columns of all of them."""
    k: int

    def next_view(self, levels: Sequence[int]) -> LinkingView | None:
        """The first view in which too many records fail and a column can go up; None if none is so.

        Too many are more than k (Sweeney Figure 8, step 2), or more than may be left out.
        """
        everybody: Flags = np.ones(self.problem.tally.rows, dtype=np.bool_)
        most = min(self.k, self.problem.suppressible)
        for view in self.each:
            failing = self._records_left_out(view.satisfied_by(levels, everybody))
            if failing > most and view.next_column(levels) is not None:
                return view
        return None

    def suppress_failing(self, levels: Sequence[int]) -> Levels | None:
        """The recoding without what fails, 0 records or k at least; None if too many, or all."""
        kept = self._settle(levels, np.ones(self.problem.tally.rows, dtype=np.bool_))
        if 0 < self._records_left_out(kept) < self.k:
            kept = self._suppress_up_to_k(levels, kept)
        if not kept.any() or self._records_left_out(kept) > self.problem.suppressible:
            return None
        class_of, number = node_classes(self.problem, levels)
        shown: Flags = np.zeros(number, dtype=np.bool_)
        shown[class_of[kept]] = True
        return levels_recoding(self.problem, levels, class_of, shown)

    def _settle(self, levels: Sequence[int], kept: Flags) -> Flags:
        """Flags of the rows of `kept` that fail in no view, judged anew as others are left out."""
        while True:
            before = kept
            for view in self.each:
                kept = view.satisfied_by(levels, kept)
            if len(self.each) == 1 or (kept == before).all():
                return kept

    def _suppress_up_to_k(self, levels: Sequence[int], kept: Flags) -> Flags:
        """Leave out whole classes of all columns, the smallest first, until k records are out."""
        here = [levels[j] for j in self.union.columns]
        class_of, number = node_classes(self.union.alone, here)
        sizes = np.bincount(class_of, self.problem.tally.counts, minlength=number)
        for smallest in np.argsort(sizes, kind="stable"):
            if self._records_left_out(kept) >= self.k:
                break
            if kept[class_of == smallest].any():
                kept = self._settle(levels, kept & (class_of != smallest))
        return kept

    def _records_left_out(self, kept: Flags) -> int:
        """The records of the rows that are not flagged."""
        return int(self.problem.tally.counts[~kept].sum())


@dataclass(frozen=True, config=STRICT)
class Datafly(Search):
    """The Datafly algorithm (Sweeney Section 4.1), for any models.

    While records in failing classes number more than k, the column with the most distinct values
    goes up one level (the first of several). What fails then is suppressed, and if that is fewer
    than k records, whole classes are suppressed with it, the smallest first, until they number k.

    With several sets of columns this is done for one after the other, and then for all columns
    together: sets that satisfy the models one by one prove nothing about the whole (Bettini
    Section 5), and it is the whole that a release is verified on.

    Where we depart: the policy's suppression limit holds, so the loop also goes on while more than
    that fail, or while completing the suppressed to k would break it; with a limit of 0 nothing is
    suppressed. k is the largest that any of the models asks for. It never takes a level back, so
    it is quick and its loss is rarely the least.

    >>> Datafly(sets=(("zip", "birth"), ("zip", "race")), preference={"zip": 0.5}).name
    'datafly'
    """

    sets: tuple[Names, ...] = ()
    """The quasi-identifiers, each a set of columns, in the order in which they are looked at. If
    nothing is said, all columns are one."""
    likelihood: Mapping[str, Weight] = field(default_factory=dict)
    """How likely a column is to be used for linking, 0..1; 1 if nothing is said. A column of 0 is
    left out of all sets; the distinct values of others count by this weight when the next column
    of a set is chosen. It has no say once all columns together are looked at."""
    preference: Mapping[str, Weight] = field(default_factory=dict)
    """How far a column may be distorted, 0..1; 1 if nothing is said. Its distinct values count by
    this weight when the next column is chosen: one of 0 goes up only if no other can."""
    joint: bool = True
    """Whether to go on until all columns together satisfy the models. Otherwise the sets do, one by
    one, and verification refuses the release if the whole does not."""
    name: Literal["datafly"] = field(default="datafly", kw_only=True)
    recoding: ClassVar[Recodes] = "levels"

    @property
    def named_columns(self) -> dict[str, tuple[str, ...]]:
        """The columns that its settings name."""
        sets = tuple(name for names in self.sets for name in names)
        weights = {"likelihood": tuple(self.likelihood), "preference": tuple(self.preference)}
        return {"sets": sets, **weights}

    def run(self, problem: Problem, watch: Watch) -> Found:
        """Go up one level at a time until few enough records fail."""
        raise_if_infeasible(problem)
        views = self._views(problem)
        allowed = [allowed_levels(column) for column in problem.columns]
        steps = sum(len(levels) - 1 for levels in allowed)
        levels = [levels[0] for levels in allowed]
        for step in range(steps + 1):
            watch.tell("generalizing the column with most distinct values", step / (steps + 1))
            raise_if_out_of_time(watch, "datafly finished")
            due = views.next_view(levels)
            if due is None and (recoding := views.suppress_failing(levels)) is not None:
                return self._result(recoding, step)
            column = (due or views.union).next_column(levels)
            if column is None:
                break
            levels[column] += 1
        raise InfeasibleError(
            "datafly reached the highest levels and found no solution that leaves out at most "
            f"{count_of(problem.suppressible, 'record')}",
            remedy=(
                'use search = "lattice", which examines all levels, or lower the thresholds '
                "of the models"
            ),
            proved=False,
        )

    def _views(self, problem: Problem) -> Views:
        """The sets of columns that must satisfy the models; `PolicyError` if a setting is wrong."""
        likely = _column_weights(problem, self.likelihood)
        liked = _column_weights(problem, self.preference)
        everything = tuple(range(len(problem.columns)))
        sets = [column_places(problem, names, self.name) for names in self.sets] or [everything]
        views = [_linking_view(problem, columns, likely, liked) for columns in sets]
        union = tuple(sorted({j for view in views for j in view.columns}))
        if self.joint:
            union = everything
            if [view.columns for view in views] != [everything]:
                views.append(LinkingView(problem, everything, liked))
        whole = LinkingView(problem, union, liked[list(union)])
        return Views(problem, tuple(views), whole, largest_k(problem))

    def _result(self, recoding: Levels, steps: int) -> Found:
        """The recoding as a result, after so many levels were raised."""
        why = f"raised levels {steps} times, each time in the column with the most distinct values"
        if self.likelihood or self.preference:
            why += " (weighted)"
        if self.sets:
            then = "then for all columns together" if self.joint else "not for all columns together"
            why += f": for {len(self.sets)} sets of columns in turn, {then}"
        caveat = "" if self.joint else _ONE_BY_ONE
        return Found(recoding, self.name, why=why, facts={"examined": steps + 1}, caveat=caveat)


def largest_k(problem: Problem) -> int:
    """The largest k that any of the models asks for; 1 if none does."""
    return max((model.smallest_class() for model in problem.models), default=1)


def _column_weights(problem: Problem, given: Mapping[str, float]) -> Floats:
    """The weight of each column, 1 if not `given`; `PolicyError` if a name is unknown."""
    weights: Floats = np.ones(len(problem.columns), dtype=np.float64)
    weights[list(column_places(problem, given, "datafly"))] = list(given.values())
    return weights


def _linking_view(
    problem: Problem, columns: tuple[int, ...], likely: Floats, liked: Floats
) -> LinkingView:
    """A set of columns without those of likelihood 0; `PolicyError` if no column has a weight."""
    for weights, what in ((likely, "likelihood"), (liked, "preference")):
        if not weights[list(columns)].any():
            raise PolicyError(
                f"the weights of datafly sum to 0: the {what} of every column of a set",
                remedy=f"give at least one column of the set a {what} above 0",
            )
    linked = tuple(j for j in columns if likely[j] > 0)
    return LinkingView(problem, linked, (likely * liked)[list(linked)])
