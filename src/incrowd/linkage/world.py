"""The external tables that somebody may hold (Bettini Sections 2 and 3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

import numpy as np

from incrowd.arrays import MISSING, Codes, Counts, Flags, Values
from incrowd.errors import InputError, PolicyError, count_of
from incrowd.partition.csr import group_by_owner
from incrowd.table.column import CodedColumn, Domain, Kind
from incrowd.table.encode import leaves_of


@dataclass(frozen=True, eq=False)
class World:
    """Who has which public values: a finite, closed world as a relation (Bettini Section 3).

    `columns` are its public columns under the names that the release gives them; `individual` says
    whose row each is, as the codes of an id column. A row without an id is an individual of its
    own, and so is every row of a world without ids. One individual may have several rows (Section
    7): wherever people are counted, everybody counts once.
    """

    columns: Mapping[str, CodedColumn]
    individual: Codes | None = None
    _held: dict[str, Counts] = field(default_factory=dict, init=False)
    """What `code_counts` has counted, by column."""

    def __post_init__(self) -> None:
        if not self.columns:
            raise InputError("the world has no columns", remedy="give it at least one column")
        lines = [column.codes for column in self.columns.values()]
        ids = [] if self.individual is None else [self.individual]
        if len({len(line) for line in (*lines, *ids)}) > 1:
            raise InputError("the columns of the world differ in length")
        object.__setattr__(self, "columns", MappingProxyType(dict(self.columns)))

    @property
    def names(self) -> tuple[str, ...]:
        """The public columns: Attr[W] without the id."""
        return tuple(self.columns)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(next(iter(self.columns.values())).codes)

    @property
    def unnamed(self) -> int:
        """Rows without an id in a world that has ids."""
        return 0 if self.individual is None else int((self.individual == MISSING).sum())

    @cached_property
    def person(self) -> Codes:
        """Whose row each is: the code of the id, or a number above all codes if it has none.

        0 is nobody. Without ids, row r is individual r + 1.
        """
        if self.individual is None:
            return np.arange(1, self.rows + 1, dtype=np.int32)
        person = np.ascontiguousarray(self.individual, dtype=np.int32)
        if self.unnamed:
            person = person.copy()
            first = int(person.max(initial=0)) + 1
            person[person == MISSING] = np.arange(first, first + self.unnamed, dtype=np.int32)
        return person

    @cached_property
    def rows_of(self) -> Counts:
        """How many rows each individual has, by the individual's number."""
        return np.bincount(self.person, minlength=1).astype(np.int64)

    @cached_property
    def people(self) -> int:
        """Number of individuals."""
        return self.rows if self.individual is None else int((self.rows_of > 0).sum())

    @property
    def everybody_once(self) -> bool:
        """Whether every individual has one row."""
        return self.people == self.rows

    @cached_property
    def alone(self) -> Flags:
        """Per row: whether its individual has no other."""
        if self.everybody_once:
            return np.ones(self.rows, dtype=np.bool_)
        return np.asarray(self.rows_of[self.person] == 1)

    def code_counts(self, name: str) -> Counts:
        """How many rows have each code of a column, missing first; cached."""
        if name not in self._held:
            column = self.columns[name]
            counts = np.bincount(column.codes, minlength=len(column.domain) + 1)
            self._held[name] = counts.astype(np.int64)
        return self._held[name]

    @property
    def notes(self) -> tuple[str, ...]:
        """What is assumed about who is who, in words."""
        return assumptions(self.rows, None if self.individual is None else self.unnamed)

    def select(self, names: Sequence[str]) -> "World":
        """The world that knows these columns only; `PolicyError` if one is unknown, or for none."""
        check_names(names, self.names, "the world has no column {}")
        return World({name: self.columns[name] for name in names}, self.individual)

    def __repr__(self) -> str:
        """Show no values."""
        return f"World({', '.join(self.names)}; {self.rows} rows)"


