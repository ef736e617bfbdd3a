"""Lower bounds of the loss by trying every class and every division."""

from itertools import combinations

from naive.crowd import cost, least_cost


def least_ratio(place, points, columns, worth, size):
    """The least of size * price / worth of all classes with a point, by trying all of them.

    `points` are (codes, records); a class holds all records of its points, and is worth its `size`
    most worthy records together. Infinite if no class is large enough.
    """
    others = [i for i in range(len(points)) if i != place]
    found = []
    for number in range(len(points)):
        for more in combinations(others, number):
            members = (place, *more)
            best = sorted((worth[i] for i in members for _ in range(points[i][1])), reverse=True)
            if len(best) >= size and sum(best[:size]) > 0:
                price = cost([points[i][0] for i in members], columns) / len(members)
                found.append(size * price / sum(best[:size]))
    return min(found, default=float("inf"))


def least_loss(rows, columns, k, spare):
    """The least GCP of any division into classes of at least k, up to `spare` rows left out."""
    found = [float("inf")]
    for out in range(spare + 1):
        for gone in combinations(range(len(rows)), out):
            stay = [row for i, row in enumerate(rows) if i not in gone]
            found.append(out + least_cost(stay, columns, k))
    return min(found) / len(rows)
