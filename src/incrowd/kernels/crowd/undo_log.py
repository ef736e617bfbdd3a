"""What slots held before they were touched, to give it back if a step does not pay."""

from typing import TypeAlias

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.kernels.compile import jit
from incrowd.kernels.crowd.state import Space, State, measure, release

UndoLog: TypeAlias = tuple[Codes, Codes, Counts, Counts]
"""Slots that were touched, the points and counts that they held, and how many pieces each; the
number of slots stands before these."""


@jit
def blank(slots: int, room: int) -> UndoLog:
    """A log for so many slots, with room for so many pieces in each."""
    return (
        np.empty(slots, np.int32),
        np.empty(slots * room, np.int32),
        np.empty(slots * room, np.int64),
        np.zeros(slots + 1, np.int64),
    )


@jit
def note_new(log: UndoLog, c: int) -> None:
    """Write down that a slot was empty."""
    slots, _, _, pieces = log
    slots[pieces[0]] = c
    pieces[0] += 1
    pieces[pieces[0]] = 0


@jit
def note(state: State, log: UndoLog, c: int) -> None:
    """Write down what a slot holds, the first time that it is touched."""
    slots, point, count, pieces = log
    for n in range(pieces[0]):
        if slots[n] == c:
            return
    n = pieces[0]
    slots[n] = c
    pieces[n + 1] = state[2][c]
    for i in range(state[2][c]):
        point[n * state[0].shape[1] + i] = state[0][c, i]
        count[n * state[0].shape[1] + i] = state[1][c, i]
    pieces[0] = n + 1


@jit
def undo(space: Space, state: State, log: UndoLog) -> None:
    """Give all slots of the log back what they held."""
    slots, point, count, pieces = log
    room = state[0].shape[1]
    for n in range(pieces[0] - 1, -1, -1):
        c = slots[n]
        if pieces[n + 1] == 0:
            release(state, c)
            continue
        for i in range(pieces[n + 1]):
            state[0][c, i] = point[n * room + i]
            state[1][c, i] = count[n * room + i]
        state[2][c] = pieces[n + 1]
        measure(space, state, c)
