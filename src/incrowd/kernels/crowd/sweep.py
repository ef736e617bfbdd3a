"""One sweep over a region's classes: each tries to pay less. It keeps the invariants of `state`."""

import numpy as np

from incrowd.arrays import Codes, Flags, Floats
from incrowd.kernels.compile import jit
from incrowd.kernels.crowd.cut import Rule, empty_pool, empty_workspace, room_for
from incrowd.kernels.crowd.hosts import find_near
from incrowd.kernels.crowd.moves import Tools, dissolve_class, move_out, share_anew
from incrowd.kernels.crowd.shrink import Face, cost_of_moving_out
from incrowd.kernels.crowd.state import (
    TINY,
    ClassPieces,
    Space,
    State,
    load_classes,
    unload_classes,
)

MOST_PIECES = 64
"""Classes of more pieces do not dissolve: it rarely pays."""
IN_VAIN = 40
"""Once so many classes in a row did not dissolve, those that pay less than they do not try."""


@jit
def most_pieces(parts: ClassPieces) -> int:
    """Return the number of pieces of the class that has most."""
    most = 0
    for c in range(len(parts.start) - 1):
        most = max(most, parts.start[c + 1] - parts.start[c])
    return int(most)


@jit
def gather_points(points: Codes, point: Codes) -> tuple[Codes, Codes, Codes]:
    """Return codes and numbers of a region's points, each once, and each piece's index in these."""
    order = np.argsort(point, kind="mergesort")
    place = np.empty(len(point), np.int32)
    number = -1
    for i in range(len(order)):
        number += i == 0 or point[order[i]] != point[order[i - 1]]
        place[order[i]] = number
    numbers = np.empty(number + 1, np.int32)
    codes = np.empty((number + 1, points.shape[1]), np.int32)
    for i in range(len(point)):
        numbers[place[i]] = point[i]
    for i in range(len(numbers)):
        codes[i] = points[numbers[i]]
    return codes, numbers, place


@jit
def run_sweep(
    space: Space, parts: ClassPieces, rule: Rule, plan: tuple[int, int], seed: int, stop: Flags
) -> tuple[ClassPieces, Floats]:
    """Return the classes of a region after one sweep, and what each of four kinds of step saved.

    First records move to other classes, single pieces (0) or all of a class (1), dearest classes
    first; then each class shares its records anew with one class near to it (2) or two (3). `plan`
    is (with how many near classes one by one, with how many pairs of them). Once `stop[0]` is set,
    the sweep ends; classes are whole then.
    """
    codes, numbers, place = gather_points(space.points, parts.point)
    here = Space(codes, space.boxes)
    number = len(parts.start) - 1
    room = max(min(2 * rule.k, len(parts.point)), most_pieces(parts)) + 1
    local = ClassPieces(place, parts.records, parts.start)
    state = load_classes(here, local, room, number // 4 + 4)
    most = 3 * room_for(room, 2 * room, 1)
    tools = Tools(
        empty_pool(most, codes.shape[1]),
        empty_workspace(most, codes.shape[1]),
        np.full(1, seed, np.int64),
    )
    saved = np.zeros(4)
    order = np.argsort(-state.cost[:number], kind="mergesort")
    vain = 0
    for c in order:
        if stop[0]:
            break
        if state.cost[c] <= TINY:
            continue
        saved[0] += move_out(here, state, rule, c, tools)
        if state.cost[c] <= TINY or state.pieces[c] > MOST_PIECES or vain >= IN_VAIN:
            continue
        gain, cost = 0.0, state.cost[c]
        everything = Face(0, -1, True)  # all codes are beyond it
        if cost_of_moving_out(here, state, rule, c, everything, cost) < cost - TINY:
            gain = dissolve_class(here, state, rule, c, tools)
        vain = 0 if gain > 0 else vain + 1
        saved[1] += gain
    for c in order:
        if stop[0]:
            break
        if state.cost[c] > TINY:
            share_near(here, state, rule, c, plan, tools, saved)
    ended = unload_classes(state)
    for i in range(len(ended.point)):
        ended.point[i] = numbers[ended.point[i]]
    return ended, saved


@jit
def share_near(
    space: Space,
    state: State,
    rule: Rule,
    c: int,
    plan: tuple[int, int],
    tools: Tools,
    saved: Floats,
) -> None:
    """Let class c share anew with classes near it; `plan` and `saved` are as in `run_sweep`."""
    size = state.size
    nearby = np.empty(max(plan[0], 2 * plan[1]), np.int32)
    number = find_near(space, state, rule.k, c, nearby, np.empty(len(nearby)))
    two, three = np.empty(2, np.int32), np.empty(3, np.int32)
    two[0] = three[0] = c
    for i in range(min(plan[0], number)):
        two[1] = nearby[i]
        if size[c] > 0 and size[two[1]] > 0:
            saved[2] += share_anew(space, state, rule, two, tools)
    for i in range(min(plan[1], number // 2)):
        three[1], three[2] = nearby[2 * i], nearby[2 * i + 1]
        if size[c] > 0 and size[three[1]] > 0 and size[three[2]] > 0:
            saved[3] += share_anew(space, state, rule, three, tools)
