"""The frontier: how much privacy there is for every largest loss of a class (Ghinita Section 5)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from incrowd.errors import InfeasibleError, LimitError, PolicyError
from incrowd.problem import Problem
from incrowd.search.literature.accuracy.accuracy import Accuracy
from incrowd.search.literature.accuracy.portfolio import Workshop
from incrowd.search_names import BOUNDS
from incrowd.showing import Shown
from incrowd.watch import SilentWatch, Watch

_SHARE = 0.25
"""How much of the time that is left one bound may take, once something is found."""


@dataclass(frozen=True)
class FrontierPoint:
    """A release that could be: its bound, what it reaches, and what it loses."""

    max_loss: float
    """The most that a class was allowed to lose."""
    k: float
    """People in the smallest class."""
    l: float | None
    """The l of the least diverse class; None without a sensitive column."""
    loss: float
    """The loss of the whole, by the policy's loss."""
    classes: int
    max_class_ncp: float
    """What the worst class does lose."""


@dataclass(frozen=True)
class Frontier(Shown):
    """How much privacy there is for every largest loss of a class.

    Each point has more privacy than the one before it, for a larger bound: between two of them the
    first is the most that was found. As a whole a point with a larger bound may lose less. Points
    are what a search found, not releases.
    """

    points: tuple[FrontierPoint, ...]
    privacy: Literal["k", "l"]
    column: str | None
    """The sensitive column that l is about."""
    loss: str
    """The name of the policy's loss."""
    bounds: tuple[float, ...]
    """The largest losses that were to be looked at, ascending."""
    unseen: tuple[float, ...]
    """Those that there was no time for."""
    out_of_reach: tuple[float, ...]
    """Those within which nothing was found that satisfies the models."""

    @property
    def complete(self) -> bool:
        """Whether there was time for all bounds."""
        return not self.unseen


def frontier(
    problem: Problem, search: Accuracy, watch: Watch, bounds: Sequence[float] = BOUNDS
) -> Frontier:
    """The most privacy for each of these bounds, without those that a smaller one reaches too.

    The largest bound comes first and then those half way between, so that whatever time there is
    the whole curve is seen. Below a bound within which nothing was found no other is tried, nor
    between two with the same privacy. What is made for one bound serves the others. Raises
    `InfeasibleError` if nothing satisfies the models at all, `LimitError` without time for one.
    """
    bounds = _sort_bounds(bounds)
    shop = search.workshop(problem)
    found: dict[int, FrontierPoint] = {}
    unseen: list[float] = []
    least = 0
    for here in _look_order(len(bounds)):
        if here < least or _is_flat_around(found, here, search.privacy):
            continue
        watch.tell(f"looking for the most {search.privacy}", len(found) / len(bounds))
        share = _SHARE if found else 1.0
        try:
            found[here] = _find_point(shop, replace(search, max_loss=bounds[here]), watch, share)
        except LimitError:
            if not found:
                raise
            unseen.append(bounds[here])
        except InfeasibleError:
            if not found:
                raise
            least = max(least, here + 1)
    names = [column.name for column in problem.sensitive]
    return Frontier(
        points=rising_points(found.values(), search.privacy),
        privacy=search.privacy,
        column=(search.column or names[0]) if names else None,
        loss=problem.loss.name,
        bounds=bounds,
        unseen=tuple(bound for bound in sorted(unseen) if bound not in bounds[:least]),
        out_of_reach=tuple(bounds[i] for i in range(least) if i not in found),
    )


def _is_flat_around(found: dict[int, FrontierPoint], here: int, privacy: Literal["k", "l"]) -> bool:
    """Whether a bound needs no look: one below is as private as the nearest above, or more so."""
    below = [_privacy_at(point, privacy) for i, point in found.items() if i < here]
    above = [i for i in found if i > here]
    return bool(below and above) and max(below) >= _privacy_at(found[min(above)], privacy)


def rising_points(
    points: Iterable[FrontierPoint], privacy: Literal["k", "l"]
) -> tuple[FrontierPoint, ...]:
    """The points by bound, without those that are no more private than one of a smaller bound."""
    kept: list[FrontierPoint] = []
    for point in sorted(points, key=lambda one: one.max_loss):
        if not kept or _privacy_at(point, privacy) > _privacy_at(kept[-1], privacy):
            kept.append(point)
    return tuple(kept)


def _privacy_at(point: FrontierPoint, privacy: Literal["k", "l"]) -> float:
    """The privacy of a point: its l if that is asked and there is one, else its k."""
    return point.k if privacy == "k" or point.l is None else point.l


def _find_point(shop: Workshop, search: Accuracy, watch: Watch, share: float) -> FrontierPoint:
    """Find a point in a share of the time left; `LimitError` or `InfeasibleError` if it cannot."""
    left = watch.remaining
    limited = SilentWatch(watch, None if left is None or share == 1 else left * share)
    found = search.run_in(shop, limited, in_passing=share < 1)
    problem = shop.problem
    outcome = problem.outcome(found.recoding)
    return FrontierPoint(
        max_loss=search.max_loss,
        k=found.facts["k"],
        l=found.facts.get("l"),
        loss=problem.loss.of(outcome),
        classes=len(outcome.classes),
        max_class_ncp=found.facts["max_class_ncp"],
    )


def _sort_bounds(bounds: Sequence[float]) -> tuple[float, ...]:
    """The bounds sorted, each once; `PolicyError` if there is none or one is not in 0 to 1."""
    if not bounds or not all(0 <= bound <= 1 for bound in bounds):
        raise PolicyError(
            "max_loss values must be between 0 and 1", remedy="give one or more of them"
        )
    return tuple(sorted({float(bound) for bound in bounds}))


def _look_order(number: int) -> Iterator[int]:
    """Yield the places below `number`: last, first, then half way between two yielded before."""
    ends = sorted({0, number - 1})
    yield from reversed(ends)
    while len(ends) < number:
        halves = [(a + b) // 2 for a, b in pairwise(ends) if b - a > 1]
        yield from halves
        ends = sorted([*ends, *halves])
