"""Models judged on one class at a time, with dictionaries and fractions.

A class is `(people, values)`: how many people, and how many of them hold each value (0 for the
missing). `whole` is the values of the whole table.
"""

import math
from fractions import Fraction
from itertools import pairwise, product


def frequency(people, values):
    """The largest l with no value above 1/l of the people."""
    return Fraction(people, max(values.values()))


def distinct(values):
    return len([n for n in values.values() if n])


def entropy(values):
    """Entropy in nats."""
    total = sum(values.values())
    return -sum(n / total * math.log(n / total) for n in values.values() if n)


def recursive(values, c):
    """The largest whole l with f_1 < c (f_l + … + f_m), by trying them all."""
    counts = sorted(values.values(), reverse=True)
    return max(
        (l for l in range(1, len(counts) + 1) if counts[0] < c * sum(counts[l - 1 :])), default=0
    )


def share(people, values):
    """The largest share of the people that holds one value."""
    return Fraction(max(values.values()), people)


def shares(values):
    total = sum(values.values())
    return {v: Fraction(n, total) for v, n in values.items() if n}


def equal(values, whole):
    p, q = shares(values), shares(whole)
    return sum(abs(p.get(v, 0) - q.get(v, 0)) for v in {*p, *q}) / 2


def most_kept(values, whole, t):
    """People of the largest part that is t-close by the equal distance, by trying all."""
    codes, most = list(values), 0
    for part in product(*(range(values[code] + 1) for code in codes)):
        held = dict(zip(codes, part, strict=True))
        if sum(part) > most and equal(held, whole) <= t:
            most = sum(part)
    return most


def ordered(values, whole):
    """Missing values apart, the rest compared with the table's rest, cumulated step by step."""
    p, q = shares(values), shares(whole)
    known = 1 - p.get(0, 0)
    order = sorted(v for v in q if v)
    apart, behind = abs(p.get(0, 0) - q.get(0, 0)), Fraction(0)
    for v in order:
        behind += p.get(v, 0) - known * q[v] / (1 - q.get(0, 0))
        apart += abs(behind) / max(len(order) - 1, 1)
    return min(Fraction(1), apart)


def hierarchical(values, whole, maps):
    """Li's recursion: extra earth meets at each inner node, at the cost of its height."""
    height = len(maps) - 1
    p, q = shares(values), shares(whole)
    extra = {v: p.get(v, 0) - q.get(v, 0) for v in range(len(maps[0]))}
    cost = Fraction(0)
    for h, (below, above) in enumerate(pairwise(maps), start=1):
        parent = dict(zip(below, above, strict=True))
        sides = {}
        for node, left in extra.items():
            sides.setdefault(parent[node], []).append(left)
        for children in sides.values():
            more = sum(x for x in children if x > 0)
            less = -sum(x for x in children if x < 0)
            cost += Fraction(h, height) * min(more, less)
        extra = {node: sum(children) for node, children in sides.items()}
    return cost


def transport(values, whole, distance):
    """The earth mover's distance itself, as a linear program; `distance(v, w)` is its cost."""
    import numpy as np
    from scipy.optimize import linprog

    p, q = shares(values), shares(whole)
    supply, demand = list(p), list(q)
    costs = [float(distance(v, w)) for v in supply for w in demand]
    leaves = np.kron(np.eye(len(supply)), np.ones(len(demand)))
    arrives = np.kron(np.ones(len(supply)), np.eye(len(demand)))
    amounts = [float(p[v]) for v in supply] + [float(q[w]) for w in demand]
    return linprog(costs, A_eq=np.vstack([leaves, arrives]), b_eq=amounts).fun
