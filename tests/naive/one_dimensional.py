"""Buckets of one column and cuts through its tree the obvious way: all of them are looked at."""

from itertools import product

from naive.orders import divisions


def transformations(number, k):
    """Every k-anonymous transformation of so many elements: where each is mapped to."""
    for onto in product(range(number), repeat=number):
        if all(onto.count(place) >= k for place in onto):
            yield onto


def rank_difference(values, onto):
    """Definition 8; equal elements have consecutive ranks in the order of their places."""
    order = sorted(range(len(values)), key=lambda place: (values[place], place))
    return sum(abs(order.index(place) - order.index(to)) for place, to in enumerate(onto))


def bucket_cost(values, method):
    """What a bucket of ascending values costs."""
    if method == "quantile":
        ranks = range(len(values))
        return min(sum(abs(rank - middle) for rank in ranks) for middle in ranks)
    if method == "k-median":
        return min(sum(abs(value - middle) for value in values) for middle in values)
    radius = (values[-1] - values[0]) / 2
    return radius if method == "k-centre" else radius * len(values)


def least_cost(values, k, method, *, split, widest=float("inf")):
    """The least cost of all divisions of the sorted values with k in each bucket; None if none."""
    values = sorted(values)
    costs = []
    for runs in divisions(len(values)):
        buckets = [values[a:b] for a, b in runs]
        parted = any(values[b - 1] == values[b] for _, b in runs[:-1])
        wide = any(bucket[-1] - bucket[0] > widest for bucket in buckets)
        if min(map(len, buckets)) < k or (parted and not split) or wide:
            continue
        each = [bucket_cost(bucket, method) for bucket in buckets]
        costs.append(max(each) if method == "k-centre" else sum(each))
    return min(costs, default=None)


def cluster_cost(values, k, method):
    """The recursion of Appendix B over sorted values: the last cluster has k to 2k - 1 of them."""
    values = sorted(values)
    best = [0.0] + [float("inf")] * len(values)
    for end in range(1, len(values) + 1):
        for size in range(k, min(2 * k, end + 1)):
            last = bucket_cost(values[end - size : end], method)
            before = best[end - size]
            whole = max(before, last) if method == "k-centre" else before + last
            best[end] = min(best[end], whole)
    return best[-1]


def cuts(maps):
    """Every cut through a tree given by its levels: a list of (level, node) each."""
    top = len(maps) - 1

    def below(level, node):
        yield [(level, node)]
        if level:
            children = sorted({maps[level - 1][c] for c in _leaves(maps, level, node)})
            yield from _together([list(below(level - 1, child)) for child in children])

    return list(_together([list(below(top, n)) for n in sorted(set(maps[top][1:]))]))


def least_cut(maps, records, costs, most, least=1):
    """The least cost of a cut with at most so many nodes that hold records.

    Each below the highest level holds at least so many. None if there is no such cut.
    """
    found, top = [], len(maps) - 1
    for cut in cuts(maps):
        held = [(h, n) for h, n in cut if any(records[c] for c in _leaves(maps, h, n))]
        sizes = [sum(records[c] for c in _leaves(maps, h, n)) for h, n in held if h < top]
        if len(held) <= most and min(sizes, default=least) >= least:
            paid = [records[c] * costs[h][c] for h, n in held for c in _leaves(maps, h, n)]
            found.append(sum(paid))
    return min(found, default=None)


def _leaves(maps, level, node):
    return [code for code in range(1, len(maps[level])) if maps[level][code] == node]


def _together(choices):
    for parts in product(*choices):
        yield [node for part in parts for node in part]
