"""Rows that fit people when labels overlap: sets of rows as bits, one for every value.

Row r is bit r % 64 of word r // 64. A person fits the rows that are in the sets of all their
values.
"""

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Codes, Counts
from incrowd.kernels.compile import jit
from incrowd.kernels.identify.hitting_sets import bits as ones

Words = NDArray[np.uint64]

_ONE = np.uint64(1)
_NONE = np.uint64(0)


@jit
def cover(runs: tuple[Counts, Codes, Codes], label: Codes, rank: Codes, sets: Words) -> None:
    """Fill the sets of the rows that show a label which stands for a value, one set per value.

    `runs` are those of each label, from `low` to `high`. `rank` has, for each value, how many
    smaller ones have a set. A row enters at the first value of a run and leaves after the last.
    """
    for r in range(len(label)):
        bit = _ONE << np.uint64(r & 63)
        for i in range(runs[0][label[r]], runs[0][label[r] + 1]):
            sets[rank[runs[1][i]], r >> 6] ^= bit
            sets[rank[runs[2][i] + 1], r >> 6] ^= bit
    for v in range(1, len(sets)):
        for w in range(sets.shape[1]):
            sets[v, w] ^= sets[v - 1, w]


@jit
def fitting(sets: Words, rows: int, people: Codes, first: int, room: int) -> tuple[Counts, Codes]:
    """The rows that people fit, from the first of them on, until there are more than `room`.

    `people` has the sets of each, column by column. Those that share the sets of the first columns
    stand together: what these leave is kept, as the words that are not empty, and found once.
    """
    depth, number = people.shape
    width = sets.shape[1]
    word, place = np.empty((depth + 1, width), np.uint64), np.empty((depth + 1, width), np.int32)
    left = np.zeros(depth + 1, dtype=np.int64)
    _everything(rows, word[0], place[0])
    left[0] = width
    start = np.zeros(number - first + 1, dtype=np.int64)
    found = np.empty(room + 64 * width, dtype=np.int32)
    used, a = 0, first
    while a < number and used <= room:
        j = 0
        while a > first and j < depth and people[j, a] == people[j, a - 1]:
            j += 1
        for c in range(j, depth):
            left[c + 1] = _both(sets[people[c, a]], left[c], word[c : c + 2], place[c : c + 2])
        for i in range(left[depth]):
            used = _list(word[depth, i], place[depth, i] * 64, found, used)
        a += 1
        start[a - first] = used
    return start[: a - first + 1].copy(), found[:used].copy()


@jit
def _everything(rows: int, word: Words, place: Codes) -> None:
    """The set of all rows."""
    for w in range(len(word)):
        word[w], place[w] = ~_NONE, w
    if rows & 63:
        word[-1] = (_ONE << np.uint64(rows & 63)) - _ONE


@jit
def _both(line: Words, number: int, word: Words, place: Codes) -> int:
    """What is in a set and in what is left before it: into the second line of either."""
    kept = 0
    for i in range(number):
        here = word[0, i] & line[place[0, i]]
        word[1, kept], place[1, kept] = here, place[0, i]
        kept += here != _NONE
    return kept


@jit
def _list(word: np.uint64, base: int, found: Codes, used: int) -> int:
    """Write down the rows of a word, and return where the next is written."""
    while word != _NONE:
        found[used] = base + ones((word & (~word + _ONE)) - _ONE)
        used += 1
        word &= word - _ONE
    return used
