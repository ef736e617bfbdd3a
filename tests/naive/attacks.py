"""Attacks person by person and row by row.

`shown` is a list of released rows, each a tuple of sets of values (what the label stands for);
`people` a list of tuples of values. Column j of the one is column j of the other.
"""

from collections import Counter
from fractions import Fraction


def fits(row, person, columns):
    return all(person[j] in row[j] for j in columns)


def rows_of(shown, person, columns):
    return [row for row in shown if fits(row, person, columns)]


def people_of(people, row, columns):
    return [i for i, person in enumerate(people) if fits(row, person, columns)]


def mean(values):
    values = list(values)
    return float(sum(values) / len(values)) if values else 0.0


def singling_out(shown, people, columns):
    found = [people_of(people, row, columns) for row in shown]
    alone = {who[0] for who in found if len(who) == 1}
    return mean(Fraction(i in alone) for i in range(len(people)))


def linked(shown, people, left, right):
    """Per person the chance that linkability is right about them."""
    for i, person in enumerate(people):
        rows = rows_of(shown, person, left)
        total = Fraction(0)
        for row in rows:
            who = people_of(people, row, right)
            if i in who:
                total += Fraction(1, len(who) * len(rows))
        yield total


def linkability(shown, people, left, right):
    return mean(linked(shown, people, left, right))


def values_of(rows, sensitive):
    """Rows per value of a sensitive column; a row of several values is shared among them."""
    found = Counter()
    for row in rows:
        for value in row[sensitive]:
            found[value] += Fraction(1, len(row[sensitive]))
    return found


def guess(found, truth):
    """The chance that the most frequent value is the truth."""
    best = max(found.values())
    ties = [value for value, weight in found.items() if weight == best]
    return Fraction(truth in ties, len(ties))


def inference(shown, people, columns, sensitive):
    overall = values_of(shown, sensitive)

    def right(person):
        found = values_of(rows_of(shown, person, columns), sensitive) or overall
        return guess(found, person[sensitive]) if found else Fraction(0)

    return mean(right(person) for person in people)


def certain(shown, people, columns, sensitive, ruled_out):
    def sure(person):
        found = set(values_of(rows_of(shown, person, columns), sensitive))
        return person[sensitive] in found and len(found) <= ruled_out + 1

    return mean(Fraction(sure(person)) for person in people)


def baseline(people, sensitive):
    held = Counter(person[sensitive] for person in people).most_common(1)
    return sum(count for _, count in held) / len(people)


def certain_before(people, sensitive, ruled_out):
    """Whether everybody's value is certain without a release."""
    return float(len({person[sensitive] for person in people}) <= ruled_out + 1)


def own_value(shown, people, columns, sensitive):
    """Per person the chance of their own value, by the rows that fit and before; None if none."""
    held = Counter(person[sensitive] for person in people)
    for person in people:
        found = values_of(rows_of(shown, person, columns), sensitive)
        after = found[person[sensitive]] / found.total() if found else None
        yield after, Fraction(held[person[sensitive]], len(people))


def added(after, before):
    if after is None or after <= before:
        return Fraction(0)
    return (after - before) / (1 - before)


def linkage(shown, world, individual, columns, truth):
    """Candidates of each row, and the chance to draw the right one."""
    candidates = [{individual[i] for i in people_of(world, row, columns)} for row in shown]
    chances = [
        Fraction(1, len(who)) if truth[r] in who else Fraction(0)
        for r, who in enumerate(candidates)
    ]
    return [len(who) for who in candidates], mean(chances)


def best_linkage(classes, number, individuals, listed, one_each):
    """The most that linkage can reach: people of each class are put on the list one by one.

    `classes` has the class of each row, `number` its candidates.
    """
    places = []
    for c in set(classes):
        rows = [n for n, of in zip(number, classes, strict=True) if of == c]
        room = min(len(rows), rows[0]) if one_each else len(rows) * (rows[0] > 0)
        places += [Fraction(1, max(rows[0], 1))] * room
    total = len(number) if listed is None else int(listed * len(number))
    total = min(total, individuals) if one_each else total
    return float(sum(sorted(places, reverse=True)[:total]) / len(number))


def by_values(shown, person, columns, exact):
    """Rows that fit a person, by what they show in the exact columns."""
    return Counter(tuple(row[j] for j in exact) for row in rows_of(shown, person, columns))


def remaining(first, second, person, columns, exact):
    """What both releases leave for a person: rows by what they show in the exact columns."""
    one, other = (by_values(shown, person, columns, exact) for shown in (first, second))
    return one & other


