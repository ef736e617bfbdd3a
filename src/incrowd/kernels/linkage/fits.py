"""Classes of people and of released rows, and which of them fit, column by column.

Rows of one class stand together in `rows`; class c has those from `start[c]` to `start[c + 1]`.
Pairs that fit are compressed rows: the *members* of each *owner*, classes of either side.
`members` is such (start, member); `shown` is (start, code, weight), the values that each member
shows; `truth` is (start, value, people), the values that each row of people holds.

Shapes: rows (rows,); start (classes + 1,), ascending; compressed rows are bounds (owners + 1,) and
the members of all owners, owner after owner.
"""

from typing import Any

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.kernels.compile import jit
from incrowd.kernels.histogram import class_bounds


@jit
def split_by_column(rows: Codes, start: Counts, column: Codes, domain: int) -> tuple[Codes, Counts]:
    """Return the classes split by a column, with codes below `domain`: rows and start."""
    end = len(rows)
    cells = np.full(domain, -1, dtype=np.int32)
    label, moved = np.empty(end, dtype=np.int32), np.empty(end, dtype=np.int32)
    free = np.zeros(end + 1, dtype=np.int64)
    found = 0
    for g in range(len(start) - 1):
        first = found
        for i in range(start[g], start[g + 1]):
            here = column[rows[i]]
            if cells[here] < first:
                cells[here] = found
                found += 1
            label[i] = cells[here]
            free[label[i]] += 1
        before = start[g]
        for c in range(first, found):
            size = free[c]
            free[c] = before
            before += size
        for i in range(start[g], start[g + 1]):
            moved[free[label[i]]] = rows[i]
            free[label[i]] += 1
    bounds = np.zeros(found + 1, dtype=np.int64)
    for c in range(found):
        bounds[c + 1] = free[c]
    return moved, bounds


@jit
def transpose_pairs(start: Counts, member: Codes, number: int) -> tuple[Counts, Codes]:
    """Return the pairs as compressed rows of `number` members: start, and the owners of each."""
    begin = class_bounds(member, number)
    free, owner = begin[:-1].copy(), np.empty(len(member), dtype=np.int32)
    for a in range(len(start) - 1):
        for i in range(start[a], start[a + 1]):
            owner[free[member[i]]] = a
            free[member[i]] += 1
    return begin, owner


@jit
def sum_members(start: Counts, member: Codes, figure: Counts) -> Counts:
    """Return for each owner the sum of `figure` over its members."""
    sums = np.zeros(len(start) - 1, dtype=np.int64)
    for c in range(len(start) - 1):
        for i in range(start[c], start[c + 1]):
            sums[c] += figure[member[i]]
    return sums


@jit
def add_owner_figures(
    members: tuple[Counts, Codes], figure: Counts, first: int, total: Counts, last: Codes
) -> None:
    """Add the figure of each owner to `total` of each of its members, in place.

    `last` becomes the number of each member's last owner, if any; numbers begin with `first`.
    """
    for a in range(len(members[0]) - 1):
        for i in range(members[0][a], members[0][a + 1]):
            total[members[1][i]] += figure[a]
            last[members[1][i]] = first + a


@jit
def fill_owner_figures(start: Counts, member: Codes, figure: Counts, each: Counts) -> None:
    """Fill `each` with the figure of each member's owner, the last of several."""
    for c in range(len(start) - 1):
        for i in range(start[c], start[c + 1]):
            each[member[i]] = figure[c]


@jit
def gather_shown(
    members: tuple[Counts, Codes], shown: tuple[Counts, Codes, Floats], domain: int
) -> tuple[Counts, Codes, Floats]:
    """Return what members of each class show together: start, code as first met, summed weight."""
    classes = len(members[0]) - 1
    start = np.zeros(classes + 1, dtype=np.int64)
    code, weight = np.empty(classes, dtype=np.int32), np.empty(classes, dtype=np.float64)
    place = np.full(domain, -1, dtype=np.int64)
    used = 0
    for c in range(classes):
        for i in range(members[0][c], members[0][c + 1]):
            m = members[1][i]
            for e in range(shown[0][m], shown[0][m + 1]):
                v = shown[1][e]
                if place[v] < start[c]:
                    if used == len(code):
                        code, weight = _enlarge(code), _enlarge(weight)
                    place[v], code[used], weight[used] = used, v, 0.0
                    used += 1
                weight[place[v]] += shown[2][e]
        start[c + 1] = used
    return start, code[:used].copy(), weight[:used].copy()


@jit
def _enlarge(line: Any) -> Any:
    """Return a copy of the array with room for twice as many entries and one more."""
    more = np.empty(2 * len(line) + 1, dtype=line.dtype)
    for i in range(len(line)):
        more[i] = line[i]
    return more


