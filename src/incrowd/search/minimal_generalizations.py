"""All minimal generalizations of a table, and those that distort it least.

Sweeney Definitions 4 and 6 at the attribute level, for any models, any loss and with suppression.
"""

from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from incrowd.arrays import Floats
from incrowd.errors import IncrowdError, InfeasibleError, LimitError, PolicyError
from incrowd.loss.loss import Loss
from incrowd.loss.precision import Precision
from incrowd.problem import Problem
from incrowd.recoding import QuasiColumn
from incrowd.search.full_domain import infeasible, nothing_found
from incrowd.search.preferred import Node
from incrowd.watch import Watch

if TYPE_CHECKING:
    from incrowd.search.tagging import Tagged

LARGEST = 1_000_000
"""The largest lattice that is looked at unless another limit is given."""


def minimal_generalizations(
    problem: Problem, watch: Watch, limit: int = LARGEST
) -> tuple[Node, ...]:
    """All nodes that can be released while no node below can (Sweeney Definition 4).

    A node can be released if the classes that satisfy every model hold all but as many records as
    may be left out. Nodes come with the fewest levels first. Exact for every model: a node above
    one that can be released is never minimal, whether or not it can be released itself.
    """
    return climbed(problem, watch, limit).minimal


def minimal_distortions(
    problem: Problem, watch: Watch, loss: Loss | None = None, limit: int = LARGEST
) -> tuple[Node, ...]:
    """All nodes of least loss among those that can be released (Sweeney Definition 6, Figure 5).

    The loss is Prec unless another is given. Of two nodes of equal loss, one above the other, the
    lower one counts, so without suppression and with a loss that never falls as levels rise these
    are minimal generalizations (Theorem 2). With suppression a higher node may suppress fewer
    records and lose less: then all nodes are compared, as Figure 5 does, not only minimal ones.
    """
    lattice = climbed(replace(problem, loss=loss or Precision()), watch, limit)
    if not lattice.compare(watch):
        raise late(lattice)
    return lattice.distortions


def tagged(problem: Problem, limit: int) -> "Tagged":
    """The lattice of a problem, nothing known of it yet; refused if it cannot be looked at."""
    from incrowd.search.tagging import Tagged  # noqa: PLC0415  numba loads only when it runs

    low, high = tuple(column.lowest for column in problem.columns), tops(problem)
    size = prod(max(top - low + 1, 0) for low, top in zip(low, high, strict=True))
    if size > limit:
        raise PolicyError(
            f"there are {many(size)} level vectors, more than the limit of {limit:,} up to which "
            "all minimal generalizations are looked for",
            remedy='use search = "lattice", which finds the least loss without knowing them all',
        )
    infeasible(problem)
    if not size:
        raise nothing_below(problem)
    return Tagged(problem, low, high)


def climbed(problem: Problem, watch: Watch, limit: int) -> "Tagged":
    """The lattice with all its minimal nodes known; `LimitError` if the time is up before."""
    lattice = tagged(problem, limit)
    if not lattice.climb(watch):
        raise late(lattice)
    if not lattice.minimal:
        raise nothing_below(problem)
    return lattice


def tops(problem: Problem) -> Node:
    """The highest level of each column that its limits allow."""
    return tuple(_top(column) for column in problem.columns)


def nothing_below(problem: Problem) -> IncrowdError:
    """The error if nothing can be released, which names the columns that may not go higher."""
    held = [
        repr(column.name)
        for column, top in zip(problem.columns, tops(problem), strict=True)
        if top < column.hierarchy.height
    ]
    if not held:
        return nothing_found(problem)
    return InfeasibleError(
        f"no levels within the limits of {', '.join(held)} satisfy all models while leaving out "
        f"at most {problem.suppressible:,} records",
        remedy="let these columns go higher, let more records be left out, or ask for less",
    )


def late(lattice: "Tagged") -> LimitError:
    """The error if the time is up."""
    return LimitError(
        f"the time was up after {lattice.examined:,} of {lattice.size:,} level vectors",
        remedy='give it more time, or use search = "lattice"',
    )


def many(number: int) -> str:
    """A number that people can read, however large.

    >>> many(1_200), many(10**30 + 7)
    ('1,200', 'more than 10^30')
    """
    return f"{number:,}" if number < 10**12 else f"more than 10^{len(str(number)) - 1}"


def extents(column: QuasiColumn, level: int) -> Floats:
    """How far the node of each code reaches at a level, on the scale of an ordered column."""
    place = np.concatenate([[0.0], column.hierarchy.leaves.positions])
    low, high = (ends[column.hierarchy.maps[level]] for ends in column.hierarchy.bounds[level])
    with np.errstate(invalid="ignore", over="ignore"):
        reach: Floats = place[high] - place[low]
    return reach


def _top(column: QuasiColumn) -> int:
    """The highest level allowed: `highest`, and no node of the table wider than `widest`."""
    if not column.hierarchy.ordered or not np.isfinite(column.widest):
        return column.top
    held = np.flatnonzero(column.frequency[1:]) + 1
    levels = range(column.top + 1)
    narrow = [bool((extents(column, h)[held] <= column.widest).all()) for h in levels]
    return sum(narrow) - 1
