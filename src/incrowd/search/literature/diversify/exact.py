"""Best divisions of one column, by l-diversity or by extent (Ghinita Sections 4.2, 5.1 and 5.2).

One question answers all: is there a division whose classes cost at most E each, are l-diverse and
have k records? The least E with a yes is the best direct solution for the largest extent, and the
largest l with a yes the best solution of the dual problem. Both are found by halving.

Why classes may be taken in order. Take any division, and let each class keep the window from its
first place to the last one that does not cost more than E. Windows that begin later end later, so
records of one value can change places until every domain is taken in the order of the windows, and
no class costs more than E. If a window then begins with nobody, it can begin later; repeat. This
needs only that the cost of a class does not fall when it gets wider, so it holds for hierarchies
as for numbers. The paper's program minimizes the loss instead and claims the average extent too;
exhaustive search says otherwise, so we claim the largest extent alone.

A *domain* is the records of one sensitive value. A *place* is the number of a code among those of
the table. *Extent* and cost of a class are the same here.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import log10, prod

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.errors import LimitError, PolicyError
from incrowd.kernels import repair
from incrowd.kernels.literature import diversify_exact
from incrowd.partition.csr import offsets
from incrowd.problem import Problem
from incrowd.search.layout import boxes_of

_STEPS = 2**24
"""Classes that are looked at before the search gives up."""
_STATES = 2**62
_PLACES = 2048
"""Different values of the column beyond which not all extents are written down."""


@dataclass(frozen=True, eq=False)
class OneColumn:
    """The records of a table with one quasi-identifying column, in the order of their codes."""

    row: Codes
    """The row of the tally of each record, domain by domain, in each in the order of codes."""
    place: Counts
    """The number of each record's code among those of the table."""
    start: Counts
    """Where each domain starts, and where the last one ends."""
    costs: Floats
    """What a class costs that spans the codes of two places: shape (places, places)."""

    @property
    def sizes(self) -> Counts:
        """Records of each domain."""
        return np.diff(self.start)

    @cached_property
    def extents(self) -> Floats:
        """All that a class can cost, ascending."""
        first, last = np.triu_indices(len(self.costs))
        return np.unique(self.costs[first, last])

    def reach(self, most: float) -> Counts:
        """The last place a class can reach from each place at this cost; the one before if none."""
        fits = self.costs <= most
        fits[np.tril_indices(len(fits), -1)] = True
        beyond = np.where(fits.all(axis=1), len(fits), np.argmin(fits, axis=1))
        last: Counts = beyond.astype(np.int64) - 1
        return last

    def steps_as_power(self, most: float) -> float:
        """How many classes there are to look at, at worst, as an exponent of ten (Lemma 8)."""
        reach = self.reach(most)
        worst = 0.0
        for begin in range(len(reach)):
            inside = (self.place >= begin) & (self.place <= reach[begin])
            held = np.add.reduceat(inside, self.start[:-1])
            worst = max(worst, float(np.log10((held + 1) * (held + 2) / 2).sum()))
        return worst + log10(len(self.place))


def refuse_several_columns(problem: Problem) -> None:
    """Raise `PolicyError` unless there is one quasi-identifying column, and rows may be divided."""
    if len(problem.columns) != 1 or problem.tally.has_units or problem.consistent:
        raise PolicyError(
            "'optimal' needs one quasi-identifying column, one record per person and no limits "
            "on what cells show",
            remedy="remove 'optimal', or use one quasi-identifying column",
        )


def column_of(problem: Problem, sensitive: int) -> OneColumn:
    """The only quasi-identifying column of a problem, with the domains of a sensitive column.

    `PolicyError` as of `refuse_several_columns`, `LimitError` if it has too many different values.
    """
    refuse_several_columns(problem)
    tally = problem.tally
    row = np.repeat(np.arange(tally.rows, dtype=np.int32), tally.counts)
    code, value = tally.quasi[0][row], tally.sensitive[sensitive][row]
    order = np.lexsort((code, value))
    held, place = np.unique(code, return_inverse=True)
    if len(held) > _PLACES:
        raise _too_large_error(
            f"the column has {len(held):,} different values, more than the limit of {_PLACES:,}"
        )
    ends = np.stack(np.meshgrid(held, held, indexing="ij")).reshape(2, -1, 1)
    low, high = ends.min(axis=0).astype(np.int32), ends.max(axis=0).astype(np.int32)
    costs = repair.box_costs(boxes_of(problem), low, high).reshape(len(held), len(held))
    _, sizes = np.unique(value, return_counts=True)
    start = offsets(sizes)
    return OneColumn(row[order], place[order].astype(np.int64), start, costs)


