"""Exhaustive search: every node of the lattice, one after the other."""

from collections.abc import Iterator
from dataclasses import field
from itertools import product
from math import inf, prod
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from incrowd.errors import LimitError, PolicyError
from incrowd.problem import Problem
from incrowd.recoding import Levels
from incrowd.search.lattice.frontier import NodeLog, NodeState, rank
from incrowd.search.lattice.full_domain import (
    EPSILON,
    allowed_levels,
    judge_node,
    readable_number,
    recoding_of,
)
from incrowd.search.refusals import no_levels_error, raise_if_infeasible
from incrowd.search.search import Found, Recodes, Search
from incrowd.values import STRICT, dataclass
from incrowd.watch import Watch


@dataclass(frozen=True, config=STRICT)
class Exhaustive(Search):
    """The oracle: look at all levels of all columns and take the least loss.

    Sweeney Section 3.4 at the attribute level, for any loss and any models. Of equal losses it
    takes the one with the fewest steps in all, then the first in the order of levels.

    >>> Exhaustive().limit
    200000
    """

    limit: Annotated[int, Field(ge=1)] = 200_000
    """The largest lattice that it takes on."""
    name: Literal["exhaustive"] = field(default="exhaustive", kw_only=True)
    recoding: ClassVar[Recodes] = "levels"

    def run(self, problem: Problem, watch: Watch) -> Found:
        """Look at every node; `PolicyError` if there are more than `limit`."""
        size = lattice_size(problem)
        if size > self.limit:
            raise PolicyError(
                f"the exhaustive search would examine {readable_number(size)} nodes, more than its "
                f"limit of {self.limit:,}",
                remedy=(
                    'use search = "lattice", which finds the same without examining every node'
                ),
            )
        raise_if_infeasible(problem)
        best, looked, record = _search_all(problem, watch, size)
        if best is None:
            raise _nothing_found_error(problem, whole=looked == size)
        return Found(
            best,
            self.name,
            optimal=looked == size,
            why=f"examined {looked:,} of {size:,} nodes and used the one with the lowest loss",
            facts={"nodes": size, "examined": looked},
            explored=record.as_explored(best.levels, whole=looked == size),
        )


def lattice_size(problem: Problem) -> int:
    """Return how many full-domain generalizations there are (Sweeney Equation 1)."""
    return prod(len(allowed_levels(column)) for column in problem.columns)


def nodes_in_order(problem: Problem) -> Iterator[tuple[int, ...]]:
    """Return all nodes, those with fewer steps first, then in the order of levels."""
    levels = [allowed_levels(column) for column in problem.columns]
    return iter(sorted(product(*levels), key=rank))


def _search_all(problem: Problem, watch: Watch, size: int) -> tuple[Levels | None, int, NodeLog]:
    """Return the best recoding (or None), how many nodes were judged, and their record."""
    best, least = None, inf
    record = NodeLog(tuple(column.name for column in problem.columns), size)
    for looked, levels in enumerate(nodes_in_order(problem)):
        if watch.is_over(answered=best is not None):
            return best, looked, record
        watch.tell("examining every node", looked / size)
        node = judge_node(problem, levels)
        recoding = recoding_of(problem, node)
        if recoding is None:
            record.add_other(levels, node.smallest_class, NodeState.FAILING, node.failing)
            continue
        loss = problem.loss.of(problem.outcome(recoding))
        better = best is None or loss < least - EPSILON
        record.add_releasable(levels, node.smallest_class, node.failing, loss, best=better)
        if better:
            best, least = recoding, loss
    return best, size, record


def _nothing_found_error(problem: Problem, *, whole: bool) -> Exception:
    """Return the error for a search without a solution, `whole` if it tried every node."""
    if whole:
        return no_levels_error(problem)
    return LimitError(
        "the time limit ended before the exhaustive search found a solution",
        remedy='raise the time limit, or use search = "lattice"',
    )
