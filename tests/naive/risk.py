"""Risk record by record: each one is compared with every other."""

import math
from fractions import Fraction
from itertools import combinations, permutations

import naive.models
from naive.classes import compatible


def figures(quasi, values, people, reading, threshold):
    """The figures of one reading; `quasi` and `values` are columns of codes, 0 for missing."""
    rows = list(zip(*quasi, strict=True))
    kept = [i for i, row in enumerate(rows) if reading != "suppress" or 0 not in row]
    rows = [tuple(v or None for v in rows[i]) for i in kept]
    people = [people[i] for i in kept]
    values = [[column[i] for i in kept] for column in values]
    same = compatible if reading == "matches-anything" else lambda one, other: one == other
    crowd = [[j for j, other in enumerate(rows) if same(row, other)] for row in rows]
    size = [len({people[j] for j in members}) for members in crowd]
    first = [rows.index(row) for row in rows]
    distinct = sorted(set(first))
    return {
        "records": len(rows),
        "people": len(set(people)),
        "classes": len(distinct),
        "k": min(size, default=0),
        "unique_records": sum(s == 1 for s in size),
        "average_class": sum(len(crowd[i]) for i in distinct) / max(len(distinct), 1),
        "max": max((1 / s for s in size), default=0),
        "average": sum(1 / s for s in size) / max(len(size), 1),
        "above_threshold": sum(1 / s > threshold for s in size) / max(len(size), 1),
        "sensitive": [sensitive(column, people, crowd, distinct) for column in values],
    }


def sensitive(column, people, crowd, distinct):
    """l and what each class's crowd holds of one sensitive column."""
    held = []
    for i in distinct:
        pairs = {(column[j], people[j]) for j in crowd[i]}
        values = {v: sum(w == v for w, _ in pairs) for v, _ in pairs}
        held.append((len({people[j] for j in crowd[i]}), values))
    return {
        "frequency": min((float(naive.models.frequency(*pair)) for pair in held), default=None),
        "distinct": min((naive.models.distinct(values) for _, values in held), default=None),
        "entropy": min((math.exp(naive.models.entropy(v)) for _, v in held), default=None),
        "held": [values for _, values in held],
    }


def crowd(rows, people, columns):
    """Per record the different people whose rows are equal in these columns."""
    shown = [tuple(row[j] for j in columns) for row in rows]
    return [len({people[j] for j, other in enumerate(shown) if other == row}) for row in shown]


def minimal_uniques(rows, people, max_size):
    """Per record: the sets of columns that make its person unique, and no part of which does."""
    width = len(rows[0])
    sets = [frozenset(c) for k in range(1, max_size + 1) for c in combinations(range(width), k)]
    alone = {one: [size == 1 for size in crowd(rows, people, sorted(one))] for one in sets}
    return [
        {one for one in sets if alone[one][i] and not any(alone[s][i] for s in sets if s < one)}
        for i in range(len(rows))
    ]


def suda_score(sets, columns, max_size):
    """The sum over the sets of (columns - size) (columns - size - 1) …, factors of 0 left out."""
    return sum(
        math.prod(columns - i for i in range(len(one), max_size + 1) if columns > i) for one in sets
    )


def mean_of_inverse(f, p):
    """The mean of 1 / F for F people, f of whom were drawn one by one with probability p."""
    people, chance, total = f, p**f, 0.0
    while chance > 1e-16 or people < f / p:
        total += chance / people
        chance *= people / (people - f + 1) * (1 - p)
        people += 1
    return total


def zayatz(sizes, population):
    """Share of the population: Bayes' rule with whole numbers."""
    people, classes = sum(sizes), len(sizes)

    def one_of(j):
        if population - j < people - 1:
            return Fraction(0)
        ways = j * math.comb(population - j, people - 1)
        return Fraction(ways, math.comb(population, people))

    seen = sum(Fraction(sizes.count(j), classes) * one_of(j) for j in set(sizes))
    single = Fraction(sizes.count(1), classes) * one_of(1) / seen
    return float(sizes.count(1) * single / people)


def slide_negative_binomial(number, alpha, beta, fraction, terms=4000):
    """Expected uniques and pairs of a sample of so many classes of 1 + NB(alpha, beta) people."""
    chance, single, double = beta**alpha, 0.0, 0.0
    for people in range(1, terms):
        single += chance * people * fraction * (1 - fraction) ** (people - 1)
        pairs = people * (people - 1) / 2
        double += chance * pairs * fraction**2 * (1 - fraction) ** (people - 2)
        chance *= (alpha + people - 1) / people * (1 - beta)
    return number * single, number * double


