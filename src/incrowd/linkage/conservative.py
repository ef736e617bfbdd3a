"""k-anonymity in every possible world (Bettini Section 6), and uses that prove nothing (Section 5).

Nothing is known of the world except that every released row is about a different person. A row
whose values decode within what another row decodes to is then about one of the other's candidates
in every world; any other row may be about somebody outside. So the individuals that are certain to
be candidates of a row are exactly the rows that decode within it. Theorem 4 counts the equal ones
among them and is sufficient; counting all of them is also necessary.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Literal, TypeAlias

import numpy as np

from incrowd.arrays import Codes, Counts, Flags
from incrowd.hierarchy.decoding import Run, runs_of
from incrowd.hierarchy.foreign_labels import read_any_bounds
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.hierarchy.labels import TOP, parse_date, parse_number
from incrowd.linkage.atoms import atom_sets_of, tuples_of
from incrowd.linkage.identify import smallest_crowd
from incrowd.linkage.index import make_index
from incrowd.linkage.matching import Matching, match, matching_of_runs
from incrowd.linkage.world import World, check_names
from incrowd.partition.csr import offsets
from incrowd.table.column import CodedColumn, Domain, Kind

Labels: TypeAlias = list[str | None]

_UNITS = ("Y", "M", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as")
"""Units of time, the finest last."""


@dataclass(frozen=True, eq=False)
class Conservative:
    """The k of a release against every possible world."""

    names: tuple[str, ...]
    equal: Counts = field(repr=False)
    """Per row: individuals whose rows show the same (Theorem 4)."""
    sure: Counts = field(repr=False)
    """Per row: individuals who are among its candidates in every possible world."""
    complete: bool
    """Whether decodings were compared value by value; otherwise `sure` may be too small."""

    @property
    def k(self) -> int | None:
        """The k of conservative k-anonymity by Theorem 4; None without rows."""
        return int(self.equal.min()) if len(self.equal) else None

    @property
    def k_sure(self) -> int | None:
        """The k of every possible world by what rows decode to, at least `k`; None without rows."""
        return int(self.sure.min()) if len(self.sure) else None


def conservative_k(
    release: Mapping[str, CodedColumn],
    hierarchies: Mapping[str, Hierarchy] | None = None,
    *,
    on: Sequence[str] | None = None,
    unit: Codes | None = None,
    complete: bool = False,
) -> Conservative:
    """Compute the k of a release against every possible world (Definitions 7, 8, Theorem 4).

    `on` are the public columns, by default all; `PolicyError` if one is unknown. Every row is about
    a different person; with a `unit`, rows of one unit are about one person. `complete` says that
    the leaves of every hierarchy are all possible values, and that everybody knows so: decodings
    are then compared leaf by leaf. Otherwise a label lies within another only if that holds
    whatever other values exist: it is one of the values that the other stands for, or the other is
    a node above it.
    """
    names = tuple(release if on is None else dict.fromkeys(on))
    nothing = "no public columns are named"
    check_names(names, tuple(release), "the release has no column {}", nothing)
    columns = [release[name] for name in names]
    trees = [(hierarchies or {}).get(name) for name in names]
    itself = World({name: release[name] for name in names}, unit)
    equal = _individuals_within(itself, columns, [None] * len(columns), complete=False, equal=True)
    sure = _individuals_within(itself, columns, trees, complete=complete, equal=False)
    return Conservative(names, equal, sure, complete)


def _individuals_within(
    itself: World,
    columns: Sequence[CodedColumn],
    trees: Sequence[Hierarchy | None],
    *,
    complete: bool,
    equal: bool,
) -> Counts:
    """Per row, how many individuals have a row that decodes within it (`equal`: shows the same)."""
    sets = [
        atom_sets_of(_labels_within(column, tree, complete=complete, equal=equal))
        for column, tree in zip(columns, trees, strict=True)
    ]
    lines = [one.of[column.codes] for column, one in zip(columns, sets, strict=True)]
    tuple_of, tuples = tuples_of(lines, sets)
    return make_index(itself, itself.names, sets, tuples).counts()[tuple_of]


Unsound: TypeAlias = Literal["only 1-QIs", "subset", "one by one"]


@dataclass(frozen=True)
class Caution:
    """A use of quasi-identifiers that does not give k-anonymity (Bettini Section 5)."""

    kind: Unsound
    columns: tuple[str, ...]
    """The public columns that are left out, or all of them where sets are taken one by one."""
    text: str


def cautions(
    public: Sequence[str], declared: Sequence[Sequence[str]], k: int, world: World | None = None
) -> tuple[Caution, ...]:
    """Say what is wrong with making each of these sets of columns anonymous by itself, if anything.

    Only a set with all public columns is enough (Theorems 2 to 4 and 6). A world also shows whether
    the columns left out single out nobody and still name groups of fewer than k (Section 5.1).
    """
    everything = set(public)
    if any(everything <= set(columns) for columns in declared):
        return ()
    used = set().union(*map(set, declared)) if declared else set()
    left = tuple(name for name in public if name not in used)
    names, found = ", ".join(left), []
    if len(declared) > 1:
        text = (
            f"{len(declared)} quasi-identifiers that are k-anonymous one by one prove nothing for"
            f" all public columns together ({', '.join(public)}): use these as one quasi-identifier"
        )
        found.append(Caution("one by one", tuple(public), text))
    if left:
        text = (
            f"the world also knows {names}: k-anonymity of some public columns proves nothing for"
            " all of them together"
        )
        found.append(Caution("subset", left, text))
    if left and world is not None and 1 < (smallest := smallest_crowd(world, left)) < k:
        text = (
            f"{names} single out nobody, but narrow somebody down to {smallest:,} people, fewer"
            f" than {k:,}: treat them as quasi-identifiers too"
        )
        found.append(Caution("only 1-QIs", left, text))
    return tuple(found)


def _labels_within(
    column: CodedColumn, hierarchy: Hierarchy | None, *, complete: bool, equal: bool
) -> Matching:
    """The labels, as codes, that decode within each label; if `equal`, the label itself alone."""
    labels: Labels = [None, *column.domain.labels.tolist()]
    held = np.bincount(column.codes, minlength=len(labels)) > 0
    if equal:
        runs = [[(code, code)] for code in range(len(labels))]
        return matching_of_runs(runs, np.arange(len(labels), dtype=np.int32)).keep_held(held)
    if complete and hierarchy is not None:
        return _match_leaf_by_leaf(labels, hierarchy).keep_held(held)
    return _match_in_every_case(labels, hierarchy).keep_held(held)


def _match_leaf_by_leaf(labels: Labels, hierarchy: Hierarchy) -> Matching:
    """Match labels with those that lie within them: a within b if b has every leaf of a."""
    matching = match(labels, hierarchy.leaves, hierarchy)
    ends = [
        (int(matching.low[lo]), -int(matching.high[hi - 1])) if hi > lo else (2**31, 0)
        for lo, hi in zip(matching.start[:-1].tolist(), matching.start[1:].tolist(), strict=True)
    ]
    order = sorted(range(len(labels)), key=ends.__getitem__)
    place = np.empty(len(labels), dtype=np.int32)
    place[order] = np.arange(len(labels), dtype=np.int32)
    runs = []
    for label in range(len(labels)):
        inside = _runs_inside(matching, label)
        inside[label] = True
        runs.append(_runs_of_places(np.sort(place[inside])))
    return matching_of_runs(runs, place)


def _runs_inside(matching: Matching, label: int) -> Flags:
    """Flags of the labels that have runs, all of which lie in runs of this label."""
    here = slice(int(matching.start[label]), int(matching.start[label + 1]))
    if here.start == here.stop:
        return np.zeros(len(matching), dtype=np.bool_)
    low, high = matching.low[here], matching.high[here]
    spot = np.maximum(np.searchsorted(low, matching.low, side="right") - 1, 0)
    good = (low[spot] <= matching.low) & (matching.high <= high[spot])
    lengths = np.diff(matching.start)
    return np.asarray((np.diff(offsets(good)[matching.start]) == lengths) & (lengths > 0))


def _runs_of_places(places: Codes) -> list[Run]:
    """Turn ascending places into runs: first and last of each."""
    breaks = np.flatnonzero(np.diff(places) > 1)
    first = np.concatenate([places[:1], places[breaks + 1]])
    last = np.concatenate([places[breaks], places[-1:]])
    return list(zip(first.tolist(), last.tolist(), strict=True))


def _match_in_every_case(labels: Labels, hierarchy: Hierarchy | None) -> Matching:
    """Match labels with those that lie within them whatever other values exist.

    Label a lies within b if a = b, b is the top, a is a value of b, or b is a node above a. A
    masked label may be a number: without a hierarchy, it holds only values of its own length.
    """
    exact = _labels_of_one_value(labels, hierarchy)
    values = Domain(Kind.TEXT, np.array(sorted(exact), dtype=object))
    found = match(labels, values, hierarchy)
    value = {label: code for code, label in enumerate(values.labels.tolist(), start=1)}
    others = [label for label in labels if label not in value]
    number = {label: int(found.place[code]) - 1 for label, code in value.items()}
    at: dict[str | None, int] = {**number}
    at.update({label: len(value) + i for i, label in enumerate(others)})
    length = {place: len(label) for label, place in number.items()}
    below = _nodes_below(labels, hierarchy)
    tops = {TOP} if hierarchy is None else {TOP, hierarchy.labels[-1][0]}
    runs = []
    for i, label in enumerate(labels):
        if label in tops:
            runs.append([(0, len(labels) - 1)])
            continue
        inner = [one for lo, hi in found.runs(i) if hi > 0 for one in range(lo - 1, hi)]
        if hierarchy is None and label is not None and label.endswith(TOP):
            inner = [one for one in inner if length[one] == len(label)]
        nodes = (at[node] for node in below.get(label, ()))
        runs.append(runs_of([at[label], *inner, *nodes]))
    place = np.array([at[label] for label in labels], dtype=np.int32)
    return matching_of_runs(runs, place)


def _labels_of_one_value(labels: Labels, hierarchy: Hierarchy | None) -> list[str]:
    """The labels that are certainly one value: leaves, or else numbers and moments.

    A year is not one where months or days are shown too, nor is a day where hours are: it may stand
    for everything that lies in it.
    """
    shown = [label for label in labels if label is not None]
    if hierarchy is not None:
        leaves = _leaf_labels(hierarchy)
        return [label for label in shown if label in leaves]
    finest = max((_fineness(label) for label in shown), default=0)
    return [label for label in shown if _is_value(label, finest)]


def _is_value(label: str, finest: int) -> bool:
    """Whether a label is a number, or a year, day or moment no coarser than `_UNITS[finest]`."""
    date = parse_date(label)
    if date is None or (label.isdecimal() and len(label) != 4):
        return parse_number(label) is not None
    unit = _UNITS.index(np.datetime_data(date.dtype)[0])
    return unit >= finest and (unit >= _UNITS.index("D") or parse_number(label) is not None)


def _fineness(label: str) -> int:
    """The place in `_UNITS` of the finest unit of time in a label or its bounds; 0 without one."""
    bounds = read_any_bounds(label)
    ends = (label,) if bounds is None else (bounds.low, bounds.high)
    dates = [parse_date(end) for end in ends if end is not None]
    units = (np.datetime_data(date.dtype)[0] for date in dates if date is not None)
    return max((_UNITS.index(unit) for unit in units), default=0)


def _leaf_labels(hierarchy: Hierarchy) -> frozenset[str]:
    """The labels of leaves that no inner node has too."""
    inner = set(chain.from_iterable(labels.tolist() for labels in hierarchy.labels[1:]))
    return frozenset(hierarchy.labels[0].tolist()) - inner


def _nodes_below(labels: Labels, hierarchy: Hierarchy | None) -> dict[str | None, set[str]]:
    """By label but the top: the labels of the release whose nodes all lie below it, if any."""
    if hierarchy is None:
        return {}
    shown = {label for label in labels if label is not None}
    below: dict[str | None, set[str]] = {}
    for label, higher in _labels_above(shown, hierarchy).items():
        for other in higher & shown:
            below.setdefault(other, set()).add(label)
    return below


def _labels_above(shown: set[str], hierarchy: Hierarchy) -> dict[str, set[str]]:
    """By label: the labels above every node that shows it, without the top."""
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
