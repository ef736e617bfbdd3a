"""Steps that make classes pay less: records that move, classes that dissolve or share anew.

The arrays are those of `kernels.crowd.state` and, for pools, of `kernels.crowd.cut`; every step
keeps their invariants.
"""

from typing import TypeAlias

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.kernels.compile import jit
from incrowd.kernels.crowd.cut import ALL, Pool, Rule, Workspace, cut_up, room_for
from incrowd.kernels.crowd.hosts import cost_without, edges, host_of
from incrowd.kernels.crowd.state import (
    TINY,
    Space,
    State,
    add,
    blank,
    measure,
    note,
    note_new,
    release,
    take,
    taken,
    undo,
)

Tools: TypeAlias = tuple[Pool, Workspace, Counts]
"""What classes are cut with: a pool, room to work in, and a random number."""


@jit
def pooled(space: Space, state: State, k: int, members: Codes, pool: Pool) -> tuple[int, int]:
    """Put the pieces of some classes into a pool, those of the same point together.

    How many they are, and how many they may be once some are cut in two.
    """
    points = space[0]
    held, count, pieces, size, _, _, _, _ = state
    most, number = 0, 0
    for c in members:
        most += room_for(pieces[c], size[c], k)
        earlier = number
        for i in range(pieces[c]):
            place = 0
            while place < earlier and pool[1][place] != held[c, i]:
                place += 1
            if place < earlier:
                pool[2][place] += count[c, i]
                continue
            for j in range(points.shape[1]):
                pool[0][number, j] = points[held[c, i], j]
            pool[1][number] = held[c, i]
            pool[2][number] = count[c, i]
            number += 1
    return number, most


@jit
def fill(space: Space, state: State, c: int, pool: Pool, part: Codes) -> None:
    """Let a slot hold these pieces of a pool and no others."""
    for i in range(len(part)):
        state[0][c, i] = pool[1][part[i]]
        state[1][c, i] = pool[2][part[i]]
    state[2][c] = len(part)
    measure(space, state, c)


@jit
def share_anew(space: Space, state: State, rule: Rule, members: Codes, tools: Tools) -> float:
    """Cut the union of some classes anew; what that saves, 0 if they stay as they are."""
    pool, workspace, seed = tools
    room = state[0].shape[1]
    old = 0.0
    for c in members:
        old += state[4][c]
    size = pooled(space, state, rule[0], members, pool)
    made, total = cut_up(space[1], pool, size, rule, seed, workspace, ALL)
    pieces, starts = workspace[0][6], workspace[0][7]
    longest = 0
    for p in range(made):
        longest = max(longest, starts[p + 1] - starts[p])
    if total >= old - TINY or longest > room or made - len(members) > state[7][0]:
        return 0.0
    for p in range(max(made, len(members))):
        if p >= made:
            release(state, members[p])
            continue
        c = members[p] if p < len(members) else taken(state)
        fill(space, state, c, pool, pieces[starts[p] : starts[p + 1]])
    return old - total


@jit
def receive(space: Space, state: State, rule: Rule, guest: tuple[int, int], host: int) -> int:
    """Let a host take the records of a point; the class in which they are then.

    A large class of equal records gives some of its own to a new class with the guests.
    """
    k, divisible = rule
    _, _, pieces, size, _, _, _, _ = state
    point, records = guest
    large = pieces[host] == 1 and records < k and size[host] + records >= 2 * k
    if divisible and large and state[0][host, 0] != point:
        own = k - records
        new = taken(state)
        add(space, state, new, state[0][host, 0], own)
        take(space, state, host, 0, own)
        host = new
    add(space, state, host, point, records)
    return host


@jit
def roomy(state: State, host: int) -> bool:
    """Whether a class can take one piece more, or a new one be made with it."""
    return bool(state[2][host] < state[0].shape[1] and state[7][0] > 0)


@jit
def settle(space: Space, state: State, rule: Rule, c: int, tools: Tools) -> float:
    """Cut a class that is large enough for two; what that saves."""
    if state[3][c] < 2 * rule[0] or state[2][c] < 2:
        return 0.0
    members = np.empty(1, np.int32)
    members[0] = c
    return share_anew(space, state, rule, members, tools)


@jit
def move_out(space: Space, state: State, rule: Rule, c: int, tools: Tools) -> float:
    """Move records of a class that has more than k of them to where they cost less; the saving."""
    k, divisible = rule
    held, count, pieces, size, cost, low, _, _ = state
    found = np.empty((6, low.shape[1]), np.int64)
    edges(space, state, c, found)
    saved = 0.0
    i = 0
    while i < pieces[c] and size[c] > k:
        point = held[c, i]
        records = min(count[c, i], size[c] - k)
        whole = records == count[c, i]
        if (not whole and not divisible) or pieces[c] == 1:
            i += 1
            continue
        left = size[c] - records
        rest = left * cost_without(space, point, found) if whole else left * cost[c] / size[c]
        gain = cost[c] - rest
        more, host = host_of(space, state, rule, (point, records), c, gain - TINY)
        if host < 0 or not roomy(state, host):
            i += 1
            continue
        take(space, state, c, i, records)
        host = receive(space, state, rule, (point, records), host)
        saved += gain - more + settle(space, state, rule, host, tools)
        edges(space, state, c, found)
    return saved


@jit
def worth_dissolving(space: Space, state: State, rule: Rule, c: int) -> bool:
    """Whether all records of a class would pay less elsewhere, each piece looked at by itself."""
    held, count, pieces, _, cost, _, _, _ = state
    total = 0.0
    for i in range(pieces[c]):
        guest = held[c, i], count[c, i]
        more, host = host_of(space, state, rule, guest, c, cost[c] - total)
        if host < 0:
            return False
        total += more
    return bool(total < cost[c] - TINY)


@jit
def dissolve(space: Space, state: State, rule: Rule, c: int, tools: Tools) -> float:
    """Give all records of a class to others if that costs less in all; the saving."""
    held, count, pieces, size, cost, _, _, _ = state
    number = pieces[c]
    old, spent = cost[c], 0.0
    guests, records = held[c, :number].copy(), count[c, :number].copy()
    log = blank(2 * number + 1, held.shape[1])
    note(state, log, c)
    pieces[c] = size[c] = 0
    cost[c] = 0.0
    for i in range(number):
        guest = guests[i], records[i]
        more, host = host_of(space, state, rule, guest, c, old - spent - TINY)
        if host < 0 or not roomy(state, host):
            undo(space, state, log)
            return 0.0
        note(state, log, host)
        new = receive(space, state, rule, guest, host)
        if new != host:
            note_new(log, new)
        spent += more
    release(state, c)
    saved = float(old - spent)
    for n in range(1, log[3][0]):
        if size[log[0][n]] > 0:
            saved += settle(space, state, rule, log[0][n], tools)
    return saved
