"""Buckets of one column and cuts through trees: seconds, against sorting in the same run.

The reference is `numpy.sort` of the same values, which everything here has to do first. Peak
memory is what NumPy allocated beyond the values, in copies of them. Kernels are compiled before.
"""

import time
import tracemalloc
from collections.abc import Callable
from typing import get_args

import numpy as np

from incrowd.arrays import Codes, Floats
from incrowd.population.one_dimensional import Method, divide, division_cost, quantiles
from incrowd.population.tree_cut import best_cut

VALUES = 1_000_000
LEAVES = 30_000


def timed(work: Callable[[], object], runs: int = 3) -> float:
    """Seconds of the best of some runs."""
    best = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def copies(work: Callable[[], object], values: Floats) -> float:
    """Peak memory of some work, in copies of the values."""
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / values.nbytes


def divisions(values: Floats, k: int) -> None:
    """Every method on these values, by rank and with equal values kept together."""
    sorting = timed(lambda: np.sort(values))
    ordering = timed(lambda: np.argsort(values, kind="stable"))
    print(f"{len(values):,} values, k = {k:,}: sort {sorting:.2f} s, argsort {ordering:.2f} s")
    for method in get_args(Method):
        for split in (True, False):
            seconds = timed(lambda m=method, s=split: divide(values, k, m, split=s))
            peak = copies(lambda m=method, s=split: divide(values, k, m, split=s), values)
            found = divide(values, k, method, split=split)
            plain = division_cost(values, quantiles(values, k, split=True), method)
            share = division_cost(values, found, method) / plain
            kind = "by rank" if split else "by value"
            line = f"  {method:9} {kind:9} {seconds:5.2f} s  {seconds / sorting:5.1f} x sort"
            print(f"{line}  {peak:4.1f} copies  cost {share:.3f} of quantiles by rank")


def cuts() -> None:
    """The best cut through a tree of a ZIP code's shape, against its best level."""
    codes = np.arange(LEAVES + 1, dtype=np.int32)
    maps: Codes = np.array([codes, *((codes + s - 1) // s for s in (10, 100, 1000)), codes * 0 + 1])
    records = np.random.default_rng(3).zipf(1.5, LEAVES + 1) % 500
    costs = np.array(
        [np.full(LEAVES + 1, leaves / LEAVES) for leaves in (0, 10, 100, 1000, LEAVES)]
    )
    for most in (30, 300, 1095):
        found = best_cut(maps, records, costs, most)
        seconds = timed(lambda m=most: best_cut(maps, records, costs, m), 1)
        level = min(h for h, nodes in enumerate(maps) if nodes.max() <= most)
        paid = float(records[1:] @ costs[level, 1:])
        print(
            f"tree of {LEAVES:,} leaves, at most {most:,} nodes: {seconds:.2f} s, "
            f"cost {found.cost / paid:.3f} of the best level's"
        )


def main() -> None:
    rng = np.random.default_rng(1)
    incomes = rng.lognormal(10, 1, VALUES)
    divide(incomes[:1000], 10)
    divisions(incomes, 100)
    divisions(incomes, 10_000)
    print("with equal values, rounded to hundreds:")
    divisions(np.round(incomes, -2), 100)
    cuts()


if __name__ == "__main__":
    main()
