"""Choosing the cells that labels of an ordered column may end on.

Candidates are round intervals (`hierarchy.rounding`); where the user gave a hierarchy, its nodes,
too, and only its nodes from a lowest level on; where a step was declared, only its multiples. Cells
begin and end where a candidate with at least k people does, so no end points at a few people. Of
all ways to part the column into cells of at least k people, the one with the least sum of people
times width is taken. The outermost cells are open, unless they show a single value or a node of a
given hierarchy.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from math import inf

import numpy as np

from incrowd.arrays import Codes, Counts, Flags, Floats
from incrowd.hierarchy.cells import (
    CellGaps,
    CellGrid,
    CutPoints,
    best_parts,
    grid_of,
    limited_parts,
)
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.hierarchy.labels import (
    LASTING,
    Bounds,
    ends_of,
    node_reach,
    parse_date,
    reach_of,
    step_of,
    write_bounds,
    write_dates,
)
from incrowd.hierarchy.rounding import Step, decimal_unit, round_intervals, text_of
from incrowd.table.column import Domain, Kind

_MOST_MARKS = 6_000
"""Places where cells may be parted; if there are more, only those between larger crowds count."""
_LARGEST = 2.0**53
"""Whole numbers up to here are exact as floats."""
_FARTHEST = 1e300
"""Round numbers are found up to here."""


@dataclass(frozen=True)
class CellConditions:
    """The conditions on the cells of a column."""

    k: int
    """People that every cell holds at least."""
    lowest: int = 0
    """The lowest level of the hierarchy that may be shown: its nodes are joined to cells."""
    highest: int | None = None
    """The highest one: cells lie inside its nodes, even if these hold fewer people."""
    widest: float = inf
    """The largest extent of a cell, on the scale of `Domain.positions`."""
    step: Step | None = None
    """The step that was declared: its intervals are joined to cells."""
    given: bool = False
    """Whether the user chose the hierarchy."""


def choose_cells(
    hierarchy: Hierarchy, people: Counts, ask: CellConditions, present: Counts | None = None
) -> CellGrid | None:
    """The cells of an ordered column; None if the table holds none of its values.

    `people` are those of each code, entry 0 for the missing; whoever has several values counts for
    one of them. `present` is above 0 for every value that a cell must cover, also if nobody counts
    for it; those with people if not given. `PolicyError` if the step is not of the column's kind.
    """
    held = (np.flatnonzero((people if present is None else present)[1:]) + 1).astype(np.int32)
    if not len(held):
        return None
    line = _ValueLine(hierarchy, held, np.diff(np.cumsum(people)[np.append(0, held)]), ask)
    return line.grid_by_names() if line.ends_are_names else line.grid_by_places()


@dataclass(frozen=True, eq=False)
class _ValueLine:
    """The values that a table holds, in order, and the conditions on their cells."""

    hierarchy: Hierarchy
    held: Codes
    people: Counts
    """People of each held value."""
    ask: CellConditions

    @cached_property
    def people_before(self) -> Counts:
        """People on the values before each held one; all people at the end."""
        return np.concatenate([[0], np.cumsum(self.people)]).astype(np.int64)

    @cached_property
    def place(self) -> Floats:
        """The places of the held values on the column's scale, ascending."""
        return np.asarray(self.hierarchy.leaves.positions[self.held - 1])

    @property
    def _edges(self) -> tuple[float, float]:
        """The places of the smallest and the largest held value."""
        return float(self.place[0]), float(self.place[-1])

    @cached_property
    def ends_are_names(self) -> bool:
        """Whether ends are names: of an ordered list, of nodes without bounds, of giant numbers."""
        leaves, ask = self.hierarchy.leaves, self.ask
        if leaves.kind is Kind.TEXT:
            return True
        largest = _LARGEST if leaves.values.dtype.kind == "i" else _FARTHEST
        if leaves.kind is Kind.NUMBER and not np.abs(self.place).max() < largest:
            return True
        labels = self.hierarchy.labels[ask.lowest] if ask.lowest and ask.step is None else ()
        return any(reach_of(label, leaves) is None for label in labels)

    @property
    def ends_at_nodes(self) -> bool:
        """Whether cells end where nodes of the hierarchy do."""
        ask = self.ask
        chosen = ask.given or ask.lowest > 0 or ask.highest is not None
        return ask.step is None and self.hierarchy.height > 1 and chosen

    def grid_by_names(self) -> CellGrid:
        """Cells that join nodes of the lowest level, written by the nodes' names."""
        nodes = self.hierarchy.maps[self.ask.lowest][self.held]
        gap = np.append(0, np.flatnonzero(np.diff(nodes)) + 1)
        gap = np.append(gap, len(nodes)).astype(np.int64)
        low = np.append(self.place[gap[:-1]], self.place[-1])
        high = np.append(self.place[0], self.place[gap[1:] - 1])
        at = self._best_marks(gap, low, high)
        first, last = self.held[gap[at[:-1]]], self.held[gap[at[1:]] - 1]
        bounds = self.hierarchy.bounds[self.ask.lowest]
        of = self.hierarchy.maps[self.ask.lowest]
        names = self.hierarchy.labels[self.ask.lowest]
        ends = [
            (str(names[a - 1]), str(names[b - 1]))
            for a, b in zip(of[first].tolist(), of[last].tolist(), strict=True)
        ]
        written = [Bounds(a, b, high_inside=True) for a, b in ends]
        labels = [a if a == b else write_bounds(w) for (a, b), w in zip(ends, written, strict=True)]
        run = bounds[0][of[first]], bounds[1][of[last]]
        place = self.hierarchy.leaves.positions
        low, high = place[run[0] - 1].copy(), place[run[1] - 1].copy()
        for c, (a, b) in enumerate(ends if self.ask.lowest else []):
            low[c] = (node_reach(a, self.hierarchy.leaves) or low[[c]])[0]
            high[c] = (node_reach(b, self.hierarchy.leaves) or high[[c]])[-1]
        reach = np.clip(low, *self._edges), np.clip(high, *self._edges)
        return grid_of(len(place), run, reach, written, labels)

    def grid_by_places(self) -> CellGrid:
        """Cells that begin and end at places on the column's scale."""
        marks = self._find_marks()
        low, high = self._cell_reach(marks)
        at = self._best_marks(marks.gap, low, high)
        begins, ends = marks.take(at[:-1]), marks.take(at[1:])
        first, last = self._cell_leaves(begins, ends)
        exact = self._exact_cells(begins, ends)
        alone, code = self.place[begins.gap], self.held[begins.gap]
        low = np.where(exact, alone, low[at[:-1]])
        high = np.where(exact, alone, high[at[1:]])
        first, last = np.where(exact, code, first), np.where(exact, code, last)
        written = self._cell_bounds(begins, ends, exact)
        runs = zip(first.tolist(), last.tolist(), strict=True)
        cells = [self._cell_label(bounds, run) for bounds, run in zip(written, runs, strict=True)]
        bounds, labels = [cell[0] for cell in cells], [cell[1] for cell in cells]
        low, high = self._widen_to_nodes(labels, low, high)
        return grid_of(len(self.hierarchy.leaves), (first, last), (low, high), bounds, labels)

    def _widen_to_nodes(
        self, labels: list[str], low: Floats, high: Floats
    ) -> tuple[Floats, Floats]:
        """Lower and upper end of each cell; a cell that shows a node reaches as far as the node."""
        bounded = self._bounded_nodes.values() if self.ends_at_nodes else ()
        nodes = {label for _, label in bounded}
        for c, label in enumerate(labels):
            reach = reach_of(label, self.hierarchy.leaves) if label in nodes else None
            if reach is not None:
                low[c], high[c] = np.clip(reach, *self._edges)
        return low, high

    def _best_marks(self, gap: Counts, low: Floats, high: Floats) -> Counts:
        """Marks where the best cells begin, and the last; i to j spans `low[i]` to `high[j]`."""
        people, ask = self.people_before[gap], self.ask
        low, high = self._line_shares(low), self._line_shares(high)
        inner = self._lies_in_nodes
        if not inner and not np.isfinite(ask.widest):
            return np.array([*best_parts(people, low, high, ask.k), len(gap) - 1], dtype=np.int64)
        whole = float(self.place[-1] - self.place[0])
        widest = ask.widest / whole if whole else inf
        stops = np.append(self._top_node_marks(gap) if inner else 0, len(gap) - 1)
        found: list[int] = []
        for first, last in zip(stops[:-1].tolist(), stops[1:].tolist(), strict=True):
            part = slice(first, last + 1)
            begins = limited_parts(people[part], low[part], high[part], ask.k, widest)
            found += [first + begin for begin in begins]
        return np.array([*found, len(gap) - 1], dtype=np.int64)

    def _line_shares(self, place: Floats) -> Floats:
        """Places as shares of the line; by rank if it has no finite length."""
        with np.errstate(over="ignore", invalid="ignore"):
            whole = float(self.place[-1] - self.place[0])
        if not np.isfinite(whole):
            return np.searchsorted(self.place, place) / len(self.place)
        return (place - self.place[0]) / whole if whole else 0.0 * place

    def _top_node_marks(self, gap: Counts) -> Counts:
        """The indices of the marks where a node of the highest level begins."""
        nodes = self.hierarchy.maps[self.ask.highest or 0][self.held]
        begin = np.append(0, np.flatnonzero(np.diff(nodes)) + 1)
        return np.flatnonzero(np.isin(gap, begin))

    def _find_marks(self) -> CellGaps:
        """One mark per gap that may part cells; if too many, only those next to larger crowds."""
        joined = self.ask.lowest > 0 or self.ask.step is not None
        limited = self.ask.highest is not None or bool(np.isfinite(self.ask.widest))
        k = 1 if joined or limited else self.ask.k
        marks = CellGaps.of_points(*self._cut_points(k), self.place)
        while k < self.people_before[-1] and len(marks) > _MOST_MARKS:
            k *= 2
            marks = CellGaps.of_points(*self._cut_points(k), self.place)
        return marks

    def _cut_points(self, least: int) -> tuple[CutPoints, CutPoints]:
        """The points where candidates with `least` people or more begin, and where they end."""
        if not self.ends_at_nodes:
            return self._round_points(least)
        lows, highs = self._node_points(least)
        if self.ask.lowest:
            return lows, highs
        more, further = self._round_points(least)
        return lows + more, highs + further

    def _round_points(self, least: int) -> tuple[CutPoints, CutPoints]:
        """The points where round intervals of `least` people or more begin, and where they end."""
        low, high, people = self._candidates
        crowded = people >= least
        atoms = self._crowded_values(least)
        return (
            CutPoints.just_before(np.concatenate([low[crowded], atoms])),
            CutPoints.just_before(high[crowded]) + CutPoints(atoms, np.ones(len(atoms), np.bool_)),
        )

    @cached_property
    def _candidates(self) -> tuple[Floats, Floats, Counts]:
        """The begins and ends of round intervals, and the people in each."""
        leaves = self.hierarchy.leaves
        scales = list(round_intervals(leaves, leaves.values[self.held - 1], self.ask.step))
        low, high = (np.concatenate(ends) for ends in zip(*scales, strict=True))
        first, last = np.searchsorted(self.place, low), np.searchsorted(self.place, high)
        return low, high, self.people_before[last] - self.people_before[first]

    def _crowded_values(self, least: int) -> Floats:
        """The places that `least` people or more share; none if the values have a step or unit."""
        leaves = self.hierarchy.leaves
        fine = leaves.kind is Kind.NUMBER and self._unit is not None
        if step_of(leaves) or fine or self.ask.step is not None:
            return self.place[:0]
        return self.place[self.people >= least]

    @cached_property
    def _unit(self) -> float | None:
        """The `decimal_unit` of the held numbers; None if they have none."""
        return decimal_unit(self.hierarchy.leaves.values[self.held - 1])

    def _node_points(self, least: int) -> tuple[CutPoints, CutPoints]:
        """The points where nodes of `least` people or more begin, and where they end."""
        lows = highs = CutPoints.just_before(self.place[:0])
        for level in range(self.ask.lowest, self.hierarchy.height):
            nodes = self.hierarchy.maps[level][self.held]
            people = np.bincount(nodes, self.people)
            here = np.unique(nodes[people[nodes] >= least])
            low, high = (end[here] for end in self.hierarchy.reach[level])
            lows += CutPoints.just_before(low)
            highs += self._node_ends(level, here, high)
        return lows.take(np.isfinite(lows.place)), highs.take(np.isfinite(highs.place))

    def _node_ends(self, level: int, nodes: Codes, high: Floats) -> CutPoints:
        """The points where nodes end: the next whole number or day, else as their labels say."""
        leaves = self.hierarchy.leaves
        if step := step_of(leaves):
            return CutPoints.just_before(high + step)
        ends = map(ends_of, self.hierarchy.labels[level][nodes - 1].tolist())
        behind = [bounds.high_inside and not _names_a_day(bounds.high, leaves) for bounds in ends]
        return CutPoints(high, np.array(behind, dtype=np.bool_))

    def _cell_reach(self, marks: CellGaps) -> tuple[Floats, Floats]:
        """Per mark: lower end of a cell that begins at it, upper end of one that ends at it."""
        step = step_of(self.hierarchy.leaves)
        begin, end = marks.begin.place, marks.end.place
        if step == 1:  # a declared step may end between two whole numbers
            begin, end = np.ceil(begin), np.ceil(end)
        last = np.where(marks.end.behind, end, end - step)
        return np.clip(begin, *self._edges), np.clip(last, *self._edges)

    def _cell_leaves(self, begins: CellGaps, ends: CellGaps) -> tuple[Codes, Codes]:
        """First and last leaf of each cell; the outermost reach to the end of line or top node."""
        every = self.hierarchy.leaves.positions
        first, last = begins.begin.gaps(every) + 1, ends.end.gaps(every)
        first[0], last[-1] = 1, len(every)
        if self._lies_in_nodes:
            nodes = self.hierarchy.maps[self.ask.highest or 0][self.held[[0, -1]]]
            low, high = self.hierarchy.bounds[self.ask.highest or 0]
            first[0], last[-1] = low[nodes[0]], high[nodes[1]]
        return first.astype(np.int32), last.astype(np.int32)

    @property
    def _lies_in_nodes(self) -> bool:
        """Whether cells lie inside nodes below the top."""
        return self.ask.highest is not None and self.ask.highest < self.hierarchy.height

    def _node_bounds(self, code: int) -> Bounds:
        """The bounds of the highest level's node that holds a code; open without such a level."""
        if not self._lies_in_nodes:
            return Bounds(None, None)
        level = self.ask.highest or 0
        node = int(self.hierarchy.maps[level][code])
        label = str(self.hierarchy.labels[level][node - 1])
        if reach_of(label, self.hierarchy.leaves) is not None:
            return ends_of(label)
        ends = (int(end[node]) for end in self.hierarchy.bounds[level])
        low, high = (str(self.hierarchy.labels[0][end - 1]) for end in ends)
        return Bounds(low, high, high_inside=True)

    def _exact_cells(self, begins: CellGaps, ends: CellGaps) -> Flags:
        """Flags of the cells that can only be the one value that they hold."""
        single: Flags = ends.gap - begins.gap == 1
        few = self.people_before[-1] < self.ask.k
        if few or self.ask.lowest or self.ask.step is not None:
            return single & False
        unit = step_of(self.hierarchy.leaves)
        if not unit and self.hierarchy.leaves.kind is Kind.NUMBER:
            unit = self._unit or 0.0
        value = self.place[begins.gap]
        behind: Flags = ends.end.behind & (ends.end.place == value)
        whole: Flags = ~ends.end.behind & (ends.end.place - value <= unit * (1 + 1e-9))
        first: Flags = (begins.begin.place == value) & ~begins.begin.behind
        return single & first & (behind | whole)

    def _cell_bounds(self, begins: CellGaps, ends: CellGaps, exact: Flags) -> list[Bounds]:
        """How cells are written: exact ones by their value, the outermost by `_open_outermost`."""
        leaves = self.hierarchy.leaves
        written = []
        for c, sure in enumerate(exact.tolist()):
            if sure:
                value = str(self.hierarchy.labels[0][self.held[begins.gap[c]] - 1])
                written.append(Bounds(value, value, high_inside=True))
                continue
            after, upto = bool(begins.begin.behind[c]), bool(ends.end.behind[c])
            begin, end = float(begins.begin.place[c]), float(ends.end.place[c])
            low, high = text_of(begin, leaves, point=after), text_of(end, leaves, point=upto)
            bounds = Bounds(low, high, not after, upto)
            written.append(self._open_outermost(bounds, c, len(exact)))
        return written

    def _open_outermost(self, bounds: Bounds, cell: int, cells: int) -> Bounds:
        """The bounds of a cell (from 0); outer ends are those of the highest node, or open."""
        if cell == 0:
            node = self._node_bounds(int(self.held[0]))
            bounds = replace(bounds, low=node.low, low_inside=node.low_inside)
        if cell == cells - 1:
            node = self._node_bounds(int(self.held[-1]))
            bounds = replace(bounds, high=node.high, high_inside=node.high_inside)
        return bounds

    def _cell_label(self, bounds: Bounds, run: tuple[int, int]) -> tuple[Bounds, str]:
        """How a cell of the leaves `run` is written, and what it shows: value, node or bounds.

        A cell without bounds, the only one of its grid, shows the label of the top.
        """
        if bounds.low is not None and bounds.low == bounds.high:
            return bounds, bounds.low
        if self.ends_at_nodes and run in self._bounded_nodes:
            return self._bounded_nodes[run]
        if bounds.low is None and bounds.high is None:
            return bounds, str(self.hierarchy.labels[-1][0])
        dated = self.hierarchy.leaves.kind is Kind.DATE
        return bounds, write_dates(bounds) if dated else write_bounds(bounds)

    @cached_property
    def _bounded_nodes(self) -> dict[tuple[int, int], tuple[Bounds, str]]:
        """The nodes above the values that a cell may show, by their first and last leaf."""
        found: dict[tuple[int, int], tuple[Bounds, str]] = {}
        for level in range(self.hierarchy.height - 1, max(self.ask.lowest, 1) - 1, -1):
            ends = zip(*(end[1:].tolist() for end in self.hierarchy.bounds[level]), strict=True)
            for run, label in zip(ends, self.hierarchy.labels[level].tolist(), strict=True):
                if reach_of(label, self.hierarchy.leaves) is not None:
                    found[run] = ends_of(label), label
        return found


def _names_a_day(end: str | None, leaves: Domain) -> bool:
    """Whether a bound of dates is no moment (true if open); false for columns of no dates."""
    if leaves.kind is not Kind.DATE:
        return False
    date = None if end is None else parse_date(end)
    return date is None or np.datetime_data(date.dtype)[0] in LASTING
