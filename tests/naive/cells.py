"""The cells that labels may end on, by trying every way to part a short line."""

from itertools import combinations, pairwise


def best_cost(people, low, high, k):
    """The least sum of people times extent over all ways to part a line at its marks."""
    last = len(people) - 1
    best = None
    for number in range(last):
        for inner in combinations(range(1, last), number):
            ends = [0, *inner, last]
            cells = list(pairwise(ends))
            sizes = [people[b] - people[a] for a, b in cells]
            if len(cells) > 1 and min(sizes) < k:
                continue
            cost = sum(size * (high[b] - low[a]) for size, (a, b) in zip(sizes, cells, strict=True))
            best = cost if best is None else min(best, cost)
    return best


def cost_of(people, low, high, begins):
    ends = [*begins[1:], len(people) - 1]
    return sum(
        (people[b] - people[a]) * (high[b] - low[a]) for a, b in zip(begins, ends, strict=True)
    )


def round_ends(values, k):
    """The ends of all round intervals of whole numbers that hold at least k of the values."""
    ends = set()
    width, exponent = 1, 0
    extent = max(values) - min(values)
    while True:
        for factor in (1, 2, 4, 5):
            width = factor * 10**exponent
            for cell in {value // width for value in values}:
                if sum(cell * width <= value < (cell + 1) * width for value in values) >= k:
                    ends |= {cell * width, (cell + 1) * width}
            if width > extent:
                return ends
        exponent += 1
