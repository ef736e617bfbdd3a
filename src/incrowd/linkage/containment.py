"""Which labels of a column decode within which others, whatever the world holds (Section 6)."""

from itertools import chain

import numpy as np

from incrowd.arrays import Codes, Flags
from incrowd.hierarchy.decoding import Run, runs_of
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.hierarchy.labels import TOP, parse_date, parse_number, read_any_bounds
from incrowd.linkage.matching import Matching, from_runs, match
from incrowd.table.column import CodedColumn, Domain, Kind

Labels = list[str | None]

_UNITS = ("Y", "M", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as")
"""Units of time, the finest last."""


def within(
    column: CodedColumn, hierarchy: Hierarchy | None, *, complete: bool, equal: bool
) -> Matching:
    """For each label of a released column the labels that decode within it, as codes of its own.

    With `equal` a label holds only itself; see `conservative` for `complete`.
    """
    labels: Labels = [None, *column.domain.labels.tolist()]
    held = np.bincount(column.codes, minlength=len(labels)) > 0
    if equal:
        runs = [[(code, code)] for code in range(len(labels))]
        return from_runs(runs, np.arange(len(labels), dtype=np.int32)).only(held)
    if complete and hierarchy is not None:
        return _leaf_by_leaf(labels, hierarchy).only(held)
    return _in_any_case(labels, hierarchy).only(held)


def _leaf_by_leaf(labels: Labels, hierarchy: Hierarchy) -> Matching:
    """Label a lies within b if b has every leaf of a."""
    found = match(labels, hierarchy.leaves, hierarchy)
    ends = [
        (int(found.low[lo]), -int(found.high[hi - 1])) if hi > lo else (2**31, 0)
        for lo, hi in zip(found.start[:-1].tolist(), found.start[1:].tolist(), strict=True)
    ]
    order = sorted(range(len(labels)), key=ends.__getitem__)
    place = np.empty(len(labels), dtype=np.int32)
    place[order] = np.arange(len(labels), dtype=np.int32)
    runs = []
    for label in range(len(labels)):
        inside = _inside(found, label)
        inside[label] = True
        runs.append(_runs(np.sort(place[inside])))
    return from_runs(runs, place)


def _inside(found: Matching, label: int) -> Flags:
    """Per label: whether each of its runs lies in one of this label's, and it has some."""
    here = slice(int(found.start[label]), int(found.start[label + 1]))
    if here.start == here.stop:
        return np.zeros(len(found), dtype=np.bool_)
    low, high = found.low[here], found.high[here]
    spot = np.maximum(np.searchsorted(low, found.low, side="right") - 1, 0)
    good = (low[spot] <= found.low) & (found.high <= high[spot])
    total = np.concatenate([[0], np.cumsum(good)])
    lengths = np.diff(found.start)
    inside: Flags = (total[found.start[1:]] - total[found.start[:-1]] == lengths) & (lengths > 0)
    return inside


def _runs(places: Codes) -> list[Run]:
    """Ascending places as runs."""
    breaks = np.flatnonzero(np.diff(places) > 1)
    first = np.concatenate([places[:1], places[breaks + 1]])
    last = np.concatenate([places[breaks], places[-1:]])
    return list(zip(first.tolist(), last.tolist(), strict=True))


def _in_any_case(labels: Labels, hierarchy: Hierarchy | None) -> Matching:
    """Label a lies within b if they are equal, b is the top, a value of b, or b a node above.

    What is masked may be a number: without a hierarchy, only values as long as the mask are in it.
    """
    exact = _values(labels, hierarchy)
    values = Domain(Kind.TEXT, np.array(sorted(exact), dtype=object))
    found = match(labels, values, hierarchy)
    value = {label: code for code, label in enumerate(values.labels.tolist(), start=1)}
    others = [label for label in labels if label not in value]
    number = {label: int(found.place[code]) - 1 for label, code in value.items()}
    at: dict[str | None, int] = {**number}
    at.update({label: len(value) + i for i, label in enumerate(others)})
    length = {place: len(label) for label, place in number.items()}
    below = _below(labels, hierarchy)
    tops = {TOP} if hierarchy is None else {TOP, hierarchy.labels[-1][0]}
    runs = []
    for i, label in enumerate(labels):
        if label in tops:
            runs.append([(0, len(labels) - 1)])
            continue
        here = zip(found.low[_slice(found, i)], found.high[_slice(found, i)], strict=True)
        inner = [one for lo, hi in here if hi > 0 for one in range(int(lo) - 1, int(hi))]
        if hierarchy is None and label is not None and label.endswith(TOP):
            inner = [one for one in inner if length[one] == len(label)]
        nodes = (at[node] for node in below.get(label, ()))
        runs.append(runs_of([at[label], *inner, *nodes]))
    place = np.array([at[label] for label in labels], dtype=np.int32)
    return from_runs(runs, place)


def _slice(found: Matching, label: int) -> slice:
    return slice(int(found.start[label]), int(found.start[label + 1]))


def _values(labels: Labels, hierarchy: Hierarchy | None) -> list[str]:
    """The labels that are sure to be one value: leaves, or else numbers and moments.

    A year is none where months or days are shown too, nor is a day where hours are: it may be all
    that lies in it.
    """
    shown = [label for label in labels if label is not None]
    if hierarchy is not None:
        leaves = _leaf_labels(hierarchy)
        return [label for label in shown if label in leaves]
    finest = max((_fineness(label) for label in shown), default=0)
    return [label for label in shown if _is_value(label, finest)]


def _is_value(label: str, finest: int) -> bool:
    date = parse_date(label)
    if date is None or (label.isdecimal() and len(label) != 4):
        return parse_number(label) is not None
    unit = _UNITS.index(np.datetime_data(date.dtype)[0])
    return unit >= finest and (unit >= _UNITS.index("D") or parse_number(label) is not None)


def _fineness(label: str) -> int:
    """The finest unit of time in which a label or the bounds of an interval are written."""
    bounds = read_any_bounds(label)
    ends = (label,) if bounds is None else (bounds.low, bounds.high)
    dates = [parse_date(end) for end in ends if end is not None]
    units = (np.datetime_data(date.dtype)[0] for date in dates if date is not None)
    return max((_UNITS.index(unit) for unit in units), default=0)


def _leaf_labels(hierarchy: Hierarchy) -> frozenset[str]:
    """What leaves show, unless an inner node shows the same."""
    inner = set(chain.from_iterable(labels.tolist() for labels in hierarchy.labels[1:]))
    return frozenset(hierarchy.labels[0].tolist()) - inner


def _below(labels: Labels, hierarchy: Hierarchy | None) -> dict[str | None, set[str]]:
    """By label: the nodes of the release that stand below it in the hierarchy, wherever they do."""
    if hierarchy is None:
        return {}
    shown = {label for label in labels if label is not None}
    below: dict[str | None, set[str]] = {}
    for label, higher in _above(shown, hierarchy).items():
        for other in higher & shown:
            below.setdefault(other, set()).add(label)
    return below


def _above(shown: set[str], hierarchy: Hierarchy) -> dict[str, set[str]]:
    """By label: what stands above each of the nodes that show it, the top apart."""
    above: dict[str, set[str]] = {}
    for level in range(hierarchy.height):
        first = hierarchy.bounds[level][0][1:]
        for node, label in enumerate(hierarchy.labels[level].tolist()):
            if label in shown:
                higher = {
                    hierarchy.labels[h][hierarchy.maps[h, first[node]] - 1]
                    for h in range(level + 1, hierarchy.height)
                }
                above[label] = above[label] & higher if label in above else higher
    return above