@jit
def _add_shown(
    members: tuple[Counts, Codes],
    c: int,
    shown: tuple[Counts, Codes, Floats],
    weight: Floats,
    seen: Codes,
) -> int:
    """Add to `weight`, all 0, what members of c show; list codes in `seen` and return how many."""
    number = 0
    for i in range(members[0][c], members[0][c + 1]):
        m = members[1][i]
        for e in range(shown[0][m], shown[0][m + 1]):
            v = shown[1][e]
            if weight[v] == 0.0:
                seen[number] = v
                number += 1
            weight[v] += shown[2][e]
    return number


@jit
def _add_lines(
    members: tuple[Counts, Codes], c: int, lines: Floats, weight: Floats, seen: Codes
) -> int:
    """Do what `_add_shown` does, from a line of weights per member: faster, and codes ascend."""
    for i in range(members[0][c], members[0][c + 1]):
        for v in range(len(weight)):
            weight[v] += lines[members[1][i], v]
    number = 0
    for v in range(len(weight)):
        if weight[v] > 0.0:
            seen[number] = v
            number += 1
    return number


@jit
def _top_weight(weight: Floats, seen: Codes, number: int, equal: float) -> tuple[float, int]:
    """Return `equal` (1 or just less) times the largest weight seen, and how many reach it."""
    least = 0.0
    for j in range(number):
        least = max(least, weight[seen[j]] * equal)
    ties = 0
    for j in range(number):
        ties += weight[seen[j]] >= least
    return least, ties


@jit
def _weight_lines(shown: tuple[Counts, Codes, Floats], domain: int, visits: int) -> Floats:
    """Return (members, domain) weights, or (0, domain) if sparse or too few `visits` use them."""
    members, entries = len(shown[0]) - 1, len(shown[1])
    if members * domain > min(4 * entries, visits):
        return np.zeros((0, domain))
    lines = np.zeros((members, domain))
    for m in range(members):
        for e in range(shown[0][m], shown[0][m + 1]):
            lines[m, shown[1][e]] += shown[2][e]
    return lines


@jit
def _share_added(after: float, before: float) -> float:
    """Return what is added to a chance as a share of 1 - `before`; 0 if nothing is added."""
    if after <= before + 1e-12:
        return 0.0
    return min((after - before) / max(1 - before, 1e-12), 1.0)


@jit
def disclosed_values(
    members: tuple[Counts, Codes],
    shown: tuple[Counts, Codes, Floats],
    people: tuple[Counts, Codes],
    truth: tuple[Counts, Codes, Floats],
    usual: Floats,
    equal: float,
    before: tuple[Floats, float],
) -> tuple[Counts, Floats, Floats, Floats]:
    """Return per class of people: how many values it is shown, who holds one, hits, and the worst.

    The second is how many people hold one of these values. Hits are the expected number of people
    whose value is guessed, if the guess is drawn among the values of the largest weight (at least
    `equal` times it); in a class that is shown none, value v is guessed with the chance `usual[v]`.
    `people` are the rows of each class. The worst is (classes, 3), a line as in `_update_worst`;
    `before` is (the chance of each value without the release, the limit).
    """
    classes = len(members[0]) - 1
    values = np.zeros(classes, dtype=np.int64)
    possible, hits, worst = np.zeros(classes), np.zeros(classes), np.zeros((classes, 3))
    weight, seen = np.zeros(len(usual)), np.empty(len(usual), dtype=np.int32)
    lines = _weight_lines(shown, len(usual), len(members[1]))
    for c in range(classes):
        if len(lines):
            number = _add_lines(members, c, lines, weight, seen)
        else:
            number = _add_shown(members, c, shown, weight, seen)
        values[c] = number
        least, ties = _top_weight(weight, seen, number, equal)
        total = 0.0
        for j in range(number):
            total += weight[seen[j]]
        for i in range(people[0][c], people[0][c + 1]):
            row = people[1][i]
            for t in range(truth[0][row], truth[0][row + 1]):
                v = truth[1][t]
                if number == 0:
                    hits[c] += truth[2][t] * usual[v]
                elif weight[v] > 0.0:
                    possible[c] += truth[2][t]
                    if weight[v] >= least:
                        hits[c] += truth[2][t] / ties
                    _update_worst(worst[c], weight[v] / total, truth[2][t], before[0][v], before[1])
        for j in range(number):
            weight[seen[j]] = 0.0
    return values, possible, hits, worst


@jit
def _update_worst(worst: Floats, chance: float, people: float, before: float, limit: float) -> None:
    """Update `worst` with the chance that a release gives to the own value of so many people.

    `worst` is: how many people are lifted above the limit, the largest chance, and the most that is
    added to one (`_share_added`). Whoever is lifted was not above the limit `before`, and at least
    half of what the chance lacked to 1 is added.
    """
    added = _share_added(chance, before)
    if chance > limit + 1e-9 and before <= limit + 1e-9 and added >= 0.5 - 1e-9:
        worst[0] += people
    worst[1] = max(worst[1], chance)
    worst[2] = max(worst[2], added)


