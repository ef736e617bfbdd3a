"""Steps by which classes pay less: records move, classes dissolve or share; all keep invariants."""

from typing import NamedTuple

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.kernels.compile import jit
from incrowd.kernels.crowd.cut import ALL, Pool, Rule, Workspace, cut_up, room_for
from incrowd.kernels.crowd.hosts import Guest, cost_without, find_edges, find_host
from incrowd.kernels.crowd.state import (
    TINY,
    Space,
    State,
    add_records,
    empty_log,
    empty_slot,
    log_new_slot,
    log_slot,
    measure_class,
    take_records,
    take_slot,
    undo_logged,
)


class Tools(NamedTuple):
    """What classes are cut with."""

    pool: Pool
    workspace: Workspace
    seed: Counts
    """(1,): the state of the random sequence."""


@jit
def pool_classes(space: Space, state: State, k: int, members: Codes, pool: Pool) -> tuple[int, int]:
    """Fill `pool` with the members' pieces, one a point; return how many, and the most once cut."""
    points = space.points
    points_in, count, pieces, size = state.point, state.records, state.pieces, state.size
    most, number = 0, 0
    for c in members:
        most += room_for(pieces[c], size[c], k)
        earlier = number
        for i in range(pieces[c]):
            place = 0
            while place < earlier and pool.point[place] != points_in[c, i]:
                place += 1
            if place < earlier:
                pool.records[place] += count[c, i]
                continue
            for j in range(points.shape[1]):
                pool.codes[number, j] = points[points_in[c, i], j]
            pool.point[number] = points_in[c, i]
            pool.records[number] = count[c, i]
            number += 1
    return number, most


@jit
def fill_slot(space: Space, state: State, c: int, pool: Pool, part: Codes) -> None:
    """Replace what slot c holds by pieces of a pool; `part` is their places in the pool."""
    for i in range(len(part)):
        state.point[c, i] = pool.point[part[i]]
        state.records[c, i] = pool.records[part[i]]
    state.pieces[c] = len(part)
    measure_class(space, state, c)


@jit
def share_anew(space: Space, state: State, rule: Rule, members: Codes, tools: Tools) -> float:
    """Cut the union of some classes anew if there is room and a saving; return that, or else 0."""
    pool, workspace, seed = tools
    room = state.point.shape[1]
    old = 0.0
    for c in members:
        old += state.cost[c]
    size = pool_classes(space, state, rule.k, members, pool)
    made, total = cut_up(space.boxes, pool, size, rule, seed, workspace, ALL)
    pieces, starts = workspace.pieces, workspace.starts
    longest = 0
    for p in range(made):
        longest = max(longest, starts[p + 1] - starts[p])
    if total >= old - TINY or longest > room or made - len(members) > state.free[0]:
        return 0.0
    for p in range(max(made, len(members))):
        if p >= made:
            empty_slot(state, members[p])
            continue
        c = members[p] if p < len(members) else take_slot(state)
        fill_slot(space, state, c, pool, pieces[starts[p] : starts[p + 1]])
    return old - total


@jit
def receive_guest(space: Space, state: State, rule: Rule, guest: Guest, host: int) -> int:
    """Let class `host` take the records of a point; return the slot where these are then.

    It is the host's, or a new one: if points are divisible, a host of one other point that has 2k
    records or more with the guest's, of which there are under k, gives some of its own to a new
    class with them. There must be room for a piece, and an empty slot.
    """
    k, divisible = rule
    pieces, size = state.pieces, state.size
    point, records = guest
    large = pieces[host] == 1 and records < k and size[host] + records >= 2 * k
    if divisible and large and state.point[host, 0] != point:
        own = k - records
        new = take_slot(state)
        add_records(space, state, new, state.point[host, 0], own)
        take_records(space, state, host, 0, own)
        host = new
    add_records(space, state, host, point, records)
    return host


@jit
def has_room(state: State, host: int) -> bool:
    """Whether a class has room for one piece more, and there is an empty slot."""
    return bool(state.pieces[host] < state.point.shape[1] and state.free[0] > 0)


@jit
def cut_if_large(space: Space, state: State, rule: Rule, c: int, tools: Tools) -> float:
    """Cut class c anew if it has several pieces and 2k records; return the saving, or else 0."""
    if state.size[c] < 2 * rule.k or state.pieces[c] < 2:
        return 0.0
    members = np.empty(1, np.int32)
    members[0] = c
    return share_anew(space, state, rule, members, tools)


@jit
def move_out(space: Space, state: State, rule: Rule, c: int, tools: Tools) -> float:
    """Move records that class c has beyond k to classes where they cost less; return the saving."""
    k, divisible = rule
    points_in, count, pieces = state.point, state.records, state.pieces
    size, cost = state.size, state.cost
    edges = np.empty((6, state.low.shape[1]), np.int64)
    find_edges(space, state, c, edges)
    saved = 0.0
    i = 0
    while i < pieces[c] and size[c] > k:
        point = points_in[c, i]
        records = min(count[c, i], size[c] - k)
        whole = records == count[c, i]
        if (not whole and not divisible) or pieces[c] == 1:
            i += 1
            continue
        left = size[c] - records
        rest = left * cost_without(space, point, edges) if whole else left * cost[c] / size[c]
        gain = cost[c] - rest
        guest = Guest(point, records)
        more, host = find_host(space, state, rule, guest, c, gain - TINY)
        if host < 0 or not has_room(state, host):
            i += 1
            continue
        take_records(space, state, c, i, records)
        host = receive_guest(space, state, rule, guest, host)
        saved += gain - more + cut_if_large(space, state, rule, host, tools)
        find_edges(space, state, c, edges)
    return saved


@jit
def dissolve_class(space: Space, state: State, rule: Rule, c: int, tools: Tools) -> float:
    """Give all records of class c to others if that costs less in all; return the saving, or 0."""
    points_in, count = state.point, state.records
    pieces, size, cost = state.pieces, state.size, state.cost
    number = pieces[c]
    old, spent = cost[c], 0.0
    guests, records = points_in[c, :number].copy(), count[c, :number].copy()
    log = empty_log(2 * number + 1, points_in.shape[1])
    log_slot(state, log, c)
    pieces[c] = size[c] = 0
    cost[c] = 0.0
    for i in range(number):
        guest = Guest(guests[i], records[i])
        more, host = find_host(space, state, rule, guest, c, old - spent - TINY)
        if host < 0 or not has_room(state, host):
            undo_logged(space, state, log)
            return 0.0
        log_slot(state, log, host)
        new = receive_guest(space, state, rule, guest, host)
        if new != host:
            log_new_slot(log, new)
        spent += more
    empty_slot(state, c)
    saved = float(old - spent)
    for n in range(1, log.pieces[0]):
        if size[log.slots[n]] > 0:
            saved += cut_if_large(space, state, rule, log.slots[n], tools)
    return saved
