"""Who a released row may be about (Bettini Section 3), counted in individuals."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from incrowd.arrays import MISSING, Codes, Counts, Flags
from incrowd.errors import InputError, PolicyError, boundary, count_of
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.linkage.atoms import AtomSets, atom_sets_of, tuples_of
from incrowd.linkage.index import Index, make_index
from incrowd.linkage.matching import Matching, match_column
from incrowd.linkage.world import World, check_names
from incrowd.partition.csr import Rows, entries, offsets, offsets_of, owners
from incrowd.table.column import CodedColumn, Domain, Missing

Same = Callable[[str], str]

_SPELLINGS: tuple[tuple[str, Same], ...] = (
    ("in spaces around the value", str.strip),
    ("in upper and lower case", str.casefold),
    ("in leading zeros", lambda text: text.lstrip("0") if text.isdecimal() else text),
    ("in punctuation", lambda text: "".join(filter(str.isalnum, text))),
)

_SLASHED = re.compile(r"\d{1,2}/\d{1,2}/\d{2,4}")
_DATED = re.compile(r"\d{4}-\d{2}")


@dataclass(frozen=True)
class ColumnMatch:
    """How well the labels of a released column and the values of the world match."""

    name: str
    labels: int
    """Distinct labels of the release."""
    idle: int
    """How many of these stand for no value of the world."""
    idle_rows: int
    """Released rows with such a label."""
    first: int | None
    """The first of these rows, counted from 1."""
    unmatched: float
    """Share of the world's rows whose value no label stands for."""
    outside: int
    """Values of the world that the hierarchy lacks."""
    hint: str = ""
    """How the spelling may differ, if that can be seen."""

    @property
    def note(self) -> str:
        """The match in words; empty if every label stands for some value."""
        if not self.idle:
            return ""
        text = (
            f"{self.idle:,} of {count_of(self.labels, 'label')} of {self.name!r} match no value of"
            f" the world ({count_of(self.idle_rows, 'row')}, first at row {self.first:,})"
        )
        return f"{text}: {self.hint}" if self.hint else text


@dataclass(frozen=True, eq=False)
class Linked:
    """A release linked with a world. Rows count from 0 in arrays, from 1 in messages."""

    names: tuple[str, ...]
    """The public columns, PAttr[T]: those that release and world share."""
    candidates: Counts
    """Per released row: how many individuals it may be about."""
    columns: tuple[ColumnMatch, ...]
    notes: tuple[str, ...]
    """What you must know: who counts as an individual, what does not match."""
    world: World = field(repr=False)
    _tuple_of: Codes = field(repr=False)
    _index: Index = field(repr=False)

    @property
    def k(self) -> int | None:
        """The fewest candidates of a consistent row (Bettini Definition 4); None if none is."""
        consistent = self.candidates[self.candidates > 0]
        return int(consistent.min()) if len(consistent) else None

    @property
    def inconsistent(self) -> int:
        """Rows that nobody can be, neither safe nor unsafe (Bettini Definition 3)."""
        return int((self.candidates == 0).sum())

    def candidates_of(self, rows: Codes | Counts | Sequence[int]) -> Rows:
        """List the individuals that each of these rows may be about, in compressed rows.

        Row `rows[i]` has the individuals `individual[start[i]:start[i + 1]]`, ascending, numbered
        as in `World.person`. They are found on each call: ask for some rows at a time if there are
        many candidates.
        """
        asked = self._tuple_of[np.asarray(rows, dtype=np.int64)]
        tuples, place = np.unique(asked, return_inverse=True)
        known = tuples >= 0
        start, person = persons_of(self._index, self.world, tuples[known])
        sizes = np.zeros(len(tuples), dtype=np.int64)
        sizes[known] = np.diff(start)
        entry, _ = entries(offsets(sizes), place)
        return offsets(sizes[place]), person[entry]

    def __repr__(self) -> str:
        """Show no values."""
        return f"Linked({len(self.candidates)} rows by {', '.join(self.names)}; k = {self.k})"


def link(
    release: Mapping[str, CodedColumn],
    world: World,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    *,
    on: Sequence[str] | None = None,
    missing: Missing = Missing.OWN_VALUE,
) -> Linked:
    """Find who each released row may be about: k-anonymity against a world (Bettini Definition 4).

    The public columns are those that release and world share, or those of them that `on` names.
    The hierarchies of the columns decode the labels; a label without one is read as it is written.
    A missing cell is a value like any other, unless it `matches-anything`: then it says nothing,
    in the release as in the world. `PolicyError` if missing values would be suppressed, or if `on`
    names another column; `InputError` if no column is shared or labels cannot be read.
    """
    names = _public_columns(release, world, on)
    if missing is Missing.SUPPRESS:
        raise PolicyError(
            "rows with missing values cannot be suppressed here", remedy="drop them first"
        )
    matchings = []
    for name in names:
        domain, unknown = world.columns[name].domain, bool(world.code_counts(name)[MISSING])
        hierarchy = (hierarchies or {}).get(name)
        fault = InputError(f"the labels of {name!r} cannot be read", remedy="make them text")
        with boundary(fault):
            matching = match_column(release[name], domain, hierarchy, missing, unknown=unknown)
        matchings.append(matching)
    sets = [atom_sets_of(matching) for matching in matchings]
    columns = tuple(
        _column_match(release[name], world, (name, matching, one))
        for name, matching, one in zip(names, matchings, sets, strict=True)
    )
    lines = [one.of[release[name].codes] for name, one in zip(names, sets, strict=True)]
    tuple_of, tuples = tuples_of(lines, sets)
    index = make_index(world, names, sets, tuples)
    counts = np.append(index.counts(), 0)
    unused = _unused_columns_note(release, world, names)
    notes = (*world.notes, *unused, *_notes_of_columns(columns))
    return Linked(names, counts[tuple_of], columns, notes, world, tuple_of, index)


