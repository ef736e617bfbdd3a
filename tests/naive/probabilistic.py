"""Probabilistic anonymity by sums of fractions and by trying everything."""

import math
from fractions import Fraction


def fewer(k, n, share):
    """P[fewer than k of n fall into a class of this share], term by term."""
    return Fraction(sum(ways(j, n, share) for j in range(min(k, n + 1))), _parts(n, share))


def ways(j, n, share):
    """P[exactly j of n fall into a class of this share], as a whole number of `_parts`."""
    p = Fraction(share)
    return math.comb(n, j) * p.numerator**j * (p.denominator - p.numerator) ** (n - j)


def _parts(n, share):
    return Fraction(share).denominator ** n


def chernoff(k, n, share):
    """What the proof of Theorem 4 bounds it by; certain if everybody is in the class."""
    mean = n * share
    if share == 1:
        return 0.0
    return math.exp(-(float(mean - (k - 1)) ** 2) / float(2 * mean)) if mean > k - 1 else 1.0


def classes_allowed(n, k, beta, missed, *, simultaneous):
    """The largest D' that keeps beta, by trying all; `missed` is one of the two above."""
    return max(
        d
        for d in range(1, n + 1)
        if missed(k, n, Fraction(1, d)) <= (beta / d if simultaneous else beta)
    )


def k_of_share(n, share, beta):
    """The largest k that a class of this share holds but for beta, by adding one after another."""
    below, most = 0, beta * _parts(n, share)
    for k in range(n):
        below += ways(k, n, share)
        if below > most:
            return k
    return n


def misled(size, people, columns, share, labels):
    """A bound of how likely some class of this share, or less, holds so many of the people."""
    ends = min(2 * columns, people) if labels == "any" else 0
    ways = math.comb(people + ends, ends) if labels == "any" else 32**columns / share
    return ways * float(1 - fewer(size - ends, people - ends, share))


def lower_share(size, people, columns, level, labels):
    """The largest share, on a fine grid, that is ruled out by so many people of a class."""
    grid = [Fraction(size, people) * Fraction(i, 400) for i in range(1, 400)]
    sure = [q for q in grid if misled(size, people, columns, q, labels) <= level]
    return max(sure, default=Fraction(0))


def supports(size, population, beta, share):
    """The k that a class supports, if its share is no smaller than this."""
    return max(size, k_of_share(population, share, min(beta, Fraction(1, 2))))


def budgets(distinct, allowed):
    """All whole numbers of values within a product."""
    if not distinct:
        return [()]
    return [
        (d, *rest)
        for d in range(1, min(distinct[0], allowed) + 1)
        for rest in budgets(distinct[1:], allowed // d)
    ]


def shares(distinct, allowed, weights):
    """The best d' that need not be whole, by halving the range of their common factor."""
    low, high = -200.0, 200.0

    def at(power):
        c = math.exp(power)
        return [min(max(c * w, 1.0), d) for d, w in zip(distinct, weights, strict=True)]

    for _ in range(200):
        middle = (low + high) / 2
        fits = math.fsum(map(math.log, at(middle))) <= math.log(allowed)
        low, high = (middle, high) if fits else (low, middle)
    return at(low)
