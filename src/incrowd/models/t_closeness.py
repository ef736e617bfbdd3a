"""t-closeness: what a class holds differs little from what the whole release holds."""

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from incrowd.arrays import Codes, Counts, Flags, Floats
from incrowd.errors import PolicyError
from incrowd.kernels import diversity, rules
from incrowd.models.model import (
    TOLERANCE,
    ClassRule,
    Model,
    Requirement,
    histogram_of,
    round_up_percent,
    snap_to_threshold,
)
from incrowd.partition.classes import Classes, Histogram, SensitiveColumn
from incrowd.values import STRICT, dataclass

Distance = Literal["equal", "ordered", "hierarchical"]


@dataclass(frozen=True, config=STRICT)
class TCloseness(Model):
    """The values of a sensitive column are spread in every class as in the whole release, up to t.

    The distance of the two is the earth mover's (Li Section 4), 0..1, where to move from one
    value to another costs: `equal`: always 1; `ordered`: the steps between them over the steps
    between the first and last value of it; `hierarchical`: the level at which they meet
    over the height of the column's hierarchy.

    A missing value is a value like any other, at distance 1 from all others. With `ordered` the
    missing are moved in the proportions of the whole, so that the distance, where shares of
    missing values differ, is never below the earth mover's and at most 1. It is not absorbing: a
    class that is far from the table can pull one that is near away from it.

    >>> TCloseness("diagnosis", 0.2).distance
    'equal'
    """

    column: str
    t: Annotated[float, Field(ge=0, le=1)]
    distance: Distance = "equal"
    name: Literal["t-closeness"] = field(default="t-closeness", kw_only=True)
    definition: ClassVar[str] = (
        "the sensitive values of a class are spread as in the whole release, up to t"
    )
    higher_is_safer: ClassVar[bool] = False
    """The nearer to the whole release, the less a class tells."""
    monotone: ClassVar[bool] = True
    """Distances are convex: a union is no farther than the farther of its parts."""
    requires: ClassVar[frozenset[Requirement]] = frozenset({"reference"})
    """It compares each class with all records of the release."""
    promise: ClassVar[str] = (
        "{column} is distributed in each class as in the whole release, within {achieved}"
    )
    usual: ClassVar[Mapping[str, float]] = {"t": 0.3}

    @property
    def columns(self) -> tuple[str, ...]:
        """The one sensitive column, whose values are compared."""
        return (self.column,)

    @property
    def meaning(self) -> str:
        """How far the mix of values in a class may be from that of the release."""
        near = f"Every class shows nearly the same mix of {self.column} as the whole release"
        if self.distance == "equal":
            most = round_up_percent(self.t)
            return f"{near}: equal if at most {most} of its people held another value."
        return f"{near}: the distance of the two is at most {self.t:g}."

    @property
    def threshold(self) -> float:
        """The largest distance t."""
        return float(self.t)

    @property
    def variant(self) -> tuple[object, ...]:
        """The distance, as a tuple of one."""
        return (self.distance,)

    @property
    def measure(self) -> str:
        """The name of the distance."""
        return f"{self.distance} distance"

    @property
    def trivial(self) -> bool:
        """Whether t is so large that any spread is enough."""
        return self.t >= 1

    @property
    def measures_distances(self) -> bool:
        """Whether some values are nearer to each other than others."""
        return self.distance != "equal"

    @property
    def needs_hierarchy(self) -> bool:
        """Whether the distance is counted in levels."""
        return self.distance == "hierarchical"

    def assumptions(self) -> tuple[str, ...]:
        """A sentence on what the distance is measured from."""
        said = f"t-closeness of {self.column} is measured against all records of the release"
        return (f"{said}; those who were left out are not among them.",)

    def make_stricter(self, by: float) -> "TCloseness":
        """The model with a t that is smaller by so much, 0 at least."""
        return replace(self, t=max(self.t - by, 0.0))

    def satisfied_by(self, classes: Classes) -> Flags:
        """Which classes are t-close, give or take 1e-9 for rounding."""
        return self.achieved_per_class(classes) <= self.t + TOLERANCE

    def achieved_by(self, classes: Classes) -> float:
        """The distance of the farthest class; 0 if there is no class."""
        farthest = float(self.achieved_per_class(classes).max(initial=0.0))
        return snap_to_threshold(farthest, self.threshold)

    def possible(self, whole: Classes) -> float:
        """What the table as one class achieves: 0, as it equals what it is compared with."""
        return self.achieved_by(whole)

    def most_kept(self, classes: Classes) -> Counts:
        """An upper limit, per class, of the people who can stay so that they are t-close.

        Exact for the equal distance if nobody has several values, each of which counts. The others
        add up parts (values, levels) that may not all be at their best at once. `PolicyError`,
        unless t is 1, if the column lacks the order or the hierarchy that the distance needs.
        """
        held = histogram_of(classes, self.name, self.column)
        entries = held.start, held.code, held.count
        limit = self.t + TOLERANCE
        if limit >= 1:
            return classes.people
        if self.distance == "ordered":
            return diversity.most_kept_ordered(*entries, *_require_scale(held.column), limit)
        return diversity.most_kept_by_nodes(*entries, *self._levels(held.column), limit)

    def in_numbers(self, columns: Mapping[str, SensitiveColumn]) -> tuple[ClassRule, ...]:
        """One rule: a class is at most t from the whole table by this model's distance.

        Its `table`: for `ordered` the share of the missing, then the rank of each code, 0 first,
        then the shares up to each rank (`SensitiveColumn.scale`). Else for each of `a` levels below
        the top the node of each code, then the share of each of `b` nodes. `PolicyError` if the
        column lacks the order or the hierarchy that the distance needs.
        """
        column = columns[self.column]
        if self.distance == "ordered":
            missing, rank, upto = _require_scale(column)
            table = (missing, *rank.tolist(), *upto.tolist())
            return (ClassRule(rules.ORDERED, self.column, limit=self.t, table=table),)
        maps, shares = self._levels(column)
        levels = zip(maps.tolist(), shares.tolist(), strict=True)
        flat = tuple(number for nodes, share in levels for number in (*nodes, *share))
        shape = len(maps), shares.shape[1]
        return (ClassRule(rules.NODES, self.column, *shape, limit=self.t, table=flat),)

    def achieved_per_class(self, classes: Classes) -> Floats:
        """The distance of each class from all people that the column counts.

        `PolicyError` if the column lacks the order or the hierarchy that the distance needs.
        """
        held = histogram_of(classes, self.name, self.column)
        if self.distance == "ordered":
            return _ordered_distances(held)
        return _hierarchical_distances(held, *self._levels(held.column))

    def _levels(self, column: SensitiveColumn) -> tuple[Codes, Floats]:
        """The node of each code and the share of each node, on each level below the top.

        The equal distance is that of a tree whose only such level has every value by itself.
        `PolicyError` if the distance is `hierarchical` and the column has no hierarchy.
        """
        if self.distance == "hierarchical":
            return _require_maps(column)[:-1], column.level_shares[:-1]
        same = np.arange(len(column.whole), dtype=np.int32)
        return same[np.newaxis], column.shares[np.newaxis]