@jit
def disclosed_own_values(
    people: tuple[Counts, Codes],
    truth: tuple[Counts, Codes, Floats],
    domain: int,
    equal: float,
    before: tuple[Floats, float],
) -> tuple[Counts, Floats, Floats, Floats]:
    """Return what `disclosed_values` does for classes that are shown what their own people hold."""
    classes = len(people[0]) - 1
    values = np.zeros(classes, dtype=np.int64)
    possible, hits, worst = np.zeros(classes), np.zeros(classes), np.zeros((classes, 3))
    weight, seen = np.zeros(domain), np.empty(domain, dtype=np.int32)
    for c in range(classes):
        number = _add_shown(people, c, truth, weight, seen)
        least, ties = _top_weight(weight, seen, number, equal)
        values[c] = number
        for j in range(number):
            possible[c] += weight[seen[j]]
        for j in range(number):
            here = weight[seen[j]]
            weight[seen[j]] = 0.0
            if here >= least:
                hits[c] += here / ties
            _update_worst(worst[c], here / possible[c], here, before[0][seen[j]], before[1])
    return values, possible, hits, worst


@jit
def count_individuals(
    pairs: tuple[Counts, Codes], people: tuple[Counts, Codes], owned: tuple[Counts, Codes, int]
) -> Counts:
    """Return per class of released rows how many individuals are among the people who fit it.

    `pairs` are the classes of people that fit each, `people` the rows of these; `owned` is (start,
    individual, number): the individuals of each row of people, below `number`.
    """
    number = np.zeros(len(pairs[0]) - 1, dtype=np.int64)
    seen = np.full(owned[2], -1, dtype=np.int32)
    for r in range(len(number)):
        for i in range(pairs[0][r], pairs[0][r + 1]):
            a = pairs[1][i]
            for j in range(people[0][a], people[0][a + 1]):
                row = people[1][j]
                for e in range(owned[0][row], owned[0][row + 1]):
                    who = owned[1][e]
                    number[r] += seen[who] != r
                    seen[who] = r
    return number


@jit
def expected_links(
    members: tuple[Counts, Codes], weights: tuple[Counts, Counts], by: tuple[Counts, Counts]
) -> Floats:
    """Return per owner a sum over its members: both weights multiplied, over both `by` multiplied.

    `weights` and `by` are each (one number per owner, one per member). A weight of 0 adds nothing.
    """
    total = np.zeros(len(members[0]) - 1)
    for a in range(len(members[0]) - 1):
        for i in range(members[0][a], members[0][a + 1]):
            m = members[1][i]
            both = weights[0][a] * weights[1][m]
            if both > 0:
                total[a] += both / (by[0][a] * by[1][m])
    return total


@jit
def hit_figures(hits: Floats, people: Counts, before: float, limit: float) -> Floats:
    """Return ten figures of the classes with people, in one pass.

    By place: 0 to 2, the sums of classes, people and hits; 3 to 5, the sums of people squared,
    people times hits, and hits squared; 6 to 8, what `_update_worst` counts, a class's chance being
    hits over people; 9, the people of the largest class with the largest chance, 0 if all are 0.
    """
    found = np.zeros(10)
    for c in range(len(hits)):
        n, y = float(people[c]), hits[c]
        if n == 0.0:
            continue
        found[0] += 1
        found[1] += n
        found[2] += y
        found[3] += n * n
        found[4] += n * y
        found[5] += y * y
        chance, largest = y / n, found[7]
        _update_worst(found[6:9], chance, n, before, limit)
        if chance > largest * (1 + 1e-12):
            found[9] = n
        elif chance > 0.0 and chance >= largest * (1 - 1e-12):
            found[9] = max(found[9], n)
    return found


@jit
def first_fits(rows: Codes, pairs: tuple[Counts, Codes], start: Counts, records: Counts) -> Counts:
    """Return for each row the first record that fits it, after that of the row before.

    `rows` tells the class of each; `records` are those of each class of people, ascending, from
    `start`. A row that fits none of the records left has -1.
    """
    found = np.full(len(rows), -1, dtype=np.int64)
    free = start[:-1].copy()
    least = 0
    for i in range(len(rows)):
        for j in range(pairs[0][rows[i]], pairs[0][rows[i] + 1]):
            a = pairs[1][j]
            while free[a] < start[a + 1] and records[free[a]] < least:
                free[a] += 1
            if free[a] < start[a + 1] and (found[i] < 0 or records[free[a]] < found[i]):
                found[i] = records[free[a]]
        if found[i] >= 0:
            least = found[i] + 1
    return found
