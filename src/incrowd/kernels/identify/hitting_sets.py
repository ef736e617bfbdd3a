"""Minimal hitting sets by depth-first search, when the sets to be hit become known on the way.

The search of Murakami and Uno (MMCS): a branch is a set of columns in which each column alone hits
some difference set; it grows by the columns of a difference set that it does not hit yet. As in
HPIValid (Birnick et al.), a branch that hits all known sets stops, so that the caller can look at
the table; sets that are found there are added and the branch grows on. A branch that was cut
before because a column hit nothing alone stays cut rightly: the branches without that column came
earlier, and have found every set that only it could hit.

A set of columns is two words of bits. The stack has one place per depth: the `branch`, the columns
that `may` still come, those `untried` here, the sets not hit (`loose`, also called open) and the
sets hit by exactly one column (`held`); `numbers` counts loose (line 0) and held sets (line 1)
at each depth.

Shapes: branch, may and untried (depths, 2); loose and held (depths, sets, 2); numbers (2, depths).
"""

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.kernels.compile import jit

Words = np.ndarray[tuple[int, int], np.dtype[np.uint64]]
Stacks = np.ndarray[tuple[int, int, int], np.dtype[np.uint64]]

ENTER, TRY, LEAVE = 0, 1, 2
DONE, LOOK, PAUSE = 0, 1, 2

_ONE = np.uint64(1)
_NONE = np.uint64(0)
_M1 = np.uint64(0x5555555555555555)
_M2 = np.uint64(0x3333333333333333)
_M4 = np.uint64(0x0F0F0F0F0F0F0F0F)
_H1 = np.uint64(0x0101010101010101)


@jit
def count_bits(word: np.uint64) -> np.int64:
    """Return how many bits of a word are set."""
    # Pairs of bits are added, then nibbles, then bytes; the product sums the bytes in the top one.
    word -= (word >> _ONE) & _M1
    word = (word & _M2) + ((word >> np.uint64(2)) & _M2)
    word = (word + (word >> np.uint64(4))) & _M4
    return np.int64((word * _H1) >> np.uint64(56))


@jit
def grow_branch(
    branch: Words, loose: Stacks, held: Stacks, numbers: Counts, depth: int, bit: Words
) -> bool:
    """Fill depth + 1 of the stack with the branch and the column `bit`; whether it may grow so.

    It may not if a column of the branch would hit no set alone any more; what is at depth + 1 must
    not be used then.
    """
    low, high = bit[0, 0], bit[0, 1]
    alone_low, alone_high = _NONE, _NONE
    kept = 0
    for i in range(numbers[1, depth]):
        a, b = held[depth, i, 0], held[depth, i, 1]
        if a & low == 0 and b & high == 0:
            held[depth + 1, kept, 0] = a
            held[depth + 1, kept, 1] = b
            kept += 1
            alone_low |= a & branch[depth, 0]
            alone_high |= b & branch[depth, 1]
    if alone_low != branch[depth, 0] or alone_high != branch[depth, 1]:
        return False
    open_ = 0
    for i in range(numbers[0, depth]):
        a, b = loose[depth, i, 0], loose[depth, i, 1]
        if a & low == 0 and b & high == 0:
            loose[depth + 1, open_, 0] = a
            loose[depth + 1, open_, 1] = b
            open_ += 1
        else:
            held[depth + 1, kept, 0] = a
            held[depth + 1, kept, 1] = b
            kept += 1
    numbers[0, depth + 1] = open_
    numbers[1, depth + 1] = kept
    branch[depth + 1, 0] = branch[depth, 0] | low
    branch[depth + 1, 1] = branch[depth, 1] | high
    return True


@jit
def choose_untried(loose: Stacks, numbers: Counts, depth: int, may: Words, untried: Words) -> None:
    """Move the columns of one open set, the one with fewest in `may`, from `may` to `untried`."""
    best, fewest = 0, np.int64(1000)
    for i in range(numbers[0, depth]):
        left = count_bits(loose[depth, i, 0] & may[depth, 0]) + count_bits(
            loose[depth, i, 1] & may[depth, 1]
        )
        if left < fewest:
            best, fewest = i, left
    for word in range(2):
        untried[depth, word] = loose[depth, best, word] & may[depth, word]
        may[depth, word] &= ~untried[depth, word]


@jit
def advance_search(
    where: Counts,
    branch: Words,
    may: Words,
    untried: Words,
    loose: Stacks,
    held: Stacks,
    numbers: Counts,
    path: Codes,
    most: int,
    patience: int,
) -> int:
    """Go on with the search; return LOOK, PAUSE or DONE; the arrays keep its state for more calls.

    LOOK if the branch hits all known sets, PAUSE after `patience` steps, DONE at the end.
    `where[:2]` is the depth and the next step there (ENTER, TRY or LEAVE); `path` has the columns
    of the branch. Branches have at most `most` columns; `where[2]` counts those that would have to
    grow beyond it, and are cut.
    """
    bit = np.zeros((1, 2), dtype=np.uint64)
    depth, step = where[0], where[1]
    for _ in range(patience):
        if step == ENTER:
            if numbers[0, depth] == 0:
                where[0], where[1] = depth, LEAVE
                return LOOK
            step = LEAVE
            if depth < most:
                choose_untried(loose, numbers, depth, may, untried)
                step = TRY
            else:
                where[2] += 1
        elif step == TRY:
            word = 0 if untried[depth, 0] else 1
            rest = untried[depth, word]
            if rest == 0:
                step = LEAVE
                continue
            bit[0, word] = rest & (~rest + _ONE)  # the lowest bit
            bit[0, 1 - word] = 0
            untried[depth, word] = rest & ~bit[0, word]
            if grow_branch(branch, loose, held, numbers, depth, bit):
                path[depth] = 64 * word + count_bits(bit[0, word] - _ONE)
                may[depth + 1] = may[depth]
                depth += 1
                step = ENTER
        else:
            if depth == 0:
                where[0], where[1] = 0, LEAVE
                return DONE
            depth -= 1
            # The column just tried may come again below those that are tried after it.
            may[depth, 0] |= branch[depth + 1, 0] & ~branch[depth, 0]
            may[depth, 1] |= branch[depth + 1, 1] & ~branch[depth, 1]
            step = TRY
    where[0], where[1] = depth, step
    return PAUSE


@jit
def add_open_sets(masks: Words, loose: Stacks, numbers: Counts, depth: int) -> None:
    """Add unhit `masks` to the open sets of depths 0 to `depth`, instead of supersets of one."""
    for at in range(depth + 1):
        kept = 0
        for i in range(numbers[0, at]):
            a, b = loose[at, i, 0], loose[at, i, 1]
            contains = False
            for j in range(len(masks)):
                if masks[j, 0] & ~a == 0 and masks[j, 1] & ~b == 0:
                    contains = True
                    break
            if not contains:
                loose[at, kept, 0] = a
                loose[at, kept, 1] = b
                kept += 1
        for j in range(len(masks)):
            loose[at, kept, 0] = masks[j, 0]
            loose[at, kept, 1] = masks[j, 1]
            kept += 1
        numbers[0, at] = kept
