"""One sweep over the classes of a region: every class tries what could make it pay less."""

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.kernels.compile import jit
from incrowd.kernels.crowd_cut import Rule
from incrowd.kernels.crowd_hosts import near
from incrowd.kernels.crowd_moves import dissolve, move_out, share_anew, worth_dissolving
from incrowd.kernels.crowd_state import TINY, Space, State, loaded, unloaded

MOST_PIECES = 64
"""Larger classes do not dissolve: it rarely pays."""


@jit
def sweep(
    space: Space,
    pieces: tuple[Codes, Counts, Counts],
    changed: Codes,
    rule: Rule,
    plan: tuple[int, int, int],
    seed: int,
) -> tuple[Codes, Counts, Counts, Codes, Floats]:
    """The classes of a region after one sweep: pieces, where classes begin, which ones changed.

    `plan` is (pairs, triples, moves): how many near classes share anew with each class, and how
    many pairs of them do together. The last is what each kind of step saved.
    """
    number = len(pieces[2]) - 1
    longest = 0
    for c in range(number):
        longest = max(longest, pieces[2][c + 1] - pieces[2][c])
    room = max(2 * rule[0], longest + 1)
    state = loaded(space, pieces, room, number // 4 + 4)
    stamp = np.zeros(len(state[3]), np.int32)
    fresh = np.zeros(len(state[3]), np.int32)
    fresh[:number] = changed
    random = np.array([seed * 2654435761 + 12345], np.int64)
    saved = np.zeros(4)
    order = np.argsort(-state[4][:number])
    for c in order:
        if state[4][c] > TINY:
            saved[0] += move_out(space, state, rule, c, random, stamp)
            if state[2][c] <= MOST_PIECES and state[4][c] > TINY and plan[2] > 0:
                if worth_dissolving(space, state, rule, c):
                    saved[1] += dissolve(space, state, rule, c, random, stamp)
    for c in order:
        if state[4][c] > TINY:
            gains = share_near(space, state, rule, c, plan, random, stamp, fresh)
            saved[2] += gains[0]
            saved[3] += gains[1]
    points, counts, start, told = unloaded(state, stamp)
    return points, counts, start, told, saved


@jit
def share_near(
    space: Space,
    state: State,
    rule: Rule,
    c: int,
    plan: tuple[int, int, int],
    random: Counts,
    stamp: Codes,
    fresh: Codes,
) -> tuple[float, float]:
    """Let a class share anew with the classes near to it; what pairs and triples saved."""
    pairs, triples, _ = plan
    found = np.empty(max(pairs, 2 * triples), np.int32)
    more = np.empty(len(found))
    number = near(space, state, c, found, more)
    members = np.empty(2, np.int32)
    saved, more_saved = 0.0, 0.0
    for i in range(min(pairs, number)):
        other = found[i]
        new = fresh[c] or stamp[c] or fresh[other] or stamp[other]
        if state[3][c] > 0 and state[3][other] > 0:
            members[0], members[1] = c, other
            saved += share_anew(space, state, rule, members, random, stamp)
    three = np.empty(3, np.int32)
    for i in range(triples):
        if 2 * i + 1 >= number or state[3][c] == 0:
            break
        three[0], three[1], three[2] = c, found[2 * i], found[2 * i + 1]
        if state[3][three[1]] > 0 and state[3][three[2]] > 0:
            more_saved += share_anew(space, state, rule, three, random, stamp)
    return saved, more_saved
