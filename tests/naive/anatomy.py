"""Anatomy's bucketization (Xiao and Tao, Figure 3) on counters."""

from collections import Counter


def sizes(values, l):
    """How large the buckets are from which each class takes its records, class by class."""
    left = Counter(values)
    taken = []
    while len(left) >= l:
        largest = sorted(left, key=lambda value: -left[value])[:l]
        taken.append([left[value] for value in largest])
        left -= Counter(largest)
    return taken
