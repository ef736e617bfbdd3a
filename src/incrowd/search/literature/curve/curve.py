"""Local recoding along an order of the rows: map to one dimension, divide it best (Ghinita).

Section 6.1: the rows are put in one line by a mapping, and the dynamic program of Section 3 divides
the line into classes. What it finds is the best division of that line into runs. With one
quasi-identifying column and the largest extent (IL-infinity) as the loss it is the best of all
releases; see the papers' notes for the other losses, where runs are not always best.
"""

from collections.abc import Callable
from dataclasses import field
from typing import Annotated, ClassVar, Literal, TypeAlias

import numpy as np
from pydantic import Field

from incrowd.arrays import Codes, Floats
from incrowd.errors import LimitError, counted
from incrowd.problem import Problem
from incrowd.search.left_out import leaving_out
from incrowd.search.literature.curve.partition import partition_in_order
from incrowd.search.literature.mapping.hilbert import hilbert_line
from incrowd.search.literature.mapping.idistance import idistance_line
from incrowd.search.literature.mapping.kd import kd_order
from incrowd.search.refusals import infeasible
from incrowd.search.repair import mended
from incrowd.search.search import Found, Search
from incrowd.values import STRICT, dataclass
from incrowd.watch import Watch


@dataclass(frozen=True, config=STRICT)
class Hilbert(Search):
    """Local recoding along the Hilbert curve: Ghinita's Hilb, and HilbFast with `fast`.

    Fast takes the extent on the curve as the cost of a class instead of what it shows. Every column
    has 2^bits cells; without bits, as many as the largest column needs.

    >>> Hilbert(fast=True).name
    'hilbert'
    """

    fast: bool = False
    bits: Annotated[int, Field(ge=1, le=31)] | None = None
    name: Literal["hilbert"] = field(default="hilbert", kw_only=True)
    separable: ClassVar[bool] = True
    losses: ClassVar[Literal["any", "per-cell"]] = "per-cell"

    def run(self, problem: Problem, watch: Watch) -> Found:
        """Order the rows, divide the order best, repair what fails."""
        return _along(
            problem,
            watch,
            self.name,
            lambda stay: _line(hilbert_line(stay, self.bits), fast=self.fast),
        )


@dataclass(frozen=True, config=STRICT)
class IDistance(Search):
    """Local recoding by clusters and distances: Ghinita's iDist, and iDistFast with `fast`.

    Rows stand in the order of the nearest of some `centres`, drawn from a `sample` (a share of the
    records), and of their distance from it. The draw follows the problem's seed.

    >>> IDistance(centres=64).name
    'idistance'
    """

    fast: bool = False
    centres: Annotated[int, Field(ge=1)] = 512
    sample: Annotated[float, Field(gt=0, le=1)] = 0.1
    name: Literal["idistance"] = field(default="idistance", kw_only=True)
    separable: ClassVar[bool] = True
    losses: ClassVar[Literal["any", "per-cell"]] = "per-cell"

    def run(self, problem: Problem, watch: Watch) -> Found:
        """Order the rows, divide the order best, repair what fails."""
        return _along(
            problem,
            watch,
            self.name,
            lambda stay: _line(idistance_line(stay, self.centres, self.sample), fast=self.fast),
        )


@dataclass(frozen=True, config=STRICT)
class Tree(Search):
    """Local recoding along the order of a tree of cuts.

    >>> Tree().name
    'tree'
    """

    name: Literal["tree"] = field(default="tree", kw_only=True)
    separable: ClassVar[bool] = True
    losses: ClassVar[Literal["any", "per-cell"]] = "per-cell"

    def run(self, problem: Problem, watch: Watch) -> Found:
        """Order the rows, divide the order best, repair what fails."""
        return _along(problem, watch, self.name, lambda stay: (kd_order(stay), None))


Line: TypeAlias = tuple[Codes, Floats | None]
"""The rows in their order, and their ascending keys if classes are judged by them."""


def _along(problem: Problem, watch: Watch, name: str, line: Callable[[Problem], Line]) -> Found:
    """The best division of a line of the rows that stay."""
    infeasible(problem)
    if watch.expired:
        raise LimitError("the time was up before the search began", remedy="give it more time")
    watch.tell("putting the rows in order", 0.0)
    return leaving_out(problem, lambda stay: divided(stay, watch, name, line(stay)))


def _line(line: tuple[Codes, Floats], *, fast: bool) -> Line:
    return line if fast else (line[0], None)


def divided(problem: Problem, watch: Watch, name: str, line: Line) -> Found:
    """The best division of a line of rows, every class satisfying every model."""
    order, keys = line
    watch.tell("dividing the order", 0.4)
    pieces = partition_in_order(problem, order, keys)
    watch.tell("repairing classes", 0.8)
    spans = mended(problem, pieces)
    number = int(spans.pieces.class_of.max()) + 1
    raw = int(pieces.class_of.max()) + 1
    why = f"divided an order of the rows into {counted(number, 'class', 'classes')}"
    optimal = keys is None and _exact(problem) and number <= raw
    return Found(spans, name, optimal=optimal, why=why, facts={"classes": float(number)})


def _exact(problem: Problem) -> bool:
    """Whether runs of the order of one column are the best of all divisions."""
    sizes_only = all(not model.columns for model in problem.models)
    return (
        len(problem.columns) == 1
        and problem.loss.worst_class
        and sizes_only
        and not problem.tally.has_units
        and not np.any(problem.suppression)
    )