def persons_of(index: Index, world: World, tuples: Codes) -> Rows:
    """List the individuals that each of these tuples may be, once each, in compressed rows."""
    start, point = index.members(tuples)
    of = owners(start)
    persons = index.points.individuals
    if persons is None:
        person = world.person[point]
    else:
        entry, place = entries(persons[0], point)
        of, person = of[place], persons[1][entry]
    radix = int(person.max(initial=0)) + 1
    pairs = np.sort(of * radix + person)
    pairs = pairs[np.diff(pairs, prepend=-1) != 0]
    return offsets_of(pairs // radix, len(tuples)), (pairs % radix).astype(np.int32)


def _public_columns(
    release: Mapping[str, CodedColumn], world: World, on: Sequence[str] | None
) -> tuple[str, ...]:
    """The columns that release and world share, or those of `on`.

    `InputError` if they share none, `PolicyError` if `on` is empty or names a column not shared.
    """
    shared = [name for name in release if name in world.columns]
    if not shared:
        raise InputError(
            f"the release ({', '.join(release)}) and the world ({', '.join(world.names)}) share no"
            " column",
            remedy="give the world's columns the names that the release has for them",
        )
    if on is None:
        return tuple(shared)
    check_names(on, shared, "{} is not in both release and world")
    return tuple(dict.fromkeys(on))


def _column_match(
    column: CodedColumn, world: World, found: tuple[str, Matching, AtomSets]
) -> ColumnMatch:
    """Count how well the labels of a column match; `found` is its name, matching and sets."""
    name, matching, sets = found
    held = np.bincount(column.codes, minlength=len(sets.of))
    rows = world.code_counts(name)
    idle: Flags = (sets.sum_codes(rows)[sets.of] == 0) & (held > 0)
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
        hint=_spelling_hint(labels, world.columns[name].domain) if labels else "",
    )


def _unused_columns_note(
    release: Mapping[str, CodedColumn], world: World, names: tuple[str, ...]
) -> list[str]:
    """A note of shared columns that were not used to link, in a list; empty if there are none."""
    left = [name for name in release if name in world.columns and name not in names]
    text = (
        f"the world knows {', '.join(left)} too, which were not used to link: what holds for some"
        " public columns proves nothing for all of them"
    )
    return [text] if left else []


def _notes_of_columns(columns: Sequence[ColumnMatch]) -> list[str]:
    """Notes of labels that match nothing, values without label, values outside a hierarchy."""
    notes = [column.note for column in columns if column.note]
    for column in columns:
        if column.unmatched:
            notes.append(
                f"{_percent(column.unmatched)} of the world's rows have a value of {column.name!r}"
                " that no label stands for"
            )
        if column.outside:
            notes.append(
                f"the hierarchy of {column.name!r} lacks {count_of(column.outside, 'value')} of the"
                " world: labels are compared with these as they are written"
            )
    return notes


def _percent(share: float) -> str:
    """A share above 0 as a percentage, never rounded to none or to all."""
    if share < 0.001:
        return "under 0.1%"
    return "over 99.9%" if 0.999 < share < 1 else f"{share:.1%}"


def _spelling_hint(labels: Sequence[str], domain: Domain) -> str:
    """How the spelling of as many of these labels as possible differs; empty if unclear."""
    if not len(domain):
        return "the world has no values in this column"
    values = domain.labels.tolist()
    if _DATED.search(labels[0]) and _SLASHED.fullmatch(values[0].strip()):
        return "the world writes dates with slashes, which cannot be read: write year-month-day"
    found = [(_count_matching(labels, values, same), how) for how, same in _SPELLINGS]
    most, how = max(found, key=lambda pair: pair[0])
    masked = _count_without_zeros(labels, values)
    if masked > most:
        most, how = masked, "in leading zeros"
    if not most:
        return ""
    return f"{most:,} of them differ from values of the world only {how}"


def _count_matching(labels: Sequence[str], values: Sequence[str], same: Same) -> int:
    """How many labels equal some value after `same` has brought both into one spelling."""
    known = {same(value) for value in values}
    return sum(same(label) in known for label in labels)


def _count_without_zeros(labels: Sequence[str], values: Sequence[str]) -> int:
    """How many masked codes begin with zeros that the world has lost: 0213* beside 2138."""
    digits = [value for value in values if value.isdecimal()]
    filled: dict[int, set[str]] = {}
    met = 0
    for label in labels:
        shown = label.rstrip("*")
        if shown == label or not shown.startswith("0") or not shown.isdecimal():
            continue
        known = filled.setdefault(len(label), {value.zfill(len(label)) for value in digits})
        met += any(value.startswith(shown) for value in known)
    return met
