"""All minimal generalizations of a table, and those that distort it least.

Sweeney Definitions 4 and 6 at the attribute level, for any models, any loss and with suppression.
"""

from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING

from incrowd.errors import LimitError, PolicyError
from incrowd.loss.loss import Loss
from incrowd.loss.precision import Precision
from incrowd.problem import Problem
from incrowd.search.lattice.full_domain import allowed_levels, many
from incrowd.search.literature.mingen import tagging
from incrowd.search.literature.mingen.preferred import Node
from incrowd.search.refusals import infeasible, no_levels
from incrowd.watch import Watch

if TYPE_CHECKING:
    from incrowd.search.literature.mingen.tagging import Tagged

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
    levels = [allowed_levels(column) for column in problem.columns]
    size = prod(len(allowed) for allowed in levels)
    if size > limit:
        raise PolicyError(
            f"there are {many(size)} level vectors, more than the limit of {limit:,} up to which "
            "all minimal generalizations are looked for",
            remedy='use search = "lattice", which finds the least loss without knowing them all',
        )
    infeasible(problem)
    return tagging.Tagged(problem, tuple(a[0] for a in levels), tuple(a[-1] for a in levels))


def climbed(problem: Problem, watch: Watch, limit: int) -> "Tagged":
    """The lattice with all its minimal nodes known; `LimitError` if the time is up before."""
    lattice = tagged(problem, limit)
    if not lattice.climb(watch):
        raise late(lattice)
    if not lattice.minimal:
        raise no_levels(problem)
    return lattice


def late(lattice: "Tagged") -> LimitError:
    """The error if the time is up."""
    return LimitError(
        f"the time was up after {lattice.examined:,} of {lattice.size:,} level vectors",
        remedy='give it more time, or use search = "lattice"',
    )