def check_names(
    names: Sequence[str], known: Sequence[str], fault: str, nothing: str = "no columns are named"
) -> None:
    """Raise `PolicyError` for an unknown name (`fault`, with it put in) or for none (`nothing`)."""
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        raise PolicyError(
            fault.format(repr(unknown[0])) if unknown else nothing,
            remedy="name some of: " + ", ".join(known),
        )


def assumptions(rows: int, unnamed: int | None) -> tuple[str, ...]:
    """What is assumed of who is who, in words; `unnamed` rows lack an id, None without ids."""
    if unnamed is None:
        return (f"the world has no ids: each of its {count_of(rows, 'row')} is an individual",)
    if unnamed:
        some = f"{unnamed:,} of {rows:,} rows of the world have no id"
        return (f"{some}: each counts as an individual of its own",)
    return ()


def join_by_id(tables: Sequence[tuple[Mapping[str, CodedColumn], CodedColumn]]) -> World:
    """Join several external tables by id: the universal relation (Bettini Section 3).

    Each table is its public columns and its id column; equal ids join rows. Somebody who is in two
    tables gets every combination of their rows there, and both values where the tables disagree on
    a column. What no table says about an individual is missing. A row without an id joins nothing.
    `InputError` if there is no table.
    """
    if not tables:
        raise InputError("a world needs at least one table", remedy="give a table")
    domain, codes = _code_by_one_domain([ids for _, ids in tables])
    world = _WorldTable(dict(tables[0][0]), codes[0])
    for (columns, _), ids in zip(tables[1:], codes[1:], strict=True):
        world = _join_tables(world, _WorldTable(dict(columns), ids), len(domain) + 1)
    return World(world.columns, world.ids)


@dataclass(frozen=True, eq=False, repr=False)
class _WorldTable:
    """Columns of a world, and the id of each row, by one numbering."""

    columns: dict[str, CodedColumn]
    ids: Codes


def _code_by_one_domain(columns: Sequence[CodedColumn]) -> tuple[Domain, list[Codes]]:
    """One domain with the values of all columns, of their labels if kinds differ, and new codes."""
    if all(column.domain is columns[0].domain for column in columns):
        return columns[0].domain, [column.codes for column in columns]
    kinds = {column.domain.kind for column in columns}
    kind = kinds.pop() if len(kinds) == 1 else Kind.TEXT
    values = [
        column.domain.values if column.domain.kind is kind else column.domain.labels
        for column in columns
    ]
    every, place = np.unique(np.concatenate(values), return_inverse=True)
    cuts = np.cumsum([len(part) for part in values])[:-1]
    lookups = [np.concatenate([[MISSING], part + 1]) for part in np.split(place.ravel(), cuts)]
    codes = [
        lookup[column.codes].astype(np.int32)
        for lookup, column in zip(lookups, columns, strict=True)
    ]
    return Domain(kind, every), codes


def _join_tables(left: _WorldTable, right: _WorldTable, people: int) -> _WorldTable:
    """Join two tables: pairs of rows for people in both, single rows for people in one.

    `people` is one more than the largest id. Columns that both have are coded anew in the two
    tables themselves. Somebody for whom such a column differs gets a second row with the right
    table's values.
    """
    shared = [name for name in left.columns if name in right.columns]
    for name in shared:
        both = [left.columns[name], right.columns[name]]
        domain, (mine, theirs) = _code_by_one_domain(both)
        left.columns[name] = CodedColumn(both[0].name, mine, domain)
        right.columns[name] = CodedColumn(both[1].name, theirs, domain)
    here, there = _pair_rows(left.ids, right.ids, people)
    differ = np.zeros(len(here), dtype=np.bool_)
    for name in shared:
        mine, theirs = left.columns[name].codes, right.columns[name].codes
        differ |= _codes_of_rows(mine, here) != _codes_of_rows(theirs, there)
    again = np.flatnonzero(differ & (here >= 0) & (there >= 0))
    from_left = np.concatenate([here, here[again]])
    from_right = np.concatenate([there, there[again]])
    second = np.arange(len(from_left)) >= len(here)
    columns = {}
    for name in dict.fromkeys([*left.columns, *right.columns]):
        mine = _codes_at(left.columns.get(name), from_left)
        theirs = _codes_at(right.columns.get(name), from_right)
        use_theirs = (from_left < 0) | second if name in shared else name not in left.columns
        source = left.columns.get(name) or right.columns[name]
        codes = np.where(use_theirs, theirs, mine).astype(np.int32)
        columns[name] = CodedColumn(source.name, codes, source.domain)
    ids = np.where(
        from_left >= 0, _codes_of_rows(left.ids, from_left), _codes_of_rows(right.ids, from_right)
    )
    return _WorldTable(columns, ids.astype(np.int32))


