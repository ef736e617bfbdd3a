"""Values that are shown together: a set must not tell that somebody has a rare value."""

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.hierarchy.hierarchy import Hierarchy


def pools_of(
    hierarchy: Hierarchy, people: Counts, k: int, present: Counts | None = None
) -> Codes | None:
    """The pool of each code, so that every pool that holds anybody holds at least k people.

    `people` are those of each code, entry 0 for the missing, which stay apart. Rare values are
    pooled with rare ones of the same node, of the lowest level where that is enough; what is left
    joins the smallest pool there is. None if every value has k people. `present` is above 0 for
    every value that may be shown, also if nobody counts for it; those with people if not given.
    """
    pool = np.arange(len(people), dtype=np.int32)
    held = np.flatnonzero((people if present is None else present)[1:]) + 1
    if not len(held) or people[held].min() >= k:
        return None
    for level in range(1, hierarchy.levels):
        sizes = np.bincount(pool, people, minlength=len(people))
        rare = held[sizes[pool[held]] < k]
        _, place = np.unique(hierarchy.maps[level][rare], return_inverse=True)
        first = np.full(len(rare), len(people), dtype=np.int32)
        np.minimum.at(first, place, pool[rare])
        pool[rare] = first[place]
    return _complete(pool, people, held, k)


def _complete(pool: Codes, people: Counts, held: Codes | Counts, k: int) -> Codes:
    """With the one pool that is still too small, if there is one, made part of the next larger."""
    numbers = np.unique(pool[held])
    sizes = np.bincount(pool, people, minlength=len(people))[numbers]
    if len(numbers) > 1 and sizes.min() < k:
        smallest, larger = numbers[np.argsort(sizes, kind="stable")[:2]].tolist()
        pool = np.where(np.isin(pool, [smallest, larger]), min(smallest, larger), pool)
    return pool.astype(np.int32)
