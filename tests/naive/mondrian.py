"""Mondrian by plain recursion over lists of records."""


def partition(records, columns, allowed, *, k, relaxed, cuts, median=False):
    """Parts (lists of positions in `records`), from left to right.

    `records` are (codes, weight), `columns` are (hierarchy, weight, range); `allowed(left, right)`
    says whether both halves satisfy the models, `k` is the least weight of a half.
    """
    whole = list(range(len(records)))
    return _divide(whole, records, columns, allowed, (k, relaxed, cuts, median))


def _divide(part, records, columns, allowed, rule):
    for left, right in _cuts(part, records, columns, rule):
        if allowed(left, right):
            return _divide(left, records, columns, allowed, rule) + _divide(
                right, records, columns, allowed, rule
            )
    return [part]


def _cuts(part, records, columns, rule):
    """All cuts, widest column first, most balanced first."""
    k, relaxed, most, median = rule
    if sum(records[i][1] for i in part) < 2 * k:
        return
    extents = [_extent([records[i][0][j] for i in part], c) for j, c in enumerate(columns)]
    for j in sorted(range(len(columns)), key=lambda j: (-extents[j], j)):
        if extents[j] <= 0:
            return
        codes = [records[i][0][j] for i in part]
        found = []
        for border in sorted(set(codes))[:-1] if median else _borders(codes, columns[j][0]):
            left = [i for i in part if records[i][0][j] <= border]
            right = [i for i in part if records[i][0][j] > border]
            balance = min(_weight(left, records), _weight(right, records))
            found.append((border, left, right, balance))
        good = [cut for cut in found if cut[3] >= k]
        if median:
            yield from _median_cuts(part, records, j, good, relaxed=relaxed)
            continue
        good.sort(key=lambda cut: (cut[0] != 0, -cut[3], cut[0]))
        yield from ((left, right) for _, left, right, _ in good[:most])
        if relaxed and not good:
            yield _moved(part, [records[i][0][j] for i in part], found, k)


def _median_cuts(part, records, j, good, *, relaxed):
    """The cut that parts the missing, then that at the median: with its equals, or in halves."""
    yield from ((left, right) for border, left, right, _ in good if border == 0)
    ranked = sorted(part, key=lambda i: records[i][0][j])
    if relaxed:
        half = set(ranked[: (len(part) + 1) // 2])
        yield [i for i in part if i in half], [i for i in part if i not in half]
        return
    each = [i for i in ranked for _ in range(records[i][1])]
    middle = records[each[(len(each) - 1) // 2]][0][j]
    yield from ((left, right) for border, left, right, _ in good if border == middle != 0)


def _moved(part, codes, found, k):
    """The most balanced cut, moved into equal codes until both halves have k records."""
    best = max(found, key=lambda cut: (cut[3], -cut[0]))
    size = min(max(len(best[1]), k), len(part) - k)
    ranked = sorted(range(len(part)), key=lambda i: codes[i])
    left = set(ranked[:size])
    return (
        [item for i, item in enumerate(part) if i in left],
        [item for i, item in enumerate(part) if i not in left],
    )


def _weight(part, records):
    return sum(records[i][1] for i in part)


def _borders(codes, tree):
    """Codes after which a column can be cut."""
    present = sorted(set(codes))
    values = [code for code in present if code]
    if tree.ordered or not values:
        return present[:-1]
    level = max(_join(tree, values[0], values[-1]) - 1, 0)
    branch = [int(tree.maps[level][code]) if code else 0 for code in present]
    return [present[i] for i in range(len(present) - 1) if branch[i] != branch[i + 1]]


def _join(tree, low, high):
    return next(h for h in range(tree.levels) if tree.maps[h][low] == tree.maps[h][high])


def _extent(codes, column):
    tree, weight, (first, last) = column
    values = [code for code in codes if code]
    if len(set(codes)) == 1:
        return 0.0
    if len(values) < len(codes):
        return weight
    low, high = min(values), max(values)
    if tree.ordered:
        place = tree.leaves.positions
        whole = place[last - 1] - place[first - 1]
        ends = [weight * ((place[c - 1] - place[first - 1]) / whole) for c in (low, high)]
        return ends[1] - ends[0]
    level = _join(tree, low, high)
    if level == tree.height:
        return weight
    node = tree.maps[level][low]
    return weight * (sum(tree.maps[level][1:] == node) / len(tree.leaves))
