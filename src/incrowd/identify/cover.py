"""Least sets of columns that hit given sets of columns, exactly.

Sets of columns are bits of whole numbers. For any measure that only grows with more columns, a set
reaches a ratio if and only if it hits the complement of every set that does not; so the smallest
set is found from few of those complements, each found when it is needed.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from incrowd.kernels.identify import cover
from incrowd.watch import Watch

_STEPS = 200_000


def lightest(
    sets: Sequence[int], weights: Sequence[float], watch: Watch
) -> tuple[int, float] | None:
    """The lightest set of columns that hits each of these, and its weight; None out of time.

    Equally light ones go by the search: the answer depends on nothing but the arguments.
    """
    words = np.array(minimal(sets), dtype=np.uint64)
    costs = np.array(weights, dtype=np.float64)
    found, allowed = greedy(sets, weights), _STEPS
    while not watch.expired:
        steps = np.array([allowed], dtype=np.int64)
        best, most = cover.lightest_hit(
            words, costs, np.uint64(found), weight(found, weights), steps
        )
        if steps[0] >= 0:
            return int(best), float(most)
        found, allowed = int(best), 4 * allowed
    return None


@dataclass(frozen=True)
class Hit:
    """A set of columns found by `least`."""

    columns: int
    weight: float
    """Its weight; without proof, what no set can be below."""
    proved: bool


def least(
    missed: Callable[[int], Sequence[int]], weights: Sequence[float], known: int, watch: Watch
) -> Hit:
    """The lightest set of columns for which `missed` names no set that it does not hit.

    `known` is one such set, the answer if none is lighter, or if the time is up.
    """
    sets: list[int] = []
    weight_known, low = weight(known, weights), 0.0
    while (found := lightest(sets, weights, watch)) is not None:
        low = max(low, found[1])
        if low >= weight_known - 1e-12:
            return Hit(known, weight_known, proved=True)
        new = missed(found[0])
        if not new:
            return Hit(*found, proved=True)
        sets = minimal([*sets, *new])
        watch.tell("smallest set", low / weight_known)
    return Hit(known, low, proved=False)


def greedy(sets: Sequence[int], weights: Sequence[float]) -> int:
    """A light set of columns that hits each of these: most sets per weight first."""
    chosen, left = 0, list(sets)
    while left:
        worth = [
            sum(one >> j & 1 for one in left) / cost if cost else np.inf
            for j, cost in enumerate(weights)
        ]
        chosen |= 1 << int(np.argmax(worth))
        left = [one for one in left if not one & chosen]
    return chosen


def minimal(sets: Iterable[int]) -> list[int]:
    """Those that contain no other, each once."""
    kept: list[int] = []
    for one in sorted(set(sets), key=_size):
        if not any(other & one == other for other in kept):
            kept.append(one)
    return kept


def weight(columns: int, weights: Sequence[float]) -> float:
    """What a set of columns weighs."""
    return sum(weights[j] for j in members(columns))


def members(columns: int) -> tuple[int, ...]:
    """The columns of a set, ascending."""
    return tuple(j for j in range(columns.bit_length()) if columns >> j & 1)


def bits(columns: Iterable[int]) -> int:
    """A set of columns as bits."""
    return sum(1 << j for j in set(columns))


def _size(one: int) -> tuple[int, int]:
    return one.bit_count(), one
