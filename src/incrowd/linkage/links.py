"""Whom a released row may be about (Bettini Section 3), counted in individuals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from incrowd.arrays import MISSING, Codes, Counts, Flags
from incrowd.errors import InputError, PolicyError, boundary, counted
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.linkage.hints import hint_for
from incrowd.linkage.index import Index, index_of
from incrowd.linkage.matching import Matching, match
from incrowd.linkage.points import Rows
from incrowd.linkage.sets import Sets, sets_of
from incrowd.linkage.world import World
from incrowd.table.column import CodedColumn
from incrowd.table.fold import fold
from incrowd.table.roles import Missing


@dataclass(frozen=True)
class ColumnMatch:
    """How well the labels of a released column and the values of the world fit together."""

    name: str
    labels: int
    """Distinct labels of the release."""
    idle: int
    """Labels among them that stand for nobody's value."""
    idle_rows: int
    """Released rows with such a label."""
    first: int | None
    """The first of these rows, counted from 1."""
    unmatched: float
    """Share of the world's rows whose value no label stands for."""
    outside: int
    """Values of the world that the hierarchy lacks."""
    hint: str = ""
    """What may be wrong with the spelling, if anything is seen."""

    @property
    def note(self) -> str:
        """In words, empty if everything fits."""
        if not self.idle:
            return ""
        told = (
            f"{self.idle:,} of {counted(self.labels, 'label')} of {self.name!r} stand for no value"
            f" of the world ({counted(self.idle_rows, 'row')}, the first is row {self.first:,})"
        )
        return f"{told}: {self.hint}" if self.hint else told


@dataclass(frozen=True, eq=False)
class Linked:
    """A release seen with a world: for each row the individuals that it may be about.

    Rows are counted from 0 in arrays, from 1 in words.
    """

    names: tuple[str, ...]
    """The public columns, PAttr[T]: those that release and world share."""
    candidates: Counts
    """Per released row: how many individuals it may be about."""
    columns: tuple[ColumnMatch, ...]
    notes: tuple[str, ...]
    """What a reader must know: who counts as an individual, what does not fit."""
    world: World = field(repr=False)
    _tuple_of: Codes = field(repr=False)
    _index: Index = field(repr=False)

    @property
    def k(self) -> int | None:
        """The smallest number of candidates of a consistent row (Bettini Definition 4).

        None if no row is consistent: then nothing can be said.
        """
        found = self.candidates[self.candidates > 0]
        return int(found.min()) if len(found) else None

    @property
    def inconsistent(self) -> int:
        """Rows that nobody in the world can be (Bettini Definition 3).

        The closed world and the table contradict each other there; that is neither safe nor unsafe.
        """
        return int((self.candidates == 0).sum())

    @property
    def unmatched(self) -> Mapping[str, float]:
        """Per column: share of the world's rows whose value no released label stands for."""
        return {column.name: column.unmatched for column in self.columns}

    def below(self, k: int) -> int:
        """Consistent rows with fewer than k candidates."""
        return int(((self.candidates > 0) & (self.candidates < k)).sum())

    def candidates_of(self, rows: Codes | Counts | Sequence[int]) -> Rows:
        """The individuals that each of these rows may be about, in compressed rows.

        Row `rows[i]` has the individuals `individual[start[i]:start[i + 1]]`, ascending, numbered
        as in `World.person`. They are found when asked for: ask for some rows at a time where
        candidates are many.
        """
        asked = self._tuple_of[np.asarray(rows, dtype=np.int64)]
        tuples, place = np.unique(asked, return_inverse=True)
        known = tuples >= 0
        start, person = persons_of(self._index, self.world, tuples[known])
        sizes = np.zeros(len(tuples), dtype=np.int64)
        sizes[known] = np.diff(start)
        first = np.zeros(len(tuples), dtype=np.int64)
        first[known] = start[:-1]
        ends = np.concatenate([[0], np.cumsum(sizes[place])]).astype(np.int64)
        entry = np.repeat(first[place] - ends[:-1], sizes[place]) + np.arange(ends[-1])
        return ends, person[entry]

    def guesses(self, rows: Codes | Counts | Sequence[int], rng: np.random.Generator) -> Codes:
        """One candidate of each of these rows, each equally likely; 0 for inconsistent rows."""
        start, person = self.candidates_of(rows)
        sizes = np.diff(start)
        spot = start[:-1] + (rng.random(len(sizes)) * sizes).astype(np.int64)
        return np.where(sizes > 0, np.append(person, np.int32(0))[spot], 0).astype(np.int32)

    def __repr__(self) -> str:
        """Without values."""
        return f"Linked({len(self.candidates)} rows by {', '.join(self.names)}; k = {self.k})"


def link(
    release: Mapping[str, CodedColumn],
    world: World,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    *,
    on: Sequence[str] | None = None,
    missing: Missing = Missing.OWN_VALUE,
) -> Linked:
    """Whom each released row may be about: k-anonymity against a world (Bettini Definition 4).

    The public columns are those that release and world share, or those of them that `on` names.
    Labels decode by the hierarchies of their columns, and as they are written where there is none.
    A missing cell is a value like any other, unless it `matches-anything`: then it says nothing,
    in the release as in the world.
    """
    names = _public(release, world, on)
    if missing is Missing.SUPPRESS:
        raise PolicyError("rows with missing values cannot be suppressed here", remedy="drop them")
    matchings = [
        _matched(release[name], world, (hierarchies or {}).get(name), (name, missing))
        for name in names
    ]
    sets = [sets_of(matching) for matching in matchings]
    columns = tuple(
        _told(release[name], world, (name, matching, one))
        for name, matching, one in zip(names, matchings, sets, strict=True)
    )
    tuple_of, tuples = tuples_of([release[name] for name in names], sets)
    index = index_of(world, names, sets, tuples)
    counts = np.append(index.counts(), 0)
    notes = (*world.notes, *_notes(release, world, names), *_of_columns(columns))
    return Linked(names, counts[tuple_of], columns, notes, world, tuple_of, index)


