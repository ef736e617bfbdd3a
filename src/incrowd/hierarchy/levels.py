"""What builders put hierarchies together from: levels, their labels and the values below."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from incrowd.arrays import Codes, Texts, Values
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.hierarchy.labels import TOP, Number, number_text, parse_date, parse_number
from incrowd.table.column import Domain, Kind, as_float


@dataclass(frozen=True, eq=False, repr=False)
class Level:
    """One level between the values and the top: a node per leaf, a label per node."""

    nodes: Codes
    """The node (1, 2, … in leaf order) of each leaf: shape (n,)."""
    labels: Texts


def texts(labels: Sequence[str]) -> Texts:
    """Labels as an array, whatever they look like."""
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array


def runs(keys: Values) -> tuple[Codes, Codes]:
    """Number the runs of equal neighbours: the run of each entry from 1, and where each starts."""
    if not len(keys):
        return np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int32)
    new = np.concatenate([[True], keys[1:] != keys[:-1]])
    return np.cumsum(new, dtype=np.int32), np.flatnonzero(new).astype(np.int32)


def stack(  # noqa: PLR0913  what a hierarchy is made of
    leaves: Domain,
    levels: Sequence[Level],
    *,
    column: str,
    ordered: bool,
    top: str = TOP,
    prune: bool = True,
) -> Hierarchy:
    """The checked hierarchy of these levels, values below and the top above them.

    With `prune` a level that merges nothing is left out.
    """
    n = len(leaves)
    kept = [level for level in levels if n]
    if prune:
        kept = _merging(kept, n)
    maps = np.zeros((len(kept) + 2, n + 1), dtype=np.int32)
    maps[0] = np.arange(n + 1)
    for h, level in enumerate(kept, start=1):
        maps[h, 1:] = level.nodes
    maps[-1] = 1
    labels = (leaves.labels, *(level.labels for level in kept), texts([top]))
    return Hierarchy.checked(leaves, maps, labels, ordered=ordered, column=column)


def as_values(labels: list[str], kind: Kind, *, strict: bool) -> Values | None:
    """Labels read as numbers or dates; None if one of them is neither.

    With `strict` each must be written as a domain of numbers would write it: 0017 stays text.
    """
    parsed: list[Number | None] | list[np.datetime64 | None]
    if kind is Kind.DATE:
        parsed = [parse_date(label) for label in labels]
        found = [date for date in parsed if date is not None]
        dates = np.array(found, dtype="datetime64[us]") if len(found) == len(labels) else None
        whole = dates is not None and bool((dates == dates.astype("datetime64[D]")).all())
        return dates.astype("datetime64[D]") if dates is not None and whole else dates
    numbers = [number for number in map(parse_number, labels) if number is not None]
    if not labels or len(numbers) < len(labels):
        return None
    if strict and any(number_text(n) != text for n, text in zip(numbers, labels, strict=True)):
        return None
    if all(isinstance(number, int) and abs(number) < 2**63 for number in numbers):
        return np.array(numbers, dtype=np.int64)
    return np.array([as_float(number) for number in numbers], dtype=np.float64)


def _merging(levels: list[Level], below: int) -> list[Level]:
    kept = []
    for level in levels:
        if len(level.labels) < below:
            kept.append(level)
            below = len(level.labels)
    return kept