def pitman_likelihood(theta, alpha, sizes):
    """The logarithm of the likelihood of classes of these sizes, but for a constant."""
    found = sum(math.log(theta + i * alpha) for i in range(1, len(sizes)))
    found -= sum(math.log(theta + i) for i in range(1, sum(sizes)))
    return found + sum(math.log(i - alpha) for size in sizes for i in range(1, size))


def pitman_uniques(theta, alpha, population):
    """The expected share of uniques: nobody of the others joins the one."""
    return math.prod((theta + alpha + i - 1) / (theta + i) for i in range(1, population))


def unique_share(rows, people, columns):
    """The share of the records whose person is alone in these columns."""
    return sum(size == 1 for size in crowd(rows, people, columns)) / len(rows)


def shapley(rows, people):
    """The mean addition of each column to the share of unique records, over all orders."""
    width = len(rows[0])
    orders = list(permutations(range(width)))
    added = [0.0] * width
    for order in orders:
        before = unique_share(rows, people, ())
        for i, column in enumerate(order):
            after = unique_share(rows, people, order[: i + 1])
            added[column] += (after - before) / len(orders)
            before = after
    return added


def poisson(count, mean):
    """The chance of so many."""
    if mean == 0:
        return float(count == 0)
    return math.exp(count * math.log(mean) - mean - math.lgamma(count + 1))


def behind(f, drawn, means, density):
    """By Bayes' rule: the chance of each number of people behind a class of f.

    The class puts Poisson(mu) people into the table, mu being one of `means` with these shares of
    the people; of the others of the population it holds Poisson(mu (1 - drawn) / drawn).
    """
    found = {}
    for mu, share in zip(means, density, strict=True):
        likely = share * poisson(f - 1, mu)
        others = mu * (1 - drawn) / drawn
        for more in range(int(others + 9 * math.sqrt(others) + 25)):
            chance = likely * poisson(more, others)
            found[f + more] = found.get(f + more, 0.0) + chance
    total = sum(found.values())
    return {people: chance / total for people, chance in found.items()}


def mixture_likelihood(sizes, means, density, most=400):
    """The logarithm of the likelihood of seen classes of these sizes, size by size.

    A person's class shows f people with the chance of f - 1 others, so a class of f is seen with
    that over f, out of all sizes that can be seen.
    """

    def seen(f):
        return sum(s * poisson(f - 1, mu) for mu, s in zip(means, density, strict=True)) / f

    every = sum(seen(f) for f in range(1, most))
    return sum(math.log(seen(f) / every) for f in sizes)


def shown(people, first, after, drawn):
    """Classes with first..after - 1 people of the table, per person of a class of so many."""
    return sum(
        math.comb(people, j) * drawn**j * (1 - drawn) ** (people - j)
        for j in range(first, min(after, people + 1))
    ) / (people * drawn)


def population_figures(held, everyone, threshold):
    """What is true of a table: sizes of its classes in the table and in the population."""
    total = sum(held)
    each = [(f, people) for f, people in zip(held, everyone, strict=True) if f]
    return {
        "unique": sum(f for f, people in each if people == 1) / total,
        "average": sum(f / people for f, people in each) / total,
        "above": sum(f for f, people in each if 1 / people > threshold + 1e-12) / total,
        "highest": max(1 / people for _, people in each),
    }


def likely_populations(classes, sizes, drawn, *, leaning, drop):
    """Shares of people of three sizes, of a grid, at most `drop` less likely than the likeliest.

    `classes` are the table's of 1, 2, … people; the last number is of so many and more. Each unit
    of relative entropy from the shares of `leaning` costs its price.
    """
    (near, price), steps = leaning, 100
    people = sum(size * number for size, number in enumerate(classes, start=1))
    ends = [*range(2, len(classes) + 1), max(*sizes, len(classes)) + 1]
    rows = [
        [people * shown(size, first, after, drawn) for size in sizes]
        for first, after in enumerate(ends, start=1)
    ]

    def height(shares):
        total = -price * sum(s * math.log(s / n) for s, n in zip(shares, near, strict=True) if s)
        for seen, row in zip(classes, rows, strict=True):
            mean = sum(share * one for share, one in zip(shares, row, strict=True))
            if seen and not mean:
                return -math.inf
            total += (seen * math.log(mean) if seen else 0.0) - mean
        return total

    every = [
        (one / steps, two / steps, (steps - one - two) / steps)
        for one in range(steps + 1)
        for two in range(steps + 1 - one)
    ]
    heights = [height(shares) for shares in every]
    best = max(heights)
    return [s for s, h in zip(every, heights, strict=True) if h >= best - drop]
