"""One sweep over the classes of a region: every class tries what could make it pay less."""

import numpy as np

from incrowd.arrays import Counts, Floats
from incrowd.kernels.compile import jit
from incrowd.kernels.crowd_cut import Rule
from incrowd.kernels.crowd_hosts import near
from incrowd.kernels.crowd_moves import dissolve, move_out, share_anew, worth_dissolving
from incrowd.kernels.crowd_state import TINY, Parts, Space, State, loaded, unloaded

MOST_PIECES = 64
"""Classes of more pieces do not dissolve: it rarely pays."""


@jit
def widest(parts: Parts) -> int:
    """The most pieces of a class."""
    most = 0
    for c in range(len(parts[2]) - 1):
        most = max(most, parts[2][c + 1] - parts[2][c])
    return int(most)


@jit
def sweep(
    space: Space, parts: Parts, rule: Rule, plan: tuple[int, int], seed: int
) -> tuple[Parts, Floats]:
    """The classes of a region after one sweep, and what each kind of step saved.

    First records move to other classes, one piece after the other or a whole class, dearest classes
    first; then each class shares its records anew with classes near to it. `plan` is how many of
    them one by one, and how many two at a time.
    """
    number = len(parts[2]) - 1
    room = max(min(2 * rule[0], len(parts[0])), widest(parts)) + 1
    state = loaded(space, parts, room, number // 4 + 4)
    random = np.full(1, seed, np.int64)
    saved = np.zeros(4)
    order = np.argsort(-state[4][:number], kind="mergesort")
    for c in order:
        if state[4][c] > TINY:
            saved[0] += move_out(space, state, rule, c, random)
        few = state[4][c] > TINY and state[2][c] <= MOST_PIECES
        if few and worth_dissolving(space, state, rule, c):
            saved[1] += dissolve(space, state, rule, c, random)
    for c in order:
        if state[4][c] > TINY:
            share_near(space, state, rule, c, plan, random, saved)
    return unloaded(state), saved


@jit
def share_near(
    space: Space,
    state: State,
    rule: Rule,
    c: int,
    plan: tuple[int, int],
    random: Counts,
    saved: Floats,
) -> None:
    """Let a class share its records anew with classes near to it, and add up what that saves."""
    size = state[3]
    found = np.empty(max(plan[0], 2 * plan[1]), np.int32)
    number = near(space, state, rule[0], c, found, np.empty(len(found)))
    two, three = np.empty(2, np.int32), np.empty(3, np.int32)
    two[0] = three[0] = c
    for i in range(min(plan[0], number)):
        two[1] = found[i]
        if size[c] > 0 and size[two[1]] > 0:
            saved[2] += share_anew(space, state, rule, two, random)
    for i in range(min(plan[1], number // 2)):
        three[1], three[2] = found[2 * i], found[2 * i + 1]
        if size[c] > 0 and size[three[1]] > 0 and size[three[2]] > 0:
            saved[3] += share_anew(space, state, rule, three, random)
