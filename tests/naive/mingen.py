"""MinGen over lists: all nodes compared with all others, all partitions of the records."""

from itertools import combinations, product

from naive.loss import shown


def below(lower, node):
    """Whether a node is strictly below another."""
    return lower != node and all(a <= b for a, b in zip(lower, node, strict=True))


def minimal(fine):
    """The nodes of a list that are above no other of it (Sweeney Definition 4)."""
    return {node for node in fine if not any(below(other, node) for other in fine)}


def distortions(losses):
    """Of nodes with their losses those of least loss, none above another (Definition 6)."""
    least = min(losses.values())
    return minimal([node for node, loss in losses.items() if loss <= least + 1e-9])


def box(low, high):
    """All nodes from one to another."""
    return list(product(*(range(a, b + 1) for a, b in zip(low, high, strict=True))))


def partitions(records):
    """All ways to divide a list into classes."""
    if not records:
        yield []
        return
    head, *rest = records
    for others in partitions(rest):
        yield [[head], *others]
        for i in range(len(others)):
            yield [*others[:i], [head, *others[i]], *others[i + 1 :]]


def join(column, members, lowest):
    """The lowest level at which the records of a class share a node."""
    maps = column.hierarchy.maps.tolist()
    codes = [column.codes[i] for i in members]
    return min(h for h in range(lowest, len(maps)) if len({maps[h][code] for code in codes}) == 1)


class Limits:
    """What a class may be: `fine(members)` by the models, levels `lowest` to `highest`."""

    def __init__(self, fine, lowest, highest, most):
        self.fine, self.lowest, self.highest, self.most = fine, lowest, highest, most


def best_cells(cost, columns, limits):
    """The least loss of all generalizations cell by cell; None if there is none.

    `cost(column, cell)` prices a cell; classes that show the same are one class.
    """
    records = range(len(columns[0].codes))
    found = []
    for number in range(min(limits.most, len(records) - 1) + 1):
        for out in combinations(records, number):
            kept = [i for i in records if i not in out]
            paid = [paid_by(cost, columns, limits, p) for p in partitions(kept)]
            found += [(total + number) / len(records) for total in paid if total is not None]
    return min(found, default=None)


def paid_by(cost, columns, limits, partition):
    """What all records of a partition pay together; None if it may not leave."""
    labels, total = [], 0.0
    weights = sum(column.weight for column in columns)
    for members in partition:
        levels = [join(c, members, low) for c, low in zip(columns, limits.lowest, strict=True)]
        if not limits.fine(members) or any(map(int.__gt__, levels, limits.highest)):
            return None
        label = []
        for column, level in zip(columns, levels, strict=True):
            codes = [column.codes[i] for i in members]
            cells = [shown(column, codes, level, code) for code in codes]
            label.append((cells[0].what, frozenset(cells[0].leaves)))
            total += column.weight / weights * sum(cost(column, cell) for cell in cells)
        labels.append(tuple(label))
    return None if len(set(labels)) < len(labels) else total