def persons_of(index: Index, world: World, tuples: Codes) -> Rows:
    """The individuals of tuples, each once, ascending."""
    start, point = index.members(tuples)
    of = np.repeat(np.arange(len(tuples), dtype=np.int64), np.diff(start))
    persons = index.points.individuals
    if persons is None:
        person = world.person[point]
    else:
        first, every = persons
        sizes = first[point + 1] - first[point]
        ends = np.cumsum(sizes)
        entry = np.repeat(first[point] - ends + sizes, sizes) + np.arange(ends[-1:].sum())
        of, person = np.repeat(of, sizes), every[entry]
    radix = int(person.max(initial=0)) + 1
    pairs = np.sort(of * radix + person)
    pairs = pairs[np.diff(pairs, prepend=-1) != 0]
    counts = np.searchsorted(pairs // radix, np.arange(len(tuples) + 1))
    return counts.astype(np.int64), (pairs % radix).astype(np.int32)


def _public(
    release: Mapping[str, CodedColumn], world: World, on: Sequence[str] | None
) -> tuple[str, ...]:
    """PAttr[T]: what release and world share; `InputError` if that is nothing."""
    shared = [name for name in release if name in world.columns]
    if not shared:
        raise InputError(
            f"the release ({', '.join(release)}) and the world ({', '.join(world.names)}) share no"
            " column",
            remedy="rename the world's columns as the release calls them",
        )
    if on is None:
        return tuple(shared)
    unknown = [name for name in on if name not in shared]
    if unknown or not on:
        raise PolicyError(
            f"{unknown[0]!r} is not in both release and world" if unknown else "no columns named",
            remedy="name some of: " + ", ".join(shared),
        )
    return tuple(dict.fromkeys(on))


def _matched(
    column: CodedColumn, world: World, hierarchy: Hierarchy | None, how: tuple[str, Missing]
) -> Matching:
    name, missing = how
    labels = [None, *column.domain.labels.tolist()]
    with boundary(InputError(f"the labels of {name!r} cannot be read", remedy="make them text")):
        found = match(labels, world.columns[name].domain, hierarchy)
    if missing is Missing.MATCHES_ANYTHING:
        found = found.anything(unknown=bool(world.held(name)[MISSING]))
    return found.only(np.bincount(column.codes, minlength=len(found)) > 0)


def tuples_of(columns: Sequence[CodedColumn], sets: Sequence[Sets]) -> tuple[Codes, Codes]:
    """The distinct tuples of sets, and that of each row; -1 where a label stands for nothing."""
    lines = [one.of[column.codes] for column, one in zip(columns, sets, strict=True)]
    tally = fold(lines, ())
    tuples = tally.quasi
    idle: Flags = np.logical_or.reduce(
        [one.empty[line] for one, line in zip(sets, tuples, strict=True)]
    )
    number = np.where(idle, -1, np.cumsum(~idle) - 1).astype(np.int32)
    row_of = np.zeros(0, dtype=np.int32) if tally.row_of is None else tally.row_of
    return number[row_of], np.ascontiguousarray(tuples[:, ~idle])


def _told(column: CodedColumn, world: World, found: tuple[str, Matching, Sets]) -> ColumnMatch:
    name, matching, sets = found
    held = np.bincount(column.codes, minlength=len(sets.of))
    rows = world.held(name)
    idle: Flags = (sets.sums(rows)[sets.of] == 0) & (held > 0)
    bad = idle[column.codes]
    nowhere = rows[sets.atom == 0].sum() / max(world.rows, 1)
    labels = [column.domain.labels[code - 1] for code in np.flatnonzero(idle) if code]
    return ColumnMatch(
        name=name,
        labels=int((held > 0).sum()),
        idle=int(idle.sum()),
        idle_rows=int(bad.sum()),
        first=int(bad.argmax()) + 1 if bad.any() else None,
        unmatched=float(nowhere),
        outside=matching.outside,
        hint=hint_for(labels, world.columns[name].domain) if labels else "",
    )


def _notes(release: Mapping[str, CodedColumn], world: World, names: tuple[str, ...]) -> list[str]:
    left = [name for name in release if name in world.columns and name not in names]
    told = (
        f"not linked by {', '.join(left)}, which the world knows too: what holds for some of the"
        " public columns proves nothing for all of them"
    )
    return [told] if left else []


def _of_columns(columns: Sequence[ColumnMatch]) -> list[str]:
    notes = [column.note for column in columns if column.note]
    for column in columns:
        if column.unmatched:
            notes.append(
                f"no label of {column.name!r} stands for the value of {_percent(column.unmatched)}"
                " of the world's rows"
            )
        if column.outside:
            notes.append(
                f"the hierarchy of {column.name!r} lacks {counted(column.outside, 'value')} of the"
                " world, read by rule"
            )
    return notes


def _percent(share: float) -> str:
    """A share above 0 in words, not rounded to none or all if it is not."""
    if share < 0.001:
        return "under 0.1%"
    return "over 99.9%" if 0.999 < share < 1 else f"{share:.1%}"
