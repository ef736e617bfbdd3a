"""One round of trades in a region: every class trades with those near to it.

The arrays are those of `kernels.crowd.state` and `kernels.crowd.asked`; a round keeps their
invariants.
"""

from typing import TypeAlias

import numpy as np

from incrowd.arrays import Codes, Counts, Flags, Floats
from incrowd.kernels.compile import jit
from incrowd.kernels.crowd.asked import Asks, Marks, marks_of, nothing_held
from incrowd.kernels.crowd.cut import Rule, empty_pool, empty_workspace, room_for, step
from incrowd.kernels.crowd.hosts import near
from incrowd.kernels.crowd.moves import Tools
from incrowd.kernels.crowd.polish import Judge, count_all, drawn, recut, trade_from
from incrowd.kernels.crowd.shrink import next_limit, shrink
from incrowd.kernels.crowd.state import (
    TINY,
    Parts,
    Space,
    State,
    UndoLog,
    blank,
    loaded,
    unloaded,
)
from incrowd.kernels.crowd.sweep import gathered, widest

NEAR = 8
"""Classes near to one among which those to trade with are drawn."""
MOST = 4
"""Classes that are cut anew together, at most."""
DEEP = 4
"""Codes from each end of a column at which a class is made narrower."""

_SLOTS = 256
"""Classes that one step changes, at most."""
_LOGGED = 2**22
"""Pieces of these that are written down, about at most."""

Room: TypeAlias = tuple[Tools, UndoLog, Counts]
"""What classes are cut with, a log of what was, and the work that was done."""


@jit
def trade(
    space: Space,
    parts: Parts,
    rule: Rule,
    asked: tuple[Marks, Asks],
    plan: Counts,
    slack: float,
    seed: int,
    stop: Flags,
) -> tuple[Parts, Floats]:
    """The classes of a region after a round of trades, what each kind saved, and the work.

    `plan[m]` is how often each class is cut anew with m others near to it, at random; with `slack`
    along random columns, and a union may end so much dearer, as a share. What is saved is told for
    single trades, for classes made narrower, and for each number of others; the work last. Once
    `stop[0]` is set, the round ends: classes are whole between any two steps.
    """
    codes, numbers, place = gathered(space[0], parts[0])
    here = codes, space[1]
    number = len(parts[2]) - 1
    least = max(min(2 * rule[0], len(parts[0])), widest(parts)) + 2
    state = loaded(here, (place, parts[1], parts[2]), least, number // 4 + 4)
    marks = marks_of(asked[0], numbers)
    judge = marks, nothing_held(len(state[3]), marks, asked[1]), asked[1]
    for c in range(number):
        count_all(judge, state, c, 1, rule[1])
    room = room_of(least, codes.shape[1], seed)
    saved = np.zeros(MOST + 3)
    ways = np.empty(NEAR, np.int32)
    for c in np.argsort(-state[4][:number], kind="mergesort"):
        if stop[0]:
            break
        if state[4][c] <= TINY:
            continue
        found = ways[: near(here, state, rule[0], c, ways, np.empty(NEAR))]
        saved[0] += trade_from(here, state, judge, rule, c, found, room[2])
        for m in range(len(plan)):
            for _ in range(plan[m]):
                if not stop[0]:
                    saved[m + 2] += cut_anew(here, state, judge, rule, c, found, m, slack, room)
        if state[4][c] > TINY:
            saved[1] += narrowed(here, state, judge, rule, c, room, stop)
    saved[MOST + 2] = room[2][0]
    point, count, start = unloaded(state)
    for i in range(len(point)):
        point[i] = numbers[point[i]]
    return (point, count, start), saved


@jit
def room_of(pieces: int, width: int, seed: int) -> Room:
    """Room for classes of so many pieces, and so many columns."""
    most = MOST * room_for(pieces, 2 * pieces, 1)
    tools = empty_pool(most, width), empty_workspace(most, width), np.full(1, seed, np.int64)
    slots = max(4 * MOST, min(_SLOTS, _LOGGED // pieces))
    return tools, blank(slots, pieces), np.zeros(1, np.int64)


@jit
def cut_anew(
    space: Space,
    state: State,
    judge: Judge,
    rule: Rule,
    c: int,
    found: Codes,
    others: int,
    slack: float,
    room: Room,
) -> float:
    """Cut a class anew together with so many of those near to it, at random; the saving."""
    if state[4][c] <= TINY:
        return 0.0
    tools, log, work = room
    members = drawn(state, c, found, others, tools[2])
    if len(members) <= others:
        return 0.0
    width = space[0].shape[1]
    enough = 1 + step(tools[2]) % width if slack > 0 else width
    cuts = size_of_cuts(state, rule, members, len(judge[2][0]) > 0), rule[1]
    extra = log, slack, work, enough
    return recut(space, state, judge, cuts, rule, members, tools, extra)


@jit
def size_of_cuts(state: State, rule: Rule, members: Codes, asked: bool) -> int:
    """The least size of what a union is cut into.

    If models ask for more than a size, there are about as many parts as there were, of about the
    same size; a single class is cut in two.
    """
    if not asked:
        return int(rule[0])
    total = 0
    for c in members:
        total += state[3][c]
    return int(max(rule[0], total // (max(len(members), 2) + 1) + 1))


@jit
def narrowed(
    space: Space, state: State, judge: Judge, rule: Rule, c: int, room: Room, stop: Flags
) -> float:
    """Make a class narrower at the ends of its columns where that saves; how much."""
    saved = 0.0
    for j in range(space[0].shape[1]):
        if stop[0]:
            break
        for upper in (True, False):
            limit = state[6][c, j] if upper else state[5][c, j]
            for _ in range(DEEP):
                inner = next_limit(space, state, c, j, limit, upper)
                if inner == limit:
                    break
                limit = inner
                gain = shrink(space, state, judge, rule, c, (j, limit, upper), room[1], room[2])
                if gain > 0:
                    saved += gain
                    break
    return saved
