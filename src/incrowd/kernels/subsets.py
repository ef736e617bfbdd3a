"""Dividing a small table into classes in the best of all ways: dynamic programming over its parts.

A table is `items` with `copies[i]` equal records each (or one block of records that stays whole).
A *part* takes some copies of each item; it is numbered in mixed radix, `sum(taken[i] * stride[i])`,
so with one copy each a part is a set of bits. The number of a part that is taken from another is
subtracted from it. Part 0 is empty; the last one is the table.

Shapes: copies and stride (items,); digits (parts, items); first, own, least and total (parts,);
level, that of a column's cell in each part, (parts,); costs (levels, items).
"""

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.kernels.compile import jit

SLACK = 1e-12
"""Costs that differ by less are equal."""


@jit
def part_digits(copies: Counts) -> Codes:
    """Return how many copies of each item each part takes, a line per part."""
    number = 1
    for i in range(len(copies)):
        number *= copies[i] + 1
    digits = np.zeros((number, len(copies)), dtype=np.int32)
    for part in range(1, number):
        i = 0
        digits[part] = digits[part - 1]
        while digits[part, i] == copies[i]:
            digits[part, i] = 0
            i += 1
        digits[part, i] += 1
    return digits


@jit
def first_items(digits: Codes) -> Codes:
    """Return the first item that each part takes, -1 for the empty part."""
    first = np.full(len(digits), -1, dtype=np.int32)
    for part in range(1, len(digits)):
        i = 0
        while digits[part, i] == 0:
            i += 1
        first[part] = i
    return first


@jit
def spans_of_parts(first: Codes, stride: Counts, codes: Codes) -> tuple[Codes, Codes]:
    """Return the least and largest of the items' codes in each part, both 0 for the empty part."""
    low = np.zeros(len(first), dtype=np.int32)
    high = np.zeros(len(first), dtype=np.int32)
    for part in range(1, len(first)):
        code = codes[first[part]]
        rest = part - stride[first[part]]
        low[part] = code if rest == 0 else min(code, low[rest])
        high[part] = code if rest == 0 else max(code, high[rest])
    return low, high


@jit
def add_costs(digits: Codes, level: Codes, costs: Floats, total: Floats) -> None:
    """Add to `total`, if finite, what parts pay: a copy of item i `costs[level[part], i]`."""
    for part in range(1, len(digits)):
        if total[part] < np.inf:
            paid = 0.0
            for i in range(digits.shape[1]):
                if digits[part, i]:
                    paid += digits[part, i] * costs[level[part], i]
            total[part] += paid


@jit
def pack_digits(digits: Codes, shift: Counts) -> Counts:
    """Return each part as one number: copies of item i from bit `shift[i]`, highest bits free."""
    keys = np.zeros(len(digits), dtype=np.int64)
    for part in range(len(digits)):
        for i in range(digits.shape[1]):
            keys[part] |= np.int64(digits[part, i]) << shift[i]
    return keys


@jit
def divide_parts(
    span: tuple[int, int],
    parts: tuple[Codes, Codes, Counts, Counts],
    guard: int,
    classes: tuple[Floats, Counts, int, int],
    lists: tuple[Codes, Counts, Floats, Counts, Counts],
    least: Floats,
    choice: Codes,
) -> None:
    """Fill `least` with the cost of the best division of each part, `choice` with a class of it.

    This is done for the parts from `span[0]` to before `span[1]`; all before them must be filled
    in. The cost is infinite, and the class 0, where there is no division, or none is looked for.

    - `parts`: the digits of each part, its first item, the stride of each item, and each part as
      `pack_digits` writes it; `guard` has the highest bit of each field.
    - `classes`: what each part costs as one class, infinite if it may not be one; the records of
      each part; the fewest records of a class; and the fewest that must be released.
    - `lists`: classes by their first item, as numbers of parts, as packed, and what they cost; then
      where the list of each item begins, and where it ends, which moves on.

    A class that costs no less than its best division is never needed again: only the others are
    listed. One class of a division holds the first item of the part; where the list is longer than
    there are parts within the part, all these are tried instead. What a class leaves never holds
    all copies of item 0, so that a part with all of them is divided only if it may be released.
    """
    digits, first, stride, keys = parts
    own, records, fewest, enough = classes
    listed, listed_key, listed_cost, begin, end = lists
    single = len(digits) == 1 << digits.shape[1]
    for part in range(span[0], span[1]):
        item = first[part]
        needed = records[part] >= enough or digits[part, 0] < digits[-1, 0]
        best, by = np.inf, 0
        if needed and records[part] >= 2 * fewest:
            within = int(digits[part, item])
            for i in range(item + 1, digits.shape[1]):
                within *= int(digits[part, i]) + 1
            if end[item] - begin[item] <= within:
                # A field that is too small borrows its guard bit: one subtraction compares all.
                room = keys[part] | guard
                for at in range(begin[item], end[item]):
                    if (room - listed_key[at]) & guard == guard:
                        cost = listed_cost[at] + least[part - listed[at]]
                        if cost < best - SLACK:
                            best, by = cost, listed[at]
            elif single:
                best, by = _best_set(part, stride[item], own, least)
            else:
                best, by = _best_part(part, item, within, (digits, stride), own, least)
        least[part], choice[part] = best, by
        if own[part] < best - SLACK:
            least[part], choice[part] = own[part], part
            at = end[item]
            listed[at], listed_key[at], listed_cost[at] = part, keys[part], own[part]
            end[item] += 1


