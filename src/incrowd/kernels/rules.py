"""Conditions on a class in numbers, so that kernels can judge classes one by one.

Each is a kind of rule; `a`, `b`, `c`, the limit and `table` are fields of `models.model.ClassRule`.
The table is one line of numbers. A class without people is at distance 0.
"""

PEOPLE = 0
"""At least `a` people."""
SHARE = 1
"""No value held by more than `a / b` of the people."""
DISTINCT = 2
"""At least `a` different values."""
ENTROPY = 3
"""The entropy of the values, in nats, is at least the limit."""
RECURSIVE = 4
"""The commonest value is held by fewer than `b / c` times as many as the a-th commonest and all
rarer ones together."""
NODES = 5
"""At most the limit away from the whole table: the mean over `a` levels, of `b` nodes each, of half
the sum of the differences of shares. `table` has, level after level, the node of each code from 0
on, then the share of each node in the whole table."""
ORDERED = 6
"""At most the limit away from the whole table along the order of the values. `table` has the share
of missing values in the whole table; the rank of each code from 0 on: how many values that somebody
holds come up to it; and the share of the people with a known value who hold one of the first 0, 1,
… of these values."""