def meaningful_distances(column: SensitiveColumn) -> tuple[Distance, ...]:
    """The distances that mean something for this column."""
    ordered: tuple[Distance, ...] = ("ordered",) if column.ordered else ()
    tree: tuple[Distance, ...] = ("hierarchical",) if column.maps is not None else ()
    return ("equal", *ordered, *tree)


def _hierarchical_distances(held: Histogram, maps: Codes, shares: Floats) -> Floats:
    """The mean, over the levels below the top, of the equal distance of the nodes.

    This is Li's hierarchical distance: every step up or down a tree of height H costs 1/(2H), so
    the earth that crosses the edge above a node is |p - q| of that node.
    """
    total = np.zeros(len(held.start) - 1, dtype=np.float64)
    for nodes, share in zip(maps, shares, strict=True):
        total += diversity.node_distances(held.start, held.code, held.count, nodes, share)
    return total / max(len(maps), 1)


def _ordered_distances(held: Histogram) -> Floats:
    """The ordered distance of each class; `PolicyError` if the values have no order."""
    shares = _require_scale(held.column)
    return diversity.ordered_distances(held.start, held.code, held.count, *shares)


def _require_scale(column: SensitiveColumn) -> tuple[float, Counts, Floats]:
    """The share of the missing, and the `scale` of a column; `PolicyError` if it has no order."""
    if not column.ordered:
        raise PolicyError(
            f"the values of '{column.name}' have no order that means something",
            remedy="use distance 'equal', or declare the column a number or a date",
        )
    return float(column.shares[0]), *column.scale


def _require_maps(column: SensitiveColumn) -> Codes:
    """The `maps` of the column's hierarchy; `PolicyError` if it has none, or only a top."""
    if column.maps is None or len(column.maps) < 2:
        raise PolicyError(
            f"t-closeness with distance 'hierarchical' needs a hierarchy of '{column.name}'",
            remedy="give the column a hierarchy, or use distance 'equal'",
        )
    return column.maps
