"""Columns of numbers and dates that leave as two: where what a cell says begins and ends."""

from collections.abc import Iterable, Sequence

import numpy as np

from incrowd.arrays import Texts
from incrowd.errors import PolicyError
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.hierarchy.labels import node_reach
from incrowd.policy.compile import Quasi
from incrowd.table.column import Domain, Kind
from incrowd.verify.ends import end_names


def splitting(quasi: Quasi, names: Iterable[str]) -> tuple[str, ...]:
    """The columns that can leave as two; `PolicyError` if the table has a column of such a name."""
    found = tuple(
        name
        for name, (_, hierarchy) in quasi.items()
        if hierarchy.ordered and hierarchy.leaves.kind is not Kind.TEXT
    )
    taken = {end for name in found for end in end_names(name)} & set(names)
    if taken:
        raise PolicyError(
            f"the table has a column {min(taken)!r} already, so split_ends cannot add one",
            remedy="rename it, or leave out split_ends",
        )
    return found


def ends_of(hierarchy: Hierarchy, labels: Texts) -> tuple[Texts, Texts]:
    """The smallest and the largest value of each label; None where there is none."""
    known = {label: _ends(hierarchy, label) for label in set(labels.tolist())}
    ends = np.empty((2, len(labels)), dtype=object)
    for i, label in enumerate(labels.tolist()):
        ends[:, i] = known[label]
    return ends[0], ends[1]


def _ends(hierarchy: Hierarchy, label: str | None) -> Sequence[object]:
    if label is None or label == hierarchy.labels[-1][0]:
        return None, None
    reach = node_reach(label, hierarchy.leaves)
    if reach is None:
        codes = hierarchy.decode(label)
        place = hierarchy.leaves.positions[codes[codes > 0] - 1]
        reach = float(place[0]), float(place[-1])
    return [_value(place, hierarchy.leaves) for place in reach]


def _value(place: float, domain: Domain) -> object:
    """What lies at a place of a column's scale, None at its open ends."""
    if not np.isfinite(place):
        return None
    if domain.kind is Kind.DATE:
        moment = np.datetime64(int(place), "us")
        return (moment.astype("datetime64[D]") if _daily(domain) else moment).item()
    return int(place) if domain.values.dtype.kind == "i" else place


def _daily(domain: Domain) -> bool:
    return bool(domain.values.dtype == np.dtype("datetime64[D]"))
