"""Conditions on a class in numbers, so that kernels can judge classes one by one."""

PEOPLE = 0
"""At least `a` people."""
SHARE = 1
"""No value held by more than `a / b` of the people."""
DISTINCT = 2
"""At least `a` different values."""
ENTROPY = 3
"""The entropy of the values is at least the limit."""
RECURSIVE = 4
"""The commonest value is held by fewer than `b / c` times as many as the a-th commonest and all
rarer ones together."""
NODES = 5
"""At most the limit away from the whole table: the mean over `a` levels, of `b` nodes each, of half
the sum of the differences of shares."""
ORDERED = 6
"""At most the limit away from the whole table along the order of the values."""
