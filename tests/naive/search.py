"""Full-domain searches over lists of records, with k-anonymity alone."""

from collections import Counter
from itertools import product


def classes_at(trees, quasi, levels):
    """What each record shows: a tuple of nodes."""
    maps = [tree.maps[level].tolist() for tree, level in zip(trees, levels, strict=True)]
    return [
        tuple(nodes[code] for nodes, code in zip(maps, record, strict=True))
        for record in zip(*quasi, strict=True)
    ]


def recoded(trees, quasi, levels, k, most):
    """What each record shows, None for those in classes under k; None if too many are."""
    shown = classes_at(trees, quasi, levels)
    sizes = Counter(shown)
    released = [cell if sizes[cell] >= k else None for cell in shown]
    if all(cell is None for cell in released) or released.count(None) > most:
        return None
    return released


def nodes(trees):
    """All level vectors, fewest steps first."""
    everything = product(*(range(len(tree.maps)) for tree in trees))
    return sorted(everything, key=lambda node: (sum(node), node))


def exhaustive(trees, quasi, k, most, loss):
    """The first node of least loss and that loss; (None, None) if there is none.

    `loss(levels, released)` judges a node.
    """
    best, least = None, None
    for levels in nodes(trees):
        released = recoded(trees, quasi, levels, k, most)
        if released is not None and (least is None or loss(levels, released) < least):
            best, least = levels, loss(levels, released)
    return best, least


def datafly(trees, quasi, k, most):
    """Levels and what each record shows, None if it is suppressed (Sweeney Figure 8)."""
    levels = [0] * len(trees)
    while True:
        shown = classes_at(trees, quasi, levels)
        sizes = Counter(shown)
        outliers = {cell for cell in shown if sizes[cell] < k}
        failing = sum(sizes[cell] for cell in outliers)
        if failing <= min(k, most):
            order = sorted(sizes, key=lambda cell: (sizes[cell], cell))
            while 0 < sum(sizes[cell] for cell in outliers) < k and len(outliers) < len(sizes):
                outliers.add(next(cell for cell in order if cell not in outliers))
            suppressed = sum(sizes[cell] for cell in outliers)
            if suppressed <= most and len(outliers) < len(sizes):
                return levels, [None if cell in outliers else cell for cell in shown]
        columns = list(zip(*shown, strict=True))
        free = [j for j, tree in enumerate(trees) if levels[j] < len(tree.maps) - 1]
        if not free:
            return None, None
        levels[max(free, key=lambda j: (len(set(columns[j])), -j))] += 1