@jit
def _best_set(part: int, bit: int, own: Floats, least: Floats) -> tuple[float, int]:
    """Return the cost of the best division of a set of single items, and its class with `bit`.

    `part` is the set as bits, `bit` its first item; the class is not the whole set. Infinity and 0
    if there is no division.
    """
    best, by = np.inf, 0
    rest = part - bit
    some = 0
    while some != rest:
        cost = own[some + bit] + least[rest - some]
        if cost < best - SLACK:
            best, by = cost, some + bit
        some = (some - rest) & rest  # the next subset: adds 1 across the bits of `rest`
    return best, by


@jit
def _best_part(
    part: int, item: int, within: int, items: tuple[Codes, Counts], own: Floats, least: Floats
) -> tuple[float, int]:
    """Return the cost of the best division of a part, and its class with a copy of its first item.

    The class is not the whole part; `within` is how many parts of it take that item. `items` is the
    digits of each part and the stride of each item. Infinity and 0 if there is no division.
    """
    digits, stride = items
    best, by = np.inf, 0
    inside = np.zeros(digits.shape[1], dtype=np.int32)
    inside[item] = 1
    one = stride[item]
    for _ in range(within - 1):
        cost = own[one] + least[part - one]
        if cost < best - SLACK:
            best, by = cost, one
        i = item
        while inside[i] == digits[part, i]:
            kept = 1 if i == item else 0
            one -= (inside[i] - kept) * stride[i]
            inside[i] = kept
            i += 1
        inside[i] += 1
        one += stride[i]
    return best, by


@jit
def divide_apart(
    groups: tuple[Codes, Counts, int],
    digits: Codes,
    stride: Counts,
    own: Floats,
    least: Floats,
    last: Codes,
    log: tuple[Codes, Codes, Codes],
    used: int,
) -> tuple[tuple[Codes, Codes, Codes], int]:
    """Divide parts into classes of which no two are of the same group, one group after the other.

    `groups` is (classes, where those of each group begin and end, number of the first group). In
    place, `least` falls to the least cost of each part with the groups so far. How it was reached
    is in the log, three arrays with a line each for class, group, and the line before:
    `last[part]` is the line of a part. Returned are the log, longer if need be, and how many lines
    are used; `used` were before.
    """
    classes, begin, base = groups
    whole = digits[-1]
    better = np.full(len(least), np.inf)
    by = np.zeros(len(least), dtype=np.int32)
    touched = np.empty(len(least), dtype=np.int32)
    rest = np.zeros(len(whole), dtype=np.int32)
    for group in range(len(begin) - 1):
        number = 0
        for at in range(begin[group], begin[group + 1]):
            one = classes[at]
            rest[:] = 0
            other = 0
            while other >= 0:
                cost = own[one] + least[other]
                part = one + other
                if cost < min(least[part], better[part]) - SLACK:
                    if better[part] == np.inf:
                        touched[number] = part
                        number += 1
                    better[part], by[part] = cost, one
                other = _next_part(rest, whole, digits[one], stride, other)
        while used + number > len(log[0]):
            log = (_double(log[0]), _double(log[1]), _double(log[2]))
        for part in touched[:number]:
            log[0][used], log[1][used], log[2][used] = by[part], base + group, last[part]
            last[part] = used
            used += 1
            least[part], better[part] = better[part], np.inf
    return log, used


@jit
def _next_part(rest: Codes, whole: Codes, without: Codes, stride: Counts, number: int) -> int:
    """Return the next part, after `number`, of what a class leaves of the table; -1 after the last.

    `rest`, the digits of part `number`, become those of the next, in place. `whole` is the digits
    of the table, `without` those of the class.
    """
    for i in range(len(rest)):
        if rest[i] < whole[i] - without[i]:
            rest[i] += 1
            return int(number + stride[i])
        number -= rest[i] * stride[i]
        rest[i] = 0
    return -1


@jit
def _double(lines: Codes) -> Codes:
    """Return a copy of the array with room for twice as many entries and one more."""
    more = np.empty(2 * len(lines) + 1, dtype=np.int32)
    more[: len(lines)] = lines
    return more
