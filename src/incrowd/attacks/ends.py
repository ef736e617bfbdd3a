"""Ends: labels that end on values of people reveal that somebody with these values is in the table.

The attacker holds a world, as in linkage, and knows how labels are made: somebody of the class has
each end of a span and each member of a set. If only one individual of the world fits a class and
has what its label ends on, the attacker claims that this person is in the table; and also if only
one individual fits the class at all.

`[17, 25]` shows the first and the last value of a class, so somebody is 17 and somebody is 25; a
set shows values and nodes that somebody has, and `*others*` that somebody has a value that no label
of the column names. A half-open interval such as `[20, 30)` or `≥ 100000` joins
cells of a grid. The ends of the other labels of the column show where cells may meet: between two
neighboring ends there is at least one cell that belongs to somebody.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

import numpy as np

from incrowd.arrays import Codes, Counts, Flags, Texts
from incrowd.attacks.attack import Attack, columns_phrase, part_phrase
from incrowd.attacks.rates import PersonRisk, Rate
from incrowd.hierarchy.foreign_labels import read_any_bounds
from incrowd.hierarchy.labels import (
    Bounds,
    parse_date,
    parse_number,
    read_members,
    write_bounds,
    write_set,
)
from incrowd.linkage.world_linkage import WorldLinkage
from incrowd.partition.csr import entries, offsets
from incrowd.table.column import CodedColumn, Domain, Kind
from incrowd.table.fold import fold

MOST = 2**22
"""Ends that are looked up; those of further classes are left out."""


@dataclass(frozen=True, eq=False)
class SoleMatches:
    """The individuals who alone fit a class, or one of the ends of its labels."""

    person: Codes
    """Their numbers, each once, ascending."""
    ends: int
    """How many classes and ends were looked up."""
    left_out: int = 0
    """How many were not, because there are too many."""


def find_sole_matches(linked: WorldLinkage, most: int = MOST) -> SoleMatches:
    """Find who alone fits a class or an end of its labels; at most `most` of these are tried."""
    classes = fold([linked.release[name].codes for name in linked.names], ()).quasi
    found = [_end_cells(linked.release[name]) for name in linked.names]
    itself = np.arange(classes.shape[1], dtype=np.int32)
    lines = [(-1, itself, itself)]
    lines += [(j, *_ends_of_classes(classes[j], found[j])) for j in range(len(found))]
    number = sum(len(of) for _, of, _ in lines)
    rows = {
        name: _add_end_cells(
            linked.release[name], found[j].cells, _shown_codes(classes, lines, j)[:most]
        )
        for j, name in enumerate(linked.names)
    }
    found_rows = linked.link_by(linked.names, rows)
    _, person = found_rows.candidates_of(np.flatnonzero(found_rows.candidates == 1))
    return SoleMatches(np.unique(person), min(number, most), max(number - most, 0))


@dataclass(frozen=True, eq=False)
class _Ends:
    """The end cells of each label of a column, in compressed rows; a missing cell has none."""

    start: Counts
    cell: Codes
    cells: tuple[str, ...]


def _end_cells(column: CodedColumn) -> _Ends:
    """The end cells of all labels of a column."""
    labels = column.domain.labels.tolist()
    ends, number = EndCells(labels), dict[str, int]()
    found = [[number.setdefault(c, len(number)) for c in ends.cells_of(label)] for label in labels]
    start = offsets([0, *map(len, found)])
    cell = np.array([*chain.from_iterable(found)], dtype=np.int32)
    return _Ends(start, cell, tuple(number))


def _ends_of_classes(label: Codes, ends: _Ends) -> tuple[Codes, Codes]:
    """For each end of the classes that show these labels: (its class, its cell)."""
    entry, of = entries(ends.start, label)
    return of.astype(np.int32), ends.cell[entry]


def _shown_codes(classes: Codes, lines: Sequence[tuple[int, Codes, Codes]], column: int) -> Codes:
    """Per line: the label that it shows in a column, or -1 - cell where it is an end of the column.

    `lines` are parts (column of the ends, class of each line, cell of each line); the part of
    column -1 is the classes themselves.
    """
    return np.concatenate(
        [-1 - cell if j == column else classes[column][of] for j, of, cell in lines]
    )


def _add_end_cells(column: CodedColumn, cells: tuple[str, ...], code: Codes) -> CodedColumn:
    """A column of labels and other end cells, with codes as `_shown_codes` gives them."""
    labels = [*column.domain.labels.tolist(), *cells]
    number: dict[str, int] = {}
    spot = np.array([number.setdefault(label, len(number) + 1) for label in labels], dtype=np.int32)
    known = len(column.domain)
    place = np.concatenate([[0], spot]).astype(np.int32)
    codes = place[np.where(code < 0, known - code, code)]
    texts: Texts = np.array(list(number), dtype=object)
    return CodedColumn(column.name, codes, Domain(Kind.TEXT, texts))


@dataclass(frozen=True, eq=False)
class WorldPresence:
    """Which individuals of a world are in the table."""

    inside: Flags | None
    """By individual: whether they are in it, or may be if not `known`; None if all may be."""
    prior: float
    """The share of the world that is in the table: what a claim about anybody achieves."""
    known: bool = True
    """Whether ids say who is in it."""


def ends(
    names: tuple[str, ...], matches: SoleMatches, presence: WorldPresence, limit: float
) -> Attack:
    """Play ends: how often people who alone fit a class or an end of a label are in the table.

    The baseline is `presence.prior`. A chance above `limit` counts as found.
    """
    claims, inside = len(matches.person), presence.inside
    right = float(claims) if inside is None else float(inside[matches.person].sum())
    rate = Rate.of_expectation(right, claims)
    return Attack(
        kind="ends",
        outsider=True,
        knows=names,
        rate=rate,
        baseline=presence.prior,
        says=_describe_ends(names, matches, presence, rate.success),
        figures={
            "ends": matches.ends,
            "told": claims,
            "right": right,
            "left_out": matches.left_out,
        },
        persons=PersonRisk.of_claims(rate, presence.prior, limit),
        gated=presence.known,
        lacks=(
            "no limit applies to the ends of labels: nothing says who of the world is in the "
            "table: give --truth, or the --original with the id column"
        ),
        bound=not presence.known,
        claims=True,
    )


def _describe_ends(
    names: tuple[str, ...], matches: SoleMatches, presence: WorldPresence, success: float
) -> str:
    """What the attacker does and achieves, in words; `success` is how often a claim is right."""
    how = (
        f"Somebody has a list of people with {columns_phrase(names)}, and knows that somebody in "
        "each class has the values that its labels end on. "
    )
    claims = len(matches.person)
    if not claims:
        return f"{how}Nobody on the list is the only one to fit a class or an end of its labels."
    who = "1 person on the list is" if claims == 1 else f"{claims:,} people on the list are each"
    how += f"{who} the only one to fit a class or an end of its labels: "
    if presence.known:
        prior = part_phrase(presence.prior, "the whole list")
        return f"{how}{part_phrase(success, 'them')} are in the table, and {prior} is."
    how += "the attacker assumes that they are in the table. Nothing here says who is"
    if presence.inside is None:
        return f"{how}."
    return f"{how}; by the values of the original, at most {part_phrase(success, 'them')} can be."


ScalePlace = tuple[int, float]
"""(scale, place): scale 0 is that of numbers, 1 that of dates, in microseconds."""


@dataclass(frozen=True, eq=False)
class EndCells:
    """The cells at the ends of the labels of one column."""

    labels: Sequence[str]
    """All labels of the column."""
    _bounds: dict[str, Bounds | None] = field(default_factory=dict, repr=False)

    def cells_of(self, label: str) -> tuple[str, ...]:
        """The cells at the ends of a label, each once; none if the label shows no ends."""
        members = read_members(label)
        if members is not None:
            rest = [write_set([], others=True)] if members.others else []
            named = tuple(dict.fromkeys([*members.values, *rest]))
            return named if len(named) > 1 else ()
        bounds = self._read_bounds(label)
        if bounds is None:
            return ()
        cells = dict.fromkeys(self._cells_at(bounds))
        return tuple(cell for cell in cells if cell != label)

    def _read_bounds(self, label: str) -> Bounds | None:
        """The bounds that a label writes, kept for the next time; None if it is no interval."""
        if label not in self._bounds:  # a month such as 1965-03 is no interval of numbers
            self._bounds[label] = None if parse_date(label) is not None else read_any_bounds(label)
        return self._bounds[label]

    def _cells_at(self, bounds: Bounds) -> Iterator[str]:
        """Yield the cells of the column at the ends of a label, as far as they are known."""
        if _has_closed_ends(bounds):
            yield from (end for end in (bounds.low, bounds.high) if end is not None)
        elif inner := self._inner_places(bounds):
            yield write_bounds(Bounds(bounds.low, inner[0], bounds.low_inside))
            yield write_bounds(Bounds(inner[1], bounds.high, high_inside=bounds.high_inside))

    def _inner_places(self, bounds: Bounds) -> tuple[str, str] | None:
        """The first and the last place inside a label where cells meet; None if there is none."""
        low, high = _place_on_scale(bounds.low), _place_on_scale(bounds.high)
        scales = {place[0] for place in (low, high) if place is not None}
        if len(scales) != 1:
            return None
        places, texts = self._cuts_by_scale[scales.pop()]
        first = 0 if low is None else bisect_right(places, low[1])
        last = (len(places) if high is None else bisect_left(places, high[1])) - 1
        return (texts[first], texts[last]) if first <= last else None

    @cached_property
    def _cuts_by_scale(self) -> tuple[tuple[list[float], list[str]], ...]:
        """By scale (numbers, dates): sorted places and texts of the ends of half-open intervals."""
        cuts: tuple[dict[float, str], ...] = ({}, {})
        for label in self.labels:
            bounds = self._read_bounds(label)
            if bounds is None or _has_closed_ends(bounds):
                continue
            for end in (bounds.low, bounds.high):
                place = _place_on_scale(end)
                if place is not None and end is not None:
                    cuts[place[0]].setdefault(place[1], end)
        ordered = [sorted(found) for found in cuts]
        texts = [[found[p] for p in order] for found, order in zip(cuts, ordered, strict=True)]
        return (ordered[0], texts[0]), (ordered[1], texts[1])


def _has_closed_ends(bounds: Bounds) -> bool:
    """Whether bounds have both ends and include them."""
    return None not in {bounds.low, bounds.high} and bounds.low_inside and bounds.high_inside


def _place_on_scale(end: str | None) -> ScalePlace | None:
    """The place of an end on its scale; None if it is neither a number nor a date."""
    number = None if end is None else parse_number(end)
    if number is not None:
        return 0, float(number)
    date = None if end is None else parse_date(end)
    return None if date is None else (1, float(date.astype("datetime64[us]").astype("int64")))
