"""Points of the plane of risk and loss, each with the best release that is known for it.

A release for a larger k with fewer records left out also satisfies every smaller k and every wider
limit. So a point never loses more than a stricter one of the same search: if its own search found
something dearer, the stricter release is shown in its place, and using the point uses that.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from incrowd.web.facts import TriedRelease, WhatIf


def with_longer_answers(
    points: Iterable[TriedRelease], longer: Mapping[str, WhatIf]
) -> list[TriedRelease]:
    """The points, each with the answer that `longer` has for its policy (TOML), if it has one."""
    return [replace(one, answer=longer.get(one.policy, one.answer)) for one in points]


def with_best_releases(points: Sequence[TriedRelease]) -> list[TriedRelease]:
    """The points, each with the release of least loss among those that satisfy its policy."""
    return [_best_of_point(point, points) for point in points]


def _best_of_point(point: TriedRelease, points: Sequence[TriedRelease]) -> TriedRelease:
    """The point with the release of least loss that satisfies its policy, its own or another's."""
    fitting = [one for one in points if _satisfies(one, point)]
    best = min(fitting, key=_loss, default=point)
    if best is point or _loss(best) >= _loss(point):
        return point
    return replace(
        point, answer=best.answer, policy=best.policy, like=best.name, why="", impossible=False
    )


def _satisfies(one: TriedRelease, other: TriedRelease) -> bool:
    """Whether the release of one point also satisfies the policy of another of the same search."""
    return (
        one.answer is not None
        and one.answer.allowed
        and one.search == other.search
        and one.k >= other.k
        and one.suppression <= other.suppression
    )


def _loss(point: TriedRelease) -> float:
    """The loss of a point's release; infinite if none is known."""
    return float("inf") if point.answer is None else point.answer.loss
