"""The least cost of any division into classes, by trying all of them."""

from functools import cache

from naive.mondrian import _extent


def cost(rows, columns):
    """What the records of a class pay together: `columns` are (hierarchy, weight, range)."""
    each = sum(_extent([row[j] for row in rows], column) for j, column in enumerate(columns))
    return len(rows) * each


def least_cost(rows, columns, k):
    """The least cost of dividing the rows into classes of at least k: every subset is tried."""
    everyone = (1 << len(rows)) - 1

    @cache
    def best(left):
        if not left:
            return 0.0
        found = float("inf")
        part = left
        while part:
            if part & (left & -left) and part.bit_count() >= k:
                members = tuple(i for i in range(len(rows)) if part >> i & 1)
                found = min(found, paid(members) + best(left & ~part))
            part = (part - 1) & left
        return found

    @cache
    def paid(members):
        return cost([rows[i] for i in members], columns)

    return best(everyone)


def least_cost_in_order(rows, columns, k):
    """The least cost of cutting rows, in their order, into runs of at least k."""
    total = [0.0] + [float("inf")] * len(rows)
    for end in range(k, len(rows) + 1):
        total[end] = min(
            total[start] + cost(rows[start:end], columns) for start in range(end - k + 1)
        )
    return total[-1]
