"""Orders and their divisions the obvious way: every division into runs, every partition."""

from itertools import combinations, pairwise


def divisions(number):
    """Every division of 0, 1, …, number - 1 into runs, as a list of (begin, end)."""
    for size in range(number):
        for cuts in combinations(range(1, number), size):
            bounds = [0, *cuts, number]
            yield list(pairwise(bounds))


def partitions(items):
    """Every partition of a list into non-empty groups."""
    if not items:
        yield []
        return
    first, *rest = items
    for groups in partitions(rest):
        yield [[first], *groups]
        for i, group in enumerate(groups):
            yield [*groups[:i], [first, *group], *groups[i + 1 :]]


def best(candidates, allowed, cost, *, largest=False):
    """The least cost of all candidates whose groups are all allowed; None if there is none.

    `cost` is what a group costs in all; a candidate costs their sum, or the largest.
    """
    totals = [
        (max if largest else sum)(cost(group) for group in groups)
        for groups in candidates
        if all(allowed(group) for group in groups)
    ]
    return min(totals, default=None)


def kd_order(rows, cost, branch):
    """Rows (a list of (codes, records, name)) in the order of a tree of cuts.

    `cost(j, low, high)` is what a span of codes costs; `branch(j, low, high, one, two)` says
    whether two neighbouring codes are in different branches of what covers low..high.
    """
    walked = []
    _walk(rows, cost, branch, walked)
    return [name for _, _, name in walked]


def _walk(rows, cost, branch, walked):
    cut = _cut(rows, cost, branch)
    if cut is None:
        walked.extend(rows)
        return
    j, code = cut
    halves = [[r for r in rows if r[0][j] < code], [r for r in rows if r[0][j] >= code]]
    if walked and walked[-1][0][j] >= code:
        halves.reverse()
    for half in halves:
        _walk(half, cost, branch, walked)


def _cut(rows, cost, branch):
    wide = []
    for j in range(len(rows[0][0])):
        codes = sorted({codes[j] for codes, _, _ in rows})
        if len(codes) > 1:
            wide.append((-cost(j, codes[0], codes[-1]), j, codes))
    if not wide:
        return None
    _, j, codes = min(wide)
    if codes[0] == 0:
        return j, codes[1]
    cuts = []
    for one, two in pairwise(codes):
        if branch(j, codes[0], codes[-1], one, two):
            left = sum(count for row, count, _ in rows if row[j] < two)
            whole = sum(count for _, count, _ in rows)
            cuts.append((-min(left, whole - left), two))
    return j, min(cuts)[1]


def halves(rows, cost, rounds):
    """TopDown's two halves of a list of codes: two far apart draw the others to them."""

    def farthest(row):
        costs = [cost(_box([row, other])) for other in rows]
        return costs.index(max(costs))

    one = 0
    two = farthest(rows[0])
    for _ in range(rounds):
        one, two = two, farthest(rows[two])
    groups, boxes = ([], []), [[rows[one]], [rows[two]]]
    for i, row in enumerate(rows):
        here, there = (cost(_box([*box, row])) for box in boxes)
        side = int(there < here or (there == here and len(groups[1]) < len(groups[0])))
        side = 0 if i == one else 1 if i == two else side
        groups[side].append(i)
        boxes[side].append(row)
    return groups


def _box(rows):
    return [min(codes) for codes in zip(*rows, strict=True)], [
        max(codes) for codes in zip(*rows, strict=True)
    ]
