"""Who in the world each released tuple may be, found without listing what a tuple decodes to.

If the sets of every column fit into few layers without overlap, rows of the world are looked up
among the tuples, one pattern of layers after the other. Otherwise the distinct rows of the world
form a tree of boxes, and every tuple is a query.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from math import prod
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Codes, Counts, Floats
from incrowd.kernels import histogram
from incrowd.kernels.linkage import world_tree
from incrowd.linkage.atoms import AtomSets, WorldPoints, distinct_rows_as_points, rows_as_points
from incrowd.linkage.world import World
from incrowd.partition.classes import number_columns
from incrowd.partition.csr import Rows, group_by_owner, offsets
from incrowd.table.fold import find_distinct, in_threads, threads

Method: TypeAlias = Literal["auto", "rows", "layers", "tree"]

_KEY_LIMIT = 2**62
_BLOCK = 2**15
_SMALL = 2**16
_DIRECT = 2
"""With more patterns than this, the rows of the world are folded before the lookup."""
_PASSES = 16
"""Building a tree costs as much as this many passes over the points."""
_PER_TUPLE = 250
"""One query of a tree costs as much as looking up this many points."""


Index: TypeAlias = "LayerLookup | BoxTree"
"""Finds the points of tuples, and counts the individuals that each tuple may be."""


def make_index(
    world: World,
    names: Sequence[str],
    sets: Sequence[AtomSets],
    tuples: Codes,
    method: Method = "auto",
) -> Index:
    """Make an index for the tuples, given as one set per column: shape (d, tuples).

    `rows` looks up all rows of the world, `layers` its distinct ones, `tree` queries a tree; `auto`
    takes the fastest. If a column has no layers (`AtomSets.layers`), it is always a tree.
    """
    layers = [one.layers for one in sets]
    patterns = None if method == "tree" else _group_patterns(sets, layers, tuples)
    if patterns is None:
        return BoxTree(distinct_rows_as_points(world, names, sets), tuple(sets), tuples)
    if method == "rows" or (method == "auto" and len(patterns) <= _DIRECT):
        return LayerLookup(rows_as_points(world, names, sets), tuple(patterns), tuples)
    points = distinct_rows_as_points(world, names, sets)
    passes = _PASSES + _PER_TUPLE * tuples.shape[1] / max(points.number, 1)
    if method == "auto" and len(patterns) > passes:
        return BoxTree(points, tuple(sets), tuples)
    return LayerLookup(points, tuple(patterns), tuples)


@dataclass(frozen=True, eq=False, repr=False)
class Pattern:
    """Tuples whose sets are in the same layers, and those layers: the set of each atom plus 1."""

    tuples: Counts
    layers: tuple[Codes, ...]


def _group_patterns(
    sets: Sequence[AtomSets], layers: Sequence[tuple[Codes, ...] | None], tuples: Codes
) -> list[Pattern] | None:
    """Group tuples whose sets are in the same layers; None if a column has no layers."""
    every = [found for found in layers if found is not None]
    if len(every) < len(sets):
        return None
    of = [one.layer_of(found) for one, found in zip(sets, every, strict=True)]
    used = np.stack([line[row] for line, row in zip(of, tuples, strict=True)])
    pattern_of, number = number_columns(used)
    patterns = []
    for p in range(number):
        here = np.flatnonzero(pattern_of == p)
        chosen = (found[used[j, here[0]]] for j, found in enumerate(every))
        patterns.append(Pattern(here, tuple(chosen)))
    return patterns


@dataclass(frozen=True, eq=False, repr=False)
class LayerLookup:
    """Points looked up among the tuples, pattern by pattern."""

    points: WorldPoints
    patterns: tuple[Pattern, ...]
    tuples: Codes

    def counts(self) -> Counts:
        """Count how many individuals each tuple may be, by looking points up."""
        total = np.zeros(self.tuples.shape[1], dtype=np.int64)
        for pattern, place in zip(self.patterns, self._places, strict=True):
            total[pattern.tuples] = _count_people(self.points, place, len(pattern.tuples))
        return total

    def members(self, tuples: Codes) -> Rows:
        """List the points that each of these tuples may be, in compressed rows."""
        wanted = np.full(self.tuples.shape[1] + 1, -1, dtype=np.int32)
        wanted[tuples] = np.arange(len(tuples), dtype=np.int32)
        which, points = [tuples[:0]], [tuples[:0]]
        for pattern, place in zip(self.patterns, self._places, strict=True):
            asked = np.append(wanted[pattern.tuples], np.int32(-1))[place]
            here = np.flatnonzero(asked >= 0)
            which.append(asked[here])
            points.append(here.astype(np.int32))
        of, point = np.concatenate(which), np.concatenate(points)
        start, order = group_by_owner(of, len(tuples))
        return start, point[order]

    @cached_property
    def _places(self) -> list[Codes]:
        """Per pattern: which of its tuples each point may be, -1 for none."""
        return [self._look_up_tuples(pattern) for pattern in self.patterns]

    def _look_up_tuples(self, pattern: Pattern) -> Codes:
        """The index, in the pattern, of the tuple that each point may be; -1 for none."""
        digits = [
            layer[atom] for layer, atom in zip(pattern.layers, self.points.atoms, strict=True)
        ]
        asked = self.tuples[:, pattern.tuples] + np.int32(1)
        place = np.empty(self.points.number, dtype=np.int32)
        stages = _lookup_stages(asked, [int(layer.max()) + 1 for layer in pattern.layers])
        look = partial(_fill_places, self.points.lines, digits, stages, place)
        in_threads([partial(look, here) for here in _chunks(self.points.number)])
        return place


@dataclass(frozen=True, eq=False, repr=False)
class _LookupStage:
    """Columns whose digits fit one key, and the index of each key among those of the tuples."""

    columns: range
    radices: tuple[int, ...]
    slots: NDArray[np.uint64]
    number: Codes


def _lookup_stages(asked: Codes, radices: Sequence[int]) -> list[_LookupStage]:
    """Make tables to look up tuples in, one after the other.

    `asked` are the digits of the tuples, shape (d, tuples), each below the radix of its column. The
    number found in one stage, plus 1, is the first digit of the next. Digit 0 means "not found" at
    every stage, so a miss is passed on to the last.
    """
    stages: list[_LookupStage] = []
    of = np.zeros(asked.shape[1], dtype=np.int32)
    done, first = 0, 1
    while done < len(radices):
        last = done + 1
        while last < len(radices) and first * prod(radices[done : last + 1]) <= _KEY_LIMIT:
            last += 1
        keys = of.astype(np.uint64) + np.uint64(done > 0)
        for j in range(done, last):
            keys = keys * np.uint64(radices[j]) + asked[j].astype(np.uint64)
        final = last == len(radices)
        found, place = (keys, of) if final else find_distinct(keys, 2**63)
        slots, number = _hash_keys(found)
        stages.append(_LookupStage(range(done, last), tuple(radices[done:last]), slots, number))
        of, first, done = place, len(found) + 1, last
    return stages


def _hash_keys(keys: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], Codes]:
    """A hash table of the keys, and at each slot the number of its key."""
    size = 2 ** max(4, (2 * len(keys)).bit_length())
    slots, number = np.zeros(size, dtype=np.uint64), np.zeros(size, dtype=np.int32)
    world_tree.fill_hash_table(keys, slots, number)
    return slots, number


def _fill_places(
    lines: Sequence[Codes],
    digits: Sequence[Codes],
    stages: Sequence[_LookupStage],
    place: Codes,
    here: tuple[int, int],
) -> None:
    """Fill `place` with the tuple of each point in the range `here`, -1 for none.

    It goes in blocks that stay in a cache. `digits` has the digit of each code, per column.
    """
    buffer = np.empty(_BLOCK, dtype=np.uint64)
    for lo in range(*here, _BLOCK):
        hi = min(lo + _BLOCK, here[1])
        keys, found = buffer[: hi - lo], place[lo:hi]
        for i, stage in enumerate(stages):
            keys[:] = found + 1 if i else 0
            for j, radix in zip(stage.columns, stage.radices, strict=True):
                codes = lines[j][lo:hi]
                world_tree.append_translated(codes, digits[j], np.uint64(radix), keys)
            world_tree.look_up_keys(keys, stage.slots, stage.number, found)


def _count_people(points: WorldPoints, place: Codes, number: int) -> Counts:
    """Count the individuals of each tuple, once each; `place` is the tuple of a point, or -1."""
    if points.people is None:
        total = np.zeros(number, dtype=np.int64)
        world_tree.count_places(place, total)
        return total
    people = histogram.sum_by_class(place, points.people, number)
    if len(points.shared_point):
        of = place[points.shared_point]
        units = int(points.shared_unit.max()) + 1
        people += histogram.count_distinct_units(of, points.shared_unit, number, units)
    return people


class _PlacedTree(NamedTuple):
    """Points in a tree: place p of the tree holds point `origin[p]`."""

    tree: tuple[Codes, Codes, Codes]
    """Codes per place, and the smallest and the largest per part (`kernels.linkage.world_tree`)."""
    origin: Codes
    people: tuple[Counts, Counts, Codes]
    """People with no other point before each place; those with several, in compressed rows."""


@dataclass(frozen=True, eq=False, repr=False)
class BoxTree:
    """Points in a tree of boxes; every tuple is a query."""

    points: WorldPoints
    sets: tuple[AtomSets, ...]
    tuples: Codes

    def counts(self) -> Counts:
        """Count how many individuals each tuple may be, by a query for each."""
        boxes = self._boxes(np.arange(self.tuples.shape[1]))
        total = np.zeros(len(boxes), dtype=np.int64)
        if self.points.number:
            tree, _, people = self._tree
            order, width = self._order_by_place(boxes), len(boxes)
            boxes, near = boxes[order], np.zeros(width, dtype=np.int64)
            ask = partial(world_tree.count_people_in_boxes, tree, self._sets)
            parts = [slice(*here) for here in _chunks(width, few=64)]
            in_threads([partial(ask, boxes[part], people, near[part]) for part in parts])
            total[order] = near
        return total

    def _order_by_place(self, boxes: Codes) -> Codes:
        """An order of boxes, by place in `boxes`, in which near ones are queried in succession."""
        start, low, high = self._sets
        middle = (low[start[boxes]] + high[start[boxes + 1] - 1]) // 2
        return _build_tree(middle.astype(np.int32), self._atom_counts)[1]

    @property
    def _atom_counts(self) -> Floats:
        """The number of atoms of each column, 1 at least."""
        return np.array([max(one.atoms, 1) for one in self.sets], dtype=np.float64)

    def members(self, tuples: Codes) -> Rows:
        """List the points that each of these tuples may be, in compressed rows."""
        boxes = self._boxes(tuples)
        start = np.zeros(len(boxes) + 1, dtype=np.int64)
        if not self.points.number:
            return start, np.empty(0, dtype=np.int32)
        tree, origin, _ = self._tree
        world_tree.list_points_in_boxes(tree, self._sets, boxes, start, np.empty(0, dtype=np.int32))
        point = np.empty(start[-1], dtype=np.int32)
        world_tree.list_points_in_boxes(tree, self._sets, boxes, start, point)
        return start, origin[point]

    def _boxes(self, tuples: NDArray[Any]) -> Codes:
        """The sets of each tuple, numbered through all columns: one line per tuple."""
        first = offsets([len(one) for one in self.sets[:-1]])
        return np.ascontiguousarray((self.tuples[:, tuples].T + first).astype(np.int32))

    @cached_property
    def _sets(self) -> tuple[Counts, Codes, Codes]:
        """Where the runs of each set of all columns start, and each run's low and high atom."""
        first = offsets([len(one.low) for one in self.sets])
        starts = [one.start[:-1] + at for one, at in zip(self.sets, first[:-1], strict=True)]
        start = np.concatenate([*starts, first[-1:]]).astype(np.int64)
        low = np.concatenate([one.low for one in self.sets])
        return start, low, np.concatenate([one.high for one in self.sets])

    @cached_property
    def _tree(self) -> "_PlacedTree":
        """The points sorted into a tree, with the people at its places."""
        points = self.points
        cells = np.ascontiguousarray(np.stack(points.lines).T)
        tree, origin = _build_tree(cells, self._atom_counts)
        alone = np.ones(points.number, dtype=np.int64) if points.people is None else points.people
        people = offsets(alone[origin]), *self._shared_individuals(origin)
        return _PlacedTree(tree, origin, people)

    def _shared_individuals(self, origin: Codes) -> Rows:
        """The individuals with several points, by place in the tree, in compressed rows."""
        at = np.empty(len(origin), dtype=np.int64)
        at[origin] = np.arange(len(origin))
        start, order = group_by_owner(at[self.points.shared_point], len(origin))
        return start, self.points.shared_unit[order]


