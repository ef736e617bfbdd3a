"""How records are spread over classes: by the size of their class, by what it achieves, by risk."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from incrowd.arrays import Counts, Floats
from incrowd.partition.classes import Classes

_LADDER = (1, 2, 5)


def size_steps(least: int, largest: int) -> tuple[int, ...]:
    """The first size of each step of class sizes: 1, 2, 5, 10, … up to `largest`, and `least`.

    >>> size_steps(3, 60)
    (1, 2, 3, 5, 10, 20, 50)
    """
    steps = {1, least} if least <= largest else {1}
    power = 1
    while power <= largest:
        steps |= {power * one for one in _LADDER if power * one <= largest}
        power *= 10
    return tuple(sorted(steps))


def value_steps(values: Sequence[float], asked: float | None) -> tuple[float, ...]:
    """The least value of each step of a figure: tenths below 1, or 1, 1.5, 2, 3, 5, 10, ….

    The value that is asked for begins a step of its own, unless it is above all values.

    >>> value_steps([1.0, 2.2], 2.0), value_steps([0.05, 0.31], 0.25)
    ((1.0, 1.5, 2.0), (0.0, 0.1, 0.2, 0.25, 0.3))
    """
    most = max(values, default=0.0)
    tenths = [step / 10 for step in range(10)]
    large = [1.0, 1.5, *(one * 10.0**power for power in range(9) for one in (2, 3, 5, 10))]
    every = tenths if most < 1 or min(values, default=1.0) < 1 else large
    chosen = {step for step in every if step <= most} | {every[0]}
    return tuple(sorted(chosen if asked is None or asked > most else chosen | {float(asked)}))


def step_names(steps: Sequence[float], *, whole: bool) -> tuple[str, ...]:
    """The names of steps, each up to the next, the last without an end; `whole` for whole numbers.

    >>> step_names([1, 2, 5, 10], whole=True), step_names([0.0, 0.1], whole=False)
    (('1', '2 to 4', '5 to 9', '10 or more'), ('0 to 0.1', '0.1 or more'))
    """
    named = []
    for low, high in pairwise(steps):
        last = high - 1 if whole else high
        one = whole and last == low
        named.append(f"{low:,.10g}" if one else f"{low:,.10g} to {last:,.10g}")
    return (*named, f"{steps[-1]:,.10g} or more")


def records_by_step(
    classes: Classes, values: Floats | Counts, steps: Sequence[float]
) -> tuple[int, ...]:
    """How many records are in classes whose value lies in each step; the first has all below it."""
    at = np.clip(np.searchsorted(np.array(steps), values, side="right") - 1, 0, None)
    counts = np.bincount(at, weights=classes.records, minlength=len(steps))
    return tuple(int(records) for records in counts)


def risk_steps(classes: Classes, least: int) -> tuple[tuple[float, float], ...]:
    """Steps (risk, 1 / people of a class; share of the records whose risk is above), rising.

    Risks of fewer than `least` records are joined with lower ones; a rest of fewer is left out.
    """
    total = int(classes.records.sum())
    sizes, place = np.unique(classes.people, return_inverse=True)
    of_size = np.bincount(place, weights=classes.records, minlength=len(sizes)).astype(np.int64)
    steps: list[tuple[float, float]] = []
    first, waiting, done = 0, 0, 0
    for size, records in zip(sizes.tolist(), of_size.tolist(), strict=True):
        first = size if not waiting else first
        waiting += records
        if waiting >= least:
            steps.append((1 / max(first, 1), done / max(total, 1)))
            done, waiting = done + waiting, 0
    return tuple(reversed(steps))
