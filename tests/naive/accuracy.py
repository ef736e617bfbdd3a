"""The dual problem the obvious way: Figure 17 of Ghinita over plain lists, and every partition."""

from collections import Counter
from fractions import Fraction
from functools import partial
from itertools import combinations

import naive.orders


def privacy(group, values, *, by_value):
    """Records over those of the commonest value, or records alone."""
    if not by_value:
        return Fraction(len(group))
    return Fraction(len(group), max(Counter(values[i] for i in group).values()))


def candidates(number, most, cost):
    """Runs of records, each as long as it may be."""
    runs = [[0]]
    for i in range(1, number):
        if cost([*runs[-1], i]) <= most:
            runs[-1].append(i)
        else:
            runs.append([i])
    return runs


class Adjusting:
    """Two groups whose records change sides, one from each in turn, until none can.

    `points` are the records' codes. Records in `fixed` stay where they are; those that move are
    added to it. A value goes one way only. Of a value the record goes that makes the other group
    least wide, the one that came last if several do, if that raises the lesser privacy of both, or
    the other one while the lesser stays.
    """

    def __init__(self, points, values, most, cost, *, by_value):
        self.points, self.values, self.most, self.cost = points, values, most, cost
        self.by_value, self.fixed = by_value, set()

    def privacies(self, groups):
        """The privacy of both groups, the lesser first."""
        return sorted(privacy(group, self.values, by_value=self.by_value) for group in groups)

    def adjusted(self, one, two):
        groups, way = [list(one), list(two)], {}
        moved = [True]
        while any(moved):
            moved = [self.move(groups, source, way) for source in range(2)]
        return groups

    def wider(self, group, record):
        """Whether the group reaches farther with the record, and what it costs then."""
        ends = [(min(c), max(c)) for c in zip(*(self.points[i] for i in group), strict=True)]
        held = zip(self.points[record], ends, strict=True)
        return any(not low <= code <= high for code, (low, high) in held), self.cost(
            [*group, record]
        )

    def move(self, groups, source, way):
        here, there = groups[source], groups[1 - source]
        if len(here) < 2:
            return False
        before = self.privacies(groups)
        counts = Counter(self.values[i] for i in here)
        for value in sorted(counts, key=lambda value: (-counts[value], value)):
            free = [i for i in here if self.values[i] == value and i not in self.fixed]
            if way.get(value, source) != source or not free:
                continue
            best = min(reversed(free), key=lambda i: self.wider(there, i))
            rest, more = [i for i in here if i != best], [*there, best]
            if self.cost(more) <= self.most and self.privacies([rest, more]) > before:
                groups[source], groups[1 - source] = rest, more
                way[value] = source
                self.fixed.add(best)
                return True
        return False


def most_private(points, values, most, cost, *, by_value):
    """Groups of Ghinita's heuristic: candidates in a line, neighbours adjusted."""
    adjusting = Adjusting(points, values, most, cost, by_value=by_value)
    runs = candidates(len(values), most, cost)
    done, before = [], runs[0]
    for run in runs[1:]:
        first, before = adjusting.adjusted(before, run)
        done.append(first)
    return [*done, before]


def best(values, most, cost, *, by_value, least=1):
    """The largest privacy over all partitions into groups that cost at most `most`, or None."""
    found = [
        min(privacy(group, values, by_value=by_value) for group in groups)
        for groups in naive.orders.partitions(list(range(len(values))))
        if all(len(group) >= least and cost(group) <= most for group in groups)
    ]
    return max(found, default=None)


def best_leaving_out(values, most, cost, spare, *, by_value, least=1):
    """As `best`, with up to `spare` records left out, but not all."""
    everyone = range(len(values))
    found = []
    for number in range(min(spare, len(values) - 1) + 1):
        for out in combinations(everyone, number):
            stay = [i for i in everyone if i not in out]
            kept = [values[i] for i in stay]
            price = partial(_cost_of_some, cost, stay)
            found.append(best(kept, most, price, by_value=by_value, least=least))
    return max((one for one in found if one is not None), default=None)


def _cost_of_some(cost, stay, group):
    return cost([stay[i] for i in group])


def longest_runs(number, most, cost):
    """For each record of a line: the longest run that holds it and costs at most `most`."""
    runs = [
        range(first, end)
        for first in range(number)
        for end in range(first + 1, number + 1)
        if end == first + 1 or cost(list(range(first, end))) <= most
    ]
    return [max(len(run) for run in runs if i in run) for i in range(number)]
