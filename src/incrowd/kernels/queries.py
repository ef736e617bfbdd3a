"""Loops that spread what classes hold over the cells of a cube.

A cube is one flat array; a cell's place is the sum of what each of its dimensions adds.

Shapes: the three arrays of `entries` have one entry each per entry; begins (dimensions, classes +
1) for boxes and (classes + 1,) for pairs; place, step and amount are as long as begins reaches.
"""

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.kernels.compile import jit


@jit
def add_boxes(
    cube: Floats, entries: tuple[Codes, Counts, Floats], begins: Counts, place: Counts, step: Floats
) -> None:
    """Add to a cube of differences, per entry, its amount times the steps of its class.

    `entries` is (class, place of what it holds, amount). The steps of class c in dimension j are
    `begins[j, c]` to before `begins[j, c + 1]`, one or more: step i moves by `place[i]` and has the
    factor `step[i]`. Each choice of one step per dimension adds the amount times all factors at the
    entry's place plus those of the steps. The cumulative sums of the cube along its dimensions are
    then what classes spread evenly over their boxes.
    """
    class_of, origin, amount = entries
    levels = begins.shape[0]
    at = np.zeros(levels, np.int64)
    for e in range(len(class_of)):
        c = class_of[e]
        for j in range(levels):
            at[j] = begins[j, c]
        turning = 0
        while turning >= 0:
            where, value = origin[e], amount[e]
            for j in range(levels):
                where += place[at[j]]
                value *= step[at[j]]
            cube[where] += value
            turning = levels - 1
            while turning >= 0:
                at[turning] += 1
                if at[turning] < begins[turning, c + 1]:
                    break
                at[turning] = begins[turning, c]
                turning -= 1


@jit
def add_pairs(
    cube: Floats,
    entries: tuple[Codes, Counts, Floats],
    begins: Counts,
    place: Counts,
    amount: Floats,
) -> None:
    """Add to a cube, per entry, its share of every cell that its class shows.

    `entries` is (class, place of what it holds, share). Class c shows the cells
    `place[begins[c]:begins[c + 1]]` with `amount` records each.
    """
    class_of, origin, share = entries
    for e in range(len(class_of)):
        for i in range(begins[class_of[e]], begins[class_of[e] + 1]):
            cube[origin[e] + place[i]] += share[e] * amount[i]