def releases(first, second, people, columns, exact):
    """The smallest number of rows left, and the chances to draw each person's."""
    left = [remaining(first, second, person, columns, exact) for person in people]
    chances = []
    for person, rows in zip(people, left, strict=True):
        own = tuple(frozenset({person[j]}) for j in exact)
        chances.append(Fraction(1, rows.total()) if own in rows else Fraction(0))
    totals = [rows.total() for rows in left if rows]
    return min(totals, default=0), chances


def learned(both, people, columns, exact, sensitive):
    """The chance that the likeliest value left is the person's, and the fewest values left."""
    overall = values_of(both[0], sensitive)
    at = exact.index(sensitive)
    chances, values = [], []
    for person in people:
        found = Counter()
        one, other = (by_values(shown, person, columns, exact) for shown in both)
        for shown in one & other:
            found[min(shown[at])] += one[shown] * other[shown]
        values.append(len(found))
        chances.append(guess(found or overall, person[sensitive]) if found or overall else 0)
    return mean(chances), min((count for count in values if count), default=0)


def in_place(shown, people, columns):
    """Shares of rows that fit the record of their place, and that fit by chance."""
    here = mean(Fraction(fits(row, who, columns)) for row, who in zip(shown, people, strict=True))
    chance = mean(Fraction(fits(row, who, columns)) for row in shown for who in people)
    return here, chance


def first_fits(shown, people, columns):
    """The record of each row: the first that fits after that of the row before."""
    free, places = 0, []
    for row in shown:
        found = [i for i in range(free, len(people)) if fits(row, people[i], columns)]
        places.append(found[0] if found else -1)
        free = found[0] + 1 if found else free
    return places


def read(label):
    """What a label of numbers stands for: a test of a number, and the ends that are values.

    The last are the numbers that a half-open interval begins and ends at.
    """
    if label == "*":
        return (lambda _: True), [], []
    if label[0] == "{":
        some = [int(text) for text in label[1:-1].split(", ")]
        return (lambda value: value in some), some, []
    if label[0] in "<≥":
        cut = int(label[2:])
        return (lambda value: value < cut if label[0] == "<" else value >= cut), [], [cut]
    if label[0] == "[":
        low, high = map(int, label[1:-1].split(", "))
        if label[-1] == ")":
            return (lambda value: low <= value < high), [], [low, high]
        return (lambda value: low <= value <= high), [low, high], []
    return (lambda value: value == int(label)), [], []


def end_cells(label, labels):
    """Tests of a number, one for each cell at an end of a label."""
    stands, ends, own = read(label)
    if ends:
        return [lambda value, end=end: value == end for end in ends]
    cuts = sorted({cut for other in labels for cut in read(other)[2]})
    low = min((value for value in range(-99, 99) if stands(value)), default=None)
    high = max((value for value in range(-99, 99) if stands(value)), default=None)
    inner = [cut for cut in cuts if low is not None and low < cut <= high]
    if not own or not inner:
        return []
    return [
        lambda value: stands(value) and value < inner[0],
        lambda value: stands(value) and value >= inner[-1],
    ]


def pointed(shown, people):
    """Individuals who alone fit a row, or a row and an end of one of its labels.

    People are their values, and last whose they are.
    """
    told = set()
    for row in shown:
        whole = [read(label)[0] for label in row]
        tests = [whole]
        for j, label in enumerate(row):
            cells = end_cells(label, [other[j] for other in shown])
            tests += [[cell if i == j else test for i, test in enumerate(whole)] for cell in cells]
        for columns in tests:
            who = {p[-1] for p in people if all(test(p[j]) for j, test in enumerate(columns))}
            told |= who if len(who) == 1 else set()
    return told


def ratio_spread(hits, people):
    """The variance of all hits over all people if classes were drawn, class by class."""
    some = [(y, n) for y, n in zip(hits, people, strict=True) if n]
    total, rate = sum(n for _, n in some), sum(y for y, _ in some) / sum(n for _, n in some)
    left = sum((y - rate * n) ** 2 for y, n in some)
    return left / total**2 * len(some) / max(len(some) - 1, 1)


def with_release(shown, world, individual, columns):
    """The fewest people whom a row that fits somebody may be, of the world or of the release."""
    number = []
    for row in shown:
        who = {individual[i] for i in people_of(world, row, columns)}
        within = [other for other in shown if all(other[j] <= row[j] for j in columns)]
        number += [max(len(who), len(within))] if who else []
    return min(number, default=None)


def few(people, promised):
    """How many combinations of values have fewer people than promised, of how many."""
    who = {}
    for *values, person in people:
        if None not in values:
            who.setdefault(tuple(values), set()).add(person)
    return sum(len(some) < promised for some in who.values()), len(who)


def may_be_present(original, people):
    """The individuals whose values a record of the original has."""
    return {p[-1] for p in people if p[:-1] in set(original)}
