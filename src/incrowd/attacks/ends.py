"""Ends: labels that end on values of people tell that somebody with these values is in the table.

The attacker holds a world, as in linkage, and knows how labels are made: somebody of the class
holds each end of a span and each member of a set. If one individual of the world alone fits a class
and holds what its label ends on, the attacker says that this person is in the table; and so if one
alone fits the class at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from incrowd.arrays import Codes, Floats, Texts
from incrowd.attacks.attack import Attack
from incrowd.attacks.candidates import Facing
from incrowd.attacks.end_cells import EndCells
from incrowd.attacks.intervals import Rate
from incrowd.attacks.persons import Persons
from incrowd.attacks.words import columns, part
from incrowd.table.column import CodedColumn, Domain, Kind
from incrowd.table.fold import fold

MOST = 2**22
"""Ends that are looked up; those of further classes are left out."""


@dataclass(frozen=True, eq=False)
class Pointed:
    """What the ends of labels point at."""

    person: Codes
    """The individuals who alone fit a class, or one of its ends, each once, ascending."""
    ends: int
    """Classes and ends that were looked up."""
    left_out: int = 0
    """Those that were too many to look up."""


def point(facing: Facing, most: int = MOST) -> Pointed:
    """Whom classes and the ends of their labels point at: each as if it were a released row."""
    classes = fold([facing.release[name].codes for name in facing.names], ()).quasi
    found = [_ends(facing.release[name]) for name in facing.names]
    itself = np.arange(classes.shape[1], dtype=np.int32)
    lines = [(-1, itself, itself)]
    lines += [(j, *_spread(classes[j], found[j])) for j in range(len(found))]
    number = sum(len(of) for _, of, _ in lines)
    rows = {
        name: _shown(facing.release[name], found[j].cells, _codes(classes, lines, j)[:most])
        for j, name in enumerate(facing.names)
    }
    linked = facing.by(facing.names, rows)
    alone = np.flatnonzero(linked.candidates == 1)
    _, person = linked.candidates_of(alone)
    return Pointed(np.unique(person), min(number, most), max(number - most, 0))


@dataclass(frozen=True, eq=False)
class _Ends:
    """The end cells of each label of a column, in compressed rows; missing has none."""

    start: "np.ndarray[tuple[int], np.dtype[np.int64]]"
    cell: Codes
    cells: tuple[str, ...]


def _ends(column: CodedColumn) -> _Ends:
    """The end cells of each label."""
    labels = column.domain.labels.tolist()
    of, number = EndCells(labels), dict[str, int]()
    found = [[number.setdefault(c, len(number)) for c in of.of(label)] for label in labels]
    start = np.concatenate([[0, 0], np.cumsum([len(one) for one in found])]).astype(np.int64)
    cell = np.array([*chain.from_iterable(found)], dtype=np.int32)
    return _Ends(start, cell, tuple(number))


def _spread(label: Codes, ends: _Ends) -> tuple[Codes, Codes]:
    """The class of each end, and its cell."""
    sizes = np.diff(ends.start)[label]
    of = np.repeat(np.arange(len(label)), sizes)
    first = np.repeat(ends.start[label] - (np.cumsum(sizes) - sizes), sizes)
    return of.astype(np.int32), ends.cell[np.arange(len(of)) + first]


def _codes(classes: Codes, lines: Sequence[tuple[int, Codes, Codes]], column: int) -> Codes:
    """What each end shows in a column: its class's label, or from -1 downwards its own cell."""
    return np.concatenate(
        [-1 - cell if j == column else classes[column][of] for j, of, cell in lines]
    )


def _shown(column: CodedColumn, cells: tuple[str, ...], code: Codes) -> CodedColumn:
    """A column of labels and of end cells; a cell that is also a label is that label."""
    labels = [*column.domain.labels.tolist(), *cells]
    number: dict[str, int] = {}
    spot = np.array([number.setdefault(label, len(number) + 1) for label in labels], dtype=np.int32)
    known = len(column.domain)
    place = np.concatenate([[0], spot]).astype(np.int32)
    codes = place[np.where(code < 0, known - code, code)]
    texts: Texts = np.array(list(number), dtype=object)
    return CodedColumn(column.name, codes, Domain(Kind.TEXT, texts))


def ends(
    names: tuple[str, ...], pointed: Pointed, present: Floats | None, prior: float, limit: float
) -> Attack:
    """How often somebody whom an end points at is in the table.

    `present` says of each individual of the world how likely they are; None if nobody knows: then
    everybody whom an end points at is taken to be, the worst case. `prior` is the share of the
    world that is in the table: what pointing at anybody reaches.
    """
    told = len(pointed.person)
    right = float(told) if present is None else float(present[pointed.person].sum())
    rate = Rate.expected(right, told)
    return Attack(
        kind="ends",
        knows=names,
        rate=rate,
        baseline=prior,
        says=_says(names, pointed, (rate.success, prior), known=present is not None),
        figures={"ends": pointed.ends, "told": told, "right": right, "left_out": pointed.left_out},
        persons=Persons.of_claims(rate, prior, limit),
        gated=present is not None,
        claims=True,
    )


def _says(
    names: tuple[str, ...], pointed: Pointed, rates: tuple[float, float], *, known: bool
) -> str:
    how = (
        f"Somebody holds a list of people with {columns(names)}, and knows that somebody of each "
        "class holds what its labels end on. "
    )
    told, (success, prior) = len(pointed.person), rates
    if not told:
        return f"{how}Nobody on the list is the only one to fit a class or an end of its labels."
    who = "1 person on the list is" if told == 1 else f"{told:,} people on the list are each"
    how += f"{who} the only one to fit a class or an end of its labels: "
    if not known:
        return f"{how}the attacker takes them to be in the table. Nothing given here says who is."
    return f"{how}{part(success, 'them')} are in the table, and {part(prior, 'the whole list')} is."