def find_division(column: OneColumn, most: float, l: Fraction, k: int = 1) -> Codes | None:
    """The class of each record, l-diverse, of k records or more, at a cost of `most` or less.

    None if there are no such classes, `LimitError` if they are too much work to find.
    """
    if any(size * l > len(column.place) for size in column.sizes.tolist()):
        return None
    reach = column.reach(most)
    if (reach < np.arange(len(reach))).any():
        return None
    if prod((column.sizes + 1).tolist()) >= _STATES:
        raise _too_large_error(_explain(column, most))
    strides = np.concatenate([[1], np.cumprod(column.sizes + 1)[:-1]]).astype(np.int64)
    # no value twice in a class: such a class could be divided (Corollary 1)
    singular = l.denominator == 1 and k <= l
    limits = [1 if singular else len(column.place), _STEPS]
    rule = np.array([l.numerator, l.denominator, k, *limits], dtype=np.int64)
    verdict, held = diversify_exact.find_division(
        (column.place, column.start, reach), strides, rule
    )
    if verdict < 0:
        raise _too_large_error(_explain(column, most))
    return _class_of_records(held) if verdict else None


def _class_of_records(held: Counts) -> Codes:
    """The class of each record if classes hold so many of each domain: (classes, domains)."""
    numbers = np.tile(np.arange(len(held), dtype=np.int32), held.shape[1])
    return np.repeat(numbers, held.T.ravel())


def least_extent(column: OneColumn, l: Fraction, k: int = 1) -> tuple[float, Codes] | None:
    """The least bound E within which l-diverse classes of k records exist, and classes within it.

    Classes are given by record; None if even the table as one class is not so (Section 4.2),
    `LimitError` if it is too much work. Found by halving over E, the dual problem (Section 5.2).
    """
    extents = column.extents
    low, high = 0, len(extents) - 1
    best = find_division(column, float(extents[high]), l, k)
    if best is None:
        return None
    while low < high:
        middle = (low + high) // 2
        found = find_division(column, float(extents[middle]), l, k)
        if found is None:
            low = middle + 1
        else:
            high, best = middle, found
    return float(extents[high]), best


def most_private_division(
    column: OneColumn, most: float, k: int = 1
) -> tuple[Fraction, Codes] | None:
    """The largest l of classes of at most this cost, and the class of each record (Section 5.1).

    None if there are no classes of at most this cost with k records; `LimitError` if it is too much
    work. Two different fractions with denominators up to n are at least 1/n² apart, so halving ends
    with the best one.
    """
    best = find_division(column, most, Fraction(1), k)
    if best is None:
        return None
    largest = int(column.sizes.max())
    low = privacy_of(column, best)
    high = Fraction(len(column.place), largest) + Fraction(1, largest**2)
    while high - low >= Fraction(1, largest**2):
        middle = (low + high) / 2
        found = find_division(column, most, middle, k)
        if found is None:
            high = middle
        else:
            best, low = found, privacy_of(column, found)
    return low, best


def privacy_of(column: OneColumn, class_of: Codes) -> Fraction:
    """The least over all classes of records over those of their commonest value (Equation 6)."""
    domain = np.repeat(np.arange(len(column.sizes)), column.sizes)
    held = np.zeros((int(class_of.max()) + 1, len(column.sizes)), dtype=np.int64)
    np.add.at(held, (class_of, domain), 1)
    pairs = zip(held.sum(axis=1).tolist(), held.max(axis=1).tolist(), strict=True)
    return min(Fraction(size, largest) for size, largest in pairs)


def _explain(column: OneColumn, most: float) -> str:
    """How much work the division would be, in words for an error."""
    steps = column.steps_as_power(most)
    return (
        f"{len(column.place):,} records with {len(column.sizes):,} sensitive values give up to "
        f"10^{steps:.0f} classes to examine, more than the limit of {_STEPS:,}"
    )


def _too_large_error(what: str) -> LimitError:
    """The error that the division is too much work, for this reason."""
    return LimitError(
        f"the optimal division takes too long to find: {what}",
        remedy="remove 'optimal', or give a smaller table",
    )