def _build_tree(cells: Codes, width: Floats) -> tuple[tuple[Codes, Codes, Codes], Codes]:
    """Sort points into a tree of boxes, `cells` in place; return it and the point at each place.

    `width` is the number of atoms of each column. The first parts are halved one after the other
    until every thread has some below.
    """
    kernels, number = world_tree, len(cells)
    parts = 2 * 2 ** (number // kernels.LEAF).bit_length() + 1
    box = np.zeros((2, parts, cells.shape[1]), dtype=np.int32)
    origin = np.arange(number, dtype=np.int32)
    tree = (cells, box[0], box[1])
    todo = [(0, 0, number)]
    while number >= _SMALL and len(todo) < threads():
        part, lo, hi = todo.pop(0)
        middle = kernels.halve_part(tree, origin, width, part, lo, hi)
        todo += [(2 * part + 1, lo, middle), (2 * part + 2, middle, hi)]
    in_threads([partial(kernels.build_tree, tree, origin, width, *part) for part in todo])
    return tree, origin


def _chunks(length: int, few: int = _SMALL) -> list[tuple[int, int]]:
    """Begin and end of each run, one a thread, that a length is cut into; one run below `few`."""
    number = threads() if length >= few else 1
    return list(pairwise(length * i // number for i in range(number + 1)))
