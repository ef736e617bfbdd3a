"""Anatomy: classes of records with different sensitive values, wherever they lie.

X. Xiao, Y. Tao, "Anatomy: Simple and Effective Privacy Preservation" (VLDB 2006), as Ghinita
Sections 2.3 and 7.4 compare with it. Records are thrown into buckets by their value; a class is one
record of each of the l largest buckets, drawn at random, until fewer than l buckets are left; what
then remains, at most one record a bucket, joins classes that lack its value, drawn too. It is for
releases whose quasi-identifiers leave exact: it does not look at them.

Departures: models that this does not satisfy (t-closeness, a second sensitive column, fractions of
l) are seen to by joining classes. Who draws with a known seed tells in which order records were
taken, and so something of their values: a release draws from a seed that is not written down.
"""

from dataclasses import dataclass as plain
from dataclasses import field, replace
from math import inf
from typing import ClassVar, Literal

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.errors import PolicyError
from incrowd.kernels.literature import anatomy
from incrowd.problem import Problem
from incrowd.recoding import Anatomized, Pieces
from incrowd.search.left_out import search_after_leaving_out
from incrowd.search.refusals import raise_if_infeasible, raise_if_out_of_time
from incrowd.search.repair import flag_satisfying_classes, fold_pieces, repair
from incrowd.search.search import Found, Recodes, Search
from incrowd.values import STRICT, dataclass
from incrowd.watch import Watch


@dataclass(frozen=True, config=STRICT)
class Anatomy(Search):
    """Classes of records with different sensitive values, for exact quasi-identifiers (Xiao, Tao).

    A policy that asks for it shows its classes by permutation: `show = "permutation"`.

    >>> Anatomy().name
    'anatomy'
    """

    name: Literal["anatomy"] = field(default="anatomy", kw_only=True)
    recoding: ClassVar[Recodes] = "anatomy"
    draws: ClassVar[bool] = True

    def run(self, problem: Problem, watch: Watch) -> Found:
        """Throw records into buckets and draw classes from them."""
        raise_if_infeasible(problem)
        raise_if_out_of_time(watch)
        _refuse_limits(problem)
        watch.tell("drawing classes", 0.0)
        return search_after_leaving_out(problem, self._anatomize)

    def _anatomize(self, problem: Problem) -> Found:
        """Draw classes, and join those that fail a model, among the records that stay."""
        buckets = _fill_buckets(problem)
        pieces = _pieces_of(problem, buckets, _draw_classes(buckets, problem.seed))
        satisfied = bool(flag_satisfying_classes(replace(problem, world=None), pieces).all())
        if not satisfied:
            pieces = repair(_drop_limits(problem), pieces)
        number = int(pieces.class_of.max()) + 1
        joined = "" if satisfied else " and merged those that failed a model"
        why = f"drew classes from the {buckets.l} largest buckets of values{joined}"
        facts = {"classes": float(number), "l": float(buckets.l)}
        recoding = Anatomized(fold_pieces(pieces))
        return Found(recoding, self.name, why=f"{why}: {number:,}", facts=facts)


@plain(frozen=True, eq=False)
class _BucketRecords:
    """Records, or whole rows if they may not be divided, in an order that their codes give."""

    row: Codes
    value: Codes
    """The bucket of each, from 0 on."""
    number: int
    """How many buckets there are."""
    l: int
    """How many buckets a class draws from: as models ask, or fewer if a value is too common."""


def _fill_buckets(problem: Problem) -> _BucketRecords:
    """The records (or rows) with their bucket, one per value of the strictest sensitive column."""
    tally = problem.tally
    cells = np.vstack([tally.quasi, tally.sensitive])
    row: Codes = np.lexsort(cells[::-1]).astype(np.int32)
    if not tally.has_units and not problem.consistent:
        row = np.repeat(row, tally.counts[row])
    column, l = _strictest_column(problem)
    if column is None:
        return _BucketRecords(row, np.zeros(len(row), dtype=np.int32), 1, 1)
    names = [held.name for held in problem.sensitive]
    values, value = np.unique(tally.sensitive[names.index(column)][row], return_inverse=True)
    eligible = len(row) // int(np.bincount(value).max())
    return _BucketRecords(row, value.astype(np.int32), len(values), max(1, min(l, eligible)))


def _strictest_column(problem: Problem) -> tuple[str | None, int]:
    """The sensitive column whose models ask for most values, and how many a class must have.

    That is at least the largest k asked for. It is the first column if no model asks; without any
    column, None and 1.
    """
    found = [(0, column.name) for column in problem.sensitive[:1]]
    sizes = [model.smallest_class() for model in problem.models]
    for model in problem.models:
        least = 2 if "reference" in model.requires else model.distinct_values()
        found += [(least, name) for name in model.columns]
    if not found:
        return None, 1
    l, name = max(found, key=lambda one: one[0])
    return name, max(l, *sizes, 1) if sizes else max(l, 1)


def _draw_classes(buckets: _BucketRecords, seed: int) -> Codes:
    """The class of each record or row of the buckets; none is left out."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(buckets.row))
    class_of = np.empty(len(order), dtype=np.int32)
    class_of[order] = anatomy.bucketize(buckets.value[order], buckets.number, buckets.l)
    number = int(class_of.max()) + 1
    for record in np.flatnonzero(class_of < 0).tolist():
        holds = class_of[buckets.value == buckets.value[record]]
        free = np.ones(number, dtype=np.bool_)
        free[holds[holds >= 0]] = False
        class_of[record] = rng.choice(np.flatnonzero(free))
    return class_of


def _pieces_of(problem: Problem, buckets: _BucketRecords, class_of: Codes) -> Pieces:
    """The classes as pieces of the tally's rows."""
    whole = problem.tally.has_units or problem.consistent
    ones: Counts = np.ones(len(class_of), dtype=np.int64)
    count = problem.tally.counts[buckets.row] if whole else ones
    return fold_pieces(Pieces(buckets.row, count, class_of))


def _refuse_limits(problem: Problem) -> None:
    """Raise `PolicyError` if a column has a lowest level: cells stay exact."""
    lowest = [column.name for column in problem.columns if column.lowest]
    if lowest:
        raise PolicyError(
            f"the search 'anatomy' releases {lowest[0]!r} unchanged, but the policy sets a "
            "lowest level for it",
            remedy="remove lowest, or use another search",
        )


def _drop_limits(problem: Problem) -> Problem:
    """The problem without highest levels and largest widths, since cells stay exact."""
    columns = tuple(replace(column, highest=None, widest=inf) for column in problem.columns)
    return replace(problem, columns=columns)
