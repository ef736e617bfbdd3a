"""One round of trades between near classes; it keeps the invariants of `state` and `demands`."""

from typing import NamedTuple

import numpy as np

from incrowd.arrays import Codes, Counts, Flags, Floats
from incrowd.kernels.compile import jit
from incrowd.kernels.crowd.cut import Rule, empty_pool, empty_workspace, next_random, room_for
from incrowd.kernels.crowd.demands import Demands, empty_holdings, renumber_marks
from incrowd.kernels.crowd.hosts import find_near
from incrowd.kernels.crowd.moves import Tools
from incrowd.kernels.crowd.polish import (
    Attempt,
    Ledger,
    count_all,
    cut_union_anew,
    draw_members,
    trade_from,
)
from incrowd.kernels.crowd.shrink import Face, next_limit, shrink_class
from incrowd.kernels.crowd.state import (
    TINY,
    ClassPieces,
    Space,
    State,
    UndoLog,
    empty_log,
    load_classes,
    unload_classes,
)
from incrowd.kernels.crowd.sweep import gather_points, most_pieces

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


class Room(NamedTuple):
    """What a round works with."""

    tools: Tools
    log: UndoLog
    """What classes held before a step."""
    work: Counts
    """(1,): pieces that were looked at."""


@jit
def run_trades(
    space: Space,
    parts: ClassPieces,
    rule: Rule,
    demands: Demands,
    plan: Counts,
    slack: float,
    seed: int,
    stop: Flags,
) -> tuple[ClassPieces, Floats]:
    """Return the classes of a region after a round of trades, and seven figures.

    These are what was saved by single trades (0), by classes made narrower (1), and by unions of a
    class and m others cut anew (2 + m), then the pieces that were looked at (6). `plan[m]` is how
    often each class is cut anew with m others, drawn from those near to it. If `slack` is above 0
    cuts look at a random number of columns, and a union may end dearer by that share. Once
    `stop[0]` is set, the round ends; classes are whole then.
    """
    codes, numbers, place = gather_points(space.points, parts.point)
    here = Space(codes, space.boxes)
    number = len(parts.start) - 1
    least = max(min(2 * rule.k, len(parts.point)), most_pieces(parts)) + 2
    local = ClassPieces(place, parts.records, parts.start)
    state = load_classes(here, local, least, number // 4 + 4)
    marks = renumber_marks(demands.marks, numbers)
    ledger = Ledger(marks, empty_holdings(len(state.size), marks, demands.asks), demands.asks)
    for c in range(number):
        count_all(ledger, state, c, 1, rule.divisible)
    room = empty_room(least, codes.shape[1], seed)
    saved = np.zeros(MOST + 3)
    nearby = np.empty(NEAR, np.int32)
    for c in np.argsort(-state.cost[:number], kind="mergesort"):
        if stop[0]:
            break
        if state.cost[c] <= TINY:
            continue
        others = nearby[: find_near(here, state, rule.k, c, nearby, np.empty(NEAR))]
        saved[0] += trade_from(here, state, ledger, rule, c, others, room.work)
        for m in range(len(plan)):
            for _ in range(plan[m]):
                if not stop[0]:
                    saved[m + 2] += cut_nearby(here, state, ledger, rule, c, others, m, slack, room)
        if state.cost[c] > TINY:
            saved[1] += narrow_class(here, state, ledger, rule, c, room, stop)
    saved[MOST + 2] = room.work[0]
    ended = unload_classes(state)
    for i in range(len(ended.point)):
        ended.point[i] = numbers[ended.point[i]]
    return ended, saved


@jit
def empty_room(pieces: int, width: int, seed: int) -> Room:
    """Return room for classes of so many pieces and columns; `seed` starts the random numbers."""
    most = MOST * room_for(pieces, 2 * pieces, 1)
    random = np.full(1, seed, np.int64)
    tools = Tools(empty_pool(most, width), empty_workspace(most, width), random)
    slots = max(4 * MOST, min(_SLOTS, _LOGGED // pieces))
    return Room(tools, empty_log(slots, pieces), np.zeros(1, np.int64))


@jit
def cut_nearby(
    space: Space,
    state: State,
    ledger: Ledger,
    rule: Rule,
    c: int,
    nearby: Codes,
    others: int,
    slack: float,
    room: Room,
) -> float:
    """Cut class c anew with `others` classes drawn from `nearby` (reordered); return the saving.

    It is 0 if nothing is changed, and may be below 0 by the share `slack` of what the union paid.
    Nothing is changed if fewer classes are near, or if class c pays nothing.
    """
    if state.cost[c] <= TINY:
        return 0.0
    tools, log, work = room
    members = draw_members(state, c, nearby, others, tools.seed)
    if len(members) <= others:
        return 0.0
    width = space.points.shape[1]
    columns = 1 + next_random(tools.seed) % width if slack > 0 else width
    least = size_of_cuts(state, rule, members, len(ledger.asks.rules) > 0)
    attempt = Attempt(log, slack, work, columns)
    cuts = Rule(least, rule.divisible)
    return cut_union_anew(space, state, ledger, cuts, rule, members, tools, attempt)


@jit
def size_of_cuts(state: State, rule: Rule, members: Codes, asked: bool) -> int:
    """Return the least records of the parts that a union of classes is cut into.

    It is k, or if models ask for more than a size (`asked`), so many that there are about as many
    parts as classes, and two of a single class.
    """
    if not asked:
        return int(rule.k)
    total = 0
    for c in members:
        total += state.size[c]
    return int(max(rule.k, total // (max(len(members), 2) + 1) + 1))


@jit
def narrow_class(
    space: Space, state: State, ledger: Ledger, rule: Rule, c: int, room: Room, stop: Flags
) -> float:
    """Make class c narrower at the ends of each column where that saves; return the saving."""
    saved = 0.0
    for j in range(space.points.shape[1]):
        if stop[0]:
            break
        for upper in (True, False):
            limit = state.high[c, j] if upper else state.low[c, j]
            for _ in range(DEEP):
                inner = next_limit(space, state, c, j, limit, upper)
                if inner == limit:
                    break
                limit = inner
                face = Face(j, limit, upper)
                gain = shrink_class(space, state, ledger, rule, c, face, room.log, room.work)
                if gain > 0:
                    saved += gain
                    break
    return saved