def _codes_at(column: CodedColumn | None, rows: Counts) -> Codes:
    """The codes of these rows; missing for row -1 and for an absent column."""
    if column is None:
        return np.zeros(len(rows), dtype=np.int32)
    return _codes_of_rows(column.codes, rows)


def _codes_of_rows(codes: Codes, rows: Counts) -> Codes:
    """The codes of these rows; missing for row -1."""
    return np.append(codes, np.int32(MISSING))[rows]


def _pair_rows(left: Codes, right: Codes, people: int) -> tuple[Counts, Counts]:
    """All pairs of rows of equal ids (all below `people`); rows without a partner have -1."""
    start, order = group_by_owner(right, people)
    partners = np.where(left == MISSING, 0, np.diff(start)[left])
    times = np.maximum(partners, 1)
    here = np.repeat(np.arange(len(left)), times)
    step = np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times)
    spot = np.minimum(start[left][here] + step, max(len(right) - 1, 0))
    there = np.where(partners[here] > 0, order[spot] if len(right) else -1, -1)
    known = np.zeros(people, dtype=np.bool_)
    known[left] = True
    known[MISSING] = False
    rest = np.flatnonzero(~known[right])
    return (np.concatenate([here, np.full(len(rest), -1)]), np.concatenate([there, rest]))


_EXACT = 2**53
"""Whole numbers up to here are exact as floats."""


def union_domain(mine: Domain, theirs: Domain) -> Domain:
    """The domain of a column's values in the table and in the world together.

    Only the table's if the two are of different kinds, or share no exact number format: labels are
    then compared with the world as they are written.
    """
    if mine.kind is not theirs.kind:
        return mine
    there = _cast_exactly(theirs.values, mine.values)
    whole = [line for line in (mine.values, there) if line.dtype.kind == "i"]
    if len(whole) == 1 and np.abs(whole[0]).max(initial=0) >= _EXACT:
        return mine
    return Domain(mine.kind, np.unique(np.concatenate([mine.values, there])))


def _cast_exactly(values: Values, like: Values) -> Values:
    """Finite floats (others are left out) or moments, as `like` has them if that loses nothing."""
    if values.dtype.kind == "f":
        values = values[np.isfinite(values)]
    if values.dtype.kind in "fM":
        with np.errstate(invalid="ignore", over="ignore"):
            same = values.astype(like.dtype)
        if (same == values).all():
            return same
    return values


def leaf_codes(world: World, name: str, leaves: Domain) -> Codes:
    """The code, among these leaves, of each row of the world; missing (0) if it has none."""
    column = world.columns[name]
    return np.append(np.int32(MISSING), leaves_of(column.domain, leaves))[column.codes]


def flag_known_rows(world: World, name: str, leaves: Domain) -> Flags:
    """Flags of the rows of the world that have one of these leaves, or a missing value."""
    known: Flags = leaf_codes(world, name, leaves) != MISSING
    known |= world.columns[name].codes == MISSING
    return known


def people_by_leaf(world: World, name: str, leaves: Domain) -> Counts:
    """How many individuals have each leaf, or none (entry 0), each by the first of their rows."""
    codes = leaf_codes(world, name, leaves)
    if not world.everybody_once:
        codes = codes[np.unique(world.person, return_index=True)[1]]
    return np.bincount(codes, minlength=len(leaves) + 1).astype(np.int64)
